/* regard-view.h — one way of looking at a translation: a page of the window, or a pane of a page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A view is a GtkWidget that observes the shared RegardSelection. It is one file
 * (regard-view-*.c) and one row of the list in regard-view.c; the window knows only the
 * first functions of this interface. The others are what pages have in common: a picture with its
 * message and status, the table of what can be exported, and that nothing is done for a page that
 * nobody looks at.
 *
 * Signals: "choices-changed", "note-changed"; "cell-chosen" and "step-chosen" (somebody chose one
 * on a page that has its own, and not the selection's).
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-frames.h"
#include "widgets/regard-figure-area.h"
#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_VIEW (regard_view_get_type())
G_DECLARE_DERIVABLE_TYPE(RegardView, regard_view, REGARD, VIEW, GtkWidget)

/* ---- Places ------------------------------------------------------------------------------------
 *
 * What of a page can be pointed at, whatever it is made of.
 */

/* A row or a column of a picture: its number, from 1, or the token that it stands for. */
typedef struct {
  guint number;     /* 0: it is named, or, without a name, there is none */
  const char *name; /* as regard_naming_token; borrowed; NULL: it is numbered */
} RegardViewLine;

typedef enum {
  REGARD_VIEW_PLACE_PICTURE, /* what the eye is on */
  REGARD_VIEW_PLACE_HEADS,   /* all heads, or those of a kind */
  REGARD_VIEW_PLACE_HEAD,
  REGARD_VIEW_PLACE_CELL,     /* of the picture; with a row or a column alone, all of that */
  REGARD_VIEW_PLACE_RECEIVED, /* the strip below it, of what each key gets */
} RegardViewPlaceType;

typedef struct {
  RegardViewPlaceType type;
  gboolean has_kind;
  mt_attention_kind kind;
  guint layer, head; /* of the model, from 0 */
  RegardViewLine row, column;
} RegardViewPlace;

/* What of a page moves: it is there whenever one of its pictures is. */
typedef struct {
  RegardPicture as; /* how it is called; the id is none of a picture */
  guint of;         /* index of that picture */
} RegardViewAnimation;

/* Everything but pictures may be left out. */
struct _RegardViewClass {
  GtkWidgetClass parent_class;
  /* Makes the page's widgets, below one that is returned, when it is seen first: who never looks
   * here does not wait for it at the start. */
  GtkWidget *(*build)(RegardView *self);
  /* Called once, after construction: connect signals of the selection. */
  void (*set_selection)(RegardView *self, RegardSelection *selection);
  /* Follow the selection (regard_view_load); is_seen: the page is built and on the screen. While it
   * is not, drop what is under way, and what holds a model that is not looked at any more. Called
   * again when the page comes to the screen, if it was not seen last time. */
  void (*load)(RegardView *self, gboolean is_seen);
  /* The page has come to the screen, or leaves it; before it is loaded. */
  void (*set_seen)(RegardView *self, gboolean is_seen);
  /* Draw what is shown anew: the window became dark or light. */
  void (*show)(RegardView *self);
  /* A place of the page's picture was clicked. */
  void (*activate)(RegardView *self, const RegardSpot *spot);
  /* What the line below the pictures says of what is pointed at. Without it: what is pointed at in
   * the page's picture. Caller frees; NULL: nothing is. */
  char *(*describe)(RegardView *self);
  /* What it says while nothing is pointed at: what the picture shows. Caller frees; may be NULL. */
  char *(*summarize)(RegardView *self);
  /* What the picture is, in two or three sentences, which the line grows into when it is clicked.
   * Caller frees; may be NULL. */
  char *(*explain)(RegardView *self);
  /* What can be exported: a table, and whether one of it is there at present. */
  const RegardPicture *pictures;
  guint n_pictures;
  gboolean (*has_picture)(RegardView *self, guint picture);
  /* The picture that the eye is on, which is offered first; without it 0. */
  guint (*get_first)(RegardView *self);
  /* Build the figure of a picture that is there, for the page itself and for files. The style has
   * the selection's colours and scale, and may be changed. NULL: there is nothing to draw. */
  RegardFigure *(*new_figure)(RegardView *self, guint picture, RegardFigureStyle *style);
  /* What can be shown one frame after the other, and the frames of it. */
  const RegardViewAnimation *animations;
  guint n_animations;
  RegardFrames *(*new_frames)(RegardView *self, guint animation, const RegardFigureStyle *style);
  /* What a choice shows at present, for a file name: "cross-4.1". Caller frees. NULL, or without
   * this function: the choice's id. */
  char *(*name_choice)(RegardView *self, const char *choice_id);
  /* Keys of this page's own; before those that every page has (kinds, layers, heads, Escape).
   * Return TRUE if handled. */
  gboolean (*handle_key)(RegardView *self, guint keyval, GdkModifierType state);
  /* What the eye is on, and the keyboard when the page is gone to; NULL, or without this function:
   * the first picture that takes keys. Borrowed. */
  GtkWidget *(*get_picture)(RegardView *self);
  /* The view that pictures are asked of in the place of this one, which is within it. */
  RegardView *(*get_inner)(RegardView *self);
  /* The parts of the page that a person chooses among; NULL: none in particular. FALSE: it has no
   * such part, or not of this model. Called when the page is built. */
  gboolean (*show_part)(RegardView *self, const char *part);
  /* The part that is shown; borrowed. NULL: none of its own. */
  const char *(*get_part)(RegardView *self);
  /* Goes to a step of the page's own, from 1, or, for 0, stays; returns the one before. */
  guint (*swap_step)(RegardView *self, guint step);
  guint n_steps; /* there are so many of them */
  /* Where a place is, in the coordinates of the widget that is returned and borrowed. NULL: it is
   * not there now. Without this function, or for a picture that it does not find: the picture. */
  GtkWidget *(*locate)(RegardView *self, const RegardViewPlace *place, graphene_rect_t *rect);
};

