/* regard-first-head.c — which head of a model is looked at first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-first-head.h"

#include "base/regard-json.h"
#include <math.h>
#include <string.h>

RegardFirstHead
regard_first_head_usual(const mt_model *model)
{
  const gsize n_layers = mt_model_config(model)->n_layers[MT_STACK_DECODER];
  return (RegardFirstHead){(guint) ((2 * n_layers + 2) / 3) - 1, 0};
}

/* A line of the ranking. *rate is NAN where it is of no single head, or is read in another way. */
static gboolean
read_line(json_object *line, const char *path, const mt_config *config, RegardFirstHead *head,
          double *rate, mt_error *error)
{
  g_autoptr(GError) wrong = NULL;
  json_object *setting = NULL;
  mt_recipe recipe;
  if (!json_object_is_type(line, json_type_object))
    return mt_fail(error, MT_ERROR_FORMAT, "%s: “ranking”: expected objects.", path);
  if (!regard_json_get_object(line, "recipe", &setting, &wrong) ||
      !regard_json_get_number(line, "aer", 0, 1, rate, &wrong))
    return mt_fail(error, MT_ERROR_FORMAT, "%s: “ranking”: %s", path, wrong->message);
  const char *text = json_object_to_json_string(setting);
  if (!mt_recipe_from_json(&recipe, path, text, strlen(text), error))
    return FALSE;
  *head = (RegardFirstHead){recipe.heads[0].layer, recipe.heads[0].head};
  if (recipe.n_heads != 1 || recipe.matrix != MT_RECIPE_WEIGHTS ||
      recipe.row != MT_RECIPE_OUTPUT_ROW)
    *rate = NAN;
  else if (head->layer >= config->n_layers[MT_STACK_DECODER] ||
           head->head >= config->n_heads[MT_STACK_DECODER])
    return mt_fail(error, MT_ERROR_INPUT,
                   "%s: it ranks head %u.%u, which this model does not have.", path,
                   head->layer + 1, head->head + 1);
  return TRUE;
}

static gboolean
read_ranking(RegardFirstHead *first, json_object *ranking, const char *path, const mt_model *model,
             mt_error *error)
{
  const gsize n = json_object_array_length(ranking);
  double least = INFINITY;
  for (gsize i = 0; i < n; i++) {
    RegardFirstHead head;
    double rate;
    if (!read_line(json_object_array_get_idx(ranking, i), path, mt_model_config(model), &head,
                   &rate, error))
      return FALSE;
    if (rate < least) {
      least = rate;
      *first = head;
    }
  }
  return isfinite(least) ||
         mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected a head in its “ranking” (--recipe 'matrix=weights row=output' "
                 "--vary of), found none.",
                 path);
}

gboolean
regard_first_head_read(RegardFirstHead *first, const char *path, const mt_model *model,
                       mt_error *error)
{
  g_autoptr(GError) wrong = NULL;
  json_object *root = regard_json_read_file(path, error), *ranking = NULL;
  const char *name = NULL;
  RegardFirstHead found = {0};
  gboolean ok = FALSE;
  if (!root)
    return FALSE;
  if (!regard_json_get_string(root, "model", FALSE, &name, &wrong))
    mt_fail(error, MT_ERROR_FORMAT, "%s: %s", path, wrong->message);
  else if (!g_str_equal(name, mt_model_name(model)))
    mt_fail(error, MT_ERROR_INPUT, "%s: it ranks the heads of “%.80s”, not of “%.80s”.", path, name,
            mt_model_name(model));
  else if (!json_object_object_get_ex(root, "ranking", &ranking) ||
           !json_object_is_type(ranking, json_type_array))
    mt_fail(error, MT_ERROR_FORMAT, "%s: “ranking”: expected a list.", path);
  else
    ok = read_ranking(&found, ranking, path, model, error);
  if (ok)
    *first = found;
  json_object_put(root);
  return ok;
}
