/* mt-corpus-search.c — sentences by their words, and by what a head does.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"

#include <math.h>
#include <string.h>

#define USUAL_LIMIT 100
#define MOST_LIMIT  100000
/* Bytes of words, and how many there may be. */
#define MOST_WORDS_BYTES 1000
#define MOST_WORDS       50

/* ---- Words -------------------------------------------------------------------------------------
 */

/* What was typed as an expression of FTS5, in which nothing of it has a meaning of its own: each
 * word, or what stands between quotes, is a string. */
static bool
make_match(const char *words, mt_packed *out, mt_error *error)
{
  size_t n = strlen(words), n_words = 0;
  if (n > MOST_WORDS_BYTES)
    return mt_fail(error, MT_ERROR_INPUT, "A search has at most %d bytes; this one has %zu.",
                   MOST_WORDS_BYTES, n);
  if (!mt_utf8_valid(words, n, NULL))
    return mt_fail(error, MT_ERROR_INPUT, "The search is not UTF-8.");
  for (size_t at = 0; at < n;) {
    const size_t space = mt_utf8_length_at(words + at, n - at);
    if (mt_utf8_is_space(words + at, space)) {
      at += space;
      continue;
    }
    const bool is_quoted = words[at] == '"';
    size_t end = at + is_quoted;
    while (end < n && !(is_quoted ? words[end] == '"'
                                  : words[end] == '"' ||
                                        mt_utf8_is_space(words + end,
                                                         mt_utf8_length_at(words + end, n - end))))
      end += mt_utf8_length_at(words + end, n - end);
    if (is_quoted && end == n)
      return mt_fail(error, MT_ERROR_INPUT, "The search has a quote that does not end.");
    size_t begin = at + is_quoted, stop = end;
    const bool is_prefix = !is_quoted && stop > begin + 1 && words[stop - 1] == '*';
    stop -= is_prefix;
    if (++n_words > MOST_WORDS)
      return mt_fail(error, MT_ERROR_INPUT, "A search has at most %d words.", MOST_WORDS);
    mt_packed_put(out, "\"", 1);
    mt_packed_put(out, words + begin, stop - begin);
    mt_packed_put(out, is_prefix ? "\" * " : "\" ", is_prefix ? 4 : 2);
    at = end + is_quoted;
  }
  if (n_words > 0)
    mt_packed_put(out, "", 1);
  return !out->failed || mt_fail_no_memory(error);
}

/* ---- Finding -----------------------------------------------------------------------------------
 */

typedef struct {
  const mt_corpus *corpus;
  const mt_corpus_query *query;
  const char *match; /* NULL: any words */
  size_t limit;
  mt_corpus_hits *hits;
} work;

static mt_corpus_hits *
hits_new(size_t limit, mt_error *error)
{
  mt_corpus_hits *hits = mt_alloc(sizeof *hits + limit * sizeof *hits->items, 1);
  if (!hits)
    return mt_fail_no_memory(error), NULL;
  hits->items = (mt_corpus_hit *) (hits + 1);
  return hits;
}

void
mt_corpus_hits_free(mt_corpus_hits *hits)
{
  mt_free(hits);
}

/* Sentence `id` is found; it is shown if its turn has come. */
static void
hit(work *w, uint64_t id, double value)
{
  const uint64_t at = w->hits->total++;
  if (at >= w->query->offset && w->hits->n < w->limit)
    w->hits->items[w->hits->n++] = (mt_corpus_hit){id, value};
}

/* Those with the words, into wanted [n_sentences], or as hits if it is NULL. */
static bool
find_words(work *w, unsigned char *wanted, mt_error *error)
{
  mt_rows *rows =
      mt_db_prepare(w->corpus->db, "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid",
                    error);
  if (!rows)
    return false;
  mt_rows_bind_text(rows, 1, w->match);
  mt_rows_result result;
  while ((result = mt_rows_next(rows, error)) == MT_ROWS_ROW) {
    const uint64_t id = (uint64_t) mt_rows_whole(rows, 0);
    if (id == 0 || id > w->corpus->head.about.n_sentences) {
      mt_db_damaged(w->corpus->db, "its words are those of a sentence that is not there", error);
      result = MT_ROWS_FAILED;
      break;
    }
    if (wanted)
      wanted[id - 1] = 1;
    else
      hit(w, id, NAN);
  }
  mt_rows_free(rows);
  return result == MT_ROWS_END;
}

