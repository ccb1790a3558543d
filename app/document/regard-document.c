/* regard-document.c — the document: the object, its text, and from a text to its answer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * There is no debounce by the clock. A request leaves at the next turn of the main loop, so that a
 * replacement (which GtkTextBuffer reports as two changes) is one request; if the worker is still
 * busy with an older text it stops at its next layer. Fast typing therefore costs nothing, and slow
 * typing is answered at once.
 */
#include "document/regard-document-private.h"

#include "document/regard-sentences.h"
#include <string.h>

G_DEFINE_FINAL_TYPE(RegardDocument, regard_document, G_TYPE_OBJECT)

static GParamSpec *props[REGARD_DOCUMENT_N_PROPS];
guint regard_document_signals[REGARD_DOCUMENT_N_SIGNALS];

void
regard_document_notify(RegardDocument *self, guint property)
{
  g_object_notify_by_pspec(G_OBJECT(self), props[property]);
}

RegardSelection *
regard_document_get_selection(RegardDocument *self)
{
  return self->selection;
}

gboolean
regard_document_is_busy(RegardDocument *self)
{
  return regard_document_is_opening(self) || regard_document_is_reading(self) ||
         self->request_idle || self->revival || regard_work_is_busy(self->retrying) ||
         regard_document_is_translating(self);
}

/* ---- Requests ------------------------------------------------------------------------------ */

gboolean
regard_document_is_translating(RegardDocument *self)
{
  return self->model && self->translator && regard_translator_is_busy(self->translator);
}

gboolean
regard_document_is_waiting(RegardDocument *self)
{
  return self->is_waiting;
}

void
regard_document_set_waiting(RegardDocument *self, gboolean waiting)
{
  waiting = waiting && self->model;
  if (self->is_waiting == waiting)
    return;
  self->is_waiting = waiting;
  regard_document_notify(self, REGARD_DOCUMENT_WAITING);
}

void
regard_document_update_request(RegardDocument *self, gboolean force)
{
  g_clear_handle_id(&self->request_idle, g_source_remove);
  if (self->foreign) /* the text is put aside */
    return;
  g_autoptr(GArray) sentences = regard_sentences_split(self->text);
  int alternative = self->next_alternative;
  self->next_alternative = -1;

  if (sentences->len == 0) {
    regard_document_stop(self);
    regard_document_clear_result(self);
    return;
  }
  int active = regard_sentences_at(sentences, self->text, self->caret);
  if (!force && alternative < 0 && active == self->asked_active &&
      g_strcmp0(self->text, self->asked_text) == 0)
    return;
  g_free(self->asked_text);
  self->asked_text = g_strdup(self->text);
  self->asked_active = active;
  regard_translator_request(self->translator, self->text, sentences, active, alternative,
                            &self->search);
  regard_selection_set_stale(self->selection, TRUE);
  regard_document_set_waiting(self, TRUE);
}

static gboolean
on_request_idle(gpointer data)
{
  RegardDocument *self = data;
  self->request_idle = 0;
  regard_document_record(self);
  regard_document_update_request(self, FALSE);
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
  regard_document_update_request(self, TRUE);
}

void
regard_document_stop(RegardDocument *self)
{
  regard_translator_cancel(self->translator);
  g_clear_pointer(&self->asked_text, g_free);
  regard_document_set_waiting(self, FALSE);
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
  g_return_if_fail(REGARD_IS_DOCUMENT(self));
  if (self->copies_unknown == copies)
    return;
  self->copies_unknown = copies;
  if (self->translator)
    regard_translator_set_copies(self->translator, copies);
  if (self->asked_text)
    regard_document_update_request(self, TRUE);
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
  memcpy(whole.language, self->search.language, sizeof whole.language);
  mt_request_set_changes(&whole, self->search.changes);
  if (mt_request_equal(&whole, &self->search)) {
    mt_request_clear(&whole);
    return;
  }
  regard_document_record(self);
  mt_request_clear(&self->search);
  self->search = whole;
  regard_document_record(self);
  regard_document_notify(self, REGARD_DOCUMENT_SEARCH);
  if (self->asked_text)
    regard_document_update_request(self, TRUE);
}

