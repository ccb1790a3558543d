/* regard-attribution.c — attributions of the engine as matrices, and one word with what every
 * method of attribution says of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-attribution.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-scale.h"
#include "figures/regard-words.h"

#include <math.h>

/* ---- Where they came from -------------------------------------------------------------------- */

typedef struct {
  gsize method; /* mt_attribution_count(): all */
  int token, layer, head;
  gsize n_steps;
  gboolean is_encoder, is_difference;
  char *of_a; /* of a difference the changes of A; NULL: none */
  char *source, *output, *interventions;
} Origin;

static const char *
gives(const Origin *from)
{
  return from->method < mt_attribution_count() ? mt_attribution_at(from->method)->gives : NULL;
}

static void
append_subject(const RegardMatrix *m, GString *text)
{
  const Origin *from = m->origin;

  regard_words_add_quoted(text, _("Source"), from->source);
  regard_words_add_quoted(text, _("Translation"), from->output);
  regard_words_add_sentence(text, _("Rows: %s; columns: %s."), m->row_title,
                            !from->is_encoder && m->col_split
                                ? _("tokens of the source, then what the decoder had read")
                                : m->col_title);
  if (gives(from))
    /* Translators: what the numbers are, "share of the token …" */
    regard_words_add_sentence(text, _("Numbers: %s."), _(gives(from)));
  if (from->is_difference)
    regard_words_add_sentence(text,
                              /* Translators: of A: its changes */
                              _("Difference: numbers of this model (B) minus those of the "
                                "reference (A: %s), both for the words of the reference."),
                              from->of_a ? from->of_a : _("without changes"));
  if (from->is_difference && from->method == mt_attribution_count())
    /* Translators: of methods of attribution, in a picture of B − A */
    regard_words_add_sentence(
        text, "%s",
        _("Rank correlations are of the differences; curves and areas are those of B minus those "
          "of A."));
}

static void
tell(const RegardMatrix *m, gboolean of_grid, RegardFacts *facts)
{
  const Origin *from = m->origin;

  facts->text(facts, "model", m->model_name);
  if (from->method < mt_attribution_count()) {
    const mt_attribution_method *method = mt_attribution_at(from->method);

    facts->text(facts, "method", method->id);
    facts->text(facts, "published", method->source);
    facts->text(facts, "gives", method->gives);
    if (method->has_layers && from->layer >= 0)
      facts->number(facts, "layer", (gsize) from->layer + 1);
    if (method->has_heads && from->head >= 0)
      facts->number(facts, "head", (gsize) from->head + 1);
    if (method->sum == MT_ATTRIBUTION_DIFFERENCE)
      facts->number(facts, "steps", from->n_steps ? from->n_steps : 50);
  }
  if (from->token >= 0)
    facts->number(facts, "token", (gsize) from->token + 1);
  facts->text(facts, "source", from->source);
  facts->text(facts, "translation", from->output);
  if (from->interventions)
    facts->lines(facts, "changes", from->interventions);
  if (from->is_difference) {
    facts->flag(facts, "difference", TRUE);
    if (from->of_a)
      facts->lines(facts, "reference_changes", from->of_a);
  }
}

static void
origin_free(gpointer data)
{
  Origin *from = data;

  g_free(from->source);
  g_free(from->output);
  g_free(from->interventions);
  g_free(from->of_a);
  g_free(from);
}

static const RegardOriginClass origin_class = {
    .append_subject = append_subject,
    .tell = tell,
    .free = origin_free,
};

/* Text of changes; NULL: there are none. Borrowed. */
static const char *
text_of(const mt_interventions *interventions)
{
  return mt_interventions_count(interventions) > 0 ? mt_interventions_text(interventions) : NULL;
}

/* method mt_attribution_count(): of all. */
static gpointer
origin_new(const RegardAttributionText *text, gsize method, gboolean is_encoder)
{
  const mt_attribution_params *params = text->params;
  Origin *from = g_new(Origin, 1);

  *from = (Origin){
      .method = method,
      .token = params ? params->token : -1,
      .layer = params ? params->layer : -1,
      .head = params ? params->head : -1,
      .n_steps = params ? params->n_steps : 0,
      .is_encoder = is_encoder,
      .source = g_strdup(mt_tokens_text(text->source)),
      .output = g_strdup(mt_tokens_text(text->output)),
      .interventions = g_strdup(text_of(text->interventions)),
      .is_difference = text->is_difference,
      .of_a = g_strdup(text_of(text->interventions_of_a)),
  };
  return from;
}

