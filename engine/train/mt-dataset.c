/* mt-dataset.c — a prepared folder, read and written.
 *
 * All of it is looked at when it is opened, so that nobody has to check an id later. What is mapped
 * can still be changed by others afterwards: lengths and ids are bounded once more where they are
 * used.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-fault.h"
#include "files/mt-file.h"
#include "files/mt-json.h"
#include "files/mt-npy.h"
#include "files/mt-sums.h"
#include "mt/train/dataset.h"
#include "mt/train/new-dir.h"
#include "text/mt-sentencepiece.h"
#include "text/mt-vocab.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MT_DATASET_MANIFEST "manifest.json"

static const char *const part_names[MT_DATASET_N_PARTS] = {"train", "heldout"};

/* Ids and offsets, [part][side]. */
static const char *const ids_files[MT_DATASET_N_PARTS][MT_N_STACKS] = {
    {"train.source.npy", "train.target.npy"},
    {"heldout.source.npy", "heldout.target.npy"},
};

static const char *const offsets_files[MT_DATASET_N_PARTS][MT_N_STACKS] = {
    {"train.source-offsets.npy", "train.target-offsets.npy"},
    {"heldout.source-offsets.npy", "heldout.target-offsets.npy"},
};

static const char *const text_files[MT_N_STACKS] = {"heldout.source.txt", "heldout.target.txt"};

/* The tokenizer, of which the last is there only if the vocabularies are separate. */
enum { MT_DATASET_N_TOKENIZER_FILES = 4 };

static const char *const tokenizer_files[MT_DATASET_N_TOKENIZER_FILES] = {"source.spm",
                                                                          "target.spm",
                                                                          "vocab.json",
                                                                          "target_vocab.json"};

/* Bytes of a file; no sum of a few of them overflows. */
#define MT_DATASET_MAX_FILE (SIZE_MAX / 4)

/* One side of one part. */
typedef struct {
  mt_mapping ids_file, offsets_file;
  const unsigned char *ids, *offsets; /* not aligned in an archive */
  size_t id_size;                     /* bytes: 2 or 4 */
  size_t n_tokens;
} side_arrays;

typedef struct {
  mt_mapping file;
  size_t *starts; /* [pairs + 1], where line i begins */
} text_lines;

struct mt_dataset {
  mt_fault_log faults;
  char *name; /* of the folder, for messages */
  mt_json manifest;
  uint32_t checksum;
  mt_dataset_info info;
  mt_dataset_source *sources;
  size_t n_sources;
  size_t n_pairs[MT_DATASET_N_PARTS];
  side_arrays sides[MT_DATASET_N_PARTS][MT_N_STACKS];
  text_lines texts[MT_N_STACKS];
  mt_mapping tokenizer[MT_DATASET_N_TOKENIZER_FILES];
};

/* One-dimensional, '<u2', '<u4' or '<u8' (item_size 2, 4, 8). */
typedef struct mt_npy_writer mt_npy_writer;

/* ---- The manifest ---------------------------------------------------------------------------- */

/* What manifest.json says of a prepared folder. */

#define MAX_TOKENS  ((size_t) 1 << 20) /* of a sentence */
#define MAX_SOURCES 4096

/* Members of any object, with the words of mt_json_get_… */
static bool
get_size(const mt_json *json, const mt_json_value *object, const char *where, const char *key,
         size_t min, size_t max, size_t *value, mt_error *error)
{
  const mt_json_value *member = mt_json_member(object, key);
  int64_t number = mt_json_kind_of(member) == MT_JSON_INTEGER ? mt_json_integer(member) : -1;
  char found[MT_JSON_DESCRIPTION_SIZE];
  if (number < 0 || (uint64_t) number < min || (uint64_t) number > max)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s of %s to be a whole number from %zu to %zu, found %s.",
                   json->label, key, where, min, max,
                   member ? mt_json_describe(member, found) : "none");
  *value = (size_t) number;
  return true;
}

static bool
get_text(const mt_json *json, const mt_json_value *object, const char *where, const char *key,
         const char **value, mt_error *error)
{
  const mt_json_value *member = mt_json_member(object, key);
  const char *text = mt_json_kind_of(member) == MT_JSON_STRING ? mt_json_string(member) : NULL;
  char found[MT_JSON_DESCRIPTION_SIZE];
  if (!text)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected %s of %s to be a string, found %s.",
                   json->label, key, where, member ? mt_json_describe(member, found) : "none");
  *value = text;
  return true;
}

static bool
read_format(const mt_json *json, mt_error *error)
{
  size_t format;
  if (!get_size(json, json->root, "the manifest", "format", 1, INT32_MAX, &format, error))
    return false;
  return format == MT_DATASET_FORMAT ||
         mt_fail(error, MT_ERROR_UNSUPPORTED,
                 "%s: expected format %d of prepared folders, found %zu (prepare it again).",
                 json->label, MT_DATASET_FORMAT, format);
}

static bool
read_info(mt_dataset *d, mt_error *error)
{
  static const char where[] = "the manifest";
  const mt_json *json = &d->manifest;
  const mt_json_value *root = json->root;
  mt_dataset_info *info = &d->info;
  const char *seed;
  size_t ids[3];
  static const char *const id_keys[] = {"pad_id", "eos_id", "unk_id"};
  if (!get_text(json, root, where, "source_language", &info->languages[0], error) ||
      !get_text(json, root, where, "target_language", &info->languages[1], error) ||
      !get_size(json, root, where, "source_vocab_size", 4, INT32_MAX, &info->vocab_size[0],
                error) ||
      !get_size(json, root, where, "target_vocab_size", 4, INT32_MAX, &info->vocab_size[1],
                error) ||
      !get_size(json, root, where, "max_tokens", 2, MAX_TOKENS, &info->max_tokens, error) ||
      !mt_json_get_bool(json, "separate_vocabs", &info->separate_vocabs, error) ||
      !get_text(json, root, where, "seed", &seed, error))
    return false;
  info->seed = strtoull(seed, NULL, 10);
  size_t smallest =
      info->vocab_size[0] < info->vocab_size[1] ? info->vocab_size[0] : info->vocab_size[1];
  for (int i = 0; i < 3; i++)
    if (!get_size(json, root, where, id_keys[i], 0, smallest - 1, &ids[i], error))
      return false;
  if (ids[0] == ids[1] || ids[0] == ids[2] || ids[1] == ids[2] ||
      (!info->separate_vocabs && info->vocab_size[0] != info->vocab_size[1]))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected three different special ids, and one size of a shared vocabulary, "
                   "found others.",
                   json->label);
  info->pad_id = (int32_t) ids[0];
  info->eos_id = (int32_t) ids[1];
  info->unk_id = (int32_t) ids[2];
  return true;
}

