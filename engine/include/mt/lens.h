/* lens.h — what states would already say. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_LENS_H
#define MT_PUBLIC_LENS_H

#include <mt/error.h>
#include <mt/stream.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The logit lens (nostalgebraist 2020): softmax(W_out h + bias) of the stream h at every point,
 * after the stack's final layer norm if it has one; in the encoder the rows of the source embedding
 * stand for W_out, without bias. At the decoder's last point that is what the model says. Of pieces
 * with equal logits the one with the smaller number is before the other. */
typedef struct {
  int32_t best;            /* the likeliest piece */
  float probability;       /* of it */
  float entropy;           /* bits */
  float divergence;        /* KL from here to the last point, bits: KL(last || here) */
  int32_t final;           /* the piece that is likeliest at the last point */
  float final_probability; /* of that one here */
  uint32_t final_rank;     /* of that one here; 1: likeliest */
} mt_lens_cell;

typedef struct mt_lens mt_lens;
/* All points and tokens of a stack. should_stop(user) is polled; may be NULL. On any thread.
 * MT_ERROR_INPUT: the trace lacks taps, or is of another model; MT_ERROR_CANCELLED;
 * MT_ERROR_NO_MEMORY. */
mt_lens *mt_lens_new(const mt_model *model, const mt_trace *trace, mt_stack stack,
                     bool (*should_stop)(void *user), void *user, mt_error *error);
void mt_lens_free(mt_lens *lens);
size_t mt_lens_points(const mt_lens *lens);
size_t mt_lens_tokens(const mt_lens *lens);
const mt_lens_cell *mt_lens_get(const mt_lens *lens, size_t point, size_t token);

/* The n likeliest pieces of one state, best first; probabilities [n] may be NULL. Returns how many
 * there are: 0 if the trace lacks the state, or without memory. */
size_t mt_lens_best(const mt_model *model, const mt_trace *trace, mt_point point, size_t token,
                    size_t n, int32_t *pieces, float *probabilities);

typedef struct {
  int32_t piece;
  float cosine;
} mt_neighbour;
/* The n pieces whose embeddings have the largest cosine to that of a piece: itself left out, and
 * rows that are all 0. Returns how many there are: 0 if there is no such piece, or no memory. */
size_t mt_embedding_nearest(const mt_model *model, mt_stack stack, int32_t piece, size_t n,
                            mt_neighbour *out);

#ifdef __cplusplus
}
#endif
#endif
