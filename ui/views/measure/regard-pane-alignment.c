/* regard-pane-alignment.c — the alignment lab: which word stands for which, by a recipe, as curves
 * between the two texts or as a matrix; and how far recipes are from a gold file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sentence goes through its model once, in a thread, when somebody looks; after that every
 * recipe is read from what was kept, at once.
 */
#include "views/measure/regard-pane-alignment-private.h"

#include <glib/gi18n.h>

#define LEAST_WIDTH 480

enum { FORM_LINKS, FORM_MATRIX };

G_DEFINE_FINAL_TYPE(RegardPaneAlignment, regard_pane_alignment, REGARD_TYPE_MEASURE_PANE)

/* ---- Showing ----------------------------------------------------------------------------------
 */

static void
show_message(RegardPaneAlignment *self, const char *text)
{
  gtk_label_set_text(GTK_LABEL(self->message), text);
  gtk_stack_set_visible_child(GTK_STACK(self->stack), self->message);
}

static void
show_note(RegardPaneAlignment *self)
{
  char recipe[MT_RECIPE_TEXT_SIZE];
  g_autofree char *note =
      self->alignment ? g_strdup_printf(_("alignment · %s"),
                                        mt_recipe_describe(&self->alignment->recipe, 7, recipe))
                      : g_strdup(_("alignment"));

  regard_measure_pane_set_note(REGARD_MEASURE_PANE(self), note);
}

static gboolean
is_matrix(RegardPaneAlignment *self)
{
  return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->form[FORM_MATRIX]));
}

static RegardFigure *
new_figure(RegardPaneAlignment *self, gboolean matrix, const RegardFigureStyle *style)
{
  if (!matrix)
    return regard_figure_new_links(self->alignment, style);
  g_autoptr(RegardMatrix) values = regard_alignment_matrix(self->alignment, FALSE);
  return regard_figure_new_matrix(values, style);
}

static void
draw(RegardPaneAlignment *self)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  RegardFigureArea *area = REGARD_FIGURE_AREA(self->area);
  const char *family;

  if (!self->alignment)
    return;
  style.dark = regard_figure_area_is_dark(area);
  style.left_out = REGARD_PART_TITLE | REGARD_PART_MODEL; /* the page says both */
  style.colormap = regard_selection_get_colormap(regard_view_get_selection(REGARD_VIEW(self)));
  regard_figure_area_set_least_width(
      area, (int) MAX(LEAST_WIDTH,
                      regard_alignment_least_width(self->alignment,
                                                   regard_figure_area_get_font(area, &family))));
  regard_figure_area_set_figure(area, new_figure(self, is_matrix(self), &style));
  gtk_stack_set_visible_child(GTK_STACK(self->stack), self->area);
}

void
regard_pane_alignment_show(RegardPaneAlignment *self)
{
  const mt_recipe *recipe;
  mt_error error = {0};
  RegardAlignment *alignment = NULL;

  if (!self->bar)
    return;
  recipe = regard_recipe_bar_get_recipe(REGARD_RECIPE_BAR(self->bar));
  if (self->alignable)
    alignment = regard_alignment_new(self->alignable, recipe, self->pass->model,
                                     self->pass->changes, &error);
  g_clear_pointer(&self->alignment, regard_alignment_unref);
  self->alignment = alignment;
  if (alignment)
    draw(self);
  else if (self->alignable)
    show_message(self, error.message);
  show_note(self);
  regard_pane_alignment_update_gold(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

void
regard_pane_alignment_choose(RegardPaneAlignment *self, const mt_recipe *recipe)
{
  regard_recipe_bar_set_recipe(REGARD_RECIPE_BAR(self->bar), recipe);
  regard_pane_alignment_show(self);
}

void
regard_pane_alignment_show_status(RegardPaneAlignment *self, RegardFigureArea *area)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area);
  g_autofree char *text =
      spot ? regard_figure_describe_spot(regard_figure_area_get_figure(area), spot) : NULL;

  gtk_label_set_text(GTK_LABEL(self->status), text ? text : "");
}

static void
on_spot(RegardFigureArea *area, RegardPaneAlignment *self)
{
  regard_pane_alignment_show_status(self, area);
}

/* ---- The sentence -----------------------------------------------------------------------------
 */

