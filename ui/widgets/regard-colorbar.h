/* regard-colorbar.h — which colour means which value, with the range and the name of the scale.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-colormap.h"
#include "figures/regard-scale.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_COLORBAR (regard_colorbar_get_type())
G_DECLARE_FINAL_TYPE(RegardColorbar, regard_colorbar, REGARD, COLORBAR, GtkWidget)

GtkWidget *regard_colorbar_new(void);
/* Range lo..hi of the values; colormap must not be NULL. */
void regard_colorbar_set(RegardColorbar *self, const RegardColormap *colormap, RegardScale scale,
                         double lo, double hi);
/* A mark at this place (0..1) of the bar, for the value under the pointer; negative: none. */
void regard_colorbar_set_mark(RegardColorbar *self, double place);

G_END_DECLS
