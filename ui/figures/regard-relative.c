/* regard-relative.c — relative positions: what each head adds to a score by the distance of the key
 * from the query, as a matrix and as small curves beside each other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * T5 (Raffel et al. 2020) adds no positions to its tokens. Distances share numbers: near ones have
 * one each, those further away one for a range, a bucket.
 */
#include "figures/regard-relative.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"

#include <math.h>
#include <string.h>

/* ---- Matrices -------------------------------------------------------------------------------- */

static void
label_head(gconstpointer data, guint i, RegardLabel *label)
{
  label->text = g_strdup_printf(_("head %u"), i + 1);
  label->piece = g_strdup_printf("head %u", i + 1);
}

/* values [heads][first … last], taken. layer -1: all have the same. */
static RegardMatrix *
new_matrix(const char *model_name, mt_stack stack, int layer, guint n_heads, int first, int last,
           float *values)
{
  const guint n = (guint) (last - first + 1);
  const gboolean is_encoder = stack == MT_STACK_ENCODER;
  g_auto(GStrv) distances = g_new0(char *, n + 1);
  g_autofree char *title =
      layer >= 0 ? g_strdup_printf(is_encoder ? _("Bias by distance · encoder · layer %d")
                                              : _("Bias by distance · decoder · layer %d"),
                                   layer + 1)
                 : g_strdup(is_encoder ? _("Bias by distance · encoder")
                                       : _("Bias by distance · decoder"));
  for (guint i = 0; i < n; i++)
    distances[i] = g_strdup_printf("%d", first + (int) i);
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "bias",
      .title = title,
      .value_name = _("bias"),
      .model_name = model_name,
      .rows = {.n = n_heads, .title = _("head"), .label = label_head},
      .cols = regard_axis_texts((const char *const *) distances, n,
                                _("distance of the key from the query")),
      .values = values,
      .range = REGARD_RANGE_SIGNED,
  });
}

RegardMatrix *
regard_matrix_new_relative(const mt_model *model, mt_stack stack, guint layer, guint n)
{
  const mt_config *config = mt_model_config(model);
  const mt_attention_kind kind = stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF;
  const guint n_heads = (guint) config->n_heads[stack];
  const int first = 1 - (int) n, last = stack == MT_STACK_ENCODER ? (int) n - 1 : 0;
  const gsize width = (gsize) (last - first + 1);
  if (config->position_kind != MT_POSITIONS_RELATIVE || n == 0)
    return NULL;
  layer = MIN(layer, (guint) config->n_layers[stack] - 1);
  float *values = g_new(float, n_heads *width);
  for (guint h = 0; h < n_heads; h++)
    for (gsize i = 0; i < width; i++)
      values[h * width + i] = mt_model_score_bias(model, kind, layer, h, first + (long) i);
  return new_matrix(mt_model_name(model), stack, config->bias_each_layer ? (int) layer : -1,
                    n_heads, first, last, values);
}

RegardMatrix *
regard_matrix_new_relative_of(const mt_capture *capture, mt_stack stack, guint layer)
{
  const mt_attention_kind kind = stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF;
  const guint n_layers = (guint) mt_capture_n_layers(capture, kind);
  const guint n_heads = (guint) mt_capture_n_heads(capture, kind);
  if (n_layers == 0 || n_heads == 0)
    return NULL;
  layer = MIN(layer, n_layers - 1);
  const mt_matrix row = mt_capture_score_bias(capture, kind, layer, 0);
  if (!row.data)
    return NULL;
  const int reach = (int) (row.cols / 2), last = stack == MT_STACK_ENCODER ? reach : 0;
  const gsize width = (gsize) (last + reach + 1);
  float *values = g_new(float, n_heads *width);
  for (guint h = 0; h < n_heads; h++)
    memcpy(values + h * width, mt_capture_score_bias(capture, kind, layer, h).data,
           width * sizeof *values);
  const gboolean is_own = n_layers > 1 && mt_capture_score_bias(capture, kind, 1, 0).data !=
                                              mt_capture_score_bias(capture, kind, 0, 0).data;
  return new_matrix(*mt_capture_file_name(capture) ? mt_capture_file_name(capture)
                                                   : mt_capture_model_name(capture),
                    stack, is_own ? (int) layer : -1, n_heads, -reach, last, values);
}

