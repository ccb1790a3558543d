/* fuzz-main.c — a fuzz target as a test: every input of the archives that are named, once.
 *
 * A crash, a leak or a report of a sanitiser ends the program; an allocation that no small file is
 * worth fails its case. The name of the input comes first, so that it is known which one it was.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc-test.h"
#include "fuzz-inputs.h"
#include "fuzz.h"

#include <stdatomic.h>
#include <stdio.h>
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

/* FALSE if one asked for far too much memory. */
static gboolean
replay(FILE *out, const GPtrArray *inputs)
{
  gboolean ok = TRUE;
  for (guint i = 0; i < inputs->len; i++) {
    const FuzzInput *input = inputs->pdata[i];
    fprintf(out, "# %s\n", input->name);
    fflush(out);
    atomic_store(&was_absurd, false);
    LLVMFuzzerTestOneInput(input->bytes, input->n);
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
  /* Standard output belongs to TAP; what the target prints goes nowhere. */
  FILE *out = fdopen(dup(STDOUT_FILENO), "w");
  if (!out || !freopen("/dev/null", "w", stdout))
    return 1;
  mt_alloc_set_hook(watch);
  for (int i = 1; i < argc; i++) {
    g_autoptr(GPtrArray) inputs = fuzz_inputs_read(argv[i]);
    g_autofree char *parent = g_path_get_dirname(argv[i]);
    g_autofree char *name = g_path_get_basename(parent);
    /* The first archive is the corpus, which every target has. */
    gboolean passed = (inputs->len > 0 || i > 1) && replay(out, inputs);
    fprintf(out, "%s %d - %s, %u inputs\n", passed ? "ok" : "not ok", i, name, inputs->len);
    ok = ok && passed;
  }
  fprintf(out, "1..%d\n", argc - 1);
  fclose(out);
  return ok ? 0 : 1;
}
