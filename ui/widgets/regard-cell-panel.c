/* regard-cell-panel.c — the numbers of what is pointed at: cards for the cell, its row, the head.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All labels exist from the start; pointing elsewhere sets texts and shows or hides lines.
 */
#include "widgets/regard-cell-panel.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-head-statistics.h"
#include "figures/regard-language.h"
#include "figures/regard-matrix.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-theme.h"

#include <gtk/gtk.h>
#include <math.h>

#define REGARD_TYPE_ROW_BARS (regard_row_bars_get_type())

G_DECLARE_FINAL_TYPE(RegardRowBars, regard_row_bars, REGARD, ROW_BARS, GtkWidget)

#define REGARD_N_ROW_BARS 6

static char *row_bars_get_text(RegardRowBars *self, gboolean is_exact);

/* ---- The largest weights of a row as bars, for the cell panel --------------------------- */

typedef struct {
  guint col;
  char *name;
  double value;
} Bar;

struct _RegardRowBars {
  GtkWidget parent_instance;

  Bar bars[REGARD_N_ROW_BARS];
  guint n;
  int lit;    /* column in bold, or -1 */
  double max; /* value of a full bar */
  RegardTheme theme;
  gboolean theme_valid;
};

G_DEFINE_FINAL_TYPE(RegardRowBars, regard_row_bars, GTK_TYPE_WIDGET)

static void
clear(RegardRowBars *self)
{
  for (guint i = 0; i < self->n; i++)
    g_clear_pointer(&self->bars[i].name, g_free);
  self->n = 0;
}

/* row -1 or matrix NULL empties it; col (or -1) is shown in bold, and always among the bars. */
static void
row_bars_set(RegardRowBars *self, const RegardMatrix *matrix, int row, int col)
{
  clear(self);
  self->lit = col;
  for (guint c = 0; matrix && row >= 0 && c < matrix->cols; c++) {
    double value = regard_matrix_get(matrix, row, c);
    guint at = self->n;

    if (regard_matrix_is_masked(matrix, row, c))
      continue;
    while (at > 0 && fabs(self->bars[at - 1].value) < fabs(value))
      at--;
    if (at == REGARD_N_ROW_BARS)
      continue;
    if (self->n < REGARD_N_ROW_BARS)
      self->n++;
    for (guint i = self->n - 1; i > at; i--)
      self->bars[i] = self->bars[i - 1];
    self->bars[at] = (Bar){.col = c, .value = value};
  }
  if (matrix && col >= 0 && self->n > 0 && !regard_matrix_is_masked(matrix, row, col)) {
    gboolean there = FALSE;

    for (guint i = 0; i < self->n; i++)
      there |= self->bars[i].col == (guint) col;
    if (!there) /* what is pointed at takes the last place */
      self->bars[self->n - 1] = (Bar){.col = col, .value = regard_matrix_get(matrix, row, col)};
  }
  for (guint i = 0; i < self->n; i++)
    self->bars[i].name = g_strdup(matrix->col_labels[self->bars[i].col].text);
  self->max = matrix && !matrix->diverging && matrix->hi > 0 ? matrix->hi
              : self->n > 0                                  ? MAX(fabs(self->bars[0].value), 1e-9)
                                                             : 1;
  g_autofree char *text = row_bars_get_text(self, FALSE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                 -1);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* A number as it is shown, or as another program takes it: all of it, with a point. Caller frees.
 */
G_GNUC_PRINTF(1, 0)
static char *
print_number(const char *shown, gboolean is_exact, double value)
{
  char *exact = is_exact ? regard_exact_copy(value) : NULL;

  return exact ? exact : regard_strdup_printf(shown, value);
}

/* "name<tab>value" lines; free with g_free. */
static char *
row_bars_get_text(RegardRowBars *self, gboolean is_exact)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < self->n; i++) {
    g_autofree char *number = print_number("%.3f", is_exact, self->bars[i].value);

    g_string_append_printf(text, "%s\t%s\n", self->bars[i].name, number);
  }
  return g_string_free(text, FALSE);
}

static double
line_height(GtkWidget *widget)
{
  return ceil(regard_theme_font_px(widget) * 1.45);
}

static void
row_bars_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                 int *natural, int *minimum_baseline, int *natural_baseline)
{
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = 140;
    *natural = 190;
  } else
    *minimum = *natural = line_height(widget) * REGARD_N_ROW_BARS;
}

static void
row_bars_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardRowBars *self = REGARD_ROW_BARS(widget);
  double width = gtk_widget_get_width(widget), line = line_height(widget);
  double px = regard_theme_font_px(widget), name_w, value_w, bar_w;

  if (!self->theme_valid)
    regard_theme_get(widget, &self->theme);
  self->theme_valid = TRUE;
  value_w = ceil(px * 2.9);
  name_w = floor(width * 0.38);
  bar_w = MAX(width - name_w - value_w - 12, 8);

  for (guint i = 0; i < self->n; i++) {
    const Bar *bar = &self->bars[i];
    g_autofree char *number = regard_strdup_printf("%.3f", bar->value);
    double y = i * line, length = fabs(bar->value) / self->max * bar_w;

    for (int part = 0; part < 2; part++) {
      g_autoptr(PangoLayout) layout =
          gtk_widget_create_pango_layout(widget, part == 0 ? bar->name : number);
      PangoFontDescription *font = pango_font_description_copy_static(
          pango_context_get_font_description(gtk_widget_get_pango_context(widget)));
      int w, h;

      pango_font_description_set_absolute_size(font, px * 0.92 * PANGO_SCALE);
      if ((int) bar->col == self->lit)
        pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
      pango_layout_set_font_description(layout, font);
      pango_font_description_free(font);
      if (part == 0) {
        pango_layout_set_width(layout, name_w * PANGO_SCALE);
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
        pango_layout_set_single_paragraph_mode(layout, TRUE);
      }
      pango_layout_get_pixel_size(layout, &w, &h);
      gtk_snapshot_save(snapshot);
      gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(part == 0 ? 0 : width - w,
                                                            floor(y + (line - h) / 2)));
      gtk_snapshot_append_layout(snapshot, layout, part == 0 ? &self->theme.fg : &self->theme.dim);
      gtk_snapshot_restore(snapshot);
    }
    gtk_snapshot_append_color(snapshot, &self->theme.accent,
                              &GRAPHENE_RECT_INIT(name_w + 6, floor(y + line / 2 - 4),
                                                  MAX(length, 1), 8));
  }
}

