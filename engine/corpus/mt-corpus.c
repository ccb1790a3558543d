/* mt-corpus.c — a corpus file that is read: what its heads do, its sentences, examples and
 * searches.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "base/mt-utf8.h"
#include "corpus/mt-corpus-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A relation that was seen less often proves nothing. */
#define LEAST_OF_RELATION 20

/* ---- Opening --------------------------------------------------------------------------------- */

/* The most frequent first; of equals as they stand, by name. */
static void
sort_relations(mt_corpus *corpus)
{
  const mt_corpus_relation_sums *items = corpus->relations.items;
  for (size_t i = 0; i < corpus->relations.n; i++) {
    size_t at = i;
    for (; at > 0 && items[corpus->relation_order[at - 1]].n < items[i].n; at--)
      corpus->relation_order[at] = corpus->relation_order[at - 1];
    corpus->relation_order[at] = i;
  }
}

static bool
read_all(mt_corpus *corpus, mt_error *error)
{
  if (!mt_corpus_head_read(&corpus->head, corpus->db, error))
    return false;
  corpus->sums = mt_alloc(corpus->head.shape.n, sizeof *corpus->sums);
  bool ok = corpus->sums || mt_fail_no_memory(error);
  for (mt_attention_kind k = 0; ok && k < MT_N_KINDS; k++) {
    corpus->distances[k] =
        mt_alloc(mt_corpus_shape_pairs(&corpus->head.shape, k), sizeof(uint64_t));
    ok = corpus->distances[k]
             ? mt_corpus_read_distances(corpus->db, &corpus->head, k, corpus->distances[k], error)
             : mt_fail_no_memory(error);
  }
  if (!ok || !mt_corpus_relations_read(&corpus->relations, corpus->db, &corpus->head, error))
    return false;
  corpus->relation_order = mt_alloc(corpus->relations.n, sizeof *corpus->relation_order);
  if (!corpus->relation_order)
    return mt_fail_no_memory(error);
  sort_relations(corpus);
  return true;
}

mt_corpus *
mt_corpus_open(const char *path, mt_error *error)
{
  mt_corpus *corpus = mt_alloc(1, sizeof *corpus);
  if (!corpus)
    return mt_fail_no_memory(error), NULL;
  corpus->db = mt_db_open(path, MT_DB_READ, &mt_corpus_format, error);
  if (corpus->db && read_all(corpus, error))
    return corpus;
  mt_corpus_close(corpus);
  return NULL;
}

void
mt_corpus_close(mt_corpus *corpus)
{
  if (!corpus)
    return;
  for (size_t i = 0; corpus->sums && i < corpus->head.shape.n; i++)
    mt_free(corpus->sums[i]);
  mt_free(corpus->sums);
  for (size_t k = 0; k < MT_N_KINDS; k++)
    mt_free(corpus->distances[k]);
  mt_corpus_relations_clear(&corpus->relations);
  mt_free(corpus->relation_order);
  mt_free(corpus->distinct);
  mt_corpus_head_clear(&corpus->head);
  mt_db_close(corpus->db);
  mt_free(corpus);
}

const mt_corpus_about *
mt_corpus_get_about(const mt_corpus *corpus)
{
  return &corpus->head.about;
}

bool
mt_corpus_check_model(const mt_corpus *corpus, const mt_model *model, mt_error *error)
{
  if (corpus->head.about.fingerprint == mt_model_fingerprint(model))
    return true;
  return mt_fail(error, MT_ERROR_INPUT,
                 "%s was made with another model, called \"%.80s\", not with \"%.80s\".",
                 mt_db_label(corpus->db), corpus->head.model_name, mt_model_name(model));
}

/* ---- Statistics ------------------------------------------------------------------------------ */

/* Read once. NULL: *error. */
static const mt_corpus_sums *
get_sums(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
         mt_error *error)
{
  const size_t i = mt_corpus_shape_at(&corpus->head.shape, kind, layer, head);
  if (corpus->sums[i])
    return corpus->sums[i];
  mt_corpus_sums *sums = mt_alloc(1, sizeof *sums);
  if (!sums)
    return mt_fail_no_memory(error), NULL;
  if (mt_corpus_read_sums(corpus->db, &corpus->head, i, sums, error))
    return corpus->sums[i] = sums;
  mt_free(sums);
  return NULL;
}

