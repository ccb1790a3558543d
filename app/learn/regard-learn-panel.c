/* regard-learn-panel.c — lessons beside the pictures: the list of them, and the step of the one
 * that runs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A step is built when it is come to, and after that only what has become another is shown anew:
 * the run tells of every letter that is typed.
 */
#include "learn/regard-learn-panel.h"

#include "base/regard-signals.h"
#include "base/regard-template.h"
#include "learn/regard-lesson-markup.h"
#include "widgets/regard-gtk.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* A label of the prose, and what it is made from. */
typedef struct {
  GtkLabel *label;
  const char *text; /* of the lesson */
  GtkWidget *named; /* that is called by it; NULL: none */
} Prose;

typedef struct {
  GtkCheckButton *button;
  GtkWidget *answer; /* said after measuring */
} Option;

/* Something that is waited for. */
typedef struct {
  GtkWidget *row, *mark, *ring;
  guint i; /* directive */
} Wait;

struct _RegardLearnPanel {
  GtkWidget parent_instance;
  GtkWidget *box, *contents_button, *error, *away, *asking;
  GtkLabel *title, *progress, *step_title, *verdict, *problem;
  GtkStack *stack;
  GtkListBox *list;
  GtkScrolledWindow *scroller;
  GtkBox *dots, *prose, *waits;
  GtkEntry *number;
  GtkButton *ask;
  GtkSpinner *spinner;
  GtkWidget *back, *know, *skip, *next;

  RegardLessonRun *run;
  const RegardLessonRunState *state; /* of the run */
  GPtrArray *shelf;                  /* NULL: not there yet */
  GPtrArray *rows;                   /* of const RegardShelfRow *: those of it that are shown */
  RegardProgress *known;             /* which lessons are done; borrowed */
  guint n_done;                      /* lessons that the list shows so */
  RegardLesson *lesson;              /* that is shown; NULL: the list is */
  guint step;
  GArray *labels;  /* of Prose */
  GArray *options; /* of Option */
  GArray *waiting; /* of Wait */
  RegardLessonPhase phase;
  guint scrolling; /* idle */
  GWeakRef scrolled_to;
};

G_DEFINE_FINAL_TYPE(RegardLearnPanel, regard_learn_panel, GTK_TYPE_WIDGET)

static void
clear_box(GtkBox *box)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(GTK_WIDGET(box))))
    gtk_box_remove(box, child);
}

static void
set_shown(GtkLabel *label, const char *text)
{
  gtk_label_set_label(label, text ? text : "");
  gtk_widget_set_visible(GTK_WIDGET(label), text && *text);
}

/* ---- The keyboard ---------------------------------------------------------------------------- */

static gboolean
has_focus_inside(RegardLearnPanel *self)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  return focus && gtk_widget_is_ancestor(focus, GTK_WIDGET(self));
}

/* ---- The list -------------------------------------------------------------------------------- */

/* Full when it is done, else empty. */
static GtkWidget *
new_ring(gboolean is_done)
{
  GtkWidget *ring = is_done ? gtk_image_new_from_icon_name("object-select-symbolic")
                            : gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_set_valign(ring, GTK_ALIGN_CENTER);
  gtk_widget_set_halign(ring, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(ring, is_done ? "learn-check" : "learn-ring");
  return ring;
}

static gboolean
is_done(RegardLearnPanel *self, const RegardLesson *lesson)
{
  return regard_progress_is_done(self->known, lesson->id);
}

static GtkWidget *
new_row(const RegardLesson *lesson, gboolean is_done)
{
  GtkWidget *row = adw_action_row_new();
  g_autofree char *title = g_markup_escape_text(lesson->title, -1);
  g_autofree char *minutes =
      g_strdup_printf(ngettext("%u minute", "%u minutes", lesson->minutes), lesson->minutes);
  g_autofree char *said =
      g_strdup_printf(is_done ? _("%s, %s, done") : _("%s, %s"), lesson->title, minutes);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
  if (lesson->minutes)
    adw_action_row_set_subtitle(ADW_ACTION_ROW(row), minutes);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), new_ring(is_done));
  gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(row), TRUE);
  regard_accessible_set_label(row, said);
  return row;
}

