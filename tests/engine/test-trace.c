/* test-trace.c — the tensors of a trace fit together: each can be computed from those before it, in
 * every layout of norms and activations.
 *
 * What the hook points of the engine's first version hold is compared with transformers in
 * test-golden; here everything else is led back to those.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "golden.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"
#include "text/mt-tokens.h"

#include <glib.h>
#include <math.h>

#define TOLERANCE 2e-5 /* of the largest value of a tensor */

typedef struct {
  mt_model *model;
  mt_session *session;
  mt_trace *trace;
} fixture;

static mt_activation_requests
everything(void)
{
  mt_activation_requests requests = {0};
  for (int hook_point = 0; hook_point < MT_N_HOOK_POINTS; hook_point++)
    requests.requests[requests.n++] =
        (mt_activation_request){(mt_hook_point) hook_point, MT_ALL_KINDS, MT_ALL_LAYERS,
                                MT_ALL_HEADS};
  return requests;
}

static mt_matrix
get(const fixture *f, mt_hook_point hook_point, mt_attention_kind kind, int layer, int head)
{
  mt_matrix m = mt_trace_get(f->trace, hook_point, kind, layer, head);
  g_assert_nonnull(m.data);
  return m;
}

/* want [rows][cols], row by row, is what the trace has. */
static void
assert_near(mt_matrix found, const double *want)
{
  double largest = 1e-3;
  for (size_t i = 0; i < found.rows * found.cols; i++)
    largest = MAX(largest, fabs(want[i]));
  for (size_t r = 0; r < found.rows; r++)
    for (size_t c = 0; c < found.cols; c++)
      g_assert_cmpfloat_with_epsilon(mt_matrix_at(&found, r, c), want[r * found.cols + c],
                                     TOLERANCE * largest);
}

static double *
sum(mt_matrix a, mt_matrix b)
{
  double *out = g_new(double, a.rows *a.cols);
  for (size_t r = 0; r < a.rows; r++)
    for (size_t c = 0; c < a.cols; c++)
      out[r * a.cols + c] = (double) mt_matrix_at(&a, r, c) + mt_matrix_at(&b, r, c);
  return out;
}

static double *
copy(mt_matrix m)
{
  double *out = g_new(double, m.rows *m.cols);
  for (size_t i = 0; i < m.rows * m.cols; i++)
    out[i] = m.data[i];
  return out;
}

/* gain (x - mean) / sigma + bias, in double. */
static double *
layer_norm(const fixture *f, mt_matrix x, const mt_norm_weights *norm)
{
  double *out = copy(x);
  for (size_t r = 0; r < x.rows; r++) {
    double *row = out + r * x.cols, mean, sigma;
    sentences_measure(f->model, row, &mean, &sigma);
    for (size_t c = 0; c < x.cols; c++)
      row[c] = norm->gain[c] * (row[c] - mean) / sigma + (norm->bias ? norm->bias[c] : 0);
  }
  return out;
}

/* A sub-layer: what its norm read, and the stream after it, from the stream before it and what it
 * added. */
static void
check_sub_layer(const fixture *f, mt_matrix before, mt_matrix added, mt_matrix norm_input,
                mt_matrix after, const mt_norm_weights *norm)
{
  g_autofree double *added_up = sum(before, added);
  if (mt_model_config(f->model)->normalize_before) {
    g_autofree double *same = copy(before);
    assert_near(norm_input, same);
    assert_near(after, added_up);
  } else {
    g_autofree double *normed = layer_norm(f, norm_input, norm);
    assert_near(norm_input, added_up);
    assert_near(after, normed);
  }
}

/* Equation 1, head by head: scores = q k / sqrt(d_head), or the model's divisor, and what relative
 * positions add, where they are not masked, weights their
 * softmax, context = weights v. */
