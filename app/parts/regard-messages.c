/* regard-messages.c — what is said to a person: in passing, and in the banner.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-messages.h"

#include "base/regard-error.h"
#include "base/regard-paths.h"
#include "figures/regard-change-words.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "parts/regard-language-choice.h"
#include "widgets/regard-gtk.h"
#include <glib/gi18n.h>
#include <string.h>

/* ==== Something said in passing =============================================================== */

#define SECONDS      3
#define MORE_SECONDS 8 /* of two lines */

/* What an overlay shows: the last one that can be undone, and the last one that cannot. */
static const char undo_key[] = "regard-undo", said_key[] = "regard-said";
/* When one came that can be undone. */
static const char time_key[] = "regard-time";

static void
on_gone(AdwToast *toast, GObject *overlay)
{
  if (g_object_get_data(overlay, said_key) == toast)
    g_object_set_data(overlay, said_key, NULL);
}

/* Takes the toast. One that is pushed aside comes again: what can be undone may, and nothing else,
 * which would be said long after it happened. */
static void
show(GtkWidget *widget, AdwToast *toast, gboolean is_undoable)
{
  GtkWidget *overlay = gtk_widget_get_ancestor(widget, ADW_TYPE_TOAST_OVERLAY);
  if (!overlay) {
    g_object_unref(g_object_ref_sink(toast));
    return;
  }
  AdwToast *last = g_object_get_data(G_OBJECT(overlay), said_key);
  if (last)
    adw_toast_dismiss(last);
  if (!is_undoable) {
    g_object_set_data_full(G_OBJECT(overlay), said_key, g_object_ref(toast), g_object_unref);
    g_signal_connect_object(toast, "dismissed", G_CALLBACK(on_gone), overlay, 0);
  }
  adw_toast_set_priority(toast, ADW_TOAST_PRIORITY_HIGH);
  adw_toast_overlay_add_toast(ADW_TOAST_OVERLAY(overlay), toast);
}

/* A toast takes its text for markup, and names of files and pieces of models may look like it. */
static void
set_text(AdwToast *toast, const char *text)
{
  g_autofree char *markup = g_markup_escape_text(text, -1);
  adw_toast_set_title(toast, markup);
}

