/* regard-figure-walkthrough.c — the picture of one head and one query: equation 1 with each key a
 * line, from left to right, and cards that explain it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     softmax(q Kᵀ / √d_k) V                                      the paper, equation 1
 *
 * or the model's own (regard-equations.h): with relative positions there is a column for what they
 * add, and where scores are not divided there is none for it.
 *
 * The row stands above, cards stand below it in as many columns as there is room for. What a step
 * has not reached yet is left empty at its place, so that nothing moves when it comes.
 *
 * This file is long because the page is one picture: its row, its matrices and its cards share the
 * places of columns, and each of their numbers has a sentence that says what it is made of.
 */
#include "figures/regard-language.h"
#include "figures/regard-walkthrough.h"

#include "figures/regard-equations.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-made-up.h"
#include "figures/regard-raster.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

/* Of a card, in font sizes. */
#define CARD_WIDTH   27.0
#define CARD_GAP     0.9
#define CARD_PADDING 1.0

/* From this width on, in font sizes, what a head adds, and all heads, stand beside the row. */
#define WIDE 92.0

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardColormap *signed_map, *weight_map;
  const RegardFigureStyle *style;
  const RegardWalkthrough *in;
  const RegardWalkthroughOptions *look;
  double font;
  gboolean images; /* strips are images: there are too many numbers for rectangles */
} Draw;

/* Numbers in colours beside each other. */
typedef struct {
  const float *values;
  guint n;
  double factor; /* of every value */
  double domain; /* colours reach from -domain to domain */
  int part, row; /* of its spots; part -1: it has none */
} Strip;
/* Each draws a part at a place and returns how high it is. */
typedef double (*DrawPart)(const Draw *d, double x, double y, double width);

/* The third step, by what the model does there. */
static const char *
scale_text(const RegardWalkthrough *in)
{
  if (in && in->score_bias.data)
    return in->is_divided
               ? _("Divided by √d_k, and a number for the distance of the two tokens is added.")
               : _("A number for the distance of the two tokens is added; nothing is divided.");
  return !in || in->is_divided ? _("Divided by √d_k, so that the softmax does not saturate.")
                               : _("This model does not divide by √d_k: q·k is the score.");
}

/* The fourth step: it is the decoder's self-attention that hides what comes later. */
static const char *
mask_text(const RegardWalkthrough *in, gboolean is_away)
{
  return is_away
             ? _("What comes later may not be seen: −∞. Only the decoder's self-attention hides "
                 "anything, so this is one of its heads.")
         : !in || in->kind == MT_DECODER_SELF ? _("What comes later may not be seen: it gets −∞.")
                                              : _("Here every token may be seen: nothing gets −∞.");
}

const char *
regard_walkthrough_step_text(const RegardWalkthrough *in, const RegardWalkthroughOptions *look)
{
  static const char *const texts[REGARD_WALKTHROUGH_N_STEPS + 1] = {
      "",
      N_("The token’s state times W_Q is the query."),
      N_("The query times each key: one number for each token."),
      "",
      "",
      N_("e to the power of it; the largest is taken away first, which changes nothing."),
      N_("Divided by their sum: weights that add up to 1."),
      N_("Each value times its weight; their sum is the context."),
      N_("The context times W_O is what this head adds to the stream."),
  };
  const guint step = MIN(look->step, REGARD_WALKTHROUGH_N_STEPS);
  return step == REGARD_STEP_SCALE  ? scale_text(in)
         : step == REGARD_STEP_MASK ? mask_text(in, look->is_away)
                                    : _(texts[step]);
}

/* ---- Parts of parts -------------------------------------------------------------------------- */

/* Text at x of this width, ellipsized; dim: less telling. */
static void
put(const Draw *d, double x, double baseline, double width, const char *text, gboolean dim,
    gboolean bold, RegardAnchor anchor)
{
  regard_figure_text_within(d->canvas, x, baseline, width, text,
                            dim ? d->palette->dim : d->palette->text, bold, d->font, anchor);
}

/* ---- Words and symbols, and what they mean --------------------------------------------------- */

typedef enum {
  SIGN_NORM,
  SIGN_STREAM,
  SIGN_QUERY,
  SIGN_KEYS,
  SIGN_PRODUCT,
  SIGN_SCALED,
  SIGN_MASK,
  SIGN_EXP,
  SIGN_WEIGHT,
  SIGN_VALUES,
  SIGN_WEIGHTED,
  SIGN_ADDS,
  SIGN_ALONG,
  SIGN_JOINED,
  SIGN_BIAS,
  SIGN_TOGETHER,
  SIGN_MAPS,
  SIGN_ENTROPY,
  SIGN_LARGEST,
  SIGN_GRADIENT,
  SIGN_SIMILARITY, /* the first of them */
} Sign;

static const char *const signs[] = {
    [SIGN_NORM] = N_("‖ ‖ is the length of a vector: the root of the sum of its squared numbers"),
    [SIGN_STREAM] = N_("The vector of this token before the layer, which its query is made from"),
    [SIGN_QUERY] = N_("The query: what this token asks for. Each small field is one number: orange "
                      "above 0, blue below."),
    [SIGN_KEYS] = N_("The keys: what each token offers. Each small field is one number: orange "
                     "above 0, blue below."),
    [SIGN_PRODUCT] = N_("The products of the numbers of query and key, added up: large if both "
                        "point the same way"),
    [SIGN_SCALED] = N_("The score: what the softmax reads"),
    [SIGN_MASK] = N_("0 is added where a token may be seen, −∞ where it may not"),
    [SIGN_EXP] = N_("e to the power of the score; the largest score is taken away first, which "
                    "changes no weight"),
    [SIGN_WEIGHT] = N_("The number before it, divided by the sum of the column: weights sum to 1"),
    [SIGN_VALUES] = N_("The values: what each token gives when it is looked at"),
    [SIGN_WEIGHTED] = N_("Each value times its weight; their sum below is the context"),
    [SIGN_ADDS] = N_("The length of what each head adds to the stream"),
    [SIGN_ALONG] = N_("How much of that goes the way of the sum of all heads; these numbers add up "
                      "to the length of the sum"),
    [SIGN_JOINED] = N_("z: the contexts of all heads one after the other, which W_O reads"),
    [SIGN_BIAS] = N_("A vector that the model adds whatever the heads have found"),
    [SIGN_TOGETHER] = N_("The length of what all heads and the bias add to the stream"),
    [SIGN_MAPS] = N_("Matrices that only other similarities have. The model was not taught any, so "
                     "these stand in for them; the menu of the page has others."),
    [SIGN_ENTROPY] = N_("How widely these weights are spread, in bits: 0 is all at one token"),
    [SIGN_LARGEST] = N_("The largest of these weights"),
    [SIGN_GRADIENT] =
        N_("How much of an error would pass this softmax to what could learn from it; "
           "near 0 nothing is learned"),
    [SIGN_SIMILARITY + REGARD_SIMILARITY_DOT] = N_("q·k, not divided by anything"),
    [SIGN_SIMILARITY + REGARD_SIMILARITY_SCALED] = N_("q·k divided by √d_k: the paper’s"),
    [SIGN_SIMILARITY + REGARD_SIMILARITY_GENERAL] =
        N_("q·(W k): the key goes through one more matrix W first (Luong et al. 2015)"),
    [SIGN_SIMILARITY + REGARD_SIMILARITY_CONCAT] =
        N_("v·tanh(W [q; k]): a small network reads query and key together (Luong et al. 2015)"),
    [SIGN_SIMILARITY + REGARD_SIMILARITY_PERCEPTRON] =
        N_("v·tanh(W q + U k): additive attention, from before the Transformer (Bahdanau et al. "
           "2015)"),
    [SIGN_SIMILARITY + REGARD_SIMILARITY_COSINE] =
        N_("q·k divided by both lengths: between −1 and 1, so that the softmax is nearly even"),
};

/* The same as put, and its meaning where the pointer is on it. */
static void
put_sign(const Draw *d, double x, double baseline, double width, const char *text, gboolean dim,
         gboolean bold, RegardAnchor anchor, int sign)
{
  const RegardSpan span = {text, 0xff000000, bold};
  const double own = MIN(regard_canvas_text_width(d->canvas, &span, 1, d->font), width);
  const double left = anchor == REGARD_ANCHOR_END      ? x - own
                      : anchor == REGARD_ANCHOR_MIDDLE ? x - own / 2
                                                       : x;
  put(d, x, baseline, width, text, dim, bold, anchor);
  regard_canvas_spot(d->canvas, (RegardRect){left, baseline - 0.95 * d->font, own, 1.2 * d->font},
                     REGARD_SPOT_SIGN, sign, -1);
}

/* A small line above a part: bold, and an explanation in grey. Returns its height. */
static double
draw_heading(const Draw *d, double x, double y, double width, const char *title, const char *note)
{
  const RegardSpan bold = {title, d->palette->text, TRUE};
  const double size = d->font * 1.08, used = regard_canvas_text_width(d->canvas, &bold, 1, size);
  regard_canvas_text(d->canvas, x, y + size, &bold, 1, size, REGARD_ANCHOR_START, 0);
  if (note)
    put(d, x + used + d->font * 0.8, y + size, width - used - d->font * 0.8, note, TRUE, FALSE,
        REGARD_ANCHOR_START);
  return size * 2.1;
}

/* White is what nothing looks like on paper; on a dark page it is the page's own grey. */
static guint32
strip_color(const Draw *d, const Strip *strip, guint i)
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
strip_image(const Draw *d, RegardRect place, const Strip *strip)
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

static void
draw_strip(const Draw *d, RegardRect place, const Strip *strip)
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

/* A row of weights as cells, coloured from 0 to 1; hatched where a key is not allowed. */
static void
draw_weights(const Draw *d, RegardRect place, const double *weights, int part, int row)
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

#define LINE 1.75 /* font sizes */
#define BAND 1.2
/* Cells of a map; of more only the row is compared, for some forms take long. */
#define MOST_MAPPED 10000

/* The one of the model itself, without what it adds for positions. */
static RegardSimilarity
own_similarity(const RegardWalkthrough *in)
{
  return in->is_divided ? REGARD_SIMILARITY_SCALED : REGARD_SIMILARITY_DOT;
}

static gboolean
is_seen(const Draw *d)
{
  return regard_figure_draws(d->canvas) || d->canvas->klass->spot;
}

/* ---- The step, where it happens -------------------------------------------------------------- */

#define STEP_LINE 2.1 /* font sizes */

