/* mt-pickle.h — the tensors that a pickle of PyTorch describes. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pickle is a program for a small stack machine that can call anything Python knows: opening a
 * stranger's pickle with Python runs a stranger's code. The machine here knows a short list of
 * names (mt-pickle-torch.c), all of which mean "a tensor", "a mapping" or "a kind of number". It
 * imports nothing, calls nothing and refuses every other name.
 */
#ifndef MT_PICKLE_H
#define MT_PICKLE_H

#include "base/mt-dtype.h"
#include "mt.h"

#include <stdint.h>

#define MT_PICKLE_MAX_DIMS 4

/* A view of a storage, which is an array of numbers kept beside the pickle. Checked: the view lies
 * inside as many numbers as the pickle promises; whether the storage has them is not known here. */
typedef struct {
  const char *name;    /* in the mapping; UTF-8 */
  const char *storage; /* key of the storage, e.g. "0"; whatever the file says */
  const char *dtype_name;
  mt_dtype dtype;
  size_t item_size; /* bytes of one number, also where dtype is MT_DTYPE_OTHER */
  size_t n_dims;    /* at most MT_PICKLE_MAX_DIMS */
  size_t shape[MT_PICKLE_MAX_DIMS];
  size_t strides[MT_PICKLE_MAX_DIMS]; /* in numbers; 0 repeats */
  size_t offset;                      /* of the first number in the storage */
  size_t n_elements;                  /* product of the shape; n_elements * item_size fits */
  size_t n_needed;                    /* numbers that the storage must have; 0 if n_elements is */
} mt_pickle_tensor;

/* The tensors of one mapping, in its order. Initialise with {0}. */
typedef struct {
  mt_pickle_tensor *tensors; /* strings owned */
  size_t n;
} mt_pickle;

/* Read a pickle (protocols 1 to 5) of n bytes, in time and memory proportional to n at most: a
 * mapping from names to tensors, or one that holds such a mapping as "state_dict",
 * "model_state_dict" or "model". Values that are not tensors are skipped. label names the file in
 * messages. Errors: MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED, MT_ERROR_NO_MEMORY. Release with
 * mt_pickle_clear. */
bool mt_pickle_read(mt_pickle *pickle, const char *label, const unsigned char *bytes, size_t n,
                    mt_error *error);
void mt_pickle_clear(mt_pickle *pickle);

/* ---- The machine, for those who say what names mean ------------------------------------------ */

/* mt-pickle.c runs the opcodes, and is handed what knows the names, which is mt-pickle-torch.c.
 * Values refer to each other by number and are never followed further than from the outermost
 * mapping to a tensor, so that a list which contains itself, or a million tuples inside each other,
 * cost no more than their bytes. */

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
    const struct pickle_global *global;
    pickle_ref arguments; /* the tuple that a storage or a tensor was made from */
  };
} pickle_value;

typedef struct pickle_machine pickle_machine;

/* What the names in a pickle mean. */
typedef struct {
  /* The row of a name, or MT_ERROR_UNSUPPORTED, which names it. */
  bool (*find)(const pickle_machine *m, const unsigned char *module, size_t n_module,
               const unsigned char *name, size_t n_name, const struct pickle_global **global);
  /* What "calling" a name with a tuple makes: a mapping, a tuple, a tensor. */
  bool (*call)(pickle_machine *m, pickle_ref callable, pickle_ref arguments, pickle_ref *result);
  /* What a persistent id stands for: a storage. */
  bool (*persistent)(pickle_machine *m, pickle_ref id, pickle_ref *result);
  /* The tensors of the finished value. */
  bool (*collect)(const pickle_machine *m, pickle_ref root, mt_pickle *pickle);
} pickle_names;

struct pickle_machine {
  const pickle_names *names;
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
};

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

/* Run m->bytes, whose label, size, names and error are set, and clear the machine. On failure
 * *pickle is cleared. */
bool pickle_run(pickle_machine *m, mt_pickle *pickle);

#endif
