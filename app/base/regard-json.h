/* regard-json.h — what json-c does not say of a JSON text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <json.h>

G_BEGIN_DECLS

/* Whether no object of the text that `root` was read from has a key twice, of which json-c keeps
 * the last. The text is well-formed, and has no comments. */
gboolean regard_json_has_each_key_once(json_object *root, const char *text);

G_END_DECLS
