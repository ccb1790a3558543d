/* regard-pane-alignment.c — the alignment lab: which word stands for which, by a recipe, as curves
 * between the two texts or as a matrix; and how far recipes are from a gold file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sentence goes through its model once, in a thread, when somebody looks; after that every
 * recipe is read from what was kept, at once. Opening a gold file evaluates all layers and heads,
 * in a thread, too. Clicking a bar or a head takes that recipe for the sentence above. What was
 * found stays until something else is.
 */
#include "figures/regard-alignment.h"
#include "figures/regard-language.h"
#include "runner/regard-analysis.h"
#include "runner/regard-failure.h"
#include "views/regard-view.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-recipe-bar.h"
#include "widgets/regard-work-bar.h"
#include "widgets/regard-wrap-layout.h"

#define LEAST_WIDTH 480

enum { FORM_LINKS, FORM_MATRIX };

enum { PICTURE_LINKS, PICTURE_MATRIX, PICTURE_SCORES };

#define REGARD_TYPE_PANE_ALIGNMENT (regard_pane_alignment_get_type())
G_DECLARE_FINAL_TYPE(RegardPaneAlignment, regard_pane_alignment, REGARD, PANE_ALIGNMENT, RegardView)

struct _RegardPaneAlignment {
  RegardView parent_instance;

  /* Links of what is shown. */
  mt_alignment_input *input; /* NULL: not there yet */
  RegardPass *pass;          /* that it is of */
  RegardAlignment *alignment;
  mt_capture *asked; /* that it is of, or will be; NULL: of none */
  RegardWork *aligning;
  GtkWidget *bar, *form[2];
  RegardFigureArea *pointed; /* where the pointer, or the keyboard, was last */

  /* A gold file. */
  mt_gold *gold;
  char *gold_path, *texts_path; /* texts_path NULL: the gold file has them */
  RegardAlignmentScores *scores;
  RegardWork *scoring;
  GtkWidget *gold_button, *texts_button, *again, *gold_note, *scores_area;
};

G_DEFINE_FINAL_TYPE(RegardPaneAlignment, regard_pane_alignment, REGARD_TYPE_VIEW)

static void update_gold(RegardPaneAlignment *self);

/* ---- Showing ----------------------------------------------------------------------------------
 */

static void
show_note(RegardPaneAlignment *self)
{
  g_autofree char *recipe =
      self->alignment ? regard_recipe_describe(&self->alignment->recipe, 7) : NULL;
  g_autofree char *note =
      recipe ? g_strdup_printf(_("alignment · %s"), recipe) : g_strdup(_("alignment"));

  regard_view_set_note(REGARD_VIEW(self), note);
}

static gboolean
is_matrix(RegardPaneAlignment *self)
{
  return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->form[FORM_MATRIX]));
}

static void
draw(RegardPaneAlignment *self)
{
  RegardFigureArea *area = regard_view_get_area(REGARD_VIEW(self));
  const char *family;

  if (!self->alignment)
    return;
  regard_figure_area_set_least_width(
      area, (int) MAX(LEAST_WIDTH,
                      regard_alignment_least_width(self->alignment,
                                                   regard_figure_area_get_font(area, &family))));
  regard_view_show_figure(REGARD_VIEW(self), is_matrix(self) ? PICTURE_MATRIX : PICTURE_LINKS);
}

