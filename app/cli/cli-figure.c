/* cli-figure.c — regard-cli figure: several pictures as one figure of a paper.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"

#include "export/regard-sheet-file.h"
#include "export/regard-venues.h"
#include "figures/regard-sheet-checks.h"

#include <string.h>

typedef struct {
  CliAnalysis base;
  const char *mosaic;
  GPtrArray *panels; /* as typed, borrowed */
  const char *template, *word, *heads, *venue;
  GPtrArray *files; /* of a template, borrowed */
  gboolean lists, checks;
  guint caption; /* a RegardCaptionForm; CLI_NO_CHOICE: none is printed */
  double width, font;
  guint letters, letters_at; /* CLI_NO_CHOICE: as the sheet has it */
  gboolean thin, own_bars, own_cells;
  /* Read or made. */
  RegardSheet *sheet;
  GPtrArray *owned;     /* texts of a template */
  GHashTable *captures; /* by path, and by two for a difference: mt_capture */
} Figure;

#define AT(member) offsetof(Figure, member)
static const Figure defaults = {.base = CLI_ANALYSIS_INIT,
                                .caption = CLI_NO_CHOICE,
                                .letters = CLI_NO_CHOICE,
                                .letters_at = CLI_NO_CHOICE};
static const CliOption options[] = {
    {CLI_OPTION_TEXT, "output", 'o', AT(base.picture.output), "FILE",
     "Where to write; its ending says how: png, svg, pdf, tikz, or regard-figure for the sheet "
     "itself"},
    {CLI_OPTION_TEXT, "mosaic", 0, AT(mosaic), "LETTERS",
     "Where panels stand, such as 'AB;CC': rows with semicolons between, a dot for none"},
    {CLI_OPTION_LIST, "panel", 0, AT(panels), "PANEL",
     "What a letter shows: LETTER=FILE[:KIND][:HEAD][:OPTION]…; repeatable"},
    {CLI_OPTION_TEXT, "template", 0, AT(template), "NAME",
     "A figure that is made often, of the captures of --file"},
    {CLI_OPTION_LIST, "file", 0, AT(files), "FILE",
     "A capture or a figure for the template; repeatable"},
    {CLI_OPTION_TEXT, "word", 0, AT(word), "TOKEN", "The word that a template wants"},
    {CLI_OPTION_TEXT, "heads", 0, AT(heads), "HEADS",
     "Heads of a template of heads and texts: 4.1,5.5,encoder:3.mean"},
    {CLI_OPTION_FLAG, "list", 0, AT(lists), NULL, "Print the templates and the venues"},
    {CLI_OPTION_TEXT, "venue", 0, AT(venue), "VENUE",
     "As wide as a page of VENUE, or, as VENUE/column, as a column"},
    {CLI_OPTION_NUMBER, "width", 0, AT(width), "MM", "Width in millimetres; default 160",
     REGARD_SHEET_LEAST_WIDTH, REGARD_SHEET_MOST_WIDTH},
    {CLI_OPTION_NUMBER, "font", 0, AT(font), "PT", "Font size in points; default 7",
     REGARD_SHEET_LEAST_FONT, REGARD_SHEET_MOST_FONT},
    {CLI_OPTION_CHOICE, "letters", 0, AT(letters), "HOW", "How letters of panels look", 0, 0,
     regard_letters_ids},
    {CLI_OPTION_CHOICE, "letters-at", 0, AT(letters_at), "PLACE", "Where they stand", 0, 0,
     regard_letters_at_ids},
    {CLI_OPTION_FLAG, "thin", 0, AT(thin), NULL, "Letters that are not bold"},
    {CLI_OPTION_FLAG, "own-bars", 0, AT(own_bars), NULL, "A colour bar for each panel"},
    {CLI_OPTION_FLAG, "own-cells", 0, AT(own_cells), NULL,
     "Cells as large as each panel has room for, with all labels"},
    CLI_OPTIONS(cli_options_scale),
    CLI_OPTIONS(cli_options_colormap),
    CLI_OPTIONS(cli_options_dark),
    CLI_OPTIONS(cli_options_dpi),
    {CLI_OPTION_FLAG, "no-title", 0, AT(base.picture.no_title), NULL, "Without titles of panels"},
    {CLI_OPTION_FLAG, "no-numbers", 0, AT(base.picture.no_numbers), NULL,
     "Without numbers in cells"},
    {CLI_OPTION_FLAG, "no-model", 0, AT(base.picture.no_model), NULL,
     "Without the name of the model"},
    {CLI_OPTION_CHOICE, "caption", 0, AT(caption), "FORM", "Print the caption of all panels", 0, 0,
     regard_caption_ids},
    {CLI_OPTION_FLAG, "check", 0, AT(checks), NULL,
     "Print what is too small in print, or not told apart in grey and by the colour-blind"},
    CLI_OPTIONS_END,
};

