/* hash-weights.h — writes a checkpoint of the OPUS-MT shape whose weights come from a hash.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef HASH_WEIGHTS_H
#define HASH_WEIGHTS_H

#include <glib.h>

/* Write a Marian directory (d 512, 6+6 layers, 8 heads, swish, 54,688 pieces; F16, 144 MB, or the
 * same numbers in F32, 288 MB) into an existing directory; the SentencePiece models and the pieces
 * come from the checkpoint directory `tiny`. Ends the program if the disk is full. */
void hash_weights_write_opus_shape(const char *dir, const char *tiny, gboolean f32);
/* Remove what was written, and the directory. */
void hash_weights_remove(const char *dir);

#endif
