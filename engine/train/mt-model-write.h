/* mt-model-write.h — what is written in the folder of a model: the card, tensors, and a network as
 * an ordinary Hugging Face Marian directory. Private to the trainer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_MODEL_WRITE_H
#define MT_MODEL_WRITE_H

#include "base/mt-dtype.h"
#include "mt/train/dataset.h"
#include "mt/train/new-dir.h"
#include "train/mt-network.h"

#include <stdbool.h>
#include <string.h>

/* ---- Cards ----------------------------------------------------------------------------------- */

/* Whether a word, such as the code of a language, can stand in the YAML of a card as it is. */
static inline bool
mt_card_is_plain(const char *text)
{
  return *text &&
         strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == strlen(text);
}

/* ---- Files of tensors ------------------------------------------------------------------------ */

/* Writing a file of tensors in the format safetensors. Reading: engine/checkpoint/mt-safetensors.c,
 * which describes the format. */

#define MT_SAFETENSORS_MAX_DIMS 2

typedef struct {
  const char *name;
  mt_dtype dtype; /* F32, F16, BF16 or F64 */
  size_t n_dims, shape[MT_SAFETENSORS_MAX_DIMS];
} mt_safetensors_entry;

/* Write the header; the data of all tensors, in this order and without gaps, is the caller's to
 * follow. It begins at a multiple of 64 bytes. A write that fails is told when the file is closed.
 * Errors: MT_ERROR_NO_MEMORY. */
bool mt_safetensors_write_header(mt_new_file *file, const mt_safetensors_entry *entries, size_t n,
                                 mt_error *error);

/* In a file in memory, `label` for messages: the bytes of each of the n tensors, which must be
 * there in exactly this type and shape. Errors: MT_ERROR_FORMAT, MT_ERROR_NO_MEMORY. */
bool mt_safetensors_find(const unsigned char *bytes, size_t size, const char *label,
                         const mt_safetensors_entry *entries, size_t n, const unsigned char **data,
                         mt_error *error);

/* ---- Directories ----------------------------------------------------------------------------- */

typedef struct {
  const mt_network *network;
  const mt_real *parameters; /* [n_flat]: the network's own, or an average of several */
  const mt_dataset *dataset; /* its tokenizer and its languages */
  mt_dtype dtype;            /* of the weights: F32 or F16 */
  size_t num_beams;          /* for generation_config.json */
  const char *card;          /* README.md; NULL: none */
} mt_model_write;

/* Write config.json, generation_config.json, tokenizer_config.json, the tokenizer, README.md and
 * model.safetensors. Regard opens all of it; transformers opens post-norm models with sinusoidal
 * positions, which is what its MarianMTModel knows. Errors: MT_ERROR_IO, MT_ERROR_NO_MEMORY,
 * MT_ERROR_UNSUPPORTED for a number that F16 cannot hold (names the tensor). */
bool mt_model_write_files(const mt_model_write *what, mt_new_dir *dir, mt_error *error);

#endif
