/* test-view-leaving.c — pages that are left, and whose text is cleared or is another one, while
 * they compute: what they were asked for is what their numbers are of, or there are none.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "formats/regard-export.h"
#include "steps-test.h"
#include "views/measure/regard-pane-alignment-private.h"
#include "views/regard-view.h"
#include "widget-find.h"
#include "widget-test.h"
#include "widgets/regard-order-card.h"

#include <string.h>

#define DOGS "I have two dogs."

typedef struct {
  const char *view, *pane; /* pane NULL: the view has none */
  guint n_pictures;        /* Ctrl+Page Down so often */
  guint delay;             /* ms until it computes */
  const char *choice; /* that is there when all is; NULL: its numbers differ from time to time */
} Page;

static const Page pages[] = {
    {"inside", NULL, 0, 0, "inside"},
    {"layers", NULL, 0, 0, "layers-lens"},
    {"layers", NULL, 3, 0, "layers-lens"},
    {"layers", NULL, 6, 0, "layers-graph"},
    {"layers", NULL, 7, 0, "layers-lens"},
    {"layers", NULL, 8, 0, NULL},
    {"steps", NULL, 0, 0, "tree"},
    {"positions", NULL, 0, 0, NULL},
    {"heads", NULL, 0, 0, "heads-table"},
    {"measure", "alignment", 0, 0, "links"},
    {"measure", "attributions", 0, 300, "bench"},
};

typedef struct {
  StepsTest models[2];
  RegardPass *dogs, *cats, *other; /* other: of another model */
  RegardSelection *selection;
  GtkWidget *window, *stack;
} Fixture;

static RegardPass *
make_pass(const StepsTest *t, const char *text)
{
  const mt_search_params params = steps_test_params(t, 3);
  mt_error error = {0};
  mt_translation *translation = mt_session_translate(t->session, text, &params, NULL, &error);

  g_assert_nonnull(translation);
  mt_capture *capture = mt_model_capture(t->model, translation, 0, 0, NULL, &error);
  g_assert_nonnull(capture);
  RegardPass *pass = regard_pass_new(capture, t->model, translation, 0);
  mt_capture_unref(capture);
  mt_translation_unref(translation);
  return pass;
}

static void
set_up(Fixture *f, gconstpointer data)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);

  steps_test_open(&f->models[0], "checkpoints/post-norm-relu");
  steps_test_open(&f->models[1], "checkpoints/odd-sizes-swish");
  f->dogs = make_pass(&f->models[0], DOGS);
  f->cats = make_pass(&f->models[0], "The cats are here and there.");
  f->other = make_pass(&f->models[1], "A cat.");
  f->selection = regard_selection_new();
  f->stack = gtk_stack_new();
  for (guint i = 0; i < n; i++) {
    RegardView *view = g_object_new(views[i].get_type(), NULL);

    gtk_stack_add_named(GTK_STACK(f->stack), GTK_WIDGET(view), views[i].id);
    regard_view_set_selection(view, f->selection);
  }
  gtk_stack_set_visible_child_name(GTK_STACK(f->stack), "attention");
  f->window = show_in_window(f->stack);
}

static void
tear_down(Fixture *f, gconstpointer data)
{
  gtk_window_destroy(GTK_WINDOW(f->window));
  g_object_unref(f->selection);
  regard_pass_unref(f->dogs);
  regard_pass_unref(f->cats);
  regard_pass_unref(f->other);
  for (guint i = 0; i < G_N_ELEMENTS(f->models); i++)
    steps_test_close(&f->models[i]);
}

/* pass NULL: nothing, as when the text is cleared. At once: what is under way ends later. */
static void
look_at(Fixture *f, RegardPass *pass)
{
  if (pass)
    regard_selection_show(f->selection, pass->capture, pass->model, pass->translation,
                          pass->hypothesis);
  else
    regard_selection_set_capture(f->selection, NULL);
}

static RegardView *
open_page(Fixture *f, const Page *page)
{
  GtkWidget *view = gtk_stack_get_child_by_name(GTK_STACK(f->stack), page->view);

  gtk_stack_set_visible_child(GTK_STACK(f->stack), view);
  g_assert_true(gtk_widget_get_mapped(view));
  if (page->pane)
    g_object_set(view, "pane", page->pane, NULL);
  return REGARD_VIEW(view);
}

static void
close_page(Fixture *f)
{
  gtk_stack_set_visible_child_name(GTK_STACK(f->stack), "attention");
}

