/* regard-drawing.c — a canvas that keeps what is drawn on it, and its form in a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In a file each stroke is a list: a letter, numbers, then what else it has. Numbers have three
 * decimals there as here, so that a drawing that was read is the one that was written. Images are
 * PNG in base64.
 */
#include "figures/regard-drawing.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-png.h"

#include <math.h>
#include <string.h>

#define MOST_NUMBERS 6

/* The letter of a stroke, how many numbers it has, and what else. */
typedef struct {
  char letter;
  guint n;
  gboolean has_colour, has_points, has_spans, has_image;
} StrokeType;
enum { RECT, FRAME, LINE, POLYLINE, CURVE, POLYGON, CLIP, END_CLIP, HATCH, IMAGE, TEXT, N_TYPES };
static const StrokeType types[N_TYPES] = {
    [RECT] = {'r', 5, TRUE, FALSE, FALSE, FALSE},      /* x y width height radius */
    [FRAME] = {'f', 5, TRUE, FALSE, FALSE, FALSE},     /* x y width height line */
    [LINE] = {'l', 5, TRUE, FALSE, FALSE, FALSE},      /* x y x y line */
    [POLYLINE] = {'p', 3, TRUE, TRUE, FALSE, FALSE},   /* line dash space */
    [CURVE] = {'c', 3, TRUE, TRUE, FALSE, FALSE},      /* the same */
    [POLYGON] = {'g', 0, TRUE, TRUE, FALSE, FALSE},    /**/
    [CLIP] = {'[', 4, FALSE, FALSE, FALSE, FALSE},     /* x y width height */
    [END_CLIP] = {']', 0, FALSE, FALSE, FALSE, FALSE}, /**/
    [HATCH] = {'h', 2, TRUE, TRUE, FALSE, FALSE},      /* spacing line; points: corner, size */
    [IMAGE] = {'i', 4, FALSE, FALSE, FALSE, TRUE},     /* x y width height */
    [TEXT] = {'t', 5, FALSE, FALSE, TRUE, FALSE},      /* x baseline size anchor angle */
};

typedef struct {
  guint8 type, n_spans;
  guint n_points;
  guint32 argb;
  double numbers[MOST_NUMBERS];
  RegardPoint *points;
  RegardSpan *spans; /* own texts */
  cairo_surface_t *image;
} Stroke;

struct _RegardDrawing {
  RegardSubject subject;
  double width, height;
  GArray *strokes;
};

static void
stroke_clear(gpointer data)
{
  Stroke *s = data;
  for (guint i = 0; i < s->n_spans; i++)
    g_free((char *) s->spans[i].text);
  g_free(s->spans);
  g_free(s->points);
  g_clear_pointer(&s->image, cairo_surface_destroy);
}

static void
drawing_clear(gpointer subject)
{
  g_array_unref(((RegardDrawing *) subject)->strokes);
}

static RegardDrawing *
drawing_alloc(void)
{
  RegardDrawing *self = regard_subject_alloc(sizeof *self, drawing_clear);
  self->strokes = g_array_new(FALSE, TRUE, sizeof(Stroke));
  g_array_set_clear_func(self->strokes, stroke_clear);
  return self;
}

double
regard_drawing_width(const RegardDrawing *self)
{
  return self->width;
}

double
regard_drawing_height(const RegardDrawing *self)
{
  return self->height;
}

double
regard_drawing_least_text(const RegardDrawing *self, const char **text)
{
  double least = 0;
  for (guint i = 0; i < self->strokes->len; i++) {
    const Stroke *s = &g_array_index(self->strokes, Stroke, i);
    if (s->type != TEXT || !*s->spans[0].text || (least > 0 && s->numbers[2] >= least))
      continue;
    least = s->numbers[2];
    *text = s->spans[0].text;
  }
  return least;
}

guint
regard_drawing_inks(const RegardDrawing *self, guint32 *inks, guint most)
{
  guint n = 0;
  for (guint i = 0; i < self->strokes->len; i++) {
    const Stroke *s = &g_array_index(self->strokes, Stroke, i);
    const gboolean is_line = s->type == LINE || s->type == POLYLINE || s->type == CURVE;
    const guint32 ink = s->argb | 0xff000000;
    guint k = 0;
    if (!is_line || s->argb >> 24 < 0x80)
      continue;
    while (k < n && inks[k] != ink)
      k++;
    if (k == most)
      return 0;
    if (k == n)
      inks[n++] = ink;
  }
  return n;
}

