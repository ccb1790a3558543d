/* mt-json-read.c — JSON text to a tree in one block (RFC 8259, strictly).
 *
 * Not a library, because of what a model folder may do to one: json-c ends the program when there
 * is no memory for a key, and loses members without a word; a file is a stranger's. Here memory is
 * three blocks from mt-alloc.h, whatever the text is: the values, the strings (a string is never
 * longer than its spelling), and an index by which members are found in logarithmic time, whoever
 * chose the keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-json-read.h"

#include "mt-alloc.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

typedef struct {
  const char *at, *end;
  mt_json_tree *tree;
  size_t capacity;
  char *strings; /* where the next one goes */
  /* The lists and objects that are open: places in tree->values. */
  uint32_t open[MOST_DEPTH];
  size_t depth, max_depth;
  size_t n_inside; /* values that are inside others: the size of the index */
  const char *what;
} reader;

static mt_json_problem
wrong(reader *r, const char *what)
{
  r->what = what;
  return r->at == r->end ? MT_JSON_READ_CUT_OFF : MT_JSON_READ_SYNTAX;
}

static void
skip_space(reader *r)
{
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
    r->at++;
}

/* ---- Scalars --------------------------------------------------------------------------------- */

/* Four hexadecimal digits; -1 if they are not. */
static long
read_hex(reader *r)
{
  long value = 0;
  for (int i = 0; i < 4; i++, r->at++) {
    if (r->at == r->end)
      return -1;
    char c = *r->at;
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0)
      return -1;
    value = value << 4 | digit;
  }
  return value;
}

static char *
put_utf8(char *to, uint32_t code)
{
  if (code < 0x80) {
    *to++ = (char) code;
    return to;
  }
  int n = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3; /* bytes after the first */
  static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  *to++ = (char) (lead[n] | code >> (6 * n));
  while (n-- > 0)
    *to++ = (char) (0x80 | (code >> (6 * n) & 0x3f));
  return to;
}

/* What follows \u, a pair of surrogates taken together; half of one becomes U+FFFD, as in json-c.
 */
static mt_json_problem
read_unicode(reader *r, char **to)
{
  long code = read_hex(r);
  if (code < 0)
    return wrong(r, "four hexadecimal digits after \\u");
  if (code >= 0xd800 && code < 0xdc00 && r->end - r->at >= 2 && r->at[0] == '\\' &&
      r->at[1] == 'u') {
    const char *before = r->at;
    r->at += 2;
    long low = read_hex(r);
    if (low < 0)
      return wrong(r, "four hexadecimal digits after \\u");
    if (low >= 0xdc00 && low < 0xe000)
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    else
      r->at = before; /* belongs to the next */
  }
  if (code >= 0xd800 && code < 0xe000)
    code = 0xfffd;
  *to = put_utf8(*to, (uint32_t) code);
  return MT_JSON_READ_OK;
}

/* A string, from its first quote. It is never longer than its spelling, so there is room. */
static mt_json_problem
read_string(reader *r, const char **string, uint32_t *n)
{
  static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  char *to = r->strings;
  for (r->at++;;) {
    if (r->at == r->end)
      return MT_JSON_READ_CUT_OFF;
    char c = *r->at;
    if (c == '"')
      break;
    if ((unsigned char) c < 0x20)
      return wrong(r, "no control character in a string");
    r->at++;
    if (c != '\\') {
      *to++ = c;
      continue;
    }
    if (r->at == r->end)
      return MT_JSON_READ_CUT_OFF;
    const char *known = *r->at ? strchr(escapes, *r->at) : NULL;
    if (known) {
      *to++ = meant[known - escapes];
      r->at++;
    } else if (*r->at == 'u') {
      r->at++;
      mt_json_problem problem = read_unicode(r, &to);
      if (problem != MT_JSON_READ_OK)
        return problem;
    } else {
      return wrong(r, "a known letter after \\");
    }
  }
  r->at++;
  *to = '\0';
  *string = r->strings;
  *n = (uint32_t) (to - r->strings);
  r->strings = to + 1;
  return MT_JSON_READ_OK;
}

static size_t
skip_digits(reader *r)
{
  const char *start = r->at;
  while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
    r->at++;
  return (size_t) (r->at - start);
}

