/* cli-align-gold.c — a recipe, or all of them, against a gold file: error rates with their
 * intervals, best first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-align.h"
#include "cli/cli-json.h"
#include "cli/cli-stop.h"

#include <math.h>
#include <string.h>

/* Recipes that are listed where nobody says how many. */
#define LISTED 20

/* ---- The corpus ------------------------------------------------------------------------------ */

typedef struct {
  GPtrArray *texts[MT_N_STACKS], *words[MT_N_STACKS]; /* of char * */
} Corpus;

static void
corpus_init(Corpus *corpus)
{
  for (int side = 0; side < MT_N_STACKS; side++) {
    corpus->texts[side] = g_ptr_array_new_with_free_func(g_free);
    corpus->words[side] = g_ptr_array_new_with_free_func(g_free);
  }
}

static void
corpus_clear(Corpus *corpus)
{
  for (int side = 0; side < MT_N_STACKS; side++) {
    g_ptr_array_unref(corpus->texts[side]);
    g_ptr_array_unref(corpus->words[side]);
  }
}

/* The sentences of a gold file that has them. */
static void
take_texts(Corpus *corpus, const mt_gold *gold)
{
  for (gsize i = 0; i < mt_gold_n_sentences(gold); i++)
    for (int side = 0; side < MT_N_STACKS; side++)
      g_ptr_array_add(corpus->texts[side], g_strdup(mt_gold_text(gold, i, (mt_stack) side)));
}

static gboolean
add_pair(const CliAlign *self, Corpus *corpus, const CliPair *pair)
{
  const char *texts[] = {pair->source, pair->target};
  const char *words[] = {pair->source_words, pair->target_words};
  const char *problem = pair->problem      ? pair->problem
                        : pair->line.blank ? "the line is empty, and has links in the gold file"
                        : !pair->target    ? "--gold wants a translation behind a tab"
                                           : NULL;
  if (problem) {
    cli_complain(self->command, "%s:%" G_GUINT64_FORMAT ": %s", pair->line.file, pair->line.number,
                 problem);
    return FALSE;
  }
  for (int side = 0; side < MT_N_STACKS; side++) {
    g_ptr_array_add(corpus->texts[side], g_strdup(texts[side]));
    if (words[side])
      g_ptr_array_add(corpus->words[side], g_strdup(words[side]));
  }
  return TRUE;
}

static gboolean
read_texts(const CliAlign *self, Corpus *corpus)
{
  CliPair pair;
  CliPairs *pairs = cli_pairs_open(self->command, self->file, self->targets, self->words);
  gboolean ok = pairs != NULL;
  while (ok && cli_pairs_next(pairs, &pair))
    ok = add_pair(self, corpus, &pair);
  return pairs && cli_pairs_close(pairs) && ok;
}

/* ---- Recipes --------------------------------------------------------------------------------- */

/* Rows by their keys, "of,row"; all but those that need what is not there. */
static CliStatus
read_vary(const CliAlign *self, guint32 *vary)
{
  *vary = self->grid && !self->vary ? MT_RECIPE_ALL_ROWS : 0;
  if (!self->vary)
    return CLI_DONE;
  g_auto(GStrv) keys = g_strsplit(self->vary, ",", -1);
  for (guint i = 0; keys[i]; i++) {
    gsize row;
    if (!mt_recipe_find_field(keys[i], &row) || mt_recipe_field_at(row)->type == MT_RECIPE_NUMBER) {
      g_autoptr(GString) names = g_string_new(NULL);
      for (gsize f = 0; f < mt_recipe_n_fields(); f++)
        if (mt_recipe_field_at(f)->type != MT_RECIPE_NUMBER)
          g_string_append_printf(names, "%s%s", names->len ? ", " : "", mt_recipe_field_at(f)->key);
      return cli_usage(self->command, "--vary wants some of %s with commas between, found '%s'",
                       names->str, keys[i]);
    }
    *vary |= UINT32_C(1) << row;
  }
  return CLI_DONE;
}

static mt_recipe *
make_recipes(const CliAlign *self, guint32 vary, gsize *n, mt_error *error)
{
  const mt_config *config = mt_model_config(self->engine->model);
  return mt_recipe_grid(&self->recipe, vary, config->n_layers[MT_STACK_DECODER],
                        config->n_heads[MT_STACK_DECODER], self->reverse->session != NULL, n,
                        error);
}

/* Rows in which recipes that were made differ; of one all. */
static guint32
differing(const mt_recipe *recipes, gsize n)
{
  guint32 rows = 0;
  char first[MT_RECIPE_TEXT_SIZE], other[MT_RECIPE_TEXT_SIZE];
  for (gsize f = 0; f < mt_recipe_n_fields(); f++)
    for (gsize i = 1; i < n && !(rows >> f & 1); i++)
      if (strcmp(mt_recipe_get_text(&recipes[0], f, first),
                 mt_recipe_get_text(&recipes[i], f, other)) != 0)
        rows |= UINT32_C(1) << f;
  return rows ? rows : MT_RECIPE_ALL_ROWS;
}

