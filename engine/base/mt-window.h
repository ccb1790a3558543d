/* mt-window.h — which keys restricted self-attention leaves out. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_WINDOW_H
#define MT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

/* Whether restricted self-attention (the paper, section 4) leaves a key out. window 0: none does.
 */
static inline bool
mt_is_beyond_window(size_t window, size_t query, size_t key)
{
  return window > 0 && (key + window < query || key > query + window);
}

#endif
