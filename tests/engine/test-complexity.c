/* test-complexity.c — what layers cost: table 1 against numbers by hand, multiply-adds against
 * loops that count and against the products that a pass makes, and the times of its parts on a
 * clock that is moved by those products.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"
#include "toy-model.h"

#include <glib.h>
#include <math.h>

/* ---- The paper's table 1 ----------------------------------------------------------------------
 */

static void
assert_row(mt_layer_type type, const mt_layer_sizes *sizes, double operations, double sequential,
           double path)
{
  mt_layer_complexity found = mt_complexity(type, sizes);
  g_assert_cmpfloat(found.operations, ==, operations);
  g_assert_cmpfloat(found.sequential, ==, sequential);
  g_assert_cmpfloat_with_epsilon(found.path, path, 1e-12 * fmax(path, 1));
}

static void
test_table(void)
{
  const mt_layer_sizes some = {.n = 81, .d = 512, .k = 3, .r = 27};
  assert_row(MT_LAYER_SELF_ATTENTION, &some, 3359232, 1, 1);
  assert_row(MT_LAYER_RECURRENT, &some, 21233664, 81, 81);
  assert_row(MT_LAYER_CONVOLUTIONAL, &some, 63700992, 1, 4); /* 3^4 = 81 */
  assert_row(MT_LAYER_RESTRICTED, &some, 1119744, 1, 3);
  /* One position; and a neighbourhood that is wider than the sentence. */
  const mt_layer_sizes one = {.n = 1, .d = 7, .k = 5, .r = 2};
  assert_row(MT_LAYER_SELF_ATTENTION, &one, 7, 1, 1);
  assert_row(MT_LAYER_RECURRENT, &one, 49, 1, 1);
  assert_row(MT_LAYER_CONVOLUTIONAL, &one, 245, 1, 0);
  assert_row(MT_LAYER_RESTRICTED, &one, 7, 1, 1);
  /* Whole numbers stay whole where they are large. */
  const mt_layer_sizes many = {.n = 9999, .d = 4099, .k = 7, .r = 31};
  assert_row(MT_LAYER_RECURRENT, &many, 168001208199.0, 9999, 9999);
  assert_row(MT_LAYER_CONVOLUTIONAL, &many, 1176008457393.0, 1, log(9999) / log(7));
}

/* ---- Loops that count -------------------------------------------------------------------------
 */

/* A product [a][b] x [b][c], one multiply-add at a time. */
static uint64_t
product(size_t a, size_t b, size_t c)
{
  uint64_t n = 0;
  for (size_t i = 0; i < a; i++)
    for (size_t j = 0; j < b; j++)
      for (size_t k = 0; k < c; k++)
        n++;
  return n;
}

/* Heads of d / heads columns, or of others. */
static mt_config
odd_config(bool has_odd_heads)
{
  return (mt_config){.d_model = 6,
                     .n_layers = {3, 2},
                     .n_heads = {3, 2},
                     .d_head = {has_odd_heads ? 5 : 2, has_odd_heads ? 1 : 3},
                     .d_ffn = {5, 11},
                     .vocab_size = {13, 17}};
}

/* Multi-head attention as section 3.2.2 writes it, head by head. */
static void
count_attention(const mt_config *config, mt_stack stack, size_t queries, size_t keys,
                uint64_t *projections, uint64_t *scores)
{
  const size_t d = config->d_model, d_head = config->d_head[stack];
  for (size_t h = 0; h < config->n_heads[stack]; h++) {
    *projections += product(queries, d, d_head) + 2 * product(keys, d, d_head);
    *projections += product(queries, d_head, d); /* its rows of W_O */
    *scores += product(queries, d_head, keys) + product(queries, keys, d_head);
  }
}

static mt_costs
count_parallel(const mt_config *config, size_t n, size_t m)
{
  mt_costs c = {{0}};
  const size_t d = config->d_model;
  for (size_t l = 0; l < config->n_layers[MT_STACK_ENCODER]; l++) {
    count_attention(config, MT_STACK_ENCODER, n, n, &c.of[MT_COST_ENCODER_PROJECTIONS],
                    &c.of[MT_COST_ENCODER_SCORES]);
    c.of[MT_COST_ENCODER_FEED_FORWARD] += 2 * product(n, d, config->d_ffn[MT_STACK_ENCODER]);
  }
  for (size_t l = 0; l < config->n_layers[MT_STACK_DECODER]; l++) {
    for (int cross = 0; cross < 2; cross++)
      count_attention(config, MT_STACK_DECODER, m, cross ? n : m,
                      &c.of[MT_COST_DECODER_PROJECTIONS], &c.of[MT_COST_DECODER_SCORES]);
    c.of[MT_COST_DECODER_FEED_FORWARD] += 2 * product(m, d, config->d_ffn[MT_STACK_DECODER]);
  }
  c.of[MT_COST_OUTPUT] = product(m, d, config->vocab_size[MT_STACK_DECODER]);
  return c;
}