static AdwToast *
new_toast(const char *text)
{
  AdwToast *toast = adw_toast_new("");
  set_text(toast, text);
  if (!strchr(text, '\n'))
    return toast;
  /* An error and its details: by itself it would be one line, and cut off. */
  GtkWidget *lines = gtk_label_new(text);
  gtk_label_set_wrap(GTK_LABEL(lines), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(lines), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign(GTK_LABEL(lines), 0);
  gtk_label_set_max_width_chars(GTK_LABEL(lines), 90);
  adw_toast_set_custom_title(toast, lines);
  return toast;
}

void
regard_toast(GtkWidget *widget, const char *text)
{
  AdwToast *toast = new_toast(text);
  adw_toast_set_timeout(toast, strchr(text, '\n') ? MORE_SECONDS : SECONDS);
  show(widget, toast, FALSE);
  regard_announce(widget, text);
}

static AdwToast *
find_last(GtkWidget *widget)
{
  GtkWidget *overlay = gtk_widget_get_ancestor(widget, ADW_TYPE_TOAST_OVERLAY);
  return overlay ? g_object_get_data(G_OBJECT(overlay), undo_key) : NULL;
}

static void
on_dismissed(AdwToast *toast, GObject *overlay)
{
  if (g_object_get_data(overlay, undo_key) == toast)
    g_object_set_data(overlay, undo_key, NULL);
}

/* Only the last one can be undone. */
static void
replace_last(GtkWidget *widget, AdwToast *toast)
{
  GtkWidget *overlay = gtk_widget_get_ancestor(widget, ADW_TYPE_TOAST_OVERLAY);
  AdwToast *last = find_last(widget);
  if (last)
    adw_toast_dismiss(last);
  if (!overlay)
    return;
  gint64 *now = g_new(gint64, 1);
  *now = g_get_monotonic_time();
  g_object_set_data_full(G_OBJECT(toast), time_key, now, g_free);
  g_object_set_data_full(G_OBJECT(overlay), undo_key, g_object_ref(toast), g_object_unref);
  g_signal_connect_object(toast, "dismissed", G_CALLBACK(on_dismissed), overlay, 0);
}

void
regard_toast_with_undo(GtkWidget *widget, const char *text, const char *action)
{
  AdwToast *toast = new_toast(text);
  replace_last(widget, toast);
  adw_toast_set_timeout(toast, SECONDS);
  adw_toast_set_button_label(toast, _("Undo"));
  adw_toast_set_action_name(toast, action);
  show(widget, toast, TRUE);
}

gboolean
regard_toast_is_undoable(GtkWidget *widget)
{
  return find_last(widget) != NULL;
}

void
regard_toast_go_on(GtkWidget *widget, const char *text, const char *action)
{
  AdwToast *last = find_last(widget);
  const gint64 *came = last ? g_object_get_data(G_OBJECT(last), time_key) : NULL;
  /* One that is about to go could not be read any more. */
  if (came && g_get_monotonic_time() - *came < SECONDS * G_USEC_PER_SEC / 2)
    set_text(last, text);
  else
    regard_toast_with_undo(widget, text, action);
}

void
regard_toast_with_button(GtkWidget *widget, const char *text, const char *button,
                         const char *action, const char *target)
{
  AdwToast *toast = new_toast(text);
  adw_toast_set_button_label(toast, button);
  adw_toast_set_action_name(toast, action);
  adw_toast_set_action_target(toast, "s", target);
  show(widget, toast, FALSE);
  regard_announce(widget, text);
}

/* ==== The banner: what goes on, what went wrong, and what to do =============================== */

struct _RegardMessages {
  GObject parent_instance;
  RegardBanner *banner; /* of the window, which keeps this */
  RegardDocument *document;
  /* Of the last answer that was complete, whose captures are not kept; text NULL: none yet. */
  struct {
    char *text, *layout;
    mt_interventions *interventions;
  } answer;
  gboolean was_learning; /* the training that comes with Regard has been there before */
};

G_DEFINE_FINAL_TYPE(RegardMessages, regard_messages, G_TYPE_OBJECT)

/* ---- Models -------------------------------------------------------------------------------- */

static void
on_loading(RegardMessages *self)
{
  const char *dir = regard_document_get_slot(self->document)->loading;
  if (!dir) {
    regard_banner_clear(self->banner, REGARD_BANNER_LOADING);
    return;
  }
  regard_banner_clear(self->banner, REGARD_BANNER_MODEL);
  /* The first one has the start page for its progress; who drags through a training is told only of
   * what takes long. */
  if (regard_training_find(regard_document_get_training(self->document), dir, NULL) ||
      !regard_document_get_model(self->document)) {
    regard_banner_clear(self->banner, REGARD_BANNER_LOADING);
    return;
  }
  g_autofree char *path = *dir ? g_strdup(dir) : regard_paths_bundled_model();
  g_autofree char *where = regard_paths_shorten(path);
  g_autofree char *title = g_strdup_printf(_("Opening %s…"), where);
  regard_banner_show(self->banner, REGARD_BANNER_LOADING, title,
                     _("The model that is open goes on working."), _("Cancel"));
  regard_banner_set_share(self->banner, REGARD_BANNER_LOADING, 0);
}

static void
on_share(RegardMessages *self)
{
  if (regard_banner_get_title(self->banner, REGARD_BANNER_LOADING))
    regard_banner_set_share(self->banner, REGARD_BANNER_LOADING,
                            regard_document_get_slot(self->document)->share);
}

static void
on_load_failed(RegardDocument *document, const char *dir, const GError *error, RegardMessages *self)
{
  const char *advice = regard_error_advice(error);
  g_autofree char *detail = regard_two_sentences(
      regard_document_get_model(document)
          ? _("The model that was open goes on working, and your text is kept.")
          : _("Your text is kept."),
      advice);
  regard_banner_show(self->banner, REGARD_BANNER_MODEL, error->message, detail, _("Open Another…"));
}

static void
on_model_failed(RegardDocument *document, const GError *error, RegardMessages *self)
{
  regard_banner_show(self->banner, REGARD_BANNER_MODEL, error->message,
                     regard_document_get_model(document)
                         ? _("The model that was open goes on working.")
                         : NULL,
                     NULL);
}

static void
on_model(RegardMessages *self)
{
  mt_model *model = regard_document_get_model(self->document);
  mt_precision wanted = regard_document_get_slot(self->document)->precision;
  const char *why;
  if (mt_model_cache(model, &why) == MT_CACHE_FAILED)
    regard_toast(GTK_WIDGET(self->banner), why);
  /* While another one is on its way this one need not be what is wanted. */
  if (regard_document_get_slot(self->document)->loading || mt_model_precision(model) == wanted)
    return;
  g_autofree char *text = g_strdup_printf(_("%s cannot be had in %s: it runs in F32"),
                                          mt_model_name(model), regard_naming_precision(wanted));
  regard_toast(GTK_WIDGET(self->banner), text);
}

/* To a person with a text that the training which comes with Regard knows nothing of. */
static void
on_training(RegardMessages *self)
{
  gboolean is_learning = regard_training_is_learning(regard_document_get_training(self->document),
                                                     regard_document_get_model_dir(self->document));
  if (is_learning && self->was_learning)
    return;
  self->was_learning = is_learning;
  if (regard_training_needs_example(regard_document_get_training(self->document),
                                    regard_document_get_model_dir(self->document),
                                    regard_document_get_text(self->document)))
    regard_banner_show(self->banner, REGARD_BANNER_LANGUAGES,
                       _("This model knows a small world of words"),
                       _("Drag the slider below the pictures to see attention form."),
                       _("Show an Example"));
  else
    regard_banner_clear(self->banner, REGARD_BANNER_LANGUAGES);
}

/* ---- Texts and files ----------------------------------------------------------------------- */

/* Where a model has to be told a language that nobody has said; else NULL. */
static const char *
advice_on_languages(const RegardResult *result)
{
  if (result->params.source_language < 0 &&
      regard_language_choice_is_needed(result->model, MT_STACK_ENCODER))
    return _("Choose the language of the text in the list beside Source.");
  if (result->params.language < 0 &&
      regard_language_choice_is_needed(result->model, MT_STACK_DECODER))
    return _("Choose a language in the list beside Translation.");
  return NULL;
}

/* What all attention of a long text takes, where only what is looked at is computed. */
static void
show_rest(RegardMessages *self, const RegardResult *result)
{
  const char *shown = regard_banner_get_title(self->banner, REGARD_BANNER_REST);
  g_autofree char *title = NULL;
  if (result && result->whole_bytes && !regard_document_get_imported_capture(self->document)) {
    g_autofree char *size = regard_format_size(result->whole_bytes);
    title = g_strdup_printf(result->lacks_memory
                                ? _("There is not enough memory for all attention of this text: "
                                    "it takes %s")
                                : _("All attention of this text takes %s of memory"),
                            size);
  }
  if (!title)
    regard_banner_clear(self->banner, REGARD_BANNER_REST);
  else if (g_strcmp0(title, shown) != 0) /* the newest message is in front: this is no news */
    regard_banner_show(self->banner, REGARD_BANNER_REST, title,
                       _("One layer is computed at a time, the one that is looked at. A list or a "
                         "picture of all heads needs the rest."),
                       _("Compute All"));
}

static void
forget_answer(RegardMessages *self)
{
  g_clear_pointer(&self->answer.text, g_free);
  g_clear_pointer(&self->answer.layout, g_free);
  g_clear_pointer(&self->answer.interventions, mt_interventions_unref);
}

/* What was changed in the model is said, and what that, another candidate or a setting makes of the
 * same text: who looks sees it. Who types hears what is typed. */
static void
say_answer(RegardMessages *self, const RegardResult *result)
{
  if (!result || !result->complete || regard_document_get_imported_capture(self->document))
    return;
  char *layout = regard_result_layout(result, NULL);
  g_autofree char *said = NULL;
  const gboolean is_of_same =
      g_strcmp0(self->answer.text, result->text) == 0 && !regard_result_error(result);
  if (is_of_same) {
    g_autofree char *changed =
        regard_change_words(self->answer.interventions, result->interventions);
    g_autofree char *now = !g_str_equal(self->answer.layout, layout)
                               ? g_strdup_printf(_("The translation is now: %s"), layout)
                           : changed ? g_strdup(_("The translation stays the same."))
                                     : NULL;
    said = changed ? regard_two_sentences(changed, now) : g_steal_pointer(&now);
  }
  forget_answer(self);
  self->answer.text = g_strdup(result->text);
  self->answer.layout = layout;
  self->answer.interventions =
      result->interventions ? mt_interventions_ref(result->interventions) : NULL;
  if (said)
    regard_announce(GTK_WIDGET(self->banner), said);
}

static void
on_result(RegardMessages *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const GError *error = result ? regard_result_error(result) : NULL;
  say_answer(self, result);
  show_rest(self, result);
  if (!error || regard_document_get_imported_capture(self->document)) {
    regard_banner_clear(self->banner, REGARD_BANNER_TEXT);
    return;
  }
  const char *advice = advice_on_languages(result);
  if (!advice)
    advice = regard_error_advice(error);
  gboolean has_old = regard_selection_get_capture(regard_document_get_selection(self->document)) &&
                     !result->capture;
  g_autofree char *detail =
      regard_two_sentences(has_old ? _("Your text is kept, and the last picture stays.")
                                   : _("Your text is kept."),
                           advice);
  regard_banner_show(self->banner, REGARD_BANNER_TEXT, error->message, detail, NULL);
}

static void
on_reading(RegardMessages *self)
{
  if (regard_document_is_reading(self->document))
    regard_banner_clear(self->banner, REGARD_BANNER_FILE);
}

static void
on_read_failed(RegardDocument *document, const GError *error, RegardMessages *self)
{
  regard_banner_show(self->banner, REGARD_BANNER_FILE, error->message,
                     _("Nothing was changed: what was shown is still there."), NULL);
}

/* Its capture, if it is shown, is the banner below. */
static void
on_session_lacks(RegardDocument *document, const char *what, const char *how, RegardMessages *self)
{
  if (*what)
    regard_banner_show(self->banner, REGARD_BANNER_SESSION, what, how, _("Open Model…"));
  else
    regard_banner_clear(self->banner, REGARD_BANNER_SESSION);
}

/* What was chosen does not fit what is typed, or the model, any longer. */
static void
on_constraints_dropped(RegardDocument *document, const char *words, RegardMessages *self)
{
  g_autofree char *text =
      *words ? g_strdup_printf(_("“%s” no longer fits: the translation is the model’s own again."),
                               words)
             : g_strdup(_("Another model has other pieces: the translation is its own again."));
  regard_toast(GTK_WIDGET(self->banner), text);
}

/* "6 layers × 8 heads" of the kind with most heads, for the heading. */
static char *
describe_size(const mt_capture *capture)
{
  gsize layers = 0, heads = 0, tokens = 0;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    if (mt_capture_n_layers(capture, k) * mt_capture_n_heads(capture, k) > layers * heads) {
      layers = mt_capture_n_layers(capture, k);
      heads = mt_capture_n_heads(capture, k);
    }
  const mt_tokens *lists[] = {mt_capture_source(capture), mt_capture_output(capture)};
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
    tokens += lists[i] ? mt_tokens_count(lists[i]) : 0;
  g_autofree char *of_layers = g_strdup_printf(ngettext("%zu layer", "%zu layers", layers), layers);
  g_autofree char *of_heads = g_strdup_printf(ngettext("%zu head", "%zu heads", heads), heads);
  /* Translators: "6 layers × 8 heads, 11 tokens" */
  return g_strdup_printf(ngettext("%s × %s, %zu token", "%s × %s, %zu tokens", tokens), of_layers,
                         of_heads, tokens);
}

/* What does not hold for every row, as it does for attention; or NULL. */
static char *
describe_rows(const mt_capture *capture)
{
  double least = 1, largest = 1;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    if (!mt_capture_n_layers(capture, k))
      continue;
    mt_weight_range range = mt_capture_weight_range(capture, k);
    least = MIN(least, range.least_sum);
    largest = MAX(largest, range.largest_sum);
  }
  if (least >= 0.998 && largest <= 1.002)
    return NULL;
  return regard_strdup_printf(_("Its rows sum to %.2f…%.2f."), least, largest);
}

