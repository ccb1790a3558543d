/* regard-bench.h — position encodings to be moved, swapped, shifted and switched off, on the
 * sentence that is there, while the translation follows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a person does becomes a list of changes that the selection hands on
 * (regard_selection_want_changes); what is shown is what the capture was computed with.
 */
#pragma once

#include "figures/regard-change-edit.h"
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

/* ---- The tokens of a sentence with the position encoding of each, to be taken hold of --- */

/* A chip that is dragged onto another exchanges their encodings; a click, or Space, marks a chip,
 * two at most. Signals: "swap-wanted" (uint, uint), "cursor-changed" (another chip has the
 * keyboard), "marks-changed". */

#define REGARD_TYPE_BENCH_CHIPS (regard_bench_chips_get_type())
G_DECLARE_FINAL_TYPE(RegardBenchChips, regard_bench_chips, REGARD, BENCH_CHIPS, GtkWidget)

GtkWidget *regard_bench_chips_new(void);
/* tokens NULL: none. Marks and cursor stay where there are as many tokens as before. */
void regard_bench_chips_set(RegardBenchChips *self, const mt_tokens *tokens,
                            const RegardPositionPlan *plan);
/* The chip that had the keyboard last; -1: none yet. */
int regard_bench_chips_get_cursor(RegardBenchChips *self);
/* How many are marked, and which; the first that was marked comes first. */
guint regard_bench_chips_get_marks(RegardBenchChips *self, guint marks[2]);
/* Borrowed; NULL: there is none. */
GtkWidget *regard_bench_chips_get_chip(RegardBenchChips *self, guint token);

G_END_DECLS
