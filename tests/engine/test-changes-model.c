/* test-changes-model.c — changes change what they say, and alike in every way that there is to
 * translate: with drafts and recordings, in beams, for many texts, with any number of threads, with
 * rounded weights, scored and captured.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "model-with-key.h"
#include "sentences.h"
#include "suite.h"
#include "text/mt-tokens.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static const char *const texts[] = {
    "The children are playing in the garden because the weather is so nice today.",
    "Where is the train station?",
    "She did not want to go home, but it was already late.",
};
enum { N_TEXTS = G_N_ELEMENTS(texts) };

static mt_model *model, *rounded;
static gboolean takes_turns; /* greedy and beam search, from list to list; else minutes go by */

/* ---- The model's own window --------------------------------------------------------------------
 */

/* The model's attention_window and rows of a list are the same: bit for bit, with a draft and
 * without, kept while translating or not, scored, and many at a time. */
static void
test_window(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) with = model_with_key("tests/data/frozen/en-de", "\"attention_window\": 3");
  g_autoptr(mt_session) a = sentences_session(with, 2, true), b = sentences_session(model, 2, true);
  g_autoptr(mt_session) plain = sentences_session(model, 0, false);
  g_autoptr(mt_interventions) interventions = sentences_parse("encoder window 3\ndecoder window 3");
  mt_hooks hooks = {.interventions = interventions};
  for (size_t n_beams = 1; n_beams <= 4; n_beams += 3) {
    for (size_t i = 0; i < N_TEXTS; i++)
      for (int again = 0; again < 2; again++) {
        mt_translation *x = sentences_translate(a, texts[i], n_beams, NULL);
        mt_translation *y = sentences_translate(b, texts[i], n_beams, &hooks);
        g_autoptr(mt_translation) z = sentences_translate(plain, texts[i], n_beams, NULL);
        sentences_assert_same(x, y);
        g_assert_cmpfloat(mt_translation_hypothesis(x, 0)->score, !=,
                          mt_translation_hypothesis(z, 0)->score);
        g_autoptr(mt_capture) c = sentences_capture(a, x, NULL),
                              d = sentences_capture(b, y, &hooks);
        sentences_assert_same_capture(c, d);
        /* A translation with changes, looked at without them, is computed anew. */
        g_autoptr(mt_capture) e = sentences_capture(b, y, NULL),
                              f = sentences_capture(plain, y, NULL);
        sentences_assert_same_capture(e, f);
        g_assert_cmpfloat(mt_capture_logprobs(e)[0], !=, mt_capture_logprobs(d)[0]);
        mt_translation_unref(x);
        mt_translation_unref(y);
      }
    mt_translation *many[N_TEXTS];
    sentences_translate_many(b, texts, N_TEXTS, n_beams, &hooks, many);
    for (size_t i = 0; i < N_TEXTS; i++) {
      g_autoptr(mt_translation) alone = sentences_translate(a, texts[i], n_beams, NULL);
      sentences_assert_same(many[i], alone);
      mt_translation_unref(many[i]);
    }
  }
  mt_translation *x = mt_session_score(a, texts[1], "Wo ist der Bahnhof?", -1, NULL, &error);
  mt_translation *y = mt_session_score(b, texts[1], "Wo ist der Bahnhof?", -1, &hooks, &error);
  sentences_assert_same(x, y);
  mt_translation_unref(x);
  mt_translation_unref(y);
}

/* ---- Kind by kind, against a hook that does the same -------------------------------------------
 */

typedef struct {
  bool is_there;
  mt_hook_point hook_point;
  mt_attention_kind kind;
  int layer, head; /* -1: all */
  size_t query;    /* SIZE_MAX: all */
  size_t key;      /* of scores that become -infinity; SIZE_MAX: those that are not become 0 … */
  float factor;    /* … or of a context */
} rule;

static void
on_probe(void *user, const mt_editable_activation *probe)
{
  for (const rule *r = user; r->is_there; r++) {
    if (probe->hook_point != r->hook_point || probe->kind != r->kind ||
        (r->layer >= 0 && r->layer != probe->layer) || (r->head >= 0 && r->head != probe->head))
      continue;
    for (size_t i = 0; i < probe->rows; i++) {
      float *row = probe->data + i * probe->stride;
      if (probe->hook_point == MT_HOOK_CONTEXT)
        for (size_t k = 0; k < probe->cols; k++)
          row[k] *= r->factor;
      else if (r->query != SIZE_MAX && r->query != probe->first_row + i)
        continue;
      else if (r->key == SIZE_MAX)
        for (size_t k = 0; k < probe->cols; k++)
          row[k] = isinf(row[k]) ? row[k] : 0;
      else if (r->key < probe->cols)
        row[r->key] = -INFINITY;
    }
  }
}

