/* regard-side-by-side.c — the chosen heads, each large, beside each other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-side-by-side.h"

#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-heatmap.h"

/* Pixels between pictures. */
#define COLUMN_SPACING 10
#define ROW_SPACING    6

struct _RegardSideBySide {
  GtkWidget parent_instance;

  RegardSelection *selection;
  GtkWidget *grid, *more;
  GtkWidget *cells[REGARD_MOST_SIDE_BY_SIDE];    /* boxes of the two below */
  GtkWidget *names[REGARD_MOST_SIDE_BY_SIDE];    /* buttons: this head alone */
  GtkWidget *heatmaps[REGARD_MOST_SIDE_BY_SIDE]; /* the first n are in use */
  guint n;
};

G_DEFINE_FINAL_TYPE(RegardSideBySide, regard_side_by_side, GTK_TYPE_WIDGET)

/* Three beside each other, four as a square, more in lines of three. */
static guint
columns_of(guint n)
{
  return n == 4 ? 2 : MIN(n, 3);
}

static void
show_cells(RegardSideBySide *self)
{
  RegardCell hover = regard_selection_get_hover(self->selection);
  RegardCell pin = regard_selection_get_pin(self->selection);

  for (guint i = 0; i < self->n; i++) {
    regard_heatmap_set_hover(REGARD_HEATMAP(self->heatmaps[i]), hover.row, hover.col);
    regard_heatmap_set_pin(REGARD_HEATMAP(self->heatmaps[i]), pin.row, pin.col);
  }
}

static void
show_style(RegardSideBySide *self)
{
  for (guint i = 0; i < self->n; i++) {
    const RegardMatrix *m = regard_heatmap_get_matrix(REGARD_HEATMAP(self->heatmaps[i]));

    regard_heatmap_set_colors(REGARD_HEATMAP(self->heatmaps[i]),
                              regard_selection_get_scale(self->selection),
                              m && m->diverging ? regard_colormap_default_diverging()
                                                : regard_selection_get_colormap(self->selection));
    regard_heatmap_set_dimmed(REGARD_HEATMAP(self->heatmaps[i]),
                              regard_selection_get_dimmed(self->selection));
  }
}

static void on_user_hover(RegardSideBySide *self, int row, int col);
static void on_user_pin(RegardSideBySide *self, int row, int col);
static void on_name_clicked(RegardSideBySide *self, GtkWidget *name);

/* Most people never choose several heads: a picture is made when it is needed. */
static void
ensure_cell(RegardSideBySide *self, guint i)
{
  if (self->cells[i])
    return;
  self->names[i] = gtk_button_new_with_label("");
  gtk_widget_add_css_class(self->names[i], "flat");
  gtk_widget_set_halign(self->names[i], GTK_ALIGN_START);
  gtk_widget_set_tooltip_text(self->names[i], _("This head alone"));
  g_signal_connect_swapped(self->names[i], "clicked", G_CALLBACK(on_name_clicked), self);
  self->heatmaps[i] = regard_heatmap_new();
  gtk_widget_set_vexpand(self->heatmaps[i], TRUE);
  gtk_widget_set_hexpand(self->heatmaps[i], TRUE);
  regard_heatmap_add_menu(REGARD_HEATMAP(self->heatmaps[i]));
  g_signal_connect_swapped(self->heatmaps[i], "hover-changed", G_CALLBACK(on_user_hover), self);
  g_signal_connect_swapped(self->heatmaps[i], "pin-changed", G_CALLBACK(on_user_pin), self);
  self->cells[i] = g_object_ref_sink(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0));
  regard_box_append(self->cells[i], self->names[i], self->heatmaps[i], NULL);
}

