/* regard-sheet.c — mosaics, panels, and sheets of them: what is drawn, before anybody draws it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-sheet.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-matrix-file.h"

#include <string.h>

/* Most letters of a label of a text, unless somebody writes one. */
#define MOST_SENTENCE 24

const char *const regard_letters_ids[] = {"parentheses", "small", "capital", "none", NULL};
const char *const regard_letters_at_ids[] = {"beside", "above", "below", NULL};

/* ---- The mosaic ------------------------------------------------------------------------------
 */

static gboolean
refuse(char **reason, char *text)
{
  *reason = text;
  return FALSE;
}

/* Each letter covers all of the rectangle that it spans. */
static gboolean
check_rectangles(const RegardMosaic *m, char **reason)
{
  for (char letter = 'A'; letter <= 'Z'; letter++) {
    RegardMosaicPlace p;
    if (!regard_mosaic_find(m, letter, &p))
      continue;
    for (guint r = p.row; r < p.row + p.n_rows; r++)
      for (guint c = p.col; c < p.col + p.n_cols; c++)
        if (m->at[r][c] != letter)
          return refuse(reason,
                        g_strdup_printf(_("The places of “%c” are not a rectangle."), letter));
  }
  return TRUE;
}

gboolean
regard_mosaic_parse(const char *text, RegardMosaic *mosaic, char **reason)
{
  g_auto(GStrv) rows = g_strsplit_set(text, ";\n", -1);
  gboolean has_letter = FALSE;
  *mosaic = (RegardMosaic){0};
  *reason = NULL;
  for (char **row = rows; *row; row++) {
    const gsize n = strlen(g_strstrip(*row));
    if (n == 0)
      continue; /* the end of the last line */
    if (mosaic->rows >= REGARD_MOSAIC_MOST_SIDE || n > REGARD_MOSAIC_MOST_SIDE)
      return refuse(reason, g_strdup_printf(_("A mosaic has at most %d rows and columns."),
                                            REGARD_MOSAIC_MOST_SIDE));
    if (mosaic->rows > 0 && n != mosaic->cols)
      return refuse(reason, g_strdup(_("The rows of the mosaic are not equally long.")));
    mosaic->cols = (guint) n;
    for (gsize c = 0; c < n; c++) {
      const char letter = g_ascii_toupper((*row)[c]);
      if (!g_ascii_isupper(letter) && letter != REGARD_MOSAIC_HOLE)
        return refuse(reason,
                      g_strdup(_("A mosaic has letters from A to Z, dots for places without "
                                 "a panel, and semicolons between rows.")));
      has_letter |= letter != REGARD_MOSAIC_HOLE;
      mosaic->at[mosaic->rows][c] = letter;
    }
    mosaic->rows++;
  }
  if (!has_letter)
    return refuse(reason, g_strdup(_("The mosaic has no panel.")));
  return check_rectangles(mosaic, reason);
}

char *
regard_mosaic_dup_text(const RegardMosaic *m)
{
  GString *text = g_string_new(NULL);
  for (guint r = 0; r < m->rows; r++) {
    if (r)
      g_string_append_c(text, ';');
    g_string_append_len(text, m->at[r], m->cols);
  }
  return g_string_free(text, FALSE);
}

gboolean
regard_mosaic_find(const RegardMosaic *m, char letter, RegardMosaicPlace *place)
{
  guint row = G_MAXUINT, col = G_MAXUINT, last_row = 0, last_col = 0;
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++)
      if (m->at[r][c] == letter) {
        row = MIN(row, r);
        col = MIN(col, c);
        last_row = MAX(last_row, r);
        last_col = MAX(last_col, c);
      }
  if (row == G_MAXUINT)
    return FALSE;
  *place = (RegardMosaicPlace){row, col, last_row - row + 1, last_col - col + 1};
  return TRUE;
}

guint
regard_mosaic_letters(const RegardMosaic *m, char letters[REGARD_SHEET_MOST_PANELS + 1])
{
  guint n = 0;
  letters[0] = '\0';
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++)
      if (m->at[r][c] != REGARD_MOSAIC_HOLE && !strchr(letters, m->at[r][c])) {
        letters[n++] = m->at[r][c];
        letters[n] = '\0';
      }
  return n;
}

