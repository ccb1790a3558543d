/* regard-measures.h — what a lesson can measure in a model, by name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A measure is one row of the list in regard-measures.c: its name, its arguments, what it costs,
 * and the function that takes it, of a text that a model translates with changes.
 */
#pragma once

#include "base/regard-autoptr.h"

G_BEGIN_DECLS

/* ---- Values ---------------------------------------------------------------------------------- */

/* A number, or a text. A number that is not there is NaN: a piece that is not in the sentence, a
 * word that no layer says. */
typedef struct {
  double number;
  char *text; /* NULL: it is a number */
} RegardValue;
void regard_value_clear(RegardValue *value);
/* As a lesson shows it, with so many digits that matter; a whole number as it is. Caller frees. */
char *regard_value_say(const RegardValue *value);
/* The same text, or numbers that differ by no more than rounding (1e-5 of the larger one). */
gboolean regard_value_equal(const RegardValue *a, const RegardValue *b);

/* ---- The list -------------------------------------------------------------------------------- */

typedef enum {
  REGARD_ARGUMENT_NONE,
  REGARD_ARGUMENT_KIND,   /* encoder, decoder or cross */
  REGARD_ARGUMENT_HEAD,   /* a head, "cross 4.1", or "sharpest": the one with the largest weights */
  REGARD_ARGUMENT_NUMBER, /* a term that is a number */
  REGARD_ARGUMENT_TEXT,   /* a term that is a text */
  REGARD_ARGUMENT_TOKEN,  /* a token: its number, from 1, or its piece, as a term */
} RegardArgumentType;

typedef struct {
  mt_attention_kind kind;
  guint layer, head; /* from 0; of "sharpest" G_MAXUINT */
  RegardValue value;
} RegardArgument;

#define REGARD_MEASURE_MOST_ARGUMENTS 3

typedef struct _RegardMeasure RegardMeasure;
guint regard_measures_count(void);
const RegardMeasure *regard_measures_get(guint i);
/* NULL: there is none of that name. */
const RegardMeasure *regard_measure_find(const char *name);
const char *regard_measure_name(const RegardMeasure *measure);
/* What it is, as a phrase for a list. */
const char *regard_measure_help(const RegardMeasure *measure);
gboolean regard_measure_is_text(const RegardMeasure *measure);
/* [REGARD_MEASURE_MOST_ARGUMENTS], those that it does not have at the end. */
const RegardArgumentType *regard_measure_arguments(const RegardMeasure *measure);
/* How many passes or searches it takes, about. */
guint regard_measure_cost(const RegardMeasure *measure);
/* Whether it depends on the text: else it is the model's alone. */
gboolean regard_measure_is_of_text(const RegardMeasure *measure);

/* ---- Taking them ----------------------------------------------------------------------------- */

/* What a model made of texts with changes, kept for as long as this lives, so that measures of one
 * situation share a search and a pass. One thread at a time. */
typedef struct _RegardRuns RegardRuns;
/* The session is borrowed. params NULL: the model's own. */
RegardRuns *regard_runs_new(mt_session *session, const mt_search_params *params);
void regard_runs_free(RegardRuns *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardRuns, regard_runs_free)
/* Forgets what was kept. */
void regard_runs_forget(RegardRuns *self);
mt_model *regard_runs_get_model(RegardRuns *self);

/* Where something is measured. */
typedef struct {
  RegardRuns *runs;
  const char *text;
  gboolean is_reversed;            /* its pieces backwards, but for the end */
  mt_interventions *interventions; /* NULL: none */
  const mt_hooks *hooks;           /* of which only should_stop counts; NULL: none */
  /* The cell that somebody chose, from 0, of a head of this situation. */
  gboolean has_cell;
  mt_attention_kind kind;
  guint layer, head, row, column;
} RegardSituation;

/* arguments [REGARD_MEASURE_MOST_ARGUMENTS]. FALSE: *error, as those of searches and passes, and
 * MT_ERROR_INPUT for a layer or head that the model does not have; a value that is not there is no
 * error. *value is for regard_value_clear. */
gboolean regard_measure_take(const RegardMeasure *measure, const RegardSituation *situation,
                             const RegardArgument *arguments, RegardValue *value, mt_error *error);

G_END_DECLS
