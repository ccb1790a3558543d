/* regard-view-attention.c — all heads small, one large, and the numbers of what is pointed at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts the widgets together and ties the heatmap, which knows no selection, to the shared one. In a
 * simple window (the selection's "simple") most of what asks something is not there: the heads are
 * those of one kind, chosen above them, and the picture has its form to choose.
 * Properties: "show-heads", "show-panel" (the panes), "show-controls" (below the picture).
 */
#include "figures/regard-figure-matrix.h"
#include "figures/regard-language.h"
#include "figures/regard-matrix-sentence.h"
#include "figures/regard-words.h"
#include "views/regard-view.h"
#include "widgets/regard-cell-panel.h"
#include "widgets/regard-controls.h"
#include "widgets/regard-dials.h"
#include "widgets/regard-form-switch.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-head-ablation.h"
#include "widgets/regard-heads.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-lines-pane.h"
#include "widgets/regard-live-attribution.h"
#include "widgets/regard-side-by-side.h"
#include "widgets/regard-step-bar.h"
#include "widgets/regard-theme.h"
#include "widgets/regard-weight-bar.h"
#include "widgets/regard-wrap-layout.h"

#include <gtk/gtk.h>

#define REGARD_TYPE_PANES (regard_panes_get_type())

G_DECLARE_FINAL_TYPE(RegardPanes, regard_panes, REGARD, PANES, GtkWidget)

/* ---- What was done to a matrix, word by word beside its title --------------------------- */

/* Whether a badge was made of these formats, one of them or two, which are messages. */
static gboolean
is_badge(const char *badge, const char *const formats[2])
{
  if (!formats[1])
    return regard_words_fit(_(formats[0]), badge);
  return regard_words_fit(ngettext(formats[0], formats[1], 1), badge) ||
         regard_words_fit(ngettext(formats[0], formats[1], 2), badge);
}

static const char *const mean_formats[][2] = {
    {"mean of heads %s"},
    {"mean of %u head", "mean of %u heads"},
    {"mean of %u chosen head", "mean of %u chosen heads"},
};

static gboolean
is_mean(const char *badge)
{
  for (guint i = 0; i < G_N_ELEMENTS(mean_formats); i++)
    if (is_badge(badge, mean_formats[i]))
      return TRUE;
  return FALSE;
}

/* What a badge means, where a word is not enough; NULL: it says all. */
static const char *
explain_badge(const char *badge)
{
  static const char sums[] =
      N_("Rows of attention sum to 1; these do not, and are shown as they are");
  static const struct {
    const char *formats[2], *meaning; /* of the badge: of one, of several */
  } meanings[] = {
      {{"merged"},
       N_("The pieces of a word are one row or one column: the weights of keys are added, "
          "those of queries averaged")},
      {{"special tokens hidden"},
       N_("Rows and columns of special tokens, such as ⏎, are left out. "
          "Nothing is renormalised: bars beside the rows say how much of "
          "each is hidden")},
      {{"maximum of %u head", "maximum of %u heads"},
       N_("Each cell is the largest of these heads, so that rows need not sum to 1")},
      {{"rows sum to 2: 1 over the source, 1 over the translation"},
       N_("Each word looks at the source and at the translation before it, by two "
          "attentions whose weights sum to 1 each")},
      {{"rows sum to %.2f"}, sums},
      {{"rows sum to %.2f…%.2f"}, sums},
      {{"changed: %s"}, N_("The model computed with this change, in all its layers that follow")},
  };

  if (is_mean(badge))
    return _("Each cell is the mean of these heads");
  for (guint i = 0; i < G_N_ELEMENTS(meanings); i++)
    if (is_badge(badge, meanings[i].formats))
      return _(meanings[i].meaning);
  return NULL;
}

/* The box has these and no other children; each says in a tooltip what it means. NULL: none. */
static void
badges_show(GtkWidget *box, char **badges, gboolean is_simple)
{
  GtkWidget *child;

  gtk_widget_set_visible(box, badges && *badges); /* an empty box would have room beside it */
  while ((child = gtk_widget_get_first_child(box)))
    gtk_box_remove(GTK_BOX(box), child);
  for (; badges && *badges; badges++) {
    if (is_simple && g_str_equal(*badges, _("merged")))
      continue; /* there are words and nothing else */
    child = regard_label_new(*badges, REGARD_LABEL_ELLIPSIZE, "regard-badge");
    gtk_widget_set_valign(child, GTK_ALIGN_CENTER);
    gtk_widget_set_tooltip_text(child, explain_badge(*badges));
    gtk_box_append(GTK_BOX(box), child);
  }
}

/* ---- Three panes beside each other: an overview, a picture, and numbers about it -------- */

struct _RegardPanes {
  GtkWidget parent_instance;

  GtkWidget *outer, *inner; /* overview | (picture | numbers) */
  GtkWidget *overview, *narrow;
  gboolean outer_moved, inner_moved; /* by the user */
  int room;                          /* for picture and numbers, when last allocated */
};

G_DEFINE_FINAL_TYPE(RegardPanes, regard_panes, GTK_TYPE_WIDGET)

/* Both keep the start child's size when resized: size_allocate places them, and GtkPaned must not
 * add its own idea of what a change of width means. */
static GtkWidget *
build_panes(GtkWidget *start, GtkWidget *end)
{
  GtkWidget *paned = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);

  gtk_paned_set_start_child(GTK_PANED(paned), start);
  gtk_paned_set_end_child(GTK_PANED(paned), end);
  gtk_paned_set_resize_start_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_resize_end_child(GTK_PANED(paned), TRUE);
  gtk_paned_set_shrink_start_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_shrink_end_child(GTK_PANED(paned), FALSE);
  return paned;
}

static void
panes_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
              int *natural, int *minimum_baseline, int *natural_baseline)
{
  gtk_widget_measure(REGARD_PANES(widget)->outer, orientation, for_size, minimum, natural, NULL,
                     NULL);
}

/* Panes keep their share of the window until the user moves one; then it is theirs. That a position
 * has changed says nothing, for GtkPaned changes it too when it is resized. */
static void
on_pane_moved(gboolean *moved)
{
  *moved = TRUE;
}

static gboolean
on_handle_moved(GtkPaned *paned, GtkScrollType scroll, gboolean *moved)
{
  *moved = TRUE;
  return FALSE;
}

