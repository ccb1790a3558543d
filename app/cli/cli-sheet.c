/* cli-sheet.c — regard-cli sheet: the whole computation of a small model on one page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"

#include "base/regard-paths.h"
#include "figures/regard-worksheet.h"

/* What is translated if nothing is said: a word that the model in models/by-hand knows. */
#define EXAMPLE "cat"

typedef struct {
  CliAnalysis base;
  char *by_hand; /* the model in models/by-hand */
} Sheet;

#define AT(member) offsetof(Sheet, member)
static const Sheet defaults = {
    CLI_ANALYSIS_INIT_SIZE({REGARD_FIGURE_SHEET_WIDTH, REGARD_FIGURE_SHEET_FONT, 300, 0, 0})};
static const CliOption options[] = {
    {CLI_OPTION_TEXT, "model", 'm', AT(base.options.model), "DIR",
     "Folder, archive or name of a model; default: the one to be followed by hand"},
    CLI_OPTIONS(cli_options_target),
    CLI_OPTIONS(cli_options_output),
    CLI_OPTIONS(cli_options_dark),
    {CLI_OPTION_NUMBER, "width", 0, AT(base.picture.size.width_mm), "MM",
     "Width of the page in millimetres; default 210, as A4", 10, 2000},
    {CLI_OPTION_NUMBER, "font", 0, AT(base.picture.size.font_pt), "PT",
     "Font size in points; default 5.3", 2, 72},
    CLI_OPTIONS(cli_options_dpi),
    CLI_OPTIONS(cli_options_caption),
    CLI_OPTIONS_END,
};

static CliStatus
check(gpointer user)
{
  Sheet *self = user;
  CliAnalysis *base = &self->base;
  if (base->arguments->len > 1)
    return cli_usage(base->command, "one TEXT wanted (in quotes), found %u", base->arguments->len);
  if (!base->text && base->options.model)
    return cli_usage(base->command, "a TEXT for this model is missing");
  if (!base->text)
    base->text = EXAMPLE;
  if (!base->options.model)
    base->options.model = self->by_hand = regard_paths_by_hand();
  return CLI_DONE;
}

static RegardFigure *
draw(gpointer user, mt_error *error)
{
  const CliAnalysis *self = user;
  g_autofree char *problem = regard_figure_worksheet_problem(self->engine.model, self->translation);
  if (problem) {
    error->code = MT_ERROR_TOO_LONG;
    g_snprintf(error->message, sizeof error->message, "%s.", problem);
    return NULL;
  }
  mt_activation_requests requests = {0};
  mt_hooks hooks = self->engine.hooks;
  regard_figure_worksheet_add_requests(&requests);
  hooks.requests = &requests;
  g_autoptr(mt_trace) trace = mt_trace_new(self->engine.model, self->translation, 0, &hooks, error);
  return trace ? regard_figure_new_worksheet(self->engine.model, self->translation, trace,
                                             &self->picture.style)
               : NULL;
}

static void
clear(gpointer self)
{
  g_free(((Sheet *) self)->by_hand);
}

static const CliAnalysisSteps steps = {
    .check = check,
    .writes = CLI_WRITES_PICTURE,
    .translates = TRUE,
    .draw = draw,
    .clear = clear,
};

const CliCommand cli_sheet = {
    .name = "sheet",
    .summary = "Write the whole computation of a small model as one page",
    .arguments = "-o FILE [TEXT]",
    .details =
        "Every step from the words to the next word, with every number, for a model that is small\n"
        "enough to be followed on paper: at most 8 numbers a token, one head, 2 layers a stack, "
        "20\n"
        "pieces, 8 tokens in each language. Without --model it is the one that comes with Regard;\n"
        "its example is \"" EXAMPLE "\". CSV, JSON and NPZ hold each matrix by its name, as it is\n"
        "printed: computed numbers with three decimals.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
