/* regard-window-status.c — the lines above the texts: how the translation went, and which of
 * several it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-window-private.h"

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
 * Weights as the checkpoint has them may go unsaid; rounded ones and changes in the model never. */
static void
describe_target(RegardDocument *document, const RegardResult *result,
                char *wordings[REGARD_MOST_WORDINGS])
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
  g_autofree char *time = regard_document_get_given(document) ? g_strdup(_("yours"))
                          : active->is_given                  ? g_strdup(_("kept"))
                                             : g_strdup_printf(_("%.0f ms"), ms < 1 ? 1.0 : ms);
  guint n = (guint) mt_changes_count(mt_translation_changes(active->translation));
  g_autofree char *changes =
      n ? g_strdup_printf(ngettext(" · %u change", " · %u changes", n), n) : g_strdup("");
  wordings[0] = g_strdup_printf(_("log p %s%.1f · %s · %s%s"), p < 0 ? "−" : "", p < 0 ? -p : p,
                                time, name, changes);
  wordings[1] = g_strdup_printf("%s · %s%s", time, name, changes);
  if (precision == MT_PRECISION_STORED)
    wordings[2] = g_strdup_printf("%s%s", time, changes);
}

static char *
describe_file(const mt_capture *file, mt_stack stack)
{
  const mt_tokens *tokens =
      stack == MT_STACK_ENCODER ? mt_capture_source(file) : mt_capture_output(file);
  guint n = tokens ? (guint) mt_tokens_count(tokens) : 0;
  return g_strdup_printf(ngettext("%u piece", "%u pieces", n), n);
}

/* How the translation went; while a piece is pointed at, what that piece is. */
static void
update_status(RegardWindow *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const mt_capture *file = regard_document_get_foreign(self->document);
  for (mt_stack i = 0; i < MT_N_STACKS; i++) {
    char *wordings[REGARD_MOST_WORDINGS + 1] = {NULL};
    gboolean is_hovered = regard_token_strip_get_hovered(self->strips[i]) >= 0;
    if (is_hovered)
      wordings[0] = g_strdup(regard_token_strip_get_summary(self->strips[i]));
    else if (file)
      wordings[0] = describe_file(file, i);
    else if (result && i == MT_STACK_ENCODER)
      wordings[0] = describe_source(result);
    else if (result)
      describe_target(self->document, result, wordings);
    if (!wordings[0])
      wordings[0] = g_strdup("");
    GtkWidget *label =
        i == MT_STACK_ENCODER ? GTK_WIDGET(self->source_status) : GTK_WIDGET(self->target_status);
    if (i == MT_STACK_ENCODER)
      gtk_label_set_text(self->source_status, wordings[0]);
    else
      regard_wordings_set(self->target_status, (const char *const *) wordings, is_hovered || file);
    gtk_widget_set_tooltip_text(label, *wordings[0] ? wordings[0] : NULL); /* it may be cut off */
    for (guint k = 0; k < REGARD_MOST_WORDINGS; k++)
      g_free(wordings[k]);
  }
}

static void
update_alternatives(RegardWindow *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const RegardResultSentence *active =
      result && !regard_document_get_foreign(self->document) ? regard_result_active(result) : NULL;
  const mt_hypothesis *shown =
      active ? regard_result_hypothesis(result, (guint) result->active) : NULL;
  gtk_widget_set_visible(GTK_WIDGET(self->alternatives_button), shown != NULL);
  gtk_widget_set_visible(GTK_WIDGET(self->own_button), active != NULL);
  if (!regard_document_get_foreign(self->document))
    g_object_set(self->target, "title",
                 shown && active->is_given && regard_document_get_given(self->document)
                     ? _("Your Translation")
                     : _("Translation"),
                 NULL);
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
update(RegardWindow *self)
{
  gtk_widget_set_visible(GTK_WIDGET(self->search_button),
                         !regard_document_get_foreign(self->document));
  update_alternatives(self);
  update_status(self);
}

void
regard_window_observe_status(RegardWindow *self)
{
  for (guint i = 0; i < G_N_ELEMENTS(self->strips); i++)
    g_signal_connect_object(self->strips[i], "notify::summary", G_CALLBACK(update_status), self,
                            G_CONNECT_SWAPPED);
  g_signal_connect_object(self->document, "notify::result", G_CALLBACK(update), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->document, "notify::foreign", G_CALLBACK(update), self,
                          G_CONNECT_SWAPPED);
  update(self);
}