void regard_view_set_selection(RegardView *self, RegardSelection *selection);
RegardSelection *regard_view_get_selection(RegardView *self);
/* What can be exported at present; the first is what the eye is on. May be empty (no capture).
 * Valid until it is asked for again. */
const RegardPicture *regard_view_get_export_choices(RegardView *self, guint *n);
/* For a page whose choices come or go while the selection's matrix stays, as when what it asked for
 * has arrived: emits "choices-changed". */
void regard_view_choices_changed(RegardView *self);
/* With the present scale, colours and pin; NULL: there is nothing to draw. */
RegardFigure *regard_view_create_figure(RegardView *self, const char *choice_id);
/* What can be exported as an animation at present; n may be 0. Valid until it is asked for again.
 */
const RegardPicture *regard_view_get_animations(RegardView *self, guint *n);
/* In the present colours; NULL: it is not there. */
RegardFrames *regard_view_create_frames(RegardView *self, const char *animation_id);
/* Of a picture or of an animation. Never NULL; ASCII without spaces and slashes. Caller frees. */
char *regard_view_name_choice(RegardView *self, const char *choice_id);
gboolean regard_view_handle_key(RegardView *self, guint keyval, GdkModifierType state);
/* NULL: there is none now. */
GtkWidget *regard_view_get_picture(RegardView *self);
/* The first picture below a widget that is seen and takes keys; NULL: there is none. */
GtkWidget *regard_view_find_picture(GtkWidget *widget);
/* Shows a part of the page by its name, or, with NULL, no special one; of a page that nobody has
 * seen yet, when it is seen first. FALSE: it has no such part, or not of this model. */
gboolean regard_view_show_part(RegardView *self, const char *part);
/* Borrowed; NULL: the page as a whole. */
const char *regard_view_get_part(RegardView *self);
/* Steps of a page's own, as those of Inside, from 1; 0: it has none. Another page than one that has
 * them, or a step that is not there: FALSE. */
guint regard_view_get_step(RegardView *self);
guint regard_view_count_steps(RegardView *self);
gboolean regard_view_set_step(RegardView *self, guint step);
/* How somebody has set a page, what it is of apart: regard_view_begin_anew sets it as it was when
 * it was made. Caller frees; NULL: nobody has seen it yet. */
typedef struct _RegardViewSetting RegardViewSetting;
RegardViewSetting *regard_view_take_setting(RegardView *self);
void regard_view_setting_free(RegardViewSetting *setting);
void regard_view_begin_anew(RegardView *self);
/* NULL: it begins anew. */
void regard_view_bring_back(RegardView *self, const RegardViewSetting *setting);
/* As the function of the class. What is found may be scrolled out of sight. */
GtkWidget *regard_view_locate(RegardView *self, const RegardViewPlace *place,
                              graphene_rect_t *rect);
