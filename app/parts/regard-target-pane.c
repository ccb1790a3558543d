/* regard-target-pane.c — the translation, its pieces, how it was found, and what else there is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-target-pane.h"

#include "document/regard-sentences.h"
#include "figures/regard-naming.h"
#include "parts/regard-alternatives.h"
#include "parts/regard-language-choice.h"
#include "parts/regard-own-translation.h"
#include "parts/regard-search-popover.h"
#include "parts/regard-wordings.h"
#include <glib/gi18n.h>
#include <math.h>

/* A spinner appears only when an answer takes longer than people notice. */
#define SPINNER_AFTER_MS 400

struct _RegardTargetPane {
  GtkWidget parent_instance;
  RegardTextCard *card;
  RegardLanguageChoice *language;
  GtkSpinner *spinner;
  GtkMenuButton *own_button, *search_button, *alternatives_button;
  RegardWordings *alternatives_label, *status;
  RegardTokenStrip *strip;
  RegardDocument *document;
  RegardSelection *selection; /* the document's */
  GArray *spans;              /* RegardSentence: where each sentence's translation stands */
  guint spinner_timeout;      /* an answer is waited for, not long enough to say so */
};

G_DEFINE_FINAL_TYPE(RegardTargetPane, regard_target_pane, GTK_TYPE_WIDGET)

RegardTextCard *
regard_target_pane_get_card(RegardTargetPane *self)
{
  return self->card;
}

GtkWidget *
regard_target_pane_get_view(RegardTargetPane *self)
{
  return GTK_WIDGET(regard_text_card_get_view(self->card));
}

RegardTokenStrip *
regard_target_pane_get_strip(RegardTargetPane *self)
{
  return self->strip;
}

void
regard_target_pane_give_translation(RegardTargetPane *self)
{
  gtk_menu_button_popup(self->own_button);
}

/* ---- From the person ----------------------------------------------------------------------- */

/* While a reference is looked at the pictures may be of other words than those that stand here. */
static gboolean
shows_same_words(RegardTargetPane *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const RegardResultSentence *active = result ? regard_result_active(result) : NULL;
  const mt_hypothesis *here = active && active->translation
                                  ? regard_result_hypothesis(result, (guint) result->active)
                                  : NULL;
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  const mt_tokens *shown = capture ? mt_capture_output(capture) : NULL;
  return !here || !shown || regard_document_get_foreign(self->document) ||
         g_str_equal(mt_tokens_text(shown), here->text);
}

static void
on_hover(RegardTargetPane *self, int token)
{
  regard_selection_hover_target(self->selection, shows_same_words(self) ? token : -1);
}

/* A click into another sentence of the translation goes to its source. */
static void
on_caret_moved(RegardTargetPane *self, guint at)
{
  const RegardResult *result = regard_document_get_result(self->document);
  if (!result || !self->spans || regard_document_get_foreign(self->document))
    return;
  for (guint i = 0; i < self->spans->len; i++) {
    const RegardSentence *span = &g_array_index(self->spans, RegardSentence, i);
    if (at < span->begin || at > span->end || (int) i == result->active)
      continue;
    if (g_str_equal(regard_document_get_text(self->document), result->text))
      regard_document_set_caret(self->document, result->sentences[i].begin);
    return;
  }
}

/* ---- How it went --------------------------------------------------------------------------- */

/* How likely it is, how long it took, and with what weights: from all of it to what matters most.
 * Weights as the checkpoint has them may go unsaid; rounded ones and changes in the model never. */
