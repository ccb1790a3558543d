/* regard-view-positions.c — the positional encodings: the table, its similarity, one pair of
 * dimensions as waves, the linear map that shifts it (the paper, section 3.5), and the bench, on
 * which each token is given another one. Of relative positions: what heads add by distance, and the
 * bench.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shows the model's whole table where the selection has a model, else what the capture kept. The
 * sentence's positions are marked and carry its tokens. Nothing is computed while the page is not
 * on screen.
 */
#include "figures/regard-language.h"
#include "figures/regard-matrix-positions.h"
#include "figures/regard-relative.h"
#include "views/regard-view.h"
#include "widgets/regard-colorbar.h"
#include "widgets/regard-dials.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-position-editor.h"
#include "widgets/regard-wrap-layout.h"

#define REGARD_TYPE_VIEW_POSITIONS (regard_view_positions_get_type())
G_DECLARE_FINAL_TYPE(RegardViewPositions, regard_view_positions, REGARD, VIEW_POSITIONS, RegardView)

/* The pictures of a table, that of relative positions, and the bench. */
typedef RegardPositionsPicture Page;
#define BIAS    REGARD_N_POSITIONS
#define BENCH   (REGARD_N_POSITIONS + 1)
#define N_PAGES (REGARD_N_POSITIONS + 2)

/* Of the buttons that show the pages. */
static const char *const page_buttons[N_PAGES] = {N_("Table"), N_("Similarity"), N_("Waves"),
                                                  N_("Shift"), N_("Distance"),   N_("Bench")};

static const char *const page_tooltips[N_PAGES] = {
    N_("What is added to the token at each position"),
    N_("How much alike the rows of two positions are"),
    N_("Two columns of the table as curves"),
    N_("The one matrix that moves every position by k"),
    N_("What each head adds to its scores, by distance"),
    N_("Move the encodings between the words of your sentence"),
};

/* By which help knows what is shown. */
static const char *const page_names[N_PAGES] = {"positions/table",    "positions/similarity",
                                                "positions/waves",    "positions/shift",
                                                "positions/distance", "positions/bench"};

static const RegardPicture bias_picture = {"bias", N_("Bias by distance")};
static const RegardPicture bench_picture = {"bench", N_("Encodings of the tokens")};

#define DEFAULT_POSITIONS 64
#define WAVES_WIDTH       320
#define BIAS_WIDTH        320
#define LEAST_HEIGHT      150 /* of bench and picture, px; the rest is scrolled to */

/* Encodings are sines: a square root or a logarithm would draw other waves. */
#define POSITIONS_SCALE REGARD_SCALE_LINEAR

struct _RegardViewPositions {
  RegardView parent_instance;

  Page page;

  GtkWidget *buttons[N_PAGES];
  GtkWidget *stack_choice, *n_box, *n_positions, *pair_box, *pair, *k_box, *k;
  GtkWidget *title, *note, *pages_stack, *heatmap, *waves, *bias, *colorbar, *status;
  GtkWidget *bench;
};

G_DEFINE_FINAL_TYPE(RegardViewPositions, regard_view_positions, REGARD_TYPE_VIEW)

static RegardPicture pictures[N_PAGES];

/* ---- What there is to show ------------------------------------------------------------------- */

typedef struct {
  const mt_capture *capture; /* or NULL */
  const mt_model *model;     /* whose positions they are; NULL: the capture's */
  mt_stack stack;
  mt_matrix table;         /* data NULL: none */
  const mt_tokens *tokens; /* of the sentence, or NULL */
  guint n_tokens;
  mt_position_kind kind;
  guint d_model;
  const char *model_name;
  gboolean is_file;    /* a capture from elsewhere: what it does not have no model adds */
  gboolean has_choice; /* of the stack */
} Source;

/* Whether a capture has positions of a stack, of any kind. */
static gboolean
has_positions(const mt_capture *capture, mt_stack stack)
{
  const mt_attention_kind kind = stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF;

  return mt_capture_positions(capture, stack).data ||
         (mt_capture_n_layers(capture, kind) > 0 &&
          mt_capture_score_bias(capture, kind, 0, 0).data);
}

/* What a capture from elsewhere has may be the positions of one stack only. */
static mt_stack
choose_stack(RegardViewPositions *self, const mt_capture *file, gboolean *has_choice)
{
  guint chosen = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->stack_choice));
  mt_stack stack = chosen == 1 ? MT_STACK_DECODER : MT_STACK_ENCODER;
  mt_stack other = chosen == 1 ? MT_STACK_ENCODER : MT_STACK_DECODER;

  *has_choice = !file || (has_positions(file, stack) && has_positions(file, other));
  return !*has_choice && has_positions(file, other) ? other : stack;
}