/* ---- What is said ---------------------------------------------------------------------------- */

typedef struct {
  const CliAlign *align;
  const mt_gold *gold;
  const mt_evaluation *evaluation;
  guint32 shown; /* rows that are said of each; the others are said once */
  gsize n;       /* that are listed */
} Answer;

/* "25.3"; of nothing "-". */
static void
append_rate(GString *out, double rate)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (isnan(rate))
    g_string_append_printf(out, "%7s", "-");
  else
    g_string_append_printf(out, "%7s", g_ascii_formatd(text, sizeof text, "%.1f", 100 * rate));
}

static gboolean
put_text(const Answer *a)
{
  g_autoptr(GString) out = g_string_new(NULL);
  char text[MT_RECIPE_TEXT_SIZE];
  const guint32 shown = a->shown;
  gsize place;
  mt_recipe_find_field("of", &place);
  g_string_append_printf(out, "%s: %zu sentences, %zu sure and %zu further possible links\n",
                         mt_gold_label(a->gold), mt_evaluation_n_sentences(a->evaluation),
                         mt_gold_n_sure(a->gold),
                         mt_gold_n_possible(a->gold) - mt_gold_n_sure(a->gold));
  g_string_append_printf(out,
                         "intervals: 95 %% of %" G_GINT64_FORMAT " samples, seed %" G_GINT64_FORMAT
                         "\n\n    AER    from     to   prec. recall  links  recipe\n",
                         a->align->samples, a->align->seed);
  for (gsize i = 0; i < a->n; i++) {
    const mt_evaluated *one = mt_evaluation_at(a->evaluation, i);
    append_rate(out, one->aer);
    append_rate(out, one->low);
    append_rate(out, one->high);
    append_rate(out, one->precision);
    append_rate(out, one->recall);
    g_string_append_printf(out, "%7u  %s%s\n", (unsigned) one->counts.n_links,
                           mt_recipe_describe(&one->recipe, shown, text),
                           one->is_chosen && !one->recipe.is_chosen && shown >> place & 1
                               ? " (highest mean norm)"
                               : "");
  }
  if (a->n < mt_evaluation_count(a->evaluation))
    g_string_append_printf(out, "and %zu others\n", mt_evaluation_count(a->evaluation) - a->n);
  if (~shown & ((UINT32_C(1) << mt_recipe_n_fields()) - 1))
    g_string_append_printf(out, "\nall: %s\n", mt_recipe_describe(&a->align->recipe, ~shown, text));
  return cli_put(a->align->command, out->str, out->len);
}

static void
append_csv(GString *out, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (!isnan(value))
    g_string_append(out, g_ascii_formatd(text, sizeof text, "%.9g", value));
  g_string_append_c(out, ',');
}

static gboolean
put_csv(const Answer *a)
{
  g_autoptr(GString) out = g_string_new(
      "rank,aer,low,high,precision,recall,links,sure,links_sure,links_possible,layer_chosen");
  char text[MT_RECIPE_TEXT_SIZE];
  for (gsize f = 0; f < mt_recipe_n_fields(); f++)
    g_string_append_printf(out, ",%s", mt_recipe_field_at(f)->key);
  g_string_append_c(out, '\n');
  for (gsize i = 0; i < a->n; i++) {
    const mt_evaluated *one = mt_evaluation_at(a->evaluation, i);
    g_string_append_printf(out, "%zu,", i + 1);
    const double rates[] = {one->aer, one->low, one->high, one->precision, one->recall};
    for (guint r = 0; r < G_N_ELEMENTS(rates); r++)
      append_csv(out, rates[r]);
    g_string_append_printf(out, "%u,%u,%u,%u,%d", one->counts.n_links, one->counts.n_sure,
                           one->counts.n_links_sure, one->counts.n_links_possible, one->is_chosen);
    for (gsize f = 0; f < mt_recipe_n_fields(); f++)
      g_string_append_printf(out, ",%s", mt_recipe_get_text(&one->recipe, f, text));
    g_string_append_c(out, '\n');
  }
  return cli_put(a->align->command, out->str, out->len);
}

static json_object *
number_json(double value)
{
  return isnan(value) ? NULL : json_object_new_double(value);
}

static json_object *
recipe_json(const mt_recipe *recipe)
{
  char *text = mt_recipe_to_json(recipe, NULL);
  json_object *object = text ? json_tokener_parse(text) : NULL;
  mt_string_free(text);
  return object;
}