static void
show(RegardPaneAlignment *self)
{
  mt_error error = {0};
  RegardAlignment *alignment = NULL;

  if (!self->bar)
    return;
  const mt_recipe *recipe = regard_recipe_bar_get_recipe(REGARD_RECIPE_BAR(self->bar));
  if (self->input)
    alignment = regard_alignment_new(self->input, recipe, self->pass->model,
                                     self->pass->interventions, &error);
  g_clear_pointer(&self->alignment, regard_alignment_unref);
  self->alignment = alignment;
  if (alignment)
    draw(self);
  else if (self->input) {
    g_autofree char *said = regard_failure_say(&error);

    regard_view_show_message(REGARD_VIEW(self), said);
  }
  show_note(self);
  update_gold(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
choose(RegardPaneAlignment *self, const mt_recipe *recipe)
{
  regard_recipe_bar_set_recipe(REGARD_RECIPE_BAR(self->bar), recipe);
  show(self);
}

static char *
describe(RegardView *view)
{
  RegardFigureArea *area = REGARD_PANE_ALIGNMENT(view)->pointed;

  return area ? regard_view_describe_spot(area) : NULL;
}

static char *
summarize(RegardView *view)
{
  return g_strdup(_("Which word of the source each word of the translation comes from, by what "
                    "heads look at"));
}

static char *
explain(RegardView *view)
{
  return g_strdup(
      _("A link joins two words where the attention that is chosen above is strong "
        "enough. Where links by hand are known for this sentence, those that agree, those "
        "that are too many and those that are missing look different, and the error rate "
        "counts them."));
}

static void
on_spot(RegardPaneAlignment *self, RegardFigureArea *area)
{
  self->pointed = area;
  regard_view_show_status(REGARD_VIEW(self));
}

/* ---- The sentence -----------------------------------------------------------------------------
 */

static void
on_aligned(gpointer owner, RegardRun *run)
{
  RegardPaneAlignment *self = owner;
  g_autoptr(GError) error = NULL;
  mt_alignment_input *input = regard_run_finish(run, &error);

  g_clear_pointer(&self->input, mt_alignment_input_unref);
  self->input = input;
  regard_pass_set(&self->pass, input ? regard_run_get_pass(run) : NULL);
  regard_widget_set_pale(GTK_WIDGET(regard_view_get_area(REGARD_VIEW(self))), FALSE);
  if (input)
    regard_recipe_bar_set_layers(REGARD_RECIPE_BAR(self->bar), (guint) input->n_layers);
  else
    regard_view_show_message(REGARD_VIEW(self), error->message);
  show(self);
}

static void
forget(RegardPaneAlignment *self, const char *message)
{
  g_clear_pointer(&self->input, mt_alignment_input_unref);
  regard_pass_set(&self->pass, NULL);
  regard_view_show_message(REGARD_VIEW(self), message);
  show(self);
}

/* What is shown is aligned, if somebody looks. */
static void
load(RegardView *view, gboolean is_seen)
{
  RegardPaneAlignment *self = REGARD_PANE_ALIGNMENT(view);
  RegardSelection *s = regard_view_get_selection(view);
  mt_capture *capture = s ? regard_selection_get_capture(s) : NULL;

  if (!self->bar || (capture && capture == self->asked))
    return;
  regard_work_drop(self->aligning); /* it is of a sentence before, whether anybody looks or not */
  g_clear_pointer(&self->asked, mt_capture_unref);
  if (!capture) {
    forget(self, _("There is no translation yet."));
    return;
  }
  if (!is_seen) {
    if (self->input && self->pass->model != regard_selection_get_pass_model(s))
      forget(self, ""); /* a model is too large to be kept for links that come anew */
    return;
  }
  self->asked = mt_capture_ref(capture);
  if (self->alignment)
    /* Until the new one is there. */
    regard_widget_set_pale(GTK_WIDGET(regard_view_get_area(REGARD_VIEW(self))), TRUE);
  else
    regard_view_show_message(REGARD_VIEW(self), _("The words are aligned …"));
  regard_work_run(self->aligning, &regard_analysis_alignment, regard_selection_get_pass(s), NULL,
                  on_aligned);
}

/* The heads that one can choose: the set, or the one that is looked at. */
static void
follow_heads(RegardPaneAlignment *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  mt_recipe_head heads[MT_RECIPE_MOST_HEADS] = {{0, 0}};
  guint n = 0;
  mt_capture *capture = regard_selection_get_capture(s);

  if (!self->bar || !capture || regard_selection_get_kind(s) != MT_CROSS)
    return;
  const gsize first_layer = mt_capture_first_layer(capture, MT_CROSS),
              first_head = mt_capture_first_head(capture, MT_CROSS);
  for (guint l = 0; l < mt_capture_n_layers(capture, MT_CROSS); l++)
    for (guint h = 0; h < mt_capture_n_heads(capture, MT_CROSS); h++)
      if (n < MT_RECIPE_MOST_HEADS && regard_selection_is_chosen(s, MT_CROSS, l, h))
        heads[n++] = (mt_recipe_head){(guint16) (first_layer + l), (guint16) (first_head + h)};
  if (n == 0)
    heads[n++] = (mt_recipe_head){(guint16) regard_selection_get_layer(s),
                                  (guint16) regard_selection_get_head(s)};
  if (regard_recipe_bar_set_heads(REGARD_RECIPE_BAR(self->bar), heads, n))
    show(self);
}

static void
set_selection(RegardView *view, RegardSelection *s)
{
  regard_connect(s, "notify::capture", G_CALLBACK(regard_view_load), view);
  regard_connect(s, "notify::layer", G_CALLBACK(follow_heads), view);
  regard_connect(s, "notify::head", G_CALLBACK(follow_heads), view);
  regard_connect(s, "notify::kind", G_CALLBACK(follow_heads), view);
  regard_connect(s, "chosen-changed", G_CALLBACK(follow_heads), view);
  regard_connect(s, "style-changed", G_CALLBACK(draw), view);
}

/* ---- Pictures ---------------------------------------------------------------------------------
 */

static const RegardPicture pictures[] = {[PICTURE_LINKS] = {"links", N_("Links")},
                                         [PICTURE_MATRIX] = {"alignment", N_("Links as a Matrix")},
                                         [PICTURE_SCORES] = {"scores", N_("Error Rates")}};

static gboolean
has_picture(RegardView *view, guint picture)
{
  RegardPaneAlignment *self = REGARD_PANE_ALIGNMENT(view);

  return picture == PICTURE_SCORES ? self->scores != NULL : self->alignment != NULL;
}

static RegardFigure *
new_figure(RegardView *view, guint picture, RegardFigureStyle *style)
{
  RegardPaneAlignment *self = REGARD_PANE_ALIGNMENT(view);

  style->scale = REGARD_SCALE_LINEAR; /* shares of links, not weights */
  if (picture == PICTURE_SCORES)
    return regard_figure_new_scores(self->scores, style);
  if (picture == PICTURE_LINKS)
    return regard_figure_new_links(self->alignment, style);
  g_autoptr(RegardMatrix) values = regard_alignment_matrix(self->alignment, FALSE);
  return regard_figure_new_matrix(values, style);
}

/* ---- A gold file: how far recipes are from it ----
 */

static void
say(RegardPaneAlignment *self, const char *text)
{
  gtk_label_set_text(GTK_LABEL(self->gold_note), text);
}

static void
show_scores(RegardPaneAlignment *self)
{
  if (!self->scores_area || !self->scores)
    return;
  RegardFigureArea *area = REGARD_FIGURE_AREA(self->scores_area);
  RegardFigureStyle style = regard_view_get_style(REGARD_VIEW(self), area);
  regard_figure_area_set_figure(area, new_figure(REGARD_VIEW(self), PICTURE_SCORES, &style));
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

static void
update_gold(RegardPaneAlignment *self)
{
  g_autofree char *gold = NULL, *texts = NULL;

  if (!self->scores_area)
    return;
  gboolean runs = is_scoring(self);
  gold = self->gold_path ? g_filename_display_basename(self->gold_path) : NULL;
  texts = self->texts_path ? g_filename_display_basename(self->texts_path) : NULL;
  gtk_button_set_label(GTK_BUTTON(self->gold_button), gold ? gold : _("Gold File…"));
  gtk_button_set_label(GTK_BUTTON(self->texts_button), texts ? texts : _("Its Texts…"));
  gtk_widget_set_visible(self->texts_button,
                         self->gold && !mt_gold_format_at(self->gold->format)->has_texts);
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
    show_scores(self);
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
  const gboolean has_texts = mt_gold_format_at(self->gold->format)->has_texts || self->texts_path;

  if (!has_texts) {
    say(self, _("It has links and no texts: choose the file of its sentences, with a tab before "
                "each translation."));
    update_gold(self);
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

static void
open_gold(RegardPaneAlignment *self, const char *path)
{
  char *own = NULL;

  if (is_scoring(self) || !self->scores_area)
    return;
  own = g_strdup(path);
  regard_work_run(self->scoring, &reading, NULL, &own, on_read);
}

static void
open_texts(RegardPaneAlignment *self, const char *path)
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
    open_texts(self, path);
  else
    open_gold(self, path);
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
  choose(self, &recipe);
}

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

  gtk_widget_set_name(line, "gold");

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
  self->gold_note = regard_label_new(
      _("Compare recipes with links that people made: every layer and head, best first."),
      REGARD_LABEL_START | REGARD_LABEL_WRAP, NULL);
  gtk_label_set_max_width_chars(GTK_LABEL(self->gold_note), 30); /* or what its line has left */
  gtk_widget_set_hexpand(self->gold_note, TRUE);
  gtk_widget_add_css_class(self->gold_note, "regard-note");
  GtkWidget *const all[] = {self->gold_button, self->texts_button, self->again, progress,
                            self->gold_note};
  for (guint i = 0; i < G_N_ELEMENTS(all); i++)
    regard_wrap_append(line, all[i]);
}

static void
init_gold(RegardPaneAlignment *self)
{
  self->scoring = regard_work_new(self);
  regard_connect(self->scoring, "changed", G_CALLBACK(update_gold), self);
  regard_connect(self->scoring, "stopped", G_CALLBACK(on_stopped), self);
}

static void
build_gold(RegardPaneAlignment *self, GtkWidget *box)
{
  GtkWidget *line = regard_wrap_new(8);
  GtkDropTarget *drop = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  gtk_widget_add_css_class(line, "measure-line");
  build_line(self, line);
  self->scores_area =
      regard_view_new_part(REGARD_VIEW(self), LEAST_WIDTH, _("Error rates of recipes and heads"));
  gtk_widget_set_visible(self->scores_area, FALSE);
  g_signal_connect_swapped(self->scores_area, "spot-changed", G_CALLBACK(on_spot), self);
  g_signal_connect_swapped(self->scores_area, "spot-activated", G_CALLBACK(on_activated), self);
  g_signal_connect(drop, "drop", G_CALLBACK(on_drop), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(drop));
  regard_box_append(box, line, self->scores_area, NULL);
  update_gold(self);
}

static void
clear_gold(RegardPaneAlignment *self)
{
  g_clear_object(&self->scoring);
  self->scores_area = NULL;
  g_clear_pointer(&self->gold, mt_gold_unref);
  g_clear_pointer(&self->scores, regard_alignment_scores_unref);
  g_clear_pointer(&self->gold_path, g_free);
  g_clear_pointer(&self->texts_path, g_free);
}

/* Paths as files are chosen, so that the pane can be driven without a dialog. */
static void
gold_action(GtkWidget *widget, const char *name, GVariant *parameter)
{
  open_gold(REGARD_PANE_ALIGNMENT(widget), g_variant_get_string(parameter, NULL));
}

static void
texts_action(GtkWidget *widget, const char *name, GVariant *parameter)
{
  open_texts(REGARD_PANE_ALIGNMENT(widget), g_variant_get_string(parameter, NULL));
}

/* ---- Widgets ----------------------------------------------------------------------------------
 */

static GtkWidget *
build_top(RegardPaneAlignment *self)
{
  const char *const names[] = {_("Links"), _("Matrix")};
  const char *const tooltips[] = {_("A curve for each link, as wide as its share"),
                                  _("The same shares as a matrix, a cell each")};
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *forms =
      regard_view_new_switch(names, tooltips, 2, FORM_LINKS, self->form, G_CALLBACK(draw), self);

  gtk_widget_set_name(forms, "links-form");
  gtk_widget_add_css_class(forms, "measure-panes");
  gtk_widget_set_valign(forms, GTK_ALIGN_START);
  self->bar = regard_recipe_bar_new();
  gtk_widget_set_hexpand(self->bar, TRUE);
  g_signal_connect_swapped(self->bar, "changed", G_CALLBACK(show), self);
  regard_box_append(line, self->bar, forms, NULL);
  return line;
}

static GtkWidget *
build(RegardView *view)
{
  RegardPaneAlignment *self = REGARD_PANE_ALIGNMENT(view);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8),
            *inner = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8),
            *scroller = gtk_scrolled_window_new();
  GtkWidget *area =
      regard_view_new_area(view, LEAST_WIDTH, _("Links between the words of both texts"));
  GtkWidget *stack = regard_view_new_stack(view, area);

  gtk_box_append(GTK_BOX(box), build_top(self));
  g_signal_connect_swapped(area, "spot-changed", G_CALLBACK(on_spot), self);
  gtk_stack_set_vhomogeneous(GTK_STACK(stack), FALSE);
  gtk_widget_set_vexpand_set(stack, FALSE);
  gtk_box_append(GTK_BOX(inner), stack);
  build_gold(self, inner);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), inner);
  gtk_widget_set_vexpand(scroller, TRUE);
  regard_box_append(box, scroller, regard_view_new_status(view), NULL);
  regard_view_show_message(view, _("There is no translation yet."));
  follow_heads(self);
  return box;
}

