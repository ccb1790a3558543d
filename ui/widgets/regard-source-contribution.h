/* regard-source-contribution.h — how much of each word on the screen comes from the source, kept up
 * to date.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one object that all who show it observe; it belongs to a selection. While it is on ("on",
 * boolean) the shares of the selection's capture are computed in a thread. What is so little that
 * it is marked says a file in the model's folder (mt_source_contribution_thresholds_of_model);
 * without it there are numbers and no marks. Signal "changed": other numbers, another error, or it
 * was switched.
 */
#pragma once

#include "widgets/regard-selection.h"

G_BEGIN_DECLS

#define REGARD_TYPE_SOURCE_CONTRIBUTION (regard_source_contribution_get_type())
G_DECLARE_FINAL_TYPE(RegardSourceContribution, regard_source_contribution, REGARD,
                     SOURCE_CONTRIBUTION, GObject)

/* That of a selection, made when it is asked for first. Borrowed. */
RegardSourceContribution *regard_source_contribution_of(RegardSelection *selection);

gboolean regard_source_contribution_is_on(RegardSourceContribution *self);
/* Of the present capture; NULL: there are none, or not yet. Borrowed. */
const mt_source_contribution *regard_source_contribution_get(RegardSourceContribution *self);
/* Of a token of the source (is_source) or of the translation: its share or use, NAN: none is known;
 * and whether it is marked. */
double regard_source_contribution_value(RegardSourceContribution *self, gboolean is_source,
                                        gsize token);
gboolean regard_source_contribution_is_marked(RegardSourceContribution *self, gboolean is_source,
                                              gsize token);
/* "62 % from the source, hardly from the source"; NULL: none is known. Caller frees. */
char *regard_source_contribution_describe_token(RegardSourceContribution *self, gboolean is_source,
                                                gsize token);
/* What the numbers are, and what is marked, or how that is found out; or why there are none. Caller
 * frees. */
char *regard_source_contribution_describe(RegardSourceContribution *self);

G_END_DECLS
