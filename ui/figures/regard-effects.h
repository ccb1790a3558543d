/* regard-effects.h — what each head does for a translation, or for many: numbers to be drawn,
 * listed and written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* Of one kind of attention; heads in the order of their layers. */
typedef struct {
  guint n_layers, n_heads; /* heads of each layer */
  double *effects;         /* [n_layers][n_heads] nats: log p less that without the head */
  float *tokens;           /* [n_layers * n_heads][n_tokens] of one translation; else NULL */
  double *contrast;        /* [n_layers][n_heads] of one translation, where asked for; else NULL */
  /* [n_layers][n_heads] of a file that was scored: BLEU and chrF2 less those without the head, NaN
   * where it was not reached; else NULL. Of a sum: those without the head. */
  double *bleu, *chrf;
} RegardEffectsKind;

typedef struct {
  /*< private >*/
  RegardSubject subject;
  /*< public, read only >*/
  char *model_name, *changes; /* changes NULL: none but the heads' own */
  mt_effect_kind with;
  guint n_sentences; /* of a file: all numbers are means over them; 0: of one translation */
  double logprob;    /* of the translation with all heads */
  double bleu, chrf; /* of a file that was scored, with all heads */
  RegardEffectsKind kinds[MT_N_KINDS];
  guint n_tokens;
  char **token_texts;   /* [n_tokens] pieces of the translation; of one */
  guint contrast_token; /* … and which of them … */
  char *against;        /* … is set against which piece; NULL: no contrast */
  double margin;        /* logit of the one less that of the other, with all heads */
} RegardEffects;

/* Of one translation; against: the piece of the contrast, or NULL. */
RegardEffects *regard_effects_new(const mt_model *model, const mt_effects *effects,
                                  const mt_tokens *output, const mt_changes *changes,
                                  guint contrast_token, const char *against);
/* Sums over sentences, which become their means; all effects have the same kinds of heads. */
typedef struct {
  mt_effect_kind with;
  guint n; /* sentences */
  double logprob, bleu, chrf;
  RegardEffectsKind kinds[MT_N_KINDS]; /* effects are sums */
} RegardEffectsSum;
/* is_scored: there will be BLEU and chrF2, which are NaN until they are set. */
RegardEffectsSum *regard_effects_sum_new(const mt_model *model, mt_effect_kind with,
                                         gboolean is_scored);
void regard_effects_sum_free(RegardEffectsSum *sum);
void regard_effects_sum_add(RegardEffectsSum *sum, const mt_effects *effects);
/* NULL: nothing was added. */
RegardEffects *regard_effects_sum_mean(const RegardEffectsSum *sum, const mt_model *model,
                                       const mt_changes *changes);
REGARD_DECLARE_SUBJECT(RegardEffects, regard_effects)

/* The number of a head that is looked at: its contrast where there is one, else its effect. */
double regard_effects_shown(const RegardEffects *effects, mt_attention_kind kind, guint layer,
                            guint head);
/* "cross 4.1", as in a change. Caller frees. */
char *regard_effects_head_name(mt_attention_kind kind, guint layer, guint head);
/* Layers × heads of encoder, cross and decoder attention, with one range for all three that is
 * symmetric about 0. Spots: part is the mt_attention_kind, row the layer, col the head. Files of
 * numbers hold of each kind its effects, then its contrast, its tokens and its scores, as far as
 * they are there. */
RegardFigure *regard_figure_new_effects(RegardEffects *effects, const RegardFigureStyle *style);

/* Heads that are drawn, at most, of those that speak for a token. */
#define REGARD_CONTRAST_MOST 5
/* Which heads chose a token and not another one, of effects that have a contrast: those that speak
 * most for each of the two, as bars. Spots and files as above. */
RegardFigure *regard_figure_new_contrast(RegardEffects *effects, const RegardFigureStyle *style);

G_END_DECLS
