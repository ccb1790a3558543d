/* regard-pane-heads-rows.c — rows and columns of the list of heads over a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/measure/regard-pane-heads-private.h"
#include "widgets/regard-sparkline.h"

#include <glib/gi18n.h>
#include <math.h>

/* Badges that have room. */
#define BADGES 2

/* ---- A row -----------------------------------------------------------------------------------
 */

G_DEFINE_FINAL_TYPE(CorpusItem, corpus_item, G_TYPE_OBJECT)

static guint item_changed_signal;

static void
corpus_item_class_init(CorpusItemClass *klass)
{
  item_changed_signal = g_signal_new("changed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
corpus_item_init(CorpusItem *self)
{
}

void
corpus_item_changed(CorpusItem *item)
{
  g_signal_emit(item, item_changed_signal, 0);
}

const RegardCorpusHead *
corpus_item_head(CorpusItem *item)
{
  return &item->look->corpus->heads[item->index];
}

/* ---- Columns ---------------------------------------------------------------------------------
 */

typedef enum {
  HEAD,
  ROLE,
  HISTOGRAM,
  MEASURE,
  ENTROPY,
  CONFIDENCE,
  SPECIAL,
  EFFECT,
  FAR,
  N_COLUMNS
} Column;

/* The measure whose mean a column has; of the first of them it is the look's. */
static mt_corpus_measure
measure_of(const CorpusLook *look, Column column)
{
  return column == ENTROPY      ? MT_CORPUS_ENTROPY
         : column == CONFIDENCE ? MT_CORPUS_CONFIDENCE
         : column == SPECIAL    ? MT_CORPUS_SPECIAL
         : column == EFFECT     ? MT_CORPUS_EFFECT
                                : look->measure;
}

static double
number_of(CorpusItem *item, Column column)
{
  const CorpusLook *look = item->look;

  if (column == FAR)
    return look->selected >= 0
               ? regard_corpus_distance(look->corpus, item->index, (guint) look->selected)
               : (double) NAN;
  return regard_corpus_head_mean(corpus_item_head(item), measure_of(look, column));
}

static int
compare(gconstpointer a, gconstpointer b, gpointer data)
{
  const Column column = GPOINTER_TO_UINT(data);
  CorpusItem *x = CORPUS_ITEM((gpointer) a), *y = CORPUS_ITEM((gpointer) b);

  if (column == HEAD)
    return x->index < y->index ? -1 : x->index > y->index;
  if (column == ROLE) { /* by its name, the strongest first; those without one last */
    const RegardCorpusHead *p = corpus_item_head(x), *q = corpus_item_head(y);
    const int role = regard_corpus_head_best_role(p), other = regard_corpus_head_best_role(q);

    if (role != other)
      return role < 0 ? 1 : other < 0 ? -1 : role < other ? -1 : 1;
    if (role < 0)
      return 0;
    return p->roles[role].value > q->roles[role].value   ? -1
           : p->roles[role].value < q->roles[role].value ? 1
                                                         : 0;
  }
  const double p = number_of(x, column), q = number_of(y, column);
  if (isnan(p) || isnan(q)) /* what has no number counts as more than any */
    return isnan(p) == isnan(q) ? 0 : isnan(p) ? 1 : -1;
  return p < q ? -1 : p > q;
}

static Column
column_of(GtkListItemFactory *factory)
{
  return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(factory), "column"));
}

static void
update_badges(GtkWidget *box, CorpusItem *item)
{
  RegardCorpusBadge badges[REGARD_MOST_BADGES];
  const guint n = regard_corpus_head_badges(item->look->corpus, corpus_item_head(item), badges);
  GtkWidget *label = gtk_widget_get_first_child(box);
  g_autoptr(GString) all = g_string_new(NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf(all, "%s%s.", i ? "\n" : "", badges[i].why);
  for (guint i = 0; label; i++, label = gtk_widget_get_next_sibling(label)) {
    gtk_label_set_text(GTK_LABEL(label), i < n ? badges[i].text : "");
    gtk_widget_set_visible(label, i < n);
  }
  gtk_widget_set_tooltip_text(box, n > 0 ? all->str : NULL);
  for (guint i = 0; i < n; i++)
    regard_corpus_badge_clear(&badges[i]);
}

static void
update_histogram(GtkWidget *sparkline, CorpusItem *item)
{
  const mt_corpus_measure measure = item->look->measure;
  const mt_corpus_statistics *s = &corpus_item_head(item)->measures[measure];
  g_autofree char *mean = regard_corpus_format(measure, s->mean);
  g_autofree char *sd = regard_corpus_format(measure, s->sd);
  g_autofree char *least = regard_corpus_format(measure, s->least);
  g_autofree char *most = regard_corpus_format(measure, s->most);
  g_autofree char *n = regard_corpus_count(s->n);
  g_autofree char *said =
      g_strdup_printf(_("%s of %s sentences: from %s to %s, mean %s ± %s"),
                      _(mt_corpus_measure_about(measure)->title), n, least, most, mean, sd);

  regard_sparkline_set(REGARD_SPARKLINE(sparkline), s->n ? s->bins : NULL, MT_CORPUS_BINS,
                       s->n ? said : NULL);
}

static void
update_cell(GtkListItem *cell)
{
  CorpusItem *item = gtk_list_item_get_item(cell);
  GtkWidget *child = gtk_list_item_get_child(cell);
  const Column column = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(child), "column"));
  g_autofree char *text = NULL;

  if (!item->look->corpus)
    return;
  switch (column) {
  case ROLE:
    update_badges(child, item);
    return;
  case HISTOGRAM:
    update_histogram(child, item);
    return;
  case HEAD:
    text = regard_corpus_head_name(corpus_item_head(item));
    break;
  default:
    text = regard_corpus_format(column == FAR ? MT_CORPUS_CONFIDENCE : /* as shares are */
                                    measure_of(item->look, column),
                                number_of(item, column));
    break;
  }
  gtk_label_set_text(GTK_LABEL(child), text);
}