static void
check_head(const fixture *f, mt_attention_kind kind, int layer, int head)
{
  mt_matrix q = get(f, MT_HOOK_QUERY, kind, layer, head),
            k = get(f, MT_HOOK_KEY, kind, layer, head);
  mt_matrix v = get(f, MT_HOOK_VALUE, kind, layer, head);
  mt_matrix scores = get(f, MT_HOOK_SCORES, kind, layer, head);
  mt_matrix weights = get(f, MT_HOOK_WEIGHTS, kind, layer, head);
  mt_matrix context = get(f, MT_HOOK_CONTEXT, kind, layer, head);
  g_assert_cmpuint(scores.rows, ==, q.rows);
  g_assert_cmpuint(scores.cols, ==, k.rows);
  const mt_config *config = mt_model_config(f->model);
  const double divisor = config->score_divisor[mt_kind_stack(kind)];
  const bool has_bias = kind != MT_CROSS && config->position_kind == MT_POSITIONS_RELATIVE;
  mt_matrix bias = mt_trace_get(f->trace, MT_HOOK_SCORE_BIAS, kind, layer, head);
  g_assert_true((bias.data != NULL) == has_bias);
  g_autofree double *contexts = g_new0(double, context.rows *context.cols);
  for (size_t r = 0; r < q.rows; r++) {
    double partition = 0;
    for (size_t c = 0; c < k.rows; c++) {
      double score = 0;
      for (size_t i = 0; i < q.cols; i++)
        score += (double) mt_matrix_at(&q, r, i) * mt_matrix_at(&k, c, i) / divisor;
      const double added =
          mt_model_score_bias(f->model, kind, (size_t) layer, (size_t) head, (long) c - (long) r);
      score += added;
      if (kind == MT_DECODER_SELF && c > r) {
        g_assert_true(isinf(mt_matrix_at(&scores, r, c)));
        continue;
      }
      if (has_bias)
        g_assert_cmpfloat(mt_matrix_at(&bias, r, c), ==, added);
      g_assert_cmpfloat_with_epsilon(mt_matrix_at(&scores, r, c), score, 1e-4);
      partition += exp(mt_matrix_at(&scores, r, c));
    }
    for (size_t c = 0; c < k.rows; c++) {
      double weight = mt_matrix_at(&weights, r, c);
      g_assert_cmpfloat_with_epsilon(weight, exp(mt_matrix_at(&scores, r, c)) / partition, 1e-5);
      for (size_t i = 0; i < v.cols; i++)
        contexts[r * context.cols + i] += weight * mt_matrix_at(&v, c, i);
    }
  }
  assert_near(context, contexts);
}

/* W x + b [x.rows][W.rows], in double. */
static double *
map(mt_matrix x, mt_matrix w, const float *bias)
{
  double *out = g_new(double, x.rows *w.rows);
  for (size_t r = 0; r < x.rows; r++)
    for (size_t o = 0; o < w.rows; o++) {
      double value = bias ? bias[o] : 0;
      for (size_t i = 0; i < x.cols; i++)
        value += (double) mt_matrix_at(&x, r, i) * mt_matrix_at(&w, o, i);
      out[r * w.rows + o] = value;
    }
  return out;
}

/* Queries, keys and values are maps of what the sub-layer reads, input (data NULL: that is not at
 * hand); keys and values of cross-attention of the encoder's output. */
static void
check_inputs(const fixture *f, mt_attention_kind kind, int layer, int head, mt_matrix input)
{
  static const mt_hook_point hook_points[] = {MT_HOOK_QUERY, MT_HOOK_KEY, MT_HOOK_VALUE};
  for (mt_map which = MT_MAP_QUERY; which <= MT_MAP_VALUE; which++) {
    bool is_other = kind == MT_CROSS && which != MT_MAP_QUERY;
    mt_matrix x = is_other ? get(f, MT_HOOK_STACK_OUTPUT, MT_ENCODER_SELF, -1, -1) : input;
    if (!x.data)
      continue;
    g_autofree double *want = map(x, mt_model_head_map(f->model, kind, layer, head, which),
                                  mt_model_head_bias(f->model, kind, layer, head, which));
    assert_near(get(f, hook_points[which], kind, layer, head), want);
  }
}

