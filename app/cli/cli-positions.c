/* cli-positions.c — regard-cli positions: the position encoding as a picture or a table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "Attention Is All You Need", section 3.5: what is added to each embedding so that the model
 * knows the order of the words.
 */
#include "cli/cli-analysis.h"
#include "figures/regard-matrix-positions.h"

#define NO_SHIFT       G_MININT64
#define DEFAULT_LENGTH 64

static const char *const stack_names[] = {"encoder", "decoder", NULL};
static const mt_stack stacks[] = {MT_STACK_ENCODER, MT_STACK_DECODER};

typedef struct {
  CliAnalysis base;
  gint64 length, shift;
  gboolean similarity;
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
  return self->similarity && self->shift != NO_SHIFT
             ? cli_usage(self->base.command, "--similarity and --shift are two different pictures")
             : CLI_DONE;
}

static CliStatus
check_model(gpointer user)
{
  const Positions *self = user;
  const mt_model *model = self->base.engine.model;
  const gsize most = mt_model_positions(model, stacks[self->stack]).rows;
  if (most == 0)
    return cli_usage(
        self->base.command,
        "this wants a model that adds encodings to its embeddings; the positions of %s "
        "are relative",
        mt_model_name(model));
  if (self->length > (gint64) most)
    return cli_usage(self->base.command,
                     "--length wants at most the model's %zu positions, found %" G_GINT64_FORMAT,
                     most, self->length);
  if (self->shift != NO_SHIFT && mt_model_config(model)->position_kind == MT_POSITIONS_LEARNED)
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
               "its transpose, --shift K the matrix M with PE(p + K) = M PE(p) at every p.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
