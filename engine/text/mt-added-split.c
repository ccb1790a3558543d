/* mt-added-split.c — cutting added tokens out of a text.
 *
 * This follows PreTrainedTokenizer.tokenize of transformers and its Trie.split to the letter, for
 * the ids of a text are to be the same: the first match wins, made as long as it can be, and one
 * that starts earlier and may still match goes before it. Looking ahead for that one, Trie.split
 * goes on behind the character that it has just failed at; so does this.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/mt-added-tokens.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"

#include <string.h>

/* ---- The tree of bytes ----------------------------------------------------------------------- */

/* The node below `node` for a byte; 0 if there is none. */
static int32_t
child(const mt_added_tokens *added, int32_t node, unsigned char byte)
{
  int32_t i = added->nodes[node].child;
  while (i && added->nodes[i].byte != byte)
    i = added->nodes[i].sibling;
  return i;
}

static int32_t
grow(mt_added_tokens *added, int32_t node, unsigned char byte, mt_error *error)
{
  int32_t found = node < 0 ? 0 : child(added, node, byte);
  if (found)
    return found;
  if (added->n_nodes == added->nodes_capacity) {
    size_t capacity = added->nodes_capacity ? 2 * added->nodes_capacity : 64;
    mt_added_node *nodes = mt_realloc(added->nodes, capacity, sizeof *nodes);
    if (!nodes) {
      mt_fail_no_memory(error);
      return -1;
    }
    added->nodes = nodes;
    added->nodes_capacity = capacity;
  }
  int32_t i = (int32_t) added->n_nodes++;
  added->nodes[i] = (mt_added_node){.byte = byte, .item = -1};
  if (node >= 0) {
    added->nodes[i].sibling = added->nodes[node].child;
    added->nodes[node].child = i;
  }
  return i;
}

bool
mt_added_tokens_plant(mt_added_tokens *added, mt_error *error)
{
  if (grow(added, -1, 0, error) < 0) /* the root */
    return false;
  for (size_t i = 0; i < added->n; i++) {
    const mt_added_token *token = &added->items[i];
    size_t n = strlen(token->text);
    if (token->stays_text || token->is_replaced || n == 0)
      continue;
    int32_t node = 0;
    for (size_t k = 0; node >= 0 && k < n; k++)
      node = grow(added, node, (unsigned char) token->text[k], error);
    if (node < 0)
      return false;
    added->nodes[node].item = (int32_t) i; /* of two that are spelled alike, the last */
    added->longest = n > added->longest ? n : added->longest;
    added->has_flags |= token->lstrip || token->rstrip || token->single_word;
  }
  return true;
}

const mt_added_token *
mt_added_tokens_find(const mt_added_tokens *added, const char *text, size_t n)
{
  if (added->n_nodes == 0 || n == 0 || n > added->longest)
    return NULL;
  int32_t node = 0;
  for (size_t i = 0; i < n; i++)
    if (!(node = child(added, node, (unsigned char) text[i])))
      return NULL;
  int32_t item = added->nodes[node].item;
  return item >= 0 ? &added->items[item] : NULL;
}

/* ---- Where to cut ---------------------------------------------------------------------------- */

/* A part of the text; parts follow one another without a gap. */
typedef struct {
  size_t begin, end;
} part;

/* A match that has begun. */
typedef struct {
  size_t start;
  int32_t node;
  bool failed;
} partial;

typedef struct {
  const mt_added_tokens *added;
  const char *text;
  size_t n;
  partial *partials; /* in the order of their starts */
  size_t n_partials;
  size_t skip; /* matches before it are done with */
  part *parts;
  size_t n_parts, parts_capacity, cut_to;
  bool *taken; /* [n] bytes that a token has stripped; NULL if none can */
  mt_error *error;
} splitter;

static size_t
character(const splitter *s, size_t at)
{
  size_t length = at < s->n ? mt_utf8_length_at(s->text + at, s->n - at) : 0;
  return length ? length : 1;
}