/* ---- Panels as they are typed ----------------------------------------------------------------
 */

/* A reference, or NULL: said. */
static mt_capture *
open_capture(Figure *self, const char *path)
{
  mt_capture *found = g_hash_table_lookup(self->captures, path);
  if (!found) {
    found = cli_capture_read(self->base.command, path);
    if (!found)
      return NULL;
    g_hash_table_insert(self->captures, g_strdup(path), found);
  }
  return mt_capture_ref(found);
}

/* That file less another; a reference, or NULL: said. */
static mt_capture *
open_difference(Figure *self, const char *path, const char *minus)
{
  g_autofree char *key = g_strdup_printf("%s\n%s", path, minus);
  mt_capture *found = g_hash_table_lookup(self->captures, key);
  mt_error error = {0};
  if (found)
    return mt_capture_ref(found);
  g_autoptr(mt_capture) b = open_capture(self, path);
  g_autoptr(mt_capture) a = b ? open_capture(self, minus) : NULL;
  found = a ? mt_capture_difference_aligned(a, b, &error) : NULL;
  if (found)
    g_hash_table_insert(self->captures, g_steal_pointer(&key), mt_capture_ref(found));
  else if (a)
    cli_complain(self->base.command, "%s and %s: %s", path, minus, error.message);
  return found;
}

/* FILE, and what follows, as regard_panel_parse has it. NULL: said. */
static RegardPanel *
make_attention(Figure *self, const char *typed, char *const *parts, CliStatus *status)
{
  const char *minus = NULL, *problem = NULL;
  for (char *const *part = parts + 1; *part; part++)
    if (g_str_has_prefix(*part, "minus="))
      minus = *part + strlen("minus=");
  g_autoptr(mt_capture) capture =
      minus ? open_difference(self, parts[0], minus) : open_capture(self, parts[0]);
  if (!capture)
    return NULL;
  RegardPanel *panel = regard_panel_parse(capture, (const char *const *) parts + 1, &problem);
  if (panel) {
    if (panel->scale == REGARD_SCALE_LINEAR)
      panel->scale = self->base.picture.style.scale;
    panel->colormap = self->base.picture.style.colormap;
    return panel;
  }
  *status =
      cli_usage(self->base.command, "--panel '%s': expected " REGARD_PANEL_EXPECTED ", found '%s'",
                typed, problem);
  return NULL;
}

/* A panel of another sheet. NULL: said. */
static RegardPanel *
copy_panel(Figure *self, const char *typed, char *const *parts, CliStatus *status)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardSheet) from = regard_sheet_read(parts[0], &error);
  if (!from) {
    cli_complain(self->base.command, "%s", error->message);
    return NULL;
  }
  const char letter = parts[1] ? g_ascii_toupper(parts[1][0]) : 'A';
  const RegardPanel *panel = regard_sheet_find(from, letter);
  if (panel && (!parts[1] || (!parts[1][1] && !parts[2])))
    return regard_panel_copy(panel);
  *status = cli_usage(self->base.command,
                      "--panel '%s': expected the letter of a panel of that figure, found '%s'",
                      typed, parts[1] ? parts[1] : "none");
  return NULL;
}

