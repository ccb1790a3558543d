/* test-request.c — what a search is asked for: rows, ranges, equality, hash, JSON, and the model's
 * own settings below it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "search/mt-search.h"
#include "sentences.h"
#include "suite.h"

#include <glib.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

static size_t
row(const char *key)
{
  size_t i = SIZE_MAX;
  g_assert_true(mt_search_find_field(key, &i));
  return i;
}

static void
set(mt_request *request, const char *key, double value)
{
  mt_error error = {0};
  g_assert_true(mt_request_set(request, row(key), value, &error));
}

static mt_model *
frozen(void)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(REGARD_SOURCE_ROOT "/tests/data/frozen/en-de", NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return model;
}

/* Each member is one row's: writing one changes no other. */
static void
test_rows(void)
{
  size_t i;
  g_assert_cmpuint(mt_search_n_fields(), >=, 6);
  g_assert_false(mt_search_find_field("beam", &i));
  for (i = 0; i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    g_assert_cmpuint(row(field->key), ==, i);
    g_assert_cmpfloat(field->range.least, <=, field->range.most);
    mt_search_params params = mt_search_params_default(NULL);
    double value = field->type == MT_SEARCH_NUMBER ? 0.25 : field->range.most;
    mt_search_params_put(&params, i, value);
    const mt_search_params usual = mt_search_params_default(NULL);
    g_assert_cmpint(params.language, ==, -1);
    for (size_t k = 0; k < mt_search_n_fields(); k++)
      g_assert_cmpfloat(mt_search_params_get(&params, k), ==,
                        k == i ? value : mt_search_params_get(&usual, k));
    if (field->option)
      g_assert_true(field->typed.least >= field->range.least && field->help && field->metavar);
    if (field->label)
      g_assert_true(field->shown.least >= field->range.least &&
                    field->shown.most <= field->range.most && field->step > 0);
    for (int c = 0; field->type == MT_SEARCH_CHOICE && c <= (int) field->range.most; c++)
      g_assert_nonnull(field->choices[c]);
  }
}

