/* cli-analysis.c — commands that have a model compute something.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "figures/regard-naming.h"

#include "base/regard-error.h"
#include "cli/cli-lines.h"
#include "export/regard-sheet-file.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Of the name of a file, its place among several. */
#define NUMBER "{n}"

/* ---- Options --------------------------------------------------------------------------------- */

#define AT(member) offsetof(CliAnalysis, member)

const CliOption cli_options_model_only[] = {
    {CLI_OPTION_TEXT, "model", 'm', AT(options.model), "DIR",
     "Folder, zip archive or name of a model; default: the bundled one"},
    CLI_OPTIONS_END,
};
const CliOption cli_options_model[] = {
    CLI_OPTIONS(cli_options_model_only),
    {CLI_OPTION_TEXT, "from", 0, AT(options.from), "CODE",
     "Source language of a model that has several, such as en"},
    {CLI_OPTION_TEXT, "to", 0, AT(options.to), "CODE",
     "Target language of a model that has several, such as deu"},
    {CLI_OPTION_TEXT, "task", 0, AT(options.task), "NAME|TEXT",
     "A task of the model, or TEXT to put before each text, such as 'summarize: '"},
    CLI_OPTIONS_END,
};
const CliOption cli_options_target[] = {
    {CLI_OPTION_TEXT, "target", 0, AT(target), "TEXT",
     "Take TEXT as the translation instead of searching for one"},
    CLI_OPTIONS_END,
};
const CliOption cli_options_texts[] = {
    {CLI_OPTION_TEXT, "texts", 0, AT(texts), "FILE",
     "Take each line of FILE ('-': standard input) as a TEXT; the file of -o has " NUMBER
     " in its name, which becomes the number of the line"},
    CLI_OPTIONS_END,
};

/* Settings of the search, by the engine's own list; of those that only say how many results are
 * listed, all or none. */
static const CliOption *
make_settings(CliOption *rows, gboolean lists)
{
  CliOption *row = rows;
  g_assert(mt_search_n_fields() <= CLI_ENGINE_MOST_SETTINGS);
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    static const struct {
      CliOptionType type;
      gsize at;
    } types[] = {
        [MT_SEARCH_WHOLE] = {CLI_OPTION_WHOLE, AT(options.settings[0].whole)},
        [MT_SEARCH_NUMBER] = {CLI_OPTION_NUMBER, AT(options.settings[0].number)},
        [MT_SEARCH_CHOICE] = {CLI_OPTION_CHOICE, AT(options.settings[0].choice)},
    };
    const mt_search_field *field = mt_search_field_at(i);
    if (!field->option || !(field->decides || lists))
      continue;
    *row++ = (CliOption){.type = types[field->type].type,
                         .name = field->option,
                         .at = types[field->type].at +
                               i * sizeof(((CliAnalysis *) NULL)->options.settings[0]),
                         .metavar = field->metavar,
                         .help = field->help,
                         .min = field->typed.least,
                         .max = field->typed.most,
                         .choices = field->choices};
  }
  *row = (CliOption) CLI_OPTIONS_END;
  return rows;
}

static const CliOption *
search_settings(void)
{
  static CliOption rows[CLI_ENGINE_MOST_SETTINGS + 1];
  return rows[0].name ? rows : make_settings(rows, FALSE);
}

static const CliOption *
search_settings_and_lists(void)
{
  static CliOption rows[CLI_ENGINE_MOST_SETTINGS + 1];
  return rows[0].name ? rows : make_settings(rows, TRUE);
}

