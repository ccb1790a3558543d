/* regard-source-pane.c — the text that is typed, its pieces, and what is to be said of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-source-pane.h"

#include "base/regard-template.h"
#include "figures/regard-naming.h"
#include "parts/regard-language-choice.h"
#include "parts/regard-meanings.h"
#include "parts/regard-task-choice.h"
#include <glib/gi18n.h>
#include <string.h>

struct _RegardSourcePane {
  GtkWidget parent_instance;
  RegardTextCard *card;
  RegardLanguageChoice *language;
  RegardTaskChoice *task;
  GtkLabel *status, *unknown;
  RegardTokenStrip *strip;
  RegardDocument *document;
  RegardSelection *selection; /* the document's */
};

G_DEFINE_FINAL_TYPE(RegardSourcePane, regard_source_pane, GTK_TYPE_WIDGET)

RegardTextCard *
regard_source_pane_get_card(RegardSourcePane *self)
{
  return self->card;
}

GtkWidget *
regard_source_pane_get_view(RegardSourcePane *self)
{
  return GTK_WIDGET(regard_text_card_get_view(self->card));
}

RegardTokenStrip *
regard_source_pane_get_strip(RegardSourcePane *self)
{
  return self->strip;
}

/* ---- From the person ----------------------------------------------------------------------- */

static void
on_caret_moved(RegardSourcePane *self, guint at)
{
  /* GtkTextBuffer moves the caret before it says that the text is another. */
  g_autofree char *text = regard_text_card_dup_text(self->card);
  regard_document_edit(self->document, text, at);
}

static void
on_typed(RegardSourcePane *self)
{
  on_caret_moved(self, (guint) regard_text_card_get_caret(self->card));
}

static void
on_hover(RegardSourcePane *self, int token)
{
  regard_selection_hover_source(self->selection, token);
}

/* ---- What is said -------------------------------------------------------------------------- */

static char *
describe(const RegardResult *result)
{
  const RegardResultSentence *active = regard_result_active(result);
  GString *status = g_string_new(NULL);
  if (active && active->translation) {
    g_autofree char *pieces = regard_naming_pieces(mt_translation_source(active->translation));
    g_string_printf(status, "%s · ", pieces);
  }
  if (result->active >= 0)
    g_string_append_printf(status, _("sentence %d of %u"), result->active + 1, result->n_sentences);
  return g_string_free(status, FALSE);
}

/* What is said there, in whole sentences. */
static char *
explain(RegardSourcePane *self, const RegardResult *result)
{
  const RegardResultSentence *active = regard_result_active(result);
  mt_model *model = regard_document_get_model(self->document);
  GString *text = g_string_new(NULL);
  if (active && active->translation && model) {
    gsize n = mt_tokens_count(mt_translation_source(active->translation));
    g_string_append_printf(text,
                           ngettext("The model reads the sentence in %zu piece of words; ⏎, which "
                                    "ends it, is one. It has room for %zu.",
                                    "The model reads the sentence in %zu pieces of words; ⏎, which "
                                    "ends it, is one. It has room for %zu.",
                                    n),
                           n, mt_model_config(model)->max_positions);
  }
  if (result->n_sentences > 1)
    g_string_append_printf(text, "\n%s",
                           _("Every sentence is translated by itself; Alt and Up or Down go to "
                             "another."));
  return g_string_free(text, FALSE);
}

/* How much there is; while a piece is pointed at, what that piece is. A simple window says only
 * which of several sentences is looked at. */
static void
update_status(RegardSourcePane *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  gtk_widget_set_visible(GTK_WIDGET(self->status), !regard_selection_get_simple(self->selection) ||
                                                       (result && result->n_sentences > 1));
  const mt_capture *file = regard_document_get_imported_capture(self->document);
  g_autofree char *text = regard_token_strip_get_hovered(self->strip) >= 0
                              ? g_strdup(regard_token_strip_get_summary(self->strip))
                          : file   ? regard_naming_pieces(mt_capture_source(file))
                          : result ? describe(result)
                                   : g_strdup("");
  gtk_label_set_text(self->status, text);
  gboolean is_hovered = regard_token_strip_get_hovered(self->strip) >= 0;
  g_autofree char *explanation = result && !file && !is_hovered ? explain(self, result) : NULL;
  const char *tooltip = explanation ? explanation : text; /* which may be cut */
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->status), *tooltip ? tooltip : NULL);
}

/* One line for all sentences; each part of the text once. */
static void
show_unknown(RegardSourcePane *self, const RegardResult *result)
{
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; result && i < result->n_sentences; i++) {
    const mt_translation *translation = result->sentences[i].translation;
    if (!translation)
      continue;
    g_auto(GStrv) parts =
        g_strsplit(mt_tokens_unknown(mt_translation_source(translation)), " ", -1);
    for (gsize k = 0; parts[k]; k++) {
      if (g_hash_table_contains(seen, parts[k]))
        continue;
      char *text = g_strdup(parts[k]);
      g_hash_table_add(seen, text);
      g_ptr_array_add(texts, text);
    }
  }
  gtk_widget_set_visible(GTK_WIDGET(self->unknown), texts->len > 0);
  g_ptr_array_add(texts, NULL);
  g_autofree char *list = regard_naming_unknown((const char *const *) texts->pdata);
  /* Translators: characters follow. */
  g_autofree char *line = g_strdup_printf(_("The model does not know: %s"), list);
  gtk_label_set_text(self->unknown, line);
}