static void
on_aligned(gpointer owner, RegardRun *run)
{
  RegardPaneAlignment *self = owner;
  g_autoptr(GError) error = NULL;
  mt_alignable *alignable = regard_run_finish(run, &error);

  g_clear_pointer(&self->alignable, mt_alignable_unref);
  self->alignable = alignable;
  regard_pass_set(&self->pass, alignable ? regard_run_get_pass(run) : NULL);
  gtk_widget_set_opacity(self->area, 1);
  if (alignable)
    regard_recipe_bar_set_layers(REGARD_RECIPE_BAR(self->bar),
                                 (guint) mt_alignable_n_layers(alignable));
  else
    show_message(self, error->message);
  regard_pane_alignment_show(self);
}

static void
forget(RegardPaneAlignment *self, const char *message)
{
  g_clear_pointer(&self->alignable, mt_alignable_unref);
  regard_pass_set(&self->pass, NULL);
  show_message(self, message);
  regard_pane_alignment_show(self);
}

/* What is shown is aligned, if somebody looks. */
static void
follow(RegardPaneAlignment *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  mt_capture *capture = s ? regard_selection_get_capture(s) : NULL;

  if (!self->bar || (capture && capture == self->asked))
    return;
  regard_work_drop(self->aligning); /* it is of a sentence before, whether anybody looks or not */
  g_clear_pointer(&self->asked, mt_capture_unref);
  if (!capture) {
    forget(self, _("There is no translation yet."));
    return;
  }
  if (!gtk_widget_get_mapped(GTK_WIDGET(self))) {
    if (self->alignable && self->pass->model != regard_selection_get_pass_model(s))
      forget(self, ""); /* a model is too large to be kept for links that come anew */
    return;
  }
  self->asked = mt_capture_ref(capture);
  if (self->alignment)
    gtk_widget_set_opacity(self->area, 0.5); /* until the new one is there */
  else
    show_message(self, _("The words are aligned …"));
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
  for (guint l = 0; l < mt_capture_n_layers(capture, MT_CROSS); l++)
    for (guint h = 0; h < mt_capture_n_heads(capture, MT_CROSS); h++)
      if (n < MT_RECIPE_MOST_HEADS && regard_selection_is_chosen(s, MT_CROSS, l, h))
        heads[n++] = (mt_recipe_head){(guint16) l, (guint16) h};
  if (n == 0)
    heads[n++] = (mt_recipe_head){(guint16) regard_selection_get_layer(s),
                                  (guint16) regard_selection_get_head(s)};
  if (regard_recipe_bar_set_heads(REGARD_RECIPE_BAR(self->bar), heads, n))
    regard_pane_alignment_show(self);
}

static void
regard_pane_alignment_set_selection(RegardView *view, RegardSelection *s)
{
  g_signal_connect_object(s, "notify::capture", G_CALLBACK(follow), view, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "notify::layer", G_CALLBACK(follow_heads), view, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "notify::head", G_CALLBACK(follow_heads), view, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "notify::kind", G_CALLBACK(follow_heads), view, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "chosen-changed", G_CALLBACK(follow_heads), view, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "style-changed", G_CALLBACK(draw), view, G_CONNECT_SWAPPED);
}

/* ---- Pictures ---------------------------------------------------------------------------------
 */

/* What the eye is on first. */
static const RegardPicture *
regard_pane_alignment_get_export_choices(RegardView *view, guint *n)
{
  static const RegardPicture all[] = {{"links", N_("Links")},
                                      {"alignment", N_("Links as a Matrix")},
                                      {"scores", N_("Error Rates")}};
  static const RegardPicture scores_only[] = {{"scores", N_("Error Rates")}};
  RegardPaneAlignment *self = REGARD_PANE_ALIGNMENT(view);

  *n = self->alignment ? (self->scores ? 3 : 2) : self->scores ? 1 : 0;
  return self->alignment ? all : scores_only;
}

static RegardFigure *
regard_pane_alignment_create_figure(RegardView *view, const char *choice_id)
{
  RegardPaneAlignment *self = REGARD_PANE_ALIGNMENT(view);
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;

  style.colormap = regard_selection_get_colormap(regard_view_get_selection(view));
  if (g_str_equal(choice_id, "scores"))
    return self->scores ? regard_figure_new_scores(self->scores, &style) : NULL;
  return self->alignment ? new_figure(self, g_str_equal(choice_id, "alignment"), &style) : NULL;
}

/* ---- Widgets ----------------------------------------------------------------------------------
 */

/* Paths as files are chosen, so that the pane can be driven without a dialog. */
static void
open_gold(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_pane_alignment_open_gold(REGARD_PANE_ALIGNMENT(widget),
                                  g_variant_get_string(parameter, NULL));
}