static void
test_refusals(void)
{
  static const struct {
    const char *key, *said;
    double value;
  } bad[] = {
      {"beam_size", "The beam size is 0; it must be 1 to 256.", 0},
      {"beam_size", "The beam size is 257; it must be 1 to 256.", 257},
      {"beam_size", "The beam size is 1.5; it must be 1 to 256.", 1.5},
      {"beam_size", "The beam size is nan", NAN},
      {"n_best", "The number of best hypotheses is 0;", 0},
      {"max_length", "The maximum length is 1;", 1},
      {"min_length", "The minimum length is -1;", -1},
      {"length_penalty", "The length penalty is not a finite number.", NAN},
      {"length_penalty", "The length penalty is not a finite number.", INFINITY},
      {"repetition_penalty", "The repetition penalty is -1; it must be 0 to 1000.", -1},
      {"no_repeat_ngram_size", "The size of n-grams that are not repeated is 1.5;", 1.5},
      {"prefix_score", "score of a prefix is 2; it must be the number of one of counted, left-out",
       2},
      {"early_stopping", "early stopping is 3; it must be the number of one of false, true, never",
       3},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    mt_request request = {0};
    mt_error error = {0};
    g_assert_false(mt_request_set(&request, row(bad[i].key), bad[i].value, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_nonnull(strstr(error.message, bad[i].said));
    g_assert_cmpuint(request.set, ==, 0);
  }
  mt_search_params params = mt_search_params_default(NULL);
  mt_error error = {0};
  params.max_length = 513;
  g_assert_false(mt_search_check(&params, 512, &error));
  g_assert_cmpstr(error.message, ==,
                  "The maximum length is 513; it must be 2 to 512, the positions of the model.");
}

static void
test_model_decides(void)
{
  g_autoptr(mt_model) model = frozen();
  const mt_config *config = mt_model_config(model);
  mt_request request = {0};
  mt_search_params params = mt_request_resolve(&request, model);
  const mt_search_params usual = mt_search_params_default(model);
  for (size_t i = 0; i < mt_search_n_fields(); i++)
    g_assert_cmpfloat(mt_search_params_get(&params, i), ==, mt_search_params_get(&usual, i));
  g_assert_cmpuint(params.beam_size, ==, config->num_beams);
  g_assert_cmpint(params.language, ==, -1);

  set(&request, "max_length", 1e6);
  set(&request, "min_length", 2e6);
  set(&request, "length_penalty", 0.5);
  g_strlcpy(request.language, "deu", sizeof request.language); /* this model was never told one */
  params = mt_request_resolve(&request, model);
  g_assert_cmpuint(params.max_length, ==, config->max_positions);
  g_assert_cmpuint(params.min_length, ==, config->max_positions);
  g_assert_cmpfloat(params.length_penalty, ==, 0.5f);
  g_assert_cmpuint(params.beam_size, ==, config->num_beams);
  g_assert_cmpint(params.language, ==, -1);
  mt_error error = {0};
  g_assert_true(mt_search_check(&params, config->max_positions, &error));

  /* More results than the model's beam widen it; a beam that was asked for stays. */
  set(&request, "n_best", (double) config->num_beams + 3);
  g_assert_cmpuint(mt_request_resolve(&request, model).beam_size, ==, config->num_beams + 3);
  set(&request, "beam_size", 2);
  g_assert_cmpuint(mt_request_resolve(&request, model).beam_size, ==, 2);
  mt_request_unset(&request, row("beam_size"));
  mt_request_unset(&request, row("n_best"));
  g_assert_false(mt_request_get(&request, row("n_best"), NULL));
  g_assert_cmpuint(mt_request_resolve(&request, model).beam_size, ==, config->num_beams);
}

/* What was set and taken back leaves no trace, nor does -0. */
static void
test_equality(void)
{
  mt_request a = {0}, b = {0};
  set(&a, "beam_size", 4);
  mt_request_unset(&a, row("beam_size"));
  g_assert_true(mt_request_equal(&a, &b));
  set(&a, "length_penalty", 0.0);
  set(&b, "length_penalty", -0.0);
  g_assert_true(mt_request_equal(&a, &b));
  for (size_t i = 0; i < mt_search_n_fields(); i++) {
    mt_error error = {0};
    mt_request c = a, d = a;
    g_assert_true(mt_request_set(&c, i, mt_search_field_at(i)->range.most, &error));
    g_assert_false(mt_request_equal(&a, &c));
    double other = mt_search_field_at(i)->range.most > 1 ? 1 : 0;
    if (!mt_request_set(&d, i, other, &error))
      g_assert_true(mt_request_set(&d, i, 2, &error));
    g_assert_false(mt_request_equal(&c, &d));
  }
  g_strlcpy(b.language, "deu", sizeof b.language);
  g_assert_false(mt_request_equal(&a, &b));
  b.language[0] = '\0';
  g_strlcpy(b.source_language, "deu", sizeof b.source_language);
  g_assert_false(mt_request_equal(&a, &b));

  g_autoptr(mt_interventions) x = sentences_parse("cross 4.1 scale 0.5");
  g_autoptr(mt_interventions) same = sentences_parse(" cross 4-4.1  scale 0.50");
  g_autoptr(mt_interventions) empty = sentences_parse("");
  b = mt_request_copy(&a);
  mt_request_set_interventions(&b, empty);
  g_assert_true(mt_request_equal(&a, &b));
  mt_request_set_interventions(&b, x);
  g_assert_false(mt_request_equal(&a, &b));
  mt_request_set_interventions(&a, same);
  g_assert_true(mt_request_equal(&a, &b));
  mt_request_clear(&a);
  mt_request_clear(&b);
}

static void
test_json(void)
{
  mt_request request = {0};
  mt_error error = {0};
  mt_interventions *interventions = sentences_parse("cross 4.1 scale 0.5\nsource 3 hide");
  set(&request, "beam_size", 4);
  set(&request, "length_penalty", 0.6);
  set(&request, "early_stopping", MT_EARLY_STOPPING_NEVER);
  g_strlcpy(request.language, "deu", sizeof request.language);
  mt_request_set_interventions(&request, interventions);
  char *json = mt_request_to_json(&request, &error);
  json_object *object = json_tokener_parse(json), *member;
  g_assert_cmpint(json_object_object_length(object), ==, 5);
  g_assert_true(json_object_object_get_ex(object, "changes", &member));
  g_assert_cmpint(json_object_array_length(member), ==, 2);
  g_assert_cmpstr(json_object_get_string(json_object_array_get_idx(member, 1)), ==,
                  "source 3 hide");
  g_assert_true(json_object_object_get_ex(object, "length_penalty", &member));
  g_assert_cmpfloat(json_object_get_double(member), ==, 0.6);
  g_assert_nonnull(strstr(json, "0.6"));
  g_assert_null(strstr(json, "0.60"));
  g_assert_true(json_object_object_get_ex(object, "early_stopping", &member));
  g_assert_cmpstr(json_object_get_string(member), ==, "never");
  json_object_put(object);
  mt_string_free(json);

  static const struct {
    const char *json, *said;
  } bad[] = {
      {"{\"beam\": 4}", "\"beam\" is no setting of a search"},
      {"{\"beam_size\": 0}",
       "\"beam_size\" must be a whole number from 1 to 256; found the number 0"},
      {"{\"beam_size\": 2.5}", "\"beam_size\" must be a whole number"},
      {"{\"beam_size\": \"4\"}", "found \"4\""},
      {"{\"max_length\": 1}", "\"max_length\" must be"},
      {"{\"length_penalty\": true}", "\"length_penalty\" must be a number"},
      {"{\"length_penalty\": 1e300}", "\"length_penalty\" must be a number"},
      {"{\"early_stopping\": \"soon\"}", "one of false, true, never; found \"soon\""},
      {"{\"early_stopping\": 1}", "\"early_stopping\" must be one of"},
      {"{\"language\": 7}", "\"language\" must be the code of a language"},
      {"{\"language\": \"0123456789012345678901234567890123456789\"}", "\"language\" must be"},
      {"{\"changes\": \"source 3 hide\"}", "\"changes\" must be a list of lines"},
      {"{\"changes\": [7]}", "\"changes\" must be a list of lines"},
      {"{\"changes\": [\"source 3 hide\\u0000\"]}", "\"changes\" must be a list of lines"},
      {"{\"prefix\": 4}", "\"prefix\" must be a list of token ids; found the number 4"},
      {"{\"prefix\": [4, -1]}", "\"prefix\" must be a list of token ids"},
      {"{\"prefix\": [4.5]}", "\"prefix\" must be a list of token ids"},
      {"{\"prefix\": [2147483648]}", "\"prefix\" must be a list of token ids"},
      {"{\"prefix\": [1], \"forbidden\": {}}", "\"forbidden\" must be a list of"},
      {"{\"forbidden\": [{\"ids\": [1]}, 5]}", "\"forbidden\" must be a list of"},
      {"{\"forbidden\": [{\"ids\": []}]}", "\"ids\" must be a list of at least one token id"},
      {"{\"forbidden\": [{\"step\": 0, \"ids\": [1]}]}", "\"step\" must be a whole number from 1"},
      {"{\"forbidden\": [{\"step\": 1}]}", "\"forbidden\" must be a list of"},
      {"{\"terms\": [4]}", "\"terms\" must be a list of token ids; found the number 4"},
      {"{\"terms\": 4}", "\"terms\" must be a list of lists"},
      {"{\"terms\": [[1], []]}", "\"terms\" must be lists of at least one token id"},
      {"[4]", "session"},
      {"{\"beam_size\": 4", "session"},
  };
  mt_request before = mt_request_copy(&request);
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    error = (mt_error){0};
    g_assert_false(
        mt_request_from_json(&request, "session", bad[i].json, strlen(bad[i].json), &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
    g_assert_nonnull(strstr(error.message, bad[i].said));
    g_assert_nonnull(strstr(error.message, "session"));
    g_assert_true(mt_request_equal(&request, &before));
  }
  static const char mistake[] = "{\"changes\": [\"source 3 hide\", \"cross 4.1 hid\"]}";
  error = (mt_error){0};
  g_assert_false(mt_request_from_json(&request, "session", mistake, strlen(mistake), &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  g_assert_cmpstr(error.message, ==,
                  "session: \"changes\", line 2: expected a change such as \"window 2\", found "
                  "\"hid\".");
  g_assert_true(mt_request_equal(&request, &before));
  mt_request_clear(&before);
  static const char nothing[] = "{\"beam_size\": null, \"language\": null, \"changes\": null}";
  g_assert_true(mt_request_from_json(&request, "session", nothing, strlen(nothing), &error));
  g_assert_true(mt_request_equal(&request, &(mt_request){0}));
  static const char empty[] = "{\"changes\": []}";
  g_assert_true(mt_request_from_json(&request, "session", empty, strlen(empty), &error));
  g_assert_true(mt_request_equal(&request, &(mt_request){0}));
  mt_interventions_unref(interventions);
}

static void
test_constraints(void)
{
  static const int32_t prefix[] = {4, 0, 9}, one[] = {7}, two[] = {7, 8}, none[] = {-1};
  const mt_forbidden lists[] = {{2, one, 1}, {MT_EVERY_STEP, two, 2}};
  const mt_forbidden bad[] = {{0, one, 0}}, negative[] = {{0, none, 1}};
  mt_error error = {0};
  size_t n;
  mt_constraints *a = mt_constraints_new(prefix, 3, lists, 2, &error);
  g_autoptr(mt_constraints) b = mt_constraints_new(prefix, 3, lists, 1, &error);
  g_autoptr(mt_constraints) empty = mt_constraints_new(NULL, 0, NULL, 0, &error);
  g_assert_true(a && b && empty);
  g_assert_true(mt_constraints_is_empty(empty) && mt_constraints_is_empty(NULL));
  g_assert_true(mt_constraints_equal(empty, NULL) && mt_constraints_equal(a, a));
  g_assert_false(mt_constraints_equal(a, b) || mt_constraints_equal(a, NULL));
  g_assert_cmpmem(mt_constraints_prefix(a, &n), sizeof prefix, prefix, sizeof prefix);
  g_assert_null(mt_constraints_new(NULL, 0, bad, 1, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_null(mt_constraints_new(NULL, 0, negative, 1, &error));
  g_assert_null(mt_constraints_new(none, 1, NULL, 0, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_null(mt_constraints_new(prefix, MT_MAX_CONSTRAINTS + 1, NULL, 0, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_TOO_LONG);

  const mt_term terms[] = {{prefix, 2}, {two, 2}, {prefix + 1, 1}}, wrong = {two, 0};
  mt_constraints *with = mt_constraints_with_terms(a, terms, 3, &error);
  g_assert_false(mt_constraints_equal(with, a));
  g_assert_cmpuint(mt_constraints_n_wanted(with), ==, 4); /* the third is in the first */
  g_assert_true(mt_constraints_is_implied(with, 2) && !mt_constraints_is_implied(with, 1));
  g_assert_null(mt_constraints_with_terms(a, &wrong, 1, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  int32_t many[MT_MAX_TERM_TOKENS + 1] = {0};
  g_assert_null(mt_constraints_with_terms(a, &(mt_term){many, 256}, 1, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_TOO_LONG);
  /* However many there are, the beam stays one that somebody would ask for. */
  g_autoptr(mt_constraints) wide =
      mt_constraints_with_terms(NULL, &(mt_term){many, 200}, 1, &error);
  mt_request much = {0};
  mt_request_set_constraints(&much, wide);
  g_assert_cmpuint(mt_request_resolve(&much, NULL).beam_size, ==, 64);
  mt_request_clear(&much);
  g_autoptr(mt_constraints) without = mt_constraints_with_terms(with, NULL, 0, &error);
  g_assert_true(mt_constraints_equal(without, a));
  mt_constraints_unref(a);
  a = with;

  mt_request request = {0}, again = {0};
  mt_request_set_constraints(&request, a);
  /* Where nobody asked for a beam, there is a place for each number of their tokens. */
  g_assert_cmpuint(mt_request_resolve(&request, NULL).beam_size, ==, 5);
  char *json = mt_request_to_json(&request, &error);
  g_assert_nonnull(strstr(json, "\"step\": 3"));
  g_assert_true(mt_request_from_json(&again, "again", json, strlen(json), &error));
  g_assert_true(mt_request_equal(&request, &again));
  g_assert_true(mt_request_resolve(&again, NULL).constraints == again.constraints);
  mt_request_set_constraints(&again, b);
  g_assert_false(mt_request_equal(&request, &again));
  mt_request_set_constraints(&again, empty);
  g_assert_null(again.constraints);
  mt_string_free(json);
  mt_request_clear(&request);
  mt_request_clear(&again);
  mt_constraints_unref(a);
}

/* Requests at random come back the same from JSON, and equal ones only. */
static void
test_round_trip(void)
{
  static const char *const lists[] = {"", "cross 4.1 scale 0.5", "source 3 hide\nencoder window 2"};
  mt_interventions *interventions[G_N_ELEMENTS(lists)];
  mt_error unused = {0};
  for (gsize i = 0; i < G_N_ELEMENTS(lists); i++)
    interventions[i] = mt_interventions_parse("test", lists[i], &unused);
  mt_request last = {0};
  for (int n = 0; n < 5000; n++) {
    mt_request request = {0}, again = {0};
    mt_error error = {0};
    for (size_t i = 0; i < mt_search_n_fields(); i++) {
      const mt_search_field *field = mt_search_field_at(i);
      if (g_test_rand_bit())
        continue;
      double least = MAX(field->range.least, -1e30), most = MIN(field->range.most, 1e30);
      double value = g_test_rand_double_range(least, most);
      if (field->type == MT_SEARCH_NUMBER && g_test_rand_bit())
        value = g_test_rand_double_range(MAX(least, -3), 3);
      if (field->type != MT_SEARCH_NUMBER)
        value = g_test_rand_bit() ? least : CLAMP(round(value), least, most);
      g_assert_true(mt_request_set(&request, i, value, &error));
    }
    for (int k = g_test_rand_int_range(0, MT_LANGUAGE_SIZE) - 1; k >= 0; k--)
      request.language[k] = (char) g_test_rand_int_range(1, 127);
    for (int k = g_test_rand_int_range(0, MT_LANGUAGE_SIZE) - 1; k >= 0; k--)
      request.source_language[k] = (char) g_test_rand_int_range(1, 127);
    mt_request_set_interventions(&request,
                                 interventions[g_test_rand_int_range(0, G_N_ELEMENTS(lists))]);
    char *json = mt_request_to_json(&request, &error);
    g_assert_true(mt_request_from_json(&again, "random", json, strlen(json), &error));
    g_assert_true(mt_request_equal(&request, &again));
    /* Equal requests, and no others, are the same text. */
    char *second = mt_request_to_json(&again, &error), *other = mt_request_to_json(&last, &error);
    g_assert_cmpstr(json, ==, second);
    g_assert_true(mt_request_equal(&request, &last) == (strcmp(json, other) == 0));
    g_assert_true(mt_request_equal(&request, &last) == mt_request_equal(&last, &request));
    mt_string_free(json);
    mt_string_free(second);
    mt_string_free(other);
    mt_request_clear(&again);
    mt_request_clear(&last);
    last = request;
  }
  mt_request_clear(&last);
  for (gsize i = 0; i < G_N_ELEMENTS(lists); i++)
    mt_interventions_unref(interventions[i]);
}

TESTS()
{
  g_test_add_func("/request/rows", test_rows);
  g_test_add_func("/request/refusals", test_refusals);
  g_test_add_func("/request/model-decides", test_model_decides);
  g_test_add_func("/request/equality", test_equality);
  g_test_add_func("/request/json", test_json);
  g_test_add_func("/request/constraints", test_constraints);
  g_test_add_func("/request/round-trip", test_round_trip);
}