/* "pairs", "source_tokens" and "target_tokens" of an object. */
static bool
read_counts(const mt_json *json, const mt_json_value *object, const char *where, size_t *n_pairs,
            size_t n_tokens[MT_N_STACKS], mt_error *error)
{
  return get_size(json, object, where, "pairs", 0, MT_DATASET_MAX_FILE / sizeof(uint64_t) - 1,
                  n_pairs, error) &&
         get_size(json, object, where, "source_tokens", 0, MT_DATASET_MAX_FILE, &n_tokens[0],
                  error) &&
         get_size(json, object, where, "target_tokens", 0, MT_DATASET_MAX_FILE, &n_tokens[1],
                  error);
}

static bool
read_parts(mt_dataset *d, mt_error *error)
{
  for (int p = 0; p < MT_DATASET_N_PARTS; p++) {
    const char *name = part_names[p];
    size_t n_tokens[MT_N_STACKS];
    if (!read_counts(&d->manifest, mt_json_get(&d->manifest, name), name, &d->n_pairs[p], n_tokens,
                     error))
      return false;
    for (int s = 0; s < MT_N_STACKS; s++)
      d->sides[p][s].n_tokens = n_tokens[s];
  }
  return true;
}

static bool
read_source(const mt_json *json, const mt_json_value *row, size_t first_pair,
            mt_dataset_source *source, mt_error *error)
{
  static const char where[] = "a source";
  *source = (mt_dataset_source){.first_pair = first_pair};
  const mt_json_value *weight = mt_json_member(row, "weight");
  if (!get_text(json, row, where, "name", &source->name, error) ||
      !get_text(json, row, where, "licence", &source->licence, error) ||
      !get_text(json, row, where, "note", &source->note, error) ||
      !read_counts(json, row, where, &source->n_pairs, source->n_tokens, error))
    return false;
  mt_json_kind kind = mt_json_kind_of(weight);
  source->segmentations = 1;
  if (mt_json_member(row, "segmentations") &&
      !get_size(json, row, where, "segmentations", 1, MT_DATASET_MAX_SEGMENTATIONS,
                &source->segmentations, error))
    return false;
  source->weight = kind == MT_JSON_INTEGER || kind == MT_JSON_NUMBER ? mt_json_number(weight) : 0;
  if (!isfinite(source->weight) || source->weight <= 0)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected the weight of \"%.200s\" to be a number above 0, found another.",
                   json->label, source->name);
  return true;
}

static bool
read_sources(mt_dataset *d, mt_error *error)
{
  const mt_json *json = &d->manifest;
  const mt_json_value *rows = mt_json_get(json, "sources");
  if (mt_json_kind_of(rows) != MT_JSON_ARRAY || mt_json_length(rows) > MAX_SOURCES)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected sources to be a list of at most %d, found another.", json->label,
                   MAX_SOURCES);
  d->sources = mt_alloc(mt_json_length(rows), sizeof *d->sources);
  if (!d->sources)
    return mt_fail_no_memory(error);
  size_t n_pairs = 0;
  for (size_t i = 0; i < mt_json_length(rows); i++) {
    mt_dataset_source *source = &d->sources[d->n_sources++];
    if (!read_source(json, mt_json_at(rows, i), n_pairs, source, error))
      return false;
    if (source->n_pairs > d->n_pairs[MT_DATASET_TRAIN] - n_pairs)
      break;
    n_pairs += source->n_pairs;
  }
  return n_pairs == d->n_pairs[MT_DATASET_TRAIN] ||
         mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected the sources to have %zu pairs together, found another number.",
                 json->label, d->n_pairs[MT_DATASET_TRAIN]);
}

/* ---- The manifest ---------------------------------------------------------------------------- */

/* Read manifest.json: info, sources, numbers of pairs and tokens. */
static bool
open_manifest(mt_dataset *d, const mt_dir *dir, mt_error *error)
{
  mt_mapping file;
  if (!mt_json_load(&d->manifest, dir, MT_DATASET_MANIFEST, error) ||
      !mt_dir_map(dir, MT_DATASET_MANIFEST, MT_DATASET_MAX_FILE, &file, error))
    return false;
  d->checksum = mt_crc32(0, file.bytes, file.size);
  mt_unmap(&file);
  return read_format(&d->manifest, error) && read_info(d, error) && read_parts(d, error) &&
         read_sources(d, error);
}

/* What it says of a file: its size in bytes, and its check sum in hexadecimal digits (borrowed). */
static bool
get_file(const mt_dataset *d, const char *name, size_t *size, const char **crc, mt_error *error)
{
  const mt_json_value *rows = mt_json_get(&d->manifest, "files"), *row = NULL;
  for (size_t i = 0; !row && mt_json_kind_of(rows) == MT_JSON_ARRAY && i < mt_json_length(rows);
       i++) {
    const mt_json_value *member = mt_json_member(mt_json_at(rows, i), "name");
    const char *text = mt_json_kind_of(member) == MT_JSON_STRING ? mt_json_string(member) : NULL;
    if (text && strcmp(text, name) == 0)
      row = mt_json_at(rows, i);
  }
  if (!row)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected %s among the files, found it not there.",
                   d->manifest.label, name);
  return get_size(&d->manifest, row, name, "bytes", 0, MT_DATASET_MAX_FILE, size, error) &&
         get_text(&d->manifest, row, name, "crc32", crc, error);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* ---- Files ----------------------------------------------------------------------------------- */

