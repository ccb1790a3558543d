/* fuzz-model-info.c — what the list of models says of a folder or archive that nobody has opened
 * yet: a zip archive as it is, anything else as the card (README.md) and the licence of a folder,
 * and as the file that says which head is looked at first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "models/regard-first-head.h"
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

static void
look_at_alignment(const uint8_t *data, size_t size)
{
  static mt_model *model;
  static char *path;
  mt_error error = {0};
  if (!model) {
    model = mt_model_open(fuzz_model_path(), NULL, &error);
    path = g_build_filename(fuzz_model_path(), REGARD_ALIGNMENT_FILE, NULL);
  }
  RegardFirstHead first = regard_first_head_usual(model);
  fuzz_model_put(REGARD_ALIGNMENT_FILE, data, size);
  if (!regard_first_head_read(&first, path, model, &error))
    g_assert(error.message[0]);
  const mt_config *config = mt_model_config(model);
  g_assert(first.layer < config->n_layers[MT_STACK_DECODER]);
  g_assert(first.head < config->n_heads[MT_STACK_DECODER]);
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
  look_at_alignment(data, size);
  return 0;
}
