/* mt-panels.c — weights put into panels.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels-rows.h"

#include <string.h>

/* Outputs are read side by side and written one after the other. */
#define PACK(type)                                                                             \
  for (size_t p = begin; p < end; p++) {                                                       \
    const type *from = (const type *) w + p * MT_PANEL_OUTS * n_in;                            \
    type *to = (type *) panels + p * MT_PANEL_OUTS * n_in;                                     \
    size_t n =                                                                                 \
        n_out - p * MT_PANEL_OUTS < MT_PANEL_OUTS ? n_out - p * MT_PANEL_OUTS : MT_PANEL_OUTS; \
    if (n < MT_PANEL_OUTS)                                                                     \
      memset(to, 0, n_in *MT_PANEL_OUTS * sizeof *to);                                         \
    for (size_t k = 0; k < n_in; k++)                                                          \
      for (size_t i = 0; i < n; i++)                                                           \
        to[k * MT_PANEL_OUTS + i] = from[i * n_in + k];                                        \
  }

void
mt_panels_pack(void *panels, const void *w, mt_dtype dtype, size_t n_out, size_t n_in, size_t begin,
               size_t end)
{
  if (mt_dtype_size(dtype) == sizeof(float)) {
    PACK(uint32_t)
  } else {
    PACK(uint16_t)
  }
}

void
mt_panels_put(uint16_t *panels, size_t o, size_t n_in, size_t k, const uint16_t *w, size_t n)
{
  uint16_t *to = panels + o / MT_PANEL_OUTS * MT_PANEL_OUTS * n_in + o % MT_PANEL_OUTS;
  for (size_t i = 0; i < n; i++)
    to[(k + i) * MT_PANEL_OUTS] = w[i];
}
