/* test-lesson-measures.c — terms and conditions of lessons, and what they measure in a model:
 * against captures, scores and formulas.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-test.h"
#include "learn/regard-lesson-check.h"
#include "learn/regard-term.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define SENTENCE "I have two dogs and a cat."

static mt_model *model;
static mt_session *session;

static gboolean
begin(void)
{
  mt_error error = {0};
  model = app_test_open(app_test_model_dir());
  session = mt_session_new(model, NULL, &error);
  g_assert_nonnull(session);
  return TRUE;
}

static void
end(void)
{
  mt_session_free(session);
  mt_model_unref(model);
}

/* With names a = 3 and b = "two". */
static const RegardName names[] = {{"a", FALSE}, {"b", TRUE}};

static RegardValue
compute_with(RegardRuns *runs, const char *text, const char *changes)
{
  mt_error error = {0};
  g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(RegardName));
  g_array_append_vals(list, names, G_N_ELEMENTS(names));
  g_auto(RegardScanner) scanner = {.at = text, .names = list};
  g_autoptr(RegardTerm) term = regard_term_read(&scanner);
  if (!term || !regard_scanner_is_at_end(&scanner))
    g_error("%s: %s", text, scanner.problem ? scanner.problem : scanner.at);
  g_autoptr(mt_interventions) interventions = mt_interventions_parse("test", changes, &error);
  const RegardValue values[] = {{.number = 3}, {.text = (char *) "two"}};
  const RegardSetting setting = {
      .here = {.runs = runs, .text = SENTENCE, .interventions = interventions},
      .own = "I have a dog.",
      .values = values,
  };
  RegardValue value;
  if (!regard_term_compute(term, &setting, &value, &error))
    g_error("%s: %s", text, error.message);
  g_assert_true(regard_term_is_text(term) == (value.text != NULL));
  return value;
}

static double
number(RegardRuns *runs, const char *text)
{
  return compute_with(runs, text, "").number;
}

static void
assert_text(RegardRuns *runs, const char *term, const char *expected)
{
  RegardValue value = compute_with(runs, term, "");
  g_assert_cmpstr(value.text, ==, expected);
  regard_value_clear(&value);
}

