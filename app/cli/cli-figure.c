/* cli-figure.c — regard-cli figure: several pictures as one figure of a paper.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"

#include "export/regard-sheet-file.h"
#include "figures/regard-sheet.h"

#include <string.h>

typedef struct {
  CliAnalysis base;
  const char *mosaic;
  GPtrArray *panels; /* as typed, borrowed */
  double width, font;
  guint letters, letters_at; /* CLI_NO_CHOICE: as the sheet has it */
  gboolean thin, own_bars, own_cells;
  /* Read or made. */
  RegardSheet *sheet;
  GHashTable *captures; /* by path, and by two for a difference: mt_capture */
} Figure;

#define AT(member) offsetof(Figure, member)
static const Figure defaults = {.base = CLI_ANALYSIS_INIT,
                                .letters = CLI_NO_CHOICE,
                                .letters_at = CLI_NO_CHOICE};
static const CliOption options[] = {
    {CLI_OPTION_TEXT, "output", 'o', AT(base.picture.output), "FILE",
     "Where to write; its ending says how: png, svg, pdf, or regard-figure for the sheet itself"},
    {CLI_OPTION_TEXT, "mosaic", 0, AT(mosaic), "LETTERS",
     "Where panels stand, such as 'AB;CC': rows with semicolons between, a dot for none"},
    {CLI_OPTION_LIST, "panel", 0, AT(panels), "PANEL",
     "What a letter shows: LETTER=FILE[:KIND][:HEAD][:OPTION]…; repeatable"},
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
    CLI_OPTIONS(cli_options_caption),
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

static gboolean
find_word(const char *const *words, const char *word, guint *found)
{
  for (guint i = 0; words[i]; i++)
    if (g_str_equal(words[i], word)) {
      *found = i;
      return TRUE;
    }
  return FALSE;
}

/* A number from 1 to n, of the model, as the place that it has in a capture. */
static gboolean
find_place(const char *text, gsize first, gsize n, guint *place)
{
  guint64 number;
  if (!g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT, &number, NULL) || number <= first ||
      number > first + n)
    return FALSE;
  *place = (guint) (number - first - 1);
  return TRUE;
}

/* "5.5", "5.mean", "5.max", "5" for the heads of a layer, "all"; of lines and panels several heads
 * with commas between: "4.1,5.5". FALSE: it is none of these, or the capture does not have it. */
static gboolean
read_head(RegardAttentionLook *look, const char *text)
{
  RegardMatrixSpec *spec = &look->spec;
  const mt_capture *capture = look->capture;
  const gsize layers = mt_capture_n_layers(capture, spec->kind),
              heads = mt_capture_n_heads(capture, spec->kind),
              first_layer = mt_capture_first_layer(capture, spec->kind),
              first_head = mt_capture_first_head(capture, spec->kind);
  g_auto(GStrv) all = g_strsplit(text, ",", -1);
  const guint n = g_strv_length(all);
  g_autofree guint8 *chosen = g_new0(guint8, MAX(layers * heads, 1));
  if (g_str_equal(text, "all")) {
    look->scope = REGARD_SCOPE_KIND;
    return TRUE;
  }
  for (guint i = 0; i < n; i++) {
    g_auto(GStrv) parts = g_strsplit(all[i], ".", -1);
    const guint n_parts = g_strv_length(parts);
    if (n_parts < 1 || n_parts > 2 || !find_place(parts[0], first_layer, layers, &spec->layer) ||
        (n > 1 && n_parts == 1))
      return FALSE;
    if (n_parts == 1)
      look->scope = REGARD_SCOPE_LAYER;
    else if (g_str_equal(parts[1], "mean") && n == 1)
      spec->combine = REGARD_COMBINE_MEAN;
    else if (g_str_equal(parts[1], "max") && n == 1)
      spec->combine = REGARD_COMBINE_MAX;
    else if (find_place(parts[1], first_head, heads, &spec->head))
      chosen[spec->layer * heads + spec->head] = 1;
    else
      return FALSE;
  }
  if (n > 1) {
    look->scope = REGARD_SCOPE_CHOSEN;
    spec->chosen = g_steal_pointer(&chosen);
  }
  return n > 0;
}

