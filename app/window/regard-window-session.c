/* regard-window-session.c — sessions in files: choosing one, saving one, and how it was looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The document has what a picture follows from; the window adds page, colours, zoom and cell. What
 * needs the picture to be there waits for it.
 */
#include "document/regard-file-kinds.h"
#include "document/regard-folder-tasks.h"
#include "export/regard-export-job.h"
#include "export/regard-sheet-file.h"
#include "figures/regard-language.h"
#include "parts/regard-messages.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-heatmap.h"
#include "window/regard-composer.h"
#include "window/regard-window-private.h"

#include <math.h>
#include <string.h>

/* ---- How it is looked at ------------------------------------------------------------------- */

/* The large picture that is seen; NULL: the page has none. */
static RegardHeatmap *
find_heatmap(GtkWidget *widget)
{
  if (!gtk_widget_get_mapped(widget))
    return NULL;
  if (REGARD_IS_HEATMAP(widget))
    return REGARD_HEATMAP(widget);
  RegardHeatmap *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_heatmap(child);
  return found;
}

static GArray *
list_chosen(RegardWindow *self)
{
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  const mt_attention_kind kind = regard_selection_get_kind(self->selection);
  GArray *chosen = g_array_new(FALSE, FALSE, sizeof(guint16));
  for (guint l = 0; capture && l < mt_capture_n_layers(capture, kind); l++)
    for (guint h = 0; h < mt_capture_n_heads(capture, kind); h++)
      if (regard_selection_is_chosen(self->selection, kind, l, h)) {
        const guint16 pair[] = {(guint16) (mt_capture_first_layer(capture, kind) + l),
                                (guint16) (mt_capture_first_head(capture, kind) + h)};
        g_array_append_vals(chosen, pair, 2);
      }
  return chosen;
}

/* The cell as the full window counts rows and columns, which is how files have it. */
static RegardCell
get_full_pin(RegardSelection *selection)
{
  const gboolean simple = regard_selection_get_simple(selection);
  regard_selection_set_simple(selection, FALSE);
  const RegardCell pin = regard_selection_get_pin(selection);
  regard_selection_set_simple(selection, simple);
  return pin;
}

static void
set_full_pin(RegardSelection *selection, RegardCell cell)
{
  const gboolean simple = regard_selection_get_simple(selection);
  regard_selection_set_simple(selection, FALSE);
  const RegardMatrix *matrix = regard_selection_get_matrix(selection);
  if (matrix && cell.row < (int) matrix->rows && cell.col < (int) matrix->cols)
    regard_selection_set_pin(selection, cell);
  regard_selection_set_simple(selection, simple);
}

void
regard_window_take_view_state(RegardWindow *self, RegardViewState *look)
{
  RegardSelection *selection = self->selection;
  const RegardCell pin = get_full_pin(selection);
  RegardHeatmap *heatmap = find_heatmap(GTK_WIDGET(self->content));
  g_autofree char *colormap = g_settings_get_string(self->settings, "colormap");
  const RegardColormap *usual =
      regard_window_has_room_colours(self) ? regard_colormap_find(colormap) : NULL;
  *look = (RegardViewState){
      .page = g_strdup(adw_view_stack_get_visible_child_name(self->views)),
      .scale = regard_selection_get_scale(selection),
      .colormap = usual ? usual : regard_selection_get_colormap(selection),
      .combine = regard_selection_get_combine(selection),
      .label_by = regard_selection_get_label_by(selection),
      .form = regard_selection_get_form(selection),
      .lines_share = regard_selection_get_lines_share(selection),
      .merge_words = regard_selection_get_merge_words(selection),
      .hide_special = regard_selection_get_hide_special(selection),
      .show_heads = g_settings_get_boolean(self->settings, "show-heads"),
      .show_details = g_settings_get_boolean(self->settings, "show-details"),
      .show_tokens = g_settings_get_boolean(self->settings, "show-tokens"),
      .zoom = heatmap ? regard_heatmap_get_zoom(heatmap) : 1,
      .row = pin.row,
      .col = pin.col,
      .step = regard_selection_get_step(selection),
      .compare = (int) regard_document_get_compared(self->document)->side,
      .chosen = list_chosen(self),
  };
  if (heatmap)
    regard_heatmap_get_corner(heatmap, &look->top, &look->left);
}