/* What the step did, in a line of its own between x and x + width, as near as can be to the middle
 * of its column, to which a small triangle points: up to what stands above, or down. Returns the
 * height. */
static double
draw_step(const Draw *d, double x, double width, double y, double middle, gboolean points_up)
{
  const double f = d->font, half = 0.42 * f;
  const RegardSpan span = {regard_walkthrough_step_text(d->in, d->look), d->palette->text, FALSE};
  const double wide = MIN(regard_canvas_text_width(d->canvas, &span, 1, f), width - 2 * f);
  const double left = CLAMP(middle - wide / 2, x + f, x + width - f - wide);
  const double tip = y + (points_up ? -0.1 : 1.95) * f, base = y + (points_up ? 0.35 : 1.5) * f;
  const RegardPoint triangle[] = {{middle - half, base}, {middle, tip}, {middle + half, base}};
  regard_canvas_fill_rect(d->canvas,
                          (RegardRect){left - 0.6 * f, y + (points_up ? 0.3 : 0) * f,
                                       wide + 1.2 * f, 1.55 * f},
                          0.4 * f, d->palette->badge_fill);
  regard_canvas_fill_polygon(d->canvas, triangle, G_N_ELEMENTS(triangle), d->palette->badge_fill);
  regard_figure_text_within(d->canvas, left, y + (points_up ? 1.4 : 1.1) * f, wide + 1, span.text,
                            d->palette->badge_text, FALSE, f, REGARD_ANCHOR_START);
  return STEP_LINE * f;
}

/* ---- Similarity ------------------------------------------------------------------------------ */

/* The weights of all queries in one form, as a small map. */
static void
draw_similarity_map(const Draw *d, RegardRect place, RegardSimilarity form)
{
  const RegardWalkthrough *in = d->in;
  const int n = (int) in->cols, rows = (int) in->rows;
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, n, rows);
  g_autofree double *scores = g_new(double, in->cols), *weights = g_new(double, in->cols);
  g_autofree gboolean *allowed = g_new(gboolean, in->cols);
  RegardSimilarityWeights maps;
  regard_similarity_weights(form, d->look->similarity_maps, in->d_head, &maps);
  for (int i = 0; cairo_surface_status(image) == CAIRO_STATUS_SUCCESS && i < rows; i++) {
    guint32 *pixels = (guint32 *) (void *) (cairo_image_surface_get_data(image) +
                                            (gsize) i * cairo_image_surface_get_stride(image));
    regard_similarity_scores(form, &maps, in->q.data + (gsize) i * in->q.stride, in->k, scores);
    for (int j = 0; j < n; j++)
      allowed[j] = !isinf(mt_matrix_at(&in->scores, i, j));
    regard_softmax(scores, allowed, in->cols, 1, weights);
    for (int j = 0; j < n; j++)
      pixels[j] =
          allowed[j] ? regard_colormap_lookup(d->weight_map, weights[j]) : d->palette->masked;
  }
  regard_similarity_weights_clear(&maps);
  cairo_surface_mark_dirty(image);
  regard_canvas_image(d->canvas, image, place);
  cairo_surface_destroy(image);
}

/* Three maps a line, each with its name above. */
static double
draw_similarity_maps(const Draw *d, double x, double y, double width)
{
  const double f = d->font, gap = f, one = (width - 2 * gap) / 3;
  const double height = one * CLAMP((double) d->in->rows / d->in->cols, 0.3, 1.4),
               pitch = height + 2.2 * f;
  for (guint s = 0; s < REGARD_N_SIMILARITIES; s++) {
    const double left = x + (s % 3) * (one + gap), top = y + (s / 3) * pitch;
    put_sign(d, left, top + f, one, _(regard_similarity_info(s)->name), FALSE,
             s == own_similarity(d->in), REGARD_ANCHOR_START, SIGN_SIMILARITY + (int) s);
    if (regard_figure_draws(d->canvas))
      draw_similarity_map(d, (RegardRect){left, top + 1.5 * f, one, height}, s);
  }
  return 2 * pitch;
}

static double
draw_similarity(const Draw *d, double x, double y, double width)
{
  const RegardWalkthrough *in = d->in;
  const double f = d->font, top = y, name = 7.6 * f, number = 4.2 * f;
  const gboolean is_random = d->look->similarity_maps == REGARD_MAPS_RANDOM;
  g_autofree double *scores = g_new(double, in->cols), *weights = g_new(double, in->cols);
  g_autofree char *note =
      is_random ? g_strdup_printf(_("W, U, v: random numbers, seed %d"), REGARD_RANDOM_SEED)
                : g_strdup(_("W, U: identity; v: ones"));
  char text[32];
  y += draw_heading(d, x, y, width, _("Similarity: the same q and k"),
                    in->score_bias.data ? _("without + position") : NULL);
  const gboolean as_maps = d->look->all_rows && in->rows * in->cols <= MOST_MAPPED;
  if (as_maps)
    y += draw_similarity_maps(d, x, y, width);
  for (guint s = 0; !as_maps && s < REGARD_N_SIMILARITIES; s++, y += LINE * f) {
    RegardSimilarityWeights maps;
    if (!is_seen(d))
      continue;
    regard_similarity_weights(s, d->look->similarity_maps, in->d_head, &maps);
    regard_similarity_scores(s, &maps, in->q.data + in->query * in->q.stride, in->k, scores);
    regard_similarity_weights_clear(&maps);
    regard_softmax(scores, in->allowed, in->cols, 1, weights);
    put_sign(d, x, y + f * 1.02, name, _(regard_similarity_info(s)->name), FALSE,
             s == own_similarity(in), REGARD_ANCHOR_START, SIGN_SIMILARITY + (int) s);
    draw_weights(d, (RegardRect){x + name, y, width - name - number, BAND * f}, weights,
                 REGARD_SPOT_SIMILARITY, (int) s);
    g_autofree char *entropy = g_strdup_printf(
        _("%s bit"), regard_figure_number(text, regard_row_numbers(weights, in->cols).entropy, 2));
    put(d, x + width, y + f * 1.02, number, entropy, TRUE, FALSE, REGARD_ANCHOR_END);
  }
  put_sign(d, x, y + f * 1.1, width, note, TRUE, FALSE, REGARD_ANCHOR_START, SIGN_MAPS);
  return y + f * 1.4 - top;
}

/* ---- Why √d_k -------------------------------------------------------------------------------- */

/* A row with one divisor: the weights, and what they are like. */
static void
draw_divisor(const Draw *d, double x, double y, double width, double divisor, guint row)
{
  const RegardWalkthrough *in = d->in;
  const double f = d->font, name = 6 * f, number = 4.9 * f, strip = width - name - 3 * number;
  g_autofree double *weights = g_new(double, in->cols);
  char text[32];
  const gboolean is_own = row == (in->is_divided ? 1 : 0);
  g_autofree char *label =
      row == 1 ? g_strdup_printf("÷ √%u", in->d_head)
               : g_strdup_printf("÷ %s", regard_figure_number(text, divisor, row == 0 ? 0 : 2));
  regard_walkthrough_divided(in, divisor, weights);
  const RegardRowNumbers numbers = regard_row_numbers(weights, in->cols);
  const double values[] = {numbers.entropy, numbers.largest, numbers.gradient};
  put(d, x, y + f * 1.02, name, label, FALSE, is_own, REGARD_ANCHOR_START);
  draw_weights(d, (RegardRect){x + name, y, strip, BAND * f}, weights, REGARD_SPOT_ROOT, (int) row);
  for (guint i = 0; i < G_N_ELEMENTS(values); i++)
    put(d, x + name + strip + (i + 1) * number, y + f * 1.02, number,
        regard_figure_number(text, values[i], 3), FALSE, FALSE, REGARD_ANCHOR_END);
  regard_canvas_spot(d->canvas, (RegardRect){x + name + strip + f, y, 3 * number - f, BAND * f},
                     REGARD_SPOT_ROOT, (int) row, -1);
}

/* Made-up numbers: what softmax does to the scores of one query, as bars, and to those of all on
 * average. On the page the slider lies in the line below the heading. */
#define BARS 2.6 /* font sizes */

/* A sentence in as many lines as it needs. Returns the height. */
static double
put_lines(const Draw *d, double x, double y, double width, const char *sentence)
{
  const double f = d->font, top = y;
  g_auto(GStrv) words = g_strsplit(sentence, " ", -1);
  g_autoptr(GString) line = g_string_new(words[0]);
  for (guint i = 1; words[0] && i <= g_strv_length(words); i++) {
    g_autofree char *longer = words[i] ? g_strconcat(line->str, " ", words[i], NULL) : NULL;
    const RegardSpan span = {longer, d->palette->text, FALSE};
    if (longer && regard_canvas_text_width(d->canvas, &span, 1, f) <= width) {
      g_string_assign(line, longer);
      continue;
    }
    put(d, x, y + f, width, line->str, FALSE, FALSE, REGARD_ANCHOR_START);
    y += 1.4 * f;
    g_string_assign(line, words[i] ? words[i] : "");
  }
  return y - top;
}

static double
draw_made_up(const Draw *d, double x, double y, double width)
{
  const double f = d->font, top = y, name = 6 * f, number = 4.9 * f;
  const double room = width - name - 2 * number - f, bar = room / REGARD_MADE_UP_KEYS;
  RegardMadeUp made;
  char text[32];
  regard_made_up(d->look->made_up, &made);
  g_autofree char *title = g_strdup_printf(_("Made-up numbers, d_k = %u"), made.d);
  g_autofree char *note = g_strdup_printf(_("%u queries, %u keys, seed %d"), REGARD_MADE_UP_QUERIES,
                                          REGARD_MADE_UP_KEYS, REGARD_MADE_UP_SEED);
  y += draw_heading(d, x, y, width, title, note);
  if (d->look->says_step) {
    regard_canvas_spot(d->canvas, (RegardRect){x, y - 0.4 * f, width, 2.2 * f}, REGARD_SPOT_MADE_UP,
                       2, -1);
    y += 2.4 * f;
  }
  put(d, x + width - number, y + f * 0.7, number, _("largest"), TRUE, FALSE, REGARD_ANCHOR_END);
  put(d, x + width, y + f * 0.7, number, _("1 − Σ a²"), TRUE, FALSE, REGARD_ANCHOR_END);
  y += 1.1 * f;
  for (guint way = 0; way < 2; way++, y += (BARS + 0.7) * f) {
    g_autofree char *label = way ? g_strdup_printf("÷ √%u", made.d) : g_strdup("÷ 1");
    put(d, x, y + BARS * f, name, label, FALSE, FALSE, REGARD_ANCHOR_START);
    for (guint k = 0; k < REGARD_MADE_UP_KEYS; k++) {
      const double weight = made.with[way].weights[k], height = MAX(weight * BARS * f, 0.6);
      const double left = x + name + k * bar;
      regard_canvas_fill_rect(d->canvas,
                              (RegardRect){left, y + BARS * f - height, bar * 0.8, height}, 0,
                              way ? 0xff3584e4 : 0xffc64600);
      regard_canvas_spot(d->canvas, (RegardRect){left, y, bar, BARS * f}, REGARD_SPOT_MADE_UP,
                         (int) way, (int) k);
    }
    regard_canvas_fill_rect(d->canvas, (RegardRect){x + name, y + BARS * f, room, 0.6}, 0,
                            d->palette->frame);
    put(d, x + width - number, y + BARS * f, number,
        regard_figure_number(text, made.with[way].largest, 3), FALSE, FALSE, REGARD_ANCHOR_END);
    put(d, x + width, y + BARS * f, number, regard_figure_number(text, made.with[way].slope, 3),
        FALSE, FALSE, REGARD_ANCHOR_END);
    regard_canvas_spot(d->canvas,
                       (RegardRect){x + width - 2 * number, y, 2 * number, (BARS + 0.3) * f},
                       REGARD_SPOT_MADE_UP, (int) way, -1);
  }
  y += put_lines(d, x, y, width,
                 _("Without it softmax saturates, and what it could learn from is near 0."));
  return y - top;
}

