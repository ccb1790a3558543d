/* regard-inside-row.c — equation 1 for one query: each key a line, from left to right.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     softmax(q Kᵀ / √d_k) V                                      the paper, equation 1
 *
 * What a step has not reached yet is left empty at its place, so that nothing moves when it comes.
 */
#include "figures/regard-inside-draw.h"

#include <glib/gi18n.h>
#include <math.h>

/* In font sizes. */
#define PITCH  1.72 /* of lines */
#define BAND   1.22 /* height of a strip */
#define GUTTER 1.1
#define LABEL  8.5 /* of the tokens, at most */
#define NUMBER 5.0
#define OUTPUT 25.0 /* what it adds, and all heads, at the right */
#define FEWEST 40.0 /* the strips share at least so much */

/* Where the columns are. */
typedef struct {
  const InsideDraw *d;
  double x, y, width, label, strip;
  double keys, product, scaled, mask, exp, weight, values, weighted; /* left edges */
  double number;
  double first; /* top of the first key's line */
} Row;

static void
lay_out(Row *r)
{
  const InsideDraw *d = r->d;
  const double f = d->font, gutter = GUTTER * f;
  double label = 0;
  for (guint j = 0; j < d->in->cols; j++) {
    const RegardSpan span = {d->in->col_texts[j], 0xff000000, TRUE};
    label = MAX(label, regard_canvas_text_width(d->canvas, &span, 1, f));
  }
  r->label = CLAMP(label, 4 * f, LABEL * f);
  r->number = NUMBER * f;
  const double numbers = 5 * r->number;
  r->strip = MAX((r->width - r->label - numbers - 4.5 * gutter) / 3, FEWEST * f / 3 / 2);
  r->keys = r->x + r->label + gutter * 0.6;
  r->product = r->keys + r->strip;
  r->scaled = r->product + r->number;
  r->mask = r->scaled + r->number;
  r->exp = r->mask + r->number * 0.8;
  r->weight = r->exp + r->number * 1.1 + gutter * 0.6;
  r->values = r->weight + r->number + gutter;
  r->weighted = r->values + r->strip + gutter;
}

static gboolean
has_step(const Row *r, RegardInsideStep step)
{
  return r->d->look->step >= step;
}

/* A column's name, and what was done in it below. */
static void
title(const Row *r, double x, double width, const char *name, const char *note, RegardAnchor anchor)
{
  const double f = r->d->font;
  inside_text(r->d, x, r->y + f, width, name, FALSE, TRUE, anchor);
  inside_text(r->d, x, r->y + 2.3 * f, width, note, TRUE, FALSE, anchor);
}

static void
draw_titles(const Row *r)
{
  const RegardInside *in = r->d->in;
  const double n = r->number * 0.96;
  char root[32], domain[32];
  g_autofree char *count =
      g_strdup_printf(_("%u numbers each, colours to ±%s"), in->d_head,
                      g_ascii_formatd(domain, sizeof domain, "%g", in->domain));
  g_autofree char *scale = g_strdup_printf("÷ √%u", in->d_head);
  g_autofree char *by = g_strdup_printf("÷ %s", regard_figure_number(root, sqrt(in->d_head), 3));
  title(r, r->keys, r->strip, _("keys k"), count, REGARD_ANCHOR_START);
  title(r, r->product + r->number, n, _("q·k"), _("sum"), REGARD_ANCHOR_END);
  title(r, r->scaled + r->number, n, scale, by, REGARD_ANCHOR_END);
  title(r, r->mask + r->number * 0.8, n * 0.8, _("mask"), _("0, −∞"), REGARD_ANCHOR_END);
  title(r, r->exp + r->number * 1.1, n, _("exp"), _("− max"), REGARD_ANCHOR_END);
  title(r, r->weight + r->number / 2, n, _("weight"), _("÷ Σ"), REGARD_ANCHOR_MIDDLE);
  title(r, r->values, r->strip, _("values v"), _("of the same tokens"), REGARD_ANCHOR_START);
  title(r, r->weighted, r->strip, _("weight · v"), _("summed below"), REGARD_ANCHOR_START);
}

/* ---- The query ------------------------------------------------------------------------------- */

static double
largest(const float *values, gsize n)
{
  double most = 1e-6;
  for (gsize i = 0; i < n; i++)
    most = MAX(most, fabs((double) values[i]));
  return most;
}