/* The node after the character at a place; 0 if none is. */
static int32_t
step(const splitter *s, int32_t node, size_t at, size_t length)
{
  for (size_t i = 0; i < length && (i == 0 || node); i++)
    node = at + i < s->n ? child(s->added, node, (unsigned char) s->text[at + i]) : 0;
  return node;
}

static bool
is_end(const splitter *s, int32_t node)
{
  return s->added->nodes[node].item >= 0;
}

/* End a part, as Trie.cut_text does. */
static bool
cut(splitter *s, size_t end)
{
  if (end <= s->cut_to)
    return true;
  if (s->n_parts == s->parts_capacity) {
    size_t capacity = s->parts_capacity ? 2 * s->parts_capacity : 16;
    part *parts = mt_realloc(s->parts, capacity, sizeof *parts);
    if (!parts)
      return mt_fail_no_memory(s->error);
    s->parts = parts;
    s->parts_capacity = capacity;
  }
  s->parts[s->n_parts++] = (part){s->cut_to, end};
  s->cut_to = end;
  return true;
}

/* Partial match k has ended before the character at `current`: make it as long as can be, or give
 * way to one that started earlier. */
static bool
finish(splitter *s, size_t k, size_t current, size_t length)
{
  size_t start = s->partials[k].start, end = current;
  for (size_t j = 0; j < s->n_partials && s->partials[j].start <= start; j++) {
    bool is_earlier = s->partials[j].start < start;
    int32_t node = s->partials[j].node;
    size_t at = end = is_earlier ? current + length : current;
    for (;;) {
      if (is_end(s, node)) {
        start = s->partials[j].start;
        end = s->skip = at;
      }
      size_t next = character(s, at);
      if (at >= s->n || !(node = step(s, node, at, next)))
        break;
      at += next;
    }
  }
  return cut(s, start) && cut(s, end);
}

static bool
find_parts(splitter *s)
{
  for (size_t current = 0, length; current < s->n; current += length) {
    length = character(s, current);
    if (current < s->skip)
      continue;
    bool found = false;
    for (size_t k = 0; k < s->n_partials && !found; k++) {
      partial *p = &s->partials[k];
      found = is_end(s, p->node);
      if (found && !finish(s, k, current, length))
        return false;
      int32_t node = found ? 0 : step(s, p->node, current, length);
      p->failed = node == 0;
      p->node = node ? node : p->node;
    }
    size_t n_left = 0;
    for (size_t k = 0; k < s->n_partials && !found; k++)
      if (!s->partials[k].failed)
        s->partials[n_left++] = s->partials[k];
    s->n_partials = n_left;
    int32_t node = step(s, 0, current, length);
    if (current >= s->skip && node)
      s->partials[s->n_partials++] = (partial){.start = current, .node = node};
  }
  for (size_t k = 0; k < s->n_partials; k++)
    if (is_end(s, s->partials[k].node)) {
      if (!cut(s, s->partials[k].start))
        return false;
      break;
    }
  return cut(s, s->n);
}

/* ---- What a token does to its neighbours ------------------------------------------------------
 */

static bool
is_taken(const splitter *s, size_t i)
{
  return s->taken && s->taken[i];
}

/* White space to Python: Unicode's, and four separators. */
static bool
is_space(const char *text, size_t length)
{
  return mt_utf8_is_space(text, length) || (length == 1 && *text >= 0x1c && *text <= 0x1f);
}

/* The first byte of a part that is left; its end if there is none. */
static size_t
first_of(const splitter *s, const part *p)
{
  size_t i = p->begin;
  while (i < p->end && is_taken(s, i))
    i++;
  return i;
}

static size_t
last_of(const splitter *s, const part *p)
{
  size_t i = p->end;
  while (i > p->begin && is_taken(s, i - 1))
    i--;
  return i > p->begin ? i - 1 : p->end;
}

