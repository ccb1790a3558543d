/* regard-window-learn.c — lessons in the window: the panel beside the pictures, what is opened, and
 * what is back when a lesson is left.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a lesson does is RegardLessonRun's, on the document and on the window as a stage. Here are
 * the ways to it, the file that a teacher writes, and how the window was looked at before.
 */
#include "window/regard-window-private.h"

#include "base/regard-signals.h"
#include "export/regard-export-job.h"
#include "learn/regard-progress.h"
#include "parts/regard-glossary.h"
#include "parts/regard-messages.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-theme.h"

#include <glib/gi18n.h>

/* Widths of the panel; below these widths of the window the details give way to it, and it stands
 * below the pictures; below this height of what is below the header the controls of a picture give
 * way to the picture, which would have no room for its numbers. In px. */
#define LEAST_WIDTH  300
#define MOST_WIDTH   460
#define NARROW       1100
#define VERY_NARROW  900
#define LOW          700
#define USUAL_HEIGHT 280
#define DIVIDER      8

/* A file that is saved is written in several steps; it is read when they are over. In ms. */
#define SAVED_AFTER 150

typedef struct _RegardWindowLearn {
  RegardLessonRun *run;
  RegardProgress *progress; /* borrowed */
  guint noted;              /* step of the lesson that runs that was noted; G_MAXUINT: none */
  RegardWork *listing, *reading, *saving;
  GPtrArray *shelf;               /* of RegardShelfRow *; NULL: not there yet */
  char *wanted;                   /* id of a lesson that is to be begun when the shelf is there */
  char *path;                     /* of the lesson that runs */
  gconstpointer shown;            /* that lesson, to compare only */
  gboolean is_again;              /* it is being read because it was saved */
  GFileMonitor *monitor;          /* of that file */
  guint saved;                    /* timer */
  RegardWindowLook *look;         /* before the lesson; NULL: there is none to go back to */
  RegardDirective *linked;        /* that was pointed at by a link */
  const RegardDirective *pointed; /* of the step or that; NULL: nothing */
  GSimpleAction *action;
  gboolean is_laying_out;
  int laid_out_width; /* of the window, when the panel was given its room */
} Learn;

/* ---- What is pointed at ---------------------------------------------------------------------- */

static void
point_at(RegardWindow *self, const RegardDirective *point)
{
  self->learn->pointed = point;
  regard_spotlight_point(self->spotlight, point);
}

static void
on_point(RegardWindow *self, const RegardDirective *point)
{
  point_at(self, point);
  g_clear_pointer(&self->learn->linked, regard_directive_free);
}

void
regard_window_follow_link(RegardWindow *self, const char *target)
{
  mt_error refused = {0};
  if (g_str_has_prefix(target, REGARD_LESSON_TERM " ")) {
    regard_glossary_show(GTK_WINDOW(self), target + strlen(REGARD_LESSON_TERM " "));
    return;
  }
  RegardDirective *point = regard_directive_new_point(target, &refused);
  if (!point)
    return;
  point_at(self, point);
  regard_directive_free(self->learn->linked);
  self->learn->linked = point;
}

static void
focus(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const RegardDirective *point = self->learn->pointed;
  if (!point || !regard_stage_focus(REGARD_STAGE(self), point))
    regard_learn_panel_focus(self->learn_panel);
}

/* ---- The panel's room ------------------------------------------------------------------------ */

/* Below what stands beside each other a window cannot be made narrower: there the panel goes below
 * the pictures in any case. */
static gboolean
is_very_narrow(RegardWindow *self)
{
  int least;
  gtk_widget_measure(gtk_paned_get_start_child(self->learn_paned), GTK_ORIENTATION_HORIZONTAL, -1,
                     &least, NULL, NULL, NULL);
  return gtk_widget_get_width(GTK_WIDGET(self->learn_paned)) <
         MAX(VERY_NARROW, least + LEAST_WIDTH + DIVIDER);
}

/* The person's width, which a narrow window has no room for. */
static int
usual_width(RegardWindow *self)
{
  return CLAMP(g_settings_get_int(self->settings, "learn-width"), LEAST_WIDTH, MOST_WIDTH);
}

