/* hash-weights.c — weights from a hash, the twin of tests/reference/weights.py.
 *
 * Element i of a tensor is an 8-bit integer, drawn by hashing the tensor's name and i, times a
 * power of two: exact in F32, F16 and BF16, and the same in Python and here. So a checkpoint of a
 * published model's size can be tested against Hugging Face without being kept anywhere.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hash-weights.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <json-c/json.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { D = 512, FFN = 2048, LAYERS = 6, HEADS = 8, VOCAB = 54688, POSITIONS = 512, STRIDE = 337 };

static const char *const files[] = {"config.json", "model.safetensors", "source.spm", "target.spm",
                                    "vocab.json"};

static uint32_t
fnv1a(const char *name)
{
  uint32_t h = 0x811C9DC5u;
  for (; *name; name++)
    h = (h ^ (uint8_t) *name) * 0x01000193u;
  return h;
}

/* Integer i of a tensor, -128..127: murmur3's finaliser. */
static int
draw(uint32_t seed, size_t i)
{
  uint32_t x = seed + (uint32_t) i * 0x9E3779B1u;
  x = (x ^ x >> 16) * 0x85EBCA6Bu;
  x = (x ^ x >> 13) * 0xC2B2AE35u;
  x ^= x >> 16;
  return (int) (x >> 24) - 128;
}

/* log2 of the scale of a weight; see exponent() in weights.py. */
static int
exponent(const char *name, size_t n_in)
{
  if (g_str_has_suffix(name, "bias"))
    return 10;
  if (strstr(name, "shared"))
    return 11;
  int bits = 0;
  for (size_t n = n_in; n; n >>= 1)
    bits++;
  int k = 6 + bits / 2;
  return strstr(name, ".q_proj.") || strstr(name, ".k_proj.") ? k - 1 : k;
}

/* A float that is zero or a normal number of binary16 with at most 11 significant bits. */
static uint16_t
to_half(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, 4);
  if ((bits & 0x7FFFFFFFu) == 0)
    return 0;
  return (uint16_t) ((bits >> 16 & 0x8000u) | ((bits >> 23 & 0xFFu) - 112u) << 10 |
                     (bits >> 13 & 0x3FFu));
}

typedef struct {
  char *name;
  size_t rows, cols; /* rows 0: one dimension */
} tensor;

static void
add(GArray *list, char *name, size_t rows, size_t cols)
{
  tensor t = {name, rows, cols};
  g_array_append_val(list, t);
}

static void
add_pair(GArray *list, const char *prefix, const char *part, size_t rows, size_t cols)
{
  add(list, g_strconcat(prefix, part, ".weight", NULL), rows, cols);
  add(list, g_strconcat(prefix, part, ".bias", NULL), 0, rows ? rows : cols);
}

static void
add_attention(GArray *list, const char *prefix, const char *part)
{
  static const char *const projections[] = {".k_proj", ".v_proj", ".q_proj", ".out_proj"};
  for (size_t i = 0; i < G_N_ELEMENTS(projections); i++) {
    g_autofree char *name = g_strconcat(part, projections[i], NULL);
    add_pair(list, prefix, name, D, D);
  }
  g_autofree char *norm = g_strconcat(part, "_layer_norm", NULL);
  add_pair(list, prefix, norm, 0, D);
}

static GArray *
list_tensors(void)
{
  GArray *list = g_array_new(FALSE, FALSE, sizeof(tensor));
  add(list, g_strdup("model.shared.weight"), VOCAB, D);
  for (int decoder = 0; decoder < 2; decoder++)
    for (int layer = 0; layer < LAYERS; layer++) {
      g_autofree char *prefix =
          g_strdup_printf("model.%s.layers.%d.", decoder ? "decoder" : "encoder", layer);
      add_attention(list, prefix, "self_attn");
      if (decoder)
        add_attention(list, prefix, "encoder_attn");
      add_pair(list, prefix, "fc1", FFN, D);
      add_pair(list, prefix, "fc2", D, FFN);
      add_pair(list, prefix, "final_layer_norm", 0, D);
    }
  add(list, g_strdup("final_logits_bias"), 1, VOCAB);
  return list;
}

/* As F32, or as F16 in half the bytes: the same numbers. */
static void
write_tensor(FILE *file, const tensor *t, gboolean f32)
{
  gboolean is_gain = strstr(t->name, "norm") && g_str_has_suffix(t->name, "weight");
  float scale = ldexpf(1.0f, -exponent(t->name, t->cols));
  float values[256];
  uint16_t halves[256];
  for (int v = -128; v < 128; v++) {
    values[v + 128] = is_gain ? 1.0f + floorf((float) v / 16.0f) / 64.0f : (float) v * scale;
    halves[v + 128] = to_half(values[v + 128]);
  }
  uint32_t seed = fnv1a(t->name);
  size_t n = (t->rows ? t->rows : 1) * t->cols;
  union {
    float f32[4096];
    uint16_t f16[4096];
  } block;
  for (size_t i = 0; i < n;) {
    size_t m = 0;
    for (; m < G_N_ELEMENTS(block.f32) && i < n; i++, m++)
      if (f32)
        block.f32[m] = values[draw(seed, i) + 128];
      else
        block.f16[m] = halves[draw(seed, i) + 128];
    if (fwrite(&block, f32 ? 4 : 2, m, file) != m)
      g_error("cannot write the weights: %s", g_strerror(errno));
  }
}

