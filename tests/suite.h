/* suite.h — all tests of a suite in one program, which is linked once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file of tests lists them where a program of its own would have main:
 *
 *     TESTS()
 *     {
 *       g_test_add_func("/pool/order", test_order);
 *     }
 *
 * `test-engine pool` runs what test-pool.c lists, in a process of its own; GLib's options follow:
 * `test-engine pool -p /pool/order`.
 */
#pragma once

#include <glib.h>

typedef struct suite_file {
  const char *name; /* "test-pool.c" */
  void (*list)(void);
  /* Optional. Before the list; FALSE: there is no display, and all are skipped. */
  gboolean (*begin)(void);
  void (*end)(void); /* after the tests */
  struct suite_file *next;
} suite_file;

void suite_enlist(suite_file *file);

/* g_test_add_data_func with a path that is printf-formatted. */
void suite_add(gconstpointer data, GTestDataFunc test, const char *path, ...) G_GNUC_PRINTF(3, 4);

/* Of many cases that are alike, one in so many is enough: `quick`, and `watched` under sanitisers
 * or on a processor that is emulated. With the option `-m slow` all are run. Not before the list.
 */
guint suite_stride(guint quick, guint watched);
/* Under sanitisers or emulated, and not all is asked for. */
gboolean suite_is_watched(void);

#define TESTS(...)                                                                        \
  static void list_tests(void);                                                           \
  static suite_file this_file = {.name = __FILE_NAME__, .list = list_tests, __VA_ARGS__}; \
  __attribute__((constructor)) static void enlist_this_file(void)                         \
  {                                                                                       \
    suite_enlist(&this_file);                                                             \
  }                                                                                       \
  static void list_tests(void)
