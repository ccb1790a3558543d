/* test-words.c — lists, sentences and messages that are drawn in parts; what words mean; and
 * whether the words of the engine are all there for translators.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-gloss.h"
#include "figures/regard-words.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <mt.h>
#include <string.h>

static void
test_lists(void)
{
  g_autoptr(GString) list = g_string_new(NULL), parts = g_string_new(NULL);
  const char *const items[] = {"merged", "", "50 % dimmed"};
  for (guint i = 0; i < G_N_ELEMENTS(items); i++)
    regard_words_add_item(list, items[i]);
  g_assert_cmpstr(list->str, ==, "merged, , 50 % dimmed");
  regard_words_add_part(parts, "beam 4, length penalty 1");
  g_assert_cmpstr(parts->str, ==, "beam 4, length penalty 1");
  regard_words_add_part(parts, "greedy");
  g_assert_cmpstr(parts->str, ==, "beam 4, length penalty 1; greedy");
}

static void
test_sentences(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *phrase = regard_words_as_sentence("mean of 8 heads");
  g_autofree char *letter = regard_words_as_sentence("übrig: 100 %");
  regard_words_add_title(text, "Layers · %s");
  regard_words_add_quoted(text, "Source", "A dog.");
  regard_words_add_quoted(text, "Translation", "ein Hund");
  regard_words_add_quoted(text, "Output", "");
  regard_words_add_sentence(text, "Model: %s, %d.", "en-de", 7);
  g_assert_cmpstr(text->str, ==,
                  "Layers · %s. Source: “A dog.” Translation: “ein Hund”. Output: “”. Model: "
                  "en-de, 7.");
  g_assert_cmpstr(phrase, ==, "Mean of 8 heads.");
  g_assert_cmpstr(letter, ==, "Übrig: 100 %.");
}

static void
test_fit(void)
{
  g_assert_true(regard_words_fit("mean of %u heads", "mean of 8 heads"));
  g_assert_true(regard_words_fit("%u 个头的平均", "8 个头的平均"));
  g_assert_false(regard_words_fit("%u 个头的平均", "合并"));
  g_assert_false(regard_words_fit("mean of %u heads", "mean of 8 chosen"));
  g_assert_true(regard_words_fit("rows sum to %.2f…%.2f", "rows sum to 0.75…1.25"));
  g_assert_false(regard_words_fit("merged", "merged twice"));
  g_assert_true(regard_words_fit("%.0f %% hidden", "20 % hidden"));
  g_assert_true(regard_words_fit("%2$s of %1$zu", "a of 3"));
  g_assert_true(regard_words_fit("broken %", "broken of 3"));
  g_assert_true(regard_words_fit("broken %2", "broken of 3"));
}

/* "|goes in |<0>|, comes out |<1>" */
static char *
split(const char *format)
{
  RegardWordsPart parts[REGARD_MOST_PARTS];
  const guint n = regard_words_split(format, parts);
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < n; i++)
    if (parts[i].text)
      g_string_append_printf(text, "|%.*s", (int) parts[i].length, parts[i].text);
    else
      g_string_append_printf(text, "|<%d>", parts[i].argument);
  return g_string_free(text, FALSE);
}

static void
test_split(void)
{
  static const char *const cases[][2] = {
      {"goes in %s, comes out %s", "|goes in |<0>|, comes out |<1>"},
      {"%2$s kommt heraus, %1$s geht hinein", "|<1>| kommt heraus, |<0>| geht hinein"},
      {"%s的邻居", "|<0>|的邻居"},
      {"alone", "|alone"},
      {"broken %", "|broken "},
      {"broken %2", "|broken |<0>"},
      {"", ""},
      {"%s%s%s%s%s%s%s%s%s%s", "|<0>|<1>|<2>|<3>|<4>|<5>|<6>"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *parts = split(cases[i][0]);
    g_assert_cmpstr(parts, ==, cases[i][1]);
  }
}

/* ---- The engine's words -----------------------------------------------------------------------
 */

static void
check_word(const char *word)
{
  if (word && *word && !g_strv_contains(regard_engine_words, word))
    g_error("ui/figures/regard-engine-words.c lacks \"%s\"", word);
}

static void
check_words(const char *const *words)
{
  for (guint i = 0; words && words[i]; i++)
    check_word(words[i]);
}

static void
test_engine_words(void)
{
  gsize n;
  const mt_head_statistic *statistics = mt_head_statistics(&n);
  for (gsize i = 0; i < n; i++) {
    const mt_head_statistic *s = &statistics[i];
    check_words((const char *const[]){s->title, s->unit, s->what, s->absent ? s->absent : "",
                                      s->role.id ? s->role.id : "", s->role.why, NULL});
  }
  for (mt_corpus_role role = 0; role < MT_N_CORPUS_ROLES; role++) {
    check_word(mt_corpus_role_about(role)->name);
    check_word(mt_corpus_role_about(role)->what);
  }
  for (gsize i = 0; i < mt_attribution_count(); i++) {
    const mt_attribution_method *method = mt_attribution_at(i);
    check_words((const char *const[]){method->name, method->source, method->gives, NULL});
  }
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    check_word(mt_search_field_at(i)->name);
    check_word(mt_search_field_at(i)->label);
    check_words(mt_search_field_at(i)->choices);
  }
  for (gsize i = 0; i < mt_recipe_n_fields(); i++) {
    check_word(mt_recipe_field_at(i)->name);
    check_word(mt_recipe_field_at(i)->help);
    check_words(mt_recipe_field_at(i)->phrases);
  }
  for (mt_ablation_kind with = 0; with < MT_N_ABLATIONS; with++)
    check_word(mt_ablation_kind_name(with));
}

