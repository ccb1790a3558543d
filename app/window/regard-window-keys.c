/* regard-window-keys.c — where the keyboard is, and keys that are no accelerators.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keys that mean something while typing (1, 2, 3, [, ], X, arrows, Ctrl+C) are taken from what the
 * focused widget left over, and but for some they are the open view's (regard-view.c). Those that
 * write a sign, or take one away, act where a picture has the keyboard and nowhere else; what such
 * a key has changed is said for some seconds, with a way back.
 */
#include "window/regard-window-private.h"

#include "figures/regard-naming.h"
#include "parts/regard-toast.h"
#include "widgets/regard-form-switch.h"
#include "widgets/regard-head-effects.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-shown.h"
#include "widgets/regard-trust.h"
#include <glib/gi18n.h>

/* ---- The picture --------------------------------------------------------------------------- */

void
regard_window_focus_picture(RegardWindow *self)
{
  RegardView *view = regard_window_get_view(self);
  GtkWidget *picture = view ? regard_view_get_picture(view) : NULL;
  if (picture &&
      (gtk_widget_grab_focus(picture) || gtk_widget_child_focus(picture, GTK_DIR_TAB_FORWARD)))
    return;
  /* A page that only says something has its first button; the stack may have gone there. */
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  if (view && !(focus && gtk_widget_is_ancestor(focus, GTK_WIDGET(view))))
    gtk_widget_child_focus(GTK_WIDGET(view), GTK_DIR_TAB_FORWARD);
}

/* A picture, or a list in the place of one. Without a keyboard anywhere the page has it. */
static gboolean
is_in_picture(RegardWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  if (!focus || regard_view_is_picture(focus))
    return TRUE;
  RegardView *view = regard_window_get_view(self);
  GtkWidget *picture = view ? regard_view_get_picture(view) : NULL;
  return picture && (focus == picture || gtk_widget_is_ancestor(focus, picture));
}

/* ---- What a letter changes ----------------------------------------------------------------- */

/* What of it: one letter may change several. */
typedef enum {
  HAS_CHANGES = 1 << 0,
  HAS_EFFECTS = 1 << 1,
  HAS_TRUST = 1 << 2,
  HAS_FORM = 1 << 3,
  HAS_EDITING = 1 << 4,
  HAS_METHOD = 1 << 5,
  HAS_ABOUT = 1 << 6,
  HAS_PART = 1 << 7,
  HAS_PLACE = 1 << 8,
} What;
/* Gone through one by one: a letter that is held, or pressed again, says where it has come to, and
 * what it leads back to is where it began. */
#define STEPWISE (HAS_METHOD | HAS_ABOUT | HAS_PART | HAS_PLACE)

typedef struct _RegardSwitched {
  mt_changes *changes; /* NULL: none */
  int effects, method;
  gboolean trust, is_edited;
  RegardForm form;
  RegardAbout about;
  RegardModelPart part;
  mt_attention_kind kind;
  guint layer, head;
  What what; /* that the letter changed: only this is taken back */
} Switched;

/* Whether weights of the large picture are dragged. */
static gboolean
is_edited(RegardWindow *self)
{
  RegardView *view = regard_window_get_view(self);
  GtkWidget *picture = view ? regard_view_get_picture(view) : NULL;
  return REGARD_IS_HEATMAP(picture) &&
         regard_heatmap_get_editing(REGARD_HEATMAP(picture)) == REGARD_HEATMAP_EDITED;
}

static Switched *
take(RegardWindow *self)
{
  const mt_changes *changes = regard_document_get_changes(self->document);
  RegardShown *shown = regard_shown_of(self->selection);
  Switched *now = g_new(Switched, 1);
  *now = (Switched){
      .changes = changes ? mt_changes_ref((mt_changes *) changes) : NULL,
      .effects = regard_head_effects_get_with(regard_selection_get_head_effects(self->selection)),
      .method = regard_shown_get_method(shown),
      .trust = regard_trust_is_on(regard_trust_of(self->selection)),
      .is_edited = is_edited(self),
      .form = regard_selection_get_form(self->selection),
      .about = regard_shown_get_about(shown),
      .part = regard_shown_get_part(shown),
      .kind = regard_selection_get_kind(self->selection),
      .layer = regard_selection_get_layer(self->selection),
      .head = regard_selection_get_head(self->selection),
  };
  return now;
}

static void
switched_free(Switched *switched)
{
  mt_changes_unref(switched->changes);
  g_free(switched);
}

void
regard_window_forget_letter(RegardWindow *self)
{
  g_clear_pointer(&self->before_letter, switched_free);
}

/* Lines of one that the other has not: the first, and how many more. NULL: there are none. */
static char *
find_more(const mt_changes *in, const mt_changes *than, const char *format)
{
  g_auto(GStrv) lines = g_strsplit(in ? mt_changes_text(in) : "", "\n", -1);
  g_auto(GStrv) others = g_strsplit(than ? mt_changes_text(than) : "", "\n", -1);
  const char *first = NULL;
  guint n = 0;
  for (guint i = 0; lines[i]; i++)
    if (*lines[i] && !g_strv_contains((const char *const *) others, lines[i]) && n++ == 0)
      first = lines[i];
  if (n == 0)
    return NULL;
  g_autofree char *more = n > 1 ? g_strdup_printf(_(" and %u more"), n - 1) : g_strdup("");
  g_autofree char *what = g_strconcat(first, more, NULL);
  return g_strdup_printf(format, what);
}

