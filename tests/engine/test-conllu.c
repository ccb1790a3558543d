/* test-conllu.c — trees of Universal Dependencies, and what is wrong in a file of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "read-trees.h"
#include "suite.h"

static void
test_trees(void)
{
  g_autoptr(GPtrArray) trees = g_ptr_array_new_with_free_func(free_tree);
  mt_error error = {0};
  g_assert_cmpint(
      read_trees("# newdoc\n# text = Ich bin im Haus.\n" ROW("1", "Ich", "5", "nsubj:pass", "_")
                     ROW("2", "bin", "5", "cop", "_") ROW("3-4", "im", "_", "_", "_")
                         ROW("3", "in", "5", "case", "_") ROW("4", "dem", "5", "det", "_")
                             ROW("5", "Haus", "0", "root", "SpaceAfter=No") ROW("5.1", "leer", "_",
                                                                                "_", "_")
                                 ROW("6", ".", "5", "punct",
                                     "_") "\n\n" ROW("1", "Nein", "0", "root", "A=b|SpaceAfter=No")
                                     ROW("2", "!", "1", "punct", "_"),
                 trees, &error),
      !=, MT_CONLLU_FAILED);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpuint(trees->len, ==, 2);
  const mt_conllu_tree *a = trees->pdata[0], *b = trees->pdata[1];
  g_assert_cmpuint(a->n_words, ==, 6);
  g_assert_cmpuint(a->line, ==, 1);
  g_assert_cmpstr(a->words[0].relation, ==, "nsubj");
  g_assert_cmpuint(a->words[2].begin, ==, 8);
  g_assert_cmpuint(a->words[3].begin, ==, 8);
  g_assert_cmpuint(a->words[3].end, ==, 10);
  g_assert_cmpuint(a->words[5].begin, ==, 15);
  g_assert_cmpstr(b->text, ==, "Nein!");
  g_assert_cmpuint(b->line, ==, 13);
}

static void
test_wrong_trees(void)
{
  static const struct {
    const char *text, *where;
  } rows[] = {
      {"1\tone\n", "trees:1: Expected 10 columns"},
      {ROW("2", "one", "0", "root", "_"), "trees:1: Expected word 1"},
      {ROW("1", "one", "0", "root", "_") ROW("3", "x", "1", "x", "_"), "trees:2: Expected word 2"},
      {ROW("1", "", "0", "root", "_"), "trees:1: A word has no form"},
      {ROW("1", "one", "_", "root", "_"), "trees:1: Expected the number"},
      {ROW("1", "one", "1", "det", "_"), "trees:1: Expected the number"},
      {ROW("1", "one", "99999999999", "det", "_"), "trees:1: Expected the number"},
      {ROW("1", "one", "0", "_", "_"), "trees:1: Expected a relation"},
      {ROW("1", "one", "0", "det", "_"), "trees:1: Head 0"},
      {ROW("1", "one", "5", "det", "_") "\n", "trees:1: Word 1 has the head 5"},
      {ROW("1", "a", "2", "det", "_") ROW("2", "b", "1", "det", "_") "\n", "one root, found 0"},
      {ROW("1", "a", "0", "root", "_") ROW("2", "b", "3", "det", "_")
           ROW("3", "c", "2", "det", "_") "\n",
       "trees:1: The heads of word 2 go round"},
      {ROW("1", "a", "0", "root", "_") ROW("2", "b", "0", "root", "_") "\n", "found 2"},
      {"\n# text = other\n" ROW("1", "one", "0", "root", "_") "\n",
       "trees:2: The text does not have word 1"},
      {"# text = a\n# text = b\n", "trees:2: The sentence has a text already"},
      {"# text = a\n\n", "no words"},
      {ROW("2-3", "ab", "_", "_", "_"), "trees:1: Expected a token"},
      {ROW("1-9", "ab", "_", "_", "_") ROW("1", "a", "0", "root", "_") "\n",
       "token goes to word 9"},
      {"\xff\n", "trees:1: Byte 1 is not UTF-8"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GPtrArray) trees = g_ptr_array_new_with_free_func(free_tree);
    mt_error error = {0};
    g_assert_cmpint(read_trees(rows[i].text, trees, &error), ==, MT_CONLLU_FAILED);
    g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
    if (!strstr(error.message, rows[i].where))
      g_error("%u: %s", i, error.message);
  }
}

/* A text that is too long, in a comment, in one word or in many: the line is named. */
static void
test_long_sentences(void)
{
  g_autofree char *most = g_strnfill(1024 * 1024, 'a'), *half = g_strnfill(600 * 1024, 'b');
  g_autofree char *comment = g_strdup_printf("\n# text = %s\n", most);
  g_autofree char *word = g_strdup_printf("1\t%s\t_\t_\t_\t_\t0\troot\t_\t_\n", most);
  g_autofree char *words = g_strdup_printf("1\t%s\t_\t_\t_\t_\t0\troot\t_\t_\n"
                                           "2\t%s\t_\t_\t_\t_\t1\tdet\t_\t_\n",
                                           half, half);
  const struct {
    const char *text, *where;
  } rows[] = {{comment, "trees:2: "}, {word, "trees:1: "}, {words, "trees:2: "}};
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GPtrArray) trees = g_ptr_array_new_with_free_func(free_tree);
    mt_error error = {0};
    g_assert_cmpint(read_trees(rows[i].text, trees, &error), ==, MT_CONLLU_FAILED);
    g_assert_true(g_str_has_prefix(error.message, rows[i].where));
    g_assert_nonnull(strstr(error.message, "longer than 1 MiB"));
  }
}

TESTS()
{
  g_test_add_func("/conllu/trees", test_trees);
  g_test_add_func("/conllu/long-sentences", test_long_sentences);
  g_test_add_func("/conllu/wrong-trees", test_wrong_trees);
}