static void
row_bars_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_row_bars_parent_class)->css_changed(widget, change);
  REGARD_ROW_BARS(widget)->theme_valid = FALSE;
}

static void
row_bars_finalize(GObject *object)
{
  clear(REGARD_ROW_BARS(object));
  G_OBJECT_CLASS(regard_row_bars_parent_class)->finalize(object);
}

static void
regard_row_bars_class_init(RegardRowBarsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = row_bars_finalize;
  widget_class->measure = row_bars_measure;
  widget_class->snapshot = row_bars_snapshot;
  widget_class->css_changed = row_bars_css_changed;
  gtk_widget_class_set_css_name(widget_class, "rowbars");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
regard_row_bars_init(RegardRowBars *self)
{
  /* What is drawn goes from left to right in every language, as in a figure. */
  gtk_widget_set_direction(GTK_WIDGET(self), GTK_TEXT_DIR_LTR);
  self->lit = -1;
  self->max = 1;
}

static GtkWidget *
row_bars_new(void)
{
  return g_object_new(REGARD_TYPE_ROW_BARS, NULL);
}

/* ---- A row of weights as a strip of colours -------------------------------------------------- */

#define REGARD_TYPE_ROW_STRIP (regard_row_strip_get_type())
G_DECLARE_FINAL_TYPE(RegardRowStrip, regard_row_strip, REGARD, ROW_STRIP, GtkWidget)

#define STRIP_HEIGHT 12

struct _RegardRowStrip {
  GtkWidget parent_instance;

  guint32 *colours; /* [n] */
  guint n;
};

G_DEFINE_FINAL_TYPE(RegardRowStrip, regard_row_strip, GTK_TYPE_WIDGET)

/* weights NULL empties it. */
static void
row_strip_set(RegardRowStrip *self, const double *weights, guint n, const RegardColormap *colormap)
{
  double largest = 0, sum = 0;

  g_clear_pointer(&self->colours, g_free);
  self->n = weights ? n : 0;
  self->colours = g_new(guint32, MAX(self->n, 1));
  for (guint i = 0; i < self->n; i++) {
    self->colours[i] = regard_colormap_lookup(colormap, weights[i]);
    largest = MAX(largest, weights[i]);
    sum += weights[i] > 0 ? -weights[i] * log2(weights[i]) : 0;
  }
  g_autofree char *text = regard_strdup_printf(_("largest %.3f, entropy %.2f bit"), largest, sum);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self), text);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
row_strip_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                  int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 140 : STRIP_HEIGHT;
}

static void
row_strip_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardRowStrip *self = REGARD_ROW_STRIP(widget);
  const double width = gtk_widget_get_width(widget), cell = width / MAX(self->n, 1);

  for (guint i = 0; i < self->n; i++) {
    const guint32 c = self->colours[i];
    const double left = floor(i * cell), right = floor((i + 1) * cell);

    gtk_snapshot_append_color(snapshot,
                              &(GdkRGBA){(c >> 16 & 0xff) / 255.f, (c >> 8 & 0xff) / 255.f,
                                         (c & 0xff) / 255.f, 1},
                              &GRAPHENE_RECT_INIT((float) left, 0, (float) (right - left),
                                                  STRIP_HEIGHT));
  }
}

static void
row_strip_finalize(GObject *object)
{
  g_free(REGARD_ROW_STRIP(object)->colours);
  G_OBJECT_CLASS(regard_row_strip_parent_class)->finalize(object);
}

