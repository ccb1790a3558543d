/* regard-figure-head-map.c — all heads of a kind on a plane: near each other what does alike.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One unit is as long to the right as it is upwards, since both are distances. Names stand beside
 * the selected head, its nearest ones, and those at the rim, as far as there is room for them.
 */
#include "figures/regard-corpus-heads.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-naming.h"

#include <glib/gi18n.h>
#include <math.h>

/* In font sizes. */
#define HEIGHT 15.0
#define DOT    0.42
#define RIM    1.6 /* room around the outermost dots */
#define TARGET 1.3 /* what can be pointed at */

typedef struct {
  RegardMatrixFigure parent;
  RegardCorpus *corpus;
  mt_attention_kind kind;
  guint first, n;
  int selected; /* -1: none, or of another kind */
  double *xy, kept;
} MapFigure;

typedef struct {
  const MapFigure *map;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  RegardRect box;
  double font, unit, mid_x, mid_y;
  GArray *taken; /* of RegardRect: dots and names */
} Sheet;

guint32
regard_kind_colour(mt_attention_kind kind, gboolean dark)
{
  static const guint32 colours[MT_N_KINDS][2] = {
      [MT_ENCODER_SELF] = {0xff3584e4, 0xff62a0ea},
      [MT_CROSS] = {0xffe66100, 0xffff7800},
      [MT_DECODER_SELF] = {0xff2ec27e, 0xff57e389},
  };
  return colours[kind][dark ? 1 : 0];
}

/* So that all dots are inside, with one unit for both axes. */
static void
find_unit(Sheet *s)
{
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
  for (guint i = 0; i < s->map->n; i++)
    for (guint a = 0; a < 2; a++) {
      lo[a] = fmin(lo[a], s->map->xy[2 * i + a]);
      hi[a] = fmax(hi[a], s->map->xy[2 * i + a]);
    }
  const double width = s->box.width - 2 * RIM * s->font, height = s->box.height - 2 * RIM * s->font;
  s->unit = fmin(width / fmax(hi[0] - lo[0], 1e-9), height / fmax(hi[1] - lo[1], 1e-9));
  s->mid_x = (lo[0] + hi[0]) / 2;
  s->mid_y = (lo[1] + hi[1]) / 2;
}

static RegardPoint
place_of(const Sheet *s, guint i)
{
  return (RegardPoint){
      s->box.x + s->box.width / 2 + (s->map->xy[2 * i] - s->mid_x) * s->unit,
      s->box.y + s->box.height / 2 - (s->map->xy[2 * i + 1] - s->mid_y) * s->unit,
  };
}

static void
draw_dot(const Sheet *s, RegardPoint at, double radius, guint32 argb)
{
  regard_canvas_fill_rect(s->canvas,
                          (RegardRect){at.x - radius, at.y - radius, 2 * radius, 2 * radius},
                          radius, argb);
}

static gboolean
meets(const RegardRect *a, const RegardRect *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
         b->y < a->y + a->height;
}

static gboolean
is_free(const Sheet *s, const RegardRect *rect)
{
  if (rect->x < s->box.x || rect->x + rect->width > s->box.x + s->box.width)
    return FALSE;
  for (guint i = 0; i < s->taken->len; i++)
    if (meets(rect, &g_array_index(s->taken, RegardRect, i)))
      return FALSE;
  return TRUE;
}

/* "4.1" beside its dot, at the right or at the left; nothing where there is no room. */
static void
draw_name(const Sheet *s, guint i)
{
  const RegardCorpusHead *head = &s->map->corpus->heads[s->map->first + i];
  const gboolean is_selected = (int) (s->map->first + i) == s->map->selected;
  const RegardPoint at = place_of(s, i);
  const double size = 0.85 * s->font, away = (is_selected ? 0.8 : 0.6) * s->font;
  char name[32];
  g_snprintf(name, sizeof name, "%u.%u", head->layer + 1, head->head + 1);
  const RegardSpan span = {name, s->palette->text, is_selected};
  const double width = regard_canvas_text_width(s->canvas, &span, 1, size);
  const RegardRect sides[] = {{at.x + away, at.y - 0.5 * size, width, size},
                              {at.x - away - width, at.y - 0.5 * size, width, size}};
  for (guint side = 0; side < G_N_ELEMENTS(sides); side++)
    if (is_free(s, &sides[side])) {
      g_array_append_val(s->taken, sides[side]);
      regard_canvas_text(s->canvas, sides[side].x, at.y + 0.35 * size, &span, 1, size,
                         REGARD_ANCHOR_START, 0);
      return;
    }
}

