/* test-trust.c — shares of the source, marks, thresholds from a text and from files, good and bad.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "failing-malloc.h"
#include "golden.h"
#include "model-dir.h"
#include "sentences.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define FROZEN "tests/data/frozen/en-de"

static mt_model *
open_frozen(void)
{
  g_autofree char *path = golden_path(FROZEN);
  return model_open_good(path);
}

static mt_source_contribution *
trust_of(mt_session *session, const mt_translation *translation)
{
  mt_error error = {0};
  mt_source_contribution *trust = mt_source_contribution_new(session, translation, 0, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return trust;
}

/* Rows and columns of ALTI+ once more. */
static void
test_sums(void)
{
  g_autoptr(mt_model) model = open_frozen();
  g_autoptr(mt_session) session = sentences_session(model, 2, false);
  g_autoptr(mt_translation) t = sentences_translate(session, "I have two dogs and a cat.", 1, NULL);
  mt_error error = {0};
  const mt_attribution_params params = mt_attribution_params_default();
  g_autoptr(mt_attribution) a = mt_attribution_new(session, t, 0, &params, NULL, &error);
  mt_matrix source = a->source;
  g_autoptr(mt_source_contribution) trust = trust_of(session, t);
  const size_t n_target = trust->n_target, n_source = trust->n_source;
  const float *shares = trust->shares, *uses = trust->uses;
  g_assert_cmpuint(n_target, ==, source.rows);
  g_assert_cmpuint(n_source, ==, source.cols);
  double total = 0, least = 2, sum = 0;
  for (size_t i = 0; i < n_target; i++) {
    double row = 0;
    for (size_t j = 0; j < n_source; j++)
      row += mt_matrix_at(&source, i, j);
    g_assert_cmpfloat_with_epsilon(shares[i], row, 1e-6);
    total += row;
    if (i + 1 < n_target) { /* </s> */
      least = MIN(least, row);
      sum += row;
    }
  }
  for (size_t j = 0; j < n_source; j++)
    total -= uses[j];
  g_assert_cmpfloat_with_epsilon(total, 0, 1e-5);
  g_assert_cmpfloat_with_epsilon(mt_source_contribution_mean(trust), sum / (double) (n_target - 1),
                                 1e-6);
  g_assert_cmpfloat_with_epsilon(mt_source_contribution_least(trust), least, 1e-6);
  /* The first word has nothing but the start token beside the source. */
  g_assert_cmpfloat(shares[0], >, 0.3);
}

/* Without thresholds nothing is marked; with them what is below, special tokens never. */
static void
test_marks(void)
{
  g_autoptr(mt_model) model = open_frozen();
  g_autoptr(mt_session) session = sentences_session(model, 1, false);
  g_autoptr(mt_translation) t = sentences_translate(session, "I have two dogs.", 1, NULL);
  g_autoptr(mt_source_contribution) trust = trust_of(session, t);
  const size_t n_target = trust->n_target, n_source = trust->n_source;
  const float *shares = trust->shares, *uses = trust->uses;
  const mt_source_contribution_thresholds none = {.share = 1, .use = 100};
  const mt_source_contribution_thresholds all = {.share = 1.5, .use = 100, .n_sentences = 1};
  const mt_source_contribution_thresholds second = {.share = shares[1],
                                                    .use = uses[1],
                                                    .n_sentences = 1};
  for (size_t i = 0; i < n_target; i++) {
    g_assert_false(mt_source_contribution_is_weak(trust, &none, i));
    g_assert_cmpint(mt_source_contribution_is_weak(trust, &all, i), ==, i + 1 < n_target);
    g_assert_cmpint(mt_source_contribution_is_weak(trust, &second, i), ==,
                    i + 1 < n_target && shares[i] < shares[1]);
  }
  for (size_t j = 0; j < n_source; j++) {
    g_assert_false(mt_source_contribution_is_left_out(trust, &none, j));
    g_assert_cmpint(mt_source_contribution_is_left_out(trust, &all, j), ==, j + 1 < n_source);
    g_assert_cmpint(mt_source_contribution_is_left_out(trust, &second, j), ==,
                    j + 1 < n_source && uses[j] < uses[1]);
  }
}

/* A translation of something else has less from the source than the right one, and a source that
 * has a second sentence which the translation lacks is used less there. */
