/* regard-window.c — the window: its parts, its title, the settings that it follows, the room that
 * the texts get, how it is shown to a room, and what is remembered about it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-settings.h"
#include "base/regard-template.h"
#include "document/regard-batch.h"
#include "document/regard-file-kinds.h"
#include "document/regard-folder-tasks.h"
#include "export/regard-sheet-file.h"
#include "measure/regard-corpus-run.h"
#include "measure/regard-quality-run.h"
#include "parts/regard-start-page.h"
#include "talk/regard-talk.h"
#include "widgets/regard-source-contribution.h"
#include "widgets/regard-theme.h"
#include "window/regard-window-private.h"

#include <glib/gi18n.h>
#include <string.h>

/* ==== Pictures if the open view has any to show, or is about to; else the start page ========== */

/* Characters of an example in the menu. */
#define LONGEST_ENTRY 56

RegardView *
regard_window_get_page(RegardWindow *self)
{
  GtkWidget *page = adw_view_stack_get_visible_child(self->views);
  return page ? REGARD_VIEW(page) : NULL;
}

RegardView *
regard_window_get_view(RegardWindow *self)
{
  const char *shown = gtk_stack_get_visible_child_name(self->content);
  return g_strcmp0(shown, "views") == 0 ? regard_window_get_page(self) : NULL;
}

void
regard_window_observe_pages(RegardWindow *self, GCallback update)
{
  for (GtkWidget *page = gtk_widget_get_first_child(GTK_WIDGET(self->views)); page;
       page = gtk_widget_get_next_sibling(page))
    regard_observe_signals(page, self, update, "choices-changed", NULL);
  regard_observe_signals(self->views, self, update, "notify::visible-child", NULL);
}

void
regard_window_update_content(RegardWindow *self)
{
  RegardDocument *document = self->document;
  RegardView *page = regard_window_get_page(self);
  guint n_choices = 0;
  if (page)
    regard_view_get_export_choices(page, &n_choices);
  gboolean has_pictures = n_choices || regard_selection_get_capture(self->selection) ||
                          regard_document_is_translating(document);
  regard_start_page_set_state(self->start,
                              regard_document_get_model(document)    ? REGARD_START_EXAMPLES
                              : regard_document_is_opening(document) ? REGARD_START_LOADING
                                                                     : REGARD_START_NO_MODEL);
  const gboolean is_welcoming = self->is_welcoming && (regard_document_get_model(document) ||
                                                       regard_document_is_opening(document));
  /* What is about pictures is not there before them. */
  const gboolean has_bars = !is_welcoming && !self->is_presenting;
  if (has_bars != gtk_widget_get_visible(self->view_bar)) {
    gtk_widget_set_visible(self->view_bar, has_bars);
    regard_window_update_interventions(self);
  }
  gtk_stack_set_visible_child_name(self->content, is_welcoming   ? "welcome"
                                                  : has_pictures ? "views"
                                                                 : "start");
}

/* A menu is no place for a paragraph. */
static char *
shorten(const char *text)
{
  g_autofree char *front = g_utf8_substring(text, 0, MIN(g_utf8_strlen(text, -1), LONGEST_ENTRY));
  return g_str_equal(front, text) ? g_strdup(text) : g_strdup_printf("%s…", front);
}

static void
fill_examples(RegardWindow *self, const char *language, const char *name)
{
  GPtrArray *examples = regard_examples_list(language, name);
  g_menu_remove_all(self->examples_menu);
  for (guint i = 0; i < examples->len; i++) {
    const RegardExampleSentence *example = examples->pdata[i];
    g_autofree char *label = shorten(example->text);
    g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
    g_menu_item_set_action_and_target(item, "win.example", "s", example->text);
    g_menu_append_item(self->examples_menu, item);
  }
  regard_welcome_set_examples(self->welcome, examples);
  regard_window_take_examples(self, examples);
}

/* While a file is shown the keyboard is in a text, where typing leads back, unless it was in the
 * pictures. */
static void
on_imported(RegardWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  if (regard_document_get_imported_capture(self->document) &&
      (!focus || !gtk_widget_is_ancestor(focus, GTK_WIDGET(self->content))))
    gtk_widget_activate_action(GTK_WIDGET(self), "win.focus-source", NULL);
}

static void
on_model(RegardWindow *self)
{
  const mt_model *model = regard_document_get_model(self->document);
  const mt_request *search = regard_document_get_search(self->document);
  if (!model)
    return;
  const char *name = mt_model_name(model), *language = *search->source_language
                                                           ? search->source_language
                                                           : mt_model_config(model)->source_lang;
  regard_start_page_set_model(self->start, language, name);
  fill_examples(self, language, name);
}

/* The examples as a batch: sentences that everybody has. */
static GPtrArray *
make_batch(mt_model *model, const mt_request *languages, bool (*should_stop)(void *user),
           void *user)
{
  g_autoptr(GPtrArray) examples =
      regard_examples_list(mt_model_config(model)->source_lang, mt_model_name(model));
  g_autofree const char **texts = g_new0(const char *, examples->len + 1);
  for (guint i = 0; i < examples->len; i++)
    texts[i] = ((const RegardExampleSentence *) examples->pdata[i])->text;
  return regard_batch_traces(model, texts, languages, should_stop, user, NULL);
}

static void
observe_content(RegardWindow *self)
{
  regard_selection_set_batch_func(self->selection, make_batch);
  regard_selection_set_quality_func(self->selection, regard_quality_run_files);
  regard_selection_set_corpus_func(self->selection, regard_corpus_run_order);
  regard_observe(self->document, self, on_model, "changed::model", "changed::language");
  regard_observe(self->document, self, regard_window_update_content, "changed::model",
                 "changed::loading", "changed::waiting", "changed::result", "changed::foreign",
                 "load-failed", "model-failed");
  regard_observe(self->document, self, on_imported, "changed::foreign");
  /* A text has pictures without a sentence. */
  regard_window_observe_pages(self, G_CALLBACK(regard_window_update_content));
  regard_window_update_content(self);
}

