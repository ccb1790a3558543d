/* regard-walkthrough.c — one head and one query as numbers: equation 1 of the paper, ways to
 * compare a query with keys, and the matrices that files have.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything that is on the page can be computed from the matrices: docs/inside.md says how, and
 * tests/cli/recompute.py does it. A Transformer learns W_Q and W_K, so q·k is all it needs. Other
 * forms have matrices of their own, which this model was never taught: the identity or random
 * numbers stand for them.
 */
#include "figures/regard-walkthrough.h"

#include "figures/regard-equations.h"
#include "figures/regard-language.h"
#include "figures/regard-made-up.h"
#include "figures/regard-naming.h"

#include <math.h>
#include <string.h>

/* ---- Ways to compare ------------------------------------------------------------------------- */

static const RegardSimilarityInfo infos[REGARD_N_SIMILARITIES] = {
    [REGARD_SIMILARITY_DOT] = {"dot", N_("dot product"), "q·k", FALSE},
    [REGARD_SIMILARITY_SCALED] = {"scaled", N_("scaled"), "q·k / √d_k", FALSE},
    [REGARD_SIMILARITY_GENERAL] = {"general", N_("general"), "q·Wk", TRUE},
    [REGARD_SIMILARITY_CONCAT] = {"concat", N_("concatenation"), "v·tanh(W[q; k])", TRUE},
    [REGARD_SIMILARITY_PERCEPTRON] = {"perceptron", N_("perceptron"), "v·tanh(Wq + Uk)", TRUE},
    [REGARD_SIMILARITY_COSINE] = {"cosine", N_("cosine"), "q·k / ‖q‖‖k‖", FALSE},
};

const RegardSimilarityInfo *
regard_similarity_info(RegardSimilarity similarity)
{
  return &infos[similarity];
}

/* ---- Matrices -------------------------------------------------------------------------------- */

