/* test-beam-tree.c — where the hypotheses of a search stand: nothing twice, nothing left out,
 * nothing on top of each other, no edges that cross; and that the tree has what was found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-steps.h"
#include "steps-test.h"
#include "suite.h"

#include <math.h>

static StepsTest frozen, small;

static const mt_step_node *
node_at(const RegardSteps *steps, int i)
{
  return &steps->steps->nodes[(gsize) i];
}

/* ---- Laws of a layout -------------------------------------------------------------------------
 */

/* Every node that is to be shown is in one item, which is the node or a chain that ends with it. */
static void
assert_complete(const RegardSteps *steps, const RegardTreeShape *shape, const RegardBeamTree *tree)
{
  const guint n = (guint) steps->steps->n_nodes;
  g_autofree guint *covered = g_new0(guint, n), *n_children = g_new0(guint, n);
  for (guint i = 0; i < n; i++)
    if (node_at(steps, (int) i)->parent >= 0 &&
        (!shape->held_only || node_at(steps, (int) i)->is_held))
      n_children[node_at(steps, (int) i)->parent]++;
  for (guint i = 0; i < tree->n; i++) {
    const RegardTreeItem *item = &tree->items[i];
    if (item->ghost >= 0) {
      g_assert_cmpint(item->node, ==, -1);
      continue;
    }
    for (int at = item->node;; at = node_at(steps, at)->parent) {
      g_assert_cmpint(tree->items_of[at], ==, (int) i);
      covered[at]++;
      if (at != item->node)
        g_assert_cmpuint(n_children[at], ==, 1);
      if (at == item->first)
        break;
    }
    const int parent = node_at(steps, item->first)->parent;
    g_assert_cmpint(item->parent, ==, parent < 0 ? -1 : tree->items_of[parent]);
    g_assert_true(parent < 0 || tree->items[item->parent].node == parent);
    if (!shape->fold)
      g_assert_cmpint(item->first, ==, item->node);
    if (item->is_leaf)
      g_assert_cmpuint(n_children[item->node], ==, 0);
  }
  for (guint i = 0; i < n; i++) {
    const gboolean is_shown = !shape->held_only || node_at(steps, (int) i)->is_held;
    g_assert_cmpuint(covered[i], ==, is_shown);
    g_assert_true(is_shown || tree->items_of[i] == -1);
  }
}

/* A parent is left of its children, in the next column; nobody has another's place, and behind what
 * has a score there is nothing. */
static void
assert_apart(const RegardSteps *steps, const RegardBeamTree *tree)
{
  const gsize n_places = (gsize) tree->n_columns * tree->n_rows;
  g_autofree int *places = g_new(int, n_places);
  for (gsize i = 0; i < n_places; i++)
    places[i] = -1;
  for (guint i = 0; i < tree->n; i++) {
    const RegardTreeItem *item = &tree->items[i];
    g_assert_cmpint(item->parent, <, (int) i);
    g_assert_cmpuint(item->column, ==, item->parent < 0 ? 1 : tree->items[item->parent].column + 1);
    g_assert_cmpuint(item->column, <, tree->n_columns);
    g_assert_cmpuint(item->row, <, tree->n_rows);
    int *place = &places[(gsize) item->row * tree->n_columns + item->column];
    g_assert_cmpint(*place, ==, -1);
    *place = (int) i;
  }
  for (guint i = 0; i < tree->n; i++) {
    const RegardTreeItem *item = &tree->items[i];
    if (item->node < 0 || node_at(steps, item->node)->fate != MT_FATE_FINISHED)
      continue;
    for (guint c = item->column + 1; c < tree->n_columns; c++)
      g_assert_cmpint(places[(gsize) item->row * tree->n_columns + c], ==, -1);
  }
  /* Between two columns edges are in the order of where they come from. */
  for (guint c = 2; c < tree->n_columns; c++) {
    int from = -1;
    for (guint row = 0; row < tree->n_rows; row++) {
      const int at = places[(gsize) row * tree->n_columns + c];
      if (at < 0)
        continue;
      const int parent_row = (int) tree->items[tree->items[at].parent].row;
      g_assert_cmpint(parent_row, >=, from);
      g_assert_cmpint(parent_row, <=, (int) row);
      from = parent_row;
    }
  }
  /* No row is empty, but for the first where there is nothing. */
  for (guint row = 0; row < tree->n_rows; row++) {
    gboolean has_any = FALSE;
    for (guint c = 0; c < tree->n_columns && !has_any; c++)
      has_any = places[(gsize) row * tree->n_columns + c] >= 0;
    g_assert_true(has_any);
  }
}

