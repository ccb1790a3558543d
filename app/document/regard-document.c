/* regard-document.c — the document: a text, from it to its answer, and what the two depend on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * There is no debounce by the clock. A request leaves at the next turn of the main loop, so that a
 * replacement (which GtkTextBuffer reports as two changes) is one request; if the worker is still
 * busy with an older text it stops at its next layer. Fast typing therefore costs nothing, and slow
 * typing is answered at once. What changed is recorded for undo at the same moment.
 *
 * The parts know nothing of the document and nothing of each other: the history, the model's slot,
 * what was decided about sentences, the comparison, the tasks of sessions. Here they are put
 * together. This file is long because whatever a window asks of its document is one call here, and
 * each call says which of the parts hear of it.
 */
#include "document/regard-document.h"

#include "base/regard-error.h"
#include "document/regard-file-kinds.h"
#include "document/regard-history.h"
#include "document/regard-opened-file.h"
#include "document/regard-overrides.h"
#include "document/regard-sentences.h"
#include <glib/gi18n.h>
#include <string.h>

/* What is the person's own, while a copy of it is worked on. */
typedef struct {
  RegardHistory *history; /* NULL: nothing is put aside */
  char *text;             /* regard_document_get_own_text */
  RegardSnapshot *reference;
  RegardCompare side;
  RegardHeadRef place;
  gboolean is_place_chosen;
  mt_capture *capture; /* from a file, that was shown */
} Aside;

struct _RegardDocument {
  GObject parent_instance;

  RegardTranslator *translator; /* NULL: closed */
  RegardSelection *selection;
  RegardModelSlot *slot;
  RegardOverrides *overrides;
  RegardHistory *history;
  RegardComparer *comparer;
  RegardCompare revived_as; /* the side to be looked at when the reference has its answer */
  RegardTraining training;
  RegardOpenedFile *file;

  const RegardModelSlotState *models;  /* of the slot */
  const RegardComparerState *compared; /* of the comparer */
  RegardText text;

  /* The request, and the answer. */
  mt_request search;
  gboolean copies_unknown;
  RegardHeadRef place;
  gsize most_captured;      /* bytes; 0: no limit */
  char *whole_of;           /* all attention of this sentence is wanted; NULL: of none */
  gboolean is_place_chosen; /* else it is the one that is looked at first of each model … */
  gboolean is_place_due;    /* … and is gone to with its first answer */
  gboolean is_place_late;   /* it was chosen while the answer of another model was shown */
  gboolean is_showing;      /* another capture is shown: what it does not have is not chosen */
  guint64 gesture;
  guint request_idle;    /* a request is about to be sent */
  int next_alternative;  /* with the next request; -1: as it was */
  int later_alternative; /* with the first one to the model that is being opened; -1 */
  char *asked_text;      /* of the newest request; NULL: none */
  int asked_active;
  gboolean is_waiting;
  RegardResult *result; /* NULL: nothing */

  gboolean is_changing; /* those who hear of the model set what belongs to it; it is asked after */
  gboolean had_model;   /* one ran, or runs */
  Aside aside;
  gboolean is_restoring;
  char *restored_dir; /* the model that was asked for by an undo and does not run yet; NULL */
};

G_DEFINE_FINAL_TYPE(RegardDocument, regard_document, G_TYPE_OBJECT)

static guint changed;

/* To those who observe "changed::what". */
static void
notify(RegardDocument *self, const char *what)
{
  g_signal_emit(self, changed, g_quark_from_static_string(what));
}

RegardSelection *
regard_document_get_selection(RegardDocument *self)
{
  return self->selection;
}

gboolean
regard_document_is_busy(RegardDocument *self)
{
  return regard_document_is_opening(self) || regard_opened_file_is_busy(self->file) ||
         self->request_idle || regard_comparer_is_reviving(self->comparer) ||
         regard_document_is_translating(self);
}

mt_model *
regard_document_get_model(RegardDocument *self)
{
  return self->models->own.model;
}

const char *
regard_document_get_model_dir(RegardDocument *self)
{
  return self->models->own.dir;
}

/* The sentence that is looked at. Borrowed; NULL: there is none, or the text is put aside. */
static const char *
get_sentence(RegardDocument *self)
{
  return regard_document_get_imported_capture(self) ? NULL : self->text.sentence;
}

static void
put_precision(RegardDocument *self, mt_precision precision)
{
  if (self->models->precision == precision)
    return;
  regard_model_slot_set_precision(self->slot, precision);
  notify(self, "precision");
}

/* What the old model answered keeps it in memory; when that is gone the next may come. */
static void
end_swap(RegardDocument *self)
{
  if (!self->result || self->result->model == regard_document_get_model(self))
    regard_model_slot_end_swap(self->slot);
}

/* ---- What is recorded for undo ------------------------------------------------------------- */

/* As it is now, borrowed. A model takes time to open: while one is opened for an undo the history
 * has it already. */
static RegardHistoryEntry
get_entry(RegardDocument *self)
{
  return (RegardHistoryEntry){
      .text = self->text.text,
      .caret = self->text.caret,
      .own_text = self->training.own_text,
      .own_caret = self->training.own_caret,
      .model =
          self->restored_dir ? self->restored_dir : (char *) regard_document_get_model_dir(self),
      .search = self->search,
      .given = regard_overrides_get_user_translation(self->overrides),
      .constraints = regard_overrides_get_constraints(self->overrides),
  };
}

static void
notify_history(RegardDocument *self)
{
  notify(self, "can-undo");
  notify(self, "can-redo");
}

/* A new step if something changed. */
static void
record(RegardDocument *self)
{
  if (regard_document_get_imported_capture(self) || self->is_restoring || self->training.is_begun)
    return;
  const RegardHistoryEntry now = get_entry(self);
  if (regard_history_record(self->history, &now, self->gesture))
    notify_history(self);
}

/* The newest state is what is as it is now, without a step. */
static void
settle_history(RegardDocument *self)
{
  const RegardHistoryEntry now = get_entry(self);
  regard_history_replace(self->history, &now);
}

/* ---- The answer ---------------------------------------------------------------------------- */

RegardResult *
regard_document_get_result(RegardDocument *self)
{
  return self->result;
}

/* Whether a part that is shown has it. */
static gboolean
has_place(RegardDocument *self, RegardHeadRef place)
{
  return regard_selection_get_whole_bytes(self->selection) &&
         regard_selection_find_head(self->selection, place.kind, &place.layer, &place.head);
}

static void
note_place(RegardDocument *self, RegardHeadRef place)
{
  if (memcmp(&place, &self->place, sizeof place) == 0)
    return;
  self->place = place;
  notify(self, "place");
}

/* The answer that is shown is of the model before this one, which may have fewer heads. */
static gboolean
is_of_other_model(RegardDocument *self)
{
  return self->result && self->result->model != regard_document_get_model(self);
}

static void
go_to_place(RegardDocument *self, RegardHeadRef place)
{
  note_place(self, place);
  regard_selection_set_place(self->selection, place.kind, place.layer, place.head);
}

static RegardHeadRef
get_first_place(RegardDocument *self)
{
  const RegardFirstHead *first = &self->models->own.first_head;
  return (RegardHeadRef){MT_CROSS, first->layer, first->head};
}

