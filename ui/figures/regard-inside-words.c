/* regard-inside-words.c — what a place in the picture of one head says: its number, and the row
 * times column that makes it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-inside-draw.h"

#include <glib/gi18n.h>
#include <math.h>

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
    g_string_append_printf(text, _("\n… %u more products"), p->n - n_shown);
}

static const float *
row_of(mt_matrix m, int row)
{
  return m.data + (gsize) row * m.stride;
}

/* y[i] = row i of a map times x, plus its bias. */
static void
append_map(GString *text, const RegardInside *in, mt_map map, int i, const float *x,
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
root_weight(const RegardInside *in, const RegardInsideLook *look, int row, int key,
            RegardRowNumbers *numbers)
{
  const double divisors[] = {1, sqrt(in->d_head), look->divisor};
  g_autofree double *weights = g_new(double, in->cols);
  regard_softmax(in->product, in->allowed, in->cols, divisors[row], weights);
  if (numbers)
    *numbers = regard_row_numbers(weights, in->cols);
  return key >= 0 ? weights[key] : NAN;
}

static void
similarity(const RegardInside *in, const RegardInsideLook *look, int form, int key, double *score,
           double *weight)
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
product_at(const RegardInside *in, int row, int col)
{
  double sum = 0;
  for (guint i = 0; i < in->d_head; i++)
    sum += (double) mt_matrix_at(&in->q, row, i) * mt_matrix_at(&in->k, col, i);
  return sum;
}

/* The number of a spot; NAN: it has none of its own. */
static double
value_of(const RegardInside *in, const RegardInsideLook *look, const RegardSpot *spot)
{
  const int row = spot->row, col = spot->col;
  double score, weight;
  switch ((RegardInsideSpot) spot->part) {
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
  case REGARD_SPOT_SPREAD:
    return row == 0 ? in->spread : row == 1 ? sqrt(in->d_head) : in->spread_theory;
  case REGARD_SPOT_HEAD:
    return in->added_norm[row];
  case REGARD_SPOT_HEAD_CONTEXT:
    return in->contexts[(gsize) row * in->d_head + (gsize) col];
  case REGARD_SPOT_ALL_PRODUCT:
    return product_at(in, row, col);
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
say_row(GString *text, const RegardInside *in, const RegardSpot *spot, const char *n)
{
  const int j = spot->row, i = spot->col;
  const float *q = row_of(in->q, (int) in->query);
  const char *token = j >= 0 && j < (int) in->cols ? in->col_texts[j] : "";
  char a[32], b[32];
  switch ((RegardInsideSpot) spot->part) {
  case REGARD_SPOT_STREAM:
    g_string_append_printf(text, _("stream of %s, number %d of %u: %s"), in->row_texts[in->query],
                           i + 1, in->d, n);
    break;
  case REGARD_SPOT_READ:
    g_string_append_printf(text, _("after the layer norm, number %d of %u: %s"), i + 1, in->d, n);
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
    g_string_append_printf(text, _("q·k of %s = %s, a sum of %u products:"), token, n, in->d_head);
    append_terms(text, &p);
    break;
  }
  case REGARD_SPOT_SCALED:
    g_string_append_printf(text, "%s: %s ÷ √%u = %s", token,
                           regard_figure_number(a, in->product[j], 3), in->d_head, n);
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
    g_string_append_printf(text, "v[%d] of %s = %s", i + 1, token, n);
    append_map(text, in, MT_MAP_VALUE, i, in->read_keys + (gsize) j * in->d, "x", "W_V");
    break;
  default: /* WEIGHTED */
    g_string_append_printf(text, "%s × v[%d] %s = %s",
                           regard_figure_number(a, mt_matrix_at(&in->weights, in->query, j), 4),
                           i + 1, regard_figure_number(b, mt_matrix_at(&in->v, j, i), 3), n);
  }
}

static void
say_cards(GString *text, const RegardInside *in, const RegardInsideLook *look,
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
  switch ((RegardInsideSpot) spot->part) {
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
    InsideBar bars[INSIDE_MOST_BARS + 2];
    const guint count = inside_bars(in, bars);
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
  case REGARD_SPOT_ALL_SCALED:
  case REGARD_SPOT_ALL_WEIGHT:
    g_string_append_printf(text, _("query %s, key %s: %s %s"), in->row_texts[row],
                           in->col_texts[col],
                           spot->part == REGARD_SPOT_ALL_PRODUCT  ? "q·k"
                           : spot->part == REGARD_SPOT_ALL_SCALED ? _("score")
                                                                  : _("weight"),
                           n);
    break;
  default: /* ALL_CONTEXT */
    g_string_append_printf(text, _("query %s, context[%d]: %s"), in->row_texts[row], col + 1, n);
  }
}

char *
inside_describe(const RegardInside *in, const RegardInsideLook *look, const RegardSpot *spot)
{
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
char *
inside_copy(const RegardInside *in, const RegardInsideLook *look, const RegardSpot *spot)
{
  const double value = value_of(in, look, spot);
  if (spot->part == REGARD_SPOT_PART) {
    InsideBar bars[INSIDE_MOST_BARS + 2];
    const guint n = inside_bars(in, bars);
    char *copy = spot->row < (int) n ? regard_exact_copy(bars[spot->row].score) : NULL;
    for (guint i = 0; i < n; i++)
      g_free(bars[i].name);
    return copy;
  }
  return isinf(value) ? g_strdup("-inf") : regard_exact_copy(value);
}