/* Map a file and compare it with its row of the manifest. An empty one is mapped as nothing. */
static bool
map_file(mt_dataset *d, const mt_dir *dir, const char *name, mt_mapping *mapping, mt_error *error)
{
  size_t size;
  const char *crc;
  if (!get_file(d, name, &size, &crc, error))
    return false;
  if (size == 0)
    return true;
  if (!mt_dir_map(dir, name, MT_DATASET_MAX_FILE, mapping, error))
    return false;
  if (mapping->size != size)
    return mt_fail(error, MT_ERROR_FORMAT, "%s/%s: expected %zu bytes, found %zu (is it cut off?).",
                   dir->name, name, size, mapping->size);
  char found[16];
  snprintf(found, sizeof found, "%08x", (unsigned) mt_crc32(0, mapping->bytes, size));
  return strcmp(found, crc) == 0 ||
         mt_fail(error, MT_ERROR_FORMAT,
                 "%s/%s: expected the check sum %.16s of the manifest, found %s: the file is "
                 "damaged.",
                 dir->name, name, crc, found);
}

/* The elements of a one-dimensional array of unsigned numbers; NULL after an error. */
static const unsigned char *
map_array(mt_dataset *d, const mt_dir *dir, const char *name, size_t n, mt_mapping *mapping,
          size_t *item_size, mt_error *error)
{
  char label[600], shape[64];
  mt_npy npy;
  snprintf(label, sizeof label, "%.500s/%s", dir->name, name);
  if (!map_file(d, dir, name, mapping, error) ||
      !mt_npy_parse(mapping->bytes, mapping->size, label, &npy, error))
    return NULL;
  if (npy.type == MT_NPY_UINT && npy.n_dims == 1 && npy.shape[0] == n) {
    *item_size = npy.item_size;
    return npy.data;
  }
  mt_fail(error, MT_ERROR_FORMAT,
          "%s: expected %zu unsigned whole numbers in one row, found '%s' of shape %s.", label, n,
          npy.descr, mt_npy_shape(&npy, shape, sizeof shape));
  return NULL;
}

static size_t
offset_at(const side_arrays *side, size_t i)
{
  uint64_t offset;
  memcpy(&offset, side->offsets + i * sizeof offset, sizeof offset);
  return (size_t) offset;
}

static uint32_t
id_at(const side_arrays *side, size_t i)
{
  uint16_t narrow;
  uint32_t wide;
  if (side->id_size == sizeof narrow) {
    memcpy(&narrow, side->ids + i * sizeof narrow, sizeof narrow);
    return narrow;
  }
  memcpy(&wide, side->ids + i * sizeof wide, sizeof wide);
  return wide;
}

/* Offsets rise by the length of a sentence; each sentence has its only </s> at its end. */
static bool
check_sentences(const mt_dataset *d, const mt_dir *dir, mt_dataset_part part, mt_stack s,
                mt_error *error)
{
  const side_arrays *side = &d->sides[part][s];
  size_t begin = 0, n_pairs = d->n_pairs[part];
  for (size_t i = 0; i < n_pairs; i++) {
    size_t end = offset_at(side, i + 1);
    if (end < begin || end - begin < 2 || end - begin > d->info.max_tokens || end > side->n_tokens)
      return mt_fail(
          error, MT_ERROR_FORMAT,
          "%s/%s: expected sentence %zu to have 2 to %zu of %zu tokens, found %zu to %zu.",
          dir->name, offsets_files[part][s], i, d->info.max_tokens, side->n_tokens, begin, end);
    for (size_t k = begin; k < end; k++) {
      uint32_t id = id_at(side, k);
      if (id >= d->info.vocab_size[s] || id == (uint32_t) d->info.pad_id ||
          (id == (uint32_t) d->info.eos_id) != (k + 1 == end))
        return mt_fail(error, MT_ERROR_FORMAT,
                       "%s/%s: expected ids below %zu, no <pad>, and </s> at the end of a sentence "
                       "only, found %u at place %zu of sentence %zu.",
                       dir->name, ids_files[part][s], d->info.vocab_size[s], (unsigned) id,
                       k - begin, i);
    }
    begin = end;
  }
  return begin == side->n_tokens ||
         mt_fail(error, MT_ERROR_FORMAT,
                 "%s/%s: expected the sentences to have %zu tokens together, "
                 "found %zu.",
                 dir->name, offsets_files[part][s], side->n_tokens, begin);
}

static bool
open_side(mt_dataset *d, const mt_dir *dir, mt_dataset_part part, mt_stack s, mt_error *error)
{
  side_arrays *side = &d->sides[part][s];
  const char *ids_name = ids_files[part][s];
  const char *offsets_name = offsets_files[part][s];
  size_t offset_size = 0;
  side->ids = map_array(d, dir, ids_name, side->n_tokens, &side->ids_file, &side->id_size, error);
  if (!side->ids)
    return false;
  side->offsets = map_array(d, dir, offsets_name, d->n_pairs[part] + 1, &side->offsets_file,
                            &offset_size, error);
  if (!side->offsets)
    return false;
  if ((side->id_size != 2 && side->id_size != 4) || offset_size != 8)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected ids of 2 or 4 bytes and offsets of 8, found %zu and %zu.",
                   dir->name, ids_name, side->id_size, offset_size);
  if (offset_at(side, 0) != 0)
    return mt_fail(error, MT_ERROR_FORMAT, "%s/%s: expected the first offset to be 0, found %zu.",
                   dir->name, offsets_name, offset_at(side, 0));
  return check_sentences(d, dir, part, s, error);
}

