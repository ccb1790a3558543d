/* mt-dataset.c — reading a prepared folder.
 *
 * All of it is looked at when it is opened, so that nobody has to check an id later. What is mapped
 * can still be changed by others afterwards: lengths and ids are bounded once more where they are
 * used.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt/train/dataset.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-file.h"
#include "files/mt-json.h"
#include "files/mt-npy.h"
#include "files/mt-sums.h"
#include "mt/train/new-dir.h"
#include "text/mt-sentencepiece.h"
#include "text/mt-vocab.h"
#include "train/mt-dataset-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REASON_SIZE 128

/* ---- Files ----------------------------------------------------------------------------------- */

/* Map a file and compare it with its row of the manifest. An empty one is mapped as nothing. */
static bool
map_file(mt_dataset *d, const mt_dir *dir, const char *name, mt_mapping *mapping, mt_error *error)
{
  size_t size;
  const char *crc;
  if (!mt_dataset_get_file(d, name, &size, &crc, error))
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
          dir->name, mt_dataset_offsets_files[part][s], i, d->info.max_tokens, side->n_tokens,
          begin, end);
    for (size_t k = begin; k < end; k++) {
      uint32_t id = id_at(side, k);
      if (id >= d->info.vocab_size[s] || id == (uint32_t) d->info.pad_id ||
          (id == (uint32_t) d->info.eos_id) != (k + 1 == end))
        return mt_fail(error, MT_ERROR_FORMAT,
                       "%s/%s: expected ids below %zu, no <pad>, and </s> at the end of a sentence "
                       "only, found %u at place %zu of sentence %zu.",
                       dir->name, mt_dataset_ids_files[part][s], d->info.vocab_size[s],
                       (unsigned) id, k - begin, i);
    }
    begin = end;
  }
  return begin == side->n_tokens ||
         mt_fail(error, MT_ERROR_FORMAT,
                 "%s/%s: expected the sentences to have %zu tokens together, "
                 "found %zu.",
                 dir->name, mt_dataset_offsets_files[part][s], side->n_tokens, begin);
}

static bool
open_side(mt_dataset *d, const mt_dir *dir, mt_dataset_part part, mt_stack s, mt_error *error)
{
  side_arrays *side = &d->sides[part][s];
  const char *ids_name = mt_dataset_ids_files[part][s];
  const char *offsets_name = mt_dataset_offsets_files[part][s];
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
  const char *name = mt_dataset_text_files[s];
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
  bool ok = mt_vocab_eos(vocab) == d->info.eos_id && mt_vocab_unk(vocab) == d->info.unk_id &&
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
    if (!map_file(d, dir, mt_dataset_tokenizer_files[i], &d->tokenizer[i], error))
      return false;
    if (!d->tokenizer[i].bytes)
      return mt_fail(error, MT_ERROR_FORMAT, "%s/%s: expected some content, found an empty file.",
                     dir->name, mt_dataset_tokenizer_files[i]);
  }
  return check_spm(dir, mt_dataset_tokenizer_files[0], &d->tokenizer[0], error) &&
         check_spm(dir, mt_dataset_tokenizer_files[1], &d->tokenizer[1], error) &&
         check_vocab(d, dir, MT_STACK_ENCODER, mt_dataset_tokenizer_files[2], error) &&
         (!d->info.separate_vocabs ||
          check_vocab(d, dir, MT_STACK_DECODER, mt_dataset_tokenizer_files[3], error));
}

bool
mt_dataset_copy_tokenizer(const mt_dataset *d, const char *folder, mt_error *error)
{
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  char text[REASON_SIZE];
  if (fd < 0)
    return mt_fail(error, MT_ERROR_IO, "%.600s: the folder cannot be opened (%s).", folder,
                   strerror_r(errno, text, sizeof text));
  bool ok = true;
  for (int i = 0; ok && i < count_tokenizer_files(d); i++) {
    mt_new_file *file = mt_new_file_open_at(fd, folder, mt_dataset_tokenizer_files[i], error);
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
  if (!mt_dataset_open_manifest(d, dir, error))
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
  if (!d) {
    mt_fail_no_memory(error);
    return NULL;
  }
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
                       d->name, mt_dataset_ids_files[part][side]);
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
