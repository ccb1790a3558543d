/* mt-self-draft.c — a model guesses its own next tokens in int8, and checks them all in one pass.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-self-draft.h"

#include "model/mt-int8-copy.h"

#include <assert.h>
#include <string.h>

/* Tokens that are guessed at first; doubled as long as all come true. A guess costs about a quarter
 * of what it saves. */
#define FIRST_AHEAD 6
#define LEAST_AHEAD 2
#define MOST_AHEAD  (MT_DRAFT_MAX_PASS - 1)

/* After so many passes in which nothing came true, there are 2, 4, 8 … without a guess, and at last
 * this many. */
#define MOST_VAIN 2
#define MOST_REST 32

/* ---- Memory ---------------------------------------------------------------------------------- */

void
mt_self_draft_lay_out(mt_self_draft *self, size_t max_length, mt_arena *arena)
{
  *self = (mt_self_draft){0};
  mt_kv_sentence_lay_out(&self->kv, 0, MT_DRAFT_MAX_PASS, max_length, arena);
  self->ids = mt_arena_take(arena, max_length, 1, 1);
}

size_t
mt_self_draft_pages(size_t max_length)
{
  return mt_kv_pool_pages(max_length);
}

void
mt_self_draft_begin(mt_self_draft *self, mt_model *model, size_t n_patience,
                    const mt_kv_sentence *kv)
{
  self->model = model;
  self->n_patience = n_patience;
  self->n_ahead = FIRST_AHEAD;
  self->n_vain = self->n_rest = self->n_tried = self->n_guessed = self->n_true = 0;
  if (model)
    mt_kv_sentence_begin_beside(&self->kv, kv);
}

/* ---- How far to go --------------------------------------------------------------------------- */

/* The tokens so far say which of the newest guesses came true. */
static void
learn(mt_self_draft *self, const mt_search *search)
{
  if (self->n_tried == 0)
    return;
  const size_t n_true = search->finished[0]->n - self->first - 1;
  self->n_guessed += self->n_tried;
  self->n_true += n_true;
  if (n_true == self->n_tried)
    self->n_ahead *= 2;
  else
    self->n_ahead = (self->n_ahead + n_true) / 2;
  self->n_ahead = self->n_ahead > MOST_AHEAD    ? MOST_AHEAD
                  : self->n_ahead < LEAST_AHEAD ? LEAST_AHEAD
                                                : self->n_ahead;
  self->n_vain = n_true ? 0 : self->n_vain + 1;
  if (self->n_vain >= MOST_VAIN) {
    const size_t n = self->n_vain - MOST_VAIN + 1;
    self->n_rest = n < 5 ? (size_t) 1 << n : MOST_REST;
  }
  self->n_tried = 0;
}

void
mt_self_draft_end(mt_self_draft *self, const mt_search *search)
{
  if (self->model)
    learn(self, search);
}

/* ---- The copy -------------------------------------------------------------------------------- */

static bool
is_stopped(void *user)
{
  return mt_pass_is_stopped(user);
}

/* *copy: NULL if there is none, yet or at all. False: cancelled. */
static bool
find_copy(mt_self_draft *self, const mt_pass *pass, const mt_model **copy)
{
  *copy = mt_int8_copy_get(self->model);
  if (*copy || mt_int8_copy_count_step(self->model) <= self->n_patience)
    return true;
  if (!mt_int8_copy_make(self->model, pass->ops->pool, is_stopped, (void *) pass))
    return false;
  *copy = mt_int8_copy_get(self->model);
  return true;
}

/* A pass of the copy, with rows that it keeps to itself. */
typedef struct {
  mt_pass pass;
  mt_ops ops;
  mt_group group;
  mt_groups groups;
  mt_hooks hooks;
  int32_t ids[MT_DRAFT_MAX_PASS];
} copy_pass;

static void
begin_pass(copy_pass *own, const mt_pass *pass, const mt_model *copy, mt_self_draft *self)
{
  const mt_interventions *const *changes = pass->hook_points.interventions;
  own->ops = *pass->ops;
  own->ops.is_step = own->ops.may_round = true;
  own->group = (mt_group){.kv = &self->kv, .n_beams = 1};
  own->groups = (mt_groups){.groups = &own->group, .n = 1, .pool = pass->groups->pool};
  own->hooks = (mt_hooks){.interventions = changes[1]};
  own->pass = *pass;
  own->pass.model = copy;
  own->pass.ops = &own->ops;
  own->pass.groups = &own->groups;
  own->pass.hook_points = mt_hook_points_of(copy, changes[0], &own->hooks);
}

