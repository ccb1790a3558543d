/* cli-layers.c — regard-cli layers and lens: what each sub-layer does to each token, and the word
 * that its state would already say.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "document/regard-batch.h"
#include "figures/regard-embedding.h"
#include "figures/regard-graph.h"
#include "figures/regard-layers.h"
#include "figures/regard-token-card.h"

#include <string.h>

/* Bytes of a file whose lines are a batch. */
#define MOST_BATCH (16 << 20)

/* More is refused: a shorter text makes it less. */
#define MOST_BYTES ((gsize) 1 << 30)

static const char *const stack_names[] = {"encoder", "decoder", "both", NULL};
/* "lens" is a command of its own. */
enum { SHOW_GRAPH = REGARD_N_LAYERS_SHOWN - 1, SHOW_EMBEDDING, SHOW_CELL };
static const char *const show_names[] = {"norm",  "added",     "cosine", "active", "collapse",
                                         "graph", "embedding", "cell",   NULL};
static const char *const sub_layer_names[] = {"self", "cross", "ffn", NULL};

typedef struct {
  CliAnalysis base;
  gboolean is_lens; /* the other command */
  guint choice;     /* of lens how cells are coloured, of layers what they show */
  guint stack;
  double threshold;
  const char *piece, *batch;
  gint64 layer, token; /* from 1 */
  guint sub_layer;
  RegardLayers *layers;
} Layers;

static CliStatus
compute(gpointer user, mt_error *error)
{
  Layers *self = user;
  const mt_model *model = self->base.engine.model;
  const mt_translation *translation = self->base.translation;
  const gboolean with_tokens = !self->is_lens && self->choice == SHOW_GRAPH;
  mt_hooks hooks = self->base.engine.hooks;
  mt_activation_requests requests = {0};
  regard_layers_requests(&requests, with_tokens);
  const gsize bytes =
      mt_trace_bytes(model, mt_tokens_count(mt_translation_source(translation)),
                     mt_tokens_count(mt_translation_hypothesis(translation, 0)->tokens), &requests);
  if (bytes > MOST_BYTES) {
    g_autofree char *size = g_format_size(bytes), *most = g_format_size(MOST_BYTES);
    cli_complain(self->base.command, "The trace of this text would take %s; at most %s are taken.",
                 size, most);
    return CLI_FAILED;
  }
  hooks.requests = &requests;
  g_autoptr(mt_trace) trace =
      mt_interventions_check_explained(hooks.interventions, error)
          ? mt_trace_new(self->base.engine.model, translation, 0, &hooks, error)
          : NULL;
  if (trace)
    self->layers = regard_layers_new(self->base.engine.model, trace, hooks.interventions,
                                     self->is_lens, NULL, NULL, error);
  return self->layers ? CLI_DONE : CLI_FAILED;
}

static RegardFigure *
make_graph(RegardLayers *layers, double threshold, const RegardFigureStyle *style, mt_error *error)
{
  const RegardGraphOptions look = {.threshold = threshold, .token = -1};
  g_autoptr(RegardGraph) graph = regard_graph_new(layers, NULL, NULL, error);
  return graph ? regard_figure_new_graph(graph, &look, style) : NULL;
}

G_GNUC_PRINTF(2, 3)
static RegardFigure *
fail(mt_error *error, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  error->code = MT_ERROR_INPUT;
  g_vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return NULL;
}

static RegardFigure *
make_embedding(RegardLayers *layers, const Layers *wanted, const RegardFigureStyle *style,
               mt_error *error)
{
  RegardEmbeddingOptions look = {wanted->stack ? MT_STACK_DECODER : MT_STACK_ENCODER, -1};
  if (wanted->piece) {
    look.piece = regard_embedding_find_piece(layers->model, look.stack, wanted->piece);
    if (look.piece < 0)
      return fail(error, "The vocabulary has no piece that begins with '%s'.", wanted->piece);
  }
  return regard_figure_new_embedding(layers, &look, style);
}

