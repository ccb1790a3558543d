/* mt-model-write.c — a network as an ordinary Hugging Face Marian directory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-model-write.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-json.h"
#include "model/mt-layout.h"

#include <string.h>

/* ---- A file of tensors ----------------------------------------------------------------------- */

/* Writing a file of tensors, and finding them in one of our own. */

#define LENGTH_SIZE 8
#define ALIGNMENT   64

static const char *
dtype_name(mt_dtype dtype)
{
  switch (dtype) {
  case MT_DTYPE_F16:
    return "F16";
  case MT_DTYPE_BF16:
    return "BF16";
  case MT_DTYPE_F64:
    return "F64";
  case MT_DTYPE_F32:
  case MT_DTYPE_OTHER:
    break;
  }
  return "F32";
}

/* Numbers of a tensor; bytes of it in the file. */
static size_t
safetensors_count(const mt_safetensors_entry *entry)
{
  size_t n = 1;
  for (size_t i = 0; i < entry->n_dims; i++)
    n *= entry->shape[i];
  return n;
}

static size_t
safetensors_bytes(const mt_safetensors_entry *entry)
{
  return safetensors_count(entry) * mt_dtype_size(entry->dtype);
}

static void
put_entry(mt_json_out *out, const mt_safetensors_entry *entry, size_t begin)
{
  mt_json_begin(out, entry->name, '{');
  mt_json_put_string(out, "dtype", dtype_name(entry->dtype));
  mt_json_begin(out, "shape", '[');
  for (size_t k = 0; k < entry->n_dims; k++)
    mt_json_put_whole(out, NULL, (int64_t) entry->shape[k]);
  mt_json_end(out);
  mt_json_begin(out, "data_offsets", '[');
  mt_json_put_whole(out, NULL, (int64_t) begin);
  mt_json_put_whole(out, NULL, (int64_t) (begin + safetensors_bytes(entry)));
  mt_json_end(out);
  mt_json_end(out);
}

bool
mt_safetensors_write_header(mt_new_file *file, const mt_safetensors_entry *entries, size_t n,
                            mt_error *error)
{
  mt_json_out out = {0};
  mt_json_begin(&out, NULL, '{');
  mt_json_begin(&out, "__metadata__", '{');
  mt_json_put_string(&out, "format", "pt"); /* what transformers asks for */
  mt_json_end(&out);
  size_t at = 0;
  for (size_t i = 0; i < n; i++) {
    put_entry(&out, &entries[i], at);
    at += safetensors_bytes(&entries[i]);
  }
  mt_json_end(&out);
  if (!mt_json_finish(&out, "", error)) {
    mt_json_out_clear(&out);
    return false;
  }
  static const char spaces[ALIGNMENT + 1] =
      "                                                                ";
  size_t n_spaces = ALIGNMENT - (LENGTH_SIZE + out.n) % ALIGNMENT;
  uint64_t length = out.n + n_spaces;
  mt_new_file_write(file, &length, LENGTH_SIZE); /* little-endian, as all machines this runs on */
  mt_new_file_write(file, out.text, out.n);
  mt_new_file_write(file, spaces, n_spaces);
  mt_json_out_clear(&out);
  return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* List i of the entry has exactly these whole numbers. */
static bool
has_numbers(const mt_json_value *entry, const char *key, const size_t *numbers, size_t n)
{
  const mt_json_value *list =
      mt_json_kind_of(entry) == MT_JSON_OBJECT ? mt_json_member(entry, key) : NULL;
  if (mt_json_kind_of(list) != MT_JSON_ARRAY || mt_json_length(list) != n)
    return false;
  for (size_t i = 0; i < n; i++) {
    const mt_json_value *item = mt_json_at(list, i);
    if (mt_json_kind_of(item) != MT_JSON_INTEGER || mt_json_integer(item) != (int64_t) numbers[i])
      return false;
  }
  return true;
}

static bool
find_one(const mt_json *json, const mt_safetensors_entry *entry, size_t begin, const char *label,
         mt_error *error)
{
  const size_t offsets[] = {begin, begin + safetensors_bytes(entry)};
  const mt_json_value *found = mt_json_get(json, entry->name);
  const mt_json_value *dtype =
      mt_json_kind_of(found) == MT_JSON_OBJECT ? mt_json_member(found, "dtype") : NULL;
  const char *name = mt_json_kind_of(dtype) == MT_JSON_STRING ? mt_json_string(dtype) : NULL;
  if (name && strcmp(name, dtype_name(entry->dtype)) == 0 &&
      has_numbers(found, "shape", entry->shape, entry->n_dims) &&
      has_numbers(found, "data_offsets", offsets, 2))
    return true;
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected tensor \"%s\" with %zu numbers of type %s at byte %zu of the data, "
                 "found another one or none.",
                 label, entry->name, safetensors_count(entry), dtype_name(entry->dtype), begin);
}