static What
compare(const Switched *a, const Switched *b)
{
  return (mt_changes_equal(a->changes, b->changes) ? 0 : HAS_CHANGES) |
         (a->effects != b->effects ? HAS_EFFECTS : 0) | (a->trust != b->trust ? HAS_TRUST : 0) |
         (a->form != b->form ? HAS_FORM : 0) | (a->is_edited != b->is_edited ? HAS_EDITING : 0) |
         (a->method != b->method ? HAS_METHOD : 0) | (a->about != b->about ? HAS_ABOUT : 0) |
         (a->part != b->part ? HAS_PART : 0) |
         (a->kind != b->kind || a->layer != b->layer || a->head != b->head ? HAS_PLACE : 0);
}

/* In words: "cross-attention, layer 3, head 5". */
static char *
say_place(RegardWindow *self, const Switched *now)
{
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  return g_strdup_printf(_("Shown: %s, layer %u, head %u"), regard_naming_kind(capture, now->kind),
                         regard_naming_layer(capture, now->kind, now->layer),
                         regard_naming_head_number(capture, now->kind, now->head));
}

/* Of words, and of which part of the model, attributions are. */
static char *
say_shown(const Switched *now, What what)
{
  static const char *const abouts[REGARD_N_ABOUTS] = {
      N_("Shown: all words"),
      N_("Shown: one word"),
      N_("Shown: tokens of the encoder"),
  };
  if (what & HAS_METHOD)
    return g_strdup_printf(_("Shown: %s"), now->method < 0
                                               ? _("attention")
                                               : mt_attribution_at((gsize) now->method)->name);
  if (what & HAS_ABOUT)
    return g_strdup(_(abouts[now->about]));
  return now->part == REGARD_PART_ALL_LAYERS ? g_strdup(_("Shown: all layers"))
         : now->part == REGARD_PART_LAYER
             ? g_strdup_printf(_("Shown: layer %u"), now->layer + 1)
             : g_strdup_printf(_("Shown: head %u.%u"), now->layer + 1, now->head + 1);
}

/* What is there now that was not before. */
static char *
say(RegardWindow *self, const Switched *before, const Switched *now, What what)
{
  char *made = find_more(now->changes, before->changes, _("Changed: %s"));
  if (!made)
    made = find_more(before->changes, now->changes, _("As it was: %s"));
  if (made)
    return made;
  if (what & HAS_EFFECTS)
    return g_strdup(now->effects >= 0 ? _("Effects of heads are shown")
                                      : _("Effects of heads are hidden"));
  if (what & HAS_TRUST)
    return g_strdup(now->trust ? _("Trust is shown") : _("Trust is hidden"));
  if (what & HAS_FORM)
    return g_strdup(now->form == REGARD_FORM_LINES ? _("Shown as lines") : _("Shown as a matrix"));
  if (what & HAS_EDITING)
    return g_strdup(now->is_edited ? _("Weights are dragged in the picture")
                                   : _("Weights are not dragged any more"));
  if (what & (HAS_METHOD | HAS_ABOUT | HAS_PART))
    return say_shown(now, what);
  return what & HAS_PLACE ? say_place(self, now) : NULL;
}

/* As it was before the letter. */
static void
take_back(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  Switched *before = g_steal_pointer(&self->before_letter);
  if (!before)
    return;
  RegardShown *shown = regard_shown_of(self->selection);
  const What what = before->what;
  if (what & HAS_CHANGES)
    regard_document_set_changes(self->document, before->changes);
  if (what & HAS_EFFECTS)
    regard_head_effects_set_with(regard_selection_get_head_effects(self->selection),
                                 before->effects);
  if ((what & HAS_TRUST) && before->trust != regard_trust_is_on(regard_trust_of(self->selection)))
    gtk_widget_activate_action(widget, "win.show-trust", NULL);
  if (what & HAS_FORM)
    regard_selection_set_form(self->selection, before->form);
  if ((what & HAS_EDITING) && before->is_edited != is_edited(self))
    regard_view_handle_key(regard_window_get_view(self), GDK_KEY_e, 0); /* its own way back */
  if (what & HAS_METHOD)
    regard_shown_set_method(shown, before->method);
  if (what & HAS_ABOUT)
    regard_shown_set_about(shown, before->about);
  if (what & HAS_PART)
    regard_shown_set_part(shown, before->part);
  if (what & HAS_PLACE)
    regard_selection_set_place(self->selection, before->kind, before->layer, before->head);
  switched_free(before);
}

void
regard_window_install_key_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.take-back", NULL, take_back);
}

/* ---- Keys ---------------------------------------------------------------------------------- */