static void
watch_pane(GtkWidget *paned, gboolean *moved)
{
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(paned);

  for (guint i = 0; i < g_list_model_get_n_items(controllers); i++) {
    g_autoptr(GtkEventController) controller = g_list_model_get_item(controllers, i);

    if (GTK_IS_GESTURE_PAN(controller))
      g_signal_connect_swapped(controller, "pan", G_CALLBACK(on_pane_moved), moved);
  }
  g_signal_connect(paned, "move-handle", G_CALLBACK(on_handle_moved), moved);
}

static void
set_position(GtkWidget *paned, int position)
{
  if (gtk_paned_get_position(GTK_PANED(paned)) != position)
    gtk_paned_set_position(GTK_PANED(paned), position);
}

static void
panes_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  RegardPanes *self = REGARD_PANES(widget);
  double larger = regard_theme_large_text(widget);
  int heads = CLAMP(width * 235 / 1000, 236, 380), panel = CLAMP(width * 165 / 1000, 222, 260);
  int room; /* of picture and numbers */
  int least;

  /* Sixteen heads are all in sight in a small window too. */
  gtk_widget_measure(self->narrow, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  heads = MAX(heads, MIN(least, width * 3 / 10));
  /* Numbers need room for their names, as far as the picture can give it. */
  panel = CLAMP((int) (panel * larger), panel, MAX(width * 28 / 100, MIN(260, width * 32 / 100)));
  if (!self->outer_moved)
    set_position(self->outer, heads);
  heads =
      gtk_widget_get_visible(self->overview) ? gtk_paned_get_position(GTK_PANED(self->outer)) : 0;
  room = width - heads;
  if (!self->inner_moved)
    set_position(self->inner, room - panel);
  else if (self->room > 0) /* the picture takes and gives, the numbers keep their width */
    set_position(self->inner, gtk_paned_get_position(GTK_PANED(self->inner)) + room - self->room);
  self->room = room;
  gtk_widget_measure(self->outer, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_size_allocate(self->outer, &(GtkAllocation){0, 0, MAX(width, least), height},
                           baseline);
}

static void
panes_dispose(GObject *object)
{
  g_clear_pointer(&REGARD_PANES(object)->outer, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_panes_parent_class)->dispose(object);
}

static void
regard_panes_class_init(RegardPanesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = panes_dispose;
  widget_class->measure = panes_measure;
  widget_class->size_allocate = panes_size_allocate;
  gtk_widget_class_set_css_name(widget_class, "panes");
}

/* Panes follow the width until moved, which a layout manager would not know. */
static void
regard_panes_init(RegardPanes *self)
{
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
}

/* narrow: the part of the overview that says how narrow that can be; borrowed, inside of it. */
static GtkWidget *
panes_new(GtkWidget *overview, GtkWidget *picture, GtkWidget *numbers, GtkWidget *narrow)
{
  RegardPanes *self = g_object_new(REGARD_TYPE_PANES, NULL);

  self->overview = overview;
  self->narrow = narrow;
  self->inner = build_panes(picture, numbers);
  self->outer = build_panes(overview, self->inner);
  watch_pane(self->inner, &self->inner_moved);
  watch_pane(self->outer, &self->outer_moved);
  gtk_widget_set_parent(self->outer, GTK_WIDGET(self));
  return GTK_WIDGET(self);
}

/* ---- The page ---------------------------------------------------------------------------------
 */

#define REGARD_TYPE_VIEW_ATTENTION (regard_view_attention_get_type())
G_DECLARE_FINAL_TYPE(RegardViewAttention, regard_view_attention, REGARD, VIEW_ATTENTION, RegardView)

/* The entry of the list behind those of RegardCombine. */
#define SIDE_BY_SIDE REGARD_N_COMBINES

struct _RegardViewAttention {
  RegardView parent_instance;

  GtkWidget *heads_pane, *heads, *effects, *combine, *formula, *clear;
  GtkWidget *kinds, *kind_buttons[MT_N_KINDS]; /* in the order of regard_kinds_in_order */
  GtkWidget *title, *place, *badges, *pictures, *heatmap, *weights, *bar, *side_by_side, *controls;
  GtkWidget *show;         /* attributions instead of weights */
  GtkWidget *form, *lines; /* matrix or lines; the picture as lines */
  GtkWidget *panel;
  gboolean loading;
  gboolean wants_each; /* chosen heads side by side, if there are several */
};

G_DEFINE_FINAL_TYPE(RegardViewAttention, regard_view_attention, REGARD_TYPE_VIEW)

enum { PROP_0, PROP_SHOW_HEADS, PROP_SHOW_PANEL, PROP_SHOW_CONTROLS, N_PROPS };
static GParamSpec *props[N_PROPS];

static RegardSelection *
selection(RegardViewAttention *self)
{
  return regard_view_get_selection(REGARD_VIEW(self));
}

static gboolean
is_simple(RegardViewAttention *self)
{
  return selection(self) && regard_selection_get_simple(selection(self));
}

/* ---- The large picture and the selection ----------------------------------------------------- */

static guint
count_chosen(RegardViewAttention *self)
{
  RegardSelection *s = selection(self);
  mt_capture *capture = regard_selection_get_capture(s);
  mt_attention_kind kind = regard_selection_get_kind(s);
  guint n = 0;

  for (guint l = 0; capture && l < mt_capture_n_layers(capture, kind); l++)
    for (guint h = 0; h < mt_capture_n_heads(capture, kind); h++)
      n += regard_selection_is_chosen(s, kind, l, h);
  return n;
}

/* Heads were chosen, and are shown, each or as their mean. */
static gboolean
has_chosen(RegardViewAttention *self)
{
  return !is_simple(self) && !regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)) &&
         regard_selection_get_combine(selection(self)) == REGARD_COMBINE_CHOSEN &&
         count_chosen(self) > 0;
}

/* The chosen heads are shown, not their mean. */
static gboolean
is_side_by_side(RegardViewAttention *self)
{
  return self->wants_each && has_chosen(self) && count_chosen(self) > 1;
}

static gboolean
shows_lines(RegardViewAttention *self)
{
  return regard_selection_get_form(selection(self)) == REGARD_FORM_LINES;
}

