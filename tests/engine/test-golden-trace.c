/* test-golden-trace.c — every number of a trace against PyTorch.
 *
 * A trace of one sentence, teacher-forced, of the bundled model and of small random checkpoints of
 * every shape (norms before and after, each with ReLU, GELU and Swish). tests/data/trace-*, which
 * tests/reference/make_trace.py wrote with forward hooks, has what layer norms read, hidden
 * activations, both ends of the stacks and the numbers of the stream; what the hook points before
 * those show is in the first sentence of tests/data/forward-*.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "suite.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <mt.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* Relative, with a tenth of the largest entry of the matrix as the smallest that counts, as in
 * test-golden. */
#define TOLERANCE 1e-4
#define FLOOR     0.1

static const char *const kind_names[MT_N_KINDS] = {"encoder", "decoder", "cross"};

typedef struct {
  const char *name;
  golden *files[2]; /* trace-*, forward-*; NULL: there is none */
  mt_model *model;
  mt_trace *trace;
  size_t n_tensors, n_numbers; /* that were compared */
  size_t n_new;                /* numbers of trace-* among them */
  double worst;
  char *worst_where;
} comparison;

/* Of the first sentence of either file; NULL: neither has it. */
static const golden_tensor *find(const comparison *c, const char *format, ...) G_GNUC_PRINTF(2, 3);

static const golden_tensor *
find(const comparison *c, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *rest = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *name = g_strconcat("0.", rest, NULL);
  const golden_tensor *t = golden_find(c->files[0], name);
  return t || !c->files[1] ? t : golden_find(c->files[1], name);
}

static double
largest_of(const float *values, size_t n)
{
  double largest = 1e-30;
  for (size_t i = 0; i < n; i++)
    if (isfinite(values[i]))
      largest = fmax(largest, fabs(values[i]));
  return largest;
}

/* One number; what: printed if it is wrong, or the worst so far. */
static void
compare(comparison *c, double found, double want, double floor, const char *what, int layer,
        int head, size_t row, size_t col)
{
  double distance = golden_distance(found, want, floor);
  c->n_numbers++;
  if (distance <= c->worst && distance <= TOLERANCE)
    return;
  g_autofree char *where =
      g_strdup_printf("%s, %s, layer %d, head %d, row %zu, column %zu: found %.9g, expected %.9g",
                      c->name, what, layer, head, row, col, found, want);
  if (!(distance <= TOLERANCE))
    g_error("%s", where);
  c->worst = distance;
  g_free(c->worst_where);
  c->worst_where = g_steal_pointer(&where);
}

/* True if trace-* has the hook point; of the bundled model and the one with languages, forward-*
 * keeps only some of the others. */
static bool
is_new(mt_hook_point hook_point)
{
  return hook_point == MT_HOOK_STREAM || hook_point == MT_HOOK_NORM_INPUT ||
         hook_point == MT_HOOK_GATE || hook_point == MT_HOOK_HIDDEN ||
         hook_point == MT_HOOK_FEED_FORWARD_NORM_INPUT || hook_point == MT_HOOK_STACK_OUTPUT;
}

/* A tensor of the trace. False: there is nothing to compare it with. */
static bool
compare_tensor(comparison *c, mt_trace_tensor t)
{
  const char *kind = kind_names[t.kind], *hook_point = mt_hook_point_name(t.hook_point);
  const golden_tensor *want = find(c, "%s.%s", kind, hook_point);
  if (!want)
    return false;
  const golden_tensor *rows = find(c, "%s.%s.rows", kind, hook_point);
  g_assert_null(find(c, "%s.%s.cols", kind, hook_point));
  const size_t n = want->n_dims, n_rows = want->shape[n - 2], cols = want->shape[n - 1];
  const size_t layer = t.layer < 0 ? 0 : (size_t) t.layer, head = t.head < 0 ? 0 : (size_t) t.head;
  const size_t heads = n > 3 ? want->shape[1] : 1;
  g_assert_cmpstr(want->dtype, ==, "F32");
  g_assert_cmpint(n > 2, ==, t.layer >= 0);
  g_assert_cmpint(n > 3, ==, t.head >= 0);
  g_assert_cmpuint(layer, <, n> 2 ? want->shape[0] : 1);
  g_assert_cmpuint(head, <, heads);
  g_assert_cmpuint(t.values.cols, ==, cols);
  if (!rows)
    g_assert_cmpuint(t.values.rows, ==, n_rows);
  const float *matrix = (const float *) want->data + (layer * heads + head) * n_rows * cols;
  const double floor = FLOOR * largest_of(matrix, n_rows * cols);
  g_autofree char *what = g_strdup_printf("%s %s", kind, hook_point);
  for (size_t r = 0; r < n_rows; r++) {
    size_t row = rows ? (size_t) ((const int32_t *) rows->data)[r] : r;
    g_assert_cmpuint(row, <, t.values.rows);
    for (size_t col = 0; col < cols; col++)
      compare(c, mt_matrix_at(&t.values, row, col), matrix[r * cols + col], floor, what, t.layer,
              t.head, row, col);
  }
  c->n_tensors++;
  c->n_new += is_new(t.hook_point) ? n_rows * cols : 0;
  return true;
}

