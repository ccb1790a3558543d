/* mt-pickle.c — the machine that pickles are programs for, as far as tensors need it.
 *
 * Every opcode makes at most one value and pushes at most one reference, and no memo is longer than
 * there may be opcodes, so that one limit bounds all that is allocated.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "checkpoint/mt-pickle.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <stdio.h>
#include <string.h>

/* A checkpoint has some 30 opcodes a tensor. */
#define MAX_OPCODES  (2 << 20)
#define MAX_PROTOCOL 5
#define NO_VALUE     UINT32_MAX

bool
pickle_damaged(const pickle_machine *m, const char *what)
{
  return mt_fail(m->error, MT_ERROR_FORMAT,
                 "%s: expected a pickle of tensors, found %s at byte %zu of it (is the file "
                 "damaged?).",
                 m->label, what, m->opcode);
}

/* ---- Memory of the machine ------------------------------------------------------------------- */

bool
pickle_make(pickle_machine *m, pickle_value value, pickle_ref *ref)
{
  if (!mt_grow(&m->values, m->n_values, 1, &m->values_capacity, sizeof *m->values))
    return mt_fail_no_memory(m->error);
  *ref = (pickle_ref) m->n_values;
  m->values[m->n_values++] = value;
  return true;
}

static bool
push(pickle_machine *m, pickle_ref ref)
{
  if (!mt_grow(&m->stack, m->n_stack, 1, &m->stack_capacity, sizeof *m->stack))
    return mt_fail_no_memory(m->error);
  m->stack[m->n_stack++] = ref;
  return true;
}

static bool
push_value(pickle_machine *m, pickle_value value)
{
  pickle_ref ref;
  return pickle_make(m, value, &ref) && push(m, ref);
}

static bool
push_kind(pickle_machine *m, pickle_kind kind)
{
  return push_value(m, (pickle_value){.kind = kind});
}

/* The reference `depth` below the top, which must lie above the last mark. */
static bool
peek(const pickle_machine *m, size_t depth, pickle_ref *ref)
{
  size_t floor = m->n_marks ? m->marks[m->n_marks - 1] : 0;
  if (m->n_stack - floor <= depth)
    return pickle_damaged(m, "an opcode without its value");
  *ref = m->stack[m->n_stack - 1 - depth];
  return true;
}

static bool
pop(pickle_machine *m, pickle_ref *ref)
{
  if (!peek(m, 0, ref))
    return false;
  m->n_stack--;
  return true;
}

/* Take the last mark away: the stack above *start was pushed since. */
static bool
pop_mark(pickle_machine *m, size_t *start)
{
  if (!m->n_marks) {
    pickle_damaged(m, "an opcode without its mark");
    return false;
  }
  *start = m->marks[--m->n_marks];
  return true;
}

