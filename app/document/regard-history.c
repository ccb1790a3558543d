/* regard-history.c — what a document was, step by step: what belongs together is one step.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The history is a row of entries, of which the document is at one. Typing is one step a word, with
 * the blanks behind it, and the first word with what it was typed over; what is deleted one by one
 * in one place is one step, and so are walking through a training, turning one number of the
 * search, dragging a weight, and typing one translation.
 */
#include "document/regard-history.h"

#include <string.h>

/* Whichever is met first, the oldest entries are forgotten. */
#define MOST_ENTRIES 1000
#define MOST_BYTES   (16 * 1024 * 1024)

/* Characters that are typed at once, as by an input method. */
#define MOST_AT_ONCE 8

/* What the newest step was, for what goes on with it. */
typedef enum {
  STEP_OTHER,
  STEP_TYPED,
  STEP_DELETED,
  STEP_TRAINING, /* from one checkpoint to another */
  STEP_SEARCH,
  STEP_GIVEN,   /* a translation is being typed */
  STEP_GESTURE, /* changes in the model, by a drag */
} StepKind;
typedef struct {
  StepKind kind;
  guint64 at; /* byte where it goes on; of the search, the rows that changed; the gesture */
} Step;

struct _RegardHistory {
  GPtrArray *entries; /* of RegardHistoryEntry */
  guint at;
  Step last;
};

/* ---- Entries ------------------------------------------------------------------------------- */

static void
entry_free(gpointer data)
{
  RegardHistoryEntry *entry = data;
  g_ref_string_release(entry->text);
  g_free(entry->own_text);
  g_free(entry->model);
  mt_request_clear(&entry->search);
  g_clear_pointer(&entry->given, g_hash_table_unref);
  g_clear_pointer(&entry->constraints, g_hash_table_unref);
  g_free(entry);
}

const RegardHistoryEntry *
regard_history_current(const RegardHistory *self)
{
  return self->entries->pdata[self->at];
}

/* A text that did not change is stored once. */
static RegardHistoryEntry *
entry_copy(const RegardHistory *self, const RegardHistoryEntry *from)
{
  const RegardHistoryEntry *before = self->entries->len ? regard_history_current(self) : NULL;
  RegardHistoryEntry *entry = g_new0(RegardHistoryEntry, 1);
  entry->text = before && g_str_equal(before->text, from->text) ? g_ref_string_acquire(before->text)
                                                                : g_ref_string_new(from->text);
  entry->caret = from->caret;
  entry->own_text = g_strdup(from->own_text);
  entry->own_caret = from->own_caret;
  entry->model = g_strdup(from->model);
  entry->search = mt_request_copy(&from->search);
  entry->given = from->given ? g_hash_table_ref(from->given) : NULL;
  entry->constraints = from->constraints ? g_hash_table_ref(from->constraints) : NULL;
  return entry;
}

static gboolean
is_same(const RegardHistoryEntry *a, const RegardHistoryEntry *b)
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

/* What was there between `front` and the same end was selected, and a letter, or what an input
 * method gives at once, was typed over it: the caret stands behind that. Letters of what was
 * selected may be those that were typed, at its beginning or at its end. */
static gboolean
is_typed_over(const RegardHistoryEntry *old, const RegardHistoryEntry *now, gsize front,
              gsize added)
{
  if (!added)
    return old->caret < front ? now->caret == front : now->caret > front;
  return now->caret >= front + added && !has_blank(now->text + front, added) &&
         g_utf8_strlen(now->text + front, (gssize) added) <= MOST_AT_ONCE;
}

/* From one text to the next; joins: it goes on with the step before. */
static Step
describe_typing(const RegardHistoryEntry *from, const RegardHistoryEntry *to, Step before,
                gboolean *joins)
{
  const char *old = from->text, *new = to->text;
  gsize n_old = strlen(old), n_new = strlen(new), front = 0, back = 0;
  while (front < MIN(n_old, n_new) && old[front] == new[front])
    front++;
  while (back < MIN(n_old, n_new) - front && old[n_old - back - 1] == new[n_new - back - 1])
    back++;
  gsize removed = n_old - front - back, added = n_new - front - back;
  /* "ll" after "l": which of them is new cannot be told from the texts; where one goes on can. */
  if (!removed && before.kind == STEP_TYPED && before.at < front && before.at + added <= n_new &&
      memcmp(old + before.at, new + before.at + added, n_old - before.at) == 0)
    front = before.at;
  *joins = FALSE;
  if (!removed) {
    *joins = before.kind == STEP_TYPED && before.at == front &&
             (is_blank(new + front, added) ||
              (!has_blank(new + front, added) && !has_blank(new + front - 1, 1)));
    return (Step){STEP_TYPED, front + added};
  }
  if (is_typed_over(from, to, front, added))
    return (Step){STEP_TYPED, to->caret};
  gboolean is_one = g_utf8_strlen(old + front, (gssize) removed) <= 1;
  if (!added && is_one) {
    *joins = before.kind == STEP_DELETED && (before.at == front || before.at == front + removed);
    return (Step){STEP_DELETED, front};
  }
  return (Step){STEP_OTHER, 0};
}

