/* mt-source-contribution.c — how much of each word is from the source, how much of the source was
 * used, and what of both is usual for a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-file.h"
#include "files/mt-json.h"
#include "model/mt-model.h"
#include "mt.h"
#include "text/mt-tokens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
fill(mt_source_contribution *trust, const mt_attribution *a, mt_error *error)
{
  mt_matrix source = a->source;
  trust->n_target = source.rows;
  trust->n_source = source.cols;
  trust->shares = mt_alloc(source.rows, sizeof(float));
  trust->uses = mt_alloc(source.cols, sizeof(float));
  if (!trust->shares || !trust->uses)
    return mt_fail_no_memory(error);
  for (size_t t = 0; t < source.rows; t++)
    for (size_t j = 0; j < source.cols; j++) {
      trust->shares[t] += mt_matrix_at(&source, t, j);
      trust->uses[j] += mt_matrix_at(&source, t, j);
    }
  return true;
}

mt_source_contribution *
mt_source_contribution_new(mt_session *session, const mt_translation *translation, size_t index,
                           const mt_hooks *hooks, mt_error *error)
{
  const mt_attribution_params params = mt_attribution_params_default();
  mt_source_contribution *trust = mt_alloc(1, sizeof *trust);
  if (!trust)
    return mt_fail_no_memory(error), NULL;

  trust->ref_count = 1;
  mt_attribution *a = mt_attribution_new(session, translation, index, &params, hooks, error);
  const bool ok = a && fill(trust, a, error);
  mt_attribution_unref(a);
  if (ok) {
    /* Reference counts apart, neither list is changed. */
    trust->source = mt_tokens_ref((mt_tokens *) mt_translation_source(translation));
    trust->output = mt_tokens_ref(mt_translation_hypothesis(translation, index)->tokens);
    return trust;
  }
  mt_source_contribution_unref(trust);
  return NULL;
}

static void
trust_free(mt_source_contribution *trust)
{
  mt_tokens_unref(trust->source);
  mt_tokens_unref(trust->output);
  mt_free(trust->shares);
  mt_free(trust->uses);
  mt_free(trust);
}

MT_DEFINE_COUNTED(mt_source_contribution, trust_free)

/* ---- Words ----------------------------------------------------------------------------------- */

static bool
is_word(const mt_tokens *tokens, size_t i)
{
  return !mt_tokens_get(tokens, i)->is_special;
}

double
mt_source_contribution_mean(const mt_source_contribution *trust)
{
  double sum = 0, n = 0;
  for (size_t t = 0; t < trust->n_target; t++)
    if (is_word(trust->output, t)) {
      sum += trust->shares[t];
      n += 1;
    }
  return n > 0 ? sum / n : NAN;
}

double
mt_source_contribution_least(const mt_source_contribution *trust)
{
  double least = NAN;
  for (size_t t = 0; t < trust->n_target; t++)
    if (is_word(trust->output, t) && !(trust->shares[t] >= least))
      least = trust->shares[t];
  return least;
}

bool
mt_source_contribution_is_weak(const mt_source_contribution *trust,
                               const mt_source_contribution_thresholds *thresholds, size_t token)
{
  return thresholds->n_sentences > 0 && is_word(trust->output, token) &&
         trust->shares[token] < thresholds->share;
}

bool
mt_source_contribution_is_left_out(const mt_source_contribution *trust,
                                   const mt_source_contribution_thresholds *thresholds,
                                   size_t token)
{
  return thresholds->n_sentences > 0 && is_word(trust->source, token) &&
         trust->uses[token] < thresholds->use;
}

/* ---- For samples ----------------------------------------------------------------------------- */

static size_t
sum_words(const mt_source_contribution *trust, mt_stack stack, float *out)
{
  const bool is_source = stack == MT_STACK_ENCODER;
  const mt_tokens *tokens = is_source ? trust->source : trust->output;
  size_t n = 0;
  for (size_t i = 0; i < mt_tokens_count(tokens); i++)
    if (is_word(tokens, i))
      out[n++] = is_source ? trust->uses[i] : trust->shares[i];
  return n;
}

