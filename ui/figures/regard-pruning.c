/* regard-pruning.c — heads taken out one after the other: values, and the matrix that files hold.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-pruning.h"
#include "figures/regard-naming.h"

#include <math.h>

RegardPruning *
regard_pruning_new(const mt_model *model, const mt_changes *changes, mt_effect_kind with,
                   guint n_heads, guint n_sentences, gboolean is_scored, RegardPruningStep *steps,
                   guint n_steps)
{
  RegardPruning *self = g_new0(RegardPruning, 1);
  g_atomic_ref_count_init(&self->ref_count);
  self->model_name = g_strdup(mt_model_name(model));
  self->changes = mt_changes_count(changes) ? g_strdup(mt_changes_text(changes)) : NULL;
  self->with = with;
  self->n_heads = n_heads;
  self->n_sentences = n_sentences;
  self->is_scored = is_scored;
  self->steps = steps;
  self->n_steps = n_steps;
  return self;
}

RegardPruning *
regard_pruning_ref(RegardPruning *pruning)
{
  g_atomic_ref_count_inc(&pruning->ref_count);
  return pruning;
}

void
regard_pruning_unref(RegardPruning *pruning)
{
  if (!g_atomic_ref_count_dec(&pruning->ref_count))
    return;
  for (guint i = 0; i < pruning->n_steps; i++)
    g_free(pruning->steps[i].removed);
  g_free(pruning->steps);
  g_free(pruning->changes);
  g_free(pruning->model_name);
  g_free(pruning);
}

static void
label_step(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardPruning *self = data;
  const char *removed = self->steps[i].removed;
  label->text = g_strdup(*removed ? removed : "all heads");
  label->piece = g_strdup(label->text);
  label->first_token = i;
  label->n_tokens = 1;
}

RegardMatrix *
regard_pruning_matrix(const RegardPruning *pruning)
{
  static const char *const columns[] = {"heads kept", "log p", "BLEU", "chrF2"};
  const guint n_cols = pruning->is_scored ? 4 : 2;
  float *values = g_new(float, MAX((gsize) pruning->n_steps * n_cols, 1));
  for (guint i = 0; i < pruning->n_steps; i++) {
    const RegardPruningStep *step = &pruning->steps[i];
    const double numbers[] = {step->kept, step->logprob, step->bleu, step->chrf};
    for (guint c = 0; c < n_cols; c++)
      values[(gsize) i * n_cols + c] = (float) numbers[c];
  }
  g_autofree char *with = g_strdup_printf("with %s", mt_effect_kind_name(pruning->with));
  g_autofree char *sentences = pruning->n_sentences == 1
                                   ? g_strdup("one sentence")
                                   : g_strdup_printf("mean of %u sentences", pruning->n_sentences);
  g_autofree char *joined = pruning->changes ? regard_naming_joined(pruning->changes) : NULL;
  g_autofree char *changes = joined ? g_strdup_printf("changed: %s", joined) : NULL;
  const char *const badges[] = {with, sentences, changes, NULL};
  const RegardAxis rows = {.n = pruning->n_steps,
                           .title = "heads taken out, in order",
                           .noun = "step",
                           .label = label_step,
                           .data = pruning};
  return regard_matrix_new_from(
      &(RegardMatrixSource){.id = "pruning",
                            .title = "Heads taken out one after the other",
                            .value_name = "value",
                            .model_name = pruning->model_name,
                            .badges = badges,
                            .rows = rows,
                            .cols = regard_axis_texts(columns, n_cols, "quality"),
                            .values = values,
                            .range = REGARD_RANGE_VALUES});
}
