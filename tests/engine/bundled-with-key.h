/* bundled-with-key.h — the bundled model as a configuration makes another of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <mt.h>

/* The bundled model, opened with `key`, "name": value, added to its config.json. */
mt_model *bundled_with_key(const char *key);