/* Of sums of floats. */
#define ROUNDING 0.005

const char *
regard_attribution_name(const mt_attribution_method *method)
{
  return regard_words_of("method", method->name);
}

/* ---- Axes -------------------------------------------------------------------------------------
 */

/* Source tokens, then what the decoder read: the start, and the output shifted behind it. */
static void
label_column(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardAttributionText *text = data;
  const guint n_source = (guint) mt_tokens_count(text->source);
  if (i == n_source) {
    label->text = g_strdup(_("start"));
    label->piece = g_strdup(mt_model_piece(text->model, MT_STACK_DECODER,
                                           mt_model_config(text->model)->decoder_start_id));
    label->special = TRUE;
    label->first_token = 0; /* the first that the decoder reads */
    label->n_tokens = 1;
    return;
  }
  const mt_tokens *tokens = i < n_source ? text->source : text->output;
  const guint at = i < n_source ? i : i - n_source - 1;
  const mt_token *token = mt_tokens_get(tokens, at);
  label->text = regard_token_display(tokens, at, FALSE);
  label->piece = g_strdup(token->piece);
  label->special = token->is_special;
  label->is_task = token->is_prefix;
  label->first_token = i < n_source ? i : i - n_source;
  label->n_tokens = 1;
}

static RegardAxis
columns(const RegardAttributionText *text, guint n_prefix)
{
  const guint n_source = (guint) mt_tokens_count(text->source);
  return (RegardAxis){.n = n_source + n_prefix,
                      .title = C_("text", "tokens"),
                      .noun = _("token"),
                      .split = n_source,
                      .parts = {C_("text", "source"), C_("text", "translation")},
                      .label = label_column,
                      .data = text};
}

typedef struct {
  const mt_tokens *output;
  guint first;
} Rows;

static void
label_row(gconstpointer data, guint i, RegardLabel *label)
{
  const Rows *rows = data;
  const mt_token *token = mt_tokens_get(rows->output, rows->first + i);
  label->text = regard_token_display(rows->output, rows->first + i, FALSE);
  label->piece = g_strdup(token->piece);
  label->special = token->is_special;
  label->first_token = rows->first + i;
  label->n_tokens = 1;
}

static void
label_method(gconstpointer data, guint i, RegardLabel *label)
{
  const mt_attribution_method *method = mt_attribution_at(i);
  label->text = g_strdup(regard_attribution_name(method));
  label->piece = g_strdup(method->id);
}

static RegardAxis
axis_of_methods(void)
{
  return (RegardAxis){.n = (guint) mt_attribution_count(),
                      .title = _("methods"),
                      .noun = _("method"),
                      .label = label_method};
}

/* ---- Matrices ---------------------------------------------------------------------------------
 */

/* method mt_attribution_count(): of all. */
static RegardMatrix *
make_matrix(const RegardAttributionText *text, gsize method, const char *id, const char *title,
            const char *value_name, RegardAxis rows, RegardAxis cols, float *values,
            RegardRange range, const char *sums)
{
  const char *of_a = text_of(text->interventions_of_a);
  g_autofree char *badge =
      regard_figure_interventions_badge(_("changed: %s"), text_of(text->interventions));
  g_autofree char *difference =
      text->is_difference ? g_strdup_printf(_("B − A, A: %s"), of_a ? of_a : _("without changes"))
                          : NULL;
  const char *badges[4] = {NULL};
  guint n = 0;
  if (difference)
    badges[n++] = difference;
  if (badge)
    badges[n++] = badge;
  if (sums)
    badges[n++] = sums;
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = id,
      .title = title,
      .value_name = value_name,
      .model_name = mt_model_name(text->model),
      .badges = badges,
      .rows = rows,
      .cols = cols,
      .values = values,
      .range = range,
      .is_square = TRUE,
      .is_ranked = method < mt_attribution_count() && range == REGARD_RANGE_VALUES,
      .origin_class = &origin_class,
      .origin = origin_new(text, method, g_str_equal(id, "attribution-encoder")),
  });
}

/* What rows sum to, where that is not 1; of the weights of both attentions it is 1 each. NULL: it
 * is, or numbers have a sign. Caller frees. */
