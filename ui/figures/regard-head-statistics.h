/* regard-head-statistics.h — heads with their numbers, of one sentence or over a text, the names
 * that these earn them, and filters in words: "cross confidence > 0.4".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which numbers there are is the engine's table (mt/head-statistics.h): lists, filters, pictures
 * and files have what is a row there.
 */
#pragma once

#include "figures/regard-ablation.h"

G_BEGIN_DECLS

/* NULL: there is none with this id; case does not count. */
const mt_head_statistic *regard_head_statistic_find(const char *id);
/* "Entropy", and "sink" by its id, in the reader's language. Borrowed. */
const char *regard_head_statistic_name(const mt_head_statistic *statistic);
const char *regard_role_name(const char *id);
/* "Entropy (bit)". A unit that is not that of all kinds is left out, unless it is always wanted.
 * Caller frees. */
char *regard_head_statistic_title(const mt_head_statistic *statistic, gboolean always);
/* "+0.31", "1.38"; "" for NAN. Caller frees. */
char *regard_head_statistic_format(const mt_head_statistic *statistic, double value);

/* A head with its numbers. Structs that say more of a head begin with one. */
typedef struct {
  mt_attention_kind kind;
  guint layer, head;             /* from 0 */
  guint first_layer, first_head; /* of a part of a capture: which of the model's 0 is */
  /* By the row of the table; NAN: not defined, or not asked for. */
  double values[MT_MOST_HEAD_STATISTICS];
  guint roles;      /* bits: of the row of the table, or over a text mt_corpus_role */
  const char *with; /* how the head was taken out for its effect: "zero"; NULL: not at all */
} RegardHeadRow;

/* Without numbers. */
RegardHeadRow regard_head_row_init(mt_attention_kind kind, guint layer, guint head);
double regard_head_row_get(const RegardHeadRow *row, const mt_head_statistic *statistic);
void regard_head_row_set(RegardHeadRow *row, const mt_head_statistic *statistic, double value);
/* "cross 4.1". Caller frees. */
char *regard_head_row_name(const RegardHeadRow *row);

/* ---- All heads of a capture ------------------------------------------------------------------
 */

/* With what is computed from its matrix alone, and the roles. */
RegardHeadRow regard_head_row_of(mt_attention_kind kind, guint layer, guint head,
                                 const mt_head_metrics *metrics);
/* [*n] Encoder, cross, decoder as in the window; linear in the cells of all matrices. Of a
 * difference its B is measured. a and b: what is compared, alike, or NULL. Caller frees. */
RegardHeadRow *regard_head_rows_new(const mt_capture *capture, const mt_capture *a,
                                    const mt_capture *b, guint *n);
/* The effect of those heads; effects NULL: there are none. Rows that it does not
 * have get none. */
void regard_head_row_set_ablation(RegardHeadRow *row, const RegardAblation *effects);
/* "sink, previous"; "" if it has none. Caller frees. */
char *regard_head_row_roles(const RegardHeadRow *row);
/* Whether a column of it has any number in rows [n]; those that are never absent always have, if
 * they are of one sentence at all. */
gboolean regard_head_statistic_is_there(const mt_head_statistic *statistic,
                                        const RegardHeadRow *const *rows, guint n);
/* rows [n] in the order in which they are to stand, computed from the capture; NAN where a
 * statistic is not defined for a head. title: e.g. "All heads". */
RegardMatrix *regard_matrix_new_heads(const mt_capture *capture, const RegardHeadRow *const *rows,
                                      guint n, const char *title);

/* ---- Filters --------------------------------------------------------------------------------- */

typedef struct _RegardHeadFilter RegardHeadFilter;
/* "" and spaces: all. NULL with *error (caller frees), which names the word, if one is unknown.
 * over_text: numbers and roles are those over a text, not of one sentence. */
RegardHeadFilter *regard_head_filter_new(gboolean over_text, const char *text, char **error);
gboolean regard_head_filter_matches(const RegardHeadFilter *filter, const RegardHeadRow *row);
void regard_head_filter_free(RegardHeadFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardHeadFilter, regard_head_filter_free)

G_END_DECLS
