/* regard-view-inside.c — where a number comes from: one head and one query, as equation 1.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The head is the selection's, the query and the cell are what is pinned. A trace is asked for when
 * the page is on screen and kept while kind and layer stay, with what is shown; all else is
 * computed from it in a thread, so that typing waits for nothing.
 */
#include "figures/regard-equations.h"
#include "figures/regard-language.h"
#include "figures/regard-walkthrough.h"
#include "runner/regard-work.h"
#include "views/regard-view.h"
#include "widgets/regard-dials.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-wrap-layout.h"

#include <math.h>

#define REGARD_TYPE_VIEW_INSIDE (regard_view_inside_get_type())
G_DECLARE_FINAL_TYPE(RegardViewInside, regard_view_inside, REGARD, VIEW_INSIDE, RegardView)

/* Narrower, it is scrolled sideways. */
#define LEAST_WIDTH  760
#define LEAST_HEIGHT 160

struct _RegardViewInside {
  RegardView parent_instance;

  RegardWork *work;
  RegardWalkthrough *inside; /* what is shown; NULL: nothing */
  RegardPass *pass;          /* that it is of */
  RegardWalkthroughOptions look;
  gboolean following;      /* the query list is told, or tells */
  const struct Part *part; /* a card that is looked at; NULL: none of its own */
  gboolean is_part_due;    /* it is scrolled to when it is there … */
  guint part_frame;        /* … and has its room; 0: it is not waited for */

  /* The mask is shown on a head of the decoder; where one comes from is gone back to. */
  gboolean is_away;
  mt_attention_kind home_kind;
  guint home_layer, home_head;
  RegardCell home_pin;

  GtkWidget *place, *queries, *rows[2], *step;
  GtkWidget *divisor, *maps, *weights;
  GtkWidget *over, *made_up; /* the slider of the card Why √d_k, which lies over it */
};

G_DEFINE_FINAL_TYPE(RegardViewInside, regard_view_inside, REGARD_TYPE_VIEW)

/* ---- Cards ------------------------------------------------------------------------------------
 */

static const struct Part {
  const char *id;
  RegardWalkthroughPart frame;
} cards[] = {
    {"similarity", REGARD_WALKTHROUGH_SIMILARITY},
    {"root", REGARD_WALKTHROUGH_ROOT},
};

/* What of the page is no card: the steps up to the weights. */
#define WEIGHT "weight"

/* In a frame behind the one in which the picture got its room. */
static gboolean
on_part_frame(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(widget);
  GtkWidget *area = GTK_WIDGET(regard_view_get_area(REGARD_VIEW(self)));
  graphene_rect_t rect;

  if (self->part &&
      regard_figure_area_find_frame(REGARD_FIGURE_AREA(area), self->part->frame, &rect)) {
    if (gtk_widget_get_height(area) + 1.0F < rect.origin.y + rect.size.height)
      return G_SOURCE_CONTINUE;
    regard_widget_scroll_to(area, &rect);
  }
  self->part_frame = 0;
  return G_SOURCE_REMOVE;
}

static void
scroll_to_part(RegardViewInside *self)
{
  if (self->is_part_due && self->inside && !self->part_frame)
    self->part_frame = gtk_widget_add_tick_callback(GTK_WIDGET(self), on_part_frame, NULL, NULL);
  self->is_part_due &= !self->inside;
}

static gboolean visit_mask(RegardViewInside *self);
static void show(RegardView *view);

static guint swap_step(RegardView *view, guint step);

static gboolean
show_part(RegardView *view, const char *part)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);

  for (guint i = 0; part && i < G_N_ELEMENTS(cards); i++)
    if (g_str_equal(cards[i].id, part)) {
      self->part = &cards[i];
      self->is_part_due = TRUE;
      scroll_to_part(self);
      return TRUE;
    }
  if (part && !g_str_equal(part, WEIGHT))
    return FALSE;
  self->part = NULL;
  self->is_part_due = FALSE;
  if (part)
    swap_step(view, REGARD_STEP_WEIGHT);
  return TRUE;
}

