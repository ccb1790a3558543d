/* cli-align.c — regard-cli align: which word stands for which, for whole files, and how far that is
 * from what people said.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "cli/cli-lines.h"
#include "cli/cli.h"

#include <math.h>
#include <string.h>

#define SAMPLES 1000
#define SEED    1

static const char *const bases[] = {"0", "1", NULL};

/* Ids of the formats, for the option. */
static const char *const *
list_formats(void)
{
  static const char *names[8];
  for (gsize i = 0; i < mt_gold_n_formats() && i + 1 < G_N_ELEMENTS(names); i++)
    names[i] = mt_gold_format_at(i)->id;
  return names;
}

typedef struct {
  CliAnalysis base;
  CliEngineOptions reverse_options;
  CliEngine reverse; /* of the other direction; its session is NULL if there is none */
  const char *recipe_text;
  mt_recipe recipe;
  const char *file, *targets; /* NULL: none; targets: of two files the second */
  const char *words;
  gboolean json, csv;
  guint base_choice; /* of what is printed: what words are counted from */
  /* Of an evaluation. */
  const char *gold, *vary;
  guint format_choice, gold_base_choice;
  gboolean grid;
  gint64 top, samples, seed;
} Align;

#define AT(member) offsetof(Align, member)
static const Align defaults = {.base = CLI_ANALYSIS_INIT,
                               .recipe_text = "",
                               .format_choice = CLI_NO_CHOICE,
                               .gold_base_choice = CLI_NO_CHOICE,
                               .samples = SAMPLES,
                               .seed = SEED};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_TEXT, "reverse-model", 0, AT(reverse_options.model), "DIR",
     "A model of the other direction, for links of both"},
    {CLI_OPTION_TEXT, "reverse-from", 0, AT(reverse_options.from), "CODE", "Its source language"},
    {CLI_OPTION_TEXT, "reverse-to", 0, AT(reverse_options.to), "CODE", "Its target language"},
    {CLI_OPTION_TEXT, "reverse-task", 0, AT(reverse_options.task), "NAME|TEXT",
     "Its task, or TEXT to put before each text"},
    {CLI_OPTION_WORDS, "recipe", 0, AT(recipe_text), "RECIPE",
     "How links are read, such as 'of=4 row=output'; see below"},
    {CLI_OPTION_TEXT, "words", 0, AT(words), "FILE",
     "The same sentences tokenised, a tab between: their words are counted"},
    {CLI_OPTION_CHOICE, "base", 0, AT(base_choice), "N", "Count the words that are printed from N",
     0, 0, bases},
    {CLI_OPTION_FLAG, "json", 0, AT(json), NULL, "Print JSON"},
    {CLI_OPTION_FLAG, "csv", 0, AT(csv), NULL, "Print CSV"},
    {CLI_OPTION_TEXT, "gold", 0, AT(gold), "FILE",
     "Compare with the links of FILE, and print error rates"},
    {CLI_OPTION_CHOICE, "gold-format", 0, AT(format_choice), "F",
     "How FILE is written; default: as it looks", .list_choices = list_formats},
    {CLI_OPTION_CHOICE, "gold-base", 0, AT(gold_base_choice), "N",
     "What FILE counts from; default: 0 if it has a word 0, else 1", 0, 0, bases},
    {CLI_OPTION_FLAG, "grid", 0, AT(grid), NULL,
     "Compare all recipes: every layer, every head, every setting"},
    {CLI_OPTION_TEXT, "vary", 0, AT(vary), "KEYS",
     "Compare recipes that differ in these settings only, such as of,row"},
    {CLI_OPTION_WHOLE, "top", 0, AT(top), "K", "Print so many recipes; default 20", 1, 1000000},
    {CLI_OPTION_WHOLE, "samples", 0, AT(samples), "N", "Samples of the bootstrap; default 1000", 1,
     1000000},
    {CLI_OPTION_WHOLE, "seed", 0, AT(seed), "N", "Its seed; default 1", 0, G_MAXINT32},
    CLI_OPTIONS(cli_options_search),
    CLI_OPTIONS(cli_options_run),
    CLI_OPTIONS_END,
};

/* ---- Sentences with their translations ------------------------------------------------------- */

