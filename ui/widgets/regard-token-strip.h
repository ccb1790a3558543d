/* regard-token-strip.h — the pieces of one text as a row of chips.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shows the source or the output tokens of the selection's capture, exactly as the model sees
 * them: the chip of a token that is lit by the large matrix is outlined, target chips are shaded by
 * their probability, the darker the likelier. Pointing at a chip lights its row or column, a click
 * pins it, with Shift or Ctrl adds it up with others, the arrow keys walk along the chips. Pieces
 * of the source can be hidden from the model (Delete), replaced by another (F2), and zeroed
 * (Shift+Delete), also by a menu; the window does it
 * ("win.make-change", "win.toggle-change", "win.restore-change"). Wraps to at most so many lines
 * (3 unless told otherwise), then scrolls, so that 512 tokens do not push the pictures away. Draws
 * itself; without tokens it is empty and calm.
 *
 * Where a gloss says what words mean, it stands below the first piece of the word, and lines are
 * higher by that.
 *
 * In a simple window chips have no marks of words: the pieces of a word stand close together.
 *
 * Signal "summary-changed": something else is pointed at, or there are other pieces.
 */
#pragma once

#include "figures/regard-gloss.h"
#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef enum { REGARD_SIDE_SOURCE, REGARD_SIDE_TARGET } RegardSide;

#define REGARD_TYPE_TOKEN_STRIP (regard_token_strip_get_type())
G_DECLARE_FINAL_TYPE(RegardTokenStrip, regard_token_strip, REGARD, TOKEN_STRIP, GtkWidget)

GtkWidget *regard_token_strip_new(RegardSide side);
/* Once; keeps a reference. */
void regard_token_strip_set_selection(RegardTokenStrip *self, RegardSelection *selection);
/* Words of the source in place of <unk>, of the hypothesis that is shown, marked as such; they are
 * shown as long as the capture is of these tokens. A reference is taken; NULL: none. */
void regard_token_strip_set_copies(RegardTokenStrip *self, const mt_copies *copies);
/* What the words mean. A reference is taken; NULL: nothing is said. */
void regard_token_strip_set_gloss(RegardTokenStrip *self, RegardGloss *gloss);
void regard_token_strip_set_max_lines(RegardTokenStrip *self, guint max_lines);
/* What the chip under the pointer is, e.g. "▁zu · p 0.931 · log p −0.07 · 11 of 16", or how many
 * pieces there are. Borrowed. */
const char *regard_token_strip_get_summary(RegardTokenStrip *self);
/* The token under the pointer or the keyboard's cursor here, -1: none. The summary is about it. */
int regard_token_strip_get_hovered(RegardTokenStrip *self);

/* For tests: the token at a point of the widget, or -1; and the middle of a token's chip. */
int regard_token_strip_token_at(RegardTokenStrip *self, double x, double y);
gboolean regard_token_strip_get_chip(RegardTokenStrip *self, int token, graphene_rect_t *rect);
/* And what stands below the word that a token is of; NULL: nothing. Borrowed. */
const char *regard_token_strip_get_meaning(RegardTokenStrip *self, int token);

G_END_DECLS