static void
regard_row_strip_class_init(RegardRowStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = row_strip_finalize;
  widget_class->measure = row_strip_measure;
  widget_class->snapshot = row_strip_snapshot;
  gtk_widget_class_set_css_name(widget_class, "rowstrip");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
regard_row_strip_init(RegardRowStrip *self)
{
}

static GtkWidget *
row_strip_new(void)
{
  return g_object_new(REGARD_TYPE_ROW_STRIP, NULL);
}

/* ---- The panel --------------------------------------------------------------------------------
 */

#define MIN_WIDTH     200
#define NATURAL_WIDTH 240

typedef enum {
  LINE_WEIGHT,
  LINE_RANK,
  LINE_SCORE,
  LINE_CONTENT, /* of relative positions: the two summands of the score */
  LINE_POSITION,
  LINE_A, /* of a difference: the weights behind it */
  LINE_B,
  LINE_ENTROPY,
  LINE_SUM,
  LINE_REMOVED,
  LINE_RECEIVED,
  LINE_IN,
  LINE_OUT,
  LINE_P,
  LINE_LOGPROB,
  N_CELL_LINES,
  LINE_MOVED = N_CELL_LINES, /* of a difference */
  LINE_MEAN_ENTROPY,
  LINE_CONFIDENCE,
  LINE_DISTANCE,
  LINE_SPECIAL,
  LINE_SHARE,
  N_LINES,
} Line;

static const char *const line_names[N_LINES] = {
    [LINE_WEIGHT] = N_("weight"),
    [LINE_RANK] = N_("rank in row"),
    [LINE_SCORE] = N_("score before softmax"),
    [LINE_CONTENT] = N_("of it content, q·k"),
    [LINE_POSITION] = N_("of it position"),
    [LINE_A] = N_("weight in A"),
    [LINE_B] = N_("weight in B"),
    [LINE_ENTROPY] = N_("row entropy"),
    [LINE_SUM] = N_("row sum"),
    [LINE_REMOVED] = N_("hidden mass"),
    [LINE_RECEIVED] = N_("sum of the column"),
    [LINE_IN] = N_("token in"),
    [LINE_OUT] = N_("token out"),
    [LINE_P] = N_("its probability"),
    [LINE_LOGPROB] = N_("its log p"),
    [LINE_MOVED] = N_("moved"),
    [LINE_MEAN_ENTROPY] = N_("mean entropy"),
    [LINE_CONFIDENCE] = N_("confidence"),
    [LINE_DISTANCE] = N_("diagonal distance"),
    [LINE_SPECIAL] = N_("on special tokens"),
    [LINE_SHARE] = N_("position’s share"),
};

/* What each of them is, for who has not met the word. */
static const char *const line_tips[N_LINES] = {
    [LINE_WEIGHT] =
        N_("How much of this key’s value goes into the query’s sum; the weights of a row "
           "make 1"),
    [LINE_RANK] = N_("1 is the key that this row looks at most"),
    [LINE_SCORE] = N_("q·k divided by √d_k, with what position adds; softmax makes weights of the "
                      "scores of a row"),
    [LINE_CONTENT] = N_("The part of the score that comes from what both tokens are"),
    [LINE_POSITION] = N_("The part of the score that comes from how far apart both tokens are"),
    [LINE_A] = N_("The weight in A, the reference that is compared with"),
    [LINE_B] = N_("The weight in B, which is what there is now"),
    [LINE_ENTROPY] = N_("How widely the row looks, in bits: 0 at one key, log₂ n at n keys alike"),
    [LINE_SUM] =
        N_("All weights of the row that are shown; 1 unless something is hidden or combined"),
    [LINE_REMOVED] = N_("The weight of this row on special tokens, which are hidden"),
    [LINE_RECEIVED] =
        N_("What all queries together give this key; unlike a row, a column has no sum "
           "that it must have"),
    [LINE_IN] = N_("The token that the decoder is given here"),
    [LINE_OUT] = N_("The token that the decoder says here"),
    [LINE_P] = N_("How probable the model found the token that comes out"),
    [LINE_LOGPROB] = N_("The natural logarithm of that probability, in nats: 0 is certain"),
    [LINE_MOVED] =
        N_("Jensen–Shannon divergence of A and B, mean over the rows: 0 the same, 1 bit no "
           "key in common"),
    [LINE_MEAN_ENTROPY] =
        N_("How widely this head looks, in bits, mean over the rows: 0 at one key, "
           "log₂ n at n keys alike"),
    [LINE_CONFIDENCE] = N_("Mean over the rows of the largest weight, special tokens aside"),
    [LINE_DISTANCE] = N_("Self-attention: how many tokens away it looks on average. "
                         "Cross-attention: how far from the diagonal, 0 to 1"),
    [LINE_SPECIAL] =
        N_("How much of all weights of this head is on special tokens, such as the end ⏎, "
           "where many heads rest"),
    [LINE_SHARE] = N_("How much of the variation of a row’s scores comes from the distance of the "
                      "tokens, and not from q·k; mean over the rows"),
};

struct _RegardCellPanel {
  GtkWidget parent_instance;

  RegardSelection *selection;
  GtkWidget *scroller;
  GtkWidget *cell_stack, *cell_title, *cell_place;
  GtkWidget *row_card, *row_title, *bars;
  GtkWidget *split, *strips[2]; /* the row of content alone, of position alone */
  GtkWidget *sum_card, *sum_title, *sum_place, *sum_bars;
  GtkWidget *head_card, *head_title, *head_role;
  GtkWidget *names[N_LINES], *values[N_LINES];
  double exact[N_LINES]; /* what is shown there; NAN: it is no number alone */
};

G_DEFINE_FINAL_TYPE(RegardCellPanel, regard_cell_panel, GTK_TYPE_WIDGET)

/* ---- Text ------------------------------------------------------------------------------------ */

static void
set_text(GtkWidget *label, const char *text)
{
  if (g_strcmp0(gtk_label_get_text(GTK_LABEL(label)), text) != 0)
    gtk_label_set_text(GTK_LABEL(label), text);
}

/* Shows a line with a value, or hides it (format NULL). */
G_GNUC_PRINTF(3, 4)
static void
set_line(RegardCellPanel *self, Line line, const char *format, ...)
{
  if (format) {
    REGARD_IN_LANGUAGE(regard_language_get());
    va_list args;
    g_autofree char *text = NULL;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    /* The sign that figures have, too. */
    g_autofree char *signed_text = *text == '-' ? g_strconcat("−", text + 1, NULL) : NULL;
    set_text(self->values[line], signed_text ? signed_text : text);
  }
  self->exact[line] = NAN;
  gtk_widget_set_visible(self->names[line], format != NULL);
  gtk_widget_set_visible(self->values[line], format != NULL);
}

/* A line of one number, which is copied as it is: format has room for it, and perhaps, behind a
 * space, its unit. */
#define set_number(self, line, format, value)    \
  G_STMT_START                                   \
  {                                              \
    const double number_ = (value);              \
    set_line((self), (line), (format), number_); \
    (self)->exact[line] = number_;               \
  }                                              \
  G_STMT_END

static void
hide_line(RegardCellPanel *self, Line line)
{
  gtk_widget_set_visible(self->names[line], FALSE);
  gtk_widget_set_visible(self->values[line], FALSE);
}

/* "3", "3–5"; of words "word 2": what is special is none, and keeps its number in the sentence. */
static char *
label_number(RegardCellPanel *self, const RegardLabel *labels, int at)
{
  const RegardLabel *label = &labels[at];
  if (regard_selection_get_merge_words(self->selection) && !label->special) {
    guint word = 0;
    for (int i = 0; i <= at; i++)
      word += !labels[i].special;
    return g_strdup_printf(_("word %u"), word);
  }
  if (label->n_tokens > 1)
    return g_strdup_printf("%u–%u", label->first_token + 1, label->first_token + label->n_tokens);
  return g_strdup_printf("%u", label->first_token + 1);
}

/* What a difference is of, where cells are those of one head. */
static void
show_both(RegardCellPanel *self, const RegardMatrix *m, int row, int col)
{
  const RegardAttention *from = regard_matrix_get_attention(m);
  const mt_capture *a = from ? mt_capture_difference_a(from->capture) : NULL;
  const RegardMatrixSpec *spec = a ? &from->spec : NULL;

  set_text(self->names[LINE_WEIGHT], a ? _("B − A") : _(line_names[LINE_WEIGHT]));
  if (!a || spec->combine != REGARD_COMBINE_HEAD || spec->merge_words || spec->hide_special) {
    hide_line(self, LINE_A);
    hide_line(self, LINE_B);
    return;
  }
  const mt_matrix x = mt_capture_weights(a, spec->kind, spec->layer, spec->head),
                  y = mt_capture_weights(mt_capture_difference_b(from->capture), spec->kind,
                                         spec->layer, spec->head);
  set_number(self, LINE_A, "%.3f", (double) mt_matrix_at(&x, (gsize) row, (gsize) col));
  set_number(self, LINE_B, "%.3f", (double) mt_matrix_at(&y, (gsize) row, (gsize) col));
}

/* A score is what q and k say and what their distance does, in models with relative positions. */
static void
show_summands(RegardCellPanel *self, double score, double bias)
{
  if (isnan(score) || isnan(bias)) {
    hide_line(self, LINE_CONTENT);
    hide_line(self, LINE_POSITION);
    return;
  }
  set_number(self, LINE_CONTENT, "%.2f", score - bias);
  set_number(self, LINE_POSITION, "%+.2f", bias);
}

static void
show_weight(RegardCellPanel *self, const RegardMatrix *m, int row, int col)
{
  double value = regard_matrix_get(m, row, col), score = regard_matrix_score(m, row, col);
  guint rank = 1, n = 0;

  if (regard_matrix_is_masked(m, row, col)) {
    set_line(self, LINE_WEIGHT, "%s", _("masked"));
    for (Line line = LINE_RANK; line <= LINE_B; line++)
      hide_line(self, line);
    return;
  }
  for (guint c = 0; c < m->cols; c++)
    if (!regard_matrix_is_masked(m, row, c)) {
      n++;
      rank += regard_matrix_get(m, row, c) > value;
    }
  /* Three places, but a small weight is not 0. */
  set_number(self, LINE_WEIGHT, value != 0 && fabs(value) < 0.0005 ? "%.1e" : "%.3f", value);
  set_line(self, LINE_RANK, _("%u of %u"), rank, n);
  if (isnan(score))
    hide_line(self, LINE_SCORE);
  else
    set_number(self, LINE_SCORE, "%.2f", score);
  show_summands(self, score, regard_matrix_score_bias(m, row, col));
  show_both(self, m, row, col);
}

static void
show_row(RegardCellPanel *self, const RegardMatrix *m, int row)
{
  const RegardLabel *label = &m->row_labels[row];
  double sum = regard_matrix_row_sum(m, row);
  const RegardAttention *from = regard_matrix_get_attention(m);
  const float *logprobs = from ? mt_capture_logprobs(from->capture) : NULL;

  if (m->rows_are_distributions && !m->removed_mass)
    set_number(self, LINE_ENTROPY, _("%.2f bit"),
               mt_row_entropy(m->values + (gsize) row * m->cols, m->cols));
  else
    hide_line(self, LINE_ENTROPY);
  if (fabs(sum - 1) > 5e-4 && !(from && mt_capture_difference_a(from->capture)))
    set_number(self, LINE_SUM, "%.3f", sum);
  else
    hide_line(self, LINE_SUM);
  if (m->removed_mass)
    set_number(self, LINE_REMOVED, "%.3f", m->removed_mass[row]);
  else
    hide_line(self, LINE_REMOVED);

  if (!from || from->spec.kind == MT_ENCODER_SELF) {
    hide_line(self, LINE_IN);
    hide_line(self, LINE_OUT);
    hide_line(self, LINE_P);
    hide_line(self, LINE_LOGPROB);
    return;
  }
  if (label->other) {
    gboolean by_output = from->spec.label_by == REGARD_LABEL_BY_OUTPUT;

    set_line(self, LINE_IN, "%s", by_output ? label->other : label->text);
    set_line(self, LINE_OUT, "%s", by_output ? label->text : label->other);
  } else {
    hide_line(self, LINE_IN);
    hide_line(self, LINE_OUT);
  }
  if (logprobs) {
    double logprob = 0;

    for (guint i = 0; i < label->n_tokens; i++)
      logprob += logprobs[label->first_token + i];
    set_number(self, LINE_P, "%.3f", exp(logprob));
    set_number(self, LINE_LOGPROB, "%.2f", logprob);
  } else {
    hide_line(self, LINE_P);
    hide_line(self, LINE_LOGPROB);
  }
}

/* The row as it would be of either alone: whether the head looks at places or at words. */
static void
show_split(RegardCellPanel *self, const RegardMatrix *m, int row)
{
  g_autofree double *content = g_new(double, m->cols), *position = g_new(double, m->cols);
  const gboolean has = regard_matrix_split_row(m, (guint) row, content, position);

  gtk_widget_set_visible(self->split, has);
  for (guint i = 0; i < G_N_ELEMENTS(self->strips); i++)
    row_strip_set(REGARD_ROW_STRIP(self->strips[i]), has ? (i == 0 ? content : position) : NULL,
                  m->cols, regard_selection_get_colormap(self->selection));
}

static void
show_column(RegardCellPanel *self, const RegardMatrix *m, int col)
{
  double sum = 0;

  for (guint r = 0; r < m->rows; r++)
    if (!regard_matrix_is_masked(m, r, col))
      sum += regard_matrix_get(m, r, col);
  set_number(self, LINE_RECEIVED, "%.3f", sum);
}

static void
show_cell(RegardCellPanel *self)
{
  const RegardMatrix *m = self->selection ? regard_selection_get_matrix(self->selection) : NULL;
  RegardCell cell = {-1, -1};

  if (m)
    cell = regard_selection_get_focus(self->selection);
  gboolean any = cell.row >= 0 || cell.col >= 0;
  gtk_stack_set_visible_child_name(GTK_STACK(self->cell_stack), any ? "numbers" : "hint");
  gtk_widget_set_visible(self->row_card, cell.row >= 0);
  row_bars_set(REGARD_ROW_BARS(self->bars), m, cell.row, cell.col);
  if (!any)
    return;

  for (Line line = 0; line < N_CELL_LINES; line++)
    if ((line <= LINE_B && (cell.row < 0 || cell.col < 0)) ||
        (line > LINE_B && line != LINE_RECEIVED && cell.row < 0) ||
        (line == LINE_RECEIVED && cell.row >= 0))
      hide_line(self, line);

  if (cell.row >= 0 && cell.col >= 0) {
    const RegardLabel *row = &m->row_labels[cell.row], *col = &m->col_labels[cell.col];
    g_autofree char *title = g_strdup_printf("%s → %s", row->text, col->text);
    g_autofree char *row_number = label_number(self, m->row_labels, cell.row);
    g_autofree char *col_number = label_number(self, m->col_labels, cell.col);
    g_autofree char *place = g_strdup_printf(_("query %s · key %s"), row_number, col_number);

    set_text(self->cell_title, title);
    set_text(self->cell_place, place);
    show_weight(self, m, cell.row, cell.col);
  } else {
    gboolean whole_row = cell.row >= 0;
    const RegardLabel *labels = whole_row ? m->row_labels : m->col_labels;
    int at = whole_row ? cell.row : cell.col;
    g_autofree char *number = label_number(self, labels, at);
    g_autofree char *place =
        g_strdup_printf(whole_row ? _("query %s, the whole row") : _("key %s, the whole column"),
                        number);

    set_text(self->cell_title, labels[at].text);
    set_text(self->cell_place, place);
  }
  if (cell.row >= 0) {
    g_autofree char *title = g_strdup_printf(_("Row %s"), m->row_labels[cell.row].text);

    show_row(self, m, cell.row);
    show_split(self, m, cell.row);
    set_text(self->row_title, title);
  } else
    show_column(self, m, cell.col);
}

/* ---- The head -------------------------------------------------------------------------------- */

/* "goes left to right, 77 %". Caller frees. */
static char *
name_role(const char *id, double score)
{
  static const struct {
    const char *id, *phrase;
  } phrases[] = {{"monotone", N_("goes left to right")},
                 {"sink", N_("rests on special tokens")},
                 {"previous", N_("looks at the token before")},
                 {"same", N_("looks at its own token")},
                 {"next", N_("looks at the next token")}};

  for (guint i = 0; i < G_N_ELEMENTS(phrases); i++)
    if (g_str_equal(phrases[i].id, id))
      return g_strdup_printf(_("%s, %.0f %%"), _(phrases[i].phrase), 100 * score);
  return regard_strdup_printf("%s %.2f", regard_role_name(id), score);
}

/* A badge only where the measurement says so: its name with the score, and why in the tooltip. */
static void
show_role(RegardCellPanel *self, mt_attention_kind kind, const mt_head_metrics *m)
{
  gsize n;
  const mt_head_statistic *statistics = mt_head_statistics(&n);

  for (gsize i = 0; i < n; i++)
    if (mt_head_statistic_has_role(&statistics[i], kind, m)) {
      const mt_head_role *role = &statistics[i].role;
      const double score = mt_head_statistic_of(&statistics[i], m);
      g_autofree char *text = name_role(role->id, score);
      g_autofree char *why =
          regard_strdup_printf(_("%s: %.2f on this sentence; the name is given from %.2f"),
                               _(role->why), score, role->from);

      set_text(self->head_role, text);
      gtk_widget_set_tooltip_text(self->head_role, why);
      gtk_widget_set_visible(self->head_role, TRUE);
      return;
    }
  gtk_widget_set_visible(self->head_role, FALSE);
}

/* Of a difference there is no entropy, but how far its head moved. */
static gboolean
show_moved(RegardCellPanel *self, const RegardAttention *from)
{
  const mt_capture *a = mt_capture_difference_a(from->capture),
                   *b = mt_capture_difference_b(from->capture);

  if (!a) {
    hide_line(self, LINE_MOVED);
    return FALSE;
  }
  set_number(self, LINE_MOVED, _("%.4f bit"),
             mt_capture_divergence(a, b, from->spec.kind, from->spec.layer, from->spec.head));
  for (Line line = LINE_MOVED + 1; line < N_LINES; line++)
    hide_line(self, line);
  gtk_widget_set_visible(self->head_role, FALSE);
  return TRUE;
}

static void
show_head(RegardCellPanel *self)
{
  const RegardMatrix *m = self->selection ? regard_selection_get_matrix(self->selection) : NULL;
  const RegardAttention *from = m ? regard_matrix_get_attention(m) : NULL;

  gtk_widget_set_visible(self->head_card, from && from->spec.combine == REGARD_COMBINE_HEAD);
  if (!from || from->spec.combine != REGARD_COMBINE_HEAD)
    return; /* several heads at once have no role */

  g_autofree char *title =
      g_strdup_printf(_("Head %u.%u"),
                      regard_naming_layer(from->capture, from->spec.kind, from->spec.layer),
                      regard_naming_head_number(from->capture, from->spec.kind, from->spec.head));
  set_text(self->head_title, title);
  if (show_moved(self, from))
    return;
  mt_head_metrics metrics =
      mt_head_metrics_compute(from->capture, from->spec.kind, from->spec.layer, from->spec.head);
  set_number(self, LINE_MEAN_ENTROPY, _("%.2f bit"), metrics.mean_entropy);
  set_number(self, LINE_CONFIDENCE, "%.2f", metrics.confidence);
  set_number(self, LINE_DISTANCE, "%.2f", metrics.diagonal_distance);
  set_number(self, LINE_SPECIAL, _("%.0f %%"), metrics.special_share * 100);
  if (isnan(metrics.position_share))
    hide_line(self, LINE_SHARE);
  else
    set_number(self, LINE_SHARE, _("%.0f %%"), metrics.position_share * 100);
  show_role(self, from->spec.kind, &metrics);
}

/* ---- The sum --------------------------------------------------------------------------------- */

/* Of all tokens, one a line: the bars are of the largest. */
static char *
sum_lines(RegardCellPanel *self, const char *between, gboolean is_exact)
{
  g_autoptr(RegardMatrix) sum = self->selection ? regard_selection_new_sum(self->selection) : NULL;
  GString *text = g_string_new(NULL);

  for (guint c = 0; sum && c < sum->cols; c++) {
    g_autofree char *number = print_number("%.4f", is_exact, regard_matrix_get(sum, 0, c));

    g_string_append_printf(text, "%s%s%s\n", sum->col_labels[c].text, between, number);
  }
  return g_string_free(text, FALSE);
}

static void
show_sum(RegardCellPanel *self)
{
  g_autoptr(RegardMatrix) sum = self->selection ? regard_selection_new_sum(self->selection) : NULL;
  g_autofree char *title = NULL, *lines = NULL;
  RegardSumAxis axis;
  guint n, n_summed = 0;

  gtk_widget_set_visible(self->sum_card, sum != NULL);
  if (!sum) {
    row_bars_set(REGARD_ROW_BARS(self->sum_bars), NULL, -1, -1);
    return;
  }
  const guint8 *chosen = regard_selection_get_summed(self->selection, &axis, &n);
  for (guint i = 0; i < n; i++)
    n_summed += chosen[i];
  title =
      axis == REGARD_SUM_KEYS
          ? g_strdup_printf(ngettext("Sum of %u key", "Sum of %u keys", n_summed), n_summed)
          : g_strdup_printf(ngettext("Sum of %u query", "Sum of %u queries", n_summed), n_summed);
  set_text(self->sum_title, title);
  set_text(self->sum_place, sum->row_labels[0].text);
  row_bars_set(REGARD_ROW_BARS(self->sum_bars), sum, 0, -1);
  lines = sum_lines(self, " ", FALSE);
  gtk_widget_set_tooltip_text(self->sum_bars, g_strchomp(lines));
}

char *
regard_cell_panel_get_sum_text(RegardCellPanel *self, gboolean is_exact)
{
  if (!gtk_widget_get_visible(self->sum_card))
    return g_strdup("");
  g_autofree char *lines = sum_lines(self, "\t", is_exact);
  return g_strdup_printf("%s\t%s\n%s", gtk_label_get_text(GTK_LABEL(self->sum_title)),
                         gtk_label_get_text(GTK_LABEL(self->sum_place)), lines);
}

static void
on_copy_sum(RegardCellPanel *self)
{
  g_autofree char *text = regard_cell_panel_get_sum_text(self, TRUE);

  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)), text);
}