/* The decoder's masked self-attention, one position at a time. */
static uint64_t
count_step_scores(const mt_config *config, size_t n, size_t m)
{
  const size_t d_head = config->d_head[MT_STACK_DECODER];
  uint64_t scores = 0;
  for (size_t l = 0; l < config->n_layers[MT_STACK_DECODER]; l++)
    for (size_t h = 0; h < config->n_heads[MT_STACK_DECODER]; h++)
      for (size_t step = 1; step <= m; step++)
        scores += 2 * product(1, d_head, step) + 2 * product(1, d_head, n);
  return scores;
}

static void
test_loops(void)
{
  static const size_t lengths[][2] = {{1, 1}, {4, 7}, {9, 2}};
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(lengths); i++) {
    mt_config config = odd_config(i % 2 == 1);
    size_t n = lengths[i / 2][0], m = lengths[i / 2][1];
    mt_costs parallel = mt_costs_count(&config, n, m, MT_DECODING_PARALLEL);
    mt_costs steps = mt_costs_count(&config, n, m, MT_DECODING_STEPS);
    mt_costs want = count_parallel(&config, n, m);
    uint64_t sum = 0;
    for (int c = 0; c < MT_N_COSTS; c++) {
      g_assert_cmpuint(parallel.of[c], ==, want.of[c]);
      if (c != MT_COST_DECODER_SCORES)
        g_assert_cmpuint(steps.of[c], ==, want.of[c]);
      sum += want.of[c];
    }
    g_assert_cmpuint(steps.of[MT_COST_DECODER_SCORES], ==, count_step_scores(&config, n, m));
    g_assert_cmpuint(mt_costs_sum(&parallel), ==, sum);
  }
}

/* Pairs that masks leave, one by one. */
static uint64_t
count_unmasked(const mt_config *config, size_t n, size_t m)
{
  const size_t window = config->attention_window;
  uint64_t encoder = 0, decoder = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      encoder += !window || (i > j ? i - j : j - i) <= window;
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j <= i; j++)
      decoder += !window || i - j <= window;
    for (size_t j = 0; j < n; j++)
      decoder++;
  }
  return 2 * (config->n_layers[0] * config->n_heads[0] * config->d_head[0] * encoder +
              config->n_layers[1] * config->n_heads[1] * config->d_head[1] * decoder);
}

static void
test_unmasked(void)
{
  mt_config config = odd_config(true);
  for (size_t n = 1; n < 8; n++)
    for (size_t m = 1; m < 8; m++)
      for (size_t window = 0; window < 10; window++) {
        config.attention_window = window;
        g_assert_cmpuint(mt_costs_unmasked(&config, n, m), ==, count_unmasked(&config, n, m));
      }
  /* The widest that can be written is none. */
  config.attention_window = SIZE_MAX;
  uint64_t widest = mt_costs_unmasked(&config, 5, 6);
  config.attention_window = 0;
  g_assert_cmpuint(widest, ==, mt_costs_unmasked(&config, 5, 6));
}

/* ---- The products that a pass makes ------------------------------------------------------------
 */

/* Every tensor that a pass shows is the result of a product, or not: of those that are, rows x
 * columns x the length of what was summed over. */
typedef struct {
  const mt_model *model;
  mt_costs costs;
} counter;