const CliOption cli_options_search[] = {
    {.type = CLI_OPTION_ROWS, .list_rows = search_settings},
    CLI_OPTIONS_END,
};
const CliOption cli_options_search_lists[] = {
    {.type = CLI_OPTION_ROWS, .list_rows = search_settings_and_lists},
    CLI_OPTIONS_END,
};
const CliOption cli_options_constraints[] = {
    {CLI_OPTION_WORDS, "prefix", 0, AT(options.prefix), "TEXT", "Begin the translation with TEXT"},
    {CLI_OPTION_LIST, "force", 0, AT(options.force), "TERM",
     "Translate so that TERM is in the translation, anywhere; repeatable"},
    {CLI_OPTION_LIST, "forbid", 0, AT(options.forbid), "[N:]WORD",
     "Translate without WORD, or without it at step N, from 1; repeatable"},
    CLI_OPTIONS_END,
};
const CliOption cli_options_threads[] = {
    {CLI_OPTION_WHOLE, "threads", 0, AT(options.threads), "N",
     "Threads for the arithmetic; default: one a core, at most 4", 1, 64},
    CLI_OPTIONS_END,
};
const CliOption cli_options_run[] = {
    {CLI_OPTION_LIST, "change", 0, AT(options.interventions), "CHANGE",
     "Change the model in one place, such as 'cross 4.1 zero'; repeatable"},
    {CLI_OPTION_TEXT, "changes", 0, AT(options.changes_file), "FILE",
     "Make the changes of FILE, one a line, before those; # begins a remark"},
    {CLI_OPTION_TEXT, "means", 0, AT(options.means), "FILE.npz",
     "Take means from FILE.npz, which regard-cli means wrote; default: the model's"},
    {CLI_OPTION_TEXT, "patch-from", 0, AT(options.patch_from), "TEXT",
     "What changes called patch copy: the run of TEXT, without changes"},
    CLI_OPTIONS(cli_options_threads),
    CLI_OPTIONS_END,
};
const CliOption cli_options_translation[] = {
    CLI_OPTIONS(cli_options_search),
    CLI_OPTIONS(cli_options_constraints),
    CLI_OPTIONS(cli_options_run),
    CLI_OPTIONS_END,
};
static const char *const guessings[] = {
    [MT_GUESSING_WHERE_IT_PAYS] = "auto",
    [MT_GUESSING_NEVER] = "never",
    [MT_GUESSING_ALWAYS] = "always",
    [MT_N_GUESSINGS] = NULL,
};
const CliOption cli_options_precision[] = {
    {CLI_OPTION_TEXT, "precision", 0, AT(options.precision), "P",
     "Read weights as stored (the default), or rounded to f16, bf16, bf16-all, int8 or int8-all"},
    {CLI_OPTION_FLAG, "cache", 0, AT(options.caches), NULL,
     "Keep the rounded weights in a file, from which the model opens at once the next time"},
    {CLI_OPTION_CHOICE, "guess", 0, AT(options.guessing), "WHEN",
     "When a copy in int8 guesses ahead in a greedy search, whose result is the same: for large"
     " models that are not rounded (the default), or else",
     0, 0, guessings},
    CLI_OPTIONS_END,
};
static const char *const capture_precisions[] = {"stored", "same", NULL};
const CliOption cli_options_capture_precision[] = {
    {CLI_OPTION_CHOICE, "capture-precision", 0, AT(options.capture_precision), "P",
     "Compute attention with weights as stored (the default), or with the same ones as the"
     " translation",
     0, 0, capture_precisions},
    CLI_OPTIONS_END,
};
const CliOption cli_options_said_memory[] = {
    {CLI_OPTION_WHOLE, "say-memory", 0, AT(options.said_memory), "MIB",
     "Say before how much memory attention takes that takes more than MIB mebibytes; default 512",
     1, 1 << 30},
    CLI_OPTIONS_END,
};

const char *const cli_effect_kinds[] = {"zero", "uniform", "mean", NULL};

/* ---- Options of pictures: lists are made once and stay, as long-lived as the tables that they
 * name */

#define MAX_CHOICES 32