/* ---- Keeping ---------------------------------------------------------------------------------
 */

typedef struct {
  RegardCanvas parent;
  RegardDrawing *drawing;
  gsize pixels;
} Recorder;

static double
rounded(double v)
{
  return round(v * 1000) / 1000;
}

static Stroke *
add(RegardCanvas *canvas, guint8 type, guint32 argb, const double *numbers)
{
  GArray *strokes = ((Recorder *) canvas)->drawing->strokes;
  g_array_set_size(strokes, strokes->len + 1);
  Stroke *s = &g_array_index(strokes, Stroke, strokes->len - 1);
  s->type = type;
  s->argb = argb;
  for (guint i = 0; i < types[type].n; i++)
    s->numbers[i] = rounded(numbers[i]);
  return s;
}

static void
keep_points(Stroke *s, const RegardPoint *points, guint n)
{
  s->n_points = n;
  s->points = g_new(RegardPoint, MAX(n, 1));
  for (guint i = 0; i < n; i++)
    s->points[i] = (RegardPoint){rounded(points[i].x), rounded(points[i].y)};
}

static void
keep_rect(RegardCanvas *canvas, RegardRect r, double radius, guint32 argb)
{
  add(canvas, RECT, argb, (const double[]){r.x, r.y, r.width, r.height, radius});
}

static void
keep_frame(RegardCanvas *canvas, RegardRect r, double line, guint32 argb)
{
  add(canvas, FRAME, argb, (const double[]){r.x, r.y, r.width, r.height, line});
}

static void
keep_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1, double line,
          guint32 argb)
{
  add(canvas, LINE, argb, (const double[]){x0, y0, x1, y1, line});
}

static void
keep_pen(RegardCanvas *canvas, guint8 type, const RegardPoint *points, guint n,
         const RegardPen *pen)
{
  keep_points(add(canvas, type, pen->argb, (const double[]){pen->width, pen->dash, pen->space}),
              points, n);
}

static void
keep_polyline(RegardCanvas *canvas, const RegardPoint *points, guint n, const RegardPen *pen)
{
  keep_pen(canvas, POLYLINE, points, n, pen);
}

static void
keep_curve(RegardCanvas *canvas, const RegardPoint points[4], const RegardPen *pen)
{
  keep_pen(canvas, CURVE, points, 4, pen);
}

static void
keep_polygon(RegardCanvas *canvas, const RegardPoint *points, guint n, guint32 argb)
{
  keep_points(add(canvas, POLYGON, argb, NULL), points, n);
}

static void
keep_clip(RegardCanvas *canvas, RegardRect r)
{
  add(canvas, CLIP, 0, (const double[]){r.x, r.y, r.width, r.height});
}

static void
keep_end_clip(RegardCanvas *canvas)
{
  add(canvas, END_CLIP, 0, NULL);
}

static void
keep_hatch(RegardCanvas *canvas, const RegardRect *rects, guint n, double spacing, double line,
           guint32 argb)
{
  g_autofree RegardPoint *points = g_new(RegardPoint, 2 * (gsize) n);
  for (guint i = 0; i < n; i++) {
    points[2 * i] = (RegardPoint){rects[i].x, rects[i].y};
    points[2 * i + 1] = (RegardPoint){rects[i].width, rects[i].height};
  }
  keep_points(add(canvas, HATCH, argb, (const double[]){spacing, line}), points, 2 * n);
}

static void
keep_image(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect r)
{
  Stroke *s = add(canvas, IMAGE, 0, (const double[]){r.x, r.y, r.width, r.height});
  const int width = cairo_image_surface_get_width(surface),
            height = cairo_image_surface_get_height(surface);
  cairo_surface_flush(surface);
  s->image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create(s->image); /* who drew it may go on with it */
  cairo_set_source_surface(cr, surface, 0, 0);
  cairo_set_operator(cr, CAIRO_OPERATOR_SOURCE);
  cairo_paint(cr);
  cairo_destroy(cr);
  cairo_surface_flush(s->image);
  ((Recorder *) canvas)->pixels += (gsize) width * (gsize) height;
}

