/* mt-checkpoint.c — what a training needs to go on: writing and reading it, and the checkpoints of
 * a folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-checkpoint.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-file.h"
#include "files/mt-json.h"
#include "files/mt-sums.h"
#include "train/mt-model-write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MT_CHECKPOINT_JSON    "trainer_state.json"
#define MT_CHECKPOINT_TENSORS "trainer_state.safetensors"

#define FORMAT         1
#define RECORD_NUMBERS 5
#define MAX_HISTORY    ((size_t) 1 << 24)
#define SUM_KEY        "crc32"
#define SUM_SIZE       9 /* eight hexadecimal digits */

enum { TENSOR_PARAMETERS, TENSOR_M, TENSOR_V, TENSOR_HISTORY, N_TENSORS };

#ifdef MT_TRAIN_DOUBLE
#define REAL_DTYPE MT_DTYPE_F64
#else
#define REAL_DTYPE MT_DTYPE_F32
#endif

static void
describe_tensors(mt_safetensors_entry entries[N_TENSORS], size_t n_flat, size_t n_history)
{
  entries[TENSOR_PARAMETERS] = (mt_safetensors_entry){"parameters", REAL_DTYPE, 1, {n_flat}};
  entries[TENSOR_M] = (mt_safetensors_entry){"adam_m", REAL_DTYPE, 1, {n_flat}};
  entries[TENSOR_V] = (mt_safetensors_entry){"adam_v", REAL_DTYPE, 1, {n_flat}};
  entries[TENSOR_HISTORY] =
      (mt_safetensors_entry){"history", MT_DTYPE_F64, 2, {n_history, RECORD_NUMBERS}};
}

/* The shape of a network by the keys of the configuration. */
typedef struct {
  const char *key;
  size_t value;
} shape_row;
enum { N_SHAPE_ROWS = 13 };

static void
describe_shape(shape_row rows[N_SHAPE_ROWS], const mt_network *network)
{
  const mt_network_config *c = &network->config;
  const shape_row all[N_SHAPE_ROWS] = {
      {"d_model", c->d_model},
      {"encoder_layers", c->n_layers[MT_STACK_ENCODER]},
      {"decoder_layers", c->n_layers[MT_STACK_DECODER]},
      {"heads", c->n_heads},
      {"d_ffn", c->d_ffn},
      {"vocab_size", c->vocab_size},
      {"max_positions", c->learned_positions ? c->max_positions : 0},
      {"activation", (size_t) c->activation},
      {"pre_norm", c->normalize_before},
      {"learned_positions", c->learned_positions},
      {"untied_output", c->untied_output},
      {"deepnorm", c->init == MT_INIT_DEEPNORM},
      {"n_flat", network->n_flat},
  };
  memcpy(rows, all, sizeof all);
}

/* What the check sum begins with: the numbers of where the training is. The data of the tensors
 * follow. */
static uint32_t
sum_of_state(const mt_checkpoint *c)
{
  char text[160];
  int n = snprintf(text, sizeof text, "%llu %llu %llu %llu %zu", (unsigned long long) c->state.step,
                   (unsigned long long) c->state.position.epoch,
                   (unsigned long long) c->state.position.batch,
                   (unsigned long long) c->state.sampling, c->n_history);
  return mt_crc32(0, text, (size_t) n);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void
put_u64(mt_json_out *out, const char *key, uint64_t value)
{
  /* As text: a number in JSON is a double to many readers. */
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long) value);
  mt_json_put_string(out, key, text);
}

