/* regard-lines-merge.c — very many lines as fewer that look the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Most weights of a long text are next to nothing, and thousands of their lines make a haze in
 * which none is seen. Lines of neighbouring rows to neighbouring columns run side by side, so a
 * block of them is one broad line of their ink, spread over the width of the block: nothing is left
 * out, and a line that stands out of its block is never spread. Blocks are those of a quadtree.
 */
#include "figures/regard-figure-private.h"
#include <math.h>

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
