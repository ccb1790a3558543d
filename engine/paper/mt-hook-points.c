/* mt-hook-points.c — the one mechanism for looking inside and changing things: captures,
 * recordings, restricted attention and ablation are all users of it, not features of the layers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-hook-points.h"

#include "kernels/mt-kinds.h"

#include <assert.h>

/* What heads compute while other threads compute others. */
#define HEAD_SITES                                                             \
  (MT_HOOK_POINT_BIT(MT_HOOK_SCORE_BIAS) | MT_HOOK_POINT_BIT(MT_HOOK_SCORES) | \
   MT_HOOK_POINT_BIT(MT_HOOK_WEIGHTS) | MT_HOOK_POINT_BIT(MT_HOOK_CONTEXT))

mt_hook_points
mt_hook_points_of(const mt_model *model, const mt_interventions *of_model, const mt_hooks *hooks)
{
  static const mt_hooks none = {0};
  mt_hook_points hook_points = {.model = model, .hooks = hooks ? hooks : &none};
  hook_points.interventions[0] = of_model;
  hook_points.interventions[1] = hook_points.hooks->interventions;
  hook_points.wanted = mt_interventions_hook_points(hook_points.interventions[0]) |
                       mt_interventions_hook_points(hook_points.interventions[1]);
  if (hook_points.hooks->on_probe)
    hook_points.wanted |= hook_points.hooks->hook_points;
  if (hook_points.hooks->requests && hook_points.hooks->callback.on_view)
    mt_hook_points_add(&hook_points, (mt_observer){hook_points.hooks->requests,
                                                   hook_points.hooks->callback, NULL});
  return hook_points;
}

void
mt_hook_points_add(mt_hook_points *hook_points, mt_observer observer)
{
  assert(hook_points->n_observers < MT_MAX_OBSERVERS);
  hook_points->observers[hook_points->n_observers++] = observer;
  for (size_t i = 0; i < observer.requests->n; i++)
    hook_points->wanted |= MT_HOOK_POINT_BIT(observer.requests->requests[i].hook_point);
}

float *
mt_hook_points_place(const mt_hook_points *hook_points, mt_attention_kind kind, size_t layer,
                     size_t head)
{
  for (size_t i = 0; i < hook_points->n_observers; i++)
    if (hook_points->observers[i].place)
      return hook_points->observers[i].place(hook_points->observers[i].callback.user, kind, layer,
                                             head);
  return NULL;
}

static bool
wants_heads(const mt_activation_requests *requests, mt_attention_kind kind, int layer)
{
  for (size_t i = 0; i < requests->n; i++) {
    mt_activation_request request = requests->requests[i];
    request.heads = MT_ALL_HEADS;
    mt_activation_requests any_head = {.n = 1, .requests = {request}};
    if ((HEAD_SITES & MT_HOOK_POINT_BIT(request.hook_point)) && requests->requests[i].heads &&
        mt_activation_requests_want(&any_head, request.hook_point, kind, layer, 0))
      return true;
  }
  return false;
}

bool
mt_hook_points_are_serial(const mt_hook_points *hook_points, mt_attention_kind kind, int layer)
{
  if (hook_points->hooks->on_probe && (hook_points->hooks->hook_points & HEAD_SITES))
    return true;
  for (size_t i = 0; i < hook_points->n_observers; i++)
    if (!hook_points->observers[i].callback.is_parallel &&
        wants_heads(hook_points->observers[i].requests, kind, layer))
      return true;
  return false;
}

/* Rows of one group, as those who look see them: all positions of a sequence at once, or in steps
 * one row after the other. */
