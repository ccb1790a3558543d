/* regard-window-talk.c — the talk of a window: its file, and how it is recorded and edited.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A talk that has a file is saved with every change; one that has none is kept when the window is
 * closed, and is there again when the program is started next. A change can be taken back. How a
 * talk is given is -give.c.
 */
#include "window/regard-window-talk.h"

#include "base/regard-signals.h"
#include "export/regard-command.h"
#include "export/regard-export-job.h"
#include "figures/regard-naming.h"
#include "parts/regard-messages.h"
#include "talk/regard-slide-editor.h"
#include "talk/regard-talk-handout.h"
#include "widgets/regard-gtk.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

/* Changes that can be taken back. */
#define MOST_BEFORE 50
/* Of the picture of a slide: as wide as a page of the handout, sharp on paper and on a screen. */
static const RegardExportOptions picture_options = {170, 8, 200, 0, 0};

/* ---- The talk -------------------------------------------------------------------------------- */

static void
show_talk(RegardWindow *self, guint selected)
{
  const WindowTalk *t = self->talk;
  const guint n = regard_talk_n_slides(t->talk);
  g_autofree char *name = t->path ? g_filename_display_basename(t->path) : NULL;
  regard_talk_panel_set_talk(self->talk_panel, t->talk, name, selected);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.undo-slide", t->before->len > 0);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.save-talk-as", n > 0);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.save-handout", n > 0);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.close-talk", n > 0 || t->path);
  regard_window_update_giving(self);
}

void
regard_window_show_talk_panel(RegardWindow *self)
{
  if (!self->talk)
    return;
  g_autoptr(GVariant) is_shown = g_action_get_state(G_ACTION(self->talk->action));
  gtk_widget_set_visible(GTK_WIDGET(self->talk_panel),
                         g_variant_get_boolean(is_shown) && !self->is_presenting);
}

static void
set_panel(RegardWindow *self, gboolean is_shown)
{
  g_simple_action_set_state(self->talk->action, g_variant_new_boolean(is_shown));
  regard_window_show_talk_panel(self);
}

static char *
kept_path(const char *name)
{
  g_autofree char *base = g_strconcat(name, REGARD_TALK_ENDING, NULL);
  return g_build_filename(g_get_user_data_dir(), "regard", base, NULL);
}

/* It has a file now, or nobody wants it any more. */
static void
forget_unsaved(RegardWindow *self)
{
  g_autofree char *path = kept_path("unsaved");
  if (self->talk->owns_unsaved)
    g_unlink(path);
}

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct {
  RegardTalk *talk;
  char *path;
} Writing;

static void
writing_clear(gpointer data)
{
  Writing *writing = data;
  regard_talk_unref(writing->talk);
  g_free(writing->path);
}

static gpointer
write_talk(RegardRun *run, mt_error *failure)
{
  const Writing *writing = regard_run_get_params(run);
  GError *error = NULL;
  if (regard_talk_write(writing->talk, writing->path, &error))
    return run;
  regard_run_take_error(run, error);
  return NULL;
}

static const RegardTask write_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(Writing),
    .compute = write_talk,
    .clear_params = writing_clear,
};

static void
say_saved(RegardWindow *self, const char *path)
{
  g_autofree char *shown = g_filename_display_basename(path);
  g_autofree char *said = g_strdup_printf(_("Saved %s"), shown);
  g_autofree char *uri = g_filename_to_uri(path, NULL, NULL);
  regard_toast_with_button(self->root, said, _("Show in Folder"), "win.show-in-folder", uri);
  regard_messages_file_stands(self->messages);
}

static void write_now(RegardWindow *self);

static void
on_written(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  WindowTalk *t = self->talk;
  const Writing *writing = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  if (!regard_run_finish(run, &error)) {
    regard_messages_file_failed(self->messages, error->message,
                                _("The talk is as you see it, but its file is not. Save it in "
                                  "another place, or make room and change it once more."));
    return;
  }
  regard_messages_file_stands(self->messages);
  if (t->is_named) {
    say_saved(self, writing->path);
    regard_log_add_done(self->log, _("Talk saved"), writing->path, NULL, NULL,
                        g_strdup(_("its slides were recorded in the window")));
    regard_window_note_recent(writing->path);
    forget_unsaved(self);
    t->is_named = FALSE;
  }
  if (writing->talk != t->talk) /* it was changed meanwhile */
    write_now(self);
}

