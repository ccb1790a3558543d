/* test-pickle-damage.c — the unpickler: files that are cut off, spoiled, or made to exhaust it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "few-allocations.h"
#include "pickle-check.h"
#include "suite.h"

#include <string.h>

/* ---- Damage ---------------------------------------------------------------------------------- */

static void
test_damaged(void)
{
  static const struct {
    const char *bytes;
    gsize n;
    mt_error_code code;
    const char *words;
  } rows[] = {
      {BYTES(""), MT_ERROR_FORMAT, "end after 0 bytes|cut off"},
      {BYTES("\x80"), MT_ERROR_FORMAT, "end after 1 bytes"},
      {BYTES("\x80\6."), MT_ERROR_UNSUPPORTED, "protocol 1 to 5|found 6"},
      {BYTES("Vtext\n."), MT_ERROR_UNSUPPORTED, "protocol 0"},
      {BYTES("Pid\n."), MT_ERROR_UNSUPPORTED, "protocol 0"},
      {BYTES("\0"), MT_ERROR_FORMAT, "opcode 0x00"},
      {BYTES("\x82\1."), MT_ERROR_FORMAT, "opcode 0x82"},
      {BYTES("\x8f."), MT_ERROR_FORMAT, "opcode 0x8f"},
      {BYTES("\x97."), MT_ERROR_FORMAT, "opcode 0x97"},
      {BYTES("."), MT_ERROR_FORMAT, "an opcode without its value|byte 0"},
      {BYTES("0."), MT_ERROR_FORMAT, "without its value"},
      {BYTES("K\1\x86."), MT_ERROR_FORMAT, "without its value|byte 2"},
      {BYTES("K\1(\x85."), MT_ERROR_FORMAT, "without its value"},
      {BYTES("t."), MT_ERROR_FORMAT, "without its mark"},
      {BYTES("u."), MT_ERROR_FORMAT, "without its mark"},
      {BYTES("1."), MT_ERROR_FORMAT, "without its mark"},
      {BYTES("(u."), MT_ERROR_FORMAT, "an entry without its mapping"},
      {BYTES("](K\1K\2u."), MT_ERROR_FORMAT, "an entry without its mapping"},
      {BYTES("}(K\1u."), MT_ERROR_FORMAT, "a key without a value"},
      {BYTES("(K\1d."), MT_ERROR_FORMAT, "a key without a value"},
      {BYTES("}K\1a."), MT_ERROR_FORMAT, "an item without its list"},
      {BYTES(")K\1a."), MT_ERROR_FORMAT, "an item without its list"},
      {BYTES("](K\1s."), MT_ERROR_FORMAT, "without its value"},
      {BYTES("h\0."), MT_ERROR_FORMAT, "a reference to nothing"},
      {BYTES("Kaq\7h\6."), MT_ERROR_FORMAT, "a reference to nothing"},
      {BYTES("j\377\377\377\377."), MT_ERROR_FORMAT, "a reference to nothing"},
      {BYTES("q\0."), MT_ERROR_FORMAT, "without its value"},
      {BYTES("Nr\377\377\377\377."), MT_ERROR_FORMAT, "a memo larger than"},
      {BYTES("Nr\0\0\x20\0."), MT_ERROR_FORMAT, "a memo larger than"},
      {BYTES("X\377\377\377\377abc."), MT_ERROR_FORMAT, "cut off"},
      {BYTES("X\0\0\0\200abc."), MT_ERROR_FORMAT, "cut off"},
      {BYTES("\x8d\377\377\377\377\377\377\377\377abc."), MT_ERROR_FORMAT, "cut off"},
      {BYTES("\x8d\0\0\0\0\0\0\0\200abc."), MT_ERROR_FORMAT, "cut off"},
      {BYTES("\x8b\377\377\377\377\1."), MT_ERROR_FORMAT, "cut off"},
      {BYTES("\x8b\0\0\0\x80\1."), MT_ERROR_FORMAT, "cut off"},
      {BYTES("\x8a\x08\1."), MT_ERROR_FORMAT, "cut off"},
      {BYTES("\x95\377\377\377\377\377\377\377\377."), MT_ERROR_FORMAT, "a frame that is longer"},
      {BYTES("I\n."), MT_ERROR_FORMAT, "a number without digits"},
      {BYTES("L-L\n."), MT_ERROR_FORMAT, "a number without digits"},
      {BYTES("I0x1\n."), MT_ERROR_FORMAT, "other signs than digits"},
      {BYTES("I1"), MT_ERROR_FORMAT, "cut off"},
      {BYTES("cos\nsystem"), MT_ERROR_FORMAT, "cut off"},
      {BYTES("K\1."), MT_ERROR_FORMAT, "another Python object"},
      {BYTES("]."), MT_ERROR_FORMAT, "a list"},
      {BYTES("}."), MT_ERROR_FORMAT, "a mapping without tensors"},
      {BYTES("K\1Q."), MT_ERROR_FORMAT, "a storage that is not described"},
      {BYTES("]}b."), MT_ERROR_FORMAT, "attributes for something that has none"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    pickle *p = g_byte_array_new();
    pickle_raw(p, rows[i].bytes, rows[i].n);
    read_bad(p, rows[i].code, rows[i].words);
  }
  pickle *p = pickle_of("%t.", &plain_view);
  read_bad(p, MT_ERROR_FORMAT, "a single tensor");
}

/* A whole checkpoint, cut off at every byte. */
static void
test_truncated(void)
{
  pickle *p = pickle_of("}(%s%t%sL12345678901L\n\x8a\x02\1\2\x86q\1u.", "w", &plain_view, "v");
  for (guint n = 0; n < p->len; n++) {
    pickle *cut = g_byte_array_new();
    pickle_raw(cut, p->data, n);
    read_bad(cut, MT_ERROR_FORMAT, "cut off");
  }
  mt_pickle found = read_good(p);
  g_assert_cmpuint(found.n, ==, 1);
  mt_pickle_clear(&found);
}

/* Every byte of a checkpoint replaced: refused or read, never worse. */
static void
test_any_byte(void)
{
  static const guint8 signs[] = {0,   1,   0x7f, 0x80, 0xff, '.', '(',
                                 'R', 'b', 'e',  's',  'Q',  't', 'h'};
  pickle *p = pickle_with_view(&plain_view);
  for (guint i = 0; i < p->len; i++)
    for (gsize k = 0; k < G_N_ELEMENTS(signs); k++) {
      guint8 was = p->data[i];
      p->data[i] = signs[k];
      mt_pickle found = {0};
      mt_error error = {0};
      if (read_pickle_bytes(p->data, p->len, &found, &error))
        g_assert_cmpuint(found.n, ==, 1);
      else
        g_assert_true(error.code == MT_ERROR_FORMAT || error.code == MT_ERROR_UNSUPPORTED);
      mt_pickle_clear(&found);
      p->data[i] = was;
    }
  g_byte_array_unref(p);
}

/* ---- Bombs ----------------------------------------------------------------------------------- */

/* Structures that never end when somebody walks them: nobody does. */
static void
test_cycles(void)
{
  pickle *p = pickle_of("}q\1(%s]q\2h\2a%sh\1%s", "list in itself", "the mapping in itself",
                        "model"); /* which is looked into */
  pickle_put(p, "h\1%s%tu.", "w", &plain_view);
  mt_pickle found = read_good(p);
  g_assert_cmpuint(found.n, ==, 1);
  mt_pickle_clear(&found);
}

/* "A billion laughs": each list holds the one before ten times. It is as many lists as it looks. */
static void
test_doubling(void)
{
  pickle *p = pickle_of("}(%s]q\1", "laughs");
  for (int i = 0; i < 1000; i++)
    pickle_put(p, "0](h\1h\1h\1h\1h\1h\1h\1h\1h\1h\1eq\1");
  pickle_put(p, "%s%tu.", "w", &plain_view);
  mt_pickle found = read_good(p);
  g_assert_cmpuint(found.n, ==, 1);
  mt_pickle_clear(&found);
}

/* {"many": so many opcodes of a kind, "w": a tensor} */
static pickle *
many(const char *first, const char *opcodes, gsize n)
{
  pickle *p = pickle_of("}%s%b", "many", first);
  for (gsize i = 0; i < n; i++)
    pickle_put(p, "%b", opcodes);
  pickle_put(p, "s%s%ts.", "w", &plain_view);
  return p;
}

static void
test_deep(void)
{
  /* A tuple in a tuple in a tuple. */
  mt_pickle found = read_good(many(")", "\x85", 500000));
  g_assert_cmpuint(found.n, ==, 1);
  mt_pickle_clear(&found);
  /* Marks above marks, which are never closed. */
  read_bad(many("", "(", 500000), MT_ERROR_FORMAT, "without its value");
  found = read_good(many("N", "(1", 500000));
  mt_pickle_clear(&found);
}

static void
test_too_many(void)
{
  read_bad(many("N", "N0", 1100000), MT_ERROR_FORMAT, "at most 2097152 opcodes");
  read_bad(many("N", "N", 2200000), MT_ERROR_FORMAT, "at most 2097152 opcodes");
  /* More tensors than any model has: one tensor under many names. */
  pickle *p = pickle_of("}%s%tq\1s(", "t", &plain_view);
  for (int i = 0; i < 20000; i++) {
    char key[16];
    g_snprintf(key, sizeof key, "%d", i);
    pickle_put(p, "%sh\1", key);
  }
  pickle_put(p, "u.");
  read_bad(p, MT_ERROR_FORMAT, "at most 20000 tensors");
}

/* ---- Memory that runs out -------------------------------------------------------------------- */

static void
test_no_memory(void)
{
  pickle *p = pickle_of("}(");
  for (int i = 0; i < 100; i++) {
    char key[16];
    g_snprintf(key, sizeof key, "%d", i);
    pickle_put(p, "%s%tr", key, &plain_view);
    guint32 at = GUINT32_TO_LE((guint32) i);
    pickle_raw(p, &at, 4);
  }
  pickle_put(p, "u.");
  int n_failed = 0;
  for (bool ok = false; !ok;) {
    mt_pickle found = {0};
    mt_error error = {0};
    few_then_all_fail(n_failed);
    ok = read_pickle_bytes(p->data, p->len, &found, &error);
    few_end();
    g_assert_cmpuint(found.n, ==, ok ? 100 : 0);
    g_assert_cmpint(error.code, ==, ok ? MT_OK : MT_ERROR_NO_MEMORY);
    mt_pickle_clear(&found);
    n_failed += !ok;
  }
  g_assert_cmpint(n_failed, >, 500);
  g_byte_array_unref(p);
}

TESTS()
{
  g_test_add_func("/pickle-damage/damaged", test_damaged);
  g_test_add_func("/pickle-damage/truncated", test_truncated);
  g_test_add_func("/pickle-damage/any-byte", test_any_byte);
  g_test_add_func("/pickle-damage/cycles", test_cycles);
  g_test_add_func("/pickle-damage/doubling", test_doubling);
  g_test_add_func("/pickle-damage/deep", test_deep);
  g_test_add_func("/pickle-damage/too-many", test_too_many);
  g_test_add_func("/pickle-damage/no-memory", test_no_memory);
}
