/* test-hostile.c — files that were made to hurt, in every kind of container: what they promise is
 * not believed, and nothing large is allocated for it.
 *
 * What is merely broken is in test-load-broken.c, test-marian-broken.c, test-torch.c, test-zip.c,
 * test-npy.c, test-pickle-damage.c, test-yaml.c, test-json.c and test-capture-refused.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "capture-file.h"
#include "engine-test.h"
#include "marian-dir.h"
#include "pickle-writer.h"
#include "suite.h"
#include "zip-writer.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define BIN    "pytorch_model.bin"
#define TENSOR "model.safetensors"
#define INDEX  "model.safetensors.index.json"
#define NPZ    "opus.spm32k-spm32k.transformer-align.model1.npz.best-perplexity.npz"
#define F      MT_ERROR_FORMAT
#define U      MT_ERROR_UNSUPPORTED
#define IO     MT_ERROR_IO

static const char garbage[4096];

/* ---- What is allocated meanwhile ------------------------------------------------------------- */

/* More than the good parts of these models take, and than mt-zip.c asks for to see whether there is
 * memory; much less than what is promised. */
#define CHEAP ((size_t) 16 << 20)

static atomic_size_t largest;

static bool
note_size(size_t bytes)
{
  size_t before = atomic_load(&largest);
  while (bytes > before && !atomic_compare_exchange_weak(&largest, &before, bytes))
    ;
  return true;
}

/* As model_open_bad, and the engine asks for no more than CHEAP bytes at once. */
static void
refuse(const char *path, mt_error_code code, const char *words)
{
  atomic_store(&largest, 0);
  mt_alloc_set_hook(note_size);
  model_open_bad(path, code, words);
  mt_alloc_set_hook(NULL);
  if (atomic_load(&largest) > CHEAP)
    g_error("%s: %zu bytes were allocated", words, atomic_load(&largest));
}

static void
refuse_capture(mt_error_code code, const char *message)
{
  atomic_store(&largest, 0);
  mt_alloc_set_hook(note_size);
  assert_capture_refused(code, message);
  mt_alloc_set_hook(NULL);
  g_assert_cmpuint(atomic_load(&largest), <=, CHEAP);
}