/* What stands beside each other can want more than the screen has, and then there is no width from
 * which one could tell that it is narrow. */
static gboolean
is_wider_than_screen(RegardWindow *self)
{
  GdkMonitor *monitor = regard_widget_get_monitor(GTK_WIDGET(self));
  GdkRectangle area = {0};
  if (monitor)
    gdk_monitor_get_geometry(monitor, &area);
  return area.width > 0 && gtk_widget_get_width(GTK_WIDGET(self)) > area.width;
}

static void
lay_out(RegardWindow *self)
{
  const gboolean is_shown = gtk_widget_get_visible(GTK_WIDGET(self->learn_panel));
  const int width = gtk_widget_get_width(GTK_WIDGET(self->learn_paned));
  const int height = gtk_widget_get_height(GTK_WIDGET(self->learn_paned));
  const double large = regard_theme_large_text(GTK_WIDGET(self)); /* it takes the room of more */
  /* Details give way first, and only if that is not enough does the panel go below. */
  const gboolean yields = is_shown && (width < NARROW * large || is_wider_than_screen(self));
  const gboolean is_below = is_very_narrow(self) && (self->yields_details || !yields);
  const GtkOrientation orientation =
      is_below ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL;
  if (width <= 0 || !self->learn || self->learn->is_laying_out)
    return;
  self->learn->is_laying_out = TRUE;
  if (is_shown &&
      gtk_orientable_get_orientation(GTK_ORIENTABLE(self->learn_paned)) != orientation) {
    gtk_orientable_set_orientation(GTK_ORIENTABLE(self->learn_paned), orientation);
    gtk_widget_set_size_request(GTK_WIDGET(self->learn_panel), is_below ? -1 : LEAST_WIDTH,
                                is_below ? 160 : -1);
    gtk_paned_set_position(self->learn_paned,
                           is_below ? height - USUAL_HEIGHT : width - usual_width(self));
  }
  if (is_shown && !is_below && width - gtk_paned_get_position(self->learn_paned) > MOST_WIDTH)
    gtk_paned_set_position(self->learn_paned, width - MOST_WIDTH);
  self->learn->is_laying_out = FALSE;
  self->learn->laid_out_width = width;
  const gboolean is_low =
      is_shown && height < LOW * large && regard_window_get_lesson(self) != NULL;
  if (yields != self->yields_details || is_low != self->yields_controls) {
    self->yields_details = yields;
    self->yields_controls = is_low;
    regard_window_show_parts(self);
    lay_out(self); /* there is other room now */
  }
}

/* A window that becomes another one moves the divider, too. */
static void
on_moved(RegardWindow *self)
{
  const int width = gtk_widget_get_width(GTK_WIDGET(self->learn_paned));
  const int panel = width - gtk_paned_get_position(self->learn_paned);
  if (self->learn && !self->learn->is_laying_out && width == self->learn->laid_out_width &&
      gtk_widget_get_visible(GTK_WIDGET(self->learn_panel)) && !is_very_narrow(self) &&
      panel >= LEAST_WIDTH && panel <= MOST_WIDTH)
    g_settings_set_int(self->settings, "learn-width", panel);
}

static void
set_shown(RegardWindow *self, gboolean is_shown)
{
  const int width = gtk_widget_get_width(GTK_WIDGET(self->learn_paned));
  g_simple_action_set_state(self->learn->action, g_variant_new_boolean(is_shown));
  if (gtk_widget_get_visible(GTK_WIDGET(self->learn_panel)) == is_shown)
    return;
  if (is_shown && width > 0)
    gtk_paned_set_position(self->learn_paned,
                           is_very_narrow(self)
                               ? gtk_widget_get_height(GTK_WIDGET(self->learn_paned)) - USUAL_HEIGHT
                               : width - usual_width(self));
  gtk_widget_set_visible(GTK_WIDGET(self->learn_panel), is_shown);
  lay_out(self);
}

/* ---- The list -------------------------------------------------------------------------------- */

