/* mt-capture-tap.c — a capture is filled by taps: attention is computed where it shall stand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-session.h"

#include <string.h>

static float *
place(void *user, mt_attention_kind kind, size_t layer, size_t head)
{
  return mt_capture_fill_weights(user, kind, layer, head);
}

/* Weights are in their place already. */
static void
keep(void *user, const mt_view *view)
{
  mt_capture *capture = user;
  size_t layer = (size_t) view->layer, head = (size_t) view->head, at = view->first_row;
  if (view->site == MT_SITE_POSITION) {
    mt_stack stack = mt_kind_stack(view->kind);
    memcpy(mt_capture_fill_positions(capture, stack) + at * view->cols, view->data,
           view->rows * view->cols * sizeof(float));
  } else if (view->site == MT_SITE_SCORES) {
    memcpy(mt_capture_fill_scores(capture, view->kind, layer, head) + at * view->cols, view->data,
           view->rows * view->cols * sizeof(float));
  } else {
    memcpy(mt_capture_fill_row_lse(capture, view->kind, layer, head) + at, view->row_lse,
           view->rows * sizeof(float));
  }
}

mt_observer
mt_capture_observe(mt_capture *capture, mt_taps *taps)
{
  *taps = (mt_taps){.n = 2,
                    .taps = {{.site = MT_SITE_POSITION, .kinds = MT_ALL_KINDS},
                             {MT_SITE_WEIGHTS, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS}}};
  if (mt_capture_has_scores(capture))
    taps->taps[taps->n++] = (mt_tap){MT_SITE_SCORES, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
  return (mt_observer){taps, {keep, capture, true}, place};
}
