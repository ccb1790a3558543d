/* regard-corpus-card.c — one head over a text: the sentences in which it is strongest, groups by
 * quantile, and search.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sentences are asked for in a thread; what comes too late is dropped. A row is the excerpt around
 * the cell that speaks for it: the query on blue, the key on orange. A click opens the sentence in
 * the window, a second one shows it in Attention.
 */
#include "views/measure/regard-corpus-card.h"

#include "figures/regard-language.h"
#include "runner/regard-work.h"
#include "views/regard-view.h"
#include "widgets/regard-gtk.h"

#include <math.h>
#include <string.h>

/* Sentences that a search shows at most. */
#define MOST_FOUND 100

typedef enum { STRONGEST, QUANTILES, SEARCH, N_MODES } Mode;

struct _RegardCorpusCard {
  GtkWidget parent_instance;

  const CorpusOptions *look;
  Mode mode;
  RegardWork *work;
  RegardExamples *examples; /* NULL: none */
  mt_attention_kind kind;   /* of the head that they are of */
  mt_corpus_measure least_of;
  int least_head; /* whose mean the spin button was set to */

  GtkWidget *name, *badges, *modes[N_MODES], *search_line, *words, *with_head, *least, *list,
      *stack, *message, *status;
};

G_DEFINE_FINAL_TYPE(RegardCorpusCard, regard_corpus_card, GTK_TYPE_WIDGET)

/* ---- Rows ------------------------------------------------------------------------------------ */

static void
add_mark(PangoAttrList *marks, guint begin, guint end, guint32 rgb)
{
  PangoAttribute *attributes[] = {pango_attr_background_new((guint16) ((rgb >> 16 & 0xff) * 0x101),
                                                            (guint16) ((rgb >> 8 & 0xff) * 0x101),
                                                            (guint16) ((rgb & 0xff) * 0x101)),
                                  pango_attr_background_alpha_new(0x4800),
                                  pango_attr_weight_new(PANGO_WEIGHT_BOLD)};

  for (guint i = 0; i < G_N_ELEMENTS(attributes); i++) {
    attributes[i]->start_index = begin;
    attributes[i]->end_index = end;
    pango_attr_list_insert(marks, attributes[i]);
  }
}

/* Words that were searched for, wherever they begin a word. */
static void
mark_found(PangoAttrList *marks, const char *text, const char *words)
{
  g_auto(GStrv) wanted = g_str_tokenize_and_fold(words, NULL, NULL);

  for (const char *p = text; *p;) {
    const char *end = p;
    while (*end && g_unichar_isalnum(g_utf8_get_char(end)))
      end = g_utf8_next_char(end);
    if (end == p) {
      p = g_utf8_next_char(p);
      continue;
    }
    g_autofree char *word = g_strndup(p, (gsize) (end - p));
    g_auto(GStrv) folded = g_str_tokenize_and_fold(word, NULL, NULL);
    for (guint i = 0; wanted[i] && folded[0]; i++)
      if (g_str_equal(folded[0], wanted[i]) ||
          (strchr(words, '*') && g_str_has_prefix(folded[0], wanted[i]))) {
        PangoAttribute *bold = pango_attr_weight_new(PANGO_WEIGHT_BOLD);
        bold->start_index = (guint) (p - text);
        bold->end_index = (guint) (end - text);
        pango_attr_list_insert(marks, bold);
      }
    p = end;
  }
}

static GtkWidget *
new_text(RegardCorpusCard *self, const RegardExample *example, mt_stack side)
{
  RegardExcerpt excerpt = regard_example_excerpt(example, self->kind, side);
  GtkWidget *label = gtk_label_new(excerpt.text);
  PangoAttrList *marks = pango_attr_list_new();
  const gboolean is_marked =
      excerpt.query_end > excerpt.query_begin || excerpt.key_end > excerpt.key_begin;

  if (excerpt.query_end > excerpt.query_begin)
    add_mark(marks, excerpt.query_begin, excerpt.query_end, 0x3584e4);
  if (excerpt.key_end > excerpt.key_begin)
    add_mark(marks, excerpt.key_begin, excerpt.key_end, 0xff7800);
  if (self->mode == SEARCH)
    mark_found(marks, excerpt.text, gtk_editable_get_text(GTK_EDITABLE(self->words)));
  gtk_label_set_attributes(GTK_LABEL(label), marks);
  pango_attr_list_unref(marks);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  if (!is_marked && example->query >= 0)
    gtk_widget_add_css_class(label, "regard-name");
  gtk_widget_set_tooltip_text(label, example->sentence->text[side]);
  regard_excerpt_clear(&excerpt);
  return label;
}

