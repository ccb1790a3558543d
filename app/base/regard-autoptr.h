/* regard-autoptr.h — values of the engine that g_autoptr releases where their scope ends.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_ablation, mt_ablation_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_activations, mt_activations_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_archive, mt_archive_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_attribution, mt_attribution_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_capture, mt_capture_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_constraints, mt_constraints_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_copies, mt_copies_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_corpus, mt_corpus_close)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_corpus_examples, mt_corpus_examples_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_corpus_hits, mt_corpus_hits_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_corpus_sentence, mt_corpus_sentence_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_evaluation, mt_evaluation_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_gold, mt_gold_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_interventions, mt_interventions_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_means, mt_means_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_means_sum, mt_means_sum_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_model, mt_model_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_patching, mt_patching_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_session, mt_session_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_source_contribution, mt_source_contribution_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_tokens, mt_tokens_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_trace, mt_trace_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_translation, mt_translation_unref)

G_END_DECLS
