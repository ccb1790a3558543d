/* regard-view-steps.c — the loop of the decoder: what there was to choose from at each step, and
 * what became of what was not chosen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is shown was traced while the translation was found, so nothing is computed here. While the
 * page is on screen it says so (regard_selection_set_wants_steps), and searches are traced.
 */
#include "figures/regard-figure-tree.h"
#include "views/regard-view-steps-private.h"
#include "widgets/regard-accessible.h"
#include "widgets/regard-theme.h"
#include "widgets/regard-wrap-layout.h"

#include <glib/gi18n.h>
#include <string.h>

/* The list of candidates beside the tree; narrower, both are scrolled. */
#define LIST_WIDTH  300
#define CURVE_WIDTH 400
/* What a step looked at stands beside the curve: as many bars as the curve is high, and more where
 * the page is. In pixels, with letters of the usual size. */
#define LOOKED_WIDTH 340
#define LEAST_BARS   2
#define MOST_BARS    6
#define LOW_PAGE     410
#define BAR_MORE     80
/* Candidates that are drawn; files have all that are kept. */
#define TOP 9

G_DEFINE_FINAL_TYPE(RegardViewSteps, regard_view_steps, REGARD_TYPE_VIEW)

static RegardSelection *
selection(RegardViewSteps *self)
{
  return regard_view_get_selection(REGARD_VIEW(self));
}

int
regard_view_steps_get_step(RegardViewSteps *self)
{
  int step = self->steps && self->bar ? regard_step_bar_get_step(REGARD_STEP_BAR(self->bar)) : -1;

  return self->steps ? MIN(step, (int) self->steps->n - 1) : -1;
}

/* ---- Showing it ------------------------------------------------------------------------------ */

/* The tree, rows of attention, or heads. */
static const char *
shown_page(RegardViewSteps *self)
{
  return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->show_rows))    ? "rows"
         : gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->show_heads)) ? "heads"
                                                                             : "tree";
}

void
regard_view_steps_show_status(RegardViewSteps *self)
{
  GtkWidget *const areas[] = {self->trees[0],   self->trees[1], self->contrast, self->grids,
                              self->candidates, self->curve,    self->looked};
  g_autofree char *text = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(areas) && !text; i++) {
    RegardFigureArea *area = REGARD_FIGURE_AREA(areas[i]);
    const RegardSpot *spot = regard_figure_area_get_spot(area);

    text = spot ? regard_figure_describe_spot(regard_figure_area_get_figure(area), spot) : NULL;
  }
  for (char *p = text; p && *p; p++)
    if (*p == '\n')
      *p = ' ';
  /* Else what the signs of the tree mean, which stays while the tree is scrolled. */
  if (!text && self->steps && g_str_equal(shown_page(self), "tree"))
    text = g_strdup(regard_tree_signs());
  gtk_label_set_text(GTK_LABEL(self->status), text ? text : "");
  gtk_widget_set_tooltip_text(self->status, text);
}

static RegardStepsLook
look_of(RegardViewSteps *self, guint parts)
{
  RegardStepsLook look = REGARD_STEPS_LOOK_INIT;
  RegardSelection *s = selection(self);
  const mt_attention_kind kind = regard_selection_get_kind(s);

  look.parts = parts;
  look.step = (guint) MAX(regard_view_steps_get_step(self), 0);
  look.top = TOP;
  look.kind = kind == MT_ENCODER_SELF ? MT_CROSS : kind;
  look.layer = regard_selection_get_layer(s);
  look.head = (int) regard_selection_get_head(s);
  return look;
}

static RegardFigureStyle
style_of(RegardViewSteps *self)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;

  style.colormap = regard_selection_get_colormap(selection(self));
  style.scale = regard_selection_get_scale(selection(self));
  return style;
}

