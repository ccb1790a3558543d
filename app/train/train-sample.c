/* train-sample.c — some of many, drawn by weight: a heap with the largest of the n smallest keys on
 * top.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/train-sample.h"

#include "train/train-clean.h"

#include <math.h>

typedef struct {
  double key;
  guint64 i;
} Item;

struct _TrainSample {
  gsize n;
  guint64 seed, purpose;
  GArray *heap; /* of Item */
};

TrainSample *
train_sample_new(gsize n, guint64 seed, guint64 purpose)
{
  TrainSample *sample = g_new0(TrainSample, 1);
  sample->n = n;
  sample->seed = seed;
  sample->purpose = purpose;
  sample->heap = g_array_new(FALSE, FALSE, sizeof(Item));
  return sample;
}

void
train_sample_free(TrainSample *sample)
{
  if (!sample)
    return;
  g_array_unref(sample->heap);
  g_free(sample);
}

static Item
draw(const TrainSample *sample, guint64 i, double weight)
{
  return (Item){.key = -log(train_draw(sample->seed, sample->purpose, i)) / weight, .i = i};
}

/* No two are the same. */
static gboolean
is_before(Item a, Item b)
{
  return a.key < b.key || (a.key == b.key && a.i < b.i);
}

static void
rise(Item *heap, gsize at)
{
  while (at > 0) {
    gsize parent = (at - 1) / 2;
    if (!is_before(heap[parent], heap[at]))
      return;
    Item item = heap[at];
    heap[at] = heap[parent];
    heap[parent] = item;
    at = parent;
  }
}

static void
sink(Item *heap, gsize n, gsize at)
{
  for (gsize child = 2 * at + 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n && is_before(heap[child], heap[child + 1]))
      child++;
    if (!is_before(heap[at], heap[child]))
      return;
    Item item = heap[at];
    heap[at] = heap[child];
    heap[child] = item;
    at = child;
  }
}

void
train_sample_offer(TrainSample *sample, guint64 i, double weight)
{
  Item item = draw(sample, i, weight);
  GArray *heap = sample->heap;
  if (heap->len < sample->n) {
    g_array_append_val(heap, item);
    rise((Item *) (void *) heap->data, heap->len - 1);
  } else if (sample->n > 0 && is_before(item, g_array_index(heap, Item, 0))) {
    g_array_index(heap, Item, 0) = item;
    sink((Item *) (void *) heap->data, heap->len, 0);
  }
}

gboolean
train_sample_has(const TrainSample *sample, guint64 i, double weight)
{
  if (sample->heap->len == 0)
    return FALSE;
  return !is_before(g_array_index(sample->heap, Item, 0), draw(sample, i, weight));
}
