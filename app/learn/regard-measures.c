/* regard-measures.c — what a lesson can measure in a model, by name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-measures.h"

#include "figures/regard-language.h"
#include "figures/regard-made-up.h"
#include "figures/regard-matrix-attention.h"
#include "figures/regard-naming.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* ---- Values ---------------------------------------------------------------------------------- */

void
regard_value_clear(RegardValue *value)
{
  g_clear_pointer(&value->text, g_free);
}

char *
regard_value_say(const RegardValue *value)
{
  if (value->text)
    return g_strdup(value->text);
  if (isnan(value->number))
    return g_strdup("–"); /* of a number that there is not, or not yet */
  const double size = fabs(value->number), whole = round(size);
  const char *sign = value->number < 0 ? "−" : "";
  if (fabs(size - whole) < 1e-9 && whole < 1e9)
    return g_strdup_printf("%s%.0f", whole > 0 ? sign : "", whole);
  /* What is left of a difference by rounding is no number that anybody should learn. */
  return size < 0.0005 ? regard_strdup_printf("%.3f", 0.0)
                       : regard_strdup_printf("%s%.3g", sign, size);
}

gboolean
regard_value_equal(const RegardValue *a, const RegardValue *b)
{
  if (a->text || b->text)
    return a->text && b->text && strcmp(a->text, b->text) == 0;
  return fabs(a->number - b->number) <= 1e-5 * fmax(1, fmax(fabs(a->number), fabs(b->number)));
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* More are not kept; a capture of a long sentence has some megabytes. */
#define MOST_RUNS 64

/* Of a vector that stands in the text of a lesson. */
#define MOST_NUMBERS 8

/* One translation, and what was looked at of it so far. */
typedef struct {
  mt_translation *translation;
  mt_capture *capture;
  mt_trace *trace;
  mt_ablation *effects;
} Run;

struct _RegardRuns {
  mt_session *session;
  mt_model *model;
  mt_search_params params;
  GHashTable *runs; /* of char * to Run * */
};

static void
run_free(gpointer data)
{
  Run *run = data;
  mt_translation_unref(run->translation);
  mt_capture_unref(run->capture);
  mt_trace_unref(run->trace);
  mt_ablation_unref(run->effects);
  g_free(run);
}

RegardRuns *
regard_runs_new(mt_session *session, const mt_search_params *params)
{
  RegardRuns *self = g_new0(RegardRuns, 1);
  self->session = session;
  self->model = mt_session_model(session);
  self->params = params ? *params : mt_search_params_default(self->model);
  self->runs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, run_free);
  return self;
}

void
regard_runs_free(RegardRuns *self)
{
  if (!self)
    return;
  g_hash_table_unref(self->runs);
  g_free(self);
}

void
regard_runs_forget(RegardRuns *self)
{
  g_hash_table_remove_all(self->runs);
}

mt_model *
regard_runs_get_model(RegardRuns *self)
{
  return self->model;
}

static mt_hooks
hooks_of(const RegardSituation *s)
{
  mt_hooks hooks = {.interventions = s->interventions};
  if (s->hooks) {
    hooks.should_stop = s->hooks->should_stop;
    hooks.user = s->hooks->user;
  }
  return hooks;
}

/* Its pieces backwards; what stands at the end without text stays there. */
static mt_translation *
translate_reversed(const RegardSituation *s, const mt_hooks *hooks, mt_error *error)
{
  const mt_search_params *params = &s->runs->params;
  g_autoptr(mt_tokens) source =
      mt_model_tokenize_between(s->runs->model, s->text, params->source_language, params->language,
                                error);
  if (!source)
    return NULL;
  const gsize n = mt_tokens_count(source);
  gsize first = 0, end = n;
  while (first < n && mt_tokens_get(source, first)->is_special)
    first++;
  while (end > first && mt_tokens_get(source, end - 1)->is_special)
    end--;
  g_autofree gsize *order = g_new(gsize, n + 1);
  for (gsize i = 0; i < n; i++)
    order[i] = i < first || i >= end ? i : first + end - 1 - i;
  return mt_permutation_translate(s->runs->model, source, order, hooks, error);
}

/* beam 0: as the model, or its params, have it. */
static Run *
get_run(const RegardSituation *s, gsize beam, mt_error *error)
{
  g_autofree char *key = g_strdup_printf("%zu %d %s\n%s", beam, s->is_reversed,
                                         mt_interventions_text(s->interventions), s->text);
  Run *run = g_hash_table_lookup(s->runs->runs, key);
  if (run)
    return run;
  const mt_hooks hooks = hooks_of(s);
  mt_search_params params = s->runs->params;
  if (beam > 0)
    params.beam_size = beam;
  mt_translation *translation =
      s->is_reversed ? translate_reversed(s, &hooks, error)
                     : mt_session_translate(s->runs->session, s->text, &params, &hooks, error);
  if (!translation)
    return NULL;
  run = g_new0(Run, 1);
  run->translation = translation;
  g_hash_table_insert(s->runs->runs, g_steal_pointer(&key), run);
  return run;
}

static const mt_hypothesis *
hypothesis_of(const Run *run)
{
  return mt_translation_hypothesis(run->translation, 0);
}

static const mt_capture *
get_capture(const RegardSituation *s, mt_error *error)
{
  Run *run = get_run(s, 0, error);
  if (run && !run->capture) {
    const mt_hooks hooks = hooks_of(s);
    run->capture =
        mt_session_capture(s->runs->session, run->translation, 0, MT_CAPTURE_SCORES, &hooks, error);
  }
  return run ? run->capture : NULL;
}

