/* regard-view-layers.c — what each layer does to each token: the word it would already say, norms,
 * what is added, collapse.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers of the stream are there at once, the logit lens when it has been computed; both in
 * threads, and only while the page is on screen.
 */
#include "views/regard-view-layers-private.h"
#include "widgets/regard-accessible.h"
#include "widgets/regard-spin.h"
#include "widgets/regard-wrap-layout.h"

#include <glib/gi18n.h>
#include <math.h>

G_DEFINE_FINAL_TYPE(RegardViewLayers, regard_view_layers, REGARD_TYPE_VIEW)

static void load(RegardViewLayers *self);

/* ---- Showing it ------------------------------------------------------------------------------ */

/* One line: what is pointed at. */
void
regard_view_layers_show_status(RegardViewLayers *self)
{
  RegardFigureArea *area =
      REGARD_FIGURE_AREA(gtk_widget_has_focus(self->details) &&
                                 regard_figure_area_get_spot(REGARD_FIGURE_AREA(self->details))
                             ? self->details
                             : self->area);
  const RegardSpot *spot = regard_figure_area_get_spot(area);
  g_autofree char *text =
      spot ? regard_figure_describe_spot(regard_figure_area_get_figure(area), spot) : NULL;

  for (char *p = text; p && *p; p++)
    if (*p == '\n')
      *p = ' ';
  gtk_label_set_text(GTK_LABEL(self->status), text ? text : "");
}

/* What the header offers for this picture. */
static void
show_choices(RegardViewLayers *self)
{
  static const char *const notes[] = {
      [SHOW_GRAPH] = N_("who gave what to whom; click a node for its own lines"),
      [SHOW_EMBEDDING] = N_("√d e + p; click a token for its neighbours, or look one up"),
      [SHOW_COMPLEXITY] = N_("what layers cost for this sentence: the paper’s table 1"),
      [SHOW_DECIDED] = N_("what each state of the reference run alone brings back"),
  };
  const guint page = self->shown_page;

  gtk_label_set_text(GTK_LABEL(self->note), page < REGARD_N_LAYERS_SHOWN
                                                ? regard_layers_show_name(self->look.show)
                                                : _(notes[page]));
  gtk_widget_set_visible(self->color, page == REGARD_LAYERS_LENS);
  gtk_widget_set_visible(self->threshold, page == SHOW_GRAPH);
  gtk_widget_set_visible(self->search, page == SHOW_EMBEDDING);
  gtk_widget_set_visible(gtk_widget_get_parent(self->stacks[0]),
                         page != SHOW_GRAPH && page != SHOW_COMPLEXITY && page != SHOW_DECIDED);
  gtk_widget_set_visible(self->details, self->card && page < REGARD_N_LAYERS_SHOWN);
}

void
regard_view_layers_show(RegardViewLayers *self)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  if (!self->area || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return; /* drawn, and what is drawn computed, when somebody looks */
  if (self->shown_page == SHOW_DECIDED) { /* of two runs, whatever else there is */
    show_choices(self);
    regard_view_layers_show_decided(self);
    return;
  }
  if (!self->layers) { /* an empty picture has the keyboard already, and will be filled */
    gtk_stack_set_visible_child(GTK_STACK(self->stack),
                                *gtk_label_get_text(GTK_LABEL(self->message)) ? self->message
                                                                              : self->scroller);
    return;
  }
  show_choices(self);
  switch (self->shown_page) {
  case SHOW_GRAPH:
    regard_view_layers_show_graph(self);
    return;
  case SHOW_EMBEDDING:
    regard_view_layers_show_embedding(self);
    return;
  case SHOW_COMPLEXITY:
    regard_view_layers_show_complexity(self);
    return;
  default:
    break;
  }
  style.colormap = regard_selection_get_colormap(s);
  style.scale = regard_selection_get_scale(s);
  style.dark = regard_figure_area_is_dark(REGARD_FIGURE_AREA(self->area));
  style.left_out = REGARD_PART_TITLE | REGARD_PART_MODEL; /* the page says both */
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->area),
                                regard_figure_new_layers(self->layers, &self->look, &style));
  gtk_stack_set_visible_child(GTK_STACK(self->stack), self->scroller);
  regard_view_layers_show_status(self);
}

