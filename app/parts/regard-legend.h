/* regard-legend.h — what the signs in texts and pictures mean, in a window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Not shown yet; it closes by Escape. */
GtkWindow *regard_legend_new(GtkWindow *parent);

G_END_DECLS
