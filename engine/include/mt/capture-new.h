/* capture-new.h — a capture built by hand. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CAPTURE_NEW_H
#define MT_PUBLIC_CAPTURE_NEW_H

#include <mt/capture.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Build a capture by hand (from another framework, or for tests). Matrices start as zeros; fill
 * them through mt_capture_fill_* before the capture is shared, never after. */
typedef struct {
  const char *model_name;
  mt_tokens *source; /* S; NULL only if both encoder kinds are absent */
  /* T each. Of these two one may be NULL: it is not known, nothing is guessed, and the other one
   * stands for it. Both NULL: there is no decoder kind. */
  mt_tokens *decoder_input, *output;
  size_t n_layers[MT_N_KINDS], n_heads[MT_N_KINDS]; /* 0 layers: kind absent */
  size_t d_model;                                   /* 0: no positions */
  size_t attention_window;                          /* of the model, if it is restricted */
  const mt_changes *changes;                        /* it is computed with these; or NULL */
  mt_position_kind position_kind;
  unsigned flags;
  mt_naming naming;
  mt_precision precision, translation_precision;
  const mt_request *search; /* that led to the output; NULL: none that is known */
} mt_capture_spec;
mt_capture *mt_capture_new(const mt_capture_spec *spec, mt_error *error);
float *mt_capture_fill_weights(mt_capture *capture, mt_attention_kind kind, size_t layer,
                               size_t head); /* [rows][cols] contiguous */
float *mt_capture_fill_scores(mt_capture *capture, mt_attention_kind kind, size_t layer,
                              size_t head); /* NULL without MT_CAPTURE_SCORES */
float *mt_capture_fill_row_lse(mt_capture *capture, mt_attention_kind kind, size_t layer,
                               size_t head);                           /* [rows] */
float *mt_capture_fill_positions(mt_capture *capture, mt_stack stack); /* [n][d] */
float *mt_capture_fill_logprobs(mt_capture *capture);                  /* [T] */

#ifdef __cplusplus
}
#endif
#endif
