/* test-attribution.c — what must hold of attributions whatever the model: rows that sum to what
 * they are shares of, one word as its row of all, what is refused, stopped, or has no memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"
#include "engine-test.h"
#include "failing-malloc.h"
#include "golden.h"
#include "sentences.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define FROZEN "tests/data/frozen/en-de"
#define DOGS   "I have two dogs and a cat."

typedef struct {
  mt_model *model;
  mt_session *session;
  mt_translation *translation;
} Fixture;

static Fixture
open_fixture(const char *dir, const char *text)
{
  mt_error error = {0};
  Fixture f = {.model = sentences_model(dir)};
  f.session = sentences_session(f.model, 2, false);
  mt_search_params params = mt_search_params_default(f.model);
  params.max_length = 24;
  f.translation = mt_session_translate(f.session, text, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return f;
}

static void
close_fixture(Fixture *f)
{
  mt_translation_unref(f->translation);
  mt_session_free(f->session);
  mt_model_unref(f->model);
}

static mt_attribution *
attribute(const Fixture *f, const mt_attribution_params *params, const char *change)
{
  mt_error error = {0};
  g_autoptr(mt_interventions) interventions =
      change ? mt_interventions_parse(NULL, change, &error) : NULL;
  const mt_hooks hooks = {.interventions = interventions};
  mt_attribution *a = mt_attribution_new(f->session, f->translation, 0, params, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return a;
}

static double
row_sum(mt_matrix m, size_t row)
{
  double sum = 0;
  for (size_t j = 0; j < m.cols; j++)
    sum += mt_matrix_at(&m, row, j);
  return sum;
}

/* ---- Sums -------------------------------------------------------------------------------------
 */

static void
check_sums(const mt_attribution *a)
{
  const mt_attribution_method *about = mt_attribution_at(a->method);
  mt_matrix source = a->source, prefix = a->prefix;
  mt_matrix encoder = a->encoder;
  g_assert_cmpuint(source.rows, ==, prefix.rows);
  for (size_t t = 0; t < source.rows; t++) {
    const double s = row_sum(source, t), p = row_sum(prefix, t);
    /* What comes later is nothing. */
    for (size_t j = t + 1; j < prefix.cols; j++)
      g_assert_cmpfloat(mt_matrix_at(&prefix, t, j), ==, 0);
    if (about->sum == MT_ATTRIBUTION_EACH_ONE) {
      g_assert_cmpfloat_with_epsilon(s, 1, 1e-5);
      g_assert_cmpfloat_with_epsilon(p, 1, 1e-5);
    } else if (about->sum == MT_ATTRIBUTION_BOTH_ONE) {
      g_assert_cmpfloat_with_epsilon(s + p, 1, 1e-5);
    }
    for (size_t j = 0; !about->is_signed && j < source.cols; j++)
      g_assert_cmpfloat(mt_matrix_at(&source, t, j), >=, 0);
  }
  for (size_t i = 0; about->sum != MT_ATTRIBUTION_FREE && i < encoder.rows; i++)
    g_assert_cmpfloat_with_epsilon(row_sum(encoder, i), 1, 1e-5);
}

/* The row of a word that is asked for alone. */
static void
check_one(const Fixture *f, const mt_attribution *all, size_t token)
{
  mt_attribution_params params = mt_attribution_params_default();
  params.method = all->method;
  params.token = (int) token;
  g_autoptr(mt_attribution) one = attribute(f, &params, NULL);
  mt_matrix a = all->source, b = one->source;
  mt_matrix c = all->prefix, d = one->prefix;
  g_assert_cmpuint(one->first, ==, token);
  g_assert_cmpuint(b.rows, ==, 1);
  g_assert_null(one->encoder.data);
  for (size_t j = 0; j < a.cols; j++)
    g_assert_cmpfloat_with_epsilon(mt_matrix_at(&a, token, j), mt_matrix_at(&b, 0, j), 1e-5);
  for (size_t j = 0; j < c.cols; j++)
    g_assert_cmpfloat_with_epsilon(mt_matrix_at(&c, token, j), mt_matrix_at(&d, 0, j), 1e-5);
}

