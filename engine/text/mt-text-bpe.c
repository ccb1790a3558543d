/* mt-text-bpe.c — byte-level BPE: GPT-2, and after it BART and CodeT5.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A text is cut into words by a pattern. The bytes of a word are its first pieces; of all pairs of
 * neighbours that may merge, the one of the lowest rank does, the first of equal ones, until none
 * may (Sennrich et al. 2016).
 *
 * The files write bytes as visible characters: those of Latin-1 that are visible stand for
 * themselves, the others are U+0100, U+0101 … in order, so that a space is "Ġ". Here pieces are the
 * text that they are, but for a space, which stays "Ġ", control characters, which stay as the files
 * have them, and parts of a character, which are written as bytes, "<0xC3>".
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "text/mt-text.h"
#include "text/mt-unicode-classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MERGES_BYTES_MAX ((size_t) 64 << 20)
#define N_BYTES          256

/* Two pieces that become one. */
typedef struct {
  uint64_t pair; /* ids of both */
  uint32_t rank;
  int32_t merged;
} merge;

struct mt_bpe {
  bool has_prefix; /* a space goes before a text that does not start with one */
  int32_t of_byte[N_BYTES];
  merge *merges; /* in the order of their pairs */
  size_t n_merges;
  struct {
    uint32_t at, n; /* in bytes */
  } * spans;        /* [vocab_size] */
  char *bytes;
  size_t n_bytes, capacity;
};

void
mt_bpe_free(mt_bpe *bpe)
{
  if (!bpe)
    return;
  mt_free(bpe->merges);
  mt_free(bpe->spans);
  mt_free(bpe->bytes);
  mt_free(bpe);
}

/* ---- Characters ------------------------------------------------------------------------------ */

static uint32_t
decode(const char *text, size_t length)
{
  const unsigned char *c = (const unsigned char *) text;
  static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t code = c[0] & masks[length];
  for (size_t i = 1; i < length; i++)
    code = code << 6 | (c[i] & 0x3f);
  return code;
}

