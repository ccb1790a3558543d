/* regard-analysis.h — what the window asks of models: analyses of a pass, as tasks of the runner.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each runs the model of the pass that it is given, with the interventions of that pass, and says
 * below what its parameters and its result are. What parameters refer to is taken; results belong
 * to whoever takes them. This is the only place of ui where a model computes.
 */
#pragma once

#include "figures/regard-alignment-scores.h"
#include "figures/regard-attribution.h"
#include "figures/regard-effects.h"
#include "figures/regard-patching.h"
#include "figures/regard-quality.h"
#include "runner/regard-runner.h"

G_BEGIN_DECLS

/* ---- Heads and states -------------------------------------------------------------------------
 */

/* What each head does for the translation. RegardEffectsParams → RegardEffects. */
typedef struct {
  mt_effects_params params; /* with a reference to its means, if there are any */
  char *against;            /* what the other token is called; NULL: its piece */
} RegardEffectsParams;
extern const RegardTask regard_analysis_effects;

/* What single states of the pass, A, bring back in B. RegardPass * of B → RegardPatching. */
extern const RegardTask regard_analysis_patching;

/* ---- What words hang on -----------------------------------------------------------------------
 */

/* By one method: words of the translation; and of all words, where the method says it, tokens of
 * the encoder. mt_attribution_params → RegardAttributed. */
typedef struct {
  RegardMatrix *words, *encoder; /* encoder: or NULL */
} RegardAttributed;
void regard_attributed_free(RegardAttributed *attributed);
extern const RegardTask regard_analysis_attribution;

/* One word by all methods. mt_attribution_params → RegardMethodComparison. */
typedef struct {
  mt_attribution_bench *bench;
  RegardPass *pass;
  mt_attribution_params params;
} RegardMethodComparison;
void regard_method_comparison_free(RegardMethodComparison *comparison);
/* What its matrices and its picture are of; borrows. */
RegardAttributionText regard_method_comparison_text(const RegardMethodComparison *comparison);
extern const RegardTask regard_analysis_methods;

/* How much of each word comes from the source. gboolean: with the thresholds of the model, which
 * are a file → RegardTrusted. */
typedef struct {
  mt_trust *trust;
  gboolean has_thresholds; /* they were asked for, and … */
  mt_trust_thresholds thresholds;
  char *no_thresholds; /* … what is wrong with their file; NULL: nothing */
} RegardTrusted;
void regard_trusted_free(RegardTrusted *trusted);
extern const RegardTask regard_analysis_trust;

/* Why an analysis that only a model can make ended with an error, in words for who looks. Caller
 * frees. */
char *regard_analysis_explain(const RegardPass *pass, const GError *error);

/* ---- Alignment --------------------------------------------------------------------------------
 */

/* The translation with all that recipes of word alignment read. No parameters → mt_alignable. */
extern const RegardTask regard_analysis_alignment;

/* The model, with these changes, on a gold file, by recipes that differ from one.
 * RegardScoresParams → RegardAlignmentScores. */
typedef struct {
  mt_gold *gold; /* reference */
  char *texts;   /* path of a file of sentence, tab, translation; NULL: they are in the gold file */
  mt_recipe recipe;
} RegardScoresParams;
extern const RegardTask regard_analysis_scores;

/* ---- A text -----------------------------------------------------------------------------------
 */

/* How good the model's translations of a file are, with the changes of the pass (which may be NULL)
 * and without, by the program. RegardQualityParams → RegardQuality. */
typedef struct {
  RegardQualityFunc func; /* the program's; NULL: it has none */
  mt_model *model;        /* reference; NULL: none is open */
  char *file, *references;
} RegardQualityParams;
extern const RegardTask regard_analysis_quality;

G_END_DECLS