static void
show_rows(RegardLearnPanel *self)
{
  GtkWidget *row;
  while ((row = gtk_widget_get_first_child(GTK_WIDGET(self->list))))
    gtk_list_box_remove(self->list, row);
  self->n_done = 0;
  for (guint i = 0; i < self->rows->len; i++) {
    const RegardLesson *lesson = ((const RegardShelfRow *) self->rows->pdata[i])->lesson;
    self->n_done += is_done(self, lesson);
    gtk_list_box_append(self->list, new_row(lesson, is_done(self, lesson)));
  }
  gtk_widget_set_visible(GTK_WIDGET(self->list), self->rows->len > 0);
}

/* Somebody has come to the end of one. */
static void
on_progress(RegardLearnPanel *self)
{
  guint n = 0;
  for (guint i = 0; i < self->rows->len; i++)
    n += is_done(self, ((const RegardShelfRow *) self->rows->pdata[i])->lesson);
  if (n != self->n_done)
    show_rows(self);
}

void
regard_learn_panel_set_lessons(RegardLearnPanel *self, GPtrArray *shelf, RegardProgress *progress)
{
  g_return_if_fail(REGARD_IS_LEARN_PANEL(self) && shelf && progress);
  g_ptr_array_ref(shelf);
  g_clear_pointer(&self->shelf, g_ptr_array_unref);
  self->shelf = shelf;
  g_ptr_array_set_size(self->rows, 0);
  for (guint i = 0; i < shelf->len; i++)
    if (((const RegardShelfRow *) shelf->pdata[i])->lesson)
      g_ptr_array_add(self->rows, shelf->pdata[i]);
  if (!self->known)
    regard_observe(progress, self, on_progress, "changed");
  self->known = progress;
  const gboolean is_waited_for = !self->lesson && has_focus_inside(self);
  show_rows(self);
  if (is_waited_for)
    regard_learn_panel_focus(self);
}

static void
on_row(RegardLearnPanel *self, GtkListBoxRow *row)
{
  const RegardShelfRow *on_shelf = self->rows->pdata[gtk_list_box_row_get_index(row)];
  gtk_widget_activate_action(GTK_WIDGET(self), "win.lesson", "s", on_shelf->lesson->id);
}

/* ---- A step is built ------------------------------------------------------------------------- */

static gboolean
on_link(GtkLabel *label, const char *uri, RegardLearnPanel *self)
{
  if (g_str_has_prefix(uri, "regard:"))
    g_signal_emit_by_name(self, "link", uri + strlen("regard:"));
  return TRUE; /* none leads out of the program */
}

static GtkWidget *
new_prose(RegardLearnPanel *self, const char *text, const char *css_class, GtkWidget *named)
{
  GtkWidget *label = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, css_class);
  const Prose prose = {GTK_LABEL(label), text, named};
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_use_markup(GTK_LABEL(label), TRUE);
  g_signal_connect(label, "activate-link", G_CALLBACK(on_link), self);
  g_array_append_val(self->labels, prose);
  return label;
}

static void update_ask(RegardLearnPanel *self);
static void on_ask(RegardLearnPanel *self);

/* Keys of the options, which the page must not take: Enter is the answer, and arrows choose. */
static gboolean
on_key(GtkWidget *option, guint keyval)
{
  RegardLearnPanel *self =
      REGARD_LEARN_PANEL(gtk_widget_get_ancestor(option, REGARD_TYPE_LEARN_PANEL));
  const guint key = regard_plain_key(keyval);
  const int n = (int) self->options->len;
  const int by = key == GDK_KEY_Down || key == GDK_KEY_Right ? 1
                 : key == GDK_KEY_Up || key == GDK_KEY_Left  ? n - 1
                                                             : 0;
  int at = 0;
  if (key == GDK_KEY_Return) {
    on_ask(self);
    return TRUE;
  }
  if (!by)
    return FALSE;
  while (GTK_WIDGET(g_array_index(self->options, Option, at).button) != option)
    at++;
  GtkCheckButton *next = g_array_index(self->options, Option, (at + by) % n).button;
  gtk_widget_grab_focus(GTK_WIDGET(next));
  gtk_check_button_set_active(next, TRUE);
  return TRUE;
}

