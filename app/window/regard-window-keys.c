/* regard-window-keys.c — actions, the menus made from lists, and keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything a key does is an action that a menu has too.
 */
#include "base/regard-settings.h"
#include "figures/regard-attribution.h"
#include "figures/regard-naming.h"
#include "parts/regard-glossary.h"
#include "parts/regard-help.h"
#include "parts/regard-messages.h"
#include "widgets/regard-form-switch.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-head-ablation.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-live-attribution.h"
#include "widgets/regard-source-contribution.h"
#include "window/regard-help-here.h"
#include "window/regard-preferences.h"
#include "window/regard-window-private.h"

#include <glib/gi18n.h>
#include <string.h>
/* ==== Keys that are no accelerators ==============================================================
 *
 * Keys that mean something while typing (1, 2, 3, [, ], X, arrows, Ctrl+C) are taken from what the
 * focused widget left over, and but for some they are the open view's (regard-view.c). Those that
 * write a sign, or take one away, act where a picture has the keyboard and nowhere else; what such
 * a key has changed is said for some seconds, with a way back.
 */

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
  /* The text of a lesson asks for keys of the picture beside it. */
  if (regard_learn_panel_is_reading(self->learn_panel))
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
  mt_interventions *interventions; /* NULL: none */
  int effects, method;
  gboolean trust, is_edited;
  RegardForm form;
  RegardAbout about;
  RegardAttributionScope part;
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
  const mt_interventions *interventions = regard_document_get_search(self->document)->interventions;
  RegardLiveAttribution *shown = regard_live_attribution_of(self->selection);
  Switched *now = g_new(Switched, 1);
  *now = (Switched){
      .interventions =
          interventions ? mt_interventions_ref((mt_interventions *) interventions) : NULL,
      .effects = regard_head_ablation_get_with(regard_selection_get_head_ablation(self->selection)),
      .method = regard_live_attribution_get_method(shown),
      .trust = regard_source_contribution_is_on(regard_source_contribution_of(self->selection)),
      .is_edited = is_edited(self),
      .form = regard_selection_get_form(self->selection),
      .about = regard_live_attribution_get_about(shown),
      .part = regard_live_attribution_get_part(shown),
      .kind = regard_selection_get_kind(self->selection),
      .layer = regard_selection_get_layer(self->selection),
      .head = regard_selection_get_head(self->selection),
  };
  return now;
}

static void
switched_free(Switched *switched)
{
  mt_interventions_unref(switched->interventions);
  g_free(switched);
}

void
regard_window_forget_letter(RegardWindow *self)
{
  g_clear_pointer(&self->before_letter, switched_free);
}

/* Lines of one that the other has not: the first, and how many more. NULL: there are none. */
static char *
find_more(const mt_interventions *in, const mt_interventions *than, const char *one,
          const char *several)
{
  g_auto(GStrv) lines = g_strsplit(in ? mt_interventions_text(in) : "", "\n", -1);
  g_auto(GStrv) others = g_strsplit(than ? mt_interventions_text(than) : "", "\n", -1);
  const char *first = NULL;
  guint n = 0;
  for (guint i = 0; lines[i]; i++)
    if (*lines[i] && !g_strv_contains((const char *const *) others, lines[i]) && n++ == 0)
      first = lines[i];
  if (n == 0)
    return NULL;
  return n == 1 ? g_strdup_printf(one, first) : g_strdup_printf(several, first, n - 1);
}

static What
compare(const Switched *a, const Switched *b)
{
  return (mt_interventions_equal(a->interventions, b->interventions) ? 0 : HAS_CHANGES) |
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
    return g_strdup_printf(_("Shown: %s"),
                           now->method == REGARD_SHOW_BIAS ? _("bias of distance")
                           : now->method < 0
                               ? _("attention")
                               : regard_attribution_name(mt_attribution_at((gsize) now->method)));
  if (what & HAS_ABOUT)
    return g_strdup(_(abouts[now->about]));
  return now->part == REGARD_ATTRIBUTION_ALL_LAYERS ? g_strdup(_("Shown: all layers"))
         : now->part == REGARD_ATTRIBUTION_LAYER
             ? g_strdup_printf(_("Shown: layer %u"), now->layer + 1)
             : g_strdup_printf(_("Shown: head %u.%u"), now->layer + 1, now->head + 1);
}

