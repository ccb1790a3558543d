/* regard-training-frames.c — a head at all checkpoints of a training.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-training-frames.h"

#include "base/regard-autoptr.h"
#include "figures/regard-language.h"

RegardFrames *
regard_training_frames(const GArray *steps, const RegardMatrixSpec *spec,
                       const RegardFigureStyle *style, RegardTrainingCapture capture, gpointer user,
                       mt_error *error)
{
  /* Of a layer, since all heads of it may be wanted; chosen heads are of any. */
  const gboolean is_of_all = spec->combine == REGARD_COMBINE_CHOSEN;
  const mt_capture_place place = {(int) spec->kind, is_of_all ? -1 : (int) spec->layer, -1};
  g_autoptr(GPtrArray) matrices =
      g_ptr_array_new_with_free_func((GDestroyNotify) regard_matrix_unref);
  g_autoptr(GPtrArray) labels = g_ptr_array_new_with_free_func(g_free);
  RegardMatrixSpec of = *spec;
  if (!is_of_all)
    of.layer = 0; /* a capture of one layer has no others */
  for (guint i = 0; i < steps->len; i++) {
    const RegardTrainingStep *step = &g_array_index(steps, RegardTrainingStep, i);
    g_autoptr(mt_capture) captured = capture(step, i, &place, user, error);
    if (!captured)
      return NULL;
    g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, step->step);
    g_ptr_array_add(matrices, regard_matrix_new_attention(captured, &of));
    g_ptr_array_add(labels, g_strdup_printf(_("training step %s"), number));
  }
  return regard_frames_new_matrices((RegardMatrix *const *) matrices->pdata,
                                    (const char *const *) labels->pdata, matrices->len, style);
}