/* As something that may hold what a model's archive holds. */
static void
refuse_archive(const char *path, const char *words)
{
  static const mt_archive_rule rules[] = {{"config.json", G_MAXSIZE / 4}, {"zip64", G_MAXSIZE / 4}};
  mt_error error = {0};
  atomic_store(&largest, 0);
  mt_alloc_set_hook(note_size);
  g_assert_null(mt_archive_read(path, "files", rules, 2, G_MAXSIZE / 4, &error));
  mt_alloc_set_hook(NULL);
  g_assert_cmpint(error.code, ==, F);
  g_assert_nonnull(strstr(error.message, words));
  g_assert_cmpuint(atomic_load(&largest), <=, CHEAP);
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* A file that is mostly a hole: it has this size and takes no room. */
static void
make_sparse(const model_dir *dir, const char *file, const char *begin, gsize n_begin, gint64 size)
{
  model_dir_write(dir, file, begin, (gssize) n_begin);
  g_autofree char *path = g_build_filename(dir->path, file, NULL);
  g_assert_cmpint(truncate(path, size), ==, 0);
}

/* Text files and tokenizers of a size that none has are not even looked at. */
static void
test_large_files(void)
{
  static const struct {
    const char *file;
    gint64 size;
    const char *words;
  } rows[] = {
      {"config.json", 100000001, "/config.json: expected at most 100000000 bytes, found 100000001"},
      {"generation_config.json", G_GINT64_CONSTANT(1) << 40,
       "/generation_config.json: expected at most 100000000 bytes, found 1099511627776"},
      {"tokenizer_config.json", 100000001, "/tokenizer_config.json: expected at most 100000000"},
      {"vocab.json", 100000001, "/vocab.json: expected at most 100000000 bytes"},
      {"source.spm", (1 << 28) + 1,
       "/source.spm: expected at most 268435456 bytes, found 268435457"},
      {"target.spm", (1 << 28) + 1, "/target.spm: expected at most 268435456 bytes"},
      {INDEX, 100000001, INDEX ": expected at most 100000000 bytes"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(model_dir) dir = model_dir_new();
    if (g_str_equal(rows[i].file, INDEX))
      model_dir_remove(dir, TENSOR);
    make_sparse(dir, rows[i].file, "{", 1, rows[i].size);
    refuse(dir->path, F, rows[i].words);
  }
  static const char *const yamls[] = {"decoder.yml", "opus.spm32k-spm32k.vocab.yml"};
  for (gsize i = 0; i < G_N_ELEMENTS(yamls); i++) {
    g_autoptr(marian_dir) marian = marian_dir_new("post-norm");
    make_sparse(marian->dir, yamls[i], "a: ", 3, (64 << 20) + 1);
    g_autofree char *words =
        g_strdup_printf("/%s: expected at most 67108864 bytes, found 67108865", yamls[i]);
    refuse(marian->dir->path, F, words);
  }
}

/* A safetensors header that is there, but longer than any; and offsets beyond everything. */
static void
test_safetensors(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  const guint64 length = GUINT64_TO_LE(100000001);
  make_sparse(dir, TENSOR, (const char *) &length, sizeof length, 100000100);
  refuse(dir->path, F,
         TENSOR " (header): expected at most 100000000 bytes of JSON, found 100000001");

  static const guint64 lengths[] = {100, G_MAXUINT64, G_MAXUINT64 - 7, G_MAXINT64, 1u << 31};
  for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
    guint64 bytes[2] = {GUINT64_TO_LE(lengths[i]), 0x7b7b7b7b};
    model_dir_write(dir, TENSOR, (const char *) bytes, sizeof bytes);
    g_autofree char *words =
        g_strdup_printf("/" TENSOR ": expected a safetensors header of %" G_GUINT64_FORMAT " bytes",
                        lengths[i]);
    refuse(dir->path, F, words);
  }

  model_dir_write_header(
      dir, TENSOR,
      "{\"model.shared.weight\":{\"dtype\":\"F32\",\"shape\":[4503599627370496,8],"
      "\"data_offsets\":[0,144115188075855872]}}",
      64);
  refuse(dir->path, F, "data_offsets");
  model_dir_write_header(dir, TENSOR,
                         "{\"model.shared.weight\":{\"dtype\":\"F32\",\"shape\":[1099511627776,8],"
                         "\"data_offsets\":[0,35184372088832]}}",
                         64);
  refuse(dir->path, F, "expected 35184372088832 bytes|found 64");
}

/* ---- Counts ---------------------------------------------------------------------------------- */

#define MANY 20001

static void
test_many_tensors(void)
{
  g_autoptr(GString) header = g_string_new("{"), index = g_string_new("{\"weight_map\": {");
  for (int i = 0; i < MANY; i++) {
    g_string_append_printf(header,
                           "%s\"%d\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}",
                           i ? "," : "", i);
    g_string_append_printf(index, "%s\"%d\": \"a.safetensors\"", i ? "," : "", i);
  }
  g_string_append(header, "}");
  g_string_append(index, "}}");
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_write_header(dir, TENSOR, header->str, 0);
  model_open_bad(dir->path, F, TENSOR " (header): expected at most 20000 tensors, found 20001");
  model_dir_remove(dir, TENSOR);
  model_dir_write(dir, INDEX, index->str, -1);
  model_open_bad(dir->path, F, INDEX ": expected at most 20000 tensors, found 20001");
}

static void
test_many_shards(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_remove(dir, TENSOR);
  g_autoptr(GString) index = g_string_new("{\"weight_map\": {");
  for (int i = 0; i < 1001; i++) {
    g_autofree char *file = g_strdup_printf("%d.safetensors", i);
    g_autofree char *header =
        g_strdup_printf("{\"%d\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", i);
    model_dir_write_header(dir, file, header, 4);
    g_string_append_printf(index, "%s\"%d\": \"%s\"", i ? "," : "", i, file);
  }
  g_string_append(index, "}}");
  model_dir_write(dir, INDEX, index->str, -1);
  refuse(dir->path, F, INDEX ": expected at most 1000 shards, found more.");
}

/* A folder with more files than are worth looking at, when it has to be looked through. */
static void
test_many_files(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_remove(dir, "config.json");
  model_dir_write(dir, "decoder.yml", "models: [a.npz]\n", -1);
  for (int i = 0; i < MANY; i++) { /* links are made faster than files */
    g_autofree char *path = g_strdup_printf("%s/%d", dir->path, i);
    g_assert_cmpint(symlink("nowhere", path), ==, 0);
  }
  refuse(dir->path, F, "expected at most 20000 files, found more.");
}

/* ---- Depth ----------------------------------------------------------------------------------- */

static void
test_deep_json(void)
{
  static const char *const files[] = {"config.json", "generation_config.json",
                                      "tokenizer_config.json", "vocab.json", INDEX};
  /* Lists in lists, objects in objects, and so deep that a recursion would end the stack. */
  g_autoptr(GString) lists = g_string_new("{\"a\": "), objects = g_string_new("");
  for (int i = 0; i < 1000000; i++)
    g_string_append_c(lists, '[');
  for (int i = 0; i < 100000; i++)
    g_string_append(objects, "{\"a\":");
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    model_dir *dir = model_dir_new();
    if (g_str_equal(files[i], INDEX))
      model_dir_remove(dir, TENSOR);
    g_autofree char *words = g_strdup_printf("/%s: |at most 32 levels deep", files[i]);
    model_dir_write(dir, files[i], lists->str, (gssize) lists->len);
    refuse(dir->path, F, words);
    model_dir_write(dir, files[i], objects->str, (gssize) objects->len);
    refuse(dir->path, F, words);
    model_dir_free(dir);
  }
  model_dir *dir = model_dir_new();
  model_dir_write_header(dir, TENSOR, objects->str, 64);
  refuse(dir->path, F, "/" TENSOR " (header): |at most 32 levels deep");
  model_dir_free(dir);
}

