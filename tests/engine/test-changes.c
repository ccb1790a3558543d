/* test-changes.c — lists of changes: their text, and that they change what they say, and alike in
 * every way that there is to translate.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc-test.h"
#include "bundled-with-key.h"
#include "text/mt-tokens.h"

#include <glib.h>
#include <string.h>

static const char *const texts[] = {
    "The children are playing in the garden because the weather is so nice today.",
    "Where is the train station?",
    "She did not want to go home, but it was already late.",
};
enum { N_TEXTS = G_N_ELEMENTS(texts) };

static mt_changes *
parse(const char *text)
{
  mt_error error = {0};
  mt_changes *changes = mt_changes_parse(text, &error);
  g_assert_cmpstr(error.message, ==, "");
  return changes;
}

static void
test_text(void)
{
  static const struct {
    const char *text, *canonical;
    size_t n;
  } rows[] = {
      {"", "", 0},
      {" \n\t\n", "", 0},
      {"encoder window 2", "encoder window 2", 1},
      {"  decoder\t*  window   007 \r\n", "decoder window 7", 1},
      {"encoder *.* window 1", "encoder window 1", 1},
      {"encoder 2 window 3\n\nencoder 2-2.* window 3", "encoder 2 window 3\nencoder 2 window 3", 2},
      {"decoder *.3 window 1\nencoder 1-4.2-3 window 4294967295",
       "decoder *.3 window 1\nencoder 1-4.2-3 window 4294967295", 2},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    mt_changes *a = parse(rows[i].text), *b = parse(mt_changes_text(a));
    g_assert_cmpstr(mt_changes_text(a), ==, rows[i].canonical);
    g_assert_cmpuint(mt_changes_count(a), ==, rows[i].n);
    g_assert_true(mt_changes_equal(a, b));
    g_assert_cmpuint(mt_changes_hash(a), ==, mt_changes_hash(b));
    for (gsize k = 0; k < G_N_ELEMENTS(rows); k++) {
      mt_changes *other = parse(rows[k].text);
      bool is_same = strcmp(rows[i].canonical, rows[k].canonical) == 0;
      g_assert_true(mt_changes_equal(a, other) == is_same);
      g_assert_true((mt_changes_hash(a) == mt_changes_hash(other)) == is_same);
      mt_changes_unref(other);
    }
    mt_changes_unref(a);
    mt_changes_unref(b);
  }
  mt_changes *empty = parse("");
  g_assert_true(mt_changes_equal(NULL, empty));
  g_assert_cmpuint(mt_changes_hash(NULL), ==, mt_changes_hash(empty));
  mt_changes_unref(empty);
}

static void
test_mistakes(void)
{
  static const struct {
    const char *text, *said;
  } rows[] = {
      {"encodr window 2", "Line 1 of the changes: expected encoder, decoder or cross, found "
                          "\"encodr\"."},
      {"encoder window 2\nencoder", "Line 2 of the changes: expected a change such as \"window "
                                    "2\", found its end."},
      {"encoder windw 2", "found \"windw\""},
      {"encoder window", "expected a whole number from 1 on, found its end"},
      {"encoder window 0", "found \"0\""},
      {"encoder window -1", "found \"-1\""},
      {"encoder window 2x", "found \"2x\""},
      {"encoder window 99999999999999999999", "found \"99999999999999999999\""},
      {"encoder window 2 3", "expected the end of the line, found \"3\""},
      {"encoder 0 window 2", "found \"0\""},
      {"encoder 3-2 window 2", "found \"3-2\""},
      {"encoder 1. window 2", "found \"1.\""},
      {"encoder 1.2.3 window 2", "found \"1.2.3\""},
      {"cross window 2", "expected a change that can be made there, found \"window\""},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    mt_error error = {0};
    g_assert_null(mt_changes_parse(rows[i].text, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_nonnull(strstr(error.message, rows[i].said));
  }
}

static int allocations_left;

static bool
fail_once(size_t bytes)
{
  return allocations_left-- != 0;
}

static void
test_no_memory(void)
{
  for (int n = 0;; n++) {
    mt_error error = {0};
    allocations_left = n;
    mt_alloc_set_hook(fail_once);
    mt_changes *changes = mt_changes_parse("encoder window 2", &error);
    mt_alloc_set_hook(NULL);
    g_assert_cmpint(error.code, ==, changes ? MT_OK : MT_ERROR_NO_MEMORY);
    if (changes) {
      g_assert_cmpint(n, ==, 3);
      mt_changes_unref(changes);
      break;
    }
  }
}

/* ---- In the model ------------------------------------------------------------------------------
 */