typedef struct {
  const CliCommand *command;
  CliLineStream *file, *targets, *words;
  const char *targets_name, *words_name;
  GString *text, *word_text; /* the newest lines, divided at their tabs */
  gboolean failed, is_over;
} Pairs;

/* One pair; all is borrowed until the next. */
typedef struct {
  CliLine line;                            /* of the first file */
  const char *source, *target;             /* target NULL: the line has none */
  const char *source_words, *target_words; /* NULL: those of the texts */
  const char *problem;                     /* why there is no pair */
} Pair;

/* The first two columns of a line; *second is NULL if there is one. */
static void
split(GString *buffer, const char *line, const char **first, const char **second)
{
  g_string_assign(buffer, line);
  char *tab = strchr(buffer->str, '\t');
  *first = buffer->str;
  *second = NULL;
  if (!tab)
    return;
  *tab = '\0';
  *second = tab + 1;
  tab = strchr(tab + 1, '\t');
  if (tab)
    *tab = '\0';
}

/* The line of a file that goes along. FALSE: there is none. */
static gboolean
next_beside(Pairs *pairs, CliLineStream *stream, const char *name, CliLine *line)
{
  if (cli_line_stream_next(stream, line))
    return TRUE;
  cli_complain(pairs->command, "'%s' has fewer lines than the sentences", name);
  pairs->failed = pairs->is_over = TRUE;
  return FALSE;
}

/* FALSE at the end. */
static gboolean
pairs_next(Pairs *pairs, Pair *pair)
{
  CliLine beside;
  *pair = (Pair){0};
  if (pairs->is_over || !cli_line_stream_next(pairs->file, &pair->line)) {
    pairs->is_over = TRUE;
    return FALSE;
  }
  pair->problem = pair->line.error;
  if (pair->line.text) {
    split(pairs->text, pair->line.text, &pair->source, &pair->target);
    if (pairs->targets)
      pair->source = pair->line.text;
  }
  if (pairs->targets) {
    if (!next_beside(pairs, pairs->targets, pairs->targets_name, &beside))
      return FALSE;
    g_string_assign(pairs->text, beside.text ? beside.text : "");
    pair->target = pairs->text->str;
    pair->problem = pair->problem ? pair->problem : beside.error;
  }
  if (pairs->words) {
    if (!next_beside(pairs, pairs->words, pairs->words_name, &beside))
      return FALSE;
    pair->problem = pair->problem ? pair->problem : beside.error;
    if (beside.text)
      split(pairs->word_text, beside.text, &pair->source_words, &pair->target_words);
    if (beside.text && !pair->target_words && !pair->problem)
      pair->problem = "--words wants source and target with a tab between";
  }
  return TRUE;
}

/* At the end of the sentences the others must end, too. */
static void
check_end(Pairs *pairs, CliLineStream *stream, const char *name)
{
  CliLine line;
  if (!pairs->failed && pairs->is_over && stream && cli_line_stream_next(stream, &line)) {
    cli_complain(pairs->command, "'%s' has more lines than the sentences", name);
    pairs->failed = TRUE;
  }
}

/* FALSE: reading failed, or files are not equally long, which has been reported. */
static gboolean
pairs_close(Pairs *pairs)
{
  CliLineStream *streams[] = {pairs->file, pairs->targets, pairs->words};
  check_end(pairs, pairs->targets, pairs->targets_name);
  check_end(pairs, pairs->words, pairs->words_name);
  gboolean ok = !pairs->failed;
  for (guint i = 0; i < G_N_ELEMENTS(streams); i++)
    if (streams[i] && !cli_line_stream_close(streams[i]))
      ok = FALSE;
  g_string_free(pairs->text, TRUE);
  g_string_free(pairs->word_text, TRUE);
  g_free(pairs);
  return ok;
}

/* NULL: a file cannot be opened, which has been reported. file NULL: standard input. */
static Pairs *
pairs_open(const CliCommand *command, const char *file, const char *targets, const char *words)
{
  Pairs *pairs = g_new0(Pairs, 1);
  pairs->command = command;
  pairs->text = g_string_new(NULL);
  pairs->word_text = g_string_new(NULL);
  pairs->targets_name = targets;
  pairs->words_name = words;
  pairs->file = cli_line_stream_open(command, file ? file : "-");
  pairs->targets = pairs->file && targets ? cli_line_stream_open(command, targets) : NULL;
  pairs->words = pairs->file && words ? cli_line_stream_open(command, words) : NULL;
  if (pairs->file && (pairs->targets || !targets) && (pairs->words || !words))
    return pairs;
  pairs->failed = TRUE;
  pairs_close(pairs);
  return NULL;
}

