/* regard-inside.c — one head and one query as numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-inside.h"

#include "figures/regard-naming.h"

#include <math.h>
#include <string.h>

/* A weight this far from the softmax of q·k / √d_k is not rounding. */
#define ROUNDING 1e-4
/* Colours reach so many root mean squares: beyond are a few in a hundred. */
#define DEVIATIONS 2.2

void
regard_inside_taps(mt_attention_kind kind, guint layer, mt_taps *taps)
{
  static const mt_site sites[] = {MT_SITE_QUERY, MT_SITE_KEY, MT_SITE_VALUE, MT_SITE_SCORES,
                                  MT_SITE_WEIGHTS};
  mt_taps_add_stream(taps);
  for (guint i = 0; i < G_N_ELEMENTS(sites) && taps->n < MT_MAX_TAPS; i++)
    taps->taps[taps->n++] =
        (mt_tap){sites[i], MT_KIND_BIT(kind), UINT64_C(1) << MIN(layer, 63), MT_ALL_HEADS};
}

/* ---- Helpers --------------------------------------------------------------------------------- */

static const float *
row_of(mt_matrix m, gsize row)
{
  return m.data + row * m.stride;
}

static double
dot(const float *a, const float *b, gsize n)
{
  double sum = 0;
  for (gsize i = 0; i < n; i++)
    sum += (double) a[i] * b[i];
  return sum;
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

/* gain (x − mean) / sqrt(variance + 1e-5) + bias, rows of d. */
static void
layer_norm(float *x, gsize rows, gsize d, const float *gain, const float *bias)
{
  for (gsize r = 0; r < rows; r++, x += d) {
    double mean = 0, variance = 0;
    for (gsize i = 0; i < d; i++)
      mean += x[i] / (double) d;
    for (gsize i = 0; i < d; i++)
      variance += (x[i] - mean) * (x[i] - mean) / (double) d;
    for (gsize i = 0; i < d; i++)
      x[i] = (float) (gain[i] * (x[i] - mean) / sqrt(variance + 1e-5) + bias[i]);
  }
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
stream_before(const RegardInside *self)
{
  const mt_point point = {self->kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER,
                          (int) self->layer,
                          self->kind == MT_CROSS ? MT_SUB_LAYER_CROSS : MT_SUB_LAYER_SELF};
  return mt_stream_before(self->model, self->trace, point);
}

static gboolean
fill_read(RegardInside *self, mt_error *error)
{
  mt_matrix before = stream_before(self);
  const float *gain, *bias;
  if (!before.data)
    return fail(error, "The trace does not have the stream.");
  self->stream = row_of(before, self->query);
  self->stream_norm = norm_of(self->stream, self->d);
  self->read = copy_rows(before);
  if (mt_model_config(self->model)->normalize_before &&
      mt_model_norm(self->model, MT_NORM_ATTENTION, self->kind, self->layer, &gain, &bias))
    layer_norm(self->read, before.rows, self->d, gain, bias);
  if (self->kind != MT_CROSS) {
    self->read_keys = g_memdup2(self->read, before.rows * self->d * sizeof *self->read);
    return TRUE;
  }
  mt_matrix encoder = mt_trace_get(self->trace, MT_SITE_STACK_OUTPUT, MT_ENCODER_SELF, -1, -1);
  if (!encoder.data)
    return fail(error, "The trace does not have the encoder's output.");
  self->read_keys = copy_rows(encoder);
  return TRUE;
}

static gboolean
fill_tensors(RegardInside *self, mt_error *error)
{
  const struct {
    mt_site site;
    mt_matrix *to;
  } wanted[] = {
      {MT_SITE_QUERY, &self->q},         {MT_SITE_KEY, &self->k},
      {MT_SITE_VALUE, &self->v},         {MT_SITE_SCORES, &self->scores},
      {MT_SITE_WEIGHTS, &self->weights}, {MT_SITE_CONTEXT, &self->context},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++) {
    *wanted[i].to =
        mt_trace_get(self->trace, wanted[i].site, self->kind, (int) self->layer, (int) self->head);
    if (!wanted[i].to->data)
      return fail(error, "The trace does not have this head.");
  }
  self->output =
      mt_trace_get(self->trace, MT_SITE_ATTENTION_OUTPUT, self->kind, (int) self->layer, -1);
  if (!self->output.data)
    return fail(error, "The trace does not have what the layer adds.");
  self->rows = (guint) self->q.rows;
  self->cols = (guint) self->k.rows;
  self->d_head = (guint) self->q.cols;
  for (guint map = 0; map < MT_N_MAPS; map++) {
    self->w[map] =
        mt_model_head_map(self->model, self->kind, self->layer, self->head, (mt_map) map);
    self->b[map] =
        mt_model_head_bias(self->model, self->kind, self->layer, self->head, (mt_map) map);
  }
  return TRUE;
}

/* ---- Equation 1 ------------------------------------------------------------------------------ */

static void
fill_row(RegardInside *self)
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
    self->scaled[j] = self->product[j] / sqrt(self->d_head);
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
fill_spread(RegardInside *self)
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
fill_heads(RegardInside *self)
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
    mt_matrix context = mt_trace_get(self->trace, MT_SITE_CONTEXT, self->kind, layer, (int) h);
    mt_matrix w = mt_model_head_map(self->model, self->kind, self->layer, h, MT_MAP_OUTPUT);
    static const mt_site strips[] = {MT_SITE_QUERY, MT_SITE_KEY, MT_SITE_VALUE};
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
fill_names(RegardInside *self, const mt_changes *changes)
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
  self->title = g_strdup_printf("%s · layer %u · head %u", regard_kind_name(self->kind),
                                self->layer + 1, self->head + 1);
  if (mt_changes_count(changes) > 0)
    self->changes = regard_naming_joined(mt_changes_text(changes));
}

char *
regard_inside_part_name(const RegardInside *self, mt_part part, gboolean of_key)
{
  const guint token = of_key ? self->key : self->query;
  switch (part.type) {
  case MT_PART_TOKEN: {
    const gboolean of_source = self->kind == MT_ENCODER_SELF || (of_key && self->kind == MT_CROSS);
    g_autofree char *text = regard_token_display(of_source ? mt_trace_source(self->trace)
                                                           : mt_trace_decoder_input(self->trace),
                                                 token, !of_source && token == 0);
    return g_strdup_printf("token %s", text);
  }
  case MT_PART_POSITION:
    return g_strdup_printf("position %u", token);
  case MT_PART_HEAD:
    return regard_naming_head(part.kind, (guint) part.layer, (guint) part.head);
  case MT_PART_FEED_FORWARD:
    return g_strdup_printf("feed-forward %s %d",
                           part.kind == MT_ENCODER_SELF ? "encoder" : "decoder", part.layer + 1);
  default:
    return g_strdup("biases");
  }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static guint
largest_weight(const RegardInside *self)
{
  const float *weights = row_of(self->weights, self->query);
  guint best = 0;
  for (guint j = 1; j < self->cols; j++)
    if (weights[j] > weights[best])
      best = j;
  return best;
}

static gboolean
fill(RegardInside *self, guint query, int key, const mt_changes *changes, mt_error *error)
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
  fill_names(self, changes);
  return !self->allowed[self->key] ||
         mt_score_explain(self->model, self->trace, self->kind, self->layer, self->head,
                          self->query, self->key, &self->parts, error);
}

RegardInside *
regard_inside_new(mt_model *model, mt_trace *trace, mt_attention_kind kind, guint layer, guint head,
                  guint query, int key, const mt_changes *changes, mt_error *error)
{
  const mt_config *config = mt_model_config(model);
  RegardInside *self = g_new0(RegardInside, 1);
  g_atomic_ref_count_init(&self->ref_count);
  self->model = mt_model_ref(model);
  self->trace = mt_trace_ref(trace);
  self->kind = kind;
  self->layer = layer;
  self->head = head;
  self->d = (guint) config->d_model;
  self->n_heads =
      (guint) config->n_heads[kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER];
  if (fill(self, query, key, changes, error))
    return self;
  regard_inside_unref(self);
  return NULL;
}

RegardInside *
regard_inside_ref(RegardInside *self)
{
  g_atomic_ref_count_inc(&self->ref_count);
  return self;
}

void
regard_inside_unref(RegardInside *self)
{
  if (!self || !g_atomic_ref_count_dec(&self->ref_count))
    return;
  mt_score_parts_clear(&self->parts);
  mt_trace_unref(self->trace);
  mt_model_unref(self->model);
  g_strfreev(self->row_texts);
  g_strfreev(self->col_texts);
  g_free(self->title);
  g_free(self->changes);
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
  g_free(self);
}
