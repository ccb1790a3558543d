/* test-order.c — tokens that change places: without positions the encoder's outputs do so too, and
 * nothing else happens; with them it does.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "suite.h"

#include <mt.h>

#include <string.h>

#define DOGS "I have two dogs."
/* Of a largest output of about 1. */
#define ROUNDING 2e-5

typedef struct {
  mt_model *model;
  mt_tokens *source;
  size_t n;
} Fixture;

static Fixture
open_fixture(const char *dir, const char *text)
{
  mt_error error = {0};
  Fixture f = {.model = sentences_model(dir)};
  f.source = mt_model_tokenize(f.model, MT_STACK_ENCODER, text, &error);
  g_assert_cmpstr(error.message, ==, "");
  f.n = mt_tokens_count(f.source);
  return f;
}

static void
close_fixture(Fixture *f)
{
  mt_tokens_unref(f->source);
  mt_model_unref(f->model);
}

static mt_permutation_difference
compare(const Fixture *f, const size_t *order, const char *text)
{
  mt_error error = {0};
  g_autoptr(mt_interventions) interventions = sentences_parse(text);
  const mt_hooks hooks = {.interventions = interventions};
  mt_permutation_difference result;
  g_assert_true(mt_permutation_compare(f->model, f->source, order, &hooks, &result, &error));
  g_assert_cmpstr(error.message, ==, "");
  return result;
}

/* An order of all tokens but the last: from behind, or two that are exchanged. */
static size_t *
reversed(size_t n)
{
  size_t *order = g_new(size_t, n);
  for (size_t i = 0; i + 1 < n; i++)
    order[i] = n - 2 - i;
  order[n - 1] = n - 1;
  return order;
}

static size_t *
exchanged(size_t n, size_t a, size_t b)
{
  size_t *order = g_new(size_t, n);
  for (size_t i = 0; i < n; i++)
    order[i] = i == a ? b : i == b ? a : i;
  return order;
}

/* Models after and before the norm, with computed and with learned positions: positions are all
 * that the encoder knows of order. */
static void
test_law(void)
{
  static const char *const dirs[] = {
      "tests/data/frozen/en-de",
      "tests/data/checkpoints/post-norm-relu",
      "tests/data/checkpoints/odd-sizes-swish",
      "tests/data/checkpoints/pre-norm-gelu-learned",
      "tests/data/checkpoints/interleaved-positions",
      "toy/t5",
      "toy/relative",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++) {
    Fixture f = open_fixture(dirs[i], "the train goes from Paris to Berlin");
    g_assert_cmpuint(f.n, >, 4);
    size_t *tried[] = {reversed(f.n), exchanged(f.n, 0, f.n - 2), exchanged(f.n, 1, 2)};
    for (size_t k = 0; k < G_N_ELEMENTS(tried); k++) {
      const mt_permutation_difference off = compare(&f, tried[k], "source position zero");
      const mt_permutation_difference on = compare(&f, tried[k], "");
      g_test_message("%s, order %zu: %g without positions, %g with, of %g", dirs[i], k,
                     off.difference, on.difference, off.largest);
      g_assert_cmpfloat(off.difference, <, ROUNDING * (1 + off.largest));
      g_assert_cmpfloat(on.difference, >, 100 * off.difference);
      g_assert_cmpfloat(on.difference, >, 1e-3);
      /* Those without an encoding may change places among each other, and no others. */
      const double some = compare(&f, tried[k], "source position 2-4 zero").difference;
      if (k == 2)
        g_assert_cmpfloat(some, <, ROUNDING * (1 + off.largest));
      else
        g_assert_cmpfloat(some, >, 1e-3);
      g_free(tried[k]);
    }
    close_fixture(&f);
  }
}

/* Two tokens that change places and take their encodings with them have not moved at all. */
static void
test_swap(void)
{
  Fixture f = open_fixture("tests/data/frozen/en-de", DOGS);
  g_autofree size_t *same = exchanged(f.n, 0, 0), *order = exchanged(f.n, 1, 3);
  g_assert_cmpfloat(compare(&f, same, "").difference, ==, 0);
  /* Zero for all but two, which have the same encoding. */
  const char *alike = "source position 2 as 7\nsource position 4 as 7\nsource position zero";
  const char *fixed = "source position 2 as 7\nsource position 4 as 7";
  g_assert_cmpfloat(compare(&f, order, fixed).difference, <, ROUNDING * 10);
  g_assert_cmpfloat(compare(&f, order, alike).difference, <, ROUNDING * 10);
  /* Of the same tokens in another order there is another text, and a translation. */
  mt_error error = {0};
  g_autoptr(mt_translation) t = mt_permutation_translate(f.model, f.source, order, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpstr(mt_tokens_text(mt_translation_source(t)), ==, "I dog two haves.");
  g_assert_cmpuint(mt_translation_count(t), >, 0);
  order[0] = order[1];
  g_assert_null(mt_permutation_translate(f.model, f.source, order, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  close_fixture(&f);
}

static bool
stop(void *user)
{
  return true;
}

static void
test_refused(void)
{
  Fixture f = open_fixture("tests/data/frozen/en-de", DOGS);
  mt_permutation_difference result;
  mt_error error = {0};
  g_autofree size_t *order = exchanged(f.n, 0, 0);
  order[1] = 0;
  g_assert_false(mt_permutation_compare(f.model, f.source, order, NULL, &result, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_nonnull(strstr(error.message, "place 2"));
  order[1] = f.n;
  g_assert_false(mt_permutation_compare(f.model, f.source, order, NULL, &result, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  order[1] = 1;
  const mt_hooks stopped = {.should_stop = stop};
  g_assert_false(mt_permutation_compare(f.model, f.source, order, &stopped, &result, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
  g_autoptr(mt_interventions) interventions =
      mt_interventions_parse("test", "encoder 99 zero", NULL);
  const mt_hooks wrong = {.interventions = interventions};
  g_assert_false(mt_permutation_compare(f.model, f.source, order, &wrong, &result, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_true(mt_permutation_compare(f.model, f.source, order, NULL, &result, &error));
  g_assert_cmpfloat(result.difference, ==, 0);
  close_fixture(&f);
}

TESTS()
{
  g_test_add_func("/order/law", test_law);
  g_test_add_func("/order/swap", test_swap);
  g_test_add_func("/order/refused", test_refused);
}
