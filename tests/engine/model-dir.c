/* model-dir.c — small model directories that a test writes, spoils and opens.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model-dir.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#define CHECKPOINT REGARD_SOURCE_ROOT "/tests/data/checkpoints/post-norm-relu"

static char *
join(const model_dir *dir, const char *file)
{
  return g_build_filename(dir->path, file, NULL);
}

void
model_dir_write(const model_dir *dir, const char *file, const char *bytes, gssize n)
{
  g_autofree char *path = join(dir, file);
  /* Not g_file_set_contents, which waits for the disk: there are hundreds of such files. */
  FILE *stream = fopen(path, "wb");
  gsize size = n < 0 ? strlen(bytes) : (gsize) n;
  if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0)
    g_error("%s cannot be written", path);
}

char *
model_dir_read(const model_dir *dir, const char *file, gsize *n)
{
  char *path = join(dir, file), *bytes;
  GError *error = NULL;
  if (!g_file_get_contents(path, &bytes, n, &error))
    g_error("%s", error->message);
  g_free(path);
  return bytes;
}

void
model_dir_remove(const model_dir *dir, const char *file)
{
  g_autofree char *path = join(dir, file);
  g_assert_cmpint(g_remove(path), ==, 0);
}

void
model_dir_replace(const model_dir *dir, const char *file, const char *old, const char *new)
{
  g_autofree char *text = model_dir_read(dir, file, NULL);
  char *at = strstr(text, old);
  if (!at)
    g_error("%s does not contain %s", file, old);
  g_autofree char *changed =
      g_strdup_printf("%.*s%s%s", (int) (at - text), text, new, at + strlen(old));
  model_dir_write(dir, file, changed, -1);
}

void
model_dir_truncate(const model_dir *dir, const char *file, gsize n)
{
  gsize size;
  g_autofree char *bytes = model_dir_read(dir, file, &size);
  g_assert_cmpuint(n, <, size);
  model_dir_write(dir, file, bytes, (gssize) n);
}

/* ---- Tensors ------------------------------------------------------------------------------- */

static void
tensor_free(gpointer data)
{
  g_autofree dir_tensor *t = data;
  g_free(t->name);
  g_free(t->values);
}

/* Values: multiples of 1/16 in (-4, 4), different from tensor to tensor; seven bits are enough for
 * them, which BF16 has. */
void
model_dir_add(model_dir *dir, gsize rows, gsize cols, const char *format, ...)
{
  dir_tensor *t = g_new0(dir_tensor, 1);
  va_list args;
  va_start(args, format);
  t->name = g_strdup_vprintf(format, args);
  va_end(args);
  t->n_dims = rows ? 2 : 1;
  t->shape[0] = rows ? rows : cols;
  t->shape[1] = rows ? cols : 0;
  t->n = rows ? rows * cols : cols;
  t->values = g_new(float, t->n);
  guint32 state = g_str_hash(t->name);
  for (gsize i = 0; i < t->n; i++) {
    state = state * 1664525u + 1013904223u;
    t->values[i] = (float) ((int) (state >> 25) - 64) / 16.0f;
  }
  g_ptr_array_add(dir->tensors, t);
}

static void
add_pair(model_dir *dir, gsize rows, gsize cols, const char *prefix, const char *name)
{
  model_dir_add(dir, rows, cols, "%s.%s.weight", prefix, name);
  model_dir_add(dir, 0, rows ? rows : cols, "%s.%s.bias", prefix, name);
}

static void
add_layer(model_dir *dir, const char *stack, int layer, gboolean is_decoder)
{
  g_autofree char *prefix = g_strdup_printf("model.%s.layers.%d", stack, layer);
  const char *parts[] = {"q_proj", "k_proj", "v_proj", "out_proj"};
  for (int attention = 0; attention < (is_decoder ? 2 : 1); attention++) {
    const char *kind = attention ? "encoder_attn" : "self_attn";
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
      g_autofree char *name = g_strdup_printf("%s.%s", kind, parts[i]);
      add_pair(dir, DIR_D, DIR_D, prefix, name);
    }
    g_autofree char *norm = g_strdup_printf("%s_layer_norm", kind);
    add_pair(dir, 0, DIR_D, prefix, norm);
  }
  add_pair(dir, DIR_FFN, DIR_D, prefix, "fc1");
  add_pair(dir, DIR_D, DIR_FFN, prefix, "fc2");
  add_pair(dir, 0, DIR_D, prefix, "final_layer_norm");
}