static void
describe(RegardDocument *document, const RegardResult *result, char *wordings[REGARD_MOST_WORDINGS])
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
  guint n_forced = active->is_given ? 0 : (guint) shown->n_forced;
  guint n_copied = active->copies ? (guint) active->copies->n : 0;
  g_autofree char *copied =
      n_copied
          ? g_strdup_printf(ngettext(" · %u word copied", " · %u words copied", n_copied), n_copied)
          : g_strdup("");
  g_autofree char *forced =
      n_forced
          ? g_strdup_printf(ngettext(" · %u piece forced%s", " · %u pieces forced%s", n_forced),
                            n_forced, copied)
          : g_strdup(copied);
  g_autofree char *changes =
      n ? g_strdup_printf(ngettext(" · %u change%s", " · %u changes%s", n), n, forced)
        : g_strdup(forced);
  wordings[0] = g_strdup_printf(_("log p %s%.1f · %s · %s%s"), p < 0 ? "−" : "", p < 0 ? -p : p,
                                time, name, changes);
  wordings[1] = g_strdup_printf("%s · %s%s", time, name, changes);
  if (precision == MT_PRECISION_STORED)
    wordings[2] = g_strdup_printf("%s%s", time, changes);
}

/* The same in whole sentences. */
static char *
explain(RegardDocument *document, const RegardResult *result)
{
  const RegardResultSentence *active = regard_result_active(result);
  const mt_hypothesis *shown =
      active ? regard_result_hypothesis(result, (guint) result->active) : NULL;
  if (!shown)
    return NULL;
  double p = shown->sum_logprob;
  guint n = (guint) mt_changes_count(mt_translation_changes(active->translation));
  GString *text = g_string_new(NULL);
  g_string_printf(text,
                  _("The model gives this translation, word for word, a probability of %.2g %%: "
                    "log p %s%.2f is its natural logarithm, the sum over its pieces."),
                  100 * exp(p), p < 0 ? "−" : "", fabs(p));
  if (!regard_document_get_given(document) && !active->is_given)
    g_string_append_printf(text, _("\nIt was found in %.1f ms."),
                           mt_translation_milliseconds(active->translation));
  if (active->copies)
    g_string_append(text,
                    _("\nWords that are underlined twice are copied from the source: attention "
                      "names them where the model wrote <unk>."));
  else if (regard_document_get_copy_unknown(document) && !active->is_given &&
           mt_copies_are_wanted(shown))
    g_string_append(text,
                    _("\nThe model wrote <unk>; with these changes attention does not say for "
                      "which word."));
  g_string_append_printf(text, _("\nWeights of the model: %s."),
                         regard_naming_precision(mt_translation_precision(active->translation)));
  if (n > 0)
    g_string_append_printf(text,
                           ngettext("\nThe model was changed in %u place.",
                                    "\nThe model was changed in %u places.", n),
                           n);
  return g_string_free(text, FALSE);
}

/* How the translation went; while a piece is pointed at, what that piece is. */
static void
update_status(RegardTargetPane *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const mt_capture *file = regard_document_get_foreign(self->document);
  char *wordings[REGARD_MOST_WORDINGS + 1] = {NULL};
  gboolean is_hovered = regard_token_strip_get_hovered(self->strip) >= 0;
  if (is_hovered)
    wordings[0] = g_strdup(regard_token_strip_get_summary(self->strip));
  else if (file)
    wordings[0] = regard_naming_pieces(mt_capture_output(file));
  else if (result)
    describe(self->document, result, wordings);
  if (!wordings[0])
    wordings[0] = g_strdup("");
  regard_wordings_set(self->status, (const char *const *) wordings, is_hovered || file);
  g_autofree char *explanation =
      result && !file && !is_hovered ? explain(self->document, result) : NULL;
  const char *tooltip = explanation ? explanation : wordings[0];
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->status), *tooltip ? tooltip : NULL);
  for (guint k = 0; k < REGARD_MOST_WORDINGS; k++)
    g_free(wordings[k]);
}