/* Formats that every figure can be written in, and the one for what this is of. */
static const char *const *
list_formats(CliFigure figure)
{
  static const char *const own[CLI_N_FIGURES] = {
      [CLI_FIGURE_GRAPH] = "dot", [CLI_FIGURE_ATTENTION] = "html"};
  static const char *ids[CLI_N_FIGURES][MAX_CHOICES + 1];
  guint n, n_ids = 0;
  const RegardExportFormat *const *formats = regard_export_formats(&n);
  g_assert(n <= MAX_CHOICES);
  for (guint i = 0; i < n; i++) {
    gboolean is_of_another = FALSE;
    for (guint k = 0; k < CLI_N_FIGURES; k++)
      is_of_another |= k != figure && g_strcmp0(formats[i]->id, own[k]) == 0;
    if (!is_of_another)
      ids[figure][n_ids++] = formats[i]->id;
  }
  return ids[figure];
}

static const char *const *
list_plain_formats(void)
{
  return list_formats(CLI_FIGURE_PLAIN);
}

static const char *const *
list_graph_formats(void)
{
  return list_formats(CLI_FIGURE_GRAPH);
}

static const char *const *
list_attention_formats(void)
{
  return list_formats(CLI_FIGURE_ATTENTION);
}

static const char *const *
list_scales(void)
{
  static const char *ids[REGARD_N_SCALES + 1];
  for (guint i = 0; i < REGARD_N_SCALES; i++)
    ids[i] = regard_scale_info((RegardScale) i)->id;
  return ids;
}

static const char *const *
list_colormaps(void)
{
  static const char *ids[MAX_CHOICES + 1];
  guint n;
  const RegardColormap *const *maps = regard_colormaps(&n);
  g_assert(n <= MAX_CHOICES);
  for (guint i = 0; i < n; i++)
    ids[i] = maps[i]->id;
  return ids;
}

static const CliOption output_format[] = {
    {CLI_OPTION_TEXT, "format", 0, AT(picture.wanted), "FORMAT",
     "How to write, whatever the ending says; wanted with -o -, which is standard output"},
    CLI_OPTIONS_END,
};
const CliOption cli_options_output[] = {
    {CLI_OPTION_TEXT, "output", 'o', AT(picture.output), "FILE",
     "Where to write; its ending says how", .list_choices = list_plain_formats},
    CLI_OPTIONS(output_format),
    CLI_OPTIONS_END,
};
const CliOption cli_options_output_graph[] = {
    {CLI_OPTION_TEXT, "output", 'o', AT(picture.output), "FILE",
     "Where to write; its ending says how", .list_choices = list_graph_formats},
    CLI_OPTIONS(output_format),
    CLI_OPTIONS_END,
};
const CliOption cli_options_output_attention[] = {
    {CLI_OPTION_TEXT, "output", 'o', AT(picture.output), "FILE",
     "Where to write; its ending says how", .list_choices = list_attention_formats},
    CLI_OPTIONS(output_format),
    CLI_OPTIONS_END,
};
const CliOption cli_options_output_npz[] = {
    {CLI_OPTION_TEXT, "output", 'o', AT(picture.output), "FILE.npz",
     "Where to write; -: standard output"},
    CLI_OPTIONS_END,
};
const CliOption cli_options_scale[] = {
    {CLI_OPTION_CHOICE, "scale", 0, AT(picture.scale), "SCALE", "How values become colours",
     .list_choices = list_scales},
    CLI_OPTIONS_END,
};
const CliOption cli_options_colormap[] = {
    {CLI_OPTION_CHOICE, "colormap", 0, AT(picture.colormap), "MAP", "Colours",
     .list_choices = list_colormaps},
    CLI_OPTIONS_END,
};
const CliOption cli_options_dark[] = {
    {CLI_OPTION_FLAG, "dark", 0, AT(picture.dark), NULL, "Dark background, for slides"},
    CLI_OPTIONS_END,
};
const CliOption cli_options_dpi[] = {
    {CLI_OPTION_NUMBER, "dpi", 0, AT(picture.size.dpi), "N", "Dots per inch of a PNG; default 300",
     10, 2400},
    CLI_OPTIONS_END,
};
const CliOption cli_options_caption[] = {
    {CLI_OPTION_FLAG, "caption", 0, AT(picture.caption), NULL, "Print a caption for the picture"},
    CLI_OPTIONS_END,
};
const CliOption cli_options_picture[] = {
    CLI_OPTIONS(cli_options_dark),
    {CLI_OPTION_NUMBER, "width", 0, AT(picture.size.width_mm), "MM",
     "Width of the picture in millimetres; default 160", 10, 2000},
    {CLI_OPTION_NUMBER, "font", 0, AT(picture.size.font_pt), "PT", "Font size in points; default 7",
     2, 72},
    CLI_OPTIONS(cli_options_dpi),
    {CLI_OPTION_FLAG, "no-title", 0, AT(picture.no_title), NULL, "Without the title"},
    {CLI_OPTION_FLAG, "no-numbers", 0, AT(picture.no_numbers), NULL, "Without numbers in cells"},
    {CLI_OPTION_FLAG, "no-model", 0, AT(picture.no_model), NULL, "Without the name of the model"},
    {CLI_OPTION_NUMBER, "height", 0, AT(picture.size.height_mm), "MM",
     "Height of the picture in millimetres; default: as the width gives", 10, 2000},
    CLI_OPTIONS(cli_options_caption),
    CLI_OPTIONS_END,
};