static char *
describe_sums(const mt_attribution *a, gboolean is_signed)
{
  const mt_matrix parts[] = {a->source, a->prefix};
  double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (gsize r = 0; r < parts[0].rows; r++) {
    double sums[3] = {0};
    for (guint p = 0; p < 2; p++)
      for (gsize c = 0; c < parts[p].cols; c++)
        sums[p] += mt_matrix_at(&parts[p], r, c);
    sums[2] = sums[0] + sums[1];
    for (guint p = 0; p < 3; p++) {
      least[p] = MIN(least[p], sums[p]);
      most[p] = MAX(most[p], sums[p]);
    }
  }
  gboolean is_one[3];
  for (guint p = 0; p < 3; p++)
    is_one[p] = least[p] > 1 - ROUNDING && most[p] < 1 + ROUNDING;
  if (is_signed || is_one[2] || parts[0].rows == 0)
    return NULL;
  if (is_one[0] && is_one[1])
    return g_strdup(_("rows sum to 2: 1 over the source, 1 over the translation"));
  return most[2] - least[2] < ROUNDING
             ? regard_strdup_printf(_("rows sum to %.2f"), most[2])
             : regard_strdup_printf(_("rows sum to %.2f…%.2f"), least[2], most[2]);
}

static void
copy_row(float *to, const mt_attribution *a, guint row, guint n_prefix)
{
  mt_matrix source = a->source, prefix = a->prefix;
  for (guint j = 0; j < source.cols; j++)
    *to++ = mt_matrix_at(&source, row, j);
  for (guint j = 0; j < n_prefix; j++)
    *to++ = mt_matrix_at(&prefix, row, j);
}

static RegardRange
range_of(const mt_attribution_method *method, const RegardAttributionText *text)
{
  return method->is_signed || text->is_difference ? REGARD_RANGE_SIGNED : REGARD_RANGE_VALUES;
}

RegardMatrix *
regard_attribution_matrix(const mt_attribution *a, const RegardAttributionText *text)
{
  const mt_attribution_method *method = mt_attribution_at(a->method);
  const mt_matrix source = a->source;
  const guint n_rows = (guint) source.rows, first = (guint) a->first;
  const guint n_prefix = first + n_rows, n_cols = (guint) source.cols + n_prefix;
  const Rows rows = {text->output, first};
  const RegardAxis axis = {.n = n_rows,
                           .title = C_("text", "translation"),
                           .noun = _("token"),
                           .label = label_row,
                           .data = &rows};
  g_autofree char *title =
      g_strdup_printf("%s · %s", regard_attribution_name(method), _(method->source));
  float *values = g_new(float, (gsize) n_rows *n_cols);
  for (guint r = 0; r < n_rows; r++)
    copy_row(values + (gsize) r * n_cols, a, r, n_prefix);
  g_autofree char *sums = describe_sums(a, method->is_signed || text->is_difference);
  RegardMatrix *m = make_matrix(text, a->method, "attribution", title, _(method->gives), axis,
                                columns(text, n_prefix), values, range_of(method, text), sums);
  m->mask.is_causal = TRUE; /* of the translation a word knows what is before it */
  return m;
}

RegardMatrix *
regard_attribution_encoder_matrix(const mt_attribution *a, const RegardAttributionText *text)
{
  const gsize at = a->method;
  const mt_attribution_method *method = mt_attribution_at(at);
  const mt_matrix encoder = a->encoder;
  const Rows rows = {text->source, 0};
  RegardAxis axis = {.n = (guint) encoder.rows,
                     .noun = _("token"),
                     .label = label_row,
                     .data = &rows};
  RegardAxis keys = axis;
  if (!encoder.data)
    return NULL;
  axis.title = _("states of the encoder");
  keys.title = C_("text", "source");
  g_autofree char *title =
      g_strdup_printf("%s · %s", regard_attribution_name(method), _(method->source));
  float *values = g_new(float, encoder.rows *encoder.cols);
  for (gsize i = 0; i < encoder.rows; i++)
    for (gsize j = 0; j < encoder.cols; j++)
      values[i * encoder.cols + j] = mt_matrix_at(&encoder, i, j);
  return make_matrix(text, at, "attribution-encoder", title, _(method->gives), axis, keys, values,
                     range_of(method, text), NULL);
}

