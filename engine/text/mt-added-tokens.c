/* mt-added-tokens.c — tokens that a model has beyond its vocabulary file, read, and cut out of
 * texts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which file says what follows PreTrainedTokenizerBase._from_pretrained of transformers:
 * tokenizer_config.json lists all in "added_tokens_decoder", with their ids and flags, or it is of
 * the older kind, and special_tokens_map.json, added_tokens.json and tokenizer.json say it. Special
 * tokens that none of them numbers are named here, and numbered by the vocabulary.
 */
#include "text/mt-added-tokens.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"

#include <stdlib.h>
#include <string.h>

/* A model has a hundred or so; the tree of their bytes is to stay small. */
#define MAX_TOKENS 10000
#define MAX_BYTES  256

/* The special tokens by the names of their keys, in the order in which they are numbered. */
enum { BOS, EOS, UNK, SEP, PAD, CLS, MASK, N_NAMED };
static const char *const named[N_NAMED] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                           "pad_token", "cls_token", "mask_token"};

typedef struct {
  mt_added_tokens *added;
  const mt_dir *dir;
  const char *file;
  const char *specials[N_NAMED]; /* borrowed from the files */
  mt_json files[4];              /* kept open for that */
  size_t n_files;
  const mt_json_value *extra; /* a list or an object; NULL: none */
  mt_error *error;
} loader;

/* ---- A token --------------------------------------------------------------------------------- */

static bool
fail(const loader *l, const char *expected, const mt_json_value *found)
{
  char description[MT_JSON_DESCRIPTION_SIZE];
  return mt_fail(l->error, MT_ERROR_FORMAT, "%s/%s: expected %s, found %s.", l->dir->name, l->file,
                 expected, mt_json_describe(found, description));
}

/* Append one; on success *token is its place, with no id and no flags. */
static bool
append(loader *l, const char *text, mt_added_token **token)
{
  mt_added_tokens *added = l->added;
  if (strlen(text) > MAX_BYTES || added->n == MAX_TOKENS)
    return mt_fail(l->error, MT_ERROR_UNSUPPORTED,
                   "%s/%s: expected at most %d added tokens of at most %d bytes, found more.",
                   l->dir->name, l->file, MAX_TOKENS, MAX_BYTES);
  if (!mt_grow(&added->items, added->n, 1, &added->capacity, sizeof *added->items))
    return mt_fail_no_memory(l->error);
  mt_added_token *t = &added->items[added->n];
  *t = (mt_added_token){.text = mt_strdup(text), .id = -1};
  if (!t->text)
    return mt_fail_no_memory(l->error);
  added->n++;
  *token = t;
  return true;
}

/* The text of a token: a string, or an AddedToken as JSON; NULL if it is neither. */
static const char *
content_of(const mt_json_value *value)
{
  if (mt_json_kind_of(value) == MT_JSON_OBJECT)
    value = mt_json_member(value, "content");
  return mt_json_kind_of(value) == MT_JSON_STRING ? mt_json_string(value) : NULL;
}

static bool
read_id(loader *l, const mt_json_value *value, int32_t *id)
{
  if (mt_json_kind_of(value) != MT_JSON_INTEGER || mt_json_integer(value) < 0 ||
      mt_json_integer(value) > INT32_MAX)
    return fail(l, "the ids of added tokens to be whole numbers from 0", value);
  *id = (int32_t) mt_json_integer(value);
  return true;
}

static bool
read_flag(loader *l, const mt_json_value *token, const char *key, bool *flag)
{
  const mt_json_value *value = mt_json_member(token, key);
  *flag = value && mt_json_kind_of(value) == MT_JSON_BOOL && mt_json_bool(value);
  return !value || mt_json_kind_of(value) == MT_JSON_BOOL ||
         fail(l, "the flags of added tokens to be true or false", value);
}

