/* cli-align.c — regard-cli align: which word stands for which, for whole files, and how far that is
 * from what people said.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-align.h"

#include <string.h>

#define SAMPLES 1000
#define SEED    1

static const char *const bases[] = {"0", "1", NULL};

/* Ids of the formats, for the option. */
static const char *const *
format_names(void)
{
  static const char *names[8];
  for (gsize i = 0; i < mt_gold_n_formats() && i + 1 < G_N_ELEMENTS(names); i++)
    names[i] = mt_gold_format_at(i)->id;
  return names;
}

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
check_recipe(const CliAlign *self)
{
  mt_error error = {0};
  const CliEngine *engines[] = {self->engine, self->reverse};
  for (guint i = 0; i < 2 && engines[i]->model; i++) {
    const mt_config *config = mt_model_config(engines[i]->model);
    if (!mt_recipe_check(&self->recipe, config->n_layers[MT_STACK_DECODER],
                         config->n_heads[MT_STACK_DECODER], &error))
      return cli_usage(self->command, "--recipe: %s%s", error.message,
                       i ? " (--reverse-model)" : "");
  }
  if (self->recipe.symmetry != MT_RECIPE_ONE_DIRECTION && !self->reverse->session)
    return cli_usage(self->command, "links of both directions want --reverse-model");
  return CLI_DONE;
}

static CliStatus
open_reverse(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  return options->model ? cli_engine_open(command, options, engine) : CLI_DONE;
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid}, reverse_options = {0};
  const char *recipe = "";
  guint format = CLI_NO_CHOICE, gold_base = CLI_NO_CHOICE, base = 0;
  CliAlign self = {.command = command, .samples = SAMPLES, .seed = SEED};
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_TEXT, "reverse-model", 0, &reverse_options.model, "DIR",
       "A model of the other direction, for links of both"},
      {CLI_OPTION_TEXT, "reverse-to", 0, &reverse_options.to, "CODE", "Its target language"},
      {CLI_OPTION_WORDS, "recipe", 0, &recipe, "RECIPE",
       "How links are read, such as 'of=4 row=output'; see below"},
      {CLI_OPTION_TEXT, "words", 0, &self.words, "FILE",
       "The same sentences tokenised, a tab between: their words are counted"},
      {CLI_OPTION_CHOICE, "base", 0, &base, "N", "Count the words that are printed from N", 0, 0,
       bases},
      {CLI_OPTION_FLAG, "json", 0, &self.json, NULL, "Print JSON"},
      {CLI_OPTION_FLAG, "csv", 0, &self.csv, NULL, "Print CSV"},
      {CLI_OPTION_TEXT, "gold", 0, &self.gold, "FILE",
       "Compare with the links of FILE, and print error rates"},
      {CLI_OPTION_CHOICE, "gold-format", 0, &format, "F",
       "How FILE is written; default: as it looks", 0, 0, format_names()},
      {CLI_OPTION_CHOICE, "gold-base", 0, &gold_base, "N",
       "What FILE counts from; default: 0 if it has a word 0, else 1", 0, 0, bases},
      {CLI_OPTION_FLAG, "grid", 0, &self.grid, NULL,
       "Compare all recipes: every layer, every head, every setting"},
      {CLI_OPTION_TEXT, "vary", 0, &self.vary, "KEYS",
       "Compare recipes that differ in these settings only, such as of,row"},
      {CLI_OPTION_WHOLE, "top", 0, &self.top, "K", "Print so many recipes; default 20", 1, 1000000},
      {CLI_OPTION_WHOLE, "samples", 0, &self.samples, "N", "Samples of the bootstrap; default 1000",
       1, 1000000},
      {CLI_OPTION_WHOLE, "seed", 0, &self.seed, "N", "Its seed; default 1", 0, G_MAXINT32},
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) files = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  g_auto(CliEngine) reverse = {0};
  CliStatus status;

  if (!cli_options_parse(command, options, argc, argv, files, &status))
    return status;
  if (files->len > 2)
    return cli_usage(command, "one FILE wanted, or two side by side, found %u", files->len);
  if (!self.gold &&
      (self.grid || self.vary || self.top || format != CLI_NO_CHOICE || gold_base != CLI_NO_CHOICE))
    return cli_usage(command, "--grid, --vary, --top, --gold-format and --gold-base want --gold");
  if (self.json && self.csv)
    return cli_usage(command, "--json and --csv are two answers");
  if (reverse_options.to && !reverse_options.model)
    return cli_usage(command, "--reverse-to wants --reverse-model");
  if (self.words && self.gold && files->len == 0)
    return cli_usage(command, "--words wants FILE, of which they are the words");
  if ((status = read_recipe(command, recipe, &self.recipe)) != CLI_DONE ||
      (status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE ||
      (status = open_reverse(command, &reverse_options, &reverse)) != CLI_DONE)
    return status;
  self.engine = &engine;
  self.reverse = &reverse;
  self.file = files->len > 0 ? files->pdata[0] : NULL;
  self.targets = files->len > 1 ? files->pdata[1] : NULL;
  self.base = base;
  self.gold_format = format == CLI_NO_CHOICE ? MT_GOLD_GUESS : (int) format;
  self.gold_base = gold_base == CLI_NO_CHOICE ? MT_GOLD_GUESS : (int) gold_base;
  if ((status = check_recipe(&self)) != CLI_DONE)
    return status;
  return self.gold ? cli_align_evaluate(&self) : cli_align_stream(&self);
}

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
    .run = run,
};