static char *
marked_text(const RegardExample *example, mt_attention_kind kind, gboolean is_query)
{
  for (mt_stack side = 0; side < MT_N_STACKS; side++) {
    RegardExcerpt e = regard_example_excerpt(example, kind, side);
    const guint begin = is_query ? e.query_begin : e.key_begin;
    const guint end = is_query ? e.query_end : e.key_end;
    char *text = end > begin ? g_strndup(e.text + begin, end - begin) : NULL;

    regard_excerpt_clear(&e);
    if (text)
      return text;
  }
  return NULL;
}

/* "0.98, query wieder, key Monday: Classes are …" */
static char *
say(RegardCorpusCard *self, const RegardExample *example)
{
  g_autofree char *query = marked_text(example, self->kind, TRUE);
  g_autofree char *key = marked_text(example, self->kind, FALSE);
  g_autofree char *value =
      regard_head_statistic_format(mt_corpus_measure_about(self->look->measure), example->value);
  const char *text = example->sentence->text[MT_STACK_ENCODER];

  if (query && key)
    /* Translators: a number, two tokens, a sentence */
    return *value ? g_strdup_printf(_("%s, query %s, key %s: %s"), value, query, key, text)
                  : g_strdup_printf(_("query %s, key %s: %s"), query, key, text);
  return *value ? g_strdup_printf(_("%s: %s"), value, text) : g_strdup(text);
}

static GtkWidget *
new_row(RegardCorpusCard *self, RegardExample *example)
{
  GtkWidget *row = gtk_list_box_row_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *texts = gtk_box_new(GTK_ORIENTATION_VERTICAL, 1);
  g_autofree char *number =
      regard_head_statistic_format(mt_corpus_measure_about(self->look->measure), example->value);
  g_autofree char *said = say(self, example);
  GtkWidget *value = regard_label_new(number, 0, "regard-name");

  gtk_label_set_xalign(GTK_LABEL(value), 1);
  gtk_label_set_width_chars(GTK_LABEL(value), 5);
  gtk_widget_set_valign(value, GTK_ALIGN_START);
  gtk_widget_add_css_class(value, "regard-value");
  gtk_widget_set_hexpand(texts, TRUE);
  for (mt_stack side = 0; side < MT_N_STACKS; side++)
    gtk_box_append(GTK_BOX(texts), new_text(self, example, side));
  regard_box_append(box, value, texts, NULL);
  gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), box);
  g_object_set_data(G_OBJECT(row), "example", example);
  regard_accessible_set_label(row, said);
  return row;
}

/* Before each group of quantiles: which it is. */
static void
update_header(GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  const RegardExample *example = g_object_get_data(G_OBJECT(row), "example");
  const RegardExample *above = before ? g_object_get_data(G_OBJECT(before), "example") : NULL;

  if (!example || example->group < 0 || (above && above->group == example->group)) {
    gtk_list_box_row_set_header(row, NULL);
    return;
  }
  g_autofree char *text =
      example->group == 0 ? g_strdup(_("The least tenth of the sentences"))
      : example->group == MT_CORPUS_GROUPS - 1
          ? g_strdup(_("The greatest tenth"))
          : g_strdup_printf(_("Tenth %d of %d"), example->group + 1, MT_CORPUS_GROUPS);
  GtkWidget *label = regard_label_new(text, REGARD_LABEL_START, "corpus-group");
  gtk_list_box_row_set_header(row, label);
}

static void
clear_rows(RegardCorpusCard *self)
{
  GtkWidget *row;

  while ((row = gtk_widget_get_first_child(self->list)))
    gtk_list_box_remove(GTK_LIST_BOX(self->list), row);
  g_clear_pointer(&self->examples, g_ptr_array_unref);
}

static void
show_message(RegardCorpusCard *self, const char *text)
{
  clear_rows(self);
  gtk_label_set_text(GTK_LABEL(self->message), text);
  gtk_stack_set_visible_child(GTK_STACK(self->stack), self->message);
  gtk_label_set_text(GTK_LABEL(self->status), "");
}

/* ---- Asking ---------------------------------------------------------------------------------- */

typedef struct {
  RegardCorpus *corpus;
  RegardCorpusHead head;
  mt_corpus_measure measure;
  Mode mode;
  char *words;
  mt_corpus_query query;
  guint64 total; /* found */
} Asked;