static CliStatus
add_panel(Figure *self, const char *typed)
{
  const char letter = g_ascii_toupper(typed[0]);
  RegardMosaicPlace place;
  CliStatus status = CLI_FAILED;
  if (!letter || typed[1] != '=' || !typed[2])
    return cli_usage(self->base.command, "--panel wants LETTER=FILE, found '%s'", typed);
  if (!regard_mosaic_find(&self->sheet->mosaic, letter, &place))
    return cli_usage(self->base.command, "--panel '%s': the mosaic has no %c", typed, letter);
  g_auto(GStrv) parts = g_strsplit(typed + 2, ":", -1);
  RegardPanel *panel = regard_sheet_has_ending(parts[0])
                           ? copy_panel(self, typed, parts, &status)
                           : make_attention(self, typed, parts, &status);
  if (!panel)
    return status;
  regard_sheet_set(self->sheet, letter, panel);
  return CLI_DONE;
}

/* ---- Templates -------------------------------------------------------------------------------
 */

/* "2:cross:5.5:minus=1" with the names of the files, and the word. NULL: said. */
static char *
fill_in(Figure *self, const char *text)
{
  g_auto(GStrv) parts = g_strsplit(text, ":", -1);
  GString *filled = g_string_new(NULL);
  for (char **part = parts; *part; part++) {
    const gboolean is_minus = g_str_has_prefix(*part, "minus=");
    const char *number = is_minus ? *part + strlen("minus=") : *part;
    if (part > parts)
      g_string_append_c(filled, ':');
    if (part > parts && !is_minus) {
      g_string_append(filled, *part);
      continue;
    }
    const guint64 i = g_ascii_strtoull(number, NULL, 10);
    g_assert(i >= 1 && i <= self->files->len); /* was checked */
    g_string_append_printf(filled, "%s%s", is_minus ? "minus=" : "",
                           (const char *) self->files->pdata[i - 1]);
  }
  if (self->word)
    g_string_replace(filled, "{word}", self->word, 0);
  return g_string_free(filled, FALSE);
}

static CliStatus
check_grid(const Figure *self, const RegardTemplateSheet *t, guint n_files)
{
  g_auto(GStrv) heads = g_strsplit(self->heads ? self->heads : t->heads, ",", -1);
  const guint n = g_strv_length(heads);
  if (MAX(n, n_files) <= REGARD_MOSAIC_MOST_SIDE && n * n_files <= REGARD_SHEET_MOST_PANELS && n)
    return CLI_DONE;
  return cli_usage(self->base.command,
                   "--template %s wants 1 to %d panels, %d in a row or column, found %u x %u",
                   t->id, REGARD_SHEET_MOST_PANELS, REGARD_MOSAIC_MOST_SIDE, n, n_files);
}

static CliStatus
check_template(Figure *self)
{
  const CliCommand *command = self->base.command;
  const RegardTemplateSheet *t = self->template ? regard_sheet_template_find(self->template) : NULL;
  const guint n = self->files ? self->files->len : 0;
  if (!self->template)
    return n             ? cli_usage(command, "--file wants a --template")
           : self->heads ? cli_usage(command, "--heads wants a --template")
                         : CLI_DONE;
  if (!t)
    return cli_usage(command, "--template wants a name that --list prints, found '%s'",
                     self->template);
  if (self->base.text || self->panels || self->mosaic)
    return cli_usage(command, "--template wants no SHEET, --panel or --mosaic beside it");
  const guint least = regard_sheet_template_n_files(t);
  if (n < least || n > REGARD_SHEET_MOST_PANELS)
    return cli_usage(command, "--template %s wants %u to %d times --file, found %u", t->id, least,
                     REGARD_SHEET_MOST_PANELS, n);
  if (regard_sheet_template_wants_word(t) && !self->word)
    return cli_usage(command, "--template %s wants a --word", t->id);
  if (self->heads && !t->heads)
    return cli_usage(command, "--template %s wants no --heads", t->id);
  return t->heads ? check_grid(self, t, n) : CLI_DONE;
}

