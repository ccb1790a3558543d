/* canvas-recorder.c — a canvas that keeps what is drawn on it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "canvas-recorder.h"

#include <math.h>
#include <string.h>

static void
reach(RegardCanvas *canvas, double x, double y)
{
  Recorder *r = (Recorder *) canvas;
  g_assert_true(isfinite(x) && isfinite(y));
  r->left = MIN(r->left, x);
  r->top = MIN(r->top, y);
  r->right = MAX(r->right, x);
  r->bottom = MAX(r->bottom, y);
}

static void
reach_rect(RegardCanvas *canvas, RegardRect rect)
{
  g_assert_cmpfloat(rect.width, >=, 0);
  g_assert_cmpfloat(rect.height, >=, 0);
  reach(canvas, rect.x, rect.y);
  reach(canvas, rect.x + rect.width, rect.y + rect.height);
}

static void
record_fill(RegardCanvas *canvas, RegardRect rect, double radius, guint32 argb)
{
  /* The first is the background. */
  reach_rect(canvas, rect);
}

static void
record_stroke(RegardCanvas *canvas, RegardRect rect, double width, guint32 argb)
{
  reach_rect(canvas, rect);
}

static void
record_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1, double width,
            guint32 argb)
{
  reach(canvas, x0, y0);
  reach(canvas, x1, y1);
}

static void
record_polyline(RegardCanvas *canvas, const RegardPoint *points, guint n, const RegardPen *pen)
{
  Recorder *r = (Recorder *) canvas;
  for (guint i = 0; i < n; i++)
    reach(canvas, points[i].x, points[i].y);
  for (guint i = 0; i < r->n_dashes; i++)
    if (r->dashes[i] == pen->dash)
      return;
  g_assert_cmpuint(r->n_dashes, <, G_N_ELEMENTS(r->dashes));
  r->dashes[r->n_dashes++] = pen->dash;
}

static void
record_curve(RegardCanvas *canvas, const RegardPoint points[4], const RegardPen *pen)
{
  for (guint i = 0; i < 4; i++)
    reach(canvas, points[i].x, points[i].y);
}

static void
record_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans, guint n,
            double size, RegardAnchor anchor, double angle)
{
  const double width = regard_canvas_text_width(canvas, spans, n, size);
  const double before = anchor == REGARD_ANCHOR_START    ? 0
                        : anchor == REGARD_ANCHOR_MIDDLE ? width / 2
                                                         : width;
  const double up = 0.76 * size, high = 0.98 * size;
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < n; i++)
    g_string_append(text, spans[i].text);
  if (text->len == 0)
    return;
  /* Level, from below to above, or slanted as labels of columns, whose neighbours' boxes would
   * overlap: of these the first letter is kept, and how far they reach. */
  g_assert_true(angle == 0 || angle == -90 || angle == -45);
  if (angle == -45) {
    const RegardRect first = {x, baseline - up, MIN(size, width) / 2, high / 2};
    const double side = width * G_SQRT2 / 2;
    g_assert_true(anchor == REGARD_ANCHOR_START);
    reach_rect(canvas, (RegardRect){x, baseline - side, side, side});
    const Written slanted = {g_strdup(text->str), first};
    g_array_append_val(((Recorder *) canvas)->texts, slanted);
    return;
  }
  Written w = {g_strdup(text->str),
               angle == 0 ? (RegardRect){x - before, baseline - up, width, high}
                          : (RegardRect){x - up, baseline + before - width, high, width}};
  reach_rect(canvas, w.box);
  g_array_append_val(((Recorder *) canvas)->texts, w);
}

static void
written_clear(void *written)
{
  g_free(((Written *) written)->text);
}

static void
recorder_free(RegardCanvas *canvas)
{
  g_array_unref(((Recorder *) canvas)->texts);
  regard_canvas_clear(canvas);
  g_free(canvas);
}

Recorder *
record(RegardFigure *figure, double width, double font)
{
  static const RegardCanvasClass klass = {
      .fill_rect = record_fill,
      .stroke_rect = record_stroke,
      .stroke_line = record_line,
      .polyline = record_polyline,
      .curve = record_curve,
      .text = record_text,
      .free = recorder_free,
  };
  Recorder *r = g_new0(Recorder, 1);
  regard_canvas_init(&r->parent, &klass);
  r->texts = g_array_new(FALSE, FALSE, sizeof(Written));
  g_array_set_clear_func(r->texts, written_clear);
  regard_figure_paint(figure, &r->parent, width, font);
  return r;
}

gboolean
has_text(const Recorder *r, const char *part)
{
  for (guint i = 0; i < r->texts->len; i++)
    if (strstr(g_array_index(r->texts, Written, i).text, part))
      return TRUE;
  return FALSE;
}

static gboolean
overlap(const RegardRect *a, const RegardRect *b)
{
  const double touch = 0.2;
  return a->x + a->width > b->x + touch && b->x + b->width > a->x + touch &&
         a->y + a->height > b->y + touch && b->y + b->height > a->y + touch;
}

void
assert_on_page(const Recorder *r, RegardFigure *figure, double width, double font)
{
  const double height = regard_figure_height(figure, width, font);
  g_assert_cmpfloat(r->left, >=, 0);
  g_assert_cmpfloat(r->top, >=, 0);
  g_assert_cmpfloat(r->right, <=, width + 0.1);
  g_assert_cmpfloat(r->bottom, <=, height + 0.1);
  for (guint i = 0; i < r->texts->len; i++)
    for (guint k = 0; k < i; k++) {
      const Written *a = &g_array_index(r->texts, Written, i);
      const Written *b = &g_array_index(r->texts, Written, k);
      if (!overlap(&a->box, &b->box))
        continue;
      g_test_message("“%s” and “%s” overlap at %g × %g, font %g", a->text, b->text, width, height,
                     font);
      g_test_fail();
    }
}