static void
keep_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans, guint n,
          double size, RegardAnchor anchor, double angle)
{
  Stroke *s = add(canvas, TEXT, 0, (const double[]){x, baseline, size, anchor, angle});
  s->n_spans = (guint8) MIN(n, G_MAXUINT8);
  s->spans = g_memdup2(spans, s->n_spans * sizeof *spans);
  for (guint i = 0; i < s->n_spans; i++)
    s->spans[i].text = g_strdup(spans[i].text);
}

static void
recorder_free(RegardCanvas *canvas)
{
  regard_canvas_clear(canvas);
  g_free(canvas);
}

static gboolean
is_within_limits(const RegardDrawing *self, gsize pixels)
{
  if (self->strokes->len > REGARD_DRAWING_MOST_STROKES || pixels > REGARD_DRAWING_MOST_PIXELS ||
      self->width > REGARD_DRAWING_MOST_LENGTH || self->height > REGARD_DRAWING_MOST_LENGTH)
    return FALSE;
  for (guint i = 0; i < self->strokes->len; i++) {
    const Stroke *s = &g_array_index(self->strokes, Stroke, i);
    if (s->n_points > REGARD_DRAWING_MOST_POINTS)
      return FALSE;
    if (s->image && MAX(cairo_image_surface_get_width(s->image),
                        cairo_image_surface_get_height(s->image)) > REGARD_DRAWING_MOST_SIDE)
      return FALSE;
    for (guint k = 0; k < s->n_spans; k++)
      if (strlen(s->spans[k].text) > REGARD_DRAWING_MOST_TEXT)
        return FALSE;
  }
  return TRUE;
}

RegardDrawing *
regard_drawing_new(RegardFigure *figure, double width_pt, double font_pt)
{
  static const RegardCanvasClass klass = {.fill_rect = keep_rect,
                                          .stroke_rect = keep_frame,
                                          .stroke_line = keep_line,
                                          .polyline = keep_polyline,
                                          .curve = keep_curve,
                                          .fill_polygon = keep_polygon,
                                          .begin_clip = keep_clip,
                                          .end_clip = keep_end_clip,
                                          .hatch = keep_hatch,
                                          .image = keep_image,
                                          .text = keep_text,
                                          .free = recorder_free};
  Recorder *recorder = g_new0(Recorder, 1);
  RegardDrawing *self = drawing_alloc();
  regard_canvas_init(&recorder->parent, &klass);
  recorder->drawing = self;
  self->width = rounded(width_pt);
  self->height = rounded(regard_figure_height(figure, width_pt, font_pt));
  regard_figure_paint(figure, &recorder->parent, width_pt, font_pt);
  const gsize pixels = recorder->pixels;
  regard_canvas_free(&recorder->parent);
  if (is_within_limits(self, pixels))
    return self;
  regard_drawing_unref(self);
  return NULL;
}

/* ---- Drawing it again ------------------------------------------------------------------------
 */

static RegardRect
rect_of(const double *v)
{
  return (RegardRect){v[0], v[1], v[2], v[3]};
}

static void
play_hatch(const Stroke *s, RegardCanvas *canvas)
{
  g_autofree RegardRect *rects = g_new(RegardRect, s->n_points / 2 + 1);
  for (guint i = 0; i < s->n_points / 2; i++)
    rects[i] = (RegardRect){s->points[2 * i].x, s->points[2 * i].y, s->points[2 * i + 1].x,
                            s->points[2 * i + 1].y};
  regard_canvas_hatch(canvas, rects, s->n_points / 2, s->numbers[0], s->numbers[1], s->argb);
}