/* How much a head wants its name to be there: the selected one, then those far from the middle. */
static int
compare_names(gconstpointer a, gconstpointer b, gpointer data)
{
  const Sheet *s = data;
  const guint x = *(const guint *) a, y = *(const guint *) b;
  const double p = hypot(s->map->xy[2 * x] - s->mid_x, s->map->xy[2 * x + 1] - s->mid_y);
  const double q = hypot(s->map->xy[2 * y] - s->mid_x, s->map->xy[2 * y + 1] - s->mid_y);
  const int selected = s->map->selected - (int) s->map->first;
  if ((int) x == selected || (int) y == selected)
    return (int) x == selected ? -1 : 1;
  return p > q ? -1 : p < q;
}

static void
draw_names(Sheet *s)
{
  g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint i = 0; i < s->map->n; i++) {
    const RegardPoint at = place_of(s, i);
    const double r = DOT * s->font;
    const RegardRect dot = {at.x - r, at.y - r, 2 * r, 2 * r};
    g_array_append_val(s->taken, dot);
    g_array_append_val(order, i);
  }
  g_array_sort_with_data(order, compare_names, s);
  for (guint i = 0; i < order->len; i++)
    draw_name(s, g_array_index(order, guint, i));
}

static void
draw_dots(const Sheet *s, gboolean dark)
{
  const guint32 colour = regard_kind_colour(s->map->kind, dark);
  const int selected = s->map->selected - (int) s->map->first;
  for (guint i = 0; i < s->map->n; i++) {
    const RegardPoint at = place_of(s, i);
    const double half = TARGET * s->font / 2;
    regard_canvas_spot(s->canvas, (RegardRect){at.x - half, at.y - half, 2 * half, 2 * half}, 0,
                       (int) (s->map->first + i), 0);
    if (regard_figure_draws(s->canvas) && (int) i != selected)
      draw_dot(s, at, DOT * s->font, (colour & 0x00ffffff) | 0xc0000000);
  }
  if (!regard_figure_draws(s->canvas) || s->map->selected < 0)
    return;
  const RegardPoint at = place_of(s, (guint) selected);
  draw_dot(s, at, (DOT + 0.26) * s->font, s->palette->text);
  draw_dot(s, at, (DOT + 0.1) * s->font, colour);
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  MapFigure *self = (MapFigure *) figure;
  const RegardPalette *palette = regard_figure_palette(&figure->style);
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  g_autofree char *title =
      g_strdup_printf(_("Map of heads · %s, by Jensen–Shannon distance; near each other: alike"),
                      regard_kind_name(self->kind));
  double y = margin;
  if (regard_figure_has(&figure->style, REGARD_PART_TITLE))
    y += regard_figure_header(canvas, palette, margin, y, inner, title, self->parent.matrix->badges,
                              font);
  g_autoptr(GArray) taken = g_array_new(FALSE, FALSE, sizeof(RegardRect));
  Sheet s = {.map = self,
             .canvas = canvas,
             .palette = palette,
             .box = {margin, y, inner, HEIGHT * font * figure->stretch},
             .font = font,
             .taken = taken};
  find_unit(&s);
  draw_dots(&s, figure->style.dark);
  if (regard_figure_draws(canvas))
    draw_names(&s);
  y += s.box.height;
  if (regard_figure_has(&figure->style, REGARD_PART_MODEL) && self->parent.matrix->model_name) {
    y += font;
    regard_figure_text(canvas, margin + inner, y, self->parent.matrix->model_name, palette->dim,
                       FALSE, 0.9 * font, REGARD_ANCHOR_END, 0);
  }
  return y + margin;
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const MapFigure *self = (MapFigure *) figure;
  g_autofree char *about = regard_corpus_describe(self->corpus);
  g_string_append_printf(caption,
                         "%s, %u heads on a plane by classical scaling of their Jensen–Shannon "
                         "distances, of which it shows %.0f %% (squared). %s.",
                         regard_kind_name(self->kind), self->n, 100 * self->kept, about);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const MapFigure *self = (MapFigure *) figure;
  const RegardCorpusHead *head = &self->corpus->heads[spot->row];
  RegardCorpusBadge badges[REGARD_MOST_BADGES];
  const guint n = regard_corpus_head_badges(self->corpus, head, badges);
  g_autofree char *name = regard_corpus_head_name(head);
  GString *words = g_string_new(name);
  for (guint i = 0; i < n; i++) {
    g_string_append_printf(words, "%s %s", i ? "," : ":", badges[i].text);
    regard_corpus_badge_clear(&badges[i]);
  }
  if (self->selected >= 0 && self->selected != spot->row) {
    g_autofree char *other = regard_corpus_head_name(&self->corpus->heads[self->selected]);
    g_string_append_printf(words, _("; distance to %s %.2f"), other,
                           regard_corpus_distance(self->corpus, (guint) spot->row,
                                                  (guint) self->selected));
  }
  return g_string_free(words, FALSE);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const MapFigure *self = (MapFigure *) figure;
  if (self->selected < 0)
    return regard_corpus_head_name(&self->corpus->heads[spot->row]);
  return regard_exact_copy(
      regard_corpus_distance(self->corpus, (guint) spot->row, (guint) self->selected));
}

