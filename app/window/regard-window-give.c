/* regard-window-give.c — a talk that is given in the window: the window as a room sees it, the keys
 * of a clicker, and what is back after it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The keys of a talk are caught before the pages have them (RegardTalkShow says which). What the
 * room sees is the window in large letters, with one line below the picture (RegardTalkBar).
 */
#include "window/regard-window-talk.h"

#include "base/regard-signals.h"
#include "parts/regard-messages.h"
#include "talk/regard-talk-states.h"
#include "widgets/regard-gtk.h"

#include <glib/gi18n.h>

/* ---- Letters --------------------------------------------------------------------------------- */

/* How much larger letters are, by the height of the screen in px. */
static const struct {
  int from;
  const char *css_class;
} sizes[] = {{0, "talk-16"}, {850, "talk-19"}, {1300, "talk-22"}};

static void
set_size(RegardWindow *self, gboolean is_given)
{
  GdkMonitor *monitor = regard_widget_get_monitor(GTK_WIDGET(self));
  GdkRectangle room = {0};
  const char *chosen = sizes[0].css_class;
  if (monitor)
    gdk_monitor_get_geometry(monitor, &room);
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    gtk_widget_remove_css_class(GTK_WIDGET(self), sizes[i].css_class);
    if (room.height >= sizes[i].from)
      chosen = sizes[i].css_class;
  }
  if (is_given)
    gtk_widget_add_css_class(GTK_WIDGET(self), chosen);
}

/* ---- Screens --------------------------------------------------------------------------------- */

static GListModel *
get_monitors(RegardWindow *self)
{
  return gdk_display_get_monitors(gtk_widget_get_display(GTK_WIDGET(self)));
}

static void swap(RegardWindow *self);

static void
close_speaker(RegardWindow *self)
{
  RegardSpeakerWindow *speaker = g_steal_pointer(&self->talk->speaker);
  if (!speaker)
    return;
  g_signal_handlers_disconnect_by_data(speaker, self);
  gtk_window_destroy(GTK_WINDOW(speaker));
}

/* It is no child of the window, above which it would stay. */
static void
open_speaker(RegardWindow *self)
{
  WindowTalk *t = self->talk;
  if (t->speaker)
    return;
  t->speaker = regard_speaker_window_new(t->show);
  gtk_window_set_application(GTK_WINDOW(t->speaker), gtk_window_get_application(GTK_WINDOW(self)));
  regard_observe(t->speaker, self, swap, "swap");
  regard_observe(t->speaker, self, regard_window_end_talk, "end");
  regard_observe(t->speaker, self, close_speaker, "closed");
}

/* Where there are two, the room has the one that the window was not on, and the speaker the other:
 * where each is comes before it is shown. A compositor that decides itself shows two windows. */
static void
arrange(RegardWindow *self)
{
  WindowTalk *t = self->talk;
  GListModel *monitors = get_monitors(self);
  g_autoptr(GdkMonitor) own = NULL, other = NULL;
  for (guint i = 0; i < g_list_model_get_n_items(monitors); i++) {
    g_autoptr(GdkMonitor) monitor = g_list_model_get_item(monitors, i);
    if (monitor == t->monitor || (!own && !t->monitor))
      g_set_object(&own, monitor);
    else if (!other)
      g_set_object(&other, monitor);
  }
  if (!own || !other) {
    gtk_window_fullscreen(GTK_WINDOW(self));
    return;
  }
  gtk_window_fullscreen_on_monitor(GTK_WINDOW(self), t->is_swapped ? own : other);
  open_speaker(self);
  gtk_window_fullscreen_on_monitor(GTK_WINDOW(t->speaker), t->is_swapped ? other : own);
  gtk_window_present(GTK_WINDOW(t->speaker));
}

/* A projector comes, or goes, in the middle of a talk. */
static void
on_monitors(RegardWindow *self)
{
  if (!regard_window_get_talk(self))
    return;
  if (g_list_model_get_n_items(get_monitors(self)) < 2)
    close_speaker(self);
  arrange(self);
}

/* On one screen the speaker's window comes and goes. */
static void
swap(RegardWindow *self)
{
  WindowTalk *t = self->talk;
  if (!regard_window_get_talk(self))
    return;
  if (g_list_model_get_n_items(get_monitors(self)) >= 2) {
    t->is_swapped = !t->is_swapped;
    /* Two windows that cover each other's screens for a moment wait for each other's frames. */
    close_speaker(self);
    arrange(self);
  } else if (t->speaker) {
    close_speaker(self);
    gtk_window_present(GTK_WINDOW(self));
  } else {
    open_speaker(self);
    gtk_window_present(GTK_WINDOW(t->speaker));
  }
}