static bool
open_text(mt_dataset *d, const mt_dir *dir, mt_stack s, mt_error *error)
{
  text_lines *text = &d->texts[s];
  const char *name = text_files[s];
  size_t n = d->n_pairs[MT_DATASET_HELDOUT], n_lines = 0, at = 0;
  if (!map_file(d, dir, name, &text->file, error))
    return false;
  text->starts = mt_alloc(n + 1, sizeof *text->starts);
  if (!text->starts)
    return mt_fail_no_memory(error);
  const char *bytes = (const char *) text->file.bytes;
  while (at < text->file.size && n_lines < n) {
    const char *newline = memchr(bytes + at, '\n', text->file.size - at);
    if (!newline)
      break;
    at = (size_t) (newline - bytes) + 1;
    text->starts[++n_lines] = at;
  }
  if (n_lines != n || at != text->file.size)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected %zu lines, a sentence a line, found another number.", dir->name,
                   name, n);
  size_t offset;
  return mt_utf8_valid(bytes, text->file.size, &offset) ||
         mt_fail(error, MT_ERROR_FORMAT,
                 "%s/%s: expected text in UTF-8, found another byte at %zu.", dir->name, name,
                 offset);
}

/* ---- The tokenizer --------------------------------------------------------------------------- */

static bool
check_spm(const mt_dir *dir, const char *name, const mt_mapping *file, mt_error *error)
{
  char label[600];
  snprintf(label, sizeof label, "%.500s/%s", dir->name, name);
  mt_spm *spm = mt_spm_new(file->bytes, file->size, label, error);
  bool ok = spm != NULL;
  mt_spm_free(spm);
  return ok;
}

static bool
check_vocab(const mt_dataset *d, const mt_dir *dir, mt_stack s, const char *name, mt_error *error)
{
  const mt_vocab_shape shape = {.size = d->info.vocab_size[s], .from = MT_DATASET_MANIFEST};
  mt_vocab *vocab = mt_vocab_load(dir, name, &shape, error);
  if (!vocab)
    return false;
  bool ok = vocab->eos == d->info.eos_id && vocab->unk == d->info.unk_id &&
            mt_vocab_find(vocab, "<pad>", 5) == d->info.pad_id;
  mt_vocab_free(vocab);
  return ok || mt_fail(error, MT_ERROR_FORMAT,
                       "%s/%s: expected <pad>, </s> and <unk> to have the ids %d, %d and %d of %s, "
                       "found others.",
                       dir->name, name, (int) d->info.pad_id, (int) d->info.eos_id,
                       (int) d->info.unk_id, MT_DATASET_MANIFEST);
}

static int
count_tokenizer_files(const mt_dataset *d)
{
  return d->info.separate_vocabs ? MT_DATASET_N_TOKENIZER_FILES : MT_DATASET_N_TOKENIZER_FILES - 1;
}

static bool
open_tokenizer(mt_dataset *d, const mt_dir *dir, mt_error *error)
{
  for (int i = 0; i < count_tokenizer_files(d); i++) {
    if (!map_file(d, dir, tokenizer_files[i], &d->tokenizer[i], error))
      return false;
    if (!d->tokenizer[i].bytes)
      return mt_fail(error, MT_ERROR_FORMAT, "%s/%s: expected some content, found an empty file.",
                     dir->name, tokenizer_files[i]);
  }
  return check_spm(dir, tokenizer_files[0], &d->tokenizer[0], error) &&
         check_spm(dir, tokenizer_files[1], &d->tokenizer[1], error) &&
         check_vocab(d, dir, MT_STACK_ENCODER, tokenizer_files[2], error) &&
         (!d->info.separate_vocabs ||
          check_vocab(d, dir, MT_STACK_DECODER, tokenizer_files[3], error));
}

