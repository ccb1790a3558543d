/* regard-piece-chooser.h — another piece for one of the source, found by typing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>
#include <mt.h>

G_BEGIN_DECLS

#define REGARD_TYPE_PIECE_CHOOSER (regard_piece_chooser_get_type())
G_DECLARE_FINAL_TYPE(RegardPieceChooser, regard_piece_chooser, REGARD, PIECE_CHOOSER, GtkPopover)

/* At a place of a widget, with the keyboard in its entry; for the vocabulary of the encoder. Down
 * goes into the list, Enter takes the first or the chosen. "chosen" (int id) once, or it is closed.
 */
RegardPieceChooser *regard_piece_chooser_open(GtkWidget *widget, const graphene_rect_t *at,
                                              mt_model *model, const char *instead_of);
/* Ids of the pieces that go with what is typed, best first: the word itself, then those that begin
 * with it, then those that have it in them, shorter ones first; at most `most`. Without case, and
 * the mark of a word's beginning need not be typed. Caller unrefs; int32_t. */
GArray *regard_piece_chooser_find(const mt_model *model, const char *typed, guint most);

G_END_DECLS