/* ---- What words mean ---------------------------------------------------------------------------
 */

/* What a file with these bytes says in a language. */
static RegardGloss *
read_gloss(const char *bytes, gssize n, const char *language, guint *ignored)
{
  g_autofree char *path = NULL;
  g_autoptr(GError) error = NULL;
  g_close(g_file_open_tmp("gloss-XXXXXX.tsv", &path, &error), NULL);
  g_assert_no_error(error);
  g_assert_true(g_file_set_contents(path, bytes, n, NULL));
  RegardGloss *gloss = regard_gloss_read(path, language, ignored);
  g_unlink(path);
  return gloss;
}

static void
test_gloss(void)
{
  const char *text =
      "# words\nword\tzh_CN\tde\nöl\t油\tÖl\r\ndon't\t不\tnicht\n\n# no\nof\t\tvon\n";
  guint ignored = 9;
  g_autoptr(RegardGloss) chinese = read_gloss(text, -1, "zh-CN", &ignored);
  g_autoptr(RegardGloss) german = read_gloss(text, -1, "de_AT", NULL);
  g_assert_cmpuint(ignored, ==, 0);
  g_assert_cmpstr(regard_gloss_find(chinese, "Öl"), ==, "油");
  g_assert_cmpstr(regard_gloss_find(chinese, "Don't"), ==, "不");
  g_assert_null(regard_gloss_find(chinese, "of"));
  g_assert_null(regard_gloss_find(chinese, "# no"));
  g_assert_null(regard_gloss_find(chinese, ""));
  g_assert_cmpstr(regard_gloss_find(german, "of"), ==, "von");
  g_assert_cmpstr(regard_gloss_find(german, "öl"), ==, "Öl");
  g_assert_null(read_gloss(text, -1, "fr", NULL));
  g_assert_null(read_gloss(text, -1, "", NULL));
  g_assert_null(read_gloss(text, -1, "d", NULL));
}

/* Each bad line is passed over, and those around it hold. */
static void
test_gloss_hostile(void)
{
  g_autofree char *endless = g_strnfill(4000, 'x');
  g_autoptr(GString) text = g_string_new("word\tde\n");
  guint ignored;
  g_string_append_printf(text, "a\tein\n\tkein\n%s\tx\nb\t%s\nc\nd\te\tf\ne\t\xff\xfe\n", endless,
                         endless);
  g_string_append(text, "f\t\x1b[31mrot\ng\t\xe2\x80\xae"
                        "a\na\tzwei\nA\tdrei\nh\tzuletzt");
  g_autoptr(RegardGloss) gloss = read_gloss(text->str, -1, "de", &ignored);
  g_assert_cmpuint(ignored, ==, 10);
  g_assert_cmpstr(regard_gloss_find(gloss, "a"), ==, "ein");
  g_assert_cmpstr(regard_gloss_find(gloss, "h"), ==, "zuletzt");
  for (const char *word = "bcdefg"; *word; word++) {
    const char one[] = {*word, '\0'};
    g_assert_null(regard_gloss_find(gloss, one));
  }
  g_autofree char *large = g_strnfill((1 << 20) + 1, 'x');
  memcpy(large, "word\tde\na\tb\n", 12);
  g_assert_null(read_gloss(large, -1, "de", NULL));
  g_assert_null(read_gloss("word\tde\na\0b\tc\n", 15, "de", NULL));
  g_assert_null(read_gloss("", -1, "de", NULL));
  g_assert_null(read_gloss("# only\n# remarks", -1, "de", NULL));
  g_assert_null(regard_gloss_read(g_get_tmp_dir(), "de", NULL));
  g_assert_null(regard_gloss_read("/nowhere/de.tsv", "de", NULL));
}

TESTS()
{
  g_test_add_func("/words/lists", test_lists);
  g_test_add_func("/words/sentences", test_sentences);
  g_test_add_func("/words/fit", test_fit);
  g_test_add_func("/words/split", test_split);
  g_test_add_func("/words/engine", test_engine_words);
  g_test_add_func("/words/gloss", test_gloss);
  g_test_add_func("/words/gloss/hostile", test_gloss_hostile);
}