/* What the pictures light is marked in the text. */
static void
update_lit(RegardSourcePane *self)
{
  regard_text_card_set_lit(self->card, regard_selection_get_lit_source(self->selection));
}

/* ---- From the document --------------------------------------------------------------------- */

/* Neither does anything where it was typed. */
static void
on_caret(RegardSourcePane *self)
{
  gsize caret = regard_document_get_caret(self->document);
  if (!regard_document_get_imported_capture(self->document) &&
      regard_text_card_get_caret(self->card) != caret)
    regard_text_card_set_caret(self->card, caret);
}

static void
on_text(RegardSourcePane *self)
{
  if (regard_document_get_imported_capture(self->document))
    return;
  regard_text_card_set_text(self->card, regard_document_get_text(self->document));
  on_caret(self);
}

static void
show_sentence(RegardSourcePane *self, const RegardResult *result)
{
  const RegardResultSentence *active = regard_result_active(result);
  /* The person may have typed on: then these offsets are of a text that is gone. */
  if (active && active->translation &&
      g_str_equal(regard_document_get_text(self->document), result->text))
    regard_text_card_set_sentence(self->card, active->begin, active->end,
                                  mt_translation_source(active->translation),
                                  result->n_sentences > 1);
}

static void
on_result(RegardSourcePane *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  if (result)
    show_sentence(self, result);
  else
    regard_text_card_set_sentence(self->card, 0, 0, NULL, FALSE);
  show_unknown(self, result);
  update_lit(self);
  update_status(self);
}

/* A file in its place. */
static void
on_imported(RegardSourcePane *self)
{
  const mt_capture *file = regard_document_get_imported_capture(self->document);
  on_text(self);
  g_object_set(self->card, "editable", !file, "title",
               _(regard_naming_stack_title(file, MT_STACK_ENCODER)), NULL);
  gtk_widget_set_visible(GTK_WIDGET(self), !file || mt_capture_source(file) != NULL);
  if (file) {
    gtk_widget_set_visible(GTK_WIDGET(self->unknown), FALSE);
    regard_text_card_show_tokens(self->card, mt_capture_source(file));
    update_lit(self);
  }
  update_status(self);
}

void
regard_source_pane_set_document(RegardSourcePane *self, RegardDocument *document,
                                GSettings *settings)
{
  g_return_if_fail(REGARD_IS_SOURCE_PANE(self) && !self->document);
  self->document = g_object_ref(document);
  self->selection = regard_document_get_selection(document);
  regard_token_strip_set_selection(self->strip, self->selection);
  regard_meanings_show(self->strip, REGARD_SIDE_SOURCE, document, settings);
  regard_language_choice_set_document(self->language, document, settings);
  regard_task_choice_set_document(self->task, document, settings);
  regard_observe(document, self, on_text, "changed::text");
  regard_observe(document, self, on_caret, "changed::caret");
  regard_observe(document, self, on_result, "changed::result");
  regard_observe(document, self, on_imported, "changed::foreign");
  regard_observe(self->selection, self, update_status, "notify::simple");
  regard_observe(self->selection, self, update_lit, "hover-changed", "pin-changed",
                 "matrix-changed");
  on_result(self);
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_source_pane_dispose(GObject *object)
{
  gtk_widget_dispose_template(GTK_WIDGET(object), REGARD_TYPE_SOURCE_PANE);
  G_OBJECT_CLASS(regard_source_pane_parent_class)->dispose(object);
}

static void
regard_source_pane_finalize(GObject *object)
{
  g_clear_object(&REGARD_SOURCE_PANE(object)->document);
  G_OBJECT_CLASS(regard_source_pane_parent_class)->finalize(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardSourcePane, name)

static void
regard_source_pane_class_init(RegardSourcePaneClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(card),   CHILD(language), CHILD(task),
                                                 CHILD(status), CHILD(unknown),  {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_source_pane_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_source_pane_finalize;
  g_type_ensure(REGARD_TYPE_TEXT_CARD);
  g_type_ensure(REGARD_TYPE_LANGUAGE_CHOICE);
  g_type_ensure(REGARD_TYPE_TASK_CHOICE);
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  regard_set_template(klass, "regard-source-pane.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_typed);
  gtk_widget_class_bind_template_callback(widget_class, on_caret_moved);
  gtk_widget_class_bind_template_callback(widget_class, on_hover);
}

static void
regard_source_pane_init(RegardSourcePane *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->strip = regard_text_card_add_strip(self->card, REGARD_SIDE_SOURCE);
  regard_observe(self->strip, self, update_status, "summary-changed");
}
