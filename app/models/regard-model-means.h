/* regard-model-means.h — the means that lie beside a model: what its heads find in a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* Of means.npz in the model's folder, else of a file *.means.npz there, which regard-cli means
 * writes. NULL: there is none, or none that can be used, and *why_not says why. dir "": the bundled
 * model's. Caller owns both. */
mt_means *regard_model_means_read(const mt_model *model, const char *dir, char **why_not);

G_END_DECLS
