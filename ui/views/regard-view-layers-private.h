/* regard-view-layers-private.h — the parts of the page Layers: its pictures, the card of a marked
 * cell, the graph of contributions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-complexity.h"
#include "figures/regard-embedding.h"
#include "figures/regard-graph.h"
#include "figures/regard-layers.h"
#include "figures/regard-patching.h"
#include "figures/regard-token-card.h"
#include "runner/regard-work.h"
#include "views/regard-view.h"
#include "widgets/regard-figure-area.h"

#define REGARD_TYPE_VIEW_LAYERS (regard_view_layers_get_type())
G_DECLARE_FINAL_TYPE(RegardViewLayers, regard_view_layers, REGARD, VIEW_LAYERS, RegardView)

/* Narrower, it is scrolled sideways. */
#define LEAST_WIDTH  720
#define LEAST_HEIGHT 160
/* What can be shown behind the pictures of RegardLayersShow. */
enum { SHOW_GRAPH = REGARD_N_LAYERS_SHOWN, SHOW_EMBEDDING, SHOW_COMPLEXITY, SHOW_DECIDED, N_SHOWN };

struct _RegardViewLayers {
  RegardView parent_instance;

  gboolean dirty; /* to be loaded when the page is on screen */
  RegardWork *work;
  mt_capture *asked;    /* that layers are of, or will be; NULL: of none */
  RegardLayers *layers; /* NULL: nothing is shown */
  RegardPass *pass;     /* that layers are of; NULL: no layers */
  RegardLayersLook look;
  guint shown_page; /* look.show, or one of those behind it */
  RegardWork *graph_work;
  RegardGraph *graph; /* of the capture's pass; NULL: not made yet */
  mt_capture *graph_of;
  RegardGraphLook graph_look;
  RegardEmbeddingLook embedding_look;
  RegardWork *time_work;
  mt_cost_times times; /* of the capture's pass; n_passes 0: not taken, or not to be had */
  mt_capture *timed;
  RegardWork *card_work;
  RegardTokenCard *card; /* of the marked cell; NULL: none */
  GPtrArray *batch;      /* of mt_trace; NULL: not made yet, or there is none */
  mt_model *batch_model;

  gboolean wants_pair;     /* where words are decided is on screen */
  RegardPatching *decided; /* of the selection's pair; NULL: not there yet, or there is none */
  char *decided_error;
  RegardWork *deciding;
  gboolean decided_stands; /* the picture of the pair before */

  GtkWidget *note, *stacks[3], *shown, *color, *threshold, *search, *stack, *scroller, *area,
      *details, *message, *decided_message, *status;
};

/* ---- regard-view-layers.c ---- */
/* All pictures anew, as they are asked for. */
void regard_view_layers_show(RegardViewLayers *self);
void regard_view_layers_show_status(RegardViewLayers *self);
void regard_view_layers_show_message(RegardViewLayers *self, const char *text);

/* ---- regard-view-layers-card.c ---- */
/* Of the cell that is marked; the embedding has no norm, and so no card. */
void regard_view_layers_load_card(RegardViewLayers *self);
void regard_view_layers_show_card(RegardViewLayers *self);
RegardFigure *regard_view_layers_new_card(RegardViewLayers *self, gboolean on_screen);
void regard_view_layers_clear_card(RegardViewLayers *self);

/* ---- regard-view-layers-graph.c ---- */
/* Draws it, or asks for it first. */
void regard_view_layers_show_graph(RegardViewLayers *self);
RegardFigure *regard_view_layers_new_graph(RegardViewLayers *self, const RegardFigureStyle *style);
/* A node that is clicked shows only its own lines; clicked again, all. */
void regard_view_layers_activate_graph(RegardViewLayers *self, const RegardSpot *spot);
/* Neither what there is nor what is under way is wanted any more. */
void regard_view_layers_clear_graph(RegardViewLayers *self);

/* ---- regard-view-layers-more.c: embedding and complexity ---- */
void regard_view_layers_show_embedding(RegardViewLayers *self);
RegardFigure *regard_view_layers_new_embedding(RegardViewLayers *self,
                                               const RegardFigureStyle *style);
/* A token or a neighbour that is clicked has its neighbours listed. */
void regard_view_layers_activate_embedding(RegardViewLayers *self, const RegardSpot *spot);
/* What was typed into the search box. */
void regard_view_layers_search(RegardViewLayers *self);
/* Shows the card at once, with its times when they have been taken. */
void regard_view_layers_show_complexity(RegardViewLayers *self);
RegardFigure *regard_view_layers_new_complexity(RegardViewLayers *self,
                                                const RegardFigureStyle *style);
void regard_view_layers_clear_more(RegardViewLayers *self);

/* ---- regard-view-layers-decided.c: where words are decided ---- */
/* Computes it while it is on screen, and only then. */
void regard_view_layers_follow_decided(RegardViewLayers *self, gboolean is_mapped);
void regard_view_layers_connect_decided(RegardViewLayers *self, RegardSelection *s);
/* The picture, or how far it is, or what is needed for it. */
void regard_view_layers_show_decided(RegardViewLayers *self);
RegardFigure *regard_view_layers_new_decided(RegardViewLayers *self,
                                             const RegardFigureStyle *style);
/* A column of the decoder that is clicked is looked at alone; clicked again, all are. */
void regard_view_layers_activate_decided(RegardViewLayers *self, const RegardSpot *spot);
void regard_view_layers_clear_decided(RegardViewLayers *self);