/* Heatmap, several of them, or lines. Who has the keyboard in one has it in the other. */
static void
show_form(RegardViewAttention *self)
{
  GtkWidget *child = shows_lines(self)       ? self->lines
                     : is_side_by_side(self) ? self->side_by_side
                                             : self->heatmap;
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  GtkWidget *before = gtk_stack_get_visible_child(GTK_STACK(self->pictures));
  gboolean had_focus =
      focus && before && (focus == before || gtk_widget_is_ancestor(focus, before));

  regard_lines_pane_set_each(REGARD_LINES_PANE(self->lines), is_side_by_side(self));
  /* Cells of weights are dragged, not lines and not attributions. */
  gtk_widget_set_visible(self->weights, !shows_lines(self) && !is_simple(self) &&
                                            !regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)));
  regard_view_show_status(REGARD_VIEW(self));
  if (child == before)
    return;
  gtk_stack_set_visible_child(GTK_STACK(self->pictures), child);
  if (had_focus)
    gtk_widget_child_focus(child, GTK_DIR_TAB_FORWARD);
}

static void
show_title(RegardViewAttention *self, const RegardMatrix *m)
{
  const RegardAttention *from = m ? regard_matrix_get_attention(m) : NULL;
  g_autofree char *place = NULL;

  if (!from) {
    gtk_label_set_text(GTK_LABEL(self->title), ""); /* the menu and what is below it say it */
    gtk_label_set_text(GTK_LABEL(self->place), "");
    badges_show(self->badges, m ? m->badges : NULL, is_simple(self));
    return;
  }
  const guint layer = regard_naming_layer(from->capture, from->spec.kind, from->spec.layer);
  switch (from->spec.combine) {
  case REGARD_COMBINE_HEAD:
    place =
        g_strdup_printf(_("layer %u · head %u"), layer,
                        regard_naming_head_number(from->capture, from->spec.kind, from->spec.head));
    break;
  case REGARD_COMBINE_CHOSEN: /* from any layer; the badge says which */
    place = g_strdup(!is_side_by_side(self) ? _("chosen heads")
                     : shows_lines(self)    ? _("chosen heads, in colours")
                                            : _("chosen heads, side by side"));
    break;
  default:
    place = g_strdup_printf(_("layer %u · all heads"), layer);
  }
  gtk_label_set_text(GTK_LABEL(self->title), regard_naming_kind(from->capture, from->spec.kind));
  gtk_label_set_text(GTK_LABEL(self->place), place);
  badges_show(self->badges, m->badges, is_simple(self));
  if (is_side_by_side(self)) /* the badge of their mean */
    for (GtkWidget *badge = gtk_widget_get_first_child(self->badges); badge;
         badge = gtk_widget_get_next_sibling(badge))
      gtk_widget_set_visible(badge, !is_mean(gtk_label_get_text(GTK_LABEL(badge))));
}

/* "₄" for 4, so that an index looks like one without markup. */
static char *
subscript(guint number)
{
  GString *text = g_string_new(NULL);
  g_autofree char *digits = g_strdup_printf("%u", number);

  for (const char *d = digits; *d; d++)
    g_string_append_unichar(text, 0x2080 + (*d - '0'));
  return g_string_free(text, FALSE);
}

/* The same in words. Caller frees. */
static char *
explain_formula(RegardViewAttention *self)
{
  RegardSelection *s = selection(self);
  const guint layer = regard_selection_get_layer(s) + 1;

  switch (regard_selection_get_combine(s)) {
  case REGARD_COMBINE_HEAD:
    return g_strdup_printf(_("The large picture A is the matrix of weights of layer %u, head %u"),
                           layer, regard_selection_get_head(s) + 1);
  case REGARD_COMBINE_MEAN:
    return g_strdup_printf(_("Each cell of the large picture A is the mean of all heads of layer "
                             "%u"),
                           layer);
  case REGARD_COMBINE_MAX:
    return g_strdup_printf(_("Each cell of the large picture A is the largest weight of the heads "
                             "of layer %u, so that a row can sum to more than 1"),
                           layer);
  default:
    return g_strdup(_("Click heads above, or press Space on one, to choose them or not; Ctrl+click "
                      "does so at any time"));
  }
}

/* What "combine" does, as a formula. */
static void
show_formula(RegardViewAttention *self)
{
  RegardSelection *s = selection(self);
  mt_capture *capture = regard_selection_get_capture(s);
  mt_attention_kind kind = regard_selection_get_kind(s);
  g_autofree char *layer = subscript(regard_selection_get_layer(s) + 1);
  g_autofree char *head = subscript(regard_selection_get_head(s) + 1);
  guint heads = capture ? mt_capture_n_heads(capture, kind) : 0, chosen;
  g_autofree char *text = NULL;

  gtk_widget_set_visible(self->clear, regard_selection_get_combine(s) == REGARD_COMBINE_CHOSEN &&
                                          count_chosen(self) > 0);
  show_form(self);
  switch (regard_selection_get_combine(s)) {
  case REGARD_COMBINE_HEAD:
    text = g_strdup_printf("A = A%s,%s", layer, head);
    break;
  case REGARD_COMBINE_MEAN:
    text = g_strdup_printf("A = 1/%u Σₕ A%s,ₕ", heads, layer);
    break;
  case REGARD_COMBINE_MAX:
    text = g_strdup_printf(_("A = maxₕ A%s,ₕ (rows exceed 1)"), layer);
    break;
  case REGARD_COMBINE_CHOSEN:
    chosen = count_chosen(self);
    text = chosen == 0 ? g_strdup(_("Click heads"))
           : is_side_by_side(self)
               ? g_strdup_printf(ngettext("%u head", "%u heads", chosen), chosen)
           : self->wants_each ? g_strdup(_("Click another head"))
                              : g_strdup_printf(_("A = 1/%u Σ chosen A"), chosen);
    break;
  }
  gtk_label_set_text(GTK_LABEL(self->formula), text);
  g_autofree char *meaning = explain_formula(self);
  gtk_widget_set_tooltip_text(self->formula, meaning);
}

/* What the large picture shows. */
static RegardMatrix *
shown_matrix(RegardViewAttention *self)
{
  return regard_show_bar_get_matrix(REGARD_SHOW_BAR(self->show));
}

static void
on_style(RegardViewAttention *self)
{
  const RegardMatrix *m = shown_matrix(self);
  regard_heatmap_set_colors(REGARD_HEATMAP(self->heatmap),
                            regard_selection_get_scale(selection(self)),
                            m && m->diverging ? regard_colormap_default_diverging()
                                              : regard_selection_get_colormap(selection(self)));
}

