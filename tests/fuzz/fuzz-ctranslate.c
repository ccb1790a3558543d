/* fuzz-ctranslate.c — model.bin of a CTranslate2 folder, all other files valid.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "fuzz.h"

#define DATA REGARD_SOURCE_ROOT "/tests/data/"

/* A folder of tests/data/ctranslate2 in the place of the small model. */
static void
make_ctranslate2(void)
{
  static const char *const files[][2] = {{"ctranslate2/marian-int8_float16/model.bin", "model.bin"},
                                         {"ctranslate2/marian-int8_float16/config.json",
                                          "config.json"},
                                         {"ctranslate2/marian-int8_float16/shared_vocabulary.json",
                                          "shared_vocabulary.json"},
                                         {"marian/post-norm/source.spm", "source.spm"},
                                         {"marian/post-norm/target.spm", "target.spm"}};
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_build_filename(DATA, files[i][0], NULL);
    fuzz_model_copy(path, files[i][1]);
  }
  fuzz_model_remove("vocab.json");
  fuzz_model_remove("model.safetensors");
  fuzz_model_check();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static gboolean is_ready;
  if (!is_ready)
    make_ctranslate2();
  is_ready = TRUE;
  fuzz_model_put("model.bin", data, size);
  fuzz_open_and_use(fuzz_model_path());
  return 0;
}