/* What is there now that was not before. */
static char *
say(RegardWindow *self, const Switched *before, const Switched *now, What what)
{
  /* Translators: %s is a change as regard-cli writes it, such as "cross 4.1 zero" */
  char *made = find_more(now->interventions, before->interventions, _("Changed: %s"),
                         _("Changed: %s and %u more"));
  if (!made)
    made = find_more(before->interventions, now->interventions, _("As it was: %s"),
                     _("As it was: %s and %u more"));
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
  RegardLiveAttribution *shown = regard_live_attribution_of(self->selection);
  const What what = before->what;
  if (what & HAS_CHANGES)
    regard_document_set_interventions(self->document, before->interventions);
  if (what & HAS_EFFECTS)
    regard_head_ablation_set_with(regard_selection_get_head_ablation(self->selection),
                                  before->effects);
  if ((what & HAS_TRUST) && before->trust != regard_source_contribution_is_on(
                                                 regard_source_contribution_of(self->selection)))
    gtk_widget_activate_action(widget, "win.show-trust", NULL);
  if (what & HAS_FORM)
    regard_selection_set_form(self->selection, before->form);
  if ((what & HAS_EDITING) && before->is_edited != is_edited(self))
    regard_view_handle_key(regard_window_get_view(self), GDK_KEY_e, 0); /* its own way back */
  if (what & HAS_METHOD)
    regard_live_attribution_set_method(shown, before->method);
  if (what & HAS_ABOUT)
    regard_live_attribution_set_about(shown, before->about);
  if (what & HAS_PART)
    regard_live_attribution_set_part(shown, before->part);
  if (what & HAS_PLACE)
    regard_selection_set_place(self->selection, before->kind, before->layer, before->head);
  switched_free(before);
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
  /* The name of the picture says where one is, and the answer what was changed in the model. */
  if (said && before->what != HAS_PLACE &&
      !((before->what & HAS_CHANGES) && regard_document_get_result(self->document)))
    regard_announce(self->root, said);
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
is_in_text(RegardWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  return focus && (GTK_IS_TEXT_VIEW(focus) || GTK_IS_EDITABLE(focus));
}

static gboolean
handle_left_over_key(RegardWindow *self, guint keyval, GdkModifierType state)
{
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();

  if (modifiers == GDK_CONTROL_MASK &&
      (keyval == GDK_KEY_c || keyval == GDK_KEY_C || keyval == GDK_KEY_Insert)) {
    /* In a text without a selection nothing is copied, least of all a picture. */
    if (is_in_text(self))
      return FALSE;
    return gtk_widget_activate_action(GTK_WIDGET(self), "win.copy", NULL);
  }
  /* What is kept is let go of first. */
  RegardCell pin = regard_selection_get_pin(self->selection);
  if (keyval == GDK_KEY_Escape && self->is_welcoming) {
    regard_window_set_welcome(self, FALSE);
    return TRUE;
  }
  if (keyval == GDK_KEY_Escape && self->is_presenting && pin.row < 0 && pin.col < 0) {
    regard_window_set_presenting(self, FALSE);
    return TRUE;
  }
  if (keyval == GDK_KEY_F10 && !modifiers && self->is_presenting) {
    regard_window_show_menu(self);
    return TRUE;
  }
  /* On a button, too: only texts take it for a sign. */
  if (keyval == GDK_KEY_question && is_sign(keyval, modifiers))
    return !is_in_text(self) && gtk_widget_activate_action(GTK_WIDGET(self), "win.help", NULL);
  if (is_sign(keyval, modifiers))
    return is_in_picture(self) && use_letter(self, keyval, state);
  return use(self, keyval, state);
}

/* Actions of an accelerator, NULL at their end. Caller frees. */
static char **
find_actions(RegardWindow *self, guint keyval, GdkModifierType modifiers)
{
  g_autofree char *accel = gtk_accelerator_name(keyval, modifiers);
  return gtk_application_get_actions_for_accel(gtk_window_get_application(GTK_WINDOW(self)), accel);
}

static gboolean
use_accel(RegardWindow *self, guint keyval, GdkModifierType modifiers)
{
  g_autofree char *name = NULL;
  g_autoptr(GVariant) target = NULL;
  g_auto(GStrv) actions = find_actions(self, keyval, modifiers);
  return actions[0] && g_action_parse_detailed_name(actions[0], &name, &target, NULL) &&
         gtk_widget_activate_action_variant(GTK_WIDGET(self), name, target);
}

/* On Wayland GTK 4.8 takes a function key with Ctrl, Shift or Alt for the key alone, as maps of
 * keyboards have these keys. So its action is found here, before GTK looks for one; and where there
 * is none, nothing is done, least of all what the key alone does. */
static gboolean
on_function_key(GtkEventControllerKey *controller, guint keyval, guint keycode,
                GdkModifierType state, RegardWindow *self)
{
  const GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();
  if (keyval < GDK_KEY_F1 || keyval > GDK_KEY_F11 || !modifiers)
    return FALSE;
  g_auto(GStrv) alone = find_actions(self, keyval, 0);
  return use_accel(self, keyval, modifiers) || alone[0];
}

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       RegardWindow *self)
{
  const guint pressed = keyval;
  regard_key_as_meant(self->root, keycode, &keyval, &state);
  /* What Alt and a number do, on a keyboard that has the number above another sign: GTK finds
   * accelerators by the sign that is pressed. */
  if (keyval != pressed && (state & gtk_accelerator_get_default_mod_mask()) == GDK_ALT_MASK)
    return use_accel(self, keyval, GDK_ALT_MASK);
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
  GtkEventController *function_keys = gtk_event_controller_key_new();
  gtk_event_controller_set_name(keys, "keys");
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(self->root, keys);
  gtk_event_controller_set_name(page_keys, "page-keys");
  gtk_event_controller_set_propagation_phase(page_keys, GTK_PHASE_CAPTURE);
  g_signal_connect(page_keys, "key-pressed", G_CALLBACK(on_page_key), self);
  gtk_widget_add_controller(self->root, page_keys);
  /* The controller that comes last to a widget is asked first: before that of the accelerators. */
  gtk_event_controller_set_name(function_keys, "function-keys");
  gtk_event_controller_set_propagation_phase(function_keys, GTK_PHASE_CAPTURE);
  g_signal_connect(function_keys, "key-pressed", G_CALLBACK(on_function_key), self);
  gtk_widget_add_controller(GTK_WIDGET(self), function_keys);
}

