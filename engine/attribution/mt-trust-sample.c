/* mt-trust-sample.c — what is usual for a model: thresholds from a text, as a file, and read again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-trust.h"
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-file.h"
#include "files/mt-json.h"
#include "model/mt-model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a file. */
#define MOST_BYTES 65536

typedef struct {
  float *values;
  size_t n, capacity;
} numbers;

struct mt_trust_sample {
  numbers sides[MT_N_STACKS]; /* uses of the source, shares of the target */
  size_t n_sentences;
};

mt_trust_sample *
mt_trust_sample_new(mt_error *error)
{
  mt_trust_sample *sample = mt_alloc(1, sizeof *sample);
  if (!sample)
    mt_fail_no_memory(error);
  return sample;
}

void
mt_trust_sample_free(mt_trust_sample *sample)
{
  if (!sample)
    return;
  for (int s = 0; s < MT_N_STACKS; s++)
    mt_free(sample->sides[s].values);
  mt_free(sample);
}

static bool
reserve(numbers *side, size_t n)
{
  if (side->n + n <= side->capacity)
    return true;
  const size_t capacity = 2 * (side->n + n);
  float *more = mt_realloc(side->values, capacity, sizeof *more);
  if (!more)
    return false;
  side->values = more;
  side->capacity = capacity;
  return true;
}

bool
mt_trust_sample_add(mt_trust_sample *sample, const mt_trust *trust, mt_error *error)
{
  size_t n[MT_N_STACKS];
  mt_trust_uses(trust, &n[MT_STACK_ENCODER]);
  mt_trust_shares(trust, &n[MT_STACK_DECODER]);
  for (int s = 0; s < MT_N_STACKS; s++)
    if (!reserve(&sample->sides[s], n[s]))
      return mt_fail_no_memory(error);
  for (int s = 0; s < MT_N_STACKS; s++) {
    numbers *side = &sample->sides[s];
    side->n += mt_trust_words(trust, (mt_stack) s, side->values + side->n);
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
mt_trust_sample_finish(mt_trust_sample *sample, double quantile, mt_trust_thresholds *thresholds,
                       mt_error *error)
{
  if (!(quantile > 0 && quantile < 1))
    return mt_fail(error, MT_ERROR_INPUT, "A quantile is between 0 and 1, not %g.", quantile);
  if (sample->sides[0].n == 0 || sample->sides[1].n == 0)
    return mt_fail(error, MT_ERROR_INPUT, "No sentence of the sample has words on both sides.");
  *thresholds = (mt_trust_thresholds){
      .share = quantile_of(&sample->sides[MT_STACK_DECODER], quantile),
      .use = quantile_of(&sample->sides[MT_STACK_ENCODER], quantile),
      .quantile = quantile,
      .n_sentences = sample->n_sentences,
  };
  return true;
}

/* ---- The file ---------------------------------------------------------------------------------
 */

char *
mt_trust_thresholds_text(const mt_trust_thresholds *thresholds, const mt_model *model,
                         mt_error *error)
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
  char *text = mt_json_finish(&out, "\n", error) ? mt_strdup(out.text) : NULL;
  if (!text && !out.failed)
    mt_fail_no_memory(error);
  mt_json_out_clear(&out);
  return text;
}

void
mt_trust_text_free(char *text)
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
parse(mt_trust_thresholds *thresholds, const char *label, const mt_mapping *mapping,
      const mt_model *model, mt_error *error)
{
  mt_trust_thresholds t = {0};
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
mt_trust_thresholds_read(mt_trust_thresholds *thresholds, const char *path, const mt_model *model,
                         mt_error *error)
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
mt_trust_thresholds_of_model(mt_trust_thresholds *thresholds, const mt_model *model,
                             mt_error *error)
{
  mt_dir dir = MT_DIR_NONE;
  mt_mapping mapping = {0};
  *thresholds = (mt_trust_thresholds){0};
  if (!mt_dir_open(&dir, mt_model_directory(model), NULL, error))
    return false;
  bool ok = true;
  if (mt_dir_has(&dir, MT_TRUST_FILE)) {
    ok = mt_dir_map(&dir, MT_TRUST_FILE, MOST_BYTES, &mapping, error) &&
         parse(thresholds, MT_TRUST_FILE, &mapping, model, error);
    mt_unmap(&mapping);
  }
  mt_dir_close(&dir);
  return ok;
}
