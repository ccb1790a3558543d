/* mt-panels.c — weights put into panels.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels.h"

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

static void
pack_pairs(uint32_t *panels, const uint16_t *w, size_t n_out, size_t n_in, size_t begin, size_t end)
{
  for (size_t p = begin; p < end; p++)
    for (size_t k = 0; k < n_in; k += 2)
      for (size_t i = 0; i < MT_PANEL_OUTS; i++) {
        size_t o = p * MT_PANEL_OUTS + i;
        uint32_t first = o < n_out ? w[o * n_in + k] : 0;
        uint32_t second = o < n_out && k + 1 < n_in ? w[o * n_in + k + 1] : 0;
        panels[(p * MT_PAIRS(n_in) + k / 2) * MT_PANEL_OUTS + i] = first << 16 | second;
      }
}

void
mt_panels_pack(void *panels, const void *w, mt_dtype dtype, size_t n_out, size_t n_in, size_t begin,
               size_t end)
{
  if (dtype == MT_DTYPE_F32) {
    PACK(uint32_t)
  } else if (dtype == MT_DTYPE_F16) {
    PACK(uint16_t)
  } else {
    pack_pairs(panels, w, n_out, n_in, begin, end);
  }
}

void
mt_panels_put(void *panels, mt_dtype dtype, size_t o, size_t n_in, size_t k, const uint16_t *w,
              size_t n)
{
  const size_t panel = o / MT_PANEL_OUTS * MT_PANEL_OUTS, i = o % MT_PANEL_OUTS;
  if (dtype == MT_DTYPE_F16) {
    uint16_t *to = (uint16_t *) panels + panel * n_in + i;
    for (size_t j = 0; j < n; j++)
      to[(k + j) * MT_PANEL_OUTS] = w[j];
    return;
  }
  uint32_t *to = (uint32_t *) panels + panel * MT_PAIRS(n_in) + i;
  for (size_t j = 0; j < n; j++) {
    uint32_t *pair = &to[(k + j) / 2 * MT_PANEL_OUTS];
    *pair = (k + j) % 2 ? (*pair & 0xffff0000) | w[j] : (*pair & 0xffff) | (uint32_t) w[j] << 16;
  }
}