static guint
swap_step(RegardView *view, guint step)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);
  const guint before = self->look.step;

  self->look.step = step ? step : before;
  if (step && before != step && !visit_mask(self) && self->inside)
    show(view);
  return before;
}

/* Who has scrolled elsewhere looks at no card. */
static const char *
get_part(RegardView *view)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);
  RegardFigureArea *area = regard_view_get_area(view);
  graphene_rect_t rect;

  if (!self->part)
    return self->look.step == REGARD_STEP_WEIGHT ? WEIGHT : NULL;
  if (self->is_part_due || self->part_frame)
    return self->part->id;
  return regard_figure_area_find_frame(area, self->part->frame, &rect) &&
                 regard_widget_clip_to_seen(GTK_WIDGET(area), &rect)
             ? self->part->id
             : NULL;
}

/* Lines of this picture are keys; a cell is the weight of one for the query that is shown, and the
 * whole line while that is not computed yet. */
static GtkWidget *
locate(RegardView *view, const RegardViewPlace *place, graphene_rect_t *rect)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);
  RegardFigureArea *area = regard_view_get_area(view);
  const mt_capture *capture = regard_selection_get_capture(regard_view_get_selection(view));
  gboolean is_found = FALSE;
  guint key;

  if (!self->inside || !capture)
    return NULL;
  if (place->type == REGARD_VIEW_PLACE_PICTURE)
    is_found = self->part && regard_figure_area_find_frame(area, self->part->frame, rect);
  else if (place->type == REGARD_VIEW_PLACE_CELL &&
           regard_view_find_line(regard_view_line_is_set(&place->column) ? &place->column
                                                                         : &place->row,
                                 mt_capture_columns(capture, self->inside->kind), &key))
    is_found = (regard_view_line_is_set(&place->row) && regard_view_line_is_set(&place->column) &&
                regard_figure_area_find(area, REGARD_SPOT_WEIGHT, REGARD_SPOT_WEIGHT + 1, (int) key,
                                        -1, rect)) ||
               regard_figure_area_find(area, REGARD_SPOT_TOKEN, REGARD_SPOT_WEIGHTED + 1, (int) key,
                                       -1, rect);
  return is_found ? GTK_WIDGET(area) : NULL;
}

/* ---- Showing it ------------------------------------------------------------------------------ */

/* What is pointed at, else what the step did, which a screen reader finds here. */
static char *
describe(RegardView *view)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);
  char *text = regard_view_describe_spot(regard_view_get_area(view));

  return text ? text : g_strdup(regard_walkthrough_step_text(self->inside, &self->look));
}

static char *
explain(RegardView *view)
{
  return g_strdup(
      _("Here the weights of one row are computed before your eyes, with the numbers of "
        "the model. The query q of the row's word is multiplied with the key k of every "
        "word that it may look at; softmax makes shares of these scores, which sum to 1; "
        "and the values v, each by its share, are added up to what the head hands on."));
}

static void
show(RegardView *view)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);

  if (!self->inside)
    return;
  regard_view_show_figure(view, 0);
  gtk_widget_queue_allocate(self->over);
  g_autofree char *step =
      g_strdup_printf(_("step %u of %u"), self->look.step, REGARD_WALKTHROUGH_N_STEPS);
  gtk_label_set_text(GTK_LABEL(self->step), step);
  scroll_to_part(self);
}

