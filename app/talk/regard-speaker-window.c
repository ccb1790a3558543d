/* regard-speaker-window.c — what the speaker of a talk sees beside the room.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "talk/regard-speaker-window.h"

#include "base/regard-signals.h"
#include "learn/regard-lesson-markup.h"
#include "talk/regard-talk-bar.h"
#include "talk/regard-talk-texture.h"
#include "widgets/regard-gtk.h"

#include <glib/gi18n.h>

#define PICTURE        520
#define PICTURE_HEIGHT 420

struct _RegardSpeakerWindow {
  AdwWindow parent_instance;
  GtkLabel *clock, *elapsed, *place, *title, *text, *said, *notes, *next_title, *next_text;
  GtkPicture *next_picture;
  GtkToggleButton *black;
  RegardTalkShow *show;
  const RegardLessonStep *next; /* whose picture is there, … */
  GdkTexture *drawn;            /* … and that it was drawn ahead; both to compare only */
  guint ticking;                /* timer */
};

G_DEFINE_FINAL_TYPE(RegardSpeakerWindow, regard_speaker_window, ADW_TYPE_WINDOW)

/* ---- Time ------------------------------------------------------------------------------------ */

char *
regard_speaker_say_time(gint64 elapsed)
{
  const guint seconds = (guint) (MAX(elapsed, 0) / G_TIME_SPAN_SECOND);
  if (seconds < 3600)
    return g_strdup_printf("%u:%02u", seconds / 60, seconds % 60);
  return g_strdup_printf("%u:%02u:%02u", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

static gboolean
tick(gpointer data)
{
  RegardSpeakerWindow *self = data;
  const RegardTalkShowState *state = regard_talk_show_get_state(self->show);
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autofree char *clock = g_date_time_format(now, "%R");
  g_autofree char *elapsed = regard_speaker_say_time(g_get_monotonic_time() - state->began);
  gtk_label_set_label(self->clock, clock);
  gtk_label_set_label(self->elapsed, elapsed);
  return G_SOURCE_CONTINUE;
}

/* ---- Slides ---------------------------------------------------------------------------------- */

static void
set_shown(GtkLabel *label, const char *text)
{
  gtk_label_set_label(label, text ? text : "");
  gtk_widget_set_visible(GTK_WIDGET(label), text && *text);
}

/* All of the text, where the room has a line. Caller frees. */
static char *
dup_markup(RegardSpeakerWindow *self, const RegardLessonStep *slide, gboolean has_values)
{
  const RegardLesson *lesson = regard_talk_show_get_state(self->show)->talk->lesson;
  const RegardLessonRunState *run =
      regard_lesson_run_get_state(regard_talk_show_get_run(self->show));
  g_autofree char *text = regard_talk_dup_text(slide);
  const gboolean is_there = has_values && run->lesson;
  return regard_lesson_markup(lesson, text, is_there ? run->values : NULL,
                              is_there ? lesson->names->len : 0);
}

/* What the speaker alone is told. Caller frees; NULL: nothing. */
static char *
say_situation(RegardSpeakerWindow *self)
{
  RegardLessonRun *run = regard_talk_show_get_run(self->show);
  const RegardLessonRunState *state = regard_lesson_run_get_state(run);
  if (state->problem)
    return g_strdup(state->problem);
  if (regard_talk_show_get_state(self->show)->is_black)
    return g_strdup(_("The room sees black. B, or the next press, brings the picture back."));
  if (regard_lesson_run_is_changed(run))
    return g_strdup(_("This is a detour. Home leads back to the slide."));
  if (state->phase == REGARD_LESSON_MEASURING)
    return g_strdup(_("Measuring…"));
  if (regard_talk_show_is_revealed(self->show))
    return regard_lesson_run_say_verdict(run);
  return NULL;
}

static void
show_next(RegardSpeakerWindow *self, const RegardTalkShowState *state)
{
  const guint n = regard_talk_n_slides(state->talk), at = state->slide + 1;
  const RegardLessonStep *next = at < n ? regard_talk_slide(state->talk, at) : NULL;
  GdkTexture *drawn = regard_talk_show_get_next_picture(self->show);
  if (next == self->next && next && drawn == self->drawn)
    return;
  self->next = next;
  self->drawn = drawn;
  g_autoptr(GdkTexture) texture =
      drawn  ? g_object_ref(drawn)
      : next ? regard_talk_create_texture(state->talk, at, PICTURE, PICTURE_HEIGHT)
             : NULL;
  g_autofree char *text = next ? dup_markup(self, next, FALSE) : NULL;
  gtk_label_set_label(self->next_title, next ? next->title : _("This is the last slide."));
  gtk_label_set_markup(self->next_text, text ? text : "");
  gtk_widget_set_visible(GTK_WIDGET(self->next_text), text && *text);
  gtk_picture_set_paintable(self->next_picture, GDK_PAINTABLE(texture));
  gtk_widget_set_visible(GTK_WIDGET(self->next_picture), texture != NULL);
}

static void
update(RegardSpeakerWindow *self)
{
  const RegardTalkShowState *state = regard_talk_show_get_state(self->show);
  if (!state->talk)
    return;
  const RegardLessonStep *slide = regard_talk_slide(state->talk, state->slide);
  g_autofree char *text = dup_markup(self, slide, TRUE), *notes = regard_talk_dup_notes(slide);
  g_autofree char *said = say_situation(self);
  g_autofree char *place = state->number ? g_strdup_printf(_("To slide %u: Enter"), state->number)
                                         : g_strdup_printf(_("Slide %u of %u"), state->slide + 1,
                                                           regard_talk_n_slides(state->talk));
  gtk_label_set_label(self->place, place);
  gtk_label_set_label(self->title, slide->title);
  gtk_label_set_markup(self->text, text);
  gtk_widget_set_visible(GTK_WIDGET(self->text), *text != '\0');
  set_shown(self->said, said);
  gtk_label_set_label(self->notes, *notes ? notes : _("There are no notes for this slide."));
  gtk_toggle_button_set_active(self->black, state->is_black);
  show_next(self, state);
}

/* ---- What a person does ---------------------------------------------------------------------- */

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       RegardSpeakerWindow *self)
{
  regard_key_as_meant(GTK_WIDGET(self), keycode, &keyval, &state);
  if (keyval == GDK_KEY_F5 &&
      (state & gtk_accelerator_get_default_mod_mask()) == GDK_CONTROL_MASK) {
    g_signal_emit_by_name(self, "swap");
    return TRUE;
  }
  return regard_talk_show_use_key(self->show, GTK_WINDOW(self), keyval, state);
}

static void
on_focus(RegardSpeakerWindow *self)
{
  gtk_window_set_focus(GTK_WINDOW(self), NULL);
}

static void
on_black(RegardSpeakerWindow *self)
{
  if (gtk_toggle_button_get_active(self->black) != regard_talk_show_get_state(self->show)->is_black)
    regard_talk_show_toggle_black(self->show);
}

static void
on_swap(RegardSpeakerWindow *self)
{
  g_signal_emit_by_name(self, "swap");
}

static void
on_end(RegardSpeakerWindow *self)
{
  g_signal_emit_by_name(self, "end");
}

static gboolean
close_request(GtkWindow *window)
{
  g_signal_emit_by_name(window, "closed");
  return TRUE; /* who hears of it destroys it */
}

/* ---- Making it ------------------------------------------------------------------------------- */

static GtkLabel *
new_label(const char *css_class)
{
  return GTK_LABEL(regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, css_class));
}