/* ==== The title, and the files that were opened last =============================================
 *
 * The title says which session it is, whether all of it is in its file, and how much is changed in
 * the model. Unsaved is what numbers follow from (text, model, request, changes, own translations,
 * reference): to look elsewhere is no change of a session. What is undone is saved again.
 */

/* Entries of the menu. */
#define MOST_RECENT 10
/* Among all files of a desktop those of this program are known by it. Not by a group: GTK leaves
 * groups out if the lowest byte of the first one's address is 0, as it is in some builds. */
#define PROGRAM "Regard"

/* ---- The title ---------------------------------------------------------------------------------
 */

void
regard_window_update_title(RegardWindow *self)
{
  /* Of a file its own badges say what was changed. */
  const guint n = regard_document_get_imported_capture(self->document)
                      ? 0
                      : (guint) mt_interventions_count(
                            regard_document_get_search(self->document)->interventions);
  g_autofree char *count = g_strdup_printf(ngettext("%u change", "%u changes", n), n);
  g_autofree char *name =
      self->session_path ? g_filename_display_basename(self->session_path) : NULL;
  g_autofree char *session =
      name ? g_strdup_printf("%s%s", self->is_unsaved ? "• " : "", name) : NULL;
  g_autofree char *program = n ? g_strdup_printf(_("Regard – %s"), count) : g_strdup(_("Regard"));
  g_autofree char *title =
      session ? g_strdup_printf("%s – %s", session, program) : g_strdup(program);
  gtk_window_set_title(GTK_WINDOW(self), title);
  adw_window_title_set_title(self->title, session ? session : _("Regard"));
  adw_window_title_set_subtitle(self->title, n ? count : "");
}

static gboolean
on_unsaved_idle(gpointer data)
{
  RegardWindow *self = data;
  g_autofree char *content = regard_document_dup_content(self->document);
  const gboolean is_unsaved = g_strcmp0(content, self->saved_content) != 0;
  self->unsaved_idle = 0;
  if (is_unsaved != self->is_unsaved) {
    self->is_unsaved = is_unsaved;
    regard_window_update_title(self);
  }
  return G_SOURCE_REMOVE;
}

/* A session that is on its way is not there to be told from what it was. */
static void
on_document(RegardWindow *self)
{
  if (self->session_path && self->saved_content && !self->unsaved_idle &&
      !regard_document_is_aside(self->document))
    self->unsaved_idle = g_idle_add_full(G_PRIORITY_LOW, on_unsaved_idle, self, NULL);
}

void
regard_window_note_saved(RegardWindow *self, char *content)
{
  g_free(self->saved_content);
  self->saved_content = content;
  self->is_unsaved = FALSE;
  on_document(self);
  regard_window_update_title(self);
}

/* ---- Recent files ------------------------------------------------------------------------------
 */

void
regard_window_note_recent(const char *path)
{
  g_autofree char *uri = g_filename_to_uri(path, NULL, NULL);
  const GtkRecentData data = {
      .mime_type = (char *) (regard_session_has_ending(path) ? "application/x-regard-session"
                             : regard_talk_has_ending(path)  ? "application/x-regard-talk"
                                                             : "application/octet-stream"),
      .app_name = (char *) PROGRAM,
      .app_exec = (char *) "regard %f",
  };
  if (uri)
    gtk_recent_manager_add_full(gtk_recent_manager_get_default(), uri, &data);
}

static int
compare_times(gconstpointer a, gconstpointer b)
{
  return g_date_time_compare(gtk_recent_info_get_modified(*(GtkRecentInfo *const *) b),
                             gtk_recent_info_get_modified(*(GtkRecentInfo *const *) a));
}

/* Paths of local files, the newest first. Caller frees. */
static char **
list_recent(void)
{
  g_autoptr(GPtrArray) found =
      g_ptr_array_new_with_free_func((GDestroyNotify) gtk_recent_info_unref);
  g_autoptr(GStrvBuilder) paths = g_strv_builder_new();
  GList *items = gtk_recent_manager_get_items(gtk_recent_manager_get_default());
  for (GList *item = items; item; item = item->next)
    if (gtk_recent_info_has_application(item->data, PROGRAM) &&
        gtk_recent_info_is_local(item->data))
      g_ptr_array_add(found, gtk_recent_info_ref(item->data));
  g_list_free_full(items, (GDestroyNotify) gtk_recent_info_unref);
  g_ptr_array_sort(found, compare_times);
  for (guint i = 0; i < found->len; i++) {
    g_autofree char *path =
        g_filename_from_uri(gtk_recent_info_get_uri(found->pdata[i]), NULL, NULL);
    if (path)
      g_strv_builder_add(paths, path);
  }
  return g_strv_builder_end(paths);
}

static void
on_recent(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  g_auto(GStrv) paths = regard_run_finish(run, NULL);
  g_menu_remove_all(self->recent_menu);
  for (guint i = 0; paths[i] && i < MOST_RECENT; i++) {
    g_autofree char *name = g_filename_display_basename(paths[i]);
    g_auto(GStrv) parts = g_strsplit(name, "_", -1);
    g_autofree char *label = g_strjoinv("__", parts); /* one would be a mnemonic */
    g_autoptr(GMenuItem) entry = g_menu_item_new(label, NULL);
    g_menu_item_set_action_and_target(entry, "win.open-recent", "s", paths[i]);
    g_menu_append_item(self->recent_menu, entry);
  }
}

/* Those that are there still: the disk may be far away, so a task looks. */
static void
fill_recent(RegardWindow *self)
{
  char **paths = list_recent();
  regard_work_run(self->recent_looking, &regard_existing_task, NULL, &paths, on_recent);
}

static void
open_recent(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *path = g_variant_get_string(parameter, NULL);
  if (regard_session_has_ending(path))
    gtk_widget_activate_action(widget, "win.read-session", "s", path);
  else if (regard_talk_has_ending(path))
    gtk_widget_activate_action(widget, "win.read-talk", "s", path);
  else if (regard_sheet_has_ending(path))
    gtk_widget_activate_action(widget, "win.show-figure", "s", path);
  else
    regard_document_open_path(self->document, path);
}