static void
show_place(RegardViewInside *self)
{
  const RegardWalkthrough *in = self->inside;
  GtkDropDown *queries = GTK_DROP_DOWN(self->queries);

  /* The paper's, or the model's own where that is another. */
  const mt_config *config = in ? mt_model_config(in->model) : NULL;
  const gboolean is_own =
      in && (!regard_divides_scores(config, in->kind) || regard_biases_scores(config, in->kind));
  g_autofree char *note = is_own
                              ? g_strdup_printf(_("%s, this model’s form of equation 1"),
                                                regard_equation_attention(config, in->kind, TRUE))
                              : g_strdup(_("softmax(q Kᵀ / √d_k) V, the paper’s equation 1"));
  regard_view_set_note(REGARD_VIEW(self), note);
  g_autofree char *place = in ? regard_walkthrough_dup_title(in) : g_strdup("");
  gtk_label_set_text(GTK_LABEL(self->place), place);
  gtk_widget_set_visible(self->queries, in != NULL);
  if (!in)
    return;
  self->following = TRUE;
  GtkStringList *names = gtk_string_list_new(NULL);
  const gboolean is_plain =
      regard_selection_get_simple(regard_view_get_selection(REGARD_VIEW(self)));
  for (char **text = in->row_texts; *text; text++)
    gtk_string_list_take(names, is_plain ? regard_plain_words(*text) : g_strdup(*text));
  gtk_drop_down_set_model(queries, G_LIST_MODEL(names));
  g_object_unref(names);
  gtk_drop_down_set_selected(queries, in->query);
  self->following = FALSE;
}

static void
show_message(RegardViewInside *self, const char *text)
{
  g_clear_pointer(&self->inside, regard_walkthrough_unref);
  regard_pass_set(&self->pass, NULL);
  regard_view_show_message(REGARD_VIEW(self), text);
  gtk_label_set_text(GTK_LABEL(self->step), "");
  show_place(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* ---- What is looked at ----------------------------------------------------------------------- */

/* The cell that is pinned, by tokens; what is not pinned: the second query, the largest weight. */
static void
get_cell(RegardViewInside *self, guint *query, int *key)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardMatrix *m = regard_selection_get_matrix(s);
  const RegardCell pin = regard_selection_get_pin(s);

  *query = 1;
  *key = -1;
  if (m && pin.row >= 0 && pin.row < (int) m->rows)
    *query = m->row_labels[pin.row].first_token;
  if (m && pin.col >= 0 && pin.col < (int) m->cols)
    *key = (int) m->col_labels[pin.col].first_token;
}

static void
pin(RegardViewInside *self, guint query, int key)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardMatrix *m = regard_selection_get_matrix(s);

  if (m)
    regard_selection_set_pin(s, (RegardCell){regard_matrix_row_of_token(m, query),
                                             key >= 0 ? regard_matrix_col_of_token(m, (guint) key)
                                                      : -1});
}

/* To the head that one looked at before the step of the mask. TRUE: it is on its way. */
static gboolean
come_home(RegardViewInside *self)
{
  if (!self->is_away)
    return FALSE;
  self->is_away = FALSE;
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  regard_selection_set_place(s, self->home_kind, self->home_layer, self->home_head);
  /* With the query that one had there: rows of the decoder are others. */
  regard_selection_set_pin(s, self->home_pin);
  return TRUE;
}

/* Where only a decoder's self-attention hides anything, the step of the mask is shown on a head of
 * it with the same numbers. TRUE: another head is on its way. */
static gboolean
visit_mask(RegardViewInside *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  if (self->look.step != REGARD_STEP_MASK)
    return come_home(self);
  if (self->is_away || !self->inside || regard_selection_get_kind(s) == MT_DECODER_SELF ||
      regard_selection_get_extent(s, MT_DECODER_SELF).n_layers == 0)
    return FALSE;
  self->home_kind = regard_selection_get_kind(s);
  self->home_layer = regard_selection_get_layer(s);
  self->home_head = regard_selection_get_head(s);
  self->home_pin = regard_selection_get_pin(s);
  self->is_away = TRUE;
  regard_selection_set_place(s, MT_DECODER_SELF, self->home_layer, self->home_head);
  return TRUE;
}

