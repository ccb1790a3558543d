/* mt-sampler.c — which pairs of sentences come in which batch.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-sampler.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A batch --------------------------------------------------------------------------------- */

/* Pairs of sentences, one behind the other, as a batch. */

/* Room for n elements in *array, of which nothing is kept. */
static bool
reserve(void *array, size_t n, size_t size, size_t *room)
{
  void **slot = array;
  if (n <= *room)
    return true;
  size_t more = n + n / 4;
  void *fresh = mt_alloc(more, size);
  if (!fresh)
    return false;
  mt_free(*slot);
  *slot = fresh;
  *room = more;
  return true;
}

static bool
reserve_all(mt_train_batch_buffer *b, size_t n_sentences, size_t n_source, size_t n_target)
{
  /* Arrays of the same room: the second one is enlarged when the first is. */
  size_t begins = b->n_sentences, target = b->n_target;
  return reserve(&b->begins[0], n_sentences + 1, sizeof *b->begins[0], &begins) &&
         reserve(&b->begins[1], n_sentences + 1, sizeof *b->begins[1], &b->n_sentences) &&
         reserve(&b->source, n_source, sizeof *b->source, &b->n_source) &&
         reserve(&b->target_in, n_target, sizeof *b->target_in, &target) &&
         reserve(&b->target_out, n_target, sizeof *b->target_out, &b->n_target);
}

void
mt_train_batch_buffer_clear(mt_train_batch_buffer *buffer)
{
  for (size_t s = 0; s < MT_N_STACKS; s++)
    mt_free(buffer->begins[s]);
  mt_free(buffer->source);
  mt_free(buffer->target_in);
  mt_free(buffer->target_out);
  *buffer = (mt_train_batch_buffer){0};
}

bool
mt_train_batch_fill(mt_train_batch_buffer *buffer, const mt_dataset *dataset, mt_dataset_part part,
                    const uint32_t *pairs, size_t n, size_t n_times, mt_train_batch *batch,
                    mt_error *error)
{
  size_t total[MT_N_STACKS] = {0, 0}, n_sentences = n * n_times;
  for (size_t i = 0; i < n; i++)
    for (mt_stack s = 0; s < MT_N_STACKS; s++)
      total[s] += n_times * mt_dataset_length(dataset, part, s, pairs[i]);
  if (total[0] > UINT32_MAX || total[1] > UINT32_MAX)
    return mt_fail(error, MT_ERROR_INPUT, "A batch has at most 2^32 tokens.");
  if (!reserve_all(buffer, n_sentences, total[0], total[1]))
    return mt_fail_no_memory(error);

  const int32_t start = mt_dataset_get_info(dataset)->pad_id;
  uint32_t at[MT_N_STACKS] = {0, 0};
  for (size_t i = 0; i < n_sentences; i++) {
    size_t pair = pairs[i % n];
    size_t n_source = mt_dataset_length(dataset, part, MT_STACK_ENCODER, pair);
    size_t n_target = mt_dataset_length(dataset, part, MT_STACK_DECODER, pair);
    int32_t *out = buffer->target_out + at[1], *in = buffer->target_in + at[1];
    if (!mt_dataset_copy(dataset, part, MT_STACK_ENCODER, pair, buffer->source + at[0], n_source,
                         error) ||
        !mt_dataset_copy(dataset, part, MT_STACK_DECODER, pair, out, n_target, error))
      return false;
    for (size_t t = 0; t < n_target; t++)
      in[t] = t ? out[t - 1] : start;
    buffer->begins[0][i] = at[0];
    buffer->begins[1][i] = at[1];
    at[0] += (uint32_t) n_source;
    at[1] += (uint32_t) n_target;
  }
  buffer->begins[0][n_sentences] = at[0];
  buffer->begins[1][n_sentences] = at[1];
  *batch = (mt_train_batch){
      .n_sentences = n_sentences,
      .source_begin = buffer->begins[0],
      .target_begin = buffer->begins[1],
      .source = buffer->source,
      .target_in = buffer->target_in,
      .target_out = buffer->target_out,
  };
  return true;
}

