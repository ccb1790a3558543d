/* mt-corpus-file.c — the tables of a corpus file: what stands in them, read with care.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <stdio.h>
#include <string.h>

/* "Rgrd". A row of series holds MT_CORPUS_CHUNK bytes, which with its key just fills a page; so
 * their key is one number (mt_corpus_series_chunk). */
const mt_db_format mt_corpus_format = {
    .what = "corpus file",
    .schema =
        "CREATE TABLE about(key TEXT PRIMARY KEY NOT NULL, value NOT NULL) WITHOUT ROWID;"
        "CREATE TABLE sums(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
        "CREATE TABLE strongest(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
        "CREATE TABLE distances(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
        "CREATE TABLE relations(name TEXT NOT NULL, reverse INTEGER NOT NULL, bytes BLOB NOT NULL,"
        " PRIMARY KEY(name, reverse)) WITHOUT ROWID;"
        "CREATE TABLE sentences(id INTEGER PRIMARY KEY, line INTEGER NOT NULL,"
        " source TEXT NOT NULL, target TEXT NOT NULL, tokens BLOB NOT NULL);"
        "CREATE TABLE series(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
        "CREATE TABLE hashes(key INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
        "CREATE VIRTUAL TABLE words USING fts5(source, target, content='sentences',"
        " content_rowid='id', tokenize='unicode61 remove_diacritics 2');",
    .application_id = 0x52677264,
    .version = 1,
};

/* ---- Heads ----------------------------------------------------------------------------------- */

bool
mt_corpus_shape_count(mt_corpus_shape *shape)
{
  shape->n = 0;
  for (size_t k = 0; k < MT_N_KINDS; k++) {
    if (shape->n_layers[k] > MT_CORPUS_MOST_LAYERS || shape->n_heads[k] > MT_CORPUS_MOST_HEADS)
      return false;
    shape->first[k] = shape->n;
    shape->n_of_kind[k] = shape->n_layers[k] * shape->n_heads[k];
    shape->n += shape->n_of_kind[k];
  }
  return shape->n > 0 && shape->n <= MT_CORPUS_MOST_HEADS;
}

mt_attention_kind
mt_corpus_shape_kind(const mt_corpus_shape *shape, size_t i)
{
  mt_attention_kind kind = MT_N_KINDS - 1;
  while (i < shape->first[kind] || shape->n_of_kind[kind] == 0)
    kind--;
  return kind;
}

size_t
mt_corpus_shape_pairs(const mt_corpus_shape *shape, mt_attention_kind kind)
{
  const size_t n = shape->n_of_kind[kind];
  return n ? n * (n - 1) / 2 : 0;
}

bool
mt_corpus_shape_has(const mt_corpus_shape *shape, size_t i, mt_corpus_measure measure,
                    bool has_effects)
{
  return mt_corpus_measure_about(measure)->text_kinds &
             MT_KIND_BIT(mt_corpus_shape_kind(shape, i)) &&
         (measure != MT_CORPUS_EFFECT || has_effects);
}

/* ---- What the file says of itself ------------------------------------------------------------ */

void
mt_corpus_head_clear(mt_corpus_head *head)
{
  mt_free(head->model_name);
  mt_free(head->text_name);
  mt_free(head->search);
  mt_free(head->interventions);
  *head = (mt_corpus_head){0};
}

static bool
set_text(char **to, const char **as, const char *text)
{
  char *copy = mt_strdup(text ? text : "");
  if (!copy)
    return false;
  mt_free(*to);
  *as = *to = copy;
  return true;
}

bool
mt_corpus_head_set(mt_corpus_head *head, const char *model_name, const char *text_name,
                   const char *search, const char *interventions)
{
  mt_corpus_about *about = &head->about;
  return set_text(&head->model_name, &about->model_name, model_name) &&
         set_text(&head->text_name, &about->text_name, text_name) &&
         set_text(&head->search, &about->search, search) &&
         set_text(&head->interventions, &about->interventions, interventions);
}

/* THE list of whole numbers. */
typedef struct {
  const char *key;
  uint64_t *value;
  uint64_t most;
} number;

#define N_NUMBERS 16

