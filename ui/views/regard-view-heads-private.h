/* regard-view-heads-private.h — rows and columns of the list of heads, for its page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-head-measures.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEAD_TYPE_ITEM (head_item_get_type())
G_DECLARE_FINAL_TYPE(HeadItem, head_item, HEAD, ITEM, GObject)

/* Signal "changed": other numbers. */
struct _HeadItem {
  GObject parent_instance;
  RegardHeadRow row;
  guint index; /* among all */
};

/* Emits it. */
void head_item_changed(HeadItem *item);

/* One for each of regard_head_measures(), behind name and roles. */
void regard_heads_add_columns(GtkWidget *table);
/* Columns of what was asked for are there while there are numbers in them. */
void regard_heads_show_columns(GtkWidget *table, GListModel *items);

G_END_DECLS
