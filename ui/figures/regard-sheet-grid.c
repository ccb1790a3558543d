/* regard-sheet-grid.c — heads by texts: the same heads of each text, in rows and columns.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A head here is all that a panel shows but its text: kind, layer, head, form, what is merged or
 * hidden. Two captures of one text with other changes are two columns.
 */
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-sheet.h"

#include <string.h>

static gsize
n_heads(const mt_capture *capture, mt_attention_kind kind)
{
  return mt_capture_n_layers(capture, kind) * mt_capture_n_heads(capture, kind);
}

/* Whether a capture has what a panel shows. */
static gboolean
has_heads(const mt_capture *capture, const RegardPanel *panel)
{
  const RegardMatrixSpec *spec = &panel->look.spec;
  const mt_capture *own = panel->look.capture;
  if (panel->look.scope == REGARD_SCOPE_ALL)
    return n_heads(capture, MT_ENCODER_SELF) && n_heads(capture, MT_DECODER_SELF) &&
           n_heads(capture, MT_CROSS);
  /* Layers and heads are counted from the first that a capture has. */
  return mt_capture_first_layer(capture, spec->kind) == mt_capture_first_layer(own, spec->kind) &&
         mt_capture_first_head(capture, spec->kind) == mt_capture_first_head(own, spec->kind) &&
         spec->layer < mt_capture_n_layers(capture, spec->kind) &&
         spec->head < mt_capture_n_heads(capture, spec->kind) &&
         (!spec->chosen ||
          (mt_capture_n_layers(capture, spec->kind) == mt_capture_n_layers(own, spec->kind) &&
           mt_capture_n_heads(capture, spec->kind) == mt_capture_n_heads(own, spec->kind)));
}

gboolean
regard_panel_set_capture(RegardPanel *panel, mt_capture *capture)
{
  RegardAttentionLook *look = &panel->look;
  if (!panel->is_attention || !has_heads(capture, panel))
    return FALSE;
  const mt_tokens *before[] = {mt_capture_source(look->capture), mt_capture_output(look->capture)};
  const mt_tokens *after[] = {mt_capture_source(capture), mt_capture_output(capture)};
  gboolean is_same = TRUE;
  for (guint i = 0; i < 2; i++)
    is_same &= before[i] && after[i] &&
               g_str_equal(mt_tokens_text(before[i]), mt_tokens_text(after[i])) &&
               mt_tokens_count(before[i]) == mt_tokens_count(after[i]);
  if (!is_same) { /* places in other words */
    g_clear_pointer(&look->rows, g_free);
    g_clear_pointer(&look->cols, g_free);
    look->n_rows = look->n_cols = 0;
    panel->pinned_row = panel->pinned_col = -1;
  }
  mt_capture_ref(capture);
  mt_capture_unref(look->capture);
  look->capture = capture;
  return TRUE;
}

static gboolean
is_same_head(const RegardPanel *a, const RegardPanel *b)
{
  const RegardAttentionLook *x = &a->look, *y = &b->look;
  const RegardMatrixSpec *s = &x->spec, *t = &y->spec;
  const gsize n = n_heads(x->capture, s->kind);
  const gboolean is_one = s->combine == REGARD_COMBINE_HEAD && x->scope == REGARD_SCOPE_HEAD;
  return x->scope == y->scope && x->form == y->form && x->lines_share == y->lines_share &&
         x->orientation == y->orientation && x->has_received == y->has_received &&
         s->kind == t->kind && s->layer == t->layer && s->combine == t->combine &&
         (!is_one || s->head == t->head) && !s->chosen == !t->chosen &&
         s->merge_words == t->merge_words && s->hide_special == t->hide_special &&
         s->label_by == t->label_by && s->is_plain == t->is_plain && a->scale == b->scale &&
         a->colormap == b->colormap &&
         (!s->chosen ||
          (n == n_heads(y->capture, t->kind) && memcmp(s->chosen, t->chosen, n) == 0));
}

static gboolean
is_same_text(const RegardPanel *a, const RegardPanel *b)
{
  const mt_interventions *x = mt_capture_interventions(a->look.capture),
                         *y = mt_capture_interventions(b->look.capture);
  return a->look.capture == b->look.capture ||
         (g_strcmp0(regard_panel_text(a), regard_panel_text(b)) == 0 &&
          (x && y ? mt_interventions_equal(x, y) : !x && !y) &&
          g_str_equal(mt_capture_model_name(a->look.capture),
                      mt_capture_model_name(b->look.capture)));
}

/* The first panel of each head, and of each text, in the order of reading. */
typedef struct {
  const RegardPanel *heads[REGARD_SHEET_MOST_PANELS], *texts[REGARD_SHEET_MOST_PANELS];
  guint n_heads, n_texts;
} Grid;

static void
add_first(const RegardPanel **list, guint *n, const RegardPanel *panel,
          gboolean (*is_same)(const RegardPanel *, const RegardPanel *))
{
  for (guint i = 0; i < *n; i++)
    if (is_same(list[i], panel))
      return;
  list[(*n)++] = panel;
}

static gboolean
refuse(char **reason, char *text)
{
  *reason = text;
  return FALSE;
}

