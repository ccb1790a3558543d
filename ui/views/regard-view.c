/* regard-view.c — the base class of the window's pages, and the list of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/regard-view.h"

#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "widgets/regard-dials.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-sentence.h"

typedef struct {
  RegardSelection *selection;
  RegardPicture *choices;    /* [n_pictures of the class]: what there is; NULL: not asked yet */
  RegardPicture *animations; /* [n_animations of the class]: likewise */
  char *note;                /* NULL: "" */
  char *wanted_part;         /* that is to be shown when the page is built; NULL: any */
  RegardDials *made;         /* as its controls were when it was made; NULL: it is not */
  gboolean is_built, is_dirty;
  /* NULL: it has none */
  GtkWidget *area, *content, *stack, *message, *status, *note_label, *help;
} RegardViewPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(RegardView, regard_view, GTK_TYPE_WIDGET)

enum { CHOICES_CHANGED, NOTE_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- Life ------------------------------------------------------------------------------------ */

static void
dispose(GObject *object)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(REGARD_VIEW(object));
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child(GTK_WIDGET(object))))
    gtk_widget_unparent(child);
  priv->area = priv->stack = priv->message = priv->status = priv->note_label = NULL;
  g_clear_object(&priv->selection);
  G_OBJECT_CLASS(regard_view_parent_class)->dispose(object);
}

static void
finalize(GObject *object)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(REGARD_VIEW(object));

  g_free(priv->choices);
  g_free(priv->animations);
  g_free(priv->note);
  g_free(priv->wanted_part);
  regard_dials_free(priv->made);
  G_OBJECT_CLASS(regard_view_parent_class)->finalize(object);
}

static void
set_seen(RegardView *self, gboolean is_seen)
{
  if (REGARD_VIEW_GET_CLASS(self)->set_seen && regard_view_get_selection(self))
    REGARD_VIEW_GET_CLASS(self)->set_seen(self, is_seen);
}

static void
map(GtkWidget *widget)
{
  RegardView *self = REGARD_VIEW(widget);
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  if (!priv->is_built && REGARD_VIEW_GET_CLASS(self)->build) {
    gtk_widget_set_parent(REGARD_VIEW_GET_CLASS(self)->build(self), widget);
    regard_accessible_name_inner_buttons(widget);
  }
  if (!priv->is_built)
    priv->made = regard_dials_take(widget);
  priv->is_built = TRUE;
  g_autofree char *part = g_steal_pointer(&priv->wanted_part);
  if (part)
    regard_view_show_part(self, part);
  GTK_WIDGET_CLASS(regard_view_parent_class)->map(widget);
  set_seen(self, TRUE);
  /* Who heard that there is nothing to export may have taken the page away. */
  if (priv->is_dirty && gtk_widget_get_mapped(widget))
    regard_view_load(self);
}

/* ---- How it is set --------------------------------------------------------------------------- */

struct _RegardViewSetting {
  RegardDials *dials;
  guint step; /* 0: it has none of its own */
};

/* To none: it stays. 0: it has none. */
static guint
swap_step(RegardView *self, guint step)
{
  return REGARD_VIEW_GET_CLASS(self)->swap_step ? REGARD_VIEW_GET_CLASS(self)->swap_step(self, step)
                                                : 0;
}

guint
regard_view_get_step(RegardView *self)
{
  return swap_step(self, 0);
}

guint
regard_view_count_steps(RegardView *self)
{
  return REGARD_VIEW_GET_CLASS(self)->n_steps;
}

gboolean
regard_view_set_step(RegardView *self, guint step)
{
  return step > 0 && step <= regard_view_count_steps(self) && swap_step(self, step) > 0;
}

RegardViewSetting *
regard_view_take_setting(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  if (!priv->made)
    return NULL;
  RegardViewSetting *setting = g_new(RegardViewSetting, 1);
  setting->dials = regard_dials_take(GTK_WIDGET(self));
  setting->step = regard_view_get_step(self);
  return setting;
}

