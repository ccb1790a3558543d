/* regard-document-given.c — translations that a person gave: the model is asked how likely they are
 * and what it attends to, instead of for its own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-document-private.h"

#include "document/regard-sentences.h"

static void
add_all(GHashTable *to, GHashTable *from)
{
  GHashTableIter iter;
  gpointer sentence, translation;
  if (!from)
    return;
  g_hash_table_iter_init(&iter, from);
  while (g_hash_table_iter_next(&iter, &sentence, &translation))
    g_hash_table_insert(to, g_strdup(sentence), g_strdup(translation));
}

/* Of both, or NULL. */
static GHashTable *
join(GHashTable *a, GHashTable *b)
{
  if (!a && !b)
    return NULL;
  GHashTable *all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  add_all(all, a);
  add_all(all, b);
  return all;
}

void
regard_document_update_targets(RegardDocument *self)
{
  g_autoptr(GHashTable) targets = join(self->kept, self->given);
  regard_translator_set_targets(self->translator, targets);
}

void
regard_document_set_given(RegardDocument *self, GHashTable *given)
{
  if (self->given == given)
    return;
  GHashTable *old = self->given;
  self->given = given ? g_hash_table_ref(given) : NULL;
  g_clear_pointer(&old, g_hash_table_unref);
  regard_document_update_targets(self);
  if (self->asked_text)
    regard_document_update_request(self, TRUE);
}

char *
regard_document_dup_sentence(RegardDocument *self)
{
  g_autoptr(GArray) sentences = regard_sentences_split(self->text);
  int at = regard_sentences_at(sentences, self->text, self->caret);
  if (at < 0 || self->foreign)
    return NULL;
  const RegardSentence *s = &g_array_index(sentences, RegardSentence, at);
  return g_strndup(self->text + s->begin, s->end - s->begin);
}

void
regard_document_forget_given(RegardDocument *self, const char *sentence)
{
  if (!self->given || !g_hash_table_contains(self->given, sentence))
    return;
  g_autoptr(GHashTable) given = join(self->given, NULL);
  GHashTable *old = self->given;
  g_hash_table_remove(given, sentence);
  self->given = g_hash_table_size(given) ? g_steal_pointer(&given) : NULL;
  g_hash_table_unref(old);
  regard_document_update_targets(self);
}

void
regard_document_give_translation(RegardDocument *self, const char *translation)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && self->translator);
  g_autofree char *sentence = regard_document_dup_sentence(self);
  g_autofree char *words = translation ? g_strstrip(g_strdup(translation)) : g_strdup("");
  const char *before = regard_document_get_given(self);
  if (!sentence || g_strcmp0(before ? before : "", words) == 0)
    return;
  regard_document_record(self);
  g_autoptr(GHashTable) given = join(self->given, NULL);
  if (!given)
    given = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  if (*words)
    regard_document_forget_constraints(self, sentence);
  if (*words)
    g_hash_table_insert(given, g_strdup(sentence), g_strdup(words));
  else
    g_hash_table_remove(given, sentence);
  regard_document_set_given(self, g_hash_table_size(given) ? given : NULL);
  regard_document_record(self);
}

const char *
regard_document_get_given(RegardDocument *self)
{
  g_autofree char *sentence = regard_document_dup_sentence(self);
  return sentence && self->given ? g_hash_table_lookup(self->given, sentence) : NULL;
}