static void read_lesson(RegardWindow *self, const char *path, gboolean again);

/* LIST: where the shelf comes from. */
static void
on_listed(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  g_clear_pointer(&self->learn->shelf, g_ptr_array_unref);
  self->learn->shelf = regard_run_finish(run, NULL);
  if (!self->learn->shelf)
    return;
  regard_learn_panel_set_lessons(self->learn_panel, self->learn->shelf, self->learn->progress);
  g_autofree char *wanted = g_steal_pointer(&self->learn->wanted);
  if (wanted)
    gtk_widget_activate_action(GTK_WIDGET(self), "win.lesson", "s", wanted);
}

static void
list_lessons(RegardWindow *self)
{
  if (!self->learn->shelf && !regard_work_is_busy(self->learn->listing))
    regard_work_run(self->learn->listing, &regard_lesson_shelf_task, NULL, NULL, on_listed);
}

/* ---- How far one is -------------------------------------------------------------------------- */

static void
on_progress(RegardWindow *self)
{
  const char *message = regard_progress_get_message(self->learn->progress);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.save-answers",
                                regard_progress_get_all(self->learn->progress)->len > 0);
  if (!message)
    return;
  regard_toast(self->root, message);
  regard_progress_clear_message(self->learn->progress);
}

/* A step that is reached is noted once it is set up, with what it measured. */
static void
note_step(RegardWindow *self, const RegardLessonRunState *state)
{
  if (!state->lesson || state->phase == REGARD_LESSON_SETTING_UP ||
      self->learn->noted == state->step)
    return;
  self->learn->noted = state->step;
  regard_progress_note_step(self->learn->progress, state->lesson, state->step, state->values,
                            state->lesson->names->len);
}

static void
on_answered(RegardWindow *self)
{
  RegardAnswer *answer = regard_lesson_run_take_answer(self->learn->run);
  const RegardLessonRunState *state = regard_lesson_run_get_state(self->learn->run);
  if (answer)
    regard_progress_note_answer(self->learn->progress, state->lesson, answer);
}

/* To the step that was reached before, of a lesson that was left in the middle. */
static void
go_on(RegardWindow *self, const RegardLesson *lesson)
{
  g_autofree char *changed = regard_progress_begin(self->learn->progress, lesson);
  const RegardLessonRecord *record = regard_progress_get(self->learn->progress, lesson->id);
  const guint step = record && !record->is_done ? regard_lesson_record_step(record, lesson) : 0;
  self->learn->noted = G_MAXUINT;
  if (changed)
    regard_toast(self->root, changed);
  if (step > 0)
    regard_lesson_run_go(self->learn->run, step);
}

/* SAVE: with the files of the model, by which another machine knows it. */
static void
on_answers_saved(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  g_autoptr(GError) error = NULL;
  const RegardAnswersSaving *saving = regard_run_get_params(run);
  g_autofree char *name = g_path_get_basename(saving->path);
  g_autofree char *shown = g_utf8_make_valid(name, -1);
  g_autofree char *said = regard_run_finish(run, &error)
                              ? g_strdup_printf(_("Your answers are saved as “%s”"), shown)
                              : g_strdup(error->message);
  regard_toast(self->root, said);
}

static void
write_answers(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  mt_model *model = regard_document_get_model(self->document);
  const GPtrArray *known = regard_progress_get_all(self->learn->progress);
  RegardAnswersSaving saving = {
      .path = g_strdup(g_variant_get_string(parameter, NULL)),
      .records = g_ptr_array_new_with_free_func((GDestroyNotify) regard_lesson_record_free),
      .model = model ? mt_model_ref(model) : NULL,
  };
  for (guint i = 0; i < known->len; i++)
    g_ptr_array_add(saving.records, regard_lesson_record_copy(known->pdata[i]));
  regard_work_run(self->learn->saving, &regard_answers_saving_task, NULL, &saving,
                  on_answers_saved);
}