/* ---- Curves ---------------------------------------------------------------------------------- */

/* In font sizes. */
#define PANEL  19.0 /* as wide, at least */
#define HEIGHT 7.0  /* of a curve */
#define TITLE  1.7
#define TICKS  2.6 /* room for the numbers below */
#define SCALE  3.2 /* … and left of the first column */
#define GAP    1.6

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardMatrix *m;
  int head;
  double font, most; /* the axis reaches from -most to most */
} Draw;

/* The distance that a column is of. */
static int
distance_of(const RegardMatrix *m, guint col)
{
  return (int) g_ascii_strtoll(m->col_labels[col].text, NULL, 10);
}

/* Whether a bucket ends before a column. */
static gboolean
begins_bucket(const RegardMatrix *m, guint col)
{
  for (guint h = 0; h < m->rows; h++)
    if (regard_matrix_get(m, h, col) != regard_matrix_get(m, h, col - 1))
      return TRUE;
  return FALSE;
}

/* Columns of the bucket that a column is in. */
static void
find_bucket(const RegardMatrix *m, guint col, guint *first, guint *last)
{
  *first = *last = col;
  while (*first > 0 && !begins_bucket(m, *first))
    (*first)--;
  while (*last + 1 < m->cols && !begins_bucket(m, *last + 1))
    (*last)++;
}

static void
draw_number(const Draw *d, double x, double baseline, double value, int decimals,
            RegardAnchor anchor)
{
  char text[32];
  regard_figure_text(d->canvas, x, baseline, regard_figure_number(text, value, decimals),
                     d->palette->dim, FALSE, 0.85 * d->font, anchor, 0);
}

static void
draw_axes(const Draw *d, RegardRect plot, gboolean with_scale)
{
  const double f = d->font, zero = plot.y + plot.height / 2, bottom = plot.y + plot.height;
  const double pitch = plot.width / d->m->cols;
  const int ends[] = {distance_of(d->m, 0), 0, distance_of(d->m, d->m->cols - 1)};
  regard_canvas_stroke_rect(d->canvas, plot, 0.5, d->palette->grid);
  regard_canvas_stroke_line(d->canvas, plot.x, zero, plot.x + plot.width, zero, 0.5,
                            d->palette->frame);
  for (guint c = 1; c < d->m->cols; c++)
    if (begins_bucket(d->m, c))
      regard_canvas_stroke_line(d->canvas, plot.x + c * pitch, bottom, plot.x + c * pitch,
                                bottom + 0.4 * f, 0.5, d->palette->dim);
  for (guint i = 0; i < G_N_ELEMENTS(ends); i++)
    if (i == 1 || ends[i] != 0)
      draw_number(d, plot.x + (ends[i] - ends[0] + 0.5) * pitch, bottom + 1.5 * f, ends[i], 0,
                  i == 0                                        ? REGARD_ANCHOR_START
                  : i == 2 || ends[G_N_ELEMENTS(ends) - 1] == 0 ? REGARD_ANCHOR_END
                                                                : REGARD_ANCHOR_MIDDLE);
  for (int level = -1; with_scale && level <= 1; level++)
    draw_number(d, plot.x - 0.5 * f, zero - level * plot.height / 2 + 0.3 * f, level * d->most,
                level ? 2 : 0, REGARD_ANCHOR_END);
}

/* As a stair, for a number holds for a whole distance; filled down to 0. Distances that follow each
 * other with the same number are one step. */
