/* regard-corpus-examples.c — sentences of a corpus for a head: strongest, by quantile, found; and
 * what is shown of each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-corpus.h"

#include "figures/regard-naming.h"

#include <math.h>
#include <string.h>

static void
example_free(gpointer data)
{
  RegardExample *example = data;
  mt_corpus_sentence_free(example->sentence);
  g_free(example);
}

/* FALSE: the sentence cannot be read. */
static gboolean
append(GPtrArray *examples, const RegardCorpus *corpus, guint64 id, RegardExample like,
       mt_error *error)
{
  like.sentence = mt_corpus_sentence_new(corpus->file, id, error);
  if (!like.sentence)
    return FALSE;
  RegardExample *example = g_new(RegardExample, 1);
  *example = like;
  g_ptr_array_add(examples, example);
  return TRUE;
}

static gboolean
append_all(GPtrArray *examples, const RegardCorpus *corpus, const mt_corpus_examples *found,
           gboolean quantiles, mt_error *error)
{
  for (gsize i = 0; i < found->n; i++) {
    const mt_corpus_example *from = &found->items[i];
    const gboolean has_cell = from->n_weights > 0 && from->key < from->n_weights;
    if (from->sentence == 0)
      continue;
    if (!append(examples, corpus, from->sentence,
                (RegardExample){.value = from->value,
                                .group = quantiles ? (int) (i / MT_CORPUS_PER_GROUP) : -1,
                                .query = has_cell ? (int) from->query : -1,
                                .key = has_cell ? (int) from->key : -1,
                                .weight = has_cell ? (double) from->weights[from->key] : NAN},
                error))
      return FALSE;
  }
  return TRUE;
}

RegardExamples *
regard_corpus_examples(RegardCorpus *corpus, const RegardCorpusHead *head,
                       mt_corpus_measure measure, gboolean quantiles, mt_error *error)
{
  g_autoptr(GPtrArray) examples = g_ptr_array_new_with_free_func(example_free);
  if (!corpus->file)
    return g_steal_pointer(&examples);
  g_mutex_lock(&corpus->mutex);
  mt_corpus_examples *found =
      quantiles
          ? mt_corpus_quantiles(corpus->file, head->kind, head->layer, head->head, measure, error)
          : mt_corpus_strongest(corpus->file, head->kind, head->layer, head->head, measure, error);
  const gboolean ok = found && append_all(examples, corpus, found, quantiles, error);
  if (found)
    mt_corpus_examples_free(found);
  g_mutex_unlock(&corpus->mutex);
  return ok ? g_steal_pointer(&examples) : NULL;
}

RegardExamples *
regard_corpus_search(RegardCorpus *corpus, const mt_corpus_query *query, guint64 *total,
                     mt_error *error)
{
  g_autoptr(GPtrArray) examples = g_ptr_array_new_with_free_func(example_free);
  *total = 0;
  if (!corpus->file)
    return g_steal_pointer(&examples);
  g_mutex_lock(&corpus->mutex);
  mt_corpus_hits *hits = mt_corpus_search(corpus->file, query, error);
  gboolean ok = hits != NULL;
  for (gsize i = 0; ok && i < hits->n; i++)
    ok = append(examples, corpus, hits->items[i].sentence,
                (RegardExample){.value = hits->items[i].value,
                                .group = -1,
                                .query = -1,
                                .key = -1,
                                .weight = NAN},
                error);
  if (hits)
    *total = hits->total;
  mt_corpus_hits_free(hits);
  g_mutex_unlock(&corpus->mutex);
  return ok ? g_steal_pointer(&examples) : NULL;
}

/* ---- What is shown of a sentence ------------------------------------------------------------- */

/* The token of a side that stands for a row or a column; -1: none, -2: the decoder's start. */
static int
token_of_query(const RegardExample *example, mt_attention_kind kind, mt_stack side)
{
  return regard_naming_rows(kind) == side ? example->query : -1;
}

