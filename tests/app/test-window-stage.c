/* test-window-stage.c — the window as the stage of lessons: every name of the lists is found in it,
 * what waits is shown when it can be, the ring is where the place is, and a view as directives
 * leads back to it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-spotlight.h"
#include "suite.h"
#include "window-test.h"

#include <string.h>

#define DOGS "I have two dogs."

/* ---- Directives -------------------------------------------------------------------------------
 */

/* A lesson of one step with these lines. */
static RegardLesson *
lesson_of(const char *lines)
{
  mt_error error = {0};
  g_autofree char *text = g_strdup_printf("---\nregard-lesson: 1\nid: stage\ntitle: Stage\n"
                                          "minutes: 1\nmodel: any\n---\n\n## One\n\nWords.\n\n"
                                          "```regard\n%s\n```\n",
                                          lines);
  RegardLesson *lesson = regard_lesson_parse("stage", text, strlen(text), &error);
  g_assert_cmpstr(error.message, ==, "");
  return lesson;
}

static const GPtrArray *
directives_of(const RegardLesson *lesson)
{
  return ((RegardLessonStep *) lesson->steps->pdata[0])->directives;
}

/* As who runs a lesson does it. Returns the first error; NULL: there was none. */
static GError *
perform(WindowTest *t, const char *lines)
{
  g_autoptr(RegardLesson) lesson = lesson_of(lines);
  const GPtrArray *all = directives_of(lesson);
  GError *error = NULL;
  for (guint i = 0; i < all->len && !error; i++) {
    const RegardDirective *d = all->pdata[i];
    if (d->type == REGARD_DIRECTIVE_TEXT)
      regard_document_set_text(t->document, d->text);
    else if (d->type != REGARD_DIRECTIVE_CHANGE)
      regard_stage_show(REGARD_STAGE(t->window), d, &error);
    else if (mt_interventions_count(d->interventions) == 0)
      regard_document_set_interventions(t->document, NULL);
    else
      regard_document_edit_interventions(t->document, mt_interventions_text(d->interventions),
                                         REGARD_INTERVENTION_MAKE, &error);
  }
  return error;
}

/* Until pictures that are computed have come, and have their room. */
static void
settle(WindowTest *t)
{
  window_test_settle(t);
  app_test_run_for(20);
  window_test_settle(t);
}

static void
show(WindowTest *t, const char *lines)
{
  g_autoptr(GError) error = perform(t, lines);
  g_assert_no_error(error);
  settle(t);
}

static void
assert_refused(WindowTest *t, const char *lines, const char *words)
{
  g_autoptr(GError) error = perform(t, lines);
  g_assert_nonnull(error);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, words));
}

static gboolean
locate(WindowTest *t, const char *target, graphene_rect_t *bounds)
{
  g_autofree char *line = g_strconcat("point ", target, NULL);
  g_autoptr(RegardLesson) lesson = lesson_of(line);
  return regard_stage_locate(REGARD_STAGE(t->window), directives_of(lesson)->pdata[0], bounds);
}

/* As soon as it has its room. */
static gboolean
is_located(RegardStage *stage, const RegardDirective *point, graphene_rect_t *bounds)
{
  return regard_stage_reveal(stage, point) && regard_stage_locate(stage, point, bounds) &&
         bounds->size.width >= 4 && bounds->size.height >= 4;
}

/* It is seen, with a size, within the window, and can be said and gone to. */
static graphene_rect_t
assert_located(WindowTest *t, const char *target)
{
  g_autofree char *line = g_strconcat("point ", target, NULL);
  g_autoptr(RegardLesson) lesson = lesson_of(line);
  const RegardDirective *point = directives_of(lesson)->pdata[0];
  RegardStage *stage = REGARD_STAGE(t->window);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT(0, 0, 0, 0);
  g_test_message("%s", target);
  app_test_until(is_located(stage, point, &bounds));
  const graphene_rect_t window =
      GRAPHENE_RECT_INIT(0, 0, (float) gtk_widget_get_width(GTK_WIDGET(t->window)),
                         (float) gtk_widget_get_height(GTK_WIDGET(t->window)));
  g_assert_true(graphene_rect_contains_rect(&window, &bounds));
  g_autofree char *said = regard_stage_say(stage, point);
  g_assert_cmpuint(strlen(said), >, 2);
  return bounds;
}

