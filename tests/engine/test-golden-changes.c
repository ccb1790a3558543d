/* test-golden-changes.c — changed models against Hugging Face transformers with the same changes:
 * what is found, greedily and by four beams, with its scores, log-probabilities and attention.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "suite.h"
#include "text/mt-tokens.h"

#include <math.h>
#include <string.h>

/* Element by element: relative, but to no less than this. */
#define TOLERANCE 1e-4
#define FLOOR     0.1

/* Texts that are ended by NUL. */
static GPtrArray *
read_texts(const golden *g, const char *name, char **owned)
{
  size_t n;
  GPtrArray *texts = g_ptr_array_new();
  *owned = golden_text(g, name, &n);
  for (size_t at = 0; at < n; at += strlen(*owned + at) + 1)
    g_ptr_array_add(texts, *owned + at);
  return texts;
}

static void
assert_ids(const mt_translation *t, const golden *g, const char *ids, const char *first, size_t c)
{
  const int32_t *begin = golden_i32(g, first, NULL) + c;
  const mt_tokens *tokens = mt_translation_hypothesis(t, 0)->tokens;
  g_assert_cmpmem(mt_tokens_ids(tokens), mt_tokens_count(tokens) * sizeof(int32_t),
                  golden_i32(g, ids, NULL) + begin[0],
                  (size_t) (begin[1] - begin[0]) * sizeof(int32_t));
}

static void
assert_near(const float *found, const float *expected, size_t n)
{
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat(golden_distance((double) found[i], (double) expected[i], FLOOR), <=,
                      TOLERANCE);
}

static void
assert_weights(const mt_capture *capture, const golden *g, size_t list)
{
  static const char *const kinds[MT_N_KINDS] = {"encoder", "decoder", "cross"};
  size_t n_layers;
  const int32_t *layers = golden_i32(g, "layers", &n_layers);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    g_autofree char *name = g_strdup_printf("%zu.%s.weights", list, kinds[kind]);
    size_t n, n_heads = mt_capture_n_heads(capture, kind);
    const float *expected = golden_f32(g, name, &n);
    for (size_t l = 0; l < n_layers; l++)
      for (size_t h = 0; h < n_heads; h++) {
        mt_matrix w = mt_capture_weights(capture, kind, (size_t) layers[l], h);
        g_assert_cmpuint(n, ==, n_layers * n_heads * w.rows * w.cols);
        assert_near(w.data, expected + (l * n_heads + h) * w.rows * w.cols, w.rows * w.cols);
        /* What a change hides has no weight there either. */
        for (size_t i = 0; i < w.rows * w.cols; i++)
          if (mt_capture_is_masked(capture, kind, (size_t) layers[l], h, i / w.cols, i % w.cols))
            g_assert_cmpfloat(expected[(l * n_heads + h) * w.rows * w.cols + i], ==, 0);
      }
  }
}

/* The run that patches and means are of, if the file has one. */
typedef struct {
  mt_activations *states;
  mt_means *means;
} Reference;

static mt_search_params
greedy(const mt_model *model, const golden *g)
{
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = 1;
  params.length_penalty = 1;
  params.min_length = 0;
  params.early_stopping = MT_EARLY_STOPPING_FALSE;
  params.max_length = (size_t) golden_i32(g, "max_length", NULL)[0];
  return params;
}

