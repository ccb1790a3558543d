/* mt-generation.c — how a model asks to be searched: a row for every key of generation_config.json.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The keys are those of GenerationConfig in Hugging Face transformers 4.30 to 5.24, and what each
 * does is what `generate` does with it for a translation. A key is honoured; or it cannot change
 * which translation is found; or it asks for what is not done here, and is named: nothing is passed
 * over in silence.
 */
#include "model/mt-generation.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-json.h"
#include "mt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_BAD_WORDS 65536
#define MAX_BIASES    4096
#define MAX_ENDS      64

/* ---- Values: ids ----------------------------------------------------------------------------- */

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

/* An id, or a list of which the first is it and the others are put into `more`; null is none, -1,
 * where that is allowed. more NULL: a list has one. */
static bool
read_id(mt_config *c, const mt_json *json, const char *key, bool is_optional, int32_t *id,
        mt_id_list *more, mt_error *error)
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

static bool
read_ids(mt_config *c, const mt_json *json, const char *key, mt_id_list *list, mt_error *error)
{
  const mt_json_value *value = mt_json_get(json, key);
  return !value || to_ids(c, json, key, value, 0, c->vocab_size[MT_STACK_DECODER], list, error);
}

/* ---- Lists of sequences ---------------------------------------------------------------------- */
static void
clear_bad_words(mt_config *c)
{
  for (size_t i = 0; c->bad_words && i < c->n_bad_words; i++)
    mt_free((void *) c->bad_words[i]);
  mt_free((void *) c->bad_words);
  mt_free((void *) c->bad_word_lengths);
  c->bad_words = NULL;
  c->bad_word_lengths = NULL;
  c->n_bad_words = 0;
}

/* Room for n bad words, and one of them. */
static bool
make_bad_words(mt_config *c, size_t n, mt_error *error)
{
  clear_bad_words(c);
  c->bad_words = mt_alloc(n, sizeof *c->bad_words);
  c->bad_word_lengths = mt_alloc(n, sizeof *c->bad_word_lengths);
  return (c->bad_words && c->bad_word_lengths) || mt_fail_no_memory(error);
}

static void
add_bad_word(mt_config *c, mt_id_list word)
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
static bool
read_bad_words(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  const mt_json_value *list = mt_json_get(json, key);
  if (!list) {
    if (mt_json_has_null(json, key))
      clear_bad_words(c);
    return true;
  }
  if (mt_json_kind_of(list) != MT_JSON_ARRAY || mt_json_length(list) > MAX_BAD_WORDS)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s to be a list of at most %d lists of ids.", json->label, key,
                   MAX_BAD_WORDS);
  size_t n = mt_json_length(list);
  if (!make_bad_words(c, n, error))
    return false;
  for (size_t i = 0; i < n; i++) {
    mt_id_list word = {0};
    bool ok = to_sequence(c, json, key, i, mt_json_at(list, i), &word, error);
    add_bad_word(c, word);
    if (!ok)
      return false;
  }
  return true;
}