/* What does not need a picture. The settings follow. */
static void
apply_look(RegardWindow *self, const RegardViewState *look)
{
  RegardSelection *selection = self->selection;
  regard_selection_set_scale(selection, look->scale);
  /* A room sees it in the colours of the presentation; those of the session come after it. */
  g_settings_set_string(self->settings, "colormap", look->colormap->id);
  regard_selection_set_combine(selection, look->combine);
  regard_selection_set_label_by(selection, look->label_by);
  regard_selection_set_form(selection, look->form);
  regard_selection_set_lines_share(selection, look->lines_share);
  regard_selection_set_merge_words(selection, look->merge_words);
  regard_selection_set_hide_special(selection, look->hide_special);
  g_settings_set_boolean(self->settings, "show-heads", look->show_heads);
  g_settings_set_boolean(self->settings, "show-details", look->show_details);
  g_settings_set_boolean(self->settings, "show-tokens", look->show_tokens);
  /* A page that this version does not have is none. */
  if (adw_view_stack_get_child_by_name(self->views, look->page))
    adw_view_stack_set_visible_child_name(self->views, look->page);
}

static void
forget_arriving(RegardWindow *self)
{
  g_clear_handle_id(&self->arriving_idle, g_source_remove);
  g_clear_pointer(&self->arriving, regard_session_unref);
}

void
regard_window_forget_session(RegardWindow *self)
{
  forget_arriving(self);
  g_clear_handle_id(&self->unsaved_idle, g_source_remove);
  g_clear_pointer(&self->saved_content, g_free);
  g_clear_pointer(&self->session_path, g_free);
  g_clear_pointer(&self->opening_path, g_free);
}

static void
apply_chosen(RegardWindow *self, const GArray *chosen)
{
  const mt_attention_kind kind = regard_selection_get_kind(self->selection);
  regard_selection_clear_chosen(self->selection);
  for (guint i = 0; i + 1 < chosen->len; i += 2) {
    guint layer = g_array_index(chosen, guint16, i);
    guint head = g_array_index(chosen, guint16, i + 1);
    if (regard_selection_find_head(self->selection, kind, &layer, &head) &&
        !regard_selection_is_chosen(self->selection, kind, layer, head))
      regard_selection_toggle_chosen(self->selection, kind, layer, head);
  }
}

/* The picture is there, and has its room. */
static gboolean
on_arrived(gpointer data)
{
  RegardWindow *self = data;
  const RegardViewState *look = &self->arriving->look;
  self->arriving_idle = 0;
  if (regard_selection_get_capture(self->selection)) {
    apply_chosen(self, look->chosen);
    regard_selection_set_step(self->selection, look->step);
    set_full_pin(self->selection, (RegardCell){look->row, look->col});
    RegardHeatmap *heatmap = find_heatmap(GTK_WIDGET(self->content));
    if (heatmap) {
      regard_heatmap_set_zoom(heatmap, look->zoom, -1, -1);
      regard_heatmap_set_corner(heatmap, look->top, look->left);
    }
    if (!self->is_look_back && !regard_window_get_talk(self))
      regard_window_focus_picture(self);
  }
  forget_arriving(self);
  if (!self->saved_content && !self->is_look_back)
    regard_window_note_saved(self, regard_document_dup_content(self->document));
  return G_SOURCE_REMOVE;
}

/* Whether what is compared with is still being computed. */
static gboolean
is_comparing(RegardWindow *self)
{
  const RegardSnapshot *reference = regard_document_get_compared(self->document)->reference;
  if (self->arriving->look.compare == REGARD_COMPARE_OFF)
    return FALSE;
  if (regard_document_get_compared(self->document)->side == REGARD_COMPARE_OFF)
    return reference && !reference->result;
  return !regard_document_get_compared(self->document)->comparison &&
         !regard_document_get_compared(self->document)->error;
}

