/* mt-known-models.h — what a folder holds that is no Marian model: so that the error says more than
 * what is missing. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_KNOWN_MODELS_H
#define MT_KNOWN_MODELS_H

#include "files/mt-file.h"
#include "files/mt-json.h"

/* Refuse a folder (or archive) that by its files is something else: weights of another program, an
 * adapter, only the tokenizer. True: nothing speaks against it. Errors: MT_ERROR_UNSUPPORTED. */
bool mt_known_models_check_folder(const mt_dir *dir, mt_error *error);

/* Refuse a config.json of another architecture, by name if it is a known one. Errors:
 * MT_ERROR_UNSUPPORTED; MT_ERROR_FORMAT if it does not say what it is. */
bool mt_known_models_check_config(const mt_json *config, mt_error *error);

#endif