static void
on_choose(GSimpleAction *action, GVariant *parameter, GtkCheckButton *button)
{
  gtk_check_button_set_active(button, TRUE);
}

/* GTK 4.8 tells assistive technology of no action of a check button, but of those in its groups. */
static void
add_choose(GtkWidget *button)
{
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  g_autoptr(GSimpleAction) action = g_simple_action_new("choose", NULL);
  g_signal_connect_object(action, "activate", G_CALLBACK(on_choose), button, 0);
  g_action_map_add_action(G_ACTION_MAP(group), G_ACTION(action));
  gtk_widget_insert_action_group(button, "option", G_ACTION_GROUP(group));
}

static void
add_options(RegardLearnPanel *self, const RegardLessonStep *step)
{
  GtkWidget *group = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  gtk_widget_add_css_class(group, "learn-options");
  for (guint i = 0; i < step->options->len; i++) {
    const RegardLessonOption *option = step->options->pdata[i];
    GtkWidget *button = gtk_check_button_new();
    GtkWidget *answer = new_prose(self, option->answer, "learn-answer", NULL);
    const Option one = {GTK_CHECK_BUTTON(button), answer};
    GtkWidget *text = new_prose(self, option->text, NULL, button);
    gtk_widget_set_hexpand(text, TRUE);
    gtk_check_button_set_child(GTK_CHECK_BUTTON(button), text);
    if (i > 0)
      gtk_check_button_set_group(GTK_CHECK_BUTTON(button),
                                 g_array_index(self->options, Option, 0).button);
    g_signal_connect_swapped(button, "toggled", G_CALLBACK(update_ask), self);
    add_choose(button);
    regard_widget_listen(button, &(RegardInput){.key = G_CALLBACK(on_key)});
    gtk_widget_set_visible(answer, FALSE);
    g_array_append_val(self->options, one);
    regard_box_append(group, button, answer, NULL);
  }
  gtk_box_append(self->prose, group);
}

static void
build_prose(RegardLearnPanel *self, const RegardLessonStep *step)
{
  for (guint i = 0; i <= step->paragraphs->len; i++) {
    if (step->options->len && i == MIN(step->n_before_options, step->paragraphs->len))
      add_options(self, step);
    if (i < step->paragraphs->len)
      gtk_box_append(self->prose, new_prose(self, step->paragraphs->pdata[i], NULL, NULL));
  }
}

static void
build_waits(RegardLearnPanel *self, const RegardLessonStep *step)
{
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *directive = step->directives->pdata[i];
    g_autofree char *said = directive->type == REGARD_DIRECTIVE_WAIT
                                ? regard_lesson_run_say_wait(self->run, directive)
                                : NULL;
    if (!said)
      continue;
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    const Wait wait = {row, new_ring(TRUE), new_ring(FALSE), i};
    regard_box_append(row, wait.ring, wait.mark,
                      regard_label_new(said, REGARD_LABEL_START | REGARD_LABEL_WRAP, NULL), NULL);
    gtk_box_append(self->waits, row);
    g_array_append_val(self->waiting, wait);
  }
}

static void
build_dots(RegardLearnPanel *self)
{
  clear_box(self->dots);
  for (guint i = 0; i < self->lesson->steps->len; i++) {
    GtkWidget *dot = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_widget_add_css_class(dot, "learn-dot");
    gtk_widget_set_valign(dot, GTK_ALIGN_CENTER);
    gtk_box_append(self->dots, dot);
  }
}

static void
forget_step(RegardLearnPanel *self)
{
  g_array_set_size(self->labels, 0);
  g_array_set_size(self->options, 0);
  g_array_set_size(self->waiting, 0);
  clear_box(self->prose);
  clear_box(self->waits);
}