static void
save_answers(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  /* Translators: a name that is offered for a file */
  g_autofree char *offered = g_strconcat(_("answers"), REGARD_ANSWERS_SUFFIX, NULL);
  regard_export_choose_place(GTK_WINDOW(self), self->settings, _("Save My Answers"), offered,
                             "win.write-answers");
}

/* ---- Lessons from files ---------------------------------------------------------------------- */

static gboolean
on_saved(gpointer data)
{
  RegardWindow *self = data;
  self->learn->saved = 0;
  if (self->learn->path) {
    g_autofree char *path = g_strdup(self->learn->path);
    read_lesson(self, path, TRUE);
  }
  return G_SOURCE_REMOVE;
}

static void
on_file(RegardWindow *self, GFile *file, GFile *other, GFileMonitorEvent event)
{
  /* An editor writes beside it, and renames; what is gone for a moment is back in the next. */
  if (event == G_FILE_MONITOR_EVENT_DELETED || event == G_FILE_MONITOR_EVENT_ATTRIBUTE_CHANGED)
    return;
  g_clear_handle_id(&self->learn->saved, g_source_remove);
  self->learn->saved = g_timeout_add(SAVED_AFTER, on_saved, self);
}

static void
forget_file(RegardWindow *self)
{
  g_clear_handle_id(&self->learn->saved, g_source_remove);
  if (self->learn->monitor)
    g_file_monitor_cancel(self->learn->monitor);
  g_clear_object(&self->learn->monitor);
  g_clear_pointer(&self->learn->path, g_free);
}

static void
follow_file(RegardWindow *self, const char *path)
{
  forget_file(self);
  g_autoptr(GFile) file = g_file_new_for_path(path);
  self->learn->path = g_strdup(path);
  self->learn->monitor = g_file_monitor_file(file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->learn->monitor)
    g_signal_connect_object(self->learn->monitor, "changed", G_CALLBACK(on_file), self,
                            G_CONNECT_SWAPPED);
}

static void
begin(RegardWindow *self, RegardLesson *lesson, const char *path)
{
  const gboolean is_inside =
      gtk_window_get_focus(GTK_WINDOW(self)) &&
      gtk_widget_is_ancestor(gtk_window_get_focus(GTK_WINDOW(self)), GTK_WIDGET(self->learn_panel));
  if (!self->learn->look)
    self->learn->look = regard_window_put_look_aside(self);
  regard_window_begin_look(self);
  follow_file(self, path);
  regard_lesson_run_start(self->learn->run, lesson);
  go_on(self, lesson);
  if (!is_inside)
    regard_learn_panel_focus(self->learn_panel);
}

/* What cannot be read is said, and the last good state stays. */
static void
on_read(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  char *const *path = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardLesson) lesson = regard_run_finish(run, &error);
  regard_learn_panel_set_error(self->learn_panel, error ? error->message : NULL);
  if (!lesson)
    return;
  if (self->learn->is_again && regard_lesson_run_get_step(self->learn->run))
    regard_lesson_run_replace(self->learn->run, lesson);
  else
    begin(self, lesson, *path);
}

static void
read_lesson(RegardWindow *self, const char *path, gboolean again)
{
  char *taken = g_canonicalize_filename(path, NULL);
  self->learn->is_again = again;
  regard_work_run(self->learn->reading, &regard_lesson_read_task, NULL, &taken, on_read);
}

/* ---- What is back ---------------------------------------------------------------------------- */

static void
on_left(RegardWindow *self)
{
  RegardWindowLook *look = g_steal_pointer(&self->learn->look);
  forget_file(self);
  regard_work_drop(self->learn->reading);
  regard_learn_panel_set_error(self->learn_panel, NULL);
  if (look)
    regard_window_return_look(self, look);
}

/* While a copy is worked on it is not saved in the place of what is the person's. */
static void
on_aside(RegardWindow *self)
{
  static const char *const saving[] = {"win.save-session", "win.save-session-as",
                                       "win.write-session"};
  for (guint i = 0; i < G_N_ELEMENTS(saving); i++)
    gtk_widget_action_set_enabled(GTK_WIDGET(self), saving[i],
                                  !regard_document_is_aside(self->document));
}

