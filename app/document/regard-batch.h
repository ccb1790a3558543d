/* regard-batch.h — a batch of sentences as traces, for what only a batch can show.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "base/regard-autoptr.h"

G_BEGIN_DECLS

/* What the layer norms read of every text, translated greedily between the languages of a request
 * (NULL: the model's own): an array of mt_trace, free with g_ptr_array_unref. Texts that the model
 * cannot read are left out. should_stop is polled; may be NULL. NULL and an error: stopped, or no
 * memory. On any thread. */
GPtrArray *regard_batch_traces(mt_model *model, const char *const *texts,
                               const mt_request *languages, bool (*should_stop)(void *user),
                               void *user, mt_error *error);

G_END_DECLS
