/* mt-effects.c — the effect of each head on a translation, as a value.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-effects.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "text/mt-tokens.h"

#include <stdio.h>

const char *
mt_effect_kind_name(mt_effect_kind kind)
{
  static const char *const names[MT_N_EFFECTS] = {
      [MT_EFFECT_ZERO] = "zero",
      [MT_EFFECT_UNIFORM] = "uniform",
      [MT_EFFECT_MEAN] = "mean",
  };
  return names[kind];
}

/* ---- The value ---------------------------------------------------------------------------------
 */

/* Heads of all kinds before this one; of MT_N_KINDS, all. */
static size_t
heads_before(const mt_effects *effects, mt_attention_kind kind)
{
  size_t n = 0;
  for (mt_attention_kind k = 0; k < kind; k++)
    n += effects->n_layers[k] * effects->n_heads[k];
  return n;
}

/* Where a head is among all. */
static size_t
place_of(const mt_effects *effects, mt_attention_kind kind, size_t layer, size_t head)
{
  return heads_before(effects, kind) + layer * effects->n_heads[kind] + head;
}

static mt_effects *
new_effects(const mt_config *config, size_t n_tokens, const mt_effects_params *params,
            mt_error *error)
{
  mt_effects *effects = mt_alloc(1, sizeof *effects);
  if (!effects)
    return mt_fail_no_memory(error), NULL;
  effects->ref_count = 1;
  effects->kind = params->kind;
  effects->n_tokens = n_tokens;
  effects->has_contrast = params->has_contrast;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    effects->n_layers[kind] = config->n_layers[mt_kind_stack(kind)];
    effects->n_heads[kind] = config->n_heads[mt_kind_stack(kind)];
  }
  size_t n = heads_before(effects, MT_N_KINDS);
  effects->logprobs = mt_alloc(n_tokens, sizeof(float));
  effects->tokens = mt_alloc(n, n_tokens * sizeof(float));
  effects->contrast = mt_alloc(n, sizeof(float));
  if (effects->logprobs && effects->tokens && effects->contrast)
    return effects;
  mt_effects_unref(effects);
  return mt_fail_no_memory(error), NULL;
}

static void
effects_free(mt_effects *effects)
{
  mt_free(effects->logprobs);
  mt_free(effects->tokens);
  mt_free(effects->contrast);
  mt_free(effects);
}

MT_DEFINE_COUNTED(mt_effects, effects_free)

const float *
mt_effects_tokens(const mt_effects *effects, mt_attention_kind kind, size_t layer, size_t head)
{
  return effects->tokens + place_of(effects, kind, layer, head) * effects->n_tokens;
}

double
mt_effects_get(const mt_effects *effects, mt_attention_kind kind, size_t layer, size_t head)
{
  const float *tokens = mt_effects_tokens(effects, kind, layer, head);
  double sum = 0;
  for (size_t t = 0; t < effects->n_tokens; t++)
    sum += (double) tokens[t];
  return sum;
}

float
mt_effects_contrast(const mt_effects *effects, mt_attention_kind kind, size_t layer, size_t head)
{
  return effects->contrast[place_of(effects, kind, layer, head)];
}

/* ---- Computing it ------------------------------------------------------------------------------
 */

/* "cross 4.1 zero" */
static mt_changes *
make_change(mt_effect_kind effect, mt_attention_kind kind, size_t layer, size_t head,
            mt_means *means, mt_error *error)
{
  static const char *const places[MT_N_KINDS] = {"encoder", "decoder", "cross"};
  char text[96];
  snprintf(text, sizeof text, "%s %zu.%zu %s", places[kind], layer + 1, head + 1,
           mt_effect_kind_name(effect));
  mt_changes *changes = mt_changes_parse("effect", text, error);
  if (!changes || effect != MT_EFFECT_MEAN)
    return changes;
  mt_changes *result = mt_changes_with_means(changes, means, error);
  mt_changes_unref(changes);
  return result;
}

/* The encoder's heads first, then the decoder's by layer, as they join a pass; *n of them. */
static bool
make_variants(mt_effects *effects, const mt_effects_params *params, mt_variant *variants,
              size_t *n_variants, mt_error *error)
{
  static const mt_attention_kind decoder_kinds[] = {MT_DECODER_SELF, MT_CROSS};
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++) {
    const mt_attention_kind encoder = MT_ENCODER_SELF;
    const mt_attention_kind *kinds = stack == MT_STACK_ENCODER ? &encoder : decoder_kinds;
    size_t n_kinds = stack == MT_STACK_ENCODER ? 1 : 2;
    for (size_t layer = 0; layer < effects->n_layers[kinds[0]]; layer++)
      for (size_t k = 0; k < n_kinds; k++)
        for (size_t head = 0; head < effects->n_heads[kinds[k]]; head++) {
          size_t place = place_of(effects, kinds[k], layer, head);
          if (params->wanted && !params->wanted[place])
            continue;
          mt_variant *variant = &variants[(*n_variants)++];
          *variant = (mt_variant){.kind = kinds[k],
                                  .layer = layer,
                                  .place = place,
                                  .changes = make_change(effects->kind, kinds[k], layer, head,
                                                         params->means, error),
                                  .logprobs = effects->tokens + place * effects->n_tokens};
          if (!variant->changes)
            return false;
        }
  }
  return true;
}

