/* regard-language.h — the names of languages, from the codes that models call them by.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The English name of a code as models have them: ISO 639 with two or three letters, with a script
 * or a region ("deu": German, "zho_Hant": Chinese (Traditional)), or one of the groups of languages
 * that OPUS-MT models are trained for ("gmw": West Germanic). What is no code, or one that nobody
 * has a name for, is given back as it is; bytes that are not UTF-8 become U+FFFD. Never NULL and
 * never empty unless the code is. May be called from any thread. Caller frees. */
char *regard_language_name(const char *code);
/* The same without what a code says of a script or a region: "deu_Latn" and "de_DE" are German. */
char *regard_language_name_alone(const char *code);

/* "English → German" for a pair of codes; either may name several, separated by white space, commas
 * or plus signs, and more than three are counted instead ("12 languages"). Caller frees. */
char *regard_language_pair(const char *source, const char *target);

G_END_DECLS
