/* test-operators.c — every operator's derivative against finite differences, in double, with odd
 * shapes, in every instruction set that runs here.
 *
 * The loss is a sum of the outputs with random weights.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "small-network.h"
#include "suite.h"
#include "train/mt-operators.h"
#include "train/mt-product.h"

#include <math.h>
#include <string.h>

#define STEP      1e-5
#define TOLERANCE 1e-4

/* ---- Numbers and their gradients --------------------------------------------------------------
 */

enum { MAX_INPUTS = 6 };

typedef struct {
  const mt_operators *operators;
  uint32_t state;
  GPtrArray *memory;
  struct {
    const char *name;
    mt_real *value;
    const mt_real *gradient;
    size_t n;
  } inputs[MAX_INPUTS];
  size_t n_inputs;
} check;

static mt_real *
numbers(check *c, size_t n, double size)
{
  mt_real *x = g_new(mt_real, n + 1);
  for (size_t i = 0; i < n; i++)
    x[i] = size * small_random(&c->state);
  g_ptr_array_add(c->memory, x);
  return x;
}

static mt_real *
input(check *c, const char *name, size_t n, const mt_real *gradient)
{
  mt_real *x = numbers(c, n, 1);
  c->inputs[c->n_inputs].name = name;
  c->inputs[c->n_inputs].value = x;
  c->inputs[c->n_inputs].gradient = gradient;
  c->inputs[c->n_inputs++].n = n;
  return x;
}

static double
weighted(const mt_real *x, const mt_real *weights, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += x[i] * weights[i];
  return sum;
}

/* Every number of every input. */
static void
compare(check *c, double (*loss)(void *user), void *user)
{
  for (size_t i = 0; i < c->n_inputs; i++)
    for (size_t k = 0; k < c->inputs[i].n; k++) {
      mt_real *x = &c->inputs[i].value[k], kept = *x;
      *x = kept + STEP;
      double above = loss(user);
      *x = kept - STEP;
      double below = loss(user);
      *x = kept;
      double expected = (above - below) / (2 * STEP), found = c->inputs[i].gradient[k];
      double size = fmax(fmax(fabs(expected), fabs(found)), 1e-3);
      if (!(fabs(expected - found) < TOLERANCE * size))
        g_error("%s, %s[%zu]: expected %.10g, found %.10g", c->operators->name, c->inputs[i].name,
                k, expected, found);
    }
}

static check
begin(const mt_operators *operators)
{
  return (check){
      .operators = operators,
      .state = 11,
      .memory = g_ptr_array_new_with_free_func(g_free),
  };
}

static void
end(check *c)
{
  g_ptr_array_unref(c->memory);
}

static mt_dropout
dropout_of(double p)
{
  return mt_dropout_new(p, 1, 2, 3);
}

/* ---- Embedding --------------------------------------------------------------------------------
 */

enum { E_ROWS = 9, E_D = 13, E_WORDS = 4, E_POSITIONS = 5 };

typedef struct {
  const mt_operators *operators;
  mt_embedding_pair pair;
  mt_real *weights;
} embedding_case;

static double
embedding_loss(void *user)
{
  embedding_case *e = user;
  e->operators->embedding_forward(&e->pair, 0, 4);
  e->operators->embedding_forward(&e->pair, 4, E_ROWS);
  return weighted(e->pair.x, e->weights, E_ROWS * E_D);
}

static void
test_embedding(gconstpointer data)
{
  static const int32_t ids[E_ROWS] = {0, 1, 1, 3, 0, 2, 3, 3, 1};
  static const uint32_t positions[E_ROWS] = {0, 1, 2, 3, 4, 0, 0, 1, 2};
  for (int drops = 0; drops < 2; drops++) {
    check c = begin(data);
    embedding_case e = {.operators = data, .weights = numbers(&c, E_ROWS * E_D, 1)};
    mt_real *d_embedding = numbers(&c, E_WORDS * E_D, 0),
            *d_table = numbers(&c, E_POSITIONS * E_D, 0);
    e.pair = (mt_embedding_pair){
        .d = E_D,
        .scale = 1.7,
        .ids = ids,
        .positions = positions,
        .embedding = input(&c, "embedding", E_WORDS * E_D, d_embedding),
        .table = input(&c, "positions", E_POSITIONS * E_D, d_table),
        .dropout = dropout_of(drops * 0.3),
        .x = numbers(&c, E_ROWS * E_D, 0),
        .d_x = g_memdup2(e.weights, E_ROWS * E_D * sizeof(mt_real)),
        .d_embedding = d_embedding,
        .d_table = d_table,
    };
    e.operators->embedding_backward(&e.pair, E_ROWS, 0, 7);
    e.operators->embedding_backward(&e.pair, E_ROWS, 7, E_D);
    compare(&c, embedding_loss, &e);
    g_free(e.pair.d_x);
    end(&c);
  }
}

