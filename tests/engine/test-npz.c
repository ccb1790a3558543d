/* test-npz.c — what is in an .npz, read back with libzip; what happens when it cannot be written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "follow-sync.h"
#include "hand-capture.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

static char *directory;

/* One .npy of an archive, whole; NULL if it is not there. */
static GBytes *
read_member(const char *path, const char *name)
{
  zip_t *zip = zip_open(path, ZIP_RDONLY, NULL);
  g_assert_nonnull(zip);
  zip_stat_t stat;
  GBytes *bytes = NULL;
  if (zip_stat(zip, name, 0, &stat) == 0) {
    zip_file_t *file = zip_fopen(zip, name, 0);
    char *data = g_malloc(stat.size);
    g_assert_cmpint(zip_fread(file, data, stat.size), ==, stat.size);
    zip_fclose(file);
    bytes = g_bytes_new_take(data, stat.size);
  }
  zip_discard(zip);
  return bytes;
}

/* Check magic, alignment and dictionary; return the elements (borrowed from bytes). */
static const void *
check_npy(GBytes *bytes, const char *descr, const char *shape, gsize n_bytes)
{
  g_assert_nonnull(bytes);
  gsize size;
  const unsigned char *data = g_bytes_get_data(bytes, &size);
  g_assert_cmpuint(size, >, 10);
  g_assert_cmpint(memcmp(data, "\x93NUMPY\x01\x00", 8), ==, 0);
  gsize start = 10 + data[8] + 256u * data[9];
  g_assert_cmpuint(start % 64, ==, 0);
  g_assert_cmpuint(size - start, ==, n_bytes);
  g_autofree char *header = g_strndup((const char *) data + 10, start - 10);
  g_autofree char *expected =
      g_strdup_printf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
  g_assert_true(g_str_has_prefix(header, expected));
  g_assert_true(g_str_has_suffix(header, "\n"));
  return data + start;
}

static void
test_arrays(void)
{
  g_autofree char *path = g_build_filename(directory, "arrays.npz", NULL);
  const float f[] = {1, -2.5f, 3, 4, 5, 6};
  const int32_t ids[] = {7, -8};
  const char *words[] = {"▁Größe", "😀"};
  const char *meta[] = {"{\"a\": 1}"};
  const mt_npz_array arrays[] = {
      {.name = "f", .n_dims = 2, .shape = {2, 3}, .f32 = f},
      {.name = "ids", .n_dims = 1, .shape = {2}, .i32 = ids},
      {.name = "words", .n_dims = 1, .shape = {2}, .strings = words},
      {.name = "meta", .n_dims = 0, .strings = meta},
  };
  mt_error error = {0};
  g_assert_true(mt_npz_write(path, arrays, G_N_ELEMENTS(arrays), &error));

  g_autoptr(GBytes) f_bytes = read_member(path, "f.npy");
  g_assert_cmpmem(check_npy(f_bytes, "<f4", "(2, 3,)", sizeof f), sizeof f, f, sizeof f);
  g_autoptr(GBytes) id_bytes = read_member(path, "ids.npy");
  g_assert_cmpmem(check_npy(id_bytes, "<i4", "(2,)", sizeof ids), sizeof ids, ids, sizeof ids);
  /* UTF-32, padded with zeros to the longest: six code points. */
  const gunichar expected[12] = {0x2581, 'G', 'r', 0xf6, 0xdf, 'e', 0x1f600};
  g_autoptr(GBytes) word_bytes = read_member(path, "words.npy");
  g_assert_cmpmem(check_npy(word_bytes, "<U6", "(2,)", sizeof expected), sizeof expected, expected,
                  sizeof expected);
  g_autoptr(GBytes) meta_bytes = read_member(path, "meta.npy");
  const gunichar *text = check_npy(meta_bytes, "<U8", "()", 8 * sizeof(gunichar));
  for (int i = 0; i < 8; i++)
    g_assert_cmpuint(text[i], ==, meta[0][i]);
}

