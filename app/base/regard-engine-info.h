/* regard-engine-info.h — what the engine computes on, in words and as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <json.h>

G_BEGIN_DECLS

/* Lines of "name: value", for --version and for reports of faults. Caller frees. */
char *regard_engine_info_text(void);
/* version, kernels, bf16_kernels, int8_kernels, blas, blas_core. Caller puts it. */
json_object *regard_engine_info_json(void);

G_END_DECLS