static void
assert_focused(WindowTest *t, const char *target)
{
  g_autofree char *line = g_strconcat("point ", target, NULL);
  g_autoptr(RegardLesson) lesson = lesson_of(line);
  g_test_message("%s", target);
  g_assert_true(regard_stage_focus(REGARD_STAGE(t->window), directives_of(lesson)->pdata[0]));
  g_assert_nonnull(gtk_window_get_focus(GTK_WINDOW(t->window)));
}

/* ---- Pages ------------------------------------------------------------------------------------
 */

/* Every page of the list and every part is shown, has a picture, and is told by its name. */
static void
test_pages(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  for (guint i = 0; regard_target_pages[i]; i++) {
    const char *page = regard_target_pages[i];
    g_autofree char *line = g_strconcat("page ", page, NULL);
    if (g_str_equal(page, "positions/distance")) { /* those of the frozen model are absolute */
      assert_refused(t, line, page);
      continue;
    }
    g_autofree char *before = regard_stage_dup_page(REGARD_STAGE(t->window));
    g_autofree char *id = g_strndup(page, strcspn(page, "/"));
    if (!regard_target_is_page(before, id)) {
      assert_located(t, line); /* its tab */
      assert_focused(t, line);
    }
    show(t, line);
    g_autofree char *shown = regard_stage_dup_page(REGARD_STAGE(t->window));
    g_assert_true(regard_target_is_page(shown, page));
    assert_located(t, "matrix");
    graphene_rect_t none;
    g_assert_false(locate(t, line, &none)); /* one is there */
  }
  g_assert_true(regard_target_is_page("positions/bench", "positions"));
  g_assert_false(regard_target_is_page("positions", "positions/bench"));
  g_assert_false(regard_target_is_page("heads", "head"));
  g_assert_false(regard_target_is_page(NULL, "heads"));
}

/* What nobody has seen yet is shown when it can be. */
static void
test_unseen(WindowTest *t, gconstpointer data)
{
  g_assert_null(regard_stage_dup_page(REGARD_STAGE(t->window)));
  show(t, "page layers/cosine\ntext " DOGS);
  g_autofree char *shown = regard_stage_dup_page(REGARD_STAGE(t->window));
  g_assert_cmpstr(shown, ==, "layers/cosine");
}

/* ---- Targets -----------------------------------------------------------------------------------
 */

static gboolean
is_within(const graphene_rect_t *outer, const graphene_rect_t *inner)
{
  return graphene_rect_contains_rect(outer, inner);
}