/* Into the selection only: the answer, or what it is compared with. */
static void
show_answer(RegardDocument *self)
{
  const gboolean is_due = self->is_place_due && self->result->capture != NULL &&
                          self->result->model == regard_document_get_model(self);
  const gboolean is_late =
      self->is_place_late && self->result->capture != NULL && !is_of_other_model(self);
  const gboolean is_first =
      is_due || is_late || regard_selection_get_capture(self->selection) == NULL;
  /* The one that was wanted, when this was asked for. */
  const RegardHeadRef place = is_due ? get_first_place(self) : self->place;
  const gsize whole_bytes = self->result->whole_bytes;
  if (self->result->capture && !regard_document_get_imported_capture(self))
    regard_selection_set_rest(self->selection, whole_bytes ? self->result->model : NULL,
                              whole_bytes);
  /* The picture that was there stays, dimmed, until another one replaces it. */
  if (!self->result->capture)
    return;
  self->is_showing = TRUE;
  if (regard_document_get_imported_capture(self) || !regard_comparer_show(self->comparer)) {
    const RegardResultSentence *active = regard_result_active(self->result);
    regard_selection_show(self->selection, self->result->capture, self->result->model,
                          active ? active->translation : NULL, active ? active->chosen : 0);
    if (is_first)
      go_to_place(self, place);
    if (is_due)
      self->is_place_due = FALSE;
    if (is_late)
      self->is_place_late = FALSE;
    regard_selection_set_stale(self->selection, FALSE);
  }
  if (has_place(self, place))
    go_to_place(self, place);
  self->is_showing = FALSE;
}

/* Likewise, and to those who observe it. */
static void
show_result(RegardDocument *self)
{
  show_answer(self);
  notify(self, "result");
}

static void
clear_result(RegardDocument *self)
{
  g_clear_pointer(&self->result, regard_result_unref);
  end_swap(self);
  regard_comparer_clear(self->comparer);
  regard_selection_set_capture(self->selection, NULL);
  regard_selection_set_stale(self->selection, FALSE);
  notify(self, "result");
}

/* ---- Requests ------------------------------------------------------------------------------ */

gboolean
regard_document_is_translating(RegardDocument *self)
{
  return regard_document_get_model(self) && self->translator &&
         regard_translator_is_busy(self->translator);
}

gboolean
regard_document_is_waiting(RegardDocument *self)
{
  return self->is_waiting;
}

static void
set_waiting(RegardDocument *self, gboolean waiting)
{
  waiting = waiting && regard_document_get_model(self);
  if (self->is_waiting == waiting)
    return;
  self->is_waiting = waiting;
  notify(self, "waiting");
}

/* Of another sentence nobody has asked for all attention. */
static void
wish_capture(RegardDocument *self)
{
  if (g_strcmp0(self->whole_of, self->text.sentence) != 0)
    g_clear_pointer(&self->whole_of, g_free);
  regard_translator_set_capture_wish(self->translator,
                                     &(RegardCaptureWish){.most_bytes = self->most_captured,
                                                          .is_whole = self->whole_of != NULL,
                                                          .kind = self->place.kind,
                                                          .layer = self->place.layer});
}

static void
update_request(RegardDocument *self, gboolean force)
{
  g_clear_handle_id(&self->request_idle, g_source_remove);
  if (regard_document_get_imported_capture(self)) /* the text is put aside */
    return;
  int alternative = self->next_alternative;
  self->next_alternative = -1;

  if (self->text.sentences->len == 0) {
    regard_document_stop(self);
    clear_result(self);
    return;
  }
  if (!force && alternative < 0 && self->text.active == self->asked_active &&
      g_strcmp0(self->text.text, self->asked_text) == 0)
    return;
  g_free(self->asked_text);
  self->asked_text = g_strdup(self->text.text);
  self->asked_active = self->text.active;
  wish_capture(self);
  regard_translator_request(self->translator, self->text.text, self->text.sentences,
                            self->text.active, alternative, &self->search);
  regard_selection_set_stale(self->selection, TRUE);
  set_waiting(self, TRUE);
}

static gboolean
on_request_idle(gpointer data)
{
  RegardDocument *self = data;
  self->request_idle = 0;
  record(self);
  update_request(self, FALSE);
  return G_SOURCE_REMOVE;
}

static void
queue_request(RegardDocument *self)
{
  if (!self->request_idle && self->translator)
    self->request_idle = g_idle_add_full(G_PRIORITY_DEFAULT, on_request_idle, self, NULL);
}

void
regard_document_ask(RegardDocument *self)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && self->translator);
  update_request(self, TRUE);
}

void
regard_document_stop(RegardDocument *self)
{
  regard_translator_cancel(self->translator);
  g_clear_pointer(&self->asked_text, g_free);
  set_waiting(self, FALSE);
}

void
regard_document_choose_alternative(RegardDocument *self, guint alternative)
{
  self->next_alternative = (int) alternative;
  queue_request(self);
}

const mt_request *
regard_document_get_search(RegardDocument *self)
{
  return &self->search;
}

void
regard_document_set_copy_unknown(RegardDocument *self, gboolean copies)
{
  if (self->copies_unknown == copies)
    return;
  self->copies_unknown = copies;
  notify(self, "copy-unknown");
  if (self->translator)
    regard_translator_set_copies(self->translator, copies);
  if (self->asked_text)
    update_request(self, TRUE);
}

gboolean
regard_document_get_copy_unknown(RegardDocument *self)
{
  return self->copies_unknown;
}

void
regard_document_set_search(RegardDocument *self, const mt_request *search)
{
  mt_request whole = mt_request_copy(search);
  memcpy(whole.source_language, self->search.source_language, sizeof whole.source_language);
  memcpy(whole.language, self->search.language, sizeof whole.language);
  memcpy(whole.task, self->search.task, sizeof whole.task);
  memcpy(whole.task_prefix, self->search.task_prefix, sizeof whole.task_prefix);
  whole.has_task_prefix = self->search.has_task_prefix;
  mt_request_set_interventions(&whole, self->search.interventions);
  if (mt_request_equal(&whole, &self->search)) {
    mt_request_clear(&whole);
    return;
  }
  record(self);
  mt_request_clear(&self->search);
  self->search = whole;
  record(self);
  notify(self, "search");
  if (self->asked_text)
    update_request(self, TRUE);
}

void
regard_document_set_languages(RegardDocument *self, const char *source, const char *target)
{
  source = source ? source : self->search.source_language;
  target = target ? target : self->search.language;
  if (g_str_equal(self->search.source_language, source) &&
      g_str_equal(self->search.language, target))
    return;
  if (!self->is_changing)
    record(self);
  g_strlcpy(self->search.source_language, source, sizeof self->search.source_language);
  g_strlcpy(self->search.language, target, sizeof self->search.language);
  if (!self->is_changing)
    record(self);
  notify(self, "language");
  if (self->translator && regard_document_get_model(self) && !self->is_changing)
    update_request(self, TRUE);
}

/* The units in which the model reads a text for its task. */
static GArray *
split_text(RegardDocument *self, const char *text)
{
  const mt_model *model = regard_document_get_model(self);
  if (!model)
    return regard_sentences_split(text, MT_UNIT_SENTENCE);
  const mt_search_params params = mt_request_resolve(&self->search, model);
  return regard_sentences_split(text, mt_search_unit(&params, model));
}

/* TRUE: it was cut otherwise before. */
static gboolean
cut_anew(RegardDocument *self)
{
  g_autoptr(GArray) units = split_text(self, self->text.text);
  if (units->len == self->text.sentences->len)
    return FALSE;
  regard_text_set(&self->text, self->text.text, units, self->text.caret);
  return TRUE;
}

