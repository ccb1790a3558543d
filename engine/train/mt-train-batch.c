/* mt-train-batch.c — pairs of sentences, one behind the other, as a batch.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-sampler.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

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
