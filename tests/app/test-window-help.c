/* test-window-help.c — help where one is: its texts as data, its windows, and that every control
 * says what it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-paths.h"
#include "learn/regard-lesson-shelf.h"
#include "learn/regard-targets.h"
#include "parts/regard-glossary.h"
#include "suite.h"
#include "views/regard-view.h"
#include "widgets/regard-heatmap.h"
#include "window-test.h"
#include "window/regard-help-here.h"

#include <string.h>

#define DOGS "I have two dogs."

/* ==== The texts =============================================================================== */

/* Ends of sentences: a sign with a blank or nothing behind it. */
static guint
count_sentences(const char *text)
{
  guint n = 0;
  for (const char *p = text; *p; p++)
    n += strchr(".!?", *p) && (p[1] == ' ' || p[1] == '\0');
  return n;
}

static void
test_topics(void)
{
  guint n;
  const RegardHelpTopic *topics = regard_help_topics(&n);
  g_assert_cmpuint(n, >, 60);
  for (guint i = 0; i < n; i++) {
    g_test_message("topic %s", topics[i].id);
    g_assert_true(regard_help_topic_find(topics[i].id) == &topics[i]); /* no id twice */
    g_assert_cmpuint(count_sentences(topics[i].text), ==, 2);
    g_assert_true(g_str_has_suffix(topics[i].text, "."));
    g_assert_true(!topics[i].lesson || regard_help_lesson_title(topics[i].lesson));
    for (const char *const *term = topics[i].terms; term && *term; term++)
      g_assert_nonnull(regard_glossary_find(*term));
  }
}

/* A page, a pane, and what a lesson can show there. */
static void
test_pages_have_topics(void)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  for (guint i = 0; i < n; i++)
    g_assert_nonnull(regard_help_topic_find(views[i].id));
  const RegardViewInfo *panes = regard_measure_panes(&n);
  for (guint i = 0; i < n; i++) {
    g_autofree char *id = g_strconcat("measure/", panes[i].id, NULL);
    g_assert_nonnull(regard_help_topic_find(id));
  }
  for (const char *const *page = regard_target_pages; *page; page++)
    if (!g_str_has_prefix(*page, "inside/")) /* parts of its one picture */
      g_assert_nonnull(regard_help_topic_find(*page));
  for (const char *const *control = regard_target_controls; *control; control++)
    g_assert_nonnull(regard_help_topic_find(*control));
}

/* Titles are written here and in the lessons. */
static void
test_lesson_titles(void)
{
  const char *folder = REGARD_SOURCE_ROOT "/assets/lessons", *name;
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  guint n = 0;
  g_assert_nonnull(dir);
  while ((name = g_dir_read_name(dir))) {
    if (!g_str_has_suffix(name, ".lesson.md"))
      continue;
    g_autofree char *path = g_build_filename(folder, name, NULL), *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", 12);
    const char *id = NULL, *title = NULL;
    for (guint i = 0; lines[i]; i++) {
      id = g_str_has_prefix(lines[i], "id: ") ? lines[i] + strlen("id: ") : id;
      title = g_str_has_prefix(lines[i], "title: ") ? lines[i] + strlen("title: ") : title;
    }
    g_assert_nonnull(id);
    g_assert_cmpstr(regard_help_lesson_title(id), ==, title);
    n++;
  }
  g_assert_cmpuint(n, >=, 15);
  g_assert_null(regard_help_lesson_title("no-such-lesson"));
}

static void
test_signs(void)
{
  guint n, n_views;
  const RegardHelpSign *signs = regard_help_signs(&n);
  const RegardViewInfo *views = regard_view_registry(&n_views);
  for (guint i = 0; i < n; i++) {
    const gboolean is_first = i == 0 || !g_str_equal(signs[i - 1].part, signs[i].part);
    g_assert_true(!is_first || !signs[i].meaning); /* a heading */
    g_assert_true(!signs[i].meaning || g_str_has_suffix(signs[i].meaning, "."));
    for (guint j = 0; is_first && j < i; j++) /* those of a part stand together */
      g_assert_cmpstr(signs[j].part, !=, signs[i].part);
  }
  for (guint v = 0; v < n_views; v++) {
    guint n_of_page = 0;
    for (guint i = 0; i < n; i++)
      n_of_page += g_str_equal(signs[i].part, views[v].id);
    g_assert_cmpuint(n_of_page, >=, 3);
  }
}