/* ---- While it is given ----------------------------------------------------------------------- */

const RegardLesson *
regard_window_get_talk(RegardWindow *self)
{
  const RegardTalk *talk =
      self->talk && self->talk->show ? regard_talk_show_get_state(self->talk->show)->talk : NULL;
  return talk ? talk->lesson : NULL;
}

gboolean
regard_window_gives_talk(RegardWindow *self)
{
  return self->talk && self->talk->look;
}

gboolean
regard_window_show_state(RegardWindow *self, const RegardDirective *state, GError **error)
{
  return regard_talk_show_show_state(self->talk->show, state, error);
}

/* What is pointed at has to be there: of all heads their pane. */
static void
on_point(RegardWindow *self, const RegardDirective *point)
{
  /* Of a slide that was recorded, which begins now, no pane of the one before is seen. */
  const RegardLessonStep *slide =
      regard_lesson_run_get_step(regard_talk_show_get_run(self->talk->show));
  if (self->is_presenting && !point && slide && regard_lesson_find_state(slide))
    regard_window_present_parts(self, 0);
  if (self->is_presenting && point &&
      (point->target->place == REGARD_PLACE_KIND || point->target->place == REGARD_PLACE_HEAD))
    regard_window_present_parts(self, self->presented | REGARD_WINDOW_HEADS);
  regard_spotlight_point(self->spotlight, point);
}

/* Black lies over all that the window has. */
static void
add_cover(RegardWindow *self)
{
  WindowTalk *t = self->talk;
  GtkOverlay *overlay =
      GTK_OVERLAY(adw_application_window_get_content(ADW_APPLICATION_WINDOW(self)));
  t->cover = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class(t->cover, "talk-cover");
  regard_accessible_set_label(t->cover, _("The screen is black"));
  gtk_overlay_add_overlay(overlay, t->cover);
}

static void
update(RegardWindow *self)
{
  const WindowTalk *t = self->talk;
  const RegardTalkShowState *state = regard_talk_show_get_state(t->show);
  if (state->talk && !t->cover)
    add_cover(self);
  if (t->cover)
    gtk_widget_set_visible(t->cover, state->is_black);
}

static void
on_focus(RegardWindow *self)
{
  regard_window_focus_picture(self);
}

static void
on_ended(RegardWindow *self)
{
  WindowTalk *t = self->talk;
  g_autofree char *lesson = g_steal_pointer(&t->lesson);
  RegardSession *look = g_steal_pointer(&t->look);
  update(self);
  regard_log_add_done(self->log, _("Talk ended"), NULL, NULL, NULL, NULL);
  close_speaker(self);
  t->monitor = NULL;
  set_size(self, FALSE);
  regard_window_set_presenting(self, FALSE);
  regard_window_hide_learn(self, FALSE);
  regard_window_update_simple(self);
  regard_window_update_giving(self);
  if (look)
    regard_window_bring_look_back(self, look);
  if (lesson)
    gtk_widget_activate_action(GTK_WIDGET(self), "win.read-lesson", "s", lesson);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       RegardWindow *self)
{
  regard_key_as_meant(self->root, keycode, &keyval, &state);
  return regard_talk_show_use_key(self->talk->show, GTK_WINDOW(self), keyval, state);
}

/* ---- Begin and end --------------------------------------------------------------------------- */

/* How it is looked at now, or was before the lesson that is left for it. */
static RegardSession *
take_look(RegardWindow *self)
{
  if (self->arriving && self->is_look_back)
    return regard_session_ref(self->arriving);
  return regard_window_take_look(self);
}

static void
log_talk(RegardWindow *self, RegardTalk *talk, guint slide, const char *lesson)
{
  const guint n = regard_talk_n_slides(talk);
  g_autofree char *counted =
      g_strdup_printf(ngettext("%s · %u slide, from slide %u", "%s · %u slides, from slide %u", n),
                      talk->lesson->title, n, slide + 1);
  regard_log_add_done(self->log, _("Talk given"), lesson ? lesson : self->talk->path, counted, NULL,
                      g_strdup(_("a talk is given in the window")));
}

static void
give(RegardWindow *self, RegardTalk *talk, guint slide, char *lesson)
{
  WindowTalk *t = self->talk;
  g_auto(GStrv) recent = g_settings_get_strv(self->settings, "recent-models");
  RegardSession *look = take_look(self);
  log_talk(self, talk, slide, lesson);
  t->look = look;
  t->lesson = lesson;
  regard_window_set_welcome(self, FALSE);
  regard_window_hide_learn(self, TRUE);
  set_size(self, TRUE);
  regard_window_set_presenting(self, TRUE); /* before panes are asked for */
  regard_talk_show_start(t->show, talk, slide, (const char *const *) recent);
  regard_window_update_simple(self);
  regard_window_update_giving(self);
  t->is_swapped = FALSE;
  t->monitor = regard_widget_get_monitor(GTK_WIDGET(self));
  arrange(self);
}