/* What is looked at is one line. */
static void
assert_straight(const RegardSteps *steps, const RegardBeamTree *tree)
{
  for (guint t = 0; t < steps->n; t++)
    g_assert_cmpuint(tree->items[tree->items_of[steps->nodes[t]]].row, ==, 0);
}

static void
assert_laws(const RegardSteps *steps, RegardSteps *ghost)
{
  for (guint i = 0; i < 8; i++) {
    const RegardTreeShape shape = {i & 1, (i & 2) != 0, i & 4 ? ghost : NULL};
    g_autoptr(RegardBeamTree) tree = regard_beam_tree_new(steps, &shape);
    assert_complete(steps, &shape, tree);
    assert_apart(steps, tree);
    assert_straight(steps, tree);
    guint n_ghost = 0;
    for (guint k = 0; k < tree->n; k++)
      n_ghost += tree->items[k].ghost >= 0;
    g_assert_true(shape.ghost || n_ghost == 0);
  }
}

static void
test_laws(void)
{
  static const size_t beams[] = {1, 2, 4, 12, 64};
  static const char *const texts[] = {STEPS_TEST_DOGS, STEPS_TEST_LONG, "."};
  for (guint b = 0; b < G_N_ELEMENTS(beams); b++)
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
      if (beams[b] == 64 && i == 1)
        continue; /* the small one has such */
      const mt_search_params params = steps_test_params(&frozen, beams[b]);
      g_autoptr(RegardSteps) steps = steps_test_search(&frozen, texts[i], &params);
      assert_laws(steps, NULL);
    }
  /* As long as allowed, and wide: thousands of nodes. */
  for (guint penalty = 0; penalty < 3; penalty++) {
    mt_search_params params = steps_test_params(&small, 40);
    params.length_penalty = (float) penalty;
    params.early_stopping = (mt_early_stopping) penalty;
    g_autoptr(RegardSteps) steps = steps_test_search(&small, "the cat", &params);
    g_assert_cmpuint(steps->steps->n_nodes, >, 500);
    assert_laws(steps, NULL);
  }
}

/* Another hypothesis that is looked at is the one that is straight. */
static void
test_alternatives(void)
{
  const mt_search_params params = steps_test_params(&frozen, 4);
  g_autoptr(RegardSteps) best = steps_test_search(&frozen, STEPS_TEST_DOGS, &params);
  for (guint i = 0; i < 4; i++) {
    g_autoptr(RegardSteps) steps = regard_steps_new(frozen.model, best->translation, i, NULL);
    g_assert_nonnull(steps);
    assert_laws(steps, NULL);
  }
}

/* The branch before leaves where it was left, and keeps a place of its own to its end. */
static void
test_ghost(void)
{
  mt_search_params params = steps_test_params(&frozen, 4);
  g_autoptr(RegardSteps) before = steps_test_search(&frozen, STEPS_TEST_LONG, &params);
  mt_constraints *constraints = steps_test_prefix(&frozen, "Das Tier ging");
  params.constraints = constraints;
  g_autoptr(RegardSteps) now = steps_test_search(&frozen, STEPS_TEST_LONG, &params);
  mt_constraints_unref(constraints);
  assert_laws(now, before);
  guint same = 0;
  while (node_at(now, now->nodes[same])->id == node_at(before, before->nodes[same])->id)
    same++;
  g_assert_cmpuint(same, >=, 2);
  for (guint fold = 0; fold < 2; fold++) {
    g_autoptr(RegardBeamTree) tree =
        regard_beam_tree_new(now, &(RegardTreeShape){fold, FALSE, before});
    guint next = same;
    for (guint i = 0; i < tree->n; i++) {
      const RegardTreeItem *item = &tree->items[i];
      if (item->ghost < 0)
        continue;
      g_assert_cmpint(item->ghost, ==, (int) next);
      if (next == same)
        g_assert_cmpint(tree->items[item->parent].node, ==, now->nodes[same - 1]);
      next++;
      g_assert_true(item->is_leaf == (next == before->n));
    }
    g_assert_cmpuint(next, ==, before->n);
  }
  /* The same branch is no branch of its own. */
  g_autoptr(RegardBeamTree) alone =
      regard_beam_tree_new(now, &(RegardTreeShape){FALSE, FALSE, now});
  for (guint i = 0; i < alone->n; i++)
    g_assert_cmpint(alone->items[i].ghost, ==, -1);
}

/* ---- The search in it -------------------------------------------------------------------------
 */