static void
update(RegardWindow *self)
{
  if (!self->arriving || self->arriving_idle)
    return;
  const RegardResult *result = regard_document_get_result(self->document);
  if (!regard_document_get_imported_capture(self->document)) {
    const char *text = regard_document_get_text(self->document);
    if (!g_str_equal(text, self->arriving->state->text)) {
      forget_arriving(self); /* somebody went on typing */
      return;
    }
    if (regard_document_is_opening(self->document) || regard_document_is_busy(self->document) ||
        !result || !g_str_equal(result->text, text) || is_comparing(self))
      return;
  }
  /* Below the frames that make room for it. */
  self->arriving_idle = g_idle_add_full(G_PRIORITY_LOW, on_arrived, self, NULL);
}

/* Whoever saved a picture of several heads, or of a difference, wants it seen: a simple window has
 * neither. */
static void
make_room(RegardWindow *self, const RegardViewState *look)
{
  if (!regard_selection_get_simple(self->selection) ||
      (look->combine == REGARD_COMBINE_HEAD && look->compare == REGARD_COMPARE_OFF))
    return;
  g_settings_set_boolean(self->settings, "simple", FALSE);
  regard_toast(self->root, _("This session needs all controls: the window is Full now"));
}

static void
on_session_opened(RegardDocument *document, RegardSession *session, RegardWindow *self)
{
  forget_arriving(self);
  make_room(self, &session->look);
  /* One that goes on when its model runs was opened before. */
  if (self->opening_path) {
    g_free(self->session_path);
    self->session_path = g_steal_pointer(&self->opening_path);
    regard_log_add_file(self->log, REGARD_LOG_SESSION_OPENED, self->session_path);
    g_clear_pointer(&self->saved_content, g_free); /* until its picture is there */
    self->is_unsaved = FALSE;
    regard_window_note_recent(self->session_path);
    regard_window_update_title(self);
  }
  self->arriving = regard_session_ref(session);
  self->is_look_back = FALSE;
  apply_look(self, &session->look);
  update(self);
}

RegardSession *
regard_window_take_look(RegardWindow *self)
{
  RegardSession *session = regard_session_new();
  g_autoptr(RegardSnapshot) now = regard_document_take_snapshot(self->document);
  session->state = regard_snapshot_copy(now);
  regard_window_take_view_state(self, &session->look);
  return session;
}

void
regard_window_bring_look_back(RegardWindow *self, RegardSession *session)
{
  forget_arriving(self);
  self->arriving = session;
  self->is_look_back = TRUE;
  apply_look(self, &session->look);
  update(self);
}

void
regard_window_reset_zoom(RegardWindow *self)
{
  RegardHeatmap *heatmap = find_heatmap(GTK_WIDGET(self->content));
  if (heatmap)
    regard_heatmap_set_zoom(heatmap, 1, -1, -1);
}

static void
observe_session(RegardWindow *self)
{
  self->session_stepping = regard_work_new(self);
  g_signal_connect_object(self->document, "session-opened", G_CALLBACK(on_session_opened), self, 0);
  regard_observe(self->document, self, update, "changed::result", "changed::waiting",
                 "changed::comparison", "changed::reference", "changed::foreign");
}

/* ---- Saving -------------------------------------------------------------------------------- */

typedef struct {
  RegardWindow *window;
  char *path, *content; /* what is written, as it was when that began */
} Saving;

static void
on_saved(gpointer data, RegardRun *run)
{
  Saving *saving = data;
  g_autoptr(RegardWindow) self = saving->window;
  g_autofree char *path = saving->path, *content = saving->content;
  g_autoptr(GError) error = NULL;
  g_free(saving);
  gboolean is_saved = regard_run_finish(run, &error) != NULL;
  if (regard_document_is_closed(self->document))
    return;
  if (!is_saved) {
    regard_messages_file_failed(self->messages, error->message,
                                _("Nothing was changed. Choose another place, or make room, and "
                                  "save again."));
    return;
  }
  g_autofree char *shown = g_filename_display_basename(path);
  g_autofree char *text = g_strdup_printf(_("Saved %s"), shown);
  g_autofree char *uri = g_filename_to_uri(path, NULL, NULL);
  g_free(self->session_path);
  self->session_path = g_steal_pointer(&path);
  regard_log_add_file(self->log, REGARD_LOG_SESSION_SAVED, self->session_path);
  regard_window_note_recent(self->session_path);
  regard_window_note_saved(self, g_steal_pointer(&content));
  regard_toast_with_button(self->root, text, _("Show in Folder"), "win.show-in-folder", uri);
  regard_messages_file_stands(self->messages);
}