void
regard_document_set_language(RegardDocument *self, const char *code)
{
  if (g_str_equal(self->search.language, code))
    return;
  if (!self->is_changing)
    regard_document_record(self);
  g_strlcpy(self->search.language, code, sizeof self->search.language);
  if (!self->is_changing)
    regard_document_record(self);
  regard_document_notify(self, REGARD_DOCUMENT_LANGUAGE);
  if (self->translator && self->model && !self->is_changing)
    regard_document_update_request(self, TRUE);
}

/* ---- The text ------------------------------------------------------------------------------ */

const char *
regard_document_get_text(RegardDocument *self)
{
  return self->text;
}

gsize
regard_document_get_caret(RegardDocument *self)
{
  return self->caret;
}

void
regard_document_take_text(RegardDocument *self, const char *text, gsize caret)
{
  gboolean is_same = g_str_equal(text, self->text);
  gsize before = self->caret;
  if (!is_same) {
    g_autofree char *old = self->text;
    self->later_alternative = -1;
    self->text = g_strdup(text);
  }
  self->caret = MIN(caret, strlen(self->text));
  if (!is_same)
    regard_document_notify(self, REGARD_DOCUMENT_TEXT);
  if (self->caret != before)
    regard_document_notify(self, REGARD_DOCUMENT_CARET);
  if (self->constraints)
    regard_document_notify(self, REGARD_DOCUMENT_CONSTRAINTS);
  queue_request(self);
}

void
regard_document_edit(RegardDocument *self, const char *text, gsize caret)
{
  if (self->foreign)
    return;
  regard_document_move_constraints(self, text);
  regard_document_take_text(self, text, caret);
}

void
regard_document_set_caret(RegardDocument *self, gsize caret)
{
  regard_document_edit(self, self->text, caret);
}

void
regard_document_set_text(RegardDocument *self, const char *text)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self));
  regard_document_close_capture(self);
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  /* Behind the first sentence: it is shown, and one can go on typing. */
  g_autoptr(GArray) sentences = regard_sentences_split(valid);
  regard_document_take_text(self, valid,
                            sentences->len ? g_array_index(sentences, RegardSentence, 0).end : 0);
}

void
regard_document_step_sentence(RegardDocument *self, int step)
{
  g_autoptr(GArray) sentences = regard_sentences_split(self->text);
  int at = regard_sentences_at(sentences, self->text, self->caret) + step;
  if (at >= 0 && at < (int) sentences->len)
    regard_document_set_caret(self, g_array_index(sentences, RegardSentence, at).begin);
}

/* ---- The answer ---------------------------------------------------------------------------- */

RegardResult *
regard_document_get_result(RegardDocument *self)
{
  return self->result;
}

void
regard_document_show_answer(RegardDocument *self)
{
  gboolean is_first = regard_selection_get_capture(self->selection) == NULL;
  /* The picture that was there stays, dimmed, until another one replaces it. */
  if (self->result->capture && !regard_document_show_comparison(self)) {
    const RegardResultSentence *active = regard_result_active(self->result);
    regard_selection_show(self->selection, self->result->capture, self->result->model,
                          active ? active->translation : NULL, active ? active->chosen : 0);
    if (is_first)
      regard_document_set_place(self, self->place);
    regard_selection_set_stale(self->selection, FALSE);
  }
}

void
regard_document_show_result(RegardDocument *self)
{
  regard_document_show_answer(self);
  regard_document_notify(self, REGARD_DOCUMENT_RESULT);
}

void
regard_document_clear_result(RegardDocument *self)
{
  g_clear_pointer(&self->result, regard_result_unref);
  regard_document_end_swap(self);
  regard_document_stop_comparing(self);
  regard_selection_set_capture(self->selection, NULL);
  regard_selection_set_stale(self->selection, FALSE);
  regard_document_notify(self, REGARD_DOCUMENT_RESULT);
}

static void
on_result(RegardTranslator *translator, RegardResult *result, RegardDocument *self)
{
  if (result->complete)
    regard_document_set_waiting(self, FALSE);
  if (self->foreign)
    return;
  regard_result_ref(result);
  regard_result_unref(self->result);
  self->result = result;
  regard_document_end_swap(self);
  regard_document_update_comparison(self);
  regard_document_show_result(self);
  if (self->result == result) /* who heard of it may have asked for something else */
    regard_document_check_constraints(self);
}

