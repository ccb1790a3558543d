/* mt-pickle-torch.c — what the names in PyTorch's pickles mean, and the tensors that come of them.
 *
 * THE list of names is below; a name that is not in it is refused. A tensor is kept as the
 * arguments it was to be rebuilt from; they are read when its own name is known, for the messages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "checkpoint/mt-pickle.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"

#include <string.h>

/* Far more than any translation model has. */
#define MAX_TENSORS 20000
#define MAX_NAME    500 /* bytes of the name of a tensor or a storage */

typedef enum {
  GLOBAL_MAPPING,   /* OrderedDict(): an empty mapping */
  GLOBAL_SIZE,      /* Size(tuple): the tuple */
  GLOBAL_TENSOR,    /* _rebuild_tensor_v2(storage, offset, shape, strides, …) */
  GLOBAL_PARAMETER, /* _rebuild_parameter(tensor, …): the tensor */
  GLOBAL_STORAGE,   /* a kind of array of numbers */
  GLOBAL_DTYPE,     /* a kind of number: for _rebuild_tensor_v3, and as a value that is skipped */
} global_role;

struct pickle_global {
  const char *module, *name;
  global_role role;
  /* Of storages and kinds of numbers, named as safetensors does. */
  const char *dtype_name;
  mt_dtype dtype;
  size_t item_size;
};

static const struct pickle_global globals[] = {
    {.module = "collections", .name = "OrderedDict", .role = GLOBAL_MAPPING},
    {.module = "torch", .name = "Size", .role = GLOBAL_SIZE},
    {.module = "torch._utils", .name = "_rebuild_tensor_v2", .role = GLOBAL_TENSOR},
    {.module = "torch._utils", .name = "_rebuild_tensor_v3", .role = GLOBAL_TENSOR},
    {.module = "torch._utils", .name = "_rebuild_parameter", .role = GLOBAL_PARAMETER},
    {.module = "torch._utils", .name = "_rebuild_parameter_with_state", .role = GLOBAL_PARAMETER},

    {"torch", "FloatStorage", GLOBAL_STORAGE, "F32", MT_DTYPE_F32, 4},
    {"torch", "HalfStorage", GLOBAL_STORAGE, "F16", MT_DTYPE_F16, 2},
    {"torch", "BFloat16Storage", GLOBAL_STORAGE, "BF16", MT_DTYPE_BF16, 2},
    {"torch", "DoubleStorage", GLOBAL_STORAGE, "F64", MT_DTYPE_F64, 8},
    {"torch", "LongStorage", GLOBAL_STORAGE, "I64", MT_DTYPE_OTHER, 8},
    {"torch", "IntStorage", GLOBAL_STORAGE, "I32", MT_DTYPE_OTHER, 4},
    {"torch", "ShortStorage", GLOBAL_STORAGE, "I16", MT_DTYPE_OTHER, 2},
    {"torch", "CharStorage", GLOBAL_STORAGE, "I8", MT_DTYPE_OTHER, 1},
    {"torch", "ByteStorage", GLOBAL_STORAGE, "U8", MT_DTYPE_OTHER, 1},
    {"torch", "BoolStorage", GLOBAL_STORAGE, "BOOL", MT_DTYPE_OTHER, 1},
    {"torch", "ComplexFloatStorage", GLOBAL_STORAGE, "C64", MT_DTYPE_OTHER, 8},
    {"torch", "ComplexDoubleStorage", GLOBAL_STORAGE, "C128", MT_DTYPE_OTHER, 16},
    /* Counted in bytes; what they hold stands beside them. */
    {"torch.storage", "UntypedStorage", GLOBAL_STORAGE, NULL, MT_DTYPE_OTHER, 1},
    {"torch.storage", "_UntypedStorage", GLOBAL_STORAGE, NULL, MT_DTYPE_OTHER, 1},

    {"torch", "float32", GLOBAL_DTYPE, "F32", MT_DTYPE_F32, 4},
    {"torch", "float16", GLOBAL_DTYPE, "F16", MT_DTYPE_F16, 2},
    {"torch", "bfloat16", GLOBAL_DTYPE, "BF16", MT_DTYPE_BF16, 2},
    {"torch", "float64", GLOBAL_DTYPE, "F64", MT_DTYPE_F64, 8},
    {"torch", "int64", GLOBAL_DTYPE, "I64", MT_DTYPE_OTHER, 8},
    {"torch", "int32", GLOBAL_DTYPE, "I32", MT_DTYPE_OTHER, 4},
    {"torch", "int16", GLOBAL_DTYPE, "I16", MT_DTYPE_OTHER, 2},
    {"torch", "int8", GLOBAL_DTYPE, "I8", MT_DTYPE_OTHER, 1},
    {"torch", "uint64", GLOBAL_DTYPE, "U64", MT_DTYPE_OTHER, 8},
    {"torch", "uint32", GLOBAL_DTYPE, "U32", MT_DTYPE_OTHER, 4},
    {"torch", "uint16", GLOBAL_DTYPE, "U16", MT_DTYPE_OTHER, 2},
    {"torch", "uint8", GLOBAL_DTYPE, "U8", MT_DTYPE_OTHER, 1},
    {"torch", "bool", GLOBAL_DTYPE, "BOOL", MT_DTYPE_OTHER, 1},
    {"torch", "float8_e4m3fn", GLOBAL_DTYPE, "F8_E4M3", MT_DTYPE_OTHER, 1},
    {"torch", "float8_e5m2", GLOBAL_DTYPE, "F8_E5M2", MT_DTYPE_OTHER, 1},
};

