/* regard-sheet-again.h — a panel of a sheet computed anew, and its heads of another text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A panel is frozen by its capture, which says what it was made from: text, search, changes. So it
 * can be made once more by whichever model is open.
 */
#pragma once

#include "figures/regard-sheet.h"
#include "runner/regard-runner.h"

G_BEGIN_DECLS

typedef struct {
  mt_capture *capture; /* reference; as which: its text, search and changes; or a difference */
  char *text;          /* another text, one sentence; NULL: its own */
  mt_model *model;     /* reference */
  mt_request search;   /* own copy; languages and task where the capture does not say them */
} RegardSheetAgainJob;

typedef struct {
  mt_capture *capture;
  char *said; /* what is another now, a sentence in the language of the window */
} RegardSheetAgain;
void regard_sheet_again_free(RegardSheetAgain *again);

/* RegardSheetAgainJob → RegardSheetAgain. An error, too, of a capture of another program, and where
 * the model cannot do what was done. */
extern const RegardTask regard_sheet_again_task;

G_END_DECLS
