/* mt-pickle-machine.h — what the two halves of the pickle reader share: values by number.
 *
 * mt-pickle.c runs the opcodes, mt-pickle-torch.c knows what PyTorch's names mean. Values refer to
 * each other by number and are never followed further than from the outermost mapping to a tensor,
 * so that a list which contains itself, or a million tuples inside each other, cost no more than
 * their bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PICKLE_MACHINE_H
#define MT_PICKLE_MACHINE_H

#include "checkpoint/mt-pickle.h"

#include <stdint.h>

typedef uint32_t pickle_ref;

typedef enum {
  PICKLE_NONE,
  PICKLE_BOOL,
  PICKLE_INT,
  PICKLE_OPAQUE, /* a number or bytes that no tensor needs */
  PICKLE_TEXT,
  PICKLE_TUPLE,
  PICKLE_LIST,
  PICKLE_DICT, /* keys and values in turn */
  PICKLE_GLOBAL,
  PICKLE_STORAGE,
  PICKLE_TENSOR,
} pickle_kind;

typedef struct pickle_global pickle_global;

typedef struct {
  pickle_kind kind;
  uint32_t n; /* items */
  union {
    int64_t integer;
    struct {
      const unsigned char *bytes; /* borrowed from the pickle, not terminated */
      size_t length;
    } text;
    struct {
      pickle_ref *items; /* owned */
      size_t capacity;
    };
    const pickle_global *global;
    pickle_ref arguments; /* the tuple that a storage or a tensor was made from */
  };
} pickle_value;

typedef struct {
  const char *label;
  const unsigned char *bytes;
  size_t n, at, opcode; /* size, next byte, where the running opcode stands */
  pickle_value *values;
  size_t n_values, values_capacity;
  pickle_ref *stack;
  size_t n_stack, stack_capacity;
  size_t *marks; /* heights of the stack */
  size_t n_marks, marks_capacity;
  pickle_ref *memo; /* NO_VALUE where nothing was put */
  size_t n_memo, memo_capacity, n_put;
  mt_error *error;
} pickle_machine;

/* Borrowed, until the next value is made. */
static inline const pickle_value *
pickle_get(const pickle_machine *m, pickle_ref ref)
{
  return &m->values[ref];
}

/* Item i of a tuple, list or mapping. */
static inline const pickle_value *
pickle_item(const pickle_machine *m, const pickle_value *value, size_t i)
{
  return &m->values[value->items[i]];
}

/* "…: expected a pickle of tensors, found <what> at byte N (is the file damaged?)." */
bool pickle_damaged(const pickle_machine *m, const char *what);
/* A new value of a kind; false when there is no memory. */
bool pickle_make(pickle_machine *m, pickle_value value, pickle_ref *ref);

/* ---- What PyTorch's names mean (mt-pickle-torch.c) ------------------------------------------- */

/* The row of a name, or MT_ERROR_UNSUPPORTED, which names it. */
bool pickle_find_global(const pickle_machine *m, const unsigned char *module, size_t n_module,
                        const unsigned char *name, size_t n_name, const pickle_global **global);
/* What "calling" a name with a tuple makes: a mapping, a tuple, a tensor. */
bool pickle_call(pickle_machine *m, pickle_ref callable, pickle_ref arguments, pickle_ref *result);
/* What a persistent id stands for: a storage. */
bool pickle_storage(pickle_machine *m, pickle_ref id, pickle_ref *result);
/* The tensors of the finished value. */
bool pickle_collect(const pickle_machine *m, pickle_ref root, mt_pickle *pickle);

#endif
