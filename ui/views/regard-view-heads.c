/* regard-view-heads.c — all heads as a list: their numbers on this sentence, to sort and to filter.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The selected row is the head that is looked at; Enter shows it large. Numbers are computed in a
 * thread, and only while the page is on screen. A row is an object that stays while texts change,
 * so that the list keeps its place.
 */
#include "figures/regard-figure-effects.h"
#include "figures/regard-matrix-heads.h"
#include "views/regard-view-heads-private.h"
#include "views/regard-view.h"
#include "widgets/regard-accessible.h"
#include "widgets/regard-effects-bar.h"
#include "widgets/regard-head-effects.h"

#include <glib/gi18n.h>
#include <math.h>

/* ---- The page ----------------------------------------------------------------------------------
 */

#define REGARD_TYPE_VIEW_HEADS (regard_view_heads_get_type())
G_DECLARE_FINAL_TYPE(RegardViewHeads, regard_view_heads, REGARD, VIEW_HEADS, RegardView)

struct _RegardViewHeads {
  RegardView parent_instance;

  mt_capture *capture;   /* that the rows are of; NULL: none */
  mt_capture *reference; /* A of what is compared in them; NULL: nothing is */
  gboolean dirty;        /* another one is to be measured when the page is on screen */
  gconstpointer effects; /* that the rows have; only to be compared */
  GCancellable *cancellable;
  GListStore *items;
  GtkFilterListModel *filtered;
  GtkSortListModel *sorted;
  GtkSingleSelection *selected;
  GtkCustomFilter *gtk_filter;
  RegardHeadFilter *filter; /* NULL: none, or one with a mistake */
  guint scroll_row, scroll_id;
  gboolean following; /* the list is told of the selection, or the other way round */

  GtkWidget *title, *note, *entry, *mistake, *table, *bar;
};

G_DEFINE_FINAL_TYPE(RegardViewHeads, regard_view_heads, REGARD_TYPE_VIEW)

static guint
n_shown(RegardViewHeads *self)
{
  return g_list_model_get_n_items(G_LIST_MODEL(self->selected));
}

static void
show_note(RegardViewHeads *self)
{
  guint n = n_shown(self), all = g_list_model_get_n_items(G_LIST_MODEL(self->items));
  g_autofree char *text =
      n == all ? g_strdup_printf(_("%u heads, measured on this sentence"), all)
               : g_strdup_printf(_("%u of %u heads, measured on this sentence"), n, all);

  gtk_label_set_text(GTK_LABEL(self->note), text);
}

/* ---- List and selection follow each other -----------------------------------------------------
 */

static gboolean
scroll_now(gpointer data)
{
  RegardViewHeads *self = data;

  self->scroll_id = 0;
  if (self->scroll_row < n_shown(self)) /* the list is below the titles */
    gtk_widget_activate_action(gtk_widget_get_last_child(self->table), "list.scroll-to-item", "u",
                               self->scroll_row);
  return G_SOURCE_REMOVE;
}

/* Once the list has laid out what it has been given. */
static void
scroll_to(RegardViewHeads *self, guint row)
{
  self->scroll_row = row;
  if (self->scroll_id == 0)
    self->scroll_id = g_idle_add_full(G_PRIORITY_LOW, scroll_now, self, NULL);
}

static void
follow_selection(RegardViewHeads *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  guint at = GTK_INVALID_LIST_POSITION;

  if (self->following || !self->items)
    return;
  for (guint i = 0; i < n_shown(self) && at == GTK_INVALID_LIST_POSITION; i++) {
    g_autoptr(HeadItem) item = g_list_model_get_item(G_LIST_MODEL(self->selected), i);

    if (item->row.kind == regard_selection_get_kind(s) &&
        item->row.layer == regard_selection_get_layer(s) &&
        item->row.head == regard_selection_get_head(s))
      at = i;
  }
  self->following = TRUE;
  gtk_single_selection_set_selected(self->selected, at);
  self->following = FALSE;
  if (at != GTK_INVALID_LIST_POSITION)
    scroll_to(self, at);
}

