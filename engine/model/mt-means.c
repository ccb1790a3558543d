/* mt-means.c — mean contexts of the heads of a model: a value that knows whose they are, and its
 * file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-means.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "files/mt-file.h"
#include "files/mt-npz.h"

#include <stdio.h>
#include <string.h>

/* ---- Whose ----------------------------------------------------------------------------------- */

/* False, MT_ERROR_INPUT: another model's, called model_name. */
static bool
check_fingerprint(uint64_t found, const char *model_name, const mt_model *model, mt_error *error)
{
  if (found == mt_model_fingerprint(model))
    return true;
  return mt_fail(error, MT_ERROR_INPUT,
                 "These means are of another model, called \"%.80s\", not of \"%.80s\".",
                 model_name, model->name ? model->name : "");
}

bool
mt_means_check(const mt_means *means, const mt_model *model, mt_error *error)
{
  return check_fingerprint(means->fingerprint, means->model_name, model, error);
}

/* ---- The value ------------------------------------------------------------------------------- */

/* Numbers of one kind. */
static size_t
means_size(const mt_means *means, mt_attention_kind kind)
{
  return means->n_layers[kind] * means->n_heads[kind] * means->d_head[kind];
}

mt_means *
mt_means_new(const mt_model *model, const char *text, mt_error *error)
{
  mt_means *means = mt_alloc(1, sizeof *means);
  if (!means)
    return mt_fail_no_memory(error), NULL;
  means->ref_count = 1;
  means->d_model = model->config.d_model;
  means->fingerprint = mt_model_fingerprint(model);
  means->model_name = mt_strdup(model->name ? model->name : "");
  means->text = mt_strdup(text);
  bool ok = means->model_name && means->text;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    means->n_layers[kind] = model->config.n_layers[mt_kind_stack(kind)];
    means->n_heads[kind] = model->config.n_heads[mt_kind_stack(kind)];
    means->d_head[kind] = model->config.d_head[mt_kind_stack(kind)];
    means->means[kind] = mt_alloc(means_size(means, kind), sizeof(float));
    ok = ok && means->means[kind];
  }
  if (ok)
    return means;
  mt_means_unref(means);
  return mt_fail_no_memory(error), NULL;
}

void
mt_means_seal(mt_means *means)
{
  means->hash = mt_hash_bytes(MT_HASH_BEGIN, &means->fingerprint, sizeof means->fingerprint);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    means->hash =
        mt_hash_bytes(means->hash, means->means[kind], means_size(means, kind) * sizeof(float));
}

static void
means_free(mt_means *means)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    mt_free(means->means[kind]);
  mt_free(means->model_name);
  mt_free(means->text);
  mt_free(means);
}

MT_DEFINE_COUNTED(mt_means, means_free)

const float *
mt_means_get(const mt_means *means, mt_attention_kind kind, size_t layer, size_t head)
{
  return means->means[kind] + (layer * means->n_heads[kind] + head) * means->d_head[kind];
}

/* ---- To and from a NumPy archive ------------------------------------------------------------- */

/* What is read may be anything: names, types and shapes are checked against the model before any
 * number is taken, and nothing is allocated by what a file says of itself but its texts, which have
 * a limit. */

static const char *const kind_names[MT_N_KINDS] = {"encoder", "decoder", "cross"};

enum { N_COUNTS = 3, MAX_TEXT = 4 * 1024 }; /* bytes of UTF-32 */
#define MAX_FILE     ((size_t) 1 << 30)
#define MAX_INFLATED ((size_t) 1 << 28)