bool
mt_dataset_copy_tokenizer(const mt_dataset *d, const char *folder, mt_error *error)
{
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return mt_fail(error, MT_ERROR_IO, "%.600s: the folder cannot be opened (%m).", folder);
  bool ok = true;
  for (int i = 0; ok && i < count_tokenizer_files(d); i++) {
    mt_new_file *file = mt_new_file_open_at(fd, folder, tokenizer_files[i], error);
    ok = file != NULL;
    if (ok) {
      mt_new_file_write(file, d->tokenizer[i].bytes, d->tokenizer[i].size);
      ok = mt_new_file_close(file, error);
    }
  }
  close(fd);
  return ok && mt_dataset_check(d, error);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool
open_all(mt_dataset *d, const mt_dir *dir, mt_error *error)
{
  if (!open_manifest(d, dir, error))
    return false;
  for (int p = 0; p < MT_DATASET_N_PARTS; p++)
    for (int s = 0; s < MT_N_STACKS; s++)
      if (!open_side(d, dir, (mt_dataset_part) p, (mt_stack) s, error))
        return false;
  return open_text(d, dir, MT_STACK_ENCODER, error) && open_text(d, dir, MT_STACK_DECODER, error) &&
         open_tokenizer(d, dir, error) && mt_dataset_check(d, error);
}

mt_dataset *
mt_dataset_open(const char *path, mt_error *error)
{
  mt_dir dir = MT_DIR_NONE;
  mt_dataset *d = mt_alloc(1, sizeof *d);
  if (!d)
    return mt_fail_no_memory(error), NULL;

  bool ok = mt_dir_open_as(&dir, path, "a folder of prepared text", &d->faults, error);
  if (ok) {
    d->name = mt_strdup(dir.name);
    ok = d->name ? open_all(d, &dir, error) : mt_fail_no_memory(error);
    mt_dir_close(&dir);
  }
  if (ok)
    return d;
  mt_dataset_free(d);
  return NULL;
}

void
mt_dataset_free(mt_dataset *d)
{
  if (!d)
    return;
  for (int p = 0; p < MT_DATASET_N_PARTS; p++)
    for (int s = 0; s < MT_N_STACKS; s++) {
      mt_unmap(&d->sides[p][s].ids_file);
      mt_unmap(&d->sides[p][s].offsets_file);
    }
  for (int s = 0; s < MT_N_STACKS; s++) {
    mt_unmap(&d->texts[s].file);
    mt_free(d->texts[s].starts);
  }
  for (int i = 0; i < MT_DATASET_N_TOKENIZER_FILES; i++)
    mt_unmap(&d->tokenizer[i]);
  mt_free(d->sources);
  mt_json_clear(&d->manifest);
  mt_free(d->name);
  mt_free(d);
}

/* ---- Looking --------------------------------------------------------------------------------- */

const mt_dataset_info *
mt_dataset_get_info(const mt_dataset *d)
{
  return &d->info;
}

size_t
mt_dataset_count_sources(const mt_dataset *d)
{
  return d->n_sources;
}

const mt_dataset_source *
mt_dataset_get_source(const mt_dataset *d, size_t i)
{
  return &d->sources[i];
}

uint32_t
mt_dataset_get_checksum(const mt_dataset *d)
{
  return d->checksum;
}

size_t
mt_dataset_count(const mt_dataset *d, mt_dataset_part part)
{
  return d->n_pairs[part];
}

size_t
mt_dataset_count_tokens(const mt_dataset *d, mt_dataset_part part, mt_stack side)
{
  return d->sides[part][side].n_tokens;
}

size_t
mt_dataset_length(const mt_dataset *d, mt_dataset_part part, mt_stack side, size_t i)
{
  const side_arrays *arrays = &d->sides[part][side];
  size_t begin = offset_at(arrays, i), end = offset_at(arrays, i + 1);
  size_t n = end - begin; /* of a file that was changed: anything */
  return end < begin || n < 2 ? 2 : n > d->info.max_tokens ? d->info.max_tokens : n;
}

bool
mt_dataset_copy(const mt_dataset *d, mt_dataset_part part, mt_stack side, size_t i, int32_t *out,
                size_t n, mt_error *error)
{
  const side_arrays *arrays = &d->sides[part][side];
  size_t begin = offset_at(arrays, i);
  bool ok = begin <= arrays->n_tokens && n <= arrays->n_tokens - begin &&
            offset_at(arrays, i + 1) == begin + n;
  for (size_t k = 0; ok && k < n; k++) {
    uint32_t id = id_at(arrays, begin + k);
    ok = id < d->info.vocab_size[side];
    out[k] = (int32_t) id;
  }
  return ok || mt_fail(error, MT_ERROR_IO, "%s/%s: the file was changed while it was in use.",
                       d->name, ids_files[part][side]);
}

const char *
mt_dataset_get_text(const mt_dataset *d, mt_stack side, size_t i, size_t *n)
{
  const text_lines *text = &d->texts[side];
  *n = text->starts[i + 1] - text->starts[i] - 1;
  return (const char *) text->file.bytes + text->starts[i];
}

bool
mt_dataset_check(const mt_dataset *d, mt_error *error)
{
  return mt_fault_check(&d->faults, error);
}

/* ---- NumPy arrays ---------------------------------------------------------------------------- */

/* A NumPy array of whole numbers, written as it comes (NEP 1, version 1.0).
 *
 * The header, which says how many there are, has a fixed length and is written again at the end.
 * Little-endian machines only, as everything this engine runs on. */

#define HEADER_SIZE 128 /* room for any number of elements */

struct mt_npy_writer {
  mt_new_file *file;
  size_t item_size;
  uint64_t n;
  uint32_t crc; /* of the elements */
};

/* With so many elements as there are now. */
static size_t
make_header(const mt_npy_writer *writer, char header[MT_NPY_HEADER_MAX])
{
  char descr[8];
  const size_t n = (size_t) writer->n;
  snprintf(descr, sizeof descr, "<u%zu", writer->item_size);
  return mt_npy_make_header(header, descr, &n, 1, HEADER_SIZE);
}

/* Begin a file. Errors: those of mt_new_file_open. */
static mt_npy_writer *
npy_writer_new(mt_new_dir *dir, const char *name, size_t item_size, mt_error *error)
{
  mt_npy_writer *writer = mt_alloc(1, sizeof *writer);
  if (!writer)
    return mt_fail_no_memory(error), NULL;

  writer->item_size = item_size;
  writer->file = mt_new_file_open(dir, name, error);
  if (!writer->file) {
    mt_free(writer);
    return NULL;
  }
  char header[MT_NPY_HEADER_MAX];
  mt_new_file_write(writer->file, header, make_header(writer, header));
  return writer;
}

/* Append n elements, given as they are stored. Errors: MT_ERROR_IO. */
static bool
npy_writer_add(mt_npy_writer *writer, const void *elements, size_t n, mt_error *error)
{
  writer->n += n;
  writer->crc = mt_crc32(writer->crc, elements, n * writer->item_size);
  return mt_new_file_write(writer->file, elements, n * writer->item_size) ||
         mt_new_file_check(writer->file, error);
}

/* Write the header, close, free. *size and *crc are of the whole file. Errors: MT_ERROR_IO. */
static bool
npy_writer_close(mt_npy_writer *writer, uint64_t *size, uint32_t *crc, mt_error *error)
{
  char header[MT_NPY_HEADER_MAX];
  size_t n_header = make_header(writer, header);
  mt_new_file_rewrite(writer->file, header, n_header);
  *size = mt_new_file_size(writer->file);
  *crc =
      mt_crc32_combine(mt_crc32(0, header, n_header), writer->crc, writer->n * writer->item_size);
  bool ok = mt_new_file_close(writer->file, error);
  mt_free(writer);
  return ok;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* All files but the manifest: arrays of two parts and two sides, text, tokenizer. */
#define MAX_FILES \
  (2 * MT_DATASET_N_PARTS * MT_N_STACKS + MT_N_STACKS + MT_DATASET_N_TOKENIZER_FILES)

/* Of a whole file, for the manifest. */
typedef struct {
  const char *name;
  uint64_t size;
  uint32_t crc;
} written_file;

typedef struct {
  mt_npy_writer *ids, *offsets;
  uint64_t n_tokens;
} side_writer;

typedef struct {
  mt_new_file *file;
  uint32_t crc;
} text_writer;

struct mt_dataset_writer {
  mt_new_dir *dir;
  bool replace;
  mt_dataset_info info;
  char *languages[MT_N_STACKS];
  size_t id_size; /* bytes */
  side_writer sides[MT_DATASET_N_PARTS][MT_N_STACKS];
  size_t n_pairs[MT_DATASET_N_PARTS];
  text_writer texts[MT_N_STACKS];
  mt_dataset_source *sources;
  size_t n_sources, sources_capacity;
  written_file files[MAX_FILES];
  size_t n_files;
};

/* ---- Beginning ------------------------------------------------------------------------------- */

static bool
check_info(const mt_dataset_info *info, mt_error *error)
{
  const int32_t ids[] = {info->pad_id, info->eos_id, info->unk_id};
  for (int s = 0; s < MT_N_STACKS; s++) {
    if (info->vocab_size[s] < 4 || info->vocab_size[s] > INT32_MAX)
      return mt_fail(error, MT_ERROR_INPUT, "Expected a vocabulary of 4 pieces or more, found %zu.",
                     info->vocab_size[s]);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
      if (ids[i] < 0 || (size_t) ids[i] >= info->vocab_size[s])
        return mt_fail(error, MT_ERROR_INPUT,
                       "Expected the ids of <pad>, </s> and <unk> to be below the vocabulary size "
                       "%zu, found %d.",
                       info->vocab_size[s], (int) ids[i]);
  }
  if (info->pad_id == info->eos_id || info->pad_id == info->unk_id || info->eos_id == info->unk_id)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Expected <pad>, </s> and <unk> to have ids of their own.");
  if (!info->separate_vocabs && info->vocab_size[0] != info->vocab_size[1])
    return mt_fail(error, MT_ERROR_INPUT,
                   "Expected one size of the shared vocabulary, found %zu and %zu.",
                   info->vocab_size[0], info->vocab_size[1]);
  if (info->max_tokens < 2)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Expected sentences of 2 tokens or more, found at most %zu.", info->max_tokens);
  return true;
}

static bool
begin_files(mt_dataset_writer *w, mt_error *error)
{
  for (int p = 0; p < MT_DATASET_N_PARTS; p++)
    for (int s = 0; s < MT_N_STACKS; s++) {
      side_writer *side = &w->sides[p][s];
      const uint64_t zero = 0;
      side->ids = npy_writer_new(w->dir, ids_files[p][s], w->id_size, error);
      side->offsets =
          side->ids ? npy_writer_new(w->dir, offsets_files[p][s], sizeof zero, error) : NULL;
      if (!side->offsets || !npy_writer_add(side->offsets, &zero, 1, error))
        return false;
    }
  for (int s = 0; s < MT_N_STACKS; s++) {
    w->texts[s].file = mt_new_file_open(w->dir, text_files[s], error);
    if (!w->texts[s].file)
      return false;
  }
  return true;
}

mt_dataset_writer *
mt_dataset_writer_new(const char *path, bool replace, const mt_dataset_info *info, mt_error *error)
{
  if (!check_info(info, error))
    return NULL;
  mt_dataset_writer *w = mt_alloc(1, sizeof *w);
  if (!w)
    return mt_fail_no_memory(error), NULL;

  w->replace = replace;
  w->info = *info;
  bool ok = true;
  for (int s = 0; s < MT_N_STACKS; s++) {
    w->languages[s] = mt_strdup(info->languages[s] ? info->languages[s] : "");
    w->info.languages[s] = w->languages[s];
    ok = ok && (w->languages[s] || mt_fail_no_memory(error));
  }
  size_t largest =
      info->vocab_size[0] > info->vocab_size[1] ? info->vocab_size[0] : info->vocab_size[1];
  w->id_size = largest <= UINT16_MAX + (size_t) 1 ? sizeof(uint16_t) : sizeof(uint32_t);
  if (ok) {
    w->dir = mt_new_dir_begin(path, error);
    ok = w->dir && begin_files(w, error);
  }
  if (ok)
    return w;
  mt_dataset_writer_free(w);
  return NULL;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static bool
check_ids(const mt_dataset_writer *w, mt_stack side, const int32_t *ids, size_t n, mt_error *error)
{
  const mt_dataset_info *info = &w->info;
  if (n < 2 || n > info->max_tokens)
    return mt_fail(error, MT_ERROR_INPUT, "Expected a sentence of 2 to %zu tokens, found %zu.",
                   info->max_tokens, n);
  for (size_t i = 0; i < n; i++)
    if (ids[i] < 0 || (size_t) ids[i] >= info->vocab_size[side] || ids[i] == info->pad_id ||
        (ids[i] == info->eos_id) != (i + 1 == n))
      return mt_fail(error, MT_ERROR_INPUT,
                     "Expected ids below the vocabulary size %zu, <pad> not among them and </s> at "
                     "the end only, found %d at place %zu of %zu.",
                     info->vocab_size[side], (int) ids[i], i, n);
  return true;
}

static bool
add_side(mt_dataset_writer *w, mt_dataset_part part, mt_stack side, const int32_t *ids, size_t n,
         mt_error *error)
{
  side_writer *writer = &w->sides[part][side];
  unsigned char bytes[256 * sizeof(uint32_t)];
  for (size_t i = 0; i < n;) {
    size_t step = n - i < 256 ? n - i : 256;
    for (size_t k = 0; k < step; k++) /* little-endian: the low bytes come first */
      memcpy(bytes + k * w->id_size, &ids[i + k], w->id_size);
    if (!npy_writer_add(writer->ids, bytes, step, error))
      return false;
    i += step;
  }
  writer->n_tokens += n;
  return npy_writer_add(writer->offsets, &writer->n_tokens, 1, error);
}

static bool
add_pair(mt_dataset_writer *w, mt_dataset_part part, const int32_t *source, size_t n_source,
         const int32_t *target, size_t n_target, mt_error *error)
{
  if (!check_ids(w, MT_STACK_ENCODER, source, n_source, error) ||
      !check_ids(w, MT_STACK_DECODER, target, n_target, error) ||
      !add_side(w, part, MT_STACK_ENCODER, source, n_source, error) ||
      !add_side(w, part, MT_STACK_DECODER, target, n_target, error))
    return false;
  w->n_pairs[part]++;
  return true;
}

bool
mt_dataset_writer_add_pair(mt_dataset_writer *w, const int32_t *source, size_t n_source,
                           const int32_t *target, size_t n_target, mt_error *error)
{
  if (w->n_sources == 0)
    return mt_fail(error, MT_ERROR_INPUT, "Expected a source to be begun before its first pair.");
  if (!add_pair(w, MT_DATASET_TRAIN, source, n_source, target, n_target, error))
    return false;
  mt_dataset_source *last = &w->sources[w->n_sources - 1];
  last->n_pairs++;
  last->n_tokens[MT_STACK_ENCODER] += n_source;
  last->n_tokens[MT_STACK_DECODER] += n_target;
  return true;
}

bool
mt_dataset_writer_add_heldout(mt_dataset_writer *w, const int32_t *source, size_t n_source,
                              const char *source_text, const int32_t *target, size_t n_target,
                              const char *target_text, mt_error *error)
{
  const char *const texts[MT_N_STACKS] = {source_text, target_text};
  for (int s = 0; s < MT_N_STACKS; s++)
    if (strpbrk(texts[s], "\r\n") || !mt_utf8_valid(texts[s], strlen(texts[s]), NULL))
      return mt_fail(error, MT_ERROR_INPUT, "Expected held-out text of one line in UTF-8.");
  if (!add_pair(w, MT_DATASET_HELDOUT, source, n_source, target, n_target, error))
    return false;
  for (int s = 0; s < MT_N_STACKS; s++) {
    text_writer *text = &w->texts[s];
    size_t n = strlen(texts[s]);
    mt_new_file_write(text->file, texts[s], n);
    mt_new_file_write(text->file, "\n", 1);
    text->crc = mt_crc32(mt_crc32(text->crc, texts[s], n), "\n", 1);
  }
  return true;
}

/* Strings of its own; what was allocated is freed with the writer. */
static bool
copy_source(mt_dataset_source *copy, const mt_dataset_source *source, size_t first_pair)
{
  *copy = (mt_dataset_source){
      .name = mt_strdup(source->name),
      .licence = mt_strdup(source->licence ? source->licence : ""),
      .note = mt_strdup(source->note ? source->note : ""),
      .weight = source->weight,
      .segmentations = source->segmentations ? source->segmentations : 1,
      .first_pair = first_pair,
  };
  return copy->name && copy->licence && copy->note;
}

bool
mt_dataset_writer_begin_source(mt_dataset_writer *w, const mt_dataset_source *source,
                               mt_error *error)
{
  if (!isfinite(source->weight) || source->weight <= 0)
    return mt_fail(error, MT_ERROR_INPUT, "Expected a weight above 0 for \"%.200s\", found %g.",
                   source->name, source->weight);
  if (source->segmentations > MT_DATASET_MAX_SEGMENTATIONS)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Expected at most %d segmentations for \"%.200s\", found %zu.",
                   MT_DATASET_MAX_SEGMENTATIONS, source->name, source->segmentations);
  if (!mt_grow(&w->sources, w->n_sources, 1, &w->sources_capacity, sizeof *w->sources))
    return mt_fail_no_memory(error);
  return copy_source(&w->sources[w->n_sources++], source, w->n_pairs[MT_DATASET_TRAIN]) ||
         mt_fail_no_memory(error);
}

bool
mt_dataset_writer_add_file(mt_dataset_writer *w, const char *name, const void *bytes, size_t n,
                           mt_error *error)
{
  const char *known = NULL;
  for (int i = 0; i < MT_DATASET_N_TOKENIZER_FILES; i++)
    if (strcmp(tokenizer_files[i], name) == 0)
      known = tokenizer_files[i];
  if (!known)
    return mt_fail(error, MT_ERROR_INPUT, "Expected a file of a tokenizer, found \"%.200s\".",
                   name);
  mt_new_file *file = mt_new_file_open(w->dir, known, error);
  if (!file)
    return false;
  mt_new_file_write(file, bytes, n);
  if (!mt_new_file_close(file, error))
    return false;
  /* A name can come once only: the file would exist. */
  w->files[w->n_files++] = (written_file){.name = known, .size = n, .crc = mt_crc32(0, bytes, n)};
  return true;
}

/* ---- The end --------------------------------------------------------------------------------- */

static bool
close_array(mt_dataset_writer *w, mt_npy_writer **writer, const char *name, mt_error *error)
{
  written_file *file = &w->files[w->n_files++];
  file->name = name;
  mt_npy_writer *open = *writer;
  *writer = NULL;
  return npy_writer_close(open, &file->size, &file->crc, error);
}

static bool
close_files(mt_dataset_writer *w, mt_error *error)
{
  for (int p = 0; p < MT_DATASET_N_PARTS; p++)
    for (int s = 0; s < MT_N_STACKS; s++)
      if (!close_array(w, &w->sides[p][s].ids, ids_files[p][s], error) ||
          !close_array(w, &w->sides[p][s].offsets, offsets_files[p][s], error))
        return false;
  for (int s = 0; s < MT_N_STACKS; s++) {
    text_writer *text = &w->texts[s];
    w->files[w->n_files++] = (written_file){.name = text_files[s],
                                            .size = mt_new_file_size(text->file),
                                            .crc = text->crc};
    mt_new_file *open = text->file;
    text->file = NULL;
    if (!mt_new_file_close(open, error))
      return false;
  }
  return true;
}

static void
put_counts(mt_json_out *out, size_t n_pairs, uint64_t source_tokens, uint64_t target_tokens)
{
  mt_json_put_whole(out, "pairs", (int64_t) n_pairs);
  mt_json_put_whole(out, "source_tokens", (int64_t) source_tokens);
  mt_json_put_whole(out, "target_tokens", (int64_t) target_tokens);
}

static void
put_info(mt_json_out *out, const mt_dataset_writer *w)
{
  const mt_dataset_info *info = &w->info;
  mt_json_put_whole(out, "format", MT_DATASET_FORMAT);
  mt_json_put_string(out, "program", "regard-train " MT_VERSION);
  mt_json_put_string(out, "source_language", info->languages[0]);
  mt_json_put_string(out, "target_language", info->languages[1]);
  mt_json_put_whole(out, "source_vocab_size", (int64_t) info->vocab_size[0]);
  mt_json_put_whole(out, "target_vocab_size", (int64_t) info->vocab_size[1]);
  mt_json_put_bool(out, "separate_vocabs", info->separate_vocabs);
  mt_json_put_whole(out, "pad_id", info->pad_id);
  mt_json_put_whole(out, "eos_id", info->eos_id);
  mt_json_put_whole(out, "unk_id", info->unk_id);
  mt_json_put_whole(out, "max_tokens", (int64_t) info->max_tokens);
  /* As text: a number in JSON is a double to many readers. */
  char seed[24];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long) info->seed);
  mt_json_put_string(out, "seed", seed);
}