const RegardLesson *
regard_window_get_lesson(RegardWindow *self)
{
  const RegardLesson *given = regard_window_get_talk(self);
  return given || !self->learn ? given : regard_lesson_run_get_state(self->learn->run)->lesson;
}

const RegardLessonRunState *
regard_window_get_lesson_state(RegardWindow *self)
{
  return regard_lesson_run_get_state(self->learn->run);
}

char *
regard_window_suspend_lesson(RegardWindow *self)
{
  char *path = regard_lesson_run_get_step(self->learn->run) ? g_strdup(self->learn->path) : NULL;
  regard_lesson_run_leave(self->learn->run);
  return path;
}

void
regard_window_hide_learn(RegardWindow *self, gboolean is_hidden)
{
  g_autoptr(GVariant) is_open = g_action_get_state(G_ACTION(self->learn->action));
  g_simple_action_set_enabled(self->learn->action, !is_hidden);
  gtk_widget_set_visible(GTK_WIDGET(self->learn_panel),
                         !is_hidden && g_variant_get_boolean(is_open));
}

static void
on_run(RegardWindow *self)
{
  static const char *const going[] = {"win.lesson-next", "win.lesson-back", "win.lesson-focus",
                                      "win.leave-lesson"};
  const RegardLessonRunState *state = regard_lesson_run_get_state(self->learn->run);
  for (guint i = 0; i < G_N_ELEMENTS(going); i++)
    gtk_widget_action_set_enabled(GTK_WIDGET(self), going[i],
                                  state->lesson && (i != 1 || state->step > 0));
  if (self->learn->shown != state->lesson) {
    self->learn->shown = state->lesson;
    regard_window_update_simple(self);
    lay_out(self);
  }
  note_step(self, state);
}

static void
on_finished(RegardWindow *self)
{
  const RegardLessonRunState *state = regard_lesson_run_get_state(self->learn->run);
  regard_progress_note_done(self->learn->progress, state->lesson);
}

/* ---- Actions --------------------------------------------------------------------------------- */

static void
on_learn(GSimpleAction *action, GVariant *parameter, RegardWindow *self)
{
  g_autoptr(GVariant) state = g_action_get_state(G_ACTION(action));
  const gboolean is_shown = !g_variant_get_boolean(state);
  if (!is_shown)
    regard_lesson_run_leave(self->learn->run);
  set_shown(self, is_shown);
  if (is_shown) {
    list_lessons(self);
    regard_learn_panel_focus(self->learn_panel);
  } else
    regard_window_focus_picture(self);
}

static void
open_by_id(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *id = g_variant_get_string(parameter, NULL);
  set_shown(self, TRUE);
  if (!self->learn->shelf) {
    g_free(self->learn->wanted);
    self->learn->wanted = g_strdup(id);
    list_lessons(self);
    return;
  }
  const RegardShelfRow *row = regard_lesson_shelf_find(self->learn->shelf, id);
  if (row)
    read_lesson(self, row->path, FALSE);
}

static void
read_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  set_shown(self, TRUE);
  list_lessons(self);
  read_lesson(self, g_variant_get_string(parameter, NULL), FALSE);
}

static void
choose(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_choose_file(widget, _("Open Lesson"), _("_Open"), _("Lessons"), "lesson.md", FALSE,
                     "win.read-lesson");
}

static void
leave(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  regard_lesson_run_leave(self->learn->run);
  regard_learn_panel_focus(self->learn_panel);
}

/* Behind the last step is the list, at the lesson that comes next. */
static void
go(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const RegardLessonRunState *state = regard_lesson_run_get_state(self->learn->run);
  if (!state->lesson)
    return;
  if (g_str_equal(name, "win.lesson-back"))
    regard_lesson_run_go(self->learn->run, state->step ? state->step - 1 : 0);
  else if (state->step + 1 < state->lesson->steps->len)
    regard_lesson_run_go(self->learn->run, state->step + 1);
  else {
    g_autofree char *id = g_strdup(state->lesson->id);
    leave(widget, name, NULL);
    regard_learn_panel_focus_next(self->learn_panel, id);
  }
}

