/* pickle-check.c — pickles that must be read, and pickles that must be refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pickle-check.h"

#include <string.h>

const pickle_view plain_view = {
    .storage_type = "FloatStorage",
    .key = "0",
    .n_stored = 12,
    .n_dims = 2,
    .shape = {3, 4},
    .strides = {4, 1},
};

bool
read_pickle_bytes(const void *bytes, gsize n, mt_pickle *found, mt_error *error)
{
  g_autofree guint8 *copy = g_malloc(n ? n : 1);
  if (n)
    memcpy(copy, bytes, n);
  bool ok = mt_pickle_read(found, "folder/file", copy, n, error);
  return ok;
}

mt_pickle
read_good(pickle *p)
{
  mt_error error = {0};
  mt_pickle found = {0};
  if (!read_pickle_bytes(p->data, p->len, &found, &error))
    g_error("%s", error.message);
  g_byte_array_unref(p);
  return found;
}

void
read_bad(pickle *p, mt_error_code code, const char *words)
{
  mt_error error = {0};
  mt_pickle found = {0};
  g_assert_false(read_pickle_bytes(p->data, p->len, &found, &error));
  g_test_message("%s", error.message);
  g_assert_cmpint(error.code, ==, code);
  g_assert_true(g_str_has_prefix(error.message, "folder/file: "));
  g_assert_true(g_str_has_suffix(error.message, "."));
  g_assert_true(g_utf8_validate(error.message, -1, NULL));
  g_assert_null(strchr(error.message, '\n'));
  g_auto(GStrv) parts = g_strsplit(words, "|", -1);
  for (char **part = parts; *part; part++)
    if (!strstr(error.message, *part))
      g_error("expected \"%s\" in \"%s\"", *part, error.message);
  g_assert_cmpuint(found.n, ==, 0);
  g_assert_null(found.tensors);
  g_byte_array_unref(p);
}

pickle *
pickle_with_view(const pickle_view *view)
{
  pickle *p = pickle_of("}%s%ts.", "w", view);
  return p;
}
