/* effects.h — what each head does for a translation: how likely it is with the head and without.
 * Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_EFFECTS_H
#define MT_PUBLIC_EFFECTS_H

#include <mt/config.h>
#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/means.h>
#include <mt/session.h>
#include <mt/translation.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a head is taken out: the changes of these names (changes.h). */
typedef enum {
  MT_EFFECT_ZERO,    /* its context is 0 */
  MT_EFFECT_UNIFORM, /* all keys that a query sees have the same weight */
  MT_EFFECT_MEAN,    /* its context is its mean over a text */
  MT_N_EFFECTS,
} mt_effect_kind;
/* "zero", as in a change and on the command line. */
const char *mt_effect_kind_name(mt_effect_kind kind);

typedef struct {
  mt_effect_kind kind;
  mt_means *means; /* for MT_EFFECT_MEAN, of this model; borrowed */
  /* [heads of all kinds] by kind, layer and head: those that are asked for, as where many are taken
   * out already; the effect of others is 0. NULL: all. Borrowed for the call. */
  const bool *wanted;
  /* A contrast, too: between output token `token`, from 0, and the piece with the id `against` in
   * its place. has_contrast false: none. */
  bool has_contrast;
  size_t token;
  int32_t against;
  /* Called now and then on the calling thread with a share in 0..1, or NULL. */
  void (*on_progress)(void *user, double share);
  void *user;
} mt_effects_params;

/* The effect of each head of each layer and kind on one translation y of x, teacher-forced:
 *
 *     effect = log p(y|x) - log p(y|x, this head changed)      in nats (natural logarithm)
 *
 * Positive: without the head the translation is less likely; the head speaks for it. Each head is
 * changed alone, so that a head which another stands in for has little effect, and effects of
 * several do not add up to the effect of all of them. Never changed once it is made; counted. */
typedef struct {
  int ref_count; /* private */
  mt_effect_kind kind;
  size_t n_layers[MT_N_KINDS], n_heads[MT_N_KINDS];
  size_t n_tokens; /* of the output, </s> among them */
  float *logprobs; /* [n_tokens] log p of each output token with all heads as they are */
  float *tokens;   /* [heads of all kinds][n_tokens], by kind, layer and head: mt_effects_tokens */
  bool has_contrast;
  /* With all heads as they are, logit(y_t) - logit(against) at the contrast's token. */
  float margin;
  float *contrast; /* [heads of all kinds]: mt_effects_contrast */
} mt_effects;

/* Of hypothesis `index` of a translation, which may be another model's. params NULL: zero, without
 * contrast. Of hooks, changes are made in both passes, before the head's own, and should_stop is
 * polled before every layer; all else of them is left aside. Weights are those that are stored,
 * whatever the model's precision. Numbers are those of one teacher-forced pass for each head with
 * its change, but for rounding; they are computed for many heads at once, from the layer of the
 * head on. A long sentence takes more time, not more memory.
 * Errors: MT_ERROR_INPUT for a hypothesis, tokens, changes or a contrast that do not fit,
 * MT_ERROR_TOO_LONG, MT_ERROR_IO (mt_guard_mapped_files), MT_ERROR_CANCELLED, MT_ERROR_NO_MEMORY.
 */
mt_effects *mt_effects_new(mt_session *session, const mt_translation *translation, size_t index,
                           const mt_effects_params *params, const mt_hooks *hooks, mt_error *error);
/* The same in a session of its own. */
mt_effects *mt_model_effects(mt_model *model, const mt_translation *translation, size_t index,
                             const mt_effects_params *params, const mt_hooks *hooks,
                             mt_error *error);
mt_effects *mt_effects_ref(mt_effects *effects);
void mt_effects_unref(mt_effects *effects);

/* The effect of a head on each output token, [n_tokens]; borrowed. */
const float *mt_effects_tokens(const mt_effects *effects, mt_attention_kind kind, size_t layer,
                               size_t head);
/* Their sum, the effect of the head. */
double mt_effects_get(const mt_effects *effects, mt_attention_kind kind, size_t layer, size_t head);

/* How much of the margin a head makes: it less the same with the head changed. Positive: the head
 * speaks for y_t and against the other. 0: there is no contrast. */
float mt_effects_contrast(const mt_effects *effects, mt_attention_kind kind, size_t layer,
                          size_t head);

#ifdef __cplusplus
}
#endif
#endif
