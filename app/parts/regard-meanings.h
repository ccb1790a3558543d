/* regard-meanings.h — under the pieces of a text, what its words mean.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For who reads neither of the two languages: the setting "gloss" says whether, and by itself
 * ("auto") it is so in windows that are not English. The language of the text has to be told by the
 * model, and the words are those of assets/gloss. Texts of captures from files have no meanings.
 */
#pragma once

#include "document/regard-document.h"
#include "widgets/regard-token-strip.h"

G_BEGIN_DECLS

/* Once for a strip, which shows them from now on wherever they are wanted. */
void regard_meanings_show(RegardTokenStrip *strip, RegardSide side, RegardDocument *document,
                          GSettings *settings);

G_END_DECLS