/* A row for every target of the list but pages and controls, which have lists of their own. */
static void
test_targets(WindowTest *t, gconstpointer data)
{
  static const struct {
    const char *name, *target;
  } cases[] = {
      {"source", "source"},
      {"translation", "translation"},
      {"source-pieces", "source-pieces"},
      {"translation-pieces", "translation-pieces"},
      {"matrix", "matrix"},
      {"changes", "changes"},
      {"received", "received"},
      {"heads", "heads"},
      {"heads", "heads cross"},
      {"head", "head cross 4.1"},
      {"row", "row 3"},
      {"row", "row \"end\""},
      {"column", "column \"two\""},
      {"column", "column 1"},
      {"cell", "cell 3 \"two\""},
      {"page", "page steps"},
      {"control", "control effects"},
  };
  window_test_translate(t, DOGS);
  show(t, "page attention\nhead cross 4.1\npanes heads details received");
  for (const RegardTargetName *target = regard_targets; target->name; target++) {
    guint n = 0;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
      n += g_str_equal(cases[i].name, target->name);
    g_assert_cmpuint(n, >, 0);
  }
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    assert_located(t, cases[i].target);
    assert_focused(t, cases[i].target);
  }

  /* One in another. */
  const graphene_rect_t matrix = assert_located(t, "matrix"), row = assert_located(t, "row 3"),
                        column = assert_located(t, "column \"two\""),
                        cell = assert_located(t, "cell 3 \"two\""),
                        heads = assert_located(t, "heads"),
                        cross = assert_located(t, "heads cross"),
                        head = assert_located(t, "head cross 4.1");
  g_assert_true(is_within(&matrix, &row) && is_within(&matrix, &column));
  g_assert_true(is_within(&row, &cell) && is_within(&column, &cell));
  g_assert_true(is_within(&heads, &cross) && is_within(&cross, &head));
  graphene_rect_t none;
  g_assert_false(locate(t, "head encoder 9.1", &none));
  g_assert_false(locate(t, "page attention", &none)); /* one is there */
  g_assert_false(locate(t, "row 40", &none));
  g_assert_false(locate(t, "row \"cats\"", &none));

  /* As lines it is labels. */
  show(t, "form lines");
  const graphene_rect_t label = assert_located(t, "row 3"), line = assert_located(t, "cell 3 1");
  g_assert_cmpfloat(label.size.height, <, row.size.height + 20);
  g_assert_true(is_within(&line, &label));
  show(t, "form matrix");

  /* Lines of other pictures. */
  show(t, "page positions/table");
  g_assert_cmpfloat(assert_located(t, "row 1").origin.y, <, assert_located(t, "row 2").origin.y);
  assert_located(t, "row \"two\"");
  show(t, "page layers/added");
  g_assert_cmpfloat(assert_located(t, "row 1").origin.y, <, assert_located(t, "row 2").origin.y);
  g_assert_cmpfloat(assert_located(t, "column 2").origin.x, <,
                    assert_located(t, "column 3").origin.x);
  /* A decoder has three columns for each layer, an encoder two, and one before them: what comes out
   * is told of the decoder, whatever was seen before it. */
  show(t, "page layers/collapse");
  show(t, "page layers/norm");
  g_assert_false(locate(t, "column 14", &none));
  show(t, "page layers/lens");
  assert_located(t, "column 14");
  show(t, "page inside");
  assert_located(t, "row \"two\"");
  assert_located(t, "cell 1 2");
  const graphene_rect_t page = assert_located(t, "matrix");
  show(t, "page inside/weight");
  g_autofree char *step = regard_stage_dup_page(REGARD_STAGE(t->window));
  g_assert_cmpstr(step, ==, "inside/weight");
  show(t, "page inside/root");
  g_assert_cmpfloat(assert_located(t, "matrix").size.width, <, page.size.width - 100);
  show(t, "page steps/tree");
  assert_located(t, "column 2");
  show(t, "page steps/rows");
  assert_located(t, "row 2");
  g_assert_false(locate(t, "heads", &none)); /* on another page */
}

/* What a target is in a sentence. */
static void
test_said(WindowTest *t, gconstpointer data)
{
  static const struct {
    const char *target, *said;
  } cases[] = {
      {"row 3", "row 3 of the matrix"},
      {"cell \"end\" 2", "row “end”, column 2 of the matrix"},
      {"head cross 4.1", "Cross-attention, layer 4, head 1"},
      {"page positions/bench", "the page Positions"},
      {"control all-off", "the button All Off"},
      {"source", "the source"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *line = g_strconcat("point ", cases[i].target, NULL);
    g_autoptr(RegardLesson) lesson = lesson_of(line);
    g_autofree char *said =
        regard_stage_say(REGARD_STAGE(t->window), directives_of(lesson)->pdata[0]);
    g_assert_cmpstr(said, ==, cases[i].said);
  }
}

/* ---- Controls ----------------------------------------------------------------------------------
 */

/* Where those are seen that Attention does not have. */
static const struct {
  const char *page;
  const char *ids[12];
} controls_of[] = {
    {"inside", {"query", "rows", "inside-step"}},
    {"inside/root", {"root"}},
    {"layers/lens", {"shown", "stack", "lens-colours"}},
    {"layers/graph", {"threshold"}},
    {"layers/embedding", {"neighbours"}},
    {"steps/tree",
     {"step", "steps-switch", "candidates", "curve", "another-word", "compare", "beams",
      "penalty"}},
    {"steps/rows", {"training-beside"}},
    {"positions/bench",
     {"positions-switch", "positions-of", "all-off", "interleaved", "swap", "reset-positions",
      "chips", "order"}},
    {"positions/table", {"n-positions"}},
    {"positions/waves", {"pair"}},
    {"positions/shift", {"shift"}},
    {"heads", {"head-filter"}},
    {"measure", {"measure-panes"}},
};

static const char *
page_of(const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS(controls_of); i++)
    if (g_strv_contains(controls_of[i].ids, id))
      return controls_of[i].page;
  return "attention";
}

