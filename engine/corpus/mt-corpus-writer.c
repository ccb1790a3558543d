/* mt-corpus-writer.c — a corpus file, from nothing to complete, and one of several.
 *
 * Between two commits there is one transaction: sentences go into their tables as they come, sums
 * are kept in memory and written by the commit. A file that is gone on with gives them back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "corpus/mt-corpus-private.h"

#include <stdio.h>
#include <string.h>

struct mt_corpus_writer {
  mt_db *db;
  mt_corpus_head head;
  mt_corpus_sums *sums; /* [heads] */
  mt_corpus_top *tops;  /* [heads][MT_N_CORPUS_MEASURES] */
  uint64_t *distances[MT_N_KINDS];
  mt_corpus_relations relations;
  /* Of the newest, unfinished chunk: [heads][MT_N_CORPUS_MEASURES][MT_CORPUS_CHUNK]; [CHUNK]. */
  unsigned char *series;
  unsigned char *hashes; /* 8 bytes each, little-endian */
  mt_pool *pool;
  mt_corpus_values *values; /* [heads] of the sentence that is added */
  mt_fixed *divergences;    /* [most pairs of a kind] */
  float *scratch;
  size_t scratch_size;
  mt_rows *insert_sentence, *insert_words;
  bool is_open;   /* a transaction is */
  bool is_broken; /* something was half done: nothing is committed any more */
};

/* A sentence as it stands in the file. */
typedef struct {
  uint64_t line;
  const char *source, *target;
  const void *tokens;
  size_t n_tokens_bytes;
  uint64_t hash;
} mt_corpus_row;

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

/* ---- Beginning ------------------------------------------------------------------------------- */

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

/* All of it goes but the file, without what was not committed. */
static mt_db *
writer_free_but_db(mt_corpus_writer *writer)
{
  mt_db *db = writer->db;
  mt_rows_free(writer->insert_sentence);
  mt_rows_free(writer->insert_words);
  if (writer->is_open)
    mt_db_run(db, "ROLLBACK", NULL);
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
  return db;
}

