/* test-sampler.c — batches: every pair as often as its weight says, none too large, the same again
 * from the same seed, and from the middle of an epoch.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../engine/few-allocations.h"
#include "small-dataset.h"
#include "suite.h"
#include "train/mt-sampler.h"

#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_sampler, mt_sampler_free)

enum { N_FIRST = 40, N_SECOND = 80, N_PAIRS = N_FIRST + N_SECOND };

static char *folder;
static mt_dataset *dataset;

static mt_sampler *
new_sampler(const mt_sampler_options *options)
{
  mt_error error = {0};
  mt_sampler *s = mt_sampler_new(dataset, options, &error);
  g_assert_cmpstr(error.message, ==, "");
  return s;
}

static void
next(mt_sampler *s, mt_train_batch *batch)
{
  mt_error error = {0};
  g_assert_true(mt_sampler_next(s, batch, &error));
}

/* Which pair a sentence of a batch is: ids and lengths are those of small_id. */
static gsize
find_pair(const mt_train_batch *b, gsize i)
{
  gsize n_source = b->source_begin[i + 1] - b->source_begin[i];
  gsize n_target = b->target_begin[i + 1] - b->target_begin[i];
  for (gsize pair = 0; pair < N_PAIRS; pair++) {
    if (small_length(MT_DATASET_TRAIN, MT_STACK_ENCODER, pair) != n_source ||
        small_length(MT_DATASET_TRAIN, MT_STACK_DECODER, pair) != n_target)
      continue;
    gboolean same = TRUE;
    for (gsize k = 0; k < n_source; k++)
      same = same && b->source[b->source_begin[i] + k] ==
                         small_id(MT_DATASET_TRAIN, MT_STACK_ENCODER, pair, k);
    for (gsize k = 0; k < n_target; k++)
      same = same && b->target_out[b->target_begin[i] + k] ==
                         small_id(MT_DATASET_TRAIN, MT_STACK_DECODER, pair, k);
    if (same)
      return pair;
  }
  g_assert_not_reached();
}

/* Count how often each pair comes in the epoch that the sampler is at the beginning of. Pairs whose
 * ids happen to be equal count as the first of them. */
static void
count_epoch(mt_sampler *s, guint *counts, gsize batch_tokens)
{
  guint64 epoch = mt_sampler_get_position(s).epoch;
  gsize n_batches = mt_sampler_count_batches(s), n_pairs = mt_sampler_count_pairs(s), n = 0;
  for (gsize i = 0; i < n_batches; i++) {
    mt_train_batch batch;
    g_assert_cmpuint(mt_sampler_get_position(s).epoch, ==, epoch);
    next(s, &batch);
    gsize n_tokens = batch.source_begin[batch.n_sentences] + batch.target_begin[batch.n_sentences];
    g_assert_true(n_tokens <= batch_tokens || batch.n_sentences == 1);
    for (gsize k = 0; k < batch.n_sentences; k++) {
      counts[find_pair(&batch, k)]++;
      guint32 first = batch.target_begin[k];
      g_assert_cmpint(batch.target_in[first], ==, SMALL_PAD);
      for (guint32 t = first + 1; t < batch.target_begin[k + 1]; t++)
        g_assert_cmpint(batch.target_in[t], ==, batch.target_out[t - 1]);
    }
    n += batch.n_sentences;
  }
  g_assert_cmpuint(n, ==, n_pairs);
  g_assert_cmpuint(mt_sampler_get_position(s).epoch, ==, epoch + 1);
}

/* Pairs that count_epoch can tell apart. */
static gboolean
is_alone(gsize pair)
{
  for (gsize other = 0; other < N_PAIRS; other++) {
    gboolean same = other != pair;
    for (mt_stack s = 0; s < MT_N_STACKS && same; s++) {
      gsize n = small_length(MT_DATASET_TRAIN, s, pair);
      same = n == small_length(MT_DATASET_TRAIN, s, other);
      for (gsize k = 0; k < n && same; k++)
        same = small_id(MT_DATASET_TRAIN, s, pair, k) == small_id(MT_DATASET_TRAIN, s, other, k);
    }
    if (same)
      return FALSE;
  }
  return TRUE;
}

