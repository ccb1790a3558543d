/* regard-graph.c — the contributions of every sub-layer of a pass.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-graph.h"

static gboolean
fill_stack(RegardGraph *self, mt_stack stack, bool (*should_stop)(void *user), void *user,
           mt_error *error)
{
  const RegardLayersStack *s = &self->layers->stacks[stack];
  self->points[stack] = g_new0(mt_contributions *, s->n_points);
  for (guint p = 1; p < s->n_points; p++) {
    if (should_stop && should_stop(user)) {
      if (error)
        error->code = MT_ERROR_CANCELLED;
      return FALSE;
    }
    self->points[stack][p] =
        mt_contributions_new(self->layers->model, self->layers->trace,
                             mt_point_at(mt_model_config(self->layers->model), stack, p), error);
    if (!self->points[stack][p])
      return FALSE;
  }
  return TRUE;
}

RegardGraph *
regard_graph_new(RegardLayers *layers, bool (*should_stop)(void *user), void *user, mt_error *error)
{
  RegardGraph *self = g_new0(RegardGraph, 1);
  g_atomic_ref_count_init(&self->ref_count);
  self->layers = regard_layers_ref(layers);
  if (fill_stack(self, MT_STACK_ENCODER, should_stop, user, error) &&
      fill_stack(self, MT_STACK_DECODER, should_stop, user, error))
    return self;
  regard_graph_unref(self);
  return NULL;
}

RegardGraph *
regard_graph_ref(RegardGraph *self)
{
  g_atomic_ref_count_inc(&self->ref_count);
  return self;
}

void
regard_graph_unref(RegardGraph *self)
{
  if (!self || !g_atomic_ref_count_dec(&self->ref_count))
    return;
  for (guint stack = 0; stack < MT_N_STACKS; stack++) {
    for (guint p = 0; self->points[stack] && p < self->layers->stacks[stack].n_points; p++)
      mt_contributions_free(self->points[stack][p]);
    g_free(self->points[stack]);
  }
  regard_layers_unref(self->layers);
  g_free(self);
}