void
regard_document_set_task(RegardDocument *self, const char *task, const char *prefix)
{
  mt_request told = {0};
  mt_error error = {0};
  g_strlcpy(told.task, task, sizeof told.task);
  g_return_if_fail(!prefix || mt_request_set_task_prefix(&told, prefix, &error));
  mt_request *search = &self->search;
  if (g_str_equal(search->task, told.task) && search->has_task_prefix == told.has_task_prefix &&
      (!prefix || g_str_equal(search->task_prefix, told.task_prefix)))
    return;
  if (!self->is_changing)
    record(self);
  memcpy(search->task, told.task, sizeof search->task);
  memcpy(search->task_prefix, told.task_prefix, sizeof search->task_prefix);
  search->has_task_prefix = told.has_task_prefix;
  cut_anew(self);
  if (!self->is_changing)
    record(self);
  notify(self, "task");
  if (self->translator && regard_document_get_model(self) && !self->is_changing)
    update_request(self, TRUE);
}

/* Languages and task, as the model was told them once. */
static void
set_told(RegardDocument *self, const mt_request *search)
{
  regard_document_set_languages(self, search->source_language, search->language);
  regard_document_set_task(self, search->task,
                           search->has_task_prefix ? search->task_prefix : NULL);
}

/* ---- What was decided about sentences ------------------------------------------------------ */

/* To the worker: what is kept, and what was given. */
static void
tell_targets(RegardDocument *self)
{
  g_autoptr(GHashTable) targets = regard_overrides_dup_targets(self->overrides);
  regard_translator_set_targets(self->translator, targets);
}

/* The worker has them as long as the model runs that they are of. */
static void
tell_constraints(RegardDocument *self)
{
  gboolean is_same = regard_document_get_model(self) &&
                     regard_overrides_are_of(self->overrides, regard_document_get_model_dir(self));
  if (self->translator)
    regard_translator_set_constraints(self->translator,
                                      is_same ? regard_overrides_get_constraints(self->overrides)
                                              : NULL);
}

/* All of it; model: the folder of the one whose ids the constraints have. */
static void
set_overrides(RegardDocument *self, GHashTable *given, GHashTable *constraints, const char *model)
{
  const gboolean is_given = regard_overrides_set_user_translation(self->overrides, given);
  const gboolean is_constrained =
      regard_overrides_set_constraints(self->overrides, constraints, model);
  if (is_given)
    tell_targets(self);
  if (is_constrained) {
    tell_constraints(self);
    notify(self, "constraints");
  }
  if (self->asked_text && (is_given || is_constrained))
    update_request(self, TRUE);
}

/* A sentence is translated without either; nothing is asked for. */
static void
forget_constraints(RegardDocument *self, const char *sentence)
{
  if (!regard_overrides_constrain(self->overrides, sentence, NULL,
                                  regard_document_get_model_dir(self)))
    return;
  tell_constraints(self);
  notify(self, "constraints");
}

void
regard_document_give_translation(RegardDocument *self, const char *translation)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && self->translator);
  g_autofree char *sentence = g_strdup(get_sentence(self));
  g_autofree char *words = translation ? g_strstrip(g_strdup(translation)) : g_strdup("");
  const char *before = regard_document_get_user_translation(self);
  if (!sentence || g_strcmp0(before ? before : "", words) == 0)
    return;
  record(self);
  if (*words)
    forget_constraints(self, sentence);
  regard_overrides_give(self->overrides, sentence, *words ? words : NULL);
  tell_targets(self);
  if (self->asked_text)
    update_request(self, TRUE);
  record(self);
}

const char *
regard_document_get_user_translation(RegardDocument *self)
{
  return regard_overrides_find_user_translation(self->overrides, get_sentence(self));
}

const mt_constraints *
regard_document_get_constraints(RegardDocument *self)
{
  return regard_overrides_find_constraints(self->overrides, get_sentence(self));
}

void
regard_document_constrain(RegardDocument *self, const mt_constraints *constraints)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && self->translator);
  g_autofree char *sentence = g_strdup(get_sentence(self));
  if (!sentence || !regard_document_get_model(self) ||
      (!regard_document_get_user_translation(self) &&
       mt_constraints_equal(regard_document_get_constraints(self), constraints)))
    return;
  record(self);
  regard_overrides_constrain(self->overrides, sentence, constraints,
                             regard_document_get_model_dir(self));
  tell_constraints(self);
  notify(self, "constraints");
  /* What goes on from a person's own translation is no longer that. */
  if (regard_overrides_give(self->overrides, sentence, NULL))
    tell_targets(self);
  record(self);
  update_request(self, TRUE);
}

/* There is another answer: do they fit? */
static void
check_constraints(RegardDocument *self)
{
  const RegardResultSentence *active = regard_result_active(self->result);
  const mt_constraints *constraints = regard_document_get_constraints(self);
  if (!constraints || !active ||
      regard_overrides_fit(self->overrides, constraints, active->translation))
    return;
  g_autofree char *words = regard_constraints_dup_prefix(constraints, self->result->model);
  forget_constraints(self, self->text.sentence);
  settle_history(self); /* nobody did that; it goes with what was typed */
  update_request(self, TRUE);
  g_signal_emit_by_name(self, "constraints-dropped", words);
}

/* ---- The text ------------------------------------------------------------------------------ */

const char *
regard_document_get_text(RegardDocument *self)
{
  return self->text.text;
}

gsize
regard_document_get_caret(RegardDocument *self)
{
  return self->text.caret;
}

/* Constraints go with the sentence that is typed on. */
static void
move_constraints(RegardDocument *self, const char *text, const GArray *sentences)
{
  if (!regard_overrides_get_constraints(self->overrides))
    return;
  g_auto(GStrv) old = regard_sentences_dup(self->text.text, self->text.sentences);
  g_auto(GStrv) new = regard_sentences_dup(text, sentences);
  if (regard_overrides_move(self->overrides, (const char *const *) old, (const char *const *) new))
    tell_constraints(self);
}

/* Text and caret as they are given, whatever is shown; the worker is asked. */
static void
take_text(RegardDocument *self, const char *text, GArray *sentences, gsize caret)
{
  const gboolean is_same = g_str_equal(text, self->text.text);
  const gsize before = self->text.caret;
  if (!is_same)
    self->later_alternative = -1;
  regard_text_set(&self->text, text, is_same ? self->text.sentences : sentences, caret);
  if (!is_same)
    notify(self, "text");
  if (self->text.caret != before)
    notify(self, "caret");
  if (regard_overrides_get_constraints(self->overrides))
    notify(self, "constraints");
  queue_request(self);
}

static void
put_text(RegardDocument *self, const char *text, gsize caret)
{
  g_autoptr(GArray) sentences = split_text(self, text);
  take_text(self, text, sentences, caret);
}

void
regard_document_edit(RegardDocument *self, const char *text, gsize caret)
{
  if (regard_document_get_imported_capture(self))
    return;
  g_autoptr(GArray) sentences = g_str_equal(text, self->text.text)
                                    ? g_array_ref(self->text.sentences)
                                    : split_text(self, text);
  if (sentences != self->text.sentences)
    move_constraints(self, text, sentences);
  take_text(self, text, sentences, caret);
}

void
regard_document_set_caret(RegardDocument *self, gsize caret)
{
  regard_document_edit(self, self->text.text, caret);
}

void
regard_document_set_text(RegardDocument *self, const char *text)
{
  regard_document_close_capture(self);
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  /* Behind the first sentence: it is shown, and one can go on typing. */
  g_autoptr(GArray) sentences = split_text(self, valid);
  take_text(self, valid, sentences,
            sentences->len ? g_array_index(sentences, RegardSentence, 0).end : 0);
}

void
regard_document_step_sentence(RegardDocument *self, int step)
{
  int at = self->text.active + step;
  if (at >= 0 && at < (int) self->text.sentences->len)
    regard_document_set_caret(self, g_array_index(self->text.sentences, RegardSentence, at).begin);
}

