/* regard-view-steps-word.c — a word that is no candidate: it is cut into pieces, and scored piece
 * by piece while it is typed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-words.h"
#include "views/regard-view-steps-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

static void
say(RegardViewSteps *self, const char *text)
{
  gtk_label_set_text(GTK_LABEL(self->pieces), text);
  gtk_widget_set_visible(self->pieces, *text != '\0');
}

/* The ids of the pieces of what is typed. Caller unrefs; NULL, and it is said: there are none that
 * can be had. */
static GArray *
cut(RegardViewSteps *self)
{
  const char *text = gtk_editable_get_text(GTK_EDITABLE(self->word));
  g_autofree char *words = g_strstrip(g_strdup(text));
  mt_error error = {0};
  mt_tokens *tokens;
  GArray *ids;

  if (!self->steps || !*words) {
    say(self, "");
    return NULL;
  }
  tokens = mt_constraints_cut(self->steps->model, words, &error);
  if (!tokens) {
    say(self, error.message);
    return NULL;
  }
  ids = g_array_new(FALSE, FALSE, sizeof(int32_t));
  for (gsize i = 0; i < mt_tokens_count(tokens); i++)
    g_array_append_val(ids, mt_tokens_get(tokens, i)->id);
  mt_tokens_unref(tokens);
  return ids;
}

static void
on_scored(gpointer owner, RegardRun *run)
{
  RegardViewSteps *self = owner;
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardSteps) scored = regard_run_finish(run, &error);
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *part = NULL, *whole = NULL;
  double sum = 0;

  if (!scored) {
    say(self, error->message);
    return;
  }
  for (guint t = (guint) MAX(self->scored_step, 0); t < scored->n; t++) {
    const mt_step_node *node = mt_steps_node(scored->steps, (gsize) scored->nodes[t]);
    g_autofree char *piece = regard_steps_dup_piece(scored, node->id);
    char percent[32];

    if (!node->is_forced)
      break;
    sum += node->logprob;
    g_string_append_printf(text, "%s%s %s", text->len ? "  " : "", piece,
                           regard_steps_percent(percent, exp((double) node->logprob)));
  }
  g_string_append_printf(text, _("\ntogether log p %s%.2f · Enter goes on with it"),
                         sum < 0 ? "−" : "", fabs(sum));
  if (regard_words_continued(mt_translation_hypothesis(scored->translation, scored->hypothesis),
                             &part, &whole))
    g_string_append_printf(text, _("\nthe model goes on with this word: %s"), whole);
  say(self, text->str);
}

void
regard_view_steps_score_word(RegardViewSteps *self)
{
  mt_search_params params;
  mt_constraints *constraints;
  g_autoptr(RegardPass) pass = NULL;
  g_autoptr(GArray) ids = NULL;

  regard_work_drop(self->scoring);
  ids = self->word ? cut(self) : NULL;
  if (!ids)
    return;
  constraints = regard_view_steps_new_constraints(self, (const int32_t *) ids->data, ids->len, -1);
  if (!constraints)
    return;
  params = mt_search_params_default(self->steps->model);
  params.beam_size = 1;
  params.trace = 1;
  params.constraints = constraints;
  self->scored_step = regard_view_steps_get_step(self);
  pass = regard_view_steps_pass_of(self->steps);
  regard_work_run(self->scoring, &regard_analysis_search, pass, &params, on_scored);
}

static void
on_activate(RegardViewSteps *self)
{
  g_autoptr(GArray) ids = cut(self);

  if (!ids)
    return;
  gtk_editable_set_text(GTK_EDITABLE(self->word), "");
  gtk_widget_grab_focus(self->candidates); /* there Ctrl+Z takes it back, not letters */
  regard_view_steps_go_on(self, (const int32_t *) ids->data, ids->len);
}

GtkWidget *
regard_view_steps_build_word(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);

  self->word = gtk_entry_new();
  gtk_entry_set_placeholder_text(GTK_ENTRY(self->word), _("another word… (/)"));
  gtk_widget_set_tooltip_text(self->word,
                              _("A word to go on with at this step; it is cut into pieces"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->word), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Another word at this step"), -1);
  g_signal_connect_swapped(self->word, "changed", G_CALLBACK(regard_view_steps_score_word), self);
  g_signal_connect_swapped(self->word, "activate", G_CALLBACK(on_activate), self);
  self->pieces = gtk_label_new(NULL);
  gtk_label_set_wrap(GTK_LABEL(self->pieces), TRUE);
  gtk_label_set_xalign(GTK_LABEL(self->pieces), 0);
  gtk_label_set_max_width_chars(GTK_LABEL(self->pieces), 30);
  gtk_widget_add_css_class(self->pieces, "regard-note");
  gtk_widget_set_visible(self->pieces, FALSE);
  gtk_box_append(GTK_BOX(box), self->word);
  gtk_box_append(GTK_BOX(box), self->pieces);
  return box;
}