static void
build_step(RegardLearnPanel *self)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self->run);
  const guint n = self->lesson->steps->len;
  g_autofree char *progress = g_strdup_printf(_("%u of %u"), self->step + 1, n);
  g_autofree char *said = g_strdup_printf(_("Step %u of %u: %s"), self->step + 1, n, step->title);
  forget_step(self);
  gtk_label_set_label(self->title, self->lesson->title);
  gtk_label_set_label(self->progress, progress);
  gtk_label_set_label(self->step_title, step->title);
  regard_accessible_set_label(GTK_WIDGET(self->step_title), said);
  build_dots(self);
  build_prose(self, step);
  build_waits(self, step);
  gtk_editable_set_text(GTK_EDITABLE(self->number), "");
  gtk_widget_set_visible(GTK_WIDGET(self->number), step->question == REGARD_ASK_NUMBER);
  gtk_button_set_label(self->ask, step->question == REGARD_ASK_PREDICT ? _("Predict") : _("Check"));
  gtk_button_set_label(GTK_BUTTON(self->next), self->step + 1 < n ? _("Next") : _("Finish"));
  gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(self->scroller), 0);
  regard_announce(GTK_WIDGET(self), said);
}

/* ---- And shown anew -------------------------------------------------------------------------- */

/* Values come when they are measured. */
static void
show_prose(RegardLearnPanel *self)
{
  for (guint i = 0; i < self->labels->len; i++) {
    const Prose *prose = &g_array_index(self->labels, Prose, i);
    g_autofree char *markup = regard_lesson_markup(self->lesson, prose->text, self->state->values,
                                                   self->lesson->names->len);
    if (g_strcmp0(gtk_label_get_label(prose->label), markup) == 0)
      continue;
    gtk_label_set_label(prose->label, markup);
    if (prose->named)
      regard_accessible_set_label(prose->named, gtk_label_get_text(prose->label));
  }
}

static char
get_chosen(RegardLearnPanel *self)
{
  for (guint i = 0; i < self->options->len; i++)
    if (gtk_check_button_get_active(g_array_index(self->options, Option, i).button))
      return (char) ('a' + i);
  return '\0';
}

/* Once a prediction has been made it stands; a choice that was wrong is made again. */
static gboolean
can_answer(RegardLearnPanel *self)
{
  const RegardLessonSaid said = self->state->verdict;
  return said != REGARD_SAID_MEASURED && said != REGARD_SAID_RIGHT && said != REGARD_SAID_FOUND &&
         said != REGARD_SAID_UNCLEAR;
}

/* What is said of an option: of the one that was chosen, and of the one that was measured. */
static void
show_options(RegardLearnPanel *self)
{
  const RegardLessonSaid said = self->state->verdict;
  const gboolean is_said =
      !self->state->is_stale &&
      (said == REGARD_SAID_MEASURED || said == REGARD_SAID_RIGHT || said == REGARD_SAID_WRONG);
  for (guint i = 0; i < self->options->len; i++) {
    const Option *option = &g_array_index(self->options, Option, i);
    const char letter = (char) ('a' + i);
    const gboolean is_measured =
        letter == self->state->measured && said != REGARD_SAID_WRONG && is_said;
    const RegardLessonOption *of =
        ((const RegardLessonStep *) self->lesson->steps->pdata[self->step])->options->pdata[i];
    gtk_widget_set_visible(option->answer, *of->answer && is_said &&
                                               (letter == self->state->chosen || is_measured));
    gtk_widget_set_sensitive(GTK_WIDGET(option->button), can_answer(self));
    if (is_measured)
      gtk_widget_add_css_class(GTK_WIDGET(option->button), "measured");
    else
      gtk_widget_remove_css_class(GTK_WIDGET(option->button), "measured");
  }
}

static void
update_ask(RegardLearnPanel *self)
{
  const RegardLessonStep *step = self->lesson ? regard_lesson_run_get_step(self->run) : NULL;
  gboolean has_answer = FALSE;
  if (!step)
    return;
  switch (step->question) {
  case REGARD_ASK_NOTHING:
    break;
  case REGARD_ASK_PREDICT:
  case REGARD_ASK_CHOOSE:
    has_answer = get_chosen(self) != '\0';
    break;
  case REGARD_ASK_NUMBER:
    has_answer = *gtk_editable_get_text(GTK_EDITABLE(self->number)) != '\0';
    break;
  case REGARD_ASK_FIND:
    has_answer = TRUE;
    break;
  }
  gtk_widget_set_visible(self->asking, step->question && can_answer(self));
  gtk_widget_set_sensitive(GTK_WIDGET(self->ask), has_answer && can_answer(self));
  gtk_widget_set_sensitive(GTK_WIDGET(self->number), can_answer(self));
}