/* Rows of the decoder come one after the other. */
static void
on_step(RegardViewAttention *self)
{
  RegardSelection *s = selection(self);

  if (regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)))
    regard_heatmap_set_computed(REGARD_HEATMAP(self->heatmap), -1);
  else
    regard_heatmap_set_computed(REGARD_HEATMAP(self->heatmap),
                                regard_selection_rows_computed(s, regard_selection_get_step(s)));
}

static void
on_matrix(RegardViewAttention *self)
{
  RegardMatrix *m = shown_matrix(self);
  const gboolean is_weights = !regard_show_bar_is_on(REGARD_SHOW_BAR(self->show));
  RegardCell hover = regard_selection_get_hover(selection(self));
  RegardCell pin = regard_selection_get_pin(selection(self));

  on_style(self); /* weights with a sign have colours of their own */
  regard_heatmap_set_matrix(REGARD_HEATMAP(self->heatmap), m);
  regard_lines_pane_set_matrix(REGARD_LINES_PANE(self->lines), m);
  regard_controls_set_matrix(REGARD_CONTROLS(self->controls), is_weights ? NULL : m, is_weights);
  if (is_weights) { /* cells of attributions are the bar's */
    regard_heatmap_set_hover(REGARD_HEATMAP(self->heatmap), hover.row, hover.col);
    regard_heatmap_set_pin(REGARD_HEATMAP(self->heatmap), pin.row, pin.col);
  }
  on_step(self);
  show_title(self, m);
  show_formula(self);
}

static void
on_hover(RegardViewAttention *self)
{
  RegardCell hover = regard_selection_get_hover(selection(self));

  if (!regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)))
    regard_heatmap_set_hover(REGARD_HEATMAP(self->heatmap), hover.row, hover.col);
  regard_view_show_status(REGARD_VIEW(self));
}

static void
on_pin(RegardViewAttention *self)
{
  RegardCell pin = regard_selection_get_pin(selection(self));

  if (!regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)))
    regard_heatmap_set_pin(REGARD_HEATMAP(self->heatmap), pin.row, pin.col);
  regard_view_show_status(REGARD_VIEW(self));
}

static void
on_summed(RegardViewAttention *self)
{
  RegardSumAxis axis;
  guint n;
  const guint8 *chosen = regard_selection_get_summed(selection(self), &axis, &n);

  if (regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)))
    chosen = NULL; /* what is added up is weights */
  regard_heatmap_set_summed(REGARD_HEATMAP(self->heatmap), axis, chosen, n);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
on_user_sum(RegardViewAttention *self, int row, int col)
{
  if (selection(self) && !regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)))
    regard_selection_toggle_summed(selection(self), (RegardCell){row, col});
}

static void
on_dimmed(RegardViewAttention *self)
{
  gboolean dimmed = regard_selection_get_dimmed(selection(self));

  regard_heatmap_set_dimmed(REGARD_HEATMAP(self->heatmap),
                            dimmed || regard_show_bar_is_stale(REGARD_SHOW_BAR(self->show)));
  regard_widget_set_pale(self->heads, dimmed);
}

static void
on_combine(RegardViewAttention *self)
{
  RegardCombine combine = regard_selection_get_combine(selection(self));

  self->loading = TRUE;
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->combine),
                             combine == REGARD_COMBINE_CHOSEN && self->wants_each
                                 ? SIDE_BY_SIDE
                                 : (guint) combine);
  self->loading = FALSE;
  show_title(self, shown_matrix(self));
  show_formula(self);
}

/* Lines of two heads are told apart by colour, so whoever chooses a second one sees both. */
static void
on_chosen(RegardViewAttention *self)
{
  if (shows_lines(self) && count_chosen(self) > 1 &&
      regard_selection_get_combine(selection(self)) == REGARD_COMBINE_HEAD) {
    self->wants_each = TRUE;
    regard_selection_set_combine(selection(self), REGARD_COMBINE_CHOSEN);
  }
  show_formula(self);
}

/* ---- What the line below says ---------------------------------------------------------------- */

static char *
describe(RegardView *view)
{
  RegardViewAttention *self = REGARD_VIEW_ATTENTION(view);
  const RegardMatrix *m = shown_matrix(self);
  const gboolean is_weights = !regard_show_bar_is_on(REGARD_SHOW_BAR(self->show));
  RegardCell cell = {-1, -1};

  if (is_weights)
    cell = regard_selection_get_focus(selection(self));
  else {
    regard_heatmap_get_hover(REGARD_HEATMAP(self->heatmap), &cell.row, &cell.col);
    if (cell.row < 0 && cell.col < 0)
      regard_heatmap_get_pin(REGARD_HEATMAP(self->heatmap), &cell.row, &cell.col);
  }
  const gboolean is_there = m && cell.row < (int) m->rows && cell.col < (int) m->cols;
  return is_there && (cell.row >= 0 || cell.col >= 0)
             ? regard_matrix_sentence(m, cell.row, cell.col)
             : NULL;
}

static char *
summarize(RegardView *view)
{
  const RegardMatrix *m = shown_matrix(REGARD_VIEW_ATTENTION(view));

  return m && !is_side_by_side(REGARD_VIEW_ATTENTION(view)) ? regard_matrix_sentence(m, -1, -1)
                                                            : NULL;
}

/* Whether large weights are drawn dark. */
static gboolean
is_dark_much(RegardSelection *s)
{
  const RegardColormap *map = regard_selection_get_colormap(s);

  return regard_color_wants_black_text(regard_colormap_lookup(map, 0)) &&
         !regard_color_wants_black_text(regard_colormap_lookup(map, 1));
}

