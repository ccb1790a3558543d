/* test-window-keys.c — where the keyboard is, and where letters act.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suite.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-live-attribution.h"
#include "window-test.h"

#include "parts/regard-messages.h"

#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#define DOGS "I have two dogs."

static GtkWidget *
focus(WindowTest *t)
{
  return gtk_window_get_focus(GTK_WINDOW(t->window));
}

static GtkWidget *
source(WindowTest *t)
{
  return GTK_WIDGET(regard_text_card_get_view(window_test_card(t, "source")));
}

/* What the focused widget leaves over, wherever it is. */
static gboolean
press(WindowTest *t, guint keyval, GdkModifierType state)
{
  gboolean is_used = FALSE;
  g_signal_emit_by_name(window_test_controller(window_test_child(t, "root"), "keys"), "key-pressed",
                        keyval, 0u, state, &is_used);
  return is_used;
}

static void
go_to(WindowTest *t, const char *view)
{
  window_test_act(t, "win.go-to-view", "s", view);
}

static guint
n_changes(WindowTest *t)
{
  return (guint) mt_interventions_count(regard_document_get_search(t->document)->interventions);
}

/* A page that is gone to has the keyboard, in its picture where it has one. */
static void
test_pages(WindowTest *t, gconstpointer data)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  window_test_translate(t, DOGS);
  for (guint i = 0; i < n; i++) {
    gtk_widget_grab_focus(source(t));
    go_to(t, views[i].id);
    window_test_settle(t);
    app_test_run_for(50);
    RegardView *view = regard_window_get_view(t->window);
    g_assert_true(focus(t) && gtk_widget_is_ancestor(focus(t), GTK_WIDGET(view)));
    GtkWidget *picture = regard_view_get_picture(view);
    if (picture)
      g_assert_true(focus(t) == picture || gtk_widget_is_ancestor(focus(t), picture));
    g_assert_true(picture || g_str_equal(views[i].id, "measure"));
  }
  go_to(t, "attention");
  g_assert_true(REGARD_IS_HEATMAP(focus(t)));
  go_to(t, "measure"); /* whose first button is pressed */
  g_assert_true(GTK_IS_TOGGLE_BUTTON(focus(t)));
  g_assert_true(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(focus(t))));
  go_to(t, "attention");
  gtk_widget_grab_focus(source(t));
  window_test_act(t, "win.present", NULL);
  g_assert_true(REGARD_IS_HEATMAP(focus(t)));
}

/* They act there and nowhere else, and what they changed is taken back by one click. */
static void
test_letters(WindowTest *t, gconstpointer data)
{
  RegardSelection *s = t->selection;
  window_test_translate(t, DOGS);
  gtk_widget_grab_focus(source(t));
  static const guint keys[] = {GDK_KEY_x,      GDK_KEY_f, GDK_KEY_t,     GDK_KEY_l,
                               GDK_KEY_m,      GDK_KEY_1, GDK_KEY_space, GDK_KEY_bracketright,
                               GDK_KEY_Delete, GDK_KEY_3};
  const mt_attention_kind kind = regard_selection_get_kind(s);
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    g_assert_false(press(t, keys[i], 0));
  g_assert_cmpuint(n_changes(t), ==, 0);
  g_assert_cmpint(regard_selection_get_kind(s), ==, kind);

  go_to(t, "attention");
  g_assert_true(press(t, GDK_KEY_1, 0));
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_ENCODER_SELF);
  g_assert_true(press(t, GDK_KEY_x, 0));
  g_assert_cmpuint(n_changes(t), ==, 1);
  window_test_act(t, "win.take-back", NULL);
  g_assert_cmpuint(n_changes(t), ==, 0);
  window_test_act(t, "win.take-back", NULL); /* once */
  g_assert_cmpuint(n_changes(t), ==, 0);
  g_assert_true(press(t, GDK_KEY_t, 0));
  g_assert_true(g_settings_get_boolean(t->settings, "show-trust"));
  window_test_act(t, "win.take-back", NULL);
  g_assert_false(g_settings_get_boolean(t->settings, "show-trust"));

  /* No head of this sentence is seen on Measure. */
  go_to(t, "measure");
  window_test_settle(t);
  g_assert_false(press(t, GDK_KEY_x, 0));
  g_assert_false(press(t, GDK_KEY_f, 0));
  g_assert_cmpuint(n_changes(t), ==, 0);
}

