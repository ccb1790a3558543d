/* regard-measure-pane.c — the base class of the panes of the page Measure.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/measure/regard-measure-pane.h"

typedef struct {
  char *note;
} RegardMeasurePanePrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(RegardMeasurePane, regard_measure_pane, REGARD_TYPE_VIEW)

static guint note_changed_signal;

void
regard_measure_pane_set_note(RegardMeasurePane *self, const char *note)
{
  RegardMeasurePanePrivate *priv = regard_measure_pane_get_instance_private(self);

  g_return_if_fail(REGARD_IS_MEASURE_PANE(self));

  if (g_str_equal(note, regard_measure_pane_get_note(self)))
    return;
  g_free(priv->note);
  priv->note = g_strdup(note);
  g_signal_emit(self, note_changed_signal, 0);
}

const char *
regard_measure_pane_get_note(RegardMeasurePane *self)
{
  RegardMeasurePanePrivate *priv = regard_measure_pane_get_instance_private(self);

  g_return_val_if_fail(REGARD_IS_MEASURE_PANE(self), "");

  return priv->note ? priv->note : "";
}

static void
regard_measure_pane_finalize(GObject *object)
{
  RegardMeasurePanePrivate *priv =
      regard_measure_pane_get_instance_private(REGARD_MEASURE_PANE(object));

  g_free(priv->note);
  G_OBJECT_CLASS(regard_measure_pane_parent_class)->finalize(object);
}

static void
regard_measure_pane_class_init(RegardMeasurePaneClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_measure_pane_finalize;
  note_changed_signal = g_signal_new("note-changed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
regard_measure_pane_init(RegardMeasurePane *self)
{
}