static bool
text_is(const unsigned char *bytes, size_t n, const char *text)
{
  return strlen(text) == n && memcmp(bytes, text, n) == 0;
}

static bool
find_global(const pickle_machine *m, const unsigned char *module, size_t n_module,
            const unsigned char *name, size_t n_name, const struct pickle_global **global)
{
  for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
    if (text_is(module, n_module, globals[i].module) && text_is(name, n_name, globals[i].name)) {
      *global = &globals[i];
      return true;
    }
  return mt_fail(
      m->error, MT_ERROR_UNSUPPORTED,
      "%s: expected tensors only, found the Python object \"%.*s.%.*s\"; nothing of it "
      "was run. If the file can be trusted, load it with PyTorch and save only its state "
      "dict.",
      m->label, n_module > 100 ? 100 : (int) n_module, (const char *) module,
      n_name > 100 ? 100 : (int) n_name, (const char *) name);
}

/* ---- While the pickle runs ------------------------------------------------------------------- */

static bool
call(pickle_machine *m, pickle_ref callable, pickle_ref arguments, pickle_ref *result)
{
  const pickle_value *function = pickle_get(m, callable), *tuple = pickle_get(m, arguments);
  if (function->kind != PICKLE_GLOBAL)
    return pickle_damaged(m, "a call of something that is no function");
  if (tuple->kind != PICKLE_TUPLE)
    return pickle_damaged(m, "a call without its arguments");
  const pickle_value *first = tuple->n ? pickle_item(m, tuple, 0) : NULL;
  switch (function->global->role) {
  case GLOBAL_MAPPING:
    if (tuple->n == 0)
      return pickle_make(m, (pickle_value){.kind = PICKLE_DICT}, result);
    break;
  case GLOBAL_SIZE:
    if (tuple->n == 1 && first->kind == PICKLE_TUPLE) {
      *result = tuple->items[0];
      return true;
    }
    break;
  case GLOBAL_TENSOR:
    if (tuple->n >= 6 && first->kind == PICKLE_STORAGE)
      return pickle_make(m, (pickle_value){.kind = PICKLE_TENSOR, .arguments = arguments}, result);
    break;
  case GLOBAL_PARAMETER:
    if (tuple->n >= 1 && first->kind == PICKLE_TENSOR) {
      *result = tuple->items[0];
      return true;
    }
    break;
  case GLOBAL_STORAGE:
  case GLOBAL_DTYPE:
    break;
  }
  return pickle_damaged(m, "a call with other arguments than PyTorch's");
}

/* ('storage', kind, key, device, how many numbers) */
static bool
make_storage(pickle_machine *m, pickle_ref id, pickle_ref *result)
{
  const pickle_value *tuple = pickle_get(m, id);
  if (tuple->kind != PICKLE_TUPLE || tuple->n != 5)
    return pickle_damaged(m, "a storage that is not described as PyTorch does");
  const pickle_value *tag = pickle_item(m, tuple, 0), *kind = pickle_item(m, tuple, 1);
  const pickle_value *key = pickle_item(m, tuple, 2), *count = pickle_item(m, tuple, 4);
  if (tag->kind != PICKLE_TEXT || !text_is(tag->text.bytes, tag->text.length, "storage") ||
      kind->kind != PICKLE_GLOBAL || kind->global->role != GLOBAL_STORAGE ||
      key->kind != PICKLE_TEXT || key->text.length > MAX_NAME || count->kind != PICKLE_INT ||
      count->integer < 0)
    return pickle_damaged(m, "a storage that is not described as PyTorch does");
  return pickle_make(m, (pickle_value){.kind = PICKLE_STORAGE, .arguments = id}, result);
}

