/* test-sums.c — check sums that are compared in the background.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-sums.h"
#include "suite.h"

#include <glib.h>

#define F MT_ERROR_FORMAT

/* Many pieces in the background: the damaged one is found, wherever it is, and stopping is no
 * finding. */
static void
test_background(void)
{
  static unsigned char bytes[3 << 20];
  enum { N = 9 };
  const gsize part = sizeof bytes / N;
  for (gsize i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char) (i * 2654435761u >> 13);
  for (int damaged = -1; damaged < N; damaged++)
    for (int starts = 0; starts < 2; starts++) {
      mt_sums sums = {0};
      mt_error error = {0};
      for (int i = 0; i < N; i++) {
        const mt_sum sum = {.bytes = bytes + (gsize) i * part,
                            .size = part,
                            .crc = mt_crc32(0, bytes + (gsize) i * part, part) ^ (i == damaged),
                            .label = "x.zip",
                            .name = "piece"};
        g_assert_true(mt_sums_add(&sums, &sum, &error));
      }
      if (starts)
        mt_sums_start(&sums);
      g_assert_true(mt_sums_finish(&sums, NULL, NULL, &error) == (damaged < 0));
      g_assert_cmpint(error.code, ==, damaged < 0 ? MT_OK : F);
      g_assert_true(mt_sums_finish(&sums, NULL, NULL, NULL)); /* there is nothing left */
    }
  mt_sums sums = {0};
  const mt_sum wrong = {.bytes = bytes, .size = sizeof bytes, .label = "x.zip", .name = "piece"};
  g_assert_true(mt_sums_add(&sums, &wrong, NULL));
  mt_sums_start(&sums);
  mt_sums_stop(&sums);
  g_assert_true(mt_sums_finish(&sums, NULL, NULL, NULL));
}

TESTS()
{
  g_test_add_func("/sums/background", test_background);
}