/* W_Q in colours: a line for each component of q. */
static double
draw_map(const Row *r, double x, double y, double width)
{
  const InsideDraw *d = r->d;
  const mt_matrix w = d->in->w[MT_MAP_QUERY];
  const double line = MAX(d->font * 0.32, 2.4);
  double domain = 1e-6;
  for (gsize i = 0; i < w.rows; i++)
    domain = MAX(domain, largest(w.data + i * w.stride, w.cols));
  for (gsize i = 0; i < w.rows; i++) {
    const InsideStrip strip = {w.data + i * w.stride, (guint) w.cols, 1, domain,
                               REGARD_SPOT_W_QUERY,   (int) i};
    inside_strip(d, (RegardRect){x, y + (double) i * line, width, line}, &strip);
  }
  return (double) w.rows * line;
}

/* From the stream to q; returns its height. */
static double
draw_query(const Row *r, double y)
{
  const InsideDraw *d = r->d;
  const RegardInside *in = d->in;
  const double f = d->font, band = BAND * f, pitch = PITCH * f, end = r->x + r->label;
  const double wide = r->product + r->number * 3 - r->keys; /* as far as the numbers */
  const float *read = in->read + (gsize) in->query * in->d;
  const gboolean is_normed = mt_model_config(in->model)->normalize_before;
  const double top = y;
  InsideStrip stream = {in->stream, in->d, 1, largest(in->stream, in->d), REGARD_SPOT_STREAM, 0};
  char norm[32];
  g_autofree char *length =
      g_strdup_printf("‖%s‖  %u %s", regard_figure_number(norm, in->stream_norm, 2), in->d,
                      _("numbers"));
  inside_text(d, end, y + f * 1.05, r->label, _("stream"), TRUE, FALSE, REGARD_ANCHOR_END);
  inside_strip(d, (RegardRect){r->keys, y, wide, band}, &stream);
  inside_text(d, r->keys + wide + f * 0.8, y + f * 1.05, r->number * 3, length, TRUE, FALSE,
              REGARD_ANCHOR_START);
  y += pitch;
  if (is_normed) {
    InsideStrip normed = {read, in->d, 1, largest(read, in->d), REGARD_SPOT_READ, 0};
    inside_text(d, end, y + f * 1.05, r->label, _("layer norm"), TRUE, FALSE, REGARD_ANCHOR_END);
    inside_strip(d, (RegardRect){r->keys, y, wide, band}, &normed);
    y += pitch;
  }
  if (d->look->maps) {
    inside_text(d, end, y + f * 1.05, r->label, "W_Q", TRUE, FALSE, REGARD_ANCHOR_END);
    y += draw_map(r, r->keys, y, wide) + (pitch - band);
  }
  InsideStrip q = {
      in->q.data + in->query * in->q.stride, in->d_head, 1, in->domain, REGARD_SPOT_QUERY, 0};
  inside_text(d, end, y + f * 1.05, r->label, "q", FALSE, TRUE, REGARD_ANCHOR_END);
  inside_strip(d, (RegardRect){r->keys, y, r->strip - f * 0.4, band}, &q);
  inside_text(d, r->keys + r->strip + f * 0.4, y + f * 1.05, r->number * 4,
              in->b[MT_MAP_QUERY] ? "= W_Q x + b_Q" : "= W_Q x", TRUE, FALSE, REGARD_ANCHOR_START);
  return y + pitch * 1.25 - top;
}

/* ---- A key ----------------------------------------------------------------------------------- */

/* A number at the right end of its column, and its spot. */
static void
number(const Row *r, double x, double width, double y, const char *text, gboolean bold, int part,
       int row)
{
  const double f = r->d->font;
  inside_text(r->d, x + width, y + f * 1.05, width, text, FALSE, bold, REGARD_ANCHOR_END);
  regard_canvas_spot(r->d->canvas, (RegardRect){x + width * 0.25, y, width * 0.75 + 2, BAND * f},
                     part, row, -1);
}

