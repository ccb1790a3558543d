/* mt-dataset-manifest.c — what manifest.json says of a prepared folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-sums.h"
#include "train/mt-dataset-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  if (!get_size(json, mt_json_root(json), "the manifest", "format", 1, INT32_MAX, &format, error))
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
  const mt_json_value *root = mt_json_root(json);
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
    const char *name = mt_dataset_part_names[p];
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

bool
mt_dataset_open_manifest(mt_dataset *d, const mt_dir *dir, mt_error *error)
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

bool
mt_dataset_get_file(const mt_dataset *d, const char *name, size_t *size, const char **crc,
                    mt_error *error)
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
