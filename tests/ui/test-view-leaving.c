/* test-view-leaving.c — pages that are left, and whose text is cleared or is another one, while
 * they compute: what they were asked for is what their numbers are of, or there are none.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus-test.h"
#include "figures/regard-figure-tree.h"
#include "figures/regard-layers.h"
#include "formats/regard-export.h"
#include "steps-test.h"
#include "suite.h"
#include "views/regard-view.h"
#include "widget-find.h"
#include "widget-test.h"
#include "widgets/regard-head-ablation.h"
#include "widgets/regard-live-attribution.h"
#include "widgets/regard-permutation-card.h"
#include "widgets/regard-recipe-bar.h"
#include "widgets/regard-source-contribution.h"

#include <string.h>

#define DOGS "I have two dogs."

typedef struct {
  const char *view, *pane; /* pane NULL: the view has none */
  guint n_pictures;        /* Ctrl+Page Down so often */
  guint delay;             /* ms until it computes */
  const char *choice; /* that is there when all is; NULL: its numbers differ from time to time */
  void (*begin)(GtkWidget *view); /* what a person does there so that it computes; NULL: nothing */
} Page;

static void begin_attention(GtkWidget *view);
static void begin_card(GtkWidget *view);
static void begin_graph(GtkWidget *view);
static void begin_times(GtkWidget *view);
static void begin_decided(GtkWidget *view);
static void begin_path(GtkWidget *view);
static void begin_rivals(GtkWidget *view);
static void begin_gold(GtkWidget *view);
static void begin_corpus(GtkWidget *view);
static void begin_quality(GtkWidget *view);

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

/* What more the pages compute; some of it goes on when they are left. */
static const Page further[] = {
    {"attention", NULL, 0, 200, NULL, begin_attention},
    {"layers", NULL, 0, 1, NULL, begin_card},
    {"layers", NULL, 0, 1, NULL, begin_graph},
    {"layers", NULL, 0, 1, NULL, begin_times},
    {"layers", NULL, 0, 200, NULL, begin_decided},
    {"steps", NULL, 0, 200, NULL, begin_rivals},
    {"steps", NULL, 0, 70, NULL, begin_path},
    {"measure", "alignment", 0, 5, NULL, begin_gold},
    {"measure", "heads", 0, 1, NULL, begin_corpus},
    {"measure", "quality", 0, 5, NULL, begin_quality},
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
  mt_capture *capture = mt_session_capture(t->session, translation, 0, 0, NULL, &error);
  g_assert_nonnull(capture);
  RegardPass *pass = regard_pass_new(capture, t->model, translation, 0);
  mt_capture_unref(capture);
  mt_translation_unref(translation);
  return pass;
}

/* As the program measures: until it is told to stop. */
static RegardQuality *
measure(const RegardQualityShares *wanted, GError **error)
{
  while (!wanted->should_stop(wanted->stop))
    g_usleep(200);
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "stopped");
  return NULL;
}

static void
open_window(Fixture *f)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);

  f->selection = regard_selection_new();
  regard_selection_set_quality_func(f->selection, measure);
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
close_window(Fixture *f)
{
  gtk_window_destroy(GTK_WINDOW(f->window));
  g_clear_object(&f->selection);
}

static void
set_up(Fixture *f, gconstpointer data)
{
  steps_test_open(&f->models[0], "checkpoints/post-norm-relu");
  steps_test_open(&f->models[1], "checkpoints/odd-sizes-swish");
  f->dogs = make_pass(&f->models[0], DOGS);
  f->cats = make_pass(&f->models[0], "The cats are here and there.");
  f->other = make_pass(&f->models[1], "A cat.");
  open_window(f);
}