gboolean
regard_document_want_terms(RegardDocument *self, const char *text, GError **error)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self) && text, FALSE);
  mt_error failure = {0};
  if (!regard_document_get_model(self))
    return TRUE;
  const mt_constraints *before = regard_document_get_constraints(self);
  g_autoptr(mt_constraints) constraints =
      regard_constraints_with_terms(before, regard_document_get_model(self), &self->search, text,
                                    &failure);
  if (!constraints)
    return regard_error_set_from_mt(error, &failure);
  size_t n, n_before;
  mt_constraints_terms(constraints, &n);
  mt_constraints_terms(before, &n_before);
  if (n || n_before) /* else a translation of the person's own stays */
    regard_document_constrain(self, constraints);
  return TRUE;
}

/* ---- What is changed in the model --------------------------------------------------------------
 */

void
regard_document_set_interventions(RegardDocument *self, const mt_interventions *interventions)
{
  g_autoptr(mt_interventions) wanted = regard_model_slot_with_means(self->slot, interventions);
  if (mt_interventions_equal(self->search.interventions, wanted))
    return;
  record(self);
  mt_request_set_interventions(&self->search, mt_interventions_count(wanted) ? wanted : NULL);
  record(self);
  if (!regard_document_can_compare(self))
    regard_document_set_compare(self, REGARD_COMPARE_OFF);
  notify(self, "changes");
  if (self->translator && regard_document_get_model(self) && !self->is_changing)
    update_request(self, TRUE);
}

gboolean
regard_document_set_interventions_text(RegardDocument *self, const char *text, GError **error)
{
  mt_error failure = {0};
  g_autoptr(mt_interventions) parsed =
      regard_model_slot_parse_interventions(self->slot, text, &failure);
  if (!parsed)
    return regard_error_set_from_mt(error, &failure);
  regard_document_set_interventions(self, parsed);
  return TRUE;
}

gboolean
regard_document_edit_interventions(RegardDocument *self, const char *line,
                                   RegardInterventionEdit edit, GError **error)
{
  mt_error failure = {0};
  RegardInterventionExtent extent = {0};
  if (regard_document_get_model(self))
    regard_intervention_extent(&extent, mt_model_config(regard_document_get_model(self)));
  g_autofree char *text =
      regard_interventions_edit(self->search.interventions, line, edit, &extent, &failure);
  return text ? regard_document_set_interventions_text(self, text, error)
              : regard_error_set_from_mt(error, &failure);
}

void
regard_document_set_gesture(RegardDocument *self, guint64 gesture)
{
  /* What was there before it is none of it. */
  if (gesture != self->gesture && self->translator)
    record(self);
  self->gesture = gesture;
}

/* ---- The place ----------------------------------------------------------------------------- */

const RegardHeadRef *
regard_document_get_place(RegardDocument *self)
{
  return &self->place;
}

void
regard_document_set_place(RegardDocument *self, RegardHeadRef place)
{
  self->is_place_chosen = TRUE;
  self->is_place_due = FALSE;
  self->is_place_late = is_of_other_model(self);
  if (self->is_place_late)
    note_place(self, place);
  else
    go_to_place(self, place);
}

gboolean
regard_document_is_place_chosen(RegardDocument *self)
{
  return self->is_place_chosen;
}

static void
note_choice(RegardDocument *self)
{
  if (self->is_showing)
    return;
  self->is_place_chosen = TRUE;
  self->is_place_due = self->is_place_late = FALSE;
}

static void
on_selection(RegardDocument *self)
{
  /* Without a capture nothing is chosen by anybody. */
  if (!regard_selection_get_capture(self->selection))
    return;
  note_choice(self);
  note_place(self, (RegardHeadRef){regard_selection_get_kind(self->selection),
                                   regard_selection_get_layer(self->selection),
                                   regard_selection_get_head(self->selection)});
}

/* Attention that is not there, of a text that has too much for all of it. */
static void
on_place_wanted(RegardDocument *self, const mt_capture_place *place)
{
  note_choice(self);
  note_place(self, (RegardHeadRef){(mt_attention_kind) place->kind, (guint) place->layer,
                                   (guint) place->head});
  if (self->translator)
    update_request(self, TRUE);
}

void
regard_document_set_most_captured(RegardDocument *self, gsize bytes)
{
  if (self->most_captured == bytes)
    return;
  self->most_captured = bytes;
  regard_comparer_set_most_captured(self->comparer, bytes);
  if (self->result && self->result->capture)
    update_request(self, TRUE);
}

void
regard_document_compute_whole(RegardDocument *self)
{
  if (!self->translator || !get_sentence(self))
    return;
  g_free(self->whole_of);
  self->whole_of = g_strdup(get_sentence(self));
  update_request(self, TRUE);
}

static void
on_result(RegardTranslator *translator, RegardResult *result, RegardDocument *self)
{
  if (result->complete)
    set_waiting(self, FALSE);
  if (regard_document_get_imported_capture(self))
    return;
  regard_result_ref(result);
  regard_result_unref(self->result);
  self->result = result;
  end_swap(self);
  regard_comparer_update(self->comparer, result, regard_document_can_compare(self));
  show_result(self);
  if (self->result == result) /* who heard of it may have asked for something else */
    check_constraints(self);
}

/* ---- Undo ---------------------------------------------------------------------------------- */

void
regard_document_forget_history(RegardDocument *self)
{
  const RegardHistoryEntry now = get_entry(self);
  regard_history_free(self->history);
  self->history = regard_history_new(&now);
  notify_history(self);
}

static void
restore(RegardDocument *self, const RegardHistoryEntry *entry)
{
  g_autofree char *model = g_strdup(entry->model);
  const char *runs = self->restored_dir ? self->restored_dir : regard_document_get_model_dir(self);
  gboolean is_other_model = model && g_strcmp0(model, runs) != 0;

  self->is_restoring = TRUE;
  regard_training_set_own(&self->training, entry->own_text, entry->own_caret);
  regard_document_set_search(self, &entry->search);
  set_told(self, &entry->search);
  regard_document_set_interventions(self, entry->search.interventions);
  set_overrides(self, entry->given, entry->constraints, entry->model);
  put_text(self, entry->text, entry->caret);
  if (is_other_model && self->models->loading &&
      g_strcmp0(model, regard_document_get_model_dir(self)) == 0)
    regard_document_cancel_loading(self);
  else if (is_other_model) {
    regard_document_open_model(self, model);
    self->restored_dir = g_steal_pointer(&model);
  }
  self->is_restoring = FALSE;
  notify_history(self);
}

gboolean
regard_document_can_undo(RegardDocument *self)
{
  return !regard_document_get_imported_capture(self) && regard_history_can_go(self->history, -1);
}

gboolean
regard_document_can_redo(RegardDocument *self)
{
  return !regard_document_get_imported_capture(self) && regard_history_can_go(self->history, 1);
}

static void
go(RegardDocument *self, int steps)
{
  g_return_if_fail(self->translator);
  record(self);
  if (!regard_document_get_imported_capture(self) && regard_history_can_go(self->history, steps))
    restore(self, regard_history_go(self->history, steps));
}

void
regard_document_undo(RegardDocument *self)
{
  go(self, -1);
}

void
regard_document_redo(RegardDocument *self)
{
  go(self, 1);
}

/* If it is this model that an undo asked for: it runs, cannot be had, or another one was chosen. */
static void
end_restoring(RegardDocument *self, const char *dir)
{
  const RegardHistoryEntry *entry = regard_history_current(self->history);
  if (!self->restored_dir || g_strcmp0(dir, self->restored_dir) != 0)
    return;
  g_clear_pointer(&self->restored_dir, g_free);
  if (self->is_restoring) /* by another undo */
    return;
  /* It may have been remembered with another language than it had then. */
  const mt_request search = entry->search;
  self->is_restoring = TRUE;
  if (g_strcmp0(entry->model, regard_document_get_model_dir(self)) == 0)
    set_told(self, &search);
  self->is_restoring = FALSE;
  settle_history(self);
}

