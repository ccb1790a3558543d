/* regard-sparkline.h — a histogram as small as a word.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * As high as the highest bin, in the colour of its text; a bin with anything in it is seen.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_SPARKLINE (regard_sparkline_get_type())
G_DECLARE_FINAL_TYPE(RegardSparkline, regard_sparkline, REGARD, SPARKLINE, GtkWidget)

GtkWidget *regard_sparkline_new(void);
/* bins [n] are copied; NULL: nothing is drawn. said: what a screen reader says of it, and the
 * tooltip. */
void regard_sparkline_set(RegardSparkline *self, const guint64 *bins, guint n, const char *said);

G_END_DECLS
