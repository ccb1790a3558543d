/* regard-export-private.h — what the export formats share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "formats/regard-export.h"

/* More cells than this make text files that nothing reads again; NPZ is for those. FALSE and an
 * error that says so. */
#define REGARD_EXPORT_MAX_TEXT_CELLS 5000000
gboolean regard_export_check_text_cells(RegardFigure *figure, GError **error);
/* Width and height in points of the figure with these options; FALSE and an error when the
 * options are not usable (width, font or dpi out of range). */
gboolean regard_export_size(RegardFigure *figure, const RegardExportOptions *options,
                            double *width_pt, double *height_pt, GError **error);
/* First line of metadata: the caption up to its first full stop. Caller frees. */
char *regard_export_title(RegardFigure *figure);
/* Settings of a matrix as a JSON object, for NPZ; of_grid: only what holds for every matrix of the
 * grid that it is from. Caller frees. */
char *regard_export_dup_meta(const RegardMatrix *matrix, gboolean of_grid);