static void
on_imported(RegardMessages *self)
{
  const mt_capture *file = regard_document_get_imported_capture(self->document);
  on_result(self);
  /* Who goes to other pictures or back has read what failed before. */
  regard_banner_clear(self->banner, REGARD_BANNER_MODEL);
  regard_banner_clear(self->banner, REGARD_BANNER_FILE);
  if (!file) {
    regard_banner_clear(self->banner, REGARD_BANNER_CAPTURE);
    return;
  }
  g_autofree char *origin = regard_naming_origin(file);
  g_autofree char *size = describe_size(file);
  g_autofree char *rows = describe_rows(file);
  g_autofree char *title = g_strdup_printf("%s – %s", origin, size);
  g_autofree char *detail = regard_two_sentences(
      _("From a file, not from the open model. Your text is kept: go on typing to "
        "come back to it."),
      rows);
  regard_banner_show(self->banner, REGARD_BANNER_CAPTURE, title, detail, _("Back to Typing"));
}

/* ---- Files that are written ---------------------------------------------------------------- */

void
regard_messages_file_failed(RegardMessages *self, const char *title, const char *advice)
{
  g_return_if_fail(REGARD_IS_MESSAGES(self));
  regard_banner_show(self->banner, REGARD_BANNER_FILE, title, advice, NULL);
}

