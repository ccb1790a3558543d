/* regard-lines-pane.c — the large picture as lines, with what is said and chosen about them below.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-lines-pane.h"

#include "figures/regard-language.h"
#include "figures/regard-matrix-attention.h"
#include "figures/regard-words.h"
#include "widgets/regard-colorbar.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-wrap-layout.h"

struct _RegardLinesPane {
  GtkWidget parent_instance;

  RegardSelection *selection;
  RegardMatrix *matrix;
  gboolean each, is_current; /* lines are those of the matrix */
  GtkWidget *scroller, *area, *bar;
  GtkWidget *colorbar, *legend, *share, *said;
  RegardLinesColormap maps[2]; /* one in use, one that was */
  guint map;
  gboolean loading;
};

G_DEFINE_FINAL_TYPE(RegardLinesPane, regard_lines_pane, GTK_TYPE_WIDGET)

/* ---- What is drawn --------------------------------------------------------------------------- */

/* The chosen heads, as many as have a colour; how many there are in *n_chosen. */
static GPtrArray *
list_heads(RegardLinesPane *self, GPtrArray *names, guint *n_chosen)
{
  const RegardAttention *from = regard_matrix_get_attention(self->matrix);
  GPtrArray *heads = g_ptr_array_new_with_free_func((GDestroyNotify) regard_matrix_unref);

  *n_chosen = 0;
  if (!self->each || !from)
    return heads;
  const mt_attention_kind kind = from->spec.kind;
  for (guint l = 0; l < mt_capture_n_layers(from->capture, kind); l++)
    for (guint h = 0; h < mt_capture_n_heads(from->capture, kind); h++) {
      if (!regard_selection_is_chosen(self->selection, kind, l, h))
        continue;
      (*n_chosen)++;
      if (heads->len == REGARD_MOST_LINES)
        continue;
      g_ptr_array_add(heads, regard_matrix_new_head(self->matrix, l, h));
      g_ptr_array_add(names, regard_naming_head_of(from->capture, kind, l, h));
    }
  return heads;
}

static void
show_said(RegardLinesPane *self, guint n_chosen)
{
  const RegardLines *lines = regard_lines_area_get_lines(REGARD_LINES_AREA(self->area));
  g_autoptr(GString) text = g_string_new(NULL);

  if (lines) {
    const double percent = lines->dimmed * 100;
    if (lines->n_kept == lines->n_lines)
      regard_words_add_part(text, _("nothing is dimmed"));
    else if (percent < 1)
      /* xgettext:no-c-format */
      regard_words_add_part(text, _("less than 1 % of the weight dimmed"));
    else
      g_string_append_printf(text, _("%.0f %% of the weight dimmed"), percent);
    if (n_chosen > lines->n && lines->n > 1) {
      g_autofree char *chosen = g_strdup_printf(_("%u of %u chosen heads"), lines->n, n_chosen);

      regard_words_add_part(text, chosen);
    }
    if (lines->n > 1 && lines->matrices[0]->diverging)
      regard_words_add_part(text, _("colours are heads: a sign is told at the pointer only"));
  }
  gtk_label_set_text(GTK_LABEL(self->said), text->str);
}

/* Colour bar and legend, in the colours that the area has at present. */
static void
show_colors(RegardLinesPane *self)
{
  const RegardLines *lines = regard_lines_area_get_lines(REGARD_LINES_AREA(self->area));
  RegardLinesStyle style;
  g_autoptr(GString) markup = g_string_new(NULL);

  if (!lines || !regard_lines_area_get_style(REGARD_LINES_AREA(self->area), &style))
    return;
  self->map = !self->map;
  regard_lines_colormap_init(&self->maps[self->map], lines, &style);
  regard_colorbar_set(REGARD_COLORBAR(self->colorbar), &self->maps[self->map].map, style.scale,
                      lines->lo, lines->hi);
  for (guint i = 0; lines->n > 1 && i < lines->n; i++)
    g_string_append_printf(markup, "%s<span color=\"#%06x\">━━</span> %s", i > 0 ? "   " : "",
                           regard_lines_ink(lines, &style, i, FALSE) & 0xffffff, lines->names[i]);
  gtk_label_set_markup(GTK_LABEL(self->legend), markup->str);
  gtk_widget_set_visible(self->legend, lines->n > 1);
}