static void
show_part(RegardViewSteps *self, GtkWidget *area, guint parts)
{
  RegardStepsLook look = look_of(self, parts);
  RegardFigureStyle style = style_of(self);

  look.no_badges = area != self->curve; /* once is enough */
  look.bars = area == self->looked ? self->bars : 0;
  style.dark = regard_figure_area_is_dark(REGARD_FIGURE_AREA(area));
  style.left_out = REGARD_PART_TITLE | REGARD_PART_MODEL; /* the page says both */
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(area),
                                regard_figure_new_steps(self->steps, &look, &style));
}

/* "goes in er, comes out ▁über". */
static void
show_place(RegardViewSteps *self)
{
  const int step = regard_view_steps_get_step(self);
  g_autofree char *in = NULL, *out = NULL, *text = NULL;

  if (step < 0) {
    gtk_label_set_text(GTK_LABEL(self->place), "");
    return;
  }
  in = step == 0 ? g_strdup(_("start"))
                 : regard_steps_dup_piece(
                       self->steps,
                       mt_steps_node(self->steps->steps, (gsize) self->steps->nodes[step - 1])->id);
  out = regard_steps_dup_piece(
      self->steps, mt_steps_node(self->steps->steps, (gsize) self->steps->nodes[step])->id);
  text = g_strdup_printf(_("goes in %s, comes out %s"), in, out);
  gtk_label_set_text(GTK_LABEL(self->place), text);
}

/* What was there before it was made to go on otherwise. */
void
regard_view_steps_show_before(RegardViewSteps *self)
{
  g_autofree char *text = NULL;

  gtk_widget_set_visible(self->model_way, regard_view_steps_is_constrained(self));
  text = self->before
             ? g_strdup_printf(_("before: %s"), mt_translation_hypothesis(self->before->translation,
                                                                          self->before->hypothesis)
                                                    ->text)
             : g_strdup(_("Click a candidate to go on with it"));
  gtk_label_set_text(GTK_LABEL(self->note), text);
  gtk_widget_set_tooltip_text(self->note, text);
}

static void
show(RegardViewSteps *self)
{
  if (!self->steps || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return; /* drawn, and what is drawn computed, when somebody looks */
  show_place(self);
  if (!self->path_of)
    regard_view_steps_show_before(self);
  show_part(self, self->curve, REGARD_STEPS_ENTROPY);
  gtk_widget_set_visible(gtk_widget_get_ancestor(self->looked, GTK_TYPE_SCROLLED_WINDOW),
                         self->bars > 0);
  if (self->bars)
    show_part(self, self->looked, REGARD_STEPS_ATTENTION);
  show_part(self, self->candidates,
            REGARD_STEPS_CANDIDATES | (self->bars ? 0 : REGARD_STEPS_ATTENTION));
  gtk_stack_set_visible_child_name(GTK_STACK(self->pages), shown_page(self));
  if (g_str_equal(shown_page(self), "rows"))
    regard_view_steps_show_rows(self);
  else if (g_str_equal(shown_page(self), "heads"))
    regard_view_steps_show_heads(self);
  else
    regard_view_steps_show_tree(self);
  gtk_stack_set_visible_child_name(GTK_STACK(self->stack), "page");
  regard_view_steps_show_status(self);
}

/* Another step: the word is scored there. */
static void
on_step(RegardViewSteps *self)
{
  show(self);
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    regard_view_steps_score_word(self);
}

static void
show_message(RegardViewSteps *self, const char *text)
{
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->curve), NULL);
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->looked), NULL);
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->candidates), NULL);
  for (guint i = 0; i < G_N_ELEMENTS(self->trees); i++)
    regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->trees[i]), NULL);
  regard_view_steps_forget_heads(self);
  regard_view_steps_forget_path(self);
  gtk_label_set_text(GTK_LABEL(self->message), text);
  if (*text) /* an empty page has the keyboard already, and will be filled */
    gtk_stack_set_visible_child(GTK_STACK(self->stack), self->message);
  gtk_label_set_text(GTK_LABEL(self->status), "");
  gtk_label_set_text(GTK_LABEL(self->place), "");
  gtk_label_set_text(GTK_LABEL(self->note), "");
  gtk_widget_set_visible(self->model_way, FALSE);
}

/* ---- What is shown ----------------------------------------------------------------------------
 */