/* "3.2.1": a section that the paper has. */
static gboolean
is_section(const char *paper)
{
  static const char *const sections[] = {
      "1", "2",   "3",   "3.1", "3.2", "3.2.1", "3.2.2", "3.2.3", "3.3", "3.4", "3.5",
      "4", "5.1", "5.2", "5.3", "5.4", "6.1",   "6.2",   "6.3",   "7",   NULL,
  };
  return g_strv_contains(sections, paper);
}

static void
test_glossary(void)
{
  const GPtrArray *terms = regard_glossary_terms();
  g_assert_cmpuint(terms->len, >=, 60);
  for (guint i = 0; i < terms->len; i++) {
    const RegardGlossaryTerm *term = terms->pdata[i];
    g_test_message("term %s", term->id);
    g_assert_true(regard_glossary_find(term->id) == term);
    g_assert_true(term->term && *term->term);
    g_assert_true(term->equation && *term->equation);
    g_assert_cmpuint(count_sentences(term->text), ==, 2);
    g_assert_true(term->paper ? is_section(term->paper) : term->from && *term->from);
    g_assert_true(!term->lesson || regard_help_lesson_title(term->lesson));
    g_assert_true(term->see && term->see[0]);
    for (guint s = 0; term->see[s]; s++) {
      g_assert_cmpstr(term->see[s], !=, term->id);
      g_assert_nonnull(regard_glossary_find(term->see[s]));
    }
  }
  g_assert_null(regard_glossary_find("no-such-term"));
  g_assert_null(regard_glossary_find(NULL));
  g_assert_null(regard_glossary_new_link("no-such-term"));
}

static void
find_terms(const char *text, guint line, gpointer n)
{
  static const char link[] = "(regard:" REGARD_LESSON_TERM " ";
  for (const char *at = strstr(text, link); at; at = strstr(at + 1, link)) {
    g_autofree char *id = g_strndup(at + strlen(link), strcspn(at + strlen(link), ")"));
    g_test_message("line %u: term %s", line, id);
    g_assert_nonnull(regard_glossary_find(id));
    ++*(guint *) n;
  }
}

/* What lessons link to is there. */
static void
test_lesson_terms(void)
{
  g_autofree char *folder = regard_paths_lessons();
  g_autoptr(GPtrArray) shelf = regard_lesson_shelf_read_all(folder);
  guint n = 0;
  for (guint i = 0; i < shelf->len; i++)
    regard_lesson_foreach_string(((const RegardShelfRow *) shelf->pdata[i])->lesson, find_terms,
                                 &n);
  g_assert_cmpuint(n, >, 10);
}

/* ==== The windows ============================================================================= */

static GtkWindow *
find_above(GtkWindow *below)
{
  GtkWindow *found = NULL;
  GList *windows = gtk_window_list_toplevels();
  for (GList *it = windows; it; it = it->next)
    if (GTK_IS_WINDOW(it->data) && gtk_window_get_transient_for(it->data) == below &&
        gtk_widget_get_visible(it->data))
      found = it->data;
  g_list_free(windows);
  return found;
}

static GtkWidget *
find_label(GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL(widget) && g_str_equal(gtk_label_get_text(GTK_LABEL(widget)), text))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkWidget *found = find_label(child, text);
    if (found)
      return found;
  }
  return NULL;
}

static gboolean
says(GtkWindow *window, const char *topic)
{
  const RegardHelpTopic *found = regard_help_topic_find(topic);
  g_assert_nonnull(found);
  return find_label(GTK_WIDGET(window), found->title) &&
         find_label(GTK_WIDGET(window), found->text);
}