/* ---- Archives -------------------------------------------------------------------------------- */

static const struct {
  zip_item item;
  const char *words;
} evil[] = {
    {{.name = "../up", .bytes = "x", .n = 1}, "names inside the archive, found \"../up\""},
    {{.name = "/etc/passwd", .bytes = "x", .n = 1}, "names inside the archive, found \"/etc"},
    {{.name = "link", .bytes = "/etc/passwd", .n = 11, .mode = 0120777}, "found the link \"link\""},
    {{.name = "bomb",
      .bytes = garbage,
      .n = sizeof garbage,
      .deflate = TRUE,
      .claimed_size = 1 << 30},
     "\"bomb\" promises 1073741824 bytes, too many"},
    {{.name = "zip64", .bytes = "x", .n = 1, .zip64_size = G_MAXUINT64},
     "\"zip64\" to lie in the archive, found 18446744073709551615 bytes promised"},
    {{.name = "zip64",
      .bytes = "x",
      .n = 1,
      .deflate = TRUE,
      .zip64_size = G_GUINT64_CONSTANT(1) << 62},
     "\"zip64\" promises 4611686018427387904 bytes, too many"},
    {{.name = "zip64", .bytes = "x", .n = 1, .zip64_size = G_GUINT64_CONSTANT(1) << 40},
     "\"zip64\" promises 1099511627776 bytes, too many"},
};

/* Every container that is an archive: a model's, PyTorch's, Marian's, a capture's. */
static void
test_archives(void)
{
  g_autoptr(model_dir) folder = model_dir_new(), torch = model_dir_new();
  g_autoptr(marian_dir) marian = marian_dir_new("post-norm");
  model_dir_remove(torch, TENSOR);
  g_autofree char *zip = g_build_filename(folder->path, "model.zip", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(evil); i++) {
    const zip_item items[] = {{.name = "config.json", .bytes = "{}", .n = 2}, evil[i].item};
    g_autoptr(GByteArray) bytes = zip_write(items, 2, 0);
    const char *data = (const char *) bytes->data;
    model_dir_write(folder, "model.zip", data, (gssize) bytes->len);
    g_autofree char *in_zip = g_strconcat("model.zip: |", evil[i].words, NULL);
    refuse(zip, F, in_zip);
    model_dir_write(torch, BIN, data, (gssize) bytes->len);
    g_autofree char *in_torch = g_strconcat("/" BIN ": |", evil[i].words, NULL);
    refuse(torch->path, F, in_torch);
    model_dir_write(marian->dir, NPZ, data, (gssize) bytes->len);
    g_autofree char *in_npz = g_strconcat("/" NPZ ": |", evil[i].words, NULL);
    refuse(marian->dir->path, F, in_npz);
    g_assert_true(g_file_set_contents(capture_file_path, data, (gssize) bytes->len, NULL));
    refuse_capture(F, "x.npz: ");
    refuse_capture(F, evil[i].words);
    refuse_archive(capture_file_path, evil[i].words);
  }
}