/* The step that the model was least sure of: where something else could have come. */
static int
most_open(const RegardSteps *steps)
{
  float most = -1;
  int at = 0;

  for (guint t = 0; t < steps->n; t++) {
    const float entropy = mt_steps_row(steps->steps, (gsize) steps->rows[t]).entropy;

    if (entropy > most) {
      most = entropy;
      at = (int) t;
    }
  }
  return at;
}

static const char *
source_of(const RegardSteps *steps)
{
  return mt_tokens_text(mt_translation_source(steps->translation));
}

static const mt_constraints *
constraints_of(const RegardSteps *steps)
{
  return mt_translation_search(steps->translation)->constraints;
}

/* Keep what it was, as long as one goes on with the same sentence and the same model. */
static void
remember(RegardViewSteps *self, RegardSteps *now)
{
  if (!self->steps || !now || self->steps->model != now->model ||
      strcmp(source_of(self->steps), source_of(now)) != 0 ||
      mt_constraints_is_empty(constraints_of(now))) {
    g_clear_pointer(&self->before, regard_steps_unref);
    return;
  }
  if (mt_constraints_equal(constraints_of(self->steps), constraints_of(now)))
    return;
  g_clear_pointer(&self->before, regard_steps_unref);
  self->before = regard_steps_ref(self->steps);
}

RegardPass *
regard_view_steps_pass_of(const RegardSteps *steps)
{
  return regard_pass_new(NULL, steps->model, steps->translation, steps->hypothesis);
}

/* What is under way is of a text before, whether anybody looks or not. */
static void
stop_working(RegardViewSteps *self)
{
  regard_work_drop(self->comparing);
  regard_work_drop(self->scoring);
  regard_view_steps_forget_heads(self);
  regard_view_steps_forget_path(self);
}

/* Nobody looks, and a model is too large to be kept for a picture that comes anew. */
static void
forget_steps(RegardViewSteps *self)
{
  g_clear_pointer(&self->steps, regard_steps_unref);
  g_clear_pointer(&self->before, regard_steps_unref);
  g_clear_pointer(&self->other, regard_steps_unref);
  show_message(self, "");
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
load(RegardViewSteps *self)
{
  RegardSelection *s = selection(self);
  RegardSteps *now;
  gboolean had_any = self->steps != NULL;

  if (!self->area_built || !s)
    return;
  /* Nobody looks; but without a text there may be nothing left to export. */
  if (!gtk_widget_get_mapped(GTK_WIDGET(self)) && regard_selection_get_capture(s)) {
    stop_working(self);
    if (self->steps && self->steps->model != regard_selection_get_pass_model(s))
      forget_steps(self);
    return;
  }
  now = regard_selection_get_steps(s);
  /* A trace is on its way: what was there stays until it has come. */
  if (!now && regard_selection_get_pass_model(s) && self->steps && regard_selection_get_stale(s))
    return;
  if (now != self->steps) {
    remember(self, now);
    regard_view_steps_forget_path(self);
    g_clear_pointer(&self->steps, regard_steps_unref);
    self->steps = now ? regard_steps_ref(now) : NULL;
    self->followed[0] = NULL;
    regard_view_steps_compare(self);
  }
  regard_selection_set_preset(s, now ? most_open(now) : -1);
  if (now)
    on_step(self);
  else if (!regard_selection_get_capture(s))
    show_message(self, _("Steps appear here with the first translation."));
  else if (!regard_selection_get_pass_model(s))
    show_message(self,
                 _("This file has attention only. How words were chosen can be seen of what a "
                   "model translates here."));
  else
    show_message(self, "");
  if (had_any != (now != NULL))
    regard_view_choices_changed(REGARD_VIEW(self));
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* A candidate is chosen, a step is gone to. */
static void
on_activated(RegardViewSteps *self, RegardFigureArea *area)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area);

  if (!spot || !self->steps)
    return;
  if (spot->part == REGARD_STEPS_SPOT_CANDIDATE) {
    const int32_t id = spot->col;

    regard_view_steps_go_on(self, &id, 1);
  } else if (spot->part == REGARD_STEPS_SPOT_STEP) {
    regard_selection_set_step(selection(self), spot->col);
    gtk_widget_grab_focus(self->candidates); /* where one goes on from there */
  }
}

