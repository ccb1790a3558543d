/* regard-steps.c — how a translation was found, step by step, for whoever draws it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-steps.h"

#include "figures/regard-naming.h"
#include "figures/regard-visible.h"

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
  mt_tokens *tokens;
  char *words;

  for (gsize t = n; t-- > 0;) {
    const mt_step_node *at = &self->steps->nodes[(gsize) node];

    ids[t] = at->id;
    node = at->parent;
  }
  tokens = n ? mt_model_detokenize(self->model, MT_STACK_DECODER, ids, n, NULL) : NULL;
  words = g_strdup(tokens ? mt_tokens_text(tokens) : "");
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