static void
on_clear_sum(RegardCellPanel *self)
{
  regard_selection_set_summed(self->selection, REGARD_SUM_KEYS, NULL);
}

static void
on_matrix(RegardCellPanel *self)
{
  show_head(self);
  show_cell(self);
}

/* "name<tab>value"; an exact number has its unit behind another tab. */
static void
append_line(RegardCellPanel *self, Line line, gboolean is_exact, GString *text)
{
  const char *name = gtk_label_get_text(GTK_LABEL(self->names[line]));
  const char *shown = gtk_label_get_text(GTK_LABEL(self->values[line]));
  const char *space = strchr(shown, ' ');
  g_autofree char *exact = is_exact ? regard_exact_copy(self->exact[line]) : NULL;

  if (exact && space)
    g_string_append_printf(text, "%s\t%s\t%s\n", name, exact, space + 1);
  else
    g_string_append_printf(text, "%s\t%s\n", name, exact ? exact : shown);
}

char *
regard_cell_panel_get_text(RegardCellPanel *self, gboolean is_exact)
{
  GString *text = g_string_new(NULL);
  g_autofree char *bars = NULL;
  gboolean cell =
      g_strcmp0(gtk_stack_get_visible_child_name(GTK_STACK(self->cell_stack)), "numbers") == 0;

  if (cell)
    g_string_append_printf(text, "%s\t%s\n", gtk_label_get_text(GTK_LABEL(self->cell_title)),
                           gtk_label_get_text(GTK_LABEL(self->cell_place)));
  for (Line line = cell ? 0 : N_CELL_LINES; line < N_LINES; line++) {
    if (line == N_CELL_LINES) {
      bars = row_bars_get_text(REGARD_ROW_BARS(self->bars), is_exact);
      if (cell && *bars)
        g_string_append_printf(text, "%s\n%s", gtk_label_get_text(GTK_LABEL(self->row_title)),
                               bars);
      if (!gtk_widget_get_visible(self->head_card))
        break;
      g_string_append_printf(text, "%s\n", gtk_label_get_text(GTK_LABEL(self->head_title)));
    }
    if (gtk_widget_get_visible(self->values[line]))
      append_line(self, line, is_exact, text);
  }
  return g_string_free(text, FALSE);
}

