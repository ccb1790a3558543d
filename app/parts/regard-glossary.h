/* regard-glossary.h — the terms of the paper and of the program, in a window and as links.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The terms are data: assets/glossary.ini.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Texts are in the language of the window, where they are translated. */
typedef struct {
  char *id;
  char *term, *text;
  char *symbol, *equation; /* NULL: it has none */
  char *paper;             /* the section, "3.2.1"; NULL: the paper does not have the term, and */
  char *from;              /* who has */
  char *lesson;            /* the lesson about it, by its id; NULL: there is none */
  char **see;              /* ids of other terms */
} RegardGlossaryTerm;

/* All of them, in the order of the language. Borrowed: RegardGlossaryTerm. */
const GPtrArray *regard_glossary_terms(void);
/* NULL: there is no such term. */
const RegardGlossaryTerm *regard_glossary_find(const char *id);

/* Shows the glossary above a window, and in it a term; for NULL or an unknown id "attention".
 * Modal if the window below is; a second call shows the term in the window that is there. */
void regard_glossary_show(GtkWindow *parent, const char *id);
/* A button with a term that opens the glossary at it. NULL: there is no such term. */
GtkWidget *regard_glossary_new_link(const char *id);

/* A button that leaves what is above the program's window and begins a lesson there
 * (win.lesson). NULL: there is no such lesson, or that window has no such action. */
GtkWidget *regard_lesson_new_link(GtkWindow *above, const char *lesson);

G_END_DECLS
