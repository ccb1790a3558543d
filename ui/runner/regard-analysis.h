/* regard-analysis.h — what the window asks of models: analyses of a pass, as tasks of the runner.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each runs the model of the pass that it is given, with the interventions of that pass, and says
 * below what its parameters and its result are. What parameters refer to is taken; results belong
 * to whoever takes them. This is the only place of ui where a model computes.
 */
#pragma once

#include "figures/regard-ablation.h"
#include "figures/regard-alignment.h"
#include "figures/regard-attribution.h"
#include "figures/regard-corpus.h"
#include "figures/regard-graph.h"
#include "figures/regard-patching.h"
#include "figures/regard-quality.h"
#include "figures/regard-steps.h"
#include "figures/regard-token-card.h"
#include "figures/regard-walkthrough.h"
#include "runner/regard-runner.h"

G_BEGIN_DECLS

/* ---- What a pass computed beside its attention ------------------------------------------------
 */

/* A page takes no more than that of one pass: what it would be is said before. */
#define REGARD_MOST_TRACED ((gsize) 512 << 20)

/* One head and one query, as equation 1. RegardWalkthroughParams → RegardWalkthrough, which
 * keeps the trace. */
typedef struct {
  mt_trace *trace; /* reference: of this pass, kind and layer; NULL: it is made first */
  mt_attention_kind kind;
  guint layer, head, query;
  int key; /* -1: that with the largest weight */
} RegardWalkthroughParams;
extern const RegardTask regard_analysis_inside;

/* What layers do to each token. RegardLayersParams → RegardLayers. */
typedef struct {
  mt_trace *trace; /* reference: of layers of this pass; NULL: it is made first */
  gboolean with_lens;
} RegardLayersParams;
extern const RegardTask regard_analysis_layers;

/* Who gave what to whom. No parameters → RegardGraph. */
extern const RegardTask regard_analysis_graph;

/* A batch of sentences as traces, for a token that is compared with others than its own: made by
 * the program, which has sentences and may translate them between the languages of a request, or
 * the model's own (NULL). The function runs on any thread, polls should_stop, and returns an array
 * of mt_trace (g_ptr_array_unref) or NULL. */
typedef GPtrArray *(*RegardBatchFunc)(mt_model *model, const mt_request *languages,
                                      bool (*should_stop)(void *user), void *user);

/* Norms and neurons of a token behind a point. RegardCardParams → RegardTokenCard. */
typedef struct {
  RegardLayers *layers; /* reference */
  mt_stack stack;
  guint point, token;
  RegardBatchFunc batch_func; /* NULL: there is none */
  GPtrArray *batch;           /* reference; NULL: it is made first, and is here afterwards */
} RegardCardParams;
extern const RegardTask regard_analysis_card;

/* How long its parts take, by the median of so many passes. gsize → mt_cost_times. */
extern const RegardTask regard_analysis_times;

/* ---- The sentence translated otherwise --------------------------------------------------------
 */

/* With other settings. mt_search_params, with a reference to its constraints → RegardSteps. */
extern const RegardTask regard_analysis_search;

/* The attention of the hypothesis that begins with these tokens. RegardPathParams → mt_capture. */
typedef struct {
  int32_t *ids; /* [n] taken */
  gsize n;
} RegardPathParams;
extern const RegardTask regard_analysis_path;

/* With its tokens in another order: which one stands at each place, [n] for all of the source,
 * taken. gsize * → RegardPermutation. */
typedef struct {
  mt_permutation_difference now,
      untouched;            /* of the encoder's outputs, with its changes and without */
  char *text, *translation; /* of the other order, with its changes */
} RegardPermutation;
void regard_permutation_free(RegardPermutation *order);
extern const RegardTask regard_analysis_permutation;

/* ---- Heads and states -------------------------------------------------------------------------
 */

/* What each head does for the translation. RegardAblationParams → RegardAblation. */
typedef struct {
  mt_ablation_params params; /* with a reference to its means, if there are any */
  char *foil;                /* what the other token is called; NULL: its piece */
} RegardAblationParams;
extern const RegardTask regard_analysis_ablation;

/* What single states of the pass, A, bring back in B. RegardPass * of B → RegardPatching. */
extern const RegardTask regard_analysis_patching;

/* ---- What words hang on -----------------------------------------------------------------------
 */

/* By one method: words of the translation; and of all words, where the method says it, tokens of
 * the encoder. Of a pass, or, of B, what it says more than A of the same words.
 * RegardAttributionParams → RegardAttributed. */
typedef struct {
  mt_attribution_params params;
  RegardPass *a; /* reference; NULL: there is no difference */
} RegardAttributionParams;
typedef struct {
  RegardMatrix *words, *encoder; /* encoder: or NULL */
} RegardAttributed;
void regard_attributed_free(RegardAttributed *attributed);
extern const RegardTask regard_analysis_attribution;

/* One word by all methods. mt_attribution_params → RegardMethodComparison. */
typedef struct {
  mt_method_comparison *bench;
  RegardPass *pass;
  mt_attribution_params params;
} RegardMethodComparison;
void regard_method_comparison_free(RegardMethodComparison *comparison);
/* What its matrices and its picture are of; borrows. */
RegardAttributionText regard_method_comparison_text(const RegardMethodComparison *comparison);
extern const RegardTask regard_analysis_methods;

/* How much of each word comes from the source. gboolean: with the thresholds of the model, which
 * are a file → RegardTokenContribution. */
typedef struct {
  mt_source_contribution *trust;
  gboolean has_thresholds; /* they were asked for, and … */
  mt_source_contribution_thresholds thresholds;
  char *no_thresholds; /* … what is wrong with their file; NULL: nothing */
} RegardTokenContribution;
void regard_trusted_free(RegardTokenContribution *trusted);
extern const RegardTask regard_analysis_trust;

/* Why an analysis that only a model can make ended with an error, in words for who looks. Caller
 * frees. */
char *regard_analysis_explain(const RegardPass *pass, const GError *error);

/* ---- Alignment --------------------------------------------------------------------------------
 */

/* The translation with all that recipes of word alignment read. No parameters → mt_alignment_input.
 */
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

/* What every head does over a text, as a corpus file, made by the program, by the model with the
 * changes of the pass (which may be NULL). What it is doing can be read meanwhile.
 * RegardCorpusMakingParams → the run; where it is stopped, the file has what was measured. */
typedef struct _RegardCorpusMaking RegardCorpusMaking;
RegardCorpusMaking *regard_corpus_making_new(void);
RegardCorpusMaking *regard_corpus_making_ref(RegardCorpusMaking *making);
void regard_corpus_making_unref(RegardCorpusMaking *making);
/* FALSE: no sentence is done yet. */
gboolean regard_corpus_making_get(RegardCorpusMaking *making, RegardCorpusProgress *progress);
/* What is wrong with the first line that was left out; NULL: none was. Once it has ended; borrowed.
 */
const char *regard_corpus_making_get_left_out(RegardCorpusMaking *making);
typedef struct {
  RegardCorpusFunc func;      /* the program's; NULL: it has none */
  mt_model *model;            /* reference; NULL: none is open */
  RegardCorpusMaking *making; /* reference */
  char *text, *path;
} RegardCorpusMakingParams;
extern const RegardTask regard_analysis_corpus;

G_END_DECLS
