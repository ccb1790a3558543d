/* test-view-heads.c — the page of all heads: rows, order, filter, and the head that is looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-head-statistics.h"
#include "suite.h"
#include "views/regard-view.h"
#include "widget-find.h"
#include "widget-test.h"
#include "widgets/regard-head-ablation.h"

#include <math.h>

typedef struct {
  RegardSelection *selection;
  RegardView *view;
  GtkWidget *window, *table, *entry;
  GtkSelectionModel *model;
  guint interventions; /* of what can be saved */
} Fixture;

static void
on_choices_changed(Fixture *f)
{
  f->interventions++;
}

/* Until its numbers have been measured. */
static void
wait_for_numbers(Fixture *f)
{
  for (guint before = f->interventions; f->interventions == before;)
    g_main_context_iteration(NULL, TRUE);
}

static void
open_page(Fixture *f)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);

  *f = (Fixture){.selection = new_selection()};
  for (guint i = 0; i < n; i++)
    if (g_str_equal(views[i].id, "heads"))
      f->view = g_object_new(views[i].get_type(), NULL);
  g_signal_connect_swapped(f->view, "choices-changed", G_CALLBACK(on_choices_changed), f);
  regard_view_set_selection(f->view, f->selection);
  regard_view_get_export_choices(f->view, &n);
  g_assert_cmpuint(n, ==, 0); /* nothing is measured before it is looked at */
  f->window = show_in_window(GTK_WIDGET(f->view));
  if (f->interventions == 0)
    wait_for_numbers(f);
  f->table = find(GTK_WIDGET(f->view), GTK_TYPE_COLUMN_VIEW);
  f->entry = find(GTK_WIDGET(f->view), GTK_TYPE_SEARCH_ENTRY);
  f->model = gtk_column_view_get_model(GTK_COLUMN_VIEW(f->table));
}

static void
close_page(Fixture *f)
{
  gpointer gone = f->view; /* not to be looked into */

  gtk_window_destroy(GTK_WINDOW(f->window));
  g_object_unref(f->selection);
  /* Taking the list apart changes it, which must not ask for anything that would come too late. */
  g_assert_null(g_main_context_find_source_by_user_data(NULL, gone));
}

static void
sort_by(Fixture *f, guint column, GtkSortType order)
{
  GListModel *columns = gtk_column_view_get_columns(GTK_COLUMN_VIEW(f->table));
  g_autoptr(GtkColumnViewColumn) found = g_list_model_get_item(columns, column);

  gtk_column_view_sort_by_column(GTK_COLUMN_VIEW(f->table), found, order);
}

static void
ask_for(Fixture *f, const char *text)
{
  gtk_editable_set_text(GTK_EDITABLE(f->entry), text);
  g_signal_emit_by_name(f->entry, "search-changed"); /* without its delay */
}

static guint
count(Fixture *f)
{
  return g_list_model_get_n_items(G_LIST_MODEL(f->model));
}

/* The numbers of a column as its figure has them: what is exported is what is seen. */
static RegardMatrix *
shown(Fixture *f)
{
  g_autoptr(RegardFigure) figure = regard_view_create_figure(f->view, "heads-table");

  return regard_matrix_ref(regard_figure_matrix(figure, 0));
}

static void
test_list(void)
{
  Fixture f;
  guint n;

  open_page(&f);
  g_assert_cmpuint(count(&f), ==, 3 * 6 * 8);
  /* It has the height that titles and effects leave. */
  g_assert_cmpint(gtk_widget_get_height(f.table), >, WINDOW_HEIGHT * 2 / 3);
  regard_view_get_export_choices(f.view, &n);
  g_assert_cmpuint(n, ==, 1);
  g_autoptr(RegardMatrix) first = shown(&f);
  g_assert_cmpstr(first->row_labels[0].text, ==, "encoder 1.1");

  /* By entropy, falling; by "previous", rising: what has no number is least. */
  sort_by(&f, 2, GTK_SORT_DESCENDING);
  g_autoptr(RegardMatrix) falling = shown(&f);
  for (guint r = 1; r < falling->rows; r++)
    g_assert_cmpfloat(regard_matrix_get(falling, r, 0), <=, regard_matrix_get(falling, r - 1, 0));
  sort_by(&f, 6, GTK_SORT_ASCENDING);
  g_autoptr(RegardMatrix) rising = shown(&f);
  for (guint r = 1; r < rising->rows; r++)
    g_assert_true(isnan(regard_matrix_get(rising, r - 1, 4)) ||
                  regard_matrix_get(rising, r, 4) >= regard_matrix_get(rising, r - 1, 4));
  g_assert_true(isnan(regard_matrix_get(rising, 0, 4)));
  g_assert_false(isnan(regard_matrix_get(rising, rising->rows - 1, 4)));
  close_page(&f);
}

