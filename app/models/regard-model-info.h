/* regard-model-info.h — what can be said of a model without opening it: its languages, its size,
 * its licence, and whether all its files are there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Only names, sizes and a few small text files are looked at, so this is quick, and it is no more
 * than an impression: what really opens is for mt_model_open() to say.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

typedef enum {
  REGARD_MODEL_BUNDLED,  /* the one that is there at first */
  REGARD_MODEL_TEACHING, /* comes with Regard too */
  REGARD_MODEL_RECENT,
  REGARD_MODEL_FOUND,
} RegardModelOrigin;

typedef struct {
  RegardModelOrigin place;
  char *path;      /* to be opened */
  char *name;      /* last component, without ".zip" and the like; UTF-8 */
  char *title;     /* "English → German"; the name where nothing says the languages; what the
                      card calls it */
  char *languages; /* "English → German"; NULL: nothing says them */
  char *licence;   /* "Apache-2.0"; NULL: no card says */
  char *format;    /* of the weights, "PyTorch"; NULL: none were found */
  char *dtype;     /* of most of them, "F16"; NULL: it is not said */
  guint64 bytes;   /* of the weights, or of the archive; 0: none were found */
  char *problem;   /* "source.spm is missing"; NULL: nothing seems to be */
  char *source, *target; /* codes of the languages; NULL: nothing says them */
  gboolean is_archive;
  gboolean is_other; /* what is there says, or looks like, that it is no model that is run */
  GArray *steps;     /* of RegardTrainingStep, the training that it is of; NULL: of none */
} RegardModelInfo;

/* Whether a file of this name is an archive of a model: ".zip", and ".argosmodel", which is one. */
gboolean regard_model_is_archive(const char *name);

/* Look at a folder or a zip archive. NULL where there is nothing that looks like a model, unless
 * is_expected: then `problem` says so. May take as long as the disk does, so never in the thread of
 * the window. Caller frees. */
RegardModelInfo *regard_model_info_new(const char *path, RegardModelOrigin place,
                                       gboolean is_expected);
void regard_model_info_free(RegardModelInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardModelInfo, regard_model_info_free)

/* Bytes of memory that the model takes when it is opened in a precision, about; 0: that cannot be
 * said. */
guint64 regard_model_info_memory(const RegardModelInfo *info, mt_precision precision);

/* "opus-mt-en-de · 300 MB in F32 · Apache-2.0 · PyTorch", or what is wrong. Caller frees. */
char *regard_model_info_detail(const RegardModelInfo *info);

/* People choose a file of a model for the model: its folder then, if something of a model is there,
 * else the path itself; a zip archive is a model. Of a model's folder in the Hub's cache it is the
 * snapshot. Caller frees. */
char *regard_model_path(const char *path);

/* ==== What a model's card says: the languages and the licence ================================= */

/* NULL: not said. Languages are codes as the card has them, several separated by spaces or commas.
 */
typedef struct {
  char *source, *target;
  char *licence; /* as people write it: "Apache-2.0", "CC-BY-4.0" */
  char *name;    /* what the model wants to be called: "By hand" */
} RegardModelCard;

/* Read a README.md: the YAML in front of it (`license:`, `pretty_name:`) and the list that OPUS-MT
 * writes
 * ("* source languages: en"). Only what is still NULL is filled in. The text need not be UTF-8 and
 * is looked at once, whatever it holds. */
void regard_model_card_read(RegardModelCard *card, const char *text, gsize length);

/* The languages out of a name such as "opus-mt-tc-big-en-de" or "deu-eng", where nothing else says
 * them. */
void regard_model_card_read_name(RegardModelCard *card, const char *name);

void regard_model_card_clear(RegardModelCard *card);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RegardModelCard, regard_model_card_clear)

/* ==== Models in the download cache of the Hugging Face Hub =======================================
 *
 * Programs that use the Hub's models, transformers for one, keep them in
 *
 *     models--ORGANISATION--NAME/refs/main              the commit that "main" is
 *     models--ORGANISATION--NAME/snapshots/COMMIT/      links to the files, in blobs/
 *
 * where HF_HUB_CACHE says, or in hub below HF_HOME, or in ~/.cache/huggingface/hub.
 */

/* Where that cache is, whether or not anything is there. Caller frees. */
char *regard_hub_cache_folder(void);

/* The snapshot that `main` is of a folder models--ORGANISATION--NAME, or the only one; NULL where
 * there is none. Caller frees. */
char *regard_hub_cache_snapshot(const char *folder);

/* The snapshot of a name as the Hub has it, "Helsinki-NLP/opus-mt-en-de"; NULL: it is not in the
 * cache. Caller frees. */
char *regard_hub_cache_find(const char *name);

G_END_DECLS
