/* regard-view-steps-heads.c — which head chose it: what each head adds to the token of the step,
 * and takes from another one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The other one is the candidate that was pointed at; else what stood there before one chose
 * otherwise; else the best that was not chosen. All heads are weighed in a thread, when the step
 * and the pointer have come to rest.
 */
#include "figures/regard-effects.h"
#include "views/regard-view-steps-private.h"

#include <glib/gi18n.h>

#define REST 160 /* milliseconds */

typedef struct {
  RegardSteps *steps;
  guint step;
  int32_t against;
} Question;

static void
question_free(gpointer data)
{
  Question *question = data;

  regard_steps_unref(question->steps);
  g_free(question);
}

/* ---- What is asked ----------------------------------------------------------------------------
 */

static int32_t
token_at(const RegardSteps *steps, int step)
{
  return mt_steps_node(steps->steps, (gsize) steps->nodes[step])->id;
}

/* What was there before one chose otherwise, at this very step; -1: the same, or nothing. */
static int32_t
token_before(RegardViewSteps *self, int step)
{
  if (!self->before || step >= (int) self->before->n)
    return -1;
  for (int t = 0; t < step; t++)
    if (token_at(self->before, t) != token_at(self->steps, t))
      return -1;
  return token_at(self->before, step);
}

/* -1: the model has one token only, or nothing is known of others. */
static int32_t
other_token(RegardViewSteps *self, int step)
{
  const int32_t chosen = token_at(self->steps, step), before = token_before(self, step);
  const int row_at = self->steps->rows[step];

  if (self->against_step == step && self->against >= 0 && self->against != chosen)
    return self->against;
  if (before >= 0 && before != chosen)
    return before;
  if (row_at >= 0) {
    const mt_step_row row = mt_steps_row(self->steps->steps, (gsize) row_at);

    for (gsize i = 0; i < row.n; i++)
      if (row.options[i].id != chosen)
        return row.options[i].id;
  }
  return -1;
}

static gboolean
is_shown(RegardViewSteps *self)
{
  return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->show_heads));
}

static gboolean
is_same(const Question *a, const RegardSteps *steps, int step, int32_t against)
{
  return a && a->steps == steps && (int) a->step == step && a->against == against;
}

/* ---- Weighing ---------------------------------------------------------------------------------
 */

static void
say(RegardViewSteps *self, const char *text)
{
  gtk_label_set_text(GTK_LABEL(self->heads_note), text);
  gtk_widget_set_visible(self->heads_note, *text != '\0');
}

static void
draw(RegardViewSteps *self)
{
  RegardFigureStyle style =
      regard_view_get_style(REGARD_VIEW(self), REGARD_FIGURE_AREA(self->contrast));
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
  RegardViewSteps *self = owner;
  g_autoptr(GError) error = NULL;

  g_clear_pointer(&self->effects, regard_effects_unref);
  self->effects = regard_run_finish(run, &error);
  say(self, error ? error->message : "");
  draw(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
start(gpointer owner)
{
  RegardViewSteps *self = owner;
  const Question *q = self->question;
  const RegardEffectsParams params = {
      .params = {.kind = MT_EFFECT_ZERO,
                 .has_contrast = true,
                 .token = q->step,
                 .against = q->against},
      .against = regard_steps_dup_piece(q->steps, q->against),
  };
  g_autoptr(RegardPass) pass = regard_view_steps_pass_of(q->steps);

  regard_work_run(self->weighing, &regard_analysis_effects, pass, &params, on_weighed);
}

void
regard_view_steps_forget_heads(RegardViewSteps *self)
{
  regard_work_drop(self->weighing);
  g_clear_pointer(&self->question, question_free);
  g_clear_pointer(&self->effects, regard_effects_unref);
}

void
regard_view_steps_show_heads(RegardViewSteps *self)
{
  const int step = regard_view_steps_get_step(self);
  const int32_t against = step >= 0 ? other_token(self, step) : -1;
  Question *question;

  if (is_same(self->question, self->steps, step, against)) {
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
  *question = (Question){regard_steps_ref(self->steps), (guint) step, against};
  self->question = question;
  regard_work_wait(self->weighing, REST, start);
  say(self, self->effects ? "" : _("All heads are weighed…"));
  draw(self);
}

void
regard_view_steps_set_against(RegardViewSteps *self, int32_t id)
{
  const int step = regard_view_steps_get_step(self);

  if (step < 0 || id < 0 || id == token_at(self->steps, step))
    return;
  self->against = id;
  self->against_step = step;
  if (is_shown(self))
    regard_view_steps_show_heads(self);
}

/* ---- Widgets ----------------------------------------------------------------------------------
 */

/* The head that is clicked is the one whose attention is looked at. */
static void
on_activated(RegardViewSteps *self, RegardFigureArea *area)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area);

  if (spot)
    regard_selection_set_place(regard_view_get_selection(REGARD_VIEW(self)),
                               (mt_attention_kind) spot->part, (guint) spot->row,
                               (guint) spot->col);
}

static GtkWidget *
build_area(RegardViewSteps *self, int least_width, const char *name)
{
  GtkWidget *area = regard_view_new_part(REGARD_VIEW(self), least_width, name);

  g_signal_connect_swapped(area, "spot-activated", G_CALLBACK(on_activated), self);
  return area;
}

GtkWidget *
regard_view_steps_build_heads(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2), *scroller = gtk_scrolled_window_new();
  GtkWidget *title = gtk_label_new(_("Which head chose it"));

  gtk_label_set_xalign(GTK_LABEL(title), 0);
  gtk_widget_add_css_class(title, "heading");
  gtk_widget_set_margin_start(title, 8);
  gtk_widget_set_margin_top(title, 4);
  self->heads_note = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->heads_note), 0);
  gtk_label_set_wrap(GTK_LABEL(self->heads_note), TRUE);
  gtk_widget_set_margin_start(self->heads_note, 8);
  gtk_widget_add_css_class(self->heads_note, "regard-note");
  self->contrast = build_area(self, 330, _("Heads that speak for one token and for another"));
  self->grids = build_area(self, 380, _("What each head does"));
  gtk_box_append(GTK_BOX(box), title);
  gtk_box_append(GTK_BOX(box), self->heads_note);
  gtk_box_append(GTK_BOX(box), self->contrast);
  gtk_box_append(GTK_BOX(box), self->grids);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), box);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_viewport_set_scroll_to_focus(GTK_VIEWPORT(gtk_widget_get_parent(box)), FALSE);
  gtk_widget_set_vexpand(scroller, TRUE);
  self->against = self->against_step = -1;
  return scroller;
}
