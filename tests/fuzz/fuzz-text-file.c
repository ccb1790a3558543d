/* fuzz-text-file.c — a file of lines, plain, gzip or xz: every line is looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "mt/train/text.h"

#include <string.h>

/* A few KiB can be inflated to many MiB; more says nothing new. */
#define MOST_LINES 3000

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *path = g_build_filename(fuzz_model_path(), "lines", NULL);
  fuzz_model_put("lines", data, size);
  mt_error error = {0};
  mt_text_file *file = mt_text_file_open(path, &error);
  g_assert(file || error.message[0]);
  bool ok = file != NULL, is_end = false;
  for (uint64_t n = 1; ok && !is_end && n < MOST_LINES; n++) {
    mt_text_line line;
    ok = mt_text_file_next(file, &line, &is_end, &error);
    g_assert(ok || error.message[0]);
    if (!ok || is_end)
      break;
    g_assert_cmpuint(line.number, ==, n);
    g_assert_cmpuint(line.n, <=, MT_TEXT_LINE_MAX);
    g_assert_cmpint(line.text[line.n], ==, '\0');
    g_assert(!memchr(line.text, '\n', line.n));
    g_assert_cmpuint(mt_text_file_position(file), <=, size);
  }
  mt_text_file_free(file);
  return 0;
}
