/* mt-session-states.c — the states of a run, taken from one teacher-forced pass.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-error.h"
#include "model/mt-states.h"
#include "session/mt-session.h"
#include "text/mt-tokens.h"

#include <string.h>

/* Where the first row of a tensor is kept. */
static float *
place_of(const mt_states *states, const mt_view *view)
{
  mt_stack stack = mt_kind_stack(view->kind);
  size_t layer = (size_t) view->layer, d = states->d_model;
  size_t at = layer * states->n_tokens[stack] * d;
  switch (view->site) {
  case MT_SITE_STREAM:
    return mt_states_stream(states, stack, 0);
  case MT_SITE_LAYER_OUTPUT:
    return mt_states_stream(states, stack, layer + 1);
  case MT_SITE_RESIDUAL:
    return states->residuals[view->kind] + at;
  default:
    return states->contexts[view->kind] + at + (size_t) view->head * view->cols;
  }
}

/* Called by several threads, for different heads. */
static void
on_view(void *user, const mt_view *view)
{
  const mt_states *states = user;
  float *to = place_of(states, view) + view->first_row * states->d_model;
  for (size_t r = 0; r < view->rows; r++)
    memcpy(to + r * states->d_model, view->data + r * view->stride, view->cols * sizeof *to);
}

mt_states *
mt_states_new(mt_session *session, const mt_translation *translation, size_t index,
              const mt_hooks *hooks, mt_error *error)
{
  const mt_taps taps = {4,
                        {{MT_SITE_STREAM, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS},
                         {MT_SITE_LAYER_OUTPUT, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS},
                         {MT_SITE_RESIDUAL, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS},
                         {MT_SITE_CONTEXT, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS}}};
  mt_hooks own = {.taps = &taps};
  if (hooks) {
    own.changes = hooks->changes;
    own.should_stop = hooks->should_stop;
    own.user = hooks->user;
  }
  if (!mt_session_check_hypothesis(session, translation, index, &own, error))
    return NULL;
  const mt_tokens *source = mt_translation_source(translation);
  const mt_tokens *output = mt_translation_hypothesis(translation, index)->tokens;
  size_t n_source = mt_tokens_count(source), n_target = mt_tokens_count(output);
  mt_tokens *input = mt_session_decoder_input(session, output, error);
  mt_states *states = input ? mt_states_alloc(session->model, n_source, n_target, error) : NULL;
  own.sink = (mt_sink){on_view, states, true};
  if (states && (!mt_session_force(session, mt_tokens_ids(source), n_source, mt_tokens_ids(input),
                                   NULL, n_target, NULL, NULL, &own, error) ||
                 !mt_model_check_files(session->model, error))) {
    mt_states_unref(states);
    states = NULL;
  }
  if (states)
    mt_states_seal(states);
  mt_tokens_unref(input);
  return states;
}
