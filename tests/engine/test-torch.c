/* test-torch.c — checkpoints as torch.save writes them, by PyTorch itself and by hand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "few-allocations.h"
#include "model/mt-model.h"
#include "pickle-writer.h"
#include "same-capture.h"
#include "suite.h"
#include "zip-writer.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define CHECKPOINTS REGARD_SOURCE_ROOT "/tests/data/checkpoints"
#define SAVED       REGARD_SOURCE_ROOT "/tests/data/torch"
#define BIN         "pytorch_model.bin"
#define INDEX       "pytorch_model.bin.index.json"
#define F           MT_ERROR_FORMAT
#define U           MT_ERROR_UNSUPPORTED

/* ---- What PyTorch wrote ---------------------------------------------------------------------- */

static void
copy_files(const model_dir *dir, const char *folder)
{
  GDir *listing = g_dir_open(folder, 0, NULL);
  const char *name;
  g_assert_nonnull(listing);
  while ((name = g_dir_read_name(listing))) {
    g_autofree char *path = g_build_filename(folder, name, NULL), *bytes = NULL;
    gsize n;
    g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
    model_dir_write(dir, name, bytes, (gssize) n);
  }
  g_dir_close(listing);
}

/* The checkpoint post-norm-relu with its weights from a folder of tests/data/torch. */
static model_dir *
saved_dir(const char *name)
{
  model_dir *dir = model_dir_new();
  copy_files(dir, CHECKPOINTS "/post-norm-relu");
  model_dir_remove(dir, "model.safetensors");
  g_autofree char *folder = g_build_filename(SAVED, name, NULL);
  copy_files(dir, folder);
  return dir;
}

/* Only the floats are left of the matrices. Those of 16 bits are multiplied in another order in the
 * steps of a search, which is no matter of the file. */
static void
put_panels_aside(mt_model *model)
{
  for (int s = 0; s < MT_N_STACKS; s++)
    for (size_t l = 0; l < model->config.n_layers[s]; l++) {
      mt_layer_weights *w = &model->stacks[s].layers[l];
      mt_linear *maps[] = {&w->self.q,  &w->self.k,  &w->self.v,    &w->self.out, &w->cross.q,
                           &w->cross.k, &w->cross.v, &w->cross.out, &w->ffn.fc1,  &w->ffn.fc2};
      for (gsize i = 0; i < G_N_ELEMENTS(maps); i++)
        maps[i]->as_stored = (mt_narrow){0};
    }
  model->output.as_stored = (mt_narrow){0};
}

/* The same numbers in every form give the same capture as the safetensors file, which is compared
 * with transformers in test-golden.c. */
static void
test_saved(const void *data)
{
  g_autoptr(model_dir) dir = saved_dir(data);
  g_autoptr(mt_model) model = model_open_good(dir->path);
  g_autoptr(mt_model) other = model_open_good(CHECKPOINTS "/post-norm-relu");
  g_assert_cmpstr(mt_model_format(model), ==, "PyTorch");
  put_panels_aside(model);
  put_panels_aside(other);
  assert_same_model(model, other, "the cat sat on the mat .");
}

/* Float weights stay in the mapped file: memory for none but the positions. */
static void
test_in_place(void)
{
  g_autoptr(model_dir) dir = saved_dir("f32");
  g_autoptr(mt_model) model = model_open_good(dir->path);
  g_assert_null(model->storage->converted);
  g_assert_cmpuint((guintptr) model->output.weight % 64, ==, 0);
}

static void
test_listing(void)
{
  g_autoptr(model_dir) dir = saved_dir("views");
  g_autoptr(mt_model) model = model_open_good(dir->path);
  const mt_tensor_info *ids = NULL, *shared = NULL;
  for (gsize i = 0; i < mt_model_n_tensors(model); i++) {
    const mt_tensor_info *info = mt_model_tensor(model, i);
    g_assert_cmpstr(info->file, ==, BIN);
    if (g_str_has_suffix(info->name, "position_ids"))
      ids = info;
    if (strcmp(info->name, "lm_head.weight") == 0)
      shared = info;
  }
  g_assert_nonnull(ids);
  g_assert_cmpstr(ids->dtype, ==, "I64");
  g_assert_true(ids->n_dims == 2 && ids->shape[0] == 2 && ids->shape[1] == 4);
  g_assert_nonnull(shared);
  g_assert_cmpstr(shared->dtype, ==, "F32");
}

