/* mt-corpus-merge.c — one corpus file of several.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums are added, lists of examples joined, and the sentences of the second file follow those of
 * the first. None of it computes anything anew, so that parts of a text give what the whole gives.
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-durable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Sentences between two questions whether to stop. */
#define ASK_EVERY 1000

typedef struct {
  mt_corpus_writer *writer;
  bool (*should_stop)(void *user);
  void *user;
  /* Of the chunk of the file that is read, as in the writer. */
  unsigned char *series;
  uint64_t *hashes;
} work;

/* ---- Sums --------------------------------------------------------------------------------------
 */

static bool
add_head(work *w, const mt_corpus *from, size_t i, uint64_t n_before, mt_error *error)
{
  mt_corpus_sums *sums = mt_alloc(1, sizeof *sums);
  bool ok =
      sums ? mt_corpus_read_sums(from->db, &from->head, i, sums, error) : mt_fail_no_memory(error);
  if (ok)
    mt_corpus_sums_merge(&w->writer->sums[i], sums);
  mt_free(sums);
  for (mt_corpus_measure m = 0; ok && m < MT_N_CORPUS_MEASURES; m++) {
    mt_corpus_top top;
    if (!mt_corpus_shape_has(&from->head.shape, i, m, from->head.about.has_effects))
      continue;
    ok = mt_corpus_read_top(from->db, &from->head, i, m, &top, error);
    for (size_t k = 0; ok && k < top.n; k++) {
      top.items[k].sentence += n_before;
      ok = mt_corpus_top_add(&w->writer->tops[i * MT_N_CORPUS_MEASURES + m], &top.items[k]) ||
           mt_fail_no_memory(error);
    }
    mt_corpus_top_clear(&top);
  }
  return ok;
}

static bool
add_sums(work *w, const mt_corpus *from, mt_error *error)
{
  mt_corpus_about *to = &w->writer->head.about;
  const mt_corpus_about *about = &from->head.about;
  for (size_t i = 0; i < from->head.shape.n; i++)
    if (!add_head(w, from, i, to->n_sentences, error))
      return false;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    for (size_t p = 0; p < mt_corpus_shape_pairs(&from->head.shape, k); p++)
      w->writer->distances[k][p] += from->distances[k][p];
  to->n_left_out += about->n_left_out;
  for (size_t s = 0; s < MT_N_STACKS; s++)
    to->n_tokens[s] += about->n_tokens[s];
  return mt_corpus_relations_merge(&w->writer->relations, &from->relations, error);
}

/* ---- Sentences ---------------------------------------------------------------------------------
 */

static bool
read_chunk(work *w, const mt_corpus *from, uint64_t first, mt_error *error)
{
  const uint64_t left = from->head.about.n_sentences - first;
  const size_t n = left < MT_CORPUS_CHUNK ? (size_t) left : MT_CORPUS_CHUNK;
  bool ok = mt_corpus_read_hashes(from->db, first, n, w->hashes, error);
  for (size_t i = 0; ok && i < from->head.shape.n; i++)
    for (mt_corpus_measure m = 0; ok && m < MT_N_CORPUS_MEASURES; m++)
      if (mt_corpus_shape_has(&from->head.shape, i, m, from->head.about.has_effects))
        ok = mt_corpus_read_series(from->db, mt_corpus_series(i, m), first, n,
                                   w->series + (i * MT_N_CORPUS_MEASURES + m) * MT_CORPUS_CHUNK,
                                   error);
  return ok;
}

static bool
add_sentence(work *w, const mt_corpus *from, const mt_rows *rows, size_t at, mt_error *error)
{
  const mt_corpus_head *head = &from->head;
  mt_corpus_row row = {.line = (uint64_t) mt_rows_whole(rows, 1),
                       .source = mt_rows_text(rows, 2),
                       .target = mt_rows_text(rows, 3),
                       .hash = w->hashes[at]};
  row.tokens = mt_rows_bytes(rows, 4, &row.n_tokens_bytes);
  if (!mt_corpus_writer_append(w->writer, &row, error))
    return false;
  for (size_t i = 0; i < head->shape.n; i++)
    for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++)
      if (mt_corpus_shape_has(&head->shape, i, m, head->about.has_effects))
        *mt_corpus_writer_byte(w->writer, i, m) =
            w->series[(i * MT_N_CORPUS_MEASURES + m) * MT_CORPUS_CHUNK + at];
  return mt_corpus_writer_advance(w->writer, error);
}

static bool
add_sentences(work *w, const mt_corpus *from, mt_error *error)
{
  mt_rows *rows =
      mt_db_prepare(from->db, "SELECT id, line, source, target, tokens FROM sentences ORDER BY id",
                    error);
  bool ok = rows != NULL;
  for (uint64_t i = 0; ok && i < from->head.about.n_sentences; i++) {
    const size_t at = i % MT_CORPUS_CHUNK;
    ok = at > 0 || read_chunk(w, from, i, error);
    const mt_rows_result result = ok ? mt_rows_next(rows, error) : MT_ROWS_FAILED;
    ok = result != MT_ROWS_FAILED;
    if (ok && (result == MT_ROWS_END || mt_rows_whole(rows, 0) != (int64_t) i + 1))
      ok = mt_db_damaged(from->db, "a sentence is missing", error);
    ok = ok && add_sentence(w, from, rows, at, error);
    if (ok && i % ASK_EVERY == 0 && w->should_stop && w->should_stop(w->user))
      ok = mt_fail(error, MT_ERROR_CANCELLED, "Cancelled.");
  }
  mt_rows_free(rows);
  return ok;
}