/* From the row that is asked for, which need not be on the page yet. */
static gboolean
move_query(RegardViewInside *self, int rows)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardMatrix *m = regard_selection_get_matrix(s);
  const int row = regard_selection_get_pin(s).row;

  if (!m)
    return FALSE;
  const int next = (row >= 0 ? row : regard_matrix_row_of_token(m, 1)) + rows;
  regard_selection_set_pin(s, (RegardCell){CLAMP(next, 0, (int) m->rows - 1), -1});
  return TRUE;
}

static void
on_computed(gpointer owner, RegardRun *run)
{
  RegardViewInside *self = owner;
  g_autoptr(GError) error = NULL;
  RegardWalkthrough *inside = regard_run_finish(run, &error);
  gboolean was_empty = self->inside == NULL;

  if (!inside) {
    show_message(self, g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)
                           ? _("This file has attention only. Where its numbers come from can be "
                               "seen of what a model translates here.")
                           : error->message);
    return;
  }
  regard_walkthrough_unref(self->inside);
  self->inside = inside;
  self->look.is_away = self->is_away;
  regard_pass_set(&self->pass, regard_run_get_pass(run));
  show_place(self);
  show(REGARD_VIEW(self));
  if (was_empty)
    regard_view_choices_changed(REGARD_VIEW(self));
}

static void
load(RegardView *view, gboolean is_seen)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);
  RegardSelection *s = regard_view_get_selection(view);
  RegardPass *pass = s ? regard_selection_get_pass(s) : NULL;
  RegardWalkthroughParams params = {0};

  /* What is under way is of something else, whether anybody looks or not. */
  regard_work_drop(self->work);
  if (!pass && regard_view_is_built(view))
    show_message(self, _("Numbers appear here with the first translation."));
  /* Nobody looks, and a model is too large to be kept for a picture that comes anew. */
  if (pass && !is_seen && self->inside && pass->model != self->inside->model)
    show_message(self, "");
  if (!is_seen || !pass)
    return;
  params.kind = regard_selection_get_kind(s);
  params.layer = regard_selection_get_layer(s);
  params.head = regard_selection_get_head(s);
  self->is_away &= params.kind == MT_DECODER_SELF; /* one went elsewhere oneself */
  get_cell(self, &params.query, &params.key);
  if (self->inside && self->pass == pass && self->inside->kind == params.kind &&
      self->inside->layer == params.layer)
    params.trace = mt_trace_ref(self->inside->trace);
  regard_work_run(self->work, &regard_analysis_inside, pass, &params, on_computed);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static void
set_step(RegardViewInside *self, int step)
{
  const int n = REGARD_WALKTHROUGH_N_STEPS;

  self->look.step = (guint) ((step - 1 + n) % n + 1);
  /* The picture waits for the head that it is of. */
  if (!visit_mask(self))
    show(REGARD_VIEW(self));
  g_signal_emit_by_name(self, "step-chosen");
}

static void
on_back(RegardViewInside *self)
{
  set_step(self, (int) self->look.step - 1);
}

static void
on_forth(RegardViewInside *self)
{
  set_step(self, (int) self->look.step + 1);
}

/* Help knows the picture by its name. */
static void
name_picture(RegardViewInside *self)
{
  gtk_widget_set_name(GTK_WIDGET(regard_view_get_area(REGARD_VIEW(self))),
                      self->look.all_rows ? "inside/all" : "inside/row");
}

static void
on_rows(RegardViewInside *self)
{
  gboolean all_rows = gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->rows[1]));

  if (all_rows == self->look.all_rows)
    return;
  self->look.all_rows = all_rows;
  name_picture(self);
  show(REGARD_VIEW(self));
}

static void
on_query(RegardViewInside *self)
{
  guint query = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->queries));

  if (!self->following && self->inside && query != GTK_INVALID_LIST_POSITION &&
      query != self->inside->query)
    pin(self, query, -1);
}