bool
mt_corpus_get(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
              mt_corpus_measure measure, mt_corpus_statistics *statistics, mt_error *error)
{
  const mt_corpus_sums *sums = get_sums(corpus, kind, layer, head, error);
  if (!sums)
    return false;
  const mt_head_statistic *info = mt_corpus_measure_about(measure);
  statistics->low = info->low[kind];
  statistics->high = info->high[kind];
  mt_corpus_sums_statistics(&sums->measures[measure], statistics);
  return true;
}

bool
mt_corpus_get_offsets(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
                      mt_corpus_offsets *offsets, mt_error *error)
{
  const mt_corpus_sums *sums = get_sums(corpus, kind, layer, head, error);
  if (sums)
    mt_corpus_sums_offsets(sums, offsets);
  return sums != NULL;
}

bool
mt_corpus_get_role(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
                   mt_corpus_role role, mt_corpus_role_value *value, mt_error *error)
{
  const mt_corpus_sums *sums = get_sums(corpus, kind, layer, head, error);
  if (sums)
    mt_corpus_sums_role(&sums->roles[role], corpus->head.shape.n, value);
  return sums != NULL;
}

/* ---- Relations ------------------------------------------------------------------------------- */

size_t
mt_corpus_n_relations(const mt_corpus *corpus)
{
  return corpus->relations.n;
}

mt_corpus_relation
mt_corpus_relation_at(const mt_corpus *corpus, size_t i)
{
  const mt_corpus_relation_sums *sums = &corpus->relations.items[corpus->relation_order[i]];
  mt_corpus_relation relation = {.name = sums->name, .is_reverse = sums->is_reverse, .n = sums->n};
  relation.offset = mt_corpus_relation_offset(sums, &relation.offset_share);
  return relation;
}

bool
mt_corpus_get_relation(const mt_corpus *corpus, size_t layer, size_t head, size_t i,
                       mt_corpus_relation_value *value, mt_error *error)
{
  const mt_corpus_shape *shape = &corpus->head.shape;
  const mt_corpus_relation_sums *sums = &corpus->relations.items[corpus->relation_order[i]];
  const double n = (double) sums->n;
  double chance;
  mt_corpus_relation_offset(sums, &chance);
  value->share = (double) sums->hits[layer * shape->n_heads[MT_ENCODER_SELF] + head] / n;
  const double deviation = sqrt(chance * (1 - chance) / n);
  value->p = deviation > 0           ? mt_normal_tail((value->share - chance) / deviation)
             : value->share > chance ? 0
                                     : 1;
  const double n_tests = (double) (shape->n_of_kind[MT_ENCODER_SELF] * corpus->relations.n);
  value->holds = sums->n >= LEAST_OF_RELATION && value->p < MT_CORPUS_ROLE_P / n_tests;
  (void) error;
  return true;
}

/* ---- Distances ------------------------------------------------------------------------------- */

double
mt_corpus_distance(const mt_corpus *corpus, mt_attention_kind kind, size_t layer_a, size_t head_a,
                   size_t layer_b, size_t head_b)
{
  const mt_corpus_shape *shape = &corpus->head.shape;
  const size_t first = shape->first[kind];
  size_t a = mt_corpus_shape_at(shape, kind, layer_a, head_a) - first;
  size_t b = mt_corpus_shape_at(shape, kind, layer_b, head_b) - first;
  if (corpus->head.about.n_sentences == 0)
    return NAN;
  if (a == b)
    return 0;
  const size_t pair = a > b ? a * (a - 1) / 2 + b : b * (b - 1) / 2 + a;
  return sqrt((double) corpus->distances[kind][pair] / (double) MT_FIXED_ONE /
              (double) corpus->head.about.n_sentences);
}

/* ---- The whole file -------------------------------------------------------------------------- */