static void
get_source(RegardViewPositions *self, Source *source)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  mt_capture *capture = s ? regard_selection_get_capture(s) : NULL;
  mt_model *shown = s ? regard_selection_get_pass_model(s) : NULL; /* of A, perhaps another one */
  mt_model *model = shown ? shown : s ? regard_selection_get_model(s) : NULL;

  *source = (Source){.capture = capture};
  source->is_file = capture && *mt_capture_file_name(capture);
  source->stack = choose_stack(self, source->is_file ? capture : NULL, &source->has_choice);
  if (capture) {
    source->tokens = source->stack == MT_STACK_ENCODER ? mt_capture_source(capture)
                                                       : mt_capture_decoder_input(capture);
    source->n_tokens = source->tokens ? mt_tokens_count(source->tokens) : 0;
    source->table = mt_capture_positions(capture, source->stack);
    source->kind = mt_capture_position_kind(capture);
    source->model_name =
        source->is_file ? mt_capture_file_name(capture) : mt_capture_model_name(capture);
  }
  if (model && !source->is_file) {
    source->model = model;
    source->table = mt_model_positions(model, source->stack);
    source->kind = mt_model_config(model)->position_kind;
    source->model_name = mt_model_name(model);
  }
  source->d_model = source->table.data ? source->table.cols : 0;
}

static gboolean
is_relative(const Source *source)
{
  return source->kind == MT_POSITIONS_RELATIVE;
}

/* What heads add by distance; NULL: they do not, or nobody knows. */
static RegardMatrix *
get_bias(RegardViewPositions *self, const Source *source)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  const guint layer = s ? regard_selection_get_layer(s) : 0;
  const guint n = gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(self->n_positions));

  if (!is_relative(source))
    return NULL;
  return source->model ? regard_matrix_new_relative(source->model, source->stack, layer,
                                                    MAX(n, source->n_tokens))
                       : regard_matrix_new_relative_of(source->capture, source->stack, layer);
}

/* Whether there is anything to see. */
static gboolean
has_source(const Source *source)
{
  return is_relative(source) ? source->model || has_positions(source->capture, source->stack)
                             : source->table.data && source->d_model >= 2;
}

/* Whether a page means something for positions of this kind. */
static gboolean
has_page(const Source *source, Page page)
{
  return page == BENCH || (page == BIAS) == is_relative(source);
}

/* What was added to each token of the sentence, after all changes; of B − A what B has more. NULL:
 * there is no sentence. */
static RegardMatrix *
get_added(const Source *source)
{
  const mt_capture *a = source->capture ? mt_capture_difference_a(source->capture) : NULL;
  const mt_capture *b = a ? mt_capture_difference_b(source->capture) : source->capture;
  mt_matrix added = b ? mt_capture_positions(b, source->stack) : (mt_matrix){0};
  const mt_matrix before = a ? mt_capture_positions(a, source->stack) : (mt_matrix){0};
  g_autofree float *more = NULL;

  if (!added.data || added.cols < 2)
    return NULL;
  if (a && before.rows == added.rows && before.cols == added.cols) {
    more = g_new(float, added.rows *added.cols);
    for (gsize r = 0; r < added.rows; r++)
      for (gsize c = 0; c < added.cols; c++)
        more[r * added.cols + c] = mt_matrix_at(&added, r, c) - mt_matrix_at(&before, r, c);
    added.data = more;
    added.stride = added.cols;
  }
  return regard_matrix_new_positions(added, (guint) added.rows, source->kind, source->tokens,
                                     source->model_name);
}

/* Positions shown: as asked for, but the whole sentence, and no more than there are. */
static guint
count_positions(RegardViewPositions *self, const Source *source)
{
  guint n = gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(self->n_positions));

  return MIN(MAX(n, source->n_tokens), source->table.rows);
}

static guint
get_pair_number(RegardViewPositions *self, const Source *source)
{
  guint pair = gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(self->pair));

  return MIN(pair, source->d_model / 2 - 1);
}

/* What pictures are made of; FALSE if there is nothing. */
static gboolean
get_positions(RegardViewPositions *self, const Source *source, RegardPositions *positions)
{
  if (!source->table.data || source->d_model < 2)
    return FALSE;
  *positions = (RegardPositions){
      .table = source->table,
      .kind = source->kind,
      .tokens = source->tokens,
      .model_name = source->model_name,
      .n = count_positions(self, source),
      .pair = get_pair_number(self, source),
      .k = gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(self->k)),
  };
  return TRUE;
}

