/* regard-pane-alignment-gold.c — the pane Alignment: a gold file, and recipes on it, best first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opening a file evaluates all layers and heads, in a thread. Clicking a bar or a head takes that
 * recipe for the sentence above. What was found stays until something else is.
 */
#include "views/measure/regard-pane-alignment-private.h"
#include "widgets/regard-choose-file.h"
#include "widgets/regard-wrap-layout.h"

#include <glib/gi18n.h>

#define LEAST_WIDTH 480

/* ---- Showing ----------------------------------------------------------------------------------
 */

static void
say(RegardPaneAlignment *self, const char *text)
{
  gtk_label_set_text(GTK_LABEL(self->gold_note), text);
}

void
regard_pane_alignment_show_scores(RegardPaneAlignment *self)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;

  if (!self->scores_area || !self->scores)
    return;
  style.dark = regard_figure_area_is_dark(REGARD_FIGURE_AREA(self->scores_area));
  style.left_out = REGARD_PART_TITLE | REGARD_PART_MODEL;
  style.colormap = regard_selection_get_colormap(regard_view_get_selection(REGARD_VIEW(self)));
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->scores_area),
                                regard_figure_new_scores(self->scores, &style));
  gtk_widget_set_visible(self->scores_area, TRUE);
}

/* The scores are of this model, and of these settings but for matrix, place and row. */
static gboolean
is_of_present(RegardPaneAlignment *self)
{
  const mt_recipe *recipe = regard_recipe_bar_get_recipe(REGARD_RECIPE_BAR(self->bar));
  mt_recipe of = self->scores->ranked[0].recipe;

  if (self->pass && !g_str_equal(self->scores->model_name, mt_model_name(self->pass->model)))
    return FALSE;
  of.matrix = recipe->matrix;
  of.row = recipe->row;
  of.layer = recipe->layer;
  of.n_heads = recipe->n_heads;
  for (gsize h = 0; h < of.n_heads; h++)
    of.heads[h] = recipe->heads[h];
  return recipe->n_heads < 2 && mt_recipe_equal(&of, recipe);
}

static gboolean
is_scoring(RegardPaneAlignment *self)
{
  return regard_work_is_busy(self->scoring);
}

void
regard_pane_alignment_update_gold(RegardPaneAlignment *self)
{
  g_autofree char *gold = NULL, *texts = NULL;
  gboolean runs;

  if (!self->scores_area)
    return;
  runs = is_scoring(self);
  gold = self->gold_path ? g_filename_display_basename(self->gold_path) : NULL;
  texts = self->texts_path ? g_filename_display_basename(self->texts_path) : NULL;
  gtk_button_set_label(GTK_BUTTON(self->gold_button), gold ? gold : _("Gold File…"));
  gtk_button_set_label(GTK_BUTTON(self->texts_button), texts ? texts : _("Its Texts…"));
  gtk_widget_set_visible(self->texts_button,
                         self->gold &&
                             !mt_gold_format_at(mt_gold_get_format(self->gold))->has_texts);
  gtk_widget_set_sensitive(self->gold_button, !runs);
  gtk_widget_set_sensitive(self->texts_button, !runs);
  gtk_widget_set_visible(self->again, self->scores && !runs && !is_of_present(self));
}

/* ---- Evaluating -------------------------------------------------------------------------------
 */

static void
on_scored(gpointer owner, RegardRun *run)
{
  RegardPaneAlignment *self = owner;
  g_autoptr(GError) error = NULL;
  RegardAlignmentScores *scores = regard_run_finish(run, &error);

  if (scores) {
    g_clear_pointer(&self->scores, regard_alignment_scores_unref);
    self->scores = scores;
    say(self, _("Click a bar or a head to take its recipe."));
    regard_pane_alignment_show_scores(self);
    regard_view_choices_changed(REGARD_VIEW(self));
  } else
    say(self, error->message);
}

static void
on_stopped(RegardPaneAlignment *self)
{
  say(self, _("Stopped before it was done"));
}