static void
count_view(void *user, const mt_activation_view *view)
{
  counter *c = user;
  const mt_stack stack = mt_kind_stack(view->kind);
  const mt_layer_weights *layers = c->model->stacks[stack].layers;
  const int first = stack == MT_STACK_ENCODER ? 0 : MT_COST_DECODER_PROJECTIONS;
  uint64_t *projections = &c->costs.of[first], *scores = projections + 1, *network = scores + 1;
  const uint64_t n = (uint64_t) view->rows * view->cols;
  switch (view->hook_point) {
  case MT_HOOK_QUERY:
    *projections += n * layers[view->layer].self.q.n_in;
    break;
  case MT_HOOK_KEY:
    *projections += n * layers[view->layer].self.k.n_in;
    break;
  case MT_HOOK_VALUE:
    *projections += n * layers[view->layer].self.v.n_in;
    break;
  case MT_HOOK_ATTENTION_OUTPUT:
    *projections += n * layers[view->layer].self.out.n_in;
    break;
  case MT_HOOK_SCORES: /* q k^T and weights v: d_head columns each */
    *scores +=
        2 * n * (layers[view->layer].self.q.n_out / mt_model_config(c->model)->n_heads[stack]);
    break;
  case MT_HOOK_GATE:
    *network += n * layers[view->layer].ffn.gate.n_in;
    break;
  case MT_HOOK_HIDDEN:
    *network += n * layers[view->layer].ffn.fc1.n_in;
    break;
  case MT_HOOK_FEED_FORWARD:
    *network += n * layers[view->layer].ffn.fc2.n_in;
    break;
  case MT_HOOK_LOGITS:
    c->costs.of[MT_COST_OUTPUT] += n * c->model->output.n_in;
    break;
  default:
    break;
  }
}

static void
test_products(gconstpointer name)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model(name);
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  mt_activation_requests requests = {0};
  for (int hook_point = 0; hook_point < MT_N_HOOK_POINTS; hook_point++)
    requests.requests[requests.n++] =
        (mt_activation_request){(mt_hook_point) hook_point, MT_ALL_KINDS, MT_ALL_LAYERS,
                                MT_ALL_HEADS};
  counter c = {.model = model};
  const mt_hooks hooks = {.requests = &requests, .callback = {.on_view = count_view, .user = &c}};
  g_autoptr(mt_translation) t =
      mt_session_score(session, "I have two dogs, and no time.",
                       "Ich habe zwei Hunde und keine Zeit.", -1, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_costs costs = mt_costs_count(mt_model_config(model), mt_tokens_count(mt_translation_source(t)),
                                  mt_tokens_count(mt_translation_hypothesis(t, 0)->tokens),
                                  MT_DECODING_PARALLEL);
  for (int i = 0; i < MT_N_COSTS; i++) {
    g_assert_cmpuint(costs.of[i], >, 0);
    g_assert_cmpuint(costs.of[i], ==, c.costs.of[i]);
    for (int other = 0; other < i; other++)
      g_assert_cmpstr(mt_cost_name((mt_cost) i), !=, mt_cost_name((mt_cost) other));
  }
  g_assert_cmpuint(mt_costs_sum(&costs), ==, mt_costs_sum(&c.costs));
}

/* ---- Times -------------------------------------------------------------------------------------
 */

typedef struct {
  mt_model *model;
  mt_session *session;
  mt_translation *translation;
} fixture;

enum { N_SOURCE = 40, N_TARGET = 30 };

static void
set_up(fixture *f, const toy_spec *spec, unsigned n_threads)
{
  int32_t ids[N_SOURCE];
  float logprobs[N_TARGET] = {0};
  mt_error error = {0};
  f->model = toy_model_new(spec);
  mt_session_options options = {.n_threads = n_threads};
  f->session = mt_session_new(f->model, &options, &error);
  toy_ids(ids, N_SOURCE, spec->vocab_size, 3);
  g_autoptr(mt_tokens) source = toy_tokens(ids, N_SOURCE);
  toy_ids(ids, N_TARGET, spec->vocab_size, 4);
  g_autoptr(mt_tokens) target = toy_tokens(ids, N_TARGET);
  f->translation = mt_translation_new(source, 1, &error);
  g_assert_true(mt_translation_set(f->translation, 0, target, "", logprobs, 0, 0, &error));
}

static void
tear_down(fixture *f)
{
  mt_translation_unref(f->translation);
  mt_session_free(f->session);
  toy_model_free(f->model);
}

/* A clock that only work moves: by a multiply-add of a product, and in every pass at another rate.
 * So what is measured is known to the last digit. The linker puts these in the place of the
 * engine's own (see tests/engine/meson.build). */
static const double rates[] = {100, 5, 1, 4, 2,
                               9,   7, 3, 8, 6}; /* of the pass that is not timed, of the rest */
static _Atomic uint64_t n_done;
static uint64_t pass_work; /* of one pass; 0: the clock stands still */

