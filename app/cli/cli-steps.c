/* cli-steps.c — regard-cli steps: what a search considered, step by step, as a table, a picture or
 * numbers; and animate steps and animate beam, the same one step after the other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-animate.h"
#include "figures/regard-figure-steps.h"
#include "figures/regard-figure-tree.h"
#include "figures/regard-naming.h"

#include <math.h>
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

/* A search that was kept. */
typedef struct {
  mt_search_params params;
  RegardSteps *steps;
} Search;

typedef struct {
  CliAnalysis base;
  gint64 top, step; /* 0: not given */
  guint show;       /* CLI_NO_CHOICE: not given */
  guint kind;       /* index into kinds */
  gint64 layer, head;
  const char *foil;
  gboolean fold, held_only;
  Search searches[2];
  guint n_searches;
} Steps;

#define AT(member) offsetof(Steps, member)
static const Steps defaults = {.base = CLI_ANALYSIS_INIT,
                               .show = CLI_NO_CHOICE,
                               .kind = CLI_NO_CHOICE};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_WHOLE, "top", 0, AT(top), "K",
     "So many candidates of each step; default 5 printed, 10 drawn, 20 in files", 1, MT_MAX_TRACED},
    CLI_OPTIONS(cli_options_texts),
    CLI_OPTIONS(cli_options_output_graph),
    {CLI_OPTION_CHOICE, "show", 0, AT(show), "WHAT",
     "The tree of hypotheses, which is the default, one step, or the entropy of all", 0, 0,
     show_names},
    {CLI_OPTION_FLAG, "fold", 0, AT(fold), NULL, "Draw what does not branch as one node"},
    {CLI_OPTION_FLAG, "held-only", 0, AT(held_only), NULL, "Draw only hypotheses that were held"},
    {CLI_OPTION_WHOLE, "step", 0, AT(step), "N",
     "Which step, from 1; default: the one that the model is least sure of", 1, 100000},
    {CLI_OPTION_CHOICE, "kind", 0, AT(kind), "KIND",
     "Which attention stands beside a step; default cross", 0, 0, kind_names},
    {CLI_OPTION_WHOLE, "layer", 0, AT(layer), "L", "Its layer, from 1; default: the last but one",
     1, 10000},
    {CLI_OPTION_WHOLE, "head", 0, AT(head), "H", "Its head, from 1; default: their mean", 1, 10000},
    CLI_OPTIONS(cli_options_search),
    {CLI_OPTION_TEXT, "against", 0, AT(foil), "SETTINGS",
     "Search again, such as with beam=12,alpha=0.6, and show both"},
    CLI_OPTIONS(cli_options_constraints),
    CLI_OPTIONS(cli_options_run),
    CLI_OPTIONS(cli_options_precision),
    CLI_OPTIONS(cli_options_said_memory),
    CLI_OPTIONS(cli_options_picture),
    CLI_OPTIONS_END,
};

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

/* Is something asked for that only one step has? */
static gboolean
is_of_step(const Steps *self)
{
  return self->step || self->layer || self->head || self->kind != CLI_NO_CHOICE;
}

static CliStatus
check(gpointer user)
{
  Steps *self = user;
  const CliCommand *command = self->base.command;
  const gboolean is_drawn = self->base.picture.output != NULL;
  if (!is_drawn && self->show != CLI_NO_CHOICE)
    return cli_usage(command, "--show is for files: -o FILE is missing");
  if (self->show == CLI_NO_CHOICE)
    self->show = is_of_step(self) ? SHOW_STEP : SHOW_TREE;
  if (self->show == SHOW_TREE && is_of_step(self))
    return cli_usage(command, "--step, --kind, --layer and --head are for one step");
  if (is_drawn && self->foil && self->show != SHOW_TREE)
    return cli_usage(command, "--against compares two trees; a step is of one search");
  if (self->show != SHOW_TREE && (self->fold || self->held_only))
    return cli_usage(command, "--fold and --held-only are for the tree");
  self->base.picture.figure = self->show == SHOW_TREE ? CLI_FIGURE_GRAPH : CLI_FIGURE_PLAIN;
  return CLI_DONE;
}

