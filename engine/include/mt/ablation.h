/* ablation.h — interventions measured: mean contexts, effects of heads, states of one run patched
 * into another. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_EFFECTS_H
#define MT_PUBLIC_EFFECTS_H

#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/interventions.h>
#include <mt/model.h>
#include <mt/session.h>
#include <mt/tokens.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Mean contexts of heads ------------------------------------------------------------------ */

/* Of each head of each layer and kind the mean of its context, [d_head], over all queries of a
 * text's sentences and of their translations, with the model as it is. A head whose context is
 * replaced by it (the change "mean", changes.h) says what it says on average, and nothing of this
 * sentence; zero may be far from anything that the model has seen. Immutable, reference-counted. */
typedef struct mt_means {
  int ref_count;
  char *text, *model_name; /* which text, as it was called, and whose means they are */
  size_t n_sentences, n_tokens[MT_N_STACKS]; /* source tokens, and tokens of translations */
  size_t d_model, n_layers[MT_N_KINDS], n_heads[MT_N_KINDS], d_head[MT_N_KINDS];
  float *means[MT_N_KINDS]; /* [n_layers][n_heads][d_head] */
  uint64_t fingerprint;     /* of the model */
  uint64_t hash;            /* of the numbers */
} mt_means;
mt_means *mt_means_ref(mt_means *means);
void mt_means_unref(mt_means *means);
/* [d_head]; borrowed. Layer and head are the model's. */
const float *mt_means_get(const mt_means *means, mt_attention_kind kind, size_t layer, size_t head);

/* False, MT_ERROR_INPUT, which names both models: they are those of another one. It is known by its
 * sizes and a hash of some of its weights, whatever it is called. */
bool mt_means_check(const mt_means *means, const mt_model *model, mt_error *error);

/* Making them: a sum to which translations are added one by one. The model's own translations of a
 * text are meant to be. The session is borrowed and must outlive the sum. */
typedef struct mt_means_sum mt_means_sum;
mt_means_sum *mt_means_sum_new(mt_session *session, mt_error *error);
void mt_means_sum_free(mt_means_sum *sum);
/* Hypothesis `index`, teacher-forced; of hooks only should_stop counts. False: errors as those of
 * mt_session_capture, and nothing was added. */
bool mt_means_sum_add(mt_means_sum *sum, const mt_translation *translation, size_t index,
                      const mt_hooks *hooks, mt_error *error);
/* text: how the text is called. NULL: MT_ERROR_INPUT if nothing was added; MT_ERROR_NO_MEMORY. */
mt_means *mt_means_sum_finish(const mt_means_sum *sum, const char *text, mt_error *error);

/* An .npz: encoder, decoder, cross [layers][heads][d_head] float32; counts [3] int32: sentences,
 * source tokens, tokens of translations; and as 0-d unicode text, model (its name) and fingerprint
 * (the hash, 16 hexadecimal digits). Written as mt_capture_write_npz does. */
bool mt_means_write(const mt_means *means, const char *path, mt_error *error);
/* Reads that, for this model. Everything is checked before it is used: MT_ERROR_IO,
 * MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED, MT_ERROR_INPUT (of another model), MT_ERROR_TOO_LONG,
 * MT_ERROR_NO_MEMORY. */
mt_means *mt_means_read(const char *path, const mt_model *model, mt_error *error);

/* Those that come with a model: of MT_MEANS_FILE in its folder, else of the first file by name
 * there that ends in "." MT_MEANS_FILE. folder: a model's, or an archive, of which `model` was
 * opened. NULL: MT_ERROR_IO, which says how they are made, if there are none; else as
 * mt_means_read. */
#define MT_MEANS_FILE "means.npz"
mt_means *mt_means_find(const char *folder, const mt_model *model, mt_error *error);
/* Whether a file of that name is one that mt_means_find would take. */
bool mt_means_is_name(const char *name);

/* The same changes, where "mean" means these; means NULL: none. Lists are equal only if their means
 * are, too. The text of a list does not hold its means, nor do requests and captures in files. */
mt_interventions *mt_interventions_with_means(const mt_interventions *interventions,
                                              mt_means *means, mt_error *error);
/* Whether some of them want means. */
bool mt_interventions_need_means(const mt_interventions *interventions);
/* Borrowed; NULL: none. */
const mt_means *mt_interventions_means(const mt_interventions *interventions);