static bool
push_mark(pickle_machine *m)
{
  if (!mt_grow(&m->marks, m->n_marks, 1, &m->marks_capacity, sizeof *m->marks))
    return mt_fail_no_memory(m->error);
  m->marks[m->n_marks++] = m->n_stack;
  return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool
read_bytes(pickle_machine *m, size_t n, const unsigned char **bytes)
{
  if (n > m->n - m->at) {
    mt_fail(m->error, MT_ERROR_FORMAT,
            "%s: expected a whole pickle, found its end after %zu bytes (is the file cut off?).",
            m->label, m->n);
    return false;
  }
  *bytes = m->bytes + m->at;
  m->at += n;
  return true;
}

/* A little-endian number of n <= 8 bytes. */
static bool
read_number(pickle_machine *m, size_t n, uint64_t *number)
{
  const unsigned char *bytes;
  if (!read_bytes(m, n, &bytes))
    return false;
  *number = 0;
  for (size_t i = 0; i < n; i++)
    *number |= (uint64_t) bytes[i] << (8 * i);
  return true;
}

/* As many bytes as a number of n_length bytes before them says. */
static bool
read_counted(pickle_machine *m, size_t n_length, const unsigned char **bytes, size_t *n)
{
  uint64_t length;
  if (!read_number(m, n_length, &length))
    return false;
  *n = length > SIZE_MAX ? SIZE_MAX : (size_t) length;
  return read_bytes(m, *n, bytes);
}

/* Up to a line feed, which is not part of it. */
static bool
read_line(pickle_machine *m, const unsigned char **bytes, size_t *n)
{
  const unsigned char *end = memchr(m->bytes + m->at, '\n', m->n - m->at);
  *n = end ? (size_t) (end - m->bytes) - m->at : m->n - m->at;
  const unsigned char *feed;
  return read_bytes(m, *n, bytes) && read_bytes(m, 1, &feed);
}

/* ---- Numbers and text ------------------------------------------------------------------------ */

static bool
push_integer(pickle_machine *m, int64_t integer)
{
  return push_value(m, (pickle_value){.kind = PICKLE_INT, .integer = integer});
}

static bool
do_small_integer(pickle_machine *m, size_t n, bool is_signed)
{
  uint64_t number;
  if (!read_number(m, n, &number))
    return false;
  return push_integer(m, is_signed ? (int32_t) (uint32_t) number : (int64_t) number);
}

/* LONG1, LONG4: two's complement of any length. */
static bool
do_long(pickle_machine *m, size_t n_length)
{
  const unsigned char *bytes;
  size_t n;
  if (!read_counted(m, n_length, &bytes, &n))
    return false;
  if (n > sizeof(int64_t))
    return push_kind(m, PICKLE_OPAQUE);
  uint64_t number = n && bytes[n - 1] & 0x80 ? UINT64_MAX : 0;
  for (size_t i = n; i-- > 0;)
    number = number << 8 | bytes[i];
  int64_t integer;
  memcpy(&integer, &number, sizeof integer);
  return push_integer(m, integer);
}

/* INT and LONG of protocol 1: decimal digits; 00 and 01 are the truth values. */
static bool
do_decimal(pickle_machine *m, bool is_long)
{
  const unsigned char *line;
  size_t n;
  if (!read_line(m, &line, &n))
    return false;
  if (!is_long && n == 2 && line[0] == '0' && (line[1] == '0' || line[1] == '1'))
    return push_kind(m, PICKLE_BOOL);
  if (is_long && n && line[n - 1] == 'L')
    n--;
  bool is_negative = n && line[0] == '-';
  if (n == is_negative)
    return pickle_damaged(m, "a number without digits");
  int64_t integer = 0;
  bool fits = true;
  for (size_t i = is_negative; i < n; i++) {
    if (line[i] < '0' || line[i] > '9')
      return pickle_damaged(m, "a number with other signs than digits");
    /* Downwards: there is one more negative number than positive ones. */
    fits = fits && !__builtin_mul_overflow(integer, 10, &integer) &&
           !__builtin_sub_overflow(integer, line[i] - '0', &integer);
  }
  fits = fits && (is_negative || !__builtin_sub_overflow(0, integer, &integer));
  return fits ? push_integer(m, integer) : push_kind(m, PICKLE_OPAQUE);
}

static bool
do_text(pickle_machine *m, size_t n_length, pickle_kind kind)
{
  const unsigned char *bytes;
  size_t n;
  return read_counted(m, n_length, &bytes, &n) &&
         push_value(m, (pickle_value){.kind = kind, .text = {bytes, n}});
}

static bool
do_skip(pickle_machine *m, size_t n)
{
  const unsigned char *bytes;
  return read_bytes(m, n, &bytes) && push_kind(m, PICKLE_OPAQUE);
}

/* ---- Tuples, lists, mappings ----------------------------------------------------------------- */

/* A value that holds what is on the stack from `start` on, in its place. */
static bool
take_items(pickle_machine *m, size_t start, pickle_kind kind)
{
  size_t n = m->n_stack - start;
  pickle_value value = {.kind = kind, .n = (uint32_t) n};
  if (n) {
    value.items = mt_alloc(n, sizeof *value.items);
    if (!value.items)
      return mt_fail_no_memory(m->error);
    memcpy(value.items, m->stack + start, n * sizeof *value.items);
    value.capacity = n;
  }
  pickle_ref ref;
  if (!pickle_make(m, value, &ref)) {
    mt_free(value.items);
    return false;
  }
  m->n_stack = start;
  return push(m, ref);
}

static bool
do_tuple(pickle_machine *m, size_t n)
{
  pickle_ref ref;
  return peek(m, n - 1, &ref) && take_items(m, m->n_stack - n, PICKLE_TUPLE);
}

static bool
do_marked(pickle_machine *m, pickle_kind kind)
{
  size_t start;
  if (!pop_mark(m, &start))
    return false;
  if (kind == PICKLE_DICT && (m->n_stack - start) % 2)
    return pickle_damaged(m, "a key without a value");
  return take_items(m, start, kind);
}

/* Move what is on the stack from `start` on to the end of the list or mapping below it. */
static bool
extend(pickle_machine *m, size_t start, pickle_kind kind)
{
  size_t floor = m->n_marks ? m->marks[m->n_marks - 1] : 0;
  if (start <= floor || m->values[m->stack[start - 1]].kind != kind)
    return pickle_damaged(m, kind == PICKLE_DICT ? "an entry without its mapping"
                                                 : "an item without its list");
  if (kind == PICKLE_DICT && (m->n_stack - start) % 2)
    return pickle_damaged(m, "a key without a value");
  pickle_value *value = &m->values[m->stack[start - 1]];
  for (size_t i = start; i < m->n_stack; i++) {
    if (!mt_grow(&value->items, value->n, 1, &value->capacity, sizeof *value->items))
      return mt_fail_no_memory(m->error);
    value->items[value->n++] = m->stack[i];
  }
  m->n_stack = start;
  return true;
}

static bool
do_extend(pickle_machine *m, size_t n, pickle_kind kind)
{
  pickle_ref ref;
  return peek(m, n, &ref) && extend(m, m->n_stack - n, kind);
}

static bool
do_extend_marked(pickle_machine *m, pickle_kind kind)
{
  size_t start;
  return pop_mark(m, &start) && extend(m, start, kind);
}

/* ---- The memo -------------------------------------------------------------------------------- */

static bool
put(pickle_machine *m, uint64_t index)
{
  pickle_ref ref;
  if (!peek(m, 0, &ref))
    return false;
  if (index >= MAX_OPCODES)
    return pickle_damaged(m, "a memo larger than any checkpoint's");
  while (m->n_memo <= index) {
    if (!mt_grow(&m->memo, m->n_memo, 1, &m->memo_capacity, sizeof *m->memo))
      return mt_fail_no_memory(m->error);
    m->memo[m->n_memo++] = NO_VALUE;
  }
  m->n_put += m->memo[index] == NO_VALUE;
  m->memo[index] = ref;
  return true;
}

static bool
do_put(pickle_machine *m, size_t n)
{
  uint64_t index;
  return read_number(m, n, &index) && put(m, index);
}

static bool
do_get(pickle_machine *m, size_t n)
{
  uint64_t index;
  if (!read_number(m, n, &index))
    return false;
  if (index >= m->n_memo || m->memo[index] == NO_VALUE)
    return pickle_damaged(m, "a reference to nothing");
  return push(m, m->memo[index]);
}

/* ---- Names, and what is made with them ------------------------------------------------------- */

static bool
push_global(pickle_machine *m, const unsigned char *module, size_t n_module,
            const unsigned char *name, size_t n_name)
{
  const struct pickle_global *global;
  return m->names->find(m, module, n_module, name, n_name, &global) &&
         push_value(m, (pickle_value){.kind = PICKLE_GLOBAL, .global = global});
}

static bool
do_global(pickle_machine *m)
{
  const unsigned char *module, *name;
  size_t n_module, n_name;
  return read_line(m, &module, &n_module) && read_line(m, &name, &n_name) &&
         push_global(m, module, n_module, name, n_name);
}

static bool
do_stack_global(pickle_machine *m)
{
  pickle_ref name_ref, module_ref;
  if (!pop(m, &name_ref) || !pop(m, &module_ref))
    return false;
  const pickle_value *name = pickle_get(m, name_ref), *module = pickle_get(m, module_ref);
  if (name->kind != PICKLE_TEXT || module->kind != PICKLE_TEXT)
    return pickle_damaged(m, "a name that is not text");
  return push_global(m, module->text.bytes, module->text.length, name->text.bytes,
                     name->text.length);
}

static bool
do_call(pickle_machine *m)
{
  pickle_ref callable, arguments, result;
  return pop(m, &arguments) && pop(m, &callable) &&
         m->names->call(m, callable, arguments, &result) && push(m, result);
}

static bool
do_persistent(pickle_machine *m)
{
  pickle_ref id, result;
  return pop(m, &id) && m->names->persistent(m, id, &result) && push(m, result);
}

/* Attributes for an object: a state dict carries "_metadata" so. Nothing here has attributes. */
static bool
do_build(pickle_machine *m)
{
  pickle_ref state, object;
  if (!pop(m, &state) || !peek(m, 0, &object))
    return false;
  pickle_kind kind = pickle_get(m, object)->kind;
  return kind == PICKLE_DICT || kind == PICKLE_TENSOR ||
         pickle_damaged(m, "attributes for something that has none");
}

/* ---- Opcodes --------------------------------------------------------------------------------- */

static bool
do_protocol(pickle_machine *m)
{
  uint64_t protocol;
  if (!read_number(m, 1, &protocol))
    return false;
  if (protocol > MAX_PROTOCOL)
    return mt_fail(m->error, MT_ERROR_UNSUPPORTED,
                   "%s: expected a pickle of protocol 1 to %d, found %llu.", m->label, MAX_PROTOCOL,
                   (unsigned long long) protocol);
  return true;
}

static bool
do_frame(pickle_machine *m)
{
  uint64_t length;
  if (!read_number(m, 8, &length))
    return false;
  return length <= m->n - m->at || pickle_damaged(m, "a frame that is longer than the file");
}

static bool
refuse_opcode(const pickle_machine *m, unsigned opcode)
{
  /* Names of the persistent kind, text with escapes, numbered memos: only protocol 0 has them. */
  if (opcode && strchr("PVSgp", (int) opcode))
    return mt_fail(m->error, MT_ERROR_UNSUPPORTED,
                   "%s: expected a pickle of protocol 1 to %d, found protocol 0.", m->label,
                   MAX_PROTOCOL);
  char what[64];
  snprintf(what, sizeof what, "the opcode 0x%02x, which no tensor needs,", opcode);
  return pickle_damaged(m, what);
}

static bool
step(pickle_machine *m, unsigned opcode)
{
  pickle_ref ref;
  size_t start;
  switch (opcode) {
  case 0x80: /* PROTO */
    return do_protocol(m);
  case 0x95: /* FRAME */
    return do_frame(m);

  case 'N': /* NONE */
    return push_kind(m, PICKLE_NONE);
  case 0x88: /* NEWTRUE */
  case 0x89: /* NEWFALSE */
    return push_kind(m, PICKLE_BOOL);
  case 'I': /* INT */
    return do_decimal(m, false);
  case 'L': /* LONG */
    return do_decimal(m, true);
  case 'J': /* BININT */
    return do_small_integer(m, 4, true);
  case 'K': /* BININT1 */
    return do_small_integer(m, 1, false);
  case 'M': /* BININT2 */
    return do_small_integer(m, 2, false);
  case 0x8a: /* LONG1 */
    return do_long(m, 1);
  case 0x8b: /* LONG4 */
    return do_long(m, 4);
  case 'G': /* BINFLOAT */
    return do_skip(m, 8);
  case 'X': /* BINUNICODE */
  case 'T': /* BINSTRING */
    return do_text(m, 4, PICKLE_TEXT);
  case 0x8c: /* SHORT_BINUNICODE */
  case 'U':  /* SHORT_BINSTRING */
    return do_text(m, 1, PICKLE_TEXT);
  case 0x8d: /* BINUNICODE8 */
    return do_text(m, 8, PICKLE_TEXT);
  case 'C': /* SHORT_BINBYTES */
    return do_text(m, 1, PICKLE_OPAQUE);
  case 'B': /* BINBYTES */
    return do_text(m, 4, PICKLE_OPAQUE);
  case 0x8e: /* BINBYTES8 */
  case 0x96: /* BYTEARRAY8 */
    return do_text(m, 8, PICKLE_OPAQUE);

  case '(': /* MARK */
    return push_mark(m);
  case ')': /* EMPTY_TUPLE */
    return push_kind(m, PICKLE_TUPLE);
  case 0x85: /* TUPLE1 */
  case 0x86: /* TUPLE2 */
  case 0x87: /* TUPLE3 */
    return do_tuple(m, opcode - 0x84);
  case 't': /* TUPLE */
    return do_marked(m, PICKLE_TUPLE);
  case ']': /* EMPTY_LIST */
    return push_kind(m, PICKLE_LIST);
  case 'l': /* LIST */
    return do_marked(m, PICKLE_LIST);
  case 'a': /* APPEND */
    return do_extend(m, 1, PICKLE_LIST);
  case 'e': /* APPENDS */
    return do_extend_marked(m, PICKLE_LIST);
  case '}': /* EMPTY_DICT */
    return push_kind(m, PICKLE_DICT);
  case 'd': /* DICT */
    return do_marked(m, PICKLE_DICT);
  case 's': /* SETITEM */
    return do_extend(m, 2, PICKLE_DICT);
  case 'u': /* SETITEMS */
    return do_extend_marked(m, PICKLE_DICT);

  case 'q': /* BINPUT */
    return do_put(m, 1);
  case 'r': /* LONG_BINPUT */
    return do_put(m, 4);
  case 0x94: /* MEMOIZE */
    return put(m, m->n_put);
  case 'h': /* BINGET */
    return do_get(m, 1);
  case 'j': /* LONG_BINGET */
    return do_get(m, 4);
  case '0': /* POP */
    return pop(m, &ref);
  case '1': /* POP_MARK */
    if (!pop_mark(m, &start))
      return false;
    m->n_stack = start;
    return true;
  case '2': /* DUP */
    return peek(m, 0, &ref) && push(m, ref);

  case 'c': /* GLOBAL */
    return do_global(m);
  case 0x93: /* STACK_GLOBAL */
    return do_stack_global(m);
  case 'i': /* INST: refused by the name of its class if that is not a known one */
    return do_global(m) && refuse_opcode(m, opcode);
  case 'R':  /* REDUCE */
  case 0x81: /* NEWOBJ */
    return do_call(m);
  case 'Q': /* BINPERSID */
    return do_persistent(m);
  case 'b': /* BUILD */
    return do_build(m);
  default:
    return refuse_opcode(m, opcode);
  }
}

static bool
run(pickle_machine *m, mt_pickle *pickle)
{
  for (size_t i = 0; i < MAX_OPCODES; i++) {
    const unsigned char *opcode;
    m->opcode = m->at;
    if (!read_bytes(m, 1, &opcode))
      return false;
    if (*opcode == '.') { /* STOP */
      pickle_ref root = 0;
      return pop(m, &root) && m->names->collect(m, root, pickle);
    }
    if (!step(m, *opcode))
      return false;
  }
  return mt_fail(m->error, MT_ERROR_FORMAT,
                 "%s: expected a pickle of at most %d opcodes, found more.", m->label, MAX_OPCODES);
}

bool
pickle_run(pickle_machine *m, mt_pickle *pickle)
{
  bool ok = run(m, pickle);
  for (size_t i = 0; i < m->n_values; i++)
    if (m->values[i].kind == PICKLE_TUPLE || m->values[i].kind == PICKLE_LIST ||
        m->values[i].kind == PICKLE_DICT)
      mt_free(m->values[i].items);
  mt_free(m->values);
  mt_free(m->stack);
  mt_free(m->marks);
  mt_free(m->memo);
  if (!ok)
    mt_pickle_clear(pickle);
  return ok;
}

void
mt_pickle_clear(mt_pickle *pickle)
{
  for (size_t i = 0; i < pickle->n; i++)
    mt_free((char *) pickle->tensors[i].name);
  mt_free(pickle->tensors);
  *pickle = (mt_pickle){0};
}
