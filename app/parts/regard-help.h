/* regard-help.h — windows that the main menu opens: shortcuts, the legend, preferences and About.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Shows a page of preferences above the window of parent: inside it, where libadwaita has
 * AdwPreferencesDialog (from 1.5 on), else as a window of its own. */
void regard_newer_show_preferences(AdwPreferencesPage *page, GtkWindow *parent);

/* Who made the program, what it is made of, and what a report of a fault should say of this
 * machine; inside the window, where libadwaita has AdwAboutDialog (from 1.5 on). parent may be
 * NULL. */
void regard_newer_show_about(GtkWindow *parent, const char *version, const char *comments,
                             const char *debug_info);

/* ==== Windows above another one: each is modal, not shown yet, and closes by Escape =========== */

/* title_widget stands in the place of the title; NULL: the title does. Both widgets are taken. */
GtkWindow *regard_small_window_new(GtkWindow *parent, const char *title, GtkWidget *title_widget,
                                   GtkWidget *content);
/* What signs mean: those of some parts (regard_help_signs), which end with NULL, and those that all
 * pages have. */
GtkWindow *regard_legend_new(GtkWindow *parent, const char *const *parts);

/* ==== All keys in a window that fits any screen =============================================== */

/* A new window over its parent, as large as its parent at most; Escape closes it. Keys of actions
 * are those of the parent's application. */
GtkWindow *regard_shortcuts_new(GtkWindow *parent);

G_END_DECLS