static void
test_capture(void)
{
  g_autofree char *path = g_build_filename(directory, "capture.npz", NULL);
  g_autoptr(mt_capture) capture = hand_capture(5, 3, MT_CAPTURE_SCORES);
  mt_capture_fill_weights(capture, MT_CROSS, 0, 0)[7] = 0.75f;
  mt_capture_fill_scores(capture, MT_CROSS, 0, 0)[7] = -2;
  mt_error error = {0};
  g_assert_true(mt_capture_write_npz(capture, path, "{}", &error));
  g_autoptr(GBytes) cross = read_member(path, "cross_attentions.npy");
  const float *weights = check_npy(cross, "<f4", "(1, 1, 3, 5,)", 15 * sizeof(float));
  g_assert_cmpfloat(weights[7], ==, 0.75f);
  g_autoptr(GBytes) scores = read_member(path, "cross_scores.npy");
  const float *values = check_npy(scores, "<f4", "(1, 1, 3, 5,)", 15 * sizeof(float));
  g_assert_cmpfloat(values[7], ==, -2);
  static const struct {
    const char *name, *descr, *shape;
    gsize n_bytes;
  } members[] = {
      {"encoder_attentions.npy", "<f4", "(1, 1, 5, 5,)", 100},
      {"decoder_attentions.npy", "<f4", "(1, 1, 3, 3,)", 36},
      {"encoder_scores.npy", "<f4", "(1, 1, 5, 5,)", 100},
      {"decoder_scores.npy", "<f4", "(1, 1, 3, 3,)", 36},
      {"positions.npy", "<f4", "(5, 4,)", 80},
      {"encoder_positions.npy", "<f4", "(5, 4,)", 80},
      {"decoder_positions.npy", "<f4", "(3, 4,)", 48},
      {"logprobs.npy", "<f4", "(3,)", 12},
      {"source_ids.npy", "<i4", "(5,)", 20},
      {"decoder_input_ids.npy", "<i4", "(3,)", 12},
      {"output_ids.npy", "<i4", "(3,)", 12},
      {"source_tokens.npy", "<U4", "(5,)", 80},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(members); i++) {
    g_autoptr(GBytes) bytes = read_member(path, members[i].name);
    check_npy(bytes, members[i].descr, members[i].shape, members[i].n_bytes);
  }

  /* Without scores there are no score arrays, not empty ones. */
  g_autoptr(mt_capture) small = hand_capture(5, 3, 0);
  g_assert_true(mt_capture_write_npz(small, path, NULL, &error));
  g_assert_null(read_member(path, "cross_scores.npy"));
}

static void
test_unwritable(void)
{
  g_autofree char *file = g_build_filename(directory, "a-file", NULL);
  g_autofree char *below = g_build_filename(file, "x.npz", NULL);
  g_autofree char *nowhere = g_build_filename(directory, "no", "such", "x.npz", NULL);
  g_autofree char *fifo = g_build_filename(directory, "a-pipe.npz", NULL);
  g_assert_true(g_file_set_contents(file, "x", 1, NULL));
  g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
  const float one = 1;
  const mt_npz_array array = {.name = "f", .n_dims = 1, .shape = {1}, .f32 = &one};
  const char *const bad[] = {below, nowhere, directory, fifo};
  for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
    mt_error error = {0};
    g_assert_false(mt_npz_write(bad[i], &array, 1, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_IO);
    g_assert_nonnull(strstr(error.message, bad[i]));
  }
  g_remove(file);
  g_remove(fifo);
}

/* Through a link, the file behind it is written; the link stays one. */
static void
test_link(void)
{
  g_autofree char *target = g_build_filename(directory, "target.npz", NULL);
  g_autofree char *link = g_build_filename(directory, "link.npz", NULL);
  const float one = 1;
  const mt_npz_array array = {.name = "f", .n_dims = 1, .shape = {1}, .f32 = &one};
  g_assert_true(g_file_set_contents(target, "old", -1, NULL));
  g_assert_cmpint(symlink("target.npz", link), ==, 0);
  mt_error error = {0};
  g_assert_true(mt_npz_write(link, &array, 1, &error));
  g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
  g_autoptr(GBytes) bytes = read_member(target, "f.npy");
  check_npy(bytes, "<f4", "(1,)", sizeof one);
  g_remove(link);
  g_remove(target);
}

/* A shape that cannot be, and the archive from before is still there. */
static void
test_earlier_file_survives(void)
{
  g_autofree char *path = g_build_filename(directory, "kept.npz", NULL);
  const float one = 1;
  const mt_npz_array good = {.name = "good", .n_dims = 1, .shape = {1}, .f32 = &one};
  const mt_npz_array bad = {.name = "bad", .n_dims = 2, .shape = {SIZE_MAX, 16}, .f32 = &one};
  mt_error error = {0};
  g_assert_true(mt_npz_write(path, &good, 1, &error));
  g_assert_false(mt_npz_write(path, &bad, 1, &error));
  g_assert_cmpint(error.code, !=, MT_OK);
  g_autoptr(GBytes) bytes = read_member(path, "good.npy");
  check_npy(bytes, "<f4", "(1,)", sizeof one);
}

