/* mt-capture-many.c — the captures of several translations in one pass.
 *
 * A sentence alone is a few rows, too few for products to be fast. The rows of several stand one
 * after the other (mt-kv.h), and each matrix of attention goes to the capture of its sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-session.h"

#include "base/mt-error.h"
#include "text/mt-tokens.h"

#include <string.h>

/* ---- What is seen ------------------------------------------------------------------------------
 */

/* Called by several threads, for different heads; user: captures by the number of their sentence.
 */
static void
keep(void *user, const mt_view *view)
{
  mt_capture *capture = ((mt_capture **) user)[view->sentence];
  const size_t at = view->first_row;
  float *to;
  size_t cols;
  if (view->site == MT_SITE_POSITION) {
    to = mt_capture_fill_positions(capture, view->kind == MT_ENCODER_SELF ? MT_STACK_ENCODER
                                                                          : MT_STACK_DECODER);
    cols = view->cols;
  } else {
    const size_t layer = (size_t) view->layer, head = (size_t) view->head;
    to = mt_capture_fill_weights(capture, view->kind, layer, head);
    cols = mt_capture_weights(capture, view->kind, layer, head).cols;
    memcpy(mt_capture_fill_row_lse(capture, view->kind, layer, head) + at, view->row_lse,
           view->rows * sizeof(float));
  }
  for (size_t r = 0; r < view->rows; r++)
    memcpy(to + (at + r) * cols, view->data + r * view->stride, view->cols * sizeof(float));
}

/* ---- The pass ----------------------------------------------------------------------------------
 */

/* Room for all of them at once. */
static bool
reserve(mt_session *session, mt_capture *const *captures, size_t n, mt_error *error)
{
  mt_run_shape shape = {.n_sentences = n};
  size_t rows[MT_N_STACKS] = {0}, pages = 0;
  for (size_t i = 0; i < n; i++) {
    const size_t n_source = mt_tokens_count(mt_capture_source(captures[i]));
    const size_t n_target = mt_tokens_count(mt_capture_output(captures[i]));
    shape.n_source = n_source > shape.n_source ? n_source : shape.n_source;
    shape.n_target = n_target > shape.n_target ? n_target : shape.n_target;
    rows[MT_STACK_ENCODER] += n_source;
    rows[MT_STACK_DECODER] += n_target;
    pages += mt_kv_pool_pages(n_source);
  }
  shape.n_rows = rows[0] > rows[1] ? rows[0] : rows[1];
  shape.n_kv = pages * MT_KV_PAGE;
  return mt_run_reserve(&session->run, session->model, &session->ops, &shape, error);
}

static bool
run_all(mt_session *session, mt_capture **captures, size_t n, const mt_hooks *hooks,
        mt_error *error)
{
  mt_run *run = &session->run;
  const mt_taps taps = {2,
                        {{.site = MT_SITE_POSITION, .kinds = MT_ALL_KINDS},
                         {MT_SITE_WEIGHTS, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS}}};
  const mt_hooks own = {.should_stop = hooks ? hooks->should_stop : NULL,
                        .user = hooks ? hooks->user : NULL,
                        .changes = hooks ? hooks->changes : NULL};
  mt_pass pass = mt_run_begin_pass(run, session->changes, &own, error);
  mt_sites_add(&pass.sites, (mt_observer){&taps, {keep, captures, true}, NULL});
  mt_run_begin_rows(run);
  for (size_t i = 0; i < n; i++) {
    const mt_tokens *source = mt_capture_source(captures[i]);
    run->sentences[i].number = i;
    if (!mt_run_add_source(run, &run->sentences[i], mt_tokens_ids(source), mt_tokens_count(source)))
      return mt_fail_no_memory(error); /* the run was laid out for them */
  }
  if (!mt_run_encode(run, &pass))
    return false;
  mt_run_begin_rows(run);
  for (size_t i = 0; i < n; i++) {
    const mt_tokens *input = mt_capture_decoder_input(captures[i]);
    mt_run_add_target(run, &run->sentences[i], mt_tokens_ids(input), mt_tokens_count(input));
  }
  return mt_run_force_all(run, &pass);
}

bool
mt_session_capture_many(mt_session *session, const mt_translation *const *translations, size_t n,
                        const mt_hooks *hooks, mt_capture **captures, mt_error *error)
{
  const mt_changes *changes = hooks ? hooks->changes : NULL;
  const mt_hooks own = {.changes = changes};
  size_t n_made = 0;
  bool ok = true;
  for (; ok && n_made < n; n_made += ok) {
    const mt_translation *translation = translations[n_made];
    if (!mt_translation_is_of(translation, session->model, changes)) {
      ok = mt_fail(error, MT_ERROR_INPUT,
                   "Translation %zu is not what this model said with these changes.", n_made + 1);
      break;
    }
    captures[n_made] = mt_session_new_capture(session, translation, 0, 0, &own, error);
    ok = captures[n_made] != NULL;
    if (ok) {
      const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, 0);
      memcpy(mt_capture_fill_logprobs(captures[n_made]), hypothesis->logprobs,
             mt_tokens_count(hypothesis->tokens) * sizeof(float));
    }
  }
  ok = ok &&
       (n == 0 ||
        (reserve(session, captures, n, error) && run_all(session, captures, n, hooks, error))) &&
       mt_model_check_files(session->model, error);
  for (size_t i = 0; !ok && i < n_made; i++) {
    mt_capture_unref(captures[i]);
    captures[i] = NULL;
  }
  return ok;
}