double __wrap_mt_session_clock(void);
double __real_mt_session_clock(void);
void __wrap_mt_ops_linear(const mt_ops *ops, float *y, const float *x, size_t rows,
                          const mt_linear *map);
void __real_mt_ops_linear(const mt_ops *ops, float *y, const float *x, size_t rows,
                          const mt_linear *map);
void __wrap_mt_ops_linears(const mt_ops *ops, float *const *y, const float *x, size_t rows,
                           const mt_linear *const *maps, size_t n_maps);
void __real_mt_ops_linears(const mt_ops *ops, float *const *y, const float *x, size_t rows,
                           const mt_linear *const *maps, size_t n_maps);
void __wrap_mt_ops_linear_activated(const mt_ops *ops, float *y, float *x, size_t rows,
                                    const mt_linear *map, mt_activation activation);
void __real_mt_ops_linear_activated(const mt_ops *ops, float *y, float *x, size_t rows,
                                    const mt_linear *map, mt_activation activation);
void __wrap_mt_ops_query_key(const mt_ops *ops, float *scores, const float *q, size_t q_stride,
                             const float *k, size_t k_stride, size_t rows, size_t n_keys,
                             size_t d_head, float scale);
void __real_mt_ops_query_key(const mt_ops *ops, float *scores, const float *q, size_t q_stride,
                             const float *k, size_t k_stride, size_t rows, size_t n_keys,
                             size_t d_head, float scale);
void __wrap_mt_ops_weights_value(const mt_ops *ops, float *context, size_t context_stride,
                                 const float *weights, const float *v, size_t v_stride, size_t rows,
                                 size_t n_keys, size_t d_head);
void __real_mt_ops_weights_value(const mt_ops *ops, float *context, size_t context_stride,
                                 const float *weights, const float *v, size_t v_stride, size_t rows,
                                 size_t n_keys, size_t d_head);

double
__wrap_mt_session_clock(void)
{
  uint64_t left = n_done;
  double now = 0;
  if (pass_work == 0)
    return 0;
  for (size_t i = 0; i < G_N_ELEMENTS(rates) && left > 0; i++) {
    const uint64_t n = MIN(left, pass_work);
    now += (double) n * rates[i];
    left -= n;
  }
  return now;
}

void
__wrap_mt_ops_linear(const mt_ops *ops, float *y, const float *x, size_t rows, const mt_linear *map)
{
  __real_mt_ops_linear(ops, y, x, rows, map);
  n_done += rows * map->n_in * map->n_out;
}

void
__wrap_mt_ops_linears(const mt_ops *ops, float *const *y, const float *x, size_t rows,
                      const mt_linear *const *maps, size_t n_maps)
{
  __real_mt_ops_linears(ops, y, x, rows, maps, n_maps);
  for (size_t i = 0; i < n_maps; i++)
    n_done += rows * maps[i]->n_in * maps[i]->n_out;
}

void
__wrap_mt_ops_linear_activated(const mt_ops *ops, float *y, float *x, size_t rows,
                               const mt_linear *map, mt_activation activation)
{
  __real_mt_ops_linear_activated(ops, y, x, rows, map, activation);
  n_done += rows * map->n_in * map->n_out;
}

void
__wrap_mt_ops_query_key(const mt_ops *ops, float *scores, const float *q, size_t q_stride,
                        const float *k, size_t k_stride, size_t rows, size_t n_keys, size_t d_head,
                        float scale)
{
  __real_mt_ops_query_key(ops, scores, q, q_stride, k, k_stride, rows, n_keys, d_head, scale);
  n_done += rows * n_keys * d_head;
}

void
__wrap_mt_ops_weights_value(const mt_ops *ops, float *context, size_t context_stride,
                            const float *weights, const float *v, size_t v_stride, size_t rows,
                            size_t n_keys, size_t d_head)
{
  __real_mt_ops_weights_value(ops, context, context_stride, weights, v, v_stride, rows, n_keys,
                              d_head);
  n_done += rows * n_keys * d_head;
}

/* Each part has the time of its own products, nothing is left out, and nothing counted twice; of
 * several passes the median is said, and of the first nothing. */