static const RegardPicture *
picture_of(Page page)
{
  return page == BENCH  ? &bench_picture
         : page == BIAS ? &bias_picture
                        : &regard_positions_pictures[page];
}

/* ---- Showing it ------------------------------------------------------------------------------ */

/* One sentence below the title: what is seen, and what to look for. */
static char *
describe_page(RegardViewPositions *self, const Source *source)
{
  int k = gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(self->k));
  double omega = source->d_model >= 2 ? regard_positions_omega(source->kind, source->d_model,
                                                               get_pair_number(self, source))
                                      : 1;

  switch ((guint) self->page) {
  case REGARD_POSITIONS_TABLE:
    return g_strdup(source->kind == MT_POSITIONS_LEARNED
                        ? _("Learned: one row of numbers for each position, added to its token.")
                        : _("One row for each position, added to its token. Each column is a wave; "
                            "the sentence is marked at the left."));
  case REGARD_POSITIONS_SIMILARITY:
    return g_strdup(source->kind == MT_POSITIONS_LEARNED
                        ? _("Dot product of the encodings of two positions.")
                        : _("Dot product of the encodings of two positions: it depends on their "
                            "distance only."));
  case REGARD_POSITIONS_PAIR:
    if (source->kind == MT_POSITIONS_LEARNED)
      return g_strdup(_("Two columns of the learned table, over the positions."));
    return regard_strdup_printf(
        _("A sine and a cosine of wavelength %.4g positions; each step turns the "
          "pair by %.3g°."),
        2 * G_PI / omega, omega * 180 / G_PI);
  case BIAS:
    return g_strdup(
        _("Relative: nothing is added to tokens. Each head adds a number to its scores, "
          "by the distance of the key from the query; marks say where a bucket of "
          "distances ends."));
  case BENCH:
    if (is_relative(source))
      return g_strdup(_("Where each token is counted from. Drag one onto another: they exchange "
                        "their places. Delete: off; + and −: shift; Space: mark."));
    return g_strdup(source->capture && mt_capture_difference_a(source->capture)
                        ? _("What is added to each token in B, minus what is added in A.")
                        : _("What is added to each token. Drag one onto another: they exchange "
                            "their encodings. Delete: off; + and −: shift; Space: mark."));
  default:
    return g_strdup_printf(_("PE(p + %d) = M · PE(p) at every p: a rotation in each pair of "
                             "dimensions, so a fixed distance is one linear map."),
                           k);
  }
}

/* The pair of dimensions, and the position of it that is pointed at. */
static void
show_waves(RegardViewPositions *self)
{
  RegardFigureArea *area = REGARD_FIGURE_AREA(self->waves);
  const RegardSpot *spot = regard_figure_area_get_spot(area);
  RegardFigureStyle style = regard_view_get_style(REGARD_VIEW(self), area);
  RegardPositions positions;
  Source source;

  get_source(self, &source);
  if (get_positions(self, &source, &positions))
    regard_figure_area_set_figure(area, regard_positions_new_waves(&positions,
                                                                   spot ? spot->row : -1, &style));
}

/* The head that is looked at has its name in bold, on the pages of its stack. */
static RegardFigure *
new_bias(RegardViewPositions *self, const Source *source, const RegardFigureStyle *style)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  const mt_attention_kind kind = s ? regard_selection_get_kind(s) : MT_CROSS;
  const gboolean is_shown =
      kind == (source->stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF);
  const RegardRelativeOptions look = {.head = is_shown ? (int) regard_selection_get_head(s) : -1};
  g_autoptr(RegardMatrix) matrix = get_bias(self, source);

  return matrix ? regard_figure_new_relative(matrix, &look, style) : NULL;
}

/* The page's figure, where it is not a heatmap; else NULL. */
static RegardFigureArea *
area_of(RegardViewPositions *self)
{
  return self->page == REGARD_POSITIONS_PAIR ? REGARD_FIGURE_AREA(self->waves)
         : self->page == BIAS                ? REGARD_FIGURE_AREA(self->bias)
                                             : NULL;
}

static char *
describe(RegardView *view)
{
  RegardViewPositions *self = REGARD_VIEW_POSITIONS(view);
  RegardHeatmap *heatmap = REGARD_HEATMAP(self->heatmap);
  RegardMatrix *m = regard_heatmap_get_matrix(heatmap);
  int row, col;

  if (area_of(self))
    return regard_view_describe_spot(area_of(self));
  regard_heatmap_get_hover(heatmap, &row, &col);
  if (row < 0 && col < 0)
    regard_heatmap_get_pin(heatmap, &row, &col);
  return m && row >= 0 && col >= 0 ? regard_matrix_describe_cell(m, row, col) : NULL;
}