/* Tokens whose lines are seen, from 1. FALSE: there are no such. */
static gboolean
read_rows(RegardAttentionLook *look, const char *text)
{
  RegardMatrixSpec spec = look->spec;
  spec.combine = REGARD_COMBINE_HEAD;
  g_autoptr(RegardMatrix) m = regard_matrix_new_attention(look->capture, &spec);
  if (!m)
    return FALSE;
  g_free(look->rows);
  look->n_rows = m->rows;
  look->rows = g_new0(guint8, m->rows + 1);
  g_autofree char *missing = regard_sum_parse(m, REGARD_SUM_QUERIES, text, look->rows);
  return !missing;
}

/* What a panel is after its file. FALSE: it is nothing of that. */
static gboolean
read_option(RegardPanel *panel, const char *text)
{
  RegardAttentionLook *look = &panel->look;
  if (g_str_equal(text, "lines"))
    look->form = REGARD_FORM_LINES;
  else if (g_str_equal(text, "level-lines")) {
    look->form = REGARD_FORM_LINES;
    look->orientation = REGARD_LINES_LEVEL;
  } else if (g_str_equal(text, "words"))
    look->spec.merge_words = TRUE;
  else if (g_str_equal(text, "hide-special"))
    look->spec.hide_special = TRUE;
  else if (g_str_equal(text, "received"))
    look->has_received = TRUE;
  else if (g_str_has_prefix(text, "of="))
    return read_rows(look, text + strlen("of="));
  else if (g_str_has_prefix(text, "title=")) {
    g_free(panel->title);
    panel->title = g_utf8_make_valid(text + strlen("title="), -1);
  } else
    return regard_scale_from_id(text, &panel->scale) || read_head(look, text);
  return TRUE;
}

static void
set_style(const Figure *self, RegardPanel *panel)
{
  panel->scale = self->base.picture.style.scale;
  panel->colormap = self->base.picture.style.colormap;
}

/* The first kind that a capture has, cross-attention first. */
static mt_attention_kind
first_kind(const mt_capture *capture)
{
  static const mt_attention_kind order[] = {MT_CROSS, MT_ENCODER_SELF, MT_DECODER_SELF};
  guint i = 0;
  while (i + 1 < G_N_ELEMENTS(order) && mt_capture_n_layers(capture, order[i]) == 0)
    i++;
  return order[i];
}

static CliStatus
check_drawable(const Figure *self, const char *typed, const RegardPanel *panel)
{
  const RegardAttentionLook *look = &panel->look;
  if (mt_capture_n_layers(look->capture, look->spec.kind) == 0)
    return cli_usage(self->base.command, "--panel '%s': the capture has no %s attention", typed,
                     regard_kind_id(look->spec.kind));
  if (look->form == REGARD_FORM_LINES && look->scope != REGARD_SCOPE_HEAD &&
      look->scope != REGARD_SCOPE_CHOSEN)
    return cli_usage(self->base.command, "--panel '%s': lines are of one head, or of some", typed);
  return CLI_DONE;
}