/* ==== Actions, and menus made from lists ====================================================== */

static void
step_head(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_selection_step(REGARD_WINDOW(widget)->selection, 0, g_variant_get_int32(parameter));
}

static void
step_layer(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_selection_step(REGARD_WINDOW(widget)->selection, g_variant_get_int32(parameter), 0);
}

static void
step_sentence(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_step_sentence(REGARD_WINDOW(widget)->document, g_variant_get_int32(parameter));
}

static void
let_go(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_window_forget_wish(REGARD_WINDOW(widget));
  regard_selection_let_go(REGARD_WINDOW(widget)->selection);
}

/* A field for words has an undo of its own. */
static gboolean
is_in_field(RegardWindow *self, const char *action)
{
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  if (!focus || !GTK_IS_TEXT(focus))
    return FALSE;
  gtk_widget_activate_action(focus, action, NULL);
  return TRUE;
}

static void
undo(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  if (!is_in_field(self, "text.undo"))
    regard_document_undo(self->document);
}

static void
redo(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  if (!is_in_field(self, "text.redo"))
    regard_document_redo(self->document);
}

static void
example(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_window_on_example(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL));
}

static void
help(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  gtk_window_present(regard_help_here_new(GTK_WINDOW(self), regard_window_get_view(self),
                                          gtk_window_get_focus(GTK_WINDOW(self)),
                                          gtk_widget_get_visible(GTK_WIDGET(self->training_bar))));
}

static void
legend(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  gtk_window_present(regard_help_signs_new(GTK_WINDOW(self), regard_window_get_view(self),
                                           gtk_widget_get_visible(GTK_WIDGET(self->training_bar))));
}

static void
glossary(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_glossary_show(GTK_WINDOW(widget), NULL);
}

static void
show_help_overlay(GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_window_present(regard_shortcuts_new(GTK_WINDOW(widget)));
}

static void
own_translation(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_target_pane_give_translation(REGARD_WINDOW(widget)->target);
}

static void
focus_source(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  /* Of a decoder from a file there is the other text only. */
  gboolean has_source = gtk_widget_get_visible(GTK_WIDGET(self->source));
  gtk_widget_grab_focus(has_source ? regard_source_pane_get_view(self->source)
                                   : regard_target_pane_get_view(self->target));
}

/* Pictures that take keys: of the open view the heads, the large one, … */
static void
add_pictures(GtkWidget *widget, GPtrArray *panes)
{
  if (!gtk_widget_get_mapped(widget))
    return;
  if (regard_view_is_picture(widget))
    g_ptr_array_add(panes, widget);
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    add_pictures(child, panes);
}