static void
observe_title(RegardWindow *self)
{
  regard_observe(self->document, self, on_document, "changed");
  regard_observe(gtk_recent_manager_get_default(), self, fill_recent, "changed");
  self->recent_looking = regard_work_new(self);
  fill_recent(self);
}

/* ==== Document, selection and settings follow each other =========================================
 *
 * How it is translated and what is looked at is remembered. Menus and preferences write settings,
 * the views write the selection; each change is handed to the other side, where setting what is
 * already there does nothing.
 */

/* Where the setting is among the ids, which end with NULL; 0 if it is not. */
static guint
get_index(GSettings *settings, const char *key, const char *const *ids)
{
  g_autofree char *id = g_settings_get_string(settings, key);
  for (guint i = 0; ids[i]; i++)
    if (g_str_equal(id, ids[i]))
      return i;
  return 0;
}

/* GSettings announces even what does not change, and dconf would write it. */
static void
set_string(GSettings *settings, const char *key, const char *value)
{
  g_autofree char *old = g_settings_get_string(settings, key);
  if (!g_str_equal(old, value))
    g_settings_set_string(settings, key, value);
}

static void
set_uint(GSettings *settings, const char *key, guint value)
{
  if (g_settings_get_uint(settings, key) != value)
    g_settings_set_uint(settings, key, value);
}

static void
set_double(GSettings *settings, const char *key, double value)
{
  if (g_settings_get_double(settings, key) != value)
    g_settings_set_double(settings, key, value);
}

static void
set_boolean(GSettings *settings, const char *key, gboolean value)
{
  if (g_settings_get_boolean(settings, key) != value)
    g_settings_set_boolean(settings, key, value);
}

/* ---- Settings → selection ------------------------------------------------------------------ */

static void
apply_place(RegardWindow *self)
{
  guint kind = get_index(self->settings, "kind", regard_kind_ids);
  guint layer = g_settings_get_uint(self->settings, "layer");
  guint head = g_settings_get_uint(self->settings, "head");
  if (layer == 0) /* nobody chose one: it follows from the model */
    return;
  regard_document_set_place(self->document, (RegardHeadRef){(mt_attention_kind) kind, layer - 1,
                                                            head ? head - 1 : 0});
}

static void
apply_look(RegardWindow *self)
{
  g_autofree char *scale_id = g_settings_get_string(self->settings, "scale");
  g_autofree char *colormap = g_settings_get_string(self->settings, "colormap");
  RegardScale scale = REGARD_SCALE_LINEAR;
  if (regard_scale_from_id(scale_id, &scale))
    regard_selection_set_scale(self->selection, scale);
  if (regard_colormap_find(colormap) && !regard_window_has_room_colours(self))
    regard_selection_set_colormap(self->selection, colormap);
  regard_selection_set_combine(self->selection, (RegardCombine) get_index(self->settings, "combine",
                                                                          regard_combine_ids));
  regard_selection_set_label_by(self->selection,
                                (RegardLabelBy) get_index(self->settings, "label-by",
                                                          regard_label_by_ids));
  regard_selection_set_merge_words(self->selection,
                                   g_settings_get_boolean(self->settings, "merge-words"));
  regard_selection_set_hide_special(self->selection,
                                    g_settings_get_boolean(self->settings, "hide-special"));
  regard_selection_set_form(self->selection,
                            (RegardForm) get_index(self->settings, "form", regard_form_ids));
  regard_selection_set_lines_share(self->selection,
                                   g_settings_get_double(self->settings, "lines-share"));
}

static void
apply_search(RegardWindow *self)
{
  mt_request search = {0};
  regard_request_load(self->settings, &search);
  regard_document_set_search(self->document, &search);
  mt_request_clear(&search);
}

static void
apply_copies(RegardWindow *self)
{
  regard_document_set_copy_unknown(self->document,
                                   g_settings_get_boolean(self->settings, "copy-unknown"));
}

static void
apply_memory(RegardWindow *self)
{
  regard_document_set_most_captured(self->document,
                                    (gsize) g_settings_get_uint(self->settings, "capture-memory")
                                        << 20);
}

static void
apply_precision(RegardDocument *document, GSettings *settings)
{
  g_autofree char *name = g_settings_get_string(settings, "precision");
  mt_precision precision = MT_PRECISION_STORED;
  mt_precision_find(name, &precision);
  regard_document_set_precision(document, precision);
}

static void
apply_caches(RegardDocument *document, GSettings *settings)
{
  regard_document_set_caches(document, g_settings_get_boolean(settings, "cache-weights"));
}

static void
on_setting(GSettings *settings, const char *key, RegardWindow *self)
{
  static const char *const place[] = {"kind", "layer", "head", NULL};
  static const char *const look[] = {"scale",    "colormap",    "combine",
                                     "label-by", "merge-words", "hide-special",
                                     "form",     "lines-share", NULL};
  if (g_strv_contains(place, key)) {
    /* Half of a move is no place to go to. */
    if (!self->is_placing)
      apply_place(self);
  } else if (g_strv_contains(look, key))
    apply_look(self);
  else if (regard_request_is_key(key)) {
    if (!self->is_placing)
      apply_search(self);
  } else if (g_str_equal(key, "copy-unknown"))
    apply_copies(self);
  else if (g_str_equal(key, "capture-memory"))
    apply_memory(self);
  else if (g_str_equal(key, "precision"))
    apply_precision(self->document, self->settings);
  else if (g_str_equal(key, "cache-weights"))
    apply_caches(self->document, self->settings);
}

/* ---- Document and selection → settings ----------------------------------------------------- */

static void
on_place(RegardWindow *self)
{
  const RegardHeadRef *place = regard_document_get_place(self->document);
  if (!regard_document_is_place_chosen(self->document))
    return;
  self->is_placing = TRUE;
  set_string(self->settings, "kind", regard_kind_id(place->kind));
  set_uint(self->settings, "layer", place->layer + 1);
  set_uint(self->settings, "head", place->head + 1);
  self->is_placing = FALSE;
}