static void
check_times(const fixture *f, size_t n_passes, double rate, unsigned n_threads)
{
  mt_cost_times times;
  mt_error error = {0};
  const mt_costs costs =
      mt_costs_count(mt_model_config(f->model), N_SOURCE, N_TARGET, MT_DECODING_PARALLEL);
  pass_work = mt_costs_sum(&costs);
  n_done = 0;
  g_assert_true(
      mt_session_time_costs(f->session, f->translation, 0, n_passes, NULL, &times, &error));
  g_assert_cmpuint(n_done, ==, (n_passes + 1) * pass_work);
  g_assert_cmpuint(times.n_source, ==, N_SOURCE);
  g_assert_cmpuint(times.n_target, ==, N_TARGET);
  g_assert_cmpuint(times.n_passes, ==, n_passes);
  g_assert_cmpuint(times.n_threads, ==, n_threads);
  for (int i = 0; i < MT_N_COSTS; i++) {
    g_assert_cmpfloat(times.of[i], >, 0);
    g_assert_cmpfloat(times.of[i], ==, (double) costs.of[i] * rate);
  }
  g_assert_cmpfloat(times.other, ==, 0); /* adding and norms are no products */
  g_assert_cmpfloat(times.pass, ==, (double) pass_work * rate);
}

static void
test_times(void)
{
  static const struct {
    size_t n_passes;
    double rate; /* the median */
  } counts[] = {{1, 5}, {2, 3}, {4, 3}, {9, 5}};
  enum { PLAIN, WIDE, WORDY, N_SHAPES };
  for (unsigned n_threads = 1; n_threads <= 3; n_threads += 2)
    for (int pre_norm = 0; pre_norm < 2; pre_norm++)
      for (int shape = 0; shape < N_SHAPES; shape++) {
        if (((int) n_threads + pre_norm + shape) % (int) suite_stride(1, 3) != 0)
          continue;
        toy_spec spec = toy_spec_default();
        spec.normalize_before = spec.add_final_layer_norm = pre_norm;
        spec.d_model = n_threads > 1 ? 512 : spec.d_model; /* heads go to several threads */
        spec.d_ffn = shape == WIDE ? 700 : spec.d_ffn;
        spec.vocab_size = shape == WORDY ? 3000 : spec.vocab_size;
        fixture f;
        set_up(&f, &spec, n_threads);
        for (size_t i = 0; i < G_N_ELEMENTS(counts); i += suite_stride(1, 2))
          check_times(&f, counts[i].n_passes, counts[i].rate, n_threads);
        tear_down(&f);
      }
}

/* The engine's own clock does not go back. */
static void
test_clock(void)
{
  double last = __real_mt_session_clock();
  for (int i = 0; i < 1000; i++) {
    const double now = __real_mt_session_clock();
    g_assert_cmpfloat(now, >=, last);
    last = now;
  }
}

static bool
stop_later(void *user)
{
  return ++*(int *) user > 5;
}

static void
test_refused(void)
{
  toy_spec spec = toy_spec_default();
  fixture f;
  mt_cost_times times = {.n_passes = 77};
  mt_error error = {0};
  set_up(&f, &spec, 1);
  static const size_t wrong[] = {0, MT_MOST_TIMED_PASSES + 1};
  for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_assert_false(
        mt_session_time_costs(f.session, f.translation, 0, wrong[i], NULL, &times, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  }
  g_assert_false(mt_session_time_costs(f.session, f.translation, 1, 3, NULL, &times, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  int polls = 0;
  const mt_hooks hooks = {.should_stop = stop_later, .user = &polls};
  g_assert_false(mt_session_time_costs(f.session, f.translation, 0, 3, &hooks, &times, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
  g_assert_cmpint(polls, ==, 6);
  g_assert_cmpuint(times.n_passes, ==, 77); /* nothing was written */
  check_times(&f, 1, 5, 1);
  tear_down(&f);
}

TESTS()
{
  static const char *const models[] = {"post-norm-relu", "pre-norm-plain", "odd-sizes-swish",
                                       "separate-vocabularies"};
  g_test_add_func("/complexity/table", test_table);
  g_test_add_func("/complexity/loops", test_loops);
  g_test_add_func("/complexity/unmasked", test_unmasked);
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
    g_autofree char *path = g_strdup_printf("/complexity/products/%s", models[i]);
    g_test_add_data_func_full(path, g_strconcat("tests/data/checkpoints/", models[i], NULL),
                              test_products, g_free);
  }
  g_test_add_data_func("/complexity/products/like-t5", "toy/t5", test_products);
  g_test_add_func("/complexity/times", test_times);
  g_test_add_func("/complexity/clock", test_clock);
  g_test_add_func("/complexity/refused", test_refused);
}
