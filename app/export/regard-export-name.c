/* regard-export-name.c — what an exported file is called, until somebody calls it otherwise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-export-name.h"

#include <string.h>

/* After so many the person is asked whether to replace one. */
#define MOST_NUMBERS 999

char *
regard_export_name(const char *sentence, const char *shown, const char *extension)
{
  g_autoptr(GString) name = g_string_new("regard");
  if (shown)
    g_string_append_printf(name, "-%s", shown);
  g_autofree char *ascii = sentence ? g_str_to_ascii(sentence, "C") : g_strdup("");
  guint n_words = 0;
  gboolean in_word = FALSE;
  for (const char *p = ascii; *p && n_words < 6; p++) {
    if (g_ascii_isalnum(*p)) {
      if (!in_word)
        g_string_append_c(name, '-');
      g_string_append_c(name, g_ascii_tolower(*p));
      in_word = TRUE;
    } else if (*p != '\'' && in_word) {
      in_word = FALSE;
      n_words++;
    }
  }
  g_string_append_printf(name, ".%s", extension);
  return g_string_free(g_steal_pointer(&name), FALSE);
}

char *
regard_export_name_for(const mt_capture *capture, const char *shown, const char *extension)
{
  const char *file = capture ? mt_capture_file_name(capture) : "";
  const mt_tokens *source = capture ? mt_capture_source(capture) : NULL;
  if (!*file)
    return regard_export_name(source ? mt_tokens_text(source) : NULL, shown, extension);
  const char *dot = strrchr(file, '.');
  g_autofree char *stem = g_strndup(file, dot && dot > file ? (gsize) (dot - file) : strlen(file));
  g_autofree char *valid = g_utf8_make_valid(stem, -1);
  return regard_export_name(valid, shown, extension);
}

char *
regard_export_name_unused(const char *folder_uri, const char *name)
{
  if (!*folder_uri)
    return g_strdup(name);
  g_autoptr(GFile) folder = g_file_new_for_uri(folder_uri);
  const char *dot = strrchr(name, '.');
  int stem = dot ? (int) (dot - name) : (int) strlen(name);
  for (guint i = 1; i <= MOST_NUMBERS; i++) {
    g_autofree char *number = i > 1 ? g_strdup_printf("-%u", i) : g_strdup("");
    g_autofree char *candidate = g_strdup_printf("%.*s%s%s", stem, name, number, dot ? dot : "");
    g_autoptr(GFile) file = g_file_get_child(folder, candidate);
    if (!g_file_query_exists(file, NULL))
      return g_steal_pointer(&candidate);
  }
  return g_strdup(name);
}

void
regard_export_name_offer(GtkFileChooser *chooser, const char *folder_uri, const char *name)
{
  g_autofree char *offered = regard_export_name_unused(folder_uri, name);
  g_autoptr(GFile) folder = *folder_uri ? g_file_new_for_uri(folder_uri) : NULL;
  if (folder)
    gtk_file_chooser_set_current_folder(chooser, folder, NULL);
  gtk_file_chooser_set_current_name(chooser, offered);
}
