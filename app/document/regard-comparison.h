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

#include <gio/gio.h>
#include <mt.h>

G_BEGIN_DECLS

typedef struct {
  /*< private >*/
  gatomicrefcount ref_count;
  /*< public, read only >*/
  mt_model *models[2];             /* of A and B; references */
  mt_translation *translations[2]; /* the same words; B's was given them */
  gsize hypotheses[2];
  mt_capture *captures[2];
  mt_capture *difference; /* B - A */
  double logprobs[2];     /* of the reference's translation, natural */
} RegardComparison;

#define REGARD_TYPE_COMPARISON (regard_comparison_get_type())
GType regard_comparison_get_type(void);
RegardComparison *regard_comparison_ref(RegardComparison *comparison);
void regard_comparison_unref(RegardComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardComparison, regard_comparison_unref)

/* What is to be compared; the function takes references of all that it needs. */
typedef struct {
  mt_model *model;             /* B's */
  const mt_changes *changes;   /* B's; NULL: none */
  mt_translation *translation; /* B's own: its source is the one of both */
  const mt_search_params *params;
  /* Of the reference; capture NULL: it is the untouched run, the same without changes, which is
   * searched for. */
  mt_model *reference_model;
  mt_translation *reference;
  gsize reference_hypothesis;
  mt_capture *reference_capture;
} RegardComparisonOf;

/* In a thread. NULL and an error, also where tokens or layers are not alike. */
void regard_comparison_make_async(const RegardComparisonOf *of, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);
RegardComparison *regard_comparison_make_finish(GAsyncResult *result, GError **error);

G_END_DECLS
