/* regard-document-history.c — undo and redo: of text, model, request, and the translations that a
 * person gave.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The history is a row of states, of which the document is at one. What changed is recorded when
 * the main loop turns, so that a replacement, which GtkTextBuffer reports as two changes, is one
 * step. Typing is one step a word, with the blanks behind it; what is deleted one by one in one
 * place is one step, and so are walking through a training, turning one number of the search,
 * dragging a weight, and typing one translation.
 *
 * A model takes time to open. While one is opened for an undo the history has it already.
 */
#include "document/regard-document-private.h"

#include <string.h>

/* Whichever is met first, the oldest states are forgotten. */
#define MOST_STATES 1000
#define MOST_BYTES  (16 * 1024 * 1024)

typedef struct {
  GRefString *text;
  gsize caret;
  char *own_text; /* see the document's */
  gsize own_caret;
  char *model; /* NULL: none ran yet */
  mt_request search;
  GHashTable *given; /* a reference; NULL: none */
  GHashTable *constraints;
} State;

static void
state_free(gpointer data)
{
  State *state = data;
  g_ref_string_release(state->text);
  g_free(state->own_text);
  g_free(state->model);
  mt_request_clear(&state->search);
  g_clear_pointer(&state->given, g_hash_table_unref);
  g_clear_pointer(&state->constraints, g_hash_table_unref);
  g_free(state);
}

static State *
current(RegardDocument *self)
{
  return self->history->pdata[self->history_at];
}

/* What is to be undone to. */
static State *
take_state(RegardDocument *self)
{
  State *state = g_new0(State, 1), *before = self->history->len ? current(self) : NULL;
  state->text = before && g_str_equal(before->text, self->text) ? g_ref_string_acquire(before->text)
                                                                : g_ref_string_new(self->text);
  state->caret = self->caret;
  state->own_text = g_strdup(self->own_text);
  state->own_caret = self->own_caret;
  state->model = g_strdup(self->restored_dir ? self->restored_dir : self->model_dir);
  state->search = mt_request_copy(&self->search);
  state->given = self->given ? g_hash_table_ref(self->given) : NULL;
  state->constraints = self->constraints ? g_hash_table_ref(self->constraints) : NULL;
  return state;
}

static gboolean
is_same(const State *a, const State *b)
{
  return g_str_equal(a->text, b->text) && g_strcmp0(a->model, b->model) == 0 &&
         mt_request_equal(&a->search, &b->search) && a->given == b->given &&
         a->constraints == b->constraints;
}

/* ---- What belongs together ----------------------------------------------------------------- */

static gboolean
is_blank(const char *text, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (!g_ascii_isspace(text[i]) || text[i] == '\n')
      return FALSE;
  return TRUE;
}

static gboolean
has_blank(const char *text, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (g_ascii_isspace(text[i]))
      return TRUE;
  return FALSE;
}

/* From one text to the next; joins: it goes on with the step before. */
static RegardDocumentStep
describe_typing(const char *old, const char *new, RegardDocumentStep before, gboolean *joins)
{
  gsize n_old = strlen(old), n_new = strlen(new), front = 0, back = 0;
  while (front < MIN(n_old, n_new) && old[front] == new[front])
    front++;
  while (back < MIN(n_old, n_new) - front && old[n_old - back - 1] == new[n_new - back - 1])
    back++;
  gsize removed = n_old - front - back, added = n_new - front - back;
  /* "ll" after "l": which of them is new cannot be told from the texts; where one goes on can. */
  if (!removed && before.kind == REGARD_STEP_TYPED && before.at < front &&
      before.at + added <= n_new &&
      memcmp(old + before.at, new + before.at + added, n_old - before.at) == 0)
    front = before.at;
  *joins = FALSE;
  if (!removed) {
    *joins = before.kind == REGARD_STEP_TYPED && before.at == front &&
             (is_blank(new + front, added) ||
              (!has_blank(new + front, added) && !has_blank(new + front - 1, 1)));
    return (RegardDocumentStep){REGARD_STEP_TYPED, front + added};
  }
  gboolean is_one = g_utf8_strlen(old + front, (gssize) removed) <= 1;
  if (!added && is_one) {
    *joins =
        before.kind == REGARD_STEP_DELETED && (before.at == front || before.at == front + removed);
    return (RegardDocumentStep){REGARD_STEP_DELETED, front};
  }
  return (RegardDocumentStep){REGARD_STEP_OTHER, 0};
}

