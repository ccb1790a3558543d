/* stream.h — the residual stream of a trace, point by point. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stream of a stack begins as embedding + position; each sub-layer adds to it (the paper, 3.1).
 * A point is the stream after one of these.
 */
#ifndef MT_PUBLIC_STREAM_H
#define MT_PUBLIC_STREAM_H

#include <mt/config.h>
#include <mt/hooks.h>
#include <mt/matrix.h>
#include <mt/model.h>
#include <mt/trace.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  MT_SUB_LAYER_EMBEDDING, /* none yet: layer -1 */
  MT_SUB_LAYER_SELF,
  MT_SUB_LAYER_CROSS, /* of decoders */
  MT_SUB_LAYER_FEED_FORWARD,
} mt_sub_layer_type;

typedef struct {
  mt_stack stack;
  int layer; /* from 0 */
  mt_sub_layer_type sub_layer;
} mt_point;

/* Points of a stack in the order of computation: the embedding, then each sub-layer of each layer.
 */
size_t mt_point_count(const mt_config *config, mt_stack stack);
mt_point mt_point_at(const mt_config *config, mt_stack stack, size_t i);
/* The number of a point in that order; mt_point_count if the model does not have it. */
size_t mt_point_number(const mt_config *config, mt_point point);
/* The attention that a sub-layer is; that of its stack for the others. */
mt_attention_kind mt_point_kind(mt_point point);

/* Add to taps what the functions of stream.h, parts.h and lens.h read of a trace: of n tokens and L
 * layers some 8 n L values of d. */
void mt_taps_add_stream(mt_taps *taps);

/* Of a trace that was made with these taps, [rows][d], borrowed; data NULL where there is none. */
mt_matrix mt_stream_at(const mt_trace *trace, mt_point point);    /* the stream there */
mt_matrix mt_stream_added(const mt_trace *trace, mt_point point); /* what the sub-layer added */
/* The stream that the sub-layer found; data NULL at the embedding, too. */
mt_matrix mt_stream_before(const mt_model *model, const mt_trace *trace, mt_point point);
/* What the sub-layer's layer norm read: stream + added, in a pre-norm model the stream before. */
mt_matrix mt_stream_norm_input(const mt_trace *trace, mt_point point);

/* One token at one point. Norms are Euclidean. */
typedef struct {
  double norm;        /* of the stream */
  double added_norm;  /* of what was added; NAN at the embedding, as is the next */
  double cosine;      /* between what was added and the stream before */
  double mean, sigma; /* of what the layer norm read, sigma = sqrt(variance + 1e-5), the variance
                         biased; NAN where there is no norm */
} mt_stream_numbers;
mt_stream_numbers mt_stream_measure(const mt_model *model, const mt_trace *trace, mt_point point,
                                    size_t token);

/* Mean cosine between the streams of each two different tokens at a point: how far they have
 * collapsed into one; NAN for a single token, and without memory. */
double mt_stream_collapse(const mt_trace *trace, mt_point point);

#ifdef __cplusplus
}
#endif
#endif