void
regard_view_setting_free(RegardViewSetting *setting)
{
  if (!setting)
    return;
  regard_dials_free(setting->dials);
  g_free(setting);
}

void
regard_view_begin_anew(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  g_clear_pointer(&priv->wanted_part, g_free);
  if (!priv->made)
    return;
  regard_view_show_part(self, NULL);
  regard_dials_bring_back(priv->made);
  swap_step(self, 1);
}

void
regard_view_bring_back(RegardView *self, const RegardViewSetting *setting)
{
  if (!setting) {
    regard_view_begin_anew(self);
    return;
  }
  regard_dials_bring_back(setting->dials);
  swap_step(self, setting->step);
}

static void
unmap(GtkWidget *widget)
{
  set_seen(REGARD_VIEW(widget), FALSE);
  GTK_WIDGET_CLASS(regard_view_parent_class)->unmap(widget);
}

static void
regard_view_class_init(RegardViewClass *klass)
{
  signals[CHOICES_CHANGED] = regard_signal_new(klass, "choices-changed", 0);
  signals[NOTE_CHANGED] = regard_signal_new(klass, "note-changed", 0);
  regard_signal_new(klass, "cell-chosen", 0);
  regard_signal_new(klass, "step-chosen", 0);
  G_OBJECT_CLASS(klass)->dispose = dispose;
  G_OBJECT_CLASS(klass)->finalize = finalize;
  GTK_WIDGET_CLASS(klass)->map = map;
  GTK_WIDGET_CLASS(klass)->unmap = unmap;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void
regard_view_init(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  priv->is_dirty = TRUE;
}

/* A simple window has the key for help alone. */
static void
follow_simple(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  if (priv->help && priv->selection)
    g_object_bind_property(priv->selection, "simple", priv->help, "visible",
                           G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
}

void
regard_view_set_selection(RegardView *self, RegardSelection *selection)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  g_return_if_fail(priv->selection == NULL); /* once, as the interface says */

  priv->selection = g_object_ref(selection);
  follow_simple(self);
  if (REGARD_VIEW_GET_CLASS(self)->set_selection)
    REGARD_VIEW_GET_CLASS(self)->set_selection(self, selection);
}

RegardSelection *
regard_view_get_selection(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  return priv->selection;
}

void
regard_view_load(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  priv->is_dirty = !gtk_widget_get_mapped(GTK_WIDGET(self));
  if (REGARD_VIEW_GET_CLASS(self)->load)
    REGARD_VIEW_GET_CLASS(self)->load(self, !priv->is_dirty);
}

gboolean
regard_view_is_built(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  return priv->is_built;
}

/* ---- Export ----------------------------------------------------------------------------------
 */

RegardView *
regard_view_get_inner(RegardView *self)
{
  return REGARD_VIEW_GET_CLASS(self)->get_inner ? REGARD_VIEW_GET_CLASS(self)->get_inner(self)
                                                : self;
}

const RegardPicture *
regard_view_get_export_choices(RegardView *self, guint *n)
{
  RegardView *view = regard_view_get_inner(self);
  RegardViewPrivate *priv = regard_view_get_instance_private(view);
  RegardViewClass *klass = REGARD_VIEW_GET_CLASS(view);
  const guint first = klass->get_first ? klass->get_first(view) : 0;

  if (!priv->choices)
    priv->choices = g_new(RegardPicture, klass->n_pictures);
  *n = 0;
  for (guint i = 0; i < klass->n_pictures; i++) {
    const guint picture = (first + i) % klass->n_pictures;

    if (klass->has_picture(view, picture))
      priv->choices[(*n)++] = klass->pictures[picture];
  }
  return priv->choices;
}

const RegardPicture *
regard_view_get_animations(RegardView *self, guint *n)
{
  RegardView *view = regard_view_get_inner(self);
  RegardViewPrivate *priv = regard_view_get_instance_private(view);
  RegardViewClass *klass = REGARD_VIEW_GET_CLASS(view);

  if (!priv->animations)
    priv->animations = g_new(RegardPicture, klass->n_animations);
  *n = 0;
  for (guint i = 0; i < klass->n_animations; i++)
    if (klass->has_picture(view, klass->animations[i].of))
      priv->animations[(*n)++] = klass->animations[i].as;
  return priv->animations;
}

RegardFrames *
regard_view_create_frames(RegardView *self, const char *animation_id)
{
  RegardView *view = regard_view_get_inner(self);
  RegardViewClass *klass = REGARD_VIEW_GET_CLASS(view);

  for (guint i = 0; i < klass->n_animations; i++)
    if (g_str_equal(klass->animations[i].as.id, animation_id) &&
        klass->has_picture(view, klass->animations[i].of)) {
      const RegardFigureStyle style = regard_view_get_style(view, NULL);

      return klass->new_frames(view, i, &style);
    }
  return NULL;
}

void
regard_view_choices_changed(RegardView *self)
{
  g_signal_emit(self, signals[CHOICES_CHANGED], 0);
}

RegardFigure *
regard_view_create_figure(RegardView *self, const char *choice_id)
{
  RegardView *view = regard_view_get_inner(self);
  RegardViewClass *klass = REGARD_VIEW_GET_CLASS(view);

  for (guint i = 0; i < klass->n_pictures; i++)
    if (g_str_equal(klass->pictures[i].id, choice_id) && klass->has_picture(view, i)) {
      RegardFigureStyle style = regard_view_get_style(view, NULL);

      return klass->new_figure(view, i, &style);
    }
  return NULL;
}

char *
regard_view_name_choice(RegardView *self, const char *choice_id)
{
  char *name = NULL;

  RegardView *view = regard_view_get_inner(self);
  if (REGARD_VIEW_GET_CLASS(view)->name_choice)
    name = REGARD_VIEW_GET_CLASS(view)->name_choice(view, choice_id);
  return name ? name : g_strdup(choice_id);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static gboolean
set_kind(RegardSelection *s, mt_attention_kind kind)
{
  regard_selection_set_place(s, kind, regard_selection_get_layer(s), regard_selection_get_head(s));
  return TRUE;
}

/* Keys that mean the same on every page; what they do is in the window's menus too. */
static gboolean
handle_place_key(RegardSelection *s, guint keyval)
{
  switch (regard_plain_key(keyval)) {
  case GDK_KEY_Page_Up:
    return regard_selection_step(s, -1, 0);
  case GDK_KEY_Page_Down:
    return regard_selection_step(s, 1, 0);
  case GDK_KEY_bracketleft:
    return regard_selection_step(s, 0, -1);
  case GDK_KEY_bracketright:
    return regard_selection_step(s, 0, 1);
  case GDK_KEY_1: /* from top to bottom, as the grids of heads are */
    return set_kind(s, MT_ENCODER_SELF);
  case GDK_KEY_2:
    return set_kind(s, MT_CROSS);
  case GDK_KEY_3:
    return set_kind(s, MT_DECODER_SELF);
  case GDK_KEY_Escape:
    if (!regard_selection_get_capture(s))
      return FALSE;
    regard_selection_let_go(s);
    return TRUE;
  default:
    return FALSE;
  }
}

/* With Ctrl and Shift, as no keyboard has these far away: brackets want AltGr on many. */
static gboolean
step_head(RegardSelection *s, guint keyval)
{
  const guint key = regard_plain_key(keyval);

  return (key == GDK_KEY_Left || key == GDK_KEY_Right) &&
         regard_selection_step(s, 0, key == GDK_KEY_Left ? -1 : 1);
}

gboolean
regard_view_handle_key(RegardView *self, guint keyval, GdkModifierType state)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  if (REGARD_VIEW_GET_CLASS(self)->handle_key &&
      REGARD_VIEW_GET_CLASS(self)->handle_key(self, keyval, state))
    return TRUE;
  if (!priv->selection)
    return FALSE;
  state &= gtk_accelerator_get_default_mod_mask();
  return state ? state == (GDK_CONTROL_MASK | GDK_SHIFT_MASK) && step_head(priv->selection, keyval)
               : handle_place_key(priv->selection, keyval);
}

/* ---- The picture -------------------------------------------------------------------------------
 */

gboolean
regard_view_is_picture(GtkWidget *widget)
{
  return gtk_widget_get_focusable(widget) &&
         gtk_accessible_get_accessible_role(GTK_ACCESSIBLE(widget)) == GTK_ACCESSIBLE_ROLE_IMG;
}

GtkWidget *
regard_view_find_picture(GtkWidget *widget)
{
  if (!gtk_widget_get_mapped(widget))
    return NULL;
  if (regard_view_is_picture(widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkWidget *found = regard_view_find_picture(child);

    if (found)
      return found;
  }
  return NULL;
}

GtkWidget *
regard_view_get_picture(RegardView *self)
{
  GtkWidget *picture = NULL;

  self = regard_view_get_inner(self);
  if (REGARD_VIEW_GET_CLASS(self)->get_picture)
    picture = REGARD_VIEW_GET_CLASS(self)->get_picture(self);
  return picture ? picture : regard_view_find_picture(GTK_WIDGET(self));
}

/* ---- Parts and places ------------------------------------------------------------------------ */

gboolean
regard_view_show_part(RegardView *self, const char *part)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  if (!REGARD_VIEW_GET_CLASS(self)->show_part)
    return part == NULL;
  if (priv->is_built)
    return REGARD_VIEW_GET_CLASS(self)->show_part(self, part);
  g_free(priv->wanted_part);
  priv->wanted_part = g_strdup(part);
  return TRUE;
}

const char *
regard_view_get_part(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  if (priv->wanted_part)
    return priv->wanted_part;
  return priv->is_built && REGARD_VIEW_GET_CLASS(self)->get_part
             ? REGARD_VIEW_GET_CLASS(self)->get_part(self)
             : NULL;
}

GtkWidget *
regard_view_locate(RegardView *self, const RegardViewPlace *place, graphene_rect_t *rect)
{
  RegardView *view = regard_view_get_inner(self);
  GtkWidget *widget = NULL;

  if (!regard_view_is_built(view))
    return NULL;
  if (REGARD_VIEW_GET_CLASS(view)->locate)
    widget = REGARD_VIEW_GET_CLASS(view)->locate(view, place, rect);
  if (widget || place->type != REGARD_VIEW_PLACE_PICTURE)
    return widget;
  widget = regard_view_get_picture(view);
  if (!widget) /* that only says something */
    widget = GTK_WIDGET(view);
  if (REGARD_IS_HEATMAP(widget) &&
      regard_heatmap_get_seen_rect(REGARD_HEATMAP(widget), -1, -1, rect))
    return widget;
  *rect = GRAPHENE_RECT_INIT(0, 0, (float) gtk_widget_get_width(widget),
                             (float) gtk_widget_get_height(widget));
  return widget;
}

gboolean
regard_view_find_line(const RegardViewLine *line, const mt_tokens *tokens, guint *found)
{
  gsize at;

  if (!tokens || !regard_naming_find_token(tokens, line->number, line->name, &at))
    return FALSE;
  *found = (guint) at;
  return TRUE;
}

gboolean
regard_view_find_cell(RegardView *self, const RegardViewPlace *place, const RegardMatrix *m,
                      RegardCell *cell)
{
  RegardSelection *s = regard_view_get_selection(self);
  const mt_capture *capture = regard_selection_get_capture(s);
  const mt_attention_kind kind = regard_selection_get_kind(s);
  guint token;

  *cell = (RegardCell){-1, -1};
  if (!m || !capture)
    return FALSE;
  if (regard_view_line_is_set(&place->row) &&
      (!regard_view_find_line(&place->row,
                              kind == MT_ENCODER_SELF ? mt_capture_source(capture)
                                                      : mt_capture_output(capture),
                              &token) ||
       (cell->row = regard_matrix_row_of_token(m, token)) < 0))
    return FALSE;
  return !regard_view_line_is_set(&place->column) ||
         (regard_view_find_line(&place->column, mt_capture_columns(capture, kind), &token) &&
          (cell->col = regard_matrix_col_of_token(m, token)) >= 0);
}

/* ---- What is shown ---------------------------------------------------------------------------
 */

RegardFigureStyle
regard_view_get_style(RegardView *self, RegardFigureArea *area)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;

  if (priv->selection) {
    style.colormap = regard_selection_get_colormap(priv->selection);
    style.scale = regard_selection_get_scale(priv->selection);
    style.is_plain = regard_selection_get_simple(priv->selection);
  }
  if (area) {
    style.dark = regard_figure_area_is_dark(area);
    style.left_out = REGARD_PART_TITLE | REGARD_PART_MODEL; /* the page says both */
  }
  return style;
}

