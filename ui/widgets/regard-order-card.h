/* regard-order-card.h — does the encoder know the order of its tokens? Measured on the sentence
 * that is there, with other tokens in its places.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_ORDER_CARD (regard_order_card_get_type())
G_DECLARE_FINAL_TYPE(RegardOrderCard, regard_order_card, REGARD, ORDER_CARD, GtkWidget)

GtkWidget *regard_order_card_new(void);
void regard_order_card_set_selection(RegardOrderCard *self, RegardSelection *selection);
/* Which two source tokens change places; a < 0: the sentence stands backwards. */
void regard_order_card_set_exchange(RegardOrderCard *self, int a, int b);
/* What it has measured; NULL: nothing yet. Borrowed. */
const RegardOrder *regard_order_card_get_order(RegardOrderCard *self);

G_END_DECLS