/* ---- The file -------------------------------------------------------------------------------- */

void
cli_picture_make_style(CliPicture *picture)
{
  if (picture->colormap != CLI_NO_CHOICE)
    picture->style.colormap = regard_colormaps(NULL)[picture->colormap];
  picture->style.scale = (RegardScale) picture->scale;
  picture->style.dark = picture->dark;
  picture->size.left_out = (picture->no_title ? REGARD_PART_TITLE : 0) |
                           (picture->no_numbers ? REGARD_PART_NUMBERS : 0) |
                           (picture->no_model ? REGARD_PART_MODEL : 0);
}

static gboolean
is_standard_output(const char *output)
{
  return strcmp(output, "-") == 0;
}

/* Find the format by its name or by the file's, before any work is done. */
static CliStatus
check_picture(const CliCommand *command, CliPicture *picture)
{
  const char *output = picture->output, *wanted = picture->wanted;
  if (!output)
    return cli_usage(command, "-o FILE is missing");
  if (is_standard_output(output) && !wanted)
    return cli_usage(command, "-o - wants a --format beside it");
  if (is_standard_output(output) && picture->caption)
    return cli_usage(command, "-o - and --caption would both be written to standard output");
  if (!wanted && regard_sheet_has_ending(output)) {
    cli_picture_make_style(picture);
    return CLI_DONE;
  }
  /* An ending is wanted: "-o png" would otherwise make a file of that name. */
  picture->format =
      wanted || strrchr(output, '.') ? regard_export_format_find(wanted ? wanted : output) : NULL;
  const char *const *formats = list_formats(picture->figure);
  if (!picture->format || !g_strv_contains(formats, picture->format->id)) {
    g_autofree char *list = g_strjoinv(", ", (char **) formats);
    return wanted ? cli_usage(command, "--format wants one of %s, found '%s'", list, wanted)
                  : cli_usage(command, "-o wants a file name that ends with one of %s, found '%s'",
                              list, output);
  }
  cli_picture_make_style(picture);
  return CLI_DONE;
}

/* An archive is written to a file, since its writer goes back in it. */
static CliStatus
check_arrays(const CliCommand *command, CliPicture *picture)
{
  const char *output = picture->output;
  if (!output)
    return cli_usage(command, "-o FILE.npz is missing");
  if (!is_standard_output(output))
    return g_str_has_suffix(output, ".npz")
               ? CLI_DONE
               : cli_usage(command, "-o wants a file name that ends with .npz, found '%s'", output);
  g_autoptr(GError) error = NULL;
  const int file = g_file_open_tmp("regard-XXXXXX.npz", &picture->passing, &error);
  if (file < 0) {
    cli_complain(command, "%s", error->message);
    return CLI_FAILED;
  }
  close(file);
  picture->output = picture->passing;
  return CLI_DONE;
}

