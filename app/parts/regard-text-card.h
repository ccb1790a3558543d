/* regard-text-card.h — a text on a card: title, the text itself, and room for its pieces.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Used twice, for source and translation. One sentence of the text is the current one; its tokens
 * tell which words lie under the pointer and which are lit. Offsets are bytes of the text.
 *
 * Properties: "title", "editable".
 * Signals: "changed" (the person typed), "caret" (guint: byte offset of the caret, after a click
 * or a key), "hover" (int: token under the pointer, -1: none).
 */
#pragma once

#include "widgets/regard-token-strip.h"
#include <gtk/gtk.h>
#include <mt.h>

G_BEGIN_DECLS

#define REGARD_TYPE_TEXT_CARD (regard_text_card_get_type())
G_DECLARE_FINAL_TYPE(RegardTextCard, regard_text_card, REGARD, TEXT_CARD, GtkWidget)

GtkTextView *regard_text_card_get_view(RegardTextCard *self);

/* A strip with the pieces of that side below the text; borrowed. */
RegardTokenStrip *regard_text_card_add_strip(RegardTextCard *self, RegardSide side);

/* Caller frees. */
char *regard_text_card_dup_text(RegardTextCard *self);
/* Only what differs is replaced, so that selection and scroll position stay. Emits no "changed". */
void regard_text_card_set_text(RegardTextCard *self, const char *text);
gsize regard_text_card_get_caret(RegardTextCard *self);
void regard_text_card_set_caret(RegardTextCard *self, gsize at);

/* The current sentence, [begin, end), and its tokens (offsets within the sentence); tokens NULL:
 * none. It is scrolled into sight. If dim_others, the rest of the text steps back. */
void regard_text_card_set_sentence(RegardTextCard *self, gsize begin, gsize end,
                                   const mt_tokens *tokens, gboolean dim_others);
/* Show the text of these tokens from its beginning, as one sentence; NULL: nothing. */
void regard_text_card_show_tokens(RegardTextCard *self, const mt_tokens *tokens);
/* Ranges of bytes of the text (array of RegardSentence) whose words come from elsewhere are
 * underlined; NULL: none. After the text was set. */
void regard_text_card_set_copied(RegardTextCard *self, const GArray *ranges);
/* Light one token of the current sentence; -1: none. */
void regard_text_card_set_lit(RegardTextCard *self, int token);
/* How many tokens of the current sentence are there already; what comes later is pale. -1: all of
 * it is there. */
void regard_text_card_set_reached(RegardTextCard *self, int n);

G_END_DECLS
