/* cli-session.h — sessions of the window, as the command line sees them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"

G_BEGIN_DECLS

/* True for an argument that names a session: "….regard". */
gboolean cli_session_is_session(const char *path);
/* The capture that was looked at. Caller releases; NULL has been reported. */
mt_capture *cli_session_read_capture(const CliCommand *command, const char *path);
/* Print what is in it. */
CliStatus cli_session_inspect(const CliCommand *command, const char *path, gboolean json);

G_END_DECLS
