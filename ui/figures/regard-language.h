/* regard-language.h — in which language, and with which numbers, something is written for people.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The process prints numbers as C does, with a point: data files, settings and command lines are
 * right by themselves. What a person reads has the person's numbers, "0,41", and says so: by
 * regard_strdup_printf and its like, or, where much is printed, inside a scope.
 *
 * A figure has a language of its own, since papers are English: all that it says is said inside the
 * scope of its language (regard-figure.c), in whatever thread. Inside one, printf prints numbers of
 * that language, and _(), C_() and ngettext() give its words; the words of English are those that
 * stand in the source. So files of ui include this in place of <glib/gi18n.h>.
 */
#pragma once

#include <glib.h>
#include <glib/gi18n.h>
#include <locale.h>

G_BEGIN_DECLS

typedef enum {
  REGARD_LANGUAGE_WINDOW,  /* the person's: words of the catalogue, numbers of the locale */
  REGARD_LANGUAGE_ENGLISH, /* of files that other people and programs read */
} RegardLanguage;

/* Whose numbers the person's are: the name of a locale, "" for that of the environment. Of one that
 * is not installed, and until this is called, they are those of C. Main thread. */
void regard_language_set_numbers(const char *locale);

/* Whether a figure would look another way in English. */
gboolean regard_language_differs(void);
/* As BCP 47 has it, "de", "zh-CN"; NULL of English, in which files say nothing. Caller frees. */
char *regard_language_dup_tag(RegardLanguage language);

/* ---- Scopes ------------------------------------------------------------------------------------
 */

/* What was in force before. */
typedef struct {
  RegardLanguage language;
  locale_t locale; /* 0: numbers were not touched */
} RegardLanguageScope;

/* Of this thread; the window's until something else is begun. */
RegardLanguage regard_language_get(void);
/* Nothing in a scope may leave it for the main loop, nor write data. */
RegardLanguageScope regard_language_begin(RegardLanguage language);
void regard_language_end(RegardLanguageScope *before);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RegardLanguageScope, regard_language_end)
/* The rest of the block is in this language. */
#define REGARD_IN_LANGUAGE(language)                                             \
  g_auto(RegardLanguageScope) G_GNUC_UNUSED G_PASTE(language_scope_, __LINE__) = \
      regard_language_begin(language)

/* ---- Numbers for people, in the language in force ----------------------------------------------
 */

char *regard_strdup_printf(const char *format, ...) G_GNUC_PRINTF(1, 2) G_GNUC_MALLOC;
void regard_string_append_printf(GString *string, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* As g_ascii_formatd prints it, but for the point. Returns buffer. */
char *regard_formatd(char *buffer, gsize size, const char *format, double value);
/* A number that was printed with a point, in place: for who trims zeros before. Returns it. */
char *regard_number_localize(char *number, gsize size);
/* "12,345": separators as the language has them. Caller frees. */
char *regard_dup_count(guint64 n);
/* "1.2 GB". Caller frees. */
char *regard_format_size(guint64 n_bytes);
/* A number that a person typed: with a point, or a comma as decimals have it in most languages, and
 * a minus of any length. FALSE: it is none. */
gboolean regard_number_parse(const char *text, double *value);

/* ---- Words -------------------------------------------------------------------------------------
 */

/* Nobody writes into what these return: it is as that of gettext(). */
char *regard_gettext(const char *text) G_GNUC_FORMAT(1);
/* context and text with "\004" between them; the text begins at offset. */
const char *regard_pgettext(const char *both, gsize offset) G_GNUC_FORMAT(1);
char *regard_ngettext(const char *one, const char *many, gulong n) G_GNUC_FORMAT(1)
    G_GNUC_FORMAT(2);

/* The same of a word that is in a table: C_() of constants. */
const char *regard_word_of(const char *context, const char *word) G_GNUC_FORMAT(2);

#undef _
#undef C_
#undef ngettext
#define _(text)                regard_gettext(text)
#define C_(context, text)      regard_pgettext(context "\004" text, sizeof context)
#define ngettext(one, many, n) regard_ngettext(one, many, n)

G_END_DECLS
