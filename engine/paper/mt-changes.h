/* mt-changes.h — the places and kinds of change. Private to the engine.
 *
 * A kind is a row of the list in mt-changes.c: its name, the numbers behind it, at which places
 * it can be made, and for each of them the site and the function that makes it. Places are rows of
 * another list there, which says what their numbers count. Reading, writing, checking and applying
 * go through the rows. What is not done to a tensor where it is seen (which encoding a token gets,
 * which layer computes, how alike a query and a key are) is asked of the rows by those who compute
 * it: mt_changes_position and its neighbours below.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CHANGES_H
#define MT_CHANGES_H

#include "model/mt-means.h"
#include "model/mt-states.h"
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
} mt_change_range;

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
} mt_change_place_id;
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
  uint32_t kinds;   /* mask of the attention kinds as which mt_site names its tensors */
  mt_stack stack;   /* whose layers and heads … */
  mt_stack keys;    /* … and whose tokens the keys are */
  mt_axis axes[2];  /* [n_axes] of the numbers that follow it, "4.1"; all may be left out */
  size_t n_axes;
  uint32_t named; /* mask of the axes whose numbers follow their names, "key 3" */
} mt_change_place;
extern const mt_change_place mt_change_places[MT_N_PLACES];

/* ---- What ------------------------------------------------------------------------------------ */

typedef struct mt_change_kind mt_change_kind;
typedef struct mt_change_form mt_change_form;
#define MT_CHANGE_MAX_ARGUMENTS 2
typedef struct {
  const mt_change_kind *kind;
  const mt_change_form *form;
  const mt_change_place *place;
  mt_change_range ranges[MT_N_AXES]; /* all, where nothing was said */
  double arguments[MT_CHANGE_MAX_ARGUMENTS];
} mt_change;

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
  const mt_changes *const *lists; /* [2], any may be NULL */
  const mt_model *model;
  const float *mean;       /* [cols] of this head, for kinds that need means */
  const mt_states *states; /* for kinds that need them */
} mt_change_tensor;

/* A number behind the name of a kind, from least to most. */
typedef struct {
  bool is_whole;
  double least, most;
} mt_change_argument;

/* What the first number behind the name counts, so that it can be compared with what there is; all
 * but pieces from 1. */
typedef enum {
  MT_COUNTS_NOTHING,
  MT_COUNTS_LAYERS,
  MT_COUNTS_HEADS,
  MT_COUNTS_PIECES, /* ids, from 0 */
  MT_COUNTS_TOKENS,
  MT_COUNTS_POSITIONS,
} mt_change_counts;

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
} mt_change_position;

/* How it is made at some places. */
struct mt_change_form {
  mt_change_family family; /* of those that name all cells of a head, or some of them */
  uint32_t places;         /* mask */
  uint32_t axes;           /* mask of those that may be said of them … */
  uint32_t needed;         /* … of those of which one must be … */
  uint32_t single;         /* … and of those of which it must be a single one */
  mt_change_counts counts;
  bool is_explained; /* what is said of a pass (explain/) stays true with it */
  mt_site site;
  /* Make it; called for several heads at once. Layer and head are those of the ranges already.
   * NULL: it is asked for in one of the ways below. */
  void (*apply)(const mt_change *change, const mt_change_tensor *tensor);
  mt_similarity similarity;
  /* What becomes of the encoding of a token that it is made to. */
  void (*encode)(const mt_change *change, mt_change_position *position);
  /* Whether it can be for a model; else *why, which goes on from "The change …". */
  bool (*fits)(const mt_change *change, const mt_config *config, const char **why);
};

#define MT_CHANGE_MAX_FORMS 4
struct mt_change_kind {
  const char *name;
  mt_change_argument arguments[MT_CHANGE_MAX_ARGUMENTS];
  size_t n_arguments;
  mt_change_form forms[MT_CHANGE_MAX_FORMS];
  size_t n_forms;
  bool needs_means;  /* of its heads: a list without means cannot be used */
  bool needs_states; /* of another run, likewise */
  /* Whether a key is not seen by a query, in a head where it is made; NULL: all are. */
  bool (*hides)(const mt_change *change, size_t query, size_t key);
  /* What its numbers should have been, all together; NULL: they are. */
  const char *(*expects)(const mt_change *change);
  /* It is made to all heads of a query or key tensor at once, whichever it names: for the copies,
   * which read what others are. */
  void (*copy)(const mt_change *change, float *data, size_t n, size_t d, size_t d_head);
};

/* By the tensor in which they are made: mt-change-scores.c, -weights.c, -outputs.c, -inputs.c. */
extern const mt_change_kind mt_change_add, mt_change_as, mt_change_copy, mt_change_cosine,
    mt_change_diagonal, mt_change_hide, mt_change_interleave, mt_change_mean, mt_change_next,
    mt_change_patch, mt_change_piece, mt_change_previous, mt_change_put, mt_change_scale,
    mt_change_set, mt_change_shift, mt_change_skip, mt_change_swap, mt_change_temperature,
    mt_change_uniform, mt_change_unscaled, mt_change_window, mt_change_zero;

/* How kinds with `hides` are made to scores: -infinity before the softmax for the keys that are not
 * seen. */
void mt_change_hide_keys(const mt_change *change, const mt_change_tensor *tensor);
/* ---- A list ---------------------------------------------------------------------------------- */

static inline bool
mt_change_is_in(mt_change_range range, size_t i)
{
  return i >= range.first && i <= range.last;
}

/* Whether a key of the tensor of a head is not seen by a query: the mask, or changes that hide. */
bool mt_change_is_hidden(const mt_change_tensor *tensor, size_t query, size_t key);

/* Mask of the sites where there is something to do. */
uint32_t mt_changes_sites(const mt_changes *changes);

/* Make all that are to be made there. */
void mt_changes_apply(const mt_changes *changes, mt_site site, const mt_change_tensor *tensor);

/* The copies of heads of queries, keys, all side by side in data [n][d]. */
void mt_changes_copy_heads(const mt_changes *changes, mt_attention_kind kind, int layer,
                           float *data, size_t n, size_t d, size_t d_head);

/* What was said last, of a head. */
mt_similarity mt_changes_similarity(const mt_changes *changes, mt_attention_kind kind, int layer,
                                    int head, mt_similarity before);

/* Which layer's weights compute what stands at `layer` of a stack. */
size_t mt_changes_layer(const mt_changes *changes, mt_stack stack, size_t layer);

/* out [d] = the position encoding of a token, from 0, with changes. */
void mt_changes_position(const mt_changes *changes, const mt_model *model, mt_stack stack,
                         size_t token, float *out);

/* False, MT_ERROR_INPUT: its means are another model's. */
bool mt_changes_check_means(const mt_changes *changes, const mt_model *model, mt_error *error);

/* False, MT_ERROR_INPUT: a text of so many tokens does not have the source tokens of some change.
 */
bool mt_changes_check_source(const mt_changes *changes, size_t n_source, mt_error *error);

#endif