static void
show_view(RegardView *view)
{
  draw(REGARD_PANE_ALIGNMENT(view));
  show_scores(REGARD_PANE_ALIGNMENT(view));
}

static void
dispose(GObject *object)
{
  RegardPaneAlignment *self = REGARD_PANE_ALIGNMENT(object);

  g_clear_object(&self->aligning);
  clear_gold(self);
  g_clear_pointer(&self->input, mt_alignment_input_unref);
  g_clear_pointer(&self->alignment, regard_alignment_unref);
  regard_pass_set(&self->pass, NULL);
  g_clear_pointer(&self->asked, mt_capture_unref);
  self->bar = NULL;
  self->pointed = NULL;
  G_OBJECT_CLASS(regard_pane_alignment_parent_class)->dispose(object);
}

static void
regard_pane_alignment_class_init(RegardPaneAlignmentClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  view_class->build = build;
  view_class->set_selection = set_selection;
  view_class->load = load;
  view_class->show = show_view;
  view_class->describe = describe;
  view_class->summarize = summarize;
  view_class->explain = explain;
  view_class->pictures = pictures;
  view_class->n_pictures = G_N_ELEMENTS(pictures);
  view_class->has_picture = has_picture;
  view_class->new_figure = new_figure;
  gtk_widget_class_install_action(widget_class, "alignment.gold", "s", gold_action);
  gtk_widget_class_install_action(widget_class, "alignment.texts", "s", texts_action);
  gtk_widget_class_set_css_name(widget_class, "alignmentpane");
}

static void
regard_pane_alignment_init(RegardPaneAlignment *self)
{
  self->aligning = regard_work_new(self);
  init_gold(self);
  show_note(self);
}
