/* regard-head-list.c — a list of heads, sorted, filtered, one of them marked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-head-list.h"
#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"

#include <math.h>

#define ALIGN_AFTER_MS 50

struct _RegardHeadList {
  GtkWidget parent_instance;

  gboolean over_text;
  GListStore *items; /* of RegardHeadItem */
  GtkCustomFilter *gtk_filter;
  GtkSortListModel *sorted;
  GtkSingleSelection *selected;
  RegardHeadFilter *filter; /* NULL: none yet */
  gboolean is_told;         /* what changes now nobody has chosen */
  int marked;               /* an item's index; -1: none */
  guint scroll_row, scroll_id;

  GtkWidget *scroller, *table, *entry, *mistake; /* the last two: references */
  GtkWidget *before, *after;
};

G_DEFINE_FINAL_TYPE(RegardHeadList, regard_head_list, GTK_TYPE_WIDGET)

enum { CHOSEN, ACTIVATED, FILTERED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- A row ------------------------------------------------------------------------------------
 */

G_DEFINE_FINAL_TYPE(RegardHeadItem, regard_head_item, G_TYPE_OBJECT)

static guint item_changed_signal;

static void
regard_head_item_class_init(RegardHeadItemClass *klass)
{
  item_changed_signal = regard_signal_new(klass, "changed", 0);
}

static void
regard_head_item_init(RegardHeadItem *self)
{
}

/* ---- Columns ----------------------------------------------------------------------------------
 */

typedef struct {
  RegardHeadColumn column;
  gpointer data;
  GDestroyNotify destroy;
} Column;

static void
column_free(gpointer data)
{
  Column *column = data;

  if (column->destroy)
    column->destroy(column->data);
  g_free(column);
}

static void
on_setup(GtkListItemFactory *factory, GtkListItem *cell, gpointer data)
{
  Column *column = data;
  GtkWidget *child = column->column.new_cell(column->data);

  g_object_set_data(G_OBJECT(child), "column", column);
  gtk_list_item_set_child(cell, child);
}

static void
show_cell(GtkListItem *cell)
{
  GtkWidget *child = gtk_list_item_get_child(cell);
  const Column *column = g_object_get_data(G_OBJECT(child), "column");

  column->column.show(child, gtk_list_item_get_item(cell), column->data);
}

static void
on_bind(GtkListItemFactory *factory, GtkListItem *cell, gpointer data)
{
  regard_connect(gtk_list_item_get_item(cell), "changed", G_CALLBACK(show_cell), cell);
  show_cell(cell);
}

static void
on_unbind(GtkListItemFactory *factory, GtkListItem *cell, gpointer data)
{
  g_signal_handlers_disconnect_by_func(gtk_list_item_get_item(cell), show_cell, cell);
}

#define TITLE "title" /* of a column: its widget, which GTK has and does not tell */

/* Numbers end at the right, and so does the title; GTK has no property for that. */
static void
align_title(GtkWidget *title)
{
  GtkWidget *content = gtk_widget_get_first_child(title);

  if (!GTK_IS_BOX(content))
    return;
  gtk_widget_set_halign(content, GTK_ALIGN_END);
  /* The mark of the order comes before it. */
  gtk_box_reorder_child_after(GTK_BOX(content), gtk_widget_get_last_child(content), NULL);
}

GtkColumnViewColumn *
regard_head_list_add_column(RegardHeadList *self, const char *title, const RegardHeadColumn *column,
                            gpointer data, GDestroyNotify destroy)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  Column *own = g_new(Column, 1);
  GtkColumnViewColumn *added = gtk_column_view_column_new(title, factory);