/* ---- A training ---------------------------------------------------------------------------- */

const RegardTraining *
regard_document_get_training(RegardDocument *self)
{
  return &self->training;
}

void
regard_document_set_keeps(RegardDocument *self, gboolean keeps)
{
  if (self->training.keeps == keeps)
    return;
  self->training.keeps = keeps;
  g_autoptr(GHashTable) kept =
      keeps && self->result ? regard_result_dup_translations(self->result) : NULL;
  regard_overrides_set_pinned(self->overrides, kept);
  tell_targets(self);
  notify(self, "keeps");
  update_request(self, TRUE);
}

void
regard_document_show_example(RegardDocument *self)
{
  if (!self->training.own_text && !regard_training_is_example(self->text.text))
    regard_training_set_own(&self->training, self->text.text, self->text.caret);
  regard_document_set_text(self, REGARD_TRAINING_EXAMPLE);
}

const char *
regard_document_get_own_text(RegardDocument *self)
{
  const char *own = self->training.own_text;
  if (self->aside.text)
    return self->aside.text;
  return own && regard_training_is_example(self->text.text) ? own : self->text.text;
}

void
regard_document_learn(RegardDocument *self)
{
  g_autofree char *first = regard_training_first();
  regard_training_begin(&self->training, regard_document_get_model_dir(self));
  /* One step: text and model. */
  record(self);
  regard_document_show_example(self);
  self->training.is_begun = TRUE;
  regard_document_open_model(self, first);
}

void
regard_document_stop_learning(RegardDocument *self)
{
  if (regard_training_is_learning(&self->training, regard_document_get_model_dir(self)))
    regard_document_open_model(self, self->training.before ? self->training.before : "");
}

/* Unless that training runs, or a model is on its way, the text that its example replaced is back.
 */
static void
give_back_text(RegardDocument *self)
{
  if (regard_document_is_opening(self) ||
      regard_training_is_bundled(regard_document_get_model_dir(self)))
    return;
  gsize caret;
  g_autofree char *text = regard_training_take_own(&self->training, self->text.text, &caret);
  if (text)
    put_text(self, text, caret);
}

/* Those beside the model that runs, if it is one of them; steps may be NULL. */
static void
set_training(RegardDocument *self, GArray *steps)
{
  if (!regard_training_set_steps(&self->training, steps, regard_document_get_model_dir(self)))
    regard_document_set_keeps(self, FALSE);
  give_back_text(self);
  notify(self, "training");
}

/* ---- A capture from a file ---------------------------------------------------------------------
 *
 * While one is shown the typed text is put aside and the worker is not asked for anything.
 */

mt_capture *
regard_document_get_imported_capture(RegardDocument *self)
{
  return regard_opened_file_get_capture(self->file);
}

gboolean
regard_document_is_reading(RegardDocument *self)
{
  return regard_opened_file_is_reading(self->file);
}

static void
on_reading(RegardDocument *self)
{
  notify(self, "reading");
}

static void
on_read_failed(RegardDocument *self, const GError *error)
{
  g_signal_emit_by_name(self, "read-failed", error);
}

static void
put_aside(RegardDocument *self)
{
  g_clear_handle_id(&self->request_idle, g_source_remove);
  regard_document_stop(self);
  /* What a model answered that runs no more is not waited for. */
  if (self->result && self->result->model != regard_document_get_model(self))
    g_clear_pointer(&self->result, regard_result_unref);
  end_swap(self);
}

/* In place of the translation. */
static void
show_capture(RegardDocument *self, mt_capture *capture)
{
  gboolean is_first = regard_selection_get_capture(self->selection) == NULL;
  if (!regard_document_get_imported_capture(self))
    put_aside(self);
  regard_opened_file_show(self->file, capture, self->place);
  regard_selection_set_rest(self->selection, NULL, 0);
  self->is_showing = TRUE;
  regard_selection_set_capture(self->selection, capture);
  if (is_first)
    go_to_place(self, self->place);
  self->is_showing = FALSE;
  regard_selection_set_stale(self->selection, FALSE);
  notify(self, "foreign");
}

void
regard_document_close_capture(RegardDocument *self)
{
  regard_opened_file_stop(self->file);
  regard_opened_file_forget_session(self->file);
  if (!regard_opened_file_close(self->file))
    return;
  notify(self, "foreign");
  if (self->result && self->result->capture)
    show_result(self);
  else
    clear_result(self);
  go_to_place(self, regard_opened_file_get_place(self->file));
  update_request(self, TRUE);
}

void
regard_document_open_capture(RegardDocument *self, const char *path)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && path);
  if (self->translator)
    regard_opened_file_read_capture(self->file, path, FALSE);
}

void
regard_document_open_path(RegardDocument *self, const char *path)
{
  if (regard_session_has_ending(path))
    regard_document_open_session(self, path, NULL);
  else if (regard_capture_file_has_ending(path) && self->translator)
    regard_opened_file_read_capture(self->file, path, TRUE);
  else
    regard_document_open_model(self, path);
}

/* ---- The reference, and what is compared with it ------------------------------------------- */

RegardSnapshot *
regard_document_take_snapshot(RegardDocument *self)
{
  const RegardResultSentence *active = self->result ? regard_result_active(self->result) : NULL;
  GHashTable *given = regard_overrides_get_user_translation(self->overrides);
  GHashTable *constraints = regard_overrides_get_constraints(self->overrides);
  RegardSnapshot *state = regard_snapshot_new();
  state->text = g_strdup(self->text.text);
  state->caret = self->text.caret;
  if (regard_document_get_model(self)) {
    state->model = g_strdup(regard_document_get_model_dir(self));
    state->title = g_strdup(self->models->own.title);
  }
  guint at;
  if (regard_document_get_model(self) &&
      regard_training_find(&self->training, regard_document_get_model_dir(self), &at))
    state->checkpoint = (gint64) g_array_index(self->training.steps, RegardTrainingStep, at).step;
  state->search = mt_request_copy(&self->search);
  state->copies_unknown = self->copies_unknown;
  state->precision = self->models->precision;
  state->alternative = active ? active->chosen : 0;
  /* While a file is shown the place of the text is the one to come back to. */
  state->place = regard_document_get_imported_capture(self)
                     ? regard_opened_file_get_place(self->file)
                     : self->place;
  state->given = given ? g_hash_table_ref(given) : NULL;
  state->constraints = constraints ? g_hash_table_ref(constraints) : NULL;
  state->result = self->result ? regard_result_ref(self->result) : NULL;
  return state;
}

gboolean
regard_document_can_compare(RegardDocument *self)
{
  return !regard_document_get_imported_capture(self) &&
         (regard_comparer_has_answer(self->comparer) ||
          mt_interventions_count(self->search.interventions) > 0);
}

const RegardComparerState *
regard_document_get_compared(RegardDocument *self)
{
  return self->compared;
}

void
regard_document_set_compare(RegardDocument *self, RegardCompare compare)
{
  const gboolean can = regard_document_can_compare(self);
  if (!regard_comparer_set_side(self->comparer, can ? compare : REGARD_COMPARE_OFF))
    return;
  regard_comparer_begin(self->comparer, self->result, can);
  if (self->result)
    show_answer(self);
  notify(self, "compare");
}

static void
on_compared(RegardDocument *self)
{
  if (self->result && self->compared->side != REGARD_COMPARE_OFF)
    show_answer(self);
  notify(self, "comparison");
}

