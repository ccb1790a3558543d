/* regard-export-job.h — drawing and writing in a thread, so that the window goes on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cancelled job leaves no file behind and an earlier one as it was.
 */
#pragma once

#include "document/regard-result.h"
#include "formats/regard-export.h"
#include <gdk/gdk.h>

G_BEGIN_DECLS

/* Draw a figure in memory. Takes the figure. */
void regard_export_job_render_async(RegardFigure *figure, const RegardExportFormat *format,
                                    const RegardExportOptions *options, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);
GBytes *regard_export_job_render_finish(GAsyncResult *result, GError **error);

/* Draw and write to a file, replacing it in one step. Takes the figure. */
/* The same for the clipboard: a texture, SVG and PDF. Takes the figure. */
void regard_export_job_copy_async(RegardFigure *figure, const RegardExportOptions *options,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer user_data);
GdkContentProvider *regard_export_job_copy_finish(GAsyncResult *result, GError **error);

void regard_export_job_write_async(RegardFigure *figure, const RegardExportFormat *format,
                                   const RegardExportOptions *options, GFile *file,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data);
gboolean regard_export_job_write_finish(GAsyncResult *result, GError **error);

/* Write the capture of a result, which must have one, as NPZ to a local path: the numbers on the
 * screen, and with them the scores before the softmax, for which the shown translation is run once
 * more; with the model, its hashes and the settings as `meta`. */
void regard_export_job_capture_async(RegardResult *result, const char *path,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
gboolean regard_export_job_capture_finish(GAsyncResult *async_result, GError **error);

G_END_DECLS
