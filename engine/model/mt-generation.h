/* mt-generation.h — how a model asks to be searched: the keys of generation_config.json. Private.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_GENERATION_H
#define MT_GENERATION_H

#include "files/mt-json.h"
#include "model/mt-config-bounds.h"
#include "mt.h"

#define MT_CONFIG_MAX_BEAMS 1024

/* Which of the rows are read. */
typedef enum {
  MT_GENERATION_ALL,
  MT_GENERATION_IDS, /* pad, end, start: what config.json says beside a generation_config.json */
} mt_generation_part;

/* Read what a file says into a configuration whose vocabulary sizes and positions are known. A list
 * that comes again replaces the former. Of MT_GENERATION_ALL, what is not done is put into
 * generation.not_honoured; has_others: keys that no row knows are not for `generate`, and nobody's
 * business (config.json). MT_ERROR_FORMAT names the key. */
bool mt_generation_read(mt_config *config, const mt_json *json, mt_generation_part part,
                        bool has_others, mt_error *error);

/* The keys of a task over the generation of its model; what is not done for a task is put into
 * generation.not_honoured, where nothing else stands then. */
bool mt_generation_read_task(mt_config *config, const mt_json *json, mt_error *error);

/* What of config.json a generation_config.json puts aside, as transformers does, is named, too,
 * unless that says it itself. */
bool mt_generation_name_put_aside(mt_config *config, const mt_json *of_model, const mt_json *own,
                                  mt_error *error);

/* What only makes sense together: lengths, and who is left out of the probabilities. label: the
 * file, for messages. */
bool mt_generation_settle(mt_config *config, const char *label, mt_error *error);

/* <pad> of a checkpoint that has no such word: it takes no part in anything. */
bool mt_generation_leave_out_pad(mt_config *config, mt_error *error);

void mt_generation_clear(mt_config *config);

/* What `generate` does with a key; NULL: it does not know it. "honoured", "without effect", "with
 * sampling", "not honoured". For tests. */
const char *mt_generation_verdict(const char *key);

#endif
