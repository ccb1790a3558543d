/* mt-vocab.c — pieces and their ids.
 *
 * id -> piece is an array; piece -> id a hash table with open addressing, at most half full.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/mt-vocab.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "text/mt-piece-list.h"

#include <string.h>

/* As many rows may be without a piece: padding to a round number, not another model's vocabulary.
 */
static size_t
max_unnamed(size_t size)
{
  return size / 8 < 127 ? size / 8 : 127;
}

/* Steps to free slots that a table may take for each piece, on average. Words take half a step;
 * pieces that were chosen to have one hash take as many as there are pieces. */
#define MAX_STEPS 16

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
  bool *special; /* [size] by the added tokens; NULL: none is */
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
  return (vocab->special && vocab->special[id]) || strcmp(piece, "</s>") == 0 ||
         strcmp(piece, "<s>") == 0 || strcmp(piece, "<pad>") == 0 ||
         (n >= 4 && strncmp(piece, ">>", 2) == 0 && strcmp(piece + n - 2, "<<") == 0);
}

/* ---- Loading ------------------------------------------------------------------------------- */

/* Returns how many steps it took. */
static size_t
take(mt_vocab *vocab, const char *piece, int32_t id, size_t *n_named)
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
static bool
take_added(mt_vocab *vocab, size_t n_words, mt_added_tokens *added, size_t *n_named,
           mt_error *error)
{
  vocab->special = mt_alloc(vocab->size, sizeof *vocab->special);
  if (!vocab->special)
    return mt_fail_no_memory(error);
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
      take(vocab, token->text, id, n_named);
    vocab->special[id] |= token->is_special && strcmp(token->text, added->unk) != 0;
  }
  return true;
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
  if (!vocab->pieces || !vocab->slots)
    return mt_fail_no_memory(error);
  vocab->strings = list->strings;
  list->strings = NULL;
  for (size_t i = 0; i < list->n; i++) {
    n_steps += take(vocab, vocab->strings + list->pairs[i].piece, list->pairs[i].id, &n_named);
    if (n_steps / MAX_STEPS > list->n)
      return mt_fail(
          error, MT_ERROR_FORMAT,
          "%s/%s: expected words, found pieces that were chosen to be slow to tell apart.",
          dir->name, file);
  }
  const size_t n_in_file = n_named;
  if (added && !take_added(vocab, list->n, added, &n_named, error))
    return false;
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
mt_vocab_load(const mt_dir *dir, const char *file, const mt_vocab_shape *shape, mt_error *error)
{
  mt_piece_list list = {0};
  mt_vocab *vocab = mt_alloc(1, sizeof *vocab);
  bool ok = vocab || mt_fail_no_memory(error);
  if (ok) {
    vocab->size = shape->size + shape->adds_pad;
    ok = mt_piece_list_read(&list, dir, file, shape->size, shape->from, error) &&
         (!shape->adds_pad || add_pad(&list, shape->size, error)) &&
         fill(vocab, &list, dir, file, shape, error);
  }
  mt_piece_list_clear(&list);
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
  mt_free(vocab->special);
  mt_free(vocab->strings);
  mt_free(vocab);
}