static void
draw_curve(const Draw *d, RegardRect plot, guint head)
{
  const double pitch = plot.width / d->m->cols, zero = plot.y + plot.height / 2;
  const double unit = plot.height / 2 / d->most;
  double before = zero;
  for (guint c = 0, end; c < d->m->cols; c = end) {
    const float value = regard_matrix_get(d->m, head, c);
    for (end = c + 1; end < d->m->cols && regard_matrix_get(d->m, head, end) == value;)
      end++;
    const double x = plot.x + c * pitch, width = (end - c) * pitch, y = zero - value * unit;
    const guint32 ink = value < 0 ? 0xff3584e4 : 0xffc64600;
    regard_canvas_fill_rect(d->canvas,
                            (RegardRect){x, MIN(y, zero), width, MAX(fabs(y - zero), 0.01)}, 0,
                            (ink & 0xffffff) | 0x50000000);
    if (c > 0)
      regard_canvas_stroke_line(d->canvas, x, before, x, y, 1, ink);
    regard_canvas_stroke_line(d->canvas, x, y, x + width, y, 1, ink);
    before = y;
  }
}

static void
draw_panel(const Draw *d, RegardRect place, guint head, gboolean with_scale)
{
  const double f = d->font, pitch = place.width / d->m->cols;
  const RegardRect plot = {place.x, place.y + TITLE * f, place.width,
                           place.height - (TITLE + TICKS) * f};
  regard_figure_text(d->canvas, place.x, place.y + f, d->m->row_labels[head].text, d->palette->text,
                     (int) head == d->head, f, REGARD_ANCHOR_START, 0);
  if (regard_figure_draws(d->canvas)) {
    draw_axes(d, plot, with_scale);
    draw_curve(d, plot, head);
  }
  for (guint c = 0; d->canvas->klass->spot && c < d->m->cols; c++)
    regard_canvas_spot(d->canvas, (RegardRect){plot.x + c * pitch, plot.y, pitch, plot.height}, 0,
                       (int) head, (int) c);
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardMatrix *m = figure->subject;
  const RegardRelativeOptions *look = figure->options;
  const double margin = REGARD_FIGURE_MARGIN * font, inner = width - 2 * margin - SCALE * font;
  const guint columns =
      CLAMP((guint) ((inner + GAP * font) / ((PANEL + GAP) * font)), 1, MAX(m->rows, 1));
  const double panel = (inner - (columns - 1) * GAP * font) / columns;
  const double height = (TITLE + TICKS + HEIGHT * figure->stretch) * font;
  Draw d = {.canvas = canvas,
            .palette = regard_figure_palette(&figure->style),
            .m = m,
            .head = look->head,
            .font = font,
            .most = MAX(m->hi, 1e-6)};
  double y = margin;
  y += regard_figure_header(canvas, d.palette, margin, y, width - 2 * margin,
                            regard_figure_title(&figure->style, m->title), m->badges, font);
  for (guint h = 0; h < m->rows; h++) {
    const RegardRect place = {margin + SCALE * font + (h % columns) * (panel + GAP * font),
                              y + (h / columns) * height, panel, height};
    draw_panel(&d, place, h, h % columns == 0);
  }
  y += (m->rows + columns - 1) / columns * height;
  y += regard_figure_model(canvas, d.palette, &figure->style, m->model_name, width - margin, y,
                           0.6 * font, 0.9 * font);
  return y + margin;
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardMatrix *m = figure->subject;
  const guint col = (guint) spot->col;
  const double value = regard_matrix_get(m, (guint) spot->row, col);
  guint first, last;
  find_bucket(m, col, &first, &last);
  const char *head = m->row_labels[spot->row].text;
  return first == last
             ? regard_strdup_printf(_("%s, distance %+d: %+.3f"), head, distance_of(m, col), value)
             : regard_strdup_printf(_("%s, distance %+d: %+.3f, as from %+d to %+d"), head,
                                    distance_of(m, col), value, distance_of(m, first),
                                    distance_of(m, last));
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  return regard_exact_copy(
      regard_matrix_get(figure->subject, (guint) spot->row, (guint) spot->col));
}

RegardFigure *
regard_figure_new_relative(RegardMatrix *matrix, const RegardRelativeOptions *options,
                           const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {.options_size = sizeof *options,
                                          .draw = draw,
                                          .has_no_scale = TRUE,
                                          .describe_spot = describe,
                                          .copy_spot = copy};
  return regard_figure_new(&klass, regard_matrix_ref(matrix), options, TRUE, style);
}