/* What is said has a button that leads back. */
static void
test_said(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  go_to(t, "attention");
  /* Of several the last one stays, and the others do not come again. */
  g_assert_true(press(t, GDK_KEY_f, 0));
  g_assert_true(press(t, GDK_KEY_f, 0));
  g_assert_true(press(t, GDK_KEY_x, 0));
  window_test_settle(t);
  GtkWidget *undo = window_test_find_action(gtk_widget_get_ancestor(window_test_child(t, "root"),
                                                                    ADW_TYPE_TOAST_OVERLAY),
                                            "win.take-back");
  g_assert_nonnull(undo);
  g_signal_emit_by_name(undo, "clicked");
  g_assert_cmpuint(n_changes(t), ==, 0);
  app_test_run_for(400); /* it goes */
  g_assert_null(window_test_find_action(gtk_widget_get_ancestor(window_test_child(t, "root"),
                                                                ADW_TYPE_TOAST_OVERLAY),
                                        "win.take-back"));
}

static GtkWidget *
overlay(WindowTest *t)
{
  return gtk_widget_get_ancestor(window_test_child(t, "root"), ADW_TYPE_TOAST_OVERLAY);
}

/* What is said with a way back, of which there is one at most. Caller frees. */
static char *
said(WindowTest *t)
{
  app_test_run_for(20);
  AdwToast *toast = g_object_get_data(G_OBJECT(overlay(t)), "regard-undo");
  return toast ? g_strdup(adw_toast_get_title(toast)) : NULL;
}

static guint
count_toasts(GtkWidget *widget)
{
  guint n = g_str_equal(G_OBJECT_TYPE_NAME(widget), "AdwToastWidget") ? 1 : 0;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    n += count_toasts(child);
  return n;
}

static void
assert_said(WindowTest *t, const char *expected)
{
  g_autofree char *text = said(t);
  g_assert_cmpstr(text, ==, expected);
}

static void
go_back(WindowTest *t)
{
  window_test_act(t, "win.take-back", NULL);
}

/* What was said before is gone for good when something else is said; what can be undone is not. */
static void
test_one_toast(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  go_to(t, "attention");
  g_assert_true(press(t, GDK_KEY_e, 0));
  g_autofree char *undoable = said(t);
  regard_toast(overlay(t), "Saved the one");
  regard_toast(overlay(t), "Saved the other");
  app_test_run_for(50);
  g_assert_cmpuint(count_toasts(overlay(t)), ==, 1);
  adw_toast_dismiss(g_object_get_data(G_OBJECT(overlay(t)), "regard-said"));
  app_test_run_for(50);
  g_assert_null(g_object_get_data(G_OBJECT(overlay(t)), "regard-said"));
  assert_said(t, undoable);
  adw_toast_dismiss(g_object_get_data(G_OBJECT(overlay(t)), "regard-undo"));
  app_test_run_for(50);
  g_assert_cmpuint(count_toasts(overlay(t)), ==, 0);
}

/* Going through heads, kinds and parts is said, too; keys that are held or pressed again say where
 * they have come to in one place, and lead back to where they began. */
static void
test_places(WindowTest *t, gconstpointer data)
{
  RegardSelection *s = t->selection;
  RegardLiveAttribution *shown = regard_live_attribution_of(s);
  window_test_translate(t, DOGS);
  go_to(t, "attention");
  regard_selection_set_place(s, MT_CROSS, 2, 1);
  for (guint i = 0; i < 4; i++)
    g_assert_true(press(t, GDK_KEY_bracketright, 0));
  assert_said(t, "Shown: Cross-attention, layer 3, head 6");
  g_assert_true(press(t, GDK_KEY_bracketleft, 0));
  assert_said(t, "Shown: Cross-attention, layer 3, head 5");
  g_assert_true(press(t, GDK_KEY_3, 0));
  assert_said(t, "Shown: Decoder self-attention, layer 3, head 5");
  app_test_run_for(50);
  g_assert_cmpuint(count_toasts(overlay(t)), ==, 1);
  go_back(t);
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_CROSS);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 2);
  g_assert_cmpuint(regard_selection_get_head(s), ==, 1);

  /* Where nothing changes, nothing is said; and what is said of something else is said anew. */
  window_test_act(t, "win.take-back", NULL);
  adw_toast_dismiss(g_object_get_data(G_OBJECT(overlay(t)), "regard-undo"));
  regard_selection_set_place(s, MT_CROSS, 2, 0);
  g_assert_true(press(t, GDK_KEY_bracketleft, 0));
  assert_said(t, NULL);
  g_assert_true(press(t, GDK_KEY_bracketright, 0));
  g_assert_true(press(t, GDK_KEY_e, 0));
  assert_said(t, "Weights are dragged in the picture");
  go_back(t);
  g_assert_true(press(t, GDK_KEY_e, 0));
  assert_said(t, "Weights are dragged in the picture"); /* it was switched off again */
  g_assert_true(press(t, GDK_KEY_e, 0));
  assert_said(t, "Weights are not dragged any more");
  g_assert_cmpuint(regard_selection_get_head(s), ==, 1);

  /* Of what attributions are. */
  regard_live_attribution_set_method(shown, (int) mt_attribution_find("value-zeroing"));
  window_test_settle(t);
  g_assert_true(press(t, GDK_KEY_n, 0));
  assert_said(t, "Shown: one word");
  go_back(t);
  g_assert_cmpint(regard_live_attribution_get_about(shown), ==, REGARD_ABOUT_WORDS);
  g_assert_true(press(t, GDK_KEY_b, 0));
  assert_said(t, "Shown: layer 3");
  go_back(t);
  g_assert_cmpint(regard_live_attribution_get_part(shown), ==, REGARD_ATTRIBUTION_ALL_LAYERS);
}

