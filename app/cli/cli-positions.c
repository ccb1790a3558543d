/* cli-positions.c — regard-cli positions: the position encoding as a picture or a table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "Attention Is All You Need", section 3.5: what is added to each embedding so that the model
 * knows the order of the words.
 */
#include "cli/cli-analysis.h"
#include "figures/regard-matrix-positions.h"
#include "figures/regard-relative.h"

#define NO_SHIFT       G_MININT64
#define DEFAULT_LENGTH 64

static const char *const stack_names[] = {"encoder", "decoder", NULL};
static const mt_stack stacks[] = {MT_STACK_ENCODER, MT_STACK_DECODER};

typedef struct {
  CliAnalysis base;
  gint64 length, shift, layer;
  gboolean similarity, bias;
  guint stack;
} Positions;

#define AT(member) offsetof(Positions, member)
static const Positions defaults = {.base = CLI_ANALYSIS_INIT, .shift = NO_SHIFT};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model_only),
    {CLI_OPTION_WHOLE, "length", 'n', AT(length), "N",
     "The first N positions; default 64, or all if there are fewer", 1, G_MAXINT},
    {CLI_OPTION_CHOICE, "stack", 0, AT(stack), "STACK", "Whose positions; default encoder", 0, 0,
     stack_names},
    {CLI_OPTION_FLAG, "similarity", 0, AT(similarity), NULL,
     "The dot product of each two positions instead"},
    {CLI_OPTION_WHOLE, "shift", 0, AT(shift), "K",
     "The linear map from each position p to p + K instead", -100000, 100000},
    {CLI_OPTION_FLAG, "bias", 0, AT(bias), NULL,
     "Of relative positions: what heads add to scores, by distance"},
    {CLI_OPTION_WHOLE, "layer", 0, AT(layer), "L",
     "Of --bias, where each layer has its own; default 1", 1, 10000},
    CLI_OPTIONS(cli_options_output),
    CLI_OPTIONS(cli_options_scale),
    CLI_OPTIONS(cli_options_colormap),
    CLI_OPTIONS(cli_options_picture),
    CLI_OPTIONS_END,
};

static CliStatus
check(gpointer user)
{
  const Positions *self = user;
  const CliCommand *command = self->base.command;
  if (self->similarity && self->shift != NO_SHIFT)
    return cli_usage(command, "--similarity and --shift are two different pictures");
  if (self->bias && (self->similarity || self->shift != NO_SHIFT))
    return cli_usage(command, "--bias and --%s are two different pictures",
                     self->similarity ? "similarity" : "shift");
  return self->layer && !self->bias ? cli_usage(command, "--layer goes with --bias") : CLI_DONE;
}

static CliStatus
check_model(gpointer user)
{
  const Positions *self = user;
  const mt_model *model = self->base.engine.model;
  const mt_config *config = mt_model_config(model);
  const gsize most = config->max_positions;
  const gboolean is_relative = config->position_kind == MT_POSITIONS_RELATIVE;
  if (self->length > (gint64) most)
    return cli_usage(self->base.command,
                     "--length wants at most the model's %zu positions, found %" G_GINT64_FORMAT,
                     most, self->length);
  if (self->bias && !is_relative)
    return cli_usage(self->base.command,
                     "--bias wants relative positions; those of %s are added to embeddings",
                     mt_model_name(model));
  if (!self->bias && is_relative)
    return cli_usage(self->base.command,
                     "the positions of %s are relative: no table is added to embeddings; --bias "
                     "writes what heads add to their scores",
                     mt_model_name(model));
  if (self->bias)
    return cli_check_number(self->base.command, "layer", self->layer,
                            config->n_layers[stacks[self->stack]], "layers of this model");
  if (self->shift != NO_SHIFT && config->position_kind == MT_POSITIONS_LEARNED)
    return cli_usage(self->base.command,
                     "--shift wants sinusoidal positions; those of %s are learned",
                     mt_model_name(model));
  return CLI_DONE;
}

static RegardFigure *
draw(gpointer user, mt_error *error)
{
  const Positions *self = user;
  const mt_model *model = self->base.engine.model;
  const mt_matrix table = mt_model_positions(model, stacks[self->stack]);
  const gboolean is_shift = self->shift != NO_SHIFT;
  if (self->bias) {
    const gsize most = mt_model_config(model)->max_positions;
    const RegardRelativeOptions look = {.head = -1};
    g_autoptr(RegardMatrix) matrix =
        regard_matrix_new_relative(model, stacks[self->stack],
                                   self->layer ? (guint) self->layer - 1 : 0,
                                   self->length ? (guint) self->length
                                                : (guint) MIN(most, DEFAULT_LENGTH));
    return regard_figure_new_relative(matrix, &look, &self->base.picture.style);
  }
  const RegardPositions positions = {.table = table,
                                     .kind = mt_model_config(model)->position_kind,
                                     .model_name = mt_model_name(model),
                                     .n = self->length ? (guint) self->length
                                                       : (guint) MIN(table.rows, DEFAULT_LENGTH),
                                     .k = is_shift ? (int) self->shift : 0};
  return regard_positions_figure(&positions,
                                 is_shift           ? REGARD_POSITIONS_SHIFT
                                 : self->similarity ? REGARD_POSITIONS_SIMILARITY
                                                    : REGARD_POSITIONS_TABLE,
                                 &self->base.picture.style);
}

static const CliAnalysisSteps steps = {
    .takes = CLI_TAKES_NOTHING,
    .check = check,
    .writes = CLI_WRITES_PICTURE,
    .opens_model_only = TRUE,
    .check_model = check_model,
    .draw = draw,
};

const CliCommand cli_positions = {
    .name = "positions",
    .summary = "Write the position encoding as a picture or a table",
    .arguments = "-o FILE",
    .details = "Writes the matrix that the model adds to its embeddings: a row for each position,\n"
               "a column for each dimension. --similarity writes the product of that matrix with\n"
               "its transpose, --shift K the matrix M with PE(p + K) = M PE(p) at every p.\n"
               "\n"
               "Models with relative positions, such as T5, add nothing to embeddings: --bias\n"
               "writes what each head adds to a score of self-attention, a row for each head, a\n"
               "column for each distance of the key from the query, from -(N - 1) to N - 1, and\n"
               "in a decoder to 0.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
