/* mt-run.h — sentences in the model: the memory they run in, and one pass after the other. Private
 * to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A decoding step waits for the weights of the decoder. Hypotheses of many sentences that go
 * through it together read them once. A session has a run for the sentence that it translates,
 * scores or captures, and translating many texts makes one for many; what happens to a sentence is
 * written once, here.
 */
#ifndef MT_RUN_H
#define MT_RUN_H

#include "base/mt-alloc.h"
#include "mt.h"
#include "paper/mt-pass.h"
#include "search/mt-draft.h"
#include "search/mt-search.h"
#include "session/mt-self-draft.h"

/* ---- The attention of a search --------------------------------------------------------------- */

/* The attention of a search, kept while it runs, so that a capture of its result
 * need not be computed a second time.
 *
 * Every row of attention that a step computes is kept for its position and beam; the hypotheses
 * know from which row of each step their tokens came (back pointers), so that the rows of any of
 * them can be put together afterwards. Only sentences of everyday length are recorded: for the
 * others a second, parallel pass is cheap beside the search and needs no other memory than the
 * capture. */

/* Longest source and longest output, in tokens. */
#define MT_RECORDING_MAX 128
/* Most beams whose rows are kept. Nearly all rows of a wider search are of hypotheses that nobody
 * asks for, hundreds of megabytes, and a second pass is cheap beside it. */
#define MT_RECORDING_MAX_BEAMS 8

/* What is kept. A search with rounded weights, or with very many beams, keeps the encoder's
 * attention, since the encoder is neither rounded nor computed for each beam, and what the decoder
 * attends to is computed again with the weights themselves. */
typedef enum { MT_RECORD_NOTHING, MT_RECORD_ENCODER, MT_RECORD_ALL } mt_record_extent;

/* All memory belongs to the session's arena. */
typedef struct {
  mt_record_extent extent;
  uint64_t number; /* of the translation that is recorded, 0: none */
  size_t n_source, n_beams;
  size_t n_results; /* hypotheses with back pointers */
  size_t n_heads[MT_N_STACKS], n_layers[MT_N_STACKS];
  /* One row for each layer, head, position and beam; the encoder has positions only. */
  float *weights[MT_N_KINDS]; /* [L][H][positions * beams][keys], keys being n_source or
                                 MT_RECORDING_MAX */
  float *row_lse[MT_N_KINDS]; /* [L][H][positions * beams] */
  uint32_t *rows;             /* [n_beams][MT_RECORDING_MAX]: beam of each token of a result */
} mt_recording;

/* Who looks for it, into *requests, which must stay: requests whose callback is the recording. */
mt_observer mt_recording_observe(mt_recording *recording, mt_activation_requests *requests);

/* Fill in weights and row_lse of one kind of attention of a capture from result i; its tokens are
 * those of the result. */
void mt_recording_play(const mt_recording *recording, mt_attention_kind kind, size_t i,
                       mt_capture *capture);

/* ---- Runs ------------------------------------------------------------------------------------ */

/* A sentence and its output as one parallel pass takes them. */
typedef struct {
  const int32_t *source; /* [n_source] */
  size_t n_source;
  const int32_t *input, *output; /* [n_target] of the decoder, and what comes after each */
  size_t n_target;
  mt_tokens *decoder_input; /* whose ids `input` are, for mt_forced_clear; or NULL */
} mt_forced;

/* For what sizes a run is laid out. */
typedef struct {
  size_t n_sentences; /* in the model at once */
  size_t n_source;    /* tokens of the longest source */
  size_t n_target;    /* rows of a parallel decoder pass; 0: only steps */
  size_t n_beams;     /* rows of a sentence's decoding step; 0: only parallel */
  size_t max_length;  /* decoding steps */
  /* At least so much, where it is not given by the rest, which is enough for one sentence: */
  size_t n_rows;   /* of a pass */
  size_t n_kv;     /* rows of the pool */
  size_t n_logits; /* rows of logits at once */
  mt_record_extent recorded;
  bool guesses; /* the one sentence's search may guess in int8 */
} mt_run_shape;

/* A sentence in the model. */
typedef struct {
  size_t number; /* for those who look, and whoever runs it */
  mt_kv_sentence kv;
  const int32_t *source; /* [n_source] borrowed */
  size_t n_source;
  mt_search *search; /* borrowed; NULL: it has a target */
  /* What is supposed to come, if there is just one hypothesis; or NULL. Borrowed. */
  mt_draft *draft;
  mt_recording recording;
  bool is_failed; /* the search is, for that reason */
  mt_error error;
} mt_sentence;

typedef struct {
  const mt_model *model;
  mt_ops ops;
  char *arena; /* everything below points into it */
  size_t arena_size;
  mt_buffers buffers;
  mt_kv_pool pool;
  mt_groups groups;       /* of the next pass, or of the newest */
  mt_sentence **in_pass;  /* [groups.n] the sentence of each group */
  int32_t *ids;           /* [rows of a pass] */
  mt_sentence *sentences; /* [n_sentences] */
  size_t n_sentences;
  mt_self_draft self_draft; /* of the one sentence */
} mt_run;

/* Lay the run out for a shape, with nothing in the model; allocates only if it does not fit. On
 * failure there are no sentences, and the next reserve starts anew. ops are copied. */
bool mt_run_reserve(mt_run *run, const mt_model *model, const mt_ops *ops,
                    const mt_run_shape *shape, mt_error *error);
void mt_run_clear(mt_run *run);

/* Who looks, what is changed, and who may end it: changes of the model and hooks may be NULL. */
mt_pass mt_run_begin_pass(const mt_run *run, const mt_interventions *of_model,
                          const mt_hooks *hooks, mt_error *error);

/* The next pass is begun, without any rows. */
void mt_run_begin_rows(mt_run *run);

/* The source of a sentence goes through the encoder, ids [n], which are borrowed until its search
 * is done. False: its keys have no room in the pool. */
bool mt_run_add_source(mt_run *run, mt_sentence *sentence, const int32_t *ids, size_t n);
/* The encoder, and the keys of cross-attention, for all that were added. False: cancelled. */
bool mt_run_encode(mt_run *run, const mt_pass *pass);
/* The same for what will be searched for: with the rounded encoder, if the model has one. */
bool mt_run_encode_for_search(mt_run *run, const mt_pass *pass);

/* Then either a search. Begin: with the start token. Steps: the hypotheses of a sentence go on with
 * a row each, and with what its draft supposes; false: there is no room in the pool. */
void mt_run_begin_search(mt_sentence *sentence, mt_search *search, mt_draft *draft);
bool mt_run_add_step(mt_run *run, mt_sentence *sentence);
/* A step of the decoder for all that were added, and what their searches choose, as often as drafts
 * come true. A search that fails says so in its sentence. False: cancelled. */
bool mt_run_step(mt_run *run, const mt_pass *pass);

/* Or, after the same encoder, the whole output in one parallel pass of the decoder, with
 * log-probabilities [n_target] of it if they are not NULL. False: cancelled. */
bool mt_run_force(mt_run *run, const mt_pass *pass, mt_sentence *sentence, const mt_forced *forced,
                  float *logprobs);

/* Or the outputs of several sentences, whose rows were added one by one after mt_run_begin_rows: no
 * log-probabilities. */
void mt_run_add_target(mt_run *run, mt_sentence *sentence, const int32_t *ids, size_t n);
bool mt_run_force_all(mt_run *run, const mt_pass *pass);

/* The sentence leaves the model. */
void mt_run_end(mt_run *run, mt_sentence *sentence);

#endif
