/* regard-target-pane.c — the translation, its pieces, how it was found, and what else there is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-target-pane.h"

#include "base/regard-template.h"
#include "document/regard-sentences.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "parts/regard-language-choice.h"
#include "parts/regard-meanings.h"
#include "parts/regard-search-popover.h"
#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* ==== A label in several wordings: the longest that there is room for ========================= */

struct _RegardAdaptiveLabel {
  GtkWidget parent_instance;
  AdwSqueezer *squeezer;
  GtkLabel *labels[REGARD_MOST_WORDINGS];
  GtkWidget *sign; /* that there is more in the tooltip */
};

G_DEFINE_FINAL_TYPE(RegardAdaptiveLabel, regard_adaptive_label, GTK_TYPE_WIDGET)

void
regard_adaptive_label_set(RegardAdaptiveLabel *self, const char *const *texts, gboolean may_cut)
{
  g_return_if_fail(REGARD_IS_ADAPTIVE_LABEL(self) && texts[0]);
  guint n = g_strv_length((char **) texts);
  g_return_if_fail(n <= REGARD_MOST_WORDINGS);
  for (guint i = 0; i < REGARD_MOST_WORDINGS; i++) {
    gboolean is_last = i + 1 >= n;
    gtk_label_set_text(self->labels[i], texts[MIN(i, n - 1)]);
    /* A label that can be cut off fits everywhere: it is the end of the list. */
    gtk_label_set_ellipsize(self->labels[i],
                            is_last && may_cut ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
    gtk_widget_set_visible(GTK_WIDGET(self->labels[i]), i < n);
  }
  /* Who listens gets the longest wording, whatever there is room for. */
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, texts[0], -1);
  gtk_widget_set_visible(self->sign, FALSE);
}

/* What who listens gets in the place of the longest wording, and what the tooltip says; a sign
 * behind the wording tells that there is more. */
static void
say_more(RegardAdaptiveLabel *self, const char *spoken, const char *tooltip)
{
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, spoken, -1);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self), tooltip);
  gtk_widget_set_visible(self->sign, TRUE);
}

static void
regard_adaptive_label_dispose(GObject *object)
{
  RegardAdaptiveLabel *self = REGARD_ADAPTIVE_LABEL(object);
  GtkWidget *squeezer = (GtkWidget *) g_steal_pointer(&self->squeezer);
  if (squeezer) {
    gtk_widget_unparent(squeezer);
    gtk_widget_unparent(self->sign);
  }
  G_OBJECT_CLASS(regard_adaptive_label_parent_class)->dispose(object);
}