/* ---- Links, as they come --------------------------------------------------------------------- */

/* Pairs by which an open layer is chosen. */
#define SAMPLE 100

/* A pair that went through the model; alignable NULL: it could not. */
typedef struct {
  guint64 number;
  char *file, *source, *target, *problem;
  gboolean is_blank, is_translated;
  mt_alignment_input *own, *reverse;
} Done;

typedef struct {
  Align *align;
  mt_recipe recipe, reverse_recipe;
  GQueue waiting; /* of Done, until the layer is chosen */
  guint n_pairs;  /* that could be aligned */
  guint n_put;
  gboolean failed, has_begun;
  gboolean is_lost; /* standard output takes no more: the rest is not worth its time */
} Stream;

static void
done_free(Done *done)
{
  mt_alignment_input_unref(done->own);
  mt_alignment_input_unref(done->reverse);
  g_free(done->file);
  g_free(done->source);
  g_free(done->target);
  g_free(done->problem);
  g_free(done);
}

static gboolean
is_open(const mt_recipe *recipe)
{
  return recipe->n_heads == 0 && recipe->layer == MT_RECIPE_AUTO;
}

/* ---- Through the model ----------------------------------------------------------------------- */

/* The model's own translation is aligned as its tokens stand, not as they would be read again. */
static mt_alignment_input *
translate(Stream *self, Done *done, const Pair *pair, mt_error *error)
{
  CliEngine *engine = &self->align->base.engine;
  g_autoptr(mt_translation) translation =
      cli_engine_translate(self->align->base.command, engine, pair->source, NULL, error);
  mt_alignment_input *input = translation
                                  ? mt_alignment_input_of_translation(engine->session, translation,
                                                                      0, &engine->hooks, error)
                                  : NULL;
  done->is_translated = TRUE;
  if (translation)
    done->target = g_strdup(mt_translation_hypothesis(translation, 0)->text);
  return input;
}

static void
go_through(Stream *self, Done *done, const Pair *pair, mt_error *error)
{
  CliEngine *engine = &self->align->base.engine, *reverse = &self->align->reverse;
  if (pair->target) {
    done->target = g_strdup(pair->target);
    done->own =
        mt_alignment_input_new(engine->session, pair->source, pair->target, pair->source_words,
                               pair->target_words, &engine->params, &engine->hooks, error);
  } else {
    done->own = translate(self, done, pair, error);
  }
  if (done->own && reverse->session) {
    const mt_hooks stop = {.should_stop = engine->hooks.should_stop};
    done->reverse =
        mt_alignment_input_new(reverse->session, done->own->words[MT_STACK_DECODER].text,
                               done->own->words[MT_STACK_ENCODER].text, pair->target_words,
                               pair->source_words, &reverse->params, &stop, error);
  }
}

/* NULL: interrupted. */
static Done *
do_pair(Stream *self, const Pair *pair)
{
  Done *done = g_new0(Done, 1);
  mt_error error = {0};
  done->number = pair->line.number;
  done->file = g_strdup(pair->line.file);
  done->problem = g_strdup(pair->problem);
  done->is_blank = !pair->problem && pair->line.blank;
  if (done->problem || done->is_blank)
    return done;
  done->source = g_strdup(pair->source);
  go_through(self, done, pair, &error);
  if (error.code == MT_ERROR_CANCELLED) {
    done_free(done);
    return NULL;
  }
  if (error.code)
    done->problem = g_strdup(error.message);
  return done;
}

/* ---- What is put ----------------------------------------------------------------------------- */

static char *
word(const mt_alignment_input *input, mt_stack side, gsize i)
{
  const mt_span at = input->words[side].words[i];
  return g_strndup(input->words[side].text + at.begin, at.end - at.begin);
}

static json_object *
words_json(const mt_alignment_input *input, mt_stack side)
{
  json_object *list = json_object_new_array();
  for (gsize i = 0; i < input->words[side].n; i++) {
    g_autofree char *text = word(input, side, i);
    json_object_array_add(list, cli_json_text(text));
  }
  return list;
}