void
mt_corpus_writer_free(mt_corpus_writer *writer)
{
  if (writer)
    mt_db_close(writer_free_but_db(writer));
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

/* For this head, which is taken over, in a file that has nothing yet and goes away when that fails.
 * NULL: *error. */
static mt_corpus_writer *
writer_create(mt_db *db, mt_corpus_head *head, mt_error *error)
{
  mt_corpus_writer *writer = mt_alloc(1, sizeof *writer);
  if (!writer) {
    mt_db_discard(db);
    return mt_fail_no_memory(error), NULL;
  }
  writer->head = *head;
  *head = (mt_corpus_head){0};
  writer->db = db;
  writer->is_open = true;
  /* Empty, but whole: a file that was never committed to can be read. */
  if (set_up(writer, error) && mt_corpus_writer_commit(writer, 0, 0, false, error))
    return writer;
  mt_db_discard(writer_free_but_db(writer));
  return NULL;
}

/* One that is gone on with, if it is of this head. NULL: *error. */
static mt_corpus_writer *
writer_go_on(mt_db *db, const mt_corpus_head *wanted, mt_error *error)
{
  mt_corpus_writer *writer = mt_alloc(1, sizeof *writer);
  if (!writer) {
    mt_db_close(db);
    return mt_fail_no_memory(error), NULL;
  }
  writer->db = db;
  bool ok = mt_corpus_head_read(&writer->head, db, error);
  const char *other = ok ? mt_corpus_head_difference(&writer->head.about, &wanted->about) : NULL;
  if (other)
    ok = mt_fail(error, MT_ERROR_INPUT, "%s was begun with %s.", mt_db_label(db), other);
  if (ok && set_up(writer, error) && read_all(writer, error))
    return writer;
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
  about->with = settings->has_effects ? settings->with : MT_ABLATION_ZERO;
  about->has_trees = settings->has_trees;
  if (!mt_corpus_shape_count(&head->shape))
    return mt_fail(error, MT_ERROR_TOO_LONG, "The model has more heads than %d.",
                   MT_CORPUS_MOST_HEADS);
  const char *name = mt_model_name(model);
  if (mt_corpus_head_set(head, name, settings->text_name, settings->search,
                         settings->interventions))
    return true;
  mt_corpus_head_clear(head);
  return mt_fail_no_memory(error);
}

mt_corpus_writer *
mt_corpus_writer_new(const char *path, const mt_model *model, const mt_corpus_settings *settings,
                     mt_error *error)
{
  mt_corpus_head wanted;
  if (!describe(&wanted, model, settings, error))
    return NULL;
  mt_db *db = mt_db_open(path, MT_DB_WRITE, &mt_corpus_format, error);
  mt_corpus_writer *writer = !db                ? NULL
                             : mt_db_is_new(db) ? writer_create(db, &wanted, error)
                                                : writer_go_on(db, &wanted, error);
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

/* ---- A sentence ------------------------------------------------------------------------------ */

static bool
break_off(mt_corpus_writer *writer)
{
  writer->is_broken = true;
  return false;
}

/* The writer's next sentence: its row and its words, and room in the chunk for its bytes, which are
 * set by the caller. */
static bool
corpus_writer_append(mt_corpus_writer *writer, const mt_corpus_row *row, mt_error *error)
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

/* Where the byte of the newest sentence goes. */
static unsigned char *
corpus_writer_byte(mt_corpus_writer *writer, size_t head, mt_corpus_measure measure)
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

/* Its bytes are there. */
static bool
corpus_writer_advance(mt_corpus_writer *writer, mt_error *error)
{
  const uint64_t n = ++writer->head.about.n_sentences;
  if (n % MT_CORPUS_CHUNK > 0)
    return true;
  return write_chunk(writer, n / MT_CORPUS_CHUNK - 1, MT_CORPUS_CHUNK, error) || break_off(writer);
}

/* ---- Committing ------------------------------------------------------------------------------ */

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

/* ---- A sentence ------------------------------------------------------------------------------ */

/* A sentence comes into a corpus: all its numbers, then all sums. */

/* The bounds of tokens. */
static void
corpus_tokens_put(const mt_tokens *tokens, mt_packed *packed)
{
  const size_t n = mt_tokens_count(tokens);
  uint32_t at = 0;
  mt_packed_put_whole(packed, n);
  for (size_t i = 0; i < n; i++) {
    const mt_token *token = mt_tokens_get(tokens, i);
    /* Tokens stand one behind the other in the text, nearly always without a gap. */
    const uint32_t begin = token->begin > at ? token->begin : at;
    const uint32_t end = token->end > begin ? token->end : begin;
    const uint64_t length = end - begin, gap = begin - at;
    mt_packed_put_whole(packed, length << 2 | (uint64_t) (gap > 0) << 1 | token->is_special);
    if (gap > 0)
      mt_packed_put_whole(packed, gap);
    at = end;
  }
}

/* Of both texts together, by which equal ones are known and examples are chosen: FNV-1a, mixed. */
static uint64_t
hash_text(const char *source, const char *target)
{
  uint64_t hash = mt_hash_bytes(MT_HASH_BEGIN, source, strlen(source) + 1);
  hash = mt_hash_bytes(hash, target, strlen(target) + 1);
  return mt_mix(hash); /* its upper bits hang on the last bytes only */
}

/* ---- Numbers --------------------------------------------------------------------------------- */

typedef struct {
  const mt_corpus_writer *writer;
  const mt_capture *capture;
  mt_corpus_keys keys[MT_N_KINDS];
} work;

static void
compute_part(void *user, size_t part, size_t n_parts)
{
  const work *w = user;
  const mt_corpus_shape *shape = &w->writer->head.shape;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    for (size_t i = part; i < shape->n_of_kind[k]; i += n_parts)
      mt_corpus_values_compute(&w->writer->values[shape->first[k] + i], w->capture, &w->keys[k], k,
                               i / shape->n_heads[k], i % shape->n_heads[k]);
}

/* Into writer->values. False: no memory. */
static bool
compute(mt_corpus_writer *writer, const mt_capture *capture)
{
  work w = {writer, capture, {{0}}};
  bool ok = true;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    ok = ok && mt_corpus_keys_init(&w.keys[k], mt_capture_columns(capture, k));
  if (ok)
    mt_pool_run(writer->pool, writer->head.shape.n < 24 ? 1 : 12, compute_part, &w);
  for (size_t k = 0; k < MT_N_KINDS; k++)
    mt_corpus_keys_clear(&w.keys[k]);
  return ok;
}

static void
add_effects(mt_corpus_writer *writer, const mt_ablation *effects)
{
  const mt_corpus_shape *shape = &writer->head.shape;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    for (size_t i = 0; i < shape->n_of_kind[k]; i++) {
      mt_corpus_values *values = &writer->values[shape->first[k] + i];
      values->measures |= 1u << MT_CORPUS_EFFECT;
      values->measured[MT_CORPUS_EFFECT].value =
          mt_fixed_of(mt_ablation_get(effects, k, i / shape->n_heads[k], i % shape->n_heads[k]));
    }
}

static bool
add_distances(mt_corpus_writer *writer, const mt_capture *capture, mt_error *error)
{
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    const size_t room = mt_corpus_divergences_room(capture, k);
    if (room > writer->scratch_size) {
      mt_free(writer->scratch);
      writer->scratch = mt_alloc_aligned(room, sizeof *writer->scratch);
      writer->scratch_size = writer->scratch ? room : 0;
      if (!writer->scratch)
        return mt_fail_no_memory(error);
    }
    mt_corpus_divergences(capture, k, writer->scratch, writer->pool, writer->divergences);
    for (size_t p = 0; p < mt_corpus_shape_pairs(&writer->head.shape, k); p++)
      writer->distances[k][p] += (uint64_t) writer->divergences[p];
  }
  return true;
}

/* ---- Examples -------------------------------------------------------------------------------- */

static bool
add_example(mt_corpus_writer *writer, const mt_capture *capture, size_t i,
            mt_corpus_measure measure, uint64_t hash, mt_error *error)
{
  const mt_corpus_shape *shape = &writer->head.shape;
  const mt_attention_kind kind = mt_corpus_shape_kind(shape, i);
  const mt_corpus_measured *measured = &writer->values[i].measured[measure];
  mt_corpus_top *top = &writer->tops[i * MT_N_CORPUS_MEASURES + measure];
  if (!mt_corpus_top_wants(top, measured->value, hash))
    return true;
  const size_t at = i - shape->first[kind];
  const mt_matrix a =
      mt_capture_weights(capture, kind, at / shape->n_heads[kind], at % shape->n_heads[kind]);
  const size_t n = kind == MT_DECODER_SELF ? measured->query + 1 : a.cols;
  unsigned char *weights = mt_alloc(n, 1);
  if (!weights)
    return mt_fail_no_memory(error);
  for (size_t j = 0; j < n; j++) {
    const float w = mt_matrix_at(&a, measured->query, j);
    weights[j] = w >= 1 ? 255 : w > 0 ? (unsigned char) (w * 255 + 0.5f) : 0;
  }
  const mt_corpus_top_item item = {.value = measured->value,
                                   .hash = hash,
                                   .sentence = writer->head.about.n_sentences + 1,
                                   .query = measured->query,
                                   .key = measured->key,
                                   .n = (uint32_t) n,
                                   .weights = weights};
  const bool ok = mt_corpus_top_add(top, &item);
  mt_free(weights);
  return ok || mt_fail_no_memory(error);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool
check(const mt_corpus_writer *writer, const mt_capture *capture, const mt_ablation *effects,
      const mt_conllu_tree *tree, mt_error *error)
{
  const mt_corpus_about *about = &writer->head.about;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    bool fits = mt_capture_n_layers(capture, k) == about->n_layers[k] &&
                (about->n_layers[k] == 0 || mt_capture_n_heads(capture, k) == about->n_heads[k]);
    fits = fits && (!effects || (effects->n_layers[k] == about->n_layers[k] &&
                                 effects->n_heads[k] == about->n_heads[k]));
    if (!fits)
      return mt_fail(error, MT_ERROR_INPUT, "The capture does not have the heads of this model.");
  }
  if ((effects != NULL) != about->has_effects)
    return mt_fail(error, MT_ERROR_INPUT, "The corpus is one %s effects.",
                   about->has_effects ? "with" : "without");
  if ((tree != NULL) != about->has_trees)
    return mt_fail(error, MT_ERROR_INPUT, "The corpus is one %s trees.",
                   about->has_trees ? "with" : "without");
  return true;
}

/* Everything into the sums; what fails here leaves them half done. */
static bool
add_all(mt_corpus_writer *writer, const mt_capture *capture, uint64_t hash, mt_error *error)
{
  const mt_corpus_shape *shape = &writer->head.shape;
  const bool has_effects = writer->head.about.has_effects;
  for (size_t i = 0; i < shape->n; i++) {
    const mt_attention_kind kind = mt_corpus_shape_kind(shape, i);
    const mt_corpus_values *values = &writer->values[i];
    mt_corpus_sums_add(&writer->sums[i], kind, values);
    for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++) {
      if (!mt_corpus_shape_has(shape, i, m, has_effects))
        continue;
      *corpus_writer_byte(writer, i, m) =
          mt_corpus_quantize(m, kind, mt_fixed_value(values->measured[m].value));
      if (!add_example(writer, capture, i, m, hash, error))
        return false;
    }
  }
  return add_distances(writer, capture, error);
}

