/* cli-steps.c — regard-cli steps: what a search considered, step by step, as a table, a picture or
 * numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-steps.h"

#include "cli/cli-engine.h"
#include "cli/cli-picture.h"
#include "figures/regard-figure-steps.h"
#include "figures/regard-figure-tree.h"
#include <string.h>

/* Candidates that are kept of each step where nobody says how many, and that are shown. */
#define KEPT        20
#define PRINTED     5
#define DRAWN       10
#define SHORT_ALPHA "alpha"

enum { SHOW_TREE, SHOW_STEP, SHOW_STEPS };
static const char *const show_names[] = {"tree", "step", "steps", NULL};
/* The encoder has no steps. */
static const char *const kind_names[] = {"cross", "decoder", NULL};
static const mt_attention_kind kinds[] = {MT_CROSS, MT_DECODER_SELF};

typedef struct {
  gint64 top, step; /* 0: not given */
  guint show;       /* CLI_NO_CHOICE: not given */
  guint kind;       /* index into kinds */
  gint64 layer, head;
  const char *against;
  gboolean fold, held_only;
} Wanted;

/* A search that was kept. */
typedef struct {
  mt_search_params params;
  RegardSteps *steps;
} Search;

/* ---- Settings -------------------------------------------------------------------------------- */

/* The row of a setting as it is typed: "beam", "length-penalty", "alpha"; FALSE: there is none. */
static gboolean
find_setting(const char *name, gsize *i)
{
  if (strcmp(name, SHORT_ALPHA) == 0)
    return mt_search_find_field("length_penalty", i);
  for (*i = 0; *i < mt_search_n_fields(); (*i)++) {
    const mt_search_field *field = mt_search_field_at(*i);
    if (field->decides && field->option && strcmp(field->option, name) == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
parse_value(const mt_search_field *field, const char *text, double *value)
{
  char *end;
  for (guint i = 0; field->type == MT_SEARCH_CHOICE && field->choices[i]; i++)
    if (strcmp(field->choices[i], text) == 0) {
      *value = i;
      return TRUE;
    }
  *value = g_ascii_strtod(text, &end);
  return field->type != MT_SEARCH_CHOICE && end != text && *end == '\0' &&
         *value >= field->typed.least && *value <= field->typed.most;
}

/* "beam=12,alpha=0.6" over the settings of the first search. */
static CliStatus
parse_against(const CliCommand *command, const char *text, mt_request *request)
{
  g_auto(GStrv) settings = g_strsplit(text, ",", -1);
  mt_error error = {0};
  for (char **setting = settings; *setting; setting++) {
    char *equals = strchr(g_strstrip(*setting), '=');
    double value;
    gsize i;
    if (equals)
      *equals = '\0';
    if (!equals || !find_setting(*setting, &i))
      return cli_usage(command,
                       "--against wants settings such as beam=12,length-penalty=0.6, found '%s'",
                       text);
    if (!parse_value(mt_search_field_at(i), equals + 1, &value) ||
        !mt_request_set(request, i, value, &error))
      return cli_usage(command, "--against: '%s' is no %s%s%s", equals + 1,
                       mt_search_field_at(i)->name, *error.message ? ": " : "", error.message);
  }
  return CLI_DONE;
}

/* All hypotheses of a search are told, and its candidates kept. */
static mt_search_params
traced(mt_search_params params, const Wanted *wanted)
{
  params.n_best = params.beam_size;
  params.trace = wanted->top ? (gsize) wanted->top : KEPT;
  return params;
}

/* ---- Searching ------------------------------------------------------------------------------- */

static gboolean
search(const CliCommand *command, CliEngine *engine, const char *text, gboolean with_attention,
       Search *result, mt_error *error)
{
  mt_capture *capture = NULL;
  engine->params = result->params;
  mt_translation *translation = cli_engine_translate(command, engine, text, NULL, error);
  if (translation && with_attention)
    capture = mt_session_capture(engine->session, translation, 0, 0, &engine->hooks, error);
  if (translation && (capture || !with_attention))
    result->steps = regard_steps_new(engine->model, translation, 0, capture);
  if (result->steps)
    cli_engine_remark(command, "", translation);
  mt_capture_unref(capture);
  mt_translation_unref(translation);
  return result->steps != NULL;
}

/* Is something asked for that only one step has? */
static gboolean
is_of_step(const Wanted *wanted)
{
  return wanted->step || wanted->layer || wanted->head || wanted->kind != CLI_NO_CHOICE;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Against the model: anything but CLI_DONE has been reported. */
static CliStatus
check_place(const CliCommand *command, const mt_config *config, Wanted *wanted)
{
  const gint64 n_layers = (gint64) config->n_layers[MT_STACK_DECODER];
  const gint64 n_heads = (gint64) config->n_heads[MT_STACK_DECODER];
  if (wanted->layer > n_layers)
    return cli_usage(command,
                     "--layer wants 1 to %" G_GINT64_FORMAT
                     ", the layers of this model, found %" G_GINT64_FORMAT,
                     n_layers, wanted->layer);
  if (wanted->head > n_heads)
    return cli_usage(command,
                     "--head wants 1 to %" G_GINT64_FORMAT
                     ", the heads of this model, found %" G_GINT64_FORMAT,
                     n_heads, wanted->head);
  if (!wanted->layer)
    wanted->layer = MAX(n_layers - 1, 1);
  return CLI_DONE;
}

/* The step of which the model was least sure. */
static guint
least_sure(const RegardSteps *steps)
{
  guint best = 0;
  float most = -1;
  for (guint t = 0; t < steps->n; t++)
    if (steps->rows[t] >= 0) {
      const mt_step_row row = mt_steps_row(steps->steps, (gsize) steps->rows[t]);
      if (row.entropy > most) {
        most = row.entropy;
        best = t;
      }
    }
  return best;
}

static RegardFigure *
make_step_figure(RegardSteps *steps, const Wanted *wanted, const RegardFigureStyle *style)
{
  const RegardStepsLook look = {
      .parts = wanted->show == SHOW_STEPS ? REGARD_STEPS_ENTROPY : REGARD_STEPS_ALL,
      .step = wanted->step ? (guint) wanted->step - 1 : least_sure(steps),
      .top = wanted->top ? (guint) wanted->top : DRAWN,
      .selected = -1,
      .kind = kinds[wanted->kind == CLI_NO_CHOICE ? 0 : wanted->kind],
      .layer = (guint) wanted->layer - 1,
      .head = (int) wanted->head - 1,
  };
  return regard_figure_new_steps(steps, &look, style);
}

static CliStatus
write_figure(const CliCommand *command, const Search *searches, guint n, const Wanted *wanted,
             const CliPicture *picture)
{
  RegardSteps *steps = searches[0].steps, *all[] = {steps, searches[1].steps};
  const RegardTreeLook look = {.fold = wanted->fold,
                               .held_only = wanted->held_only,
                               .node = -1,
                               .step = -1};
  const guint n_steps = steps->n;
  if (wanted->show == SHOW_TREE)
    return cli_picture_write(command, picture,
                             regard_figure_new_tree(all, n, &look, &picture->style));
  if (wanted->step > n_steps)
    return cli_usage(command,
                     "--step wants 1 to %u, the steps of this text, found %" G_GINT64_FORMAT,
                     n_steps, wanted->step);
  return cli_picture_write(command, picture, make_step_figure(steps, wanted, &picture->style));
}

static CliStatus
print_tables(const CliCommand *command, const Search *searches, guint n, const Wanted *wanted)
{
  g_autoptr(GString) out = g_string_new(NULL);
  for (guint i = 0; i < n; i++) {
    if (i)
      g_string_append_c(out, '\n');
    cli_steps_append_search(out, searches[i].steps, &searches[i].params,
                            wanted->top ? (guint) wanted->top : PRINTED);
  }
  if (n > 1)
    cli_steps_append_comparison(out, searches[0].steps, searches[1].steps);
  return cli_put(command, out->str, out->len) ? CLI_DONE : CLI_FAILED;
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new(),
                       force = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid, .force = force};
  CliPicture picture = CLI_PICTURE_INIT;
  picture.has_graph = TRUE;
  Wanted wanted = {.show = CLI_NO_CHOICE, .kind = CLI_NO_CHOICE};
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_WHOLE, "top", 0, &wanted.top, "K",
       "So many candidates of each step; default 5 printed, 10 drawn, 20 in files", 1,
       MT_MAX_TRACED},
      CLI_PICTURE_OPTION_OUTPUT(picture),
      {CLI_OPTION_CHOICE, "show", 0, &wanted.show, "WHAT",
       "The tree of hypotheses, which is the default, one step, or the entropy of all", 0, 0,
       show_names},
      {CLI_OPTION_FLAG, "fold", 0, &wanted.fold, NULL, "Draw what does not branch as one node"},
      {CLI_OPTION_FLAG, "held-only", 0, &wanted.held_only, NULL,
       "Draw only hypotheses that were held"},
      {CLI_OPTION_WHOLE, "step", 0, &wanted.step, "N",
       "Which step, from 1; default: the one that the model is least sure of", 1, 100000},
      {CLI_OPTION_CHOICE, "kind", 0, &wanted.kind, "KIND",
       "Which attention stands beside a step; default cross", 0, 0, kind_names},
      {CLI_OPTION_WHOLE, "layer", 0, &wanted.layer, "L",
       "Its layer, from 1; default: the last but one", 1, 10000},
      {CLI_OPTION_WHOLE, "head", 0, &wanted.head, "H", "Its head, from 1; default: their mean", 1,
       10000},
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      {CLI_OPTION_TEXT, "against", 0, &wanted.against, "SETTINGS",
       "Search again, such as with beam=12,alpha=0.6, and show both"},
      CLI_ENGINE_OPTIONS_CONSTRAINTS(engine_options),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_ENGINE_OPTION_PRECISION(engine_options),
      CLI_PICTURE_OPTIONS_LOOK(picture),
      CLI_OPTIONS_END,
  };
  g_auto(CliEngine) engine = {0};
  CliStatus status;
  mt_error error = {0};

  const char *text = cli_options_parse_text(command, options, argc, argv, &status);
  if (!text)
    return status;
  if (!picture.output && wanted.show != CLI_NO_CHOICE)
    return cli_usage(command, "--show is for files: -o FILE is missing");
  if (wanted.show == CLI_NO_CHOICE)
    wanted.show = is_of_step(&wanted) ? SHOW_STEP : SHOW_TREE;
  if (wanted.show == SHOW_TREE && is_of_step(&wanted))
    return cli_usage(command, "--step, --kind, --layer and --head are for one step");
  if (picture.output && wanted.against && wanted.show != SHOW_TREE)
    return cli_usage(command, "--against compares two trees; a step is of one search");
  if (wanted.show != SHOW_TREE && (wanted.fold || wanted.held_only))
    return cli_usage(command, "--fold and --held-only are for the tree");
  picture.has_graph = wanted.show == SHOW_TREE;
  if ((picture.output && (status = cli_picture_check(command, &picture)) != CLI_DONE) ||
      (status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE ||
      (status = check_place(command, mt_model_config(engine.model), &wanted)) != CLI_DONE)
    return status;
  Search searches[2] = {{.params = traced(engine.params, &wanted)}};
  guint n = 1;
  if (wanted.against) {
    mt_request request = mt_request_copy(&engine.request);
    status = parse_against(command, wanted.against, &request);
    searches[n].params = mt_request_resolve(&request, engine.model);
    searches[n].params.constraints = engine.request.constraints;
    searches[n].params = traced(searches[n].params, &wanted);
    mt_request_clear(&request);
    n++;
  }
  gboolean found = status == CLI_DONE;
  for (guint i = 0; found && i < n; i++)
    found = search(command, &engine, text, picture.output && wanted.show == SHOW_STEP, &searches[i],
                   &error);
  if (found)
    status = picture.output ? write_figure(command, searches, n, &wanted, &picture)
                            : print_tables(command, searches, n, &wanted);
  else if (status == CLI_DONE) {
    cli_complain(command, "%s", error.message);
    status = CLI_FAILED;
  }
  for (guint i = 0; i < n; i++)
    g_clear_pointer(&searches[i].steps, regard_steps_unref);
  return status;
}

const CliCommand cli_steps = {
    .name = "steps",
    .summary = "Show what a search considered, step by step",
    .arguments = "[-o FILE] TEXT",
    .details =
        "Translates TEXT and prints each step: what goes in, what comes out, its probability, the\n"
        "entropy of the distribution in bits, and its likeliest pieces; then the hypotheses that\n"
        "were found, best first, with the sum of their log-probabilities, their length, and the\n"
        "score that comes of them; then what became of all hypotheses that were considered.\n"
        "With --against it searches again with other settings and says where the two part.\n"
        "\n"
        "With -o it writes the tree of all hypotheses, with --against two, one below the other.\n"
        "JSON has them step by step, DOT is for Graphviz; CSV and NPZ hold nodes (step, parent,\n"
        "id, sum, score, fate and more), rows (the distribution behind a node, its entropy in\n"
        "nats) and options (candidates of a row). Nodes and rows count from 0; a parent of -1 is\n"
        "the start. Fates: 0 went on, 1 finished, 2 outdone, 3 pruned, 4 stopped.\n"
        "\n"
        "With --step, --kind, --layer or --head it writes one step: its candidates with their\n"
        "probabilities, the entropy of all steps, what the step looks at. CSV, JSON and NPZ hold\n"
        "options (id, logprob, after: what the search counts, rule, rank), steps (id, logprob,\n"
        "rank, entropy_bits, is_forced), all_options and attention. Rules: 1 another piece is\n"
        "forced by --prefix, 2 forbidden, 3 a bad word of the model, 4 too short, 5 another piece\n"
        "is forced by the model, 6 a repetition (--no-repeat-ngram). Steps, ranks and results\n"
        "count from 1; 0 is none, or not known.\n",
    .run = run,
};
