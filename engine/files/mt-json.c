/* mt-json.c — JSON, read with errors that name the file and the key, and written: by Jansson, as
 * docs/design.md says why.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-json.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"

#include <assert.h>
#include <dlfcn.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32
/* safetensors allows headers of 100 MB, the largest JSON there is in a model directory. */
#define MAX_BYTES 100000000
/* Far more than a header of 20,000 tensors or a vocabulary has; a value costs some 100 bytes. */
#define MAX_VALUES (1 << 21)

/* json-c, which the programs around the engine use, has a json_object_get and a
 * json_object_iter_next, too, and a linker takes those of the library that it meets first. So the
 * first is not called (json_object_getn does the same), and the second is asked for by the version
 * that Jansson gives its names, which says whose it is in whatever order a program was linked. */
static void *(*next_member)(json_t *object, void *iterator) = json_object_iter_next;

/* ---- Reading --------------------------------------------------------------------------------- */

/* Jansson's lexer does not look whether its buffer could grow: a token is cut, and one that lost
 * its closing quote is read, and written, beyond its end. So a failure is remembered here, and what
 * was read is thrown away; until then the lexer gets its few bytes past mt-alloc.h. */
static _Thread_local bool is_reading, out_of_memory;

static void *
allocate(size_t size)
{
  void *memory = mt_alloc(size, 1);
  out_of_memory = out_of_memory || !memory;
  return memory || !is_reading ? memory : calloc(1, size);
}

/* A document of two million values, as a tokenizer of 200 languages is, is five million pieces of
 * memory, and to get and to free them one by one is a third of reading it. So those of a document
 * that is read lie in blocks, which go together with it. What Jansson frees while it reads, such as
 * a list that was moved when it grew, stays until then: less than there is of what it keeps. */
struct mt_json_block {
  struct mt_json_block *next;
  size_t size, used; /* bytes behind this head */
};
#define PIECE_ALIGNMENT 16
#define LEAST_BLOCK     (4 << 10)
#define LARGEST_BLOCK   (1 << 20)
_Static_assert(sizeof(struct mt_json_block) <= 2 * PIECE_ALIGNMENT, "room for the head");

/* Of the document that this thread reads; NULL: none. */
static _Thread_local struct mt_json_block **blocks;

static void *
allocate_piece(size_t size)
{
  struct mt_json_block *block = blocks ? *blocks : NULL;
  if (!blocks || size > PTRDIFF_MAX / 2)
    return allocate(size);
  size = (size + PIECE_ALIGNMENT - 1) / PIECE_ALIGNMENT * PIECE_ALIGNMENT;
  if (!block || size > block->size - block->used) {
    size_t room = block ? 2 * block->size : LEAST_BLOCK;
    room = room > LARGEST_BLOCK ? LARGEST_BLOCK : room;
    room = room < size ? size : room;
    block = allocate(2 * PIECE_ALIGNMENT + room);
    if (!block)
      return NULL;
    *block = (struct mt_json_block){*blocks, room, 0};
    *blocks = block;
  }
  block->used += size;
  return (char *) block + 2 * PIECE_ALIGNMENT + block->used - size;
}

static void
release_piece(void *piece)
{
  if (!blocks)
    mt_free(piece);
}

static void
free_blocks(struct mt_json_block *block)
{
  while (block) {
    struct mt_json_block *next = block->next;
    mt_free(block);
    block = next;
  }
}

static void
prepare_jansson(void)
{
  json_set_alloc_funcs(allocate_piece, release_piece);
  void *found = dlvsym(RTLD_DEFAULT, "json_object_iter_next", "libjansson.so.4");
  if (found)
    memcpy(&next_member, &found, sizeof found);
}

/* Before anything else of Jansson is called: what it allocates comes from mt-alloc.h. */
static void
prepare(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare_jansson);
}

/* Jansson follows brackets 2048 deep, by recursion, and looks at everything before it answers: what
 * a hostile file could make of that is counted before. */