#define SCALE(kind, layer, head, factor)                                 \
  {                                                                      \
    true, MT_HOOK_CONTEXT, kind, layer, head, SIZE_MAX, SIZE_MAX, factor \
  }
#define HIDE(kind, layer, head, query, key)                \
  {                                                        \
    true, MT_HOOK_SCORES, kind, layer, head, query, key, 0 \
  }
#define UNIFORM(kind, layer, head, query) HIDE(kind, layer, head, query, SIZE_MAX)
static const struct {
  const char *text;
  rule rules[4];
} cases[] = {
    {"cross 4.1 scale 0.5", {SCALE(MT_CROSS, 3, 0, 0.5f)}},
    {"encoder *.3 scale -2.25", {SCALE(MT_ENCODER_SELF, -1, 2, -2.25f)}},
    {"decoder 2.* scale 0", {SCALE(MT_DECODER_SELF, 1, -1, 0)}},
    {"cross 4.1 zero", {SCALE(MT_CROSS, 3, 0, 0)}},
    {"encoder 2 zero", {SCALE(MT_ENCODER_SELF, 1, -1, 0)}},
    {"source 3 hide",
     {HIDE(MT_ENCODER_SELF, -1, -1, SIZE_MAX, 2), HIDE(MT_CROSS, -1, -1, SIZE_MAX, 2)}},
    {"cross 5.2 key 1-2 hide",
     {HIDE(MT_CROSS, 4, 1, SIZE_MAX, 0), HIDE(MT_CROSS, 4, 1, SIZE_MAX, 1)}},
    {"decoder query 3 key 1 hide", {HIDE(MT_DECODER_SELF, -1, -1, 2, 0)}},
    {"cross 4.1 uniform", {UNIFORM(MT_CROSS, 3, 0, SIZE_MAX)}},
    {"decoder 2 uniform", {UNIFORM(MT_DECODER_SELF, 1, -1, SIZE_MAX)}},
    {"cross query 2 uniform\nsource 3 hide",
     {UNIFORM(MT_CROSS, -1, -1, 1), HIDE(MT_ENCODER_SELF, -1, -1, SIZE_MAX, 2),
      HIDE(MT_CROSS, -1, -1, SIZE_MAX, 2)}},
    {"encoder 1 key 2 hide\ncross 4-4.1 scale 0.5\nencoder *.3 scale 3",
     {HIDE(MT_ENCODER_SELF, 0, -1, SIZE_MAX, 1), SCALE(MT_CROSS, 3, 0, 0.5f),
      SCALE(MT_ENCODER_SELF, -1, 2, 3)}},
};

/* One translation with changes: what a hook makes of the same text, what its scoring and its
 * capture say, and that it is not what the model says without. */
static void
check_single(const mt_hooks *changed, const mt_hooks *hooked, const char *text, size_t n_beams)
{
  mt_error error = {0};
  g_autoptr(mt_session) usual = sentences_session(model, 3, true),
                        guesser = sentences_guesser(model, 2, true),
                        b = sentences_session(model, 1, false);
  g_autoptr(mt_translation) plain = sentences_translate(b, text, n_beams, NULL);
  g_autoptr(mt_translation) expected = sentences_translate(b, text, n_beams, hooked);
  /* With the draft of the first; then with guesses in int8. */
  for (int again = 0; again < (n_beams == 1 ? 4 : 2); again++) {
    mt_session *a = again < 2 ? usual : guesser;
    g_autoptr(mt_translation) t = sentences_translate(a, text, n_beams, changed);
    sentences_assert_same(t, expected);
    g_assert_cmpfloat(mt_translation_hypothesis(t, 0)->score, !=,
                      mt_translation_hypothesis(plain, 0)->score);
    g_assert_true(mt_interventions_equal(mt_translation_interventions(t), changed->interventions));
    g_autoptr(mt_capture) kept = sentences_capture(a, t, changed),
                          pass = sentences_capture(b, t, hooked);
    sentences_assert_near_capture(kept, pass, 2e-5);
    g_assert_true(mt_interventions_equal(mt_capture_interventions(kept), changed->interventions));
    mt_translation *score =
        mt_session_score(b, text, mt_translation_hypothesis(t, 0)->text, -1, changed, &error);
    mt_translation *scored =
        mt_session_score(a, text, mt_translation_hypothesis(t, 0)->text, -1, hooked, &error);
    sentences_assert_same(score, scored);
    mt_translation_unref(score);
    mt_translation_unref(scored);
  }
}

