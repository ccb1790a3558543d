/* mt-model-text.h — the tokenizer of a model that is being opened. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_MODEL_TEXT_H
#define MT_MODEL_TEXT_H

#include "model/mt-layout.h"
#include "model/mt-model.h"
#include "text/mt-tokenizer.h"

/* Open what the manifest names. Errors: as mt_tokenizer_open. */
mt_tokenizer *mt_model_open_tokenizer(const mt_dir *dir, const mt_manifest *manifest,
                                      const mt_config *config, mt_error *error);

#endif