/* All rows of a statement. */
static bool
hash_rows(const mt_corpus *corpus, const char *sql, uint64_t *hash, mt_error *error)
{
  mt_rows *rows = mt_db_prepare(corpus->db, sql, error);
  mt_rows_result result = rows ? MT_ROWS_ROW : MT_ROWS_FAILED;
  while (result == MT_ROWS_ROW && (result = mt_rows_next(rows, error)) == MT_ROWS_ROW)
    *hash = mt_rows_hash(rows, *hash);
  mt_rows_free(rows);
  return result == MT_ROWS_END;
}

uint64_t
mt_corpus_hash(const mt_corpus *corpus, mt_error *error)
{
  static const char *const parts[] = {
      "SELECT key, value FROM about WHERE key NOT IN ('text', 'lines', 'text_hash', 'complete') "
      "ORDER BY key",
      "SELECT key, bytes FROM sums ORDER BY key",
      "SELECT key, bytes FROM strongest ORDER BY key",
      "SELECT key, bytes FROM distances ORDER BY key",
      "SELECT name, reverse, bytes FROM relations ORDER BY name, reverse",
      "SELECT id, source, target, tokens FROM sentences ORDER BY id",
      "SELECT key, bytes FROM hashes ORDER BY key",
      "SELECT key, bytes FROM series ORDER BY key",
  };
  uint64_t hash = MT_HASH_BEGIN;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!hash_rows(corpus, parts[i], &hash, error))
      return 0;
  return hash ? hash : 1;
}

/* ---- Sentences ------------------------------------------------------------------------------- */

/* A sentence of a corpus, with the bounds of its tokens. */

static void
put_token(mt_packed *out, const mt_corpus_token *token)
{
  mt_packed_put(out, token, sizeof *token);
}

/* The tokens of one text of n bytes, appended to out; false: they cannot be. */
static bool
get_tokens(mt_packed_in *in, size_t n, mt_packed *out, size_t *n_tokens)
{
  uint64_t at = 0;
  *n_tokens = mt_packed_get_whole(in, (uint64_t) (in->end - in->at));
  for (size_t i = 0; i < *n_tokens; i++) {
    const uint64_t head = mt_packed_get_whole(in, UINT32_MAX);
    const uint64_t begin = at + (head & 2 ? mt_packed_get_whole(in, UINT32_MAX) : 0);
    at = begin + (head >> 2);
    if (in->failed || at > n)
      return false;
    const mt_corpus_token token = {(uint32_t) begin, (uint32_t) at, head & 1};
    put_token(out, &token);
  }
  return !in->failed;
}

/* One allocation for everything. */
static mt_corpus_sentence *
build(uint64_t id, int64_t line, const char *source, const char *target, const mt_packed *tokens,
      const size_t n_tokens[MT_N_STACKS], mt_error *error)
{
  const size_t n_source = strlen(source) + 1, n_target = strlen(target) + 1;
  mt_corpus_sentence *sentence = mt_alloc(sizeof *sentence + tokens->n + n_source + n_target, 1);
  if (!sentence)
    return mt_fail_no_memory(error), NULL;
  mt_corpus_token *items = (mt_corpus_token *) (sentence + 1);
  char *texts = (char *) items + tokens->n;
  if (tokens->n > 0)
    memcpy(items, tokens->data, tokens->n);
  memcpy(texts, source, n_source);
  memcpy(texts + n_source, target, n_target);
  *sentence = (mt_corpus_sentence){
      .id = id,
      .line = line > 0 ? (uint64_t) line : 0,
      .text = {texts, texts + n_source},
      .n_tokens = {n_tokens[0], n_tokens[1]},
      .tokens = {items, items + n_tokens[0]},
  };
  return sentence;
}