/* Every control of the list is found where it is to be seen. */
static void
test_controls(WindowTest *t, gconstpointer data)
{
  const char *page = "";
  /* The model of a training, on its sentence, with a change: then all of them are there. */
  regard_document_learn(t->document);
  settle(t);
  show(t, "change cross 1.1 zero");
  for (guint i = 0; regard_target_controls[i]; i++) {
    const char *id = regard_target_controls[i];
    g_autofree char *target = g_strconcat("control ", id, NULL);
    if (!g_str_equal(page, page_of(id))) {
      page = page_of(id);
      g_autofree char *line = g_strconcat("page ", page, NULL);
      show(t, line);
    }
    if (g_str_equal(id, "beams")) { /* of a search beside it */
      graphene_rect_t none;
      g_assert_false(locate(t, target, &none));
      assert_focused(t, "control compare");
      gtk_widget_activate(gtk_window_get_focus(GTK_WINDOW(t->window)));
      settle(t);
    }
    assert_located(t, target);
  }
  assert_focused(t, "control checkpoint");
}

/* The list says which of them a simple window has. */
static void
test_controls_simple(WindowTest *t, gconstpointer data)
{
  guint n_wrong = 0;
  g_settings_set_boolean(t->settings, "simple", TRUE);
  regard_document_learn(t->document);
  settle(t);
  for (guint i = 0; regard_target_controls[i]; i++) {
    const char *id = regard_target_controls[i];
    g_autofree char *target = g_strconcat("control ", id, NULL);
    g_autofree char *line = g_strconcat("page ", page_of(id), NULL);
    graphene_rect_t place;
    if (g_str_equal(id, "beams") || g_str_equal(id, "penalty"))
      continue; /* of a search beside it, which Compare begins */
    show(t, line);
    settle(t);
    if (locate(t, target, &place) != regard_target_is_in_simple(id)) {
      g_test_message("%s: the list is wrong", id);
      n_wrong++;
    }
  }
  g_assert_cmpuint(n_wrong, ==, 0);
}

/* ---- What is not there, and what is not there yet
 * -------------------------------------------------
 */

static void
test_refused(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  assert_refused(t, "head cross 9.1", "cross 9.1");
  assert_refused(t, "head encoder 1.99", "encoder 1.99");
  assert_refused(t, "cell 99 1", "row 99");
  assert_refused(t, "cell 1 \"cats\"", "“cats”");
  assert_refused(t, "step 99", "99");
  assert_refused(t, "compare difference", "nothing was kept");
  show(t, "page attention\nhead cross 3.2\ncell 2 1\nstep 2\npanes heads\nform lines");
  g_assert_cmpint(regard_selection_get_kind(t->selection), ==, MT_CROSS);
  g_assert_cmpuint(regard_selection_get_layer(t->selection), ==, 2);
  g_assert_cmpuint(regard_selection_get_head(t->selection), ==, 1);
  g_assert_cmpint(regard_selection_get_pin(t->selection).row, ==, 1);
  g_assert_cmpint(regard_selection_get_step(t->selection), ==, 1);
  g_assert_cmpint(regard_selection_get_form(t->selection), ==, REGARD_FORM_LINES);
  g_assert_true(g_settings_get_boolean(t->settings, "show-heads"));
  g_assert_false(g_settings_get_boolean(t->settings, "show-details"));
  show(t, "reference keep\nchange cross 3.2 zero\ncompare difference");
  g_assert_cmpint(regard_document_get_compared(t->document)->side, ==, REGARD_COMPARE_DIFFERENCE);
  g_assert_nonnull(regard_document_get_compared(t->document)->reference);
}

static void
on_lacks(RegardStage *stage, const GError *error, char **message)
{
  g_free(*message);
  *message = g_strdup(error->message);
}

