/* mt-alignment-input.c — one pass of a translation, and what recipes read of its cross-attention:
 * weights of every head, and norms of what keys give to queries (Kobayashi et al. 2020, equation
 * 3), of every head and of all heads of a layer together.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-alignment-input.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "explain/mt-contributions.h"
#include "model/mt-model-languages.h"
#include "session/mt-session.h"

#include <math.h>
#include <string.h>

/* ---- Numbers --------------------------------------------------------------------------------- */

/* |f^h(x_j)| is a head's own norm but for the weight. */
static void
head_norms(mt_alignment_input *a, size_t layer, const mt_values *values)
{
  for (size_t h = 0; h < a->n_heads; h++) {
    const size_t at = (layer * a->n_heads + h) * a->rows * a->keys;
    for (size_t j = 0; j < a->keys; j++) {
      const float *f = values->f + (h * a->keys + j) * values->d;
      double square = 0;
      for (size_t c = 0; c < values->d; c++)
        square += (double) f[c] * f[c];
      for (size_t r = 0; r < a->rows; r++) {
        const float weight = values->a[(j * a->rows + r) * a->n_heads + h];
        a->heads[MT_RECIPE_WEIGHTS][at + r * a->keys + j] = weight;
        a->heads[MT_RECIPE_NORMS][at + r * a->keys + j] =
            (float) (fabs((double) weight) * sqrt(square));
      }
    }
  }
}

static void
mean_weights(mt_alignment_input *a, size_t layer)
{
  const size_t n = a->rows * a->keys;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t h = 0; h < a->n_heads; h++)
      sum += (double) a->heads[MT_RECIPE_WEIGHTS][(layer * a->n_heads + h) * n + i];
    a->layers[MT_RECIPE_WEIGHTS][layer * n + i] = (float) (sum / (double) a->n_heads);
  }
}

static bool
fill_layer(mt_alignment_input *a, mt_session *session, const mt_trace *trace, size_t layer,
           mt_error *error)
{
  mt_values values;
  const bool ok =
      mt_values_begin(&values, &session->ops, session->model, trace, MT_CROSS, layer, -1, error) &&
      mt_values_norms(&values, a->layers[MT_RECIPE_NORMS] + layer * a->rows * a->keys, error);
  if (ok) {
    head_norms(a, layer, &values);
    mean_weights(a, layer);
  }
  mt_values_end(&values);
  return ok;
}

static bool
check_finite(const mt_alignment_input *a, mt_error *error)
{
  float sum = 0;
  for (size_t i = 0; i < a->n_layers * a->rows * a->keys; i++)
    sum += 0 * a->layers[MT_RECIPE_NORMS][i] + 0 * a->layers[MT_RECIPE_WEIGHTS][i];
  for (size_t i = 0; i < a->n_layers * a->n_heads * a->rows * a->keys; i++)
    sum += 0 * a->heads[MT_RECIPE_NORMS][i];
  return sum == 0 ||
         mt_fail(error, MT_ERROR_FORMAT, "The model computes something that is not a number.");
}

static bool
fill(mt_alignment_input *a, mt_session *session, int32_t start_id, const mt_hooks *hooks,
     mt_error *error)
{
  const mt_config *config = mt_model_config(session->model);
  const mt_activation_requests requests = {
      .n = 3,
      .requests = {{MT_HOOK_VALUE, MT_KIND_BIT(MT_CROSS), MT_ALL_LAYERS, MT_ALL_HEADS},
                   {MT_HOOK_WEIGHTS, MT_KIND_BIT(MT_CROSS), MT_ALL_LAYERS, MT_ALL_HEADS},
                   {MT_HOOK_CONTEXT, MT_KIND_BIT(MT_CROSS), MT_ALL_LAYERS, MT_ALL_HEADS}}};
  const mt_hooks own = mt_hooks_with_requests(hooks, &requests);
  a->n_layers = config->n_layers[MT_STACK_DECODER];
  a->n_heads = config->n_heads[MT_STACK_DECODER];
  a->rows = mt_tokens_count(a->tokens[MT_STACK_DECODER]);
  a->keys = mt_tokens_count(a->tokens[MT_STACK_ENCODER]);
  for (int m = 0; m < 2; m++) {
    a->heads[m] = mt_alloc(a->n_layers * a->n_heads, a->rows * a->keys * sizeof(float));
    a->layers[m] = mt_alloc(a->n_layers, a->rows * a->keys * sizeof(float));
    if (!a->heads[m] || !a->layers[m])
      return mt_fail_no_memory(error);
  }
  mt_trace *trace = mt_session_trace_tokens(session, a->tokens[MT_STACK_ENCODER],
                                            a->tokens[MT_STACK_DECODER], start_id, &own, error);
  bool ok = trace != NULL;
  for (size_t l = 0; ok && l < a->n_layers; l++)
    ok = fill_layer(a, session, trace, l, error);
  mt_trace_unref(trace);
  return ok && check_finite(a, error) && mt_model_check_files(session->model, error);
}