/* The lines of a file as traces; NULL without a file. */
static gboolean
read_batch(const Layers *wanted, const char *path, GPtrArray **batch, mt_error *error)
{
  mt_bytes text;
  if (!path)
    return TRUE;
  if (!mt_file_read_whole(path, MOST_BATCH, true, &text, error))
    return FALSE;
  g_auto(GStrv) lines = g_strsplit(g_strchomp((char *) text.data), "\n", -1);
  mt_bytes_clear(&text);
  *batch = regard_batch_traces(wanted->layers->model, (const char *const *) lines,
                               &wanted->base.engine.request, NULL, NULL, error);
  if (*batch && (*batch)->len == 0)
    fail(error, "%s: no line that this model can read", path);
  return *batch && (*batch)->len > 0;
}

static RegardFigure *
make_cell(RegardLayers *layers, const Layers *wanted, const RegardFigureStyle *style,
          mt_error *error)
{
  const mt_stack stack = wanted->stack ? MT_STACK_DECODER : MT_STACK_ENCODER;
  const RegardLayersStack *s = &layers->stacks[stack];
  g_autofree char *name =
      g_strdup_printf("%" G_GINT64_FORMAT " %s", wanted->layer, sub_layer_names[wanted->sub_layer]);
  g_autoptr(GPtrArray) batch = NULL;
  guint point = 1;
  while (point < s->n_points && !g_str_equal(s->point_names[point], name))
    point++;
  if (point == s->n_points)
    return fail(error, "The %s has no sub-layer '%s'.", stack_names[wanted->stack], name);
  if (wanted->token > s->n_tokens)
    return fail(error, "--token wants 1 to %u, the tokens of this text, found %" G_GINT64_FORMAT,
                s->n_tokens, wanted->token);
  if (!read_batch(wanted, wanted->batch, &batch, error))
    return NULL;
  g_autoptr(RegardTokenCard) card =
      regard_token_card_new(layers, stack, point, (guint) wanted->token - 1,
                            batch ? (const mt_trace *const *) batch->pdata : NULL,
                            batch ? batch->len : 0, error);
  return card ? regard_figure_new_token_card(card, style) : NULL;
}

static RegardFigure *
draw(gpointer user, mt_error *error)
{
  const Layers *wanted = user;
  RegardLayers *layers = wanted->layers;
  const RegardFigureStyle *style = &wanted->base.picture.style;
  const RegardLayersOptions look = {
      .stacks = wanted->stack == 2 ? REGARD_BOTH_STACKS : REGARD_STACK_BIT(wanted->stack),
      .show = wanted->is_lens ? REGARD_LAYERS_LENS : (RegardLayersShow) (wanted->choice + 1),
      .color = wanted->is_lens ? (RegardLensColor) wanted->choice : REGARD_LENS_PROBABILITY,
      .token = -1,
  };
  if (!wanted->is_lens && wanted->choice == SHOW_GRAPH)
    return make_graph(layers, wanted->threshold, style, error);
  if (!wanted->is_lens && wanted->choice == SHOW_EMBEDDING)
    return make_embedding(layers, wanted, style, error);
  if (!wanted->is_lens && wanted->choice == SHOW_CELL)
    return make_cell(layers, wanted, style, error);
  return regard_figure_new_layers(layers, &look, style);
}

static void
clear(gpointer user)
{
  g_clear_pointer(&((Layers *) user)->layers, regard_layers_unref);
}

static const CliAnalysisSteps steps = {
    .takes = CLI_TAKES_TEXT,
    .writes = CLI_WRITES_PICTURE,
    .translates = TRUE,
    .compute = compute,
    .draw = draw,
    .clear = clear,
};

/* ---- Two commands ---------------------------------------------------------------------------- */

#define AT(member) offsetof(Layers, member)
static const Layers defaults = {.base = CLI_ANALYSIS_INIT,
                                .stack = 1,
                                .threshold = REGARD_GRAPH_THRESHOLD,
                                .layer = 1,
                                .token = 1};
static const Layers lens_defaults = {.base = CLI_ANALYSIS_INIT, .is_lens = TRUE, .stack = 1};