static GtkWidget *
new_child(Column column)
{
  if (column == HISTOGRAM)
    return regard_sparkline_new();
  if (column == ROLE) {
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);

    for (guint i = 0; i < BADGES; i++) {
      GtkWidget *label = gtk_label_new(NULL);

      gtk_widget_add_css_class(label, "regard-badge");
      gtk_widget_set_valign(label, GTK_ALIGN_CENTER);
      gtk_box_append(GTK_BOX(box), label);
    }
    return box;
  }
  GtkWidget *label = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(label), column == HEAD ? 0 : 1);
  gtk_widget_add_css_class(label, "regard-value");
  return label;
}

static void
on_setup(GtkListItemFactory *factory, GtkListItem *cell, gpointer data)
{
  GtkWidget *child = new_child(column_of(factory));

  g_object_set_data(G_OBJECT(child), "column", GUINT_TO_POINTER(column_of(factory)));
  gtk_list_item_set_child(cell, child);
}

static void
on_bind(GtkListItemFactory *factory, GtkListItem *cell, gpointer data)
{
  g_signal_connect_object(gtk_list_item_get_item(cell), "changed", G_CALLBACK(update_cell), cell,
                          G_CONNECT_SWAPPED);
  update_cell(cell);
}

static void
on_unbind(GtkListItemFactory *factory, GtkListItem *cell, gpointer data)
{
  g_signal_handlers_disconnect_by_func(gtk_list_item_get_item(cell), update_cell, cell);
}

/* Numbers end at the right, and so do their titles; GTK has no property for that. */
static void
align_titles(GtkWidget *table)
{
  GtkWidget *title = gtk_widget_get_first_child(gtk_widget_get_first_child(table));

  for (guint i = 0; title; i++, title = gtk_widget_get_next_sibling(title)) {
    GtkWidget *content = gtk_widget_get_first_child(title);

    if (!GTK_IS_BOX(content) || i < MEASURE)
      continue;
    gtk_widget_set_halign(content, GTK_ALIGN_END);
    /* The mark of the order comes before them. */
    gtk_box_reorder_child_after(GTK_BOX(content), gtk_widget_get_last_child(content), NULL);
  }
}

void
regard_corpus_add_columns(GtkWidget *table, const CorpusLook *look)
{
  for (Column column = 0; column < N_COLUMNS; column++) {
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    GtkColumnViewColumn *added = gtk_column_view_column_new("", factory);

    g_object_set_data(G_OBJECT(factory), "column", GUINT_TO_POINTER(column));
    g_signal_connect(factory, "setup", G_CALLBACK(on_setup), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(on_bind), NULL);
    g_signal_connect(factory, "unbind", G_CALLBACK(on_unbind), NULL);
    if (column != HISTOGRAM) {
      g_autoptr(GtkSorter) sorter =
          GTK_SORTER(gtk_custom_sorter_new(compare, GUINT_TO_POINTER(column), NULL));

      gtk_column_view_column_set_sorter(added, sorter);
    }
    gtk_column_view_column_set_expand(added, column == ROLE);
    gtk_column_view_append_column(GTK_COLUMN_VIEW(table), added);
    g_object_unref(added); /* the table's */
  }
  regard_corpus_update_columns(table, look);
  align_titles(table);
}

/* Two columns of one number are one too many. */
static gboolean
is_wanted(const CorpusLook *look, Column column)
{
  if (column == EFFECT && !(look->corpus && look->corpus->about.has_effects))
    return FALSE;
  return column < ENTROPY || column == FAR || measure_of(look, column) != look->measure;
}

static char *
title_of(const CorpusLook *look, Column column)
{
  switch (column) {
  case HEAD:
    return g_strdup(_("Head"));
  case ROLE:
    return g_strdup(_("Role"));
  case HISTOGRAM:
    return g_strdup(_("Sentences"));
  case FAR:
    return g_strdup(_("Distance"));
  default:
    return regard_corpus_measure_title(measure_of(look, column));
  }
}

void
regard_corpus_update_columns(GtkWidget *table, const CorpusLook *look)
{
  GListModel *columns = gtk_column_view_get_columns(GTK_COLUMN_VIEW(table));

  for (Column column = 0; column < g_list_model_get_n_items(columns); column++) {
    g_autoptr(GtkColumnViewColumn) c = g_list_model_get_item(columns, column);
    g_autofree char *title = title_of(look, column);

    gtk_column_view_column_set_title(c, title);
    gtk_column_view_column_set_visible(c, is_wanted(look, column));
  }
}
