/* mt-family.h — families of models as transformers saves them. Private to the engine.
 *
 * A family is the code of one model_type: which keys its config.json has and what they are where
 * they are missing, what its tensors are called, how it gets from text to ids. What layers compute
 * follows from the mt_config that a family fills in and never from its name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_FAMILY_H
#define MT_FAMILY_H

#include "files/mt-json.h"
#include "model/mt-names.h"
#include "mt.h"
#include "text/mt-text-kind.h"

/* ---- A family -------------------------------------------------------------------------------- */

/* A key of old files that transformers passes over, and what it says in all models of the family,
 * as JSON writes it: "true", "2". Anything else is an error that names the key. */
typedef struct {
  const char *key, *value;
} mt_fixed_key;

/* What the files of a tokenizer say that is no text. */
typedef struct {
  const char *class_name; /* "MBart50Tokenizer"; "" if nobody says */
  bool is_legacy;         /* "legacy_behaviour" of NLLB */
  bool has_vocab_json;
  mt_text_kind kind; /* the family's; may be changed */
} mt_family_text;

typedef struct {
  const char *model_type;              /* in config.json */
  const char *name;                    /* for messages: "M2M-100 or NLLB" */
  const mt_names *names, *gated_names; /* the latter with a gate, where its names are others */
  mt_text_kind text_kind;
  const mt_config *defaults; /* what is not said has these values */
  const mt_fixed_key *fixed; /* [n_fixed] */
  size_t n_fixed;
  /* Read config.json, but for what is asked of `generate`, and compare what it says. Errors:
   * MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED. */
  bool (*read)(mt_config *config, const mt_json *json, mt_error *error);
  /* What hangs on the tokenizer: its kind, how languages are named, what stands around a source
   * text. The ids are known. NULL: all is as in Marian. Errors: MT_ERROR_NO_MEMORY. */
  bool (*settle_text)(mt_config *config, mt_family_text *text, mt_error *error);
} mt_family;

/* The names of a model's tensors, whose family is known. */
const mt_names *mt_family_names(const mt_config *config);

/* The family of a model_type; NULL: none that is run. */
const mt_family *mt_family_find(const char *model_type);
/* "Marian, BART or T5". */
#define MT_FAMILY_LIST_SIZE 240
const char *mt_family_list(char out[MT_FAMILY_LIST_SIZE]);

extern const mt_family mt_family_marian;
extern const mt_family mt_family_bart, mt_family_mbart, mt_family_m2m, mt_family_pegasus;
extern const mt_family mt_family_t5, mt_family_mt5, mt_family_umt5;

/* ---- What families share --------------------------------------------------------------------- */

/* A key and the member of mt_config that it is read into. */
typedef struct {
  const char *key;
  size_t min, max, offset;
} mt_size_key;

typedef struct {
  const char *key;
  size_t offset;
} mt_switch_key;

bool mt_family_read_sizes(mt_config *config, const mt_json *json, const mt_size_key *keys, size_t n,
                          mt_error *error);
bool mt_family_read_switches(mt_config *config, const mt_json *json, const mt_switch_key *keys,
                             size_t n, mt_error *error);

/* The keys that Marian and the BART family have in common: sizes, tie_word_embeddings,
 * scale_embedding, activation_function; and that heads divide d_model. */
bool mt_family_read_common(mt_config *config, const mt_json *json, mt_error *error);

/* Languages, and what else tokenizer_config.json says of a model whose ids are known; of_model: its
 * config.json, or NULL. Errors: those of the file, MT_ERROR_NO_MEMORY. */
bool mt_family_load_text(mt_config *config, const mt_family *family, mt_text_kind *kind,
                         const mt_dir *dir, const mt_json *of_model, mt_error *error);

/* The activation of a name in transformers. False, *activation untouched: none that is computed. */
bool mt_family_find_activation(const char *name, mt_activation *activation);

#endif
