/* fuzz-model-file.c — one file of a model folder, all others valid. FUZZ_FILE names it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_model_put(FUZZ_FILE, data, size);
  fuzz_open_and_use(fuzz_model_path());
  return 0;
}
