/* fuzz-marian.c — one file of a model as Marian publishes it, all others valid. FUZZ_FILE names it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "fuzz.h"

#define VALID REGARD_SOURCE_ROOT "/tests/fuzz/marian"

/* The small model again, in Marian's files: the SentencePiece models are the same. */
static void
make_marian(void)
{
  static const char *const files[] = {"opus.npz", "decoder.yml", "opus.vocab.yml"};
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_build_filename(VALID, files[i], NULL);
    fuzz_model_copy(path, files[i]);
  }
  fuzz_model_remove("config.json");
  fuzz_model_remove("vocab.json");
  fuzz_model_remove("model.safetensors");
  fuzz_model_check();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static gboolean is_ready;
  if (!is_ready)
    make_marian();
  is_ready = TRUE;
  fuzz_model_put(FUZZ_FILE, data, size);
  fuzz_open_and_use(fuzz_model_path());
  return 0;
}
