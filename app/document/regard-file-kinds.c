/* regard-file-kinds.c — which files are captures, sessions and corpora.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-file-kinds.h"

#include <stdio.h>
#include <string.h>

/* ==== Captures, and models in files of the same ending ======================================== */

/* The list of a model's few hundred arrays is smaller. */
#define TAIL 65536
/* Marian writes its configuration into an array of this name, after all others. */
#define MARIAN "special:model.yml"

gboolean
regard_capture_file_has_ending(const char *path)
{
  g_autofree char *lower = g_ascii_strdown(path, -1);
  return g_str_has_suffix(lower, ".npz");
}

gboolean
regard_capture_file_recognises(const char *path)
{
  if (!regard_capture_file_has_ending(path))
    return FALSE;
  if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
    return TRUE; /* whoever opens it says what is wrong */
  FILE *file = fopen(path, "re");
  if (!file)
    return TRUE;
  g_autofree char *tail = g_malloc(TAIL);
  if (fseek(file, -TAIL, SEEK_END) != 0)
    rewind(file); /* it is shorter */
  gsize n = fread(tail, 1, TAIL, file);
  fclose(file);
  return memmem(tail, n, MARIAN, strlen(MARIAN)) == NULL;
}

/* ==== Sessions and corpora by their names ================================================ */

#define ENDING ".regard-corpus"

gboolean
regard_session_has_ending(const char *path)
{
  g_autofree char *lower = g_ascii_strdown(path, -1);
  return g_str_has_suffix(lower, REGARD_SESSION_ENDING);
}

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