static CliStatus
check_model(gpointer user)
{
  Steps *self = user;
  const mt_config *config = mt_model_config(self->base.engine.model);
  const gsize n_layers = config->n_layers[MT_STACK_DECODER];
  CliStatus status =
      cli_check_number(self->base.command, "layer", self->layer, n_layers, "layers of this model");
  if (status == CLI_DONE)
    status = cli_check_number(self->base.command, "head", self->head,
                              config->n_heads[MT_STACK_DECODER], "heads of this model");
  if (!self->layer)
    self->layer = MAX((gint64) n_layers - 1, 1);
  return status;
}

/* ---- Searching ------------------------------------------------------------------------------- */

/* All hypotheses of a search are told, and its candidates kept. */
static void
add_search(Steps *self, mt_search_params params)
{
  params.n_best = params.beam_size;
  params.trace = self->top ? (gsize) self->top : KEPT;
  self->searches[self->n_searches++].params = params;
}

static gboolean
search(Steps *self, Search *result, mt_error *error)
{
  const gboolean with_attention = self->base.picture.output && self->show == SHOW_STEP;
  CliEngine *engine = &self->base.engine;
  g_autoptr(mt_capture) capture = NULL;
  engine->params = result->params;
  g_autoptr(mt_translation) translation =
      cli_engine_translate(self->base.command, engine, self->base.text, NULL, error);
  if (translation && with_attention) {
    /* All heads of one layer: the bars are of one of them or of their mean. */
    const mt_capture_place place = {(int) kinds[self->kind == CLI_NO_CHOICE ? 0 : self->kind],
                                    (int) self->layer - 1, -1};
    capture = cli_engine_capture(self->base.command, engine, &self->base.options, translation,
                                 &place, 0, NULL, error);
  }
  if (translation && (capture || !with_attention))
    result->steps = regard_steps_new(engine->model, translation, 0, capture);
  if (result->steps)
    cli_engine_remark(self->base.command, "", translation);
  return result->steps != NULL;
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  Steps *self = user;
  CliEngine *engine = &self->base.engine;
  CliStatus status = CLI_DONE;
  add_search(self, engine->params);
  if (self->foil) {
    mt_request request = mt_request_copy(&engine->request);
    status = parse_against(self->base.command, self->foil, &request);
    mt_search_params params = mt_request_resolve(&request, engine->model);
    params.constraints = engine->request.constraints;
    add_search(self, params);
    mt_request_clear(&request);
  }
  for (guint i = 0; status == CLI_DONE && i < self->n_searches; i++)
    if (!search(self, &self->searches[i], error))
      status = CLI_FAILED;
  if (status == CLI_DONE && self->base.picture.output && self->show != SHOW_TREE)
    status = cli_check_number(self->base.command, "step", self->step, self->searches[0].steps->n,
                              "steps of this text");
  return status;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* The step of which the model was least sure. */
static guint
least_sure(const RegardSteps *steps)
{
  guint best = 0;
  float most = -1;
  for (guint t = 0; t < steps->n; t++)
    if (steps->rows[t] >= 0) {
      const mt_step_row row = steps->steps->rows[(gsize) steps->rows[t]];
      if (row.entropy > most) {
        most = row.entropy;
        best = t;
      }
    }
  return best;
}

static RegardStepsOptions
look_of(const Steps *self)
{
  return (RegardStepsOptions){
      .parts = self->show == SHOW_STEPS ? REGARD_STEPS_ENTROPY : REGARD_STEPS_ALL,
      .step = self->step ? (guint) self->step - 1 : least_sure(self->searches[0].steps),
      .top = self->top ? (guint) self->top : DRAWN,
      .selected = -1,
      .kind = kinds[self->kind == CLI_NO_CHOICE ? 0 : self->kind],
      .layer = (guint) self->layer - 1,
      .head = (int) self->head - 1,
  };
}

static RegardFigure *
draw(gpointer user, mt_error *error)
{
  const Steps *self = user;
  const RegardFigureStyle *style = &self->base.picture.style;
  RegardSteps *steps = self->searches[0].steps, *all[] = {steps, self->searches[1].steps};
  const RegardTreeOptions tree = {.fold = self->fold,
                                  .held_only = self->held_only,
                                  .node = -1,
                                  .step = -1};
  const RegardStepsOptions look = look_of(self);
  return self->show == SHOW_TREE ? regard_figure_new_tree(all, self->n_searches, &tree, style)
                                 : regard_figure_new_steps(steps, &look, style);
}

/* Columns of a terminal that a text takes. */
static guint
columns_of(const char *text)
{
  guint n = 0;
  for (const char *p = text; *p; p = g_utf8_next_char(p)) {
    const gunichar c = g_utf8_get_char(p);
    n += g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
  }
  return n;
}

static void
append_padded(GString *out, const char *text, guint width, gboolean right)
{
  const guint used = columns_of(text), pad = used < width ? width - used : 0;
  g_string_append_printf(out, "%*s%s%*s", right ? (int) pad : 0, "", text, right ? 0 : (int) pad,
                         "");
}

/* A piece cannot tear its line apart. */
static char *
dup_piece(const RegardSteps *steps, int32_t id)
{
  g_autofree char *piece = regard_steps_dup_piece(steps, id);
  return regard_visible(piece);
}

/* ---- The table: settings
 * -------------------------------------------------------------------------------- */

/* "beam size 4, length penalty 1, early stopping false" */
static void
append_settings(GString *out, const mt_search_params *params)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  gboolean is_first = TRUE;
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    const double value = mt_search_params_get(params, i);
    if (!field->decides || field->is_length)
      continue;
    g_ascii_formatd(number, sizeof number, "%g", value);
    g_string_append_printf(out, "%s%s %s", is_first ? "" : ", ", field->name,
                           field->type == MT_SEARCH_CHOICE ? field->choices[(gsize) value]
                                                           : number);
    is_first = FALSE;
  }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void