  *own = (Column){*column, data, destroy};
  g_object_set_data_full(G_OBJECT(added), "column", own, column_free);
  g_signal_connect(factory, "setup", G_CALLBACK(on_setup), own);
  g_signal_connect(factory, "bind", G_CALLBACK(on_bind), own);
  g_signal_connect(factory, "unbind", G_CALLBACK(on_unbind), own);
  if (column->compare) {
    g_autoptr(GtkSorter) sorter = GTK_SORTER(gtk_custom_sorter_new(column->compare, data, NULL));

    gtk_column_view_column_set_sorter(added, sorter);
  }
  gtk_column_view_append_column(GTK_COLUMN_VIEW(self->table), added);
  g_object_unref(added); /* the table's */
  /* The newest title is the last. */
  GtkWidget *shown = gtk_widget_get_last_child(gtk_widget_get_first_child(self->table));
  g_object_set_data(G_OBJECT(added), TITLE, shown);
  if (column->is_number)
    align_title(shown);
  return added;
}

void
regard_head_list_explain(GtkColumnViewColumn *column, const char *about)
{
  gtk_widget_set_tooltip_text(g_object_get_data(G_OBJECT(column), TITLE), about);
}

static GtkWidget *
new_label(gpointer data)
{
  GtkWidget *label = gtk_label_new(NULL);

  gtk_label_set_xalign(GTK_LABEL(label), data ? 1 : 0); /* of numbers */
  gtk_widget_add_css_class(label, "regard-value");
  return label;
}

static void
show_name(GtkWidget *label, const RegardHeadItem *item, gpointer data)
{
  g_autofree char *text = regard_head_row_name(item->row);

  gtk_label_set_text(GTK_LABEL(label), text);
}

/* In the order of the rows, which is that of the window. */
static int
compare_places(gconstpointer a, gconstpointer b, gpointer data)
{
  const RegardHeadItem *x = a, *y = b;

  return x->index < y->index ? -1 : x->index > y->index;
}

void
regard_head_list_add_name(RegardHeadList *self)
{
  static const RegardHeadColumn name = {new_label, show_name, compare_places, FALSE};

  regard_head_list_explain(regard_head_list_add_column(self, _("Head"), &name, NULL, NULL),
                           _("The attention, the layer, and the number of the head: cross 5.2"));
}

static double
number_of(const RegardHeadItem *item, const RegardHeadNumber *number)
{
  return number->get ? number->get(item, number->data)
                     : regard_head_row_get(item->row, number->statistic);
}

static void
show_number(GtkWidget *label, const RegardHeadItem *item, gpointer data)
{
  const RegardHeadNumber *number = data;
  g_autofree char *text = regard_head_statistic_format(number->statistic, number_of(item, number));

  /* No number is not a gap. */
  gtk_label_set_text(GTK_LABEL(label), *text || number->over_text ? text : "–");
}

static int
compare_numbers(gconstpointer a, gconstpointer b, gpointer data)
{
  const RegardHeadNumber *number = data;
  const double p = number_of(a, number), q = number_of(b, number);

  if (isnan(p) || isnan(q)) /* what has no number counts as less than any; over a text, as more */
    return isnan(p) == isnan(q) ? 0 : isnan(p) != number->over_text ? -1 : 1;
  return p < q ? -1 : p > q;
}

RegardHeadNumber *
regard_head_list_add_number(RegardHeadList *self, const mt_head_statistic *statistic)
{
  static const RegardHeadColumn column = {new_label, show_number, compare_numbers, TRUE};
  g_autofree char *title = regard_head_statistic_title(statistic, self->over_text);
  RegardHeadNumber *number = g_new0(RegardHeadNumber, 1);

  number->statistic = statistic;
  number->over_text = self->over_text;
  number->column = regard_head_list_add_column(self, title, &column, number, g_free);
  regard_head_list_explain(number->column, _(statistic->what));
  return number;
}

/* ---- What is there
 * -------------------------------------------------------------------------------------
 */

guint
regard_head_list_n_shown(RegardHeadList *self)
{
  return g_list_model_get_n_items(G_LIST_MODEL(self->selected));
}

const RegardHeadItem *
regard_head_list_get_shown(RegardHeadList *self, guint i)
{
  g_autoptr(RegardHeadItem) item = g_list_model_get_item(G_LIST_MODEL(self->selected), i);

  return item; /* the list keeps it */
}

