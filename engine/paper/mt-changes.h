/* mt-changes.h — the places and kinds of change. Private to the engine.
 *
 * A kind is a row of the list in mt-change-text.c: its name, the numbers behind it, at which places
 * it can be made, and for each of them the site and the function that makes it. Places are rows of
 * another list there, which says what their numbers count. Reading, writing, checking and applying
 * go through the rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CHANGES_H
#define MT_CHANGES_H

#include "model/mt-means.h"
#include "mt.h"
#include "paper/mt-groups.h"

/* ---- Where -------------------------------------------------------------------------------------
 */

/* What numbers of a place count, from 0. */
typedef enum {
  MT_AXIS_LAYER,
  MT_AXIS_HEAD,
  MT_AXIS_QUERY, /* tokens: rows of scores and weights … */
  MT_AXIS_KEY,   /* … and columns; of a token that is no row of anything, the token itself */
  MT_N_AXES,
} mt_axis;
#define MT_AXIS_BIT(axis) (UINT32_C(1) << (axis))

/* From first to last, counted from 0; all: 0 to SIZE_MAX. */
typedef struct {
  size_t first, last;
} mt_change_range;

typedef enum {
  MT_PLACE_ENCODER,
  MT_PLACE_DECODER,
  MT_PLACE_CROSS,
  MT_PLACE_SOURCE,
  MT_N_PLACES,
} mt_change_place_id;
#define MT_PLACE_BIT(place) (UINT32_C(1) << (place))
#define MT_PLACES_ATTENTION \
  (MT_PLACE_BIT(MT_PLACE_ENCODER) | MT_PLACE_BIT(MT_PLACE_DECODER) | MT_PLACE_BIT(MT_PLACE_CROSS))

typedef struct {
  const char *name;
  uint32_t kinds;  /* mask of the attention kinds as which mt_site names its tensors */
  mt_stack stack;  /* whose layers and heads … */
  mt_stack keys;   /* … and whose tokens the keys are */
  mt_axis axes[2]; /* [n_axes] of the numbers that follow it, "4.1"; all may be left out */
  size_t n_axes;
  uint32_t named; /* mask of the axes whose numbers follow their names, "key 3" */
} mt_change_place;
extern const mt_change_place mt_change_places[MT_N_PLACES];

/* ---- What --------------------------------------------------------------------------------------
 */

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
  const float *mean; /* [cols] of this head, for kinds that need means */
} mt_change_tensor;

/* A number behind the name of a kind, from least to most. */
typedef struct {
  bool is_whole;
  double least, most;
} mt_change_argument;

/* How it is made at some places. */
struct mt_change_form {
  uint32_t places; /* mask */
  uint32_t axes;   /* mask of those that may be said of them … */
  uint32_t needed; /* … and of those of which one must be */
  mt_site site;
  /* Make it; called for several heads at once. Layer and head are those of the ranges already. */
  void (*apply)(const mt_change *change, const mt_change_tensor *tensor);
};

#define MT_CHANGE_MAX_FORMS 3
struct mt_change_kind {
  const char *name;
  mt_change_argument arguments[MT_CHANGE_MAX_ARGUMENTS];
  size_t n_arguments;
  mt_change_form forms[MT_CHANGE_MAX_FORMS];
  size_t n_forms;
  bool needs_means; /* of its heads: a list without means cannot be used */
  /* Whether it leaves no weight to a key for a query, in a head where it is made; NULL: to all. */
  bool (*hides)(const mt_change *change, size_t query, size_t key);
};

/* One file each. */
extern const mt_change_kind mt_change_hide, mt_change_mean, mt_change_scale, mt_change_uniform,
    mt_change_window, mt_change_zero;

/* ---- A list ------------------------------------------------------------------------------------
 */

/* Room for one change as text, and its end. */
#define MT_CHANGE_TEXT_SIZE 256

/* Text to changes, as many as there are lines with something in them, and back. *n counts those
 * that were begun. */
bool mt_change_read(const char *label, const char *text, mt_change *changes, size_t *n,
                    mt_error *error);
/* Returns its length. */
size_t mt_change_write(const mt_change *change, char out[MT_CHANGE_TEXT_SIZE]);

static inline bool
mt_change_is_in(mt_change_range range, size_t i)
{
  return i >= range.first && i <= range.last;
}

/* Mask of the sites where there is something to do. */
uint32_t mt_changes_sites(const mt_changes *changes);

/* Make all that are to be made there. */
void mt_changes_apply(const mt_changes *changes, mt_site site, mt_attention_kind kind, int layer,
                      int head, const mt_change_tensor *tensor);

/* False, MT_ERROR_INPUT: its means are another model's. */
bool mt_changes_check_means(const mt_changes *changes, const mt_model *model, mt_error *error);

/* False, MT_ERROR_INPUT: a text of so many tokens does not have the source tokens of some change.
 */
bool mt_changes_check_source(const mt_changes *changes, size_t n_source, mt_error *error);

#endif
