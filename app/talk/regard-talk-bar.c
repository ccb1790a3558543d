/* regard-talk-bar.c — what a room reads below the picture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "talk/regard-talk-bar.h"

#include "base/regard-signals.h"
#include "learn/regard-lesson-markup.h"
#include "widgets/regard-gtk.h"

#include <glib/gi18n.h>

/* Letters of an option that stands beside another one. */
#define MOST_HALF_LINE 52

/* ==== Options ================================================================================= */

typedef struct {
  GtkWidget *box, *hands_said;
  GtkLabel *letter, *text, *answer;
  GtkSpinButton *hands; /* NULL: for a room */
} Option;

struct _RegardTalkOptions {
  GtkWidget parent_instance;
  GtkWidget *grid;
  RegardTalkShow *show;
  gboolean is_for_speaker;
  const RegardLessonStep *slide; /* whose options are there, to compare only */
  GArray *options;               /* of Option */
};

G_DEFINE_FINAL_TYPE(RegardTalkOptions, regard_talk_options, GTK_TYPE_WIDGET)

static char *
markup_of(RegardTalkShow *show, const char *text)
{
  const RegardLessonRunState *run = regard_lesson_run_get_state(regard_talk_show_get_run(show));
  const RegardLesson *lesson = regard_talk_show_get_state(show)->talk->lesson;
  return regard_lesson_markup(lesson, text, run->lesson ? run->values : NULL,
                              run->lesson ? lesson->names->len : 0);
}

static void
on_hands(GtkSpinButton *spin, RegardTalkOptions *self)
{
  for (guint i = 0; i < self->options->len; i++)
    if (g_array_index(self->options, Option, i).hands == spin)
      regard_talk_show_set_hands(self->show, i, (guint) gtk_spin_button_get_value_as_int(spin));
}

static GtkSpinButton *
new_hands(RegardTalkOptions *self, char letter)
{
  GtkWidget *spin = gtk_spin_button_new_with_range(0, 999, 1);
  g_autofree char *name = g_strdup_printf(_("Hands for %c"), letter);
  regard_widget_explain(spin, name,
                        _("How many hands were up for it; the room sees them with the "
                          "answer"));
  gtk_editable_set_width_chars(GTK_EDITABLE(spin), 3);
  gtk_widget_set_valign(spin, GTK_ALIGN_START);
  g_signal_connect(spin, "value-changed", G_CALLBACK(on_hands), self);
  return GTK_SPIN_BUTTON(spin);
}

/* Letters follow the order in which the options stand. */
static Option
new_option(RegardTalkOptions *self, guint i)
{
  const RegardLessonOption *option = self->slide->options->pdata[i];
  const char letter[] = {(char) ('A' + i), '\0'};
  GtkWidget *words = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  Option made = {
      .box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10),
      .letter = GTK_LABEL(regard_label_new(letter, 0, "talk-letter")),
      .text = GTK_LABEL(regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, NULL)),
      .answer =
          GTK_LABEL(regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "talk-answer")),
      .hands_said = regard_label_new(NULL, 0, "talk-hands"),
  };
  gtk_widget_set_valign(GTK_WIDGET(made.letter), GTK_ALIGN_START);
  gtk_widget_set_valign(made.hands_said, GTK_ALIGN_START);
  gtk_widget_set_hexpand(words, TRUE);
  gtk_label_set_use_markup(made.text, TRUE);
  gtk_label_set_use_markup(made.answer, TRUE);
  regard_box_append(words, GTK_WIDGET(made.text), GTK_WIDGET(made.answer), NULL);
  regard_box_append(made.box, GTK_WIDGET(made.letter), words, made.hands_said, NULL);
  if (self->is_for_speaker) {
    made.hands = new_hands(self, letter[0]);
    gtk_box_append(GTK_BOX(made.box), GTK_WIDGET(made.hands));
  }
  gtk_widget_add_css_class(made.box, "talk-option");
  g_autofree char *text = markup_of(self->show, option->text);
  gtk_label_set_markup(made.text, text);
  return made;
}

/* Two where each option has a line of half of the width: the picture needs the height. */
static guint
count_columns(RegardTalkOptions *self)
{
  for (guint i = 0; self->slide && i < self->slide->options->len; i++)
    if (g_utf8_strlen(((const RegardLessonOption *) self->slide->options->pdata[i])->text, -1) >
        MOST_HALF_LINE)
      return 1;
  return self->is_for_speaker ? 1 : 2;
}

