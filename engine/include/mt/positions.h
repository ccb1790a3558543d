/* positions.h — position encodings: a model's own, and those of the paper's section 3.5. Part of
 * mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_POSITIONS_H
#define MT_PUBLIC_POSITIONS_H

#include <mt/config.h>
#include <mt/matrix.h>
#include <mt/model.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The position table [max_positions][d] that a stack adds to its embeddings (the paper, 3.5). */
mt_matrix mt_model_positions(const mt_model *model, mt_stack stack);

/* The matrix of a sinusoidal encoding, without any model: out [n][d].
 * halves:      out[p][i] = sin(p / 10000^(2i/d)), out[p][d/2 + i] = cos(same)
 * interleaved: out[p][2i] = sin(p / 10000^(2i/d)), out[p][2i+1] = cos(same)
 * kind must not be MT_POSITIONS_LEARNED; d must be even. */
void mt_positions_sinusoidal(float *out, size_t n, size_t d, mt_position_kind kind);

/* The linear map M [d][d] for which PE(p + k) = M PE(p) at every p (the paper, section 3.5: "for
 * any fixed offset k, PE(pos+k) can be represented as a linear function of PE(pos)"): a rotation
 * in each (sine, cosine) pair. out [d][d]; kind as above. */
void mt_positions_shift(float *out, size_t d, long k, mt_position_kind kind);

#ifdef __cplusplus
}
#endif
#endif