/* One writes at a time, so that the newest is the last. */
static void
write_now(RegardWindow *self)
{
  WindowTalk *t = self->talk;
  if (!t->path || !t->talk->lesson || regard_work_is_busy(t->writing))
    return;
  const Writing writing = {regard_talk_ref(t->talk), g_strdup(t->path)};
  regard_work_run(t->writing, &write_task, NULL, &writing, on_written);
}

/* ---- Changing -------------------------------------------------------------------------------- */

/* talk: taken. */
static void
replace(RegardWindow *self, RegardTalk *talk, guint selected)
{
  WindowTalk *t = self->talk;
  g_ptr_array_add(t->before, t->talk);
  if (t->before->len > MOST_BEFORE)
    g_ptr_array_remove_index(t->before, 0);
  t->talk = talk;
  show_talk(self, selected);
  write_now(self);
}

/* talk NULL: it could not be done. */
static gboolean
take(RegardWindow *self, RegardTalk *talk, guint selected, GError *error)
{
  if (talk)
    replace(self, talk, selected);
  else
    regard_toast(self->root, error->message);
  g_clear_error(&error);
  return talk != NULL;
}

static gboolean
has_slide(RegardWindow *self, guint slide)
{
  return slide < regard_talk_n_slides(self->talk->talk);
}

static void
move(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  guint from, to;
  GError *error = NULL;
  g_variant_get(parameter, "(uu)", &from, &to);
  if (!has_slide(self, from) || !has_slide(self, to))
    return;
  RegardTalk *moved = regard_talk_move(self->talk->talk, from, to, &error);
  take(self, moved, to, error);
}

/* It is read aloud, too. */
static void
say_undoable(RegardWindow *self, const char *said)
{
  regard_toast_with_undo(self->root, said, "win.undo-slide");
  regard_announce(self->root, said);
}

static void
remove_slide(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const guint slide = g_variant_get_uint32(parameter);
  GError *error = NULL;
  if (!has_slide(self, slide))
    return;
  g_autofree char *said =
      g_strdup_printf(_("Deleted “%s”"), regard_talk_slide(self->talk->talk, slide)->title);
  RegardTalk *less = regard_talk_remove(self->talk->talk, slide, &error);
  if (take(self, less, slide, error))
    say_undoable(self, said);
}

static gboolean
on_edited(gpointer user, guint slide, const char *title, const char *text, const char *notes,
          GError **error)
{
  RegardWindow *self = user;
  if (!has_slide(self, slide))
    return TRUE;
  RegardTalk *edited = regard_talk_reword(self->talk->talk, slide, title, text, notes, error);
  if (edited)
    replace(self, edited, slide);
  return edited != NULL;
}

static void
edit(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const guint slide = g_variant_get_uint32(parameter);
  if (has_slide(self, slide))
    regard_slide_editor_open(GTK_WINDOW(self), self->talk->talk, slide, on_edited, self);
}

static void
undo(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  WindowTalk *t = self->talk;
  if (t->before->len == 0)
    return;
  regard_talk_unref(t->talk);
  t->talk = g_ptr_array_steal_index(t->before, t->before->len - 1);
  show_talk(self, regard_talk_panel_get_selected(self->talk_panel));
  write_now(self);
}

/* ---- Recording ------------------------------------------------------------------------------- */

/* What was on the screen when it was asked for; its parts arrive one after the other. */
typedef struct {
  RegardWindow *window;
  char *title, *directives;
  GBytes *picture, *session;
  GError *error;
  guint n_left;
} Recording;

static void
recording_free(Recording *recording)
{
  g_object_unref(recording->window);
  g_free(recording->title);
  g_free(recording->directives);
  g_clear_pointer(&recording->picture, g_bytes_unref);
  g_clear_pointer(&recording->session, g_bytes_unref);
  g_clear_error(&recording->error);
  g_free(recording);
}