/* What the file chooser leads to; an action of its own so that it can be driven without one. */
static void
write_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  g_autofree char *path = g_canonicalize_filename(g_variant_get_string(parameter, NULL), NULL);
  g_auto(RegardViewState) look = {0};
  Saving *saving = g_new(Saving, 1);
  regard_window_take_view_state(self, &look);
  *saving =
      (Saving){g_object_ref(self), g_strdup(path), regard_document_dup_content(self->document)};
  regard_document_save_session(self->document, path, &look, on_saved, saving);
}

/* A name without the ending gets it, unless another file would be replaced that nobody named. */
static char *
end_name(char *path)
{
  g_autofree char *ended = g_strconcat(path, REGARD_SESSION_ENDING, NULL);
  if (regard_session_has_ending(path) || g_file_test(ended, G_FILE_TEST_EXISTS))
    return path;
  g_free(path);
  return g_steal_pointer(&ended);
}

static void
on_place_chosen(GtkNativeDialog *dialog, int response, RegardWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    char *path = file ? g_file_get_path(file) : NULL;
    g_autofree char *ended = path ? end_name(path) : NULL;
    if (ended)
      gtk_widget_activate_action(GTK_WIDGET(self), "win.write-session", "s", ended);
  }
  gtk_native_dialog_destroy(dialog);
  g_object_unref(dialog);
}

/* Under the name that it has already, or one of its sentence. */
static void
offer_name(RegardWindow *self, GtkFileChooser *chooser)
{
  g_autofree char *folder = g_settings_get_string(self->settings, "export-folder");
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  g_autofree char *name = regard_export_name_for(capture, NULL, "regard");
  if (self->session_path) {
    g_autoptr(GFile) file = g_file_new_for_path(self->session_path);
    gtk_file_chooser_set_file(chooser, file, NULL);
  } else
    regard_export_name_offer(chooser, folder, name);
}

static void
save_as(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(_("Save Session"), GTK_WINDOW(self), GTK_FILE_CHOOSER_ACTION_SAVE,
                                  _("_Save"), _("_Cancel"));
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, _("Sessions of Regard"));
  gtk_file_filter_add_suffix(filter, "regard");
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), filter);
  offer_name(self, GTK_FILE_CHOOSER(dialog));
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_place_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

/* To the file that it is from; what has none is asked for one. */
static void
save(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  if (self->session_path)
    gtk_widget_activate_action(widget, "win.write-session", "s", self->session_path);
  else
    save_as(widget, name, parameter);
}

/* ---- Opening ------------------------------------------------------------------------------- */

static void
read_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  g_autofree char *path = g_canonicalize_filename(g_variant_get_string(parameter, NULL), NULL);
  g_auto(GStrv) recent = g_settings_get_strv(self->settings, "recent-models");
  g_free(self->opening_path);
  self->opening_path = g_strdup(path);
  regard_document_open_session(self->document, path, (const char *const *) recent);
}

static void
on_stepped(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  const RegardSessionStep *step = regard_run_get_params(run);
  if (step->next)
    gtk_widget_activate_action(GTK_WIDGET(self), "win.read-session", "s", step->next);
  else
    regard_toast(self->root, step->step < 0 ? _("This is the first session of its folder")
                                            : _("This is the last session of its folder"));
}

/* The next session of the folder: who prepared several shows one after the other by one key. */
static void
step_session(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *here = self->opening_path ? self->opening_path : self->session_path;
  if (!here) {
    regard_toast(self->root, _("Open a session first; the others of its folder follow"));
    return;
  }
  const RegardSessionStep step = {.path = g_strdup(here), .step = g_variant_get_int32(parameter)};
  regard_work_run(self->session_stepping, &regard_session_step_task, NULL, &step, on_stepped);
}

static void
choose(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_choose_file(widget, _("Open Session"), _("_Open"), _("Sessions of Regard"), "regard",
                     FALSE, "win.read-session");
}

/* ==== Captures from files: choosing one, and the ways back to the text ===========================
 *
 * The banner says whose attention it is, and leads back; so does any key that would have typed
 * something, which is then typed.
 */

