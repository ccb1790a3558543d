/* mt-evaluate.c — a corpus with its gold file through a model, for many recipes at once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "mt.h"

#include <string.h>

typedef struct {
  mt_session *session, *reverse;
  const mt_evaluation_params *params;
  const mt_hooks *hooks;
  double done, share; /* of the progress: before this round, and what the round is */
} work;

/* Both directions of one sentence. */
typedef struct {
  mt_alignable *own, *reverse;
} pair;

static void
pair_clear(pair *p)
{
  mt_alignable_unref(p->own);
  mt_alignable_unref(p->reverse);
}

static const char *
word_text(const mt_evaluation_params *params, mt_stack side, size_t i)
{
  return params->words[side] ? params->words[side][i] : NULL;
}

static bool
pair_begin(pair *p, const work *w, size_t i, mt_error *error)
{
  const mt_evaluation_params *q = w->params;
  const char *source = q->texts[MT_STACK_ENCODER][i], *target = q->texts[MT_STACK_DECODER][i];
  const char *source_words = word_text(q, MT_STACK_ENCODER, i),
             *target_words = word_text(q, MT_STACK_DECODER, i);
  /* Changes are the model's own, not of the other direction. */
  const mt_hooks stop = {.should_stop = w->hooks ? w->hooks->should_stop : NULL,
                         .user = w->hooks ? w->hooks->user : NULL};
  mt_error own = {0};
  *p = (pair){0};
  p->own = mt_alignable_new(w->session, source, target, source_words, target_words, q->language,
                            w->hooks, &own);
  if (p->own && w->reverse)
    p->reverse = mt_alignable_new(w->reverse, target, source, target_words, source_words,
                                  q->reverse_language, &stop, &own);
  if (p->own && (p->reverse || !w->reverse)) {
    if (q->on_progress)
      q->on_progress(q->user, w->done + w->share * (double) (i + 1) / (double) q->n);
    return true;
  }
  pair_clear(p);
  if (own.code == MT_ERROR_CANCELLED || own.code == MT_ERROR_NO_MEMORY)
    return mt_fail(error, own.code, "%s", own.message);
  return mt_fail(error, own.code, "Sentence %zu: %s", i + 1, own.message);
}

static bool
check_corpus(const mt_evaluation_params *params, mt_error *error)
{
  const size_t n = mt_gold_n_sentences(params->gold);
  const bool may_end =
      strcmp(mt_gold_format_at(mt_gold_get_format(params->gold))->id, "naacl") == 0;
  if (params->n == 0)
    return mt_fail(error, MT_ERROR_INPUT, "There are no sentences.");
  if (n == params->n || (may_end && n < params->n))
    return true;
  return mt_fail(error, MT_ERROR_INPUT, "%s has %zu sentences, and the texts have %zu.",
                 mt_gold_label(params->gold), n, params->n);
}

/* ---- Layers that are left open --------------------------------------------------------------- */

static bool
is_open(const mt_recipe *recipe)
{
  return recipe->n_heads == 0 && recipe->layer == MT_RECIPE_AUTO;
}

/* Norms of both models, by row: [2][layers]. */
static bool
sum_norms(const work *w, double *own, double *other, mt_error *error)
{
  size_t n = 0;
  for (size_t i = 0; i < w->params->n; i++) {
    pair p;
    if (!pair_begin(&p, w, i, error))
      return false;
    for (int row = 0; row < 2; row++) {
      mt_alignable_add_norms(p.own, (mt_recipe_row) row,
                             own + (size_t) row * mt_alignable_n_layers(p.own), &n);
      if (p.reverse)
        mt_alignable_add_norms(p.reverse, (mt_recipe_row) row,
                               other + (size_t) row * mt_alignable_n_layers(p.reverse), &n);
    }
    pair_clear(&p);
  }
  return true;
}

static size_t
n_layers(const mt_session *session)
{
  return session ? mt_model_config(mt_session_model(session))->n_layers[MT_STACK_DECODER] : 0;
}

