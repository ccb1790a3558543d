/* mt-layout.h — how a published model is laid out in its folder or archive. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A layout is one file that defines an mt_layout, and one row of the list in mt-layout.c.
 */
#ifndef MT_LAYOUT_H
#define MT_LAYOUT_H

#include "checkpoint/mt-container.h"
#include "model/mt-names.h"
#include "mt.h"
#include "text/mt-text-kind.h"

/* ---- Layouts --------------------------------------------------------------------------------- */

/* What a layout found. */
typedef struct {
  mt_text_kind text_kind;
  mt_container *container;             /* the weights, opened */
  const mt_names *names;               /* of the tensors */
  mt_names *own_names;                 /* the same, if they were put together for these weights */
  char *vocab_files[MT_N_STACKS];      /* equal: one vocabulary, if the sizes are equal too */
  char *spm_files[MT_N_STACKS];        /* SentencePiece models */
  const char *merges_file, *json_file; /* of other kinds of text; NULL: none */
  bool has_added_tokens;               /* in the files of mt-added-tokens.h */
  bool only_source;                    /* what stands around a text does so around no translation */
} mt_manifest;

typedef struct {
  const char *name;
  /* Whether the folder is laid out so; cheap, and may be wrong. */
  bool (*recognise)(const mt_dir *dir);
  /* Read the configuration, find the files, open the weights. config->unk_id is left at -1, and
   * config->eos_id is -1 if the vocabulary is to say. What stands around a source text (the two
   * lists of mt_config) is </s> behind it where the ids of source_end are NULL. On failure both are
   * left to be cleared. */
  bool (*load)(mt_manifest *manifest, mt_config *config, const mt_dir *dir, mt_error *error);
} mt_layout;

/* Load by the first layout that recognises the folder. Initialise both with {0} and clear them, in
 * any case, with mt_manifest_clear (the container may be taken out before) and mt_config_clear.
 * Errors: those of the files, MT_ERROR_IO if something is missing. */
bool mt_layout_load(mt_manifest *manifest, mt_config *config, const mt_dir *dir, mt_error *error);
void mt_manifest_clear(mt_manifest *manifest);
/* Put the files of a tokenizer of manifest->text_kind, as transformers has them in a folder, into
 * it. Kinds without one have no vocabulary or no SentencePiece model. Errors: as of
 * mt_text_files_find. */
bool mt_layout_keep_text(mt_manifest *manifest, const mt_config *config, const mt_dir *dir,
                         mt_error *error);

extern const mt_layout mt_layout_ctranslate2;
extern const mt_layout mt_layout_hugging_face;
extern const mt_layout mt_layout_marian;

#endif
