/* mt-average.c — the mean of several models, whose numbers have to mean the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "checkpoint/mt-container.h"
#include "mt.h"
#include "mt/train/average.h"
#include "mt/train/new-dir.h"
#include "train/mt-model-write.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Whether models are alike ---------------------------------------------------------------- */

/* Whether numbers of two models mean the same. */

/* What a number in a tensor means depends on these. */
typedef struct {
  const char *name;
  size_t value;
} trait;
enum { N_TRAITS = 21 };

static void
list_traits(const mt_config *c, trait out[N_TRAITS])
{
  const trait all[N_TRAITS] = {
      {"d_model", c->d_model},
      {"encoder layers", c->n_layers[MT_STACK_ENCODER]},
      {"decoder layers", c->n_layers[MT_STACK_DECODER]},
      {"encoder heads", c->n_heads[MT_STACK_ENCODER]},
      {"decoder heads", c->n_heads[MT_STACK_DECODER]},
      {"encoder d_ffn", c->d_ffn[MT_STACK_ENCODER]},
      {"decoder d_ffn", c->d_ffn[MT_STACK_DECODER]},
      {"source pieces", c->vocab_size[MT_STACK_ENCODER]},
      {"target pieces", c->vocab_size[MT_STACK_DECODER]},
      {"positions", c->max_positions},
      {"attention window", c->attention_window},
      {"kind of norm", c->norm_kind},
      {"kind of feed-forward network", c->feed_forward_kind},
      {"activation number", c->activation},
      {"kind of positions", c->position_kind},
      {"scaled embeddings", c->scale_embedding},
      {"pre-norm", c->normalize_before},
      {"a norm after the embedding", c->normalize_embedding},
      {"a final norm", c->add_final_layer_norm},
      {"shared embeddings", c->share_embeddings},
      {"tied output", c->tie_word_embeddings},
  };
  memcpy(out, all, sizeof all);
}

static bool
check_traits(const mt_model *first, const mt_model *other, mt_error *error)
{
  trait expected[N_TRAITS], found[N_TRAITS];
  list_traits(mt_model_config(first), expected);
  list_traits(mt_model_config(other), found);
  for (size_t i = 0; i < N_TRAITS; i++)
    if (expected[i].value != found[i].value)
      return mt_fail(error, MT_ERROR_INPUT, "%.200s: expected %s %zu as %.200s has, found %zu.",
                     mt_model_directory(other), expected[i].name, expected[i].value,
                     mt_model_directory(first), found[i].value);
  return true;
}

static bool
check_pieces(const mt_model *first, const mt_model *other, mt_error *error)
{
  for (int s = 0; s < MT_N_STACKS; s++) {
    int32_t n = (int32_t) mt_model_config(first)->vocab_size[s];
    for (int32_t id = 0; id < n; id++) {
      const char *expected = mt_model_piece(first, (mt_stack) s, id);
      const char *found = mt_model_piece(other, (mt_stack) s, id);
      if (strcmp(expected, found) != 0)
        return mt_fail(error, MT_ERROR_INPUT,
                       "%.200s: expected piece %d to be \"%.100s\" as in %.200s, found \"%.100s\".",
                       mt_model_directory(other), (int) id, expected, mt_model_directory(first),
                       found);
    }
  }
  return true;
}

/* Whether both have the same shape and the same pieces with the same ids. Else MT_ERROR_INPUT:
 * names both, and in what they differ. */
static bool
models_check_alike(const mt_model *first, const mt_model *other, mt_error *error)
{
  return check_traits(first, other, error) && check_pieces(first, other, error);
}

/* ---- The mean -------------------------------------------------------------------------------- */

#define CHUNK 65536 /* numbers that are averaged together */

/* What a Hugging Face directory has beside its weights and its card. */
static const char *const files[] = {
    "config.json",
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "source.spm",
    "target.spm",
    "vocab.json",
    "target_vocab.json",
};
#define N_FILES      (sizeof files / sizeof *files)
#define MAX_FILE     ((size_t) 1 << 30)
#define CONFIG_FILE  "config.json"
#define WEIGHTS_FILE "model.safetensors"

typedef struct {
  mt_fault_log faults; /* of what is mapped from dir */
  mt_dir dir;
  const char *label;     /* for the card: the last two components of its path */
  char languages[2][32]; /* "" if not said */
  mt_container *container;
  double share; /* of the mean; all together 1 */
} part;