/* The sources' weights are 2 and 1/4: after four epochs, eight times and once. */
static void
test_weights(void)
{
  for (guint sorted = 0; sorted < 2; sorted++) {
    const mt_sampler_options options = {.seed = 3, .batch_tokens = 64, .sort_batches = 4 * sorted};
    g_autoptr(mt_sampler) s = new_sampler(&options);
    guint counts[N_PAIRS] = {0}, n_checked = 0;
    for (guint epoch = 0; epoch < 4; epoch++) {
      guint before = counts[0];
      count_epoch(s, counts, options.batch_tokens);
      if (is_alone(0))
        g_assert_cmpuint(counts[0], ==, before + 2);
    }
    for (gsize i = 0; i < N_PAIRS; i++)
      if (is_alone(i)) {
        g_assert_cmpuint(counts[i], ==, i < N_FIRST ? 8 : 1);
        n_checked++;
      }
    g_assert_cmpuint(n_checked, >, N_PAIRS / 2);
  }
}

static void
test_own_weights(void)
{
  const double weights[] = {0, 1};
  const mt_sampler_options options = {.seed = 3, .batch_tokens = 30, .weights = weights};
  g_autoptr(mt_sampler) s = new_sampler(&options);
  guint counts[N_PAIRS] = {0};
  count_epoch(s, counts, options.batch_tokens);
  guint sum = 0;
  for (gsize i = 0; i < N_PAIRS; i++)
    sum += counts[i];
  g_assert_cmpuint(sum, ==, N_SECOND);
}

/* For R-Drop: half as many pairs in a batch, and all of them once more. */
static void
test_twice(void)
{
  const mt_sampler_options options = {.seed = 3, .batch_tokens = 60, .is_twice = true};
  g_autoptr(mt_sampler) s = new_sampler(&options);
  gsize n_batches = mt_sampler_count_batches(s), n_pairs = mt_sampler_count_pairs(s), n = 0;
  for (gsize i = 0; i < n_batches; i++) {
    mt_train_batch b;
    next(s, &b);
    g_assert_cmpuint(b.n_sentences % 2, ==, 0);
    gsize half = b.n_sentences / 2;
    gsize n_tokens = b.source_begin[b.n_sentences] + b.target_begin[b.n_sentences];
    g_assert_true(n_tokens <= options.batch_tokens || half == 1);
    for (gsize k = 0; k < half; k++)
      g_assert_cmpuint(find_pair(&b, k), ==, find_pair(&b, half + k));
    n += half;
  }
  g_assert_cmpuint(n, ==, n_pairs);
  g_assert_cmpuint(mt_sampler_get_position(s).epoch, ==, 1);
}

/* So small a weight that most epochs have no pair at all: they are passed over. */
static void
test_empty_epochs(void)
{
  const double weights[] = {0.0002, 0};
  const mt_sampler_options options = {.seed = 1, .batch_tokens = 64, .weights = weights};
  mt_error error = {0};
  g_autoptr(mt_sampler) s = mt_sampler_new(dataset, &options, &error);
  if (!s) { /* the first epoch may be one of them */
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    return;
  }
  mt_train_batch batch;
  next(s, &batch);
  next(s, &batch);
}

/* Length differs less within batches when they are sorted. */
static double
mean_spread(gsize sort_batches)
{
  const mt_sampler_options options = {.seed = 5, .batch_tokens = 64, .sort_batches = sort_batches};
  g_autoptr(mt_sampler) s = new_sampler(&options);
  gsize n = mt_sampler_count_batches(s);
  double sum = 0;
  for (gsize i = 0; i < n; i++) {
    mt_train_batch b;
    guint32 least = G_MAXUINT32, most = 0;
    next(s, &b);
    for (gsize k = 0; k < b.n_sentences; k++) {
      least = MIN(least, b.target_begin[k + 1] - b.target_begin[k]);
      most = MAX(most, b.target_begin[k + 1] - b.target_begin[k]);
    }
    sum += most - least;
  }
  return sum / (double) n;
}

static void
test_sorted(void)
{
  g_assert_cmpfloat(mean_spread(1000), <, 0.3 * mean_spread(0));
}

static GByteArray *
record(mt_sampler *s, gsize n)
{
  GByteArray *out = g_byte_array_new();
  for (gsize i = 0; i < n; i++) {
    mt_train_batch b;
    next(s, &b);
    guint n_target = b.target_begin[b.n_sentences];
    g_byte_array_append(out, (const guint8 *) b.target_out, n_target * (guint) sizeof(int32_t));
  }
  return out;
}