static void
show_mark(RegardLinesPane *self)
{
  const RegardLines *lines = regard_lines_area_get_lines(REGARD_LINES_AREA(self->area));
  const RegardCell cell = regard_selection_get_focus(self->selection);
  double mark = -1;

  if (lines && lines->n == 1 && cell.row >= 0 && cell.col >= 0 &&
      cell.row < (int) lines->matrices[0]->rows && cell.col < (int) lines->matrices[0]->cols) {
    RegardMatrix *m = lines->matrices[0];
    mark = regard_scale_apply(regard_selection_get_scale(self->selection),
                              regard_matrix_get(m, (guint) cell.row, (guint) cell.col), m->lo,
                              m->hi, regard_matrix_row_max(m, (guint) cell.row));
  }
  regard_colorbar_set_mark(REGARD_COLORBAR(self->colorbar), mark);
}

static void
show_cells(RegardLinesPane *self)
{
  const RegardCell hover = regard_selection_get_hover(self->selection);
  const RegardCell pin = regard_selection_get_pin(self->selection);

  if (!self->is_current)
    return;
  regard_lines_area_set_hover(REGARD_LINES_AREA(self->area), hover.row, hover.col);
  regard_lines_area_set_pin(REGARD_LINES_AREA(self->area), pin.row, pin.col);
  show_mark(self);
}

static void
show_step(RegardLinesPane *self)
{
  const int step = regard_selection_get_step(self->selection);

  regard_lines_area_set_computed(REGARD_LINES_AREA(self->area),
                                 regard_selection_rows_computed(self->selection, step));
}

/* Lines are made when they are seen, or exported. */
static void
ensure_current(RegardLinesPane *self)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(RegardLines) lines = NULL;
  guint n_chosen = 0;

  if (self->is_current)
    return;
  self->is_current = TRUE;
  if (self->matrix) {
    const double share = regard_selection_get_lines_share(self->selection);
    g_autoptr(GPtrArray) heads = list_heads(self, names, &n_chosen);

    lines = heads->len > 1 ? regard_lines_new((RegardMatrix *const *) heads->pdata,
                                              (const char *const *) names->pdata, heads->len, share)
                           : regard_lines_new(&self->matrix, NULL, 1, share);
  }
  regard_lines_area_set_lines(REGARD_LINES_AREA(self->area), lines);
  show_said(self, n_chosen);
  show_colors(self);
  show_step(self);
  show_cells(self);
}

static void
update(RegardLinesPane *self)
{
  self->is_current = FALSE;
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    ensure_current(self);
}

static void
on_chosen(RegardLinesPane *self)
{
  if (self->each)
    update(self);
}

static void
on_style(RegardLinesPane *self)
{
  const RegardLines *lines = regard_lines_area_get_lines(REGARD_LINES_AREA(self->area));
  const double share = regard_selection_get_lines_share(self->selection);

  regard_lines_area_set_colors(REGARD_LINES_AREA(self->area),
                               regard_selection_get_scale(self->selection),
                               regard_selection_get_colormap(self->selection));
  self->loading = TRUE;
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(self->share), share * 100);
  self->loading = FALSE;
  if (!lines || lines->share != share)
    update(self);
  else
    show_colors(self);
}

/* What is dimmed is no question of a simple window. */
static void
on_simple(RegardLinesPane *self)
{
  const gboolean simple = regard_selection_get_simple(self->selection);

  gtk_widget_set_visible(gtk_widget_get_parent(self->share), !simple);
  gtk_widget_set_visible(self->said, !simple);
}

