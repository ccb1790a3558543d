/* regard-inside-cards.c — the cards that compare: other similarities, and what √d_k is for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-inside-draw.h"

#include <glib/gi18n.h>
#include <math.h>

#define LINE 1.75 /* font sizes */
#define BAND 1.2
/* Cells of a map; of more only the row is compared, for some forms take long. */
#define MOST_MAPPED 10000

static gboolean
is_seen(const InsideDraw *d)
{
  return regard_figure_draws(d->canvas) || d->canvas->klass->spot;
}

/* ---- Similarity ------------------------------------------------------------------------------ */

/* The weights of all queries in one form, as a small map. */
static void
draw_similarity_map(const InsideDraw *d, RegardRect place, RegardSimilarity form)
{
  const RegardInside *in = d->in;
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
draw_similarity_maps(const InsideDraw *d, double x, double y, double width)
{
  const double f = d->font, gap = f, one = (width - 2 * gap) / 3;
  const double height = one * CLAMP((double) d->in->rows / d->in->cols, 0.3, 1.4),
               pitch = height + 2.2 * f;
  for (guint s = 0; s < REGARD_N_SIMILARITIES; s++) {
    const double left = x + (s % 3) * (one + gap), top = y + (s / 3) * pitch;
    inside_text(d, left, top + f, one, _(regard_similarity_info(s)->name), FALSE,
                s == REGARD_SIMILARITY_SCALED, REGARD_ANCHOR_START);
    if (regard_figure_draws(d->canvas))
      draw_similarity_map(d, (RegardRect){left, top + 1.5 * f, one, height}, s);
  }
  return 2 * pitch;
}

double
inside_draw_similarity(const InsideDraw *d, double x, double y, double width)
{
  const RegardInside *in = d->in;
  const double f = d->font, top = y, name = 7.6 * f, number = 4.2 * f;
  const gboolean is_random = d->look->similarity_maps == REGARD_MAPS_RANDOM;
  g_autofree double *scores = g_new(double, in->cols), *weights = g_new(double, in->cols);
  g_autofree char *note =
      is_random ? g_strdup_printf(_("W, U, v: random numbers, seed %d"), REGARD_RANDOM_SEED)
                : g_strdup(_("W, U: identity; v: ones"));
  char text[32];
  y += inside_heading(d, x, y, width, _("Similarity: the same q and k"), NULL);
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
    inside_text(d, x, y + f * 1.02, name, _(regard_similarity_info(s)->name), FALSE,
                s == REGARD_SIMILARITY_SCALED, REGARD_ANCHOR_START);
    inside_weights(d, (RegardRect){x + name, y, width - name - number, BAND * f}, weights,
                   REGARD_SPOT_SIMILARITY, (int) s);
    g_autofree char *entropy = g_strdup_printf(
        "%s bit", regard_figure_number(text, regard_row_numbers(weights, in->cols).entropy, 2));
    inside_text(d, x + width, y + f * 1.02, number, entropy, TRUE, FALSE, REGARD_ANCHOR_END);
  }
  inside_text(d, x, y + f * 1.1, width, note, TRUE, FALSE, REGARD_ANCHOR_START);
  return y + f * 1.4 - top;
}

/* ---- Why √d_k -------------------------------------------------------------------------------- */

guint
inside_divisors(const InsideDraw *d, double divisors[3])
{
  const double root = sqrt(d->in->d_head);
  divisors[0] = 1;
  divisors[1] = root;
  divisors[2] = d->look->divisor;
  return divisors[2] > 0 ? 3 : 2;
}

/* A row with one divisor: the weights, and what they are like. */
static void
draw_divisor(const InsideDraw *d, double x, double y, double width, double divisor, guint row)
{
  const RegardInside *in = d->in;
  const double f = d->font, name = 6 * f, number = 4.9 * f, strip = width - name - 3 * number;
  g_autofree double *weights = g_new(double, in->cols);
  char text[32];
  g_autofree char *label =
      row == 1 ? g_strdup_printf("÷ √%u", in->d_head)
               : g_strdup_printf("÷ %s", regard_figure_number(text, divisor, row == 0 ? 0 : 2));
  regard_softmax(in->product, in->allowed, in->cols, divisor, weights);
  const RegardRowNumbers numbers = regard_row_numbers(weights, in->cols);
  const double values[] = {numbers.entropy, numbers.largest, numbers.gradient};
  inside_text(d, x, y + f * 1.02, name, label, FALSE, row == 1, REGARD_ANCHOR_START);
  inside_weights(d, (RegardRect){x + name, y, strip, BAND * f}, weights, REGARD_SPOT_ROOT,
                 (int) row);
  for (guint i = 0; i < G_N_ELEMENTS(values); i++)
    inside_text(d, x + name + strip + (i + 1) * number, y + f * 1.02, number,
                regard_figure_number(text, values[i], 3), FALSE, FALSE, REGARD_ANCHOR_END);
  regard_canvas_spot(d->canvas, (RegardRect){x + name + strip + f, y, 3 * number - f, BAND * f},
                     REGARD_SPOT_ROOT, (int) row, -1);
}

double
inside_draw_root(const InsideDraw *d, double x, double y, double width)
{
  const RegardInside *in = d->in;
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
  y += inside_heading(d, x, y, width, _("Why √d_k"), NULL);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    inside_text(d, x + width - (2 - i) * number, y + f * 0.7, number, names[i], TRUE, FALSE,
                REGARD_ANCHOR_END);
  y += f * 1.15;
  const guint n = inside_divisors(d, divisors);
  for (guint i = 0; i < n; i++, y += LINE * f)
    if (is_seen(d))
      draw_divisor(d, x, y, width, divisors[i], i);
  y += 0.4 * f;
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++, y += 1.45 * f) {
    inside_text(d, x, y + f, width - number, lines[i].name, TRUE, FALSE, REGARD_ANCHOR_START);
    inside_text(d, x + width, y + f, number, regard_figure_number(text, lines[i].value, 2), FALSE,
                FALSE, REGARD_ANCHOR_END);
    regard_canvas_spot(d->canvas, (RegardRect){x, y, width, 1.35 * f}, REGARD_SPOT_SPREAD, (int) i,
                       -1);
  }
  return y - top;
}
