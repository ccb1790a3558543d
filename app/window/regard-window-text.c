/* regard-window-text.c — typing: from a key in the source text to a request for the worker, and
 * from words under the pointer to the pictures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * There is no debounce by the clock. A request leaves at the next turn of the main loop, so that a
 * replacement (which GtkTextBuffer reports as two changes) is one request; if the worker is still
 * busy with an older text it stops at its next layer. Fast typing therefore costs nothing, and slow
 * typing is answered at once.
 */
#include "window/regard-window-private.h"

#include "document/regard-sentences.h"
#include "window/regard-window-handlers.h"
#include <glib/gi18n.h>
#include <math.h>

/* A spinner appears only when an answer takes longer than people notice. */
#define SPINNER_AFTER_MS 400

void
regard_window_get_search(RegardWindow *self, RegardSearch *search)
{
  double penalty = g_settings_get_double(self->settings, "length-penalty");
  search->beam_size = g_settings_get_uint(self->settings, "beam-size");
  search->max_length = g_settings_get_uint(self->settings, "max-length");
  search->length_penalty = penalty < 0 ? NAN : penalty;
  g_strlcpy(search->language, regard_language_choice_get_code(self->language),
            sizeof search->language);
}

static gboolean
on_spinner_timeout(gpointer data)
{
  RegardWindow *self = data;
  self->spinner_timeout = 0;
  gtk_spinner_start(self->spinner);
  return G_SOURCE_REMOVE;
}

void
regard_window_begin_waiting(RegardWindow *self)
{
  if (!self->spinner_timeout && self->model)
    self->spinner_timeout = g_timeout_add(SPINNER_AFTER_MS, on_spinner_timeout, self);
}

void
regard_window_end_waiting(RegardWindow *self)
{
  g_clear_handle_id(&self->spinner_timeout, g_source_remove);
  gtk_spinner_stop(self->spinner);
}

/* ---- Requests ------------------------------------------------------------------------------ */

void
regard_window_update_request(RegardWindow *self, gboolean force)
{
  g_clear_handle_id(&self->request_idle, g_source_remove);
  if (regard_window_shows_file(self)) /* the text is put aside */
    return;
  g_autofree char *text = regard_text_card_dup_text(self->source);
  g_autoptr(GArray) sentences = regard_sentences_split(text);
  int alternative = self->next_alternative;
  self->next_alternative = -1;

  if (sentences->len == 0) {
    regard_translator_cancel(self->translator);
    g_clear_pointer(&self->asked_text, g_free);
    regard_window_clear_result(self);
    return;
  }
  int active = regard_sentences_at(sentences, text, regard_text_card_get_caret(self->source));
  if (!force && alternative < 0 && active == self->asked_active &&
      g_strcmp0(text, self->asked_text) == 0)
    return;
  g_free(self->asked_text);
  self->asked_text = g_steal_pointer(&text);
  self->asked_active = active;

  RegardSearch search;
  regard_window_get_search(self, &search);
  regard_translator_request(self->translator, self->asked_text, sentences, active, alternative,
                            &search);
  regard_selection_set_stale(self->selection, TRUE);
  regard_window_begin_waiting(self);
  regard_window_update_content(self);
}

static gboolean
on_request_idle(gpointer data)
{
  RegardWindow *self = data;
  self->request_idle = 0;
  regard_window_update_request(self, FALSE);
  return G_SOURCE_REMOVE;
}

void
regard_window_queue_request(RegardWindow *self)
{
  if (!self->request_idle)
    self->request_idle = g_idle_add_full(G_PRIORITY_DEFAULT, on_request_idle, self, NULL);
}

void
regard_window_choose_alternative(RegardWindow *self, guint alternative)
{
  self->next_alternative = (int) alternative;
  regard_window_queue_request(self);
}

void
regard_window_step_sentence(RegardWindow *self, int step)
{
  g_autofree char *text = regard_text_card_dup_text(self->source);
  g_autoptr(GArray) sentences = regard_sentences_split(text);
  int at = regard_sentences_at(sentences, text, regard_text_card_get_caret(self->source)) + step;
  if (at < 0 || at >= (int) sentences->len)
    return;
  regard_text_card_set_caret(self->source, g_array_index(sentences, RegardSentence, at).begin);
}