static gboolean
put_json(const Stream *self, const Done *done, const mt_link *links, gsize n)
{
  json_object *object = regard_json_object({"file", cli_json_text(done->file)},
                                           {"line", json_object_new_int64((gint64) done->number)});
  if (done->problem) {
    json_object_object_add(object, "error", cli_json_text(done->problem));
    return cli_json_put(self->align->base.command, object, FALSE);
  }
  regard_json_add(object, {"source", cli_json_text(done->source)},
                  {"target", cli_json_text(done->target)});
  if (done->own) {
    char *recipe = mt_recipe_to_json(&self->recipe, NULL);
    json_object_object_add(object, "recipe", recipe ? json_tokener_parse(recipe) : NULL);
    mt_string_free(recipe);
    regard_json_add(object, {"layer_chosen", json_object_new_boolean(self->recipe.is_chosen)},
                    {"source_words", words_json(done->own, MT_STACK_ENCODER)},
                    {"target_words", words_json(done->own, MT_STACK_DECODER)});
  }
  json_object *list = json_object_new_array();
  for (gsize i = 0; i < n; i++) {
    json_object_array_add(
        list, regard_json_object(
                  {"source", json_object_new_int64(links[i].source + self->align->base_choice)},
                  {"target", json_object_new_int64(links[i].target + self->align->base_choice)},
                  {"weight", regard_json_float(links[i].weight)}));
  }
  json_object_object_add(object, "links", list);
  return cli_json_put(self->align->base.command, object, FALSE);
}

