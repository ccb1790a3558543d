/* mt-evaluation.c — many recipes beside each other on the sentences of a gold file: alignment error
 * rate and its interval, the values, and a run of a model over the corpus.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-alignment-input.h"
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "mt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Alignment error rate -------------------------------------------------------------------- */

/* Alignment error rate (Och & Ney 2003, section 6), and how far it would vary over other
 * sentences of the kind (Efron 1979). */

#define DEFAULT_SAMPLES 1000
#define MOST_SAMPLES    1000000
#define DEFAULT_LEVEL   0.95

/* Both are by target and source. */
mt_aer_counts
mt_aer_count(const mt_link *links, size_t n, const mt_gold_link *gold, size_t n_gold)
{
  mt_aer_counts counts = {.n_links = (uint32_t) n};
  for (size_t g = 0, l = 0; g < n_gold; g++) {
    counts.n_sure += gold[g].is_sure;
    while (l < n && (links[l].target < gold[g].target ||
                     (links[l].target == gold[g].target && links[l].source < gold[g].source)))
      l++;
    if (l < n && links[l].target == gold[g].target && links[l].source == gold[g].source) {
      counts.n_links_possible++;
      counts.n_links_sure += gold[g].is_sure;
    }
  }
  return counts;
}

static double
share(size_t part, size_t of)
{
  return of ? (double) part / (double) of : NAN;
}

double
mt_aer(const mt_aer_counts *c)
{
  return 1 - share((size_t) c->n_links_sure + c->n_links_possible, (size_t) c->n_links + c->n_sure);
}

double
mt_aer_precision(const mt_aer_counts *c)
{
  return share(c->n_links_possible, c->n_links);
}

double
mt_aer_recall(const mt_aer_counts *c)
{
  return share(c->n_links_sure, c->n_sure);
}

/* ---- Bootstrap ------------------------------------------------------------------------------- */

/* Draws are numbered, so that each can be made by itself. */
static uint64_t
mix(uint64_t number)
{
  return mt_mix_next(&number);
}

size_t
mt_bootstrap_draw(uint64_t seed, size_t sample, size_t draw, size_t n)
{
  return (size_t) (mix(mix(mix(seed) + sample) + draw) % n);
}

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* As numpy.quantile has it. */
static double
quantile_of(const double *sorted, size_t n, double quantile)
{
  const double at = quantile * (double) (n - 1);
  const size_t below = (size_t) at, above = below + 1 < n ? below + 1 : below;
  return sorted[below] + (at - (double) below) * (sorted[above] - sorted[below]);
}

static mt_aer_counts
draw_sample(uint64_t seed, size_t sample, const mt_aer_counts *sentences, size_t n)
{
  mt_aer_counts sum = {0};
  for (size_t d = 0; d < n; d++) {
    const mt_aer_counts *one = &sentences[mt_bootstrap_draw(seed, sample, d, n)];
    sum.n_links += one->n_links;
    sum.n_sure += one->n_sure;
    sum.n_links_sure += one->n_links_sure;
    sum.n_links_possible += one->n_links_possible;
  }
  return sum;
}

bool
mt_bootstrap_interval(const mt_bootstrap *bootstrap, const mt_aer_counts *sentences, size_t n,
                      double *low, double *high, mt_error *error)
{
  const size_t n_samples = bootstrap->n_samples ? bootstrap->n_samples : DEFAULT_SAMPLES;
  const double level = bootstrap->level > 0 ? bootstrap->level : DEFAULT_LEVEL;
  size_t n_rates = 0;
  *low = *high = NAN;
  if (n_samples > MOST_SAMPLES || !(level < 1))
    return mt_fail(error, MT_ERROR_INPUT,
                   "An interval is of 1 to %d samples, and of a level below 1; found %zu and %g.",
                   MOST_SAMPLES, n_samples, level);
  double *rates = mt_alloc(n_samples, sizeof *rates);
  if (!rates)
    return mt_fail_no_memory(error);
  for (size_t s = 0; n > 0 && s < n_samples; s++) {
    const mt_aer_counts sum = draw_sample(bootstrap->seed, s, sentences, n);
    const double rate = mt_aer(&sum);
    if (!isnan(rate))
      rates[n_rates++] = rate;
  }
  if (n_rates > 0) {
    qsort(rates, n_rates, sizeof *rates, compare);
    *low = quantile_of(rates, n_rates, (1 - level) / 2);
    *high = quantile_of(rates, n_rates, (1 + level) / 2);
  }
  mt_free(rates);
  return true;
}