static void
clear_biases(mt_config *c)
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
static bool
read_biases(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  mt_generation *g = &c->generation;
  const mt_json_value *list = mt_json_get(json, key);
  if (!list)
    return true;
  clear_biases(c);
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
static bool
read_early_stopping(mt_config *c, const mt_json *json, const char *key, mt_error *error)
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
static bool
read_max_new(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  size_t *n = &c->generation.max_new_tokens;
  if (!mt_json_get_size(json, key, 1, MT_CONFIG_MAX_POSITIONS, n, error))
    return false;
  if (*n > 0)
    c->max_length = *n + 1;
  return true;
}

static bool
read_min_new(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  size_t *n = &c->generation.min_new_tokens;
  if (!mt_json_get_size(json, key, 0, MT_CONFIG_MAX_POSITIONS, n, error))
    return false;
  if (mt_json_get(json, key) || *n > 0)
    c->min_length = *n + 1;
  return true;
}

/* exponential_decay_length_penalty: [start, factor] */
static bool
read_decay(mt_config *c, const mt_json *json, const char *key, mt_error *error)
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
static bool
read_forced_ids(mt_config *c, const mt_json *json, const char *key, mt_error *error)
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
static bool
read_force_bos(mt_config *c, const mt_json *json, const char *key, mt_error *error)
{
  bool is_forced = false;
  if (!mt_json_get_bool(json, key, &is_forced, error))
    return false;
  if (is_forced)
    c->forced_bos_id = c->bos_id;
  return true;
}

/* ---- The keys -------------------------------------------------------------------------------- */

/* So many keys that are not done are named; each with so many bytes. */
#define MAX_NAMED  12
#define NAMED_SIZE 48

typedef enum {
  ID,          /* of the target vocabulary */
  ID_OR_NONE,  /* null: -1 */
  IDS,         /* an id, or a list of them; the others go to `more` */
  IDS_OR_NONE, /* null: -1 */
  ID_LIST,     /* a list of ids */
  SIZE,        /* size_t */
  NUMBER,      /* float */
  SWITCH,      /* bool */
  OTHER,       /* by `read` */
  WITHOUT_EFFECT,
  SAMPLING,     /* matters if do_sample is true, which is named then */
  NOT_HONOURED, /* unless it is `neutral`, null, or empty */
} row_type;

typedef struct {
  const char *key;
  row_type type;
  size_t offset; /* in mt_config */
  double min, max;
  size_t more; /* in mt_config, an mt_id_list */
  bool (*read)(mt_config *c, const mt_json *json, const char *key, mt_error *error);
  double neutral; /* false is 0, true is 1 */
} row;

/* ---- The rows -------------------------------------------------------------------------------- */

#define AT(member)    offsetof(mt_config, member)
#define OF(member)    offsetof(mt_config, generation.member)
#define MAX_PENALTY   1000
#define NOTHING_IS_OK NAN

/* Read in this order: what wins over another comes behind it. */
static const row rows[] = {
    /* Honoured. */
    {"pad_token_id", ID, .offset = AT(pad_id)},
    {"eos_token_id", IDS, .offset = AT(eos_id), .more = OF(more_eos_ids)},
    {"bos_token_id", ID_OR_NONE, .offset = AT(bos_id)},
    {"decoder_start_token_id", ID, .offset = AT(decoder_start_id)},
    {"force_bos_token_to_be_generated", OTHER, .read = read_force_bos},
    {"forced_bos_token_id", ID_OR_NONE, .offset = AT(forced_bos_id)},
    {"forced_eos_token_id", IDS_OR_NONE, .offset = AT(forced_eos_id),
     .more = OF(more_forced_eos_ids)},
    {"forced_decoder_ids", OTHER, .read = read_forced_ids},
    {"num_beams", SIZE, .offset = AT(num_beams), .min = 1, .max = MT_CONFIG_MAX_BEAMS},
    {"max_length", SIZE, .offset = AT(max_length), .min = 1, .max = MT_CONFIG_MAX_POSITIONS},
    {"min_length", SIZE, .offset = AT(min_length), .max = MT_CONFIG_MAX_POSITIONS},
    {"max_new_tokens", OTHER, .read = read_max_new},
    {"min_new_tokens", OTHER, .read = read_min_new},
    {"length_penalty", NUMBER, .offset = AT(length_penalty), .min = -1000, .max = 1000},
    {"early_stopping", OTHER, .read = read_early_stopping},
    {"sequence_bias", OTHER, .read = read_biases},
    {"encoder_repetition_penalty", NUMBER, .offset = OF(encoder_repetition_penalty), .min = 1e-3,
     .max = MAX_PENALTY},
    {"repetition_penalty", NUMBER, .offset = OF(repetition_penalty), .min = 1e-3,
     .max = MAX_PENALTY},
    {"no_repeat_ngram_size", SIZE, .offset = OF(no_repeat_ngram_size),
     .max = MT_CONFIG_MAX_POSITIONS},
    {"encoder_no_repeat_ngram_size", SIZE, .offset = OF(encoder_no_repeat_ngram_size),
     .max = MT_CONFIG_MAX_POSITIONS},
    {"bad_words_ids", OTHER, .read = read_bad_words},
    {"exponential_decay_length_penalty", OTHER, .read = read_decay},
    {"suppress_tokens", ID_LIST, .offset = OF(suppressed)},
    {"begin_suppress_tokens", ID_LIST, .offset = OF(begin_suppressed)},
    {"renormalize_logits", SWITCH, .offset = OF(renormalize_logits)},

    /* They ask for more than the translation, say where the file comes from, or how it is computed
     * without being another one. An assistant, whose guesses are only accepted if they are right,
     * is none of a translation's business. */
    {"num_return_sequences", WITHOUT_EFFECT},
    {"output_attentions", WITHOUT_EFFECT},
    {"output_hidden_states", WITHOUT_EFFECT},
    {"output_scores", WITHOUT_EFFECT},
    {"output_logits", WITHOUT_EFFECT},
    {"return_dict_in_generate", WITHOUT_EFFECT},
    {"return_legacy_cache", WITHOUT_EFFECT},
    {"use_cache", WITHOUT_EFFECT},
    {"cache_implementation", WITHOUT_EFFECT},
    {"cache_config", WITHOUT_EFFECT},
    {"max_cache_len", WITHOUT_EFFECT},
    {"prefill_chunk_size", WITHOUT_EFFECT},
    {"compile_config", WITHOUT_EFFECT},
    {"disable_compile", WITHOUT_EFFECT},
    {"continuous_batching_config", WITHOUT_EFFECT},
    {"low_memory", WITHOUT_EFFECT},
    {"is_assistant", WITHOUT_EFFECT},
    {"num_assistant_tokens", WITHOUT_EFFECT},
    {"num_assistant_tokens_schedule", WITHOUT_EFFECT},
    {"assistant_confidence_threshold", WITHOUT_EFFECT},
    {"assistant_early_exit", WITHOUT_EFFECT},
    {"assistant_ensemble_weight", WITHOUT_EFFECT},
    {"assistant_lookbehind", WITHOUT_EFFECT},
    {"target_lookbehind", WITHOUT_EFFECT},
    {"prompt_lookup_num_tokens", WITHOUT_EFFECT},
    {"max_matching_ngram_size", WITHOUT_EFFECT},
    {"speculation_type", WITHOUT_EFFECT},
    {"use_mtp", WITHOUT_EFFECT},
    {"transformers_version", WITHOUT_EFFECT},
    {"_commit_hash", WITHOUT_EFFECT},
    {"_from_model_config", WITHOUT_EFFECT},
    {"_name_or_path", WITHOUT_EFFECT},

    {"temperature", SAMPLING},
    {"top_k", SAMPLING},
    {"top_p", SAMPLING},
    {"top_h", SAMPLING},
    {"min_p", SAMPLING},
    {"typical_p", SAMPLING},
    {"epsilon_cutoff", SAMPLING},
    {"eta_cutoff", SAMPLING},

    {"do_sample", NOT_HONOURED, .neutral = 0},
    {"num_beam_groups", NOT_HONOURED, .neutral = 1},
    {"diversity_penalty", NOT_HONOURED, .neutral = 0},
    {"penalty_alpha", NOT_HONOURED, .neutral = 0},
    {"guidance_scale", NOT_HONOURED, .neutral = 1},
    {"remove_invalid_values", NOT_HONOURED, .neutral = 0},
    {"token_healing", NOT_HONOURED, .neutral = 0},
    {"constraints", NOT_HONOURED, .neutral = NOTHING_IS_OK},
    {"force_words_ids", NOT_HONOURED, .neutral = NOTHING_IS_OK},
    {"dola_layers", NOT_HONOURED, .neutral = NOTHING_IS_OK},
    {"max_time", NOT_HONOURED, .neutral = NOTHING_IS_OK},
    {"stop_strings", NOT_HONOURED, .neutral = NOTHING_IS_OK},
    {"watermarking_config", NOT_HONOURED, .neutral = NOTHING_IS_OK},
    {"generation_kwargs", NOT_HONOURED, .neutral = NOTHING_IS_OK},
};
#define N_ROWS (sizeof rows / sizeof *rows)

static const row *
find_row(const char *key)
{
  for (size_t i = 0; i < N_ROWS; i++)
    if (strcmp(rows[i].key, key) == 0)
      return &rows[i];
  return NULL;
}

static bool
is_honoured(const row *r)
{
  return r->type < WITHOUT_EFFECT;
}

/* Special tokens: MT_GENERATION_IDS. That one is forced is none of it. */
static bool
says_who_is_who(const row *r)
{
  return r->type == ID || r->type == IDS || strcmp(r->key, "bos_token_id") == 0;
}

const char *
mt_generation_verdict(const char *key)
{
  const row *r = find_row(key);
  if (!r)
    return NULL;
  return is_honoured(r)              ? "honoured"
         : r->type == WITHOUT_EFFECT ? "without effect"
         : r->type == SAMPLING       ? "with sampling"
                                     : "not honoured";
}

static bool
read_number(float *place, const mt_json *json, const row *r, mt_error *error)
{
  double value = (double) *place;
  if (!mt_json_get_number(json, r->key, &value, error))
    return false;
  if (mt_json_get(json, r->key) && !(value >= r->min && value <= r->max))
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected %s from %g to %g, found %g.", json->label,
                   r->key, r->min, r->max, value);
  *place = (float) value;
  return true;
}

