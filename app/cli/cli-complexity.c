/* cli-complexity.c — regard-cli complexity: what the layers of a model cost for a sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "Attention Is All You Need", section 4, table 1; and the same of the model at hand, counted and
 * timed.
 */
#include "cli/cli-analysis.h"
#include "figures/regard-complexity.h"

#define MOST_SIZE 1000000

/* What was changed stands on the card, a line each; NULL: nothing. Caller frees. */
static char **
list_changes(const mt_interventions *interventions)
{
  return mt_interventions_count(interventions) > 0
             ? g_strsplit(mt_interventions_text(interventions), "\n", -1)
             : NULL;
}

typedef struct {
  CliAnalysis base;
  gint64 kernel, restricted, passes;
} Complexity;

#define AT(member) offsetof(Complexity, member)
static const Complexity defaults = {.base = CLI_ANALYSIS_INIT,
                                    .kernel = REGARD_COMPLEXITY_KERNEL,
                                    .restricted = REGARD_COMPLEXITY_RESTRICTED,
                                    .passes = REGARD_COMPLEXITY_PASSES};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_WHOLE, "kernel", 0, AT(kernel), "K",
     "Positions in the kernel of a convolutional layer; default 3", 2, MOST_SIZE},
    {CLI_OPTION_WHOLE, "restricted", 0, AT(restricted), "R",
     "Positions that restricted self-attention sees; default 16", 1, MOST_SIZE},
    {CLI_OPTION_WHOLE, "passes", 0, AT(passes), "N",
     "Take the time of N passes; default 9; 0: none", 0, MT_MOST_TIMED_PASSES},
    CLI_OPTIONS(cli_options_texts),
    CLI_OPTIONS(cli_options_target),
    CLI_OPTIONS(cli_options_search),
    CLI_OPTIONS(cli_options_run),
    CLI_OPTIONS(cli_options_output),
    CLI_OPTIONS(cli_options_picture),
    CLI_OPTIONS_END,
};

static RegardFigure *
draw(gpointer user, mt_error *error)
{
  const Complexity *self = user;
  const mt_translation *translation = self->base.translation;
  const mt_model *model = self->base.engine.model;
  const mt_hooks *hooks = &self->base.engine.hooks;
  mt_cost_times times = {0};
  if (self->passes > 0 && !mt_session_time_costs(self->base.engine.session, translation, 0,
                                                 (gsize) self->passes, hooks, &times, error))
    return NULL;
  RegardComplexity complexity =
      regard_complexity_count(mt_model_config(model),
                              mt_tokens_count(mt_translation_source(translation)),
                              mt_tokens_count(mt_translation_hypothesis(translation, 0)->tokens),
                              (gsize) self->kernel, (gsize) self->restricted);
  complexity.times = times;
  g_auto(GStrv) badges = list_changes(hooks->interventions);
  return regard_figure_new_complexity(&complexity, mt_model_name(model),
                                      (const char *const *) badges, &self->base.picture.style);
}

static const CliAnalysisSteps steps = {
    .takes = CLI_TAKES_TEXT,
    .writes = CLI_WRITES_PICTURE,
    .translates = TRUE,
    .draw = draw,
};

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
    CLI_ANALYSIS(options, defaults, steps),
};
