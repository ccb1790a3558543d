/* regard-layers.h — what each sub-layer does to each token, as numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Computed once from a trace (in a thread, if one likes) and never changed; the pictures of the
 * page Layers are drawn from it.
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* One stack. */
typedef struct {
  guint n_points, n_tokens;
  char **token_texts; /* as people read them: "▁tired"; of the decoder "▁zu → ▁müde" */
  char **point_names; /* "embedding", "1 self", "1 cross", "1 ffn", … */
  mt_stream_numbers *numbers; /* [n_points][n_tokens] */
  double *collapse;           /* [n_points] mean cosine between tokens; NAN: one token */
  double *active;             /* [n_points][n_tokens] share of neurons; NAN but at networks */
  mt_lens *lens;              /* NULL: not asked for */
} RegardLayersStack;

typedef struct {
  /*< private >*/
  RegardSubject subject;
  /*< public, read only >*/
  mt_model *model;
  mt_trace *trace;
  char *interventions; /* that the pass was made with; NULL: none */
  RegardLayersStack stacks[MT_N_STACKS];
} RegardLayers;

/* What a trace needs for it; with_tokens: also for contributions of tokens, which is more. */
void regard_layers_requests(mt_activation_requests *requests, gboolean with_tokens);
/* with_lens: the logit lens of both stacks, which takes longer than all else. should_stop is
 * polled; may be NULL. NULL and an error. */
RegardLayers *regard_layers_new(mt_model *model, mt_trace *trace,
                                const mt_interventions *interventions, gboolean with_lens,
                                bool (*should_stop)(void *user), void *user, mt_error *error);
REGARD_DECLARE_SUBJECT(RegardLayers, regard_layers)

/* A piece of the stack's vocabulary as people read it; caller frees. */
char *regard_layers_piece(const RegardLayers *layers, mt_stack stack, int32_t piece);

/* ---- The picture ----------------------------------------------------------------------------- */

typedef enum {
  REGARD_LAYERS_LENS,     /* the likeliest piece at every point */
  REGARD_LAYERS_NORM,     /* of the stream */
  REGARD_LAYERS_ADDED,    /* norm of what each sub-layer adds */
  REGARD_LAYERS_COSINE,   /* of that to what was there */
  REGARD_LAYERS_ACTIVE,   /* share of active neurons */
  REGARD_LAYERS_COLLAPSE, /* mean cosine between tokens, a curve over the points */
  REGARD_N_LAYERS_SHOWN,
} RegardLayersShow;

typedef enum {
  REGARD_LENS_PROBABILITY, /* of the piece in the cell */
  REGARD_LENS_ENTROPY,
  REGARD_LENS_DIVERGENCE, /* to the last point */
  REGARD_LENS_RANK,       /* of the final piece */
  REGARD_N_LENS_COLORS,
} RegardLensColor;

/* Ids for the command line and names for people (translatable), NULL-terminated ids. */
extern const char *const regard_layers_show_ids[REGARD_N_LAYERS_SHOWN + 1];
extern const char *const regard_lens_color_ids[REGARD_N_LENS_COLORS + 1];
const char *regard_layers_show_name(RegardLayersShow show);
const char *regard_lens_color_name(RegardLensColor color);

#define REGARD_STACK_BIT(stack) (1u << (stack))
#define REGARD_BOTH_STACKS      3u

typedef struct {
  guint stacks; /* REGARD_STACK_BIT */
  RegardLayersShow show;
  RegardLensColor color;
  /* The cell that is looked at; token -1: none. */
  mt_stack stack;
  int point, token;
} RegardLayersOptions;
#define REGARD_LAYERS_OPTIONS_INIT                                                   \
  {                                                                                  \
    REGARD_STACK_BIT(MT_STACK_DECODER), REGARD_LAYERS_LENS, REGARD_LENS_PROBABILITY, \
        MT_STACK_DECODER, 0, -1                                                      \
  }

/* Keeps a reference. Without a lens in it, lens pictures have empty cells. */
RegardFigure *regard_figure_new_layers(RegardLayers *layers, const RegardLayersOptions *look,
                                       const RegardFigureStyle *style);

/* What its spots are: part is one of these, times two, plus the stack; row the token, col the
 * point. */
typedef enum {
  REGARD_LAYERS_SPOT_CELL,
  REGARD_LAYERS_SPOT_BAR, /* row -1 */
} RegardLayersSpot;
static inline mt_stack
regard_layers_spot_stack(const RegardSpot *spot)
{
  return (mt_stack) (spot->part % 2);
}

G_END_DECLS