/* ---- The place ----------------------------------------------------------------------------- */

const RegardPlace *
regard_document_get_place(RegardDocument *self)
{
  return &self->place;
}

void
regard_document_set_place(RegardDocument *self, RegardPlace place)
{
  gboolean is_same = memcmp(&place, &self->place, sizeof place) == 0;
  self->place = place;
  if (!is_same)
    regard_document_notify(self, REGARD_DOCUMENT_PLACE);
  regard_selection_set_place(self->selection, place.kind, place.layer, place.head);
}

static void
on_selection(RegardDocument *self)
{
  /* Without a capture nothing is chosen by anybody. */
  if (!regard_selection_get_capture(self->selection))
    return;
  RegardPlace place = {regard_selection_get_kind(self->selection),
                       regard_selection_get_layer(self->selection),
                       regard_selection_get_head(self->selection)};
  if (memcmp(&place, &self->place, sizeof place) == 0)
    return;
  self->place = place;
  regard_document_notify(self, REGARD_DOCUMENT_PLACE);
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
  regard_document_close_model(self);
  regard_work_drop(self->reading);
  regard_document_stop_comparing(self);
  regard_document_stop_revival(self);
  regard_document_free_session(self);
  g_clear_object(&self->translator); /* waits for the worker, which stops at its next layer */
  g_clear_pointer(&self->ready_dir, g_free);
  g_clear_pointer(&self->result, regard_result_unref);
  regard_document_end_swap(self);
}

