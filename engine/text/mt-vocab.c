/* mt-vocab.c — pieces and their ids, read from files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * id -> piece is an array; piece -> id a hash table with open addressing, at most half full.
 */
#include "text/mt-vocab.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-json.h"
#include "files/mt-yaml.h"
#include "text/mt-sentencepiece.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- Files that list pieces and their ids ---------------------------------------------------- */

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
  if (!mt_grow(&list->pairs, list->n, 1, &list->capacity, sizeof *list->pairs) ||
      !mt_grow(&list->strings, list->n_strings, n + 1, &list->strings_capacity, 1))
    return mt_fail_no_memory(error);
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
  bool ok = mt_json_load(&json, r->dir, r->file, r->error) && mt_json_each(json.root, take_json, r);
  mt_json_clear(&json);
  return ok;
}

static bool
read_yaml(reader *r)
{
  mt_yaml yaml = {0};
  bool ok = mt_yaml_load(&yaml, r->dir, r->file, r->error);
  for (size_t i = 0; ok && i < yaml.n; i++) {
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

/* What ByT5 calls its first byte, which no string in C can have: the sign for it, U+2400. */
#define NUL_SIGN "\xe2\x90\x80"

/* CTranslate2's: the pieces in the order of their ids. */
static bool
read_list(reader *r)
{
  mt_json json = {0};
  bool ok = mt_json_load_list(&json, r->dir, r->file, r->error);
  for (size_t i = 0; ok && i < mt_json_length(json.root); i++) {
    const mt_json_value *value = mt_json_at(json.root, i);
    const char *piece = mt_json_is_nul(value)                      ? NUL_SIGN
                        : mt_json_kind_of(value) == MT_JSON_STRING ? mt_json_string(value)
                                                                   : NULL;
    ok = piece ? take_numbered(r, piece, strlen(piece))
               : mt_fail(r->error, MT_ERROR_FORMAT,
                         "%s/%s: expected a list of pieces, found something else at place %zu.",
                         r->dir->name, r->file, i);
  }
  mt_json_clear(&json);
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

/* THE list. The first ending that fits wins. */
static const struct {
  const char *ending;
  bool (*read)(reader *r);
} kinds[] = {
    {"_vocabulary.json", read_list},
    {".json", read_json},
    {".yml", read_yaml},
    {".yaml", read_yaml},
    {".spm", read_spm},
    {".vocab", read_lines},
    {".txt", read_lines},
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

/* ---- A vocabulary ---------------------------------------------------------------------------- */

/* As many rows may be without a piece: padding to a round number, not another model's vocabulary.
 */
static size_t
max_unnamed(size_t size)
{
  return size / 8 < 127 ? size / 8 : 127;
}

/* Steps to free slots that a table may take for each piece, on average. Words take half
 * a step; pieces that were chosen to have one hash take as many as there are pieces. */
#define MAX_STEPS 16

typedef struct mt_vocab_slot {
  const char *piece; /* NULL: free */
  uint32_t hash;
  int32_t id;
} slot;

/* FNV-1a. */
static uint32_t
hash_bytes(const char *bytes, size_t n)
{
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (unsigned char) bytes[i]) * 16777619u;
  return hash;
}

/* The slot of a piece, or the free one where it would go. */
static slot *
find_slot(const mt_vocab *vocab, const char *piece, size_t n, uint32_t hash)
{
  size_t i = hash & vocab->mask;
  while (vocab->slots[i].piece &&
         (vocab->slots[i].hash != hash || strncmp(vocab->slots[i].piece, piece, n) != 0 ||
          vocab->slots[i].piece[n] != '\0'))
    i = (i + 1) & vocab->mask;
  return &vocab->slots[i];
}

int32_t
mt_vocab_find(const mt_vocab *vocab, const char *piece, size_t n)
{
  const slot *s = find_slot(vocab, piece, n, hash_bytes(piece, n));
  return s->piece ? s->id : -1;
}

const char *
mt_vocab_piece(const mt_vocab *vocab, int32_t id)
{
  if (id < 0 || (size_t) id >= vocab->size)
    return NULL;
  const char *piece = vocab->pieces[id];
  return piece ? piece : vocab->pieces[vocab->unk];
}

bool
mt_vocab_is_special(const mt_vocab *vocab, int32_t id)
{
  return id >= 0 && (size_t) id < vocab->size && vocab->special[id];
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* Returns how many steps it took. */
static size_t
place_piece(mt_vocab *vocab, const char *piece, int32_t id, size_t *n_named)
{
  size_t n = strlen(piece);
  uint32_t hash = hash_bytes(piece, n);
  slot *s = find_slot(vocab, piece, n, hash);
  *s = (slot){.piece = piece, .hash = hash, .id = id};
  /* If two pieces have one id, the last gives it its name, as in Hugging Face. */
  *n_named += !vocab->pieces[id];
  vocab->pieces[id] = piece;
  return ((size_t) (s - vocab->slots) - hash) & vocab->mask;
}

/* Added tokens go before what the file says, and after it if they have no id: transformers counts
 * all words, and goes on from there. */
static void
take_added(mt_vocab *vocab, size_t n_words, mt_added_tokens *added, size_t *n_named)
{
  const char *unk = added->unk ? added->unk : "<unk>";
  for (size_t i = 0; i < added->n; i++)
    n_words += added->items[i].id >= 0 &&
               mt_vocab_find(vocab, added->items[i].text, strlen(added->items[i].text)) < 0;
  for (size_t i = 0; i < added->n; i++) {
    mt_added_token *token = &added->items[i];
    int32_t found = mt_vocab_find(vocab, token->text, strlen(token->text));
    if (token->id < 0)
      token->id = found >= 0 ? found : (int32_t) n_words++;
    /* The words for end, unknown and padding may have ids of their own in each vocabulary. */
    int32_t id = token->stays_text && found >= 0 ? found : token->id;
    if ((size_t) id >= vocab->size)
      continue;
    if (id != found)
      place_piece(vocab, token->text, id, n_named);
    vocab->special[id] |= token->is_special && strcmp(token->text, unk) != 0;
  }
}

/* What every tokenizer calls special, whether it says so or not. */
static bool
is_spelled_special(const char *piece, bool has_codes)
{
  size_t n = strlen(piece);
  return strcmp(piece, "</s>") == 0 || strcmp(piece, "<s>") == 0 || strcmp(piece, "<pad>") == 0 ||
         (has_codes && n >= 4 && strncmp(piece, ">>", 2) == 0 && strcmp(piece + n - 2, "<<") == 0);
}

static bool
find_required(const mt_vocab *vocab, const char *piece, const mt_dir *dir, const char *file,
              int32_t *id, mt_error *error)
{
  *id = mt_vocab_find(vocab, piece, strlen(piece));
  return *id >= 0 ||
         mt_fail(error, MT_ERROR_FORMAT, "%s/%s: expected the piece \"%s\", found no such piece.",
                 dir->name, file, piece);
}

/* The table of a list that was read, which gives its strings away. */
static bool
fill(mt_vocab *vocab, mt_piece_list *list, const mt_dir *dir, const char *file,
     const mt_vocab_shape *shape, mt_error *error)
{
  size_t n_slots = 16, n_named = 0, n_steps = 0;
  mt_added_tokens *added = shape->added;
  /* Bounded by the lengths of the files. */
  while (n_slots < 2 * (list->n + (added ? added->n : 0)))
    n_slots *= 2;
  vocab->mask = n_slots - 1;
  vocab->pieces = mt_alloc(vocab->size, sizeof *vocab->pieces);
  vocab->slots = mt_alloc(n_slots, sizeof *vocab->slots);
  vocab->special = mt_alloc(vocab->size, sizeof *vocab->special);
  if (!vocab->pieces || !vocab->slots || !vocab->special)
    return mt_fail_no_memory(error);
  vocab->strings = list->strings;
  list->strings = NULL;
  for (size_t i = 0; i < list->n; i++) {
    n_steps +=
        place_piece(vocab, vocab->strings + list->pairs[i].piece, list->pairs[i].id, &n_named);
    if (n_steps / MAX_STEPS > list->n)
      return mt_fail(
          error, MT_ERROR_FORMAT,
          "%s/%s: expected words, found pieces that were chosen to be slow to tell apart.",
          dir->name, file);
  }
  const size_t n_in_file = n_named;
  if (added)
    take_added(vocab, list->n, added, &n_named);
  for (size_t id = 0; id < vocab->size; id++)
    vocab->special[id] |=
        vocab->pieces[id] && is_spelled_special(vocab->pieces[id], shape->has_codes);
  if (n_named + max_unnamed(vocab->size) < vocab->size)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected %zu pieces, the vocabulary size of %s, found %zu.", dir->name,
                   file, shape->size, shape->from, n_in_file - shape->adds_pad);
  const char *eos = added && added->eos ? added->eos : "</s>";
  const char *unk = added && added->unk ? added->unk : "<unk>";
  return find_required(vocab, eos, dir, file, &vocab->eos, error) &&
         find_required(vocab, unk, dir, file, &vocab->unk, error);
}

/* As Hugging Face adds it; a piece that is called so already keeps its id, too. */
static bool
add_pad(mt_piece_list *list, size_t size, mt_error *error)
{
  static const char pad[] = "<pad>";
  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->strings + list->pairs[i].piece, pad) == 0)
      return true;
  return mt_piece_list_add(list, pad, strlen(pad), (int32_t) size, error);
}

mt_vocab *
mt_vocab_new(mt_piece_list *list, const mt_dir *dir, const char *file, const mt_vocab_shape *shape,
             mt_error *error)
{
  mt_vocab *vocab = mt_alloc(1, sizeof *vocab);
  if (!vocab)
    return mt_fail_no_memory(error), NULL;
  vocab->size = shape->size + shape->adds_pad;
  if ((!shape->adds_pad || add_pad(list, shape->size, error)) &&
      fill(vocab, list, dir, file, shape, error))
    return vocab;
  mt_vocab_free(vocab);
  return NULL;
}

mt_vocab *
mt_vocab_load(const mt_dir *dir, const char *file, const mt_vocab_shape *shape, mt_error *error)
{
  mt_piece_list list = {0};
  mt_vocab *vocab = NULL;
  if (mt_piece_list_read(&list, dir, file, shape->size, shape->from, error))
    vocab = mt_vocab_new(&list, dir, file, shape, error);
  mt_piece_list_clear(&list);
  return vocab;
}

void
mt_vocab_free(mt_vocab *vocab)
{
  if (!vocab)
    return;
  mt_free(vocab->pieces);
  mt_free(vocab->slots);
  mt_free(vocab->special);
  mt_free(vocab->strings);
  mt_free(vocab);
}
