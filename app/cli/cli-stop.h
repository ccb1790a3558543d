/* cli-stop.h — long work that can be watched and ended by Ctrl+C.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"

G_BEGIN_DECLS

/* Between these two Ctrl+C ends what is computed with hooks, and not the program. Not nested. */
void cli_stop_begin(mt_hooks *hooks);
void cli_stop_end(mt_hooks *hooks);
/* It was pressed since. */
gboolean cli_stop_is_wanted(void);

/* A line on standard error that is written anew, where somebody watches. */
void cli_stop_show(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Its end. */
void cli_stop_show_end(void);
/* "40 %", as an on_progress; from 1 on the line is gone. */
void cli_stop_show_share(void *user, double share);

G_END_DECLS