void
regard_view_show_figure(RegardView *self, guint picture)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  if (!priv->area)
    return;
  RegardFigureStyle style = regard_view_get_style(self, REGARD_FIGURE_AREA(priv->area));
  RegardFigure *figure = REGARD_VIEW_GET_CLASS(self)->new_figure(self, picture, &style);
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(priv->area), figure);
  gtk_stack_set_visible_child(GTK_STACK(priv->stack), figure ? priv->content : priv->message);
  regard_view_show_status(self);
}

void
regard_view_set_message(RegardView *self, const char *text)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  gtk_label_set_text(GTK_LABEL(priv->message), text);
}

void
regard_view_show_message(RegardView *self, const char *text)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  if (!priv->stack)
    return;
  if (priv->area)
    regard_figure_area_set_figure(REGARD_FIGURE_AREA(priv->area), NULL);
  regard_view_set_message(self, text);
  gtk_stack_set_visible_child(GTK_STACK(priv->stack), *text ? priv->message : priv->content);
  if (priv->status) {
    regard_sentence_set_text(REGARD_SENTENCE(priv->status), "");
    regard_sentence_set_explanation(REGARD_SENTENCE(priv->status), "");
  }
}

char *
regard_view_describe_spot(RegardFigureArea *area)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area);
  char *text = spot ? regard_figure_describe_spot(regard_figure_area_get_figure(area), spot) : NULL;

  if (!text)
    return NULL;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_free(text);
  return g_strjoinv(" · ", lines);
}

