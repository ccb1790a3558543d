/* engine-test.h — what tests take from the engine is given back where its variable ends.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "../app/base/regard-autoptr.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_alignment_input, mt_alignment_input_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_batch_norm, mt_batch_norm_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_conllu_reader, mt_conllu_reader_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_conllu_tree, mt_conllu_tree_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_contributions, mt_contributions_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_corpus_writer, mt_corpus_writer_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_files, mt_files_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_lens, mt_lens_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_source_contribution_sample, mt_source_contribution_sample_free)
