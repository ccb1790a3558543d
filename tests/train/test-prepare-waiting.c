/* test-prepare-waiting.c — regard-train prepare that waits for a pipe, and is told to stop.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *model; /* tests/data/frozen/en-de */

/* Whether a program has asked to be told of a signal. */
static gboolean
catches(const char *pid, int number)
{
  g_autofree char *path = g_strdup_printf("/proc/%s/status", pid), *status = NULL;
  if (!g_file_get_contents(path, &status, NULL, NULL))
    return FALSE;
  const char *mask = strstr(status, "SigCgt:");
  g_assert_nonnull(mask);
  return g_ascii_strtoull(mask + strlen("SigCgt:"), NULL, 16) >> (number - 1) & 1;
}

/* Waiting for a pipe that nobody writes to: the first signal ends that, whichever it is. */
static void
test_waiting(void)
{
  static const int signals[] = {SIGTERM, SIGINT};
  g_autofree char *output = cli_scratch_path("waiting"), *pipe = cli_scratch_path("waiting.tsv");
  g_assert_cmpint(mkfifo(pipe, 0600), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
    for (guint has_writer = 0; has_writer < 2; has_writer++) {
      g_autoptr(GError) error = NULL;
      g_autoptr(GSubprocess) process =
          g_subprocess_new(G_SUBPROCESS_FLAGS_STDERR_PIPE, &error, cli_program(), "prepare", "-o",
                           output, "-t", model, pipe, NULL);
      g_assert_no_error(error);
      while (!catches(g_subprocess_get_identifier(process), signals[i]))
        g_usleep(10000);
      /* It waits to open the pipe, or, where somebody has opened it, for the first byte. */
      int fd = -1;
      while (has_writer && fd < 0) {
        fd = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        g_usleep(10000);
      }
      g_usleep(G_USEC_PER_SEC / 10);
      g_subprocess_send_signal(process, signals[i]);
      g_autoptr(GBytes) err = NULL;
      g_assert_true(g_subprocess_communicate(process, NULL, NULL, NULL, &err, &error));
      if (fd >= 0)
        close(fd);
      g_assert_true(g_subprocess_get_if_exited(process));
      g_assert_cmpint(g_subprocess_get_exit_status(process), ==, 1);
      g_autofree char *said = g_strndup(g_bytes_get_data(err, NULL), g_bytes_get_size(err));
      g_assert_nonnull(strcasestr(said, "interrupted"));
      g_assert_false(g_file_test(output, G_FILE_TEST_EXISTS));
    }
  g_unlink(pipe);
}

static void
tear_down(void)
{
  g_free(model);
}

TESTS(.end = tear_down)
{
  model = cli_source_path("tests/data/frozen/en-de");
  g_test_add_func("/prepare-waiting/signals", test_waiting);
}