static void
tear_down(Fixture *f, gconstpointer data)
{
  close_window(f);
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
  regard_selection_show_pass(f->selection, pass);
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
  const gint64 end = g_get_monotonic_time() + 180 * G_USEC_PER_SEC;

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
  g_signal_emit_by_name(find(GTK_WIDGET(view), REGARD_TYPE_RECIPE_BAR), "changed"); /* anew */
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

/* ---- What more pages compute ------------------------------------------------------------------
 */

static RegardSelection *
selection_of(GtkWidget *view)
{
  return regard_view_get_selection(REGARD_VIEW(view));
}

/* Attributions in the place of weights, effects of heads, and where words come from. */
static void
ask_of_attention(RegardSelection *s, gboolean is_on)
{
  regard_work_set_seen(regard_live_attribution_get_work(regard_live_attribution_of(s)), is_on);
  regard_live_attribution_set_method(regard_live_attribution_of(s), is_on ? 0 : -1);
  regard_head_ablation_set_with(regard_selection_get_head_ablation(s),
                                is_on ? (int) MT_ABLATION_ZERO : -1);
  g_object_set(regard_source_contribution_of(s), "on", is_on, NULL);
}

static void
begin_attention(GtkWidget *view)
{
  ask_of_attention(selection_of(view), TRUE);
}

/* Another of the pictures that the page has, once the numbers of the stream are there. */
static void
show_picture(GtkWidget *view, guint picture)
{
  const Page page = {"layers", NULL, picture, 0, NULL, NULL};

  while (!is_offered(REGARD_VIEW(view), "layers-norm"))
    run_for(1);
  for (guint i = 0; i < 10; i++)
    regard_view_handle_key(REGARD_VIEW(view), GDK_KEY_Page_Up, GDK_CONTROL_MASK);
  for (guint i = 0; i < page.n_pictures; i++)
    regard_view_handle_key(REGARD_VIEW(view), GDK_KEY_Page_Down, GDK_CONTROL_MASK);
}

/* The card of a token that was clicked. */
static void
begin_card(GtkWidget *view)
{
  GtkWidget *area = find(view, REGARD_TYPE_FIGURE_AREA);

  show_picture(view, 1);
  g_assert_true(regard_figure_area_point_at(REGARD_FIGURE_AREA(area),
                                            2 * REGARD_LAYERS_SPOT_CELL + MT_STACK_DECODER, 1, 1));
  regard_view_handle_key(REGARD_VIEW(view), GDK_KEY_Return, 0);
}

/* Where words are decided; of two runs that are the same. */
static void
begin_decided(GtkWidget *view)
{
  RegardSelection *s = selection_of(view);

  show_picture(view, 9);
  regard_selection_set_pair(s, regard_selection_get_pass(s), regard_selection_get_pass(s));
}

/* What layers gave to each other, and how long they take. */
static void
begin_graph(GtkWidget *view)
{
  show_picture(view, 6);
}

static void
begin_times(GtkWidget *view)
{
  show_picture(view, 8);
}

static gboolean
is_tree(GtkWidget *widget)
{
  char *differs =
      gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                         "All hypotheses of the search", -1);
  const gboolean is = REGARD_IS_FIGURE_AREA(widget) && !differs;

  g_free(differs);
  return is;
}

static GtkWidget *
find_below(GtkWidget *root, gboolean (*is_it)(GtkWidget *widget))
{
  GtkWidget *found = is_it(root) ? root : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child(root); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_below(child, is_it);
  return found;
}

static gboolean
is_matrix_check(GtkWidget *widget)
{
  return GTK_IS_CHECK_BUTTON(widget) &&
         g_strcmp0(gtk_check_button_get_label(GTK_CHECK_BUTTON(widget)), "_Matrix") == 0;
}

/* A hypothesis that died is pointed at. */
static void
begin_path(GtkWidget *view)
{
  const RegardSteps *steps = regard_selection_get_steps(selection_of(view));
  int node = 0;

  while (node == steps->nodes[0] || steps->steps->nodes[(gsize) node].step > 0)
    node++;
  gtk_check_button_set_active(GTK_CHECK_BUTTON(find_below(view, is_matrix_check)), TRUE);
  g_assert_true(regard_figure_area_point_at(REGARD_FIGURE_AREA(find_below(view, is_tree)),
                                            REGARD_TREE_SPOT_NODE, 0, node));
}