static bool
read_row(mt_config *c, const mt_json *json, const row *r, mt_error *error)
{
  char *place = (char *) c + r->offset;
  switch (r->type) {
  case ID:
  case ID_OR_NONE:
  case IDS:
  case IDS_OR_NONE:
    return read_id(c, json, r->key, r->type == ID_OR_NONE || r->type == IDS_OR_NONE,
                   (int32_t *) (void *) place,
                   r->more ? (mt_id_list *) (void *) ((char *) c + r->more) : NULL, error);
  case ID_LIST:
    return read_ids(c, json, r->key, (mt_id_list *) (void *) place, error);
  case SIZE:
    return mt_json_get_size(json, r->key, (size_t) r->min, (size_t) r->max,
                            (size_t *) (void *) place, error);
  case NUMBER:
    return read_number((float *) (void *) place, json, r, error);
  case SWITCH:
    return mt_json_get_bool(json, r->key, (bool *) (void *) place, error);
  case OTHER:
    return r->read(c, json, r->key, error);
  case WITHOUT_EFFECT:
  case SAMPLING:
  case NOT_HONOURED:
    break;
  }
  return true;
}

/* ---- What is not done ------------------------------------------------------------------------ */

typedef struct {
  const mt_json *own; /* put aside by this; NULL: read */
  const char *of;     /* behind each name */
  bool has_others;
  char text[MAX_NAMED * (NAMED_SIZE + 20) + 40];
  size_t length, n;
} naming;

