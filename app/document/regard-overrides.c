/* regard-overrides.c — tables of translations and constraints that a person decided.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-overrides.h"

#include <string.h>

struct _RegardOverrides {
  GHashTable *given, *kept; /* NULL: none */
  GHashTable *constraints;
  char *model;             /* its folder, of whose ids the constraints are; NULL: there were none */
  mt_constraints *fitting; /* those last seen in an answer, and how many … */
  guint most_unlikely;     /* … of their tokens were not likely when they were seen first */
};

static void
unref_constraints(gpointer constraints)
{
  mt_constraints_unref(constraints);
}

static gpointer
dup_text(gpointer text)
{
  return g_strdup(text);
}

static gpointer
ref_constraints(gpointer constraints)
{
  return mt_constraints_ref(constraints);
}

static void
add_all(GHashTable *to, GHashTable *from, gpointer (*copy)(gpointer))
{
  GHashTableIter iter;
  gpointer sentence, value;
  if (!from)
    return;
  g_hash_table_iter_init(&iter, from);
  while (g_hash_table_iter_next(&iter, &sentence, &value))
    g_hash_table_insert(to, g_strdup(sentence), copy(value));
}

/* A table that may be changed, with what is in another, which may be NULL. */
static GHashTable *
copy_texts(GHashTable *from)
{
  GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  add_all(table, from, dup_text);
  return table;
}

static GHashTable *
copy_constraints(GHashTable *from)
{
  GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_constraints);
  add_all(table, from, ref_constraints);
  return table;
}

/* A reference is taken; an empty table is none. */
static void
put(GHashTable **place, GHashTable *table)
{
  GHashTable *old = *place;
  *place = table && g_hash_table_size(table) > 0 ? g_hash_table_ref(table) : NULL;
  g_clear_pointer(&old, g_hash_table_unref);
}

static gpointer
find(GHashTable *table, const char *sentence)
{
  return table && sentence ? g_hash_table_lookup(table, sentence) : NULL;
}

/* ---- Translations -------------------------------------------------------------------------- */

GHashTable *
regard_overrides_get_user_translation(const RegardOverrides *self)
{
  return self->given;
}

gboolean
regard_overrides_set_user_translation(RegardOverrides *self, GHashTable *given)
{
  if (self->given == given)
    return FALSE;
  put(&self->given, given);
  return TRUE;
}

const char *
regard_overrides_find_user_translation(const RegardOverrides *self, const char *sentence)
{
  return find(self->given, sentence);
}

gboolean
regard_overrides_give(RegardOverrides *self, const char *sentence, const char *translation)
{
  if (!translation && !find(self->given, sentence))
    return FALSE;
  g_autoptr(GHashTable) given = copy_texts(self->given);
  if (translation)
    g_hash_table_insert(given, g_strdup(sentence), g_strdup(translation));
  else
    g_hash_table_remove(given, sentence);
  put(&self->given, given);
  return TRUE;
}

void
regard_overrides_set_pinned(RegardOverrides *self, GHashTable *kept)
{
  put(&self->kept, kept);
}

GHashTable *
regard_overrides_dup_targets(const RegardOverrides *self)
{
  if (!self->kept && !self->given)
    return NULL;
  GHashTable *targets = copy_texts(self->kept);
  add_all(targets, self->given, dup_text);
  return targets;
}

/* ---- Constraints --------------------------------------------------------------------------- */

GHashTable *
regard_overrides_get_constraints(const RegardOverrides *self)
{
  return self->constraints;
}

static void
set_model(RegardOverrides *self, const char *model)
{
  char *copy = g_strdup(model);
  g_free(self->model);
  self->model = copy;
}

gboolean
regard_overrides_set_constraints(RegardOverrides *self, GHashTable *constraints, const char *model)
{
  if (self->constraints == constraints)
    return FALSE;
  set_model(self, model);
  put(&self->constraints, constraints);
  return TRUE;
}

gboolean
regard_overrides_are_of(const RegardOverrides *self, const char *model)
{
  return !self->constraints || g_strcmp0(model, self->model) == 0;
}

const mt_constraints *
regard_overrides_find_constraints(const RegardOverrides *self, const char *sentence)
{
  return find(self->constraints, sentence);
}

gboolean
regard_overrides_constrain(RegardOverrides *self, const char *sentence,
                           const mt_constraints *constraints, const char *model)
{
  const gboolean is_empty = mt_constraints_is_empty(constraints);
  if (is_empty && !find(self->constraints, sentence))
    return FALSE;
  g_autoptr(GHashTable) all = copy_constraints(self->constraints);
  if (is_empty)
    g_hash_table_remove(all, sentence);
  else /* reference count apart, it is not changed */
    g_hash_table_insert(all, g_strdup(sentence),
                        mt_constraints_ref((mt_constraints *) constraints));
  set_model(self, model);
  put(&self->constraints, all);
  return TRUE;
}

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
find_successor(GHashTable *constraints, const char *sentence, const char *const *old,
               const char *const *new)
{
  const char *found = NULL;
  gsize most = 0;
  for (guint i = 0; new[i]; i++) {
    gsize common = count_common(sentence, new[i]);
    if ((!found || common > most) && !g_strv_contains(old, new[i]) &&
        !g_hash_table_contains(constraints, new[i])) {
      found = new[i];
      most = common;
    }
  }
  return found;
}