/* Heads that speak for a token, another search, and a word that is no candidate. */
static void
begin_rivals(GtkWidget *view)
{
  regard_view_handle_key(REGARD_VIEW(view), GDK_KEY_Right, 0);
  for (GtkWidget *w = gtk_widget_get_first_child(view); w;) {
    GtkWidget *next = gtk_widget_get_first_child(w);

    if (GTK_IS_TOGGLE_BUTTON(w) || GTK_IS_CHECK_BUTTON(w))
      g_object_set(w, "active", TRUE, NULL);
    else if (GTK_IS_ENTRY(w))
      gtk_editable_set_text(GTK_EDITABLE(w), "cat");
    while (!next && w != view) {
      next = gtk_widget_get_next_sibling(w);
      w = gtk_widget_get_parent(w);
    }
    w = next;
  }
}

static void
begin_gold(GtkWidget *view)
{
  g_autofree char *path =
      g_test_build_filename(G_TEST_DIST, "..", "data", "gold", "en-de.tsv", NULL);

  g_assert_true(
      gtk_widget_activate_action(find(view, REGARD_TYPE_RECIPE_BAR), "alignment.gold", "s", path));
}

/* Sentences in which a head is strongest. */
static void
begin_corpus(GtkWidget *view)
{
  g_autoptr(RegardCorpus) corpus = corpus_test_new();

  regard_selection_set_corpus(selection_of(view), corpus, NULL);
}

static void
begin_quality(GtkWidget *view)
{
  GtkWidget *pane = gtk_stack_get_visible_child(GTK_STACK(find(view, GTK_TYPE_STACK)));

  regard_selection_set_model(selection_of(view),
                             regard_selection_get_pass_model(selection_of(view)));
  gtk_widget_activate_action(pane, "quality.text", "s", "/nowhere/a.en");
  gtk_widget_activate_action(pane, "quality.references", "s", "/nowhere/a.de");
  g_signal_emit_by_name(find_class(pane, "suggested-action"), "clicked");
}

static void
begin_page(Fixture *f, const Page *page)
{
  RegardView *view = open_page(f, page);

  if (page->begin)
    page->begin(GTK_WIDGET(view));
}

/* Until no page and no run has it any more: then nobody will file numbers under it. */
static void
wait_until_let_go(const Page *page, RegardPass *pass)
{
  const gint64 end = g_get_monotonic_time() + 180 * G_USEC_PER_SEC;

  while (!g_atomic_ref_count_compare(&pass->ref_count, 1)) {
    if (g_get_monotonic_time() > end)
      g_error("%s %s: a run goes on, or a page keeps what it was of", page->view,
              page->pane ? page->pane : "");
    run_for(1);
  }
}

/* The window is closed: whatever computes is stopped, and nothing of it comes back. */
static void
close_while_computing(Fixture *f, const Page *page)
{
  look_at(f, f->dogs);
  begin_page(f, page);
  run_for(page->delay);
  close_window(f);
  wait_until_let_go(page, f->dogs);
  open_window(f);
}

static void
test_closed(Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
    close_while_computing(f, &pages[i]);
  for (guint i = 0; i < G_N_ELEMENTS(further); i++)
    close_while_computing(f, &further[i]);
}

/* A text that is cleared, or followed by another model's, keeps no pass of the one before. */
static void
test_further(Fixture *f, gconstpointer data)
{
  RegardPass *const next[] = {NULL, f->other, f->cats};

  for (guint i = 0; i < G_N_ELEMENTS(further) - 2; i++) { /* those two are of files */
    for (guint k = 0; k < G_N_ELEMENTS(next); k++) {
      look_at(f, f->dogs);
      begin_page(f, &further[i]);
      run_for(further[i].delay);
      close_page(f);
      regard_selection_set_no_pair(f->selection, FALSE, NULL);
      look_at(f, next[k]);
      run_for(8);
      if (!next[k])
        wait_until_let_go(&further[i], f->dogs);
      open_page(f, &further[i]);
      run_for(2);
      close_page(f);
      look_at(f, NULL);
      ask_of_attention(f->selection, FALSE);
    }
    close_window(f); /* what was switched on stays so */
    open_window(f);
  }
}

