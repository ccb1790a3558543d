/* regard-choose-file.h — a file that is to be opened, chosen by the desktop's own dialog.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

/* Opens the dialog above the widget's window; what is chosen goes to the widget's action, whose
 * parameter is its path ("s"), so that everything can be driven without a dialog, too. suffix, as
 * "npz", and what such files are called, or both NULL: all files. with_all: others can be asked
 * for. */
void regard_choose_file(GtkWidget *widget, const char *title, const char *accept, const char *files,
                        const char *suffix, gboolean with_all, const char *action);
