/* test-cli-animate.c — regard-cli animate: one file or numbered ones of steps, of a tree, of a head
 * and of a training; what it refuses; and Ctrl+C.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

#define DOGS     "I have two dogs."
#define LEARNING "today the small cat has seen the old dog"

/* How many frames an animated PNG says that it has. */
static guint
count_apng(const char *path)
{
  gsize length;
  g_autofree char *data = cli_contents(path, &length);
  const char *chunk = NULL;
  for (gsize i = 8; !chunk && i + 4 < length; i++)
    if (memcmp(data + i, "acTL", 4) == 0)
      chunk = data + i;
  g_assert_nonnull(chunk);
  return (guint) (guint8) chunk[6] << 8 | (guint8) chunk[7];
}

/* … and a GIF has: images behind their times. */
static guint
count_gif(const char *path)
{
  static const char control[] = {0x21, (char) 0xf9, 4};
  gsize length;
  guint n = 0;
  g_autofree char *data = cli_contents(path, &length);
  g_assert_cmpmem(data, 6, "GIF89a", 6);
  for (gsize i = 0; i + 9 < length; i++)
    n += memcmp(data + i, control, sizeof control) == 0 && data[i + 7] == 0 && data[i + 8] == 0x2c;
  return n;
}

static guint
count_files(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  guint n = 0;
  while (g_dir_read_name(dir))
    n++;
  return n;
}

static char *
make_folder(const char *name)
{
  char *folder = cli_scratch_path(name);
  g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
  return folder;
}

/* A frame for each step that steps prints. */
static void
test_steps(void)
{
  g_autofree char *png = cli_scratch_path("steps.png"), *gif = cli_scratch_path("steps.gif"),
                  *beam = cli_scratch_path("beam.gif"), *inside = cli_scratch_path("inside.png");
  g_autoptr(CliRun) table = cli_run_ok(NULL, "steps", DOGS, NULL);
  guint n = 0;
  while (TRUE) {
    g_autofree char *line = g_strdup_printf("\n%4u  ", n + 1);
    if (!strstr(table->out, line))
      break;
    n++;
  }
  g_assert_cmpuint(n, >, 3);
  cli_succeeds(NULL, "animate", "steps", "-o", png, DOGS, NULL);
  cli_succeeds(NULL, "animate", "steps", "--kind", "decoder", "--dark", "-o", gif, DOGS, NULL);
  cli_succeeds(NULL, "animate", "beam", "--beam", "1", "-o", beam, DOGS, NULL);
  cli_succeeds(NULL, "animate", "inside", "--query", "3", "-o", inside, DOGS, NULL);
  g_assert_cmpuint(count_apng(png), ==, n);
  g_assert_cmpuint(count_gif(gif), ==, n);
  g_assert_cmpuint(count_gif(beam), ==, n);
  g_assert_cmpuint(count_apng(inside), ==, 8);
}

/* Numbered drawings of a head at the sixteen checkpoints, all as large as the first. */
static void
test_training(void)
{
  g_autofree char *folder = make_folder("training"),
                  *path = g_build_filename(folder, "head-{n}.svg", NULL), *size = NULL;
  cli_succeeds(NULL, "animate", "training", "--layer", "2", "--head", "1", "-o", path, LEARNING,
               NULL);
  g_assert_cmpuint(count_files(folder), ==, 16);
  for (guint i = 0; i < 16; i++) {
    static const guint steps[] = {0,   20,  50,  80,  95,  110, 120, 130,
                                  140, 160, 180, 210, 250, 320, 500, 1000};
    g_autofree char *name = g_strdup_printf("head-%03u.svg", i + 1),
                    *file = g_build_filename(folder, name, NULL),
                    *label = g_strdup_printf("training step %u<", steps[i]),
                    *svg = cli_contents(file, NULL);
    const char *box = strstr(svg, "viewBox");
    g_autofree char *own = g_strndup(box, (gsize) (strchr(box, '>') - box));
    if (!size)
      size = g_strdup(own);
    g_assert_cmpstr(own, ==, size);
    g_assert_nonnull(strstr(svg, label));
    /* All are given the translation of the last one. */
    g_assert_nonnull(strstr(svg, "Katze"));
  }
}

static void
test_refused(void)
{
  g_autofree char *gif = cli_scratch_path("no.gif"), *svg = cli_scratch_path("no.svg"),
                  *numbered = cli_scratch_path("no-{n}.gif"),
                  *missing = cli_scratch_path("missing/no.gif"),
                  *model = cli_source_path("tests/data/frozen/en-de");
  cli_refuses(2, "expected steps, beam, inside or training, found nothing", NULL, "animate", NULL);
  cli_refuses(2, "found 'attend'", NULL, "animate", "attend", NULL);
  cli_refuses(2, "-o FILE is missing", NULL, "animate", "steps", DOGS, NULL);
  cli_refuses(2, "with {n} in it", NULL, "animate", "steps", "-o", svg, DOGS, NULL);
  cli_refuses(2, "with {n} in it", NULL, "animate", "inside", "-o", numbered, DOGS, NULL);
  cli_refuses(2, "one TEXT wanted", NULL, "animate", "beam", "-o", gif, NULL);
  cli_refuses(2, "layers of this model", NULL, "animate", "inside", "--layer", "99", "-o", gif,
              DOGS, NULL);
  cli_refuses(2, "heads of this model", NULL, "animate", "training", "--head", "5", "-o", gif,
              LEARNING, NULL);
  cli_refuses(1, "expected a checkpoint called step-N", NULL, "animate", "training", "-m", model,
              "-o", gif, DOGS, NULL);
  cli_refuses(1, "4096 a side", NULL, "animate", "steps", "--dpi", "2400", "-o", gif, DOGS, NULL);
  cli_refuses(1, missing, NULL, "animate", "inside", "-o", missing, DOGS, NULL);
  g_assert_false(g_file_test(gif, G_FILE_TEST_EXISTS));
}

/* At any time: either all is there, or nothing. */
static void
test_interrupted(void)
{
  for (guint i = 0; i < 4; i++) {
    g_autofree char *name = g_strdup_printf("interrupted-%u", i), *folder = make_folder(name);
    const gboolean is_numbered = i % 2;
    g_autofree char *path = g_build_filename(folder, is_numbered ? "a-{n}.png" : "a.gif", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(GSubprocess) process =
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error, cli_program(), "animate",
                         "inside", "--dpi", "500", "-o", path, DOGS, NULL);
    g_assert_no_error(error);
    g_usleep((150 + 200 * i) * 1000);
    g_subprocess_send_signal(process, SIGINT);
    g_subprocess_wait(process, NULL, NULL);
    const gboolean done =
        g_subprocess_get_if_exited(process) && g_subprocess_get_exit_status(process) == 0;
    g_assert_cmpuint(count_files(folder), ==, !done ? 0 : is_numbered ? 8 : 1);
  }
}

TESTS()
{
  g_test_add_func("/cli/animate/steps", test_steps);
  g_test_add_func("/cli/animate/training", test_training);
  g_test_add_func("/cli/animate/refused", test_refused);
  g_test_add_func("/cli/animate/interrupted", test_interrupted);
}
