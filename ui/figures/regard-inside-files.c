/* regard-inside-files.c — the numbers of one head as matrices, for files and for the picture of all
 * queries.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything that is on the page can be computed from these: docs/inside.md says how, and
 * tests/cli/recompute.py does it.
 */
#include "figures/regard-inside-draw.h"
#include "figures/regard-naming.h"

#include <math.h>
#include <string.h>

/* Of a key above a matrix, in font sizes. */
#define MOST_KEY 5.5

/* What an axis counts. */
typedef enum { QUERIES, THIS_QUERY, KEYS, WIDTH, HEAD_WIDTH, ALL_HEADS, ONE } Axis;

static guint
axis_size(const RegardInside *in, Axis axis)
{
  switch (axis) {
  case QUERIES:
    return in->rows;
  case KEYS:
    return in->cols;
  case WIDTH:
    return in->d;
  case HEAD_WIDTH:
    return in->d_head;
  case ALL_HEADS:
    return in->n_heads;
  default:
    return 1;
  }
}

static RegardAxis
make_axis(const RegardInside *in, Axis axis)
{
  const guint n = axis_size(in, axis);
  const char *const *rows = (const char *const *) in->row_texts;
  switch (axis) {
  case QUERIES:
    return regard_axis_texts(rows, n, "queries");
  case THIS_QUERY:
    return regard_axis_texts(rows + in->query, 1, "query");
  case KEYS:
    return regard_axis_texts((const char *const *) in->col_texts, n, "keys");
  case ALL_HEADS:
    return regard_axis_numbers(n, "heads", REGARD_TICKS_DECIMAL);
  default:
    return regard_axis_numbers(n, axis == WIDTH ? "numbers of the stream" : "numbers of the head",
                               REGARD_TICKS_DECIMAL);
  }
}

/* Fill out [rows][cols]. */
typedef void (*Fill)(const RegardInside *in, const RegardInsideLook *look, float *out);

static void
copy(mt_matrix m, float *out)
{
  for (gsize r = 0; r < m.rows; r++)
    memcpy(out + r * m.cols, m.data + r * m.stride, m.cols * sizeof *out);
}

#define COPY(name, matrix)                                                           \
  static void name(const RegardInside *in, const RegardInsideLook *look, float *out) \
  {                                                                                  \
    copy(in->matrix, out);                                                           \
  }
COPY(fill_q, q)
COPY(fill_k, k)
COPY(fill_v, v)
COPY(fill_scores, scores)
COPY(fill_weights, weights)
COPY(fill_context, context)
COPY(fill_output, output)
COPY(fill_w_query, w[MT_MAP_QUERY])
COPY(fill_w_key, w[MT_MAP_KEY])
COPY(fill_w_value, w[MT_MAP_VALUE])
COPY(fill_w_output, w[MT_MAP_OUTPUT])

/* Nothing where a map has no bias: zeros are the same. */
#define BIAS(name, map, axis)                                                        \
  static void name(const RegardInside *in, const RegardInsideLook *look, float *out) \
  {                                                                                  \
    if (in->b[map])                                                                  \
      memcpy(out, in->b[map], axis_size(in, axis) * sizeof *out);                    \
  }
BIAS(fill_b_query, MT_MAP_QUERY, HEAD_WIDTH)
BIAS(fill_b_key, MT_MAP_KEY, HEAD_WIDTH)
BIAS(fill_b_value, MT_MAP_VALUE, HEAD_WIDTH)
BIAS(fill_b_output, MT_MAP_OUTPUT, WIDTH)

static void
fill_read(const RegardInside *in, const RegardInsideLook *look, float *out)
{
  memcpy(out, in->read, (gsize) in->rows * in->d * sizeof *out);
}

static void
fill_read_keys(const RegardInside *in, const RegardInsideLook *look, float *out)
{
  memcpy(out, in->read_keys, (gsize) in->cols * in->d * sizeof *out);
}

static void
fill_stream(const RegardInside *in, const RegardInsideLook *look, float *out)
{
  memcpy(out, in->stream, in->d * sizeof *out);
}

static void
fill_products(const RegardInside *in, const RegardInsideLook *look, float *out)
{
  for (guint i = 0; i < in->rows; i++)
    for (guint j = 0; j < in->cols; j++) {
      double sum = 0;
      for (guint c = 0; c < in->d_head; c++)
        sum += (double) mt_matrix_at(&in->q, i, c) * mt_matrix_at(&in->k, j, c);
      out[(gsize) i * in->cols + j] = (float) sum;
    }
}

