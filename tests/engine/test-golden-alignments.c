/* test-golden-alignments.c — links of many recipes against transformers in double
 * (tests/reference/make_alignments.py), error rates against numpy (make_aer.py).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "model-dir.h"
#include "sentences.h"
#include "suite.h"

#include <json.h>
#include <math.h>
#include <string.h>

/* Of the largest number of a matrix. */
#define TOLERANCE 1e-4

static json_object *
read_json(const char *name)
{
  g_autofree char *relative = g_strdup_printf("tests/data/%s", name);
  g_autofree char *path = golden_path(relative);
  json_object *root = json_object_from_file(path);
  g_assert_nonnull(root);
  return root;
}

static json_object *
member(json_object *object, const char *key)
{
  json_object *value;
  g_assert_true(json_object_object_get_ex(object, key, &value));
  return value;
}

/* ---- Links ------------------------------------------------------------------------------------
 */

static void
check_matrix(const mt_alignment_input *a, json_object *want)
{
  const mt_recipe recipe = mt_recipe_default();
  mt_error error = {0};
  const size_t rows = a->words[MT_STACK_DECODER].n, cols = a->words[MT_STACK_ENCODER].n;
  float *found = mt_alignment_input_matrix(a, &recipe, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpuint(json_object_array_length(want), ==, rows);
  double largest = 0;
  for (size_t i = 0; i < rows * cols; i++)
    largest = MAX(largest, fabs((double) found[i]));
  for (size_t r = 0; r < rows; r++) {
    json_object *row = json_object_array_get_idx(want, r);
    g_assert_cmpuint(json_object_array_length(row), ==, cols);
    for (size_t c = 0; c < cols; c++) {
      const double value = json_object_get_double(json_object_array_get_idx(row, c));
      g_assert_cmpfloat_with_epsilon(found[r * cols + c], value, TOLERANCE * largest);
    }
  }
  mt_links_free_matrix(found);
}

static void
check_links(const mt_alignment_input *a, const mt_alignment_input *reverse, const char *text,
            const char *want)
{
  mt_recipe recipe;
  mt_error error = {0};
  char again[MT_RECIPE_TEXT_SIZE];
  size_t n;
  g_assert_true(mt_recipe_parse(&recipe, "golden", text, &error));
  g_assert_cmpstr(mt_recipe_text(&recipe, again), ==, text);
  mt_link *links = mt_alignment_input_links(a, &recipe, reverse, NULL, &n, &error);
  g_assert_cmpstr(error.message, ==, "");
  char *found = mt_links_to_text(links, n, 0, &error);
  if (strcmp(found, want) != 0)
    g_error("%s of \"%s\": expected %s, found %s", text, a->words[MT_STACK_ENCODER].text, want,
            found);
  mt_string_free(found);
  mt_links_free(links);
}

static size_t
check_pair(mt_session *session, json_object *pair)
{
  const char *source = json_object_get_string(member(pair, "source"));
  const char *target = json_object_get_string(member(pair, "target"));
  mt_error error = {0};
  mt_alignment_input *a =
      mt_alignment_input_new(session, source, target, NULL, NULL, NULL, NULL, &error);
  mt_alignment_input *reverse =
      mt_alignment_input_new(session, target, source, NULL, NULL, NULL, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  double sums[64] = {0};
  size_t n_cells = 0, n = 0;
  mt_recipe chosen = mt_recipe_default();
  mt_alignment_input_add_norms(a, chosen.row, sums, &n_cells);
  mt_recipe_choose_layer(&chosen, sums, a->n_layers);
  g_assert_cmpint(chosen.layer + 1, ==, json_object_get_int(member(pair, "layer")));
  check_matrix(a, member(pair, "matrix"));
  json_object_object_foreach(member(pair, "links"), text, links)
  {
    check_links(a, reverse, text, json_object_get_string(links));
    n++;
  }
  mt_alignment_input_unref(a);
  mt_alignment_input_unref(reverse);
  return n;
}

static void
test_links(gconstpointer data)
{
  const char *const *names = data;
  g_autofree char *path = golden_path(names[1]);
  g_autoptr(mt_model) model = model_open_good(path);
  g_autoptr(mt_session) session = sentences_session(model, 2, false);
  json_object *root = read_json(names[0]), *pairs = member(root, "pairs");
  size_t n = 0;
  for (size_t i = 0; i < json_object_array_length(pairs); i++)
    n += check_pair(session, json_object_array_get_idx(pairs, i));
  g_assert_cmpuint(n, >=, 50);
  json_object_put(root);
}

/* ---- Error rates ------------------------------------------------------------------------------
 */

static char *
lines_of(json_object *list)
{
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < json_object_array_length(list); i++)
    g_string_append_printf(text, "%s\n",
                           json_object_get_string(json_object_array_get_idx(list, i)));
  return g_string_free(text, FALSE);
}

static mt_gold *
parse(json_object *list)
{
  mt_error error = {0};
  g_autofree char *text = lines_of(list);
  mt_gold *gold = mt_gold_parse("golden", text, strlen(text), MT_GOLD_GUESS, 0, &error);
  g_assert_cmpstr(error.message, ==, "");
  return gold;
}

static mt_aer_counts
count(const mt_gold *gold, const mt_gold *answer, size_t i)
{
  size_t n, n_gold;
  const mt_gold_link *links = mt_gold_links(answer, i, &n), *of = mt_gold_links(gold, i, &n_gold);
  g_autofree mt_link *own = g_new0(mt_link, n + 1);
  for (size_t l = 0; l < n; l++)
    own[l] = (mt_link){links[l].source, links[l].target, 1};
  return mt_aer_count(own, n, of, n_gold);
}

static void
check_answer(const mt_gold *gold, json_object *root, json_object *answer)
{
  const mt_bootstrap bootstrap = {.n_samples =
                                      (size_t) json_object_get_int(member(root, "samples")),
                                  .seed = (uint64_t) json_object_get_int(member(root, "seed"))};
  g_autoptr(mt_gold) links = parse(member(answer, "links"));
  const size_t n = gold->n_sentences;
  g_autofree mt_aer_counts *each = g_new0(mt_aer_counts, n);
  mt_aer_counts sum = {0};
  mt_error error = {0};
  double low, high;
  g_assert_cmpuint(links->n_sentences, ==, n);
  for (size_t i = 0; i < n; i++) {
    each[i] = count(gold, links, i);
    sum.n_links += each[i].n_links;
    sum.n_sure += each[i].n_sure;
    sum.n_links_sure += each[i].n_links_sure;
    sum.n_links_possible += each[i].n_links_possible;
  }
  g_assert_cmpuint(sum.n_sure, ==, gold->n_sure);
  g_assert_cmpfloat_with_epsilon(mt_aer(&sum), json_object_get_double(member(answer, "aer")),
                                 1e-12);
  g_assert_cmpfloat_with_epsilon(mt_aer_precision(&sum),
                                 json_object_get_double(member(answer, "precision")), 1e-12);
  g_assert_cmpfloat_with_epsilon(mt_aer_recall(&sum),
                                 json_object_get_double(member(answer, "recall")), 1e-12);
  g_assert_true(mt_bootstrap_interval(&bootstrap, each, n, &low, &high, &error));
  g_assert_cmpfloat_with_epsilon(low, json_object_get_double(member(answer, "low")), 1e-12);
  g_assert_cmpfloat_with_epsilon(high, json_object_get_double(member(answer, "high")), 1e-12);
  g_assert_cmpfloat(low, <, mt_aer(&sum));
  g_assert_cmpfloat(high, >, mt_aer(&sum));
}

static void
test_rates(void)
{
  json_object *root = read_json("aer.json");
  g_autoptr(mt_gold) gold = parse(member(root, "gold"));
  json_object_object_foreach(member(root, "answers"), name, answer)
  {
    g_test_message("%s", name);
    check_answer(gold, root, answer);
  }
  json_object_put(root);
}

TESTS()
{
  static const char *const frozen[] = {"alignments-frozen.json", "tests/data/frozen/en-de"};
  static const char *const odd[] = {"alignments-odd-sizes-swish.json",
                                    "tests/data/checkpoints/odd-sizes-swish"};
  g_test_add_data_func("/golden-alignments/frozen", frozen, test_links);
  g_test_add_data_func("/golden-alignments/odd-sizes-swish", odd, test_links);
  g_test_add_func("/golden-alignments/rates", test_rates);
}
