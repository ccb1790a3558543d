/* regard-lines-raster.c — very many lines: fewer strokes that look the same, and all strokes as an
 * image.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Most weights of a long text are next to nothing, and thousands of their lines make a haze in
 * which none is seen. Lines of neighbouring rows to neighbouring columns run side by side, so a
 * block of them is one broad line of their ink, spread over the width of the block: nothing is left
 * out, and a line that stands out of its block is never spread. Blocks are those of a quadtree.
 *
 * 512 x 512 tokens are 262,144 lines, which no drawing library draws while somebody waits. All of
 * them run from one list to the other, so every pixel column is crossed once by each: at height y,
 * over as many pixels as the line is thick there. Opacities of lines that cross compose to
 * 1 - Π(1 - α), which is a sum of -ln(1 - α), whatever the order; so a column is a sum, and a line
 * is four additions to its differences, however thick it is. Columns are done in strips that stay
 * in the cache.
 */
#include "figures/regard-figure-private.h"

#include <math.h>
#include <string.h>

#define LEVELS 6 /* blocks of 1, 2, 4 … 32 rows and columns */
/* Difference in depth that nobody sees; doubled while there are too many strokes. */
#define TOLERANCE (1.5f / 255)

typedef struct {
  float ink;  /* sum of depth x width */
  float most; /* the largest depth */
} Block;

typedef struct {
  const RegardStrokePlane *plane;
  Block *levels[LEVELS]; /* [rows][cols] of the level */
  guint rows[LEVELS], cols[LEVELS];
  double row_pitch, col_pitch;
  GArray *strokes; /* NULL: only counted */
  gsize n;
  float tolerance;
} Tree;

static void
build(Tree *t)
{
  const RegardStrokePlane *p = t->plane;
  t->rows[0] = p->rows;
  t->cols[0] = p->cols;
  t->levels[0] = g_new(Block, (gsize) p->rows * p->cols);
  for (gsize i = 0; i < (gsize) p->rows * p->cols; i++)
    t->levels[0][i] = (Block){p->depths[i] * p->widths[i], p->depths[i]};
  for (guint level = 1; level < LEVELS; level++) {
    const guint rows = t->rows[level - 1], cols = t->cols[level - 1];
    t->rows[level] = (rows + 1) / 2;
    t->cols[level] = (cols + 1) / 2;
    t->levels[level] = g_new0(Block, (gsize) t->rows[level] * t->cols[level]);
    for (guint r = 0; r < rows; r++)
      for (guint c = 0; c < cols; c++) {
        const Block *from = &t->levels[level - 1][(gsize) r * cols + c];
        Block *to = &t->levels[level][(gsize) (r / 2) * t->cols[level] + c / 2];
        to->ink += from->ink;
        to->most = MAX(to->most, from->most);
      }
  }
}

/* The middle of a block of rows or columns. */
static double
middle_of(const double *at, guint n, guint block, guint size)
{
  const guint first = block * size, last = MIN(first + size, n) - 1;
  return (at[first] + at[last]) / 2;
}

static void
emit(Tree *t, guint level, guint row, guint col)
{
  const RegardStrokePlane *p = t->plane;
  if (row >= t->rows[level] || col >= t->cols[level])
    return;
  const Block *block = &t->levels[level][(gsize) row * t->cols[level] + col];
  const guint size = 1u << level;
  const double broad = MAX(t->row_pitch, t->col_pitch) * size;
  const float spread = (float) (block->ink / broad);
  if (block->most <= 0)
    return;
  if (level > 0 && block->most - spread > t->tolerance) {
    for (guint i = 0; i < 4; i++)
      emit(t, level - 1, 2 * row + i / 2, 2 * col + i % 2);
    return;
  }
  t->n++;
  if (!t->strokes)
    return;
  const double at_row = middle_of(p->row_at, p->rows, row, size);
  const double at_col = middle_of(p->col_at, p->cols, col, size);
  const gsize cell = (gsize) row * p->cols + col;
  const RegardStroke stroke = {.from = (float) (p->rows_first ? at_row : at_col),
                               .to = (float) (p->rows_first ? at_col : at_row),
                               .width = level > 0 ? (float) broad : p->widths[cell],
                               .depth = level > 0 ? spread : p->depths[cell],
                               .ink = p->ink};
  g_array_append_val(t->strokes, stroke);
}

static void
emit_all(Tree *t)
{
  t->n = 0;
  for (guint r = 0; r < t->rows[LEVELS - 1]; r++)
    for (guint c = 0; c < t->cols[LEVELS - 1]; c++)
      emit(t, LEVELS - 1, r, c);
}

static double
pitch_of(const double *at, guint n)
{
  return n > 1 ? (at[n - 1] - at[0]) / (n - 1) : 1;
}

void
regard_lines_merge(const RegardStrokePlane *plane, gsize most, GArray *strokes)
{
  Tree t = {.plane = plane,
            .row_pitch = pitch_of(plane->row_at, plane->rows),
            .col_pitch = pitch_of(plane->col_at, plane->cols),
            .tolerance = TOLERANCE / 2};
  if (plane->rows == 0 || plane->cols == 0)
    return;
  build(&t);
  do {
    t.tolerance *= 2;
    emit_all(&t);
  } while (t.n > most && t.tolerance < 8);
  t.strokes = strokes;
  emit_all(&t);
  for (guint level = 0; level < LEVELS; level++)
    g_free(t.levels[level]);
}

