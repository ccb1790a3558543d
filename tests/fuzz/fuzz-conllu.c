/* fuzz-conllu.c — trees of somebody else, line by line.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "fuzz.h"

#include <string.h>

static void
look_at(const mt_conllu_tree *tree)
{
  const size_t n = strlen(tree->text);
  g_assert(g_utf8_validate(tree->text, -1, NULL));
  for (size_t i = 0; i < tree->n_words; i++) {
    const mt_conllu_word *word = &tree->words[i];
    g_assert(word->begin < word->end && word->end <= n);
    g_assert(word->head <= tree->n_words && word->head != i + 1);
    g_assert(word->relation[0] && strlen(word->relation) < 64);
  }
  mt_error error = {0};
  g_autoptr(mt_conllu_tree) copy = mt_conllu_tree_copy(tree, &error);
  g_assert(copy && strcmp(copy->text, tree->text) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  mt_error error = {0};
  g_autoptr(mt_conllu_reader) reader = mt_conllu_reader_new("trees.conllu", &error);
  mt_conllu_result result = MT_CONLLU_MORE;
  for (size_t at = 0; at <= size && result != MT_CONLLU_FAILED;) {
    const mt_conllu_tree *tree;
    const uint8_t *end = at < size ? memchr(data + at, '\n', size - at) : NULL;
    const size_t n = end ? (size_t) (end - data) - at : size - at;
    /* A line lies in memory of exactly its size. */
    g_autofree char *line = at < size ? g_memdup2(data + at, n) : NULL;
    result = mt_conllu_reader_add(reader, at < size ? (line ? line : "") : NULL, n, &tree, &error);
    if (result == MT_CONLLU_TREE)
      look_at(tree);
    at += at < size ? n + 1 : 1;
    if (at > size && end)
      break;
  }
  if (result == MT_CONLLU_FAILED)
    g_assert(error.message[0]);
  return 0;
}
