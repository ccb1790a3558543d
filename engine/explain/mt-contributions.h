/* mt-contributions.h — contributions, with the threads of somebody else. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_EXPLAIN_CONTRIBUTIONS_H
#define MT_EXPLAIN_CONTRIBUTIONS_H

#include "kernels/mt-ops.h"

/* As mt_contributions_new. */
mt_contributions *mt_contributions_make(const mt_model *model, const mt_trace *trace,
                                        mt_point point, const mt_ops *ops, mt_error *error);

#endif