/* Entries that really become what they promise, but much more than such a file ever is. */
static void
test_bombs(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  g_autofree char *path = g_build_filename(dir->path, "model.zip", NULL);
  gsize n = 20 << 20; /* 20 kB of the archive */
  g_autofree char *spaces = g_strnfill(n, ' ');
  const zip_item item = {.name = "config.json", .bytes = spaces, .n = n, .deflate = TRUE};
  GByteArray *bytes = zip_write(&item, 1, 0);
  model_dir_write(dir, "model.zip", (const char *) bytes->data, (gssize) bytes->len);
  g_byte_array_unref(bytes);
  /* Below every limit: it is inflated, and is no JSON. */
  model_open_bad(path, F, "model.zip/config.json: |JSON");
  g_free(g_steal_pointer(&spaces));

  n = 68 << 20; /* above 64 MiB a file that shrinks more than 32-fold is none */
  spaces = g_strnfill(n, ' ');
  const zip_item larger = {.name = "config.json", .bytes = spaces, .n = n, .deflate = TRUE};
  bytes = zip_write(&larger, 1, 0);
  model_dir_write(dir, "model.zip", (const char *) bytes->data, (gssize) bytes->len);
  g_byte_array_unref(bytes);
  refuse(path, F, "model.zip: |\"config.json\" promises 71303168 bytes, too many");

  /* The same, not compressed: PyTorch's pickle has a limit of its own. */
  const zip_item items[] = {{.name = "a/data.pkl", .bytes = spaces, .n = n},
                            {.name = "a/version", .bytes = "3", .n = 1}};
  bytes = zip_write(items, 2, 0);
  model_dir_remove(dir, TENSOR);
  model_dir_write(dir, BIN, (const char *) bytes->data, (gssize) bytes->len);
  g_byte_array_unref(bytes);
  refuse(dir->path, F, "/" BIN ": expected at most 67108864 bytes in data.pkl, found 71303168");
}

/* ---- Promises inside of archives ------------------------------------------------------------- */

static void
test_torch(void)
{
  static const struct {
    pickle_view view;
    const char *words;
  } rows[] = {
      {{"FloatStorage", "0", G_GINT64_CONSTANT(1) << 40, 0, 1, {G_GINT64_CONSTANT(1) << 40}, {1}},
       "4398046511104 bytes|found 4"},
      /* More than the storage has, but not used: the tensor itself lies in it. */
      {{"FloatStorage", "0", G_MAXINT64, 0, 1, {1}, {1}}, "model.shared.weight|no such tensor"},
      {{"FloatStorage", "0", 1, 0, 2, {G_MAXINT64, G_MAXINT64}, {1, 1}}, "\"w\""},
      {{"FloatStorage", "0", 1, G_MAXINT64, 1, {1}, {1}}, "\"w\""},
      {{"FloatStorage", "0", 1, 0, 2, {2, 2}, {G_MAXINT64, G_MAXINT64}}, "\"w\""},
      {{"FloatStorage", "0", -1, 0, 1, {1}, {1}}, "a storage that is not described"},
      {{"FloatStorage", "0", 1, -1, 1, {1}, {1}}, "\"w\""},
  };
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_remove(dir, TENSOR);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    pickle *p = pickle_of("}%s%ts.", "w", &rows[i].view);
    g_autoptr(GByteArray) bytes = torch_archive(p, &(torch_storage){"1234", 4}, 1);
    model_dir_write(dir, BIN, (const char *) bytes->data, (gssize) bytes->len);
    g_autofree char *words = g_strconcat("/" BIN ": |", rows[i].words, NULL);
    refuse(dir->path, F, words);
  }
}

