/* mt-change-unscaled.c — the dot product of query and key as it is: without the 1/sqrt(d_k) that
 * the paper, section 3.2.1, has against scores so large that the softmax hardly moves. Of several
 * similarities of a head the last one holds (mt-attention.c computes them).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

const mt_change_kind mt_change_unscaled = {
    .name = "unscaled",
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD),
               .site = MT_SITE_SCORES,
               .similarity = MT_SIMILARITY_UNSCALED}},
    .n_forms = 1,
};
