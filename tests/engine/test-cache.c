/* test-cache.c — rounded weights that are kept in a file: the same model bit for bit when it is
 * opened again, made anew where they are another model's, and of no use to whoever wrote lies in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-cache.h"

#include "engine-test.h"
#include "kernels/mt-kernels.h"
#include "model-dir.h"
#include "model/mt-narrow.h"
#include "sentences.h"
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static model_dir *dir;
static char *folder; /* of caches */

static mt_model *
open_in(mt_precision precision, mt_cache_state expected)
{
  mt_error error = {0};
  const char *why;
  mt_model *model =
      mt_model_open(dir->path, &(mt_load_options){.precision = precision, .cache = folder}, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpint(mt_model_cache(model, &why), ==, expected);
  g_assert_null(why);
  return model;
}

static void
assert_files(gsize expected)
{
  mt_error error = {0};
  gsize n_files, n_bytes;
  g_assert_true(mt_cache_measure(folder, &n_files, &n_bytes, &error));
  g_assert_cmpuint(n_files, ==, expected);
  g_assert_true((n_bytes > 0) == (expected > 0));
}

static void
remove_all(void)
{
  mt_error error = {0};
  gsize n_files, n_bytes;
  g_assert_true(mt_cache_remove(folder, &n_files, &n_bytes, &error));
  assert_files(0);
}

/* The only file of the folder. */
static char *
find_file(void)
{
  g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
  char *path = g_build_filename(folder, g_dir_read_name(names), NULL);
  g_assert_null(g_dir_read_name(names));
  return path;
}

/* Both translate alike, and compute alike with rounded and with exact weights. */
static void
assert_same_model(mt_model *a, mt_model *b)
{
  g_autoptr(mt_session) x = sentences_session(a, 1, false), y = sentences_session(b, 1, false);
  static const unsigned flags[] = {0, MT_CAPTURE_ROUNDED};
  for (gsize n_beams = 1; n_beams <= 3; n_beams += 2) {
    g_autoptr(mt_translation) s = sentences_translate(x, "the cat", n_beams, NULL);
    g_autoptr(mt_translation) t = sentences_translate(y, "the cat", n_beams, NULL);
    sentences_assert_same(s, t);
    for (gsize i = 0; i < G_N_ELEMENTS(flags); i++) {
      mt_error error = {0};
      g_autoptr(mt_capture) c = mt_session_capture(x, s, 0, flags[i], NULL, &error);
      g_autoptr(mt_capture) d = mt_session_capture(y, t, 0, flags[i], NULL, &error);
      g_assert_cmpstr(error.message, ==, "");
      sentences_assert_same_capture(c, d);
    }
  }
}

/* In every precision, from every format of the checkpoint. */
static void
test_reopened(void)
{
  for (dir_dtype dtype = DIR_F32; dtype <= DIR_F64; dtype++) {
    model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, dtype, 0);
    remove_all();
    gsize n_files = 0;
    for (mt_precision p = MT_PRECISION_STORED; p < MT_N_PRECISIONS; p++) {
      const bool has_it =
          p == MT_PRECISION_STORED || (p == MT_PRECISION_F16 && dtype == DIR_F16) ||
          ((p == MT_PRECISION_BF16 || p == MT_PRECISION_BF16_ALL) && dtype == DIR_BF16);
      mt_model_unref(open_in(p, has_it ? MT_CACHE_NONE : MT_CACHE_WRITTEN));
      g_autoptr(mt_model) again = open_in(p, has_it ? MT_CACHE_NONE : MT_CACHE_READ);
      g_autoptr(mt_model) without =
          mt_model_open(dir->path, &(mt_load_options){.precision = p}, NULL);
      g_assert_cmpint(mt_model_cache(without, NULL), ==, MT_CACHE_NONE);
      g_assert_cmpint(mt_model_precision(again), ==, p);
      g_assert_cmpuint(mt_model_n_parameters(again), ==, mt_model_n_parameters(without));
      assert_same_model(again, without);
      n_files += !has_it;
      assert_files(n_files);
    }
  }
  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, 0);
  remove_all();
}

