/* mt-corpus-writer.c — a corpus file, from nothing to complete.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between two commits there is one transaction: sentences go into their tables as they come, sums
 * are kept in memory and written by the commit. A file that is gone on with gives them back.
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <string.h>

static unsigned char *
series_of(const mt_corpus_writer *writer, size_t head, mt_corpus_measure measure)
{
  return writer->series + (head * MT_N_CORPUS_MEASURES + measure) * MT_CORPUS_CHUNK;
}

static size_t
n_in_chunk(const mt_corpus_writer *writer)
{
  return writer->head.about.n_sentences % MT_CORPUS_CHUNK;
}

/* ---- Beginning ---------------------------------------------------------------------------------
 */

/* Memory and statements. */
static bool
set_up(mt_corpus_writer *writer, mt_error *error)
{
  const mt_corpus_shape *shape = &writer->head.shape;
  size_t most = 1;
  writer->sums = mt_alloc(shape->n, sizeof *writer->sums);
  writer->tops = mt_alloc(shape->n * MT_N_CORPUS_MEASURES, sizeof *writer->tops);
  writer->series = mt_alloc(shape->n * MT_N_CORPUS_MEASURES, MT_CORPUS_CHUNK);
  writer->hashes = mt_alloc(MT_CORPUS_CHUNK, sizeof(uint64_t));
  writer->values = mt_alloc(shape->n, sizeof *writer->values);
  bool ok = writer->sums && writer->tops && writer->series && writer->hashes && writer->values;
  for (mt_attention_kind k = 0; ok && k < MT_N_KINDS; k++) {
    const size_t n = mt_corpus_shape_pairs(shape, k);
    writer->distances[k] = mt_alloc(n, sizeof *writer->distances[k]);
    most = n > most ? n : most;
    ok = writer->distances[k] != NULL;
  }
  writer->divergences = mt_alloc(most, sizeof *writer->divergences);
  if (!ok || !writer->divergences)
    return mt_fail_no_memory(error);
  writer->relations.n_heads = shape->n_of_kind[MT_ENCODER_SELF];
  writer->insert_sentence =
      mt_db_prepare(writer->db, "INSERT INTO sentences VALUES(?, ?, ?, ?, ?)", error);
  writer->insert_words =
      writer->insert_sentence
          ? mt_db_prepare(writer->db, "INSERT INTO words(rowid, source, target) VALUES(?, ?, ?)",
                          error)
          : NULL;
  return writer->insert_words != NULL;
}

void
mt_corpus_writer_free(mt_corpus_writer *writer)
{
  if (!writer)
    return;
  mt_rows_free(writer->insert_sentence);
  mt_rows_free(writer->insert_words);
  if (writer->is_open)
    mt_db_run(writer->db, "ROLLBACK", NULL);
  mt_db_close(writer->db);
  const size_t n = writer->head.shape.n * MT_N_CORPUS_MEASURES;
  for (size_t i = 0; writer->tops && i < n; i++)
    mt_corpus_top_clear(&writer->tops[i]);
  for (size_t k = 0; k < MT_N_KINDS; k++)
    mt_free(writer->distances[k]);
  mt_corpus_relations_clear(&writer->relations);
  mt_corpus_head_clear(&writer->head);
  mt_pool_free(writer->pool);
  mt_free(writer->sums);
  mt_free(writer->tops);
  mt_free(writer->series);
  mt_free(writer->hashes);
  mt_free(writer->values);
  mt_free(writer->divergences);
  mt_free(writer->scratch);
  mt_free(writer);
}