/* Caller frees. Without a picture the start page is a pane. */
static GPtrArray *
list_panes(RegardWindow *self)
{
  GPtrArray *panes = g_ptr_array_new();
  g_ptr_array_add(panes, self->source);
  g_ptr_array_add(panes, self->target);
  guint n_texts = panes->len;
  add_pictures(GTK_WIDGET(self->content), panes);
  if (panes->len == n_texts)
    g_ptr_array_add(panes, self->content);
  g_ptr_array_add(panes, self->training_bar);
  g_ptr_array_add(panes, self->switcher);
  return panes;
}

static gboolean
enter_pane(RegardWindow *self, GtkWidget *pane)
{
  if (!gtk_widget_get_visible(pane))
    return FALSE;
  if (REGARD_IS_SOURCE_PANE(pane))
    return gtk_widget_grab_focus(regard_source_pane_get_view(REGARD_SOURCE_PANE(pane)));
  if (REGARD_IS_TARGET_PANE(pane))
    return gtk_widget_grab_focus(regard_target_pane_get_view(REGARD_TARGET_PANE(pane)));
  if (gtk_widget_get_focusable(pane))
    return gtk_widget_grab_focus(pane);
  return gtk_widget_child_focus(pane, GTK_DIR_TAB_FORWARD);
}

/* F6: source, translation, each picture, training, view switcher, and round again. */
static void
next_pane(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  g_autoptr(GPtrArray) panes = list_panes(self);
  int n = (int) panes->len, step = g_variant_get_int32(parameter), at = step > 0 ? -1 : n;
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  for (int i = 0; i < n; i++)
    if (focus && (focus == panes->pdata[i] || gtk_widget_is_ancestor(focus, panes->pdata[i])))
      at = i;
  for (int k = 1; k <= n; k++)
    if (enter_pane(self, panes->pdata[((at + k * step) % n + n) % n]))
      return;
}

static void
show_view(GtkWidget *widget, const char *name, GVariant *parameter)
{
  adw_view_stack_set_visible_child_name(REGARD_WINDOW(widget)->views,
                                        g_variant_get_string(parameter, NULL));
}

/* The same with the keyboard: it is where the eye is then. */
static void
go_to_view(GtkWidget *widget, const char *name, GVariant *parameter)
{
  show_view(widget, name, parameter);
  regard_window_focus_picture(REGARD_WINDOW(widget));
}

static void
reset_layout(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_window_reset_layout(REGARD_WINDOW(widget));
}

static void
preferences(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  regard_newer_show_preferences(ADW_PREFERENCES_PAGE(regard_preferences_new(self->settings)),
                                GTK_WINDOW(self));
}

void
regard_window_install_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.step-head", "i", step_head);
  gtk_widget_class_install_action(klass, "win.step-layer", "i", step_layer);
  gtk_widget_class_install_action(klass, "win.step-sentence", "i", step_sentence);
  gtk_widget_class_install_action(klass, "win.let-go", NULL, let_go);
  gtk_widget_class_install_action(klass, "win.undo", NULL, undo);
  gtk_widget_class_install_action(klass, "win.redo", NULL, redo);
  gtk_widget_class_install_action(klass, "win.example", "s", example);
  gtk_widget_class_install_action(klass, "win.help", NULL, help);
  gtk_widget_class_install_action(klass, "win.legend", NULL, legend);
  gtk_widget_class_install_action(klass, "win.glossary", NULL, glossary);
  gtk_widget_class_install_action(klass, "win.show-help-overlay", NULL, show_help_overlay);
  gtk_widget_class_install_action(klass, "win.own-translation", NULL, own_translation);
  gtk_widget_class_install_action(klass, "win.focus-source", NULL, focus_source);
  gtk_widget_class_install_action(klass, "win.next-pane", "i", next_pane);
  gtk_widget_class_install_action(klass, "win.show-view", "s", show_view);
  gtk_widget_class_install_action(klass, "win.go-to-view", "s", go_to_view);
  gtk_widget_class_install_action(klass, "win.reset-layout", NULL, reset_layout);
  gtk_widget_class_install_action(klass, "win.preferences", NULL, preferences);
  gtk_widget_class_install_action(klass, "win.take-back", NULL, take_back);
}

/* Actions with a state are the settings themselves: radio and check items for nothing. */
static const char *const setting_keys[] = {
    "kind",         "combine",  "scale", "colormap", "merge-words",
    "hide-special", "label-by", "view",  "form",     "simple",
};

static void
add_setting_actions(RegardWindow *self)
{
  for (guint i = 0; i < G_N_ELEMENTS(setting_keys); i++) {
    g_autoptr(GAction) action = g_settings_create_action(self->settings, setting_keys[i]);
    g_action_map_add_action(G_ACTION_MAP(self), action);
  }
}

