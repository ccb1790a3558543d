/* fuzz-yaml.c — flat YAML as Marian writes it: every entry in every way it can be read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-yaml.h"
#include "fuzz.h"

#include <string.h>

static void
look_at(const mt_yaml *yaml, size_t i)
{
  const char *key = mt_yaml_key(yaml, i);
  size_t found;
  if (mt_yaml_find(yaml, key, &found))
    g_assert_cmpstr(mt_yaml_key(yaml, found), ==, key);
  fuzz_sink += mt_yaml_text(yaml, i) ? (double) strlen(mt_yaml_text(yaml, i)) : 0;
  for (size_t k = 0; k < yaml->entries[i].n_items; k++)
    fuzz_sink += (double) strlen(mt_yaml_item(yaml, i, k));

  mt_error error = {0};
  bool truth;
  size_t whole = 5;
  double number;
  const char *text;
  fuzz_sink += mt_yaml_get_bool(yaml, key, &truth, &error);
  if (mt_yaml_get_size(yaml, key, 2, 9, &whole, &error))
    g_assert(whole >= 2 && whole <= 9);
  fuzz_sink += mt_yaml_get_number(yaml, key, &number, &error);
  fuzz_sink += mt_yaml_get_string(yaml, key, &text, &error);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  mt_error error = {0};
  mt_yaml yaml = {0};
  bool ok = mt_yaml_parse(&yaml, "fuzz.yml", (const char *) data, size, &error);
  g_assert(ok == (error.code == MT_OK));
  g_assert(ok || g_utf8_validate(error.message, -1, NULL));
  /* Each is looked up, which is a walk through all. */
  for (size_t i = 0; ok && i < MIN(yaml.n, 300); i++)
    look_at(&yaml, i);
  mt_yaml_clear(&yaml);
  return 0;
}
