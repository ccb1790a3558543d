/* test-zip.c — zip archives: their entries, their lies, and models inside them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "few-allocations.h"
#include "files/mt-zip.h"
#include "pickle-writer.h"
#include "same-capture.h"
#include "suite.h"
#include "zip-writer.h"

#include <glib/gstdio.h>
#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_zip, mt_zip_free)

#define F MT_ERROR_FORMAT
#define U MT_ERROR_UNSUPPORTED

/* ---- Entries --------------------------------------------------------------------------------- */

static const char text[] =
    "The quick brown fox jumps over the lazy dog, again and again and again.";

static void
test_entries(void)
{
  const zip_item items[] = {
      {.name = "b/", .bytes = "", .n = 0, .mode = 040755},
      {.name = "b/stored.txt", .bytes = text, .n = sizeof text},
      {.name = "a/deflated.txt", .bytes = text, .n = sizeof text, .deflate = TRUE},
      {.name = "c-short", .bytes = "xyz", .n = 3},
      {.name = "d..d/...", .bytes = "dots are letters", .n = 16},
      {.name = "empty", .bytes = "", .n = 0},
      {.name = "stra\xc3\x9f"
               "e",
       .bytes = "ss",
       .n = 2},
  };
  for (gsize alignment = 0; alignment <= 64; alignment += 64) {
    g_autoptr(GByteArray) bytes = zip_write(items, G_N_ELEMENTS(items), alignment);
    g_assert_true(mt_zip_is_zip(bytes->data, bytes->len));
    mt_error error = {0};
    g_autoptr(mt_zip) zip = mt_zip_open(bytes->data, bytes->len, "x.zip", &error);
    if (!zip)
      g_error("%s", error.message);
    g_assert_cmpuint(mt_zip_count(zip), ==, 6);
    for (gsize i = 0; i < 6; i++) {
      const mt_zip_entry *entry = mt_zip_get(zip, i);
      const zip_item *item = &items[i + 1];
      if (i < 5) /* the last has no flag that says UTF-8: its name is a guess of libzip's */
        g_assert_cmpstr(entry->name, ==, item->name);
      g_assert_cmpuint(entry->size, ==, item->n);
      gsize found = 99;
      g_assert_true(mt_zip_find(zip, entry->name, &found));
      g_assert_cmpuint(found, ==, i);
      char out[sizeof text + 1] = {0};
      g_assert_true(mt_zip_read(zip, i, out, &error));
      g_assert_cmpmem(out, entry->size, item->bytes, item->n);
      g_assert_cmpint(out[item->n], ==, 0);
      g_assert_cmpint(entry->offset == SIZE_MAX, ==, item->deflate || item->n == 0);
      if (entry->offset != SIZE_MAX) {
        g_assert_cmpmem(bytes->data + entry->offset, entry->size, item->bytes, item->n);
        if (alignment)
          g_assert_cmpuint(entry->offset % alignment, ==, 0);
      }
    }
    gsize i = 99;
    g_assert_false(mt_zip_find(zip, "b/", &i));
    g_assert_false(mt_zip_find(zip, "B/stored.txt", &i));
    g_assert_false(mt_zip_find(zip, "", &i));
    g_assert_cmpuint(i, ==, 99);
  }
}

static void
test_empty(void)
{
  g_autoptr(GByteArray) bytes = zip_write(NULL, 0, 0);
  mt_error error = {0};
  g_autoptr(mt_zip) zip = mt_zip_open(bytes->data, bytes->len, "x.zip", &error);
  if (!zip)
    g_error("%s", error.message);
  g_assert_cmpuint(mt_zip_count(zip), ==, 0);
  gsize i;
  g_assert_false(mt_zip_find(zip, "x", &i));
  mt_zip_free(NULL);
  g_assert_false(mt_zip_is_zip((const unsigned char *) "PK\3", 3));
  g_assert_false(mt_zip_is_zip((const unsigned char *) "PK\1\2", 4));
}

/* ---- Archives that are refused --------------------------------------------------------------- */