/* The numbers of each token after one sub-layer: `number` of them is at `offset`. */
static void
compare_number(comparison *c, mt_point point, const char *number, size_t offset)
{
  const bool is_network = point.sub_layer == MT_SUB_LAYER_FEED_FORWARD;
  const char *kind = kind_names[mt_point_kind(point)];
  g_autofree char *what =
      g_strdup_printf("%s.measure.%s.%s", kind, is_network ? "feed_forward" : "attention", number);
  const golden_tensor *want = find(c, "%s", what);
  g_assert_nonnull(want);
  g_assert_cmpuint(want->n_dims, ==, 2);
  g_assert_cmpint(point.layer, <, (int) want->shape[0]);
  const size_t rows = want->shape[1];
  const float *values = (const float *) want->data + (size_t) point.layer * rows;
  g_assert_cmpuint(rows, ==,
                   mt_tokens_count(point.stack == MT_STACK_ENCODER
                                       ? mt_trace_source(c->trace)
                                       : mt_trace_decoder_input(c->trace)));
  for (size_t row = 0; row < rows; row++) {
    mt_stream_numbers numbers = mt_stream_measure(c->model, c->trace, point, row);
    double found;
    memcpy(&found, (const char *) &numbers + offset, sizeof found);
    compare(c, found, values[row], FLOOR * largest_of(values, rows), what, point.layer, -1, row, 0);
  }
  c->n_tensors++;
  c->n_new += rows;
}

static void
compare_measures(comparison *c, mt_stack stack)
{
  const mt_config *config = mt_model_config(c->model);
  const size_t n = mt_point_count(config, stack);
  g_assert_cmpuint(n, ==, 1 + config->n_layers[stack] * (stack == MT_STACK_DECODER ? 3 : 2));
  for (size_t i = 1; i < n; i++) {
    mt_point point = mt_point_at(config, stack, i);
    compare_number(c, point, "mean", offsetof(mt_stream_numbers, mean));
    compare_number(c, point, "sigma", offsetof(mt_stream_numbers, sigma));
    compare_number(c, point, "norm", offsetof(mt_stream_numbers, norm));
    compare_number(c, point, "added_norm", offsetof(mt_stream_numbers, added_norm));
    compare_number(c, point, "cosine", offsetof(mt_stream_numbers, cosine));
  }
}

static void
check_ids(const comparison *c, const char *name, const mt_tokens *tokens)
{
  g_autofree char *full = g_strconcat("0.", name, NULL);
  for (size_t file = 0; file < G_N_ELEMENTS(c->files) && c->files[file]; file++) {
    size_t n;
    const int32_t *want = golden_i32(c->files[file], full, &n);
    g_assert_cmpuint(mt_tokens_count(tokens), ==, n);
    for (size_t i = 0; i < n; i++)
      g_assert_cmpint(mt_tokens_get(tokens, i)->id, ==, want[i]);
  }
}

static int
language_of(const comparison *c)
{
  if (!find(c, "language"))
    return -1;
  g_autofree char *code = golden_text(c->files[0], "0.language", NULL);
  size_t i;
  g_assert_true(mt_model_find_language(c->model, code, &i));
  return (int) i;
}