/* What was undone is what is kept. */
static void
on_search(RegardWindow *self)
{
  const mt_request *search = regard_document_get_search(self->document);
  self->is_placing = TRUE;
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    double value = 0, kept = 0;
    if (!mt_search_field_at(i)->label)
      continue;
    gboolean is_asked = mt_request_get(search, i, &value);
    gboolean is_kept = regard_request_get_kept(self->settings, i, &kept);
    if (is_asked != is_kept || (is_asked && value != kept))
      regard_request_keep(self->settings, i, is_asked ? &value : NULL);
  }
  self->is_placing = FALSE;
}

static void
on_copies(RegardWindow *self)
{
  set_boolean(self->settings, "copy-unknown", regard_document_get_copy_unknown(self->document));
}

static void
on_selection(RegardSelection *selection, GParamSpec *pspec, RegardWindow *self)
{
  const char *name = pspec->name;
  if (g_str_equal(name, "combine"))
    set_string(self->settings, "combine",
               regard_combine_ids[regard_selection_get_combine(selection)]);
  else if (g_str_equal(name, "label-by"))
    set_string(self->settings, "label-by",
               regard_label_by_ids[regard_selection_get_label_by(selection)]);
  else if (g_str_equal(name, "merge-words"))
    set_boolean(self->settings, "merge-words", regard_selection_get_merge_words(selection));
  else if (g_str_equal(name, "hide-special"))
    set_boolean(self->settings, "hide-special", regard_selection_get_hide_special(selection));
  else if (g_str_equal(name, "form"))
    set_string(self->settings, "form", regard_form_ids[regard_selection_get_form(selection)]);
  else if (g_str_equal(name, "lines-share"))
    set_double(self->settings, "lines-share", regard_selection_get_lines_share(selection));
  else if (g_str_equal(name, "scale"))
    set_string(self->settings, "scale",
               regard_scale_info(regard_selection_get_scale(selection))->id);
  else if (g_str_equal(name, "colormap") && !regard_window_has_room_colours(self))
    set_string(self->settings, "colormap", regard_selection_get_colormap(selection)->id);
}

static void
observe_look(RegardWindow *self)
{
  apply_look(self);
  apply_place(self);
  apply_search(self);
  apply_copies(self);
  apply_memory(self);
  apply_caches(self->document, self->settings);
  apply_precision(self->document, self->settings);
  g_signal_connect_object(self->settings, "changed", G_CALLBACK(on_setting), self, 0);
  regard_observe(self->document, self, on_place, "changed::place");
  regard_observe(self->document, self, on_search, "changed::search");
  regard_observe(self->document, self, on_copies, "changed::copy-unknown");
  g_signal_connect_object(self->selection, "notify", G_CALLBACK(on_selection), self, 0);
}

/* ==== How much room the texts get ================================================================
 *
 * Left alone, the texts take the height they need, up to a third of the window; the pictures get
 * the rest. Once the person moves a divider it stays where it was put, until "Reset Layout".
 */

/* The texts' share of the room that texts and pictures have together. */
#define MOST_OF_THE_ROOM 0.34
/* In a low window the pieces get two lines instead of three; the rest is scrolled to. */
#define LOW_ROOM 640
/* Of the window in pixels. */
#define NARROW_FOR_TALK 1150
/* Of a title in pixels, which may have the long name of a session. */
#define LEAST_TITLE 140
/* Of what the model is made of, which can be cut; and what lies between the parts of the header. */
#define LEAST_DETAILS 60
#define HEADER_GAPS   30
/* From here on letters are large: the pages' names side by side are wider than a small screen. */
#define LARGE_TEXT 1.3

static int
measure_width(GtkWidget *widget)
{
  int natural;
  gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  return natural;
}

/* The title is there if it does not cut off what stands beside it: the model's name, Simple and
 * Full, the buttons, and the beginning of what the model is made of. The header bar itself has as
 * much room at one side of a title in the middle as at the other. */
static void
lay_out_header(RegardWindow *self)
{
  GtkWidget *detail = GTK_WIDGET(self->model_detail);
  const int details = gtk_widget_get_visible(detail) ? measure_width(detail) : 0;
  const int start =
      measure_width(gtk_widget_get_parent(detail)) - details + MIN(details, LEAST_DETAILS);
  const int end = measure_width(gtk_widget_get_parent(GTK_WIDGET(self->menu_button)));
  if (gtk_widget_get_visible(GTK_WIDGET(self->title)))
    self->title_width = measure_width(GTK_WIDGET(self->title));
  gtk_widget_set_visible(GTK_WIDGET(self->title), gtk_widget_get_width(GTK_WIDGET(self)) >=
                                                      2 * MAX(start, end) + HEADER_GAPS +
                                                          MIN(self->title_width, LEAST_TITLE));
}

/* Beside a talk's list a narrow window has no room for the details, until they are asked for. */
static void
yield_to_talk(RegardWindow *self)
{
  const gboolean is_tight = gtk_widget_get_visible(GTK_WIDGET(self->talk_panel)) &&
                            gtk_widget_get_width(GTK_WIDGET(self)) < NARROW_FOR_TALK;
  if (is_tight == self->is_tight)
    return;
  self->is_tight = self->yields_to_talk = is_tight;
  regard_window_show_parts(self);
}

static void
lay_out(RegardWindow *self)
{
  int room = gtk_widget_get_height(GTK_WIDGET(self->text_paned));
  int width = gtk_widget_get_width(GTK_WIDGET(self->split));
  if (room <= 0 || width <= 0)
    return;
  lay_out_header(self);
  yield_to_talk(self);
  self->is_laying_out = TRUE;
  self->laid_out_width = width;
  self->laid_out_room = room;
  const int split = (int) (width * g_settings_get_double(self->settings, "text-split"));
  if (gtk_paned_get_position(self->split) != split) {
    gtk_paned_set_position(self->split, split);
    /* Its height was measured with cards of other widths, and GTK remembers that. */
    gtk_widget_queue_resize(GTK_WIDGET(self->split));
  }
  guint lines = room < LOW_ROOM ? 2 : 3;
  regard_token_strip_set_max_lines(regard_source_pane_get_strip(self->source), lines);
  regard_token_strip_set_max_lines(regard_target_pane_get_strip(self->target), lines);
  /* Measured as the divider sees it: with the margins around the cards. */
  int minimum, natural;
  gtk_widget_measure(GTK_WIDGET(self->split), GTK_ORIENTATION_VERTICAL,
                     gtk_widget_get_width(GTK_WIDGET(self->text_paned)), &minimum, &natural, NULL,
                     NULL);
  int height = g_settings_get_int(self->settings, "text-height");
  if (height == 0)
    height = MIN(natural, (int) (room * MOST_OF_THE_ROOM));
  gtk_paned_set_position(self->text_paned, CLAMP(height, minimum, MAX(minimum, room - 120)));
  self->is_laying_out = FALSE;
}