/* ---- What is usual for a model --------------------------------------------------------------- */

/* What is usual for a model: thresholds from a text, as a file, and read again. */

/* Of a file. */
#define MOST_BYTES 65536

typedef struct {
  float *values;
  size_t n, capacity;
} numbers;

struct mt_source_contribution_sample {
  numbers sides[MT_N_STACKS]; /* uses of the source, shares of the target */
  size_t n_sentences;
};

mt_source_contribution_sample *
mt_source_contribution_sample_new(mt_error *error)
{
  mt_source_contribution_sample *sample = mt_alloc(1, sizeof *sample);
  if (!sample)
    mt_fail_no_memory(error);
  return sample;
}

void
mt_source_contribution_sample_free(mt_source_contribution_sample *sample)
{
  if (!sample)
    return;
  for (int s = 0; s < MT_N_STACKS; s++)
    mt_free(sample->sides[s].values);
  mt_free(sample);
}

bool
mt_source_contribution_sample_add(mt_source_contribution_sample *sample,
                                  const mt_source_contribution *trust, mt_error *error)
{
  const size_t n[MT_N_STACKS] = {trust->n_source, trust->n_target};
  for (int s = 0; s < MT_N_STACKS; s++) {
    numbers *side = &sample->sides[s];
    if (!mt_grow(&side->values, side->n, n[s], &side->capacity, sizeof *side->values))
      return mt_fail_no_memory(error);
  }
  for (int s = 0; s < MT_N_STACKS; s++) {
    numbers *side = &sample->sides[s];
    side->n += sum_words(trust, (mt_stack) s, side->values + side->n);
  }
  sample->n_sentences++;
  return true;
}

static int
compare(const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;
  return (x > y) - (x < y);
}

/* As numpy.quantile has it. */
static double
quantile_of(numbers *side, double quantile)
{
  qsort(side->values, side->n, sizeof *side->values, compare);
  const double at = quantile * (double) (side->n - 1);
  const size_t below = (size_t) at, above = below + 1 < side->n ? below + 1 : below;
  return side->values[below] +
         (at - (double) below) * ((double) side->values[above] - side->values[below]);
}

bool
mt_source_contribution_sample_finish(mt_source_contribution_sample *sample, double quantile,
                                     mt_source_contribution_thresholds *thresholds, mt_error *error)
{
  if (!(quantile > 0 && quantile < 1))
    return mt_fail(error, MT_ERROR_INPUT, "A quantile is between 0 and 1, not %g.", quantile);
  if (sample->sides[0].n == 0 || sample->sides[1].n == 0)
    return mt_fail(error, MT_ERROR_INPUT, "No sentence of the sample has words on both sides.");
  *thresholds = (mt_source_contribution_thresholds){
      .share = quantile_of(&sample->sides[MT_STACK_DECODER], quantile),
      .use = quantile_of(&sample->sides[MT_STACK_ENCODER], quantile),
      .quantile = quantile,
      .n_sentences = sample->n_sentences,
  };
  return true;
}

/* ---- The file -------------------------------------------------------------------------------- */

char *
mt_source_contribution_thresholds_text(const mt_source_contribution_thresholds *thresholds,
                                       const mt_model *model, mt_error *error)
{
  char fingerprint[17];
  snprintf(fingerprint, sizeof fingerprint, "%016llx",
           (unsigned long long) mt_model_fingerprint(model));
  mt_json_out out = {0};
  mt_json_begin(&out, NULL, '{');
  mt_json_put_string(&out, "model", mt_model_name(model));
  mt_json_put_string(&out, "fingerprint", fingerprint);
  mt_json_put_number(&out, "share", thresholds->share);
  mt_json_put_number(&out, "use", thresholds->use);
  mt_json_put_number(&out, "quantile", thresholds->quantile);
  mt_json_put_whole(&out, "sentences", (int64_t) thresholds->n_sentences);
  mt_json_end(&out);
  return mt_json_take(&out, "\n", error);
}

