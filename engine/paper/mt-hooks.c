/* mt-hooks.c — the one mechanism for looking inside and changing things: capture, ablation,
 * steering and restricted attention are all users of it, not features of the layers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-hooks.h"

#include "base/mt-error.h"

void
mt_hooks_show(const mt_hooks *hooks, mt_site site, mt_attention_kind kind, int layer, int head,
              mt_rows rows, float *data, size_t cols, size_t stride)
{
  if (!hooks->on_probe || rows.n == 0)
    return;
  mt_probe probe = {
      .site = site,
      .kind = kind,
      .layer = layer,
      .head = head,
      .rows = rows.n_beams ? 1 : rows.n,
      .cols = cols,
      .stride = stride,
  };
  size_t n_calls = rows.n_beams ? rows.n : 1;
  for (size_t i = 0; i < n_calls; i++) {
    probe.sequence = rows.n_beams ? i % rows.n_beams : 0;
    probe.first_row = mt_rows_position(rows, i);
    probe.data = data + i * stride;
    hooks->on_probe(hooks->user, &probe);
  }
}

bool
mt_hooks_stopped(const mt_hooks *hooks, mt_error *error)
{
  if (!hooks->should_stop || !hooks->should_stop(hooks->user))
    return false;
  mt_fail(error, MT_ERROR_CANCELLED, "The computation was cancelled.");
  return true;
}

const mt_hooks *
mt_hooks_or_none(const mt_hooks *hooks)
{
  static const mt_hooks none = {0};
  return hooks ? hooks : &none;
}