/* ---- Effects of heads ------------------------------------------------------------------------ */

/* How a head is taken out: the changes of these names (changes.h). */
typedef enum {
  MT_ABLATION_ZERO,    /* its context is 0 */
  MT_ABLATION_UNIFORM, /* all keys that a query sees have the same weight */
  MT_ABLATION_MEAN,    /* its context is its mean over a text */
  MT_N_ABLATIONS,
} mt_ablation_kind;
/* "zero", as in a change and on the command line. */
const char *mt_ablation_kind_name(mt_ablation_kind kind);

typedef struct {
  mt_ablation_kind kind;
  mt_means *means; /* for MT_ABLATION_MEAN, of this model; borrowed */
  /* [heads of all kinds] by kind, layer and head: those that are asked for, as where many are taken
   * out already; the effect of others is 0. NULL: all. Borrowed for the call. */
  const bool *wanted;
  /* A contrast, too: between output token `token`, from 0, and the piece with the id `against` in
   * its place. has_contrast false: none. */
  bool has_contrast;
  size_t token;
  int32_t foil;
  /* Called now and then on the calling thread with a share in 0..1, or NULL. */
  void (*on_progress)(void *user, double share);
  void *user;
} mt_ablation_params;

/* The effect of each head of each layer and kind on one translation y of x, teacher-forced:
 *
 *     effect = log p(y|x) - log p(y|x, this head changed)      in nats (natural logarithm)
 *
 * Positive: without the head the translation is less likely; the head speaks for it. Each head is
 * changed alone, so that a head which another stands in for has little effect, and effects of
 * several do not add up to the effect of all of them. Never changed once it is made; counted. */
typedef struct {
  int ref_count; /* private */
  mt_ablation_kind kind;
  size_t n_layers[MT_N_KINDS], n_heads[MT_N_KINDS];
  size_t n_tokens; /* of the output, </s> among them */
  float *logprobs; /* [n_tokens] log p of each output token with all heads as they are */
  float *tokens;   /* [heads of all kinds][n_tokens], by kind, layer and head: mt_ablation_tokens */
  bool has_contrast;
  /* With all heads as they are, logit(y_t) - logit(against) at the contrast's token. */
  float margin;
  float *contrast; /* [heads of all kinds]: mt_ablation_contrast */
} mt_ablation;

/* Of hypothesis `index` of a translation, which may be another model's. params NULL: zero, without
 * contrast. Of hooks, changes are made in both passes, before the head's own, and should_stop is
 * polled before every layer; all else of them is left aside. Weights are those that are stored,
 * whatever the model's precision. Numbers are those of one teacher-forced pass for each head with
 * its change, but for rounding; they are computed for many heads at once, from the layer of the
 * head on. A long sentence takes more time, not more memory.
 * Errors: MT_ERROR_INPUT for a hypothesis, tokens, changes or a contrast that do not fit,
 * MT_ERROR_TOO_LONG, MT_ERROR_IO (mt_guard_mapped_files), MT_ERROR_CANCELLED, MT_ERROR_NO_MEMORY.
 */
mt_ablation *mt_ablation_new(mt_session *session, const mt_translation *translation, size_t index,
                             const mt_ablation_params *params, const mt_hooks *hooks,
                             mt_error *error);
mt_ablation *mt_ablation_ref(mt_ablation *effects);
void mt_ablation_unref(mt_ablation *effects);

/* The effect of a head on each output token, [n_tokens]; borrowed. */
const float *mt_ablation_tokens(const mt_ablation *effects, mt_attention_kind kind, size_t layer,
                                size_t head);
/* Their sum, the effect of the head. */
double mt_ablation_get(const mt_ablation *effects, mt_attention_kind kind, size_t layer,
                       size_t head);

/* How much of the margin a head makes: it less the same with the head changed. Positive: the head
 * speaks for y_t and against the other. 0: there is no contrast. */
float mt_ablation_contrast(const mt_ablation *effects, mt_attention_kind kind, size_t layer,
                           size_t head);

/* ---- States of a run ------------------------------------------------------------------------- */

/* Of a teacher-forced pass, the reference run: the residual stream of every token before the first
 * layer, behind each attention sub-layer and behind each layer, and every head's context. Where the
 * change "patch" (changes.h) is made, the model goes on with these instead of its own. Immutable,
 * reference-counted. About 4 * d_model * (n_layers * (2 to 4) + 1) bytes a token. */
