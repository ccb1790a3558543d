/* test-pickle.c — the unpickler: what PyTorch writes, and what somebody else could.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pickle-check.h"
#include "suite.h"

#include <string.h>

/* ---- Good ones ------------------------------------------------------------------------------- */

static void
test_tensor(void)
{
  mt_pickle found = read_good(pickle_with_view(&plain_view));
  g_assert_cmpuint(found.n, ==, 1);
  const mt_pickle_tensor *t = &found.tensors[0];
  g_assert_cmpstr(t->name, ==, "w");
  g_assert_cmpstr(t->storage, ==, "0");
  g_assert_cmpstr(t->dtype_name, ==, "F32");
  g_assert_cmpint(t->dtype, ==, MT_DTYPE_F32);
  g_assert_cmpuint(t->n_dims, ==, 2);
  g_assert_true(t->shape[0] == 3 && t->shape[1] == 4 && t->strides[0] == 4 && t->strides[1] == 1);
  g_assert_true(t->offset == 0 && t->n_elements == 12 && t->n_needed == 12 && t->item_size == 4);
  mt_pickle_clear(&found);
  g_assert_null(found.tensors);
}

/* How many numbers a view reaches into. */
static void
test_views(void)
{
  static const struct {
    pickle_view view;
    size_t n_elements, n_needed;
  } rows[] = {
      {{"HalfStorage", "a", 12, 0, 2, {4, 3}, {1, 4}}, 12, 12},
      {{"BFloat16Storage", "a", 12, 5, 2, {2, 2}, {3, 2}}, 4, 11},
      {{"DoubleStorage", "a", 1, 0, 3, {5, 6, 7}, {0, 0, 0}}, 210, 1},
      {{"LongStorage", "a", 4, 3, 0, {0}, {0}}, 1, 4},
      {{"BoolStorage", "a", 0, 9, 2, {0, 5}, {5, 1}}, 0, 0},
      {{"FloatStorage", "a", 3, 0, 4, {1, 1, 3, 1}, {99, G_MAXINT64, 1, 7}}, 3, 3},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    mt_pickle found = read_good(pickle_with_view(&rows[i].view));
    g_assert_cmpuint(found.tensors[0].n_elements, ==, rows[i].n_elements);
    g_assert_cmpuint(found.tensors[0].n_needed, ==, rows[i].n_needed);
    mt_pickle_clear(&found);
  }
}

/* Numbers, text, lists and so on beside the tensors are skipped, in every way to write them. */
static void
test_other_values(void)
{
  pickle *p = pickle_of("\x95");
  pickle_raw(p, "\3\0\0\0\0\0\0\0", 8); /* a frame: three bytes to come, which is not looked at */
  pickle_put(p, "}(%s%t", "first", &plain_view);
  static const struct {
    const char *bytes;
    gsize n;
  } values[] = {
      {BYTES("N")},
      {BYTES("\x88")},
      {BYTES("\x89")},
      {BYTES("I01\n")},
      {BYTES("I-17\n")},
      {BYTES("L99999999999999999999999L\n")},
      {BYTES("K\377")},
      {BYTES("M\377\377")},
      {BYTES("J\377\377\377\377")},
      {BYTES("\x8a\0")},
      {BYTES("\x8a\x09\1\2\3\4\5\6\7\x08\x09")},
      {BYTES("\x8b\2\0\0\0\1\2")},
      {BYTES("G\x3f\xf0\0\0\0\0\0\0")},
      {BYTES("U\2ab")},
      {BYTES("T\2\0\0\0ab")},
      {BYTES("\x8c\2ab")},
      {BYTES("\x8d\2\0\0\0\0\0\0\0ab")},
      {BYTES("C\2ab")},
      {BYTES("B\2\0\0\0ab")},
      {BYTES("\x8e\2\0\0\0\0\0\0\0ab")},
      {BYTES("\x96\2\0\0\0\0\0\0\0ab")},
      {BYTES(")")},
      {BYTES("](K\1K\2e")},
      {BYTES("]K\1a")},
      {BYTES("(K\1K\2l")},
      {BYTES("(K\1K\2d")},
      {BYTES("K\1K\2\x86")},
      {BYTES("K\1K\2K\3\x87")},
      {BYTES("K\1(K\2K\0031")},
      {BYTES("K\1K\0020")},
      {BYTES("K\00120")},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
    g_autofree char *key = g_strdup_printf("%zu", i);
    pickle_put(p, "%s", key);
    pickle_raw(p, values[i].bytes, values[i].n);
  }
  pickle_put(p, "%s%g%s%gK\5\x85\x85R%s%tu.what follows the end is not looked at", "dtype", "torch",
             "float32", "size", "torch", "Size", "last", &plain_view);
  mt_pickle found = read_good(p);
  g_assert_cmpuint(found.n, ==, 2);
  g_assert_cmpstr(found.tensors[0].name, ==, "first");
  g_assert_cmpstr(found.tensors[1].name, ==, "last");
  mt_pickle_clear(&found);
}

