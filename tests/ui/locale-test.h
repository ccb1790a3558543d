/* locale-test.h — locales for tests, made in a folder of their own, since few are installed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

/* Numbers as in "de_DE.UTF-8", which has a comma, "fr_FR.UTF-8", a comma and narrow blanks,
 * "zh_CN.UTF-8" and "ar_EG.UTF-8", a point; and the first as a language of messages. FALSE: there
 * is no localedef, or nothing to make them from, and the test is skipped. */
#define LOCALE_TEST_N 4
extern const char *const locale_test_names[LOCALE_TEST_N];
gboolean locale_test_begin(void);
/* Numbers are those of C again. */
void locale_test_end(void);
