/* mt-vocab.c — pieces and their ids, from vocab.json.
 *
 * id -> piece is an array; piece -> id a hash table with open addressing, at most half full.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-vocab.h"

#include "mt-alloc.h"
#include "mt-error.h"
#include "mt-json.h"

#include <string.h>

/* As many rows may be without a piece: padding to a round number, not another model's vocabulary.
 */
static size_t
max_unnamed(size_t size)
{
  return size / 8 < 127 ? size / 8 : 127;
}

typedef struct {
  const char *piece; /* NULL: free */
  uint32_t hash;
  int32_t id;
} slot;

struct mt_vocab {
  size_t size;
  const char **pieces; /* [size], NULL where there is none */
  slot *slots;         /* [mask + 1], a power of two */
  size_t mask;
  char *strings; /* all pieces, one after the other */
  int32_t eos, unk;
};

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

size_t
mt_vocab_size(const mt_vocab *vocab)
{
  return vocab->size;
}

int32_t
mt_vocab_eos(const mt_vocab *vocab)
{
  return vocab->eos;
}

int32_t
mt_vocab_unk(const mt_vocab *vocab)
{
  return vocab->unk;
}

bool
mt_vocab_is_special(const mt_vocab *vocab, int32_t id)
{
  const char *piece = mt_vocab_piece(vocab, id);
  if (!piece)
    return false;
  size_t n = strlen(piece);
  return strcmp(piece, "</s>") == 0 || strcmp(piece, "<s>") == 0 || strcmp(piece, "<pad>") == 0 ||
         (n >= 4 && strncmp(piece, ">>", 2) == 0 && strcmp(piece + n - 2, "<<") == 0);
}

/* ---- Loading ------------------------------------------------------------------------------- */

typedef struct {
  mt_vocab *vocab;
  const mt_dir *dir;
  const char *file;
  size_t n_chars; /* measured in the first pass */
  char *next;     /* into strings, in the second */
  size_t n_named;
  mt_error *error;
} reader;

static bool
measure(void *user, const char *piece, const mt_json_value *value)
{
  reader *r = user;
  if (mt_json_kind_of(value) != MT_JSON_INTEGER || mt_json_integer(value) < 0 ||
      (uint64_t) mt_json_integer(value) >= r->vocab->size) {
    char found[MT_JSON_DESCRIPTION_SIZE];
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected ids below the vocabulary size %zu of config.json, found %s for "
                   "piece \"%.100s\".",
                   r->dir->name, r->file, r->vocab->size, mt_json_describe(value, found), piece);
  }
  r->n_chars += strlen(piece) + 1;
  return true;
}

static bool
take(void *user, const char *piece, const mt_json_value *value)
{
  reader *r = user;
  size_t n = strlen(piece);
  uint32_t hash = hash_bytes(piece, n);
  slot *s = find_slot(r->vocab, piece, n, hash);
  char *copy = memcpy(r->next, piece, n + 1);
  r->next += n + 1;
  int32_t id = (int32_t) mt_json_integer(value);
  *s = (slot){.piece = copy, .hash = hash, .id = id};
  /* If two pieces have one id, the last gives it its name, as in Hugging Face. */
  r->n_named += !r->vocab->pieces[id];
  r->vocab->pieces[id] = copy;
  return true;
}

static bool
find_required(const reader *r, const char *piece, int32_t *id)
{
  *id = mt_vocab_find(r->vocab, piece, strlen(piece));
  return *id >= 0 || mt_fail(r->error, MT_ERROR_FORMAT,
                             "%s/%s: expected the piece \"%s\", found no such piece.", r->dir->name,
                             r->file, piece);
}

static bool
fill(reader *r, const mt_json_value *root)
{
  mt_vocab *vocab = r->vocab;
  if (!mt_json_each(root, measure, r))
    return false;
  size_t n_slots = 16;
  while (n_slots < 2 * mt_json_length(root)) /* bounded by the length of the file */
    n_slots *= 2;
  vocab->mask = n_slots - 1;
  vocab->pieces = mt_alloc(vocab->size, sizeof *vocab->pieces);
  vocab->slots = mt_alloc(n_slots, sizeof *vocab->slots);
  vocab->strings = mt_alloc(r->n_chars, 1);
  if (!vocab->pieces || !vocab->slots || !vocab->strings)
    return mt_fail_no_memory(r->error);
  r->next = vocab->strings;
  mt_json_each(root, take, r);
  if (r->n_named + max_unnamed(vocab->size) < vocab->size)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected %zu pieces, the vocabulary size of config.json, found %zu.",
                   r->dir->name, r->file, vocab->size, r->n_named);
  return find_required(r, "</s>", &vocab->eos) && find_required(r, "<unk>", &vocab->unk);
}

mt_vocab *
mt_vocab_load(const mt_dir *dir, const char *file, size_t size, mt_error *error)
{
  mt_json json = {0};
  if (!mt_json_load(&json, dir, file, error))
    return NULL;
  mt_vocab *vocab = mt_alloc(1, sizeof *vocab);
  bool ok;
  if (vocab) {
    vocab->size = size;
    reader r = {.vocab = vocab, .dir = dir, .file = file, .error = error};
    ok = fill(&r, mt_json_root(&json));
  } else {
    ok = mt_fail_no_memory(error);
  }
  mt_json_clear(&json);
  if (ok)
    return vocab;
  mt_vocab_free(vocab);
  return NULL;
}

void
mt_vocab_free(mt_vocab *vocab)
{
  if (!vocab)
    return;
  mt_free(vocab->pieces);
  mt_free(vocab->slots);
  mt_free(vocab->strings);
  mt_free(vocab);
}