/* Whether a label in sight has this text. */
static gboolean
says(GtkWidget *widget, const char *text)
{
  if (!gtk_widget_get_visible(widget))
    return FALSE;
  if (GTK_IS_LABEL(widget) && g_str_equal(gtk_label_get_text(GTK_LABEL(widget)), text))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    if (says(child, text))
      return TRUE;
  return FALSE;
}

/* What has no number is a dash, not a gap; and the first row in sight is seen whole, wherever the
 * head that is looked at lies. */
static void
test_rows(void)
{
  Fixture f;

  open_page(&f);
  sort_by(&f, 6, GTK_SORT_ASCENDING);
  gtk_test_widget_wait_for_draw(f.table);
  g_assert_true(says(f.table, "–"));
  g_assert_false(says(f.table, ""));
  sort_by(&f, 0, GTK_SORT_ASCENDING);
  GtkWidget *scroller = gtk_widget_get_ancestor(f.table, GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *rows = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
  for (guint layer = 1; layer < 6; layer++) {
    gtk_window_set_default_size(GTK_WINDOW(f.window), WINDOW_WIDTH,
                                WINDOW_HEIGHT - 7 * (int) layer);
    regard_selection_set_place(f.selection, MT_CROSS, layer, 5);
    /* It scrolls once the rows have their places, some frames later, however long a frame takes. */
    double above = 0;
    for (guint quiet = 0, frame = 0; quiet < 12 && frame < 1000; frame++) {
      gtk_test_widget_wait_for_draw(f.table);
      const double now =
          gtk_adjustment_get_value(rows) * count(&f) / gtk_adjustment_get_upper(rows);
      quiet = now == above ? quiet + 1 : 0;
      above = now;
    }
    g_assert_cmpfloat(above, >, 1);
    g_assert_cmpfloat_with_epsilon(above, round(above), 0.05);
  }
  close_page(&f);
}

static void
test_filter(void)
{
  Fixture f;

  open_page(&f);
  ask_for(&f, "cross 2.*");
  g_assert_cmpuint(count(&f), ==, 8);
  g_assert_true(says(GTK_WIDGET(f.view), "8 of 144 heads, measured on this sentence"));
  /* An unfinished word takes nothing away, and says why nothing happens. */
  for (int at = 9, i = 0; i < 5; i++)
    gtk_editable_insert_text(GTK_EDITABLE(f.entry), &" conf"[i], 1, &at);
  g_signal_emit_by_name(f.entry, "search-changed");
  g_assert_cmpuint(count(&f), ==, 8);
  g_assert_true(says(GTK_WIDGET(f.view), "“conf” is no kind, role, place or measure"));
  ask_for(&f, "entropy < 0");
  g_assert_cmpuint(count(&f), ==, 0);
  g_assert_null(regard_view_create_figure(f.view, "heads-table"));
  ask_for(&f, "");
  g_assert_cmpuint(count(&f), ==, 144);
  close_page(&f);
}

/* What none of the heads has is no column, and the explanation says why. */
static void
test_absent(void)
{
  const char *why = "There is none here: the scores have no part that is position";
  Fixture f;

  open_page(&f);
  GtkWidget *button = find(GTK_WIDGET(f.view), GTK_TYPE_MENU_BUTTON);
  GtkPopover *popover = gtk_menu_button_get_popover(GTK_MENU_BUTTON(button));
  GtkLabel *explanation = GTK_LABEL(gtk_popover_get_child(popover));
  ask_for(&f, "position >= 0");
  g_assert_cmpuint(count(&f), ==, 0);
  g_assert_nonnull(strstr(gtk_label_get_text(explanation), why));
  ask_for(&f, "");
  g_autoptr(RegardMatrix) without = shown(&f);

  mt_capture *relative = sample_relative_capture(2);
  regard_selection_set_capture(f.selection, relative);
  mt_capture_unref(relative);
  wait_for_numbers(&f);
  g_assert_null(strstr(gtk_label_get_text(explanation), why));
  g_autoptr(RegardMatrix) with = shown(&f);
  g_assert_cmpuint(with->cols, ==, without->cols + 1);
  ask_for(&f, "position >= 0");
  g_assert_cmpuint(count(&f), ==, 2 * 2 * 8);
  close_page(&f);
}

static guint
selected(Fixture *f)
{
  return gtk_single_selection_get_selected(GTK_SINGLE_SELECTION(f->model));
}

/* The row and the head that is looked at are one, through sorting, filters and another text. */
static void
test_follows(void)
{
  Fixture f;
  mt_capture *other;

  open_page(&f);
  regard_selection_set_place(f.selection, MT_CROSS, 1, 2);
  g_assert_cmpuint(selected(&f), ==, 6 * 8 + 8 + 2);
  gtk_single_selection_set_selected(GTK_SINGLE_SELECTION(f.model), 3);
  g_assert_cmpint(regard_selection_get_kind(f.selection), ==, MT_ENCODER_SELF);
  g_assert_cmpuint(regard_selection_get_layer(f.selection), ==, 0);
  g_assert_cmpuint(regard_selection_get_head(f.selection), ==, 3);
  sort_by(&f, 2, GTK_SORT_DESCENDING);
  g_assert_cmpuint(regard_selection_get_head(f.selection), ==, 3);
  ask_for(&f, "cross");
  g_assert_cmpuint(selected(&f), ==, GTK_INVALID_LIST_POSITION);
  g_assert_cmpint(regard_selection_get_kind(f.selection), ==, MT_ENCODER_SELF);
  ask_for(&f, "");
  g_assert_cmpuint(selected(&f), !=, GTK_INVALID_LIST_POSITION);

  /* Another text: other numbers in the same rows. */
  g_autoptr(RegardMatrix) before = shown(&f);
  other = sample_capture_of("▁A ▁dog </s>", "▁Ein ▁Hund </s>", 6, 8);
  regard_selection_set_capture(f.selection, other);
  mt_capture_unref(other);
  wait_for_numbers(&f);
  g_autoptr(RegardMatrix) after = shown(&f);
  g_assert_cmpuint(after->rows, ==, before->rows);
  for (guint r = 1; r < after->rows; r++)
    g_assert_cmpfloat(regard_matrix_get(after, r, 0), <=, regard_matrix_get(after, r - 1, 0));
  g_assert_cmpfloat(regard_matrix_get(after, 0, 0), !=, regard_matrix_get(before, 0, 0));
  g_assert_cmpuint(regard_selection_get_head(f.selection), ==, 3);

  /* Fewer heads, then none. */
  other = sample_capture_of("▁A </s>", "▁Ein </s>", 1, 2);
  regard_selection_set_capture(f.selection, other);
  mt_capture_unref(other);
  wait_for_numbers(&f);
  g_assert_cmpuint(count(&f), ==, 6);
  regard_selection_set_capture(f.selection, NULL);
  g_assert_cmpuint(count(&f), ==, 0);
  close_page(&f);
}

/* Tab leaves the rows for what is beside the list, and does not go through all of them. */
static void
test_tab(void)
{
  Fixture f;
  GtkWidget *rows, *bar;

  open_page(&f);
  rows = gtk_widget_get_last_child(f.table);
  bar = find(GTK_WIDGET(f.view), REGARD_TYPE_ABLATION_BAR);
  g_assert_true(gtk_widget_child_focus(rows, GTK_DIR_TAB_FORWARD));
  g_assert_true(press_key(f.table, GDK_KEY_Tab, 0));
  g_assert_true(gtk_widget_is_ancestor(gtk_root_get_focus(GTK_ROOT(f.window)), bar));
  g_assert_false(press_key(f.table, GDK_KEY_Tab, 0)); /* it is not on a row any more */
  g_assert_true(gtk_widget_child_focus(rows, GTK_DIR_TAB_FORWARD));
  g_assert_true(press_key(f.table, GDK_KEY_ISO_Left_Tab, GDK_SHIFT_MASK));
  g_assert_true(gtk_widget_is_ancestor(gtk_root_get_focus(GTK_ROOT(f.window)), f.entry));
  close_page(&f);
}

TESTS(.begin = gtk_init_check)
{
  g_test_add_func("/view-heads/list", test_list);
  g_test_add_func("/view-heads/rows", test_rows);
  g_test_add_func("/view-heads/filter", test_filter);
  g_test_add_func("/view-heads/absent", test_absent);
  g_test_add_func("/view-heads/follows", test_follows);
  g_test_add_func("/view-heads/tab", test_tab);
}
