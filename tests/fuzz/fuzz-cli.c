/* fuzz-cli.c — regard-cli in process: an input is its arguments, one a line, and after an empty
 * line what it reads from standard input.
 *
 * It runs in a folder of its own. No argument may hold a slash, so that nothing outside is read or
 * written; "@MODEL" stands for the small model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli.h"
#include "fuzz.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ARGUMENTS 32

static char *folder;

static void
empty_folder(void)
{
  GDir *dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir)))
    g_unlink(name);
  g_dir_close(dir);
}

static void
leave(void)
{
  empty_folder();
  g_rmdir(folder);
}

static void
enter(void)
{
  g_setenv("REGARD_MODEL_DIR", fuzz_model_path(), TRUE);
  folder = g_dir_make_tmp("regard-cli-XXXXXX", NULL);
  if (!folder || chdir(folder) != 0)
    g_error("there is no temporary folder");
  atexit(leave);
}

/* Standard input reads these bytes. */
static void
feed(const char *bytes, size_t n)
{
  FILE *stream = fopen("input", "w+");
  if (!stream || fwrite(bytes, 1, n, stream) != n || fflush(stream) != 0 ||
      lseek(fileno(stream), 0, SEEK_SET) != 0 || dup2(fileno(stream), STDIN_FILENO) < 0)
    g_error("standard input cannot be replaced");
  fclose(stream);
  clearerr(stdin);
  fflush(stdin);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!folder)
    enter();
  g_autofree char *text = g_strndup(size ? (const char *) data : "", size);
  char *input = strstr(text, "\n\n");
  if (input) {
    *input = '\0';
    input += 2;
  }
  g_strdelimit(text, "/", '_');
  g_auto(GStrv) lines = g_strsplit(text, "\n", MAX_ARGUMENTS);
  g_autoptr(GPtrArray) argv = g_ptr_array_new();
  g_ptr_array_add(argv, (gpointer) "regard-cli");
  for (guint i = 0; lines[i]; i++)
    g_ptr_array_add(argv, strcmp(lines[i], "@MODEL") == 0 ? (gpointer) fuzz_model_path()
                                                          : (gpointer) lines[i]);
  int argc = (int) argv->len;
  g_ptr_array_add(argv, NULL);
  feed(input ? input : "", input ? strlen(input) : 0);
  CliStatus status = cli_main(argc, (char **) argv->pdata);
  g_assert(status == CLI_DONE || status == CLI_FAILED || status == CLI_USAGE);
  empty_folder();
  return 0;
}
