/* test-golden-attributions.c — every method of attribution against PyTorch in double, by the
 * papers' formulas and Captum (tests/reference/make_attributions.py); and the bench.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "mt.h"
#include "sentences.h"
#include "suite.h"

#include <glib.h>
#include <math.h>

/* Of the largest number of a matrix, or of 1 where that is less. */
#define TOLERANCE 1e-4

typedef struct {
  golden *golden;
  mt_model *model;
  mt_session *session;
  mt_translation *translation;
  mt_interventions *interventions; /* NULL: none */
} fixture;

static void
check_matrix(const fixture *f, const char *name, const char *part, mt_matrix m)
{
  g_autofree char *tensor = g_strdup_printf("%s.%s", name, part);
  size_t n;
  const float *want = golden_f32(f->golden, tensor, &n);
  g_assert_cmpuint(n, ==, m.rows * m.cols);
  double largest = 1;
  for (size_t i = 0; i < n; i++)
    largest = MAX(largest, fabs(want[i]));
  for (size_t i = 0; i < n; i++) {
    const double found = mt_matrix_at(&m, i / m.cols, i % m.cols);
    if (!(fabs(found - want[i]) <= TOLERANCE * largest))
      g_error("%s row %zu column %zu: expected %g, found %g", tensor, i / m.cols, i % m.cols,
              want[i], found);
  }
}

static mt_attribution *
attribute(const fixture *f, const mt_attribution_params *params)
{
  mt_error error = {0};
  const mt_hooks hooks = {.interventions = f->interventions};
  mt_attribution *a = mt_attribution_new(f->session, f->translation, 0, params, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return a;
}

static void
check_method(const fixture *f, size_t method)
{
  const mt_attribution_method *about = mt_attribution_at(method);
  mt_attribution_params params = mt_attribution_params_default();
  params.method = method;
  g_autoptr(mt_attribution) a = attribute(f, &params);
  check_matrix(f, about->id, "source", a->source);
  check_matrix(f, about->id, "prefix", a->prefix);
  mt_matrix encoder = a->encoder;
  g_assert_cmpint(encoder.data != NULL, ==, about->has_encoder);
  if (about->has_encoder)
    check_matrix(f, about->id, "encoder", encoder);
  const float *differences = a->differences;
  g_assert_cmpint(differences != NULL, ==, about->sum == MT_ATTRIBUTION_DIFFERENCE);
  if (differences) {
    size_t n;
    const float *want = golden_f32(f->golden, "integrated-gradients.difference", &n);
    for (size_t t = 0; t < n; t++)
      g_assert_cmpfloat_with_epsilon(differences[t], want[t], TOLERANCE);
  }
}

/* One layer, one head; what of one token is its row of all. */
static void
check_parts(const fixture *f)
{
  static const char *const ids[] = {"weights", "norms"};
  for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
    g_autofree char *name = g_strdup_printf("%s.2.1", ids[i]);
    g_autofree char *tensor = g_strdup_printf("%s.source", name);
    if (!golden_find(f->golden, tensor))
      continue;
    mt_attribution_params params = {.method = mt_attribution_find(ids[i]),
                                    .token = -1,
                                    .layer = 1,
                                    .head = 0};
    g_autoptr(mt_attribution) a = attribute(f, &params);
    check_matrix(f, name, "source", a->source);
    check_matrix(f, name, "prefix", a->prefix);
    check_matrix(f, name, "encoder", a->encoder);
  }
}

/* Rank correlations jump where two numbers change places: those that rounding puts in another order
 * are not compared. Curves are, as long as the same tokens are hidden. */
