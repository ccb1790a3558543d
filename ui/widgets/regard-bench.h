/* regard-bench.h — position encodings to be moved, swapped, shifted and switched off, on the
 * sentence that is there, while the translation follows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a person does becomes a list of changes that the selection hands on
 * (regard_selection_want_changes); what is shown is what the capture was computed with.
 */
#pragma once

#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_BENCH (regard_bench_get_type())
G_DECLARE_FINAL_TYPE(RegardBench, regard_bench, REGARD, BENCH, GtkWidget)

GtkWidget *regard_bench_new(void);
void regard_bench_set_selection(RegardBench *self, RegardSelection *selection);
/* Whose encodings. */
void regard_bench_set_stack(RegardBench *self, mt_stack stack);
/* Keys of a token: Delete (off, and on), + and − (shift), Backspace (its own), S (swap the marked);
 * and of all: 0 (off, and on), I (layout). TRUE if it was one. */
gboolean regard_bench_handle_key(RegardBench *self, guint keyval, GdkModifierType state);

G_END_DECLS