/* For each picture what it shows, and what it is. */
static const struct {
  const char *shows, *explains;
} said[N_PAGES] = {
    [REGARD_POSITIONS_TABLE] =
        {N_("Each row is the encoding of one place: the numbers that are added to the word there"),
         N_("Attention alone does not know in which order words stand. So every place of the "
            "sentence has a row of numbers of its own, which is added to the word that stands "
            "there. "
            "In the table of the paper some columns change quickly from place to place and others "
            "slowly, as the hands of a clock do.")},
    [REGARD_POSITIONS_SIMILARITY] =
        {N_("How alike the encodings of two places are; the diagonal is a place with itself"),
         N_("Each cell compares two rows of the table by their cosine: 1 is the same direction. "
            "Where neighbours are alike and distant places are not, attention can tell near from "
            "far.")},
    [REGARD_POSITIONS_PAIR] =
        {N_("One pair of numbers along the sentence: a sine and a cosine, a quarter apart"),
         N_("The table is made of such pairs, each with a wave of another length. One wave alone "
            "says the same at many places; all of them together are different at every place.")},
    [REGARD_POSITIONS_SHIFT] =
        {N_("The map that leads from the encoding of a place to the one k places on"),
         N_("For sines and cosines this map is the same wherever one begins: it turns each pair by "
            "the same angle. That is why a head can learn to look “one word back” at every place "
            "alike.")},
    [BIAS] = {N_("What each head adds to its scores for words that are so far apart"),
              N_("This model adds nothing to the words: it adds a number to the score of two words "
                 "that depends on how far apart they are. Where that number is large, the head "
                 "looks that far and that way, whatever the words are.")},
    [BENCH] =
        {N_("The numbers that are added to each word of the sentence, as you set them"),
         N_("Switch encodings off, move them, or give a word the place of another one, and "
            "the translation follows. What changes then depended on the order, and what stays "
            "did not.")},
};

static char *
summarize(RegardView *view)
{
  return g_strdup(_(said[REGARD_VIEW_POSITIONS(view)->page].shows));
}

static char *
explain(RegardView *view)
{
  return g_strdup(_(said[REGARD_VIEW_POSITIONS(view)->page].explains));
}

static void
show_heatmap(RegardViewPositions *self, RegardMatrix *m, const Source *source)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  const RegardColormap *colormap =
      m->diverging ? regard_colormap_default_diverging() : regard_selection_get_colormap(s);
  /* It is this page's own. */
  for (guint i = 0; regard_selection_get_simple(s) && i < m->rows; i++)
    regard_plain_text(&m->row_labels[i].text);
  for (guint i = 0; regard_selection_get_simple(s) && i < m->cols; i++)
    regard_plain_text(&m->col_labels[i].text);
  regard_heatmap_set_matrix(REGARD_HEATMAP(self->heatmap), m);
  regard_heatmap_set_colors(REGARD_HEATMAP(self->heatmap), POSITIONS_SCALE, colormap);
  regard_heatmap_set_marked(REGARD_HEATMAP(self->heatmap),
                            self->page == REGARD_POSITIONS_SHIFT || self->page == BENCH
                                ? 0
                                : source->n_tokens,
                            self->page == REGARD_POSITIONS_SIMILARITY);
  regard_colorbar_set(REGARD_COLORBAR(self->colorbar), colormap, POSITIONS_SCALE, m->lo, m->hi);
}

static void
show_message(RegardViewPositions *self, const char *text)
{
  regard_heatmap_set_matrix(REGARD_HEATMAP(self->heatmap), NULL);
  regard_view_show_message(REGARD_VIEW(self), text);
}

/* What the decoder writes is a translation, or not. */
static void
name_stacks(RegardViewPositions *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  GtkDropDown *choice = GTK_DROP_DOWN(self->stack_choice);
  GtkStringList *names = GTK_STRING_LIST(gtk_drop_down_get_model(choice));
  const char *name =
      _(regard_naming_stack_title(s ? regard_selection_get_capture(s) : NULL, MT_STACK_DECODER));
  guint selected = gtk_drop_down_get_selected(choice);

  if (g_str_equal(gtk_string_list_get_string(names, 1), name))
    return;
  g_signal_handlers_block_by_func(choice, regard_view_load, self);
  gtk_string_list_splice(names, 1, 1, (const char *const[]){name, NULL});
  gtk_drop_down_set_selected(choice, selected);
  g_signal_handlers_unblock_by_func(choice, regard_view_load, self);
}