/* ---- Opening ------------------------------------------------------------------------------- */

static void
choose_capture(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_choose_file(widget, _("Open Capture"), _("_Open"), _("NumPy archives"), "npz", FALSE,
                     "win.read-capture");
}

/* What the file chooser leads to; an action of its own so that it can be driven without one. */
static void
open_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  const char *path = g_variant_get_string(parameter, NULL);
  regard_log_add_file(REGARD_WINDOW(widget)->log, REGARD_LOG_CAPTURE_OPENED, path);
  regard_document_open_capture(REGARD_WINDOW(widget)->document, path);
  regard_window_note_recent(path);
}

static void
close_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  regard_document_close_capture(self->document);
  gtk_widget_grab_focus(regard_source_pane_get_view(self->source));
}

/* ---- Typing again -------------------------------------------------------------------------- */

/* A key that would have changed the text. */
static gboolean
is_typing(guint keyval, GdkModifierType state)
{
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();
  if (modifiers == GDK_CONTROL_MASK)
    return keyval == GDK_KEY_v;
  if (modifiers & ~GDK_SHIFT_MASK)
    return FALSE;
  return keyval == GDK_KEY_BackSpace || keyval == GDK_KEY_Delete || keyval == GDK_KEY_Return ||
         g_unichar_isprint(gdk_keyval_to_unicode(keyval));
}

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       RegardWindow *self)
{
  if (!regard_document_get_imported_capture(self->document) || !is_typing(keyval, state))
    return FALSE;
  GtkWidget *source = regard_source_pane_get_view(self->source);
  gboolean is_elsewhere =
      gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(controller)) != source;
  regard_document_close_capture(self->document);
  if (!is_elsewhere)
    return FALSE; /* and then it is typed */
  /* A decoder alone has its tokens where the translation was. */
  gtk_widget_grab_focus(source);
  if (gtk_event_controller_get_current_event(GTK_EVENT_CONTROLLER(controller)))
    gtk_event_controller_key_forward(GTK_EVENT_CONTROLLER_KEY(controller), source);
  return TRUE;
}

static void
add_capture_keys(RegardWindow *self)
{
  RegardTextCard *cards[] = {regard_source_pane_get_card(self->source),
                             regard_target_pane_get_card(self->target)};
  for (guint i = 0; i < G_N_ELEMENTS(cards); i++) {
    GtkEventController *keys = gtk_event_controller_key_new();
    gtk_event_controller_set_name(keys, "typing-again");
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
    gtk_widget_add_controller(GTK_WIDGET(regard_text_card_get_view(cards[i])), keys);
  }
}

/* ==== Menu and actions of what leaves, and what the window says of it ========================= */

/* ---- The menu ------------------------------------------------------------------------------ */

/* A menu that is built again costs a millisecond, and this is asked with every key. */
static gboolean
has_items(GMenuModel *menu, const RegardPicture *choices, guint n)
{
  if ((guint) g_menu_model_get_n_items(menu) != n)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    g_autofree char *id = NULL;
    if (!g_menu_model_get_item_attribute(menu, (int) i, G_MENU_ATTRIBUTE_TARGET, "s", &id) ||
        !g_str_equal(id, choices[i].id))
      return FALSE;
  }
  return TRUE;
}

static void
show_choices(RegardWindow *self)
{
  guint n = 0;
  RegardView *page = regard_window_get_page(self);
  const RegardPicture *choices = page ? regard_view_get_export_choices(page, &n) : NULL;
  if (has_items(G_MENU_MODEL(self->choices_section), choices, n))
    return;
  g_menu_remove_all(self->choices_section);
  for (guint i = 0; i < n; i++) {
    g_autofree char *label = g_strdup_printf(_("%s…"), _(choices[i].name));
    g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
    g_menu_item_set_action_and_target(item, "win.export-choice", "s", choices[i].id);
    g_menu_append_item(self->choices_section, item);
  }
}

/* ---- Asked for before it is there ---------------------------------------------------------- */

static gboolean
has_picture(RegardWindow *self)
{
  guint n = 0;
  RegardView *view = regard_window_get_view(self);
  if (view)
    regard_view_get_export_choices(view, &n);
  return n > 0;
}

