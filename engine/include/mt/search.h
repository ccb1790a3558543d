/* search.h — what a search is asked for: constraints, parameters, and both as a request. Part of
 * mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_SEARCH_H
#define MT_PUBLIC_SEARCH_H

#include <mt/error.h>
#include <mt/interventions.h>
#include <mt/model.h>
#include <mt/tokens.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Constraints ----------------------------------------------------------------------------- */

/* Tokens that a translation must begin with, tokens that it must not have, and
 * terms that it must have somewhere. */

/* An immutable, atomically reference-counted value. Steps and tokens count from 0, without the
 * start token. Where constraints are wanted, NULL is none.
 *
 * A search begins with the tokens of the prefix in all of its hypotheses, whatever its other rules
 * say (bad words, minimum length, forced tokens of the model). They keep the log-probability that
 * the model gives them, and count in sums and scores like any others: generate's
 * prefix_allowed_tokens_fn. What is forbidden is no choice behind the prefix: generate's
 * bad_words_ids, if at every step.
 *
 * A term is a row of tokens that every hypothesis has somewhere, the prefix included: a search with
 * terms ends no hypothesis before, and gives places to those that have some of them already, by
 * dynamic beam allocation (Post and Vilar 2018; engine/search/mt-search.h). Terms change no
 * probability and no score. */
typedef struct mt_constraints mt_constraints;

/* Anywhere, for mt_forbidden. */
#define MT_EVERY_STEP SIZE_MAX

/* Tokens that shall not follow each other: the last of them is no choice behind the others. */
typedef struct {
  size_t step;        /* of the first of them, or MT_EVERY_STEP */
  const int32_t *ids; /* [n] */
  size_t n;           /* at least 1 */
} mt_forbidden;

/* Tokens that shall follow each other somewhere. */
typedef struct {
  const int32_t *ids; /* [n] */
  size_t n;           /* at least 1 */
} mt_term;

/* Copies prefix [n_prefix] and forbidden [n_forbidden]. NULL: MT_ERROR_INPUT for a list of no
 * tokens and for negative ids, MT_ERROR_TOO_LONG for more than MT_MAX_CONSTRAINTS tokens,
 * MT_ERROR_NO_MEMORY. */
mt_constraints *mt_constraints_new(const int32_t *prefix, size_t n_prefix,
                                   const mt_forbidden *forbidden, size_t n_forbidden,
                                   mt_error *error);
#define MT_MAX_CONSTRAINTS 65536
/* The same prefix and the same lists as those of `from`, which may be NULL, with these terms, which
 * are copied, instead of its own. NULL: likewise; MT_ERROR_TOO_LONG, too, for more than
 * MT_MAX_TERM_TOKENS tokens. */
mt_constraints *mt_constraints_with_terms(const mt_constraints *from, const mt_term *terms,
                                          size_t n, mt_error *error);
#define MT_MAX_TERM_TOKENS 255
/* Words cut into pieces as a translation is, without </s>, for a prefix or for what is forbidden.
 * It may end in the middle of a word. NULL: MT_ERROR_INPUT for a text that holds no token, that has
 * something for which the vocabulary has no piece, or that begins with a language code; else as
 * mt_model_tokenize. */
mt_tokens *mt_constraints_cut(const mt_model *model, const char *text, mt_error *error);

mt_constraints *mt_constraints_ref(mt_constraints *constraints);
void mt_constraints_unref(mt_constraints *constraints);

/* Borrowed; *n may be 0. */
const int32_t *mt_constraints_prefix(const mt_constraints *constraints, size_t *n);
const mt_forbidden *mt_constraints_forbidden(const mt_constraints *constraints, size_t *n);
const mt_term *mt_constraints_terms(const mt_constraints *constraints, size_t *n);
/* Whether another term has all of term i: it asks for nothing of its own. Of equal ones the first
 * does. */
bool mt_constraints_is_implied(const mt_constraints *constraints, size_t i);
/* The tokens of all terms that ask for something of their own. */
size_t mt_constraints_n_wanted(const mt_constraints *constraints);
/* Nothing is forced and nothing forbidden. */
bool mt_constraints_is_empty(const mt_constraints *constraints);
/* The same, in the same order; NULL equals an empty one. */
bool mt_constraints_equal(const mt_constraints *a, const mt_constraints *b);

/* ---- Parameters ------------------------------------------------------------------------------ */

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
  /* As in mt_model_tokenize_between; -1: the model's own. Where a translation begins with the
   * target's token, the model is said to force it, and it counts 0 in scores. It stands before a
   * prefix that does not begin with the token of a language, and in place of one that does. */
  int source_language, language;
  /* One of the model's tasks, whose settings take the place of the model's; NULL: none. */
  const mt_task *task;
  /* What stands before the source text, in UTF-8: the task's prefix, or one's own; "": nothing. */
  char task_prefix[MT_PREFIX_SIZE];
  /* Borrowed for as long as the parameters are used; NULL: none. Ids of this model; </s> may only
   * be the last one of a prefix, which then is the translation. */
  const mt_constraints *constraints;
  /* Keep so many of the likeliest tokens of each step, and what became of each hypothesis, for
   * mt_translation_steps: at most MT_MAX_TRACED. 0: keep nothing, at no cost. The result is the
   * same. */
  size_t trace;
} mt_search_params;