/* What the heads add, each through its columns of W_O, and the bias are the sub-layer's output. */
static void
check_output(const fixture *f, mt_attention_kind kind, int layer, size_t n_heads)
{
  mt_matrix out = get(f, MT_HOOK_ATTENTION_OUTPUT, kind, layer, -1);
  const float *bias = mt_model_head_bias(f->model, kind, layer, 0, MT_MAP_OUTPUT);
  g_autofree double *all = g_new(double, out.rows *out.cols);
  for (size_t i = 0; i < out.rows * out.cols; i++)
    all[i] = bias ? bias[i % out.cols] : 0;
  for (int h = 0; h < (int) n_heads; h++) {
    g_autofree double *part = map(get(f, MT_HOOK_CONTEXT, kind, layer, h),
                                  mt_model_head_map(f->model, kind, layer, h, MT_MAP_OUTPUT), NULL);
    for (size_t i = 0; i < out.rows * out.cols; i++)
      all[i] += part[i];
  }
  assert_near(out, all);
}

/* The network's first map, of input (data NULL: not at hand), makes its hidden activations, the
 * second its output of these. */
static void
check_feed_forward(const fixture *f, mt_stack stack, mt_attention_kind kind, int layer,
                   mt_matrix input)
{
  const float *bias;
  mt_matrix hidden = get(f, MT_HOOK_HIDDEN, kind, layer, -1);
  mt_matrix in = mt_model_feed_forward_map(f->model, stack, (size_t) layer, MT_MAP_HIDDEN, &bias);
  g_assert_cmpuint(hidden.cols, ==, in.rows);
  if (mt_model_config(f->model)->activation == MT_ACTIVATION_RELU && input.data) {
    g_autofree double *want = map(input, in, bias);
    for (size_t i = 0; i < hidden.rows * hidden.cols; i++)
      want[i] = MAX(want[i], 0);
    assert_near(hidden, want);
  }
  mt_matrix out = mt_model_feed_forward_map(f->model, stack, (size_t) layer, MT_MAP_BACK, &bias);
  g_autofree double *want = map(hidden, out, bias);
  assert_near(get(f, MT_HOOK_FEED_FORWARD, kind, layer, -1), want);
  mt_matrix gate = mt_model_feed_forward_map(f->model, stack, (size_t) layer, MT_MAP_GATE, &bias);
  mt_matrix shown = mt_trace_get(f->trace, MT_HOOK_GATE, kind, layer, -1);
  g_assert_true((gate.data != NULL) == (shown.data != NULL));
  if (gate.data)
    return;
  double least = 0;
  for (size_t i = 0; i < hidden.rows * hidden.cols; i++)
    least = MIN(least, hidden.data[i]);
  if (mt_model_config(f->model)->activation == MT_ACTIVATION_RELU)
    g_assert_cmpfloat(least, ==, 0);
  else
    g_assert_cmpfloat(least, >, -0.3); /* the lowest that GELU and Swish go */
}

/* A gated network behind its norm: hidden = f(W x + b) (G x + g), f GELU by way of tanh. */
static void
check_gated(const fixture *f, mt_stack stack, mt_attention_kind kind, int layer, mt_matrix stream,
            const mt_norm_weights *norm)
{
  const float *bias, *gate_bias;
  const size_t l = (size_t) layer;
  g_assert_true(mt_model_config(f->model)->normalize_before);
  g_autofree double *normed = layer_norm(f, stream, norm);
  g_autofree float *input = g_new(float, stream.rows *stream.cols);
  for (size_t i = 0; i < stream.rows * stream.cols; i++)
    input[i] = (float) normed[i];
  const mt_matrix x = {input, stream.rows, stream.cols, stream.cols};
  mt_matrix in = mt_model_feed_forward_map(f->model, stack, l, MT_MAP_HIDDEN, &bias);
  mt_matrix gate = mt_model_feed_forward_map(f->model, stack, l, MT_MAP_GATE, &gate_bias);
  g_autofree double *z = map(x, in, bias), *g = map(x, gate, gate_bias);
  assert_near(get(f, MT_HOOK_GATE, kind, layer, -1), g);
  for (size_t i = 0; i < x.rows * in.rows; i++)
    z[i] *= g[i] * (1 + tanh(sqrt(2 / G_PI) * (z[i] + 0.044715 * pow(z[i], 3)))) / 2;
  assert_near(get(f, MT_HOOK_HIDDEN, kind, layer, -1), z);
}

