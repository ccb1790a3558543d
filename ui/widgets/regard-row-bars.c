/* regard-row-bars.c — the largest weights of a row as bars, for the cell panel.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-row-bars.h"
#include "widgets/regard-theme.h"
#include <math.h>

typedef struct {
  guint col;
  char *name;
  double value;
} Bar;

struct _RegardRowBars {
  GtkWidget parent_instance;

  Bar bars[REGARD_N_ROW_BARS];
  guint n;
  int lit;    /* column in bold, or -1 */
  double max; /* value of a full bar */
  RegardTheme theme;
  gboolean theme_valid;
};

G_DEFINE_FINAL_TYPE(RegardRowBars, regard_row_bars, GTK_TYPE_WIDGET)

static void
clear(RegardRowBars *self)
{
  for (guint i = 0; i < self->n; i++)
    g_clear_pointer(&self->bars[i].name, g_free);
  self->n = 0;
}

void
regard_row_bars_set(RegardRowBars *self, const RegardMatrix *matrix, int row, int col)
{
  g_autofree char *text = NULL;

  g_return_if_fail(REGARD_IS_ROW_BARS(self));
  clear(self);
  self->lit = col;
  for (guint c = 0; matrix && row >= 0 && c < matrix->cols; c++) {
    double value = regard_matrix_get(matrix, row, c);
    guint at = self->n;

    if (regard_matrix_is_masked(matrix, row, c))
      continue;
    while (at > 0 && fabs(self->bars[at - 1].value) < fabs(value))
      at--;
    if (at == REGARD_N_ROW_BARS)
      continue;
    if (self->n < REGARD_N_ROW_BARS)
      self->n++;
    for (guint i = self->n - 1; i > at; i--)
      self->bars[i] = self->bars[i - 1];
    self->bars[at] = (Bar){.col = c, .value = value};
  }
  if (matrix && col >= 0 && self->n > 0 && !regard_matrix_is_masked(matrix, row, col)) {
    gboolean there = FALSE;

    for (guint i = 0; i < self->n; i++)
      there |= self->bars[i].col == (guint) col;
    if (!there) /* what is pointed at takes the last place */
      self->bars[self->n - 1] = (Bar){.col = col, .value = regard_matrix_get(matrix, row, col)};
  }
  for (guint i = 0; i < self->n; i++)
    self->bars[i].name = g_strdup(matrix->col_labels[self->bars[i].col].text);
  self->max = matrix && !matrix->diverging && matrix->hi > 0 ? matrix->hi
              : self->n > 0                                  ? MAX(fabs(self->bars[0].value), 1e-9)
                                                             : 1;
  text = regard_row_bars_get_text(self);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                 -1);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

char *
regard_row_bars_get_text(RegardRowBars *self)
{
  GString *text = g_string_new(NULL);

  g_return_val_if_fail(REGARD_IS_ROW_BARS(self), NULL);
  for (guint i = 0; i < self->n; i++)
    g_string_append_printf(text, "%s\t%.3f\n", self->bars[i].name, self->bars[i].value);
  return g_string_free(text, FALSE);
}

static double
line_height(GtkWidget *widget)
{
  return ceil(regard_theme_font_px(widget) * 1.45);
}

static void
regard_row_bars_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                        int *natural, int *minimum_baseline, int *natural_baseline)
{
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = 140;
    *natural = 190;
  } else
    *minimum = *natural = line_height(widget) * REGARD_N_ROW_BARS;
}

static void
regard_row_bars_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardRowBars *self = REGARD_ROW_BARS(widget);
  double width = gtk_widget_get_width(widget), line = line_height(widget);
  double px = regard_theme_font_px(widget), name_w, value_w, bar_w;

  if (!self->theme_valid)
    regard_theme_get(widget, &self->theme);
  self->theme_valid = TRUE;
  value_w = ceil(px * 2.9);
  name_w = floor(width * 0.38);
  bar_w = MAX(width - name_w - value_w - 12, 8);

  for (guint i = 0; i < self->n; i++) {
    const Bar *bar = &self->bars[i];
    g_autofree char *number = g_strdup_printf("%.3f", bar->value);
    double y = i * line, length = fabs(bar->value) / self->max * bar_w;

    for (int part = 0; part < 2; part++) {
      g_autoptr(PangoLayout) layout =
          gtk_widget_create_pango_layout(widget, part == 0 ? bar->name : number);
      PangoFontDescription *font = pango_font_description_copy_static(
          pango_context_get_font_description(gtk_widget_get_pango_context(widget)));
      int w, h;

      pango_font_description_set_absolute_size(font, px * 0.92 * PANGO_SCALE);
      if ((int) bar->col == self->lit)
        pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
      pango_layout_set_font_description(layout, font);
      pango_font_description_free(font);
      if (part == 0) {
        pango_layout_set_width(layout, name_w * PANGO_SCALE);
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
        pango_layout_set_single_paragraph_mode(layout, TRUE);
      }
      pango_layout_get_pixel_size(layout, &w, &h);
      gtk_snapshot_save(snapshot);
      gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(part == 0 ? 0 : width - w,
                                                            floor(y + (line - h) / 2)));
      gtk_snapshot_append_layout(snapshot, layout, part == 0 ? &self->theme.fg : &self->theme.dim);
      gtk_snapshot_restore(snapshot);
    }
    gtk_snapshot_append_color(snapshot, &self->theme.accent,
                              &GRAPHENE_RECT_INIT(name_w + 6, floor(y + line / 2 - 4),
                                                  MAX(length, 1), 8));
  }
}

static void
regard_row_bars_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_row_bars_parent_class)->css_changed(widget, change);
  REGARD_ROW_BARS(widget)->theme_valid = FALSE;
}

static void
regard_row_bars_finalize(GObject *object)
{
  clear(REGARD_ROW_BARS(object));
  G_OBJECT_CLASS(regard_row_bars_parent_class)->finalize(object);
}

static void
regard_row_bars_class_init(RegardRowBarsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = regard_row_bars_finalize;
  widget_class->measure = regard_row_bars_measure;
  widget_class->snapshot = regard_row_bars_snapshot;
  widget_class->css_changed = regard_row_bars_css_changed;
  gtk_widget_class_set_css_name(widget_class, "rowbars");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
regard_row_bars_init(RegardRowBars *self)
{
  self->lit = -1;
  self->max = 1;
}

GtkWidget *
regard_row_bars_new(void)
{
  return g_object_new(REGARD_TYPE_ROW_BARS, NULL);
}
