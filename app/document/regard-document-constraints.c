/* regard-document-constraints.c — translations that go on from what a person chose: tokens that the
 * search of a sentence must begin with, tokens that it must not have, and terms that it must have.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * They are ids of the model that runs, and belong to a sentence. While that is typed on they stay
 * with it as long as they fit: as long as no more of the forced tokens are missing among the
 * likeliest of their steps than when they were chosen.
 */
#include "document/regard-document-private.h"

#include "base/regard-error.h"
#include "document/regard-sentences.h"
#include <string.h>

static void
unref(gpointer constraints)
{
  mt_constraints_unref(constraints);
}

/* A table that may be changed, with what is in another. */
static GHashTable *
copy(GHashTable *from)
{
  GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref);
  GHashTableIter iter;
  gpointer sentence, constraints;
  if (!from)
    return table;
  g_hash_table_iter_init(&iter, from);
  while (g_hash_table_iter_next(&iter, &sentence, &constraints))
    g_hash_table_insert(table, g_strdup(sentence), mt_constraints_ref(constraints));
  return table;
}

/* The worker has them as long as the model runs that they are of. */
static void
tell_worker(RegardDocument *self)
{
  gboolean is_same = self->model && g_strcmp0(self->model_dir, self->constraints_model) == 0;
  if (self->translator)
    regard_translator_set_constraints(self->translator, is_same ? self->constraints : NULL);
}

/* Without a request. */
static void
take(RegardDocument *self, GHashTable *constraints)
{
  GHashTable *old = self->constraints;
  gboolean has_any = constraints && g_hash_table_size(constraints) > 0;
  self->constraints = has_any ? g_hash_table_ref(constraints) : NULL;
  g_clear_pointer(&old, g_hash_table_unref);
  tell_worker(self);
  regard_document_notify(self, REGARD_DOCUMENT_CONSTRAINTS);
}

static void
set_model(RegardDocument *self, const char *model)
{
  char *copy = g_strdup(model);
  g_free(self->constraints_model);
  self->constraints_model = copy;
}

void
regard_document_set_all_constraints(RegardDocument *self, GHashTable *constraints,
                                    const char *model)
{
  if (self->constraints == constraints)
    return;
  set_model(self, model);
  take(self, constraints);
  if (self->asked_text)
    regard_document_update_request(self, TRUE);
}

void
regard_document_follow_model(RegardDocument *self)
{
  if (self->constraints && g_strcmp0(self->model_dir, self->constraints_model) != 0) {
    take(self, NULL);
    g_signal_emit(self, regard_document_signals[REGARD_DOCUMENT_CONSTRAINTS_DROPPED], 0, "");
  }
  tell_worker(self);
}

void
regard_document_constrain(RegardDocument *self, const mt_constraints *constraints)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && self->translator);
  g_autofree char *sentence = regard_document_dup_sentence(self);
  if (!sentence || !self->model ||
      (!regard_document_get_given(self) &&
       mt_constraints_equal(regard_document_get_constraints(self), constraints)))
    return;
  regard_document_record(self);
  set_model(self, self->model_dir);
  g_autoptr(GHashTable) all = copy(self->constraints);
  if (mt_constraints_is_empty(constraints))
    g_hash_table_remove(all, sentence);
  else /* reference count apart, it is not changed */
    g_hash_table_insert(all, g_strdup(sentence),
                        mt_constraints_ref((mt_constraints *) constraints));
  take(self, all);
  /* What goes on from a person's own translation is no longer that. */
  regard_document_forget_given(self, sentence);
  regard_document_record(self);
  regard_document_update_request(self, TRUE);
}

const mt_constraints *
regard_document_get_constraints(RegardDocument *self)
{
  g_autofree char *sentence = regard_document_dup_sentence(self);
  return sentence && self->constraints ? g_hash_table_lookup(self->constraints, sentence) : NULL;
}

void
regard_document_forget_constraints(RegardDocument *self, const char *sentence)
{
  if (!self->constraints || !g_hash_table_contains(self->constraints, sentence))
    return;
  g_autoptr(GHashTable) all = copy(self->constraints);
  g_hash_table_remove(all, sentence);
  take(self, all);
}

/* ---- Terms that it must have ------------------------------------------------------------------
 */