/* Panes are gone through from a text, too, which keeps the keyboard. */
static void
test_panes(WindowTest *t, gconstpointer data)
{
  gboolean is_used = FALSE;
  window_test_translate(t, DOGS);
  go_to(t, "measure");
  gtk_widget_grab_focus(source(t));
  GtkEventController *keys = window_test_controller(window_test_child(t, "root"), "page-keys");
  g_signal_emit_by_name(keys, "key-pressed", GDK_KEY_Page_Down, 0u, GDK_CONTROL_MASK, &is_used);
  g_assert_true(is_used);
  g_autofree char *pane = NULL;
  g_object_get(regard_window_get_view(t->window), "pane", &pane, NULL);
  g_assert_cmpstr(pane, ==, "alignment");
  g_assert_true(focus(t) == source(t));
}

/* What is typed at once takes the place of the example, and of the text of last time; Undo brings
 * it back. */
static void
test_start(WindowTest *t, gconstpointer data)
{
  for (guint own = 0; own < 2; own++) {
    GtkTextIter start, end;
    if (own)
      g_settings_set_string(t->settings, "text", DOGS);
    else
      g_settings_reset(t->settings, "text");
    WindowTest other = window_test_another(t);
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(source(&other)));
    g_autofree char *before = window_test_source(&other);
    g_assert_true(focus(&other) == source(&other));
    g_assert_true(gtk_text_buffer_get_selection_bounds(buffer, &start, &end));
    g_assert_true(gtk_text_iter_is_start(&start) && gtk_text_iter_is_end(&end));
    app_test_run_for(50);
    gtk_text_buffer_delete_selection(buffer, TRUE, TRUE);
    gtk_text_buffer_insert_interactive_at_cursor(buffer, "It rains.", -1, TRUE);
    g_autofree char *text = window_test_source(&other);
    g_assert_cmpstr(text, ==, "It rains.");
    app_test_until(regard_document_can_undo(other.document));
    gtk_widget_activate_action(GTK_WIDGET(other.window), "win.undo", NULL);
    g_autofree char *after = window_test_source(&other);
    g_assert_cmpstr(after, ==, before);
    g_assert_true(!own || g_str_equal(after, DOGS));
    gtk_window_destroy(GTK_WINDOW(other.window));
  }
}

/* ---- Keyboards of other countries -------------------------------------------------------------
 *
 * setxkbmap, which the package of the X server of tests needs, changes the layout of this test's
 * display; what a key writes is asked of GDK, as it comes from a real one. */

/* Keys of the top row by their place, from the left. */
enum { TOP_1 = 10, TOP_2 = 11, TOP_3 = 12, TOP_0 = 19 };

/* Keycode and modifiers that write a sign. FALSE: no key does. */
static gboolean
find_key(guint keyval, guint *keycode, GdkModifierType *state)
{
  g_autofree GdkKeymapKey *keys = NULL;
  int n = 0;
  if (!gdk_display_map_keyval(gdk_display_get_default(), keyval, &keys, &n) || n == 0)
    return FALSE;
  static const GdkModifierType of_levels[] = {0, GDK_SHIFT_MASK, 1 << 7 /* AltGr */};
  g_assert_cmpint(keys[0].level, <, G_N_ELEMENTS(of_levels));
  *keycode = keys[0].keycode;
  *state = of_levels[keys[0].level];
  return TRUE;
}

