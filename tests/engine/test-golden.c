/* test-golden.c — every tensor of a teacher-forced pass against Hugging Face transformers.
 *
 * For the bundled model, for small random checkpoints of every shape, and for one of the size of
 * the published OPUS-MT models: token ids, logits, attention scores and weights of every head,
 * positions, hidden states and everything else a hook can see, against tests/data/forward-*, which
 * tests/reference/make_forward.py wrote with PyTorch in float32.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <mt.h>
#include <string.h>

#include "engine-test.h"
#include "golden.h"
#include "hash-weights.h"
#include "sentences.h"
#include "suite.h"

/* Relative, with a tenth of the largest entry of the matrix (one head, one layer) as the smallest
 * that counts: below that the float32 reference itself is no better (see tests/reference). */
#define TOLERANCE 1e-4
#define FLOOR     0.1

static const char *const kind_names[MT_N_KINDS] = {"encoder", "decoder", "cross"};

/* One golden tensor [layers][heads][rows][cols] (1 where an axis is missing), perhaps with only
 * some of its rows or columns kept, and what the hooks have shown of it. */
typedef struct {
  const golden_tensor *tensor;
  const int32_t *row_ids, *col_ids; /* NULL: all */
  size_t layers, heads, rows, cols;
  uint8_t *seen; /* [layers][heads][rows] */
} expectation;

typedef struct {
  const char *model;
  const golden *g;
  int sentence;
  expectation expected[MT_N_KINDS][MT_N_HOOK_POINTS];
  double worst;
  char *worst_where;
} comparison;

static const golden_tensor *
find(const comparison *c, const char *name)
{
  g_autofree char *full = g_strdup_printf("%d.%s", c->sentence, name);
  const golden_tensor *t = golden_find(c->g, full);
  return t;
}

static void
expect(comparison *c, int kind, int hook_point)
{
  char *name =
      g_strdup_printf("%s.%s", kind_names[kind], mt_hook_point_name((mt_hook_point) (hook_point)));
  expectation *e = &c->expected[kind][hook_point];
  e->tensor = find(c, name);
  if (e->tensor) {
    const size_t *shape = e->tensor->shape;
    size_t n = e->tensor->n_dims;
    e->cols = shape[n - 1];
    e->rows = shape[n - 2];
    e->layers = n > 2 ? shape[0] : 1;
    e->heads = n > 3 ? shape[1] : 1;
    e->seen = g_new0(uint8_t, e->layers * e->heads * e->rows);
    for (int i = 0; i < 2; i++) {
      g_autofree char *picked = g_strconcat(name, i ? ".cols" : ".rows", NULL);
      const golden_tensor *t = find(c, picked);
      if (t)
        *(i ? &e->col_ids : &e->row_ids) = t->data;
    }
  }
  g_free(name);
}

/* Compare what was found with row `row` (an index into the kept rows) of an expectation. */
static void
compare_row(comparison *c, int kind, int hook_point, size_t layer, size_t head, size_t row,
            const float *found)
{
  const expectation *e = &c->expected[kind][hook_point];
  const float *matrix =
      (const float *) e->tensor->data + (layer * e->heads + head) * e->rows * e->cols;
  const float *want = matrix + row * e->cols;
  double largest = 0;
  for (size_t i = 0; i < e->rows * e->cols; i++)
    if (isfinite(matrix[i]))
      largest = fmax(largest, fabs(matrix[i]));
  for (size_t i = 0; i < e->cols; i++) {
    size_t col = e->col_ids ? (size_t) e->col_ids[i] : i;
    double distance = golden_distance(found[col], want[i], FLOOR * largest + 1e-30);
    if (distance <= c->worst && distance <= TOLERANCE)
      continue;
    char *where = g_strdup_printf(
        "%s, sentence %d, %s %s, layer %zu, head %zu, row %zu, column %zu: found %.9g, expected "
        "%.9g",
        c->model, c->sentence, kind_names[kind], mt_hook_point_name((mt_hook_point) (hook_point)),
        layer, head, e->row_ids ? (size_t) e->row_ids[row] : row, col, found[col], want[i]);
    if (distance > TOLERANCE)
      g_error("%s", where);
    c->worst = distance;
    g_free(c->worst_where);
    c->worst_where = where;
  }
}