void
regard_cell_panel_set_selection(RegardCellPanel *self, RegardSelection *selection)
{
  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  regard_connect(selection, "matrix-changed", G_CALLBACK(on_matrix), self);
  regard_connect(selection, "hover-changed", G_CALLBACK(show_cell), self);
  regard_connect(selection, "pin-changed", G_CALLBACK(show_cell), self);
  regard_connect(selection, "summed-changed", G_CALLBACK(show_sum), self);
  on_matrix(self);
  show_sum(self);
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
new_label(const char *text, const char *css_class, double align)
{
  GtkWidget *label = gtk_label_new(text);

  gtk_label_set_xalign(GTK_LABEL(label), align);
  if (css_class)
    gtk_widget_add_css_class(label, css_class);
  return label;
}

static GtkWidget *
new_title(void)
{
  GtkWidget *label = new_label("", "regard-card-title", 0);

  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand(label, TRUE);
  return label;
}

static GtkWidget *
new_hint(const char *text)
{
  GtkWidget *label = new_label(text, "regard-hint", 0);

  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 24);
  gtk_widget_set_valign(label, GTK_ALIGN_START);
  return label;
}

static GtkWidget *
new_lines(RegardCellPanel *self, Line first, Line end)
{
  GtkWidget *grid = gtk_grid_new();

  gtk_grid_set_row_spacing(GTK_GRID(grid), 2);
  gtk_grid_set_column_spacing(GTK_GRID(grid), 8);
  for (Line line = first; line < end; line++) {
    self->names[line] = new_label(_(line_names[line]), "regard-name", 0);
    self->values[line] = new_label("", "regard-value", 1);
    gtk_widget_set_hexpand(self->names[line], TRUE);
    gtk_widget_set_tooltip_text(self->names[line], _(line_tips[line]));
    /* Large letters need two lines; words must not get lost. */
    gtk_label_set_wrap(GTK_LABEL(self->names[line]), TRUE);
    gtk_label_set_lines(GTK_LABEL(self->names[line]), 2);
    gtk_label_set_ellipsize(GTK_LABEL(self->names[line]), PANGO_ELLIPSIZE_END);
    gtk_label_set_ellipsize(GTK_LABEL(self->values[line]), PANGO_ELLIPSIZE_END);
    gtk_label_set_width_chars(GTK_LABEL(self->values[line]), 6);
    gtk_grid_attach(GTK_GRID(grid), self->names[line], 0, line - first, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), self->values[line], 1, line - first, 1, 1);
  }
  return grid;
}

