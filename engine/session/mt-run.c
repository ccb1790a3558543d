/* mt-run.c — sentences come into the model, go through it together and leave.
 *
 * Nothing is allocated here (mt-run-state.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-run.h"

#include <string.h>

mt_pass
mt_run_begin_pass(const mt_run *run, const mt_changes *of_model, const mt_hooks *hooks,
                  mt_error *error)
{
  return (mt_pass){
      .model = run->model,
      .ops = &run->ops,
      .buffers = &run->buffers,
      .groups = &run->groups,
      .sites = mt_sites_of(run->model, of_model, hooks),
      .should_stop = hooks ? hooks->should_stop : NULL,
      .stop_user = hooks ? hooks->user : NULL,
      .error = error,
  };
}

void
mt_run_begin_rows(mt_run *run)
{
  run->groups.n = run->groups.n_rows = 0;
}

/* n rows of a sentence; ids [n] may be NULL if they are there already. */
static mt_group *
add_rows(mt_run *run, mt_sentence *sentence, const int32_t *ids, size_t n)
{
  mt_groups *groups = &run->groups;
  mt_group *group = &groups->groups[groups->n];
  *group = (mt_group){.sentence = sentence->number,
                      .first = groups->n_rows,
                      .n = n,
                      .kv = &sentence->kv};
  run->in_pass[groups->n++] = sentence;
  memcpy(run->ids + groups->n_rows, ids, n * sizeof *ids);
  groups->n_rows += n;
  return group;
}

/* ---- The encoder -------------------------------------------------------------------------------
 */

bool
mt_run_add_source(mt_run *run, mt_sentence *sentence, const int32_t *ids, size_t n)
{
  if (!mt_kv_sentence_begin(&sentence->kv, &run->pool, n))
    return false;
  sentence->source = ids;
  sentence->n_source = n;
  add_rows(run, sentence, ids, n);
  return true;
}

bool
mt_run_encode(mt_run *run, const mt_pass *pass)
{
  return mt_encoder_run(pass, run->ids) && mt_decoder_begin(pass);
}

bool
mt_run_encode_for_search(mt_run *run, const mt_pass *pass)
{
  run->ops.may_round = true;
  bool ok = mt_run_encode(run, pass);
  run->ops.may_round = false;
  return ok;
}

/* ---- Steps of searches -------------------------------------------------------------------------
 */

void
mt_run_begin_search(mt_sentence *sentence, mt_search *search, mt_draft *draft)
{
  size_t row;
  sentence->search = search;
  sentence->draft = draft;
  sentence->is_failed = false;
  mt_search_set_source(search, sentence->source, sentence->n_source);
  mt_search_begin(search);
  if (!draft)
    return;
  mt_draft_begin(draft, sentence->kv.max_length);
  mt_draft_next(draft, search->ids[0], &row);
}

bool
mt_run_add_step(mt_run *run, mt_sentence *sentence)
{
  static const uint32_t itself[MT_DRAFT_MAX_PASS] = {0};
  const mt_search *search = sentence->search;
  const mt_draft *draft = sentence->draft;
  mt_kv_sentence *kv = &sentence->kv;
  if (draft && draft->first < kv->length)
    mt_kv_sentence_retreat(kv, &run->pool, draft->first);
  size_t n = draft ? draft->n_pass : search->n_rows, n_steps = draft ? n : 1;
  size_t position = kv->length;
  if (!mt_kv_sentence_advance(kv, &run->pool, draft ? itself : search->parents, n, n_steps))
    return false;
  mt_group *group = add_rows(run, sentence, draft ? draft->pass : search->ids, n);
  group->position = position;
  group->n_beams = kv->n_beams;
  return true;
}

/* Tell of the newest token. */
static void
report(const mt_pass *pass, const mt_sentence *sentence)
{
  const mt_hooks *hooks = pass->sites.hooks;
  mt_progress progress;
  if (!hooks->on_token || !mt_search_progress(sentence->search, &progress))
    return;
  progress.sentence = sentence->number;
  hooks->on_token(hooks->user, &progress);
}

/* One search chooses what comes next, given the logits of the sentence's rows. */
static void
choose(const mt_pass *pass, mt_sentence *sentence, float *logits)
{
  mt_search *search = sentence->search;
  size_t row = 0;
  do {
    float *from = logits + row * pass->model->output.n_out;
    sentence->is_failed = !mt_search_advance(search, from, &sentence->error);
    if (sentence->is_failed)
      return;
    report(pass, sentence);
  } while (search->n_rows > 0 && sentence->draft &&
           mt_draft_next(sentence->draft, search->ids[0], &row));
}

typedef struct {
  const mt_run *run;
  const mt_pass *pass;
  size_t first, n; /* groups */
} choose_work;

/* Some of the searches. */
static void
choose_part(void *user, size_t i, size_t n_parts)
{
  const choose_work *w = user;
  const mt_group *groups = w->run->groups.groups + w->first;
  size_t end = mt_ops_part_begin(i + 1, n_parts, w->n, 1);
  for (size_t g = mt_ops_part_begin(i, n_parts, w->n, 1); g < end; g++)
    choose(w->pass, w->run->in_pass[w->first + g],
           w->run->buffers.logits +
               (groups[g].first - groups[0].first) * w->run->model->output.n_out);
}

/* Logits and searches, as many sentences at a time as there is room for logits. */
static void
choose_all(mt_run *run, const mt_pass *pass)
{
  const mt_groups *groups = &run->groups;
  size_t n_threads = mt_pool_n_threads(run->ops.pool);
  for (size_t first = 0, end; first < groups->n; first = end) {
    size_t n_rows = 0;
    for (end = first; end < groups->n && n_rows + groups->groups[end].n <= run->buffers.logit_rows;
         end++)
      n_rows += groups->groups[end].n;
    mt_decoder_all_logits(pass, groups->groups[first].first, n_rows, run->buffers.logits);
    choose_work work = {run, pass, first, end - first};
    size_t n_parts = work.n < 4 * n_threads ? work.n : 4 * n_threads;
    /* Callbacks run on the thread that called. */
    mt_pool_run(run->ops.pool, pass->sites.hooks->on_token ? 1 : n_parts, choose_part, &work);
  }
}

bool
mt_run_step(mt_run *run, const mt_pass *pass)
{
  run->ops.is_step = run->ops.may_round = true;
  bool ok = !mt_pass_is_stopped(pass) && mt_decoder_run(pass, run->ids);
  if (ok) {
    mt_stack_finish(pass, MT_STACK_DECODER);
    choose_all(run, pass);
  }
  run->ops.is_step = run->ops.may_round = false;
  return ok;
}

/* ---- The whole output at once ------------------------------------------------------------------
 */

bool
mt_run_force(mt_run *run, const mt_pass *pass, mt_sentence *sentence, const int32_t *ids,
             const int32_t *targets, size_t n, float *logprobs)
{
  mt_run_begin_rows(run);
  add_rows(run, sentence, ids, n);
  if (!mt_decoder_run(pass, run->ids))
    return false;
  if (!logprobs)
    return true;
  mt_stack_finish(pass, MT_STACK_DECODER);
  return mt_decoder_score(pass, targets, logprobs);
}

void
mt_run_add_target(mt_run *run, mt_sentence *sentence, const int32_t *ids, size_t n)
{
  add_rows(run, sentence, ids, n);
}

bool
mt_run_force_all(mt_run *run, const mt_pass *pass)
{
  return mt_decoder_run(pass, run->ids);
}

void
mt_run_end(mt_run *run, mt_sentence *sentence)
{
  mt_kv_sentence_end(&sentence->kv, &run->pool);
}