/* Which of several it is, and whose. */
static void
update_alternatives(RegardTargetPane *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  gboolean shows_file = regard_document_get_foreign(self->document) != NULL;
  const RegardResultSentence *active = result && !shows_file ? regard_result_active(result) : NULL;
  const mt_hypothesis *shown =
      active ? regard_result_hypothesis(result, (guint) result->active) : NULL;
  gtk_widget_set_visible(GTK_WIDGET(self->search_button), !shows_file);
  gtk_widget_set_visible(GTK_WIDGET(self->alternatives_button), shown != NULL);
  gtk_widget_set_visible(GTK_WIDGET(self->own_button), active != NULL);
  if (!shows_file) {
    gboolean is_own = shown && active->is_given && regard_document_get_given(self->document);
    g_object_set(self->card, "title", is_own ? _("Your Translation") : _("Translation"), NULL);
  }
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

/* What the pictures light is marked in the text. */
static void
update_lit(RegardTargetPane *self)
{
  regard_text_card_set_lit(self->card, shows_same_words(self)
                                           ? regard_selection_get_lit_target(self->selection)
                                           : -1);
}

/* What the decoder has yet to write at the step that is looked at is pale. */
static void
update_reached(RegardTargetPane *self)
{
  regard_text_card_set_reached(self->card, shows_same_words(self)
                                               ? regard_selection_get_reached(self->selection)
                                               : -1);
}

/* ---- From the document --------------------------------------------------------------------- */

/* Words that the model did not say are marked, in the text and among the pieces. */
static void
mark_copied(RegardTargetPane *self, const RegardResult *result)
{
  const RegardResultSentence *active = regard_result_active(result);
  g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(RegardSentence));
  for (guint i = 0; i < result->n_sentences; i++) {
    const mt_copies *copies = result->sentences[i].copies;
    const gsize begin = g_array_index(self->spans, RegardSentence, i).begin;
    for (gsize k = 0; copies && k < copies->n; k++) {
      const mt_copied *copied = &copies->copied[k];
      const RegardSentence range = {begin + copied->begin, begin + copied->end};
      g_array_append_val(ranges, range);
    }
  }
  regard_text_card_set_copied(self->card, ranges);
  regard_token_strip_set_copies(self->strip, active ? active->copies : NULL);
}

static void
show_result(RegardTargetPane *self, const RegardResult *result)
{
  g_autofree char *translation = regard_result_layout(result, &self->spans);
  regard_text_card_set_text(self->card, translation);
  mark_copied(self, result);
  if (!regard_result_active(result))
    return;
  const RegardSentence *span = &g_array_index(self->spans, RegardSentence, (guint) result->active);
  regard_text_card_set_sentence(self->card, span->begin, span->end,
                                regard_result_tokens(result, (guint) result->active),
                                result->n_sentences > 1);
}

static void
on_result(RegardTargetPane *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  g_clear_pointer(&self->spans, g_array_unref);
  if (result)
    show_result(self, result);
  else {
    regard_text_card_set_text(self->card, "");
    regard_text_card_set_sentence(self->card, 0, 0, NULL, FALSE);
    regard_text_card_set_copied(self->card, NULL);
    regard_token_strip_set_copies(self->strip, NULL);
  }
  update_lit(self);
  update_alternatives(self);
  update_status(self);
}

/* A file in its place. */
static void
on_foreign(RegardTargetPane *self)
{
  const mt_capture *file = regard_document_get_foreign(self->document);
  g_object_set(self->card, "title", _(regard_naming_stack_title(file, MT_STACK_DECODER)), NULL);
  gtk_widget_set_visible(GTK_WIDGET(self), !file || mt_capture_output(file) != NULL);
  if (file) {
    regard_text_card_show_tokens(self->card, mt_capture_output(file));
    regard_text_card_set_copied(self->card, NULL);
    update_lit(self);
  }
  update_alternatives(self);
  update_status(self);
}

static gboolean
on_spinner_timeout(gpointer data)
{
  RegardTargetPane *self = data;
  self->spinner_timeout = 0;
  gtk_spinner_start(self->spinner);
  return G_SOURCE_REMOVE;
}

static void
on_waiting(RegardTargetPane *self)
{
  g_clear_handle_id(&self->spinner_timeout, g_source_remove);
  if (regard_document_is_waiting(self->document))
    self->spinner_timeout = g_timeout_add(SPINNER_AFTER_MS, on_spinner_timeout, self);
  else
    gtk_spinner_stop(self->spinner);
}

