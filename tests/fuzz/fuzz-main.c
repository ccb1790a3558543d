/* fuzz-main.c — fuzz targets as a test: one of them with every input of the archives that are
 * named.
 *
 * A crash, a leak or a report of a sanitiser ends the program; an allocation that no small file is
 * worth fails its case. The name of the input comes first, so that it is known which one it was.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "fuzz-inputs.h"
#include "fuzz.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* Inputs are a few KiB; see tools/fuzz for the same bound on all memory, libraries included. */
#define MAX_ALLOCATION ((size_t) 256 << 20)

static struct {
  const char *name;
  FuzzTarget run;
} targets[64];
static guint n_targets;
static atomic_bool was_absurd;

void
fuzz_enlist(const char *name, FuzzTarget target)
{
  g_assert(n_targets < G_N_ELEMENTS(targets));
  targets[n_targets].name = name;
  targets[n_targets++].run = target;
}

static FuzzTarget
find(const char *name)
{
  for (guint i = 0; i < n_targets; i++)
    if (g_strcmp0(name, targets[i].name) == 0)
      return targets[i].run;
  return NULL;
}

static bool
watch(size_t bytes)
{
  if (bytes > MAX_ALLOCATION)
    atomic_store(&was_absurd, true);
  return bytes <= MAX_ALLOCATION;
}

/* FALSE if one asked for far too much memory. */
static gboolean
replay(FILE *out, FuzzTarget target, const GPtrArray *inputs)
{
  gboolean ok = TRUE;
  for (guint i = 0; i < inputs->len; i++) {
    const FuzzInput *input = inputs->pdata[i];
    fprintf(out, "# %s\n", input->name);
    fflush(out);
    atomic_store(&was_absurd, false);
    target(input->bytes, input->n);
    if (atomic_load(&was_absurd)) {
      fprintf(out, "# %s: more than %zu MiB at once\n", input->name, MAX_ALLOCATION >> 20);
      ok = FALSE;
    }
  }
  return ok;
}

int
main(int argc, char **argv)
{
  gboolean ok = TRUE;
  const FuzzTarget target = argc > 2 ? find(argv[1]) : NULL;
  if (!target) {
    fprintf(stderr, "usage: %s TARGET ARCHIVE...\n", argv[0]);
    return 2;
  }
  /* Standard output belongs to TAP; what the target prints goes nowhere. */
  FILE *out = fdopen(dup(STDOUT_FILENO), "w");
  if (!out || !freopen("/dev/null", "w", stdout))
    return 1;
  mt_alloc_set_hook(watch);
  for (int i = 1; i < argc - 1; i++) {
    g_autoptr(GPtrArray) inputs = fuzz_inputs_read(argv[i + 1]);
    g_autofree char *parent = g_path_get_dirname(argv[i + 1]);
    g_autofree char *name = g_path_get_basename(parent);
    /* The first archive is the corpus, which every target has. */
    gboolean passed = (inputs->len > 0 || i > 1) && replay(out, target, inputs);
    fprintf(out, "%s %d - %s, %u inputs\n", passed ? "ok" : "not ok", i, name, inputs->len);
    ok = ok && passed;
  }
  fprintf(out, "1..%d\n", argc - 2);
  fclose(out);
  return ok ? 0 : 1;
}
