/* regard-heatmap-layout.c — where everything in the heatmap goes. Numbers only, no drawing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cells want to be as large as the space allows, the space depends on how long labels may be, and
 * labels depend on the size of the cells: solved by starting from generous labels and going round a
 * few times.
 */
#include "widgets/regard-heatmap-private.h"
#include <math.h>

#define GAP      REGARD_HEATMAP_GAP
#define MARGIN   2.0 /* around all */
#define MIN_TEXT 8.0 /* smallest font of labels, px */

#define MASS_WIDTH 3.2 /* of the bars of hidden mass, font sizes */

/* Whole device pixels, so that lines are crisp and cells equal; tiny cells need every fraction. */
static double
snap(double cell, int scale_factor)
{
  double device = cell * scale_factor;

  return device >= 6 ? floor(device) / scale_factor : cell;
}

/* Line height of a font. */
static double
line_height(double px)
{
  return px * 1.25;
}

/* What is to the right of the body, above it and beside it. */
static double
right_of_body(const RegardHeatmapLayout *out)
{
  return MAX(out->overhang, out->mass_w > 0 ? GAP + out->mass_w : 0);
}

/* Every k-th label: k so that they do not touch, and a number that is easy to count in. */
static guint
label_step(double cell, double px)
{
  static const guint steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

  if (cell >= REGARD_CELL_LABELS)
    return 1;
  if (cell < REGARD_CELL_SOME)
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
    if (steps[i] * cell >= line_height(px) * 1.15)
      return steps[i];
  return 0;
}

static void
label_geometry(const RegardHeatmapInput *in, double cell_w, double cell_h, RegardHeatmapLayout *out)
{
  double cell = MIN(cell_w, cell_h), shrink, angle, widest = 0, overhang = 0, max_length;
  double zoom = CLAMP(in->zoom, 1, REGARD_TEXT_ZOOM);

  out->angle = cell_w < REGARD_CELL_UPRIGHT ? 90 : 45;
  out->label_px = CLAMP(cell * 0.72, MIN_TEXT, in->font_px * zoom);
  out->value_px = CLAMP(cell * 0.34, 9, 15 * zoom);
  shrink = out->label_px / in->font_px;
  out->row_step = label_step(cell_h, out->label_px);
  out->col_step = label_step(cell_w, out->label_px);

  /* One very long word must not take the space of all cells; pointed at, it is shown whole. */
  out->row_label_max =
      MIN(MIN(in->row_label_width * shrink + 1, in->width * 0.34), out->label_px * 20);
  out->row_header_w = MAX(out->row_label_max, MIN(in->axis_width[0], in->width * 0.34)) + GAP;

  /* A label of length l leaning at 45° is l / sqrt 2 high, and the line's height comes on top. */
  angle = out->angle * G_PI / 180;
  for (guint i = 0; i < in->cols; i++)
    widest = MAX(widest, in->col_label_width[i] * shrink);
  max_length = MIN(in->height * 0.34 / sin(angle), out->label_px * 10);
  out->col_label_max = MIN(widest + 1, max_length);
  out->col_header_h =
      out->col_label_max * sin(angle) + line_height(out->label_px) * 0.75 * cos(angle) + GAP;

  if (out->angle < 90)
    for (guint i = 0; i < in->cols; i++) {
      double reach = MIN(in->col_label_width[i] * shrink, max_length) * cos(angle) +
                     line_height(out->label_px) * 0.4;

      overhang = MAX(overhang, reach - (in->cols - i - 0.5) * cell_w);
    }
  out->overhang = overhang;
  out->mass_w = in->has_mass ? MASS_WIDTH * in->font_px * zoom : 0;
  out->mass_h = in->has_mass ? line_height(in->font_px) + 4 : 0;
}

void
regard_heatmap_layout(const RegardHeatmapInput *in, RegardHeatmapLayout *out)
{
  double cell_w = REGARD_CELL_CAP, cell_h = REGARD_CELL_CAP, cap = REGARD_CELL_CAP;
  double room_w = 1, room_h = 1, used_w, used_h, top;

  *out = (RegardHeatmapLayout){0};
  if (in->rows == 0 || in->cols == 0 || in->width < 1 || in->height < 1)
    return;

  for (int round = 0; round < 4; round++) {
    double base, aspect;

    label_geometry(in, cell_w, cell_h, out);
    room_w = MAX(in->width - out->row_header_w - right_of_body(out) - 2 * MARGIN, 20);
    room_h = MAX(in->height - out->col_header_h - in->axis_height - out->mass_h - 2 * MARGIN, 20);
    cell_w = MIN(room_w / in->cols, cap);
    cell_h = MIN(room_h / in->rows, cap);
    base = MIN(cell_w, cell_h);
    /* Where cells are too small to be looked at one by one, space is worth more than their shape.
     */
    aspect = in->aspect > 1 && base < REGARD_CELL_LABELS ? in->aspect * 2 : in->aspect;
    cell_w = snap(MIN(cell_w, base * aspect), in->scale_factor);
    cell_h = snap(MIN(cell_h, base * aspect), in->scale_factor);
  }

  if (in->zoom > 1) {
    double zoom = MAX(MIN(in->zoom, REGARD_CELL_MAX / MAX(cell_w, cell_h)), 1);

    cell_w = snap(cell_w * zoom, in->scale_factor);
    cell_h = snap(cell_h * zoom, in->scale_factor);
    label_geometry(in, cell_w, cell_h, out);
    room_w = MAX(in->width - out->row_header_w - MARGIN * 2 -
                     (cell_w * in->cols <= in->width * 0.5 ? right_of_body(out)
                      : out->mass_w > 0                    ? GAP + out->mass_w
                                                           : 0),
                 20);
    room_h = MAX(in->height - out->col_header_h - in->axis_height - out->mass_h - 2 * MARGIN, 20);
  } else
    label_geometry(in, cell_w, cell_h, out);

  out->cell_w = cell_w;
  out->cell_h = cell_h;
  out->content_w = cell_w * in->cols;
  out->content_h = cell_h * in->rows;
  out->body_w = MIN(out->content_w, room_w);
  out->body_h = MIN(out->content_h, room_h);
  out->lines = MIN(cell_w, cell_h) >= REGARD_CELL_LABELS;
  out->values = MIN(cell_w, cell_h) >= REGARD_CELL_VALUES;

  /* In the middle, and a little above the middle: calm at any size. */
  used_w = out->row_header_w + out->body_w + MIN(right_of_body(out), in->width);
  used_h = out->col_header_h + in->axis_height + out->body_h + out->mass_h;
  top = MIN((in->height - used_h) * 0.3, 40);
  out->body_x = floor(MAX((in->width - used_w) / 2, MARGIN) + out->row_header_w);
  out->body_y = floor(MAX(top, MARGIN) + in->axis_height + out->col_header_h);
}