static void
test_arithmetic(void)
{
  g_autoptr(RegardRuns) runs = regard_runs_new(session, NULL);
  static const struct {
    const char *term;
    double value;
  } cases[] = {
      {"1 + 2 * 3", 7},      {"(1 + 2) * 3", 9},       {"10 - 4 - 3", 3},  {"8 / 4 / 2", 1},
      {"7 ÷ 2 × 4 − 1", 13}, {"a * a - -1.5", 10.5},   {"2 - (3 - 4)", 3}, {"12 / (a * 2)", 2},
      {"-2 * -3", 6},        {"words + pieces(b)", 8},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    g_assert_cmpfloat(number(runs, cases[i].term), ==, cases[i].value);
  g_assert_true(isnan(number(runs, "1 / 0")));
  g_assert_true(isnan(number(runs, "weight(cross 1.1, \"elephant\", 1)")));
}

static void
test_conditions(void)
{
  g_autoptr(RegardRuns) runs = regard_runs_new(session, NULL);
  static const struct {
    const char *condition;
    gboolean holds;
  } cases[] = {
      {"1 < 2", TRUE},
      {"2 < 2", FALSE},
      {"2 <= 2", TRUE},
      {"2 ≥ 2.1", FALSE},
      {"0.3 = 0.1 + 0.2", TRUE},
      {"1 != 1.1", TRUE},
      {"1 = 1 and 2 = 3", FALSE},
      {"1 = 1 and 2 = 2 and 3 > 2", TRUE},
      {"translation ~ \"zwei\"", TRUE},
      {"translation ~ \"drei\"", FALSE},
      {"translation = translation with \"none\"", TRUE},
      {"translation != translation of own", TRUE},
      /* What is not there is equal to nothing, and different from nothing. */
      {"1 / 0 = 1", FALSE},
      {"1 / 0 != 1", FALSE},
      {"1 / 0 < 1", FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_error error = {0};
    g_auto(RegardScanner) scanner = {.at = cases[i].condition};
    g_autoptr(RegardCondition) condition = regard_condition_read(&scanner);
    const RegardSetting setting = {.here = {.runs = runs, .text = SENTENCE},
                                   .own = "I have a dog."};
    gboolean holds;
    g_assert_nonnull(condition);
    g_assert_true(regard_condition_holds(condition, &setting, &holds, &error));
    if (holds != cases[i].holds)
      g_error("%s", cases[i].condition);
  }
}

static void
test_texts(void)
{
  g_autoptr(RegardRuns) runs = regard_runs_new(session, NULL);
  assert_text(runs, "translation", "Ich habe zwei Hunde und eine Katze.");
  assert_text(runs, "translation of \"I have a dog.\"", "Ich habe einen Hund.");
  assert_text(runs, "translation of own", "Ich habe einen Hund.");
  assert_text(runs, "source", SENTENCE);
  assert_text(runs, "longest-word", "have");
  assert_text(runs, "changes", "");
  assert_text(runs, "changes with \"cross 1.1 zero\" with \"source 2 hide\"",
              "cross 1.1 zero\nsource 2 hide");
  g_assert_cmpfloat(number(runs, "words"), ==, 7);
  g_assert_cmpfloat(number(runs, "tokens - pieces(source)"), ==, 1); /* the end */
  g_assert_cmpfloat(number(runs, "missing-words"), ==, 0);
  assert_text(runs, "beam-translation(1)", "Ich habe zwei Hunde und eine Katze.");
  assert_text(runs, "beam-translation(1000)", "");
}

/* What a capture has. */
static void
test_weights(void)
{
  mt_error error = {0};
  g_autoptr(RegardRuns) runs = regard_runs_new(session, NULL);
  g_autoptr(mt_translation) translation =
      mt_session_translate(session, SENTENCE, NULL, NULL, &error);
  g_autoptr(mt_capture) capture =
      mt_session_capture(session, translation, 0, MT_CAPTURE_SCORES, NULL, &error);
  const gsize n_source = mt_tokens_count(mt_capture_source(capture)),
              n_output = mt_tokens_count(mt_capture_output(capture));
  const mt_matrix weights = mt_capture_weights(capture, MT_CROSS, 3, 0),
                  scores = mt_capture_scores(capture, MT_CROSS, 3, 0);
  g_assert_cmpfloat(number(runs, "weight(cross 4.1, a, 2)"), ==,
                    (double) weights.data[2 * n_source + 1]);
  g_assert_cmpfloat(number(runs, "weight(cross 4.1, \"zwei\", \"two\")"), ==,
                    (double) weights.data[2 * n_source + 2]);
  g_assert_cmpfloat(number(runs, "score(cross 4.1, 3, 2)"), ==,
                    (double) scores.data[2 * n_source + 1]);
  g_assert_cmpfloat_with_epsilon(number(runs, "row-sum(cross 4.1, 3)"), 1, 1e-5);
  double column = 0;
  for (gsize r = 0; r < n_output; r++)
    column += (double) weights.data[r * n_source + 1];
  g_assert_cmpfloat_with_epsilon(number(runs, "column-sum(cross 4.1, 2)"), column, 1e-9);
  g_assert_cmpfloat(number(runs, "cells(cross)"), ==, (double) (n_source * n_output));
  g_assert_cmpfloat(number(runs, "masked-cells"), ==, (double) (n_output * (n_output - 1) / 2));
  /* Shares of all keys. */
  double shares = 0;
  for (guint i = 1; i <= n_source; i++) {
    g_autofree char *term = g_strdup_printf("received-share(encoder, %u)", i);
    shares += number(runs, term);
  }
  g_assert_cmpfloat_with_epsilon(shares, 1, 1e-9);
  RegardValue most = compute_with(runs, "received(encoder)", "");
  g_autofree char *share = g_strdup_printf("received-share(encoder, \"%s\")", most.text);
  g_assert_cmpfloat(number(runs, share), >=, 1.0 / (double) n_source);
  regard_value_clear(&most);
  /* Alike weights: 1/n each, and the most that a row can learn. */
  const double n = (double) n_source;
  g_assert_cmpfloat_with_epsilon(number(runs, "sharpness(encoder) with \"encoder uniform\""), 1 / n,
                                 1e-6);
  g_assert_cmpfloat_with_epsilon(number(runs, "gradient(encoder) with \"encoder uniform\""),
                                 1 - 1 / n, 1e-6);
  g_assert_cmpfloat_with_epsilon(number(runs, "entropy(encoder 2.1) with \"encoder uniform\""),
                                 log2(n), 1e-5);
  assert_text(runs, "top-key(encoder 2.1, 1) with \"encoder 2.1 next\"", "have");
  assert_text(runs, "top-key(encoder 2.1, \"elephant\")", "");
  g_assert_cmpfloat_with_epsilon(number(runs, "next-share(encoder 2.1) with \"encoder 2.1 next\""),
                                 1, 1e-6);
  g_assert_cmpfloat(number(runs, "row-sum(sharpest, 1)"), >, 0.999);
}

/* The cell that somebody chose. */
static void
test_chosen(void)
{
  mt_error error = {0};
  g_autoptr(RegardRuns) runs = regard_runs_new(session, NULL);
  const RegardMeasure *weight = regard_measure_find("chosen-weight"),
                      *kind = regard_measure_find("chosen-kind");
  const RegardArgument nothing[REGARD_MEASURE_MOST_ARGUMENTS] = {0};
  RegardSituation here = {.runs = runs, .text = SENTENCE};
  RegardValue value;
  g_assert_true(regard_measure_take(weight, &here, nothing, &value, &error));
  g_assert_true(isnan(value.number));
  here.has_cell = TRUE;
  here.kind = MT_CROSS;
  here.layer = 3;
  here.row = 2;
  here.column = 1;
  g_assert_true(regard_measure_take(weight, &here, nothing, &value, &error));
  g_assert_cmpfloat(value.number, ==, number(runs, "weight(cross 4.1, 3, 2)"));
  g_assert_true(regard_measure_take(kind, &here, nothing, &value, &error));
  g_assert_cmpstr(value.text, ==, "cross");
  regard_value_clear(&value);
  /* One that is gone since. */
  here.row = 1000;
  g_assert_true(regard_measure_take(weight, &here, nothing, &value, &error));
  g_assert_true(isnan(value.number));
}

static void
test_probabilities(void)
{
  mt_error error = {0};
  g_autoptr(RegardRuns) runs = regard_runs_new(session, NULL);
  g_autoptr(mt_translation) translation =
      mt_session_translate(session, SENTENCE, NULL, NULL, &error);
  const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, 0);
  g_assert_cmpfloat(number(runs, "logp"), ==, (double) hypothesis->sum_logprob);
  g_assert_cmpfloat(number(runs, "output-tokens"), ==,
                    (double) mt_tokens_count(hypothesis->tokens));
  g_assert_cmpfloat(number(runs, "largest-p"), >=, number(runs, "least-p"));
  g_assert_cmpfloat(number(runs, "beam-score(4)"), >, number(runs, "beam-logp(4)"));
  g_assert_cmpfloat_with_epsilon(number(runs, "fall"), 0, 1e-6);
  /* The same by two ways: one head's change, and the effects of all heads. */
  const double effect = number(runs, "effect(cross 5.5)");
  g_assert_cmpfloat_with_epsilon(number(runs, "fall with \"cross 5.5 zero\""), effect, 1e-3);
  RegardValue here = compute_with(runs, "fall", "cross 5.5 zero");
  g_assert_cmpfloat_with_epsilon(here.number, effect, 1e-3);
  g_assert_cmpfloat(number(runs, "fall with \"cross uniform\""), >, 1);
  g_assert_cmpfloat(number(runs, "missing-words with \"cross uniform\""), >, 0);
  const double rank = number(runs, "effect-rank(cross 5.5)");
  g_assert_true(rank >= 1 && rank <= 144);
}

static void
test_order_and_layers(void)
{
  g_autoptr(RegardRuns) runs = regard_runs_new(session, NULL);
  g_assert_cmpfloat(number(runs, "order-difference"), >, 0.1);
  g_assert_cmpfloat(number(runs, "order-difference with \"source position zero\""), <, 1e-3);
  RegardValue a = compute_with(runs, "translation with \"source position zero\"", ""),
              b = compute_with(runs, "translation of reversed with \"source position zero\"", "");
  g_assert_cmpstr(a.text, ==, b.text);
  regard_value_clear(&a);
  regard_value_clear(&b);
  const double first = number(runs, "lens-first(2)");
  g_assert_true(first >= 1 && first <= 6 && first == floor(first));
  const double cosine = number(runs, "cosine(6)");
  g_assert_true(cosine > -1 && cosine < 1);
  g_assert_true(isnan(number(runs, "cosine(7)")));
  g_assert_true(isfinite(number(runs, "context(cross 4.1, 1, 1)")));
  g_assert_true(isnan(number(runs, "context(cross 4.1, 1, 1000)")));
  g_assert_true(isnan(number(runs, "value(cross 4.1, 1000, 1)")));
  /* The context is the sum of the values, each times its weight. */
  const guint n = (guint) number(runs, "tokens");
  double sum = 0;
  for (guint k = 1; k <= n; k++) {
    g_autofree char *part =
        g_strdup_printf("weight(cross 4.1, 2, %u) * value(cross 4.1, %u, 3)", k, k);
    sum += number(runs, part);
  }
  g_assert_cmpfloat_with_epsilon(number(runs, "context(cross 4.1, 2, 3)"), sum, 1e-4);
  RegardValue fork = compute_with(runs, "fork", ""), own = compute_with(runs, "translation", "");
  g_assert_cmpstr(fork.text, !=, own.text);
  g_assert_cmpfloat(number(runs, "fork-changed"), >=, 0);
  regard_value_clear(&fork);
  regard_value_clear(&own);
}

/* Numbers of a text, as somebody takes them from a lesson; returns how many. */
static guint
read_numbers(RegardRuns *runs, const char *term, double *numbers)
{
  RegardValue value = compute_with(runs, term, "");
  g_auto(GStrv) parts = g_strsplit(value.text, "; ", -1);
  const guint n = *value.text ? g_strv_length(parts) : 0;
  g_assert_cmpuint(n, <=, 8);
  for (guint i = 0; i < n; i++)
    numbers[i] = g_str_has_prefix(parts[i], "−") ? -g_ascii_strtod(parts[i] + strlen("−"), NULL)
                                                 : g_ascii_strtod(parts[i], NULL);
  regard_value_clear(&value);
  return n;
}

/* What a lesson prints of q and k is enough to compute the score by hand. */
static void
test_query_and_key(void)
{
  mt_error error = {0};
  g_autofree char *dir =
      g_build_filename(g_getenv("REGARD_TEST_DATA"), "..", "..", "models", "by-hand", NULL);
  g_autoptr(mt_model) by_hand = mt_model_open(dir, NULL, &error);
  g_autoptr(mt_session) small = by_hand ? mt_session_new(by_hand, NULL, &error) : NULL;
  g_assert_nonnull(small);
  g_autoptr(RegardRuns) runs = regard_runs_new(small, NULL);
  double q[8], k[8], product = 0;
  g_assert_cmpuint(read_numbers(runs, "query(cross 1.1, 1) of \"cat\"", q), ==, 4);
  g_assert_cmpuint(read_numbers(runs, "key(cross 1.1, \"cat\") of \"cat\"", k), ==, 4);
  for (guint i = 0; i < 4; i++)
    product += q[i] * k[i];
  g_assert_cmpfloat_with_epsilon(product / 2, number(runs, "score(cross 1.1, 1, 1) of \"cat\""),
                                 0.02);
  g_autoptr(RegardRuns) large = regard_runs_new(session, NULL);
  g_assert_cmpuint(read_numbers(large, "key(cross 4.1, 1)", k), ==, 8);
  g_assert_cmpuint(read_numbers(large, "query(cross 4.1, 1000)", q), ==, 0);
}

/* Of a folder that is called after a step; of any other it is not there, and equal to nothing. The
 * lesson on learning asks for the first kept step at which this sentence is right: 210, and 180 is
 * the one before it. */
static void
test_training_step(void)
{
  static const gint64 steps[] = {180, 210};
  static const char term[] = "translation of \"today the small cat has seen the old dog\"",
                    right[] = "heute hat die kleine Katze den alten Hund gesehen";
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
    mt_error error = {0};
    g_autofree char *folder = regard_lesson_model_path("learning", steps[i]);
    mt_model *kept = app_test_open(folder);
    mt_session *of_kept = mt_session_new(kept, NULL, &error);
    g_assert_nonnull(of_kept);
    g_autoptr(RegardRuns) runs = regard_runs_new(of_kept, NULL);
    g_assert_cmpfloat(number(runs, "training-step"), ==, (double) steps[i]);
    RegardValue said = compute_with(runs, term, "");
    g_assert_true(g_str_equal(said.text, right) == (steps[i] == 210));
    regard_value_clear(&said);
    mt_session_free(of_kept);
    mt_model_unref(kept);
  }
  g_autoptr(RegardRuns) other = regard_runs_new(session, NULL);
  g_assert_true(isnan(number(other, "training-step")));
}