/* All, in order: by number, or the greatest value first. bytes and wanted may be NULL. */
static void
find_values(work *w, const unsigned char *bytes, const unsigned char *wanted)
{
  const mt_corpus_query *q = w->query;
  const size_t n = w->corpus->head.about.n_sentences;
  const int least = mt_corpus_quantize(q->measure, q->kind, q->least);
  const int most = mt_corpus_quantize(q->measure, q->kind, q->most);
  const bool is_sorted = q->is_descending;
  /* One pass for each value that there is, or one for all. */
  bool is_there[256] = {0};
  for (size_t i = 0; is_sorted && i < n; i++)
    is_there[bytes[i]] |= !wanted || wanted[i];
  for (int high = most; high >= least; high = is_sorted ? high - 1 : -1) {
    if (is_sorted && !is_there[high])
      continue;
    const int low = is_sorted ? high : least;
    for (size_t i = 0; i < n; i++)
      if (bytes[i] >= low && bytes[i] <= high && (!wanted || wanted[i]))
        hit(w, i + 1, mt_corpus_dequantize(q->measure, q->kind, bytes[i]));
  }
}

static bool
find(work *w, mt_error *error)
{
  const mt_corpus_query *q = w->query;
  const mt_corpus_shape *shape = &w->corpus->head.shape;
  const size_t n = w->corpus->head.about.n_sentences;
  if (!q->has_head && w->match)
    return find_words(w, NULL, error);
  for (size_t i = 0; !q->has_head && i < n; i++)
    hit(w, i + 1, NAN);
  if (!q->has_head || n == 0 || q->least > q->most)
    return true;
  const size_t i = mt_corpus_shape_at(shape, q->kind, q->layer, q->head);
  unsigned char *bytes = mt_alloc(n, 1), *wanted = w->match ? mt_alloc(n, 1) : NULL;
  bool ok = (bytes && (wanted || !w->match)) || mt_fail_no_memory(error);
  ok = ok && (!wanted || find_words(w, wanted, error)) &&
       mt_corpus_read_series(w->corpus->db, mt_corpus_series(i, q->measure), 0, n, bytes, error);
  if (ok)
    find_values(w, bytes, wanted);
  mt_free(bytes);
  mt_free(wanted);
  return ok;
}

static bool
check(const mt_corpus *corpus, const mt_corpus_query *q, mt_error *error)
{
  const mt_corpus_about *about = &corpus->head.about;
  if (!q->has_head)
    return true;
  if ((unsigned) q->kind >= MT_N_KINDS || q->layer >= about->n_layers[q->kind] ||
      q->head >= about->n_heads[q->kind] || (unsigned) q->measure >= MT_N_CORPUS_MEASURES)
    return mt_fail(error, MT_ERROR_INPUT, "The corpus has no such head.");
  const mt_head_statistic *info = mt_corpus_measure_about(q->measure);
  if (!(info->text_kinds & MT_KIND_BIT(q->kind)))
    return mt_fail(error, MT_ERROR_INPUT, "Heads of this kind have no measure \"%s\".", info->id);
  if (q->measure == MT_CORPUS_EFFECT && !about->has_effects)
    return mt_fail(error, MT_ERROR_INPUT, "The corpus was made without effects.");
  if (isnan(q->least) || isnan(q->most))
    return mt_fail(error, MT_ERROR_INPUT, "The bounds of a search are no numbers.");
  return true;
}

mt_corpus_hits *
mt_corpus_search(const mt_corpus *corpus, const mt_corpus_query *query, mt_error *error)
{
  mt_packed match = {0};
  const size_t limit = query->limit ? query->limit : USUAL_LIMIT;
  work w = {.corpus = corpus, .query = query, .limit = limit < MOST_LIMIT ? limit : MOST_LIMIT};
  bool ok =
      check(corpus, query, error) && make_match(query->words ? query->words : "", &match, error);
  if (ok) {
    w.match = match.n ? (const char *) match.data : NULL;
    w.hits = hits_new(w.limit, error);
    ok = w.hits && find(&w, error);
  }
  mt_packed_clear(&match);
  if (ok)
    return w.hits;
  mt_corpus_hits_free(w.hits);
  return NULL;
}
