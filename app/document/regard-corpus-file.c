/* regard-corpus-file.c — corpus files by their names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-corpus-file.h"

#include <string.h>

#define ENDING ".regard-corpus"

gboolean
regard_corpus_has_ending(const char *path)
{
  return g_str_has_suffix(path, ENDING);
}

char *
regard_corpus_find_beside(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  g_autofree char *first = NULL;
  const char *name;
  while (dir && (name = g_dir_read_name(dir)))
    if (regard_corpus_has_ending(name) && (!first || strcmp(name, first) < 0)) {
      g_free(first);
      first = g_strdup(name);
    }
  return first ? g_build_filename(folder, first, NULL) : NULL;
}
