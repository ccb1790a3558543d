/* regard-bench-chips.h — the tokens of a sentence with the position encoding of each, to be taken
 * hold of.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A chip that is dragged onto another exchanges their encodings; a click, or Space, marks a chip,
 * two at most. Signals: "swap-wanted" (uint, uint), "cursor-changed" (another chip has the
 * keyboard), "marks-changed".
 */
#pragma once

#include "figures/regard-position-plan.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

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