static void
test_refused(void)
{
  static const struct {
    const char *name, *words;
  } rows[] = {
      {"legacy", "/pytorch_model.bin: |since version 1.6|found the older form|save it again"},
      {"torchscript", "/pytorch_model.bin: |a TorchScript program|state dict"},
      {"whole-module", "/pytorch_model.bin: |\"torch.nn.modules.linear.Linear\"|state dict"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(model_dir) dir = saved_dir(rows[i].name);
    model_open_bad(dir->path, U, rows[i].words);
  }
}

/* ---- Archives by hand ------------------------------------------------------------------------ */

/* A good directory whose weights are in pytorch_model.bin. */
static model_dir *
torch_dir(dir_dtype dtype)
{
  model_dir *dir = model_dir_new();
  model_dir_remove(dir, "model.safetensors");
  model_dir_write_torch(dir, BIN, 0, dir->tensors->len, dtype);
  return dir;
}

static void
write_archive(const model_dir *dir, GByteArray *archive)
{
  model_dir_write(dir, BIN, (const char *) archive->data, (gssize) archive->len);
  g_byte_array_unref(archive);
}

static void
test_types(void)
{
  g_autoptr(model_dir) reference = model_dir_new();
  for (int dtype = DIR_F32; dtype <= DIR_F64; dtype++) {
    g_autoptr(model_dir) dir = torch_dir((dir_dtype) dtype);
    assert_same_capture(reference->path, dir->path, "the cat");
  }
}

/* safetensors come first. */
static void
test_order(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_write(dir, BIN, "not looked at", -1);
  g_autoptr(mt_model) model = model_open_good(dir->path);
  g_assert_cmpstr(mt_model_format(model), ==, "safetensors");
}

/* A shape that does not fit, a type that does not, an infinity: said as for safetensors. */
static void
test_bad_tensors(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_remove(dir, "model.safetensors");
  dir_tensor *t = model_dir_tensor(dir, "model.encoder.layers.0.fc1.weight");
  gsize rows = t->shape[0];
  t->shape[0] = t->shape[1];
  t->shape[1] = rows;
  model_dir_write_torch(dir, BIN, 0, dir->tensors->len, DIR_F32);
  model_open_bad(dir->path, F, "/pytorch_model.bin: |fc1.weight|[12][8]|[8][12]");
  t->shape[1] = t->shape[0];
  t->shape[0] = rows;
  for (int dtype = DIR_F32; dtype <= DIR_F64; dtype++) {
    t->values[5] = dtype % 2 ? NAN : -INFINITY;
    model_dir_write_torch(dir, BIN, 0, dir->tensors->len, (dir_dtype) dtype);
    model_open_bad(dir->path, F, "/pytorch_model.bin: |finite|fc1.weight");
  }
  model_dir_write_torch(dir, BIN, 1, dir->tensors->len, DIR_F32);
  model_dir_remove(dir, BIN);
  model_dir_write_torch(dir, BIN, 0, dir->tensors->len - 1, DIR_F32);
  model_open_bad(dir->path, F, "/pytorch_model.bin: |model.shared.weight|no such tensor");
}

/* An archive with one tensor "w" of the storage "0", in a directory of its own. */
static GByteArray *
one_tensor(const pickle_view *view, const char *data_name, const void *data, gsize n)
{
  pickle *p = pickle_of("}%s%ts.", "w", view);
  const zip_item items[] = {
      {.name = "x/data.pkl", .bytes = p->data, .n = p->len},
      {.name = "x/version", .bytes = "3", .n = 1},
      {.name = data_name, .bytes = data, .n = n},
  };
  GByteArray *archive = zip_write(items, G_N_ELEMENTS(items), 64);
  g_byte_array_unref(p);
  return archive;
}

static void
test_bad_storages(void)
{
  static const float numbers[12] = {0};
  const pickle_view view = {"FloatStorage", "0", 12, 0, 2, {3, 4}, {4, 1}};
  g_autoptr(model_dir) dir = torch_dir(DIR_F32);
  write_archive(dir, one_tensor(&view, "x/data/0", numbers, 44));
  model_open_bad(dir->path, F, "/pytorch_model.bin: |48 bytes|\"w\"|found 44");
  write_archive(dir, one_tensor(&view, "x/data/1", numbers, 48));
  model_open_bad(dir->path, F, "/pytorch_model.bin: |storage \"0\"|\"w\"|no such entry");
  write_archive(dir, one_tensor(&view, "y/data/0", numbers, 48));
  model_open_bad(dir->path, F, "/pytorch_model.bin: |storage \"0\"|no such entry");
  pickle_view up = view;
  up.key = "../data/0"; /* names an entry, and there is none of that name */
  write_archive(dir, one_tensor(&up, "x/data/0", numbers, 48));
  model_open_bad(dir->path, F, "/pytorch_model.bin: |storage \"../data/0\"|no such entry");
}

/* What is said of an archive whose entries are these. */
static void
assert_archive_refused(const model_dir *dir, mt_error_code code, const zip_item *items, gsize n,
                       const char *words)
{
  write_archive(dir, zip_write(items, n, 64));
  model_open_bad(dir->path, code, words);
}

static void
test_bad_archives(void)
{
  g_autoptr(model_dir) dir = torch_dir(DIR_F32);
  pickle *p = pickle_of("}%s%ts.", "w", &(pickle_view){"FloatStorage", "0", 1, 0, 1, {1}, {1}});
  const zip_item data = {.name = "a/data.pkl", .bytes = p->data, .n = p->len};
  const zip_item storage = {.name = "a/data/0", .bytes = "1234", .n = 4};
  const zip_item version = {.name = "a/version", .bytes = "3\n", .n = 2};

  assert_archive_refused(dir, F, (zip_item[]){version, storage}, 2,
                         "/pytorch_model.bin: |without data.pkl");
  assert_archive_refused(dir, U, (zip_item[]){data, storage}, 2, "version 1 to 10|found \"\"");
  zip_item item = version;
  item.bytes = "11";
  assert_archive_refused(dir, U, (zip_item[]){data, storage, item}, 3, "version 1 to 10|\"11\"");
  item.bytes = "3x";
  assert_archive_refused(dir, U, (zip_item[]){data, storage, item}, 3, "\"3x\"");
  item.bytes = "3333333333333333333333333333";
  item.n = 28;
  assert_archive_refused(dir, U, (zip_item[]){data, storage, item}, 3, "(long)");
  item = (zip_item){.name = "a/byteorder", .bytes = "big", .n = 3};
  assert_archive_refused(dir, U, (zip_item[]){data, storage, version, item}, 4,
                         "little-endian|\"big\"");
  item = data;
  item.wrong_crc = TRUE;
  assert_archive_refused(dir, F, (zip_item[]){item, storage, version}, 3,
                         "/pytorch_model.bin: |data.pkl|check sum (CRC-32)");
  /* Of numbers, too, which are used where they lie. */
  item = storage;
  item.wrong_crc = TRUE;
  assert_archive_refused(dir, F, (zip_item[]){data, item, version}, 3,
                         "/pytorch_model.bin: |\"a/data/0\"|check sum (CRC-32) 9be3e0a2|found "
                         "9be3e0a3");
  item = data;
  item.claimed_size = (guint32) data.n + 1;
  item.claimed_bytes = (guint32) data.n + 1;
  assert_archive_refused(dir, F, (zip_item[]){version, storage, item}, 3, "/pytorch_model.bin: ");
  item = (zip_item){.name = "a/data.pkl", .bytes = "", .n = 0};
  assert_archive_refused(dir, F, (zip_item[]){item, storage, version}, 3, "end after 0 bytes");
  /* Everything is in order but that it is not the model that the configuration describes. */
  assert_archive_refused(dir, F, (zip_item[]){data, storage, version}, 3,
                         "model.shared.weight|no such tensor");
  g_byte_array_unref(p);
}

static void
test_duplicate_names(void)
{
  pickle *p = pickle_of("}(");
  for (int i = 0; i < 2; i++) {
    pickle_put(p, "%s%t", "w", &(pickle_view){"FloatStorage", "0", 1, 0, 1, {1}, {1}});
  }
  pickle_put(p, "u.");
  g_autoptr(model_dir) dir = torch_dir(DIR_F32);
  write_archive(dir, torch_archive(p, &(torch_storage){"1234", 4}, 1));
  model_open_bad(dir->path, F, "/pytorch_model.bin: |each tensor once|\"w\"");
}

/* ---- Views ----------------------------------------------------------------------------------- */

/* All weights of a directory from one storage, `n` numbers of `type`; `place` gives each its view.
 */
typedef void (*place_tensor)(const dir_tensor *t, pickle_view *view);

static void
write_views(const model_dir *dir, const char *type, const void *storage, gsize n, gsize size,
            place_tensor place)
{
  pickle *p = pickle_of("}(");
  for (guint i = 0; i < dir->tensors->len; i++) {
    const dir_tensor *t = g_ptr_array_index(dir->tensors, i);
    pickle_view view = {.storage_type = type,
                        .key = "0",
                        .n_stored = (gint64) n,
                        .n_dims = t->n_dims,
                        .shape = {(gint64) t->shape[0], (gint64) t->shape[1]}};
    place(t, &view);
    pickle_put(p, "%s%t", t->name, &view);
  }
  pickle_put(p, "u.");
  write_archive(dir, torch_archive(p, &(torch_storage){storage, n * size}, 1));
}

static void
place_repeated(const dir_tensor *t, pickle_view *view)
{
  (void) t;
  view->offset = 3; /* strides are 0 */
}

/* A model whose every number is the same one, stored once. */
static void
test_expanded(void)
{
  const float storage[] = {NAN, 7, 7, 0.25f};
  g_autoptr(model_dir) dir = torch_dir(DIR_F32);
  write_views(dir, "FloatStorage", storage, 4, sizeof *storage, place_repeated);
  g_autoptr(model_dir) plain = model_dir_new();
  for (guint i = 0; i < plain->tensors->len; i++) {
    dir_tensor *t = g_ptr_array_index(plain->tensors, i);
    for (gsize k = 0; k < t->n; k++)
      t->values[k] = 0.25f;
  }
  model_dir_write_tensors(plain, "model.safetensors", 0, plain->tensors->len, DIR_F32, 0);
  g_autoptr(mt_model) model = model_open_good(dir->path), other = model_open_good(plain->path);
  assert_same_model(model, other, "the cat");
}

static void
place_transposed(const dir_tensor *t, pickle_view *view)
{
  view->strides[0] = 1;
  view->strides[1] = (gint64) t->shape[0];
  if (t->n_dims == 1)
    view->strides[0] = 5;
}

/* Every view, in every type, against the same view taken here. */
static void
test_strided(void)
{
  static const char *const types[] = {"FloatStorage", "HalfStorage", "BFloat16Storage",
                                      "DoubleStorage"};
  const gsize sizes[] = {4, 2, 2, 8};
  g_autoptr(model_dir) plain = model_dir_new(), dir = torch_dir(DIR_F32);
  dir_tensor numbers = {.n = 8000, .values = g_new(float, 8000)};
  for (gsize i = 0; i < numbers.n; i++)
    numbers.values[i] = (float) (int) ((i * 2654435761u >> 16) % 100) / 16.0f - 3;
  for (guint i = 0; i < plain->tensors->len; i++) {
    dir_tensor *t = g_ptr_array_index(plain->tensors, i);
    pickle_view view = {0};
    place_transposed(t, &view);
    gsize cols = t->n_dims == 2 ? t->shape[1] : 1;
    for (gsize k = 0; k < t->n; k++)
      t->values[k] = numbers.values[k / cols * (gsize) view.strides[0] +
                                    (t->n_dims == 2 ? k % cols * (gsize) view.strides[1] : 0)];
  }
  model_dir_write_tensors(plain, "model.safetensors", 0, plain->tensors->len, DIR_F32, 0);
  for (int dtype = DIR_F32; dtype <= DIR_F64; dtype++) {
    g_autoptr(GByteArray) bytes = dir_tensor_bytes(&numbers, (dir_dtype) dtype);
    write_views(dir, types[dtype], bytes->data, numbers.n, sizes[dtype], place_transposed);
    assert_same_capture(plain->path, dir->path, "the cat");
  }
  g_free(numbers.values);
}

/* One number that stands for a matrix of 4 GB, and for another in every layer. */
static void
test_repeated_too_often(void)
{
  const float number = 1;
  g_autoptr(model_dir) dir = torch_dir(DIR_F32);
  model_dir_write(dir, "config.json",
                  "{\"model_type\": \"marian\", \"activation_function\": \"relu\", \"d_model\": "
                  "32768,\n"
                  " \"vocab_size\": 125, \"encoder_layers\": 1, \"decoder_layers\": 1,\n"
                  " \"encoder_attention_heads\": 2, \"decoder_attention_heads\": 2,\n"
                  " \"encoder_ffn_dim\": 12, \"decoder_ffn_dim\": 12,\n"
                  " \"max_position_embeddings\": 16, \"pad_token_id\": 124, \"eos_token_id\": 0,\n"
                  " \"decoder_start_token_id\": 124}",
                  -1);
  for (guint i = 0; i < dir->tensors->len; i++) {
    dir_tensor *t = g_ptr_array_index(dir->tensors, i);
    for (guint k = 0; k < t->n_dims; k++)
      if (t->shape[k] == DIR_D)
        t->shape[k] = 32768;
  }
  for (guint i = dir->tensors->len; i-- > 0;) /* the configuration has one layer */
    if (strstr(((dir_tensor *) g_ptr_array_index(dir->tensors, i))->name, "decoder.layers.1."))
      g_ptr_array_remove_index(dir->tensors, i);
  write_views(dir, "FloatStorage", &number, 1, sizeof number, place_repeated);
  model_open_bad(dir->path, F, "at least 4 numbers|found 1");
  const float numbers[4] = {1, 1, 1, 1};
  write_views(dir, "FloatStorage", numbers, 4, sizeof number, place_repeated);
  model_open_bad(dir->path, F, "/pytorch_model.bin: |tensors of about|repeats numbers");
}

/* Storages of zeros that deflate a thousandfold. */
static void
test_inflated_too_far(void)
{
  const gsize n = 12 << 20; /* bytes of one storage: 12 MB of zeros in 12 kB */
  g_autofree void *zeros = g_malloc0(n);
  g_autoptr(model_dir) dir = torch_dir(DIR_F32);
  pickle *p = pickle_new();
  g_autoptr(GArray) items = g_array_new(FALSE, TRUE, sizeof(zip_item));
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  pickle_put(p, "}(");
  for (guint i = 0; i < dir->tensors->len; i++) {
    const dir_tensor *t = g_ptr_array_index(dir->tensors, i);
    g_autofree char *key = g_strdup_printf("%u", i);
    g_ptr_array_add(names, g_strdup_printf("a/data/%u", i));
    zip_item item = {.name = g_ptr_array_index(names, i), .bytes = zeros, .n = n, .deflate = TRUE};
    if (i < 7)
      g_array_append_val(items, item);
    pickle_view view = {.storage_type = "FloatStorage",
                        .key = i < 7 ? key : "0",
                        .n_stored = (gint64) n / 4,
                        .n_dims = t->n_dims,
                        .shape = {(gint64) t->shape[0], (gint64) t->shape[1]},
                        .strides = {t->n_dims == 2 ? (gint64) t->shape[1] : 1, 1}};
    pickle_put(p, "%s%t", t->name, &view);
  }
  pickle_put(p, "u.");
  zip_item fixed[] = {{.name = "a/data.pkl", .bytes = p->data, .n = p->len},
                      {.name = "a/version", .bytes = "3", .n = 1}};
  g_array_append_vals(items, fixed, 2);
  write_archive(dir, zip_write((const zip_item *) (void *) items->data, items->len, 0));
  model_open_bad(dir->path, F, "/pytorch_model.bin: |when they are decompressed");
  g_byte_array_unref(p);
}

/* ---- Shards ---------------------------------------------------------------------------------- */

static void
test_shards(void)
{
  g_autoptr(model_dir) reference = model_dir_new(), dir = torch_dir(DIR_F16);
  gsize n = dir->tensors->len, half = n / 2;
  model_dir_remove(dir, BIN);
  model_dir_write_torch(dir, "one.bin", 0, half + 1, DIR_F16); /* one more than the index says */
  model_dir_write_torch(dir, "two.bin", half, n, DIR_F16);
  g_autoptr(GString) index = g_string_new("{\"weight_map\":{");
  for (gsize i = 0; i < n; i++)
    g_string_append_printf(index, "%s\"%s\":\"%s.bin\"", i ? "," : "",
                           ((dir_tensor *) g_ptr_array_index(dir->tensors, i))->name,
                           i < half ? "one" : "two");
  g_string_append(index, "}}");
  model_dir_write(dir, INDEX, index->str, -1);
  assert_same_capture(reference->path, dir->path, "the cat");
  g_autoptr(mt_model) model = model_open_good(dir->path);
  g_assert_cmpuint(mt_model_n_tensors(model), ==, n);
  g_assert_cmpstr(mt_model_tensor(model, 0)->file, ==, "one.bin");
  g_assert_cmpstr(mt_model_tensor(model, n - 1)->file, ==, "two.bin");

  model_dir_replace(dir, INDEX, "\"weight_map\":{", "\"weight_map\":{\"w\":\"two.bin\",");
  model_open_bad(dir->path, F, "/two.bin: |\"w\"|as the index says");
  model_dir_replace(dir, INDEX, "\"w\":\"two.bin\"", "\"w\":\"../two.bin\"");
  model_open_bad(dir->path, F, INDEX "|expected a file name|\"w\"");
  model_dir_write(dir, INDEX, index->str, -1);
  model_dir_remove(dir, "two.bin");
  model_open_bad(dir->path, MT_ERROR_IO, "/two.bin: |found nothing");
}

/* ---- Other files under the name -------------------------------------------------------------- */

static void
test_imported(void)
{
  static const struct {
    const char *bytes;
    gssize n;
    mt_error_code code;
    const char *words;
  } rows[] = {
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", -1, F, "Git LFS"},
      {"<!DOCTYPE html><html>not found</html>", -1, F, "a web page"},
      {"\r\n <HTML>not found</HTML>", -1, F, "a web page"},
      {"\2\0\0\0\0\0\0\0{}", 10, U, "a safetensors file|model.safetensors"},
      {"\x89HDF\r\n\x1a\n", 8, U, "HDF5"},
      {"\x80\x04\x95\x0d\0\0\0\0\0\0\0\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 24, U,
       "the older form"},
      {"L119547037146038801333356L\n.", -1, U, "the older form"},
      {"\x80\2}.", -1, F, "something else"},
      {"P", -1, F, "something else"},
      {"PK\3\4", -1, F, "a zip archive|cut off"},
  };
  g_autoptr(model_dir) dir = torch_dir(DIR_F32);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    model_dir_write(dir, BIN, rows[i].bytes, rows[i].n);
    g_autofree char *words = g_strdup_printf("/pytorch_model.bin: expected a |%s", rows[i].words);
    model_open_bad(dir->path, rows[i].code, words);
  }
  char tar[512] = "data";
  memcpy(tar + 257, "ustar", 5);
  model_dir_write(dir, BIN, tar, sizeof tar);
  model_open_bad(dir->path, U, "the older form");
  /* The same of model.safetensors. */
  model_dir_write(dir, "model.safetensors", rows[0].bytes, -1);
  model_open_bad(dir->path, F, "/model.safetensors: |Git LFS pointer|git lfs pull");
  model_dir_write(dir, "model.safetensors", "<html>", -1);
  model_open_bad(dir->path, F, "/model.safetensors: |a web page");
  model_dir_write_torch(dir, "model.safetensors", 0, 1, DIR_F32);
  model_open_bad(dir->path, U, "/model.safetensors: |a zip archive, as PyTorch writes");
}