static gboolean
on_layout_idle(gpointer data)
{
  RegardWindow *self = data;
  self->layout_idle = 0;
  lay_out(self);
  return G_SOURCE_REMOVE;
}

static void
queue_layout(RegardWindow *self)
{
  /* After GTK has measured the new text, before the frame is painted. */
  if (!self->layout_idle)
    self->layout_idle = g_idle_add_full(GTK_PRIORITY_RESIZE + 1, on_layout_idle, self, NULL);
}

/* GtkTextView measures its lines when it is idle; the scroll bar is told how high they are. */
static void
follow_lines(RegardWindow *self, RegardTextCard *card)
{
  GtkScrollable *view = GTK_SCROLLABLE(regard_text_card_get_view(card));
  regard_observe(gtk_scrollable_get_vadjustment(view), self, queue_layout, "notify::upper");
}

/* A divider that moves while neither window nor program changed anything was moved by hand. */
static gboolean
is_moved_by_hand(RegardWindow *self)
{
  return !self->is_laying_out &&
         self->laid_out_width == gtk_widget_get_width(GTK_WIDGET(self->split)) &&
         self->laid_out_room == gtk_widget_get_height(GTK_WIDGET(self->text_paned));
}

static void
on_height_moved(RegardWindow *self)
{
  if (is_moved_by_hand(self))
    g_settings_set_int(self->settings, "text-height", gtk_paned_get_position(self->text_paned));
}

static void
on_split_moved(RegardWindow *self)
{
  if (!is_moved_by_hand(self))
    return;
  double share = gtk_paned_get_position(self->split) / (double) self->laid_out_width;
  g_settings_set_double(self->settings, "text-split", CLAMP(share, 0.1, 0.9));
}

void
regard_window_reset_layout(RegardWindow *self)
{
  static const char *const keys[] = {"text-height",  "text-split",  "show-heads",
                                     "show-details", "show-tokens", "show-received"};
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    g_settings_reset(self->settings, keys[i]);
  queue_layout(self);
}

/* Names of pages stand beside their icons, or with large letters, and in a narrow window, below
 * them, where they take less room. Nor is there room in the header then for a button that the menu
 * beside it has as an entry. */
static void
choose_switcher(RegardWindow *self)
{
  gboolean is_large = regard_theme_large_text(GTK_WIDGET(self)) > LARGE_TEXT;
  adw_view_switcher_set_policy(self->wide_switcher, is_large ? ADW_VIEW_SWITCHER_POLICY_NARROW
                                                             : ADW_VIEW_SWITCHER_POLICY_WIDE);
  gtk_widget_set_visible(self->copy_button,
                         !is_large && !regard_selection_get_simple(self->selection));
}

static void
observe_layout(RegardWindow *self)
{
  g_signal_connect(self, "map", G_CALLBACK(choose_switcher), NULL);
  g_signal_connect_object(gtk_widget_get_settings(GTK_WIDGET(self)), "notify::gtk-xft-dpi",
                          G_CALLBACK(choose_switcher), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  choose_switcher(self);
  regard_observe(self->document, self, queue_layout, "changed::text", "changed::result",
                 "changed::foreign");
  g_signal_connect(self, "notify::title", G_CALLBACK(queue_layout), NULL);
  regard_observe(self->settings, self, queue_layout, "changed::show-tokens", "changed::simple");
  g_signal_connect_swapped(self->text_paned, "notify::position", G_CALLBACK(on_height_moved), self);
  g_signal_connect_swapped(self->split, "notify::position", G_CALLBACK(on_split_moved), self);
  follow_lines(self, regard_source_pane_get_card(self->source));
  follow_lines(self, regard_target_pane_get_card(self->target));
  /* GtkPaned announces its size as the farthest its divider can go. */
  g_signal_connect_swapped(self->text_paned, "notify::max-position", G_CALLBACK(queue_layout),
                           self);
  g_signal_connect_swapped(self->split, "notify::max-position", G_CALLBACK(queue_layout), self);
}

/* ==== The whole screen, and a way to show the window to a room ===================================
 *
 * Presenting: large type, panes, bars and chips away, black on white, and a pointer that is seen
 * from the back row. Nothing of it is remembered: the settings are what they were.
 */

/* Diameter of the pointer, px. */
#define POINTER 44

/* Of the colour maps the one with most contrast on a white wall. */
#define COLORS "grey"

/* An orange disc that lets what is below it through, with its rim in both black and white. */
static GdkCursor *
create_pointer(void)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, POINTER, POINTER);
  cairo_t *cr = cairo_create(surface);
  double middle = POINTER / 2.0;
  cairo_arc(cr, middle, middle, middle - 4, 0, 2 * G_PI);
  cairo_set_source_rgba(cr, 0.96, 0.47, 0, 0.35);
  cairo_fill_preserve(cr);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_set_line_width(cr, 6);
  cairo_stroke_preserve(cr);
  cairo_set_source_rgb(cr, 0.8, 0.3, 0);
  cairo_set_line_width(cr, 3);
  cairo_stroke(cr);
  cairo_arc(cr, middle, middle, 2.5, 0, 2 * G_PI);
  cairo_fill(cr);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  gsize stride = (gsize) cairo_image_surface_get_stride(surface);
  g_autoptr(GBytes) bytes = g_bytes_new(cairo_image_surface_get_data(surface), stride * POINTER);
  g_autoptr(GdkTexture) texture =
      gdk_memory_texture_new(POINTER, POINTER, GDK_MEMORY_DEFAULT, bytes, stride);
  cairo_surface_destroy(surface);
  return gdk_cursor_new_from_texture(texture, POINTER / 2, POINTER / 2, NULL);
}