static void
on_more(RegardViewInside *self)
{
  double divisor = gtk_range_get_value(GTK_RANGE(self->divisor));

  self->look.divisor = divisor > 0 ? divisor : 0;
  self->look.maps = gtk_check_button_get_active(GTK_CHECK_BUTTON(self->weights));
  self->look.similarity_maps = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->maps)) == 1
                                   ? REGARD_MAPS_RANDOM
                                   : REGARD_MAPS_IDENTITY;
  show(REGARD_VIEW(self));
}

/* ---- The slider of made-up numbers ----------------------------------------------------------- */

/* From 1 to 1024: each step to the right is a quarter of doubling. */
#define DOUBLINGS 10
#define FIRST_D   64

static void
on_made_up(RegardViewInside *self)
{
  const double doublings = gtk_range_get_value(GTK_RANGE(self->made_up));

  self->look.made_up = (guint) lround(exp2(doublings));
  g_autofree char *text = g_strdup_printf("d_k = %u", self->look.made_up);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->made_up), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                 text, -1);
  show(REGARD_VIEW(self));
}

/* Where the picture left room for it; without a picture it is not there. */
static gboolean
place_made_up(RegardViewInside *self, GtkWidget *child, GdkRectangle *place)
{
  RegardFigureArea *area = regard_view_get_area(REGARD_VIEW(self));
  RegardFigure *figure = regard_figure_area_get_figure(area);
  const char *family;
  const double font = regard_figure_area_get_font(area, &family);
  GtkRequisition least;
  gboolean is_there = FALSE;

  gtk_widget_get_preferred_size(child, &least, NULL);
  *place = (GdkRectangle){0, 0, least.width, least.height};
  g_autoptr(GArray) spots =
      figure ? regard_figure_spots(figure, gtk_widget_get_width(GTK_WIDGET(area)), font, family)
             : NULL;
  for (guint i = 0; spots && i < spots->len; i++) {
    const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);

    if (spot->part != REGARD_SPOT_MADE_UP || spot->row != 2)
      continue;
    is_there = TRUE;
    *place = (GdkRectangle){(int) spot->rect.x, (int) spot->rect.y,
                            MAX((int) spot->rect.width, least.width),
                            MAX((int) spot->rect.height, least.height)};
  }
  gtk_widget_set_child_visible(child, is_there);
  return TRUE;
}

static GtkWidget *
build_made_up(RegardViewInside *self, GtkWidget *area)
{
  self->over = gtk_overlay_new();
  self->made_up = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, DOUBLINGS, 0.25);
  gtk_range_set_value(GTK_RANGE(self->made_up), log2(FIRST_D));
  gtk_scale_set_draw_value(GTK_SCALE(self->made_up), FALSE);
  gtk_widget_set_name(self->made_up, "root");
  regard_widget_explain(self->made_up, _("d_k of the made-up numbers"),
                        _("How many numbers the made-up queries and keys have: the larger d_k, the "
                          "larger the scores, unless they are divided by its square root"));
  g_signal_connect_swapped(self->made_up, "value-changed", G_CALLBACK(on_made_up), self);
  gtk_overlay_set_child(GTK_OVERLAY(self->over), area);
  gtk_overlay_add_overlay(GTK_OVERLAY(self->over), self->made_up);
  g_signal_connect_swapped(self->over, "get-child-position", G_CALLBACK(place_made_up), self);
  self->look.made_up = FIRST_D;
  return self->over;
}

/* A line of a key pins its cell, a head is looked at, a cell of all queries becomes the query. */
static void
activate(RegardView *view, const RegardSpot *spot)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);

  if (!self->inside)
    return;
  if (spot->part >= REGARD_SPOT_TOKEN && spot->part <= REGARD_SPOT_WEIGHTED &&
      spot->part != REGARD_SPOT_SUM)
    pin(self, self->inside->query, spot->row);
  else if (spot->part == REGARD_SPOT_SIMILARITY ||
           (spot->part == REGARD_SPOT_ROOT && spot->col >= 0))
    pin(self, self->inside->query, spot->col);
  else if (spot->part == REGARD_SPOT_HEAD || spot->part == REGARD_SPOT_HEAD_CONTEXT)
    regard_selection_set_place(regard_view_get_selection(view), self->inside->kind,
                               self->inside->layer, (guint) spot->row);
  else if (spot->part >= REGARD_SPOT_ALL_PRODUCT)
    pin(self, (guint) spot->row, spot->part == REGARD_SPOT_ALL_CONTEXT ? -1 : spot->col);
}