void
regard_view_show_status(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  if (!priv->status)
    return;
  RegardViewClass *klass = REGARD_VIEW_GET_CLASS(self);
  g_autofree char *text = klass->describe ? klass->describe(self)
                          : priv->area ? regard_view_describe_spot(REGARD_FIGURE_AREA(priv->area))
                                       : NULL;
  if (!text && klass->summarize)
    text = klass->summarize(self);
  g_autofree char *explanation = klass->explain ? klass->explain(self) : NULL;
  regard_sentence_set_text(REGARD_SENTENCE(priv->status), text ? text : "");
  regard_sentence_set_explanation(REGARD_SENTENCE(priv->status), explanation ? explanation : "");
}

void
regard_view_set_note(RegardView *self, const char *note)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  if (g_str_equal(note, regard_view_get_note(self)))
    return;
  g_free(priv->note);
  priv->note = g_strdup(note);
  if (priv->note_label)
    gtk_label_set_text(GTK_LABEL(priv->note_label), note);
  g_signal_emit(self, signals[NOTE_CHANGED], 0);
}

const char *
regard_view_get_note(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  return priv->note ? priv->note : "";
}

RegardFigureArea *
regard_view_get_area(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  return priv->area ? REGARD_FIGURE_AREA(priv->area) : NULL;
}

