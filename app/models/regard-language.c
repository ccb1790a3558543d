/* regard-language.c — the names of languages, from the codes that models call them by.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ICU knows the languages; this is the one file that includes it. It knows no families, and models
 * for several languages are named by those: ISO 639-5, and the older names of OPUS-MT, which
 * wrote some in capitals and one language its own way. Nor does it know some languages of NLLB-200
 * and M2M-100, which have their names of ISO 639-3 here. Names are of the language that the program
 * speaks: that of the translation, not of the locale, which need not have one.
 */
#include "models/regard-language.h"

#include <glib/gi18n.h>
#include <string.h>
#include <unicode/uloc.h>

#define MOST_CODE  32 /* bytes */
#define MOST_NAMED 3

/* Translators: names of families of languages, and of single ones. */
static const struct {
  const char *code, *name;
} groups[] = {
    {"aav", NC_("languages", "Austro-Asiatic")},
    {"afa", NC_("languages", "Afro-Asiatic")},
    {"alv", NC_("languages", "Atlantic-Congo")},
    {"art", NC_("languages", "Artificial")},
    {"bat", NC_("languages", "Baltic")},
    {"bnt", NC_("languages", "Bantu")},
    {"cau", NC_("languages", "Caucasian")},
    {"cel", NC_("languages", "Celtic")},
    {"celtic", NC_("languages", "Celtic")},
    {"cpf", NC_("languages", "French Creole")},
    {"cpp", NC_("languages", "Portuguese Creole")},
    {"cus", NC_("languages", "Cushitic")},
    {"dra", NC_("languages", "Dravidian")},
    {"euq", NC_("languages", "Basque")},
    {"fiu", NC_("languages", "Finno-Ugric")},
    {"gem", NC_("languages", "Germanic")},
    {"gmq", NC_("languages", "North Germanic")},
    {"gmw", NC_("languages", "West Germanic")},
    {"grk", NC_("languages", "Greek")},
    {"iir", NC_("languages", "Indo-Iranian")},
    {"inc", NC_("languages", "Indic")},
    {"ine", NC_("languages", "Indo-European")},
    {"itc", NC_("languages", "Italic")},
    {"jap", NC_("languages", "Japanese")},
    {"map", NC_("languages", "Austronesian")},
    {"mkh", NC_("languages", "Mon-Khmer")},
    {"mul", NC_("languages", "Many Languages")},
    {"nic", NC_("languages", "Niger-Congo")},
    {"north_eu", NC_("languages", "North European")},
    {"norway", NC_("languages", "Norwegian")},
    {"omq", NC_("languages", "Oto-Manguean")},
    {"phi", NC_("languages", "Philippine")},
    {"poz", NC_("languages", "Malayo-Polynesian")},
    {"pqe", NC_("languages", "East Malayo-Polynesian")},
    {"pqw", NC_("languages", "West Malayo-Polynesian")},
    {"roa", NC_("languages", "Romance")},
    {"romance", NC_("languages", "Romance")},
    {"scandinavia", NC_("languages", "Scandinavian")},
    {"sem", NC_("languages", "Semitic")},
    {"sit", NC_("languages", "Sino-Tibetan")},
    {"sla", NC_("languages", "Slavic")},
    {"trk", NC_("languages", "Turkic")},
    {"urj", NC_("languages", "Uralic")},
    {"zle", NC_("languages", "East Slavic")},
    {"zls", NC_("languages", "South Slavic")},
    {"zlw", NC_("languages", "West Slavic")},
};

static const struct {
  const char *code, *name;
} others[] = {
    {"acm", NC_("languages", "Mesopotamian Arabic")},
    {"acq", NC_("languages", "Ta'izzi-Adeni Arabic")},
    {"ajp", NC_("languages", "South Levantine Arabic")},
    {"apc", NC_("languages", "North Levantine Arabic")},
    {"azb", NC_("languages", "South Azerbaijani")},
    {"cjk", NC_("languages", "Chokwe")},
    {"fuv", NC_("languages", "Nigerian Fulfulde")},
    {"hne", NC_("languages", "Chhattisgarhi")},
    {"kbp", NC_("languages", "Kabiyè")},
    {"ns", NC_("languages", "Northern Sotho")},
    {"pbt", NC_("languages", "Southern Pashto")},
    {"quy", NC_("languages", "Ayacucho Quechua")},
    {"taq", NC_("languages", "Tamasheq")},
};

