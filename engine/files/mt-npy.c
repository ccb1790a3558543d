/* mt-npy.c — one NumPy array in memory: the .npy format (NEP 1).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   "\x93NUMPY", version (major, minor), length of the header (2 bytes in version 1, 4 in 2 and 3),
 *   header: a Python dictionary, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), },
 *   padded with spaces and a newline; then the elements.
 *
 * NumPy evaluates the header as a Python literal. Here it is read by a parser that knows just these
 * three keys and their kinds of values, and refuses everything else.
 *
 * Little-endian machines only, as everything this engine runs on.
 */
#include "files/mt-npy.h"

#include "base/mt-dtype.h"
#include "base/mt-error.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAGIC       "\x93NUMPY"
#define MAGIC_SIZE  6
#define MAX_HEADER  65536 /* what NumPy writes for plain arrays is below 200 bytes */
#define MAX_QUOTED  80    /* of a header, in messages */
#define MAX_LITERAL 64    /* bytes between two quotes */

typedef struct {
  const char *at, *end;
} cursor;

static void
skip_space(cursor *c)
{
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
    c->at++;
}

static bool
take(cursor *c, char wanted)
{
  skip_space(c);
  if (c->at == c->end || *c->at != wanted)
    return false;
  c->at++;
  return true;
}

static bool
take_word(cursor *c, const char *word)
{
  size_t n = strlen(word);
  skip_space(c);
  if ((size_t) (c->end - c->at) < n || memcmp(c->at, word, n) != 0)
    return false;
  c->at += n;
  return true;
}

/* A string in single or double quotes, without escapes: none of what is expected here needs any. */
static bool
take_string(cursor *c, char out[MAX_LITERAL])
{
  skip_space(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
    return false;
  const char quote = *c->at++;
  size_t n = 0;
  for (; c->at < c->end && *c->at != quote; c->at++) {
    if (n + 1 == MAX_LITERAL || *c->at < 0x20 || *c->at > 0x7e || *c->at == '\\')
      return false;
    out[n++] = *c->at;
  }
  out[n] = '\0';
  return take(c, quote);
}

static bool
take_number(cursor *c, size_t *out)
{
  skip_space(c);
  const char *start = c->at;
  *out = 0;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
    if (__builtin_mul_overflow(*out, (size_t) 10, out) ||
        __builtin_add_overflow(*out, (size_t) (*c->at - '0'), out))
      return false;
  return c->at > start;
}

/* "()", "(3,)", "(3, 4)", "(3, 4, )". */
static bool
take_shape(cursor *c, mt_npy *npy)
{
  if (!take(c, '('))
    return false;
  npy->n_dims = 0;
  bool comma = true;
  while (!take(c, ')')) {
    if (!comma || npy->n_dims == MT_NPY_MAX_DIMS || !take_number(c, &npy->shape[npy->n_dims]))
      return false;
    npy->n_dims++;
    comma = take(c, ',');
  }
  return npy->n_dims != 1 || comma; /* "(3)" is a number in brackets, not a tuple */
}

/* The dictionary, and nothing but white space behind it. */
static bool
take_dictionary(cursor *c, mt_npy *npy, char descr[MAX_LITERAL])
{
  bool has_descr = false, has_order = false, has_shape = false;
  bool comma = true;
  if (!take(c, '{'))
    return false;
  while (!take(c, '}')) {
    char key[MAX_LITERAL];
    if (!comma || !take_string(c, key) || !take(c, ':'))
      return false;
    if (strcmp(key, "descr") == 0 && !has_descr) {
      has_descr = true;
      skip_space(c);
      if (c->at < c->end && *c->at == '[') { /* a record: a list of fields, looked at no further */
        memcpy(descr, "[", sizeof "[");
        return true;
      }
      if (!take_string(c, descr))
        return false;
    } else if (strcmp(key, "fortran_order") == 0 && !has_order) {
      has_order = true;
      npy->fortran_order = take_word(c, "True");
      if (!npy->fortran_order && !take_word(c, "False"))
        return false;
    } else if (strcmp(key, "shape") == 0 && !has_shape) {
      has_shape = true;
      if (!take_shape(c, npy))
        return false;
    } else
      return false;
    comma = take(c, ',');
  }
  skip_space(c);
  return c->at == c->end && has_descr && has_order && has_shape;
}

/* ---- Types ----------------------------------------------------------------------------------- */

static bool
is_number_size(size_t n)
{
  return n == 1 || n == 2 || n == 4 || n == 8;
}

/* What the type string says, once it is known to be of a kind that is read. */
static bool
set_type(mt_npy *npy, char kind, size_t n)
{
  static const struct {
    char kind;
    mt_npy_type type;
  } types[] = {{'f', MT_NPY_FLOAT},
               {'i', MT_NPY_INT},
               {'u', MT_NPY_UINT},
               {'b', MT_NPY_BOOL},
               {'U', MT_NPY_STRING}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i].kind != kind)
      continue;
    npy->type = types[i].type;
    npy->item_size = n;
    switch (npy->type) {
    case MT_NPY_FLOAT:
      return is_number_size(n) && n > 1;
    case MT_NPY_BOOL:
      return n == 1;
    case MT_NPY_STRING:
      return n > 0 && !__builtin_mul_overflow(n, sizeof(uint32_t), &npy->item_size);
    default:
      return is_number_size(n);
    }
  }
  return false;
}

