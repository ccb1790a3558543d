/* regard-ablation.h — what each head does for a translation, or for many: numbers to be drawn,
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
} RegardAblationKind;

typedef struct {
  /*< private >*/
  RegardSubject subject;
  /*< public, read only >*/
  char *model_name, *interventions; /* changes NULL: none but the heads' own */
  char *source, *translation;       /* texts, of one; NULL: of a file */
  mt_ablation_kind with;
  guint n_sentences; /* of a file: all numbers are means over them; 0: of one translation */
  double logprob;    /* of the translation with all heads */
  double bleu, chrf; /* of a file that was scored, with all heads */
  RegardAblationKind kinds[MT_N_KINDS];
  guint n_tokens;
  char **token_texts;   /* [n_tokens] pieces of the translation; of one */
  guint contrast_token; /* … and which of them … */
  char *foil;           /* … is set against which piece; NULL: no contrast */
  double margin;        /* logit of the one less that of the other, with all heads */
} RegardAblation;

/* Of one translation; against: the piece of the contrast, or NULL. */
RegardAblation *regard_ablation_new(const mt_model *model, const mt_ablation *effects,
                                    const mt_tokens *source, const mt_tokens *output,
                                    const mt_interventions *interventions, guint contrast_token,
                                    const char *foil);
/* Sums over sentences, which become their means; all effects have the same kinds of heads. */
typedef struct {
  mt_ablation_kind with;
  guint n; /* sentences */
  double logprob, bleu, chrf;
  RegardAblationKind kinds[MT_N_KINDS]; /* effects are sums */
} RegardAblationSum;
/* is_scored: there will be BLEU and chrF2, which are NaN until they are set. */
RegardAblationSum *regard_ablation_sum_new(const mt_model *model, mt_ablation_kind with,
                                           gboolean is_scored);
void regard_ablation_sum_free(RegardAblationSum *sum);
void regard_ablation_sum_add(RegardAblationSum *sum, const mt_ablation *effects);
/* NULL: nothing was added. */
RegardAblation *regard_ablation_sum_mean(const RegardAblationSum *sum, const mt_model *model,
                                         const mt_interventions *interventions);
REGARD_DECLARE_SUBJECT(RegardAblation, regard_ablation)

/* The number of a head that is looked at: its contrast where there is one, else its effect. */
double regard_ablation_shown(const RegardAblation *effects, mt_attention_kind kind, guint layer,
                             guint head);
/* "cross 4.1", as in a change. Caller frees. */
char *regard_ablation_head_name(mt_attention_kind kind, guint layer, guint head);
/* What stands for a head that is taken out: "zero", in the reader's language. Borrowed. */
const char *regard_ablation_with(mt_ablation_kind with);
/* Layers × heads of encoder, cross and decoder attention, with one range for all three that is
 * symmetric about 0. Spots: part is the mt_attention_kind, row the layer, col the head. Files of
 * numbers hold of each kind its effects, then its contrast, its tokens and its scores, as far as
 * they are there. */
RegardFigure *regard_figure_new_ablation(RegardAblation *effects, const RegardFigureStyle *style);

/* Heads that are drawn, at most, of those that speak for a token. */
#define REGARD_CONTRAST_MOST 5
/* Which heads chose a token and not another one, of effects that have a contrast: those that speak
 * most for each of the two, as bars. Spots and files as above. */
RegardFigure *regard_figure_new_contrast(RegardAblation *effects, const RegardFigureStyle *style);

G_END_DECLS
