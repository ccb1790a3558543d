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

pickle *
pickle_new(void)
{
  pickle *p = g_byte_array_new();
  pickle_raw(p, "\x80\x02", 2);
  return p;
}

static void
put_text(pickle *p, const char *text)
{
  const guint32 n = (guint32) strlen(text), little = GUINT32_TO_LE(n);
  pickle_raw(p, "X", 1);
  pickle_raw(p, &little, sizeof little);
  pickle_raw(p, text, n);
}

static void
put_int(pickle *p, gint64 value)
{
  const gint64 little = GINT64_TO_LE(value);
  const gboolean is_small = value == (gint32) value;
  pickle_put(p, is_small ? "J" : "\x8a\x08");
  pickle_raw(p, &little, is_small ? 4 : 8);
}

/* A tuple of numbers. */
static void
put_sizes(pickle *p, const gint64 *values, guint n)
{
  pickle_put(p, "(");
  for (guint i = 0; i < n; i++)
    put_int(p, values[i]);
  pickle_put(p, "t");
}

static void
put_tensor(pickle *p, const pickle_view *view)
{
  pickle_put(p, "%g((%s%g%s%s%dtQ%d", "torch._utils", "_rebuild_tensor_v2", "storage", "torch",
             view->storage_type, view->key, "cpu", view->n_stored, view->offset);
  put_sizes(p, view->shape, view->n_dims);
  put_sizes(p, view->strides, view->n_dims);
  pickle_put(p, "\x89%g)RtR", "collections", "OrderedDict");
}

static void
put(pickle *p, const char *opcodes, va_list *args)
{
  for (const char *at = opcodes; *at; at++) {
    if (*at != '%') {
      pickle_raw(p, at, 1);
      continue;
    }
    switch (*++at) {
    case 'b':
      pickle_put(p, va_arg(*args, const char *));
      break;
    case 's':
      put_text(p, va_arg(*args, const char *));
      break;
    case 'd':
      put_int(p, va_arg(*args, gint64));
      break;
    case 't':
      put_tensor(p, va_arg(*args, const pickle_view *));
      break;
    case 'g':
      pickle_raw(p, "c", 1);
      for (int i = 0; i < 2; i++) {
        const char *name = va_arg(*args, const char *);
        pickle_raw(p, name, strlen(name));
        pickle_raw(p, "\n", 1);
      }
      break;
    default:
      g_assert_not_reached();
    }
  }
}

void
pickle_put(pickle *p, const char *opcodes, ...)
{
  va_list args;
  va_start(args, opcodes);
  put(p, opcodes, &args);
  va_end(args);
}

pickle *
pickle_of(const char *opcodes, ...)
{
  pickle *p = pickle_new();
  va_list args;
  va_start(args, opcodes);
  put(p, opcodes, &args);
  va_end(args);
  return p;
}

GByteArray *
torch_archive(pickle *p, const torch_storage *storages, guint n_storages)
{
  g_autoptr(GArray) items = g_array_new(FALSE, TRUE, sizeof(zip_item));
  zip_item fixed[] = {
      {.name = "archive/data.pkl", .bytes = p->data, .n = p->len},
      {.name = "archive/byteorder", .bytes = "little", .n = 6},
      {.name = "archive/version", .bytes = "3\n", .n = 2},
  };
  g_array_append_vals(items, fixed, G_N_ELEMENTS(fixed));
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < n_storages; i++) {
    g_ptr_array_add(names, g_strdup_printf("archive/data/%u", i));
    zip_item item = {.name = g_ptr_array_index(names, i),
                     .bytes = storages[i].bytes,
                     .n = storages[i].n};
    g_array_append_val(items, item);
  }
  GByteArray *archive = zip_write((const zip_item *) (void *) items->data, items->len, 64);
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
  g_autoptr(GPtrArray) bytes = g_ptr_array_new_with_free_func((GDestroyNotify) g_byte_array_unref);
  g_autofree torch_storage *storages = g_new0(torch_storage, end - first);
  pickle_put(p, "}(");
  for (gsize i = first; i < end; i++) {
    const dir_tensor *t = g_ptr_array_index(dir->tensors, i);
    GByteArray *values = dir_tensor_bytes(t, dtype);
    g_autofree char *key = g_strdup_printf("%zu", i - first);
    g_ptr_array_add(bytes, values);
    storages[i - first] = (torch_storage){values->data, values->len};
    pickle_view view = {.storage_type = types[dtype],
                        .key = key,
                        .n_stored = (gint64) t->n,
                        .n_dims = t->n_dims,
                        .shape = {(gint64) t->shape[0], (gint64) t->shape[1]},
                        .strides = {t->n_dims == 2 ? (gint64) t->shape[1] : 1, 1}};
    pickle_put(p, "%s%t", t->name, &view);
  }
  pickle_put(p, "u.");
  g_autoptr(GByteArray) archive = torch_archive(p, storages, (guint) (end - first));
  model_dir_write(dir, file, (const char *) archive->data, (gssize) archive->len);
}
