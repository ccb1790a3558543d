/* regard-lines.c — the weights of a matrix as lines: which of them are strong, where they are,
 * how they are drawn, and what is said of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-lines.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-scale.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

/* ---- Very many lines: fewer strokes that look the same, and all strokes as an image ----- */

/* Most weights of a long text are next to nothing, and thousands of their lines make a haze in
 * which none is seen. Lines of neighbouring rows to neighbouring columns run side by side, so a
 * block of them is one broad line of their ink, spread over the width of the block: nothing is left
 * out, and a line that stands out of its block is never spread. Blocks are those of a quadtree.
 *
 * 512 x 512 tokens are 262,144 lines, which no drawing library draws while somebody waits. All of
 * them run from one list to the other, so every pixel column is crossed once by each: at height y,
 * over as many pixels as the line is thick there. Opacities of lines that cross compose to
 * 1 - Π(1 - α), which is a sum of -ln(1 - α), whatever the order; so a column is a sum, and a line
 * is four additions to its differences, however thick it is. Columns are done in strips that stay
 * in the cache. */

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

/* How many keys of a token are read aloud. */
#define MOST_SAID 4

const char *const regard_form_ids[REGARD_N_FORMS + 1] = {"matrix", "lines", NULL};

/* ---- The smallest set ------------------------------------------------------------------------ */

typedef struct {
  float size; /* absolute value */
  guint i;
} Item;

/* The larger first; of equal ones that with the smaller index. */
static inline gboolean
is_before(Item a, Item b)
{
  return a.size > b.size || (a.size == b.size && a.i < b.i);
}

static void
sink(Item *heap, guint n, guint at)
{
  for (guint child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && is_before(heap[child + 1], heap[child]))
      child++;
    if (!is_before(heap[child], heap[at]))
      return;
    Item other = heap[at];
    heap[at] = heap[child];
    heap[child] = other;
  }
}

static inline float
size_of(float value)
{
  return isfinite(value) ? fabsf(value) : 0;
}

