/* mt-change-cosine.c — how alike query and key are in direction, whatever their lengths: from -1
 * to 1. A vector that is 0 is like none, 0. Of several similarities of a head the last one holds
 * (mt-attention.c computes them).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

const mt_change_kind mt_change_cosine = {
    .name = "cosine",
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD),
               .site = MT_SITE_SCORES,
               .similarity = MT_SIMILARITY_COSINE}},
    .n_forms = 1,
};