static char *
explain(RegardView *view)
{
  static const char *const rows[MT_N_KINDS] = {
      [MT_ENCODER_SELF] = N_("Each row is a word of the source, and says which words of the source "
                             "this head mixes into it."),
      [MT_CROSS] = N_("Each row is a word of the translation, and says where in the source this "
                      "head looked while the model wrote it."),
      [MT_DECODER_SELF] = N_("Each row is a word of the translation, and says at which words "
                             "before it this head looked; those that follow are not written yet."),
  };
  RegardViewAttention *self = REGARD_VIEW_ATTENTION(view);
  RegardSelection *s = selection(self);
  const RegardMatrix *m = shown_matrix(self);

  if (!m)
    return NULL;
  if (regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)) || m->diverging)
    return g_strdup(_("Each row is a word, and its cells say how much it depends on each other "
                      "word by the method that is chosen above. These are no weights of "
                      "attention: rows need not sum to 1, and a value below 0 speaks against the "
                      "word. Colours have their scale below the picture."));
  GString *text = g_string_new(_(rows[regard_selection_get_kind(s)]));
  regard_words_add_sentence(
      text, "%s",
      shows_lines(self)
          ? _("The weights of a row, 0 to 100 %, sum to 1, and each is a line: the stronger the "
              "line, the larger the weight. A weight says where the head looks, not how important "
              "a word is.")
      : is_dark_much(s)
          ? _("The weights of a row, 0 to 100 %, sum to 1: the darker a cell, the larger its "
              "weight. A weight says where the head looks, not how important a word is.")
          : _("The weights of a row, 0 to 100 %, sum to 1: the brighter a cell, the larger its "
              "weight. A weight says where the head looks, not how important a word is."));
  return g_string_free(text, FALSE);
}

static void
on_user_hover(RegardViewAttention *self, int row, int col)
{
  if (regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)))
    regard_view_show_status(REGARD_VIEW(self));
  if (selection(self) && !regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)))
    regard_selection_set_hover(selection(self), (RegardCell){row, col});
}

static void
on_user_pin(RegardViewAttention *self, int row, int col)
{
  if (selection(self) && !regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)))
    regard_selection_set_pin(selection(self), (RegardCell){row, col});
}

static void
on_user_combine(RegardViewAttention *self)
{
  guint chosen = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->combine));

  if (self->loading || !selection(self))
    return;
  self->wants_each = chosen == SIDE_BY_SIDE;
  regard_selection_set_combine(selection(self),
                               chosen == SIDE_BY_SIDE ? REGARD_COMBINE_CHOSEN : chosen);
  on_combine(self); /* from their mean to each of them nothing else has changed */
}

static void on_simple(RegardViewAttention *self);

static void
on_shown(RegardViewAttention *self)
{
  if (shown_matrix(self) != regard_heatmap_get_matrix(REGARD_HEATMAP(self->heatmap)) ||
      !regard_show_bar_is_on(REGARD_SHOW_BAR(self->show))) {
    on_matrix(self);
    on_summed(self);
  }
  on_simple(self);
  on_dimmed(self);
}

/* ---- A simple window ------------------------------------------------------------------------- */

static void
show_kind(RegardViewAttention *self)
{
  self->loading = TRUE;
  for (guint i = 0; i < MT_N_KINDS; i++) {
    const mt_attention_kind kind = regard_kinds_in_order[i];

    if (kind == regard_selection_get_kind(selection(self)))
      gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->kind_buttons[i]), TRUE);
    gtk_widget_set_sensitive(self->kind_buttons[i],
                             regard_selection_get_extent(selection(self), kind).n_layers > 0);
  }
  self->loading = FALSE;
}

static void
on_user_kind(RegardViewAttention *self, GtkToggleButton *button)
{
  RegardSelection *s = selection(self);

  if (self->loading || !s || !gtk_toggle_button_get_active(button))
    return;
  for (guint i = 0; i < MT_N_KINDS; i++)
    if (self->kind_buttons[i] == GTK_WIDGET(button))
      regard_selection_set_place(s, regard_kinds_in_order[i], regard_selection_get_layer(s),
                                 regard_selection_get_head(s));
}

/* What is chosen otherwise than a simple window would have it is there to be taken back. */
static void
on_simple(RegardViewAttention *self)
{
  const gboolean simple = is_simple(self);

  gtk_widget_set_visible(self->kinds, simple);
  gtk_widget_set_visible(gtk_widget_get_parent(self->combine), !simple);
  gtk_widget_set_visible(self->effects,
                         !simple || regard_head_ablation_get_with(
                                        regard_selection_get_head_ablation(selection(self))) >= 0);
  gtk_widget_set_visible(regard_show_bar_get_menu(REGARD_SHOW_BAR(self->show)),
                         !simple || regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)));
  show_title(self, shown_matrix(self));
  show_formula(self);
}

static void
on_user_clear(RegardViewAttention *self)
{
  if (selection(self))
    regard_selection_clear_chosen(selection(self));
}

static void
set_selection(RegardView *view, RegardSelection *s)
{
  RegardViewAttention *self = REGARD_VIEW_ATTENTION(view);
  const struct {
    const char *signal;
    void (*callback)(RegardViewAttention *self);
  } wanted[] = {
      {"matrix-changed", on_matrix},  {"style-changed", on_style},
      {"hover-changed", on_hover},    {"pin-changed", on_pin},
      {"notify::dimmed", on_dimmed},  {"notify::combine", on_combine},
      {"chosen-changed", on_chosen},  {"notify::step", on_step},
      {"notify::form", on_combine},   {"summed-changed", on_summed},
      {"notify::simple", on_simple},  {"notify::kind", show_kind},
      {"notify::capture", show_kind},
  };

  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
    regard_connect(s, wanted[i].signal, G_CALLBACK(wanted[i].callback), self);
  regard_connect(regard_selection_get_head_ablation(s), "changed", G_CALLBACK(on_simple), self);
  regard_show_bar_set_selection(REGARD_SHOW_BAR(self->show), s);
  g_signal_connect_swapped(self->show, "changed", G_CALLBACK(on_shown), self);
  regard_heads_set_selection(REGARD_HEADS(self->heads), s);
  regard_ablation_bar_set_selection(REGARD_ABLATION_BAR(self->effects), s);
  regard_side_by_side_set_selection(REGARD_SIDE_BY_SIDE(self->side_by_side), s);
  regard_lines_pane_set_selection(REGARD_LINES_PANE(self->lines), s);
  regard_form_switch_set_selection(REGARD_FORM_SWITCH(self->form), s);
  regard_controls_set_selection(REGARD_CONTROLS(self->controls), s);
  regard_weight_bar_set_selection(REGARD_WEIGHT_BAR(self->weights), s);
  regard_step_bar_set_selection(REGARD_STEP_BAR(self->bar), s);
  regard_cell_panel_set_selection(REGARD_CELL_PANEL(self->panel), s);
  on_style(self);
  on_matrix(self);
  on_dimmed(self);
  on_combine(self);
  show_kind(self);
  on_simple(self);
}

/* ---- Export ---------------------------------------------------------------------------------- */

