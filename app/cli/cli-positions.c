/* cli-positions.c — regard-cli positions: the position encoding as a picture or a table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "Attention Is All You Need", section 3.5: what is added to each embedding so that the model
 * knows the order of the words.
 */
#include "cli/cli-engine.h"
#include "cli/cli-picture.h"
#include "figures/regard-matrix-positions.h"

#define NO_SHIFT       G_MININT64
#define DEFAULT_LENGTH 64

static const char *const stack_names[] = {"encoder", "decoder", NULL};
static const mt_stack stacks[] = {MT_STACK_ENCODER, MT_STACK_DECODER};

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  CliEngineOptions engine_options = {0};
  CliPicture picture = CLI_PICTURE_INIT;
  gint64 length = 0, shift = NO_SHIFT;
  gboolean similarity = FALSE;
  guint stack = 0;
  const CliOption options[] = {
      CLI_ENGINE_OPTION_MODEL(engine_options),
      {CLI_OPTION_WHOLE, "length", 'n', &length, "N",
       "The first N positions; default 64, or all if there are fewer", 1, G_MAXINT},
      {CLI_OPTION_CHOICE, "stack", 0, &stack, "STACK", "Whose positions; default encoder", 0, 0,
       stack_names},
      {CLI_OPTION_FLAG, "similarity", 0, &similarity, NULL,
       "The dot product of each two positions instead"},
      {CLI_OPTION_WHOLE, "shift", 0, &shift, "K",
       "The linear map from each position p to p + K instead", -100000, 100000},
      CLI_PICTURE_OPTION_OUTPUT(picture),
      CLI_PICTURE_OPTION_SCALE(picture),
      CLI_PICTURE_OPTION_COLORMAP(picture),
      CLI_PICTURE_OPTIONS_LOOK(picture),
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) rest = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  CliStatus status;

  if (!cli_options_parse(command, options, argc, argv, rest, &status))
    return status;
  if (rest->len)
    return cli_usage(command, "unexpected argument '%s'", (const char *) rest->pdata[0]);
  if (similarity && shift != NO_SHIFT)
    return cli_usage(command, "--similarity and --shift are two different pictures");
  if ((status = cli_picture_check(command, &picture)) != CLI_DONE ||
      (status = cli_engine_open_model(command, &engine_options, &engine)) != CLI_DONE)
    return status;

  const mt_config *config = mt_model_config(engine.model);
  const char *name = mt_model_name(engine.model);
  mt_matrix table = mt_model_positions(engine.model, stacks[stack]);
  if (length > (gint64) table.rows)
    return cli_usage(command,
                     "--length wants at most the model's %zu positions, found %" G_GINT64_FORMAT,
                     table.rows, length);
  guint n = length ? (guint) length : (guint) MIN(table.rows, DEFAULT_LENGTH);
  if (shift != NO_SHIFT && config->position_kind == MT_POSITIONS_LEARNED)
    return cli_usage(command, "--shift wants sinusoidal positions; those of %s are learned", name);

  const RegardPositions positions = {.table = table,
                                     .kind = config->position_kind,
                                     .model_name = name,
                                     .n = n,
                                     .k = shift != NO_SHIFT ? (int) shift : 0};
  RegardPositionsPicture which = shift != NO_SHIFT ? REGARD_POSITIONS_SHIFT
                                 : similarity      ? REGARD_POSITIONS_SIMILARITY
                                                   : REGARD_POSITIONS_TABLE;
  return cli_picture_write(command, &picture,
                           regard_positions_figure(&positions, which, &picture.style));
}

const CliCommand cli_positions = {
    .name = "positions",
    .summary = "Write the position encoding as a picture or a table",
    .arguments = "-o FILE",
    .details = "Writes the matrix that the model adds to its embeddings: a row for each position,\n"
               "a column for each dimension. --similarity writes the product of that matrix with\n"
               "its transpose, --shift K the matrix M with PE(p + K) = M PE(p) at every p.\n",
    .run = run,
};
