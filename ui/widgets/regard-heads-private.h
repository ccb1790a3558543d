/* regard-heads-private.h — what the files of the heads share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-heads.h"
#include "widgets/regard-theme.h"

G_BEGIN_DECLS

typedef struct {
  guint layers, heads;
  double y;                /* of the heading */
  double grid_y;           /* of the first thumbnail */
  GskRenderNode *pictures; /* all thumbnails; NULL until drawn */
  GskRenderNode *effects;  /* over them; NULL: not drawn, or there are none */
  GskRenderNode *text;     /* heading and numbers */
} RegardHeadsGrid;

typedef struct {
  int grid; /* index into order; -1: none */
  guint layer, head;
} RegardHeadsPlace;

struct _RegardHeads {
  GtkWidget parent_instance;

  RegardSelection *selection;
  gulong handlers[10], effects_handler;
  RegardHeadsGrid grids[MT_N_KINDS];
  double side_w, side_h; /* of a thumbnail */
  double heading_h, numbers_h;
  double heading_px; /* font for which heading_w was measured; 0: measure anew */
  int heading_w;     /* of the longest heading */
  int laid_out_w, laid_out_h;
  RegardHeadsPlace hovered;
  RegardTheme theme;
  gboolean theme_valid;
  GtkWidget *menu; /* of a head; NULL until it was wanted */
};

static inline gboolean
regard_heads_place_equal(RegardHeadsPlace a, RegardHeadsPlace b)
{
  return a.grid == b.grid && (a.grid < 0 || (a.layer == b.layer && a.head == b.head));
}

/* In the widget, in pixels. */
#define REGARD_HEADS_LEFT 18.0 /* layer numbers */
#define REGARD_HEADS_EDGE 4.0
#define REGARD_HEADS_GAP  4.0 /* between thumbnails */

void regard_heads_place_rect(RegardHeads *self, RegardHeadsPlace place, graphene_rect_t *rect);
RegardHeadsPlace regard_heads_place_at(RegardHeads *self, double x, double y);
RegardHeadsPlace regard_heads_current(RegardHeads *self);
void regard_heads_update_accessible(RegardHeads *self);

/* regard-heads-marks.c */
gboolean regard_heads_is_changed(RegardHeads *self, RegardHeadsPlace place); /* in the model */
void regard_heads_draw_marks(RegardHeads *self, GtkSnapshot *snapshot);

/* regard-heads-effects.c */
void regard_heads_draw_effects(RegardHeads *self, GtkSnapshot *snapshot);
void regard_heads_drop_effects(RegardHeads *self);
/* " · +.31", or ""; ", effect +0.31 nats", or "". Caller frees. */
char *regard_heads_write_effect(RegardHeads *self, RegardHeadsPlace place);
char *regard_heads_describe_effect(RegardHeads *self, RegardHeadsPlace place);

/* Handlers, connected in regard_heads_init(). */
void regard_heads_on_motion(RegardHeads *self, double x, double y);
void regard_heads_on_leave(RegardHeads *self);
void regard_heads_on_secondary(RegardHeads *self, int n_press, double x, double y);
void regard_heads_on_pressed(RegardHeads *self, int n_press, double x, double y,
                             GtkGesture *gesture);
gboolean regard_heads_on_key(RegardHeads *self, guint keyval, guint keycode, GdkModifierType state);

G_END_DECLS
