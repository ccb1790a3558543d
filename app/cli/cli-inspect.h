/* cli-inspect.h — captures that come from a file instead of a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"

G_BEGIN_DECLS

/* Read a capture, or that of a session of the window. Caller releases; NULL has been reported. */
mt_capture *cli_capture_read(const CliCommand *command, const char *path);

G_END_DECLS