typedef struct mt_activations mt_activations;

/* Of hypothesis `index` of a translation, with the changes of hooks, whose should_stop is polled;
 * all else of them is left aside. Errors: as those of mt_session_capture. */
mt_activations *mt_activations_new(mt_session *session, const mt_translation *translation,
                                   size_t index, const mt_hooks *hooks, mt_error *error);
mt_activations *mt_activations_ref(mt_activations *states);
void mt_activations_unref(mt_activations *states);

/* The same changes, where "patch" copies from these; states NULL: from none. The means of the list
 * stay. Lists are equal only if their states are, too. The text of a list does not hold them, nor
 * do requests and captures in files. The model may be another one of the same shape, such as
 * another checkpoint. In the encoder, the text has to have as many tokens as the run; rows of the
 * decoder that the run does not have stay as they are. */
mt_interventions *mt_interventions_with_activations(const mt_interventions *interventions,
                                                    mt_activations *states, mt_error *error);
/* Borrowed; NULL: none. */
const mt_activations *mt_interventions_activations(const mt_interventions *interventions);

/* ---- Patching -------------------------------------------------------------------------------- */

/* Where a word is decided: how much of what a change took away comes back with one
 * state of the reference run. */

/* Two runs of one translation y, teacher-forced: A, the reference, and B, which is the same with
 * changes, or with another source text of as many tokens. Then B again, once for each single state:
 * that of A is copied into it, a token's stream before or behind a layer, or a head's context for
 * all tokens. With m = log p(y) or that of one token of it,
 *
 *     recovered = (m_patched - m_B) / (m_A - m_B)
 *
 * 1: the state alone brings everything back; 0: nothing. It may be below 0 and above 1. Vig et al.,
 * Investigating gender bias in language models using causal mediation analysis, 2020; Meng et al.,
 * Locating and editing factual associations in GPT, 2022. Never changed once it is made;
 * counted. */
typedef struct {
  int ref_count; /* private */
  size_t n_layers[MT_N_STACKS], n_heads[MT_N_STACKS];
  size_t n_tokens[MT_N_STACKS]; /* of the source, of the translation */
  float *a, *b;                /* [n_tokens of the decoder] log p of each output token in A, in B */
  float *streams[MT_N_STACKS]; /* [n_layers + 1][n_tokens][n_tokens of the decoder] */
  float *contexts[MT_N_KINDS]; /* [n_layers][n_heads][n_tokens of the decoder] */
} mt_patching;

typedef struct {
  const mt_interventions *interventions; /* of A; NULL: none. Those of B are the hooks'. */
  const mt_tokens *source;               /* of B, as many as A's; NULL: A's. Borrowed. */
  /* Called now and then on the calling thread with a share in 0..1, or NULL. */
  void (*on_progress)(void *user, double share);
  void *user;
} mt_patching_params;

/* Of hypothesis `index` of A's translation. params NULL: all zero. Of hooks, changes are B's, and
 * should_stop is polled before every layer; all else is left aside. Numbers are those of a pass
 * with B's changes and a patch (changes.h), but for rounding; many are computed at once. Errors: as
 * those of mt_ablation_new; MT_ERROR_INPUT, too, for sources of different lengths. */
mt_patching *mt_patching_new(mt_session *session, const mt_translation *translation, size_t index,
                             const mt_patching_params *params, const mt_hooks *hooks,
                             mt_error *error);
mt_patching *mt_patching_ref(mt_patching *patching);
void mt_patching_unref(mt_patching *patching);

/* log p of each output token, [n_tokens of the decoder]; borrowed: of B with the stream of a token
 * from A: before layer `layer`, from 0; n_layers: behind the last … */
const float *mt_patching_stream(const mt_patching *patching, mt_stack stack, size_t layer,
                                size_t token);
/* … and with the context of a head, for all tokens. */
const float *mt_patching_head(const mt_patching *patching, mt_attention_kind kind, size_t layer,
                              size_t head);
/* Sum of log p, or that of output token `token`; SIZE_MAX: all. */
double mt_patching_measure(const mt_patching *patching, const float *logprobs, size_t token);
/* How much of it comes back; NaN where nothing was lost or won: A and B say the same. */
double mt_patching_recovered(const mt_patching *patching, const float *logprobs, size_t token);

#ifdef __cplusplus
}
#endif
#endif