gboolean
regard_overrides_move(RegardOverrides *self, const char *const *old, const char *const *new)
{
  g_autoptr(GHashTable) all = NULL;
  for (guint i = 0; self->constraints && old[i]; i++) {
    GHashTable *now = all ? all : self->constraints;
    mt_constraints *moved = g_hash_table_lookup(now, old[i]);
    const char *successor =
        moved && !g_strv_contains(new, old[i]) ? find_successor(now, old[i], old, new) : NULL;
    if (!successor)
      continue;
    if (!all)
      all = copy_constraints(self->constraints);
    g_hash_table_insert(all, g_strdup(successor), mt_constraints_ref(moved));
    g_hash_table_remove(all, old[i]);
  }
  if (all)
    put(&self->constraints, all);
  return all != NULL;
}

/* How many of the forced tokens are not among the likeliest of their steps. */
static guint
count_unlikely(const mt_translation *translation, const mt_constraints *constraints)
{
  const mt_steps *steps = mt_translation_steps(translation);
  size_t n, top = steps->top;
  guint unlikely = 0;
  int32_t node = -1;
  const int32_t *prefix = mt_constraints_prefix(constraints, &n);
  for (size_t t = 0; t < n; t++) {
    mt_step_row row = steps->rows[(size_t) mt_steps_row_of(steps, node)];
    gboolean is_among = FALSE;
    for (size_t i = 0; i < MIN(row.n, top); i++)
      is_among = is_among || row.options[i].id == prefix[t];
    unlikely += !is_among;
    /* Behind a prefix there is one hypothesis. */
    for (size_t i = 0; i < steps->n_nodes; i++)
      if (steps->nodes[i].step == t && steps->nodes[i].is_held)
        node = (int32_t) i;
  }
  return unlikely;
}

gboolean
regard_overrides_fit(RegardOverrides *self, const mt_constraints *constraints,
                     const mt_translation *translation)
{
  if (!translation || !mt_translation_steps(translation) ||
      !mt_constraints_equal(mt_translation_search(translation)->constraints, constraints))
    return TRUE;
  const guint unlikely = count_unlikely(translation, constraints);
  if (constraints != self->fitting) {
    mt_constraints_unref(self->fitting);
    self->fitting = mt_constraints_ref((mt_constraints *) constraints);
    self->most_unlikely = unlikely;
  }
  return unlikely <= self->most_unlikely;
}

/* ---- Terms ------------------------------------------------------------------------------------
 */

static void
clear_term(gpointer term)
{
  g_free((gpointer) ((mt_term *) term)->ids);
}

/* The pieces of each; NULL with an error. */
static GArray *
cut_terms(const mt_model *model, const char *text, mt_error *error)
{
  g_auto(GStrv) words = g_strsplit_set(text, ",;\n", -1);
  g_autoptr(GArray) terms = g_array_new(FALSE, FALSE, sizeof(mt_term));
  g_array_set_clear_func(terms, clear_term);
  for (char **word = words; *word; word++) {
    if (!*g_strstrip(*word))
      continue;
    g_autoptr(mt_tokens) tokens = mt_constraints_cut(model, *word, error);
    if (!tokens)
      return NULL;
    mt_term term = {.n = mt_tokens_count(tokens)};
    int32_t *ids = g_new(int32_t, term.n);
    mt_tokens_copy_ids(tokens, term.n, ids);
    term.ids = ids;
    g_array_append_val(terms, term);
  }
  return g_steal_pointer(&terms);
}

mt_constraints *
regard_constraints_with_terms(const mt_constraints *constraints, const mt_model *model,
                              const mt_request *search, const char *text, mt_error *error)
{
  g_autoptr(GArray) terms = cut_terms(model, text, error);
  g_autoptr(mt_constraints) with =
      terms ? mt_constraints_with_terms(constraints, (const mt_term *) (const void *) terms->data,
                                        terms->len, error)
            : NULL;
  if (!with || (terms->len == 0 && !constraints))
    return g_steal_pointer(&with);
  mt_request request = mt_request_copy(search);
  mt_request_set_constraints(&request, with);
  const mt_search_params params = mt_request_resolve(&request, model);
  const gboolean fits = mt_search_params_check(&params, model, error);
  mt_request_clear(&request);
  return fits ? g_steal_pointer(&with) : NULL;
}

/* "": they are none, or there is no model. */
static char *
detokenize(const mt_model *model, const int32_t *ids, size_t n)
{
  g_autoptr(mt_tokens) tokens =
      model ? mt_model_detokenize(model, MT_STACK_DECODER, ids, n, NULL) : NULL;
  return g_strdup(tokens ? mt_tokens_text(tokens) : "");
}

char *
regard_constraints_dup_terms(const mt_constraints *constraints, const mt_model *model)
{
  g_autoptr(GString) text = g_string_new(NULL);
  size_t n;
  const mt_term *terms = mt_constraints_terms(constraints, &n);
  for (size_t i = 0; i < n; i++) {
    g_autofree char *words = detokenize(model, terms[i].ids, terms[i].n);
    g_string_append_printf(text, "%s%s", *words && text->len ? ", " : "", words);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

char *
regard_constraints_dup_prefix(const mt_constraints *constraints, const mt_model *model)
{
  size_t n;
  const int32_t *prefix = mt_constraints_prefix(constraints, &n);
  return detokenize(model, prefix, n);
}

/* ---- The object ---------------------------------------------------------------------------- */

RegardOverrides *
regard_overrides_new(void)
{
  return g_new0(RegardOverrides, 1);
}

void
regard_overrides_free(RegardOverrides *self)
{
  put(&self->given, NULL);
  put(&self->kept, NULL);
  put(&self->constraints, NULL);
  g_free(self->model);
  mt_constraints_unref(self->fitting);
  g_free(self);
}
