/* regard-window-result.c — an answer of the worker, shown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The picture that was there stays, dimmed, until another one replaces it; a sentence that cannot
 * be translated keeps the last picture and says why.
 */
#include "window/regard-window-private.h"

#include "base/regard-error.h"
#include "document/regard-sentences.h"
#include "figures/regard-naming.h"
#include <glib/gi18n.h>

static char *
describe_source(const RegardResult *result)
{
  const RegardResultSentence *active = regard_result_active(result);
  GString *status = g_string_new(NULL);
  if (active && active->translation) {
    guint n = (guint) mt_tokens_count(mt_translation_source(active->translation));
    g_string_printf(status, ngettext("%u piece", "%u pieces", n), n);
    g_string_append(status, " · ");
  }
  if (result->active >= 0)
    g_string_append_printf(status, _("sentence %d of %u"), result->active + 1, result->n_sentences);
  return g_string_free(status, FALSE);
}

/* How likely it is, how long it took, and with what weights: from all of it to what matters most.
 * Weights as the checkpoint has them may go unsaid; rounded ones never. */
static void
describe_target(const RegardResult *result, char *wordings[REGARD_MOST_WORDINGS])
{
  const RegardResultSentence *active = regard_result_active(result);
  const mt_hypothesis *shown =
      active ? regard_result_hypothesis(result, (guint) result->active) : NULL;
  if (!shown)
    return;
  double p = shown->sum_logprob, ms = mt_translation_milliseconds(active->translation);
  mt_precision precision = mt_translation_precision(active->translation);
  const char *name = regard_naming_precision(precision);
  /* Nothing was searched for: how long that took would say nothing. */
  g_autofree char *time =
      active->is_given ? g_strdup(_("kept")) : g_strdup_printf(_("%.0f ms"), ms < 1 ? 1.0 : ms);
  wordings[0] =
      g_strdup_printf(_("log p %s%.1f · %s · %s"), p < 0 ? "−" : "", p < 0 ? -p : p, time, name);
  wordings[1] = g_strdup_printf("%s · %s", time, name);
  if (precision == MT_PRECISION_STORED)
    wordings[2] = g_steal_pointer(&time);
}

/* How the translation went; while a piece is pointed at, what that piece is. */
void
regard_window_update_status(RegardWindow *self)
{
  for (mt_stack i = 0; i < MT_N_STACKS; i++) {
    char *wordings[REGARD_MOST_WORDINGS + 1] = {NULL};
    gboolean is_hovered = regard_token_strip_get_hovered(self->strips[i]) >= 0;
    gboolean is_file = regard_window_shows_file(self);
    if (is_hovered)
      wordings[0] = g_strdup(regard_token_strip_get_summary(self->strips[i]));
    else if (is_file)
      wordings[0] = regard_window_describe_file(self, i);
    else if (self->result && i == MT_STACK_ENCODER)
      wordings[0] = describe_source(self->result);
    else if (self->result)
      describe_target(self->result, wordings);
    if (!wordings[0])
      wordings[0] = g_strdup("");
    GtkWidget *label =
        i == MT_STACK_ENCODER ? GTK_WIDGET(self->source_status) : GTK_WIDGET(self->target_status);
    if (i == MT_STACK_ENCODER)
      gtk_label_set_text(self->source_status, wordings[0]);
    else
      regard_wordings_set(self->target_status, (const char *const *) wordings,
                          is_hovered || is_file);
    gtk_widget_set_tooltip_text(label, *wordings[0] ? wordings[0] : NULL); /* it may be cut off */
    for (guint k = 0; k < REGARD_MOST_WORDINGS; k++)
      g_free(wordings[k]);
  }
}

