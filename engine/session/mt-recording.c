/* mt-recording.c — the attention of a search, kept while it runs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-recording.h"

#include "model/mt-model.h"

#include <string.h>

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
  size_t i = layer * recording->n_heads[mt_kind_stack(kind)] + head;
  if (kind == MT_ENCODER_SELF)
    return i * recording->n_source + position;
  return (i * MT_RECORDING_MAX + position) * recording->n_beams + beam;
}

/* Keep the rows of weights that it is shown. */
static void
keep(void *user, const mt_view *view)
{
  const mt_recording *recording = user;
  for (size_t r = 0; r < view->rows; r++) {
    size_t position = view->first_row + r;
    if (position >= MT_RECORDING_MAX)
      return;
    size_t at = row_index(recording, view->kind, (size_t) view->layer, (size_t) view->head,
                          position, view->sequence);
    memcpy(recording->weights[view->kind] + at * row_size(recording, view->kind),
           view->data + r * view->stride, view->cols * sizeof(float));
    recording->row_lse[view->kind][at] = view->row_lse[r];
  }
}

mt_observer
mt_recording_observe(mt_recording *recording, mt_taps *taps)
{
  uint32_t kinds =
      recording->extent == MT_RECORD_ENCODER ? MT_KIND_BIT(MT_ENCODER_SELF) : MT_ALL_KINDS;
  *taps = (mt_taps){.n = 1, .taps = {{MT_SITE_WEIGHTS, kinds, MT_ALL_LAYERS, MT_ALL_HEADS}}};
  return (mt_observer){taps, {keep, recording, true}, NULL};
}

void
mt_recording_play(const mt_recording *recording, mt_attention_kind kind, size_t i,
                  mt_capture *capture)
{
  mt_stack stack = mt_kind_stack(kind);
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
