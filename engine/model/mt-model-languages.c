/* mt-model-languages.c — between which languages a model translates, and what that means for the
 * tokens of a text and of its translation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-model-languages.h"

#include "base/mt-error.h"
#include "model/mt-model.h"
#include "text/mt-languages.h"
#include "text/mt-tokenizer.h"

#include <assert.h>

/* ---- The lists ------------------------------------------------------------------------------- */

/* A model made in memory has no words. */
static mt_languages
languages_of(const mt_model *model, mt_stack side)
{
  return model->tokenizer ? *mt_tokenizer_languages(model->tokenizer, side) : (mt_languages){0};
}

static const char *
code_of(const mt_model *model, mt_stack side, size_t i)
{
  assert(i < languages_of(model, side).n);
  return languages_of(model, side).items[i].code;
}

static bool
find(const mt_model *model, mt_stack side, const char *code, size_t *i)
{
  const mt_languages languages = languages_of(model, side);
  return mt_languages_find(&languages, code, i);
}

size_t
mt_model_n_languages(const mt_model *model)
{
  return languages_of(model, MT_STACK_DECODER).n;
}

const char *
mt_model_language(const mt_model *model, size_t i)
{
  return code_of(model, MT_STACK_DECODER, i);
}

bool
mt_model_find_language(const mt_model *model, const char *code, size_t *i)
{
  return find(model, MT_STACK_DECODER, code, i);
}

bool
mt_model_find_language_id(const mt_model *model, int32_t id, size_t *i)
{
  const mt_languages languages = languages_of(model, MT_STACK_DECODER);
  return mt_languages_find_id(&languages, id, i);
}

size_t
mt_model_n_source_languages(const mt_model *model)
{
  return languages_of(model, MT_STACK_ENCODER).n;
}

const char *
mt_model_source_language(const mt_model *model, size_t i)
{
  return code_of(model, MT_STACK_ENCODER, i);
}

bool
mt_model_find_source_language(const mt_model *model, const char *code, size_t *i)
{
  return find(model, MT_STACK_ENCODER, code, i);
}

/* ---- The model's own ------------------------------------------------------------------------- */

int
mt_model_own_language(const mt_model *model, mt_stack side)
{
  const mt_config *config = &model->config;
  const mt_languages languages = languages_of(model, side);
  size_t i;
  if (side == MT_STACK_DECODER) {
    int32_t id = -1; /* what `generate` would begin with */
    if (config->language_mode == MT_LANGUAGES_SOURCE_TOKEN)
      return -1;
    if (config->language_mode == MT_LANGUAGES_FORCED)
      id = config->forced_bos_id;
    if (config->language_mode == MT_LANGUAGES_START)
      id = config->decoder_start_id;
    if (mt_model_find_language_id(model, id, &i))
      return (int) i;
  }
  const char *code = side == MT_STACK_ENCODER ? config->source_lang : config->target_lang;
  return code && mt_languages_find(&languages, code, &i) ? (int) i : -1;
}

static bool
check_range(const mt_languages *languages, const char *which, int language, mt_error *error)
{
  return (language >= -1 && (language < 0 || (size_t) language < languages->n)) ||
         mt_fail(error, MT_ERROR_INPUT,
                 "There is no %s language %d; the model has %zu, counted from 0, and -1 is none.",
                 which, language, languages->n);
}

/* ---- The source ------------------------------------------------------------------------------ */

mt_tokens *
mt_model_tokenize_behind(const mt_model *model, const char *prefix, const char *text,
                         int source_language, int language, mt_error *error)
{
  const mt_languages sources = languages_of(model, MT_STACK_ENCODER);
  const mt_languages targets = languages_of(model, MT_STACK_DECODER);
  const mt_language *beside = NULL; /* its token stands beside the text */
  if (!check_range(&targets, "target", language, error) ||
      !check_range(&sources, "source", source_language, error))
    return NULL;
  if (sources.n > 0) {
    if (source_language < 0)
      source_language = mt_model_own_language(model, MT_STACK_ENCODER);
    if (source_language < 0) {
      mt_fail(error, MT_ERROR_INPUT,
              "The model translates from %zu languages and has to be told in which one the text "
              "is: its files name none.",
              sources.n);
      return NULL;
    }
    beside = &sources.items[source_language];
  } else if (language >= 0 && model->config.language_mode == MT_LANGUAGES_SOURCE_TOKEN) {
    beside = &targets.items[language];
  }
  return mt_tokenizer_encode_behind(model->tokenizer, MT_STACK_ENCODER, prefix, text, beside,
                                    error);
}

mt_tokens *
mt_model_tokenize_between(const mt_model *model, const char *text, int source_language,
                          int language, mt_error *error)
{
  return mt_model_tokenize_behind(model, "", text, source_language, language, error);
}

mt_tokens *
mt_model_tokenize_to(const mt_model *model, const char *text, int language, mt_error *error)
{
  return mt_model_tokenize_between(model, text, -1, language, error);
}

/* ---- The target ------------------------------------------------------------------------------ */

/* The token that names a target in the decoder, where one does; else -1. */
static int32_t
target_id(const mt_model *model, mt_language_mode mode, int language)
{
  if (model->config.language_mode != mode)
    return -1;
  if (language < 0)
    language = mt_model_own_language(model, MT_STACK_DECODER);
  return language >= 0 ? languages_of(model, MT_STACK_DECODER).items[language].id : -1;
}

bool
mt_model_check_target(const mt_model *model, int language, mt_error *error)
{
  const mt_languages languages = languages_of(model, MT_STACK_DECODER);
  mt_language_mode mode = model->config.language_mode;
  if (!check_range(&languages, "target", language, error))
    return false;
  bool must_be_told = mode == MT_LANGUAGES_FORCED || mode == MT_LANGUAGES_START;
  return languages.n == 0 || !must_be_told || target_id(model, mode, language) >= 0 ||
         mt_fail(error, MT_ERROR_INPUT,
                 "The model translates into %zu languages and has to be told into which one: its "
                 "files name none.",
                 languages.n);
}

int32_t
mt_model_start_id(const mt_model *model, int language)
{
  int32_t id = target_id(model, MT_LANGUAGES_START, language);
  return id >= 0 ? id : model->config.decoder_start_id;
}

int32_t
mt_model_first_id(const mt_model *model, int language)
{
  int32_t id = target_id(model, MT_LANGUAGES_FORCED, language);
  return id >= 0 ? id : model->config.forced_bos_id;
}

bool
mt_model_begins_with_language(const mt_model *model, int language)
{
  return target_id(model, MT_LANGUAGES_FORCED, language) >= 0;
}