/* parts: FILE, and what follows. NULL: said. */
static RegardPanel *
make_attention(Figure *self, const char *typed, char *const *parts, CliStatus *status)
{
  const char *minus = NULL;
  guint kind;
  for (char *const *part = parts + 1; *part; part++)
    if (g_str_has_prefix(*part, "minus="))
      minus = *part + strlen("minus=");
  g_autoptr(mt_capture) capture =
      minus ? open_difference(self, parts[0], minus) : open_capture(self, parts[0]);
  if (!capture)
    return NULL;
  RegardPanel *panel = regard_panel_new_attention(capture, first_kind(capture));
  set_style(self, panel);
  const gsize layers = mt_capture_n_layers(capture, panel->look.spec.kind);
  panel->look.spec.combine = REGARD_COMBINE_MEAN;
  panel->look.spec.layer = layers > 1 ? (guint) layers - 2 : 0;
  gboolean is_first = TRUE;
  for (char *const *part = parts + 1; *part; part++) {
    if (g_str_has_prefix(*part, "minus="))
      continue;
    if (is_first && find_word(regard_kind_ids, *part, &kind)) {
      panel->look.spec.kind = (mt_attention_kind) kind;
      is_first = FALSE;
      continue;
    }
    is_first = FALSE;
    if (g_ascii_isdigit(**part))
      panel->look.spec.combine = REGARD_COMBINE_HEAD;
    if (read_option(panel, *part))
      continue;
    *status = cli_usage(self->base.command,
                        "--panel '%s': expected a kind, a head of the capture such as 5.5, 5.mean, "
                        "5 or all, a scale, lines, words, hide-special, received, of=TOKENS, "
                        "minus=FILE or title=TEXT, found '%s'",
                        typed, *part);
    regard_panel_free(panel);
    return NULL;
  }
  *status = check_drawable(self, typed, panel);
  if (*status != CLI_DONE)
    g_clear_pointer(&panel, regard_panel_free);
  return panel;
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
  if (!base->text && !self->panels)
    return cli_usage(base->command, "a SHEET, or a --panel, is missing");
  if (!output)
    return cli_usage(base->command, "-o FILE is missing");
  const RegardExportFormat *format =
      strrchr(output, '.') ? regard_export_format_find(output) : NULL;
  if (!regard_sheet_has_ending(output) && (!format || !format->is_picture))
    return cli_usage(base->command,
                     "-o wants a file name that ends with one of png, svg, pdf, regard-figure, "
                     "found '%s'",
                     output);
  base->picture.format = format;
  cli_picture_make_style(&base->picture);
  return CLI_DONE;
}

static CliStatus
compute(gpointer user, mt_error *failure)
{
  Figure *self = user;
  g_autoptr(GError) error = NULL;
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
  if (status == CLI_DONE && self->sheet->panels->len == 0) {
    cli_complain(self->base.command, "%s: the figure has no panel", self->base.text);
    return CLI_FAILED;
  }
  return status;
}

static CliStatus
write_it(gpointer user)
{
  Figure *self = user;
  const CliPicture *picture = &self->base.picture;
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardFigure) figure = regard_figure_new_sheet(self->sheet);
  g_autofree char *problem = regard_sheet_bar_problem(figure);
  const RegardExportOptions size = {.width_mm = self->sheet->width_mm,
                                    .font_pt = self->sheet->font_pt,
                                    .dpi = picture->size.dpi};
  const gboolean done =
      regard_sheet_has_ending(picture->output)
          ? regard_sheet_write(self->sheet, picture->output, &error)
          : regard_export_write(figure, picture->format, &size, picture->output, &error);
  if (!done) {
    cli_complain(self->base.command, "%s", error->message);
    return CLI_FAILED;
  }
  if (problem)
    cli_complain(self->base.command, "%s", problem);
  if (!picture->caption)
    return CLI_DONE;
  g_autofree char *caption = regard_sheet_caption(figure, REGARD_CAPTION_PLAIN);
  GString *line = g_string_new(caption);
  return cli_print(self->base.command, g_string_append_c(line, '\n'));
}

static void
clear(gpointer user)
{
  Figure *self = user;
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
    .arguments = "-o FILE [SHEET.regard-figure]",
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
        "them; minus=FILE for the difference to another capture; title=TEXT.\n"
        "With SHEET, --panel puts another panel in the place of the letter's.\n"
        "\n"
        "Cells of matrices are equally large in all panels, labels that the panel beside or above\n"
        "has are left out, and one colour bar serves all panels of one quantity, scale and\n"
        "colours; it is said which panel has one of its own, and why.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
