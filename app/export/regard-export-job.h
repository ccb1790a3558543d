/* regard-export-job.h — drawing and writing as tasks of the runner, so that the window goes on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cancelled job leaves no file behind and an earlier one as it was.
 */
#pragma once

#include "document/regard-result.h"
#include "formats/regard-export.h"
#include "runner/regard-runner.h"
#include <gdk/gdk.h>

G_BEGIN_DECLS

/* A figure, taken, as it is to be drawn. */
typedef struct {
  RegardFigure *figure;
  const RegardExportFormat *format; /* not of the clipboard */
  RegardExportOptions options;
  GFile *file; /* reference; of the one that writes */
} RegardExportJob;
/* Draw in memory → GBytes. */
extern const RegardTask regard_export_render_task;
/* The same for the clipboard: a texture, SVG and PDF → GdkContentProvider. */
extern const RegardTask regard_export_copy_task;
/* Draw and write to a file, replacing it in one step; no result. */
extern const RegardTask regard_export_write_task;

/* Write the capture of a result, which must have one, as NPZ to a local path: the numbers on the
 * screen, and with them the scores before the softmax, for which the shown translation is run once
 * more; with the model, its hashes and the settings as `meta`. No result. */
typedef struct {
  RegardResult *result; /* reference */
  char *path;
} RegardCaptureJob;
extern const RegardTask regard_export_capture_task;

G_END_DECLS
