/* regard-revival.h — a reference that was read from a file is answered again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * To compare with it takes its translation and its capture, by its own model, which need not be the
 * one that runs. A worker of its own does that, once the owner says which model runs.
 *
 * Signal "done" (RegardState, GError), once: the same state with its result, or NULL and an error.
 */
#pragma once

#include "document/regard-state.h"

G_BEGIN_DECLS

#define REGARD_TYPE_REVIVAL (regard_revival_get_type())
G_DECLARE_FINAL_TYPE(RegardRevival, regard_revival, REGARD, REVIVAL, GObject)

/* A reference to the state is taken. Who lets go of it does not want it any more. */
RegardRevival *regard_revival_new(RegardState *state);
/* Begin, if that has not happened yet: with the model that runs if it is the state's own, in its
 * precision, else with one that is opened for it. */
void regard_revival_begin(RegardRevival *self, mt_model *model, const char *dir,
                          mt_precision precision);

G_END_DECLS
