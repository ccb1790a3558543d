/* cli-models.h — models by their name, for every command that takes one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the argument of --model means: a path, or the name of a model that regard-cli models lists.
 * What is neither is given back, for the error to name. Caller frees. */
char *cli_models_resolve(const char *argument);

G_END_DECLS