/* The candidate that is pointed at; -1: none. */
static int32_t
pointed_at(RegardViewSteps *self)
{
  const RegardSpot *spot = regard_figure_area_get_spot(REGARD_FIGURE_AREA(self->candidates));

  return spot && spot->part == REGARD_STEPS_SPOT_CANDIDATE ? spot->col : -1;
}

/* On the page of heads the choice is set against what is pointed at. */
static void
on_candidate(RegardViewSteps *self)
{
  if (self->steps)
    regard_view_steps_set_against(self, pointed_at(self));
}

static gboolean
regard_view_steps_handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);
  const GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();

  if (!self->steps)
    return FALSE;
  if (!modifiers && keyval == GDK_KEY_slash) {
    gtk_widget_grab_focus(self->word);
    return TRUE;
  }
  if (!modifiers && (keyval == GDK_KEY_Delete || keyval == GDK_KEY_KP_Delete) &&
      pointed_at(self) >= 0) {
    regard_view_steps_forbid(self, pointed_at(self));
    return TRUE;
  }
  if (!modifiers && keyval == GDK_KEY_w) {
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->show_heads), TRUE);
    return TRUE;
  }
  GtkWidget *area = gtk_widget_has_focus(self->looked) ? self->looked : self->candidates;
  return regard_step_bar_handle_key(REGARD_STEP_BAR(self->bar), keyval, state) ||
         regard_figure_area_handle_key(REGARD_FIGURE_AREA(area), keyval, state);
}

/* The list that is chosen from. */
static GtkWidget *
regard_view_steps_get_picture(RegardView *view)
{
  GtkWidget *candidates = REGARD_VIEW_STEPS(view)->candidates;

  return candidates && gtk_widget_get_mapped(candidates) ? candidates : NULL;
}

/* ---- RegardView ------------------------------------------------------------------------------ */

static void
regard_view_steps_set_selection(RegardView *view, RegardSelection *s)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);

  g_signal_connect_object(s, "notify::capture", G_CALLBACK(load), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "notify::step", G_CALLBACK(on_step), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "matrix-changed", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "style-changed", G_CALLBACK(show), self, G_CONNECT_SWAPPED);
}

static const struct {
  RegardPicture picture;
  guint parts;
} pictures[] = {
    {{"tree", N_("Beam Tree")}, 0},
    {{"step", N_("This Step")}, REGARD_STEPS_ALL},
    {{"candidates", N_("Candidates")}, REGARD_STEPS_CANDIDATES},
    {{"entropy", N_("Entropy of All Steps")}, REGARD_STEPS_ENTROPY},
    {{"contrast", N_("Which Head Chose It")}, 0},
    {{"heads", N_("What Each Head Does")}, 0},
};
#define N_OF_HEADS 2 /* the last ones, which are there when heads were weighed */

static const RegardPicture *
regard_view_steps_get_export_choices(RegardView *view, guint *n)
{
  static RegardPicture choices[G_N_ELEMENTS(pictures)];

  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++)
    choices[i] = pictures[i].picture;
  *n = !REGARD_VIEW_STEPS(view)->steps                        ? 0
       : regard_view_steps_has_heads(REGARD_VIEW_STEPS(view)) ? G_N_ELEMENTS(pictures)
                                                              : G_N_ELEMENTS(pictures) - N_OF_HEADS;
  return choices;
}

static RegardFigure *
regard_view_steps_create_figure(RegardView *view, const char *choice_id)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);
  const RegardFigureStyle style = style_of(self);

  if (!self->steps)
    return NULL;
  if (g_str_equal(choice_id, "tree"))
    return regard_view_steps_new_tree(self, &style);
  if (g_str_equal(choice_id, "contrast"))
    return regard_view_steps_new_contrast(self, &style);
  if (g_str_equal(choice_id, "heads"))
    return regard_view_steps_new_effects(self);
  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++)
    if (g_str_equal(pictures[i].picture.id, choice_id)) {
      const RegardStepsLook look = look_of(self, pictures[i].parts);

      return regard_figure_new_steps(self->steps, &look, &style);
    }
  return NULL;
}