/* ---- The row that is marked -------------------------------------------------------------------
 */

/* The first row that is seen is seen whole: all are of one height. */
static gboolean
align_now(gpointer data)
{
  RegardHeadList *self = data;
  GtkAdjustment *rows = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(self->scroller));
  const guint n = regard_head_list_n_shown(self);
  const double upper = gtk_adjustment_get_upper(rows);

  self->scroll_id = 0;
  if (n > 0 && upper > gtk_adjustment_get_page_size(rows))
    gtk_adjustment_set_value(rows,
                             ceil(gtk_adjustment_get_value(rows) * n / upper - 0.01) * upper / n);
  return G_SOURCE_REMOVE;
}

static gboolean
scroll_now(gpointer data)
{
  RegardHeadList *self = data;

  self->scroll_id = 0;
  if (self->scroll_row < regard_head_list_n_shown(self)) { /* the list is below the titles */
    gtk_widget_activate_action(gtk_widget_get_last_child(self->table), "list.scroll-to-item", "u",
                               self->scroll_row);
    /* The list moves when it is laid out, in a frame to come. */
    self->scroll_id = g_timeout_add_full(G_PRIORITY_LOW, ALIGN_AFTER_MS, align_now, self, NULL);
  }
  return G_SOURCE_REMOVE;
}

/* Once the list has laid out what it has been given. */
static void
scroll_to(RegardHeadList *self, guint row)
{
  self->scroll_row = row;
  if (self->scroll_id == 0)
    self->scroll_id = g_idle_add_full(G_PRIORITY_LOW, scroll_now, self, NULL);
}

static void
show_mark(RegardHeadList *self, gboolean in_sight)
{
  guint at = GTK_INVALID_LIST_POSITION;

  for (guint i = 0; i < regard_head_list_n_shown(self) && at == GTK_INVALID_LIST_POSITION; i++)
    if ((int) regard_head_list_get_shown(self, i)->index == self->marked)
      at = i;
  self->is_told = TRUE;
  gtk_single_selection_set_selected(self->selected, at);
  self->is_told = FALSE;
  if (at != GTK_INVALID_LIST_POSITION && in_sight)
    scroll_to(self, at);
}

void
regard_head_list_mark(RegardHeadList *self, int index)
{
  self->marked = index;
  show_mark(self, TRUE);
}

/* ---- Rows ------------------------------------------------------------------------------------
 */

void
regard_head_list_refresh(RegardHeadList *self)
{
  self->is_told = TRUE;
  for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(self->items)); i++) {
    g_autoptr(RegardHeadItem) item = g_list_model_get_item(G_LIST_MODEL(self->items), i);

    g_signal_emit(item, item_changed_signal, 0);
  }
  gtk_filter_changed(GTK_FILTER(self->gtk_filter), GTK_FILTER_CHANGE_DIFFERENT);
  gtk_sorter_changed(gtk_sort_list_model_get_sorter(self->sorted), GTK_SORTER_CHANGE_DIFFERENT);
  self->is_told = FALSE;
  show_mark(self, FALSE);
}

void
regard_head_list_set_rows(RegardHeadList *self, gconstpointer rows, gsize size, guint n)
{
  const guint before = g_list_model_get_n_items(G_LIST_MODEL(self->items));
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);

  for (guint i = 0; i < n; i++) {
    RegardHeadItem *item = n == before ? g_list_model_get_item(G_LIST_MODEL(self->items), i)
                                       : g_object_new(REGARD_TYPE_HEAD_ITEM, NULL);

    item->index = i;
    item->row = (const RegardHeadRow *) (const void *) ((const char *) rows + i * size);
    g_ptr_array_add(items, item);
  }
  if (n == before) {
    regard_head_list_refresh(self);
    return;
  }
  self->is_told = TRUE;
  g_list_store_splice(self->items, 0, before, items->pdata, n);
  self->is_told = FALSE;
  show_mark(self, TRUE);
}

