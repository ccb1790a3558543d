/* regard-spin.h — numbers that are typed into spin buttons.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Numbers are shown with a point whatever the locale says (regard-application.c), but many
 * keyboards have a comma on the number pad: let it be typed as well. */
void regard_spin_take_comma(GtkSpinButton *spin);

G_END_DECLS