static bool
write_json(mt_new_dir *dir, const mt_checkpoint *c, uint32_t sum, mt_error *error)
{
  char hexadecimal[SUM_SIZE];
  snprintf(hexadecimal, sizeof hexadecimal, "%08x", (unsigned) sum);
  mt_json_out out = {0};
  mt_json_begin(&out, NULL, '{');
  mt_json_put_whole(&out, "format", FORMAT);
  mt_json_put_string(&out, "program", "regard-train " MT_VERSION);
  mt_json_put_whole(&out, "step", (int64_t) c->state.step);
  mt_json_put_whole(&out, "epoch", (int64_t) c->state.position.epoch);
  mt_json_put_whole(&out, "batch", (int64_t) c->state.position.batch);
  put_u64(&out, "sampling", c->state.sampling);
  mt_json_put_whole(&out, "n_history", (int64_t) c->n_history);
  mt_json_put_string(&out, SUM_KEY, hexadecimal);
  shape_row rows[N_SHAPE_ROWS];
  describe_shape(rows, c->network);
  mt_json_begin(&out, "network", '{');
  for (size_t i = 0; i < N_SHAPE_ROWS; i++)
    mt_json_put_whole(&out, rows[i].key, (int64_t) rows[i].value);
  mt_json_end(&out);
  mt_json_end(&out);
  bool ok = mt_json_finish(&out, "\n", error);
  mt_new_file *file = ok ? mt_new_file_open(dir, MT_CHECKPOINT_JSON, error) : NULL;
  if (file)
    mt_new_file_write(file, out.text, out.n);
  mt_json_out_clear(&out);
  return file && mt_new_file_close(file, error);
}

/* *sum: goes on from there, over the data. */
static bool
write_tensors(mt_new_dir *dir, const mt_checkpoint *c, uint32_t *sum, mt_error *error)
{
  size_t n_flat = c->network->n_flat;
  mt_safetensors_entry entries[N_TENSORS];
  describe_tensors(entries, n_flat, c->n_history);
  mt_new_file *file = mt_new_file_open(dir, MT_CHECKPOINT_TENSORS, error);
  if (!file)
    return false;
  bool ok = mt_safetensors_write_header(file, entries, N_TENSORS, error);
  const mt_real *blocks[] = {c->network->parameters, c->adam->m, c->adam->v};
  for (size_t i = 0; ok && i < 3; i++) {
    mt_new_file_write(file, blocks[i], n_flat * sizeof *blocks[i]);
    *sum = mt_crc32(*sum, blocks[i], n_flat * sizeof *blocks[i]);
  }
  for (size_t i = 0; ok && i < c->n_history; i++) {
    const mt_trainer_record *r = &c->history[i];
    const double numbers[RECORD_NUMBERS] = {(double) r->step, r->loss, r->learning_rate,
                                            r->valid_loss, r->valid_bleu};
    mt_new_file_write(file, numbers, sizeof numbers);
    *sum = mt_crc32(*sum, numbers, sizeof numbers);
  }
  return mt_new_file_close(file, ok ? error : NULL) && ok;
}

bool
mt_checkpoint_write(const char *output, const mt_checkpoint *checkpoint,
                    const mt_model_write *model, mt_error *error)
{
  char *path = mt_checkpoint_path(output, checkpoint->state.step);
  if (!path)
    return mt_fail_no_memory(error);
  mt_new_dir *dir = mt_new_dir_begin(path, error);
  uint32_t sum = sum_of_state(checkpoint);
  bool ok = dir && mt_model_write_files(model, dir, error) &&
            write_tensors(dir, checkpoint, &sum, error) &&
            write_json(dir, checkpoint, sum, error) && mt_new_dir_commit(dir, true, error);
  mt_new_dir_free(dir);
  mt_free(path);
  return ok;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool
missing(const mt_json *json, const char *key, mt_error *error)
{
  return mt_fail(error, MT_ERROR_FORMAT, "%s: expected the key \"%s\", found no such key.",
                 json->label, key);
}

static bool
check_shape(const mt_json *json, const mt_network *network, mt_error *error)
{
  const mt_json_value *object = mt_json_get(json, "network");
  if (mt_json_kind_of(object) != MT_JSON_OBJECT)
    return missing(json, "network", error);
  shape_row rows[N_SHAPE_ROWS];
  describe_shape(rows, network);
  for (size_t i = 0; i < N_SHAPE_ROWS; i++) {
    const mt_json_value *value = mt_json_member(object, rows[i].key);
    char found[MT_JSON_DESCRIPTION_SIZE];
    /* What came later to the list is off where it is not named. */
    if (!value && rows[i].value == 0)
      continue;
    if (mt_json_kind_of(value) != MT_JSON_INTEGER ||
        mt_json_integer(value) != (int64_t) rows[i].value)
      return mt_fail(error, MT_ERROR_INPUT,
                     "%s: the training that goes on has \"%s\" %zu, and the checkpoint was written "
                     "with %s.",
                     json->label, rows[i].key, rows[i].value, mt_json_describe(value, found));
  }
  return true;
}

static bool
read_u64(const mt_json *json, const char *key, uint64_t *value, mt_error *error)
{
  const char *text = NULL;
  if (!mt_json_get_string(json, key, &text, error))
    return false;
  if (!text)
    return missing(json, key, error);
  char *end;
  *value = strtoull(text, &end, 10);
  return (text[0] >= '0' && text[0] <= '9' && *end == '\0') ||
         mt_fail(error, MT_ERROR_FORMAT, "%s: expected \"%s\" to be a number, found \"%.40s\".",
                 json->label, key, text);
}

/* "" in a checkpoint that is older than check sums. */
static bool
read_sum(const mt_json *json, char sum[SUM_SIZE], mt_error *error)
{
  const char *text = NULL;
  sum[0] = '\0';
  if (!mt_json_get_string(json, SUM_KEY, &text, error))
    return false;
  if (text && (strlen(text) != SUM_SIZE - 1 || strspn(text, "0123456789abcdef") != SUM_SIZE - 1))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected \"" SUM_KEY "\" to be eight hexadecimal digits, found \"%.40s\".",
                   json->label, text);
  if (text)
    memcpy(sum, text, SUM_SIZE);
  return true;
}

