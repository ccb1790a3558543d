/* fuzz-zip.c — a zip archive: every entry is looked up, read, and compared with where it lies.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-zip.h"
#include "fuzz.h"

#include <string.h>

/* What one entry may become here: the ratio that is allowed makes it harmless but slow. */
#define MAX_READ (4 << 20)

static void
read_entry(mt_zip *zip, size_t i, const uint8_t *data, size_t size)
{
  const mt_zip_entry *entry = mt_zip_get(zip, i);
  mt_error error = {0};
  size_t found;
  g_assert(mt_zip_find(zip, entry->name, &found) && found == i);
  if (entry->offset != SIZE_MAX)
    g_assert(entry->offset <= size && entry->size <= size - entry->offset);
  if (entry->size > MAX_READ)
    return;
  g_autofree uint8_t *out = g_malloc(entry->size);
  bool ok = mt_zip_read(zip, i, out, &error);
  g_assert(ok || error.message[0]);
  /* What is used where it lies is what would have been read. */
  if (ok && entry->offset != SIZE_MAX && entry->size > 0)
    g_assert(memcmp(out, data + entry->offset, entry->size) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  mt_error error = {0};
  bool is_zip = mt_zip_is_zip(data, size);
  mt_zip *zip = mt_zip_open(data, size, "fuzz.zip", &error);
  g_assert(zip || error.message[0]);
  for (size_t i = 0; zip && i < mt_zip_count(zip); i++)
    read_entry(zip, i, data, size);
  mt_zip_free(zip);
  fuzz_sink += is_zip;
  return 0;
}