static CliStatus
check_output(CliAnalysis *self, CliWrites writes)
{
  if (writes == CLI_WRITES_ARRAYS)
    return check_arrays(self->command, &self->picture);
  return writes == CLI_WRITES_PICTURE || (writes == CLI_WRITES_ON_DEMAND && self->picture.output)
             ? check_picture(self->command, &self->picture)
             : CLI_DONE;
}

/* A file's bytes to standard output. A terminal can show text alone. */
static CliStatus
put_bytes(const CliCommand *command, const char *bytes, gsize length)
{
  if (isatty(STDOUT_FILENO) && !g_utf8_validate(bytes, (gssize) length, NULL)) {
    cli_complain(command, "-o - is a terminal here, which cannot show such a file");
    return CLI_FAILED;
  }
  return cli_put(command, bytes, length) ? CLI_DONE : CLI_FAILED;
}

static CliStatus
put_figure(const CliAnalysis *self, RegardFigure *figure)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = self->picture.format->render(figure, &self->picture.size, &error);
  if (!bytes) {
    cli_complain(self->command, "%s", error->message);
    return CLI_FAILED;
  }
  gsize length;
  const char *data = g_bytes_get_data(bytes, &length);
  return put_bytes(self->command, data, length);
}

/* The archive that was written in passing, if it was. */
static CliStatus
put_arrays(const CliAnalysis *self)
{
  g_autofree char *bytes = NULL;
  gsize length;
  g_autoptr(GError) error = NULL;
  if (!self->picture.passing)
    return CLI_DONE;
  if (g_file_get_contents(self->picture.passing, &bytes, &length, &error))
    return put_bytes(self->command, bytes, length);
  cli_complain(self->command, "%s", error->message);
  return CLI_FAILED;
}

/* As the only panel of a figure, which regard-cli figure and the window put beside others. */
static gboolean
write_panel(RegardFigure *figure, const CliPicture *picture, GError **error)
{
  g_autoptr(RegardSheet) sheet = regard_sheet_new();
  RegardPanel *panel =
      regard_panel_new(figure, picture->size.width_mm * 72 / 25.4, picture->size.font_pt);
  sheet->width_mm =
      CLAMP(picture->size.width_mm, REGARD_SHEET_LEAST_WIDTH, REGARD_SHEET_MOST_WIDTH);
  sheet->font_pt = CLAMP(picture->size.font_pt, REGARD_SHEET_LEAST_FONT, REGARD_SHEET_MOST_FONT);
  sheet->dark = picture->dark;
  sheet->left_out = picture->size.left_out;
  if (panel && regard_sheet_add(sheet, panel))
    return regard_sheet_write(sheet, picture->output, error);
  g_set_error_literal(error, REGARD_ERROR, REGARD_ERROR_UNSUPPORTED,
                      "this picture has too much in it for a figure of several");
  return FALSE;
}

/* Write a figure to the file that was asked for, and its caption to standard output if that was
 * asked for, too. Takes the figure. */
static CliStatus
write_figure(const CliAnalysis *self, RegardFigure *figure)
{
  const CliPicture *picture = &self->picture;
  g_autoptr(RegardFigure) owned = figure;
  g_autoptr(GError) error = NULL;
  if (is_standard_output(picture->output))
    return put_figure(self, owned);
  if (picture->format
          ? !regard_export_write(owned, picture->format, &picture->size, picture->output, &error)
          : !write_panel(owned, picture, &error)) {
    cli_complain(self->command, "%s", error->message);
    return CLI_FAILED;
  }
  if (!picture->caption)
    return CLI_DONE;
  g_autofree char *caption = regard_figure_caption(owned);
  GString *line = g_string_new(caption);
  return cli_print(self->command, g_string_append_c(line, '\n'));
}

/* ---- Heads ----------------------------------------------------------------------------------- */

