/* regard-examples.c — sentences to begin with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-examples.h"

#include <gio/gio.h>

#define EXAMPLES "/io/github/regard/Regard/examples.ini"

static void
example_free(gpointer data)
{
  RegardExampleSentence *example = data;
  g_free(example->text);
  g_free(example->note);
  g_free(example);
}

static void
add(GPtrArray *list, GKeyFile *file, const char *group)
{
  RegardExampleSentence *example = g_new(RegardExampleSentence, 1);
  example->text = g_key_file_get_string(file, group, "text", NULL);
  example->note = g_key_file_get_locale_string(file, group, "note", NULL, NULL);
  if (!example->note)
    example->note = g_strdup("");
  if (example->text)
    g_ptr_array_add(list, example);
  else
    example_free(example);
}

/* Who an example is for: a model by its name, or every model (NULL) of its language. */
static gboolean
is_for(GKeyFile *file, const char *group, const char *model)
{
  g_autofree char *name = g_key_file_get_string(file, group, "model", NULL);
  return g_strcmp0(name, model) == 0;
}

GPtrArray *
regard_examples_list(const char *language, const char *model)
{
  g_autoptr(GBytes) bytes = g_resources_lookup_data(EXAMPLES, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autoptr(GKeyFile) file = g_key_file_new();
  GPtrArray *list = g_ptr_array_new_with_free_func(example_free);
  if (!bytes || !g_key_file_load_from_bytes(file, bytes, G_KEY_FILE_NONE, NULL))
    return list;
  g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);
  for (guint i = 0; model && groups[i]; i++)
    if (is_for(file, groups[i], model))
      add(list, file, groups[i]);
  /* Nothing in the model's language: better any sentence than none. */
  for (int pass = 0; pass < 2 && list->len == 0; pass++)
    for (guint i = 0; groups[i]; i++) {
      g_autofree char *lang = g_key_file_get_string(file, groups[i], "lang", NULL);
      if (is_for(file, groups[i], NULL) &&
          (pass == 1 || (lang && language && g_str_has_prefix(language, lang))))
        add(list, file, groups[i]);
    }
  return list;
}