/* ---- RegardView ------------------------------------------------------------------------------ */

/* Words for pieces, or pieces. */
static void
on_simple(RegardViewInside *self)
{
  if (!self->inside)
    return;
  show_place(self);
  show(REGARD_VIEW(self));
}

static void
set_selection(RegardView *view, RegardSelection *s)
{
  static const char *const observed[] = {"notify::capture", "notify::kind", "notify::layer",
                                         "notify::head", "pin-changed"};

  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    regard_connect(s, observed[i], G_CALLBACK(regard_view_load), view);
  regard_connect(s, "style-changed", G_CALLBACK(show), view);
  regard_connect(s, "notify::simple", G_CALLBACK(on_simple), view);
  regard_view_load(view);
}

static const RegardPicture pictures[] = {
    {"inside", N_("This Page")},
    {"inside-row", N_("Equation 1 for This Query")},
    {"inside-all", N_("Equation 1 for All Queries")},
    {"inside-similarity", N_("Similarity")},
    {"inside-root", N_("Why √d_k")},
    {"inside-cell", N_("Why This Cell")},
    {"inside-heads", N_("Many Heads")},
};

static gboolean
has_picture(RegardView *view, guint picture)
{
  return REGARD_VIEW_INSIDE(view)->inside != NULL;
}

static RegardFigure *
new_figure(RegardView *view, guint picture, RegardFigureStyle *style)
{
  static const guint parts[] = {REGARD_WALKTHROUGH_ALL,  REGARD_WALKTHROUGH_ROW,
                                REGARD_WALKTHROUGH_ROW,  REGARD_WALKTHROUGH_SIMILARITY,
                                REGARD_WALKTHROUGH_ROOT, REGARD_WALKTHROUGH_CELL,
                                REGARD_WALKTHROUGH_HEADS};
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);
  RegardWalkthroughOptions look = self->look;

  look.parts = parts[picture];
  look.says_step =
      style->left_out & REGARD_PART_TITLE; /* on the page, as it has a title of its own */
  if (picture > 0)
    look.all_rows = picture == 2;
  return regard_figure_new_walkthrough(self->inside, &look, style);
}

static const RegardViewAnimation animations[] = {
    {{"inside-steps", N_("Equation 1, Step by Step")}, 1},
};

static RegardFrames *
new_frames(RegardView *view, guint animation, const RegardFigureStyle *style)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);
  RegardWalkthroughOptions look = self->look;

  look.parts = REGARD_WALKTHROUGH_ROW;
  look.is_away = FALSE; /* all steps are of this head */
  return regard_frames_new_walkthrough(self->inside, &look, style);
}

/* "inside-cross-5.1-query-14". */
static char *
name_choice(RegardView *view, const char *choice_id)
{
  const RegardWalkthrough *in = REGARD_VIEW_INSIDE(view)->inside;

  return in ? g_strdup_printf("%s-%s-%u.%u-query-%u", choice_id, regard_kind_id(in->kind),
                              in->layer + 1, in->head + 1, in->query + 1)
            : NULL;
}

static gboolean
handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);
  const GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();

  if (modifiers == GDK_CONTROL_MASK && (keyval == GDK_KEY_Up || keyval == GDK_KEY_Down))
    return move_query(self, keyval == GDK_KEY_Down ? 1 : -1);
  if (!self->inside)
    return FALSE;
  if (keyval == GDK_KEY_space && (!modifiers || modifiers == GDK_SHIFT_MASK)) {
    set_step(self, (int) self->look.step + (modifiers ? -1 : 1));
    return TRUE;
  }
  return regard_figure_area_handle_key(regard_view_get_area(view), keyval, state);
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
new_button(const char *icon, const char *name, GCallback clicked, RegardViewInside *self)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon);

  regard_widget_set_name(button, name);
  g_signal_connect_swapped(button, "clicked", clicked, self);
  return button;
}