static void
fill_added(const RegardInside *in, const RegardInsideLook *look, float *out)
{
  memcpy(out, in->added, (gsize) in->n_heads * in->d * sizeof *out);
}

static void
fill_contexts(const RegardInside *in, const RegardInsideLook *look, float *out)
{
  memcpy(out, in->contexts, (gsize) in->n_heads * in->d_head * sizeof *out);
}

/* ---- Lists of what a card says --------------------------------------------------------------- */

static RegardMatrix *
new_matrix(const RegardInside *in, const char *id, RegardAxis rows, RegardAxis cols, float *values)
{
  g_autofree char *badge = in->changes ? g_strdup_printf("changed: %s", in->changes) : NULL;
  const char *const badges[] = {badge, NULL};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = id,
      .title = in->title,
      .value_name = id,
      .model_name = mt_model_name(in->model),
      .badges = badges,
      .rows = rows,
      .cols = cols,
      .values = values,
      .range = REGARD_RANGE_VALUES,
  });
}

/* [forms][keys]: scores, and their softmax. */
static RegardMatrix *
similarity_matrix(const RegardInside *in, const RegardInsideLook *look, gboolean of_weights)
{
  const char *names[REGARD_N_SIMILARITIES];
  float *values = g_new(float, (gsize) REGARD_N_SIMILARITIES * in->cols);
  g_autofree double *scores = g_new(double, in->cols), *weights = g_new(double, in->cols);
  for (guint s = 0; s < REGARD_N_SIMILARITIES; s++) {
    RegardSimilarityWeights maps;
    regard_similarity_weights(s, look->similarity_maps, in->d_head, &maps);
    regard_similarity_scores(s, &maps, in->q.data + in->query * in->q.stride, in->k, scores);
    regard_similarity_weights_clear(&maps);
    regard_softmax(scores, in->allowed, in->cols, 1, weights);
    names[s] = regard_similarity_info(s)->id;
    for (guint j = 0; j < in->cols; j++)
      values[s * in->cols + j] = (float) (of_weights ? weights[j] : scores[j]);
  }
  return new_matrix(in, of_weights ? "similarity_weights" : "similarity_scores",
                    regard_axis_texts(names, REGARD_N_SIMILARITIES, "similarities"),
                    make_axis(in, KEYS), values);
}

/* [divisors][divisor, entropy, largest, gradient, weights of the keys]. */
static RegardMatrix *
root_matrix(const RegardInside *in, const RegardInsideLook *look)
{
  static const char *const names[] = {"divisor", "entropy", "largest", "gradient"};
  const double divisors[] = {1, sqrt(in->d_head), look->divisor};
  const guint n = look->divisor > 0 ? 3 : 2, n_names = G_N_ELEMENTS(names);
  const guint columns = n_names + in->cols;
  g_autofree const char **titles = g_new(const char *, columns);
  float *values = g_new(float, (gsize) n *columns);
  g_autofree double *weights = g_new(double, in->cols);
  for (guint c = 0; c < columns; c++)
    titles[c] = c < n_names ? names[c] : in->col_texts[c - n_names];
  for (guint i = 0; i < n; i++) {
    float *row = values + (gsize) i * columns;
    regard_softmax(in->product, in->allowed, in->cols, divisors[i], weights);
    const RegardRowNumbers numbers = regard_row_numbers(weights, in->cols);
    row[0] = (float) divisors[i];
    row[1] = (float) numbers.entropy;
    row[2] = (float) numbers.largest;
    row[3] = (float) numbers.gradient;
    for (guint j = 0; j < in->cols; j++)
      row[n_names + j] = (float) weights[j];
  }
  return new_matrix(in, "divisors", regard_axis_numbers(n, "divisors", REGARD_TICKS_DECIMAL),
                    regard_axis_texts(titles, columns, "numbers and keys"), values);
}

static RegardMatrix *
spread_matrix(const RegardInside *in)
{
  static const char *const names[] = {"spread", "sqrt_d_head", "independent"};
  float *values = g_new(float, 3);
  values[0] = (float) in->spread;
  values[1] = (float) sqrt(in->d_head);
  values[2] = (float) in->spread_theory;
  return new_matrix(in, "spread", regard_axis_texts((const char *const[]){"q·k"}, 1, "of"),
                    regard_axis_texts(names, 3, "standard deviations"), values);
}