static gboolean
put_csv(Stream *self, const Done *done, const mt_link *links, gsize n)
{
  g_autoptr(GString) out = g_string_new(NULL);
  if (!self->has_begun)
    g_string_append(out, "line,source,target,source_word,target_word,weight\n");
  for (gsize i = 0; i < n; i++) {
    g_autofree char *source = word(done->own, MT_STACK_ENCODER, links[i].source);
    g_autofree char *target = word(done->own, MT_STACK_DECODER, links[i].target);
    char weight[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(out, "%" G_GUINT64_FORMAT ",%u,%u,", done->number,
                           links[i].source + self->align->base_choice,
                           links[i].target + self->align->base_choice);
    cli_csv_append_field(out, source);
    g_string_append_c(out, ',');
    cli_csv_append_field(out, target);
    g_string_append_printf(out, ",%s\n",
                           g_ascii_formatd(weight, sizeof weight, "%.9g",
                                           (double) links[i].weight));
  }
  return cli_put(self->align->base.command, out->str, out->len);
}

/* A line for each, so that a reader stays in step; a translation that nobody has stands before its
 * links. */
static gboolean
put_plain(const Stream *self, const Done *done, const mt_link *links, gsize n)
{
  g_autoptr(GString) out = g_string_new(NULL);
  if (done->is_translated && done->target) {
    g_string_append(out, done->target);
    g_strdelimit(out->str, "\t\r\n", ' ');
    g_string_append_c(out, '\t');
  }
  char *text = mt_links_to_text(links, n, self->align->base_choice, NULL);
  g_string_append(out, text ? text : "");
  g_string_append_c(out, '\n');
  mt_string_free(text);
  return cli_put(self->align->base.command, out->str, out->len);
}

static void
put(Stream *self, Done *done)
{
  mt_link *links = NULL;
  gsize n = 0;
  mt_error error = {0};
  if (done->own && !done->problem) {
    links = mt_alignment_input_links(done->own, &self->recipe, done->reverse, &self->reverse_recipe,
                                     &n, &error);
    if (!links)
      done->problem = g_strdup(error.message);
  }
  if (done->problem) {
    cli_complain(self->align->base.command, "%s:%" G_GUINT64_FORMAT ": %s", done->file,
                 done->number, done->problem);
    self->failed = TRUE;
  }
  const gboolean written = self->align->json  ? put_json(self, done, links, n)
                           : self->align->csv ? put_csv(self, done, links, n)
                                              : put_plain(self, done, links, n);
  self->has_begun = TRUE;
  self->n_put++;
  self->is_lost = self->is_lost || !written;
  mt_links_free(links);
}

/* ---- The layer ------------------------------------------------------------------------------- */

static void
choose_layer(mt_recipe *recipe, GQueue *pairs, gboolean is_reverse)
{
  g_autofree double *sums = NULL;
  gsize n = 0, n_layers = 0;
  for (GList *l = pairs->head; l; l = l->next) {
    const Done *done = l->data;
    const mt_alignment_input *input = is_reverse ? done->reverse : done->own;
    if (!input || done->problem)
      continue;
    n_layers = input->n_layers;
    sums = sums ? sums : g_new0(double, n_layers);
    mt_alignment_input_add_norms(input, recipe->row, sums, &n);
  }
  if (sums)
    mt_recipe_choose_layer(recipe, sums, n_layers);
}

/* Those that waited, with the layer that they chose. */
static void
put_waiting(Stream *self)
{
  char text[MT_RECIPE_TEXT_SIZE];
  const gboolean was_open = is_open(&self->recipe);
  Done *done;
  choose_layer(&self->recipe, &self->waiting, FALSE);
  choose_layer(&self->reverse_recipe, &self->waiting, TRUE);
  if (was_open && self->recipe.is_chosen)
    cli_complain(self->align->base.command, "%s; by the first %u pair%s",
                 mt_recipe_describe(&self->recipe, MT_RECIPE_ALL_ROWS, text), self->n_pairs,
                 self->n_pairs == 1 ? "" : "s");
  while ((done = g_queue_pop_head(&self->waiting))) {
    if (!self->is_lost)
      put(self, done);
    done_free(done);
  }
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void
take_pair(Stream *self, const Pair *pair)
{
  Done *done = do_pair(self, pair);
  if (!done) /* interrupted */
    return;
  self->n_pairs += done->own && !done->problem;
  if (is_open(&self->recipe)) {
    g_queue_push_tail(&self->waiting, done);
    if (self->n_pairs == SAMPLE)
      put_waiting(self);
    return;
  }
  put(self, done);
  done_free(done);
}

/* Links of every pair, as they come. */
static CliStatus
align_stream(Align *align)
{
  Pair pair;
  Stream self = {.align = align, .recipe = align->recipe, .reverse_recipe = align->recipe};
  Pairs *pairs = pairs_open(align->base.command, align->file, align->targets, align->words);
  if (!pairs)
    return CLI_FAILED;
  g_queue_init(&self.waiting);
  cli_stop_begin(&align->base.engine.hooks);
  while (!self.is_lost && !cli_stop_is_wanted() && pairs_next(pairs, &pair)) {
    take_pair(&self, &pair);
    cli_stop_show("%u pairs", self.n_pairs);
  }
  const gboolean is_interrupted = cli_stop_is_wanted();
  cli_stop_end(&align->base.engine.hooks);
  put_waiting(&self);
  if (is_interrupted)
    cli_complain(align->base.command, "interrupted after %u lines", self.n_put);
  const gboolean read = pairs_close(pairs);
  return read && !self.failed && !is_interrupted && !self.is_lost ? CLI_DONE : CLI_FAILED;
}

/* Recipes that are listed where nobody says how many. */
#define LISTED 20

/* ---- Against a gold file: the corpus
 * ------------------------------------------------------------------------------ */

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
  for (gsize i = 0; i < gold->n_sentences; i++)
    for (int side = 0; side < MT_N_STACKS; side++)
      g_ptr_array_add(corpus->texts[side], g_strdup(mt_gold_text(gold, i, (mt_stack) side)));
}

static gboolean
add_pair(const Align *self, Corpus *corpus, const Pair *pair)
{
  const char *texts[] = {pair->source, pair->target};
  const char *words[] = {pair->source_words, pair->target_words};
  const char *problem = pair->problem      ? pair->problem
                        : pair->line.blank ? "the line is empty, and has links in the gold file"
                        : !pair->target    ? "--gold wants a translation behind a tab"
                                           : NULL;
  if (problem) {
    cli_complain(self->base.command, "%s:%" G_GUINT64_FORMAT ": %s", pair->line.file,
                 pair->line.number, problem);
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
read_texts(const Align *self, Corpus *corpus)
{
  Pair pair;
  Pairs *pairs = pairs_open(self->base.command, self->file, self->targets, self->words);
  gboolean ok = pairs != NULL;
  while (ok && pairs_next(pairs, &pair))
    ok = add_pair(self, corpus, &pair);
  return pairs && pairs_close(pairs) && ok;
}

/* ---- Recipes --------------------------------------------------------------------------------- */

/* Rows by their keys, "of,row"; all but those that need what is not there. */
static CliStatus
read_vary(const Align *self, guint32 *vary)
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
      return cli_usage(self->base.command,
                       "--vary wants some of %s with commas between, found '%s'", names->str,
                       keys[i]);
    }
    *vary |= UINT32_C(1) << row;
  }
  return CLI_DONE;
}