/* A line of a page whose lines are tokens; *found counts from 0. FALSE: it is not there. */
gboolean regard_view_find_line(const RegardViewLine *line, const mt_tokens *tokens, guint *found);
/* A cell of a matrix of the present attention; -1: a place without row, or without column. Rows of
 * the decoder go by what comes out of them. m may be NULL. FALSE: it is not there. */
gboolean regard_view_find_cell(RegardView *self, const RegardViewPlace *place,
                               const RegardMatrix *m, RegardCell *cell);
static inline gboolean
regard_view_line_is_set(const RegardViewLine *line)
{
  return line->number > 0 || line->name;
}
/* Whether a widget is a picture by its role. */
gboolean regard_view_is_picture(GtkWidget *widget);
/* The view within this one that pictures are asked of, as a pane of Over Many Sentences; or itself.
 */
RegardView *regard_view_get_inner(RegardView *self);

/* ---- For pages -------------------------------------------------------------------------------
 */

/* The selection, or what else the page shows, is another one: connect signals to it, swapped. */
void regard_view_load(RegardView *self);
gboolean regard_view_is_built(RegardView *self);
/* As figures are drawn in an area of the page; area NULL: in a file. */
RegardFigureStyle regard_view_get_style(RegardView *self, RegardFigureArea *area);
/* Show a picture in the page's area, or the message if there is no figure of it. */
void regard_view_show_figure(RegardView *self, guint picture);
/* The page's area is emptied, and this stands in its place; "": nothing does, but the area keeps
 * the keyboard, and will be filled. */
void regard_view_show_message(RegardView *self, const char *text);
/* The same, once there is no figure. */
void regard_view_set_message(RegardView *self, const char *text);
void regard_view_show_status(RegardView *self);
/* What is seen, beside the title: of the page, or of the page that it is within (emits
 * "note-changed" if it is another). */
void regard_view_set_note(RegardView *self, const char *note);
/* "" at first. Borrowed. */
const char *regard_view_get_note(RegardView *self);
/* The page's picture; NULL: it is not built yet, or has none. */
RegardFigureArea *regard_view_get_area(RegardView *self);

/* The page's picture, with its name for a screen reader. */
GtkWidget *regard_view_new_area(RegardView *self, int least_width, const char *name);
/* One that is no more than a part of it: only its status and colours are followed. */
GtkWidget *regard_view_new_part(RegardView *self, int least_width, const char *name);
/* Pictures, scrolled where they have no room, and the message in their place. least_height in
 * pixels: in less, the page is scrolled; -1: none. */
GtkWidget *regard_view_new_scroller(GtkWidget *pictures, int least_height);
GtkWidget *regard_view_new_stack(RegardView *self, GtkWidget *content);
/* The title of a page, and its note, which gets the room that others leave. */
GtkWidget *regard_view_new_title(const char *title);
GtkWidget *regard_view_new_note(RegardView *self);
GtkWidget *regard_view_new_place(void);
/* What a page says of a place, one line below. */
GtkWidget *regard_view_new_status(RegardView *self);
/* What is said instead of a picture, in its middle. */
GtkWidget *regard_view_new_message(void);
/* Buttons of which one is pressed, linked; names and tooltips are to be translated already.
 * on_toggled: called with the data and a button, for each that changes. */
GtkWidget *regard_view_new_switch(const char *const *names, const char *const *tooltips, guint n,
                                  guint active, GtkWidget **buttons, GCallback on_toggled,
                                  gpointer data);
/* The question mark that stands at the end of a page's title row: help with the page. A simple
 * window has the key alone. */
GtkWidget *regard_view_new_help(RegardView *self);
/* What is pointed at in an area, in one line; NULL: nothing is. Caller frees. */
char *regard_view_describe_spot(RegardFigureArea *area);

typedef struct {
  const char *id;    /* "attention" */
  const char *title; /* translatable: "Attention" */
  const char *about; /* translatable: what it shows, in a few words */
  const char *icon_name;
  GType (*get_type)(void);
} RegardViewInfo;
const RegardViewInfo *regard_view_registry(guint *n);
/* Of the page Measure: each asks one question of a text instead of a sentence. */
const RegardViewInfo *regard_measure_panes(guint *n);

G_END_DECLS