bool
mt_means_write(const mt_means *means, const char *path, mt_error *error)
{
  char digits[17];
  const char *text = means->text, *model = means->model_name, *fingerprint = digits;
  int32_t counts[N_COUNTS] = {(int32_t) means->n_sentences, (int32_t) means->n_tokens[0],
                              (int32_t) means->n_tokens[1]};
  mt_npz_array arrays[MT_N_KINDS + 4];
  size_t n = 0;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    arrays[n++] =
        (mt_npz_array){.name = kind_names[kind],
                       .n_dims = 3,
                       .shape = {means->n_layers[kind], means->n_heads[kind], means->d_head[kind]},
                       .f32 = means->means[kind]};
  snprintf(digits, sizeof digits, "%016llx", (unsigned long long) means->fingerprint);
  arrays[n++] = (mt_npz_array){.name = "counts", .n_dims = 1, .shape = {N_COUNTS}, .i32 = counts};
  arrays[n++] = (mt_npz_array){.name = "text", .strings = &text};
  arrays[n++] = (mt_npz_array){.name = "model", .strings = &model};
  arrays[n++] = (mt_npz_array){.name = "fingerprint", .strings = &fingerprint};
  return mt_npz_write(path, arrays, n, error);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool
find(mt_npz *npz, const char *label, const char *name, mt_npy *npy, size_t *i, mt_error *error)
{
  if (!mt_npz_find(npz, name, i))
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected means of heads, found no \"%s\".", label,
                   name);
  return mt_npz_get(npz, *i, npy, error);
}

/* A text, to be freed. */
static char *
read_text(mt_npz *npz, const char *label, const char *name, mt_error *error)
{
  mt_npy npy;
  size_t i;
  uint32_t code;
  if (!find(npz, label, name, &npy, &i, error))
    return NULL;
  if (npy.type != MT_NPY_STRING || npy.n_elements != 1 || npy.item_size > MAX_TEXT) {
    mt_fail(error, MT_ERROR_FORMAT, "%s: expected one text of at most %d characters.",
            npz->arrays[i].label, MAX_TEXT / 4);
    return NULL;
  }
  char *text = mt_alloc(npy.item_size + 1, 1);
  if (!text)
    return mt_fail_no_memory(error), NULL;
  if (mt_npy_to_utf8(&npy, 0, text, &code))
    return text;
  mt_free(text);
  mt_fail(error, MT_ERROR_FORMAT, "%s: found U+%04X, which is no character.", npz->arrays[i].label,
          (unsigned) code);
  return NULL;
}

static bool
read_kind(mt_npz *npz, const char *label, mt_means *means, mt_attention_kind kind, mt_error *error)
{
  mt_npy npy;
  size_t i;
  char shape[64];
  if (!find(npz, label, kind_names[kind], &npy, &i, error))
    return false;
  size_t n_heads = means->n_heads[kind], d_head = means->d_head[kind];
  if (npy.type != MT_NPY_FLOAT || npy.n_dims != 3 || npy.shape[0] != means->n_layers[kind] ||
      npy.shape[1] != n_heads || npy.shape[2] != d_head)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected numbers of shape (%zu, %zu, %zu), as the model has heads, found "
                   "'%s' of shape %s.",
                   npz->arrays[i].label, means->n_layers[kind], n_heads, d_head, npy.descr,
                   mt_npy_shape(&npy, shape, sizeof shape));
  if (!mt_npy_to_float(&npy, 0, npy.n_elements, means->means[kind]))
    return mt_fail(error, MT_ERROR_FORMAT, "%s: found a number that is not finite.",
                   npz->arrays[i].label);
  return true;
}

static bool
read_counts(mt_npz *npz, const char *label, mt_means *means, mt_error *error)
{
  mt_npy npy;
  size_t i;
  int64_t counts[N_COUNTS];
  if (!find(npz, label, "counts", &npy, &i, error))
    return false;
  bool ok = (npy.type == MT_NPY_INT || npy.type == MT_NPY_UINT) && npy.n_dims == 1 &&
            npy.n_elements == N_COUNTS;
  for (size_t k = 0; ok && k < N_COUNTS; k++)
    ok = mt_npy_to_int(&npy, k, &counts[k]) && counts[k] > 0 && counts[k] <= INT32_MAX;
  if (!ok)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected three whole numbers from 1 on: sentences, source tokens, output "
                   "tokens.",
                   npz->arrays[i].label);
  means->n_sentences = (size_t) counts[0];
  means->n_tokens[MT_STACK_ENCODER] = (size_t) counts[1];
  means->n_tokens[MT_STACK_DECODER] = (size_t) counts[2];
  return true;
}

