/* regard-comparison.h — a pass of now (B) beside one of a reference (A), over the same words.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows and columns must mean the same, so B is computed for the reference's translation, however
 * the model would go on by itself. Of two sentences with as many tokens, most of them the same,
 * sources are compared place by place. Where the models have other precisions attention is computed
 * in these, and not with the weights as they are stored. Immutable and atomically
 * reference-counted.
 */
#pragma once

#include "runner/regard-runner.h"

G_BEGIN_DECLS

typedef struct {
  /*< private >*/
  gatomicrefcount ref_count;
  /*< public, read only >*/
  RegardPass *passes[2];  /* A and B, over the same words; B was given them */
  mt_capture *difference; /* B - A */
  double logprobs[2];     /* of the reference's translation, natural */
} RegardComparison;

#define REGARD_TYPE_COMPARISON (regard_comparison_get_type())
GType regard_comparison_get_type(void);
RegardComparison *regard_comparison_ref(RegardComparison *comparison);
void regard_comparison_unref(RegardComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardComparison, regard_comparison_unref)

/* What a pass, which has the words that the model chose by itself and need not have a capture, is
 * compared with. */
typedef struct {
  RegardPass *reference;   /* A; NULL: the untouched run, which is searched for */
  mt_search_params params; /* with a reference to their constraints */
  mt_changes *changes;     /* reference; of B, NULL: none */
} RegardComparisonParams;
/* RegardComparisonParams → RegardComparison. An error, too, where tokens or layers are not alike.
 */
extern const RegardTask regard_comparison_task;

G_END_DECLS