static double
draw_root(const Draw *d, double x, double y, double width)
{
  const RegardWalkthrough *in = d->in;
  const double f = d->font, top = y, number = 4.9 * f;
  const struct {
    char *name;
    double value;
  } lines[] = {
      {_("spread of q·k in this sentence"), in->spread},
      {_("√d_k: for independent numbers of variance 1"), sqrt(in->d_head)},
      {_("for independent numbers of this variance"), in->spread_theory},
  };
  const char *const names[] = {_("entropy"), _("largest"), _("gradient")};
  double divisors[3];
  char text[32];
  y += draw_heading(d, x, y, width, _("Why √d_k"), NULL);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    put_sign(d, x + width - (2 - i) * number, y + f * 0.7, number, names[i], TRUE, FALSE,
             REGARD_ANCHOR_END, SIGN_ENTROPY + (int) i);
  y += f * 1.15;
  const guint n = regard_walkthrough_divisors(in, d->look, divisors);
  for (guint i = 0; i < n; i++, y += LINE * f)
    if (is_seen(d))
      draw_divisor(d, x, y, width, divisors[i], i);
  y += 0.4 * f;
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++, y += 1.45 * f) {
    put(d, x, y + f, width - number, lines[i].name, TRUE, FALSE, REGARD_ANCHOR_START);
    put(d, x + width, y + f, number, regard_figure_number(text, lines[i].value, 2), FALSE, FALSE,
        REGARD_ANCHOR_END);
    regard_canvas_spot(d->canvas, (RegardRect){x, y, width, 1.35 * f}, REGARD_SPOT_SPREAD, (int) i,
                       -1);
  }
  if (!in->is_divided) {
    put(d, x, y + f, width, _("This model has no divisor; its W_Q was small from the start."), TRUE,
        FALSE, REGARD_ANCHOR_START);
    y += 1.45 * f;
  }
  if (d->look->made_up)
    y += f + draw_made_up(d, x, y + f, width);
  return y - top;
}

#define PART_LINE 1.7 /* font sizes */
#define PART_BAND 1.15

/* ---- Why this cell --------------------------------------------------------------------------- */

static gboolean
has_bias(const mt_score_part *part)
{
  return part->query.type == MT_COMPONENT_BIAS || part->key.type == MT_COMPONENT_BIAS;
}

/* Bars of why this cell: the largest pairs, then all that have a bias in them, then the rest; what
 * relative positions add always has its own. */
#define MOST_BARS 8
#define ALL_BARS  (MOST_BARS + 3)
typedef struct {
  char *name;
  double score;
} Bar;
/* Returns how many; each name is to be freed. */
static guint
list_bars(const RegardWalkthrough *in, Bar bars[ALL_BARS])
{
  double biases = 0, rest = 0;
  guint n = 0, n_rest = 0, most = MOST_BARS;
  gboolean have_biases = FALSE;
  for (gsize i = 0; i < in->parts.n; i++) {
    const mt_score_part *part = &in->parts.parts[i];
    if (has_bias(part)) {
      biases += part->score;
      have_biases = TRUE;
    } else if (n < most || part->query.type == MT_COMPONENT_DISTANCE) {
      most += part->query.type == MT_COMPONENT_DISTANCE;
      bars[n++] = (Bar){regard_walkthrough_pair_name(in, part), part->score};
    } else {
      rest += part->score;
      n_rest++;
    }
  }
  if (n_rest)
    bars[n++] =
        (Bar){g_strdup_printf(ngettext("the other %u pair", "the other %u pairs", n_rest), n_rest),
              rest};
  if (have_biases)
    bars[n++] = (Bar){g_strdup(_("pairs with a bias")), biases};
  return n;
}

/* "feed-forward decoder 2 × token ▁animal": where it has no room, its two parts stand below each
 * other, for pairs differ in the second one as often as in the first. Returns the height. */
static double
draw_pair(const Draw *d, double x, double y, double width, const char *name)
{
  static const char times[] = " × ";
  const double f = d->font;
  const char *second = strstr(name, times);
  const RegardSpan span = {name, d->palette->text, FALSE};
  if (!second || regard_canvas_text_width(d->canvas, &span, 1, f) <= width) {
    put(d, x, y + f * 1.02, width, name, FALSE, FALSE, REGARD_ANCHOR_START);
    return PART_LINE * f;
  }
  g_autofree char *first = g_strndup(name, (gsize) (second - name));
  put(d, x, y + f * 1.02, width, first, FALSE, FALSE, REGARD_ANCHOR_START);
  put(d, x + f * 0.8, y + f * (1.02 + PART_BAND), width - f * 0.8, second + 1, FALSE, FALSE,
      REGARD_ANCHOR_START);
  return (PART_LINE + PART_BAND) * f;
}

/* Returns the height. */
static double
draw_bar(const Draw *d, double x, double y, double width, double zero, double unit, const Bar *bar,
         guint i)
{
  const double f = d->font, name = width * 0.56, length = fabs(bar->score) * unit;
  const double left = x + name + zero - (bar->score < 0 ? length : 0);
  char text[32];
  regard_figure_number(text, bar->score, 2);
  g_autofree char *signed_text = bar->score > 0 ? g_strconcat("+", text, NULL) : g_strdup(text);
  const double height = draw_pair(d, x, y, name - 0.8 * f, bar->name);
  regard_canvas_fill_rect(d->canvas, (RegardRect){left, y + 0.15 * f, MAX(length, 1), 0.9 * f}, 2,
                          bar->score < 0 ? 0xff3584e4 : 0xffc64600);
  put(d, x + width, y + f * 1.02, 5 * f, signed_text, FALSE, FALSE, REGARD_ANCHOR_END);
  regard_canvas_spot(d->canvas, (RegardRect){x, y, width, height - (PART_LINE - PART_BAND) * f},
                     REGARD_SPOT_PART, (int) i, -1);
  return height;
}

static double
draw_cell(const Draw *d, double x, double y, double width)
{
  const RegardWalkthrough *in = d->in;
  const double f = d->font, top = y, room = width * 0.44 - 4.5 * f;
  Bar bars[ALL_BARS];
  double most = 1e-9, least = 0, greatest = 0;
  char text[32];
  g_autofree char *note = in->allowed[in->key]
                              ? g_strdup_printf(_("%s: score %s"), in->col_texts[in->key],
                                                regard_figure_number(text, in->scaled[in->key], 3))
                              : g_strdup_printf(_("%s is masked"), in->col_texts[in->key]);
  y += draw_heading(d, x, y, width, _("Why this cell"), note);
  const guint n = list_bars(in, bars);
  for (guint i = 0; i < n; i++) {
    most = MAX(most, fabs(bars[i].score));
    least = MIN(least, bars[i].score);
    greatest = MAX(greatest, bars[i].score);
  }
  const double unit = room / MAX(greatest - least, most);
  for (guint i = 0; i < n; i++) {
    y += draw_bar(d, x, y, width, -least * unit, unit, &bars[i], i);
    g_free(bars[i].name);
  }
  put(d, x, y + f * 1.05, width,
      n ? _("They add up to the score; standard deviations of norms held fixed.")
        : _("No score, and so no parts."),
      TRUE, FALSE, REGARD_ANCHOR_START);
  return y + 1.4 * f - top;
}

/* ---- Many heads ------------------------------------------------------------------------------ */

/* Where the columns of the list are. */
typedef struct {
  double name, strip, norm, along;
} HeadColumns;

static HeadColumns
head_columns(const Draw *d, double width)
{
  const double f = d->font, norm = 4.6 * f, along = 5.6 * f, name = 4.4 * f;
  return (HeadColumns){name, MAX(width - name - norm - along - 0.6 * f, 4 * f), norm, along};
}

static void
draw_head(const Draw *d, double x, double y, const HeadColumns *c, guint h)
{
  const RegardWalkthrough *in = d->in;
  const double f = d->font, width = c->name + c->strip + c->norm + c->along + 0.6 * f;
  char text[32];
  g_autofree char *name = g_strdup_printf(_("head %u"), h + 1);
  const gboolean is_this = h == in->head;
  if (is_this)
    regard_canvas_fill_rect(d->canvas,
                            (RegardRect){x - f * 0.3, y - (PART_LINE - PART_BAND) * f / 2,
                                         width + f * 0.6, PART_LINE * f},
                            3, d->palette->badge_fill & 0x7fffffff);
  put(d, x, y + f * 1.0, c->name, name, FALSE, is_this, REGARD_ANCHOR_START);
  regard_canvas_spot(d->canvas, (RegardRect){x, y, width, PART_BAND * f}, REGARD_SPOT_HEAD, (int) h,
                     -1);
  const Strip strip = {in->contexts + (gsize) h * in->d_head,
                       in->d_head,
                       1,
                       in->domain,
                       REGARD_SPOT_HEAD_CONTEXT,
                       (int) h};
  draw_strip(d, (RegardRect){x + c->name, y, c->strip, PART_BAND * f}, &strip);
  put(d, x + c->name + c->strip + c->norm, y + f, c->norm,
      regard_figure_number(text, in->added_norm[h], 2), FALSE, is_this, REGARD_ANCHOR_END);
  put(d, x + width, y + f, c->along, regard_figure_number(text, in->added_along[h], 2), FALSE,
      is_this, REGARD_ANCHOR_END);
}

