/* patching.h — where a word is decided: how much of what a change took away comes back with one
 * state of the reference run. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_PATCHING_H
#define MT_PUBLIC_PATCHING_H

#include <mt/config.h>
#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/session.h>
#include <mt/states.h>
#include <mt/tokens.h>
#include <mt/translation.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

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
  const mt_changes *changes; /* of A; NULL: none. Those of B are the hooks'. */
  const mt_tokens *source;   /* of B, as many as A's; NULL: A's. Borrowed. */
  /* Called now and then on the calling thread with a share in 0..1, or NULL. */
  void (*on_progress)(void *user, double share);
  void *user;
} mt_patching_params;

/* Of hypothesis `index` of A's translation. params NULL: all zero. Of hooks, changes are B's, and
 * should_stop is polled before every layer; all else is left aside. Numbers are those of a pass
 * with B's changes and a patch (changes.h), but for rounding; many are computed at once. Errors: as
 * those of mt_effects_new; MT_ERROR_INPUT, too, for sources of different lengths. */
mt_patching *mt_patching_new(mt_session *session, const mt_translation *translation, size_t index,
                             const mt_patching_params *params, const mt_hooks *hooks,
                             mt_error *error);
/* The same in a session of its own. */
mt_patching *mt_model_patching(mt_model *model, const mt_translation *translation, size_t index,
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
