/* mt-attribution-work.h — how an attribution begins and ends. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ATTRIBUTION_WORK_H
#define MT_ATTRIBUTION_WORK_H

#include "attribution/mt-attribution.h"

/* Check everything, run the model once and keep what methods read; the method is not looked at.
 * mt_attribution_end in any case. */
bool mt_attribution_begin(mt_attribution_work *work, mt_session *session,
                          const mt_translation *translation, size_t index,
                          const mt_attribution_params *params, const mt_hooks *hooks,
                          bool needs_all, mt_error *error);
/* Changes that every method goes with; NULL: none. */
bool mt_attribution_only_hides(const mt_changes *changes);
void mt_attribution_end(mt_attribution_work *work);

/* One method. */
mt_attribution *mt_attribution_run(mt_attribution_work *work, size_t method, mt_error *error);

#endif