/* Between two: a comma, a semicolon, the end of a line. */
static GStrv
split_terms(const char *text)
{
  g_auto(GStrv) parts = g_strsplit_set(text, ",;\n", -1);
  g_autoptr(GStrvBuilder) terms = g_strv_builder_new();
  for (char **part = parts; *part; part++)
    if (*g_strstrip(*part))
      g_strv_builder_add(terms, *part);
  return g_strv_builder_end(terms);
}

static void
clear_term(gpointer term)
{
  g_free((gpointer) ((mt_term *) term)->ids);
}

/* Their pieces; NULL with an error. */
static GArray *
cut_terms(const mt_model *model, const char *text, mt_error *error)
{
  g_auto(GStrv) words = split_terms(text);
  g_autoptr(GArray) terms = g_array_new(FALSE, FALSE, sizeof(mt_term));
  g_array_set_clear_func(terms, clear_term);
  for (char **word = words; *word; word++) {
    mt_tokens *tokens = mt_constraints_cut(model, *word, error);
    if (!tokens)
      return NULL;
    mt_term term = {.n = mt_tokens_count(tokens)};
    int32_t *ids = g_new(int32_t, term.n);
    mt_tokens_copy_ids(tokens, term.n, ids);
    mt_tokens_unref(tokens);
    term.ids = ids;
    g_array_append_val(terms, term);
  }
  return g_steal_pointer(&terms);
}

/* Whether the search that runs can have them. */
static gboolean
can_have(RegardDocument *self, const mt_constraints *constraints, mt_error *error)
{
  mt_request request = mt_request_copy(&self->search);
  mt_request_set_constraints(&request, constraints);
  const mt_search_params params = mt_request_resolve(&request, self->model);
  const gboolean can = mt_search_params_check(&params, self->model, error);
  mt_request_clear(&request);
  return can;
}

gboolean
regard_document_want_terms(RegardDocument *self, const char *text, GError **error)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self) && text, FALSE);
  mt_error failure = {0};
  if (!self->model)
    return TRUE;
  g_autoptr(GArray) terms = cut_terms(self->model, text, &failure);
  if (!terms)
    return regard_error_set_from_mt(error, &failure);
  size_t n_before;
  mt_constraints_terms(regard_document_get_constraints(self), &n_before);
  if (terms->len == 0 && n_before == 0)
    return TRUE; /* a translation of the person's own stays */
  mt_constraints *constraints =
      mt_constraints_with_terms(regard_document_get_constraints(self),
                                (const mt_term *) (const void *) terms->data, terms->len, &failure);
  const gboolean ok = constraints && can_have(self, constraints, &failure);
  if (ok)
    regard_document_constrain(self, constraints);
  mt_constraints_unref(constraints);
  return ok || regard_error_set_from_mt(error, &failure);
}

