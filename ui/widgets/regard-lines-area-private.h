/* regard-lines-area-private.h — what the area of lines and its input share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-lines-area.h"
#include "widgets/regard-theme.h"

G_BEGIN_DECLS

struct _RegardLinesArea {
  GtkWidget parent_instance;

  RegardLines *lines;
  RegardLinesOrientation orientation;
  const RegardColormap *colormap;
  RegardScale scale;
  gboolean dimmed;
  int computed;
  int hover_row, hover_col, pin_row, pin_col;
  guint8 *isolated[2]; /* by RegardLinesSide; [n] of the lists; NULL without lines */
  RegardLinesHit hit;  /* under the pointer */

  double zoom;
  int content_height; /* of a zoomed one; 0: as high as there is room */
  GtkAdjustment *adjustment;

  /* The keyboard's place: a token. */
  RegardLinesSide side;
  int cursor; /* -1: nowhere */
  int anchor; /* where a range by Shift begins */

  /* Pointer. */
  double x, y; /* negative: elsewhere */
  gboolean is_dragging, dragged, adds;
  RegardLinesSide drag_side;
  double drag_x, drag_y;  /* where the drag began */
  int drag_from;          /* token; -1: the drag began elsewhere */
  guint8 *before_drag[2]; /* what was isolated then; NULL: nothing */

  RegardLinesLayout layout;
  gboolean layout_valid;
  GskRenderNode *labels;
  GskRenderNode *web, *faint, *lit; /* all lines; as they are below isolated ones; these */
  double node_top, node_bottom;     /* of what the nodes are drawn for */
  RegardTheme theme;
};

void regard_lines_area_ensure_layout(RegardLinesArea *self);
void regard_lines_area_user_hover(RegardLinesArea *self, int row, int col);
/* After isolated has been changed: pins the token (or another that is isolated, if it is not any
 * more) and says so. */
void regard_lines_area_isolated(RegardLinesArea *self, RegardLinesSide side, int token);
void regard_lines_area_let_go(RegardLinesArea *self);
void regard_lines_area_user_pin(RegardLinesArea *self, int row, int col);
void regard_lines_area_update_accessible(RegardLinesArea *self);
guint regard_lines_area_count(RegardLinesArea *self, RegardLinesSide side);

/* Nothing is kept that was drawn; layout: nor where it was. */
void regard_lines_area_forget(RegardLinesArea *self, gboolean layout);
/* What is drawn as isolated: a token that is pointed at goes before those that are kept. *owned is
 * freed by the caller. */
void regard_lines_area_get_seen(RegardLinesArea *self, RegardLinesMarks *marks, guint8 **owned);

/* regard-lines-area-draw.c */
const char *regard_lines_area_family(RegardLinesArea *self);
void regard_lines_area_snapshot(GtkWidget *widget, GtkSnapshot *snapshot);

/* regard-lines-area-input.c */
void regard_lines_area_install_actions(GtkWidgetClass *klass);
void regard_lines_area_add_input(RegardLinesArea *self);

G_END_DECLS