void
regard_view_layers_show_message(RegardViewLayers *self, const char *text)
{
  g_clear_pointer(&self->layers, regard_layers_unref);
  regard_pass_set(&self->pass, NULL);
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->area), NULL);
  regard_view_layers_load_card(self);
  gtk_label_set_text(GTK_LABEL(self->message), text);
  gtk_stack_set_visible_child(GTK_STACK(self->stack), *text ? self->message : self->scroller);
  gtk_label_set_text(GTK_LABEL(self->status), "");
  self->decided_stands = FALSE;
  regard_view_layers_show(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static void on_computed(gpointer owner, RegardRun *run);

/* trace NULL: it is made first. */
static void
start_computing(RegardViewLayers *self, RegardPass *pass, mt_trace *trace, gboolean with_lens)
{
  const RegardLayersParams params = {trace ? mt_trace_ref(trace) : NULL, with_lens};

  regard_work_run(self->work, &regard_analysis_layers, pass, &params, on_computed);
}

static void
on_computed(gpointer owner, RegardRun *run)
{
  RegardViewLayers *self = owner;
  RegardPass *pass = regard_run_get_pass(run);
  const gboolean with_lens = ((RegardLayersParams *) regard_run_get_params(run))->with_lens;
  g_autoptr(GError) error = NULL;
  RegardLayers *layers = regard_run_finish(run, &error);

  if (!layers) {
    regard_view_layers_show_message(
        self, g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)
                  ? _("This file has attention only. What layers do can be seen of what "
                      "a model translates here.")
                  : error->message);
    return;
  }
  if (pass != self->pass) {
    regard_view_layers_clear_more(self); /* what is being timed is the text before */
    regard_work_drop(self->card_work);
  }
  if (self->layers)
    regard_layers_unref(self->layers);
  self->layers = layers;
  regard_pass_set(&self->pass, pass);
  /* The same place in another sentence, if it has one. */
  if (self->look.token >= (int) layers->stacks[self->look.stack].n_tokens ||
      self->look.point >= (int) layers->stacks[self->look.stack].n_points)
    self->look.token = -1;
  /* What is there is shown; who looks at the lens keeps the sentence before until it is there. */
  if (with_lens || self->look.show != REGARD_LAYERS_LENS ||
      self->shown_page != REGARD_LAYERS_LENS ||
      !regard_figure_area_get_figure(REGARD_FIGURE_AREA(self->area)))
    regard_view_layers_show(self);
  regard_view_choices_changed(REGARD_VIEW(self));
  if (!with_lens)
    start_computing(self, pass, layers->trace, TRUE);
  else
    regard_view_layers_load_card(self);
}

/* Nobody looks, and a model is too large to be kept for a picture that comes anew. */
static void
forget_model(RegardViewLayers *self)
{
  if (self->layers)
    regard_view_layers_show_message(self, "");
  regard_view_layers_clear_card(self);
  regard_view_layers_clear_graph(self);
}

static void
load(RegardViewLayers *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardPass *pass = s ? regard_selection_get_pass(s) : NULL;
  mt_capture *capture = regard_pass_capture(pass);
  mt_model *model = pass ? pass->model : NULL;

  if (capture != self->asked) { /* what is under way is of another text, whoever looks */
    regard_work_drop(self->work);
    g_clear_pointer(&self->asked, mt_capture_unref);
    regard_work_drop(self->graph_work);
    regard_view_layers_clear_more(self);
  }
  if (!pass && self->area)
    regard_view_layers_show_message(self, _("Layers appear here with the first translation."));
  self->dirty = !gtk_widget_get_mapped(GTK_WIDGET(self));
  if (self->dirty && ((self->layers && model != self->pass->model) ||
                      (self->batch_model && model != self->batch_model)))
    forget_model(self);
  if (self->dirty || !pass || capture == self->asked)
    return;
  self->asked = mt_capture_ref(capture);
  start_computing(self, pass, NULL, FALSE);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static void
on_stack(RegardViewLayers *self)
{
  static const guint stacks[] = {REGARD_STACK_BIT(MT_STACK_ENCODER),
                                 REGARD_STACK_BIT(MT_STACK_DECODER), REGARD_BOTH_STACKS};

  for (guint i = 0; i < G_N_ELEMENTS(stacks); i++)
    if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->stacks[i])))
      self->look.stacks = stacks[i];
  regard_view_layers_show(self);
}