static void
build(RegardTalkOptions *self)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(self->grid)))
    gtk_grid_remove(GTK_GRID(self->grid), child);
  g_array_set_size(self->options, 0);
  const guint n = self->slide ? self->slide->options->len : 0;
  const guint columns = count_columns(self);
  for (guint i = 0; i < n; i++) {
    const Option made = new_option(self, i);
    g_array_append_val(self->options, made);
    gtk_grid_attach(GTK_GRID(self->grid), made.box, (int) (i % columns), (int) (i / columns), 1, 1);
  }
  gtk_widget_set_visible(GTK_WIDGET(self), n > 0);
}

static void
update_option(RegardTalkOptions *self, guint i)
{
  const Option *shown = &g_array_index(self->options, Option, i);
  const RegardLessonOption *option = self->slide->options->pdata[i];
  const RegardLessonRunState *run =
      regard_lesson_run_get_state(regard_talk_show_get_run(self->show));
  const gboolean is_revealed = regard_talk_show_is_revealed(self->show);
  const gboolean is_right = is_revealed && run->measured == option->letter;
  const guint hands = regard_talk_show_get_hands(self->show, i);
  g_autofree char *answer = markup_of(self->show, option->answer);
  g_autofree char *said = g_strdup_printf(ngettext("%u hand", "%u hands", hands), hands);
  gtk_label_set_markup(shown->answer, answer);
  gtk_widget_set_visible(GTK_WIDGET(shown->answer),
                         *answer && (is_right || (self->is_for_speaker && is_revealed)));
  gtk_label_set_label(GTK_LABEL(shown->hands_said), said);
  gtk_widget_set_visible(shown->hands_said, !self->is_for_speaker && is_revealed && hands > 0);
  if (is_right)
    gtk_widget_add_css_class(shown->box, "right");
  else
    gtk_widget_remove_css_class(shown->box, "right");
  if (shown->hands && !gtk_widget_has_focus(GTK_WIDGET(shown->hands)))
    gtk_spin_button_set_value(shown->hands, hands);
}

static void
update_options(RegardTalkOptions *self)
{
  const RegardTalkShowState *state = regard_talk_show_get_state(self->show);
  const RegardLessonStep *slide = state->talk ? regard_talk_slide(state->talk, state->slide) : NULL;
  if (slide != self->slide) {
    self->slide = slide;
    build(self);
  }
  for (guint i = 0; i < self->options->len; i++)
    update_option(self, i);
}

static void
regard_talk_options_dispose(GObject *object)
{
  RegardTalkOptions *self = REGARD_TALK_OPTIONS(object);
  g_clear_pointer(&self->grid, gtk_widget_unparent);
  g_clear_pointer(&self->options, g_array_unref);
  g_clear_object(&self->show);
  G_OBJECT_CLASS(regard_talk_options_parent_class)->dispose(object);
}

