/* train-report.h — what became of the lines of each source.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-json.h"
#include "train/train-corpus.h"

G_BEGIN_DECLS

/* A table for people: a row for each source and one for all; a column for each reason for which
 * anything was dropped. */
void train_report_table(GString *out, const TrainPlan *plan, const TrainCounts *counts);

/* The same for programs: {"sources": [{"name", "weight", "lines", "train", "heldout", "dropped":
 * {reason: n}, …}], "limits": {…}}. The same corpus and plan give the same; no path, no time. */
json_object *train_report_json(const TrainPlan *plan, const TrainCounts *counts);

G_END_DECLS
