/* regard-compare-bar.c — a beside B: which of them is looked at, and how far they are apart.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-compare-bar.h"

#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-words.h"
#include <glib/gi18n.h>
#include <math.h>

/* ==== Two texts as one, with the words that only one of them has =================================
 */

static void
append(gpointer out, const char *word, RegardWordChange change)
{
  static const char *const tags[] = {[REGARD_WORD_GONE] = "s", [REGARD_WORD_NEW] = "b"};
  GString *markup = out;
  g_autofree char *text = g_markup_escape_text(word, -1);
  if (markup->len)
    g_string_append_c(markup, ' ');
  if (change != REGARD_WORD_OF_BOTH)
    g_string_append_printf(markup, "<%s>%s</%s>", tags[change], text, tags[change]);
  else
    g_string_append(markup, text);
}

char *
regard_word_diff_markup(const char *a, const char *b)
{
  GString *out = g_string_new(NULL);
  if (regard_words_compare(a, b, append, out))
    return g_string_free(out, FALSE);
  g_string_free(out, TRUE);
  return g_markup_escape_text(b, -1);
}

/* ==== The bar ================================================================================= */

#define N_SIDES 4

struct _RegardCompareBar {
  GtkWidget parent_instance;
  GtkWidget *box, *sides[N_SIDES], *words, *drop;
  RegardDocument *document;
  gboolean is_setting; /* the program presses the buttons */
};

G_DEFINE_FINAL_TYPE(RegardCompareBar, regard_compare_bar, GTK_TYPE_WIDGET)

/* In the order of RegardCompare. */
static const struct {
  const char *label, *tooltip;
} sides[N_SIDES] = {
    /* Translators: buttons, what the picture is of: the model as it is now, the two sides of a
     * comparison, and their difference */
    {N_("Now"), N_("The translation as the model finds it now")},
    {N_("A"), N_("What B is compared with: what was kept, or the model without changes")},
    {N_("B"), N_("The model of now, with the words of A: the same rows and columns")},
    {N_("B − A"), N_("Where B looks more than A, and where less")},
};

/* ---- What it says ------------------------------------------------------------------------------
 */

static const char *
source_of(const RegardResult *result)
{
  const RegardResultSentence *active = result ? regard_result_active(result) : NULL;
  return active && active->translation ? mt_tokens_text(mt_translation_source(active->translation))
                                       : NULL;
}

/* The sentence that was kept; NULL: it is the one of now. Borrowed. */
static const char *
other_sentence(RegardDocument *document, const RegardResult *kept)
{
  const char *then = source_of(kept), *now = source_of(regard_document_get_result(document));
  return then && now && !g_str_equal(then, now) ? then : NULL;
}

/* "without changes", "reference: 1 change, checkpoint 4,000". */
static char *
describe_reference(RegardDocument *document)
{
  const RegardSnapshot *state = regard_document_get_compared(document)->reference;
  const RegardResult *kept = state ? state->result : NULL;
  if (!kept)
    return g_strdup(_("without changes"));
  const guint n = (guint) mt_interventions_count(kept->interventions);
  g_autofree char *interventions =
      n ? g_strdup_printf(ngettext("%u change", "%u changes", n), n) : g_strdup(_("no change"));
  const char *sentence = other_sentence(document, kept), *model = mt_model_name(kept->model);
  const char *precision = regard_naming_precision(mt_model_precision(kept->model));
  /* Translators: what is compared with: a sentence, a model, in what numbers, how many changes */
  return sentence
             ? g_strdup_printf(_("“%s” · %s, %s, %s"), sentence, model, precision, interventions)
             : g_strdup_printf(_("%s, %s, %s"), model, precision, interventions);
}

static char *
format_logprob(double p)
{
  return regard_strdup_printf("%s%.2f", p < 0 ? "−" : "", fabs(p));
}

/* The model's own translation now, with what A had otherwise. NULL: there is none. Markup. */
static char *
mark_words(RegardDocument *document, const RegardComparison *c)
{
  const RegardResult *result = regard_document_get_result(document);
  const mt_hypothesis *now = result && result->active >= 0
                                 ? regard_result_hypothesis(result, (guint) result->active)
                                 : NULL;
  const mt_hypothesis *then =
      mt_translation_hypothesis(c->passes[0]->translation, c->passes[0]->hypothesis);
  return now ? regard_word_diff_markup(then->text, now->text) : NULL;
}