static GtkWidget *
find_button(GtkWidget *widget, const char *label)
{
  const char *text = GTK_IS_BUTTON(widget) ? gtk_button_get_label(GTK_BUTTON(widget)) : NULL;
  if (g_strcmp0(text, label) == 0)
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
click(GtkWindow *window, const char *label)
{
  GtkWidget *button = find_button(GTK_WIDGET(window), label);
  g_assert_nonnull(button);
  g_signal_emit_by_name(button, "clicked");
}

static GtkWidget *
focus(WindowTest *t)
{
  return gtk_window_get_focus(GTK_WINDOW(t->window));
}

static void
go_to(WindowTest *t, const char *view)
{
  window_test_act(t, "win.go-to-view", "s", view);
  window_test_settle(t);
}

/* Whatever has the keyboard leaves it over. */
static gboolean
press_question(WindowTest *t)
{
  gboolean is_used = FALSE;
  g_signal_emit_by_name(window_test_controller(window_test_child(t, "root"), "keys"), "key-pressed",
                        GDK_KEY_question, 0u, GDK_SHIFT_MASK, &is_used);
  return is_used;
}

/* The page, its picture, and what has the keyboard, which is where it was afterwards. */
static void
test_here(WindowTest *t, gconstpointer data)
{
  window_test_act(t, "win.help", NULL);
  GtkWindow *help = find_above(GTK_WINDOW(t->window));
  g_assert_true(says(help, "start"));
  gtk_window_close(help);

  window_test_translate(t, DOGS);
  go_to(t, "attention");
  GtkWidget *heatmap = focus(t);
  g_assert_true(REGARD_IS_HEATMAP(heatmap));
  g_assert_true(press_question(t));
  help = find_above(GTK_WINDOW(t->window));
  g_assert_nonnull(help);
  g_assert_true(says(help, "attention") && says(help, "matrix"));
  gtk_widget_activate_action(GTK_WIDGET(help), "window.close", NULL); /* which Escape does */
  app_test_run_for(50);
  g_assert_null(find_above(GTK_WINDOW(t->window)));
  g_assert_true(focus(t) == heatmap);

  GtkWidget *source = GTK_WIDGET(regard_text_card_get_view(window_test_card(t, "source")));
  gtk_widget_grab_focus(source);
  g_assert_false(press_question(t)); /* it is typed */
  window_test_act(t, "win.help", NULL);
  help = find_above(GTK_WINDOW(t->window));
  g_assert_true(says(help, "attention") && says(help, "matrix") && says(help, "source"));
  click(help, "Reading the Picture");
  GtkWindow *signs = find_above(help);
  g_assert_nonnull(find_label(GTK_WIDGET(signs), "A = A₄,₁"));
  g_assert_null(find_label(GTK_WIDGET(signs), "z, joined"));
  gtk_window_close(signs);
  gtk_window_close(help);
}

/* What is shown on a page is explained, and not another thing that it can show. */
static void
test_shown(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  const struct {
    const char *page, *name;
    guint chosen;
    const char *topic;
  } cases[] = {
      {"layers", "shown", 0, "layers/lens"},
      {"layers", "shown", 5, "layers/collapse"},
      {"layers", "shown", 2, "layers/added"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    go_to(t, cases[i].page);
    GtkWidget *page = GTK_WIDGET(regard_window_get_view(t->window));
    GtkWidget *choice = NULL;
    for (GtkWidget *w = window_test_find(page, GTK_TYPE_DROP_DOWN); w && !choice;
         w = gtk_widget_get_next_sibling(w))
      choice = g_str_equal(gtk_widget_get_name(w), cases[i].name) ? w : NULL;
    gtk_drop_down_set_selected(GTK_DROP_DOWN(choice), cases[i].chosen);
    window_test_settle(t);
    window_test_act(t, "win.help", NULL);
    GtkWindow *help = find_above(GTK_WINDOW(t->window));
    g_assert_true(says(help, "layers") && says(help, cases[i].topic));
    gtk_window_close(help);
  }
  go_to(t, "steps");
  window_test_act(t, "win.help", NULL);
  GtkWindow *help = find_above(GTK_WINDOW(t->window));
  g_assert_true(says(help, "steps") && says(help, "steps/tree") && says(help, "candidates"));
  gtk_window_close(help);
  go_to(t, "measure");
  g_object_set(regard_window_get_view(t->window), "pane", "alignment", NULL);
  window_test_act(t, "win.legend", NULL);
  GtkWindow *signs = find_above(GTK_WINDOW(t->window));
  g_assert_nonnull(find_label(GTK_WIDGET(signs), "AER"));
  g_assert_nonnull(find_label(GTK_WIDGET(signs), "[95 %]"));
  g_assert_null(find_label(GTK_WIDGET(signs), "area"));
  gtk_window_close(signs);
}

/* Words and symbols of a picture are explained where the pointer is on them; keys go over numbers.
 */
static void
test_signs_of_pictures(WindowTest *t, gconstpointer data)
{
  static const char *const pages[] = {"inside", "layers"};
  window_test_translate(t, DOGS);
  for (guint p = 0; p < G_N_ELEMENTS(pages); p++) {
    go_to(t, pages[p]);
    RegardView *view = regard_window_get_view(t->window);
    RegardFigureArea *area = regard_view_get_area(view);
    while (!regard_figure_area_get_figure(area))
      app_test_run_for(20);
    RegardFigure *figure = regard_figure_area_get_figure(area);
    GArray *spots = regard_figure_spots(figure, 900, 10, NULL);
    guint n_signs = 0;
    for (guint i = 0; i < spots->len; i++) {
      const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);
      if (spot->part != REGARD_SPOT_SIGN)
        continue;
      g_autofree char *said = regard_figure_describe_spot(figure, spot);
      g_assert_cmpuint(strlen(said), >, 10);
      g_assert_null(regard_figure_copy_spot(figure, spot));
      n_signs++;
    }
    g_assert_cmpuint(n_signs, >, 10);
    g_array_unref(spots);
    static const guint keys[] = {GDK_KEY_Home, GDK_KEY_Up, GDK_KEY_Left, GDK_KEY_End, GDK_KEY_Up};
    for (guint k = 0; k < G_N_ELEMENTS(keys); k++) {
      regard_figure_area_handle_key(area, keys[k], 0);
      g_assert_cmpint(regard_figure_area_get_spot(area)->part, !=, REGARD_SPOT_SIGN);
    }
  }
}

/* A lesson is offered when the window has one to begin, and begins there. */
static char *begun;

static void
on_lesson(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_free(begun);
  begun = g_variant_dup_string(parameter, NULL);
}

static gboolean
has_lessons(GtkWidgetClass *klass)
{
  const GVariantType *type;
  const char *name, *property;
  GType owner;
  for (guint i = 0; gtk_widget_class_query_action(klass, i, &owner, &name, &type, &property); i++)
    if (g_str_equal(name, "win.lesson"))
      return TRUE;
  return FALSE;
}

static void
test_lessons(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  go_to(t, "attention");
  window_test_act(t, "win.help", NULL);
  GtkWindow *help = find_above(GTK_WINDOW(t->window));
  g_assert_cmpint(find_label(GTK_WIDGET(help), "Lesson: A row") != NULL, ==,
                  has_lessons(GTK_WIDGET_GET_CLASS(t->window)));
  gtk_window_close(help);

  /* A window without lessons, and one with: there what lies above it goes when a lesson begins. */
  GtkWindow *none = GTK_WINDOW(gtk_window_new());
  GtkWindow *own = GTK_WINDOW(gtk_application_window_new(GTK_APPLICATION(t->application)));
  g_autoptr(GSimpleAction) action = g_simple_action_new("lesson", G_VARIANT_TYPE_STRING);
  g_signal_connect(action, "activate", G_CALLBACK(on_lesson), NULL);
  g_action_map_add_action(G_ACTION_MAP(own), G_ACTION(action));
  g_assert_null(regard_lesson_new_link(none, "row"));
  g_assert_null(regard_lesson_new_link(own, "no-such-lesson"));
  g_assert_null(regard_lesson_new_link(own, NULL));
  gtk_window_present(own);
  help = regard_help_here_new(own, NULL, NULL, FALSE);
  gtk_window_present(help);
  click(help, "attention"); /* the term */
  GtkWindow *glossary = find_above(help);
  g_assert_nonnull(glossary);
  click(glossary, "Lesson: A row");
  g_assert_cmpstr(begun, ==, "row");
  g_assert_null(find_above(own)); /* nothing lies on the lesson */
  g_clear_pointer(&begun, g_free);
  gtk_window_destroy(none);
  gtk_window_destroy(own);
}

static const char *
shown_term(GtkWindow *glossary)
{
  return window_test_label(glossary, "title-2");
}

static void
test_glossary_window(WindowTest *t, gconstpointer data)
{
  GtkWindow *below = GTK_WINDOW(t->window);
  regard_glossary_show(below, "softmax");
  GtkWindow *glossary = find_above(below);
  g_assert_cmpstr(shown_term(glossary), ==, "softmax");
  g_assert_false(gtk_window_get_modal(glossary)); /* it may stay beside the window */
  regard_glossary_show(below, "trust");
  g_assert_true(find_above(below) == glossary); /* the same one */
  g_assert_cmpstr(shown_term(glossary), ==, "trust");
  regard_glossary_show(below, "no-such-term");
  g_assert_cmpstr(shown_term(glossary), ==, "attention");
  click(glossary, "query"); /* see also */
  g_assert_cmpstr(shown_term(glossary), ==, "query");

  GtkWidget *entry = window_test_find(glossary, GTK_TYPE_SEARCH_ENTRY);
  gtk_editable_set_text(GTK_EDITABLE(entry), "√D_K");
  app_test_run_for(400);
  g_assert_cmpstr(shown_term(glossary), ==, "scaling by √d_k");
  gtk_editable_set_text(GTK_EDITABLE(entry), "warm-up"); /* in a text */
  app_test_run_for(400);
  g_assert_cmpstr(shown_term(glossary), ==, "learning rate");
  gtk_editable_set_text(GTK_EDITABLE(entry), "xyzzy");
  app_test_run_for(400);
  g_assert_cmpstr(shown_term(glossary), ==, "learning rate"); /* nothing is found */
  g_signal_emit_by_name(entry, "stop-search");                /* Escape in the field */
  app_test_run_for(50);
  g_assert_null(find_above(below));
}

/* ==== Every control says what it is =========================================================== */

/* What a person has the keyboard in: GTK gives it to a part of some widgets, which their tooltip is
 * not of. */
static GtkWidget *
control_of(GtkWidget *part)
{
  const GType outer[] = {GTK_TYPE_DROP_DOWN,    GTK_TYPE_MENU_BUTTON, GTK_TYPE_SPIN_BUTTON,
                         GTK_TYPE_SEARCH_ENTRY, GTK_TYPE_ENTRY,       GTK_TYPE_COLUMN_VIEW};
  for (guint i = 0; i < G_N_ELEMENTS(outer); i++) {
    GtkWidget *found = gtk_widget_get_ancestor(part, outer[i]);
    if (found)
      return found;
  }
  return part;
}

/* What needs no words: what is dragged or scrolled and says nothing of its own, texts that have a
 * title above them, the list whose columns are explained by a button beside the filter, and buttons
 * of the desktop's window. */
static gboolean
is_exception(GtkWidget *control)
{
  return GTK_IS_PANED(control) || GTK_IS_SCROLLED_WINDOW(control) || GTK_IS_TEXT_VIEW(control) ||
         GTK_IS_COLUMN_VIEW(control) || GTK_IS_LIST_BOX(control) || GTK_IS_LIST_BOX_ROW(control) ||
         GTK_IS_LABEL(control) || gtk_widget_get_ancestor(control, GTK_TYPE_WINDOW_CONTROLS);
}

static char *
dup_property(GtkWidget *widget, GtkAccessibleProperty property)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE(widget);
  return gtk_test_accessible_has_property(accessible, property)
             ? gtk_test_accessible_check_property(accessible, property, "\1")
             : NULL;
}

