/* regard-look.c — how something is looked at, as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-look.h"

#include "base/regard-error.h"
#include "base/regard-json.h"
#include <glib/gi18n.h>
#include <json.h>
#include <math.h>
#include <string.h>

#define MOST_CHOSEN 4096
#define MOST_ZOOM   1000.0
/* Cells and tokens are fewer: a capture has at most 4096 of each. */
#define MOST_CELLS 65535

const char *const regard_compare_ids[] = {"off", "a", "b", "difference", NULL};

void
regard_look_clear(RegardLook *look)
{
  g_clear_pointer(&look->page, g_free);
  g_clear_pointer(&look->chosen, g_array_unref);
}

/* ---- Writing ------------------------------------------------------------------------------- */

/* Cells, layers and heads count from 1 where a person reads them; null: none. */
static json_object *
counted(int index)
{
  return index >= 0 ? json_object_new_int(index + 1) : NULL;
}

static json_object *
number(double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_dtostr(text, sizeof text, value);
  return json_object_new_double_s(value, text);
}

json_object *
regard_look_write(const RegardLook *look)
{
  json_object *o = json_object_new_object(), *chosen = json_object_new_array();
  json_object_object_add(o, "page", json_object_new_string(look->page ? look->page : ""));
  json_object_object_add(o, "scale", json_object_new_string(regard_scale_info(look->scale)->id));
  json_object_object_add(o, "colormap", json_object_new_string(look->colormap->id));
  json_object_object_add(o, "combine", json_object_new_string(regard_combine_ids[look->combine]));
  json_object_object_add(o, "label_by",
                         json_object_new_string(regard_label_by_ids[look->label_by]));
  json_object_object_add(o, "form", json_object_new_string(regard_form_ids[look->form]));
  json_object_object_add(o, "lines_share", number(look->lines_share));
  json_object_object_add(o, "merge_words", json_object_new_boolean(look->merge_words));
  json_object_object_add(o, "hide_special", json_object_new_boolean(look->hide_special));
  json_object_object_add(o, "show_heads", json_object_new_boolean(look->show_heads));
  json_object_object_add(o, "show_details", json_object_new_boolean(look->show_details));
  json_object_object_add(o, "show_tokens", json_object_new_boolean(look->show_tokens));
  json_object_object_add(o, "zoom", number(look->zoom));
  json_object_object_add(o, "top", number(look->top));
  json_object_object_add(o, "left", number(look->left));
  json_object_object_add(o, "row", counted(look->row));
  json_object_object_add(o, "column", counted(look->col));
  json_object_object_add(o, "step", counted(look->step));
  json_object_object_add(o, "compare", json_object_new_string(regard_compare_ids[look->compare]));
  for (guint i = 0; look->chosen && i < look->chosen->len / 2; i++) {
    json_object *pair = json_object_new_array();
    for (guint k = 0; k < 2; k++)
      json_object_array_add(pair, json_object_new_int(
                                      g_array_index(look->chosen, guint16, 2 * i + k) + 1));
    json_object_array_add(chosen, pair);
  }
  json_object_object_add(o, "chosen", chosen);
  return o;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* NULL for anything but a short text. */
static const char *
get_word(json_object *object, const char *key)
{
  json_object *found = NULL;
  json_object_object_get_ex(object, key, &found);
  const char *word =
      json_object_is_type(found, json_type_string) ? json_object_get_string(found) : NULL;
  return word && strlen(word) == (gsize) json_object_get_string_len(found) && strlen(word) <= 64 &&
                 g_utf8_validate(word, -1, NULL)
             ? word
             : NULL;
}

static gboolean
get_choice(json_object *object, const char *key, const char *const *ids, int *index, GError **error)
{
  const char *word = get_word(object, key);
  for (int i = 0; word && ids[i]; i++)
    if (g_str_equal(ids[i], word)) {
      *index = i;
      return TRUE;
    }
  g_autofree char *all = g_strjoinv(", ", (char **) ids);
  g_autofree char *expected = g_strdup_printf(_("one of %s"), all);
  return regard_json_refuse(error, key, expected);
}

/* From 1, or null for none. */
static gboolean
get_index(json_object *object, const char *key, int *index, GError **error)
{
  json_object *found = NULL;
  *index = -1;
  if (json_object_object_get_ex(object, key, &found) && !found)
    return TRUE;
  const gint64 n = json_object_is_type(found, json_type_int) ? json_object_get_int64(found) : 0;
  if (n < 1 || n > MOST_CELLS)
    return regard_json_refuse(error, key, _("a whole number from 1, or null"));
  *index = (int) n - 1;
  return TRUE;
}

static gboolean
read_chosen(json_object *object, RegardLook *look, GError **error)
{
  json_object *list = NULL;
  json_object_object_get_ex(object, "chosen", &list);
  gboolean is_good =
      json_object_is_type(list, json_type_array) && json_object_array_length(list) <= MOST_CHOSEN;
  look->chosen = g_array_new(FALSE, FALSE, sizeof(guint16));
  for (gsize i = 0; is_good && i < json_object_array_length(list); i++) {
    json_object *pair = json_object_array_get_idx(list, i);
    is_good = json_object_is_type(pair, json_type_array) && json_object_array_length(pair) == 2;
    for (gsize k = 0; is_good && k < 2; k++) {
      json_object *number = json_object_array_get_idx(pair, k);
      const gint64 n =
          json_object_is_type(number, json_type_int) ? json_object_get_int64(number) : 0;
      const guint16 index = (guint16) (n - 1);
      is_good = n >= 1 && n <= MOST_CELLS;
      g_array_append_val(look->chosen, index);
    }
  }
  return is_good || regard_json_refuse(error, "chosen", _("pairs of layer and head, from 1"));
}

static gboolean
read_colours(json_object *object, RegardLook *look, GError **error)
{
  const char *scale = get_word(object, "scale"), *colormap = get_word(object, "colormap");
  if (!scale || !regard_scale_from_id(scale, &look->scale))
    return regard_json_refuse(error, "scale", _("the name of a colour scale"));
  look->colormap = colormap ? regard_colormap_find(colormap) : NULL;
  return look->colormap || regard_json_refuse(error, "colormap", _("the name of a colour map"));
}

/* Files that were saved before there were lines do not say it: they show a matrix. */
static gboolean
read_form(json_object *object, RegardLook *look, GError **error)
{
  int form = REGARD_FORM_MATRIX;
  look->lines_share = REGARD_LINES_SHARE;
  if (json_object_object_get_ex(object, "form", NULL) &&
      !get_choice(object, "form", regard_form_ids, &form, error))
    return FALSE;
  look->form = (RegardForm) form;
  return !json_object_object_get_ex(object, "lines_share", NULL) ||
         regard_json_get_number(object, "lines_share", 0, 1, &look->lines_share, error);
}

static gboolean
read_all(json_object *object, RegardLook *look, GError **error)
{
  int combine = 0, label_by = 0;
  const char *page = get_word(object, "page");
  if (!page)
    return regard_json_refuse(error, "page", _("the name of a page"));
  look->page = g_strdup(page);
  gboolean is_good = read_colours(object, look, error) &&
                     get_choice(object, "combine", regard_combine_ids, &combine, error) &&
                     get_choice(object, "label_by", regard_label_by_ids, &label_by, error) &&
                     get_choice(object, "compare", regard_compare_ids, &look->compare, error) &&
                     read_form(object, look, error) &&
                     regard_json_get_boolean(object, "merge_words", &look->merge_words, error) &&
                     regard_json_get_boolean(object, "hide_special", &look->hide_special, error) &&
                     regard_json_get_boolean(object, "show_heads", &look->show_heads, error) &&
                     regard_json_get_boolean(object, "show_details", &look->show_details, error) &&
                     regard_json_get_boolean(object, "show_tokens", &look->show_tokens, error) &&
                     regard_json_get_number(object, "zoom", 1, MOST_ZOOM, &look->zoom, error) &&
                     regard_json_get_number(object, "top", 0, MOST_CELLS, &look->top, error) &&
                     regard_json_get_number(object, "left", 0, MOST_CELLS, &look->left, error) &&
                     get_index(object, "row", &look->row, error) &&
                     get_index(object, "column", &look->col, error) &&
                     get_index(object, "step", &look->step, error) &&
                     read_chosen(object, look, error);
  look->combine = (RegardCombine) combine;
  look->label_by = (RegardLabelBy) label_by;
  return is_good;
}

gboolean
regard_look_read(json_object *object, RegardLook *look, GError **error)
{
  *look = (RegardLook){0};
  if (!json_object_is_type(object, json_type_object))
    return regard_json_refuse(error, "look", _("an object"));
  if (read_all(object, look, error))
    return TRUE;
  regard_look_clear(look);
  return FALSE;
}