/* An AddedToken with its flags. */
static bool
take_token(loader *l, const mt_json_value *value, int32_t id)
{
  const char *text = mt_json_kind_of(value) == MT_JSON_OBJECT ? content_of(value) : NULL;
  mt_added_token *token;
  if (!text)
    return fail(l, "added tokens with a \"content\"", value);
  if (!append(l, text, &token))
    return false;
  token->id = id;
  bool is_special;
  if (!read_flag(l, value, "special", &is_special))
    return false;
  token->is_special = is_special && l->added->is_fast;
  return read_flag(l, value, "lstrip", &token->lstrip) &&
         read_flag(l, value, "rstrip", &token->rstrip) &&
         read_flag(l, value, "single_word", &token->single_word);
}

/* ---- The files ------------------------------------------------------------------------------- */

/* An open file; NULL if there is none, with *ok false if it is no good. */
static const mt_json *
open_file(loader *l, const char *file, bool *ok)
{
  l->file = file;
  *ok = true;
  if (!mt_dir_has(l->dir, file))
    return NULL;
  mt_json *json = &l->files[l->n_files++];
  *ok = mt_json_load(json, l->dir, file, l->error);
  return *ok ? json : NULL;
}

static bool
take_numbered(void *user, const char *key, const mt_json_value *value)
{
  loader *l = user;
  char *end;
  long id = key[0] >= '0' && key[0] <= '9' ? strtol(key, &end, 10) : -1;
  if (id < 0 || *end != '\0' || id > INT32_MAX)
    return mt_fail(l->error, MT_ERROR_FORMAT,
                   "%s/%s: expected the keys of added_tokens_decoder to be ids, found \"%.100s\".",
                   l->dir->name, l->file, key);
  return take_token(l, value, (int32_t) id);
}

/* added_tokens.json: {text: id} */
static bool
take_plain(void *user, const char *key, const mt_json_value *value)
{
  loader *l = user;
  int32_t id;
  mt_added_token *token;
  if (!read_id(l, value, &id) || !append(l, key, &token))
    return false;
  token->id = id;
  return true;
}

/* The index in `named` of a key, N_NAMED of one that only this model has ("image_token"), -1 of a
 * key that names no special token. */
static int
special_of(const char *key)
{
  static const char suffix[] = "_token";
  size_t n = strlen(key), m = strlen(suffix);
  if (n <= m || strcmp(key + n - m, suffix) != 0)
    return -1;
  int k = 0;
  while (k < N_NAMED && strcmp(key, named[k]) != 0)
    k++;
  return k;
}

static bool
take_named(void *user, const char *key, const mt_json_value *value)
{
  loader *l = user;
  int k = special_of(key);
  if (k >= 0 && k < N_NAMED && content_of(value))
    l->specials[k] = content_of(value);
  return true;
}

/* tokenizer.json, of a fast tokenizer: a list of tokens with "id". */
static bool
take_fast(loader *l, const mt_json *json)
{
  const mt_json_value *list = mt_json_get(json, "added_tokens");
  size_t n = mt_json_kind_of(list) == MT_JSON_ARRAY ? mt_json_length(list) : 0;
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++) {
    const mt_json_value *value = mt_json_at(list, i);
    int32_t id = 0;
    ok = mt_json_kind_of(value) == MT_JSON_OBJECT || fail(l, "added tokens with an id", value);
    ok = ok && read_id(l, mt_json_member(value, "id"), &id) && take_token(l, value, id);
  }
  return ok;
}

/* Of several with one id the last is left, as in a dictionary of ids. */
static int
by_id(const void *a, const void *b)
{
  const mt_added_token *x = *(mt_added_token *const *) a, *y = *(mt_added_token *const *) b;
  if (x->id != y->id)
    return x->id < y->id ? -1 : 1;
  return x < y ? -1 : x > y;
}

static bool
mark_replaced(mt_added_tokens *added, mt_error *error)
{
  mt_added_token **order = mt_alloc(added->n + 1, sizeof *order);
  if (!order)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < added->n; i++)
    order[i] = &added->items[i];
  qsort(order, added->n, sizeof(mt_added_token *), by_id);
  for (size_t i = 0; i + 1 < added->n; i++)
    order[i]->is_replaced = order[i]->id == order[i + 1]->id;
  mt_free(order);
  return true;
}