void
regard_window_forget_wish(RegardWindow *self)
{
  g_clear_handle_id(&self->wish_idle, g_source_remove);
  g_clear_pointer(&self->wish, g_free);
  g_clear_pointer(&self->wish_parameter, g_variant_unref);
  self->wish_page = NULL;
}

/* A key that comes while the picture is being computed is not lost: what it asks for is done when
 * the picture is there, unless the page is left or Escape is pressed. Returns TRUE if it waits. */
gboolean
regard_window_waits(RegardWindow *self, const char *action, GVariant *parameter)
{
  regard_window_forget_wish(self);
  if (has_picture(self))
    return FALSE;
  self->wish = g_strdup(action);
  self->wish_parameter = parameter ? g_variant_ref_sink(parameter) : NULL;
  self->wish_page = regard_window_get_view(self);
  regard_toast(self->root, _("Waiting until the picture is there"));
  return TRUE;
}

static gboolean
grant(gpointer data)
{
  RegardWindow *self = data;
  g_autofree char *action = g_steal_pointer(&self->wish);
  g_autoptr(GVariant) parameter = g_steal_pointer(&self->wish_parameter);
  self->wish_idle = 0;
  self->wish_page = NULL;
  gtk_widget_activate_action_variant(GTK_WIDGET(self), action, parameter);
  return G_SOURCE_REMOVE;
}

/* When all who hear of the picture have heard of it. */
static void
update_wish(RegardWindow *self)
{
  if (self->wish && self->wish_page != regard_window_get_view(self))
    regard_window_forget_wish(self);
  if (self->wish && !self->wish_idle && has_picture(self))
    self->wish_idle = g_idle_add(grant, self);
}

static void
update_choices(RegardWindow *self)
{
  show_choices(self);
  update_wish(self);
}

/* ---- What became of it --------------------------------------------------------------------- */

static void
on_exported(RegardWindow *self, GFile *file)
{
  g_autofree char *name = g_file_get_basename(file);
  g_autofree char *display = g_filename_display_name(name);
  g_autofree char *text = g_strdup_printf(_("Saved %s"), display);
  g_autofree char *uri = g_file_get_uri(file);
  regard_toast_with_button(self->root, text, _("Show in Folder"), "win.show-in-folder", uri);
  regard_messages_file_stands(self->messages);
}

static void
on_copied(RegardWindow *self, const char *text)
{
  regard_toast(self->root, text);
}

static void
on_failed(RegardWindow *self, const char *title, const char *advice)
{
  regard_messages_file_failed(self->messages, title, advice);
}

static void
observe_choices(RegardWindow *self)
{
  regard_observe(self->exporter, self, on_exported, "saved");
  regard_observe(self->exporter, self, on_copied, "copied");
  regard_observe(self->exporter, self, on_failed, "failed");
  regard_observe(self->selection, self, update_choices, "matrix-changed");
  regard_observe(self->document, self, update_choices, "changed::foreign");
  regard_window_observe_pages(self, G_CALLBACK(update_choices));
  update_choices(self);
}

/* ---- Actions ------------------------------------------------------------------------------- */

static void
export_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *choice = parameter ? g_variant_get_string(parameter, NULL) : NULL;
  if (!regard_window_waits(self, name, parameter))
    regard_exporter_open_dialog(self->exporter, regard_window_get_view(self), choice);
}

/* A picture for a sheet, in its language, whichever the window has. */
static RegardFigure *
create_panel_figure(RegardView *view, const char *choice, const RegardSheet *sheet)
{
  REGARD_IN_LANGUAGE(sheet->is_english ? REGARD_LANGUAGE_ENGLISH : REGARD_LANGUAGE_WINDOW);
  return regard_view_create_figure(view, choice);
}