/* ---- The value ------------------------------------------------------------------------------- */

mt_evaluation *
mt_evaluation_new(const mt_recipe *recipes, const mt_recipe *reverse_recipes, size_t n,
                  size_t n_layers, size_t n_heads, mt_error *error)
{
  for (size_t i = 0; i < n; i++) {
    if (!mt_recipe_check(&recipes[i], n_layers, n_heads, error))
      return NULL;
    if (recipes[i].n_heads == 0 && recipes[i].layer == MT_RECIPE_AUTO) {
      mt_fail(error, MT_ERROR_INPUT, "A recipe whose layer is open cannot be evaluated.");
      return NULL;
    }
  }
  mt_evaluation *e = mt_alloc(1, sizeof *e);
  if (e) {
    *e = (mt_evaluation){.n = n, .n_layers = n_layers, .n_heads = n_heads};
    e->ranked = mt_alloc(n, sizeof *e->ranked);
    e->reverse = mt_alloc(n, sizeof *e->reverse);
    for (int row = 0; row < 2; row++)
      e->norms[row] = mt_alloc(n_layers, sizeof *e->norms[row]);
  }
  if (!e || !e->ranked || !e->reverse || !e->norms[0] || !e->norms[1]) {
    mt_evaluation_free(e);
    mt_fail_no_memory(error);
    return NULL;
  }
  for (size_t i = 0; i < n; i++) {
    e->ranked[i] = (mt_evaluated){.recipe = recipes[i], .number = i};
    e->reverse[i] = reverse_recipes ? reverse_recipes[i] : recipes[i];
  }
  return e;
}

void
mt_evaluation_free(mt_evaluation *e)
{
  if (!e)
    return;
  mt_free(e->ranked);
  mt_free(e->reverse);
  mt_free(e->counts);
  mt_free(e->norms[0]);
  mt_free(e->norms[1]);
  mt_free(e);
}

static bool
make_room(mt_evaluation *e)
{
  if (e->n_sentences < e->capacity)
    return true;
  const size_t capacity = 2 * e->capacity + 16;
  size_t n;
  if (__builtin_mul_overflow(capacity, e->n, &n))
    return false;
  mt_aer_counts *more = mt_realloc(e->counts, n, sizeof *more);
  if (!more)
    return false;
  e->counts = more;
  e->capacity = capacity;
  return true;
}

/* One sentence; reverse as for mt_alignment_input_links. */
static bool
evaluate_sentence(mt_evaluation *e, const mt_alignment_input *a, const mt_alignment_input *reverse,
                  const mt_gold_link *gold, size_t n_gold, mt_error *error)
{
  if (a->n_layers != e->n_layers || a->n_heads != e->n_heads)
    return mt_fail(error, MT_ERROR_INPUT, "The sentences are of different models.");
  if (!make_room(e))
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < e->n; i++) {
    size_t n;
    mt_link *links =
        mt_alignment_input_links(a, &e->ranked[i].recipe, reverse, &e->reverse[i], &n, error);
    if (!links)
      return false;
    e->counts[e->n_sentences * e->n + i] = mt_aer_count(links, n, gold, n_gold);
    mt_links_free(links);
  }
  size_t n_cells = 0;
  for (int row = 0; row < 2; row++)
    mt_alignment_input_add_norms(a, (mt_recipe_row) row, e->norms[row], &n_cells);
  e->n_sentences++;
  return true;
}

/* ---- The end --------------------------------------------------------------------------------- */

size_t
mt_evaluation_chosen_layer(const mt_evaluation *e, mt_recipe_row row)
{
  size_t best = 0;
  for (size_t l = 1; l < e->n_layers; l++)
    best = e->norms[row][l] > e->norms[row][best] ? l : best;
  return best;
}