static void
check_stack(const fixture *f, mt_stack stack)
{
  const mt_config *config = mt_model_config(f->model);
  const mt_stack_weights *weights = &f->model->stacks[stack];
  const mt_attention_kind own = stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF;
  mt_matrix stream = get(f, MT_HOOK_STREAM, own, -1, -1);
  mt_matrix token = get(f, MT_HOOK_EMBEDDING, own, -1, -1);
  const bool is_added = config->position_kind != MT_POSITIONS_RELATIVE;
  g_autofree double *embedded =
      is_added ? sum(token, get(f, MT_HOOK_POSITION, own, -1, -1)) : copy(token);
  if (!weights->embedding_norm.gain)
    assert_near(stream, embedded);
  for (int l = 0; l < (int) config->n_layers[stack]; l++) {
    const mt_layer_weights *layer = &weights->layers[l];
    for (int cross = 0; cross <= (stack == MT_STACK_DECODER); cross++) {
      mt_attention_kind kind = cross ? MT_CROSS : own;
      for (int h = 0; h < (int) config->n_heads[stack]; h++) {
        check_head(f, kind, l, h);
        check_inputs(f, kind, l, h, config->normalize_before ? (mt_matrix){0} : stream);
      }
      check_output(f, kind, l, config->n_heads[stack]);
      mt_matrix after = get(f, MT_HOOK_RESIDUAL, kind, l, -1);
      check_sub_layer(f, stream, get(f, MT_HOOK_ATTENTION_OUTPUT, kind, l, -1),
                      get(f, MT_HOOK_NORM_INPUT, kind, l, -1), after,
                      cross ? &layer->cross_norm : &layer->self_norm);
      stream = after;
    }
    check_feed_forward(f, stack, own, l, config->normalize_before ? (mt_matrix){0} : stream);
    if (config->feed_forward_kind == MT_FEED_FORWARD_GATED)
      check_gated(f, stack, own, l, stream, &layer->ffn_norm);
    mt_matrix after = get(f, MT_HOOK_LAYER_OUTPUT, own, l, -1);
    check_sub_layer(f, stream, get(f, MT_HOOK_FEED_FORWARD, own, l, -1),
                    get(f, MT_HOOK_FEED_FORWARD_NORM_INPUT, own, l, -1), after, &layer->ffn_norm);
    stream = after;
  }
  g_autofree double *last =
      weights->final_norm.gain ? layer_norm(f, stream, &weights->final_norm) : copy(stream);
  assert_near(get(f, MT_HOOK_STACK_OUTPUT, own, -1, -1), last);
}

/* Weights of the whole model: an embedding row is what is looked up, the output map makes logits.
 * Norms are there or not as the layers have them. */
