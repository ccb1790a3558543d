/* regard-request.c — what a search is asked for, as the settings keep it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-request.h"

char *
regard_request_dup_key(gsize row)
{
  return g_strdelimit(g_strdup(mt_search_field_at(row)->key), "_", '-');
}

gboolean
regard_request_is_key(const char *key)
{
  g_autofree char *name = g_strdelimit(g_strdup(key), "-", '_');
  gsize row;
  return mt_search_find_field(name, &row) && mt_search_field_at(row)->label;
}

/* A whole number, of which 0 is one, is kept with a sign. */
static double
get(GSettings *settings, const char *key, const mt_search_field *field)
{
  if (field->type == MT_SEARCH_NUMBER)
    return g_settings_get_double(settings, key);
  if (field->shown.least < 1)
    return g_settings_get_int(settings, key);
  return g_settings_get_uint(settings, key);
}

gboolean
regard_request_get_kept(GSettings *settings, gsize row, double *value)
{
  const mt_search_field *field = mt_search_field_at(row);
  g_autofree char *key = regard_request_dup_key(row);
  double kept = get(settings, key, field);
  if (kept < field->shown.least)
    return FALSE;
  *value = kept;
  return TRUE;
}

void
regard_request_keep(GSettings *settings, gsize row, const double *value)
{
  const mt_search_field *field = mt_search_field_at(row);
  g_autofree char *key = regard_request_dup_key(row);
  if (!value)
    g_settings_reset(settings, key);
  else if (field->type == MT_SEARCH_NUMBER)
    g_settings_set_double(settings, key, *value);
  else if (field->shown.least < 1)
    g_settings_set_int(settings, key, (int) *value);
  else
    g_settings_set_uint(settings, key, (guint) *value);
}

void
regard_request_load(GSettings *settings, mt_request *request)
{
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    double value;
    if (!mt_search_field_at(i)->label)
      continue;
    /* The schema's ranges are within those of the rows, so nothing that is kept is refused. */
    if (!regard_request_get_kept(settings, i, &value) || !mt_request_set(request, i, value, NULL))
      mt_request_unset(request, i);
  }
}
