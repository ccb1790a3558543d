/* regard-selection-attribution.h — what words of the translation that is looked at hang on, and how
 * much of them comes from the source.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each runs in a thread over the pass of the selection's capture, with its changes; NULL and an
 * error as of regard_selection_trace_async. Of params, on_progress is called on that thread, and
 * what it uses must live until the callback.
 */
#pragma once

#include "figures/regard-attribution.h"
#include "figures/regard-figure.h"
#include "widgets/regard-selection.h"

G_BEGIN_DECLS

/* By one method: words of the translation; and of all words, where the method says it, tokens of
 * the encoder. */
typedef struct {
  RegardMatrix *words, *encoder; /* encoder: or NULL */
} RegardAttributed;
void regard_attributed_free(RegardAttributed *attributed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardAttributed, regard_attributed_free)
void regard_selection_attribution_async(RegardSelection *self, const mt_attribution_params *params,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
RegardAttributed *regard_selection_attribution_finish(RegardSelection *self, GAsyncResult *result,
                                                      GError **error);

/* One word by all methods, with what it is a picture of. Atomically reference-counted. */
typedef struct _RegardBenchResult RegardBenchResult;
RegardBenchResult *regard_bench_result_ref(RegardBenchResult *result);
void regard_bench_result_unref(RegardBenchResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardBenchResult, regard_bench_result_unref)
RegardFigure *regard_bench_result_figure(RegardBenchResult *result, const RegardFigureStyle *style);
guint regard_bench_result_token(RegardBenchResult *result);
const mt_model *regard_bench_result_model(RegardBenchResult *result); /* borrowed */
void regard_selection_attribution_bench_async(RegardSelection *self,
                                              const mt_attribution_params *params,
                                              GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer user_data);
RegardBenchResult *regard_selection_attribution_bench_finish(RegardSelection *self,
                                                             GAsyncResult *result, GError **error);

/* Shares and uses; unref with mt_trust_unref. */
void regard_selection_trust_async(RegardSelection *self, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);
mt_trust *regard_selection_trust_finish(RegardSelection *self, GAsyncResult *result,
                                        GError **error);

/* Why something that only a model can say is not there, in words for who looks. Caller frees. */
char *regard_selection_explain_no_pass(RegardSelection *self, const GError *error);

G_END_DECLS