/* ---- The sampler ----------------------------------------------------------------------------- */

#define MAX_WEIGHT 1e6

struct mt_sampler {
  const mt_dataset *dataset;
  mt_sampler_options options;
  double *weights; /* [n_sources], of each segmentation of a pair */
  size_t n_sources;
  mt_sampler_position position;
  /* The plan of position.epoch. */
  uint32_t *pairs; /* [n_drawn] in the order of the batches */
  size_t *begins;  /* [n_batches + 1] into pairs */
  uint32_t *order; /* [n_batches] batches in the order in which they come */
  size_t n_drawn, n_batches;
  mt_train_batch_buffer buffer;
};

/* ---- Chance ---------------------------------------------------------------------------------- */

/* 64 bits from a counter. */
static uint64_t
mix(uint64_t counter)
{
  return mt_mix_next(&counter);
}

typedef struct {
  uint64_t key, counter;
} chance;

static chance
chance_of(uint64_t seed, uint64_t epoch, uint64_t use)
{
  return (chance){.key = mix(mix(mix(seed) ^ epoch) ^ use)};
}

/* 0 … n - 1, each as likely to within n / 2^64. */
static size_t
draw_below(chance *c, size_t n)
{
  uint64_t x = mix(c->key + c->counter++ * MT_MIX_STEP);
  return (size_t) ((unsigned __int128) x * n >> 64);
}

/* Fisher and Yates. */
static void
shuffle(uint32_t *items, size_t n, chance *c)
{
  for (size_t i = n; i > 1; i--) {
    size_t k = draw_below(c, i);
    uint32_t item = items[i - 1];
    items[i - 1] = items[k];
    items[k] = item;
  }
}

/* ---- The plan of an epoch -------------------------------------------------------------------- */

/* How often pair i comes in an epoch if its weight is w: floor(u + (epoch + 1) w) less
 * floor(u + epoch w), with a fixed u in 0..1 for each pair. So after E epochs each pair came E w
 * times, give or take one: with w = 1/4, once in every four epochs. */
static size_t
count_copies(const mt_sampler *s, size_t pair, double w, uint64_t epoch)
{
  double u = (double) (mix(mix(s->options.seed ^ UINT64_C(0x7061697273)) ^ pair) >> 11) * 0x1p-53;
  /* The whole part apart, so that what is compared stays small. */
  double whole = floor(w), part = w - whole;
  double before = fmod((double) epoch * part, 1.0) + u;
  return (size_t) whole + (size_t) (floor(before + part) - floor(before));
}

static size_t
pair_tokens(const mt_sampler *s, size_t pair)
{
  return mt_dataset_length(s->dataset, MT_DATASET_TRAIN, MT_STACK_ENCODER, pair) +
         mt_dataset_length(s->dataset, MT_DATASET_TRAIN, MT_STACK_DECODER, pair);
}

/* A pair in a batch. */
static size_t
n_times(const mt_sampler *s)
{
  return s->options.is_twice ? 2 : 1;
}

/* pairs: room for what was counted, or NULL to count. */
static size_t
draw_pairs(const mt_sampler *s, uint64_t epoch, uint32_t *pairs, double *n_tokens)
{
  size_t n = 0;
  *n_tokens = 0;
  for (size_t i = 0; i < s->n_sources; i++) {
    const mt_dataset_source *source = mt_dataset_get_source(s->dataset, i);
    for (size_t k = 0; k < source->n_pairs && s->weights[i] > 0; k++) {
      size_t pair = source->first_pair + k;
      size_t copies = count_copies(s, pair, s->weights[i], epoch);
      *n_tokens += (double) copies * (double) pair_tokens(s, pair);
      for (size_t c = 0; c < copies; c++) {
        if (pairs)
          pairs[n] = (uint32_t) pair;
        n++;
      }
    }
  }
  return n;
}

/* One pair while a stretch is sorted: target length, source length, place before the sort. */
typedef struct {
  uint32_t target, source, place, pair;
} sortable;