void
regard_window_set_text(RegardWindow *self, const char *text)
{
  g_return_if_fail(REGARD_IS_WINDOW(self));
  regard_window_close_file(self);
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  regard_text_card_set_text(self->source, valid);
  /* Behind the first sentence: it is shown, and one can go on typing. */
  g_autoptr(GArray) sentences = regard_sentences_split(valid);
  regard_text_card_set_caret(self->source,
                             sentences->len ? g_array_index(sentences, RegardSentence, 0).end : 0);
  regard_window_queue_request(self);
  regard_window_queue_layout(self);
}

/* ---- Answers ------------------------------------------------------------------------------- */

static void
on_result(RegardTranslator *translator, RegardResult *result, RegardWindow *self)
{
  if (result->complete)
    regard_window_end_waiting(self);
  if (!regard_window_shows_file(self))
    regard_window_show_result(self, result);
}

static void
on_model_changed(RegardTranslator *translator, mt_model *model, RegardWindow *self)
{
  regard_window_use_model(self, model);
}

static void
on_model_failed(RegardTranslator *translator, const GError *error, RegardWindow *self)
{
  g_clear_pointer(&self->ready_dir, g_free);
  regard_window_end_swap(self);
  regard_banner_show(self->banner, REGARD_BANNER_MODEL, error->message,
                     self->model ? _("The model that was open goes on working.") : NULL, NULL);
  regard_window_update_content(self);
}

void
regard_window_connect_translator(RegardWindow *self)
{
  self->translator = regard_translator_new();
  g_signal_connect_object(self->translator, "result", G_CALLBACK(on_result), self, 0);
  g_signal_connect_object(self->translator, "model-changed", G_CALLBACK(on_model_changed), self, 0);
  g_signal_connect_object(self->translator, "model-failed", G_CALLBACK(on_model_failed), self, 0);
}

/* Pictures if the open view has any to show, or is about to; else the start page. */
void
regard_window_update_content(RegardWindow *self)
{
  GtkWidget *page = adw_view_stack_get_visible_child(self->views);
  guint n_choices = 0;
  if (page)
    regard_view_get_export_choices(REGARD_VIEW(page), &n_choices);
  gboolean is_loading = self->loading || self->ready_dir;
  gboolean has_pictures = n_choices || regard_selection_get_capture(self->selection) ||
                          (self->model && regard_translator_is_busy(self->translator));
  regard_start_page_set_state(self->start, self->model  ? REGARD_START_EXAMPLES
                                           : is_loading ? REGARD_START_LOADING
                                                        : REGARD_START_NO_MODEL);
  gtk_stack_set_visible_child_name(self->content, has_pictures ? "views" : "start");
  regard_window_update_actions(self);
}

/* ---- The pointer and the caret ------------------------------------------------------------- */

/* What the pictures light is marked in the texts. */
void
regard_window_update_lit(RegardWindow *self)
{
  regard_text_card_set_lit(self->source, regard_selection_get_lit_source(self->selection));
  regard_text_card_set_lit(self->target, regard_selection_get_lit_target(self->selection));
}

void
regard_window_on_source_changed(RegardWindow *self)
{
  regard_window_queue_request(self);
  regard_window_queue_layout(self);
}

void
regard_window_on_source_caret(RegardWindow *self, guint at)
{
  regard_window_queue_request(self);
}

void
regard_window_on_source_hover(RegardWindow *self, int token)
{
  regard_selection_hover_source(self->selection, token);
}

void
regard_window_on_target_hover(RegardWindow *self, int token)
{
  regard_selection_hover_target(self->selection, token);
}

/* A click into another sentence of the translation goes to its source. */
void
regard_window_on_target_caret(RegardWindow *self, guint at)
{
  if (!self->result || !self->target_spans || regard_window_shows_file(self))
    return;
  for (guint i = 0; i < self->target_spans->len; i++) {
    const RegardSentence *span = &g_array_index(self->target_spans, RegardSentence, i);
    if (at < span->begin || at > span->end || (int) i == self->result->active)
      continue;
    g_autofree char *text = regard_text_card_dup_text(self->source);
    if (g_str_equal(text, self->result->text))
      regard_text_card_set_caret(self->source, self->result->sentences[i].begin);
    return;
  }
}

void
regard_window_on_language(RegardWindow *self)
{
  regard_window_update_request(self, TRUE);
}

void
regard_window_on_example(RegardWindow *self, const char *text)
{
  regard_window_set_text(self, text);
  gtk_widget_grab_focus(GTK_WIDGET(regard_text_card_get_view(self->source)));
}