static bool
read_type(mt_npy *npy, const char *descr, const char *label, mt_error *error)
{
  const char *kind = descr + strspn(descr, "<>=|");
  if (descr[0] == '[')
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected an array of one type, found records of several.", label);
  if (*kind == 'O')
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected numbers or text, found pickled objects ('%s'), which are not "
                   "read.",
                   label, descr);
  if (descr[0] == '>' && kind[0] != '\0' && strcmp(kind + 1, "1") != 0)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected little-endian elements, found the big-endian type '%s'.", label,
                   descr);
  cursor digits = {kind + 1, descr + strlen(descr)};
  size_t n;
  bool ok = kind - descr == 1 && descr[0] != '=' && kind[0] != '\0' && take_number(&digits, &n) &&
            digits.at == digits.end && set_type(npy, kind[0], n) &&
            strlen(descr) < sizeof npy->descr;
  if (!ok)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected a type such as '<f4', '<i8' or '<U17', found '%s'.", label, descr);
  memcpy(npy->descr, descr, strlen(descr) + 1); /* it fits: see ok */
  return true;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Where the header lies. */
static bool
find_header(const unsigned char *bytes, size_t size, const char *label, cursor *header,
            mt_error *error)
{
  if (size < MAGIC_SIZE + 2 || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected a NumPy array (.npy), found another file, or one that is cut off.",
                   label);
  unsigned major = bytes[MAGIC_SIZE], minor = bytes[MAGIC_SIZE + 1];
  if (major < 1 || major > 3 || minor != 0)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected version 1.0, 2.0 or 3.0 of the .npy format, found %u.%u.", label,
                   major, minor);
  size_t n_length = major == 1 ? 2 : 4, length = 0;
  size_t start = MAGIC_SIZE + 2 + n_length;
  for (size_t i = 0; i < n_length && start <= size; i++)
    length |= (size_t) bytes[MAGIC_SIZE + 2 + i] << 8 * i;
  if (start > size || length > size - start || length > MAX_HEADER)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected the header of a NumPy array, found %zu bytes promised in a file "
                   "of %zu.",
                   label, length, size);
  header->at = (const char *) bytes + start;
  header->end = header->at + length;
  return true;
}

bool
mt_npy_parse(const unsigned char *bytes, size_t size, const char *label, mt_npy *npy,
             mt_error *error)
{
  cursor header = {NULL, NULL};
  mt_npy read = {.n_elements = 1};
  char descr[MAX_LITERAL] = "";
  if (!find_header(bytes, size, label, &header, error))
    return false;
  const char *text = header.at, *end = header.end;
  if (!take_dictionary(&header, &read, descr))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected a header with 'descr', 'fortran_order' and a 'shape' of at most "
                   "%d lengths, found \"%.*s\".",
                   label, MT_NPY_MAX_DIMS,
                   (int) (end - text < MAX_QUOTED ? end - text : MAX_QUOTED), text);
  if (!read_type(&read, descr, label, error))
    return false;

  /* Without the overflow a length of 0 further on would hide any other. */
  bool fits = true;
  for (size_t i = 0; i < read.n_dims && fits; i++)
    fits = !__builtin_mul_overflow(read.n_elements, read.shape[i], &read.n_elements);
  fits = fits && !__builtin_mul_overflow(read.n_elements, read.item_size, &read.n_bytes);
  char shape[MAX_QUOTED];
  size_t left = size - (size_t) (end - (const char *) bytes);
  if (!fits)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %zu bytes of elements, found the shape %s of '%s', which needs "
                   "more than there can be.",
                   label, left, mt_npy_shape(&read, shape, sizeof shape), descr);
  if (read.n_bytes != left)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %zu bytes for the shape %s of '%s', found %zu.", label,
                   read.n_bytes, mt_npy_shape(&read, shape, sizeof shape), descr, left);
  read.data = (const unsigned char *) end;
  *npy = read;
  return true;
}

char *
mt_npy_shape(const mt_npy *npy, char *out, size_t size)
{
  size_t used = (size_t) snprintf(out, size, "(");
  for (size_t i = 0; i < npy->n_dims && used < size; i++)
    used += (size_t) snprintf(out + used, size - used, "%zu%s", npy->shape[i],
                              i + 1 < npy->n_dims || npy->n_dims == 1 ? "," : "");
  if (used < size)
    snprintf(out + used, size - used, ")");
  return out;
}

