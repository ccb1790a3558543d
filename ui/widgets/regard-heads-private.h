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

/* What is under the pointer. Numbers of layers and heads, and the corner of a thumbnail, are
 * switches. */
typedef enum {
  REGARD_HEADS_NOTHING,
  REGARD_HEADS_THUMBNAIL,
  REGARD_HEADS_CORNER,
  REGARD_HEADS_LAYER, /* number of a row … */
  REGARD_HEADS_HEAD,  /* … and of a column */
} RegardHeadsPart;

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
  RegardHeadsPlace hovered; /* thumbnail */
  RegardHeadsPart part;     /* under the pointer … */
  RegardHeadsPlace at;      /* … and where */
  RegardTheme theme;
  gboolean theme_valid;
  GSimpleAction *change; /* of the menu, whose group has it */
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
/* regard-heads-switch.c */
RegardHeadsPart regard_heads_part_at(RegardHeads *self, double x, double y,
                                     RegardHeadsPlace *place);
/* The switch of a thumbnail; where it is drawn, and a little more is clicked. */
void regard_heads_corner(RegardHeads *self, RegardHeadsPlace place, graphene_rect_t *rect);
/* The line that a part stands for, "cross 4.* zero". Caller frees; NULL: it is no switch. */
char *regard_heads_switch_line(RegardHeadsPart part, RegardHeadsPlace at);

RegardHeadsPlace regard_heads_current(RegardHeads *self);
void regard_heads_update_accessible(RegardHeads *self);

/* regard-heads-marks.c */
/* "off", "uniform", "changed": what was done in the model; NULL: nothing. Caller frees. */
char *regard_heads_describe_change(RegardHeads *self, RegardHeadsPlace place);
void regard_heads_draw_veils(RegardHeads *self, GtkSnapshot *snapshot);
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
gboolean regard_heads_on_tooltip(RegardHeads *self, int x, int y, gboolean keyboard,
                                 GtkTooltip *tooltip);
void regard_heads_on_secondary(RegardHeads *self, int n_press, double x, double y);
void regard_heads_on_pressed(RegardHeads *self, int n_press, double x, double y,
                             GtkGesture *gesture);
void regard_heads_press(RegardHeads *self, double x, double y, GdkModifierType state);
gboolean regard_heads_on_key(RegardHeads *self, guint keyval, guint keycode, GdkModifierType state);

/* regard-heads-menu.c */
void regard_heads_add_menu(RegardHeads *self);
void regard_heads_open_menu(RegardHeads *self, RegardHeadsPlace place, double x, double y);
/* "cross 4.1 zero"; a layer or head of -1: all. Caller frees. */
char *regard_heads_line(RegardHeadsPlace place, int layer, int head, const char *how);

G_END_DECLS
