/* regard-pane-heads-rows.c — columns of the list of heads over a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/measure/regard-pane-heads-private.h"
#include "widgets/regard-sparkline.h"

#include <glib/gi18n.h>
#include <math.h>

/* Badges that have room. */
#define BADGES 2

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
} ColumnId;

/* A column's data. */
typedef struct {
  const CorpusLook *look;
  ColumnId id;
} Column;

static const RegardCorpusHead *
head_of(const RegardHeadItem *item)
{
  return item->row;
}

/* The measure whose mean a column has; of the first of them it is the look's. */
static mt_corpus_measure
measure_of(const CorpusLook *look, ColumnId id)
{
  return id == ENTROPY      ? MT_CORPUS_ENTROPY
         : id == CONFIDENCE ? MT_CORPUS_CONFIDENCE
         : id == SPECIAL    ? MT_CORPUS_SPECIAL
         : id == EFFECT     ? MT_CORPUS_EFFECT
                            : look->measure;
}

static double
number_of(const RegardHeadItem *item, const Column *column)
{
  const CorpusLook *look = column->look;

  if (column->id == FAR)
    return look->selected >= 0
               ? regard_corpus_distance(look->corpus, item->index, (guint) look->selected)
               : (double) NAN;
  return regard_corpus_head_mean(head_of(item), measure_of(look, column->id));
}

/* By its name, the strongest first; those without one last. */
static int
compare_roles(gconstpointer a, gconstpointer b, gpointer data)
{
  const RegardCorpusHead *p = head_of(a), *q = head_of(b);
  const int role = regard_corpus_head_best_role(p), other = regard_corpus_head_best_role(q);

  if (role != other)
    return role < 0 ? 1 : other < 0 ? -1 : role < other ? -1 : 1;
  if (role < 0)
    return 0;
  return p->roles[role].value > q->roles[role].value   ? -1
         : p->roles[role].value < q->roles[role].value ? 1
                                                       : 0;
}

static int
compare_numbers(gconstpointer a, gconstpointer b, gpointer column)
{
  const double p = number_of(a, column), q = number_of(b, column);

  if (isnan(p) || isnan(q)) /* what has no number counts as more than any */
    return isnan(p) == isnan(q) ? 0 : isnan(p) ? 1 : -1;
  return p < q ? -1 : p > q;
}

/* ---- Cells -----------------------------------------------------------------------------------
 */

static GtkWidget *
new_label(float xalign)
{
  GtkWidget *label = gtk_label_new(NULL);

  gtk_label_set_xalign(GTK_LABEL(label), xalign);
  gtk_widget_add_css_class(label, "regard-value");
  return label;
}

static GtkWidget *
new_name(gpointer data)
{
  return new_label(0);
}

static void
show_name(GtkWidget *label, const RegardHeadItem *item, gpointer data)
{
  g_autofree char *text = regard_corpus_head_name(head_of(item));

  gtk_label_set_text(GTK_LABEL(label), text);
}

static GtkWidget *
new_badges(gpointer data)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);

  for (guint i = 0; i < BADGES; i++) {
    GtkWidget *label = gtk_label_new(NULL);

    gtk_widget_add_css_class(label, "regard-badge");
    gtk_widget_set_valign(label, GTK_ALIGN_CENTER);
    gtk_box_append(GTK_BOX(box), label);
  }
  return box;
}

static void
show_badges(GtkWidget *box, const RegardHeadItem *item, gpointer data)
{
  const CorpusLook *look = ((const Column *) data)->look;
  RegardCorpusBadge badges[REGARD_MOST_BADGES];
  const guint n = regard_corpus_head_badges(look->corpus, head_of(item), badges);
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

static GtkWidget *
new_histogram(gpointer data)
{
  return regard_sparkline_new();
}

static void
show_histogram(GtkWidget *sparkline, const RegardHeadItem *item, gpointer data)
{
  const mt_corpus_measure measure = ((const Column *) data)->look->measure;
  const mt_corpus_statistics *s = &head_of(item)->measures[measure];
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

static GtkWidget *
new_number(gpointer data)
{
  return new_label(1);
}

static void
show_number(GtkWidget *label, const RegardHeadItem *item, gpointer data)
{
  const Column *column = data;
  g_autofree char *text =
      regard_corpus_format(column->id == FAR ? MT_CORPUS_CONFIDENCE : /* as shares are */
                               measure_of(column->look, column->id),
                           number_of(item, column));

  gtk_label_set_text(GTK_LABEL(label), text);
}

/* ---- All of them -----------------------------------------------------------------------------
 */

void
regard_corpus_add_columns(RegardHeadList *list, const CorpusLook *look)
{
  static const RegardHeadColumn texts[] = {[HEAD] = {new_name, show_name, regard_head_item_compare,
                                                     FALSE},
                                           [ROLE] = {new_badges, show_badges, compare_roles, FALSE},
                                           [HISTOGRAM] = {new_histogram, show_histogram, NULL,
                                                          FALSE}};
  static const RegardHeadColumn number = {new_number, show_number, compare_numbers, TRUE};

  for (ColumnId id = 0; id < N_COLUMNS; id++) {
    Column *column = g_new(Column, 1);
    GtkColumnViewColumn *added;

    *column = (Column){look, id};
    added =
        regard_head_list_add_column(list, "", id < MEASURE ? &texts[id] : &number, column, g_free);
    gtk_column_view_column_set_expand(added, id == ROLE);
  }
  regard_corpus_update_columns(list, look);
}

/* Two columns of one number are one too many. */
static gboolean
is_wanted(const CorpusLook *look, ColumnId id)
{
  if (id == EFFECT && !(look->corpus && look->corpus->about.has_effects))
    return FALSE;
  return id < ENTROPY || id == FAR || measure_of(look, id) != look->measure;
}

static char *
title_of(const CorpusLook *look, ColumnId id)
{
  switch (id) {
  case HEAD:
    return g_strdup(_("Head"));
  case ROLE:
    return g_strdup(_("Role"));
  case HISTOGRAM:
    return g_strdup(_("Sentences"));
  case FAR:
    return g_strdup(_("Distance"));
  default:
    return regard_corpus_measure_title(measure_of(look, id));
  }
}

void
regard_corpus_update_columns(RegardHeadList *list, const CorpusLook *look)
{
  GListModel *columns = regard_head_list_get_columns(list);

  for (ColumnId id = 0; id < g_list_model_get_n_items(columns); id++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, id);
    g_autofree char *title = title_of(look, id);

    gtk_column_view_column_set_title(column, title);
    gtk_column_view_column_set_visible(column, is_wanted(look, id));
  }
}