/* ---- Add & norm -------------------------------------------------------------------------------
 */

enum { N_ROWS = 5, N_D = 19, N_ALL = N_ROWS * N_D };

typedef struct {
  const mt_operators *operators;
  mt_add_norm_pair pair;
  const mt_real *f; /* pair.f is overwritten */
  mt_real *weights, *stream_weights;
} add_norm_case;

static double
add_norm_loss(void *user)
{
  add_norm_case *a = user;
  if (a->f)
    memcpy(a->pair.f, a->f, N_ALL * sizeof(mt_real));
  a->operators->add_norm_forward(&a->pair, 0, 2);
  a->operators->add_norm_forward(&a->pair, 2, N_ROWS);
  double loss = weighted(a->pair.y, a->weights, N_ALL);
  return a->pair.s ? loss + weighted(a->pair.s, a->stream_weights, N_ALL) : loss;
}

/* has_f: a sub-layer's result is added. is_pre: the sum goes on beside its norm. */
static void
check_add_norm(const mt_operators *operators, bool has_f, bool is_pre, double p)
{
  check c = begin(operators);
  mt_real *d_s = numbers(&c, N_ALL, 0), *d_f = numbers(&c, N_ALL, 0), sums[2][3 * N_D];
  mt_real *d_gain = numbers(&c, N_D, 0), *d_shift = numbers(&c, N_D, 0);
  mt_real *d_bias = numbers(&c, N_D, 0), *normed = numbers(&c, N_ALL, 0);
  add_norm_case a = {.operators = operators,
                     .weights = numbers(&c, N_ALL, 1),
                     .stream_weights = numbers(&c, N_ALL, 1)};
  a.pair = (mt_add_norm_pair){
      .d = N_D,
      .x = input(&c, "x", N_ALL, d_s),
      .factor = 0.6,
      .dropout = dropout_of(p),
      .s = is_pre ? numbers(&c, N_ALL, 0) : NULL,
      .gain = input(&c, "gain", N_D, d_gain),
      .shift = input(&c, "shift", N_D, d_shift),
      .normed = normed,
      .inverse = numbers(&c, N_ROWS, 0),
      .y = numbers(&c, N_ALL, 0),
      .d_y = a.weights,
      .d_s = d_s,
      .adds = is_pre,
  };
  if (has_f) {
    a.f = input(&c, "f", N_ALL, d_f);
    a.pair.bias = input(&c, "bias", N_D, d_bias);
    a.pair.f = normed;
    a.pair.d_f = d_f;
  }
  add_norm_loss(&a);
  if (is_pre)
    memcpy(d_s, a.stream_weights, N_ALL * sizeof *d_s);
  operators->add_norm_backward(&a.pair, 0, 3, sums[0]);
  operators->add_norm_backward(&a.pair, 3, N_ROWS, sums[1]);
  for (size_t i = 0; i < N_D; i++) {
    d_gain[i] = sums[0][MT_SUM_GAIN * N_D + i] + sums[1][MT_SUM_GAIN * N_D + i];
    d_shift[i] = sums[0][MT_SUM_SHIFT * N_D + i] + sums[1][MT_SUM_SHIFT * N_D + i];
    d_bias[i] = sums[0][MT_SUM_BIAS * N_D + i] + sums[1][MT_SUM_BIAS * N_D + i];
  }
  compare(&c, add_norm_loss, &a);
  end(&c);
}