/* What opens, each observing the document by itself. */
static void
add_popovers(RegardTargetPane *self, GSettings *settings)
{
  GtkWidget *alternatives = regard_alternatives_new();
  regard_alternatives_set_document(REGARD_ALTERNATIVES(alternatives), self->document);
  gtk_menu_button_set_popover(self->alternatives_button, alternatives);
  gtk_menu_button_set_popover(self->own_button,
                              regard_own_translation_new(self->document,
                                                         regard_target_pane_get_view(self)));
  GtkWidget *search = regard_search_popover_new(settings, self->document);
  gtk_menu_button_set_popover(self->search_button, search);
  g_object_bind_property(search, "summary", self->search_button, "label", G_BINDING_SYNC_CREATE);
}

void
regard_target_pane_set_document(RegardTargetPane *self, RegardDocument *document,
                                GSettings *settings)
{
  static const struct {
    const char *signal;
    void (*handler)(RegardTargetPane *);
  } observed[] = {
      {"changed::result", on_result},
      {"changed::foreign", on_foreign},
      {"changed::waiting", on_waiting},
  };
  g_return_if_fail(REGARD_IS_TARGET_PANE(self) && !self->document);
  self->document = g_object_ref(document);
  self->selection = regard_document_get_selection(document);
  regard_token_strip_set_selection(self->strip, self->selection);
  add_popovers(self, settings);
  regard_language_choice_set_document(self->language, document, settings);
  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    g_signal_connect_object(document, observed[i].signal, G_CALLBACK(observed[i].handler), self,
                            G_CONNECT_SWAPPED);
  static const char *const lit[] = {"hover-changed", "pin-changed", "matrix-changed"};
  for (guint i = 0; i < G_N_ELEMENTS(lit); i++)
    g_signal_connect_object(self->selection, lit[i], G_CALLBACK(update_lit), self,
                            G_CONNECT_SWAPPED);
  static const char *const reached[] = {"notify::step", "reached-changed", "notify::capture"};
  for (guint i = 0; i < G_N_ELEMENTS(reached); i++)
    g_signal_connect_object(self->selection, reached[i], G_CALLBACK(update_reached), self,
                            G_CONNECT_SWAPPED);
  on_result(self);
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_target_pane_dispose(GObject *object)
{
  RegardTargetPane *self = REGARD_TARGET_PANE(object);
  g_clear_handle_id(&self->spinner_timeout, g_source_remove);
  gtk_widget_dispose_template(GTK_WIDGET(self), REGARD_TYPE_TARGET_PANE);
  G_OBJECT_CLASS(regard_target_pane_parent_class)->dispose(object);
}

static void
regard_target_pane_finalize(GObject *object)
{
  RegardTargetPane *self = REGARD_TARGET_PANE(object);
  g_clear_pointer(&self->spans, g_array_unref);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_target_pane_parent_class)->finalize(object);
}

#define BIND_CHILD(name) gtk_widget_class_bind_template_child(widget_class, RegardTargetPane, name)

static void
regard_target_pane_class_init(RegardTargetPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_target_pane_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_target_pane_finalize;
  g_type_ensure(REGARD_TYPE_TEXT_CARD);
  g_type_ensure(REGARD_TYPE_LANGUAGE_CHOICE);
  g_type_ensure(REGARD_TYPE_WORDINGS);
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/regard/Regard/regard-target-pane.ui");
  BIND_CHILD(card);
  BIND_CHILD(language);
  BIND_CHILD(spinner);
  BIND_CHILD(own_button);
  BIND_CHILD(search_button);
  BIND_CHILD(alternatives_button);
  BIND_CHILD(alternatives_label);
  BIND_CHILD(status);
  gtk_widget_class_bind_template_callback(widget_class, on_caret_moved);
  gtk_widget_class_bind_template_callback(widget_class, on_hover);
}

static void
regard_target_pane_init(RegardTargetPane *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->strip = regard_text_card_add_strip(self->card, REGARD_SIDE_TARGET);
  g_signal_connect_object(self->strip, "notify::summary", G_CALLBACK(update_status), self,
                          G_CONNECT_SWAPPED);
}