static bool
read_json(const mt_dir *dir, mt_checkpoint *c, uint64_t step, char sum[SUM_SIZE], mt_error *error)
{
  mt_json json = {0};
  if (!mt_json_load(&json, dir, MT_CHECKPOINT_JSON, error))
    return false;
  const size_t most = (size_t) 1 << 53;
  size_t format = 0, found = SIZE_MAX, epoch = SIZE_MAX, batch = SIZE_MAX, n_history = SIZE_MAX;
  bool ok = mt_json_get_size(&json, "format", FORMAT, FORMAT, &format, error) &&
            mt_json_get_size(&json, "step", 0, most, &found, error) &&
            mt_json_get_size(&json, "epoch", 0, most, &epoch, error) &&
            mt_json_get_size(&json, "batch", 0, most, &batch, error) &&
            mt_json_get_size(&json, "n_history", 0, MAX_HISTORY, &n_history, error) &&
            read_u64(&json, "sampling", &c->state.sampling, error) && read_sum(&json, sum, error);
  const struct {
    const char *key;
    bool is_there;
  } keys[] = {{"format", format == FORMAT},
              {"step", found != SIZE_MAX},
              {"epoch", epoch != SIZE_MAX},
              {"batch", batch != SIZE_MAX},
              {"n_history", n_history != SIZE_MAX}};
  for (size_t i = 0; ok && i < sizeof keys / sizeof *keys; i++)
    ok = keys[i].is_there || missing(&json, keys[i].key, error);
  if (ok && found != step)
    ok = mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected step %llu, as the folder is called, found %zu.", json.label,
                 (unsigned long long) step, found);
  ok = ok && check_shape(&json, c->network, error);
  mt_json_clear(&json);
  if (!ok)
    return false;
  c->state.step = step;
  c->state.position = (mt_sampler_position){.epoch = epoch, .batch = batch};
  c->n_history = n_history;
  return true;
}

/* sum: as the description says; data [n]: of all tensors, which lie side by side. */
static bool
check_sum(const mt_checkpoint *c, const char *sum, const unsigned char *data, size_t n,
          const char *label, mt_error *error)
{
  char found[SUM_SIZE];
  snprintf(found, sizeof found, "%08x", (unsigned) mt_crc32(sum_of_state(c), data, n));
  return !sum[0] || strcmp(sum, found) == 0 ||
         mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected this file and " MT_CHECKPOINT_JSON
                 " beside it to have the check sum (CRC-32) %s, found %s: one of them is damaged.",
                 label, sum, found);
}