static gboolean
on_placed(gpointer data)
{
  RegardLearnPanel *self = data;
  g_autoptr(GtkWidget) widget = g_weak_ref_get(&self->scrolled_to);
  self->scrolling = 0;
  if (widget) {
    const graphene_rect_t all = {{0, 0},
                                 {(float) gtk_widget_get_width(widget),
                                  (float) gtk_widget_get_height(widget)}};
    regard_widget_scroll_to(widget, &all);
  }
  return G_SOURCE_REMOVE;
}

/* When it has its place. */
static void
scroll_to(RegardLearnPanel *self, GtkWidget *widget)
{
  g_clear_handle_id(&self->scrolling, g_source_remove);
  g_weak_ref_set(&self->scrolled_to, widget);
  self->scrolling = g_idle_add_full(GTK_PRIORITY_RESIZE + 1, on_placed, self, NULL);
}

static void
show_verdict(RegardLearnPanel *self)
{
  static const char *const classes[] = {
      [REGARD_SAID_RIGHT] = "right",     [REGARD_SAID_FOUND] = "right",
      [REGARD_SAID_MEASURED] = "right",  [REGARD_SAID_WRONG] = "wrong",
      [REGARD_SAID_TOO_LARGE] = "wrong", [REGARD_SAID_TOO_SMALL] = "wrong",
      [REGARD_SAID_UNCLEAR] = NULL,
  };
  g_autofree char *said = regard_lesson_run_say_verdict(self->run);
  const char *const none[] = {"learn-verdict", NULL}, *const some[] = {
                                                          "learn-verdict",
                                                          classes[self->state->verdict], NULL};
  const gboolean is_said = classes[self->state->verdict] && !self->state->is_stale;
  if (g_strcmp0(gtk_label_get_label(self->verdict), said ? said : "") == 0)
    return;
  gtk_widget_set_css_classes(GTK_WIDGET(self->verdict), (const char **) (is_said ? some : none));
  set_shown(self->verdict, said);
  g_clear_handle_id(&self->scrolling, g_source_remove);
  if (said) {
    scroll_to(self, GTK_WIDGET(self->verdict)); /* in a low panel it lies below what is seen */
    regard_accessible_set_label(GTK_WIDGET(self->verdict), said);
    regard_announce(GTK_WIDGET(self), said);
  }
}

static void
show_waits(RegardLearnPanel *self)
{
  for (guint i = 0; i < self->waiting->len; i++) {
    const Wait *wait = &g_array_index(self->waiting, Wait, i);
    const gboolean is_done = self->state->waits[wait->i] || self->state->done[self->step];
    gtk_widget_set_visible(wait->mark, is_done);
    gtk_widget_set_visible(wait->ring, !is_done);
    if (is_done)
      gtk_widget_add_css_class(wait->row, "done");
  }
}

static void
show_dots(RegardLearnPanel *self)
{
  guint i = 0;
  for (GtkWidget *dot = gtk_widget_get_first_child(GTK_WIDGET(self->dots)); dot;
       dot = gtk_widget_get_next_sibling(dot), i++) {
    const char *const classes[] = {"learn-dot", i == self->step ? "current" : "other",
                                   self->state->done[i] ? "done" : NULL, NULL};
    gtk_widget_set_css_classes(dot, (const char **) classes);
  }
}

/* The button that goes on is the one that Enter means, as soon as the step is done. */
static void
show_next(RegardLearnPanel *self)
{
  const gboolean is_done = self->state->done[self->step];
  const gboolean had_focus = gtk_widget_has_focus(self->skip);
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  gtk_widget_set_sensitive(self->next, is_done);
  if (is_done && had_focus)
    gtk_widget_grab_focus(self->next);
  gtk_widget_set_sensitive(self->skip, !is_done);
  gtk_widget_set_visible(self->know, self->step + 1 < self->lesson->steps->len);
  if (is_done)
    gtk_widget_add_css_class(self->next, "suggested-action");
  else
    gtk_widget_remove_css_class(self->next, "suggested-action");
  if (GTK_IS_WINDOW(root))
    gtk_window_set_default_widget(GTK_WINDOW(root), is_done ? self->next : NULL);
}