static int
token_of_key(const RegardExample *example, mt_attention_kind kind, mt_stack side)
{
  if (regard_naming_columns(kind) != side || example->key < 0)
    return -1;
  /* The decoder is given the start, then each output. */
  return kind == MT_DECODER_SELF ? (example->key == 0 ? -2 : example->key - 1) : example->key;
}

typedef struct {
  const char *text;
  const mt_corpus_token *tokens;
  int n;
  GString *out;
  gboolean is_begin; /* nothing is between what is there and what comes */
} Writer;

/* A token with the white space before it; its bytes without that are *begin to *end. */
static void
write_token(Writer *w, int i, guint *begin, guint *end)
{
  const guint before = i > 0 ? w->tokens[i - 1].end : 0;
  guint from = w->tokens[i].begin;
  if (!w->is_begin && from > before)
    g_string_append_len(w->out, w->text + before, from - before);
  while (from < w->tokens[i].end && w->text[from] == ' ') { /* a piece may begin with it */
    if (!w->is_begin)
      g_string_append_c(w->out, ' ');
    from++;
  }
  w->is_begin = FALSE;
  *begin = (guint) w->out->len;
  if (w->tokens[i].end > from)
    g_string_append_len(w->out, w->text + from, w->tokens[i].end - from);
  else if (w->tokens[i].is_special)
    g_string_append(w->out, "⏎");
  *end = (guint) w->out->len;
}

/* Whether token i goes on with the word before it. */
static gboolean
goes_on(const Writer *w, int i)
{
  const mt_corpus_token *token = &w->tokens[i];
  return i > 0 && token->end > token->begin && token->begin == w->tokens[i - 1].end &&
         !g_ascii_isspace(w->text[token->begin]);
}

/* Between which tokens is shown: around the marked ones, whole words; all if there are none. */
static void
find_range(const Writer *w, int a, int b, int *first, int *end)
{
  const int n = w->n;
  const int least = a < 0 ? b : b < 0 ? a : MIN(a, b), most = MAX(a, b);
  if (most < 0) {
    *first = 0;
    *end = n;
    return;
  }
  *first = MAX(least - REGARD_EXCERPT_CONTEXT, 0);
  *end = MIN(most + REGARD_EXCERPT_CONTEXT + 1, n);
  while (*first > 0 && goes_on(w, *first))
    (*first)--;
  while (*end < n && goes_on(w, *end))
    (*end)++;
}

RegardExcerpt
regard_example_excerpt(const RegardExample *example, mt_attention_kind kind, mt_stack side)
{
  const mt_corpus_sentence *s = example->sentence;
  RegardExcerpt excerpt = {0};
  Writer w = {s->text[side], s->tokens[side], (int) s->n_tokens[side], g_string_new(NULL), TRUE};
  int query = token_of_query(example, kind, side), key = token_of_key(example, kind, side);
  const gboolean is_start = key == -2;
  if (query >= w.n)
    query = -1;
  if (key >= w.n || is_start)
    key = -1;
  if (w.n == 0) {
    g_string_append(w.out, s->text[side]);
    excerpt.text = g_string_free(w.out, FALSE);
    return excerpt;
  }
  int first, end;
  find_range(&w, query, is_start ? 0 : key, &first, &end);
  if (is_start) {
    g_string_append(w.out, "start");
    excerpt.key_end = (guint) w.out->len;
    g_string_append_c(w.out, ' ');
  }
  if (first > 0)
    g_string_append(w.out, "… ");
  for (int i = first; i < end; i++) {
    guint from, to;
    write_token(&w, i, &from, &to);
    if (i == query) {
      excerpt.query_begin = from;
      excerpt.query_end = to;
    }
    if (i == key) {
      excerpt.key_begin = from;
      excerpt.key_end = to;
    }
  }
  if (end < w.n)
    g_string_append(w.out, " …");
  excerpt.text = g_string_free(w.out, FALSE);
  return excerpt;
}

void
regard_excerpt_clear(RegardExcerpt *excerpt)
{
  g_clear_pointer(&excerpt->text, g_free);
}
