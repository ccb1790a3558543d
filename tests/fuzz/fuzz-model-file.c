/* fuzz-model-file.c — one file of a model folder, all others valid. FUZZ_FILE names it,
 * FUZZ_INSTEAD the file that it stands for, if that has another name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

#include <string.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static gboolean is_ready;
  if (!is_ready && strlen(FUZZ_INSTEAD) > 0)
    fuzz_model_remove(FUZZ_INSTEAD);
  is_ready = TRUE;
  fuzz_model_put(FUZZ_FILE, data, size);
  fuzz_open_and_use(fuzz_model_path());
  return 0;
}
