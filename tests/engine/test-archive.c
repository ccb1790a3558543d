/* test-archive.c — archives of a few named files: what is written comes back, and nothing is read
 * that the rules do not name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "hand-capture.h"
#include "suite.h"
#include "zip-writer.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder, *path;

/* A document with a part that is always there and one that may be. */
static const mt_archive_rule rules[] = {{"main.json", 100}, {"more.bin", 100000}};
#define MOST 100050

static mt_archive *
read_it(mt_error *error)
{
  return mt_archive_read(path, "a document", rules, G_N_ELEMENTS(rules), MOST, error);
}

static void
test_round_trip(void)
{
  g_autofree char *large = g_malloc0(100000);
  const mt_archive_file files[] = {{"main.json", "{}", 2, true}, {"more.bin", large, 99998, false}};
  mt_error error = {0};
  for (gsize n = 1; n <= 2; n++) {
    g_assert_true(mt_archive_write(path, files, n, &error));
    g_autoptr(mt_archive) archive = read_it(&error);
    g_assert_nonnull(archive);
    size_t size = 0;
    const unsigned char *data = mt_archive_get(archive, "main.json", &size);
    g_assert_cmpmem(data, size, "{}", 2);
    data = mt_archive_get(archive, "more.bin", &size);
    g_assert_true((data != NULL) == (n == 2));
    if (data)
      g_assert_cmpmem(data, size, large, 99998);
    g_assert_null(mt_archive_get(archive, "other", &size));
  }
  mt_archive_free(NULL);
}

static void
refuse(const zip_item *items, gsize n, mt_error_code code, const char *words)
{
  g_autoptr(GByteArray) bytes = zip_write(items, n, 0);
  g_assert_true(g_file_set_contents(path, (const char *) bytes->data, (gssize) bytes->len, NULL));
  mt_error error = {0};
  g_assert_null(read_it(&error));
  g_assert_cmpint(error.code, ==, code);
  if (!strstr(error.message, words) || !strstr(error.message, "x.regard"))
    g_error("expected \"%s\", found \"%s\"", words, error.message);
}

