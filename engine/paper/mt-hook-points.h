/* mt-hook-points.h — the places in a pass where a tensor can be seen and changed. Private to the
 * engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_HOOK_POINTS_H
#define MT_HOOK_POINTS_H

#include "mt.h"
#include "paper/mt-interventions.h"

/* Requests of somebody who looks, and where it goes. */
typedef struct {
  const mt_activation_requests *requests;
  mt_activation_callback callback;
  /* Where the matrix of a head shall be computed, [rows][keys], in a parallel pass: it need not be
   * copied then. NULL: where there is room. */
  float *(*place)(void *user, mt_attention_kind kind, size_t layer, size_t head);
} mt_observer;

/* What is done at the hook points of a pass, in this order. */
#define MT_MAX_OBSERVERS 2
typedef struct {
  uint32_t wanted; /* mask of hook points where anything is */
  /* Those of the model, which are windows, and those that were asked for; or NULL. */
  const mt_interventions *interventions[2];
  const mt_model *model;
  const mt_hooks *hooks; /* never NULL */
  mt_observer observers[MT_MAX_OBSERVERS];
  size_t n_observers;
} mt_hook_points;

/* Whether models with this configuration reach it. */
bool mt_hook_point_exists(mt_hook_point hook_point, const mt_config *config);
/* Which tensors a hook point has: one for each layer, for each head, and of which kinds. */
bool mt_hook_point_has_layers(mt_hook_point hook_point);
bool mt_hook_point_has_heads(mt_hook_point hook_point);
bool mt_hook_point_has_kind(mt_hook_point hook_point, mt_attention_kind kind);

/* A tensor that was just finished: rows [first, first + n) of the pass. */
typedef struct {
  mt_hook_point hook_point;
  mt_attention_kind kind;
  int layer, head; /* -1: none */
  size_t first, n;
  float *data; /* [n][cols], rows stride apart */
  size_t cols, stride;
  float *row_lse; /* [n] of weights; or NULL */
} mt_tensor;

/* What the changes of the model and hooks want; both may be NULL. */
mt_hook_points mt_hook_points_of(const mt_model *model, const mt_interventions *of_model,
                                 const mt_hooks *hooks);

/* Somebody else looks, too. */
void mt_hook_points_add(mt_hook_points *hook_points, mt_observer observer);

/* Where the matrix of a head is wanted; NULL: anywhere. */
float *mt_hook_points_place(const mt_hook_points *hook_points, mt_attention_kind kind, size_t layer,
                            size_t head);

/* Do what is to be done with it, sentence by sentence. */
void mt_hook_points_reach(const mt_hook_points *hook_points, const mt_groups *groups,
                          const mt_tensor *tensor);

/* The rows of one group of it: n_rows of them, from row `first` of the group on. */
void mt_hook_points_reach_group(const mt_hook_points *hook_points, const mt_group *group,
                                size_t first, size_t n_rows, const mt_tensor *tensor, float *data);

static inline bool
mt_hook_points_want(const mt_hook_points *hook_points, mt_hook_point hook_point)
{
  return (hook_points->wanted & MT_HOOK_POINT_BIT(hook_point)) != 0;
}

/* What changes say that is not done to a tensor; each costs a branch or two when there are none. */
static inline mt_similarity
mt_hook_points_similarity(const mt_hook_points *hook_points, mt_attention_kind kind, int layer,
                          int head)
{
  mt_similarity similarity = MT_SIMILARITY_SCALED;
  for (size_t i = 0; i < 2; i++)
    if (hook_points->interventions[i])
      similarity =
          mt_interventions_similarity(hook_points->interventions[i], kind, layer, head, similarity);
  return similarity;
}

/* The weights of what stands at `layer` of a stack. */
static inline size_t
mt_hook_points_layer(const mt_hook_points *hook_points, mt_stack stack, size_t layer)
{
  return hook_points->interventions[1]
             ? mt_interventions_layer(hook_points->interventions[1], stack, layer)
             : layer;
}

/* Whether the heads of an attention must come one after the other, for somebody who looks. */
bool mt_hook_points_are_serial(const mt_hook_points *hook_points, mt_attention_kind kind,
                               int layer);

#endif
