/* mt-model-write.h — a network as an ordinary Hugging Face Marian directory. Private to the
 * trainer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_MODEL_WRITE_H
#define MT_MODEL_WRITE_H

#include "base/mt-dtype.h"
#include "mt/train/dataset.h"
#include "mt/train/new-dir.h"
#include "train/mt-network.h"

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