static void
start(RegardPaneAlignment *self)
{
  const mt_recipe *recipe = regard_recipe_bar_get_recipe(REGARD_RECIPE_BAR(self->bar));
  const gboolean has_texts =
      mt_gold_format_at(mt_gold_get_format(self->gold))->has_texts || self->texts_path;

  if (!has_texts) {
    say(self, _("It has links and no texts: choose the file of its sentences, with a tab before "
                "each translation."));
    regard_pane_alignment_update_gold(self);
    return;
  }
  const RegardScoresParams params = {mt_gold_ref(self->gold), g_strdup(self->texts_path), *recipe};
  say(self, "");
  regard_work_run(self->scoring, &regard_analysis_scores,
                  regard_selection_get_pass(regard_view_get_selection(REGARD_VIEW(self))), &params,
                  on_scored);
}

/* ---- Files ------------------------------------------------------------------------------------
 */

static gpointer
read_gold(RegardRun *run, mt_error *error)
{
  return mt_gold_read(*(char **) regard_run_get_params(run), MT_GOLD_GUESS, MT_GOLD_GUESS, error);
}

static const RegardTask reading = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(char *),
    .compute = read_gold,
    .clear_params = regard_task_free_parameter,
    .free_result = (GDestroyNotify) mt_gold_unref,
};

static void
on_read(gpointer owner, RegardRun *run)
{
  RegardPaneAlignment *self = owner;
  g_autoptr(GError) error = NULL;
  mt_gold *gold = regard_run_finish(run, &error);

  if (!gold) { /* what was there stays */
    say(self, error->message);
    return;
  }
  mt_gold_unref(self->gold);
  self->gold = gold;
  g_free(self->gold_path);
  self->gold_path = g_strdup(*(char **) regard_run_get_params(run));
  g_clear_pointer(&self->texts_path, g_free);
  start(self);
}

void
regard_pane_alignment_open_gold(RegardPaneAlignment *self, const char *path)
{
  char *own = NULL;

  if (is_scoring(self) || !self->scores_area)
    return;
  own = g_strdup(path);
  regard_work_run(self->scoring, &reading, NULL, &own, on_read);
}

void
regard_pane_alignment_open_texts(RegardPaneAlignment *self, const char *path)
{
  if (is_scoring(self) || !self->gold)
    return;
  g_free(self->texts_path);
  self->texts_path = g_strdup(path);
  start(self);
}

static void
on_choose(GtkWidget *button, RegardPaneAlignment *self)
{
  const gboolean is_texts = button == self->texts_button;

  regard_choose_file(GTK_WIDGET(self), is_texts ? _("Choose the Texts") : _("Choose a Gold File"),
                     _("_Choose"), NULL, NULL, FALSE,
                     is_texts ? "alignment.texts" : "alignment.gold");
}

static gboolean
on_drop(GtkDropTarget *target, const GValue *value, double x, double y, gpointer data)
{
  RegardPaneAlignment *self = data;
  GSList *files = g_value_get_boxed(value);
  g_autofree char *path = files ? g_file_get_path(files->data) : NULL;

  if (!path || is_scoring(self))
    return FALSE;
  if (gtk_widget_get_visible(self->texts_button) && !self->texts_path)
    regard_pane_alignment_open_texts(self, path);
  else
    regard_pane_alignment_open_gold(self, path);
  return TRUE;
}

/* ---- Taking a recipe --------------------------------------------------------------------------
 */

static void
on_activated(RegardPaneAlignment *self)
{
  const RegardSpot *spot = regard_figure_area_get_spot(REGARD_FIGURE_AREA(self->scores_area));
  mt_recipe recipe = *regard_recipe_bar_get_recipe(REGARD_RECIPE_BAR(self->bar));

  if (!spot || !self->scores)
    return;
  if (spot->part == REGARD_SCORES_RANKING) {
    recipe = self->scores->ranked[spot->row].recipe;
  } else {
    recipe.layer = MT_RECIPE_AUTO;
    recipe.is_chosen = false;
    recipe.n_heads = 1;
    recipe.heads[0] = (mt_recipe_head){(guint16) spot->row, (guint16) spot->col};
  }
  regard_pane_alignment_choose(self, &recipe);
}

