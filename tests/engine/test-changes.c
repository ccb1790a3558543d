/* test-changes.c — lists of changes as values: their text, mistakes in it, equality.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "few-allocations.h"
#include "sentences.h"
#include "suite.h"
#include <mt.h>

#include <glib.h>
#include <string.h>

static void
test_text(void)
{
  static const struct {
    const char *text, *canonical;
    size_t n;
  } rows[] = {
      {"", "", 0},
      {" \n\t\n", "", 0},
      {"encoder window 2", "encoder window 2", 1},
      {"  decoder\t*  window   007 \r\n", "decoder window 7", 1},
      {"encoder *.* window 1", "encoder window 1", 1},
      {"encoder 2 window 3\n\nencoder 2-2.* window 3", "encoder 2 window 3\nencoder 2 window 3", 2},
      {"decoder *.3 window 1\nencoder 1-4.2-3 window 4294967295",
       "decoder *.3 window 1\nencoder 1-4.2-3 window 4294967295", 2},
      {"source 5 hide", "source 5 hide", 1},
      {"source 2-4 hide", "source 2-4 hide", 1},
      {"cross 4.1 key 3 query 1-2 hide", "cross 4.1 query 1-2 key 3 hide", 1},
      {"cross 4.1 key 3 query * hide", "cross 4.1 key 3 hide", 1},
      {"cross 4.1 query 2-3 uniform", "cross 4.1 query 2-3 uniform", 1},
      {"encoder * uniform", "encoder uniform", 1},
      {"decoder 2.* scale 0.5", "decoder 2 scale 0.5", 1},
      {"decoder 2 scale 00.50000", "decoder 2 scale 0.5", 1},
      {"cross *.1 scale -0\ncross *.1 scale -12.00005",
       "cross *.1 scale 0\ncross *.1 scale -12.00005", 2},
      {"cross scale 0.3\ncross scale 1000", "cross scale 0.3\ncross scale 1000", 2},
      {"encoder 2.3 diagonal\ndecoder previous\ncross query 2 next",
       "encoder 2.3 diagonal\ndecoder previous\ncross query 2 next", 3},
      {"cross 4.1 temperature 0.50\ncross 4.1 query 3 key 5 add -2",
       "cross 4.1 temperature 0.5\ncross 4.1 query 3 key 5 add -2", 2},
      {"cross 4.1 key 5 query 3 set 0.25\ncross key 1-2 put 1",
       "cross 4.1 query 3 key 5 set 0.25\ncross key 1-2 put 1", 2},
      {"cross key 1-3 set 0.33333", "cross key 1-3 set 0.33333", 1},
      {"cross 4.1 copy 3\nencoder 2.* unscaled\nencoder 2.* cosine",
       "cross 4.1 copy 3\nencoder 2 unscaled\nencoder 2 cosine", 3},
      {"source 5 zero\nsource 5 piece 0\nsource 2-3 piece 17",
       "source 5 zero\nsource 5 piece 0\nsource 2-3 piece 17", 3},
      {"source position 3 zero", "source position 3 zero", 1},
      {"target position 3 zero", "target position 3 zero", 1},
      {"source position * shift -2\nsource  position 3 as 7\ntarget position 3 swap 7",
       "source position shift -2\nsource position 3 as 7\ntarget position 3 swap 7", 3},
      {"source position * interleave", "source position interleave", 1},
      {"encoder feed-forward * alone\ncross attention 2 alone",
       "encoder feed-forward alone\ncross attention 2 alone", 2},
      {"encoder attention 2 skip\ndecoder feed-forward * scale 0.5\ncross attention 1-2 skip",
       "encoder attention 2 skip\ndecoder feed-forward scale 0.5\ncross attention 1-2 skip", 3},
      {"encoder layer 2 swap 4\ndecoder layer 1 swap 1",
       "encoder layer 2 swap 4\ndecoder layer 1 swap 1", 2},
      {"cross 4.1 query 3 patch\nencoder * patch", "cross 4.1 query 3 patch\nencoder patch", 2},
      {"encoder stream 3 token 5 patch\ndecoder  stream * token 2-4 patch",
       "encoder stream 3 token 5 patch\ndecoder stream token 2-4 patch", 2},
      {"encoder input token 5 patch\ndecoder input token * patch",
       "encoder input token 5 patch\ndecoder input patch", 2},
      {"cross attention 2 token 1 patch", "cross attention 2 token 1 patch", 1},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(mt_interventions) a = sentences_parse(rows[i].text),
                                b = sentences_parse(mt_interventions_text(a));
    g_assert_cmpstr(mt_interventions_text(a), ==, rows[i].canonical);
    g_assert_cmpuint(mt_interventions_count(a), ==, rows[i].n);
    g_assert_true(mt_interventions_equal(a, b));
    g_assert_cmpuint(mt_interventions_hash(a), ==, mt_interventions_hash(b));
    for (gsize k = 0; k < G_N_ELEMENTS(rows); k++) {
      g_autoptr(mt_interventions) other = sentences_parse(rows[k].text);
      bool is_same = strcmp(rows[i].canonical, rows[k].canonical) == 0;
      g_assert_true(mt_interventions_equal(a, other) == is_same);
      g_assert_true((mt_interventions_hash(a) == mt_interventions_hash(other)) == is_same);
    }
  }
  g_autoptr(mt_interventions) empty = sentences_parse("");
  g_assert_true(mt_interventions_equal(NULL, empty));
  g_assert_cmpuint(mt_interventions_hash(NULL), ==, mt_interventions_hash(empty));
}

static void
test_mistakes(void)
{
  static const struct {
    const char *text, *said;
  } rows[] = {
      {"encodr window 2",
       "test: expected encoder, decoder, cross, source or target, found \"encodr\"."},
      {"encoder window 2\nencoder", "test, line 2: expected a change such as \"window 2\", found "
                                    "its end."},
      {"encoder windw 2", "found \"windw\""},
      {"encoder window", "expected a whole number from 1 to 4294967295, found its end"},
      {"encoder window 0", "found \"0\""},
      {"encoder window -1", "found \"-1\""},
      {"encoder window 2.0", "found \"2.0\""},
      {"encoder window 2x", "found \"2x\""},
      {"encoder window 99999999999999999999", "found \"99999999999999999999\""},
      {"encoder window 2 3", "expected the end of the line, found \"3\""},
      {"encoder 0 window 2", "found \"0\""},
      {"encoder 3-2 window 2", "found \"3-2\""},
      {"encoder 1. window 2", "found \"1.\""},
      {"encoder 1.2.3 window 2", "found \"1.2.3\""},
      {"encoder 1,2 window 2", "found \"1,2\""},
      {"cross window 2", "expected a change that can be made there, found \"window\""},
      {"source 2 window 2", "expected a change that can be made there, found \"window\""},
      {"source scale 2", "expected a change that can be made there, found \"scale\""},
      {"encoder key 2 window 2", "expected a change of queries, keys or tokens, found \"window\""},
      {"cross key 2 uniform", "expected a change of queries, keys or tokens, found \"uniform\""},
      {"source 2 uniform", "expected a change that can be made there, found \"uniform\""},
      {"cross uniform 1", "expected the end of the line, found \"1\""},
      {"encoder key window 2",
       "expected tokens such as 5 or 2-4, counted from 1, found \"window\""},
      {"encoder key 1 key 2 hide", "found \"key\""},
      {"source key 1 hide", "found \"key\""},
      {"source 1.2 hide", "expected tokens such as 5 or 2-4, counted from 1, found \"1.2\""},
      {"source hide", "expected the numbers of some tokens before it, found \"hide\""},
      {"cross 4.1 key * hide", "expected the numbers of some tokens before it, found \"hide\""},
      {"cross scale", "expected a number from -1000 to 1000, found its end"},
      {"cross scale 1001", "found \"1001\""},
      {"cross scale 1.", "found \"1.\""},
      {"cross scale .5", "found \".5\""},
      {"cross scale 1e2", "found \"1e2\""},
      {"cross scale 0,5", "found \"0,5\""},
      {"cross scale nan", "found \"nan\""},
      {"cross scale 0.000001", "found \"0.000001\""},
      {"decoder next", "expected a change that can be made there, found \"next\""},
      {"source 2 diagonal", "expected a change that can be made there, found \"diagonal\""},
      {"cross key 2 diagonal", "expected a change of queries, keys or tokens, found \"diagonal\""},
      {"cross temperature 0", "expected a number from 0.01 to 1000, found \"0\""},
      {"cross add 2", "expected the numbers of some tokens before it, found \"add\""},
      {"cross query 2 set 0.5", "expected the numbers of some tokens before it, found \"set\""},
      {"cross key 2 set 1.1", "expected a number from 0 to 1, found \"1.1\""},
      {"cross key 1-3 set 0.33334",
       "expected a weight that the keys can have, 1 in all, found \"0.33334\""},
      {"cross key 2 put -0.1", "found \"-0.1\""},
      {"cross query 2 copy 1", "expected a change of queries, keys or tokens, found \"copy\""},
      {"cross 1.1 copy 0", "found \"0\""},
      {"cross query 2 cosine", "expected a change of queries, keys or tokens, found \"cosine\""},
      {"cross unscaled 2", "expected the end of the line, found \"2\""},
      {"source zero", "expected the numbers of some tokens before it, found \"zero\""},
      {"source 5 piece x", "found \"x\""},
      {"source 5 piece -1", "found \"-1\""},
      {"target 3 zero", "expected position, found \"3\""},
      {"target", "expected position, found its end"},
      {"source position 3 hide", "expected a change that can be made there, found \"hide\""},
      {"source position 3.2 zero", "expected tokens such as 5 or 2-4, counted from 1"},
      {"source position 3 shift 1.5", "found \"1.5\""},
      {"source position 3 as 0", "found \"0\""},
      {"source position 3-4 swap 7", "expected the number of one token before it, found \"swap\""},
      {"source position swap 7", "expected the number of one token before it, found \"swap\""},
      {"encoder attention 2.1 skip", "expected layers such as 5 or 2-4, counted from 1"},
      {"encoder 2 skip", "expected a change that can be made there, found \"skip\""},
      {"encoder attention 2 zero", "expected a change that can be made there, found \"zero\""},
      {"cross feed-forward skip", "found \"feed-forward\""},
      {"encoder layer swap 2", "expected the number of one layer before it, found \"swap\""},
      {"encoder layer 2 skip", "expected a change that can be made there, found \"skip\""},
      {"encoder 2 alone", "expected a change that can be made there, found \"alone\""},
      {"encoder input 2 patch", "found \"2\""},
      {"encoder stream 2.5 patch", "expected layers such as 5 or 2-4, counted from 1"},
      {"encoder stream 2 query 5 patch", "found \"query\""},
      {"encoder attention 2 token 5 skip", "expected a change of queries, keys or tokens"},
      {"cross stream 2 patch", "found \"stream\""},
      {"encoder feed-forward 2 patch", "expected a change that can be made there, found \"patch\""},
      {"cross 4.1 patch 1", "expected the end of the line, found \"1\""},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    mt_error error = {0};
    g_assert_null(mt_interventions_parse("test", rows[i].text, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_nonnull(strstr(error.message, rows[i].said));
  }
}

/* Numbers at random come back the same, whatever the locale says of a point. */
static void
test_numbers(void)
{
  for (int i = 0; i < 5000; i++) {
    int decimals = g_test_rand_int_range(0, 6);
    double value = g_test_rand_double_range(-1000, 1000);
    char number[G_ASCII_DTOSTR_BUF_SIZE], format[8];
    g_snprintf(format, sizeof format, "%%.%df", decimals);
    g_ascii_formatd(number, sizeof number, format, value);
    g_autofree char *text = g_strdup_printf("cross scale %s", number);
    g_autoptr(mt_interventions) a = sentences_parse(text),
                                b = sentences_parse(mt_interventions_text(a));
    const char *written = strrchr(mt_interventions_text(a), ' ') + 1;
    g_assert_cmpfloat(g_ascii_strtod(written, NULL), ==, g_ascii_strtod(number, NULL));
    g_assert_cmpuint(strlen(written), <=, strlen(number));
    g_assert_true(mt_interventions_equal(a, b));
  }
}