static void
on_shown(RegardViewLayers *self)
{
  self->shown_page = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->shown));
  if (self->shown_page < REGARD_N_LAYERS_SHOWN)
    self->look.show = (RegardLayersShow) self->shown_page;
  self->graph_look.threshold = gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->threshold));
  self->look.color = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->color));
  regard_view_layers_follow_decided(self, gtk_widget_get_mapped(GTK_WIDGET(self)));
  regard_view_layers_show(self);
}

/* A cell that is clicked stays marked; clicked again, it is not. */
static void
on_activated(RegardViewLayers *self)
{
  const RegardSpot *spot = regard_figure_area_get_spot(REGARD_FIGURE_AREA(self->area));

  if (spot && self->shown_page == SHOW_GRAPH) {
    regard_view_layers_activate_graph(self, spot);
    return;
  }
  if (spot && self->shown_page == SHOW_DECIDED)
    regard_view_layers_activate_decided(self, spot);
  if (spot && self->shown_page == SHOW_EMBEDDING)
    regard_view_layers_activate_embedding(self, spot);
  if (self->shown_page >= REGARD_N_LAYERS_SHOWN)
    return;
  if (!spot || spot->part / 2 != REGARD_LAYERS_SPOT_CELL)
    return;
  if (self->look.token == spot->row && self->look.point == spot->col &&
      self->look.stack == regard_layers_spot_stack(spot))
    self->look.token = -1;
  else {
    self->look.token = spot->row;
    self->look.point = spot->col;
    self->look.stack = regard_layers_spot_stack(spot);
  }
  regard_view_layers_show(self);
  regard_view_layers_load_card(self);
}

/* ---- RegardView ------------------------------------------------------------------------------ */

static void
regard_view_layers_set_selection(RegardView *view, RegardSelection *s)
{
  g_signal_connect_object(s, "notify::capture", G_CALLBACK(load), view, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "style-changed", G_CALLBACK(regard_view_layers_show), view,
                          G_CONNECT_SWAPPED);
  regard_view_layers_connect_decided(REGARD_VIEW_LAYERS(view), s);
  load(REGARD_VIEW_LAYERS(view));
}

/* The graph and the card are there when they have been looked at. */
static gboolean
is_there(RegardViewLayers *self, const char *id)
{
  if (g_str_equal(id, "layers-decided") ||
      (g_str_equal(id, "layers") && self->shown_page == SHOW_DECIDED))
    return self->decided && regard_patching_has_loss(self->decided);
  if (!self->layers)
    return FALSE;
  if (g_str_equal(id, "layers-graph") ||
      (g_str_equal(id, "layers") && self->shown_page == SHOW_GRAPH))
    return self->graph && self->graph_of == regard_pass_capture(self->pass);
  if (g_str_equal(id, "layers-lens") ||
      (g_str_equal(id, "layers") && self->shown_page == REGARD_LAYERS_LENS))
    return self->layers->stacks[0].lens != NULL;
  return !g_str_equal(id, "layers-cell") || self->card;
}

static const RegardPicture *
regard_view_layers_get_export_choices(RegardView *view, guint *n)
{
  static const RegardPicture choices[] = {
      {"layers", N_("This Picture")},         {"layers-lens", N_("Logit Lens")},
      {"layers-norm", N_("Norms")},           {"layers-added", N_("What Is Added")},
      {"layers-cosine", N_("Cosines")},       {"layers-active", N_("Active Neurons")},
      {"layers-collapse", N_("Collapse")},    {"layers-graph", N_("Graph of Contributions")},
      {"layers-embedding", N_("Embedding")},  {"layers-complexity", N_("Complexity")},
      {"layers-cell", N_("The Marked Cell")}, {"layers-decided", N_("Where It Is Decided")},
  };
  static RegardPicture found[G_N_ELEMENTS(choices)];
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);

  *n = 0;
  for (guint i = 0; i < G_N_ELEMENTS(choices); i++)
    if (is_there(self, choices[i].id))
      found[(*n)++] = choices[i];
  return found;
}

