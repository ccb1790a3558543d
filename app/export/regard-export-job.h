/* regard-export-job.h — drawing and writing as tasks of the runner, so that the window goes on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cancelled job leaves no file behind and an earlier one as it was.
 */
#pragma once

#include "document/regard-result.h"
#include "figures/regard-language.h"
#include "figures/regard-sheet.h"
#include "formats/regard-export.h"
#include "runner/regard-runner.h"
#include <gdk/gdk.h>
#include <gtk/gtk.h>
#include <mt.h>

G_BEGIN_DECLS

/* A figure, taken, as it is to be drawn. */
typedef struct {
  RegardFigure *figure;
  const RegardExportFormat *format; /* not of the clipboard */
  RegardExportOptions options;
  GFile *file;         /* reference; of the one that writes */
  const char *picture; /* what its page calls it, interned; NULL: nothing */
} RegardExportJob;
/* Draw in memory → GBytes. */
extern const RegardTask regard_export_render_task;
/* The same for the clipboard: a texture, SVG and PDF → GdkContentProvider. */
extern const RegardTask regard_export_copy_task;
/* Draw and write to a file, replacing it in one step; no result. */
extern const RegardTask regard_export_write_task;

/* Bytes, a reference, into a file, likewise; no result. */
typedef struct {
  GBytes *bytes;
  char *path;
} RegardBytesJob;
extern const RegardTask regard_export_bytes_task;

/* A sheet in a file: path as char *, → RegardSheet; and a sheet, a reference, into one; no result.
 */
extern const RegardTask regard_sheet_read_task;
typedef struct {
  RegardSheet *sheet;
  char *path;
} RegardSheetJob;
extern const RegardTask regard_sheet_write_task;

/* Write the capture of a result, which must have one, as NPZ to a local path: the numbers on the
 * screen, and with them the scores before the softmax, for which the shown translation is run once
 * more; with the model, its hashes and the settings as `meta`. No result. */
typedef struct {
  RegardResult *result; /* reference */
  char *path;
} RegardCaptureJob;
extern const RegardTask regard_export_capture_task;

/* ==== What an exported file is called, until somebody calls it otherwise ====================== */

/* "regard-cross-4.1-the-cat-sat.png" from a sentence, the name of what is shown of it, and an
 * extension; sentence and shown may be NULL. Caller frees. */
char *regard_export_name(const char *sentence, const char *shown, const char *extension);
/* The same for a capture (or NULL): by its source, or by the name of the file it came from. */
char *regard_export_name_for(const mt_capture *capture, const char *shown, const char *extension);

/* This name, or the first with -2, -3 … that no file of a folder has ("": any folder): two heads of
 * a sentence, or two sentences that begin alike, should not replace each other by the habit of
 * pressing Enter. Caller frees. */
char *regard_export_name_unused(const char *folder_uri, const char *name);
/* Let a chooser begin in the folder ("": its own), with such a name. */
void regard_export_name_offer(GtkFileChooser *chooser, const char *folder_uri, const char *name);
/* Where something of a window is to be saved is chosen, beginning with this name in the folder of
 * the last export; the path goes to the window's action. */
void regard_export_choose_place(GtkWindow *window, GSettings *settings, const char *title,
                                const char *name, const char *action);

/* ==== How figures leave, as it was set last =================================================== */

/* Width, height, font, resolution, and what is left out. */
RegardExportOptions regard_export_settings_read(GSettings *settings);
/* In which figures are made that leave. */
RegardLanguage regard_export_settings_language(GSettings *settings);

G_END_DECLS