static void
end_recording(Recording *recording)
{
  RegardWindow *self = recording->window;
  if (--recording->n_left > 0)
    return;
  WindowTalk *t = self->talk;
  if (!t || regard_document_is_closed(self->document)) {
    recording_free(recording);
    return;
  }
  t->is_recording = FALSE;
  const guint n = regard_talk_n_slides(t->talk);
  GError *error = g_steal_pointer(&recording->error);
  RegardTalk *more = NULL;
  if (!error)
    more = regard_talk_record(t->talk, n, recording->title, recording->directives,
                              recording->session, recording->picture, &error);
  if (take(self, more, n, error)) {
    g_autofree char *said = g_strdup_printf(_("Recorded as slide %u"), n + 1);
    g_autofree char *slide = g_strdup_printf("%u · %s", n + 1, recording->title);
    regard_log_add_done(self->log, _("Slide recorded"), NULL, slide, NULL,
                        g_strdup(_("slides are recorded in the window")));
    say_undoable(self, said);
  }
  recording_free(recording);
}

static void
on_picture(gpointer data, RegardRun *run)
{
  Recording *recording = data;
  recording->picture = regard_run_finish(run, NULL); /* a slide can do without */
  end_recording(recording);
}

static void
on_session(gpointer data, RegardRun *run)
{
  Recording *recording = data;
  recording->session = regard_run_finish(run, &recording->error);
  end_recording(recording);
}

/* By what slides of a list are told apart: the head or the page, and the sentence. Caller frees. */
static char *
say_what_is_shown(RegardWindow *self, const char *page)
{
  const RegardHeadRef *place = regard_document_get_place(self->document);
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  const mt_tokens *source = mt_capture_source(capture);
  const mt_tokens *tokens = source ? source : mt_capture_output(capture);
  g_autofree char *shown = regard_naming_head(place->kind, place->layer, place->head);
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix(page, views[i].id) && !g_str_equal(views[i].id, "attention")) {
      g_free(shown);
      shown = g_strdup(_(views[i].title));
    }
  /* Translators: a head as in "cross 5.5", or a page, and the sentence that it is shown of */
  return g_strdup_printf(_("%s · %s"), shown, tokens ? mt_tokens_text(tokens) : "");
}

/* What has a picture, and has come to rest. */
static gboolean
can_record(RegardWindow *self)
{
  if (self->talk->is_recording)
    return FALSE;
  if (!regard_window_get_view(self) || !regard_selection_get_capture(self->selection)) {
    regard_toast(self->root, _("There is no picture yet that could be recorded"));
    return FALSE;
  }
  if (!regard_document_get_imported_capture(self->document) &&
      (regard_document_is_waiting(self->document) || regard_document_is_opening(self->document))) {
    regard_toast(self->root, _("Wait until the translation is there, and record it then"));
    return FALSE;
  }
  return TRUE;
}

/* A session knows the page, and neither which part of it nor its own step. Caller frees; NULL: it
 * has none. */
static char *
dup_directives(RegardWindow *self, const char *page)
{
  const guint step = regard_view_get_step(regard_window_get_page(self));
  return step                ? g_strdup_printf("page %s\nstep %u\n", page, step)
         : strchr(page, '/') ? g_strdup_printf("page %s\n", page)
                             : NULL;
}

