/* regard-log.h — what was done in a window, as Markdown: changed, measured, exported, with the
 * numbers that came of it, and commands that do it again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It observes the document and the runner, and is told of files by whoever writes them. What is
 * typed is one entry when it has settled: when nothing has changed for a moment, or something else
 * is logged. An entry says what is other than at the one before, and so undo appears as what it
 * does. The log is in memory until somebody saves it; beyond a limit the oldest entries go, which
 * it says. Of paths it has what commands need.
 *
 * Signal "changed": there is an entry more.
 */
#pragma once

#include "document/regard-document.h"
#include "formats/regard-animation.h"
#include "formats/regard-export.h"

G_BEGIN_DECLS

#define REGARD_TYPE_LOG (regard_log_get_type())
G_DECLARE_FINAL_TYPE(RegardLog, regard_log, REGARD, LOG, GObject)

/* Entries, and bytes of all of them. */
#define REGARD_LOG_MOST_ENTRIES 1000
#define REGARD_LOG_MOST_BYTES   (4 << 20)

RegardLog *regard_log_new(RegardDocument *document);

typedef enum {
  REGARD_LOG_SESSION_OPENED,
  REGARD_LOG_SESSION_SAVED,
  REGARD_LOG_CAPTURE_OPENED, /* it is about to be shown */
  REGARD_LOG_CAPTURE_SAVED,
} RegardLogFile;
void regard_log_add_file(RegardLog *self, RegardLogFile what, const char *path);
/* A picture or numbers that were saved; picture: the name in its page. file NULL: they were
 * copied. */
void regard_log_add_figure(RegardLog *self, RegardFigure *figure, const char *picture,
                           const RegardExportFormat *format, const RegardExportOptions *options,
                           GFile *file);
void regard_log_add_animation(RegardLog *self, const RegardFrames *frames,
                              const RegardAnimationFormat *format,
                              const RegardExportOptions *options, const char *path);
/* A picture became a panel of a sheet; the sheet was drawn to a file: sheet is its own file, NULL:
 * it has none, or was changed since. */
void regard_log_add_panel(RegardLog *self, RegardFigure *figure, const char *picture, char letter);
void regard_log_add_sheet(RegardLog *self, const char *sheet, RegardFigure *figure,
                          const RegardExportFormat *format, const RegardExportOptions *options,
                          const char *path);
/* Something else was done, as a title says; path: with a file, or NULL; text: of what, or NULL. A
 * command does it again, or why none does: both are taken, and one of them is NULL. */
void regard_log_add_done(RegardLog *self, const char *title, const char *path, const char *text,
                         char *command, char *why);

/* All of it, with what has not settled yet. Caller frees. */
char *regard_log_dup_markdown(RegardLog *self);
/* Entries that there are. */
guint regard_log_count(RegardLog *self);

G_END_DECLS
