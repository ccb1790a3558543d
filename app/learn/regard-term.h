/* regard-term.h — terms and conditions of a lesson: what is measured, and what has to be true of
 * it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     TERM       NUMBER, "text", a name, MEASURE or MEASURE(ARGUMENTS), each of two numbers joined
 *                by + − × ÷ (or - * /), in parentheses or not; behind a measure may stand
 *                of "TEXT", of own or of reversed, and with "CHANGE" or with "none"
 *     CONDITION  TERM = TERM, with = != < <= > >= or ~ (contains), several joined by `and`
 *
 * A term is a tree of bounded size, and has no loop: what it costs is known before it is computed.
 */
#pragma once

#include "learn/regard-measures.h"

G_BEGIN_DECLS

#define REGARD_TERM_MOST_DEPTH 8
#define REGARD_TERM_MOST_NODES 40
/* Bytes of a text or a change in quotes. */
#define REGARD_TERM_MOST_TEXT 400

typedef struct _RegardTerm RegardTerm;
typedef struct _RegardCondition RegardCondition;

typedef enum {
  REGARD_LESS,
  REGARD_LESS_EQUAL,
  REGARD_EQUAL,
  REGARD_NOT_EQUAL,
  REGARD_GREATER,
  REGARD_GREATER_EQUAL,
  REGARD_CONTAINS,
} RegardRelation;

/* Names that were given values before. */
typedef struct {
  const char *name;
  gboolean is_text;
} RegardName;

/* The rest of a line, word by word. */
typedef struct {
  const char *at;      /* what was not read yet; UTF-8 */
  const GArray *names; /* of RegardName; NULL: there are none */
  char *problem;       /* "expected a number, found “x”", where reading failed */
  guint n_nodes;       /* of terms so far */
} RegardScanner;
void regard_scanner_clear(RegardScanner *scanner);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RegardScanner, regard_scanner_clear)
/* Only spaces are left. */
gboolean regard_scanner_is_at_end(RegardScanner *scanner);
/* A number, a name, a text in quotes, or a sign; with their quotes. NULL: nothing is left. Caller
 * frees. */
char *regard_scanner_next(RegardScanner *scanner);
/* All up to the next space. NULL: nothing is left. Caller frees. */
char *regard_scanner_word(RegardScanner *scanner);
/* Takes what regard_scanner_next would return if it is this. */
gboolean regard_scanner_takes(RegardScanner *scanner, const char *word);
/* FALSE, with the problem that this was expected and the next word was found. */
gboolean regard_scanner_refuse(RegardScanner *scanner, const char *expected);
/* A text in quotes without them. NULL: refused. Caller frees. */
char *regard_scanner_text(RegardScanner *scanner);
/* Changes, a line each, or "none". NULL: refused; changes that need
 * a file or another run are. */
mt_interventions *regard_scanner_parse_changes(RegardScanner *scanner, const char *changes);

/* NULL: the scanner says why. */
RegardTerm *regard_term_read(RegardScanner *scanner);
RegardCondition *regard_condition_read(RegardScanner *scanner);
void regard_term_free(RegardTerm *term);
void regard_condition_free(RegardCondition *condition);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardTerm, regard_term_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardCondition, regard_condition_free)

gboolean regard_term_is_text(const RegardTerm *term);
/* How many searches and passes it takes at most. */
guint regard_term_cost(const RegardTerm *term);
guint regard_condition_cost(const RegardCondition *condition);
/* Whether another sentence can make it another value; names [n] by their number: whether theirs
 * depend on the sentence. */
gboolean regard_term_is_of_text(const RegardTerm *term, const gboolean *names);
gboolean regard_condition_is_of_text(const RegardCondition *condition, const gboolean *names);
/* Reads back as the same. */
void regard_term_write(const RegardTerm *term, GString *out);
void regard_condition_write(const RegardCondition *condition, GString *out);

/* What they are computed with. */
typedef struct {
  RegardSituation here;
  const char *own;           /* the person's own text; NULL: the same as here */
  const RegardValue *values; /* of the names, by number */
} RegardSetting;
/* FALSE: *error, as regard_measure_take. */
gboolean regard_term_compute(const RegardTerm *term, const RegardSetting *setting,
                             RegardValue *value, mt_error *error);
/* A comparison with a number that is not there does not hold, and neither does !=. */
gboolean regard_condition_holds(const RegardCondition *condition, const RegardSetting *setting,
                                gboolean *holds, mt_error *error);

/* One comparison of a condition, and what its two sides are. */
typedef struct {
  const RegardMeasure *measure; /* that stands on the left; NULL: something else does */
  RegardRelation relation;
  RegardValue left, right;
  gboolean holds;
} RegardCompared;
void regard_compared_clear(RegardCompared *compared);
guint regard_condition_n_comparisons(const RegardCondition *condition);
gboolean regard_condition_compare(const RegardCondition *condition, guint i,
                                  const RegardSetting *setting, RegardCompared *compared,
                                  mt_error *error);

G_END_DECLS