/* A panel for each head of each file. */
static void
use_grid(Figure *self, const RegardTemplateSheet *t)
{
  g_auto(GStrv) heads = g_strsplit(self->heads ? self->heads : t->heads, ",", -1);
  const guint n_heads = g_strv_length(heads), n_files = self->files->len;
  const guint cols = t->has_files_in_rows ? n_heads : n_files;
  GString *letters = g_string_new(NULL);
  for (guint i = 0; i < n_heads * n_files; i++) {
    const guint r = i / cols, c = i % cols;
    GString *panel = g_string_new(t->each);
    g_string_replace(panel, "{head}", heads[t->has_files_in_rows ? c : r], 0);
    g_string_prepend_c(panel, ':');
    g_string_prepend(panel, self->files->pdata[t->has_files_in_rows ? r : c]);
    g_string_prepend_c(panel, '=');
    g_string_prepend_c(panel, (char) ('A' + i));
    if (i > 0 && c == 0)
      g_string_append_c(letters, ';');
    g_string_append_c(letters, (char) ('A' + i));
    g_ptr_array_add(self->panels, panel->str);
    g_ptr_array_add(self->owned, g_string_free(panel, FALSE));
  }
  self->mosaic = letters->str;
  g_ptr_array_add(self->owned, g_string_free(letters, FALSE));
}

/* Panels and mosaic as if they had been typed; texts are kept in `owned`. */
static void
use_template(Figure *self)
{
  const RegardTemplateSheet *t = regard_sheet_template_find(self->template);
  self->owned = g_ptr_array_new_with_free_func(g_free);
  self->panels = g_ptr_array_new();
  if (t->heads) {
    use_grid(self, t);
    return;
  }
  for (guint i = 0; i < REGARD_SHEET_MOST_PANELS; i++) {
    g_autofree char *text = regard_sheet_template_panel(t, i, self->files->len);
    g_autofree char *filled = text ? fill_in(self, text) : NULL;
    if (!filled)
      continue;
    g_ptr_array_add(self->owned, g_strdup_printf("%c=%s", 'A' + i, filled));
    g_ptr_array_add(self->panels, self->owned->pdata[self->owned->len - 1]);
  }
  g_ptr_array_add(self->owned, regard_sheet_template_mosaic(t, self->panels->len));
  self->mosaic = self->owned->pdata[self->owned->len - 1];
}

static CliStatus
print_lists(const Figure *self)
{
  const GPtrArray *templates = regard_sheet_templates(), *venues = regard_venues();
  GString *out = g_string_new("Templates:\n");
  for (guint i = 0; i < templates->len; i++) {
    const RegardTemplateSheet *t = templates->pdata[i];
    g_string_append_printf(out, "  %-14s %s\n", t->id, t->about);
  }
  g_string_append(out, "\nVenues:\n");
  for (guint i = 0; i < venues->len; i++) {
    const RegardVenue *venue = venues->pdata[i];
    g_autofree char *what = regard_venue_describe(venue);
    g_string_append_printf(out, "  %-14s %s\n", venue->id, what);
  }
  return cli_print(self->base.command, out);
}

/* ---- The sheet -------------------------------------------------------------------------------
 */

/* "ABC" for three panels and no mosaic. */
static CliStatus
set_mosaic(Figure *self)
{
  g_autoptr(GString) letters = g_string_new(self->mosaic);
  g_autofree char *reason = NULL;
  RegardMosaic mosaic;
  for (guint i = 0; !self->mosaic && self->panels && i < self->panels->len; i++) {
    const char letter = ((const char *) self->panels->pdata[i])[0];
    if (g_ascii_isalpha(letter) && !strchr(letters->str, letter))
      g_string_append_c(letters, letter);
  }
  if (!letters->len)
    return CLI_DONE;
  if (!self->mosaic && self->sheet->panels->len)
    return CLI_DONE; /* the sheet has places for them */
  if (!regard_mosaic_parse(letters->str, &mosaic, &reason))
    return cli_usage(self->base.command, "--mosaic '%s': %s", letters->str, reason);
  regard_sheet_set_mosaic(self->sheet, &mosaic);
  return CLI_DONE;
}

