/* regard-sheet-file.h — a sheet in a file, and how large what it holds may be.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file, NAME.regard-figure, is a zip archive of sheet.json, of NumPy archives of attention and
 * of drawings as JSON; docs/figures.md describes it. It holds no path, and needs no model.
 */
#pragma once

#include "figures/regard-sheet.h"

#include <gio/gio.h>

G_BEGIN_DECLS

#define REGARD_SHEET_ENDING ".regard-figure"
/* By the end of its name. */
gboolean regard_sheet_has_ending(const char *path);

/* Its description, all but captures and drawings. Caller frees. */
char *regard_sheet_to_json(const RegardSheet *sheet);
/* Write it, in place of an earlier file only when it is whole. Takes as long as the disk does. */
gboolean regard_sheet_write(const RegardSheet *sheet, const char *path, GError **error);
/* NULL with an error that names the file and what was expected. All of it is checked before. */
RegardSheet *regard_sheet_read(const char *path, GError **error);

G_END_DECLS
