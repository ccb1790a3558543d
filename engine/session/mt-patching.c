/* mt-patching.c — the states of one run in another, each alone: a map of what comes back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-activations.h"
#include "session/mt-ablation.h"
#include "session/mt-session.h"
#include "text/mt-tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- States ---------------------------------------------------------------------------------- */

/* The states of a run, taken from one teacher-forced pass. */

/* Where the first row of a tensor is kept; *width: of the rows there. */
static float *
place_of(const mt_activations *states, const mt_activation_view *view, size_t *width)
{
  mt_stack stack = mt_kind_stack(view->kind);
  size_t layer = (size_t) view->layer, before = layer * states->n_tokens[stack];
  *width = states->d_model;
  switch (view->hook_point) {
  case MT_HOOK_STREAM:
    return mt_activations_stream(states, stack, 0);
  case MT_HOOK_LAYER_OUTPUT:
    return mt_activations_stream(states, stack, layer + 1);
  case MT_HOOK_RESIDUAL:
    return states->residuals[view->kind] + before * states->d_model;
  default:
    *width = states->inner[view->kind];
    return states->contexts[view->kind] + before * *width + (size_t) view->head * view->cols;
  }
}

/* Called by several threads, for different heads. */
static void
on_view(void *user, const mt_activation_view *view)
{
  const mt_activations *states = user;
  size_t width;
  float *to = place_of(states, view, &width);
  for (size_t r = 0; r < view->rows; r++)
    memcpy(to + (view->first_row + r) * width, view->data + r * view->stride,
           view->cols * sizeof *to);
}

mt_activations *
mt_activations_new(mt_session *session, const mt_translation *translation, size_t index,
                   const mt_hooks *hooks, mt_error *error)
{
  const mt_activation_requests requests = {
      4,
      {{MT_HOOK_STREAM, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS},
       {MT_HOOK_LAYER_OUTPUT, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS},
       {MT_HOOK_RESIDUAL, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS},
       {MT_HOOK_CONTEXT, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS}}};
  mt_hooks own = mt_hooks_with_requests(hooks, &requests);
  mt_forced forced;
  if (!mt_session_forced_hypothesis(session, translation, index, &own, &forced, error))
    return NULL;
  mt_activations *states =
      mt_activations_alloc(session->model, forced.n_source, forced.n_target, error);
  own.callback = (mt_activation_callback){on_view, states, true};
  if (states && (!mt_session_force(session, &forced, NULL, NULL, &own, error) ||
                 !mt_model_check_files(session->model, error))) {
    mt_activations_unref(states);
    states = NULL;
  }
  if (states)
    mt_activations_seal(states);
  mt_forced_clear(&forced);
  return states;
}

/* ---- Patching -------------------------------------------------------------------------------- */

/* ---- The value ------------------------------------------------------------------------------- */

static size_t
n_streams(const mt_patching *p, mt_stack stack)
{
  return (p->n_layers[stack] + 1) * p->n_tokens[stack];
}

static size_t
n_contexts(const mt_patching *p, mt_attention_kind kind)
{
  return p->n_layers[mt_kind_stack(kind)] * p->n_heads[mt_kind_stack(kind)];
}

static mt_patching *
alloc_patching(const mt_config *config, size_t n_source, size_t n_target, mt_error *error)
{
  mt_patching *p = mt_alloc(1, sizeof *p);
  if (!p)
    return mt_fail_no_memory(error), NULL;
  p->ref_count = 1;
  p->n_tokens[MT_STACK_ENCODER] = n_source;
  p->n_tokens[MT_STACK_DECODER] = n_target;
  p->a = mt_alloc(n_target, sizeof(float));
  p->b = mt_alloc(n_target, sizeof(float));
  bool ok = p->a && p->b;
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++) {
    p->n_layers[stack] = config->n_layers[stack];
    p->n_heads[stack] = config->n_heads[stack];
    p->streams[stack] = mt_alloc(n_streams(p, stack), n_target * sizeof(float));
    ok = ok && p->streams[stack];
  }
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    p->contexts[kind] = mt_alloc(n_contexts(p, kind), n_target * sizeof(float));
    ok = ok && p->contexts[kind];
  }
  if (ok)
    return p;
  mt_patching_unref(p);
  return mt_fail_no_memory(error), NULL;
}

static void
patching_free(mt_patching *patching)
{
  mt_free(patching->a);
  mt_free(patching->b);
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++)
    mt_free(patching->streams[stack]);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    mt_free(patching->contexts[kind]);
  mt_free(patching);
}

MT_DEFINE_COUNTED(mt_patching, patching_free)

static float *
stream_place(const mt_patching *p, mt_stack stack, size_t layer, size_t token)
{
  return p->streams[stack] + (layer * p->n_tokens[stack] + token) * p->n_tokens[MT_STACK_DECODER];
}

static float *
context_place(const mt_patching *p, mt_attention_kind kind, size_t layer, size_t head)
{
  return p->contexts[kind] +
         (layer * p->n_heads[mt_kind_stack(kind)] + head) * p->n_tokens[MT_STACK_DECODER];
}

const float *
mt_patching_stream(const mt_patching *patching, mt_stack stack, size_t layer, size_t token)
{
  return stream_place(patching, stack, layer, token);
}

const float *
mt_patching_head(const mt_patching *patching, mt_attention_kind kind, size_t layer, size_t head)
{
  return context_place(patching, kind, layer, head);
}

double
mt_patching_measure(const mt_patching *patching, const float *logprobs, size_t token)
{
  double sum = 0;
  if (token != SIZE_MAX)
    return (double) logprobs[token];
  for (size_t t = 0; t < patching->n_tokens[MT_STACK_DECODER]; t++)
    sum += (double) logprobs[t];
  return sum;
}