/* ---- Parts that can be hidden ------------------------------------------------------------------
 */

/* Each is a setting, and an action of the same name. To a room, and in a simple window, they are
 * shown by the same keys, and the settings stay as they are. */
enum { HEADS, DETAILS, TOKENS, TRUST, RECEIVED, N_PARTS };
static const char *const part_keys[N_PARTS] = {
    [HEADS] = "show-heads", [DETAILS] = "show-details",   [TOKENS] = "show-tokens",
    [TRUST] = "show-trust", [RECEIVED] = "show-received",
};

static gboolean
is_shown(RegardWindow *self, guint part)
{
  if (self->is_presenting)
    return (self->presented >> part & 1) != 0;
  return (regard_selection_get_simple(self->selection)
              ? (self->in_simple >> part & 1) != 0
              : g_settings_get_boolean(self->settings, part_keys[part])) &&
         !(part == DETAILS && (self->yields_details || self->yields_to_talk));
}

/* A view that has such a pane lets it be hidden. */
static void
show_panes(RegardWindow *self, const char *property, gboolean visible)
{
  for (GtkWidget *view = gtk_widget_get_first_child(GTK_WIDGET(self->views)); view;
       view = gtk_widget_get_next_sibling(view))
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(view), property))
      g_object_set(view, property, visible, NULL);
}

void
regard_window_show_parts(RegardWindow *self)
{
  show_panes(self, "show-heads", is_shown(self, HEADS));
  show_panes(self, "show-panel", is_shown(self, DETAILS));
  show_panes(self, "show-controls", !self->yields_controls);
  gtk_widget_set_visible(GTK_WIDGET(regard_source_pane_get_strip(self->source)),
                         is_shown(self, TOKENS));
  gtk_widget_set_visible(GTK_WIDGET(regard_target_pane_get_strip(self->target)),
                         is_shown(self, TOKENS));
  g_object_set(regard_source_contribution_of(self->selection), "on", is_shown(self, TRUST), NULL);
  regard_selection_set_received(self->selection, is_shown(self, RECEIVED));
  for (guint i = 0; i < N_PARTS; i++) {
    GAction *action = g_action_map_lookup_action(G_ACTION_MAP(self), part_keys[i]);
    g_simple_action_set_state(G_SIMPLE_ACTION(action), g_variant_new_boolean(is_shown(self, i)));
  }
  gtk_widget_set_visible(self->header, !self->is_presenting);
  regard_window_update_content(self);
  regard_window_update_interventions(self);
}

static void
on_part(GSimpleAction *action, GVariant *parameter, RegardWindow *self)
{
  const char *key = g_action_get_name(G_ACTION(action));
  guint part = 0;
  while (!g_str_equal(part_keys[part], key))
    part++;
  const gboolean shown = !is_shown(self, part);
  guint *own = self->is_presenting                            ? &self->presented
               : regard_selection_get_simple(self->selection) ? &self->in_simple
                                                              : NULL;
  if (!self->is_presenting && part == DETAILS)
    self->yields_details = self->yields_to_talk = FALSE;
  if (!own) {
    g_settings_set_boolean(self->settings, key, shown);
    regard_window_show_parts(self);
    return;
  }
  *own ^= 1U << part;
  if (part == TRUST && shown) /* it stands under the pieces */
    *own |= 1U << TOKENS;
  regard_window_show_parts(self);
}

static void
observe_panes(RegardWindow *self)
{
  for (guint i = 0; i < N_PARTS; i++) {
    g_autoptr(GSimpleAction) action =
        g_simple_action_new_stateful(part_keys[i], NULL, g_variant_new_boolean(is_shown(self, i)));
    g_autofree char *changed = g_strconcat("changed::", part_keys[i], NULL);
    g_signal_connect_object(action, "activate", G_CALLBACK(on_part), self, 0);
    g_action_map_add_action(G_ACTION_MAP(self), G_ACTION(action));
    g_signal_connect_object(self->settings, changed, G_CALLBACK(regard_window_show_parts), self,
                            G_CONNECT_SWAPPED);
  }
  regard_window_show_parts(self);
}

/* ---- Presenting --------------------------------------------------------------------------------
 */

static void
on_menu_closed(RegardWindow *self)
{
  GtkPopover *menu = gtk_menu_button_get_popover(self->menu_button);
  g_signal_handlers_disconnect_by_func(menu, on_menu_closed, self);
  gtk_widget_set_visible(self->header, !self->is_presenting);
}

void
regard_window_show_menu(RegardWindow *self)
{
  GtkPopover *menu = gtk_menu_button_get_popover(self->menu_button);
  gtk_widget_set_visible(self->header, TRUE);
  g_signal_connect_swapped(menu, "closed", G_CALLBACK(on_menu_closed), self);
  gtk_menu_button_popup(self->menu_button);
}

gboolean
regard_window_has_room_colours(RegardWindow *self)
{
  return self->is_presenting && !regard_window_gives_talk(self);
}

void
regard_window_present_parts(RegardWindow *self, guint parts)
{
  self->presented = parts;
  regard_window_show_parts(self);
}

void
regard_window_set_presenting(RegardWindow *self, gboolean presenting)
{
  if (self->is_presenting == presenting)
    return;
  self->is_presenting = presenting;
  self->presented = 0;
  regard_window_show_parts(self);
  regard_window_show_talk_panel(self);
  if (presenting) {
    g_autoptr(GdkCursor) pointer = create_pointer();
    gtk_widget_set_cursor(GTK_WIDGET(self), pointer);
    gtk_widget_add_css_class(GTK_WIDGET(self), "presenting");
    if (regard_window_has_room_colours(self))
      regard_selection_set_colormap(self->selection, COLORS);
    gtk_window_fullscreen(GTK_WINDOW(self));
    regard_window_focus_picture(self);
  } else {
    g_autofree char *colormap = g_settings_get_string(self->settings, "colormap");
    gtk_widget_set_cursor(GTK_WIDGET(self), NULL);
    gtk_widget_remove_css_class(GTK_WIDGET(self), "presenting");
    if (regard_colormap_find(colormap))
      regard_selection_set_colormap(self->selection, colormap);
    gtk_window_unfullscreen(GTK_WINDOW(self));
  }
}

