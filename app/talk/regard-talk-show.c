/* regard-talk-show.c — a talk that is given.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "talk/regard-talk-show.h"

#include "base/regard-error.h"
#include "base/regard-signals.h"
#include "learn/regard-lesson-markup.h"
#include "runner/regard-work.h"
#include "talk/regard-talk-ahead.h"
#include "talk/regard-talk-states.h"
#include "widgets/regard-gtk.h"

#include <glib/gi18n.h>

/* What two lines of large letters hold. */
#define MOST_LINE  150
#define MOST_HANDS 999

struct _RegardTalkShow {
  GObject parent_instance;
  RegardStage *stage; /* NULL: closed */
  RegardLessonRun *run;
  RegardDocument *document;
  RegardTalkShowState state;
  RegardTalkStates *states;
  gboolean is_asked;    /* the press that reveals has been */
  gboolean is_prepared; /* the next slide is made ready, or there is none */
  RegardWork *drawing;  /* of its picture … */
  GdkTexture *next;     /* … which is there; NULL: not yet, or it has its own */
  guint *hands;         /* [slides][REGARD_LESSON_MOST_OPTIONS] */
};

G_DEFINE_FINAL_TYPE(RegardTalkShow, regard_talk_show, G_TYPE_OBJECT)

const RegardTalkShowState *
regard_talk_show_get_state(RegardTalkShow *self)
{
  return &self->state;
}

RegardLessonRun *
regard_talk_show_get_run(RegardTalkShow *self)
{
  return self->run;
}

static void
changed(RegardTalkShow *self)
{
  g_signal_emit_by_name(self, "changed");
}

static const RegardLessonStep *
get_slide(RegardTalkShow *self)
{
  return regard_talk_slide(self->state.talk, self->state.slide);
}

/* ---- Slides ---------------------------------------------------------------------------------- */

GdkTexture *
regard_talk_show_get_next_picture(RegardTalkShow *self)
{
  return self->next;
}

static void
on_drawn(gpointer owner, RegardRun *run)
{
  RegardTalkShow *self = owner;
  g_autoptr(GBytes) png = regard_run_finish(run, NULL); /* a slide can do without */
  self->next = png ? gdk_texture_new_from_bytes(png, NULL) : NULL;
  if (self->next)
    changed(self);
}

/* What a slide of a lesson begins with is translated where it will be asked for, if its model runs
 * already, and drawn for who speaks. */
static void
look_ahead(RegardTalkShow *self, guint slide)
{
  RegardTalkAheadJob job;
  mt_error unused = {0};
  if (!self->stage || !regard_talk_ahead_init(&job, self->run, slide, self->stage))
    return;
  g_autoptr(mt_interventions) changes = mt_interventions_parse("changes", job.changes, &unused);
  g_autoptr(RegardSnapshot) state = regard_snapshot_new();
  state->text = g_strdup(job.text);
  state->search = mt_request_copy(&job.search);
  mt_request_set_interventions(&state->search, changes);
  regard_document_prepare(self->document, state, job.folder);
  regard_work_run(self->drawing, &regard_talk_ahead_task, NULL, &job, on_drawn);
}

static void
prepare(RegardTalkShow *self, guint slide)
{
  if (slide >= regard_talk_n_slides(self->state.talk))
    return;
  if (regard_talk_get_state(self->state.talk, slide))
    regard_talk_states_prepare(self->states, slide);
  else
    look_ahead(self, slide);
}

/* Nothing is made ready beside what the room waits for. */
static void
stop_preparing(RegardTalkShow *self)
{
  self->is_prepared = FALSE;
  regard_work_drop(self->drawing);
  g_clear_object(&self->next);
  if (self->states)
    regard_talk_states_stop(self->states);
}

static void
on_run(RegardTalkShow *self)
{
  const RegardLessonRunState *run = regard_lesson_run_get_state(self->run);
  if (!self->state.talk || !run->lesson)
    return;
  if (run->phase != REGARD_LESSON_SETTING_UP && !self->is_prepared) {
    self->is_prepared = TRUE;
    prepare(self, self->state.slide + 1);
  }
  changed(self);
}