#define STRIP 8 /* columns */
#define EDGE  4 /* pixels beyond both ends of a column */

typedef struct {
  const RegardStroke *strokes;
  gsize n;
  guint across, along, length; /* length: of a column with its edges */
  float *depths;               /* [inks][STRIP][length], differences */
} Raster;

/* Adds an edge at y to every column: all that lies behind it, and its own pixel in part. Loops have
 * a fixed length so that the compiler makes vectors of them. */
static inline void
add_edges(float *columns, guint length, const float y[STRIP], float most, float depth)
{
  int at[STRIP];
  float rest[STRIP];
  for (guint c = 0; c < STRIP; c++) {
    const float inside = fminf(fmaxf(y[c], 0), most);
    at[c] = (int) inside;
    rest[c] = depth * (inside - (float) at[c]);
  }
  for (guint c = 0; c < STRIP; c++, columns += length) {
    columns[at[c]] += depth - rest[c];
    columns[at[c] + 1] += rest[c];
  }
}

static void
add_strip(const Raster *r, guint first)
{
  const float most = (float) (r->along + 2 * EDGE - 2);
  float way[STRIP]; /* how far a line has come, 0 to 1 */
  for (guint c = 0; c < STRIP; c++) {
    const double u = MIN((first + c + 0.5) / r->across, 1);
    way[c] = (float) (u * u * (3 - 2 * u));
  }
  /* Thickness changes slowly: once a strip. How steep a line is there, for a way of 1. */
  const double middle = MIN((first + STRIP / 2.0) / r->across, 1);
  const float slope = (float) (6 * middle * (1 - middle) / r->across);
  for (gsize i = 0; i < r->n; i++) {
    const RegardStroke *s = &r->strokes[i];
    const float d = s->to - s->from, from = s->from + EDGE, steep = d * slope;
    const float half = s->width / 2 * sqrtf(1 + steep * steep);
    float *columns = r->depths + (gsize) s->ink * STRIP * r->length;
    float top[STRIP], bottom[STRIP];
    for (guint c = 0; c < STRIP; c++) {
      const float y = from + d * way[c];
      top[c] = y - half;
      bottom[c] = y + half;
    }
    add_edges(columns, r->length, top, most, s->depth);
    add_edges(columns, r->length, bottom, most, -s->depth);
  }
}

static inline guint32
to_byte(float v)
{
  return (guint32) (fminf(fmaxf(v, 0), 1) * 255 + 0.5f);
}

/* Sums a column up and mixes its colours by how deep each is. */
static void
resolve(const Raster *r, guint column, const guint32 *inks, guint n_inks, guint32 *pixels,
        gsize step)
{
  float sums[REGARD_LINES_INKS] = {0};
  for (guint y = 0; y < r->along + EDGE; y++) {
    float all = 0, red = 0, green = 0, blue = 0;
    for (guint k = 0; k < n_inks; k++) {
      sums[k] += r->depths[((gsize) k * STRIP + column) * r->length + y];
      const float depth = fmaxf(sums[k], 0);
      all += depth;
      red += depth * (float) (inks[k] >> 16 & 0xff);
      green += depth * (float) (inks[k] >> 8 & 0xff);
      blue += depth * (float) (inks[k] & 0xff);
    }
    if (y < EDGE)
      continue;
    if (all < 1e-4f) /* nobody sees it, and the image is clear there */
      continue;
    const float alpha = 1 - expf(-all), scale = alpha / all / 255;
    pixels[(y - EDGE) * step] = to_byte(alpha) << 24 | to_byte(red * scale) << 16 |
                                to_byte(green * scale) << 8 | to_byte(blue * scale);
  }
}

cairo_surface_t *
regard_lines_raster(const RegardStroke *strokes, gsize n, const guint32 *inks, guint n_inks,
                    guint across, guint along, gboolean is_level)
{
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int) (is_level ? along : across),
                                 (int) (is_level ? across : along));
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS)
    return surface;
  guint32 *pixels = (guint32 *) (void *) cairo_image_surface_get_data(surface);
  const gsize stride = (gsize) cairo_image_surface_get_stride(surface) / sizeof *pixels;
  Raster r = {strokes, n, across, along, along + 2 * EDGE + 1, NULL};
  const gsize size = (gsize) n_inks * STRIP * r.length;
  g_autofree float *depths = r.depths = g_new(float, size);
  for (guint first = 0; first < across; first += STRIP) {
    const guint columns = MIN(STRIP, across - first);
    memset(depths, 0, size * sizeof *depths);
    add_strip(&r, first);
    for (guint c = 0; c < columns; c++)
      resolve(&r, c, inks, n_inks, pixels + (first + c) * (is_level ? stride : 1),
              is_level ? 1 : stride);
  }
  cairo_surface_mark_dirty(surface);
  return surface;
}
