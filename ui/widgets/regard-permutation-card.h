/* regard-permutation-card.h — does the encoder know the order of its tokens? Measured on the
 * sentence that is there, with other tokens in its places.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_PERMUTATION_CARD (regard_permutation_card_get_type())
G_DECLARE_FINAL_TYPE(RegardPermutationCard, regard_permutation_card, REGARD, PERMUTATION_CARD,
                     GtkWidget)

GtkWidget *regard_permutation_card_new(void);
void regard_permutation_card_set_selection(RegardPermutationCard *self, RegardSelection *selection);
/* Which two source tokens change places; a < 0: the sentence stands backwards. */
void regard_permutation_card_set_exchange(RegardPermutationCard *self, int a, int b);
/* What it has measured; NULL: nothing yet. Borrowed. */
const RegardPermutation *regard_permutation_card_get_order(RegardPermutationCard *self);

G_END_DECLS