static double
draw_heads(const Draw *d, double x, double y, double width)
{
  const RegardWalkthrough *in = d->in;
  const double f = d->font, top = y;
  const HeadColumns c = head_columns(d, width);
  const double sums = x + c.name + c.strip + c.norm;
  char text[32];
  g_autofree char *note = g_strdup_printf(_("contexts of layer %u, side by side"), in->layer + 1);
  y += draw_heading(d, x, y, width, _("Many heads"), note);
  put_sign(d, sums, y + 0.7 * f, c.norm, _("‖adds‖"), TRUE, FALSE, REGARD_ANCHOR_END, SIGN_ADDS);
  put_sign(d, x + width, y + 0.7 * f, c.along, _("along sum"), TRUE, FALSE, REGARD_ANCHOR_END,
           SIGN_ALONG);
  y += 1.15 * f;
  for (guint h = 0; h < in->n_heads; h++, y += PART_LINE * f)
    draw_head(d, x, y, &c, h);
  const Strip all = {in->contexts, in->n_heads * in->d_head, 1, in->domain, -1, 0};
  put_sign(d, x, y + f, c.name, _("z, joined"), TRUE, FALSE, REGARD_ANCHOR_START, SIGN_JOINED);
  draw_strip(d, (RegardRect){x + c.name, y, width - c.name, PART_BAND * f}, &all);
  y += PART_LINE * f;
  if (in->b[MT_MAP_OUTPUT]) {
    put_sign(d, x, y + f, c.name + c.strip, _("bias b_O"), TRUE, FALSE, REGARD_ANCHOR_START,
             SIGN_BIAS);
    put(d, sums, y + f, c.norm, regard_figure_number(text, in->bias_norm, 2), TRUE, FALSE,
        REGARD_ANCHOR_END);
    put(d, x + width, y + f, c.along, regard_figure_number(text, in->bias_along, 2), TRUE, FALSE,
        REGARD_ANCHOR_END);
    y += 1.5 * f;
  }
  put_sign(d, x, y + f, c.name + c.strip, _("together, after W_O"), FALSE, TRUE,
           REGARD_ANCHOR_START, SIGN_TOGETHER);
  put(d, x + width, y + f, c.along + c.norm, regard_figure_number(text, in->output_norm, 2), FALSE,
      TRUE, REGARD_ANCHOR_END);
  return y + 1.5 * f - top;
}

/* ---- Equation 1 for one query ---------------------------------------------------------------- */

/* In font sizes. */
#define PITCH    1.72 /* of lines */
#define KEY_BAND 1.22 /* height of a strip */
#define GUTTER   1.1
#define LABEL    8.5 /* of the tokens, at most */
#define NUMBER   5.0
#define BIAS     1.6  /* of what positions add, in numbers: its bucket stands before it */
#define OUTPUT   25.0 /* what it adds, and all heads, at the right */
#define FEWEST   40.0 /* the strips share at least so much */

/* Where the columns are. */
typedef struct {
  const Draw *d;
  double x, y, width, label, strip;
  double keys, product, bias, scaled, mask, exp, weight, values, weighted; /* left edges */
  double number;
  double first;     /* top of the first key's line */
  gboolean is_wide; /* what the head adds stands beside it */
} Row;

/* Whether the score stands there beside q·k: it is another number. */
static gboolean
has_scaled(const RegardWalkthrough *in)
{
  return in->is_divided || in->score_bias.data;
}

static void
lay_out(Row *r)
{
  const Draw *d = r->d;
  const double f = d->font, gutter = GUTTER * f;
  double label = 0;
  for (guint j = 0; j < d->in->cols; j++) {
    const RegardSpan span = {d->in->col_texts[j], 0xff000000, TRUE};
    label = MAX(label, regard_canvas_text_width(d->canvas, &span, 1, f));
  }
  /* A norm has its name there too. */
  const gboolean is_normed = mt_model_config(d->in->model)->normalize_before;
  r->label = CLAMP(label, (is_normed ? 5.6 : 4) * f, LABEL * f);
  r->number = NUMBER * f;
  const double bias = d->in->score_bias.data ? BIAS * r->number : 0;
  const double scaled = has_scaled(d->in) ? r->number : 0;
  const double numbers = 4 * r->number + bias + scaled;
  r->strip = MAX((r->width - r->label - numbers - 4.5 * gutter) / 3, FEWEST * f / 3 / 2);
  r->keys = r->x + r->label + gutter * 0.6;
  r->product = r->keys + r->strip;
  r->bias = r->product + r->number;
  r->scaled = r->bias + bias;
  r->mask = r->scaled + scaled;
  r->exp = r->mask + r->number * 0.8;
  r->weight = r->exp + r->number * 1.1 + gutter * 0.6;
  r->values = r->weight + r->number + gutter;
  r->weighted = r->values + r->strip + gutter;
}

static gboolean
has_step(const Row *r, RegardWalkthroughStep step)
{
  return r->d->look->step >= step;
}

/* A column's name, and what was done in it below. */
static void
title(const Row *r, double x, double width, const char *name, const char *note, RegardAnchor anchor,
      Sign sign)
{
  const double f = r->d->font;
  put_sign(r->d, x, r->y + f, width, name, FALSE, TRUE, anchor, sign);
  put_sign(r->d, x, r->y + 2.3 * f, width, note, TRUE, FALSE, anchor, sign);
}

static void
draw_titles(const Row *r)
{
  const RegardWalkthrough *in = r->d->in;
  const double n = r->number * 0.96;
  char root[32], domain[32];
  g_autofree char *count =
      g_strdup_printf(ngettext("%u number each, colours to ±%s", "%u numbers each, colours to ±%s",
                               in->d_head),
                      in->d_head, regard_formatd(domain, sizeof domain, "%g", in->domain));
  g_autofree char *scale =
      in->score_bias.data ? g_strdup(_("score")) : g_strdup_printf("÷ √%u", in->d_head);
  g_autofree char *by =
      !in->score_bias.data
          ? g_strdup_printf("÷ %s", regard_figure_number(root, in->score_divisor, 3))
      : in->is_divided ? g_strdup_printf("q·k ÷ √%u …", in->d_head)
                       : g_strdup(_("sum"));
  title(r, r->keys, r->strip, _("keys k"), count, REGARD_ANCHOR_START, SIGN_KEYS);
  title(r, r->product + r->number, n, _("q·k"), _("sum"), REGARD_ANCHOR_END, SIGN_PRODUCT);
  if (in->score_bias.data)
    title(r, r->bias + BIAS * r->number, BIAS * n, _("+ position"), _("bucket, bias"),
          REGARD_ANCHOR_END, SIGN_SCALED);
  if (has_scaled(in))
    title(r, r->scaled + r->number, n, scale, by, REGARD_ANCHOR_END, SIGN_SCALED);
  title(r, r->mask + r->number * 0.8, n * 0.8, _("mask"), _("0, −∞"), REGARD_ANCHOR_END, SIGN_MASK);
  title(r, r->exp + r->number * 1.1, n, _("exp"), _("− max"), REGARD_ANCHOR_END, SIGN_EXP);
  title(r, r->weight + r->number / 2, n, _("weight"), _("÷ Σ"), REGARD_ANCHOR_MIDDLE, SIGN_WEIGHT);
  title(r, r->values, r->strip, _("values v"), _("of the same tokens"), REGARD_ANCHOR_START,
        SIGN_VALUES);
  title(r, r->weighted, r->strip, _("weight · v"), _("summed below"), REGARD_ANCHOR_START,
        SIGN_WEIGHTED);
}

/* The middle of the column that the step fills; of the last one that is what stands at the right,
 * or below. */
static double
step_middle(const Row *r)
{
  const double n = r->number;
  switch (r->d->look->step) {
  case REGARD_STEP_QUERY:
    return r->keys + (r->strip - r->d->font * 0.4) / 2;
  case REGARD_STEP_PRODUCT:
    return r->product + 0.7 * n;
  case REGARD_STEP_SCALE: /* where there is no column for it, the score is q·k */
    return !has_scaled(r->d->in) ? r->product + 0.7 * n : r->scaled + 0.7 * n;
  case REGARD_STEP_MASK:
    return r->mask + 0.5 * n;
  case REGARD_STEP_EXP:
    return r->exp + 0.8 * n;
  case REGARD_STEP_WEIGHT:
    return r->weight + 0.5 * n;
  case REGARD_STEP_CONTEXT:
    return r->weighted + r->strip / 2;
  default:
    return r->x + r->width + (r->is_wide ? (2 + OUTPUT / 2) * r->d->font : -r->strip / 2);
  }
}

/* ---- The query ------------------------------------------------------------------------------- */

static double
largest(const float *values, gsize n)
{
  double most = 1e-6;
  for (gsize i = 0; i < n; i++)
    most = MAX(most, fabs((double) values[i]));
  return most;
}

/* W_Q in colours: a line for each component of q. */
static double
draw_map(const Row *r, double x, double y, double width)
{
  const Draw *d = r->d;
  const mt_matrix w = d->in->w[MT_MAP_QUERY];
  const double line = MAX(d->font * 0.32, 2.4);
  double domain = 1e-6;
  for (gsize i = 0; i < w.rows; i++)
    domain = MAX(domain, largest(w.data + i * w.stride, w.cols));
  for (gsize i = 0; i < w.rows; i++) {
    const Strip strip = {w.data + i * w.stride, (guint) w.cols, 1, domain,
                         REGARD_SPOT_W_QUERY,   (int) i};
    draw_strip(d, (RegardRect){x, y + (double) i * line, width, line}, &strip);
  }
  return (double) w.rows * line;
}