static void
test_tells(void)
{
  g_autoptr(mt_model) model = open_frozen();
  g_autoptr(mt_session) session = sentences_session(model, 1, false);
  mt_error error = {0};
  g_autoptr(mt_translation) right =
      mt_session_score(session, "I have two dogs and a cat.", "Ich habe zwei Hunde und eine Katze.",
                       -1, NULL, &error);
  mt_translation *less =
      mt_session_score(session, "I have two dogs and a cat.", "Ich habe", -1, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autoptr(mt_source_contribution) a = trust_of(session, right), b = trust_of(session, less);
  const size_t n = a->n_source;
  const float *used = a->uses, *lost = b->uses;
  g_assert_cmpuint(n, ==, b->n_source);
  double whole = 0, part = 0;
  for (size_t j = n - 4; j + 1 < n; j++) { /* "and a cat." */
    whole += used[j];
    part += lost[j];
  }
  g_assert_cmpfloat(part, <, 0.7 * whole);
  mt_translation_unref(less);
}

/* ---- Thresholds -------------------------------------------------------------------------------
 */

static int
compare(const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;
  return (x > y) - (x < y);
}

static double
quantile(GArray *values, double q)
{
  qsort(values->data, values->len, sizeof(float), compare);
  const double at = q * (values->len - 1), low = floor(at);
  const double x = g_array_index(values, float, (guint) low);
  const double y = g_array_index(values, float, MIN((guint) low + 1, values->len - 1));
  return x + (at - low) * (y - x);
}

static void
test_sample(void)
{
  static const char *const texts[] = {"I have two dogs.", "The house is old.", "We drink coffee.",
                                      "My brother bought an old house."};
  g_autoptr(mt_model) model = open_frozen();
  g_autoptr(mt_session) session = sentences_session(model, 2, false);
  mt_error error = {0};
  g_autoptr(mt_source_contribution_sample) sample = mt_source_contribution_sample_new(&error);
  mt_source_contribution_thresholds thresholds;
  g_assert_false(mt_source_contribution_sample_finish(sample, 0.1, &thresholds, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_autoptr(GArray) shares = g_array_new(FALSE, FALSE, sizeof(float));
  g_autoptr(GArray) uses = g_array_new(FALSE, FALSE, sizeof(float));
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(mt_translation) t = sentences_translate(session, texts[i], 1, NULL);
    g_autoptr(mt_source_contribution) trust = trust_of(session, t);
    g_array_append_vals(shares, trust->shares, (guint) trust->n_target - 1);
    g_array_append_vals(uses, trust->uses, (guint) trust->n_source - 1);
    g_assert_true(mt_source_contribution_sample_add(sample, trust, &error));
  }
  g_assert_false(mt_source_contribution_sample_finish(sample, 0, &thresholds, &error));
  g_assert_false(mt_source_contribution_sample_finish(sample, NAN, &thresholds, &error));
  g_assert_true(mt_source_contribution_sample_finish(sample, 0.1, &thresholds, &error));
  g_assert_cmpfloat_with_epsilon(thresholds.share, quantile(shares, 0.1), 1e-7);
  g_assert_cmpfloat_with_epsilon(thresholds.use, quantile(uses, 0.1), 1e-7);
  g_assert_cmpuint(thresholds.n_sentences, ==, G_N_ELEMENTS(texts));

  /* To a file and back. */
  g_autofree char *dir = g_dir_make_tmp("regard-trust-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(dir, "trust.json", NULL);
  char *text = mt_source_contribution_thresholds_text(&thresholds, model, &error);
  g_assert_true(g_str_has_suffix(text, "}\n"));
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  mt_source_contribution_text_free(text);
  mt_source_contribution_thresholds again;
  g_assert_true(mt_source_contribution_thresholds_read(&again, path, model, &error));
  g_assert_cmpfloat_with_epsilon(again.share, thresholds.share, 1e-9);
  g_assert_cmpfloat_with_epsilon(again.use, thresholds.use, 1e-9);
  g_assert_cmpfloat_with_epsilon(again.quantile, 0.1, 1e-12);
  g_assert_cmpuint(again.n_sentences, ==, thresholds.n_sentences);
  g_remove(path);
  g_rmdir(dir);
}

/* A file of an older release, or of this one. */
static void
write_of(const model_dir *dir, const char *name, const char *fingerprint)
{
  g_autofree char *more =
      fingerprint ? g_strdup_printf("\"fingerprint\": \"%s\", ", fingerprint) : g_strdup("");
  g_autofree char *text = g_strdup_printf("{\"model\": \"%s\", %s\"share\": 0.25, \"use\": 0.1, "
                                          "\"quantile\": 0.01, \"sentences\": 3}",
                                          name, more);
  model_dir_write(dir, MT_SOURCE_CONTRIBUTION_FILE, text, -1);
}

/* Of another model they are refused, wherever they lie: by the fingerprint, whatever the models are
 * called, or else by the name. */
static void
test_other_model(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  g_autoptr(mt_model) model = model_open_good(dir->path);
  g_autofree char *path = g_build_filename(dir->path, MT_SOURCE_CONTRIBUTION_FILE, NULL);
  g_autofree char *own =
      g_strdup_printf("%016" G_GINT64_MODIFIER "x", (guint64) mt_model_fingerprint(model));
  const char *name = mt_model_name(model);
  const struct {
    const char *name, *fingerprint;
    bool is_taken;
  } rows[] = {{name, NULL, true},
              {"another", NULL, false},
              {"another", own, true},
              {name, "0123456789abcdef", false}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    mt_source_contribution_thresholds of_model, of_file = {0};
    mt_error error = {0}, same = {0};
    write_of(dir, rows[i].name, rows[i].fingerprint);
    g_assert_true(mt_source_contribution_thresholds_of_model(&of_model, model, &error) ==
                  rows[i].is_taken);
    g_assert_true(mt_source_contribution_thresholds_read(&of_file, path, model, &same) ==
                  rows[i].is_taken);
    g_assert_cmpuint(of_model.n_sentences, ==, rows[i].is_taken ? 3 : 0);
    g_assert_cmpint(error.code, ==, rows[i].is_taken ? MT_OK : MT_ERROR_INPUT);
    g_autofree char *words =
        g_strdup_printf("these thresholds are of another model, called \"%s\"", rows[i].name);
    g_assert_true(rows[i].is_taken || strstr(error.message, words));
  }
  model_dir_remove(dir, MT_SOURCE_CONTRIBUTION_FILE);
}

static void
test_files(void)
{
  static const struct {
    const char *text, *words;
  } bad[] = {
      {"", "trust.json"},
      {"{", "trust.json"},
      {"[]", "trust.json"},
      {"{}", "share"},
      {"{\"share\": 2, \"use\": 0.1, \"quantile\": 0.1, \"sentences\": 3}", "share from 0 to 1"},
      {"{\"share\": 0.2, \"use\": -1, \"quantile\": 0.1, \"sentences\": 3}", "use from 0"},
      {"{\"share\": 0.2, \"use\": \"x\", \"quantile\": 0.1, \"sentences\": 3}", "use"},
      {"{\"share\": 0.2, \"use\": 0.1, \"quantile\": 0.1}", "sentences"},
      {"{\"share\": 0.2, \"use\": 0.1, \"quantile\": 0.1, \"sentences\": 0}", "sentences"},
      {"{\"share\": 0.2, \"use\": 0.1, \"quantile\": 0.1, \"sentences\": 3}", "the \"model\" that"},
      {"{\"model\": \"m\", \"fingerprint\": \"12\", \"share\": 0.2, \"use\": 0.1, \"quantile\": "
       "0.1, "
       "\"sentences\": 3}",
       "16 hexadecimal digits"},
  };
  g_autoptr(model_dir) dir = model_dir_new();
  g_autoptr(mt_model) model = model_open_good(dir->path);
  mt_source_contribution_thresholds thresholds;
  mt_error error = {0};
  g_assert_true(mt_source_contribution_thresholds_of_model(&thresholds, model, &error));
  g_assert_cmpuint(thresholds.n_sentences, ==, 0);
  g_autofree char *path = g_build_filename(dir->path, MT_SOURCE_CONTRIBUTION_FILE, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_assert_true(g_file_set_contents(path, bad[i].text, -1, NULL));
    error = (mt_error){0};
    g_assert_false(mt_source_contribution_thresholds_of_model(&thresholds, model, &error));
    if (!strstr(error.message, bad[i].words))
      g_error("expected “%s” in “%s”", bad[i].words, error.message);
    g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
    g_assert_false(mt_source_contribution_thresholds_read(&thresholds, path, model, &error));
  }
  write_of(dir, mt_model_name(model), NULL);
  g_assert_true(mt_source_contribution_thresholds_of_model(&thresholds, model, &error));
  g_assert_cmpfloat(thresholds.share, ==, 0.25);
  g_assert_cmpuint(thresholds.n_sentences, ==, 3);
  g_assert_false(
      mt_source_contribution_thresholds_read(&thresholds, "/nowhere/trust.json", model, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  model_dir_remove(dir, MT_SOURCE_CONTRIBUTION_FILE);
}

static void
test_no_memory(void)
{
  g_autofree char *path = golden_path("tests/data/checkpoints/post-norm-relu");
  g_autoptr(mt_model) model = model_open_good(path);
  g_autoptr(mt_session) session = sentences_session(model, 1, false);
  mt_error error = {0};
  g_autoptr(mt_translation) t = mt_session_score(session, "the cat", "die katze", -1, NULL, &error);
  size_t failed = 0;
  for (size_t i = 1;; i++) {
    error = (mt_error){0};
    failing_malloc_begin(i, false);
    mt_source_contribution *trust = mt_source_contribution_new(session, t, 0, NULL, &error);
    mt_source_contribution_sample *sample =
        trust ? mt_source_contribution_sample_new(&error) : NULL;
    const bool ok = sample && mt_source_contribution_sample_add(sample, trust, &error);
    mt_source_contribution_sample_free(sample);
    mt_source_contribution_unref(trust);
    const size_t n = failing_malloc_end();
    g_assert_cmpuint(failing_malloc_leaks(), ==, 0);
    g_assert_cmpint(error.code, ==, ok ? MT_OK : MT_ERROR_NO_MEMORY);
    failed += !ok;
    if (n < i)
      break;
  }
  g_assert_cmpuint(failed, >=, 20);
}

TESTS()
{
  g_test_add_func("/trust/sums", test_sums);
  g_test_add_func("/trust/marks", test_marks);
  g_test_add_func("/trust/tells", test_tells);
  g_test_add_func("/trust/sample", test_sample);
  g_test_add_func("/trust/files", test_files);
  g_test_add_func("/trust/other-model", test_other_model);
  g_test_add_func("/trust/no-memory", test_no_memory);
}
