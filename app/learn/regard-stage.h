/* regard-stage.h — where a lesson plays: what can be shown there, pointed at, and told as
 * directives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The window is a stage. Who runs a lesson knows no page and no widget: it hands the stage the
 * directives of a step that show something, in their order, and asks where a target is. Texts,
 * models and changes are the document's, and come before what is shown of them.
 *
 * Signal "lacks" (GError): what was to be shown when a translation, or a model, is there, is not
 * there then.
 */
#pragma once

#include "document/regard-document.h"
#include "learn/regard-lesson.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_STAGE (regard_stage_get_type())
G_DECLARE_INTERFACE(RegardStage, regard_stage, REGARD, STAGE, GtkWidget)

struct _RegardStageInterface {
  GTypeInterface parent;
  RegardDocument *(*get_document)(RegardStage *self);
  gboolean (*show)(RegardStage *self, const RegardDirective *directive, GError **error);
  gboolean (*locate)(RegardStage *self, const RegardDirective *point, graphene_rect_t *bounds);
  gboolean (*reveal)(RegardStage *self, const RegardDirective *point);
  gboolean (*focus)(RegardStage *self, const RegardDirective *point);
  char *(*say)(RegardStage *self, const RegardDirective *point);
  char *(*dup_page)(RegardStage *self);
  char *(*dup_directives)(RegardStage *self);
};

/* Borrowed. */
RegardDocument *regard_stage_get_document(RegardStage *self);
/* Does what a directive from `page` to `panes`, `reference` or `compare` says. What waits for a
 * model or a translation is done when that is there, in the order in which it was asked for, unless
 * somebody went elsewhere meanwhile: typed, chose another head or another page. Other directives
 * are nothing to do. FALSE: *error says what this model, sentence or page does not have. */
gboolean regard_stage_show(RegardStage *self, const RegardDirective *directive, GError **error);
/* Where the part of a target is that is seen, in the coordinates of the stage. FALSE: nothing of it
 * is, as of the row of a matrix while another page is shown. */
gboolean regard_stage_locate(RegardStage *self, const RegardDirective *point,
                             graphene_rect_t *bounds);
/* Scrolls it into sight, where that is all that keeps it from being seen. FALSE: it is not on the
 * screen, or has no room there yet. */
gboolean regard_stage_reveal(RegardStage *self, const RegardDirective *point);
/* The keyboard goes to it, or to what it is a part of. FALSE: it cannot be seen now. */
gboolean regard_stage_focus(RegardStage *self, const RegardDirective *point);
/* A target as one reads it in a sentence: "row 3 of the matrix". Caller frees. */
char *regard_stage_say(RegardStage *self, const RegardDirective *point);
/* The page that is looked at, as directives name it: "positions/bench". NULL: none is, as before
 * there is a translation. Caller frees. */
char *regard_stage_dup_page(RegardStage *self);
/* What is on the screen as directives, a line each, which lead back to it. Caller frees. */
char *regard_stage_dup_directives(RegardStage *self);

G_END_DECLS