static void
draw_weight(const Row *r, double y, guint j)
{
  const InsideDraw *d = r->d;
  const double f = d->font, weight = mt_matrix_at(&d->in->weights, d->in->query, j);
  const RegardRect box = {r->weight, y, r->number, BAND * f};
  const guint32 colour = regard_colormap_lookup(d->weight_map, weight);
  char text[32];
  regard_canvas_fill_rect(d->canvas, box, 2, d->in->allowed[j] ? colour : d->palette->masked);
  const guint32 ink = !d->in->allowed[j]                      ? d->palette->dim
                      : regard_color_wants_black_text(colour) ? 0xff000000
                                                              : 0xffffffff;
  if (regard_figure_draws(d->canvas))
    regard_figure_text(d->canvas, r->weight + r->number / 2, y + f * 0.98,
                       regard_figure_number(text, weight, 3), ink, FALSE, f, REGARD_ANCHOR_MIDDLE,
                       0);
  regard_canvas_spot(d->canvas, box, REGARD_SPOT_WEIGHT, (int) j, -1);
}

/* Where a step has not come yet. */
static void
empty(const Row *r, double x, double y, double width)
{
  regard_canvas_fill_rect(r->d->canvas, (RegardRect){x, y, width, BAND * r->d->font}, 2,
                          r->d->palette->bar_background);
}

static void
draw_numbers(const Row *r, double y, guint j, gboolean bold)
{
  const RegardInside *in = r->d->in;
  char text[32];
  if (has_step(r, REGARD_STEP_PRODUCT))
    number(r, r->product, r->number, y, regard_figure_number(text, in->product[j], 2), bold,
           REGARD_SPOT_PRODUCT, (int) j);
  if (has_step(r, REGARD_STEP_SCALE))
    number(r, r->scaled, r->number, y, regard_figure_number(text, in->scaled[j], 3), bold,
           REGARD_SPOT_SCALED, (int) j);
  if (has_step(r, REGARD_STEP_MASK))
    number(r, r->mask, r->number * 0.8, y, in->allowed[j] ? "0" : "−∞", bold, REGARD_SPOT_MASK,
           (int) j);
  if (has_step(r, REGARD_STEP_EXP))
    number(r, r->exp, r->number * 1.1, y, regard_figure_number(text, in->exp[j], 4), bold,
           REGARD_SPOT_EXP, (int) j);
}

static void
draw_key(const Row *r, guint j)
{
  const InsideDraw *d = r->d;
  const RegardInside *in = d->in;
  const double f = d->font, band = BAND * f, y = r->first + j * PITCH * f;
  const gboolean is_cell = j == in->key;
  const double weight = mt_matrix_at(&in->weights, in->query, j);
  if (is_cell)
    regard_canvas_fill_rect(d->canvas,
                            (RegardRect){r->x - f * 0.3, y - (PITCH - BAND) * f / 2,
                                         r->weighted + r->strip - r->x + f * 0.6, PITCH * f},
                            3, d->palette->badge_fill & 0x7fffffff);
  inside_text(d, r->x + r->label, y + f * 1.05, r->label, in->col_texts[j], FALSE, is_cell,
              REGARD_ANCHOR_END);
  regard_canvas_spot(d->canvas, (RegardRect){r->x, y, r->label, band}, REGARD_SPOT_TOKEN, (int) j,
                     -1);
  const InsideStrip key = {
      in->k.data + j * in->k.stride, in->d_head, 1, in->domain, REGARD_SPOT_KEY, (int) j};
  inside_strip(d, (RegardRect){r->keys, y, r->strip - f * 0.4, band}, &key);
  draw_numbers(r, y, j, is_cell);
  if (has_step(r, REGARD_STEP_WEIGHT))
    draw_weight(r, y, j);
  else
    empty(r, r->weight, y, r->number);
  const InsideStrip value = {
      in->v.data + j * in->v.stride, in->d_head, 1, in->domain, REGARD_SPOT_VALUE, (int) j};
  const InsideStrip weighted = {in->v.data + j * in->v.stride, in->d_head, weight, in->domain,
                                REGARD_SPOT_WEIGHTED,          (int) j};
  inside_strip(d, (RegardRect){r->values, y, r->strip, band}, &value);
  if (has_step(r, REGARD_STEP_CONTEXT))
    inside_strip(d, (RegardRect){r->weighted, y, r->strip, band}, &weighted);
  else
    empty(r, r->weighted, y, r->strip);
}