/* "run-1/model" of "…/run-1/model": models are called "model" where regard-train made them. */
static const char *
last_two_components(const char *path)
{
  const char *from = path + strlen(path);
  for (int slashes = 0; from > path; from--)
    if (from[-1] == '/' && from[0] != '\0' && ++slashes == 2)
      break;
  return from;
}

/* Opens the model, too, which checks all of it. first: NULL for the first one, which is returned.
 */
static bool
open_part(part *p, const char *path, mt_model **first, mt_error *error)
{
  mt_model *model = mt_model_open(path, NULL, error);
  bool ok = model && (!*first || models_check_alike(*first, model, error));
  ok = ok && mt_dir_open(&p->dir, path, &p->faults, error);
  if (ok && !mt_dir_has(&p->dir, CONFIG_FILE))
    ok = mt_fail(error, MT_ERROR_UNSUPPORTED,
                 "%.400s: expected a Hugging Face directory with its " CONFIG_FILE
                 ", found a model in Marian's own format.",
                 path);
  if (ok) {
    const mt_config *config = mt_model_config(model);
    p->label = last_two_components(path);
    snprintf(p->languages[0], sizeof p->languages[0], "%s", config->source_lang);
    snprintf(p->languages[1], sizeof p->languages[1], "%s", config->target_lang);
    p->container = mt_container_open(&p->dir, NULL, error);
  }
  if (ok && !*first)
    *first = model;
  else
    mt_model_unref(model);
  return p->container != NULL;
}

/* ---- The numbers ----------------------------------------------------------------------------- */

/* Where tensor i of the first part lies in each of the n: bytes [n]. */
static bool
find_tensor(part *parts, size_t n, size_t i, const unsigned char **bytes, size_t *places,
            mt_error *error)
{
  const mt_container_tensor *wanted = &parts[0].container->tensors[i];
  for (size_t p = 0; p < n; p++) {
    mt_container *c = parts[p].container;
    if (!mt_container_find(c, wanted->info.name, &places[p]))
      return mt_fail(error, MT_ERROR_INPUT,
                     "%s/%s: expected tensor \"%.200s\" as %s has, found none of that name.",
                     parts[p].dir.name, c->file, wanted->info.name, parts[0].dir.name);
    const mt_container_tensor *t = &c->tensors[places[p]];
    bool same = t->info.n_dims == wanted->info.n_dims && t->n_elements == wanted->n_elements;
    for (size_t d = 0; same && d < wanted->info.n_dims; d++)
      same = t->info.shape[d] == wanted->info.shape[d];
    if (!same)
      return mt_fail(error, MT_ERROR_INPUT,
                     "%s/%s: expected tensor \"%.200s\" in the shape that %s has, found another.",
                     parts[p].dir.name, t->info.file, t->info.name, parts[0].dir.name);
    bytes[p] = c->format->data(c, places[p], error);
    if (!bytes[p])
      return false;
  }
  return true;
}

/* Buffers of CHUNK numbers, and what find_tensor says of each of the n parts. */
typedef struct {
  const unsigned char **bytes;
  size_t *places;
  double *sum;
  float *numbers;
  uint16_t *halves;
} buffers;

static bool
buffers_alloc(buffers *b, size_t n, mt_error *error)
{
  b->bytes = mt_alloc(n, sizeof *b->bytes);
  b->places = mt_alloc(n, sizeof *b->places);
  b->sum = mt_alloc(CHUNK, sizeof *b->sum);
  b->numbers = mt_alloc(CHUNK, sizeof *b->numbers);
  b->halves = mt_alloc(CHUNK, sizeof *b->halves);
  return (b->bytes && b->places && b->sum && b->numbers && b->halves) || mt_fail_no_memory(error);
}

static void
buffers_clear(buffers *b)
{
  mt_free(b->bytes);
  mt_free(b->places);
  mt_free(b->sum);
  mt_free(b->numbers);
  mt_free(b->halves);
}

/* Write m numbers of b->sum in the type of the file. */
static bool
write_numbers(buffers *b, size_t m, const mt_container_tensor *t, mt_new_file *file,
              mt_error *error)
{
  if (t->dtype == MT_DTYPE_F64)
    return mt_new_file_write(file, b->sum, m * sizeof *b->sum), true;
  for (size_t k = 0; k < m; k++)
    b->numbers[k] = (float) b->sum[k];
  if (t->dtype == MT_DTYPE_F32)
    return mt_new_file_write(file, b->numbers, m * sizeof *b->numbers), true;
  if (t->dtype == MT_DTYPE_BF16)
    mt_dtype_to_bf16(b->numbers, b->halves, m);
  else if (!mt_dtype_to_f16(b->numbers, b->halves, m))
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "The mean of tensor \"%.200s\" has a number that is too large for F16.",
                   t->info.name);
  mt_new_file_write(file, b->halves, m * sizeof *b->halves);
  return true;
}