void
regard_window_install_learn_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.lesson", "s", open_by_id);
  gtk_widget_class_install_action(klass, "win.read-lesson", "s", read_);
  gtk_widget_class_install_action(klass, "win.open-lesson", NULL, choose);
  gtk_widget_class_install_action(klass, "win.save-answers", NULL, save_answers);
  gtk_widget_class_install_action(klass, "win.write-answers", "s", write_answers);
  gtk_widget_class_install_action(klass, "win.leave-lesson", NULL, leave);
  gtk_widget_class_install_action(klass, "win.lesson-next", NULL, go);
  gtk_widget_class_install_action(klass, "win.lesson-back", NULL, go);
  gtk_widget_class_install_action(klass, "win.lesson-focus", NULL, focus);
}

/* ---- The window ------------------------------------------------------------------------------ */

/* Pages go one after the other with the window. */
static void
on_page(RegardWindow *self)
{
  if (self->learn)
    regard_lesson_run_look(self->learn->run);
}

static void
on_cell(RegardWindow *self)
{
  regard_lesson_run_note(self->learn->run, REGARD_WAIT_CELL);
}

static void
on_step(RegardWindow *self)
{
  regard_lesson_run_note(self->learn->run, REGARD_WAIT_STEP);
}

void
regard_window_observe_learn(RegardWindow *self)
{
  Learn *learn = self->learn = g_new0(Learn, 1);
  learn->run = regard_lesson_run_new(REGARD_STAGE(self));
  learn->listing = regard_work_new(self);
  learn->reading = regard_work_new(self);
  learn->saving = regard_work_new(self);
  learn->progress = regard_progress_get_default();
  learn->action = g_simple_action_new_stateful("learn", NULL, g_variant_new_boolean(FALSE));
  g_signal_connect_object(learn->action, "activate", G_CALLBACK(on_learn), self, 0);
  g_action_map_add_action(G_ACTION_MAP(self), G_ACTION(learn->action));
  gtk_widget_set_size_request(GTK_WIDGET(self->learn_panel), LEAST_WIDTH, -1);
  regard_learn_panel_set_run(self->learn_panel, learn->run);
  regard_observe(learn->run, self, on_point, "point");
  regard_observe(learn->run, self, on_left, "left");
  regard_observe(learn->run, self, on_run, "changed");
  regard_observe(learn->run, self, on_answered, "answered");
  regard_observe(learn->run, self, on_finished, "finished");
  regard_observe(learn->progress, self, on_progress, "changed");
  regard_observe(self->learn_panel, self, regard_window_follow_link, "link");
  regard_observe(self->document, self, on_aside, "changed::aside");
  regard_observe(self->learn_paned, self, on_moved, "notify::position");
  regard_observe(self->learn_paned, self, lay_out, "notify::max-position", "notify::position");
  regard_observe(self->views, self, on_page, "notify::visible-child");
  for (GtkWidget *page = gtk_widget_get_first_child(GTK_WIDGET(self->views)); page;
       page = gtk_widget_get_next_sibling(page)) {
    regard_observe(page, self, on_cell, "cell-chosen");
    regard_observe(page, self, on_step, "step-chosen");
  }
  on_run(self);
  on_progress(self);
}

void
regard_window_leave_lesson(RegardWindow *self)
{
  if (self->learn)
    regard_lesson_run_leave(self->learn->run);
}

void
regard_window_forget_learn(RegardWindow *self)
{
  Learn *learn = self->learn;
  if (!learn)
    return;
  regard_lesson_run_close(learn->run);
  regard_progress_flush(learn->progress, NULL);
  self->learn = NULL;
  regard_directive_free(learn->linked);
  g_clear_object(&learn->reading);
  g_clear_object(&learn->saving);
  g_clear_object(&learn->listing);
  g_clear_object(&learn->action);
  g_clear_pointer(&learn->shelf, g_ptr_array_unref);
  g_free(learn->wanted);
  g_clear_object(&learn->run);
  g_free(learn);
}