static void
on_spot(RegardFigureArea *area, RegardPaneAlignment *self)
{
  regard_pane_alignment_show_status(self, area);
}

/* ---- Widgets ----------------------------------------------------------------------------------
 */

static GtkWidget *
new_button(const char *help)
{
  GtkWidget *button = gtk_button_new_with_label("");

  gtk_widget_set_tooltip_text(button, help);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, help,
                                 -1);
  return button;
}

static void
build_line(RegardPaneAlignment *self, GtkWidget *line)
{
  GtkWidget *progress = regard_work_bar_new(_("How much of the gold file is evaluated"), TRUE);

  self->gold_button =
      new_button(_("Links that people made: Pharaoh, TALP, NAACL, or lines of source, target and "
                   "links with tabs between"));
  self->texts_button =
      new_button(_("The sentences of the gold file: source, a tab, target, a line each"));
  g_signal_connect(self->gold_button, "clicked", G_CALLBACK(on_choose), self);
  g_signal_connect(self->texts_button, "clicked", G_CALLBACK(on_choose), self);
  self->again = gtk_button_new_with_label(_("Evaluate Again"));
  gtk_widget_set_tooltip_text(self->again,
                              _("The error rates below are of other settings or another model"));
  g_signal_connect_swapped(self->again, "clicked", G_CALLBACK(start), self);
  regard_work_bar_set_work(REGARD_WORK_BAR(progress), self->scoring);
  self->gold_note = gtk_label_new(
      _("Compare recipes with links that people made: every layer and head, best first."));
  gtk_label_set_xalign(GTK_LABEL(self->gold_note), 0);
  gtk_label_set_wrap(GTK_LABEL(self->gold_note), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(self->gold_note), 30); /* or what its line has left */
  gtk_widget_set_hexpand(self->gold_note, TRUE);
  gtk_widget_add_css_class(self->gold_note, "regard-note");
  GtkWidget *const all[] = {self->gold_button, self->texts_button, self->again, progress,
                            self->gold_note};
  for (guint i = 0; i < G_N_ELEMENTS(all); i++)
    regard_wrap_append(line, all[i]);
}

void
regard_pane_alignment_init_gold(RegardPaneAlignment *self)
{
  self->scoring = regard_work_new(self);
  g_signal_connect_object(self->scoring, "changed", G_CALLBACK(regard_pane_alignment_update_gold),
                          self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->scoring, "stopped", G_CALLBACK(on_stopped), self,
                          G_CONNECT_SWAPPED);
}

void
regard_pane_alignment_build_gold(RegardPaneAlignment *self, GtkWidget *box)
{
  GtkWidget *line = regard_wrap_new(8);
  GtkDropTarget *drop = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  gtk_widget_add_css_class(line, "measure-line");
  build_line(self, line);
  self->scores_area = regard_figure_area_new(LEAST_WIDTH);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->scores_area), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Error rates of recipes and heads"), -1);
  gtk_widget_set_visible(self->scores_area, FALSE);
  g_signal_connect(self->scores_area, "spot-changed", G_CALLBACK(on_spot), self);
  g_signal_connect_swapped(self->scores_area, "spot-activated", G_CALLBACK(on_activated), self);
  g_signal_connect_swapped(self->scores_area, "look-changed",
                           G_CALLBACK(regard_pane_alignment_show_scores), self);
  g_signal_connect(drop, "drop", G_CALLBACK(on_drop), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(drop));
  gtk_box_append(GTK_BOX(box), line);
  gtk_box_append(GTK_BOX(box), self->scores_area);
  regard_pane_alignment_update_gold(self);
}

void
regard_pane_alignment_clear_gold(RegardPaneAlignment *self)
{
  g_clear_object(&self->scoring);
  self->scores_area = NULL;
  g_clear_pointer(&self->gold, mt_gold_unref);
  g_clear_pointer(&self->scores, regard_alignment_scores_unref);
  g_clear_pointer(&self->gold_path, g_free);
  g_clear_pointer(&self->texts_path, g_free);
}
