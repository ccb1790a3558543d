/* regard-heads.h — every head of every layer, small: three grids of thumbnails.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Encoder self-attention, cross-attention and decoder self-attention, one row of thumbnails a
 * layer, one column a head. The current head is outlined, chosen heads carry a dot, heads that were
 * changed in the model a sign of how, in their left upper corner. That corner is a switch, and so
 * are the numbers of layers and heads: they activate "win.toggle-change" with a line such as
 * "cross 4.1 zero". One widget that draws itself from kept pictures, not one child for
 * each head. Click opens a head, Ctrl+click (or Space, or a plain
 * click where the mean of the chosen is shown) toggles it as chosen, arrows move; the secondary
 * button, or the menu key, opens a menu of what can be done to the head, its layer and its column
 * ("win.make-change", "win.restore-change").
 */
#pragma once

#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_HEADS (regard_heads_get_type())
G_DECLARE_FINAL_TYPE(RegardHeads, regard_heads, REGARD, HEADS, GtkWidget)

GtkWidget *regard_heads_new(void);
void regard_heads_set_selection(RegardHeads *self, RegardSelection *selection);

/* The head at a point, and where a head is drawn; layers and heads as the capture counts them. */
gboolean regard_heads_head_at(RegardHeads *self, double x, double y, mt_attention_kind *kind,
                              guint *layer, guint *head);
gboolean regard_heads_get_rect(RegardHeads *self, mt_attention_kind kind, guint layer, guint head,
                               graphene_rect_t *rect);
/* Where all heads of a kind are, with their heading. FALSE: there are none. */
gboolean regard_heads_get_kind_rect(RegardHeads *self, mt_attention_kind kind,
                                    graphene_rect_t *rect);
/* A click there while these modifiers are held. */
void regard_heads_press(RegardHeads *self, double x, double y, GdkModifierType state);

G_END_DECLS
