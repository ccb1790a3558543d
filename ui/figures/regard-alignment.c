/* regard-alignment.c — which word of the source each word of a translation stands for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-alignment.h"

#include <glib/gi18n.h>
#include <string.h>

static char **
words_of(const mt_alignable *alignable, mt_stack side, guint *n)
{
  const char *text = mt_alignable_text(alignable, side);
  *n = (guint) mt_alignable_n_words(alignable, side);
  char **words = g_new0(char *, *n + 1);
  for (guint i = 0; i < *n; i++) {
    gsize begin, end;
    mt_alignable_word(alignable, side, i, &begin, &end);
    words[i] = g_strndup(text + begin, end - begin);
  }
  return words;
}

/* The recipe with the layer that this sentence chooses. */
static mt_recipe
with_layer(const mt_alignable *alignable, const mt_recipe *recipe)
{
  mt_recipe own = *recipe;
  gsize n = 0;
  g_autofree double *sums = g_new0(double, mt_alignable_n_layers(alignable));
  mt_alignable_add_norms(alignable, recipe->row, sums, &n);
  mt_recipe_choose_layer(&own, sums, mt_alignable_n_layers(alignable));
  return own;
}

RegardAlignment *
regard_alignment_new(const mt_alignable *alignable, const mt_recipe *recipe, const mt_model *model,
                     const mt_changes *changes, mt_error *error)
{
  if (!mt_recipe_check(recipe, mt_alignable_n_layers(alignable), mt_alignable_n_heads(alignable),
                       error))
    return NULL;
  const mt_recipe own = with_layer(alignable, recipe);
  gsize n = 0;
  mt_link *links = mt_alignable_links(alignable, &own, NULL, NULL, &n, error);
  float *values = links ? mt_alignable_matrix(alignable, &own, error) : NULL;
  RegardAlignment *self = NULL;
  if (values) {
    self = g_new0(RegardAlignment, 1);
    g_atomic_ref_count_init(&self->ref_count);
    self->model_name = g_strdup(mt_model_name(model));
    self->changes = mt_changes_count(changes) ? g_strdup(mt_changes_text(changes)) : NULL;
    for (int side = 0; side < MT_N_STACKS; side++) {
      self->texts[side] = g_strdup(mt_alignable_text(alignable, (mt_stack) side));
      self->words[side] = words_of(alignable, (mt_stack) side, &self->n_words[side]);
    }
    self->recipe = own;
    self->values = g_memdup2(values, (gsize) self->n_words[0] * self->n_words[1] * sizeof *values);
    self->links = g_memdup2(links, n * sizeof *links);
    self->n_links = n;
  }
  mt_links_free_matrix(values);
  mt_links_free(links);
  return self;
}

RegardAlignment *
regard_alignment_ref(RegardAlignment *self)
{
  g_atomic_ref_count_inc(&self->ref_count);
  return self;
}

void
regard_alignment_unref(RegardAlignment *self)
{
  if (!g_atomic_ref_count_dec(&self->ref_count))
    return;
  for (int side = 0; side < MT_N_STACKS; side++) {
    g_free(self->texts[side]);
    g_strfreev(self->words[side]);
  }
  g_free(self->model_name);
  g_free(self->changes);
  g_free(self->values);
  g_free(self->links);
  g_free(self);
}

/* ---- Matrices ---------------------------------------------------------------------------------
 */

RegardMatrix *
regard_alignment_matrix(const RegardAlignment *self, gboolean of_links)
{
  const guint rows = self->n_words[MT_STACK_DECODER], cols = self->n_words[MT_STACK_ENCODER];
  const gsize n = (gsize) rows * cols;
  char recipe[MT_RECIPE_TEXT_SIZE];
  g_autofree char *title =
      g_strdup_printf(_("Alignment · %s"), mt_recipe_describe(&self->recipe, 7, recipe));
  g_autofree char *rest = g_strconcat(mt_recipe_describe(&self->recipe, ~UINT32_C(7), recipe),
                                      self->changes ? _(", the model is changed") : "", NULL);
  g_auto(GStrv) badges = g_strsplit(rest, ", ", -1); /* one for each setting */
  float *values = g_new0(float, MAX(n, 1));
  if (of_links)
    for (gsize i = 0; i < self->n_links; i++)
      values[(gsize) self->links[i].target * cols + self->links[i].source] = self->links[i].weight;
  else if (n > 0)
    memcpy(values, self->values, n * sizeof *values);
  const RegardMatrixSource source = {
      .id = of_links ? "links" : "alignment",
      .title = title,
      .value_name = of_links                                   ? "share"
                    : self->recipe.matrix == MT_RECIPE_WEIGHTS ? "weight"
                                                               : "norm",
      .model_name = self->model_name,
      .badges = (const char *const *) badges,
      .rows = regard_axis_texts((const char *const *) self->words[MT_STACK_DECODER], rows,
                                _("words of the translation")),
      .cols = regard_axis_texts((const char *const *) self->words[MT_STACK_ENCODER], cols,
                                _("words of the source")),
      .values = values,
      .range = REGARD_RANGE_VALUES,
      .is_ranked = TRUE,
      .aspect = 3,
  };
  return regard_matrix_new_from(&source);
}

/* ---- Words ------------------------------------------------------------------------------------
 */

char *
regard_alignment_describe_word(const RegardAlignment *self, mt_stack side, guint i)
{
  const gboolean is_source = side == MT_STACK_ENCODER;
  GString *text = g_string_new(self->words[side][i]);
  gboolean any = FALSE;
  for (gsize l = 0; l < self->n_links; l++) {
    const mt_link *link = &self->links[l];
    if ((is_source ? link->source : link->target) != i)
      continue;
    g_string_append_printf(text, "%s %s %.2f", any ? "," : ":",
                           is_source ? self->words[MT_STACK_DECODER][link->target]
                                     : self->words[MT_STACK_ENCODER][link->source],
                           (double) link->weight);
    any = TRUE;
  }
  if (!any)
    g_string_append(text, _(": no link"));
  return g_string_free(text, FALSE);
}

double
regard_alignment_least_width(const RegardAlignment *self, double font)
{
  return font * (4 + 1.3 * MAX(self->n_words[0], self->n_words[1]));
}
