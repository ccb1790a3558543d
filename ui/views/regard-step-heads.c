/* regard-step-heads.c — which head chose it: what each head adds to the token of the step,
 * and takes from another one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The other one is the candidate that was pointed at; else what stood there before one chose
 * otherwise; else the best that was not chosen. All heads are weighed in a thread, when the step
 * and the pointer have come to rest.
 */
#include "views/regard-step-heads.h"
#include "figures/regard-effects.h"
#include "runner/regard-work.h"

#include <glib/gi18n.h>

#define REST 160 /* milliseconds */

typedef struct {
  RegardSteps *steps;
  guint step;
  int32_t against;
} Question;

struct _RegardStepHeads {
  GtkWidget parent_instance;

  RegardView *page;
  RegardEffects *effects; /* NULL: not known yet */
  Question *question;     /* that they answer, or will */
  RegardWork *weighing;   /* busy: they are another question's */
  int32_t against;        /* what somebody pointed at, at that step; -1: nothing */
  int against_step;

  GtkWidget *note, *contrast, *grids;
};

G_DEFINE_FINAL_TYPE(RegardStepHeads, regard_step_heads, GTK_TYPE_WIDGET)

static void
question_free(Question *question)
{
  regard_steps_unref(question->steps);
  g_free(question);
}

/* ---- What is asked ----------------------------------------------------------------------------
 */

static int32_t
token_at(const RegardSteps *steps, int step)
{
  return steps->steps->nodes[(gsize) steps->nodes[step]].id;
}

/* What was there before one chose otherwise, at this very step; -1: the same, or nothing. */
static int32_t
token_before(const RegardSteps *steps, const RegardSteps *before, int step)
{
  if (!before || step >= (int) before->n)
    return -1;
  for (int t = 0; t < step; t++)
    if (token_at(before, t) != token_at(steps, t))
      return -1;
  return token_at(before, step);
}

/* -1: the model has one token only, or nothing is known of others. */
static int32_t
other_token(RegardStepHeads *self, RegardSteps *steps, RegardSteps *old, int step)
{
  const int32_t chosen = token_at(steps, step), before = token_before(steps, old, step);
  const int row_at = steps->rows[step];

  if (self->against_step == step && self->against >= 0 && self->against != chosen)
    return self->against;
  if (before >= 0 && before != chosen)
    return before;
  if (row_at >= 0) {
    const mt_step_row row = steps->steps->rows[(gsize) row_at];

    for (gsize i = 0; i < row.n; i++)
      if (row.options[i].id != chosen)
        return row.options[i].id;
  }
  return -1;
}

static gboolean
is_same(const Question *a, const RegardSteps *steps, int step, int32_t against)
{
  return a && a->steps == steps && (int) a->step == step && a->against == against;
}

/* ---- Weighing ---------------------------------------------------------------------------------
 */

static void
say(RegardStepHeads *self, const char *text)
{
  gtk_label_set_text(GTK_LABEL(self->note), text);
  gtk_widget_set_visible(self->note, *text != '\0');
}

static void
draw(RegardStepHeads *self)
{
  RegardFigureStyle style = regard_view_get_style(self->page, REGARD_FIGURE_AREA(self->contrast));
  const double opacity =
      regard_work_is_busy(self->weighing) ? 0.5 : 1; /* they are of another question */

  style.colormap = NULL; /* of both signs, whatever is chosen */
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->contrast),
                                self->effects ? regard_figure_new_contrast(self->effects, &style)
                                              : NULL);
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->grids),
                                self->effects ? regard_figure_new_effects(self->effects, &style)
                                              : NULL);
  gtk_widget_set_opacity(self->contrast, opacity);
  gtk_widget_set_opacity(self->grids, opacity);
}

static void
on_weighed(gpointer owner, RegardRun *run)
{
  RegardStepHeads *self = owner;
  g_autoptr(GError) error = NULL;

  g_clear_pointer(&self->effects, regard_effects_unref);
  self->effects = regard_run_finish(run, &error);
  say(self, error ? error->message : "");
  draw(self);
  regard_view_choices_changed(self->page);
}

static void
start(gpointer owner)
{
  RegardStepHeads *self = owner;
  const Question *q = self->question;
  const RegardEffectsParams params = {
      .params = {.kind = MT_EFFECT_ZERO,
                 .has_contrast = true,
                 .token = q->step,
                 .against = q->against},
      .against = regard_steps_dup_piece(q->steps, q->against),
  };
  g_autoptr(RegardPass) pass =
      regard_pass_new(NULL, q->steps->model, q->steps->translation, q->steps->hypothesis);

  regard_work_run(self->weighing, &regard_analysis_effects, pass, &params, on_weighed);
}

