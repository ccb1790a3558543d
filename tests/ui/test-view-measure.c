/* test-view-measure.c — the page Measure: its panes and what they say through it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus-test.h"
#include "suite.h"
#include "views/regard-view.h"
#include "widget-find.h"
#include "widget-test.h"

typedef struct {
  RegardSelection *selection;
  RegardView *view;
  GtkWidget *window;
} Fixture;

static void
open_page(Fixture *f)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);

  *f = (Fixture){.selection = new_selection()};
  for (guint i = 0; i < n; i++)
    if (g_str_equal(views[i].id, "measure"))
      f->view = g_object_new(views[i].get_type(), NULL);
  regard_view_set_selection(f->view, f->selection);
  f->window = show_in_window(GTK_WIDGET(f->view));
}

static void
close_page(Fixture *f)
{
  gtk_window_destroy(GTK_WINDOW(f->window));
  g_object_unref(f->selection);
}

static void
test_panes(void)
{
  guint n;
  const RegardViewInfo *panes = regard_measure_panes(&n);

  g_assert_cmpuint(n, >=, 1);
  for (guint i = 0; i < n; i++) {
    g_assert_true(g_type_is_a(panes[i].get_type(), REGARD_TYPE_VIEW));
    g_assert_cmpint(strlen(panes[i].title), >, 0);
    for (guint j = 0; j < i; j++)
      g_assert_cmpstr(panes[i].id, !=, panes[j].id);
  }
}

/* By action and by keys, to the last and back to the first; only the one that is seen is built. */
static void
test_switcher(void)
{
  Fixture f;
  guint n;
  const RegardViewInfo *panes = regard_measure_panes(&n);

  open_page(&f);
  for (guint i = 0; i < n; i++) {
    g_autofree char *pane = NULL;

    g_object_get(f.view, "pane", &pane, NULL);
    g_assert_cmpstr(pane, ==, panes[i].id);
    g_assert_true(regard_view_handle_key(f.view, GDK_KEY_Page_Down, GDK_CONTROL_MASK));
  }
  for (guint i = 0; i < n; i++)
    g_assert_true(regard_view_handle_key(f.view, GDK_KEY_Page_Up, GDK_CONTROL_MASK));
  for (guint i = n; i-- > 0;) {
    g_autofree char *pane = NULL;

    g_assert_true(gtk_widget_activate_action(GTK_WIDGET(f.view), "measure.pane", "s", panes[i].id));
    g_object_get(f.view, "pane", &pane, NULL);
    g_assert_cmpstr(pane, ==, panes[i].id);
  }
  /* What is no pane changes nothing. */
  g_object_set(f.view, "pane", "nothing", NULL);
  g_autofree char *pane = NULL;
  g_object_get(f.view, "pane", &pane, NULL);
  g_assert_cmpstr(pane, ==, panes[0].id);
  close_page(&f);
}

static guint
n_choices(Fixture *f)
{
  guint n;

  regard_view_get_export_choices(f->view, &n);
  return n;
}

static RegardMatrix *
shown(Fixture *f)
{
  g_autoptr(RegardFigure) figure = regard_view_create_figure(f->view, "corpus-heads");

  return regard_matrix_ref(regard_figure_matrix(figure, 0));
}

/* Without a corpus it says so; with one there are all heads, in the order that is asked for; with
 * another, or none, nothing of the one before is left. */
