/* regard-intervention-glyph.c — small signs for what was changed in the model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-intervention-glyph.h"

RegardInterventionGlyph
regard_intervention_glyph(const char *how)
{
  static const struct {
    const char *how;
    RegardInterventionGlyph glyph;
  } glyphs[] = {
      {"zero", REGARD_GLYPH_ZERO},         {"uniform", REGARD_GLYPH_UNIFORM},
      {"mean", REGARD_GLYPH_MEAN},         {"diagonal", REGARD_GLYPH_DIAGONAL},
      {"previous", REGARD_GLYPH_PREVIOUS}, {"next", REGARD_GLYPH_NEXT},
      {"scale", REGARD_GLYPH_SCALE},       {"temperature", REGARD_GLYPH_TEMPERATURE},
      {"copy", REGARD_GLYPH_COPY},         {"window", REGARD_GLYPH_WINDOW},
  };
  for (guint i = 0; i < G_N_ELEMENTS(glyphs); i++)
    if (g_str_equal(glyphs[i].how, how))
      return glyphs[i].glyph;
  return REGARD_GLYPH_OTHER;
}

/* All below is drawn in a square from -1 to 1, y down; strokes as they come, NAN lifts the pen. */
#define UP -9.0
typedef struct {
  double x, y;
} Point;
static const Point cross[] = {{-.5, -.5}, {.5, .5}, {UP, 0}, {.5, -.5}, {-.5, .5}},
                   bars[] = {{-.55, -.45}, {.55, -.45}, {UP, 0},     {-.55, 0},
                             {.55, 0},     {UP, 0},     {-.55, .45}, {.55, .45}},
                   mean[] = {{-.5, -.4}, {.5, -.4}, {UP, 0}, {-.15, .2}, {.15, .2}},
                   diagonal[] = {{-.6, -.6}, {.6, .6}},
                   previous[] = {{.25, -.55}, {-.35, 0}, {.25, .55}},
                   next[] = {{-.25, -.55}, {.35, 0}, {-.25, .55}},
                   scale[] = {{-.4, -.2}, {0, -.6}, {.4, -.2}, {UP, 0}, {0, -.6},
                              {0, .6},    {UP, 0},  {-.4, .2}, {0, .6}, {.4, .2}},
                   temperature[] = {{-.6, .4}, {-.3, .4}, {0, -.5}, {.3, .4}, {.6, .4}},
                   copy[] = {{-.5, -.5}, {.15, -.5}, {.15, .15}, {-.5, .15}, {-.5, -.5},
                             {UP, 0},    {.5, -.1},  {.5, .5},   {-.1, .5}},
                   cells[] = {{-.5, -.5}, {.5, -.5}, {.5, .5}, {-.5, .5}, {-.5, -.5},
                              {UP, 0},    {0, -.5},  {0, 0},   {.5, 0}},
                   window[] = {{-.2, -.6}, {.6, .2}, {UP, 0}, {-.6, -.2}, {.2, .6}},
                   dot[] = {{-.1, 0}, {.1, 0}};

static void
stroke(cairo_t *cr, const Point *points, guint n)
{
  gboolean is_up = TRUE;
  for (guint i = 0; i < n; i++)
    if (points[i].x == UP)
      is_up = TRUE;
    else if (is_up) {
      cairo_move_to(cr, points[i].x, points[i].y);
      is_up = FALSE;
    } else
      cairo_line_to(cr, points[i].x, points[i].y);
  cairo_stroke(cr);
}

void
regard_intervention_glyph_draw(GtkSnapshot *snapshot, RegardInterventionGlyph glyph,
                               const graphene_rect_t *at, const GdkRGBA *disc,
                               const GdkRGBA *background)
{
#define STROKES(points)          \
  {                              \
    points, G_N_ELEMENTS(points) \
  }
  static const struct {
    const Point *points;
    guint n;
  } strokes[] = {
      [REGARD_GLYPH_ZERO] = STROKES(cross),
      [REGARD_GLYPH_UNIFORM] = STROKES(bars),
      [REGARD_GLYPH_MEAN] = STROKES(mean),
      [REGARD_GLYPH_DIAGONAL] = STROKES(diagonal),
      [REGARD_GLYPH_PREVIOUS] = STROKES(previous),
      [REGARD_GLYPH_NEXT] = STROKES(next),
      [REGARD_GLYPH_SCALE] = STROKES(scale),
      [REGARD_GLYPH_COPY] = STROKES(copy),
      [REGARD_GLYPH_TEMPERATURE] = STROKES(temperature),
      [REGARD_GLYPH_CELLS] = STROKES(cells),
      [REGARD_GLYPH_WINDOW] = STROKES(window),
      [REGARD_GLYPH_OTHER] = STROKES(dot),
  };
  const double radius = MIN(at->size.width, at->size.height) / 2;

  if (glyph == REGARD_GLYPH_NONE)
    return;
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, at);
  cairo_translate(cr, at->origin.x + at->size.width / 2, at->origin.y + at->size.height / 2);
  cairo_scale(cr, radius, radius);
  cairo_arc(cr, 0, 0, 1, 0, 2 * G_PI);
  gdk_cairo_set_source_rgba(cr, background);
  cairo_fill(cr);
  gdk_cairo_set_source_rgba(cr, disc);
  if (glyph == REGARD_GLYPH_SWITCH) {
    cairo_arc(cr, 0, 0, 0.7, 0, 2 * G_PI);
    cairo_set_line_width(cr, 1.3 / radius);
    cairo_stroke(cr);
  } else {
    cairo_arc(cr, 0, 0, 0.94, 0, 2 * G_PI);
    cairo_fill(cr);
    gdk_cairo_set_source_rgba(cr, background);
    cairo_set_line_width(cr, 1.5 / radius);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    stroke(cr, strokes[glyph].points, strokes[glyph].n);
  }
  cairo_destroy(cr);
}