/* The first n of own->ids follow; then logits of the last n_logits. False: cancelled. */
static bool
run(mt_self_draft *self, copy_pass *own, size_t n, size_t n_logits)
{
  static const uint32_t itself[MT_DRAFT_MAX_PASS] = {0};
  const size_t position = self->kv.length;
  memcpy(self->ids + position, own->ids, n * sizeof *own->ids);
  const bool has_room = mt_kv_sentence_advance(&self->kv, own->groups.pool, itself, n, n);
  assert(has_room); /* the pool is laid out for it */
  own->group.position = position;
  own->group.n = own->groups.n_rows = n;
  if (!mt_decoder_run(&own->pass, own->ids))
    return false;
  if (n_logits == 0)
    return true;
  mt_stack_finish(&own->pass, MT_STACK_DECODER);
  mt_decoder_all_logits(&own->pass, n - n_logits, n_logits, own->pass.buffers->logits);
  return true;
}

/* ---- Guessing -------------------------------------------------------------------------------- */

static int32_t
token(const mt_search *search, const mt_search_hypothesis *so_far, size_t position)
{
  return position == 0 ? search->rules.start_id : so_far->ids[position - 1];
}

/* The copy forgets what came otherwise, and reads what is known but for the newest token and the
 * guesses of an earlier translation, which it reads next. False: cancelled. */
static bool
catch_up(mt_self_draft *self, copy_pass *own, const mt_search *search,
         const mt_search_hypothesis *known, const mt_draft *draft)
{
  const size_t newest = draft->first;
  size_t same = 0;
  while (same < self->kv.length && same < newest && self->ids[same] == token(search, known, same))
    same++;
  if (same < self->kv.length)
    mt_kv_sentence_retreat(&self->kv, own->groups.pool, same);
  /* As long as the rest does not fit one pass. */
  while (same < newest && newest - same + draft->n_pass > MT_DRAFT_MAX_PASS) {
    size_t n = newest - same < MT_DRAFT_MAX_PASS ? newest - same : MT_DRAFT_MAX_PASS;
    for (size_t i = 0; i < n; i++)
      own->ids[i] = token(search, known, same + i);
    if (!run(self, own, n, 0))
      return false;
    same += n;
  }
  for (size_t i = same; i < newest; i++)
    own->ids[i - same] = token(search, known, i);
  memcpy(own->ids + (newest - same), draft->pass, draft->n_pass * sizeof *draft->pass);
  return run(self, own, newest - same + draft->n_pass, draft->n_pass);
}

/* Of the guesses of an earlier translation those stay that the copy would make, too; then its own
 * one. False: nothing comes behind that. */
static bool
follow(mt_self_draft *self, copy_pass *own, mt_search *search, const mt_search_hypothesis *guess,
       mt_draft *draft, size_t most)
{
  const size_t n = draft->n_pass, n_out = own->pass.model->output.n_out;
  for (size_t i = 0; i < n; i++) {
    if (!mt_search_guess(search, own->pass.buffers->logits + i * n_out)) {
      draft->n_pass = i + 1;
      return false;
    }
    const int32_t id = guess->ids[guess->n - 1];
    if (i + 1 < n && draft->pass[i + 1] == id)
      continue;
    if (i + 1 < n)
      mt_kv_sentence_retreat(&self->kv, own->groups.pool, draft->first + i + 1);
    if (i + 1 >= most)
      return false;
    draft->pass[i + 1] = id;
    draft->n_pass = i + 2;
    return true;
  }
  return false;
}

bool
mt_self_draft_guess(mt_self_draft *self, const mt_pass *pass, mt_search *search, mt_draft *draft)
{
  const mt_model *copy;
  if (!self->model)
    return true;
  learn(self, search);
  const size_t left = draft->max_length - draft->first;
  const size_t most = left < MT_DRAFT_MAX_PASS ? left : MT_DRAFT_MAX_PASS;
  if (self->n_rest > 0) {
    self->n_rest--;
    return true;
  }
  if (!find_copy(self, pass, &copy))
    return false;
  if (!copy || most < 2)
    return true;
  copy_pass own;
  begin_pass(&own, pass, copy, self);
  const mt_search_hypothesis *guess = mt_search_begin_guess(search);
  if (!catch_up(self, &own, search, guess, draft))
    return false;
  bool goes_on = follow(self, &own, search, guess, draft, most);
  while (goes_on && draft->n_pass < most && draft->n_pass <= self->n_ahead) {
    own.ids[0] = draft->pass[draft->n_pass - 1];
    if (!run(self, &own, 1, 1))
      return false;
    goes_on = mt_search_guess(search, own.pass.buffers->logits);
    if (goes_on)
      draft->pass[draft->n_pass++] = guess->ids[guess->n - 1];
  }
  self->first = draft->first;
  self->n_tried = draft->n_pass - 1;
  return true;
}
