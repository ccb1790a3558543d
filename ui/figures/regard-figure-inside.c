/* regard-figure-inside.c — the picture of one head and one query: its parts on one page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The row stands above, cards stand below it in as many columns as there is room for.
 */
#include "figures/regard-inside-draw.h"

#include "figures/regard-raster.h"

#include <glib/gi18n.h>
#include <math.h>

/* Of a card, in font sizes. */
#define CARD_WIDTH   27.0
#define CARD_GAP     0.9
#define CARD_PADDING 1.0

typedef struct {
  RegardFigure parent;
  RegardInside *inside;
  RegardInsideLook look;
} InsideFigure;

const char *
regard_inside_step_text(guint step)
{
  static const char *const texts[REGARD_INSIDE_N_STEPS + 1] = {
      "",
      N_("The token’s state times W_Q is the query."),
      N_("The query times each key: one number for each token."),
      N_("Divided by √d_k, so that the softmax does not saturate."),
      N_("What may not be seen gets −∞."),
      N_("e to the power of it; the largest is taken away first, which changes nothing."),
      N_("Divided by their sum: weights that add up to 1."),
      N_("Each value times its weight; their sum is the context."),
      N_("The context times W_O is what this head adds to the stream."),
  };
  return _(texts[MIN(step, REGARD_INSIDE_N_STEPS)]);
}

/* ---- Parts of parts -------------------------------------------------------------------------- */

void
inside_text(const InsideDraw *d, double x, double baseline, double width, const char *text,
            gboolean dim, gboolean bold, RegardAnchor anchor)
{
  regard_figure_text_within(d->canvas, x, baseline, width, text,
                            dim ? d->palette->dim : d->palette->text, bold, d->font, anchor);
}

double
inside_heading(const InsideDraw *d, double x, double y, double width, const char *title,
               const char *note)
{
  const RegardSpan bold = {title, d->palette->text, TRUE};
  const double size = d->font * 1.08, used = regard_canvas_text_width(d->canvas, &bold, 1, size);
  regard_canvas_text(d->canvas, x, y + size, &bold, 1, size, REGARD_ANCHOR_START, 0);
  if (note)
    inside_text(d, x + used + d->font * 0.8, y + size, width - used - d->font * 0.8, note, TRUE,
                FALSE, REGARD_ANCHOR_START);
  return size * 2.1;
}

/* White is what nothing looks like on paper; on a dark page it is the page's own grey. */
static guint32
strip_color(const InsideDraw *d, const InsideStrip *strip, guint i)
{
  const double place = CLAMP(strip->values[i] * strip->factor / strip->domain, -1, 1);
  const guint32 color = regard_colormap_lookup(d->signed_map, 0.5 + place / 2);
  if (!d->style->dark)
    return color;
  const double share = sqrt(fabs(place));
  guint32 mixed = 0xff000000;
  for (guint shift = 0; shift <= 16; shift += 8) {
    const double from = d->palette->bar_background >> shift & 0xff, to = color >> shift & 0xff;
    mixed |= (guint32) lround(from + (to - from) * share) << shift;
  }
  return mixed;
}

static void
strip_image(const InsideDraw *d, RegardRect place, const InsideStrip *strip)
{
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int) strip->n, 1);
  if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
    guint32 *pixels = (guint32 *) (void *) cairo_image_surface_get_data(image);
    for (guint i = 0; i < strip->n; i++)
      pixels[i] = strip_color(d, strip, i);
    cairo_surface_mark_dirty(image);
    regard_canvas_image(d->canvas, image, place);
  }
  cairo_surface_destroy(image);
}

