/* mt-dataset-write.c — writing a prepared folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-json.h"
#include "files/mt-sums.h"
#include "mt/train/dataset.h"
#include "mt/train/new-dir.h"
#include "train/mt-dataset-files.h"
#include "train/mt-npy-write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
      side->ids = mt_npy_writer_new(w->dir, mt_dataset_ids_files[p][s], w->id_size, error);
      side->offsets =
          side->ids ? mt_npy_writer_new(w->dir, mt_dataset_offsets_files[p][s], sizeof zero, error)
                    : NULL;
      if (!side->offsets || !mt_npy_writer_add(side->offsets, &zero, 1, error))
        return false;
    }
  for (int s = 0; s < MT_N_STACKS; s++) {
    w->texts[s].file = mt_new_file_open(w->dir, mt_dataset_text_files[s], error);
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
  if (!w) {
    mt_fail_no_memory(error);
    return NULL;
  }
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
    if (!mt_npy_writer_add(writer->ids, bytes, step, error))
      return false;
    i += step;
  }
  writer->n_tokens += n;
  return mt_npy_writer_add(writer->offsets, &writer->n_tokens, 1, error);
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
  if (w->n_sources == w->sources_capacity) {
    size_t capacity = w->sources_capacity ? 2 * w->sources_capacity : 16;
    mt_dataset_source *grown = mt_realloc(w->sources, capacity, sizeof *grown);
    if (!grown)
      return mt_fail_no_memory(error);
    w->sources = grown;
    w->sources_capacity = capacity;
  }
  return copy_source(&w->sources[w->n_sources++], source, w->n_pairs[MT_DATASET_TRAIN]) ||
         mt_fail_no_memory(error);
}

bool
mt_dataset_writer_add_file(mt_dataset_writer *w, const char *name, const void *bytes, size_t n,
                           mt_error *error)
{
  const char *known = NULL;
  for (int i = 0; i < MT_DATASET_N_TOKENIZER_FILES; i++)
    if (strcmp(mt_dataset_tokenizer_files[i], name) == 0)
      known = mt_dataset_tokenizer_files[i];
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
  return mt_npy_writer_close(open, &file->size, &file->crc, error);
}

static bool
close_files(mt_dataset_writer *w, mt_error *error)
{
  for (int p = 0; p < MT_DATASET_N_PARTS; p++)
    for (int s = 0; s < MT_N_STACKS; s++)
      if (!close_array(w, &w->sides[p][s].ids, mt_dataset_ids_files[p][s], error) ||
          !close_array(w, &w->sides[p][s].offsets, mt_dataset_offsets_files[p][s], error))
        return false;
  for (int s = 0; s < MT_N_STACKS; s++) {
    text_writer *text = &w->texts[s];
    w->files[w->n_files++] = (written_file){.name = mt_dataset_text_files[s],
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
    mt_json_begin(out, mt_dataset_part_names[p], '{');
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
        mt_npy_writer_close(side->ids, &size, &crc, NULL);
      if (side->offsets)
        mt_npy_writer_close(side->offsets, &size, &crc, NULL);
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