static void
set_options(Figure *self)
{
  RegardSheet *sheet = self->sheet;
  const CliPicture *picture = &self->base.picture;
  const RegardVenue *venue = self->venue ? regard_venue_find(self->venue) : NULL;
  if (venue) {
    sheet->width_mm = venue->mm;
    g_free(sheet->venue);
    sheet->venue = g_strdup(venue->id);
  }
  if (self->width > 0)
    sheet->width_mm = self->width;
  if (self->font > 0)
    sheet->font_pt = self->font;
  if (self->letters != CLI_NO_CHOICE)
    sheet->letters = (RegardLetters) self->letters;
  if (self->letters_at != CLI_NO_CHOICE)
    sheet->letters_at = (RegardLettersAt) self->letters_at;
  sheet->bold &= !self->thin;
  sheet->one_bar &= !self->own_bars;
  sheet->equal &= !self->own_cells;
  sheet->dark |= picture->dark;
  sheet->left_out |= picture->size.left_out;
}

static CliStatus
check(gpointer user)
{
  Figure *self = user;
  CliAnalysis *base = &self->base;
  const char *output = base->picture.output;
  base->needs_no_model = TRUE;
  if (base->arguments->len > 1)
    return cli_usage(base->command, "one SHEET wanted, found %u", base->arguments->len);
  if (self->lists)
    return CLI_DONE;
  if (!base->text && !self->panels && !self->template)
    return cli_usage(base->command, "a SHEET, a --panel or a --template is missing");
  if (self->venue && !regard_venue_find(self->venue))
    return cli_usage(base->command, "--venue wants a name that --list prints, found '%s'",
                     self->venue);
  const CliStatus status = check_template(self);
  if (status != CLI_DONE)
    return status;
  if (!output && !self->checks && self->caption == CLI_NO_CHOICE)
    return cli_usage(base->command, "-o FILE is missing");
  const RegardExportFormat *format =
      output && strrchr(output, '.') ? regard_export_format_find(output) : NULL;
  if (output && !regard_sheet_has_ending(output) && (!format || !format->is_picture))
    return cli_usage(
        base->command,
        "-o wants a file name that ends with one of png, svg, pdf, regard-figure, tikz, "
        "found '%s'",
        output);
  base->picture.format = format;
  cli_picture_make_style(&base->picture);
  return CLI_DONE;
}

/* A label is that of all panels of its text. */
static void
name_texts(RegardSheet *sheet)
{
  for (guint i = 0; i < sheet->panels->len; i++) {
    const RegardPanel *panel = sheet->panels->pdata[i];
    g_autofree char *label = g_strdup(panel->sentence), *text = g_strdup(regard_panel_text(panel));
    if (label && text)
      regard_sheet_name_sentence(sheet, text, label);
  }
}

static CliStatus
compute(gpointer user, mt_error *failure)
{
  Figure *self = user;
  g_autoptr(GError) error = NULL;
  if (self->lists)
    return CLI_DONE;
  if (self->template)
    use_template(self);
  self->captures =
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify) mt_capture_unref);
  self->sheet = self->base.text ? regard_sheet_read(self->base.text, &error) : regard_sheet_new();
  if (!self->sheet) {
    cli_complain(self->base.command, "%s", error->message);
    return CLI_FAILED;
  }
  set_options(self);
  CliStatus status = set_mosaic(self);
  for (guint i = 0; status == CLI_DONE && self->panels && i < self->panels->len; i++)
    status = add_panel(self, self->panels->pdata[i]);
  name_texts(self->sheet);
  if (status == CLI_DONE && self->sheet->panels->len == 0) {
    cli_complain(self->base.command, "%s: the figure has no panel", self->base.text);
    return CLI_FAILED;
  }
  return status;
}