static void
on_selected(RegardViewHeads *self)
{
  HeadItem *item = gtk_single_selection_get_selected_item(self->selected);

  if (self->following || !item)
    return;
  self->following = TRUE;
  regard_selection_set_place(regard_view_get_selection(REGARD_VIEW(self)), item->row.kind,
                             item->row.layer, item->row.head);
  self->following = FALSE;
}

static void
on_activate(RegardViewHeads *self, guint position)
{
  on_selected(self);
  gtk_widget_activate_action(GTK_WIDGET(self), "win.show-view", "s", "attention");
}

/* ---- Numbers -----------------------------------------------------------------------------------
 */

typedef struct {
  mt_capture *capture, *a, *b; /* a and b NULL: nothing is compared */
  RegardHeadRow *rows;
  guint n;
} Measured;

static void
measured_free(gpointer data)
{
  Measured *measured = data;

  mt_capture_unref(measured->capture);
  mt_capture_unref(measured->a);
  mt_capture_unref(measured->b);
  g_free(measured->rows);
  g_free(measured);
}

static void
measure(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Measured *measured = data;

  measured->rows = regard_head_rows_new(measured->capture, measured->a, measured->b, &measured->n);
  g_task_return_boolean(task, TRUE);
}

static gboolean
is_same_shape(RegardViewHeads *self, const Measured *measured)
{
  if (g_list_model_get_n_items(G_LIST_MODEL(self->items)) != measured->n)
    return FALSE;
  for (guint i = 0; i < measured->n; i++) {
    g_autoptr(HeadItem) item = g_list_model_get_item(G_LIST_MODEL(self->items), i);
    const RegardHeadRow *row = &measured->rows[i];

    if (item->row.kind != row->kind || item->row.layer != row->layer || item->row.head != row->head)
      return FALSE;
  }
  return TRUE;
}

/* Order and filter anew; what is sorted anew is not chosen anew. */
static void
sort_anew(RegardViewHeads *self)
{
  self->following = TRUE;
  gtk_filter_changed(GTK_FILTER(self->gtk_filter), GTK_FILTER_CHANGE_DIFFERENT);
  gtk_sorter_changed(gtk_sort_list_model_get_sorter(self->sorted), GTK_SORTER_CHANGE_DIFFERENT);
  self->following = FALSE;
}

/* The numbers of what each head does, or none. */
static void
fill_effects(RegardViewHeads *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardEffects *effects = regard_head_effects_get(regard_selection_get_head_effects(s));

  for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(self->items)); i++) {
    g_autoptr(HeadItem) item = g_list_model_get_item(G_LIST_MODEL(self->items), i);

    regard_head_row_set_effects(&item->row, effects);
    head_item_changed(item);
  }
  sort_anew(self);
  regard_heads_show_columns(self->table, G_LIST_MODEL(self->items));
}

static void
update_rows(RegardViewHeads *self, const Measured *measured)
{
  if (!is_same_shape(self, measured)) {
    g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);

    for (guint i = 0; i < measured->n; i++) {
      HeadItem *item = g_object_new(HEAD_TYPE_ITEM, NULL);

      item->row = measured->rows[i];
      item->index = i;
      g_ptr_array_add(items, item);
    }
    g_list_store_splice(self->items, 0, g_list_model_get_n_items(G_LIST_MODEL(self->items)),
                        items->pdata, items->len);
    return;
  }
  for (guint i = 0; i < measured->n; i++) {
    g_autoptr(HeadItem) item = g_list_model_get_item(G_LIST_MODEL(self->items), i);

    item->row = measured->rows[i];
  }
}

