/* regard-dials.h — how the controls below a widget are set, to be set so again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a page shows follows from its controls: whoever keeps how they are set keeps the page. They
 * are toggles, check buttons, drop-downs, scales and spin buttons. A menu that is open is none, nor
 * is what follows something else than the page, such as the pieces of a sentence (leave_out).
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct _RegardDials RegardDials;

RegardDials *regard_dials_take(GtkWidget *root);
/* Those that are still there; a drop-down only if it has as many rows as it had. */
void regard_dials_bring_back(const RegardDials *dials);
void regard_dials_free(RegardDials *dials);

/* Neither the widget nor what is below it is a dial. */
void regard_dials_leave_out(GtkWidget *widget);

G_END_DECLS