static void
asked_clear(gpointer data)
{
  Asked *asked = data;

  regard_corpus_unref(asked->corpus);
  g_free(asked->words);
}

static gpointer
ask(RegardRun *run, mt_error *error)
{
  Asked *asked = regard_run_get_params(run);

  return asked->mode == SEARCH
             ? regard_corpus_search(asked->corpus, &asked->query, &asked->total, error)
             : regard_corpus_examples(asked->corpus, &asked->head, asked->measure,
                                      asked->mode == QUANTILES, error);
}

static const RegardTask asking = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(Asked),
    .compute = ask,
    .clear_params = asked_clear,
    .free_result = (GDestroyNotify) g_ptr_array_unref,
};

static void
show_status(RegardCorpusCard *self, const Asked *asked)
{
  g_autofree char *title =
      g_strdup(regard_head_statistic_name(mt_corpus_measure_about(asked->measure)));
  g_autofree char *text = NULL;

  if (asked->mode == SEARCH) {
    g_autofree char *total = regard_dup_count(asked->total);

    text = asked->total > self->examples->len
               ? g_strdup_printf(ngettext("%s sentence, the first %u of them",
                                          "%s sentences, the first %u of them", asked->total),
                                 total, self->examples->len)
               : g_strdup_printf(ngettext("%s sentence", "%s sentences", asked->total), total);
  } else
    text =
        asked->mode == QUANTILES
            ? g_strdup_printf(_("by %s: ten groups of equal size, five sentences of each"), title)
            : g_strdup_printf(ngettext("the %u sentence with the greatest: %s",
                                       "the %u sentences with the greatest: %s",
                                       self->examples->len),
                              self->examples->len, title);
  gtk_label_set_text(GTK_LABEL(self->status), text);
}

static void
on_answered(gpointer owner, RegardRun *run)
{
  RegardCorpusCard *self = owner;
  const Asked *asked = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  RegardExamples *examples = regard_run_finish(run, &error);

  if (!examples) {
    show_message(self, error->message);
    return;
  }
  clear_rows(self);
  self->examples = examples;
  self->kind = asked->head.row.kind;
  for (guint i = 0; i < examples->len; i++)
    gtk_list_box_append(GTK_LIST_BOX(self->list), new_row(self, examples->pdata[i]));
  if (examples->len == 0)
    show_message(self, asked->mode == SEARCH ? _("No sentence of the text is so.")
                                             : _("This measure is not defined for this head."));
  else {
    gtk_stack_set_visible_child_name(GTK_STACK(self->stack), "list");
    show_status(self, asked);
  }
}

static void
load(RegardCorpusCard *self)
{
  const CorpusOptions *look = self->look;

  regard_work_drop(self->work);
  if (!look || !look->corpus || look->selected < 0) {
    show_message(self, "");
    return;
  }
  Asked asked = {
      .corpus = regard_corpus_ref(look->corpus),
      .head = look->corpus->heads[look->selected],
      .measure = look->measure,
      .mode = self->mode,
      .words = g_strdup(gtk_editable_get_text(GTK_EDITABLE(self->words))),
  };
  asked.query = (mt_corpus_query){
      .words = asked.words,
      .has_head = gtk_check_button_get_active(GTK_CHECK_BUTTON(self->with_head)),
      .kind = asked.head.row.kind,
      .layer = asked.head.row.layer,
      .head = asked.head.row.head,
      .measure = look->measure,
      .least = gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->least)),
      .most = INFINITY,
      .is_descending = true,
      .limit = MOST_FOUND,
  };
  if (asked.query.has_head)
    asked.query.most = mt_corpus_measure_about(look->measure)->high[asked.head.row.kind];
  regard_work_run(self->work, &asking, NULL, &asked, on_answered);
}

/* ---- What is looked at ----------------------------------------------------------------------- */

static void
show_badges(RegardCorpusCard *self, const RegardCorpusHead *head)
{
  RegardCorpusBadge badges[REGARD_MOST_BADGES];
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child(self->badges)))
    gtk_box_remove(GTK_BOX(self->badges), child);
  if (!head)
    return;
  const guint n = regard_corpus_head_badges(self->look->corpus, head, badges);
  for (guint i = 0; i < n; i++) {
    GtkWidget *label = regard_label_new(badges[i].text, 0, "regard-badge");

    gtk_widget_set_valign(label, GTK_ALIGN_CENTER);
    gtk_widget_set_tooltip_text(label, badges[i].why);
    gtk_box_append(GTK_BOX(self->badges), label);
    regard_corpus_badge_clear(&badges[i]);
  }
}