static void
test_waiting(WindowTest *t, gconstpointer data)
{
  static const RegardCell none = {-1, -1};
  g_autofree char *lack = NULL;
  RegardSelection *s = t->selection;
  g_signal_connect(t->window, "lacks", G_CALLBACK(on_lacks), &lack);
  g_autoptr(GError) error = perform(t, "text " DOGS "\nhead cross 2.2\ncell 1 \"two\"\nstep 3");
  g_assert_no_error(error);
  g_assert_null(regard_selection_get_capture(s));
  app_test_until(regard_selection_get_step(s) == 2);
  g_assert_null(lack);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 1);
  const RegardMatrix *m = regard_selection_get_matrix(s);
  g_assert_cmpint(regard_selection_get_pin(s).row, ==, 0);
  g_assert_cmpstr(m->col_labels[regard_selection_get_pin(s).col].text, ==, "▁two");

  /* Who goes elsewhere meanwhile is not called back: to another head, by typing, to another page.
   */
  regard_selection_set_pin(s, none);
  regard_selection_set_step(s, -1);
  static const char *const elsewhere[] = {"head", "text", "page"};
  for (guint i = 0; i < G_N_ELEMENTS(elsewhere); i++) {
    g_autoptr(GError) again =
        perform(t, "page attention\ntext I see a dog.\nhead cross 2.2\ncell 1 1");
    g_assert_no_error(again);
    if (i == 0)
      regard_selection_set_place(s, MT_CROSS, 4, 4);
    else if (i == 1)
      regard_document_edit(t->document, "I see a cat.", 3);
    else
      window_test_act(t, "win.show-view", "s", "layers");
    settle(t);
    app_test_run_for(60);
    g_assert_cmpint(regard_selection_get_pin(s).row, ==, -1);
    window_test_translate(t, DOGS);
  }
  g_assert_null(lack);

  /* What turns out not to be there is told. */
  g_autoptr(GError) late = perform(t, "page attention\ntext I see a dog.\ncell 99 1");
  g_assert_no_error(late);
  app_test_until(lack);
  g_assert_nonnull(strstr(lack, "row 99"));
  g_signal_handlers_disconnect_by_func(t->window, on_lacks, &lack);
}

/* ---- The ring ----------------------------------------------------------------------------------
 */

static gpointer
spotlight(WindowTest *t)
{
  return window_test_find(t->window, REGARD_TYPE_SPOTLIGHT);
}

/* NULL: nowhere. */
static gboolean
has_ring(WindowTest *t, const char *target)
{
  graphene_rect_t place, located;
  const gboolean has_place = regard_spotlight_get_place(spotlight(t), &place);
  if (!target)
    return !has_place;
  return has_place && locate(t, target, &located) && graphene_rect_equal(&place, &located);
}