static void
on_probe(void *user, const mt_editable_activation *probe)
{
  comparison *c = user;
  expectation *e = &c->expected[probe->kind][probe->hook_point];
  if (!e->tensor)
    return;
  size_t layer = probe->layer < 0 ? 0 : (size_t) probe->layer;
  size_t head = probe->head < 0 ? 0 : (size_t) probe->head;
  g_assert_cmpuint(layer, <, e->layers);
  g_assert_cmpuint(head, <, e->heads);
  g_assert_cmpuint(probe->sequence, ==, 0);
  if (!e->col_ids)
    g_assert_cmpuint(probe->cols, ==, e->cols);
  for (size_t row = 0; row < e->rows; row++) {
    size_t position = e->row_ids ? (size_t) e->row_ids[row] : row;
    if (position < probe->first_row || position >= probe->first_row + probe->rows)
      continue;
    compare_row(c, (int) probe->kind, (int) probe->hook_point, layer, head, row,
                probe->data + (position - probe->first_row) * probe->stride);
    e->seen[(layer * e->heads + head) * e->rows + row] = 1;
  }
}

static void
check_all_seen(const comparison *c)
{
  size_t n = 0;
  for (int kind = 0; kind < MT_N_KINDS; kind++)
    for (int hook_point = 0; hook_point < MT_N_HOOK_POINTS; hook_point++) {
      const expectation *e = &c->expected[kind][hook_point];
      for (size_t i = 0; e->tensor && i < e->layers * e->heads * e->rows; i++, n++)
        if (!e->seen[i])
          g_error("%s, sentence %d: no hook was shown row %zu of %s %s", c->model, c->sentence,
                  i % e->rows, kind_names[kind], mt_hook_point_name((mt_hook_point) (hook_point)));
    }
  g_assert_cmpuint(n, >, 0);
}

static void
check_ids(const comparison *c, const char *name, const mt_tokens *tokens)
{
  const golden_tensor *want = find(c, name);
  g_assert_nonnull(want);
  g_assert_cmpuint(mt_tokens_count(tokens), ==, want->n);
  for (size_t i = 0; i < want->n; i++)
    g_assert_cmpint(mt_tokens_get(tokens, i)->id, ==, ((const int32_t *) want->data)[i]);
}

/* What a finished capture says must be what the hooks were shown. */
static void
check_capture(comparison *c, const mt_capture *capture)
{
  check_ids(c, "source_ids", mt_capture_source(capture));
  check_ids(c, "decoder_input_ids", mt_capture_decoder_input(capture));
  check_ids(c, "target_ids", mt_capture_output(capture));
  for (int kind = 0; kind < MT_N_KINDS; kind++)
    for (int scores = 0; scores < 2; scores++) {
      int hook_point = scores ? MT_HOOK_SCORES : MT_HOOK_WEIGHTS;
      const expectation *e = &c->expected[kind][hook_point];
      for (size_t i = 0; e->tensor && i < e->layers * e->heads * e->rows; i++) {
        size_t layer = i / e->rows / e->heads, head = i / e->rows % e->heads, row = i % e->rows;
        mt_matrix m = scores ? mt_capture_scores(capture, (mt_attention_kind) kind, layer, head)
                             : mt_capture_weights(capture, (mt_attention_kind) kind, layer, head);
        size_t position = e->row_ids ? (size_t) e->row_ids[row] : row;
        g_assert_cmpuint(m.cols, ==, e->cols);
        compare_row(c, kind, hook_point, layer, head, row, m.data + position * m.stride);
      }
    }
  for (int stack = 0; stack < MT_N_STACKS; stack++) {
    int kind = stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF;
    const expectation *e = &c->expected[kind][MT_HOOK_POSITION];
    mt_matrix m = mt_capture_positions(capture, (mt_stack) stack);
    for (size_t row = 0; e->tensor && row < e->rows; row++)
      compare_row(c, kind, MT_HOOK_POSITION, 0, 0, row, m.data + row * m.stride);
  }
}

/* How much of the scores is position, of a model in which some is. */
static void
check_position_shares(const comparison *c, const mt_capture *capture, mt_attention_kind kind)
{
  g_autofree char *name = g_strdup_printf("%s.position_share", kind_names[kind]);
  const golden_tensor *want = find(c, name);
  const size_t n_layers = mt_capture_n_layers(capture, kind),
               n_heads = mt_capture_n_heads(capture, kind);
  g_assert_true((want != NULL) ==
                (kind != MT_CROSS && mt_capture_position_kind(capture) == MT_POSITIONS_RELATIVE));
  g_assert_true(!want || (want->shape[0] == n_layers && want->shape[1] == n_heads));
  for (size_t l = 0; l < n_layers; l++)
    for (size_t h = 0; h < n_heads; h++) {
      const double found = mt_head_metrics_compute(capture, kind, l, h).position_share;
      if (!want)
        g_assert_true(isnan(found));
      else
        g_assert_cmpfloat_with_epsilon(found, ((const float *) want->data)[l * n_heads + h],
                                       TOLERANCE);
    }
}