GArray *
cli_heads_new(const mt_config *config)
{
  GArray *heads = g_array_new(FALSE, FALSE, sizeof(CliHead));
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    const mt_stack stack = regard_naming_rows(kind);
    for (guint l = 0; l < config->n_layers[stack]; l++)
      for (guint h = 0; h < config->n_heads[stack]; h++) {
        const CliHead head = {kind, l, h, 0};
        g_array_append_val(heads, head);
      }
  }
  return heads;
}

static gint
compare_heads(gconstpointer a, gconstpointer b)
{
  const CliHead *x = a, *y = b;
  if (x->value != y->value)
    return x->value < y->value ? 1 : -1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return x->layer != y->layer ? (x->layer < y->layer ? -1 : 1) : (x->head < y->head ? -1 : 1);
}

void
cli_heads_sort(GArray *heads)
{
  g_array_sort(heads, compare_heads);
}

/* ---- Running --------------------------------------------------------------------------------- */

CliStatus
cli_check_number(const CliCommand *command, const char *option, gint64 value, gsize most,
                 const char *what)
{
  if (value > (gint64) most)
    return cli_usage(command,
                     "--%s wants 1 to %" G_GSIZE_FORMAT ", the %s, found %" G_GINT64_FORMAT, option,
                     most, what, value);
  return CLI_DONE;
}

static CliStatus
check_arguments(CliAnalysis *self, CliTakes takes)
{
  const GPtrArray *arguments = self->arguments;
  CliStatus status = CLI_DONE;
  if (takes == CLI_TAKES_TEXT)
    status = cli_options_check_text(self->command, arguments);
  else if (takes == CLI_TAKES_FILE && arguments->len != 1)
    status = cli_usage(self->command, "one FILE wanted, found %u", arguments->len);
  else if (takes == CLI_TAKES_NOTHING && arguments->len)
    status =
        cli_usage(self->command, "unexpected argument '%s'", (const char *) arguments->pdata[0]);
  self->text = arguments->len == 1 ? arguments->pdata[0] : NULL;
  return status;
}

static CliStatus
open_engine(CliAnalysis *self, const CliAnalysisSteps *steps)
{
  if (self->needs_no_model)
    return CLI_DONE;
  if (self->lent && self->lent->model) {
    self->engine = *self->lent;
    return CLI_DONE;
  }
  const CliStatus status =
      (steps->opens_model_only ? cli_engine_open_model
                               : cli_engine_open)(self->command, &self->options, &self->engine);
  if (self->lent)
    *self->lent = self->engine;
  return status;
}

static CliStatus
translate(CliAnalysis *self, mt_error *error)
{
  self->translation =
      cli_engine_translate(self->command, &self->engine, self->text, self->target, error);
  if (!self->translation)
    return CLI_FAILED;
  cli_engine_remark(self->command, "", self->translation);
  return CLI_DONE;
}

/* What was computed goes to the file, or is printed. */
static CliStatus
answer(CliAnalysis *self, const CliAnalysisSteps *steps, mt_error *error)
{
  CliStatus status = CLI_DONE;
  if ((steps->draw || steps->figure) && self->picture.output) {
    RegardFigure *figure =
        steps->draw ? steps->draw(self, error) : steps->figure(self->result, &self->picture.style);
    if (!figure)
      return self->status != CLI_DONE ? self->status : CLI_FAILED;
    status = write_figure(self, figure);
  } else if (steps->print)
    status = steps->print(self);
  return status != CLI_DONE ? status : self->status;
}

static CliStatus
run(CliAnalysis *self, const CliAnalysisSteps *steps, mt_error *error)
{
  CliStatus status = check_arguments(self, steps->takes);
  if (status == CLI_DONE && steps->check)
    status = steps->check(self);
  if (status == CLI_DONE)
    status = check_output(self, steps->writes);
  if (status == CLI_DONE)
    status = open_engine(self, steps);
  if (status == CLI_DONE && steps->check_model && !self->needs_no_model)
    status = steps->check_model(self);
  if (status == CLI_DONE && steps->translates && self->text)
    status = translate(self, error);
  if (status == CLI_DONE && steps->compute)
    status = steps->compute(self, error);
  return status == CLI_DONE ? answer(self, steps, error) : status;
}

