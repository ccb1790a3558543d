/* mt-generation-read.c — the values of generation_config.json: ids, lists, pairs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-generation-read.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-config.h"

#include <string.h>

#define MAX_BAD_WORDS 65536
#define MAX_BIASES    4096
#define MAX_ENDS      64

/* ---- Ids ------------------------------------------------------------------------------------- */

static bool
to_id(const mt_config *c, const mt_json *json, const char *key, const mt_json_value *value,
      int32_t *id, mt_error *error)
{
  size_t n = c->vocab_size[MT_STACK_DECODER];
  if (mt_json_kind_of(value) != MT_JSON_INTEGER || mt_json_integer(value) < 0 ||
      (uint64_t) mt_json_integer(value) >= n) {
    char found[MT_JSON_DESCRIPTION_SIZE];
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s to be an id below the vocabulary size %zu, found %s.",
                   json->label, key, n, mt_json_describe(value, found));
  }
  *id = (int32_t) mt_json_integer(value);
  return true;
}

static void
clear_ids(mt_id_list *list)
{
  mt_free((void *) list->ids);
  *list = (mt_id_list){0};
}

/* The items of a list of ids from `first` on. */
static bool
to_ids(const mt_config *c, const mt_json *json, const char *key, const mt_json_value *value,
       size_t first, size_t most, mt_id_list *list, mt_error *error)
{
  bool is_list = mt_json_kind_of(value) == MT_JSON_ARRAY;
  size_t n = is_list ? mt_json_length(value) : 0;
  if (!is_list || n > most) {
    char found[MT_JSON_DESCRIPTION_SIZE];
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s to be a list of at most %zu ids, found %s.", json->label, key,
                   most, is_list ? "a longer one" : mt_json_describe(value, found));
  }
  clear_ids(list);
  if (n <= first)
    return true;
  int32_t *ids = mt_alloc(n - first, sizeof *ids);
  if (!ids)
    return mt_fail_no_memory(error);
  *list = (mt_id_list){ids, n - first};
  for (size_t i = first; i < n; i++)
    if (!to_id(c, json, key, mt_json_at(value, i), &ids[i - first], error))
      return false;
  return true;
}

bool
mt_generation_read_id(mt_config *c, const mt_json *json, const char *key, bool is_optional,
                      int32_t *id, mt_id_list *more, mt_error *error)
{
  const mt_json_value *value = mt_json_get(json, key);
  if (!value) {
    bool is_none = is_optional && mt_json_has_null(json, key);
    if (is_none)
      *id = -1;
    if (is_none && more)
      clear_ids(more);
    return true;
  }
  size_t n = mt_json_kind_of(value) == MT_JSON_ARRAY ? mt_json_length(value) : 0;
  if (more) {
    clear_ids(more);
    if (n > 1 && !to_ids(c, json, key, value, 1, MAX_ENDS, more, error))
      return false;
  }
  if (n == 1 || (n > 1 && more))
    value = mt_json_at(value, 0);
  return to_id(c, json, key, value, id, error);
}

bool
mt_generation_read_ids(mt_config *c, const mt_json *json, const char *key, mt_id_list *list,
                       mt_error *error)
{
  const mt_json_value *value = mt_json_get(json, key);
  return !value || to_ids(c, json, key, value, 0, c->vocab_size[MT_STACK_DECODER], list, error);
}

/* ---- Lists of sequences ---------------------------------------------------------------------- */

void
mt_generation_clear_bad_words(mt_config *c)
{
  for (size_t i = 0; c->bad_words && i < c->n_bad_words; i++)
    mt_free((void *) c->bad_words[i]);
  mt_free((void *) c->bad_words);
  mt_free((void *) c->bad_word_lengths);
  c->bad_words = NULL;
  c->bad_word_lengths = NULL;
  c->n_bad_words = 0;
}

bool
mt_generation_make_bad_words(mt_config *c, size_t n, mt_error *error)
{
  mt_generation_clear_bad_words(c);
  c->bad_words = mt_alloc(n, sizeof *c->bad_words);
  c->bad_word_lengths = mt_alloc(n, sizeof *c->bad_word_lengths);
  return (c->bad_words && c->bad_word_lengths) || mt_fail_no_memory(error);
}

void
mt_generation_add_bad_word(mt_config *c, mt_id_list word)
{
  ((const int32_t **) (void *) c->bad_words)[c->n_bad_words] = word.ids;
  ((size_t *) (void *) c->bad_word_lengths)[c->n_bad_words++] = word.n;
}

