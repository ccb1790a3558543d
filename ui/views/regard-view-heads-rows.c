/* regard-view-heads-rows.c — rows and columns of the list of heads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/regard-view-heads-private.h"

#include <glib/gi18n.h>
#include <math.h>

static const RegardHeadRow *
row_of(gconstpointer item)
{
  return ((const RegardHeadItem *) item)->row;
}

/* ---- Name, roles, numbers ---------------------------------------------------------------------
 */

static GtkWidget *
new_label(const char *css_class, float xalign)
{
  GtkWidget *label = gtk_label_new(NULL);

  gtk_label_set_xalign(GTK_LABEL(label), xalign);
  gtk_widget_add_css_class(label, css_class);
  return label;
}

static GtkWidget *
new_name(gpointer data)
{
  return new_label("regard-value", 0);
}

static void
show_name(GtkWidget *label, const RegardHeadItem *item, gpointer data)
{
  g_autofree char *text = regard_head_row_name(row_of(item));

  gtk_label_set_text(GTK_LABEL(label), text);
}

static GtkWidget *
new_roles(gpointer data)
{
  GtkWidget *label = new_label("regard-badge", 0);

  gtk_widget_set_halign(label, GTK_ALIGN_START);
  return label;
}

static void
show_roles(GtkWidget *label, const RegardHeadItem *item, gpointer data)
{
  g_autofree char *text = regard_head_row_roles(row_of(item));

  gtk_label_set_text(GTK_LABEL(label), text);
  gtk_widget_set_visible(label, *text != '\0'); /* a badge without a word is no badge */
}

static int
compare_roles(gconstpointer a, gconstpointer b, gpointer data)
{
  g_autofree char *x = regard_head_row_roles(row_of(a));
  g_autofree char *y = regard_head_row_roles(row_of(b));

  if (!*x != !*y) /* those with one first */
    return *x ? -1 : 1;
  return strcmp(x, y);
}

static GtkWidget *
new_number(gpointer measure)
{
  return new_label("regard-value", 1);
}

static void
show_number(GtkWidget *label, const RegardHeadItem *item, gpointer measure)
{
  g_autofree char *text =
      regard_head_measure_format(measure, regard_head_measure_get(measure, row_of(item)));

  gtk_label_set_text(GTK_LABEL(label), *text ? text : "–"); /* no number is not a gap */
}

static int
compare_numbers(gconstpointer a, gconstpointer b, gpointer measure)
{
  double p = regard_head_measure_get(measure, row_of(a)),
         q = regard_head_measure_get(measure, row_of(b));

  if (isnan(p) || isnan(q)) /* what has no number counts as less than any */
    return isnan(p) == isnan(q) ? 0 : isnan(p) ? -1 : 1;
  return p < q ? -1 : p > q;
}

/* ---- All of them ------------------------------------------------------------------------------
 */

void
regard_heads_add_columns(RegardHeadList *list)
{
  static const RegardHeadColumn name = {new_name, show_name, regard_head_item_compare, FALSE},
                                roles = {new_roles, show_roles, compare_roles, FALSE},
                                number = {new_number, show_number, compare_numbers, TRUE};
  guint n;
  const RegardHeadMeasure *measures = regard_head_measures(&n);

  regard_head_list_add_column(list, _("Head"), &name, NULL, NULL);
  gtk_column_view_column_set_expand(regard_head_list_add_column(list, _("Role"), &roles, NULL,
                                                                NULL),
                                    TRUE);
  for (guint i = 0; i < n; i++) {
    g_autofree char *title =
        *measures[i].unit ? g_strdup_printf("%s (%s)", _(measures[i].title), measures[i].unit)
                          : g_strdup(_(measures[i].title));
    GtkColumnViewColumn *column =
        regard_head_list_add_column(list, title, &number, (gpointer) &measures[i], NULL);

    g_object_set_data(G_OBJECT(column), "measure", (gpointer) &measures[i]);
    gtk_column_view_column_set_visible(column, !measures[i].is_asked);
  }
}

static gboolean
is_there(const RegardHeadMeasure *measure, const RegardHeadRow *rows, guint n)
{
  for (guint i = 0; i < n; i++) {
    const RegardHeadRow *row = &rows[i];

    if (regard_head_measure_is_there(measure, &row, 1))
      return TRUE;
  }
  return FALSE;
}

void
regard_heads_show_columns(RegardHeadList *list, const RegardHeadRow *rows, guint n)
{
  GListModel *columns = regard_head_list_get_columns(list);

  for (guint c = 0; c < g_list_model_get_n_items(columns); c++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, c);
    const RegardHeadMeasure *measure = g_object_get_data(G_OBJECT(column), "measure");

    if (measure && measure->is_asked)
      gtk_column_view_column_set_visible(column, is_there(measure, rows, n));
  }
}