/* sum over parts of share * number, in double. */
static bool
write_tensor(part *parts, size_t n, size_t i, buffers *b, mt_new_file *file, mt_error *error)
{
  const mt_container_tensor *tensor = &parts[0].container->tensors[i];
  if (!find_tensor(parts, n, i, b->bytes, b->places, error))
    return false;
  for (size_t begin = 0; begin < tensor->n_elements; begin += CHUNK) {
    size_t left = tensor->n_elements - begin, m = left < CHUNK ? left : CHUNK;
    for (size_t p = 0; p < n; p++) {
      const mt_container_tensor *t = &parts[p].container->tensors[b->places[p]];
      if (!mt_dtype_to_float(t->dtype, b->bytes[p] + begin * mt_dtype_size(t->dtype), b->numbers,
                             m))
        return mt_fail(error, MT_ERROR_FORMAT,
                       "%s/%s: expected finite numbers in tensor \"%.200s\", found others.",
                       parts[p].dir.name, t->info.file, t->info.name);
      for (size_t k = 0; k < m; k++) {
        double x = parts[p].share * (double) b->numbers[k];
        b->sum[k] = p == 0 ? x : b->sum[k] + x;
      }
    }
    if (!write_numbers(b, m, tensor, file, error))
      return false;
  }
  return true;
}

static bool
check_writable(const part *p, const mt_container_tensor *t, mt_error *error)
{
  if (t->info.n_dims <= MT_SAFETENSORS_MAX_DIMS && t->dtype != MT_DTYPE_OTHER)
    return true;
  return mt_fail(error, MT_ERROR_UNSUPPORTED,
                 "%s/%s: expected tensor \"%.200s\" to be a vector or a matrix of floats, found %s "
                 "in %zu dimensions.",
                 p->dir.name, t->info.file, t->info.name, t->info.dtype, t->info.n_dims);
}

static bool
write_weights(part *parts, size_t n, mt_new_dir *dir, mt_error *error)
{
  const mt_container *c = parts[0].container;
  buffers b = {0};
  mt_safetensors_entry *entries = mt_alloc(c->n_tensors, sizeof *entries);
  bool ok = (entries || mt_fail_no_memory(error)) && buffers_alloc(&b, n, error);
  for (size_t i = 0; ok && i < c->n_tensors; i++) {
    const mt_container_tensor *t = &c->tensors[i];
    ok = check_writable(&parts[0], t, error);
    entries[i] = (mt_safetensors_entry){
        .name = t->info.name,
        .dtype = t->dtype,
        .n_dims = t->info.n_dims,
        .shape = {t->info.shape[0], t->info.shape[1]},
    };
  }
  mt_new_file *file = ok ? mt_new_file_open(dir, WEIGHTS_FILE, error) : NULL;
  ok = file && mt_safetensors_write_header(file, entries, c->n_tensors, error);
  for (size_t i = 0; ok && i < c->n_tensors; i++)
    ok = write_tensor(parts, n, i, &b, file, error);
  if (file && !mt_new_file_close(file, ok ? error : NULL))
    ok = false;
  for (size_t p = 0; ok && p < n; p++)
    ok = mt_container_finish(parts[p].container, NULL, NULL, error);
  buffers_clear(&b);
  mt_free(entries);
  return ok;
}

/* ---- The other files ------------------------------------------------------------------------- */

static bool
copy_file(const mt_dir *from, const char *name, mt_new_dir *to, mt_error *error)
{
  mt_mapping mapping = {0};
  if (!mt_dir_map(from, name, MAX_FILE, &mapping, error))
    return false;
  mt_new_file *file = mt_new_file_open(to, name, error);
  if (file)
    mt_new_file_write(file, mapping.bytes, mapping.size);
  bool ok = file && mt_new_file_close(file, error);
  mt_unmap(&mapping);
  return ok;
}

