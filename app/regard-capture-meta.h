/* regard-capture-meta.h — what one needs to know to make a capture again, as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "regard-result.h"

G_BEGIN_DECLS

/* The same keys as regard-cli capture writes: program, model, sha256 of its files, text,
 * translation, score, settings. Reads the model's files; call it in a thread. Caller frees. */
char *regard_capture_meta(const RegardResult *result);

G_END_DECLS
