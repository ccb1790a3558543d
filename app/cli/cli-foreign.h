/* cli-foreign.h — captures that come from a file instead of a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"

G_BEGIN_DECLS

/* True for an argument that names a capture: "….npz" that is no model's. */
gboolean cli_foreign_is_capture(const char *path);
/* Read a capture; NULL has been reported. */
mt_capture *cli_foreign_read(const CliCommand *command, const char *path);
/* Print what is in it. */
CliStatus cli_foreign_inspect(const CliCommand *command, const char *path, gboolean json);

G_END_DECLS