static void
record(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  RegardView *view = regard_window_get_view(self);
  guint n = 0;
  if (!can_record(self) || regard_window_waits(self, name, NULL))
    return;
  g_autofree char *page = regard_stage_dup_page(REGARD_STAGE(self));
  g_auto(RegardViewState) look = {0};
  const RegardPicture *choices = regard_view_get_export_choices(view, &n);
  RegardFigure *figure = n ? regard_view_create_figure(view, choices[0].id) : NULL;
  Recording *recording = g_new(Recording, 1);
  *recording = (Recording){
      .window = g_object_ref(self),
      .title = say_what_is_shown(self, page),
      .directives = dup_directives(self, page),
      .n_left = figure ? 2 : 1,
  };
  self->talk->is_recording = TRUE;
  set_panel(self, TRUE);
  regard_window_take_view_state(self, &look);
  if (figure) {
    const RegardExportJob job = {.figure = figure,
                                 .format = regard_export_format_find("png"),
                                 .options = picture_options};
    regard_runner_start(&regard_export_render_task, NULL, &job, on_picture, recording);
  }
  regard_document_make_session(self->document, recording->title, &look, on_session, recording);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* talk: taken; path NULL: it has no file. What can be taken back is of another talk. */
static void
take_talk(RegardWindow *self, RegardTalk *talk, const char *path)
{
  WindowTalk *t = self->talk;
  g_ptr_array_set_size(t->before, 0);
  regard_talk_unref(t->talk);
  t->talk = talk;
  g_free(t->path);
  t->path = g_strdup(path);
  show_talk(self, 0);
}

static gpointer
read_talk(RegardRun *run, mt_error *failure)
{
  char *const *path = regard_run_get_params(run);
  GError *error = NULL;
  RegardTalk *talk = regard_talk_read(*path, &error);
  if (!talk)
    regard_run_take_error(run, error);
  return talk;
}

static const RegardTask read_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(char *),
    .compute = read_talk,
    .clear_params = regard_task_free_parameter,
    .free_result = (GDestroyNotify) regard_talk_unref,
};

static gboolean
keep_as(RegardWindow *self, const char *path)
{
  g_autofree char *folder = g_path_get_dirname(path);
  g_autoptr(GError) error = NULL;
  g_mkdir_with_parents(folder, 0700);
  const gboolean is_kept = regard_talk_write(self->talk->talk, path, &error);
  if (!is_kept)
    g_warning("%s", error->message);
  return is_kept;
}

/* Where another one may be kept already it is among the recent files, by the time. */
static void
keep_beside(RegardWindow *self)
{
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autofree char *name = g_date_time_format(now, "talk-%Y%m%d-%H%M%S");
  g_autofree char *path = kept_path(name);
  if (keep_as(self, path))
    regard_window_note_recent(path);
}

/* What cannot be read changes nothing. */
static void
on_read(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  char *const *path = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  RegardTalk *talk = regard_run_finish(run, &error);
  if (!talk) {
    regard_messages_file_failed(self->messages, error->message,
                                _("Nothing was changed. The talk is what it was."));
    return;
  }
  regard_messages_file_stands(self->messages);
  regard_window_end_talk(self);
  /* One without a file is not lost by opening another. */
  if (self->talk->talk->lesson && !self->talk->path) {
    keep_beside(self);
    forget_unsaved(self);
    regard_toast(self->root, _("The talk that was not saved is among the recent files"));
  }
  take_talk(self, talk, *path);
  regard_log_add_done(self->log, _("Talk opened"), *path, NULL, regard_command_open(*path), NULL);
  regard_window_note_recent(*path);
  set_panel(self, TRUE);
  regard_talk_panel_focus(self->talk_panel);
}

static void
read_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  char *path = g_canonicalize_filename(g_variant_get_string(parameter, NULL), NULL);
  regard_work_run(self->talk->reading, &read_task, NULL, &path, on_read);
}

static void
choose(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_choose_file(widget, _("Open Talk"), _("_Open"), _("Talks of Regard"), "regard-talk", FALSE,
                     "win.read-talk");
}

/* A talk is called as its file, unless somebody called it otherwise. */
static void
name_talk(WindowTalk *t, const char *path)
{
  g_autofree char *base = g_filename_display_basename(path);
  if (g_str_has_suffix(base, REGARD_TALK_ENDING))
    base[strlen(base) - strlen(REGARD_TALK_ENDING)] = '\0';
  if (!g_str_equal(t->talk->lesson->title, "Talk"))
    return;
  RegardTalk *named = regard_talk_rename(t->talk, base, NULL);
  if (named) {
    regard_talk_unref(t->talk);
    t->talk = named;
  }
}