/* ---- Files -------------------------------------------------------------------------------------
 */

static bool
check_part(const mt_corpus *from, const mt_corpus *first, mt_error *error)
{
  const char *other = mt_corpus_head_difference(&first->head.about, &from->head.about);
  if (!from->head.about.is_complete)
    return mt_fail(error, MT_ERROR_INPUT,
                   "%s is not complete; the same command that began it goes on with it.",
                   mt_db_label(from->db));
  if (other)
    return mt_fail(error, MT_ERROR_INPUT, "%s is of %s than %s.", mt_db_label(from->db), other,
                   mt_db_label(first->db));
  return true;
}

/* "a.txt + b.txt"; of many parts the first two and how many there are. */
static bool
name_text(mt_packed *name, mt_corpus *const *parts, size_t n, mt_error *error)
{
  for (size_t i = 0; i < n && i < 2; i++) {
    if (i > 0)
      mt_packed_put(name, " + ", 3);
    mt_packed_put(name, parts[i]->head.text_name, strlen(parts[i]->head.text_name));
  }
  if (n > 2)
    mt_packed_put(name, " + …", strlen(" + …"));
  mt_packed_put(name, "", 1);
  return !name->failed || mt_fail_no_memory(error);
}

/* A file for all of them, with what they have in common. */
static mt_corpus_writer *
create(const char *out, mt_corpus *const *parts, size_t n, mt_error *error)
{
  const mt_corpus_head *first = &parts[0]->head;
  mt_corpus_head head = {.about = first->about, .shape = first->shape};
  mt_corpus_about *about = &head.about;
  about->n_sentences = about->n_left_out = 0;
  about->n_tokens[0] = about->n_tokens[1] = 0;
  mt_packed name = {0};
  mt_corpus_writer *writer = NULL;
  if (name_text(&name, parts, n, error)) {
    if (mt_corpus_head_set(&head, first->model_name, (const char *) name.data, first->search,
                           first->changes))
      writer = mt_corpus_writer_create(out, &head, error);
    else
      mt_fail_no_memory(error);
  }
  mt_corpus_head_clear(&head);
  mt_packed_clear(&name);
  return writer;
}

static bool
merge_into(work *w, mt_corpus *const *parts, size_t n, mt_error *error)
{
  const mt_corpus_shape *shape = &parts[0]->head.shape;
  w->series = mt_alloc(shape->n * MT_N_CORPUS_MEASURES, MT_CORPUS_CHUNK);
  w->hashes = mt_alloc(MT_CORPUS_CHUNK, sizeof *w->hashes);
  bool ok = (w->series && w->hashes) || mt_fail_no_memory(error);
  for (size_t i = 0; ok && i < n; i++)
    ok = add_sums(w, parts[i], error) && add_sentences(w, parts[i], error);
  mt_free(w->series);
  mt_free(w->hashes);
  return ok && mt_corpus_writer_commit(w->writer, 0, 0, true, error);
}

/* Beside out, until it is whole: whatever ends the program leaves nothing at out. NULL: *error. */
static char *
name_part(const char *out, mt_error *error)
{
  if (!mt_db_is_empty(out))
    return mt_fail(error, MT_ERROR_IO, "%s is there already.", out), NULL;
  mt_packed name = {0};
  mt_packed_put(&name, out, strlen(out));
  mt_packed_put(&name, ".merging", sizeof ".merging");
  if (!name.failed) {
    mt_db_remove((const char *) name.data);
    return (char *) name.data;
  }
  mt_packed_clear(&name);
  return mt_fail_no_memory(error), NULL;
}

bool
mt_corpus_merge(const char *const *paths, size_t n, const char *out,
                bool (*should_stop)(void *user), void *user, mt_error *error)
{
  mt_corpus **parts = mt_alloc(n, sizeof *parts);
  work w = {.should_stop = should_stop, .user = user};
  bool ok = parts || mt_fail_no_memory(error);
  if (ok && n == 0)
    ok = mt_fail(error, MT_ERROR_INPUT, "There is nothing to merge.");
  for (size_t i = 0; ok && i < n; i++) {
    parts[i] = mt_corpus_open(paths[i], error);
    ok = parts[i] && check_part(parts[i], parts[0], error);
  }
  char *part = ok ? name_part(out, error) : NULL;
  w.writer = part ? create(part, parts, n, error) : NULL;
  ok = w.writer && merge_into(&w, parts, n, error);
  mt_corpus_writer_free(w.writer);
  if (ok && !mt_durable_rename(part, out))
    ok = mt_fail(error, MT_ERROR_IO, "%s: %s.", out, strerror(errno));
  if (part && !ok)
    mt_db_remove(part);
  mt_free(part);
  for (size_t i = 0; parts && i < n; i++)
    mt_corpus_close(parts[i]);
  mt_free(parts);
  return ok;
}
