/* regard-alignment-scores.c — recipes beside each other on a gold file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-alignment-scores.h"

#include <glib/gi18n.h>
#include <math.h>

/* ---- Which recipes ----------------------------------------------------------------------------
 */

/* Rows of a recipe that are varied: matrix, place, row. */
static guint32
varied(void)
{
  static const char *const keys[] = {"matrix", "of", "row"};
  guint32 rows = 0;
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
    gsize row;
    if (mt_recipe_find_field(keys[i], &row))
      rows |= UINT32_C(1) << row;
  }
  return rows;
}

/* Is it a recipe of the grid by itself? Several heads are not, nor is a layer that is left open. */
static gboolean
is_in_grid(const mt_recipe *recipe)
{
  return recipe->n_heads == 1 || (recipe->n_heads == 0 && recipe->layer != MT_RECIPE_AUTO);
}

/* The grid, and the present recipe behind it if it is not among them. */
static mt_recipe *
make_recipes(const mt_config *config, const mt_recipe *present, gsize *n, mt_error *error)
{
  mt_recipe *grid = mt_recipe_grid(present, varied(), config->n_layers[MT_STACK_DECODER],
                                   config->n_heads[MT_STACK_DECODER], false, n, error);
  if (!grid)
    return NULL;
  const gboolean more = present->n_heads > 1;
  mt_recipe *all = g_new(mt_recipe, *n + more);
  for (gsize i = 0; i < *n; i++)
    all[i] = grid[i];
  if (more)
    all[(*n)++] = *present;
  mt_recipes_free(grid);
  return all;
}

/* ---- What came of them ------------------------------------------------------------------------
 */

static gboolean
is_present(const mt_evaluated *one, const mt_recipe *present)
{
  if (is_in_grid(present) || present->n_heads > 1)
    return mt_recipe_equal(&one->recipe, present);
  return one->recipe.matrix == present->matrix && one->recipe.row == present->row &&
         one->recipe.n_heads == 0;
}

static void
fill_ranking(RegardAlignmentScores *self, const mt_evaluation *evaluation, const mt_recipe *present)
{
  char name[MT_RECIPE_TEXT_SIZE];
  const gboolean is_open = present->n_heads == 0 && present->layer == MT_RECIPE_AUTO;
  const gsize chosen = mt_evaluation_chosen_layer(evaluation, present->row);
  self->n = (guint) mt_evaluation_count(evaluation);
  self->ranked = g_new0(RegardScored, self->n);
  for (guint i = 0; i < self->n; i++) {
    const mt_evaluated *one = mt_evaluation_at(evaluation, i);
    RegardScored *scored = &self->ranked[i];
    *scored = (RegardScored){.recipe = one->recipe,
                             .is_chosen = one->is_chosen,
                             .is_present = is_present(one, present) &&
                                           (!is_open || (gsize) one->recipe.layer == chosen),
                             .aer = one->aer,
                             .low = one->low,
                             .high = one->high,
                             .precision = one->precision,
                             .recall = one->recall};
    scored->name = g_strdup(mt_recipe_describe(&one->recipe, varied(), name));
    if (one->recipe.n_heads == 1 && one->recipe.matrix == present->matrix &&
        one->recipe.row == present->row)
      self->heads[one->recipe.heads[0].layer * self->n_heads + one->recipe.heads[0].head] =
          one->aer;
  }
}

static RegardAlignmentScores *
new_scores(const mt_model *model, const mt_gold *gold, const mt_evaluation *evaluation,
           const mt_recipe *present)
{
  const mt_config *config = mt_model_config(model);
  RegardAlignmentScores *self = g_new0(RegardAlignmentScores, 1);
  char text[MT_RECIPE_TEXT_SIZE];
  gsize place = 0;
  g_atomic_ref_count_init(&self->ref_count);
  mt_recipe_find_field("of", &place);
  self->model_name = g_strdup(mt_model_name(model));
  self->gold_name = g_strdup(mt_gold_label(gold));
  self->n_sentences = (guint) mt_evaluation_n_sentences(evaluation);
  self->n_sure = (guint) mt_gold_n_sure(gold);
  self->n_possible = (guint) (mt_gold_n_possible(gold) - mt_gold_n_sure(gold));
  self->common = g_strdup(mt_recipe_describe(present, ~varied(), text));
  self->heads_name =
      g_strdup(mt_recipe_describe(present, varied() & ~(UINT32_C(1) << place), text));
  self->n_layers = (guint) config->n_layers[MT_STACK_DECODER];
  self->n_heads = (guint) config->n_heads[MT_STACK_DECODER];
  self->heads = g_new(double, (gsize) self->n_layers * self->n_heads);
  for (guint i = 0; i < self->n_layers * self->n_heads; i++)
    self->heads[i] = NAN;
  fill_ranking(self, evaluation, present);
  return self;
}