/* ---- The value ------------------------------------------------------------------------------- */

/* Of tokens that the session's model can have, of which references are taken. */
static mt_alignment_input *
new_alignment_input(mt_session *session, mt_tokens *source, mt_tokens *output, int32_t start_id,
                    const char *source_words, const char *target_words, const mt_hooks *hooks,
                    mt_error *error)
{
  mt_alignment_input *a = mt_alloc(1, sizeof *a);
  if (!a)
    return mt_fail_no_memory(error), NULL;

  a->ref_count = 1;
  a->tokens[MT_STACK_ENCODER] = mt_tokens_ref(source);
  a->tokens[MT_STACK_DECODER] = mt_tokens_ref(output);
  if (mt_interventions_check_explained(hooks ? hooks->interventions : NULL, error) &&
      mt_words_begin(&a->words[MT_STACK_ENCODER], source, source_words, error) &&
      mt_words_begin(&a->words[MT_STACK_DECODER], output, target_words, error) &&
      fill(a, session, start_id, hooks, error))
    return a;
  mt_alignment_input_unref(a);
  return NULL;
}

mt_alignment_input *
mt_alignment_input_new(mt_session *session, const char *source, const char *target,
                       const char *source_words, const char *target_words,
                       const mt_search_params *params, const mt_hooks *hooks, mt_error *error)
{
  const int language = params ? params->language : -1;
  mt_alignment_input *a = NULL;
  const mt_hooks own = {.interventions = hooks ? hooks->interventions : NULL};
  if (!mt_session_check_hooks(session, &own, error))
    return NULL;
  mt_tokens *tokens = mt_session_tokenize(session, source, params, &own, error);
  mt_tokens *output = tokens ? mt_session_tokenize_target(session, target, language, error) : NULL;
  if (output)
    a = new_alignment_input(session, tokens, output, mt_model_start_id(session->model, language),
                            source_words, target_words, hooks, error);
  mt_tokens_unref(tokens);
  mt_tokens_unref(output);
  return a;
}

mt_alignment_input *
mt_alignment_input_of_translation(mt_session *session, const mt_translation *translation,
                                  size_t index, const mt_hooks *hooks, mt_error *error)
{
  const mt_hooks own = {.interventions = hooks ? hooks->interventions : NULL};
  if (!mt_session_check_hypothesis(session, translation, index, &own, error))
    return NULL;
  return new_alignment_input(session, (mt_tokens *) mt_translation_source(translation),
                             mt_translation_hypothesis(translation, index)->tokens,
                             mt_session_start_id(session, translation), NULL, NULL, hooks, error);
}

static void
alignable_free(mt_alignment_input *a)
{
  for (int side = 0; side < MT_N_STACKS; side++) {
    mt_words_end(&a->words[side]);
    mt_tokens_unref(a->tokens[side]);
  }
  for (int m = 0; m < 2; m++) {
    mt_free(a->heads[m]);
    mt_free(a->layers[m]);
  }
  mt_free(a);
}

MT_DEFINE_COUNTED(mt_alignment_input, alignable_free)

size_t
mt_alignment_input_row(const mt_alignment_input *a, mt_recipe_row row, size_t t)
{
  if (row == MT_RECIPE_OUTPUT_ROW)
    return t;
  return t + 1 < a->rows ? t + 1 : SIZE_MAX;
}

void
mt_alignment_input_add_norms(const mt_alignment_input *a, mt_recipe_row row, double *sums,
                             size_t *n)
{
  for (size_t t = 0; t < a->rows; t++) {
    const size_t r = mt_alignment_input_row(a, row, t);
    if (r == SIZE_MAX || mt_tokens_get(a->tokens[MT_STACK_DECODER], t)->is_special)
      continue;
    for (size_t j = 0; j < a->keys; j++) {
      const mt_token *token = mt_tokens_get(a->tokens[MT_STACK_ENCODER], j);
      if (token->is_special || token->is_prefix)
        continue;
      for (size_t l = 0; l < a->n_layers; l++)
        sums[l] += (double) a->layers[MT_RECIPE_NORMS][(l * a->rows + r) * a->keys + j];
      ++*n;
    }
  }
}