/* From the stream to q; returns its height. */
static double
draw_query(const Row *r, double y)
{
  const Draw *d = r->d;
  const RegardWalkthrough *in = d->in;
  const double f = d->font, band = KEY_BAND * f, pitch = PITCH * f, end = r->x + r->label;
  const double wide = r->product + r->number * 3 - r->keys; /* as far as the numbers */
  const mt_config *config = mt_model_config(in->model);
  const float *read = in->read + (gsize) in->query * in->d;
  const gboolean is_normed = config->normalize_before;
  const double top = y;
  Strip stream = {in->stream, in->d, 1, largest(in->stream, in->d), REGARD_SPOT_STREAM, 0};
  char norm[32];
  g_autofree char *length =
      g_strdup_printf("‖%s‖  %u %s", regard_figure_number(norm, in->stream_norm, 2), in->d,
                      _("numbers"));
  put_sign(d, end, y + f * 1.05, r->label, _("stream"), TRUE, FALSE, REGARD_ANCHOR_END,
           SIGN_STREAM);
  draw_strip(d, (RegardRect){r->keys, y, wide, band}, &stream);
  put_sign(d, r->keys + wide + f * 0.8, y + f * 1.05, r->number * 3, length, TRUE, FALSE,
           REGARD_ANCHOR_START, SIGN_NORM);
  y += pitch;
  if (is_normed) {
    Strip normed = {read, in->d, 1, largest(read, in->d), REGARD_SPOT_READ, 0};
    put(d, end, y + f * 1.05, r->label, regard_norm_name(config), TRUE, FALSE, REGARD_ANCHOR_END);
    draw_strip(d, (RegardRect){r->keys, y, wide, band}, &normed);
    y += pitch;
  }
  if (d->look->maps) {
    put(d, end, y + f * 1.05, r->label, "W_Q", TRUE, FALSE, REGARD_ANCHOR_END);
    y += draw_map(r, r->keys, y, wide) + (pitch - band);
  }
  Strip q = {
      in->q.data + in->query * in->q.stride, in->d_head, 1, in->domain, REGARD_SPOT_QUERY, 0};
  put_sign(d, end, y + f * 1.05, r->label, "q", FALSE, TRUE, REGARD_ANCHOR_END, SIGN_QUERY);
  draw_strip(d, (RegardRect){r->keys, y, r->strip - f * 0.4, band}, &q);
  put(d, r->keys + r->strip + f * 0.4, y + f * 1.05, r->number * 4,
      in->b[MT_MAP_QUERY] ? "= W_Q x + b_Q" : "= W_Q x", TRUE, FALSE, REGARD_ANCHOR_START);
  return y + pitch * 1.25 - top;
}

/* ---- A key ----------------------------------------------------------------------------------- */

/* A number at the right end of its column, and its spot. */
static void
number(const Row *r, double x, double width, double y, const char *text, gboolean bold, int part,
       int row)
{
  const double f = r->d->font;
  put(r->d, x + width, y + f * 1.05, width, text, FALSE, bold, REGARD_ANCHOR_END);
  regard_canvas_spot(r->d->canvas,
                     (RegardRect){x + width * 0.25, y, width * 0.75 + 2, KEY_BAND * f}, part, row,
                     -1);
}

static void
draw_weight(const Row *r, double y, guint j)
{
  const Draw *d = r->d;
  const double f = d->font, weight = mt_matrix_at(&d->in->weights, d->in->query, j);
  const RegardRect box = {r->weight, y, r->number, KEY_BAND * f};
  const guint32 colour = regard_colormap_lookup(d->weight_map, weight);
  char text[32];
  regard_canvas_fill_rect(d->canvas, box, 2, d->in->allowed[j] ? colour : d->palette->masked);
  const guint32 ink = !d->in->allowed[j]                      ? d->palette->dim
                      : regard_color_wants_black_text(colour) ? 0xff000000
                                                              : 0xffffffff;
  if (regard_figure_draws(d->canvas))
    regard_figure_text(d->canvas, r->weight + r->number / 2, y + f * 0.98,
                       regard_figure_number(text, weight, 3), ink, FALSE, f, REGARD_ANCHOR_MIDDLE,
                       0);
  regard_canvas_spot(d->canvas, box, REGARD_SPOT_WEIGHT, (int) j, -1);
}

/* Where a step has not come yet. */
static void
empty(const Row *r, double x, double y, double width)
{
  regard_canvas_fill_rect(r->d->canvas, (RegardRect){x, y, width, KEY_BAND * r->d->font}, 2,
                          r->d->palette->bar_background);
}

/* What the distance of a key adds, and before it, in grey, the bucket that it is in. */
static void
draw_bias(const Row *r, double y, guint j, gboolean bold)
{
  const RegardWalkthrough *in = r->d->in;
  const double f = r->d->font, width = BIAS * r->number;
  const double bias = regard_walkthrough_bias(in, in->query, j);
  char text[32];
  regard_figure_number(text, bias, 2);
  g_autofree char *signed_text = bias > 0 ? g_strconcat("+", text, NULL) : g_strdup(text);
  g_autofree char *bucket = g_strdup_printf("%zu", regard_walkthrough_bucket(in, j));
  put(r->d, r->bias + width * 0.42, y + f * 1.05, width * 0.3, bucket, TRUE, FALSE,
      REGARD_ANCHOR_END);
  number(r, r->bias, width, y, signed_text, bold, REGARD_SPOT_BIAS, (int) j);
}

static void
draw_numbers(const Row *r, double y, guint j, gboolean bold)
{
  const RegardWalkthrough *in = r->d->in;
  char text[32];
  if (has_step(r, REGARD_STEP_PRODUCT))
    number(r, r->product, r->number, y, regard_figure_number(text, in->product[j], 2), bold,
           REGARD_SPOT_PRODUCT, (int) j);
  if (has_step(r, REGARD_STEP_SCALE) && in->score_bias.data)
    draw_bias(r, y, j, bold);
  if (has_step(r, REGARD_STEP_SCALE) && has_scaled(in))
    number(r, r->scaled, r->number, y, regard_figure_number(text, in->scaled[j], 3), bold,
           REGARD_SPOT_SCALED, (int) j);
  if (has_step(r, REGARD_STEP_MASK))
    number(r, r->mask, r->number * 0.8, y, in->allowed[j] ? "0" : "−∞", bold, REGARD_SPOT_MASK,
           (int) j);
  if (has_step(r, REGARD_STEP_EXP))
    number(r, r->exp, r->number * 1.1, y, regard_figure_number(text, in->exp[j], 4), bold,
           REGARD_SPOT_EXP, (int) j);
}

static void
draw_key(const Row *r, guint j)
{
  const Draw *d = r->d;
  const RegardWalkthrough *in = d->in;
  const double f = d->font, band = KEY_BAND * f, y = r->first + j * PITCH * f;
  const gboolean is_cell = j == in->key;
  const double weight = mt_matrix_at(&in->weights, in->query, j);
  if (is_cell)
    regard_canvas_fill_rect(d->canvas,
                            (RegardRect){r->x - f * 0.3, y - (PITCH - KEY_BAND) * f / 2,
                                         r->weighted + r->strip - r->x + f * 0.6, PITCH * f},
                            3, d->palette->badge_fill & 0x7fffffff);
  put(d, r->x + r->label, y + f * 1.05, r->label, in->col_texts[j], FALSE, is_cell,
      REGARD_ANCHOR_END);
  regard_canvas_spot(d->canvas, (RegardRect){r->x, y, r->label, band}, REGARD_SPOT_TOKEN, (int) j,
                     -1);
  const Strip key = {
      in->k.data + j * in->k.stride, in->d_head, 1, in->domain, REGARD_SPOT_KEY, (int) j};
  draw_strip(d, (RegardRect){r->keys, y, r->strip - f * 0.4, band}, &key);
  draw_numbers(r, y, j, is_cell);
  if (has_step(r, REGARD_STEP_WEIGHT))
    draw_weight(r, y, j);
  else
    empty(r, r->weight, y, r->number);
  const Strip value = {
      in->v.data + j * in->v.stride, in->d_head, 1, in->domain, REGARD_SPOT_VALUE, (int) j};
  const Strip weighted = {in->v.data + j * in->v.stride, in->d_head, weight, in->domain,
                          REGARD_SPOT_WEIGHTED,          (int) j};
  draw_strip(d, (RegardRect){r->values, y, r->strip, band}, &value);
  if (has_step(r, REGARD_STEP_CONTEXT))
    draw_strip(d, (RegardRect){r->weighted, y, r->strip, band}, &weighted);
  else
    empty(r, r->weighted, y, r->strip);
}

/* The sums below the lines. */
static void
draw_sums(const Row *r, double y)
{
  const Draw *d = r->d;
  const RegardWalkthrough *in = d->in;
  const double f = d->font;
  char text[32];
  double sum = 0;
  if (has_step(r, REGARD_STEP_EXP)) {
    g_autofree char *total = g_strdup_printf("Σ = %s", regard_figure_number(text, in->sum, 4));
    number(r, r->exp - r->number * 0.4, r->number * 1.5, y, total, FALSE, REGARD_SPOT_SUM, 0);
  }
  for (guint j = 0; j < in->cols; j++)
    sum += mt_matrix_at(&in->weights, in->query, j);
  if (has_step(r, REGARD_STEP_WEIGHT))
    put(d, r->weight + r->number / 2, y + f * 1.05, r->number, regard_figure_number(text, sum, 3),
        FALSE, FALSE, REGARD_ANCHOR_MIDDLE);
  if (!has_step(r, REGARD_STEP_CONTEXT))
    return;
  const Strip context = {in->context.data + in->query * in->context.stride,
                         in->d_head,
                         1,
                         in->domain,
                         REGARD_SPOT_CONTEXT,
                         0};
  const RegardSpan spans[] = {{_("context"), d->palette->text, TRUE},
                              {" Σ", d->palette->dim, FALSE}};
  regard_canvas_text(d->canvas, r->weighted - f * 0.5, y + f * 1.05, spans, 2, f, REGARD_ANCHOR_END,
                     0);
  draw_strip(d, (RegardRect){r->weighted, y, r->strip, KEY_BAND * f}, &context);
}

/* ---- What it adds ---------------------------------------------------------------------------- */

static double
draw_output(const Draw *d, double x, double y, double width)
{
  const RegardWalkthrough *in = d->in;
  const double f = d->font, top = y;
  const float *added = in->added + (gsize) in->head * in->d;
  const struct {
    const char *name;
    double norm;
  } lines[] = {{_("added to the stream"), in->added_norm[in->head]},
               {in->b[MT_MAP_OUTPUT] ? _("all heads and bias") : _("all heads"), in->output_norm},
               {_("the stream before"), in->stream_norm}};
  char text[32];
  y += draw_heading(d, x, y, width, _("After W_O"), NULL);
  if (d->look->step < REGARD_STEP_OUTPUT) {
    regard_canvas_fill_rect(d->canvas, (RegardRect){x, y, width, KEY_BAND * f}, 2,
                            d->palette->bar_background);
    return y + KEY_BAND * f + (d->look->one_layout ? 5.2 : 4.6) * f - top;
  }
  const Strip strip = {added, in->d, 1, largest(added, in->d), REGARD_SPOT_ADDED, 0};
  draw_strip(d, (RegardRect){x, y, width, KEY_BAND * f}, &strip);
  y += KEY_BAND * f + 0.5 * f;
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autofree char *norm = g_strdup_printf("‖%s‖", regard_figure_number(text, lines[i].norm, 2));
    y += 1.4 * f;
    put(d, x, y, width * 0.7, lines[i].name, TRUE, FALSE, REGARD_ANCHOR_START);
    put_sign(d, x + width, y, width * 0.4, norm, FALSE, FALSE, REGARD_ANCHOR_END, SIGN_NORM);
  }
  return y + 0.5 * f - top;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static gboolean