static void
test_of_model(void)
{
  g_autoptr(RegardRuns) runs = regard_runs_new(session, NULL);
  const mt_config *config = mt_model_config(model);
  g_assert_cmpfloat(number(runs, "vocabulary"), ==, (double) config->vocab_size[0]);
  g_assert_cmpfloat(number(runs, "heads(cross) * head-width(cross) - width"), ==, 0);
  g_assert_cmpfloat(number(runs, "layers(decoder)"), ==, (double) config->n_layers[1]);
  g_assert_cmpfloat_with_epsilon(number(runs, "divisor(encoder) * divisor(encoder)"),
                                 number(runs, "head-width(encoder)"), 1e-9);
  /* The paper, 3.5, with halves. */
  const double d = (double) config->d_model;
  g_assert_cmpfloat_with_epsilon(number(runs, "made-up(4)"), 0.717, 1e-3); /* as numpy has it */
  g_assert_cmpfloat(number(runs, "made-up(1024)"), <, 0.1);
  g_assert_cmpfloat(number(runs, "position(0, 1)"), ==, 0);
  g_assert_cmpfloat(number(runs, "position(0, width)"), ==, 1);
  g_assert_cmpfloat_with_epsilon(number(runs, "position(7, 1)"), sin(7), 1e-6);
  g_assert_cmpfloat_with_epsilon(number(runs, "position(7, width)"),
                                 cos(7 / pow(10000, (d - 2) / d)), 1e-6);
  /* -(1 - e + e/n) ln(1 - e + e/n) - (n - 1)(e/n) ln(e/n), by numpy for n = 24,001: 1.3341. */
  const double n = (double) config->vocab_size[1], e = 0.1 / n;
  g_assert_cmpfloat_with_epsilon(number(runs, "smoothed-entropy(0.1)"),
                                 -(0.9 + e) * log(0.9 + e) - (n - 1) * e * log(e), 1e-9);
  g_assert_true(isnan(number(runs, "smoothed-entropy(0)")));
}

