/* mt-recording.c — the attention of a search, kept while it runs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-recording.h"

#include <string.h>

static mt_stack
stack_of(mt_attention_kind kind)
{
  return kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
}

/* Room for the keys of one row. */
static size_t
row_size(const mt_recording *recording, mt_attention_kind kind)
{
  return kind == MT_DECODER_SELF ? MT_RECORDING_MAX : recording->n_source;
}

/* Where the row of a position and a beam is, counted in rows. */
static size_t
row_index(const mt_recording *recording, mt_attention_kind kind, size_t layer, size_t head,
          size_t position, size_t beam)
{
  size_t i = layer * recording->n_heads[stack_of(kind)] + head;
  if (kind == MT_ENCODER_SELF)
    return i * recording->n_source + position;
  return (i * MT_RECORDING_MAX + position) * recording->n_beams + beam;
}

void
mt_recording_keep(const mt_recording *recording, mt_attention_kind kind, size_t layer, size_t head,
                  const mt_group *group, size_t r, const float *weights, size_t n, float row_lse)
{
  size_t position = mt_group_position(group, r);
  if (position >= MT_RECORDING_MAX)
    return;
  size_t beam = group->n_beams ? r % group->n_beams : 0;
  size_t at = row_index(recording, kind, layer, head, position, beam);
  memcpy(recording->weights[kind] + at * row_size(recording, kind), weights, n * sizeof *weights);
  recording->row_lse[kind][at] = row_lse;
}

void
mt_recording_play(const mt_recording *recording, mt_attention_kind kind, size_t i,
                  mt_capture *capture)
{
  mt_stack stack = stack_of(kind);
  const uint32_t *beams = stack == MT_STACK_DECODER ? recording->rows + i * MT_RECORDING_MAX : NULL;
  for (size_t layer = 0; layer < recording->n_layers[stack]; layer++)
    for (size_t head = 0; head < recording->n_heads[stack]; head++) {
      mt_matrix shape = mt_capture_weights(capture, kind, layer, head);
      float *to = mt_capture_fill_weights(capture, kind, layer, head);
      float *lse = mt_capture_fill_row_lse(capture, kind, layer, head);
      for (size_t row = 0; row < shape.rows; row++) {
        size_t at = row_index(recording, kind, layer, head, row, beams ? beams[row] : 0);
        /* What lies behind the newest position is masked, and 0 in the capture already. */
        size_t n = kind == MT_DECODER_SELF ? row + 1 : shape.cols;
        memcpy(to + row * shape.cols, recording->weights[kind] + at * row_size(recording, kind),
               n * sizeof *to);
        lse[row] = recording->row_lse[kind][at];
      }
    }
}