is_wide_enough(const Draw *d, double width)
{
  return width >= WIDE * d->font;
}

static double
draw_row(const Draw *d, double x, double y, double width)
{
  const double f = d->font;
  const gboolean is_wide = is_wide_enough(d, width);
  Row r = {.d = d,
           .x = x,
           .y = y,
           .width = is_wide ? width - (OUTPUT + 2) * f : width,
           .is_wide = is_wide};
  lay_out(&r);
  if (has_step(&r, REGARD_STEP_QUERY))
    r.y += draw_query(&r, r.y);
  const gboolean is_below = d->look->step == REGARD_STEP_OUTPUT && !is_wide;
  if (d->look->says_step && !is_below)
    r.y += draw_step(d, x, width, r.y, step_middle(&r), d->look->step == REGARD_STEP_QUERY);
  else if (d->look->says_step && d->look->one_layout)
    r.y += STEP_LINE * f;
  draw_titles(&r);
  r.first = r.y + 3.4 * f;
  for (guint j = 0; j < d->in->cols; j++)
    draw_key(&r, j);
  const double sums = r.first + d->in->cols * PITCH * f + 0.2 * f;
  double end = sums + PITCH * f;
  draw_sums(&r, sums);
  const double left = x + r.label + 0.6 * GUTTER * f;
  if (is_wide) {
    const double right = x + width - OUTPUT * f;
    double bottom = r.y + draw_output(d, right, r.y, OUTPUT * f);
    if (d->look->parts & REGARD_WALKTHROUGH_HEADS)
      bottom += 1.2 * f + draw_heads(d, right, bottom + 1.2 * f, OUTPUT * f);
    end = MAX(end, bottom);
  } else {
    if (d->look->says_step && is_below)
      end += f + draw_step(d, x, width, end + f, left + 3 * f, FALSE);
    else if (d->look->says_step && d->look->one_layout)
      end += f + STEP_LINE * f;
    end += f + draw_output(d, left, end + f, MIN(width - r.label - f, 2 * OUTPUT * f));
  }
  return end - y;
}

/* Of a key above a matrix, in font sizes. */
#define MOST_KEY 5.5

/* ---- All queries ----------------------------------------------------------------------------- */

/* What the causal mask hides is hatched, as in heatmaps: -inf is no number of any size. */
static void
mark_later_keys(RegardMatrix *m)
{
  for (guint r = 0; r < m->rows; r++)
    m->row_labels[r].first_token = r, m->row_labels[r].n_tokens = 1;
  for (guint c = 0; c < m->cols; c++)
    m->col_labels[c].first_token = c, m->col_labels[c].n_tokens = 1;
  m->mask.is_causal = TRUE;
}

/* How high the keys above a matrix are, which stand upright. */
static double
keys_height(const Draw *d)
{
  double widest = 0;
  for (guint c = 0; c < d->in->cols; c++) {
    const RegardSpan span = {d->in->col_texts[c], d->palette->text, FALSE};
    widest = MAX(widest, regard_canvas_text_width(d->canvas, &span, 1, d->font));
  }
  return MIN(widest, MOST_KEY * d->font) + 0.5 * d->font;
}

/* The keys, as many as have room, above a matrix that begins below. */
static void
draw_keys(const Draw *d, RegardRect place, double bottom)
{
  double size;
  guint step;
  regard_label_fit(d->canvas, place.width / d->in->cols, d->font, REGARD_TICKS_WORDS, &size, &step);
  for (guint c = 0; regard_figure_draws(d->canvas) && c < d->in->cols; c += step) {
    g_autofree char *key =
        regard_canvas_ellipsize(d->canvas, d->in->col_texts[c], FALSE, size, MOST_KEY * d->font);
    regard_figure_text(d->canvas, place.x + (c + 0.5) * place.width / d->in->cols + size * 0.35,
                       bottom - 0.3 * d->font, key, d->palette->text, FALSE, size,
                       REGARD_ANCHOR_START, -90);
  }
}

/* One of the matrices: its name above, its keys, its cells, spots of theirs. */
static double
draw_one(const Draw *d, RegardRect place, const char *id, const char *name, int part, double keys)
{
  const double f = d->font;
  g_autoptr(RegardMatrix) m = regard_walkthrough_matrix_named(d->in, d->look, id);
  RegardFigureStyle style = *d->style;
  style.colormap = part == REGARD_SPOT_ALL_WEIGHT ? d->weight_map : d->signed_map;
  style.pinned_row = (int) d->in->query;
  style.pinned_col = -1;
  if (part == REGARD_SPOT_ALL_WEIGHT)
    m->hi = 1, m->lo = 0;
  if (d->in->kind == MT_DECODER_SELF && part != REGARD_SPOT_ALL_PRODUCT &&
      part != REGARD_SPOT_ALL_CONTEXT)
    mark_later_keys(m);
  put(d, place.x, place.y + f, place.width, name, FALSE, TRUE, REGARD_ANCHOR_START);
  place.y += 1.7 * f + keys;
  place.height -= 1.7 * f + keys;
  if (part != REGARD_SPOT_ALL_CONTEXT) /* its columns are dimensions */
    draw_keys(d, place, place.y);
  if (regard_figure_draws(d->canvas)) {
    const RegardCellOptions options = {FALSE, TRUE, m->rows * m->cols > 4000, f};
    regard_figure_cells(d->canvas, d->palette, &style, m, place, &options);
  }
  for (guint r = 0; d->canvas->klass->spot && r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++)
      regard_canvas_spot(d->canvas,
                         (RegardRect){place.x + place.width * c / m->cols,
                                      place.y + place.height * r / m->rows, place.width / m->cols,
                                      place.height / m->rows},
                         part, (int) r, (int) c);
  return place.height;
}

static double
draw_all_rows(const Draw *d, double x, double y, double width)
{
  const struct {
    const char *id, *name;
    int part;
    RegardWalkthroughStep step;
    gboolean is_there;
  } shown[] = {
      {"products", "Q Kᵀ", REGARD_SPOT_ALL_PRODUCT, REGARD_STEP_PRODUCT, TRUE},
      {"score_bias", "B", REGARD_SPOT_ALL_BIAS, REGARD_STEP_SCALE, d->in->score_bias.data != NULL},
      {"scores", regard_equation_scores(mt_model_config(d->in->model), d->in->kind),
       REGARD_SPOT_ALL_SCALED, REGARD_STEP_MASK, TRUE},
      {"weights", "softmax", REGARD_SPOT_ALL_WEIGHT, REGARD_STEP_WEIGHT, TRUE},
      {"context", "softmax · V", REGARD_SPOT_ALL_CONTEXT, REGARD_STEP_CONTEXT, TRUE},
  };
  const guint n = d->in->score_bias.data ? 5 : 4;
  const double f = d->font, label = 9 * f, gap = 1.4 * f;
  const double one = (width - label - gap * n) / n;
  const double line = CLAMP(one / d->in->cols, 0.25 * f, 1.7 * f);
  const double keys = keys_height(d), head = 1.7 * f + keys, top = y;
  const double height = line * d->in->rows + head;
  if (d->look->says_step) { /* at the matrix that it filled; before the first there is none */
    guint at = 0;
    for (guint i = 0, place = 0; i < G_N_ELEMENTS(shown); place += shown[i++].is_there)
      if (shown[i].is_there && d->look->step >= shown[i].step)
        at = place;
    y += draw_step(d, x, width, y, x + label + at * (one + gap) + one / 2, FALSE);
  }
  double size;
  guint step; /* every so many rows have their name */
  regard_label_fit(d->canvas, line, f, REGARD_TICKS_WORDS, &size, &step);
  Draw small = *d;
  small.font = size;
  for (guint i = 0; i < d->in->rows; i += step)
    put(&small, x + label - 0.6 * f, y + head + (i + 0.5) * line + size * 0.35, label - 0.6 * f,
        d->in->row_texts[i], FALSE, i == d->in->query, REGARD_ANCHOR_END);
  RegardRect place = {x + label, y, one, height};
  for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
    if (!shown[i].is_there)
      continue;
    if (d->look->step >= shown[i].step)
      draw_one(d, place, shown[i].id, shown[i].name, shown[i].part, keys);
    place.x += one + gap;
  }
  return y - top + height;
}

/* ---- The page -------------------------------------------------------------------------------- */

