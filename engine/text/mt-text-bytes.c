/* mt-text-bytes.c — text as the bytes of UTF-8: ByT5; and bytes that become text again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "text/mt-text.h"

#include <stdio.h>
#include <string.h>

/* ---- Bytes to text --------------------------------------------------------------------------- */

/* How many bytes at the start of what is no character belong together: the longest part of one that
 * could have been, as Unicode recommends for U+FFFD. */
static size_t
invalid_length(const unsigned char *bytes, size_t n)
{
  const unsigned char lead = bytes[0];
  size_t wanted = lead >= 0xc2 && lead <= 0xdf   ? 2
                  : lead >= 0xe0 && lead <= 0xef ? 3
                  : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                 : 1;
  unsigned char low = 0x80, high = 0xbf;
  if (lead == 0xe0)
    low = 0xa0;
  if (lead == 0xed)
    high = 0x9f;
  if (lead == 0xf0)
    low = 0x90;
  if (lead == 0xf4)
    high = 0x8f;
  size_t i = 1;
  while (i < wanted && i < n && bytes[i] >= low && bytes[i] <= high) {
    low = 0x80;
    high = 0xbf;
    i++;
  }
  return i;
}

/* The bytes of all ids, one after the other. */
typedef struct {
  char *bytes;
  size_t n, capacity;
  size_t *ends; /* of each id's */
} joined;

/* Text of the bytes: a character, or what stands for one, belongs to the id that has its last byte.
 */
static bool
tell_surfaces(const joined *all, size_t n, bool ignores, mt_surface_visit visit, void *user,
              mt_error *error)
{
  static const char replacement[] = "\xef\xbf\xbd";
  char *surface = NULL;
  size_t length = 0, capacity = 0, id = 0;
  bool ok = true;
  for (size_t at = 0, step; ok && at < all->n; at += step) {
    const char *c = all->bytes + at;
    step = mt_utf8_length_at(c, all->n - at);
    bool is_text = step > 0 && *c != '\0';
    size_t n_put = is_text ? step : ignores ? 0 : strlen(replacement);
    if (step == 0)
      step = invalid_length((const unsigned char *) c, all->n - at);
    for (; ok && all->ends[id] < at + step; id++, length = 0)
      ok = visit(user, surface ? surface : "", length);
    if (ok && !mt_grow(&surface, length, n_put + 1, &capacity, 1))
      ok = mt_fail_no_memory(error);
    if (ok)
      memcpy(surface + length, is_text ? c : replacement, n_put);
    length += n_put;
  }
  for (; ok && id < n; id++, length = 0)
    ok = visit(user, surface ? surface : "", length);
  mt_free(surface);
  return ok;
}

bool
mt_text_join_bytes(const mt_text *text, const int32_t *ids, size_t n, mt_bytes_of bytes_of,
                   bool ignores, mt_surface_visit visit, void *user, mt_error *error)
{
  joined all = {.ends = mt_alloc(n, sizeof *all.ends)};
  bool ok = all.ends || mt_fail_no_memory(error);
  for (size_t i = 0; ok && i < n; i++) {
    char byte;
    size_t n_bytes;
    const char *bytes = bytes_of(text, ids[i], &byte, &n_bytes);
    if (!mt_grow(&all.bytes, all.n, n_bytes + 1, &all.capacity, 1)) {
      ok = mt_fail_no_memory(error);
      break;
    }
    memcpy(all.bytes + all.n, bytes, n_bytes);
    all.n += n_bytes;
    all.ends[i] = all.n;
  }
  ok = ok && tell_surfaces(&all, n, ignores, visit, user, error);
  mt_free(all.bytes);
  mt_free(all.ends);
  return ok;
}

size_t
mt_text_character_at(const char *bytes, size_t at)
{
  while (at > 0 && ((unsigned char) bytes[at] & 0xc0) == 0x80)
    at--;
  return at;
}

/* ---- ByT5 ------------------------------------------------------------------------------------ */

#define FIRST_BYTE 3 /* after <pad>, </s> and <unk> */
#define N_BYTES    256
#define N_EXTRA    125

/* How a byte is shown: a space as SentencePiece has it. */
static void
spell(int byte, char out[8])
{
  if (byte == ' ')
    snprintf(out, 8, "\xe2\x96\x81");
  else if (byte > ' ' && byte < 0x7f)
    snprintf(out, 8, "%c", byte);
  else
    snprintf(out, 8, "<0x%02X>", (unsigned) byte);
}

static bool
open_bytes(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  static const char *const first[FIRST_BYTE] = {"<pad>", "</s>", "<unk>"};
  const size_t size = spec->shapes[0].size, behind = FIRST_BYTE + N_BYTES;
  mt_piece_list list = {0};
  char name[32];
  if (size < behind)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected a vocabulary of at least %zu for text as bytes, found %zu in %s.",
                   dir->name, behind, size, spec->shapes[0].from);
  bool ok = mt_text_load_added(text, dir, spec, error);
  for (int32_t id = 0; ok && id < FIRST_BYTE; id++)
    ok = mt_piece_list_add(&list, first[id], strlen(first[id]), id, error);
  for (int32_t byte = 0; ok && byte < N_BYTES; byte++) {
    spell(byte, name);
    ok = mt_piece_list_add(&list, name, strlen(name), FIRST_BYTE + byte, error);
  }
  const size_t n_extra = mt_text_has_id(text, "<extra_id_0>") ? 0 : N_EXTRA;
  for (size_t i = 0; ok && i < n_extra && behind + i < size; i++) {
    snprintf(name, sizeof name, "<extra_id_%zu>", i);
    ok = mt_added_tokens_add(&text->added, name, (int32_t) (behind + i), false, error);
  }
  ok = ok && mt_text_take_pieces(text, &list, dir, "tokenizer_config.json", spec, error);
  mt_piece_list_clear(&list);
  return ok;
}

static bool
split_bytes(const mt_text *text, mt_stack side, const char *bytes, size_t n, mt_text_visit visit,
            void *user, mt_error *error)
{
  (void) text;
  (void) side;
  (void) error;
  for (size_t i = 0; i < n; i++) {
    size_t end = i + 1 < n ? mt_text_character_at(bytes, i + 1) : n;
    if (!visit(user, FIRST_BYTE + (unsigned char) bytes[i], mt_text_character_at(bytes, i), end))
      return false;
  }
  return true;
}

/* An added token is its own text. */
static const char *
bytes_of(const mt_text *text, int32_t id, char *byte, size_t *n)
{
  const char *piece = mt_vocab_piece(text->vocab[0], id);
  bool is_byte = id >= FIRST_BYTE && id < FIRST_BYTE + N_BYTES;
  *byte = (char) (id - FIRST_BYTE);
  *n = is_byte ? 1 : strlen(piece);
  return is_byte ? byte : piece;
}

static bool
join_bytes(const mt_text *text, mt_stack side, const int32_t *ids, size_t n, mt_surface_visit visit,
           void *user, mt_error *error)
{
  (void) side;
  return mt_text_join_bytes(text, ids, n, bytes_of, true, visit, user, error);
}

const mt_text_row mt_text_bytes = {
    .name = "bytes",
    .open = open_bytes,
    .split = split_bytes,
    .join = join_bytes,
};