static void
test_sums(gconstpointer dir)
{
  Fixture f = open_fixture(dir, "the cat sat on the mat");
  for (size_t m = 0; m < mt_attribution_count(); m++) {
    mt_attribution_params params = mt_attribution_params_default();
    params.method = m;
    g_autoptr(mt_attribution) a = attribute(&f, &params, NULL);
    check_sums(a);
    check_one(&f, a, a->source.rows - 1);
  }
  close_fixture(&f);
}

/* Heads of all kinds that are off, turned round, and level, and one that is so for one query. */
#define CHANGES                                                                          \
  "encoder 1.1 zero\ndecoder 1.1 scale -1.5\ncross 1.1 scale 0.5\ncross 1.1 scale 3\n"   \
  "encoder 1.2 uniform\ndecoder 1.2 query 2 uniform\ncross 1.2 uniform\nsource 2 hide\n" \
  "encoder 1.1 window 2"

/* Rows of integrated gradients sum to the difference; the more steps the nearer. The embedding's
 * norm makes the path steep where embeddings are nearly 0. */
static void
check_complete(const char *dir, const char *changes)
{
  const bool is_steep = strstr(dir, "pre-norm") != NULL;
  Fixture f = open_fixture(dir, "the cat sat on the mat");
  mt_attribution_params params = mt_attribution_params_default();
  params.method = mt_attribution_find("integrated-gradients");
  params.n_steps = is_steep ? 1000 : 200;
  mt_attribution *a = attribute(&f, &params, changes);
  const float *differences = a->differences;
  for (size_t t = 0; t < a->source.rows; t++) {
    const double sum = row_sum(a->source, t) + row_sum(a->prefix, t);
    g_test_message("row %zu: %g of %g", t, sum, (double) differences[t]);
    g_assert_cmpfloat_with_epsilon(sum, differences[t], is_steep ? 0.05 : 0.002);
  }
  mt_attribution_unref(a);
  close_fixture(&f);
}

static void
test_complete(gconstpointer dir)
{
  check_complete(dir, NULL);
  check_complete(dir, CHANGES);
}

/* ---- Slopes ------------------------------------------------------------------------------------
 */

typedef struct {
  size_t token;
  float factor;
} Stretch;

/* The embedding of one source token, longer or shorter. */
static void
stretch(void *user, const mt_editable_activation *probe)
{
  const Stretch *s = user;
  if (probe->kind != MT_ENCODER_SELF)
    return;
  for (size_t i = 0; i < probe->cols; i++)
    probe->data[s->token * probe->stride + i] *= s->factor;
}