/* A trace with everything, of the sentence that the files have. */
static mt_trace *
make_trace(const comparison *c)
{
  mt_error error = {0};
  mt_activation_requests requests = {0};
  for (int hook_point = 0; hook_point < MT_N_HOOK_POINTS; hook_point++)
    requests.requests[requests.n++] =
        (mt_activation_request){(mt_hook_point) hook_point, MT_ALL_KINDS, MT_ALL_LAYERS,
                                MT_ALL_HEADS};
  const mt_hooks hooks = {.requests = &requests};
  g_autofree char *source = golden_text(c->files[0], "0.source_text", NULL);
  g_autofree char *target = golden_text(c->files[0], "0.target_text", NULL);
  g_autoptr(mt_session) session = sentences_session(c->model, 0, false);
  g_autoptr(mt_translation) t =
      mt_session_score(session, source, target, language_of(c), NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_trace *trace = mt_trace_new(c->model, t, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return trace;
}

typedef struct {
  const char *dir;
  const char *name;              /* of the result, if it is not that of the directory */
  const char *activation, *said; /* to be put where config.json says otherwise, or NULL */
} subject;

/* The model of a checkpoint, whose files are copied where one of them is to be another. */
static mt_model *
open_model(const subject *s)
{
  mt_error error = {0};
  g_autofree char *path = golden_path(s->dir);
  if (!s->activation) {
    mt_model *model = mt_model_open(path, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
    return model;
  }
  static const char *const files[] = {"config.json",          "generation_config.json",
                                      "model.safetensors",    "source.spm",
                                      "target.spm",           "vocab.json",
                                      "tokenizer_config.json"};
  g_autoptr(GError) problem = NULL;
  g_autofree char *copy = g_dir_make_tmp("regard-golden-trace-XXXXXX", &problem);
  g_assert_no_error(problem);
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *from = g_build_filename(path, files[i], NULL);
    g_autofree char *to = g_build_filename(copy, files[i], NULL);
    g_autofree char *bytes = NULL;
    gsize n;
    g_file_get_contents(from, &bytes, &n, &problem);
    g_assert_no_error(problem);
    if (i == 0) {
      g_auto(GStrv) around = g_strsplit(bytes, s->said, -1);
      g_assert_cmpuint(g_strv_length(around), ==, 2);
      g_free(bytes);
      bytes = g_strjoinv(s->activation, around);
      n = strlen(bytes);
    }
    g_file_set_contents(to, bytes, (gssize) n, &problem);
    g_assert_no_error(problem);
  }
  mt_model *model = mt_model_open(copy, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *file = g_build_filename(copy, files[i], NULL);
    g_assert_cmpint(g_remove(file), ==, 0);
  }
  g_assert_cmpint(g_rmdir(copy), ==, 0);
  return model;
}

static char *
name_of(const subject *s)
{
  return s->name ? g_strdup(s->name) : g_path_get_basename(s->dir);
}

static void
test_model(gconstpointer data)
{
  const subject *s = data;
  g_autofree char *name = name_of(s);
  g_autofree char *new_name = g_strdup_printf("trace-%s.safetensors", name);
  g_autofree char *old_name = g_strdup_printf("forward-%s.safetensors", name);
  const bool has_old = !s->name;
  const bool has_all = has_old && strcmp(name, "en-de") != 0 && strcmp(name, "multi-target") != 0;
  comparison c = {.name = name, .files = {golden_open(new_name)}};
  if (has_old)
    c.files[1] = golden_open(old_name);
  c.model = open_model(s);
  c.trace = make_trace(&c);
  check_ids(&c, "source_ids", mt_trace_source(c.trace));
  check_ids(&c, "decoder_input_ids", mt_trace_decoder_input(c.trace));
  for (size_t i = 0; i < mt_trace_count(c.trace); i++) {
    mt_trace_tensor t = mt_trace_at(c.trace, i);
    if (!compare_tensor(&c, t) && (has_all || is_new(t.hook_point)))
      g_error("%s: nothing to compare %s %s with", name, kind_names[t.kind],
              mt_hook_point_name(t.hook_point));
  }
  const size_t n_hook_points = c.n_tensors;
  compare_measures(&c, MT_STACK_ENCODER);
  compare_measures(&c, MT_STACK_DECODER);
  g_assert_cmpuint(n_hook_points, >, 0);
  if (has_all)
    g_assert_cmpuint(n_hook_points, ==, mt_trace_count(c.trace));

  size_t n_new = 0; /* each number of trace-* has been looked at, once */
  for (const golden_tensor *const *t = golden_all(c.files[0]); *t; t++)
    if (strcmp((*t)->dtype, "F32") == 0)
      n_new += (*t)->n;
  g_assert_cmpuint(c.n_new, ==, n_new);
  g_test_message("%s: %zu of %zu tensors, %zu numbers, largest relative difference %.2g (%s)", name,
                 n_hook_points, mt_trace_count(c.trace), c.n_numbers, c.worst, c.worst_where);
  g_free(c.worst_where);
  mt_trace_unref(c.trace);
  mt_model_unref(c.model);
  golden_close(c.files[0]);
  if (has_old)
    golden_close(c.files[1]);
}

TESTS()
{
  static const subject models[] = {
      {.dir = "models/en-de"},
      {.dir = "tests/data/checkpoints/post-norm-relu"},
      {.dir = "tests/data/checkpoints/odd-sizes-swish"},
      {.dir = "tests/data/checkpoints/pre-norm-gelu-learned"},
      {.dir = "tests/data/checkpoints/pre-norm-plain"},
      {.dir = "tests/data/checkpoints/interleaved-positions"},
      {.dir = "tests/data/checkpoints/post-norm-final-norm"},
      {.dir = "tests/data/checkpoints/separate-vocabularies"},
      {.dir = "tests/data/checkpoints/separate-embeddings-tied"},
      {.dir = "tests/data/checkpoints/multi-target"},
      {.dir = "tests/data/checkpoints/bart-tiny"},
      {.dir = "tests/data/checkpoints/nllb-tiny"},
      {.dir = "tests/data/checkpoints/t5-gated-tiny"},
      {"tests/data/checkpoints/post-norm-relu", "post-norm-gelu", "\"gelu\"", "\"relu\""},
      {"tests/data/checkpoints/pre-norm-plain", "pre-norm-swish", "\"swish\"", "\"relu\""},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
    g_autofree char *base = name_of(&models[i]);
    suite_add(&models[i], test_model, "/golden-trace/%s", base);
  }
}