/* What both have. */
static const CliOption shared_options[] = {
    {CLI_OPTION_CHOICE, "stack", 0, AT(stack), "STACK", "Which tokens; default decoder", 0, 0,
     stack_names},
    CLI_OPTIONS(cli_options_output),
    CLI_OPTIONS(cli_options_texts),
    CLI_OPTIONS(cli_options_target),
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_scale),
    CLI_OPTIONS(cli_options_colormap),
    CLI_OPTIONS(cli_options_picture),
    CLI_OPTIONS_END,
};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_CHOICE, "show", 0, AT(choice), "NUMBER", "Which numbers; default norm", 0, 0,
     show_names},
    {CLI_OPTION_NUMBER, "threshold", 0, AT(threshold), "SHARE",
     "Of a graph, lines of at least this share; default 0.04", REGARD_GRAPH_LEAST,
     REGARD_GRAPH_MOST},
    {CLI_OPTION_TEXT, "piece", 0, AT(piece), "PIECE",
     "Of the embedding, the piece whose neighbours are listed"},
    {CLI_OPTION_WHOLE, "layer", 0, AT(layer), "L", "Of a cell, its layer; default 1", 1, 10000},
    {CLI_OPTION_CHOICE, "sub-layer", 0, AT(sub_layer), "SUB",
     "Of a cell, its sub-layer; default self", 0, 0, sub_layer_names},
    {CLI_OPTION_WHOLE, "token", 0, AT(token), "N", "Of a cell, its token; default 1", 1, 100000},
    {CLI_OPTION_TEXT, "batch", 0, AT(batch), "FILE",
     "Of a cell, texts for batch norm beside the model's norm, one a line"},
    CLI_OPTIONS(shared_options),
    CLI_OPTIONS_END,
};
static const CliOption lens_options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_CHOICE, "colour", 0, AT(choice), "NUMBER", "What colours say; default probability",
     0, 0, regard_lens_color_ids},
    CLI_OPTIONS(shared_options),
    CLI_OPTIONS_END,
};

const CliCommand cli_layers = {
    .name = "layers",
    .summary = "Write what each sub-layer does to each token, as a picture or as arrays",
    .arguments = "-o FILE TEXT",
    .details =
        "Translates TEXT and writes a row for each token and a column for each point of the\n"
        "stream: the embedding, and after each sub-layer. Numbers: the norm of the stream, of\n"
        "what the sub-layer adds, the cosine of that to what was there, the share of active\n"
        "neurons of feed-forward networks, the mean cosine between tokens (collapse). Norms are\n"
        "Euclidean. A graph of both stacks instead has a line for each share of at least\n"
        "--threshold that a token gave to another's state (Ferrando 2022); the embedding has for\n"
        "each token its row, its position and their sum, and the pieces nearest to --piece; a\n"
        "cell has the norm of one --token after one --sub-layer, batch norm over the lines\n"
        "of --batch beside it, and of a feed-forward network (ffn) its strongest neurons.\n"
        "\n"
        "CSV, JSON and NPZ hold all of them, each named by its stack: decoder_norm,\n"
        "decoder_added, decoder_cosine, decoder_mean and decoder_sigma (of what the sub-layer's\n"
        "norm reads; of an RMS norm the mean is 0 and sigma what it divides by), decoder_active,\n"
        "decoder_collapse; shown (of both stacks, shown and shown_decoder) is what the picture\n"
        "has.\n",
    CLI_ANALYSIS(options, defaults, steps),
};

const CliCommand cli_lens = {
    .name = "lens",
    .summary = "Write the word that each state would already say, as a picture or as arrays",
    .arguments = "-o FILE TEXT",
    .details =
        "Translates TEXT and puts the stream after each sub-layer through the output matrix (the\n"
        "logit lens): a row for each token, a column for each point, in the cell the likeliest\n"
        "piece, bold where it is the final one. Colours say its probability, the entropy in\n"
        "bits, the divergence from the last point (KL in bits), or the rank of the final piece.\n"
        "In the encoder the source embedding stands for the output matrix.\n"
        "\n"
        "CSV, JSON and NPZ hold decoder_best (ids of pieces), decoder_probability,\n"
        "decoder_entropy, decoder_divergence, decoder_final_probability, decoder_final_rank, and\n"
        "what `layers` writes.\n",
    CLI_ANALYSIS(lens_options, lens_defaults, steps),
};
