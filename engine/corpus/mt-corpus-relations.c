/* mt-corpus-relations.c — relations of Universal Dependencies, looked for in encoder heads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Weights between words come from those between pieces: to a word, the sum over its pieces; from a
 * word, the mean over its pieces (Clark et al. 2019, section 4). What a word looks at most is the
 * word with the greatest such weight; special tokens are no words. A piece belongs to the word in
 * whose bytes it begins, white space before it left out. Words that share one token of the text, as
 * the parts of "im" do, or that have no piece of their own, are not asked, nor asked about.
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <math.h>
#include <string.h>

void
mt_corpus_relations_clear(mt_corpus_relations *relations)
{
  for (size_t i = 0; i < relations->n; i++)
    mt_free(relations->items[i].hits);
  mt_free(relations->items);
  *relations = (mt_corpus_relations){0};
}

/* ---- Finding --------------------------------------------------------------------------------- */

static int
compare(const mt_corpus_relation_sums *item, const char *name, bool is_reverse)
{
  const int order = strcmp(item->name, name);
  return order ? order : (int) item->is_reverse - (int) is_reverse;
}

/* The one with this name, which is made where there is none; NULL: *error. */
static mt_corpus_relation_sums *
find(mt_corpus_relations *relations, const char *name, bool is_reverse, mt_error *error)
{
  size_t at = 0;
  while (at < relations->n && compare(&relations->items[at], name, is_reverse) < 0)
    at++;
  if (at < relations->n && compare(&relations->items[at], name, is_reverse) == 0)
    return &relations->items[at];
  if (relations->n == MT_CORPUS_MOST_RELATIONS) {
    mt_fail(error, MT_ERROR_INPUT, "There are more than %d relations.",
            MT_CORPUS_MOST_RELATIONS / 2);
    return NULL;
  }
  mt_corpus_relation_sums *more = relations->items
                                      ? mt_realloc(relations->items, relations->n + 1, sizeof *more)
                                      : mt_alloc(relations->n + 1, sizeof *more);
  uint64_t *hits = mt_alloc(relations->n_heads, sizeof *hits);
  if (more)
    relations->items = more;
  if (!more || !hits) {
    mt_free(hits);
    return mt_fail_no_memory(error), NULL;
  }
  memmove(more + at + 1, more + at, (relations->n - at) * sizeof *more);
  relations->n++;
  more[at] = (mt_corpus_relation_sums){.is_reverse = is_reverse, .hits = hits};
  strncpy(more[at].name, name, sizeof more[at].name - 1);
  return &more[at];
}

/* ---- Words and pieces ------------------------------------------------------------------------ */

typedef struct {
  size_t n_words, n_tokens;
  uint32_t *word_of;   /* [n_tokens] its word, n_words: none */
  uint32_t *n_pieces;  /* [n_words] */
  bool *is_shared;     /* [n_words] it has the bytes of another one */
  double *to;          /* [n_words] of one row */
  uint32_t *looked_at; /* [n_words] of one head; n_words: at nothing */
} words;

static void
words_clear(words *w)
{
  mt_free(w->word_of);
  mt_free(w->n_pieces);
  mt_free(w->is_shared);
  mt_free(w->to);
  mt_free(w->looked_at);
}

/* The first byte of a piece that is not white space. */
static uint32_t
begin_of(const mt_token *token, const char *text)
{
  uint32_t at = token->begin;
  while (at + 1 < token->end && strchr(" \t", text[at]))
    at++;
  return at;
}

static bool
words_init(words *w, const mt_capture *capture, const mt_conllu_tree *tree)
{
  const mt_tokens *tokens = mt_capture_source(capture);
  const size_t n = tree->n_words, n_tokens = mt_tokens_count(tokens);
  *w = (words){.n_words = n, .n_tokens = n_tokens};
  w->word_of = mt_alloc(n_tokens, sizeof *w->word_of);
  w->n_pieces = mt_alloc(n, sizeof *w->n_pieces);
  w->is_shared = mt_alloc(n, sizeof *w->is_shared);
  w->to = mt_alloc(n, sizeof *w->to);
  w->looked_at = mt_alloc(n, sizeof *w->looked_at);
  if (!w->word_of || !w->n_pieces || !w->is_shared || !w->to || !w->looked_at)
    return false;
  for (size_t i = 1; i < n; i++)
    if (tree->words[i].begin == tree->words[i - 1].begin)
      w->is_shared[i] = w->is_shared[i - 1] = true;
  size_t word = 0;
  for (size_t t = 0; t < n_tokens; t++) {
    const mt_token *token = mt_tokens_get(tokens, t);
    w->word_of[t] = (uint32_t) n;
    if (token->is_special || token->end <= token->begin)
      continue;
    const uint32_t at = begin_of(token, mt_tokens_text(tokens));
    while (word < n && tree->words[word].end <= at)
      word++;
    if (word < n && tree->words[word].begin <= at) {
      w->word_of[t] = (uint32_t) word;
      w->n_pieces[word]++;
    }
  }
  return true;
}