static GtkWidget *
new_card(GtkWidget *box)
{
  GtkWidget *card = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);

  gtk_widget_add_css_class(card, "card");
  gtk_widget_add_css_class(card, "regard-card");
  gtk_box_append(GTK_BOX(box), card);
  return card;
}

static void
on_copy(RegardCellPanel *self)
{
  g_autofree char *text = regard_cell_panel_get_text(self, TRUE);

  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)), text);
}

static void
build_cell_card(RegardCellPanel *self, GtkWidget *box)
{
  GtkWidget *numbers = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *top = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
  GtkWidget *copy = gtk_button_new_from_icon_name("edit-copy-symbolic");

  gtk_widget_add_css_class(copy, "flat");
  gtk_widget_add_css_class(copy, "regard-copy");
  regard_widget_set_name(copy, _("Copy these numbers as text"));
  gtk_widget_set_valign(copy, GTK_ALIGN_START);
  g_signal_connect_swapped(copy, "clicked", G_CALLBACK(on_copy), self);
  self->cell_title = new_title();
  self->cell_place = new_label("", "regard-name", 0);
  gtk_label_set_ellipsize(GTK_LABEL(self->cell_place), PANGO_ELLIPSIZE_END);
  regard_box_append(top, self->cell_title, copy, NULL);
  regard_box_append(numbers, top, self->cell_place, new_lines(self, 0, N_CELL_LINES), NULL);
  self->cell_stack = gtk_stack_new();
  gtk_stack_set_hhomogeneous(GTK_STACK(self->cell_stack), FALSE);
  gtk_stack_set_vhomogeneous(GTK_STACK(self->cell_stack), FALSE);
  gtk_stack_add_named(GTK_STACK(self->cell_stack),
                      new_hint(_("Point at a cell, or a line, to see its numbers; click to keep "
                                 "them. Shift+click on tokens adds them up. Arrow keys move, "
                                 "Escape lets go.")),
                      "hint");
  gtk_stack_add_named(GTK_STACK(self->cell_stack), numbers, "numbers");
  gtk_box_append(GTK_BOX(new_card(box)), self->cell_stack);
}