/* The condition of a search: "cross 4.1: Special at least 0.53"; what the head does on average is
 * what is asked for at first. */
static void
show_condition(RegardCorpusCard *self, const RegardCorpusHead *head)
{
  const mt_corpus_measure measure = self->look->measure;
  const mt_head_statistic *info = mt_corpus_measure_about(measure);
  const gboolean is_defined = head->measures[measure].n > 0;
  g_autofree char *name = regard_head_row_name(&head->row);
  g_autofree char *text =
      g_strdup_printf(_("%s: %s at least"), name, regard_head_statistic_name(info));

  gtk_check_button_set_label(GTK_CHECK_BUTTON(self->with_head), text);
  gtk_widget_set_sensitive(self->with_head, is_defined);
  gtk_widget_set_sensitive(self->least, is_defined);
  if (!is_defined) {
    gtk_check_button_set_active(GTK_CHECK_BUTTON(self->with_head), FALSE);
    return;
  }
  if (self->least_of == measure && self->least_head == self->look->selected)
    return;
  self->least_of = measure;
  self->least_head = self->look->selected;
  gtk_spin_button_set_range(GTK_SPIN_BUTTON(self->least), info->low[head->row.kind],
                            info->high[head->row.kind]);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(self->least), head->measures[measure].mean);
}

void
regard_corpus_card_set_look(RegardCorpusCard *self, const CorpusOptions *look)
{
  const RegardCorpusHead *head =
      look->corpus && look->selected >= 0 ? &look->corpus->heads[look->selected] : NULL;
  g_autofree char *name = head ? regard_head_row_name(&head->row) : g_strdup("");

  self->look = NULL; /* nothing is asked before all is set */
  gtk_label_set_text(GTK_LABEL(self->name), name);
  self->look = look;
  show_badges(self, head);
  if (head)
    show_condition(self, head);
  load(self);
}

static void
on_mode(RegardCorpusCard *self)
{
  for (Mode mode = 0; mode < N_MODES; mode++)
    if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->modes[mode])))
      self->mode = mode;
  gtk_widget_set_visible(self->search_line, self->mode == SEARCH);
  load(self);
  if (self->mode == SEARCH)
    gtk_widget_grab_focus(self->words);
}

static void
on_asked(RegardCorpusCard *self)
{
  if (self->mode == SEARCH)
    load(self);
}

/* ---- A sentence that is opened --------------------------------------------------------------- */

static void
open_row(RegardCorpusCard *self, GtkListBoxRow *row)
{
  const RegardExample *example = g_object_get_data(G_OBJECT(row), "example");

  gtk_widget_activate_action(GTK_WIDGET(self), "win.show-text", "s",
                             example->sentence->text[MT_STACK_ENCODER]);
}

static void
on_clicked(GtkGestureClick *gesture, int n_press, double x, double y, gpointer data)
{
  if (n_press == 2)
    gtk_widget_activate_action(GTK_WIDGET(data), "win.show-view", "s", "attention");
}