static bool
copy_tensors(mt_checkpoint *c, const unsigned char *const data[N_TENSORS], mt_error *error)
{
  size_t n_bytes = c->network->n_flat * sizeof(mt_real);
  c->history = mt_alloc(c->n_history, sizeof *c->history);
  if (!c->history)
    return mt_fail_no_memory(error);
  memcpy(c->network->parameters, data[TENSOR_PARAMETERS], n_bytes);
  memcpy(c->adam->m, data[TENSOR_M], n_bytes);
  memcpy(c->adam->v, data[TENSOR_V], n_bytes);
  for (size_t i = 0; i < c->n_history; i++) {
    double numbers[RECORD_NUMBERS];
    memcpy(numbers, data[TENSOR_HISTORY] + i * sizeof numbers, sizeof numbers);
    c->history[i] = (mt_trainer_record){
        .step = numbers[0] >= 0 && numbers[0] < 0x1p63 ? (uint64_t) numbers[0] : 0,
        .loss = numbers[1],
        .learning_rate = numbers[2],
        .valid_loss = numbers[3],
        .valid_bleu = numbers[4],
    };
  }
  return true;
}

/* Whether what lies between the tensors of a block is 0, as the network promises. */
static bool
is_zero_between(const mt_network *network, const mt_real *block)
{
  size_t at = 0;
  for (size_t i = 0; i <= network->n_tensors; i++) {
    const mt_parameter *t = i < network->n_tensors ? &network->table[i] : NULL;
    for (size_t end = t ? t->offset : network->n_flat; at < end; at++)
      if (block[at] != 0) /* and what is not a number */
        return false;
    at = t ? t->offset + t->count : at;
  }
  return true;
}

static bool
check_numbers(const mt_checkpoint *c, const char *label, mt_error *error)
{
  const struct {
    const char *name;
    const mt_real *block;
  } blocks[] = {{"parameters", c->network->parameters},
                {"adam_m", c->adam->m},
                {"adam_v", c->adam->v}};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    const mt_parameter *bad = mt_network_find_not_finite(c->network, blocks[i].block);
    if (bad)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected finite numbers in \"%s\", found another one at tensor \"%s\".",
                     label, blocks[i].name, bad->name);
    if (!is_zero_between(c->network, blocks[i].block))
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected 0 between the tensors of \"%s\", found another number.", label,
                     blocks[i].name);
  }
  /* A mean of squares. */
  for (size_t i = 0; i < c->network->n_flat; i++)
    if (c->adam->v[i] < 0)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected no number below 0 in \"adam_v\", found %g.", label,
                     (double) c->adam->v[i]);
  return true;
}

bool
mt_checkpoint_read(const char *output, uint64_t step, mt_checkpoint *c, mt_error *error)
{
  char *path = mt_checkpoint_path(output, step);
  if (!path)
    return mt_fail_no_memory(error);
  mt_dir dir = MT_DIR_NONE;
  mt_mapping map = {0};
  char label[128], sum[SUM_SIZE];
  mt_safetensors_entry entries[N_TENSORS];
  const unsigned char *data[N_TENSORS];
  c->history = NULL;
  c->n_history = 0;
  bool ok = mt_dir_open_as(&dir, path, "the folder of a checkpoint", NULL, error) &&
            read_json(&dir, c, step, sum, error);
  if (ok) {
    snprintf(label, sizeof label, "%.60s/" MT_CHECKPOINT_TENSORS, dir.name);
    describe_tensors(entries, c->network->n_flat, c->n_history);
    ok = mt_dir_map(&dir, MT_CHECKPOINT_TENSORS, SIZE_MAX / 2, &map, error) &&
         mt_safetensors_find(map.bytes, map.size, label, entries, N_TENSORS, data, error) &&
         check_sum(c, sum, data[0], (size_t) (map.bytes + map.size - data[0]), label, error) &&
         copy_tensors(c, data, error) && check_numbers(c, label, error);
    mt_unmap(&map);
  }
  mt_dir_close(&dir);
  mt_free(path);
  if (!ok) {
    mt_free(c->history);
    c->history = NULL;
    c->n_history = 0;
  }
  return ok;
}

/* ---- Checkpoints of a folder ----------------------------------------------------------------- */

/* The checkpoints of an output folder: which there are, and removing them. */

#define PREFIX        "step-"
#define REMOVED       ".removed-"
#define MIN_DIGITS    8
#define MAX_DIGITS    19
#define MAX_FILE_NAME 64

static void
format_name(char *out, size_t size, const char *before, uint64_t step)
{
  snprintf(out, size, "%s" PREFIX "%0*llu", before, MIN_DIGITS, (unsigned long long) step);
}

