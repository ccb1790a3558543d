/* sentences.h — translating in tests: sessions, translations and captures that must succeed, many
 * texts at a time, and whether two results are the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <mt.h>

/* A model at this place in the source tree, which must be good. "toy/t5": one with the words of a
 * small checkpoint and random weights as T5 has them (toy-model.h); "toy/relative": likewise, as
 * the paper has them but for relative positions, other ones in each layer, and a norm after the
 * embedding. */
mt_model *sentences_model(const char *relative);
mt_session *sentences_session(mt_model *model, unsigned n_threads, bool keeps_attention);
/* The same, whose greedy searches guess ahead in int8 from the first token on. */
mt_session *sentences_guesser(mt_model *model, unsigned n_threads, bool keeps_attention);
/* Interventions that must be good. */
mt_interventions *sentences_parse(const char *text);
/* As many hypotheses as beams. */
mt_translation *sentences_translate(mt_session *session, const char *text, size_t n_beams,
                                    const mt_hooks *hooks);
/* Of the best hypothesis. */
mt_capture *sentences_capture(mt_session *session, const mt_translation *translation,
                              const mt_hooks *hooks);

/* In double: what a norm of the model takes from a row x [d] before it divides, 0 in RMS norms, and
 * what it divides by. */
void sentences_measure(const mt_model *model, const double *x, double *mean, double *sigma);

/* A trace of a translation of at most so many tokens with interventions (NULL: none): these points,
 * bits of MT_HOOK_POINT_BIT, and what mt_activation_requests_add_stream adds if it is wanted. */
mt_trace *sentences_trace(mt_model *model, const char *text, const char *interventions,
                          size_t max_length, uint32_t hook_points, bool has_stream);
/* A test of "PREFIX/NAME" for models of every form; its data is their place in the source tree. */
void sentences_test_models(const char *prefix, void (*test)(const void *place));

/* Translate them together; translations [n] are to be released. */
void sentences_translate_many(mt_session *session, const char *const *texts, size_t n,
                              size_t n_beams, const mt_hooks *hooks, mt_translation **translations);

/* Of the best hypothesis: parts that are computed without the whole are, byte for byte of their
 * files, what mt_capture_part gives of it, and these and the whole take the memory that was said.
 */
void sentences_check_parts(mt_session *session, const mt_translation *translation, unsigned flags,
                           const mt_hooks *hooks);

/* The best hypothesis and its log-probabilities, bit for bit. */
void sentences_assert_same(const mt_translation *a, const mt_translation *b);
/* All weights and log-probabilities: bit for bit, or no further apart than that. */
void sentences_assert_same_capture(const mt_capture *a, const mt_capture *b);
void sentences_assert_near_capture(const mt_capture *a, const mt_capture *b, double tolerance);