static bool
check_extent(const char *label, const char *text, size_t n, mt_error *error)
{
  size_t depth = 0, values = 1;
  bool in_string = false;
  for (size_t i = 0; i < n; i++) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\';
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      values++;
      if (++depth > MAX_DEPTH)
        return mt_fail(error, MT_ERROR_FORMAT,
                       "%s: expected JSON at most %d levels deep, found more.", label, MAX_DEPTH);
    } else if ((c == ']' || c == '}') && depth > 0) {
      depth--;
    } else if (c == ',') {
      values++;
    }
  }
  return values <= MAX_VALUES ||
         mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %d values in the JSON, found %zu.",
                 label, MAX_VALUES, values);
}

/* What Jansson found wrong, as our error. */
static bool
fail_parse(const char *label, const char *text, size_t n, const json_error_t *problem,
           mt_error *error)
{
  /* A word or number that the end of the file cut in two is to Jansson a wrong one. */
  bool ends_inside = problem->position >= 0 && (size_t) problem->position >= n && n > 0 &&
                     !strchr("{}[]:,\"' \t\r\n", text[n - 1]);
  if (json_error_code(problem) == json_error_premature_end_of_input || ends_inside)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected complete JSON, found its end after %zu bytes (is the file cut "
                   "off?).",
                   label, n);
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected JSON, found something else before byte %d (%s).", label,
                 problem->position, problem->text);
}

/* Any n bytes of JSON that are an object, or a list, which the caller owns; NULL with the error. */
static json_t *
decode(const char *label, const char *text, size_t n, size_t flags, bool is_list, mt_error *error)
{
  prepare();
  if (n > MAX_BYTES) {
    mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %d bytes of JSON, found %zu.", label,
            MAX_BYTES, n);
    return NULL;
  }
  /* Checked here because Jansson names the line, not the byte. */
  size_t offset;
  if (!mt_utf8_valid(text, n, &offset)) {
    mt_fail(error, MT_ERROR_FORMAT, "%s: expected JSON in UTF-8, found something else at byte %zu.",
            label, offset);
    return NULL;
  }
  if (!check_extent(label, text, n, error))
    return NULL;
  json_error_t problem;
  is_reading = true;
  out_of_memory = false;
  json_t *root = json_loadb(text, n, flags | JSON_DECODE_ANY | JSON_ALLOW_NUL, &problem);
  is_reading = false;
  bool ok;
  if (out_of_memory)
    ok = mt_fail_no_memory(error);
  else if (!root)
    ok = fail_parse(label, text, n, &problem, error);
  else
    ok = (is_list ? json_is_array(root) : json_is_object(root)) ||
         mt_fail(error, MT_ERROR_FORMAT, "%s: expected a JSON %s, found another JSON value.", label,
                 is_list ? "list" : "object");
  if (ok)
    return root;
  json_decref(root);
  return NULL;
}

static bool
parse(mt_json *json, const char *label, const char *text, size_t n, bool is_list, mt_error *error)
{
  /* Whole numbers as doubles too: tokenizer_config.json likes to say 10^30, which fits no integer.
   */
  struct mt_json_block *own = NULL;
  blocks = &own;
  json_t *root = decode(label, text, n, JSON_DECODE_INT_AS_REAL, is_list, error);
  blocks = NULL;
  char *label_copy = root ? mt_strdup(label) : NULL;
  if (label_copy) {
    *json = (mt_json){.root = root, .blocks = own, .label = label_copy};
    return true;
  }
  if (root)
    mt_fail_no_memory(error);
  free_blocks(own);
  return false;
}

bool
mt_json_parse(mt_json *json, const char *label, const char *text, size_t n, mt_error *error)
{
  return parse(json, label, text, n, false, error);
}

static bool
load(mt_json *json, const mt_dir *dir, const char *file, bool is_list, mt_error *error)
{
  mt_mapping mapping;
  if (!mt_dir_map(dir, file, MAX_BYTES, &mapping, error))
    return false;
  char *label = mt_path_join(dir->name, file);
  const char *text = (const char *) mapping.bytes;
  bool ok =
      label ? parse(json, label, text, mapping.size, is_list, error) : mt_fail_no_memory(error);
  mt_free(label);
  mt_unmap(&mapping);
  return ok;
}