/* Whether it is in use, as GDK sees it: by what the first key of the top row writes, and on what
 * key the letter z is. */
static gboolean
has_layout(gpointer data)
{
  const guint *expected = data;
  guint keycode = 0, first = 0;
  GdkModifierType state = 0;
  gdk_display_translate_key(gdk_display_get_default(), TOP_1, 0, 0, &first, NULL, NULL, NULL);
  return first == expected[0] && find_key(GDK_KEY_z, &keycode, &state) && keycode == expected[1];
}

static gboolean
use_layout(const char *layout, const guint *expected)
{
  char *argv[] = {(char *) "setxkbmap", (char *) "-layout", (char *) layout, NULL};
  int status = 0;
  if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                    NULL, NULL, &status, NULL) ||
      status != 0)
    return FALSE;
  app_test_wait(has_layout, (gpointer) expected);
  return TRUE;
}

static gboolean
press_at(gpointer widget, guint keycode, GdkModifierType state)
{
  gboolean is_used = FALSE;
  guint keyval = 0;
  g_assert_true(gdk_display_translate_key(gdk_display_get_default(), keycode, state, 0, &keyval,
                                          NULL, NULL, NULL));
  g_signal_emit_by_name(window_test_controller(widget, "keys"), "key-pressed", keyval, keycode,
                        state, &is_used);
  return is_used;
}

/* As somebody writes it who looks for it on the keyboard. */
static gboolean
write_sign(WindowTest *t, guint keyval)
{
  guint keycode;
  GdkModifierType state;
  return find_key(keyval, &keycode, &state) &&
         press_at(window_test_child(t, "root"), keycode, state);
}

static void
check_layout(WindowTest *t)
{
  RegardSelection *s = t->selection;
  GtkWidget *root = window_test_child(t, "root");
  static const guint top[MT_N_KINDS] = {TOP_1, TOP_2, TOP_3},
                     signs[] = {GDK_KEY_1, GDK_KEY_2, GDK_KEY_3};
  static const mt_attention_kind kinds[] = {MT_ENCODER_SELF, MT_CROSS, MT_DECODER_SELF};
  go_to(t, "attention");
  for (guint i = 0; i < 2 * G_N_ELEMENTS(kinds); i++) {
    const guint k = i / 2;
    regard_selection_set_place(s, kinds[(k + 1) % 3], 0, 0);
    g_assert_true(i % 2 ? write_sign(t, signs[k]) : press_at(root, top[k], 0));
    g_assert_cmpint(regard_selection_get_kind(s), ==, kinds[k]);
  }
  /* Heads: by the sign, wherever it is, and without it. */
  regard_selection_set_place(s, MT_CROSS, 0, 0);
  g_assert_true(write_sign(t, GDK_KEY_bracketright));
  g_assert_cmpuint(regard_selection_get_head(s), ==, 1);
  g_assert_true(write_sign(t, GDK_KEY_bracketleft));
  g_assert_cmpuint(regard_selection_get_head(s), ==, 0);
  RegardCell before = regard_selection_get_pin(s);
  GtkWidget *heatmap = regard_view_get_picture(regard_window_get_view(t->window));
  for (int step = 1; step >= -1; step -= 2) {
    guint keycode;
    GdkModifierType state;
    g_assert_true(find_key(step > 0 ? GDK_KEY_Right : GDK_KEY_Left, &keycode, &state));
    state |= GDK_CONTROL_MASK | GDK_SHIFT_MASK;
    g_assert_false(press_at(heatmap, keycode, state)); /* it leaves that to the page */
    g_assert_true(press_at(root, keycode, state));
    g_assert_cmpuint(regard_selection_get_head(s), ==, step > 0 ? 1 : 0);
  }
  RegardCell after = regard_selection_get_pin(s);
  g_assert_true(before.row == after.row && before.col == after.col);
  /* Ctrl and the key of the 0. */
  regard_heatmap_set_zoom(REGARD_HEATMAP(heatmap), 2, -1, -1);
  g_assert_true(press_at(heatmap, TOP_0, GDK_CONTROL_MASK));
  g_assert_cmpfloat(regard_heatmap_get_zoom(REGARD_HEATMAP(heatmap)), ==, 1);
  /* Where something is looked for. */
  static const struct {
    const char *view, *entry;
  } finds[] = {{"steps", "another-word"}, {"heads", "head-filter"}};
  for (guint i = 0; i < 2 * G_N_ELEMENTS(finds); i++) {
    guint keycode;
    GdkModifierType state;
    go_to(t, finds[i / 2].view);
    window_test_settle(t);
    g_assert_true(find_key(GDK_KEY_f, &keycode, &state));
    g_assert_true(i % 2 ? press_at(root, keycode, state | GDK_CONTROL_MASK)
                        : write_sign(t, GDK_KEY_slash));
    GtkWidget *entry =
        gtk_widget_get_ancestor(focus(t), i / 2 ? GTK_TYPE_SEARCH_ENTRY : GTK_TYPE_ENTRY);
    g_assert_cmpstr(gtk_widget_get_name(entry), ==, finds[i / 2].entry);
  }
}