/* A head that a model does not have is an error that says which there are; what was measured before
 * can still be. */
static void
test_errors(void)
{
  mt_error error = {0};
  g_autoptr(RegardRuns) runs = regard_runs_new(session, NULL);
  g_auto(RegardScanner) scanner = {.at = "weight(cross 4.99, 1, 1)"};
  g_autoptr(RegardTerm) term = regard_term_read(&scanner);
  const RegardSetting setting = {.here = {.runs = runs, .text = SENTENCE}};
  RegardValue value;
  g_assert_false(regard_term_compute(term, &setting, &value, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_nonnull(strstr(error.message, "has no head cross 4.99"));
  g_assert_cmpfloat(number(runs, "words"), ==, 7);
}

static void
test_said(void)
{
  static const struct {
    RegardValue value;
    const char *said;
  } cases[] = {{{.number = 3}, "3"},
               {{.number = 24001}, "24001"},
               {{.number = 0.12345}, "0.123"},
               {{.number = -0.6604}, "−0.66"},
               {{.number = -2}, "−2"},
               {{.number = 8.3e-7}, "0.000"},
               {{.text = (char *) "Zug"}, "Zug"}};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *said = regard_value_say(&cases[i].value);
    g_assert_cmpstr(said, ==, cases[i].said);
  }
}

/* Each has a name that a lesson can write, says what it is, and stands in the handbook. */
static void
test_list(void)
{
  g_autofree char *path =
      g_build_filename(g_getenv("REGARD_TEST_DATA"), "..", "..", "docs", "teaching.md", NULL);
  g_autofree char *handbook = NULL;
  g_assert_true(g_file_get_contents(path, &handbook, NULL, NULL));
  for (guint i = 0; i < regard_measures_count(); i++) {
    const RegardMeasure *measure = regard_measures_get(i);
    g_assert_true(regard_measure_find(regard_measure_name(measure)) == measure);
    g_autofree char *row = g_strdup_printf("| `%s", regard_measure_name(measure));
    g_assert_nonnull(strstr(handbook, row));
    g_assert_nonnull(strstr(handbook, regard_measure_help(measure)));
  }
}

TESTS(.begin = begin, .end = end)
{
  g_test_add_func("/lesson-measures/list", test_list);
  g_test_add_func("/lesson-measures/said", test_said);
  g_test_add_func("/lesson-measures/arithmetic", test_arithmetic);
  g_test_add_func("/lesson-measures/conditions", test_conditions);
  g_test_add_func("/lesson-measures/texts", test_texts);
  g_test_add_func("/lesson-measures/weights", test_weights);
  g_test_add_func("/lesson-measures/chosen", test_chosen);
  g_test_add_func("/lesson-measures/probabilities", test_probabilities);
  g_test_add_func("/lesson-measures/order-and-layers", test_order_and_layers);
  g_test_add_func("/lesson-measures/query-and-key", test_query_and_key);
  g_test_add_func("/lesson-measures/of-model", test_of_model);
  g_test_add_func("/lesson-measures/training-step", test_training_step);
  g_test_add_func("/lesson-measures/errors", test_errors);
}
