/* mt-config.h — config.json, generation_config.json and tokenizer_config.json. Private.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CONFIG_H
#define MT_CONFIG_H

#include "files/mt-file.h"
#include "model/mt-generation.h"
#include "model/mt-layout.h"
#include "mt.h"

/* Bounds that keep every later product far from overflow; no published model comes near them. */
#define MT_CONFIG_MAX_D       65536
#define MT_CONFIG_MAX_FFN     1048576
#define MT_CONFIG_MAX_LAYERS  1024
#define MT_CONFIG_MAX_VOCAB   16777216
#define MT_CONFIG_MAX_BUCKETS 65536              /* of relative positions */
#define MT_CONFIG_MAX_TABLE   (64 * 1024 * 1024) /* numbers in a computed position table */

/* Read the configuration of a model of any family (mt-family.h), and how it gets from text to ids.
 * Missing keys have the defaults of transformers, unknown ones are ignored; all numbers are checked
 * against each other. unk_id is left at -1: it comes from the vocabulary. *config is written only
 * on success; release it with mt_config_clear.
 * Errors: those of the files, MT_ERROR_FORMAT for contradictions, MT_ERROR_UNSUPPORTED for another
 * model_type or activation. */
bool mt_config_load(mt_config *config, mt_text_kind *text_kind, const mt_dir *dir, mt_error *error);
void mt_config_clear(mt_config *config);

/* What stands before and after a source text, an id each or -1 for none. */
bool mt_config_set_source(mt_config *config, int32_t begin, int32_t end, mt_error *error);

/* Whether sinusoids can be computed for d_model and max_positions; label names the file that said
 * them. Errors: MT_ERROR_UNSUPPORTED. */
bool mt_config_check_positions(const mt_config *config, const char *label, mt_error *error);

#endif
