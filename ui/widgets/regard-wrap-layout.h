/* regard-wrap-layout.h — children one after the other, in as many lines as they need.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_WRAP_LAYOUT (regard_wrap_layout_get_type())
G_DECLARE_FINAL_TYPE(RegardWrapLayout, regard_wrap_layout, REGARD, WRAP_LAYOUT, GtkLayoutManager)

/* A widget without look of its own whose children wrap; append with gtk_widget_set_parent, or with
 * regard_wrap_append. spacing in pixels, both ways. */
GtkWidget *regard_wrap_new(int spacing);
void regard_wrap_append(GtkWidget *wrap, GtkWidget *child);
/* Lines are about as long as each other, so that no control is left alone on the last one. */
void regard_wrap_set_balanced(GtkWidget *wrap);

G_END_DECLS