RegardMatrix *
regard_position_editor_matrix(const mt_method_comparison *bench, RegardMethodMatrix which,
                              const RegardAttributionText *text)
{
  const guint n = (guint) bench->n_methods;
  const guint n_source = (guint) mt_tokens_count(text->source);
  const guint token = (guint) bench->attributions[0]->first;
  const guint n_prefix = token + 1;
  const guint widths[REGARD_METHOD_MATRIX_N_MATRICES] = {n_source + n_prefix, n, n_source + 1, 1};
  const guint width = widths[which];
  float *values = g_new(float, (gsize) n *width);
  g_autofree char *word = regard_token_display(text->output, token, FALSE);
  g_autofree char *title = g_strdup_printf(_("Attributions of %s · token %u"), word, token + 1);
  for (guint m = 0; m < n; m++) {
    float *row = values + (gsize) m * width;
    if (which == REGARD_METHOD_MATRIX_VALUES)
      copy_row(row, bench->attributions[m], 0, n_prefix);
    for (guint k = 0; which == REGARD_METHOD_MATRIX_SPEARMAN && k < n; k++)
      row[k] = (float) bench->spearman[m * bench->n_methods + k];
    for (guint k = 0; which == REGARD_METHOD_MATRIX_DELETION && k < width; k++)
      row[k] = bench->deletion[m * (bench->n_source + 1) + k];
    if (which == REGARD_METHOD_MATRIX_AREA)
      row[0] = (float) mt_method_comparison_area(bench, m);
  }
  const RegardRange range = text->is_difference ? REGARD_RANGE_SIGNED : REGARD_RANGE_VALUES;
  switch (which) {
  case REGARD_METHOD_MATRIX_VALUES:
    return make_matrix(text, n, "attributions", title, _("share of the largest of its row"),
                       axis_of_methods(), columns(text, n_prefix), values, range, NULL);
  case REGARD_METHOD_MATRIX_SPEARMAN:
    return make_matrix(text, n, "spearman", title, "rank correlation", axis_of_methods(),
                       axis_of_methods(), values, REGARD_RANGE_SIGNED, NULL);
  case REGARD_METHOD_MATRIX_DELETION:
    return make_matrix(text, n, "deletion", title, "log p in nats", axis_of_methods(),
                       regard_axis_numbers(width, "source tokens hidden", REGARD_TICKS_DECIMAL),
                       values, range, NULL);
  default:
    return make_matrix(text, n, "area", title, "mean fall of log p in nats", axis_of_methods(),
                       regard_axis_texts((const char *const[]){"area"}, 1, "curve"), values, range,
                       NULL);
  }
}

/* ---- Methods beside each other --------------------------------------------------------------- */

/* In font sizes. */
#define NAMES  11.5 /* room for the name of a method */
#define CURVE  7.0  /* width of a deletion curve */
#define NUMBER 3.4  /* room for an area */
#define ROW    1.9  /* height of a row */
#define GAP    0.8
#define TOKENS 5.0 /* height of tokens, which stand upright */

typedef struct {
  RegardSubject subject;
  RegardMatrix *matrices[REGARD_METHOD_MATRIX_N_MATRICES];
  gboolean is_difference;
} Bench;

typedef struct {
  const Bench *bench;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  double font, x, width;
} Sheet;

static void
draw_name(const Sheet *s, const RegardMatrix *m, guint row, double y)
{
  regard_figure_text_within(s->canvas, s->x, y + ROW * s->font * 0.66, (NAMES - 0.5) * s->font,
                            m->row_labels[row].text, s->palette->text, FALSE, s->font,
                            REGARD_ANCHOR_START);
}

/* share: of the range, -1..1. */
static void
draw_cell(const Sheet *s, RegardRect box, double share, double number, double range, int part,
          guint row, guint col)
{
  regard_canvas_spot(s->canvas, box, part, (int) row, (int) col);
  if (!regard_figure_draws(s->canvas))
    return;
  char text[REGARD_CELL_TEXT];
  regard_cell_text(text, number, range);
  regard_figure_cell(s->canvas, s->style, box, 0, isnan(share) ? 0.5 : 0.5 + 0.5 * share, text,
                     box.y + box.height * 0.66, s->font * 0.78, 2 * s->font);
}

/* Log p when more and more tokens are hidden, between the largest and the least of all curves; of a
 * difference, with a line where it is 0. */