static void
present(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const gboolean has_talk =
      gtk_widget_get_visible(GTK_WIDGET(self->talk_panel)) || regard_window_get_lesson(self);
  if (self->is_presenting || !has_talk || !regard_window_give_talk(self, FALSE))
    regard_window_set_presenting(self, !self->is_presenting);
}

static void
fullscreen(GtkWidget *widget, const char *name, GVariant *parameter)
{
  if (gtk_window_is_fullscreen(GTK_WINDOW(widget)))
    gtk_window_unfullscreen(GTK_WINDOW(widget));
  else
    gtk_window_fullscreen(GTK_WINDOW(widget));
}

/* ==== The window: the object, and what is remembered about it ================================= */

/* Settings are no place for a book. */
#define MOST_REMEMBERED_BYTES 4000

G_DEFINE_FINAL_TYPE_WITH_CODE(RegardWindow, regard_window, ADW_TYPE_APPLICATION_WINDOW,
                              G_IMPLEMENT_INTERFACE(REGARD_TYPE_STAGE, regard_window_stage_init))

RegardDocument *
regard_window_get_document(RegardWindow *self)
{
  return self->document;
}

/* ---- Parts --------------------------------------------------------------------------------- */

/* Each button says what its page shows. The switcher makes its buttons in the order of the pages.
 */
static void
explain_pages(GtkWidget *widget, guint *n)
{
  guint n_views;
  const RegardViewInfo *infos = regard_view_registry(&n_views);
  if (GTK_IS_TOGGLE_BUTTON(widget)) {
    if (*n < n_views)
      gtk_widget_set_tooltip_text(widget, _(infos[*n].about));
    (*n)++;
    return;
  }
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    explain_pages(child, n);
}

static void
add_views(RegardWindow *self)
{
  guint n;
  const RegardViewInfo *infos = regard_view_registry(&n);
  for (guint i = 0; i < n; i++) {
    GtkWidget *view = g_object_new(infos[i].get_type(), NULL);
    gtk_widget_set_name(view, infos[i].id); /* by which help knows it */
    regard_view_set_selection(REGARD_VIEW(view), self->selection);
    adw_view_stack_add_titled_with_icon(self->views, view, infos[i].id, _(infos[i].title),
                                        infos[i].icon_name);
  }
  for (GtkWidget *switcher = gtk_widget_get_first_child(self->switcher); switcher;
       switcher = gtk_widget_get_next_sibling(switcher)) {
    guint button = 0;
    explain_pages(switcher, &button);
  }
  g_settings_bind(self->settings, "view", self->views, "visible-child-name",
                  G_SETTINGS_BIND_DEFAULT);
}

/* What observes the document by itself. */
static void
add_parts(RegardWindow *self)
{
  regard_source_pane_set_document(self->source, self->document, self->settings);
  regard_target_pane_set_document(self->target, self->document, self->settings);
  regard_training_bar_set_document(self->training_bar, self->document);
  regard_compare_bar_set_document(self->compare_bar, self->document);
  regard_interventions_bar_set_document(self->changes_bar, self->document, self->settings);
  self->messages = regard_messages_new(self->document, self->banner);
  self->exporter = regard_exporter_new(GTK_WINDOW(self), self->document, self->settings);
}

/* ---- What is remembered -------------------------------------------------------------------- */

void
regard_window_offer_text(RegardWindow *self)
{
  GtkWidget *view = regard_source_pane_get_view(self->source);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view));
  GtkTextIter start, end;
  gtk_widget_grab_focus(view);
  /* The caret is at the end: who takes the selection away goes on there. */
  gtk_text_buffer_get_bounds(buffer, &start, &end);
  gtk_text_buffer_select_range(buffer, &end, &start);
}

static void
restore(RegardWindow *self)
{
  gtk_window_set_default_size(GTK_WINDOW(self), g_settings_get_int(self->settings, "window-width"),
                              g_settings_get_int(self->settings, "window-height"));
  if (g_settings_get_boolean(self->settings, "window-maximized"))
    gtk_window_maximize(GTK_WINDOW(self));
  g_autofree char *text = g_settings_get_string(self->settings, "text");
  regard_document_set_text(self->document, text);
  regard_document_forget_history(self->document);
  regard_window_offer_text(self);
}

static void
remember(RegardWindow *self)
{
  int width, height;
  gtk_window_get_default_size(GTK_WINDOW(self), &width, &height);
  if (width >= 640 && height >= 480) {
    g_settings_set_int(self->settings, "window-width", width);
    g_settings_set_int(self->settings, "window-height", height);
  }
  g_settings_set_boolean(self->settings, "window-maximized",
                         gtk_window_is_maximized(GTK_WINDOW(self)));
  const char *text = regard_document_get_own_text(self->document);
  if (!g_settings_get_boolean(self->settings, "remember-text"))
    g_settings_reset(self->settings, "text");
  else if (strlen(text) <= MOST_REMEMBERED_BYTES)
    g_settings_set_string(self->settings, "text", text);
}

static gboolean
is_last(RegardWindow *self)
{
  GtkApplication *application = gtk_window_get_application(GTK_WINDOW(self));
  GList *windows = application ? gtk_application_get_windows(application) : NULL;
  for (; windows; windows = windows->next)
    if (windows->data != self && REGARD_IS_WINDOW(windows->data))
      return FALSE;
  return TRUE;
}