static gboolean
write_file(const Figure *self, RegardFigure *figure)
{
  const CliPicture *picture = &self->base.picture;
  g_autoptr(GError) error = NULL;
  const RegardExportOptions size = {.width_mm = self->sheet->width_mm,
                                    .font_pt = self->sheet->font_pt,
                                    .dpi = picture->size.dpi};
  if (!picture->output ||
      (regard_sheet_has_ending(picture->output)
           ? regard_sheet_write(self->sheet, picture->output, &error)
           : regard_export_write(figure, picture->format, &size, picture->output, &error)))
    return TRUE;
  cli_complain(self->base.command, "%s", error->message);
  return FALSE;
}

static void
append_checks(RegardFigure *figure, GString *out)
{
  g_autoptr(GPtrArray) checks = regard_sheet_check(figure);
  for (guint i = 0; i < checks->len; i++) {
    const RegardSheetCheck *check = checks->pdata[i];
    g_string_append_printf(out, "%s  %s\n", check->is_good ? "ok " : "bad", check->text);
  }
}

static CliStatus
write_it(gpointer user)
{
  Figure *self = user;
  if (self->lists)
    return print_lists(self);
  g_autoptr(RegardFigure) figure = regard_figure_new_sheet(self->sheet);
  g_autofree char *problem = regard_sheet_bar_problem(figure);
  if (!write_file(self, figure))
    return CLI_FAILED;
  if (problem)
    cli_complain(self->base.command, "%s", problem);
  GString *out = g_string_new(NULL);
  if (self->caption != CLI_NO_CHOICE) {
    g_autofree char *caption = regard_sheet_caption(figure, (RegardCaptionForm) self->caption);
    g_string_append_printf(out, "%s\n", caption);
  }
  if (self->checks)
    append_checks(figure, out);
  return cli_print(self->base.command, out);
}

static void
clear(gpointer user)
{
  Figure *self = user;
  if (self->owned)
    g_clear_pointer(&self->panels, g_ptr_array_unref);
  g_clear_pointer(&self->owned, g_ptr_array_unref);
  g_clear_pointer(&self->sheet, regard_sheet_unref);
  g_clear_pointer(&self->captures, g_hash_table_unref);
}

static const CliAnalysisSteps steps = {
    .check = check,
    .compute = compute,
    .print = write_it,
    .clear = clear,
};

const CliCommand cli_figure = {
    .name = "figure",
    .summary = "Put several pictures together as one figure of a paper",
    .arguments = "[-o FILE] [SHEET.regard-figure]",
    .details =
        "Draws SHEET, which the window saved or this command wrote, or makes a sheet of captures\n"
        "that regard-cli capture wrote. No model is opened: all that is drawn comes from these\n"
        "files.\n"
        "\n"
        "--mosaic says where panels stand, and --panel what each shows:\n"
        "  --mosaic 'AB;CC' --panel A=dogs.npz:cross:5.5 --panel B=dogs.npz:encoder:3.mean\n"
        "FILE is a capture (.npz), a session (.regard), or another figure (.regard-figure) with\n"
        "the letter of its panel behind a colon. KIND is encoder, decoder or cross. HEAD is 5.5 "
        "for\n"
        "layer 5, head 5; 5.mean or 5.max for all heads of the layer as one; 4.1,5.5 for some\n"
        "beside each other; 5 for those of the layer, each small; all for every layer. Then, with\n"
        "colons between: the name of a scale; lines or level-lines instead of cells, with\n"
        "of=TOKENS only those of some tokens; words, hide-special and received, as attend has\n"
        "them; minus=FILE for the difference to another capture; title=TEXT; label=TEXT, which is\n"
        "what panels of that text are called where there are several texts.\n"
        "With SHEET, --panel puts another panel in the place of the letter's.\n"
        "\n"
        "Cells of matrices are equally large in all panels, labels that the panel beside or above\n"
        "has are left out, and one colour bar serves all panels of one quantity, scale and\n"
        "colours; it is said which panel has one of its own, and why.\n"
        "\n"
        "A template takes its captures from --file:\n"
        "  --template change --file without.npz --file with.npz\n"
        "--check prints what print will not show: text below 5 pt, cells below 1 mm, and colours "
        "that are not told apart in grey or without red, green\n"
        "or blue cones.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
