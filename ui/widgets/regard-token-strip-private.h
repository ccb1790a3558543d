/* regard-token-strip-private.h — what the files of the strip share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-theme.h"
#include "widgets/regard-token-strip.h"
#include "widgets/regard-trust.h"

G_BEGIN_DECLS

#define REGARD_CHIP_GAP 4.0 /* between chips */

/* What was done to a piece of the source. */
typedef enum {
  REGARD_CHIP_AS_IS,
  REGARD_CHIP_HIDDEN,   /* struck out */
  REGARD_CHIP_REPLACED, /* says by what, above a double line */
  REGARD_CHIP_ZEROED,   /* no plate, a dashed outline */
  REGARD_CHIP_COPIED,   /* of the translation: <unk>, and a word of the source instead; dotted below
                         */
} RegardChipChange;

typedef struct {
  char *text;
  RegardChipChange change;
  char *before; /* of one that was replaced or copied: the piece itself; else NULL */
  double p;     /* NAN: none known (source) */
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
  mt_copies *copies; /* or NULL */
  gulong handlers[7];

  GArray *chips;
  int laid_out_width; /* for which the rectangles hold; -1: none */
  double line_height;
  char *summary;

  int hovered; /* by the pointer here */
  int cursor;  /* of the keyboard */
  double pointer_x, pointer_y;
  GtkWidget *scrollbar;
  GtkAdjustment *adjustment;
  gboolean has_trust; /* a line of numbers under the pieces */
  RegardTheme theme;
  gboolean theme_valid;
};

void regard_token_strip_update_summary(RegardTokenStrip *self);
void regard_token_strip_show_chip(RegardTokenStrip *self, int token);

/* regard-token-strip-change.c */
/* What the changes of the capture do to chip i. */
void regard_token_strip_load_change(RegardTokenStrip *self, guint i);
/* Over a chip whose upper left corner is at 0, 0. */
void regard_token_strip_draw_change(RegardTokenStrip *self, const RegardChip *chip,
                                    GtkSnapshot *snapshot);
/* "hidden", "replaced by …": for the summary; NULL: nothing was changed. Caller frees. */
/* What is copied into chips of a translation of these tokens. */
void regard_token_strip_load_copies(RegardTokenStrip *self, const mt_tokens *tokens);
char *regard_token_strip_describe_change(const RegardChip *chip);
/* What can be done to a token: menu, replacing, a line such as "source 5 hide". */
void regard_token_strip_open_menu(RegardTokenStrip *self, int token, double x, double y);
void regard_token_strip_replace(RegardTokenStrip *self, int token);
gboolean regard_token_strip_switch(RegardTokenStrip *self, int token, const char *how);
void regard_token_strip_add_actions(RegardTokenStrip *self);

/* regard-token-strip-trust.c */
void regard_token_strip_add_trust(RegardTokenStrip *self);
/* That of the selection that there is now; before: the one that was there, or NULL. */
void regard_token_strip_observe_trust(RegardTokenStrip *self, RegardSelection *before);
/* How much higher a chip is for its number, and how wide it is at least; 0 without. */
double regard_token_strip_trust_height(RegardTokenStrip *self);
double regard_token_strip_trust_width(RegardTokenStrip *self);
/* Over a chip whose upper left corner is at 0, 0. */
void regard_token_strip_draw_trust(RegardTokenStrip *self, const RegardChip *chip, guint token,
                                   GtkSnapshot *snapshot);
/* For the summary; NULL: nothing is known. Caller frees. */
char *regard_token_strip_describe_trust(RegardTokenStrip *self, int token);

/* Handlers, connected in regard_token_strip_init(). */
void regard_token_strip_on_motion(RegardTokenStrip *self, double x, double y);
void regard_token_strip_on_leave(RegardTokenStrip *self);
void regard_token_strip_on_pressed(RegardTokenStrip *self, int n_press, double x, double y,
                                   GtkEventController *controller);
gboolean regard_token_strip_on_scroll(RegardTokenStrip *self, double dx, double dy);
void regard_token_strip_on_scrolled(RegardTokenStrip *self);
void regard_token_strip_on_secondary(RegardTokenStrip *self, int n_press, double x, double y);
gboolean regard_token_strip_on_key(RegardTokenStrip *self, guint keyval, guint keycode,
                                   GdkModifierType state);
void regard_token_strip_on_focus_enter(RegardTokenStrip *self);
void regard_token_strip_on_focus_leave(RegardTokenStrip *self);

G_END_DECLS