/* The disk is full (here: a limit on the size of files): an error, the earlier archive untouched,
 * nothing half-written left beside it. */
static void
test_disk_full(void)
{
  g_autofree char *path = g_build_filename(directory, "kept.npz", NULL);
  const float one = 1;
  g_autofree float *much = g_new0(float, 100000);
  const mt_npz_array good = {.name = "good", .n_dims = 1, .shape = {1}, .f32 = &one};
  const mt_npz_array large = {.name = "large", .n_dims = 1, .shape = {100000}, .f32 = much};
  mt_error error = {0};
  g_assert_true(mt_npz_write(path, &good, 1, &error));

  struct rlimit before, little;
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
  little = before;
  little.rlim_cur = 65536;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
  bool ok = mt_npz_write(path, &large, 1, &error);
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
  signal(SIGXFSZ, handler);

  g_assert_false(ok);
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  g_assert_nonnull(strstr(error.message, path));
  g_autoptr(GBytes) bytes = read_member(path, "good.npy");
  check_npy(bytes, "<f4", "(1,)", sizeof one);
  g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name(dir)))
    g_assert_true(g_str_has_suffix(name, ".npz"));
}

/* The bytes are on the disk before their name is; if they cannot be, the earlier archive stays, and
 * nothing beside it. */
static void
test_durable(void)
{
  g_autofree char *folder = g_build_filename(directory, "durable", NULL);
  g_autofree char *path = g_build_filename(folder, "kept.npz", NULL);
  g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
  const float one = 1, two[] = {1, 2};
  const mt_npz_array first = {.name = "first", .n_dims = 1, .shape = {1}, .f32 = &one};
  const mt_npz_array second = {.name = "second", .n_dims = 1, .shape = {2}, .f32 = two};
  mt_error error = {0};
  sync_follow(path, 0);
  g_assert_true(mt_npz_write(path, &first, 1, &error));
  sync_assert(SYNC_RIGHT);
  sync_follow(path, EIO);
  g_assert_false(mt_npz_write(path, &second, 1, &error));
  sync_assert("file before, ");
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  g_assert_nonnull(strstr(error.message, path));
  g_assert_nonnull(strstr(error.message, g_strerror(EIO)));
  g_autoptr(GBytes) kept = read_member(path, "first.npy");
  check_npy(kept, "<f4", "(1,)", sizeof one);
  g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
  g_assert_cmpstr(g_dir_read_name(listing), ==, "kept.npz");
  g_assert_null(g_dir_read_name(listing));
  /* With the rights of the file that was there. */
  struct stat info;
  g_assert_cmpint(g_chmod(path, 0604), ==, 0);
  sync_follow(path, EINVAL); /* a file system that has nothing to wait for */
  g_assert_true(mt_npz_write(path, &second, 1, &error));
  sync_assert(SYNC_RIGHT);
  g_assert_cmpint(stat(path, &info), ==, 0);
  g_assert_cmpint(info.st_mode & 0777, ==, 0604);
  g_remove(path);
  g_rmdir(folder);
}

static void
tear_down(void)
{
  const char *const made[] = {"arrays.npz", "capture.npz", "kept.npz"};
  for (gsize i = 0; i < G_N_ELEMENTS(made); i++) {
    g_autofree char *path = g_build_filename(directory, made[i], NULL);
    g_remove(path);
  }
  g_rmdir(directory);
  g_free(directory);
}

TESTS(.end = tear_down)
{
  directory = g_dir_make_tmp("regard-npz-XXXXXX", NULL);
  g_test_add_func("/npz/arrays", test_arrays);
  g_test_add_func("/npz/capture", test_capture);
  g_test_add_func("/npz/unwritable", test_unwritable);
  g_test_add_func("/npz/link", test_link);
  g_test_add_func("/npz/earlier-file-survives", test_earlier_file_survives);
  g_test_add_func("/npz/disk-full", test_disk_full);
  g_test_add_func("/npz/durable", test_durable);
}