static void
regard_talk_options_class_init(RegardTalkOptionsClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_talk_options_dispose;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void
regard_talk_options_init(RegardTalkOptions *self)
{
  self->options = g_array_new(FALSE, FALSE, sizeof(Option));
  self->grid = gtk_grid_new();
  gtk_grid_set_column_homogeneous(GTK_GRID(self->grid), TRUE);
  gtk_grid_set_column_spacing(GTK_GRID(self->grid), 18);
  gtk_grid_set_row_spacing(GTK_GRID(self->grid), 6);
  gtk_widget_set_parent(self->grid, GTK_WIDGET(self));
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}

GtkWidget *
regard_talk_options_new(RegardTalkShow *show, gboolean is_for_speaker)
{
  RegardTalkOptions *self = g_object_new(REGARD_TYPE_TALK_OPTIONS, NULL);
  self->show = g_object_ref(show);
  self->is_for_speaker = is_for_speaker;
  regard_observe(show, self, update_options, "changed");
  update_options(self);
  return GTK_WIDGET(self);
}

/* ==== The bar ================================================================================= */

struct _RegardTalkBar {
  GtkWidget parent_instance;
  GtkWidget *box;
  GtkLabel *line, *place, *verdict, *notes;
  RegardTalkShow *show;
};

G_DEFINE_FINAL_TYPE(RegardTalkBar, regard_talk_bar, GTK_TYPE_WIDGET)

/* What came out, where no option says it. Caller frees; NULL: nothing, or an option. */
static char *
say_verdict(RegardTalkBar *self)
{
  RegardLessonRun *run = regard_talk_show_get_run(self->show);
  const RegardLessonRunState *state = regard_lesson_run_get_state(run);
  const RegardLessonStep *slide = regard_lesson_run_get_step(run);
  if (state->problem)
    return g_strdup(state->problem);
  if (state->phase == REGARD_LESSON_MEASURING)
    return g_strdup(_("Measuring…"));
  if (!regard_talk_show_is_revealed(self->show))
    return NULL;
  if (state->verdict == REGARD_SAID_UNCLEAR)
    return g_strdup(_("Not clear in this sentence."));
  if (slide->question != REGARD_ASK_NUMBER)
    return NULL;
  const RegardValue value = {.number = state->number};
  g_autofree char *number = regard_value_say(&value);
  return g_strdup_printf(_("Measured: %s"), number);
}

static void
update(RegardTalkBar *self)
{
  const RegardTalkShowState *state = regard_talk_show_get_state(self->show);
  gtk_widget_set_visible(GTK_WIDGET(self), state->talk != NULL);
  if (!state->talk)
    return;
  g_autofree char *line = regard_talk_show_dup_line(self->show);
  g_autofree char *verdict = say_verdict(self);
  g_autofree char *place = state->number
                               ? g_strdup_printf("→ %u", state->number)
                               : g_strdup_printf(C_("slide of slides", "%u / %u"), state->slide + 1,
                                                 regard_talk_n_slides(state->talk));
  g_autofree char *notes = regard_talk_dup_notes(regard_talk_slide(state->talk, state->slide));
  gtk_label_set_label(self->notes, *notes ? notes : _("There are no notes for this slide."));
  gtk_widget_set_visible(GTK_WIDGET(self->notes), state->has_notes);
  gtk_label_set_markup(self->line, line);
  gtk_label_set_label(self->place, place);
  gtk_label_set_label(self->verdict, verdict ? verdict : "");
  gtk_widget_set_visible(GTK_WIDGET(self->verdict), verdict != NULL);
}

static gboolean
on_link(RegardTalkBar *self, const char *uri)
{
  if (g_str_has_prefix(uri, "regard:"))
    g_signal_emit_by_name(self, "link", uri + strlen("regard:"));
  return TRUE; /* none leads out of the program */
}

void
regard_talk_bar_set_show(RegardTalkBar *self, RegardTalkShow *show)
{
  self->show = g_object_ref(show);
  gtk_box_insert_child_after(GTK_BOX(self->box), regard_talk_options_new(show, FALSE),
                             gtk_widget_get_first_child(self->box));
  regard_observe(show, self, update, "changed", "ended");
  update(self);
}

/* Whoever asks for no width would be told how high all lines are in the narrowest bar, which may be
 * more than a screen; so does the AdwToastOverlay of libadwaita 1.2, in which the window's content
 * is. The bar is as wide as the window. */
static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  RegardTalkBar *self = REGARD_TALK_BAR(widget);
  const int width = gtk_widget_get_width(GTK_WIDGET(gtk_widget_get_root(widget)));
  int least;
  if (orientation == GTK_ORIENTATION_VERTICAL && for_size < 0 && width > 0) {
    gtk_widget_measure(self->box, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    for_size = MAX(width, least);
  }
  gtk_widget_measure(self->box, orientation, for_size, minimum, natural, minimum_baseline,
                     natural_baseline);
}

static void
size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  gtk_widget_allocate(REGARD_TALK_BAR(widget)->box, width, height, baseline, NULL);
}

static GtkSizeRequestMode
get_request_mode(GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
regard_talk_bar_dispose(GObject *object)
{
  RegardTalkBar *self = REGARD_TALK_BAR(object);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_object(&self->show);
  G_OBJECT_CLASS(regard_talk_bar_parent_class)->dispose(object);
}

static void
regard_talk_bar_class_init(RegardTalkBarClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_talk_bar_dispose;
  GTK_WIDGET_CLASS(klass)->measure = measure;
  GTK_WIDGET_CLASS(klass)->size_allocate = size_allocate;
  GTK_WIDGET_CLASS(klass)->get_request_mode = get_request_mode;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "talkbar");
  regard_add_signal(klass, "link", 1, G_TYPE_STRING);
}

static void
regard_talk_bar_init(RegardTalkBar *self)
{
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 24);
  self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  self->line =
      GTK_LABEL(regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "talk-line"));
  self->place = GTK_LABEL(regard_label_new(NULL, 0, "talk-place"));
  self->verdict =
      GTK_LABEL(regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "talk-verdict"));
  gtk_label_set_use_markup(self->line, TRUE);
  gtk_widget_set_hexpand(GTK_WIDGET(self->line), TRUE);
  gtk_widget_set_valign(GTK_WIDGET(self->place), GTK_ALIGN_START);
  regard_box_append(row, GTK_WIDGET(self->line), GTK_WIDGET(self->place), NULL);
  g_signal_connect_swapped(self->line, "activate-link", G_CALLBACK(on_link), self);
  self->notes =
      GTK_LABEL(regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "talk-notes"));
  regard_box_append(self->box, row, GTK_WIDGET(self->verdict), GTK_WIDGET(self->notes), NULL);
  gtk_widget_set_parent(self->box, GTK_WIDGET(self));
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}