/* A hole, or a new row or column of holes, whichever keeps it rather square. */
static gboolean
find_room(RegardMosaic *m, guint *row, guint *col)
{
  for (*row = 0; *row < m->rows; ++*row)
    for (*col = 0; *col < m->cols; ++*col)
      if (m->at[*row][*col] == REGARD_MOSAIC_HOLE)
        return TRUE;
  if (m->rows == 0)
    m->cols = 0;
  const gboolean as_column = m->cols <= m->rows || m->rows == 0;
  if (as_column ? m->cols >= REGARD_MOSAIC_MOST_SIDE : m->rows >= REGARD_MOSAIC_MOST_SIDE)
    return FALSE;
  m->rows = MAX(m->rows, 1);
  if (as_column) {
    for (guint r = 0; r < m->rows; r++)
      m->at[r][m->cols] = REGARD_MOSAIC_HOLE;
    *row = 0;
    *col = m->cols++;
  } else {
    memset(m->at[m->rows], REGARD_MOSAIC_HOLE, m->cols);
    *row = m->rows++;
    *col = 0;
  }
  return TRUE;
}

char
regard_mosaic_add(RegardMosaic *m)
{
  char letters[REGARD_SHEET_MOST_PANELS + 1];
  guint row, col;
  regard_mosaic_letters(m, letters);
  for (char letter = 'A'; letter <= 'Z'; letter++)
    if (!strchr(letters, letter)) {
      if (!find_room(m, &row, &col))
        return '\0';
      m->at[row][col] = letter;
      return letter;
    }
  return '\0';
}

static gboolean
is_row_empty(const RegardMosaic *m, guint r)
{
  for (guint c = 0; c < m->cols; c++)
    if (m->at[r][c] != REGARD_MOSAIC_HOLE)
      return FALSE;
  return TRUE;
}

static gboolean
is_column_empty(const RegardMosaic *m, guint c)
{
  for (guint r = 0; r < m->rows; r++)
    if (m->at[r][c] != REGARD_MOSAIC_HOLE)
      return FALSE;
  return TRUE;
}

void
regard_mosaic_remove(RegardMosaic *m, char letter)
{
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++)
      if (m->at[r][c] == letter)
        m->at[r][c] = REGARD_MOSAIC_HOLE;
  for (guint r = m->rows; r-- > 0;)
    if (is_row_empty(m, r)) {
      memmove(m->at[r], m->at[r + 1], (m->rows - r - 1) * sizeof m->at[r]);
      m->rows--;
    }
  for (guint c = m->cols; c-- > 0;)
    if (is_column_empty(m, c)) {
      for (guint r = 0; r < m->rows; r++)
        memmove(&m->at[r][c], &m->at[r][c + 1], m->cols - c - 1);
      m->cols--;
    }
}

/* ---- Panels ----------------------------------------------------------------------------------
 */

static gsize
n_places(const mt_capture *capture, mt_attention_kind kind)
{
  return mt_capture_n_layers(capture, kind) * mt_capture_n_heads(capture, kind);
}

void
regard_attention_look_own(RegardAttentionLook *look)
{
  mt_capture_ref(look->capture);
  look->spec.chosen = look->spec.chosen
                          ? g_memdup2(look->spec.chosen, n_places(look->capture, look->spec.kind))
                          : NULL;
  look->rows = look->rows ? g_memdup2(look->rows, look->n_rows) : NULL;
  look->cols = look->cols ? g_memdup2(look->cols, look->n_cols) : NULL;
}

void
regard_panel_free(RegardPanel *panel)
{
  if (!panel)
    return;
  g_free(panel->title);
  g_free(panel->sentence);
  if (panel->is_attention) {
    g_free((guint8 *) panel->look.spec.chosen);
    g_free(panel->look.rows);
    g_free(panel->look.cols);
    mt_capture_unref(panel->look.capture);
  }
  g_clear_pointer(&panel->matrices, g_ptr_array_unref);
  regard_drawing_unref(panel->drawing);
  g_strfreev(panel->caption);
  g_free(panel->name);
  g_free(panel->model);
  g_free(panel);
}

