/* regard-memory.h — how much memory there is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes that a model may take to be faster, for mt_load_options.most_memory: half of what the
 * system says is available. 0: it does not say. */
gsize regard_memory_to_spare(void);

G_END_DECLS