/* Behind those of RegardScope, but for the last of them, which is there where heads are chosen. */
enum { PICTURE_SUM = REGARD_SCOPE_CHOSEN, PICTURE_CHOSEN, PICTURE_ATTRIBUTION, N_PICTURES };

static RegardPicture pictures[N_PICTURES] = {[PICTURE_SUM] = {"sum", N_("The sum")},
                                             [PICTURE_ATTRIBUTION] = {"attribution",
                                                                      N_("These attributions")}};

static gboolean
is_summed(RegardViewAttention *self)
{
  RegardSumAxis axis;
  guint n;

  return regard_selection_get_summed(selection(self), &axis, &n) != NULL;
}

static gboolean
has_picture(RegardView *view, guint picture)
{
  RegardViewAttention *self = REGARD_VIEW_ATTENTION(view);
  RegardSelection *s = regard_view_get_selection(view);

  if (!s || regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)) || picture == PICTURE_ATTRIBUTION)
    return s && picture == PICTURE_ATTRIBUTION &&
           regard_show_bar_is_on(REGARD_SHOW_BAR(self->show)) && shown_matrix(self);
  if (regard_selection_get_whole_bytes(s) &&
      (picture == REGARD_SCOPE_KIND || picture == REGARD_SCOPE_ALL))
    return FALSE; /* of a long text only a layer is there */
  return regard_selection_get_matrix(s) && (picture != PICTURE_CHOSEN || has_chosen(self)) &&
         (picture != PICTURE_SUM || is_summed(self));
}

static guint
get_first(RegardView *view)
{
  return regard_view_get_selection(view) && is_side_by_side(REGARD_VIEW_ATTENTION(view))
             ? PICTURE_CHOSEN
             : 0;
}

/* As the text form of changes has it, with layers and heads counted from 1. */
static char *
name_choice(RegardView *view, const char *choice_id)
{
  RegardSelection *s = regard_view_get_selection(view);
  const mt_attention_kind of = regard_selection_get_kind(s);
  const char *kind = regard_kind_id(of);
  guint layer = regard_selection_get_layer(s) + 1;
  guint head = regard_selection_get_head(s) + 1;

  const char *form = shows_lines(REGARD_VIEW_ATTENTION(view)) ? "-lines" : "";

  if (g_str_equal(choice_id, "attribution"))
    return regard_show_bar_name(REGARD_SHOW_BAR(REGARD_VIEW_ATTENTION(view)->show));
  if (g_str_equal(choice_id, "sum"))
    return g_strdup_printf("%s-%u-sum", kind, layer);
  if (g_str_equal(choice_id, "head"))
    switch (regard_selection_get_combine(s)) {
    case REGARD_COMBINE_HEAD:
      return g_strdup_printf("%s-%u.%u%s", kind, layer, head, form);
    case REGARD_COMBINE_MEAN:
      return g_strdup_printf("%s-%u-mean%s", kind, layer, form);
    case REGARD_COMBINE_MAX:
      return g_strdup_printf("%s-%u-max%s", kind, layer, form);
    default:
      return g_strdup_printf("%s-chosen%s", kind, form);
    }
  if (g_str_equal(choice_id, "layer"))
    return g_strdup_printf("%s-%u", kind, layer);
  if (g_str_equal(choice_id, "chosen"))
    return g_strdup_printf("%s-chosen%s", kind, *form ? form : "-each");
  return g_str_equal(choice_id, "kind") ? g_strdup(kind) : NULL;
}

/* The place of a row or a column in another matrix of the same capture; -1: it has none there. */
static int
carry(const RegardMatrix *from, const RegardMatrix *to, int at, gboolean is_column)
{
  if (at < 0)
    return -1;
  return is_column ? regard_matrix_col_of_token(to, from->col_labels[at].first_token)
                   : regard_matrix_row_of_token(to, from->row_labels[at].first_token);
}

/* Of a simple window files have what was set in the full one: pieces or words, and the token that
 * goes in. Of heads it is the one that is seen. */
static RegardFigure *
new_full_figure(RegardViewAttention *self, guint picture, RegardFigureStyle *style)
{
  RegardSelection *s = selection(self);
  RegardMatrixSpec spec;

  regard_selection_get_full_spec(s, &spec);
  spec.combine = REGARD_COMBINE_HEAD;
  if (picture == PICTURE_SUM) {
    g_autoptr(RegardMatrix) sum = regard_selection_new_sum(s);

    return sum ? regard_figure_new_matrix(sum, style) : NULL;
  }
  if (picture != REGARD_SCOPE_HEAD)
    return regard_figure_new_grid(regard_selection_get_capture(s), picture, &spec, style);
  const RegardMatrix *m = shown_matrix(self);
  g_autoptr(RegardMatrix) full =
      regard_matrix_new_attention(regard_selection_get_capture(s), &spec);
  const RegardCell pin = regard_selection_get_pin(s);
  if (shows_lines(self)) {
    g_autoptr(RegardLines) lines =
        regard_lines_new(&full, NULL, 1, regard_selection_get_lines_share(s));

    return regard_figure_new_lines(lines, REGARD_LINES_UPRIGHT, NULL, style);
  }
  if (full->diverging)
    style->colormap = NULL;
  style->pinned_row = carry(m, full, pin.row, FALSE);
  style->pinned_col = carry(m, full, pin.col, TRUE);
  return regard_figure_new_matrix(full, style);
}

