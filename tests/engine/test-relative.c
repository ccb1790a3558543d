/* test-relative.c — relative positions: buckets as transformers has them, what captures and their
 * files keep of them, and what changes of positions make of distances.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "kernels/mt-kinds.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define TEXT "the cat sat on the mat and the dog saw it"

/* ---- Buckets --------------------------------------------------------------------------------- */

static void
check_buckets(const golden *g, const char *name, size_t n, size_t most, mt_stack stack)
{
  const mt_config config = {.n_buckets = n, .max_distance = most};
  size_t size;
  g_autofree char *full = g_strdup_printf("%s.%zu.%zu", name, n, most);
  const int32_t *rows = golden_i32(g, full, &size); /* distance, bucket */
  size_t at = 0;
  for (long distance = rows[0]; distance <= 3000; distance++) {
    if (2 * at + 2 < size && rows[2 * at + 2] == distance)
      at++;
    g_assert_cmpuint(mt_relative_bucket(&config, stack, distance), ==, rows[2 * at + 1]);
  }
  g_assert_cmpuint(2 * at + 2, ==, size);
  /* Beyond what is written down: the last of each side. */
  g_assert_cmpuint(mt_relative_bucket(&config, stack, LONG_MIN), ==,
                   stack == MT_STACK_ENCODER ? n / 2 - 1 : n - 1);
  g_assert_cmpuint(mt_relative_bucket(&config, stack, LONG_MAX), ==,
                   stack == MT_STACK_ENCODER ? n - 1 : 0);
}

static void
test_buckets(void)
{
  static const size_t shapes[][2] = {{32, 128}, {32, 256}, {64, 128}, {8, 20}, {32, 1024}};
  g_autoptr(golden) g = golden_open("relative.safetensors");
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
    check_buckets(g, "encoder", shapes[i][0], shapes[i][1], MT_STACK_ENCODER);
    check_buckets(g, "decoder", shapes[i][0], shapes[i][1], MT_STACK_DECODER);
  }
}

static void
test_refused(void)
{
  const struct {
    size_t n_buckets, max_distance, max_positions;
    const char *message;
  } cases[] = {
      {0, 128, 512,
       "x: expected an even number of 4 to 65536 buckets of relative positions, found 0."},
      {31, 128, 512,
       "x: expected an even number of 4 to 65536 buckets of relative positions, found 31."},
      {32, 16, 512,
       "x: expected relative positions up to a distance of 17 to 1073741824, since there are 32 "
       "buckets, found 16."},
      {32, SIZE_MAX, 512,
       "x: expected relative positions up to a distance of 17 to 1073741824, since there are 32 "
       "buckets, found 18446744073709551615."},
      {32, 128, 1 << 24,
       "x: expected 1 to 4194304 relative positions with 4 heads, found 16777216."},
      {32, 128, 512, NULL},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_config config = {.d_model = 12,
                        .n_heads = {4, 4},
                        .position_kind = MT_POSITIONS_RELATIVE,
                        .n_buckets = cases[i].n_buckets,
                        .max_distance = cases[i].max_distance,
                        .max_positions = cases[i].max_positions};
    mt_error error = {0};
    mt_kinds_set_defaults(&config);
    g_assert_true(mt_kinds_check(&config, "x", &error) == !cases[i].message);
    g_assert_cmpstr(error.message, ==, cases[i].message ? cases[i].message : "");
  }
}

/* ---- Captures -------------------------------------------------------------------------------- */

static void
assert_same_biases(const mt_capture *a, const mt_capture *b)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t l = 0; l < mt_capture_n_layers(a, kind); l++)
      for (size_t h = 0; h < mt_capture_n_heads(a, kind); h++) {
        mt_matrix x = mt_capture_score_bias(a, kind, l, h),
                  y = mt_capture_score_bias(b, kind, l, h);
        g_assert_true((x.data != NULL) == (kind != MT_CROSS));
        g_assert_cmpmem(x.data, x.cols * sizeof(float), y.data, y.cols * sizeof(float));
      }
}