bool
mt_safetensors_find(const unsigned char *bytes, size_t size, const char *label,
                    const mt_safetensors_entry *entries, size_t n, const unsigned char **data,
                    mt_error *error)
{
  uint64_t length = 0;
  if (size >= LENGTH_SIZE)
    memcpy(&length, bytes, LENGTH_SIZE);
  if (size < LENGTH_SIZE || length > size - LENGTH_SIZE)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected a header and tensors, found %zu bytes (is the file cut off?).",
                   label, size);
  mt_json json = {0};
  if (!mt_json_parse(&json, label, (const char *) bytes + LENGTH_SIZE, (size_t) length, error))
    return false;
  bool ok = true;
  size_t start = LENGTH_SIZE + (size_t) length, at = 0;
  for (size_t i = 0; ok && i < n; i++) {
    ok = find_one(&json, &entries[i], at, label, error);
    data[i] = bytes + start + at;
    at += safetensors_bytes(&entries[i]);
  }
  mt_json_clear(&json);
  if (ok && size - start != at)
    ok = mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected %zu bytes of data, found %zu (is the file cut off?).", label, at,
                 size - start);
  return ok;
}

/* ---- The directory --------------------------------------------------------------------------- */

/* ---- JSON ------------------------------------------------------------------------------------ */

static bool
write_text(mt_new_dir *dir, const char *name, const char *text, size_t n, mt_error *error)
{
  mt_new_file *file = mt_new_file_open(dir, name, error);
  if (!file)
    return false;
  mt_new_file_write(file, text, n);
  return mt_new_file_close(file, error);
}

static bool
write_json(mt_new_dir *dir, const char *name, mt_json_out *out, mt_error *error)
{
  bool ok = mt_json_finish(out, "\n", error) && write_text(dir, name, out->text, out->n, error);
  mt_json_out_clear(out);
  return ok;
}

/* How to search: the same in both files, as in published models. <pad> is never chosen, and is a
 * word of the softmax that was trained: its share counts, so that log p is the negative of the
 * loss. Probabilities are not made anew without it, as those of models that Marian trained are,
 * where it was no word; transformers, too, does it only where it is asked for. */
static void
put_generation(mt_json_out *out, const mt_model_write *what)
{
  const mt_dataset_info *info = mt_dataset_get_info(what->dataset);
  mt_json_begin(out, "bad_words_ids", '[');
  mt_json_begin(out, NULL, '[');
  mt_json_put_whole(out, NULL, info->pad_id);
  mt_json_end(out);
  mt_json_end(out);
  mt_json_put_whole(out, "bos_token_id", info->eos_id);
  mt_json_put_whole(out, "decoder_start_token_id", info->pad_id);
  mt_json_put_whole(out, "eos_token_id", info->eos_id);
  mt_json_put_whole(out, "forced_eos_token_id", info->eos_id);
  mt_json_put_whole(out, "max_length", (int64_t) what->network->config.max_positions);
  mt_json_put_whole(out, "num_beams", (int64_t) what->num_beams);
  mt_json_put_whole(out, "pad_token_id", info->pad_id);
  mt_json_put_bool(out, "renormalize_logits", false);
}

static const char *
activation_name(mt_activation activation)
{
  switch (activation) {
  case MT_ACTIVATION_RELU:
    return "relu";
  case MT_ACTIVATION_SILU:
    return "swish";
  case MT_ACTIVATION_GELU:
  case MT_ACTIVATION_GELU_TANH: /* not of a network that is trained here */
    break;
  }
  return "gelu";
}

static void
put_shape(mt_json_out *out, const mt_model_write *what)
{
  const mt_network_config *c = &what->network->config;
  static const char *const keys[MT_N_STACKS][3] = {
      {"encoder_layers", "encoder_attention_heads", "encoder_ffn_dim"},
      {"decoder_layers", "decoder_attention_heads", "decoder_ffn_dim"},
  };
  mt_json_put_string(out, "activation_function", activation_name(c->activation));
  mt_json_put_whole(out, "d_model", (int64_t) c->d_model);
  mt_json_put_whole(out, "vocab_size", (int64_t) c->vocab_size);
  mt_json_put_whole(out, "decoder_vocab_size", (int64_t) c->vocab_size);
  for (size_t s = 0; s < MT_N_STACKS; s++) {
    mt_json_put_whole(out, keys[s][0], (int64_t) c->n_layers[s]);
    mt_json_put_whole(out, keys[s][1], (int64_t) c->n_heads);
    mt_json_put_whole(out, keys[s][2], (int64_t) c->d_ffn);
  }
  mt_json_put_whole(out, "max_position_embeddings", (int64_t) c->max_positions);
  if (c->attention_window)
    mt_json_put_whole(out, "attention_window", (int64_t) c->attention_window);
  mt_json_put_bool(out, "static_position_embeddings", !c->learned_positions);
  mt_json_put_bool(out, "scale_embedding", true);
  mt_json_put_bool(out, "normalize_before", c->normalize_before);
  mt_json_put_bool(out, "normalize_embedding", false);
  mt_json_put_bool(out, "add_final_layer_norm", c->normalize_before);
  mt_json_put_bool(out, "share_encoder_decoder_embeddings", true);
  mt_json_put_bool(out, "tie_word_embeddings", !c->untied_output);
  mt_json_put_bool(out, "is_encoder_decoder", true);
  mt_json_put_number(out, "dropout", c->dropout);
  mt_json_put_number(out, "activation_dropout", c->activation_dropout);
  mt_json_put_number(out, "attention_dropout", 0);
}