bool
mt_corpus_writer_add(mt_corpus_writer *writer, const mt_capture *capture,
                     const mt_ablation *effects, const mt_conllu_tree *tree, uint64_t line,
                     mt_error *error)
{
  const mt_tokens *source = mt_capture_source(capture), *output = mt_capture_output(capture);
  if (!check(writer, capture, effects, tree, error))
    return false;
  if (!compute(writer, capture))
    return mt_fail_no_memory(error);
  if (effects)
    add_effects(writer, effects);
  mt_packed tokens = {0};
  corpus_tokens_put(source, &tokens);
  corpus_tokens_put(output, &tokens);
  const mt_corpus_row row = {
      .line = line,
      .source = mt_tokens_text(source),
      .target = mt_tokens_text(output),
      .tokens = tokens.data,
      .n_tokens_bytes = tokens.n,
      .hash = hash_text(mt_tokens_text(source), mt_tokens_text(output)),
  };
  bool ok = !tokens.failed || mt_fail_no_memory(error);
  ok = ok && (!tree || mt_corpus_relations_add(&writer->relations, capture, tree, error));
  if (ok) {
    ok = corpus_writer_append(writer, &row, error) && add_all(writer, capture, row.hash, error) &&
         corpus_writer_advance(writer, error);
    writer->is_broken = !ok;
    writer->head.about.n_tokens[MT_STACK_ENCODER] += ok ? mt_tokens_count(source) : 0;
    writer->head.about.n_tokens[MT_STACK_DECODER] += ok ? mt_tokens_count(output) : 0;
  }
  mt_packed_clear(&tokens);
  return ok;
}

