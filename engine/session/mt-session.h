/* mt-session.h — the run state of one session. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_SESSION_H
#define MT_SESSION_H

#include "session/mt-run.h"

struct mt_session {
  mt_model *model;
  mt_ops ops;                      /* with the threads; each run has room of its own for them */
  mt_run run;                      /* of one sentence */
  mt_draft draft;                  /* of the next search: what the one before did */
  mt_interventions *interventions; /* those that make the model what it is; or NULL */
  bool keeps_attention;
  mt_guessing guessing;
};

/* What an analysis takes of hooks, which may be NULL: changes and should_stop; with requests of its
 * own.
 */
static inline mt_hooks
mt_hooks_with_requests(const mt_hooks *hooks, const mt_activation_requests *requests)
{
  return hooks ? (mt_hooks){.interventions = hooks->interventions,
                            .should_stop = hooks->should_stop,
                            .user = hooks->user,
                            .requests = requests}
               : (mt_hooks){.requests = requests};
}

/* Are the changes and requests such as this model can have? hooks may be NULL. */
bool mt_session_check_hooks(const mt_session *session, const mt_hooks *hooks, mt_error *error);

/* The tokens of a source, such as the changes of hooks can be made to. */
mt_tokens *mt_session_tokenize(const mt_session *session, const char *text,
                               const mt_search_params *params, const mt_hooks *hooks,
                               mt_error *error);
/* The tokens of a translation that is given, with the one that all begin with. */
mt_tokens *mt_session_tokenize_target(const mt_session *session, const char *target, int language,
                                      mt_error *error);
/* The same of tokens that are there. */
bool mt_session_check_source(const mt_tokens *source, const mt_hooks *hooks, mt_error *error);

/* Are there tokens, and not too many, of which the model has all? */
bool mt_session_check_tokens(const mt_session *session, mt_stack stack, const mt_tokens *tokens,
                             mt_error *error);

/* Can hypothesis `index` of a translation, which may be another model's, go through this model with
 * these hooks? */
bool mt_session_check_hypothesis(const mt_session *session, const mt_translation *translation,
                                 size_t index, const mt_hooks *hooks, mt_error *error);

/* A source and an output, which were checked and must stay, for mt_forced_clear. start_id: the
 * token that the decoder starts with. */
bool mt_session_forced(const mt_session *session, const mt_tokens *source, const mt_tokens *output,
                       int32_t start_id, mt_forced *forced, mt_error *error);
/* The start token of a translation in this model. */
int32_t mt_session_start_id(const mt_session *session, const mt_translation *translation);
/* The same of a hypothesis, which is checked as by mt_session_check_hypothesis. */
bool mt_session_forced_hypothesis(const mt_session *session, const mt_translation *translation,
                                  size_t index, const mt_hooks *hooks, mt_forced *forced,
                                  mt_error *error);
void mt_forced_clear(mt_forced *forced);

/* A translation that was made with these hooks says so, as far as it can be said. */
void mt_session_sign(const mt_session *session, mt_translation *translation, const mt_hooks *hooks);

/* The attention of the newest translation, as far as it was kept. */
mt_recording *mt_session_recording(const mt_session *session);

/* The translation, if its model's weights were there all the time; else NULL, and it is released.
 */
mt_translation *mt_session_if_intact(const mt_session *session, mt_translation *translation,
                                     mt_error *error);

/* The rules of a search with checked params, by the model's configuration. */
mt_search_rules mt_session_rules(const mt_model *model, const mt_search_params *params);

/* The results of a search, detokenised, and what it traced, which it has no longer. */
mt_translation *mt_session_make_translation(const mt_session *session, mt_tokens *source,
                                            mt_search *search, mt_error *error);

/* Milliseconds since whenever. */
double mt_session_clock(void);

/* Search from source ids [n]; the caller frees the result. params are checked, ids inside the
 * vocabulary and not more than the model has positions. */
mt_search *mt_session_search(mt_session *session, const int32_t *source, size_t n,
                             const mt_search_params *params, const mt_hooks *hooks,
                             mt_error *error);

/* One parallel pass: log-probabilities [n_target] of the output, if they are not NULL; fills
 * capture if that is not NULL. Lengths as above. */
bool mt_session_force(mt_session *session, const mt_forced *forced, float *logprobs,
                      mt_capture *capture, const mt_hooks *hooks, mt_error *error);

/* mt_session_trace of a source and an output that need not be a translation: no log-probabilities,
 * and no capture. Both are checked for what the model can have; so are the hooks. */
mt_trace *mt_session_trace_tokens(mt_session *session, mt_tokens *source, mt_tokens *output,
                                  int32_t start_id, const mt_hooks *hooks, mt_error *error);

/* ---- Translations ---------------------------------------------------------------------------- */

/* A translation of n hypotheses, all empty; source is referenced. */
mt_translation *mt_translation_new(mt_tokens *source, size_t n, mt_error *error);

/* The token that its decoder starts with; -1: the model's own. */
void mt_translation_set_start(mt_translation *translation, int32_t start_id);

/* What it was made for, if it was not searched for. */
void mt_translation_set_task(mt_translation *translation, const mt_search_params *params);

/* Fill hypothesis i: tokens are referenced, logprobs [count] copied, text copied. n_forced may be
 * more than there are. */
bool mt_translation_set(mt_translation *translation, size_t i, mt_tokens *tokens, const char *text,
                        const float *logprobs, float score, size_t n_forced, mt_error *error);

/* A number that no other translation of this process has; not 0. */
uint64_t mt_translation_number(const mt_translation *translation);

/* It is what this model says with these changes, or, if the model is NULL, with something else,
 * too; without this, nobody knows. */
bool mt_translation_is_of(const mt_translation *translation, const mt_model *model,
                          const mt_interventions *interventions);

void mt_translation_set_milliseconds(mt_translation *translation, double milliseconds);

/* Texts of mt_session_translate_many that wait for a result of one before them, and those that are
 * read. */
#define MT_BATCH_MAX_WAITING 2048

#endif
