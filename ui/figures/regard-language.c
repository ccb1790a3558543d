/* regard-language.c — the language in force, its words and its numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-language.h"

#include <langinfo.h>
#include <math.h>
#include <string.h>

#undef ngettext /* here it is that of the C library */

static locale_t numbers; /* the person's; 0: those of C. Set before there are threads. */
static _Thread_local RegardLanguage in_force;

/* ---- The person's ------------------------------------------------------------------------------
 */

/* Whether they are written as C writes them: then nothing is done anywhere. */
static gboolean
is_plain(locale_t locale)
{
  return strcmp(nl_langinfo_l(RADIXCHAR, locale), ".") == 0 &&
         *nl_langinfo_l(THOUSEP, locale) == '\0';
}

void
regard_language_set_numbers(const char *name)
{
  /* Never freed: a thread may be printing by it. */
  static GHashTable *known;
  if (!known)
    known = g_hash_table_new(g_str_hash, g_str_equal);
  g_autofree char *whole = g_strconcat(name, " ", setlocale(LC_ALL, NULL), NULL);
  const char *key = g_intern_string(whole);
  if (!g_hash_table_contains(known, key)) {
    locale_t base = duplocale(LC_GLOBAL_LOCALE);
    locale_t made = base ? newlocale(LC_NUMERIC_MASK, name, base) : (locale_t) 0;
    if (!made && base)
      freelocale(base);
    if (made && is_plain(made)) {
      freelocale(made);
      made = (locale_t) 0;
    }
    g_hash_table_insert(known, (gpointer) key, made);
  }
  numbers = g_hash_table_lookup(known, key);
}

/* Every catalogue says whose it is, in the line of its head that translators' programs fill in. */
char *
regard_language_dup_tag(RegardLanguage language)
{
  if (language == REGARD_LANGUAGE_ENGLISH)
    return NULL;
  g_auto(GStrv) lines = g_strsplit(gettext(""), "\n", -1);
  const char *code = NULL;
  for (char **line = lines; *line && !code; line++)
    if (g_str_has_prefix(*line, "Language:"))
      code = g_strstrip(*line + strlen("Language:"));
  if (!code || !*code || strcmp(code, "en") == 0 || g_str_has_prefix(code, "en_"))
    return NULL;
  g_auto(GStrv) parts = g_strsplit(code, "@", 2);
  /* sr@latin is sr-Latn, and no other script is told like that. */
  g_autofree char *place = strchr(parts[0], '_') ? g_strdup(strchr(parts[0], '_') + 1) : NULL;
  g_autofree char *plain = g_strndup(parts[0], strcspn(parts[0], "_"));
  return g_strconcat(plain, g_strcmp0(parts[1], "latin") == 0 ? "-Latn" : "", place ? "-" : "",
                     place, NULL);
}

gboolean
regard_language_differs(void)
{
  g_autofree char *tag = regard_language_dup_tag(REGARD_LANGUAGE_WINDOW);
  return tag || numbers;
}

/* ---- Scopes ------------------------------------------------------------------------------------
 */

RegardLanguage
regard_language_get(void)
{
  return in_force;
}

RegardLanguageScope
regard_language_begin(RegardLanguage language)
{
  RegardLanguageScope before = {in_force, (locale_t) 0};
  in_force = language;
  if (numbers)
    before.locale = uselocale(language == REGARD_LANGUAGE_WINDOW ? numbers : LC_GLOBAL_LOCALE);
  return before;
}

void
regard_language_end(RegardLanguageScope *before)
{
  in_force = before->language;
  if (before->locale)
    uselocale(before->locale);
}

/* ---- Numbers -----------------------------------------------------------------------------------
 */

static const char *
point(void)
{
  return numbers && in_force == REGARD_LANGUAGE_WINDOW ? nl_langinfo_l(RADIXCHAR, numbers) : ".";
}

char *
regard_strdup_printf(const char *format, ...)
{
  REGARD_IN_LANGUAGE(in_force);
  va_list values;
  va_start(values, format);
  char *text = g_strdup_vprintf(format, values);
  va_end(values);
  return text;
}

void
regard_string_append_printf(GString *string, const char *format, ...)
{
  REGARD_IN_LANGUAGE(in_force);
  va_list values;
  va_start(values, format);
  g_string_append_vprintf(string, format, values);
  va_end(values);
}

char *
regard_number_localize(char *number, gsize size)
{
  char *at = strchr(number, '.');
  const char *own = point();
  const gsize n = strlen(own);
  if (!at || strcmp(own, ".") == 0 || strlen(number) + n > size)
    return number;
  memmove(at + n, at + 1, strlen(at + 1) + 1);
  memcpy(at, own, n);
  return number;
}

char *
regard_formatd(char *buffer, gsize size, const char *format, double value)
{
  return regard_number_localize(g_ascii_formatd(buffer, (int) size, format, value), size);
}

char *
regard_dup_count(guint64 n)
{
  if (numbers && in_force == REGARD_LANGUAGE_WINDOW)
    return regard_strdup_printf("%'" G_GUINT64_FORMAT, n);
  g_autofree char *digits = g_strdup_printf("%" G_GUINT64_FORMAT, n);
  GString *text = g_string_new(NULL);
  for (gsize i = 0, length = strlen(digits); i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0)
      g_string_append_c(text, ',');
    g_string_append_c(text, digits[i]);
  }
  return g_string_free(text, FALSE);
}

char *
regard_format_size(guint64 n_bytes)
{
  REGARD_IN_LANGUAGE(in_force);
  return g_format_size(n_bytes);
}

gboolean
regard_number_parse(const char *text, double *value)
{
  g_autoptr(GString) plain = g_string_new(text);
  g_string_replace(plain, "−", "-", 0);
  g_string_replace(plain, ",", ".", 0);
  g_string_replace(plain, "٫", ".", 0); /* of Persian and Arabic */
  g_strstrip(plain->str);
  char *end;
  *value = g_ascii_strtod(plain->str, &end);
  return end != plain->str && *end == '\0';
}

/* ---- Words -------------------------------------------------------------------------------------
 */

char *
regard_gettext(const char *text)
{
  return in_force == REGARD_LANGUAGE_ENGLISH ? (char *) text : gettext(text);
}

const char *
regard_pgettext(const char *both, gsize offset)
{
  return in_force == REGARD_LANGUAGE_ENGLISH ? both + offset : g_dpgettext(NULL, both, offset);
}

const char *
regard_word_of(const char *context, const char *word)
{
  return in_force == REGARD_LANGUAGE_ENGLISH ? word : g_dpgettext2(NULL, context, word);
}

char *
regard_ngettext(const char *one, const char *many, gulong n)
{
  if (in_force == REGARD_LANGUAGE_ENGLISH)
    return (char *) (n == 1 ? one : many);
  return ngettext(one, many, n);
}