/* What can be chosen on this page; nothing where there is nothing to see. */
static void
show_switches(RegardViewPositions *self, const Source *source)
{
  gboolean waves = self->page == REGARD_POSITIONS_PAIR,
           shift = self->page == REGARD_POSITIONS_SHIFT;
  gboolean has_table = has_source(source);

  for (Page page = 0; page < N_PAGES; page++)
    gtk_widget_set_visible(self->buttons[page], has_page(source, page));
  gtk_widget_set_visible(self->n_box, has_table && !shift && self->page != BENCH);
  gtk_widget_set_visible(self->bench, has_table && self->page == BENCH);
  gtk_widget_set_visible(self->pair_box, has_table && waves);
  gtk_widget_set_visible(self->k_box, has_table && shift);
  /* The map is the same for both stacks. */
  gtk_widget_set_visible(self->stack_choice, has_table && source->has_choice && !shift);
  gtk_widget_set_visible(self->colorbar, has_table && !area_of(self) && !is_relative(source));
  gtk_widget_set_visible(self->status, has_table);
}

static void set_page(RegardViewPositions *self, Page page);

static void
load(RegardView *view, gboolean is_seen)
{
  RegardViewPositions *self = REGARD_VIEW_POSITIONS(view);
  g_autoptr(RegardMatrix) m = NULL;
  gboolean waves = self->page == REGARD_POSITIONS_PAIR,
           shift = self->page == REGARD_POSITIONS_SHIFT;
  RegardPositions positions;
  Source source;

  if (!is_seen)
    return;
  name_stacks(self);
  get_source(self, &source);
  if (!has_page(&source, self->page)) { /* it shows another model, with positions of another kind */
    set_page(self, is_relative(&source) ? BIAS : REGARD_POSITIONS_TABLE);
    return;
  }
  if (source.d_model >= 2)
    gtk_spin_button_set_range(GTK_SPIN_BUTTON(self->pair), 0, source.d_model / 2 - 1);
  show_switches(self, &source);
  gtk_widget_set_name(self->pages_stack, page_names[self->page]);

  g_autofree char *note = describe_page(self, &source);
  regard_position_editor_set_stack(REGARD_POSITION_EDITOR(self->bench), source.stack);
  gtk_label_set_text(GTK_LABEL(self->title), _(picture_of(self->page)->name));
  gtk_widget_set_visible(self->title, self->page != BENCH); /* the room is for the tokens */
  gtk_label_set_text(GTK_LABEL(self->note), has_source(&source) ? note : "");
  if (!waves) /* it would be as high as it was */
    regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->waves), NULL);
  if (self->page != BIAS)
    regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->bias), NULL);
  if (!has_source(&source))
    show_message(self, source.is_file ? _("This file has no positions in it.")
                                      : _("Positions appear here with the first translation."));
  else if (shift && source.kind == MT_POSITIONS_LEARNED)
    show_message(self, _("This model learned its positions. That a shift is one linear map is a "
                         "property of sinusoids; a learned table has no such map."));
  else if (self->page == BIAS) {
    RegardFigureStyle style = regard_view_get_style(view, area_of(self));

    regard_figure_area_set_figure(area_of(self), new_bias(self, &source, &style));
    gtk_stack_set_visible_child(GTK_STACK(self->pages_stack), self->bias);
  } else if (self->page == BENCH && is_relative(&source))
    show_message(self, _("No encoding is added to a token, so there is none to show: what a move "
                         "does can be seen in the scores, in weights and in what is said."));
  else if (self->page == BENCH) {
    if ((m = get_added(&source))) {
      show_heatmap(self, m, &source);
      gtk_stack_set_visible_child(GTK_STACK(self->pages_stack), self->heatmap);
    } else
      show_message(self, _("The encodings of a sentence appear here with its translation."));
  } else if (waves) {
    show_waves(self);
    gtk_stack_set_visible_child(GTK_STACK(self->pages_stack), self->waves);
  } else if (get_positions(self, &source, &positions) &&
             (m = regard_positions_matrix(&positions, self->page))) {
    show_heatmap(self, m, &source);
    gtk_stack_set_visible_child(GTK_STACK(self->pages_stack), self->heatmap);
  } else
    show_message(self, _("There is nothing to show here for this model."));
  regard_view_show_status(REGARD_VIEW(self));
}

static void
set_page(RegardViewPositions *self, Page page)
{
  if (page == self->page)
    return;
  self->page = page;
  for (Page i = 0; i < N_PAGES; i++)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->buttons[i]), i == page);
  regard_view_load(REGARD_VIEW(self));
}