/* Letters, digits, _ and -, the first part two or three letters: all that ICU is to see. */
static gboolean
is_code(const char *code)
{
  gsize letters = 0, length = strlen(code);
  while (g_ascii_isalpha(code[letters]))
    letters++;
  if (letters < 2 || letters > 3 || length > MOST_CODE)
    return FALSE;
  for (gsize i = letters; i < length; i++)
    if (!g_ascii_isalnum(code[i]) && code[i] != '_' && code[i] != '-')
      return FALSE;
  return TRUE;
}

static gsize
language_length(const char *code)
{
  return strcspn(code, "_-");
}

/* What names are said in, as ICU calls it. */
static const char *
spoken(void)
{
  /* Translators: the code of the language that you translate into, such as de or zh_CN: names of
   * languages are said in it. */
  const char *code = C_("code of this language", "en");
  return is_code(code) ? code : "en";
}

/* What ICU says in `length` characters as UTF-8, or else. Caller frees. */
static char *
dup_name(const UChar *name, int32_t length, UErrorCode status, int32_t size, const char *otherwise)
{
  char *utf8 = U_SUCCESS(status) && length > 0 && length <= size
                   ? g_utf16_to_utf8(name, length, NULL, NULL, NULL)
                   : NULL;
  return utf8 ? utf8 : g_strdup(otherwise);
}

static const char *
say(const char *name)
{
  return g_dpgettext2(NULL, "languages", name);
}

/* Of a language that ICU has no name for, with its script; NULL: it has none here either. */
static char *
other_name(const char *code)
{
  UChar script[128];
  UErrorCode status = U_ZERO_ERROR;
  const gsize n = language_length(code);
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    if (strlen(others[i].code) != n || g_ascii_strncasecmp(others[i].code, code, n) != 0)
      continue;
    int32_t length = uloc_getDisplayScript(code, spoken(), script, G_N_ELEMENTS(script), &status);
    g_autofree char *written = dup_name(script, length, status, G_N_ELEMENTS(script), "");
    return *written && code[n] ? g_strdup_printf(_("%s (%s)"), say(others[i].name), written)
                               : g_strdup(say(others[i].name));
  }
  return NULL;
}

char *
regard_language_name_alone(const char *code)
{
  g_return_val_if_fail(code, g_strdup(""));
  g_autofree char *language = g_strndup(code, language_length(code));
  return is_code(code) ? regard_language_name(language) : regard_language_name(code);
}

char *
regard_language_name(const char *code)
{
  g_return_val_if_fail(code, g_strdup(""));
  for (guint i = 0; i < G_N_ELEMENTS(groups); i++)
    if (g_ascii_strcasecmp(groups[i].code, code) == 0)
      return g_strdup(say(groups[i].name));
  if (!is_code(code))
    return g_utf8_make_valid(code, -1);

  UChar name[128];
  UErrorCode status = U_ZERO_ERROR;
  /* Where it has no name ICU gives the code back, in its own spelling, and says so. */
  uloc_getDisplayLanguage(code, spoken(), name, G_N_ELEMENTS(name), &status);
  if (U_FAILURE(status) || status == U_USING_DEFAULT_WARNING) {
    char *other = other_name(code);
    return other ? other : g_strdup(code);
  }
  status = U_ZERO_ERROR;
  int32_t length = uloc_getDisplayName(code, spoken(), name, G_N_ELEMENTS(name), &status);
  return dup_name(name, length, status, G_N_ELEMENTS(name), code);
}

static char *
names(const char *codes)
{
  g_auto(GStrv) parts = g_strsplit_set(codes, " \t\n,+", -1);
  g_autofree char *all = g_strdup("");
  guint n = 0;
  for (guint i = 0; parts[i]; i++)
    if (*parts[i] && n++ < MOST_NAMED) {
      g_autofree char *name = regard_language_name(parts[i]), *before = all;
      /* Translators: a list of names, and one more of them. */
      all = *before ? g_strdup_printf(_("%s, %s"), before, name) : g_strdup(name);
    }
  return n > MOST_NAMED ? g_strdup_printf(ngettext("%u language", "%u languages", n), n)
                        : g_steal_pointer(&all);
}

char *
regard_language_pair(const char *source, const char *target)
{
  g_autofree char *from = names(source), *to = names(target);
  /* Translators: from a language into another. */
  return g_strdup_printf(_("%s → %s"), from, to);
}