/* A key may be anything; letters, figures and signs of keys are told. */
static void
name_key(naming *w, const char *key)
{
  if (w->n++ >= MAX_NAMED)
    return;
  char clean[NAMED_SIZE + 1];
  size_t n = 0;
  for (; n < NAMED_SIZE && key[n]; n++) {
    bool is_plain = (key[n] >= 'a' && key[n] <= 'z') || (key[n] >= 'A' && key[n] <= 'Z') ||
                    (key[n] >= '0' && key[n] <= '9') || strchr("_-.", key[n]);
    clean[n] = is_plain ? key[n] : '?';
  }
  clean[n] = '\0';
  w->length += (size_t) snprintf(w->text + w->length, sizeof w->text - w->length, "%s%s%s",
                                 w->length ? ", " : "", clean, w->of);
}

static bool
is_neutral(const mt_json_value *value, double neutral)
{
  if (!value)
    return true;
  switch (mt_json_kind_of(value)) {
  case MT_JSON_NULL:
    return true;
  case MT_JSON_BOOL:
    return mt_json_bool(value) == (neutral == 1) && !isnan(neutral);
  case MT_JSON_INTEGER:
  case MT_JSON_NUMBER:
    return mt_json_number(value) == neutral;
  case MT_JSON_ARRAY:
  case MT_JSON_OBJECT:
    return mt_json_length(value) == 0;
  case MT_JSON_STRING:
    break;
  }
  return false;
}

static bool
visit_not_done(void *user, const char *key, const mt_json_value *value)
{
  naming *w = user;
  const row *r = find_row(key);
  if (!r && w->has_others)
    return true;
  if (!r || (r->type == NOT_HONOURED && !is_neutral(value, r->neutral)))
    name_key(w, key);
  return true;
}

/* Of a task: neither what the model is told by ids, nor what decides what its probabilities are. */
static bool
is_of_task(const row *r)
{
  const bool is_start = r->type == ID_OR_NONE || r->read == read_force_bos;
  return is_honoured(r) && !says_who_is_who(r) && !is_start && r->offset != OF(renormalize_logits);
}

static bool
visit_not_done_of_task(void *user, const char *key, const mt_json_value *value)
{
  naming *w = user;
  const row *r = find_row(key);
  bool is_empty = !value || mt_json_kind_of(value) == MT_JSON_NULL;
  if (strcmp(key, "prefix") != 0 && !is_empty &&
      (!r || (is_honoured(r) && !is_of_task(r)) ||
       (r->type == NOT_HONOURED && !is_neutral(value, r->neutral))))
    name_key(w, key);
  return true;
}

static bool
visit_put_aside(void *user, const char *key, const mt_json_value *value)
{
  naming *w = user;
  const row *r = find_row(key);
  if (r && is_honoured(r) && !says_who_is_who(r) && value &&
      mt_json_kind_of(value) != MT_JSON_NULL && !mt_json_get(w->own, key) &&
      !mt_json_has_null(w->own, key))
    name_key(w, key);
  return true;
}