static mt_json_problem
read_number(reader *r, mt_json_value *value)
{
  const char *start = r->at;
  bool is_integer = true;
  if (*r->at == '-')
    r->at++;
  const char *digits = r->at;
  if (skip_digits(r) == 0 || (*digits == '0' && r->at - digits > 1)) {
    if (r->at > digits)
      r->at = digits;
    return wrong(r, "a number");
  }
  if (r->at < r->end && *r->at == '.') {
    r->at++;
    is_integer = false;
    if (skip_digits(r) == 0)
      return wrong(r, "digits after the point");
  }
  if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
    r->at++;
    is_integer = false;
    if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
      r->at++;
    if (skip_digits(r) == 0)
      return wrong(r, "digits in the exponent");
  }
  /* The text has no end that strtod would see; behind the strings there is room for a copy. */
  size_t n = (size_t) (r->at - start);
  memcpy(r->strings, start, n);
  r->strings[n] = '\0';
  if (is_integer) {
    value->kind = MT_JSON_INTEGER;
    value->integer = strtoll(r->strings, NULL, 10); /* saturates */
    return MT_JSON_READ_OK;
  }
  /* The plain C locale is a constant of libc's: this allocates nothing. */
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t) 0);
  if (!plain)
    return MT_JSON_READ_NO_MEMORY;
  value->kind = MT_JSON_NUMBER;
  value->number = strtod_l(r->strings, NULL, plain);
  freelocale(plain);
  return MT_JSON_READ_OK;
}

static bool
take_word(reader *r, const char *word)
{
  const char *at = r->at;
  while (*word && at < r->end && *at == *word)
    at++, word++;
  if (*word && at < r->end)
    return false;
  r->at = at;
  return *word == '\0';
}

/* ---- The tree -------------------------------------------------------------------------------- */

static mt_json_problem
add_value(reader *r, mt_json_value **value)
{
  mt_json_tree *tree = r->tree;
  if (tree->n == r->capacity) {
    if (r->capacity == MT_JSON_MAX_VALUES)
      return MT_JSON_READ_MANY;
    size_t capacity = r->capacity ? r->capacity * 2 : 32;
    mt_json_value *grown = mt_realloc(tree->values, capacity, sizeof *grown);
    if (!grown)
      return MT_JSON_READ_NO_MEMORY;
    tree->values = grown;
    r->capacity = capacity;
  }
  *value = &tree->values[tree->n++];
  **value = (mt_json_value){.span = 1};
  return MT_JSON_READ_OK;
}

/* A value; a list or object is left open. */
static mt_json_problem
read_value(reader *r, const char *key)
{
  mt_json_value *value;
  skip_space(r);
  if (r->at == r->end)
    return MT_JSON_READ_CUT_OFF;
  char c = *r->at;
  mt_json_problem problem = add_value(r, &value);
  if (problem != MT_JSON_READ_OK)
    return problem;
  value->key = key;
  if (c == '{' || c == '[') {
    if (r->depth == r->max_depth || r->depth == MOST_DEPTH)
      return MT_JSON_READ_DEEP;
    value->kind = c == '{' ? MT_JSON_OBJECT : MT_JSON_ARRAY;
    r->open[r->depth++] = (uint32_t) (value - r->tree->values);
    r->at++;
    return MT_JSON_READ_OK;
  }
  if (c == '"') {
    value->kind = MT_JSON_STRING;
    return read_string(r, &value->string, &value->n);
  }
  if (c == '-' || (c >= '0' && c <= '9'))
    return read_number(r, value);
  value->kind = MT_JSON_BOOL;
  if (take_word(r, "true")) {
    value->boolean = true;
    return MT_JSON_READ_OK;
  }
  if (take_word(r, "false"))
    return MT_JSON_READ_OK;
  value->kind = MT_JSON_NULL;
  return take_word(r, "null") ? MT_JSON_READ_OK : wrong(r, "a value");
}

/* A key and its colon. */
static mt_json_problem
read_key(reader *r, const char **key)
{
  uint32_t n;
  skip_space(r);
  if (r->at == r->end || *r->at != '"')
    return wrong(r, "a key in double quotes");
  mt_json_problem problem = read_string(r, key, &n);
  if (problem != MT_JSON_READ_OK)
    return problem;
  if (memchr(*key, '\0', n)) {
    r->at--;
    return wrong(r, "a key without NUL");
  }
  skip_space(r);
  if (r->at == r->end || *r->at != ':')
    return wrong(r, "a colon");
  r->at++;
  return MT_JSON_READ_OK;
}