/* Shapes of arrays, compressed too, in weights and in captures. */
static void
test_arrays(void)
{
  static const struct {
    const char *shape, *words;
  } rows[] = {
      {"(1, 1, 1048576, 1048576)", "found 4096"},
      {"(1, 1, 4294967296, 4294967296)", "needs more than there can be"},
      {"(9223372036854775807, 9223372036854775807, 9, 9)", "needs more than there can be"},
      {"(1, 1, 18446744073709551615, 1)", "needs more than there can be"},
      {"(1, 1, 99999999999999999999, 1)", "expected a header"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    for (int deflated = 0; deflated < 2; deflated++) {
      BUILD({"attentions.npy", npy_bytes("<f4", rows[i].shape, garbage, sizeof garbage), deflated});
      refuse_capture(F, "x.npz/attentions.npy: ");
      refuse_capture(F, rows[i].words);
      g_autoptr(marian_dir) marian = marian_dir_new("post-norm");
      marian_dir_set(marian, "Wemb", npy_bytes("<f4", rows[i].shape, garbage, sizeof garbage));
      marian_dir_write(marian, deflated);
      g_autofree char *words = g_strconcat("Wemb|", rows[i].words, NULL);
      refuse(marian->dir->path, F, words);
    }
}

static void
test_captures(void)
{
  g_autofree char *zeros = g_malloc0(4 * 4097);
  BUILD({"attentions.npy", npy_even_weights("(1, 1, 2, 2)", 4, 2)},
        {"encoder_positions.npy", npy_even_weights("(2, 3)", 6, 1)},
        {"decoder_positions.npy", npy_even_weights("(2, 4)", 8, 1)});
  refuse_capture(F, "expected 3 dimensions, as in \"encoder_positions\", found 4.");
  BUILD({"attentions.npy", npy_even_weights("(1, 1, 2, 2)", 4, 2)},
        {"encoder_positions.npy", npy_even_weights("(2, 3)", 6, 1)},
        {"position_kind.npy", npy_scalar_text("halves")});
  refuse_capture(F, "expected an even number of dimensions, sines and cosines, found 3.");
  BUILD({"cross_attentions.npy", npy_even_weights("(1, 1, 2, 2)", 4, 2)},
        {"decoder_tokens.npy", npy_bytes("<U1", "(4097,)", zeros, 4 * 4097)},
        {"output_tokens.npy", npy_bytes("<U1", "(4097,)", zeros, 4 * 4097)});
  refuse_capture(F, "x.npz/output_tokens.npy: expected text");
}

/* ---- Marian ---------------------------------------------------------------------------------- */

static void
refuse_marian(marian_dir *marian, mt_error_code code, const char *words)
{
  marian_dir_write(marian, FALSE);
  model_open_bad(marian->dir->path, code, words);
  marian_dir_free(marian);
}

static void
test_marian(void)
{
  marian_dir *marian = marian_dir_new("post-norm");
  marian_dir_replace_yml(marian, "dim-emb: 8", "dim-emb: 9");
  marian_dir_replace_yml(marian, "transformer-heads: 2", "transformer-heads: 3");
  refuse_marian(marian, U, "expected an even dim-emb for sinusoidal positions, found 9.");
  marian = marian_dir_new("post-norm");
  marian_dir_replace_yml(marian, "dim-emb: 8", "dim-emb: 16384");
  refuse_marian(marian, U, "expected a dim-emb of at most 8192 for sinusoidal positions");

  marian = marian_dir_new("post-norm");
  g_autofree char *zeros = g_malloc0(2 * 1048577);
  marian_dir_set(marian, "Wpos", npy_bytes("<f2", "(1048577, 1)", zeros, 2 * 1048577));
  refuse_marian(marian, F, "expected at most 1048576 positions, found 1048577.");

  marian = marian_dir_new("post-norm");
  g_autofree char *name = g_strnfill(201, 'n');
  marian_dir_set(marian, name, npy_bytes("<f4", "(1,)", zeros, 4));
  refuse_marian(marian, F, "expected a name of at most 200 bytes.");
}

/* A list of pieces, one a line, that is not of this matrix; and one that is no text. */
static void
test_lines(void)
{
  g_autoptr(marian_dir) marian = marian_dir_new("post-norm");
  model_dir_write(marian->dir, "decoder.yml",
                  "models: [" NPZ "]\nvocabs: [lines.vocab, lines.vocab]\n", -1);
  g_autoptr(GString) lines = g_string_new("</s>\n<unk>\n");
  for (int i = 0; i < 100000; i++)
    g_string_append_printf(lines, "%d\n", i);
  model_dir_write(marian->dir, "lines.vocab", lines->str, -1);
  refuse(marian->dir->path, F,
         "/lines.vocab: expected 124 pieces, the vocabulary size of "
         "special:model.yml, found more.");
  model_dir_write(marian->dir, "lines.vocab", "</s>\n<unk>\n\xff\xfe\n", -1);
  refuse(marian->dir->path, F, "/lines.vocab: expected lines of text in UTF-8, found something");
  model_dir_write(marian->dir, "lines.vocab", "</s>\n<unk>\na\0b\n", 14);
  refuse(marian->dir->path, F, "/lines.vocab: expected lines of text in UTF-8, found something");
  model_dir_write(marian->dir, "lines.vocab", "</s>\n<unk>\na\n", -1);
  refuse(marian->dir->path, F, "of special:model.yml, found 3.");
}

/* ---- Time ------------------------------------------------------------------------------------ */

#define BLOCK 8 /* letters */

static void
write_block(guint i, char *block)
{
  i *= 2654435761u; /* neighbours differ in every letter */
  for (int k = 0; k < BLOCK; k++, i >>= 4)
    block[k] = (char) ('a' + (i & 15));
}

/* Two blocks of letters after which a hash (FNV-1a, as in mt-vocab.c) is the same. */
static guint32
find_collision(guint32 before, char blocks[2][BLOCK + 1])
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < 1u << 20; i++) {
    guint32 hash = before;
    gpointer other;
    write_block(i, blocks[1]);
    for (int k = 0; k < BLOCK; k++)
      hash = (hash ^ (guchar) blocks[1][k]) * 16777619u;
    if (g_hash_table_lookup_extended(seen, GUINT_TO_POINTER(hash), NULL, &other)) {
      write_block(GPOINTER_TO_UINT(other), blocks[0]);
      return hash;
    }
    g_hash_table_insert(seen, GUINT_TO_POINTER(hash), GUINT_TO_POINTER(i));
  }
  g_assert_not_reached();
}

