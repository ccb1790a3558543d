/* regard-token-strip-private.h — what the two files of the strip share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-theme.h"
#include "widgets/regard-token-strip.h"

G_BEGIN_DECLS

#define REGARD_CHIP_GAP 4.0 /* between chips */

typedef struct {
  char *text;
  double p; /* NAN: none known (source) */
  double logprob;
  gboolean is_unknown; /* the vocabulary lacks it */
  PangoLayout *layout;
  int text_width, text_height;
  graphene_rect_t rect; /* in the content, not scrolled */
  GskRenderNode *node;
} RegardChip;

struct _RegardTokenStrip {
  GtkWidget parent_instance;

  RegardSide side;
  guint max_lines;
  RegardSelection *selection;
  gulong handlers[6];

  GArray *chips;
  int laid_out_width; /* for which the rectangles hold; -1: none */
  double line_height;
  char *summary;

  int hovered; /* by the pointer here */
  int cursor;  /* of the keyboard */
  double pointer_x, pointer_y;
  GtkWidget *scrollbar;
  GtkAdjustment *adjustment;
  RegardTheme theme;
  gboolean theme_valid;
};

void regard_token_strip_update_summary(RegardTokenStrip *self);
void regard_token_strip_show_chip(RegardTokenStrip *self, int token);

/* Handlers, connected in regard_token_strip_init(). */
void regard_token_strip_on_motion(RegardTokenStrip *self, double x, double y);
void regard_token_strip_on_leave(RegardTokenStrip *self);
void regard_token_strip_on_pressed(RegardTokenStrip *self, int n_press, double x, double y);
gboolean regard_token_strip_on_scroll(RegardTokenStrip *self, double dx, double dy);
void regard_token_strip_on_scrolled(RegardTokenStrip *self);
void regard_token_strip_on_secondary(RegardTokenStrip *self, int n_press, double x, double y);
gboolean regard_token_strip_on_key(RegardTokenStrip *self, guint keyval, guint keycode,
                                   GdkModifierType state);
void regard_token_strip_on_focus_enter(RegardTokenStrip *self);
void regard_token_strip_on_focus_leave(RegardTokenStrip *self);

G_END_DECLS
