/* trust.h — is it translated or invented: how much of each word comes from the source, and how much
 * of each source token was used. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From ALTI+ (attribution.h), whose row t gives each word 1 to share among source and prefix
 * (Ferrando et al. 2022, section 5; for hallucinations and omissions Dale et al. 2023): a word that
 * comes from the prefix alone may be invented, a source token that no word has much of may be left
 * out. It is a hint, not a proof: what is usual differs between models, so that marks want a text
 * to compare with.
 */
#ifndef MT_PUBLIC_TRUST_H
#define MT_PUBLIC_TRUST_H

#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/session.h>
#include <mt/translation.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is so little that it is marked. */
typedef struct {
  double share;       /* a word with less of it from the source: "hardly from the source" */
  double use;         /* a source token that words have less of: "left out" */
  double quantile;    /* the share of a text's words, and of its tokens, that were below */
  size_t n_sentences; /* of that text; 0: there was none, and nothing is marked */
} mt_trust_thresholds;

/* Those of a file (mt_trust_thresholds_text) for this model. MT_ERROR_IO: no such file;
 * MT_ERROR_FORMAT names what is wrong; MT_ERROR_INPUT: they are of another model. It is known by
 * its fingerprint, or, in files that are older than that, by its name. */
bool mt_trust_thresholds_read(mt_trust_thresholds *thresholds, const char *path,
                              const mt_model *model, mt_error *error);
/* Those of MT_TRUST_FILE in a model's folder, or none, if there is no such file there. */
#define MT_TRUST_FILE "trust.json"
bool mt_trust_thresholds_of_model(mt_trust_thresholds *thresholds, const mt_model *model,
                                  mt_error *error);

/* Immutable, atomically reference-counted. */
typedef struct mt_trust mt_trust;
/* Of hypothesis `index` of a translation, in one pass and what mt_attribution_new takes for ALTI+.
 * Errors as there. */
mt_trust *mt_trust_new(mt_session *session, const mt_translation *translation, size_t index,
                       const mt_hooks *hooks, mt_error *error);
/* The same in a session of its own. */
mt_trust *mt_model_trust(mt_model *model, const mt_translation *translation, size_t index,
                         const mt_hooks *hooks, mt_error *error);
mt_trust *mt_trust_ref(mt_trust *trust);
void mt_trust_unref(mt_trust *trust);

/* [T] share of each output token that is from the source, 0..1; and [S] how much the output tokens
 * have of each source token together: the sum of a column. Borrowed. */
const float *mt_trust_shares(const mt_trust *trust, size_t *n_target);
const float *mt_trust_uses(const mt_trust *trust, size_t *n_source);
/* Mean and least share over output tokens without special ones such as </s>; NAN: there are none.
 */
double mt_trust_mean(const mt_trust *trust);
double mt_trust_least(const mt_trust *trust);
/* Whether they are marked; special tokens never are. */
bool mt_trust_is_weak(const mt_trust *trust, const mt_trust_thresholds *thresholds, size_t token);
bool mt_trust_is_left_out(const mt_trust *trust, const mt_trust_thresholds *thresholds,
                          size_t token);

/* ---- Thresholds for a model -------------------------------------------------------------------
 */

/* What is usual: a text's words and tokens. */
typedef struct mt_trust_sample mt_trust_sample;
mt_trust_sample *mt_trust_sample_new(mt_error *error);
void mt_trust_sample_free(mt_trust_sample *sample);
bool mt_trust_sample_add(mt_trust_sample *sample, const mt_trust *trust, mt_error *error);
/* The value below which a `quantile`, 0..1 without the ends, of all words and of all source tokens
 * are, between two values by their distance. MT_ERROR_INPUT: a quantile outside, or a sample
 * without words. */
bool mt_trust_sample_finish(mt_trust_sample *sample, double quantile,
                            mt_trust_thresholds *thresholds, mt_error *error);
/* The same as text of a file that says of which model, terminated and with a newline at its end;
 * free it with mt_trust_text_free. */
char *mt_trust_thresholds_text(const mt_trust_thresholds *thresholds, const mt_model *model,
                               mt_error *error);
void mt_trust_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
