/* mt-recipe-grid.c — all recipes that differ in what one wants to compare.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-recipe.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

typedef struct {
  uint32_t vary;
  size_t n_layers, n_heads;
  bool has_reverse;
} grid;

/* How many values row i takes. */
static size_t
n_values(const grid *g, size_t i)
{
  const mt_recipe_field *field = mt_recipe_field_at(i);
  size_t n = 0;
  if (!(g->vary >> i & 1) || field->type == MT_RECIPE_NUMBER)
    return 1;
  if (field->type == MT_RECIPE_PLACE)
    return g->n_layers * (1 + g->n_heads);
  size_t symmetry;
  if (!g->has_reverse && mt_recipe_find_field("symmetry", &symmetry) && symmetry == i)
    return 1;
  while (field->choices[n])
    n++;
  return n;
}

/* Layers first, then heads. */
static void
put_place(const grid *g, mt_recipe *recipe, size_t value)
{
  recipe->n_heads = value >= g->n_layers;
  recipe->is_chosen = false;
  recipe->layer = recipe->n_heads ? MT_RECIPE_AUTO : (int) value;
  if (recipe->n_heads)
    recipe->heads[0] = (mt_recipe_head){(uint16_t) ((value - g->n_layers) / g->n_heads),
                                        (uint16_t) ((value - g->n_layers) % g->n_heads)};
}

mt_recipe *
mt_recipe_grid(const mt_recipe *base, uint32_t vary, size_t n_layers, size_t n_heads,
               bool has_reverse, size_t *n, mt_error *error)
{
  const grid g = {vary, n_layers, n_heads, has_reverse};
  const size_t n_fields = mt_recipe_n_fields();
  *n = 1;
  for (size_t i = 0; i < n_fields; i++)
    *n *= n_values(&g, i);
  mt_recipe *recipes = mt_alloc(*n, sizeof *recipes);
  if (!recipes) {
    mt_fail_no_memory(error);
    return NULL;
  }
  for (size_t r = 0; r < *n; r++) {
    size_t rest = r;
    recipes[r] = *base;
    for (size_t i = n_fields; i-- > 0;) {
      const size_t values = n_values(&g, i), value = rest % values;
      rest /= values;
      if (values == 1 || !(vary >> i & 1))
        continue;
      if (mt_recipe_field_at(i)->type == MT_RECIPE_PLACE)
        put_place(&g, &recipes[r], value);
      else
        mt_recipe_set(&recipes[r], i, (double) value, NULL);
    }
  }
  return recipes;
}

void
mt_recipes_free(mt_recipe *recipes)
{
  mt_free(recipes);
}