/* There is another reference, or there are other changes, or somebody looks at both sides. */
static void
check_comparison(RegardDocument *self)
{
  const gboolean can = regard_document_can_compare(self);
  if (!can)
    regard_document_set_compare(self, REGARD_COMPARE_OFF);
  regard_comparer_update(self->comparer, self->result, can);
}

/* A reference is taken; NULL: none. */
static void
set_reference(RegardDocument *self, RegardSnapshot *state)
{
  if (!regard_comparer_set_reference(self->comparer, state))
    return;
  check_comparison(self);
  notify(self, "reference");
}

void
regard_document_keep_reference(RegardDocument *self)
{
  gboolean is_answered = !self->request_idle && !self->is_waiting;
  if (regard_document_get_imported_capture(self) || !is_answered || !self->result ||
      !self->result->capture)
    return;
  g_autoptr(RegardSnapshot) state = regard_document_take_snapshot(self);
  set_reference(self, state);
}

void
regard_document_drop_reference(RegardDocument *self)
{
  set_reference(self, NULL);
}

static void
on_revived(RegardComparer *comparer, RegardSnapshot *state, const GError *error,
           RegardDocument *self)
{
  g_autofree char *why = error ? g_strdup(error->message) : NULL;
  set_reference(self, state); /* and this is over */
  if (state)
    regard_document_set_compare(self, self->revived_as);
  else
    regard_opened_file_say_lacks(self->file, _("The reference of the session cannot be had"), why);
}

/* When the document's model is there. */
static void
continue_revival(RegardDocument *self)
{
  if (!regard_document_is_opening(self) && regard_document_get_model(self))
    regard_comparer_continue(self->comparer, regard_document_get_model(self),
                             regard_document_get_model_dir(self), self->models->precision,
                             self->models->caches);
}

/* ---- A copy to work on --------------------------------------------------------------------- */

gboolean
regard_document_is_aside(RegardDocument *self)
{
  return self->aside.history != NULL;
}

void
regard_document_put_aside(RegardDocument *self)
{
  mt_capture *capture = regard_document_get_imported_capture(self);
  if (regard_document_is_aside(self))
    return;
  const Aside aside = {
      .text = g_strdup(regard_document_get_own_text(self)),
      .reference =
          self->compared->reference ? regard_snapshot_ref(self->compared->reference) : NULL,
      .side = self->compared->side,
      .place = capture ? regard_opened_file_get_place(self->file) : self->place,
      .is_place_chosen = self->is_place_chosen,
      .capture = capture ? mt_capture_ref(capture) : NULL,
  };
  regard_document_close_capture(self);
  record(self);
  self->aside = aside;
  self->aside.history = self->history;
  const RegardHistoryEntry now = get_entry(self);
  self->history = regard_history_new(&now);
  notify_history(self);
  notify(self, "aside");
}

/* A model that is on its way to the copy is none of what is back. */
static void
bring_back_model(RegardDocument *self)
{
  g_autofree char *wanted = g_strdup(regard_history_current(self->history)->model);
  if (!wanted || g_strcmp0(regard_model_slot_get_newest(self->slot), wanted) == 0)
    return;
  if (!self->models->ready.dir && g_strcmp0(self->models->own.dir, wanted) == 0) {
    regard_document_cancel_loading(self);
    return;
  }
  regard_document_open_model(self, wanted);
  self->restored_dir = g_steal_pointer(&wanted);
}

void
regard_document_bring_back(RegardDocument *self)
{
  if (!regard_document_is_aside(self))
    return;
  Aside aside = self->aside;
  self->aside = (Aside){0};
  if (self->translator) {
    regard_document_close_capture(self);
    regard_document_set_compare(self, REGARD_COMPARE_OFF);
    g_clear_pointer(&self->restored_dir, g_free);
    regard_history_free(self->history);
    self->history = aside.history;
    restore(self, regard_history_current(self->history));
    bring_back_model(self);
    set_reference(self, aside.reference);
    regard_document_set_compare(self, aside.side);
    go_to_place(self, aside.place);
    self->is_place_chosen = aside.is_place_chosen;
    self->is_place_due = !aside.is_place_chosen && regard_document_is_opening(self);
    if (aside.capture)
      show_capture(self, aside.capture);
    notify(self, "aside");
  } else
    regard_history_free(aside.history);
  g_free(aside.text);
  if (aside.reference)
    regard_snapshot_unref(aside.reference);
  mt_capture_unref(aside.capture);
}

/* ---- Sessions ------------------------------------------------------------------------------ */

/* A capture of an older text is none of this one. */
static void
add_captures(RegardDocument *self, RegardSession *session)
{
  const RegardComparison *compared = self->compared->comparison;
  gboolean is_answered = self->result && !self->request_idle && !self->is_waiting;
  mt_capture **out = session->captures;
  if (is_answered)
    out[REGARD_SESSION_CAPTURE] = mt_capture_ref(self->result->capture);
  if (compared && is_answered) {
    out[REGARD_SESSION_A] = mt_capture_ref(compared->passes[0]->capture);
    out[REGARD_SESSION_B] = mt_capture_ref(compared->passes[1]->capture);
  } else if (regard_comparer_has_answer(self->comparer))
    out[REGARD_SESSION_A] = mt_capture_ref(self->compared->reference->result->capture);
  out[REGARD_SESSION_FILE] = mt_capture_ref(regard_document_get_imported_capture(self));
}

/* All of it, to be handed to a task. */
static RegardSessionSaving
begin_saving(RegardDocument *self, const char *path, const RegardViewState *look)
{
  RegardSessionSaving saving = {.path = g_strdup(path)};
  RegardSession *unfinished = regard_opened_file_get_unfinished(self->file);
  if (unfinished) { /* what could not be opened here is passed on as it is */
    saving.session = regard_session_ref(unfinished);
    return saving;
  }
  RegardSession *session = saving.session = regard_session_new();
  session->program = g_strdup("regard " MT_VERSION);
  session->state = regard_document_take_snapshot(self);
  regard_view_state_copy(&session->look, look);
  saving.models[REGARD_SESSION_MODEL] = mt_model_ref(regard_document_get_model(self));
  if (regard_comparer_has_answer(self->comparer)) {
    session->reference = regard_snapshot_ref(self->compared->reference);
    saving.models[REGARD_SESSION_OTHER_MODEL] = mt_model_ref(session->reference->result->model);
  }
  add_captures(self, session);
  return saving;
}

void
regard_document_save_session(RegardDocument *self, const char *path, const RegardViewState *look,
                             RegardRunDone done, gpointer data)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && path && look);
  const RegardSessionSaving saving = begin_saving(self, path, look);
  regard_runner_start(&regard_session_save_task, NULL, &saving, done, data);
}

void
regard_document_make_session(RegardDocument *self, const char *label, const RegardViewState *look,
                             RegardRunDone done, gpointer data)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && label && look);
  const RegardSessionSaving saving = begin_saving(self, label, look);
  regard_runner_start(&regard_session_make_task, NULL, &saving, done, data);
}

char *
regard_document_dup_content(RegardDocument *self)
{
  g_autoptr(RegardSnapshot) now = regard_document_take_snapshot(self);
  return regard_snapshot_dup_content(now, self->compared->reference);
}