/* A download that stopped. */
static void
test_truncated(void)
{
  g_autoptr(model_dir) dir = torch_dir(DIR_F16);
  gsize size;
  g_free(model_dir_read(dir, BIN, &size));
  for (int i = 63; i >= 0; i--) {
    model_dir_truncate(dir, BIN, size * (gsize) i / 64);
    mt_error error = {0};
    g_assert_null(mt_model_open(dir->path, NULL, &error));
    g_assert_cmpint(error.code, ==, F);
    g_assert_nonnull(strstr(error.message, "/" BIN ": "));
  }
}

/* Any byte of the headers and of the pickle replaced: refused, or read. */
static void
test_any_byte(void)
{
  g_autoptr(model_dir) dir = torch_dir(DIR_F32);
  gsize size;
  g_autofree char *bytes = model_dir_read(dir, BIN, &size);
  g_autofree char *path = g_build_filename(dir->path, BIN, NULL);
  g_autoptr(GRand) random = g_rand_new_with_seed(4);
  int n_read = 0;
  for (int i = 0; i < 300; i++) {
    /* The first half of the tries into the pickle, which is first, and the second into the end. */
    gsize at = i % 2 ? (gsize) g_rand_int_range(random, 0, 6000)
                     : size - (gsize) g_rand_int_range(random, 1, 3000);
    char was = bytes[at];
    bytes[at] = (char) g_rand_int_range(random, 0, 256);
    model_dir_write(dir, BIN, bytes, (gssize) size);
    mt_error error = {0};
    g_autoptr(mt_model) model = mt_model_open(dir->path, NULL, &error);
    n_read += model != NULL;
    g_assert_true(model || (error.code != MT_OK && error.code != MT_ERROR_NO_MEMORY));
    bytes[at] = was;
  }
  g_assert_cmpint(n_read, <, 300);
}

