/* mt-session-means.c — mean contexts of the heads, added up over translations.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-means.h"
#include "session/mt-session.h"
#include "text/mt-tokens.h"

struct mt_means_sum {
  mt_session *session;
  double *sums[MT_N_KINDS];  /* [n_layers][d] of all sentences */
  double *fresh[MT_N_KINDS]; /* [n_layers][d] of the one that is added */
  size_t n_sentences, n_tokens[MT_N_STACKS];
};

static size_t
kind_size(const mt_means_sum *sum, mt_attention_kind kind)
{
  const mt_config *config = &sum->session->model->config;
  const mt_stack stack = mt_kind_stack(kind);
  return config->n_layers[stack] * mt_inner(config, stack);
}

mt_means_sum *
mt_means_sum_new(mt_session *session, mt_error *error)
{
  mt_means_sum *sum = mt_alloc(1, sizeof *sum);
  if (!sum)
    return mt_fail_no_memory(error), NULL;
  sum->session = session;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    sum->sums[kind] = mt_alloc(kind_size(sum, kind), sizeof(double));
    sum->fresh[kind] = mt_alloc(kind_size(sum, kind), sizeof(double));
    if (!sum->sums[kind] || !sum->fresh[kind]) {
      mt_means_sum_free(sum);
      return mt_fail_no_memory(error), NULL;
    }
  }
  return sum;
}

void
mt_means_sum_free(mt_means_sum *sum)
{
  if (!sum)
    return;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    mt_free(sum->sums[kind]);
    mt_free(sum->fresh[kind]);
  }
  mt_free(sum);
}

/* Called by several threads, for different heads. */
static void
on_context(void *user, const mt_activation_view *view)
{
  const mt_means_sum *sum = user;
  const mt_config *config = &sum->session->model->config;
  const size_t n_heads = config->n_heads[mt_kind_stack(view->kind)];
  double *to =
      sum->fresh[view->kind] + ((size_t) view->layer * n_heads + (size_t) view->head) * view->cols;
  for (size_t r = 0; r < view->rows; r++)
    for (size_t i = 0; i < view->cols; i++)
      to[i] += (double) view->data[r * view->stride + i];
}

bool
mt_means_sum_add(mt_means_sum *sum, const mt_translation *translation, size_t index,
                 const mt_hooks *hooks, mt_error *error)
{
  mt_session *session = sum->session;
  const mt_activation_requests requests = {1,
                                           {{MT_HOOK_CONTEXT, MT_ALL_KINDS, MT_ALL_LAYERS,
                                             MT_ALL_HEADS}}};
  mt_hooks own = {.requests = &requests, .callback = {on_context, sum, true}};
  if (hooks) {
    own.should_stop = hooks->should_stop;
    own.user = hooks->user;
  }
  mt_forced forced;
  if (!mt_session_forced_hypothesis(session, translation, index, &own, &forced, error))
    return false;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t i = 0; i < kind_size(sum, kind); i++)
      sum->fresh[kind][i] = 0;
  bool ok = mt_session_force(session, &forced, NULL, NULL, &own, error) &&
            mt_model_check_files(session->model, error);
  mt_forced_clear(&forced);
  if (!ok)
    return false;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t i = 0; i < kind_size(sum, kind); i++)
      sum->sums[kind][i] += sum->fresh[kind][i];
  sum->n_sentences++;
  sum->n_tokens[MT_STACK_ENCODER] += forced.n_source;
  sum->n_tokens[MT_STACK_DECODER] += forced.n_target;
  return true;
}

mt_means *
mt_means_sum_finish(const mt_means_sum *sum, const char *text, mt_error *error)
{
  if (sum->n_sentences == 0)
    return mt_fail(error, MT_ERROR_INPUT, "%s: there is no sentence to take means of.", text), NULL;
  mt_means *means = mt_means_new(sum->session->model, text, error);
  if (!means)
    return NULL;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t i = 0; i < kind_size(sum, kind); i++)
      means->means[kind][i] =
          (float) (sum->sums[kind][i] / (double) sum->n_tokens[mt_kind_stack(kind)]);
  means->n_sentences = sum->n_sentences;
  means->n_tokens[MT_STACK_ENCODER] = sum->n_tokens[MT_STACK_ENCODER];
  means->n_tokens[MT_STACK_DECODER] = sum->n_tokens[MT_STACK_DECODER];
  mt_means_seal(means);
  return means;
}