void
regard_step_heads_forget(RegardStepHeads *self)
{
  regard_work_drop(self->weighing);
  g_clear_pointer(&self->question, question_free);
  g_clear_pointer(&self->effects, regard_effects_unref);
}

void
regard_step_heads_show(RegardStepHeads *self, RegardSteps *steps, RegardSteps *before, int step)
{
  const int32_t against = step >= 0 ? other_token(self, steps, before, step) : -1;
  Question *question;

  if (is_same(self->question, steps, step, against)) {
    draw(self); /* the window may be dark now */
    return;
  }
  regard_work_drop(self->weighing);
  g_clear_pointer(&self->question, question_free);
  if (against < 0) {
    g_clear_pointer(&self->effects, regard_effects_unref);
    say(self, _("There is no other token to set it against."));
    draw(self);
    return;
  }
  question = g_new(Question, 1);
  *question = (Question){regard_steps_ref(steps), (guint) step, against};
  self->question = question;
  regard_work_wait(self->weighing, REST, start);
  say(self, self->effects ? "" : _("All heads are weighed…"));
  draw(self);
}

void
regard_step_heads_set_against(RegardStepHeads *self, int step, int32_t id)
{
  self->against = id;
  self->against_step = step;
}

RegardEffects *
regard_step_heads_get_effects(RegardStepHeads *self)
{
  return self->effects;
}

char *
regard_step_heads_describe(RegardStepHeads *self)
{
  char *text = regard_view_describe_spot(REGARD_FIGURE_AREA(self->contrast));

  return text ? text : regard_view_describe_spot(REGARD_FIGURE_AREA(self->grids));
}

/* ---- Widgets ----------------------------------------------------------------------------------
 */

/* The head that is clicked is the one whose attention is looked at. */
static void
on_activated(RegardStepHeads *self, RegardFigureArea *area)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area);

  if (spot)
    regard_selection_set_place(regard_view_get_selection(self->page),
                               (mt_attention_kind) spot->part, (guint) spot->row,
                               (guint) spot->col);
}

static GtkWidget *
build_area(RegardStepHeads *self, int least_width, const char *name)
{
  GtkWidget *area = regard_view_new_part(self->page, least_width, name);

  g_signal_connect_swapped(area, "spot-activated", G_CALLBACK(on_activated), self);
  return area;
}

static void
regard_step_heads_dispose(GObject *object)
{
  RegardStepHeads *self = REGARD_STEP_HEADS(object);
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(self));

  g_clear_object(&self->weighing);
  regard_step_heads_forget(self);
  g_clear_pointer(&child, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_step_heads_parent_class)->dispose(object);
}

static void
regard_step_heads_class_init(RegardStepHeadsClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_step_heads_dispose;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void
regard_step_heads_init(RegardStepHeads *self)
{
  self->weighing = regard_work_new(self);
  self->against = self->against_step = -1;
}

GtkWidget *
regard_step_heads_new(RegardView *page)
{
  RegardStepHeads *self = g_object_new(REGARD_TYPE_STEP_HEADS, NULL);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2), *scroller;
  GtkWidget *title = gtk_label_new(_("Which head chose it"));

  self->page = page;
  gtk_label_set_xalign(GTK_LABEL(title), 0);
  gtk_widget_add_css_class(title, "heading");
  gtk_widget_set_margin_start(title, 8);
  gtk_widget_set_margin_top(title, 4);
  self->note = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->note), 0);
  gtk_label_set_wrap(GTK_LABEL(self->note), TRUE);
  gtk_widget_set_margin_start(self->note, 8);
  gtk_widget_add_css_class(self->note, "regard-note");
  self->contrast = build_area(self, 330, _("Heads that speak for one token and for another"));
  self->grids = build_area(self, 380, _("What each head does"));
  gtk_box_append(GTK_BOX(box), title);
  gtk_box_append(GTK_BOX(box), self->note);
  gtk_box_append(GTK_BOX(box), self->contrast);
  gtk_box_append(GTK_BOX(box), self->grids);
  scroller = regard_view_new_scroller(box, -1);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_widget_set_parent(scroller, GTK_WIDGET(self));
  return GTK_WIDGET(self);
}