/* ---- When it has ended ----------------------------------------------------------------------- */

/* A tuple of at most MT_PICKLE_MAX_DIMS whole numbers that are not negative. */
static bool
read_sizes(const pickle_machine *m, const pickle_value *tuple, size_t *out)
{
  if (tuple->kind != PICKLE_TUPLE || tuple->n > MT_PICKLE_MAX_DIMS)
    return false;
  for (size_t i = 0; i < tuple->n; i++) {
    const pickle_value *item = pickle_item(m, tuple, i);
    if (item->kind != PICKLE_INT || item->integer < 0)
      return false;
    out[i] = (size_t) item->integer;
  }
  return true;
}

/* How many numbers of the storage the view reaches into. False if that is larger than any memory.
 */
static bool
measure(mt_pickle_tensor *t)
{
  size_t n = 1, last = t->offset, bytes;
  for (size_t i = 0; i < t->n_dims; i++)
    if (__builtin_mul_overflow(n, t->shape[i], &n))
      return false;
  t->n_elements = n;
  if (__builtin_mul_overflow(n, t->item_size, &bytes))
    return false;
  if (n == 0)
    return true;
  for (size_t i = 0; i < t->n_dims; i++) {
    size_t reach;
    if (__builtin_mul_overflow(t->shape[i] - 1, t->strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return false;
  }
  return !__builtin_add_overflow(last, 1, &t->n_needed) &&
         !__builtin_mul_overflow(t->n_needed, t->item_size, &bytes);
}

/* Everything about a tensor but its strings; `name` is for messages. */
static bool
read_tensor(const pickle_machine *m, const pickle_value *value, const char *name,
            mt_pickle_tensor *t)
{
  const pickle_value *arguments = pickle_get(m, value->arguments);
  const pickle_value *id = pickle_get(m, pickle_item(m, arguments, 0)->arguments);
  const pickle_value *offset = pickle_item(m, arguments, 1);
  const pickle_value *shape = pickle_item(m, arguments, 2);
  const pickle_value *strides = pickle_item(m, arguments, 3);
  const struct pickle_global *kind = pickle_item(m, id, 1)->global;
  size_t n_promised = (size_t) pickle_item(m, id, 4)->integer;
  if (!kind->dtype_name) { /* _rebuild_tensor_v3: the kind of number is the argument after the six
                            */
    const pickle_value *dtype = arguments->n > 6 ? pickle_item(m, arguments, 6) : NULL;
    if (!dtype || dtype->kind != PICKLE_GLOBAL || dtype->global->role != GLOBAL_DTYPE)
      return mt_fail(m->error, MT_ERROR_FORMAT,
                     "%s: expected tensor \"%.200s\" to have a dtype, found none.", m->label, name);
    kind = dtype->global;
    n_promised /= kind->item_size;
  }
  t->dtype_name = kind->dtype_name;
  t->dtype = kind->dtype;
  t->item_size = kind->item_size;
  t->n_dims = shape->n;
  if (!read_sizes(m, shape, t->shape))
    return mt_fail(m->error, MT_ERROR_FORMAT,
                   "%s: expected tensor \"%.200s\" to have a shape of at most %d dimensions, found "
                   "something else.",
                   m->label, name, MT_PICKLE_MAX_DIMS);
  if (!read_sizes(m, strides, t->strides) || strides->n != shape->n || offset->kind != PICKLE_INT ||
      offset->integer < 0)
    return mt_fail(m->error, MT_ERROR_FORMAT,
                   "%s: expected tensor \"%.200s\" to have an offset and a stride for each "
                   "dimension, none of them negative, found something else.",
                   m->label, name);
  t->offset = (size_t) offset->integer;
  if (!measure(t))
    return mt_fail(m->error, MT_ERROR_FORMAT,
                   "%s: the shape of tensor \"%.200s\" is larger than any memory.", m->label, name);
  if (t->n_needed > n_promised)
    return mt_fail(m->error, MT_ERROR_FORMAT,
                   "%s: expected a storage of at least %zu numbers for tensor \"%.200s\", found "
                   "%zu.",
                   m->label, t->n_needed, name, n_promised);
  return true;
}

/* The name and the tensor of one entry of the mapping. */
static bool
add_tensor(const pickle_machine *m, const pickle_value *key, const pickle_value *value,
           mt_pickle *pickle)
{
  size_t n_name = key->text.length, invalid;
  const char *bytes = (const char *) key->text.bytes;
  if (key->kind != PICKLE_TEXT || n_name == 0 || n_name > MAX_NAME || memchr(bytes, '\0', n_name) ||
      !mt_utf8_valid(bytes, n_name, &invalid))
    return mt_fail(m->error, MT_ERROR_FORMAT,
                   "%s: expected the name of a tensor in UTF-8, at most %d bytes long, found "
                   "something else.",
                   m->label, MAX_NAME);
  if (pickle->n == MAX_TENSORS)
    return mt_fail(m->error, MT_ERROR_FORMAT, "%s: expected at most %d tensors, found more.",
                   m->label, MAX_TENSORS);
  const pickle_value *id =
      pickle_get(m, pickle_item(m, pickle_get(m, value->arguments), 0)->arguments);
  const pickle_value *storage = pickle_item(m, id, 2);

  /* Both strings in one allocation, which starts with the name. Memory is zeroed: they end. */
  char *name = mt_alloc(n_name + 1 + storage->text.length + 1, 1);
  if (!name)
    return mt_fail_no_memory(m->error);
  memcpy(name, bytes, n_name);
  memcpy(name + n_name + 1, storage->text.bytes, storage->text.length);
  mt_pickle_tensor *t = &pickle->tensors[pickle->n++];
  t->name = name;
  t->storage = name + n_name + 1;
  return read_tensor(m, value, name, t);
}

static size_t
count_tensors(const pickle_machine *m, const pickle_value *mapping)
{
  size_t n = 0;
  for (size_t i = 1; i < mapping->n; i += 2)
    n += pickle_item(m, mapping, i)->kind == PICKLE_TENSOR;
  return n;
}

/* The mapping that holds the tensors: the outermost, or the one in it that training programs keep
 * beside the state of the optimizer. */
static const pickle_value *
find_mapping(const pickle_machine *m, const pickle_value *root)
{
  static const char *const names[] = {"state_dict", "model_state_dict", "model"};
  for (size_t i = 0; i + 1 < root->n; i += 2) {
    const pickle_value *key = pickle_item(m, root, i), *value = pickle_item(m, root, i + 1);
    if (key->kind != PICKLE_TEXT || value->kind != PICKLE_DICT)
      continue;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      if (text_is(key->text.bytes, key->text.length, names[k]) && count_tensors(m, value) > 0)
        return value;
  }
  return root;
}

static const char *
describe(pickle_kind kind)
{
  switch (kind) {
  case PICKLE_TENSOR:
    return "a single tensor";
  case PICKLE_LIST:
  case PICKLE_TUPLE:
    return "a list";
  case PICKLE_DICT:
    return "a mapping without tensors";
  default:
    return "another Python object";
  }
}

static bool
collect(const pickle_machine *m, pickle_ref root, mt_pickle *pickle)
{
  const pickle_value *mapping = pickle_get(m, root);
  if (mapping->kind == PICKLE_DICT)
    mapping = find_mapping(m, mapping);
  size_t n = mapping->kind == PICKLE_DICT ? count_tensors(m, mapping) : 0;
  if (n == 0)
    return mt_fail(m->error, MT_ERROR_FORMAT,
                   "%s: expected a mapping from names to tensors (a state dict), found %s.",
                   m->label, describe(mapping->kind));
  pickle->tensors = mt_alloc(n < MAX_TENSORS ? n : MAX_TENSORS, sizeof *pickle->tensors);
  if (!pickle->tensors)
    return mt_fail_no_memory(m->error);
  for (size_t i = 0; i + 1 < mapping->n; i += 2) {
    const pickle_value *value = pickle_item(m, mapping, i + 1);
    if (value->kind == PICKLE_TENSOR && !add_tensor(m, pickle_item(m, mapping, i), value, pickle))
      return false;
  }
  return true;
}

bool
mt_pickle_read(mt_pickle *pickle, const char *label, const unsigned char *bytes, size_t n,
               mt_error *error)
{
  static const pickle_names torch = {find_global, call, make_storage, collect};
  pickle_machine m = {.names = &torch, .label = label, .bytes = bytes, .n = n, .error = error};
  return pickle_run(&m, pickle);
}
