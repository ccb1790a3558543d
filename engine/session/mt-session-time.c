/* mt-session-time.c — how long the parts of a pass take.
 *
 * The clock is read where a pass shows its tensors, by a request that copies nothing: the pass is
 * the same as ever, heads shared by threads included. What a part took is the time between what was
 * shown before it and its own tensor.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-session.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "text/mt-tokens.h"

#include <assert.h>
#include <mt/complexity.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The parts, and then what is no part. */
enum { OTHER = MT_N_COSTS, PASS, N_TIMES };

typedef struct {
  double times[N_TIMES]; /* of one pass */
  double mark;           /* until when all time has been given to something */
  _Atomic(double) heads; /* when the last head of the layer was done; heads run side by side */
} watch;

static void
give(watch *w, int part, double until)
{
  w->times[part] += until - w->mark;
  w->mark = until;
}

static void
head_is_done(watch *w, double now)
{
  double known = atomic_load_explicit(&w->heads, memory_order_relaxed);
  while (known < now &&
         !atomic_compare_exchange_weak_explicit(&w->heads, &known, now, memory_order_relaxed,
                                                memory_order_relaxed))
    ;
}

static void
on_view(void *user, const mt_activation_view *view)
{
  watch *w = user;
  const double now = mt_session_clock();
  const bool encodes = view->kind == MT_ENCODER_SELF;
  const int projections = encodes ? MT_COST_ENCODER_PROJECTIONS : MT_COST_DECODER_PROJECTIONS;
  switch (view->hook_point) {
  case MT_HOOK_QUERY:
  case MT_HOOK_VALUE:
    give(w, projections, now);
    break;
  case MT_HOOK_CONTEXT:
    head_is_done(w, now);
    break;
  case MT_HOOK_ATTENTION_OUTPUT:
    give(w, encodes ? MT_COST_ENCODER_SCORES : MT_COST_DECODER_SCORES,
         atomic_load_explicit(&w->heads, memory_order_relaxed));
    give(w, projections, now);
    break;
  case MT_HOOK_FEED_FORWARD:
    give(w, encodes ? MT_COST_ENCODER_FEED_FORWARD : MT_COST_DECODER_FEED_FORWARD, now);
    break;
  default:
    give(w, OTHER, now);
  }
}

/* Where the clock is read. Queries, keys and values are shown together, head by head: the last
 * head's value of self-attention ends their projection, the last head's query that of
 * cross-attention. */