static void
on_measured(GObject *object, GAsyncResult *result, gpointer data)
{
  RegardViewHeads *self = REGARD_VIEW_HEADS(object);
  const Measured *measured = g_task_get_task_data(G_TASK(result));

  if (!g_task_propagate_boolean(G_TASK(result), NULL)) /* there is a newer one */
    return;
  mt_capture_unref(self->capture);
  self->capture = mt_capture_ref(measured->capture);
  mt_capture_unref(self->reference);
  self->reference = measured->a ? mt_capture_ref(measured->a) : NULL;
  update_rows(self, measured);
  fill_effects(self);
  follow_selection(self);
  show_note(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
load(RegardViewHeads *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  mt_capture *capture = s ? regard_selection_get_capture(s) : NULL, *a = NULL, *b = NULL;

  self->dirty = !gtk_widget_get_mapped(GTK_WIDGET(self));
  if (self->dirty)
    return;
  regard_selection_get_pair(s, &a, &b);
  if (capture && capture == self->capture && a == self->reference)
    return;
  g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  if (!capture) {
    g_clear_pointer(&self->capture, mt_capture_unref);
    g_clear_pointer(&self->reference, mt_capture_unref);
    g_list_store_remove_all(self->items);
    show_note(self);
    regard_view_choices_changed(REGARD_VIEW(self));
    return;
  }
  self->cancellable = g_cancellable_new();
  Measured *measured = g_new0(Measured, 1);
  g_autoptr(GTask) task = g_task_new(self, self->cancellable, on_measured, NULL);
  measured->capture = mt_capture_ref(capture);
  measured->a = a ? mt_capture_ref(a) : NULL;
  measured->b = b ? mt_capture_ref(b) : NULL;
  g_task_set_task_data(task, measured, measured_free);
  g_task_run_in_thread(task, measure);
}

/* ---- The filter --------------------------------------------------------------------------------
 */

static gboolean
is_wanted(gpointer object, gpointer data)
{
  RegardViewHeads *self = data;

  return !self->filter || regard_head_filter_matches(self->filter, &HEAD_ITEM(object)->row);
}

static void
on_filter_changed(RegardViewHeads *self)
{
  g_autofree char *mistake = NULL;
  const char *text = gtk_editable_get_text(GTK_EDITABLE(self->entry));
  RegardHeadFilter *filter = regard_head_filter_new(regard_head_row_words(), text, &mistake);

  /* While a word is unfinished, what was asked for last stays. */
  gtk_label_set_text(GTK_LABEL(self->mistake), mistake ? mistake : "");
  gtk_widget_set_visible(self->mistake, mistake != NULL);
  if (!filter)
    return;
  regard_head_filter_free(self->filter);
  self->filter = filter;
  self->following = TRUE;
  gtk_filter_changed(GTK_FILTER(self->gtk_filter), GTK_FILTER_CHANGE_DIFFERENT);
  self->following = FALSE;
  follow_selection(self);
  scroll_to(self, 0);
  show_note(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* ---- Widgets --------------------------------------------------------------------------------- */

/* What comes first now is what was asked for. */
static void
on_sorted(RegardViewHeads *self)
{
  if (!self->following && n_shown(self) > 0)
    scroll_to(self, 0);
}

static GtkWidget *
build_table(RegardViewHeads *self)
{
  GtkWidget *table = gtk_column_view_new(NULL), *scroller = gtk_scrolled_window_new();

  self->items = g_list_store_new(HEAD_TYPE_ITEM);
  self->gtk_filter = gtk_custom_filter_new(is_wanted, self, NULL);
  self->filtered =
      gtk_filter_list_model_new(G_LIST_MODEL(self->items), GTK_FILTER(self->gtk_filter));
  self->sorted =
      gtk_sort_list_model_new(G_LIST_MODEL(self->filtered),
                              g_object_ref(gtk_column_view_get_sorter(GTK_COLUMN_VIEW(table))));
  self->selected = gtk_single_selection_new(G_LIST_MODEL(self->sorted));
  gtk_single_selection_set_autoselect(self->selected, FALSE);
  gtk_single_selection_set_can_unselect(self->selected, TRUE);
  g_signal_connect_swapped(self->selected, "notify::selected", G_CALLBACK(on_selected), self);
  gtk_column_view_set_model(GTK_COLUMN_VIEW(table), GTK_SELECTION_MODEL(self->selected));
  g_object_unref(self->selected); /* the table's */

  regard_heads_add_columns(table);
  self->table = table;
  g_signal_connect_object(gtk_column_view_get_sorter(GTK_COLUMN_VIEW(table)), "changed",
                          G_CALLBACK(on_sorted), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  gtk_widget_add_css_class(table, "data-table");
  gtk_accessible_update_property(GTK_ACCESSIBLE(table), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("All heads and their numbers"), -1);
  g_signal_connect_swapped(table, "activate", G_CALLBACK(on_activate), self);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), table);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_widget_add_css_class(scroller, "card");
  return scroller;
}

/* What the columns mean, a line each. */
static char *
explain(void)
{
  guint n;
  const RegardHeadMeasure *measures = regard_head_measures(&n);
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < n; i++) {
    g_autofree char *title = g_markup_escape_text(_(measures[i].title), -1);
    g_autofree char *what = g_markup_escape_text(_(measures[i].what), -1);

    g_string_append_printf(text, "%s<b>%s</b>  %s.", i ? "\n" : "", title, what);
  }
  return g_string_free(text, FALSE);
}

static GtkWidget *
build_explanation(void)
{
  GtkWidget *button = gtk_menu_button_new(), *popover = gtk_popover_new();
  GtkWidget *label = gtk_label_new(NULL);
  g_autofree char *text = explain();

  gtk_label_set_markup(GTK_LABEL(label), text);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 60);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_widget_add_css_class(label, "regard-explanation");
  gtk_popover_set_child(GTK_POPOVER(popover), label);
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(button), popover);
  gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(button), "help-about-symbolic");
  gtk_menu_button_set_has_frame(GTK_MENU_BUTTON(button), FALSE);
  gtk_widget_set_tooltip_text(button, _("What the numbers are"));
  return button;
}

