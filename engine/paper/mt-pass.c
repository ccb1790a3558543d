/* mt-pass.c — what every layer of a pass does beside computing: it can be stopped, and looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-pass.h"

#include "base/mt-error.h"

bool
mt_pass_is_stopped(const mt_pass *pass)
{
  if (!pass->should_stop || !pass->should_stop(pass->stop_user))
    return false;
  mt_fail(pass->error, MT_ERROR_CANCELLED, "The computation was cancelled.");
  return true;
}

void
mt_pass_show_all(const mt_pass *pass, mt_site site, mt_attention_kind kind, int layer, float *data,
                 size_t cols)
{
  mt_tensor tensor = {.site = site,
                      .kind = kind,
                      .layer = layer,
                      .head = -1,
                      .n = pass->groups->n_rows,
                      .data = data,
                      .cols = cols,
                      .stride = cols};
  mt_sites_reach(&pass->sites, pass->groups, &tensor);
}
