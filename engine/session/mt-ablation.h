/* mt-ablation.h — one sentence with many changes or patches, each in a copy of its own. Private to
 * the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_EFFECTS_H
#define MT_EFFECTS_H

#include "session/mt-session.h"

/* One copy of the sentence: from `layer` on it is another than the clean one. */
typedef struct {
  mt_attention_kind kind;
  size_t layer;
  size_t place;                    /* for whoever made it */
  mt_interventions *interventions; /* or NULL */
  /* Row `token` of the stream before the layer, or behind the last, is [d] this; or NULL. */
  const float *patch;
  size_t token;
  float *logprobs; /* [n_target], result */
  float margin;    /* result: logit(target) - logit(against) at the contrast's token */
} mt_variant;

/* What goes through the model. ids are checked. */
typedef struct {
  mt_forced forced;
  /* Margins are those of output `token` and `against`, if they are wanted. */
  bool has_contrast;
  size_t token;
  int32_t foil;
  void (*on_progress)(void *user, double share); /* or NULL */
  void *user;
  const mt_hooks *hooks; /* changes and should_stop; not NULL */
} mt_variants_work;

/* Fill logprobs and margins of the clean sentence and of variants [n], which are sorted: those of
 * the encoder first, each stack's by layer. False: MT_ERROR_CANCELLED, MT_ERROR_NO_MEMORY. */
bool mt_variants_run(mt_session *session, const mt_variants_work *work, mt_variant *clean,
                     mt_variant *variants, size_t n, mt_error *error);

#endif
