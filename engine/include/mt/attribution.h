/* attribution.h — which tokens an output token depends on, and how much of it is from the source.
 * Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_ATTRIBUTION_H
#define MT_PUBLIC_ATTRIBUTION_H

#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/matrix.h>
#include <mt/model.h>
#include <mt/session.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Attribution ----------------------------------------------------------------------------- */

/* How much each token of the source, and of the translation so far, had to do with
 * a word.
 *
 * There is no one answer: here are the published ones, beside each other. Row t is about output
 * token t, the one that decoder row t predicts; it has a number for each source token and for each
 * decoder input 0 … t, of which the first is the start token and input i is output i - 1. What
 * comes later is 0. */

/* What a row of numbers adds up to. */
typedef enum {
  MT_ATTRIBUTION_EACH_ONE,   /* 1 over the source, and 1 over the prefix */
  MT_ATTRIBUTION_BOTH_ONE,   /* 1 over both */
  MT_ATTRIBUTION_DIFFERENCE, /* log p of the word less that without any token, nearly */
  MT_ATTRIBUTION_FREE,       /* nothing that means something */
} mt_attribution_sum;

/* A method. */
typedef struct {
  const char *id;     /* "alti", on the command line and in files */
  const char *name;   /* "ALTI+" */
  const char *source; /* where it was published */
  const char *gives;  /* what a number is, with its unit */
  bool has_layers;    /* it is of one layer, or the mean over all */
  bool has_heads;     /* it may be of one head */
  bool has_encoder;   /* it says likewise what encoder tokens have of each other */
  bool needs_gradient;
  bool is_signed; /* numbers may be below 0: against the word */
  mt_attribution_sum sum;
} mt_attribution_method;
/* THE list. Weights are first. */
size_t mt_attribution_count(void);
const mt_attribution_method *mt_attribution_at(size_t method); /* method < count */
/* Its number by its id; mt_attribution_count(): there is none. */
size_t mt_attribution_find(const char *id);

typedef struct {
  size_t method;
  /* Output token from 0; -1: all of them. */
  int token;
  /* Of methods that have them, from 0: -1 is the mean over all layers, and over all heads what the
   * method says of all. */
  int layer, head;
  /* Points of the path of integrated gradients, by Gauss and Legendre; 0: 50. At most 1024. */
  size_t n_steps;
  /* Called now and then on the calling thread with a share in 0..1, or NULL. */
  void (*on_progress)(void *user, double share);
  void *user;
} mt_attribution_params;
/* ALTI+ of all tokens and layers. */
mt_attribution_params mt_attribution_params_default(void);

/* A row for each output token that was asked for. Never changed once it is made; counted. */
typedef struct {
  int ref_count; /* private */
  size_t method;
  size_t first;     /* output token of row 0 */
  mt_matrix source; /* [rows][S] */
  mt_matrix prefix; /* [rows][T] */
  /* [S][S], of each encoder token what the others have to do with it; data NULL: the method does
   * not say, or one token was asked for. */
  mt_matrix encoder;
  /* [rows] of MT_ATTRIBUTION_DIFFERENCE: log p of the word less that with every embedding at 0,
   * which the row sums to but for the steps of the integral; else NULL. */
  float *differences;
} mt_attribution;

/* Of hypothesis `index` of a translation, which may be another model's, teacher-forced. Of hooks,
 * changes are made and should_stop is polled before every layer of every pass; all else of them is
 * left aside. Changes must be such as mt_interventions_check_explained allows; they are part of
 * what is attributed, gradients included. Time: weights to ALTI+ take one pass; value zeroing as
 * many layers as there are keys; occlusion a copy of the sentence for each token, many in one pass;
 * gradients one pass back for each word, integrated ones n_steps of both. Errors: MT_ERROR_INPUT
 * for a hypothesis, tokens, changes, a layer, head or method that do not fit, MT_ERROR_TOO_LONG,
 * MT_ERROR_IO (mt_guard_mapped_files), MT_ERROR_CANCELLED, MT_ERROR_NO_MEMORY. */
mt_attribution *mt_attribution_new(mt_session *session, const mt_translation *translation,
                                   size_t index, const mt_attribution_params *params,
                                   const mt_hooks *hooks, mt_error *error);
/* What B says more than A, by the same method of the same words, such as one translation without
 * changes (A) and with them (B): every number of B less that of A. Errors: MT_ERROR_INPUT, they are
 * of other tokens or by another method; MT_ERROR_NO_MEMORY. */
mt_attribution *mt_attribution_difference(const mt_attribution *b, const mt_attribution *a,
                                          mt_error *error);
mt_attribution *mt_attribution_ref(mt_attribution *attribution);
void mt_attribution_unref(mt_attribution *attribution);

/* ---- The bench: one word, all methods -------------------------------------------------------- */

/* What all methods say of one word, and how far they agree with each other and with what happens
 * when tokens are hidden. Never changed once it is made. */
typedef struct {
  size_t n_methods, n_source;
  size_t n_prefix; /* inputs that the word knows */
  /* [n_methods] one row over the source and one over the prefix. */
  mt_attribution **attributions;
  /* [n_methods][n_methods] rank correlation (Spearman 1904, ties by their mean rank) of two methods
   * over source and prefix tokens together, -1..1; NAN where one of them says the same of all. */
  double *spearman;
  /* [n_methods][n_source + 1] the deletion curve: log p of the word in nats when 0, 1, … S source
   * tokens are hidden from all queries (change "source N hide"), those with the largest numbers
   * first. */
  float *deletion;
  /* [n_methods][n_source] which token was hidden at each step; NULL: it is a difference. */
  size_t *order;
} mt_method_comparison;