static void
test_add_norm(gconstpointer data)
{
  check_add_norm(data, true, false, 0);
  check_add_norm(data, true, false, 0.4);
  check_add_norm(data, true, true, 0.4);
  check_add_norm(data, false, false, 0);
}

/* ---- Activation -------------------------------------------------------------------------------
 */

enum { A_ROWS = 4, A_N = 21, A_ALL = A_ROWS * A_N };

typedef struct {
  const mt_operators *operators;
  mt_activation_pair pair;
  const mt_real *z;
  mt_real *weights;
} activation_case;

static double
activation_loss(void *user)
{
  activation_case *a = user;
  memcpy(a->pair.z, a->z, A_ALL * sizeof(mt_real));
  a->operators->activation_forward(&a->pair, 0, 1);
  a->operators->activation_forward(&a->pair, 1, A_ROWS);
  return weighted(a->pair.h, a->weights, A_ALL);
}

static void
check_activation(const mt_operators *operators, mt_activation activation, double p)
{
  check c = begin(operators);
  mt_real *d_h = numbers(&c, A_ALL, 0), *d_bias = numbers(&c, A_N, 0), sums[2][A_N];
  activation_case a = {.operators = operators, .weights = numbers(&c, A_ALL, 1)};
  a.z = input(&c, "z", A_ALL, d_h);
  a.pair = (mt_activation_pair){
      .n = A_N,
      .activation = activation,
      .bias = input(&c, "bias", A_N, d_bias),
      .dropout = dropout_of(p),
      .z = numbers(&c, A_ALL, 0),
      .d_h = d_h,
  };
  a.pair.h = activation == MT_ACTIVATION_RELU ? a.pair.z : numbers(&c, A_ALL, 0);
  activation_loss(&a);
  memcpy(d_h, a.weights, A_ALL * sizeof *d_h);
  operators->activation_backward(&a.pair, 0, 3, sums[0]);
  operators->activation_backward(&a.pair, 3, A_ROWS, sums[1]);
  for (size_t i = 0; i < A_N; i++)
    d_bias[i] = sums[0][i] + sums[1][i];
  compare(&c, activation_loss, &a);
  end(&c);
}

static void
test_activation(gconstpointer data)
{
  for (int activation = MT_ACTIVATION_RELU; activation <= MT_ACTIVATION_GELU; activation++) {
    check_activation(data, activation, 0);
    check_activation(data, activation, 0.3);
  }
}

/* ---- Attention --------------------------------------------------------------------------------
 */

/* The second sentence is longer than what is worked on at a time, and there is one of one token. */
static const uint32_t query_begin[] = {0, 3, 45, 46, 52}, key_begin[] = {0, 7, 16, 17, 57};
enum { SENTENCES = 4, QUERIES = 52, KEYS = 57 };

typedef struct {
  const mt_operators *operators;
  mt_attention_pair pair;
  mt_real *weights, *scratch;
} attention_case;

static double
attention_loss(void *user)
{
  attention_case *a = user;
  size_t n = SENTENCES * a->pair.n_heads;
  a->operators->attention_forward(&a->pair, 0, 3, a->scratch);
  a->operators->attention_forward(&a->pair, 3, n, a->scratch);
  return weighted(a->pair.context, a->weights, QUERIES * a->pair.n_heads * a->pair.d_head);
}

static void
check_attention(const mt_operators *operators, size_t n_heads, size_t d_head, bool crosses,
                bool causal, size_t window)
{
  check c = begin(operators);
  size_t d = n_heads * d_head, n_keys = crosses ? KEYS : QUERIES, n = QUERIES * d;
  mt_real *d_q = numbers(&c, n, 1), *d_kv = numbers(&c, n_keys * 2 * d, 1);
  attention_case a = {.operators = operators,
                      .weights = numbers(&c, n, 1),
                      .scratch = numbers(&c, MT_ATTENTION_SCRATCH(d_head, 42), 1)};
  mt_real *q = input(&c, "q", n, d_q), *kv = input(&c, "kv", n_keys * 2 * d, d_kv);
  a.pair = (mt_attention_pair){
      .n_heads = n_heads,
      .d_head = d_head,
      .query_begin = query_begin,
      .key_begin = crosses ? key_begin : query_begin,
      .causal = causal,
      .window = window,
      .q = q,
      .k = kv,
      .v = kv + d,
      .q_stride = d,
      .kv_stride = 2 * d,
      .context = numbers(&c, n, 1),
      .log_sum = numbers(&c, QUERIES * n_heads, 1),
      .n_queries = QUERIES,
      .d_context = a.weights,
      .d_q = d_q,
      .d_k = d_kv,
      .d_v = d_kv + d,
  };
  attention_loss(&a);
  operators->attention_backward(&a.pair, 0, 2, a.scratch);
  operators->attention_backward(&a.pair, 2, SENTENCES * n_heads, a.scratch);
  compare(&c, attention_loss, &a);
  end(&c);
}

