/* mt-change-piece.c — another piece of the vocabulary in the place of a source token: its embedding
 * (the paper, section 3.4). The position, and what the token is called, stay.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

#include "model/mt-model.h"

#include <math.h>

static void
apply(const mt_change *change, const mt_change_tensor *tensor)
{
  const mt_config *config = &tensor->model->config;
  const float *piece = tensor->model->stacks[MT_STACK_ENCODER].embedding +
                       (size_t) change->arguments[0] * config->d_model;
  float scale = config->scale_embedding ? sqrtf((float) config->d_model) : 1;
  for (size_t r = 0; r < tensor->n; r++) {
    size_t at = mt_group_position(tensor->group, tensor->first + r);
    if (mt_change_is_in(change->ranges[MT_AXIS_KEY], at))
      for (size_t i = 0; i < tensor->cols; i++)
        tensor->data[r * tensor->stride + i] = piece[i] * scale;
  }
}

const mt_change_kind mt_change_piece = {
    .name = "piece",
    .arguments = {{.is_whole = true, .least = 0, .most = INT32_MAX}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACE_BIT(MT_PLACE_SOURCE),
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .needed = MT_AXIS_BIT(MT_AXIS_KEY),
               .counts = MT_COUNTS_PIECES,
               .site = MT_SITE_EMBEDDING,
               .apply = apply}},
    .n_forms = 1,
};
