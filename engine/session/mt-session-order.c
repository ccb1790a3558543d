/* mt-session-order.c — the encoder's outputs for tokens in two orders (the paper, section 3.5).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "session/mt-session.h"
#include "text/mt-tokens.h"

#include <math.h>
#include <string.h>

/* The encoder's outputs, as they pass by. */
static void
keep_output(void *user, const mt_activation_view *view)
{
  float *to = user;
  for (size_t r = 0; r < view->rows; r++)
    memcpy(to + (view->first_row + r) * view->cols, view->data + r * view->stride,
           view->cols * sizeof *to);
}

/* outputs [n][d] */
static bool
encode(mt_session *session, const int32_t *ids, size_t n, mt_hooks *hooks, float *outputs,
       mt_error *error)
{
  mt_run *run = &session->run;
  const mt_run_shape shape = {.n_sentences = 1, .n_source = n, .n_target = 1};
  hooks->callback = (mt_activation_callback){.on_view = keep_output, .user = outputs};
  if (!mt_run_reserve(run, session->model, &session->ops, &shape, error))
    return false;
  const mt_pass pass = mt_run_begin_pass(run, session->interventions, hooks, error);
  return mt_run_add_source(run, &run->sentences[0], ids, n) && mt_run_encode(run, &pass);
}

/* Each token once. */
static bool
check_order(const size_t *order, const mt_tokens *source, mt_error *error)
{
  const size_t n = mt_tokens_count(source);
  char *seen = mt_alloc(n, 1);
  if (!seen)
    return mt_fail_no_memory(error);
  size_t place = 0;
  while (place < n && order[place] < n && !seen[order[place]])
    seen[order[place++]] = 1;
  mt_free(seen);
  return place == n ||
         mt_fail(error, MT_ERROR_INPUT,
                 "An order of %zu tokens names each of them once; place %zu does not.", n,
                 place + 1);
}

static mt_permutation_difference
compare(const float *outputs, const float *moved, const size_t *order, size_t n, size_t d)
{
  mt_permutation_difference result = {0};
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < d; k++) {
      const double y = (double) outputs[order[i] * d + k], z = (double) moved[i * d + k];
      result.difference = fmax(result.difference, fabs(y - z));
      result.largest = fmax(result.largest, fabs(y));
    }
  return result;
}

static bool
compare_orders(mt_session *session, const mt_tokens *source, const size_t *order, mt_hooks *hooks,
               mt_permutation_difference *result, mt_error *error)
{
  const size_t n = mt_tokens_count(source), d = session->model->config.d_model;
  const int32_t *ids = mt_tokens_ids(source);
  int32_t *moved_ids = mt_alloc(n, sizeof *moved_ids);
  float *outputs = mt_alloc(n, d * sizeof *outputs), *moved = mt_alloc(n, d * sizeof *moved);
  bool ok = (moved_ids && outputs && moved) || mt_fail_no_memory(error);
  for (size_t i = 0; ok && i < n; i++)
    moved_ids[i] = ids[order[i]];
  ok = ok && encode(session, ids, n, hooks, outputs, error) &&
       encode(session, moved_ids, n, hooks, moved, error) &&
       mt_model_check_files(session->model, error);
  if (ok)
    *result = compare(outputs, moved, order, n, d);
  mt_free(moved_ids);
  mt_free(outputs);
  mt_free(moved);
  return ok;
}

bool
mt_permutation_compare(mt_model *model, const mt_tokens *source, const size_t *order,
                       const mt_hooks *hooks, mt_permutation_difference *result, mt_error *error)
{
  static const mt_activation_requests requests = {
      1, {{MT_HOOK_STACK_OUTPUT, MT_KIND_BIT(MT_ENCODER_SELF), MT_ALL_LAYERS, MT_ALL_HEADS}}};
  mt_hooks own = mt_hooks_with_requests(hooks, &requests);
  mt_session *session = mt_session_new(model, NULL, error);
  bool ok = session && mt_session_check_hooks(session, &own, error) &&
            mt_session_check_tokens(session, MT_STACK_ENCODER, source, error) &&
            mt_session_check_source(source, &own, error) && check_order(order, source, error) &&
            mt_model_check_files(model, error) &&
            compare_orders(session, source, order, &own, result, error);
  mt_session_free(session);
  return ok;
}

mt_translation *
mt_permutation_translate(mt_model *model, const mt_tokens *source, const size_t *order,
                         const mt_hooks *hooks, mt_error *error)
{
  const size_t n = mt_tokens_count(source);
  if (!check_order(order, source, error))
    return NULL;
  int32_t *ids = mt_alloc(n, sizeof *ids);
  if (!ids)
    return mt_fail_no_memory(error), NULL;
  for (size_t i = 0; i < n; i++)
    ids[i] = mt_tokens_ids(source)[order[i]];
  mt_tokens *moved = mt_model_detokenize(model, MT_STACK_ENCODER, ids, n, error);
  mt_session *session = moved ? mt_session_new(model, NULL, error) : NULL;
  mt_translation *translation =
      session ? mt_session_translate_tokens(session, moved, NULL, hooks, error) : NULL;
  mt_session_free(session);
  mt_tokens_unref(moved);
  mt_free(ids);
  return translation;
}
