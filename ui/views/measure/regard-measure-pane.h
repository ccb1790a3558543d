/* regard-measure-pane.h — a pane of the page Measure: one question asked of a text instead of a
 * sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pane is a RegardView with a note beside the page's title. It is one file
 * (ui/views/measure/regard-pane-<id>.c) and one row of the list in regard-measure-panes.c; the page
 * makes its button, and asks the pane that is seen for pictures, names and keys. A pane builds its
 * widgets when it is mapped first, as pages do: who never looks there does not wait for it.
 */
#pragma once

#include "views/regard-view.h"

G_BEGIN_DECLS

#define REGARD_TYPE_MEASURE_PANE (regard_measure_pane_get_type())
G_DECLARE_DERIVABLE_TYPE(RegardMeasurePane, regard_measure_pane, REGARD, MEASURE_PANE, RegardView)

struct _RegardMeasurePaneClass {
  RegardViewClass parent_class;
};

/* What is measured, over what: "144 heads over everyday.regard-corpus". Emits "note-changed" if it
 * is another. */
void regard_measure_pane_set_note(RegardMeasurePane *self, const char *note);
/* "" at first. Borrowed. */
const char *regard_measure_pane_get_note(RegardMeasurePane *self);

/* THE list, in the order of the switcher. */
const RegardViewInfo *regard_measure_panes(guint *n);

G_END_DECLS