static void
test_attention(gconstpointer data)
{
  check_attention(data, 2, 5, true, false, 0);
  check_attention(data, 1, 16, false, false, 0);
  check_attention(data, 2, 3, false, true, 0);
  check_attention(data, 1, 4, false, false, 2);
  check_attention(data, 1, 1, false, true, 9);
}

/* ---- Softmax and loss --------------------------------------------------------------------------
 */

enum { S_ROWS = 5, S_WORDS = 37, S_ALL = S_ROWS * S_WORDS };

typedef struct {
  const mt_operators *operators;
  mt_softmax_pair pair;
  const mt_real *logits;
} softmax_case;

static double
softmax_loss(void *user)
{
  softmax_case *s = user;
  double loss = 0;
  memcpy(s->pair.logits, s->logits, S_ALL * sizeof(mt_real));
  s->operators->softmax(&s->pair, 0, S_ROWS);
  for (size_t r = 0; r < S_ROWS; r++)
    loss += s->pair.loss[r];
  return loss;
}

static void
test_softmax(gconstpointer data)
{
  static const int32_t answers[S_ROWS] = {0, 36, 5, 5, 12};
  for (int i = 0; i < 2; i++) {
    check c = begin(data);
    double loss[S_ROWS], nll[S_ROWS];
    mt_real *d_logits = numbers(&c, S_ALL, 0), *d_bias = numbers(&c, S_WORDS, 0);
    softmax_case s = {.operators = data, .logits = input(&c, "logits", S_ALL, d_logits)};
    s.pair = (mt_softmax_pair){
        .n = S_WORDS,
        .smoothing = i * 0.1,
        .bias = input(&c, "bias", S_WORDS, d_bias),
        .answer = answers,
        .logits = numbers(&c, S_ALL, 0),
        .wants_gradient = true,
        .loss = loss,
        .nll = nll,
    };
    softmax_loss(&s);
    memcpy(d_logits, s.pair.logits, S_ALL * sizeof *d_logits);
    s.operators->add_columns(d_bias, d_logits, S_WORDS, S_ROWS, 0, 20);
    s.operators->add_columns(d_bias, d_logits, S_WORDS, S_ROWS, 20, S_WORDS);
    compare(&c, softmax_loss, &s);
    if (i == 0)
      for (size_t r = 0; r < S_ROWS; r++)
        g_assert_cmpfloat_with_epsilon(nll[r], loss[r], 1e-12);
    end(&c);
  }
}

/* ---- R-Drop ------------------------------------------------------------------------------------
 */

typedef struct {
  const mt_operators *operators;
  mt_r_drop_pair pair;
  const mt_real *logits[2];
} r_drop_case;

static double
r_drop_loss(void *user)
{
  r_drop_case *s = user;
  double loss = 0;
  for (int k = 0; k < 2; k++)
    memcpy(s->pair.passes[k].logits, s->logits[k], S_ALL * sizeof(mt_real));
  s->operators->r_drop(&s->pair, 0, 2);
  s->operators->r_drop(&s->pair, 2, S_ROWS);
  for (size_t r = 0; r < S_ROWS; r++)
    loss += s->pair.passes[0].loss[r] + s->pair.passes[1].loss[r];
  return loss;
}

/* ln p of one word. */
static double
log_probability(const mt_real *logits, const mt_real *bias, size_t word)
{
  double sum = 0;
  for (size_t i = 0; i < S_WORDS; i++)
    sum += exp(logits[i] + bias[i]);
  return logits[word] + bias[word] - log(sum);
}

