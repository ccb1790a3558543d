/* test-figure-language.c — words and numbers for people, in the window's language and in English.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export-test.h"
#include "figures/regard-head-statistics.h"
#include "figures/regard-matrix-attention.h"
#include "locale-test.h"
#include "sample-capture.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define GERMAN "de_DE.UTF-8"

/* Fails if a text is not this; frees it. */
static void
assert_text(char *text, const char *expected)
{
  g_assert_cmpstr(text, ==, expected);
  g_free(text);
}

/* ---- Numbers ----------------------------------------------------------------------------------
 */

static void
test_plain(void)
{
  char number[32];
  assert_text(regard_strdup_printf("%.2f", 3.25), "3.25");
  assert_text(regard_dup_count(0), "0");
  assert_text(regard_dup_count(999), "999");
  assert_text(regard_dup_count(1000), "1,000");
  assert_text(regard_dup_count(1234567), "1,234,567");
  g_assert_cmpstr(regard_formatd(number, sizeof number, "%.3f", 0.5), ==, "0.500");
  g_assert_false(regard_language_differs());
  g_assert_null(regard_language_dup_tag(REGARD_LANGUAGE_WINDOW));
  regard_language_set_numbers("xx_YY.UTF-8"); /* is nowhere */
  assert_text(regard_strdup_printf("%.2f", 3.25), "3.25");
  regard_language_set_numbers("C");
}

static void
test_numbers(void)
{
  static const char *const expected[LOCALE_TEST_N][2] = {
      {"3,25", "1.234.567"},
      {"3,25", "1\u202f234\u202f567"},
      {"3.25", "1,234,567"},
      {"3.25", "1,234,567"},
  };
  char number[32];
  if (!locale_test_begin())
    return;
  for (int i = 0; i < LOCALE_TEST_N; i++) {
    regard_language_set_numbers(locale_test_names[i]);
    const char *point = expected[i][0][1] == ',' ? "," : ".";
    assert_text(regard_strdup_printf("%.2f", 3.25), expected[i][0]);
    assert_text(regard_dup_count(1234567), expected[i][1]);
    g_assert_cmpstr(regard_formatd(number, sizeof number, "%.2f", 3.25), ==, expected[i][0]);
    g_autoptr(GString) text = g_string_new("=");
    regard_string_append_printf(text, " %.2f %s", 3.25, "3.25");
    g_assert_true(g_str_has_prefix(text->str + 2, expected[i][0]));
    g_assert_true(g_str_has_suffix(text->str, " 3.25"));
    g_autofree char *size = regard_format_size(2500000);
    g_assert_true(g_str_has_prefix(size, i < 2 ? "2,5" : "2.5"));
    g_assert_true(regard_language_differs());
    /* The process goes on as C, and so do programs' numbers. */
    assert_text(g_strdup_printf("%.2f", 3.25), "3.25");
    {
      REGARD_IN_LANGUAGE(REGARD_LANGUAGE_WINDOW);
      assert_text(g_strdup_printf("%.2f", 3.25), expected[i][0]);
      {
        REGARD_IN_LANGUAGE(REGARD_LANGUAGE_ENGLISH);
        assert_text(g_strdup_printf("%.2f", 3.25), "3.25");
        assert_text(regard_strdup_printf("%.2f", 3.25), "3.25");
        assert_text(regard_dup_count(12345), "12,345");
        g_assert_cmpstr(regard_formatd(number, sizeof number, "%.2f", 3.25), ==, "3.25");
      }
      assert_text(g_strdup_printf("%.2f", 3.25), expected[i][0]);
    }
    assert_text(g_strdup_printf("%.2f", 3.25), "3.25");
    /* What is trimmed is trimmed. */
    char cell[REGARD_CELL_TEXT], *sign;
    regard_cell_text(cell, -0.41, 1);
    sign = g_strdup_printf("−%s41", point);
    g_assert_cmpstr(cell, ==, sign);
    g_free(sign);
    regard_cell_text(cell, 0.001, 1);
    g_assert_cmpstr(cell, ==, "");
    regard_cell_text(cell, 1, 1);
    sign = g_strdup_printf("1%s0", point);
    g_assert_cmpstr(cell, ==, sign);
    g_free(sign);
    gsize n;
    const mt_head_statistic *statistics = mt_head_statistics(&n);
    for (gsize k = 0; k < n; k++) {
      g_autofree char *zero = regard_head_statistic_format(&statistics[k], 0);
      g_assert_null(strstr(zero, "+")); /* nothing has no sign */
      g_autofree char *one = regard_head_statistic_format(&statistics[k], 1.5);
      g_assert_true(statistics[k].n_decimals == 0 || strstr(one, point));
    }
  }
  locale_test_end();
}