static void
check_many(mt_model *of, const mt_hooks *changed, size_t n_beams)
{
  g_autoptr(mt_session) session = sentences_session(of, 2, false);
  mt_translation *many[N_TEXTS];
  sentences_translate_many(session, texts, N_TEXTS, n_beams, changed, many);
  for (size_t i = 0; i < N_TEXTS; i++) {
    g_autoptr(mt_translation) alone = sentences_translate(session, texts[i], n_beams, changed);
    sentences_assert_same(many[i], alone);
    g_assert_true(
        mt_interventions_equal(mt_translation_interventions(many[i]), changed->interventions));
    mt_translation_unref(many[i]);
  }
}

static void
test_kinds(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i += suite_stride(1, 5)) {
    g_autoptr(mt_interventions) interventions = sentences_parse(cases[i].text);
    mt_hooks changed = {.interventions = interventions};
    mt_hooks hooked = {.on_probe = on_probe, .user = (void *) cases[i].rules};
    for (const rule *r = cases[i].rules; r->is_there; r++)
      hooked.hook_points |= MT_HOOK_POINT_BIT(r->hook_point);
    for (size_t n_beams = 1; n_beams <= 4; n_beams += 3) {
      if (takes_turns && (n_beams == 1) == (i % 2 == 0))
        continue;
      check_single(&changed, &hooked, texts[i % N_TEXTS], n_beams);
      check_many(n_beams == 1 ? model : rounded, &changed, n_beams);
    }
  }
}

/* ---- Sub-layers without the stream --------------------------------------------------------------
 */

/* What stood in the stream before a sub-layer is taken away from what it makes, so that the sum is
 * what it makes; and what the sum and the sub-layer's output are is kept. */
typedef struct {
  float *stream; /* [rows][d] of the stack that is computed */
  gsize n;
  bool takes_away;
  float *made, *after; /* of the place that is changed: the output, and the stream behind it */
  gsize n_made, n_after;
} alone_run;

#define ALONE_KIND  MT_ENCODER_SELF
#define ALONE_LAYER 0

static float *
copy_probe(const mt_editable_activation *probe, gsize *n)
{
  *n = probe->rows * probe->cols;
  float *copy = g_new(float, *n);
  for (size_t r = 0; r < probe->rows; r++)
    memcpy(copy + r * probe->cols, probe->data + r * probe->stride, probe->cols * sizeof *copy);
  return copy;
}

static void
on_alone(void *user, const mt_editable_activation *probe)
{
  alone_run *run = user;
  const bool is_there = probe->kind == ALONE_KIND && probe->layer == ALONE_LAYER;
  switch (probe->hook_point) {
  case MT_HOOK_STREAM:
  case MT_HOOK_RESIDUAL:
  case MT_HOOK_LAYER_OUTPUT:
    g_free(run->stream);
    run->stream = copy_probe(probe, &run->n);
    if (is_there && probe->hook_point == MT_HOOK_RESIDUAL) {
      g_free(run->after);
      run->after = copy_probe(probe, &run->n_after);
    }
    break;
  case MT_HOOK_NORM_INPUT: /* in post-norm models, what the norm reads */
    if (is_there && run->made) {
      g_free(run->after);
      run->after = copy_probe(probe, &run->n_after);
    }
    break;
  default: /* ATTENTION_OUTPUT */
    if (!is_there)
      break;
    g_free(run->made);
    run->made = copy_probe(probe, &run->n_made);
    g_assert_cmpuint(run->n, ==, run->n_made);
    for (size_t r = 0; run->takes_away && r < probe->rows; r++)
      for (size_t i = 0; i < probe->cols; i++)
        probe->data[r * probe->stride + i] -= run->stream[r * probe->cols + i];
  }
}