static mt_capture *
stretched(const Fixture *f, size_t token, float factor, const mt_interventions *interventions)
{
  mt_error error = {0};
  Stretch s = {token, factor};
  const mt_hooks hooks = {.interventions = interventions,
                          .hook_points = MT_HOOK_POINT_BIT(MT_HOOK_EMBEDDING),
                          .on_probe = stretch,
                          .user = &s};
  mt_capture *c = mt_session_capture(f->session, f->translation, 0, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return c;
}

/* The gradient times an embedding is the slope of log p along it, by differences. */
static void
check_slopes(const char *dir, const char *changes)
{
  const float step = 4e-3f;
  Fixture f = open_fixture(dir, "the cat sat");
  mt_attribution_params params = mt_attribution_params_default();
  params.method = mt_attribution_find("gradient-input");
  g_autoptr(mt_attribution) a = attribute(&f, &params, changes);
  g_autoptr(mt_interventions) interventions = changes ? sentences_parse(changes) : NULL;
  double largest = 0;
  for (size_t j = 0; j < a->source.cols; j++) {
    g_autoptr(mt_capture) more = stretched(&f, j, 1 + step, interventions);
    g_autoptr(mt_capture) less = stretched(&f, j, 1 - step, interventions);
    for (size_t t = 0; t < a->source.rows; t++) {
      const double slope =
          (mt_capture_logprobs(more)[t] - mt_capture_logprobs(less)[t]) / (2 * step);
      g_assert_cmpfloat_with_epsilon(mt_matrix_at(&a->source, t, j), slope,
                                     4e-3 * (1 + fabs(slope)));
      largest = fmax(largest, fabs(slope));
    }
  }
  if (strstr(dir, "checkpoints")) /* there is something to compare; toys are nearly flat */
    g_assert_cmpfloat(largest, >, 0.02);
  close_fixture(&f);
}

static void
test_slopes(gconstpointer dir)
{
  check_slopes(dir, NULL);
  check_slopes(dir, CHANGES);
}

/* Layers that hand everything on: the identity. */
static bool
hand_on(mt_attribution_work *work, mt_stack stack, size_t layer, const mt_layer_shares *shares,
        mt_error *error)
{
  const size_t n = stack == MT_STACK_ENCODER ? work->n_source : work->n_target;
  for (size_t i = 0; i < n; i++)
    shares->self[i * n + i] = 1;
  for (size_t i = 0; stack == MT_STACK_DECODER && i < n; i++)
    shares->kept[i] = 1;
  return true;
}

static void
test_identity(void)
{
  Fixture f = open_fixture(FROZEN, DOGS);
  mt_attribution_params params = mt_attribution_params_default();
  mt_attribution_work work;
  mt_error error = {0};
  g_assert_true(
      mt_attribution_begin(&work, f.session, f.translation, 0, &params, NULL, false, &error));
  const size_t s = work.n_source, t = work.n_target;
  g_autofree float *source = g_new0(float, t *s), *prefix = g_new0(float, t *t);
  g_autofree float *encoder = g_new0(float, s *s);
  const mt_attribution_rows out = {source, prefix, encoder, NULL};
  g_assert_true(mt_attribution_compose(&work, &out, hand_on, &error));
  for (size_t i = 0; i < t * s; i++)
    g_assert_cmpfloat(source[i], ==, 0);
  for (size_t i = 0; i < t * t; i++)
    g_assert_cmpfloat(prefix[i], ==, i % (t + 1) == 0);
  for (size_t i = 0; i < s * s; i++)
    g_assert_cmpfloat(encoder[i], ==, i % (s + 1) == 0);
  mt_attribution_end(&work);
  close_fixture(&f);
}

/* ---- Changes ----------------------------------------------------------------------------------
 */

/* Who hides a token finds nothing of it, by any method that asks what the model does with it. */
static void
test_hidden(void)
{
  static const char *const ids[] = {"weights",       "norms",          "alti",
                                    "value-zeroing", "gradient-input", "chefer"};
  Fixture f = open_fixture(FROZEN, DOGS);
  for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
    mt_attribution_params params = mt_attribution_params_default();
    params.method = mt_attribution_find(ids[i]);
    g_autoptr(mt_attribution) a = attribute(&f, &params, "source 3 hide");
    mt_matrix source = a->source;
    for (size_t t = 0; t < source.rows; t++) {
      g_assert_cmpfloat_with_epsilon(mt_matrix_at(&source, t, 2), 0, 1e-6);
      g_assert_cmpfloat(fabs(row_sum(source, t)), >, 0);
    }
  }
  close_fixture(&f);
}

/* A head that is off gives nothing: without all heads of a cross-attention nothing comes from the
 * source there. */
static void
test_off(void)
{
  Fixture f = open_fixture(FROZEN, DOGS);
  mt_attribution_params params = mt_attribution_params_default();
  mt_attribution *a = attribute(&f, &params, "cross zero");
  for (size_t t = 0; t < a->source.rows; t++)
    g_assert_cmpfloat_with_epsilon(row_sum(a->source, t), 0, 1e-6);
  mt_attribution_unref(a);
  params.method = mt_attribution_find("norms");
  params.layer = 1;
  a = attribute(&f, &params, "cross 2 zero");
  for (size_t t = 0; t < a->source.rows; t++)
    g_assert_cmpfloat_with_epsilon(row_sum(a->source, t), 0, 1e-6);
  mt_attribution_unref(a);
  close_fixture(&f);
}

/* ---- What is refused --------------------------------------------------------------------------
 */

