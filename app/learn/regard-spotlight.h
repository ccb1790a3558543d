/* regard-spotlight.h — a ring around what a lesson points at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It lies over the stage as an overlay and takes no input. What is around the place is darker for a
 * moment, unless the desktop wants no animations; the ring stays and follows the place, which it
 * never covers. It looks for the place in the frames that are painted anyway, and asks for none, so
 * a window at rest stays at rest. A screen reader hears "Look at: …".
 */
#pragma once

#include "learn/regard-stage.h"

G_BEGIN_DECLS

#define REGARD_TYPE_SPOTLIGHT (regard_spotlight_get_type())
G_DECLARE_FINAL_TYPE(RegardSpotlight, regard_spotlight, REGARD, SPOTLIGHT, GtkWidget)

/* The stage is borrowed and must live as long: the spotlight is a part of it. */
GtkWidget *regard_spotlight_new(RegardStage *stage);
/* point: borrowed until another one is pointed at; NULL: nothing is. */
void regard_spotlight_point(RegardSpotlight *self, const RegardDirective *point);
/* The place that has the ring now, in the coordinates of the stage. FALSE: none has. */
gboolean regard_spotlight_get_place(RegardSpotlight *self, graphene_rect_t *place);

G_END_DECLS