static gboolean
put_json(const Answer *a)
{
  json_object *object = json_object_new_object(), *list = json_object_new_array();
  json_object_object_add(object, "gold", cli_json_text(mt_gold_label(a->gold)));
  json_object_object_add(object, "format",
                         cli_json_text(mt_gold_format_at(mt_gold_get_format(a->gold))->id));
  json_object_object_add(object, "base", json_object_new_int((int) mt_gold_base(a->gold)));
  json_object_object_add(object, "model", cli_json_text(mt_model_name(a->align->engine->model)));
  json_object_object_add(object, "sentences",
                         cli_json_size(mt_evaluation_n_sentences(a->evaluation)));
  json_object_object_add(object, "sure", cli_json_size(mt_gold_n_sure(a->gold)));
  json_object_object_add(object, "possible", cli_json_size(mt_gold_n_possible(a->gold)));
  json_object_object_add(object, "samples", json_object_new_int64(a->align->samples));
  json_object_object_add(object, "seed", json_object_new_int64(a->align->seed));
  json_object_object_add(object, "level", json_object_new_double(0.95));
  json_object_object_add(object, "recipes", cli_json_size(mt_evaluation_count(a->evaluation)));
  for (gsize i = 0; i < a->n; i++) {
    const mt_evaluated *one = mt_evaluation_at(a->evaluation, i);
    json_object *row = json_object_new_object();
    json_object_object_add(row, "recipe", recipe_json(&one->recipe));
    json_object_object_add(row, "layer_chosen", json_object_new_boolean(one->is_chosen));
    json_object_object_add(row, "aer", number_json(one->aer));
    json_object_object_add(row, "low", number_json(one->low));
    json_object_object_add(row, "high", number_json(one->high));
    json_object_object_add(row, "precision", number_json(one->precision));
    json_object_object_add(row, "recall", number_json(one->recall));
    json_object_object_add(row, "links", cli_json_size(one->counts.n_links));
    json_object_object_add(row, "links_sure", cli_json_size(one->counts.n_links_sure));
    json_object_object_add(row, "links_possible", cli_json_size(one->counts.n_links_possible));
    json_object_array_add(list, row);
  }
  json_object_object_add(object, "ranking", list);
  return cli_json_put(a->align->command, object, TRUE);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static CliStatus
evaluate(CliAlign *self, const mt_gold *gold, const Corpus *corpus, guint32 vary)
{
  const mt_bootstrap bootstrap = {.n_samples = (gsize) self->samples, .seed = (guint64) self->seed};
  const gboolean has_words = corpus->words[0]->len > 0;
  gsize n = 0;
  mt_error error = {0};
  mt_recipe *recipes = make_recipes(self, vary, &n, &error);
  const gsize listed = self->top                 ? MIN((gsize) self->top, n)
                       : self->json || self->csv ? n
                                                 : MIN(LISTED, n);
  const mt_evaluation_params params = {
      .gold = gold,
      .n = corpus->texts[0]->len,
      .texts = {(const char *const *) corpus->texts[0]->pdata,
                (const char *const *) corpus->texts[1]->pdata},
      .words = {has_words ? (const char *const *) corpus->words[0]->pdata : NULL,
                has_words ? (const char *const *) corpus->words[1]->pdata : NULL},
      .language = self->engine->params.language,
      .reverse_language = self->reverse->session ? self->reverse->params.language : -1,
      .bootstrap = &bootstrap,
      .n_intervals = listed,
      .on_progress = cli_stop_show_share,
  };
  mt_evaluation *evaluation = NULL;
  if (recipes) {
    cli_stop_begin(&self->engine->hooks);
    evaluation = mt_session_evaluate(self->engine->session, self->reverse->session, &params,
                                     recipes, n, &self->engine->hooks, &error);
    cli_stop_end(&self->engine->hooks);
  }
  const guint32 shown = recipes ? differing(recipes, n) : 0;
  mt_recipes_free(recipes);
  if (!evaluation) {
    cli_complain(self->command, "%s",
                 error.code == MT_ERROR_CANCELLED ? "interrupted; nothing was evaluated"
                                                  : error.message);
    return CLI_FAILED;
  }
  const Answer answer = {self, gold, evaluation, shown, listed};
  const gboolean written = self->json  ? put_json(&answer)
                           : self->csv ? put_csv(&answer)
                                       : put_text(&answer);
  mt_evaluation_free(evaluation);
  return written ? CLI_DONE : CLI_FAILED;
}

CliStatus
cli_align_evaluate(CliAlign *self)
{
  guint32 vary;
  mt_error error = {0};
  Corpus corpus;
  CliStatus status = read_vary(self, &vary);
  if (status != CLI_DONE)
    return status;
  mt_gold *gold = mt_gold_read(self->gold, self->gold_format, self->gold_base, &error);
  if (!gold) {
    cli_complain(self->command, "%s", error.message);
    return CLI_FAILED;
  }
  corpus_init(&corpus);
  status = CLI_FAILED;
  if (self->file) {
    if (read_texts(self, &corpus))
      status = CLI_DONE;
  } else if (mt_gold_format_at(mt_gold_get_format(gold))->has_texts) {
    take_texts(&corpus, gold);
    status = CLI_DONE;
  } else {
    status = cli_usage(self->command, "%s has no texts: FILE is missing", mt_gold_label(gold));
  }
  if (status == CLI_DONE)
    status = evaluate(self, gold, &corpus, vary);
  corpus_clear(&corpus);
  mt_gold_unref(gold);
  return status;
}