static void
build(RegardViewHeads *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10);

  self->title = gtk_label_new(_("Heads"));
  gtk_widget_add_css_class(self->title, "regard-title");
  self->note = gtk_label_new(NULL);
  gtk_label_set_ellipsize(GTK_LABEL(self->note), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign(GTK_LABEL(self->note), 0);
  gtk_widget_set_hexpand(self->note, TRUE);
  gtk_widget_add_css_class(self->note, "regard-note");
  self->entry = gtk_search_entry_new();
  g_object_set(self->entry, "placeholder-text", _("cross confidence > 0.4"), NULL);
  gtk_widget_set_size_request(self->entry, 260, -1);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Which heads: kinds, roles, places, numbers"), -1);
  gtk_widget_set_tooltip_text(
      self->entry, _("Kinds (encoder, cross, decoder), roles (sink, monotone), places (4.1, 4.*) "
                     "and numbers (special > 50 %); all must hold"));
  g_signal_connect_swapped(self->entry, "search-changed", G_CALLBACK(on_filter_changed), self);
  self->mistake = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->mistake), 1);
  gtk_widget_add_css_class(self->mistake, "error");
  gtk_widget_set_visible(self->mistake, FALSE);

  gtk_box_append(GTK_BOX(line), self->title);
  gtk_box_append(GTK_BOX(line), self->note);
  gtk_box_append(GTK_BOX(line), self->entry);
  gtk_box_append(GTK_BOX(line), build_explanation());
  gtk_box_append(GTK_BOX(box), line);
  gtk_box_append(GTK_BOX(box), self->mistake);
  gtk_box_append(GTK_BOX(box), build_table(self));
  self->bar = regard_effects_bar_new();
  regard_effects_bar_set_selection(REGARD_EFFECTS_BAR(self->bar),
                                   regard_view_get_selection(REGARD_VIEW(self)));
  gtk_box_append(GTK_BOX(box), self->bar);
  gtk_widget_add_css_class(box, "regard-picture");
  gtk_widget_set_parent(box, GTK_WIDGET(self));
  regard_accessible_name_inner_buttons(GTK_WIDGET(self));
}

/* ---- RegardView ------------------------------------------------------------------------------ */

static RegardEffects *
get_effects(RegardViewHeads *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  return s ? regard_head_effects_get(regard_selection_get_head_effects(s)) : NULL;
}