/* ---- Merging --------------------------------------------------------------------------------- */

/* One corpus file of several.
 *
 * Sums are added, lists of examples joined, and the sentences of the second file follow those of
 * the first. None of it computes anything anew, so that parts of a text give what the whole gives.
 */

/* Sentences between two questions whether to stop. */
#define ASK_EVERY 1000

typedef struct {
  mt_corpus_writer *writer;
  bool (*should_stop)(void *user);
  void *user;
  /* Of the chunk of the file that is read, as in the writer. */
  unsigned char *series;
  uint64_t *hashes;
} merging;

/* ---- Sums ------------------------------------------------------------------------------------ */

static bool
add_head(merging *w, const mt_corpus *from, size_t i, uint64_t n_before, mt_error *error)
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
add_sums(merging *w, const mt_corpus *from, mt_error *error)
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

/* ---- Sentences ------------------------------------------------------------------------------- */

static bool
read_chunk(merging *w, const mt_corpus *from, uint64_t first, mt_error *error)
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
add_sentence(merging *w, const mt_corpus *from, const mt_rows *rows, size_t at, mt_error *error)
{
  const mt_corpus_head *head = &from->head;
  mt_corpus_row row = {.line = (uint64_t) mt_rows_whole(rows, 1),
                       .source = mt_rows_text(rows, 2),
                       .target = mt_rows_text(rows, 3),
                       .hash = w->hashes[at]};
  row.tokens = mt_rows_bytes(rows, 4, &row.n_tokens_bytes);
  if (!corpus_writer_append(w->writer, &row, error))
    return false;
  for (size_t i = 0; i < head->shape.n; i++)
    for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++)
      if (mt_corpus_shape_has(&head->shape, i, m, head->about.has_effects))
        *corpus_writer_byte(w->writer, i, m) =
            w->series[(i * MT_N_CORPUS_MEASURES + m) * MT_CORPUS_CHUNK + at];
  return corpus_writer_advance(w->writer, error);
}

static bool
add_sentences(merging *w, const mt_corpus *from, mt_error *error)
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

/* ---- Files ----------------------------------------------------------------------------------- */

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
create(const char *path, mt_corpus *const *parts, size_t n, mt_error *error)
{
  const mt_corpus_head *first = &parts[0]->head;
  mt_corpus_head head = {.about = first->about, .shape = first->shape};
  mt_corpus_about *about = &head.about;
  about->n_sentences = about->n_left_out = 0;
  about->n_tokens[0] = about->n_tokens[1] = 0;
  mt_packed name = {0};
  mt_corpus_writer *writer = NULL;
  if (name_text(&name, parts, n, error)) {
    mt_db *db = mt_corpus_head_set(&head, first->model_name, (const char *) name.data,
                                   first->search, first->interventions)
                    ? mt_db_open(path, MT_DB_ANEW, &mt_corpus_format, error)
                    : (mt_fail_no_memory(error), NULL);
    writer = db ? writer_create(db, &head, error) : NULL;
  }
  mt_corpus_head_clear(&head);
  mt_packed_clear(&name);
  return writer;
}

static bool
merge_into(merging *w, mt_corpus *const *parts, size_t n, mt_error *error)
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
  if (!name.failed)
    return (char *) name.data;
  mt_packed_clear(&name);
  return mt_fail_no_memory(error), NULL;
}

bool
mt_corpus_merge(const char *const *paths, size_t n, const char *out,
                bool (*should_stop)(void *user), void *user, mt_error *error)
{
  mt_corpus **parts = mt_alloc(n, sizeof *parts);
  merging w = {.should_stop = should_stop, .user = user};
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
  mt_db *made = w.writer ? writer_free_but_db(w.writer) : NULL;
  if (ok)
    ok = mt_db_close_as(made, out, error);
  else
    mt_db_discard(made);
  mt_free(part);
  for (size_t i = 0; parts && i < n; i++)
    mt_corpus_close(parts[i]);
  mt_free(parts);
  return ok;
}