/* The formula of the paper, KL(p, q) = sum p ln (p / q), both ways and over all rows. */
static double
divergence(const r_drop_case *s)
{
  double sum = 0;
  for (size_t r = 0; r < S_ROWS; r++)
    for (size_t i = 0; i < S_WORDS; i++) {
      const mt_real *bias = s->pair.passes[0].bias;
      double ln_p = log_probability(s->logits[0] + r * S_WORDS, bias, i);
      double ln_q = log_probability(s->logits[1] + r * S_WORDS, bias, i);
      sum += exp(ln_p) * (ln_p - ln_q) + exp(ln_q) * (ln_q - ln_p);
    }
  return sum;
}

static void
test_r_drop(gconstpointer data)
{
  static const int32_t answers[S_ROWS] = {0, 36, 5, 5, 12};
  check c = begin(data);
  double loss[2][S_ROWS], nll[2][S_ROWS], plain = 0;
  mt_real *d_logits[2], *d_bias = numbers(&c, S_WORDS, 0);
  const mt_real *bias = input(&c, "bias", S_WORDS, d_bias);
  r_drop_case s = {.operators = data, .pair = {.alpha = 5}};
  for (int k = 0; k < 2; k++) {
    d_logits[k] = numbers(&c, S_ALL, 0);
    s.logits[k] = input(&c, k ? "second logits" : "first logits", S_ALL, d_logits[k]);
    s.pair.passes[k] = (mt_softmax_pair){
        .n = S_WORDS,
        .smoothing = 0.1,
        .bias = bias,
        .answer = answers,
        .logits = numbers(&c, S_ALL, 0),
        .wants_gradient = true,
        .loss = loss[k],
        .nll = nll[k],
    };
    memcpy(s.pair.passes[k].logits, s.logits[k], S_ALL * sizeof(mt_real));
    s.operators->softmax(&s.pair.passes[k], 0, S_ROWS);
    for (size_t r = 0; r < S_ROWS; r++)
      plain += loss[k][r];
  }
  double both = r_drop_loss(&s);
  g_assert_cmpfloat_with_epsilon(both, plain + 2.5 * divergence(&s), 1e-9);
  for (int k = 0; k < 2; k++) {
    memcpy(d_logits[k], s.pair.passes[k].logits, S_ALL * sizeof *d_logits[k]);
    s.operators->add_columns(d_bias, d_logits[k], S_WORDS, S_ROWS, 0, S_WORDS);
    for (size_t r = 0; r < S_ROWS; r++)
      g_assert_cmpfloat_with_epsilon(
          nll[k][r], -log_probability(s.logits[k] + r * S_WORDS, bias, (size_t) answers[r]), 1e-9);
  }
  compare(&c, r_drop_loss, &s);

  /* Two passes that say the same are two passes. */
  s.logits[1] = s.logits[0];
  double same = r_drop_loss(&s), one = 0;
  memcpy(s.pair.passes[0].logits, s.logits[0], S_ALL * sizeof(mt_real));
  s.operators->softmax(&s.pair.passes[0], 0, S_ROWS);
  for (size_t r = 0; r < S_ROWS; r++)
    one += loss[0][r];
  g_assert_cmpfloat_with_epsilon(same, 2 * one, 1e-9);
  end(&c);
}

/* ---- Linear ------------------------------------------------------------------------------------
 */

enum { L_ROWS = 37, L_IN = 7, L_OUT = 5 };

typedef struct {
  const mt_operators *operators;
  mt_products products;
  const mt_real *x, *w, *b;
  mt_real *y, *weights;
} linear_case;

static double
linear_loss(void *user)
{
  linear_case *l = user;
  mt_product(&l->products, l->y, L_OUT, (mt_factor){l->x, L_IN, false},
             (mt_factor){l->w, L_IN, true}, L_ROWS, L_OUT, L_IN, false);
  l->operators->add_bias(l->y, L_OUT, l->b, L_OUT, 0, L_ROWS);
  return weighted(l->y, l->weights, L_ROWS * L_OUT);
}