/* A card: its frame, and a part in it; as high as height, which is at least what the part needs. */
static double
draw_card(const Draw *d, DrawPart part, double x, double y, double width, double height)
{
  const double padding = CARD_PADDING * d->font;
  g_autoptr(RegardCanvas) measure = regard_canvas_new_measure();
  Draw quiet = *d;
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
draw_cards(const Draw *d, double x, double y, double width)
{
  static const struct {
    RegardWalkthroughPart part;
    DrawPart draw;
  } cards[] = {
      {REGARD_WALKTHROUGH_SIMILARITY, draw_similarity},
      {REGARD_WALKTHROUGH_ROOT, draw_root},
      {REGARD_WALKTHROUGH_CELL, draw_cell},
      {REGARD_WALKTHROUGH_HEADS, draw_heads},
  };
  const double gap = CARD_GAP * d->font;
  DrawPart drawn[G_N_ELEMENTS(cards)];
  int frames[G_N_ELEMENTS(cards)];
  guint n = 0, columns;
  const gboolean heads_are_beside =
      (d->look->parts & REGARD_WALKTHROUGH_ROW) && !d->look->all_rows && is_wide_enough(d, width);
  for (guint i = 0; i < G_N_ELEMENTS(cards); i++)
    if ((d->look->parts & cards[i].part) &&
        !(heads_are_beside && cards[i].part == REGARD_WALKTHROUGH_HEADS)) {
      frames[n] = -(int) cards[i].part;
      drawn[n++] = cards[i].draw;
    }
  if (n == 0)
    return 0;
  columns = CLAMP((guint) ((width + gap) / (CARD_WIDTH * d->font + gap)), 1, n);
  if (columns == 3 && n == 4)
    columns = 2; /* one alone would look left over */
  const double card = (width - (columns - 1) * gap) / columns, top = y;
  g_autoptr(RegardCanvas) measure = regard_canvas_new_measure();
  Draw quiet = *d;
  measure->family = d->canvas->family;
  quiet.canvas = measure;
  for (guint first = 0; first < n; first += columns) {
    const guint end = MIN(first + columns, n);
    double height = 0;
    for (guint i = first; i < end; i++)
      height = MAX(height, draw_card(&quiet, drawn[i], 0, 0, card, 0));
    for (guint i = first; i < end; i++) {
      const double left = x + (i - first) * (card + gap);
      draw_card(d, drawn[i], left, y, card, height);
      regard_canvas_spot(d->canvas, (RegardRect){left, y, card, height}, frames[i], 0, 0);
    }
    y += height + gap;
  }
  return y - gap - top;
}

/* The place, what was changed, and the query. */
static double
draw_header(const Draw *d, double x, double y, double width)
{
  const RegardWalkthrough *in = d->in;
  g_autofree char *place = regard_walkthrough_dup_title(in);
  g_autofree char *title =
      d->look->all_rows && !(d->look->parts & ~(guint) REGARD_WALKTHROUGH_ROW)
          ? g_strdup_printf(_("%s · all queries"), place)
          : g_strdup_printf(_("%s · query %s"), place, in->row_texts[in->query]);
  g_autofree char *changed =
      in->interventions ? g_strdup_printf(_("changed: %s"), in->interventions) : NULL;
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
  const RegardWalkthrough *in = figure->subject;
  const RegardWalkthroughOptions *look = figure->options;
  const double margin = font * REGARD_FIGURE_MARGIN;
  const gsize numbers = (gsize) in->cols * in->d_head * 3;
  const Draw d = {
      .canvas = canvas,
      .palette = regard_figure_palette(&figure->style),
      .signed_map = regard_colormap_default_diverging(),
      .weight_map = figure->style.colormap,
      .style = &figure->style,
      .in = in,
      .look = look,
      .font = font,
      .images = numbers > REGARD_FIGURE_MAX_RECTANGLES,
  };
  const double inner = width - 2 * margin;
  double y = margin;
  y += draw_header(&d, margin, y, inner);
  if (look->parts & REGARD_WALKTHROUGH_ROW) {
    y += look->all_rows ? draw_all_rows(&d, margin, y, inner) : draw_row(&d, margin, y, inner);
    if (look->parts & ~(guint) REGARD_WALKTHROUGH_ROW)
      y += font * 1.2;
  }
  y += draw_cards(&d, margin, y, inner);
  y += regard_figure_model(canvas, d.palette, &figure->style, mt_model_name(in->model),
                           width - margin, y, font * 1.6, font * 0.9);
  return y + margin;
}

/* ---- What a spot says ------------------------------------------------------------------------ */

/* Products named in a sum. */
#define TERMS 3

/* Two rows of numbers whose products are summed. */
typedef struct {
  const float *a, *b;
  gsize b_stride; /* from one of b to the next; of a 1 */
  guint n;
  const char *a_name, *b_name;
} Product;

/* The sum in words: the largest products, largest first, and how many more there are. */
static void
append_terms(GString *text, const Product *p)
{
  guint shown[TERMS], n_shown = 0;
  char a[32], b[32], both[32];
  for (; n_shown < MIN(TERMS, p->n); n_shown++) {
    guint best = G_MAXUINT;
    double most = -1;
    for (guint i = 0; i < p->n; i++) {
      const double amount = fabs((double) p->a[i] * p->b[i * p->b_stride]);
      gboolean is_shown = FALSE;
      for (guint k = 0; k < n_shown; k++)
        is_shown |= shown[k] == i;
      if (!is_shown && amount > most) {
        most = amount;
        best = i;
      }
    }
    shown[n_shown] = best;
    const double x = p->a[best], y = p->b[best * p->b_stride];
    g_string_append_printf(text, "\n%s[%u] %s × %s %s = %s", p->a_name, best + 1,
                           regard_figure_number(a, x, 3), p->b_name, regard_figure_number(b, y, 3),
                           regard_figure_number(both, x * y, 3));
  }
  if (p->n > n_shown)
    g_string_append_printf(text,
                           ngettext("\n… %u more product", "\n… %u more products", p->n - n_shown),
                           p->n - n_shown);
}

static const float *
row_of(mt_matrix m, int row)
{
  return m.data + (gsize) row * m.stride;
}

/* y[i] = row i of a map times x, plus its bias. */
static void
append_map(GString *text, const RegardWalkthrough *in, mt_map map, int i, const float *x,
           const char *x_name, const char *w_name)
{
  char bias[32];
  const Product p = {x, row_of(in->w[map], i), 1, (guint) in->w[map].cols, x_name, w_name};
  append_terms(text, &p);
  if (in->b[map])
    g_string_append_printf(text, _("\nand the bias %s"),
                           regard_figure_number(bias, in->b[map][i], 3));
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static double
root_weight(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, int row, int key,
            RegardRowNumbers *numbers)
{
  double divisors[3];
  g_autofree double *weights = g_new(double, in->cols);
  regard_walkthrough_divisors(in, look, divisors);
  regard_walkthrough_divided(in, divisors[row], weights);
  if (numbers)
    *numbers = regard_row_numbers(weights, in->cols);
  return key >= 0 ? weights[key] : NAN;
}

static void
similarity(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, int form, int key,
           double *score, double *weight)
{
  g_autofree double *scores = g_new(double, in->cols), *weights = g_new(double, in->cols);
  RegardSimilarityWeights maps;
  regard_similarity_weights(form, look->similarity_maps, in->d_head, &maps);
  regard_similarity_scores(form, &maps, row_of(in->q, (int) in->query), in->k, scores);
  regard_similarity_weights_clear(&maps);
  regard_softmax(scores, in->allowed, in->cols, 1, weights);
  *score = scores[key];
  *weight = weights[key];
}

static double
product_at(const RegardWalkthrough *in, int row, int col)
{
  double sum = 0;
  for (guint i = 0; i < in->d_head; i++)
    sum += (double) mt_matrix_at(&in->q, row, i) * mt_matrix_at(&in->k, col, i);
  return sum;
}

/* The number of a spot; NAN: it has none of its own. */
static double
value_of(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, const RegardSpot *spot)
{
  const int row = spot->row, col = spot->col;
  double score, weight;
  switch ((RegardWalkthroughSpot) spot->part) {
  case REGARD_SPOT_STREAM:
    return in->stream[col];
  case REGARD_SPOT_READ:
    return in->read[(gsize) in->query * in->d + (gsize) col];
  case REGARD_SPOT_W_QUERY:
    return mt_matrix_at(&in->w[MT_MAP_QUERY], row, col);
  case REGARD_SPOT_QUERY:
    return mt_matrix_at(&in->q, in->query, col);
  case REGARD_SPOT_KEY:
    return mt_matrix_at(&in->k, row, col);
  case REGARD_SPOT_VALUE:
    return mt_matrix_at(&in->v, row, col);
  case REGARD_SPOT_PRODUCT:
    return in->product[row];
  case REGARD_SPOT_BIAS:
    return regard_walkthrough_bias(in, in->query, (guint) row);
  case REGARD_SPOT_SCALED:
    return in->scaled[row];
  case REGARD_SPOT_MASK:
    return in->allowed[row] ? 0 : -INFINITY;
  case REGARD_SPOT_EXP:
    return in->exp[row];
  case REGARD_SPOT_WEIGHT:
    return mt_matrix_at(&in->weights, in->query, row);
  case REGARD_SPOT_SUM:
    return in->sum;
  case REGARD_SPOT_WEIGHTED:
    return (double) mt_matrix_at(&in->weights, in->query, row) * mt_matrix_at(&in->v, row, col);
  case REGARD_SPOT_CONTEXT:
    return mt_matrix_at(&in->context, in->query, col);
  case REGARD_SPOT_ADDED:
    return in->added[(gsize) in->head * in->d + (gsize) col];
  case REGARD_SPOT_SIMILARITY:
    similarity(in, look, row, col, &score, &weight);
    return weight;
  case REGARD_SPOT_ROOT:
    return root_weight(in, look, row, col, NULL);
  case REGARD_SPOT_MADE_UP: {
    RegardMadeUp made;
    regard_made_up(look->made_up, &made);
    return row == 2 ? made.d : col < 0 ? made.with[row].slope : made.with[row].weights[col];
  }
  case REGARD_SPOT_SPREAD:
    return row == 0 ? in->spread : row == 1 ? sqrt(in->d_head) : in->spread_theory;
  case REGARD_SPOT_HEAD:
    return in->added_norm[row];
  case REGARD_SPOT_HEAD_CONTEXT:
    return in->contexts[(gsize) row * in->d_head + (gsize) col];
  case REGARD_SPOT_ALL_PRODUCT:
    return product_at(in, row, col);
  case REGARD_SPOT_ALL_BIAS:
    return regard_walkthrough_bias(in, (guint) row, (guint) col);
  case REGARD_SPOT_ALL_SCALED:
    return mt_matrix_at(&in->scores, row, col);
  case REGARD_SPOT_ALL_WEIGHT:
    return mt_matrix_at(&in->weights, row, col);
  case REGARD_SPOT_ALL_CONTEXT:
    return mt_matrix_at(&in->context, row, col);
  default:
    return NAN;
  }
}

/* ---- Sentences ------------------------------------------------------------------------------- */

static void
say_row(GString *text, const RegardWalkthrough *in, const RegardSpot *spot, const char *n)
{
  const int j = spot->row, i = spot->col;
  const float *q = row_of(in->q, (int) in->query);
  const char *token = j >= 0 && j < (int) in->cols ? in->col_texts[j] : "";
  char a[32], b[32];
  switch ((RegardWalkthroughSpot) spot->part) {
  case REGARD_SPOT_STREAM:
    g_string_append_printf(text, _("stream of %s, number %d of %u: %s"), in->row_texts[in->query],
                           i + 1, in->d, n);
    break;
  case REGARD_SPOT_READ:
    g_string_append_printf(text, _("after the %s, number %d of %u: %s"),
                           regard_norm_name(mt_model_config(in->model)), i + 1, in->d, n);
    break;
  case REGARD_SPOT_W_QUERY:
    g_string_append_printf(text, _("W_Q, row %d, column %d: %s"), j + 1, i + 1, n);
    break;
  case REGARD_SPOT_QUERY:
    g_string_append_printf(text, _("q[%d] = row %d of W_Q times the stream = %s"), i + 1, i + 1, n);
    append_map(text, in, MT_MAP_QUERY, i, in->read + (gsize) in->query * in->d, "x", "W_Q");
    break;
  case REGARD_SPOT_TOKEN:
    g_string_append_printf(text, _("key %s, weight %s"), token,
                           regard_figure_number(a, mt_matrix_at(&in->weights, in->query, j), 3));
    break;
  case REGARD_SPOT_KEY:
    g_string_append_printf(text, _("k[%d] of %s = %s\ntimes q[%d] %s = %s, a part of q·k"), i + 1,
                           token, n, i + 1, regard_figure_number(a, q[i], 3),
                           regard_figure_number(b, (double) q[i] * mt_matrix_at(&in->k, j, i), 3));
    break;
  case REGARD_SPOT_PRODUCT: {
    const Product p = {q, row_of(in->k, j), 1, in->d_head, "q", "k"};
    g_string_append_printf(text,
                           ngettext("q·k of %s = %s, a sum of %u product:",
                                    "q·k of %s = %s, a sum of %u products:", in->d_head),
                           token, n, in->d_head);
    append_terms(text, &p);
    break;
  }
  case REGARD_SPOT_BIAS:
    g_string_append_printf(text, _("%s: distance %+d, bucket %zu, bias %s"), token,
                           j - (int) in->query, regard_walkthrough_bucket(in, (guint) j), n);
    break;
  case REGARD_SPOT_SCALED:
    g_string_append_printf(text, "%s: %s", token, regard_figure_number(a, in->product[j], 3));
    if (in->is_divided)
      g_string_append_printf(text, " ÷ √%u", in->d_head);
    if (in->score_bias.data)
      g_string_append_printf(text, " + %s",
                             regard_figure_number(b,
                                                  regard_walkthrough_bias(in, in->query, (guint) j),
                                                  3));
    g_string_append_printf(text, " = %s", n);
    break;
  case REGARD_SPOT_MASK:
    g_string_append_printf(text,
                           in->allowed[j] ? _("%s may be seen: + 0")
                                          : _("%s may not be seen: −∞, and so a weight of 0"),
                           token);
    break;
  case REGARD_SPOT_EXP:
    g_string_append_printf(text, _("%s: e^(%s − the largest score) = %s"), token,
                           regard_figure_number(a, in->scaled[j], 3), n);
    break;
  case REGARD_SPOT_WEIGHT:
    g_string_append_printf(text, _("weight of %s: %s ÷ %s = %s"), token,
                           regard_figure_number(a, in->exp[j], 4),
                           regard_figure_number(b, in->sum, 4), n);
    if (in->is_changed)
      g_string_append(text, _("\nnot what the softmax gives: changed"));
    break;
  case REGARD_SPOT_SUM:
    g_string_append_printf(text, _("sum of the exponentials: %s"), n);
    break;
  case REGARD_SPOT_VALUE:
    /* Translators: one number of the value of a token */
    g_string_append_printf(text, _("v[%d] of %s = %s"), i + 1, token, n);
    append_map(text, in, MT_MAP_VALUE, i, in->read_keys + (gsize) j * in->d, "x", "W_V");
    break;
  default: /* WEIGHTED */
    g_string_append_printf(text, "%s × v[%d] %s = %s",
                           regard_figure_number(a, mt_matrix_at(&in->weights, in->query, j), 4),
                           i + 1, regard_figure_number(b, mt_matrix_at(&in->v, j, i), 3), n);
  }
}

static void
say_cards(GString *text, const RegardWalkthrough *in, const RegardWalkthroughOptions *look,
          const RegardSpot *spot, const char *n)
{
  const int row = spot->row, col = spot->col;
  const Product context = {row_of(in->weights, (int) in->query),
                           in->v.data + MAX(col, 0),
                           in->v.stride,
                           in->cols,
                           "a",
                           "v"};
  double score, weight;
  char a[32], b[32], c[32];
  switch ((RegardWalkthroughSpot) spot->part) {
  case REGARD_SPOT_CONTEXT:
    g_string_append_printf(text, _("context[%d] = %s, weights times values:"), col + 1, n);
    append_terms(text, &context);
    break;
  case REGARD_SPOT_ADDED:
    g_string_append_printf(text, _("this head adds %s to number %d of the stream:"), n, col + 1);
    append_map(text, in, MT_MAP_OUTPUT, col, row_of(in->context, (int) in->query), "z", "W_O");
    break;
  case REGARD_SPOT_SIMILARITY:
    similarity(in, look, row, col, &score, &weight);
    g_string_append_printf(text, _("%s, %s: score %s, weight %s"),
                           regard_similarity_info(row)->formula, in->col_texts[col],
                           regard_figure_number(a, score, 3), regard_figure_number(b, weight, 3));
    break;
  case REGARD_SPOT_ROOT: {
    RegardRowNumbers numbers;
    root_weight(in, look, row, col, &numbers);
    if (col >= 0)
      g_string_append_printf(text, _("%s: weight %s"), in->col_texts[col], n);
    else
      g_string_append_printf(text,
                             _("entropy %s bit, largest weight %s\n‖diag(a) − a aᵀ‖ = %s: what of "
                               "a gradient the softmax lets through"),
                             regard_figure_number(a, numbers.entropy, 3),
                             regard_figure_number(b, numbers.largest, 3),
                             regard_figure_number(c, numbers.gradient, 3));
    break;
  }
  case REGARD_SPOT_MADE_UP: {
    RegardMadeUp made;
    regard_made_up(look->made_up, &made);
    if (row == 2)
      g_string_append_printf(text, _("d_k = %s: the standard deviation of q·k is %s"), n,
                             regard_figure_number(a, made.spread, 2));
    else if (col >= 0)
      g_string_append_printf(text, _("the first query, key %d: weight %s"), col + 1, n);
    else
      g_string_append_printf(text,
                             _("mean over %u queries: largest weight %s, 1 − Σ a² = %s\nwhat the "
                               "scores of a row can still learn: 0 where one key has everything"),
                             REGARD_MADE_UP_QUERIES,
                             regard_figure_number(a, made.with[row].largest, 3), n);
    break;
  }
  case REGARD_SPOT_SPREAD:
    g_string_append_printf(text,
                           row == 0   ? _("standard deviation of q·k over all queries and keys of "
                                            "the sentence: %s")
                           : row == 1 ? _("what the paper takes: numbers of q and k independent, "
                                          "mean 0, variance 1: √d_k = %s")
                                      : _("√d_k times the standard deviations of the numbers in q "
                                          "and in k: %s"),
                           n);
    break;
  case REGARD_SPOT_PART: {
    Bar bars[ALL_BARS];
    const guint count = list_bars(in, bars);
    for (guint i = 0; i < count; i++) {
      if ((int) i == row)
        g_string_append_printf(text, "%s: %s", bars[i].name,
                               regard_figure_number(a, bars[i].score, 3));
      g_free(bars[i].name);
    }
    break;
  }
  case REGARD_SPOT_HEAD:
    g_string_append_printf(text, _("head %d adds ‖%s‖, of which %s in the direction of the sum"),
                           row + 1, n, regard_figure_number(a, in->added_along[row], 2));
    break;
  case REGARD_SPOT_HEAD_CONTEXT:
    g_string_append_printf(text, _("context of head %d, number %d: %s"), row + 1, col + 1, n);
    break;
  case REGARD_SPOT_ALL_PRODUCT:
  case REGARD_SPOT_ALL_BIAS:
  case REGARD_SPOT_ALL_SCALED:
  case REGARD_SPOT_ALL_WEIGHT:
    g_string_append_printf(text,
                           /* Translators: in these four two tokens and a number */
                           spot->part == REGARD_SPOT_ALL_PRODUCT ? _("query %s, key %s: q·k %s")
                           : spot->part == REGARD_SPOT_ALL_BIAS
                               ? _("query %s, key %s: bias of the distance %s")
                           : spot->part == REGARD_SPOT_ALL_SCALED
                               ? _("query %s, key %s: score %s")
                               : _("query %s, key %s: weight %s"),
                           in->row_texts[row], in->col_texts[col], n);
    break;
  default: /* ALL_CONTEXT */
    g_string_append_printf(text, _("query %s, context[%d]: %s"), in->row_texts[row], col + 1, n);
  }
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardWalkthrough *in = figure->subject;
  const RegardWalkthroughOptions *look = figure->options;
  GString *text = g_string_new(NULL);
  char number[32];
  regard_figure_number(number, value_of(in, look, spot), 4);
  if (spot->part <= REGARD_SPOT_WEIGHTED)
    say_row(text, in, spot, number);
  else
    say_cards(text, in, look, spot, number);
  return g_string_free(text, FALSE);
}

/* As the trace has it, in as few digits as read back the same. */
static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardWalkthrough *in = figure->subject;
  const double value = value_of(in, figure->options, spot);
  if (spot->part == REGARD_SPOT_PART) {
    Bar bars[ALL_BARS];
    const guint n = list_bars(in, bars);
    char *copy = spot->row < (int) n ? regard_exact_copy(bars[spot->row].score) : NULL;
    for (guint i = 0; i < n; i++)
      g_free(bars[i].name);
    return copy;
  }
  return isinf(value) ? g_strdup("-inf") : regard_exact_copy(value);
}

/* ---- The figure ------------------------------------------------------------------------------ */

static guint
n_matrices(RegardFigure *figure)
{
  return regard_walkthrough_n_matrices(figure->subject, figure->options);
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  return regard_walkthrough_matrix(figure->subject, figure->options, i);
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const RegardWalkthrough *in = figure->subject;
  g_autofree char *place = regard_walkthrough_dup_title(in);
  /* Translators: a head, and a token: "Cross-attention · layer 5 · head 3, query ▁die." */
  regard_words_add_sentence(caption, _("%s, query %s."), place, in->row_texts[in->query]);
}

RegardFigure *
regard_figure_new_walkthrough(RegardWalkthrough *inside, const RegardWalkthroughOptions *look,
                              const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .options_size = sizeof *look,
      .draw = draw,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
      .signs = signs,
  };
  RegardWalkthroughOptions own = *look;
  if (own.step == 0)
    own.step = REGARD_WALKTHROUGH_N_STEPS;
  return regard_figure_new(&klass, regard_walkthrough_ref(inside), &own, FALSE, style);
}