/* Who answered by the keyboard goes on by it. */
static void
follow_focus(RegardLearnPanel *self)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  const gboolean was_asked =
      focus && (focus == GTK_WIDGET(self->ask) || gtk_widget_is_ancestor(focus, self->asking) ||
                gtk_widget_is_ancestor(focus, GTK_WIDGET(self->number)) ||
                gtk_widget_is_ancestor(focus, GTK_WIDGET(self->prose)));
  if (self->state->done[self->step] && was_asked && !can_answer(self))
    gtk_widget_grab_focus(self->next);
}

static void
show_step(RegardLearnPanel *self)
{
  const RegardLessonPhase phase = self->state->phase;
  const gboolean is_busy = phase == REGARD_LESSON_MEASURING || phase == REGARD_LESSON_SETTING_UP;
  gtk_widget_set_visible(self->away, self->state->is_away);
  show_prose(self);
  show_waits(self);
  show_dots(self);
  show_next(self);
  follow_focus(self);
  show_options(self);
  update_ask(self);
  show_verdict(self);
  set_shown(self->problem, self->state->problem);
  gtk_spinner_set_spinning(self->spinner, is_busy);
  self->phase = phase;
}

static void
update(RegardLearnPanel *self)
{
  const gboolean is_other =
      self->lesson != self->state->lesson ||
      (self->state->lesson && self->step != self->state->step) ||
      (self->state->phase == REGARD_LESSON_SETTING_UP && self->phase != REGARD_LESSON_SETTING_UP);
  const gboolean was_inside = has_focus_inside(self);
  if (is_other) {
    forget_step(self); /* what it is made from is the lesson's */
    if (self->state->lesson)
      regard_lesson_ref(self->state->lesson);
    regard_lesson_unref(self->lesson);
    self->lesson = self->state->lesson;
    self->step = self->state->step;
  }
  gtk_widget_set_visible(self->contents_button, self->lesson != NULL);
  gtk_stack_set_visible_child_name(self->stack, self->lesson ? "step" : "contents");
  if (!self->lesson) {
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
    gtk_label_set_label(self->title, _("Learn"));
    if (GTK_IS_WINDOW(root) && gtk_window_get_default_widget(GTK_WINDOW(root)) == self->next)
      gtk_window_set_default_widget(GTK_WINDOW(root), NULL);
  } else {
    if (is_other)
      build_step(self);
    show_step(self);
  }
  if (is_other && was_inside)
    regard_learn_panel_focus(self);
}

/* ---- What a person does ---------------------------------------------------------------------- */

static void
on_ask(RegardLearnPanel *self)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self->run);
  if (!step || !gtk_widget_is_sensitive(GTK_WIDGET(self->ask)) ||
      self->state->phase == REGARD_LESSON_MEASURING)
    return;
  if (step->question == REGARD_ASK_NUMBER)
    regard_lesson_run_answer(self->run, gtk_editable_get_text(GTK_EDITABLE(self->number)));
  else if (step->question == REGARD_ASK_FIND)
    regard_lesson_run_check(self->run);
  else
    regard_lesson_run_choose(self->run, get_chosen(self));
}

static void
on_know(RegardLearnPanel *self)
{
  regard_lesson_run_go_to_last(self->run);
}

static void
on_return(RegardLearnPanel *self)
{
  regard_lesson_run_return(self->run);
}

void
regard_learn_panel_focus(RegardLearnPanel *self)
{
  GtkWidget *first =
      self->options->len ? GTK_WIDGET(g_array_index(self->options, Option, 0).button) : NULL;
  const gboolean ok =
      !self->lesson
          ? gtk_widget_child_focus(GTK_WIDGET(self->list), GTK_DIR_TAB_FORWARD)
          : (first && gtk_widget_grab_focus(first)) ||
                (gtk_widget_get_visible(GTK_WIDGET(self->number)) &&
                 gtk_widget_grab_focus(GTK_WIDGET(self->number))) ||
                (gtk_widget_get_sensitive(self->next) && gtk_widget_grab_focus(self->next)) ||
                gtk_widget_grab_focus(GTK_WIDGET(self->step_title));
  if (!ok)
    gtk_widget_child_focus(GTK_WIDGET(self), GTK_DIR_TAB_FORWARD);
}

