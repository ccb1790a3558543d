/* pickle-writer.c — an assembler for pickles, honest and otherwise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pickle-writer.h"

#include "zip-writer.h"

#include <string.h>

void
pickle_raw(pickle *p, const void *bytes, gsize n)
{
  g_byte_array_append(p, bytes, (guint) n);
}

void
pickle_op(pickle *p, const char *opcodes)
{
  pickle_raw(p, opcodes, strlen(opcodes));
}

pickle *
pickle_new(void)
{
  pickle *p = g_byte_array_new();
  pickle_op(p, "\x80\x02");
  return p;
}

void
pickle_text(pickle *p, const char *text)
{
  guint32 n = GUINT32_TO_LE((guint32) strlen(text));
  pickle_op(p, "X");
  pickle_raw(p, &n, sizeof n);
  pickle_op(p, text);
}

void
pickle_int(pickle *p, gint64 value)
{
  gint64 little = GINT64_TO_LE(value);
  if (value == (gint32) value) {
    pickle_op(p, "J");
    pickle_raw(p, &little, 4);
  } else {
    pickle_op(p, "\x8a\x08");
    pickle_raw(p, &little, 8);
  }
}

void
pickle_sizes(pickle *p, const gint64 *values, guint n)
{
  pickle_op(p, "(");
  for (guint i = 0; i < n; i++)
    pickle_int(p, values[i]);
  pickle_op(p, "t");
}

void
pickle_global(pickle *p, const char *module, const char *name)
{
  pickle_op(p, "c");
  pickle_op(p, module);
  pickle_op(p, "\n");
  pickle_op(p, name);
  pickle_op(p, "\n");
}

void
pickle_tensor(pickle *p, const pickle_view *view)
{
  pickle_global(p, "torch._utils", "_rebuild_tensor_v2");
  pickle_op(p, "((");
  pickle_text(p, "storage");
  pickle_global(p, "torch", view->storage_type);
  pickle_text(p, view->key);
  pickle_text(p, "cpu");
  pickle_int(p, view->n_stored);
  pickle_op(p, "tQ");
  pickle_int(p, view->offset);
  pickle_sizes(p, view->shape, view->n_dims);
  pickle_sizes(p, view->strides, view->n_dims);
  pickle_op(p, "\x89");
  pickle_global(p, "collections", "OrderedDict");
  pickle_op(p, ")RtR");
}

GByteArray *
torch_archive(pickle *p, const torch_storage *storages, guint n_storages)
{
  GArray *items = g_array_new(FALSE, TRUE, sizeof(zip_item));
  zip_item fixed[] = {
      {.name = "archive/data.pkl", .bytes = p->data, .n = p->len},
      {.name = "archive/byteorder", .bytes = "little", .n = 6},
      {.name = "archive/version", .bytes = "3\n", .n = 2},
  };
  g_array_append_vals(items, fixed, G_N_ELEMENTS(fixed));
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < n_storages; i++) {
    g_ptr_array_add(names, g_strdup_printf("archive/data/%u", i));
    zip_item item = {.name = g_ptr_array_index(names, i),
                     .bytes = storages[i].bytes,
                     .n = storages[i].n};
    g_array_append_val(items, item);
  }
  GByteArray *archive = zip_write((const zip_item *) (void *) items->data, items->len, 64);
  g_ptr_array_unref(names);
  g_array_unref(items);
  g_byte_array_unref(p);
  return archive;
}

void
model_dir_write_torch(const model_dir *dir, const char *file, gsize first, gsize end,
                      dir_dtype dtype)
{
  static const char *const types[] = {"FloatStorage", "HalfStorage", "BFloat16Storage",
                                      "DoubleStorage"};
  pickle *p = pickle_new();
  GPtrArray *bytes = g_ptr_array_new_with_free_func((GDestroyNotify) g_byte_array_unref);
  torch_storage *storages = g_new0(torch_storage, end - first);
  pickle_op(p, "}(");
  for (gsize i = first; i < end; i++) {
    const dir_tensor *t = g_ptr_array_index(dir->tensors, i);
    GByteArray *values = dir_tensor_bytes(t, dtype);
    char *key = g_strdup_printf("%zu", i - first);
    g_ptr_array_add(bytes, values);
    storages[i - first] = (torch_storage){values->data, values->len};
    pickle_view view = {.storage_type = types[dtype],
                        .key = key,
                        .n_stored = (gint64) t->n,
                        .n_dims = t->n_dims,
                        .shape = {(gint64) t->shape[0], (gint64) t->shape[1]},
                        .strides = {t->n_dims == 2 ? (gint64) t->shape[1] : 1, 1}};
    pickle_text(p, t->name);
    pickle_tensor(p, &view);
    g_free(key);
  }
  pickle_op(p, "u.");
  GByteArray *archive = torch_archive(p, storages, (guint) (end - first));
  model_dir_write(dir, file, (const char *) archive->data, (gssize) archive->len);
  g_byte_array_unref(archive);
  g_ptr_array_unref(bytes);
  g_free(storages);
}
