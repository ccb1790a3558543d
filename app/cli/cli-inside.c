/* cli-inside.c — regard-cli inside: where the numbers of one head come from, as a picture or as
 * arrays.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"
#include "cli/cli-picture.h"
#include "figures/regard-inside.h"

/* More is refused: a shorter text makes it less. */
#define MOST_BYTES ((gsize) 1 << 30)

static const char *const show_names[] = {"all", "row", "similarity", "root", "cell", "heads", NULL};
static const guint show_parts[] = {
    REGARD_INSIDE_ALL,  REGARD_INSIDE_ROW,  REGARD_INSIDE_SIMILARITY,
    REGARD_INSIDE_ROOT, REGARD_INSIDE_CELL, REGARD_INSIDE_HEADS,
};
static const char *const map_names[] = {"identity", "random", NULL};

typedef struct {
  guint kind;                     /* an mt_attention_kind; CLI_NO_CHOICE: not given */
  gint64 layer, head, query, key; /* from 1; 0: not given */
  guint show, maps;
  gint64 step;
  gboolean all_rows, with_weights;
  double divisor;
} Choice;

static CliStatus
check_number(const CliCommand *command, const char *option, gint64 value, gsize most,
             const char *what)
{
  if (value > (gint64) most)
    return cli_usage(command,
                     "--%s wants 1 to %" G_GSIZE_FORMAT ", the %s, found %" G_GINT64_FORMAT, option,
                     most, what, value);
  return CLI_DONE;
}

/* Kind, layer and head against the model. */
static CliStatus
check_place(const CliCommand *command, const mt_config *config, Choice *choice)
{
  CliStatus status;
  if (choice->kind == CLI_NO_CHOICE)
    choice->kind = MT_CROSS;
  const mt_stack stack = choice->kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
  status = check_number(command, "layer", choice->layer, config->n_layers[stack],
                        "layers of this model");
  if (status == CLI_DONE)
    status =
        check_number(command, "head", choice->head, config->n_heads[stack], "heads of this model");
  if (!choice->layer)
    choice->layer = MAX((gint64) config->n_layers[stack] - 1, 1);
  if (!choice->head)
    choice->head = 1;
  return status;
}

/* Query and key against the tokens. */
static CliStatus
check_cell(const CliCommand *command, const mt_translation *translation, Choice *choice)
{
  const gsize n_source = mt_tokens_count(mt_translation_source(translation));
  const gsize n_target = mt_tokens_count(mt_translation_hypothesis(translation, 0)->tokens);
  const gsize queries = choice->kind == MT_ENCODER_SELF ? n_source : n_target;
  const gsize keys = choice->kind == MT_DECODER_SELF ? n_target : n_source;
  CliStatus status = check_number(command, "query", choice->query, queries, "queries of this text");
  if (status == CLI_DONE)
    status = check_number(command, "key", choice->key, keys, "keys of this text");
  if (!choice->query)
    choice->query = MIN(2, (gint64) queries);
  return status;
}