static void
test_linear(gconstpointer data)
{
  check c = begin(data);
  mt_real *d_x = numbers(&c, L_ROWS * L_IN, 0), *d_w = numbers(&c, L_OUT * L_IN, 0);
  mt_real *d_b = numbers(&c, L_OUT, 0);
  linear_case l = {
      .operators = data,
      .products = {data, mt_pool_new(2), numbers(&c, 64 * 64, 1)},
      .x = input(&c, "x", L_ROWS * L_IN, d_x),
      .w = input(&c, "w", L_OUT * L_IN, d_w),
      .b = input(&c, "b", L_OUT, d_b),
      .y = numbers(&c, L_ROWS * L_OUT, 0),
      .weights = numbers(&c, L_ROWS * L_OUT, 1),
  };
  mt_product(&l.products, d_x, L_IN, (mt_factor){l.weights, L_OUT, false},
             (mt_factor){l.w, L_IN, false}, L_ROWS, L_IN, L_OUT, false);
  mt_product(&l.products, d_w, L_IN, (mt_factor){l.weights, L_OUT, true},
             (mt_factor){l.x, L_IN, false}, L_OUT, L_IN, L_ROWS, true);
  l.operators->add_columns(d_b, l.weights, L_OUT, L_ROWS, 0, L_OUT);
  compare(&c, linear_loss, &l);
  mt_pool_free(l.products.pool);
  end(&c);
}

/* ---- Large products -----------------------------------------------------------------------------
 */

/* Rows, columns and depths around the widths of tiles, panels and blocks. */
static void
test_product(gconstpointer data)
{
  static const size_t shapes[][3] = {{1, 1, 1},    {5, 31, 3},     {6, 32, 256},  {7, 33, 257},
                                     {97, 16, 16}, {193, 70, 300}, {100, 5, 513}, {24, 129, 40}};
  for (size_t s = 0; s < G_N_ELEMENTS(shapes); s++)
    for (int how = 0; how < 8; how++) {
      size_t rows = shapes[s][0], cols = shapes[s][1], depth = shapes[s][2];
      bool a_transposed = how & 1, b_transposed = how & 2, adds = how & 4;
      check c = begin(data);
      mt_products products = {data, mt_pool_new(2), numbers(&c, (cols + MT_PANELS_PAD) * depth, 1)};
      size_t stride = cols + 3, a_stride = (a_transposed ? rows : depth) + 2;
      size_t b_stride = (b_transposed ? depth : cols) + 1;
      const mt_real *a = numbers(&c, a_stride * (a_transposed ? depth : rows), 1);
      const mt_real *b = numbers(&c, b_stride * (b_transposed ? cols : depth), 1);
      mt_real *y = numbers(&c, stride * rows, 1);
      mt_real *before = g_memdup2(y, stride * rows * sizeof *y);
      mt_product(&products, y, stride, (mt_factor){a, a_stride, a_transposed},
                 (mt_factor){b, b_stride, b_transposed}, rows, cols, depth, adds);
      for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < stride; j++) {
          double expected = j < cols && !adds ? 0 : before[i * stride + j];
          for (size_t l = 0; j < cols && l < depth; l++)
            expected += a[a_transposed ? l * a_stride + i : i * a_stride + l] *
                        b[b_transposed ? j * b_stride + l : l * b_stride + j];
          g_assert_cmpfloat_with_epsilon(y[i * stride + j], expected, 1e-12 * (double) depth);
        }
      g_free(before);
      mt_pool_free(products.pool);
      end(&c);
    }
}

TESTS()
{
  static const struct {
    const char *name;
    GTestDataFunc function;
  } tests[] = {
      {"product", test_product},   {"linear", test_linear},         {"embedding", test_embedding},
      {"add-norm", test_add_norm}, {"activation", test_activation}, {"attention", test_attention},
      {"softmax", test_softmax},   {"r-drop", test_r_drop},
  };
  mt_pool_usual_threads();
  for (size_t i = 0; mt_operators_get(i); i++)
    for (size_t t = 0; t < G_N_ELEMENTS(tests); t++)
      suite_add(mt_operators_get(i), tests[t].function, "/operators/%s/%s",
                mt_operators_get(i)->name, tests[t].name);
}