/* params: token (which must be one), layer, head, n_steps and progress count. Errors as above. */
mt_method_comparison *mt_method_comparison_new(mt_session *session,
                                               const mt_translation *translation, size_t index,
                                               const mt_attribution_params *params,
                                               const mt_hooks *hooks, mt_error *error);
/* B less A, of the same word: attributions, curves and so areas of B less those of A, each curve
 * along its own order of tokens; correlations are of the differences. Errors as those of
 * mt_attribution_difference. */
mt_method_comparison *mt_method_comparison_difference(const mt_method_comparison *b,
                                                      const mt_method_comparison *a,
                                                      mt_error *error);
void mt_method_comparison_free(mt_method_comparison *bench);
/* Area between the first value and the curve, as a mean over the steps by trapezoids, in nats: how
 * much log p falls on average. The larger, the better the method found what the word hangs on. */
double mt_method_comparison_area(const mt_method_comparison *bench, size_t method);

/* ---- Trust ----------------------------------------------------------------------------------- */

/* Is it translated or invented: how much of each word comes from the source, and how much
 * of each source token was used.
 *
 * From ALTI+ (attribution.h), whose row t gives each word 1 to share among source and prefix
 * (Ferrando et al. 2022, section 5; for hallucinations and omissions Dale et al. 2023): a word that
 * comes from the prefix alone may be invented, a source token that no word has much of may be left
 * out. It is a hint, not a proof: what is usual differs between models, so that marks want a text
 * to compare with. */

/* What is so little that it is marked. */
typedef struct {
  double share;       /* a word with less of it from the source: "hardly from the source" */
  double use;         /* a source token that words have less of: "left out" */
  double quantile;    /* the share of a text's words, and of its tokens, that were below */
  size_t n_sentences; /* of that text; 0: there was none, and nothing is marked */
} mt_source_contribution_thresholds;

/* Those of a file (mt_source_contribution_thresholds_text) for this model. MT_ERROR_IO: no such
 * file; MT_ERROR_FORMAT names what is wrong; MT_ERROR_INPUT: they are of another model. It is known
 * by its fingerprint, or, in files that are older than that, by its name. */
bool mt_source_contribution_thresholds_read(mt_source_contribution_thresholds *thresholds,
                                            const char *path, const mt_model *model,
                                            mt_error *error);
/* Those of MT_SOURCE_CONTRIBUTION_FILE in a model's folder, or none, if there is no such file
 * there. */
#define MT_SOURCE_CONTRIBUTION_FILE "trust.json"
bool mt_source_contribution_thresholds_of_model(mt_source_contribution_thresholds *thresholds,
                                                const mt_model *model, mt_error *error);

/* Never changed once it is made; counted. */
typedef struct {
  int ref_count;              /* private */
  mt_tokens *source, *output; /* of the translation */
  size_t n_source, n_target;
  float *shares; /* [n_target] share of each output token that is from the source, 0..1 */
  /* [n_source] how much the output tokens have of each source token together: the sum of a column.
   */
  float *uses;
} mt_source_contribution;
/* Of hypothesis `index` of a translation, in one pass and what mt_attribution_new takes for ALTI+.
 * Errors as there. */
mt_source_contribution *mt_source_contribution_new(mt_session *session,
                                                   const mt_translation *translation, size_t index,
                                                   const mt_hooks *hooks, mt_error *error);
mt_source_contribution *mt_source_contribution_ref(mt_source_contribution *trust);
void mt_source_contribution_unref(mt_source_contribution *trust);

/* Mean and least share over output tokens without special ones such as </s>; NAN: there are none.
 */
double mt_source_contribution_mean(const mt_source_contribution *trust);
double mt_source_contribution_least(const mt_source_contribution *trust);
/* Whether they are marked; special tokens never are. */
bool mt_source_contribution_is_weak(const mt_source_contribution *trust,
                                    const mt_source_contribution_thresholds *thresholds,
                                    size_t token);
bool mt_source_contribution_is_left_out(const mt_source_contribution *trust,
                                        const mt_source_contribution_thresholds *thresholds,
                                        size_t token);

/* ---- Thresholds for a model ------------------------------------------------------------------ */

/* What is usual: a text's words and tokens. */
typedef struct mt_source_contribution_sample mt_source_contribution_sample;
mt_source_contribution_sample *mt_source_contribution_sample_new(mt_error *error);
void mt_source_contribution_sample_free(mt_source_contribution_sample *sample);
bool mt_source_contribution_sample_add(mt_source_contribution_sample *sample,
                                       const mt_source_contribution *trust, mt_error *error);
/* The value below which a `quantile`, 0..1 without the ends, of all words and of all source tokens
 * are, between two values by their distance. MT_ERROR_INPUT: a quantile outside, or a sample
 * without words. */
bool mt_source_contribution_sample_finish(mt_source_contribution_sample *sample, double quantile,
                                          mt_source_contribution_thresholds *thresholds,
                                          mt_error *error);
/* The same as text of a file that says of which model, terminated and with a newline at its end;
 * free it with mt_source_contribution_text_free. */
char *mt_source_contribution_thresholds_text(const mt_source_contribution_thresholds *thresholds,
                                             const mt_model *model, mt_error *error);
void mt_source_contribution_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