void
regard_messages_file_stands(RegardMessages *self)
{
  g_return_if_fail(REGARD_IS_MESSAGES(self));
  regard_banner_clear(self->banner, REGARD_BANNER_FILE);
}

/* ---- The banner ---------------------------------------------------------------------------- */

static void
on_response(RegardMessages *self, int subject)
{
  /* What only a window can do is an action of it. */
  static const char *const actions[REGARD_N_BANNERS] = {
      [REGARD_BANNER_CAPTURE] = "win.close-capture",
      [REGARD_BANNER_SESSION] = "win.open-model",
      [REGARD_BANNER_MODEL] = "win.open-model",
      [REGARD_BANNER_FILE] = "win.export",
  };
  if (subject == REGARD_BANNER_LOADING)
    regard_document_cancel_loading(self->document);
  else if (subject == REGARD_BANNER_REST)
    regard_document_compute_whole(self->document);
  else if (subject == REGARD_BANNER_LANGUAGES) {
    regard_banner_clear(self->banner, REGARD_BANNER_LANGUAGES);
    regard_document_show_example(self->document);
  } else if (actions[subject])
    gtk_widget_activate_action(GTK_WIDGET(self->banner), actions[subject], NULL);
}

static void
regard_messages_finalize(GObject *object)
{
  g_object_unref(REGARD_MESSAGES(object)->document);
  forget_answer(REGARD_MESSAGES(object));
  G_OBJECT_CLASS(regard_messages_parent_class)->finalize(object);
}

