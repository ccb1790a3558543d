/* regard-figure-inside.h — where a number comes from: one head and one query, left to right as
 * equation 1 of the paper; and cards that explain it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-inside.h"

G_BEGIN_DECLS

typedef enum {
  REGARD_INSIDE_ROW = 1 << 0,        /* equation 1 for the query; or for all of them */
  REGARD_INSIDE_SIMILARITY = 1 << 1, /* the same q and k compared in other ways */
  REGARD_INSIDE_ROOT = 1 << 2,       /* why √d_k */
  REGARD_INSIDE_CELL = 1 << 3,       /* why this cell */
  REGARD_INSIDE_HEADS = 1 << 4,      /* all heads of the layer */
  REGARD_INSIDE_ALL = (1 << 5) - 1,
} RegardInsidePart;

/* The steps of the row, in order; all of them: REGARD_INSIDE_N_STEPS. */
typedef enum {
  REGARD_STEP_QUERY = 1, /* the stream through W_Q */
  REGARD_STEP_PRODUCT,   /* q·k */
  REGARD_STEP_SCALE,     /* ÷ √d_k */
  REGARD_STEP_MASK,
  REGARD_STEP_EXP,
  REGARD_STEP_WEIGHT,  /* ÷ sum */
  REGARD_STEP_CONTEXT, /* weights times values, and their sum */
  REGARD_STEP_OUTPUT,  /* through W_O, to the stream */
} RegardInsideStep;
#define REGARD_INSIDE_N_STEPS 8
/* "q·k: each key compared with the query", for a line that says what a step did; translatable. */
const char *regard_inside_step_text(guint step);

typedef struct {
  guint parts;       /* RegardInsidePart */
  guint step;        /* what is shown of the row: up to this one */
  gboolean all_rows; /* matrices of all queries instead of one row */
  gboolean maps;     /* W_Q as well */
  RegardSimilarityMaps similarity_maps;
  double divisor; /* a third one beside 1 and √d_k; 0: none */
} RegardInsideLook;
#define REGARD_INSIDE_LOOK_INIT                                                     \
  {                                                                                 \
    REGARD_INSIDE_ALL, REGARD_INSIDE_N_STEPS, FALSE, FALSE, REGARD_MAPS_IDENTITY, 0 \
  }

/* Keeps a reference of inside. Its matrices are all that the numbers can be computed from:
 * docs/inside.md names them. */
RegardFigure *regard_figure_new_inside(RegardInside *inside, const RegardInsideLook *look,
                                       const RegardFigureStyle *style);

/* What its spots are: part, and what row and col count. */
typedef enum {
  REGARD_SPOT_STREAM, /* col: dimension of d; so READ */
  REGARD_SPOT_READ,
  REGARD_SPOT_W_QUERY, /* row: component of q, col: dimension */
  REGARD_SPOT_QUERY,   /* col: component */
  REGARD_SPOT_TOKEN,   /* row: key */
  REGARD_SPOT_KEY,     /* row: key, col: component; so VALUE and WEIGHTED */
  REGARD_SPOT_PRODUCT, /* row: key; so the next four */
  REGARD_SPOT_SCALED,
  REGARD_SPOT_MASK,
  REGARD_SPOT_EXP,
  REGARD_SPOT_WEIGHT,
  REGARD_SPOT_SUM,
  REGARD_SPOT_VALUE,
  REGARD_SPOT_WEIGHTED,
  REGARD_SPOT_CONTEXT,      /* col: component */
  REGARD_SPOT_ADDED,        /* col: dimension */
  REGARD_SPOT_SIMILARITY,   /* row: RegardSimilarity, col: key */
  REGARD_SPOT_ROOT,         /* row: divisor, col: key; col -1: the numbers of the row */
  REGARD_SPOT_SPREAD,       /* row 0: found, 1: √d_k, 2: of independent numbers */
  REGARD_SPOT_PART,         /* row: bar of why this cell */
  REGARD_SPOT_HEAD,         /* row: head */
  REGARD_SPOT_HEAD_CONTEXT, /* row: head, col: component */
  REGARD_SPOT_ALL_PRODUCT,  /* of all queries: row: query, col: key; so the next two */
  REGARD_SPOT_ALL_SCALED,
  REGARD_SPOT_ALL_WEIGHT,
  REGARD_SPOT_ALL_CONTEXT, /* row: query, col: component */
} RegardInsideSpot;

G_END_DECLS