/* Parameters are the tensors in them; attributes are skipped; a Size is a shape. */
static void
test_parameters(void)
{
  pickle *p = pickle_of("%g)R(", "collections", "OrderedDict");
  for (int i = 0; i < 2; i++) {
    pickle_put(p, "%s%g(%t%b", i ? "with state" : "without", "torch._utils",
               i ? "_rebuild_parameter_with_state" : "_rebuild_parameter", &plain_view,
               i ? "\x88N}tR" : "\x88NtR");
  }
  pickle_put(p, "u}%s}sb.", "_metadata"); /* attributes of the mapping */
  mt_pickle found = read_good(p);
  g_assert_cmpuint(found.n, ==, 2);
  mt_pickle_clear(&found);
}

/* float8 and the like have no storage class of their own. */
static void
test_untyped(void)
{
  for (int i = 0; i < 2; i++) {
    pickle *p = pickle_of("}%s%g((%s%g%s%s%dtQK\1K\3\x85K\1\x85\x89N%gtRs.", "w", "torch._utils",
                          "_rebuild_tensor_v3", "storage", "torch.storage", "UntypedStorage", "7",
                          "cpu", (gint64) 8, "torch", i ? "float64" : "uint16");
    if (i) {
      read_bad(p, MT_ERROR_FORMAT, "\"w\"|at least 4 numbers|found 1");
      break;
    }
    mt_pickle found = read_good(p);
    g_assert_cmpstr(found.tensors[0].dtype_name, ==, "U16");
    g_assert_cmpint(found.tensors[0].dtype, ==, MT_DTYPE_OTHER);
    g_assert_cmpuint(found.tensors[0].n_needed, ==, 4);
    mt_pickle_clear(&found);
  }
}

/* The state dict in what training programs write, beside the optimizer's own tensors. */
static void
test_nested(void)
{
  static const char *const names[] = {"state_dict", "model_state_dict", "model"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    pickle *p = pickle_of("}(%s%t%s}%s%ts%s}%s%tsu.", "step", &plain_view, "optimizer", "momentum",
                          &plain_view, names[i], "weight", &plain_view);
    mt_pickle found = read_good(p);
    g_assert_cmpuint(found.n, ==, 1);
    g_assert_cmpstr(found.tensors[0].name, ==, "weight");
    mt_pickle_clear(&found);
  }
  /* Under another name there is no telling. */
  pickle *p = pickle_of("}%s}%s%tss.", "net", "weight", &plain_view);
  read_bad(p, MT_ERROR_FORMAT, "state dict|a mapping without tensors");
}

/* ---- Code ------------------------------------------------------------------------------------ */

static void
test_code(void)
{
  static const char *const names[][2] = {
      {"os", "system"},
      {"posix", "system"},
      {"builtins", "eval"},
      {"torch", "load"},
      {"torch", "FloatStorag"},
      {"torch", "FloatStoragee"},
      {"collections", "Counter"},
      {"numpy", "ndarray"},
      {"torch._utils", "_rebuild_qtensor"},
      {"", ""},
      {"\xff\xfe", "\x01\x1b["},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *shown =
        g_utf8_validate(names[i][0], -1, NULL)
            ? g_strdup_printf("\"%s.%s\"|nothing of it was run", names[i][0], names[i][1])
            : g_strdup("Python object");
    pickle *p = pickle_of("%g%s\x85R.", names[i][0], names[i][1], "echo hello");
    read_bad(p, MT_ERROR_UNSUPPORTED, shown);

    /* the same by STACK_GLOBAL */
    p = pickle_of("%s%s", names[i][0], names[i][1]);
    if (g_utf8_validate(names[i][0], -1, NULL)) {
      pickle_put(p, "\x93)R.");
      read_bad(p, MT_ERROR_UNSUPPORTED, shown);
    } else {
      g_byte_array_unref(p);
    }
  }
  pickle *p = pickle_of("(ios\nsystem\n.");
  read_bad(p, MT_ERROR_UNSUPPORTED, "\"os.system\"");
  p = pickle_of("(itorch\nFloatStorage\n.");
  read_bad(p, MT_ERROR_FORMAT, "0x69");
  /* A name as long as the file. */
  p = pickle_new();
  g_autofree char *name = g_strnfill(100000, 'x');
  pickle_put(p, "%g", name, name);
  read_bad(p, MT_ERROR_UNSUPPORTED, "xxx.xxx");
}