static gboolean
has_elapsed(gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

static void
run_for(guint milliseconds)
{
  gboolean is_over = FALSE;

  g_timeout_add(milliseconds, has_elapsed, &is_over);
  while (!is_over)
    g_main_context_iteration(NULL, TRUE);
}

static gboolean
is_offered(RegardView *view, const char *choice)
{
  guint n;
  const RegardPicture *choices = regard_view_get_export_choices(view, &n);

  for (guint i = 0; i < n; i++)
    if (g_str_equal(choices[i].id, choice))
      return TRUE;
  return FALSE;
}

/* Keys go from one to the next once there is something; it stays chosen. */
static void
choose_picture(Fixture *f, const Page *page)
{
  RegardView *view = open_page(f, page);

  if (!g_str_equal(page->view, "layers"))
    return;
  while (!is_offered(view, "layers-norm"))
    run_for(2);
  for (guint i = 0; i < 10; i++)
    regard_view_handle_key(view, GDK_KEY_Page_Up, GDK_CONTROL_MASK);
  for (guint i = 0; i < page->n_pictures; i++)
    regard_view_handle_key(view, GDK_KEY_Page_Down, GDK_CONTROL_MASK);
}

/* All numbers of a picture; NULL: it is not there. */
static char *
write_numbers(RegardView *view, const char *choice)
{
  const RegardExportOptions options = REGARD_EXPORT_OPTIONS_INIT;
  g_autoptr(RegardFigure) figure =
      is_offered(view, choice) ? regard_view_create_figure(view, choice) : NULL;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(GError) error = NULL;

  if (!figure)
    return NULL;
  bytes = regard_export_format_find("json")->render(figure, &options, &error);
  g_assert_no_error(error);
  return g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

/* Until these are the numbers of the page; NULL: until there are any. */
static char *
wait_for_numbers(RegardView *view, const Page *page, const char *wanted)
{
  g_autofree char *found = NULL;
  const gint64 end = g_get_monotonic_time() + 20 * G_USEC_PER_SEC;

  while (!found || (wanted && !g_str_equal(found, wanted))) {
    if (g_get_monotonic_time() > end)
      g_error("%s %s %u: these numbers do not come:\n%s\nbut\n%s", page->view,
              page->pane ? page->pane : "", page->n_pictures, wanted, found);
    run_for(2);
    g_free(found);
    found = write_numbers(view, page->choice);
  }
  return g_steal_pointer(&found);
}

static char *
numbers_of(Fixture *f, const Page *page, RegardPass *pass)
{
  look_at(f, pass);
  choose_picture(f, page);
  char *numbers = page->choice ? wait_for_numbers(open_page(f, page), page, NULL) : NULL;
  close_page(f);
  look_at(f, NULL);
  return numbers;
}

/* The text is cleared: nothing is left of it, and the next one is shown as ever. */
static void
test_cleared(Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
    const Page *page = &pages[i];
    g_autofree char *cats = page->delay ? NULL : numbers_of(f, page, f->cats), *again = NULL;

    look_at(f, f->dogs);
    open_page(f, page);
    run_for(page->delay);
    close_page(f);
    look_at(f, NULL);
    run_for(8);
    RegardView *view = open_page(f, page);
    run_for(5);
    if (page->choice)
      g_assert_false(is_offered(view, page->choice));
    look_at(f, f->cats);
    if (page->choice && !page->delay)
      again = wait_for_numbers(view, page, cats);
    close_page(f);
    look_at(f, NULL);
  }
}

/* What came while nobody looked is not taken for what is looked at now. */
static void
leave_for(Fixture *f, RegardPass *next)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
    const Page *page = &pages[i];
    g_autofree char *wanted = NULL, *again = NULL;

    if (page->delay && next == f->cats)
      continue; /* once is enough to wait for it */
    wanted = numbers_of(f, page, next);

    look_at(f, f->dogs);
    open_page(f, page);
    run_for(page->delay);
    close_page(f);
    look_at(f, next);
    run_for(8);
    RegardView *view = open_page(f, page);
    if (page->choice)
      again = wait_for_numbers(view, page, wanted);
    /* … nor when the page stayed. */
    look_at(f, f->dogs);
    look_at(f, next);
    g_free(again);
    again = page->choice && !page->delay ? wait_for_numbers(view, page, wanted) : NULL;
    close_page(f);
    look_at(f, NULL);
  }
}

static void
test_other_text(Fixture *f, gconstpointer data)
{
  leave_for(f, f->cats);
}

static void
test_other_model(Fixture *f, gconstpointer data)
{
  leave_for(f, f->other);
}

