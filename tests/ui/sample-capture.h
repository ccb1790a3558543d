/* sample-capture.h — a sentence pair with invented but plausible attention, for tests of pictures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-matrix.h"

/* Pieces joined by spaces: "▁" begins a word; "</s>" and "<pad>" are special. Caller owns. */
mt_tokens *sample_tokens(const char *pieces);

/* English to German, subwords and punctuation included: 17 and 17 tokens, n_layers
 * layers of 8 heads, positions of 64 dimensions. Head h of layer l is the same on every machine.
 * Caller owns. */
mt_capture *sample_capture(gsize n_layers);

/* The same sentences, as a model with that attention_window sees them. */
mt_capture *sample_restricted_capture(gsize n_layers, gsize attention_window);

/* The same sentences with changes, in their text form: what they hide has no weight. */
mt_capture *sample_changed_capture(gsize n_layers, const char *interventions);

/* The same sentences and weights, as of a model with relative positions: biases by distance, alike
 * in all layers, and no encodings. */
mt_capture *sample_relative_capture(gsize n_layers);

/* Any pieces; decoder input is "<pad>" and the target shifted. */
mt_capture *sample_capture_of(const char *source, const char *target, gsize n_layers,
                              gsize n_heads);

/* A decoder alone, as from another program: one list of tokens, which is the input, and positions
 * of 8 dimensions. */
mt_capture *sample_decoder_capture(const char *pieces, gsize n_layers, gsize n_heads);

/* The same capture, written to a file "sample.npz" and read again. Takes the capture. */
mt_capture *sample_capture_through_file(mt_capture *capture);

/* From a table of values: shares if they are, ranked. Arrays are copied. */
RegardMatrix *sample_matrix(const float *values, guint rows, guint cols,
                            const char *const *row_labels, const char *const *col_labels);