/* What an earlier run left. */
static bool
read_all(mt_corpus_writer *writer, mt_error *error)
{
  const mt_corpus_head *head = &writer->head;
  const size_t n = n_in_chunk(writer);
  const uint64_t first = head->about.n_sentences - n;
  bool ok = true;
  for (size_t i = 0; ok && i < head->shape.n; i++) {
    ok = mt_corpus_read_sums(writer->db, head, i, &writer->sums[i], error);
    for (mt_corpus_measure m = 0; ok && m < MT_N_CORPUS_MEASURES; m++)
      if (mt_corpus_shape_has(&head->shape, i, m, head->about.has_effects))
        ok = mt_corpus_read_top(writer->db, head, i, m, &writer->tops[i * MT_N_CORPUS_MEASURES + m],
                                error) &&
             (n == 0 || mt_corpus_read_series(writer->db, mt_corpus_series(i, m), first, n,
                                              series_of(writer, i, m), error));
  }
  for (mt_attention_kind k = 0; ok && k < MT_N_KINDS; k++)
    ok = mt_corpus_read_distances(writer->db, head, k, writer->distances[k], error);
  ok = ok && mt_corpus_relations_read(&writer->relations, writer->db, head, error);
  uint64_t *hashes = ok ? mt_alloc(n, sizeof *hashes) : NULL;
  if (ok && !hashes)
    ok = mt_fail_no_memory(error);
  ok = ok && (n == 0 || mt_corpus_read_hashes(writer->db, first, n, hashes, error));
  for (size_t i = 0; ok && i < n; i++)
    for (size_t b = 0; b < 8; b++)
      writer->hashes[8 * i + b] = (unsigned char) (hashes[i] >> (8 * b));
  mt_free(hashes);
  return ok;
}

mt_corpus_writer *
mt_corpus_writer_create(const char *path, mt_corpus_head *head, mt_error *error)
{
  mt_corpus_writer *writer = mt_alloc(1, sizeof *writer);
  if (!writer) {
    mt_corpus_head_clear(head);
    return mt_fail_no_memory(error), NULL;
  }
  writer->head = *head;
  *head = (mt_corpus_head){0};
  writer->db = mt_db_open(path, MT_DB_CREATE, &mt_corpus_format, error);
  writer->is_open = writer->db != NULL;
  /* Empty, but whole: a file that was never committed to can be read. */
  if (writer->db && set_up(writer, error) && mt_corpus_writer_commit(writer, 0, 0, false, error))
    return writer;
  if (writer->db)
    mt_db_remove(writer->db);
  mt_corpus_writer_free(writer);
  return NULL;
}

/* The head of a file that is about to be made. */
static bool
describe(mt_corpus_head *head, const mt_model *model, const mt_corpus_settings *settings,
         mt_error *error)
{
  const mt_config *config = mt_model_config(model);
  mt_corpus_about *about = &head->about;
  *head = (mt_corpus_head){0};
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    const mt_stack stack = k == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
    head->shape.n_layers[k] = about->n_layers[k] = config->n_layers[stack];
    head->shape.n_heads[k] = about->n_heads[k] = config->n_heads[stack];
  }
  about->fingerprint = mt_model_fingerprint(model);
  about->has_effects = settings->has_effects;
  about->with = settings->has_effects ? settings->with : MT_EFFECT_ZERO;
  about->has_trees = settings->has_trees;
  if (!mt_corpus_shape_count(&head->shape))
    return mt_fail(error, MT_ERROR_TOO_LONG, "The model has more heads than %d.",
                   MT_CORPUS_MOST_HEADS);
  const char *name = mt_model_name(model);
  if (mt_corpus_head_set(head, name, settings->text_name, settings->search, settings->changes))
    return true;
  mt_corpus_head_clear(head);
  return mt_fail_no_memory(error);
}