static void
regard_messages_class_init(RegardMessagesClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_messages_finalize;
}

static void
regard_messages_init(RegardMessages *self)
{
}

RegardMessages *
regard_messages_new(RegardDocument *document, RegardBanner *banner)
{
  RegardMessages *self = g_object_new(REGARD_TYPE_MESSAGES, NULL);
  self->document = g_object_ref(document);
  self->banner = banner;
  regard_observe(document, self, on_loading, "changed::loading");
  regard_observe(document, self, on_share, "changed::share");
  regard_observe(document, self, on_model, "changed::model");
  regard_observe(document, self, on_training, "changed::training");
  regard_observe(document, self, on_result, "changed::result");
  regard_observe(document, self, on_reading, "changed::reading");
  regard_observe(document, self, on_imported, "changed::foreign");
  g_signal_connect_object(document, "load-failed", G_CALLBACK(on_load_failed), self, 0);
  g_signal_connect_object(document, "model-failed", G_CALLBACK(on_model_failed), self, 0);
  g_signal_connect_object(document, "read-failed", G_CALLBACK(on_read_failed), self, 0);
  g_signal_connect_object(document, "session-lacks", G_CALLBACK(on_session_lacks), self, 0);
  g_signal_connect_object(document, "constraints-dropped", G_CALLBACK(on_constraints_dropped), self,
                          0);
  regard_observe(banner, self, on_response, "response");
  return self;
}