static void
show_head(RegardSideBySide *self, guint i, const RegardMatrix *like, guint layer, guint head)
{
  mt_attention_kind kind = regard_selection_get_kind(self->selection);
  g_autofree char *name =
      regard_naming_head_of(regard_selection_get_capture(self->selection), kind, layer, head);
  g_autoptr(RegardMatrix) m = regard_matrix_new_head(like, layer, head);

  ensure_cell(self, i);
  gtk_button_set_label(GTK_BUTTON(self->names[i]), name);
  g_object_set_data(G_OBJECT(self->names[i]), "layer", GUINT_TO_POINTER(layer));
  g_object_set_data(G_OBJECT(self->names[i]), "head", GUINT_TO_POINTER(head));
  regard_heatmap_set_matrix(REGARD_HEATMAP(self->heatmaps[i]), m);
}

static void
arrange(RegardSideBySide *self, guint n, guint n_chosen)
{
  g_autofree char *text = g_strdup_printf(_("%u of %u chosen heads"), n, n_chosen);

  if (n != self->n)
    for (guint i = 0; i < REGARD_MOST_SIDE_BY_SIDE; i++) {
      if (self->cells[i] && gtk_widget_get_parent(self->cells[i]))
        gtk_grid_remove(GTK_GRID(self->grid), self->cells[i]);
      if (i < n)
        gtk_grid_attach(GTK_GRID(self->grid), self->cells[i], (int) (i % columns_of(n)),
                        (int) (i / columns_of(n)), 1, 1);
      else if (self->cells[i])
        regard_heatmap_set_matrix(REGARD_HEATMAP(self->heatmaps[i]), NULL);
    }
  self->n = n;
  gtk_label_set_text(GTK_LABEL(self->more), text);
  gtk_widget_set_visible(self->more, n < n_chosen);
}

static void
update(RegardSideBySide *self)
{
  const RegardMatrix *like = regard_selection_get_matrix(self->selection);
  const RegardAttention *from = like ? regard_matrix_get_attention(like) : NULL;
  guint n = 0, n_chosen = 0;

  if (!gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  for (guint l = 0; from && l < mt_capture_n_layers(from->capture, from->spec.kind); l++)
    for (guint h = 0; h < mt_capture_n_heads(from->capture, from->spec.kind); h++) {
      if (!regard_selection_is_chosen(self->selection, from->spec.kind, l, h))
        continue;
      if (n < REGARD_MOST_SIDE_BY_SIDE)
        show_head(self, n++, like, l, h);
      n_chosen++;
    }
  arrange(self, n, n_chosen);
  show_style(self);
  show_cells(self);
}

static void
on_user_hover(RegardSideBySide *self, int row, int col)
{
  regard_selection_set_hover(self->selection, (RegardCell){row, col});
}

static void
on_user_pin(RegardSideBySide *self, int row, int col)
{
  regard_selection_set_pin(self->selection, (RegardCell){row, col});
}

static void
on_name_clicked(RegardSideBySide *self, GtkWidget *name)
{
  guint layer = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(name), "layer"));
  guint head = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(name), "head"));

  const mt_attention_kind kind = regard_selection_get_kind(self->selection);
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  if (capture)
    regard_selection_set_place(self->selection, kind,
                               (guint) mt_capture_first_layer(capture, kind) + layer,
                               (guint) mt_capture_first_head(capture, kind) + head);
  regard_selection_set_combine(self->selection, REGARD_COMBINE_HEAD);
}

gboolean
regard_side_by_side_handle_key(RegardSideBySide *self, guint keyval, GdkModifierType state)
{
  return self->n > 0 && regard_heatmap_handle_key(REGARD_HEATMAP(self->heatmaps[0]), keyval, state);
}

void
regard_side_by_side_set_selection(RegardSideBySide *self, RegardSelection *selection)
{
  const struct {
    const char *signal;
    void (*callback)(RegardSideBySide *self);
  } wanted[] = {
      {"matrix-changed", update},     {"chosen-changed", update},    {"style-changed", show_style},
      {"notify::dimmed", show_style}, {"hover-changed", show_cells}, {"pin-changed", show_cells},
  };

  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
    regard_connect(selection, wanted[i].signal, G_CALLBACK(wanted[i].callback), self);
}