static GtkWidget *
new_button(const char *label, const char *tooltip, GCallback clicked, gpointer data)
{
  GtkWidget *button = gtk_button_new_with_mnemonic(label);
  gtk_widget_set_tooltip_text(button, tooltip);
  g_signal_connect_swapped(button, "clicked", clicked, data);
  return button;
}

static GtkWidget *
scrolled(GtkWidget *child)
{
  GtkWidget *scroller = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), child);
  gtk_widget_set_vexpand(scroller, TRUE);
  return scroller;
}

static GtkWidget *
new_header(RegardSpeakerWindow *self)
{
  GtkWidget *header = adw_header_bar_new(), *times = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 18);
  self->clock = GTK_LABEL(regard_label_new(NULL, 0, "speaker-clock"));
  self->elapsed = GTK_LABEL(regard_label_new(NULL, 0, "speaker-clock"));
  self->place = GTK_LABEL(regard_label_new(NULL, 0, "heading"));
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->clock), _("The time"));
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->elapsed), _("Since the talk began"));
  self->black = GTK_TOGGLE_BUTTON(gtk_toggle_button_new_with_mnemonic(_("_Black")));
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->black), _("The room sees nothing (B)"));
  g_signal_connect_swapped(self->black, "toggled", G_CALLBACK(on_black), self);
  regard_box_append(times, GTK_WIDGET(self->clock), GTK_WIDGET(self->elapsed), NULL);
  adw_header_bar_pack_start(ADW_HEADER_BAR(header), times);
  adw_header_bar_set_title_widget(ADW_HEADER_BAR(header), GTK_WIDGET(self->place));
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), new_button(_("_End"), _("End the talk (Escape)"),
                                                             G_CALLBACK(on_end), self));
  adw_header_bar_pack_end(ADW_HEADER_BAR(header),
                          new_button(_("_Swap"),
                                     _("The room's window and this one change places "
                                       "(Ctrl+F5)"),
                                     G_CALLBACK(on_swap), self));
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), GTK_WIDGET(self->black));
  return header;
}

