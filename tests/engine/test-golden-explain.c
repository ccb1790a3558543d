/* test-golden-explain.c — the logit lens and contributions against PyTorch's tensors put through
 * the formulas in double (tests/reference/make_explain.py).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "mt.h"
#include "sentences.h"
#include "suite.h"

#include <glib.h>

/* Of shares, probabilities and bits: the pass computes in floats on both sides. */
#define TOLERANCE 1e-4

typedef struct {
  golden *golden;
  mt_model *model;
  mt_trace *trace;
} fixture;

static const char *const stacks[MT_N_STACKS] = {"encoder", "decoder"};

static mt_trace *
make_trace(mt_model *model, const golden *g)
{
  static const mt_hook_point hook_points[] = {MT_HOOK_WEIGHTS, MT_HOOK_VALUE};
  g_autofree char *source = golden_text(g, "source_text", NULL);
  g_autofree char *target = golden_text(g, "target_text", NULL);
  mt_error error = {0};
  mt_activation_requests requests = {0};
  mt_activation_requests_add_stream(&requests);
  for (size_t i = 0; i < G_N_ELEMENTS(hook_points); i++)
    requests.requests[requests.n++] =
        (mt_activation_request){hook_points[i], MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
  const mt_hooks hooks = {.requests = &requests};
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  g_autoptr(mt_translation) t = mt_session_score(session, source, target, -1, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_trace *trace = mt_trace_new(model, t, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return trace;
}

static void
check_lens(const fixture *f, mt_stack stack)
{
  g_autofree char *best_name = g_strdup_printf("%s.best", stacks[stack]);
  g_autofree char *rank_name = g_strdup_printf("%s.rank", stacks[stack]);
  g_autofree char *lens_name = g_strdup_printf("%s.lens", stacks[stack]);
  size_t n;
  const int32_t *best = golden_i32(f->golden, best_name, &n);
  const int32_t *rank = golden_i32(f->golden, rank_name, NULL);
  const float *numbers = golden_f32(f->golden, lens_name, NULL);
  mt_error error = {0};
  g_autoptr(mt_lens) lens = mt_lens_new(f->model, f->trace, stack, NULL, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  const size_t n_tokens = lens->n_tokens;
  g_assert_cmpuint(n, ==, lens->n_points * n_tokens);
  for (size_t i = 0; i < n; i++) {
    const mt_lens_cell *cell = mt_lens_get(lens, i / n_tokens, i % n_tokens);
    g_assert_cmpint(cell->best, ==, best[i]);
    g_assert_cmpint((int32_t) cell->final_rank, ==, rank[i]);
    g_assert_cmpfloat_with_epsilon(cell->probability, numbers[4 * i], TOLERANCE);
    g_assert_cmpfloat_with_epsilon(cell->entropy, numbers[4 * i + 1], TOLERANCE);
    g_assert_cmpfloat_with_epsilon(cell->divergence, numbers[4 * i + 2], TOLERANCE);
    g_assert_cmpfloat_with_epsilon(cell->final_probability, numbers[4 * i + 3], TOLERANCE);
  }
}

static void
check_contributions(const fixture *f, mt_stack stack, size_t number)
{
  const mt_config *config = mt_model_config(f->model);
  const mt_point point = mt_point_at(config, stack, number);
  g_autofree char *name = g_strdup_printf("%s.%zu", stacks[stack], number);
  g_autofree char *heads_name = g_strdup_printf("%s.%zu.heads", stacks[stack], number);
  mt_error error = {0};
  g_autoptr(mt_contributions) c = mt_contributions_new(f->model, f->trace, point, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_matrix tokens = c->tokens, stream = c->stream;
  mt_matrix network = c->network;
  const size_t rows = tokens.data ? tokens.rows : stream.rows;
  const size_t n_parts = tokens.cols + (stream.data != NULL) + (network.data != NULL);
  const size_t n_heads = config->n_heads[stack];
  size_t n;
  const float *want = golden_f32(f->golden, name, &n);
  g_assert_cmpuint(n, ==, rows * n_parts);
  for (size_t i = 0; i < n; i++) {
    const size_t row = i / n_parts, part = i % n_parts;
    const float share = part < tokens.cols    ? mt_matrix_at(&tokens, row, part)
                        : part == tokens.cols ? mt_matrix_at(&stream, row, 0)
                                              : mt_matrix_at(&network, row, 0);
    g_assert_cmpfloat_with_epsilon(share, want[i], TOLERANCE);
  }
  if (tokens.data) {
    want = golden_f32(f->golden, heads_name, &n);
    g_assert_cmpuint(n, ==, rows * tokens.cols * n_heads);
    for (size_t i = 0; i < n; i++)
      g_assert_cmpfloat_with_epsilon(mt_contributions_head(c, i / n_heads / tokens.cols,
                                                           i / n_heads % tokens.cols, i % n_heads),
                                     want[i], TOLERANCE);
  }
}

static void
test_model(gconstpointer name)
{
  g_autofree char *file = g_strdup_printf("explain-%s.safetensors", (const char *) name);
  g_autofree char *relative = g_strdup_printf("tests/data/checkpoints/%s", (const char *) name);
  fixture f = {golden_open(file), sentences_model(relative), NULL};
  f.trace = make_trace(f.model, f.golden);
  for (int s = 0; s < MT_N_STACKS; s++) {
    check_lens(&f, (mt_stack) s);
    for (size_t i = 1; i < mt_point_count(mt_model_config(f.model), (mt_stack) s); i++)
      check_contributions(&f, (mt_stack) s, i);
  }
  mt_trace_unref(f.trace);
  mt_model_unref(f.model);
  golden_close(f.golden);
}

TESTS()
{
  static const char *const names[] = {"post-norm-relu",
                                      "post-norm-final-norm",
                                      "pre-norm-gelu-learned",
                                      "odd-sizes-swish",
                                      "zero-pad",
                                      "bart-tiny",
                                      "t5-gated-tiny"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
    suite_add(names[i], test_model, "/golden-explain/%s", names[i]);
}