static void
on_dimmed(RegardLinesPane *self)
{
  regard_lines_area_set_dimmed(REGARD_LINES_AREA(self->area),
                               regard_selection_get_dimmed(self->selection));
}

void
regard_lines_pane_set_matrix(RegardLinesPane *self, RegardMatrix *matrix)
{
  if (matrix == self->matrix)
    return;
  if (matrix)
    regard_matrix_ref(matrix);
  g_clear_pointer(&self->matrix, regard_matrix_unref);
  self->matrix = matrix;
  update(self);
}

void
regard_lines_pane_set_each(RegardLinesPane *self, gboolean each)
{
  if (!each == !self->each)
    return;
  self->each = !!each;
  update(self);
}

static guint
count_marks(const guint8 *marks, guint n)
{
  guint count = 0;

  for (guint i = 0; marks && i < n; i++)
    count += marks[i];
  return count;
}

/* Several isolated tokens of one list are added up, too. */
static void
on_isolated(RegardLinesPane *self)
{
  RegardLinesMarks marks;
  guint rows, cols;

  if (!self->matrix || self->matrix != regard_selection_get_matrix(self->selection) ||
      !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  regard_lines_area_get_marks(REGARD_LINES_AREA(self->area), &marks);
  rows = count_marks(marks.rows, self->matrix->rows);
  cols = count_marks(marks.cols, self->matrix->cols);
  regard_selection_set_summed(self->selection, rows > 1 ? REGARD_SUM_QUERIES : REGARD_SUM_KEYS,
                              rows > 1 && cols == 0   ? marks.rows
                              : cols > 1 && rows == 0 ? marks.cols
                                                      : NULL);
}

RegardFigure *
regard_lines_pane_create_figure(RegardLinesPane *self, const RegardFigureStyle *style)
{
  RegardLinesMarks marks;

  ensure_current(self);
  RegardLines *lines = regard_lines_area_get_lines(REGARD_LINES_AREA(self->area));
  regard_lines_area_get_marks(REGARD_LINES_AREA(self->area), &marks);
  return lines ? regard_figure_new_lines(lines, REGARD_LINES_UPRIGHT, &marks, style) : NULL;
}

/* ---- What the user does ---------------------------------------------------------------------- */

static void
on_user_hover(RegardLinesPane *self, int row, int col)
{
  regard_selection_set_hover(self->selection, (RegardCell){row, col});
}

static void
on_user_pin(RegardLinesPane *self, int row, int col)
{
  regard_selection_set_pin(self->selection, (RegardCell){row, col});
}

static void
on_user_share(RegardLinesPane *self)
{
  if (!self->loading && self->selection)
    regard_selection_set_lines_share(self->selection,
                                     gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->share)) / 100);
}

GtkWidget *
regard_lines_pane_locate(RegardLinesPane *self, int row, int col, graphene_rect_t *rect)
{
  RegardLinesArea *area = REGARD_LINES_AREA(self->area);
  graphene_rect_t one;

  if (row >= 0 && !regard_lines_area_get_token_rect(area, REGARD_LINES_ROWS, (guint) row, rect))
    return NULL;
  if (col >= 0 && !regard_lines_area_get_token_rect(area, REGARD_LINES_COLS, (guint) col, &one))
    return NULL;
  if (row >= 0 && col >= 0)
    graphene_rect_union(rect, &one, rect);
  else if (col >= 0)
    *rect = one;
  return row >= 0 || col >= 0 ? self->area : NULL;
}

gboolean
regard_lines_pane_handle_key(RegardLinesPane *self, guint keyval, GdkModifierType state)
{
  return regard_lines_area_handle_key(REGARD_LINES_AREA(self->area), keyval, state);
}