append_option(GString *out, const RegardSteps *steps, const mt_option *option, gboolean is_chosen)
{
  char percent[32];
  g_autofree char *piece = dup_piece(steps, option->id);
  regard_steps_percent(percent, exp((double) option->logprob));
  g_string_append_printf(out, is_chosen ? "  [%s %s]" : "  %s %s", piece, percent);
  if (option->rule != MT_RULE_NONE && option->rule != MT_RULE_PREFIX &&
      option->rule != MT_RULE_FORCED)
    g_string_append_printf(out, " (%s)", mt_rule_name(option->rule));
}

/* The likeliest of a step; the one that was chosen in brackets, wherever it stands. */
static void
append_options(GString *out, const RegardSteps *steps, const mt_step_row *row, int32_t chosen,
               guint top)
{
  const guint n = (guint) MIN(MIN((gsize) top, row->n), steps->steps->top);
  char percent[32];
  double together = 0;
  gboolean seen = FALSE;
  g_string_append(out, "     ");
  for (guint i = 0; i < row->n; i++) {
    const mt_option *option = &row->options[i];
    const gboolean is_chosen = option->id == chosen;
    if (i >= n && !is_chosen)
      continue;
    if (i >= n && !seen)
      g_string_append(out, "  …");
    append_option(out, steps, option, is_chosen);
    seen |= is_chosen;
    together += exp((double) option->logprob);
  }
  g_string_append_printf(out, "  others %s\n", regard_steps_percent(percent, MAX(1 - together, 0)));
}

