/* mt-corpus.c — a corpus file that is read: what its heads do.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"

#include <math.h>
#include <string.h>

/* A relation that was seen less often proves nothing. */
#define LEAST_OF_RELATION 20

/* ---- Opening -----------------------------------------------------------------------------------
 */

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

/* ---- Statistics --------------------------------------------------------------------------------
 */

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

/* ---- Relations ---------------------------------------------------------------------------------
 */

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

/* ---- Distances ---------------------------------------------------------------------------------
 */

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

/* ---- The whole file ----------------------------------------------------------------------------
 */

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