static void
play(const Stroke *s, RegardCanvas *canvas)
{
  const double *v = s->numbers;
  const RegardPen pen = {v[0], v[1], v[2], s->argb};
  switch (s->type) {
  case RECT:
    regard_canvas_fill_rect(canvas, rect_of(v), v[4], s->argb);
    break;
  case FRAME:
    regard_canvas_stroke_rect(canvas, rect_of(v), v[4], s->argb);
    break;
  case LINE:
    regard_canvas_stroke_line(canvas, v[0], v[1], v[2], v[3], v[4], s->argb);
    break;
  case POLYLINE:
    regard_canvas_polyline(canvas, s->points, s->n_points, &pen);
    break;
  case CURVE:
    regard_canvas_curve(canvas, s->points, &pen);
    break;
  case POLYGON:
    regard_canvas_fill_polygon(canvas, s->points, s->n_points, s->argb);
    break;
  case CLIP:
    regard_canvas_begin_clip(canvas, rect_of(v));
    break;
  case END_CLIP:
    regard_canvas_end_clip(canvas);
    break;
  case HATCH:
    play_hatch(s, canvas);
    break;
  case IMAGE:
    regard_canvas_image(canvas, s->image, rect_of(v));
    break;
  default:
    regard_canvas_text(canvas, v[0], v[1], s->spans, s->n_spans, v[2], (RegardAnchor) v[3], v[4]);
  }
}

void
regard_drawing_play(const RegardDrawing *self, RegardCanvas *canvas)
{
  for (guint i = 0; i < self->strokes->len; i++)
    play(&g_array_index(self->strokes, Stroke, i), canvas);
}

/* ---- Writing ---------------------------------------------------------------------------------
 */

static json_object *
number(double v)
{
  g_autoptr(GString) text = g_string_new(NULL);
  regard_canvas_append_number(text, v, 3);
  return json_object_new_double_s(v, text->str);
}

static json_object *
colour(guint32 argb)
{
  char text[10];
  g_snprintf(text, sizeof text, "%08x", argb);
  return json_object_new_string(text);
}

static json_object *
picture(cairo_surface_t *image)
{
  g_autoptr(GByteArray) bytes = regard_png_write(image);
  g_autofree char *text = bytes ? g_base64_encode(bytes->data, bytes->len) : g_strdup("");
  return json_object_new_string(text);
}

static json_object *
write_stroke(const Stroke *s)
{
  const StrokeType *type = &types[s->type];
  const char letter[] = {type->letter, '\0'};
  json_object *list = json_object_new_array();
  json_object_array_add(list, json_object_new_string(letter));
  for (guint i = 0; i < type->n; i++)
    json_object_array_add(list, number(s->numbers[i]));
  if (type->has_colour)
    json_object_array_add(list, colour(s->argb));
  for (guint i = 0; i < s->n_points; i++) {
    json_object_array_add(list, number(s->points[i].x));
    json_object_array_add(list, number(s->points[i].y));
  }
  for (guint i = 0; i < s->n_spans; i++) {
    json_object_array_add(list, json_object_new_string(s->spans[i].text));
    json_object_array_add(list, colour(s->spans[i].argb));
    json_object_array_add(list, json_object_new_boolean(s->spans[i].bold));
  }
  if (s->image)
    json_object_array_add(list, picture(s->image));
  return list;
}

json_object *
regard_drawing_write(const RegardDrawing *self)
{
  json_object *object = json_object_new_object(), *strokes = json_object_new_array();
  json_object_object_add(object, "width", number(self->width));
  json_object_object_add(object, "height", number(self->height));
  for (guint i = 0; i < self->strokes->len; i++)
    json_object_array_add(strokes, write_stroke(&g_array_index(self->strokes, Stroke, i)));
  json_object_object_add(object, "strokes", strokes);
  return object;
}

/* ---- Reading ---------------------------------------------------------------------------------
 */

static gboolean
read_number(json_object *value, double *number)
{
  if (!json_object_is_type(value, json_type_double) && !json_object_is_type(value, json_type_int))
    return FALSE;
  *number = rounded(json_object_get_double(value));
  return fabs(*number) <= REGARD_DRAWING_MOST_LENGTH; /* which NaN is not */
}

static gboolean
read_colour(json_object *value, guint32 *argb)
{
  guint64 number = 0;
  const char *text =
      json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
  if (strlen(text) != 8 || strspn(text, "0123456789abcdef") != 8 ||
      !g_ascii_string_to_unsigned(text, 16, 0, G_MAXUINT32, &number, NULL))
    return FALSE;
  *argb = (guint32) number;
  return TRUE;
}