/* One text, from the check to the file. */
static CliStatus
run_one(CliAnalysis *self)
{
  const CliAnalysisSteps *steps = self->command->steps;
  mt_error error = {0};
  CliStatus status = run(self, steps, &error);
  if (status == CLI_FAILED && *error.message)
    cli_failed(self->command, &error);
  if (status == CLI_DONE)
    status = put_arrays(self);
  if (self->picture.passing)
    g_unlink(self->picture.passing);
  g_free(self->picture.passing);
  if (steps->clear)
    steps->clear(self);
  if (self->result && steps->free_result)
    steps->free_result(self->result);
  mt_translation_unref(self->translation);
  if (!self->lent)
    cli_engine_clear(&self->engine);
  return status;
}

/* ---- A file of texts ------------------------------------------------------------------------- */

typedef struct {
  const CliAnalysis *typed; /* as the options say */
  CliEngine engine;
  gboolean is_wrong; /* the options: no other line would go better */
} Texts;

/* A line is done by a copy of what was typed, so that none finds anything of the one before. */
static CliLineResult
run_line(const CliLine *line, gpointer user)
{
  Texts *self = user;
  if (line->blank)
    return CLI_LINE_DONE;
  if (!line->text) {
    cli_complain(self->typed->command, "%s:%" G_GUINT64_FORMAT ": %s", line->file, line->number,
                 line->error);
    return CLI_LINE_FAILED;
  }
  g_autofree CliAnalysis *one = g_memdup2(self->typed, self->typed->command->size);
  g_autoptr(GPtrArray) arguments = g_ptr_array_new();
  g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, line->number);
  g_auto(GStrv) parts = g_strsplit(one->picture.output, NUMBER, -1);
  g_autofree char *output = g_strjoinv(number, parts);
  g_ptr_array_add(arguments, (gpointer) line->text);
  one->arguments = arguments;
  one->picture.output = output;
  one->lent = &self->engine;
  const CliStatus status = run_one(one);
  self->is_wrong = status == CLI_USAGE;
  if (status == CLI_FAILED)
    cli_complain(self->typed->command,
                 "%s:%" G_GUINT64_FORMAT ": nothing was written for this line", line->file,
                 line->number);
  return self->is_wrong ? CLI_LINE_STOP : status == CLI_DONE ? CLI_LINE_DONE : CLI_LINE_FAILED;
}

static CliStatus
run_texts(CliAnalysis *self)
{
  Texts texts = {.typed = self};
  if (self->arguments->len)
    return cli_usage(self->command, "--texts FILE has the texts: no TEXT is wanted beside it");
  if (self->target)
    return cli_usage(self->command, "--target is of one TEXT, --texts has several");
  if (!self->picture.output || !strstr(self->picture.output, NUMBER))
    return cli_usage(self->command, "--texts wants -o FILE with " NUMBER
                                    " in its name, where the number of the line comes");
  g_autoptr(GPtrArray) files = g_ptr_array_new();
  g_ptr_array_add(files, (gpointer) self->texts);
  const CliStatus status = cli_lines_foreach(self->command, files, FALSE, run_line, NULL, &texts);
  cli_engine_clear(&texts.engine);
  return texts.is_wrong ? CLI_USAGE : status;
}

void
cli_analysis_begin(gpointer user)
{
  CliAnalysis *self = user;
  cli_engine_options_begin(&self->options);
}

CliStatus
cli_analysis_run(const CliCommand *command, gpointer user, GPtrArray *arguments)
{
  CliAnalysis *self = user;
  self->command = command;
  self->arguments = arguments;
  return self->texts ? run_texts(self) : run_one(self);
}