/* Names that are known, used otherwise than PyTorch does. */
static void
test_calls(void)
{
  static const struct {
    const char *module, *name, *rest, *words;
  } rows[] = {
      {"collections", "OrderedDict", "K\1\x85R.", "other arguments"},
      {"collections", "OrderedDict", "]R.", "without its arguments"},
      {"torch", "Size", ")R.", "other arguments"},
      {"torch", "Size", "K\1\x85R.", "other arguments"},
      {"torch", "FloatStorage", "K\1\x85R.", "other arguments"},
      {"torch", "float32", ")R.", "other arguments"},
      {"torch._utils", "_rebuild_tensor_v2", ")R.", "other arguments"},
      {"torch._utils", "_rebuild_tensor_v2", "(K\1K\1K\1K\1K\1K\1tR.", "other arguments"},
      {"torch._utils", "_rebuild_parameter", ")R.", "other arguments"},
      {"torch._utils", "_rebuild_parameter", "]\x85R.", "other arguments"},
      {"torch._utils", "_rebuild_parameter", "K\1\x85\x81.", "other arguments"},
      {"torch", "FloatStorage", "Q.", "a storage that is not described"},
      {"torch", "FloatStorage", "\x85Q.", "a storage that is not described"},
      {"torch", "FloatStorage", "}b.", "attributes for something"},
      {"torch", "FloatStorage", ".", "another Python object"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    pickle *p = pickle_of("%g%b", rows[i].module, rows[i].name, rows[i].rest);
    read_bad(p, MT_ERROR_FORMAT, rows[i].words);
  }
  pickle *p = pickle_of("K\1)R.");
  read_bad(p, MT_ERROR_FORMAT, "a call of something that is no function");
  p = pickle_of("K\1K\2\x93.");
  read_bad(p, MT_ERROR_FORMAT, "a name that is not text");
}

static void
test_bad_storages(void)
{
  static const struct {
    const char *tag, *module, *name, *key;
    gint64 n;
  } rows[] = {
      {"module", "torch", "FloatStorage", "0", 4},   {"storage", "torch", "Size", "0", 4},
      {"storage", "torch", "float32", "0", 4},       {"storage", "torch", "FloatStorage", "0", -1},
      {"storage", "torch", "FloatStorage", NULL, 4},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    pickle *p = pickle_new();
    g_autofree char *key = rows[i].key ? g_strdup(rows[i].key) : g_strnfill(501, '0');
    pickle_put(p, "(%s%g%s%s%dtQ.", rows[i].tag, rows[i].module, rows[i].name, key, "cpu",
               rows[i].n);
    read_bad(p, MT_ERROR_FORMAT, "a storage that is not described as PyTorch does");
  }
}

/* ---- Views that lie -------------------------------------------------------------------------- */

static void
test_bad_views(void)
{
  static const struct {
    pickle_view view;
    const char *words;
  } rows[] = {
      {{"FloatStorage", "0", 11, 0, 2, {3, 4}, {4, 1}}, "at least 12 numbers|\"w\"|found 11"},
      {{"FloatStorage", "0", 12, 1, 2, {3, 4}, {4, 1}}, "at least 13 numbers|\"w\"|found 12"},
      {{"FloatStorage", "0", 12, -1, 2, {3, 4}, {4, 1}}, "\"w\"|an offset and a stride|negative"},
      {{"FloatStorage", "0", 12, 0, 2, {3, 4}, {4, -1}}, "\"w\"|none of them negative"},
      {{"FloatStorage", "0", 12, 0, 2, {3, -4}, {4, 1}}, "\"w\"|a shape of at most 4 dimensions"},
      {{"FloatStorage", "0", 12, 0, 5, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}}, "\"w\"|at most 4"},
      {{"FloatStorage", "0", G_MAXINT64, 0, 2, {G_MAXINT64, 4}, {4, 1}}, "\"w\"|any memory"},
      {{"DoubleStorage", "0", G_MAXINT64, 0, 1, {G_MAXINT64}, {1}}, "\"w\"|any memory"},
      {{"FloatStorage", "0", 12, 0, 2, {3, 4}, {G_MAXINT64, 1}}, "\"w\"|any memory"},
      {{"FloatStorage", "0", 12, 0, 2, {2, 2}, {G_MAXINT64, G_MAXINT64}}, "\"w\"|any memory"},
      {{"FloatStorage", "0", 12, G_MAXINT64, 2, {3, 4}, {4, 1}}, "\"w\"|any memory"},
      {{"FloatStorage", "0", 12, 0, 3, {G_MAXINT64, G_MAXINT64, 0}, {1, 1, 1}}, "\"w\"|any memory"},
      {{"FloatStorage", "0", 12, 0, 2, {1L << 32, 1L << 32}, {0, 0}}, "\"w\"|any memory"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    read_bad(pickle_with_view(&rows[i].view), MT_ERROR_FORMAT, rows[i].words);
}

/* As many strides as dimensions, and numbers where numbers belong. */
static void
test_bad_arguments(void)
{
  static const struct {
    const char *bytes;
    gsize n;
    const char *words;
  } rows[] = {
      {BYTES("K\0K\3K\4\x86K\1\x85\x89N"), "an offset and a stride for each dimension"},
      {BYTES("K\0K\3\x85K\1K\1\x86\x89N"), "an offset and a stride for each dimension"},
      {BYTES("K\0K\3\x85N\x89N"), "an offset and a stride"},
      {BYTES("NK\3\x85K\1\x85\x89N"), "an offset and a stride"},
      {BYTES("K\0K\3K\1\x85\x89N"), "a shape"},
      {BYTES("K\0N\x85K\1\x85\x89N"), "a shape"},
      {BYTES("K\0]K\3aK\1\x85\x89N"), "a shape"},
      {BYTES("K\0\x8a\x0a\1\2\3\4\5\6\7\x08\x09\x0a\x85K\1\x85\x89N"), "a shape"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    pickle *p = pickle_of("}%s%g((%s%g%s%s%dtQ", "w", "torch._utils", "_rebuild_tensor_v2",
                          "storage", "torch", "FloatStorage", "0", "cpu", (gint64) 12);
    pickle_raw(p, rows[i].bytes, rows[i].n);
    pickle_put(p, "tRs.");
    read_bad(p, MT_ERROR_FORMAT, rows[i].words);
  }
}

static void
test_bad_names(void)
{
  static const struct {
    const char *bytes;
    gsize n;
  } keys[] = {
      {BYTES("K\1")},
      {BYTES("N")},
      {BYTES("X\0\0\0\0")},
      {BYTES("X\2\0\0\0a\0")},
      {BYTES("X\2\0\0\0\xc3(")},
      {BYTES(")")},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
    pickle *p = pickle_of("}");
    pickle_raw(p, keys[i].bytes, keys[i].n);
    pickle_put(p, "%ts.", &plain_view);
    read_bad(p, MT_ERROR_FORMAT, "name of a tensor in UTF-8");
  }
  pickle *p = pickle_new();
  g_autofree char *name = g_strnfill(501, 'n');
  pickle_put(p, "}%s%ts.", name, &plain_view);
  read_bad(p, MT_ERROR_FORMAT, "at most 500 bytes");
}

TESTS()
{
  g_test_add_func("/pickle/tensor", test_tensor);
  g_test_add_func("/pickle/views", test_views);
  g_test_add_func("/pickle/other-values", test_other_values);
  g_test_add_func("/pickle/parameters", test_parameters);
  g_test_add_func("/pickle/untyped", test_untyped);
  g_test_add_func("/pickle/nested", test_nested);
  g_test_add_func("/pickle/code", test_code);
  g_test_add_func("/pickle/calls", test_calls);
  g_test_add_func("/pickle/bad-storages", test_bad_storages);
  g_test_add_func("/pickle/bad-views", test_bad_views);
  g_test_add_func("/pickle/bad-arguments", test_bad_arguments);
  g_test_add_func("/pickle/bad-names", test_bad_names);
}