typedef struct {
  mt_session *of_model;
  size_t n_asked, n_results;
  size_t n_beams;
} job;

static mt_search_params
params_of(const mt_model *model, size_t n_beams)
{
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = n_beams;
  return params;
}

static mt_translation *
translate(mt_session *session, const char *text, size_t n_beams, const mt_hooks *hooks)
{
  mt_error error = {0};
  mt_search_params params = params_of(mt_session_model(session), n_beams);
  mt_translation *t = mt_session_translate(session, text, &params, hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return t;
}

static mt_capture *
capture(mt_session *session, const mt_translation *t, const mt_hooks *hooks)
{
  mt_error error = {0};
  mt_capture *c = mt_session_capture(session, t, 0, 0, hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return c;
}

static void
assert_same_translation(const mt_translation *a, const mt_translation *b)
{
  const mt_hypothesis *x = mt_translation_hypothesis(a, 0), *y = mt_translation_hypothesis(b, 0);
  size_t n = mt_tokens_count(x->tokens);
  g_assert_cmpstr(x->text, ==, y->text);
  g_assert_cmpmem(x->logprobs, n * sizeof(float), y->logprobs,
                  mt_tokens_count(y->tokens) * sizeof(float));
}

static void
assert_same_weights(const mt_capture *a, const mt_capture *b)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    mt_matrix x = mt_capture_weights(a, kind, 0, 0), y = mt_capture_weights(b, kind, 0, 0);
    size_t n = mt_capture_n_layers(a, kind) * mt_capture_n_heads(a, kind) * x.rows * x.cols;
    g_assert_cmpmem(x.data, n * sizeof(float), y.data, n * sizeof(float));
  }
  g_assert_cmpmem(mt_capture_logprobs(a), mt_tokens_count(mt_capture_output(a)) * sizeof(float),
                  mt_capture_logprobs(b), mt_tokens_count(mt_capture_output(b)) * sizeof(float));
}

static const char *
next(void *user)
{
  job *j = user;
  return j->n_asked < N_TEXTS ? texts[j->n_asked++] : NULL;
}

static void
on_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  job *j = user;
  g_assert_null(error);
  mt_translation *alone = translate(j->of_model, texts[i], j->n_beams, NULL);
  assert_same_translation(translation, alone);
  mt_translation_unref(alone);
  j->n_results++;
}

/* The model's attention_window and rows of a list are the same: bit for bit, with a draft and
 * without, kept while translating or not, scored, and many at a time. */