double
mt_patching_recovered(const mt_patching *patching, const float *logprobs, size_t token)
{
  double a = mt_patching_measure(patching, patching->a, token);
  double b = mt_patching_measure(patching, patching->b, token);
  double m = mt_patching_measure(patching, logprobs, token);
  /* What two computations of the same differ by is no loss. */
  double rounding = 1e-5 * (1 + fabs(a));
  return fabs(a - b) > rounding ? (m - b) / (a - b) : (double) NAN;
}

/* ---- Computing it ---------------------------------------------------------------------------- */

/* "cross 4.1 patch" */
static mt_interventions *
make_change(mt_attention_kind kind, size_t layer, size_t head, mt_activations *states,
            mt_error *error)
{
  static const char *const places[MT_N_KINDS] = {"encoder", "decoder", "cross"};
  char text[96];
  snprintf(text, sizeof text, "%s %zu.%zu patch", places[kind], layer + 1, head + 1);
  mt_interventions *interventions = mt_interventions_parse("patch", text, error);
  mt_interventions *result =
      interventions ? mt_interventions_with_activations(interventions, states, error) : NULL;
  mt_interventions_unref(interventions);
  return result;
}

/* What joins before a layer of a stack, or behind its last: streams, then heads. */
static bool
add_layer(const mt_patching *p, mt_activations *states, mt_stack stack, size_t layer,
          mt_variant *variants, size_t *n, mt_error *error)
{
  mt_attention_kind self = mt_stack_kind(stack);
  for (size_t token = 0; token < p->n_tokens[stack]; token++)
    variants[(*n)++] =
        (mt_variant){.kind = self,
                     .layer = layer,
                     .patch = mt_activations_stream(states, stack, layer) + token * states->d_model,
                     .token = token,
                     .logprobs = stream_place(p, stack, layer, token)};
  if (layer == p->n_layers[stack])
    return true;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    if (mt_kind_stack(kind) != stack)
      continue;
    for (size_t head = 0; head < p->n_heads[stack]; head++) {
      mt_variant *variant = &variants[(*n)++];
      *variant = (mt_variant){.kind = kind,
                              .layer = layer,
                              .interventions = make_change(kind, layer, head, states, error),
                              .logprobs = context_place(p, kind, layer, head)};
      if (!variant->interventions)
        return false;
    }
  }
  return true;
}

static size_t
count_variants(const mt_patching *p)
{
  size_t n = 0;
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++)
    n += n_streams(p, stack);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    n += n_contexts(p, kind);
  return n;
}

/* Run B, and all patches. */
static bool
fill(mt_session *session, const mt_patching *p, mt_activations *states,
     const mt_variants_work *work, mt_error *error)
{
  size_t n = 0, n_all = count_variants(p);
  mt_variant clean = {.logprobs = p->b};
  mt_variant *variants = mt_alloc(n_all, sizeof *variants);
  bool ok = variants != NULL || mt_fail_no_memory(error);
  for (mt_stack stack = 0; ok && stack < MT_N_STACKS; stack++)
    for (size_t layer = 0; ok && layer <= p->n_layers[stack]; layer++)
      ok = add_layer(p, states, stack, layer, variants, &n, error);
  ok = ok && mt_variants_run(session, work, &clean, variants, n, error) &&
       mt_model_check_files(session->model, error);
  for (size_t i = 0; i < n; i++)
    mt_interventions_unref(variants[i].interventions);
  mt_free(variants);
  return ok;
}

static bool
check_source(const mt_session *session, const mt_tokens *a, const mt_tokens *b,
             const mt_hooks *hooks, mt_error *error)
{
  if (mt_tokens_count(a) != mt_tokens_count(b))
    return mt_fail(error, MT_ERROR_INPUT,
                   "The texts have %zu and %zu tokens; states are copied between texts of as many "
                   "tokens.",
                   mt_tokens_count(a), mt_tokens_count(b));
  return mt_session_check_tokens(session, MT_STACK_ENCODER, b, error) &&
         mt_session_check_source(b, hooks, error);
}

mt_patching *
mt_patching_new(mt_session *session, const mt_translation *translation, size_t index,
                const mt_patching_params *params, const mt_hooks *hooks, mt_error *error)
{
  static const mt_patching_params zero = {0};
  params = params ? params : &zero;
  const mt_hooks b = mt_hooks_with_requests(hooks, NULL);
  mt_hooks a = b;
  a.interventions = params->interventions;
  if (!mt_session_check_hypothesis(session, translation, index, &a, error) ||
      !mt_session_check_hooks(session, &b, error))
    return NULL;
  const mt_tokens *source = mt_translation_source(translation);
  const mt_tokens *source_b = params->source ? params->source : source;
  mt_forced forced;
  if (!check_source(session, source, source_b, &b, error) ||
      !mt_session_forced(session, source, mt_translation_hypothesis(translation, index)->tokens,
                         mt_session_start_id(session, translation), &forced, error))
    return NULL;

  mt_activations *states = mt_activations_new(session, translation, index, &a, error);
  mt_patching *p =
      states ? alloc_patching(&session->model->config, forced.n_source, forced.n_target, error)
             : NULL;
  if (p) {
    mt_variants_work work = {.forced = forced,
                             .on_progress = params->on_progress,
                             .user = params->user,
                             .hooks = &b};
    work.forced.source = mt_tokens_ids(source_b);
    if (!mt_session_force(session, &forced, p->a, NULL, &a, error) ||
        !fill(session, p, states, &work, error)) {
      mt_patching_unref(p);
      p = NULL;
    }
  }
  mt_activations_unref(states);
  mt_forced_clear(&forced);
  return p;
}