/* Every pair of parts, the largest first. */
static RegardMatrix *
parts_matrix(const RegardInside *in)
{
  const guint n = (guint) MAX(in->parts.n, 1);
  g_auto(GStrv) names = g_new0(char *, n + 1);
  float *values = g_new0(float, n);
  names[0] = g_strdup("masked");
  for (guint i = 0; i < in->parts.n; i++) {
    g_autofree char *query = regard_inside_part_name(in, in->parts.parts[i].query, FALSE);
    g_autofree char *key = regard_inside_part_name(in, in->parts.parts[i].key, TRUE);
    g_free(names[i]);
    names[i] = g_strdup_printf("%s × %s", query, key);
    values[i] = (float) in->parts.parts[i].score;
  }
  return new_matrix(in, "parts",
                    regard_axis_texts((const char *const *) names, n, "pairs of parts"),
                    regard_axis_texts((const char *const[]){in->col_texts[in->key]}, 1, "key"),
                    values);
}

/* Which head and which cell, from 1. */
static RegardMatrix *
place_matrix(const RegardInside *in)
{
  static const char *const names[] = {"layer", "head", "query", "key"};
  const guint values[] = {in->layer, in->head, in->query, in->key};
  float *copied = g_new(float, G_N_ELEMENTS(values));
  for (guint i = 0; i < G_N_ELEMENTS(values); i++)
    copied[i] = (float) (values[i] + 1);
  return new_matrix(in, "place",
                    regard_axis_texts((const char *const[]){regard_kind_id(in->kind)}, 1, "kind"),
                    regard_axis_texts(names, G_N_ELEMENTS(names), "numbers from 1"), copied);
}

/* ---- The list -------------------------------------------------------------------------------- */

static const struct {
  const char *id;
  Axis rows, cols;
  Fill fill;
} tensors[] = {
    {"stream", THIS_QUERY, WIDTH, fill_stream},
    {"read_queries", QUERIES, WIDTH, fill_read},
    {"read_keys", KEYS, WIDTH, fill_read_keys},
    {"W_Q", HEAD_WIDTH, WIDTH, fill_w_query},
    {"b_Q", ONE, HEAD_WIDTH, fill_b_query},
    {"W_K", HEAD_WIDTH, WIDTH, fill_w_key},
    {"b_K", ONE, HEAD_WIDTH, fill_b_key},
    {"W_V", HEAD_WIDTH, WIDTH, fill_w_value},
    {"b_V", ONE, HEAD_WIDTH, fill_b_value},
    {"W_O", WIDTH, HEAD_WIDTH, fill_w_output},
    {"b_O", ONE, WIDTH, fill_b_output},
    {"queries", QUERIES, HEAD_WIDTH, fill_q},
    {"keys", KEYS, HEAD_WIDTH, fill_k},
    {"values", KEYS, HEAD_WIDTH, fill_v},
    {"products", QUERIES, KEYS, fill_products},
    {"scores", QUERIES, KEYS, fill_scores},
    {"weights", QUERIES, KEYS, fill_weights},
    {"context", QUERIES, HEAD_WIDTH, fill_context},
    {"head_contexts", ALL_HEADS, HEAD_WIDTH, fill_contexts},
    {"head_added", ALL_HEADS, WIDTH, fill_added},
    {"output", QUERIES, WIDTH, fill_output},
};

static RegardMatrix *
tensor_matrix(const RegardInside *in, const RegardInsideLook *look, guint i)
{
  float *values =
      g_new0(float, (gsize) axis_size(in, tensors[i].rows) * axis_size(in, tensors[i].cols));
  tensors[i].fill(in, look, values);
  return new_matrix(in, tensors[i].id, make_axis(in, tensors[i].rows),
                    make_axis(in, tensors[i].cols), values);
}

/* What comes after the tensors, in this order: the place, and the cards that are there. */
static guint
list_cards(const RegardInsideLook *look, guint cards[6])
{
  guint n = 0;
  cards[n++] = 5;
  if (look->parts & REGARD_INSIDE_SIMILARITY) {
    cards[n++] = 0;
    cards[n++] = 1;
  }
  if (look->parts & REGARD_INSIDE_ROOT) {
    cards[n++] = 2;
    cards[n++] = 3;
  }
  if (look->parts & REGARD_INSIDE_CELL)
    cards[n++] = 4;
  return n;
}