/* A heap gives the largest ones first, and few of them are wanted: attention is peaked. */
guint
regard_lines_smallest_set(const float *values, guint n, double share, guint8 *kept)
{
  g_autofree Item *heap = g_new(Item, MAX(n, 1));
  double sum = 0, held = 0;
  guint n_heap = 0, n_kept = 0;
  memset(kept, 0, n);
  for (guint i = 0; i < n; i++)
    if (size_of(values[i]) > 0) {
      heap[n_heap++] = (Item){size_of(values[i]), i};
      sum += size_of(values[i]);
    }
  for (guint i = n_heap / 2; i-- > 0;)
    sink(heap, n_heap, i);
  /* A share of 1 is all of them, whatever rounding says. */
  const double wanted = share >= 1 ? INFINITY : share * sum * (1 - 1e-12);
  while (n_heap > 0 && held < wanted) {
    held += heap[0].size;
    kept[heap[0].i] = 1;
    n_kept++;
    heap[0] = heap[--n_heap];
    sink(heap, n_heap, 0);
  }
  return n_kept;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void
count(RegardLines *self)
{
  double all = 0, kept = 0;
  for (guint k = 0; k < self->n; k++) {
    const RegardMatrix *m = self->matrices[k];
    for (gsize i = 0; i < (gsize) m->rows * m->cols; i++) {
      const double size = size_of(m->values[i]);
      self->n_lines += size > 0;
      self->n_kept += self->kept[k][i];
      all += size;
      kept += self->kept[k][i] ? size : 0;
    }
  }
  self->dimmed = all > 0 ? CLAMP(1 - kept / all, 0, 1) : 0;
  if (self->n_kept == self->n_lines)
    self->dimmed = 0;
}

static void
clear(gpointer subject)
{
  RegardLines *lines = subject;
  for (guint i = 0; i < lines->n; i++) {
    regard_matrix_unref(lines->matrices[i]);
    g_free(lines->names[i]);
    g_free(lines->kept[i]);
  }
  g_free(lines->matrices);
  g_free(lines->names);
  g_free(lines->kept);
}

RegardLines *
regard_lines_new(RegardMatrix *const *matrices, const char *const *names, guint n, double share)
{
  g_return_val_if_fail(matrices && n > 0, NULL);
  RegardLines *self = regard_subject_alloc(sizeof *self, clear);
  self->share = CLAMP(share, 0, 1);
  self->matrices = g_new0(RegardMatrix *, REGARD_MOST_LINES);
  self->names = g_new0(char *, REGARD_MOST_LINES + 1);
  self->kept = g_new0(guint8 *, REGARD_MOST_LINES);
  for (guint i = 0; i < n && self->n < REGARD_MOST_LINES; i++) {
    const guint rows = matrices[0]->rows, cols = matrices[0]->cols;
    if (matrices[i]->rows != rows || matrices[i]->cols != cols)
      continue;
    guint8 *kept = self->kept[self->n] = g_malloc0(MAX((gsize) rows * cols, 1));
    for (guint r = 0; r < rows; r++)
      regard_lines_smallest_set(matrices[i]->values + (gsize) r * cols, cols, self->share,
                                kept + (gsize) r * cols);
    self->lo = MIN(self->lo, matrices[i]->lo);
    self->hi = MAX(self->hi, matrices[i]->hi);
    self->names[self->n] = names ? g_strdup(names[i]) : NULL;
    self->matrices[self->n++] = regard_matrix_ref(matrices[i]);
  }
  count(self);
  return self;
}

gboolean
regard_lines_is_isolated(const RegardLines *lines, const RegardLinesMarks *marks)
{
  const RegardMatrix *m = lines->matrices[0];
  return (marks->rows && memchr(marks->rows, 1, m->rows)) ||
         (marks->cols && memchr(marks->cols, 1, m->cols));
}

/* ---- Words ----------------------------------------------------------------------------------- */

static char *
dup_number(double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  return g_strdup(regard_formatd(number, sizeof number,
                                 fabs(value) >= 0.1 || value == 0 ? "%.2f" : "%.3f", value));
}

/* The largest of a token's lines, as many as are read aloud. */
static char *
list_largest(const RegardMatrix *m, RegardLinesSide side, guint i)
{
  const guint n = side == REGARD_LINES_ROWS ? m->cols : m->rows;
  const RegardLabel *labels = side == REGARD_LINES_ROWS ? m->col_labels : m->row_labels;
  g_autofree float *values = g_new(float, MAX(n, 1));
  GString *list = g_string_new(NULL);
  for (guint j = 0; j < n; j++)
    values[j] = side == REGARD_LINES_ROWS ? regard_matrix_get(m, i, j) : regard_matrix_get(m, j, i);
  for (guint said = 0; said < MOST_SAID; said++) {
    guint best = n;
    for (guint j = 0; j < n; j++)
      if (size_of(values[j]) > 0 && (best == n || size_of(values[j]) > size_of(values[best])))
        best = j;
    if (best == n)
      break;
    g_autofree char *number = dup_number(values[best]);
    g_autofree char *item =
        g_strdup_printf("%s %s", regard_matrix_spoken(labels[best].text), number);
    regard_words_add_item(list, item);
    values[best] = 0;
  }
  return g_string_free(list, FALSE);
}

/* The largest of a row, and what of it is strong, and what is not. */
static char *
describe_row(const RegardLines *lines, guint k, guint row)
{
  const RegardMatrix *m = lines->matrices[k];
  const guint8 *kept = lines->kept[k] + (gsize) row * m->cols;
  double sum = 0, held = 0;
  guint n = 0, n_lines = 0;
  for (guint c = 0; c < m->cols; c++) {
    const double size = size_of(regard_matrix_get(m, row, c));
    sum += size;
    held += kept[c] ? size : 0;
    n += kept[c];
    n_lines += size > 0;
  }
  g_autofree char *largest = list_largest(m, REGARD_LINES_ROWS, row);
  g_autofree char *share = dup_number(held), *rest = dup_number(sum - held);
  if (n < n_lines)
    /* Translators: the largest weights of a row ("animal 0.41, it 0.20"), how many of how many
     * lines hold which share of it, and what share the other lines hold */
    return g_strdup_printf(ngettext("%s; %u of %u holds %s, the other %s is dimmed",
                                    "%s; %u of %u hold %s, the other %s is dimmed", n),
                           largest, n, n_lines, share, rest);
  return g_strdup_printf(ngettext("%s; %u of %u holds %s", "%s; %u of %u hold %s", n), largest, n,
                         n_lines, share);
}

char *
regard_lines_describe_token(const RegardLines *lines, RegardLinesSide side, guint i)
{
  const RegardMatrix *first = lines->matrices[0];
  const gboolean is_row = side == REGARD_LINES_ROWS;
  g_return_val_if_fail(i < (is_row ? first->rows : first->cols), NULL);
  g_autoptr(GString) all = g_string_new(NULL);
  for (guint k = 0; k < lines->n; k++) {
    g_autofree char *said =
        is_row ? describe_row(lines, k, i) : list_largest(lines->matrices[k], side, i);
    if (lines->n == 1)
      g_string_append(all, said);
    else {
      /* Translators: a head, and what is said of it */
      g_autofree char *of_head = g_strdup_printf(_("%s: %s"), lines->names[k], said);
      regard_words_add_part(all, of_head);
    }
  }
  /* Translators: a noun and a token, such as "row es", and its largest weights */
  return g_strdup_printf(_("%s %s: %s"), is_row ? first->row_noun : first->col_noun,
                         regard_matrix_spoken(is_row ? first->row_labels[i].text
                                                     : first->col_labels[i].text),
                         all->str);
}

char *
regard_lines_describe_line(const RegardLines *lines, guint matrix, guint row, guint col)
{
  g_return_val_if_fail(matrix < lines->n, NULL);
  const RegardMatrix *m = lines->matrices[matrix];
  char *cell = regard_matrix_describe_cell(m, row, col);
  if (!lines->kept[matrix][(gsize) row * m->cols + col] &&
      size_of(regard_matrix_get(m, row, col)) != 0) {
    g_autofree char *strong = cell;
    cell = g_strdup_printf(_("%s, dimmed"), strong);
  }
  if (lines->n == 1)
    return cell;
  g_autofree char *of_head = cell;
  return g_strdup_printf(_("%s: %s"), lines->names[matrix], of_head);
}

char *
regard_lines_describe(const RegardLines *lines)
{
  if (lines->n_kept == lines->n_lines)
    return g_strdup_printf(ngettext("all %zu line", "all %zu lines", lines->n_lines),
                           lines->n_lines);
  /* Rounded so that what is there is never called nothing. */
  const double percent = lines->dimmed * 100, share = lines->share * 100;
  return percent < 1
             ? g_strdup_printf(_("lines of the fewest keys that hold %.0f %% of each row; the "
                                 "other less than 1 %% is dimmed"),
                               share)
             : g_strdup_printf(_("lines of the fewest keys that hold %.0f %% of each row; the "
                                 "other %.0f %% is dimmed"),
                               share, percent);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

#define PITCH        1.9  /* on paper, font sizes */
#define LONGEST      1.25 /* of lists on paper, to the width */
#define MAX_LABEL    0.29 /* of the width, of each side */
#define MAX_UPRIGHT  9.5  /* font sizes, of a level list's upright labels */
#define MAX_PLOT     36.0 /* from list to list, font sizes */
#define MIN_PLOT     3.0
#define LEVEL_PLOT   11.0
#define GAP          0.5 /* between label and lines */
#define WORD_GAP     1.0 /* between words of a level list */
#define NUMBER       2.7 /* room for numbers beyond the labels */
#define TITLE        1.6
#define MASS         2.0
#define MOST_SPREAD  0.35
#define SPREAD_SHARE 0.7 /* of the pitch, for lines of all matrices */

static const RegardLabel *
labels_of(const RegardLines *lines, RegardLinesSide side)
{
  const RegardMatrix *m = lines->matrices[0];
  return side == REGARD_LINES_ROWS ? m->row_labels : m->col_labels;
}

static double
label_width(RegardCanvas *canvas, const RegardLabel *label, double size, double max)
{
  RegardShownLabel shown = regard_label_shorten(canvas, label, TRUE, size, max);
  const double width = regard_label_width(canvas, &shown, TRUE, size);
  regard_label_clear(&shown);
  return width;
}

static double
widest(RegardCanvas *canvas, const RegardLines *lines, RegardLinesSide side,
       const RegardLinesList *list, double max)
{
  double width = 0;
  for (guint i = 0; i < list->n; i += list->step)
    width = MAX(width, label_width(canvas, &labels_of(lines, side)[i], list->size, max));
  return width;
}

static void
place_evenly(RegardLinesList *list, double start, double length)
{
  list->pitch = length / MAX(list->n, 1);
  list->is_even = TRUE;
  for (guint i = 0; i < list->n; i++)
    list->at[i] = start + list->pitch * (i + 0.5);
}

static void
lay_out_upright(RegardLinesLayout *l, RegardCanvas *canvas, const RegardLines *lines,
                RegardRect room, double pitch)
{
  const double font = l->font, top = room.y + TITLE * font;
  const guint most = MAX(MAX(l->list[0].n, l->list[1].n), 1);
  const RegardTicks ticks[2] = {lines->matrices[0]->row_ticks, lines->matrices[0]->col_ticks};
  if (pitch <= 0)
    pitch = MIN(PITCH * font, room.width * LONGEST / most);
  for (guint s = 0; s < 2; s++) {
    RegardLinesList *list = &l->list[s];
    regard_label_fit(canvas, pitch, font, ticks[s], &list->size, &list->step);
  }
  for (guint s = 0; s < 2; s++) {
    RegardLinesList *list = &l->list[s];
    if (l->list[0].step == 1 && l->list[1].step == 1)
      list->size = MIN(l->list[0].size, l->list[1].size);
    list->extent = widest(canvas, lines, s == 0 ? REGARD_LINES_ROWS : REGARD_LINES_COLS, list,
                          room.width * MAX_LABEL);
    place_evenly(list, top + pitch * (most - list->n) / 2.0, pitch * list->n);
    list->pitch = pitch;
  }
  const double beside = (GAP + NUMBER) * font;
  const double left = l->list[0].extent + beside + l->mass, right = l->list[1].extent + beside;
  const double width = CLAMP(room.width - left - right, MIN_PLOT * font, MAX_PLOT * font);
  const double x = room.x + MAX(0, (room.width - left - width - right) / 2);
  l->plot = (RegardRect){x + left, top, width, pitch * most};
  l->whole = (RegardRect){x, room.y, left + width + right, TITLE * font + pitch * most};
}

/* Level words: evenly if they have room for that, else one after the other. FALSE: not even that.
 */
static gboolean
place_words(RegardLinesList *list, RegardCanvas *canvas, const RegardLabel *labels, double x,
            double width, double font)
{
  g_autofree double *widths = g_new0(double, MAX(list->n, 1));
  double sum = 0, most = 0;
  for (guint i = 0; i < list->n; i++) {
    widths[i] = label_width(canvas, &labels[i], list->size, width) + WORD_GAP * font;
    sum += widths[i];
    most = MAX(most, widths[i]);
  }
  if (most <= width / MAX(list->n, 1)) {
    place_evenly(list, x, width);
    return TRUE;
  }
  if (sum > width)
    return FALSE;
  const double more = (width - sum) / MAX(list->n, 1);
  list->pitch = INFINITY;
  for (guint i = 0; i < list->n; i++) {
    list->at[i] = x + (widths[i] + more) / 2;
    list->pitch = MIN(list->pitch, widths[i] + more);
    x += widths[i] + more;
  }
  return TRUE;
}

static void
lay_out_level(RegardLinesLayout *l, RegardCanvas *canvas, const RegardLines *lines, RegardRect room)
{
  const double font = l->font, height = room.height > 0 ? room.height : LEVEL_PLOT * font;
  const RegardTicks ticks[2] = {lines->matrices[0]->row_ticks, lines->matrices[0]->col_ticks};
  for (guint s = 0; s < 2; s++) {
    RegardLinesList *list = &l->list[s];
    const RegardLinesSide side = s == 0 ? REGARD_LINES_ROWS : REGARD_LINES_COLS;
    list->step = 1;
    list->size = font;
    list->extent = font * 1.1;
    if (place_words(list, canvas, labels_of(lines, side), room.x, room.width, font))
      continue;
    place_evenly(list, room.x, room.width);
    regard_label_fit(canvas, list->pitch, font, ticks[s], &list->size, &list->step);
    list->angle = -90;
    list->extent = widest(canvas, lines, side, list, MAX_UPRIGHT * font);
  }
  const double beside = (GAP + 0.5 * NUMBER) * font;
  const double above = TITLE * font + l->list[REGARD_LINES_COLS].extent + beside;
  const double below = TITLE * font + l->list[REGARD_LINES_ROWS].extent + beside + l->mass;
  l->plot = (RegardRect){room.x, room.y + above, room.width, height};
  l->whole = (RegardRect){room.x, room.y, room.width, above + height + below};
}

void
regard_lines_lay_out(RegardLinesLayout *layout, RegardCanvas *canvas, const RegardLines *lines,
                     RegardLinesOrientation orientation, RegardRect room, double pitch, double font)
{
  const RegardMatrix *m = lines->matrices[0];
  *layout = (RegardLinesLayout){
      .orientation = orientation,
      .font = font,
      .n = lines->n,
      .mass = !m->removed_mass                      ? 0
              : orientation == REGARD_LINES_UPRIGHT ? MASS * font
                                                    : font,
      .list = {{.n = m->rows, .at = g_new0(double, MAX(m->rows, 1))},
               {.n = m->cols, .at = g_new0(double, MAX(m->cols, 1))}},
  };
  if (orientation == REGARD_LINES_UPRIGHT)
    lay_out_upright(layout, canvas, lines, room, pitch);
  else
    lay_out_level(layout, canvas, lines, room);
  layout->spread = MIN(MOST_SPREAD * font,
                       MIN(layout->list[0].pitch, layout->list[1].pitch) * SPREAD_SHARE / lines->n);
}

void
regard_lines_layout_clear(RegardLinesLayout *layout)
{
  g_clear_pointer(&layout->list[0].at, g_free);
  g_clear_pointer(&layout->list[1].at, g_free);
}

/* ---- What is where --------------------------------------------------------------------------- */

/* Where a line begins and ends, along the lists. */
static void
ends_of(const RegardLinesLayout *l, guint matrix, guint row, guint col, double *from, double *to)
{
  const double offset = (matrix - (l->n - 1) / 2.0) * l->spread;
  const double at_row = l->list[REGARD_LINES_ROWS].at[row] + offset;
  const double at_col = l->list[REGARD_LINES_COLS].at[col] + offset;
  const gboolean rows_first = l->orientation == REGARD_LINES_UPRIGHT;
  *from = rows_first ? at_row : at_col;
  *to = rows_first ? at_col : at_row;
}

double
regard_lines_position(const RegardLinesLayout *layout, guint matrix, guint row, guint col, double u)
{
  double from, to;
  ends_of(layout, matrix, row, col, &from, &to);
  return from + (to - from) * u * u * (3 - 2 * u);
}

guint
regard_lines_nearest(const RegardLinesLayout *layout, RegardLinesSide side, double x, double y)
{
  const RegardLinesList *list = &layout->list[side];
  const double at = layout->orientation == REGARD_LINES_UPRIGHT ? y : x;
  guint lo = 0, hi = list->n;
  while (lo < hi) { /* the first behind it */
    const guint middle = (lo + hi) / 2;
    if (list->at[middle] < at)
      lo = middle + 1;
    else
      hi = middle;
  }
  if (lo > 0 && (lo == list->n || at - list->at[lo - 1] < list->at[lo] - at))
    lo--;
  return lo;
}

static gboolean
hit_token(const RegardLinesLayout *l, RegardLinesSide side, double x, double y, RegardLinesHit *hit)
{
  const RegardLinesList *list = &l->list[side];
  const double at = l->orientation == REGARD_LINES_UPRIGHT ? y : x;
  if (list->n == 0)
    return FALSE;
  const guint i = regard_lines_nearest(l, side, x, y);
  /* Beyond the ends of a list there is nothing. */
  if (at < list->at[0] - list->pitch / 2 || at > list->at[list->n - 1] + list->pitch / 2)
    return FALSE;
  *hit = (RegardLinesHit){.what = REGARD_LINES_TOKEN, .side = side, .i = i};
  return TRUE;
}

/* The best of the lines at u from list to list. */
static void
hit_line(const RegardLinesLayout *l, const RegardLines *lines, const RegardLinesMarks *marks,
         double u, double at, double reach, RegardLinesHit *hit)
{
  const RegardMatrix *first = lines->matrices[0];
  const gboolean is_isolated = regard_lines_is_isolated(lines, marks);
  const double across = l->orientation == REGARD_LINES_UPRIGHT ? l->plot.width : l->plot.height;
  const double bend = u * u * (3 - 2 * u), slope = 6 * u * (1 - u) / across;
  gboolean best_kept = FALSE;
  float best = 0;
  for (guint k = 0; k < lines->n; k++)
    for (guint r = 0; r < first->rows; r++)
      for (guint c = 0; c < first->cols; c++) {
        const float size = fabsf(regard_matrix_get(lines->matrices[k], r, c));
        const gboolean is_kept = lines->kept[k][(gsize) r * first->cols + c];
        double from, to;
        if (!(size > 0) || is_kept < best_kept || (is_kept == best_kept && size <= best) ||
            (is_isolated && !regard_lines_touches(marks, r, c)))
          continue;
        ends_of(l, k, r, c, &from, &to);
        if (fabs(from + (to - from) * bend - at) > reach * hypot(1, (to - from) * slope))
          continue;
        best = size;
        best_kept = is_kept;
        *hit = (RegardLinesHit){.what = REGARD_LINES_LINE, .matrix = k, .row = r, .col = c};
      }
}

RegardLinesHit
regard_lines_hit(const RegardLinesLayout *layout, const RegardLines *lines,
                 const RegardLinesMarks *marks, double x, double y, double reach)
{
  const RegardRect *p = &layout->plot, *whole = &layout->whole;
  const gboolean is_upright = layout->orientation == REGARD_LINES_UPRIGHT;
  const double across = is_upright ? (x - p->x) / p->width : (y - p->y) / p->height;
  RegardLinesHit hit = {.what = REGARD_LINES_NOTHING};
  if (x < whole->x || x > whole->x + whole->width || y < whole->y || y > whole->y + whole->height)
    return hit;
  if (across < 0 || across > 1)
    hit_token(layout, (across < 0) == is_upright ? REGARD_LINES_ROWS : REGARD_LINES_COLS, x, y,
              &hit);
  else
    hit_line(layout, lines, marks, across, is_upright ? y : x, reach, &hit);
  return hit;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

#define LABEL_GAP 0.5 /* between label and lines, font sizes */

typedef struct {
  const RegardLines *lines;
  const RegardLinesLayout *l;
  const RegardLinesStyle *style;
  RegardCanvas *canvas;
} Labels;

static const RegardLabel *
label_of(const Labels *s, RegardLinesSide side, guint i)
{
  const RegardMatrix *m = s->lines->matrices[0];
  return side == REGARD_LINES_ROWS ? &m->row_labels[i] : &m->col_labels[i];
}

/* 1 where a list lies behind the lines (right, below), -1 where it lies before them. */
static int
direction(const RegardLinesLayout *l, RegardLinesSide side)
{
  return (side == REGARD_LINES_ROWS) == (l->orientation == REGARD_LINES_UPRIGHT) ? -1 : 1;
}

/* Where a list's labels begin, across the lists. */
static double
edge(const RegardLinesLayout *l, RegardLinesSide side)
{
  const RegardRect *p = &l->plot;
  const double gap = LABEL_GAP * l->font + (side == REGARD_LINES_ROWS ? l->mass : 0);
  const gboolean is_upright = l->orientation == REGARD_LINES_UPRIGHT;
  if (direction(l, side) < 0)
    return (is_upright ? p->x : p->y) - gap;
  return (is_upright ? p->x + p->width : p->y + p->height) + gap;
}

/* Draws a label; size 0: that of its list. Returns how far it reaches from the edge of its list. */
static double
draw_label(const Labels *s, RegardLinesSide side, guint i, guint32 argb, gboolean bold, double size,
           double max)
{
  const RegardLinesLayout *l = s->l;
  const RegardLinesList *list = &l->list[side];
  const int d = direction(l, side);
  const double at = list->at[i], from = edge(l, side);
  const RegardPalette palette = {.text = argb, .dim = s->style->dim};
  RegardShownLabel shown = regard_label_shorten(s->canvas, label_of(s, side, i), bold, size, max);
  RegardSpan spans[3];
  const guint n = regard_label_spans(&shown, &palette, bold, spans);
  double reach = regard_canvas_text_width(s->canvas, spans, n, size);
  if (l->orientation == REGARD_LINES_UPRIGHT)
    regard_canvas_text(s->canvas, from, at + size * 0.35, spans, n, size,
                       d < 0 ? REGARD_ANCHOR_END : REGARD_ANCHOR_START, 0);
  else if (list->angle == 0) {
    regard_canvas_text(s->canvas, at, d < 0 ? from - size * 0.2 : from + size * 0.8, spans, n, size,
                       REGARD_ANCHOR_MIDDLE, 0);
    reach = size * 1.1;
  } else
    regard_canvas_text(s->canvas, at + size * 0.36, from, spans, n, size,
                       d < 0 ? REGARD_ANCHOR_START : REGARD_ANCHOR_END, list->angle);
  regard_label_clear(&shown);
  return reach;
}

static double
most_of(const Labels *s, RegardLinesSide side)
{
  const RegardLinesList *list = &s->l->list[side];
  return s->l->orientation == REGARD_LINES_LEVEL && list->angle == 0 ? 1e9 : list->extent + 0.1;
}

/* What hidden special tokens took of each row, between its label and its lines. */
static void
draw_mass(const Labels *s)
{
  const RegardMatrix *m = s->lines->matrices[0];
  const RegardLinesLayout *l = s->l;
  const RegardLinesList *list = &l->list[REGARD_LINES_ROWS];
  const double thick = MIN(list->pitch * 0.6, l->font * 0.7);
  if (l->mass <= 0 || !m->removed_mass)
    return;
  regard_canvas_begin_group(s->canvas, "hidden-mass");
  for (guint i = 0; i < list->n; i++) {
    const double share = CLAMP(m->removed_mass[i], 0.0f, 1.0f), at = list->at[i] - thick / 2;
    RegardRect bar = {l->plot.x - l->mass, at, l->mass - 0.2 * l->font, thick};
    if (l->orientation == REGARD_LINES_LEVEL)
      bar =
          (RegardRect){list->at[i] - list->pitch * 0.35, l->plot.y + l->plot.height + 0.3 * l->font,
                       list->pitch * 0.7, 0.4 * l->font};
    regard_canvas_fill_rect(s->canvas, bar, 0, s->style->bar_background);
    bar.width *= share;
    regard_canvas_fill_rect(s->canvas, bar, 0, s->style->bar);
  }
  regard_canvas_end_group(s->canvas);
}

/* Above its labels, as far as it can: from their edge outwards, else inwards from the outer end. */
static void
draw_title(const Labels *s, const char *title, double from, double outer, double baseline,
           double size, double room)
{
  const RegardSpan span = {title, s->style->dim, FALSE};
  const gboolean fits = regard_canvas_text_width(s->canvas, &span, 1, size) <= fabs(outer - from);
  const gboolean is_left = outer < from;
  regard_figure_text_within(s->canvas, fits ? from : outer, baseline, room, title, s->style->dim,
                            FALSE, size, is_left == fits ? REGARD_ANCHOR_END : REGARD_ANCHOR_START);
}

static void
draw_titles(const Labels *s)
{
  const RegardMatrix *m = s->lines->matrices[0];
  const RegardLinesLayout *l = s->l;
  const double size = l->font * 0.9, top = l->whole.y + l->font;
  const double room = l->whole.width / 2 - l->font;
  regard_canvas_begin_group(s->canvas, "axis-titles");
  if (l->orientation == REGARD_LINES_UPRIGHT) {
    draw_title(s, m->row_title, edge(l, REGARD_LINES_ROWS), l->whole.x, top, size, room);
    draw_title(s, m->col_title, edge(l, REGARD_LINES_COLS), l->whole.x + l->whole.width, top, size,
               room);
  } else {
    regard_figure_text_within(s->canvas, l->whole.x, top, 2 * room, m->col_title, s->style->dim,
                              FALSE, size, REGARD_ANCHOR_START);
    regard_figure_text_within(s->canvas, l->whole.x, l->whole.y + l->whole.height - 0.4 * l->font,
                              2 * room, m->row_title, s->style->dim, FALSE, size,
                              REGARD_ANCHOR_START);
  }
  regard_canvas_end_group(s->canvas);
}

/* Two halves of the columns, of different kinds: what they are, and a line between them. */
static void
draw_parts(const Labels *s)
{
  const RegardMatrix *m = s->lines->matrices[0];
  const RegardLinesLayout *l = s->l;
  const RegardLinesList *list = &l->list[REGARD_LINES_COLS];
  if (m->col_split == 0 || m->col_split >= m->cols)
    return;
  const double at = (list->at[m->col_split - 1] + list->at[m->col_split]) / 2;
  const double from = edge(l, REGARD_LINES_COLS);
  const double to = from + direction(l, REGARD_LINES_COLS) * list->extent;
  if (l->orientation == REGARD_LINES_UPRIGHT)
    regard_canvas_stroke_line(s->canvas, from, at, to, at, 0.6, s->style->dim);
  else
    regard_canvas_stroke_line(s->canvas, at, from, at, to, 0.6, s->style->dim);
}

void
regard_lines_draw_labels(const RegardLines *lines, const RegardLinesLayout *layout,
                         const RegardLinesStyle *style, RegardCanvas *canvas)
{
  static const char *const groups[] = {"row-labels", "column-labels"};
  const Labels s = {lines, layout, style, canvas};
  draw_titles(&s);
  draw_parts(&s);
  draw_mass(&s);
  for (guint side = 0; side < 2; side++) {
    const RegardLinesList *list = &layout->list[side];
    regard_canvas_begin_group(canvas, groups[side]);
    for (guint i = 0; i < list->n; i += list->step)
      draw_label(&s, side, i, style->text, FALSE, list->size, most_of(&s, side));
    regard_canvas_end_group(canvas);
  }
}

/* ---- What is isolated ------------------------------------------------------------------------ */

/* Behind a label that is drawn over others. */
static void
draw_plate(const Labels *s, RegardLinesSide side, guint i, double reach, double size)
{
  const RegardLinesLayout *l = s->l;
  const int d = direction(l, side);
  const double from = edge(l, side), at = l->list[side].at[i];
  RegardRect plate = {d < 0 ? from - reach : from, at - size * 0.6, reach, size * 1.2};
  if (l->orientation == REGARD_LINES_LEVEL)
    return; /* words of a line do not lie over each other */
  regard_canvas_fill_rect(s->canvas, plate, 0, s->style->background);
}

/* A number beyond the label. */
static void
draw_number(const Labels *s, RegardLinesSide side, guint i, double value, double reach,
            gboolean is_kept, double size)
{
  const RegardMatrix *m = s->lines->matrices[0];
  const RegardLinesLayout *l = s->l;
  const int d = direction(l, side);
  const double from = edge(l, side) + d * (reach + 0.45 * l->font), at = l->list[side].at[i];
  char text[REGARD_CELL_TEXT];
  regard_cell_text(text, value, MAX(fabs(m->lo), fabs(m->hi)));
  if (!*text)
    return;
  const guint32 argb = is_kept ? s->style->text : s->style->dim;
  if (l->orientation == REGARD_LINES_UPRIGHT)
    regard_figure_text(s->canvas, from, at + size * 0.35, text, argb, FALSE, size,
                       d < 0 ? REGARD_ANCHOR_END : REGARD_ANCHOR_START, 0);
  else if (l->list[side].angle == 0)
    regard_figure_text(s->canvas, at, d < 0 ? from : from + size * 0.6, text, argb, FALSE, size,
                       REGARD_ANCHOR_MIDDLE, 0);
}

/* The one token that is isolated; FALSE: none, or several. */
static gboolean
find_alone(const Labels *s, const RegardLinesMarks *marks, RegardLinesSide *side, guint *i)
{
  guint n = 0;
  const guint8 *sets[] = {marks->rows, marks->cols};
  for (guint k = 0; k < 2; k++)
    for (guint j = 0; sets[k] && j < s->l->list[k].n; j++)
      if (sets[k][j]) {
        *side = k;
        *i = j;
        n++;
      }
  return n == 1;
}

/* The labels at the other ends, with their numbers where there is room for them: strong ones are
 * dark, as if they were not isolated. */
static void
draw_others(const Labels *s, RegardLinesSide side, guint i)
{
  const RegardMatrix *m = s->lines->matrices[0];
  const RegardLinesSide other = side == REGARD_LINES_ROWS ? REGARD_LINES_COLS : REGARD_LINES_ROWS;
  const RegardLinesList *list = &s->l->list[other];
  if (s->lines->n > 1) /* whose number would it be */
    return;
  for (guint j = 0; j < list->n; j++) {
    const guint r = side == REGARD_LINES_ROWS ? i : j, c = side == REGARD_LINES_ROWS ? j : i;
    const gboolean is_kept = s->lines->kept[0][(gsize) r * m->cols + c];
    if (j % list->step != 0 || list->pitch < list->size * 0.9)
      continue;
    RegardShownLabel shown = regard_label_shorten(s->canvas, label_of(s, other, j), FALSE,
                                                  list->size, most_of(s, other));
    const double reach = s->l->orientation == REGARD_LINES_UPRIGHT
                             ? regard_label_width(s->canvas, &shown, FALSE, list->size)
                             : list->size * 1.1;
    regard_label_clear(&shown);
    draw_number(s, other, j, regard_matrix_get(m, r, c), reach, is_kept, list->size * 0.9);
  }
}

void
regard_lines_draw_isolated(const RegardLines *lines, const RegardLinesLayout *layout,
                           const RegardLinesStyle *style, const RegardLinesMarks *marks,
                           RegardCanvas *canvas)
{
  const Labels s = {lines, layout, style, canvas};
  const guint8 *sets[] = {marks->rows, marks->cols};
  RegardLinesSide side = REGARD_LINES_ROWS;
  guint alone = 0;
  regard_canvas_begin_group(canvas, "isolated");
  if (find_alone(&s, marks, &side, &alone))
    draw_others(&s, side, alone);
  for (guint k = 0; k < 2; k++) {
    const RegardLinesList *list = &layout->list[k];
    const double size = MAX(list->size, layout->font * REGARD_LABEL_LEAST);
    double last = -INFINITY;
    for (guint i = 0; sets[k] && i < list->n; i++) {
      /* Of many beside each other those are named that have room. */
      if (!sets[k][i] || (list->at[i] - last < size && list->step > 1))
        continue;
      last = list->at[i];
      draw_plate(&s, k, i, list->extent + 0.2 * size, size);
      draw_label(&s, k, i, style->accent, TRUE, size, most_of(&s, k));
    }
  }
  regard_canvas_end_group(canvas);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Opacity of the faintest and the strongest line, and what is left of it if it is dimmed. From so
 * many tokens on faint ones are fainter still: more of them cross in one place. */
#define LEAST_OPACITY 0.10
#define MOST_OPACITY  0.92
#define DIMMED        0.20
#define CROWD         40.0
/* Widths, in font sizes: of a strong line by its opacity, of a dimmed one. */
#define WIDTH       0.09
#define MORE_WIDTH  0.16
#define THIN        0.06
#define WIDTH_SHARE 0.6 /* of the pitch, at most */
/* Of all lines together, on average: −ln(1 − opacity). */
#define MOST_DEPTH 0.8
/* Lines of an image that are drawn one by one, and strokes that it is then made of. */
#define MOST_SINGLE  4000
#define MOST_STROKES 16000
/* Of an image in a vector file, to a point. */
#define PIXELS_PER_POINT 4
#define MOST_PIXELS      4096
/* Lines too faint for an image of 256 levels are still lines in a file. */
#define UNSEEN (0.5 / 255)

/* ---- Colours --------------------------------------------------------------------------------- */

/* Okabe and Ito's colours for all kinds of colour vision, but for black, which is text, and the
 * two that are lost on white or on black. */
static const guint32 on_light[REGARD_MOST_LINES] = {0xff0072b2, 0xffd55e00, 0xff009e73,
                                                    0xffcc79a7, 0xffb07d00, 0xff3a3a3a};
static const guint32 on_dark[REGARD_MOST_LINES] = {0xff56b4e9, 0xffe69f00, 0xff00b88a,
                                                   0xffcc79a7, 0xfff0e442, 0xffe0e0e0};

static double
chroma(guint32 argb)
{
  const int r = argb >> 16 & 0xff, g = argb >> 8 & 0xff, b = argb & 0xff;
  return (MAX(MAX(r, g), b) - MIN(MIN(r, g), b)) / 255.0;
}

/* The colour of a stretch of a map that is best seen on a background: colourful, and neither near
 * to it nor as far from it as text. */
static guint32
best_seen(const RegardColormap *map, guint32 background, double from, double to)
{
  guint32 best = regard_colormap_lookup(map, from);
  double best_score = -INFINITY;
  for (int i = 0; i <= 64; i++) {
    const guint32 color = regard_colormap_lookup(map, from + (to - from) * i / 64);
    const double c = regard_color_contrast(color, background);
    const double score = chroma(color) - fabs(log(c / 6)) * (c < 6 ? 1.5 : 0.5);
    if (score > best_score) {
      best_score = score;
      best = color;
    }
  }
  return best;
}

void
regard_lines_style_init(RegardLinesStyle *style, const RegardFigureStyle *figure,
                        gboolean diverging)
{
  const RegardPalette *palette = regard_figure_palette(figure);
  const RegardColormap *map = figure->colormap;
  if (!map || map->diverging != diverging)
    map = diverging ? regard_colormap_default_diverging() : regard_colormap_default();
  *style = (RegardLinesStyle){
      .scale = figure->scale,
      .colormap = map,
      .text = palette->text,
      .dim = palette->dim,
      .background = palette->background,
      .accent = palette->accent,
      .bar = palette->bar,
      .bar_background = palette->bar_background,
  };
}

guint32
regard_lines_head_ink(guint i, gboolean is_dark)
{
  return (is_dark ? on_dark : on_light)[i % REGARD_MOST_LINES];
}

guint32
regard_lines_ink(const RegardLines *lines, const RegardLinesStyle *style, guint matrix,
                 gboolean is_negative)
{
  const gboolean is_dark = !regard_color_wants_black_text(style->background);
  if (lines->n > 1)
    return (is_dark ? on_dark : on_light)[matrix % REGARD_MOST_LINES];
  if (!lines->matrices[0]->diverging)
    return best_seen(style->colormap, style->background, 0, 1);
  return is_negative ? best_seen(style->colormap, style->background, 0, 0.4)
                     : best_seen(style->colormap, style->background, 0.6, 1);
}

static double
opacity_at(double place, double crowd, gboolean is_kept)
{
  return is_kept ? LEAST_OPACITY * crowd + (MOST_OPACITY - LEAST_OPACITY * crowd) * place
                 : DIMMED * crowd * sqrt(crowd) * place;
}

double
regard_lines_opacity(const RegardLines *lines, const RegardLinesStyle *style, double value,
                     double row_max, gboolean is_kept)
{
  const RegardMatrix *m = lines->matrices[0];
  double place = regard_scale_apply(style->scale, value, lines->lo, lines->hi, row_max);
  if (m->diverging)
    place = fabs(2 * place - 1);
  return value == 0 || !isfinite(value)
             ? 0
             : opacity_at(CLAMP(place, 0, 1), MIN(1, CROWD / MAX(MAX(m->rows, m->cols), 1)),
                          is_kept);
}

void
regard_lines_colormap_init(RegardLinesColormap *map, const RegardLines *lines,
                           const RegardLinesStyle *style)
{
  const gboolean is_signed = lines->matrices[0]->diverging;
  const guint32 inks[] = {
      lines->n > 1 ? style->text : regard_lines_ink(lines, style, 0, FALSE),
      lines->n > 1 ? style->text : regard_lines_ink(lines, style, 0, TRUE),
  };
  map->map = (RegardColormap){"lines", N_("Lines"), is_signed, (const guint8(*)[3]) map->rgb};
  for (int i = 0; i < 256; i++) {
    const double place = is_signed ? (i - 127.5) / 127.5 : i / 255.0;
    const double opacity = opacity_at(fabs(place), 1, TRUE);
    const guint32 ink = inks[place < 0];
    for (int c = 0; c < 3; c++) {
      const double over = ink >> (16 - 8 * c) & 0xff,
                   under = style->background >> (16 - 8 * c) & 0xff;
      map->rgb[i][c] = (guint8) (over * opacity + under * (1 - opacity) + 0.5);
    }
  }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

typedef struct {
  const RegardLines *lines;
  const RegardLinesLayout *layout;
  const RegardLinesStyle *style;
  const RegardLinesMarks *marks;
  RegardLinesWhich which;
  double opacity;
  GArray *strokes; /* of RegardStroke, in units of the canvas */
  guint32 inks[REGARD_LINES_INKS];
  guint n_inks;
} Drawing;

static double
stroke_width(const RegardLinesLayout *l, double opacity, gboolean is_kept)
{
  const double pitch = MIN(l->list[0].pitch, l->list[1].pitch) / l->n;
  const double width = is_kept ? WIDTH + MORE_WIDTH * opacity : THIN;
  return MIN(width * l->font, MAX(pitch * WIDTH_SHARE, THIN * l->font));
}

static gboolean
is_drawn(const Drawing *d, guint k, guint row, guint col)
{
  const float value = regard_matrix_get(d->lines->matrices[k], row, col);
  return value != 0 && isfinite(value) &&
         (d->which == REGARD_LINES_ALL || regard_lines_touches(d->marks, row, col));
}

/* Where a few tokens of many are isolated, most rows need not be looked at. */
static gboolean
has_lines(const Drawing *d, guint row)
{
  return d->which == REGARD_LINES_ALL || d->marks->cols || (d->marks->rows && d->marks->rows[row]);
}

static gsize
count_kept(const Drawing *d)
{
  gsize n = 0;
  for (guint k = 0; k < d->lines->n; k++)
    for (guint r = 0; r < d->lines->matrices[k]->rows; r++)
      for (guint c = 0; has_lines(d, r) && c < d->lines->matrices[k]->cols; c++)
        n += is_drawn(d, k, r, c);
  return n;
}

/* Signs have a colour each where there is one matrix; else matrices have. */
static guint
ink_of(const Drawing *d, guint k, double value)
{
  return d->n_inks == d->lines->n ? k : value < 0;
}

/* One line as a stroke without its place: depth 0 if it is not drawn. */
static RegardStroke
weigh(const Drawing *d, guint k, guint row, guint col, double row_max)
{
  const RegardMatrix *m = d->lines->matrices[k];
  const double value = regard_matrix_get(m, row, col);
  const gboolean is_kept = d->lines->kept[k][(gsize) row * m->cols + col];
  if (!is_drawn(d, k, row, col))
    return (RegardStroke){0};
  const double strength = regard_lines_opacity(d->lines, d->style, value, row_max, is_kept);
  return (RegardStroke){.width = (float) stroke_width(d->layout, strength, is_kept),
                        .depth = (float) -log1p(-strength * d->opacity),
                        .ink = ink_of(d, k, value)};
}

static double
row_max_of(const Drawing *d, guint k, guint row)
{
  return d->style->scale == REGARD_SCALE_ROW ? regard_matrix_row_max(d->lines->matrices[k], row)
                                             : 1;
}

/* Every line: faint ones first, so that they lie below. */
static void
collect(Drawing *d)
{
  for (int is_kept = 0; is_kept < 2; is_kept++)
    for (guint k = 0; k < d->lines->n; k++) {
      const RegardMatrix *m = d->lines->matrices[k];
      for (guint r = 0; r < m->rows; r++) {
        const double row_max = row_max_of(d, k, r);
        for (guint c = 0; has_lines(d, r) && c < m->cols; c++) {
          if (d->lines->kept[k][(gsize) r * m->cols + c] != is_kept)
            continue;
          RegardStroke stroke = weigh(d, k, r, c, row_max);
          stroke.from = (float) regard_lines_position(d->layout, k, r, c, 0);
          stroke.to = (float) regard_lines_position(d->layout, k, r, c, 1);
          if (stroke.depth > 0)
            g_array_append_val(d->strokes, stroke);
        }
      }
    }
}

/* Very many, as fewer that look the same. */
static void
collect_merged(Drawing *d)
{
  const RegardLinesLayout *l = d->layout;
  const guint rows = d->lines->matrices[0]->rows, cols = d->lines->matrices[0]->cols;
  g_autofree float *depths = g_new(float, (gsize) rows *cols);
  g_autofree float *widths = g_new(float, (gsize) rows *cols);
  g_autofree double *row_at = g_new(double, rows), *col_at = g_new(double, cols);
  for (guint ink = 0; ink < d->n_inks; ink++) {
    const guint k = d->n_inks == d->lines->n ? ink : 0;
    const double offset = (k - (l->n - 1) / 2.0) * l->spread;
    for (guint r = 0; r < rows; r++) {
      const double row_max = row_max_of(d, k, r);
      row_at[r] = l->list[REGARD_LINES_ROWS].at[r] + offset;
      for (guint c = 0; c < cols; c++) {
        const RegardStroke stroke = weigh(d, k, r, c, row_max);
        const gsize i = (gsize) r * cols + c;
        depths[i] = stroke.ink == ink ? stroke.depth : 0;
        widths[i] = stroke.width;
      }
    }
    for (guint c = 0; c < cols; c++)
      col_at[c] = l->list[REGARD_LINES_COLS].at[c] + offset;
    const RegardStrokePlane plane = {
        rows, cols, depths, widths, row_at, col_at, l->orientation == REGARD_LINES_UPRIGHT, ink};
    regard_lines_merge(&plane, MOST_STROKES / d->n_inks, d->strokes);
  }
}

/* Where so many strong lines cross that all of it would be one colour, all are fainter alike. */
static void
expose(Drawing *d)
{
  const RegardRect *p = &d->layout->plot;
  const double length = d->layout->orientation == REGARD_LINES_UPRIGHT ? p->height : p->width;
  double ink = 0;
  for (guint i = 0; i < d->strokes->len; i++) {
    const RegardStroke *s = &g_array_index(d->strokes, RegardStroke, i);
    ink += (double) s->depth * (double) s->width;
  }
  if (ink <= MOST_DEPTH * length)
    return;
  for (guint i = 0; i < d->strokes->len; i++)
    g_array_index(d->strokes, RegardStroke, i).depth *= (float) (MOST_DEPTH * length / ink);
}

static void
draw_strokes(const Drawing *d, RegardCanvas *canvas)
{
  const RegardRect *p = &d->layout->plot;
  const gboolean is_upright = d->layout->orientation == REGARD_LINES_UPRIGHT;
  for (guint i = 0; i < d->strokes->len; i++) {
    const RegardStroke *s = &g_array_index(d->strokes, RegardStroke, i);
    const double opacity = -expm1(-s->depth);
    if (canvas->pixel > 0 && opacity < UNSEEN)
      continue;
    RegardPoint points[4];
    for (int j = 0; j < 4; j++) {
      const double across = j / 3.0, along = j < 2 ? s->from : s->to;
      points[j] = is_upright ? (RegardPoint){p->x + p->width * across, along}
                             : (RegardPoint){along, p->y + p->height * across};
    }
    const guint32 alpha = (guint32) (opacity * 255 + 0.5);
    const RegardPen pen = {.width = s->width,
                           .argb = MAX(alpha, 1) << 24 | (d->inks[s->ink] & 0xffffff)};
    regard_canvas_curve(canvas, points, &pen);
  }
}

/* The same as an image, which reaches a little beyond both ends of the lists. */
static void
draw_image(const Drawing *d, RegardCanvas *canvas)
{
  const RegardLinesLayout *l = d->layout;
  const gboolean is_upright = l->orientation == REGARD_LINES_UPRIGHT;
  const double beyond = 0.3 * l->font;
  RegardRect place = l->plot;
  *(is_upright ? &place.y : &place.x) -= beyond;
  *(is_upright ? &place.height : &place.width) += 2 * beyond;
  if (canvas->visible.height > 0) { /* what nobody sees need not be drawn */
    const RegardRect all = place, *seen = &canvas->visible;
    place.x = MAX(place.x, seen->x);
    place.y = MAX(place.y, seen->y);
    place.width = MIN(all.x + all.width, seen->x + seen->width) - place.x;
    place.height = MIN(all.y + all.height, seen->y + seen->height) - place.y;
    *(is_upright ? &place.x : &place.y) = is_upright ? all.x : all.y;
    *(is_upright ? &place.width : &place.height) = is_upright ? all.width : all.height;
    if (place.width <= 0 || place.height <= 0)
      return;
  }
  const double longest = MAX(place.width, place.height);
  const double wanted = canvas->pixel > 0 ? 1 / canvas->pixel : PIXELS_PER_POINT;
  const double scale = MIN(wanted, MOST_PIXELS / longest);
  const guint across = (guint) MAX(1, round((is_upright ? place.width : place.height) * scale));
  const guint along = (guint) MAX(1, round((is_upright ? place.height : place.width) * scale));
  if (scale == wanted && canvas->pixel > 0) /* a pixel is a pixel */
    place =
        (RegardRect){regard_canvas_snap(canvas, place.x), regard_canvas_snap(canvas, place.y),
                     (is_upright ? across : along) / scale, (is_upright ? along : across) / scale};
  const double start = is_upright ? place.y : place.x;
  for (guint i = 0; i < d->strokes->len; i++) {
    RegardStroke *s = &g_array_index(d->strokes, RegardStroke, i);
    s->from = (float) ((s->from - start) * scale);
    s->to = (float) ((s->to - start) * scale);
    s->width = (float) (s->width * scale);
  }
  cairo_surface_t *image =
      regard_lines_raster((const RegardStroke *) (void *) d->strokes->data, d->strokes->len,
                          d->inks, d->n_inks, across, along, !is_upright);
  regard_canvas_image(canvas, image, place);
  cairo_surface_destroy(image);
}

void
regard_lines_draw(const RegardLines *lines, const RegardLinesLayout *layout,
                  const RegardLinesStyle *style, const RegardLinesMarks *marks,
                  RegardLinesWhich which, double opacity, gsize most, RegardCanvas *canvas)
{
  Drawing d = {
      .lines = lines,
      .layout = layout,
      .style = style,
      .marks = marks,
      .which = which,
      .opacity = opacity,
      .strokes = g_array_new(FALSE, FALSE, sizeof(RegardStroke)),
  };
  if (regard_figure_draws(canvas)) {
    const gboolean is_signed = lines->n == 1 && lines->matrices[0]->diverging;
    const gsize n = count_kept(&d);
    const gboolean is_image = n > (most > 0 ? most : REGARD_FIGURE_MAX_RECTANGLES);
    d.n_inks = is_signed ? 2 : lines->n;
    for (guint i = 0; i < d.n_inks; i++)
      d.inks[i] = regard_lines_ink(lines, style, is_signed ? 0 : i, i == 1);
    if (is_image && n > MOST_SINGLE && layout->list[0].is_even && layout->list[1].is_even)
      collect_merged(&d);
    else
      collect(&d);
    expose(&d);
    if (is_image)
      draw_image(&d, canvas);
    else
      draw_strokes(&d, canvas);
  }
  g_array_unref(d.strokes);
}

void
regard_lines_draw_marked(const RegardLines *lines, const RegardLinesLayout *layout,
                         const RegardLinesStyle *style, const RegardLinesMarks *marks,
                         RegardCanvas *canvas)
{
  const RegardMatrix *m = lines->matrices[0];
  const RegardRect *p = &layout->plot;
  const gboolean is_upright = layout->orientation == REGARD_LINES_UPRIGHT;
  if (marks->row < 0 || marks->col < 0 || (guint) marks->row >= m->rows ||
      (guint) marks->col >= m->cols)
    return;
  for (guint k = 0; k < lines->n; k++) {
    if (marks->matrix >= 0 && k != (guint) marks->matrix)
      continue;
    const double from = regard_lines_position(layout, k, (guint) marks->row, (guint) marks->col, 0);
    const double to = regard_lines_position(layout, k, (guint) marks->row, (guint) marks->col, 1);
    RegardPoint points[4];
    for (int j = 0; j < 4; j++)
      points[j] = is_upright ? (RegardPoint){p->x + p->width * j / 3, j < 2 ? from : to}
                             : (RegardPoint){j < 2 ? from : to, p->y + p->height * j / 3};
    const RegardPen halo = {.width = layout->font * 0.4, .argb = style->background};
    const RegardPen pen = {.width = layout->font * 0.22,
                           .argb = lines->n > 1 ? regard_lines_ink(lines, style, k, FALSE)
                                                : style->accent};
    regard_canvas_curve(canvas, points, &halo);
    regard_canvas_curve(canvas, points, &pen);
  }
}