/* ---- Layout ------------------------------------------------------------------------------------
 */

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *least, int *natural,
        int *least_baseline, int *natural_baseline)
{
  RegardSideBySide *self = REGARD_SIDE_BY_SIDE(widget);
  int least_more = 0, more = 0;

  gtk_widget_measure(self->grid, orientation, -1, least, natural, NULL, NULL);
  if (gtk_widget_should_layout(self->more))
    gtk_widget_measure(self->more, orientation, -1, &least_more, &more, NULL, NULL);
  if (orientation == GTK_ORIENTATION_VERTICAL) {
    *least += least_more;
    *natural += more;
  } else {
    *least = MAX(*least, least_more);
    *natural = MAX(*natural, more);
  }
}

/* What is left when every cell has the same whole number of pixels. */
static int
even(int length, guint n, int spacing)
{
  const int between = spacing * (int) (n - 1);

  return length <= between ? length : length - (length - between) % (int) n;
}

/* Pictures of one size lay out alike: a label that is cut is cut in the same place in all of them,
 * and cells that stand for the same tokens are as large. */
static void
size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  RegardSideBySide *self = REGARD_SIDE_BY_SIDE(widget);
  const guint cols = columns_of(MAX(self->n, 1)), rows = (MAX(self->n, 1) + cols - 1) / cols;
  int more = 0, least_width, least_height;

  if (gtk_widget_should_layout(self->more))
    gtk_widget_measure(self->more, GTK_ORIENTATION_VERTICAL, width, &more, NULL, NULL, NULL);
  gtk_widget_measure(self->grid, GTK_ORIENTATION_HORIZONTAL, -1, &least_width, NULL, NULL, NULL);
  gtk_widget_measure(self->grid, GTK_ORIENTATION_VERTICAL, -1, &least_height, NULL, NULL, NULL);
  gtk_widget_size_allocate(
      self->grid,
      &(GtkAllocation){0, 0, MAX(even(width, cols, COLUMN_SPACING), least_width),
                       MAX(even(height - more, rows, ROW_SPACING), least_height)},
      -1);
  if (more > 0)
    gtk_widget_size_allocate(self->more, &(GtkAllocation){0, height - more, width, more}, -1);
}

static void
map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(regard_side_by_side_parent_class)->map(widget);
  update(REGARD_SIDE_BY_SIDE(widget));
}

static void
dispose(GObject *object)
{
  RegardSideBySide *self = REGARD_SIDE_BY_SIDE(object);

  for (guint i = 0; i < REGARD_MOST_SIDE_BY_SIDE; i++)
    g_clear_object(&self->cells[i]);
  self->n = 0;
  while (gtk_widget_get_first_child(GTK_WIDGET(self)))
    gtk_widget_unparent(gtk_widget_get_first_child(GTK_WIDGET(self)));
  g_clear_object(&self->selection);
  G_OBJECT_CLASS(regard_side_by_side_parent_class)->dispose(object);
}

static void
regard_side_by_side_class_init(RegardSideBySideClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  widget_class->map = map;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  gtk_widget_class_set_css_name(widget_class, "sidebyside");
}

static void
regard_side_by_side_init(RegardSideBySide *self)
{
  self->grid = gtk_grid_new();
  gtk_grid_set_row_homogeneous(GTK_GRID(self->grid), TRUE);
  gtk_grid_set_column_homogeneous(GTK_GRID(self->grid), TRUE);
  gtk_grid_set_column_spacing(GTK_GRID(self->grid), COLUMN_SPACING);
  gtk_grid_set_row_spacing(GTK_GRID(self->grid), ROW_SPACING);
  gtk_widget_set_vexpand(self->grid, TRUE);
  self->more = regard_label_new(NULL, 0, "regard-note");
  gtk_widget_set_visible(self->more, FALSE);
  gtk_widget_set_parent(self->grid, GTK_WIDGET(self));
  gtk_widget_set_parent(self->more, GTK_WIDGET(self));
}

GtkWidget *
regard_side_by_side_new(void)
{
  return g_object_new(REGARD_TYPE_SIDE_BY_SIDE, NULL);
}
