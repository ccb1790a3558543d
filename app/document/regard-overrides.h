/* regard-overrides.h — what a person decided about single sentences, wherever they stand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Three tables with one key, the sentence: a translation of the person's own; a translation that is
 * kept while models change; and constraints, that is, tokens that the search must begin with, must
 * not have, or must have. Tables are never changed, only replaced, so that whoever has one may keep
 * it.
 */
#pragma once

#include "base/regard-autoptr.h"

G_BEGIN_DECLS

typedef struct _RegardOverrides RegardOverrides;

RegardOverrides *regard_overrides_new(void);
void regard_overrides_free(RegardOverrides *self);

/* ---- Translations: tables of char * to char * ---------------------------------------------- */

GHashTable *
regard_overrides_get_user_translation(const RegardOverrides *self); /* borrowed; NULL: none */
/* A reference is taken. FALSE: it is the one that is there. */
gboolean regard_overrides_set_user_translation(RegardOverrides *self, GHashTable *given);
/* Borrowed; NULL: nothing was given for it. sentence may be NULL. */
const char *regard_overrides_find_user_translation(const RegardOverrides *self,
                                                   const char *sentence);
/* translation NULL: it is translated again. FALSE: it was not given, and is not now. */
gboolean regard_overrides_give(RegardOverrides *self, const char *sentence,
                               const char *translation);

/* A reference is taken; NULL: nothing is kept. */
void regard_overrides_set_pinned(RegardOverrides *self, GHashTable *kept);
/* What was given, and else what is kept; NULL: neither. Caller unrefs. */
GHashTable *regard_overrides_dup_targets(const RegardOverrides *self);

/* ---- Constraints: a table of char * to mt_constraints, with ids of one model ---------------- */

GHashTable *regard_overrides_get_constraints(const RegardOverrides *self); /* likewise */
/* model: the folder of the one whose ids they have. FALSE: they are there. */
gboolean regard_overrides_set_constraints(RegardOverrides *self, GHashTable *constraints,
                                          const char *model);
/* Whether there are none, or those are of this model. */
gboolean regard_overrides_are_of(const RegardOverrides *self, const char *model);
/* Borrowed; NULL: none. sentence may be NULL. */
const mt_constraints *regard_overrides_find_constraints(const RegardOverrides *self,
                                                        const char *sentence);
/* Of a sentence, of which a reference is taken; NULL or empty: none. FALSE: none were there. */
gboolean regard_overrides_constrain(RegardOverrides *self, const char *sentence,
                                    const mt_constraints *constraints, const char *model);
/* A text became another by typing, both as their sentences: constraints go with the sentence that
 * is typed on. Returns whether any moved. */
gboolean regard_overrides_move(RegardOverrides *self, const char *const *old,
                               const char *const *new);
/* Whether constraints still fit the sentence, which was translated again: no more of the forced
 * tokens are missing among the likeliest of their steps than when these were first seen. So do
 * those that a translation, which may be NULL, was not searched for with. */
gboolean regard_overrides_fit(RegardOverrides *self, const mt_constraints *constraints,
                              const mt_translation *translation);

/* ---- Terms that a translation must have somewhere, as words --------------------------------- */

/* The same constraints with the terms of a text, between which are commas, semicolons or line ends;
 * "": none. Caller unrefs. NULL and *error: one cannot be said, or this search cannot have them.
 * constraints may be NULL. */
mt_constraints *regard_constraints_with_terms(const mt_constraints *constraints,
                                              const mt_model *model, const mt_request *search,
                                              const char *text, mt_error *error);
/* Those that there are, with commas between them. Both may be NULL. Caller frees. */
char *regard_constraints_dup_terms(const mt_constraints *constraints, const mt_model *model);
/* The words that a translation is made to begin with. Caller frees. */
char *regard_constraints_dup_prefix(const mt_constraints *constraints, const mt_model *model);

G_END_DECLS
