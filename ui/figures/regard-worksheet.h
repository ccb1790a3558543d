/* regard-worksheet.h — the whole computation of a small model on one page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* Of an A4 page, with REGARD_FIGURE_SHEET_FONT for its numbers. */
#define REGARD_FIGURE_SHEET_WIDTH 210.0 /* mm */
#define REGARD_FIGURE_SHEET_FONT  5.3   /* points */

/* Why a sheet of this translation cannot be: the model is too large, or of another kind; NULL: it
 * can. Caller frees. */
char *regard_figure_worksheet_problem(const mt_model *model, const mt_translation *translation);
/* Add what the trace needs. */
void regard_figure_worksheet_add_requests(mt_activation_requests *requests);
/* Of a translation without a problem and the trace of its first hypothesis. Files of values hold
 * every matrix as it is printed, named by stack, layer and step: "encoder.1.query". */
RegardFigure *regard_figure_new_worksheet(const mt_model *model, const mt_translation *translation,
                                          const mt_trace *trace, const RegardFigureStyle *style);

G_END_DECLS
