/* regard-steps.c — how a translation was found, step by step, and its hypotheses as a tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-steps.h"

#include "figures/regard-naming.h"

static void
clear(gpointer subject)
{
  RegardSteps *self = subject;
  mt_capture_unref(self->capture);
  mt_translation_unref(self->translation);
  mt_model_unref(self->model);
  g_free(self->nodes);
  g_free(self->rows);
}

RegardSteps *
regard_steps_new(mt_model *model, mt_translation *translation, guint hypothesis,
                 mt_capture *capture)
{
  const mt_steps *steps = mt_translation_steps(translation);
  int node = steps ? mt_steps_result(steps, hypothesis) : -1;
  RegardSteps *self;

  if (node < 0)
    return NULL;
  self = regard_subject_alloc(sizeof *self, clear);
  self->model = mt_model_ref(model);
  self->translation = mt_translation_ref(translation);
  self->capture = capture ? mt_capture_ref(capture) : NULL;
  self->steps = steps;
  self->hypothesis = hypothesis;
  self->n = (guint) steps->nodes[(gsize) node].step + 1;
  self->nodes = g_new(int, self->n);
  self->rows = g_new(int, self->n);
  for (guint t = self->n; t-- > 0;) {
    self->nodes[t] = node;
    node = steps->nodes[(gsize) node].parent;
    self->rows[t] = mt_steps_row_of(steps, node);
  }
  return self;
}

char *
regard_steps_dup_piece(const RegardSteps *self, int32_t id)
{
  const char *piece = mt_model_piece(self->model, MT_STACK_DECODER, id);

  if (id == mt_model_config(self->model)->eos_id)
    return g_strdup("⏎");
  return regard_visible(piece ? piece : "?");
}

char *
regard_steps_dup_words(const RegardSteps *self, int node)
{
  const gsize n = node < 0 ? 0 : self->steps->nodes[(gsize) node].step + 1;
  g_autofree int32_t *ids = g_new(int32_t, n + 1);

  for (gsize t = n; t-- > 0;) {
    const mt_step_node *at = &self->steps->nodes[(gsize) node];

    ids[t] = at->id;
    node = at->parent;
  }
  mt_tokens *tokens = n ? mt_model_detokenize(self->model, MT_STACK_DECODER, ids, n, NULL) : NULL;
  char *words = g_strdup(tokens ? mt_tokens_text(tokens) : "");
  mt_tokens_unref(tokens);
  return words;
}

guint
regard_steps_rank(const RegardSteps *self, const mt_step_row *row, int32_t id)
{
  /* Behind the likeliest stand those that were chosen all the same. */
  for (gsize i = 0; i < MIN(row->n, self->steps->top); i++)
    if (row->options[i].id == id)
      return (guint) i + 1;
  return 0;
}

/* ---- Where the hypotheses of a search stand when they are drawn as a tree --------------- */

#define FULL (G_MAXUINT / 4)

typedef struct {
  const RegardSteps *steps;
  const RegardTreeShape *shape;
  /* Of each node, and the start: its continuations, as a list, the first one standing in its row.
   */
  int *first_child, *next;
  guint n_ghost, ghost_from; /* steps of the branch before that are shown */
  int ghost_parent;          /* node that it goes off from; -1: the start */
  gboolean *is_shown_path;   /* [nodes] */
  guint *deep;               /* [nodes] columns behind the first one of the branch; FULL: all */
  RegardBeamTree *tree;
  GArray *items;
  GArray *taken; /* of each column, the first free row */
} Builder;

static const mt_step_node *
node_at(const Builder *b, int node)
{
  return &b->steps->steps->nodes[(gsize) node];
}

/* ---- Who goes on from whom --------------------------------------------------------------------
 */

static gboolean
is_before(const Builder *b, int x, int y)
{
  if (b->is_shown_path[x] != b->is_shown_path[y])
    return b->is_shown_path[x];
  return node_at(b, x)->rank < node_at(b, y)->rank;
}

static void
link_nodes(Builder *b)
{
  const gsize n = b->steps->steps->n_nodes;

  b->first_child = g_new(int, n + 1);
  b->next = g_new(int, n + 1);
  b->is_shown_path = g_new0(gboolean, n);
  for (gsize i = 0; i <= n; i++)
    b->first_child[i] = b->next[i] = -1;
  for (guint t = 0; t < b->steps->n; t++)
    b->is_shown_path[b->steps->nodes[t]] = TRUE;
  for (gsize i = 0; i < n; i++) {
    const mt_step_node *node = node_at(b, (int) i);
    int *at = &b->first_child[node->parent + 1];

    if (b->shape->held_only && !node->is_held)
      continue;
    /* Within a step nodes come by rank, so nearly all go to the end of a short list. */
    while (*at >= 0 && !is_before(b, (int) i, *at))
      at = &b->next[*at];
    b->next[i] = *at;
    *at = (int) i;
  }
}

/* Where the branch before leaves what is there now. */
static void
find_ghost(Builder *b)
{
  const RegardSteps *ghost = b->shape->ghost;
  int at = -1;
  guint t = 0;

  if (!ghost)
    return;
  for (; t < ghost->n; t++) {
    const int32_t id = ghost->steps->nodes[(gsize) ghost->nodes[t]].id;
    int child = b->first_child[at + 1];

    while (child >= 0 && (node_at(b, child)->id != id || !node_at(b, child)->is_held))
      child = b->next[child];
    if (child < 0)
      break;
    at = child;
  }
  b->ghost_from = t;
  b->n_ghost = ghost->n - t;
  b->ghost_parent = at;
}