/* "step-4". */
static char *
regard_view_steps_name_choice(RegardView *view, const char *choice_id)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);

  return self->steps ? g_strdup_printf("%s-%d", choice_id, regard_view_steps_get_step(self) + 1)
                     : NULL;
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
append_toggle(RegardViewSteps *self, GtkWidget *box, GtkWidget *group, const char *label,
              const char *tooltip)
{
  GtkWidget *toggle = gtk_toggle_button_new_with_label(label);

  gtk_widget_set_tooltip_text(toggle, tooltip);
  if (group)
    gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(toggle), GTK_TOGGLE_BUTTON(group));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(toggle), !group);
  gtk_box_append(GTK_BOX(box), toggle);
  return toggle;
}

static void
on_page(RegardViewSteps *self)
{
  show(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* What stands beside the candidates. */
static GtkWidget *
build_switch(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0), *tree;

  gtk_widget_add_css_class(box, "linked");
  tree = append_toggle(self, box, NULL, _("Tree"), _("All hypotheses of the search"));
  self->show_rows = append_toggle(self, box, tree, _("Rows"), _("Attention, a row for each step"));
  self->show_heads =
      append_toggle(self, box, tree, _("Heads"),
                    _("Which head chose this token, and not the candidate that is pointed at (W)"));
  g_signal_connect_swapped(self->show_rows, "toggled", G_CALLBACK(on_page), self);
  g_signal_connect_swapped(self->show_heads, "toggled", G_CALLBACK(on_page), self);
  return box;
}

static GtkWidget *
build_header(RegardViewSteps *self)
{
  GtkWidget *line = regard_wrap_new(10), *title = gtk_label_new(_("Steps"));

  gtk_widget_add_css_class(title, "regard-title");
  self->place = gtk_label_new(NULL);
  gtk_label_set_ellipsize(GTK_LABEL(self->place), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(self->place, "regard-place");
  self->note = gtk_label_new(NULL);
  gtk_label_set_ellipsize(GTK_LABEL(self->note), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars(GTK_LABEL(self->note), 1); /* it gets what the others leave */
  gtk_label_set_xalign(GTK_LABEL(self->note), 0);
  gtk_widget_set_hexpand(self->note, TRUE);
  gtk_widget_add_css_class(self->note, "regard-note");
  self->model_way = gtk_button_new_with_mnemonic(_("The Mode_l’s Own Way"));
  gtk_widget_set_tooltip_text(self->model_way,
                              _("Nothing forced and nothing forbidden (Ctrl+Z takes back one "
                                "choice)"));
  gtk_widget_set_visible(self->model_way, FALSE);
  g_signal_connect_swapped(self->model_way, "clicked", G_CALLBACK(regard_view_steps_let_go), self);
  regard_wrap_append(line, title);
  regard_wrap_append(line, self->place);
  regard_wrap_append(line, self->note);
  regard_wrap_append(line, self->model_way);
  regard_wrap_append(line, build_switch(self));
  return line;
}

static GtkWidget *
build_area(RegardViewSteps *self, int least_width, const char *name)
{
  GtkWidget *area = regard_figure_area_new(least_width);

  gtk_accessible_update_property(GTK_ACCESSIBLE(area), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect_swapped(area, "spot-changed", G_CALLBACK(regard_view_steps_show_status), self);
  g_signal_connect_swapped(area, "spot-activated", G_CALLBACK(on_activated), self);
  g_signal_connect_swapped(area, "look-changed", G_CALLBACK(show), self);
  return area;
}

static GtkWidget *
scroll(GtkWidget *child)
{
  GtkWidget *scroller = gtk_scrolled_window_new();

  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), child);
  gtk_viewport_set_scroll_to_focus(GTK_VIEWPORT(gtk_widget_get_parent(child)), FALSE);
  return scroller;
}

/* Where what was looked at has its place, and how much of it. */
static gboolean
follow_room(gpointer data)
{
  RegardViewSteps *self = data;
  const double large = regard_theme_large_text(GTK_WIDGET(self));
  const double width = gtk_widget_get_width(GTK_WIDGET(self)) / large;
  const double height = gtk_widget_get_height(GTK_WIDGET(self)) / large;
  const double more = MAX(height - LOW_PAGE, 0) / BAR_MORE;
  const guint bars = width < CURVE_WIDTH + LOOKED_WIDTH + 40
                         ? 0
                         : LEAST_BARS + (guint) MIN(more, MOST_BARS - LEAST_BARS);

  self->room_idle = 0;
  if (bars != self->bars) {
    self->bars = bars;
    show(self);
  }
  return G_SOURCE_REMOVE;
}

/* Not while room is being given away. */
static void
on_room(RegardViewSteps *self)
{
  if (!self->room_idle)
    self->room_idle = g_idle_add_full(GTK_PRIORITY_RESIZE - 1, follow_room, self, NULL);
}

/* Home and End are for steps here; the scroller would take them. */
static gboolean
on_list_key(RegardViewSteps *self, guint keyval, guint keycode, GdkModifierType state)
{
  return regard_step_bar_handle_key(REGARD_STEP_BAR(self->bar), keyval, state);
}

/* Candidates, and a place for a word that is none. */
static GtkWidget *
build_list(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6), *scroller;
  GtkEventController *keys = gtk_event_controller_key_new();

  self->candidates = build_area(self, LIST_WIDTH, _("What there was to choose from"));
  regard_figure_area_leave_sideways(REGARD_FIGURE_AREA(self->candidates));
  g_signal_connect_swapped(self->candidates, "spot-changed", G_CALLBACK(on_candidate), self);
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(on_list_key), self);
  gtk_widget_add_controller(self->candidates, keys);
  scroller = scroll(self->candidates);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  g_signal_connect_object(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller)),
                          "notify::page-size", G_CALLBACK(on_room), self, G_CONNECT_SWAPPED);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_box_append(GTK_BOX(box), scroller);
  gtk_box_append(GTK_BOX(box), regard_view_steps_build_word(self));
  gtk_widget_set_size_request(box, LIST_WIDTH, -1);
  return box;
}

