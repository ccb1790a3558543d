/* regard-head-filter.h — which heads are wanted, in words: "cross confidence > 0.4".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words for kinds and roles, places, and measures compared with numbers, all of which must hold:
 * "3.1", "4.*", "sink special >= 50 %". Which measures and roles there are, the list says that is
 * filtered: heads on a sentence (regard-head-measures.h), or over a text (regard-corpus.h).
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* What a list of heads can be asked. A row is the list's own, and so are a measure and a role,
 * which live as long as the program. */
typedef struct {
  gconstpointer (*find_measure)(const char *id); /* NULL: there is none; case does not count */
  gconstpointer (*find_role)(const char *id);
  double (*get_number)(gconstpointer measure, gconstpointer row); /* NAN: it has none */
  gboolean (*has_role)(gconstpointer role, gconstpointer row);
  void (*get_place)(gconstpointer row, mt_attention_kind *kind, guint *layer, guint *head);
} RegardHeadWords;

typedef struct _RegardHeadFilter RegardHeadFilter;
/* "" and spaces: all. NULL with *error (caller frees), which names the word, if one is unknown. */
RegardHeadFilter *regard_head_filter_new(const RegardHeadWords *words, const char *text,
                                         char **error);
gboolean regard_head_filter_matches(const RegardHeadFilter *filter, gconstpointer row);
void regard_head_filter_free(RegardHeadFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardHeadFilter, regard_head_filter_free)

G_END_DECLS