mt_corpus_writer *
mt_corpus_writer_new(const char *path, const mt_model *model, const mt_corpus_settings *settings,
                     mt_error *error)
{
  mt_corpus_head wanted;
  mt_error own = {0};
  if (!describe(&wanted, model, settings, error))
    return NULL;
  mt_db *db = mt_db_open(path, MT_DB_WRITE, &mt_corpus_format, &own);
  mt_corpus_writer *writer = NULL;
  if (!db && mt_db_is_empty(path)) {
    writer = mt_corpus_writer_create(path, &wanted, error);
  } else if (!db) {
    mt_fail(error, own.code, "%s", own.message);
  } else if (!(writer = mt_alloc(1, sizeof *writer))) {
    mt_db_close(db);
    mt_fail_no_memory(error);
  } else {
    writer->db = db;
    bool ok = mt_corpus_head_read(&writer->head, db, error);
    const char *other = ok ? mt_corpus_head_difference(&writer->head.about, &wanted.about) : NULL;
    if (other)
      ok = mt_fail(error, MT_ERROR_INPUT, "%s was begun with %s.", mt_db_label(db), other);
    if (!ok || !set_up(writer, error) || !read_all(writer, error)) {
      mt_corpus_writer_free(writer);
      writer = NULL;
    }
  }
  mt_corpus_head_clear(&wanted);
  if (writer)
    writer->pool = mt_pool_new(settings->n_threads);
  return writer;
}

uint64_t
mt_corpus_writer_n_lines(const mt_corpus_writer *writer)
{
  return writer->head.n_lines;
}

uint64_t
mt_corpus_writer_text_hash(const mt_corpus_writer *writer)
{
  return writer->head.text_hash;
}

bool
mt_corpus_writer_is_complete(const mt_corpus_writer *writer)
{
  return writer->head.about.is_complete;
}

uint64_t
mt_corpus_writer_n_sentences(const mt_corpus_writer *writer)
{
  return writer->head.about.n_sentences;
}

void
mt_corpus_writer_leave_out(mt_corpus_writer *writer)
{
  writer->head.about.n_left_out++;
}

/* ---- A sentence --------------------------------------------------------------------------------
 */

static bool
break_off(mt_corpus_writer *writer)
{
  writer->is_broken = true;
  return false;
}

bool
mt_corpus_writer_append(mt_corpus_writer *writer, const mt_corpus_row *row, mt_error *error)
{
  const uint64_t id = writer->head.about.n_sentences + 1;
  if (writer->is_broken)
    return mt_fail(error, MT_ERROR_IO, "%s: an earlier sentence could not be written.",
                   mt_db_label(writer->db));
  if (id > MT_CORPUS_MOST_SENTENCES)
    return mt_fail(error, MT_ERROR_TOO_LONG, "%s has %llu sentences; there is room for no more.",
                   mt_db_label(writer->db), (unsigned long long) MT_CORPUS_MOST_SENTENCES);
  if (!writer->is_open) {
    if (!mt_db_run(writer->db, "BEGIN IMMEDIATE", error))
      return false;
    writer->is_open = true;
  }
  mt_rows *rows = writer->insert_sentence, *words = writer->insert_words;
  mt_rows_bind_whole(rows, 1, (int64_t) id);
  mt_rows_bind_whole(rows, 2, (int64_t) row->line);
  mt_rows_bind_text(rows, 3, row->source);
  mt_rows_bind_text(rows, 4, row->target);
  mt_rows_bind_bytes(rows, 5, row->tokens, row->n_tokens_bytes);
  if (!mt_rows_run(rows, error))
    return break_off(writer);
  mt_rows_bind_whole(words, 1, (int64_t) id);
  mt_rows_bind_text(words, 2, row->source);
  mt_rows_bind_text(words, 3, row->target);
  if (!mt_rows_run(words, error))
    return break_off(writer);
  for (size_t b = 0; b < 8; b++)
    writer->hashes[8 * n_in_chunk(writer) + b] = (unsigned char) (row->hash >> (8 * b));
  return true;
}

unsigned char *
mt_corpus_writer_byte(mt_corpus_writer *writer, size_t head, mt_corpus_measure measure)
{
  return series_of(writer, head, measure) + n_in_chunk(writer);
}

