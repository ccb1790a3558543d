/* mt-interventions.h — the places and kinds of change. Private to the engine.
 *
 * A kind is a row of the list MT_INTERVENTION_KINDS: its name, the numbers behind it, at which
 * places it can be made, and for each of them the hook point and the function that makes it. Places
 * are rows of the list in mt-interventions.c, which says what their numbers count. Reading,
 * writing, checking and applying go through the rows. What is not done to a tensor where it is seen
 * (which encoding a token gets, which layer computes, how alike a query and a key are) is asked of
 * the rows by those who compute it: mt_interventions_position and its neighbours below.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_INTERVENTIONS_H
#define MT_INTERVENTIONS_H

#include "model/mt-activations.h"
#include "model/mt-means.h"
#include "mt.h"
#include "paper/mt-kv.h"

/* ---- Where ----------------------------------------------------------------------------------- */

/* What numbers of a place count, from 0. */
typedef enum {
  MT_AXIS_LAYER,
  MT_AXIS_HEAD,
  MT_AXIS_QUERY, /* tokens: rows of scores and weights … */
  MT_AXIS_KEY,   /* … and columns; of a token that is no row of anything, the token itself */
  MT_AXIS_TOKEN, /* rows of the stream */
  MT_N_AXES,
} mt_axis;
#define MT_AXIS_BIT(axis) (UINT32_C(1) << (axis))
#define MT_AXES_HEAD      (MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD))
#define MT_AXES_CELL      (MT_AXIS_BIT(MT_AXIS_QUERY) | MT_AXIS_BIT(MT_AXIS_KEY))

/* From first to last, counted from 0; all: 0 to SIZE_MAX. */
typedef struct {
  size_t first, last;
} mt_intervention_range;

typedef enum {
  MT_PLACE_ENCODER,
  MT_PLACE_DECODER,
  MT_PLACE_CROSS,
  MT_PLACE_SOURCE,
  MT_PLACE_ENCODER_ATTENTION, /* sub-layers … */
  MT_PLACE_DECODER_ATTENTION,
  MT_PLACE_CROSS_ATTENTION,
  MT_PLACE_ENCODER_FEED_FORWARD,
  MT_PLACE_DECODER_FEED_FORWARD,
  MT_PLACE_ENCODER_LAYER, /* … and what they are in */
  MT_PLACE_DECODER_LAYER,
  MT_PLACE_SOURCE_POSITION,
  MT_PLACE_TARGET_POSITION,
  MT_PLACE_ENCODER_STREAM, /* behind a layer … */
  MT_PLACE_DECODER_STREAM,
  MT_PLACE_ENCODER_INPUT, /* … and before the first */
  MT_PLACE_DECODER_INPUT,
  MT_N_PLACES,
} mt_intervention_target_id;
#define MT_PLACE_BIT(place) (UINT32_C(1) << (place))
#define MT_PLACES_ATTENTION \
  (MT_PLACE_BIT(MT_PLACE_ENCODER) | MT_PLACE_BIT(MT_PLACE_DECODER) | MT_PLACE_BIT(MT_PLACE_CROSS))
#define MT_PLACES_SUB_ATTENTION                                                          \
  (MT_PLACE_BIT(MT_PLACE_ENCODER_ATTENTION) | MT_PLACE_BIT(MT_PLACE_DECODER_ATTENTION) | \
   MT_PLACE_BIT(MT_PLACE_CROSS_ATTENTION))
#define MT_PLACES_FEED_FORWARD \
  (MT_PLACE_BIT(MT_PLACE_ENCODER_FEED_FORWARD) | MT_PLACE_BIT(MT_PLACE_DECODER_FEED_FORWARD))
#define MT_PLACES_LAYER \
  (MT_PLACE_BIT(MT_PLACE_ENCODER_LAYER) | MT_PLACE_BIT(MT_PLACE_DECODER_LAYER))
#define MT_PLACES_POSITION \
  (MT_PLACE_BIT(MT_PLACE_SOURCE_POSITION) | MT_PLACE_BIT(MT_PLACE_TARGET_POSITION))
#define MT_PLACES_STREAM \
  (MT_PLACE_BIT(MT_PLACE_ENCODER_STREAM) | MT_PLACE_BIT(MT_PLACE_DECODER_STREAM))
#define MT_PLACES_INPUT \
  (MT_PLACE_BIT(MT_PLACE_ENCODER_INPUT) | MT_PLACE_BIT(MT_PLACE_DECODER_INPUT))

