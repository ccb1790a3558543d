/* regard-change-presets.h — lists of changes that have names: some that come with Regard, and those
 * that were saved.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_CHANGE_PRESETS (regard_change_presets_get_type())
G_DECLARE_FINAL_TYPE(RegardChangePresets, regard_change_presets, REGARD, CHANGE_PRESETS, GtkWidget)

/* A page: click one to make its changes in place of what is changed; own ones can be renamed and
 * deleted; what is changed now can be saved. They are kept in the settings, "change-presets". What
 * a model cannot have is said by "failed" (char *message). */
GtkWidget *regard_change_presets_new(RegardDocument *document, GSettings *settings);
/* As by its entry and buttons. FALSE: it has no name, nothing is changed, or there is none. A name
 * that is there is replaced by save, and is no new name. */
gboolean regard_change_presets_save(RegardChangePresets *self, const char *name);
gboolean regard_change_presets_rename(RegardChangePresets *self, const char *name, const char *to);
gboolean regard_change_presets_delete(RegardChangePresets *self, const char *name);
gboolean regard_change_presets_apply(RegardChangePresets *self, const char *name);

G_END_DECLS