static void
test_window(void)
{
  mt_error error = {0};
  mt_model *with = bundled_with_key("\"attention_window\": 3");
  mt_model *without = bundled_with_key("\"attention_window\": 0");
  mt_session_options options = {.n_threads = 2, .keeps_attention = true};
  mt_session *a = mt_session_new(with, &options, &error);
  mt_session *b = mt_session_new(without, &options, &error);
  mt_session *plain = mt_session_new(without, NULL, &error);
  mt_changes *changes = parse("encoder window 3\ndecoder window 3");
  mt_hooks hooks = {.changes = changes};
  for (size_t n_beams = 1; n_beams <= 4; n_beams += 3) {
    for (size_t i = 0; i < N_TEXTS; i++)
      for (int again = 0; again < 2; again++) {
        mt_translation *x = translate(a, texts[i], n_beams, NULL);
        mt_translation *y = translate(b, texts[i], n_beams, &hooks);
        mt_translation *z = translate(plain, texts[i], n_beams, NULL);
        assert_same_translation(x, y);
        g_assert_cmpfloat(mt_translation_hypothesis(x, 0)->score, !=,
                          mt_translation_hypothesis(z, 0)->score);
        mt_capture *c = capture(a, x, NULL), *d = capture(b, y, &hooks);
        assert_same_weights(c, d);
        /* A translation with changes, looked at without them, is computed anew. */
        mt_capture *e = capture(b, y, NULL), *f = capture(plain, y, NULL);
        assert_same_weights(e, f);
        g_assert_cmpfloat(mt_capture_logprobs(e)[0], !=, mt_capture_logprobs(d)[0]);
        mt_capture_unref(c);
        mt_capture_unref(d);
        mt_capture_unref(e);
        mt_capture_unref(f);
        mt_translation_unref(x);
        mt_translation_unref(y);
        mt_translation_unref(z);
      }
    job j = {.of_model = a, .n_beams = n_beams};
    mt_search_params params = params_of(without, n_beams);
    mt_texts many = {.next = next, .on_result = on_result, .user = &j, .hooks = &hooks};
    g_assert_true(mt_session_translate_many(b, &many, &params, &error));
    g_assert_cmpuint(j.n_results, ==, N_TEXTS);
  }
  mt_translation *x = mt_session_score(a, texts[1], "Wo ist der Bahnhof?", -1, NULL, &error);
  mt_translation *y = mt_session_score(b, texts[1], "Wo ist der Bahnhof?", -1, &hooks, &error);
  assert_same_translation(x, y);
  mt_translation_unref(x);
  mt_translation_unref(y);
  mt_changes_unref(changes);
  mt_session_free(a);
  mt_session_free(b);
  mt_session_free(plain);
  mt_model_unref(with);
  mt_model_unref(without);
}

/* Only where it says. */
static void
test_where(void)
{
  mt_error error = {0};
  mt_model *model = bundled_with_key("\"attention_window\": 0");
  mt_session *session = mt_session_new(model, NULL, &error);
  mt_translation *t = translate(session, texts[0], 1, NULL);
  mt_changes *changes = parse("encoder 2.3 window 1");
  mt_hooks hooks = {.changes = changes};
  mt_capture *c = capture(session, t, &hooks), *plain = capture(session, t, NULL);
  for (size_t head = 0; head < mt_capture_n_heads(c, MT_ENCODER_SELF); head++) {
    mt_matrix x = mt_capture_weights(c, MT_ENCODER_SELF, 1, head);
    mt_matrix y = mt_capture_weights(plain, MT_ENCODER_SELF, 1, head);
    if (head == 2)
      g_assert_true(x.data[2] == 0 && y.data[2] > 0);
    else
      g_assert_cmpmem(x.data, x.rows * x.cols * sizeof(float), y.data,
                      y.rows * y.cols * sizeof(float));
  }
  mt_capture_unref(c);
  mt_capture_unref(plain);
  mt_changes_unref(changes);

  /* What the model does not have is an error wherever a list can be given. */
  static const char *const beyond[] = {"decoder 99 window 2", "encoder *.1-99 window 2"};
  for (gsize i = 0; i < G_N_ELEMENTS(beyond); i++) {
    changes = parse(beyond[i]);
    hooks.changes = changes;
    job j = {0};
    mt_texts many = {.next = next, .on_result = on_result, .user = &j, .hooks = &hooks};
    for (int what = 0; what < 4; what++) {
      error = (mt_error){0};
      g_assert_false(what == 0 ? mt_session_translate(session, "Yes.", NULL, &hooks, &error) != NULL
                     : what == 1
                         ? mt_session_score(session, "Yes.", "Ja.", -1, &hooks, &error) != NULL
                     : what == 2 ? mt_session_capture(session, t, 0, 0, &hooks, &error) != NULL
                                 : mt_session_translate_many(session, &many, NULL, &error));
      g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
      g_assert_nonnull(strstr(error.message, beyond[i]));
      g_assert_nonnull(strstr(error.message, "99"));
    }
    mt_changes_unref(changes);
  }
  mt_translation_unref(t);
  mt_session_free(session);
  mt_model_unref(model);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/changes/text", test_text);
  g_test_add_func("/changes/mistakes", test_mistakes);
  g_test_add_func("/changes/no-memory", test_no_memory);
  g_test_add_func("/changes/window", test_window);
  g_test_add_func("/changes/where", test_where);
  return g_test_run();
}