/* Log-probabilities become effects. */
static void
subtract(mt_effects *effects, const mt_variant *clean, const mt_variant *variants, size_t n)
{
  effects->margin = clean->margin;
  for (size_t i = 0; i < n; i++) {
    for (size_t t = 0; t < effects->n_tokens; t++)
      variants[i].logprobs[t] = clean->logprobs[t] - variants[i].logprobs[t];
    if (effects->has_contrast)
      effects->contrast[variants[i].place] = clean->margin - variants[i].margin;
  }
}

static bool
fill(mt_session *session, mt_effects *effects, const mt_effects_params *params,
     const mt_variants_work *work, mt_error *error)
{
  size_t n = 0;
  mt_variant clean = {.logprobs = effects->logprobs};
  mt_variant *variants = mt_alloc(heads_before(effects, MT_N_KINDS), sizeof *variants);
  if (!variants)
    return mt_fail_no_memory(error);
  bool ok = make_variants(effects, params, variants, &n, error) &&
            mt_variants_run(session, work, &clean, variants, n, error) &&
            mt_model_check_files(session->model, error);
  if (ok)
    subtract(effects, &clean, variants, n);
  for (size_t i = 0; i < n; i++)
    mt_changes_unref(variants[i].changes);
  mt_free(variants);
  return ok;
}

static bool
check_params(const mt_session *session, const mt_effects_params *params, size_t n_tokens,
             mt_error *error)
{
  size_t vocab_size = session->model->output.n_out;
  if ((unsigned) params->kind >= MT_N_EFFECTS)
    return mt_fail(error, MT_ERROR_INPUT, "There is no effect %d.", (int) params->kind);
  if (params->kind == MT_EFFECT_MEAN && !params->means)
    return mt_fail(error, MT_ERROR_INPUT, "The effect \"mean\" wants the means of a text.");
  if (params->kind == MT_EFFECT_MEAN && !mt_means_check(params->means, session->model, error))
    return false;
  if (!params->has_contrast)
    return true;
  if (params->token >= n_tokens)
    return mt_fail(error, MT_ERROR_INPUT, "There is no output token %zu; there are %zu.",
                   params->token + 1, n_tokens);
  if (params->against < 0 || (size_t) params->against >= vocab_size)
    return mt_fail(error, MT_ERROR_INPUT,
                   "There is no piece with the id %d; the vocabulary has %zu.",
                   (int) params->against, vocab_size);
  return true;
}

mt_effects *
mt_effects_new(mt_session *session, const mt_translation *translation, size_t index,
               const mt_effects_params *params, const mt_hooks *hooks, mt_error *error)
{
  static const mt_effects_params zero = {.kind = MT_EFFECT_ZERO};
  params = params ? params : &zero;
  mt_hooks own = {0};
  if (hooks)
    own = (mt_hooks){.changes = hooks->changes,
                     .should_stop = hooks->should_stop,
                     .user = hooks->user};
  if (!mt_session_check_hypothesis(session, translation, index, &own, error))
    return NULL;
  const mt_tokens *source = mt_translation_source(translation);
  const mt_tokens *output = mt_translation_hypothesis(translation, index)->tokens;
  size_t n = mt_tokens_count(output);
  if (!check_params(session, params, n, error) || !mt_model_check_files(session->model, error))
    return NULL;
  mt_tokens *input = mt_session_decoder_input(session, output, error);
  mt_effects *effects = input ? new_effects(&session->model->config, n, params, error) : NULL;
  if (effects) {
    mt_variants_work work = {.source = mt_tokens_ids(source),
                             .n_source = mt_tokens_count(source),
                             .input = mt_tokens_ids(input),
                             .output = mt_tokens_ids(output),
                             .n_target = n,
                             .has_contrast = params->has_contrast,
                             .token = params->token,
                             .against = params->against,
                             .on_progress = params->on_progress,
                             .user = params->user,
                             .hooks = &own};
    if (!fill(session, effects, params, &work, error)) {
      mt_effects_unref(effects);
      effects = NULL;
    }
  }
  mt_tokens_unref(input);
  return effects;
}

mt_effects *
mt_model_effects(mt_model *model, const mt_translation *translation, size_t index,
                 const mt_effects_params *params, const mt_hooks *hooks, mt_error *error)
{
  mt_session *session = mt_session_new(model, NULL, error);
  mt_effects *effects =
      session ? mt_effects_new(session, translation, index, params, hooks, error) : NULL;
  mt_session_free(session);
  return effects;
}