gboolean
regard_window_give_talk(RegardWindow *self, gboolean from_here)
{
  const WindowTalk *t = self->talk;
  if (regard_window_get_talk(self))
    return TRUE;
  const RegardLessonRunState *run = regard_window_get_lesson_state(self);
  if (run->lesson) {
    g_autoptr(RegardTalk) talk = regard_talk_new_from_lesson(run->lesson);
    const guint slide = from_here ? run->step : 0;
    give(self, talk, slide, regard_window_suspend_lesson(self));
    return TRUE;
  }
  if (!t->talk->lesson)
    return FALSE;
  give(self, t->talk, from_here ? regard_talk_panel_get_selected(self->talk_panel) : 0, NULL);
  return TRUE;
}

void
regard_window_end_talk(RegardWindow *self)
{
  if (self->talk)
    regard_talk_show_end(self->talk->show);
}

/* ---- A slide that is chosen in the list -------------------------------------------------------
 */

static void
on_preview_failed(RegardWindow *self, const GError *error)
{
  regard_messages_file_failed(self->messages, error->message, NULL);
}

/* Its state takes the place of what is there, as a session does, and can be undone. */
static void
show_slide(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  WindowTalk *t = self->talk;
  const guint slide = g_variant_get_uint32(parameter);
  g_auto(GStrv) recent = g_settings_get_strv(self->settings, "recent-models");
  if (slide >= regard_talk_n_slides(t->talk) || regard_window_get_talk(self))
    return;
  if (!regard_talk_get_state(t->talk, slide)) {
    regard_toast(self->root, _("This slide has no state of its own; it is shown in the talk"));
    return;
  }
  g_clear_object(&t->preview);
  t->preview = regard_talk_states_new(t->talk, self->document, (const char *const *) recent);
  regard_observe(t->preview, self, on_preview_failed, "failed");
  regard_window_leave_lesson(self);
  regard_talk_states_show(t->preview, slide);
}

/* ---- Actions --------------------------------------------------------------------------------- */

static void
give_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_window_give_talk(REGARD_WINDOW(widget), g_str_equal(name, "win.give-from-here"));
}

static void
swap_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  swap(REGARD_WINDOW(widget));
}

void
regard_window_install_give_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.give-talk", NULL, give_);
  gtk_widget_class_install_action(klass, "win.give-from-here", NULL, give_);
  gtk_widget_class_install_action(klass, "win.show-slide", "u", show_slide);
  gtk_widget_class_install_action(klass, "win.swap-screens", NULL, swap_);
}

void
regard_window_update_giving(RegardWindow *self)
{
  static const char *const editing[] = {"win.record-slide", "win.edit-slide", "win.move-slide",
                                        "win.remove-slide", "win.show-slide"};
  const gboolean is_given = regard_window_get_talk(self) != NULL;
  for (guint i = 0; i < G_N_ELEMENTS(editing); i++)
    gtk_widget_action_set_enabled(GTK_WIDGET(self), editing[i], !is_given);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.swap-screens", is_given);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.give-talk",
                                !is_given && self->talk->talk->lesson);
}

/* ---- The window ------------------------------------------------------------------------------ */

void
regard_window_observe_giving(RegardWindow *self)
{
  WindowTalk *t = self->talk;
  GtkEventController *keys = gtk_event_controller_key_new();
  t->show = regard_talk_show_new(REGARD_STAGE(self));
  regard_talk_bar_set_show(self->talk_bar, t->show);
  regard_observe(t->show, self, update, "changed");
  regard_observe(t->show, self, on_focus, "focus");
  regard_observe(t->show, self, on_ended, "ended");
  regard_observe(regard_talk_show_get_run(t->show), self, on_point, "point");
  regard_observe(self->talk_bar, self, regard_window_follow_link, "link");
  regard_observe(get_monitors(self), self, on_monitors, "items-changed");
  gtk_event_controller_set_name(keys, "talk-keys");
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(self->root, keys);
}

void
regard_window_forget_giving(RegardWindow *self)
{
  WindowTalk *t = self->talk;
  g_signal_handlers_disconnect_by_data(t->show, self);
  close_speaker(self);
  regard_talk_show_close(t->show);
  g_clear_object(&t->preview);
  g_clear_object(&t->show);
  g_clear_pointer(&t->look, regard_session_unref);
  g_clear_pointer(&t->lesson, g_free);
}