static Reference
open_reference(const golden *g, mt_session *session)
{
  Reference r = {0};
  mt_error error = {0};
  size_t n;
  if (!golden_find(g, "reference"))
    return r;
  g_autofree char *text = golden_text(g, "reference", &n);
  const mt_search_params params = greedy(mt_session_model(session), g);
  g_autoptr(mt_translation) t = mt_session_translate(session, text, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  r.states = mt_activations_new(session, t, 0, NULL, &error);
  g_autoptr(mt_means_sum) sum = mt_means_sum_new(session, &error);
  g_assert_true(mt_means_sum_add(sum, t, 0, NULL, &error));
  r.means = mt_means_sum_finish(sum, "reference", &error);
  g_assert_cmpstr(error.message, ==, "");
  return r;
}

static mt_interventions *
parse(const char *file, const char *text, const Reference *reference)
{
  mt_error error = {0};
  g_autoptr(mt_interventions) bare = mt_interventions_parse(file, text, &error);
  g_autoptr(mt_interventions) half = mt_interventions_with_means(bare, reference->means, &error);
  mt_interventions *interventions =
      mt_interventions_with_activations(half, reference->states, &error);
  g_assert_cmpstr(error.message, ==, "");
  return interventions;
}

/* Every list of changes, with some of the sentences. */
static void
check(const char *file, const char *dir)
{
  mt_error error = {0};
  g_autoptr(golden) g = golden_open(file);
  g_autofree char *lists_text = NULL, *sentences_text = NULL;
  g_autoptr(GPtrArray) lists = read_texts(g, "changes", &lists_text);
  g_autoptr(GPtrArray) texts = read_texts(g, "sentences", &sentences_text);
  g_autoptr(mt_model) model = sentences_model(dir);
  g_autoptr(mt_session) session = sentences_session(model, 2, true);
  Reference reference = open_reference(g, session);
  const size_t stride = suite_stride(5, 25);
  for (size_t c = 0; c < lists->len * texts->len; c++) {
    if (c % texts->len % stride)
      continue;
    g_autoptr(mt_interventions) interventions =
        parse(file, lists->pdata[c / texts->len], &reference);
    const mt_hooks hooks = {.interventions = interventions};
    mt_search_params params = greedy(model, g);
    const char *text = texts->pdata[c % texts->len];
    mt_translation *t = mt_session_translate(session, text, &params, &hooks, &error);
    g_assert_cmpstr(error.message, ==, "");
    assert_ids(t, g, "greedy_ids", "greedy_first", c);
    const mt_hypothesis *found = mt_translation_hypothesis(t, 0);
    assert_near(found->logprobs,
                golden_f32(g, "logprobs", NULL) + golden_i32(g, "greedy_first", NULL)[c],
                mt_tokens_count(found->tokens));
    if (c % texts->len == 0) {
      g_autoptr(mt_capture) capture = sentences_capture(session, t, &hooks);
      assert_weights(capture, g, c / texts->len);
    }
    mt_translation_unref(t);

    params.beam_size = 4;
    t = mt_session_translate(session, text, &params, &hooks, &error);
    g_assert_cmpstr(error.message, ==, "");
    assert_ids(t, g, "beam_ids", "beam_first", c);
    assert_near(&mt_translation_hypothesis(t, 0)->score, golden_f32(g, "beam_scores", NULL) + c, 1);
    mt_translation_unref(t);
  }
  mt_activations_unref(reference.states);
  mt_means_unref(reference.means);
}

static void
test_frozen(void)
{
  check("changes-frozen.safetensors", "tests/data/frozen/en-de");
}

static void
test_post_norm_relu(void)
{
  check("changes-post-norm-relu.safetensors", "tests/data/checkpoints/post-norm-relu");
}

static void
test_odd_sizes_swish(void)
{
  check("changes-odd-sizes-swish.safetensors", "tests/data/checkpoints/odd-sizes-swish");
}

static void
test_more_frozen(void)
{
  check("changes-more-frozen.safetensors", "tests/data/frozen/en-de");
}

static void
test_more_post_norm_relu(void)
{
  check("changes-more-post-norm-relu.safetensors", "tests/data/checkpoints/post-norm-relu");
}

static void
test_more_pre_norm_learned(void)
{
  check("changes-more-pre-norm-gelu-learned.safetensors",
        "tests/data/checkpoints/pre-norm-gelu-learned");
}

/* Of other families. */
static void
test_family(gconstpointer name)
{
  g_autofree char *file = g_strdup_printf("changes-%s.safetensors", (const char *) name);
  g_autofree char *dir = g_strdup_printf("tests/data/checkpoints/%s", (const char *) name);
  check(file, dir);
}

/* Every kind of change with 50 sentences; and what is copied from another run. */
static void
test_fifty(gconstpointer name)
{
  g_autofree char *file = g_strdup_printf("changes-fifty-%s.safetensors", (const char *) name);
  g_autofree char *dir = g_strdup_printf("tests/data/checkpoints/%s", (const char *) name);
  check(file, dir);
}

static void
test_patch(gconstpointer name)
{
  g_autofree char *file = g_strdup_printf("changes-patch-%s.safetensors", (const char *) name);
  g_autofree char *dir = g_strdup_printf("tests/data/checkpoints/%s", (const char *) name);
  check(file, dir);
}

static void
test_fifty_frozen(void)
{
  check("changes-fifty-frozen.safetensors", "tests/data/frozen/en-de");
}

static void
test_patch_frozen(void)
{
  check("changes-patch-frozen.safetensors", "tests/data/frozen/en-de");
}

TESTS()
{
  g_test_add_func("/golden-changes/frozen", test_frozen);
  g_test_add_func("/golden-changes/post-norm-relu", test_post_norm_relu);
  g_test_add_func("/golden-changes/odd-sizes-swish", test_odd_sizes_swish);
  g_test_add_func("/golden-changes/more/frozen", test_more_frozen);
  g_test_add_func("/golden-changes/more/post-norm-relu", test_more_post_norm_relu);
  g_test_add_func("/golden-changes/more/pre-norm-learned", test_more_pre_norm_learned);
  static const char *const small[] = {"post-norm-relu", "odd-sizes-swish", "pre-norm-gelu-learned"};
  for (size_t i = 0; i < G_N_ELEMENTS(small); i++) {
    g_autofree char *fifty = g_strdup_printf("/golden-changes/fifty/%s", small[i]);
    g_autofree char *patch = g_strdup_printf("/golden-changes/patch/%s", small[i]);
    g_test_add_data_func(fifty, small[i], test_fifty);
    g_test_add_data_func(patch, small[i], test_patch);
  }
  static const char *const families[] = {"bart-tiny", "t5-gated-tiny"};
  for (size_t i = 0; i < G_N_ELEMENTS(families); i++)
    suite_add(families[i], test_family, "/golden-changes/%s", families[i]);
  g_test_add_func("/golden-changes/fifty/frozen", test_fifty_frozen);
  g_test_add_func("/golden-changes/patch/frozen", test_patch_frozen);
}