void
regard_lines_pane_set_selection(RegardLinesPane *self, RegardSelection *selection)
{
  const struct {
    const char *signal;
    void (*callback)(RegardLinesPane *self);
  } wanted[] = {
      {"style-changed", on_style},   {"chosen-changed", on_chosen}, {"hover-changed", show_cells},
      {"pin-changed", show_cells},   {"notify::dimmed", on_dimmed}, {"notify::step", show_step},
      {"notify::simple", on_simple},
  };

  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
    regard_connect(selection, wanted[i].signal, G_CALLBACK(wanted[i].callback), self);
  on_simple(self);
  on_style(self);
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static void
map_widget(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(regard_lines_pane_parent_class)->map(widget);
  ensure_current(REGARD_LINES_PANE(widget));
}

/* Light or dark. */
static void
css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_lines_pane_parent_class)->css_changed(widget, change);
  if (REGARD_LINES_PANE(widget)->is_current)
    show_colors(REGARD_LINES_PANE(widget));
}

static void
dispose(GObject *object)
{
  RegardLinesPane *self = REGARD_LINES_PANE(object);

  g_clear_pointer(&self->matrix, regard_matrix_unref);
  g_clear_object(&self->selection);
  while (gtk_widget_get_first_child(GTK_WIDGET(self)))
    gtk_widget_unparent(gtk_widget_get_first_child(GTK_WIDGET(self)));
  G_OBJECT_CLASS(regard_lines_pane_parent_class)->dispose(object);
}

static void
regard_lines_pane_class_init(RegardLinesPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  widget_class->map = map_widget;
  widget_class->css_changed = css_changed;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "linespane");
}

static GtkWidget *
build_share(RegardLinesPane *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6), *label;
  const char *name = _("Share of a row that strong lines hold, in percent");

  label = gtk_label_new(_("Strong:"));
  gtk_box_append(GTK_BOX(box), label);
  self->share = gtk_spin_button_new_with_range(0, 100, 5);
  gtk_widget_set_name(self->share, "strong-lines");
  gtk_widget_set_tooltip_text(
      self->share, _("Lines of the fewest keys that hold so many percent of each row are "
                     "strong, the others are dimmed; 100: all are strong"));
  regard_accessible_set_label(self->share, name);
  g_signal_connect_swapped(self->share, "value-changed", G_CALLBACK(on_user_share), self);
  /* xgettext:no-c-format */
  regard_box_append(box, self->share, gtk_label_new(_("% of each row")), NULL);
  return box;
}

static void
regard_lines_pane_init(RegardLinesPane *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager(GTK_WIDGET(self));

  gtk_orientable_set_orientation(GTK_ORIENTABLE(layout), GTK_ORIENTATION_VERTICAL);
  gtk_widget_set_name(GTK_WIDGET(self), "lines");
  self->area = regard_lines_area_new(REGARD_LINES_UPRIGHT);
  g_signal_connect_swapped(self->area, "hover-changed", G_CALLBACK(on_user_hover), self);
  g_signal_connect_swapped(self->area, "pin-changed", G_CALLBACK(on_user_pin), self);
  g_signal_connect_swapped(self->area, "isolated-changed", G_CALLBACK(on_isolated), self);
  self->scroller = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(self->scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scroller), self->area);
  gtk_widget_set_vexpand(self->scroller, TRUE);
  gtk_widget_set_parent(self->scroller, GTK_WIDGET(self));

  self->bar = regard_wrap_new(8);
  self->colorbar = regard_colorbar_new();
  gtk_widget_set_valign(self->colorbar, GTK_ALIGN_CENTER);
  self->legend = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, NULL);
  gtk_widget_set_visible(self->legend, FALSE);
  self->said = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "regard-note");
  regard_box_append(self->bar, self->legend, self->colorbar, build_share(self), self->said, NULL);
  gtk_widget_set_parent(self->bar, GTK_WIDGET(self));
}

GtkWidget *
regard_lines_pane_new(void)
{
  return g_object_new(REGARD_TYPE_LINES_PANE, NULL);
}