static GtkWidget *
new_slide(RegardSpeakerWindow *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10);
  GtkWidget *column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
  self->title = new_label("title-2");
  self->text = new_label("speaker-text");
  self->said = new_label("speaker-said");
  self->notes = new_label("speaker-notes");
  gtk_label_set_use_markup(self->text, TRUE);
  gtk_label_set_selectable(self->notes, FALSE);
  regard_box_append(column, GTK_WIDGET(self->title), GTK_WIDGET(self->text),
                    regard_talk_options_new(self->show, TRUE), GTK_WIDGET(self->said),
                    GTK_WIDGET(self->notes), NULL);
  gtk_widget_add_css_class(column, "speaker-slide");
  gtk_widget_set_hexpand(box, TRUE);
  gtk_box_append(GTK_BOX(box), scrolled(column));
  return box;
}

static GtkWidget *
new_next(RegardSpeakerWindow *self)
{
  GtkWidget *column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  self->next_title = new_label("heading");
  self->next_text = new_label("dim-label");
  self->next_picture = GTK_PICTURE(gtk_picture_new());
  gtk_label_set_use_markup(self->next_text, TRUE);
  gtk_picture_set_can_shrink(self->next_picture, TRUE);
  gtk_widget_set_valign(GTK_WIDGET(self->next_picture), GTK_ALIGN_START);
  gtk_widget_add_css_class(GTK_WIDGET(self->next_picture), "talk-picture");
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->next_picture), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Picture of the next slide"), -1);
  regard_box_append(column, regard_label_new(C_("slide", "Next"), REGARD_LABEL_START, "dim-label"),
                    GTK_WIDGET(self->next_title), GTK_WIDGET(self->next_picture),
                    GTK_WIDGET(self->next_text), NULL);
  gtk_widget_add_css_class(column, "speaker-next");
  gtk_widget_set_size_request(column, 320, -1);
  return scrolled(column);
}

static GtkWidget *
new_footer(RegardSpeakerWindow *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *back = new_button(_("_Previous"), _("The slide before (Page Up)"),
                               G_CALLBACK(regard_talk_show_back), self->show);
  GtkWidget *to_slide = new_button(_("Back to the _Slide"), _("From a detour (Home)"),
                                   G_CALLBACK(regard_talk_show_return), self->show);
  GtkWidget *next = new_button(_("_Next"), _("The next slide, or what was asked (Page Down)"),
                               G_CALLBACK(regard_talk_show_next), self->show);
  gtk_widget_add_css_class(next, "suggested-action");
  gtk_widget_set_hexpand(to_slide, TRUE);
  gtk_widget_set_halign(to_slide, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(box, "talk-footer");
  regard_box_append(box, back, to_slide, next, NULL);
  return box;
}

static void
build(RegardSpeakerWindow *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *paned = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);
  gtk_paned_set_start_child(GTK_PANED(paned), new_slide(self));
  gtk_paned_set_end_child(GTK_PANED(paned), new_next(self));
  gtk_paned_set_resize_end_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_shrink_end_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_shrink_start_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_position(GTK_PANED(paned), 600);
  gtk_widget_set_vexpand(paned, TRUE);
  regard_box_append(box, new_header(self), paned, new_footer(self), NULL);
  adw_window_set_content(ADW_WINDOW(self), box);
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_name(keys, "talk-keys");
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(GTK_WIDGET(self), keys);
}

static void
regard_speaker_window_dispose(GObject *object)
{
  RegardSpeakerWindow *self = REGARD_SPEAKER_WINDOW(object);
  g_clear_handle_id(&self->ticking, g_source_remove);
  g_clear_object(&self->show);
  G_OBJECT_CLASS(regard_speaker_window_parent_class)->dispose(object);
}

static void
regard_speaker_window_class_init(RegardSpeakerWindowClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_speaker_window_dispose;
  GTK_WINDOW_CLASS(klass)->close_request = close_request;
  regard_add_signal(klass, "swap", 0);
  regard_add_signal(klass, "end", 0);
  regard_add_signal(klass, "closed", 0);
}

static void
regard_speaker_window_init(RegardSpeakerWindow *self)
{
  gtk_window_set_title(GTK_WINDOW(self), _("Speaker"));
  gtk_window_set_default_size(GTK_WINDOW(self), 1000, 640);
  gtk_widget_add_css_class(GTK_WIDGET(self), "speaker");
}

RegardSpeakerWindow *
regard_speaker_window_new(RegardTalkShow *show)
{
  RegardSpeakerWindow *self = g_object_new(REGARD_TYPE_SPEAKER_WINDOW, NULL);
  self->show = g_object_ref(show);
  build(self);
  regard_observe(show, self, update, "changed");
  regard_observe(show, self, on_focus, "focus");
  self->ticking = g_timeout_add_seconds(1, tick, self);
  tick(self);
  update(self);
  return self;
}
