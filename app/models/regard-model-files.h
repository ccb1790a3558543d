/* regard-model-files.h — which files a model consists of, and which of them are not there, or not
 * whole.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "models/regard-model-info.h"
#include "models/regard-model-store.h"

G_BEGIN_DECLS

/* Fill in format, bytes and problem. FALSE if nothing here belongs to a model: then problem says
 * that, too. */
gboolean regard_model_files_check(const RegardModelStore *store, RegardModelInfo *info);

/* The codes in tokenizer_config.json; left alone where it says none. */
void regard_model_files_languages(const RegardModelStore *store, char **source, char **target);

G_END_DECLS
