/* mt-config.h — config.json, generation_config.json and tokenizer_config.json. Private.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CONFIG_H
#define MT_CONFIG_H

#include "files/mt-file.h"
#include "model/mt-config-bounds.h"
#include "model/mt-generation.h"
#include "mt.h"
#include "text/mt-text-kind.h"

/* Read the configuration of a model of any family (mt-family.h), and how it gets from text to ids.
 * Missing keys have the defaults of transformers, unknown ones are ignored; all numbers are checked
 * against each other. unk_id is left at -1: it comes from the vocabulary. *config is written only
 * on success; release it with mt_config_clear.
 * Errors: those of the files, MT_ERROR_FORMAT for contradictions, MT_ERROR_UNSUPPORTED for another
 * model_type or activation. */
bool mt_config_load(mt_config *config, mt_text_kind *text_kind, const mt_dir *dir, mt_error *error);
void mt_config_clear(mt_config *config);

#endif