static void
append_steps(GString *out, const RegardSteps *steps, guint top)
{
  g_autoptr(GPtrArray) pieces = g_ptr_array_new_with_free_func(g_free);
  guint widest = 5;
  char number[G_ASCII_DTOSTR_BUF_SIZE], percent[32];
  g_ptr_array_add(pieces, g_strdup("start"));
  for (guint t = 0; t < steps->n; t++) {
    const mt_step_node *node = &steps->steps->nodes[(gsize) steps->nodes[t]];
    g_ptr_array_add(pieces, dup_piece(steps, node->id));
    widest = MAX(widest, columns_of(pieces->pdata[t + 1]));
  }
  g_string_append(out, "step  ");
  append_padded(out, "in", widest, TRUE);
  g_string_append(out, "   ");
  append_padded(out, "out", widest, FALSE);
  g_string_append(out, "   probability   entropy\n");
  for (guint t = 0; t < steps->n; t++) {
    const mt_step_node *node = &steps->steps->nodes[(gsize) steps->nodes[t]];
    g_string_append_printf(out, "%4u  ", t + 1);
    append_padded(out, pieces->pdata[t], widest, TRUE);
    g_string_append(out, " → ");
    append_padded(out, pieces->pdata[t + 1], widest, FALSE);
    g_string_append_printf(out, "   %11s",
                           regard_steps_percent(percent, exp((double) node->logprob)));
    if (steps->rows[t] >= 0) {
      const mt_step_row row = steps->steps->rows[(gsize) steps->rows[t]];
      g_ascii_formatd(number, sizeof number, "%.2f", (double) row.entropy / G_LN2);
      g_string_append_printf(out, "   %5s bit%s\n", number, node->is_forced ? "   forced" : "");
      append_options(out, steps, &row, node->id, top);
    } else
      g_string_append_c(out, '\n');
  }
}

/* ---- Hypotheses ------------------------------------------------------------------------------ */