static bool
stands_for_itself(unsigned byte)
{
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

/* The byte that a character of the files stands for, or -1. */
static int
byte_of(uint32_t code)
{
  if (code < N_BYTES)
    return stands_for_itself(code) ? (int) code : -1;
  uint32_t k = N_BYTES;
  for (unsigned byte = 0; byte < N_BYTES; byte++)
    if (!stands_for_itself(byte) && k++ == code)
      return (int) byte;
  return -1;
}

typedef enum { SPACE, LETTER, NUMBER, OTHER } char_class;

static bool
is_in(const uint32_t (*ranges)[2], size_t n, uint32_t code)
{
  size_t low = 0;
  while (low < n) {
    size_t middle = low + (n - low) / 2;
    if (code > ranges[middle][1])
      low = middle + 1;
    else if (code < ranges[middle][0])
      n = middle;
    else
      return true;
  }
  return false;
}

#define IS_IN(ranges, code) is_in(ranges, sizeof ranges / sizeof *ranges, code)

/* The class of the character at a place, which has *length bytes. */
static char_class
class_at(const char *text, size_t n, size_t *length)
{
  *length = mt_utf8_length_at(text, n);
  if (mt_utf8_is_space(text, *length))
    return SPACE;
  uint32_t code = decode(text, *length);
  return IS_IN(mt_unicode_letters, code)   ? LETTER
         : IS_IN(mt_unicode_numbers, code) ? NUMBER
                                           : OTHER;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Bytes of characters of one class from a place on; *last: of the last of them. */
static size_t
run_of(const char *text, size_t n, char_class wanted, size_t *last)
{
  size_t i = 0, length;
  while (i < n && class_at(text + i, n - i, &length) == wanted) {
    *last = length;
    i += length;
  }
  return i;
}

/* The next word, as the pattern of GPT-2 has it:
 * 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
static size_t
word_at(const char *text, size_t n)
{
  static const char *const endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    size_t length = strlen(endings[k]);
    if (n >= length && memcmp(text, endings[k], length) == 0)
      return length;
  }
  size_t begin = text[0] == ' ' && n > 1, length, last = 0;
  char_class kind = class_at(text + begin, n - begin, &length);
  if (kind != SPACE)
    return begin + run_of(text + begin, n - begin, kind, &last);
  /* All white space, but the last of it goes with what follows. */
  size_t run = run_of(text, n, SPACE, &last);
  return run < n && run > last ? run - last : run;
}

/* ---- Merging --------------------------------------------------------------------------------- */

/* A piece of a word; those that were merged into the one before are gone. */
typedef struct {
  int32_t id;
  uint32_t begin, end; /* bytes of the word */
  uint32_t previous, next;
} symbol;
#define NONE UINT32_MAX

/* A pair that may merge; it is out of date if the pieces are others now. */
typedef struct {
  uint32_t rank, at;
  int32_t left, right, merged;
} candidate;

typedef struct {
  const mt_bpe *bpe;
  symbol *symbols;
  size_t n_symbols, symbols_capacity;
  candidate *heap; /* the lowest first */
  size_t n_heap, heap_capacity;
  mt_error *error;
} merger;

static bool
goes_before(const candidate *a, const candidate *b)
{
  return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void
swap(candidate *a, candidate *b)
{
  candidate c = *a;
  *a = *b;
  *b = c;
}

static bool
push(merger *m, candidate c)
{
  if (!mt_grow(&m->heap, m->n_heap, 1, &m->heap_capacity, sizeof *m->heap))
    return mt_fail_no_memory(m->error);
  size_t i = m->n_heap++;
  m->heap[i] = c;
  for (; i > 0 && goes_before(&m->heap[i], &m->heap[(i - 1) / 2]); i = (i - 1) / 2)
    swap(&m->heap[i], &m->heap[(i - 1) / 2]);
  return true;
}

static candidate
pop(merger *m)
{
  candidate first = m->heap[0];
  m->heap[0] = m->heap[--m->n_heap];
  for (size_t i = 0, k; (k = 2 * i + 1) < m->n_heap; i = k) {
    k += k + 1 < m->n_heap && goes_before(&m->heap[k + 1], &m->heap[k]);
    if (!goes_before(&m->heap[k], &m->heap[i]))
      break;
    swap(&m->heap[i], &m->heap[k]);
  }
  return first;
}

static uint64_t
pair_of(int32_t left, int32_t right)
{
  return (uint64_t) (uint32_t) left << 32 | (uint32_t) right;
}

static int
by_pair(const void *a, const void *b)
{
  const merge *x = a, *y = b;
  if (x->pair != y->pair)
    return x->pair < y->pair ? -1 : 1;
  return x->rank > y->rank ? -1 : x->rank < y->rank; /* a pair that comes twice has its last rank */
}

/* Note that a piece may merge with the next one, if it may. */
static bool
consider(merger *m, uint32_t at)
{
  uint32_t next = at == NONE ? NONE : m->symbols[at].next;
  if (next == NONE || m->bpe->n_merges == 0)
    return true;
  int32_t left = m->symbols[at].id, right = m->symbols[next].id;
  const uint64_t pair = pair_of(left, right);
  size_t low = 0, high = m->bpe->n_merges;
  while (low < high) { /* the first of its pair */
    size_t middle = low + (high - low) / 2;
    if (m->bpe->merges[middle].pair < pair)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == m->bpe->n_merges || m->bpe->merges[low].pair != pair)
    return true;
  const merge *found = &m->bpe->merges[low];
  return push(m, (candidate){found->rank, at, left, right, found->merged});
}

/* Merge the pieces of a word as long as two of them may. */
static bool
merge_all(merger *m)
{
  bool ok = true;
  for (size_t i = 0; ok && i < m->n_symbols; i++)
    ok = consider(m, (uint32_t) i);
  while (ok && m->n_heap > 0) {
    candidate c = pop(m);
    symbol *left = &m->symbols[c.at];
    if (left->id != c.left || left->next == NONE || m->symbols[left->next].id != c.right)
      continue;
    symbol *right = &m->symbols[left->next];
    left->id = c.merged;
    left->end = right->end;
    left->next = right->next;
    right->id = -1; /* gone */
    if (left->next != NONE)
      m->symbols[left->next].previous = c.at;
    ok = consider(m, left->previous) && consider(m, c.at);
  }
  return ok;
}

/* ---- Text to ids ----------------------------------------------------------------------------- */

/* A byte that the vocabulary lacks is unknown, and merges with nothing. */
#define UNKNOWN_BYTE (-2)

static bool
split_word(merger *m, const char *word, size_t n)
{
  m->n_symbols = 0;
  m->n_heap = 0;
  if (!mt_grow(&m->symbols, 0, n, &m->symbols_capacity, sizeof *m->symbols))
    return mt_fail_no_memory(m->error);
  for (size_t i = 0; i < n; i++) {
    int32_t id = m->bpe->of_byte[(unsigned char) word[i]];
    m->symbols[i] = (symbol){
        .id = id < 0 ? UNKNOWN_BYTE : id,
        .begin = (uint32_t) i,
        .end = (uint32_t) i + 1,
        .previous = i > 0 ? (uint32_t) i - 1 : NONE,
        .next = i + 1 < n ? (uint32_t) i + 1 : NONE,
    };
  }
  m->n_symbols = n;
  return merge_all(m);
}

static bool
split_bpe(const mt_text *text, mt_stack side, const char *bytes, size_t n, mt_text_visit visit,
          void *user, mt_error *error)
{
  const bool is_put = text->bpe->has_prefix && n > 0 && bytes[0] != ' ';
  merger m = {.bpe = text->bpe, .error = error};
  char *with_prefix = is_put ? mt_alloc(n + 1, 1) : NULL;
  bool ok = !is_put || with_prefix || mt_fail_no_memory(error);
  if (ok && is_put) {
    with_prefix[0] = ' ';
    memcpy(with_prefix + 1, bytes, n);
    bytes = with_prefix;
    n++;
  }
  for (size_t at = 0, size; ok && at < n; at += size) {
    size = word_at(bytes + at, n - at);
    ok = split_word(&m, bytes + at, size);
    for (uint32_t i = 0; ok && i != NONE; i = m.symbols[i].next) {
      const symbol *p = &m.symbols[i];
      size_t begin = mt_text_character_at(bytes, at + p->begin), end = at + p->end;
      end = end < n ? mt_text_character_at(bytes, end) : n;
      ok = visit(user, p->id == UNKNOWN_BYTE ? text->vocab[side]->unk : p->id,
                 begin > 0 ? begin - is_put : 0, end - is_put);
    }
  }
  mt_free(m.symbols);
  mt_free(m.heap);
  mt_free(with_prefix);
  return ok;
}

/* ---- Ids to text ----------------------------------------------------------------------------- */

/* An added token is its own text. */
static const char *
bytes_of(const mt_text *text, int32_t id, char *byte, size_t *n)
{
  (void) byte;
  *n = text->bpe->spans[id].n;
  if (*n > 0)
    return text->bpe->bytes + text->bpe->spans[id].at;
  const char *piece = mt_vocab_piece(text->vocab[0], id);
  *n = strlen(piece);
  return piece;
}

static bool
join_bpe(const mt_text *text, mt_stack side, const int32_t *ids, size_t n, mt_surface_visit visit,
         void *user, mt_error *error)
{
  (void) side;
  return mt_text_join_bytes(text, ids, n, bytes_of, false, visit, user, error);
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* While files are read. */
typedef struct {
  const mt_dir *dir;
  const char *file; /* of the merges */
  mt_piece_list *list;
  size_t *order; /* of the list's pairs, by their pieces */
  mt_bpe *bpe;
  size_t capacity;
  mt_error *error;
} loader;

static const char *
piece_of(const mt_piece_list *list, size_t i)
{
  return list->strings + list->pairs[i].piece;
}

static int
by_piece(const void *a, const void *b, void *list)
{
  return strcmp(piece_of(list, *(const size_t *) a), piece_of(list, *(const size_t *) b));
}

/* The id of a piece as the files write it, -1 if there is none. */
static int32_t
find_piece(const loader *l, const char *text, size_t n)
{
  size_t low = 0, high = l->list->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *other = piece_of(l->list, l->order[middle]);
    int order = strncmp(other, text, n);
    if (order == 0 && other[n] == '\0')
      return l->list->pairs[l->order[middle]].id;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

/* Append the bytes of a piece; those of a character that stands for none are its own. */
static bool
take_bytes(loader *l, const char *text, int32_t id)
{
  mt_bpe *bpe = l->bpe;
  size_t n = strlen(text), at = bpe->n_bytes;
  if (!mt_grow(&bpe->bytes, bpe->n_bytes, n + 1, &bpe->capacity, 1))
    return mt_fail_no_memory(l->error);
  for (size_t i = 0, length; i < n; i += length) {
    length = mt_utf8_length_at(text + i, n - i);
    int byte = byte_of(decode(text + i, length));
    if (byte >= 0) {
      bpe->bytes[bpe->n_bytes++] = (char) byte;
    } else {
      memcpy(bpe->bytes + bpe->n_bytes, text + i, length);
      bpe->n_bytes += length;
    }
    if (byte >= 0 && length == n)
      bpe->of_byte[byte] = id;
  }
  bpe->spans[id].at = (uint32_t) at;
  bpe->spans[id].n = (uint32_t) (bpe->n_bytes - at);
  return true;
}

/* How a piece is shown: see above. */
static bool
add_shown(mt_piece_list *shown, const char *bytes, size_t n, int32_t id, mt_error *error)
{
  char *text = mt_alloc(6 * n + 1, 1); /* "<0xC3>" */
  if (!text)
    return mt_fail_no_memory(error);
  size_t length = 0;
  for (size_t i = 0, step; i < n; i += step) {
    unsigned char byte = (unsigned char) bytes[i];
    step = mt_utf8_length_at(bytes + i, n - i);
    if (step == 0) {
      step = 1;
      length += (size_t) snprintf(text + length, 7, "<0x%02X>", byte);
    } else if (byte <= ' ' || byte == 0x7f) {
      unsigned code = byte == 0x7f ? 0x100 + ' ' + 1 : 0x100u + byte;
      text[length++] = (char) (0xc0 | code >> 6);
      text[length++] = (char) (0x80 | (code & 0x3f));
    } else {
      memcpy(text + length, bytes + i, step);
      length += step;
    }
  }
  bool ok = mt_piece_list_add(shown, text, length, id, error);
  mt_free(text);
  return ok;
}

/* ---- Merges ---------------------------------------------------------------------------------- */

static bool
take_merge(loader *l, const char *left, size_t n_left, const char *right, size_t n_right)
{
  char both[2048];
  int32_t ids[3] = {find_piece(l, left, n_left), find_piece(l, right, n_right), -1};
  if (n_left + n_right <= sizeof both) {
    memcpy(both, left, n_left);
    memcpy(both + n_left, right, n_right);
    ids[2] = find_piece(l, both, n_left + n_right);
  }
  if (ids[0] < 0 || ids[1] < 0 || ids[2] < 0)
    return mt_fail(
        l->error, MT_ERROR_FORMAT,
        "%s/%s: expected merges of two pieces into a third, found \"%.*s\" and \"%.*s\", "
        "of which one, or both together, is no piece.",
        l->dir->name, l->file, (int) (n_left < 100 ? n_left : 100), left,
        (int) (n_right < 100 ? n_right : 100), right);
  mt_bpe *bpe = l->bpe;
  if (!mt_grow(&bpe->merges, bpe->n_merges, 1, &l->capacity, sizeof *bpe->merges))
    return mt_fail_no_memory(l->error);
  bpe->merges[bpe->n_merges] = (merge){pair_of(ids[0], ids[1]), (uint32_t) bpe->n_merges, ids[2]};
  bpe->n_merges++;
  return true;
}

/* "Ġ t": two pieces with a space between. */
static bool
take_line(loader *l, const char *line, size_t n)
{
  const char *space = memchr(line, ' ', n);
  size_t n_left = space ? (size_t) (space - line) : 0, n_right = space ? n - n_left - 1 : 0;
  if (n_left == 0 || n_right == 0 || memchr(space + 1, ' ', n_right))
    return mt_fail(l->error, MT_ERROR_FORMAT,
                   "%s/%s: expected two pieces a line with a space between, found \"%.*s\".",
                   l->dir->name, l->file, (int) (n < 100 ? n : 100), line);
  return take_merge(l, line, n_left, space + 1, n_right);
}

static bool
read_merges(loader *l)
{
  static const char version[] = "#version";
  mt_mapping mapping = {0};
  if (!mt_dir_map(l->dir, l->file, MERGES_BYTES_MAX, &mapping, l->error))
    return false;
  const char *at = (const char *) mapping.bytes, *end = at + mapping.size;
  size_t offset;
  bool ok = (mt_utf8_valid(at, mapping.size, &offset) && !memchr(at, '\0', mapping.size)) ||
            mt_fail(l->error, MT_ERROR_FORMAT,
                    "%s/%s: expected lines of text in UTF-8, found something else.", l->dir->name,
                    l->file);
  while (ok && at < end) {
    const char *stop = memchr(at, '\n', (size_t) (end - at));
    stop = stop ? stop : end;
    size_t n = (size_t) (stop - at);
    n -= n > 0 && at[n - 1] == '\r';
    if (n > 0 && (n < strlen(version) || memcmp(at, version, strlen(version)) != 0))
      ok = take_line(l, at, n);
    at = stop + 1;
  }
  mt_unmap(&mapping);
  return ok;
}

/* "Ġ t", or ["Ġ", "t"]. */
static bool
take_merges(loader *l, const mt_json_value *merges)
{
  size_t n = mt_json_kind_of(merges) == MT_JSON_ARRAY ? mt_json_length(merges) : 0;
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++) {
    const mt_json_value *value = mt_json_at(merges, i);
    mt_json_kind kind = mt_json_kind_of(value);
    const char *texts[2] = {NULL, NULL};
    for (size_t k = 0; kind == MT_JSON_ARRAY && k < 2 && mt_json_length(value) == 2; k++)
      if (mt_json_kind_of(mt_json_at(value, k)) == MT_JSON_STRING)
        texts[k] = mt_json_string(mt_json_at(value, k));
    const char *line = kind == MT_JSON_STRING ? mt_json_string(value) : NULL;
    if (line) {
      ok = take_line(l, line, strlen(line));
    } else if (texts[0] && texts[1]) {
      ok = take_merge(l, texts[0], strlen(texts[0]), texts[1], strlen(texts[1]));
    } else {
      char description[MT_JSON_DESCRIPTION_SIZE];
      ok = mt_fail(l->error, MT_ERROR_FORMAT, "%s/%s: expected merges of two pieces, found %s.",
                   l->dir->name, l->file, mt_json_describe(value, description));
    }
  }
  return ok;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* All of a list of pieces as the files write them, with the merges of a file, or of JSON. */
static bool
fill(mt_text *text, loader *l, const mt_tokenizer_spec *spec, const char *vocab_file,
     const mt_json_value *merges)
{
  mt_piece_list shown = {0};
  mt_bpe *bpe = text->bpe = l->bpe = mt_alloc(1, sizeof *bpe);
  l->order = mt_alloc(l->list->n, sizeof *l->order);
  bool ok = (bpe && l->order) || mt_fail_no_memory(l->error);
  if (ok) {
    bpe->spans = mt_alloc(spec->shapes[0].size, sizeof *bpe->spans);
    ok = bpe->spans || mt_fail_no_memory(l->error);
  }
  for (size_t i = 0; ok && i < N_BYTES; i++)
    bpe->of_byte[i] = -1;
  for (size_t i = 0; ok && i < l->list->n; i++) {
    int32_t id = l->list->pairs[i].id;
    ok = take_bytes(l, piece_of(l->list, i), id) &&
         add_shown(&shown, bpe->bytes + bpe->spans[id].at, bpe->spans[id].n, id, l->error);
  }
  if (ok) {
    for (size_t i = 0; i < l->list->n; i++)
      l->order[i] = i;
    qsort_r(l->order, l->list->n, sizeof *l->order, by_piece, l->list);
    ok = merges ? take_merges(l, merges) : read_merges(l);
  }
  if (ok && bpe->n_merges > 0)
    qsort(bpe->merges, bpe->n_merges, sizeof *bpe->merges, by_pair);
  ok = ok && mt_text_take_pieces(text, &shown, l->dir, vocab_file, spec, l->error);
  mt_free(l->order);
  mt_piece_list_clear(&shown);
  return ok;
}

/* tokenizer_config.json says whether a space goes before the first word. */
static bool
read_prefix(const mt_dir *dir, bool *has_prefix, mt_error *error)
{
  mt_json json = {0};
  *has_prefix = false;
  if (!mt_dir_has(dir, "tokenizer_config.json"))
    return true;
  bool ok = mt_json_load(&json, dir, "tokenizer_config.json", error) &&
            mt_json_get_bool(&json, "add_prefix_space", has_prefix, error);
  mt_json_clear(&json);
  return ok;
}

static bool
open_bpe(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  mt_piece_list list = {0};
  bool has_prefix = false;
  const char *file = spec->vocab_files[0];
  loader l = {.dir = dir, .file = spec->merges_file, .list = &list, .error = error};
  bool ok =
      mt_text_load_added(text, dir, spec, error) && read_prefix(dir, &has_prefix, error) &&
      mt_piece_list_read(&list, dir, file, spec->shapes[0].size, spec->shapes[0].from, error) &&
      fill(text, &l, spec, file, NULL);
  if (ok)
    text->bpe->has_prefix = has_prefix;
  mt_piece_list_clear(&list);
  return ok;
}

typedef struct {
  loader *l;
  size_t size;
} taker;

static bool
take_piece(void *user, const char *piece, const mt_json_value *value)
{
  const taker *t = user;
  if (mt_json_kind_of(value) == MT_JSON_INTEGER && mt_json_integer(value) >= 0 &&
      (uint64_t) mt_json_integer(value) < t->size && strlen(piece) <= MT_TEXT_PIECE_MAX)
    return mt_piece_list_add(t->l->list, piece, strlen(piece), (int32_t) mt_json_integer(value),
                             t->l->error);
  char description[MT_JSON_DESCRIPTION_SIZE];
  return mt_fail(t->l->error, MT_ERROR_FORMAT,
                 "%s/%s: expected pieces of at most 1024 bytes with ids below the vocabulary size "
                 "%zu, found \"%.100s\" with %s.",
                 t->l->dir->name, t->l->file, t->size, piece, mt_json_describe(value, description));
}

bool
mt_text_open_bpe_json(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec,
                      const mt_json_value *model, bool has_prefix, mt_error *error)
{
  mt_piece_list list = {0};
  loader l = {.dir = dir, .file = spec->json_file, .list = &list, .error = error};
  taker t = {&l, spec->shapes[0].size};
  const mt_json_value *vocab = mt_json_member(model, "vocab"),
                      *merges = mt_json_member(model, "merges");
  bool ok =
      (mt_json_kind_of(vocab) == MT_JSON_OBJECT && mt_json_kind_of(merges) == MT_JSON_ARRAY) ||
      mt_fail(error, MT_ERROR_FORMAT,
              "%s/%s: expected a BPE with \"vocab\" and \"merges\", found no such two.", dir->name,
              l.file);
  text->row = &mt_text_byte_bpe;
  ok = ok && mt_json_each(vocab, take_piece, &t) && fill(text, &l, spec, l.file, merges);
  if (ok)
    text->bpe->has_prefix = has_prefix;
  mt_piece_list_clear(&list);
  return ok;
}

const mt_text_row mt_text_byte_bpe = {
    .name = "byte-level BPE",
    .open = open_bpe,
    .split = split_bpe,
    .join = join_bpe,
    .begins_with_bos = true,
};