/* As a step that can be undone, with the model that is on its way. */
static void
take_on(RegardDocument *self, const RegardSnapshot *state)
{
  record(self);
  self->is_restoring = TRUE;
  regard_training_set_own(&self->training, NULL, 0);
  regard_document_close_capture(self);
  put_text(self, state->text, state->caret);
  regard_document_set_place(self, state->place);
  regard_document_set_search(self, &state->search);
  if (state->copies_unknown >= 0)
    regard_document_set_copy_unknown(self, state->copies_unknown);
  set_told(self, &state->search);
  regard_document_set_interventions(self, state->search.interventions);
  set_overrides(self, state->given, state->constraints, state->model);
  if (g_strcmp0(state->model, regard_document_get_model_dir(self)) == 0)
    regard_document_set_precision(self, state->precision);
  else {
    put_precision(self, state->precision);
    if (state->model)
      regard_document_open_model(self, state->model);
  }
  if (regard_document_is_opening(self))
    self->later_alternative = (int) state->alternative;
  else
    self->next_alternative = (int) state->alternative;
  self->is_restoring = FALSE;
  const char *loading = self->models->loading;
  if (loading && state->model) {
    g_free(self->restored_dir);
    self->restored_dir = g_strdup(loading);
  }
  record(self);
}

/* The reference, too, unless its model is missing. */
static void
take_on_reference(RegardDocument *self, const RegardSessionOpening *opening)
{
  const RegardSession *session = opening->session;
  const RegardCompare compare = (RegardCompare) session->look.compare;
  regard_document_set_compare(self, REGARD_COMPARE_OFF);
  if (session->reference && opening->found[REGARD_SESSION_OTHER_MODEL]) {
    g_autoptr(RegardSnapshot) state =
        regard_session_opening_state(opening, REGARD_SESSION_OTHER_MODEL);
    set_reference(self, state);
    self->revived_as = compare;
    regard_comparer_revive(self->comparer);
    continue_revival(self);
    return;
  }
  set_reference(self, NULL);
  if (session->reference)
    regard_opened_file_leave_reference(self->file, opening);
  else
    regard_document_set_compare(self, compare);
}

static void
on_stored(RegardDocument *self, RegardSession *session, mt_capture *capture)
{
  show_capture(self, capture);
  regard_document_set_place(self, session->state->place);
  g_signal_emit_by_name(self, "session-opened", session);
}

gboolean
regard_document_show_session(RegardDocument *self, const RegardSessionOpening *opening,
                             GError **error)
{
  RegardSession *session = opening->session;
  if (session->model && !opening->found[REGARD_SESSION_MODEL]) {
    g_autoptr(mt_capture) capture = regard_session_take_shown(session);
    if (capture)
      on_stored(self, session, capture);
    else
      g_set_error(error, REGARD_ERROR, REGARD_ERROR_INPUT,
                  _("%s is not on this machine, and nothing was saved that could be shown."),
                  session->model->name);
    return capture != NULL;
  }
  g_autoptr(RegardSnapshot) state = regard_session_opening_state(opening, REGARD_SESSION_MODEL);
  take_on(self, state);
  take_on_reference(self, opening);
  if (session->captures[REGARD_SESSION_FILE])
    show_capture(self, session->captures[REGARD_SESSION_FILE]);
  g_signal_emit_by_name(self, "session-opened", session);
  return TRUE;
}

/* A session takes the place of what is the person's own. */
static void
on_session(RegardDocument *self, const RegardSessionOpening *opening)
{
  regard_document_bring_back(self);
  regard_document_show_session(self, opening, NULL);
}

void
regard_document_prepare(RegardDocument *self, const RegardSnapshot *state, const char *model)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && state && model);
  /* What a person gave for its sentences is told to the worker with the state itself. */
  if (!self->translator || state->given || state->constraints || regard_document_is_opening(self) ||
      g_strcmp0(model, regard_document_get_model_dir(self)) != 0)
    return;
  g_autoptr(GArray) sentences = split_text(self, state->text);
  const int active = regard_sentences_at(sentences, state->text, state->caret);
  if (active >= 0)
    regard_translator_prepare(self->translator, state->text, sentences, active,
                              (int) state->alternative, &state->search);
}

char **
regard_document_list_models(RegardDocument *self)
{
  return regard_model_slot_list(self->slot);
}

static void
on_lacks(RegardDocument *self, const char *title, const char *detail)
{
  g_signal_emit_by_name(self, "session-lacks", title, detail);
}

/* The model that runs, or is about to, is most likely the one. */
void
regard_document_open_session(RegardDocument *self, const char *path, const char *const *recent)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && path);
  if (self->translator)
    regard_opened_file_read_session(self->file, path, recent, regard_model_slot_list(self->slot));
}

/* ---- The model ----------------------------------------------------------------------------- */

const RegardModelSlotState *
regard_document_get_slot(RegardDocument *self)
{
  return self->models;
}

gboolean
regard_document_is_opening(RegardDocument *self)
{
  return regard_model_slot_is_opening(self->slot);
}

void
regard_document_set_caches(RegardDocument *self, gboolean caches)
{
  regard_model_slot_set_caches(self->slot, caches);
}

void
regard_document_set_precision(RegardDocument *self, mt_precision precision)
{
  const gboolean is_asked_for = self->models->precision == precision;
  put_precision(self, precision);
  /* The same model once more. */
  const char *dir = regard_model_slot_get_newest(self->slot);
  if (!dir || (regard_document_is_opening(self)
                   ? is_asked_for
                   : mt_model_precision(regard_document_get_model(self)) == precision))
    return;
  g_autofree char *same = g_strdup(dir);
  regard_document_open_model(self, same);
}

void
regard_document_cancel_loading(RegardDocument *self)
{
  end_restoring(self, self->models->loading);
  regard_model_slot_cancel(self->slot);
}

void
regard_document_open_model(RegardDocument *self, const char *dir)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && dir && self->translator);
  end_restoring(self, self->models->loading);
  regard_model_slot_open(self->slot, dir);
}

static void
on_loading(RegardDocument *self)
{
  const char *dir = self->models->loading;
  const gboolean is_busy = self->translator && regard_translator_is_busy(self->translator);
  /* Who drags through a training is told only of what takes long. */
  if (dir && regard_training_find(&self->training, dir, NULL))
    set_waiting(self, TRUE);
  else if (self->translator && !is_busy)
    set_waiting(self, FALSE);
  notify(self, "loading");
  if (dir)
    return;
  if (!self->models->ready.dir)
    self->training.is_begun = FALSE;
  give_back_text(self);
}

static void
on_load_failed(RegardModelSlot *slot, const char *dir, GArray *steps, const GError *error,
               RegardDocument *self)
{
  end_restoring(self, dir);
  /* The remembered model is gone: begin with the bundled one instead of with nothing. */
  if (!regard_document_get_model(self) && *dir)
    regard_document_open_model(self, "");
  /* A checkpoint that is gone is no longer in its training. In any case the slider goes back. */
  set_training(self,
               regard_training_find(&self->training, dir, NULL) ? steps : self->training.steps);
  g_signal_emit_by_name(self, "load-failed", dir, error);
  continue_revival(self);
}

/* The worker runs it: now it is the model. */
static void
on_model(RegardDocument *self)
{
  mt_model *model = regard_document_get_model(self);
  const gboolean is_first = !self->had_model;
  self->had_model = TRUE;
  regard_selection_set_model(self->selection, model);
  self->is_place_due = !self->is_place_chosen;
  if (!regard_overrides_are_of(self->overrides, regard_document_get_model_dir(self))) {
    regard_overrides_set_constraints(self->overrides, NULL, NULL);
    notify(self, "constraints");
    g_signal_emit_by_name(self, "constraints-dropped", "");
  }
  tell_constraints(self);
  /* "mean" means its own. */
  g_autoptr(mt_interventions) known =
      regard_model_slot_with_means(self->slot, self->search.interventions);
  mt_request_set_interventions(&self->search, known);

  /* One model reads the whole text at once, another one a sentence. */
  const gboolean is_cut_anew = cut_anew(self);

  self->is_changing = TRUE;
  notify(self, "model");
  self->is_changing = FALSE;
  continue_revival(self);
  regard_opened_file_follow(self->file, regard_model_slot_list(self->slot));
  set_training(self, self->models->own.steps);
  if (regard_document_get_imported_capture(self)) /* the text is translated when it is back */
    g_clear_pointer(&self->result, regard_result_unref);
  if (self->later_alternative >= 0)
    self->next_alternative = self->later_alternative;
  self->later_alternative = -1;
  self->training.is_begun = FALSE;
  end_restoring(self, regard_document_get_model_dir(self));
  record(self);
  /* At the start the request has been waiting in the mailbox, without languages, without a task and
   * by sentences. */
  const gboolean has_task = *self->search.task || self->search.has_task_prefix;
  update_request(self, !is_first || mt_model_n_languages(model) > 0 || has_task || is_cut_anew);
  end_swap(self);
}

