/* regard-pairs.h — two files that say the same line by line, in two languages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A file is held in memory. */
#define REGARD_PAIRS_MOST_BYTES (64 << 20)

/* Both equally long, without pairs of which one is blank. */
typedef struct {
  GPtrArray *texts, *references; /* of char * */
} RegardPairs;

/* NULL: a file cannot be read, is too large, has a line that is no UTF-8, which is named, has other
 * lines than the other, or there is no pair. */
RegardPairs *regard_pairs_read(const char *texts, const char *references, GError **error);
void regard_pairs_free(RegardPairs *pairs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardPairs, regard_pairs_free)

G_END_DECLS