static void
draw_curve(const Sheet *s, guint row, double x, double y)
{
  const RegardMatrix *m = s->bench->matrices[REGARD_METHOD_MATRIX_DELETION];
  const double width = CURVE * s->font, height = (ROW - 0.5) * s->font;
  double lo = s->bench->is_difference ? 0 : INFINITY, hi = -lo;
  for (gsize i = 0; i < (gsize) m->rows * m->cols; i++) {
    lo = fmin(lo, m->values[i]);
    hi = fmax(hi, m->values[i]);
  }
  g_autofree RegardPoint *points = g_new(RegardPoint, m->cols);
  for (guint c = 0; c < m->cols; c++) {
    const double value = regard_matrix_get(m, row, c);
    points[c] = (RegardPoint){x + width * c / MAX(m->cols - 1, 1),
                              y + height * (hi > lo ? (hi - value) / (hi - lo) : 0)};
  }
  regard_canvas_spot(s->canvas, (RegardRect){x, y, width, height}, REGARD_METHOD_MATRIX_DELETION,
                     (int) row, 0);
  const double line = y + (s->bench->is_difference && hi > lo ? height * hi / (hi - lo) : height);
  regard_canvas_stroke_line(s->canvas, x, line, x + width, line, 0.4, s->palette->grid);
  regard_canvas_polyline(s->canvas, points, m->cols,
                         &(RegardPen){.width = 1, .argb = s->palette->accent});
}

static double
cell_width(const Sheet *s)
{
  const RegardMatrix *m = s->bench->matrices[REGARD_METHOD_MATRIX_VALUES];
  return (s->width - (NAMES + CURVE + NUMBER + 2 * GAP) * s->font) / (m->cols + 0.5);
}

static double
column_x(const Sheet *s, const RegardMatrix *m, guint col)
{
  return s->x + NAMES * s->font + (col + (col >= m->col_split ? 0.5 : 0)) * cell_width(s);
}

static void
draw_tokens(const Sheet *s, double y)
{
  const RegardMatrix *m = s->bench->matrices[REGARD_METHOD_MATRIX_VALUES];
  double size;
  guint step; /* where cells are narrow, every so many has its name */
  regard_label_fit(s->canvas, cell_width(s), s->font * 0.9, m->col_ticks, &size, &step);
  for (guint c = 0; c < m->cols; c += step)
    regard_figure_text(s->canvas, column_x(s, m, c) + cell_width(s) / 2 + size / 3,
                       y + TOKENS * s->font - s->font * 0.3, m->col_labels[c].text,
                       m->col_labels[c].special || m->col_labels[c].is_task ? s->palette->dim
                                                                            : s->palette->text,
                       FALSE, size, REGARD_ANCHOR_START, -90);
  const double right = s->x + s->width - NUMBER * s->font;
  regard_figure_text_within(s->canvas, right - CURVE * s->font, y + (TOKENS - 0.4) * s->font,
                            CURVE * s->font, _("tokens hidden"), s->palette->dim, FALSE,
                            s->font * 0.86, REGARD_ANCHOR_START);
  regard_figure_text_within(s->canvas, s->x + s->width, y + (TOKENS - 0.4) * s->font,
                            NUMBER * s->font, _("area"), s->palette->dim, FALSE, s->font * 0.86,
                            REGARD_ANCHOR_END);
}

/* Returns the height. */
static double
draw_methods(const Sheet *s, double y)
{
  const RegardMatrix *m = s->bench->matrices[REGARD_METHOD_MATRIX_VALUES];
  const RegardMatrix *areas = s->bench->matrices[REGARD_METHOD_MATRIX_AREA];
  const double top = y + TOKENS * s->font, gap = MIN(1, cell_width(s) / 8);
  draw_tokens(s, y);
  for (guint r = 0; r < m->rows; r++) {
    const double row = top + r * ROW * s->font, largest = regard_matrix_row_max(m, r);
    char number[32];
    draw_name(s, m, r, row);
    for (guint c = 0; c < m->cols; c++) {
      const double value = regard_matrix_get(m, r, c);
      draw_cell(s, (RegardRect){column_x(s, m, c), row, cell_width(s) - gap, ROW * s->font - gap},
                largest > 0 ? value / largest : 0, value, largest, REGARD_METHOD_MATRIX_VALUES, r,
                c);
    }
    draw_curve(s, r, s->x + s->width - (NUMBER + CURVE) * s->font, row + 0.2 * s->font);
    regard_figure_text(s->canvas, s->x + s->width, row + ROW * s->font * 0.66,
                       regard_figure_number(number, regard_matrix_get(areas, r, 0), 2),
                       s->palette->text, FALSE, s->font, REGARD_ANCHOR_END, 0);
  }
  return TOKENS * s->font + m->rows * ROW * s->font;
}