static void
on_page_toggled(RegardViewPositions *self, GtkToggleButton *button)
{
  for (Page i = 0; i < N_PAGES; i++)
    if (self->buttons[i] == GTK_WIDGET(button) && gtk_toggle_button_get_active(button))
      set_page(self, i);
}

/* ---- Hovering, in both directions ------------------------------------------------------------ */

static void
on_user_hover(RegardViewPositions *self, int row, int col)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  Source source;

  regard_view_show_status(REGARD_VIEW(self));
  if (!s || self->page == REGARD_POSITIONS_SHIFT)
    return;
  get_source(self, &source);
  if (row >= (int) source.n_tokens)
    row = -1;
  if (source.stack == MT_STACK_ENCODER)
    regard_selection_hover_source(s, row);
  else
    regard_selection_hover_target(s, row - regard_naming_input_shift(source.capture));
}

static void
on_selection_hover(RegardViewPositions *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  int row, col, lit;
  Source source;

  if (self->page == REGARD_POSITIONS_SHIFT || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  regard_heatmap_get_hover(REGARD_HEATMAP(self->heatmap), &row, &col);
  if (col >= 0) /* the pointer is here, and knows better */
    return;
  get_source(self, &source);
  lit = source.stack == MT_STACK_ENCODER ? regard_selection_get_lit_source(s)
                                         : regard_selection_get_lit_target(s);
  if (lit >= 0 && source.stack == MT_STACK_DECODER)
    lit += regard_naming_input_shift(source.capture);
  regard_heatmap_set_hover(REGARD_HEATMAP(self->heatmap), lit, -1);
}

/* The head that is looked at is told apart, and layers may have curves of their own. */
static void
on_place(RegardViewPositions *self)
{
  if (self->page == BIAS)
    regard_view_load(REGARD_VIEW(self));
}

/* ---- RegardView ------------------------------------------------------------------------------ */

static void
set_selection(RegardView *view, RegardSelection *s)
{
  RegardViewPositions *self = REGARD_VIEW_POSITIONS(view);

  regard_connect(s, "notify::capture", G_CALLBACK(regard_view_load), self);
  regard_position_editor_set_selection(REGARD_POSITION_EDITOR(self->bench), s);
  regard_connect(s, "notify::model-name", G_CALLBACK(regard_view_load), self);
  regard_connect(s, "notify::layer", G_CALLBACK(on_place), self);
  regard_connect(s, "notify::head", G_CALLBACK(on_place), self);
  regard_connect(s, "notify::kind", G_CALLBACK(on_place), self);
  regard_connect(s, "style-changed", G_CALLBACK(regard_view_load), self);
  regard_connect(s, "notify::simple", G_CALLBACK(regard_view_load), self);
  regard_connect(s, "hover-changed", G_CALLBACK(on_selection_hover), self);
  regard_view_load(REGARD_VIEW(self));
}

static gboolean
has_picture(RegardView *view, guint page)
{
  Source source;

  get_source(REGARD_VIEW_POSITIONS(view), &source);
  if (!has_source(&source) || !has_page(&source, page) || (page == BENCH && is_relative(&source)))
    return FALSE;
  return page == BENCH ? source.n_tokens > 0
                       : page != REGARD_POSITIONS_SHIFT || source.kind != MT_POSITIONS_LEARNED;
}

static guint
get_first(RegardView *view)
{
  return REGARD_VIEW_POSITIONS(view)->page;
}

static RegardFigure *
new_figure(RegardView *view, guint page, RegardFigureStyle *style)
{
  RegardViewPositions *self = REGARD_VIEW_POSITIONS(view);
  RegardPositions positions;
  Source source;

  get_source(self, &source);
  if (page == BIAS)
    return new_bias(self, &source, style);
  if (!get_positions(self, &source, &positions))
    return NULL;
  style->scale = POSITIONS_SCALE;
  if (page == self->page && page != REGARD_POSITIONS_PAIR)
    regard_heatmap_get_pin(REGARD_HEATMAP(self->heatmap), &style->pinned_row, &style->pinned_col);
  if (page == BENCH) {
    g_autoptr(RegardMatrix) added = get_added(&source);

    return added ? regard_figure_new_matrix(added, style) : NULL;
  }
  return regard_positions_figure(&positions, page, style);
}

static gboolean
handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  RegardViewPositions *self = REGARD_VIEW_POSITIONS(view);

  if (!(state & (GDK_CONTROL_MASK | GDK_ALT_MASK))) {
    if (keyval == GDK_KEY_Page_Down || keyval == GDK_KEY_Page_Up) {
      const int step = keyval == GDK_KEY_Page_Down ? 1 : -1;
      int page = (int) self->page + step;
      Source source;

      get_source(self, &source);
      while (page >= 0 && page < (int) N_PAGES && !has_page(&source, (Page) page))
        page += step;
      if (page >= 0 && page < (int) N_PAGES)
        set_page(self, (Page) page);
      return TRUE;
    }
  }
  if (self->page == BENCH &&
      regard_position_editor_handle_key(REGARD_POSITION_EDITOR(self->bench), keyval, state))
    return TRUE;
  return area_of(self) ? regard_figure_area_handle_key(area_of(self), keyval, state)
                       : regard_heatmap_handle_key(REGARD_HEATMAP(self->heatmap), keyval, state);
}