/* ---- Memory that runs out -------------------------------------------------------------------- */

static void
test_no_memory(void)
{
  /* Mapped, gathered, converted and decompressed ones. */
  static const char *const names[] = {"views", "deflated"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(model_dir) dir = saved_dir(names[i]);
    int n_failed = 0;
    for (bool done = false; !done;) {
      mt_error error = {0};
      few_then_all_fail(n_failed);
      g_autoptr(mt_model) model = mt_model_open(dir->path, NULL, &error);
      few_end();
      g_assert_cmpint(error.code, ==, model ? MT_OK : MT_ERROR_NO_MEMORY);
      done = model != NULL;
      /* All of the first and the last, and some of those between. */
      n_failed += n_failed < 300 ? 1 : 7;
    }
    g_assert_cmpint(n_failed, >, 300);
  }
}

TESTS()
{
  g_test_add_data_func("/torch/saved/f32", "f32", test_saved);
  g_test_add_data_func("/torch/saved/views", "views", test_saved);
  g_test_add_data_func("/torch/saved/bf16-sharded", "bf16-sharded", test_saved);
  g_test_add_data_func("/torch/saved/deflated", "deflated", test_saved);
  g_test_add_func("/torch/in-place", test_in_place);
  g_test_add_func("/torch/listing", test_listing);
  g_test_add_func("/torch/refused", test_refused);
  g_test_add_func("/torch/types", test_types);
  g_test_add_func("/torch/order", test_order);
  g_test_add_func("/torch/bad-tensors", test_bad_tensors);
  g_test_add_func("/torch/bad-storages", test_bad_storages);
  g_test_add_func("/torch/bad-archives", test_bad_archives);
  g_test_add_func("/torch/duplicate-names", test_duplicate_names);
  g_test_add_func("/torch/expanded", test_expanded);
  g_test_add_func("/torch/strided", test_strided);
  g_test_add_func("/torch/repeated-too-often", test_repeated_too_often);
  g_test_add_func("/torch/inflated-too-far", test_inflated_too_far);
  g_test_add_func("/torch/shards", test_shards);
  g_test_add_func("/torch/foreign", test_imported);
  g_test_add_func("/torch/truncated", test_truncated);
  g_test_add_func("/torch/any-byte", test_any_byte);
  g_test_add_func("/torch/no-memory", test_no_memory);
}
