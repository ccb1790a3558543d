/* regard-venues.h — what data files say of figures: widths of journals and conferences, and
 * templates of sheets.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of ours: of one that is not there, or damaged, the lists are empty. All lists live as long
 * as the program; call them from one thread.
 */
#pragma once

#include "figures/regard-sheet.h"

#include <glib.h>

G_BEGIN_DECLS

/* A width of a venue. */
typedef struct {
  char *id;   /* "acl/column"; of a venue with one width, and of a page, "acl" */
  char *name; /* of the venue: "ACL" */
  double mm;
  gboolean is_column;
} RegardVenue;

/* Columns first, then pages, each in the order of the file. */
const GPtrArray *regard_venues(void);
/* By id; NULL: there is none. */
const RegardVenue *regard_venue_find(const char *id);
/* "77 mm: column, ACL". Caller frees. */
char *regard_venue_describe(const RegardVenue *venue);

typedef struct {
  char *id, *name, *about;                /* both translatable: regard_locale_text */
  char *heads;                            /* of a grid: which, commas between, if nobody says */
  gboolean has_files_in_rows;             /* of a grid: heads are its columns */
  char *mosaic;                           /* NULL: as many panels as files */
  char *panels[REGARD_SHEET_MOST_PANELS]; /* by letter, as in the file; NULL: none */
  char *each;                             /* NULL: letters have their own */
} RegardTemplateSheet;
const GPtrArray *regard_sheet_templates(void);
const RegardTemplateSheet *regard_sheet_template_find(const char *id);
/* How many files it wants at least. */
guint regard_sheet_template_n_files(const RegardTemplateSheet *template_);
/* Whether it wants a word. */
gboolean regard_sheet_template_wants_word(const RegardTemplateSheet *template_);
/* What panel i, from 0, of a template of no grid shows, of so many files: "2:cross:5.5:minus=1",
 * where files are their numbers. Caller frees; NULL: there is no such panel. */
char *regard_sheet_template_panel(const RegardTemplateSheet *template_, guint i, guint n_files);
/* Where so many panels stand, as letters. Caller frees. */
char *regard_sheet_template_mosaic(const RegardTemplateSheet *template_, guint n_panels);
/* A sheet laid out anew by a template, of these captures for its files; word: NULL, if it wants
 * none. FALSE with *reason, a sentence in the language of the window that the caller frees, and the
 * sheet is not to be used. A grid has the heads that the sheet has of the texts that it has. */
gboolean regard_sheet_fill_template(RegardSheet *sheet, const RegardTemplateSheet *template_,
                                    GPtrArray *captures, const char *word, char **reason);

/* ---- Panels as they are typed, behind the file -------------------------------------------------
 */

/* "cross:5.5:lines:of=2" as a panel of a capture; parts are what stood between colons. An empty
 * list is the mean of the last layer but one. NULL with the part that is none, borrowed, and in any
 * case without `minus=`, which is the caller's. */
RegardPanel *regard_panel_parse(mt_capture *capture, const char *const *parts,
                                const char **problem);
/* What a part may be, for messages. */
#define REGARD_PANEL_EXPECTED                                                             \
  "a kind, a head of the capture such as 5.5, 5.mean, last.1, 5 or all, a scale, lines, " \
  "level-lines, words, hide-special, received, of=TOKENS, minus=FILE, title=TEXT or label=TEXT"

G_END_DECLS