RegardPanel *
regard_panel_copy(const RegardPanel *panel)
{
  RegardPanel *copy = g_memdup2(panel, sizeof *panel);
  copy->title = g_strdup(panel->title);
  copy->sentence = g_strdup(panel->sentence);
  copy->caption = g_strdupv(panel->caption);
  copy->name = g_strdup(panel->name);
  copy->model = g_strdup(panel->model);
  if (panel->drawing)
    regard_drawing_ref(panel->drawing);
  if (panel->matrices)
    g_ptr_array_ref(panel->matrices);
  if (panel->is_attention)
    regard_attention_look_own(&copy->look);
  return copy;
}

RegardPanel *
regard_panel_new_attention(mt_capture *capture, mt_attention_kind kind)
{
  RegardPanel *panel = g_new0(RegardPanel, 1);
  panel->is_attention = TRUE;
  panel->look = (RegardAttentionLook){.capture = capture,
                                      .scope = REGARD_SCOPE_HEAD,
                                      .lines_share = REGARD_LINES_SHARE,
                                      .spec.kind = kind};
  regard_attention_look_own(&panel->look);
  panel->pinned_row = panel->pinned_col = -1;
  return panel;
}

static void
matrix_unref(gpointer matrix)
{
  regard_matrix_unref(matrix);
}

/* One that is drawn by its colours, or the maps of a figure; all on one scale. NULL: it draws
 * something else, or what no file holds. */
static GPtrArray *
freeze_matrices(RegardFigure *figure)
{
  RegardMatrix *(*new_map)(RegardFigure *, guint) = figure->klass->new_map;
  g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(matrix_unref);
  RegardMatrix *map = NULL;
  float most = 0;
  if (regard_figure_is_matrix(figure)) {
    map = regard_matrix_new_frozen(figure->subject);
    if (map)
      g_ptr_array_add(list, map);
  }
  for (guint i = 0; new_map && (map = new_map(figure, i)); i++) {
    RegardMatrix *frozen = regard_matrix_new_frozen(map);
    const gboolean is_empty = map->rows == 0 || map->cols == 0;
    regard_matrix_unref(map);
    if (!frozen && !is_empty)
      return NULL;
    if (frozen)
      g_ptr_array_add(list, frozen);
  }
  for (guint i = 0; i < list->len; i++)
    most = MAX(most, ((RegardMatrix *) list->pdata[i])->hi);
  for (guint i = 0; new_map && i < list->len; i++) { /* nobody else has seen them */
    RegardMatrix *m = list->pdata[i];
    m->hi = most;
    m->lo = m->diverging ? -most : 0;
  }
  return list->len > 0 && list->len <= REGARD_PANEL_MOST_MATRICES ? g_steal_pointer(&list) : NULL;
}

RegardPanel *
regard_panel_new(RegardFigure *figure, double width_pt, double font_pt)
{
  REGARD_IN_LANGUAGE(figure->language);
  RegardPanel *panel = g_new0(RegardPanel, 1);
  const RegardMatrix *first = regard_figure_matrix(figure, 0);
  panel->scale = figure->style.scale;
  panel->colormap = figure->style.colormap;
  panel->pinned_row = figure->style.pinned_row;
  panel->pinned_col = figure->style.pinned_col;
  if (figure->klass->tell_attention && figure->klass->tell_attention(figure, &panel->look)) {
    panel->is_attention = TRUE;
    return panel;
  }
  panel->matrices = freeze_matrices(figure);
  if (!panel->matrices)
    panel->drawing = regard_drawing_new(figure, width_pt, font_pt);
  if (figure->klass->new_map)
    panel->scale = REGARD_SCALE_LINEAR;
  if (panel->drawing && figure->klass->has_no_scale)
    panel->colormap = NULL;
  panel->caption = regard_figure_caption_sentences(figure);
  const char *title = first ? first->title : "", *own = strstr(title, " · ");
  /* Of several maps, what they have in common. */
  panel->name = panel->matrices && panel->matrices->len > 1 && own
                    ? g_strndup(title, (gsize) (own - title))
                    : g_strdup(title);
  panel->model = g_strdup(first ? first->model_name : NULL);
  if (panel->matrices || panel->drawing)
    return panel;
  regard_panel_free(panel);
  return NULL;
}