/* Bits of the rows of the search that differ; the languages are not among them. */
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

static Step
describe(const RegardHistoryEntry *old, const RegardHistoryEntry *new, guint64 gesture, Step before,
         gboolean *joins)
{
  gboolean same_text = g_str_equal(old->text, new->text);
  gboolean same_model = g_strcmp0(old->model, new->model) == 0;
  gboolean same_search = mt_request_equal(&old->search, &new->search);
  gboolean same_given = old->given == new->given;
  gboolean same_constraints = old->constraints == new->constraints;
  Step step = {STEP_OTHER, 0};
  *joins = FALSE;
  if (gesture) {
    *joins = before.kind == STEP_GESTURE && before.at == gesture;
    return (Step){STEP_GESTURE, gesture};
  }
  /* Constraints go with the sentence that is typed on. */
  if (!same_text && same_model && same_search && same_given)
    return describe_typing(old, new, before, joins);
  if (!same_constraints)
    return step;
  if (same_text && !same_model && same_search) {
    step.kind = are_of_one_training(old->model, new->model) ? STEP_TRAINING : STEP_OTHER;
    *joins = step.kind == STEP_TRAINING && before.kind == step.kind;
  } else if (same_text && same_model && !same_search && same_given) {
    step = (Step){STEP_SEARCH, differing_rows(&old->search, &new->search)};
    *joins = step.at && before.kind == step.kind && before.at == step.at;
  } else if (same_text && same_model && same_search) {
    step = (Step){STEP_GIVEN, new->caret};
    *joins = before.kind == step.kind && before.at == step.at;
  }
  return step;
}

/* ---- Recording ----------------------------------------------------------------------------- */

static void
forget_oldest(RegardHistory *self)
{
  gsize bytes = 0;
  guint keep = 0;
  while (keep < MIN(self->entries->len, MOST_ENTRIES)) {
    const RegardHistoryEntry *entry = self->entries->pdata[self->entries->len - 1 - keep];
    bytes += strlen(entry->text);
    if (keep > 0 && bytes > MOST_BYTES)
      break;
    keep++;
  }
  guint n = self->entries->len - keep;
  if (n)
    g_ptr_array_remove_range(self->entries, 0, n);
  self->at -= n;
}

void
regard_history_replace(RegardHistory *self, const RegardHistoryEntry *now)
{
  RegardHistoryEntry *entry = entry_copy(self, now);
  entry_free(self->entries->pdata[self->at]);
  self->entries->pdata[self->at] = entry;
}

gboolean
regard_history_record(RegardHistory *self, const RegardHistoryEntry *now, guint64 gesture)
{
  const RegardHistoryEntry *before = regard_history_current(self);
  if (is_same(before, now)) {
    /* Only the caret is elsewhere; what is typed there is another step. */
    if (before->caret != now->caret)
      self->last.kind = STEP_OTHER;
    regard_history_replace(self, now);
    return FALSE;
  }
  gboolean joins = FALSE;
  /* The model that everything began with is nothing to go back from. */
  if (!before->model && now->model)
    joins = TRUE;
  else
    self->last = describe(before, now, gesture, self->last, &joins);
  guint n_redo = self->entries->len - self->at - 1;
  if (n_redo)
    g_ptr_array_remove_range(self->entries, self->at + 1, n_redo);
  if (joins && (self->at > 0 || !before->model))
    regard_history_replace(self, now);
  else {
    g_ptr_array_add(self->entries, entry_copy(self, now));
    self->at++;
    forget_oldest(self);
  }
  return TRUE;
}

/* ---- Going there --------------------------------------------------------------------------- */

gboolean
regard_history_can_go(const RegardHistory *self, int steps)
{
  const gint64 to = (gint64) self->at + steps;
  return to >= 0 && to < (gint64) self->entries->len;
}

const RegardHistoryEntry *
regard_history_go(RegardHistory *self, int steps)
{
  g_return_val_if_fail(regard_history_can_go(self, steps), regard_history_current(self));
  self->at = (guint) ((gint64) self->at + steps);
  self->last.kind = STEP_OTHER;
  return regard_history_current(self);
}

/* ---- The object ---------------------------------------------------------------------------- */

RegardHistory *
regard_history_new(const RegardHistoryEntry *now)
{
  RegardHistory *self = g_new0(RegardHistory, 1);
  self->entries = g_ptr_array_new_with_free_func(entry_free);
  g_ptr_array_add(self->entries, entry_copy(self, now));
  return self;
}

void
regard_history_free(RegardHistory *self)
{
  g_ptr_array_unref(self->entries);
  g_free(self);
}