static void
build_row_card(RegardCellPanel *self, GtkWidget *box)
{
  self->row_card = new_card(box);
  self->row_title = new_title();
  self->bars = row_bars_new();
  regard_accessible_set_label(self->bars, _("Largest weights of the row"));
  self->split = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  static const char *const names[] = {N_("softmax of q·k alone"), N_("softmax of position alone")};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    self->strips[i] = row_strip_new();
    regard_accessible_set_label(self->strips[i], _(names[i]));
    regard_box_append(self->split, new_label(_(names[i]), "regard-name", 0), self->strips[i], NULL);
  }
  regard_box_append(self->row_card, self->row_title, self->bars, self->split, NULL);
}

static GtkWidget *
new_flat_button(const char *icon, const char *name)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon);

  gtk_widget_add_css_class(button, "flat");
  gtk_widget_add_css_class(button, "regard-copy");
  regard_widget_set_name(button, name);
  gtk_widget_set_valign(button, GTK_ALIGN_START);
  return button;
}

static void
build_sum_card(RegardCellPanel *self, GtkWidget *box)
{
  GtkWidget *top = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
  GtkWidget *copy = new_flat_button("edit-copy-symbolic", _("Copy the sum of every token"));
  GtkWidget *clear = new_flat_button("edit-clear-symbolic", _("Add up none"));

  self->sum_card = new_card(box);
  self->sum_title = new_title();
  self->sum_place = new_label("", "regard-name", 0);
  self->sum_bars = row_bars_new();
  gtk_label_set_wrap(GTK_LABEL(self->sum_place), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(self->sum_place), PANGO_WRAP_WORD_CHAR);
  regard_accessible_set_label(self->sum_bars, _("Largest sums"));
  g_signal_connect_swapped(copy, "clicked", G_CALLBACK(on_copy_sum), self);
  g_signal_connect_swapped(clear, "clicked", G_CALLBACK(on_clear_sum), self);
  regard_box_append(top, self->sum_title, copy, clear, NULL);
  regard_box_append(self->sum_card, top, self->sum_place, self->sum_bars, NULL);
}

