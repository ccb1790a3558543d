/* regard-alternatives.c — the n-best list of one sentence, in a popover.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows are made when the popover opens, not at every keystroke. What differs from the shown
 * translation is bold, so that the eye finds it. They are in the order of their scores, which stand
 * beside them: log p alone is not in order where their lengths differ.
 */
#include "parts/regard-alternatives.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

struct _RegardAlternatives {
  GtkPopover parent_instance;
  GtkListBox *list;
  GtkLabel *legend; /* what the numbers are */
  RegardDocument *document;
  mt_translation *translation;
  guint chosen;
};

G_DEFINE_FINAL_TYPE(RegardAlternatives, regard_alternatives, GTK_TYPE_POPOVER)

/* Markup of `text` with the words that are not in front and back of `other` in bold. */
static char *
mark_difference(const char *text, const char *other)
{
  g_auto(GStrv) a = g_strsplit(text, " ", -1), b = g_strsplit(other, " ", -1);
  guint n = g_strv_length(a), m = g_strv_length(b), front = 0, back = 0;
  while (front < n && front < m && g_str_equal(a[front], b[front]))
    front++;
  while (back < n - front && back < m - front && g_str_equal(a[n - 1 - back], b[m - 1 - back]))
    back++;
  GString *markup = g_string_new(NULL);
  for (guint i = 0; i < n; i++) {
    g_autofree char *word = g_markup_escape_text(a[i], -1);
    if (i)
      g_string_append_c(markup, ' ');
    if (i >= front && i < n - back)
      g_string_append_printf(markup, "<b>%s</b>", word);
    else
      g_string_append(markup, word);
  }
  return g_string_free(markup, FALSE);
}

/* With a true minus and two digits. Caller frees. */
static char *
number_text(float value)
{
  return g_strdup_printf("%s%.2f", value < 0 ? "−" : "", fabs((double) value));
}

static GtkWidget *
number_label(const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_widget_add_css_class(label, "numeric");
  gtk_widget_add_css_class(label, class);
  gtk_label_set_xalign(GTK_LABEL(label), 1);
  return label;
}

static void
add_row(RegardAlternatives *self, guint i)
{
  const mt_hypothesis *h = mt_translation_hypothesis(self->translation, i);
  const mt_hypothesis *shown = mt_translation_hypothesis(self->translation, self->chosen);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *check = gtk_image_new_from_icon_name("object-select-symbolic");
  GtkWidget *text = gtk_label_new(NULL);
  GtkWidget *numbers = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  g_autofree char *score = number_text(h->score), *logprob = number_text(h->sum_logprob);
  g_autofree char *whole = g_strdup_printf(_("log p %s"), logprob);

  gtk_widget_set_opacity(check, i == self->chosen ? 1 : 0);
  g_autofree char *markup = mark_difference(h->text, shown->text);
  gtk_label_set_markup(GTK_LABEL(text), markup);
  gtk_label_set_wrap(GTK_LABEL(text), TRUE);
  gtk_label_set_xalign(GTK_LABEL(text), 0);
  gtk_label_set_max_width_chars(GTK_LABEL(text), 60);
  gtk_label_set_lines(GTK_LABEL(text), 4);
  gtk_label_set_ellipsize(GTK_LABEL(text), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand(text, TRUE);
  gtk_box_append(GTK_BOX(numbers), number_label(score, "regard-value"));
  gtk_box_append(GTK_BOX(numbers), number_label(whole, "regard-hint"));
  gtk_widget_set_valign(numbers, GTK_ALIGN_CENTER);
  gtk_box_append(GTK_BOX(box), check);
  gtk_box_append(GTK_BOX(box), text);
  gtk_box_append(GTK_BOX(box), numbers);
  gtk_list_box_append(self->list, box);

  GtkWidget *row = gtk_widget_get_parent(box);
  g_autofree char *label = g_strdup_printf(_("%s, score %s, %s"), h->text, score, whole);
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  if (i == self->chosen)
    gtk_widget_grab_focus(row);
}

static void
refill(RegardAlternatives *self)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(GTK_WIDGET(self->list))))
    gtk_list_box_remove(self->list, child);
  size_t n = self->translation ? mt_translation_count(self->translation) : 0;
  for (guint i = 0; i < n; i++)
    add_row(self, i);

  const RegardResult *result = self->document ? regard_document_get_result(self->document) : NULL;
  g_autofree char *legend = g_strdup_printf(_("Ranked by score: log p divided by (number of "
                                              "pieces) ^ %.3g, the length penalty. log p is the "
                                              "logarithm of the probability that the model gives "
                                              "to the whole text: 0 is certain, −0.7 one "
                                              "in two, −2.3 one in ten, −4.6 one in a hundred."),
                                            result ? (double) result->params.length_penalty : 1.0);
  gtk_label_set_text(self->legend, legend);
}