mt_corpus_sentence *
mt_corpus_sentence_new(const mt_corpus *corpus, uint64_t id, mt_error *error)
{
  mt_corpus_sentence *sentence = NULL;
  const uint64_t n_sentences = corpus->head.about.n_sentences;
  if (id == 0 || id > n_sentences) {
    mt_fail(error, MT_ERROR_INPUT, "There is no sentence %llu; the corpus has %llu.",
            (unsigned long long) id, (unsigned long long) n_sentences);
    return NULL;
  }
  mt_rows *rows =
      mt_db_prepare(corpus->db, "SELECT line, source, target, tokens FROM sentences WHERE id = ?",
                    error);
  if (!rows)
    return NULL;
  mt_rows_bind_whole(rows, 1, (int64_t) id);
  const mt_rows_result result = mt_rows_next(rows, error);
  if (result == MT_ROWS_ROW) {
    size_t n, n_tokens[MT_N_STACKS] = {0};
    const char *source = mt_rows_text(rows, 1), *target = mt_rows_text(rows, 2);
    const unsigned char *bytes = mt_rows_bytes(rows, 3, &n);
    mt_packed_in in = {.at = bytes, .end = bytes ? bytes + n : NULL};
    mt_packed tokens = {0};
    const bool ok = bytes && get_tokens(&in, strlen(source), &tokens, &n_tokens[0]) &&
                    get_tokens(&in, strlen(target), &tokens, &n_tokens[1]) && mt_packed_is_end(&in);
    if (ok && tokens.failed)
      mt_fail_no_memory(error);
    else if (ok)
      sentence = build(id, mt_rows_whole(rows, 0), source, target, &tokens, n_tokens, error);
    else
      mt_db_damaged(corpus->db, "tokens of a sentence cannot be", error);
    mt_packed_clear(&tokens);
  } else if (result == MT_ROWS_END) {
    mt_db_damaged(corpus->db, "a sentence is missing", error);
  }
  mt_rows_free(rows);
  return sentence;
}

void
mt_corpus_sentence_free(mt_corpus_sentence *sentence)
{
  mt_free(sentence);
}

/* ---- Examples -------------------------------------------------------------------------------- */

/* The strongest sentences of a measure, and some of every strength. */

/* One allocation: the list, its items and their weights. */
static mt_corpus_examples *
examples_new(size_t n, size_t n_weights, mt_error *error)
{
  mt_corpus_examples *examples =
      mt_alloc(sizeof *examples + n * sizeof *examples->items + n_weights * sizeof(float), 1);
  if (!examples)
    return mt_fail_no_memory(error), NULL;
  examples->n = n;
  examples->items = (mt_corpus_example *) (examples + 1);
  return examples;
}

void
mt_corpus_examples_free(mt_corpus_examples *examples)
{
  mt_free(examples);
}

static bool
has(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
    mt_corpus_measure measure)
{
  const mt_corpus_shape *shape = &corpus->head.shape;
  return mt_corpus_shape_has(shape, mt_corpus_shape_at(shape, kind, layer, head), measure,
                             corpus->head.about.has_effects);
}

mt_corpus_examples *
mt_corpus_strongest(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
                    mt_corpus_measure measure, mt_error *error)
{
  const size_t i = mt_corpus_shape_at(&corpus->head.shape, kind, layer, head);
  mt_corpus_top top = {0};
  size_t n_weights = 0;
  if (has(corpus, kind, layer, head, measure) &&
      !mt_corpus_read_top(corpus->db, &corpus->head, i, measure, &top, error))
    return NULL;
  for (size_t k = 0; k < top.n; k++)
    n_weights += top.items[k].n;
  mt_corpus_examples *examples = examples_new(top.n, n_weights, error);
  float *weights = examples ? (float *) (examples->items + top.n) : NULL;
  for (size_t k = 0; examples && k < top.n; k++) {
    const mt_corpus_top_item *item = &top.items[k];
    examples->items[k] = (mt_corpus_example){.sentence = item->sentence,
                                             .value = mt_fixed_value(item->value),
                                             .query = item->query,
                                             .key = item->key,
                                             .n_weights = item->n,
                                             .weights = weights};
    for (size_t w = 0; w < item->n; w++)
      *weights++ = (float) item->weights[w] / 255;
  }
  mt_corpus_top_clear(&top);
  return examples;
}

/* ---- Quantiles ------------------------------------------------------------------------------- */

typedef struct {
  uint64_t hash;
  uint32_t at;
} hashed;