static bool
drop_replaced(mt_added_tokens *added, mt_error *error)
{
  if (!mark_replaced(added, error))
    return false;
  size_t n = 0;
  for (size_t i = 0; i < added->n; i++)
    if (added->items[i].is_replaced)
      mt_free(added->items[i].text);
    else
      added->items[n++] = added->items[i];
  added->n = n;
  return true;
}

/* ---- Special tokens -------------------------------------------------------------------------- */

static bool
name_special(loader *l, const char *text, bool stays_text)
{
  bool is_known = false;
  mt_added_token *token;
  if (!*text)
    return true;
  for (size_t i = 0; i < l->added->n; i++) {
    token = &l->added->items[i];
    if (strcmp(token->text, text) != 0)
      continue;
    token->is_special = is_known = true;
    token->stays_text |= stays_text;
  }
  if (is_known)
    return true;
  if (!append(l, text, &token))
    return false;
  token->is_special = true;
  token->stays_text = stays_text;
  return true;
}

/* "add_bos_token": true is no token. */
static bool
take_own(void *user, const char *key, const mt_json_value *value)
{
  const char *text = special_of(key) == N_NAMED ? content_of(value) : NULL;
  return !text || name_special(user, text, false);
}

static bool
take_extra_member(void *user, const char *key, const mt_json_value *value)
{
  loader *l = user;
  const char *text = content_of(value);
  return text ? name_special(l, text, false) : fail(l, "special tokens to be strings", value);
}

static bool
name_extra(loader *l)
{
  mt_json_kind kind = mt_json_kind_of(l->extra);
  if (kind == MT_JSON_OBJECT)
    return mt_json_each(l->extra, take_extra_member, l);
  size_t n = kind == MT_JSON_ARRAY ? mt_json_length(l->extra) : 0;
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++)
    ok = take_extra_member(l, "", mt_json_at(l->extra, i));
  return ok;
}

/* All special tokens by name, in the order in which those without an id are numbered. */
static bool
name_specials(loader *l, const mt_json *config, const mt_json *map)
{
  mt_added_tokens *added = l->added;
  bool ok = true;
  for (size_t k = 0; ok && k < N_NAMED; k++) {
    const char *text = l->specials[k];
    if (text)
      ok = name_special(l, text, k == EOS || k == UNK || k == PAD || (added->is_fast && k != MASK));
  }
  ok = ok && (!config || mt_json_each(config->root, take_own, l)) &&
       (!map || mt_json_each(map->root, take_own, l)) && name_extra(l);
  if (!ok)
    return false;
  added->eos = mt_strdup(l->specials[EOS]);
  added->unk = mt_strdup(l->specials[UNK]);
  added->pad = mt_strdup(l->specials[PAD]);
  return (added->eos && added->unk && added->pad) || mt_fail_no_memory(l->error);
}

static const mt_json_value *
extra_of(const mt_json *json)
{
  const mt_json_value *extra = mt_json_get(json, "extra_special_tokens");
  mt_json_kind kind = mt_json_kind_of(extra);
  bool has_any = (kind == MT_JSON_ARRAY || kind == MT_JSON_OBJECT) && mt_json_length(extra) > 0;
  return has_any ? extra : mt_json_get(json, "additional_special_tokens");
}

