/* search.h — what a search is asked for. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_SEARCH_H
#define MT_PUBLIC_SEARCH_H

#include <mt/config.h>
#include <mt/constraints.h>
#include <mt/model.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the tokens of a prefix, which nobody chose, count in a score. */
typedef enum {
  MT_PREFIX_COUNTED,  /* their log-probabilities and their number: a translation that was made to
                         begin otherwise can be compared with the model's own; as `generate` has it
                         with prefix_allowed_tokens_fn and without renormalize_logits */
  MT_PREFIX_LEFT_OUT, /* neither; as `generate` has it with decoder_input_ids (transformers
                         from 4.36 on; before, their number counted) */
} mt_prefix_score;

/* Semantics of Hugging Face `generate` (transformers, beam search and greedy search). */
typedef struct {
  size_t beam_size;  /* 1: greedy; at most 256 */
  size_t n_best;     /* hypotheses returned, 1..beam_size */
  size_t min_length; /* in target tokens incl. the start token, as in generate(min_length=) */
  size_t max_length; /* likewise; at most max_positions */
  float length_penalty;
  mt_early_stopping early_stopping;
  size_t no_repeat_ngram_size; /* so many tokens in a row come once; 0: as often as they like */
  float repetition_penalty;    /* what was there already is made so much less likely; 1, 0: not */
  mt_prefix_score prefix_score;
  int language; /* target language of a multi-target model, as in mt_model_tokenize_to; -1: none */
  /* Borrowed for as long as the parameters are used; NULL: none. Ids of this model; </s> may only
   * be the last one of a prefix, which then is the translation. */
  const mt_constraints *constraints;
  /* Keep so many of the likeliest tokens of each step, and what became of each hypothesis, for
   * mt_translation_steps: at most MT_MAX_TRACED. 0: keep nothing, at no cost. The result is the
   * same. */
  size_t trace;
} mt_search_params;

/* What the model's own configuration asks for, with n_best 1, no language, no
 * constraints and no trace. model NULL: beam 1,
 * length 512. */
mt_search_params mt_search_params_default(const mt_model *model);

/* Are the parameters, constraints too, such as the model can have? Sessions refuse others. */
bool mt_search_params_check(const mt_search_params *params, const mt_model *model, mt_error *error);

/* A row about each member above except the language and the constraints, whose numbers mean
 * something to one model only, and the trace, which changes nothing. Whoever sets, keeps, compares,
 * writes or says search settings goes through these rows, so that a new one is a member, a row
 * (engine/search/mt-request.c) and what the search does with it.
 */
typedef enum {
  MT_SEARCH_WHOLE,  /* size_t */
  MT_SEARCH_NUMBER, /* float */
  MT_SEARCH_CHOICE, /* an enum that counts from 0 */
} mt_search_type;

typedef struct {
  double least, most;
} mt_search_range;

typedef struct {
  const char *key;  /* in JSON: "beam_size"; settings of a program: the same with dashes */
  const char *name; /* in messages: "beam size" */
  mt_search_type type;
  mt_search_range range;
  const char *const *choices; /* of a choice: the names of 0, 1, …, then NULL */
  bool is_length;             /* in tokens of the target: a model's positions are the most */
  bool decides;               /* what is found; n_best only says how much of it is told */

  /* On a command line; option NULL: not there. */
  const char *option, *metavar, *help;
  mt_search_range typed;
  /* In a window, and in the settings that it keeps; label NULL: not there. What is kept below the
   * least shown means that the model decides. `label` has a mnemonic, `_`; rows stand in the order
   * of `place`, which no two share. A choice is not shown. */
  const char *label;
  unsigned place;
  mt_search_range shown;
  double step;
  unsigned digits;

  size_t offset; /* of the member */
} mt_search_field;

size_t mt_search_n_fields(void);
const mt_search_field *mt_search_field_at(size_t i);
/* By key; *i is the row. False: there is none. */
bool mt_search_find_field(const char *key, size_t *i);

/* The member of row i as a number; a choice is its index. mt_search_params_put wants a value within
 * the row's range, whole where it is not a number. */
double mt_search_params_get(const mt_search_params *params, size_t i);
void mt_search_params_put(mt_search_params *params, size_t i, double value);

#ifdef __cplusplus
}
#endif
#endif
