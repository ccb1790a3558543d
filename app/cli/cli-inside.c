/* cli-inside.c — regard-cli inside: where the numbers of one head come from, as a picture or as
 * arrays; and animate inside, step by step.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-animate.h"
#include "figures/regard-made-up.h"
#include "figures/regard-naming.h"
#include "figures/regard-walkthrough.h"

/* More is refused: a shorter text makes it less. */
#define MOST_BYTES ((gsize) 1 << 30)

static const char *const show_names[] = {"all", "row", "similarity", "root", "cell", "heads", NULL};
static const guint show_parts[] = {
    REGARD_WALKTHROUGH_ALL,  REGARD_WALKTHROUGH_ROW,  REGARD_WALKTHROUGH_SIMILARITY,
    REGARD_WALKTHROUGH_ROOT, REGARD_WALKTHROUGH_CELL, REGARD_WALKTHROUGH_HEADS,
};
static const char *const map_names[] = {"identity", "random", NULL};

typedef struct {
  CliAnalysis base;
  guint kind;                     /* an mt_attention_kind */
  gint64 layer, head, query, key; /* from 1; 0: not given */
  guint show, maps;
  gint64 step, made_up;
  gboolean all_rows, with_weights;
  double divisor;
} Inside;

#define AT(member) offsetof(Inside, member)
static const Inside defaults = {.base = CLI_ANALYSIS_INIT, .kind = MT_CROSS};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_CHOICE, "kind", 0, AT(kind), "KIND", "Which attention; default cross", 0, 0,
     regard_kind_ids},
    {CLI_OPTION_WHOLE, "layer", 0, AT(layer), "L", "Layer, from 1; default: the last but one", 1,
     10000},
    {CLI_OPTION_WHOLE, "head", 0, AT(head), "H", "Head, from 1; default 1", 1, 10000},
    {CLI_OPTION_WHOLE, "query", 0, AT(query), "N", "The token that asks, from 1; default 2", 1,
     100000},
    {CLI_OPTION_WHOLE, "key", 0, AT(key), "N",
     "The cell that is explained; default: the largest weight", 1, 100000},
    {CLI_OPTION_CHOICE, "show", 0, AT(show), "PART", "Which part; default all", 0, 0, show_names},
    {CLI_OPTION_FLAG, "all-rows", 0, AT(all_rows), NULL,
     "Matrices of all queries instead of one row"},
    {CLI_OPTION_FLAG, "weights", 0, AT(with_weights), NULL, "Draw W_Q too"},
    {CLI_OPTION_WHOLE, "step", 0, AT(step), "N", "Only the first N of eight steps", 1,
     REGARD_WALKTHROUGH_N_STEPS},
    {CLI_OPTION_CHOICE, "maps", 0, AT(maps), "MAPS",
     "Matrices of similarities that this model does not have; default identity", 0, 0, map_names},
    {CLI_OPTION_NUMBER, "divisor", 0, AT(divisor), "X", "A third divisor beside 1 and sqrt(d_k)",
     0.01, 1000},
    {CLI_OPTION_WHOLE, "made-up", 0, AT(made_up), "D",
     "Beside why there is a sqrt(d_k): made-up numbers with so large a d_k", 1,
     REGARD_MADE_UP_MOST},
    CLI_OPTIONS(cli_options_output),
    CLI_OPTIONS(cli_options_texts),
    CLI_OPTIONS(cli_options_target),
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_colormap),
    CLI_OPTIONS(cli_options_picture),
    CLI_OPTIONS_END,
};

/* Kind, layer and head against the model. */
static CliStatus
check_model(gpointer user)
{
  Inside *self = user;
  const mt_config *config = mt_model_config(self->base.engine.model);
  const mt_stack stack = regard_naming_rows(self->kind);
  CliStatus status = cli_check_number(self->base.command, "layer", self->layer,
                                      config->n_layers[stack], "layers of this model");
  if (status == CLI_DONE)
    status = cli_check_number(self->base.command, "head", self->head, config->n_heads[stack],
                              "heads of this model");
  if (!self->layer)
    self->layer = MAX((gint64) config->n_layers[stack] - 1, 1);
  if (!self->head)
    self->head = 1;
  return status;
}

