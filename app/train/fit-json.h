/* fit-json.h — a JSON file that says what options say.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-options.h"

G_BEGIN_DECLS

/* Set the values of a table of options, which are in the struct `values`, from an object whose keys
 * are their names with '_' for '-'. A text may also be given as a list ([0, 100] for "0,100") or as
 * an object ({"a": 8} for "a=8"). Keys that begin with "_" are remarks. strings: takes texts that
 * options point to. FALSE: it was said what is wrong, with file and key. */
gboolean fit_json_read(const char *path, const CliOption *options, gpointer values,
                       GPtrArray *strings, const CliCommand *command);

G_END_DECLS