static const char *
read_text(json_object *value)
{
  const char *text =
      json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
  return text && strlen(text) == (gsize) json_object_get_string_len(value) &&
                 strlen(text) <= REGARD_DRAWING_MOST_TEXT && g_utf8_validate(text, -1, NULL)
             ? text
             : NULL;
}

/* Its size is looked at before anything is inflated. */
static cairo_surface_t *
read_picture(json_object *value, gsize *pixels)
{
  gsize n;
  guint32 width, height;
  if (!json_object_is_type(value, json_type_string))
    return NULL;
  g_autofree guint8 *data = g_base64_decode(json_object_get_string(value), &n);
  if (!regard_png_get_size(data, n, &width, &height) || width > REGARD_DRAWING_MOST_SIDE ||
      height > REGARD_DRAWING_MOST_SIDE)
    return NULL;
  *pixels += (gsize) width * height;
  if (*pixels > REGARD_DRAWING_MOST_PIXELS)
    return NULL;
  cairo_surface_t *read = regard_png_read(data, n);
  if (!read)
    return NULL;
  cairo_surface_t *image =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int) width, (int) height);
  cairo_t *cr = cairo_create(image); /* whatever kind of PNG it was */
  cairo_set_source_surface(cr, read, 0, 0);
  cairo_set_operator(cr, CAIRO_OPERATOR_SOURCE);
  cairo_paint(cr);
  cairo_destroy(cr);
  cairo_surface_flush(image);
  cairo_surface_destroy(read);
  return image;
}

static gboolean
read_points(json_object *list, gsize at, gsize n, Stroke *s)
{
  if (n % 2 != 0 || n / 2 > REGARD_DRAWING_MOST_POINTS || (s->type == CURVE && n != 8) ||
      (s->type == HATCH && n % 4 != 0))
    return FALSE;
  s->n_points = (guint) (n / 2);
  s->points = g_new0(RegardPoint, MAX(s->n_points, 1));
  for (guint i = 0; i < s->n_points; i++)
    if (!read_number(json_object_array_get_idx(list, at + 2 * i), &s->points[i].x) ||
        !read_number(json_object_array_get_idx(list, at + 2 * i + 1), &s->points[i].y))
      return FALSE;
  return TRUE;
}

static gboolean
read_spans(json_object *list, gsize at, gsize n, Stroke *s)
{
  if (n == 0 || n % 3 != 0 || n / 3 > 64)
    return FALSE;
  s->spans = g_new0(RegardSpan, n / 3);
  for (gsize i = 0; i < n / 3; i++) {
    const char *text = read_text(json_object_array_get_idx(list, at + 3 * i));
    json_object *bold = json_object_array_get_idx(list, at + 3 * i + 2);
    RegardSpan *span = &s->spans[i];
    if (!text || !read_colour(json_object_array_get_idx(list, at + 3 * i + 1), &span->argb) ||
        !json_object_is_type(bold, json_type_boolean))
      return FALSE;
    span->text = g_strdup(text);
    span->bold = json_object_get_boolean(bold);
    s->n_spans++;
  }
  return s->numbers[2] > 0 && s->numbers[2] <= 1000 && s->numbers[3] >= REGARD_ANCHOR_START &&
         s->numbers[3] <= REGARD_ANCHOR_END;
}

/* Nothing is nested, and lines that are hatched are not innumerable. */
static gboolean
check_stroke(const Stroke *s, gboolean *is_clipped)
{
  if (s->type == CLIP || s->type == END_CLIP) {
    if (*is_clipped != (s->type == END_CLIP))
      return FALSE;
    *is_clipped = s->type == CLIP;
  }
  for (guint i = 0; s->type == HATCH && i < s->n_points / 2; i++)
    if (s->points[2 * i + 1].x > 5000 || s->points[2 * i + 1].y > 5000)
      return FALSE;
  return s->type != HATCH || (s->numbers[0] >= 0.5 && s->n_points > 0);
}

