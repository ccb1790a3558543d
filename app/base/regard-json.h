/* regard-json.h — texts in JSON that json-c reads for the programs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <json.h>

G_BEGIN_DECLS

/* Reads one JSON value, strictly, from n bytes that a zero byte follows. The bytes have to be
 * UTF-8; json-c is not asked for that, since its release 0.18 calls every string that is not ASCII
 * invalid. most_depth bounds how deep values nest. A text that is `null` gives NULL and no reason.
 * On failure returns NULL; *reason then says what was found, for the end of a message (it is not to
 * be freed), and *at, which may be NULL, is after how many bytes reading ended. */
json_object *regard_json_parse(const char *text, gsize n, int most_depth, const char **reason,
                               gsize *at);

/* Whether no object of the text that `root` was read from has a key twice, of which json-c keeps
 * the last. The text is well-formed, and has no comments. */
gboolean regard_json_has_each_key_once(json_object *root, const char *text);

G_END_DECLS