static void
test_refused(void)
{
  g_autofree char *large = g_malloc0(200000);
  const zip_item first = {.name = "main.json", .bytes = "{}", .n = 2};
  const struct {
    zip_item items[2];
    mt_error_code code;
    const char *words;
  } rows[] = {
      {{{.name = "more.bin", .bytes = "x", .n = 1}, {.name = "other", .bytes = "x", .n = 1}},
       MT_ERROR_FORMAT,
       "expected a document, found a zip archive without \"main.json\" in it."},
      {{first, {.name = "a/more.bin", .bytes = "x", .n = 1}},
       MT_ERROR_FORMAT,
       "found \"a/more.bin\" in it, which belongs to none."},
      {{first, {.name = "dir/", .bytes = "", .mode = 040755}},
       MT_ERROR_FORMAT,
       "found the folder \"dir/\" in it, which belongs to none."},
      {{first, {.name = "../more.bin", .bytes = "x", .n = 1}},
       MT_ERROR_FORMAT,
       "expected names inside the archive"},
      {{first, {.name = "main.json", .bytes = "x", .n = 1}}, MT_ERROR_FORMAT, "twice"},
      {{first, {.name = "more.bin", .bytes = large, .n = 100001, .deflate = TRUE}},
       MT_ERROR_FORMAT,
       "expected at most 100000 bytes of \"more.bin\" and 100050 in all, found 100001."},
      {{{.name = "main.json", .bytes = large, .n = 60},
        {.name = "more.bin", .bytes = large, .n = 99999}},
       MT_ERROR_FORMAT,
       "and 100050 in all, found 99999."},
      {{first, {.name = "more.bin", .bytes = "x", .n = 1, .claimed_size = 99999, .deflate = TRUE}},
       MT_ERROR_FORMAT,
       "promises 99999 bytes, too many"},
      {{first, {.name = "more.bin", .bytes = "x", .n = 1, .wrong_crc = TRUE}},
       MT_ERROR_FORMAT,
       "more.bin"},
      {{first, {.name = "more.bin", .bytes = "x", .n = 1, .encrypted = TRUE}},
       MT_ERROR_UNSUPPORTED,
       "found \"more.bin\" encrypted"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    refuse(rows[i].items, 2, rows[i].code, rows[i].words);
}

/* Files beside the archive, which go; how many there were. */
static guint
remove_others(void)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  guint n = 0;
  for (const char *name; (name = g_dir_read_name(dir));) {
    g_autofree char *other = g_build_filename(folder, name, NULL);
    if (!g_str_equal(other, path)) {
      g_remove(other);
      n++;
    }
  }
  return n;
}

/* Ended in the middle of writing, at any byte: by a limit on the size of files, of which the signal
 * ends the program as a kill does, or, where that is ignored, as a full disk. The earlier archive
 * is the earlier archive, and can be replaced afterwards. */
static void
test_killed(void)
{
  enum { N = 60000 };
  static char noise[N];
  for (gsize i = 0; i < N; i++)
    noise[i] = (char) (i * 2654435761u >> 11);
  const mt_archive_file earlier[] = {{"main.json", "{}", 2, true}, {"more.bin", "abc", 3, false}};
  const mt_archive_file later[] = {{"main.json", "{\"later\": 1}", 12, true},
                                   {"more.bin", noise, N, false}};
  mt_error error = {0};
  for (int is_full = 0; is_full < 2; is_full++)
    for (rlim_t most = 0; most < N; most += most < 100 ? 30 : most < 10000 ? 4000 : 24000) {
      g_autofree char *before = NULL, *after = NULL;
      gsize n_before, n_after;
      int status;
      g_assert_true(mt_archive_write(path, earlier, 2, &error));
      g_assert_true(g_file_get_contents(path, &before, &n_before, NULL));
      const pid_t child = fork();
      if (child == 0) {
        const struct rlimit little = {most, most}, none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        setrlimit(RLIMIT_FSIZE, &little);
        signal(SIGXFSZ, is_full ? SIG_IGN : SIG_DFL);
        _exit(mt_archive_write(path, later, 2, &error) ? 0 : 1);
      }
      g_assert_cmpint(waitpid(child, &status, 0), ==, child);
      g_assert_true(is_full ? WIFEXITED(status) && WEXITSTATUS(status) == 1
                            : WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
      g_assert_true(g_file_get_contents(path, &after, &n_after, NULL));
      g_assert_cmpmem(after, n_after, before, n_before);
      g_assert_true(mt_archive_write(path, later, 2, &error));
      g_autoptr(mt_archive) archive = read_it(&error);
      g_assert_nonnull(archive);
      gsize n;
      const unsigned char *bytes = mt_archive_get(archive, "more.bin", &n);
      g_assert_cmpmem(bytes, n, noise, N);
      /* A kill leaves a file beside it, of another name, and newer libzip one more; a full disk
       * does not. */
      const guint n_left = remove_others();
      g_assert_true(is_full ? n_left == 0 : n_left == 1 || n_left == 2);
    }
}

/* Cut off at every byte, and what is no archive. */
static void
test_damaged(void)
{
  const mt_archive_file files[] = {{"main.json", "{}", 2, true}, {"more.bin", "abc", 3, false}};
  mt_error error = {0};
  g_assert_true(mt_archive_write(path, files, 2, &error));
  g_autofree char *whole = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(path, &whole, &n, NULL));
  for (gsize i = 0; i < n; i++) {
    error = (mt_error){0};
    g_assert_true(g_file_set_contents(path, whole, (gssize) i, NULL));
    g_assert_null(read_it(&error));
    g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  }
  g_remove(path);
  g_assert_null(read_it(&error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
}

/* In memory a capture is what it is in a file. */
static void
test_capture_in_memory(void)
{
  g_autoptr(mt_capture) capture = hand_capture(3, 2, 0);
  mt_error error = {0};
  mt_bytes bytes;
  char *meta = NULL;
  g_assert_true(mt_capture_make_npz(capture, "{\"a\": 1}", &bytes, &error));
  g_assert_true(mt_capture_write_npz(capture, path, "{\"a\": 1}", &error));
  g_autofree char *file = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(path, &file, &n, NULL));
  g_assert_cmpuint(n, ==, bytes.size);
  g_autoptr(mt_capture) again =
      mt_capture_parse_npz(bytes.data, bytes.size, "mem.npz", &meta, &error);
  g_assert_nonnull(again);
  g_assert_cmpstr(meta, ==, "{\"a\": 1}");
  g_assert_cmpstr(mt_capture_file_name(again), ==, "mem.npz");
  g_assert_cmpuint(mt_capture_bytes(again), >, 0);
  mt_matrix a = mt_capture_weights(capture, MT_CROSS, 0, 0);
  mt_matrix b = mt_capture_weights(again, MT_CROSS, 0, 0);
  g_assert_cmpmem(a.data, a.rows * a.cols * 4, b.data, b.rows * b.cols * 4);
  mt_string_free(meta);
  g_assert_null(mt_capture_parse_npz(bytes.data, bytes.size - 1, "mem.npz", NULL, &error));
  g_assert_true(g_str_has_prefix(error.message, "mem.npz: "));
  mt_bytes_clear(&bytes);
  g_assert_null(bytes.data);
}

static void
tear_down(void)
{
  g_remove(path);
  g_rmdir(folder);
  g_free(path);
  g_free(folder);
}

TESTS(.end = tear_down)
{
  folder = g_dir_make_tmp("regard-archive-XXXXXX", NULL);
  path = g_build_filename(folder, "x.regard", NULL);
  g_test_add_func("/archive/round-trip", test_round_trip);
  g_test_add_func("/archive/refused", test_refused);
  g_test_add_func("/archive/killed", test_killed);
  g_test_add_func("/archive/damaged", test_damaged);
  g_test_add_func("/archive/capture-in-memory", test_capture_in_memory);
}