static gboolean
read_stroke(json_object *list, Stroke *s, gsize *pixels, gboolean *is_clipped)
{
  const gsize n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
  const char *letter = n ? read_text(json_object_array_get_idx(list, 0)) : NULL;
  guint8 t = 0;
  while (letter && t < N_TYPES && (letter[0] != types[t].letter || letter[1]))
    t++;
  if (!letter || t == N_TYPES)
    return FALSE;
  const StrokeType *type = &types[t];
  const gsize fixed = 1 + type->n + (type->has_colour ? 1 : 0);
  s->type = t;
  if (n < fixed)
    return FALSE;
  for (guint i = 0; i < type->n; i++)
    if (!read_number(json_object_array_get_idx(list, 1 + i), &s->numbers[i]))
      return FALSE;
  if (type->has_colour && !read_colour(json_object_array_get_idx(list, fixed - 1), &s->argb))
    return FALSE;
  if (type->has_image) {
    s->image = n == fixed + 1 ? read_picture(json_object_array_get_idx(list, fixed), pixels) : NULL;
    return s->image != NULL;
  }
  if (type->has_points  ? !read_points(list, fixed, n - fixed, s)
      : type->has_spans ? !read_spans(list, fixed, n - fixed, s)
                        : n != fixed)
    return FALSE;
  return check_stroke(s, is_clipped);
}

static gboolean
read_side(json_object *object, const char *key, double *side)
{
  json_object *value = NULL;
  return json_object_object_get_ex(object, key, &value) && read_number(value, side) && *side >= 1;
}

RegardDrawing *
regard_drawing_read(json_object *object, const char **expected)
{
  g_autoptr(RegardDrawing) self = drawing_alloc();
  json_object *strokes = NULL;
  gsize pixels = 0;
  gboolean is_clipped = FALSE;
  *expected = _("a drawing: width, height and a list of strokes");
  if (!json_object_is_type(object, json_type_object) || !read_side(object, "width", &self->width) ||
      !read_side(object, "height", &self->height) ||
      !json_object_object_get_ex(object, "strokes", &strokes) ||
      !json_object_is_type(strokes, json_type_array))
    return NULL;
  const gsize n = json_object_array_length(strokes);
  *expected = _("strokes: a letter, its numbers and what else it has, at most 200,000");
  if (n > REGARD_DRAWING_MOST_STROKES)
    return NULL;
  for (gsize i = 0; i < n; i++) {
    g_array_set_size(self->strokes, (guint) i + 1);
    if (!read_stroke(json_object_array_get_idx(strokes, i),
                     &g_array_index(self->strokes, Stroke, i), &pixels, &is_clipped))
      return NULL;
  }
  return is_clipped ? NULL : g_steal_pointer(&self);
}

/* ==== A part of a canvas =======================================================================
 */

typedef struct {
  RegardCanvas parent;
  RegardCanvas *canvas;
  double x, y, scale;
} PartCanvas;

static RegardRect
part_rect(const PartCanvas *p, RegardRect r)
{
  return (RegardRect){p->x + r.x * p->scale, p->y + r.y * p->scale, r.width * p->scale,
                      r.height * p->scale};
}

static RegardPoint *
part_points(const PartCanvas *p, const RegardPoint *points, guint n)
{
  RegardPoint *moved = g_new(RegardPoint, MAX(n, 1));
  for (guint i = 0; i < n; i++)
    moved[i] = (RegardPoint){p->x + points[i].x * p->scale, p->y + points[i].y * p->scale};
  return moved;
}

static RegardPen
part_pen(const PartCanvas *p, const RegardPen *pen)
{
  return (RegardPen){pen->width * p->scale, pen->dash * p->scale, pen->space * p->scale, pen->argb};
}

static void
part_fill_rect(RegardCanvas *canvas, RegardRect r, double radius, guint32 argb)
{
  const PartCanvas *p = (PartCanvas *) canvas;
  regard_canvas_fill_rect(p->canvas, part_rect(p, r), radius * p->scale, argb);
}

static void
part_stroke_rect(RegardCanvas *canvas, RegardRect r, double line, guint32 argb)
{
  const PartCanvas *p = (PartCanvas *) canvas;
  regard_canvas_stroke_rect(p->canvas, part_rect(p, r), line * p->scale, argb);
}

static void
part_stroke_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1, double line,
                 guint32 argb)
{
  const PartCanvas *p = (PartCanvas *) canvas;
  regard_canvas_stroke_line(p->canvas, p->x + x0 * p->scale, p->y + y0 * p->scale,
                            p->x + x1 * p->scale, p->y + y1 * p->scale, line * p->scale, argb);
}

