/* train-json.h — JSON files that people write for regard-train.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <json.h>
#include <mt-train.h>

G_BEGIN_DECLS

/* The object that a file holds, which belongs to the caller. NULL: MT_ERROR_IO, MT_ERROR_FORMAT for
 * what is no JSON object in UTF-8 (says at which byte), or more than a megabyte. */
json_object *train_json_read(const char *path, mt_error *error);

/* Borrowed text; NULL for a value of another type, or with a NUL inside. */
const char *train_json_text(json_object *value);

/* For "found …": `the number 3`, `"gelu"`, `a list`. Newly allocated. */
char *train_json_describe(json_object *value);

G_END_DECLS
