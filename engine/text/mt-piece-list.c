/* mt-piece-list.c — the files that list pieces and their ids.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/mt-piece-list.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-json.h"
#include "files/mt-yaml.h"
#include "text/mt-sentencepiece.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAX_TEXT_BYTES ((size_t) 64 << 20)
#define MAX_SPM_BYTES  ((size_t) 256 << 20)
/* Bytes of a piece; published ones have at most 64 or so. A translation repeats pieces. */
#define MAX_PIECE 1024

/* While a file is read. */
typedef struct {
  mt_piece_list *list;
  const mt_dir *dir;
  const char *file;
  size_t size;
  const char *size_from;
  mt_error *error;
} reader;

/* ---- Pairs ----------------------------------------------------------------------------------- */

bool
mt_piece_list_add(mt_piece_list *list, const char *piece, size_t n, int32_t id, mt_error *error)
{
  if (list->n == list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 256;
    void *grown = mt_realloc(list->pairs, capacity, sizeof *list->pairs);
    if (!grown)
      return mt_fail_no_memory(error);
    list->pairs = grown;
    list->capacity = capacity;
  }
  /* Pieces are parts of a file, so no sum comes near SIZE_MAX. */
  if (list->strings_capacity - list->n_strings < n + 1) {
    size_t capacity = 2 * list->strings_capacity + n + 1;
    char *grown = mt_realloc(list->strings, capacity, 1);
    if (!grown)
      return mt_fail_no_memory(error);
    list->strings = grown;
    list->strings_capacity = capacity;
  }
  list->pairs[list->n].piece = list->n_strings;
  list->pairs[list->n++].id = id;
  memcpy(list->strings + list->n_strings, piece, n);
  list->strings[list->n_strings + n] = '\0';
  list->n_strings += n + 1;
  return true;
}

void
mt_piece_list_clear(mt_piece_list *list)
{
  mt_free(list->pairs);
  mt_free(list->strings);
  *list = (mt_piece_list){0};
}

static bool
fail_id(const reader *r, const char *piece, const char *found)
{
  return mt_fail(r->error, MT_ERROR_FORMAT,
                 "%s/%s: expected ids below the vocabulary size %zu of %s, found %.100s for piece "
                 "\"%.100s\".",
                 r->dir->name, r->file, r->size, r->size_from, found, piece);
}

static bool
take(reader *r, const char *piece, size_t n, int32_t id)
{
  if (n > MAX_PIECE)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected pieces of at most %d bytes, found one of %zu.", r->dir->name,
                   r->file, MAX_PIECE, n);
  return mt_piece_list_add(r->list, piece, n, id, r->error);
}

/* ---- Kinds of files -------------------------------------------------------------------------- */

static bool
take_json(void *user, const char *piece, const mt_json_value *value)
{
  reader *r = user;
  if (mt_json_kind_of(value) != MT_JSON_INTEGER || mt_json_integer(value) < 0 ||
      (uint64_t) mt_json_integer(value) >= r->size) {
    char found[MT_JSON_DESCRIPTION_SIZE];
    return fail_id(r, piece, mt_json_describe(value, found));
  }
  return take(r, piece, strlen(piece), (int32_t) mt_json_integer(value));
}

static bool
read_json(reader *r)
{
  mt_json json = {0};
  bool ok = mt_json_load(&json, r->dir, r->file, r->error) &&
            mt_json_each(mt_json_root(&json), take_json, r);
  mt_json_clear(&json);
  return ok;
}

static bool
read_yaml(reader *r)
{
  mt_yaml yaml = {0};
  bool ok = mt_yaml_load(&yaml, r->dir, r->file, r->error);
  for (size_t i = 0; ok && i < mt_yaml_count(&yaml); i++) {
    const char *piece = mt_yaml_key(&yaml, i), *text = mt_yaml_text(&yaml, i);
    size_t id;
    if (!text || !mt_yaml_to_size(text, &id) || id >= r->size)
      ok = fail_id(r, piece, text ? text : "a list");
    else
      ok = take(r, piece, strlen(piece), (int32_t) id);
  }
  mt_yaml_clear(&yaml);
  return ok;
}

static bool
take_numbered(reader *r, const char *piece, size_t n)
{
  if (r->list->n >= r->size)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected %zu pieces, the vocabulary size of %s, found more.",
                   r->dir->name, r->file, r->size, r->size_from);
  return take(r, piece, n, (int32_t) r->list->n);
}

static bool
read_lines(reader *r)
{
  mt_mapping mapping = {0};
  if (!mt_dir_map(r->dir, r->file, MAX_TEXT_BYTES, &mapping, r->error))
    return false;
  const char *at = (const char *) mapping.bytes, *end = at + mapping.size;
  size_t offset;
  bool ok = true;
  if (!mt_utf8_valid(at, mapping.size, &offset) || memchr(at, '\0', mapping.size))
    ok = mt_fail(r->error, MT_ERROR_FORMAT,
                 "%s/%s: expected lines of text in UTF-8, found something else.", r->dir->name,
                 r->file);
  while (ok && at < end) {
    const char *line_end = memchr(at, '\n', (size_t) (end - at));
    if (!line_end)
      line_end = end;
    size_t n = (size_t) (line_end - at);
    ok = take_numbered(r, at, n > 0 && at[n - 1] == '\r' ? n - 1 : n);
    at = line_end + 1;
  }
  mt_unmap(&mapping);
  return ok;
}

static bool
take_spm(void *user, const char *piece, size_t n)
{
  reader *r = user;
  return take_numbered(r, piece, n);
}

static bool
read_spm(reader *r)
{
  mt_mapping mapping = {0};
  char label[600];
  snprintf(label, sizeof label, "%.300s/%.290s", r->dir->name, r->file);
  if (!mt_dir_map(r->dir, r->file, MAX_SPM_BYTES, &mapping, r->error))
    return false;
  mt_spm *spm = mt_spm_new(mapping.bytes, mapping.size, label, r->error);
  bool ok = spm && mt_spm_each(spm, take_spm, r);
  mt_spm_free(spm);
  mt_unmap(&mapping);
  return ok;
}

/* THE list. */
static const struct {
  const char *ending;
  bool (*read)(reader *r);
} kinds[] = {
    {".json", read_json}, {".yml", read_yaml},    {".yaml", read_yaml},
    {".spm", read_spm},   {".vocab", read_lines}, {".txt", read_lines},
};
#define N_KINDS (sizeof kinds / sizeof *kinds)

/* Index of the kind of a file, N_KINDS if it is none of them. */
static size_t
kind_of(const char *file)
{
  size_t n = strlen(file), k = 0;
  for (; k < N_KINDS; k++) {
    size_t m = strlen(kinds[k].ending);
    if (n > m && strcasecmp(file + n - m, kinds[k].ending) == 0)
      break;
  }
  return k;
}

bool
mt_piece_list_is_known(const char *file)
{
  return kind_of(file) < N_KINDS;
}

bool
mt_piece_list_read(mt_piece_list *list, const mt_dir *dir, const char *file, size_t size,
                   const char *size_from, mt_error *error)
{
  reader r = {
      .list = list, .dir = dir, .file = file, .size = size, .size_from = size_from, .error = error};
  size_t kind = kind_of(file);
  if (kind < N_KINDS)
    return kinds[kind].read(&r);
  return mt_fail(error, MT_ERROR_UNSUPPORTED,
                 "%s/%s: expected a vocabulary called .yml, .json, .spm or .vocab, found another "
                 "ending.",
                 dir->name, file);
}