typedef struct {
  const char *name;
  const char *part; /* second word, "feed-forward"; NULL: none */
  uint32_t kinds;   /* mask of the attention kinds as which mt_hook_point names its tensors */
  mt_stack stack;   /* whose layers and heads … */
  mt_stack keys;    /* … and whose tokens the keys are */
  mt_axis axes[2];  /* [n_axes] of the numbers that follow it, "4.1"; all may be left out */
  size_t n_axes;
  uint32_t named; /* mask of the axes whose numbers follow their names, "key 3" */
} mt_intervention_target;
extern const mt_intervention_target mt_intervention_targets[MT_N_PLACES];

/* ---- What ------------------------------------------------------------------------------------ */

typedef struct mt_intervention_kind mt_intervention_kind;
typedef struct mt_intervention_form mt_intervention_form;
#define MT_INTERVENTION_MAX_ARGUMENTS 2
typedef struct {
  const mt_intervention_kind *kind;
  const mt_intervention_form *form;
  const mt_intervention_target *place;
  mt_intervention_range ranges[MT_N_AXES]; /* all, where nothing was said */
  double arguments[MT_INTERVENTION_MAX_ARGUMENTS];
} mt_intervention;

/* Rows of a group, from row `first` of it on; of one head, if the tensor has heads. */
typedef struct {
  const mt_group *group;
  size_t first, n;
  float *data; /* [n][cols], rows stride apart */
  size_t cols, stride;
  float *row_lse; /* [n] of weights: log-sum-exp of their scores; else NULL */
  /* Which tensor it is, and all that is changed. */
  mt_attention_kind kind;
  int layer, head;
  const mt_interventions *const *lists; /* [2], any may be NULL */
  const mt_model *model;
  const float *mean;            /* [cols] of this head, for kinds that need means */
  const mt_activations *states; /* for kinds that need them */
} mt_intervention_tensor;

/* A number behind the name of a kind, from least to most. */
typedef struct {
  bool is_whole;
  double least, most;
} mt_intervention_argument;

/* What the first number behind the name counts, so that it can be compared with what there is; all
 * but pieces from 1. */
typedef enum {
  MT_COUNTS_NOTHING,
  MT_COUNTS_LAYERS,
  MT_COUNTS_HEADS,
  MT_COUNTS_PIECES, /* ids, from 0 */
  MT_COUNTS_TOKENS,
  MT_COUNTS_POSITIONS,
} mt_intervention_counts;

/* How alike a query and a key are. */
typedef enum {
  MT_SIMILARITY_SCALED, /* the paper, equation 1: q·k / sqrt(d_k) */
  MT_SIMILARITY_UNSCALED,
  MT_SIMILARITY_COSINE,
} mt_similarity;

/* The position encoding of a token. Lists are read from their end for it: what comes later was
 * said already. */
typedef struct {
  size_t token;  /* whose it is; from 0 */
  bool is_fixed; /* nothing before changes it: it is `position`, or 0 … */
  bool is_zero;
  long position;    /* … and what is added to it */
  bool interleaves; /* sines and cosines alternate */
} mt_intervention_position;

/* How it is made at some places. */
struct mt_intervention_form {
  mt_intervention_family family; /* of those that name all cells of a head, or some of them */
  uint32_t places;               /* mask */
  uint32_t axes;                 /* mask of those that may be said of them … */
  uint32_t needed;               /* … of those of which one must be … */
  uint32_t single;               /* … and of those of which it must be a single one */
  mt_intervention_counts counts;
  bool is_explained; /* what is said of a pass (explain/) stays true with it */
  mt_hook_point hook_point;
  /* Make it; called for several heads at once. Layer and head are those of the ranges already.
   * NULL: it is asked for in one of the ways below. */
  void (*apply)(const mt_intervention *change, const mt_intervention_tensor *tensor);
  mt_similarity similarity;
  bool is_alone;    /* the stream is not added to what a sub-layer makes */
  bool is_unbiased; /* relative positions add nothing to the scores of the head */
  /* What becomes of the encoding of a token that it is made to. */
  void (*encode)(const mt_intervention *change, mt_intervention_position *position);
  /* Whether it can be for a model; else *why, which goes on from "The change …". */
  bool (*fits)(const mt_intervention *change, const mt_config *config, const char **why);
};