static mt_activation_view
view_rows(const mt_group *group, size_t first, size_t r, size_t n_rows, const mt_tensor *tensor,
          const float *data)
{
  bool is_step = group->n_beams > 0;
  mt_activation_view view = {
      .hook_point = tensor->hook_point,
      .kind = tensor->kind,
      .layer = tensor->layer,
      .head = tensor->head,
      .sentence = group->sentence,
      .sequence = is_step ? (first + r) % group->n_beams : 0,
      .first_row = mt_group_position(group, first + r),
      .rows = is_step ? 1 : n_rows,
      .cols = tensor->cols,
      .stride = tensor->stride,
      .data = data + r * tensor->stride,
      .row_lse = tensor->row_lse ? tensor->row_lse + r : NULL,
  };
  /* Of several steps at once only the last sees all keys. */
  if (is_step && tensor->kind == MT_DECODER_SELF &&
      (tensor->hook_point == MT_HOOK_SCORE_BIAS || tensor->hook_point == MT_HOOK_SCORES ||
       tensor->hook_point == MT_HOOK_WEIGHTS))
    view.cols = view.first_row + 1;
  return view;
}

static void
probe_rows(const mt_hooks *hooks, const mt_activation_view *view, float *data)
{
  mt_editable_activation probe = {
      .hook_point = view->hook_point,
      .kind = view->kind,
      .layer = view->layer,
      .head = view->head,
      .sentence = view->sentence,
      .sequence = view->sequence,
      .first_row = view->first_row,
      .rows = view->rows,
      .cols = view->cols,
      .stride = view->stride,
      .data = data,
  };
  hooks->on_probe(hooks->user, &probe);
}

void
mt_hook_points_reach_group(const mt_hook_points *hook_points, const mt_group *group, size_t first,
                           size_t n_rows, const mt_tensor *tensor, float *data)
{
  mt_intervention_tensor rows = {.group = group,
                                 .first = first,
                                 .n = n_rows,
                                 .data = data,
                                 .cols = tensor->cols,
                                 .stride = tensor->stride,
                                 .row_lse = tensor->row_lse,
                                 .kind = tensor->kind,
                                 .layer = tensor->layer,
                                 .head = tensor->head,
                                 .lists = hook_points->interventions,
                                 .model = hook_points->model};
  const mt_interventions *const interventions[] = {hook_points->interventions[0],
                                                   hook_points->interventions[1],
                                                   group->interventions};
  for (size_t i = 0; i < sizeof interventions / sizeof *interventions; i++)
    if (interventions[i])
      mt_interventions_apply(interventions[i], tensor->hook_point, &rows);
  size_t n_at_once = group->n_beams ? 1 : n_rows;
  if (hook_points->hooks->on_probe &&
      (hook_points->hooks->hook_points & MT_HOOK_POINT_BIT(tensor->hook_point)))
    for (size_t r = 0; r < n_rows; r += n_at_once) {
      mt_activation_view view = view_rows(group, first, r, n_rows, tensor, data);
      probe_rows(hook_points->hooks, &view, data + r * tensor->stride);
    }
  for (size_t i = 0; i < hook_points->n_observers; i++) {
    const mt_observer *observer = &hook_points->observers[i];
    if (!mt_activation_requests_want(observer->requests, tensor->hook_point, tensor->kind,
                                     tensor->layer, tensor->head))
      continue;
    for (size_t r = 0; r < n_rows; r += n_at_once) {
      mt_activation_view view = view_rows(group, first, r, n_rows, tensor, data);
      observer->callback.on_view(observer->callback.user, &view);
    }
  }
}

void
mt_hook_points_reach(const mt_hook_points *hook_points, const mt_groups *groups,
                     const mt_tensor *tensor)
{
  size_t begin = tensor->first, end = begin + tensor->n;
  for (size_t g = 0; g < groups->n; g++) {
    const mt_group *group = &groups->groups[g];
    size_t from = group->first > begin ? group->first : begin;
    size_t to = group->first + group->n < end ? group->first + group->n : end;
    if (from < to)
      mt_hook_points_reach_group(hook_points, group, from - group->first, to - from, tensor,
                                 tensor->data + (from - begin) * tensor->stride);
  }
}