/* The n-best list, made of nothing but the nodes. */
static void
assert_rebuilt(const RegardSteps *steps)
{
  const mt_steps *s = steps->steps;
  const gsize n_results = mt_translation_count(steps->translation);
  const float alpha = s->length_penalty;
  g_autofree gboolean *is_found = g_new0(gboolean, n_results);
  for (gsize i = 0; i < s->n_nodes; i++) {
    const mt_step_node *end = &s->nodes[i];
    if (end->result < 0)
      continue;
    g_assert_cmpint(end->fate, ==, MT_FATE_FINISHED);
    g_assert_true(end->is_held && end->is_end);
    g_assert_cmpint(mt_steps_result(s, (gsize) end->result), ==, (int) i);
    const mt_hypothesis *h = mt_translation_hypothesis(steps->translation, (gsize) end->result);
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(int32_t));
    double sum = 0;
    for (int at = (int) i; at >= 0; at = node_at(steps, at)->parent) {
      const mt_step_node *node = node_at(steps, at);
      g_assert_true(node->is_held);
      g_array_prepend_val(ids, node->id);
      sum += (double) node->logprob;
    }
    g_assert_cmpuint(ids->len, ==, end->step + 1);
    g_assert_cmpuint(ids->len, ==, mt_tokens_count(h->tokens));
    for (guint t = 0; t < ids->len; t++)
      g_assert_cmpint(g_array_index(ids, int32_t, t), ==, mt_tokens_get(h->tokens, t)->id);
    g_assert_cmpfloat_with_epsilon(sum, (double) h->sum_logprob, 1e-3);
    g_assert_cmpfloat_with_epsilon((double) end->score, (double) h->score, 1e-5);
    g_assert_cmpfloat_with_epsilon((double) end->sum / pow((double) ids->len, (double) alpha),
                                   (double) end->score, 1e-4);
    g_assert_false(is_found[end->result]);
    is_found[end->result] = TRUE;
  }
  for (gsize i = 0; i < n_results; i++)
    g_assert_true(is_found[i]);
}

/* Every node was an option of the row of its parent. */
static void
assert_chosen(const RegardSteps *steps)
{
  const mt_steps *s = steps->steps;
  for (gsize i = 0; i < s->n_nodes; i++) {
    const mt_step_node *node = &s->nodes[i];
    const int32_t at = mt_steps_row_of(s, node->parent);
    gboolean is_there = FALSE;
    g_assert_cmpint(at, >=, 0);
    const mt_step_row row = s->rows[(gsize) at];
    g_assert_cmpint(row.node, ==, node->parent);
    g_assert_cmpuint(row.step, ==, node->step);
    for (gsize k = 0; k < row.n; k++)
      if (row.options[k].id == node->id) {
        is_there = TRUE;
        g_assert_cmpfloat(row.options[k].logprob, ==, node->logprob);
      }
    /* Of those that were only considered, what was not among the likeliest is not kept. */
    g_assert_true(is_there || !node->is_held);
  }
}

static void
test_rebuilt(void)
{
  static const size_t beams[] = {1, 4, 12};
  for (guint b = 0; b < G_N_ELEMENTS(beams); b++)
    for (guint penalty = 0; penalty < 3; penalty++) {
      if ((b + penalty) % suite_stride(1, 3) != 0) /* each once */
        continue;
      mt_search_params params = steps_test_params(&frozen, beams[b]);
      params.length_penalty = 0.6F * (float) penalty;
      params.early_stopping = (mt_early_stopping) penalty;
      g_autoptr(RegardSteps) steps = steps_test_search(&frozen, STEPS_TEST_DOGS, &params);
      assert_rebuilt(steps);
      assert_chosen(steps);
    }
  /* Forced, and cut off at the greatest length. */
  mt_search_params params = steps_test_params(&frozen, 4);
  mt_constraints *constraints = steps_test_prefix(&frozen, "Wir sehen");
  params.constraints = constraints;
  params.max_length = 6;
  g_autoptr(RegardSteps) steps = steps_test_search(&frozen, STEPS_TEST_LONG, &params);
  mt_constraints_unref(constraints);
  assert_rebuilt(steps);
  assert_chosen(steps);
}

static void
tear_down(void)
{
  steps_test_close(&frozen);
  steps_test_close(&small);
}

TESTS(.end = tear_down)
{
  steps_test_open(&frozen, "frozen/en-de");
  steps_test_open(&small, "checkpoints/post-norm-relu");
  g_test_add_func("/beam-tree/laws", test_laws);
  g_test_add_func("/beam-tree/alternatives", test_alternatives);
  g_test_add_func("/beam-tree/ghost", test_ghost);
  g_test_add_func("/beam-tree/rebuilt", test_rebuilt);
}