/* The tokens that are given other places take keys as the picture does. */
static GtkWidget *
get_picture(RegardView *view)
{
  RegardViewPositions *self = REGARD_VIEW_POSITIONS(view);

  return self->page == BENCH ? self->bench : NULL;
}

/* ---- Parts and places ------------------------------------------------------------------------ */

/* In the order of the pages. */
static const char *const part_ids[N_PAGES] = {"table", "similarity", "waves",
                                              "shift", "distance",   "bench"};

static gboolean
show_part(RegardView *view, const char *part)
{
  RegardViewPositions *self = REGARD_VIEW_POSITIONS(view);
  Source source;

  get_source(self, &source);
  for (Page page = 0; part && page < N_PAGES; page++)
    if (g_str_equal(part_ids[page], part)) {
      if (!has_page(&source, page))
        return FALSE;
      set_page(self, page);
      return TRUE;
    }
  return !part;
}

static const char *
get_part(RegardView *view)
{
  return part_ids[REGARD_VIEW_POSITIONS(view)->page];
}

/* From 0; -1: any. A line is numbered from 1, or named by the token that stands there. FALSE: it is
 * not there. */
static gboolean
find_line(const RegardViewLine *line, const RegardLabel *labels, guint n, int *found)
{
  *found = (int) line->number - 1;
  for (guint i = 0; line->name && *found < 0 && i < n; i++)
    if (g_str_equal(regard_matrix_spoken(labels[i].text), line->name) ||
        (g_str_equal(line->name, "end") && g_str_equal(labels[i].text, "⏎")))
      *found = (int) i;
  return line->name ? *found >= 0 : *found < (int) n;
}

static GtkWidget *
locate(RegardView *view, const RegardViewPlace *place, graphene_rect_t *rect)
{
  RegardViewPositions *self = REGARD_VIEW_POSITIONS(view);
  RegardHeatmap *heatmap = REGARD_HEATMAP(self->heatmap);
  const RegardMatrix *m = regard_heatmap_get_matrix(heatmap);
  int row, col;

  return (place->type == REGARD_VIEW_PLACE_PICTURE || place->type == REGARD_VIEW_PLACE_CELL) && m &&
                 !area_of(self) && find_line(&place->row, m->row_labels, m->rows, &row) &&
                 find_line(&place->column, m->col_labels, m->cols, &col) &&
                 regard_heatmap_get_seen_rect(heatmap, row, col, rect)
             ? self->heatmap
             : NULL;
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
add_spin(RegardViewPositions *self, GtkWidget *row, const char *name, const char *tooltip, int lo,
         int hi, int value, GtkWidget **spin)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new(name);

  *spin = gtk_spin_button_new_with_range(lo, hi, 1);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(*spin), value);
  gtk_widget_add_css_class(label, "regard-name");
  regard_widget_explain(*spin, name, tooltip);
  g_signal_connect_swapped(*spin, "value-changed", G_CALLBACK(regard_view_load), self);
  regard_box_append(box, label, *spin, NULL);
  regard_wrap_append(row, box);
  return box;
}