static gboolean
regard_window_close_request(GtkWindow *window)
{
  RegardWindow *self = REGARD_WINDOW(window);
  regard_window_end_talk(self);
  regard_window_keep_talk(self);
  regard_window_leave_lesson(self); /* what is remembered is the person's */
  remember(self);
  if (is_last(self))
    regard_settings_keep(self->settings);
  regard_document_cancel_loading(self->document);
  return GTK_WINDOW_CLASS(regard_window_parent_class)->close_request(window);
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_window_dispose(GObject *object)
{
  RegardWindow *self = REGARD_WINDOW(object);
  regard_window_forget_talk(self);
  regard_window_forget_learn(self);
  regard_window_remove_setting_actions(self);
  g_clear_handle_id(&self->layout_idle, g_source_remove);
  regard_window_forget_session(self);
  regard_window_forget_letter(self);
  regard_window_forget_wish(self);
  regard_window_forget_stage(self);
  regard_window_forget_examples(self);
  g_clear_object(&self->corpus_opening);
  g_clear_object(&self->session_stepping);
  g_clear_object(&self->recent_looking);
  regard_document_close(self->document);
  g_clear_object(&self->messages);
  g_clear_object(&self->exporter);
  g_clear_object(&self->log);
  g_clear_weak_pointer(&self->composer);
  G_OBJECT_CLASS(regard_window_parent_class)->dispose(object);
}

static void
regard_window_finalize(GObject *object)
{
  RegardWindow *self = REGARD_WINDOW(object);
  g_clear_object(&self->document);
  g_clear_object(&self->settings);
  G_OBJECT_CLASS(regard_window_parent_class)->finalize(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardWindow, name)

static void
regard_window_class_init(RegardWindowClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(root),
                                                 CHILD(model_button),
                                                 CHILD(model_label),
                                                 CHILD(model_detail),
                                                 CHILD(choices_section),
                                                 CHILD(views_menu),
                                                 CHILD(scale_menu),
                                                 CHILD(colormap_menu),
                                                 CHILD(examples_menu),
                                                 CHILD(recent_menu),
                                                 CHILD(header),
                                                 CHILD(menu_button),
                                                 CHILD(view_bar),
                                                 CHILD(changes_row),
                                                 CHILD(banner),
                                                 CHILD(title),
                                                 CHILD(learn_paned),
                                                 CHILD(learn_panel),
                                                 CHILD(talk_panel),
                                                 CHILD(talk_bar),
                                                 CHILD(text_paned),
                                                 CHILD(split),
                                                 CHILD(source),
                                                 CHILD(target),
                                                 CHILD(content),
                                                 CHILD(views),
                                                 CHILD(switcher),
                                                 CHILD(wide_switcher),
                                                 CHILD(start),
                                                 CHILD(welcome),
                                                 CHILD(question),
                                                 CHILD(simple_bar),
                                                 CHILD(copy_button),
                                                 CHILD(panes_button),
                                                 CHILD(model_name),
                                                 CHILD(simple_button),
                                                 CHILD(full_button),
                                                 CHILD(more_button),
                                                 CHILD(more_menu),
                                                 CHILD(training_bar),
                                                 CHILD(compare_bar),
                                                 CHILD(changes_bar),
                                                 {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_window_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_window_finalize;
  GTK_WINDOW_CLASS(klass)->close_request = regard_window_close_request;

  g_type_ensure(REGARD_TYPE_BANNER);
  g_type_ensure(REGARD_TYPE_SOURCE_PANE);
  g_type_ensure(REGARD_TYPE_TARGET_PANE);
  g_type_ensure(REGARD_TYPE_START_PAGE);
  g_type_ensure(REGARD_TYPE_WELCOME);
  g_type_ensure(REGARD_TYPE_QUESTION_BAR);
  g_type_ensure(REGARD_TYPE_SIMPLE_BAR);
  g_type_ensure(REGARD_TYPE_TRAINING_BAR);
  g_type_ensure(REGARD_TYPE_COMPARE_BAR);
  g_type_ensure(REGARD_TYPE_INTERVENTIONS_BAR);
  g_type_ensure(REGARD_TYPE_LEARN_PANEL);
  g_type_ensure(REGARD_TYPE_TALK_PANEL);
  g_type_ensure(REGARD_TYPE_TALK_BAR);
  regard_set_template(klass, "regard-window.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, regard_window_on_example);
  gtk_widget_class_bind_template_callback(widget_class, regard_window_on_explore);
  gtk_widget_class_install_action(widget_class, "win.open-recent", "s", open_recent);
  gtk_widget_class_install_action(widget_class, "win.present", NULL, present);
  gtk_widget_class_install_action(widget_class, "win.fullscreen", NULL, fullscreen);
  regard_window_install_actions(widget_class);
  regard_window_install_model_actions(widget_class);
  regard_window_install_file_actions(widget_class);
  regard_window_install_log_actions(widget_class);
  regard_window_install_stage_actions(widget_class);
  regard_window_install_learn_actions(widget_class);
  regard_window_install_talk_actions(widget_class);
  regard_window_install_start_actions(widget_class);
}

static void
regard_window_init(RegardWindow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}

RegardDocument *
regard_window_new_document(GSettings *settings)
{
  RegardDocument *document = regard_document_new();
  g_autofree char *dir = g_settings_get_string(settings, "model");
  apply_caches(document, settings);
  apply_precision(document, settings);
  regard_document_open_model(document, dir);
  return document;
}

RegardWindow *
regard_window_new(GtkApplication *application, GSettings *settings, RegardDocument *document)
{
  RegardWindow *self = g_object_new(REGARD_TYPE_WINDOW, "application", application, NULL);
  self->settings = g_object_ref(settings);
  self->document = document ? document : regard_document_new();
  self->selection = regard_document_get_selection(self->document);
  add_views(self);
  add_parts(self);
  /* In the order in which they are told: what is shown before what can be done with it. */
  observe_look(self);
  regard_window_observe_model(self);
  observe_content(self);
  regard_window_observe_files(self);
  regard_window_observe_log(self);
  regard_window_observe_actions(self);
  observe_title(self);
  observe_panes(self);
  observe_layout(self);
  regard_window_observe_stage(self);
  regard_window_observe_learn(self);
  regard_window_observe_talk(self);
  regard_window_observe_simple(self);
  regard_window_observe_start(self);
  regard_window_add_keys(self);
  restore(self);
  return self;
}
