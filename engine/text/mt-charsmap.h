/* mt-charsmap.h — is a .spm file safe to hand to SentencePiece? Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CHARSMAP_H
#define MT_CHARSMAP_H

#include "mt.h"

/* Check the normalisation tables in n bytes of a serialised SentencePiece model. SentencePiece
 * walks these without looking at their bounds, so that a damaged file could make it read anywhere.
 * What it puts for a character or for an unknown piece must be short.
 * `label` names the file in messages. Errors: MT_ERROR_FORMAT. */
bool mt_charsmap_check(const void *bytes, size_t n, const char *label, mt_error *error);

#endif
