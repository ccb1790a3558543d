/* fuzz-archive.c — a zip archive that is opened like a folder of a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char *path;
  if (!path)
    path = g_build_filename(fuzz_model_path(), "archive.zip", NULL);
  fuzz_model_put("archive.zip", data, size);
  fuzz_open_and_use(path);
  return 0;
}