/* sizes: room for the numbers that are size_t or bool in the structs. */
static void
list_numbers(mt_corpus_head *head, uint64_t sizes[9], number numbers[N_NUMBERS])
{
  mt_corpus_about *about = &head->about;
  const number list[N_NUMBERS] = {
      {"fingerprint", &about->fingerprint, UINT64_MAX},
      {"sentences", &about->n_sentences, MT_CORPUS_MOST_SENTENCES},
      {"left_out", &about->n_left_out, INT64_MAX},
      {"source_tokens", &about->n_tokens[MT_STACK_ENCODER], INT64_MAX},
      {"target_tokens", &about->n_tokens[MT_STACK_DECODER], INT64_MAX},
      {"lines", &head->n_lines, INT64_MAX},
      {"text_hash", &head->text_hash, UINT64_MAX},
      {"encoder_layers", &sizes[0], MT_CORPUS_MOST_LAYERS},
      {"encoder_heads", &sizes[1], MT_CORPUS_MOST_HEADS},
      {"decoder_layers", &sizes[2], MT_CORPUS_MOST_LAYERS},
      {"decoder_heads", &sizes[3], MT_CORPUS_MOST_HEADS},
      {"cross_layers", &sizes[4], MT_CORPUS_MOST_LAYERS},
      {"cross_heads", &sizes[5], MT_CORPUS_MOST_HEADS},
      {"complete", &sizes[6], 1},
      {"trees", &sizes[7], 1},
      {"effects", &sizes[8], MT_N_ABLATIONS}, /* 0: none; else the kind, from 1 */
  };
  memcpy(numbers, list, sizeof list);
}

static void
numbers_from(const mt_corpus_head *head, uint64_t sizes[9])
{
  const mt_corpus_about *about = &head->about;
  for (size_t k = 0; k < MT_N_KINDS; k++) {
    sizes[2 * k] = about->n_layers[k];
    sizes[2 * k + 1] = about->n_heads[k];
  }
  sizes[6] = about->is_complete;
  sizes[7] = about->has_trees;
  sizes[8] = about->has_effects ? (uint64_t) about->with + 1 : 0;
}

static bool
numbers_to(mt_corpus_head *head, const uint64_t sizes[9])
{
  mt_corpus_about *about = &head->about;
  for (size_t k = 0; k < MT_N_KINDS; k++) {
    head->shape.n_layers[k] = about->n_layers[k] = sizes[2 * k];
    head->shape.n_heads[k] = about->n_heads[k] = sizes[2 * k + 1];
  }
  about->is_complete = sizes[6];
  about->has_trees = sizes[7];
  about->has_effects = sizes[8] > 0;
  about->with = sizes[8] > 0 ? (mt_ablation_kind) (sizes[8] - 1) : MT_ABLATION_ZERO;
  return mt_corpus_shape_count(&head->shape);
}

/* And of texts. */
static const char *const text_keys[] = {"model", "text", "search", "changes"};

static bool
cannot_be(const mt_db *db, mt_error *error)
{
  return mt_db_damaged(db, "what it says of itself cannot be", error);
}

static bool
read_row(const mt_db *db, const mt_rows *rows, number numbers[N_NUMBERS], size_t *n_read,
         char *texts[4], mt_error *error)
{
  const char *key = mt_rows_text(rows, 0);
  for (size_t i = 0; i < N_NUMBERS; i++)
    if (strcmp(numbers[i].key, key) == 0) {
      /* Hashes have all 64 bits. */
      *numbers[i].value = (uint64_t) mt_rows_whole(rows, 1);
      ++*n_read;
      return *numbers[i].value <= numbers[i].most || cannot_be(db, error);
    }
  for (size_t i = 0; i < 4; i++)
    if (strcmp(text_keys[i], key) == 0 && !texts[i]) {
      texts[i] = mt_strdup(mt_rows_text(rows, 1));
      ++*n_read;
      return texts[i] || mt_fail_no_memory(error);
    }
  return cannot_be(db, error);
}