/* Other numbers, with another time or another size; a configuration that means other tensors. */
static void
test_other_source(void)
{
  mt_model_unref(open_in(MT_PRECISION_INT8_ALL, MT_CACHE_WRITTEN));
  dir_tensor *t = model_dir_tensor(dir, "model.decoder.layers.1.fc2.weight");
  t->values[0] += 1;
  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, 0);
  g_autofree char *weights = g_build_filename(dir->path, "model.safetensors", NULL);
  const struct timespec times[] = {{0, UTIME_OMIT}, {1234567890, 5}};
  g_assert_cmpint(utimensat(AT_FDCWD, weights, times, 0), ==, 0);
  g_autoptr(mt_model) other = open_in(MT_PRECISION_INT8_ALL, MT_CACHE_WRITTEN);
  g_autoptr(mt_model) without =
      mt_model_open(dir->path, &(mt_load_options){.precision = MT_PRECISION_INT8_ALL}, NULL);
  assert_same_model(other, without);
  mt_model_unref(open_in(MT_PRECISION_INT8_ALL, MT_CACHE_READ));

  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, 8);
  g_assert_cmpint(utimensat(AT_FDCWD, weights, times, 0), ==, 0);
  mt_model_unref(open_in(MT_PRECISION_INT8_ALL, MT_CACHE_WRITTEN));
  mt_model_unref(open_in(MT_PRECISION_INT8_ALL, MT_CACHE_READ));
  t->values[0] -= 1;
  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, 0);
  mt_model_unref(open_in(MT_PRECISION_INT8_ALL, MT_CACHE_WRITTEN));
  assert_files(1); /* that of the other numbers went */
  remove_all();
}

/* ---- Files that lie -------------------------------------------------------------------------- */

static char *original;
static gsize n_original;

static mt_cache_head *
head_of(char *bytes)
{
  return (mt_cache_head *) (void *) bytes;
}

static const mt_cache_matrix *
table_of(char *bytes)
{
  return (const mt_cache_matrix *) (const void *) (bytes + sizeof(mt_cache_head));
}

/* Whoever changes a file can add it up as well. */
static void
add_up(char *bytes)
{
  mt_cache_head *head = head_of(bytes);
  const gsize n_table = head->n_matrices * sizeof(mt_cache_matrix);
  head->sum = mt_cache_sum(mt_cache_sum(0, table_of(bytes), n_table),
                           bytes + n_original - head->n_bytes, head->n_bytes);
}

/* The first byte of matrix i in the file. */
static gsize
begin_of(char *bytes, gsize i)
{
  return n_original - head_of(bytes)->n_bytes + table_of(bytes)[i].offset;
}

static mt_cache_key key; /* of the original */

static void
assert_refused(const char *path, const char *bytes, gsize n)
{
  mt_mapping mapping = {0};
  const char *data;
  FILE *file = fopen(path, "wb");
  g_assert_cmpuint(fwrite(bytes, 1, n, file), ==, n);
  g_assert_cmpint(fclose(file), ==, 0);
  g_assert_false(mt_cache_map(&key, NULL, &mapping, &data));
  g_assert_null(mapping.bytes);
}

static void
spoil(const char *path)
{
  g_autofree char *bytes = g_memdup2(original, n_original);
  /* Every byte of the head and of the table, and some of the data. */
  const gsize n_said = sizeof(mt_cache_head) + head_of(bytes)->n_matrices * sizeof(mt_cache_matrix);
  for (gsize i = 0; i < n_original; i += i < n_said ? 1 : 997) {
    if (i >= n_said && i < n_original - head_of(original)->n_bytes)
      continue; /* zeros between the two, which nobody reads */
    bytes[i] ^= 0x40;
    assert_refused(path, bytes, n_original);
    bytes[i] ^= 0x40;
  }
  static const gsize cut[] = {0, 1, sizeof(mt_cache_head) - 1, sizeof(mt_cache_head), 4096};
  for (gsize i = 0; i < G_N_ELEMENTS(cut); i++)
    assert_refused(path, bytes, cut[i]);
  assert_refused(path, bytes, n_original - 1);
  g_autofree char *longer = g_malloc0(n_original + 1);
  memcpy(longer, bytes, n_original);
  assert_refused(path, longer, n_original + 1);

  /* Places and sizes that lead elsewhere, with a check sum that is right. */
  for (gsize i = sizeof(mt_cache_head); i < n_said; i += 8) {
    guint64 old;
    memcpy(&old, bytes + i, sizeof old);
    const guint64 lies[] = {old + 64, G_MAXUINT64, (guint64) 1 << 63, 0};
    for (gsize k = 0; k < G_N_ELEMENTS(lies); k++)
      if (lies[k] != old && i < sizeof(mt_cache_head) + 2 * sizeof(mt_cache_matrix)) {
        memcpy(bytes + i, &lies[k], sizeof old);
        add_up(bytes);
        assert_refused(path, bytes, n_original);
      }
    memcpy(bytes + i, &old, sizeof old);
  }

  /* Numbers that no rounding makes. */
  const mt_cache_matrix *last = &table_of(bytes)[head_of(bytes)->n_matrices - 1];
  const gsize begin = begin_of(bytes, head_of(bytes)->n_matrices - 1);
  if (key.precision == MT_PRECISION_INT8_ALL) {
    const gsize n_out = MT_INT8_PANELS(last->n_out) * MT_INT8_PANEL;
    const float none = NAN;
    bytes[begin] = (char) -128;
    add_up(bytes);
    assert_refused(path, bytes, n_original);
    memcpy(bytes, original, n_original);
    memcpy(bytes + begin + n_out * MT_INT8_STRIDE(last->n_in) + 4, &none, sizeof none);
  } else {
    const guint16 infinity = key.precision == MT_PRECISION_F16 ? 0xfc00 : 0x7f80;
    memcpy(bytes + begin + 2, &infinity, sizeof infinity);
  }
  add_up(bytes);
  assert_refused(path, bytes, n_original);
}

