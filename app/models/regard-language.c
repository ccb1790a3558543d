/* regard-language.c — the names of languages, from the codes that models call them by.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ICU knows the languages; this is the one file that includes it. It knows no families, and models
 * for several languages are named by those: ISO 639-5, and the older names of OPUS-MT, which
 * wrote some in capitals and one language its own way. Nor does it know some languages of NLLB-200
 * and M2M-100, which have their names of ISO 639-3 here. Names are English, as all that the program
 * says.
 */
#include "models/regard-language.h"

#include <string.h>
#include <unicode/uloc.h>

#define MOST_CODE  32 /* bytes */
#define MOST_NAMED 3

static const struct {
  const char *code, *name;
} groups[] = {
    {"aav", "Austro-Asiatic"},
    {"afa", "Afro-Asiatic"},
    {"alv", "Atlantic-Congo"},
    {"art", "Artificial"},
    {"bat", "Baltic"},
    {"bnt", "Bantu"},
    {"cau", "Caucasian"},
    {"cel", "Celtic"},
    {"celtic", "Celtic"},
    {"cpf", "French Creole"},
    {"cpp", "Portuguese Creole"},
    {"cus", "Cushitic"},
    {"dra", "Dravidian"},
    {"euq", "Basque"},
    {"fiu", "Finno-Ugric"},
    {"gem", "Germanic"},
    {"gmq", "North Germanic"},
    {"gmw", "West Germanic"},
    {"grk", "Greek"},
    {"iir", "Indo-Iranian"},
    {"inc", "Indic"},
    {"ine", "Indo-European"},
    {"itc", "Italic"},
    {"jap", "Japanese"},
    {"map", "Austronesian"},
    {"mkh", "Mon-Khmer"},
    {"mul", "Many Languages"},
    {"nic", "Niger-Congo"},
    {"north_eu", "North European"},
    {"norway", "Norwegian"},
    {"omq", "Oto-Manguean"},
    {"phi", "Philippine"},
    {"poz", "Malayo-Polynesian"},
    {"pqe", "East Malayo-Polynesian"},
    {"pqw", "West Malayo-Polynesian"},
    {"roa", "Romance"},
    {"romance", "Romance"},
    {"scandinavia", "Scandinavian"},
    {"sem", "Semitic"},
    {"sit", "Sino-Tibetan"},
    {"sla", "Slavic"},
    {"trk", "Turkic"},
    {"urj", "Uralic"},
    {"zle", "East Slavic"},
    {"zls", "South Slavic"},
    {"zlw", "West Slavic"},
};

static const struct {
  const char *code, *name;
} others[] = {
    {"acm", "Mesopotamian Arabic"},
    {"acq", "Ta'izzi-Adeni Arabic"},
    {"ajp", "South Levantine Arabic"},
    {"apc", "North Levantine Arabic"},
    {"azb", "South Azerbaijani"},
    {"cjk", "Chokwe"},
    {"fuv", "Nigerian Fulfulde"},
    {"hne", "Chhattisgarhi"},
    {"kbp", "Kabiyè"},
    {"ns", "Northern Sotho"},
    {"pbt", "Southern Pashto"},
    {"quy", "Ayacucho Quechua"},
    {"taq", "Tamasheq"},
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

/* What ICU says in `length` characters as UTF-8, or else. Caller frees. */
static char *
dup_name(const UChar *name, int32_t length, UErrorCode status, int32_t size, const char *otherwise)
{
  char *utf8 = U_SUCCESS(status) && length > 0 && length <= size
                   ? g_utf16_to_utf8(name, length, NULL, NULL, NULL)
                   : NULL;
  return utf8 ? utf8 : g_strdup(otherwise);
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
    int32_t length = uloc_getDisplayScript(code, "en", script, G_N_ELEMENTS(script), &status);
    g_autofree char *written = dup_name(script, length, status, G_N_ELEMENTS(script), "");
    return *written && code[n] ? g_strdup_printf("%s (%s)", others[i].name, written)
                               : g_strdup(others[i].name);
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
      return g_strdup(groups[i].name);
  if (!is_code(code))
    return g_utf8_make_valid(code, -1);

  UChar name[128];
  UErrorCode status = U_ZERO_ERROR;
  /* Where it has no name ICU gives the code back, in its own spelling, and says so. */
  uloc_getDisplayLanguage(code, "en", name, G_N_ELEMENTS(name), &status);
  if (U_FAILURE(status) || status == U_USING_DEFAULT_WARNING) {
    char *other = other_name(code);
    return other ? other : g_strdup(code);
  }
  status = U_ZERO_ERROR;
  int32_t length = uloc_getDisplayName(code, "en", name, G_N_ELEMENTS(name), &status);
  return dup_name(name, length, status, G_N_ELEMENTS(name), code);
}

static char *
names(const char *codes)
{
  g_auto(GStrv) parts = g_strsplit_set(codes, " \t\n,+", -1);
  g_autoptr(GString) all = g_string_new(NULL);
  guint n = 0;
  for (guint i = 0; parts[i]; i++)
    if (*parts[i] && n++ < MOST_NAMED) {
      g_autofree char *name = regard_language_name(parts[i]);
      g_string_append_printf(all, "%s%s", all->len ? ", " : "", name);
    }
  return n > MOST_NAMED ? g_strdup_printf("%u languages", n) : g_strdup(all->str);
}

char *
regard_language_pair(const char *source, const char *target)
{
  g_autofree char *from = names(source), *to = names(target);
  return g_strdup_printf("%s → %s", from, to);
}