/* ---- Requests: what they want
 * -------------------------------------------------------------------- */

#define N_BITS 64

static uint64_t
bit(int i)
{
  return UINT64_C(1) << (i < N_BITS - 1 ? i : N_BITS - 1);
}

bool
mt_activation_requests_want(const mt_activation_requests *requests, mt_hook_point hook_point,
                            mt_attention_kind kind, int layer, int head)
{
  for (size_t i = 0; i < requests->n; i++) {
    const mt_activation_request *request = &requests->requests[i];
    if (request->hook_point == hook_point && (request->kinds & MT_KIND_BIT(kind)) &&
        (layer < 0 || (request->layers & bit(layer))) && (head < 0 || (request->heads & bit(head))))
      return true;
  }
  return false;
}

const char *
mt_hook_point_name(mt_hook_point hook_point)
{
  static const char *const names[MT_N_HOOK_POINTS] = {
      [MT_HOOK_EMBEDDING] = "embedding",
      [MT_HOOK_POSITION] = "position",
      [MT_HOOK_STREAM] = "stream",
      [MT_HOOK_QUERY] = "query",
      [MT_HOOK_KEY] = "key",
      [MT_HOOK_VALUE] = "value",
      [MT_HOOK_SCORE_BIAS] = "score_bias",
      [MT_HOOK_SCORES] = "scores",
      [MT_HOOK_WEIGHTS] = "weights",
      [MT_HOOK_CONTEXT] = "context",
      [MT_HOOK_ATTENTION_OUTPUT] = "attention_output",
      [MT_HOOK_NORM_INPUT] = "norm_input",
      [MT_HOOK_GATE] = "gate",
      [MT_HOOK_HIDDEN] = "hidden",
      [MT_HOOK_FEED_FORWARD] = "feed_forward",
      [MT_HOOK_FEED_FORWARD_NORM_INPUT] = "feed_forward_norm_input",
      [MT_HOOK_RESIDUAL] = "residual",
      [MT_HOOK_LAYER_OUTPUT] = "layer_output",
      [MT_HOOK_STACK_OUTPUT] = "stack_output",
      [MT_HOOK_LOGITS] = "logits",
  };
  return names[hook_point];
}

bool
mt_hook_point_has_layers(mt_hook_point hook_point)
{
  return hook_point != MT_HOOK_EMBEDDING && hook_point != MT_HOOK_POSITION &&
         hook_point != MT_HOOK_STREAM && hook_point != MT_HOOK_STACK_OUTPUT &&
         hook_point != MT_HOOK_LOGITS;
}

bool
mt_hook_point_has_heads(mt_hook_point hook_point)
{
  return hook_point >= MT_HOOK_QUERY && hook_point <= MT_HOOK_CONTEXT;
}

bool
mt_hook_point_exists(mt_hook_point hook_point, const mt_config *config)
{
  if (hook_point == MT_HOOK_POSITION)
    return mt_positions_are_added(config->position_kind);
  if (hook_point == MT_HOOK_SCORE_BIAS)
    return config->position_kind == MT_POSITIONS_RELATIVE;
  if (hook_point == MT_HOOK_GATE)
    return config->feed_forward_kind == MT_FEED_FORWARD_GATED;
  return true;
}

bool
mt_hook_point_has_kind(mt_hook_point hook_point, mt_attention_kind kind)
{
  if (hook_point == MT_HOOK_LOGITS)
    return kind == MT_DECODER_SELF;
  if (hook_point == MT_HOOK_SCORE_BIAS)
    return kind != MT_CROSS;
  bool is_attention = mt_hook_point_has_heads(hook_point) ||
                      hook_point == MT_HOOK_ATTENTION_OUTPUT || hook_point == MT_HOOK_NORM_INPUT ||
                      hook_point == MT_HOOK_RESIDUAL;
  return is_attention || kind != MT_CROSS;
}