static void
open_texts(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_pane_alignment_open_texts(REGARD_PANE_ALIGNMENT(widget),
                                   g_variant_get_string(parameter, NULL));
}

static GtkWidget *
build_forms(RegardPaneAlignment *self)
{
  static const char *const names[] = {N_("Links"), N_("Matrix")};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_add_css_class(box, "linked");
  gtk_widget_add_css_class(box, "measure-panes");
  gtk_widget_set_valign(box, GTK_ALIGN_START);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    self->form[i] = gtk_toggle_button_new_with_label(_(names[i]));
    if (i > 0)
      gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(self->form[i]),
                                  GTK_TOGGLE_BUTTON(self->form[0]));
    gtk_box_append(GTK_BOX(box), self->form[i]);
  }
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->form[FORM_LINKS]), TRUE);
  g_signal_connect_swapped(self->form[FORM_MATRIX], "toggled", G_CALLBACK(draw), self);
  return box;
}

static GtkWidget *
build_top(RegardPaneAlignment *self)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);

  self->bar = regard_recipe_bar_new();
  gtk_widget_set_hexpand(self->bar, TRUE);
  g_signal_connect_swapped(self->bar, "changed", G_CALLBACK(regard_pane_alignment_show), self);
  gtk_box_append(GTK_BOX(line), self->bar);
  gtk_box_append(GTK_BOX(line), build_forms(self));
  return line;
}

static void
build(RegardPaneAlignment *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new(),
            *inner = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);

  self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  gtk_box_append(GTK_BOX(self->box), build_top(self));
  self->area = regard_figure_area_new(LEAST_WIDTH);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->area), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Links between the words of both texts"), -1);
  g_signal_connect(self->area, "spot-changed", G_CALLBACK(on_spot), self);
  g_signal_connect_swapped(self->area, "look-changed", G_CALLBACK(draw), self);
  self->message = regard_view_new_message();
  self->stack = gtk_stack_new();
  gtk_stack_set_vhomogeneous(GTK_STACK(self->stack), FALSE);
  gtk_stack_add_child(GTK_STACK(self->stack), self->message);
  gtk_stack_add_child(GTK_STACK(self->stack), self->area);
  gtk_box_append(GTK_BOX(inner), self->stack);
  regard_pane_alignment_build_gold(self, inner);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), inner);
  gtk_widget_set_vexpand(scroller, TRUE);
  self->status = regard_view_new_status();
  gtk_box_append(GTK_BOX(self->box), scroller);
  gtk_box_append(GTK_BOX(self->box), self->status);
  gtk_widget_set_parent(self->box, GTK_WIDGET(self));
  show_message(self, _("There is no translation yet."));
  follow_heads(self);
}

static void
regard_pane_alignment_map(GtkWidget *widget)
{
  RegardPaneAlignment *self = REGARD_PANE_ALIGNMENT(widget);

  if (!self->bar)
    build(self);
  GTK_WIDGET_CLASS(regard_pane_alignment_parent_class)->map(widget);
  follow(self);
}

static void
regard_pane_alignment_dispose(GObject *object)
{
  RegardPaneAlignment *self = REGARD_PANE_ALIGNMENT(object);

  g_clear_object(&self->aligning);
  regard_pane_alignment_clear_gold(self);
  g_clear_pointer(&self->alignable, mt_alignable_unref);
  g_clear_pointer(&self->alignment, regard_alignment_unref);
  regard_pass_set(&self->pass, NULL);
  g_clear_pointer(&self->asked, mt_capture_unref);
  self->bar = self->area = NULL;
  G_OBJECT_CLASS(regard_pane_alignment_parent_class)->dispose(object);
}

static void
regard_pane_alignment_class_init(RegardPaneAlignmentClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = regard_pane_alignment_dispose;
  widget_class->map = regard_pane_alignment_map;
  view_class->set_selection = regard_pane_alignment_set_selection;
  view_class->get_export_choices = regard_pane_alignment_get_export_choices;
  view_class->create_figure = regard_pane_alignment_create_figure;
  gtk_widget_class_install_action(widget_class, "alignment.gold", "s", open_gold);
  gtk_widget_class_install_action(widget_class, "alignment.texts", "s", open_texts);
  gtk_widget_class_set_css_name(widget_class, "alignmentpane");
}

static void
regard_pane_alignment_init(RegardPaneAlignment *self)
{
  self->aligning = regard_work_new(self);
  regard_pane_alignment_init_gold(self);
  show_note(self);
}