static int
compare(const void *a, const void *b)
{
  const sortable *x = a, *y = b;
  if (x->target != y->target)
    return x->target < y->target ? -1 : 1;
  if (x->source != y->source)
    return x->source < y->source ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

static bool
sort_stretch(const mt_sampler *s, uint32_t *pairs, size_t n)
{
  sortable *items = mt_alloc(n, sizeof *items);
  if (!items)
    return false;
  for (size_t i = 0; i < n; i++)
    items[i] = (sortable){
        .target =
            (uint32_t) mt_dataset_length(s->dataset, MT_DATASET_TRAIN, MT_STACK_DECODER, pairs[i]),
        .source =
            (uint32_t) mt_dataset_length(s->dataset, MT_DATASET_TRAIN, MT_STACK_ENCODER, pairs[i]),
        .place = (uint32_t) i,
        .pair = pairs[i],
    };
  qsort(items, n, sizeof *items, compare);
  for (size_t i = 0; i < n; i++)
    pairs[i] = items[i].pair;
  mt_free(items);
  return true;
}

/* Sort stretches of about sort_batches batches. */
static bool
sort_pairs(const mt_sampler *s, uint32_t *pairs, size_t n)
{
  if (s->options.sort_batches == 0)
    return true;
  double most = (double) s->options.sort_batches * (double) s->options.batch_tokens;
  for (size_t begin = 0, end = 0; begin < n; begin = end) {
    double tokens = 0;
    while (end < n && (end == begin || tokens < most))
      tokens += (double) (n_times(s) * pair_tokens(s, pairs[end++]));
    if (!sort_stretch(s, pairs + begin, end - begin))
      return false;
  }
  return true;
}

/* begins: [n + 1], of which what is needed is filled in. Returns the number of batches. */
static size_t
cut(const mt_sampler *s, const uint32_t *pairs, size_t n, size_t *begins)
{
  size_t n_batches = 0, tokens = 0;
  for (size_t i = 0; i < n; i++) {
    size_t more = n_times(s) * pair_tokens(s, pairs[i]);
    if (n_batches == 0 || tokens + more > s->options.batch_tokens) {
      begins[n_batches++] = i;
      tokens = 0;
    }
    tokens += more;
  }
  begins[n_batches] = n;
  return n_batches;
}

static bool
plan(mt_sampler *s, uint64_t epoch, mt_error *error)
{
  double n_tokens;
  size_t n = draw_pairs(s, epoch, NULL, &n_tokens);
  if (n >= UINT32_MAX)
    return mt_fail(error, MT_ERROR_INPUT,
                   "An epoch of %zu pairs is too long; give the sources smaller weights.", n);
  if (n == 0)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Epoch %llu has no pair of sentences; give the sources larger weights.",
                   (unsigned long long) epoch + 1);
  uint32_t *pairs = mt_alloc(n, sizeof *pairs);
  size_t *begins = mt_alloc(n + 1, sizeof *begins);
  uint32_t *order = NULL;
  size_t n_batches = 0;
  bool ok = pairs && begins;
  if (ok) {
    draw_pairs(s, epoch, pairs, &n_tokens);
    chance c = chance_of(s->options.seed, epoch, 1);
    shuffle(pairs, n, &c);
    ok = sort_pairs(s, pairs, n);
  }
  if (ok) {
    n_batches = cut(s, pairs, n, begins);
    order = mt_alloc(n_batches, sizeof *order);
    ok = order != NULL;
  }
  if (!ok) {
    mt_free(pairs);
    mt_free(begins);
    return mt_fail_no_memory(error);
  }
  for (size_t i = 0; i < n_batches; i++)
    order[i] = (uint32_t) i;
  chance c = chance_of(s->options.seed, epoch, 2);
  shuffle(order, n_batches, &c);

  mt_free(s->pairs);
  mt_free(s->begins);
  mt_free(s->order);
  s->pairs = pairs;
  s->begins = begins;
  s->order = order;
  s->n_drawn = n;
  s->n_batches = n_batches;
  s->position = (mt_sampler_position){.epoch = epoch};
  return true;
}