/* 2^12 pieces with one hash: every one in a row of 12 blocks that are the one or the other (Joux
 * 2004). With 2^20 of them a table would take hours to fill. */
static void
test_collisions(void)
{
  enum { N_BLOCKS = 12 };
  char blocks[N_BLOCKS][2][BLOCK + 1] = {0};
  guint32 hash = 2166136261u;
  for (int k = 0; k < N_BLOCKS; k++)
    hash = find_collision(hash, blocks[k]);
  g_autoptr(GString) vocab = g_string_new("{\"</s>\": 0, \"<unk>\": 1");
  for (guint i = 0; i < 1u << N_BLOCKS; i++) {
    g_string_append(vocab, ", \"");
    for (int k = 0; k < N_BLOCKS; k++)
      g_string_append(vocab, blocks[k][i >> k & 1]);
    g_string_append(vocab, "\": 2");
  }
  g_string_append(vocab, "}");
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_write(dir, "vocab.json", vocab->str, -1);
  model_open_bad(dir->path, F,
                 "/vocab.json: expected words, found pieces that were chosen to be slow to tell");
}

/* libyaml compares every directive with all before it: a file of them took hours. */
static void
test_directives(void)
{
  g_autoptr(GString) yaml = g_string_new(NULL);
  for (int i = 0; i < 500000; i++)
    g_string_append_printf(yaml, "%%TAG !%x! x\n", i);
  g_string_append(yaml, "--- {models: [a.npz]}\n");
  g_autoptr(marian_dir) marian = marian_dir_new("post-norm");
  model_dir_write(marian->dir, "decoder.yml", yaml->str, (gssize) yaml->len);
  refuse(marian->dir->path, F,
         "/decoder.yml: expected at most 16 lines that start with \"%\", found more.");
}

/* ---- Pieces and characters that become long texts --------------------------------------------
 */

static void
test_long_pieces(void)
{
  g_autofree char *piece = g_strnfill(1025, 'p');
  g_autofree char *json = g_strdup_printf("\"%s\": 5, \"</s>\"", piece);
  g_autofree char *yaml = g_strdup_printf("? %s\n: 5\n\"</s>\"", piece);
  model_dir *dir = model_dir_new();
  model_dir_replace(dir, "vocab.json", "\"</s>\"", json);
  refuse(dir->path, F, "/vocab.json: expected pieces of at most 1024 bytes, found one of 1025.");
  model_dir_free(dir);
  g_autoptr(marian_dir) marian = marian_dir_new("post-norm");
  model_dir_replace(marian->dir, "opus.spm32k-spm32k.vocab.yml", "\"</s>\"", yaml);
  refuse(marian->dir->path, F, "vocab.yml: expected pieces of at most 1024 bytes");
}

static void
append_varint(GByteArray *out, guint32 value)
{
  for (; value > 127; value >>= 7)
    g_byte_array_append(out, (const guint8[]){(guint8) (value | 128)}, 1);
  g_byte_array_append(out, (const guint8[]){(guint8) value}, 1);
}