/* ---- What a person does ------------------------------------------------------------------------
 */

static void
on_selected(RegardHeadList *self)
{
  RegardHeadItem *item = gtk_single_selection_get_selected_item(self->selected);

  if (self->is_told || !item)
    return;
  self->marked = (int) item->index;
  g_signal_emit(self, signals[CHOSEN], 0, item);
}

static void
on_activate(RegardHeadList *self, guint position)
{
  g_autoptr(RegardHeadItem) item = g_list_model_get_item(G_LIST_MODEL(self->selected), position);

  if (item)
    g_signal_emit(self, signals[ACTIVATED], 0, item);
}

/* What comes first now is what was asked for. */
static void
on_sorted(RegardHeadList *self)
{
  if (!self->is_told && regard_head_list_n_shown(self) > 0)
    scroll_to(self, 0);
}

/* ---- The filter -------------------------------------------------------------------------------
 */

static gboolean
is_wanted(gpointer object, gpointer data)
{
  RegardHeadList *self = data;

  return !self->filter || regard_head_filter_matches(self->filter, REGARD_HEAD_ITEM(object)->row);
}

static void
on_words(RegardHeadList *self)
{
  g_autofree char *mistake = NULL;
  const char *text = gtk_editable_get_text(GTK_EDITABLE(self->entry));
  RegardHeadFilter *filter = regard_head_filter_new(self->over_text, text, &mistake);

  /* While a word is unfinished, what was asked for last stays. */
  gtk_label_set_text(GTK_LABEL(self->mistake), mistake ? mistake : "");
  gtk_widget_set_visible(self->mistake, mistake != NULL);
  if (!filter)
    return;
  regard_head_filter_free(self->filter);
  self->filter = filter;
  self->is_told = TRUE;
  gtk_filter_changed(GTK_FILTER(self->gtk_filter), GTK_FILTER_CHANGE_DIFFERENT);
  self->is_told = FALSE;
  scroll_to(self, 0);
  show_mark(self, TRUE); /* it may be there again */
  g_signal_emit(self, signals[FILTERED], 0);
}

GtkWidget *
regard_head_list_get_row_list(RegardHeadList *self)
{
  return gtk_widget_get_last_child(self->table);
}

GtkWidget *
regard_head_list_get_entry(RegardHeadList *self)
{
  return self->entry;
}

gboolean
regard_head_list_handle_key(RegardHeadList *list, guint keyval, GdkModifierType state)
{
  return list && regard_key_finds(keyval, state) && gtk_widget_grab_focus(list->entry);
}

GtkWidget *
regard_head_list_get_mistake(RegardHeadList *self)
{
  return self->mistake;
}

/* ---- The widget -------------------------------------------------------------------------------
 */

void
regard_head_list_set_neighbours(RegardHeadList *self, GtkWidget *before, GtkWidget *after)
{
  self->before = before;
  self->after = after;
}

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       gpointer data)
{
  RegardHeadList *self = data;
  GtkWidget *rows = gtk_widget_get_last_child(self->table);
  GtkWidget *focus = gtk_root_get_focus(gtk_widget_get_root(self->table));
  const gboolean is_back = keyval == GDK_KEY_ISO_Left_Tab;

  if ((keyval != GDK_KEY_Tab && !is_back) || !focus || !gtk_widget_is_ancestor(focus, rows))
    return FALSE;
  gtk_widget_child_focus(is_back ? self->before : self->after,
                         is_back ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD);
  return TRUE;
}

static void
build_words(RegardHeadList *self)
{
  self->entry = g_object_ref_sink(gtk_search_entry_new());
  g_object_set(self->entry, "placeholder-text", _("cross confidence > 0.4"), NULL);
  regard_accessible_set_label(self->entry, _("Which heads: kinds, roles, places, numbers"));
  regard_connect(self->entry, "search-changed", G_CALLBACK(on_words), self);
  self->mistake = g_object_ref_sink(gtk_label_new(NULL));
  gtk_widget_add_css_class(self->mistake, "error");
  gtk_widget_set_visible(self->mistake, FALSE);
}

