/* small-dataset.c — prepared folders that a test writes, spoils and opens.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "small-dataset.h"

#include "files/mt-sums.h"

#include <glib/gstdio.h>
#include <string.h>

#define TOKENIZER REGARD_SOURCE_ROOT "/tests/data/checkpoints/post-norm-relu/"

const mt_dataset_info small_info = {
    .languages = {"en", "de"},
    .vocab_size = {SMALL_VOCAB, SMALL_VOCAB},
    .pad_id = SMALL_PAD,
    .eos_id = 0,
    .unk_id = 1,
    .max_tokens = SMALL_MAX_TOKENS,
    .seed = 7,
};

char *
small_temporary(void)
{
  g_autoptr(GError) error = NULL;
  char *folder = g_dir_make_tmp("regard-train-XXXXXX", &error);
  g_assert_no_error(error);
  return folder;
}

static void
remove_all(const char *path)
{
  if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
    GDir *list = g_dir_open(path, 0, NULL);
    for (const char *name; list && (name = g_dir_read_name(list));) {
      g_autofree char *inner = g_build_filename(path, name, NULL);
      remove_all(inner);
    }
    if (list)
      g_dir_close(list);
    g_rmdir(path);
  } else {
    g_unlink(path);
  }
}

guint
small_count(const char *folder)
{
  guint n = 0;
  GDir *list = g_dir_open(folder, 0, NULL);
  while (g_dir_read_name(list))
    n++;
  g_dir_close(list);
  return n;
}

void
small_remove(char *folder)
{
  remove_all(folder);
  g_free(folder);
}

void
small_add_tokenizer(mt_dataset_writer *writer)
{
  static const char *const files[] = {"source.spm", "target.spm", "vocab.json"};
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *file = g_build_filename(TOKENIZER, files[i], NULL);
    g_autofree char *bytes = NULL;
    gsize n;
    g_assert_true(g_file_get_contents(file, &bytes, &n, NULL));
    mt_error error = {0};
    g_assert_true(mt_dataset_writer_add_file(writer, files[i], bytes, n, &error));
  }
}

gsize
small_length(mt_dataset_part part, mt_stack side, gsize i)
{
  return 2 + (5 * i + 3 * (gsize) side + (gsize) part) % (SMALL_MAX_TOKENS - 1);
}

int32_t
small_id(mt_dataset_part part, mt_stack side, gsize i, gsize k)
{
  if (k + 1 == small_length(part, side, i))
    return 0;
  return 1 + (int32_t) ((7 * i + 11 * k + 13 * (gsize) side + 17 * (gsize) part) % (SMALL_PAD - 1));
}

static gsize
fill(int32_t *ids, mt_dataset_part part, mt_stack side, gsize i)
{
  gsize n = small_length(part, side, i);
  for (gsize k = 0; k < n; k++)
    ids[k] = small_id(part, side, i, k);
  return n;
}

void
small_write(const char *path, guint n_pairs, guint n_heldout)
{
  static const mt_dataset_source sources[] = {
      {.name = "first", .licence = "CC0", .note = "numbers", .weight = 2},
      {.name = "zweite", .licence = "", .note = "", .weight = 0.25},
  };
  int32_t source[SMALL_MAX_TOKENS], target[SMALL_MAX_TOKENS];
  mt_error error = {0};
  g_autoptr(mt_dataset_writer) w = mt_dataset_writer_new(path, false, &small_info, &error);
  g_assert_cmpstr(error.message, ==, "");
  gsize pair = 0;
  for (guint s = 0; s < G_N_ELEMENTS(sources); s++) {
    g_assert_true(mt_dataset_writer_begin_source(w, &sources[s], &error));
    for (guint i = 0; i < n_pairs * (s + 1); i++, pair++) {
      gsize n_source = fill(source, MT_DATASET_TRAIN, MT_STACK_ENCODER, pair);
      gsize n_target = fill(target, MT_DATASET_TRAIN, MT_STACK_DECODER, pair);
      g_assert_true(mt_dataset_writer_add_pair(w, source, n_source, target, n_target, &error));
    }
  }
  for (guint i = 0; i < n_heldout; i++) {
    g_autofree char *text = g_strdup_printf("line %u", i);
    g_autofree char *other = g_strdup_printf("Zeile – %u", i);
    gsize n_source = fill(source, MT_DATASET_HELDOUT, MT_STACK_ENCODER, i);
    gsize n_target = fill(target, MT_DATASET_HELDOUT, MT_STACK_DECODER, i);
    g_assert_true(
        mt_dataset_writer_add_heldout(w, source, n_source, text, target, n_target, other, &error));
  }
  small_add_tokenizer(w);
  g_assert_true(mt_dataset_writer_finish(w, "{\"dropped\": 3}", &error));
}

static void
replace_once(char **text, const char *old, const char *new)
{
  const char *at = strstr(*text, old);
  g_assert_nonnull(at);
  char *edited = g_strdup_printf("%.*s%s%s", (int) (at - *text), *text, new, at + strlen(old));
  g_free(*text);
  *text = edited;
}

void
small_edit_manifest(const char *path, const char *old, const char *new)
{
  g_autofree char *file = g_build_filename(path, "manifest.json", NULL);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(file, &text, NULL, NULL));
  replace_once(&text, old, new);
  g_assert_true(g_file_set_contents(file, text, -1, NULL));
}

mt_dataset *
small_open(const char *path)
{
  mt_error error = {0};
  mt_dataset *d = mt_dataset_open(path, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_nonnull(d);
  return d;
}

void
small_assert_same_file(const char *a, const char *b, const char *name)
{
  g_autofree char *path_a = g_build_filename(a, name, NULL);
  g_autofree char *path_b = g_build_filename(b, name, NULL);
  g_autofree char *bytes_a = NULL, *bytes_b = NULL;
  gsize n_a, n_b;
  if (!g_file_get_contents(path_a, &bytes_a, &n_a, NULL) ||
      !g_file_get_contents(path_b, &bytes_b, &n_b, NULL))
    g_error("%s or %s cannot be read", path_a, path_b);
  if (n_a != n_b || memcmp(bytes_a, bytes_b, n_a) != 0)
    g_error("%s and %s differ", path_a, path_b);
}

void
small_replace(const char *path, const char *name, const void *bytes, gsize n)
{
  g_autofree char *file = g_build_filename(path, name, NULL);
  g_autofree char *old = NULL;
  gsize n_old;
  g_assert_true(g_file_get_contents(file, &old, &n_old, NULL));
  g_autofree char *before =
      g_strdup_printf("\"name\": \"%s\",\n      \"bytes\": %zu,\n      \"crc32\": \"%08x\"", name,
                      n_old, (unsigned) mt_crc32(0, old, n_old));
  g_autofree char *after =
      g_strdup_printf("\"name\": \"%s\",\n      \"bytes\": %zu,\n      \"crc32\": \"%08x\"", name,
                      n, (unsigned) mt_crc32(0, bytes, n));
  small_edit_manifest(path, before, after);
  g_assert_true(g_file_set_contents(file, bytes, (gssize) n, NULL));
}