/* The lowest first; what is of nothing last; else as they were given. */
static int
compare_evaluation(const void *a, const void *b)
{
  const mt_evaluated *x = a, *y = b;
  if (isnan(x->aer) != isnan(y->aer))
    return isnan(x->aer) ? 1 : -1;
  if (!isnan(x->aer) && x->aer != y->aer)
    return x->aer < y->aer ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

static void
sum_up(const mt_evaluation *e, mt_evaluated *one)
{
  for (size_t s = 0; s < e->n_sentences; s++) {
    const mt_aer_counts *c = &e->counts[s * e->n + one->number];
    one->counts.n_links += c->n_links;
    one->counts.n_sure += c->n_sure;
    one->counts.n_links_sure += c->n_links_sure;
    one->counts.n_links_possible += c->n_links_possible;
  }
  one->aer = mt_aer(&one->counts);
  one->precision = mt_aer_precision(&one->counts);
  one->recall = mt_aer_recall(&one->counts);
  one->low = one->high = NAN;
  one->is_chosen = one->recipe.matrix == MT_RECIPE_NORMS && one->recipe.n_heads == 0 &&
                   (size_t) one->recipe.layer == mt_evaluation_chosen_layer(e, one->recipe.row);
}

/* Sum up and sort, the lowest AER first, of equal ones as they were given. Intervals for the first
 * n_intervals of them. */
static bool
finish_evaluation(mt_evaluation *e, const mt_bootstrap *bootstrap, size_t n_intervals,
                  mt_error *error)
{
  mt_aer_counts *own = mt_alloc(e->n_sentences, sizeof *own);
  if (!own)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < e->n; i++) {
    e->ranked[i].counts = (mt_aer_counts){0};
    sum_up(e, &e->ranked[i]);
  }
  if (e->n > 0)
    qsort(e->ranked, e->n, sizeof *e->ranked, compare_evaluation);
  bool ok = true;
  for (size_t i = 0; ok && bootstrap && i < e->n && i < n_intervals; i++) {
    for (size_t s = 0; s < e->n_sentences; s++)
      own[s] = mt_evaluation_sentence(e, i, s);
    ok = mt_bootstrap_interval(bootstrap, own, e->n_sentences, &e->ranked[i].low,
                               &e->ranked[i].high, error);
  }
  mt_free(own);
  return ok;
}

mt_aer_counts
mt_evaluation_sentence(const mt_evaluation *e, size_t rank, size_t sentence)
{
  return e->counts[sentence * e->n + e->ranked[rank].number];
}

/* ---- A corpus through a model ---------------------------------------------------------------- */

/* A corpus with its gold file through a model, for many recipes at once. */

typedef struct {
  mt_session *session, *reverse;
  const mt_evaluation_params *params;
  const mt_hooks *hooks;
  double done, share; /* of the progress: before this round, and what the round is */
} work;

/* Both directions of one sentence. */
typedef struct {
  mt_alignment_input *own, *reverse;
} pair;

static void
pair_clear(pair *p)
{
  mt_alignment_input_unref(p->own);
  mt_alignment_input_unref(p->reverse);
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
  p->own = mt_alignment_input_new(w->session, source, target, source_words, target_words, q->search,
                                  w->hooks, &own);
  if (p->own && w->reverse)
    p->reverse = mt_alignment_input_new(w->reverse, target, source, target_words, source_words,
                                        q->reverse_search, &stop, &own);
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
  const size_t n = params->gold->n_sentences;
  const bool may_end = strcmp(mt_gold_format_at(params->gold->format)->id, "naacl") == 0;
  if (params->n == 0)
    return mt_fail(error, MT_ERROR_INPUT, "There are no sentences.");
  if (n == params->n || (may_end && n < params->n))
    return true;
  return mt_fail(error, MT_ERROR_INPUT, "%s has %zu sentences, and the texts have %zu.",
                 params->gold->label, n, params->n);
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
      mt_alignment_input_add_norms(p.own, (mt_recipe_row) row, own + (size_t) row * p.own->n_layers,
                                   &n);
      if (p.reverse)
        mt_alignment_input_add_norms(p.reverse, (mt_recipe_row) row,
                                     other + (size_t) row * p.reverse->n_layers, &n);
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
    const mt_gold_link *gold = i < q->gold->n_sentences ? mt_gold_links(q->gold, i, &n) : NULL;
    if (!pair_begin(&p, w, i, error))
      return false;
    const bool ok = (!gold || mt_gold_check(q->gold, i, p.own->words[MT_STACK_ENCODER].n,
                                            p.own->words[MT_STACK_DECODER].n, error)) &&
                    evaluate_sentence(evaluation, p.own, p.reverse, gold, n, error);
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
        finish_evaluation(evaluation, params->bootstrap, params->n_intervals, error))) {
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