/* What "this picture" is, if it is not one of tokens × points. */
static const char *
choice_of(RegardViewLayers *self)
{
  return self->shown_page == SHOW_GRAPH        ? "layers-graph"
         : self->shown_page == SHOW_EMBEDDING  ? "layers-embedding"
         : self->shown_page == SHOW_COMPLEXITY ? "layers-complexity"
         : self->shown_page == SHOW_DECIDED    ? "layers-decided"
                                               : "layers";
}

static RegardFigure *
regard_view_layers_create_figure(RegardView *view, const char *choice_id)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  RegardLayersLook look = self->look;

  if (g_str_equal(choice_id, "layers"))
    choice_id = choice_of(self);
  if (g_str_equal(choice_id, "layers-decided"))
    return regard_view_layers_new_decided(self, &style);
  if (!self->layers)
    return NULL;
  if (g_str_equal(choice_id, "layers-graph"))
    return regard_view_layers_new_graph(self, &style);
  if (g_str_equal(choice_id, "layers-embedding"))
    return regard_view_layers_new_embedding(self, &style);
  if (g_str_equal(choice_id, "layers-complexity"))
    return regard_view_layers_new_complexity(self, &style);
  if (g_str_equal(choice_id, "layers-cell"))
    return self->card ? regard_view_layers_new_card(self, FALSE) : NULL;
  style.colormap = regard_selection_get_colormap(regard_view_get_selection(view));
  style.scale = regard_selection_get_scale(regard_view_get_selection(view));
  for (guint i = 0; i < REGARD_N_LAYERS_SHOWN; i++)
    if (g_str_has_prefix(choice_id, "layers-") &&
        g_str_equal(choice_id + strlen("layers-"), regard_layers_show_ids[i]))
      look.show = (RegardLayersShow) i;
  return regard_figure_new_layers(self->layers, &look, &style);
}

/* "layers-lens-decoder". */
static char *
regard_view_layers_name_choice(RegardView *view, const char *choice_id)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);
  const char *stack = self->look.stacks == REGARD_BOTH_STACKS                   ? "both"
                      : self->look.stacks == REGARD_STACK_BIT(MT_STACK_ENCODER) ? "encoder"
                                                                                : "decoder";

  if (g_str_equal(choice_id, "layers") && self->shown_page >= REGARD_N_LAYERS_SHOWN)
    return g_strdup(choice_of(self));
  if (g_str_equal(choice_id, "layers-decided")) /* it has both stacks */
    return g_strdup(choice_id);
  return g_str_equal(choice_id, "layers")
             ? g_strdup_printf("layers-%s-%s", regard_layers_show_ids[self->look.show], stack)
             : g_strdup_printf("%s-%s", choice_id, stack);
}

static gboolean
regard_view_layers_handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);
  const GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();

  if (!self->layers && self->shown_page != SHOW_DECIDED)
    return FALSE;
  if (modifiers == GDK_CONTROL_MASK && (keyval == GDK_KEY_Page_Down || keyval == GDK_KEY_Page_Up)) {
    int shown = (int) self->shown_page + (keyval == GDK_KEY_Page_Down ? 1 : -1);

    gtk_drop_down_set_selected(GTK_DROP_DOWN(self->shown), (guint) CLAMP(shown, 0, N_SHOWN - 1));
    return TRUE;
  }
  return regard_figure_area_handle_key(REGARD_FIGURE_AREA(self->area), keyval, state);
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
new_choice(const char *const *names, const char *name, RegardViewLayers *self)
{
  GtkWidget *choice = gtk_drop_down_new_from_strings(names);

  gtk_widget_set_tooltip_text(choice, name);
  gtk_accessible_update_property(GTK_ACCESSIBLE(choice), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect_swapped(choice, "notify::selected", G_CALLBACK(on_shown), self);
  return choice;
}

static GtkWidget *
build_stacks(RegardViewLayers *self)
{
  const char *const names[] = {_("Encoder"), _("Decoder"), _("Both")};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_add_css_class(box, "linked");
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    self->stacks[i] = gtk_toggle_button_new_with_label(names[i]);
    if (i > 0)
      gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(self->stacks[i]),
                                  GTK_TOGGLE_BUTTON(self->stacks[0]));
    gtk_box_append(GTK_BOX(box), self->stacks[i]);
  }
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->stacks[1]), TRUE);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    g_signal_connect_swapped(self->stacks[i], "toggled", G_CALLBACK(on_stack), self);
  return box;
}