/* How sure the model was, and what it looked at, which keeps no window from becoming narrower. */
static GtkWidget *
build_top(RegardViewSteps *self)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12), *scroller;

  self->curve = build_area(self, CURVE_WIDTH, _("How sure the model was of each step"));
  gtk_widget_set_focusable(self->curve, FALSE); /* for keys there is the slider */
  gtk_widget_set_hexpand(self->curve, TRUE);
  self->looked = build_area(self, LOOKED_WIDTH, _("What the step looked at"));
  scroller = scroll(self->looked);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_EXTERNAL,
                                 GTK_POLICY_NEVER);
  gtk_scrolled_window_set_propagate_natural_width(GTK_SCROLLED_WINDOW(scroller), TRUE);
  gtk_widget_set_visible(scroller, FALSE);
  gtk_box_append(GTK_BOX(line), self->curve);
  gtk_box_append(GTK_BOX(line), scroller);
  return line;
}

static GtkWidget *
build_page(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6),
            *paned = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL), *scroller;

  self->bar = regard_step_bar_new(FALSE);
  self->pages = gtk_stack_new();
  gtk_stack_set_vhomogeneous(GTK_STACK(self->pages), FALSE);
  gtk_stack_add_named(GTK_STACK(self->pages), regard_view_steps_build_tree(self), "tree");
  gtk_stack_add_named(GTK_STACK(self->pages), regard_view_steps_build_rows(self), "rows");
  gtk_stack_add_named(GTK_STACK(self->pages), regard_view_steps_build_heads(self), "heads");
  /* Two matrices beside each other are wider than a small screen. */
  scroller = scroll(self->pages);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_AUTOMATIC,
                                 GTK_POLICY_NEVER);
  g_signal_connect_object(gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(scroller)),
                          "notify::page-size", G_CALLBACK(on_room), self, G_CONNECT_SWAPPED);
  gtk_paned_set_start_child(GTK_PANED(paned), build_list(self));
  gtk_paned_set_end_child(GTK_PANED(paned), scroller);
  gtk_paned_set_resize_start_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_shrink_start_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_shrink_end_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_position(GTK_PANED(paned), 400);
  gtk_widget_set_vexpand(paned, TRUE);
  gtk_box_append(GTK_BOX(box), build_top(self));
  gtk_box_append(GTK_BOX(box), self->bar);
  gtk_box_append(GTK_BOX(box), paned);
  return box;
}