static void
test_layouts(WindowTest *t, gconstpointer data)
{
  static const struct {
    const char *name;
    guint first, z; /* what the first key of the top row writes, and which key writes z */
  } layouts[] = {{"de", GDK_KEY_1, 29},
                 {"ch", GDK_KEY_1, 29},
                 {"fr", GDK_KEY_ampersand, 25},
                 {"us", GDK_KEY_1, 52}};
  window_test_translate(t, DOGS);
  for (guint i = 0; i < G_N_ELEMENTS(layouts); i++) {
    const guint expected[] = {layouts[i].first, layouts[i].z};
    if (!use_layout(layouts[i].name, expected)) {
      g_test_skip("There is no setxkbmap.");
      return;
    }
    g_autofree char *hint = regard_key_that_finds();
    g_test_message("%s: %s", layouts[i].name, hint);
    g_assert_cmpstr(hint, ==, g_str_equal(layouts[i].name, "us") ? "/" : "Ctrl+F");
    check_layout(t);
    if (layouts[i].first == GDK_KEY_1)
      continue; /* there Alt and a number is an accelerator, as it is pressed */
    g_assert_true(press_at(window_test_child(t, "root"), TOP_2, GDK_ALT_MASK));
    g_assert_cmpstr(adw_view_stack_get_visible_child_name(window_test_child(t, "views")), ==,
                    "inside");
  }
}

/* ---- Input methods ----------------------------------------------------------------------------
 */

/* Of a text, as its keys go through it. Borrowed. */
static GtkIMContext *
find_input_method(GtkWidget *text)
{
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(text);
  GtkIMContext *found = NULL;
  for (guint i = 0; i < g_list_model_get_n_items(controllers) && !found; i++) {
    g_autoptr(GtkEventController) it = g_list_model_get_item(controllers, i);
    if (GTK_IS_EVENT_CONTROLLER_KEY(it))
      found = gtk_event_controller_key_get_im_context(GTK_EVENT_CONTROLLER_KEY(it));
  }
  return found;
}

/* A key that goes down, or comes up, with modifiers held. */
static void
feed(WindowTest *t, GtkIMContext *method, gboolean is_down, guint keyval, GdkModifierType modifiers)
{
  GdkDisplay *display = gdk_display_get_default();
  guint keycode;
  GdkModifierType state;
  g_assert_true(find_key(keyval, &keycode, &state));
  gtk_im_context_filter_key(method, is_down, gtk_native_get_surface(GTK_NATIVE(t->window)),
                            gdk_seat_get_keyboard(gdk_display_get_default_seat(display)),
                            GDK_CURRENT_TIME, keycode, state | modifiers, 0);
}

/* GTK 4.8 loses the attributes of a text that is being composed, a few for each change of it. */
static void
ignore_leaks(gboolean begin)
{
#ifdef __SANITIZE_ADDRESS__
  if (begin)
    __lsan_disable();
  else
    __lsan_enable();
#endif
}

/* What an input method has not committed stands at the caret, and in no sentence: GTK's own method,
 * which writes a sign by its number after Ctrl+Shift+U, is one such. */
