/* test-alignment.c — recipes as text and JSON, words and pieces, links of both directions, grids
 * and evaluations.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "model-dir.h"
#include "sentences.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define FROZEN "tests/data/frozen/en-de"

static mt_model *model;
static mt_session *session;

/* ---- Recipes ----------------------------------------------------------------------------------
 */

static const char *
text_of(const mt_recipe *recipe)
{
  static char text[MT_RECIPE_TEXT_SIZE];
  return mt_recipe_text(recipe, text);
}

static void
test_recipe_text(void)
{
  static const struct {
    const char *typed, *text;
  } cases[] = {
      {"", "matrix=norms of=auto row=input source=sum target=mean special=drop choose=argmax "
           "symmetry=none punctuation=off"},
      {" of=4.2+1.1+4.1\n row=output ",
       "matrix=norms of=1.1+4.1+4.2 row=output source=sum target=mean special=drop choose=argmax "
       "symmetry=none punctuation=off"},
      {"choose=threshold threshold=.25 of=12 matrix=weights",
       "matrix=weights of=12 row=input source=sum target=mean special=drop choose=threshold "
       "threshold=0.25 symmetry=none punctuation=off"},
      {"punctuation=on symmetry=grow-diag-final special=keep source=mean target=sum",
       "matrix=norms of=auto row=input source=mean target=sum special=keep choose=argmax "
       "symmetry=grow-diag-final punctuation=on"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_recipe recipe, again = {0};
    mt_error error = {0};
    g_assert_true(mt_recipe_parse(&recipe, "test", cases[i].typed, &error));
    g_assert_cmpstr(text_of(&recipe), ==, cases[i].text);
    g_assert_true(mt_recipe_parse(&again, "test", cases[i].text, &error));
    g_assert_true(mt_recipe_equal(&recipe, &again));
    char *json = mt_recipe_to_json(&recipe, &error);
    g_assert_true(mt_recipe_from_json(&again, "test", json, strlen(json), &error));
    g_assert_true(mt_recipe_equal(&recipe, &again));
    g_assert_cmpstr(text_of(&again), ==, cases[i].text);
    mt_string_free(json);
  }
  /* A threshold that does not count makes no other recipe; every other setting does. */
  mt_recipe a = mt_recipe_default(), b = a;
  b.threshold = 0.7;
  g_assert_true(mt_recipe_equal(&a, &b));
  a.choose = b.choose = MT_RECIPE_THRESHOLD;
  g_assert_false(mt_recipe_equal(&a, &b));
}

static void
test_recipe_wrong(void)
{
  static const struct {
    const char *typed, *says;
  } cases[] = {
      {"of=0", "test: of: expected a layer such as 4"},
      {"of=1.", "test: of: expected a layer"},
      {"of=1.1+1.1", "test: of: expected a layer"},
      {"of=1.1+2", "test: of: expected a layer"},
      {"of=70000", "test: of: expected a layer"},
      {"of=", "test: of: expected a layer"},
      {"row=both", "test: row: expected one of input, output, found \"both\"."},
      {"row", "test: expected a setting of a recipe such as row=input, found \"row\"."},
      {"lines=1", "test: expected a setting of a recipe such as row=input, found \"lines=1\"."},
      {"threshold=0", "test: threshold: expected a number from 0.001 to 1, found \"0\"."},
      {"threshold=1.5", "test: threshold: expected a number"},
      {"threshold=0.1.2", "test: threshold: expected a number"},
      {"row=output threshold=nan", "test: threshold: expected a number"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_recipe recipe = mt_recipe_default();
    const mt_recipe before = recipe;
    mt_error error = {0};
    g_assert_false(mt_recipe_parse(&recipe, "test", cases[i].typed, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    if (!g_str_has_prefix(error.message, cases[i].says))
      g_error("%s: expected %s, found %s", cases[i].typed, cases[i].says, error.message);
    g_assert_true(mt_recipe_equal(&recipe, &before));
  }
  static const char *const json[] = {"[]",
                                     "{\"of\": 4}",
                                     "{\"lines\": 1}",
                                     "{\"threshold\": \"1\"}",
                                     "{\"threshold\": 0}",
                                     "{\"row\": \"both\"}",
                                     "{"};
  for (size_t i = 0; i < G_N_ELEMENTS(json); i++) {
    mt_recipe recipe = mt_recipe_default();
    mt_error error = {0};
    g_assert_false(mt_recipe_from_json(&recipe, "test", json[i], strlen(json[i]), &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  }
  mt_recipe recipe = mt_recipe_default();
  mt_error error = {0};
  g_assert_true(mt_recipe_from_json(&recipe, "test", "{\"of\": null}", 12, &error));
  g_assert_false(mt_recipe_set(&recipe, 0, 2, &error));
  g_assert_false(mt_recipe_set(&recipe, 0, NAN, &error));
  g_assert_false(mt_recipe_set(&recipe, 1, 2, &error)); /* the place */
}

static void
test_recipe_words(void)
{
  char text[MT_RECIPE_TEXT_SIZE];
  mt_recipe recipe = mt_recipe_default();
  const double sums[] = {1, 3, 2};
  g_assert_cmpstr(mt_recipe_describe(&recipe, 7, text), ==,
                  "norms, layer with the highest mean norm, input row");
  mt_recipe_choose_layer(&recipe, sums, 3);
  g_assert_cmpstr(mt_recipe_describe(&recipe, 7, text), ==,
                  "norms, layer 2 (highest mean norm, chosen without gold), input row");
  mt_error error = {0};
  g_assert_true(mt_recipe_parse(&recipe, "test", "of=1.2+3.4 choose=threshold", &error));
  g_assert_cmpstr(mt_recipe_describe(&recipe, 2 | 64, text), ==,
                  "heads 1.2 + 3.4, at least 0.2 of the row");
  /* What was named stays. */
  mt_recipe_choose_layer(&recipe, sums, 3);
  g_assert_cmpuint(recipe.n_heads, ==, 2);
  g_assert_false(recipe.is_chosen);
}

/* ---- Words ------------------------------------------------------------------------------------
 */

static char *
words_of(const mt_alignment_input *a, mt_stack side)
{
  GString *out = g_string_new(NULL);
  for (size_t i = 0; i < a->words[side].n; i++) {
    const mt_span word = a->words[side].words[i];
    g_string_append(out, i ? "|" : "");
    g_string_append_len(out, a->words[side].text + word.begin, (gssize) (word.end - word.begin));
  }
  return g_string_free(out, FALSE);
}

static mt_alignment_input *
align(const char *source, const char *target, const char *source_words, const char *target_words)
{
  mt_error error = {0};
  mt_alignment_input *a = mt_alignment_input_new(session, source, target, source_words,
                                                 target_words, NULL, NULL, &error);
  if (!a)
    g_error("%s", error.message);
  return a;
}

static char *
links_of(const mt_alignment_input *a, const char *typed)
{
  mt_recipe recipe;
  mt_error error = {0};
  size_t n;
  g_assert_true(mt_recipe_parse(&recipe, "test", typed, &error));
  mt_link *links = mt_alignment_input_links(a, &recipe, NULL, NULL, &n, &error);
  g_assert_cmpstr(error.message, ==, "");
  for (size_t i = 0; i < n; i++)
    g_assert_true(links[i].weight > 0 && links[i].weight <= 1);
  char *text = mt_links_to_text(links, n, 0, &error), *copy = g_strdup(text);
  mt_string_free(text);
  mt_links_free(links);
  return copy;
}

/* White space of any kind and amount is between words; words of a gold file may be parts of those,
 * and their sums are the word's. */
static void
test_words(void)
{
  mt_alignment_input *a = align(" I have\t two  dogs.", "Ich habe zwei\xc2\xa0Hunde.", NULL, NULL);
  g_autofree char *source = words_of(a, MT_STACK_ENCODER), *target = words_of(a, MT_STACK_DECODER);
  g_assert_cmpstr(source, ==, "I|have|two|dogs.");
  g_assert_cmpstr(target, ==, "Ich|habe|zwei|Hunde.");
  mt_alignment_input_unref(a);

  const mt_recipe recipe = mt_recipe_default();
  mt_error error = {0};
  a = align("I have two dogs.", "Ich habe zwei Hunde.", NULL, NULL);
  mt_alignment_input *b = align("I have two dogs.", "Ich habe zwei Hunde.", "I have two dogs .",
                                "Ich habe zwei Hunde .");
  g_autofree char *parts = words_of(b, MT_STACK_ENCODER);
  g_assert_cmpstr(parts, ==, "I|have|two|dogs|.");
  float *whole = mt_alignment_input_matrix(a, &recipe, &error),
        *divided = mt_alignment_input_matrix(b, &recipe, &error);
  for (size_t t = 0; t < 3; t++) {
    for (size_t s = 0; s < 3; s++)
      g_assert_cmpfloat_with_epsilon(divided[t * 5 + s], whole[t * 4 + s], 1e-6);
    g_assert_cmpfloat_with_epsilon(divided[t * 5 + 3] + divided[t * 5 + 4], whole[t * 4 + 3], 1e-6);
  }
  mt_links_free_matrix(whole);
  mt_links_free_matrix(divided);
  mt_alignment_input_unref(a);
  mt_alignment_input_unref(b);

  /* Words that cut a piece in two: it is of both. */
  a = align("I have two dogs.", "Ich habe zwei Hunde.", "I ha ve two dogs.", NULL);
  g_autofree char *links = links_of(a, "choose=threshold threshold=0.001");
  g_assert_nonnull(strstr(links, "1-1 2-1"));
  mt_alignment_input_unref(a);
}

static void
test_words_wrong(void)
{
  static const struct {
    const char *words, *says;
  } cases[] = {
      {"I have too dogs.", "Word 3, \"too\", is not what the text has there: \"wo dogs.\"."},
      {"I have two", "The words end before the text does"},
      {"I have two dogs . yes", "Word 6, \"yes\", is not what the text has there: \"\"."},
      {"I have two \xff", "The words are not UTF-8 at byte 11."},
      {"", "The words end before"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_error error = {0};
    g_assert_null(mt_alignment_input_new(session, "I have two dogs.", "Ich habe zwei Hunde.",
                                         cases[i].words, NULL, NULL, NULL, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    if (!g_str_has_prefix(error.message, cases[i].says))
      g_error("expected %s, found %s", cases[i].says, error.message);
  }
  mt_error error = {0};
  g_assert_null(mt_alignment_input_new(session, "I", "", NULL, NULL, NULL, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_null(mt_alignment_input_new(session, "\xff", "Ich", NULL, NULL, NULL, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
}

/* ---- Links ------------------------------------------------------------------------------------
 */

/* What the row of the decoder is: the same norms and weights that attributions and captures have.
 */
static void
test_matrix(void)
{
  mt_error error = {0};
  g_autoptr(mt_translation) t = sentences_translate(session, "I have two dogs.", 1, NULL);
  g_autoptr(mt_capture) c = sentences_capture(session, t, NULL);
  g_autoptr(mt_alignment_input) a = mt_alignment_input_of_translation(session, t, 0, NULL, &error);
  g_autoptr(mt_alignment_input) b = mt_alignment_input_of_translation(session, t, 0, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_recipe recipe;
  g_assert_true(
      mt_recipe_parse(&recipe, "test", "matrix=weights of=2.3 row=output target=sum", &error));
  float *found = mt_alignment_input_matrix(a, &recipe, &error),
        *same = mt_alignment_input_matrix(b, &recipe, &error);
  const size_t cols = a->words[MT_STACK_ENCODER].n, rows = a->words[MT_STACK_DECODER].n;
  mt_matrix w = mt_capture_weights(c, MT_CROSS, 1, 2);
  double sum = 0, want = 0;
  for (size_t i = 0; i < rows * cols; i++) {
    g_assert_cmpfloat(found[i], ==, same[i]);
    sum += (double) found[i];
  }
  for (size_t r = 0; r + 1 < w.rows; r++) /* without </s> on both sides */
    for (size_t s = 0; s + 1 < w.cols; s++)
      want += (double) mt_matrix_at(&w, r, s);
  g_assert_cmpfloat_with_epsilon(sum, want, 1e-4);
  mt_links_free_matrix(found);
  mt_links_free_matrix(same);

  g_assert_true(mt_recipe_parse(&recipe, "test", "of=1.9", &error));
  g_assert_null(mt_alignment_input_matrix(a, &recipe, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  size_t n;
  g_assert_true(mt_recipe_parse(&recipe, "test", "of=7", &error));
  g_assert_null(mt_alignment_input_links(a, &recipe, NULL, NULL, &n, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_true(mt_recipe_parse(&recipe, "test", "symmetry=union", &error));
  g_assert_null(mt_alignment_input_links(a, &recipe, NULL, NULL, &n, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_autoptr(mt_alignment_input) other =
      align("Ich habe zwei Katzen.", "I have two dogs.", NULL, NULL);
  g_assert_null(mt_alignment_input_links(a, &recipe, other, NULL, &n, &error));
  g_assert_cmpstr(error.message, ==, "The other direction is of other words.");
}

/* A source token that is hidden has no link; an empty head is no mistake. */
static void
test_changes(void)
{
  mt_error error = {0};
  mt_interventions *interventions = sentences_parse("source 2 hide");
  const mt_hooks hooks = {.interventions = interventions};
  mt_alignment_input *a =
      mt_alignment_input_new(session, "I have two dogs.", "Ich habe zwei Hunde.", NULL, NULL, NULL,
                             &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autofree char *links = links_of(a, "choose=threshold threshold=0.001");
  g_assert_null(strstr(links, "1-"));
  mt_alignment_input_unref(a);
  mt_interventions_unref(interventions);
  interventions = sentences_parse("cross 1.* zero");
  const mt_hooks without = {.interventions = interventions};
  a = mt_alignment_input_new(session, "I have two dogs.", "Ich habe zwei Hunde.", NULL, NULL, NULL,
                             &without, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autofree char *none = links_of(a, "of=1");
  g_assert_cmpstr(none, ==, "");
  mt_alignment_input_unref(a);
  mt_interventions_unref(interventions);
}

static bool
stop(void *user)
{
  (void) user;
  return true;
}

static void
test_cancel(void)
{
  mt_error error = {0};
  const mt_hooks hooks = {.should_stop = stop};
  g_assert_null(mt_alignment_input_new(session, "I have two dogs.", "Ich habe zwei Hunde.", NULL,
                                       NULL, NULL, &hooks, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
}

static void
test_join(void)
{
  /* b is given as the words of a, in any order. */
  const mt_link a[] = {{0, 0, 0.5f}, {1, 1, 0.5f}, {3, 2, 0.5f}, {4, 3, 0.5f}},
                b[] = {{4, 4, 0.25f}, {0, 0, 0.25f}, {1, 1, 0.25f}, {2, 1, 0.25f}, {0, 5, 0.25f}};
  static const char *const want[] = {
      "0-0 1-1 3-2 4-3",             /* one direction */
      "0-0 1-1",                     /* intersection */
      "0-0 1-1 2-1 3-2 4-3 4-4 0-5", /* union */
      /* 2-1 beside 1-1, 3-2 beside 2-1, and so on; 0-5 at the end, for its target has none */
      "0-0 1-1 2-1 3-2 4-3 4-4 0-5",
  };
  for (mt_recipe_symmetry s = MT_RECIPE_ONE_DIRECTION; s <= MT_RECIPE_GROW_DIAG_FINAL; s++) {
    mt_link out[9];
    mt_error error = {0};
    const size_t n = mt_links_join(a, 4, b, 5, s, out, &error);
    char *text = mt_links_to_text(out, n, 0, &error);
    g_assert_cmpstr(text, ==, want[s]);
    mt_string_free(text);
    for (size_t i = 0; i < n; i++)
      g_assert_cmpfloat(out[i].weight, ==,
                        (out[i].source == 2 || out[i].target >= 4) ? 0.25f : 0.5f);
  }
  /* Far from all others, and both words have links: not taken. */
  const mt_link c[] = {{0, 0, 1}, {5, 5, 1}, {0, 5, 1}}, d[] = {{0, 0, 1}, {5, 5, 1}};
  mt_link out[5];
  g_assert_cmpuint(mt_links_join(c, 3, d, 2, MT_RECIPE_GROW_DIAG_FINAL, out, NULL), ==, 2);
  g_assert_cmpuint(mt_links_join(NULL, 0, NULL, 0, MT_RECIPE_UNION, out, NULL), ==, 0);
}

/* ---- Many recipes -----------------------------------------------------------------------------
 */

static void
test_grid(void)
{
  const mt_recipe base = mt_recipe_default();
  mt_error error = {0};
  size_t n;
  mt_recipe *grid = mt_recipe_grid(&base, MT_RECIPE_ALL_ROWS, 2, 3, true, &n, &error);
  g_assert_cmpuint(n, ==, 2 * (2 + 2 * 3) * 2 * 2 * 2 * 2 * 2 * 4 * 2);
  /* All are different. */
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (size_t i = 0; i < n; i++) {
    g_assert_true(mt_recipe_check(&grid[i], 2, 3, &error));
    g_assert_true(g_hash_table_add(seen, g_strdup(text_of(&grid[i]))));
  }
  mt_recipes_free(grid);
  size_t row;
  g_assert_true(mt_recipe_find_field("row", &row));
  grid = mt_recipe_grid(&base, UINT32_C(1) << row, 2, 3, false, &n, &error);
  g_assert_cmpuint(n, ==, 2);
  g_assert_true(mt_recipe_equal(&grid[0], &base));
  mt_recipes_free(grid);
}

static void
watch(void *user, double share)
{
  double *last = user;
  g_assert_cmpfloat(share, >, *last);
  g_assert_cmpfloat(share, <=, 1);
  *last = share;
}

/* What a recipe gets in a grid is what counting its links gives, and it comes in order. */
static void
test_evaluate(void)
{
  static const char file[] = "I have two dogs.\tIch habe zwei Hunde.\t1-1 2-2 3-3 4-4\n"
                             "My brother bought an old house.\tMein Bruder hat ein altes Haus "
                             "gekauft.\t1-1 2-2 3-7 4-4 5-5 6-6\t3-3\n";
  mt_error error = {0};
  g_autoptr(mt_gold) gold =
      mt_gold_parse("gold", file, strlen(file), MT_GOLD_GUESS, MT_GOLD_GUESS, &error);
  const char *sources[2], *targets[2];
  for (size_t i = 0; i < 2; i++) {
    sources[i] = mt_gold_text(gold, i, MT_STACK_ENCODER);
    targets[i] = mt_gold_text(gold, i, MT_STACK_DECODER);
  }
  double share = 0;
  const mt_bootstrap bootstrap = {.n_samples = 50};
  mt_evaluation_params params = {.gold = gold,
                                 .n = 2,
                                 .texts = {sources, targets},
                                 .bootstrap = &bootstrap,
                                 .n_intervals = 3,
                                 .on_progress = watch,
                                 .user = &share};
  const mt_recipe base = mt_recipe_default();
  const mt_config *config = mt_model_config(model);
  size_t n;
  mt_recipe *grid =
      mt_recipe_grid(&base, 7, config->n_layers[1], config->n_heads[1], false, &n, &error);
  mt_evaluation *e = mt_session_evaluate(session, NULL, &params, grid, n, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpfloat(share, ==, 1);
  g_assert_cmpuint(e->n, ==, n);
  g_assert_cmpuint(e->n_sentences, ==, 2);
  mt_alignment_input *pairs[2] = {align(sources[0], targets[0], NULL, NULL),
                                  align(sources[1], targets[1], NULL, NULL)};
  size_t n_chosen = 0;
  for (size_t i = 0; i < n; i++) {
    const mt_evaluated *one = &e->ranked[i];
    g_assert_true(mt_recipe_equal(&one->recipe, &grid[one->number]));
    mt_aer_counts sum = {0};
    for (size_t s = 0; s < 2; s++) {
      size_t n_links, n_gold;
      mt_link *links =
          mt_alignment_input_links(pairs[s], &one->recipe, NULL, NULL, &n_links, &error);
      const mt_gold_link *of = mt_gold_links(gold, s, &n_gold);
      const mt_aer_counts c = mt_aer_count(links, n_links, of, n_gold),
                          own = mt_evaluation_sentence(e, i, s);
      g_assert_cmpmem(&c, sizeof c, &own, sizeof own);
      sum.n_links += c.n_links;
      sum.n_sure += c.n_sure;
      sum.n_links_sure += c.n_links_sure;
      sum.n_links_possible += c.n_links_possible;
      mt_links_free(links);
    }
    g_assert_cmpfloat(one->aer, ==, mt_aer(&sum));
    if (i > 0)
      g_assert_cmpfloat(one->aer, >=, e->ranked[i - 1].aer);
    g_assert_cmpint(isnan(one->low), ==, i >= 3);
    n_chosen += one->is_chosen;
  }
  g_assert_cmpuint(n_chosen, ==, 2); /* one of each row */
  /* A recipe that leaves the layer open gets the same layer, and its rate. */
  share = 0;
  mt_evaluation *open = mt_session_evaluate(session, session, &params, &base, 1, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  const mt_evaluated *one = &open->ranked[0];
  g_assert_true(one->recipe.is_chosen && one->is_chosen);
  g_assert_cmpuint((size_t) one->recipe.layer, ==,
                   mt_evaluation_chosen_layer(e, MT_RECIPE_INPUT_ROW));
  mt_evaluation_free(open);
  mt_evaluation_free(e);

  /* Mistakes say where. */
  params.n = 1;
  params.on_progress = NULL;
  g_assert_null(mt_session_evaluate(session, NULL, &params, grid, n, NULL, &error));
  g_assert_cmpstr(error.message, ==, "gold has 2 sentences, and the texts have 1.");
  params.n = 2;
  sources[1] = "My brother";
  g_assert_null(mt_model_evaluate(model, NULL, &params, grid, n, NULL, &error));
  g_assert_nonnull(strstr(error.message, "gold, line 2: the link "));
  sources[1] = "";
  g_assert_null(mt_model_evaluate(model, NULL, &params, grid, n, NULL, &error));
  g_assert_true(g_str_has_prefix(error.message, "Sentence 2: "));
  const mt_hooks hooks = {.should_stop = stop};
  g_assert_null(mt_model_evaluate(model, model, &params, grid, n, &hooks, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
  g_assert_null(mt_evaluation_new(&base, NULL, 1, 3, 4, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  for (size_t s = 0; s < 2; s++)
    mt_alignment_input_unref(pairs[s]);
  mt_recipes_free(grid);
}

static void
tear_down(void)
{
  mt_session_free(session);
  mt_model_unref(model);
}

TESTS(.end = tear_down)
{
  g_autofree char *path = golden_path(FROZEN);
  model = model_open_good(path);
  session = sentences_session(model, 2, false);
  g_test_add_func("/alignment/recipe-text", test_recipe_text);
  g_test_add_func("/alignment/recipe-wrong", test_recipe_wrong);
  g_test_add_func("/alignment/recipe-words", test_recipe_words);
  g_test_add_func("/alignment/words", test_words);
  g_test_add_func("/alignment/words-wrong", test_words_wrong);
  g_test_add_func("/alignment/matrix", test_matrix);
  g_test_add_func("/alignment/changes", test_changes);
  g_test_add_func("/alignment/cancel", test_cancel);
  g_test_add_func("/alignment/join", test_join);
  g_test_add_func("/alignment/grid", test_grid);
  g_test_add_func("/alignment/evaluate", test_evaluate);
}