/* Everything up to the end of the outermost value, without recursion. */
static mt_json_problem
read_all(reader *r)
{
  mt_json_problem problem = read_value(r, NULL);
  bool is_first = true; /* of the innermost open list or object */
  while (problem == MT_JSON_READ_OK && r->depth > 0) {
    mt_json_value *in = &r->tree->values[r->open[r->depth - 1]];
    bool is_object = in->kind == MT_JSON_OBJECT;
    /* A list or object that was just opened is the last value there is. */
    is_first = in == &r->tree->values[r->tree->n - 1];
    skip_space(r);
    if (r->at < r->end && *r->at == (is_object ? '}' : ']')) {
      r->at++;
      in->span = (uint32_t) (r->tree->n - r->open[--r->depth]);
      continue;
    }
    if (!is_first) {
      if (r->at == r->end || *r->at != ',')
        return wrong(r, is_object ? "a comma or }" : "a comma or ]");
      r->at++;
    }
    const char *key = NULL;
    if (is_object)
      problem = read_key(r, &key);
    if (problem == MT_JSON_READ_OK) {
      in->n++;
      r->n_inside++;
      problem = read_value(r, key);
    }
  }
  return problem;
}

/* ---- The index ------------------------------------------------------------------------------- */

/* By key; the same key in the order of the text. */
static bool
comes_before(const mt_json_value *object, uint32_t a, uint32_t b)
{
  int order = strcmp(object[a].key, object[b].key);
  return order < 0 || (order == 0 && a < b);
}

static void
sift(const mt_json_value *object, uint32_t *index, size_t i, size_t n)
{
  uint32_t moved = index[i];
  for (size_t child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && comes_before(object, index[child], index[child + 1]))
      child++;
    if (!comes_before(object, moved, index[child]))
      break;
    index[i] = index[child];
  }
  index[i] = moved;
}

/* Heapsort: no memory, and no text that makes it slow. */
static void
sort_members(const mt_json_value *object, uint32_t *index, size_t n)
{
  for (size_t i = n / 2; i-- > 0;)
    sift(object, index, i, n);
  for (size_t last = n; last-- > 1;) {
    uint32_t largest = index[0];
    index[0] = index[last];
    index[last] = largest;
    sift(object, index, 0, last);
  }
}

static void
fill_index(mt_json_tree *tree)
{
  uint32_t *next = tree->index;
  for (size_t i = 0; i < tree->n; i++) {
    mt_json_value *value = &tree->values[i];
    if (value->kind != MT_JSON_ARRAY && value->kind != MT_JSON_OBJECT)
      continue;
    uint32_t *index = next;
    uint32_t n = value->n;
    value->index = index;
    next += n;
    for (uint32_t k = 0, at = 1; k < n; k++, at += value[at].span)
      index[k] = at;
    if (value->kind == MT_JSON_ARRAY)
      continue;
    sort_members(value, index, n);
    /* Of members with the same key the last counts. */
    uint32_t kept = 0;
    for (uint32_t k = 0; k < n; k++) {
      bool is_repeated = k + 1 < n && strcmp(value[index[k]].key, value[index[k + 1]].key) == 0;
      value[index[k]].is_hidden = is_repeated;
      if (!is_repeated)
        index[kept++] = index[k];
    }
    value->n = kept;
  }
}

mt_json_problem
mt_json_read(mt_json_tree *tree, const char *text, size_t n, size_t max_depth, size_t *offset,
             const char **what)
{
  *tree = (mt_json_tree){0};
  reader r = {.at = text, .end = text + n, .tree = tree, .max_depth = max_depth};
  mt_json_problem problem = MT_JSON_READ_NO_MEMORY;
  tree->strings = r.strings = mt_alloc(n + 1, 1);
  if (tree->strings)
    problem = read_all(&r);
  if (problem == MT_JSON_READ_OK) {
    skip_space(&r);
    if (r.at < r.end) {
      r.what = "nothing behind the value";
      problem = MT_JSON_READ_SYNTAX;
    }
  }
  if (problem == MT_JSON_READ_OK) {
    tree->index = mt_alloc(r.n_inside, sizeof *tree->index);
    if (tree->index)
      fill_index(tree);
    else
      problem = MT_JSON_READ_NO_MEMORY;
  }
  *offset = (size_t) (r.at - text);
  *what = r.what ? r.what : "";
  if (problem != MT_JSON_READ_OK)
    mt_json_tree_clear(tree);
  return problem;
}

void
mt_json_tree_clear(mt_json_tree *tree)
{
  mt_free(tree->values);
  mt_free(tree->index);
  mt_free(tree->strings);
  *tree = (mt_json_tree){0};
}