/* The first text below it; NULL: there is none. */
static const char *
text_of(GtkWidget *widget)
{
  const char *text = GTK_IS_LABEL(widget) ? gtk_label_get_text(GTK_LABEL(widget)) : NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !text;
       child = gtk_widget_get_next_sibling(child))
    text = text_of(child);
  return text;
}

/* What fails, a line each; once for every control. */
static void
note(GString *faults, const char *page, GtkWidget *control, const char *fault)
{
  g_autofree char *line = g_strdup_printf("%s: %s “%s” %s\n", page, G_OBJECT_TYPE_NAME(control),
                                          text_of(control) ? text_of(control) : "", fault);
  if (!strstr(faults->str, line))
    g_string_append(faults, line);
}

static void
check_control(GtkWidget *control, const char *page, GString *faults)
{
  const char *tooltip = gtk_widget_get_tooltip_text(control), *text = text_of(control);
  /* The name of a picture says what it shows; what it shows now comes with the picture. */
  g_autofree char *description =
      dup_property(control, regard_view_is_picture(control) ? GTK_ACCESSIBLE_PROPERTY_LABEL
                                                            : GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
  const char *said = tooltip ? tooltip : description;
  if (is_exception(control))
    return;
  if (!said || !*said || g_strcmp0(said, text) == 0)
    note(faults, page, control, said ? "repeats its label" : "says nothing of itself");
}

/* Help has something to say of each, or of the group that it is in, beyond that of its page. */
static void
check_topic(GtkWidget *control, const char *page, GString *faults)
{
  const RegardHelpTopic *topic = regard_help_topic_of(control);
  if (GTK_IS_PANED(control) || GTK_IS_SCROLLED_WINDOW(control) ||
      gtk_widget_get_ancestor(control, GTK_TYPE_WINDOW_CONTROLS) ||
      gtk_widget_has_css_class(control, "regard-help")) /* which opens it */
    return;
  if (!topic || g_str_equal(topic->id, "attention"))
    note(faults, page, control, "has no help");
}

/* Of the lists of heads: GTK has no type for them that others see. */
static guint
check_column_titles(GtkWidget *widget)
{
  guint n = g_str_equal(G_OBJECT_TYPE_NAME(widget), "GtkColumnViewTitle");
  if (n > 0) {
    const char *tooltip = gtk_widget_get_tooltip_text(widget);
    g_assert_nonnull(tooltip);
    g_assert_cmpuint(strlen(tooltip), >, strlen(text_of(widget)));
  }
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    n += check_column_titles(child);
  return n;
}

static guint
check_controls(GtkWidget *widget, const char *page, GString *faults,
               void (*check)(GtkWidget *control, const char *page, GString *faults))
{
  guint n = 0;
  if (!gtk_widget_get_visible(widget) || !gtk_widget_get_child_visible(widget))
    return 0;
  if (gtk_widget_get_focusable(widget)) {
    check(control_of(widget), page, faults);
    n++;
  }
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    n += check_controls(child, page, faults, check);
  return n;
}

/* The check itself finds what is to be found. */
static void
test_check(WindowTest *t, gconstpointer data)
{
  GtkWidget *button = g_object_ref_sink(gtk_button_new_with_label("Reset"));
  const char *const tooltips[] = {NULL, "", "Reset"};
  for (guint i = 0; i < G_N_ELEMENTS(tooltips); i++) {
    g_autoptr(GString) faults = g_string_new(NULL);
    gtk_widget_set_tooltip_text(button, tooltips[i]);
    check_control(button, "none", faults);
    g_assert_true(strstr(faults->str, "GtkButton “Reset”"));
  }
  g_autoptr(GString) faults = g_string_new(NULL);
  check_topic(button, "none", faults);
  g_assert_true(strstr(faults->str, "has no help"));
  g_object_unref(button);
}

static void
test_controls(WindowTest *t, gconstpointer data)
{
  g_autoptr(GString) faults = g_string_new(NULL);
  guint n, n_panes;
  const RegardViewInfo *views = regard_view_registry(&n), *panes = regard_measure_panes(&n_panes);
  window_test_translate(t, DOGS);
  window_test_act(t, "win.keep-reference", NULL);
  window_test_settle(t);
  for (guint i = 0; i < n; i++) {
    go_to(t, views[i].id);
    g_assert_cmpuint(check_controls(window_test_child(t, "root"), views[i].id, faults,
                                    check_control),
                     >, 10);
    if (g_str_equal(views[i].id, "heads"))
      g_assert_cmpuint(check_column_titles(GTK_WIDGET(regard_window_get_view(t->window))), >, 8);
  }
  for (guint i = 0; i < n_panes; i++) {
    g_object_set(regard_window_get_view(t->window), "pane", panes[i].id, NULL);
    window_test_settle(t);
    check_controls(GTK_WIDGET(regard_window_get_view(t->window)), panes[i].id, faults,
                   check_control);
  }
  /* What buttons open. */
  gpointer const buttons[] = {window_test_part(t, "target", "search_button"),
                              window_test_find(window_test_child(t, "changes_bar"),
                                               GTK_TYPE_MENU_BUTTON)};
  for (guint i = 0; i < G_N_ELEMENTS(buttons); i++) {
    GtkPopover *popover = GTK_POPOVER(window_test_popover(buttons[i]));
    g_assert_cmpuint(check_controls(gtk_popover_get_child(popover), gtk_widget_get_name(buttons[i]),
                                    faults, check_control),
                     >, 3);
  }
  g_assert_cmpstr(faults->str, ==, "");
}

static void
test_every_control_has_a_topic(WindowTest *t, gconstpointer data)
{
  g_autoptr(GString) faults = g_string_new(NULL);
  window_test_translate(t, DOGS);
  window_test_act(t, "win.keep-reference", NULL);
  window_test_settle(t);
  go_to(t, "attention");
  g_assert_cmpuint(check_controls(window_test_child(t, "root"), "matrix", faults, check_topic), >,
                   30);
  regard_selection_set_form(t->selection, REGARD_FORM_LINES);
  window_test_settle(t);
  check_controls(window_test_child(t, "root"), "lines", faults, check_topic);
  g_assert_cmpstr(faults->str, ==, "");
}

/* One question mark on each page, at the end of its first row. */
static guint
count_help(GtkWidget *widget)
{
  guint n = gtk_widget_has_css_class(widget, "regard-help") && gtk_widget_get_mapped(widget);
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    n += count_help(child);
  return n;
}

static void
test_question_marks(WindowTest *t, gconstpointer data)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  window_test_translate(t, DOGS);
  for (guint i = 0; i < n; i++) {
    go_to(t, views[i].id);
    g_assert_cmpuint(count_help(window_test_child(t, "root")), ==, 1);
    window_test_act(t, "win.help", NULL);
    GtkWindow *help = find_above(GTK_WINDOW(t->window));
    g_assert_true(says(help, views[i].id));
    gtk_window_close(help);
  }
}

TESTS(.begin = window_test_begin)
{
  g_test_add_func("/window-help/topics", test_topics);
  g_test_add_func("/window-help/pages-have-topics", test_pages_have_topics);
  g_test_add_func("/window-help/lesson-titles", test_lesson_titles);
  g_test_add_func("/window-help/signs", test_signs);
  g_test_add_func("/window-help/glossary", test_glossary);
  g_test_add_func("/window-help/lesson-terms", test_lesson_terms);
  WINDOW_TEST("/window-help/here", test_here);
  WINDOW_TEST("/window-help/shown", test_shown);
  WINDOW_TEST("/window-help/signs-of-pictures", test_signs_of_pictures);
  WINDOW_TEST("/window-help/lessons", test_lessons);
  WINDOW_TEST("/window-help/glossary-window", test_glossary_window);
  WINDOW_TEST("/window-help/check", test_check);
  WINDOW_TEST("/window-help/controls", test_controls);
  WINDOW_TEST("/window-help/every-control-has-a-topic", test_every_control_has_a_topic);
  WINDOW_TEST("/window-help/question-marks", test_question_marks);
}