void
regard_learn_panel_focus_next(RegardLearnPanel *self, const char *id)
{
  guint i = 0;
  while (i < self->rows->len &&
         !g_str_equal(((const RegardShelfRow *) self->rows->pdata[i])->lesson->id, id))
    i++;
  GtkListBoxRow *row = gtk_list_box_get_row_at_index(self->list, (int) i + 1);
  if (!row || !gtk_widget_grab_focus(GTK_WIDGET(row)))
    regard_learn_panel_focus(self);
  if (row)
    scroll_to(self, GTK_WIDGET(row));
}

gboolean
regard_learn_panel_is_reading(RegardLearnPanel *self)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  return self->lesson && has_focus_inside(self) && !GTK_IS_EDITABLE(focus);
}

void
regard_learn_panel_set_error(RegardLearnPanel *self, const char *message)
{
  set_shown(GTK_LABEL(self->error), message);
  if (message)
    regard_announce(GTK_WIDGET(self), message);
}

void
regard_learn_panel_set_run(RegardLearnPanel *self, RegardLessonRun *run)
{
  g_return_if_fail(REGARD_IS_LEARN_PANEL(self) && !self->run);
  self->run = g_object_ref(run);
  self->state = regard_lesson_run_get_state(run);
  regard_observe(run, self, update, "changed");
  update(self);
}

/* ---- The object ------------------------------------------------------------------------------ */

static void
regard_learn_panel_dispose(GObject *object)
{
  RegardLearnPanel *self = REGARD_LEARN_PANEL(object);
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(self));
  g_clear_handle_id(&self->scrolling, g_source_remove);
  g_array_set_size(self->labels, 0);
  g_clear_object(&self->run);
  g_clear_pointer(&self->lesson, regard_lesson_unref);
  if (child)
    gtk_widget_unparent(child);
  G_OBJECT_CLASS(regard_learn_panel_parent_class)->dispose(object);
}

static void
regard_learn_panel_finalize(GObject *object)
{
  RegardLearnPanel *self = REGARD_LEARN_PANEL(object);
  g_clear_pointer(&self->shelf, g_ptr_array_unref);
  g_ptr_array_unref(self->rows);
  g_array_unref(self->labels);
  g_array_unref(self->options);
  g_array_unref(self->waiting);
  g_weak_ref_clear(&self->scrolled_to);
  G_OBJECT_CLASS(regard_learn_panel_parent_class)->finalize(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardLearnPanel, name)

static void
regard_learn_panel_class_init(RegardLearnPanelClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(box),      CHILD(contents_button),
                                                 CHILD(error),    CHILD(away),
                                                 CHILD(asking),   CHILD(title),
                                                 CHILD(progress), CHILD(step_title),
                                                 CHILD(verdict),  CHILD(problem),
                                                 CHILD(stack),    CHILD(list),
                                                 CHILD(scroller), CHILD(dots),
                                                 CHILD(prose),    CHILD(waits),
                                                 CHILD(number),   CHILD(ask),
                                                 CHILD(spinner),  CHILD(back),
                                                 CHILD(know),     CHILD(skip),
                                                 CHILD(next),     {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_learn_panel_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_learn_panel_finalize;
  regard_add_signal(klass, "link", 1, G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_css_name(widget_class, "learnpanel");
  regard_set_template(klass, "regard-learn-panel.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_row);
  gtk_widget_class_bind_template_callback(widget_class, on_return);
  gtk_widget_class_bind_template_callback(widget_class, on_ask);
  gtk_widget_class_bind_template_callback(widget_class, update_ask);
  gtk_widget_class_bind_template_callback(widget_class, on_know);
}

static void
regard_learn_panel_init(RegardLearnPanel *self)
{
  self->rows = g_ptr_array_new();
  self->labels = g_array_new(FALSE, FALSE, sizeof(Prose));
  self->options = g_array_new(FALSE, FALSE, sizeof(Option));
  self->waiting = g_array_new(FALSE, FALSE, sizeof(Wait));
  g_weak_ref_init(&self->scrolled_to, NULL);
  gtk_widget_init_template(GTK_WIDGET(self));
  regard_accessible_name_inner_buttons(GTK_WIDGET(self));
}