/* The picture that the eye is on, as one more panel of the figure. */
static void
add_to_figure(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  RegardComposer *composer =
      regard_composer_get(gtk_window_get_application(GTK_WINDOW(self)), self->settings);
  RegardView *view = regard_window_get_view(self);
  guint n = 0;
  if (regard_window_waits(self, name, parameter))
    return;
  regard_window_log_composer(self, composer);
  const RegardPicture *choices = view ? regard_view_get_export_choices(view, &n) : NULL;
  g_autoptr(RegardFigure) figure =
      n ? create_panel_figure(view, choices[0].id, regard_composer_get_sheet(composer)) : NULL;
  const char letter = figure ? regard_composer_add(composer, figure) : 0;
  if (!letter)
    return;
  regard_log_add_panel(self->log, figure, choices[0].id, letter);
  g_autofree char *shown = regard_sheet_name_panel(regard_composer_get_sheet(composer), letter);
  g_autofree char *text = g_strdup_printf(_("Added to the figure as %s"), shown);
  regard_toast_with_button(self->root, text, _("Show Figure"), "win.show-figure", "");
}

/* Of a path, or with none as it is. */
static void
show_figure(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *path = g_variant_get_string(parameter, NULL);
  RegardComposer *composer =
      regard_composer_get(gtk_window_get_application(GTK_WINDOW(self)), self->settings);
  regard_window_log_composer(self, composer);
  if (*path)
    regard_composer_open(composer, path);
  gtk_window_present(GTK_WINDOW(composer));
}

static void
open_figure(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_composer_choose(widget, "win.show-figure");
}

static void
export_capture(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_exporter_choose_capture(REGARD_WINDOW(widget)->exporter);
}

/* What the file chooser for a capture leads to; an action of its own so that it can be driven
 * without one. */
static void
save_capture(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_exporter_save_capture(REGARD_WINDOW(widget)->exporter,
                               g_variant_get_string(parameter, NULL));
}

static void
show_in_folder(GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr(GFile) file = g_file_new_for_uri(g_variant_get_string(parameter, NULL));
  g_autoptr(GFile) folder = g_file_get_parent(file);
  g_autofree char *uri = g_file_get_uri(folder ? folder : file);
  gtk_show_uri(GTK_WINDOW(widget), uri, GDK_CURRENT_TIME);
}

static void
copy(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  if (!regard_window_waits(self, name, parameter))
    regard_exporter_copy_picture(self->exporter, regard_window_get_view(self));
}

static void
copy_caption(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  if (!regard_window_waits(self, name, parameter))
    regard_exporter_copy_caption(self->exporter, regard_window_get_view(self));
}

static void
copy_values(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  if (!regard_window_waits(self, name, parameter))
    regard_exporter_copy_values(self->exporter, regard_window_get_view(self));
}

/* ==== The window ============================================================================== */

void
regard_window_install_file_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.save-session", NULL, save);
  gtk_widget_class_install_action(klass, "win.save-session-as", NULL, save_as);
  gtk_widget_class_install_action(klass, "win.write-session", "s", write_);
  gtk_widget_class_install_action(klass, "win.open-session", NULL, choose);
  gtk_widget_class_install_action(klass, "win.read-session", "s", read_);
  gtk_widget_class_install_action(klass, "win.step-session", "i", step_session);
  gtk_widget_class_install_action(klass, "win.open-capture", NULL, choose_capture);
  gtk_widget_class_install_action(klass, "win.read-capture", "s", open_);
  gtk_widget_class_install_action(klass, "win.close-capture", NULL, close_);
  gtk_widget_class_install_action(klass, "win.export", NULL, export_);
  gtk_widget_class_install_action(klass, "win.export-choice", "s", export_);
  gtk_widget_class_install_action(klass, "win.add-to-figure", NULL, add_to_figure);
  gtk_widget_class_install_action(klass, "win.show-figure", "s", show_figure);
  gtk_widget_class_install_action(klass, "win.open-figure", NULL, open_figure);
  gtk_widget_class_install_action(klass, "win.export-capture", NULL, export_capture);
  gtk_widget_class_install_action(klass, "win.save-capture", "s", save_capture);
  gtk_widget_class_install_action(klass, "win.show-in-folder", "s", show_in_folder);
  gtk_widget_class_install_action(klass, "win.copy", NULL, copy);
  gtk_widget_class_install_action(klass, "win.copy-caption", NULL, copy_caption);
  gtk_widget_class_install_action(klass, "win.copy-values", NULL, copy_values);
}

void
regard_window_observe_files(RegardWindow *self)
{
  observe_choices(self);
  observe_session(self);
  add_capture_keys(self);
}
