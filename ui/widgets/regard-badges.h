/* regard-badges.h — what was done to a matrix, word by word beside its title.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The box has these and no other children; each says in a tooltip what it means. NULL: none. */
void regard_badges_show(GtkWidget *box, char **badges);

G_END_DECLS
