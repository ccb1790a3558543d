/* mt-recipe-json.c — a recipe as a JSON object.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-recipe.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-json.h"

#include <string.h>

char *
mt_recipe_to_json(const mt_recipe *recipe, mt_error *error)
{
  mt_json_out out = {0};
  char value[MT_RECIPE_TEXT_SIZE];
  mt_json_begin(&out, NULL, '{');
  for (size_t i = 0; i < mt_recipe_n_fields(); i++) {
    const mt_recipe_field *field = mt_recipe_field_at(i);
    if (field->type != MT_RECIPE_NUMBER)
      mt_json_put_string(&out, field->key, mt_recipe_get_text(recipe, i, value));
    else if (recipe->choose == MT_RECIPE_THRESHOLD) /* the one number, as in the text */
      mt_json_put_number(&out, field->key, mt_recipe_get(recipe, i));
  }
  mt_json_end(&out);
  char *text = mt_json_finish(&out, "", error) ? mt_strdup(out.text) : NULL;
  if (!text && !out.failed)
    mt_fail_no_memory(error);
  mt_json_out_clear(&out);
  return text;
}

typedef struct {
  mt_recipe *recipe;
  const char *label;
  mt_error *error;
} reading;

static bool
read_member(void *user, const char *key, const mt_json_value *value)
{
  reading *r = user;
  size_t i;
  mt_error own = {0};
  char found[MT_JSON_DESCRIPTION_SIZE];
  const mt_json_kind kind = mt_json_kind_of(value);
  if (!mt_recipe_find_field(key, &i))
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s: \"%s\" is no setting of a recipe.", r->label,
                   key);
  if (kind == MT_JSON_NULL)
    return true;
  const bool wants_number = mt_recipe_field_at(i)->type == MT_RECIPE_NUMBER;
  const char *text = kind == MT_JSON_STRING ? mt_json_string(value) : NULL;
  if (wants_number ? kind != MT_JSON_NUMBER && kind != MT_JSON_INTEGER : !text)
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s: %s: expected a %s, found %s.", r->label, key,
                   wants_number ? "number" : "text", mt_json_describe(value, found));
  if (wants_number ? mt_recipe_set(r->recipe, i, mt_json_number(value), &own)
                   : mt_recipe_set_text(r->recipe, i, text, &own))
    return true;
  return mt_fail(r->error, MT_ERROR_FORMAT, "%s: %s", r->label, own.message);
}

bool
mt_recipe_from_json(mt_recipe *recipe, const char *label, const char *text, size_t n,
                    mt_error *error)
{
  mt_json json = {0};
  mt_recipe read = mt_recipe_default();
  reading r = {&read, label, error};
  const bool ok = mt_json_parse(&json, label, text, n, error) &&
                  mt_json_each(mt_json_root(&json), read_member, &r);
  mt_json_clear(&json);
  if (ok)
    *recipe = read;
  return ok;
}