static GtkWidget *
build_steps(RegardViewInside *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);

  gtk_widget_set_name(box, "inside-step");
  self->step = regard_label_new(NULL, 0, "regard-value");
  gtk_label_set_width_chars(GTK_LABEL(self->step), 10);
  GtkWidget *back =
      new_button("go-previous-symbolic", _("Step back (Shift+Space)"), G_CALLBACK(on_back), self);
  GtkWidget *forth =
      new_button("go-next-symbolic", _("Next step (Space)"), G_CALLBACK(on_forth), self);
  regard_box_append(box, back, self->step, forth, NULL);
  return box;
}

static void
add_choice(GtkWidget *box, const char *name, GtkWidget *widget)
{
  GtkWidget *label = regard_label_new(name, REGARD_LABEL_START, "regard-name");

  regard_accessible_set_label(widget, name);
  regard_box_append(box, label, widget, NULL);
}

static char *
write_divisor(GtkScale *scale, double value, gpointer data)
{
  return regard_strdup_printf("%.1f", value);
}

/* What need not be in sight. */
static GtkWidget *
build_more(RegardViewInside *self)
{
  const char *const maps[] = {_("the identity"), _("random numbers"), NULL};
  GtkWidget *popover = gtk_popover_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8),
            *more = gtk_menu_button_new();

  gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(more), "view-more-symbolic");
  gtk_widget_set_name(more, "inside-more");
  regard_widget_explain(more, _("What is drawn"),
                        _("Show the matrix W_Q too, and other similarities and divisors in the "
                          "cards below"));
  self->weights = gtk_check_button_new_with_label(_("Show W_Q"));
  gtk_widget_set_tooltip_text(self->weights, _("Draws the matrix that makes the query out of the "
                                               "token’s state"));
  g_signal_connect_swapped(self->weights, "toggled", G_CALLBACK(on_more), self);
  gtk_box_append(GTK_BOX(box), self->weights);
  self->maps = gtk_drop_down_new_from_strings(maps);
  g_signal_connect_swapped(self->maps, "notify::selected", G_CALLBACK(on_more), self);
  gtk_widget_set_tooltip_text(self->maps, _("This model has no W, U and v: with what the card "
                                            "Similarity fills them in"));
  add_choice(box, _("Matrices that only other similarities have"), self->maps);
  self->divisor = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 32, 0.5);
  gtk_scale_set_draw_value(GTK_SCALE(self->divisor), TRUE);
  gtk_scale_set_format_value_func(GTK_SCALE(self->divisor), write_divisor, NULL, NULL);
  gtk_scale_set_value_pos(GTK_SCALE(self->divisor), GTK_POS_RIGHT);
  gtk_widget_set_size_request(self->divisor, 240, -1);
  g_signal_connect_swapped(self->divisor, "value-changed", G_CALLBACK(on_more), self);
  gtk_widget_set_tooltip_text(self->divisor, _("Adds a line to the card Why √d_k, with the scores "
                                               "divided by this number"));
  add_choice(box, _("A third divisor beside 1 and √d_k (0: none)"), self->divisor);
  gtk_widget_add_css_class(box, "regard-explanation");
  gtk_popover_set_child(GTK_POPOVER(popover), box);
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(more), popover);
  return more;
}