bool
mt_json_load(mt_json *json, const mt_dir *dir, const char *file, mt_error *error)
{
  return load(json, dir, file, false, error);
}

bool
mt_json_load_list(mt_json *json, const mt_dir *dir, const char *file, mt_error *error)
{
  return load(json, dir, file, true, error);
}

void
mt_json_clear(mt_json *json)
{
  free_blocks(json->blocks);
  mt_free(json->label);
  *json = (mt_json){0};
}

/* Callers know null as NULL. */
static const mt_json_value *
known(const mt_json_value *value)
{
  return json_is_null(value) ? NULL : value;
}

const mt_json_value *
mt_json_member(const mt_json_value *value, const char *key)
{
  return known(json_object_getn(value, key, strlen(key)));
}

const mt_json_value *
mt_json_get(const mt_json *json, const char *key)
{
  return mt_json_member(json->root, key);
}

bool
mt_json_has_null(const mt_json *json, const char *key)
{
  return json_is_null(json_object_getn(json->root, key, strlen(key)));
}

/* Whole numbers that a double holds exactly; no id, size or offset is beyond. */
static bool
is_whole(double number)
{
  return number == trunc(number) && fabs(number) <= 0x1p53;
}

mt_json_kind
mt_json_kind_of(const mt_json_value *value)
{
  switch (value ? json_typeof(value) : JSON_NULL) {
  case JSON_TRUE:
  case JSON_FALSE:
    return MT_JSON_BOOL;
  case JSON_REAL:
    return is_whole(json_real_value(value)) ? MT_JSON_INTEGER : MT_JSON_NUMBER;
  case JSON_STRING:
    return MT_JSON_STRING;
  case JSON_ARRAY:
    return MT_JSON_ARRAY;
  case JSON_OBJECT:
    return MT_JSON_OBJECT;
  default:
    return MT_JSON_NULL;
  }
}

bool
mt_json_bool(const mt_json_value *value)
{
  return json_is_true(value);
}

int64_t
mt_json_integer(const mt_json_value *value)
{
  return (int64_t) json_real_value(value);
}

double
mt_json_number(const mt_json_value *value)
{
  return json_number_value(value);
}

const char *
mt_json_string(const mt_json_value *value)
{
  const char *text = json_string_value(value);
  return text && strlen(text) == json_string_length(value) ? text : NULL;
}

bool
mt_json_is_nul(const mt_json_value *value)
{
  const char *text = json_string_value(value);
  return text && json_string_length(value) == 1 && text[0] == '\0';
}