static gboolean
are_of(RegardSelection *s, const RegardPass *pass)
{
  RegardMatrix *shown = regard_live_attribution_get_matrix(regard_live_attribution_of(s));
  const RegardAblation *effects = regard_head_ablation_get(regard_selection_get_head_ablation(s));
  const mt_source_contribution *trust =
      regard_source_contribution_get(regard_source_contribution_of(s));
  const gsize n_output = mt_tokens_count(regard_pass_output(pass));

  if (!shown || regard_live_attribution_is_stale(regard_live_attribution_of(s)) || !effects ||
      !trust)
    return FALSE;
  g_assert_cmpuint(trust->n_target, ==, n_output);
  g_assert_cmpuint(shown->rows, ==, n_output);
  g_assert_cmpuint(effects->n_tokens, ==, n_output);
  return TRUE;
}

/* Numbers that are shown beside attention are of the text that is there when they come. */
static void
test_beside_attention(Fixture *f, gconstpointer data)
{
  RegardPass *const next[] = {f->cats, f->other};

  begin_page(f, &further[0]);
  for (guint i = 0; i < G_N_ELEMENTS(next); i++) {
    look_at(f, f->dogs);
    run_for(further[0].delay);
    look_at(f, next[i]);
    while (!are_of(f->selection, next[i]))
      run_for(2);
  }
  look_at(f, f->dogs);
  run_for(further[0].delay);
  look_at(f, NULL);
  wait_until_let_go(&further[0], f->dogs);
  g_assert_null(regard_live_attribution_get_matrix(regard_live_attribution_of(f->selection)));
  g_assert_null(regard_head_ablation_get(regard_selection_get_head_ablation(f->selection)));
  g_assert_null(regard_source_contribution_get(regard_source_contribution_of(f->selection)));
}

static gboolean
is_ordered(RegardPermutationCard *card)
{
  return regard_permutation_card_get_order(card) != NULL;
}

/* Two tokens in each other's place are not said to be the sentence backwards. */
static void
test_order(Fixture *f, gconstpointer data)
{
  GtkWidget *card = regard_permutation_card_new();

  gtk_stack_add_named(GTK_STACK(f->stack), card, "order");
  look_at(f, f->dogs);
  regard_permutation_card_set_selection(REGARD_PERMUTATION_CARD(card), f->selection);
  gtk_stack_set_visible_child(GTK_STACK(f->stack), card);
  while (!is_ordered(REGARD_PERMUTATION_CARD(card)))
    g_main_context_iteration(NULL, TRUE);
  g_autofree char *backwards =
      g_strdup(regard_permutation_card_get_order(REGARD_PERMUTATION_CARD(card))->text);
  close_page(f);
  gtk_stack_set_visible_child(GTK_STACK(f->stack), card); /* measures again */
  close_page(f);
  regard_permutation_card_set_exchange(REGARD_PERMUTATION_CARD(card), 0, 1);
  run_for(50);
  g_assert_false(is_ordered(REGARD_PERMUTATION_CARD(card)));
  gtk_stack_set_visible_child(GTK_STACK(f->stack), card);
  look_at(f, NULL);
  run_for(50);
  g_assert_false(is_ordered(REGARD_PERMUTATION_CARD(card)));
}

TESTS(.begin = gtk_init_check)
{
#define ADD(name, function) \
  g_test_add("/view-leaving/" name, Fixture, NULL, set_up, function, tear_down)
  ADD("cleared", test_cleared);
  ADD("other-text", test_other_text);
  ADD("other-model", test_other_model);
  ADD("alignment-between", test_alignment_between);
  ADD("forgotten-model", test_forgotten_model);
  ADD("taken-away", test_taken_away);
  ADD("closed", test_closed);
  ADD("further", test_further);
  ADD("beside-attention", test_beside_attention);
  ADD("order", test_order);
}