static GtkWidget *
build_header(RegardViewLayers *self)
{
  const char *const shown[] = {_("Logit Lens"),
                               _("Norm"),
                               _("Added"),
                               _("Cosine"),
                               _("Neurons"),
                               _("Collapse"),
                               _("Graph"),
                               _("Embedding"),
                               _("Complexity"),
                               _("Where It Is Decided"),
                               NULL};
  const char *colors[REGARD_N_LENS_COLORS + 1] = {NULL};
  GtkWidget *line = regard_wrap_new(10);
  GtkWidget *title = gtk_label_new(_("Layers"));

  for (guint i = 0; i < REGARD_N_LENS_COLORS; i++)
    colors[i] = regard_lens_color_name((RegardLensColor) i);
  gtk_widget_add_css_class(title, "regard-title");
  self->note = gtk_label_new(NULL);
  gtk_label_set_ellipsize(GTK_LABEL(self->note), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars(GTK_LABEL(self->note), 1); /* it gets what the others leave */
  gtk_label_set_xalign(GTK_LABEL(self->note), 0);
  gtk_widget_set_hexpand(self->note, TRUE);
  gtk_widget_add_css_class(self->note, "regard-note");
  self->shown = new_choice(shown, _("What is shown (Ctrl+Page Up, Ctrl+Page Down)"), self);
  self->color = new_choice(colors, _("What colours say"), self);
  regard_wrap_append(line, title);
  regard_wrap_append(line, self->note);
  regard_wrap_append(line, build_stacks(self));
  regard_wrap_append(line, self->shown);
  regard_wrap_append(line, self->color);
  self->threshold = gtk_spin_button_new_with_range(REGARD_GRAPH_LEAST, REGARD_GRAPH_MOST, 0.01);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(self->threshold), REGARD_GRAPH_THRESHOLD);
  regard_spin_take_comma(GTK_SPIN_BUTTON(self->threshold));
  gtk_widget_set_tooltip_text(self->threshold, _("The least share that has a line"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->threshold), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("The least share that has a line"), -1);
  g_signal_connect_swapped(self->threshold, "value-changed", G_CALLBACK(on_shown), self);
  gtk_widget_set_visible(self->threshold, FALSE);
  regard_wrap_append(line, self->threshold);
  self->search = gtk_search_entry_new();
  g_object_set(self->search, "placeholder-text", _("a piece"), NULL);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->search), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("The piece whose neighbours are listed"), -1);
  g_signal_connect_swapped(self->search, "search-changed", G_CALLBACK(regard_view_layers_search),
                           self);
  gtk_widget_set_visible(self->search, FALSE);
  regard_wrap_append(line, self->search);
  return line;
}