static void
check_file(const mt_capture *capture)
{
  mt_error error = {0};
  mt_bytes bytes = {0};
  g_assert_true(mt_capture_make_npz(capture, NULL, &bytes, &error));
  g_autoptr(mt_capture) read = mt_capture_parse_npz(bytes.data, bytes.size, "x.npz", NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpint(mt_capture_position_kind(read), ==, MT_POSITIONS_RELATIVE);
  assert_same_biases(capture, read);
  mt_bytes_clear(&bytes);
}

static void
test_captures(gconstpointer name)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model(name);
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  g_autoptr(mt_translation) t = sentences_translate(session, TEXT, 1, NULL);
  g_autoptr(mt_capture) whole = sentences_capture(session, t, NULL);
  g_assert_null(mt_capture_positions(whole, MT_STACK_ENCODER).data);
  mt_matrix table = mt_model_relative_table(model, MT_STACK_DECODER, 1);
  g_assert_cmpuint(table.rows, ==, mt_model_config(model)->n_buckets);
  g_assert_cmpfloat(mt_matrix_at(&table, 3, 2), ==,
                    mt_model_score_bias(model, MT_DECODER_SELF, 1, 2, -3));
  check_file(whole);
  g_autoptr(mt_capture) part = mt_capture_part(whole, MT_ENCODER_SELF, 1, 2, &error);
  g_assert_cmpstr(error.message, ==, "");
  check_file(part);
  sentences_check_parts(session, t, MT_CAPTURE_SCORES, NULL);
  g_autoptr(mt_interventions) changes = sentences_parse("encoder 2.1 scale 0.5");
  const mt_hooks hooks = {.interventions = changes};
  sentences_check_parts(session, t, 0, &hooks);
  const size_t n = mt_tokens_count(mt_translation_source(t));
  for (size_t i = 0; i < n; i++)
    g_assert_true(mt_capture_score_bias_at(part, MT_ENCODER_SELF, 0, 0, 1, i) ==
                  mt_model_score_bias(model, MT_ENCODER_SELF, 1, 2, (long) i - 1));
}

