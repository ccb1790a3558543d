/* mt-session.h — the run state of one session. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_SESSION_H
#define MT_SESSION_H

#include "base/mt-arena.h"
#include "paper/mt-decoder.h"
#include "search/mt-draft.h"
#include "search/mt-search.h"

/* For what sizes the run state is laid out. */
typedef struct {
  size_t n_source;   /* rows of the encoder */
  size_t n_target;   /* rows of a parallel decoder pass; 0: only steps */
  size_t n_beams;    /* rows of a decoding step; 0: only parallel */
  size_t max_length; /* decoding steps */
  mt_record_extent recorded;
} mt_run_shape;

struct mt_session {
  mt_model *model;
  mt_ops ops;
  char *arena; /* everything below points into it */
  size_t arena_size;
  mt_buffers buffers;
  mt_kv_cache cache;
  mt_draft draft; /* of the next search: what the one before did */
  bool keeps_attention;
  mt_recording recording;
};

/* Lay the run state out for a shape; allocates only if it does not fit. On failure there is no run
 * state, and the next reserve starts anew. */
bool mt_session_reserve(mt_session *session, const mt_run_shape *shape, mt_error *error);

/* Room for so many rows in all buffers but scores and logits; and in ops, if the model wants it,
 * for the quantised input of a map. */
void mt_buffers_lay_out(mt_buffers *buffers, mt_ops *ops, const mt_model *model, size_t rows,
                        mt_arena *arena);

/* A pass over the session's model; capture and hooks may be NULL. */
mt_pass mt_session_begin_pass(mt_session *session, mt_capture *capture, const mt_hooks *hooks,
                              mt_error *error);

/* The translation, if its model's weights were there all the time; else NULL, and it is released.
 */
mt_translation *mt_session_if_intact(const mt_session *session, mt_translation *translation,
                                     mt_error *error);

/* The rules of a search with checked params, by the model's configuration. */
mt_search_rules mt_session_rules(const mt_session *session, const mt_search_params *params);

/* The results of a search, detokenised. */
mt_translation *mt_session_make_translation(const mt_session *session, mt_tokens *source,
                                            const mt_search *search, mt_error *error);

/* Milliseconds since whenever. */
double mt_session_clock(void);

/* Search from source ids [n]; the caller frees the result. params are checked, ids inside the
 * vocabulary and not more than the model has positions. */
mt_search *mt_session_search(mt_session *session, const int32_t *source, size_t n,
                             const mt_search_params *params, const mt_hooks *hooks,
                             mt_error *error);

/* The decoder's half of mt_session_force, on the encoder's output of the search before, whose room
 * is still there; no log-probabilities. */
bool mt_session_force_decoder(mt_session *session, const int32_t *input, size_t n_target,
                              mt_capture *capture, const mt_hooks *hooks, mt_error *error);

/* One parallel pass: log-probabilities [n_target] of output given decoder input and source, if
 * it is not NULL; fills capture if that is not NULL. Lengths as above. */
bool mt_session_force(mt_session *session, const int32_t *source, size_t n_source,
                      const int32_t *input, const int32_t *output, size_t n_target, float *logprobs,
                      mt_capture *capture, const mt_hooks *hooks, mt_error *error);

/* ---- Translations -----------------------------------------------------------------------------
 */

/* A translation of n hypotheses, all empty; source is referenced. */
mt_translation *mt_translation_new(mt_tokens *source, size_t n, mt_error *error);

/* Fill hypothesis i: tokens are referenced, logprobs [count] copied, text copied. */
bool mt_translation_set(mt_translation *translation, size_t i, mt_tokens *tokens, const char *text,
                        const float *logprobs, float score, mt_error *error);

/* A number that no other translation of this process has; not 0. */
uint64_t mt_translation_number(const mt_translation *translation);

/* The log-probabilities are those of this model as it is; without this, nobody knows. */
void mt_translation_set_model(mt_translation *translation, const mt_model *model);
bool mt_translation_is_of(const mt_translation *translation, const mt_model *model);

void mt_translation_set_milliseconds(mt_translation *translation, double milliseconds);
void mt_translation_set_precision(mt_translation *translation, mt_precision precision);

#endif