/* One non-empty list of ids, entry i of a key. */
static bool
to_sequence(const mt_config *c, const mt_json *json, const char *key, size_t i,
            const mt_json_value *value, mt_id_list *sequence, mt_error *error)
{
  bool is_list = value && mt_json_kind_of(value) == MT_JSON_ARRAY;
  size_t length = is_list ? mt_json_length(value) : 0;
  if (length == 0 || length > c->max_positions)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected entry %zu of %s to be a list of 1 to %zu ids, found %s.",
                   json->label, i, key, c->max_positions,
                   !is_list      ? "something else"
                   : length == 0 ? "an empty one"
                                 : "a longer one");
  return to_ids(c, json, key, value, 0, length, sequence, error);
}

/* bad_words_ids: a list of non-empty lists of ids. */
bool
mt_generation_read_bad_words(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  const mt_json_value *list = mt_json_get(json, key);
  if (!list) {
    if (mt_json_has_null(json, key))
      mt_generation_clear_bad_words(c);
    return true;
  }
  if (mt_json_kind_of(list) != MT_JSON_ARRAY || mt_json_length(list) > MAX_BAD_WORDS)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s to be a list of at most %d lists of ids.", json->label, key,
                   MAX_BAD_WORDS);
  size_t n = mt_json_length(list);
  if (!mt_generation_make_bad_words(c, n, error))
    return false;
  for (size_t i = 0; i < n; i++) {
    mt_id_list word = {0};
    bool ok = to_sequence(c, json, key, i, mt_json_at(list, i), &word, error);
    mt_generation_add_bad_word(c, word);
    if (!ok)
      return false;
  }
  return true;
}

void
mt_generation_clear_biases(mt_config *c)
{
  mt_generation *g = &c->generation;
  for (size_t i = 0; g->biases && i < g->n_biases; i++)
    mt_free((void *) g->biases[i].sequence.ids);
  mt_free((void *) g->biases);
  g->biases = NULL;
  g->n_biases = 0;
}

static bool
same_sequence(mt_id_list a, mt_id_list b)
{
  return a.n == b.n && memcmp(a.ids, b.ids, a.n * sizeof *a.ids) == 0;
}

/* sequence_bias: [[[ids], number], …]; the last word about a sequence counts. */
bool
mt_generation_read_biases(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  mt_generation *g = &c->generation;
  const mt_json_value *list = mt_json_get(json, key);
  if (!list)
    return true;
  mt_generation_clear_biases(c);
  if (mt_json_kind_of(list) != MT_JSON_ARRAY || mt_json_length(list) > MAX_BIASES)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s to be a list of at most %d pairs of a list of ids and a "
                   "number.",
                   json->label, key, MAX_BIASES);
  size_t n = mt_json_length(list);
  mt_sequence_bias *biases = mt_alloc(n, sizeof *biases);
  g->biases = biases;
  if (!biases)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < n; i++) {
    const mt_json_value *pair = mt_json_at(list, i);
    bool is_pair = pair && mt_json_kind_of(pair) == MT_JSON_ARRAY && mt_json_length(pair) == 2;
    const mt_json_value *number = is_pair ? mt_json_at(pair, 1) : NULL;
    mt_json_kind kind = number ? mt_json_kind_of(number) : MT_JSON_NULL;
    if (kind != MT_JSON_INTEGER && kind != MT_JSON_NUMBER)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected entry %zu of %s to be a list of ids and a number, found "
                     "something else.",
                     json->label, i, key);
    mt_sequence_bias bias = {.bias = (float) mt_json_number(number)};
    if (!to_sequence(c, json, key, i, mt_json_at(pair, 0), &bias.sequence, error)) {
      mt_free((void *) bias.sequence.ids);
      return false;
    }
    size_t at = 0;
    while (at < g->n_biases && !same_sequence(biases[at].sequence, bias.sequence))
      at++;
    if (at < g->n_biases)
      mt_free((void *) biases[at].sequence.ids);
    else
      g->n_biases++;
    biases[at] = bias;
  }
  return true;
}

/* ---- Single values --------------------------------------------------------------------------- */

/* false, true or "never"; null is false. */
bool
mt_generation_read_early_stopping(mt_config *c, const mt_json *json, const char *key,
                                  mt_error *error)
{
  const mt_json_value *value = mt_json_get(json, key);
  if (!value)
    return true;
  if (mt_json_kind_of(value) == MT_JSON_BOOL) {
    c->early_stopping = mt_json_bool(value) ? MT_EARLY_STOPPING_TRUE : MT_EARLY_STOPPING_FALSE;
    return true;
  }
  const char *text = mt_json_kind_of(value) == MT_JSON_STRING ? mt_json_string(value) : NULL;
  if (text && strcmp(text, "never") == 0) {
    c->early_stopping = MT_EARLY_STOPPING_NEVER;
    return true;
  }
  char found[MT_JSON_DESCRIPTION_SIZE];
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected early_stopping true, false or \"never\", found %s.", json->label,
                 mt_json_describe(value, found));
}