/* A field of a protocol buffer with these bytes in it. */
static GByteArray *
field(guint number, const void *bytes, gsize n)
{
  GByteArray *out = g_byte_array_new();
  append_varint(out, number << 3 | 2);
  append_varint(out, (guint32) n);
  g_byte_array_append(out, bytes, (guint) n);
  return out;
}

/* source.spm and one field more, inside of another. */
static void
append_field(const model_dir *dir, guint outer, guint inner, const void *bytes, gsize n)
{
  gsize size;
  g_autofree char *spm = model_dir_read(dir, "source.spm", &size);
  g_autoptr(GByteArray) content = field(inner, bytes, n);
  g_autoptr(GByteArray) whole = field(outer, content->data, content->len);
  g_byte_array_prepend(whole, (const guint8 *) spm, (guint) size);
  model_dir_write(dir, "source.spm", (const char *) whole->data, (gssize) whole->len);
}

static void
test_long_replacements(void)
{
  /* A table of 256 units that lead nowhere, and one replacement. */
  guint8 table[4 + 1024 + 130] = {0, 4};
  memset(table + 4 + 1024, 'r', 129);
  for (gsize n = 128; n <= 129; n++) {
    model_dir *dir = model_dir_new();
    memset(table + 4 + 1024 + n, 0, 130 - n);
    append_field(dir, 3, 2, table, 4 + 1024 + n + 1);
    mt_error error = {0};
    g_autoptr(mt_model) model = n > 128 ? NULL : mt_model_open(dir->path, NULL, &error);
    if (n > 128)
      refuse(dir->path, F, "/source.spm: |damage in its table of character replacements");
    else if (!model) /* newer SentencePiece looks at the units by itself */
      g_assert_nonnull(strstr(error.message, "/source.spm: expected a SentencePiece model"));
    model_dir_free(dir);
    memset(table + 4 + 1024, 'r', 129);
  }
  for (gsize n = 128; n <= 129; n++) { /* what stands for unknown pieces */
    model_dir *dir = model_dir_new();
    append_field(dir, 2, 44, table + 4 + 1024, n);
    if (n > 128)
      refuse(dir->path, F, "/source.spm: |damage in what it says of its training");
    else
      mt_model_unref(model_open_good(dir->path));
    model_dir_free(dir);
  }
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* A link to itself, as a file, as the folder, and as the archive. */
static void
test_link_loops(void)
{
  static const char *const files[] = {"config.json", "source.spm"};
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autoptr(model_dir) dir = model_dir_new();
    model_dir_remove(dir, files[i]);
    g_autofree char *path = g_build_filename(dir->path, files[i], NULL);
    g_assert_cmpint(symlink(files[i], path), ==, 0);
    g_autofree char *words =
        g_strdup_printf("/%s: the file cannot be opened (%s)", files[i], g_strerror(ELOOP));
    refuse(dir->path, IO, words);
    refuse(path, IO, "the folder cannot be opened");
  }
  g_remove(capture_file_path);
  g_assert_cmpint(symlink("x.npz", capture_file_path), ==, 0);
  refuse_capture(IO, "/x.npz: the file cannot be opened");
  g_remove(capture_file_path);
}

static void
tear_down(void)
{
  capture_file_tear_down();
}

TESTS(.end = tear_down)
{
  capture_file_set_up();
  g_test_add_func("/hostile/large-files", test_large_files);
  g_test_add_func("/hostile/safetensors", test_safetensors);
  g_test_add_func("/hostile/many-tensors", test_many_tensors);
  g_test_add_func("/hostile/many-shards", test_many_shards);
  g_test_add_func("/hostile/many-files", test_many_files);
  g_test_add_func("/hostile/deep-json", test_deep_json);
  g_test_add_func("/hostile/archives", test_archives);
  g_test_add_func("/hostile/bombs", test_bombs);
  g_test_add_func("/hostile/torch", test_torch);
  g_test_add_func("/hostile/arrays", test_arrays);
  g_test_add_func("/hostile/captures", test_captures);
  g_test_add_func("/hostile/marian", test_marian);
  g_test_add_func("/hostile/lines", test_lines);
  g_test_add_func("/hostile/collisions", test_collisions);
  g_test_add_func("/hostile/directives", test_directives);
  g_test_add_func("/hostile/long-pieces", test_long_pieces);
  g_test_add_func("/hostile/long-replacements", test_long_replacements);
  g_test_add_func("/hostile/link-loops", test_link_loops);
}