/* Behind what is named already. */
static bool
keep_names(mt_config *c, const naming *w, mt_error *error)
{
  const char *former = c->generation.not_honoured;
  if (w->n == 0)
    return true;
  char text[2 * sizeof w->text];
  int n = snprintf(text, sizeof text, "%s%s%s", former ? former : "", former ? ", " : "", w->text);
  if (w->n > MAX_NAMED)
    snprintf(text + n, sizeof text - (size_t) n, " and %zu more", w->n - MAX_NAMED);
  char *all = mt_strdup(text);
  if (!all)
    return mt_fail_no_memory(error);
  mt_free((void *) former);
  c->generation.not_honoured = all;
  return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

bool
mt_generation_read(mt_config *config, const mt_json *json, mt_generation_part part, bool has_others,
                   mt_error *error)
{
  naming w = {.of = "", .has_others = has_others};
  for (size_t i = 0; i < N_ROWS; i++) {
    if ((part == MT_GENERATION_ALL || says_who_is_who(&rows[i])) &&
        !read_row(config, json, &rows[i], error))
      return false;
  }
  if (part != MT_GENERATION_ALL)
    return true;
  mt_json_each(json->root, visit_not_done, &w);
  return keep_names(config, &w, error);
}

bool
mt_generation_read_task(mt_config *config, const mt_json *json, mt_error *error)
{
  naming w = {.of = ""};
  for (size_t i = 0; i < N_ROWS; i++)
    if (is_of_task(&rows[i]) && !read_row(config, json, &rows[i], error))
      return false;
  mt_free((void *) config->generation.not_honoured);
  config->generation.not_honoured = NULL;
  mt_json_each(json->root, visit_not_done_of_task, &w);
  return keep_names(config, &w, error) && mt_generation_settle(config, json->label, error);
}

bool
mt_generation_name_put_aside(mt_config *config, const mt_json *of_model, const mt_json *own,
                             mt_error *error)
{
  naming w = {.own = own, .of = " of config.json"};
  mt_json_each(of_model->root, visit_put_aside, &w);
  return keep_names(config, &w, error);
}

static bool
is_end(const mt_config *c, int32_t id)
{
  bool is = id == c->eos_id;
  for (size_t i = 0; i < c->generation.more_eos_ids.n; i++)
    is |= id == c->generation.more_eos_ids.ids[i];
  return is;
}

/* Where probabilities are made anew: single words that are bad, but for an end, which cannot be
 * (NoBadWordsLogitsProcessor), and all that are suppressed. */
static bool
leave_out_never(mt_config *c, mt_error *error)
{
  const mt_id_list *suppressed = &c->generation.suppressed;
  size_t n = 0;
  int32_t *ids = mt_alloc(c->n_bad_words + suppressed->n + 1, sizeof *ids);
  if (!ids)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < c->n_bad_words; i++)
    if (c->bad_word_lengths[i] == 1 && !is_end(c, c->bad_words[i][0]))
      ids[n++] = c->bad_words[i][0];
  for (size_t i = 0; i < suppressed->n; i++)
    ids[n++] = suppressed->ids[i];
  mt_free((void *) c->generation.left_out.ids);
  c->generation.left_out = (mt_id_list){ids, n};
  c->generation.left_out_exist = true;
  return true;
}

bool
mt_generation_settle(mt_config *c, const char *label, mt_error *error)
{
  bool was_asked = c->generation.max_new_tokens == 0 && c->generation.min_new_tokens == 0;
  if (c->max_length == 0 || c->max_length > c->max_positions)
    c->max_length = c->max_positions;
  if (c->min_length > c->max_length) {
    if (was_asked)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected min_length of at most max_length %zu, found %zu.", label,
                     c->max_length, c->min_length);
    c->min_length = c->max_length;
  }
  return !c->generation.renormalize_logits || leave_out_never(c, error);
}

bool
mt_generation_leave_out_pad(mt_config *c, mt_error *error)
{
  int32_t *word = mt_alloc(1, sizeof *word), *left_out = mt_alloc(1, sizeof *left_out);
  if (!word || !left_out || !make_bad_words(c, 1, error)) {
    mt_free(word);
    mt_free(left_out);
    return mt_fail_no_memory(error);
  }
  *word = *left_out = c->pad_id;
  add_bad_word(c, (mt_id_list){word, 1});
  c->generation.left_out = (mt_id_list){left_out, 1};
  return true;
}

void
mt_generation_clear(mt_config *config)
{
  mt_generation *g = &config->generation;
  clear_bad_words(config);
  clear_biases(config);
  const mt_id_list lists[] = {g->more_eos_ids, g->more_forced_eos_ids, g->suppressed,
                              g->begin_suppressed, g->left_out};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    mt_free((void *) lists[i].ids);
  mt_free((void *) g->forced_ids);
  mt_free((void *) g->not_honoured);
  *g = (mt_generation){0};
}