/* Query and key against the tokens. */
static CliStatus
check_cell(gpointer user, mt_error *error)
{
  Inside *self = user;
  const mt_translation *translation = self->base.translation;
  const gsize n_source = mt_tokens_count(mt_translation_source(translation));
  const gsize n_target = mt_tokens_count(mt_translation_hypothesis(translation, 0)->tokens);
  const gsize queries = self->kind == MT_ENCODER_SELF ? n_source : n_target;
  const gsize keys = self->kind == MT_DECODER_SELF ? n_target : n_source;
  CliStatus status =
      cli_check_number(self->base.command, "query", self->query, queries, "queries of this text");
  if (status == CLI_DONE)
    status = cli_check_number(self->base.command, "key", self->key, keys, "keys of this text");
  if (!self->query)
    self->query = MIN(2, (gint64) queries);
  return status;
}

static RegardWalkthrough *
walk_through(const Inside *self, mt_error *error)
{
  const CliEngine *engine = &self->base.engine;
  const mt_translation *translation = self->base.translation;
  const gsize n_source = mt_tokens_count(mt_translation_source(translation));
  const gsize n_target = mt_tokens_count(mt_translation_hypothesis(translation, 0)->tokens);
  mt_hooks hooks = engine->hooks;
  mt_activation_requests requests = {0};
  regard_walkthrough_requests((mt_attention_kind) self->kind, (guint) self->layer - 1, &requests);
  if (mt_trace_bytes(engine->model, n_source, n_target, &requests) > MOST_BYTES) {
    g_autofree char *size =
        g_format_size(mt_trace_bytes(engine->model, n_source, n_target, &requests));
    error->code = MT_ERROR_TOO_LONG;
    g_snprintf(error->message, sizeof error->message, "This text would take %s of memory.", size);
    return NULL;
  }
  hooks.requests = &requests;
  g_autoptr(mt_trace) trace = mt_interventions_check_explained(hooks.interventions, error)
                                  ? mt_trace_new(engine->model, translation, 0, &hooks, error)
                                  : NULL;
  if (!trace)
    return NULL;
  return regard_walkthrough_new(engine->model, trace, (mt_attention_kind) self->kind,
                                (guint) self->layer - 1, (guint) self->head - 1,
                                (guint) self->query - 1, self->key ? (int) self->key - 1 : -1,
                                hooks.interventions, error);
}

static RegardFigure *
draw(gpointer user, mt_error *error)
{
  const Inside *self = user;
  g_autoptr(RegardWalkthrough) inside = walk_through(self, error);
  const RegardWalkthroughOptions look = {
      .parts = show_parts[self->show],
      .step = (guint) self->step,
      .all_rows = self->all_rows,
      .maps = self->with_weights,
      .similarity_maps = self->maps ? REGARD_MAPS_RANDOM : REGARD_MAPS_IDENTITY,
      .made_up = (guint) self->made_up,
      .divisor = self->divisor,
  };
  return inside ? regard_figure_new_walkthrough(inside, &look, &self->base.picture.style) : NULL;
}

static const CliAnalysisSteps steps = {
    .takes = CLI_TAKES_TEXT,
    .writes = CLI_WRITES_PICTURE,
    .check_model = check_model,
    .translates = TRUE,
    .compute = check_cell,
    .draw = draw,
};