/* Markup. */
static char *
describe(RegardDocument *document)
{
  const RegardComparison *c = regard_document_get_compared(document)->comparison;
  const char *error = regard_document_get_compared(document)->error;
  g_autofree char *reference = describe_reference(document), *words = NULL;
  if (error)
    return g_markup_printf_escaped(_("A: %s · cannot be compared: %s"), reference, error);
  if (regard_document_get_compared(document)->side == REGARD_COMPARE_OFF)
    return g_markup_printf_escaped(_("A: %s"), reference);
  if (!c || !(words = mark_words(document, c)))
    return g_markup_printf_escaped(_("A: %s · comparing…"), reference);
  const double d = c->logprobs[1] - c->logprobs[0];
  g_autofree char *a = format_logprob(c->logprobs[0]), *b = format_logprob(c->logprobs[1]);
  g_autofree char *name = g_markup_escape_text(reference, -1);
  return regard_strdup_printf(_("A: %s · log p of its words %s, in B %s (%s%.2f) · %s"), name, a, b,
                              d < 0 ? "−" : "+", fabs(d), words);
}

static void
update(RegardCompareBar *self)
{
  /* While the two cannot be compared the picture is of now, whatever was asked for. */
  const RegardCompare compare = regard_document_get_compared(self->document)->error
                                    ? REGARD_COMPARE_OFF
                                    : regard_document_get_compared(self->document)->side;
  const gboolean can = regard_document_can_compare(self->document);
  g_autofree char *text = can ? describe(self->document) : g_strdup("");
  gtk_widget_set_visible(GTK_WIDGET(self), can);
  gtk_widget_set_visible(self->drop,
                         regard_document_get_compared(self->document)->reference != NULL);
  gtk_label_set_markup(GTK_LABEL(self->words), text);
  gtk_widget_set_tooltip_markup(self->words, text);
  self->is_setting = TRUE;
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->sides[compare]), TRUE);
  self->is_setting = FALSE;
}

static void
on_side(RegardCompareBar *self, GtkToggleButton *button)
{
  if (self->is_setting || !gtk_toggle_button_get_active(button))
    return;
  for (guint i = 0; i < N_SIDES; i++)
    if (self->sides[i] == GTK_WIDGET(button))
      regard_document_set_compare(self->document, (RegardCompare) i);
  update(self);
}

/* ---- The object --------------------------------------------------------------------------------
 */

void
regard_compare_bar_set_document(RegardCompareBar *self, RegardDocument *document)
{
  g_return_if_fail(REGARD_IS_COMPARE_BAR(self) && !self->document);
  self->document = g_object_ref(document);
  regard_observe(document, self, update, "changed::reference", "changed::changes",
                 "changed::compare", "changed::comparison", "changed::foreign", "changed::result");
  update(self);
}

static void
regard_compare_bar_dispose(GObject *object)
{
  RegardCompareBar *self = REGARD_COMPARE_BAR(object);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_compare_bar_parent_class)->dispose(object);
}

static void
regard_compare_bar_class_init(RegardCompareBarClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_compare_bar_dispose;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "comparebar");
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static GtkWidget *
new_button(const char *label, const char *tooltip, const char *action)
{
  GtkWidget *button = gtk_button_new_with_mnemonic(label);
  gtk_widget_set_tooltip_text(button, tooltip);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  return button;
}

static void
regard_compare_bar_init(RegardCompareBar *self)
{
  GtkWidget *linked = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  self->box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10);
  gtk_widget_set_name(GTK_WIDGET(self), "compare-sides");
  gtk_widget_add_css_class(linked, "linked");
  gtk_widget_set_valign(linked, GTK_ALIGN_CENTER);
  for (guint i = 0; i < N_SIDES; i++) {
    self->sides[i] = gtk_toggle_button_new_with_label(_(sides[i].label));
    gtk_widget_set_tooltip_text(self->sides[i], _(sides[i].tooltip));
    if (i > 0)
      gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(self->sides[i]),
                                  GTK_TOGGLE_BUTTON(self->sides[0]));
    g_signal_connect_swapped(self->sides[i], "toggled", G_CALLBACK(on_side), self);
    gtk_box_append(GTK_BOX(linked), self->sides[i]);
  }
  self->words = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->words), 0);
  gtk_label_set_ellipsize(GTK_LABEL(self->words), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand(self->words, TRUE);
  self->drop = new_button(_("_Drop Reference"), _("Forgets A; nothing is compared any more"),
                          "win.drop-reference");
  gtk_box_append(GTK_BOX(self->box), linked);
  gtk_box_append(GTK_BOX(self->box), self->words);
  gtk_box_append(GTK_BOX(self->box), self->drop);
  gtk_widget_set_parent(self->box, GTK_WIDGET(self));
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}