/* What writes a sign in a text, or takes one away. */
static gboolean
is_sign(guint keyval, GdkModifierType modifiers)
{
  if (modifiers & ~GDK_SHIFT_MASK)
    return FALSE;
  return keyval == GDK_KEY_Delete || keyval == GDK_KEY_KP_Delete || keyval == GDK_KEY_BackSpace ||
         g_unichar_isprint(gdk_keyval_to_unicode(keyval));
}

/* Of the window as a whole. Measure shows no head of this sentence that could be meant. */
static const char *
find_action(RegardWindow *self, guint keyval, GdkModifierType modifiers)
{
  if (keyval == GDK_KEY_t && !modifiers)
    return "win.show-trust";
  if (g_strcmp0(adw_view_stack_get_visible_child_name(self->views), "measure") == 0)
    return NULL;
  if (keyval == GDK_KEY_x || keyval == GDK_KEY_X)
    return modifiers == 0                                     ? "win.switch-head"
           : modifiers == GDK_SHIFT_MASK                      ? "win.switch-layer"
           : modifiers == (GDK_SHIFT_MASK | GDK_CONTROL_MASK) ? "win.switch-column"
                                                              : NULL;
  return keyval == GDK_KEY_f && !modifiers ? "win.effects" : NULL;
}

static gboolean
use(RegardWindow *self, guint keyval, GdkModifierType state)
{
  RegardView *view = regard_window_get_view(self);
  if (view && regard_view_handle_key(view, keyval, state))
    return TRUE;
  const char *action = find_action(self, keyval, state & gtk_accelerator_get_default_mod_mask());
  return action && gtk_widget_activate_action(GTK_WIDGET(self), action, NULL);
}

/* A letter that goes on where the last one, of which is still said something, has come to. */
static gboolean
goes_on(RegardWindow *self, What what)
{
  return self->before_letter && regard_toast_is_undoable(self->root) && (what & ~STEPWISE) == 0 &&
         self->before_letter->what == what;
}

/* And say what it changed. */
static gboolean
use_letter(RegardWindow *self, guint keyval, GdkModifierType state)
{
  Switched *before = take(self);
  const gboolean is_used = use(self, keyval, state);
  Switched *now = take(self);
  before->what = compare(before, now);
  g_autofree char *said = is_used ? say(self, before, now, before->what) : NULL;
  switched_free(now);
  if (said && goes_on(self, before->what)) {
    switched_free(before);
    regard_toast_go_on(self->root, said, "win.take-back");
  } else if (said) {
    regard_window_forget_letter(self);
    self->before_letter = before;
    regard_toast_with_undo(self->root, said, "win.take-back");
  } else
    switched_free(before);
  return is_used;
}

static gboolean
handle_left_over_key(RegardWindow *self, guint keyval, GdkModifierType state)
{
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();

  if (modifiers == GDK_CONTROL_MASK &&
      (keyval == GDK_KEY_c || keyval == GDK_KEY_C || keyval == GDK_KEY_Insert)) {
    /* In a text without a selection nothing is copied, least of all a picture. */
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
    if (focus && (GTK_IS_TEXT_VIEW(focus) || GTK_IS_EDITABLE(focus)))
      return FALSE;
    return gtk_widget_activate_action(GTK_WIDGET(self), "win.copy", NULL);
  }
  /* What is kept is let go of first. */
  RegardCell pin = regard_selection_get_pin(self->selection);
  if (keyval == GDK_KEY_Escape && self->is_presenting && pin.row < 0 && pin.col < 0) {
    regard_window_set_presenting(self, FALSE);
    return TRUE;
  }
  if (keyval == GDK_KEY_F10 && !modifiers && self->is_presenting) {
    regard_window_show_menu(self);
    return TRUE;
  }
  if (is_sign(keyval, modifiers))
    return is_in_picture(self) && use_letter(self, keyval, state);
  return use(self, keyval, state);
}

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       RegardWindow *self)
{
  return handle_left_over_key(self, keyval, state);
}

/* A text would scroll by Ctrl+Page Down; what a page shows is meant. The keyboard stays in the
 * text, and goes along with a page. */
static gboolean
on_page_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
            RegardWindow *self)
{
  const GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  RegardView *view = regard_window_get_view(self);
  if (modifiers != GDK_CONTROL_MASK || !view ||
      (keyval != GDK_KEY_Page_Up && keyval != GDK_KEY_Page_Down) ||
      !regard_view_handle_key(view, keyval, state))
    return FALSE;
  if (!focus || !gtk_widget_get_mapped(focus))
    regard_window_focus_picture(self);
  return TRUE;
}

void
regard_window_add_keys(RegardWindow *self)
{
  GtkEventController *keys = gtk_event_controller_key_new();
  GtkEventController *page_keys = gtk_event_controller_key_new();
  gtk_event_controller_set_name(keys, "keys");
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(self->root, keys);
  gtk_event_controller_set_name(page_keys, "page-keys");
  gtk_event_controller_set_propagation_phase(page_keys, GTK_PHASE_CAPTURE);
  g_signal_connect(page_keys, "key-pressed", G_CALLBACK(on_page_key), self);
  gtk_widget_add_controller(self->root, page_keys);
}