static const mt_trace *
get_trace(const RegardSituation *s, mt_error *error)
{
  static const mt_hook_point vectors[] = {MT_HOOK_QUERY, MT_HOOK_KEY, MT_HOOK_VALUE,
                                          MT_HOOK_CONTEXT};
  Run *run = get_run(s, 0, error);
  if (!run || run->trace)
    return run ? run->trace : NULL;
  mt_activation_requests requests = {0};
  mt_activation_requests_add_stream(&requests);
  for (guint i = 0; i < G_N_ELEMENTS(vectors); i++)
    requests.requests[requests.n++] =
        (mt_activation_request){vectors[i], MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
  mt_hooks hooks = hooks_of(s);
  hooks.requests = &requests;
  run->trace = mt_session_trace(s->runs->session, run->translation, 0, &hooks, error);
  return run->trace;
}

static const mt_ablation *
get_effects(const RegardSituation *s, mt_error *error)
{
  Run *run = get_run(s, 0, error);
  if (run && !run->effects) {
    const mt_hooks hooks = hooks_of(s);
    run->effects = mt_ablation_new(s->runs->session, run->translation, 0, NULL, &hooks, error);
  }
  return run ? run->effects : NULL;
}

/* The same sentence in the model as it is. */
static RegardSituation
unchanged(const RegardSituation *s)
{
  RegardSituation there = *s;
  there.interventions = NULL;
  return there;
}

/* log p of a translation, with these changes. */
static gboolean
measure_logp(const RegardSituation *s, const mt_translation *translation,
             const mt_interventions *interventions, double *logp, mt_error *error)
{
  mt_hooks hooks = hooks_of(s);
  hooks.interventions = interventions;
  g_autoptr(mt_capture) capture =
      mt_session_capture(s->runs->session, translation, 0, 0, &hooks, error);
  if (!capture)
    return FALSE;
  const float *logprobs = mt_capture_logprobs(capture);
  *logp = 0;
  for (gsize t = 0; t < mt_tokens_count(mt_capture_output(capture)); t++)
    *logp += (double) logprobs[t];
  return TRUE;
}

/* ---- Tokens and heads ------------------------------------------------------------------------ */

/* The number, from 0, of a token of a list; FALSE: it is not there. */
static gboolean
find_token(const mt_tokens *tokens, const RegardValue *wanted, gsize *found)
{
  const double number = wanted->text ? 0 : wanted->number;
  return regard_naming_find_token(tokens, number >= 1 && number <= G_MAXINT ? (guint) number : 0,
                                  wanted->text, found);
}

/* Rows of the decoder go by what comes out of them. */
static const mt_tokens *
rows_of(const mt_capture *capture, mt_attention_kind kind)
{
  return kind == MT_ENCODER_SELF ? mt_capture_source(capture) : mt_capture_output(capture);
}

/* The mean over the rows of the largest weight. */
static double
sharpness_of(const mt_capture *capture, mt_attention_kind kind, gsize layer, gsize head)
{
  const mt_matrix weights = mt_capture_weights(capture, kind, layer, head);
  double sum = 0;
  for (gsize r = 0; r < weights.rows; r++) {
    float largest = 0;
    for (gsize c = 0; c < weights.cols; c++)
      largest = fmaxf(largest, weights.data[r * weights.cols + c]);
    sum += (double) largest;
  }
  return weights.rows ? sum / (double) weights.rows : 0;
}

/* Calls func for each head of a kind; of one of all, where all is said. */
typedef void (*HeadFunc)(const mt_capture *capture, mt_attention_kind kind, gsize layer, gsize head,
                         gpointer user);
static void
foreach_head(const mt_capture *capture, mt_attention_kind kind, HeadFunc func, gpointer user)
{
  for (gsize l = 0; l < mt_capture_n_layers(capture, kind); l++)
    for (gsize h = 0; h < mt_capture_n_heads(capture, kind); h++)
      func(capture, kind, l, h, user);
}

typedef struct {
  double most;
  RegardArgument *head;
} Sharpest;

static void
compare_sharpness(const mt_capture *capture, mt_attention_kind kind, gsize layer, gsize head,
                  gpointer user)
{
  Sharpest *sharpest = user;
  const double here = sharpness_of(capture, kind, layer, head);
  if (here <= sharpest->most)
    return;
  sharpest->most = here;
  sharpest->head->kind = kind;
  sharpest->head->layer = (guint) layer;
  sharpest->head->head = (guint) head;
}

/* "sharpest" becomes a head, and any other is one of the model's. */
static gboolean
resolve_head(const RegardSituation *s, RegardArgument *argument, mt_error *error)
{
  if (argument->layer == G_MAXUINT) {
    const mt_capture *capture = get_capture(s, error);
    Sharpest sharpest = {-1, argument};
    for (guint kind = 0; capture && kind < MT_N_KINDS; kind++)
      foreach_head(capture, (mt_attention_kind) kind, compare_sharpness, &sharpest);
    return capture != NULL;
  }
  const mt_config *config = mt_model_config(s->runs->model);
  const mt_stack stack = regard_naming_rows(argument->kind);
  if (argument->layer < config->n_layers[stack] && argument->head < config->n_heads[stack])
    return TRUE;
  g_autofree char *name = regard_naming_head(argument->kind, argument->layer, argument->head);
  error->code = MT_ERROR_INPUT;
  g_snprintf(error->message, sizeof error->message,
             "The model %s has no head %s: it has %zu layers of %zu heads.",
             mt_model_name(s->runs->model), name, config->n_layers[stack], config->n_heads[stack]);
  return FALSE;
}

/* ---- Measures of texts ----------------------------------------------------------------------- */

typedef gboolean (*TakeMeasure)(const RegardSituation *s, const RegardArgument *arguments,
                                RegardValue *value, mt_error *error);
#define MEASURE(name)                                                                    \
  static gboolean take_##name(const RegardSituation *s, const RegardArgument *arguments, \
                              RegardValue *value, mt_error *error)

MEASURE(translation)
{
  const Run *run = get_run(s, 0, error);
  if (run)
    value->text = g_strdup(hypothesis_of(run)->text);
  return run != NULL;
}

MEASURE(beam_translation)
{
  const Run *run = get_run(s, (gsize) arguments[0].value.number, error);
  if (run)
    value->text = g_strdup(hypothesis_of(run)->text);
  return run != NULL;
}

MEASURE(source)
{
  value->text = g_strdup(s->text);
  return TRUE;
}

MEASURE(changes)
{
  value->text = g_strdup(mt_interventions_text(s->interventions));
  return TRUE;
}