static void
part_polyline(RegardCanvas *canvas, const RegardPoint *points, guint n, const RegardPen *pen)
{
  const PartCanvas *p = (PartCanvas *) canvas;
  g_autofree RegardPoint *moved = part_points(p, points, n);
  const RegardPen scaled = part_pen(p, pen);
  regard_canvas_polyline(p->canvas, moved, n, &scaled);
}

static void
part_curve(RegardCanvas *canvas, const RegardPoint points[4], const RegardPen *pen)
{
  const PartCanvas *p = (PartCanvas *) canvas;
  g_autofree RegardPoint *moved = part_points(p, points, 4);
  const RegardPen scaled = part_pen(p, pen);
  regard_canvas_curve(p->canvas, moved, &scaled);
}

static void
part_polygon(RegardCanvas *canvas, const RegardPoint *points, guint n, guint32 argb)
{
  const PartCanvas *p = (PartCanvas *) canvas;
  g_autofree RegardPoint *moved = part_points(p, points, n);
  regard_canvas_fill_polygon(p->canvas, moved, n, argb);
}

static void
part_begin_clip(RegardCanvas *canvas, RegardRect r)
{
  const PartCanvas *p = (PartCanvas *) canvas;
  regard_canvas_begin_clip(p->canvas, part_rect(p, r));
}

static void
part_end_clip(RegardCanvas *canvas)
{
  regard_canvas_end_clip(((PartCanvas *) canvas)->canvas);
}

static void
part_hatch(RegardCanvas *canvas, const RegardRect *rects, guint n, double spacing, double line,
           guint32 argb)
{
  const PartCanvas *p = (PartCanvas *) canvas;
  g_autofree RegardRect *moved = g_new(RegardRect, MAX(n, 1));
  for (guint i = 0; i < n; i++)
    moved[i] = part_rect(p, rects[i]);
  regard_canvas_hatch(p->canvas, moved, n, spacing * p->scale, line * p->scale, argb);
}

static void
part_image(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect r)
{
  const PartCanvas *p = (PartCanvas *) canvas;
  regard_canvas_image(p->canvas, surface, part_rect(p, r));
}

static void
part_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans, guint n,
          double size, RegardAnchor anchor, double angle)
{
  const PartCanvas *p = (PartCanvas *) canvas;
  regard_canvas_text(p->canvas, p->x + x * p->scale, p->y + baseline * p->scale, spans, n,
                     size * p->scale, anchor, angle);
}

static void
part_begin_group(RegardCanvas *canvas, const char *name)
{
  regard_canvas_begin_group(((PartCanvas *) canvas)->canvas, name);
}

static void
part_end_group(RegardCanvas *canvas)
{
  regard_canvas_end_group(((PartCanvas *) canvas)->canvas);
}

RegardCanvas *
regard_canvas_new_part(RegardCanvas *canvas, double x, double y, double scale)
{
  static const RegardCanvasClass drawing = {.fill_rect = part_fill_rect,
                                            .stroke_rect = part_stroke_rect,
                                            .stroke_line = part_stroke_line,
                                            .polyline = part_polyline,
                                            .curve = part_curve,
                                            .fill_polygon = part_polygon,
                                            .begin_clip = part_begin_clip,
                                            .end_clip = part_end_clip,
                                            .hatch = part_hatch,
                                            .image = part_image,
                                            .text = part_text,
                                            .begin_group = part_begin_group,
                                            .end_group = part_end_group,
                                            .free = recorder_free};
  static const RegardCanvasClass measuring = {.free = recorder_free};
  PartCanvas *p = g_new0(PartCanvas, 1);
  regard_canvas_init(&p->parent, regard_figure_draws(canvas) ? &drawing : &measuring);
  p->canvas = canvas;
  /* Edges that lie on pixels here lie on pixels there. */
  p->x = scale == 1 ? regard_canvas_snap(canvas, x) : x;
  p->y = scale == 1 ? regard_canvas_snap(canvas, y) : y;
  p->scale = scale;
  p->parent.pixel = canvas->pixel / scale;
  p->parent.family = canvas->family;
  return &p->parent;
}
