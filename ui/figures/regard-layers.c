/* regard-layers.c — what each sub-layer does to each token, as numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-layers.h"

#include "figures/regard-naming.h"
#include "figures/regard-visible.h"

#include <math.h>

void
regard_layers_taps(mt_taps *taps, gboolean with_tokens)
{
  static const mt_site sites[] = {MT_SITE_HIDDEN, MT_SITE_WEIGHTS, MT_SITE_VALUE};
  mt_taps_add_stream(taps);
  for (guint i = 0; i < (with_tokens ? G_N_ELEMENTS(sites) : 1) && taps->n < MT_MAX_TAPS; i++)
    taps->taps[taps->n++] = (mt_tap){sites[i], MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
}

static char *
name_point(mt_point point)
{
  static const char *const names[] = {
      [MT_SUB_LAYER_SELF] = "self",
      [MT_SUB_LAYER_CROSS] = "cross",
      [MT_SUB_LAYER_FEED_FORWARD] = "ffn",
  };
  if (point.sub_layer == MT_SUB_LAYER_EMBEDDING)
    return g_strdup("embedding");
  return g_strdup_printf("%d %s", point.layer + 1, names[point.sub_layer]);
}

static char *
name_token(const mt_trace *trace, mt_stack stack, guint i)
{
  if (stack == MT_STACK_ENCODER)
    return regard_token_display(mt_trace_source(trace), i, FALSE);
  g_autofree char *from = regard_token_display(mt_trace_decoder_input(trace), i, i == 0);
  g_autofree char *to = regard_token_display(mt_trace_output(trace), i, FALSE);
  return g_strdup_printf("%s → %s", from, to);
}

static gboolean
fill_stack(RegardLayers *self, mt_stack stack, gboolean with_lens, bool (*should_stop)(void *user),
           void *user, mt_error *error)
{
  const mt_config *config = mt_model_config(self->model);
  RegardLayersStack *s = &self->stacks[stack];
  mt_matrix first = mt_stream_at(self->trace, mt_point_at(config, stack, 0));
  s->n_points = (guint) mt_point_count(config, stack);
  s->n_tokens = (guint) first.rows;
  s->token_texts = g_new0(char *, s->n_tokens + 1);
  s->point_names = g_new0(char *, s->n_points + 1);
  s->numbers = g_new(mt_stream_numbers, MAX((gsize) s->n_points * s->n_tokens, 1));
  s->active = g_new(double, MAX((gsize) s->n_points * s->n_tokens, 1));
  s->collapse = g_new(double, s->n_points);
  for (guint t = 0; t < s->n_tokens; t++)
    s->token_texts[t] = name_token(self->trace, stack, t);
  for (guint p = 0; p < s->n_points; p++) {
    const mt_point point = mt_point_at(config, stack, p);
    s->point_names[p] = name_point(point);
    s->collapse[p] = mt_stream_collapse(self->trace, point);
    for (guint t = 0; t < s->n_tokens; t++) {
      s->numbers[(gsize) p * s->n_tokens + t] =
          mt_stream_measure(self->model, self->trace, point, t);
      s->active[(gsize) p * s->n_tokens + t] =
          point.sub_layer == MT_SUB_LAYER_FEED_FORWARD
              ? mt_neurons_active(self->trace, stack, (gsize) point.layer, t)
              : NAN;
    }
    if (should_stop && should_stop(user)) {
      if (error)
        error->code = MT_ERROR_CANCELLED;
      return FALSE;
    }
  }
  if (with_lens)
    s->lens = mt_lens_new(self->model, self->trace, stack, should_stop, user, error);
  return !with_lens || s->lens;
}

RegardLayers *
regard_layers_new(mt_model *model, mt_trace *trace, const mt_changes *changes, gboolean with_lens,
                  bool (*should_stop)(void *user), void *user, mt_error *error)
{
  RegardLayers *self = g_new0(RegardLayers, 1);
  g_atomic_ref_count_init(&self->ref_count);
  self->model = mt_model_ref(model);
  self->trace = mt_trace_ref(trace);
  if (mt_changes_count(changes) > 0)
    self->changes = regard_naming_joined(mt_changes_text(changes));
  for (guint stack = 0; stack < MT_N_STACKS; stack++)
    if (!fill_stack(self, (mt_stack) stack, with_lens, should_stop, user, error)) {
      regard_layers_unref(self);
      return NULL;
    }
  return self;
}

RegardLayers *
regard_layers_ref(RegardLayers *self)
{
  g_atomic_ref_count_inc(&self->ref_count);
  return self;
}

void
regard_layers_unref(RegardLayers *self)
{
  if (!self || !g_atomic_ref_count_dec(&self->ref_count))
    return;
  for (guint i = 0; i < MT_N_STACKS; i++) {
    RegardLayersStack *s = &self->stacks[i];
    g_strfreev(s->token_texts);
    g_strfreev(s->point_names);
    g_free(s->numbers);
    g_free(s->collapse);
    g_free(s->active);
    mt_lens_free(s->lens);
  }
  g_free(self->changes);
  mt_trace_unref(self->trace);
  mt_model_unref(self->model);
  g_free(self);
}

char *
regard_layers_piece(const RegardLayers *self, mt_stack stack, int32_t piece)
{
  const char *text = mt_model_piece(self->model, stack, piece);
  if (piece == mt_model_config(self->model)->eos_id)
    return g_strdup("⏎");
  return regard_visible(text ? text : "?");
}