static void
on_activated(RegardView *self, RegardFigureArea *area)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area);

  if (spot && REGARD_VIEW_GET_CLASS(self)->activate)
    REGARD_VIEW_GET_CLASS(self)->activate(self, spot);
  if (spot)
    g_signal_emit_by_name(self, "cell-chosen");
}

static void
on_look(RegardView *self)
{
  if (REGARD_VIEW_GET_CLASS(self)->show)
    REGARD_VIEW_GET_CLASS(self)->show(self);
}

/* ---- Parts of pages -------------------------------------------------------------------------- */

/* Ctrl with an arrow, which the scroller around a picture would take, is the page's. */
static gboolean
on_page_key(RegardView *self, guint keyval, guint keycode, GdkModifierType state)
{
  const GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();
  const guint key = regard_plain_key(keyval);
  RegardViewClass *klass = REGARD_VIEW_GET_CLASS(self);

  return modifiers == GDK_CONTROL_MASK && (key == GDK_KEY_Up || key == GDK_KEY_Down) &&
         klass->handle_key && klass->handle_key(self, key, state);
}

GtkWidget *
regard_view_new_part(RegardView *self, int least_width, const char *name)
{
  GtkWidget *area = regard_figure_area_new(least_width);
  GtkEventController *keys = gtk_event_controller_key_new();

  gtk_event_controller_set_name(keys, "page-keys");
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(on_page_key), self);
  gtk_widget_add_controller(area, keys);
  regard_accessible_set_label(area, name);
  g_signal_connect_swapped(area, "spot-changed", G_CALLBACK(regard_view_show_status), self);
  g_signal_connect_swapped(area, "look-changed", G_CALLBACK(on_look), self);
  return area;
}

