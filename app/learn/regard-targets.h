/* regard-targets.h — names of what a lesson may show and point at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names only: who has a window finds the widget or the place in a picture that a name means.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* What stands behind the name of a target. */
typedef enum {
  REGARD_PLACE_NONE,    /* nothing: "translation" */
  REGARD_PLACE_KIND,    /* a kind of attention, which may be left out: "heads cross" */
  REGARD_PLACE_HEAD,    /* a head: "head cross 4.1" */
  REGARD_PLACE_LINE,    /* a row or a column: "row 3", "row \"dog\"" */
  REGARD_PLACE_CELL,    /* both: "cell 3 \"dog\"" */
  REGARD_PLACE_PAGE,    /* a page: "page steps" */
  REGARD_PLACE_CONTROL, /* a control: "control all-off" */
} RegardPlaceType;

typedef struct {
  const char *name;
  RegardPlaceType place;
} RegardTargetName;

/* THE lists, of names that end with NULL. */
extern const RegardTargetName regard_targets[];
extern const char *const regard_target_pages[];    /* "attention", "positions/bench" */
extern const char *const regard_target_controls[]; /* "all-off" */

/* What a control of the list is in a sentence: "the button All Off". */
const char *regard_target_say_control(const char *id);
/* Whether a simple window has it, too. */
gboolean regard_target_is_in_simple(const char *id);
/* Whether a page that is shown, with its part, "positions/bench", is the one that is wanted, with
 * or without. shown may be NULL. */
gboolean regard_target_is_page(const char *shown, const char *wanted);

/* Borrowed; NULL: there is no such target. */
const RegardTargetName *regard_target_find(const char *name);

/* "encoder 1.5" in two words. FALSE: they name no head. Layer and head from 0. */
gboolean regard_target_parse_kind(const char *word, mt_attention_kind *kind);
gboolean regard_target_parse_head(const char *kind_word, const char *number_word,
                                  mt_attention_kind *kind, guint *layer, guint *head);

G_END_DECLS