void
inside_strip(const InsideDraw *d, RegardRect place, const InsideStrip *strip)
{
  const double cell = place.width / strip->n;
  if (regard_figure_draws(d->canvas) &&
      regard_canvas_shows(d->canvas, place.y, place.y + place.height)) {
    if (d->images || strip->n > 128)
      strip_image(d, place, strip);
    else
      for (guint i = 0; i < strip->n; i++) {
        const double left = regard_canvas_snap(d->canvas, place.x + i * cell);
        const double right = regard_canvas_snap(d->canvas, place.x + (i + 1) * cell);
        regard_canvas_fill_rect(d->canvas, (RegardRect){left, place.y, right - left, place.height},
                                0, strip_color(d, strip, i));
      }
  }
  for (guint i = 0; strip->part >= 0 && d->canvas->klass->spot && i < strip->n; i++)
    regard_canvas_spot(d->canvas, (RegardRect){place.x + i * cell, place.y, cell, place.height},
                       strip->part, strip->row, (int) i);
}

void
inside_weights(const InsideDraw *d, RegardRect place, const double *weights, int part, int row)
{
  const guint n = d->in->cols;
  const double cell = place.width / n;
  for (guint j = 0; j < n; j++) {
    const double left = regard_canvas_snap(d->canvas, place.x + j * cell);
    const double right = regard_canvas_snap(d->canvas, place.x + (j + 1) * cell);
    const RegardRect box = {left, place.y, right - left, place.height};
    regard_canvas_fill_rect(d->canvas, box, 0,
                            d->in->allowed[j] ? regard_colormap_lookup(d->weight_map, weights[j])
                                              : d->palette->masked);
    regard_canvas_spot(d->canvas, box, part, row, (int) j);
  }
}

/* ---- The page -------------------------------------------------------------------------------- */

typedef double (*DrawPart)(const InsideDraw *d, double x, double y, double width);

/* A card: its frame, and a part in it; as high as height, which is at least what the part needs. */
static double
draw_card(const InsideDraw *d, DrawPart part, double x, double y, double width, double height)
{
  const double padding = CARD_PADDING * d->font;
  g_autoptr(RegardCanvas) measure = regard_canvas_new_measure();
  InsideDraw quiet = *d;
  measure->family = d->canvas->family;
  quiet.canvas = measure;
  const double least = part(&quiet, x + padding, y + padding, width - 2 * padding) + 2 * padding;
  height = MAX(height, least);
  if (regard_figure_draws(d->canvas))
    regard_canvas_stroke_rect(d->canvas, (RegardRect){x, y, width, height}, 0.6, d->palette->grid);
  if (!regard_figure_draws(d->canvas) && !d->canvas->klass->spot)
    return height;
  part(d, x + padding, y + padding, width - 2 * padding);
  return height;
}

static double
draw_cards(const InsideDraw *d, double x, double y, double width)
{
  static const struct {
    RegardInsidePart part;
    DrawPart draw;
  } cards[] = {
      {REGARD_INSIDE_SIMILARITY, inside_draw_similarity},
      {REGARD_INSIDE_ROOT, inside_draw_root},
      {REGARD_INSIDE_CELL, inside_draw_cell},
      {REGARD_INSIDE_HEADS, inside_draw_heads},
  };
  const double gap = CARD_GAP * d->font;
  DrawPart drawn[G_N_ELEMENTS(cards)];
  guint n = 0, columns;
  const gboolean heads_are_beside =
      (d->look->parts & REGARD_INSIDE_ROW) && !d->look->all_rows && inside_is_wide(d, width);
  for (guint i = 0; i < G_N_ELEMENTS(cards); i++)
    if ((d->look->parts & cards[i].part) &&
        !(heads_are_beside && cards[i].part == REGARD_INSIDE_HEADS))
      drawn[n++] = cards[i].draw;
  if (n == 0)
    return 0;
  columns = CLAMP((guint) ((width + gap) / (CARD_WIDTH * d->font + gap)), 1, n);
  if (columns == 3 && n == 4)
    columns = 2; /* one alone would look left over */
  const double card = (width - (columns - 1) * gap) / columns, top = y;
  g_autoptr(RegardCanvas) measure = regard_canvas_new_measure();
  InsideDraw quiet = *d;
  measure->family = d->canvas->family;
  quiet.canvas = measure;
  for (guint first = 0; first < n; first += columns) {
    const guint end = MIN(first + columns, n);
    double height = 0;
    for (guint i = first; i < end; i++)
      height = MAX(height, draw_card(&quiet, drawn[i], 0, 0, card, 0));
    for (guint i = first; i < end; i++)
      draw_card(d, drawn[i], x + (i - first) * (card + gap), y, card, height);
    y += height + gap;
  }
  return y - gap - top;
}