static GtkWidget *
build_switches(RegardViewPositions *self)
{
  const char *const stacks[] = {_("Source"), _("Translation"), NULL};
  GtkWidget *row = regard_wrap_new(10), *linked, *settings = regard_wrap_new(10);
  const char *names[N_PAGES], *tooltips[N_PAGES];

  for (Page i = 0; i < N_PAGES; i++) {
    names[i] = _(page_buttons[i]);
    tooltips[i] = _(page_tooltips[i]);
  }
  linked = regard_view_new_switch(names, tooltips, N_PAGES, BENCH, self->buttons,
                                  G_CALLBACK(on_page_toggled), self);
  gtk_widget_set_name(linked, "positions-switch");
  regard_wrap_append(row, linked);

  self->stack_choice = gtk_drop_down_new_from_strings(stacks);
  regard_widget_explain(self->stack_choice, _("Whose positions"),
                        _("Of which text: the source, which the encoder reads, or the translation, "
                          "which the decoder writes"));
  g_signal_connect_swapped(self->stack_choice, "notify::selected", G_CALLBACK(regard_view_load),
                           self);
  gtk_widget_set_name(settings, "positions-settings");
  gtk_widget_set_name(self->stack_choice, "positions-of");
  regard_wrap_append(settings, self->stack_choice);
  self->n_box = add_spin(self, settings, _("positions"), _("How many positions are shown"), 2, 512,
                         DEFAULT_POSITIONS, &self->n_positions);
  self->pair_box =
      add_spin(self, settings, _("pair"),
               _("Which sine and cosine: 0 is the quickest pair of waves"), 0, 1, 0, &self->pair);
  self->k_box = add_spin(self, settings, _("k"), _("How many positions further the matrix moves"),
                         1, 512, 1, &self->k);
  gtk_widget_set_name(self->n_box, "n-positions");
  gtk_widget_set_name(self->pair_box, "pair");
  gtk_widget_set_name(self->k_box, "shift");
  GtkWidget *help = regard_view_new_help(REGARD_VIEW(self));
  gtk_widget_set_hexpand(help, TRUE);
  gtk_widget_set_halign(help, GTK_ALIGN_END);
  regard_wrap_append(row, settings);
  regard_wrap_append(row, help);
  return row;
}

static GtkWidget *
new_label(const char *css_class)
{
  return regard_label_new(NULL, REGARD_LABEL_START, css_class);
}

/* The bench above the pictures; where there is no room for both they can be scrolled. */
static GtkWidget *
build_middle(RegardViewPositions *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);

  self->bench = regard_position_editor_new();
  regard_dials_leave_out(self->bench); /* of the changes */
  regard_box_append(box, self->bench, self->pages_stack, NULL);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(scroller), LEAST_HEIGHT);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), box);
  gtk_widget_set_vexpand(scroller, TRUE);
  return scroller;
}

static void
regard_view_positions_class_init(RegardViewPositionsClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);

  view_class->set_selection = set_selection;
  view_class->load = load;
  view_class->show = regard_view_load;
  view_class->describe = describe;
  view_class->summarize = summarize;
  view_class->explain = explain;
  view_class->pictures = pictures;
  view_class->n_pictures = N_PAGES;
  view_class->has_picture = has_picture;
  view_class->get_first = get_first;
  view_class->new_figure = new_figure;
  for (Page page = 0; page < N_PAGES; page++)
    pictures[page] = *picture_of(page);
  view_class->handle_key = handle_key;
  view_class->get_picture = get_picture;
  view_class->show_part = show_part;
  view_class->get_part = get_part;
  view_class->locate = locate;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "positionsview");
}

static void
regard_view_positions_init(RegardViewPositions *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6), *bottom;

  self->page = BENCH; /* one's own words, before a table of numbers */
  gtk_widget_add_css_class(box, "regard-picture");
  self->title = new_label("regard-title");
  self->note = new_label("regard-note");
  gtk_label_set_wrap(GTK_LABEL(self->note), TRUE);
  self->heatmap = regard_heatmap_new();
  self->waves =
      regard_view_new_part(REGARD_VIEW(self), WAVES_WIDTH, _("One pair of dimensions as waves"));
  g_signal_connect_swapped(self->waves, "spot-changed", G_CALLBACK(show_waves), self);
  self->bias = regard_view_new_part(REGARD_VIEW(self), BIAS_WIDTH,
                                    _("What each head adds to its scores, by distance"));
  self->pages_stack = regard_view_new_stack(REGARD_VIEW(self), self->heatmap);
  gtk_widget_set_vexpand_set(self->pages_stack, FALSE); /* as what it shows */
  gtk_stack_add_child(GTK_STACK(self->pages_stack), self->waves);
  gtk_stack_add_child(GTK_STACK(self->pages_stack), self->bias);
  g_signal_connect_swapped(self->heatmap, "hover-changed", G_CALLBACK(on_user_hover), self);
  g_signal_connect_swapped(self->heatmap, "pin-changed", G_CALLBACK(regard_view_show_status), self);

  bottom = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 16);
  self->colorbar = regard_colorbar_new();
  self->status = regard_view_new_status(REGARD_VIEW(self));
  gtk_widget_set_hexpand(self->status, TRUE);
  regard_box_append(bottom, self->colorbar, self->status, NULL);

  regard_box_append(box, build_switches(self), self->title, self->note, build_middle(self), bottom,
                    NULL);
  gtk_widget_set_parent(box, GTK_WIDGET(self));
}
