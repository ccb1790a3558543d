/* regard-position-editor.h — position encodings to be moved, swapped, shifted and switched off, on
 * the sentence that is there, while the translation follows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a person does becomes a list of changes that the selection hands on
 * (regard_selection_want_interventions); what is shown is what the capture was computed with.
 */
#pragma once

#include "figures/regard-intervention-edit.h"
#include "widgets/regard-selection.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_POSITION_EDITOR (regard_position_editor_get_type())
G_DECLARE_FINAL_TYPE(RegardPositionEditor, regard_position_editor, REGARD, POSITION_EDITOR,
                     GtkWidget)

GtkWidget *regard_position_editor_new(void);
void regard_position_editor_set_selection(RegardPositionEditor *self, RegardSelection *selection);
/* Whose encodings. */
void regard_position_editor_set_stack(RegardPositionEditor *self, mt_stack stack);
/* Keys of a token: Delete (off, and on), + and − (shift), Backspace (its own), S (swap the marked);
 * and of all: 0 (off, and on), I (layout). TRUE if it was one. */
gboolean regard_position_editor_handle_key(RegardPositionEditor *self, guint keyval,
                                           GdkModifierType state);

/* ---- The tokens of a sentence with the position encoding of each, to be taken hold of --- */

/* A chip that is dragged onto another exchanges their encodings; a click, or Space, marks a chip,
 * two at most. Signals: "swap-wanted" (uint, uint), "cursor-changed" (another chip has the
 * keyboard), "marks-changed". */

#define REGARD_TYPE_POSITION_EDITOR_CHIPS (regard_position_editor_chips_get_type())
G_DECLARE_FINAL_TYPE(RegardPositionEditorChips, regard_position_editor_chips, REGARD,
                     POSITION_EDITOR_CHIPS, GtkWidget)

GtkWidget *regard_position_editor_chips_new(void);
/* tokens NULL: none. Marks and cursor stay where there are as many tokens as before. */
void regard_position_editor_chips_set(RegardPositionEditorChips *self, const mt_tokens *tokens,
                                      const RegardPositionPlan *plan);
/* The chip that had the keyboard last; -1: none yet. */
int regard_position_editor_chips_get_cursor(RegardPositionEditorChips *self);
/* How many are marked, and which; the first that was marked comes first. */
guint regard_position_editor_chips_get_marks(RegardPositionEditorChips *self, guint marks[2]);
/* Borrowed; NULL: there is none. */
GtkWidget *regard_position_editor_chips_get_chip(RegardPositionEditorChips *self, guint token);

G_END_DECLS