/* SplitMix64 (Steele 2014): a few lines in any language give the same numbers. */
static guint64
next(guint64 *state)
{
  guint64 z = *state += G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Between 0 and 1, never either. */
static double
uniform(guint64 *state)
{
  return ((double) (next(state) >> 11) + 0.5) / 9007199254740992.0;
}

double *
regard_random_matrix(guint rows, guint columns, double variance, guint64 *state)
{
  double *m = g_new(double, (gsize) rows *columns);
  for (gsize i = 0; i < (gsize) rows * columns; i++) {
    double radius = sqrt(-2 * log(uniform(state))), angle = 2 * G_PI * uniform(state);
    m[i] = radius * cos(angle) * sqrt(variance);
  }
  return m;
}

/* [n][copies n]: identities beside each other. */
static double *
identities(guint n, guint copies)
{
  double *m = g_new0(double, (gsize) n *n *copies);
  for (guint i = 0; i < n; i++)
    for (guint c = 0; c < copies; c++)
      m[(gsize) i * n * copies + (gsize) c * n + i] = 1;
  return m;
}

static double *
ones(guint n)
{
  double *v = g_new(double, n);
  for (guint i = 0; i < n; i++)
    v[i] = 1;
  return v;
}

void
regard_similarity_weights(RegardSimilarity similarity, RegardSimilarityMaps maps, guint d,
                          RegardSimilarityWeights *weights)
{
  const gboolean is_random = maps == REGARD_MAPS_RANDOM;
  const guint copies = similarity == REGARD_SIMILARITY_CONCAT ? 2 : 1;
  guint64 state = REGARD_RANDOM_SEED + (guint64) similarity;
  *weights = (RegardSimilarityWeights){NULL, NULL, NULL};
  if (!infos[similarity].has_maps)
    return;
  weights->w = is_random ? regard_random_matrix(d, copies * d, 1.0 / (copies * d), &state)
                         : identities(d, copies);
  if (similarity == REGARD_SIMILARITY_PERCEPTRON)
    weights->u = is_random ? regard_random_matrix(d, d, 1.0 / d, &state) : identities(d, 1);
  if (similarity != REGARD_SIMILARITY_GENERAL)
    weights->v = is_random ? regard_random_matrix(1, d, 1, &state) : ones(d);
}

void
regard_similarity_weights_clear(RegardSimilarityWeights *weights)
{
  g_clear_pointer(&weights->w, g_free);
  g_clear_pointer(&weights->u, g_free);
  g_clear_pointer(&weights->v, g_free);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

static double
dot(const float *a, const float *b, gsize n)
{
  double sum = 0;
  for (gsize i = 0; i < n; i++)
    sum += (double) a[i] * b[i];
  return sum;
}

/* Columns [first, first + n) of a row of m, times x. */
static double
row_times(const double *m, guint columns, guint row, guint first, const float *x, guint n)
{
  double sum = 0;
  for (guint i = 0; i < n; i++)
    sum += m[(gsize) row * columns + first + i] * x[i];
  return sum;
}

static double
compare(RegardSimilarity similarity, const RegardSimilarityWeights *m, const float *q,
        const float *k, guint d)
{
  double sum = 0;
  switch (similarity) {
  case REGARD_SIMILARITY_SCALED:
    return dot(q, k, d) / sqrt(d);
  case REGARD_SIMILARITY_GENERAL:
    for (guint i = 0; i < d; i++)
      sum += q[i] * row_times(m->w, d, i, 0, k, d);
    return sum;
  case REGARD_SIMILARITY_CONCAT:
    for (guint i = 0; i < d; i++)
      sum +=
          m->v[i] * tanh(row_times(m->w, 2 * d, i, 0, q, d) + row_times(m->w, 2 * d, i, d, k, d));
    return sum;
  case REGARD_SIMILARITY_PERCEPTRON:
    for (guint i = 0; i < d; i++)
      sum += m->v[i] * tanh(row_times(m->w, d, i, 0, q, d) + row_times(m->u, d, i, 0, k, d));
    return sum;
  case REGARD_SIMILARITY_COSINE: {
    double norms = sqrt(dot(q, q, d) * dot(k, k, d));
    return norms > 0 ? dot(q, k, d) / norms : 0;
  }
  default:
    return dot(q, k, d);
  }
}

void
regard_similarity_scores(RegardSimilarity similarity, const RegardSimilarityWeights *weights,
                         const float *query, mt_matrix keys, double *out)
{
  for (guint j = 0; j < keys.rows; j++)
    out[j] = compare(similarity, weights, query, keys.data + j * keys.stride, (guint) keys.cols);
}

/* ---- Rows of weights ------------------------------------------------------------------------- */

void
regard_softmax(const double *scores, const gboolean *allowed, guint n, double divisor,
               double *weights)
{
  double largest = -INFINITY, sum = 0;
  for (guint j = 0; j < n; j++)
    if (allowed[j])
      largest = MAX(largest, scores[j] / divisor);
  for (guint j = 0; j < n; j++) {
    weights[j] = allowed[j] ? exp(scores[j] / divisor - largest) : 0;
    sum += weights[j];
  }
  for (guint j = 0; j < n; j++)
    weights[j] = sum > 0 ? weights[j] / sum : 0;
}

RegardRowNumbers
regard_row_numbers(const double *weights, guint n)
{
  RegardRowNumbers numbers = {0, 0, 0};
  double squares = 0, cubes = 0;
  for (guint j = 0; j < n; j++) {
    const double a = weights[j];
    numbers.largest = MAX(numbers.largest, a);
    numbers.entropy -= a > 0 ? a * log2(a) : 0;
    squares += a * a;
    cubes += a * a * a;
  }
  /* ‖diag(a) − a aᵀ‖² = Σ a² − 2 Σ a³ + (Σ a²)² */
  numbers.gradient = sqrt(MAX(squares - 2 * cubes + squares * squares, 0));
  return numbers;
}

/* A weight this far from the softmax of the scores is not rounding. */
#define ROUNDING 1e-4
/* Colours reach so many root mean squares: beyond are a few in a hundred. */
#define DEVIATIONS 2.2

void
regard_walkthrough_requests(mt_attention_kind kind, guint layer, mt_activation_requests *requests)
{
  static const mt_hook_point hook_points[] = {MT_HOOK_QUERY,      MT_HOOK_KEY,    MT_HOOK_VALUE,
                                              MT_HOOK_SCORE_BIAS, MT_HOOK_SCORES, MT_HOOK_WEIGHTS};
  mt_activation_requests_add_stream(requests);
  for (guint i = 0; i < G_N_ELEMENTS(hook_points) && requests->n < MT_MAX_ACTIVATION_REQUESTS; i++)
    requests->requests[requests->n++] =
        (mt_activation_request){hook_points[i], MT_KIND_BIT(kind), UINT64_C(1) << MIN(layer, 63),
                                MT_ALL_HEADS};
}

/* ---- Helpers --------------------------------------------------------------------------------- */

static const float *
row_of(mt_matrix m, gsize row)
{
  return m.data + row * m.stride;
}

static double
norm_of(const float *a, gsize n)
{
  return sqrt(dot(a, a, n));
}

static gboolean
fail(mt_error *error, const char *message)
{
  if (error) {
    error->code = MT_ERROR_INPUT;
    g_strlcpy(error->message, message, sizeof error->message);
  }
  return FALSE;
}

/* 1, 1.5, 2, 3, 5 or 7 times a power of ten, at least x: so that pictures of different heads,
 * layers and sentences mostly share it. */
static double
round_up(double x)
{
  static const double steps[] = {1, 1.5, 2, 3, 5, 7, 10};
  const double decade = pow(10, floor(log10(MAX(x, 1e-6))));
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
    if (x <= steps[i] * decade * (1 + 1e-9))
      return steps[i] * decade;
  return x;
}

static float *
copy_rows(mt_matrix m)
{
  float *copy = g_new(float, MAX(m.rows * m.cols, 1));
  for (gsize r = 0; r < m.rows; r++)
    memcpy(copy + r * m.cols, row_of(m, r), m.cols * sizeof *copy);
  return copy;
}

/* ---- What is read ---------------------------------------------------------------------------- */

/* The stream that the sub-layer finds. */
static mt_matrix
stream_before(const RegardWalkthrough *self)
{
  const mt_point point = {regard_naming_rows(self->kind), (int) self->layer,
                          self->kind == MT_CROSS ? MT_SUB_LAYER_CROSS : MT_SUB_LAYER_SELF};
  return mt_stream_before(self->model, self->trace, point);
}

static gboolean
fill_read(RegardWalkthrough *self, mt_error *error)
{
  mt_matrix before = stream_before(self);
  const float *gain, *bias;
  if (!before.data)
    return fail(error, _("The trace does not have the stream."));
  self->stream = row_of(before, self->query);
  self->stream_norm = norm_of(self->stream, self->d);
  self->read = copy_rows(before);
  if (mt_model_config(self->model)->normalize_before &&
      mt_model_norm(self->model, MT_NORM_ATTENTION, self->kind, self->layer, &gain, &bias))
    for (gsize r = 0; r < before.rows; r++)
      mt_model_norm_row(self->model, self->read + r * self->d, gain, bias);
  if (self->kind != MT_CROSS) {
    self->read_keys = g_memdup2(self->read, before.rows * self->d * sizeof *self->read);
    return TRUE;
  }
  mt_matrix encoder = mt_trace_get(self->trace, MT_HOOK_STACK_OUTPUT, MT_ENCODER_SELF, -1, -1);
  if (!encoder.data)
    return fail(error, _("The trace does not have the encoder's output."));
  self->read_keys = copy_rows(encoder);
  return TRUE;
}

static gboolean
fill_tensors(RegardWalkthrough *self, mt_error *error)
{
  const mt_config *config = mt_model_config(self->model);
  const struct {
    mt_hook_point hook_point;
    mt_matrix *to;
  } wanted[] = {
      {MT_HOOK_QUERY, &self->q},         {MT_HOOK_KEY, &self->k},
      {MT_HOOK_VALUE, &self->v},         {MT_HOOK_SCORES, &self->scores},
      {MT_HOOK_WEIGHTS, &self->weights}, {MT_HOOK_CONTEXT, &self->context},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++) {
    *wanted[i].to = mt_trace_get(self->trace, wanted[i].hook_point, self->kind, (int) self->layer,
                                 (int) self->head);
    if (!wanted[i].to->data)
      return fail(error, _("The trace does not have this head."));
  }
  self->output =
      mt_trace_get(self->trace, MT_HOOK_ATTENTION_OUTPUT, self->kind, (int) self->layer, -1);
  if (!self->output.data)
    return fail(error, _("The trace does not have what the layer adds."));
  self->rows = (guint) self->q.rows;
  self->cols = (guint) self->k.rows;
  self->d_head = (guint) self->q.cols;
  self->score_divisor = config->score_divisor[regard_naming_rows(self->kind)];
  self->is_divided = regard_divides_scores(config, self->kind);
  self->score_bias = mt_trace_get(self->trace, MT_HOOK_SCORE_BIAS, self->kind, (int) self->layer,
                                  (int) self->head);
  for (guint map = 0; map < MT_N_MAPS; map++) {
    self->w[map] =
        mt_model_head_map(self->model, self->kind, self->layer, self->head, (mt_map) map);
    self->b[map] =
        mt_model_head_bias(self->model, self->kind, self->layer, self->head, (mt_map) map);
  }
  return TRUE;
}

/* ---- Equation 1 ------------------------------------------------------------------------------ */

double
regard_walkthrough_bias(const RegardWalkthrough *self, guint query, guint key)
{
  return self->score_bias.data ? mt_matrix_at(&self->score_bias, query, key) : 0;
}

gsize
regard_walkthrough_bucket(const RegardWalkthrough *self, guint key)
{
  return mt_relative_bucket(mt_model_config(self->model), regard_naming_rows(self->kind),
                            (long) key - (long) self->query);
}

guint
regard_walkthrough_divisors(const RegardWalkthrough *self, const RegardWalkthroughOptions *look,
                            double divisors[3])
{
  divisors[0] = 1;
  divisors[1] = self->is_divided ? self->score_divisor : sqrt(self->d_head);
  divisors[2] = look->divisor;
  return divisors[2] > 0 ? 3 : 2;
}

void
regard_walkthrough_divided(const RegardWalkthrough *self, double divisor, double *weights)
{
  for (guint j = 0; j < self->cols; j++)
    weights[j] = self->product[j] / divisor + regard_walkthrough_bias(self, self->query, j);
  regard_softmax(weights, self->allowed, self->cols, 1, weights);
}

static void
fill_row(RegardWalkthrough *self)
{
  const float *q = row_of(self->q, self->query), *scores = row_of(self->scores, self->query);
  const float *weights = row_of(self->weights, self->query);
  const guint n = self->cols;
  double largest = -INFINITY;
  self->allowed = g_new(gboolean, n);
  self->product = g_new(double, n);
  self->scaled = g_new(double, n);
  self->exp = g_new(double, n);
  self->weight = g_new(double, n);
  for (guint j = 0; j < n; j++) {
    self->allowed[j] = !isinf(scores[j]);
    self->product[j] = dot(q, row_of(self->k, j), self->d_head);
    self->scaled[j] =
        self->product[j] / self->score_divisor + regard_walkthrough_bias(self, self->query, j);
    if (self->allowed[j])
      largest = MAX(largest, self->scaled[j]);
  }
  for (guint j = 0; j < n; j++) {
    self->exp[j] = self->allowed[j] ? exp(self->scaled[j] - largest) : 0;
    self->sum += self->exp[j];
  }
  for (guint j = 0; j < n; j++) {
    self->weight[j] = self->sum > 0 ? self->exp[j] / self->sum : 0;
    if (fabs(self->weight[j] - weights[j]) > ROUNDING)
      self->is_changed = TRUE;
  }
}

/* Standard deviation of all numbers of m. */
static double
deviation(mt_matrix m)
{
  double sum = 0, squares = 0;
  const double n = (double) m.rows * (double) m.cols;
  for (gsize r = 0; r < m.rows; r++)
    for (gsize c = 0; c < m.cols; c++) {
      const double x = mt_matrix_at(&m, r, c);
      sum += x;
      squares += x * x;
    }
  return sqrt(MAX(squares / n - (sum / n) * (sum / n), 0));
}

static void
fill_spread(RegardWalkthrough *self)
{
  double sum = 0, squares = 0, n = 0;
  for (guint i = 0; i < self->rows; i++)
    for (guint j = 0; j < self->cols; j++)
      if (!isinf(mt_matrix_at(&self->scores, i, j))) {
        const double x = dot(row_of(self->q, i), row_of(self->k, j), self->d_head);
        sum += x;
        squares += x * x;
        n += 1;
      }
  self->spread = n > 0 ? sqrt(MAX(squares / n - (sum / n) * (sum / n), 0)) : NAN;
  self->spread_theory = sqrt(self->d_head) * deviation(self->q) * deviation(self->k);
}

/* ---- All heads of the layer ------------------------------------------------------------------ */

static void
fill_heads(RegardWalkthrough *self)
{
  const gsize d = self->d, d_head = self->d_head, n = self->n_heads;
  const float *out = row_of(self->output, self->query);
  double squares = 0, n_numbers = 0;
  self->contexts = g_new0(float, n *d_head);
  self->added = g_new0(float, n *d);
  self->added_norm = g_new0(double, n);
  self->added_along = g_new0(double, n);
  self->output_norm = norm_of(out, d);
  for (gsize h = 0; h < n; h++) {
    const int layer = (int) self->layer;
    mt_matrix context = mt_trace_get(self->trace, MT_HOOK_CONTEXT, self->kind, layer, (int) h);
    mt_matrix w = mt_model_head_map(self->model, self->kind, self->layer, h, MT_MAP_OUTPUT);
    static const mt_hook_point strips[] = {MT_HOOK_QUERY, MT_HOOK_KEY, MT_HOOK_VALUE};
    const float *z = row_of(context, self->query);
    float *added = self->added + h * d;
    memcpy(self->contexts + h * d_head, z, d_head * sizeof *z);
    for (gsize o = 0; o < d; o++)
      added[o] = (float) dot(row_of(w, o), z, d_head);
    self->added_norm[h] = norm_of(added, d);
    self->added_along[h] = self->output_norm > 0 ? dot(added, out, d) / self->output_norm : 0;
    for (guint s = 0; s < G_N_ELEMENTS(strips); s++) {
      mt_matrix m = mt_trace_get(self->trace, strips[s], self->kind, layer, (int) h);
      for (gsize r = 0; r < m.rows; r++)
        for (gsize c = 0; c < m.cols; c++)
          squares += pow(mt_matrix_at(&m, r, c), 2);
      n_numbers += (double) (m.rows * m.cols);
    }
  }
  if (self->b[MT_MAP_OUTPUT]) {
    self->bias_norm = norm_of(self->b[MT_MAP_OUTPUT], d);
    self->bias_along =
        self->output_norm > 0 ? dot(self->b[MT_MAP_OUTPUT], out, d) / self->output_norm : 0;
  }
  self->domain = round_up(DEVIATIONS * sqrt(squares / MAX(n_numbers, 1)));
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void
fill_names(RegardWalkthrough *self, const mt_interventions *interventions)
{
  const gboolean of_decoder = self->kind != MT_ENCODER_SELF;
  const mt_tokens *source = mt_trace_source(self->trace);
  const mt_tokens *input = mt_trace_decoder_input(self->trace);
  const mt_tokens *output = mt_trace_output(self->trace);
  self->row_texts = g_new0(char *, self->rows + 1);
  self->col_texts = g_new0(char *, self->cols + 1);
  for (guint i = 0; i < self->rows; i++)
    if (of_decoder) {
      g_autofree char *from = regard_token_display(input, i, i == 0);
      g_autofree char *to = regard_token_display(output, i, FALSE);
      self->row_texts[i] = g_strdup_printf("%s → %s", from, to);
    } else
      self->row_texts[i] = regard_token_display(source, i, FALSE);
  for (guint j = 0; j < self->cols; j++)
    self->col_texts[j] = self->kind == MT_DECODER_SELF ? regard_token_display(input, j, j == 0)
                                                       : regard_token_display(source, j, FALSE);
  if (mt_interventions_count(interventions) > 0)
    self->interventions = regard_naming_joined(mt_interventions_text(interventions));
}

char *
regard_walkthrough_dup_title(const RegardWalkthrough *self)
{
  return g_strdup_printf(_("%s · layer %u · head %u"), regard_kind_name(self->kind),
                         self->layer + 1, self->head + 1);
}

/* For people, or for files, which are English. */
static char *
name_part(const RegardWalkthrough *self, mt_component part, gboolean of_key, gboolean is_data)
{
  const guint token = of_key ? self->key : self->query;
  switch (part.type) {
  case MT_COMPONENT_TOKEN: {
    const gboolean of_source = self->kind == MT_ENCODER_SELF || (of_key && self->kind == MT_CROSS);
    g_autofree char *text = regard_token_display(of_source ? mt_trace_source(self->trace)
                                                           : mt_trace_decoder_input(self->trace),
                                                 token, !of_source && token == 0);
    return g_strdup_printf(is_data ? "token %s" : _("token %s"), text);
  }
  case MT_COMPONENT_POSITION:
    return g_strdup_printf(is_data ? "position %u" : _("position %u"), token);
  case MT_COMPONENT_HEAD:
    return regard_naming_head(part.kind, (guint) part.layer, (guint) part.head);
  case MT_COMPONENT_FEED_FORWARD:
    if (part.kind == MT_ENCODER_SELF)
      return g_strdup_printf(is_data ? "feed-forward encoder %d" : _("feed-forward encoder %d"),
                             part.layer + 1);
    return g_strdup_printf(is_data ? "feed-forward decoder %d" : _("feed-forward decoder %d"),
                           part.layer + 1);
  case MT_COMPONENT_DISTANCE:
    return g_strdup_printf(is_data ? "position, distance %+d" : _("position, distance %+d"),
                           (int) self->key - (int) self->query);
  default:
    return g_strdup(is_data ? "biases" : _("biases"));
  }
}

static char *
name_pair(const RegardWalkthrough *self, const mt_score_part *part, gboolean is_data)
{
  g_autofree char *query = name_part(self, part->query, FALSE, is_data);
  g_autofree char *key = name_part(self, part->key, TRUE, is_data);
  return part->query.type == MT_COMPONENT_DISTANCE ? g_steal_pointer(&query)
                                                   : g_strdup_printf("%s × %s", query, key);
}

char *
regard_walkthrough_pair_name(const RegardWalkthrough *self, const mt_score_part *part)
{
  return name_pair(self, part, FALSE);
}

char *
regard_walkthrough_part_name(const RegardWalkthrough *self, mt_component part, gboolean of_key)
{
  return name_part(self, part, of_key, FALSE);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static guint
largest_weight(const RegardWalkthrough *self)
{
  const float *weights = row_of(self->weights, self->query);
  guint best = 0;
  for (guint j = 1; j < self->cols; j++)
    if (weights[j] > weights[best])
      best = j;
  return best;
}

static gboolean
fill(RegardWalkthrough *self, guint query, int key, const mt_interventions *interventions,
     mt_error *error)
{
  if (!fill_tensors(self, error))
    return FALSE;
  self->query = MIN(query, self->rows - 1);
  self->key = key < 0 ? largest_weight(self) : MIN((guint) key, self->cols - 1);
  if (!fill_read(self, error))
    return FALSE;
  fill_row(self);
  fill_spread(self);
  fill_heads(self);
  fill_names(self, interventions);
  return !self->allowed[self->key] ||
         mt_score_explain(self->model, self->trace, self->kind, self->layer, self->head,
                          self->query, self->key, &self->parts, error);
}

static void
clear(gpointer subject)
{
  RegardWalkthrough *self = subject;
  mt_score_parts_clear(&self->parts);
  mt_trace_unref(self->trace);
  mt_model_unref(self->model);
  g_strfreev(self->row_texts);
  g_strfreev(self->col_texts);
  g_free(self->interventions);
  g_free(self->read);
  g_free(self->read_keys);
  g_free(self->allowed);
  g_free(self->product);
  g_free(self->scaled);
  g_free(self->exp);
  g_free(self->weight);
  g_free(self->contexts);
  g_free(self->added);
  g_free(self->added_norm);
  g_free(self->added_along);
}

RegardWalkthrough *
regard_walkthrough_new(mt_model *model, mt_trace *trace, mt_attention_kind kind, guint layer,
                       guint head, guint query, int key, const mt_interventions *interventions,
                       mt_error *error)
{
  const mt_config *config = mt_model_config(model);
  RegardWalkthrough *self = regard_subject_alloc(sizeof *self, clear);
  self->model = mt_model_ref(model);
  self->trace = mt_trace_ref(trace);
  self->kind = kind;
  self->layer = layer;
  self->head = head;
  self->d = (guint) config->d_model;
  self->n_heads = (guint) config->n_heads[regard_naming_rows(kind)];
  if (fill(self, query, key, interventions, error))
    return self;
  regard_walkthrough_unref(self);
  return NULL;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

/* What an axis counts. */
typedef enum { QUERIES, THIS_QUERY, KEYS, WIDTH, HEAD_WIDTH, ALL_HEADS, ONE } Axis;

static guint
axis_size(const RegardWalkthrough *in, Axis axis)
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
make_axis(const RegardWalkthrough *in, Axis axis)
{
  const guint n = axis_size(in, axis);
  const char *const *rows = (const char *const *) in->row_texts;
  switch (axis) {
  case QUERIES:
    return regard_axis_texts(rows, n, _("queries"));
  case THIS_QUERY:
    return regard_axis_texts(rows + in->query, 1, _("query"));
  case KEYS:
    return regard_axis_texts((const char *const *) in->col_texts, n, C_("attention", "keys"));
  case ALL_HEADS:
    return regard_axis_numbers(n, _("heads"), REGARD_TICKS_DECIMAL);
  default:
    return regard_axis_numbers(n,
                               axis == WIDTH ? _("numbers of the stream")
                                             : _("numbers of the head"),
                               REGARD_TICKS_DECIMAL);
  }
}

/* Fill out [rows][cols]. */
typedef void (*Fill)(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, float *out);

static void
copy(mt_matrix m, float *out)
{
  for (gsize r = 0; r < m.rows; r++)
    memcpy(out + r * m.cols, m.data + r * m.stride, m.cols * sizeof *out);
}

#define COPY(name, matrix)                                                                        \
  static void name(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, float *out) \
  {                                                                                               \
    copy(in->matrix, out);                                                                        \
  }
COPY(fill_q, q)
COPY(fill_k, k)
COPY(fill_v, v)
COPY(fill_bias, score_bias)
COPY(fill_scores, scores)
COPY(fill_weights, weights)
COPY(fill_context, context)
COPY(fill_output, output)
COPY(fill_w_query, w[MT_MAP_QUERY])
COPY(fill_w_key, w[MT_MAP_KEY])
COPY(fill_w_value, w[MT_MAP_VALUE])
COPY(fill_w_output, w[MT_MAP_OUTPUT])

/* Nothing where a map has no bias: zeros are the same. */
#define BIAS(name, map, axis)                                                                     \
  static void name(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, float *out) \
  {                                                                                               \
    if (in->b[map])                                                                               \
      memcpy(out, in->b[map], axis_size(in, axis) * sizeof *out);                                 \
  }
BIAS(fill_b_query, MT_MAP_QUERY, HEAD_WIDTH)
BIAS(fill_b_key, MT_MAP_KEY, HEAD_WIDTH)
BIAS(fill_b_value, MT_MAP_VALUE, HEAD_WIDTH)
BIAS(fill_b_output, MT_MAP_OUTPUT, WIDTH)

static void
copy_read(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, float *out)
{
  memcpy(out, in->read, (gsize) in->rows * in->d * sizeof *out);
}

static void
fill_read_keys(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, float *out)
{
  memcpy(out, in->read_keys, (gsize) in->cols * in->d * sizeof *out);
}

static void
fill_stream(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, float *out)
{
  memcpy(out, in->stream, in->d * sizeof *out);
}

static void
fill_products(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, float *out)
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
fill_added(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, float *out)
{
  memcpy(out, in->added, (gsize) in->n_heads * in->d * sizeof *out);
}

static void
fill_contexts(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, float *out)
{
  memcpy(out, in->contexts, (gsize) in->n_heads * in->d_head * sizeof *out);
}

/* ---- Lists of what a card says --------------------------------------------------------------- */

static RegardMatrix *
new_matrix(const RegardWalkthrough *in, const char *id, RegardAxis rows, RegardAxis cols,
           float *values)
{
  g_autofree char *badge =
      in->interventions ? g_strdup_printf(_("changed: %s"), in->interventions) : NULL;
  const char *const badges[] = {badge, NULL};
  g_autofree char *title = regard_walkthrough_dup_title(in);
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = id,
      .title = title,
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
similarity_matrix(const RegardWalkthrough *in, const RegardWalkthroughOptions *look,
                  gboolean of_weights)
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
root_matrix(const RegardWalkthrough *in, const RegardWalkthroughOptions *look)
{
  static const char *const names[] = {"divisor", "entropy", "largest", "gradient"};
  double divisors[3];
  const guint n = regard_walkthrough_divisors(in, look, divisors), n_names = G_N_ELEMENTS(names);
  const guint columns = n_names + in->cols;
  g_autofree const char **titles = g_new(const char *, columns);
  float *values = g_new(float, (gsize) n *columns);
  g_autofree double *weights = g_new(double, in->cols);
  for (guint c = 0; c < columns; c++)
    titles[c] = c < n_names ? names[c] : in->col_texts[c - n_names];
  for (guint i = 0; i < n; i++) {
    float *row = values + (gsize) i * columns;
    regard_walkthrough_divided(in, divisors[i], weights);
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

/* [2][divisor, spread, largest, slope, weights of the first query]. */
static RegardMatrix *
made_up_matrix(const RegardWalkthrough *in, const RegardWalkthroughOptions *look)
{
  static const char *const names[] = {"divisor", "spread", "largest", "slope"};
  const guint n_names = G_N_ELEMENTS(names), columns = n_names + REGARD_MADE_UP_KEYS;
  RegardMadeUp made;
  char *titles[G_N_ELEMENTS(names) + REGARD_MADE_UP_KEYS + 1] = {NULL};
  float *values = g_new(float, (gsize) 2 * columns);
  regard_made_up(look->made_up, &made);
  for (guint c = 0; c < columns; c++)
    titles[c] = c < n_names ? g_strdup(names[c]) : g_strdup_printf("key %u", c - n_names + 1);
  for (guint i = 0; i < 2; i++) {
    float *row = values + (gsize) i * columns;
    row[0] = i ? (float) sqrt(made.d) : 1;
    row[1] = (float) made.spread;
    row[2] = (float) made.with[i].largest;
    row[3] = (float) made.with[i].slope;
    for (guint k = 0; k < REGARD_MADE_UP_KEYS; k++)
      row[n_names + k] = (float) made.with[i].weights[k];
  }
  RegardMatrix *matrix =
      new_matrix(in, "made_up", regard_axis_numbers(2, "divisors", REGARD_TICKS_DECIMAL),
                 regard_axis_texts((const char *const *) titles, columns,
                                   "made-up numbers and keys"),
                 values);
  for (guint c = 0; c < columns; c++)
    g_free(titles[c]);
  return matrix;
}

static RegardMatrix *
spread_matrix(const RegardWalkthrough *in)
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
parts_matrix(const RegardWalkthrough *in)
{
  const guint n = (guint) MAX(in->parts.n, 1);
  g_auto(GStrv) names = g_new0(char *, n + 1);
  float *values = g_new0(float, n);
  names[0] = g_strdup("masked");
  for (guint i = 0; i < in->parts.n; i++) {
    g_free(names[i]);
    names[i] = name_pair(in, &in->parts.parts[i], TRUE);
    values[i] = (float) in->parts.parts[i].score;
  }
  return new_matrix(in, "parts",
                    regard_axis_texts((const char *const *) names, n, "pairs of parts"),
                    regard_axis_texts((const char *const[]){in->col_texts[in->key]}, 1, "key"),
                    values);
}

/* Which head and which cell, from 1. */
static RegardMatrix *
place_matrix(const RegardWalkthrough *in)
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
    {"read_queries", QUERIES, WIDTH, copy_read},
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
    {"score_bias", QUERIES, KEYS, fill_bias}, /* the last one: only where there is a bias */
};

static guint
count_tensors(const RegardWalkthrough *in)
{
  return G_N_ELEMENTS(tensors) - (in->score_bias.data ? 0 : 1);
}

static RegardMatrix *
tensor_matrix(const RegardWalkthrough *in, const RegardWalkthroughOptions *look, guint i)
{
  float *values =
      g_new0(float, (gsize) axis_size(in, tensors[i].rows) * axis_size(in, tensors[i].cols));
  tensors[i].fill(in, look, values);
  return new_matrix(in, tensors[i].id, make_axis(in, tensors[i].rows),
                    make_axis(in, tensors[i].cols), values);
}

/* What comes after the tensors, in this order: the place, and the cards that are there. */
static guint
list_cards(const RegardWalkthroughOptions *look, guint cards[7])
{
  guint n = 0;
  cards[n++] = 5;
  if (look->parts & REGARD_WALKTHROUGH_SIMILARITY) {
    cards[n++] = 0;
    cards[n++] = 1;
  }
  if (look->parts & REGARD_WALKTHROUGH_ROOT) {
    cards[n++] = 2;
    cards[n++] = 3;
    if (look->made_up)
      cards[n++] = 6;
  }
  if (look->parts & REGARD_WALKTHROUGH_CELL)
    cards[n++] = 4;
  return n;
}

guint
regard_walkthrough_n_matrices(const RegardWalkthrough *in, const RegardWalkthroughOptions *look)
{
  guint cards[7];
  return count_tensors(in) + list_cards(look, cards);
}

RegardMatrix *
regard_walkthrough_matrix(const RegardWalkthrough *in, const RegardWalkthroughOptions *look,
                          guint i)
{
  guint cards[7];
  list_cards(look, cards);
  if (i < count_tensors(in))
    return tensor_matrix(in, look, i);
  switch (cards[i - count_tensors(in)]) {
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
  case 6:
    return made_up_matrix(in, look);
  default:
    return place_matrix(in);
  }
}

RegardMatrix *
regard_walkthrough_matrix_named(const RegardWalkthrough *in, const RegardWalkthroughOptions *look,
                                const char *id)
{
  for (guint i = 0; i < count_tensors(in); i++)
    if (g_str_equal(tensors[i].id, id))
      return tensor_matrix(in, look, i);
  g_return_val_if_reached(NULL);
}