static mt_activation_requests
boundaries(const mt_config *config)
{
  static const mt_hook_point others[] = {MT_HOOK_STREAM,       MT_HOOK_ATTENTION_OUTPUT,
                                         MT_HOOK_FEED_FORWARD, MT_HOOK_RESIDUAL,
                                         MT_HOOK_LAYER_OUTPUT, MT_HOOK_STACK_OUTPUT};
  uint64_t last[MT_N_STACKS];
  for (int s = 0; s < MT_N_STACKS; s++)
    last[s] = UINT64_C(1) << (config->n_heads[s] < 64 ? config->n_heads[s] - 1 : 63);
  mt_activation_requests requests = {
      .n = 4,
      .requests = {{MT_HOOK_VALUE, MT_KIND_BIT(MT_ENCODER_SELF), MT_ALL_LAYERS, last[0]},
                   {MT_HOOK_VALUE, MT_KIND_BIT(MT_DECODER_SELF) | MT_KIND_BIT(MT_CROSS),
                    MT_ALL_LAYERS, last[1]},
                   {MT_HOOK_QUERY, MT_KIND_BIT(MT_CROSS), MT_ALL_LAYERS, last[1]},
                   {MT_HOOK_CONTEXT, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS}},
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    requests.requests[requests.n++] =
        (mt_activation_request){others[i], MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
  return requests;
}

/* The output matrix, a block of rows at a time, and the softmax over the vocabulary. */
static bool
time_output(const mt_run *run, const mt_pass *pass, size_t n_rows, watch *w)
{
  const size_t n_out = pass->model->output.n_out, most = run->buffers.logit_rows;
  for (size_t first = 0; first < n_rows; first += most) {
    const size_t n = n_rows - first < most ? n_rows - first : most;
    if (mt_pass_is_stopped(pass))
      return false;
    mt_decoder_logits(pass, first, n, run->buffers.logits);
    give(w, MT_COST_OUTPUT, mt_session_clock());
    for (size_t r = 0; r < n; r++)
      pass->ops->kernels->log_sum_exp(run->buffers.logits + r * n_out, n_out);
    give(w, OTHER, mt_session_clock());
  }
  return true;
}

static bool
time_pass(mt_session *session, const mt_forced *ids, const mt_hooks *hooks, watch *w,
          mt_error *error)
{
  mt_run *run = &session->run;
  mt_run_shape shape = {.n_sentences = 1, .n_source = ids->n_source, .n_target = ids->n_target};
  if (!mt_run_reserve(run, session->model, &session->ops, &shape, error))
    return false;
  mt_sentence *sentence = &run->sentences[0];
  mt_pass pass = mt_run_begin_pass(run, session->interventions, hooks, error);
  for (int i = 0; i < N_TIMES; i++)
    w->times[i] = 0;
  const double begin = mt_session_clock();
  w->mark = begin;
  bool ok = mt_run_add_source(run, sentence, ids->source, ids->n_source);
  assert(ok); /* the run is laid out for this sentence */
  ok = mt_run_encode(run, &pass) && mt_run_force(run, &pass, sentence, ids, NULL);
  if (!ok)
    return false;
  mt_stack_finish(&pass, MT_STACK_DECODER);
  ok = time_output(run, &pass, ids->n_target, w);
  w->times[PASS] = w->mark - begin;
  return ok;
}

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Sorts values. */
static double
median(double *values, size_t n)
{
  qsort(values, n, sizeof *values, compare);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* times [N_TIMES][n_passes]. */
static bool
time_passes(mt_session *session, const mt_forced *ids, size_t n_passes, const mt_hooks *hooks,
            watch *w, double *times, mt_error *error)
{
  /* The first one fetches weights and memory. */
  if (!time_pass(session, ids, hooks, w, error))
    return false;
  for (size_t i = 0; i < n_passes; i++) {
    if (!time_pass(session, ids, hooks, w, error))
      return false;
    for (int t = 0; t < N_TIMES; t++)
      times[(size_t) t * n_passes + i] = w->times[t];
  }
  return true;
}

bool
mt_session_time_costs(mt_session *session, const mt_translation *translation, size_t index,
                      size_t n_passes, const mt_hooks *hooks, mt_cost_times *times, mt_error *error)
{
  if (n_passes == 0 || n_passes > MT_MOST_TIMED_PASSES)
    return mt_fail(error, MT_ERROR_INPUT, "1 to %d passes can be timed, not %zu.",
                   MT_MOST_TIMED_PASSES, n_passes);
  mt_forced ids;
  if (!mt_session_forced_hypothesis(session, translation, index, hooks, &ids, error))
    return false;
  watch w = {0};
  const mt_activation_requests requests = boundaries(mt_model_config(session->model));
  mt_hooks own = mt_hooks_with_requests(hooks, &requests);
  own.callback = (mt_activation_callback){.on_view = on_view, .user = &w, .is_parallel = true};
  double *all = mt_alloc(N_TIMES * n_passes, sizeof *all);
  bool ok =
      all ? time_passes(session, &ids, n_passes, &own, &w, all, error) : mt_fail_no_memory(error);
  if (ok && (ok = mt_model_check_files(session->model, error))) {
    *times = (mt_cost_times){.n_source = ids.n_source,
                             .n_target = ids.n_target,
                             .n_passes = n_passes,
                             .n_threads = mt_pool_n_threads(session->ops.pool)};
    for (int i = 0; i < MT_N_COSTS; i++)
      times->of[i] = median(all + (size_t) i * n_passes, n_passes);
    times->other = median(all + OTHER * n_passes, n_passes);
    times->pass = median(all + PASS * n_passes, n_passes);
  }
  mt_free(all);
  mt_forced_clear(&ids);
  return ok;
}

bool
mt_time_costs(mt_model *model, const mt_translation *translation, size_t index, size_t n_passes,
              const mt_hooks *hooks, mt_cost_times *times, mt_error *error)
{
  mt_session *session = mt_session_new(model, NULL, error);
  bool ok =
      session && mt_session_time_costs(session, translation, index, n_passes, hooks, times, error);
  mt_session_free(session);
  return ok;
}