/* The sums below the lines. */
static void
draw_sums(const Row *r, double y)
{
  const InsideDraw *d = r->d;
  const RegardInside *in = d->in;
  const double f = d->font;
  char text[32];
  double sum = 0;
  if (has_step(r, REGARD_STEP_EXP)) {
    g_autofree char *total = g_strdup_printf("Σ = %s", regard_figure_number(text, in->sum, 4));
    number(r, r->exp - r->number * 0.4, r->number * 1.5, y, total, FALSE, REGARD_SPOT_SUM, 0);
  }
  for (guint j = 0; j < in->cols; j++)
    sum += mt_matrix_at(&in->weights, in->query, j);
  if (has_step(r, REGARD_STEP_WEIGHT))
    inside_text(d, r->weight + r->number / 2, y + f * 1.05, r->number,
                regard_figure_number(text, sum, 3), FALSE, FALSE, REGARD_ANCHOR_MIDDLE);
  if (!has_step(r, REGARD_STEP_CONTEXT))
    return;
  const InsideStrip context = {in->context.data + in->query * in->context.stride,
                               in->d_head,
                               1,
                               in->domain,
                               REGARD_SPOT_CONTEXT,
                               0};
  const RegardSpan spans[] = {{_("context"), d->palette->text, TRUE},
                              {" Σ", d->palette->dim, FALSE}};
  regard_canvas_text(d->canvas, r->weighted - f * 0.5, y + f * 1.05, spans, 2, f, REGARD_ANCHOR_END,
                     0);
  inside_strip(d, (RegardRect){r->weighted, y, r->strip, BAND * f}, &context);
}

/* ---- What it adds ---------------------------------------------------------------------------- */

double
inside_draw_output(const InsideDraw *d, double x, double y, double width)
{
  const RegardInside *in = d->in;
  const double f = d->font, top = y;
  const float *added = in->added + (gsize) in->head * in->d;
  const struct {
    const char *name;
    double norm;
  } lines[] = {{_("added to the stream"), in->added_norm[in->head]},
               {_("all heads and bias"), in->output_norm},
               {_("the stream before"), in->stream_norm}};
  char text[32];
  y += inside_heading(d, x, y, width, _("After W_O"), NULL);
  if (d->look->step < REGARD_STEP_OUTPUT) {
    regard_canvas_fill_rect(d->canvas, (RegardRect){x, y, width, BAND * f}, 2,
                            d->palette->bar_background);
    return y + BAND * f + 4.6 * f - top;
  }
  const InsideStrip strip = {added, in->d, 1, largest(added, in->d), REGARD_SPOT_ADDED, 0};
  inside_strip(d, (RegardRect){x, y, width, BAND * f}, &strip);
  y += BAND * f + 0.5 * f;
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autofree char *norm = g_strdup_printf("‖%s‖", regard_figure_number(text, lines[i].norm, 2));
    y += 1.4 * f;
    inside_text(d, x, y, width * 0.7, lines[i].name, TRUE, FALSE, REGARD_ANCHOR_START);
    inside_text(d, x + width, y, width * 0.4, norm, FALSE, FALSE, REGARD_ANCHOR_END);
  }
  return y + 0.5 * f - top;
}

/* ---- The whole ------------------------------------------------------------------------------- */

gboolean
inside_is_wide(const InsideDraw *d, double width)
{
  return width >= INSIDE_WIDE * d->font;
}

double
inside_draw_row(const InsideDraw *d, double x, double y, double width)
{
  const double f = d->font;
  const gboolean is_wide = inside_is_wide(d, width);
  Row r = {.d = d, .x = x, .y = y, .width = is_wide ? width - (OUTPUT + 2) * f : width};
  lay_out(&r);
  if (has_step(&r, REGARD_STEP_QUERY))
    r.y += draw_query(&r, r.y);
  draw_titles(&r);
  r.first = r.y + 3.4 * f;
  for (guint j = 0; j < d->in->cols; j++)
    draw_key(&r, j);
  const double sums = r.first + d->in->cols * PITCH * f + 0.2 * f;
  double end = sums + PITCH * f;
  draw_sums(&r, sums);
  const double left = x + r.label + 0.6 * GUTTER * f;
  if (is_wide) {
    const double right = x + width - OUTPUT * f;
    double bottom = r.y + inside_draw_output(d, right, r.y, OUTPUT * f);
    if (d->look->parts & REGARD_INSIDE_HEADS)
      bottom += 1.2 * f + inside_draw_heads(d, right, bottom + 1.2 * f, OUTPUT * f);
    end = MAX(end, bottom);
  } else
    end += f + inside_draw_output(d, left, end + f, MIN(width - r.label - f, 2 * OUTPUT * f));
  return end - y;
}