static void
build_head_card(RegardCellPanel *self, GtkWidget *box)
{
  GtkWidget *top = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);

  self->head_card = new_card(box);
  self->head_title = new_title();
  gtk_widget_set_hexpand(self->head_title, FALSE);
  gtk_label_set_ellipsize(GTK_LABEL(self->head_title), PANGO_ELLIPSIZE_NONE); /* it is short */
  self->head_role = new_label("", "regard-badge", 0.5);
  /* In some languages it is longer than the panel is wide, and its number is the end of it. */
  gtk_label_set_wrap(GTK_LABEL(self->head_role), TRUE);
  gtk_label_set_lines(GTK_LABEL(self->head_role), 2);
  gtk_label_set_ellipsize(GTK_LABEL(self->head_role), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign(GTK_LABEL(self->head_role), 0);
  gtk_widget_set_halign(self->head_role, GTK_ALIGN_START); /* a line of its own has room for it */
  regard_box_append(top, self->head_title, NULL);
  regard_box_append(self->head_card, top, self->head_role, new_lines(self, N_CELL_LINES, N_LINES),
                    NULL);
}

/* The width is the panel's to say: what long words or hints would like must not move the panes. */
static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = MIN_WIDTH;
    *natural = NATURAL_WIDTH;
  } else
    gtk_widget_measure(REGARD_CELL_PANEL(widget)->scroller, orientation, for_size, minimum, natural,
                       NULL, NULL);
}

static void
size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  GtkWidget *scroller = REGARD_CELL_PANEL(widget)->scroller;
  int minimum;

  /* GTK wants no widget narrower than it can be; what is too wide is cut off at the right. */
  gtk_widget_measure(scroller, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  gtk_widget_size_allocate(scroller, &(GtkAllocation){0, 0, MAX(width, minimum), height}, baseline);
}

static void
dispose(GObject *object)
{
  RegardCellPanel *self = REGARD_CELL_PANEL(object);

  g_clear_object(&self->selection);
  g_clear_pointer(&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_cell_panel_parent_class)->dispose(object);
}

static void
regard_cell_panel_class_init(RegardCellPanelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = dispose;
  GTK_WIDGET_CLASS(klass)->measure = measure;
  GTK_WIDGET_CLASS(klass)->size_allocate = size_allocate;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "cellpanel");
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
regard_cell_panel_init(RegardCellPanel *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10);

  gtk_widget_set_name(GTK_WIDGET(self), "numbers");
  gtk_widget_add_css_class(box, "regard-cards");
  build_cell_card(self, box);
  build_row_card(self, box);
  build_sum_card(self, box);
  build_head_card(self, box);
  self->scroller = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(self->scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scroller), box);
  gtk_widget_set_parent(self->scroller, GTK_WIDGET(self));
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
  regard_accessible_set_label(GTK_WIDGET(self), _("Numbers"));
  on_matrix(self);
  show_sum(self);
}

GtkWidget *
regard_cell_panel_new(void)
{
  return g_object_new(REGARD_TYPE_CELL_PANEL, NULL);
}