char *
regard_document_dup_terms(RegardDocument *self)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self), NULL);
  g_autoptr(GString) text = g_string_new(NULL);
  size_t n;
  const mt_term *terms = mt_constraints_terms(regard_document_get_constraints(self), &n);
  for (size_t i = 0; self->model && i < n; i++) {
    mt_tokens *tokens =
        mt_model_detokenize(self->model, MT_STACK_DECODER, terms[i].ids, terms[i].n, NULL);
    if (tokens)
      g_string_append_printf(text, "%s%s", text->len ? ", " : "", mt_tokens_text(tokens));
    mt_tokens_unref(tokens);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* ---- While it is typed on ---------------------------------------------------------------------
 */

/* How many bytes two sentences have in common at one end. */
static gsize
count_common(const char *a, const char *b)
{
  gsize a_len = strlen(a), b_len = strlen(b), least = MIN(a_len, b_len), front = 0, back = 0;
  while (front < least && a[front] == b[front])
    front++;
  while (back < least && a[a_len - 1 - back] == b[b_len - 1 - back])
    back++;
  return MAX(front, back);
}

/* What became of a sentence that is not there any more: of those that are new, the one that is most
 * like it; NULL: it is gone. */
static const char *
find_successor(GHashTable *constraints, const char *sentence, GStrv new, GStrv old)
{
  const char *found = NULL;
  gsize most = 0;
  for (guint i = 0; new[i]; i++) {
    gsize common = count_common(sentence, new[i]);
    if ((!found || common > most) && !g_strv_contains((const char *const *) old, new[i]) &&
        !g_hash_table_contains(constraints, new[i])) {
      found = new[i];
      most = common;
    }
  }
  return found;
}

static GStrv
dup_sentences(const char *text)
{
  g_autoptr(GArray) sentences = regard_sentences_split(text);
  g_autoptr(GStrvBuilder) all = g_strv_builder_new();
  for (guint i = 0; i < sentences->len; i++) {
    const RegardSentence *s = &g_array_index(sentences, RegardSentence, i);
    g_autofree char *sentence = g_strndup(text + s->begin, s->end - s->begin);
    g_strv_builder_add(all, sentence);
  }
  return g_strv_builder_end(all);
}

void
regard_document_move_constraints(RegardDocument *self, const char *text)
{
  if (!self->constraints || g_str_equal(text, self->text))
    return;
  g_auto(GStrv) old = dup_sentences(self->text), new = dup_sentences(text);
  g_autoptr(GHashTable) all = NULL;
  for (guint i = 0; old[i]; i++) {
    mt_constraints *moved = g_hash_table_lookup(all ? all : self->constraints, old[i]);
    const char *successor = moved && !g_strv_contains((const char *const *) new, old[i])
                                ? find_successor(all ? all : self->constraints, old[i], new, old)
                                : NULL;
    if (!successor)
      continue;
    if (!all)
      all = copy(self->constraints);
    g_hash_table_insert(all, g_strdup(successor), mt_constraints_ref(moved));
    g_hash_table_remove(all, old[i]);
  }
  if (all)
    take(self, all);
}

/* How many of the forced tokens are not among the likeliest of their steps. */
static guint
count_unlikely(const mt_translation *translation, const mt_constraints *constraints)
{
  const mt_steps *steps = mt_translation_steps(translation);
  size_t n, top = mt_steps_top(steps);
  guint unlikely = 0;
  int32_t node = -1;
  const int32_t *prefix = mt_constraints_prefix(constraints, &n);
  for (size_t t = 0; t < n; t++) {
    mt_step_row row = mt_steps_row(steps, (size_t) mt_steps_row_of(steps, node));
    gboolean is_among = FALSE;
    for (size_t i = 0; i < MIN(row.n, top); i++)
      is_among = is_among || row.options[i].id == prefix[t];
    unlikely += !is_among;
    /* Behind a prefix there is one hypothesis. */
    for (size_t i = 0; i < mt_steps_n_nodes(steps); i++)
      if (mt_steps_node(steps, i)->step == t && mt_steps_node(steps, i)->is_held)
        node = (int32_t) i;
  }
  return unlikely;
}

void
regard_document_check_constraints(RegardDocument *self)
{
  const RegardResultSentence *active = regard_result_active(self->result);
  const mt_constraints *constraints = regard_document_get_constraints(self);
  if (!constraints || !active || !active->translation ||
      !mt_translation_steps(active->translation) ||
      !mt_constraints_equal(mt_translation_search(active->translation)->constraints, constraints))
    return;
  guint unlikely = count_unlikely(active->translation, constraints);
  if (constraints != self->fitting) {
    mt_constraints_unref(self->fitting);
    self->fitting = mt_constraints_ref((mt_constraints *) constraints);
    self->most_unlikely = unlikely;
    return;
  }
  if (unlikely <= self->most_unlikely)
    return;
  g_autofree char *sentence = regard_document_dup_sentence(self);
  size_t n;
  const int32_t *prefix = mt_constraints_prefix(constraints, &n);
  mt_tokens *tokens = mt_model_detokenize(self->result->model, MT_STACK_DECODER, prefix, n, NULL);
  g_autofree char *words = g_strdup(tokens ? mt_tokens_text(tokens) : "");
  mt_tokens_unref(tokens);
  regard_document_forget_constraints(self, sentence);
  regard_document_settle_history(self); /* nobody did that; it goes with what was typed */
  regard_document_update_request(self, TRUE);
  g_signal_emit(self, regard_document_signals[REGARD_DOCUMENT_CONSTRAINTS_DROPPED], 0, words);
}