/* With a point and with a comma, in any language; with separators of thousands in none, since who
 * reads "1.234" cannot know what was meant. */
static void
test_typed(void)
{
  static const struct {
    const char *text;
    double value;
  } good[] = {{"0.5", 0.5},     {"0,5", 0.5},   {" 7 ", 7},   {"−3,25", -3.25},
              {"-3.25", -3.25}, {"1e-3", 1e-3}, {"0٫5", 0.5}, {",5", 0.5}};
  static const char *const bad[] = {"", " ", "x", "0.5x", "1.2.3", "1,234,567", "1.234,5", "0,5 %"};
  double value;
  for (gsize i = 0; i < G_N_ELEMENTS(good); i++) {
    g_assert_true(regard_number_parse(good[i].text, &value));
    g_assert_cmpfloat(value, ==, good[i].value);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
    g_assert_false(regard_number_parse(bad[i], &value));
}

/* ---- Words ------------------------------------------------------------------------------------
 */

#define DOMAIN "regard-test"

/* Of the strings below; the second plural is of none. */
static const char catalogue[] =
    "msgid \"\"\nmsgstr \"\"\n"
    "\"Language: de\\n\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
    "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n"
    "msgid \"received, mean\"\nmsgstr \"erhalten, im Mittel\"\n\n"
    "msgctxt \"of a model\"\nmsgid \"weight\"\nmsgstr \"Parameter\"\n\n"
    "msgid \"%u head\"\nmsgid_plural \"%u heads\"\n"
    "msgstr[0] \"%u Kopf\"\nmsgstr[1] \"%u Köpfe\"\n\n"
    "msgid \"received: %.2f\"\nmsgstr \"erhalten: %.2f\"\n";

typedef struct {
  char *folder, *source, *messages, *file;
} Catalogue;

static gboolean
begin_words(Catalogue *c)
{
  *c = (Catalogue){.folder = g_dir_make_tmp("regard-words-XXXXXX", NULL)};
  c->source = g_build_filename(c->folder, "de.po", NULL);
  c->messages = g_build_filename(c->folder, "de", "LC_MESSAGES", NULL);
  c->file = g_build_filename(c->messages, DOMAIN ".mo", NULL);
  g_assert_true(g_file_set_contents(c->source, catalogue, -1, NULL));
  g_assert_cmpint(g_mkdir_with_parents(c->messages, 0700), ==, 0);
  const char *const command[] = {"msgfmt", "-o", c->file, c->source, NULL};
  g_spawn_sync(NULL, (char **) command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
               NULL);
  if (!g_file_test(c->file, G_FILE_TEST_EXISTS)) {
    g_test_skip("msgfmt is not installed");
    return FALSE;
  }
  g_assert_nonnull(setlocale(LC_MESSAGES, GERMAN));
  g_setenv("LANGUAGE", "de", TRUE);
  bindtextdomain(DOMAIN, c->folder);
  bind_textdomain_codeset(DOMAIN, "UTF-8");
  textdomain(DOMAIN);
  return TRUE;
}

static void
end_words(Catalogue *c)
{
  g_autofree char *language = g_build_filename(c->folder, "de", NULL);
  textdomain("messages");
  g_unsetenv("LANGUAGE");
  setlocale(LC_MESSAGES, "C");
  g_unlink(c->file);
  g_unlink(c->source);
  g_rmdir(c->messages);
  g_rmdir(language);
  g_rmdir(c->folder);
  g_free(c->folder);
  g_free(c->source);
  g_free(c->messages);
  g_free(c->file);
}

static void
assert_german(void)
{
  g_assert_cmpstr(_("received, mean"), ==, "erhalten, im Mittel");
  g_assert_cmpstr(_("not in the catalogue"), ==, "not in the catalogue");
  g_assert_cmpstr(C_("of a model", "weight"), ==, "Parameter");
  g_assert_cmpstr(C_("of attention", "weight"), ==, "weight");
  assert_text(g_strdup_printf(ngettext("%u head", "%u heads", 1), 1), "1 Kopf");
  assert_text(g_strdup_printf(ngettext("%u head", "%u heads", 2), 2), "2 Köpfe");
  assert_text(regard_strdup_printf(_("received: %.2f"), 0.5), "erhalten: 0,50");
  g_autofree char *tag = regard_language_dup_tag(regard_language_get());
  g_assert_cmpstr(tag, ==, "de");
}

static void
assert_english(void)
{
  g_assert_cmpstr(_("received, mean"), ==, "received, mean");
  g_assert_cmpstr(C_("of a model", "weight"), ==, "weight");
  assert_text(g_strdup_printf(ngettext("%u head", "%u heads", 1), 1), "1 head");
  assert_text(g_strdup_printf(ngettext("%u head", "%u heads", 0), 0), "0 heads");
  assert_text(regard_strdup_printf(_("received: %.2f"), 0.5), "received: 0.50");
  g_assert_null(regard_language_dup_tag(regard_language_get()));
}

/* Until the main thread has been in the middle of German. */
static gpointer
speak_english(gpointer meeting)
{
  REGARD_IN_LANGUAGE(REGARD_LANGUAGE_ENGLISH);
  g_async_queue_push(meeting, GINT_TO_POINTER(1));
  for (int i = 0; i < 2000; i++)
    assert_english();
  return NULL;
}

static void
test_words(void)
{
  Catalogue words;
  if (!locale_test_begin())
    return;
  if (begin_words(&words)) {
    regard_language_set_numbers(GERMAN);
    assert_german();
    {
      REGARD_IN_LANGUAGE(REGARD_LANGUAGE_ENGLISH);
      assert_english();
    }
    assert_german();
    g_autoptr(GAsyncQueue) meeting = g_async_queue_new();
    GThread *thread = g_thread_new("english", speak_english, meeting);
    g_async_queue_pop(meeting);
    for (int i = 0; i < 2000; i++)
      assert_german();
    g_thread_join(thread);
  }
  end_words(&words);
  locale_test_end();
}

/* ---- Figures ----------------------------------------------------------------------------------
 */

/* A matrix with a line of its own below it, which is marked. */
static RegardFigure *
received_figure(void)
{
  mt_capture *capture = sample_capture(2);
  const RegardMatrixSpec spec = {.kind = MT_CROSS, .layer = 1, .head = 2};
  g_autoptr(RegardMatrix) m = regard_matrix_new_attention(capture, &spec);
  regard_matrix_measure_received(m);
  mt_capture_unref(capture);
  return regard_figure_new_matrix(m, NULL);
}

static gboolean
bytes_have(GBytes *bytes, const char *part)
{
  gsize n;
  const char *data = g_bytes_get_data(bytes, &n);
  return memmem(data, n, part, strlen(part)) != NULL;
}

/* In German with words, numbers and metadata of German; in English, whether it is said when it is
 * made or later, with the bytes that it has where nothing is translated. */
static void
test_figure(void)
{
  static const char *const formats[] = {"svg", "png", "pdf"};
  static const char *const said[] = {" xml:lang=\"de\"", "Description", "language: de"};
  Catalogue words;
  g_setenv("SOURCE_DATE_EPOCH", "1000000000", TRUE);
  if (!locale_test_begin())
    return;
  if (begin_words(&words))
    for (gsize f = 0; f < G_N_ELEMENTS(formats); f++) {
      textdomain("messages");
      regard_language_set_numbers("C");
      g_autoptr(RegardFigure) plain = received_figure();
      g_autoptr(GBytes) expected = render(plain, formats[f], NULL);
      textdomain(DOMAIN);
      regard_language_set_numbers(GERMAN);
      g_autoptr(RegardFigure) figure = received_figure();
      g_autoptr(GBytes) german = render(figure, formats[f], NULL);
      g_assert_true(bytes_have(german, said[f]));
      g_assert_false(g_bytes_equal(german, expected));
      if (f == 0) {
        g_assert_true(bytes_have(german, ">erhalten, im Mittel<"));
        g_assert_true(bytes_have(german, ">0,5<"));
        g_assert_true(bytes_have(german, ">,"));
        g_assert_false(bytes_have(german, ">0.5<"));
        g_assert_false(bytes_have(german, "x=\"1,")); /* coordinates are SVG's */
      }
      g_autoptr(RegardFigure) in_english =
          regard_figure_new_in_language(figure, REGARD_LANGUAGE_ENGLISH);
      g_autoptr(GBytes) english = render(in_english, formats[f], NULL);
      g_assert_true(g_bytes_equal(english, expected));
      {
        REGARD_IN_LANGUAGE(REGARD_LANGUAGE_ENGLISH);
        g_autoptr(RegardFigure) of_paper = received_figure();
        g_autoptr(GBytes) paper = render(of_paper, formats[f], NULL);
        g_assert_true(g_bytes_equal(paper, expected));
      }
      /* And back. */
      g_autoptr(RegardFigure) back =
          regard_figure_new_in_language(in_english, REGARD_LANGUAGE_WINDOW);
      g_autoptr(GBytes) again = render(back, formats[f], NULL);
      g_assert_true(g_bytes_equal(again, german));
    }
  end_words(&words);
  locale_test_end();
  g_unsetenv("SOURCE_DATE_EPOCH");
}

/* What is chosen, added up or off its sum says so in the language of the figure, not in that of the
 * page that it was made on. */
static void
test_remade(void)
{
  mt_capture *capture = sample_capture(2);
  guint8 heads[16] = {[3] = 1, [9] = 1}, queries[17] = {[1] = 1, [2] = 1};
  const RegardMatrixSpec spec = {.kind = MT_CROSS,
                                 .combine = REGARD_COMBINE_CHOSEN,
                                 .chosen = heads,
                                 .merge_words = TRUE};
  g_autoptr(RegardMatrix) m = regard_matrix_new_attention(capture, &spec);
  g_autoptr(RegardMatrix) sum = regard_matrix_new_sum(m, REGARD_SUM_QUERIES, queries);
  RegardMatrix *const both[] = {m, sum};
  for (gsize i = 0; i < G_N_ELEMENTS(both); i++) {
    g_autoptr(RegardMatrix) same = regard_matrix_in_language(both[i]);
    g_assert_true(same == both[i]);
    REGARD_IN_LANGUAGE(REGARD_LANGUAGE_ENGLISH);
    g_autoptr(RegardMatrix) other = regard_matrix_in_language(both[i]);
    g_assert_true(other != both[i]);
    g_assert_cmpstr(other->title, ==, both[i]->title);
    g_assert_cmpuint(other->rows, ==, both[i]->rows);
    g_assert_cmpmem(other->values, sizeof(float) * other->rows * other->cols, both[i]->values,
                    sizeof(float) * both[i]->rows * both[i]->cols);
    g_assert_true(
        g_strv_equal((const char *const *) other->badges, (const char *const *) both[i]->badges));
    g_autoptr(RegardMatrix) kept = regard_matrix_in_language(other);
    g_assert_true(kept == other);
  }
  mt_capture_unref(capture);
}

TESTS()
{
  g_test_add_func("/language/plain", test_plain);
  g_test_add_func("/language/numbers", test_numbers);
  g_test_add_func("/language/typed", test_typed);
  g_test_add_func("/language/words", test_words);
  g_test_add_func("/language/figure", test_figure);
  g_test_add_func("/language/remade", test_remade);
}
