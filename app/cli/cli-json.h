/* cli-json.h — JSON for answers: numbers that can be read back, text that is always UTF-8.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"
#include <json.h>

G_BEGIN_DECLS

/* All return a new object that belongs to the caller, who passes it on to its parent. */

/* A float with as many digits as it takes to read the same float back; null if not finite. */
json_object *cli_json_float(float value);
json_object *cli_json_milliseconds(double value);
/* Text; bytes that are not UTF-8 become U+FFFD. NULL becomes null. */
json_object *cli_json_text(const char *text);
json_object *cli_json_size(gsize value);
/* Its name; null if it is not known. */
json_object *cli_json_precision(mt_precision precision);
/* The ids, or the pieces, of a list of tokens. */
json_object *cli_json_ids(const mt_tokens *tokens);
json_object *cli_json_pieces(const mt_tokens *tokens);
json_object *cli_json_floats(const float *values, gsize n);

/* One line (or several, if pretty) on standard output; takes the object. FALSE as cli_put(). */
gboolean cli_json_put(const CliCommand *command, json_object *object, gboolean pretty);

G_END_DECLS