char *
regard_panel_describe(const RegardPanel *panel)
{
  if (panel->title)
    return g_strdup(panel->title);
  if (!panel->is_attention)
    return g_strdup(panel->name);
  if (panel->look.scope == REGARD_SCOPE_HEAD) {
    g_autoptr(RegardMatrix) m = regard_matrix_new_attention(panel->look.capture, &panel->look.spec);
    if (m)
      return g_strdup(m->title);
  }
  return g_strdup(_(regard_scopes[panel->look.scope].name));
}

const char *
regard_panel_text(const RegardPanel *panel)
{
  const mt_tokens *source = panel->is_attention ? mt_capture_source(panel->look.capture) : NULL;
  return source ? mt_tokens_text(source) : NULL;
}

char *
regard_panel_dup_sentence(const RegardPanel *panel)
{
  const char *text = regard_panel_text(panel);
  if (!text || panel->sentence)
    return g_strdup(text ? panel->sentence : NULL);
  if (g_utf8_strlen(text, -1) <= MOST_SENTENCE)
    return g_strdup(text);
  const char *end = g_utf8_offset_to_pointer(text, MOST_SENTENCE), *cut = end;
  while (cut > text && *cut != ' ')
    cut--;
  if (cut == text)
    cut = end; /* one long word, or a script without blanks */
  return g_strdup_printf("%.*s…", (int) (cut - text), text);
}

/* ---- The sheet -------------------------------------------------------------------------------
 */

static void
sheet_clear(gpointer subject)
{
  RegardSheet *sheet = subject;
  g_ptr_array_unref(sheet->panels);
  g_free(sheet->venue);
}

RegardSheet *
regard_sheet_new(void)
{
  RegardSheet *sheet = regard_subject_alloc(sizeof *sheet, sheet_clear);
  sheet->panels = g_ptr_array_new_with_free_func((GDestroyNotify) regard_panel_free);
  sheet->width_mm = 160;
  sheet->font_pt = 7;
  sheet->bold = sheet->one_bar = sheet->equal = sheet->is_english = TRUE;
  return sheet;
}

RegardSheet *
regard_sheet_copy(const RegardSheet *sheet)
{
  RegardSheet *copy = regard_sheet_new();
  const RegardSubject subject = copy->subject;
  GPtrArray *panels = copy->panels;
  *copy = *sheet;
  copy->subject = subject;
  copy->panels = panels;
  copy->venue = g_strdup(sheet->venue);
  for (guint i = 0; i < sheet->panels->len; i++)
    g_ptr_array_add(panels, regard_panel_copy(sheet->panels->pdata[i]));
  return copy;
}

RegardPanel *
regard_sheet_find(const RegardSheet *sheet, char letter)
{
  for (guint i = 0; i < sheet->panels->len; i++) {
    RegardPanel *panel = sheet->panels->pdata[i];
    if (panel->letter == letter)
      return panel;
  }
  return NULL;
}

char *
regard_sheet_dup_letter(const RegardSheet *sheet, char letter)
{
  char letters[REGARD_SHEET_MOST_PANELS + 1];
  regard_mosaic_letters(&sheet->mosaic, letters);
  const char *found = strchr(letters, letter);
  const char shown = (char) ('a' + (found ? found - letters : 0));
  switch (sheet->letters) {
  case REGARD_LETTERS_PARENTHESES:
    return g_strdup_printf("(%c)", shown);
  case REGARD_LETTERS_SMALL:
    return g_strdup_printf("%c", shown);
  case REGARD_LETTERS_CAPITAL:
    return g_strdup_printf("%c", g_ascii_toupper(shown));
  default:
    return g_strdup("");
  }
}

char *
regard_sheet_name_panel(const RegardSheet *sheet, char letter)
{
  return sheet->letters == REGARD_LETTERS_NONE ? g_strdup_printf("%c", letter)
                                               : regard_sheet_dup_letter(sheet, letter);
}

gboolean
regard_sheet_has_sentences(const RegardSheet *sheet)
{
  const char *first = NULL;
  for (guint i = 0; i < sheet->panels->len; i++) {
    const char *text = regard_panel_text(sheet->panels->pdata[i]);
    if (first && text && !g_str_equal(first, text))
      return TRUE;
    first = first ? first : text;
  }
  return FALSE;
}

