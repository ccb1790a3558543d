/* regard-style.h — the program's style sheets, as the desktop's style asks for them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Loads the style sheets for this display and keeps them fitting: one for all, one more in the
 * dark, one more in high contrast. To be called once, when the application starts. libadwaita would
 * load them by their names, but from release 1.10 on it complains of that, and what it offers
 * instead GTK 4.8 cannot read. */
void regard_style_load(AdwStyleManager *manager);

G_END_DECLS