static gboolean
find_grid(const RegardSheet *sheet, Grid *grid, char **reason)
{
  char letters[REGARD_SHEET_MOST_PANELS + 1];
  *grid = (Grid){0};
  regard_mosaic_letters(&sheet->mosaic, letters);
  for (const char *letter = letters; *letter; letter++) {
    const RegardPanel *panel = regard_sheet_find(sheet, *letter);
    if (!panel)
      continue;
    g_autofree char *name = regard_sheet_name_panel(sheet, *letter);
    if (!panel->is_attention || mt_capture_difference_a(panel->look.capture))
      return refuse(reason, g_strdup_printf(_("Panel %s is no attention of one text."), name));
    add_first(grid->heads, &grid->n_heads, panel, is_same_head);
    add_first(grid->texts, &grid->n_texts, panel, is_same_text);
  }
  return grid->n_heads > 0 || refuse(reason, g_strdup(_("The figure has no panel.")));
}

static gboolean
check_size(guint rows, guint cols, char **reason)
{
  if (rows <= REGARD_MOSAIC_MOST_SIDE && cols <= REGARD_MOSAIC_MOST_SIDE &&
      rows * cols <= REGARD_SHEET_MOST_PANELS)
    return TRUE;
  return refuse(reason,
                g_strdup_printf(_("%u × %u panels are more than a figure can have: %d, and %d in "
                                  "a row or column."),
                                rows, cols, REGARD_SHEET_MOST_PANELS, REGARD_MOSAIC_MOST_SIDE));
}

/* Of a head and a text: the panel that there is, else one like that of the head. NULL: the text's
 * capture does not have it. */
static RegardPanel *
make_panel(const RegardSheet *sheet, const RegardPanel *head, const RegardPanel *text)
{
  for (guint i = 0; i < sheet->panels->len; i++) {
    const RegardPanel *panel = sheet->panels->pdata[i];
    if (is_same_head(panel, head) && is_same_text(panel, text))
      return regard_panel_copy(panel);
  }
  RegardPanel *made = regard_panel_copy(head);
  g_free(made->sentence);
  made->sentence = g_strdup(text->sentence);
  if (regard_panel_set_capture(made, text->look.capture))
    return made;
  regard_panel_free(made);
  return NULL;
}

gboolean
regard_sheet_arrange(RegardSheet *sheet, gboolean texts_in_rows, char **reason)
{
  Grid grid;
  RegardMosaic mosaic = {0};
  if (!find_grid(sheet, &grid, reason))
    return FALSE;
  mosaic.rows = texts_in_rows ? grid.n_texts : grid.n_heads;
  mosaic.cols = texts_in_rows ? grid.n_heads : grid.n_texts;
  if (!check_size(mosaic.rows, mosaic.cols, reason))
    return FALSE;
  g_autoptr(GPtrArray) panels = g_ptr_array_new_with_free_func((GDestroyNotify) regard_panel_free);
  for (guint i = 0; i < mosaic.rows * mosaic.cols; i++) {
    const guint r = i / mosaic.cols, c = i % mosaic.cols;
    const RegardPanel *head = grid.heads[texts_in_rows ? c : r],
                      *text = grid.texts[texts_in_rows ? r : c];
    RegardPanel *panel = make_panel(sheet, head, text);
    if (!panel) {
      g_autofree char *what = regard_panel_describe(head), *of = regard_panel_dup_sentence(text);
      return refuse(reason, g_strdup_printf(_("The capture of “%s” does not have: %s."),
                                            of ? of : "", what));
    }
    mosaic.at[r][c] = (char) ('A' + i);
    panel->letter = mosaic.at[r][c];
    g_ptr_array_add(panels, panel);
  }
  g_ptr_array_unref(sheet->panels);
  sheet->panels = g_steal_pointer(&panels);
  regard_sheet_set_mosaic(sheet, &mosaic);
  return TRUE;
}

/* Texts stand in rows already where the first row is of one, and there are several. */
static gboolean
has_texts_in_rows(const RegardSheet *sheet, const Grid *grid)
{
  const RegardMosaic *m = &sheet->mosaic;
  const RegardPanel *first = NULL;
  for (guint c = 0; c < m->cols; c++) {
    const RegardPanel *panel = regard_sheet_find(sheet, m->at[0][c]);
    if (first && panel && !is_same_text(first, panel))
      return FALSE;
    first = first ? first : panel;
  }
  return grid->n_texts > 1 && m->cols > 1;
}

gboolean
regard_sheet_add_text(RegardSheet *sheet, mt_capture *capture, char **reason)
{
  Grid grid;
  if (!find_grid(sheet, &grid, reason))
    return FALSE;
  const gboolean in_rows = has_texts_in_rows(sheet, &grid);
  RegardPanel *panel = regard_panel_copy(grid.heads[0]);
  g_clear_pointer(&panel->sentence, g_free);
  if (!regard_panel_set_capture(panel, capture)) {
    g_autofree char *what = regard_panel_describe(panel);
    regard_panel_free(panel);
    return refuse(reason, g_strdup_printf(_("The model has no such head: %s."), what));
  }
  for (guint i = 0; i < grid.n_texts; i++)
    if (is_same_text(grid.texts[i], panel)) {
      regard_panel_free(panel);
      return refuse(reason, g_strdup(_("The figure has this text already.")));
    }
  if (!regard_sheet_add(sheet, panel))
    return refuse(reason, g_strdup(_("There is no room for one more panel")));
  return regard_sheet_arrange(sheet, in_rows, reason);
}
