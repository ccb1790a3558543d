/* regard-panes.h — three panes beside each other: an overview, a picture, and numbers about it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * They keep their share of the width until somebody moves a handle; from then on the overview and
 * the numbers keep their widths, and the picture takes and gives.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_PANES (regard_panes_get_type())
G_DECLARE_FINAL_TYPE(RegardPanes, regard_panes, REGARD, PANES, GtkWidget)

/* narrow: the part of the overview that says how narrow that can be; borrowed, inside of it. */
GtkWidget *regard_panes_new(GtkWidget *overview, GtkWidget *picture, GtkWidget *numbers,
                            GtkWidget *narrow);

G_END_DECLS
