/* regard-head-list.h — a list of heads: a column for each number, sorted by its titles, filtered by
 * words; the row of one head is marked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows are an array of structs of the caller's that begin with a RegardHeadRow, which the filter,
 * names and numbers read; other columns are the caller's. Rows of the list are objects that stay
 * while the numbers change, so that the list keeps its place. Signals: "chosen" and "activated"
 * with the RegardHeadItem that a person has selected, or opened; "filtered" when other rows are
 * there.
 */
#pragma once

#include "figures/regard-head-statistics.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* One row. */
#define REGARD_TYPE_HEAD_ITEM (regard_head_item_get_type())
G_DECLARE_FINAL_TYPE(RegardHeadItem, regard_head_item, REGARD, HEAD_ITEM, GObject)
struct _RegardHeadItem {
  GObject parent_instance;
  guint index;              /* in the array */
  const RegardHeadRow *row; /* there */
};

#define REGARD_TYPE_HEAD_LIST (regard_head_list_get_type())
G_DECLARE_FINAL_TYPE(RegardHeadList, regard_head_list, REGARD, HEAD_LIST, GtkWidget)

/* Of one sentence, or over a text. name: of the list, for who does not see it; help: which words
 * there are. */
GtkWidget *regard_head_list_new(gboolean over_text, const char *name, const char *help);
/* Where words are typed, and what is wrong with them: the caller has a place for both. Borrowed. */
GtkWidget *regard_head_list_get_entry(RegardHeadList *self);
/* The key that goes there, from wherever it is pressed; list may be NULL. TRUE if it was one. */
gboolean regard_head_list_handle_key(RegardHeadList *list, guint keyval, GdkModifierType state);
/* Its rows, which take keys. Borrowed. */
GtkWidget *regard_head_list_get_row_list(RegardHeadList *self);
GtkWidget *regard_head_list_get_mistake(RegardHeadList *self);
/* Where Tab leads to from the rows, back and on: GTK 4.8 would go through all of them. */
void regard_head_list_set_neighbours(RegardHeadList *self, GtkWidget *before, GtkWidget *after);

/* What a column writes; data is the column's. */
typedef struct {
  GtkWidget *(*new_cell)(gpointer data);
  void (*show)(GtkWidget *cell, const RegardHeadItem *item, gpointer data);
  GCompareDataFunc compare; /* of two RegardHeadItem; NULL: it sorts nothing */
  gboolean is_number;       /* its title ends at the right, as numbers do */
} RegardHeadColumn;
/* What the pointer is told over the title of a column of the list. */
void regard_head_list_explain(GtkColumnViewColumn *column, const char *about);
/* column is copied; destroy (NULL: none) is for data. Borrowed. */
GtkColumnViewColumn *regard_head_list_add_column(RegardHeadList *self, const char *title,
                                                 const RegardHeadColumn *column, gpointer data,
                                                 GDestroyNotify destroy);
/* The column of the heads' names. */
void regard_head_list_add_name(RegardHeadList *self);

/* A column of numbers, which its list has; what is written in may be changed. */
typedef struct {
  GtkColumnViewColumn *column;        /* borrowed */
  const mt_head_statistic *statistic; /* whose numbers they are, or how they are written */
  double (*get)(const RegardHeadItem *item, gpointer data); /* NULL: those of the statistic */
  gpointer data;
  gboolean over_text;
} RegardHeadNumber;
/* Borrowed. */
RegardHeadNumber *regard_head_list_add_number(RegardHeadList *self,
                                              const mt_head_statistic *statistic);

/* n rows of so many bytes, borrowed until others are set. */
void regard_head_list_set_rows(RegardHeadList *self, gconstpointer rows, gsize size, guint n);
/* The rows, or what columns say of them, have changed: cells, order and filter are made anew. */
void regard_head_list_refresh(RegardHeadList *self);
/* Marks the row of that index, whenever it is there, and brings it into sight; -1: none. */
void regard_head_list_mark(RegardHeadList *self, int index);
/* What is there, in its order. Borrowed. */
guint regard_head_list_n_shown(RegardHeadList *self);
const RegardHeadItem *regard_head_list_get_shown(RegardHeadList *self, guint i);

G_END_DECLS