/* The settings outlive the window, and would tell its actions of changes. */
void
regard_window_remove_setting_actions(RegardWindow *self)
{
  for (guint i = 0; i < G_N_ELEMENTS(setting_keys); i++)
    g_action_map_remove_action(G_ACTION_MAP(self), setting_keys[i]);
}

/* ---- Menus made from lists ----------------------------------------------------------------- */

/* key: what does the same, as it is written beside it; NULL: none does. */
static void
append_choice(GMenu *menu, const char *label, const char *action, const char *target,
              const char *key)
{
  g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
  g_menu_item_set_action_and_target(item, action, "s", target);
  if (key)
    g_menu_item_set_attribute(item, "accel", "s", key);
  g_menu_append_item(menu, item);
}

static void
fill_menus(RegardWindow *self)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  for (guint i = 0; i < n; i++) {
    g_autofree char *key = i < 9 ? g_strdup_printf("<Alt>%u", i + 1) : NULL;
    append_choice(self->views_menu, _(views[i].title), "win.view", views[i].id, key);
  }
  for (int i = 0; i < REGARD_N_SCALES; i++) {
    const RegardScaleInfo *info = regard_scale_info((RegardScale) i);
    append_choice(self->scale_menu, _(info->name), "win.scale", info->id, NULL);
  }
  const RegardColormap *const *maps = regard_colormaps(&n);
  for (guint i = 0; i < n; i++)
    if (!maps[i]->diverging)
      append_choice(self->colormap_menu, _(maps[i]->name), "win.colormap", maps[i]->id, NULL);
  /* What opens menus and lists must not be called "GtkMenuButton". */
  regard_accessible_name_inner_buttons(GTK_WIDGET(self));
}

/* Of the field that is written in, if it is one for words, else of the document. */
static void
update_undo(RegardWindow *self)
{
  GtkWidget *widget = GTK_WIDGET(self), *focus = gtk_window_get_focus(GTK_WINDOW(self));
  gboolean is_field = focus && GTK_IS_TEXT(focus);
  gtk_widget_action_set_enabled(widget, "win.undo",
                                is_field || regard_document_can_undo(self->document));
  gtk_widget_action_set_enabled(widget, "win.redo",
                                is_field || regard_document_can_redo(self->document));
}

/* What cannot be done is grey, not silent. */
static void
update(RegardWindow *self)
{
  GtkWidget *widget = GTK_WIDGET(self);
  gboolean has_capture = regard_selection_get_capture(self->selection) != NULL;
  static const char *const pictures[] = {"win.export",        "win.copy",
                                         "win.copy-caption",  "win.copy-values",
                                         "win.export-choice", "win.add-to-figure"};
  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++) /* one that is being computed is waited for */
    gtk_widget_action_set_enabled(widget, pictures[i], regard_window_get_view(self) != NULL);
  /* What came from a file need not be saved again, and no model can make it. */
  gboolean shows_file = regard_document_get_imported_capture(self->document) != NULL;
  gtk_widget_action_set_enabled(widget, "win.export-capture", has_capture && !shows_file);
  gtk_widget_action_set_enabled(widget, "win.close-capture", shows_file);
  update_undo(self);
  static const char *const places[] = {"win.step-head", "win.step-layer", "win.let-go"};
  for (guint i = 0; i < G_N_ELEMENTS(places); i++)
    gtk_widget_action_set_enabled(widget, places[i], has_capture);
  const RegardResult *result = regard_document_get_result(self->document);
  gtk_widget_action_set_enabled(widget, "win.step-sentence",
                                result && result->n_sentences > 1 && !shows_file);
  gtk_widget_action_set_enabled(widget, "win.own-translation",
                                result && result->active >= 0 && !shows_file);
  gtk_widget_action_set_enabled(widget, "win.step-training",
                                regard_document_get_training(self->document)->steps && !shows_file);
}

void
regard_window_observe_actions(RegardWindow *self)
{
  add_setting_actions(self);
  fill_menus(self);
  regard_observe(self->document, self, update, "changed::model", "changed::result",
                 "changed::foreign", "changed::training", "changed::can-undo", "changed::can-redo");
  /* Start page or view: what can be saved is another. */
  regard_observe(self->content, self, update, "notify::visible-child");
  regard_window_observe_pages(self, G_CALLBACK(update));
  g_signal_connect(self, "notify::focus-widget", G_CALLBACK(update_undo), NULL);
  regard_observe(self->selection, self, update, "matrix-changed");
  update(self);
}