static int
compare(const void *a, const void *b)
{
  const hashed *x = a, *y = b;
  if (x->hash != y->hash)
    return x->hash < y->hash ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* The sentences by hash, each text once; read and sorted once. */
static bool
sort_texts(mt_corpus *corpus, mt_error *error)
{
  const size_t n = corpus->head.about.n_sentences;
  if (corpus->distinct)
    return true;
  uint64_t *hashes = mt_alloc(n, sizeof *hashes);
  hashed *sorted = mt_alloc(n, sizeof *sorted);
  uint32_t *distinct = mt_alloc(n, sizeof *distinct);
  bool ok = (hashes && sorted && distinct) || mt_fail_no_memory(error);
  ok = ok && mt_corpus_read_hashes(corpus->db, 0, n, hashes, error);
  size_t n_distinct = 0;
  if (ok) {
    for (size_t i = 0; i < n; i++)
      sorted[i] = (hashed){hashes[i], (uint32_t) i};
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0; i < n; i++)
      if (i == 0 || sorted[i].hash != sorted[i - 1].hash)
        distinct[n_distinct++] = sorted[i].at;
    corpus->distinct = distinct;
    corpus->n_distinct = n_distinct;
  } else {
    mt_free(distinct);
  }
  mt_free(hashes);
  mt_free(sorted);
  return ok;
}

/* Of groups of equal size, those that come first by hash; bytes [n_sentences]. */
static void
choose(const mt_corpus *corpus, mt_corpus_measure measure, mt_attention_kind kind,
       const unsigned char *bytes, mt_corpus_examples *examples)
{
  size_t before[257] = {0}, n_chosen[MT_CORPUS_GROUPS] = {0};
  const size_t n = corpus->n_distinct;
  for (size_t i = 0; i < n; i++)
    before[bytes[corpus->distinct[i]] + 1]++;
  for (size_t b = 1; b < 257; b++)
    before[b] += before[b - 1];
  for (size_t i = 0; i < n; i++) {
    const uint32_t at = corpus->distinct[i];
    const size_t rank = before[bytes[at]]++; /* by value, then by hash */
    const size_t group = rank * MT_CORPUS_GROUPS / n;
    if (n_chosen[group] == MT_CORPUS_PER_GROUP)
      continue;
    mt_corpus_example *item = &examples->items[group * MT_CORPUS_PER_GROUP + n_chosen[group]++];
    item->sentence = at + (uint64_t) 1;
    item->value = mt_corpus_dequantize(measure, kind, bytes[at]);
  }
}

mt_corpus_examples *
mt_corpus_quantiles(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
                    mt_corpus_measure measure, mt_error *error)
{
  const size_t n = corpus->head.about.n_sentences;
  const size_t i = mt_corpus_shape_at(&corpus->head.shape, kind, layer, head);
  mt_corpus_examples *examples = examples_new(MT_CORPUS_GROUPS * MT_CORPUS_PER_GROUP, 0, error);
  for (size_t k = 0; examples && k < examples->n; k++)
    examples->items[k].value = NAN;
  if (!examples || n == 0 || !has(corpus, kind, layer, head, measure))
    return examples;
  unsigned char *bytes = mt_alloc(n, 1);
  /* What was read is kept, which nobody sees. */
  bool ok = (bytes || mt_fail_no_memory(error)) && sort_texts((mt_corpus *) corpus, error) &&
            mt_corpus_read_series(corpus->db, mt_corpus_series(i, measure), 0, n, bytes, error);
  if (ok)
    choose(corpus, measure, kind, bytes, examples);
  mt_free(bytes);
  if (ok)
    return examples;
  mt_corpus_examples_free(examples);
  return NULL;
}

/* ---- Search ---------------------------------------------------------------------------------- */

/* Sentences by their words, and by what a head does. */

#define USUAL_LIMIT 100
#define MOST_LIMIT  100000
/* Bytes of words, and how many there may be. */
#define MOST_WORDS_BYTES 1000
#define MOST_WORDS       50

/* ---- Words ----------------------------------------------------------------------------------- */

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

/* ---- Finding --------------------------------------------------------------------------------- */

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