/* The bytes of n sentences of the newest chunk. */
static bool
write_chunk(mt_corpus_writer *writer, uint64_t chunk, size_t n, mt_error *error)
{
  const mt_corpus_head *head = &writer->head;
  mt_packed packed = {.data = writer->hashes, .n = 8 * n};
  if (!mt_corpus_write_bytes(writer->db, "hashes", (int64_t) chunk, &packed, error))
    return false;
  mt_rows *rows = mt_db_prepare(writer->db, "INSERT OR REPLACE INTO series VALUES(?, ?)", error);
  bool ok = rows != NULL;
  for (size_t i = 0; ok && i < head->shape.n; i++)
    for (mt_corpus_measure m = 0; ok && m < MT_N_CORPUS_MEASURES; m++)
      if (mt_corpus_shape_has(&head->shape, i, m, head->about.has_effects)) {
        mt_rows_bind_whole(rows, 1, mt_corpus_series_chunk(mt_corpus_series(i, m), chunk));
        mt_rows_bind_bytes(rows, 2, series_of(writer, i, m), n);
        ok = mt_rows_run(rows, error);
      }
  mt_rows_free(rows);
  return ok;
}

bool
mt_corpus_writer_advance(mt_corpus_writer *writer, mt_error *error)
{
  const uint64_t n = ++writer->head.about.n_sentences;
  if (n % MT_CORPUS_CHUNK > 0)
    return true;
  return write_chunk(writer, n / MT_CORPUS_CHUNK - 1, MT_CORPUS_CHUNK, error) || break_off(writer);
}

/* ---- Committing --------------------------------------------------------------------------------
 */

static bool
write_sums(mt_corpus_writer *writer, mt_error *error)
{
  const mt_corpus_head *head = &writer->head;
  mt_packed packed = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < head->shape.n; i++) {
    packed.n = 0;
    mt_corpus_sums_put(&writer->sums[i], &packed);
    ok = mt_corpus_write_bytes(writer->db, "sums", (int64_t) i, &packed, error);
    for (mt_corpus_measure m = 0; ok && m < MT_N_CORPUS_MEASURES; m++) {
      mt_corpus_top *top = &writer->tops[i * MT_N_CORPUS_MEASURES + m];
      if (!mt_corpus_shape_has(&head->shape, i, m, head->about.has_effects) ||
          (top->n > 0 && !top->is_changed))
        continue;
      packed.n = 0;
      mt_corpus_top_put(top, &packed);
      ok = mt_corpus_write_bytes(writer->db, "strongest", mt_corpus_series(i, m), &packed, error);
      top->is_changed = !ok;
    }
  }
  for (size_t k = 0; ok && k < MT_N_KINDS; k++) {
    packed.n = 0;
    for (size_t p = 0; p < mt_corpus_shape_pairs(&head->shape, (mt_attention_kind) k); p++)
      mt_packed_put_whole(&packed, writer->distances[k][p]);
    ok = mt_corpus_write_bytes(writer->db, "distances", (int64_t) k, &packed, error);
  }
  mt_packed_clear(&packed);
  return ok && mt_corpus_relations_write(&writer->relations, writer->db, error);
}

bool
mt_corpus_writer_commit(mt_corpus_writer *writer, uint64_t n_lines, uint64_t text_hash,
                        bool is_complete, mt_error *error)
{
  const size_t n = n_in_chunk(writer);
  if (writer->is_broken)
    return mt_fail(error, MT_ERROR_IO, "%s: a sentence could not be written.",
                   mt_db_label(writer->db));
  if (!writer->is_open && !mt_db_run(writer->db, "BEGIN IMMEDIATE", error))
    return false;
  writer->is_open = true;
  writer->head.n_lines = n_lines;
  writer->head.text_hash = text_hash;
  writer->head.about.is_complete = is_complete;
  if ((n > 0 && !write_chunk(writer, writer->head.about.n_sentences / MT_CORPUS_CHUNK, n, error)) ||
      !write_sums(writer, error) || !mt_corpus_head_write(&writer->head, writer->db, error) ||
      (is_complete &&
       !mt_db_run(writer->db, "INSERT INTO words(words) VALUES('optimize')", error)) ||
      !mt_db_run(writer->db, "COMMIT", error))
    return break_off(writer);
  writer->is_open = false;
  return true;
}
