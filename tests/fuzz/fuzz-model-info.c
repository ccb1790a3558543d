/* fuzz-model-info.c — what the list of models says of a folder or archive that nobody has opened
 * yet: a zip archive as it is, anything else as the card (README.md) and the licence of a folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "models/regard-model-info.h"

#include <string.h>

static void
look_at(const char *path)
{
  g_autoptr(RegardModelInfo) info = regard_model_info_new(path, REGARD_MODEL_FOUND, TRUE);
  g_assert(info && g_str_equal(info->path, path));
  g_autofree char *detail = regard_model_info_detail(info);
  g_assert(g_utf8_validate(detail, -1, NULL));
  g_assert(g_utf8_validate(info->title, -1, NULL));
  g_assert(!info->licence || g_utf8_validate(info->licence, -1, NULL));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size >= 2 && memcmp(data, "PK", 2) == 0) {
    g_autofree char *path = g_build_filename(fuzz_model_path(), "found.zip", NULL);
    fuzz_model_put("found.zip", data, size);
    look_at(path);
    return 0;
  }
  fuzz_model_put("README.md", data, size);
  fuzz_model_put("LICENSE", data, size);
  look_at(fuzz_model_path());
  return 0;
}