static void
release(RegardFigure *figure)
{
  MapFigure *self = (MapFigure *) figure;
  g_free(self->xy);
  regard_corpus_unref(self->corpus);
  regard_matrix_figure_free(figure);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void
label_head(gconstpointer data, guint i, RegardLabel *label)
{
  const MapFigure *self = data;
  label->text = regard_corpus_head_name(&self->corpus->heads[self->first + i]);
  label->piece = g_strdup(label->text);
  label->first_token = i;
  label->n_tokens = 1;
}

static float
value(gconstpointer data, guint row, guint col)
{
  const MapFigure *self = data;
  return (float) self->xy[2 * row + col];
}

static RegardMatrix *
make_matrix(const MapFigure *self)
{
  static const char *const axes[] = {"x", "y"};
  g_autofree char *kept = g_strdup_printf("%.0f %% of squared distances", 100 * self->kept);
  const char *const badges[] = {self->corpus->about.text_name ? self->corpus->about.text_name
                                                              : self->corpus->name,
                                kept, NULL};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "map",
      .title = "Map of heads",
      .value_name = "place",
      .model_name = self->corpus->about.model_name,
      .badges = badges,
      .rows = {.n = self->n, .title = "heads", .noun = "head", .label = label_head, .data = self},
      .cols = regard_axis_texts(axes, 2, "axes"),
      .value = value,
      .data = self,
      .range = REGARD_RANGE_SIGNED,
  });
}

RegardFigure *
regard_figure_new_head_map(RegardCorpus *corpus, mt_attention_kind kind, int selected,
                           const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = regard_matrix_figure_n_matrices,
      .matrix = regard_matrix_figure_matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
      .free = release,
  };
  guint first, n;
  double *xy, kept;
  if (!regard_corpus_map(corpus, kind, &first, &n, &xy, &kept))
    return NULL;
  MapFigure *self = regard_figure_alloc(sizeof *self, &klass, style, FALSE);
  self->corpus = regard_corpus_ref(corpus);
  self->kind = kind;
  self->first = first;
  self->n = n;
  self->xy = xy;
  self->kept = kept;
  self->selected = selected >= (int) first && selected < (int) (first + n) ? selected : -1;
  self->parent.matrix = make_matrix(self);
  return &self->parent.parent;
}
