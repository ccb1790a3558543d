/* regard-trust.h — how much of each word on the screen comes from the source, kept up to date.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one object that all who show it observe; it belongs to a selection. While it is on ("on",
 * boolean) the shares of the selection's capture are computed in a thread. What is so little that
 * it is marked says a file in the model's folder (mt_trust_thresholds_of_model); without it there
 * are numbers and no marks. Signal "changed": other numbers, another error, or it was switched.
 */
#pragma once

#include "widgets/regard-selection.h"

G_BEGIN_DECLS

#define REGARD_TYPE_TRUST (regard_trust_get_type())
G_DECLARE_FINAL_TYPE(RegardTrust, regard_trust, REGARD, TRUST, GObject)

/* That of a selection, made when it is asked for first. Borrowed. */
RegardTrust *regard_trust_of(RegardSelection *selection);

gboolean regard_trust_is_on(RegardTrust *self);
/* Of the present capture; NULL: there are none, or not yet. Borrowed. */
const mt_trust *regard_trust_get(RegardTrust *self);
/* Of a token of the source (is_source) or of the translation: its share or use, NAN: none is known;
 * and whether it is marked. */
double regard_trust_value(RegardTrust *self, gboolean is_source, gsize token);
gboolean regard_trust_is_marked(RegardTrust *self, gboolean is_source, gsize token);
/* "62 % from the source, hardly from the source"; NULL: none is known. Caller frees. */
char *regard_trust_describe_token(RegardTrust *self, gboolean is_source, gsize token);
/* What the numbers are, and what is marked, or how that is found out; or why there are none. Caller
 * frees. */
char *regard_trust_describe(RegardTrust *self);

G_END_DECLS
