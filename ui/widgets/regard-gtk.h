/* regard-gtk.h — what GTK 4.8 lacks and several widgets need: accessible names, numbers with a
 * comma, the choice of a file, and menus at a point.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* In GTK 4.8 GtkMenuButton and GtkDropDown give the focus to a button inside them, which a screen
 * reader calls by its type. Names those below root: by the name of the outer widget
 * (regard_widget_explain) or else its tooltip, a drop-down's with what is chosen. A menu button
 * with a label of its own keeps that. Check buttons with a mnemonic, which it calls by the label
 * with its underline, are named without. What is around what has the keyboard is said, too, by its
 * type where it has no name ("GtkStackPage panel"): menu buttons, lists and
 * pages of stacks are silent. */
void regard_accessible_name_inner_buttons(GtkWidget *root);
/* What a screen reader calls a widget. */
void regard_accessible_set_label(GtkWidget *widget, const char *label);
/* The same, and what the pointer is told. */
void regard_widget_set_name(GtkWidget *widget, const char *name);
/* A name, and a tooltip that says what it is. A button within a drop-down is called by the name. */
void regard_widget_explain(GtkWidget *widget, const char *name, const char *tooltip);

/* Stands back, as what is of another question than the one that is asked, or is not in force: the
 * style sheet says how far, and that it can be read. */
void regard_widget_set_pale(GtkWidget *widget, gboolean is_pale);

/* A screen reader says this, wherever the keyboard is in the window of the widget. GTK can do that
 * from 4.14 on; before, it hears of the name of the window, or of the description of what has the
 * keyboard, which both are what they were when it looks. */
void regard_announce(GtkWidget *widget, const char *text);

/* ---- Making widgets --------------------------------------------------------------------- */

typedef enum {
  REGARD_LABEL_START = 1 << 0,     /* the text begins where the label does */
  REGARD_LABEL_WRAP = 1 << 1,      /* in as many lines as it needs */
  REGARD_LABEL_ELLIPSIZE = 1 << 2, /* its beginning and "…" where it has no room */
} RegardLabelFlags;
/* css_class: NULL for none. */
GtkWidget *regard_label_new(const char *text, RegardLabelFlags flags, const char *css_class);
/* Appends children, NULL-terminated, to a GtkBox or to what regard_wrap_new returned. */
void regard_box_append(GtkWidget *box, ...) G_GNUC_NULL_TERMINATED;

/* What is chosen of a list of strings is its beginning and "…" where it has no room; its rows are
 * whole. */
void regard_drop_down_let_shrink(GtkDropDown *drop_down);

/* ---- What of a widget is seen ------------------------------------------------------------ */

/* Scrolls whatever the widget is within until a rectangle of it is in sight, or its beginning where
 * it is larger. */
void regard_widget_scroll_to(GtkWidget *widget, const graphene_rect_t *rect);
/* What of a rectangle of it is not cut off by what it is within. FALSE: nothing is seen. */
gboolean regard_widget_clip_to_seen(GtkWidget *widget, graphene_rect_t *rect);

/* ---- Signals ---------------------------------------------------------------------------- */

/* handler (data, …) for as long as data, a GObject, lives. */
void regard_connect(gpointer source, const char *signal, GCallback handler, gpointer data);
/* A signal without a result; n types of its arguments follow. */
guint regard_signal_new(gpointer klass, const char *name, guint n, ...);

/* ---- Numbers that are typed into spin buttons ------------------------------------------- */

/* The number is shown as the language has it, and typed with a point or a comma, which many
 * keyboards have on the number pad, in any. */
void regard_spin_take_comma(GtkSpinButton *spin);

/* The screen that most of a widget's window is on, borrowed; NULL: it is on none yet. */
GdkMonitor *regard_widget_get_monitor(GtkWidget *widget);

/* ---- A file, chosen by the desktop's own dialog ------------------------------------------ */

/* Shows a dialog, which is taken, above a widget's window; the path of what is chosen goes to the
 * widget's action. */
void regard_chooser_show(GtkFileChooserNative *dialog, GtkWidget *widget, const char *action);

/* Opens the dialog above the widget's window; what is chosen goes to the widget's action, whose
 * parameter is its path ("s"), so that everything can be driven without a dialog, too. suffix, as
 * "npz", and what such files are called, or both NULL: all files. with_all: others can be asked
 * for. */
void regard_choose_file(GtkWidget *widget, const char *title, const char *accept, const char *files,
                        const char *suffix, gboolean with_all, const char *action);

/* ---- What the secondary button opens on a figure ---------------------------------------- */

/* A popover of a widget that takes it over: it goes when it is closed, or the widget goes. */
void regard_popover_attach(GtkWidget *popover, GtkWidget *widget);
/* A menu at a point of the widget, which goes when it is closed. */
void regard_menu_popup_at(GtkWidget *widget, double x, double y, GMenuModel *menu);
/* At a point of the widget: the rows of first, which may be NULL, then "figure.copy-spot" if there
 * is a number to copy, then what the window can do with a picture. */
void regard_figure_menu_popup(GtkWidget *figure, double x, double y, GMenuModel *first,
                              gboolean has_number);
/* ---- Pointer and keyboard ---------------------------------------------------------------------
 */

/* Who hears of what a person does on a widget, each as the handler of that signal, swapped; NULL:
 * nobody does. Controllers are named "motion", "click", "secondary", "drag", "scroll", "keys" and
 * "focus". */
typedef struct {
  GCallback motion, leave;                /* motion also where the pointer enters */
  GCallback pressed, released, secondary; /* of the first button, and of the second one */
  GCallback drag_begin, drag_update, drag_end;
  GCallback scroll;
  GtkEventControllerScrollFlags axes; /* that are scrolled */
  GCallback key;
  GCallback focus_in, focus_out;
} RegardInput;
void regard_widget_listen(GtkWidget *widget, const RegardInput *input);

/* ---- Keys ------------------------------------------------------------------------------------ */

/* The key that one of the number pad stands for; any other as it is. */
guint regard_plain_key(guint keyval);
/* What is meant by a key that was pressed in a widget, whatever the keyboard: a sign that only
 * Shift reaches is that sign without Shift, as / on a German one; and a key whose digit only Shift
 * reaches is the digit, as on a French one. Plus and minus stay what they are, but for Alt. */
void regard_key_as_meant(GtkWidget *widget, guint keycode, guint *keyval, GdkModifierType *state);
/* Whether it goes to where is typed what is looked for: / or, which no keyboard has far away,
 * Ctrl+F. */
gboolean regard_key_finds(guint keyval, GdkModifierType state);
/* Which of the two a hint names on this keyboard: / where one key writes it. Caller frees. */
char *regard_key_that_finds(void);

G_END_DECLS
