/* cli-sheet.c — regard-cli sheet: the whole computation of a small model on one page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"
#include "cli/cli-picture.h"

#include "base/regard-paths.h"
#include "figures/regard-sheet.h"

/* What is translated if nothing is said: a word that the model in models/by-hand knows. */
#define EXAMPLE "cat"

/* Takes what the translation is of; the figure, or NULL with an error. */
static RegardFigure *
make_figure(CliEngine *engine, const mt_translation *translation, const RegardFigureStyle *style,
            mt_error *error)
{
  g_autofree char *problem = regard_figure_sheet_problem(engine->model, translation);
  if (problem) {
    error->code = MT_ERROR_TOO_LONG;
    g_snprintf(error->message, sizeof error->message, "%s.", problem);
    return NULL;
  }
  mt_taps taps = {0};
  mt_hooks hooks = engine->hooks;
  regard_figure_sheet_add_taps(&taps);
  hooks.taps = &taps;
  mt_trace *trace = mt_trace_new(engine->model, translation, 0, &hooks, error);
  RegardFigure *figure =
      trace ? regard_figure_new_sheet(engine->model, translation, trace, style) : NULL;
  mt_trace_unref(trace);
  return figure;
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  CliEngineOptions engine_options = {0};
  CliPicture picture = CLI_PICTURE_INIT;
  picture.size.width_mm = REGARD_FIGURE_SHEET_WIDTH;
  picture.size.font_pt = REGARD_FIGURE_SHEET_FONT;
  const char *target = NULL;
  const CliOption options[] = {
      {CLI_OPTION_TEXT, "model", 'm', &engine_options.model, "DIR",
       "Folder, archive or name of a model; default: the one to be followed by hand"},
      CLI_ENGINE_OPTION_TARGET(target),
      CLI_PICTURE_OPTION_OUTPUT(picture),
      CLI_PICTURE_OPTION_DARK(picture),
      {CLI_OPTION_NUMBER, "width", 0, &picture.size.width_mm, "MM",
       "Width of the page in millimetres; default 210, as A4", 10, 2000},
      {CLI_OPTION_NUMBER, "font", 0, &picture.size.font_pt, "PT",
       "Font size in points; default 5.3", 2, 72},
      CLI_PICTURE_OPTION_DPI(picture),
      CLI_PICTURE_OPTION_CAPTION(picture),
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  g_autofree char *by_hand = regard_paths_by_hand();
  CliStatus status;

  if (!cli_options_parse(command, options, argc, argv, texts, &status))
    return status;
  if (texts->len > 1)
    return cli_usage(command, "one TEXT wanted (in quotes), found %u", texts->len);
  if (texts->len == 0 && engine_options.model)
    return cli_usage(command, "a TEXT for this model is missing");
  if ((status = cli_picture_check(command, &picture)) != CLI_DONE)
    return status;
  if (!engine_options.model)
    engine_options.model = by_hand;
  if ((status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE)
    return status;

  mt_error error = {0};
  const char *text = texts->len ? texts->pdata[0] : EXAMPLE;
  mt_translation *translation = cli_engine_translate_text(command, &engine, text, target);
  if (!translation)
    return CLI_FAILED;
  RegardFigure *figure = make_figure(&engine, translation, &picture.style, &error);
  mt_translation_unref(translation);
  if (figure)
    return cli_picture_write(command, &picture, figure);
  cli_complain(command, "%s", error.message);
  return CLI_FAILED;
}

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
    .run = run,
};
