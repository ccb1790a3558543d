/* regard-work-bar.h — how far a work is, and a button that stops it; there while it is under
 * way, once that has lasted long enough to be worth showing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "runner/regard-work.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_WORK_BAR (regard_work_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardWorkBar, regard_work_bar, REGARD, WORK_BAR, GtkWidget)

/* name: what is under way, for who does not see the bar. Without the button where something else
 * stops it. */
GtkWidget *regard_work_bar_new(const char *name, gboolean has_button);
/* Once. A reference is taken. */
void regard_work_bar_set_work(RegardWorkBar *self, RegardWork *work);

G_END_DECLS
