/* fuzz-index.c — model.safetensors.index.json: which shard holds which tensor.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  /* Two shards: one has all tensors, the other is a file of its own that has the same. */
  static gboolean is_ready;
  if (!is_ready) {
    gsize n;
    g_autofree char *weights = fuzz_model_get("model.safetensors", &n);
    fuzz_model_put("a.safetensors", weights, n);
    fuzz_model_put("b.safetensors", weights, n);
    fuzz_model_remove("model.safetensors");
    is_ready = TRUE;
  }
  fuzz_model_put("model.safetensors.index.json", data, size);
  fuzz_open_and_use(fuzz_model_path());
  return 0;
}