static void
build(RegardViewLayers *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6), *pictures;

  self->area = regard_figure_area_new(LEAST_WIDTH);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->area), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("What each layer does to each token"), -1);
  g_signal_connect_swapped(self->area, "spot-changed", G_CALLBACK(regard_view_layers_show_status),
                           self);
  g_signal_connect_swapped(self->area, "spot-activated", G_CALLBACK(on_activated), self);
  g_signal_connect_swapped(self->area, "look-changed", G_CALLBACK(regard_view_layers_show), self);
  self->details = regard_figure_area_new(LEAST_WIDTH);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->details), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("The marked cell: norms and neurons"), -1);
  gtk_widget_set_visible(self->details, FALSE);
  g_signal_connect_swapped(self->details, "spot-changed",
                           G_CALLBACK(regard_view_layers_show_status), self);
  g_signal_connect_swapped(self->details, "look-changed", G_CALLBACK(regard_view_layers_show_card),
                           self);
  pictures = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  gtk_box_append(GTK_BOX(pictures), self->area);
  gtk_box_append(GTK_BOX(pictures), self->details);
  self->scroller = gtk_scrolled_window_new();
  /* In less height the page is scrolled. */
  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(self->scroller), LEAST_HEIGHT);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scroller), pictures);
  gtk_viewport_set_scroll_to_focus(GTK_VIEWPORT(gtk_widget_get_parent(pictures)), FALSE);
  self->message = regard_view_new_message();
  self->stack = gtk_stack_new();
  gtk_widget_set_vexpand(self->stack, TRUE);
  gtk_stack_add_child(GTK_STACK(self->stack), self->scroller);
  gtk_stack_add_child(GTK_STACK(self->stack), self->message);
  self->decided_message = regard_view_new_message();
  gtk_stack_add_child(GTK_STACK(self->stack), self->decided_message);
  self->status = regard_view_new_status();
  gtk_box_append(GTK_BOX(box), build_header(self));
  gtk_box_append(GTK_BOX(box), self->stack);
  gtk_box_append(GTK_BOX(box), self->status);
  gtk_widget_add_css_class(box, "regard-picture");
  gtk_widget_set_parent(box, GTK_WIDGET(self));
  regard_accessible_name_inner_buttons(GTK_WIDGET(self));
}

static void
regard_view_layers_map(GtkWidget *widget)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(widget);

  if (!self->area) /* who never looks here does not wait for it at the start */
    build(self);
  GTK_WIDGET_CLASS(regard_view_layers_parent_class)->map(widget);
  if (self->dirty)
    load(self);
  regard_view_layers_show(self); /* what came, and how it is to look, while nobody did */
  /* Who heard that there is nothing to export may have taken the page away. */
  regard_view_layers_follow_decided(self, gtk_widget_get_mapped(widget));
}

static void
regard_view_layers_unmap(GtkWidget *widget)
{
  regard_view_layers_follow_decided(REGARD_VIEW_LAYERS(widget), FALSE);
  GTK_WIDGET_CLASS(regard_view_layers_parent_class)->unmap(widget);
}

static void
regard_view_layers_dispose(GObject *object)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(object);

  g_clear_object(&self->work);
  g_clear_object(&self->card_work);
  g_clear_object(&self->graph_work);
  g_clear_object(&self->time_work);
  regard_view_layers_clear_card(self);
  regard_view_layers_clear_graph(self);
  regard_view_layers_clear_more(self);
  regard_view_layers_clear_decided(self);
  g_clear_pointer(&self->asked, mt_capture_unref);
  g_clear_pointer(&self->layers, regard_layers_unref);
  regard_pass_set(&self->pass, NULL);
  G_OBJECT_CLASS(regard_view_layers_parent_class)->dispose(object);
}

static void
regard_view_layers_class_init(RegardViewLayersClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = regard_view_layers_dispose;
  GTK_WIDGET_CLASS(klass)->map = regard_view_layers_map;
  GTK_WIDGET_CLASS(klass)->unmap = regard_view_layers_unmap;
  view_class->set_selection = regard_view_layers_set_selection;
  view_class->get_export_choices = regard_view_layers_get_export_choices;
  view_class->create_figure = regard_view_layers_create_figure;
  view_class->name_choice = regard_view_layers_name_choice;
  view_class->handle_key = regard_view_layers_handle_key;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "layersview");
}

static void
regard_view_layers_init(RegardViewLayers *self)
{
  const RegardLayersLook look = REGARD_LAYERS_LOOK_INIT;

  self->dirty = TRUE;
  self->look = look;
  self->embedding_look.piece = -1;
  self->work = regard_work_new(self);
  self->card_work = regard_work_new(self);
  self->graph_work = regard_work_new(self);
  self->time_work = regard_work_new(self);
  self->graph_look = (RegardGraphLook){REGARD_GRAPH_THRESHOLD, MT_STACK_DECODER, 0, -1};
}