static RegardFigure *
make_figure(CliEngine *engine, const mt_translation *translation, const Choice *choice,
            const RegardFigureStyle *style, mt_error *error)
{
  const gsize n_source = mt_tokens_count(mt_translation_source(translation));
  const gsize n_target = mt_tokens_count(mt_translation_hypothesis(translation, 0)->tokens);
  mt_hooks hooks = engine->hooks;
  mt_taps taps = {0};
  regard_inside_taps((mt_attention_kind) choice->kind, (guint) choice->layer - 1, &taps);
  if (mt_trace_bytes(engine->model, n_source, n_target, &taps) > MOST_BYTES) {
    g_autofree char *size = g_format_size(mt_trace_bytes(engine->model, n_source, n_target, &taps));
    error->code = MT_ERROR_TOO_LONG;
    g_snprintf(error->message, sizeof error->message, "This text would take %s of memory.", size);
    return NULL;
  }
  hooks.taps = &taps;
  mt_trace *trace = mt_changes_check_explained(hooks.changes, error)
                        ? mt_trace_new(engine->model, translation, 0, &hooks, error)
                        : NULL;
  if (!trace)
    return NULL;
  g_autoptr(RegardInside) inside =
      regard_inside_new(engine->model, trace, (mt_attention_kind) choice->kind,
                        (guint) choice->layer - 1, (guint) choice->head - 1,
                        (guint) choice->query - 1, choice->key ? (int) choice->key - 1 : -1,
                        hooks.changes, error);
  mt_trace_unref(trace);
  const RegardInsideLook look = {
      .parts = show_parts[choice->show],
      .step = (guint) choice->step,
      .all_rows = choice->all_rows,
      .maps = choice->with_weights,
      .similarity_maps = choice->maps ? REGARD_MAPS_RANDOM : REGARD_MAPS_IDENTITY,
      .divisor = choice->divisor,
  };
  return inside ? regard_figure_new_inside(inside, &look, style) : NULL;
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new(),
                       force = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid, .force = force};
  CliPicture picture = CLI_PICTURE_INIT;
  Choice choice = {.kind = CLI_NO_CHOICE};
  const char *target = NULL;
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_CHOICE, "kind", 0, &choice.kind, "KIND", "Which attention; default cross", 0, 0,
       regard_kind_ids},
      {CLI_OPTION_WHOLE, "layer", 0, &choice.layer, "L", "Layer, from 1; default: the last but one",
       1, 10000},
      {CLI_OPTION_WHOLE, "head", 0, &choice.head, "H", "Head, from 1; default 1", 1, 10000},
      {CLI_OPTION_WHOLE, "query", 0, &choice.query, "N", "The token that asks, from 1; default 2",
       1, 100000},
      {CLI_OPTION_WHOLE, "key", 0, &choice.key, "N",
       "The cell that is explained; default: the largest weight", 1, 100000},
      {CLI_OPTION_CHOICE, "show", 0, &choice.show, "PART", "Which part; default all", 0, 0,
       show_names},
      {CLI_OPTION_FLAG, "all-rows", 0, &choice.all_rows, NULL,
       "Matrices of all queries instead of one row"},
      {CLI_OPTION_FLAG, "weights", 0, &choice.with_weights, NULL, "Draw W_Q too"},
      {CLI_OPTION_WHOLE, "step", 0, &choice.step, "N", "Only the first N of eight steps", 1,
       REGARD_INSIDE_N_STEPS},
      {CLI_OPTION_CHOICE, "maps", 0, &choice.maps, "MAPS",
       "Matrices of similarities that this model does not have; default identity", 0, 0, map_names},
      {CLI_OPTION_NUMBER, "divisor", 0, &choice.divisor, "X",
       "A third divisor beside 1 and sqrt(d_k)", 0.01, 1000},
      CLI_PICTURE_OPTION_OUTPUT(picture),
      CLI_ENGINE_OPTION_TARGET(target),
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_CONSTRAINTS(engine_options),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_PICTURE_OPTION_COLORMAP(picture),
      CLI_PICTURE_OPTIONS_LOOK(picture),
      CLI_OPTIONS_END,
  };
  g_auto(CliEngine) engine = {0};
  CliStatus status;
  mt_error error = {0};

  const char *text = cli_options_parse_text(command, options, argc, argv, &status);
  if (!text)
    return status;
  if ((status = cli_picture_check(command, &picture)) != CLI_DONE ||
      (status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE ||
      (status = check_place(command, mt_model_config(engine.model), &choice)) != CLI_DONE)
    return status;

  mt_translation *translation = cli_engine_translate_text(command, &engine, text, target);
  if (!translation)
    return CLI_FAILED;
  RegardFigure *figure = NULL;
  status = check_cell(command, translation, &choice);
  if (status == CLI_DONE)
    figure = make_figure(&engine, translation, &choice, &picture.style, &error);
  if (figure)
    status = cli_picture_write(command, &picture, figure);
  else if (status == CLI_DONE) {
    cli_complain(command, "%s", error.message);
    status = CLI_FAILED;
  }
  mt_translation_unref(translation);
  return status;
}

const CliCommand cli_inside = {
    .name = "inside",
    .summary = "Write where the numbers of one head come from, as a picture or as arrays",
    .arguments = "-o FILE TEXT",
    .details =
        "Translates TEXT and writes one head and one query as equation 1 of the paper: the\n"
        "stream, q, the keys, q·k, divided by sqrt(d_k), the mask, exp, the weights, the values,\n"
        "their weighted sum, and what the head adds through W_O. Below it the same q and k\n"
        "compared in other ways, what the scale is for, the score as a sum of pairs of parts,\n"
        "and all heads of the layer. Layers, heads and tokens count from 1.\n"
        "\n"
        "Similarities with matrices that a Transformer does not have use the identity (v: ones),\n"
        "or, with --maps random, normal numbers from a fixed seed; the picture says which.\n"
        "\n"
        "CSV, JSON and NPZ hold stream, read_queries, read_keys, W_Q, b_Q, W_K, b_K, W_V, b_V,\n"
        "W_O, b_O, queries, keys, values, products, scores, weights, context, head_contexts,\n"
        "head_added, output, place, similarity_scores, similarity_weights, divisors, spread and\n"
        "parts: all that the picture's numbers can be computed from.\n",
    .run = run,
};
