/* regard-view.h — one way of looking at a translation; a page of the window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A view is a GtkWidget that observes the shared RegardSelection. It is one file
 * (regard-view-*.c) and one row of the list in regard-view-registry.c; the window knows only this
 * interface.
 */
#pragma once

#include "figures/regard-figure.h"
#include "widgets/regard-selection.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_VIEW (regard_view_get_type())
G_DECLARE_DERIVABLE_TYPE(RegardView, regard_view, REGARD, VIEW, GtkWidget)

struct _RegardViewClass {
  GtkWidgetClass parent_class;
  /* Called once, after construction; keep a reference. */
  void (*set_selection)(RegardView *self, RegardSelection *selection);
  /* What can be exported at present; the first is what the eye is on. May be empty (no capture). */
  const RegardPicture *(*get_export_choices)(RegardView *self, guint *n);
  /* Build the figure of a choice with the present scale, colours and pin; NULL if there is
   * nothing to draw. */
  RegardFigure *(*create_figure)(RegardView *self, const char *choice_id);
  /* What a choice shows at present, for a file name: "cross-4.1". Caller frees. NULL, or without
   * this function: the choice's id. */
  char *(*name_choice)(RegardView *self, const char *choice_id);
  /* Keys of this page's own, or NULL; before those that every page has (kinds, layers, heads,
   * Escape). Return TRUE if handled. */
  gboolean (*handle_key)(RegardView *self, guint keyval, GdkModifierType state);
  /* What the eye is on, and the keyboard when the page is gone to; NULL, or without this function:
   * the first picture that takes keys. Borrowed. */
  GtkWidget *(*get_picture)(RegardView *self);
};

void regard_view_set_selection(RegardView *self, RegardSelection *selection);
RegardSelection *regard_view_get_selection(RegardView *self);
const RegardPicture *regard_view_get_export_choices(RegardView *self, guint *n);
/* For a page whose choices come or go while the selection's matrix stays, as when what it asked for
 * has arrived: emits "choices-changed". */
void regard_view_choices_changed(RegardView *self);
RegardFigure *regard_view_create_figure(RegardView *self, const char *choice_id);
/* Never NULL; ASCII without spaces and slashes. Caller frees. */
char *regard_view_name_choice(RegardView *self, const char *choice_id);
gboolean regard_view_handle_key(RegardView *self, guint keyval, GdkModifierType state);
/* NULL: there is none now. */
GtkWidget *regard_view_get_picture(RegardView *self);
/* The first picture below a widget that is seen and takes keys; NULL: there is none. */
GtkWidget *regard_view_find_picture(GtkWidget *widget);
/* Whether a widget is a picture by its role. */
gboolean regard_view_is_picture(GtkWidget *widget);

/* What a page says instead of a picture, in its middle; what it says of a place, one line below. */
GtkWidget *regard_view_new_message(void);
GtkWidget *regard_view_new_status(void);

typedef struct {
  const char *id;    /* "attention" */
  const char *title; /* translatable: "Attention" */
  const char *icon_name;
  GType (*get_type)(void);
} RegardViewInfo;
const RegardViewInfo *regard_view_registry(guint *n);

G_END_DECLS
