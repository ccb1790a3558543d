/* regard-view-heads-rows.c — rows and columns of the list of heads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/regard-view-heads-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* ---- A row -------------------------------------------------------------------------------------
 */

G_DEFINE_FINAL_TYPE(HeadItem, head_item, G_TYPE_OBJECT)

static guint item_changed_signal;

static void
head_item_class_init(HeadItemClass *klass)
{
  item_changed_signal = g_signal_new("changed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
head_item_init(HeadItem *self)
{
}

void
head_item_changed(HeadItem *item)
{
  g_signal_emit(item, item_changed_signal, 0);
}

/* ---- Columns -----------------------------------------------------------------------------------
 */

/* As they were measured, which is the order of the window. */
static int
compare_heads(gconstpointer a, gconstpointer b, gpointer data)
{
  guint x = HEAD_ITEM((gpointer) a)->index, y = HEAD_ITEM((gpointer) b)->index;

  return x < y ? -1 : x > y;
}

static int
compare_roles(gconstpointer a, gconstpointer b, gpointer data)
{
  g_autofree char *x = regard_head_row_roles(&HEAD_ITEM((gpointer) a)->row);
  g_autofree char *y = regard_head_row_roles(&HEAD_ITEM((gpointer) b)->row);

  if (!*x != !*y) /* those with one first */
    return *x ? -1 : 1;
  return strcmp(x, y);
}

static int
compare_numbers(gconstpointer a, gconstpointer b, gpointer data)
{
  const RegardHeadRow *x = &HEAD_ITEM((gpointer) a)->row, *y = &HEAD_ITEM((gpointer) b)->row;
  double p = regard_head_measure_get(data, x), q = regard_head_measure_get(data, y);

  if (isnan(p) || isnan(q)) /* what has no number counts as less than any */
    return isnan(p) == isnan(q) ? 0 : isnan(p) ? -1 : 1;
  return p < q ? -1 : p > q;
}

/* What a column writes; measure NULL: name or roles. */
static char *
cell_text(const RegardHeadRow *row, const RegardHeadMeasure *measure, gboolean is_role)
{
  if (!measure)
    return is_role ? regard_head_row_roles(row) : regard_head_row_name(row);
  return regard_head_measure_format(measure, regard_head_measure_get(measure, row));
}

static void
update_cell(GtkListItem *cell)
{
  HeadItem *item = gtk_list_item_get_item(cell);
  GtkWidget *label = gtk_list_item_get_child(cell);
  g_autofree char *text = cell_text(&item->row, g_object_get_data(G_OBJECT(label), "measure"),
                                    g_object_get_data(G_OBJECT(label), "is-role") != NULL);

  gtk_label_set_text(GTK_LABEL(label), text);
  gtk_widget_set_visible(label, *text != '\0'); /* a badge without a word is no badge */
}

static void
on_setup(GtkListItemFactory *factory, GtkListItem *cell, gpointer measure)
{
  GtkWidget *label = gtk_label_new(NULL);
  gboolean is_role = g_object_get_data(G_OBJECT(factory), "is-role") != NULL;

  gtk_label_set_xalign(GTK_LABEL(label), measure ? 1 : 0);
  g_object_set_data(G_OBJECT(label), "measure", measure);
  g_object_set_data(G_OBJECT(label), "is-role", GINT_TO_POINTER(is_role));
  if (is_role)
    gtk_widget_set_halign(label, GTK_ALIGN_START);
  gtk_widget_add_css_class(label, is_role ? "regard-badge" : "regard-value");
  gtk_list_item_set_child(cell, label);
}

static void
on_bind(GtkListItemFactory *factory, GtkListItem *cell, gpointer measure)
{
  g_signal_connect_object(gtk_list_item_get_item(cell), "changed", G_CALLBACK(update_cell), cell,
                          G_CONNECT_SWAPPED);
  update_cell(cell);
}

static void
on_unbind(GtkListItemFactory *factory, GtkListItem *cell, gpointer measure)
{
  g_signal_handlers_disconnect_by_func(gtk_list_item_get_item(cell), update_cell, cell);
}

static GtkColumnViewColumn *
add_column(GtkWidget *table, const char *title, GCompareDataFunc compare,
           const RegardHeadMeasure *measure, gboolean is_role)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  GtkColumnViewColumn *column;
  g_autoptr(GtkSorter) sorter =
      GTK_SORTER(gtk_custom_sorter_new(compare, (gpointer) measure, NULL));

  g_object_set_data(G_OBJECT(factory), "is-role", GINT_TO_POINTER(is_role));
  g_signal_connect(factory, "setup", G_CALLBACK(on_setup), (gpointer) measure);
  g_signal_connect(factory, "bind", G_CALLBACK(on_bind), (gpointer) measure);
  g_signal_connect(factory, "unbind", G_CALLBACK(on_unbind), (gpointer) measure);
  column = gtk_column_view_column_new(title, factory);
  gtk_column_view_column_set_sorter(column, sorter);
  g_object_set_data(G_OBJECT(column), "measure", (gpointer) measure);
  gtk_column_view_column_set_visible(column, !measure || !measure->is_asked);
  gtk_column_view_append_column(GTK_COLUMN_VIEW(table), column);
  g_object_unref(column); /* the table's */
  return column;
}

/* Numbers end at the right, and so do their titles; GTK has no property for that. */
static void
align_titles(GtkWidget *table, guint n_texts)
{
  GtkWidget *title = gtk_widget_get_first_child(gtk_widget_get_first_child(table));

  for (guint i = 0; title; i++, title = gtk_widget_get_next_sibling(title)) {
    GtkWidget *content = gtk_widget_get_first_child(title);

    if (!GTK_IS_BOX(content) || i < n_texts)
      continue;
    gtk_widget_set_halign(content, GTK_ALIGN_END);
    /* The mark of the order comes before them. */
    gtk_box_reorder_child_after(GTK_BOX(content), gtk_widget_get_last_child(content), NULL);
  }
}

void
regard_heads_add_columns(GtkWidget *table)
{
  guint n;
  const RegardHeadMeasure *measures = regard_head_measures(&n);

  add_column(table, _("Head"), compare_heads, NULL, FALSE);
  gtk_column_view_column_set_expand(add_column(table, _("Role"), compare_roles, NULL, TRUE), TRUE);
  for (guint i = 0; i < n; i++) {
    g_autofree char *title =
        *measures[i].unit ? g_strdup_printf("%s (%s)", _(measures[i].title), measures[i].unit)
                          : g_strdup(_(measures[i].title));

    add_column(table, title, compare_numbers, &measures[i], FALSE);
  }
  align_titles(table, 2);
}

static gboolean
is_there(const RegardHeadMeasure *measure, GListModel *items)
{
  for (guint i = 0; i < g_list_model_get_n_items(items); i++) {
    g_autoptr(HeadItem) item = g_list_model_get_item(items, i);
    const RegardHeadRow *row = &item->row;

    if (regard_head_measure_is_there(measure, &row, 1))
      return TRUE;
  }
  return FALSE;
}

void
regard_heads_show_columns(GtkWidget *table, GListModel *items)
{
  GListModel *columns = gtk_column_view_get_columns(GTK_COLUMN_VIEW(table));

  for (guint c = 0; c < g_list_model_get_n_items(columns); c++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, c);
    const RegardHeadMeasure *measure = g_object_get_data(G_OBJECT(column), "measure");

    gtk_column_view_column_set_visible(column,
                                       !measure || !measure->is_asked || is_there(measure, items));
  }
}
