/* test-language.c — names of languages, from the codes that models call them by.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-language.h"
#include "spoken.h"
#include "suite.h"

#include <string.h>

static void
test_name(void)
{
  static const struct {
    const char *code, *name;
  } cases[] = {
      {"en", "English"},
      {"de", "German"},
      {"deu", "German"},
      {"eng", "English"},
      {"zho_Hant", "Chinese (Traditional)"},
      {"pt_BR", "Portuguese (Brazil)"},
      {"srp_Latn", "Serbian (Latin)"},
      {"mg", "Malagasy"},
      {"epo", "Esperanto"},
      {"gmw", "West Germanic"},
      {"ROMANCE", "Romance"},
      {"mul", "Many Languages"},
      {"de_DE", "German (Germany)"},
      {"acm_Arab", "Mesopotamian Arabic (Arabic)"},
      {"taq_Tfng", "Tamasheq (Tifinagh)"},
      {"ns", "Northern Sotho"},
      /* no code, or nobody's */
      {"xqz", "xqz"},
      {"XQZ_Latn", "XQZ_Latn"},
      {"", ""},
      {"e", "e"},
      {"my own model", "my own model"},
      {"opus-mt", "opus-mt"},
      {"de\xff", "de\xef\xbf\xbd"},
      {"en@calendar=buddhist", "en@calendar=buddhist"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *name = regard_language_name(cases[i].code);
    g_assert_cmpstr(name, ==, cases[i].name);
  }
}

static void
test_name_alone(void)
{
  static const struct {
    const char *code, *name;
  } cases[] = {
      {"deu_Latn", "German"},
      {"de_DE", "German"},
      {"en_XX", "English"},
      {"acm_Arab", "Mesopotamian Arabic"},
      {"zho-Hant", "Chinese"},
      {"fr", "French"},
      {"my_own model", "my_own model"},
      {"", ""},
      {"xqz_Latn", "xqz"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *name = regard_language_name_alone(cases[i].code);
    g_assert_cmpstr(name, ==, cases[i].name);
  }
}

/* Whatever a stranger's file calls a language. */
static void
test_hostile(void)
{
  g_autofree char *huge = g_strnfill(100000, 'a');
  g_autofree char *same = regard_language_name(huge);
  g_assert_cmpstr(same, ==, huge);
  memset(huge, '-', 100000);
  memcpy(huge, "en", 2);
  g_autofree char *dashes = regard_language_name(huge);
  g_assert_cmpstr(dashes, ==, huge);
  for (guint c = 1; c < 256; c++) {
    char code[] = {'e', 'n', '_', (char) c, (char) c, '\0'};
    g_autofree char *name = regard_language_name(code);
    g_assert_true(g_utf8_validate(name, -1, NULL));
    g_assert_cmpuint(strlen(name), >, 0);
  }
}

static void
test_pair(void)
{
  static const struct {
    const char *source, *target, *pair;
  } cases[] = {
      {"en", "de", "English → German"},
      {"en", "fr+es  it", "English → French, Spanish, Italian"},
      {"en de fr es", "en", "4 languages → English"},
      {"gmq", "gmw", "North Germanic → West Germanic"},
      {"en", "house", "English → house"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *pair = regard_language_pair(cases[i].source, cases[i].target);
    g_assert_cmpstr(pair, ==, cases[i].pair);
  }
}

/* ---- In another language ----------------------------------------------------------------------
 */

static const char *
in_german(const char *text)
{
  return g_str_equal(text, "code of this language\004en")  ? "de"
         : g_str_equal(text, "languages\004West Germanic") ? "Westgermanisch"
         : g_str_equal(text, "languages\004Tamasheq")      ? "Tamascheq"
                                                           : text;
}

/* As a language that marks each text would, which is none that ICU knows. */
static const char *
marked(const char *text)
{
  return g_str_equal(text, "code of this language\004en") ? "[ëñ]" : text;
}

static void
test_translated(void)
{
  static const struct {
    const char *source, *target, *pair;
  } cases[] = {
      {"en", "zho_Hant+de", "Englisch → Chinesisch (Traditionell), Deutsch"},
      {"gmq", "gmw", "North Germanic → Westgermanisch"},
      {"taq_Tfng", "house", "Tamascheq (Tifinagh) → house"},
  };
  spoken_set(in_german);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *pair = regard_language_pair(cases[i].source, cases[i].target);
    g_assert_cmpstr(pair, ==, cases[i].pair);
  }
  spoken_set(marked);
  g_autofree char *pair = regard_language_pair("en", "de");
  g_assert_cmpstr(pair, ==, "English → German");
  spoken_set(NULL);
}

TESTS()
{
  g_test_add_func("/language/translated", test_translated);
  g_test_add_func("/language/name-alone", test_name_alone);
  g_test_add_func("/language/name", test_name);
  g_test_add_func("/language/hostile", test_hostile);
  g_test_add_func("/language/pair", test_pair);
}