GtkWidget *
regard_view_new_area(RegardView *self, int least_width, const char *name)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  priv->area = regard_view_new_part(self, least_width, name);
  g_signal_connect_swapped(priv->area, "spot-activated", G_CALLBACK(on_activated), self);
  return priv->area;
}

GtkWidget *
regard_view_new_scroller(GtkWidget *pictures, int least_height)
{
  GtkWidget *scroller = gtk_scrolled_window_new();

  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(scroller), least_height);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), pictures);
  /* A picture has the focus as a whole; showing all of it would be scrolling to its end. */
  gtk_viewport_set_scroll_to_focus(GTK_VIEWPORT(gtk_widget_get_parent(pictures)), FALSE);
  return scroller;
}

GtkWidget *
regard_view_new_stack(RegardView *self, GtkWidget *content)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  priv->content = content;
  priv->message = regard_view_new_message();
  priv->stack = gtk_stack_new();
  gtk_widget_set_vexpand(priv->stack, TRUE);
  gtk_stack_add_child(GTK_STACK(priv->stack), content);
  gtk_stack_add_child(GTK_STACK(priv->stack), priv->message);
  return priv->stack;
}

GtkWidget *
regard_view_new_help(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);
  GtkWidget *button = gtk_button_new_with_label("?");

  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "win.help");
  regard_accessible_set_label(button, _("Help with this page"));
  gtk_widget_set_tooltip_text(button, _("What this page and its picture show (F1)"));
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(button, "circular");
  gtk_widget_add_css_class(button, "regard-help");
  priv->help = button;
  follow_simple(self);
  return button;
}

GtkWidget *
regard_view_new_title(const char *title)
{
  return regard_label_new(title, 0, "regard-title");
}

GtkWidget *
regard_view_new_note(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);
  GtkLabel *label = GTK_LABEL(gtk_label_new(regard_view_get_note(self)));

  gtk_label_set_ellipsize(label, PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars(label, 1); /* it gets what the others leave */
  gtk_label_set_xalign(label, 0);
  gtk_widget_set_hexpand(GTK_WIDGET(label), TRUE);
  gtk_widget_add_css_class(GTK_WIDGET(label), "regard-note");
  priv->note_label = GTK_WIDGET(label);
  return priv->note_label;
}

GtkWidget *
regard_view_new_place(void)
{
  return regard_label_new(NULL, REGARD_LABEL_ELLIPSIZE, "regard-place");
}

GtkWidget *
regard_view_new_message(void)
{
  GtkWidget *message = regard_label_new(NULL, REGARD_LABEL_WRAP, "regard-note");

  gtk_label_set_max_width_chars(GTK_LABEL(message), 60);
  gtk_label_set_justify(GTK_LABEL(message), GTK_JUSTIFY_CENTER);
  return message;
}