/* ---- The sampler ----------------------------------------------------------------------------- */

static bool
set_weights(mt_sampler *s, mt_error *error)
{
  s->n_sources = mt_dataset_count_sources(s->dataset);
  s->weights = mt_alloc(s->n_sources, sizeof *s->weights);
  if (!s->weights)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < s->n_sources; i++) {
    const mt_dataset_source *source = mt_dataset_get_source(s->dataset, i);
    double w = s->options.weights ? s->options.weights[i] : source->weight;
    if (!(w >= 0 && w <= MAX_WEIGHT))
      return mt_fail(error, MT_ERROR_INPUT,
                     "The weight of source \"%.200s\" must be from 0 to %g, found %g.",
                     source->name, MAX_WEIGHT, w);
    s->weights[i] = w / (double) source->segmentations;
  }
  s->options.weights = NULL;
  return true;
}

mt_sampler *
mt_sampler_new(const mt_dataset *dataset, const mt_sampler_options *options, mt_error *error)
{
  if (options->batch_tokens < 2) {
    mt_fail(error, MT_ERROR_INPUT, "A batch has at least 2 tokens, found %zu.",
            options->batch_tokens);
    return NULL;
  }
  mt_sampler *s = mt_alloc(1, sizeof *s);
  if (!s)
    return mt_fail_no_memory(error), NULL;

  s->dataset = dataset;
  s->options = *options;
  if (set_weights(s, error) && plan(s, 0, error))
    return s;
  mt_sampler_free(s);
  return NULL;
}

void
mt_sampler_free(mt_sampler *s)
{
  if (!s)
    return;
  mt_train_batch_buffer_clear(&s->buffer);
  mt_free(s->pairs);
  mt_free(s->begins);
  mt_free(s->order);
  mt_free(s->weights);
  mt_free(s);
}

mt_sampler_position
mt_sampler_get_position(const mt_sampler *s)
{
  return s->position;
}

bool
mt_sampler_set_position(mt_sampler *s, mt_sampler_position position, mt_error *error)
{
  mt_sampler_position before = s->position;
  if (position.epoch != before.epoch && !plan(s, position.epoch, error))
    return false;
  if (position.batch >= s->n_batches) {
    size_t found = s->n_batches;
    if (position.epoch != before.epoch && plan(s, before.epoch, error))
      s->position = before;
    return mt_fail(error, MT_ERROR_INPUT,
                   "Epoch %llu has %zu batches, and number %llu was asked for.",
                   (unsigned long long) position.epoch + 1, found,
                   (unsigned long long) position.batch + 1);
  }
  s->position = position;
  return true;
}

size_t
mt_sampler_count_batches(const mt_sampler *s)
{
  return s->n_batches;
}

size_t
mt_sampler_count_pairs(const mt_sampler *s)
{
  return s->n_drawn;
}

/* To the next batch. An epoch without a pair (small weights) is passed over; after so many of them
 * there is none to come. */
#define MAX_EMPTY_EPOCHS 1000
static bool
advance(mt_sampler *s, mt_error *error)
{
  if (s->position.batch + 1 < s->n_batches) {
    s->position.batch++;
    return true;
  }
  uint64_t next = s->position.epoch + 1;
  double n_tokens;
  for (unsigned i = 0; i < MAX_EMPTY_EPOCHS && draw_pairs(s, next, NULL, &n_tokens) == 0; i++)
    next++;
  return plan(s, next, error);
}

bool
mt_sampler_next(mt_sampler *s, mt_train_batch *batch, mt_error *error)
{
  size_t i = s->order[s->position.batch];
  return mt_train_batch_fill(&s->buffer, s->dataset, MT_DATASET_TRAIN, s->pairs + s->begins[i],
                             s->begins[i + 1] - s->begins[i], n_times(s), batch, error) &&
         advance(s, error);
}

bool
mt_sampler_skip(mt_sampler *s, mt_error *error)
{
  return advance(s, error);
}