const CliCommand cli_inside = {
    .name = "inside",
    .summary = "Write where the numbers of one head come from, as a picture or as arrays",
    .arguments = "-o FILE TEXT",
    .details =
        "Translates TEXT and writes one head and one query as equation 1 of the paper: the\n"
        "stream, q, the keys, q·k, divided as the model does, the mask, exp, the weights, the\n"
        "values, their weighted sum, and what the head adds through W_O. Below it the same q and\n"
        "k compared in other ways, what the scale is for, the score as a sum of pairs of parts,\n"
        "and all heads of the layer. Layers, heads and tokens count from 1. What the model does\n"
        "otherwise is as it does it: most divide by sqrt(d_k); T5 divides by nothing, and adds a\n"
        "number for the distance of key and query, which files have as score_bias.\n"
        "\n"
        "Similarities with matrices that a Transformer does not have use the identity (v: ones),\n"
        "or, with --maps random, normal numbers from a fixed seed; the picture says which.\n"
        "\n"
        "CSV, JSON and NPZ hold stream, read_queries, read_keys, W_Q, b_Q, W_K, b_K, W_V, b_V,\n"
        "W_O, b_O, queries, keys, values, products, scores, weights, context, head_contexts,\n"
        "head_added, output, place, similarity_scores, similarity_weights, divisors, spread and\n"
        "parts, and with --made-up made_up: all that the picture's numbers can be computed from.\n",
    CLI_ANALYSIS(options, defaults, steps),
};

/* ==== Step by step =============================================================================
 */

static const Inside animation_defaults = {.base = CLI_ANIMATION_INIT, .kind = MT_CROSS};
static const CliOption animation_options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_CHOICE, "kind", 0, AT(kind), "KIND", "Which attention; default cross", 0, 0,
     regard_kind_ids},
    {CLI_OPTION_WHOLE, "layer", 0, AT(layer), "L", "Layer, from 1; default: the last but one", 1,
     10000},
    {CLI_OPTION_WHOLE, "head", 0, AT(head), "H", "Head, from 1; default 1", 1, 10000},
    {CLI_OPTION_WHOLE, "query", 0, AT(query), "N", "The token that asks, from 1; default 2", 1,
     100000},
    {CLI_OPTION_WHOLE, "key", 0, AT(key), "N",
     "The cell that is marked; default: the largest weight", 1, 100000},
    {CLI_OPTION_FLAG, "all-rows", 0, AT(all_rows), NULL,
     "Matrices of all queries instead of one row"},
    {CLI_OPTION_FLAG, "weights", 0, AT(with_weights), NULL, "Draw W_Q too"},
    CLI_OPTIONS(cli_options_animation),
    CLI_OPTIONS(cli_options_target),
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_colormap),
    CLI_OPTIONS(cli_options_animation_size),
    CLI_OPTIONS_END,
};

static CliStatus
check_animation(gpointer user)
{
  return cli_animate_check(user);
}

static CliStatus
compute_animation(gpointer user, mt_error *error)
{
  Inside *self = user;
  const CliStatus status = check_cell(user, error);
  if (status != CLI_DONE)
    return status;
  self->base.result = walk_through(self, error);
  return self->base.result ? CLI_DONE : CLI_FAILED;
}

static CliStatus
animate(gpointer user)
{
  Inside *self = user;
  const RegardWalkthroughOptions look = {.parts = REGARD_WALKTHROUGH_ROW,
                                         .all_rows = self->all_rows,
                                         .maps = self->with_weights};
  return cli_animate_write(&self->base, regard_frames_new_walkthrough(self->base.result, &look,
                                                                      &self->base.picture.style));
}

static const CliAnalysisSteps animation_steps = {
    .takes = CLI_TAKES_TEXT,
    .check = check_animation,
    .check_model = check_model,
    .translates = TRUE,
    .compute = compute_animation,
    .print = animate,
    .free_result = regard_subject_unref,
};

const CliCommand cli_animate_inside = {
    CLI_ANIMATE_ABOUT,
    .second = "inside",
    CLI_ANALYSIS(animation_options, animation_defaults, animation_steps),
};