bool
mt_added_tokens_load(mt_added_tokens *added, const mt_dir *dir, mt_error *error)
{
  loader l = {.added = added,
              .dir = dir,
              .specials = {[EOS] = "</s>", [UNK] = "<unk>", [PAD] = "<pad>"},
              .error = error};
  const mt_json *map = NULL, *other;
  bool ok, splits = false;
  const mt_json *config = open_file(&l, "tokenizer_config.json", &ok);
  const mt_json_value *decoder = config ? mt_json_get(config, "added_tokens_decoder") : NULL;
  if (ok && config) {
    ok = mt_json_get_bool(config, "split_special_tokens", &splits, error) &&
         mt_json_each(config->root, take_named, &l);
    l.extra = extra_of(config);
  }
  if (ok && decoder) {
    ok = mt_json_kind_of(decoder) == MT_JSON_OBJECT
             ? mt_json_each(decoder, take_numbered, &l)
             : fail(&l, "added_tokens_decoder to be an object", decoder);
  } else if (ok) {
    map = open_file(&l, "special_tokens_map.json", &ok);
    if (map) {
      ok = mt_json_each(map->root, take_named, &l);
      l.extra = l.extra ? l.extra : extra_of(map);
    }
    if (ok && (other = open_file(&l, "added_tokens.json", &ok)))
      ok = mt_json_each(other->root, take_plain, &l);
    l.file = "tokenizer.json";
    if (ok && (other = added->fast ? added->fast : open_file(&l, l.file, &ok)))
      ok = take_fast(&l, other);
  }
  added->fast = NULL;
  added->leaves_whole = splits;
  l.file = "tokenizer_config.json";
  ok = ok && drop_replaced(added, error) && name_specials(&l, config, map);
  for (size_t i = 0; ok && added->is_fast && i < added->n; i++)
    added->items[i].stays_text |= strcmp(added->items[i].text, "<s>") == 0; /* named or not */
  for (size_t i = 0; i < l.n_files; i++)
    mt_json_clear(&l.files[i]);
  return ok;
}

bool
mt_added_tokens_add(mt_added_tokens *added, const char *text, int32_t id, bool strips_left,
                    mt_error *error)
{
  for (size_t i = 0; i < added->n; i++) {
    mt_added_token *token = &added->items[i];
    if (strcmp(token->text, text) != 0)
      continue;
    if (token->id < 0) {
      token->id = id;
      token->is_special = true;
      token->lstrip = strips_left;
    }
    return true;
  }
  if (!mt_grow(&added->items, added->n, 1, &added->capacity, sizeof *added->items))
    return mt_fail_no_memory(error);
  mt_added_token *token = &added->items[added->n];
  *token = (mt_added_token){.text = mt_strdup(text),
                            .id = id,
                            .is_special = true,
                            .lstrip = strips_left};
  if (!token->text)
    return mt_fail_no_memory(error);
  added->n++;
  return true;
}

void
mt_added_tokens_clear(mt_added_tokens *added)
{
  for (size_t i = 0; i < added->n; i++)
    mt_free(added->items[i].text);
  mt_free(added->items);
  mt_free(added->nodes);
  mt_free(added->eos);
  mt_free(added->unk);
  mt_free(added->pad);
  *added = (mt_added_tokens){0};
}

/* ---- Cutting them out of a text -------------------------------------------------------------- */

/* This follows PreTrainedTokenizer.tokenize of transformers and its Trie.split to the letter, for
 * the ids of a text are to be the same: the first match wins, made as long as it can be, and one
 * that starts earlier and may still match goes before it. Looking ahead for that one, Trie.split
 * goes on behind the character that it has just failed at; so does this. */

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
  if (!mt_grow(&added->nodes, added->n_nodes, 1, &added->nodes_capacity, sizeof *added->nodes))
    return mt_fail_no_memory(error), -1;
  int32_t i = (int32_t) added->n_nodes++;
  added->nodes[i] = (mt_added_node){.byte = byte, .item = -1};
  if (node >= 0) {
    added->nodes[i].sibling = added->nodes[node].child;
    added->nodes[node].child = i;
  }
  return i;
}

/* Put all tokens into the tree. */
static bool
plant(mt_added_tokens *added, mt_error *error)
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

bool
mt_added_tokens_settle(mt_added_tokens *added, mt_error *error)
{
  return mark_replaced(added, error) && plant(added, error);
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
  if (!mt_grow(&s->parts, s->n_parts, 1, &s->parts_capacity, sizeof *s->parts))
    return mt_fail_no_memory(s->error);
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

/* ---- What a token does to its neighbours ----------------------------------------------------- */

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