static RegardFigure *
new_figure(RegardView *view, guint picture, RegardFigureStyle *style)
{
  RegardViewAttention *self = REGARD_VIEW_ATTENTION(view);
  RegardSelection *s = regard_view_get_selection(view);
  RegardMatrix *m = shown_matrix(self);
  RegardMatrixSpec spec;

  if (!m)
    return NULL;
  if (is_simple(self) && picture != PICTURE_ATTRIBUTION)
    return new_full_figure(self, picture, style);
  if (picture == PICTURE_SUM) {
    g_autoptr(RegardMatrix) sum = regard_selection_new_sum(s);

    if (m->diverging)
      style->colormap = NULL;
    return sum ? regard_figure_new_matrix(sum, style) : NULL;
  }
  /* The picture that is seen is exported in its form; grids are of matrices. */
  if (shows_lines(self) &&
      (picture == PICTURE_ATTRIBUTION ||
       picture == (is_side_by_side(self) ? PICTURE_CHOSEN : REGARD_SCOPE_HEAD)))
    return regard_lines_pane_create_figure(REGARD_LINES_PANE(self->lines), style);
  if (picture == REGARD_SCOPE_HEAD || picture == PICTURE_ATTRIBUTION) {
    if (m->diverging)
      style->colormap = NULL; /* what has a sign has colours of its own */
    regard_heatmap_get_pin(REGARD_HEATMAP(self->heatmap), &style->pinned_row, &style->pinned_col);
    return regard_figure_new_matrix(m, style);
  }
  regard_selection_get_spec(s, &spec);
  return regard_figure_new_grid(regard_selection_get_capture(s),
                                picture == PICTURE_CHOSEN ? REGARD_SCOPE_CHOSEN : picture, &spec,
                                style);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static gboolean
handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  RegardViewAttention *self = REGARD_VIEW_ATTENTION(view);

  if (!selection(self))
    return FALSE;
  if (keyval == GDK_KEY_Escape && is_summed(self) && !shows_lines(self)) {
    regard_selection_set_summed(selection(self), REGARD_SUM_KEYS, NULL);
    return TRUE;
  }
  if (regard_show_bar_handle_key(REGARD_SHOW_BAR(self->show), keyval, state))
    return TRUE;
  if (regard_form_switch_handle_key(REGARD_FORM_SWITCH(self->form), keyval, state))
    return TRUE;
  if (shows_lines(self))
    return regard_lines_pane_handle_key(REGARD_LINES_PANE(self->lines), keyval, state);
  if (is_side_by_side(self))
    return regard_side_by_side_handle_key(REGARD_SIDE_BY_SIDE(self->side_by_side), keyval, state);
  return regard_weight_bar_handle_key(REGARD_WEIGHT_BAR(self->weights), keyval, state) ||
         regard_heatmap_handle_key(REGARD_HEATMAP(self->heatmap), keyval, state);
}

/* The large one, in its form; the heads are beside it. */
static GtkWidget *
get_picture(RegardView *view)
{
  GtkStack *stack = GTK_STACK(REGARD_VIEW_ATTENTION(view)->pictures);

  return regard_view_find_picture(gtk_stack_get_visible_child(stack));
}

/* ---- Places ---------------------------------------------------------------------------------- */

static GtkWidget *
locate(RegardView *view, const RegardViewPlace *place, graphene_rect_t *rect)
{
  RegardViewAttention *self = REGARD_VIEW_ATTENTION(view);
  RegardHeads *heads = REGARD_HEADS(self->heads);
  guint layer = place->layer, head = place->head;
  RegardCell cell;

  switch (place->type) {
  case REGARD_VIEW_PLACE_HEADS:
    *rect = GRAPHENE_RECT_INIT(0, 0, (float) gtk_widget_get_width(self->heads),
                               (float) gtk_widget_get_height(self->heads));
    return !place->has_kind || regard_heads_get_kind_rect(heads, place->kind, rect) ? self->heads
                                                                                    : NULL;
  case REGARD_VIEW_PLACE_HEAD:
    return regard_selection_find_head(selection(self), place->kind, &layer, &head) &&
                   regard_heads_get_rect(heads, place->kind, layer, head, rect)
               ? self->heads
               : NULL;
  case REGARD_VIEW_PLACE_CELL:
    if (!regard_view_find_cell(view, place, shown_matrix(self), &cell))
      return NULL;
    if (shows_lines(self))
      return regard_lines_pane_locate(REGARD_LINES_PANE(self->lines), cell.row, cell.col, rect);
    return regard_heatmap_get_seen_rect(REGARD_HEATMAP(self->heatmap), cell.row, cell.col, rect)
               ? self->heatmap
               : NULL;
  case REGARD_VIEW_PLACE_RECEIVED:
    return !shows_lines(self) &&
                   regard_heatmap_get_received_rect(REGARD_HEATMAP(self->heatmap), rect)
               ? self->heatmap
               : NULL;
  case REGARD_VIEW_PLACE_PICTURE:
    break;
  }
  return NULL;
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
build_heads(RegardViewAttention *self)
{
  const char *const items[] = {_("One head"),
                               _("Mean of the layer"),
                               _("Maximum of the layer"),
                               _("Mean of chosen heads"),
                               _("Chosen heads side by side"),
                               NULL};
  GtkWidget *scroller = gtk_scrolled_window_new(), *row;

  static const char *const kinds[] = {N_("Encoder"), N_("Cross"), N_("Decoder")};
  static const char *const tips[] = {
      N_("Words of the source look at each other (1)"),
      N_("Words of the translation look at the source (2)"),
      N_("Words of the translation look at those before them (3)"),
  };
  const char *names[MT_N_KINDS], *tooltips[MT_N_KINDS];

  self->heads_pane = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  for (guint i = 0; i < MT_N_KINDS; i++) {
    names[i] = _(kinds[i]);
    tooltips[i] = _(tips[i]);
  }
  self->kinds = regard_view_new_switch(names, tooltips, MT_N_KINDS, 1, self->kind_buttons,
                                       G_CALLBACK(on_user_kind), self);
  gtk_widget_set_name(self->kinds, "kinds");
  gtk_widget_add_css_class(self->kinds, "regard-kinds");
  regard_accessible_set_label(self->kinds, _("Whose heads are shown"));
  gtk_widget_set_visible(self->kinds, FALSE);
  gtk_box_append(GTK_BOX(self->heads_pane), self->kinds);
  self->heads = regard_heads_new();
  gtk_widget_set_name(self->heads, "heads-grid");
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->heads);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_box_append(GTK_BOX(self->heads_pane), scroller);

  row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_add_css_class(row, "regard-combine");
  self->combine = gtk_drop_down_new_from_strings(items);
  gtk_widget_set_valign(self->combine,
                        GTK_ALIGN_CENTER); /* the hint beside it may have two lines */
  gtk_widget_set_name(self->combine, "combine");
  regard_widget_set_name(self->combine,
                         _("What the large picture is of: one head, or several together"));
  g_signal_connect_swapped(self->combine, "notify::selected", G_CALLBACK(on_user_combine), self);
  self->formula = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "regard-formula");
  gtk_widget_set_hexpand(self->formula, TRUE);
  regard_box_append(row, self->combine, self->formula, NULL);
  self->clear = gtk_button_new_from_icon_name("edit-clear-symbolic");
  gtk_widget_set_name(self->clear, "combine");
  regard_widget_set_name(self->clear, _("Choose none"));
  gtk_widget_add_css_class(self->clear, "flat");
  gtk_widget_set_valign(self->clear, GTK_ALIGN_CENTER);
  gtk_widget_set_visible(self->clear, FALSE);
  g_signal_connect_swapped(self->clear, "clicked", G_CALLBACK(on_user_clear), self);
  gtk_box_append(GTK_BOX(row), self->clear);
  gtk_box_append(GTK_BOX(self->heads_pane), row);
  self->effects = regard_ablation_bar_new();
  gtk_box_append(GTK_BOX(self->heads_pane), self->effects);
  return self->heads_pane;
}

