/* spoken.h — a language for tests, where none is installed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program that is linked with spoken.c has a gettext of its own, which asks a function of the
 * test for what is said; without one, and of what that does not translate, it is the system's.
 */
#pragma once

/* What is said instead of a text, with its context and \004 before it where it has one; the text
 * itself: it is not translated. It must stay. */
typedef const char *(*spoken_say)(const char *text);

/* From now on, in all threads; NULL: as the system has it. */
void spoken_set(spoken_say say);