static void
check_logprobs(comparison *c, const float *found)
{
  const golden_tensor *want = find(c, "logprobs");
  g_assert_nonnull(want);
  for (size_t i = 0; i < want->n; i++) {
    double expected = ((const float *) want->data)[i];
    double distance = golden_distance(found[i], expected, 0.1);
    if (distance > TOLERANCE)
      g_error("%s, sentence %d: log-probability of output %zu is %.9g, expected %.9g", c->model,
              c->sentence, i, found[i], expected);
    c->worst = fmax(c->worst, distance);
  }
}

static char *
sentence_text(const comparison *c, const char *name)
{
  g_autofree char *full = g_strdup_printf("%d.%s", c->sentence, name);
  char *text = golden_text(c->g, full, NULL);
  return text;
}

/* The language that is put before the source text, -1 if there is none. */
static int
sentence_language(const comparison *c, const mt_model *model)
{
  if (!find(c, "language"))
    return -1;
  g_autofree char *code = sentence_text(c, "language");
  size_t i;
  if (!mt_model_find_language(model, code, &i))
    g_error("%s: no language %s", c->model, code);
  return (int) i;
}

static void
check_sentence(comparison *c, mt_session *session)
{
  mt_error error = {0};
  int language = sentence_language(c, mt_session_model(session));
  uint32_t hook_points = 0;
  memset(c->expected, 0, sizeof c->expected);
  for (int kind = 0; kind < MT_N_KINDS; kind++)
    for (int hook_point = 0; hook_point < MT_N_HOOK_POINTS; hook_point++) {
      expect(c, kind, hook_point);
      if (c->expected[kind][hook_point].tensor)
        hook_points |= MT_HOOK_POINT_BIT(hook_point);
    }
  g_autofree char *source = sentence_text(c, "source_text"),
                  *target = sentence_text(c, "target_text");
  g_autoptr(mt_translation) t = mt_session_score(session, source, target, language, NULL, &error);
  if (!t)
    g_error("%s: %s", c->model, error.message);
  check_logprobs(c, mt_translation_hypothesis(t, 0)->logprobs);
  mt_hooks hooks = {.hook_points = hook_points, .on_probe = on_probe, .user = c};
  g_autoptr(mt_capture) capture =
      mt_session_capture(session, t, 0, MT_CAPTURE_SCORES, &hooks, &error);
  if (!capture)
    g_error("%s: %s", c->model, error.message);
  check_all_seen(c);
  check_capture(c, capture);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    check_position_shares(c, capture, kind);
  check_logprobs(c, mt_capture_logprobs(capture));
  for (int kind = 0; kind < MT_N_KINDS; kind++)
    for (int hook_point = 0; hook_point < MT_N_HOOK_POINTS; hook_point++)
      g_free(c->expected[kind][hook_point].seen);
}

static void
check_model(const char *name, const char *dir, const char *golden_name)
{
  mt_error error = {0};
  g_autoptr(golden) g = golden_open(golden_name);
  g_autoptr(mt_model) model = mt_model_open(dir, NULL, &error);
  if (!model)
    g_error("%s", error.message);
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  comparison c = {.model = name, .g = g};
  int n = 0;
  /* Under sanitisers one sentence of a model that is not tiny. */
  const int most = suite_is_watched() && mt_model_config(model)->d_model >= 256 ? 1 : G_MAXINT;
  for (; c.sentence = n, n < most && find(&c, "source_ids"); n++)
    check_sentence(&c, session);
  g_assert_cmpint(n, >, 0);
  g_test_message("%s: %d sentences, largest relative difference %.2g (%s)", name, n, c.worst,
                 c.worst_where ? c.worst_where : "none");
  g_free(c.worst_where);
}

typedef struct {
  const char *dir, *golden;
} shape;

static const shape shapes[] = {
    {"models/en-de", "en-de"},
    {"tests/data/checkpoints/post-norm-relu", "post-norm-relu"},
    /* The same weights in other storage. */
    {"tests/data/checkpoints/post-norm-relu-f16", "post-norm-relu"},
    {"tests/data/checkpoints/post-norm-relu-bf16-sharded", "post-norm-relu"},
    {"tests/data/checkpoints/odd-sizes-swish", "odd-sizes-swish"},
    {"tests/data/checkpoints/pre-norm-gelu-learned", "pre-norm-gelu-learned"},
    {"tests/data/checkpoints/pre-norm-plain", "pre-norm-plain"},
    {"tests/data/checkpoints/interleaved-positions", "interleaved-positions"},
    {"tests/data/checkpoints/post-norm-final-norm", "post-norm-final-norm"},
    {"tests/data/checkpoints/separate-vocabularies", "separate-vocabularies"},
    {"tests/data/checkpoints/separate-embeddings-tied", "separate-embeddings-tied"},
    {"tests/data/checkpoints/multi-target", "multi-target"},
    {"tests/data/checkpoints/zero-pad", "zero-pad"},
    {"tests/data/checkpoints/bart-tiny", "bart-tiny"},
    {"tests/data/checkpoints/mbart-tiny", "mbart-tiny"},
    {"tests/data/checkpoints/cc25-tiny", "cc25-tiny"},
    {"tests/data/checkpoints/m2m-tiny", "m2m-tiny"},
    {"tests/data/checkpoints/nllb-tiny", "nllb-tiny"},
    {"tests/data/checkpoints/pegasus-tiny", "pegasus-tiny"},
    {"tests/data/checkpoints/t5-tiny", "t5-tiny"},
    {"tests/data/checkpoints/t5-gated-tiny", "t5-gated-tiny"},
    {"tests/data/checkpoints/mt5-tiny", "mt5-tiny"},
    {"tests/data/checkpoints/umt5-tiny", "umt5-tiny"},
    {"tests/data/checkpoints/byt5-tiny", "byt5-tiny"},
};

