/* regard-stage.c — where a lesson plays: what can be shown there, pointed at, and told as
 * directives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-stage.h"

#include "base/regard-signals.h"

G_DEFINE_INTERFACE(RegardStage, regard_stage, GTK_TYPE_WIDGET)

static void
regard_stage_default_init(RegardStageInterface *interface)
{
  regard_add_signal(interface, "lacks", 1, G_TYPE_ERROR);
}

RegardDocument *
regard_stage_get_document(RegardStage *self)
{
  return REGARD_STAGE_GET_IFACE(self)->get_document(self);
}

gboolean
regard_stage_show(RegardStage *self, const RegardDirective *directive, GError **error)
{
  return REGARD_STAGE_GET_IFACE(self)->show(self, directive, error);
}

gboolean
regard_stage_locate(RegardStage *self, const RegardDirective *point, graphene_rect_t *bounds)
{
  return REGARD_STAGE_GET_IFACE(self)->locate(self, point, bounds);
}

gboolean
regard_stage_reveal(RegardStage *self, const RegardDirective *point)
{
  return REGARD_STAGE_GET_IFACE(self)->reveal(self, point);
}

gboolean
regard_stage_focus(RegardStage *self, const RegardDirective *point)
{
  return REGARD_STAGE_GET_IFACE(self)->focus(self, point);
}

char *
regard_stage_say(RegardStage *self, const RegardDirective *point)
{
  return REGARD_STAGE_GET_IFACE(self)->say(self, point);
}

char *
regard_stage_dup_page(RegardStage *self)
{
  return REGARD_STAGE_GET_IFACE(self)->dup_page(self);
}

char *
regard_stage_dup_directives(RegardStage *self)
{
  return REGARD_STAGE_GET_IFACE(self)->dup_directives(self);
}