static bool
put_manifest(mt_json_out *out, const mt_dataset_writer *w, const char *report_json, mt_error *error)
{
  mt_json_begin(out, NULL, '{');
  put_info(out, w);
  for (int p = 0; p < MT_DATASET_N_PARTS; p++) {
    mt_json_begin(out, part_names[p], '{');
    put_counts(out, w->n_pairs[p], w->sides[p][0].n_tokens, w->sides[p][1].n_tokens);
    mt_json_end(out);
  }
  mt_json_begin(out, "sources", '[');
  for (size_t i = 0; i < w->n_sources; i++) {
    const mt_dataset_source *source = &w->sources[i];
    mt_json_begin(out, NULL, '{');
    mt_json_put_string(out, "name", source->name);
    mt_json_put_string(out, "licence", source->licence);
    mt_json_put_string(out, "note", source->note);
    mt_json_put_number(out, "weight", source->weight);
    if (source->segmentations > 1)
      mt_json_put_whole(out, "segmentations", (int64_t) source->segmentations);
    put_counts(out, source->n_pairs, source->n_tokens[0], source->n_tokens[1]);
    mt_json_end(out);
  }
  mt_json_end(out);
  mt_json_begin(out, "files", '[');
  for (size_t i = 0; i < w->n_files; i++) {
    char crc[16];
    snprintf(crc, sizeof crc, "%08x", (unsigned) w->files[i].crc);
    mt_json_begin(out, NULL, '{');
    mt_json_put_string(out, "name", w->files[i].name);
    mt_json_put_whole(out, "bytes", (int64_t) w->files[i].size);
    mt_json_put_string(out, "crc32", crc);
    mt_json_end(out);
  }
  mt_json_end(out);
  if (report_json &&
      !mt_json_put_text(out, "report", "report", report_json, strlen(report_json), error))
    return false;
  mt_json_end(out);
  return mt_json_finish(out, "\n", error);
}