/* Bits of the rows of the search that differ; the language is not among them. */
static guint64
differing_rows(const mt_request *a, const mt_request *b)
{
  guint64 rows = 0;
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    double x = 0, y = 0;
    gboolean has_x = mt_request_get(a, i, &x), has_y = mt_request_get(b, i, &y);
    if (has_x != has_y || (has_x && x != y))
      rows |= (guint64) 1 << i;
  }
  return rows;
}

static gboolean
are_of_one_training(const char *a, const char *b)
{
  g_autofree char *x = g_path_get_dirname(a ? a : ""), *y = g_path_get_dirname(b ? b : "");
  g_autofree char *name = g_path_get_basename(a ? a : "");
  return a && b && g_str_has_prefix(name, "step-") && g_str_equal(x, y);
}

static RegardDocumentStep
describe(const State *old, const State *new, guint64 gesture, RegardDocumentStep before,
         gboolean *joins)
{
  gboolean same_text = g_str_equal(old->text, new->text);
  gboolean same_model = g_strcmp0(old->model, new->model) == 0;
  gboolean same_search = mt_request_equal(&old->search, &new->search);
  gboolean same_given = old->given == new->given;
  gboolean same_constraints = old->constraints == new->constraints;
  RegardDocumentStep step = {REGARD_STEP_OTHER, 0};
  *joins = FALSE;
  /* Constraints go with the sentence that is typed on. */
  if (!same_text && same_model && same_search && same_given)
    return describe_typing(old->text, new->text, before, joins);
  if (!same_constraints)
    return step;
  if (same_text && !same_model && same_search) {
    step.kind =
        are_of_one_training(old->model, new->model) ? REGARD_STEP_TRAINING : REGARD_STEP_OTHER;
    *joins = step.kind == REGARD_STEP_TRAINING && before.kind == step.kind;
  } else if (same_text && same_model && !same_search && same_given) {
    step = (RegardDocumentStep){REGARD_STEP_SEARCH, differing_rows(&old->search, &new->search)};
    if (!step.at && gesture) /* what is changed in the model */
      step = (RegardDocumentStep){REGARD_STEP_GESTURE, gesture};
    *joins = step.at && before.kind == step.kind && before.at == step.at;
  } else if (same_text && same_model && same_search) {
    step = (RegardDocumentStep){REGARD_STEP_GIVEN, new->caret};
    *joins = before.kind == step.kind && before.at == step.at;
  }
  return step;
}

/* ---- Recording ----------------------------------------------------------------------------- */

static void
notify_both(RegardDocument *self)
{
  regard_document_notify(self, REGARD_DOCUMENT_CAN_UNDO);
  regard_document_notify(self, REGARD_DOCUMENT_CAN_REDO);
}

static void
forget_oldest(RegardDocument *self)
{
  gsize bytes = 0;
  guint keep = 0;
  while (keep < MIN(self->history->len, MOST_STATES)) {
    const State *state = self->history->pdata[self->history->len - 1 - keep];
    bytes += strlen(state->text);
    if (keep > 0 && bytes > MOST_BYTES)
      break;
    keep++;
  }
  guint n = self->history->len - keep;
  if (n)
    g_ptr_array_remove_range(self->history, 0, n);
  self->history_at -= n;
}

static void
replace(RegardDocument *self, State *state)
{
  state_free(current(self));
  self->history->pdata[self->history_at] = state;
}