static void
write_weights(const char *path, gboolean f32)
{
  g_autoptr(GArray) list = list_tensors();
  g_autoptr(GString) header = g_string_new("{");
  size_t offset = 0;
  for (guint i = 0; i < list->len; i++) {
    const tensor *t = &g_array_index(list, tensor, i);
    size_t end = offset + (t->rows ? t->rows : 1) * t->cols * (f32 ? 4 : 2);
    g_string_append_printf(header, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[", i ? "," : "", t->name,
                           f32 ? "F32" : "F16");
    if (t->rows)
      g_string_append_printf(header, "%zu,", t->rows);
    g_string_append_printf(header, "%zu],\"data_offsets\":[%zu,%zu]}", t->cols, offset, end);
    offset = end;
  }
  g_string_append_c(header, '}');
  while (header->len % 8)
    g_string_append_c(header, ' ');
  FILE *file = g_fopen(path, "wb");
  if (!file)
    g_error("cannot write %s: %s", path, g_strerror(errno));
  uint64_t n_header = header->len;
  fwrite(&n_header, 8, 1, file);
  fwrite(header->str, 1, header->len, file);
  for (guint i = 0; i < list->len; i++) {
    tensor *t = &g_array_index(list, tensor, i);
    write_tensor(file, t, f32);
    g_free(t->name);
  }
  if (fclose(file) != 0)
    g_error("cannot write %s: %s", path, g_strerror(errno));
}

/* </s> 0, <unk> 1, the other pieces of the tiny vocabulary STRIDE apart, fillers between. */
static void
write_vocabulary(const char *path, const char *tiny_path)
{
  struct json_object *tiny = json_object_from_file(tiny_path);
  g_assert_nonnull(tiny);
  const char **pieces = g_new0(const char *, VOCAB);
  pieces[VOCAB - 1] = "<pad>";
  json_object_object_foreach(tiny, piece, id) if (strcmp(piece, "<pad>") != 0)
  {
    int i = json_object_get_int(id);
    pieces[i < 2 ? i : 2 + (i - 2) * STRIDE] = piece;
  }
  struct json_object *vocab = json_object_new_object();
  for (int i = 0; i < VOCAB; i++) {
    char filler[32];
    g_snprintf(filler, sizeof filler, "<filler%d>", i);
    json_object_object_add(vocab, pieces[i] ? pieces[i] : filler, json_object_new_int(i));
  }
  g_assert_cmpint(json_object_to_file_ext(path, vocab, JSON_C_TO_STRING_PLAIN), ==, 0);
  json_object_put(vocab);
  json_object_put(tiny);
  g_free(pieces);
}

static void
copy(const char *dir, const char *tiny, const char *name)
{
  char *from = g_build_filename(tiny, name, NULL), *to = g_build_filename(dir, name, NULL);
  char *bytes;
  gsize n;
  g_assert_true(g_file_get_contents(from, &bytes, &n, NULL));
  g_assert_true(g_file_set_contents(to, bytes, (gssize) n, NULL));
  g_free(bytes), g_free(from), g_free(to);
}

void
hash_weights_write_opus_shape(const char *dir, const char *tiny, gboolean f32)
{
  char *config = g_strdup_printf(
      "{\"model_type\":\"marian\",\"activation_function\":\"swish\",\"d_model\":%d,"
      "\"encoder_layers\":%d,\"decoder_layers\":%d,\"encoder_attention_heads\":%d,"
      "\"decoder_attention_heads\":%d,\"encoder_ffn_dim\":%d,\"decoder_ffn_dim\":%d,"
      "\"max_position_embeddings\":%d,\"static_position_embeddings\":true,"
      "\"scale_embedding\":true,\"vocab_size\":%d,\"pad_token_id\":%d,"
      "\"decoder_start_token_id\":%d,\"eos_token_id\":0,\"bos_token_id\":0,"
      "\"bad_words_ids\":[[%d]],\"num_beams\":4,\"max_length\":512,\"is_encoder_decoder\":true}",
      D, LAYERS, LAYERS, HEADS, HEADS, FFN, FFN, POSITIONS, VOCAB, VOCAB - 1, VOCAB - 1, VOCAB - 1);
  g_autofree char *path = g_build_filename(dir, "config.json", NULL);
  g_assert_true(g_file_set_contents(path, config, -1, NULL));
  g_free(path), g_free(config);
  copy(dir, tiny, "source.spm");
  copy(dir, tiny, "target.spm");
  path = g_build_filename(dir, "vocab.json", NULL);
  char *tiny_path = g_build_filename(tiny, "vocab.json", NULL);
  write_vocabulary(path, tiny_path);
  g_free(path), g_free(tiny_path);
  path = g_build_filename(dir, "model.safetensors", NULL);
  write_weights(path, f32);
}

void
hash_weights_remove(const char *dir)
{
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_build_filename(dir, files[i], NULL);
    g_unlink(path);
  }
  g_rmdir(dir);
}