static void
strip_start(splitter *s, const part *p)
{
  for (size_t i = first_of(s, p); i < p->end; i = first_of(s, p)) {
    size_t length = character(s, i);
    if (!is_space(s->text + i, length))
      return;
    memset(s->taken + i, true, length);
  }
}

static void
strip_end(splitter *s, const part *p)
{
  for (size_t i = last_of(s, p); i < p->end; i = last_of(s, p)) {
    size_t start = i;
    while (start > p->begin && ((unsigned char) s->text[start] & 0xc0) == 0x80)
      start--;
    if (!is_space(s->text + start, i + 1 - start))
      return;
    memset(s->taken + start, true, i + 1 - start);
  }
}

/* The token that a part is, or NULL. */
static const mt_added_token *
token_of(const splitter *s, const part *p)
{
  const mt_added_tokens *added = s->added;
  int32_t node = 0;
  if (added->n_nodes == 0)
    return NULL;
  for (size_t i = p->begin; i < p->end; i++)
    if (!is_taken(s, i) && !(node = child(added, node, (unsigned char) s->text[i])))
      return NULL;
  int32_t item = added->nodes[node].item;
  return item >= 0 ? &added->items[item] : NULL;
}

static void
apply_flags(splitter *s)
{
  const part none = {0, 0};
  for (size_t i = 0; i < s->n_parts; i++) {
    part *p = &s->parts[i];
    const mt_added_token *token = token_of(s, p);
    if (!token)
      continue;
    const part *left = i > 0 ? p - 1 : &none, *right = i + 1 < s->n_parts ? p + 1 : &none;
    /* What they are before anything is stripped. */
    size_t before = last_of(s, left), after = first_of(s, right);
    bool has_left = before < left->end, has_right = after < right->end;
    if (token->rstrip && has_right)
      strip_start(s, right);
    if (token->lstrip && has_left)
      strip_end(s, left);
    if (token->single_word && has_left && s->text[before] != ' ') {
      p[-1].end = p->end;
      p->begin = p->end;
    } else if (token->single_word && has_right && s->text[after] != ' ') {
      p[1].begin = p->begin;
      p->end = p->begin;
    }
  }
}

static bool
tell_parts(const splitter *s, mt_stretch_visit visit, void *user)
{
  char *bytes = mt_alloc(s->n, 1);
  uint32_t *places = mt_alloc(s->n, sizeof *places);
  bool ok = (bytes && places) || mt_fail_no_memory(s->error);
  for (size_t i = 0; ok && i < s->n_parts; i++) {
    const part *p = &s->parts[i];
    mt_stretch stretch = {.text = bytes, .places = places};
    for (size_t k = p->begin; k < p->end; k++)
      if (!is_taken(s, k)) {
        bytes[stretch.n] = s->text[k];
        places[stretch.n++] = (uint32_t) k;
      }
    if (stretch.n == 0)
      continue;
    stretch.token = s->added->leaves_whole ? NULL : token_of(s, p);
    ok = visit(user, &stretch);
  }
  mt_free(bytes);
  mt_free(places);
  return ok;
}

bool
mt_added_tokens_split(const mt_added_tokens *added, const char *text, size_t n,
                      mt_stretch_visit visit, void *user, mt_error *error)
{
  splitter s = {.added = added, .text = text, .n = n, .error = error};
  bool cuts = added->longest > 0 && !added->leaves_whole;
  bool ok = true;
  if (cuts) {
    /* A match that has begun is no longer than the longest token, and each begins elsewhere. */
    s.partials = mt_alloc(added->longest + 2, sizeof *s.partials);
    s.taken = added->has_flags ? mt_alloc(n, sizeof *s.taken) : NULL; /* zeros */
    ok = (s.partials && (s.taken || !added->has_flags)) || mt_fail_no_memory(error);
  }
  ok = ok && (cuts ? find_parts(&s) : cut(&s, n));
  if (ok && s.taken)
    apply_flags(&s);
  ok = ok && tell_parts(&s, visit, user);
  mt_free(s.partials);
  mt_free(s.parts);
  mt_free(s.taken);
  return ok;
}