/* Which word each looks at most, in one head: of equals the first. */
static void
look(words *w, const mt_matrix *a, double *sums)
{
  for (size_t i = 0; i < w->n_words * w->n_words; i++)
    sums[i] = 0;
  for (size_t q = 0; q < a->rows; q++)
    for (size_t k = 0; w->word_of[q] < w->n_words && k < a->cols; k++)
      if (w->word_of[k] < w->n_words)
        sums[w->word_of[q] * w->n_words + w->word_of[k]] += (double) mt_matrix_at(a, q, k);
  /* The mean over a word's pieces has its greatest where the sum has. */
  for (size_t i = 0; i < w->n_words; i++) {
    double most = 0;
    w->looked_at[i] = (uint32_t) w->n_words;
    for (size_t j = 0; j < w->n_words; j++)
      if (sums[i * w->n_words + j] > most) {
        most = sums[i * w->n_words + j];
        w->looked_at[i] = (uint32_t) j;
      }
  }
}

static bool
is_asked(const words *w, const mt_conllu_tree *tree, size_t i)
{
  const uint32_t head = tree->words[i].head;
  return head > 0 && !w->is_shared[i] && !w->is_shared[head - 1] && w->n_pieces[i] > 0 &&
         w->n_pieces[head - 1] > 0;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* All relations of the tree are there, before anything is counted. */
static bool
prepare(mt_corpus_relations *relations, const words *w, const mt_conllu_tree *tree, mt_error *error)
{
  for (size_t i = 0; i < w->n_words; i++)
    for (int reverse = 0; is_asked(w, tree, i) && reverse < 2; reverse++)
      if (!find(relations, tree->words[i].relation, reverse, error))
        return false;
  return true;
}

static void
count(mt_corpus_relations *relations, const words *w, const mt_conllu_tree *tree, size_t head)
{
  for (size_t i = 0; i < w->n_words; i++)
    for (int reverse = 0; is_asked(w, tree, i) && reverse < 2; reverse++) {
      const size_t other = tree->words[i].head - 1;
      const size_t from = reverse ? other : i, right = reverse ? i : other;
      mt_corpus_relation_sums *sums = find(relations, tree->words[i].relation, reverse, NULL);
      sums->hits[head] += w->looked_at[from] == right;
      if (head > 0)
        continue;
      const int64_t offset = (int64_t) right - (int64_t) from;
      sums->n++;
      if (offset >= -MT_CORPUS_REACH && offset <= MT_CORPUS_REACH)
        sums->offsets[offset + MT_CORPUS_REACH]++;
    }
}

/* Relations of which nothing was seen would be a trace of what failed. */
static void
drop_empty(mt_corpus_relations *relations)
{
  size_t n = 0;
  for (size_t i = 0; i < relations->n; i++) {
    if (relations->items[i].n > 0)
      relations->items[n++] = relations->items[i];
    else
      mt_free(relations->items[i].hits);
  }
  relations->n = n;
}

bool
mt_corpus_relations_add(mt_corpus_relations *relations, const mt_capture *capture,
                        const mt_conllu_tree *tree, mt_error *error)
{
  const size_t n_layers = mt_capture_n_layers(capture, MT_ENCODER_SELF);
  const size_t n_heads = mt_capture_n_heads(capture, MT_ENCODER_SELF);
  if (strcmp(tree->text, mt_tokens_text(mt_capture_source(capture))) != 0)
    return mt_fail(error, MT_ERROR_INPUT, "The tree of line %llu is one of another text.",
                   (unsigned long long) tree->line);
  relations->n_heads = n_layers * n_heads;
  words w;
  double *sums = mt_alloc(tree->n_words * tree->n_words, sizeof *sums);
  bool ok = words_init(&w, capture, tree) && sums;
  if (!ok)
    mt_fail_no_memory(error);
  ok = ok && prepare(relations, &w, tree, error);
  for (size_t head = 0; ok && head < relations->n_heads; head++) {
    const mt_matrix a =
        mt_capture_weights(capture, MT_ENCODER_SELF, head / n_heads, head % n_heads);
    look(&w, &a, sums);
    count(relations, &w, tree, head);
  }
  if (!ok)
    drop_empty(relations);
  mt_free(sums);
  words_clear(&w);
  return ok;
}

bool
mt_corpus_relations_merge(mt_corpus_relations *relations, const mt_corpus_relations *others,
                          mt_error *error)
{
  relations->n_heads = others->n_heads;
  for (size_t i = 0; i < others->n; i++) {
    const mt_corpus_relation_sums *from = &others->items[i];
    mt_corpus_relation_sums *to = find(relations, from->name, from->is_reverse, error);
    if (!to)
      return false;
    to->n += from->n;
    for (size_t k = 0; k < MT_CORPUS_N_OFFSETS; k++)
      to->offsets[k] += from->offsets[k];
    for (size_t h = 0; h < others->n_heads; h++)
      to->hits[h] += from->hits[h];
  }
  return true;
}

int
mt_corpus_relation_offset(const mt_corpus_relation_sums *sums, double *share)
{
  int best = 0;
  uint64_t most = 0;
  for (int i = 0; i < MT_CORPUS_N_OFFSETS; i++) {
    const int offset = (i + 1) / 2 * (i % 2 ? -1 : 1); /* 0, -1, 1, -2, … */
    const uint64_t n = sums->offsets[offset + MT_CORPUS_REACH];
    if (n > most) {
      most = n;
      best = offset;
    }
  }
  *share = sums->n ? (double) most / (double) sums->n : (double) NAN;
  return best;
}

/* ---- In the file ----------------------------------------------------------------------------- */

bool
mt_corpus_relations_write(const mt_corpus_relations *relations, mt_db *db, mt_error *error)
{
  mt_rows *rows = mt_db_prepare(db, "INSERT OR REPLACE INTO relations VALUES(?, ?, ?)", error);
  bool ok = rows != NULL;
  for (size_t i = 0; ok && i < relations->n; i++) {
    const mt_corpus_relation_sums *sums = &relations->items[i];
    mt_packed packed = {0};
    mt_packed_put_whole(&packed, sums->n);
    for (size_t k = 0; k < MT_CORPUS_N_OFFSETS; k++)
      mt_packed_put_whole(&packed, sums->offsets[k]);
    for (size_t h = 0; h < relations->n_heads; h++)
      mt_packed_put_whole(&packed, sums->hits[h]);
    mt_rows_bind_text(rows, 1, sums->name);
    mt_rows_bind_whole(rows, 2, sums->is_reverse);
    mt_rows_bind_bytes(rows, 3, packed.data, packed.n);
    ok = packed.failed ? mt_fail_no_memory(error) : mt_rows_run(rows, error);
    mt_packed_clear(&packed);
  }
  mt_rows_free(rows);
  return ok;
}

static bool
get(mt_corpus_relation_sums *sums, size_t n_heads, mt_packed_in *in)
{
  uint64_t n = 0;
  sums->n = mt_packed_get_whole(in, UINT64_MAX >> 8);
  for (size_t k = 0; k < MT_CORPUS_N_OFFSETS; k++) {
    sums->offsets[k] = mt_packed_get_whole(in, sums->n);
    n += sums->offsets[k];
  }
  for (size_t h = 0; h < n_heads; h++)
    sums->hits[h] = mt_packed_get_whole(in, sums->n);
  return mt_packed_is_end(in) && sums->n > 0 && n <= sums->n;
}

bool
mt_corpus_relations_read(mt_corpus_relations *relations, mt_db *db, const mt_corpus_head *head,
                         mt_error *error)
{
  *relations = (mt_corpus_relations){.n_heads = head->shape.n_of_kind[MT_ENCODER_SELF]};
  mt_rows *rows =
      mt_db_prepare(db, "SELECT name, reverse, bytes FROM relations ORDER BY 1, 2", error);
  bool ok = rows != NULL;
  while (ok) {
    const mt_rows_result result = mt_rows_next(rows, error);
    ok = result != MT_ROWS_FAILED;
    if (result != MT_ROWS_ROW)
      break;
    const char *name = mt_rows_text(rows, 0);
    const int64_t reverse = mt_rows_whole(rows, 1);
    size_t n;
    const unsigned char *bytes = mt_rows_bytes(rows, 2, &n);
    mt_packed_in in = {.at = bytes, .end = bytes ? bytes + n : NULL};
    if (!*name || strlen(name) >= MT_CORPUS_RELATION_NAME || (reverse & ~(int64_t) 1)) {
      ok = mt_db_damaged(db, "a relation has no name", error);
      break;
    }
    mt_corpus_relation_sums *sums = find(relations, name, reverse, error);
    ok = sums && (get(sums, relations->n_heads, &in) ||
                  mt_db_damaged(db, "numbers of a relation cannot be", error));
  }
  mt_rows_free(rows);
  if (!ok)
    mt_corpus_relations_clear(relations);
  return ok;
}