static void
regard_adaptive_label_class_init(RegardAdaptiveLabelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_adaptive_label_dispose;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(klass), GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
regard_adaptive_label_init(RegardAdaptiveLabel *self)
{
  self->squeezer = ADW_SQUEEZER(adw_squeezer_new());
  gtk_widget_set_parent(GTK_WIDGET(self->squeezer), GTK_WIDGET(self));
  gtk_widget_set_hexpand(GTK_WIDGET(self->squeezer), TRUE);
  self->sign = g_object_new(GTK_TYPE_IMAGE, "icon-name", "help-about-symbolic", "visible", FALSE,
                            "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
  gtk_widget_set_margin_start(self->sign, 6);
  gtk_widget_set_parent(self->sign, GTK_WIDGET(self));
  for (guint i = 0; i < REGARD_MOST_WORDINGS; i++) {
    self->labels[i] =
        g_object_new(GTK_TYPE_LABEL, "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
    gtk_label_set_xalign(self->labels[i], 1);
    gtk_label_set_single_line_mode(self->labels[i], TRUE);
    gtk_widget_set_visible(GTK_WIDGET(self->labels[i]), i == 0);
    adw_squeezer_add(self->squeezer, GTK_WIDGET(self->labels[i]));
  }
}

/* ==== The n-best list of one sentence, in a popover ==============================================
 *
 * The rows are made when the popover opens, not at every keystroke. What differs from the shown
 * translation is bold, so that the eye finds it. They are in the order of their scores, which stand
 * beside them: log p alone is not in order where their lengths differ.
 */

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
  return regard_strdup_printf("%s%.2f", value < 0 ? "−" : "", fabs((double) value));
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
  g_autofree char *legend =
      regard_strdup_printf(_("Ranked by score: log p divided by (number of "
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

/* List those of the sentence that is looked at, and show the one that is picked. */
static void
regard_alternatives_set_document(RegardAlternatives *self, RegardDocument *document)
{
  g_return_if_fail(REGARD_IS_ALTERNATIVES(self) && !self->document);
  self->document = g_object_ref(document);
  regard_observe(document, self, on_result, "changed::result");
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

static GtkWidget *
regard_alternatives_new(void)
{
  return g_object_new(REGARD_TYPE_ALTERNATIVES, NULL);
}

/* ==== A popover to type a translation of one's own in ========================================= */

struct _RegardOwnTranslation {
  GtkPopover parent_instance;
  RegardDocument *document;
  GtkTextView *view;
  GtkWidget *back;
  char *before;        /* given when it was opened; NULL: nothing */
  gboolean is_setting; /* the program writes, not the person */
};

G_DEFINE_FINAL_TYPE(RegardOwnTranslation, regard_own_translation, GTK_TYPE_POPOVER)

static void
on_changed(GtkTextBuffer *buffer, RegardOwnTranslation *self)
{
  if (self->is_setting)
    return;
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds(buffer, &start, &end);
  g_autofree char *text = gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
  regard_document_give_translation(self->document, text);
  gtk_widget_set_sensitive(self->back,
                           regard_document_get_user_translation(self->document) != NULL);
}

/* What stands there now, all of it selected: to be changed or typed over. */
static void
fill(RegardOwnTranslation *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const mt_hypothesis *shown = result && result->active >= 0
                                   ? regard_result_hypothesis(result, (guint) result->active)
                                   : NULL;
  const char *given = regard_document_get_user_translation(self->document);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(self->view);
  g_free(self->before);
  self->before = g_strdup(given);
  self->is_setting = TRUE;
  gtk_text_buffer_begin_irreversible_action(buffer);
  gtk_text_buffer_set_text(buffer, given ? given : shown ? shown->text : "", -1);
  gtk_text_buffer_end_irreversible_action(buffer);
  self->is_setting = FALSE;
  gtk_widget_set_sensitive(self->back, given != NULL);
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds(buffer, &start, &end);
  gtk_text_buffer_select_range(buffer, &end, &start);
}

static void
go_back(RegardOwnTranslation *self)
{
  regard_document_give_translation(self->document, NULL);
  gtk_popover_popdown(GTK_POPOVER(self));
}

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       RegardOwnTranslation *self)
{
  switch (keyval) {
  case GDK_KEY_Escape:
    regard_document_give_translation(self->document, self->before);
    break;
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
    break;
  default:
    return FALSE;
  }
  gtk_popover_popdown(GTK_POPOVER(self));
  return TRUE;
}

/* ---- The text that it follows -------------------------------------------------------------- */

static void
on_pressed(GtkGestureClick *gesture, int n_press, double x, double y, RegardOwnTranslation *self)
{
  GtkWidget *button = gtk_widget_get_parent(GTK_WIDGET(self));
  if (n_press == 2 && gtk_widget_get_visible(button) && gtk_widget_get_sensitive(button))
    gtk_menu_button_popup(GTK_MENU_BUTTON(button));
}

static gboolean
on_text_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
            RegardOwnTranslation *self)
{
  if (keyval != GDK_KEY_Escape || !regard_document_get_user_translation(self->document))
    return FALSE;
  regard_document_give_translation(self->document, NULL);
  return TRUE;
}

static void
follow(RegardOwnTranslation *self, GtkWidget *text)
{
  GtkGesture *click = gtk_gesture_click_new();
  gtk_event_controller_set_name(GTK_EVENT_CONTROLLER(click), "own-translation");
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
  g_signal_connect_object(click, "pressed", G_CALLBACK(on_pressed), self, 0);
  gtk_widget_add_controller(text, GTK_EVENT_CONTROLLER(click));
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_name(keys, "models-own");
  g_signal_connect_object(keys, "key-pressed", G_CALLBACK(on_text_key), self, 0);
  gtk_widget_add_controller(text, keys);
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_own_translation_map(GtkWidget *widget)
{
  RegardOwnTranslation *self = REGARD_OWN_TRANSLATION(widget);
  fill(self);
  GTK_WIDGET_CLASS(regard_own_translation_parent_class)->map(widget);
  gtk_widget_grab_focus(GTK_WIDGET(self->view));
}

static void
regard_own_translation_finalize(GObject *object)
{
  RegardOwnTranslation *self = REGARD_OWN_TRANSLATION(object);
  g_free(self->before);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_own_translation_parent_class)->finalize(object);
}

static void
regard_own_translation_class_init(RegardOwnTranslationClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_own_translation_finalize;
  GTK_WIDGET_CLASS(klass)->map = regard_own_translation_map;
}

static void
regard_own_translation_init(RegardOwnTranslation *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *scroller = gtk_scrolled_window_new();
  GtkWidget *hint = gtk_label_new(_("The model is asked how likely this is, and what it attends to "
                                    "in writing it. Enter keeps it, Escape takes it back."));
  self->view = GTK_TEXT_VIEW(gtk_text_view_new());
  self->back = gtk_button_new_with_mnemonic(_("The _Model’s Own"));

  gtk_text_view_set_wrap_mode(self->view, GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab(self->view, FALSE);
  g_object_set(self->view, "left-margin", 8, "right-margin", 8, "top-margin", 6, "bottom-margin", 6,
               NULL);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Your translation"), -1);
  g_object_set(scroller, "hscrollbar-policy", GTK_POLICY_NEVER, "propagate-natural-height", TRUE,
               "max-content-height", 200, "min-content-width", 380, "has-frame", TRUE, "child",
               self->view, NULL);
  gtk_label_set_wrap(GTK_LABEL(hint), TRUE);
  gtk_label_set_xalign(GTK_LABEL(hint), 0);
  gtk_label_set_max_width_chars(GTK_LABEL(hint), 48);
  gtk_widget_add_css_class(hint, "regard-hint");
  gtk_widget_set_halign(self->back, GTK_ALIGN_END);
  gtk_box_append(GTK_BOX(box), scroller);
  gtk_box_append(GTK_BOX(box), hint);
  gtk_box_append(GTK_BOX(box), self->back);
  gtk_popover_set_child(GTK_POPOVER(self), box);

  g_signal_connect(gtk_text_view_get_buffer(self->view), "changed", G_CALLBACK(on_changed), self);
  g_signal_connect_swapped(self->back, "clicked", G_CALLBACK(go_back), self);
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_name(keys, "keep-or-not");
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(GTK_WIDGET(self), keys);
}

/* text: where the translation stands; a reference is not taken. */
static GtkWidget *
regard_own_translation_new(RegardDocument *document, GtkWidget *text)
{
  RegardOwnTranslation *self = g_object_new(REGARD_TYPE_OWN_TRANSLATION, NULL);
  self->document = g_object_ref(document);
  follow(self, text);
  return GTK_WIDGET(self);
}

/* ==== The pane ================================================================================ */

/* A spinner appears only when an answer takes longer than people notice. */
#define SPINNER_AFTER_MS 400

struct _RegardTargetPane {
  GtkWidget parent_instance;
  RegardTextCard *card;
  RegardLanguageChoice *language;
  GtkSpinner *spinner;
  GtkMenuButton *own_button, *search_button, *alternatives_button;
  RegardAdaptiveLabel *alternatives_label, *status;
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
  return !here || !shown || regard_document_get_imported_capture(self->document) ||
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
  if (!result || !self->spans || regard_document_get_imported_capture(self->document))
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

/* One more of those that stand beside each other; NULL: none. */
static void
add_part(GString *parts, const char *part)
{
  if (part)
    g_string_append_printf(parts, "%s%s", parts->len ? " · " : "", part);
}

/* How likely it is, how long it took, and with what weights, in a line for who listens; and of it
 * what must be seen: that it is a person's own or kept, rounded weights, changes in the model. The
 * rest stands in the tooltip. NULL: there is no translation. Caller frees both. */
static char *
describe(RegardDocument *document, const RegardResult *result, char **seen)
{
  const RegardResultSentence *active = regard_result_active(result);
  const mt_hypothesis *shown =
      active ? regard_result_hypothesis(result, (guint) result->active) : NULL;
  if (!shown)
    return NULL;
  double p = shown->sum_logprob, ms = mt_translation_milliseconds(active->translation);
  mt_precision precision = mt_translation_precision(active->translation);
  const char *name = regard_naming_precision(precision);
  /* Nothing was searched for: how long that took would say nothing.
   * Translators: "yours" is the translation that the reader typed, "kept" one that was kept when
   * something was changed. */
  g_autofree char *time = regard_document_get_user_translation(document) ? g_strdup(_("yours"))
                          : active->is_given                             ? g_strdup(_("kept"))
                                             : g_strdup_printf(_("%.0f ms"), ms < 1 ? 1.0 : ms);
  guint n = (guint) mt_interventions_count(mt_translation_interventions(active->translation));
  guint n_forced = active->is_given ? 0 : (guint) shown->n_forced;
  guint n_copied = active->copies ? (guint) active->copies->n : 0;
  g_autofree char *copied =
      n_copied ? g_strdup_printf(ngettext("%u word copied", "%u words copied", n_copied), n_copied)
               : NULL;
  g_autofree char *forced =
      n_forced
          ? g_strdup_printf(ngettext("%u piece forced", "%u pieces forced", n_forced), n_forced)
          : NULL;
  g_autofree char *interventions =
      n ? g_strdup_printf(ngettext("%u change", "%u changes", n), n) : NULL;
  g_autofree char *logprob =
      regard_strdup_printf(_("log p %s%.1f"), p < 0 ? "−" : "", p < 0 ? -p : p);
  const gboolean is_model = !regard_document_get_user_translation(document) && !active->is_given;
  const gboolean is_rounded = precision != MT_PRECISION_STORED;
  const char *const all[] = {logprob, time, name, interventions, forced, copied};
  const gboolean are_seen[] = {FALSE, !is_model, is_rounded, TRUE, TRUE, TRUE};
  g_autoptr(GString) said = g_string_new(NULL), parts = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(all); i++) {
    add_part(said, all[i]);
    add_part(parts, are_seen[i] ? all[i] : NULL);
  }
  *seen = g_string_free(g_steal_pointer(&parts), FALSE);
  return g_string_free(g_steal_pointer(&said), FALSE);
}

G_GNUC_PRINTF(2, 3)
static void
add_line(GString *text, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_string_append_c(text, '\n');
  g_string_append_vprintf(text, format, args);
  va_end(args);
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
  REGARD_IN_LANGUAGE(REGARD_LANGUAGE_WINDOW);
  double p = shown->sum_logprob;
  guint n = (guint) mt_interventions_count(mt_translation_interventions(active->translation));
  GString *text = g_string_new(NULL);
  g_string_printf(text,
                  _("The model gives this translation, word for word, a probability of %.2g %%: "
                    "log p %s%.2f is its natural logarithm, the sum over its pieces."),
                  100 * exp(p), p < 0 ? "−" : "", fabs(p));
  if (!regard_document_get_user_translation(document) && !active->is_given)
    add_line(text, _("It was found in %.1f ms."), mt_translation_milliseconds(active->translation));
  if (active->copies)
    add_line(text, _("Words that are underlined twice are copied from the source: attention "
                     "names them where the model wrote <unk>."));
  else if (regard_document_get_copy_unknown(document) && !active->is_given &&
           mt_copies_are_wanted(shown))
    add_line(text, _("The model wrote <unk>; with these changes attention does not say for "
                     "which word."));
  add_line(text, _("Weights of the model: %s."),
           regard_naming_precision(mt_translation_precision(active->translation)));
  if (n > 0)
    add_line(text,
             ngettext("The model was changed in %u place.", "The model was changed in %u places.",
                      n),
             n);
  return g_string_free(text, FALSE);
}

/* How the translation went; while a piece is pointed at, what that piece is. */
static void
update_status(RegardTargetPane *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const mt_capture *file = regard_document_get_imported_capture(self->document);
  g_autofree char *seen = NULL, *spoken = NULL;
  gboolean is_hovered = regard_token_strip_get_hovered(self->strip) >= 0;
  if (is_hovered)
    seen = g_strdup(regard_token_strip_get_summary(self->strip));
  else if (file)
    seen = regard_naming_pieces(mt_capture_output(file));
  else if (result)
    spoken = describe(self->document, result, &seen);
  const char *const wordings[] = {seen ? seen : "", NULL};
  regard_adaptive_label_set(self->status, wordings, is_hovered || file);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->status), seen && *seen ? seen : NULL);
  if (spoken) {
    g_autofree char *explanation = explain(self->document, result);
    say_more(self->status, spoken, explanation);
  }
}

/* Which of several it is, and whose. */
static void
update_alternatives(RegardTargetPane *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  gboolean shows_file = regard_document_get_imported_capture(self->document) != NULL;
  const RegardResultSentence *active = result && !shows_file ? regard_result_active(result) : NULL;
  const mt_hypothesis *shown =
      active ? regard_result_hypothesis(result, (guint) result->active) : NULL;
  const gboolean simple = regard_selection_get_simple(self->selection);
  gtk_widget_set_visible(GTK_WIDGET(self->search_button), !shows_file && !simple);
  gtk_widget_set_visible(GTK_WIDGET(self->alternatives_button), shown != NULL && !simple);
  gtk_widget_set_visible(GTK_WIDGET(self->own_button), active != NULL && !simple);
  gtk_widget_set_visible(GTK_WIDGET(self->status), !simple);
  if (!shows_file) {
    gboolean is_own =
        shown && active->is_given && regard_document_get_user_translation(self->document);
    g_object_set(self->card, "title", is_own ? _("Your Translation") : _("Translation"), NULL);
  }
  if (!shown)
    return;
  guint n = (guint) mt_translation_count(active->translation);
  g_autofree char *which = g_strdup_printf(_("alternative %u of %u"), active->chosen + 1, n);
  g_autofree char *numbers = g_strdup_printf(_("%u of %u"), active->chosen + 1, n);
  const char *const wordings[] = {which, numbers, NULL};
  regard_adaptive_label_set(self->alternatives_label, wordings, FALSE);
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
on_answer(RegardTargetPane *self)
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
on_imported(RegardTargetPane *self)
{
  const mt_capture *file = regard_document_get_imported_capture(self->document);
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
  g_return_if_fail(REGARD_IS_TARGET_PANE(self) && !self->document);
  self->document = g_object_ref(document);
  self->selection = regard_document_get_selection(document);
  regard_token_strip_set_selection(self->strip, self->selection);
  regard_meanings_show(self->strip, REGARD_SIDE_TARGET, document, settings);
  add_popovers(self, settings);
  regard_language_choice_set_document(self->language, document, settings);
  regard_observe(document, self, on_answer, "changed::result");
  regard_observe(document, self, on_imported, "changed::foreign");
  regard_observe(document, self, on_waiting, "changed::waiting");
  regard_observe(self->selection, self, update_alternatives, "notify::simple");
  regard_observe(self->selection, self, update_lit, "hover-changed", "pin-changed",
                 "matrix-changed");
  regard_observe(self->selection, self, update_reached, "notify::step", "reached-changed",
                 "notify::capture");
  on_answer(self);
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

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardTargetPane, name)

static void
regard_target_pane_class_init(RegardTargetPaneClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(card),
                                                 CHILD(language),
                                                 CHILD(spinner),
                                                 CHILD(own_button),
                                                 CHILD(search_button),
                                                 CHILD(alternatives_button),
                                                 CHILD(alternatives_label),
                                                 CHILD(status),
                                                 {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_target_pane_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_target_pane_finalize;
  g_type_ensure(REGARD_TYPE_TEXT_CARD);
  g_type_ensure(REGARD_TYPE_LANGUAGE_CHOICE);
  g_type_ensure(REGARD_TYPE_ADAPTIVE_LABEL);
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  regard_set_template(klass, "regard-target-pane.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_caret_moved);
  gtk_widget_class_bind_template_callback(widget_class, on_hover);
}

static void
regard_target_pane_init(RegardTargetPane *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->strip = regard_text_card_add_strip(self->card, REGARD_SIDE_TARGET);
  regard_observe(self->strip, self, update_status, "summary-changed");
}