bool
mt_corpus_head_read(mt_corpus_head *head, mt_db *db, mt_error *error)
{
  uint64_t sizes[9] = {0};
  number numbers[N_NUMBERS];
  char *texts[4] = {0};
  size_t n_read = 0;
  *head = (mt_corpus_head){0};
  list_numbers(head, sizes, numbers);
  mt_rows *rows = mt_db_prepare(db, "SELECT key, value FROM about", error);
  bool ok = rows != NULL;
  while (ok) {
    const mt_rows_result result = mt_rows_next(rows, error);
    ok = result != MT_ROWS_FAILED;
    if (result != MT_ROWS_ROW)
      break;
    ok = read_row(db, rows, numbers, &n_read, texts, error);
  }
  mt_rows_free(rows);
  /* Each sentence has at least its hash: a small file cannot make much be allocated. */
  uint64_t n_bytes;
  ok = ok && mt_db_size(db, &n_bytes, error);
  if (ok && (n_read != N_NUMBERS + 4 || !numbers_to(head, sizes) ||
             head->about.n_sentences > n_bytes / sizeof(uint64_t)))
    ok = cannot_be(db, error);
  if (ok && !mt_corpus_head_set(head, texts[0], texts[1], texts[2], texts[3]))
    ok = mt_fail_no_memory(error);
  for (size_t i = 0; i < 4; i++)
    mt_free(texts[i]);
  if (!ok)
    mt_corpus_head_clear(head);
  return ok;
}

bool
mt_corpus_head_write(const mt_corpus_head *head, mt_db *db, mt_error *error)
{
  uint64_t sizes[9];
  number numbers[N_NUMBERS];
  mt_corpus_head copy = *head;
  const char *const texts[] = {head->model_name, head->text_name, head->search,
                               head->interventions};
  numbers_from(head, sizes);
  list_numbers(&copy, sizes, numbers);
  mt_rows *rows = mt_db_prepare(db, "INSERT OR REPLACE INTO about VALUES(?, ?)", error);
  bool ok = rows != NULL;
  for (size_t i = 0; ok && i < N_NUMBERS; i++) {
    mt_rows_bind_text(rows, 1, numbers[i].key);
    mt_rows_bind_whole(rows, 2, (int64_t) *numbers[i].value);
    ok = mt_rows_run(rows, error);
  }
  for (size_t i = 0; ok && i < 4; i++) {
    mt_rows_bind_text(rows, 1, text_keys[i]);
    mt_rows_bind_text(rows, 2, texts[i]);
    ok = mt_rows_run(rows, error);
  }
  mt_rows_free(rows);
  return ok;
}

