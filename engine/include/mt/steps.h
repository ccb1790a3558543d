/* steps.h — what a search considered, step by step: the likeliest tokens of each, and what became
 * of its hypotheses. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_STEPS_H
#define MT_PUBLIC_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most tokens that are kept of a step: the most that mt_search_params.trace can be. */
#define MT_MAX_TRACED 100

/* Why a token was no choice, or the only one. */
typedef enum {
  MT_RULE_NONE,
  MT_RULE_PREFIX,    /* another one is forced by the constraints */
  MT_RULE_FORBIDDEN, /* by the constraints */
  MT_RULE_BAD_WORD,  /* by the model: bad_words_ids, such as <pad>; suppress_tokens */
  MT_RULE_MIN_LENGTH,
  MT_RULE_FORCED, /* another one is forced by the model: forced_bos_token_id, forced_eos_token_id */
  MT_RULE_REPETITION, /* these n tokens were there already: no_repeat_ngram_size */
  MT_RULE_TERM, /* it would end the translation before all terms of the constraints are there */
} mt_rule;
/* "forbidden", …; "" for MT_RULE_NONE. In JSON. */
const char *mt_rule_name(mt_rule rule);

/* A token that may follow. */
typedef struct {
  int32_t id;
  mt_rule rule;  /* that took it away; MT_RULE_NONE: it is a choice */
  float logprob; /* natural, of the model: before any rule */
  float after;   /* what the search counts: the same, -INFINITY if a rule took it away, 0 if the
                    model's configuration forces it or it is of a prefix that is left out; another
                    number where a penalty changed it, or probabilities were made anew */
} mt_option;

/* The distribution behind one hypothesis. */
typedef struct {
  size_t step;   /* of the token that is chosen; 0: the first one */
  int32_t node;  /* the hypothesis that it follows; -1: the start token */
  float entropy; /* of all tokens that have a probability, in nats, before any rule */
  size_t n;
  const mt_option *options; /* [n] the `trace` likeliest before any rule, likeliest first; behind
                               them those that hypotheses went on with all the same */
} mt_step_row;

typedef enum {
  MT_FATE_WENT_ON,  /* at least one continuation was kept, or ended */
  MT_FATE_FINISHED, /* ended, and is a result, or was among the finished when the search ended */
  MT_FATE_OUTDONE,  /* ended, but the places of the finished were taken by better ones */
  MT_FATE_PRUNED,   /* considered, but better ones took the places; or held, and all of its
                       continuations were pruned */
  MT_FATE_STOPPED,  /* held when the search ended: nothing better was to be expected (early
                       stopping) */
} mt_fate;
/* "pruned", …; in JSON. */
const char *mt_fate_name(mt_fate fate);

/* A hypothesis at a step, which is its newest token; those that it went on as have it as parent. */
typedef struct {
  size_t step;    /* of its newest token, from 0; it has step + 1 tokens */
  int32_t parent; /* index of a node of the step before; -1: the start token */
  int32_t id;
  /* Held: it was one of at most beam_size that ran on or ended. Not held: it was among the
   * 2 * beam_size that were considered in this step (more if several tokens are an end). */
  bool is_held;
  bool is_forced; /* its newest token is of the prefix, or forced by the model */
  bool is_end;    /* </s>, or as long as allowed */
  bool is_cut;    /* as long as allowed, without </s> */
  uint32_t rank;  /* among all that were considered in this step, from 0, best first */
  float logprob;  /* of its newest token, before any rule */
  float sum;      /* of the log-probabilities after the rules: by which running ones are ranked */
  float score;    /* sum / n^length_penalty, where n is step + 1, or without a prefix that is left
                     out what remains of it: by which ended ones are */
  mt_fate fate;
  size_t end_step; /* when that was decided: of WENT_ON and FINISHED its own step; of OUTDONE the
                      step in which a better one took its place */
  float margin;    /* of PRUNED: how much sum was missing, > 0 or = 0, to the last that was kept; of
                      OUTDONE: how much score was missing to the last of the finished; else 0 */
  int32_t result;  /* of FINISHED: index of the translation's hypothesis; -1: it is not told */
} mt_step_node;

/* A part of its translation (mt_translation_steps), never changed once that is made. */
typedef struct {
  size_t n_steps; /* of the longest hypothesis */
  size_t beam_size;
  size_t top; /* what `trace` was */
  float length_penalty;
  size_t n_left_out; /* tokens of the prefix that count in no score */
  size_t n_rows;
  mt_step_row *rows; /* [n_rows] in the order of steps, and within a step of beams */
  size_t n_nodes;
  mt_step_node *nodes;  /* [n_nodes] in the order of steps, and within a step by rank */
  int32_t *rows_behind; /* [n_nodes] of each node: mt_steps_row_of */
  size_t n_results;
  int32_t *results;           /* [n_results]: mt_steps_result */
  struct mt_steps_work *work; /* private */
} mt_steps;

/* Tokens of a node that count in its score: all, or those behind a prefix that is left out. */
size_t mt_steps_counted(const mt_steps *steps, const mt_step_node *node);
/* The row behind a node, -1 for the start; -1: there is none, it did not go on. */
int32_t mt_steps_row_of(const mt_steps *steps, int32_t node);
/* The node in which hypothesis i of the translation ends; -1: there is no such hypothesis. */
int32_t mt_steps_result(const mt_steps *steps, size_t i);

#ifdef __cplusplus
}
#endif
#endif
