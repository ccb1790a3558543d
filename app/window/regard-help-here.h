/* regard-help-here.h — help where one is: the page, the picture, the control with the keyboard.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "parts/regard-help-topics.h"
#include "views/regard-view.h"
#include <adwaita.h>

G_BEGIN_DECLS

/* What can be said of a widget: by its name, or by the name of what it is in. NULL: nothing. */
const RegardHelpTopic *regard_help_topic_of(GtkWidget *widget);

/* Help with the page of a view, whose widget has the page's id for its name, with its picture, and
 * with the focus; view NULL: with the start page; focus NULL: nothing has the keyboard.
 * with_training: the strip of a training is there. Modal, not shown yet; it closes by Escape, and
 * the keyboard is where it was. */
GtkWindow *regard_help_here_new(GtkWindow *parent, RegardView *view, GtkWidget *focus,
                                gboolean with_training);
/* What the signs of that page mean (regard_legend_new). */
GtkWindow *regard_help_signs_new(GtkWindow *parent, RegardView *view, gboolean with_training);

G_END_DECLS
