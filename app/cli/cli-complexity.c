/* cli-complexity.c — regard-cli complexity: what the layers of a model cost for a sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "Attention Is All You Need", section 4, table 1; and the same of the model at hand, counted and
 * timed.
 */
#include "cli/cli-engine.h"
#include "cli/cli-picture.h"
#include "figures/regard-complexity.h"

#define MOST_SIZE 1000000

/* What was changed stands on the card, a line each; NULL: nothing. Caller frees. */
static char **
list_changes(const mt_changes *changes)
{
  return mt_changes_count(changes) > 0 ? g_strsplit(mt_changes_text(changes), "\n", -1) : NULL;
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes};
  CliPicture picture = CLI_PICTURE_INIT;
  const char *target = NULL;
  gint64 kernel = REGARD_COMPLEXITY_KERNEL, restricted = REGARD_COMPLEXITY_RESTRICTED;
  gint64 passes = REGARD_COMPLEXITY_PASSES;
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_WHOLE, "kernel", 0, &kernel, "K",
       "Positions in the kernel of a convolutional layer; default 3", 2, MOST_SIZE},
      {CLI_OPTION_WHOLE, "restricted", 0, &restricted, "R",
       "Positions that restricted self-attention sees; default 16", 1, MOST_SIZE},
      {CLI_OPTION_WHOLE, "passes", 0, &passes, "N", "Take the time of N passes; default 9; 0: none",
       0, MT_MOST_TIMED_PASSES},
      CLI_ENGINE_OPTION_TARGET(target),
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_PICTURE_OPTION_OUTPUT(picture),
      CLI_PICTURE_OPTIONS_LOOK(picture),
      CLI_OPTIONS_END,
  };
  g_auto(CliEngine) engine = {0};
  CliStatus status;

  const char *text = cli_options_parse_text(command, options, argc, argv, &status);
  if (!text)
    return status;
  if ((status = cli_picture_check(command, &picture)) != CLI_DONE ||
      (status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE)
    return status;

  mt_error error = {0};
  mt_translation *translation = cli_engine_translate_text(command, &engine, text, target);
  if (!translation)
    return CLI_FAILED;
  mt_cost_times times = {0};
  gboolean ok = passes == 0 || mt_session_time_costs(engine.session, translation, 0, (gsize) passes,
                                                     &engine.hooks, &times, &error);
  if (ok) {
    RegardComplexity complexity =
        regard_complexity_count(mt_model_config(engine.model),
                                mt_tokens_count(mt_translation_source(translation)),
                                mt_tokens_count(mt_translation_hypothesis(translation, 0)->tokens),
                                (gsize) kernel, (gsize) restricted);
    complexity.times = times;
    g_auto(GStrv) badges = list_changes(engine.hooks.changes);
    status =
        cli_picture_write(command, &picture,
                          regard_figure_new_complexity(&complexity, mt_model_name(engine.model),
                                                       (const char *const *) badges,
                                                       &picture.style));
  } else {
    cli_complain(command, "%s", error.message);
    status = CLI_FAILED;
  }
  mt_translation_unref(translation);
  return status;
}

const CliCommand cli_complexity = {
    .name = "complexity",
    .summary = "Write what the layers of the model cost for a sentence",
    .arguments = "-o FILE TEXT",
    .details =
        "Translates TEXT and writes a card: table 1 of \"Attention Is All You Need\" (operations\n"
        "per layer, sequential operations, longest path) for n tokens of TEXT and the width d of\n"
        "the model; the same over n from 1 to 10,000; and the multiply-adds of this model by\n"
        "part, with their formulas and the time that they took.\n"
        "\n"
        "What is counted and timed is one parallel pass: the encoder over the source, the decoder\n"
        "over the whole translation at once, the output matrix for each of its tokens. Times are\n"
        "medians of --passes passes, after one that is not counted. In files of values the\n"
        "tables are layer_types, over_n and parts.\n",
    .run = run,
};