#define MT_INTERVENTION_MAX_FORMS 4
struct mt_intervention_kind {
  const char *name;
  mt_intervention_argument arguments[MT_INTERVENTION_MAX_ARGUMENTS];
  size_t n_arguments;
  mt_intervention_form forms[MT_INTERVENTION_MAX_FORMS];
  size_t n_forms;
  bool needs_means;  /* of its heads: a list without means cannot be used */
  bool needs_states; /* of another run, likewise */
  /* Whether a key is not seen by a query, in a head where it is made; NULL: all are. */
  bool (*hides)(const mt_intervention *change, size_t query, size_t key);
  /* What its numbers should have been, all together; NULL: they are. */
  const char *(*expects)(const mt_intervention *change);
  /* It is made to all heads of a query or key tensor at once, whichever it names: for the copies,
   * which read what others are. */
  void (*copy)(const mt_intervention *change, float *data, size_t n, size_t inner, size_t d_head);
};

/* THE list of kinds. They are defined by the tensor in which they are made:
 * mt-intervention-scores.c, -weights.c, -outputs.c, -inputs.c. */
/* clang-format off */
#define MT_INTERVENTION_KINDS(K) \
  K(add) K(alone) K(as) K(copy) K(cosine) K(diagonal) K(hide) K(interleave) K(mean) K(next) K(patch) \
  K(piece) K(previous) K(put) K(scale) K(set) K(shift) K(skip) K(swap) K(temperature) \
  K(unbiased) K(uniform) K(unscaled) K(window) K(zero)
/* clang-format on */
#define MT_DECLARE_INTERVENTION_KIND(name) extern const mt_intervention_kind mt_intervention_##name;
MT_INTERVENTION_KINDS(MT_DECLARE_INTERVENTION_KIND)

/* How kinds with `hides` are made to scores: -infinity before the softmax for the keys that are not
 * seen. */
void mt_intervention_hide_keys(const mt_intervention *change, const mt_intervention_tensor *tensor);
/* ---- A list ---------------------------------------------------------------------------------- */

static inline bool
mt_intervention_is_in(mt_intervention_range range, size_t i)
{
  return i >= range.first && i <= range.last;
}

/* Whether a key of the tensor of a head is not seen by a query: the mask, or changes that hide. */
bool mt_intervention_is_hidden(const mt_intervention_tensor *tensor, size_t query, size_t key);

/* Mask of the hook points where there is something to do. */
uint32_t mt_interventions_hook_points(const mt_interventions *interventions);

/* Make all that are to be made there. */
void mt_interventions_apply(const mt_interventions *interventions, mt_hook_point hook_point,
                            const mt_intervention_tensor *tensor);

/* The copies of heads of queries, keys, all side by side in data [n][d]. */
void mt_interventions_copy_heads(const mt_interventions *interventions, mt_attention_kind kind,
                                 int layer, float *data, size_t n, size_t inner, size_t d_head);

/* What was said last, of a head. */
mt_similarity mt_interventions_similarity(const mt_interventions *interventions,
                                          mt_attention_kind kind, int layer, int head,
                                          mt_similarity before);

/* Whether some change is one of positions. */
static inline bool
mt_interventions_move_positions(const mt_interventions *interventions)
{
  return (mt_interventions_hook_points(interventions) & MT_HOOK_POINT_BIT(MT_HOOK_POSITION)) != 0;
}

/* Whether a head has no biases of relative positions. */
bool mt_interventions_unbias(const mt_interventions *interventions, mt_attention_kind kind,
                             int layer, int head);

/* Whether a sub-layer, whose output this hook point shows, goes on without the stream. */
bool mt_interventions_are_alone(const mt_interventions *interventions, mt_hook_point hook_point,
                                mt_attention_kind kind, int layer);

/* Which layer's weights compute what stands at `layer` of a stack. */
size_t mt_interventions_layer(const mt_interventions *interventions, mt_stack stack, size_t layer);

/* out [d] = the position encoding of a token, from 0, with changes. */
void mt_interventions_position(const mt_interventions *interventions, const mt_model *model,
                               mt_stack stack, size_t token, float *out);

/* False, MT_ERROR_INPUT: its means are another model's. */
bool mt_interventions_check_means(const mt_interventions *interventions, const mt_model *model,
                                  mt_error *error);

/* False, MT_ERROR_INPUT: a text of so many tokens does not have the source tokens of some change.
 */
bool mt_interventions_check_source(const mt_interventions *interventions, size_t n_source,
                                   mt_error *error);

#endif
