/* fuzz-main.c — a fuzz target as a test: every file of the folders that are named, once.
 *
 * A crash, a leak or a report of a sanitiser ends the program; an allocation that no small file is
 * worth fails its case. The name of the file comes first, so that it is known which one it was.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "mt-alloc-test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Inputs are a few KiB; see tools/fuzz for the same bound on all memory, libraries included. */
#define MAX_ALLOCATION ((size_t) 256 << 20)

static atomic_bool was_absurd;

static bool
watch(size_t bytes)
{
  if (bytes > MAX_ALLOCATION)
    atomic_store(&was_absurd, true);
  return bytes <= MAX_ALLOCATION;
}

static int
compare_names(const void *a, const void *b)
{
  return strcmp(*(char *const *) a, *(char *const *) b);
}

static GPtrArray *
list_files(const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  GDir *dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir)))
    g_ptr_array_add(names, g_build_filename(folder, name, NULL));
  if (dir)
    g_dir_close(dir);
  g_ptr_array_sort(names, compare_names);
  return names;
}

/* FALSE if one asked for far too much memory. */
static gboolean
replay(FILE *out, const GPtrArray *files)
{
  gboolean ok = TRUE;
  for (guint i = 0; i < files->len; i++) {
    const char *path = files->pdata[i];
    g_autofree char *bytes = NULL;
    gsize n;
    if (!g_file_get_contents(path, &bytes, &n, NULL))
      g_error("%s cannot be read", path);
    /* Exactly as large as the input: what is read behind it is noticed. */
    uint8_t *exact = g_memdup2(bytes, n);
    g_autofree char *name = g_path_get_basename(path);
    fprintf(out, "# %s\n", name);
    fflush(out);
    atomic_store(&was_absurd, false);
    LLVMFuzzerTestOneInput(exact, n);
    g_free(exact);
    if (atomic_load(&was_absurd)) {
      fprintf(out, "# %s: more than %zu MiB at once\n", name, MAX_ALLOCATION >> 20);
      ok = FALSE;
    }
  }
  return ok;
}

int
main(int argc, char **argv)
{
  gboolean ok = TRUE;
  /* Standard output belongs to TAP; what the target prints goes nowhere. */
  FILE *out = fdopen(dup(STDOUT_FILENO), "w");
  if (!out || !freopen("/dev/null", "w", stdout))
    return 1;
  mt_alloc_set_hook(watch);
  for (int i = 1; i < argc; i++) {
    g_autoptr(GPtrArray) files = list_files(argv[i]);
    g_autofree char *parent = g_path_get_dirname(argv[i]);
    g_autofree char *name = g_path_get_basename(parent);
    /* The first folder is the corpus, which every target has. */
    gboolean passed = (files->len > 0 || i > 1) && replay(out, files);
    fprintf(out, "%s %d - %s, %u files\n", passed ? "ok" : "not ok", i, name, files->len);
    ok = ok && passed;
  }
  fprintf(out, "1..%d\n", argc - 1);
  fclose(out);
  return ok ? 0 : 1;
}