void
mt_source_contribution_text_free(char *text)
{
  mt_free(text);
}

static bool
get_number(const mt_json *json, const char *key, double most, double *value, mt_error *error)
{
  *value = NAN;
  if (!mt_json_get_number(json, key, value, error))
    return false;
  return (*value >= 0 && *value <= most) ||
         mt_fail(error, MT_ERROR_FORMAT, "%s: expected %s from 0 to %g, found %g.", json->label,
                 key, most, *value);
}

/* Thresholds of another model would mark other words, and nobody would see why. */
static bool
check_model(const mt_json *json, const mt_model *model, mt_error *error)
{
  const char *name = NULL, *digits = NULL;
  uint64_t fingerprint;
  if (!mt_json_get_string(json, "model", &name, error) ||
      !mt_json_get_string(json, "fingerprint", &digits, error))
    return false;
  if (!name && !digits)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected the \"model\" that these thresholds are of, found none.",
                   json->label);
  if (digits && !mt_fingerprint_parse(digits, &fingerprint))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected \"fingerprint\" to be 16 hexadecimal digits, found \"%.40s\".",
                   json->label, digits);
  if (digits ? fingerprint == mt_model_fingerprint(model) : strcmp(name, mt_model_name(model)) == 0)
    return true;
  return mt_fail(error, MT_ERROR_INPUT,
                 "%s: these thresholds are of another model, called \"%.80s\", not of \"%.80s\": "
                 "regard-cli trust --calibrate makes its own.",
                 json->label, name ? name : "", mt_model_name(model));
}

static bool
parse(mt_source_contribution_thresholds *thresholds, const char *label, const mt_mapping *mapping,
      const mt_model *model, mt_error *error)
{
  mt_source_contribution_thresholds t = {0};
  mt_json json = {0};
  bool ok = mt_json_parse(&json, label, (const char *) mapping->bytes, mapping->size, error) &&
            get_number(&json, "share", 1, &t.share, error) &&
            get_number(&json, "use", 1e6, &t.use, error) &&
            get_number(&json, "quantile", 1, &t.quantile, error) &&
            mt_json_get_size(&json, "sentences", 1, SIZE_MAX / 2, &t.n_sentences, error);
  if (ok && t.n_sentences == 0)
    ok = mt_fail(error, MT_ERROR_FORMAT, "%s: expected the number of \"sentences\", found none.",
                 label);
  ok = ok && check_model(&json, model, error);
  mt_json_clear(&json);
  if (ok)
    *thresholds = t;
  return ok;
}

bool
mt_source_contribution_thresholds_read(mt_source_contribution_thresholds *thresholds,
                                       const char *path, const mt_model *model, mt_error *error)
{
  mt_mapping mapping = {0};
  char *name = NULL;
  if (!mt_file_map(path, MOST_BYTES, NULL, &mapping, &name, error))
    return false;
  const bool ok = parse(thresholds, name, &mapping, model, error);
  mt_unmap(&mapping);
  mt_free(name);
  return ok;
}

bool
mt_source_contribution_thresholds_of_model(mt_source_contribution_thresholds *thresholds,
                                           const mt_model *model, mt_error *error)
{
  mt_dir dir = MT_DIR_NONE;
  mt_mapping mapping = {0};
  *thresholds = (mt_source_contribution_thresholds){0};
  if (!mt_dir_open(&dir, mt_model_directory(model), NULL, error))
    return false;
  bool ok = true;
  if (mt_dir_has(&dir, MT_SOURCE_CONTRIBUTION_FILE)) {
    ok = mt_dir_map(&dir, MT_SOURCE_CONTRIBUTION_FILE, MOST_BYTES, &mapping, error) &&
         parse(thresholds, MT_SOURCE_CONTRIBUTION_FILE, &mapping, model, error);
    mt_unmap(&mapping);
  }
  mt_dir_close(&dir);
  return ok;
}
