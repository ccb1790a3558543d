/* regard-attribution-origin.h — what a matrix of attributions knows of where it came from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-attribution.h"

G_BEGIN_DECLS

extern const RegardOriginClass regard_attribution_origin;
/* For a RegardMatrixSource. method mt_attribution_count(): of all. */
gpointer regard_attribution_origin_new(const RegardAttributionText *text, gsize method,
                                       gboolean is_encoder);

G_END_DECLS