char *
mt_checkpoint_path(const char *output, uint64_t step)
{
  char name[MAX_FILE_NAME];
  format_name(name, sizeof name, "", step);
  return mt_path_join(output, name);
}

/* The step of "step-00012000"; false for other names. */
static bool
parse_name(const char *name, uint64_t *step)
{
  if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
    return false;
  const char *digits = name + strlen(PREFIX);
  size_t n = strspn(digits, "0123456789");
  if (n < MIN_DIGITS || n > MAX_DIGITS || digits[n] != '\0' || (n > MIN_DIGITS && digits[0] == '0'))
    return false;
  *step = strtoull(digits, NULL, 10);
  return true;
}

static int
compare_steps(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

bool
mt_checkpoint_list(const char *output, uint64_t **steps, size_t *n, mt_error *error)
{
  *steps = NULL;
  *n = 0;
  DIR *folder = opendir(output);
  if (!folder)
    return errno == ENOENT ||
           mt_fail(error, MT_ERROR_IO, "%.600s: the folder cannot be listed (%m).", output);
  size_t room = 0;
  bool ok = true;
  for (const struct dirent *entry; ok && (entry = readdir(folder));) {
    uint64_t step;
    if (!parse_name(entry->d_name, &step))
      continue;
    ok = mt_grow(steps, *n, 1, &room, sizeof **steps) || mt_fail_no_memory(error);
    if (ok)
      (*steps)[(*n)++] = step;
  }
  closedir(folder);
  if (!ok) {
    mt_free(*steps);
    *steps = NULL;
    *n = 0;
    return false;
  }
  if (*n > 0)
    qsort(*steps, *n, sizeof **steps, compare_steps);
  return true;
}

static int
open_checkpoint(const char *output, uint64_t step)
{
  char *path = mt_checkpoint_path(output, step);
  int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
  mt_free(path);
  return fd;
}

bool
mt_checkpoint_find_last(const char *output, uint64_t *step)
{
  uint64_t *steps;
  size_t n;
  if (!mt_checkpoint_list(output, &steps, &n, NULL))
    return false;
  bool found = false;
  while (!found && n > 0) {
    int fd = open_checkpoint(output, steps[--n]);
    found = fd >= 0 && faccessat(fd, MT_CHECKPOINT_JSON, F_OK, 0) == 0 &&
            faccessat(fd, MT_CHECKPOINT_TENSORS, F_OK, 0) == 0;
    if (found)
      *step = steps[n];
    if (fd >= 0)
      close(fd);
  }
  mt_free(steps);
  return found;
}

/* ---- Removing -------------------------------------------------------------------------------- */

void
mt_checkpoint_strip(const char *output, uint64_t step)
{
  int fd = open_checkpoint(output, step);
  if (fd < 0)
    return;
  unlinkat(fd, MT_CHECKPOINT_TENSORS, 0);
  unlinkat(fd, MT_CHECKPOINT_JSON, 0);
  close(fd);
}

/* The files of a folder in `parent`, then the folder; it has no folders in it. */
static void
remove_folder(int parent, const char *name)
{
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
  if (!list) {
    if (fd >= 0)
      close(fd);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(list));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(fd, entry->d_name, 0);
  closedir(list);
  unlinkat(parent, name, AT_REMOVEDIR);
}

void
mt_checkpoint_remove(const char *output, uint64_t step)
{
  char name[MAX_FILE_NAME], hidden[MAX_FILE_NAME];
  format_name(name, sizeof name, "", step);
  format_name(hidden, sizeof hidden, REMOVED, step);
  int fd = open(output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  /* Under another name first, so that half of one never looks like one. */
  if (renameat(fd, name, fd, hidden) == 0)
    remove_folder(fd, hidden);
  close(fd);
}

void
mt_checkpoint_tidy(const char *output)
{
  int fd = open(output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
  if (!list) {
    if (fd >= 0)
      close(fd);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(list));)
    if (strncmp(entry->d_name, REMOVED, strlen(REMOVED)) == 0 ||
        (entry->d_name[0] == '.' && strstr(entry->d_name, ".part-")))
      remove_folder(fd, entry->d_name);
  closedir(list);
}