guint
inside_n_matrices(const RegardInside *in, const RegardInsideLook *look)
{
  guint cards[6];
  return G_N_ELEMENTS(tensors) + list_cards(look, cards);
}

RegardMatrix *
inside_matrix(const RegardInside *in, const RegardInsideLook *look, guint i)
{
  guint cards[6];
  list_cards(look, cards);
  if (i < G_N_ELEMENTS(tensors))
    return tensor_matrix(in, look, i);
  switch (cards[i - G_N_ELEMENTS(tensors)]) {
  case 0:
    return similarity_matrix(in, look, FALSE);
  case 1:
    return similarity_matrix(in, look, TRUE);
  case 2:
    return root_matrix(in, look);
  case 3:
    return spread_matrix(in);
  case 4:
    return parts_matrix(in);
  default:
    return place_matrix(in);
  }
}

/* ---- All queries ----------------------------------------------------------------------------- */

static RegardMatrix *
named_tensor(const InsideDraw *d, const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS(tensors); i++)
    if (g_str_equal(tensors[i].id, id))
      return tensor_matrix(d->in, d->look, i);
  g_assert_not_reached();
}

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
keys_height(const InsideDraw *d)
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
draw_keys(const InsideDraw *d, RegardRect place, double bottom)
{
  double size;
  guint step;
  regard_label_fit(place.width / d->in->cols, d->font, REGARD_TICKS_WORDS, &size, &step);
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
draw_one(const InsideDraw *d, RegardRect place, const char *id, const char *name, int part,
         double keys)
{
  const double f = d->font;
  g_autoptr(RegardMatrix) m = named_tensor(d, id);
  RegardFigureStyle style = *d->style;
  style.colormap = part == REGARD_SPOT_ALL_WEIGHT ? d->weight_map : d->signed_map;
  style.pinned_row = (int) d->in->query;
  style.pinned_col = -1;
  if (part == REGARD_SPOT_ALL_WEIGHT)
    m->hi = 1, m->lo = 0;
  if (d->in->kind == MT_DECODER_SELF &&
      (part == REGARD_SPOT_ALL_SCALED || part == REGARD_SPOT_ALL_WEIGHT))
    mark_later_keys(m);
  inside_text(d, place.x, place.y + f, place.width, name, FALSE, TRUE, REGARD_ANCHOR_START);
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

double
inside_draw_all_rows(const InsideDraw *d, double x, double y, double width)
{
  static const struct {
    const char *id, *name;
    int part;
    RegardInsideStep step;
  } shown[] = {
      {"products", "Q Kᵀ", REGARD_SPOT_ALL_PRODUCT, REGARD_STEP_PRODUCT},
      {"scores", "Q Kᵀ ÷ √d_k + mask", REGARD_SPOT_ALL_SCALED, REGARD_STEP_MASK},
      {"weights", "softmax", REGARD_SPOT_ALL_WEIGHT, REGARD_STEP_WEIGHT},
      {"context", "softmax · V", REGARD_SPOT_ALL_CONTEXT, REGARD_STEP_CONTEXT},
  };
  const double f = d->font, label = 9 * f, gap = 1.4 * f;
  const double one = (width - label - gap * G_N_ELEMENTS(shown)) / G_N_ELEMENTS(shown);
  const double line = CLAMP(one / d->in->cols, 0.25 * f, 1.7 * f);
  const double keys = keys_height(d), head = 1.7 * f + keys;
  const double height = line * d->in->rows + head;
  double size;
  guint step; /* every so many rows have their name */
  regard_label_fit(line, f, REGARD_TICKS_WORDS, &size, &step);
  InsideDraw small = *d;
  small.font = size;
  for (guint i = 0; i < d->in->rows; i += step)
    inside_text(&small, x + label - 0.6 * f, y + head + (i + 0.5) * line + size * 0.35,
                label - 0.6 * f, d->in->row_texts[i], FALSE, i == d->in->query, REGARD_ANCHOR_END);
  for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
    const RegardRect place = {x + label + i * (one + gap), y, one, height};
    if (d->look->step >= shown[i].step)
      draw_one(d, place, shown[i].id, shown[i].name, shown[i].part, keys);
  }
  return height;
}