static mt_recipe *
make_recipes(const Align *self, guint32 vary, gsize *n, mt_error *error)
{
  const mt_config *config = mt_model_config(self->base.engine.model);
  return mt_recipe_grid(&self->recipe, vary, config->n_layers[MT_STACK_DECODER],
                        config->n_heads[MT_STACK_DECODER], self->reverse.session != NULL, n, error);
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
  const Align *align;
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
put_rates_text(const Answer *a)
{
  g_autoptr(GString) out = g_string_new(NULL);
  char text[MT_RECIPE_TEXT_SIZE];
  const guint32 shown = a->shown;
  gsize place;
  mt_recipe_find_field("of", &place);
  g_string_append_printf(out, "%s: %zu sentences, %zu sure and %zu further possible links\n",
                         a->gold->label, a->evaluation->n_sentences, a->gold->n_sure,
                         a->gold->n_links - a->gold->n_sure);
  g_string_append_printf(out,
                         "intervals: 95 %% of %" G_GINT64_FORMAT " samples, seed %" G_GINT64_FORMAT
                         "\n\n    AER    from     to   prec. recall  links  recipe\n",
                         a->align->samples, a->align->seed);
  for (gsize i = 0; i < a->n; i++) {
    const mt_evaluated *one = &a->evaluation->ranked[i];
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
  if (a->n < a->evaluation->n)
    g_string_append_printf(out, "and %zu others\n", a->evaluation->n - a->n);
  if (~shown & ((UINT32_C(1) << mt_recipe_n_fields()) - 1))
    g_string_append_printf(out, "\nall: %s\n", mt_recipe_describe(&a->align->recipe, ~shown, text));
  return cli_put(a->align->base.command, out->str, out->len);
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
put_rates_csv(const Answer *a)
{
  g_autoptr(GString) out = g_string_new(
      "rank,aer,low,high,precision,recall,links,sure,links_sure,links_possible,layer_chosen");
  char text[MT_RECIPE_TEXT_SIZE];
  for (gsize f = 0; f < mt_recipe_n_fields(); f++)
    g_string_append_printf(out, ",%s", mt_recipe_field_at(f)->key);
  g_string_append_c(out, '\n');
  for (gsize i = 0; i < a->n; i++) {
    const mt_evaluated *one = &a->evaluation->ranked[i];
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
  return cli_put(a->align->base.command, out->str, out->len);
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
put_rates_json(const Answer *a)
{
  json_object *object = json_object_new_object(), *list = json_object_new_array();
  regard_json_add(object, {"gold", cli_json_text(a->gold->label)},
                  {"format", cli_json_text(mt_gold_format_at(a->gold->format)->id)},
                  {"base", json_object_new_int((int) a->gold->base)},
                  {"model", cli_json_text(mt_model_name(a->align->base.engine.model))},
                  {"sentences", cli_json_size(a->evaluation->n_sentences)},
                  {"sure", cli_json_size(a->gold->n_sure)},
                  {"possible", cli_json_size(a->gold->n_links)},
                  {"samples", json_object_new_int64(a->align->samples)},
                  {"seed", json_object_new_int64(a->align->seed)},
                  {"level", json_object_new_double(0.95)},
                  {"recipes", cli_json_size(a->evaluation->n)});
  for (gsize i = 0; i < a->n; i++) {
    const mt_evaluated *one = &a->evaluation->ranked[i];
    json_object_array_add(
        list, regard_json_object({"recipe", recipe_json(&one->recipe)},
                                 {"layer_chosen", json_object_new_boolean(one->is_chosen)},
                                 {"aer", number_json(one->aer)}, {"low", number_json(one->low)},
                                 {"high", number_json(one->high)},
                                 {"precision", number_json(one->precision)},
                                 {"recall", number_json(one->recall)},
                                 {"links", cli_json_size(one->counts.n_links)},
                                 {"links_sure", cli_json_size(one->counts.n_links_sure)},
                                 {"links_possible", cli_json_size(one->counts.n_links_possible)}));
  }
  json_object_object_add(object, "ranking", list);
  return cli_json_put(a->align->base.command, object, TRUE);
}

/* ---- The whole evaluation
 * ------------------------------------------------------------------------------- */

static CliStatus
evaluate(Align *self, const mt_gold *gold, const Corpus *corpus, guint32 vary)
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
      .search = &self->base.engine.params,
      .reverse_search = self->reverse.session ? &self->reverse.params : NULL,
      .bootstrap = &bootstrap,
      .n_intervals = listed,
      .on_progress = cli_stop_show_share,
  };
  g_autoptr(mt_evaluation) evaluation = NULL;
  if (recipes) {
    cli_stop_begin(&self->base.engine.hooks);
    evaluation = mt_session_evaluate(self->base.engine.session, self->reverse.session, &params,
                                     recipes, n, &self->base.engine.hooks, &error);
    cli_stop_end(&self->base.engine.hooks);
  }
  const guint32 shown = recipes ? differing(recipes, n) : 0;
  mt_recipes_free(recipes);
  if (!evaluation) {
    cli_complain(self->base.command, "%s",
                 error.code == MT_ERROR_CANCELLED ? "interrupted; nothing was evaluated"
                                                  : error.message);
    return CLI_FAILED;
  }
  const Answer answer = {self, gold, evaluation, shown, listed};
  const gboolean written = self->json  ? put_rates_json(&answer)
                           : self->csv ? put_rates_csv(&answer)
                                       : put_rates_text(&answer);
  return written ? CLI_DONE : CLI_FAILED;
}

static int
given_or_guess(guint choice)
{
  return choice == CLI_NO_CHOICE ? MT_GOLD_GUESS : (int) choice;
}

/* The recipe, or many, against a gold file. */
static CliStatus
evaluate_gold(Align *self)
{
  guint32 vary;
  mt_error error = {0};
  Corpus corpus;
  CliStatus status = read_vary(self, &vary);
  if (status != CLI_DONE)
    return status;
  g_autoptr(mt_gold) gold = mt_gold_read(self->gold, given_or_guess(self->format_choice),
                                         given_or_guess(self->gold_base_choice), &error);
  if (!gold) {
    cli_complain(self->base.command, "%s", error.message);
    return CLI_FAILED;
  }
  corpus_init(&corpus);
  status = CLI_FAILED;
  if (self->file) {
    if (read_texts(self, &corpus))
      status = CLI_DONE;
  } else if (mt_gold_format_at(gold->format)->has_texts) {
    take_texts(&corpus, gold);
    status = CLI_DONE;
  } else {
    status = cli_usage(self->base.command, "%s has no texts: FILE is missing", gold->label);
  }
  if (status == CLI_DONE)
    status = evaluate(self, gold, &corpus, vary);
  corpus_clear(&corpus);
  return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Settings as text, or as an object that another command printed. */
static CliStatus
read_recipe(const CliCommand *command, const char *text, mt_recipe *recipe)
{
  mt_error error = {0};
  const gboolean ok = *text == '{'
                          ? mt_recipe_from_json(recipe, "--recipe", text, strlen(text), &error)
                          : mt_recipe_parse(recipe, "--recipe", text, &error);
  return ok ? CLI_DONE : cli_usage(command, "%s", error.message);
}

static CliStatus
check_recipe(const Align *self)
{
  mt_error error = {0};
  const CliEngine *engines[] = {&self->base.engine, &self->reverse};
  for (guint i = 0; i < 2 && engines[i]->model; i++) {
    const mt_config *config = mt_model_config(engines[i]->model);
    if (!mt_recipe_check(&self->recipe, config->n_layers[MT_STACK_DECODER],
                         config->n_heads[MT_STACK_DECODER], &error))
      return cli_usage(self->base.command, "--recipe: %s%s", error.message,
                       i ? " (--reverse-model)" : "");
  }
  if (self->recipe.symmetry != MT_RECIPE_ONE_DIRECTION && !self->reverse.session)
    return cli_usage(self->base.command, "links of both directions want --reverse-model");
  return CLI_DONE;
}

static CliStatus
check(gpointer user)
{
  Align *self = user;
  const CliCommand *command = self->base.command;
  const GPtrArray *files = self->base.arguments;
  if (files->len > 2)
    return cli_usage(command, "one FILE wanted, or two side by side, found %u", files->len);
  if (!self->gold &&
      (self->grid || self->vary || self->top || self->format_choice != CLI_NO_CHOICE ||
       self->gold_base_choice != CLI_NO_CHOICE))
    return cli_usage(command, "--grid, --vary, --top, --gold-format and --gold-base want --gold");
  if (self->json && self->csv)
    return cli_usage(command, "--json and --csv are two answers");
  if (self->reverse_options.from && !self->reverse_options.model)
    return cli_usage(command, "--reverse-from wants --reverse-model");
  if (self->reverse_options.to && !self->reverse_options.model)
    return cli_usage(command, "--reverse-to wants --reverse-model");
  if (self->reverse_options.task && !self->reverse_options.model)
    return cli_usage(command, "--reverse-task wants --reverse-model");
  if (self->words && self->gold && files->len == 0)
    return cli_usage(command, "--words wants FILE, of which they are the words");
  self->file = files->len > 0 ? files->pdata[0] : NULL;
  self->targets = files->len > 1 ? files->pdata[1] : NULL;
  return read_recipe(command, self->recipe_text, &self->recipe);
}

static CliStatus
check_model(gpointer user)
{
  Align *self = user;
  const CliStatus status =
      self->reverse_options.model
          ? cli_engine_open(self->base.command, &self->reverse_options, &self->reverse)
          : CLI_DONE;
  return status == CLI_DONE ? check_recipe(self) : status;
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  Align *self = user;
  return self->gold ? evaluate_gold(self) : align_stream(self);
}

static void
clear(gpointer self)
{
  cli_engine_clear(&((Align *) self)->reverse);
}

static const CliAnalysisSteps steps = {
    .check = check,
    .check_model = check_model,
    .compute = compute,
    .clear = clear,
};

const CliCommand cli_align = {
    .name = "align",
    .summary = "Say which word stands for which, and how far that is from a gold file",
    .arguments = "[FILE [TARGETS]]",
    .details =
        "Reads pairs, a line each: source, a tab, target; or sources from FILE and their\n"
        "translations from TARGETS; or standard input. Prints the links of each pair as "
        "source-target,\n"
        "counted from 0 (Pharaoh). A line without a tab is translated by the model, and the\n"
        "translation, with a tab, stands before its links. Words are what stands between white\n"
        "space. A line that cannot be aligned is named on standard error and gives an empty line.\n"
        "\n"
        "A recipe says how links are read from cross-attention; its settings, the default first:\n"
        "  matrix=norms|weights       what tokens give to each other, or weights alone\n"
        "  of=auto|4|4.1|4.1+5.1      the layer with the highest mean norm; a layer; heads\n"
        "  row=input|output           the row whose input is the target token, or its output\n"
        "  source=sum|mean            of the pieces of a source word\n"
        "  target=mean|sum            of the pieces of a target word\n"
        "  special=drop|keep          </s> left out; or a word that is most its has no link\n"
        "  choose=argmax|threshold    the largest of each target word, or all from threshold=0.2\n"
        "                             of what its row sums to\n"
        "  symmetry=none|intersection|union|grow-diag-final\n"
        "                             with links of --reverse-model (Koehn, Och & Marcu 2003)\n"
        "  punctuation=off|on         words without letter and digit go with such only\n"
        "The layer of of=auto is chosen by the first 100 pairs, which wait for it; what was chosen "
        "is\n"
        "said on standard error. JSON of a recipe, as --json prints it, is understood, too.\n"
        "\n"
        "--json prints an object for each pair: file, line, source, target, recipe, layer_chosen\n"
        "(by its norms), source_words, target_words, links (source, target, weight: share of the\n"
        "row); or file, line, error. --csv prints a line for each link.\n"
        "\n"
        "--gold FILE compares with links that people made: Pharaoh (0-0 1p2, p: possible only),\n"
        "TALP (the same from 1), NAACL (0001 1 2 S), or lines of source, target, sure links and\n"
        "possible links with tabs between, which need no other FILE. Prints alignment error rate,\n"
        "its interval (bootstrap over sentences), precision and recall in per cent (Och & Ney "
        "2003).\n"
        "--grid compares all recipes, best first, --vary those that differ in some settings.\n"
        "--json and --csv have all of them, rates from 0 to 1; --top ends the list.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
