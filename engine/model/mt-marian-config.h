/* mt-marian-config.h — the configuration that Marian keeps in a checkpoint. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_MARIAN_CONFIG_H
#define MT_MARIAN_CONFIG_H

#include "checkpoint/mt-container.h"
#include "files/mt-yaml.h"
#include "model/mt-names.h"
#include "mt.h"

/* From the text "special:model.yml" in the weights, and decoder.yml for the search (NULL: there is
 * none). Everything in them that changes what is computed is either done or refused. *names: which
 * names the tensors have. What such a model does without saying so is as in Hugging Face's
 * conversion: see the source. eos_id and unk_id are left at -1. On failure *config is left to be
 * cleared. Errors: MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED, MT_ERROR_NO_MEMORY. */
bool mt_marian_config_load(mt_config *config, const mt_names **names, mt_container *weights,
                           const mt_yaml *decoder, const mt_dir *dir, mt_error *error);

#endif