static void
assert_refused(const void *data, gsize n, mt_error_code code, const char *words)
{
  /* A copy that ends where the archive does, for AddressSanitizer. */
  g_autofree guint8 *bytes = g_malloc(n ? n : 1);
  if (n)
    memcpy(bytes, data, n);
  mt_error error = {0};
  g_assert_null(mt_zip_open(bytes, n, "x.zip", &error));
  g_test_message("%s", error.message);
  g_assert_cmpint(error.code, ==, code);
  g_assert_true(g_str_has_prefix(error.message, "x.zip: "));
  g_auto(GStrv) parts = g_strsplit(words, "|", -1);
  for (char **part = parts; *part; part++)
    if (!strstr(error.message, *part))
      g_error("expected \"%s\" in \"%s\"", *part, error.message);
}

static void
test_refused(void)
{
  static const struct {
    zip_item item;
    mt_error_code code;
    const char *words;
  } rows[] = {
      {{.name = "../up", .bytes = "x", .n = 1}, F, "names inside the archive|\"../up\""},
      {{.name = "a/../../up", .bytes = "x", .n = 1}, F, "names inside the archive"},
      {{.name = "a/..", .bytes = "x", .n = 1}, F, "names inside the archive"},
      {{.name = "..", .bytes = "x", .n = 1}, F, "names inside the archive"},
      {{.name = "/etc/passwd", .bytes = "x", .n = 1}, F, "names inside the archive"},
      {{.name = "a\\..\\b", .bytes = "x", .n = 1}, F, "names inside the archive"},
      {{.name = "C:windows", .bytes = "x", .n = 1}, F, "names inside the archive"},
      {{.name = "../folder/", .bytes = "", .n = 0}, F, "names inside the archive"},
      {{.name = "link", .bytes = "/etc/passwd", .n = 11, .mode = 0120777}, F, "the link \"link\""},
      {{.name = "x", .bytes = "x", .n = 1, .encrypted = TRUE}, U, "\"x\" encrypted"},
      {{.name = "x", .bytes = "x", .n = 1, .method = 12}, U, "stored or deflated|method 12"},
      {{.name = "x", .bytes = text, .n = sizeof text, .deflate = TRUE, .claimed_size = 1u << 30},
       F,
       "\"x\" promises 1073741824 bytes"},
      {{.name = "x", .bytes = text, .n = sizeof text, .deflate = TRUE, .claimed_size = 1u << 20},
       F,
       "\"x\" promises 1048576 bytes"},
      {{.name = "x", .bytes = "x", .n = 1, .claimed_size = 2}, F, "\"x\" promises 2 bytes"},
      {{.name = "", .bytes = "x", .n = 1}, F, "a name, a size and a check sum"},
      {{.name = "x", .bytes = "x", .n = 1, .local_name = "y"}, F, "damage"},
      {{.name = "x", .bytes = "x", .n = 1, .claimed_bytes = 1u << 30},
       F,
       "\"x\" to lie in the archive"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    const zip_item items[] = {{.name = "first", .bytes = "1", .n = 1}, rows[i].item};
    g_autoptr(GByteArray) bytes = zip_write(items, 2, 0);
    assert_refused(bytes->data, bytes->len, rows[i].code, rows[i].words);
  }
}

static void
test_names(void)
{
  zip_item items[] = {
      {.name = "twice", .bytes = "1", .n = 1},
      {.name = "once", .bytes = "2", .n = 1},
      {.name = "twice", .bytes = "3", .n = 1},
  };
  GByteArray *bytes = zip_write(items, 3, 0);
  assert_refused(bytes->data, bytes->len, F, "each name once|twice");
  g_byte_array_unref(bytes);

  g_autofree char *name = g_strnfill(1025, 'n');
  items[0].name = name;
  bytes = zip_write(items, 3, 0);
  assert_refused(bytes->data, bytes->len, F, "a name, a size and a check sum");
  g_byte_array_unref(bytes);
}

static void
test_too_many(void)
{
  g_autofree zip_item *items = g_new0(zip_item, 20001);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  for (int i = 0; i < 20001; i++) {
    g_ptr_array_add(names, g_strdup_printf("%d", i));
    items[i] = (zip_item){.name = g_ptr_array_index(names, i), .bytes = "x", .n = 1};
  }
  g_autoptr(GByteArray) bytes = zip_write(items, 20001, 0);
  assert_refused(bytes->data, bytes->len, F, "at most 20000 entries|20001");
}

static void
set_number(GByteArray *bytes, gsize at, guint64 value, guint n)
{
  for (guint i = 0; i < n; i++)
    bytes->data[at + i] = (guint8) (value >> (8 * i));
}

/* Counts that are refused before libzip looks at one entry. */
static void
test_promised_entries(void)
{
  gsize n = 1 << 20; /* long enough for so many */
  g_autofree char *zeros = g_malloc0(n);
  const zip_item item = {.name = "pad", .bytes = zeros, .n = n};
  GByteArray *bytes = zip_write(&item, 1, 0);
  gsize end = bytes->len - 22;
  set_number(bytes, end + 8, 20001, 2);
  set_number(bytes, end + 10, 20001, 2);
  assert_refused(bytes->data, bytes->len, F, "at most 20000 entries|20001");
  g_byte_array_unref(bytes);

  /* One entry, says the record of 32 bits; the one of 64 bits says more. */
  bytes = zip_write(&item, 1, 0);
  guint8 record[56 + 20] = "PK\6\6", last[22];
  memcpy(record + 56, "PK\6\7", 4);
  memcpy(last, bytes->data + end, sizeof last);
  g_byte_array_set_size(bytes, (guint) end);
  g_byte_array_append(bytes, record, sizeof record);
  g_byte_array_append(bytes, last, sizeof last);
  set_number(bytes, end + 4, 44, 8);
  set_number(bytes, end + 24, G_GUINT64_CONSTANT(1) << 40, 8);
  set_number(bytes, end + 32, G_GUINT64_CONSTANT(1) << 40, 8);
  set_number(bytes, end + 56 + 8, end, 8);
  set_number(bytes, end + 56 + 16, 1, 4);
  assert_refused(bytes->data, bytes->len, F, "at most 20000 entries|1099511627776");
  /* It counts, not the other: a writer may leave that at its largest. */
  set_number(bytes, end + 24, 1, 8);
  set_number(bytes, end + 32, 1, 8);
  guint end_record = bytes->len - 22;
  gsize directory = end - (46 + strlen(item.name));
  set_number(bytes, end + 40, end - directory, 8);
  set_number(bytes, end + 48, directory, 8);
  set_number(bytes, end_record + 8, 0xffff, 2);
  set_number(bytes, end_record + 10, 0xffff, 2);
  mt_error error = {0};
  g_autoptr(mt_zip) zip = mt_zip_open(bytes->data, bytes->len, "x.zip", &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpuint(mt_zip_count(zip), ==, 1);
  /* A locator that leads nowhere is damage, whatever libzip calls it. */
  set_number(bytes, end + 56 + 8, G_MAXUINT64, 8);
  assert_refused(bytes->data, bytes->len, F, "x.zip: ");
  g_byte_array_unref(bytes);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static void
assert_says_sums(const mt_error *error, const char *name, guint32 expected, guint32 found)
{
  g_autofree char *words =
      g_strdup_printf("x.zip: expected \"%s\" to have the check sum (CRC-32) %08x, found %08x",
                      name, expected, found);
  g_assert_cmpint(error->code, ==, F);
  if (!strstr(error->message, words))
    g_error("expected \"%s\" in \"%s\"", words, error->message);
}

/* The check sum is compared when an entry is read, at once or from its beginning to its end; what
 * is used where it lies is compared by who uses it. */
static void
test_check_sum(void)
{
  const guint32 right = mt_crc32(0, text, sizeof text);
  for (int deflate = 0; deflate < 2; deflate++) {
    const zip_item item = {
        .name = "x", .bytes = text, .n = sizeof text, .deflate = deflate, .wrong_crc = TRUE};
    g_autoptr(GByteArray) bytes = zip_write(&item, 1, 0);
    mt_error error = {0};
    g_autoptr(mt_zip) zip = mt_zip_open(bytes->data, bytes->len, "x.zip", &error);
    g_assert_nonnull(zip);
    char out[sizeof text];
    gsize n;
    g_assert_false(mt_zip_read(zip, 0, out, &error));
    assert_says_sums(&error, "x", right ^ 1, right);
    error = (mt_error){0};
    g_assert_true(mt_zip_read_start(zip, 0, out, sizeof text - 1, &n, NULL));
    g_assert_false(mt_zip_read_start(zip, 0, out, sizeof text, &n, &error));
    assert_says_sums(&error, "x", right ^ 1, right);
    if (!deflate) {
      const mt_sum sum = mt_zip_sum(zip, 0);
      error = (mt_error){0};
      g_assert_false(mt_sum_check(&sum, &error));
      assert_says_sums(&error, "x", right ^ 1, right);
    }
  }
}

/* An entry inside the bytes of another one: many of them would be read for ever. */
static void
test_shared_bytes(void)
{
  static const char zeros[4096];
  const zip_item inner = {.name = "b", .bytes = zeros, .n = sizeof zeros};
  g_autoptr(GByteArray) local = zip_write(&inner, 1, 0);
  const gsize n_local = 31 + sizeof zeros;
  const zip_item items[] = {{.name = "a", .bytes = local->data, .n = n_local}, inner};
  g_autoptr(GByteArray) bytes = zip_write(items, 2, 0);
  /* Its own copy goes, and the directory leads into "a". */
  g_byte_array_remove_range(bytes, (guint) (31 + n_local), (guint) n_local);
  const gsize end = bytes->len - 22, directory = 31 + n_local;
  set_number(bytes, directory + 47 + 42, 31, 4);
  set_number(bytes, end + 16, directory, 4);
  assert_refused(bytes->data, bytes->len, F, "entries side by side");
}

/* The sizes that the headers promise are not those of the data. */
static void
test_wrong_size(void)
{
  static const guint32 sizes[] = {1, sizeof text - 1, sizeof text + 1, 1000};
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    const zip_item item = {
        .name = "x", .bytes = text, .n = sizeof text, .deflate = TRUE, .claimed_size = sizes[i]};
    g_autoptr(GByteArray) bytes = zip_write(&item, 1, 0);
    mt_error error = {0};
    g_autoptr(mt_zip) zip = mt_zip_open(bytes->data, bytes->len, "x.zip", &error);
    g_assert_nonnull(zip);
    g_assert_cmpuint(mt_zip_get(zip, 0)->size, ==, sizes[i]);
    g_autofree char *out = g_malloc(sizes[i]);
    g_assert_false(mt_zip_read(zip, 0, out, &error));
    g_test_message("%s", error.message);
    g_assert_cmpint(error.code, ==, F);
  }
}

static GByteArray *
two_entries(void)
{
  const zip_item items[] = {
      {.name = "f/stored", .bytes = text, .n = sizeof text},
      {.name = "f/deflated", .bytes = text, .n = sizeof text, .deflate = TRUE},
  };
  return zip_write(items, 2, 16);
}

static void
test_truncated(void)
{
  g_autoptr(GByteArray) bytes = two_entries();
  for (guint n = 0; n < bytes->len; n++)
    assert_refused(bytes->data, n, F, "x.zip: ");
}

/* Every byte, replaced by some others: refused, or opened and read in whatever way. */
static void
test_any_byte(void)
{
  static const guint8 signs[] = {0, 1, 2, 8, 0x0a, 0x20, 0x40, 0x7f, 0x80, 0xff};
  g_autoptr(GByteArray) whole = two_entries();
  int n_opened = 0;
  for (guint i = 0; i < whole->len; i++)
    for (gsize k = 0; k < G_N_ELEMENTS(signs); k++) {
      g_autofree guint8 *bytes = g_memdup2(whole->data, whole->len);
      bytes[i] = signs[k];
      mt_error error = {0};
      g_autoptr(mt_zip) zip = mt_zip_open(bytes, whole->len, "x.zip", &error);
      n_opened += zip != NULL;
      for (gsize e = 0; zip && e < mt_zip_count(zip); e++) {
        const mt_zip_entry *entry = mt_zip_get(zip, e);
        g_assert_cmpuint(entry->size, <=, 1032 * whole->len);
        if (entry->offset != SIZE_MAX) {
          g_assert_cmpuint(entry->offset, <=, whole->len);
          g_assert_cmpuint(entry->size, <=, whole->len - entry->offset);
        }
        g_autofree void *out = g_malloc(entry->size + 1);
        mt_zip_read(zip, e, out, NULL);
      }
    }
  g_assert_cmpint(n_opened, >, 100);
  g_assert_cmpint(n_opened, <, (int) (whole->len * G_N_ELEMENTS(signs)));
}

/* ---- Models in archives ---------------------------------------------------------------------- */

typedef struct {
  const char *prefix; /* "opus/" */
  gboolean deflate;
  gsize alignment;
  const char *leave_out;
  const char *add;    /* an entry besides */
  const char *ending; /* ".zip" */
} packing;

/* An archive of a directory's files, in the directory; the caller removes it. */
static char *
pack(const model_dir *dir, const packing *how)
{
  g_autoptr(GArray) items = g_array_new(FALSE, TRUE, sizeof(zip_item));
  g_autoptr(GPtrArray) owned = g_ptr_array_new_with_free_func(g_free);
  GDir *listing = g_dir_open(dir->path, 0, NULL);
  const char *name;
  if (*how->prefix) {
    const zip_item folder = {.name = how->prefix, .bytes = "", .n = 0, .mode = 040755};
    g_array_append_val(items, folder);
  }
  while ((name = g_dir_read_name(listing))) {
    if (g_strcmp0(name, how->leave_out) == 0)
      continue;
    gsize n;
    char *bytes = model_dir_read(dir, name, &n);
    char *full = g_strconcat(how->prefix, name, NULL);
    g_ptr_array_add(owned, bytes);
    g_ptr_array_add(owned, full);
    const zip_item item = {.name = full, .bytes = bytes, .n = n, .deflate = how->deflate};
    g_array_append_val(items, item);
  }
  g_dir_close(listing);
  if (how->add) {
    const zip_item item = {.name = how->add, .bytes = "besides", .n = 7};
    g_array_append_val(items, item);
  }
  GByteArray *archive =
      zip_write((const zip_item *) (void *) items->data, items->len, how->alignment);
  char *path = g_strconcat(dir->path, how->ending ? how->ending : ".zip", NULL);
  GError *error = NULL;
  if (!g_file_set_contents(path, (const char *) archive->data, archive->len, &error))
    g_error("%s", error->message);
  g_byte_array_unref(archive);
  return path;
}

typedef struct {
  int calls, stop_at;
  int n_inflating; /* calls before the second half */
  double last;
} progress;

static bool
on_progress(void *user, double share)
{
  progress *p = user;
  g_assert_cmpfloat(share, >=, p->last);
  g_assert_cmpfloat(share, <=, 1);
  p->n_inflating += share > 0 && share <= 0.5;
  p->last = share;
  return ++p->calls != p->stop_at;
}

/* Inflating is told of, and can be cancelled at every call. */
static void
test_progress(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  g_autofree char *deflated = pack(dir, &(packing){.prefix = "", .deflate = TRUE});
  progress all = {0};
  mt_load_options options = {.on_progress = on_progress, .user = &all};
  mt_model *model = mt_model_open(deflated, &options, NULL);
  g_assert_nonnull(model);
  mt_model_unref(model);
  g_assert_cmpfloat(all.last, ==, 1);
  /* One for each file of the model at least. */
  g_assert_cmpint(all.n_inflating, >=, 5);
  for (int stop_at = 1; stop_at <= all.calls; stop_at++) {
    progress some = {.stop_at = stop_at};
    mt_error error = {0};
    options.user = &some;
    g_assert_null(mt_model_open(deflated, &options, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
    g_assert_cmpint(some.calls, ==, stop_at);
  }
  g_assert_cmpint(g_remove(deflated), ==, 0);
}

static void
test_models(void)
{
  static const packing ways[] = {
      {.prefix = ""},
      {.prefix = "", .alignment = 64},
      {.prefix = "", .deflate = TRUE},
      {.prefix = "opus-2020/"},
      {.prefix = "opus-2020/", .deflate = TRUE, .ending = ".ZIP"},
      {.prefix = "opus-2020/", .add = "__MACOSX/opus-2020/._config.json"},
      {.prefix = "", .add = "images/extra.png"},
      {.prefix = "", .ending = ".model"},
  };
  for (int is_torch = 0; is_torch < 2; is_torch++) {
    g_autoptr(model_dir) dir = model_dir_new();
    if (is_torch) {
      model_dir_remove(dir, "model.safetensors");
      model_dir_write_torch(dir, "pytorch_model.bin", 0, dir->tensors->len, DIR_F32);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(ways); i++) {
      g_autofree char *path = pack(dir, &ways[i]);
      assert_same_capture(dir->path, path, "the cat sat on the mat .");
      g_autoptr(mt_model) model = model_open_good(path);
      const char *ending = ways[i].ending ? ways[i].ending : ".zip";
      g_autofree char *base = g_path_get_basename(dir->path);
      g_autofree char *kept = g_strconcat(base, ending, NULL);
      g_assert_cmpstr(mt_model_name(model), ==, g_ascii_strcasecmp(ending, ".zip") ? kept : base);
      g_assert_cmpstr(mt_model_directory(model), ==, path);
      g_assert_cmpstr(mt_model_format(model), ==, is_torch ? "PyTorch" : "safetensors");
      g_assert_cmpint(g_remove(path), ==, 0);
      /* What is used from the archive stays, though its name is gone. */
      g_autoptr(mt_model) other = model_open_good(dir->path);
      assert_same_model(model, other, "the cat");
    }
  }
}

static void
test_missing_files(void)
{
  static const char *const names[] = {"config.json", "vocab.json", "source.spm", "target.spm"};
  g_autoptr(model_dir) dir = model_dir_new();
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = pack(dir, &(packing){.prefix = "opus/", .leave_out = names[i]});
    g_autofree char *words = g_strdup_printf(".zip/%s: |found nothing there", names[i]);
    model_open_bad(path, MT_ERROR_IO, words);
    g_remove(path);
  }
  g_autofree char *path = pack(dir, &(packing){.prefix = "", .leave_out = "model.safetensors"});
  model_open_bad(path, MT_ERROR_IO, ".zip: |model.safetensors or pytorch_model.bin");
  g_remove(path);
  /* Two folders: the model is in neither of them. */
  g_autofree char *two = pack(dir, &(packing){.prefix = "one/", .add = "two/config.json"});
  model_open_bad(two, MT_ERROR_IO, ".zip/config.json: |found nothing there");
  g_remove(two);
}

static void
test_not_a_model(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  g_autofree char *config = g_build_filename(dir->path, "config.json", NULL);
  model_open_bad(config, MT_ERROR_IO, "config.json: |a model folder or a zip archive|another file");
  model_dir_write(dir, "empty.zip", "", 0);
  g_autofree char *empty = g_build_filename(dir->path, "empty.zip", NULL);
  model_open_bad(empty, MT_ERROR_IO, "empty.zip: |a model folder or a zip archive");
  g_autofree char *none = g_build_filename(dir->path, "none.zip", NULL);
  model_open_bad(none, MT_ERROR_IO, "none.zip: |found nothing there");
  model_dir_write(dir, "cut.zip", "PK\3\4 and no more", -1);
  g_autofree char *cut = g_build_filename(dir->path, "cut.zip", NULL);
  model_open_bad(cut, F, "cut.zip: |cut off");
  const zip_item link = {.name = "config.json", .bytes = "/etc/passwd", .n = 11, .mode = 0120777};
  g_autoptr(GByteArray) bytes = zip_write(&link, 1, 0);
  model_dir_write(dir, "link.zip", (const char *) bytes->data, (gssize) bytes->len);
  g_autofree char *path = g_build_filename(dir->path, "link.zip", NULL);
  model_open_bad(path, F, "link.zip: |the link \"config.json\"");
}

/* A file that is damaged inside its archive is named as what it is. */
static void
test_damaged_files(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  gsize n;
  g_autofree char *config = model_dir_read(dir, "config.json", &n);
  const zip_item item = {
      .name = "config.json", .bytes = config, .n = n, .deflate = TRUE, .wrong_crc = TRUE};
  g_autoptr(GByteArray) bytes = zip_write(&item, 1, 0);
  model_dir_write(dir, "x.zip", (const char *) bytes->data, (gssize) bytes->len);
  g_autofree char *path = g_build_filename(dir->path, "x.zip", NULL);
  model_open_bad(path, F, "x.zip: |\"config.json\" to have the check sum");
}

/* One bit of a stored entry. */
static void
flip(const char *path, gsize at)
{
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
  bytes[at] = (char) (bytes[at] ^ 1);
  g_assert_true(g_file_set_contents(path, bytes, (gssize) n, NULL));
}

/* One bit of any file, which may well be another good number: the file is named, and both sums. */
static void
test_flipped_bits(void)
{
  static const char *const names[] = {"config.json", "vocab.json", "source.spm", "target.spm",
                                      NULL};
  for (int is_torch = 0; is_torch < 2; is_torch++) {
    g_autoptr(model_dir) dir = model_dir_new();
    const char *weights = is_torch ? "pytorch_model.bin" : "model.safetensors";
    if (is_torch) {
      model_dir_remove(dir, "model.safetensors");
      model_dir_write_torch(dir, weights, 0, dir->tensors->len, DIR_F32);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
      g_autofree char *path = pack(dir, &(packing){.prefix = "opus/"}), *bytes = NULL;
      g_autofree char *base = g_path_get_basename(path);
      const char *name = names[i] ? names[i] : weights;
      g_autofree char *full = g_strconcat("opus/", name, NULL);
      gsize n, entry;
      g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
      mt_zip *zip = mt_zip_open((unsigned char *) bytes, n, "x", NULL);
      g_assert_true(mt_zip_find(zip, full, &entry));
      flip(path, mt_zip_get(zip, entry)->offset + mt_zip_get(zip, entry)->size * 3 / 4);
      const guint32 right = mt_zip_get(zip, entry)->crc;
      mt_zip_free(zip);
      g_autofree char *words =
          g_strdup_printf("%s: expected \"%s\" to have the check sum (CRC-32) %08x, found ", base,
                          full, right);
      /* Of weights in an archive in an archive either sum may be found wrong first. */
      model_open_bad(path, F, is_torch && !names[i] ? "to have the check sum (CRC-32)" : words);
      g_remove(path);
    }
  }
}

/* ---- Memory that runs out -------------------------------------------------------------------- */

static void
test_no_memory(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  for (int deflate = 0; deflate < 2; deflate++) {
    g_autofree char *path = pack(dir, &(packing){.prefix = "opus/", .deflate = deflate});
    int n_failed = 0;
    for (bool done = false; !done;) {
      mt_error error = {0};
      few_then_all_fail(n_failed);
      g_autoptr(mt_model) model = mt_model_open(path, NULL, &error);
      few_end();
      g_assert_cmpint(error.code, ==, model ? MT_OK : MT_ERROR_NO_MEMORY);
      done = model != NULL;
      n_failed += n_failed < 40 ? 1 : 7;
    }
    g_assert_cmpint(n_failed, >, 40);
    g_remove(path);
  }
}

TESTS()
{
  g_test_add_func("/zip/entries", test_entries);
  g_test_add_func("/zip/empty", test_empty);
  g_test_add_func("/zip/refused", test_refused);
  g_test_add_func("/zip/names", test_names);
  g_test_add_func("/zip/too-many", test_too_many);
  g_test_add_func("/zip/promised-entries", test_promised_entries);
  g_test_add_func("/zip/check-sum", test_check_sum);
  g_test_add_func("/zip/shared-bytes", test_shared_bytes);
  g_test_add_func("/zip/wrong-size", test_wrong_size);
  g_test_add_func("/zip/truncated", test_truncated);
  g_test_add_func("/zip/any-byte", test_any_byte);
  g_test_add_func("/zip/models", test_models);
  g_test_add_func("/zip/progress", test_progress);
  g_test_add_func("/zip/missing-files", test_missing_files);
  g_test_add_func("/zip/not-a-model", test_not_a_model);
  g_test_add_func("/zip/damaged-files", test_damaged_files);
  g_test_add_func("/zip/flipped-bits", test_flipped_bits);
  g_test_add_func("/zip/no-memory", test_no_memory);
}