dir_tensor *
model_dir_tensor(const model_dir *dir, const char *name)
{
  for (guint i = 0; i < dir->tensors->len; i++) {
    dir_tensor *t = g_ptr_array_index(dir->tensors, i);
    if (strcmp(t->name, name) == 0)
      return t;
  }
  g_error("no tensor %s", name);
}

/* ---- safetensors ---------------------------------------------------------------------------- */

static void
write_safetensors(const model_dir *dir, const char *file, const char *header, const void *data,
                  gsize n_data)
{
  GByteArray *bytes = g_byte_array_new();
  guint64 length = GUINT64_TO_LE((guint64) strlen(header));
  g_byte_array_append(bytes, (const guint8 *) &length, sizeof length);
  g_byte_array_append(bytes, (const guint8 *) header, (guint) strlen(header));
  g_byte_array_append(bytes, data, (guint) n_data);
  model_dir_write(dir, file, (const char *) bytes->data, (gssize) bytes->len);
  g_byte_array_free(bytes, TRUE);
}

void
model_dir_write_header(const model_dir *dir, const char *file, const char *header, gsize n_data)
{
  g_autofree guint8 *zeros = g_malloc0(n_data + 1);
  write_safetensors(dir, file, header, zeros, n_data);
}

/* By the definition of the formats; the values need no rounding. */
static guint16
half_bits(float value, dir_dtype dtype)
{
  guint32 bits;
  memcpy(&bits, &value, sizeof bits);
  if (dtype == DIR_BF16)
    return (guint16) (bits >> 16);
  guint16 sign = (guint16) ((bits >> 16) & 0x8000);
  guint32 exponent = (bits >> 23) & 0xff;
  if (exponent == 0xff) /* infinity, NaN */
    return (guint16) (sign | 0x7c00 | ((bits & 0x7fffff) ? 0x200 : 0));
  if (value == 0)
    return sign;
  return (guint16) (sign | (exponent - 127 + 15) << 10 | ((bits >> 13) & 0x3ff));
}

GByteArray *
dir_tensor_bytes(const dir_tensor *t, dir_dtype dtype)
{
  GByteArray *bytes = g_byte_array_new();
  for (gsize k = 0; k < t->n; k++) {
    guint16 half = half_bits(t->values[k], dtype);
    double wide = (double) t->values[k];
    if (dtype == DIR_F32)
      g_byte_array_append(bytes, (const guint8 *) &t->values[k], 4);
    else if (dtype == DIR_F64)
      g_byte_array_append(bytes, (const guint8 *) &wide, 8);
    else
      g_byte_array_append(bytes, (const guint8 *) &half, 2);
  }
  return bytes;
}

