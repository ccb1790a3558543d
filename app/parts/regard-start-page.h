/* regard-start-page.h — what stands in place of pictures when there is nothing to show: sentences
 * to begin with, or a way to open a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signal: "example" (string): a sentence was chosen.
 */
#pragma once

#include <glib.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_START_PAGE (regard_start_page_get_type())
G_DECLARE_FINAL_TYPE(RegardStartPage, regard_start_page, REGARD, START_PAGE, GtkWidget)

/* Offer sentences for the model of this name, else in this language ("" or unknown: all). */
void regard_start_page_set_model(RegardStartPage *self, const char *language, const char *name);

typedef enum {
  REGARD_START_EXAMPLES, /* a model runs, the text is empty */
  REGARD_START_LOADING,  /* the first model is on its way */
  REGARD_START_NO_MODEL, /* there is none */
} RegardStartState;
void regard_start_page_set_state(RegardStartPage *self, RegardStartState state);

/* ==== Sentences to begin with ================================================================= */

typedef struct {
  char *text, *note;  /* note: what to look for, a question for who sees it; "" for none */
  char *page;         /* where that is seen, as lessons name it: "attention"; NULL: anywhere */
  char *head;         /* and of which head: "encoder 4.1"; NULL: of none */
  char *row, *column; /* and in which cell, by the words; NULL: none */
} RegardExampleSentence;

/* Those made for a model of that name (NULL: of none); else those in a language ("en", or with a
 * region behind it), in the order shown; where there are none, or the language is "" or NULL, all
 * of them that are for no model. Array of RegardExampleSentence; free with g_ptr_array_unref. */
GPtrArray *regard_examples_list(const char *language, const char *model);
/* Rows of a list, in the place of those that there are: each has its text as its title
 * (adw_preferences_row_get_title), and its question below it. */
void regard_examples_fill(GtkListBox *list, const GPtrArray *examples);

G_END_DECLS
