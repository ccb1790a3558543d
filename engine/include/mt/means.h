/* means.h — what each head finds in the mean, over a text. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_MEANS_H
#define MT_PUBLIC_MEANS_H

#include <mt/changes.h>
#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/model.h>
#include <mt/session.h>
#include <mt/translation.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of each head of each layer and kind the mean of its context, [d_head], over all queries of a
 * text's sentences and of their translations, with the model as it is. A head whose context is
 * replaced by it (the change "mean", changes.h) says what it says on average, and nothing of this
 * sentence; zero may be far from anything that the model has seen. Immutable, reference-counted. */
typedef struct mt_means {
  int ref_count;
  char *text, *model_name; /* which text, as it was called, and whose means they are */
  size_t n_sentences, n_tokens[MT_N_STACKS]; /* source tokens, and tokens of translations */
  size_t d_model, n_layers[MT_N_KINDS], n_heads[MT_N_KINDS], d_head[MT_N_KINDS];
  float *means[MT_N_KINDS]; /* [n_layers][d_model], heads side by side */
  uint64_t fingerprint;     /* of the model */
  uint64_t hash;            /* of the numbers */
} mt_means;
mt_means *mt_means_ref(mt_means *means);
void mt_means_unref(mt_means *means);
/* [d_head]; borrowed. Layer and head are the model's. */
const float *mt_means_get(const mt_means *means, mt_attention_kind kind, size_t layer, size_t head);

/* False, MT_ERROR_INPUT, which names both models: they are those of another one. It is known by its
 * sizes and a hash of some of its weights, whatever it is called. */
bool mt_means_check(const mt_means *means, const mt_model *model, mt_error *error);

/* Making them: a sum to which translations are added one by one. The model's own translations of a
 * text are meant to be. The session is borrowed and must outlive the sum. */
typedef struct mt_means_sum mt_means_sum;
mt_means_sum *mt_means_sum_new(mt_session *session, mt_error *error);
void mt_means_sum_free(mt_means_sum *sum);
/* Hypothesis `index`, teacher-forced; of hooks only should_stop counts. False: errors as those of
 * mt_session_capture, and nothing was added. */
bool mt_means_sum_add(mt_means_sum *sum, const mt_translation *translation, size_t index,
                      const mt_hooks *hooks, mt_error *error);
/* text: how the text is called. NULL: MT_ERROR_INPUT if nothing was added; MT_ERROR_NO_MEMORY. */
mt_means *mt_means_sum_finish(const mt_means_sum *sum, const char *text, mt_error *error);

/* An .npz: encoder, decoder, cross [layers][heads][d_head] float32; counts [3] int32: sentences,
 * source tokens, tokens of translations; and as 0-d unicode text, model (its name) and fingerprint
 * (the hash, 16 hexadecimal digits). Written as mt_capture_write_npz does. */
bool mt_means_write(const mt_means *means, const char *path, mt_error *error);
/* Reads that, for this model. Everything is checked before it is used: MT_ERROR_IO,
 * MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED, MT_ERROR_INPUT (of another model), MT_ERROR_TOO_LONG,
 * MT_ERROR_NO_MEMORY. */
mt_means *mt_means_read(const char *path, const mt_model *model, mt_error *error);

/* Those that come with a model: of MT_MEANS_FILE in its folder, else of the first file by name
 * there that ends in "." MT_MEANS_FILE. folder: a model's, or an archive, of which `model` was
 * opened. NULL: MT_ERROR_IO, which says how they are made, if there are none; else as
 * mt_means_read. */
#define MT_MEANS_FILE "means.npz"
mt_means *mt_means_find(const char *folder, const mt_model *model, mt_error *error);
/* Whether a file of that name is one that mt_means_find would take. */
bool mt_means_is_name(const char *name);

/* The same changes, where "mean" means these; means NULL: none. Lists are equal only if their means
 * are, too. The text of a list does not hold its means, nor do requests and captures in files. */
mt_changes *mt_changes_with_means(const mt_changes *changes, mt_means *means, mt_error *error);
/* Whether some of them want means. */
bool mt_changes_need_means(const mt_changes *changes);
/* Borrowed; NULL: none. */
const mt_means *mt_changes_means(const mt_changes *changes);

#ifdef __cplusplus
}
#endif
#endif