static double
score_alone(mt_model *of, const char *text, const char *target, const mt_interventions *changes,
            alone_run *run)
{
  mt_error error = {0};
  const bool is_pre = mt_model_config(of)->normalize_before;
  const mt_hooks hooks = {
      .interventions = changes,
      .hook_points = MT_HOOK_POINT_BIT(MT_HOOK_STREAM) | MT_HOOK_POINT_BIT(MT_HOOK_LAYER_OUTPUT) |
                     MT_HOOK_POINT_BIT(MT_HOOK_ATTENTION_OUTPUT) |
                     MT_HOOK_POINT_BIT(MT_HOOK_RESIDUAL) |
                     (is_pre ? 0 : MT_HOOK_POINT_BIT(MT_HOOK_NORM_INPUT)),
      .on_probe = on_alone,
      .user = run,
  };
  g_autoptr(mt_session) session = sentences_session(of, 1, false);
  g_autoptr(mt_translation) t = mt_session_score(session, text, target, -1, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return mt_translation_hypothesis(t, 0)->sum_logprob;
}

static void
alone_clear(alone_run *run)
{
  g_free(run->stream);
  g_free(run->made);
  g_free(run->after);
}

/* The stream behind a sub-layer that is alone is what it makes, number by number: in a post-norm
 * model what its norm reads, in others the stream itself. So it is when a hook takes the stream
 * away, but for rounding; and it is another translation. */
static void
test_alone(void)
{
  static const char *const folders[] = {
      "tests/data/frozen/en-de",
      "tests/data/checkpoints/pre-norm-gelu-learned",
      "tests/data/checkpoints/bart-tiny",
      "tests/data/checkpoints/pegasus-tiny",
      "tests/data/checkpoints/t5-gated-tiny",
  };
  g_autoptr(mt_interventions) alone = sentences_parse("encoder attention 1 alone");
  for (gsize f = 0; f < G_N_ELEMENTS(folders); f++) {
    g_autoptr(mt_model) of = sentences_model(folders[f]);
    const bool is_pre = mt_model_config(of)->normalize_before;
    alone_run changed = {0}, hooked = {.takes_away = true}, plain = {0};
    const double a = score_alone(of, "the cat sat", "cat", alone, &changed),
                 b = score_alone(of, "the cat sat", "cat", NULL, &hooked),
                 c = score_alone(of, "the cat sat", "cat", NULL, &plain);
    g_test_message("%s: %g, %g by hook, %g without", folders[f], a, b, c);
    g_assert_cmpfloat(fabs(a - b), <, 1e-4 * MAX(fabs(b), 1));
    g_assert_cmpfloat(fabs(a - c), >, 1e-6);
    g_assert_cmpuint(changed.n_made, ==, changed.n_after);
    for (gsize i = 0; is_pre && i < changed.n_made; i++)
      g_assert_cmpfloat(changed.made[i], ==, changed.after[i]);
    alone_clear(&changed);
    alone_clear(&hooked);
    alone_clear(&plain);
  }
}

static void
look_only(void *user, const mt_editable_activation *probe)
{
  (void) user;
  (void) probe;
}

/* The others, each by itself and some together: with a draft and without, in beams, with more
 * threads, many at a time, with rounded weights, kept, captured and scored they are the same. What
 * they are is compared with transformers in test-golden-changes.c. */
static void
test_ways(void)
{
  static const char *const lists[] = {
      "encoder 2.3 diagonal\ndecoder 6 previous\ncross 4.1 next",
      "cross 4.1 temperature 0.5\ndecoder 6.2 query 1-3 temperature 3",
      "cross 4-6 query 3 key 5 add 2\nencoder key 1 add -1",
      "cross 6 query 2 key 1 set 0.5\ndecoder 5 key 1-2 set 0.4\nencoder 1 query 2 key 2 set 1",
      "cross 6.1-4 key 2 put 0.75\nencoder 3.2 key 1 put 0\ndecoder 4 key 2 put 1",
      "cross 4.1 copy 3\ndecoder 1-6.1-4 copy 8\nencoder 2.2 copy 1\nencoder 2.1 copy 3",
      "encoder 2.* unscaled\ndecoder 3 unscaled\ncross 1.1 unscaled",
      "encoder 2.1 cosine\ndecoder 5 cosine\ncross 4 cosine",
      "source 2 zero\nsource 3 piece 17",
      "source position * zero\ntarget position 2 zero",
      "source position 2 shift 4\ntarget position * shift -3\nsource position 1 swap 3",
      "source position * interleave\ntarget position 2-5 interleave\ntarget position 3 as 9",
      "encoder attention 2 skip\ndecoder feed-forward 3 scale 0.5\ncross attention 4 scale 1.5",
      "encoder attention 5 alone\ndecoder feed-forward 6 alone\ncross attention 2 alone",
      "encoder layer 2 swap 4\ndecoder layer 1 swap 2\ndecoder layer 2 swap 3",
      "cross 4.1 copy 3\ncross 4.1 key 2 set 0.25\nsource 3 hide\ndecoder layer 5 swap 6\n"
      "source position 2 swap 3",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(lists); i += suite_stride(1, 2)) {
    g_autoptr(mt_interventions) interventions = sentences_parse(lists[i]);
    mt_hooks changed = {.interventions = interventions};
    mt_hooks watched = {.interventions = interventions,
                        .hook_points =
                            MT_HOOK_POINT_BIT(MT_HOOK_CONTEXT) | MT_HOOK_POINT_BIT(MT_HOOK_SCORES),
                        .on_probe = look_only};
    for (size_t n_beams = 1; n_beams <= 4; n_beams += 3)
      if (!takes_turns || (n_beams == 1) == (i % 2 == 0))
        check_single(&changed, &watched, texts[i % N_TEXTS], n_beams);
    check_many(i % 2 ? rounded : model, &changed, i % 2 ? 4 : 1);
  }
}

/* Rows whose weights were set say what they are: no scores do, unless those before were kept. */
static void
test_set(void)
{
  mt_error error = {0};
  mt_interventions *interventions =
      sentences_parse("cross 2.3 query 2 key 3 set 0.25\ncross 2.4 query 2 key 3 put 0.25\n"
                      "decoder 1.1 query 2 key 1-4 set 0.25\nencoder 1.1 key 2 hide\n"
                      "encoder 1.1 key 2 put 1");
  mt_hooks hooks = {.interventions = interventions};
  g_autoptr(mt_session) session = sentences_session(model, 2, true);
  g_autoptr(mt_translation) t = sentences_translate(session, texts[1], 4, &hooks);
  g_autoptr(mt_capture) kept = sentences_capture(session, t, &hooks);
  g_autoptr(mt_capture) full = mt_session_capture(session, t, 0, MT_CAPTURE_SCORES, &hooks, &error);
  g_autofree char *dir = g_dir_make_tmp("changes-XXXXXX", NULL);
  g_autofree char *file = g_build_filename(dir, "set.npz", NULL);
  g_assert_true(mt_capture_write_npz(kept, file, NULL, &error));
  g_autoptr(mt_capture) read = mt_capture_read_npz(file, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_remove(file);
  g_rmdir(dir);
  for (size_t head = 2; head <= 3; head++)
    for (size_t row = 0; row < 3; row++) {
      mt_matrix w = mt_capture_weights(kept, MT_CROSS, 1, head);
      double sum = 0, rest = 0;
      for (size_t i = 0; i < w.cols; i++) {
        sum += (double) mt_matrix_at(&w, row, i);
        rest += i == 2 ? 0 : (double) mt_matrix_at(&w, row, i);
        float score = mt_capture_score_at(kept, MT_CROSS, 1, head, row, i);
        g_assert_true(!isnan(score) == (row != 1));
        score = mt_capture_score_at(read, MT_CROSS, 1, head, row, i);
        g_assert_true(!isnan(score) == (row != 1));
        g_assert_true(isfinite(mt_capture_score_at(full, MT_CROSS, 1, head, row, i)));
      }
      if (row == 1)
        g_assert_cmpfloat(mt_matrix_at(&w, row, 2), ==, 0.25f);
      if (row != 1 || head == 2)
        g_assert_cmpfloat(fabs(sum - 1), <, 1e-5);
      else
        g_assert_cmpfloat(fabs(sum - rest - 0.25), <, 1e-5);
    }
  /* A mask holds: of four keys the second query sees two, and has them all. */
  mt_matrix w = mt_capture_weights(kept, MT_DECODER_SELF, 0, 0);
  g_assert_cmpfloat(mt_matrix_at(&w, 1, 0), ==, 0.25f);
  g_assert_cmpfloat(mt_matrix_at(&w, 1, 1), ==, 0.25f);
  g_assert_cmpfloat(mt_matrix_at(&w, 1, 2), ==, 0);
  w = mt_capture_weights(kept, MT_ENCODER_SELF, 0, 0);
  g_assert_cmpfloat(mt_matrix_at(&w, 0, 1), ==, 0);
  g_assert_true(mt_capture_is_masked(kept, MT_ENCODER_SELF, 0, 0, 0, 1));
  mt_interventions_unref(interventions);
}

/* ---- Order -------------------------------------------------------------------------------------
 */

typedef struct {
  size_t rows, cols;
  float *data;
} stack_output;

static void
keep_output(void *user, const mt_activation_view *view)
{
  stack_output *out = user;
  g_free(out->data);
  out->rows = view->rows;
  out->cols = view->cols;
  out->data = g_new(float, view->rows * view->cols);
  for (size_t r = 0; r < view->rows; r++)
    memcpy(out->data + r * view->cols, view->data + r * view->stride,
           view->cols * sizeof *out->data);
}

static mt_translation *
encode(mt_session *session, const char *text, const mt_interventions *interventions,
       stack_output *out)
{
  static const mt_activation_requests requests = {.n = 1,
                                                  .requests = {{MT_HOOK_STACK_OUTPUT,
                                                                MT_KIND_BIT(MT_ENCODER_SELF),
                                                                MT_ALL_LAYERS, MT_ALL_HEADS}}};
  const mt_hooks hooks = {.requests = &requests,
                          .callback = {keep_output, out, false},
                          .interventions = interventions};
  *out = (stack_output){0};
  return sentences_translate(session, text, 1, &hooks);
}

/* Without any encodings of positions the encoder does not know who goes where: what it makes of the
 * same words in another order is the same, in that order. */
static void
test_permutation(void)
{
  g_autoptr(mt_session) session = sentences_session(model, 2, false);
  for (int is_off = 0; is_off < 2; is_off++) {
    g_autoptr(mt_interventions) interventions =
        sentences_parse(is_off ? "source position * zero" : "");
    stack_output a, b;
    g_autoptr(mt_translation) x = encode(session, "I go from Berlin to Paris.", interventions, &a);
    g_autoptr(mt_translation) y = encode(session, "I go from Paris to Berlin.", interventions, &b);
    const mt_tokens *source = mt_translation_source(x), *other = mt_translation_source(y);
    size_t n = mt_tokens_count(source);
    double most = 0;
    g_assert_cmpuint(n, ==, mt_tokens_count(other));
    g_assert_cmpuint(n, ==, a.rows);
    for (size_t i = 0; i < n; i++) {
      size_t k = 0;
      while (k < n && mt_tokens_ids(other)[k] != mt_tokens_ids(source)[i])
        k++;
      g_assert_cmpuint(k, <, n);
      for (size_t c = 0; c < a.cols; c++)
        most = fmax(most, fabs((double) a.data[i * a.cols + c] - (double) b.data[k * b.cols + c]));
    }
    if (is_off)
      g_assert_cmpfloat(most, <, 2e-5);
    else
      g_assert_cmpfloat(most, >, 0.01);
    g_free(a.data);
    g_free(b.data);
  }
}

/* What a translation's positions are kept as is what was added. */
static void
test_positions(void)
{
  g_autoptr(mt_interventions) interventions =
      sentences_parse("source position 2 zero\nsource position 1 swap 3");
  mt_hooks hooks = {.interventions = interventions};
  g_autoptr(mt_session) session = sentences_session(model, 2, true),
                        other = sentences_session(model, 1, false);
  g_autoptr(mt_translation) t = sentences_translate(session, texts[1], 1, &hooks);
  g_autoptr(mt_capture) kept = sentences_capture(session, t, &hooks);
  g_autoptr(mt_capture) pass = sentences_capture(other, t, &hooks),
                        plain = sentences_capture(other, t, NULL);
  for (int s = 0; s < MT_N_STACKS; s++) {
    mt_matrix x = mt_capture_positions(kept, s), y = mt_capture_positions(pass, s);
    g_assert_cmpmem(x.data, x.rows * x.cols * sizeof(float), y.data,
                    y.rows * y.cols * sizeof(float));
  }
  mt_matrix x = mt_capture_positions(kept, MT_STACK_ENCODER);
  mt_matrix y = mt_capture_positions(plain, MT_STACK_ENCODER);
  for (size_t c = 0; c < x.cols; c++) {
    g_assert_cmpfloat(mt_matrix_at(&x, 1, c), ==, 0);
    g_assert_cmpfloat(mt_matrix_at(&x, 0, c), ==, mt_matrix_at(&y, 2, c));
    g_assert_cmpfloat(mt_matrix_at(&x, 2, c), ==, mt_matrix_at(&y, 0, c));
  }
}

/* What changes nothing changes no bit: a list without any, scale 1, a window for everything, tokens
 * that are not reached. */
static void
test_nothing(void)
{
  static const char *const nothing[] = {"",
                                        "encoder scale 1\ncross scale 1\ndecoder scale 1",
                                        "encoder window 500",
                                        "decoder key 400 hide",
                                        "cross temperature 1\ndecoder key 2 add 0",
                                        "decoder 1.1 copy 1",
                                        "encoder attention scale 1\ndecoder feed-forward scale 1",
                                        "encoder layer 2 swap 4\nencoder layer 4 swap 2",
                                        "source position shift 3\nsource position shift -3",
                                        "source position 1 swap 2\nsource position 2 swap 1",
                                        "source position 1 zero\nsource position 1 as 1\n"
                                        "source position shift 0\ntarget position 400 zero"};
  g_autoptr(mt_session) session = sentences_session(model, 2, true),
                        plain = sentences_session(model, 2, true);
  for (gsize i = 0; i < G_N_ELEMENTS(nothing); i++) {
    g_autoptr(mt_interventions) interventions = sentences_parse(nothing[i]);
    mt_hooks hooks = {.interventions = interventions};
    g_autoptr(mt_translation) x = sentences_translate(session, texts[0], 4, &hooks);
    g_autoptr(mt_translation) y = sentences_translate(plain, texts[0], 4, NULL);
    g_autoptr(mt_capture) c = sentences_capture(session, x, &hooks),
                          d = sentences_capture(plain, y, NULL);
    sentences_assert_same(x, y);
    sentences_assert_same_capture(c, d);
  }
}

/* All keys hidden: nothing is attended to, and no number is invented. */
static void
test_blind(void)
{
  g_autoptr(mt_session) session = sentences_session(model, 2, true);
  g_autoptr(mt_translation) plain = sentences_translate(session, texts[1], 4, NULL);
  g_autofree char *text =
      g_strdup_printf("cross 2.3 key 1-%zu hide", mt_tokens_count(mt_translation_source(plain)));
  g_autoptr(mt_interventions) interventions = sentences_parse(text);
  mt_hooks hooks = {.interventions = interventions};
  g_autoptr(mt_translation) t = sentences_translate(session, texts[1], 4, &hooks);
  g_autoptr(mt_capture) kept = sentences_capture(session, t, &hooks);
  g_autoptr(mt_session) other = sentences_session(model, 1, false);
  g_autoptr(mt_capture) pass = sentences_capture(other, t, &hooks);
  sentences_assert_near_capture(kept, pass, 2e-5);
  g_assert_true(isfinite(mt_translation_hypothesis(t, 0)->score));
  g_assert_cmpfloat(mt_translation_hypothesis(t, 0)->score, !=,
                    mt_translation_hypothesis(plain, 0)->score);
  mt_matrix w = mt_capture_weights(kept, MT_CROSS, 1, 2);
  for (size_t r = 0; r < w.rows; r++)
    for (size_t c = 0; c < w.cols; c++) {
      g_assert_cmpfloat(mt_matrix_at(&w, r, c), ==, 0);
      g_assert_cmpfloat(mt_capture_score_at(kept, MT_CROSS, 1, 2, r, c), ==, -INFINITY);
    }
}

/* ---- Only where it says ------------------------------------------------------------------------
 */

static void
test_where(void)
{
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  g_autoptr(mt_translation) t = sentences_translate(session, texts[0], 1, NULL);
  g_autoptr(mt_interventions) interventions = sentences_parse("encoder 2.3 window 1");
  mt_hooks hooks = {.interventions = interventions};
  g_autoptr(mt_capture) c = sentences_capture(session, t, &hooks),
                        plain = sentences_capture(session, t, NULL);
  for (size_t head = 0; head < mt_capture_n_heads(c, MT_ENCODER_SELF); head++) {
    mt_matrix x = mt_capture_weights(c, MT_ENCODER_SELF, 1, head);
    mt_matrix y = mt_capture_weights(plain, MT_ENCODER_SELF, 1, head);
    if (head == 2)
      g_assert_true(x.data[2] == 0 && y.data[2] > 0);
    else
      g_assert_cmpmem(x.data, x.rows * x.cols * sizeof(float), y.data,
                      y.rows * y.cols * sizeof(float));
  }
}

typedef struct {
  size_t n_asked, n_failed;
  const char *change;
} refusal;

static const char *
next(void *user)
{
  refusal *r = user;
  return r->n_asked++ < 2 ? "Yes." : NULL;
}

static void
on_refused(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  refusal *r = user;
  g_assert_null(translation);
  g_assert_cmpint(error->code, ==, MT_ERROR_INPUT);
  g_assert_nonnull(strstr(error->message, r->change));
  r->n_failed++;
}

/* What the model or the text does not have is an error wherever a list can be given. */
static void
test_beyond(void)
{
  static const struct {
    const char *text;
    bool is_of_text;
  } beyond[] = {
      {"decoder 99 window 2", false},        {"encoder *.1-99 window 2", false},
      {"cross 1.99 scale 2", false},         {"source 99 hide", true},
      {"cross key 99 hide", true},           {"encoder query 99 hide", true},
      {"cross 4.1 copy 99", false},          {"encoder layer 2 swap 99", false},
      {"source 1 piece 999999", false},      {"source 99 zero", true},
      {"source position 99 zero", true},     {"source position 1 swap 99", true},
      {"target position 99999 zero", false}, {"source position 1 as 99999", false},
      {"encoder attention 99 skip", false},  {"cross 99 cosine", false},
  };
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  g_autoptr(mt_translation) t = sentences_translate(session, texts[1], 1, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(beyond); i++) {
    g_autoptr(mt_interventions) interventions = sentences_parse(beyond[i].text);
    mt_hooks hooks = {.interventions = interventions};
    refusal r = {.change = beyond[i].text};
    mt_texts many = {.next = next, .on_result = on_refused, .user = &r, .hooks = &hooks};
    for (int what = 0; what < 4; what++) {
      mt_error error = {0};
      const void *found = NULL;
      if (what == 0)
        found = mt_session_translate(session, "Yes.", NULL, &hooks, &error);
      else if (what == 1)
        found = mt_session_score(session, "Yes.", "Ja.", -1, &hooks, &error);
      else if (what == 2)
        found = mt_session_capture(session, t, 0, 0, &hooks, &error);
      else {
        /* A text that does not have the token fails alone. */
        bool ok = mt_session_translate_many(session, &many, NULL, &error);
        g_assert_true(ok == beyond[i].is_of_text);
        g_assert_cmpuint(r.n_failed, ==, ok ? 2 : 0);
        if (ok)
          continue;
      }
      g_assert_null(found);
      g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
      g_assert_nonnull(strstr(error.message, beyond[i].text));
      g_assert_nonnull(strstr(error.message, "99"));
    }
  }
}

/* Positions that were learned are in a table, and have no sines. */
static void
test_learned(void)
{
  static const struct {
    const char *text, *said; /* NULL: it can be */
  } rows[] = {
      {"source position 2-4 shift 3\ntarget position 48 zero", NULL},
      {"source position 1 as 48\nsource position 2 swap 48", NULL},
      {"source position shift 1\nsource position 48 zero", NULL},
      {"source position 1 zero\nsource position shift 1", "gives token 48 the position 49"},
      {"target position 1 shift -1", "gives token 1 the position 0"},
      {"source position 1 as 40\nsource position 1 shift 9", "\"source position 1 shift 9\""},
      {"target position interleave", "the positions of this model are learned"},
      {"source position 49 zero", "49"},
  };
  mt_error error = {0};
  g_autoptr(mt_model) learned = sentences_model("tests/data/checkpoints/pre-norm-gelu-learned");
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(mt_interventions) interventions = sentences_parse(rows[i].text);
    bool ok = mt_interventions_check(interventions, mt_model_config(learned), &error);
    g_assert_true(ok == !rows[i].said);
    g_assert_true(ok || strstr(error.message, rows[i].said));
    g_assert_true(ok || error.code == MT_ERROR_INPUT);
  }
}

static void
tear_down(void)
{
  mt_model_unref(model);
  mt_model_unref(rounded);
}

TESTS(.end = tear_down)
{
  mt_error error = {0};
  takes_turns = suite_stride(2, 2) > 1;
  g_autofree char *dir = golden_path("tests/data/frozen/en-de");
  const mt_load_options int8 = {.precision = MT_PRECISION_INT8};
  model = mt_model_open(dir, NULL, &error);
  rounded = model ? mt_model_open(dir, &int8, &error) : NULL;
  g_assert_cmpstr(error.message, ==, "");
  g_test_add_func("/changes-model/window", test_window);
  g_test_add_func("/changes-model/kinds", test_kinds);
  g_test_add_func("/changes-model/alone", test_alone);
  g_test_add_func("/changes-model/ways", test_ways);
  g_test_add_func("/changes-model/set", test_set);
  g_test_add_func("/changes-model/permutation", test_permutation);
  g_test_add_func("/changes-model/positions", test_positions);
  g_test_add_func("/changes-model/learned", test_learned);
  g_test_add_func("/changes-model/nothing", test_nothing);
  g_test_add_func("/changes-model/blind", test_blind);
  g_test_add_func("/changes-model/where", test_where);
  g_test_add_func("/changes-model/beyond", test_beyond);
}
