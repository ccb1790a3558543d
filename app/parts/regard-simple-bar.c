/* regard-simple-bar.c — what one does in a simple window, and what became of the translation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The translation of the unchanged model is kept, so that the words that changed can be marked as
 * soon as there is another one, without a second run.
 */
#include "parts/regard-simple-bar.h"

#include "base/regard-template.h"
#include "figures/regard-intervention-edit.h"
#include "figures/regard-naming.h"
#include "parts/regard-compare-bar.h"
#include <glib/gi18n.h>

struct _RegardSimpleBar {
  GtkWidget parent_instance;
  GtkButton *toggle;
  GtkLabel *said;
  RegardDocument *document;
  RegardSelection *selection; /* the document's */
  char *text, *translation;   /* of the model without changes; NULL: there was none yet */
};

G_DEFINE_FINAL_TYPE(RegardSimpleBar, regard_simple_bar, GTK_TYPE_WIDGET)

static const mt_interventions *
changes_of(RegardSimpleBar *self)
{
  return regard_document_get_search(self->document)->interventions;
}

/* "cross-attention 5.5", inside a sentence. Caller frees. */
static char *
say_head(mt_attention_kind kind, guint layer, guint head)
{
  /* Translators: layer and head, inside a sentence: "Without cross-attention 5.5" */
  static const char *const names[MT_N_KINDS] = {
      [MT_ENCODER_SELF] = N_("encoder self-attention %u.%u"),
      [MT_DECODER_SELF] = N_("decoder self-attention %u.%u"),
      [MT_CROSS] = N_("cross-attention %u.%u"),
  };
  return g_strdup_printf(_(names[kind]), layer + 1, head + 1);
}

/* What is changed: of one head that is off its name, else how much. Caller frees. */
static char *
say_changes(RegardSimpleBar *self)
{
  const guint n = (guint) mt_interventions_count(changes_of(self));
  const char *text = mt_interventions_text(changes_of(self));
  for (guint k = 0; n == 1 && k < MT_N_KINDS; k++) {
    const RegardHeadExtent extent = regard_selection_get_extent(self->selection, k);
    for (guint l = 0; l < extent.n_layers; l++)
      for (guint h = 0; h < extent.n_heads; h++) {
        g_autofree char *head =
            regard_naming_head(k, extent.first_layer + l, extent.first_head + h);
        g_autofree char *line = g_strconcat(head, " zero", NULL);
        if (!g_str_equal(line, text))
          continue;
        g_autofree char *name = say_head(k, extent.first_layer + l, extent.first_head + h);
        return g_strdup_printf(_("Without %s"), name);
      }
  }
  return g_strdup_printf(ngettext("With %u change in the model", "With %u changes in the model", n),
                         n);
}

/* Markup. */
static char *
say(RegardSimpleBar *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const guint n = (guint) mt_interventions_count(changes_of(self));
  if (!result || regard_document_get_imported_capture(self->document))
    return g_strdup("");
  if (n == 0)
    return g_markup_escape_text(_("Switch the head off that is shown: does the translation "
                                  "change?"),
                                -1);
  g_autofree char *plain = say_changes(self);
  g_autofree char *changes = g_markup_escape_text(plain, -1);
  if (regard_document_is_waiting(self->document) ||
      !mt_interventions_equal(result->interventions, changes_of(self)) || !self->text ||
      !g_str_equal(self->text, result->text))
    return g_steal_pointer(&changes);
  g_autofree char *now = regard_result_layout(result, NULL);
  if (g_str_equal(now, self->translation)) {
    /* Translators: %s is "Without cross-attention 5.5" or "With 2 changes in the model" */
    return g_strdup_printf(_("%s the translation is the same: other heads stand in"), changes);
  }
  g_autofree char *words = regard_word_diff_markup(self->translation, now);
  return g_strdup_printf(_("%s: %s"), changes, words);
}

static void
update(RegardSimpleBar *self)
{
  const mt_attention_kind kind = regard_selection_get_kind(self->selection);
  const guint layer = regard_selection_get_layer(self->selection),
              head = regard_selection_get_head(self->selection);
  mt_intervention_row row;
  const gboolean is_off = regard_interventions_of_head(changes_of(self), kind, layer, head, &row) &&
                          g_str_equal(row.how, "zero");
  g_autofree char *name = say_head(kind, layer, head);
  g_autofree char *tip = g_strdup_printf(is_off ? _("Switch %s on again (X)")
                                                : _("Switch %s off: it adds nothing any more (X)"),
                                         name);
  gtk_button_set_label(self->toggle, is_off ? _("Switch Head On") : _("Switch Head Off"));
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->toggle), tip);
  g_autofree char *markup = say(self);
  gtk_label_set_markup(self->said, markup);
  gtk_widget_set_tooltip_markup(GTK_WIDGET(self->said), *markup ? markup : NULL);
}

static void
on_result(RegardSimpleBar *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  if (result && mt_interventions_count(result->interventions) == 0) {
    g_free(self->text);
    g_free(self->translation);
    self->text = g_strdup(result->text);
    self->translation = regard_result_layout(result, NULL);
  }
  update(self);
}

void
regard_simple_bar_set_document(RegardSimpleBar *self, RegardDocument *document)
{
  g_return_if_fail(REGARD_IS_SIMPLE_BAR(self) && !self->document);
  self->document = g_object_ref(document);
  self->selection = regard_document_get_selection(document);
  regard_observe(document, self, on_result, "changed::result");
  regard_observe(document, self, update, "changed::changes", "changed::waiting",
                 "changed::foreign");
  regard_observe(self->selection, self, update, "notify::kind", "notify::layer", "notify::head",
                 "notify::capture");
  on_result(self);
}

static void
regard_simple_bar_dispose(GObject *object)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(object));
  g_clear_pointer(&child, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_simple_bar_parent_class)->dispose(object);
}

static void
regard_simple_bar_finalize(GObject *object)
{
  RegardSimpleBar *self = REGARD_SIMPLE_BAR(object);
  g_clear_object(&self->document);
  g_free(self->text);
  g_free(self->translation);
  G_OBJECT_CLASS(regard_simple_bar_parent_class)->finalize(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardSimpleBar, name)

static void
regard_simple_bar_class_init(RegardSimpleBarClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(toggle), CHILD(said), {NULL, 0}};
  G_OBJECT_CLASS(klass)->dispose = regard_simple_bar_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_simple_bar_finalize;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
  regard_set_template(klass, "regard-simple-bar.ui", children);
}

static void
regard_simple_bar_init(RegardSimpleBar *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}
