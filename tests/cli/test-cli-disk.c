/* test-cli-disk.c — regard-cli -o on a full disk, and where it must not write: status 1, a sentence
 * that names the file and the reason, and the earlier file as it was.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char earlier[] = "the earlier file";

/* Everything that takes -o. */
static const char *const commands[][2] = {
    {"attend", "png"},    {"attend", "svg"},    {"attend", "pdf"},  {"attend", "csv"},
    {"attend", "json"},   {"attend", "npz"},    {"capture", "npz"}, {"positions", "png"},
    {"positions", "csv"}, {"positions", "npz"},
};

static CliRun *
run(gsize i, const char *path)
{
  if (strcmp(commands[i][0], "positions") == 0)
    return cli_run(NULL, "positions", "--length", "12", "-o", path, NULL);
  return cli_run(NULL, commands[i][0], "-o", path, "I have two dogs", NULL);
}

/* The only file in its folder, as it was. */
static void
assert_untouched(const char *folder, const char *path)
{
  g_autofree char *contents = NULL;
  g_assert_true(g_file_get_contents(path, &contents, NULL, NULL));
  g_assert_cmpstr(contents, ==, earlier);
  g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
  g_autofree char *name = g_path_get_basename(path);
  g_assert_cmpstr(g_dir_read_name(listing), ==, name);
  g_assert_null(g_dir_read_name(listing));
}

static char *
make_folder(const char *name)
{
  char *folder = cli_scratch_path(name);
  g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
  return folder;
}

static char *
make_earlier(const char *folder, const char *ending)
{
  g_autofree char *name = g_strconcat("kept.", ending, NULL);
  char *path = g_build_filename(folder, name, NULL);
  g_assert_true(g_file_set_contents(path, earlier, -1, NULL));
  return path;
}

/* A limit on the size of files, which the program inherits; it must ignore the signal itself. */
static void
test_full(void)
{
  g_autofree char *folder = make_folder("full");
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    g_autofree char *path = make_earlier(folder, commands[i][1]);
    struct rlimit before, little;
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
    little = before;
    little.rlim_cur = 200;
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
    g_autoptr(CliRun) refused = run(i, path);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
    cli_assert_complains(refused, 1, path);
    g_assert_nonnull(strstr(refused->err, g_strerror(EFBIG)));
    assert_untouched(folder, path);

    g_autoptr(CliRun) written = run(i, path);
    cli_assert_status(written, 0);
    g_unlink(path);
    g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
    g_assert_null(g_dir_read_name(listing));
  }
}

/* Arrays are written beside the place that they go to, whatever makes them, and nowhere else: the
 * folder for temporary files may be small, on another disk, or not there. */
static void
test_arrays_beside(void)
{
  static const char *const makers[] = {"attend",     "capture",   "trace",    "steps",
                                       "layers",     "lens",      "effects",  "inside",
                                       "complexity", "attribute", "positions"};
  g_autofree char *folder = make_folder("beside"), *nowhere = cli_scratch_path("no-such-folder");
  g_autofree char *before = g_strdup(g_getenv("TMPDIR"));
  g_setenv("TMPDIR", nowhere, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS(makers); i++) {
    g_autofree char *path = make_earlier(folder, "npz"), *contents = NULL;
    const gboolean wants_text = !g_str_equal(makers[i], "positions");
    cli_succeeds(NULL, makers[i], "-o", path, wants_text ? "It rains." : "--length",
                 wants_text ? NULL : "12", NULL);
    gsize n;
    g_assert_true(g_file_get_contents(path, &contents, &n, NULL));
    g_assert_cmpmem(contents, 4, "PK\3\4", 4);
    g_unlink(path);
    g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
    g_assert_null(g_dir_read_name(listing));
  }
  if (before)
    g_setenv("TMPDIR", before, TRUE);
  else
    g_unsetenv("TMPDIR");
}

/* A folder; a path below a file; a folder that is not there. */
static void
test_places(void)
{
  g_autofree char *folder = make_folder("places");
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    g_autofree char *path = make_earlier(folder, commands[i][1]);
    g_autofree char *name = g_strconcat("below.", commands[i][1], NULL);
    g_autofree char *below = g_build_filename(path, name, NULL);
    g_autofree char *missing = g_build_filename(folder, "missing", name, NULL);
    g_autofree char *is_folder = cli_scratch_path(name);
    g_assert_cmpint(g_mkdir(is_folder, 0755), ==, 0);
    const struct {
      const char *path, *reason;
    } places[] = {{below, g_strerror(ENOTDIR)},
                  {missing, g_strerror(ENOENT)},
                  {is_folder, "irectory"}};
    for (gsize k = 0; k < G_N_ELEMENTS(places); k++) {
      g_autoptr(CliRun) refused = run(i, places[k].path);
      cli_assert_complains(refused, 1, places[k].path);
      g_assert_nonnull(strstr(refused->err, places[k].reason));
    }
    g_assert_true(g_file_test(is_folder, G_FILE_TEST_IS_DIR));
    g_assert_cmpint(g_rmdir(is_folder), ==, 0); /* and empty */
    assert_untouched(folder, path);
    g_unlink(path);
  }
}

/* A link is written through, and stays one when that fails. */
static void
test_link(void)
{
  g_autofree char *folder = make_folder("linked"), *links = make_folder("links");
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    g_autofree char *path = make_earlier(folder, commands[i][1]);
    g_autofree char *name = g_strconcat("link.", commands[i][1], NULL);
    g_autofree char *link = g_build_filename(links, name, NULL);
    g_assert_cmpint(symlink(path, link), ==, 0);
    g_autoptr(CliRun) written = run(i, link);
    cli_assert_status(written, 0);
    g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
    g_autofree char *contents = NULL;
    gsize n;
    g_assert_true(g_file_get_contents(path, &contents, &n, NULL));
    g_assert_cmpuint(n, >, sizeof earlier);
    g_unlink(link);
    g_unlink(path);
  }
}

TESTS()
{
  g_test_add_func("/cli/disk/full", test_full);
  g_test_add_func("/cli/disk/arrays-beside", test_arrays_beside);
  g_test_add_func("/cli/disk/places", test_places);
  g_test_add_func("/cli/disk/link", test_link);
}