/* A session was opened, say: what was put aside is back. */
static void
on_left(RegardTalkShow *self)
{
  regard_talk_show_end(self);
}

static void
on_failed(RegardTalkShow *self, const GError *error)
{
  /* The stage tells the run of it, which shows the words of the slide without its picture. */
  if (self->stage)
    g_signal_emit_by_name(self->stage, "lacks", error);
}

void
regard_talk_show_start(RegardTalkShow *self, RegardTalk *talk, guint slide,
                       const char *const *recent)
{
  const guint n = regard_talk_n_slides(talk);
  g_return_if_fail(slide < n);
  regard_talk_show_end(self);
  self->state = (RegardTalkShowState){.talk = regard_talk_ref(talk),
                                      .slide = slide,
                                      .began = g_get_monotonic_time()};
  self->hands = g_new0(guint, (gsize) n * REGARD_LESSON_MOST_OPTIONS);
  self->states = regard_talk_states_new(talk, self->document, recent);
  regard_observe(self->states, self, on_failed, "failed");
  self->is_asked = FALSE;
  stop_preparing(self);
  regard_lesson_run_start_at(self->run, talk->lesson, slide);
}

void
regard_talk_show_end(RegardTalkShow *self)
{
  if (!self->state.talk)
    return;
  g_autoptr(RegardTalk) talk = g_steal_pointer(&self->state.talk);
  stop_preparing(self);
  g_clear_object(&self->states);
  g_clear_pointer(&self->hands, g_free);
  self->state = (RegardTalkShowState){0};
  regard_lesson_run_leave(self->run);
  g_signal_emit_by_name(self, "ended");
}

static void
go(RegardTalkShow *self, guint slide)
{
  if (!self->state.talk || slide >= regard_talk_n_slides(self->state.talk))
    return;
  self->state.slide = slide;
  self->state.is_black = FALSE;
  self->is_asked = FALSE;
  stop_preparing(self);
  regard_lesson_run_go(self->run, slide);
}

/* There is something to be shown that nobody was shown yet. */
static gboolean
is_to_be_revealed(RegardTalkShow *self)
{
  const RegardQuestion question = get_slide(self)->question;
  return !self->is_asked && question != REGARD_ASK_NOTHING && question != REGARD_ASK_FIND;
}

/* What is dark becomes light first. */
static gboolean
end_black(RegardTalkShow *self)
{
  if (!self->state.is_black)
    return FALSE;
  regard_talk_show_toggle_black(self);
  return TRUE;
}

void
regard_talk_show_next(RegardTalkShow *self)
{
  if (!self->state.talk || end_black(self))
    return;
  if (is_to_be_revealed(self)) {
    self->is_asked = TRUE;
    regard_lesson_run_reveal(self->run);
    changed(self);
  } else
    go(self, self->state.slide + 1);
}

void
regard_talk_show_back(RegardTalkShow *self)
{
  if (self->state.talk && !end_black(self) && self->state.slide > 0)
    go(self, self->state.slide - 1);
}

void
regard_talk_show_return(RegardTalkShow *self)
{
  if (!self->state.talk || end_black(self))
    return;
  const gboolean is_asked = self->is_asked;
  stop_preparing(self);
  regard_lesson_run_return(self->run);
  /* What the room was shown it still knows. */
  if (is_asked)
    regard_lesson_run_reveal(self->run);
}

void
regard_talk_show_toggle_black(RegardTalkShow *self)
{
  self->state.is_black = self->state.talk && !self->state.is_black;
  changed(self);
}

static void
toggle_notes(RegardTalkShow *self)
{
  self->state.has_notes = self->state.talk && !self->state.has_notes;
  changed(self);
}