static void
regard_document_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  RegardDocument *self = REGARD_DOCUMENT(object);
  switch (id) {
  case REGARD_DOCUMENT_TEXT:
    g_value_set_string(value, self->text);
    break;
  case REGARD_DOCUMENT_CARET:
    g_value_set_uint64(value, self->caret);
    break;
  case REGARD_DOCUMENT_MODEL:
    g_value_set_pointer(value, self->model);
    break;
  case REGARD_DOCUMENT_LOADING:
    g_value_set_string(value, self->loading_dir);
    break;
  case REGARD_DOCUMENT_SHARE:
    g_value_set_double(value, self->share);
    break;
  case REGARD_DOCUMENT_LANGUAGE:
    g_value_set_string(value, self->search.language);
    break;
  case REGARD_DOCUMENT_CHANGES:
    g_value_set_pointer(value, self->search.changes);
    break;
  case REGARD_DOCUMENT_PRECISION:
    g_value_set_int(value, (int) self->precision);
    break;
  case REGARD_DOCUMENT_PLACE:
    g_value_set_pointer(value, &self->place);
    break;
  case REGARD_DOCUMENT_RESULT:
    g_value_set_boxed(value, self->result);
    break;
  case REGARD_DOCUMENT_WAITING:
    g_value_set_boolean(value, self->is_waiting);
    break;
  case REGARD_DOCUMENT_FOREIGN:
    g_value_set_boxed(value, self->foreign);
    break;
  case REGARD_DOCUMENT_READING:
    g_value_set_boolean(value, regard_document_is_reading(self));
    break;
  case REGARD_DOCUMENT_TRAINING:
    g_value_set_boxed(value, self->training);
    break;
  case REGARD_DOCUMENT_KEEPS:
    g_value_set_boolean(value, self->keeps);
    break;
  case REGARD_DOCUMENT_SEARCH:
    g_value_set_pointer(value, &self->search);
    break;
  case REGARD_DOCUMENT_CONSTRAINTS:
    g_value_set_pointer(value, (gpointer) regard_document_get_constraints(self));
    break;
  case REGARD_DOCUMENT_CAN_UNDO:
    g_value_set_boolean(value, regard_document_can_undo(self));
    break;
  case REGARD_DOCUMENT_CAN_REDO:
    g_value_set_boolean(value, regard_document_can_redo(self));
    break;
  case REGARD_DOCUMENT_REFERENCE:
    g_value_set_boxed(value, self->reference);
    break;
  case REGARD_DOCUMENT_COMPARE:
    g_value_set_int(value, (int) self->compare);
    break;
  case REGARD_DOCUMENT_COMPARISON:
    g_value_set_boxed(value, self->comparison);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
regard_document_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  RegardDocument *self = REGARD_DOCUMENT(object);
  switch (id) {
  case REGARD_DOCUMENT_TEXT:
    regard_document_set_text(self, g_value_get_string(value));
    break;
  case REGARD_DOCUMENT_CARET:
    regard_document_set_caret(self, (gsize) g_value_get_uint64(value));
    break;
  case REGARD_DOCUMENT_LANGUAGE:
    regard_document_set_language(self, g_value_get_string(value));
    break;
  case REGARD_DOCUMENT_PRECISION:
    regard_document_set_precision(self, (mt_precision) g_value_get_int(value));
    break;
  case REGARD_DOCUMENT_KEEPS:
    regard_document_set_keeps(self, g_value_get_boolean(value));
    break;
  case REGARD_DOCUMENT_COMPARE:
    regard_document_set_compare(self, (RegardCompare) g_value_get_int(value));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
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
  regard_document_free_model(self);
  regard_document_free_means(self);
  mt_request_clear(&self->search);
  g_clear_pointer(&self->reference, regard_state_unref);
  g_free(self->text);
  g_free(self->asked_text);
  mt_capture_unref(self->foreign);
  g_free(self->foreign_path);
  g_clear_object(&self->loading);
  g_clear_object(&self->reading);
  g_clear_object(&self->retrying);
  g_clear_object(&self->comparing);
  g_clear_pointer(&self->training, g_array_unref);
  g_free(self->own_text);
  g_free(self->before_learning);
  g_clear_pointer(&self->kept, g_hash_table_unref);
  g_clear_pointer(&self->given, g_hash_table_unref);
  g_clear_pointer(&self->constraints, g_hash_table_unref);
  g_free(self->constraints_model);
  mt_constraints_unref(self->fitting);
  g_ptr_array_unref(self->history);
  g_free(self->restored_dir);
  g_clear_object(&self->selection);
  G_OBJECT_CLASS(regard_document_parent_class)->finalize(object);
}

static void
regard_document_class_init(RegardDocumentClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GType type = G_TYPE_FROM_CLASS(klass);
  const GParamFlags r = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  const GParamFlags rw = r | G_PARAM_WRITABLE;
  object_class->get_property = regard_document_get_property;
  object_class->set_property = regard_document_set_property;
  object_class->dispose = regard_document_dispose;
  object_class->finalize = regard_document_finalize;

  props[REGARD_DOCUMENT_TEXT] = g_param_spec_string("text", NULL, NULL, "", rw);
  props[REGARD_DOCUMENT_CARET] = g_param_spec_uint64("caret", NULL, NULL, 0, G_MAXUINT64, 0, rw);
  props[REGARD_DOCUMENT_MODEL] = g_param_spec_pointer("model", NULL, NULL, r);
  props[REGARD_DOCUMENT_LOADING] = g_param_spec_string("loading", NULL, NULL, NULL, r);
  props[REGARD_DOCUMENT_SHARE] = g_param_spec_double("share", NULL, NULL, 0, 1, 0, r);
  props[REGARD_DOCUMENT_CHANGES] = g_param_spec_pointer("changes", NULL, NULL, r);
  props[REGARD_DOCUMENT_LANGUAGE] = g_param_spec_string("language", NULL, NULL, "", rw);
  props[REGARD_DOCUMENT_PRECISION] =
      g_param_spec_int("precision", NULL, NULL, 0, G_MAXINT, MT_PRECISION_STORED, rw);
  props[REGARD_DOCUMENT_PLACE] = g_param_spec_pointer("place", NULL, NULL, r);
  props[REGARD_DOCUMENT_RESULT] = g_param_spec_boxed("result", NULL, NULL, REGARD_TYPE_RESULT, r);
  props[REGARD_DOCUMENT_WAITING] = g_param_spec_boolean("waiting", NULL, NULL, FALSE, r);
  props[REGARD_DOCUMENT_FOREIGN] =
      g_param_spec_boxed("foreign", NULL, NULL, REGARD_TYPE_CAPTURE, r);
  props[REGARD_DOCUMENT_READING] = g_param_spec_boolean("reading", NULL, NULL, FALSE, r);
  props[REGARD_DOCUMENT_TRAINING] = g_param_spec_boxed("training", NULL, NULL, G_TYPE_ARRAY, r);
  props[REGARD_DOCUMENT_KEEPS] = g_param_spec_boolean("keeps", NULL, NULL, FALSE, rw);
  props[REGARD_DOCUMENT_SEARCH] = g_param_spec_pointer("search", NULL, NULL, r);
  props[REGARD_DOCUMENT_CONSTRAINTS] = g_param_spec_pointer("constraints", NULL, NULL, r);
  props[REGARD_DOCUMENT_CAN_UNDO] = g_param_spec_boolean("can-undo", NULL, NULL, FALSE, r);
  props[REGARD_DOCUMENT_CAN_REDO] = g_param_spec_boolean("can-redo", NULL, NULL, FALSE, r);
  props[REGARD_DOCUMENT_REFERENCE] =
      g_param_spec_boxed("reference", NULL, NULL, REGARD_TYPE_STATE, r);
  props[REGARD_DOCUMENT_COMPARE] =
      g_param_spec_int("compare", NULL, NULL, REGARD_COMPARE_OFF, REGARD_COMPARE_DIFFERENCE,
                       REGARD_COMPARE_OFF, rw);
  props[REGARD_DOCUMENT_COMPARISON] =
      g_param_spec_boxed("comparison", NULL, NULL, REGARD_TYPE_COMPARISON, r);
  g_object_class_install_properties(object_class, REGARD_DOCUMENT_N_PROPS, props);

  regard_document_signals[REGARD_DOCUMENT_LOAD_FAILED] =
      g_signal_new("load-failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                   G_TYPE_STRING, G_TYPE_ERROR);
  regard_document_signals[REGARD_DOCUMENT_MODEL_FAILED] =
      g_signal_new("model-failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                   G_TYPE_ERROR);
  regard_document_signals[REGARD_DOCUMENT_READ_FAILED] =
      g_signal_new("read-failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                   G_TYPE_ERROR);
  regard_document_signals[REGARD_DOCUMENT_SESSION_OPENED] =
      g_signal_new("session-opened", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                   G_TYPE_POINTER);
  regard_document_signals[REGARD_DOCUMENT_SESSION_LACKS] =
      g_signal_new("session-lacks", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                   G_TYPE_STRING, G_TYPE_STRING);
  regard_document_signals[REGARD_DOCUMENT_CONSTRAINTS_DROPPED] =
      g_signal_new("constraints-dropped", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                   1, G_TYPE_STRING);
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
  if (wants && !self->foreign && active && active->translation &&
      !mt_translation_steps(active->translation))
    regard_document_update_request(self, TRUE);
}

static void
regard_document_init(RegardDocument *self)
{
  self->text = g_strdup("");
  self->loading = regard_work_new(self);
  self->reading = regard_work_new(self);
  self->retrying = regard_work_new(self);
  self->comparing = regard_work_new(self);
  regard_document_init_history(self);
  self->next_alternative = self->later_alternative = -1;
  self->asked_active = -1;
  self->selection = regard_selection_new();
  self->place.kind = regard_selection_get_kind(self->selection);
  g_signal_connect_object(self->selection, "notify::kind", G_CALLBACK(on_selection), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "notify::layer", G_CALLBACK(on_selection), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "notify::head", G_CALLBACK(on_selection), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "notify::wants-steps", G_CALLBACK(on_wants_steps), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "constraints-wanted",
                          G_CALLBACK(regard_document_constrain), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "changes-wanted",
                          G_CALLBACK(regard_document_set_changes), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "pair-wanted",
                          G_CALLBACK(regard_document_check_comparison), self, G_CONNECT_SWAPPED);
  self->translator = regard_translator_new();
  g_signal_connect_object(self->translator, "result", G_CALLBACK(on_result), self, 0);
  regard_document_connect_model(self);
  regard_document_connect_session(self);
}

RegardDocument *
regard_document_new(void)
{
  return g_object_new(REGARD_TYPE_DOCUMENT, NULL);
}