GPtrArray *
regard_sheet_list_captures(const RegardSheet *sheet)
{
  GPtrArray *captures = g_ptr_array_new();
  char letters[REGARD_SHEET_MOST_PANELS + 1];
  regard_mosaic_letters(&sheet->mosaic, letters);
  for (const char *letter = letters; *letter; letter++) {
    const RegardPanel *panel = regard_sheet_find(sheet, *letter);
    mt_capture *capture = panel && panel->is_attention ? panel->look.capture : NULL;
    if (capture && !mt_capture_difference_a(capture) && !g_ptr_array_find(captures, capture, NULL))
      g_ptr_array_add(captures, capture);
  }
  return captures;
}

void
regard_sheet_name_sentence(RegardSheet *sheet, const char *text, const char *label)
{
  for (guint i = 0; i < sheet->panels->len; i++) {
    RegardPanel *panel = sheet->panels->pdata[i];
    if (g_strcmp0(regard_panel_text(panel), text) != 0)
      continue;
    g_free(panel->sentence);
    panel->sentence = label && *label ? g_strdup(label) : NULL;
  }
}

static gint
compare_panels(gconstpointer a, gconstpointer b)
{
  const RegardPanel *x = *(RegardPanel *const *) a, *y = *(RegardPanel *const *) b;
  return x->letter - y->letter;
}

void
regard_sheet_set(RegardSheet *sheet, char letter, RegardPanel *panel)
{
  RegardPanel *before = regard_sheet_find(sheet, letter);
  if (before)
    g_ptr_array_remove(sheet->panels, before);
  panel->letter = letter;
  g_ptr_array_add(sheet->panels, panel);
  g_ptr_array_sort(sheet->panels, compare_panels);
}

gboolean
regard_sheet_add(RegardSheet *sheet, RegardPanel *panel)
{
  char letters[REGARD_SHEET_MOST_PANELS + 1];
  RegardMosaic before = sheet->mosaic;
  regard_mosaic_letters(&sheet->mosaic, letters);
  for (const char *letter = letters; *letter; letter++)
    if (!regard_sheet_find(sheet, *letter)) { /* a place that a template left open */
      regard_sheet_set(sheet, *letter, panel);
      return TRUE;
    }
  const char letter = regard_mosaic_add(&sheet->mosaic);
  if (!letter) {
    regard_panel_free(panel);
    return FALSE;
  }
  if (before.cols != sheet->mosaic.cols)
    memset(sheet->columns, 0, sizeof sheet->columns);
  regard_sheet_set(sheet, letter, panel);
  return TRUE;
}

void
regard_sheet_remove(RegardSheet *sheet, char letter)
{
  const RegardMosaic before = sheet->mosaic;
  RegardPanel *panel = regard_sheet_find(sheet, letter);
  if (panel)
    g_ptr_array_remove(sheet->panels, panel);
  regard_mosaic_remove(&sheet->mosaic, letter);
  if (before.cols != sheet->mosaic.cols)
    memset(sheet->columns, 0, sizeof sheet->columns);
  if (before.rows != sheet->mosaic.rows)
    memset(sheet->rows, 0, sizeof sheet->rows);
}

void
regard_sheet_set_mosaic(RegardSheet *sheet, const RegardMosaic *mosaic)
{
  RegardMosaicPlace place;
  for (guint i = sheet->panels->len; i-- > 0;)
    if (!regard_mosaic_find(mosaic, ((RegardPanel *) sheet->panels->pdata[i])->letter, &place))
      g_ptr_array_remove_index(sheet->panels, i);
  sheet->mosaic = *mosaic;
  memset(sheet->columns, 0, sizeof sheet->columns);
  memset(sheet->rows, 0, sizeof sheet->rows);
}

void
regard_sheet_swap(RegardSheet *sheet, char a, char b)
{
  RegardPanel *of_a = regard_sheet_find(sheet, a), *of_b = regard_sheet_find(sheet, b);
  if (of_a)
    of_a->letter = b;
  if (of_b)
    of_b->letter = a;
  g_ptr_array_sort(sheet->panels, compare_panels);
}