/* Until the alignment of a text is there, what is shown is of the one before, with its model. */
static void
test_alignment_between(Fixture *f, gconstpointer data)
{
  const Page page = {"measure", "alignment", 0, 0, "links"};

  look_at(f, f->dogs);
  RegardView *view = open_page(f, &page);
  g_autofree char *before = wait_for_numbers(view, &page, NULL);
  g_assert_nonnull(strstr(before, mt_model_name(f->dogs->model)));
  look_at(f, f->other);
  regard_pane_alignment_show(
      REGARD_PANE_ALIGNMENT(find(GTK_WIDGET(view), REGARD_TYPE_PANE_ALIGNMENT))); /* anew */
  g_autofree char *between = write_numbers(view, "links");
  g_assert_true(!between || strstr(between, mt_model_name(f->dogs->model)));
}

/* A model is large: nothing of it stays on a page that is not looked at when another one comes. */
static void
test_forgotten_model(Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
    const Page *page = &pages[i];
    GtkWidget *view = gtk_stack_get_child_by_name(GTK_STACK(f->stack), page->view);

    if (!page->choice || g_str_equal(page->view, "heads")) /* of the capture alone */
      continue;
    look_at(f, f->dogs);
    choose_picture(f, page);
    g_free(wait_for_numbers(REGARD_VIEW(view), page, NULL));
    close_page(f);
    look_at(f, f->cats);
    g_assert_true(is_offered(REGARD_VIEW(view), page->choice));
    look_at(f, f->other);
    g_assert_false(is_offered(REGARD_VIEW(view), page->choice));
    look_at(f, NULL);
  }
}

/* As the window does: without anything to export there is another page. */
static void
on_choices(Fixture *f, RegardView *view)
{
  guint n;

  regard_view_get_export_choices(view, &n);
  if (n == 0)
    close_page(f);
}

/* A page that is taken away while it comes up wants nothing any more. */
static void
test_taken_away(Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
    GtkWidget *view = gtk_stack_get_child_by_name(GTK_STACK(f->stack), pages[i].view);
    gulong id;

    g_free(numbers_of(f, &pages[i], f->cats));
    id = g_signal_connect_swapped(view, "choices-changed", G_CALLBACK(on_choices), f);
    look_at(f, f->dogs);
    look_at(f, NULL);
    gtk_stack_set_visible_child(GTK_STACK(f->stack), view);
    close_page(f);
    g_signal_handler_disconnect(view, id);
    g_assert_false(regard_selection_get_wants_pair(f->selection));
    g_assert_false(regard_selection_get_wants_steps(f->selection));
  }
}

static gboolean
is_ordered(RegardOrderCard *card)
{
  return regard_order_card_get_order(card) != NULL;
}

/* Two tokens in each other's place are not said to be the sentence backwards. */
static void
test_order(Fixture *f, gconstpointer data)
{
  GtkWidget *card = regard_order_card_new();

  gtk_stack_add_named(GTK_STACK(f->stack), card, "order");
  look_at(f, f->dogs);
  regard_order_card_set_selection(REGARD_ORDER_CARD(card), f->selection);
  gtk_stack_set_visible_child(GTK_STACK(f->stack), card);
  while (!is_ordered(REGARD_ORDER_CARD(card)))
    g_main_context_iteration(NULL, TRUE);
  g_autofree char *backwards = g_strdup(regard_order_card_get_order(REGARD_ORDER_CARD(card))->text);
  close_page(f);
  gtk_stack_set_visible_child(GTK_STACK(f->stack), card); /* measures again */
  close_page(f);
  regard_order_card_set_exchange(REGARD_ORDER_CARD(card), 0, 1);
  run_for(50);
  g_assert_false(is_ordered(REGARD_ORDER_CARD(card)));
  gtk_stack_set_visible_child(GTK_STACK(f->stack), card);
  look_at(f, NULL);
  run_for(50);
  g_assert_false(is_ordered(REGARD_ORDER_CARD(card)));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (!gtk_init_check()) {
    g_print("1..0 # SKIP no display\n");
    return 0;
  }
#define ADD(name, function) \
  g_test_add("/view-leaving/" name, Fixture, NULL, set_up, function, tear_down)
  ADD("cleared", test_cleared);
  ADD("other-text", test_other_text);
  ADD("other-model", test_other_model);
  ADD("alignment-between", test_alignment_between);
  ADD("forgotten-model", test_forgotten_model);
  ADD("taken-away", test_taken_away);
  ADD("order", test_order);
  return g_test_run();
}
