/* mt-conllu-tree.c — a tree that stays.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <string.h>

/* A copy of text, at *at, which goes on behind it. */
static const char *
put(char **at, const char *text)
{
  const size_t n = strlen(text) + 1;
  char *copy = memcpy(*at, text, n);
  *at += n;
  return copy;
}

mt_conllu_tree *
mt_conllu_tree_copy(const mt_conllu_tree *tree, mt_error *error)
{
  size_t n = strlen(tree->text) + 1;
  for (size_t i = 0; i < tree->n_words; i++)
    n += strlen(tree->words[i].relation) + 1;
  mt_conllu_tree *copy = mt_alloc(sizeof *copy + tree->n_words * sizeof *copy->words + n, 1);
  if (!copy)
    return mt_fail_no_memory(error), NULL;
  mt_conllu_word *words = (mt_conllu_word *) (copy + 1);
  char *at = (char *) (words + tree->n_words);
  *copy = *tree;
  copy->words = words;
  copy->text = put(&at, tree->text);
  for (size_t i = 0; i < tree->n_words; i++) {
    words[i] = tree->words[i];
    words[i].relation = put(&at, tree->words[i].relation);
  }
  return copy;
}

void
mt_conllu_tree_free(mt_conllu_tree *tree)
{
  mt_free(tree);
}