static void
write_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  WindowTalk *t = self->talk;
  const char *path = g_variant_get_string(parameter, NULL);
  if (!t->talk->lesson)
    return;
  regard_work_drop(t->writing);
  name_talk(t, path);
  g_free(t->path);
  t->path = regard_talk_has_ending(path) ? g_canonicalize_filename(path, NULL)
                                         : g_strconcat(path, REGARD_TALK_ENDING, NULL);
  t->is_named = TRUE;
  show_talk(self, regard_talk_panel_get_selected(self->talk_panel));
  write_now(self);
}

/* A file for something of the talk is chosen; its path goes to the action. */
static void
choose_place(RegardWindow *self, const char *title, const char *ending, const char *action)
{
  g_autofree char *base =
      self->talk->path ? g_path_get_basename(self->talk->path) : g_strdup(_("talk"));
  if (g_str_has_suffix(base, REGARD_TALK_ENDING))
    base[strlen(base) - strlen(REGARD_TALK_ENDING)] = '\0';
  g_autofree char *offered = g_strconcat(base, ending, NULL);
  regard_export_choose_place(GTK_WINDOW(self), self->settings, title, offered, action);
}

static void
save_as(GtkWidget *widget, const char *name, GVariant *parameter)
{
  choose_place(REGARD_WINDOW(widget), _("Save Talk"), REGARD_TALK_ENDING, "win.write-talk");
}

/* ---- The handout ----------------------------------------------------------------------------- */

static gpointer
write_handout(RegardRun *run, mt_error *failure)
{
  const Writing *writing = regard_run_get_params(run);
  GError *error = NULL;
  g_autoptr(GBytes) pdf = regard_talk_make_handout(writing->talk, &error);
  if (pdf && regard_export_write_bytes(pdf, writing->path, &error))
    return run;
  regard_run_take_error(run, error);
  return NULL;
}

static const RegardTask handout_task = {
    .priority = REGARD_RUN_OTHER,
    .params_size = sizeof(Writing),
    .compute = write_handout,
    .clear_params = writing_clear,
};

/* A talk that has a file is saved with every change. */
static void
log_handout(RegardWindow *self, const Writing *writing)
{
  const WindowTalk *t = self->talk;
  const gboolean is_saved = t->path && writing->talk == t->talk;
  GString *command = is_saved ? regard_command_new("talk/handout") : NULL;
  if (command) {
    g_autofree char *talk = regard_command_quote_path(t->path),
                    *pdf = regard_command_quote_path(writing->path);
    g_string_append_printf(command, " %s -o %s", talk, pdf);
  }
  regard_log_add_done(self->log, _("Handout saved"), writing->path, NULL,
                      command ? g_string_free(command, FALSE) : NULL,
                      command ? NULL : g_strdup(_("the talk has no file")));
}

static void
on_handout(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  const Writing *writing = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  if (regard_run_finish(run, &error)) {
    say_saved(self, writing->path);
    log_handout(self, writing);
  } else
    regard_messages_file_failed(self->messages, error->message,
                                _("Choose another place, or make room, and save again."));
}

static void
write_handout_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *path = g_variant_get_string(parameter, NULL);
  const Writing writing = {regard_talk_ref(self->talk->talk),
                           g_str_has_suffix(path, ".pdf") ? g_strdup(path)
                                                          : g_strconcat(path, ".pdf", NULL)};
  regard_work_run(self->talk->printing, &handout_task, NULL, &writing, on_handout);
}

static void
save_handout(GtkWidget *widget, const char *name, GVariant *parameter)
{
  choose_place(REGARD_WINDOW(widget), _("Save Handout"), ".pdf", "win.write-handout");
}

/* The way back is the talk itself. */
static void
close_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  WindowTalk *t = self->talk;
  const gboolean had_file = t->path != NULL;
  regard_window_end_talk(self);
  g_clear_pointer(&t->path, g_free);
  if (t->talk->lesson && !had_file) {
    replace(self, regard_talk_new(), 0);
    say_undoable(self, _("Closed a talk that was not saved"));
  } else
    take_talk(self, regard_talk_new(), NULL);
  forget_unsaved(self);
  set_panel(self, FALSE);
}