static void
check_bench(const fixture *f)
{
  const size_t n_methods = mt_attribution_count();
  mt_attribution_params params = mt_attribution_params_default();
  mt_error error = {0};
  params.token = golden_i32(f->golden, "word", NULL)[0];
  mt_method_comparison *bench =
      mt_method_comparison_new(f->session, f->translation, 0, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  size_t n;
  const float *spearman = golden_f32(f->golden, "spearman", &n);
  const float *curves = golden_f32(f->golden, "deletion.curve", NULL);
  const int32_t *orders = golden_i32(f->golden, "deletion.order", NULL);
  g_assert_cmpuint(n, ==, n_methods * n_methods);
  size_t n_same = 0;
  for (size_t m = 0; m < n_methods; m++) {
    const mt_attribution *a = bench->attributions[m];
    mt_matrix source = a->source;
    g_assert_cmpuint(source.rows, ==, 1);
    const size_t *order = bench->order + m * bench->n_source;
    const float *curve = bench->deletion + m * (bench->n_source + 1);
    size_t same = 0;
    while (same < source.cols && order[same] == (size_t) orders[m * source.cols + same])
      same++;
    n_same += same == source.cols;
    double area = 0;
    for (size_t i = 0; i < source.cols; i++) {
      if (i < same)
        g_assert_cmpfloat_with_epsilon(curve[i], curves[m * source.cols + i], TOLERANCE);
      area += curve[0] - (curve[i] + curve[i + 1]) / 2.0;
    }
    g_assert_cmpfloat_with_epsilon(mt_method_comparison_area(bench, m), area / (double) source.cols,
                                   1e-6);
    for (size_t k = 0; k < n_methods; k++) {
      const double rho = bench->spearman[m * bench->n_methods + k];
      g_assert_cmpfloat(rho, ==, bench->spearman[k * bench->n_methods + m]);
      g_assert_cmpfloat_with_epsilon(rho, spearman[m * n_methods + k], 0.02);
    }
    g_assert_cmpfloat_with_epsilon(bench->spearman[m * bench->n_methods + m], 1, 1e-12);
  }
  /* Most are in the same order. */
  g_assert_cmpuint(n_same, >=, n_methods - 1);
  mt_method_comparison_free(bench);
}

static fixture
open_fixture(const char *name, const char *prefix)
{
  const gboolean is_frozen = g_str_equal(name, "frozen");
  g_autofree char *file = g_strdup_printf("attributions-%s%s.safetensors", prefix, name);
  g_autofree char *relative = is_frozen ? g_strdup("tests/data/frozen/en-de")
                                        : g_strdup_printf("tests/data/checkpoints/%s", name);
  mt_error error = {0};
  fixture f = {.golden = golden_open(file), .model = sentences_model(relative)};
  f.session = sentences_session(f.model, 0, false);
  g_autofree char *source = golden_text(f.golden, "source_text", NULL);
  g_autofree char *target = golden_text(f.golden, "target_text", NULL);
  f.translation = mt_session_score(f.session, source, target, -1, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return f;
}

static void
close_fixture(fixture *f)
{
  mt_interventions_unref(f->interventions);
  mt_translation_unref(f->translation);
  mt_session_free(f->session);
  mt_model_unref(f->model);
  golden_close(f->golden);
}

static void
test_model(gconstpointer name)
{
  fixture f = open_fixture(name, "");
  for (size_t m = 0; m < mt_attribution_count(); m++)
    check_method(&f, m);
  check_parts(&f);
  check_bench(&f);
  close_fixture(&f);
}

/* Heads that are off, scaled and level, in methods that run the model again, or back. */
static void
test_changed(gconstpointer name)
{
  static const char *const ids[] = {"value-zeroing", "occlusion", "gradient-input",
                                    "integrated-gradients", "chefer"};
  fixture f = open_fixture(name, "changed-");
  g_autofree char *changes = golden_text(f.golden, "changes", NULL);
  f.interventions = sentences_parse(changes);
  for (size_t i = 0; i < G_N_ELEMENTS(ids); i++)
    check_method(&f, mt_attribution_find(ids[i]));
  close_fixture(&f);
}

TESTS()
{
  static const char *const names[] = {
      "post-norm-relu",  "post-norm-final-norm",  "pre-norm-gelu-learned",
      "odd-sizes-swish", "separate-vocabularies", "zero-pad",
      "bart-tiny",       "t5-gated-tiny",         "frozen"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
    suite_add(names[i], test_model, "/golden-attributions/%s", names[i]);
  static const char *const changed[] = {"post-norm-relu", "pre-norm-gelu-learned", "t5-gated-tiny"};
  for (size_t i = 0; i < G_N_ELEMENTS(changed); i++)
    suite_add(changed[i], test_changed, "/golden-attributions/changed/%s", changed[i]);
}