/* Others, or none any more; while they are computed nothing is new here. */
static void
on_effects(RegardViewHeads *self)
{
  RegardEffects *effects = get_effects(self);

  if (effects == self->effects)
    return;
  self->effects = effects;
  if (self->items)
    fill_effects(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
regard_view_heads_set_selection(RegardView *view, RegardSelection *s)
{
  static const char *const places[] = {"notify::kind", "notify::layer", "notify::head"};

  g_signal_connect_object(s, "notify::capture", G_CALLBACK(load), view, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "pair-changed", G_CALLBACK(load), view, G_CONNECT_SWAPPED);
  g_signal_connect_object(regard_selection_get_head_effects(s), "changed", G_CALLBACK(on_effects),
                          view, G_CONNECT_SWAPPED);
  for (guint i = 0; i < G_N_ELEMENTS(places); i++)
    g_signal_connect_object(s, places[i], G_CALLBACK(follow_selection), view, G_CONNECT_SWAPPED);
  load(REGARD_VIEW_HEADS(view));
}

static const RegardPicture *
regard_view_heads_get_export_choices(RegardView *view, guint *n)
{
  static const RegardPicture choices[] = {{"heads-table", N_("The List of Heads")},
                                          {"effects", N_("Effects of Heads")}};
  RegardViewHeads *self = REGARD_VIEW_HEADS(view);
  const gboolean has_list = self->capture && n_shown(self) > 0,
                 has_effects = get_effects(self) != NULL;

  *n = (guint) has_list + has_effects;
  return has_list ? choices : choices + 1;
}

/* As it is shown: in this order, and without what is filtered out. */
static RegardFigure *
regard_view_heads_create_figure(RegardView *view, const char *choice_id)
{
  RegardViewHeads *self = REGARD_VIEW_HEADS(view);
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  guint n = n_shown(self);
  g_autofree const RegardHeadRow **rows = g_new(const RegardHeadRow *, MAX(n, 1));

  if (g_str_equal(choice_id, "effects"))
    return get_effects(self) ? regard_figure_new_effects(get_effects(self), &style) : NULL;
  if (!self->capture || n == 0)
    return NULL;
  for (guint i = 0; i < n; i++) {
    g_autoptr(HeadItem) item = g_list_model_get_item(G_LIST_MODEL(self->selected), i);

    rows[i] = &item->row; /* the list keeps it */
  }
  g_autoptr(RegardMatrix) m = regard_matrix_new_heads(self->capture, rows, n, _("Heads"));
  return regard_figure_new_table(m, &style);
}

static void
regard_view_heads_map(GtkWidget *widget)
{
  RegardViewHeads *self = REGARD_VIEW_HEADS(widget);

  if (!self->items) /* who never looks here does not wait for it at the start */
    build(self);
  GTK_WIDGET_CLASS(regard_view_heads_parent_class)->map(widget);
  if (self->dirty)
    load(self);
  regard_selection_set_wants_pair(regard_view_get_selection(REGARD_VIEW(self)), TRUE);
}

static void
regard_view_heads_unmap(GtkWidget *widget)
{
  regard_selection_set_wants_pair(regard_view_get_selection(REGARD_VIEW(widget)), FALSE);
  GTK_WIDGET_CLASS(regard_view_heads_parent_class)->unmap(widget);
}

static void
regard_view_heads_dispose(GObject *object)
{
  RegardViewHeads *self = REGARD_VIEW_HEADS(object);

  g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  /* Taking the list apart changes it: nothing follows that any more. */
  self->following = TRUE;
  g_clear_handle_id(&self->scroll_id, g_source_remove);
  /* The filter asks this object. */
  if (self->gtk_filter)
    gtk_custom_filter_set_filter_func(self->gtk_filter, NULL, NULL, NULL);
  self->gtk_filter = NULL;
  g_clear_pointer(&self->filter, regard_head_filter_free);
  g_clear_pointer(&self->capture, mt_capture_unref);
  g_clear_pointer(&self->reference, mt_capture_unref);
  G_OBJECT_CLASS(regard_view_heads_parent_class)->dispose(object);
}

static void
regard_view_heads_class_init(RegardViewHeadsClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = regard_view_heads_dispose;
  GTK_WIDGET_CLASS(klass)->map = regard_view_heads_map;
  GTK_WIDGET_CLASS(klass)->unmap = regard_view_heads_unmap;
  view_class->set_selection = regard_view_heads_set_selection;
  view_class->get_export_choices = regard_view_heads_get_export_choices;
  view_class->create_figure = regard_view_heads_create_figure;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "headsview");
}

static void
regard_view_heads_init(RegardViewHeads *self)
{
  self->dirty = TRUE;
}