static bool
write_config(const mt_model_write *what, mt_new_dir *dir, mt_error *error)
{
  mt_json_out out = {0};
  mt_json_begin(&out, NULL, '{');
  mt_json_put_string(&out, "model_type", "marian");
  mt_json_begin(&out, "architectures", '[');
  mt_json_put_string(&out, NULL, "MarianMTModel");
  mt_json_end(&out);
  put_shape(&out, what);
  put_generation(&out, what);
  mt_json_put_string(&out, "torch_dtype", what->dtype == MT_DTYPE_F16 ? "float16" : "float32");
  mt_json_end(&out);
  if (!write_json(dir, "config.json", &out, error))
    return false;

  mt_json_begin(&out, NULL, '{');
  put_generation(&out, what);
  mt_json_end(&out);
  if (!write_json(dir, "generation_config.json", &out, error))
    return false;

  const mt_dataset_info *info = mt_dataset_get_info(what->dataset);
  mt_json_begin(&out, NULL, '{');
  mt_json_put_string(&out, "source_lang", info->languages[0]);
  mt_json_put_string(&out, "target_lang", info->languages[1]);
  mt_json_put_whole(&out, "model_max_length", (int64_t) what->network->config.max_positions);
  mt_json_end(&out);
  return write_json(dir, "tokenizer_config.json", &out, error);
}

/* ---- Weights --------------------------------------------------------------------------------- */

static bool
write_tensor(const mt_model_write *what, const mt_parameter *parameter, mt_new_file *file,
             float *numbers, uint16_t *halves, mt_error *error)
{
  mt_network_export(what->network, parameter, what->parameters, numbers);
  if (!mt_dtype_all_finite(numbers, parameter->count))
    return mt_fail(error, MT_ERROR_UNSUPPORTED, "Tensor \"%s\" has a number that is not finite.",
                   parameter->name);
  if (what->dtype == MT_DTYPE_F32)
    return mt_new_file_write(file, numbers, parameter->count * sizeof *numbers) || true;
  if (!mt_dtype_to_f16(numbers, halves, parameter->count))
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "Tensor \"%s\" has a number that is too large for F16; write F32 (dtype f32).",
                   parameter->name);
  mt_new_file_write(file, halves, parameter->count * sizeof *halves);
  return true;
}

/* A tensor of the file: a parameter, by its own name or another one. */
typedef struct {
  const char *name;
  const mt_parameter *parameter;
} written;

/* All parameters; and, where the output layer is not tied, the embedding once more by the names of
 * both stacks, since transformers then takes it for shared by nobody. Returns how many. */
static size_t
list_tensors(written *list, const mt_network *network)
{
  size_t n = 0;
  for (; n < network->n_tensors; n++)
    list[n] = (written){network->table[n].name, &network->table[n]};
  for (int s = 0; s < MT_N_STACKS && network->config.untied_output; s++)
    list[n++] = (written){mt_names_hugging_face.embeddings[s], &network->table[0]};
  return n;
}

static bool
write_weights(const mt_model_write *what, mt_new_dir *dir, mt_error *error)
{
  const mt_network *network = what->network;
  size_t most = network->n_tensors + MT_N_STACKS, largest = 0;
  written *list = mt_alloc(most, sizeof *list);
  mt_safetensors_entry *entries = mt_alloc(most, sizeof *entries);
  size_t n = list ? list_tensors(list, network) : 0;
  for (size_t i = 0; entries && i < n; i++) {
    const mt_parameter *p = list[i].parameter;
    entries[i] = (mt_safetensors_entry){
        .name = list[i].name,
        .dtype = what->dtype,
        .n_dims = p->n_dims,
        .shape = {p->shape[0], p->n_dims > 1 ? p->shape[1] : 0},
    };
    largest = p->count > largest ? p->count : largest;
  }
  float *numbers = mt_alloc(largest, sizeof *numbers);
  uint16_t *halves = mt_alloc(largest, sizeof *halves);
  bool ok = (list && entries && numbers && halves) || mt_fail_no_memory(error);
  mt_new_file *file = ok ? mt_new_file_open(dir, "model.safetensors", error) : NULL;
  ok = file && mt_safetensors_write_header(file, entries, n, error);
  for (size_t i = 0; ok && i < n; i++)
    ok = write_tensor(what, list[i].parameter, file, numbers, halves, error);
  if (file && !mt_new_file_close(file, ok ? error : NULL))
    ok = false;
  mt_free(list);
  mt_free(entries);
  mt_free(numbers);
  mt_free(halves);
  return ok;
}

bool
mt_model_write_files(const mt_model_write *what, mt_new_dir *dir, mt_error *error)
{
  return write_config(what, dir, error) &&
         (!what->card || write_text(dir, "README.md", what->card, strlen(what->card), error)) &&
         mt_dataset_copy_tokenizer(what->dataset, mt_new_dir_get_path(dir), error) &&
         write_weights(what, dir, error);
}