static void
test_ring(WindowTest *t, gconstpointer data)
{
  graphene_rect_t place, before;
  window_test_translate(t, DOGS);
  show(t, "page attention\nhead cross 4.1");
  g_assert_false(regard_spotlight_get_place(spotlight(t), &place));
  g_assert_false(gtk_widget_get_visible(spotlight(t)));
  g_autoptr(RegardLesson) lesson = lesson_of("point row 3\npoint control all-off");
  regard_spotlight_point(spotlight(t), directives_of(lesson)->pdata[0]);
  g_assert_true(gtk_widget_get_visible(spotlight(t)));
  g_assert_false(gtk_widget_get_can_target(spotlight(t)));
  gtk_test_accessible_assert_property(GTK_ACCESSIBLE(spotlight(t)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      "Look at: row 3 of the matrix");
  settle(t);
  app_test_until(has_ring(t, "row 3"));
  regard_spotlight_get_place(spotlight(t), &before);

  /* It follows when there is other room, */
  show(t, "panes none");
  app_test_until(has_ring(t, "row 3"));
  regard_spotlight_get_place(spotlight(t), &place);
  g_assert_false(graphene_rect_equal(&place, &before));
  /* and another form of the picture, */
  show(t, "form lines");
  app_test_until(has_ring(t, "row 3"));
  show(t, "form matrix\npanes heads details");
  /* is nowhere while another page is shown, and there again. */
  show(t, "page measure");
  app_test_until(has_ring(t, NULL));
  regard_spotlight_point(spotlight(t), directives_of(lesson)->pdata[1]);
  g_assert_false(regard_spotlight_get_place(spotlight(t), &place));
  show(t, "page positions/bench");
  app_test_until(has_ring(t, "control all-off"));
  regard_spotlight_point(spotlight(t), NULL);
  g_assert_false(regard_spotlight_get_place(spotlight(t), &place));
  g_assert_false(gtk_widget_get_visible(spotlight(t)));
}

/* Whether all is darker but what is pointed at. */
static gboolean
is_darker(WindowTest *t)
{
  GtkSnapshot *snapshot = gtk_snapshot_new();
  GTK_WIDGET_GET_CLASS(spotlight(t))->snapshot(spotlight(t), snapshot);
  g_autoptr(GskRenderNode) node = gtk_snapshot_free_to_node(snapshot);
  g_assert_cmpint(gsk_render_node_get_node_type(node), ==, GSK_CONTAINER_NODE);
  return gsk_render_node_get_node_type(gsk_container_node_get_child(node, 0)) ==
         GSK_OUTSET_SHADOW_NODE;
}

/* For a moment, unless the desktop wants nothing to move. */
static void
test_darkness(WindowTest *t, gconstpointer data)
{
  GtkSettings *desktop = gtk_settings_get_default();
  gboolean was_moving;
  g_object_get(desktop, "gtk-enable-animations", &was_moving, NULL);
  window_test_translate(t, DOGS);
  show(t, "page attention\nhead cross 4.1");
  g_autoptr(RegardLesson) lesson = lesson_of("point row 3");
  for (guint moving = 0; moving < 2; moving++) {
    g_object_set(desktop, "gtk-enable-animations", moving == 1, NULL);
    regard_spotlight_point(spotlight(t), directives_of(lesson)->pdata[0]);
    app_test_until(has_ring(t, "row 3"));
    g_assert_cmpint(is_darker(t), ==, moving == 1);
  }
  app_test_until(!is_darker(t)); /* it ends by itself */
  regard_spotlight_point(spotlight(t), NULL);
  g_object_set(desktop, "gtk-enable-animations", was_moving, NULL);
}

/* ---- The view as directives
 * ---------------------------------------------------------------------- */

static gboolean
is_told(WindowTest *t, const char *lines)
{
  g_autofree char *told = regard_stage_dup_directives(REGARD_STAGE(t->window));
  return strstr(told, lines) != NULL;
}

/* Each view, told, left for another one and told to be shown again, is told alike. */
static void
test_directives(WindowTest *t, gconstpointer data)
{
  static const struct {
    const char *view, *line;
  } views[] = {
      {"text " DOGS "\npage attention\nhead cross 5.3\ncell 2 \"two\"\nform matrix",
       "head cross 5.3"},
      {"text It rains, and it rains.\npage inside/root\nhead encoder 2.2\ncell \"it\" 6",
       "page inside/root"},
      {"text " DOGS "\npage positions/similarity\nform lines\npanes details", "panes details"},
      {"text " DOGS "\npage steps/rows\nhead decoder 2.4\nstep 3", "step 3"},
      {"text " DOGS "\nchange cross 4.1 zero\nchange source 2 hide\npage layers/collapse",
       "change source 2 hide"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(views); i++) {
    show(t, "panes heads details\nform matrix\nchanges none");
    show(t, views[i].view);
    g_autofree char *line = g_strdup_printf("\n%s\n", views[i].line);
    app_test_until(is_told(t, line));
    g_autofree char *told = regard_stage_dup_directives(REGARD_STAGE(t->window));
    g_test_message("%s", told);
    show(t, "text The sun is warm.\nchanges none\npage measure/quality\nhead encoder 1.1\n"
            "form lines\npanes none\ncell 1 1");
    regard_selection_set_step(t->selection, -1);
    regard_selection_let_go(t->selection);
    show(t, told);
    app_test_until(is_told(t, told));
    g_autofree char *again = regard_stage_dup_directives(REGARD_STAGE(t->window));
    g_assert_cmpstr(again, ==, told);
    regard_selection_set_step(t->selection, -1);
    regard_selection_let_go(t->selection);
  }
  /* The same text is on the clipboard. */
  g_autofree char *told = regard_stage_dup_directives(REGARD_STAGE(t->window));
  window_test_act(t, "win.copy-directives", NULL);
  GdkContentProvider *content =
      gdk_clipboard_get_content(gtk_widget_get_clipboard(GTK_WIDGET(t->window)));
  g_auto(GValue) value = G_VALUE_INIT;
  g_value_init(&value, G_TYPE_STRING);
  g_assert_true(gdk_content_provider_get_value(content, &value, NULL));
  g_assert_cmpstr(g_value_get_string(&value), ==, told);
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-stage/pages", test_pages);
  WINDOW_TEST("/window-stage/unseen", test_unseen);
  WINDOW_TEST("/window-stage/targets", test_targets);
  WINDOW_TEST("/window-stage/said", test_said);
  WINDOW_TEST("/window-stage/controls", test_controls);
  WINDOW_TEST("/window-stage/controls-simple", test_controls_simple);
  WINDOW_TEST("/window-stage/refused", test_refused);
  WINDOW_TEST("/window-stage/waiting", test_waiting);
  WINDOW_TEST("/window-stage/ring", test_ring);
  WINDOW_TEST("/window-stage/darkness", test_darkness);
  WINDOW_TEST("/window-stage/directives", test_directives);
}