static void
build_table(RegardHeadList *self)
{
  GtkWidget *table = self->table = gtk_column_view_new(NULL);
  GtkSorter *sorter = gtk_column_view_get_sorter(GTK_COLUMN_VIEW(table));
  GtkEventController *keys = gtk_event_controller_key_new();

  self->items = g_list_store_new(REGARD_TYPE_HEAD_ITEM);
  self->gtk_filter = gtk_custom_filter_new(is_wanted, self, NULL);
  GtkFilterListModel *filtered =
      gtk_filter_list_model_new(G_LIST_MODEL(self->items), GTK_FILTER(self->gtk_filter));
  self->sorted = gtk_sort_list_model_new(G_LIST_MODEL(filtered), g_object_ref(sorter));
  self->selected = gtk_single_selection_new(G_LIST_MODEL(self->sorted));
  gtk_single_selection_set_autoselect(self->selected, FALSE);
  gtk_single_selection_set_can_unselect(self->selected, TRUE);
  regard_connect(self->selected, "notify::selected", G_CALLBACK(on_selected), self);
  gtk_column_view_set_model(GTK_COLUMN_VIEW(table), GTK_SELECTION_MODEL(self->selected));
  g_signal_connect_object(sorter, "changed", G_CALLBACK(on_sorted), self,
                          G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_swapped(table, "activate", G_CALLBACK(on_activate), self);
  gtk_event_controller_set_name(keys, "keys");
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(table, keys);
  gtk_widget_add_css_class(table, "data-table");
}

static void
dispose(GObject *object)
{
  RegardHeadList *self = REGARD_HEAD_LIST(object);

  self->is_told = TRUE; /* taking the list apart changes it: nothing follows that any more */
  g_clear_handle_id(&self->scroll_id, g_source_remove);
  if (self->gtk_filter) /* it asks this object */
    gtk_custom_filter_set_filter_func(self->gtk_filter, NULL, NULL, NULL);
  self->gtk_filter = NULL;
  g_clear_pointer(&self->scroller, gtk_widget_unparent);
  g_clear_object(&self->selected);
  g_clear_object(&self->entry);
  g_clear_object(&self->mistake);
  g_clear_pointer(&self->filter, regard_head_filter_free);
  G_OBJECT_CLASS(regard_head_list_parent_class)->dispose(object);
}

static void
regard_head_list_class_init(RegardHeadListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  const GType type = G_TYPE_FROM_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "headlist");
  signals[CHOSEN] = g_signal_new("chosen", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, REGARD_TYPE_HEAD_ITEM);
  signals[ACTIVATED] = g_signal_new("activated", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                    G_TYPE_NONE, 1, REGARD_TYPE_HEAD_ITEM);
  signals[FILTERED] =
      g_signal_new("filtered", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
regard_head_list_init(RegardHeadList *self)
{
  self->marked = -1;
  build_words(self);
  build_table(self);
  self->scroller = gtk_scrolled_window_new();
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scroller), self->table);
  gtk_widget_set_vexpand(GTK_WIDGET(self), TRUE);
  gtk_widget_add_css_class(self->scroller, "card");
  gtk_widget_set_parent(self->scroller, GTK_WIDGET(self));
}

GtkWidget *
regard_head_list_new(gboolean over_text, const char *name, const char *help)
{
  RegardHeadList *self = g_object_new(REGARD_TYPE_HEAD_LIST, NULL);

  self->over_text = over_text;
  gtk_widget_set_name(self->entry, "head-filter");
  gtk_widget_set_name(GTK_WIDGET(self), "head-list");
  gtk_widget_set_tooltip_text(self->entry, help);
  regard_accessible_set_label(self->table, name);
  return GTK_WIDGET(self);
}
