/* test-golden-effects.c — effects of heads, and mean contexts, against Hugging Face transformers
 * with forward hooks (tests/reference/make_effects.py).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "suite.h"
#include "text/mt-tokens.h"

#include <math.h>

#define TOLERANCE 1e-4

static const char *const kind_names[MT_N_KINDS] = {"encoder", "decoder", "cross"};

static void
check_means(const golden *g, const mt_means *means, const mt_config *config)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    g_autofree char *name = g_strdup_printf("mean_contexts.%s", kind_names[kind]);
    size_t n;
    const float *expected = golden_f32(g, name, &n);
    const size_t n_layers =
        config->n_layers[kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER];
    g_assert_cmpuint(n, ==, n_layers * config->d_model);
    for (size_t i = 0; i < n; i++)
      g_assert_cmpfloat_with_epsilon(mt_means_get(means, kind, 0, 0)[i], expected[i], TOLERANCE);
  }
}

static void
check_effects(const golden *g, const mt_ablation *effects)
{
  const size_t n_tokens = effects->n_tokens;
  const float *clean = golden_f32(g, "clean", NULL);
  for (size_t t = 0; t < n_tokens; t++)
    g_assert_cmpfloat_with_epsilon(effects->logprobs[t], clean[t], TOLERANCE);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    const size_t n_layers = effects->n_layers[kind];
    const size_t n_heads = effects->n_heads[kind];
    g_autofree char *name =
        g_strdup_printf("%s.%s", mt_ablation_kind_name(effects->kind), kind_names[kind]);
    size_t n;
    const float *changed = golden_f32(g, name, &n);
    g_assert_cmpuint(n, ==, n_layers * n_heads * n_tokens);
    for (size_t i = 0; i < n_layers * n_heads; i++) {
      const float *tokens = mt_ablation_tokens(effects, kind, i / n_heads, i % n_heads);
      double sum = 0;
      for (size_t t = 0; t < n_tokens; t++) {
        g_assert_cmpfloat_with_epsilon(tokens[t], clean[t] - changed[i * n_tokens + t], TOLERANCE);
        sum += (double) (clean[t] - changed[i * n_tokens + t]);
      }
      g_assert_cmpfloat_with_epsilon(mt_ablation_get(effects, kind, i / n_heads, i % n_heads), sum,
                                     TOLERANCE);
    }
  }
}

static void
check(const char *file, const char *dir)
{
  mt_error error = {0};
  g_autoptr(golden) g = golden_open(file);
  g_autofree char *text = golden_text(g, "text", NULL);
  g_autoptr(mt_model) model = sentences_model(dir);
  g_autoptr(mt_session) session = sentences_session(model, 2, false);
  mt_search_params params = mt_search_params_default(model);
  size_t n;
  const int32_t *ids = golden_i32(g, "ids", &n);
  params.beam_size = params.n_best = 1;
  params.max_length = MIN(params.max_length, n + 1); /* as there, where it is cut off */
  g_autoptr(mt_translation) translation =
      mt_session_translate(session, text, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  const mt_tokens *tokens = mt_translation_hypothesis(translation, 0)->tokens;
  g_assert_cmpmem(mt_tokens_ids(tokens), mt_tokens_count(tokens) * sizeof *ids, ids,
                  n * sizeof *ids);

  g_autoptr(mt_means_sum) sum = mt_means_sum_new(session, &error);
  g_assert_true(mt_means_sum_add(sum, translation, 0, NULL, &error));
  g_autoptr(mt_means) means = mt_means_sum_finish(sum, "one", &error);
  check_means(g, means, mt_model_config(model));
  for (mt_ablation_kind kind = 0; kind < MT_N_ABLATIONS; kind++) {
    const mt_ablation_params wanted = {.kind = kind, .means = means};
    g_autoptr(mt_ablation) effects =
        mt_ablation_new(session, translation, 0, &wanted, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
    check_effects(g, effects);
  }
}

static void
test_frozen(void)
{
  check("effects-frozen.safetensors", "tests/data/frozen/en-de");
}

static void
test_checkpoint(gconstpointer name)
{
  g_autofree char *file = g_strdup_printf("effects-%s.safetensors", (const char *) name);
  g_autofree char *dir = g_strdup_printf("tests/data/checkpoints/%s", (const char *) name);
  check(file, dir);
}

TESTS()
{
  g_test_add_func("/golden-effects/frozen", test_frozen);
  g_test_add_data_func("/golden-effects/post-norm-relu", "post-norm-relu", test_checkpoint);
  g_test_add_data_func("/golden-effects/odd-sizes-swish", "odd-sizes-swish", test_checkpoint);
  g_test_add_data_func("/golden-effects/pre-norm-gelu-learned", "pre-norm-gelu-learned",
                       test_checkpoint);
  g_test_add_data_func("/golden-effects/zero-pad", "zero-pad", test_checkpoint);
}
