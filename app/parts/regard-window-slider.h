/* regard-window-slider.h — restricted self-attention by a slider, with what the paper says of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_WINDOW_SLIDER (regard_window_slider_get_type())
G_DECLARE_FINAL_TYPE(RegardWindowSlider, regard_window_slider, REGARD, WINDOW_SLIDER, GtkWidget)

/* The last place of the slider: every key is seen. */
#define REGARD_NO_WINDOW 25

GtkWidget *regard_window_slider_new(RegardDocument *document);
GtkRange *regard_window_slider_get_range(RegardWindowSlider *self); /* for tests */

G_END_DECLS