static double
draw_correlations(const Sheet *s, double y)
{
  const RegardMatrix *m = s->bench->matrices[REGARD_METHOD_MATRIX_SPEARMAN];
  const double width = MIN((s->width - NAMES * s->font) / m->cols, 7 * s->font);
  const double top = y + 3.2 * s->font;
  regard_figure_text(s->canvas, s->x, y + s->font,
                     s->bench->is_difference ? _("Rank correlation of the differences (Spearman)")
                                             : _("Rank correlation (Spearman)"),
                     s->palette->text, TRUE, s->font, REGARD_ANCHOR_START, 0);
  for (guint c = 0; c < m->cols; c++)
    regard_figure_text_within(s->canvas, s->x + NAMES * s->font + (c + 0.5) * width,
                              top - 0.4 * s->font, width, m->col_labels[c].text, s->palette->dim,
                              FALSE, s->font * 0.8, REGARD_ANCHOR_MIDDLE);
  for (guint r = 0; r < m->rows; r++) {
    const double row = top + r * ROW * s->font;
    draw_name(s, m, r, row);
    for (guint c = 0; c < m->cols; c++) {
      const double value = regard_matrix_get(m, r, c);
      draw_cell(s,
                (RegardRect){s->x + NAMES * s->font + c * width, row, width - 1, ROW * s->font - 1},
                value, value, 1, REGARD_METHOD_MATRIX_SPEARMAN, r, c);
    }
  }
  return 3.2 * s->font + m->rows * ROW * s->font;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const Bench *self = figure->subject;
  const double margin = font * REGARD_FIGURE_MARGIN;
  RegardFigureStyle style = figure->style;
  style.scale = REGARD_SCALE_LINEAR;
  const Sheet s = {
      self, canvas, regard_figure_palette(&style), &style, font, margin, width - 2 * margin};
  const RegardMatrix *m = self->matrices[REGARD_METHOD_MATRIX_VALUES];
  double y = margin;
  y += regard_figure_header(canvas, s.palette, margin, y, s.width,
                            regard_figure_title(&style, m->title), m->badges, font);
  y += draw_methods(&s, y) + 1.4 * font;
  y += draw_correlations(&s, y) + 0.6 * font;
  y += regard_figure_signed_footer(canvas, s.palette, &style, m, 1, margin, y, s.width, font);
  return y + margin;
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  return regard_matrix_ref(((const Bench *) figure->subject)->matrices[i]);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const Bench *self = figure->subject;
  const RegardMatrix *m = self->matrices[spot->part];
  if (spot->part == REGARD_METHOD_MATRIX_DELETION)
    return g_strdup_printf(self->is_difference
                               /* Translators: of B − A; a number with its sign */
                               ? _("%s: hiding what it rates highest costs %+.2f nats in B, "
                                   "compared with A, on average")
                               : _("%s: hiding what it rates highest costs %.2f nats on average"),
                           m->row_labels[spot->row].text,
                           regard_matrix_get(self->matrices[REGARD_METHOD_MATRIX_AREA],
                                             (guint) spot->row, 0));
  return g_strdup_printf("%s, %s: %.4g", m->row_labels[spot->row].text,
                         m->col_labels[spot->col].text,
                         regard_matrix_get(m, (guint) spot->row, (guint) spot->col));
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardMatrix *m = ((const Bench *) figure->subject)->matrices[spot->part];
  return regard_exact_copy(regard_matrix_get(m, (guint) spot->row, (guint) spot->col));
}

static void
clear(gpointer subject)
{
  Bench *self = subject;
  for (guint i = 0; i < REGARD_METHOD_MATRIX_N_MATRICES; i++)
    g_clear_pointer(&self->matrices[i], regard_matrix_unref);
}

RegardFigure *
regard_figure_new_method_comparison(const mt_method_comparison *bench,
                                    const RegardAttributionText *text,
                                    const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n = REGARD_METHOD_MATRIX_N_MATRICES,
      .new_matrix = new_matrix,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
  };
  Bench *self = regard_subject_alloc(sizeof *self, clear);
  self->is_difference = text->is_difference;
  for (RegardMethodMatrix i = 0; i < REGARD_METHOD_MATRIX_N_MATRICES; i++)
    self->matrices[i] = regard_position_editor_matrix(bench, i, text);
  return regard_figure_new(&klass, self, NULL, TRUE, style);
}