/* Words of a text without the signs around them. Caller frees. */
static GStrv
words_of(const char *text)
{
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  while (*text) {
    const char *begin = text;
    while (*text && (g_unichar_isalnum(g_utf8_get_char(text)) || *text == '\'' || *text == '-' ||
                     g_str_has_prefix(text, "’")))
      text = g_utf8_next_char(text);
    if (text > begin) {
      g_autofree char *word = g_strndup(begin, (gsize) (text - begin));
      g_strv_builder_add(words, word);
    } else
      text = g_utf8_next_char(text);
  }
  return g_strv_builder_end(words);
}

/* The same in small letters, to be compared. */
static GStrv
small_words_of(const char *text)
{
  g_autofree char *small = g_utf8_strdown(text, -1);
  return words_of(small);
}

MEASURE(longest_word)
{
  g_auto(GStrv) words = words_of(s->text);
  glong most = 0;
  value->text = g_strdup("");
  for (guint i = 0; words[i]; i++)
    if (g_utf8_strlen(words[i], -1) > most) {
      most = g_utf8_strlen(words[i], -1);
      g_free(value->text);
      value->text = g_strdup(words[i]);
    }
  return TRUE;
}

/* What each key gets over all heads and rows of a kind; [*n], for g_free. NULL: *error. */
static double *
receive(const RegardSituation *s, mt_attention_kind kind, gsize *n, mt_error *error)
{
  const mt_capture *capture = get_capture(s, error);
  if (!capture)
    return NULL;
  return regard_received(capture, kind, n);
}

static gsize
largest_of(const double *values, gsize n)
{
  gsize largest = 0;
  for (gsize i = 1; i < n; i++)
    if (values[i] > values[largest])
      largest = i;
  return largest;
}

MEASURE(received)
{
  gsize n;
  g_autofree double *sums = receive(s, arguments[0].kind, &n, error);
  if (!sums)
    return FALSE;
  const mt_capture *capture = get_capture(s, error);
  value->text =
      g_strdup(n ? regard_naming_token(mt_tokens_get(mt_capture_columns(capture, arguments[0].kind),
                                                     largest_of(sums, n)))
                 : "");
  return TRUE;
}

MEASURE(received_share)
{
  gsize n, token;
  g_autofree double *sums = receive(s, arguments[0].kind, &n, error);
  if (!sums)
    return FALSE;
  const mt_capture *capture = get_capture(s, error);
  double all = 0;
  for (gsize i = 0; i < n; i++)
    all += sums[i];
  if (all > 0 &&
      find_token(mt_capture_columns(capture, arguments[0].kind), &arguments[1].value, &token))
    value->number = sums[token] / all;
  return TRUE;
}