/* Put layers into the open ones of both lists. */
static bool
close_layers(work *w, mt_recipe *recipes, mt_recipe *reverse, size_t n, mt_error *error)
{
  const size_t layers[2] = {n_layers(w->session), n_layers(w->reverse)};
  double *sums[2] = {mt_alloc(2 * layers[0], sizeof(double)),
                     mt_alloc(2 * layers[1], sizeof(double))};
  bool ok = sums[0] && sums[1] ? true : mt_fail_no_memory(error);
  w->share = 0.5;
  ok = ok && sum_norms(w, sums[0], sums[1], error);
  w->done = 0.5;
  for (size_t i = 0; ok && i < n; i++) {
    mt_recipe_choose_layer(&recipes[i], sums[0] + recipes[i].row * layers[0], layers[0]);
    mt_recipe_choose_layer(&reverse[i], sums[1] + reverse[i].row * layers[1], layers[1]);
  }
  mt_free(sums[0]);
  mt_free(sums[1]);
  return ok;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool
add_all(const work *w, mt_evaluation *evaluation, mt_error *error)
{
  const mt_evaluation_params *q = w->params;
  for (size_t i = 0; i < q->n; i++) {
    pair p;
    size_t n = 0;
    const mt_gold_link *gold =
        i < mt_gold_n_sentences(q->gold) ? mt_gold_links(q->gold, i, &n) : NULL;
    if (!pair_begin(&p, w, i, error))
      return false;
    const bool ok =
        (!gold || mt_gold_check(q->gold, i, mt_alignable_n_words(p.own, MT_STACK_ENCODER),
                                mt_alignable_n_words(p.own, MT_STACK_DECODER), error)) &&
        mt_evaluation_add(evaluation, p.own, p.reverse, gold, n, error);
    pair_clear(&p);
    if (!ok)
      return false;
  }
  return true;
}

mt_evaluation *
mt_session_evaluate(mt_session *session, mt_session *reverse, const mt_evaluation_params *params,
                    const mt_recipe *recipes, size_t n, const mt_hooks *hooks, mt_error *error)
{
  work w = {session, reverse, params, hooks, 0, 1};
  const mt_config *config = mt_model_config(mt_session_model(session));
  mt_evaluation *evaluation = NULL;
  bool any_open = false;
  if (!check_corpus(params, error))
    return NULL;
  mt_recipe *own = mt_alloc(n, sizeof *own), *other = mt_alloc(n, sizeof *other);
  bool ok = own && other ? true : mt_fail_no_memory(error);
  for (size_t i = 0; ok && i < n; i++) {
    own[i] = other[i] = recipes[i];
    any_open = any_open || is_open(&recipes[i]);
  }
  if (ok && (!any_open || close_layers(&w, own, other, n, error)))
    evaluation = mt_evaluation_new(own, other, n, config->n_layers[MT_STACK_DECODER],
                                   config->n_heads[MT_STACK_DECODER], error);
  if (any_open)
    w.share = 0.5;
  if (evaluation &&
      !(add_all(&w, evaluation, error) &&
        mt_evaluation_finish(evaluation, params->bootstrap, params->n_intervals, error))) {
    mt_evaluation_free(evaluation);
    evaluation = NULL;
  }
  mt_free(own);
  mt_free(other);
  return evaluation;
}

mt_evaluation *
mt_model_evaluate(mt_model *model, mt_model *reverse, const mt_evaluation_params *params,
                  const mt_recipe *recipes, size_t n, const mt_hooks *hooks, mt_error *error)
{
  mt_evaluation *evaluation = NULL;
  mt_session *session = mt_session_new(model, NULL, error);
  mt_session *other = session && reverse ? mt_session_new(reverse, NULL, error) : NULL;
  if (session && (other || !reverse))
    evaluation = mt_session_evaluate(session, other, params, recipes, n, hooks, error);
  mt_session_free(session);
  mt_session_free(other);
  return evaluation;
}