/* Whose it says that it is, before its shapes: that is what a person got wrong. */
static bool
check_model(mt_npz *npz, const char *label, const mt_model *model, mt_error *error)
{
  char *name = read_text(npz, label, "model", error);
  char *digits = name ? read_text(npz, label, "fingerprint", error) : NULL;
  uint64_t number = 0;
  bool ok = digits != NULL;
  if (ok && !mt_fingerprint_parse(digits, &number))
    ok = mt_fail(error, MT_ERROR_FORMAT,
                 "%s/fingerprint.npy: expected 16 hexadecimal digits, found \"%.40s\".", label,
                 digits);
  ok = ok && check_fingerprint(number, name, model, error);
  mt_free(name);
  mt_free(digits);
  return ok;
}

static mt_means *
read_npz(mt_npz *npz, const char *label, const mt_model *model, mt_error *error)
{
  if (!check_model(npz, label, model, error))
    return NULL;
  char *text = read_text(npz, label, "text", error);
  mt_means *means = text ? mt_means_new(model, text, error) : NULL;
  mt_free(text);
  bool ok = means && read_counts(npz, label, means, error);
  for (mt_attention_kind kind = 0; ok && kind < MT_N_KINDS; kind++)
    ok = read_kind(npz, label, means, kind, error);
  if (ok) {
    mt_means_seal(means);
    return means;
  }
  mt_means_unref(means);
  return NULL;
}

static mt_means *
read_mapped(const mt_mapping *mapping, const char *label, const mt_model *model, mt_error *error)
{
  mt_npz *npz = mt_npz_open(mapping->bytes, mapping->size, MAX_INFLATED, label, error);
  mt_means *means = npz ? read_npz(npz, label, model, error) : NULL;
  mt_npz_free(npz);
  return means;
}

mt_means *
mt_means_read(const char *path, const mt_model *model, mt_error *error)
{
  mt_mapping mapping;
  mt_fault_log faults = {0};
  char *label = NULL;
  if (!mt_file_map(path, MAX_FILE, &faults, &mapping, &label, error))
    return NULL;
  mt_means *means = read_mapped(&mapping, label, model, error);
  mt_unmap(&mapping);
  mt_free(label);
  if (mt_fault_check(&faults, error))
    return means;
  mt_means_unref(means);
  return NULL;
}

/* ---- Finding --------------------------------------------------------------------------------- */

bool
mt_means_is_name(const char *name)
{
  const size_t n = strlen(name), n_ending = strlen("." MT_MEANS_FILE);
  return strcmp(name, MT_MEANS_FILE) == 0 ||
         (n > n_ending && strcmp(name + n - n_ending, "." MT_MEANS_FILE) == 0);
}

/* Of several the first by name, so that it is the same every time. NULL: there is none. */
static const char *
choose(const mt_dir_list *list)
{
  const char *found = NULL;
  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->names[i], MT_MEANS_FILE) == 0 || (!found && mt_means_is_name(list->names[i])))
      found = list->names[i];
  return found;
}

mt_means *
mt_means_find(const char *folder, const mt_model *model, mt_error *error)
{
  mt_fault_log faults = {0};
  mt_dir dir = MT_DIR_NONE;
  mt_dir_list list = {0};
  mt_mapping mapping = {0};
  mt_means *means = NULL;
  if (mt_dir_open(&dir, folder, &faults, error) && mt_dir_list_read(&list, &dir, error)) {
    const char *file = choose(&list);
    if (!file)
      mt_fail(error, MT_ERROR_IO,
              "There are no means beside the model \"%.100s\": make them of a text, "
              "regard-cli means FILE -o " MT_MEANS_FILE ", and put them into its folder.",
              dir.name);
    else if (mt_dir_map(&dir, file, MAX_FILE, &mapping, error))
      means = read_mapped(&mapping, file, model, error);
  }
  mt_unmap(&mapping);
  mt_dir_list_clear(&list);
  mt_dir_close(&dir);
  if (mt_fault_check(&faults, error))
    return means;
  mt_means_unref(means);
  return NULL;
}