MEASURE(top_key)
{
  const mt_capture *capture = get_capture(s, error);
  gsize row;
  if (!capture)
    return FALSE;
  const RegardArgument *head = &arguments[0];
  value->text = g_strdup("");
  if (!find_token(rows_of(capture, head->kind), &arguments[1].value, &row))
    return TRUE;
  const mt_matrix weights = mt_capture_weights(capture, head->kind, head->layer, head->head);
  gsize top = 0;
  for (gsize c = 1; c < weights.cols; c++)
    if (weights.data[row * weights.cols + c] > weights.data[row * weights.cols + top])
      top = c;
  g_free(value->text);
  value->text =
      g_strdup(regard_naming_token(mt_tokens_get(mt_capture_columns(capture, head->kind), top)));
  return TRUE;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

MEASURE(tokens)
{
  const Run *run = get_run(s, 0, error);
  if (run)
    value->number = (double) mt_tokens_count(mt_translation_source(run->translation));
  return run != NULL;
}

MEASURE(output_tokens)
{
  const Run *run = get_run(s, 0, error);
  if (run)
    value->number = (double) mt_tokens_count(hypothesis_of(run)->tokens);
  return run != NULL;
}

MEASURE(words)
{
  g_auto(GStrv) words = words_of(s->text);
  value->number = (double) g_strv_length(words);
  return TRUE;
}

/* Words of the unchanged translation that this one does not have, each as often as it is missing.
 */
MEASURE(missing_words)
{
  const RegardSituation without = unchanged(s);
  const Run *before = get_run(&without, 0, error), *after = before ? get_run(s, 0, error) : NULL;
  if (!after)
    return FALSE;
  g_auto(GStrv) words = small_words_of(hypothesis_of(before)->text);
  g_auto(GStrv) left = small_words_of(hypothesis_of(after)->text);
  guint missing = 0;
  for (guint i = 0; words[i]; i++) {
    guint k = 0;
    while (left[k] && strcmp(left[k], words[i]) != 0)
      k++;
    missing += left[k] == NULL;
    if (left[k])
      *left[k] = '\0'; /* each counts once */
  }
  value->number = missing;
  return TRUE;
}

MEASURE(cells)
{
  const mt_capture *capture = get_capture(s, error);
  if (!capture)
    return FALSE;
  value->number = (double) mt_tokens_count(mt_capture_rows(capture, arguments[0].kind)) *
                  (double) mt_tokens_count(mt_capture_columns(capture, arguments[0].kind));
  return TRUE;
}

MEASURE(masked_cells)
{
  const mt_capture *capture = get_capture(s, error);
  if (!capture)
    return FALSE;
  const gsize n = mt_tokens_count(mt_capture_output(capture));
  value->number = 0;
  for (gsize r = 0; r < n; r++)
    for (gsize c = 0; c < n; c++)
      value->number += mt_capture_is_masked(capture, MT_DECODER_SELF, 0, 0, r, c);
  return TRUE;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* The cell of a head, its row and its column. */
static gboolean
find_cell(const mt_capture *capture, const RegardArgument *arguments, gsize *row, gsize *col)
{
  const mt_attention_kind kind = arguments[0].kind;
  return find_token(rows_of(capture, kind), &arguments[1].value, row) &&
         find_token(mt_capture_columns(capture, kind), &arguments[2].value, col);
}

static mt_matrix
weights_of(const mt_capture *capture, const RegardArgument *head)
{
  return mt_capture_weights(capture, head->kind, head->layer, head->head);
}

static mt_head_metrics
metrics_of(const mt_capture *capture, const RegardArgument *head)
{
  return mt_head_metrics_compute(capture, head->kind, head->layer, head->head);
}

MEASURE(weight)
{
  const mt_capture *capture = get_capture(s, error);
  gsize row, col;
  if (!capture)
    return FALSE;
  if (find_cell(capture, arguments, &row, &col)) {
    const mt_matrix weights = weights_of(capture, &arguments[0]);
    value->number = (double) weights.data[row * weights.cols + col];
  }
  return TRUE;
}

MEASURE(chosen_weight)
{
  const mt_capture *capture = s->has_cell ? get_capture(s, error) : NULL;
  if (!capture)
    return !s->has_cell;
  if (s->layer < mt_capture_n_layers(capture, s->kind) &&
      s->head < mt_capture_n_heads(capture, s->kind)) {
    const mt_matrix weights = mt_capture_weights(capture, s->kind, s->layer, s->head);
    if (s->row < weights.rows && s->column < weights.cols)
      value->number = (double) weights.data[s->row * weights.cols + s->column];
  }
  return TRUE;
}

MEASURE(chosen_key)
{
  const mt_capture *capture = s->has_cell ? get_capture(s, error) : NULL;
  if (!capture)
    return !s->has_cell;
  const mt_tokens *keys = mt_capture_columns(capture, s->kind);
  if (s->column < mt_tokens_count(keys))
    value->text = g_strdup(regard_naming_token(mt_tokens_get(keys, s->column)));
  return TRUE;
}

MEASURE(chosen_query)
{
  const mt_capture *capture = s->has_cell ? get_capture(s, error) : NULL;
  if (!capture)
    return !s->has_cell;
  const mt_tokens *queries =
      s->kind == MT_ENCODER_SELF ? mt_capture_source(capture) : mt_capture_output(capture);
  if (s->row < mt_tokens_count(queries))
    value->text = g_strdup(regard_naming_token(mt_tokens_get(queries, s->row)));
  return TRUE;
}

MEASURE(chosen_kind)
{
  value->text = g_strdup(s->has_cell ? regard_kind_id(s->kind) : "");
  return TRUE;
}

MEASURE(score)
{
  const mt_capture *capture = get_capture(s, error);
  const RegardArgument *head = &arguments[0];
  gsize row, col;
  if (!capture)
    return FALSE;
  if (find_cell(capture, arguments, &row, &col)) {
    const float score = mt_capture_score_at(capture, head->kind, head->layer, head->head, row, col);
    if (isfinite(score))
      value->number = (double) score;
  }
  return TRUE;
}

/* n numbers, each `stride` behind the one before. */
static double
sum_of(const float *numbers, gsize n, gsize stride)
{
  double sum = 0;
  for (gsize i = 0; i < n; i++)
    sum += (double) numbers[i * stride];
  return sum;
}

MEASURE(row_sum)
{
  const mt_capture *capture = get_capture(s, error);
  gsize row;
  if (!capture)
    return FALSE;
  if (find_token(rows_of(capture, arguments[0].kind), &arguments[1].value, &row)) {
    const mt_matrix weights = weights_of(capture, &arguments[0]);
    value->number = sum_of(weights.data + row * weights.cols, weights.cols, 1);
  }
  return TRUE;
}

MEASURE(column_sum)
{
  const mt_capture *capture = get_capture(s, error);
  gsize col;
  if (!capture)
    return FALSE;
  if (find_token(mt_capture_columns(capture, arguments[0].kind), &arguments[1].value, &col)) {
    const mt_matrix weights = weights_of(capture, &arguments[0]);
    value->number = sum_of(weights.data + col, weights.rows, weights.cols);
  }
  return TRUE;
}

/* A vector that a head has for a token: of its rows a query and what it found, of its columns a key
 * and a value. NULL: there is none. Borrowed. FALSE: it could not be had. */
static gboolean
find_vector(const RegardSituation *s, const RegardArgument *arguments, mt_hook_point hook,
            const float **vector, gsize *n, mt_error *error)
{
  const mt_capture *capture = get_capture(s, error);
  const mt_trace *trace = capture ? get_trace(s, error) : NULL;
  const RegardArgument *head = &arguments[0];
  const gboolean is_of_row = hook == MT_HOOK_QUERY || hook == MT_HOOK_CONTEXT;
  gsize token;
  *vector = NULL;
  if (!trace)
    return FALSE;
  const mt_tokens *tokens =
      is_of_row ? rows_of(capture, head->kind) : mt_capture_columns(capture, head->kind);
  const mt_matrix vectors =
      mt_trace_get(trace, hook, head->kind, (int) head->layer, (int) head->head);
  if (vectors.data && find_token(tokens, &arguments[1].value, &token) && token < vectors.rows) {
    *vector = vectors.data + token * vectors.cols;
    *n = vectors.cols;
  }
  return TRUE;
}

static gboolean
take_number(const RegardSituation *s, const RegardArgument *arguments, mt_hook_point hook,
            RegardValue *value, mt_error *error)
{
  const double number = arguments[2].value.number;
  const float *vector;
  gsize n;
  if (!find_vector(s, arguments, hook, &vector, &n, error))
    return FALSE;
  if (vector && number >= 1 && number <= (double) n)
    value->number = (double) vector[(gsize) number - 1];
  return TRUE;
}

/* As many as somebody may compute with, each as a number of a lesson is written. */
static gboolean
take_numbers(const RegardSituation *s, const RegardArgument *arguments, mt_hook_point hook,
             RegardValue *value, mt_error *error)
{
  const float *vector;
  gsize n;
  if (!find_vector(s, arguments, hook, &vector, &n, error))
    return FALSE;
  GString *text = g_string_new(NULL);
  for (gsize i = 0; vector && i < MIN(n, MOST_NUMBERS); i++) {
    const RegardValue number = {.number = (double) vector[i]};
    g_autofree char *said = regard_value_say(&number);
    g_string_append_printf(text, "%s%s", i ? "; " : "", said);
  }
  value->text = g_string_free(text, FALSE);
  return TRUE;
}

MEASURE(query)
{
  return take_numbers(s, arguments, MT_HOOK_QUERY, value, error);
}

MEASURE(key)
{
  return take_numbers(s, arguments, MT_HOOK_KEY, value, error);
}

MEASURE(value)
{
  return take_number(s, arguments, MT_HOOK_VALUE, value, error);
}

MEASURE(context)
{
  return take_number(s, arguments, MT_HOOK_CONTEXT, value, error);
}

MEASURE(entropy)
{
  const mt_capture *capture = get_capture(s, error);
  if (capture)
    value->number = metrics_of(capture, &arguments[0]).mean_entropy;
  return capture != NULL;
}

MEASURE(next_share)
{
  const mt_capture *capture = get_capture(s, error);
  if (capture)
    value->number = metrics_of(capture, &arguments[0]).next_share;
  return capture != NULL;
}

typedef struct {
  double sum;
  gsize n;
} Mean;

static void
add_sharpness(const mt_capture *capture, mt_attention_kind kind, gsize layer, gsize head,
              gpointer user)
{
  Mean *mean = user;
  mean->sum += sharpness_of(capture, kind, layer, head);
  mean->n++;
}

MEASURE(sharpness)
{
  const mt_capture *capture = get_capture(s, error);
  Mean mean = {0};
  if (!capture)
    return FALSE;
  foreach_head(capture, arguments[0].kind, add_sharpness, &mean);
  if (mean.n)
    value->number = mean.sum / (double) mean.n;
  return TRUE;
}

/* Of a row of weights w, the derivatives of the softmax by its own scores are w (1 - w): their sum,
 * 1 - sum w², says how much a row can still learn, and is 0 where one key has all the weight. */
static void
add_gradient(const mt_capture *capture, mt_attention_kind kind, gsize layer, gsize head,
             gpointer user)
{
  Mean *mean = user;
  const mt_matrix weights = mt_capture_weights(capture, kind, layer, head);
  for (gsize r = 0; r < weights.rows; r++) {
    double squares = 0;
    for (gsize c = 0; c < weights.cols; c++) {
      const double w = (double) weights.data[r * weights.cols + c];
      squares += w * w;
    }
    mean->sum += 1 - squares;
    mean->n++;
  }
}

MEASURE(gradient)
{
  const mt_capture *capture = get_capture(s, error);
  Mean mean = {0};
  if (!capture)
    return FALSE;
  foreach_head(capture, arguments[0].kind, add_gradient, &mean);
  if (mean.n)
    value->number = mean.sum / (double) mean.n;
  return TRUE;
}

/* ---- Probabilities --------------------------------------------------------------------------- */

MEASURE(logp)
{
  const Run *run = get_run(s, 0, error);
  if (run)
    value->number = (double) hypothesis_of(run)->sum_logprob;
  return run != NULL;
}

MEASURE(beam_logp)
{
  const Run *run = get_run(s, (gsize) arguments[0].value.number, error);
  if (run)
    value->number = (double) hypothesis_of(run)->sum_logprob;
  return run != NULL;
}

MEASURE(beam_score)
{
  const Run *run = get_run(s, (gsize) arguments[0].value.number, error);
  if (run)
    value->number = (double) hypothesis_of(run)->score;
  return run != NULL;
}

/* Of a word of the translation: the end is no word. */
static double
extreme_p(const Run *run, gboolean is_largest)
{
  const mt_hypothesis *hypothesis = hypothesis_of(run);
  double extreme = (double) NAN;
  for (gsize t = 0; t < mt_tokens_count(hypothesis->tokens); t++) {
    const double p = exp((double) hypothesis->logprobs[t]);
    if (!mt_tokens_get(hypothesis->tokens, t)->is_special &&
        (isnan(extreme) || (is_largest ? p > extreme : p < extreme)))
      extreme = p;
  }
  return extreme;
}

MEASURE(largest_p)
{
  const Run *run = get_run(s, 0, error);
  if (run)
    value->number = extreme_p(run, TRUE);
  return run != NULL;
}

MEASURE(least_p)
{
  const Run *run = get_run(s, 0, error);
  if (run)
    value->number = extreme_p(run, FALSE);
  return run != NULL;
}

/* What the unchanged translation loses by the changes. */
MEASURE(fall)
{
  const RegardSituation without = unchanged(s);
  const Run *before = get_run(&without, 0, error);
  double logp, changed;
  if (!before || !measure_logp(s, before->translation, NULL, &logp, error) ||
      !measure_logp(s, before->translation, s->interventions, &changed, error))
    return FALSE;
  value->number = logp - changed;
  return TRUE;
}

MEASURE(effect)
{
  const mt_ablation *effects = get_effects(s, error);
  const RegardArgument *head = &arguments[0];
  if (effects)
    value->number = mt_ablation_get(effects, head->kind, head->layer, head->head);
  return effects != NULL;
}

MEASURE(effect_rank)
{
  const mt_ablation *effects = get_effects(s, error);
  const RegardArgument *head = &arguments[0];
  if (!effects)
    return FALSE;
  const double own = mt_ablation_get(effects, head->kind, head->layer, head->head);
  value->number = 1;
  for (guint kind = 0; kind < MT_N_KINDS; kind++)
    for (gsize l = 0; l < effects->n_layers[kind]; l++)
      for (gsize h = 0; h < effects->n_heads[kind]; h++)
        value->number += mt_ablation_get(effects, (mt_attention_kind) kind, l, h) > own;
  return TRUE;
}

/* ---- Order and layers ------------------------------------------------------------------------ */

MEASURE(order_difference)
{
  const Run *run = get_run(s, 0, error);
  if (!run)
    return FALSE;
  const mt_tokens *source = mt_translation_source(run->translation);
  const gsize n = mt_tokens_count(source);
  g_autofree gsize *order = g_new(gsize, n + 1);
  /* The end stays where it is, as on the card of the window. */
  for (gsize i = 0; i < n; i++)
    order[i] = i + 1 < n ? n - 2 - i : i;
  const mt_hooks hooks = hooks_of(s);
  mt_permutation_difference difference;
  if (!mt_permutation_compare(s->runs->model, source, order, &hooks, &difference, error))
    return FALSE;
  value->number = difference.difference;
  return TRUE;
}

/* The mean cosine between tokens behind a layer of the encoder, from 0. NaN: there is no layer. */
static double
cosine_behind(const RegardSituation *s, const mt_trace *trace, gsize layer)
{
  const mt_config *config = mt_model_config(s->runs->model);
  const mt_point point = {MT_STACK_ENCODER, (int) layer, MT_SUB_LAYER_FEED_FORWARD};
  return layer < config->n_layers[MT_STACK_ENCODER] ? mt_stream_collapse(trace, point)
                                                    : (double) NAN;
}

MEASURE(cosine)
{
  const mt_trace *trace = get_trace(s, error);
  const double layer = arguments[0].value.number;
  if (trace && layer >= 1 && layer < 1e4)
    value->number = cosine_behind(s, trace, (gsize) layer - 1);
  return trace != NULL;
}

/* The first layer of the decoder, from 1, behind which the lens says the piece of an output token
 * that the last one says. */
MEASURE(lens_first)
{
  const mt_trace *trace = get_trace(s, error);
  const mt_config *config = mt_model_config(s->runs->model);
  gsize token;
  if (!trace)
    return FALSE;
  if (!find_token(mt_trace_output(trace), &arguments[0].value, &token))
    return TRUE;
  const mt_hooks hooks = hooks_of(s);
  mt_lens *lens =
      mt_lens_new(s->runs->model, trace, MT_STACK_DECODER, hooks.should_stop, hooks.user, error);
  for (gsize l = config->n_layers[MT_STACK_DECODER]; lens && l > 0; l--) {
    const mt_point point = {MT_STACK_DECODER, (int) l - 1, MT_SUB_LAYER_FEED_FORWARD};
    const mt_lens_cell *cell = mt_lens_get(lens, mt_point_number(config, point), token);
    if (cell->best == cell->final)
      value->number = (double) l;
  }
  mt_lens_free(lens);
  return lens != NULL;
}

/* ---- Another way ----------------------------------------------------------------------------- */

/* The output token that is least sure, and the likeliest piece there that was not taken. */
static gboolean
find_fork(const RegardSituation *s, const Run *run, const mt_trace *trace, gsize *step, int32_t *id)
{
  const mt_hypothesis *hypothesis = hypothesis_of(run);
  const mt_config *config = mt_model_config(s->runs->model);
  const mt_point last = {MT_STACK_DECODER, (int) config->n_layers[MT_STACK_DECODER] - 1,
                         MT_SUB_LAYER_FEED_FORWARD};
  const gsize n = mt_tokens_count(hypothesis->tokens);
  int32_t best[2];
  *step = 0;
  for (gsize t = 1; t < n; t++)
    if (hypothesis->logprobs[t] < hypothesis->logprobs[*step])
      *step = t;
  if (n == 0 || mt_lens_best(s->runs->model, trace, last, *step, 2, best, NULL) < 2)
    return FALSE;
  *id = best[best[0] == mt_tokens_get(hypothesis->tokens, *step)->id];
  return TRUE;
}

/* The translation that goes on from there, of which *step is the token that was put in. NULL:
 * *error, or there is no other way. */
static mt_translation *
follow_fork(const RegardSituation *s, gsize *step, mt_error *error)
{
  const mt_trace *trace = get_trace(s, error);
  const Run *run = trace ? get_run(s, 0, error) : NULL;
  int32_t id;
  if (!run || !find_fork(s, run, trace, step, &id))
    return NULL;
  g_autofree int32_t *prefix = g_new(int32_t, *step + 1);
  mt_tokens_copy_ids(hypothesis_of(run)->tokens, *step, prefix);
  prefix[*step] = id;
  g_autoptr(mt_constraints) constraints = mt_constraints_new(prefix, *step + 1, NULL, 0, error);
  if (!constraints)
    return NULL;
  mt_search_params params = s->runs->params;
  params.constraints = constraints;
  const mt_hooks hooks = hooks_of(s);
  return mt_session_translate(s->runs->session, s->text, &params, &hooks, error);
}

MEASURE(fork)
{
  gsize step;
  g_autoptr(mt_translation) other = follow_fork(s, &step, error);
  value->text = g_strdup(other ? mt_translation_hypothesis(other, 0)->text : "");
  return other || !error->code;
}

/* Output tokens behind the one that was put in which are not what they were. */
MEASURE(fork_changed)
{
  gsize step;
  g_autoptr(mt_translation) other = follow_fork(s, &step, error);
  if (!other)
    return !error->code;
  const mt_tokens *a = hypothesis_of(get_run(s, 0, error))->tokens,
                  *b = mt_translation_hypothesis(other, 0)->tokens;
  const gsize n_a = mt_tokens_count(a), n_b = mt_tokens_count(b);
  value->number = 0;
  for (gsize t = step + 1; t < MAX(n_a, n_b); t++)
    value->number += t >= n_a || t >= n_b || mt_tokens_get(a, t)->id != mt_tokens_get(b, t)->id;
  return TRUE;
}

/* ---- Measures of the model alone ------------------------------------------------------------- */

MEASURE(vocabulary)
{
  value->number = (double) mt_model_config(s->runs->model)->vocab_size[MT_STACK_ENCODER];
  return TRUE;
}

/* The folder of a checkpoint is called after its step, whatever training it is of. */
MEASURE(training_step)
{
  g_autofree char *name = g_path_get_basename(mt_model_directory(s->runs->model));
  guint64 step;
  if (g_str_has_prefix(name, "step-") &&
      g_ascii_string_to_unsigned(name + strlen("step-"), 10, 0, G_MAXINT32, &step, NULL))
    value->number = (double) step;
  return TRUE;
}

MEASURE(width)
{
  value->number = (double) mt_model_config(s->runs->model)->d_model;
  return TRUE;
}

MEASURE(head_width)
{
  value->number =
      (double) mt_model_config(s->runs->model)->d_head[regard_naming_rows(arguments[0].kind)];
  return TRUE;
}

MEASURE(divisor)
{
  value->number =
      mt_model_config(s->runs->model)->score_divisor[regard_naming_rows(arguments[0].kind)];
  return TRUE;
}

MEASURE(heads)
{
  value->number =
      (double) mt_model_config(s->runs->model)->n_heads[regard_naming_rows(arguments[0].kind)];
  return TRUE;
}

MEASURE(layers)
{
  value->number =
      (double) mt_model_config(s->runs->model)->n_layers[regard_naming_rows(arguments[0].kind)];
  return TRUE;
}

MEASURE(pieces)
{
  mt_error refused = {0};
  g_autoptr(mt_tokens) tokens =
      mt_model_tokenize(s->runs->model, MT_STACK_ENCODER, arguments[0].value.text, &refused);
  value->number = 0;
  for (gsize i = 0; tokens && i < mt_tokens_count(tokens); i++)
    value->number += !mt_tokens_get(tokens, i)->is_special;
  return TRUE;
}

MEASURE(position)
{
  const mt_matrix table = mt_model_positions(s->runs->model, MT_STACK_ENCODER);
  const double p = arguments[0].value.number, i = arguments[1].value.number;
  if (table.data && p >= 0 && p < (double) table.rows && i >= 1 && i <= (double) table.cols)
    value->number = (double) table.data[(gsize) p * table.cols + (gsize) i - 1];
  return TRUE;
}

/* Of the target of label smoothing, 1 - e for the right piece and e for all alike: its entropy,
 * which is the least that the loss can be (the paper, 5.4). In nats. */
MEASURE(smoothed_entropy)
{
  const double n = (double) mt_model_config(s->runs->model)->vocab_size[MT_STACK_DECODER];
  const double e = arguments[0].value.number, other = e / n, right = 1 - e + other;
  if (e > 0 && e < 1)
    value->number = -right * log(right) - (n - 1) * other * log(other);
  return TRUE;
}

MEASURE(made_up)
{
  RegardMadeUp made;
  const double d = arguments[0].value.number;
  if (d >= 1 && d <= REGARD_MADE_UP_MOST) {
    regard_made_up((guint) d, &made);
    value->number = made.with[0].slope;
  }
  return TRUE;
}

/* ---- THE list -------------------------------------------------------------------------------- */

struct _RegardMeasure {
  const char *name, *help;
  RegardArgumentType arguments[REGARD_MEASURE_MOST_ARGUMENTS];
  gboolean is_text, is_of_model;
  guint cost;
  TakeMeasure take;
};

#define KIND   REGARD_ARGUMENT_KIND
#define HEAD   REGARD_ARGUMENT_HEAD
#define NUMBER REGARD_ARGUMENT_NUMBER
#define TEXT   REGARD_ARGUMENT_TEXT
#define TOKEN  REGARD_ARGUMENT_TOKEN

/* Of a text, and of the model alone. A search or a pass costs 1, the effects of all heads as much
 * as eight passes. */
#define NUMBER_OF(name, id, cost, help, ...)                 \
  {                                                          \
    name, help, {__VA_ARGS__}, FALSE, FALSE, cost, take_##id \
  }
#define TEXT_OF(name, id, cost, help, ...)                  \
  {                                                         \
    name, help, {__VA_ARGS__}, TRUE, FALSE, cost, take_##id \
  }
#define OF_MODEL(name, id, help, ...)                    \
  {                                                      \
    name, help, {__VA_ARGS__}, FALSE, TRUE, 0, take_##id \
  }
#define NOTHING REGARD_ARGUMENT_NONE

static const RegardMeasure measures[] = {
    TEXT_OF("translation", translation, 1, N_("what the text is translated to"), NOTHING),
    TEXT_OF("source", source, 0, N_("the text itself"), NOTHING),
    TEXT_OF("changes", changes, 0, N_("the changes, a line each"), NOTHING),
    TEXT_OF("longest-word", longest_word, 0, N_("the longest word of the text"), NOTHING),
    TEXT_OF("chosen-key", chosen_key, 2, N_("the key of the chosen cell"), NOTHING),
    TEXT_OF("chosen-query", chosen_query, 2, N_("the query of the chosen cell"), NOTHING),
    TEXT_OF("chosen-kind", chosen_kind, 0, N_("the kind of attention that the chosen cell is of"),
            NOTHING),
    TEXT_OF("received", received, 2, N_("the key that gets most weight over all heads and rows"),
            KIND),
    TEXT_OF("top-key", top_key, 2, N_("the key with the largest weight in a row"), HEAD, TOKEN),
    TEXT_OF("query", query, 3, N_("the numbers of the query of a row, the first eight"), HEAD,
            TOKEN),
    TEXT_OF("key", key, 3, N_("the numbers of a key, the first eight"), HEAD, TOKEN),
    TEXT_OF("beam-translation", beam_translation, 1, N_("the translation with so many beams"),
            NUMBER),
    TEXT_OF("fork", fork, 3,
            N_("the translation that takes the second choice at the least sure step"), NOTHING),

    NUMBER_OF("tokens", tokens, 1, N_("pieces of the text, with its end"), NOTHING),
    NUMBER_OF("words", words, 0, N_("words of the text"), NOTHING),
    NUMBER_OF("output-tokens", output_tokens, 1, N_("pieces of the translation, with its end"),
              NOTHING),
    NUMBER_OF("missing-words", missing_words, 2,
              N_("words of the unchanged translation that this one lacks"), NOTHING),
    NUMBER_OF("cells", cells, 2, N_("cells of one picture of attention"), KIND),
    NUMBER_OF("masked-cells", masked_cells, 2, N_("cells of a decoder picture that the mask hides"),
              NOTHING),
    NUMBER_OF("weight", weight, 2, N_("the weight of a key in a row"), HEAD, TOKEN, TOKEN),
    NUMBER_OF("chosen-weight", chosen_weight, 2, N_("the weight of the chosen cell"), NOTHING),
    NUMBER_OF("score", score, 2, N_("the score of a key in a row, before the softmax"), HEAD, TOKEN,
              TOKEN),
    NUMBER_OF("context", context, 3, N_("a number, from 1, of what a head found for a row"), HEAD,
              TOKEN, NUMBER),
    NUMBER_OF("value", value, 3, N_("a number, from 1, of the value of a key"), HEAD, TOKEN,
              NUMBER),
    NUMBER_OF("row-sum", row_sum, 2, N_("the sum of the weights of a row"), HEAD, TOKEN),
    NUMBER_OF("column-sum", column_sum, 2, N_("the sum of the weights of a column"), HEAD, TOKEN),
    NUMBER_OF("received-share", received_share, 2, N_("the share of all weight that a key gets"),
              KIND, TOKEN),
    NUMBER_OF("entropy", entropy, 2, N_("the mean entropy of the rows of a head, in bits"), HEAD),
    NUMBER_OF("sharpness", sharpness, 2, N_("the mean of the largest weight of all rows and heads"),
              KIND),
    NUMBER_OF("gradient", gradient, 2,
              N_("the mean of 1 - sum of squares of a row: how much its scores can still learn"),
              KIND),
    NUMBER_OF("made-up", made_up, 0,
              N_("the same of made-up numbers of this d_k, with scores that are not divided"),
              NUMBER),
    NUMBER_OF("next-share", next_share, 2, N_("the share of rows that look one token on"), HEAD),
    NUMBER_OF("logp", logp, 1, N_("log p of the translation, in nats"), NOTHING),
    NUMBER_OF("largest-p", largest_p, 1, N_("the probability of the surest piece"), NOTHING),
    NUMBER_OF("least-p", least_p, 1, N_("the probability of the least sure piece"), NOTHING),
    NUMBER_OF("beam-logp", beam_logp, 1, N_("log p of the translation with so many beams"), NUMBER),
    NUMBER_OF("beam-score", beam_score, 1, N_("the score of the translation with so many beams"),
              NUMBER),
    NUMBER_OF("fall", fall, 3,
              N_("what the unchanged translation loses of log p by the changes, in nats"), NOTHING),
    NUMBER_OF("effect", effect, 8,
              N_("what the translation loses of log p without a head, in nats"), HEAD),
    NUMBER_OF("effect-rank", effect_rank, 8, N_("how many heads are missed as much or more"), HEAD),
    NUMBER_OF("order-difference", order_difference, 3,
              N_("how far the encoder's outputs move when all pieces are turned round"), NOTHING),
    NUMBER_OF("cosine", cosine, 2, N_("the mean cosine between tokens behind an encoder layer"),
              NUMBER),
    NUMBER_OF("lens-first", lens_first, 2,
              N_("the first decoder layer that says an output piece, by the logit lens"), TOKEN),
    NUMBER_OF("fork-changed", fork_changed, 3,
              N_("pieces behind the second choice that are others"), NOTHING),

    OF_MODEL("vocabulary", vocabulary, N_("entries of the list of pieces"), NOTHING),
    OF_MODEL("training-step", training_step, N_("the step of the training"), NOTHING),
    OF_MODEL("width", width, N_("numbers of a state, d_model"), NOTHING),
    OF_MODEL("head-width", head_width, N_("numbers of a head, d_k"), KIND),
    OF_MODEL("divisor", divisor, N_("what scores are divided by, the square root of d_k"), KIND),
    OF_MODEL("heads", heads, N_("heads of a layer"), KIND),
    OF_MODEL("layers", layers, N_("layers"), KIND),
    OF_MODEL("pieces", pieces, N_("pieces of a word"), TEXT),
    OF_MODEL("position", position, N_("a number, from 1, of the encoding of a position, from 0"),
             NUMBER, NUMBER),
    OF_MODEL("smoothed-entropy", smoothed_entropy,
             N_("the least loss with label smoothing, in nats"), NUMBER),
};

guint
regard_measures_count(void)
{
  return G_N_ELEMENTS(measures);
}

const RegardMeasure *
regard_measures_get(guint i)
{
  return &measures[i];
}

const RegardMeasure *
regard_measure_find(const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS(measures); i++)
    if (strcmp(measures[i].name, name) == 0)
      return &measures[i];
  return NULL;
}

const char *
regard_measure_name(const RegardMeasure *measure)
{
  return measure->name;
}

const char *
regard_measure_help(const RegardMeasure *measure)
{
  return _(measure->help);
}

gboolean
regard_measure_is_text(const RegardMeasure *measure)
{
  return measure->is_text;
}

const RegardArgumentType *
regard_measure_arguments(const RegardMeasure *measure)
{
  return measure->arguments;
}

guint
regard_measure_cost(const RegardMeasure *measure)
{
  return measure->cost;
}

gboolean
regard_measure_is_of_text(const RegardMeasure *measure)
{
  return !measure->is_of_model;
}

/* Beams that a search can have; others have no value. */
static gboolean
has_beams(const RegardMeasure *measure, const RegardArgument *arguments)
{
  const double beams = arguments[0].value.number;
  const gboolean wants = measure->take == take_beam_translation ||
                         measure->take == take_beam_logp || measure->take == take_beam_score;
  return !wants || (beams >= 1 && beams <= 32);
}

gboolean
regard_measure_take(const RegardMeasure *measure, const RegardSituation *situation,
                    const RegardArgument *arguments, RegardValue *value, mt_error *error)
{
  RegardArgument resolved[REGARD_MEASURE_MOST_ARGUMENTS];
  *value = (RegardValue){.number = (double) NAN};
  if (g_hash_table_size(situation->runs->runs) > MOST_RUNS)
    regard_runs_forget(situation->runs);
  for (guint i = 0; i < REGARD_MEASURE_MOST_ARGUMENTS; i++) {
    resolved[i] = arguments[i];
    if (measure->arguments[i] == REGARD_ARGUMENT_HEAD &&
        !resolve_head(situation, &resolved[i], error))
      return FALSE;
  }
  if (!has_beams(measure, resolved)) {
    value->text = measure->is_text ? g_strdup("") : NULL;
    return TRUE;
  }
  const gboolean ok = measure->take(situation, resolved, value, error);
  if (!ok)
    regard_value_clear(value);
  return ok;
}
