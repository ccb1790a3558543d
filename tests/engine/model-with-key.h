/* model-with-key.h — a model of the source tree as a configuration makes another of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <mt.h>

/* The model in `dir`, a folder of the source tree, opened with `key`, "name": value, added to its
 * config.json. */
mt_model *model_with_key(const char *dir, const char *key);