RegardAlignmentScores *
regard_alignment_scores_new(mt_model *model, const mt_evaluation_params *params,
                            const mt_recipe *present, const mt_hooks *hooks, mt_error *error)
{
  const mt_bootstrap bootstrap = {.n_samples = REGARD_SCORES_SAMPLES, .seed = REGARD_SCORES_SEED};
  mt_evaluation_params own = *params;
  gsize n;
  g_autofree mt_recipe *recipes = make_recipes(mt_model_config(model), present, &n, error);
  if (!recipes)
    return NULL;
  own.bootstrap = &bootstrap;
  own.n_intervals = n;
  mt_evaluation *evaluation = mt_model_evaluate(model, NULL, &own, recipes, n, hooks, error);
  RegardAlignmentScores *self =
      evaluation ? new_scores(model, params->gold, evaluation, present) : NULL;
  mt_evaluation_free(evaluation);
  return self;
}

RegardAlignmentScores *
regard_alignment_scores_ref(RegardAlignmentScores *self)
{
  g_atomic_ref_count_inc(&self->ref_count);
  return self;
}

void
regard_alignment_scores_unref(RegardAlignmentScores *self)
{
  if (!g_atomic_ref_count_dec(&self->ref_count))
    return;
  for (guint i = 0; i < self->n; i++)
    g_free(self->ranked[i].name);
  g_free(self->ranked);
  g_free(self->heads);
  g_free(self->heads_name);
  g_free(self->common);
  g_free(self->gold_name);
  g_free(self->model_name);
  g_free(self);
}

/* ---- Matrices ---------------------------------------------------------------------------------
 */

static RegardMatrix *
new_matrix(const RegardAlignmentScores *self, const char *id, const char *title, RegardAxis rows,
           RegardAxis cols, float *values)
{
  g_auto(GStrv) badges = g_strsplit(self->common, ", ", -1); /* one for each setting */
  const RegardMatrixSource source = {
      .id = id,
      .title = title,
      .value_name = "alignment error rate",
      .model_name = self->model_name,
      .badges = (const char *const *) badges,
      .rows = rows,
      .cols = cols,
      .values = values,
      .range = REGARD_RANGE_SHARES,
      .aspect = 3,
  };
  return regard_matrix_new_from(&source);
}

static RegardMatrix *
ranking_matrix(const RegardAlignmentScores *self)
{
  static const char *const columns[] = {"aer", "low", "high", "precision", "recall"};
  const guint n_columns = G_N_ELEMENTS(columns);
  g_autofree const char **names = g_new0(const char *, MAX(self->n, 1));
  float *values = g_new(float, MAX(self->n, 1) * n_columns);
  for (guint i = 0; i < self->n; i++) {
    const RegardScored *one = &self->ranked[i];
    const double numbers[] = {one->aer, one->low, one->high, one->precision, one->recall};
    names[i] = one->name;
    for (guint c = 0; c < n_columns; c++)
      values[i * n_columns + c] = (float) numbers[c];
  }
  g_autofree char *title = g_strdup_printf(_("Alignment error rate on %s · %u sentences"),
                                           self->gold_name, self->n_sentences);
  return new_matrix(self, "ranking", title, regard_axis_texts(names, self->n, _("recipes")),
                    regard_axis_texts(columns, n_columns, _("rates")), values);
}

static RegardMatrix *
heads_matrix(const RegardAlignmentScores *self)
{
  const gsize n = (gsize) self->n_layers * self->n_heads;
  const guint most = MAX(self->n_layers, self->n_heads);
  g_auto(GStrv) numbers = g_new0(char *, most + 1);
  float *values = g_new(float, MAX(n, 1));
  for (guint i = 0; i < most; i++)
    numbers[i] = g_strdup_printf("%u", i + 1);
  for (gsize i = 0; i < n; i++)
    values[i] = (float) self->heads[i];
  g_autofree char *title = g_strdup_printf(_("Alignment error rate of each head · %s, on %s"),
                                           self->heads_name, self->gold_name);
  return new_matrix(self, "heads", title,
                    regard_axis_texts((const char *const *) numbers, self->n_layers, _("layers")),
                    regard_axis_texts((const char *const *) numbers, self->n_heads, _("heads")),
                    values);
}

RegardMatrix *
regard_alignment_scores_matrix(const RegardAlignmentScores *self, RegardScoresPart part)
{
  return part == REGARD_SCORES_RANKING ? ranking_matrix(self) : heads_matrix(self);
}
