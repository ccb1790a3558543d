/* mt-generation.c — how a model asks to be searched: a row for every key of generation_config.json.
 *
 * The keys are those of GenerationConfig in Hugging Face transformers 4.30 to 5.24, and what each
 * does is what `generate` does with it for a translation. A key is honoured; or it cannot change
 * which translation is found; or it asks for what is not done here, and is named: nothing is passed
 * over in silence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-generation.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-config.h"
#include "model/mt-generation-read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    {"force_bos_token_to_be_generated", OTHER, .read = mt_generation_read_force_bos},
    {"forced_bos_token_id", ID_OR_NONE, .offset = AT(forced_bos_id)},
    {"forced_eos_token_id", IDS_OR_NONE, .offset = AT(forced_eos_id),
     .more = OF(more_forced_eos_ids)},
    {"forced_decoder_ids", OTHER, .read = mt_generation_read_forced_ids},
    {"num_beams", SIZE, .offset = AT(num_beams), .min = 1, .max = MT_CONFIG_MAX_BEAMS},
    {"max_length", SIZE, .offset = AT(max_length), .min = 1, .max = MT_CONFIG_MAX_POSITIONS},
    {"min_length", SIZE, .offset = AT(min_length), .max = MT_CONFIG_MAX_POSITIONS},
    {"max_new_tokens", OTHER, .read = mt_generation_read_max_new},
    {"min_new_tokens", OTHER, .read = mt_generation_read_min_new},
    {"length_penalty", NUMBER, .offset = AT(length_penalty), .min = -1000, .max = 1000},
    {"early_stopping", OTHER, .read = mt_generation_read_early_stopping},
    {"sequence_bias", OTHER, .read = mt_generation_read_biases},
    {"encoder_repetition_penalty", NUMBER, .offset = OF(encoder_repetition_penalty), .min = 1e-3,
     .max = MAX_PENALTY},
    {"repetition_penalty", NUMBER, .offset = OF(repetition_penalty), .min = 1e-3,
     .max = MAX_PENALTY},
    {"no_repeat_ngram_size", SIZE, .offset = OF(no_repeat_ngram_size),
     .max = MT_CONFIG_MAX_POSITIONS},
    {"encoder_no_repeat_ngram_size", SIZE, .offset = OF(encoder_no_repeat_ngram_size),
     .max = MT_CONFIG_MAX_POSITIONS},
    {"bad_words_ids", OTHER, .read = mt_generation_read_bad_words},
    {"exponential_decay_length_penalty", OTHER, .read = mt_generation_read_decay},
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
    return mt_generation_read_id(c, json, r->key, r->type == ID_OR_NONE || r->type == IDS_OR_NONE,
                                 (int32_t *) (void *) place,
                                 r->more ? (mt_id_list *) (void *) ((char *) c + r->more) : NULL,
                                 error);
  case ID_LIST:
    return mt_generation_read_ids(c, json, r->key, (mt_id_list *) (void *) place, error);
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

static bool
visit_put_aside(void *user, const char *key, const mt_json_value *value)
{
  naming *w = user;
  const row *r = find_row(key);
  bool is_id = r && (r->type == ID || r->type == IDS || strcmp(key, "bos_token_id") == 0);
  if (r && is_honoured(r) && !is_id && value && mt_json_kind_of(value) != MT_JSON_NULL &&
      !mt_json_get(w->own, key) && !mt_json_has_null(w->own, key))
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
    bool is_id = rows[i].type == ID || rows[i].type == IDS || rows[i].type == ID_OR_NONE;
    if ((part == MT_GENERATION_ALL || is_id) && !read_row(config, json, &rows[i], error))
      return false;
  }
  if (part != MT_GENERATION_ALL)
    return true;
  mt_json_each(mt_json_root(json), visit_not_done, &w);
  return keep_names(config, &w, error);
}

bool
mt_generation_name_put_aside(mt_config *config, const mt_json *of_model, const mt_json *own,
                             mt_error *error)
{
  naming w = {.own = own, .of = " of config.json"};
  mt_json_each(mt_json_root(of_model), visit_put_aside, &w);
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
  if (!word || !left_out || !mt_generation_make_bad_words(c, 1, error)) {
    mt_free(word);
    mt_free(left_out);
    return mt_fail_no_memory(error);
  }
  *word = *left_out = c->pad_id;
  mt_generation_add_bad_word(c, (mt_id_list){word, 1});
  c->generation.left_out = (mt_id_list){left_out, 1};
  return true;
}

void
mt_generation_clear(mt_config *config)
{
  mt_generation *g = &config->generation;
  mt_generation_clear_bad_words(config);
  mt_generation_clear_biases(config);
  const mt_id_list lists[] = {g->more_eos_ids, g->more_forced_eos_ids, g->suppressed,
                              g->begin_suppressed, g->left_out};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    mt_free((void *) lists[i].ids);
  mt_free((void *) g->forced_ids);
  mt_free((void *) g->not_honoured);
  *g = (mt_generation){0};
}