static void
check_ends(const fixture *f)
{
  const mt_config *config = mt_model_config(f->model);
  const float *bias, *gain;
  double scale = config->scale_embedding ? sqrt((double) config->d_model) : 1;
  mt_matrix table = mt_model_embedding(f->model, MT_STACK_ENCODER);
  mt_matrix embedding = get(f, MT_HOOK_EMBEDDING, MT_ENCODER_SELF, -1, -1);
  const int32_t *ids = mt_tokens_ids(mt_trace_source(f->trace));
  g_autofree double *looked_up = g_new(double, embedding.rows *embedding.cols);
  for (size_t r = 0; r < embedding.rows; r++)
    for (size_t c = 0; c < embedding.cols; c++)
      looked_up[r * embedding.cols + c] = scale * mt_matrix_at(&table, (size_t) ids[r], c);
  assert_near(embedding, looked_up);
  mt_matrix out = mt_model_output_map(f->model, &bias);
  g_autofree double *logits = map(get(f, MT_HOOK_STACK_OUTPUT, MT_DECODER_SELF, -1, -1), out, NULL);
  mt_matrix found = get(f, MT_HOOK_LOGITS, MT_DECODER_SELF, -1, -1);
  for (size_t i = 0; i < found.rows * found.cols; i++)
    logits[i] = config->output_scale * logits[i] + (bias ? bias[i % found.cols] : 0);
  assert_near(found, logits);

  g_assert_true(mt_model_norm(f->model, MT_NORM_ATTENTION, MT_CROSS, 0, &gain, &bias));
  g_assert_true(gain == f->model->stacks[MT_STACK_DECODER].layers[0].cross_norm.gain);
  g_assert_true(mt_model_norm(f->model, MT_NORM_FEED_FORWARD, MT_ENCODER_SELF, 0, &gain, &bias));
  g_assert_true(bias == f->model->stacks[MT_STACK_ENCODER].layers[0].ffn_norm.bias);
  g_assert_cmpint(mt_model_norm(f->model, MT_NORM_FINAL, MT_DECODER_SELF, 0, &gain, &bias), ==,
                  f->model->stacks[MT_STACK_DECODER].final_norm.gain != NULL);
}

/* What was said before is what is there. */
static void
check_bytes(const fixture *f, const mt_activation_requests *requests)
{
  size_t n = 0;
  for (size_t i = 0; i < mt_trace_count(f->trace); i++) {
    mt_trace_tensor t = mt_trace_at(f->trace, i);
    mt_matrix same = mt_trace_get(f->trace, t.hook_point, t.kind, t.layer, t.head);
    g_assert_true(same.data == t.values.data);
    n += t.values.rows * t.values.cols * sizeof(float);
  }
  g_assert_cmpuint(mt_trace_bytes(f->model, mt_tokens_count(mt_trace_source(f->trace)),
                                  mt_tokens_count(mt_trace_output(f->trace)), requests),
                   ==, n);
}

static void
test_model(gconstpointer name)
{
  mt_error error = {0};
  mt_activation_requests requests = everything();
  const mt_hooks hooks = {.requests = &requests};
  fixture f = {.model = sentences_model(name)};
  f.session = sentences_session(f.model, 0, false);
  mt_search_params params = mt_search_params_default(f.model);
  params.max_length = MIN(params.max_length, 12);
  mt_translation *t =
      mt_session_translate(f.session, "I have two dogs, and no time.", &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  f.trace = mt_trace_new(f.model, t, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  check_stack(&f, MT_STACK_ENCODER);
  check_stack(&f, MT_STACK_DECODER);
  check_ends(&f);
  check_bytes(&f, &requests);
  for (int hook_point = 0; hook_point < MT_N_HOOK_POINTS; hook_point++) {
    mt_activation_requests one = {.n = 1,
                                  .requests = {{(mt_hook_point) hook_point, MT_KIND_BIT(MT_CROSS),
                                                0x1, 0x2}}};
    const mt_hooks few = {.requests = &one};
    mt_trace *all = f.trace;
    f.trace = mt_trace_new(f.model, t, 0, &few, &error);
    check_bytes(&f, &one);
    mt_trace_unref(f.trace);
    f.trace = all;
    for (int other = 0; other < hook_point; other++)
      g_assert_cmpstr(mt_hook_point_name((mt_hook_point) hook_point), !=,
                      mt_hook_point_name((mt_hook_point) other));
  }
  mt_trace_unref(f.trace);
  mt_translation_unref(t);
  mt_session_free(f.session);
  mt_model_unref(f.model);
}

TESTS()
{
  sentences_test_models("/trace", test_model);
}