gboolean
regard_talk_show_show_state(RegardTalkShow *self, const RegardDirective *state, GError **error)
{
  if (!self->state.talk) {
    g_set_error_literal(error, REGARD_ERROR, REGARD_ERROR_INPUT,
                        _("This step shows a state of a talk. Open the talk itself."));
    return FALSE;
  }
  regard_talk_states_show(self->states, self->state.slide);
  return TRUE;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static void
set_number(RegardTalkShow *self, guint number)
{
  self->state.number = number;
  changed(self);
}

/* A digit goes on with a number that a talk may have; others begin it anew. */
static gboolean
type_digit(RegardTalkShow *self, guint keyval)
{
  const guint digit = keyval - GDK_KEY_0, number = self->state.number * 10 + digit;
  set_number(self, number <= regard_talk_n_slides(self->state.talk) ? number : digit);
  return TRUE;
}

static gboolean
go_to_number(RegardTalkShow *self)
{
  const guint number = self->state.number;
  if (!number)
    return FALSE;
  self->state.number = 0;
  if (number <= regard_talk_n_slides(self->state.talk))
    go(self, number - 1);
  else
    changed(self);
  return TRUE;
}

static void
escape(RegardTalkShow *self, gboolean is_in_text)
{
  if (is_in_text)
    g_signal_emit_by_name(self, "focus");
  else if (self->state.number)
    set_number(self, 0);
  else
    regard_talk_show_end(self);
}

/* Keys that no text needs. */
static gboolean
use_any(RegardTalkShow *self, guint key, gboolean is_in_text)
{
  switch (key) {
  case GDK_KEY_Page_Down:
  case GDK_KEY_Page_Up:
    if (is_in_text)
      g_signal_emit_by_name(self, "focus");
    if (key == GDK_KEY_Page_Down)
      regard_talk_show_next(self);
    else
      regard_talk_show_back(self);
    return TRUE;
  case GDK_KEY_F5: /* the button of a clicker that starts is pressed again */
    return TRUE;
  case GDK_KEY_Escape:
    escape(self, is_in_text);
    return TRUE;
  default:
    return FALSE;
  }
}

/* is_in_text: somebody types. */
static gboolean
use(RegardTalkShow *self, guint keyval, GdkModifierType modifiers, gboolean is_in_text)
{
  const guint key = regard_plain_key(keyval);
  if (!self->state.talk || (modifiers & ~GDK_SHIFT_MASK))
    return FALSE;
  if (use_any(self, key, is_in_text))
    return TRUE;
  if (is_in_text)
    return FALSE;
  if (key >= GDK_KEY_0 && key <= GDK_KEY_9)
    return type_digit(self, key);
  switch (gdk_keyval_to_lower(key)) {
  case GDK_KEY_Right:
  case GDK_KEY_space:
    regard_talk_show_next(self);
    return TRUE;
  case GDK_KEY_Left:
    regard_talk_show_back(self);
    return TRUE;
  case GDK_KEY_BackSpace:
    if (self->state.number)
      set_number(self, self->state.number / 10);
    else
      regard_talk_show_back(self);
    return TRUE;
  case GDK_KEY_Home:
    regard_talk_show_return(self);
    return TRUE;
  case GDK_KEY_period:
  case GDK_KEY_KP_Decimal:
  case GDK_KEY_b:
    regard_talk_show_toggle_black(self);
    return TRUE;
  case GDK_KEY_n:
    toggle_notes(self);
    return TRUE;
  case GDK_KEY_Return:
    return go_to_number(self);
  default:
    return FALSE;
  }
}

/* Somebody types into it, and the talk waits. */
static gboolean
is_text(GtkWidget *focus)
{
  return focus && ((GTK_IS_TEXT_VIEW(focus) && gtk_text_view_get_editable(GTK_TEXT_VIEW(focus))) ||
                   GTK_IS_EDITABLE(focus));
}

gboolean
regard_talk_show_use_key(RegardTalkShow *self, GtkWindow *window, guint keyval,
                         GdkModifierType state)
{
  GtkWidget *focus = gtk_window_get_focus(window);
  /* A menu has its own keys. */
  if (focus && gtk_widget_get_ancestor(focus, GTK_TYPE_POPOVER))
    return FALSE;
  return use(self, keyval, state & gtk_accelerator_get_default_mod_mask(), is_text(focus));
}

/* ---- What the room said ---------------------------------------------------------------------- */

static guint *
hands_of(RegardTalkShow *self, guint option)
{
  return &self->hands[self->state.slide * REGARD_LESSON_MOST_OPTIONS + option];
}

guint
regard_talk_show_get_hands(RegardTalkShow *self, guint option)
{
  return self->state.talk ? *hands_of(self, option) : 0;
}

void
regard_talk_show_set_hands(RegardTalkShow *self, guint option, guint hands)
{
  if (!self->state.talk || *hands_of(self, option) == hands)
    return;
  *hands_of(self, option) = MIN(hands, MOST_HANDS);
  changed(self);
}

gboolean
regard_talk_show_is_revealed(RegardTalkShow *self)
{
  const RegardLessonSaid verdict = regard_lesson_run_get_state(self->run)->verdict;
  return self->is_asked && verdict != REGARD_SAID_NONE;
}

/* ---- What the room reads --------------------------------------------------------------------- */

/* Bytes of the whole sentences that two lines hold, of one at least. */
static gsize
measure_sentences(const char *text)
{
  const glong n = g_utf8_strlen(text, -1);
  g_autofree PangoLogAttr *marks = g_new0(PangoLogAttr, n + 1);
  glong end = n;
  if (n <= MOST_LINE)
    return strlen(text);
  pango_get_log_attrs(text, (int) strlen(text), -1, pango_language_get_default(), marks,
                      (int) n + 1);
  for (glong i = 1; i < n && (end == n || i <= MOST_LINE); i++)
    if (marks[i].is_sentence_start)
      end = i;
  return (gsize) (g_utf8_offset_to_pointer(text, end) - text);
}

char *
regard_talk_show_dup_line(RegardTalkShow *self)
{
  const RegardLessonStep *slide = get_slide(self);
  const RegardLesson *lesson = self->state.talk->lesson;
  const RegardLessonRunState *run = regard_lesson_run_get_state(self->run);
  const char *said = slide->title;
  if (slide->options->len && slide->n_before_options)
    said = slide->paragraphs->pdata[slide->n_before_options - 1];
  else if (slide->paragraphs->len)
    said = slide->paragraphs->pdata[slide->question ? slide->paragraphs->len - 1 : 0];
  g_autofree char *line = slide->question || said == slide->title
                              ? g_strdup(said)
                              : g_strndup(said, measure_sentences(said));
  g_strchomp(line);
  return regard_lesson_markup(lesson, line, run->lesson ? run->values : NULL,
                              run->lesson ? lesson->names->len : 0);
}

/* ---- The object ------------------------------------------------------------------------------ */

void
regard_talk_show_close(RegardTalkShow *self)
{
  regard_talk_show_end(self);
  regard_lesson_run_close(self->run);
  self->stage = NULL;
}

static void
regard_talk_show_dispose(GObject *object)
{
  regard_talk_show_close(REGARD_TALK_SHOW(object));
  G_OBJECT_CLASS(regard_talk_show_parent_class)->dispose(object);
}

static void
regard_talk_show_finalize(GObject *object)
{
  RegardTalkShow *self = REGARD_TALK_SHOW(object);
  g_object_unref(self->run);
  g_object_unref(self->drawing);
  g_object_unref(self->document);
  G_OBJECT_CLASS(regard_talk_show_parent_class)->finalize(object);
}

static void
regard_talk_show_class_init(RegardTalkShowClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_talk_show_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_talk_show_finalize;
  regard_add_signal(klass, "changed", 0);
  regard_add_signal(klass, "focus", 0);
  regard_add_signal(klass, "ended", 0);
}

static void
regard_talk_show_init(RegardTalkShow *self)
{
  self->drawing = regard_work_new(self);
}

RegardTalkShow *
regard_talk_show_new(RegardStage *stage)
{
  RegardTalkShow *self = g_object_new(REGARD_TYPE_TALK_SHOW, NULL);
  self->stage = stage;
  self->document = g_object_ref(regard_stage_get_document(stage));
  self->run = regard_lesson_run_new(stage);
  regard_observe(self->run, self, on_run, "changed");
  regard_observe(self->run, self, on_left, "left");
  return self;
}