static bool
write_manifest(mt_dataset_writer *w, const char *report_json, mt_error *error)
{
  mt_json_out out = {0};
  bool ok = put_manifest(&out, w, report_json, error);
  if (ok) {
    mt_new_file *file = mt_new_file_open(w->dir, MT_DATASET_MANIFEST, error);
    ok = file != NULL;
    if (ok) {
      mt_new_file_write(file, out.text, out.n);
      ok = mt_new_file_close(file, error);
    }
  }
  mt_json_out_clear(&out);
  return ok;
}

bool
mt_dataset_writer_finish(mt_dataset_writer *w, const char *report_json, mt_error *error)
{
  size_t n_needed = w->info.separate_vocabs ? 4 : 3;
  if (w->n_files != n_needed)
    return mt_fail(error, MT_ERROR_INPUT, "Expected %zu files of the tokenizer, found %zu.",
                   n_needed, w->n_files);
  return close_files(w, error) && write_manifest(w, report_json, error) &&
         mt_new_dir_commit(w->dir, w->replace, error);
}

void
mt_dataset_writer_free(mt_dataset_writer *w)
{
  if (!w)
    return;
  uint64_t size;
  uint32_t crc;
  for (int p = 0; p < MT_DATASET_N_PARTS; p++)
    for (int s = 0; s < MT_N_STACKS; s++) {
      side_writer *side = &w->sides[p][s];
      if (side->ids)
        npy_writer_close(side->ids, &size, &crc, NULL);
      if (side->offsets)
        npy_writer_close(side->offsets, &size, &crc, NULL);
    }
  for (int s = 0; s < MT_N_STACKS; s++)
    if (w->texts[s].file)
      mt_new_file_close(w->texts[s].file, NULL);
  for (size_t i = 0; i < w->n_sources; i++) {
    mt_free((char *) w->sources[i].name);
    mt_free((char *) w->sources[i].licence);
    mt_free((char *) w->sources[i].note);
  }
  mt_free(w->sources);
  for (int s = 0; s < MT_N_STACKS; s++)
    mt_free(w->languages[s]);
  mt_new_dir_free(w->dir);
  mt_free(w);
}
