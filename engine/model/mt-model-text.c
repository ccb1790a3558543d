/* mt-model-text.c — the words of a model: what mt.h promises of text, ids and languages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-model-text.h"

#include "base/mt-error.h"

#include <assert.h>
#include <string.h>

/* What the vocabulary of one side must fit. The id that a checkpoint without <pad> lacks is the
 * target's last, and the source's too if they share their embeddings. */
static mt_vocab_shape
vocab_shape(const mt_manifest *manifest, const mt_config *config, mt_stack side)
{
  bool adds_pad =
      manifest->names->without_pad && (side == MT_STACK_DECODER || config->share_embeddings);
  return (mt_vocab_shape){
      .size = config->vocab_size[side] - adds_pad,
      .from = manifest->names->shape_from,
      .adds_pad = adds_pad,
  };
}

mt_tokenizer *
mt_model_open_tokenizer(const mt_dir *dir, const mt_manifest *manifest, const mt_config *config,
                        mt_error *error)
{
  mt_tokenizer_spec spec = {.eos_id = config->eos_id,
                            .max_tokens = config->max_positions,
                            .has_added_tokens = manifest->has_added_tokens};
  for (int s = 0; s < MT_N_STACKS; s++) {
    spec.vocab_files[s] = manifest->vocab_files[s];
    spec.spm_files[s] = manifest->spm_files[s];
    spec.shapes[s] = vocab_shape(manifest, config, (mt_stack) s);
  }
  spec.has_one_vocab = strcmp(spec.vocab_files[0], spec.vocab_files[1]) == 0 &&
                       config->vocab_size[MT_STACK_ENCODER] == config->vocab_size[MT_STACK_DECODER];
  return mt_tokenizer_open(dir, &spec, error);
}

/* ---- Tokens --------------------------------------------------------------------------------- */

const char *
mt_model_piece(const mt_model *model, mt_stack side, int32_t id)
{
  return mt_tokenizer_piece(model->tokenizer, side, id);
}

mt_tokens *
mt_model_tokenize(const mt_model *model, mt_stack side, const char *text, mt_error *error)
{
  return mt_tokenizer_encode(model->tokenizer, side, text, NULL, error);
}

mt_tokens *
mt_model_tokenize_to(const mt_model *model, const char *text, int language, mt_error *error)
{
  const mt_languages *languages = mt_tokenizer_languages(model->tokenizer);
  if (language < -1 || (language >= 0 && (size_t) language >= languages->n)) {
    mt_fail(error, MT_ERROR_INPUT,
            "There is no target language %d; the model has %zu, counted from 0, and -1 is none.",
            language, languages->n);
    return NULL;
  }
  return mt_tokenizer_encode(model->tokenizer, MT_STACK_ENCODER, text,
                             language >= 0 ? &languages->items[language] : NULL, error);
}

mt_tokens *
mt_model_detokenize(const mt_model *model, mt_stack side, const int32_t *ids, size_t n,
                    mt_error *error)
{
  return mt_tokenizer_decode(model->tokenizer, side, ids, n, error);
}

/* ---- Languages ------------------------------------------------------------------------------ */

/* A model made in memory has no words. */
static mt_languages
languages_of(const mt_model *model)
{
  return model->tokenizer ? *mt_tokenizer_languages(model->tokenizer) : (mt_languages){0};
}

size_t
mt_model_n_languages(const mt_model *model)
{
  return languages_of(model).n;
}

const char *
mt_model_language(const mt_model *model, size_t i)
{
  assert(i < languages_of(model).n);
  return languages_of(model).items[i].code;
}

bool
mt_model_find_language(const mt_model *model, const char *code, size_t *i)
{
  const mt_languages languages = languages_of(model);
  return mt_languages_find(&languages, code, i);
}