static void
test_lies(void)
{
  static const mt_precision some[] = {MT_PRECISION_F16, MT_PRECISION_BF16_ALL,
                                      MT_PRECISION_INT8_ALL};
  for (gsize i = 0; i < G_N_ELEMENTS(some); i++) {
    remove_all();
    g_autoptr(mt_model) good = open_in(some[i], MT_CACHE_WRITTEN);
    g_autofree char *path = find_file();
    g_assert_true(g_file_get_contents(path, &original, &n_original, NULL));
    key = (mt_cache_key){.folder = folder,
                         .directory = dir->path,
                         .precision = some[i],
                         .form = mt_precision_form(some[i]),
                         .source = head_of(original)->source,
                         .matrices = table_of(original),
                         .n_matrices = head_of(original)->n_matrices,
                         .n_bytes = head_of(original)->n_bytes};
    spoil(path);
    /* Whoever opens the model makes it anew. */
    g_autoptr(mt_model) anew = open_in(some[i], MT_CACHE_WRITTEN);
    g_autofree char *found = NULL;
    gsize n_found;
    g_assert_true(g_file_get_contents(path, &found, &n_found, NULL));
    g_assert_cmpmem(found, n_found, original, n_original);
    /* The model that maps a file keeps it when another takes its place. */
    g_autoptr(mt_model) reader = open_in(some[i], MT_CACHE_READ);
    remove_all();
    assert_same_model(reader, good);
    g_clear_pointer(&original, g_free);
  }
}

/* What stands in the way is not waited for, nor written through. */
static void
test_no_file(void)
{
  mt_model_unref(open_in(MT_PRECISION_F16, MT_CACHE_WRITTEN));
  g_autofree char *path = find_file();
  g_autofree char *elsewhere = g_build_filename(dir->path, "elsewhere", NULL);
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  mt_model_unref(open_in(MT_PRECISION_F16, MT_CACHE_WRITTEN));
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_assert_true(g_file_set_contents(elsewhere, "mine", -1, NULL));
  g_assert_cmpint(symlink(elsewhere, path), ==, 0);
  mt_model_unref(open_in(MT_PRECISION_F16, MT_CACHE_WRITTEN));
  g_autofree char *mine = NULL;
  g_assert_true(g_file_get_contents(elsewhere, &mine, NULL, NULL));
  g_assert_cmpstr(mine, ==, "mine");
  assert_files(1);
  g_assert_cmpint(g_unlink(elsewhere), ==, 0);
}

/* ---- What does not work ---------------------------------------------------------------------- */

