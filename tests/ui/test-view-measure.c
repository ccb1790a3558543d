/* test-view-measure.c — the page Measure: its panes and what they say through it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/measure/regard-measure-pane.h"
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
    g_assert_true(g_type_is_a(panes[i].get_type(), REGARD_TYPE_MEASURE_PANE));
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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (!gtk_init_check()) {
    g_print("1..0 # SKIP no display\n");
    return 0;
  }
  g_test_add_func("/view-measure/panes", test_panes);
  g_test_add_func("/view-measure/switcher", test_switcher);
  return g_test_run();
}