static void
test_many(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (int i = 0; i < MT_MAX_CHANGES; i++)
    g_string_append(text, i ? "\nencoder window 2" : "encoder window 2");
  g_autoptr(mt_interventions) most = sentences_parse(text->str);
  g_assert_cmpuint(mt_interventions_count(most), ==, MT_MAX_CHANGES);
  g_assert_cmpstr(mt_interventions_text(most), ==, text->str);
  g_string_append(text, "\ncross scale 2");
  mt_error error = {0};
  g_assert_null(mt_interventions_parse("test", text->str, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_TOO_LONG);
  g_assert_nonnull(strstr(error.message, "513"));
}

static void
test_no_memory(void)
{
  for (int n = 0;; n++) {
    mt_error error = {0};
    few_then_one_fails(n);
    mt_interventions *interventions = mt_interventions_parse("test", "encoder window 2", &error);
    few_end();
    g_assert_cmpint(error.code, ==, interventions ? MT_OK : MT_ERROR_NO_MEMORY);
    if (interventions) {
      g_assert_cmpint(n, ==, 3);
      mt_interventions_unref(interventions);
      break;
    }
  }
}

/* What is said of a pass beyond its tensors knows heads and hidden tokens, and says so. */
static void
test_explained(void)
{
  static const struct {
    const char *text;
    bool is_explained;
  } rows[] = {
      {"", true},
      {"cross 4.1 zero\nencoder *.3 uniform\ndecoder 2 scale 0.5\nencoder window 2", true},
      {"source 3 hide\ncross 2 key 1 hide", true},
      {"source 3 zero", false},
      {"cross 4.1 zero\nencoder layer 2 swap 1", false},
      {"cross attention 2 skip", false},
      {"encoder feed-forward 2 alone", false},
      {"encoder 2 cosine", false},
      {"encoder 2.3 temperature 2", false},
      {"source position 2 zero", false},
      {"cross 4.1 mean", false},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    mt_error error = {0};
    g_autoptr(mt_interventions) interventions = sentences_parse(rows[i].text);
    g_assert_cmpint(mt_interventions_check_explained(interventions, &error), ==,
                    rows[i].is_explained);
    if (!rows[i].is_explained)
      g_assert_nonnull(strstr(error.message, "otherwise than its weights say"));
  }
}

TESTS()
{
  g_test_add_func("/changes/text", test_text);
  g_test_add_func("/changes/mistakes", test_mistakes);
  g_test_add_func("/changes/numbers", test_numbers);
  g_test_add_func("/changes/many", test_many);
  g_test_add_func("/changes/no-memory", test_no_memory);
  g_test_add_func("/changes/explained", test_explained);
}