void
regard_document_record(RegardDocument *self)
{
  if (self->foreign || self->is_restoring || self->is_learning_next)
    return;
  State *now = take_state(self), *before = current(self);
  if (is_same(before, now)) {
    /* Only the caret is elsewhere; what is typed there is another step. */
    if (before->caret != now->caret)
      self->last_step.kind = REGARD_STEP_OTHER;
    replace(self, now);
    return;
  }
  gboolean joins = FALSE;
  /* The model that everything began with is nothing to go back from. */
  if (!before->model && now->model)
    joins = TRUE;
  else
    self->last_step = describe(before, now, self->gesture, self->last_step, &joins);
  guint n_redo = self->history->len - self->history_at - 1;
  if (n_redo)
    g_ptr_array_remove_range(self->history, self->history_at + 1, n_redo);
  if (joins && (self->history_at > 0 || !before->model))
    replace(self, now);
  else {
    g_ptr_array_add(self->history, now);
    self->history_at++;
    forget_oldest(self);
  }
  notify_both(self);
}

void
regard_document_settle_history(RegardDocument *self)
{
  if (self->history->len)
    replace(self, take_state(self));
}

void
regard_document_forget_history(RegardDocument *self)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self));
  State *now = take_state(self);
  g_ptr_array_set_size(self->history, 0);
  g_ptr_array_add(self->history, now);
  self->history_at = 0;
  self->last_step.kind = REGARD_STEP_OTHER;
  notify_both(self);
}

/* ---- Going there --------------------------------------------------------------------------- */

static void
restore(RegardDocument *self, guint at)
{
  self->history_at = at;
  self->last_step.kind = REGARD_STEP_OTHER;
  const State *state = current(self);
  g_autofree char *model = g_strdup(state->model);
  const char *runs = self->restored_dir ? self->restored_dir : self->model_dir;
  gboolean is_other_model = model && g_strcmp0(model, runs) != 0;

  self->is_restoring = TRUE;
  g_free(self->own_text);
  self->own_text = g_strdup(state->own_text);
  self->own_caret = state->own_caret;
  regard_document_set_search(self, &state->search);
  regard_document_set_language(self, state->search.language);
  regard_document_set_changes(self, state->search.changes);
  regard_document_set_given(self, state->given);
  regard_document_set_all_constraints(self, state->constraints, state->model);
  regard_document_take_text(self, state->text, state->caret);
  if (is_other_model && regard_work_is_busy(self->loading) &&
      g_strcmp0(model, self->model_dir) == 0)
    regard_document_cancel_loading(self);
  else if (is_other_model) {
    regard_document_open_model(self, model);
    self->restored_dir = g_steal_pointer(&model);
  }
  self->is_restoring = FALSE;
  notify_both(self);
}

gboolean
regard_document_can_undo(RegardDocument *self)
{
  return !self->foreign && self->history_at > 0;
}

gboolean
regard_document_can_redo(RegardDocument *self)
{
  return !self->foreign && self->history_at + 1 < self->history->len;
}

void
regard_document_undo(RegardDocument *self)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && self->translator);
  regard_document_record(self);
  if (regard_document_can_undo(self))
    restore(self, self->history_at - 1);
}

void
regard_document_redo(RegardDocument *self)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && self->translator);
  regard_document_record(self);
  if (regard_document_can_redo(self))
    restore(self, self->history_at + 1);
}

void
regard_document_end_restoring(RegardDocument *self)
{
  const State *state = current(self);
  if (!self->restored_dir)
    return;
  g_clear_pointer(&self->restored_dir, g_free);
  if (self->is_restoring) /* by another undo */
    return;
  /* It may have been remembered with another language than it had then. */
  g_autofree char *language = g_strdup(state->search.language);
  self->is_restoring = TRUE;
  if (g_strcmp0(state->model, self->model_dir) == 0)
    regard_document_set_language(self, language);
  self->is_restoring = FALSE;
  regard_document_settle_history(self);
}

void
regard_document_init_history(RegardDocument *self)
{
  self->history = g_ptr_array_new_with_free_func(state_free);
  g_ptr_array_add(self->history, take_state(self));
}
