/* mt-capture-difference.h — what both ways to subtract captures share. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CAPTURE_DIFFERENCE_H
#define MT_CAPTURE_DIFFERENCE_H

#include "mt.h"

/* As many layers and heads. */
bool mt_capture_check_shapes(const mt_capture *a, const mt_capture *b, mt_error *error);

/* What the rows and columns of a difference are; NULL where there is none. Borrowed. */
typedef struct {
  mt_tokens *source, *decoder_input, *output;
} mt_difference_axes;
/* What b is beside a, with references to both, all weights still 0. */
mt_capture *mt_capture_difference_new(const mt_capture *a, const mt_capture *b,
                                      const mt_difference_axes *axes, mt_error *error);

/* "x→y" of two pieces; of one side only (the other NULL) "x→" or "→y", the mark of a word's
 * beginning first. */
#define MT_JOINED_EXTRA sizeof "→" /* bytes more than both, with the 0 */
size_t mt_join_pieces(char *out, size_t size, const char *a, const char *b);

#endif