static void
on_model_failed(RegardModelSlot *slot, const GError *error, RegardDocument *self)
{
  end_restoring(self, self->restored_dir);
  self->training.is_begun = FALSE;
  end_swap(self);
  g_signal_emit_by_name(self, "model-failed", error);
}

static void
on_share(RegardDocument *self)
{
  notify(self, "share");
}

/* ---- The object ---------------------------------------------------------------------------- */

gboolean
regard_document_is_closed(RegardDocument *self)
{
  return self->translator == NULL;
}

void
regard_document_close(RegardDocument *self)
{
  g_clear_handle_id(&self->request_idle, g_source_remove);
  end_restoring(self, self->models->loading);
  regard_opened_file_drop(self->file);
  regard_comparer_clear(self->comparer);
  regard_comparer_stop_reviving(self->comparer);
  g_clear_object(&self->translator); /* waits for the worker, which stops at its next layer */
  g_clear_pointer(&self->result, regard_result_unref);
  regard_model_slot_close(self->slot);
}

static void
regard_document_dispose(GObject *object)
{
  regard_document_close(REGARD_DOCUMENT(object));
  G_OBJECT_CLASS(regard_document_parent_class)->dispose(object);
}

static void
regard_document_finalize(GObject *object)
{
  RegardDocument *self = REGARD_DOCUMENT(object);
  regard_document_bring_back(self); /* which is closed: it is freed */
  mt_request_clear(&self->search);
  regard_text_clear(&self->text);
  g_free(self->asked_text);
  g_free(self->whole_of);
  g_free(self->restored_dir);
  regard_training_clear(&self->training);
  g_object_unref(self->file);
  regard_history_free(self->history);
  regard_overrides_free(self->overrides);
  g_object_unref(self->slot);
  g_object_unref(self->comparer);
  g_object_unref(self->selection);
  G_OBJECT_CLASS(regard_document_parent_class)->finalize(object);
}

static void
regard_document_class_init(RegardDocumentClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GType type = G_TYPE_FROM_CLASS(klass);
  object_class->dispose = regard_document_dispose;
  object_class->finalize = regard_document_finalize;

  changed = g_signal_new("changed", type, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL,
                         NULL, G_TYPE_NONE, 0);
  regard_add_signal(klass, "load-failed", 2, G_TYPE_STRING, G_TYPE_ERROR);
  regard_add_signal(klass, "model-failed", 1, G_TYPE_ERROR);
  regard_add_signal(klass, "read-failed", 1, G_TYPE_ERROR);
  regard_add_signal(klass, "session-opened", 1, G_TYPE_POINTER);
  regard_add_signal(klass, "session-lacks", 2, G_TYPE_STRING, G_TYPE_STRING);
  regard_add_signal(klass, "constraints-dropped", 1, G_TYPE_STRING);
}

/* A page wants to see the search of what is there. */
static void
on_wants_steps(RegardDocument *self)
{
  const RegardResultSentence *active = self->result ? regard_result_active(self->result) : NULL;
  gboolean wants = regard_selection_get_wants_steps(self->selection);
  if (!self->translator)
    return;
  regard_translator_set_traces(self->translator, wants);
  if (wants && !regard_document_get_imported_capture(self) && active && active->translation &&
      !mt_translation_steps(active->translation))
    update_request(self, TRUE);
}

static void
regard_document_init(RegardDocument *self)
{
  regard_text_init(&self->text);
  self->asked_active = -1;
  self->next_alternative = self->later_alternative = -1;
  self->file = regard_opened_file_new();
  self->overrides = regard_overrides_new();
  self->selection = regard_selection_new();
  self->comparer = regard_comparer_new(self->selection);
  self->translator = regard_translator_new();
  self->slot = regard_model_slot_new(self->translator);
  self->models = regard_model_slot_get_state(self->slot);
  self->compared = regard_comparer_get_state(self->comparer);
  self->place.kind = regard_selection_get_kind(self->selection);
  const RegardHistoryEntry now = get_entry(self);
  self->history = regard_history_new(&now);

  const struct {
    gpointer part;
    const char *signal;
    GCallback handler;
    GConnectFlags flags;
  } connections[] = {
      {self->selection, "notify::kind", G_CALLBACK(on_selection), G_CONNECT_SWAPPED},
      {self->selection, "notify::layer", G_CALLBACK(on_selection), G_CONNECT_SWAPPED},
      {self->selection, "notify::head", G_CALLBACK(on_selection), G_CONNECT_SWAPPED},
      {self->selection, "notify::wants-steps", G_CALLBACK(on_wants_steps), G_CONNECT_SWAPPED},
      {self->selection, "constraints-wanted", G_CALLBACK(regard_document_constrain),
       G_CONNECT_SWAPPED},
      {self->selection, "changes-wanted", G_CALLBACK(regard_document_set_interventions),
       G_CONNECT_SWAPPED},
      {self->selection, "pair-wanted", G_CALLBACK(check_comparison), G_CONNECT_SWAPPED},
      {self->selection, "place-wanted", G_CALLBACK(on_place_wanted), G_CONNECT_SWAPPED},
      {self->comparer, "compared", G_CALLBACK(on_compared), G_CONNECT_SWAPPED},
      {self->comparer, "revived", G_CALLBACK(on_revived), 0},
      {self->file, "reading", G_CALLBACK(on_reading), G_CONNECT_SWAPPED},
      {self->file, "failed", G_CALLBACK(on_read_failed), G_CONNECT_SWAPPED},
      {self->file, "capture", G_CALLBACK(show_capture), G_CONNECT_SWAPPED},
      {self->file, "model", G_CALLBACK(regard_document_open_model), G_CONNECT_SWAPPED},
      {self->file, "session", G_CALLBACK(on_session), G_CONNECT_SWAPPED},
      {self->file, "stored", G_CALLBACK(on_stored), G_CONNECT_SWAPPED},
      {self->file, "lacks", G_CALLBACK(on_lacks), G_CONNECT_SWAPPED},
      {self->slot, "loading", G_CALLBACK(on_loading), G_CONNECT_SWAPPED},
      {self->slot, "share", G_CALLBACK(on_share), G_CONNECT_SWAPPED},
      {self->slot, "changed", G_CALLBACK(on_model), G_CONNECT_SWAPPED},
      {self->slot, "load-failed", G_CALLBACK(on_load_failed), 0},
      {self->slot, "failed", G_CALLBACK(on_model_failed), 0},
      {self->translator, "result", G_CALLBACK(on_result), 0},
  };
  for (guint i = 0; i < G_N_ELEMENTS(connections); i++)
    g_signal_connect_object(connections[i].part, connections[i].signal, connections[i].handler,
                            self, connections[i].flags);
}

RegardDocument *
regard_document_new(void)
{
  return g_object_new(REGARD_TYPE_DOCUMENT, NULL);
}
