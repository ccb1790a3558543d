/* regard-json.c — texts in JSON that json-c reads for the programs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-json.h"

#include <glib/gi18n.h>
#include <limits.h>
#include <string.h>

/* What is wrong with the bytes before JSON is looked for in them; NULL if nothing is. */
static const char *
bytes_reason(const char *text, gsize n, gsize *at)
{
  const char *end;
  *at = 0;
  if (n >= INT_MAX)
    return _("more than two gigabytes");
  if (g_utf8_validate(text, (gssize) n, &end))
    return NULL;
  *at = (gsize) (end - text);
  return *end ? _("bytes that are not UTF-8") : _("zero bytes");
}

json_object *
regard_json_parse(const char *text, gsize n, int most_depth, const char **reason, gsize *at)
{
  gsize place;
  if (!at)
    at = &place;
  *reason = bytes_reason(text, n, at);
  if (*reason)
    return NULL;
  json_tokener *tokener = json_tokener_new_ex(most_depth);
  json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
  /* With the zero byte, so that a number that ends the text is complete, and nothing may follow the
   * value. */
  json_object *value = json_tokener_parse_ex(tokener, text, (int) n + 1);
  enum json_tokener_error failure = json_tokener_get_error(tokener);
  if (failure != json_tokener_success)
    *reason = json_tokener_error_desc(failure);
  *at = json_tokener_get_parse_end(tokener);
  json_tokener_free(tokener);
  return value;
}