/* From any batch on, a new sampler gives what the old one gives. */
static void
test_position(void)
{
  const mt_sampler_options options = {.seed = 9, .batch_tokens = 50, .sort_batches = 3};
  g_autoptr(mt_sampler) a = new_sampler(&options);
  gsize n = mt_sampler_count_batches(a);
  for (gsize skip = 0; skip < n + 3; skip++) {
    mt_error error = {0};
    g_assert_true(mt_sampler_skip(a, &error));
    mt_sampler_position here = mt_sampler_get_position(a);
    g_autoptr(mt_sampler) b = new_sampler(&options);
    g_assert_true(mt_sampler_set_position(b, here, &error));
    g_autoptr(GByteArray) first = record(b, 5);
    g_autoptr(mt_sampler) again = new_sampler(&options);
    g_assert_true(mt_sampler_set_position(again, here, &error));
    g_autoptr(GByteArray) second = record(again, 5);
    g_assert_cmpmem(first->data, first->len, second->data, second->len);
    /* A position that is not there leaves it where it is. */
    mt_sampler_position before = mt_sampler_get_position(again);
    const mt_sampler_position none = {.epoch = before.epoch + 1, .batch = 100000};
    g_assert_false(mt_sampler_set_position(again, none, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_cmpuint(mt_sampler_get_position(again).batch, ==, before.batch);
    g_autoptr(GByteArray) third = record(again, 2);
    g_assert_true(mt_sampler_set_position(again, before, &error));
    g_autoptr(GByteArray) fourth = record(again, 2);
    g_assert_cmpmem(third->data, third->len, fourth->data, fourth->len);
  }
}

static void
test_seed(void)
{
  mt_sampler_options options = {.seed = 9, .batch_tokens = 50, .sort_batches = 3};
  g_autoptr(mt_sampler) a = new_sampler(&options);
  options.seed = 10;
  g_autoptr(mt_sampler) b = new_sampler(&options);
  g_autoptr(GByteArray) first = record(a, 5);
  g_autoptr(GByteArray) other = record(b, 5);
  g_assert_true(first->len != other->len || memcmp(first->data, other->data, first->len) != 0);
  /* Two epochs differ too. */
  const mt_sampler_position later = {.epoch = 1};
  mt_error error = {0};
  g_assert_true(mt_sampler_set_position(a, later, &error));
  g_autoptr(GByteArray) second = record(a, 5);
  g_assert_true(first->len != second->len || memcmp(first->data, second->data, first->len) != 0);
}

static void
test_refused(void)
{
  const double none[] = {0, 0}, negative[] = {1, -1};
  const mt_sampler_options bad[] = {
      {.batch_tokens = 1},
      {.batch_tokens = 64, .weights = none},
      {.batch_tokens = 64, .weights = negative},
  };
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    mt_error error = {0};
    g_assert_null(mt_sampler_new(dataset, &bad[i], &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  }
}

/* Each allocation fails once; the sampler is as it was. */
static void
test_no_memory(void)
{
  const mt_sampler_options options = {.seed = 2, .batch_tokens = 64, .sort_batches = 3};
  gboolean done = FALSE;
  for (int n = 0; !done; n++) {
    mt_error error = {0};
    mt_train_batch batch;
    few_then_all_fail(n);
    g_autoptr(mt_sampler) s = mt_sampler_new(dataset, &options, &error);
    done = s && mt_sampler_next(s, &batch, &error);
    few_end();
    if (!done)
      g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
    if (s && !done)
      next(s, &batch);
  }
}

static void
tear_down(void)
{
  mt_dataset_free(dataset);
  small_remove(folder);
}

TESTS(.end = tear_down)
{
  folder = small_temporary();
  g_autofree char *path = g_build_filename(folder, "prepared", NULL);
  mt_error error = {0};
  small_write(path, N_FIRST, 3);
  dataset = mt_dataset_open(path, &error);
  g_assert_nonnull(dataset);
  g_test_add_func("/sampler/weights", test_weights);
  g_test_add_func("/sampler/own-weights", test_own_weights);
  g_test_add_func("/sampler/twice", test_twice);
  g_test_add_func("/sampler/empty-epochs", test_empty_epochs);
  g_test_add_func("/sampler/sorted", test_sorted);
  g_test_add_func("/sampler/position", test_position);
  g_test_add_func("/sampler/seed", test_seed);
  g_test_add_func("/sampler/refused", test_refused);
  g_test_add_func("/sampler/no-memory", test_no_memory);
}