/* What the model's own configuration asks for, with n_best 1, the model's own languages, no
 * constraints and no trace. model NULL: beam 1,
 * length 512. */
mt_search_params mt_search_params_default(const mt_model *model);
/* The same as one of its tasks asks for, with its prefix; task NULL: the same. */
mt_search_params mt_search_params_of_task(const mt_model *model, const mt_task *task);

/* Are the parameters, constraints too, such as the model can have? Sessions refuse others. */
bool mt_search_params_check(const mt_search_params *params, const mt_model *model, mt_error *error);

/* A row about each member above except the languages, the task and the constraints, which mean
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

/* ---- Requests -------------------------------------------------------------------------------- */

/* Room for any code that mt_model_language returns, and its end. */
#define MT_LANGUAGE_SIZE 40

/* A value: how to search, what to begin with, and what to change inside the model. {0} asks for
 * nothing, and the model decides everything. Languages are codes and not numbers because a request
 * may meet another model. Change it, copy it and give it back by the functions below. */
typedef struct {
  uint32_t set;            /* bit i: row i of mt_search_field_at was asked for */
  mt_search_params params; /* what was asked for; the other members are without meaning */
  char source_language[MT_LANGUAGE_SIZE]; /* "": the model's own */
  char language[MT_LANGUAGE_SIZE];        /* the target; likewise */
  char task[MT_TASK_SIZE];                /* the name of a task; "": none */
  bool has_task_prefix;                   /* the next takes the place of the task's prefix */
  char task_prefix[MT_PREFIX_SIZE];       /* "": nothing stands before the text */
  mt_interventions *interventions;        /* a reference; NULL: none */
  mt_constraints *constraints;            /* likewise; ids of one model */
} mt_request;

/* The same once more; and the end of a request, which is {0} then. */
mt_request mt_request_copy(const mt_request *request);
void mt_request_clear(mt_request *request);

/* Ask for a value of row i. MT_ERROR_INPUT, and nothing is changed, if it is out of the row's range
 * or not whole where it must be. */
bool mt_request_set(mt_request *request, size_t i, double value, mt_error *error);
/* Leave row i to the model. */
void mt_request_unset(mt_request *request, size_t i);
/* True and *value, if it is not NULL: row i was asked for. */
bool mt_request_get(const mt_request *request, size_t i, double *value);

/* Ask for these changes, of which a reference is taken; NULL, or an empty list: none. */
void mt_request_set_interventions(mt_request *request, const mt_interventions *interventions);
/* Likewise these constraints. */
void mt_request_set_constraints(mt_request *request, const mt_constraints *constraints);

/* Both ask for the same. */
bool mt_request_equal(const mt_request *a, const mt_request *b);

/* Ask for this text before the source, in place of the prefix of the task. MT_ERROR_INPUT, and
 * nothing is changed, if it is not UTF-8; MT_ERROR_TOO_LONG for more than MT_PREFIX_SIZE - 1 bytes.
 */
bool mt_request_set_task_prefix(mt_request *request, const char *prefix, mt_error *error);

/* The model's own settings, or those of the task, with what was asked for put over them. Lengths
 * are brought within the model's positions, the minimum below the maximum. If n_best was asked for
 * and beam_size was not, the beam is as wide as that takes. A language or a task that the model
 * does not have is left out, and so is a prefix where it takes none (mt_model_takes_prefix). The
 * constraints are borrowed from the request, and not traced. */
mt_search_params mt_request_resolve(const mt_request *request, const mt_model *model);

/* Of what decides what is found, the rows in which these settings are not the model's own or those
 * of their task, and the task. */
mt_request mt_request_of_params(const mt_search_params *params, const mt_model *model);

/* As a JSON object of what was asked for, keys in the order of the rows, then
 * "source_language", "language", "task", "task_prefix", "changes", a list of lines, "prefix", a
 * list of ids, and "forbidden", a list of lists of ids with the step of the first of them, from 1;
 * without it they are so everywhere:
 * {"beam_size": 4, "changes": ["cross 4.1 scale 0.5"], "prefix": [12, 7], "forbidden":
 * [{"step": 3, "ids": [95]}]}. Equal requests have the same text, others another. For
 * mt_string_free; NULL: MT_ERROR_NO_MEMORY. */
char *mt_request_to_json(const mt_request *request, mt_error *error);
/* From n bytes; a key that is missing or null was not asked for. label: what messages call the
 * text. MT_ERROR_FORMAT names a key that is unknown, or its value if it is of another type or out
 * of range, or the line and word of a change that is not understood; MT_ERROR_TOO_LONG for too many
 * of them; then *request is left alone, else what it was is given back. */
bool mt_request_from_json(mt_request *request, const char *label, const char *text, size_t n,
                          mt_error *error);

#ifdef __cplusplus
}
#endif
#endif
