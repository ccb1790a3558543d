/* read-trees.h — the trees of a text in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "mt.h"

#include <glib.h>
#include <string.h>

/* A line of CoNLL-U. */
#define ROW(id, form, head, relation, misc) \
  id "\t" form "\t_\t_\t_\t_\t" head "\t" relation "\t_\t" misc "\n"

/* All trees of a text, appended to trees, which frees them. */
static inline mt_conllu_result
read_trees(const char *text, GPtrArray *trees, mt_error *error)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  mt_conllu_reader *reader = mt_conllu_reader_new("trees", error);
  mt_conllu_result result = MT_CONLLU_MORE;
  const guint n = g_strv_length(lines);
  for (guint i = 0; i <= n && result != MT_CONLLU_FAILED; i++) {
    const mt_conllu_tree *tree;
    result = mt_conllu_reader_add(reader, i < n ? lines[i] : NULL, i < n ? strlen(lines[i]) : 0,
                                  &tree, error);
    if (result == MT_CONLLU_TREE)
      g_ptr_array_add(trees, mt_conllu_tree_copy(tree, error));
  }
  mt_conllu_reader_free(reader);
  return result;
}

static inline void
free_tree(gpointer tree)
{
  mt_conllu_tree_free(tree);
}