static GtkWidget *
build_picture(RegardViewAttention *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *heading = regard_wrap_new(8);

  gtk_widget_add_css_class(box, "regard-picture");
  self->title = regard_view_new_title(NULL);
  gtk_label_set_ellipsize(GTK_LABEL(self->title), PANGO_ELLIPSIZE_END);
  self->place = regard_label_new(NULL, 0, "regard-place");
  self->badges = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
  self->heatmap = regard_heatmap_new();
  gtk_widget_set_name(self->heatmap, "matrix");
  self->show = regard_show_bar_new(REGARD_HEATMAP(self->heatmap));
  regard_box_append(heading, regard_show_bar_get_menu(REGARD_SHOW_BAR(self->show)), self->title,
                    self->place, self->badges, NULL);
  gtk_box_append(GTK_BOX(box), heading);
  regard_heatmap_add_menu(REGARD_HEATMAP(self->heatmap));
  self->weights = regard_weight_bar_new(REGARD_HEATMAP(self->heatmap));
  regard_dials_leave_out(self->weights);
  regard_wrap_append(heading, self->weights);
  regard_box_append(box, regard_weight_bar_get_line(REGARD_WEIGHT_BAR(self->weights)), self->show,
                    NULL);
  self->form = regard_form_switch_new();
  gtk_widget_set_hexpand(self->form, TRUE);
  gtk_widget_set_halign(self->form, GTK_ALIGN_END);
  regard_wrap_append(heading, self->form);
  regard_wrap_append(heading, regard_view_new_help(REGARD_VIEW(self)));
  g_signal_connect_swapped(self->heatmap, "hover-changed", G_CALLBACK(on_user_hover), self);
  g_signal_connect_swapped(self->heatmap, "pin-changed", G_CALLBACK(on_user_pin), self);
  g_signal_connect_swapped(self->heatmap, "sum-wanted", G_CALLBACK(on_user_sum), self);
  self->side_by_side = regard_side_by_side_new();
  gtk_widget_set_name(self->side_by_side, "side-by-side");
  self->pictures = gtk_stack_new();
  gtk_stack_add_child(GTK_STACK(self->pictures), self->heatmap);
  self->lines = regard_lines_pane_new();
  gtk_stack_add_child(GTK_STACK(self->pictures), self->side_by_side);
  gtk_stack_add_child(GTK_STACK(self->pictures), self->lines);
  gtk_box_append(GTK_BOX(box), self->pictures);
  gtk_box_append(GTK_BOX(box), regard_view_new_status(REGARD_VIEW(self)));
  self->bar = regard_step_bar_new(TRUE);
  regard_dials_leave_out(self->bar);
  gtk_box_append(GTK_BOX(box), self->bar);
  self->controls = regard_controls_new(); /* the selection's, as the form is */
  regard_dials_leave_out(self->controls);
  gtk_box_append(GTK_BOX(box), self->controls);
  return box;
}

static void
get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  RegardViewAttention *self = REGARD_VIEW_ATTENTION(object);

  switch (id) {
  case PROP_SHOW_HEADS:
    g_value_set_boolean(value, gtk_widget_get_visible(self->heads_pane));
    break;
  case PROP_SHOW_PANEL:
    g_value_set_boolean(value, gtk_widget_get_visible(self->panel));
    break;
  case PROP_SHOW_CONTROLS:
    g_value_set_boolean(value, gtk_widget_get_visible(self->controls));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  RegardViewAttention *self = REGARD_VIEW_ATTENTION(object);
  gboolean visible = g_value_get_boolean(value);
  GtkWidget *pane;

  switch (id) {
  case PROP_SHOW_HEADS:
    pane = self->heads_pane;
    break;
  case PROP_SHOW_PANEL:
    pane = self->panel;
    break;
  case PROP_SHOW_CONTROLS:
    pane = self->controls;
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    return;
  }
  if (visible == gtk_widget_get_visible(pane))
    return;
  gtk_widget_set_visible(pane, visible);
  g_object_notify_by_pspec(object, pspec);
}

static void
regard_view_attention_class_init(RegardViewAttentionClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  const GParamFlags rw = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = get_property;
  object_class->set_property = set_property;
  view_class->set_selection = set_selection;
  view_class->describe = describe;
  view_class->summarize = summarize;
  view_class->explain = explain;
  for (guint i = 0; i < REGARD_N_SCOPES; i++)
    pictures[i < REGARD_SCOPE_CHOSEN ? i : PICTURE_CHOSEN] = regard_scopes[i];
  view_class->pictures = pictures;
  view_class->n_pictures = N_PICTURES;
  view_class->has_picture = has_picture;
  view_class->get_first = get_first;
  view_class->name_choice = name_choice;
  view_class->new_figure = new_figure;
  view_class->handle_key = handle_key;
  view_class->get_picture = get_picture;
  view_class->locate = locate;

  props[PROP_SHOW_HEADS] = g_param_spec_boolean("show-heads", NULL, NULL, TRUE, rw);
  props[PROP_SHOW_PANEL] = g_param_spec_boolean("show-panel", NULL, NULL, TRUE, rw);
  props[PROP_SHOW_CONTROLS] = g_param_spec_boolean("show-controls", NULL, NULL, TRUE, rw);
  g_object_class_install_properties(object_class, N_PROPS, props);
  gtk_widget_class_set_css_name(widget_class, "attentionview");
}

static void
regard_view_attention_init(RegardViewAttention *self)
{
  GtkWidget *heads = build_heads(self), *picture = build_picture(self);

  self->panel = regard_cell_panel_new();
  gtk_widget_set_parent(panes_new(heads, picture, self->panel, self->heads), GTK_WIDGET(self));
}