const char *
mt_corpus_head_difference(const mt_corpus_about *a, const mt_corpus_about *b)
{
  if (a->fingerprint != b->fingerprint)
    return "another model";
  if (strcmp(a->search, b->search) != 0)
    return "another search";
  if (strcmp(a->interventions, b->interventions) != 0)
    return "other changes";
  if (a->has_effects != b->has_effects || a->with != b->with)
    return "another kind of effects";
  return a->has_trees != b->has_trees ? "trees, or without" : NULL;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The bytes of one row, in *in, until *rows is freed. */
static bool
find(mt_db *db, const char *table, int64_t key, mt_rows **rows, mt_packed_in *in, mt_error *error)
{
  char sql[64];
  size_t n;
  snprintf(sql, sizeof sql, "SELECT bytes FROM %s WHERE key = ?", table);
  *rows = mt_db_prepare(db, sql, error);
  if (!*rows)
    return false;
  mt_rows_bind_whole(*rows, 1, key);
  const mt_rows_result result = mt_rows_next(*rows, error);
  if (result == MT_ROWS_FAILED)
    return false;
  if (result == MT_ROWS_END)
    return mt_db_damaged(db, "a head is missing", error);
  const unsigned char *bytes = mt_rows_bytes(*rows, 0, &n);
  *in = (mt_packed_in){.at = bytes, .end = bytes ? bytes + n : NULL};
  return true;
}

bool
mt_corpus_read_sums(mt_db *db, const mt_corpus_head *head, size_t i, mt_corpus_sums *sums,
                    mt_error *error)
{
  mt_rows *rows;
  mt_packed_in in;
  bool ok = find(db, "sums", (int64_t) i, &rows, &in, error);
  if (ok && !(mt_corpus_sums_get(sums, &in, head->about.n_sentences) && mt_packed_is_end(&in)))
    ok = mt_db_damaged(db, "sums of a head cannot be", error);
  mt_rows_free(rows);
  return ok;
}

bool
mt_corpus_read_top(mt_db *db, const mt_corpus_head *head, size_t i, mt_corpus_measure measure,
                   mt_corpus_top *top, mt_error *error)
{
  mt_rows *rows;
  mt_packed_in in;
  bool no_memory = false;
  *top = (mt_corpus_top){0};
  bool ok = find(db, "strongest", mt_corpus_series(i, measure), &rows, &in, error);
  if (ok &&
      !(mt_corpus_top_get(top, &in, head->about.n_sentences, &no_memory) && mt_packed_is_end(&in)))
    ok = no_memory ? mt_fail_no_memory(error)
                   : mt_db_damaged(db, "examples of a head cannot be", error);
  if (!ok)
    mt_corpus_top_clear(top);
  mt_rows_free(rows);
  return ok;
}

bool
mt_corpus_read_distances(mt_db *db, const mt_corpus_head *head, mt_attention_kind kind,
                         uint64_t *out, mt_error *error)
{
  mt_rows *rows;
  mt_packed_in in;
  bool ok = find(db, "distances", kind, &rows, &in, error);
  if (ok) {
    const size_t n = mt_corpus_shape_pairs(&head->shape, kind);
    for (size_t i = 0; i < n && !in.failed; i++)
      out[i] = mt_packed_get_whole(&in, head->about.n_sentences * (uint64_t) MT_FIXED_ONE);
    ok = mt_packed_is_end(&in) || mt_db_damaged(db, "distances of heads cannot be", error);
  }
  mt_rows_free(rows);
  return ok;
}

/* Chunks of so many bytes a sentence. */
static bool
read_chunks(mt_db *db, const char *sql, int64_t key, uint64_t n, size_t size, unsigned char *out,
            mt_error *error)
{
  const uint64_t n_chunks = (n + MT_CORPUS_CHUNK - 1) / MT_CORPUS_CHUNK;
  mt_rows *rows = mt_db_prepare(db, sql, error);
  bool ok = rows != NULL;
  if (ok) {
    mt_rows_bind_whole(rows, 1, key);
    mt_rows_bind_whole(rows, 2, key + (int64_t) n_chunks - 1);
  }
  for (uint64_t i = 0; ok && i < n_chunks; i++) {
    const uint64_t left = n - i * MT_CORPUS_CHUNK;
    const size_t wanted = (left < MT_CORPUS_CHUNK ? (size_t) left : MT_CORPUS_CHUNK) * size;
    const mt_rows_result result = mt_rows_next(rows, error);
    size_t n_bytes = 0;
    const void *bytes = result == MT_ROWS_ROW ? mt_rows_bytes(rows, 0, &n_bytes) : NULL;
    ok = result != MT_ROWS_FAILED;
    if (ok && (!bytes || n_bytes < wanted || n_bytes > MT_CORPUS_CHUNK * size))
      ok = mt_db_damaged(db, "numbers of sentences are missing", error);
    if (ok)
      memcpy(out + i * MT_CORPUS_CHUNK * size, bytes, wanted);
  }
  mt_rows_free(rows);
  return ok;
}

bool
mt_corpus_read_series(mt_db *db, int64_t series, uint64_t first, uint64_t n, unsigned char *out,
                      mt_error *error)
{
  return read_chunks(db, "SELECT bytes FROM series WHERE key BETWEEN ? AND ? ORDER BY key",
                     mt_corpus_series_chunk(series, first / MT_CORPUS_CHUNK), n, 1, out, error);
}

bool
mt_corpus_read_hashes(mt_db *db, uint64_t first, uint64_t n, uint64_t *out, mt_error *error)
{
  unsigned char *bytes = (unsigned char *) out;
  if (!read_chunks(db, "SELECT bytes FROM hashes WHERE key BETWEEN ? AND ? ORDER BY key",
                   (int64_t) (first / MT_CORPUS_CHUNK), n, sizeof *out, bytes, error))
    return false;
  /* Little-endian in the file. */
  for (uint64_t i = 0; i < n; i++) {
    uint64_t value = 0;
    for (size_t k = 0; k < sizeof value; k++)
      value |= (uint64_t) bytes[i * sizeof value + k] << (8 * k);
    out[i] = value;
  }
  return true;
}

bool
mt_corpus_write_bytes(mt_db *db, const char *table, int64_t key, const mt_packed *packed,
                      mt_error *error)
{
  char sql[64];
  if (packed->failed)
    return mt_fail_no_memory(error);
  snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s VALUES(?, ?)", table);
  mt_rows *rows = mt_db_prepare(db, sql, error);
  if (!rows)
    return false;
  mt_rows_bind_whole(rows, 1, key);
  mt_rows_bind_bytes(rows, 2, packed->data, packed->n);
  const bool ok = mt_rows_run(rows, error);
  mt_rows_free(rows);
  return ok;
}
