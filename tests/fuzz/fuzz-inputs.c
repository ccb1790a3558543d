/* fuzz-inputs.c — the inputs of a fuzz target, as an archive keeps them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-inputs.h"

#include <string.h>
#include <zip.h>

static void
input_free(gpointer data)
{
  g_autofree FuzzInput *input = data;
  g_free(input->name);
  g_free(input->bytes);
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
  const FuzzInput *const *x = a, *const *y = b;
  return strcmp((*x)->name, (*y)->name);
}

static FuzzInput *
read_entry(zip_t *zip, zip_uint64_t i, const char *archive)
{
  zip_stat_t stat;
  if (zip_stat_index(zip, i, 0, &stat) < 0)
    g_error("%s: %s", archive, zip_strerror(zip));
  FuzzInput *input = g_new0(FuzzInput, 1);
  input->name = g_strdup(stat.name);
  input->n = stat.size;
  input->bytes = g_malloc(input->n);
  zip_file_t *file = zip_fopen_index(zip, i, 0);
  char end; /* the check sum is compared where the end is read */
  if (!file || zip_fread(file, input->bytes, input->n) != (zip_int64_t) input->n ||
      zip_fread(file, &end, 1) != 0)
    g_error("%s: %s cannot be read: %s", archive, input->name, zip_strerror(zip));
  zip_fclose(file);
  return input;
}

GPtrArray *
fuzz_inputs_read(const char *archive)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func(input_free);
  if (!g_file_test(archive, G_FILE_TEST_EXISTS))
    return inputs;
  int code;
  zip_t *zip = zip_open(archive, ZIP_RDONLY | ZIP_CHECKCONS, &code);
  if (!zip)
    g_error("%s cannot be opened: %d", archive, code);
  for (zip_int64_t i = 0; i < zip_get_num_entries(zip, 0); i++)
    g_ptr_array_add(inputs, read_entry(zip, (zip_uint64_t) i, archive));
  zip_discard(zip);
  g_ptr_array_sort(inputs, compare_names);
  return inputs;
}

const FuzzInput *
fuzz_inputs_find(const GPtrArray *inputs, const char *name)
{
  for (guint i = 0; i < inputs->len; i++) {
    const FuzzInput *input = inputs->pdata[i];
    if (g_str_equal(input->name, name))
      return input;
  }
  g_error("there is no input '%s'", name);
}
