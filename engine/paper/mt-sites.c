/* mt-sites.c — the one mechanism for looking inside and changing things: captures, ablation and
 * steering are all users of it, not features of the layers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-sites.h"

mt_sites
mt_sites_of(const mt_hooks *hooks)
{
  static const mt_hooks none = {0};
  mt_sites sites = {.hooks = hooks ? hooks : &none};
  if (sites.hooks->on_probe)
    sites.wanted = sites.hooks->sites;
  return sites;
}

bool
mt_sites_are_serial(const mt_sites *sites)
{
  return mt_sites_want(sites, MT_SITE_SCORES) || mt_sites_want(sites, MT_SITE_WEIGHTS) ||
         mt_sites_want(sites, MT_SITE_CONTEXT);
}

void
mt_sites_reach_group(const mt_sites *sites, const mt_group *group, size_t first, size_t n_rows,
                     const mt_tensor *tensor, float *data)
{
  const mt_hooks *hooks = sites->hooks;
  mt_probe probe = {
      .site = tensor->site,
      .kind = tensor->kind,
      .layer = tensor->layer,
      .head = tensor->head,
      .sentence = group->sentence,
      .rows = group->n_beams ? 1 : n_rows,
      .cols = tensor->cols,
      .stride = tensor->stride,
  };
  for (size_t r = 0; r < n_rows; r += probe.rows) {
    probe.sequence = group->n_beams ? (first + r) % group->n_beams : 0;
    probe.first_row = mt_group_position(group, first + r);
    probe.data = data + r * tensor->stride;
    hooks->on_probe(hooks->user, &probe);
  }
}

void
mt_sites_reach(const mt_sites *sites, const mt_groups *groups, const mt_tensor *tensor)
{
  size_t begin = tensor->first, end = begin + tensor->n;
  for (size_t g = 0; g < groups->n; g++) {
    const mt_group *group = &groups->groups[g];
    size_t from = group->first > begin ? group->first : begin;
    size_t to = group->first + group->n < end ? group->first + group->n : end;
    if (from < to)
      mt_sites_reach_group(sites, group, from - group->first, to - from, tensor,
                           tensor->data + (from - begin) * tensor->stride);
  }
}