/* ---- Elements -------------------------------------------------------------------------------- */

/* Where element i, counted in C order, is stored. */
static const unsigned char *
element(const mt_npy *npy, size_t i)
{
  if (!npy->fortran_order)
    return npy->data + i * npy->item_size;
  /* i's indices from the last on; the last has the widest stride. */
  size_t stride = npy->n_elements, at = 0;
  for (size_t d = npy->n_dims; d-- > 0;) {
    stride /= npy->shape[d];
    at += i % npy->shape[d] * stride;
    i /= npy->shape[d];
  }
  return npy->data + at * npy->item_size;
}

/* n of them one after the other. */
static bool
run_to_float(const mt_npy *npy, const unsigned char *in, size_t n, float *out)
{
  if (npy->item_size < sizeof(double))
    return mt_dtype_to_float(npy->item_size == 2 ? MT_DTYPE_F16 : MT_DTYPE_F32, in, out, n);
  for (size_t i = 0; i < n; i++) {
    double value;
    memcpy(&value, in + i * sizeof value, sizeof value);
    /* Beyond a float's range the conversion is not defined. */
    bool fits = !isfinite(value) || fabs(value) <= (double) __FLT_MAX__;
    out[i] = fits ? (float) value : value > 0 ? INFINITY : -INFINITY;
  }
  return mt_dtype_all_finite(out, n);
}

bool
mt_npy_to_float(const mt_npy *npy, size_t first, size_t n, float *out)
{
  if (!npy->fortran_order)
    return run_to_float(npy, npy->data + first * npy->item_size, n, out);
  bool ok = true;
  for (size_t i = 0; i < n; i++)
    ok &= run_to_float(npy, element(npy, first + i), 1, &out[i]);
  return ok;
}

bool
mt_npy_to_int(const mt_npy *npy, size_t i, int64_t *out)
{
  const unsigned char *at = element(npy, i);
  uint64_t bits = 0;
  for (size_t k = 0; k < npy->item_size; k++)
    bits |= (uint64_t) at[k] << 8 * k;
  bool is_negative = npy->type == MT_NPY_INT && at[npy->item_size - 1] & 0x80;
  if (is_negative && npy->item_size < 8)
    bits |= UINT64_MAX << 8 * npy->item_size;
  if (npy->type == MT_NPY_UINT && bits > INT64_MAX)
    return false;
  memcpy(out, &bits, sizeof bits);
  return true;
}

/* Appends a code point, which was checked, as UTF-8. Returns its bytes. */
static size_t
put_utf8(char *out, uint32_t code)
{
  static const unsigned char leads[] = {0x00, 0xc0, 0xe0, 0xf0};
  size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; i--, code >>= 6)
    out[i] = (char) (0x80 | (code & 0x3f));
  out[0] = (char) (leads[n - 1] | code);
  return n;
}

bool
mt_npy_to_utf8(const mt_npy *npy, size_t i, char *out, uint32_t *code)
{
  const unsigned char *at = element(npy, i);
  bool ended = false;
  for (size_t k = 0; k < npy->item_size; k += sizeof *code) {
    memcpy(code, at + k, sizeof *code);
    if (*code == 0) {
      ended = true;
      continue;
    }
    if (ended)
      *code = 0; /* the NUL was not padding */
    if (ended || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
      return false;
    out += put_utf8(out, *code);
  }
  *out = '\0';
  return true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

size_t
mt_npy_make_header(char out[MT_NPY_HEADER_MAX], const char *descr, const size_t *shape,
                   size_t n_dims, size_t least_size)
{
  enum { ALIGNMENT = 64, PREFIX = 10 /* magic, version, size of the rest */ };
  char dictionary[MT_NPY_HEADER_MAX - ALIGNMENT - PREFIX];
  assert(n_dims <= MT_NPY_MAX_DIMS);
  int n = snprintf(dictionary, sizeof dictionary,
                   "{'descr': '%.32s', 'fortran_order': False, 'shape': (", descr);
  for (size_t i = 0; i < n_dims; i++)
    n += snprintf(dictionary + n, sizeof dictionary - (size_t) n, "%zu,%s", shape[i],
                  i + 1 < n_dims ? " " : "");
  n += snprintf(dictionary + n, sizeof dictionary - (size_t) n, "), }");
  size_t size = PREFIX + (size_t) n + 1;
  size = size > least_size ? size : least_size;
  size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  assert(size <= MT_NPY_HEADER_MAX);
  memset(out, ' ', size);
  memcpy(out, "\x93NUMPY\x01\x00", 8);
  out[8] = (char) ((size - PREFIX) & 0xff);
  out[9] = (char) ((size - PREFIX) >> 8);
  memcpy(out + PREFIX, dictionary, (size_t) n);
  out[size - 1] = '\n';
  return size;
}