size_t
mt_json_length(const mt_json_value *value)
{
  return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

const mt_json_value *
mt_json_at(const mt_json_value *value, size_t i)
{
  return known(json_array_get(value, i));
}

bool
mt_json_each(const mt_json_value *object, mt_json_visit visit, void *user)
{
  /* Only looked at: the iterators take no const. */
  json_t *members = (json_t *) object;
  for (void *i = json_object_iter(members); i; i = next_member(members, i))
    if (!visit(user, json_object_iter_key(i), known(json_object_iter_value(i))))
      return false;
  return true;
}

const char *
mt_json_describe(const mt_json_value *value, char buffer[MT_JSON_DESCRIPTION_SIZE])
{
  const size_t size = MT_JSON_DESCRIPTION_SIZE;
  switch (mt_json_kind_of(value)) {
  case MT_JSON_NULL:
    snprintf(buffer, size, "null");
    break;
  case MT_JSON_BOOL:
    snprintf(buffer, size, "%s", mt_json_bool(value) ? "true" : "false");
    break;
  case MT_JSON_INTEGER:
    snprintf(buffer, size, "the number %lld", (long long) mt_json_integer(value));
    break;
  case MT_JSON_NUMBER:
    snprintf(buffer, size, "the number %g", json_number_value(value));
    break;
  case MT_JSON_STRING:
    snprintf(buffer, size, "\"%.64s\"", json_string_value(value));
    break;
  case MT_JSON_ARRAY:
    snprintf(buffer, size, "a list");
    break;
  case MT_JSON_OBJECT:
    snprintf(buffer, size, "an object");
    break;
  }
  return buffer;
}

/* "expected KEY to be WHAT, found VALUE" */
static bool
wrong(const mt_json *json, const char *key, const char *what, const mt_json_value *value,
      mt_error *error)
{
  char found[MT_JSON_DESCRIPTION_SIZE];
  return mt_fail(error, MT_ERROR_FORMAT, "%s: expected %s to be %s, found %s.", json->label, key,
                 what, mt_json_describe(value, found));
}

bool
mt_json_get_bool(const mt_json *json, const char *key, bool *value, mt_error *error)
{
  const mt_json_value *member = mt_json_get(json, key);
  if (!member)
    return true;
  if (mt_json_kind_of(member) != MT_JSON_BOOL)
    return wrong(json, key, "true or false", member, error);
  *value = mt_json_bool(member);
  return true;
}

bool
mt_json_get_size(const mt_json *json, const char *key, size_t min, size_t max, size_t *value,
                 mt_error *error)
{
  const mt_json_value *member = mt_json_get(json, key);
  if (!member)
    return true;
  int64_t number = -1;
  bool is_integer = mt_json_kind_of(member) == MT_JSON_INTEGER;
  if (is_integer)
    number = mt_json_integer(member);
  if (!is_integer || number < 0 || (uint64_t) number < min || (uint64_t) number > max) {
    char what[96];
    snprintf(what, sizeof what, "a whole number from %zu to %zu", min, max);
    return wrong(json, key, what, member, error);
  }
  *value = (size_t) number;
  return true;
}

bool
mt_json_get_number(const mt_json *json, const char *key, double *value, mt_error *error)
{
  const mt_json_value *member = mt_json_get(json, key);
  if (!member)
    return true;
  mt_json_kind kind = mt_json_kind_of(member);
  double number = json_number_value(member);
  if ((kind != MT_JSON_NUMBER && kind != MT_JSON_INTEGER) || !isfinite(number))
    return wrong(json, key, "a number", member, error);
  *value = number;
  return true;
}

bool
mt_json_get_string(const mt_json *json, const char *key, const char **value, mt_error *error)
{
  const mt_json_value *member = mt_json_get(json, key);
  if (!member)
    return true;
  const char *text = mt_json_kind_of(member) == MT_JSON_STRING ? mt_json_string(member) : NULL;
  if (!text)
    return wrong(json, key, "a string", member, error);
  *value = text;
  return true;
}

/* ---- Writing: Jansson's tree, built value by value ------------------------------------------- */

/* Digits that tell any two doubles apart. */
#define MAX_DIGITS 17

/* The text with U+FFFD for what is not UTF-8; NULL if there is no memory. */
static char *
make_valid(const char *text, size_t n)
{
  static const char replacement[] = "\xef\xbf\xbd";
  char *valid = mt_alloc(n + 1, sizeof replacement);
  size_t to = 0;
  for (size_t i = 0; valid && i < n;) {
    size_t length = mt_utf8_length_at(text + i, n - i);
    const char *from = length ? text + i : replacement;
    size_t n_from = length ? length : sizeof replacement - 1;
    memcpy(valid + to, from, n_from);
    to += n_from;
    i += length ? length : 1;
  }
  return valid;
}

/* A member of the innermost object; takes the value. */
static bool
add_member(json_t *object, const char *key, json_t *value)
{
  size_t n = strlen(key);
  if (mt_utf8_valid(key, n, NULL))
    return json_object_set_new_nocheck(object, key, value) == 0;
  char *valid = make_valid(key, n);
  if (!valid) {
    json_decref(value);
    return false;
  }
  bool ok = json_object_set_new_nocheck(object, valid, value) == 0;
  mt_free(valid);
  return ok;
}

/* Takes the value; NULL: there was no memory for it. True if it is in its place. */
static bool
put(mt_json_out *out, const char *key, json_t *value)
{
  if (!value || out->failed) {
    json_decref(value);
    out->failed = true;
    return false;
  }
  json_t *in = out->depth ? out->open[out->depth - 1] : NULL;
  if (!in)
    out->root = value;
  else if (json_is_array(in))
    out->failed = json_array_append_new(in, value) != 0;
  else
    out->failed = !add_member(in, key, value);
  return !out->failed;
}

void
mt_json_begin(mt_json_out *out, const char *key, char brace)
{
  prepare();
  json_t *container = brace == '[' ? json_array() : json_object();
  if (!put(out, key, container))
    return;
  assert(out->depth < MT_JSON_OUT_DEPTH);
  out->open[out->depth++] = container;
}

void
mt_json_end(mt_json_out *out)
{
  if (!out->failed)
    out->depth--;
}

void
mt_json_put_string(mt_json_out *out, const char *key, const char *text)
{
  size_t n = strlen(text);
  if (mt_utf8_valid(text, n, NULL)) {
    put(out, key, json_stringn_nocheck(text, n));
    return;
  }
  char *valid = make_valid(text, n);
  put(out, key, valid ? json_string_nocheck(valid) : NULL);
  mt_free(valid);
}

void
mt_json_put_whole(mt_json_out *out, const char *key, int64_t value)
{
  put(out, key, json_integer(value));
}

void
mt_json_put_number(mt_json_out *out, const char *key, double value)
{
  if (!isfinite(value))
    put(out, key, json_null());
  else if (value == trunc(value) && fabs(value) <= 0x1p53)
    put(out, key, json_integer((json_int_t) value)); /* 0 and not 0.0 */
  else
    put(out, key, json_real(value));
}

void
mt_json_put_bool(mt_json_out *out, const char *key, bool value)
{
  put(out, key, json_boolean(value));
}

bool
mt_json_put_text(mt_json_out *out, const char *key, const char *label, const char *text, size_t n,
                 mt_error *error)
{
  json_t *value = decode(label, text, n, 0, false, error);
  if (value)
    put(out, key, value);
  return value != NULL;
}

/* Raise *digits to what each number inside needs to be read back as it is. */
static bool
count_digits(void *digits, const char *key, const mt_json_value *value)
{
  (void) key;
  int *most = digits;
  if (json_is_real(value)) {
    double number = json_real_value(value);
    char text[32];
    for (; *most < MAX_DIGITS; ++*most) {
      snprintf(text, sizeof text, "%.*g", *most, number);
      if (strtod(text, NULL) == number)
        break;
    }
  } else if (json_is_object(value)) {
    mt_json_each(value, count_digits, digits);
  } else {
    for (size_t i = 0; i < json_array_size(value); i++)
      count_digits(digits, NULL, json_array_get(value, i));
  }
  return true;
}

bool
mt_json_finish(mt_json_out *out, const char *end, mt_error *error)
{
  int digits = 1;
  count_digits(&digits, NULL, out->root);
  const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION((size_t) digits);
  /* Into memory that is there: where json_dumps cannot grow its own for a key, it leaves out a part
   * of that and goes on (Jansson 2.14). */
  const size_t n_text = out->failed ? 0 : json_dumpb(out->root, NULL, 0, flags);
  const size_t n_end = strlen(end);
  char *text = n_text ? mt_alloc(n_text + n_end + 1, 1) : NULL;
  if (!text || json_dumpb(out->root, text, n_text, flags) != n_text) {
    mt_free(text);
    out->failed = true;
    return mt_fail_no_memory(error);
  }
  memcpy(text + n_text, end, n_end + 1);
  out->text = text;
  out->n = n_text + n_end;
  return true;
}

char *
mt_json_take(mt_json_out *out, const char *end, mt_error *error)
{
  char *text = mt_json_finish(out, end, error) ? out->text : NULL;
  out->text = NULL;
  mt_json_out_clear(out);
  return text;
}

void
mt_json_out_clear(mt_json_out *out)
{
  json_decref(out->root);
  mt_free(out->text);
  *out = (mt_json_out){0};
}