/* "−3.68 / 18^1 = −0.2044" */
static void
append_score(GString *out, const mt_steps *steps, const mt_step_node *node)
{
  char sum[G_ASCII_DTOSTR_BUF_SIZE], alpha[G_ASCII_DTOSTR_BUF_SIZE], score[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(sum, sizeof sum, "%.4f", (double) node->sum);
  g_ascii_formatd(alpha, sizeof alpha, "%g", (double) steps->length_penalty);
  g_ascii_formatd(score, sizeof score, "%.4f", (double) node->score);
  g_string_append_printf(out, "%s / %" G_GSIZE_FORMAT "^%s = %s", sum,
                         mt_steps_counted(steps, node), alpha, score);
}

static void
append_hypotheses(GString *out, const RegardSteps *steps, const mt_search_params *params)
{
  gsize n_prefix;
  mt_constraints_prefix(params->constraints, &n_prefix);
  g_string_append_printf(out, "\nsum of log p / length^penalty = score%s\n",
                         n_prefix == 0                                ? ""
                         : params->prefix_score == MT_PREFIX_LEFT_OUT ? ", the prefix left out"
                                                                      : ", the prefix counted");
  for (gsize i = 0; i < mt_translation_count(steps->translation); i++) {
    const int32_t node = mt_steps_result(steps->steps, i);
    if (node < 0)
      continue;
    const mt_hypothesis *hypothesis = mt_translation_hypothesis(steps->translation, i);
    g_autofree char *text = regard_visible(hypothesis->text);
    g_autoptr(GString) score = g_string_new(NULL);
    append_score(score, steps->steps, &steps->steps->nodes[(gsize) node]);
    g_string_append_printf(out, "%4" G_GSIZE_FORMAT "  ", i + 1);
    append_padded(out, score->str, 28, FALSE);
    g_string_append_printf(out, "  %s%s\n", text,
                           steps->steps->nodes[(gsize) node].is_cut
                               ? " (cut off at the greatest length)"
                               : "");
  }
}

/* What became of everything that was considered. */
static void
append_fates(GString *out, const RegardSteps *steps)
{
  static const struct {
    mt_fate fate;
    const char *words;
  } fates[] = {
      {MT_FATE_WENT_ON, "went on"}, {MT_FATE_FINISHED, "finished"}, {MT_FATE_OUTDONE, "outdone"},
      {MT_FATE_STOPPED, "stopped"}, {MT_FATE_PRUNED, "pruned"},
  };
  const gsize n = steps->steps->n_nodes;
  gsize counts[MT_FATE_STOPPED + 1] = {0};
  for (gsize i = 0; i < n; i++)
    counts[steps->steps->nodes[i].fate]++;
  g_string_append_printf(out, "\n%" G_GSIZE_FORMAT " hypotheses considered:", n);
  for (gsize i = 0; i < G_N_ELEMENTS(fates); i++)
    g_string_append_printf(out, "%s %" G_GSIZE_FORMAT " %s", i ? "," : "", counts[fates[i].fate],
                           fates[i].words);
  g_string_append_c(out, '\n');
}

/* Each step with its `top` likeliest tokens, then the hypotheses with their scores, then what
 * became of all that were considered. */
static void
append_search(GString *out, const RegardSteps *steps, const mt_search_params *params, guint top)
{
  append_settings(out, params);
  g_string_append(out, "\n\n");
  append_steps(out, steps, top);
  append_hypotheses(out, steps, params);
  append_fates(out, steps);
}

/* ---- Two searches ---------------------------------------------------------------------------- */

static void
append_best(GString *out, const char *name, const RegardSteps *steps)
{
  const mt_hypothesis *h = mt_translation_hypothesis(steps->translation, steps->hypothesis);
  const int32_t node = mt_steps_result(steps->steps, steps->hypothesis);
  char sum[G_ASCII_DTOSTR_BUF_SIZE], score[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *text = regard_visible(h->text);
  const mt_step_node *end = &steps->steps->nodes[(gsize) node];
  g_ascii_formatd(sum, sizeof sum, "%.4f", (double) end->sum);
  g_ascii_formatd(score, sizeof score, "%.4f", (double) end->score);
  g_string_append_printf(out, "  %s  log p %s, score %s  %s\n", name, sum, score, text);
}

/* Where the best translations of two searches part, and what each thinks of it. */
static void
append_comparison(GString *out, const RegardSteps *a, const RegardSteps *b)
{
  guint t = 0;
  while (t < MIN(a->n, b->n) &&
         a->steps->nodes[(gsize) a->nodes[t]].id == b->steps->nodes[(gsize) b->nodes[t]].id)
    t++;
  if (t == a->n && t == b->n)
    g_string_append(out, "\nBoth found the same translation.\n");
  else {
    g_autofree char *of_a =
        t < a->n ? dup_piece(a, a->steps->nodes[(gsize) a->nodes[t]].id) : g_strdup("");
    g_autofree char *of_b =
        t < b->n ? dup_piece(b, b->steps->nodes[(gsize) b->nodes[t]].id) : g_strdup("");
    g_string_append_printf(out, "\nThey part at step %u: %s, and %s against it.\n", t + 1, of_a,
                           of_b);
  }
  append_best(out, "first  ", a);
  append_best(out, "against", b);
}

static CliStatus
print(gpointer user)
{
  const Steps *self = user;
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < self->n_searches; i++) {
    if (i)
      g_string_append_c(out, '\n');
    append_search(out, self->searches[i].steps, &self->searches[i].params,
                  self->top ? (guint) self->top : PRINTED);
  }
  if (self->n_searches > 1)
    append_comparison(out, self->searches[0].steps, self->searches[1].steps);
  return cli_print(self->base.command, out);
}

/* ---- The command ----------------------------------------------------------------------------- */

static void
clear(gpointer user)
{
  Steps *self = user;
  for (guint i = 0; i < self->n_searches; i++)
    g_clear_pointer(&self->searches[i].steps, regard_steps_unref);
}

static const CliAnalysisSteps own_steps = {
    .takes = CLI_TAKES_TEXT,
    .check = check,
    .writes = CLI_WRITES_ON_DEMAND,
    .check_model = check_model,
    .compute = compute,
    .draw = draw,
    .print = print,
    .clear = clear,
};

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
    CLI_ANALYSIS(options, defaults, own_steps),
};

/* ==== One step after the other =================================================================
 */

static const Steps animation_defaults = {.base = CLI_ANIMATION_INIT, .kind = CLI_NO_CHOICE};