static void
check_refused(const mt_npz_array *arrays, size_t n, const char *message)
{
  mt_error error = {0};
  mt_bytes bytes = {0};
  g_assert_true(mt_npz_make(arrays, n, &bytes, &error));
  g_assert_null(mt_capture_parse_npz(bytes.data, bytes.size, "x.npz", NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  g_assert_cmpstr(error.message, ==, message);
  mt_bytes_clear(&bytes);
}

static void
test_hostile_files(void)
{
  static const float numbers[64] = {0}, infinite[] = {0, INFINITY, 0, 0, 0, 0};
  const char *const relative = "relative";
  const mt_npz_array weights = {"encoder_attentions", 4, {3, 2, 2, 2}, .f32 = numbers};
  const mt_npz_array kind = {"position_kind", 0, {0}, .strings = &relative};
  check_refused(
      (const mt_npz_array[]){weights, {"encoder_score_bias", 3, {2, 2, 3}, .f32 = numbers}}, 2,
      "x.npz/encoder_score_bias.npy: expected floats of shape (1 or 3, 2, 3), one for each "
      "distance, found '<f4' of shape (2,2,3).");
  check_refused(
      (const mt_npz_array[]){weights, {"encoder_score_bias", 3, {1, 2, 2}, .f32 = numbers}}, 2,
      "x.npz/encoder_score_bias.npy: expected floats of shape (1 or 3, 2, 3), one for each "
      "distance, found '<f4' of shape (1,2,2).");
  check_refused(
      (const mt_npz_array[]){weights, {"encoder_score_bias", 2, {2, 3}, .f32 = numbers}}, 2,
      "x.npz/encoder_score_bias.npy: expected floats of shape (1 or 3, 2, 3), one for each "
      "distance, found '<f4' of shape (2,3).");
  check_refused(
      (const mt_npz_array[]){weights, {"encoder_score_bias", 3, {1, 2, 3}, .f32 = infinite}}, 2,
      "x.npz/encoder_score_bias.npy: expected finite numbers, found infinity or a number beyond "
      "float32 at [0, 0, 1].");
  check_refused(
      (const mt_npz_array[]){weights, {"encoder_positions", 2, {2, 4}, .f32 = numbers}, kind}, 3,
      "x.npz: expected no encodings of positions where they are relative, found those of 4 "
      "dimensions.");
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* A trace of the biases with changes; the place that a token of the source has with them, or -1. */
static void
check_change(mt_model *model, const char *change, const long *places, size_t n_places)
{
  g_autoptr(mt_trace) trace =
      sentences_trace(model, TEXT, change, 12, MT_HOOK_POINT_BIT(MT_HOOK_SCORE_BIAS), false);
  const mt_config *config = mt_model_config(model);
  for (size_t l = 0; l < config->n_layers[0]; l++)
    for (size_t h = 0; h < config->n_heads[0]; h++) {
      mt_matrix found = mt_trace_get(trace, MT_HOOK_SCORE_BIAS, MT_ENCODER_SELF, (int) l, (int) h);
      g_assert_cmpuint(found.rows, >, 4);
      for (size_t i = 0; i < found.rows; i++)
        for (size_t j = 0; j < found.cols; j++) {
          const long own = i < n_places ? places[i] : (long) i;
          const long key = j < n_places ? places[j] : (long) j;
          const double want =
              own < 0 || key < 0 ? 0 : mt_model_score_bias(model, MT_ENCODER_SELF, l, h, key - own);
          g_assert_cmpfloat(mt_matrix_at(&found, i, j), ==, want);
        }
    }
}

static void
test_changes(gconstpointer name)
{
  g_autoptr(mt_model) model = sentences_model(name);
  check_change(model, NULL, NULL, 0);
  check_change(model, "source position shift 7", NULL, 0);
  check_change(model, "source position 2 swap 4", (const long[]){0, 3, 2, 1}, 4);
  check_change(model, "source position 2 as 60", (const long[]){0, 59}, 2);
  check_change(model, "source position 1-3 zero", (const long[]){-1, -1, -1}, 3);
  long nowhere[64];
  for (size_t i = 0; i < G_N_ELEMENTS(nowhere); i++)
    nowhere[i] = -1;
  check_change(model, "encoder unbiased", nowhere, G_N_ELEMENTS(nowhere));
  check_change(model, "source position 2 shift 100000", (const long[]){0, 100001}, 2);
}

/* With positions moved, step by step and in parallel are the same; a shift of all is none. */
static void
test_moved_steps(gconstpointer name)
{
  static const char *const lists[] = {"target position shift 3\nsource position shift -2",
                                      "target position 2-4 zero", "target position 2 swap 5"};
  g_autoptr(mt_model) model = sentences_model(name);
  g_autoptr(mt_session) session = sentences_session(model, 0, true);
  g_autoptr(mt_session) plain = sentences_session(model, 0, false);
  g_autoptr(mt_translation) clean = sentences_translate(session, TEXT, 2, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
    g_autoptr(mt_interventions) changes = sentences_parse(lists[i]);
    const mt_hooks hooks = {.interventions = changes};
    g_autoptr(mt_translation) t = sentences_translate(session, TEXT, 2, &hooks);
    g_autoptr(mt_capture) recorded = sentences_capture(session, t, &hooks);
    g_autoptr(mt_capture) forced = sentences_capture(plain, t, &hooks);
    g_assert_null(mt_capture_score_bias(forced, MT_DECODER_SELF, 0, 0).data);
    for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
      for (size_t l = 0; l < mt_capture_n_layers(forced, kind); l++) {
        mt_matrix a = mt_capture_weights(recorded, kind, l, 1);
        mt_matrix b = mt_capture_weights(forced, kind, l, 1);
        for (size_t k = 0; k < a.rows * a.cols; k++)
          g_assert_cmpfloat_with_epsilon(a.data[k], b.data[k], 2e-5);
      }
    if (i == 0)
      g_assert_cmpstr(mt_translation_hypothesis(t, 0)->text, ==,
                      mt_translation_hypothesis(clean, 0)->text);
  }
}

static void
test_unfit_changes(void)
{
  static const struct {
    const char *change, *message;
  } cases[] = {
      {"source position interleave", "The change \"source position interleave\" is for sines and "
                                     "cosines; the positions of this model are relative."},
      {"cross unbiased",
       "The change \"cross unbiased\" is for self-attention; cross-attention has no "
       "positions."},
      {"cross unscaled", "The change \"cross unscaled\" is for scores that are divided; those of "
                         "this model are not."},
  };
  g_autoptr(mt_model) model = sentences_model("toy/t5");
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_error error = {0};
    g_autoptr(mt_interventions) changes = sentences_parse(cases[i].change);
    const mt_hooks hooks = {.interventions = changes};
    g_assert_null(mt_session_translate(session, TEXT, NULL, &hooks, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_cmpstr(error.message, ==, cases[i].message);
  }
}

TESTS()
{
  static const char *const names[] = {"toy/t5", "toy/relative"};
  g_test_add_func("/relative/buckets", test_buckets);
  g_test_add_func("/relative/refused", test_refused);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    suite_add(names[i], test_captures, "/relative/captures/%s", names[i] + 4);
    suite_add(names[i], test_changes, "/relative/changes/%s", names[i] + 4);
    suite_add(names[i], test_moved_steps, "/relative/steps/%s", names[i] + 4);
  }
  g_test_add_func("/relative/hostile-files", test_hostile_files);
  g_test_add_func("/relative/unfit-changes", test_unfit_changes);
}
