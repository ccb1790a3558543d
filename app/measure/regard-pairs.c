/* regard-pairs.c — two files that say the same line by line.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "measure/regard-pairs.h"

#include "base/regard-error.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <string.h>

/* Lines of a file, without their ends. NULL and an error. */
static GPtrArray *
read_lines(const char *path, GError **error)
{
  g_autofree char *name = g_path_get_basename(path);
  mt_error cause = {0};
  mt_bytes bytes;
  if (!mt_file_read_whole(path, REGARD_PAIRS_MOST_BYTES, false, &bytes, &cause)) {
    regard_error_set_from_mt(error, &cause);
    return NULL;
  }
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
  const char *p = (const char *) bytes.data, *end = p + bytes.size;
  while (p < end) {
    const char *stop = memchr(p, '\n', (gsize) (end - p));
    gsize n = (gsize) ((stop ? stop : end) - p);
    if (!g_utf8_validate(p, (gssize) n, NULL)) { /* a NUL is not valid, either */
      g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("%s:%u: the line is not UTF-8 text."),
                  name, lines->len + 1);
      mt_bytes_clear(&bytes);
      return NULL;
    }
    g_ptr_array_add(lines, g_strndup(p, n > 0 && p[n - 1] == '\r' ? n - 1 : n));
    p = stop ? stop + 1 : end;
  }
  mt_bytes_clear(&bytes);
  return g_steal_pointer(&lines);
}

static gboolean
is_blank(const char *text)
{
  for (; *text; text = g_utf8_next_char(text))
    if (!g_unichar_isspace(g_utf8_get_char(text)))
      return FALSE;
  return TRUE;
}

RegardPairs *
regard_pairs_read(const char *texts, const char *references, GError **error)
{
  g_autoptr(GPtrArray) a = read_lines(texts, error);
  g_autoptr(GPtrArray) b = a ? read_lines(references, error) : NULL;
  if (!b)
    return NULL;
  g_autofree char *a_name = g_path_get_basename(texts);
  g_autofree char *b_name = g_path_get_basename(references);
  if (a->len != b->len) {
    g_set_error(
        error, REGARD_ERROR, REGARD_ERROR_INPUT,
        _("%s has %u lines and %s %u: a reference stands in the same line as its sentence."),
        a_name, a->len, b_name, b->len);
    return NULL;
  }
  g_autoptr(RegardPairs) pairs = g_new0(RegardPairs, 1);
  pairs->texts = g_ptr_array_new_with_free_func(g_free);
  pairs->references = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < a->len; i++)
    if (!is_blank(a->pdata[i]) && !is_blank(b->pdata[i])) {
      g_ptr_array_add(pairs->texts, g_strdup(a->pdata[i]));
      g_ptr_array_add(pairs->references, g_strdup(b->pdata[i]));
    }
  if (pairs->texts->len == 0) {
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_INPUT, _("%s and %s have no sentence."), a_name,
                b_name);
    return NULL;
  }
  return g_steal_pointer(&pairs);
}

void
regard_pairs_free(RegardPairs *pairs)
{
  g_clear_pointer(&pairs->texts, g_ptr_array_unref);
  g_clear_pointer(&pairs->references, g_ptr_array_unref);
  g_free(pairs);
}