static const CliOption animate_steps_options[] = {
    CLI_OPTIONS(cli_options_model),
    CLI_OPTIONS(cli_options_animation),
    {CLI_OPTION_WHOLE, "top", 0, AT(top), "K", "So many candidates of each step; default 10", 1,
     MT_MAX_TRACED},
    {CLI_OPTION_CHOICE, "kind", 0, AT(kind), "KIND",
     "Which attention stands beside the candidates; default cross", 0, 0, kind_names},
    {CLI_OPTION_WHOLE, "layer", 0, AT(layer), "L", "Its layer, from 1; default: the last but one",
     1, 10000},
    {CLI_OPTION_WHOLE, "head", 0, AT(head), "H", "Its head, from 1; default: their mean", 1, 10000},
    CLI_OPTIONS(cli_options_search),
    CLI_OPTIONS(cli_options_constraints),
    CLI_OPTIONS(cli_options_run),
    CLI_OPTIONS(cli_options_precision),
    CLI_OPTIONS(cli_options_said_memory),
    CLI_OPTIONS(cli_options_animation_size),
    CLI_OPTIONS_END,
};

static CliStatus
check_animated_steps(gpointer user)
{
  Steps *self = user;
  self->show = SHOW_STEP;
  return cli_animate_check(&self->base);
}

static CliStatus
animate_steps(gpointer user)
{
  Steps *self = user;
  const RegardStepsOptions look = look_of(self);
  return cli_animate_write(&self->base, regard_frames_new_steps(self->searches[0].steps, &look,
                                                                &self->base.picture.style));
}

static const CliAnalysisSteps animate_steps_own = {
    .takes = CLI_TAKES_TEXT,
    .check = check_animated_steps,
    .check_model = check_model,
    .compute = compute,
    .print = animate_steps,
    .clear = clear,
};

const CliCommand cli_animate_steps = {
    CLI_ANIMATE_ABOUT,
    .second = "steps",
    CLI_ANALYSIS(animate_steps_options, animation_defaults, animate_steps_own),
};

/* ---- The tree as it grows -------------------------------------------------------------------- */

static const Steps beam_defaults = {.base = CLI_ANALYSIS_INIT_SIZE({0, 7, 200, 0, 0}),
                                    .kind = CLI_NO_CHOICE};

static const CliOption animate_beam_options[] = {
    CLI_OPTIONS(cli_options_model),
    CLI_OPTIONS(cli_options_animation),
    {CLI_OPTION_FLAG, "held-only", 0, AT(held_only), NULL, "Draw only hypotheses that were held"},
    CLI_OPTIONS(cli_options_search),
    CLI_OPTIONS(cli_options_constraints),
    CLI_OPTIONS(cli_options_run),
    CLI_OPTIONS(cli_options_precision),
    CLI_OPTIONS(cli_options_animation_size),
    CLI_OPTIONS_END,
};

static CliStatus
check_animated_beam(gpointer user)
{
  Steps *self = user;
  self->show = SHOW_TREE;
  return cli_animate_check(&self->base);
}

static CliStatus
animate_beam(gpointer user)
{
  Steps *self = user;
  const RegardTreeOptions look = {.held_only = self->held_only, .node = -1, .step = -1};
  RegardExportOptions *size = &self->base.picture.size;
  RegardFrames *frames =
      regard_frames_new_tree(self->searches[0].steps, &look, &self->base.picture.style);
  if (size->width_mm == 0)
    size->width_mm = regard_animation_wanted_width(frames, size);
  return cli_animate_write(&self->base, frames);
}

static const CliAnalysisSteps animate_beam_own = {
    .takes = CLI_TAKES_TEXT,
    .check = check_animated_beam,
    .compute = compute,
    .print = animate_beam,
    .clear = clear,
};

const CliCommand cli_animate_beam = {
    CLI_ANIMATE_ABOUT,
    .second = "beam",
    CLI_ANALYSIS(animate_beam_options, beam_defaults, animate_beam_own),
};