static void
on_result(RegardAlternatives *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const RegardResultSentence *active = result ? regard_result_active(result) : NULL;
  mt_translation *translation = active ? active->translation : NULL;
  guint chosen = translation ? active->chosen : 0;
  if (self->translation == translation && self->chosen == chosen)
    return;
  if (translation)
    mt_translation_ref(translation);
  mt_translation_unref(self->translation);
  self->translation = translation;
  self->chosen = chosen;
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    refill(self);
}

void
regard_alternatives_set_document(RegardAlternatives *self, RegardDocument *document)
{
  g_return_if_fail(REGARD_IS_ALTERNATIVES(self) && !self->document);
  self->document = g_object_ref(document);
  g_signal_connect_object(document, "changed::result", G_CALLBACK(on_result), self,
                          G_CONNECT_SWAPPED);
  on_result(self);
}

void
regard_alternatives_choose(RegardAlternatives *self, guint alternative)
{
  regard_document_choose_alternative(self->document, alternative);
}

static void
on_row_activated(GtkListBox *list, GtkListBoxRow *row, RegardAlternatives *self)
{
  gtk_popover_popdown(GTK_POPOVER(self));
  regard_alternatives_choose(self, (guint) gtk_list_box_row_get_index(row));
}

static void
regard_alternatives_map(GtkWidget *widget)
{
  refill(REGARD_ALTERNATIVES(widget));
  GTK_WIDGET_CLASS(regard_alternatives_parent_class)->map(widget);
}

static void
regard_alternatives_finalize(GObject *object)
{
  RegardAlternatives *self = REGARD_ALTERNATIVES(object);
  mt_translation_unref(self->translation);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_alternatives_parent_class)->finalize(object);
}

static void
regard_alternatives_class_init(RegardAlternativesClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_alternatives_finalize;
  GTK_WIDGET_CLASS(klass)->map = regard_alternatives_map;
}

static void
regard_alternatives_init(RegardAlternatives *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new();
  self->list = GTK_LIST_BOX(gtk_list_box_new());
  gtk_list_box_set_selection_mode(self->list, GTK_SELECTION_NONE);
  gtk_widget_add_css_class(GTK_WIDGET(self->list), "alternatives");
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Alternative translations"), -1);
  g_signal_connect(self->list, "row-activated", G_CALLBACK(on_row_activated), self);
  g_object_set(scroller, "hscrollbar-policy", GTK_POLICY_NEVER, "propagate-natural-height", TRUE,
               "propagate-natural-width", TRUE, "max-content-height", 420, "child", self->list,
               NULL);
  self->legend = GTK_LABEL(gtk_label_new(NULL));
  gtk_label_set_wrap(self->legend, TRUE);
  gtk_label_set_xalign(self->legend, 0);
  gtk_label_set_max_width_chars(self->legend, 60);
  gtk_widget_add_css_class(GTK_WIDGET(self->legend), "regard-hint");
  gtk_widget_add_css_class(GTK_WIDGET(self->legend), "alternatives-legend");
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append(GTK_BOX(box), scroller);
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(self->legend));
  gtk_popover_set_child(GTK_POPOVER(self), box);
}

GtkWidget *
regard_alternatives_new(void)
{
  return g_object_new(REGARD_TYPE_ALTERNATIVES, NULL);
}
