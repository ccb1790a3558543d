/* regard-raster.c — a matrix as pixels: one pixel a cell, or max-pooled to a size.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pooling happens on values, before scale and colours: every scale is monotone in the absolute
 * value, so the largest cell stays the strongest colour, and only the pooled pixels are coloured.
 * That makes a thumbnail of 512 x 512 cells one linear read.
 */
#include "figures/regard-raster.h"
#include <math.h>

/* Values with a mask and their colours, whatever holds them. */
typedef struct {
  const float *data;
  gsize rows, cols, stride;
  double lo, hi;
  const RegardMatrix *matrix; /* NULL: rows and columns are tokens */
  mt_attention_mask mask;
  const RegardColormap *colormap;
  RegardScale scale;
  guint32 masked; /* premultiplied */
} Source;

static guint32
premultiply(guint32 argb)
{
  guint32 a = argb >> 24, r = argb >> 16 & 0xff, g = argb >> 8 & 0xff, b = argb & 0xff;
  return a << 24 | (r * a + 127) / 255 << 16 | (g * a + 127) / 255 << 8 | (b * a + 127) / 255;
}

static gboolean
source_is_masked(const Source *s, gsize row, gsize row_end, gsize col, gsize col_end)
{
  if (mt_attention_mask_is_empty(s->mask))
    return FALSE;
  if (s->matrix) /* whose rows and columns may be words, or be hidden */
    return regard_matrix_is_block_masked(s->matrix, (guint) row, (guint) row_end, (guint) col,
                                         (guint) col_end);
  return mt_attention_mask_hides(s->mask, row, row_end, col, col_end);
}

/* Never NaN unless a is. */
static inline float
stronger(float a, float b)
{
  return fabsf(b) > fabsf(a) ? b : a;
}

/* Inner loops have a fixed length so that the compiler makes vectors of them. */
#define LANES 8

static double
row_max(const float *row, gsize n)
{
  float max[LANES] = {0};
  gsize i = 0;
  for (; i + LANES <= n; i += LANES)
    for (gsize k = 0; k < LANES; k++)
      max[k] = stronger(max[k], row[i + k]);
  for (; i < n; i++)
    max[0] = stronger(max[0], row[i]);
  for (gsize k = 1; k < LANES; k++)
    max[0] = stronger(max[0], max[k]);
  return fabsf(max[0]);
}

static void
pool_row(float *restrict line, const float *restrict row, gsize n, float factor)
{
  gsize i = 0;
  for (; i + LANES <= n; i += LANES)
    for (gsize k = 0; k < LANES; k++)
      line[i + k] = stronger(line[i + k], row[i + k] * factor);
  for (; i < n; i++)
    line[i] = stronger(line[i], row[i] * factor);
}

/* Rows [r0, r1) to one line of the strongest values. With the per-row scale each row is divided by
 * its own maximum first, so that rows of one block compare as they are coloured. */
static void
pool_rows(const Source *s, gsize r0, gsize r1, float *line)
{
  for (gsize i = 0; i < s->cols; i++)
    line[i] = 0;
  for (gsize r = r0; r < r1; r++) {
    const float *row = s->data + r * s->stride;
    float factor = 1;
    if (s->scale == REGARD_SCALE_ROW) {
      double max = row_max(row, s->cols);
      factor = max > 0 ? (float) (1 / max) : 0;
    }
    pool_row(line, row, s->cols, factor);
  }
}

/* height <= rows, width <= cols. */
static cairo_surface_t *
rasterise(const Source *s, gsize width, gsize height)
{
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int) width, (int) height);
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS)
    return surface; /* drawing from it draws nothing */
  cairo_surface_flush(surface);
  guint8 *pixels = cairo_image_surface_get_data(surface);
  gsize stride = (gsize) cairo_image_surface_get_stride(surface);
  float *line = g_new(float, MAX(s->cols, 1));

  for (gsize y = 0; y < height; y++) {
    gsize r0 = y * s->rows / height, r1 = (y + 1) * s->rows / height;
    guint32 *out = (guint32 *) (void *) (pixels + y * stride);
    pool_rows(s, r0, r1, line);
    for (gsize x = 0; x < width; x++) {
      gsize c0 = x * s->cols / width, c1 = (x + 1) * s->cols / width;
      if (source_is_masked(s, r0, r1, c0, c1)) {
        out[x] = s->masked;
        continue;
      }
      float value = line[c0];
      for (gsize c = c0 + 1; c < c1; c++)
        value = stronger(value, line[c]);
      out[x] =
          regard_colormap_lookup(s->colormap, regard_scale_apply(s->scale, value, s->lo, s->hi, 1));
    }
  }
  g_free(line);
  cairo_surface_mark_dirty(surface);
  return surface;
}

static const RegardColormap *
default_map(const RegardColormap *colormap, gboolean diverging)
{
  return colormap    ? colormap
         : diverging ? regard_colormap_default_diverging()
                     : regard_colormap_default();
}

cairo_surface_t *
regard_raster_new_pooled(const RegardMatrix *matrix, const RegardColormap *colormap,
                         RegardScale scale, guint32 masked_argb, guint max_width, guint max_height)
{
  Source s = {
      .data = matrix->values,
      .rows = matrix->rows,
      .cols = matrix->cols,
      .stride = matrix->cols,
      .lo = matrix->lo,
      .hi = matrix->hi,
      .matrix = matrix,
      .mask = matrix->mask,
      .colormap = default_map(colormap, matrix->diverging),
      .scale = scale,
      .masked = premultiply(masked_argb),
  };
  return rasterise(&s, MIN(matrix->cols, MAX(max_width, 1)), MIN(matrix->rows, MAX(max_height, 1)));
}

cairo_surface_t *
regard_raster_new(const RegardMatrix *matrix, const RegardColormap *colormap, RegardScale scale,
                  guint32 masked_argb)
{
  return regard_raster_new_pooled(matrix, colormap, scale, masked_argb, G_MAXUINT, G_MAXUINT);
}

cairo_surface_t *
regard_raster_new_thumbnail(mt_matrix values, mt_attention_mask mask, double lo, double hi,
                            const RegardColormap *colormap, RegardScale scale, guint32 masked_argb,
                            guint max_width, guint max_height)
{
  Source s = {
      .data = values.data,
      .rows = values.data ? values.rows : 0,
      .cols = values.data ? values.cols : 0,
      .stride = values.stride,
      .lo = lo,
      .hi = hi,
      .mask = mask,
      .colormap = default_map(colormap, lo < 0 && lo == -hi),
      .scale = scale,
      .masked = premultiply(masked_argb),
  };
  return rasterise(&s, MIN(s.cols, MAX(max_width, 1)), MIN(s.rows, MAX(max_height, 1)));
}

guint32
regard_raster_cell_color(const RegardMatrix *matrix, const RegardColormap *colormap,
                         RegardScale scale, guint row, guint col, double max)
{
  return regard_raster_value_color(matrix, colormap, scale, regard_matrix_get(matrix, row, col),
                                   max);
}

guint32
regard_raster_value_color(const RegardMatrix *matrix, const RegardColormap *colormap,
                          RegardScale scale, double value, double max)
{
  return regard_colormap_lookup(default_map(colormap, matrix->diverging),
                                regard_scale_apply(scale, value, matrix->lo, matrix->hi, max));
}