void
model_dir_write_tensors(const model_dir *dir, const char *file, gsize first, gsize end,
                        dir_dtype dtype, gsize padding)
{
  static const char *const names[] = {"F32", "F16", "BF16", "F64"};
  g_autoptr(GString) header = g_string_new("{\"__metadata__\":{\"format\":\"pt\"}");
  GByteArray *data = g_byte_array_new();
  for (gsize i = first; i < end; i++) {
    const dir_tensor *t = g_ptr_array_index(dir->tensors, i);
    guint begin = data->len;
    g_autoptr(GByteArray) values = dir_tensor_bytes(t, dtype);
    g_byte_array_append(data, values->data, values->len);
    g_string_append_printf(header, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", t->name, names[dtype]);
    g_string_append_printf(header, "%zu", t->shape[0]);
    if (t->n_dims == 2)
      g_string_append_printf(header, ",%zu", t->shape[1]);
    g_string_append_printf(header, "],\"data_offsets\":[%u,%u]}", begin, data->len);
  }
  g_string_append_c(header, '}');
  while ((header->len + 8) % 8 != 0)
    g_string_append_c(header, ' ');
  for (gsize i = 0; i < padding; i++)
    g_string_append_c(header, ' ');
  write_safetensors(dir, file, header->str, data->data, data->len);
  g_byte_array_free(data, TRUE);
}

void
model_dir_write_shards(const model_dir *dir, dir_dtype dtype)
{
  g_autoptr(GString) index = g_string_new("{\"metadata\":{},\"weight_map\":{");
  gsize n = dir->tensors->len, n_shards = 3;
  for (gsize s = 0; s < n_shards; s++) {
    gsize first = n * s / n_shards, end = n * (s + 1) / n_shards;
    g_autofree char *file = g_strdup_printf("model-%05zu-of-%05zu.safetensors", s + 1, n_shards);
    model_dir_write_tensors(dir, file, first, end, dtype, 0);
    for (gsize i = first; i < end; i++)
      g_string_append_printf(index, "%s\"%s\":\"%s\"", i ? "," : "",
                             ((dir_tensor *) g_ptr_array_index(dir->tensors, i))->name, file);
  }
  g_string_append(index, "}}");
  model_dir_write(dir, "model.safetensors.index.json", index->str, -1);
  model_dir_remove(dir, "model.safetensors");
}

/* ---- The directory -------------------------------------------------------------------------- */

char *
model_dir_config(gsize vocab_size)
{
  return g_strdup_printf(
      "{\"model_type\": \"marian\", \"activation_function\": \"relu\", \"d_model\": %d,\n"
      " \"vocab_size\": %zu, \"encoder_layers\": %d, \"decoder_layers\": %d,\n"
      " \"encoder_attention_heads\": %d, \"decoder_attention_heads\": %d,\n"
      " \"encoder_ffn_dim\": %d, \"decoder_ffn_dim\": %d, \"max_position_embeddings\": %d,\n"
      " \"scale_embedding\": true, \"pad_token_id\": %zu, \"eos_token_id\": 0,\n"
      " \"bos_token_id\": null, \"forced_eos_token_id\": 0, \"decoder_start_token_id\": %zu,\n"
      " \"bad_words_ids\": [[%zu], [3, 4]], \"num_beams\": 2, \"max_length\": 12}\n",
      DIR_D, vocab_size, DIR_ENCODER_LAYERS, DIR_DECODER_LAYERS, DIR_HEADS, DIR_HEADS, DIR_FFN,
      DIR_FFN, DIR_POSITIONS, vocab_size - 1, vocab_size - 1, vocab_size - 1);
}

static void
copy(const model_dir *dir, const char *file)
{
  g_autofree char *from = g_build_filename(CHECKPOINT, file, NULL), *bytes;
  gsize n;
  GError *error = NULL;
  if (!g_file_get_contents(from, &bytes, &n, &error))
    g_error("%s", error->message);
  model_dir_write(dir, file, bytes, (gssize) n);
}

model_dir *
model_dir_new(void)
{
  model_dir *dir = g_new0(model_dir, 1);
  GError *error = NULL;
  dir->path = g_dir_make_tmp("regard-model-XXXXXX", &error);
  if (!dir->path)
    g_error("%s", error->message);
  dir->tensors = g_ptr_array_new_with_free_func(tensor_free);
  copy(dir, "vocab.json");
  copy(dir, "source.spm");
  copy(dir, "target.spm");

  /* One entry a piece, and no piece has a colon in it. */
  g_autofree char *vocab = model_dir_read(dir, "vocab.json", NULL);
  for (const char *at = vocab; (at = strstr(at, "\":")); at++)
    dir->vocab_size++;
  g_autofree char *config = model_dir_config(dir->vocab_size);
  model_dir_write(dir, "config.json", config, -1);

  model_dir_add(dir, 1, dir->vocab_size, "final_logits_bias");
  for (int l = 0; l < DIR_DECODER_LAYERS; l++)
    add_layer(dir, "decoder", l, TRUE);
  for (int l = 0; l < DIR_ENCODER_LAYERS; l++)
    add_layer(dir, "encoder", l, FALSE);
  model_dir_add(dir, dir->vocab_size, DIR_D, "model.shared.weight");
  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, 0);
  return dir;
}

void
model_dir_free(model_dir *dir)
{
  GDir *listing = g_dir_open(dir->path, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name(listing)))
    model_dir_remove(dir, name);
  g_dir_close(listing);
  g_assert_cmpint(g_rmdir(dir->path), ==, 0);
  g_ptr_array_unref(dir->tensors);
  g_free(dir->path);
  g_free(dir);
}

/* ---- Opening --------------------------------------------------------------------------------- */

mt_model *
model_open_good(const char *path)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(path, NULL, &error);
  if (!model)
    g_error("%s", error.message);
  g_assert_cmpint(error.code, ==, MT_OK);
  return model;
}

void
model_open_bad(const char *path, mt_error_code code, const char *words)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(path, NULL, &error);
  g_assert_null(model);
  g_test_message("%s", error.message);
  g_assert_cmpint(error.code, ==, code);
  g_assert_true(g_utf8_validate(error.message, -1, NULL));
  g_assert_true(g_str_has_suffix(error.message, "."));
  g_assert_null(strchr(error.message, '\n'));
  g_auto(GStrv) parts = g_strsplit(words, "|", -1);
  for (char **part = parts; *part; part++)
    if (!strstr(error.message, *part))
      g_error("expected \"%s\" in \"%s\"", *part, error.message);
  g_assert_null(mt_model_open(path, NULL, NULL));
}