static void
test_shape(const void *data)
{
  const shape *s = data;
  g_autofree char *dir = golden_path(s->dir);
  g_autofree char *golden_name = g_strdup_printf("forward-%s.safetensors", s->golden);
  g_autofree char *name = g_path_get_basename(s->dir);
  check_model(name, dir, golden_name);
}

static void
test_opus_shape(void)
{
  GError *error = NULL;
  g_autofree char *dir = g_dir_make_tmp("regard-opus-shape-XXXXXX", &error);
  if (!dir)
    g_error("%s", error->message);
  g_autofree char *tiny = golden_path("tests/data/checkpoints/post-norm-relu");
  hash_weights_write_opus_shape(dir, tiny, FALSE);
  check_model("OPUS shape", dir, "forward-opus-shape.safetensors");
  hash_weights_remove(dir);
}

/* Sampled rows of the sinusoids, computed in double by the generator, and of a model's table. */
static void
test_positions(void)
{
  g_autoptr(golden) g = golden_open("positions.safetensors");
  size_t n_rows;
  const int32_t *rows = golden_i32(g, "rows", &n_rows);
  static const int dims[] = {2, 10, 256, 512};
  size_t n = (size_t) rows[n_rows - 1] + 1;
  for (size_t i = 0; i < G_N_ELEMENTS(dims); i++)
    for (int interleaved = 0; interleaved < 2; interleaved++) {
      size_t d = (size_t) dims[i];
      g_autofree char *name = g_strdup_printf("%s.%zu", interleaved ? "interleaved" : "halves", d);
      const float *want = golden_f32(g, name, NULL);
      g_autofree float *found = g_new(float, n *d);
      mt_positions_sinusoidal(found, n, d,
                              interleaved ? MT_POSITIONS_SINUSOIDAL_INTERLEAVED
                                          : MT_POSITIONS_SINUSOIDAL_HALVES);
      for (size_t r = 0; r < n_rows; r++)
        for (size_t j = 0; j < d; j++)
          g_assert_cmpfloat_with_epsilon(found[(size_t) rows[r] * d + j], want[r * d + j], 1e-6);
    }
  for (size_t i = 1; i < 3; i++) {
    size_t d = (size_t) dims[i];
    g_autofree char *name = g_strdup_printf("fairseq.%zu", d);
    const float *want = golden_f32(g, name, NULL);
    g_autofree float *found = g_new(float, n *d);
    mt_positions_sinusoidal(found, n, d, MT_POSITIONS_SINUSOIDAL_FAIRSEQ);
    for (size_t r = 0; r < n_rows; r++)
      for (size_t j = 0; j < d; j++)
        g_assert_cmpfloat_with_epsilon(found[(size_t) rows[r] * d + j], want[r * d + j], 1e-6);
  }
  g_autoptr(mt_model) model = sentences_model("models/en-de");
  size_t n_table;
  const int32_t *table_rows = golden_i32(g, "table.rows", &n_table);
  const float *table = golden_f32(g, "table", NULL);
  for (int stack = 0; stack < MT_N_STACKS; stack++) {
    mt_matrix m = mt_model_positions(model, (mt_stack) stack);
    g_assert_cmpuint(m.cols, ==, 256);
    for (size_t r = 0; r < n_table; r++)
      for (size_t j = 0; j < m.cols; j++)
        g_assert_cmpfloat_with_epsilon(mt_matrix_at(&m, (size_t) table_rows[r], j),
                                       table[r * m.cols + j], 1e-6);
  }
}

TESTS()
{
  g_test_add_func("/golden/positions", test_positions);
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
    g_autofree char *name = g_path_get_basename(shapes[i].dir);
    suite_add(&shapes[i], test_shape, "/golden/forward/%s", name);
  }
  if (!suite_is_watched()) /* the same once more, only larger */
    g_test_add_func("/golden/forward/opus-shape", test_opus_shape);
}