static void
test_heads(void)
{
  Fixture f;
  g_autoptr(RegardCorpus) corpus = corpus_test_new();

  open_page(&f);
  g_assert_cmpuint(n_choices(&f), ==, 0);
  regard_selection_set_corpus(f.selection, NULL, "x.regard-corpus is no corpus file.");
  regard_selection_set_corpus(f.selection, corpus, NULL);
  g_assert_cmpuint(n_choices(&f), ==, 2);
  GtkWidget *table = find(GTK_WIDGET(f.view), GTK_TYPE_COLUMN_VIEW);
  GtkSelectionModel *model = gtk_column_view_get_model(GTK_COLUMN_VIEW(table));
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(model)), ==, 12);

  /* By confidence, which is what the fourth column is of at first, and back. */
  GListModel *columns = gtk_column_view_get_columns(GTK_COLUMN_VIEW(table));
  g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, 3);
  gtk_column_view_sort_by_column(GTK_COLUMN_VIEW(table), column, GTK_SORT_DESCENDING);
  g_autoptr(RegardMatrix) falling = shown(&f);
  g_assert_cmpstr(falling->row_labels[0].text, ==, "decoder 2.2");
  gtk_column_view_sort_by_column(GTK_COLUMN_VIEW(table), column, GTK_SORT_ASCENDING);
  g_autoptr(RegardMatrix) rising = shown(&f);
  g_assert_cmpstr(rising->row_labels[0].text, ==, "encoder 1.1");

  /* The head that is looked at elsewhere is the selected row, and the other way round. */
  regard_selection_set_place(f.selection, MT_CROSS, 1, 0);
  g_assert_cmpuint(gtk_single_selection_get_selected(GTK_SINGLE_SELECTION(model)), ==, 6);
  gtk_single_selection_set_selected(GTK_SINGLE_SELECTION(model), 1);
  g_assert_cmpint(regard_selection_get_kind(f.selection), ==, MT_ENCODER_SELF);
  g_assert_cmpuint(regard_selection_get_head(f.selection), ==, 1);
  g_autofree char *name = regard_view_name_choice(f.view, "corpus-map");
  g_assert_cmpstr(name, ==, "map-encoder");

  /* Distances are to it: the nearest is itself, heads of other kinds come last. */
  g_autoptr(GtkColumnViewColumn) far =
      g_list_model_get_item(columns, g_list_model_get_n_items(columns) - 1);
  gtk_column_view_sort_by_column(GTK_COLUMN_VIEW(table), far, GTK_SORT_ASCENDING);
  g_autoptr(RegardMatrix) near = shown(&f);
  g_assert_cmpstr(near->row_labels[0].text, ==, "encoder 1.2");
  g_assert_cmpstr(near->row_labels[3].text, ==, "encoder 2.2");

  GtkWidget *entry = find(GTK_WIDGET(f.view), GTK_TYPE_SEARCH_ENTRY);
  gtk_editable_set_text(GTK_EDITABLE(entry), "cross 1.*");
  g_signal_emit_by_name(entry, "search-changed"); /* without its delay */
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(model)), ==, 2);
  gtk_editable_insert_text(GTK_EDITABLE(entry), " nothing", -1, &(int){9}); /* no such word */
  g_signal_emit_by_name(entry, "search-changed");
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(model)), ==, 2);

  regard_selection_set_corpus(f.selection, NULL, NULL);
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(model)), ==, 0);
  g_assert_cmpuint(n_choices(&f), ==, 0);
  close_page(&f);
}

/* Never reached: there is no model. */
static guint n_asked;

static RegardQuality *
measure(const RegardQualityShares *wanted, GError **error)
{
  n_asked++;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "asked");
  return NULL;
}

static GtkWidget *
find_button(GtkWidget *widget, const char *label)
{
  if (GTK_IS_BUTTON(widget) && g_strcmp0(gtk_button_get_label(GTK_BUTTON(widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkWidget *found = find_button(child, label);

    if (found)
      return found;
  }
  return NULL;
}

static void
test_quality(void)
{
  Fixture f;
  guint n;
  const RegardViewInfo *panes = regard_measure_panes(&n);
  GtkWidget *pane = NULL;

  open_page(&f);
  regard_selection_set_quality_func(f.selection, measure);
  g_object_set(f.view, "pane", "quality", NULL);
  for (guint i = 0; i < n; i++)
    if (g_str_equal(panes[i].id, "quality"))
      pane = find(GTK_WIDGET(f.view), panes[i].get_type());
  GtkWidget *start = find_button(pane, "Translate and Score");
  g_assert_false(gtk_widget_get_sensitive(start));
  gtk_widget_activate_action(pane, "quality.text", "s", "/nowhere/a.en");
  gtk_widget_activate_action(pane, "quality.references", "s", "/nowhere/a.de");
  g_assert_true(gtk_widget_get_sensitive(start));
  g_assert_nonnull(find_button(pane, "a.de"));

  /* There is no model: that is said, and nothing is asked. */
  g_signal_emit_by_name(start, "clicked");
  while (!gtk_widget_get_visible(start))
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpuint(n_asked, ==, 0);
  g_assert_cmpuint(n_choices(&f), ==, 0);
  close_page(&f);
}

TESTS(.begin = gtk_init_check)
{
  g_test_add_func("/view-measure/panes", test_panes);
  g_test_add_func("/view-measure/switcher", test_switcher);
  g_test_add_func("/view-measure/heads", test_heads);
  g_test_add_func("/view-measure/quality", test_quality);
}
