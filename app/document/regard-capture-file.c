/* regard-capture-file.c — whether a file is a capture, or a model in a file of the same ending.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-capture-file.h"

#include <stdio.h>
#include <string.h>

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