static void
refuse(const Fixture *f, mt_attribution_params params, const char *change, const char *words)
{
  mt_error error = {0};
  g_autoptr(mt_interventions) interventions =
      change ? mt_interventions_parse(NULL, change, &error) : NULL;
  g_assert_cmpstr(error.message, ==, "");
  const mt_hooks hooks = {.interventions = interventions};
  g_assert_null(mt_attribution_new(f->session, f->translation, 0, &params, &hooks, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  if (!strstr(error.message, words))
    g_error("expected “%s” in “%s”", words, error.message);
}

static void
test_refused(void)
{
  Fixture f = open_fixture(FROZEN, DOGS);
  const mt_attribution_params good = mt_attribution_params_default();
  mt_attribution_params bad = good;
  bad.method = mt_attribution_count();
  refuse(&f, bad, NULL, "There is no method");
  bad = good;
  bad.token = 1000;
  refuse(&f, bad, NULL, "There is no output token 1001");
  bad = good;
  bad.layer = 6;
  refuse(&f, bad, NULL, "There is no layer 7");
  bad = good;
  bad.head = 8;
  refuse(&f, bad, NULL, "There is no head 9");
  bad = good;
  bad.n_steps = 5000;
  refuse(&f, bad, NULL, "not 5000");
  refuse(&f, good, "encoder 1.1 previous", "previous");
  mt_error error = {0};
  g_assert_null(mt_attribution_new(f.session, f.translation, 9, &good, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_null(mt_method_comparison_new(f.session, f.translation, 0, &good, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_cmpuint(mt_attribution_find("nothing"), ==, mt_attribution_count());
  close_fixture(&f);
}

/* With heads off a bench has every method as it is alone. */
static void
test_bench_changed(void)
{
  Fixture f = open_fixture("tests/data/checkpoints/post-norm-relu", "the cat sat");
  mt_error error = {0};
  mt_interventions *interventions = sentences_parse("source 1 hide\ncross 1.1 zero");
  const mt_hooks hooks = {.interventions = interventions};
  mt_attribution_params params = mt_attribution_params_default();
  params.token = 1;
  mt_method_comparison *bench =
      mt_method_comparison_new(f.session, f.translation, 0, &params, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  for (size_t m = 0; m < mt_attribution_count(); m++) {
    params.method = m;
    mt_attribution *alone =
        mt_attribution_new(f.session, f.translation, 0, &params, &hooks, &error);
    g_assert_cmpstr(error.message, ==, "");
    const mt_matrix a = alone->source, b = bench->attributions[m]->source;
    for (size_t i = 0; i < a.cols; i++)
      g_assert_cmpfloat(mt_matrix_at(&a, 0, i), ==, mt_matrix_at(&b, 0, i));
    mt_attribution_unref(alone);
  }
  mt_method_comparison_free(bench);
  mt_interventions_unref(interventions);
  close_fixture(&f);
}

/* Of other words, or by another method, there is no difference. */
static void
test_no_difference(void)
{
  Fixture f = open_fixture("tests/data/checkpoints/post-norm-relu", "the cat sat");
  mt_attribution_params params = mt_attribution_params_default();
  mt_error error = {0};
  mt_attribution *all = mt_attribution_new(f.session, f.translation, 0, &params, NULL, &error);
  params.token = 1;
  mt_attribution *one = mt_attribution_new(f.session, f.translation, 0, &params, NULL, &error);
  params.method = 0;
  mt_attribution *other = mt_attribution_new(f.session, f.translation, 0, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_null(mt_attribution_difference(one, all, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_null(mt_attribution_difference(one, other, &error));
  mt_attribution *same = mt_attribution_difference(all, all, &error);
  for (gsize i = 0; i < same->source.rows * same->source.cols; i++)
    g_assert_cmpfloat(same->source.data[i], ==, 0);
  mt_attribution_unref(same);
  mt_attribution_unref(other);
  mt_attribution_unref(one);
  mt_attribution_unref(all);
  close_fixture(&f);
}

/* ---- Stopping, and progress -------------------------------------------------------------------
 */

typedef struct {
  size_t calls, last; /* stop at call `last` */
  double share;
} Watch;

static bool
should_stop(void *user)
{
  Watch *watch = user;
  return ++watch->calls == watch->last;
}

static void
on_progress(void *user, double share)
{
  Watch *watch = user;
  g_assert_cmpfloat(share, >=, watch->share);
  g_assert_cmpfloat(share, <=, 1);
  watch->share = share;
}

static void
test_stopped(void)
{
  Fixture f = open_fixture("tests/data/checkpoints/post-norm-relu", "the cat sat");
  Watch watch = {0};
  mt_attribution_params params = mt_attribution_params_default();
  params.token = 1;
  params.n_steps = 3;
  params.on_progress = on_progress;
  params.user = &watch;
  const mt_hooks hooks = {.should_stop = should_stop, .user = &watch};
  mt_error error = {0};
  mt_method_comparison *bench =
      mt_method_comparison_new(f.session, f.translation, 0, &params, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_method_comparison_free(bench);
  g_assert_cmpfloat(watch.share, >, 0.9);
  const size_t n = watch.calls;
  g_assert_cmpuint(n, >, 100);
  for (size_t i = 1; i <= n; i += 1 + n / 50) {
    watch = (Watch){.last = i};
    g_assert_null(mt_method_comparison_new(f.session, f.translation, 0, &params, &hooks, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
    g_assert_cmpuint(watch.calls, ==, i);
  }
  close_fixture(&f);
}

/* ---- Memory -----------------------------------------------------------------------------------
 */

static void
test_no_memory(void)
{
  Fixture f = open_fixture("tests/data/checkpoints/post-norm-relu", "the cat");
  mt_session_free(f.session);
  f.session = sentences_session(f.model, 1, false);
  mt_attribution_params params = mt_attribution_params_default();
  params.token = 0;
  params.n_steps = 1;
  size_t failed = 0;
  for (size_t i = 1;; i += 1 + i / 40) {
    mt_error error = {0};
    failing_malloc_begin(i, false);
    mt_method_comparison *bench =
        mt_method_comparison_new(f.session, f.translation, 0, &params, NULL, &error);
    mt_method_comparison *difference =
        bench ? mt_method_comparison_difference(bench, bench, &error) : NULL;
    const bool is_made = difference != NULL;
    mt_method_comparison_free(bench);
    mt_method_comparison_free(difference);
    const size_t n = failing_malloc_end();
    g_assert_cmpuint(failing_malloc_leaks(), ==, 0);
    g_assert_cmpint(error.code, ==, is_made ? MT_OK : MT_ERROR_NO_MEMORY);
    failed += !is_made;
    if (n < i)
      break;
  }
  g_assert_cmpuint(failed, >=, 50);
  close_fixture(&f);
}

TESTS()
{
  static const char *const names[] = {"post-norm-relu", "pre-norm-gelu-learned", "odd-sizes-swish",
                                      "interleaved-positions"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *sums = g_strdup_printf("/attribution/sums/%s", names[i]);
    g_autofree char *complete = g_strdup_printf("/attribution/complete/%s", names[i]);
    g_autofree char *dir = g_strdup_printf("tests/data/checkpoints/%s", names[i]);
    g_test_add_data_func_full(sums, g_strdup(dir), test_sums, g_free);
    if (i % suite_stride(1, 4) == 0)
      g_test_add_data_func_full(complete, g_strdup(dir), test_complete, g_free);
  }
  g_test_add_data_func("/attribution/sums/like-t5", "toy/t5", test_sums);
  static const char *const sloped[] = {"tests/data/checkpoints/odd-sizes-swish", "toy/t5",
                                       "toy/relative"};
  for (size_t i = 0; i < G_N_ELEMENTS(sloped); i++) {
    const char *name = strrchr(sloped[i], '/') + 1;
    suite_add(sloped[i], test_slopes, "/attribution/slopes/%s", name);
  }
  g_test_add_func("/attribution/identity", test_identity);
  g_test_add_func("/attribution/hidden", test_hidden);
  g_test_add_func("/attribution/off", test_off);
  g_test_add_func("/attribution/bench-changed", test_bench_changed);
  g_test_add_func("/attribution/refused", test_refused);
  g_test_add_func("/attribution/no-difference", test_no_difference);
  g_test_add_func("/attribution/stopped", test_stopped);
  g_test_add_func("/attribution/no-memory", test_no_memory);
}
