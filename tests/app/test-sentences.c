/* test-sentences.c — a text as a row of sentences.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-sentences.h"
#include "suite.h"

#include <string.h>

/* expected: the sentences, separated by '|'. */
static void
check(const char *text, const char *expected)
{
  g_autoptr(GArray) sentences = regard_sentences_split(text, MT_UNIT_SENTENCE);
  g_autoptr(GString) found = g_string_new(NULL);
  gsize at = 0;
  for (guint i = 0; i < sentences->len; i++) {
    const RegardSentence *s = &g_array_index(sentences, RegardSentence, i);
    g_assert_cmpuint(s->begin, >=, at);
    g_assert_cmpuint(s->end, >, s->begin);
    g_assert_cmpuint(s->end, <=, strlen(text));
    if (i)
      g_string_append_c(found, '|');
    g_string_append_len(found, text + s->begin, (gssize) (s->end - s->begin));
    at = s->end;
  }
  g_assert_cmpstr(found->str, ==, expected);
}

static void
test_plain(void)
{
  check("I have two dogs.", "I have two dogs.");
  check("The cat sat. The dog ran! Did it?", "The cat sat.|The dog ran!|Did it?");
  check("  no full stop  ", "no full stop");
  check("He said “Stop.” Then he left.", "He said “Stop.”|Then he left.");
  check("Pi is 3.14159 exactly. Not.", "Pi is 3.14159 exactly.|Not.");
  check("Wait... what? Yes.", "Wait... what?|Yes.");
}

static void
test_nothing(void)
{
  check("", "");
  check("   ", "");
  check("\n\t \r\n  ", "");
}

static void
test_lines(void)
{
  check("A title\nThe text begins. It goes on.\n\nA new paragraph",
        "A title|The text begins.|It goes on.|A new paragraph");
  check("one\r\ntwo\rthree", "one|two|three");
  check("Dr.\nSmith came.", "Dr.|Smith came.");
}

static void
test_abbreviations(void)
{
  check("Dr. Smith met Mrs. Jones. They talked.", "Dr. Smith met Mrs. Jones.|They talked.");
  check("Cats, e.g. Siamese ones, purr. So there.", "Cats, e.g. Siamese ones, purr.|So there.");
  check("J. R. R. Tolkien wrote it. I read it.", "J. R. R. Tolkien wrote it.|I read it.");
  check("See Fig. 3 and Eq. 7. They agree.", "See Fig. 3 and Eq. 7.|They agree.");
  check("It is No. 5. He knows.", "It is No. 5.|He knows.");
  check("I said no. He left.", "I said no.|He left.");
  check("No. He left.", "No.|He left.");
  check("It was I. Then he came.", "It was I.|Then he came.");
  check("St. Mary vs. Prof. X ended (cf. Vol. 2). Good.",
        "St. Mary vs. Prof. X ended (cf. Vol. 2).|Good.");
}

static void
test_scripts(void)
{
  check("今天天气很好。我们去公园吧！好吗？", "今天天气很好。|我们去公园吧！|好吗？");
  check("Das ist z.B. Käse. Schön!", "Das ist z.B. Käse.|Schön!");
  check("A face: 😀. A family: 👩‍👩‍👧. Good.",
        "A face: 😀.|A family: 👩‍👩‍👧.|Good.");
  check("هل هذا جيد؟ نعم.", "هل هذا جيد؟|نعم.");
}

static void
test_caret(void)
{
  const char *text = "The cat sat.  The dog ran.\n\nThe end.";
  g_autoptr(GArray) s = regard_sentences_split(text, MT_UNIT_SENTENCE);
  g_assert_cmpuint(s->len, ==, 3);
  g_assert_cmpint(regard_sentences_at(s, text, 0), ==, 0);
  g_assert_cmpint(regard_sentences_at(s, text, 12), ==, 0); /* behind the full stop */
  g_assert_cmpint(regard_sentences_at(s, text, 13), ==, 0); /* in the gap on the same line */
  g_assert_cmpint(regard_sentences_at(s, text, 14), ==, 1);
  g_assert_cmpint(regard_sentences_at(s, text, 26), ==, 1);
  g_assert_cmpint(regard_sentences_at(s, text, 27), ==, 2); /* on an empty line */
  g_assert_cmpint(regard_sentences_at(s, text, strlen(text)), ==, 2);
  g_assert_cmpint(regard_sentences_at(s, text, 1000), ==, 2);

  g_autoptr(GArray) none = regard_sentences_split(" ", MT_UNIT_SENTENCE);
  g_assert_cmpint(regard_sentences_at(none, " ", 0), ==, -1);
}

/* A model that summarises reads all of it at once. */
static void
test_whole(void)
{
  const char *text = "\n The cat sat.  The dog ran.\n\nThe end. \n";
  g_autoptr(GArray) s = regard_sentences_split(text, MT_UNIT_TEXT);
  g_assert_cmpuint(s->len, ==, 1);
  const RegardSentence *whole = &g_array_index(s, RegardSentence, 0);
  g_autofree char *words = g_strndup(text + whole->begin, whole->end - whole->begin);
  g_assert_cmpstr(words, ==, "The cat sat.  The dog ran.\n\nThe end.");
  g_assert_cmpint(regard_sentences_at(s, text, 20), ==, 0);
  g_assert_cmpint(regard_sentences_at(s, text, strlen(text)), ==, 0);

  g_autoptr(GArray) none = regard_sentences_split(" \n ", MT_UNIT_TEXT);
  g_assert_cmpuint(none->len, ==, 0);
}

/* A person who holds a key down must not wait for the sentences of what came before. */
static void
test_long(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (int i = 0; i < 2000; i++)
    g_string_append(text, "The animal didn't cross the street. ");
  g_autoptr(GArray) s = regard_sentences_split(text->str, MT_UNIT_SENTENCE);
  g_assert_cmpuint(s->len, ==, 2000);
}

TESTS()
{
  g_test_add_func("/sentences/plain", test_plain);
  g_test_add_func("/sentences/nothing", test_nothing);
  g_test_add_func("/sentences/lines", test_lines);
  g_test_add_func("/sentences/abbreviations", test_abbreviations);
  g_test_add_func("/sentences/scripts", test_scripts);
  g_test_add_func("/sentences/caret", test_caret);
  g_test_add_func("/sentences/whole", test_whole);
  g_test_add_func("/sentences/long", test_long);
}