static void put(mt_new_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
put(mt_new_file *file, const char *format, ...)
{
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (n > 0)
    mt_new_file_write(file, text, (size_t) n < sizeof text ? (size_t) n : sizeof text - 1);
}

/* The card: what these numbers are the mean of. Where they come from is said by the parts' own. */
static bool
write_card(const part *parts, size_t n, mt_new_dir *dir, mt_error *error)
{
  mt_new_file *file = mt_new_file_open(dir, "README.md", error);
  if (!file)
    return false;
  const char *from = parts[0].languages[0], *to = parts[0].languages[1];
  bool has_languages = mt_card_is_plain(from) && mt_card_is_plain(to);
  put(file, "---\n");
  if (has_languages)
    put(file, "language:\n- %s\n- %s\n", from, to);
  put(file, "tags:\n- translation\n---\n\n");
  if (has_languages)
    put(file, "# The mean of %zu models that translate from %s to %s\n\n", n, from, to);
  else
    put(file, "# The mean of %zu models\n\n", n);
  put(file,
      "Made with regard-train " MT_VERSION
      ". Each number is the mean of those of the models below; everything\n"
      "else is as in the first. What they were trained on, and its licences, is in their cards.\n\n"
      "| model | share |\n|---|---|\n");
  for (size_t p = 0; p < n; p++) {
    put(file, "| ");
    /* What would end the cell or the line is left out. */
    for (const char *c = parts[p].label; *c; c++)
      if (!(*c == '/' && c[1] == '\0') && *c != '|' && (unsigned char) *c >= ' ')
        mt_new_file_write(file, c, 1);
    put(file, " | %.4g |\n", parts[p].share);
  }
  return mt_new_file_close(file, error);
}

static bool
write_all(part *parts, size_t n, mt_new_dir *dir, mt_error *error)
{
  for (size_t i = 0; i < N_FILES; i++)
    if (mt_dir_has(&parts[0].dir, files[i]) && !copy_file(&parts[0].dir, files[i], dir, error))
      return false;
  return write_weights(parts, n, dir, error) && write_card(parts, n, dir, error);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool
check_parts(const mt_average_part *given, size_t n, mt_error *error)
{
  if (n < 2)
    return mt_fail(error, MT_ERROR_INPUT, "Expected two models or more, found %zu.", n);
  for (size_t p = 0; p < n; p++)
    if (!(given[p].weight >= 1e-6 && given[p].weight <= 1e6))
      return mt_fail(error, MT_ERROR_INPUT,
                     "%.400s: expected a weight from 0.000001 to 1000000, found %g.", given[p].path,
                     given[p].weight);
  return true;
}

static bool
open_parts(part *parts, const mt_average_part *given, size_t n, mt_error *error)
{
  double sum = 0;
  mt_model *first = NULL;
  bool ok = true;
  for (size_t p = 0; p < n; p++)
    sum += given[p].weight;
  for (size_t p = 0; ok && p < n; p++) {
    parts[p].share = given[p].weight / sum;
    ok = open_part(&parts[p], given[p].path, &first, error);
    if (ok && parts[p].container->n_tensors != parts[0].container->n_tensors)
      ok = mt_fail(error, MT_ERROR_INPUT, "%s/%s: expected %zu tensors as %s has, found %zu.",
                   parts[p].dir.name, parts[p].container->file, parts[0].container->n_tensors,
                   parts[0].dir.name, parts[p].container->n_tensors);
  }
  mt_model_unref(first);
  return ok;
}

bool
mt_average_write(const mt_average_part *given, size_t n, const char *output, bool replace,
                 mt_error *error)
{
  if (!check_parts(given, n, error))
    return false;
  part *parts = mt_alloc(n, sizeof *parts);
  if (!parts)
    return mt_fail_no_memory(error);
  for (size_t p = 0; p < n; p++)
    parts[p].dir = (mt_dir) MT_DIR_NONE;
  bool ok = open_parts(parts, given, n, error);
  mt_new_dir *dir = ok ? mt_new_dir_begin(output, error) : NULL;
  ok = dir && write_all(parts, n, dir, error);
  for (size_t p = 0; p < n; p++) {
    mt_container_free(parts[p].container);
    mt_dir_close(&parts[p].dir);
    /* Whatever else seemed wrong with a file that was cut off meanwhile. */
    ok = mt_fault_check(&parts[p].faults, error) && ok;
  }
  ok = ok && mt_new_dir_commit(dir, replace, error);
  mt_new_dir_free(dir);
  mt_free(parts);
  return ok;
}