static GtkWidget *
build_header(RegardViewInside *self)
{
  const char *const rows[] = {_("One Row"), _("All Rows")};
  const char *const tooltips[] = {_("One query, number by number"),
                                  _("The same steps as matrices, for all queries at once")};
  GtkWidget *line = regard_wrap_new(10), *one_or_all;

  self->place = regard_view_new_place();
  self->queries = gtk_drop_down_new(NULL, NULL);
  gtk_widget_set_name(self->queries, "query");
  regard_dials_leave_out(self->queries);
  regard_widget_explain(self->queries, _("The query"),
                        _("Which token looks: its row is computed (Ctrl+Up, Ctrl+Down)"));
  g_signal_connect_swapped(self->queries, "notify::selected", G_CALLBACK(on_query), self);
  regard_view_set_note(REGARD_VIEW(self), _("softmax(q Kᵀ / √d_k) V, the paper’s equation 1"));
  regard_wrap_append(line, regard_view_new_title(_("Inside")));
  regard_wrap_append(line, self->place);
  regard_wrap_append(line, self->queries);
  regard_wrap_append(line, regard_view_new_note(REGARD_VIEW(self)));
  one_or_all = regard_view_new_switch(rows, tooltips, 2, 0, self->rows, G_CALLBACK(on_rows), self);
  gtk_widget_set_name(one_or_all, "rows");
  regard_wrap_append(line, one_or_all);
  regard_wrap_append(line, build_steps(self));
  regard_wrap_append(line, build_more(self));
  regard_wrap_append(line, regard_view_new_help(REGARD_VIEW(self)));
  return line;
}

static GtkWidget *
build(RegardView *view)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(view);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *area =
      regard_view_new_area(view, LEAST_WIDTH, _("Where the numbers of this head come from"));

  name_picture(REGARD_VIEW_INSIDE(view));
  gtk_box_append(GTK_BOX(box), build_header(REGARD_VIEW_INSIDE(view)));
  gtk_box_append(GTK_BOX(box),
                 regard_view_new_stack(view, regard_view_new_scroller(build_made_up(self, area),
                                                                      LEAST_HEIGHT)));
  gtk_box_append(GTK_BOX(box), regard_view_new_status(view));
  gtk_widget_add_css_class(box, "regard-picture");
  return box;
}

/* Other pages show the head that was chosen. */
static void
unmap(GtkWidget *widget)
{
  come_home(REGARD_VIEW_INSIDE(widget));
  GTK_WIDGET_CLASS(regard_view_inside_parent_class)->unmap(widget);
}

static void
dispose(GObject *object)
{
  RegardViewInside *self = REGARD_VIEW_INSIDE(object);

  if (self->part_frame)
    gtk_widget_remove_tick_callback(GTK_WIDGET(self), self->part_frame);
  self->part_frame = 0;
  g_clear_object(&self->work);
  regard_pass_set(&self->pass, NULL);
  g_clear_pointer(&self->inside, regard_walkthrough_unref);
  G_OBJECT_CLASS(regard_view_inside_parent_class)->dispose(object);
}

static void
regard_view_inside_class_init(RegardViewInsideClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  GTK_WIDGET_CLASS(klass)->unmap = unmap;
  view_class->build = build;
  view_class->set_selection = set_selection;
  view_class->load = load;
  view_class->show = show;
  view_class->activate = activate;
  view_class->describe = describe;
  view_class->explain = explain;
  view_class->pictures = pictures;
  view_class->n_pictures = G_N_ELEMENTS(pictures);
  view_class->has_picture = has_picture;
  view_class->new_figure = new_figure;
  view_class->animations = animations;
  view_class->n_animations = G_N_ELEMENTS(animations);
  view_class->new_frames = new_frames;
  view_class->name_choice = name_choice;
  view_class->handle_key = handle_key;
  view_class->swap_step = swap_step;
  view_class->n_steps = REGARD_WALKTHROUGH_N_STEPS;
  view_class->show_part = show_part;
  view_class->get_part = get_part;
  view_class->locate = locate;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "insideview");
}

static void
regard_view_inside_init(RegardViewInside *self)
{
  const RegardWalkthroughOptions look = REGARD_WALKTHROUGH_OPTIONS_INIT;

  self->work = regard_work_new(self);
  self->look = look;
  self->look.step = 1;
}