static void
show_alternatives(RegardWindow *self)
{
  const RegardResult *result = self->result;
  const RegardResultSentence *active = regard_result_active(result);
  const mt_hypothesis *shown =
      active ? regard_result_hypothesis(result, (guint) result->active) : NULL;
  gtk_widget_set_visible(GTK_WIDGET(self->alternatives_button), shown != NULL);
  regard_alternatives_set(self->alternatives, shown ? active->translation : NULL,
                          shown ? active->chosen : 0);
  if (!shown)
    return;
  guint n = (guint) mt_translation_count(active->translation);
  g_autofree char *which = g_strdup_printf(_("alternative %u of %u"), active->chosen + 1, n);
  g_autofree char *numbers = g_strdup_printf(_("%u of %u"), active->chosen + 1, n);
  const char *const wordings[] = {which, numbers, NULL};
  regard_wordings_set(self->alternatives_label, wordings, FALSE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->alternatives_button),
                                 GTK_ACCESSIBLE_PROPERTY_LABEL, which, -1);
  gtk_widget_set_sensitive(GTK_WIDGET(self->alternatives_button), n > 1);
}

static void
show_texts(RegardWindow *self)
{
  const RegardResult *result = self->result;
  g_clear_pointer(&self->target_spans, g_array_unref);
  g_autofree char *translation = regard_result_layout(result, &self->target_spans);
  regard_text_card_set_text(self->target, translation);

  const RegardResultSentence *active = regard_result_active(result);
  if (!active)
    return;
  gboolean has_others = result->n_sentences > 1;
  /* The person may have typed on: then these offsets are of a text that is gone. */
  g_autofree char *text = regard_text_card_dup_text(self->source);
  if (active->translation && g_str_equal(text, result->text))
    regard_text_card_set_sentence(self->source, active->begin, active->end,
                                  mt_translation_source(active->translation), has_others);
  const mt_hypothesis *shown = regard_result_hypothesis(result, (guint) result->active);
  const RegardSentence *span =
      &g_array_index(self->target_spans, RegardSentence, (guint) result->active);
  regard_text_card_set_sentence(self->target, span->begin, span->end, shown ? shown->tokens : NULL,
                                has_others);
}

static void
show_error(RegardWindow *self)
{
  const GError *error = regard_result_error(self->result);
  if (!error) {
    regard_banner_clear(self->banner, REGARD_BANNER_TEXT);
    return;
  }
  const char *advice = regard_error_advice(error);
  gboolean has_old = regard_selection_get_capture(self->selection) && !self->result->capture;
  g_autofree char *detail =
      g_strdup_printf("%s%s%s",
                      has_old ? _("Your text is kept, and the last picture stays.")
                              : _("Your text is kept."),
                      advice ? " " : "", advice ? advice : "");
  regard_banner_show(self->banner, REGARD_BANNER_TEXT, error->message, detail, NULL);
}

void
regard_window_show_result(RegardWindow *self, RegardResult *result)
{
  regard_result_ref(result);
  regard_result_unref(self->result);
  self->result = result;
  regard_window_end_swap(self);
  gboolean is_first = regard_selection_get_capture(self->selection) == NULL;

  if (result->capture) {
    regard_selection_set_capture(self->selection, result->capture);
    if (is_first)
      regard_window_apply_place(self);
    regard_selection_set_stale(self->selection, FALSE);
  }
  show_texts(self);
  show_alternatives(self);
  regard_window_update_status(self);
  show_error(self);
  regard_window_update_keep(self);
  regard_window_update_lit(self);
  regard_window_update_content(self);
  regard_window_queue_layout(self);
}

void
regard_window_clear_result(RegardWindow *self)
{
  regard_window_end_waiting(self);
  g_clear_pointer(&self->result, regard_result_unref);
  regard_window_end_swap(self);
  g_clear_pointer(&self->target_spans, g_array_unref);
  regard_text_card_set_text(self->target, "");
  regard_text_card_set_sentence(self->source, 0, 0, NULL, FALSE);
  regard_text_card_set_sentence(self->target, 0, 0, NULL, FALSE);
  regard_selection_set_capture(self->selection, NULL);
  regard_selection_set_stale(self->selection, FALSE);
  regard_banner_clear(self->banner, REGARD_BANNER_TEXT);
  regard_window_update_status(self);
  gtk_widget_set_visible(GTK_WIDGET(self->alternatives_button), FALSE);
  regard_window_update_keep(self);
  regard_alternatives_set(self->alternatives, NULL, 0);
  regard_window_update_content(self);
  regard_window_queue_layout(self);
}