/* ---- Placing ----------------------------------------------------------------------------------
 */

static guint *
taken(Builder *b, guint column)
{
  if (column >= b->taken->len)
    g_array_set_size(b->taken, column + 1);
  return &g_array_index(b->taken, guint, column);
}

/* A chain is folded: what goes on from a node is drawn with it. */
static gboolean
is_joined(const Builder *b, int node)
{
  const int child = b->first_child[node + 1];

  return b->shape->fold && child >= 0 && b->next[child] < 0 &&
         !(b->n_ghost && node == b->ghost_parent) &&
         node_at(b, child)->is_held == node_at(b, node)->is_held &&
         node_at(b, child)->is_forced == node_at(b, node)->is_forced;
}

/* The last node of the chain that begins with one. */
static int
end_of_chain(const Builder *b, int node)
{
  while (is_joined(b, node))
    node = b->first_child[node + 1];
  return node;
}

/* How many columns a branch needs behind its first one; what ends has its score behind it, up to
 * the right. Continuations come after what they go on from. */
static void
measure_branches(Builder *b)
{
  const gsize n = b->steps->steps->n_nodes;

  b->deep = g_new0(guint, n + 1);
  for (gsize i = n; i-- > 0;) {
    if (is_joined(b, (int) i)) {
      b->deep[i] = b->deep[b->first_child[i + 1]];
      continue;
    }
    if (node_at(b, (int) i)->fate == MT_FATE_FINISHED)
      b->deep[i] = FULL;
    for (int child = b->first_child[i + 1]; child >= 0; child = b->next[child])
      b->deep[i] = MAX(b->deep[i], MIN(b->deep[child] + 1, FULL));
  }
}

/* The highest row below all that stands in these columns. */
static guint
free_row(Builder *b, guint first, guint last)
{
  guint row = 0;

  for (guint c = first; c <= MIN(last, MAX(b->taken->len, first + 1) - 1); c++)
    row = MAX(row, *taken(b, c));
  return row;
}

static int
add(Builder *b, RegardTreeItem item)
{
  RegardBeamTree *tree = b->tree;

  g_array_append_val(b->items, item);
  *taken(b, item.column) = item.row + 1;
  tree->n_columns = MAX(tree->n_columns, item.column + 1);
  tree->n_rows = MAX(tree->n_rows, item.row + 1);
  return (int) b->items->len - 1;
}

/* The branch before, below what is there. */
static void
place_ghost(Builder *b, int parent, guint column)
{
  const guint row = free_row(b, column, G_MAXUINT);

  for (guint k = 0; k < b->n_ghost; k++)
    parent = add(b, (RegardTreeItem){.node = -1,
                                     .first = -1,
                                     .parent = parent,
                                     .column = column + k,
                                     .row = row,
                                     .ghost = (int) (b->ghost_from + k),
                                     .is_leaf = k + 1 == b->n_ghost});
}

static void place_children(Builder *b, int node, int item, guint column, guint row);

static void
place(Builder *b, int node, int parent, guint column, guint row)
{
  const int end = end_of_chain(b, node);
  const RegardTreeItem own = {.node = end,
                              .first = node,
                              .parent = parent,
                              .column = column,
                              .row = row,
                              .ghost = -1,
                              .is_leaf = b->first_child[end + 1] < 0};
  const int item = add(b, own);

  for (int i = end;; i = node_at(b, i)->parent) {
    b->tree->items_of[i] = item;
    if (i == node)
      break;
  }
  if (node_at(b, end)->fate == MT_FATE_FINISHED)
    for (guint c = column + 1; c < b->taken->len; c++)
      *taken(b, c) = MAX(*taken(b, c), row + 1);
  place_children(b, end, item, column + 1, row);
}

static void
place_children(Builder *b, int node, int item, guint column, guint row)
{
  gboolean is_first = TRUE;

  for (int child = b->first_child[node + 1]; child >= 0; child = b->next[child]) {
    place(b, child, item, column,
          is_first ? MAX(row, *taken(b, column)) : free_row(b, column, column + b->deep[child]));
    is_first = FALSE;
  }
  if (b->n_ghost && node == b->ghost_parent)
    place_ghost(b, item, column);
}

RegardBeamTree *
regard_beam_tree_new(const RegardSteps *steps, const RegardTreeShape *shape)
{
  RegardBeamTree *tree = g_new0(RegardBeamTree, 1);
  const gsize n = steps->steps->n_nodes;
  Builder b = {.steps = steps, .shape = shape, .tree = tree};

  b.items = g_array_new(FALSE, FALSE, sizeof(RegardTreeItem));
  b.taken = g_array_new(FALSE, TRUE, sizeof(guint));
  tree->items_of = g_new(int, n + 1);
  for (gsize i = 0; i < n; i++)
    tree->items_of[i] = -1;
  link_nodes(&b);
  find_ghost(&b);
  measure_branches(&b);
  /* Columns that are needed from the beginning, so that what ends early keeps its row for itself.
   */
  taken(&b, (guint) steps->steps->n_steps + 1);
  place_children(&b, -1, -1, 1, 0);
  tree->n = b.items->len;
  tree->items = (RegardTreeItem *) g_array_free(b.items, FALSE);
  g_array_unref(b.taken);
  g_free(b.first_child);
  g_free(b.next);
  g_free(b.deep);
  g_free(b.is_shown_path);
  return tree;
}

void
regard_beam_tree_free(RegardBeamTree *tree)
{
  if (!tree)
    return;
  g_free(tree->items);
  g_free(tree->items_of);
  g_free(tree);
}
