/* mt-trust.h — what a sample takes of a sentence. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_TRUST_H
#define MT_TRUST_H

#include "mt.h"

/* Numbers of tokens that are not special, of one side; out has room for all tokens. Returns how
 * many. */
size_t mt_trust_words(const mt_trust *trust, mt_stack stack, float *out);

#endif