GtkWidget *
regard_view_new_status(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  priv->status = regard_sentence_new();
  return priv->status;
}

GtkWidget *
regard_view_new_switch(const char *const *names, const char *const *tooltips, guint n, guint active,
                       GtkWidget **buttons, GCallback on_toggled, gpointer data)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_add_css_class(box, "linked");
  for (guint i = 0; i < n; i++) {
    buttons[i] = gtk_toggle_button_new_with_label(names[i]);
    gtk_widget_set_tooltip_text(buttons[i], tooltips[i]);
    if (i > 0)
      gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(buttons[i]), GTK_TOGGLE_BUTTON(buttons[0]));
    gtk_box_append(GTK_BOX(box), buttons[i]);
  }
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(buttons[active]), TRUE);
  for (guint i = 0; i < n; i++)
    g_signal_connect_swapped(buttons[i], "toggled", on_toggled, data);
  return box;
}

/* ---- The lists of the window's pages and of the panes of the page Measure --------------- */

/* In the order of their switchers.
 *
 * Adding a view: write ui/views/regard-view-<id>.c, or ui/views/measure/regard-pane-<id>.c for a
 * pane of the page Measure; name it in ui/meson.build, and add one row here. */

/*        id            title           what it shows           icon            type */
#define REGARD_VIEWS(V)                                                                         \
  V("attention", N_("Attention"), N_("Where each head looks"), "view-grid-symbolic",            \
    regard_view_attention_get_type)                                                             \
  V("inside", N_("Inside"), N_("One head computed in front of you, number by number"),          \
    "accessories-calculator-symbolic", regard_view_inside_get_type)                             \
  V("layers", N_("Layers"), N_("What each layer does to each word"), "view-paged-symbolic",     \
    regard_view_layers_get_type)                                                                \
  V("steps", N_("Steps"), N_("How the translation is written, piece by piece"),                 \
    "media-seek-forward-symbolic", regard_view_steps_get_type)                                  \
  V("positions", N_("Positions"), N_("What tells the model which word comes first"),            \
    "view-continuous-symbolic", regard_view_positions_get_type)                                 \
  V("heads", N_("All Heads"), N_("A list of all heads with their numbers on this sentence"),    \
    "view-list-symbolic", regard_view_heads_get_type)                                           \
  V("measure", N_("Over Many Sentences"), N_("What holds over a text instead of one sentence"), \
    "regard-measure-symbolic", regard_view_measure_get_type)

#define REGARD_MEASURE_PANES(P)                                                           \
  P("heads", N_("Heads"), N_("What each head does over all sentences of a text"),         \
    "view-list-symbolic", regard_pane_heads_get_type)                                     \
  P("alignment", N_("Alignment"), N_("Which word of the translation stands for which"),   \
    "insert-link-symbolic", regard_pane_alignment_get_type)                               \
  P("attributions", N_("Attributions"), N_("What one word depends on, by nine methods"),  \
    "view-list-symbolic", regard_pane_attributions_get_type)                              \
  P("quality", N_("Quality"), N_("How good translations of a file are, by their length"), \
    "x-office-document-symbolic", regard_pane_quality_get_type)

#define DECLARE(id, title, about, icon, type) GType type(void);
REGARD_VIEWS(DECLARE)
REGARD_MEASURE_PANES(DECLARE)

#define ROW(id, title, about, icon, type) {id, title, about, icon, type},

const RegardViewInfo *
regard_view_registry(guint *n)
{
  static const RegardViewInfo views[] = {REGARD_VIEWS(ROW)};

  *n = G_N_ELEMENTS(views);
  return views;
}

const RegardViewInfo *
regard_measure_panes(guint *n)
{
  static const RegardViewInfo panes[] = {REGARD_MEASURE_PANES(ROW)};

  *n = G_N_ELEMENTS(panes);
  return panes;
}