static gboolean
on_key(GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
       gpointer data)
{
  RegardCorpusCard *self = data;
  GtkListBoxRow *row = gtk_list_box_get_selected_row(GTK_LIST_BOX(self->list));

  if (!row || regard_plain_key(keyval) != GDK_KEY_Return ||
      (state & gtk_accelerator_get_default_mod_mask()) != GDK_CONTROL_MASK)
    return FALSE;
  open_row(self, row);
  gtk_widget_activate_action(GTK_WIDGET(self), "win.show-view", "s", "attention");
  return TRUE;
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
build_modes(RegardCorpusCard *self)
{
  const char *const names[] = {_("Strongest"), _("Quantiles"), _("Search")};
  const char *const tooltips[] = {_("The sentences in which the head has most of the measure"),
                                  _("Ten groups of equal size, from the least to the greatest"),
                                  _("Sentences that have certain words")};
  GtkWidget *box = regard_view_new_switch(names, tooltips, N_MODES, STRONGEST, self->modes,
                                          G_CALLBACK(on_mode), self);

  gtk_widget_set_name(box, "corpus-sentences");
  gtk_widget_add_css_class(box, "measure-panes");
  gtk_widget_set_halign(box, GTK_ALIGN_END);
  gtk_widget_set_hexpand(box, TRUE);
  return box;
}

static GtkWidget *
build_search(RegardCorpusCard *self)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);

  self->words = gtk_search_entry_new();
  g_object_set(self->words, "placeholder-text", _("words"), NULL);
  gtk_widget_set_hexpand(self->words, TRUE);
  gtk_widget_set_size_request(self->words, 120, -1);
  gtk_widget_set_tooltip_text(self->words, _("Words that are all in the sentence or in its "
                                             "translation; “…” keeps some together, * stands for "
                                             "any ending"));
  regard_accessible_set_label(self->words, _("Words that are searched for"));
  self->with_head = gtk_check_button_new_with_label("");
  gtk_check_button_set_active(GTK_CHECK_BUTTON(self->with_head), TRUE);
  self->least = gtk_spin_button_new_with_range(0, 1, 0.05);
  gtk_spin_button_set_digits(GTK_SPIN_BUTTON(self->least), 2);
  regard_spin_take_comma(GTK_SPIN_BUTTON(self->least));
  regard_widget_explain(self->least, _("The least value of the measure"),
                        _("Only sentences in which the head has so much of the measure"));
  g_signal_connect_swapped(self->words, "search-changed", G_CALLBACK(on_asked), self);
  g_signal_connect_swapped(self->with_head, "toggled", G_CALLBACK(on_asked), self);
  g_signal_connect_swapped(self->least, "value-changed", G_CALLBACK(on_asked), self);
  regard_box_append(line, self->words, self->with_head, self->least, NULL);
  gtk_widget_set_name(line, "corpus-sentences");
  gtk_widget_add_css_class(line, "measure-line");
  gtk_widget_set_visible(line, FALSE);
  return line;
}

static GtkWidget *
build_list(RegardCorpusCard *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new();
  GtkGesture *click = gtk_gesture_click_new();
  GtkEventController *keys = gtk_event_controller_key_new();

  self->list = gtk_list_box_new();
  gtk_widget_set_name(self->list, "corpus-sentences");
  gtk_widget_add_css_class(self->list, "corpus-examples");
  gtk_list_box_set_header_func(GTK_LIST_BOX(self->list), update_header, NULL, NULL);
  regard_accessible_set_label(self->list,
                              _("Sentences; Enter opens one, Ctrl+Enter shows its attention"));
  g_signal_connect_swapped(self->list, "row-activated", G_CALLBACK(open_row), self);
  g_signal_connect(click, "pressed", G_CALLBACK(on_clicked), self);
  gtk_widget_add_controller(self->list, GTK_EVENT_CONTROLLER(click));
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(self->list, keys);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->list);
  return scroller;
}

static void
regard_corpus_card_init(RegardCorpusCard *self)
{
  self->work = regard_work_new(self);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);

  self->least_head = -1;
  self->name = regard_label_new(NULL, 0, "regard-card-title");
  self->badges = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
  gtk_widget_set_overflow(self->badges, GTK_OVERFLOW_HIDDEN);
  regard_box_append(line, self->name, self->badges, build_modes(self), NULL);
  self->search_line = build_search(self);
  self->stack = gtk_stack_new();
  self->message = regard_label_new(NULL, REGARD_LABEL_WRAP, "regard-note");
  gtk_stack_add_named(GTK_STACK(self->stack), build_list(self), "list");
  gtk_stack_add_child(GTK_STACK(self->stack), self->message);
  gtk_widget_set_vexpand(self->stack, TRUE);
  self->status = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_ELLIPSIZE, "regard-hint");
  regard_box_append(box, line, self->search_line, self->stack, self->status, NULL);
  gtk_widget_set_parent(box, GTK_WIDGET(self));
  regard_accessible_name_inner_buttons(GTK_WIDGET(self));
}

static void
dispose(GObject *object)
{
  RegardCorpusCard *self = REGARD_CORPUS_CARD(object);
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(object));

  g_clear_object(&self->work);
  if (self->list)
    clear_rows(self);
  self->list = NULL;
  self->look = NULL;
  g_clear_pointer(&child, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_corpus_card_parent_class)->dispose(object);
}

static void
regard_corpus_card_class_init(RegardCorpusCardClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = dispose;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "corpuscard");
}

GtkWidget *
regard_corpus_card_new(void)
{
  return g_object_new(REGARD_TYPE_CORPUS_CARD, NULL);
}