/* The place, what was changed, and the query. */
static double
draw_header(const InsideDraw *d, double x, double y, double width)
{
  const RegardInside *in = d->in;
  g_autofree char *title =
      d->look->all_rows && !(d->look->parts & ~(guint) REGARD_INSIDE_ROW)
          ? g_strdup_printf("%s · all queries", in->title)
          : g_strdup_printf("%s · query %s", in->title, in->row_texts[in->query]);
  g_autofree char *changed = in->changes ? g_strdup_printf("changed: %s", in->changes) : NULL;
  char *badges[] = {changed,
                    in->is_changed ? (char *) _("these weights are not the softmax of the scores")
                                   : NULL,
                    NULL};
  return regard_figure_header(d->canvas, d->palette, x, y, width,
                              regard_figure_title(d->style, title), changed ? badges : NULL,
                              d->font);
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const InsideFigure *self = (const InsideFigure *) figure;
  const double margin = font * REGARD_FIGURE_MARGIN;
  const gsize numbers = (gsize) self->inside->cols * self->inside->d_head * 3;
  const InsideDraw d = {
      .canvas = canvas,
      .palette = regard_figure_palette(&figure->style),
      .signed_map = regard_colormap_default_diverging(),
      .weight_map = figure->style.colormap,
      .style = &figure->style,
      .in = self->inside,
      .look = &self->look,
      .font = font,
      .images = numbers > REGARD_FIGURE_MAX_RECTANGLES,
  };
  const double inner = width - 2 * margin;
  double y = margin;
  y += draw_header(&d, margin, y, inner);
  if (self->look.parts & REGARD_INSIDE_ROW) {
    y += self->look.all_rows ? inside_draw_all_rows(&d, margin, y, inner)
                             : inside_draw_row(&d, margin, y, inner);
    if (self->look.parts & ~(guint) REGARD_INSIDE_ROW)
      y += font * 1.2;
  }
  y += draw_cards(&d, margin, y, inner);
  const char *model = mt_model_name(self->inside->model);
  if (*model && regard_figure_has(&figure->style, REGARD_PART_MODEL)) {
    y += font * 1.6;
    regard_figure_text(canvas, width - margin, y, model, d.palette->dim, FALSE, font * 0.9,
                       REGARD_ANCHOR_END, 0);
  }
  return y + margin;
}

/* ---- The class ------------------------------------------------------------------------------- */

static guint
n_matrices(RegardFigure *figure)
{
  const InsideFigure *self = (const InsideFigure *) figure;
  return inside_n_matrices(self->inside, &self->look);
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  InsideFigure *self = (InsideFigure *) figure;
  return inside_matrix(self->inside, &self->look, i);
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const InsideFigure *self = (const InsideFigure *) figure;
  const RegardInside *in = self->inside;
  g_string_append_printf(caption, "%s, query %s.", in->title, in->row_texts[in->query]);
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const InsideFigure *self = (const InsideFigure *) figure;
  return inside_describe(self->inside, &self->look, spot);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const InsideFigure *self = (const InsideFigure *) figure;
  return inside_copy(self->inside, &self->look, spot);
}

static void
release(RegardFigure *figure)
{
  InsideFigure *self = (InsideFigure *) figure;
  regard_inside_unref(self->inside);
}

RegardFigure *
regard_figure_new_inside(RegardInside *inside, const RegardInsideLook *look,
                         const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
      .free = release,
  };
  InsideFigure *self = regard_figure_alloc(sizeof *self, &klass, style, FALSE);
  self->inside = regard_inside_ref(inside);
  self->look = *look;
  if (self->look.step == 0)
    self->look.step = REGARD_INSIDE_N_STEPS;
  return &self->parent;
}