static void
build(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);

  self->message = regard_view_new_message();
  self->stack = gtk_stack_new();
  gtk_widget_set_vexpand(self->stack, TRUE);
  gtk_stack_add_named(GTK_STACK(self->stack), build_page(self), "page");
  gtk_stack_add_child(GTK_STACK(self->stack), self->message);
  self->status = regard_view_new_status();
  gtk_box_append(GTK_BOX(box), build_header(self));
  gtk_box_append(GTK_BOX(box), self->stack);
  gtk_box_append(GTK_BOX(box), self->status);
  gtk_widget_add_css_class(box, "regard-picture");
  /* Before what is in it: GTK 4.8 tells nobody who is there already of another group of actions. */
  regard_view_steps_add_menu(self);
  gtk_widget_set_parent(box, GTK_WIDGET(self));
  regard_step_bar_set_selection(REGARD_STEP_BAR(self->bar), selection(self));
  regard_accessible_name_inner_buttons(GTK_WIDGET(self));
  self->area_built = TRUE;
}

static void
regard_view_steps_map(GtkWidget *widget)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(widget);

  if (!self->area_built) /* who never looks here does not wait for it at the start */
    build(self);
  GTK_WIDGET_CLASS(regard_view_steps_parent_class)->map(widget);
  regard_selection_set_wants_steps(selection(self), TRUE);
  load(self);
}

static void
regard_view_steps_unmap(GtkWidget *widget)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(widget);

  if (selection(self)) {
    regard_selection_set_wants_steps(selection(self), FALSE);
    regard_selection_set_preset(selection(self), -1);
    regard_view_steps_forget_path(self);
  }
  GTK_WIDGET_CLASS(regard_view_steps_parent_class)->unmap(widget);
}

static void
regard_view_steps_dispose(GObject *object)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(object);

  g_clear_handle_id(&self->room_idle, g_source_remove);
  g_clear_object(&self->comparing);
  g_clear_object(&self->attending);
  g_clear_object(&self->scoring);
  g_clear_object(&self->weighing);
  regard_view_steps_forget_heads(self);
  regard_view_steps_forget_path(self);
  g_clear_pointer(&self->other, regard_steps_unref);
  g_clear_pointer(&self->steps, regard_steps_unref);
  g_clear_pointer(&self->before, regard_steps_unref);
  G_OBJECT_CLASS(regard_view_steps_parent_class)->dispose(object);
}

static void
regard_view_steps_class_init(RegardViewStepsClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = regard_view_steps_dispose;
  widget_class->map = regard_view_steps_map;
  widget_class->unmap = regard_view_steps_unmap;
  view_class->set_selection = regard_view_steps_set_selection;
  view_class->get_export_choices = regard_view_steps_get_export_choices;
  view_class->create_figure = regard_view_steps_create_figure;
  view_class->name_choice = regard_view_steps_name_choice;
  view_class->handle_key = regard_view_steps_handle_key;
  view_class->get_picture = regard_view_steps_get_picture;
  gtk_widget_class_set_css_name(widget_class, "stepsview");
}

static void
regard_view_steps_init(RegardViewSteps *self)
{
  self->comparing = regard_work_new(self);
  self->attending = regard_work_new(self);
  self->scoring = regard_work_new(self);
  self->weighing = regard_work_new(self);
}