static void
test_preedit(WindowTest *t, gconstpointer data)
{
  g_object_set(gtk_settings_get_default(), "gtk-im-module", "gtk-im-context-simple", NULL);
  window_test_translate(t, DOGS);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(source(t)));
  GtkTextIter end;
  gtk_widget_grab_focus(source(t));
  gtk_text_buffer_get_end_iter(buffer, &end);
  gtk_text_buffer_place_cursor(buffer, &end);
  const RegardResult *result = regard_document_get_result(t->document);
  GtkIMContext *method = find_input_method(source(t));
  g_assert_nonnull(method);
  gtk_im_context_focus_in(method);
  ignore_leaks(TRUE);
  feed(t, method, TRUE, GDK_KEY_u, GDK_CONTROL_MASK | GDK_SHIFT_MASK);
  feed(t, method, FALSE, GDK_KEY_Shift_L, GDK_CONTROL_MASK | GDK_SHIFT_MASK);
  static const guint digits[] = {GDK_KEY_7, GDK_KEY_2, GDK_KEY_d, GDK_KEY_7}; /* 狗 */
  for (guint i = 0; i < G_N_ELEMENTS(digits); i++) {
    g_autofree char *preedit = NULL;
    feed(t, method, TRUE, digits[i], 0);
    gtk_im_context_get_preedit_string(method, &preedit, NULL, NULL);
    g_assert_cmpuint(g_utf8_strlen(preedit, -1), ==, i + 2); /* "u" and the digits */
    app_test_run_for(20);
    g_autofree char *shown = window_test_source(t);
    g_assert_cmpstr(shown, ==, DOGS);
    g_assert_cmpstr(regard_document_get_text(t->document), ==, DOGS);
    g_assert_false(regard_document_is_busy(t->document));
    g_assert_true(regard_document_get_result(t->document) == result);
  }
  feed(t, method, TRUE, GDK_KEY_space, 0);
  ignore_leaks(FALSE);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, DOGS "狗");
  window_test_settle(t);
  g_assert_cmpstr(regard_document_get_result(t->document)->text, ==, DOGS "狗");
}

static gboolean
press_function_key(WindowTest *t, guint keyval, GdkModifierType state)
{
  gboolean is_used = FALSE;
  g_signal_emit_by_name(window_test_controller(t->window, "function-keys"), "key-pressed", keyval,
                        0u, state, &is_used);
  return is_used;
}

/* Their actions are found before GTK looks for one, which on Wayland takes them for the key alone.
 */
static void
test_function_keys(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  g_assert_true(g_settings_get_boolean(t->settings, "show-heads"));
  g_assert_true(g_settings_get_boolean(t->settings, "show-details"));
  g_assert_true(press_function_key(t, GDK_KEY_F9, GDK_SHIFT_MASK | GDK_LOCK_MASK));
  g_assert_false(g_settings_get_boolean(t->settings, "show-details"));
  g_assert_true(press_function_key(t, GDK_KEY_F9, GDK_SHIFT_MASK));
  g_assert_true(g_settings_get_boolean(t->settings, "show-details"));
  /* One that does nothing is not the key alone. */
  g_assert_true(press_function_key(t, GDK_KEY_F9, GDK_CONTROL_MASK));
  g_assert_true(press_function_key(t, GDK_KEY_F5, GDK_CONTROL_MASK));
  g_assert_false(gtk_widget_has_css_class(GTK_WIDGET(t->window), "presenting"));
  g_assert_true(g_settings_get_boolean(t->settings, "show-heads"));
  g_assert_true(g_settings_get_boolean(t->settings, "show-details"));
  /* The target of an action: the pane before. */
  go_to(t, "attention");
  GtkWidget *picture = focus(t);
  window_test_act(t, "win.next-pane", "i", 1);
  g_assert_true(focus(t) != picture);
  g_assert_true(press_function_key(t, GDK_KEY_F6, GDK_SHIFT_MASK));
  g_assert_true(focus(t) == picture);
  /* What is GTK's, or another key. */
  g_assert_false(press_function_key(t, GDK_KEY_F9, 0));
  g_assert_false(press_function_key(t, GDK_KEY_F10, GDK_SHIFT_MASK));
  g_assert_false(press_function_key(t, GDK_KEY_k, GDK_CONTROL_MASK));
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-keys/pages", test_pages);
  WINDOW_TEST("/window-keys/letters", test_letters);
  WINDOW_TEST("/window-keys/said", test_said);
  WINDOW_TEST("/window-keys/one-toast", test_one_toast);
  WINDOW_TEST("/window-keys/places", test_places);
  WINDOW_TEST("/window-keys/panes", test_panes);
  WINDOW_TEST("/window-keys/function-keys", test_function_keys);
  WINDOW_TEST("/window-keys/start", test_start);
  WINDOW_TEST("/window-keys/preedit", test_preedit);
  WINDOW_TEST("/window-keys/layouts", test_layouts);
}