/* ---- A talk without a file ------------------------------------------------------------------- */

void
regard_window_keep_talk(RegardWindow *self)
{
  const WindowTalk *t = self->talk;
  g_autofree char *path = kept_path("unsaved");
  if (!t || !t->talk->lesson || t->path)
    return;
  if (t->owns_unsaved)
    keep_as(self, path);
  else
    keep_beside(self);
}

/* Mostly there is none. */
static void
on_unsaved(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  RegardTalk *talk = regard_run_finish(run, NULL);
  self->talk->owns_unsaved = TRUE;
  if (!talk)
    return;
  if (self->talk->talk->lesson) { /* somebody was faster */
    regard_talk_unref(talk);
    return;
  }
  take_talk(self, talk, NULL);
  set_panel(self, TRUE);
  regard_toast(self->root, _("The talk that was not saved is here again"));
}

/* By the first window of the program. */
static void
look_for_unsaved(RegardWindow *self)
{
  GtkApplication *application = gtk_window_get_application(GTK_WINDOW(self));
  GList *windows = application ? gtk_application_get_windows(application) : NULL;
  if (!windows || windows->next)
    return;
  char *path = kept_path("unsaved");
  regard_work_run(self->talk->reading, &read_task, NULL, &path, on_unsaved);
}

/* ---- The window ------------------------------------------------------------------------------ */

static void
on_talk(GSimpleAction *action, GVariant *parameter, RegardWindow *self)
{
  const gboolean is_shown = !gtk_widget_get_visible(GTK_WIDGET(self->talk_panel));
  set_panel(self, is_shown);
  if (is_shown)
    regard_talk_panel_focus(self->talk_panel);
  else
    regard_window_focus_picture(self);
}

void
regard_window_install_talk_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.record-slide", NULL, record);
  gtk_widget_class_install_action(klass, "win.edit-slide", "u", edit);
  gtk_widget_class_install_action(klass, "win.move-slide", "(uu)", move);
  gtk_widget_class_install_action(klass, "win.remove-slide", "u", remove_slide);
  gtk_widget_class_install_action(klass, "win.undo-slide", NULL, undo);
  gtk_widget_class_install_action(klass, "win.open-talk", NULL, choose);
  gtk_widget_class_install_action(klass, "win.read-talk", "s", read_);
  gtk_widget_class_install_action(klass, "win.save-talk-as", NULL, save_as);
  gtk_widget_class_install_action(klass, "win.write-talk", "s", write_);
  gtk_widget_class_install_action(klass, "win.close-talk", NULL, close_);
  gtk_widget_class_install_action(klass, "win.save-handout", NULL, save_handout);
  gtk_widget_class_install_action(klass, "win.write-handout", "s", write_handout_);
  regard_window_install_give_actions(klass);
}

void
regard_window_observe_talk(RegardWindow *self)
{
  WindowTalk *t = self->talk = g_new0(WindowTalk, 1);
  t->talk = regard_talk_new();
  t->before = g_ptr_array_new_with_free_func((GDestroyNotify) regard_talk_unref);
  t->reading = regard_work_new(self);
  t->writing = regard_work_new(self);
  t->printing = regard_work_new(self);
  t->action = g_simple_action_new_stateful("talk", NULL, g_variant_new_boolean(FALSE));
  g_signal_connect_object(t->action, "activate", G_CALLBACK(on_talk), self, 0);
  g_action_map_add_action(G_ACTION_MAP(self), G_ACTION(t->action));
  regard_window_observe_giving(self);
  show_talk(self, 0);
  look_for_unsaved(self);
}

void
regard_window_forget_talk(RegardWindow *self)
{
  WindowTalk *t = self->talk;
  if (!t)
    return;
  regard_window_forget_giving(self);
  self->talk = NULL;
  g_clear_object(&t->reading);
  g_clear_object(&t->writing);
  g_clear_object(&t->printing);
  g_clear_object(&t->action);
  g_ptr_array_unref(t->before);
  regard_talk_unref(t->talk);
  g_free(t->path);
  g_free(t);
}