/* A model is opened all the same, and says why it has no cache. */
static void
test_cannot_be_written(void)
{
  mt_error error = {0};
  const char *why;
  g_autofree char *file = g_build_filename(dir->path, "config.json", "below", NULL);
  g_autoptr(mt_model) model =
      mt_model_open(dir->path, &(mt_load_options){.precision = MT_PRECISION_INT8, .cache = file},
                    &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpint(mt_model_cache(model, &why), ==, MT_CACHE_FAILED);
  g_assert_nonnull(strstr(why, "cannot be written"));
  g_assert_cmpint(mt_model_precision(model), ==, MT_PRECISION_INT8);
}

/* Only caches are counted and removed. */
static void
test_removed(void)
{
  static const char *const others[] = {"notes.txt", "int8-0123.weights",
                                       "int8-0123456789abcdef.weights.old",
                                       "stored-0123456789abcdef.weights"};
  mt_error error = {0};
  gsize n_files, n_bytes;
  remove_all();
  g_autofree char *none = g_build_filename(folder, "none", NULL);
  g_assert_true(mt_cache_measure(none, &n_files, &n_bytes, &error));
  g_assert_cmpuint(n_files + n_bytes, ==, 0);
  mt_model_unref(open_in(MT_PRECISION_BF16, MT_CACHE_WRITTEN));
  /* As a program leaves it that was ended. */
  g_autofree char *part = g_build_filename(folder, "int8-0123456789abcdef.weights.aB3xYz", NULL);
  g_assert_true(g_file_set_contents(part, "half", -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
    g_autofree char *path = g_build_filename(folder, others[i], NULL);
    g_assert_true(g_file_set_contents(path, "mine", -1, NULL));
  }
  assert_files(2);
  remove_all();
  for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
    g_autofree char *path = g_build_filename(folder, others[i], NULL);
    g_assert_cmpint(g_unlink(path), ==, 0);
  }
}

static bool
count_down(void *user, double share)
{
  guint *left = user;
  return *left > 0 && (*left)--;
}

/* Whoever cancels leaves no file. */
static void
test_cancelled(void)
{
  mt_model *model = NULL;
  for (guint most = 0; !model; most++) {
    mt_error error = {0};
    guint left = most;
    model = mt_model_open(dir->path,
                          &(mt_load_options){.on_progress = count_down,
                                             .user = &left,
                                             .precision = MT_PRECISION_INT8,
                                             .cache = folder},
                          &error);
    if (!model) {
      g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
      assert_files(0);
    }
  }
  assert_files(1);
  mt_model_unref(model);
  remove_all();
}

#define WIDE 65536

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A decoder so wide that its matrices are moved where there is memory. */
static void
widen(dir_tensor *t, gsize dim)
{
  t->shape[dim] = WIDE;
  t->n = t->shape[0] * (t->n_dims == 2 ? t->shape[1] : 1);
  t->values = g_renew(float, t->values, t->n);
  for (gsize i = 0; i < t->n; i++)
    t->values[i] = (float) (i * 7 % 64) / 1024 - 0.03125f;
}

/* Where the copies that only make it faster would need too much, a model is read where it lies, and
 * translates the same. */
static void
test_most_memory(void)
{
  g_autoptr(model_dir) wide = model_dir_new();
  for (gsize l = 0; l < DIR_DECODER_LAYERS; l++) {
    static const struct {
      const char *name;
      gsize dim;
    } places[] = {{"fc1.weight", 0}, {"fc1.bias", 0}, {"fc2.weight", 1}};
    for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
      g_autofree char *name = g_strdup_printf("model.decoder.layers.%zu.%s", l, places[i].name);
      widen(model_dir_tensor(wide, name), places[i].dim);
    }
  }
  model_dir_replace(wide, "config.json", "\"decoder_ffn_dim\": 12", "\"decoder_ffn_dim\": 65536");
  model_dir_write_tensors(wide, "model.safetensors", 0, wide->tensors->len, DIR_F32, 0);
  mt_error error = {0};
  g_autoptr(mt_model) model = mt_model_open(wide->path, NULL, &error);
  g_autoptr(mt_model) small =
      mt_model_open(wide->path, &(mt_load_options){.most_memory = 1 << 20}, &error);
  g_assert_cmpstr(error.message, ==, "");
  const mt_storage *moved = model->storage, *mapped = small->storage;
  g_assert_nonnull(moved->converted);
  g_assert_null(mapped->converted);
  g_autoptr(mt_session) x = sentences_session(model, 0, false);
  g_autoptr(mt_session) y = sentences_session(small, 0, false);
  g_autoptr(mt_translation) a = sentences_translate(x, "the cat", 2, NULL);
  g_autoptr(mt_translation) b = sentences_translate(y, "the cat", 2, NULL);
  const mt_hypothesis *s = mt_translation_hypothesis(a, 0), *t = mt_translation_hypothesis(b, 0);
  g_assert_cmpstr(s->text, ==, t->text);
  g_assert_cmpfloat(fabs(s->sum_logprob - t->sum_logprob), <=, 1e-3);
}

static void
tear_down(void)
{
  remove_all();
  g_assert_true(g_rmdir(folder) == 0 || errno == ENOENT);
  g_free(folder);
  model_dir_free(dir);
}

TESTS(.end = tear_down)
{
  dir = model_dir_new();
  folder = g_strconcat(dir->path, "-cache", NULL);
  g_test_add_func("/cache/reopened", test_reopened);
  g_test_add_func("/cache/other-source", test_other_source);
  g_test_add_func("/cache/lies", test_lies);
  g_test_add_func("/cache/no-file", test_no_file);
  g_test_add_func("/cache/cannot-be-written", test_cannot_be_written);
  g_test_add_func("/cache/removed", test_removed);
  g_test_add_func("/cache/cancelled", test_cancelled);
  g_test_add_func("/cache/most-memory", test_most_memory);
}