/* max_new_tokens and min_new_tokens do not count the start token, and have precedence. */
bool
mt_generation_read_max_new(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  size_t *n = &c->generation.max_new_tokens;
  if (!mt_json_get_size(json, key, 1, MT_CONFIG_MAX_POSITIONS, n, error))
    return false;
  if (*n > 0)
    c->max_length = *n + 1;
  return true;
}

bool
mt_generation_read_min_new(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  size_t *n = &c->generation.min_new_tokens;
  if (!mt_json_get_size(json, key, 0, MT_CONFIG_MAX_POSITIONS, n, error))
    return false;
  if (mt_json_get(json, key))
    c->min_length = *n + 1;
  return true;
}

/* exponential_decay_length_penalty: [start, factor] */
bool
mt_generation_read_decay(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  const mt_json_value *value = mt_json_get(json, key);
  if (!value)
    return true;
  bool is_pair = mt_json_kind_of(value) == MT_JSON_ARRAY && mt_json_length(value) == 2;
  const mt_json_value *start = is_pair ? mt_json_at(value, 0) : NULL;
  const mt_json_value *factor = is_pair ? mt_json_at(value, 1) : NULL;
  mt_json_kind kind = factor ? mt_json_kind_of(factor) : MT_JSON_NULL;
  if (!start || mt_json_kind_of(start) != MT_JSON_INTEGER || mt_json_integer(start) < 0 ||
      mt_json_integer(start) > MT_CONFIG_MAX_POSITIONS ||
      (kind != MT_JSON_INTEGER && kind != MT_JSON_NUMBER) || !(mt_json_number(factor) > 0) ||
      mt_json_number(factor) > 1000)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s to be a number of tokens and a factor above 0 and at most "
                   "1000, found something else.",
                   json->label, key);
  c->generation.decay_start = (size_t) mt_json_integer(start);
  c->generation.decay_factor = (float) mt_json_number(factor);
  return true;
}

/* forced_decoder_ids: [[position, id], …], which transformers reads before 4.46. */
bool
mt_generation_read_forced_ids(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  mt_generation *g = &c->generation;
  const mt_json_value *list = mt_json_get(json, key);
  if (!list)
    return true;
  size_t n = mt_json_kind_of(list) == MT_JSON_ARRAY ? mt_json_length(list) : SIZE_MAX;
  if (n > c->max_positions)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s to be a list of at most %zu pairs of a position and an id.",
                   json->label, key, c->max_positions);
  int32_t *ids = mt_alloc(c->max_positions, sizeof *ids);
  mt_free((void *) g->forced_ids);
  g->forced_ids = ids;
  g->n_forced_ids = 0;
  if (!ids)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < c->max_positions; i++)
    ids[i] = -1;
  for (size_t i = 0; i < n; i++) {
    const mt_json_value *pair = mt_json_at(list, i);
    bool is_pair = pair && mt_json_kind_of(pair) == MT_JSON_ARRAY && mt_json_length(pair) == 2;
    const mt_json_value *at = is_pair ? mt_json_at(pair, 0) : NULL;
    if (!at || mt_json_kind_of(at) != MT_JSON_INTEGER || mt_json_integer(at) < 0 ||
        (uint64_t) mt_json_integer(at) >= c->max_positions)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected entry %zu of %s to be a position below %zu and an id, found "
                     "something else.",
                     json->label, i, key, c->max_positions);
    g->last_forced = (size_t) mt_json_integer(at);
    const mt_json_value *id = mt_json_at(pair, 1);
    bool is_null = !id || mt_json_kind_of(id) == MT_JSON_NULL; /* any token */
    if (!is_null && !to_id(c, json, key, id, &ids[mt_json_integer(at)], error))
      return false;
  }
  g->n_forced_ids = c->max_positions;
  return true;
}

/* An old key of config.json: the first token is <s>. */
bool
mt_generation_read_force_bos(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  bool is_forced = false;
  if (!mt_json_get_bool(json, key, &is_forced, error))
    return false;
  if (is_forced)
    c->forced_bos_id = c->bos_id;
  return true;
}
