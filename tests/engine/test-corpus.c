/* test-corpus.c — heads over a text: captures of several at once, exact sums, parts that make the
 * whole, a file that was left off in the middle, and files that somebody else wrote.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "change-corpus.h"
#include "corpus/mt-corpus-sums.h"
#include "engine-test.h"
#include "follow-sync.h"
#include "golden.h"
#include "mt.h"
#include "read-trees.h"
#include "sentences.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static mt_model *model;
static mt_session *session;
static GPtrArray *texts, *translations;
static char *folder;

static char *
path_of(const char *name)
{
  return g_build_filename(folder, name, NULL);
}

/* ---- Captures of several at once ---------------------------------------------------------------
 */

static void
test_together(void)
{
  mt_capture *captures[16];
  mt_error error = {0};
  g_assert_true(mt_session_capture_many(session,
                                        (const mt_translation *const *) translations->pdata,
                                        G_N_ELEMENTS(captures), NULL, captures, &error));
  for (guint i = 0; i < G_N_ELEMENTS(captures); i++) {
    g_autoptr(mt_capture) alone =
        mt_session_capture(session, translations->pdata[i], 0, 0, NULL, &error);
    g_assert_nonnull(alone);
    for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
      for (gsize l = 0; l < mt_capture_n_layers(alone, k); l++)
        for (gsize h = 0; h < mt_capture_n_heads(alone, k); h++) {
          const mt_matrix a = mt_capture_weights(alone, k, l, h),
                          b = mt_capture_weights(captures[i], k, l, h);
          g_assert_cmpuint(a.rows, ==, b.rows);
          g_assert_cmpuint(a.cols, ==, b.cols);
          for (gsize r = 0; r < a.rows; r++)
            for (gsize c = 0; c < a.cols; c++)
              g_assert_cmpfloat_with_epsilon(mt_matrix_at(&a, r, c), mt_matrix_at(&b, r, c), 2e-5f);
          g_assert_cmpfloat_with_epsilon(mt_capture_score_at(alone, k, l, h, 0, 0),
                                         mt_capture_score_at(captures[i], k, l, h, 0, 0), 1e-3f);
        }
    const gsize n = mt_tokens_count(mt_capture_output(alone));
    g_assert_cmpmem(mt_capture_logprobs(alone), n * sizeof(float), mt_capture_logprobs(captures[i]),
                    n * sizeof(float));
    mt_capture_unref(captures[i]);
  }
  /* What another model said is not taken for its own. */
  g_autoptr(mt_translation) given =
      mt_session_score(session, texts->pdata[0], "Hallo.", -1, NULL, &error);
  const mt_translation *one[] = {given};
  g_autoptr(mt_interventions) interventions = sentences_parse("cross 1.1 zero");
  const mt_hooks hooks = {.interventions = interventions};
  g_assert_false(mt_session_capture_many(session, one, 1, &hooks, captures, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
}

/* ---- Sums --------------------------------------------------------------------------------------
 */

static void
test_moments(void)
{
  g_autofree mt_corpus_sums *sums = g_new0(mt_corpus_sums, 1), *again = g_new0(mt_corpus_sums, 1);
  const double numbers[] = {0.25, 0.5, 0.75, 0.5, 1, 0.125, -3, 700};
  for (guint i = 0; i < 6; i++) {
    mt_corpus_values values = {.measures = 1u << MT_CORPUS_SPECIAL};
    values.measured[MT_CORPUS_SPECIAL].value = mt_fixed_of(numbers[i]);
    mt_corpus_sums_add(sums, MT_CROSS, &values);
  }
  mt_corpus_statistics s;
  mt_corpus_sums_statistics(&sums->measures[MT_CORPUS_SPECIAL], &s);
  double mean = 0, powers[3] = {0};
  for (guint i = 0; i < 6; i++)
    mean += numbers[i] / 6;
  for (guint i = 0; i < 6; i++)
    for (guint p = 0; p < 3; p++)
      powers[p] += pow(numbers[i] - mean, p + 2) / 6;
  g_assert_cmpuint(s.n, ==, 6);
  g_assert_cmpfloat_with_epsilon(s.mean, mean, 1e-9);
  g_assert_cmpfloat_with_epsilon(s.sd, sqrt(powers[0]), 1e-9);
  g_assert_cmpfloat_with_epsilon(s.skewness, powers[1] / pow(powers[0], 1.5), 1e-7);
  g_assert_cmpfloat_with_epsilon(s.kurtosis, powers[2] / (powers[0] * powers[0]) - 3, 1e-7);
  g_assert_cmpfloat(s.least, ==, 0.125);
  g_assert_cmpfloat(s.most, ==, 1);
  g_assert_cmpuint(s.bins[25], ==, 2);
  g_assert_cmpuint(s.bins[49], ==, 1);

  mt_packed packed = {0};
  mt_corpus_sums_put(sums, &packed);
  for (gsize n = 0; n <= packed.n; n++) {
    mt_packed_in in = {packed.data, packed.data + n, false};
    const bool ok = mt_corpus_sums_get(again, &in, 6) && mt_packed_is_end(&in);
    g_assert_true(ok == (n == packed.n));
  }
  g_assert_cmpmem(sums, sizeof *sums, again, sizeof *again);
  mt_packed_in in = {packed.data, packed.data + packed.n, false};
  g_assert_false(mt_corpus_sums_get(again, &in, 5)); /* more than there are sentences */
  mt_packed_clear(&packed);
  /* Beyond the limit values count as the limit. */
  g_assert_cmpint(mt_fixed_of(numbers[7]), ==, MT_FIXED_LIMIT);
  g_assert_cmpint(mt_fixed_of(NAN), ==, 0);
}

static void
test_whole_numbers(void)
{
  const mt_exact most = (mt_exact) 1 << 126;
  const mt_exact numbers[] = {0, 1, -1, 127, 128, -128, INT64_MAX, INT64_MIN, most, -most};
  mt_packed packed = {0};
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    mt_packed_put_signed(&packed, numbers[i]);
  mt_packed_in in = {packed.data, packed.data + packed.n, false};
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    g_assert_true(mt_packed_get_signed(&in, most) == numbers[i]);
  g_assert_true(mt_packed_is_end(&in));
  memset(packed.data, 0xff, packed.n); /* a number without end */
  in = (mt_packed_in){packed.data, packed.data + packed.n, false};
  mt_packed_get_signed(&in, most);
  g_assert_true(in.failed);
  mt_packed_clear(&packed);
}

/* Against scipy 1.11: stats.t.sf, stats.norm.sf. */
static void
test_tails(void)
{
  static const struct {
    double t, freedom, p;
  } rows[] = {{0, 5, 0.5},
              {1, 1, 0.25},
              {2, 10, 0.036694017385370196},
              {-2, 10, 0.9633059826146299},
              {5, 3, 0.007696219036651148},
              {3.5, 1999, 0.00023788735}};
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    g_assert_cmpfloat_with_epsilon(mt_student_tail(rows[i].t, rows[i].freedom), rows[i].p, 2e-7);
  g_assert_cmpfloat(mt_student_tail(60, 500), >, 0);
  g_assert_cmpfloat(mt_student_tail(60, 500), <, 1e-100);
  g_assert_cmpfloat_with_epsilon(mt_normal_tail(1.959963984540054), 0.025, 1e-12);
}

/* ---- Files -------------------------------------------------------------------------------------
 */

/* Sentences [from, to) into a file, as one text, with a commit after each `every`; not complete if
 * it stops at `stop`. */
static void
write_some(const char *path, guint from, guint stop, guint to, guint every)
{
  const mt_corpus_settings settings = {.text_name = "test", .n_threads = 2};
  mt_error error = {0};
  g_autoptr(mt_corpus_writer) writer = mt_corpus_writer_new(path, model, &settings, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_nonnull(writer);
  for (guint i = from + (guint) mt_corpus_writer_n_lines(writer); i < stop; i++) {
    g_autoptr(mt_capture) capture =
        mt_session_capture(session, translations->pdata[i], 0, 0, NULL, &error);
    g_assert_true(mt_corpus_writer_add(writer, capture, NULL, NULL, i + 1, &error));
    if ((i + 1 - from) % every == 0)
      g_assert_true(mt_corpus_writer_commit(writer, i + 1 - from, i, false, &error));
  }
  if (stop == to)
    g_assert_true(mt_corpus_writer_commit(writer, to - from, to, true, &error));
}

static guint64
hash_of(const char *path)
{
  mt_error error = {0};
  g_autoptr(mt_corpus) corpus = mt_corpus_open(path, &error);
  g_assert_cmpstr(error.message, ==, "");
  const guint64 hash = mt_corpus_hash(corpus, &error);
  g_assert_cmpuint(hash, !=, 0);
  return hash;
}

/* The same text as a whole, left off and gone on with twice, and in three parts. */
static void
test_parts(void)
{
  const guint n = translations->len, cuts[] = {0, n / 5, n / 2, n};
  g_autofree char *whole = path_of("whole"), *resumed = path_of("resumed"),
                  *merged = path_of("merged");
  char *parts[3];
  mt_error error = {0};
  write_some(whole, 0, n, n, 1000);
  write_some(resumed, 0, n / 3, n, 17); /* what was not committed is added again */
  write_some(resumed, 0, n / 2, n, 25);
  write_some(resumed, 0, n, n, 1000);
  g_assert_cmpuint(hash_of(whole), ==, hash_of(resumed));
  for (guint i = 0; i < 3; i++) {
    g_autofree char *name = g_strdup_printf("part-%u", i);
    parts[i] = path_of(name);
    write_some(parts[i], cuts[i], cuts[i + 1], cuts[i + 1], 50);
  }
  sync_follow(merged, 0);
  g_assert_true(mt_corpus_merge((const char *const *) parts, 3, merged, NULL, NULL, &error));
  g_autofree char *log = sync_end();
  g_assert_true(g_str_has_suffix(log, SYNC_RIGHT));
  g_assert_cmpuint(hash_of(whole), ==, hash_of(merged));
  /* Not over what is there, not with a file that was left off. */
  g_assert_false(mt_corpus_merge((const char *const *) parts, 3, merged, NULL, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  g_autofree char *half = path_of("half"), *out = path_of("out");
  write_some(half, 0, 5, n, 5);
  const char *const both[] = {whole, half};
  g_assert_false(mt_corpus_merge(both, 2, out, NULL, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_false(g_file_test(out, G_FILE_TEST_EXISTS));
  for (guint i = 0; i < 3; i++)
    g_free(parts[i]);
}

/* Who comes second is told so, whatever the first has done, and changes nothing. */
static void
refuse_to_write(const char *path)
{
  const mt_corpus_settings settings = {.text_name = "test", .n_threads = 1};
  g_autofree char *before = NULL, *after = NULL, *name = g_path_get_basename(path);
  gsize n_before, n_after;
  mt_error error = {0};
  g_assert_true(g_file_get_contents(path, &before, &n_before, NULL));
  g_assert_null(mt_corpus_writer_new(path, model, &settings, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  g_assert_nonnull(strstr(error.message, name));
  g_assert_nonnull(strstr(error.message, "another program is writing it"));
  g_assert_true(g_file_get_contents(path, &after, &n_after, NULL));
  g_assert_cmpmem(before, n_before, after, n_after);
}

static void
test_two_writers(void)
{
  const mt_corpus_settings settings = {.text_name = "test", .n_threads = 1};
  g_autofree char *path = path_of("wanted-twice"), *alone = path_of("wanted-once"),
                  *merged = path_of("merged-twice"), *part = path_of("merged-twice.merging");
  mt_error error = {0};
  mt_corpus_writer *writer = mt_corpus_writer_new(path, model, &settings, &error);
  refuse_to_write(path); /* there is no transaction */
  for (guint i = 0; i < 3; i++) {
    g_autoptr(mt_capture) capture =
        mt_session_capture(session, translations->pdata[i], 0, 0, NULL, &error);
    g_assert_true(mt_corpus_writer_add(writer, capture, NULL, NULL, i + 1, &error));
    if (i == 1)
      refuse_to_write(path); /* there is one */
    g_assert_true(mt_corpus_writer_commit(writer, i + 1, i, false, &error));
    g_assert_cmpuint(hash_of(path), !=, 0); /* somebody reads it here … */
    refuse_to_write(path);                  /* … which takes no lock away */
  }
  g_assert_true(mt_corpus_writer_commit(writer, 3, 3, true, &error));
  mt_corpus_writer_free(writer);
  write_some(alone, 0, 3, 3, 100);
  g_assert_cmpuint(hash_of(path), ==, hash_of(alone));
  /* Merging leaves alone what another one makes, and what a killed one left it does not mind. */
  const char *const parts[] = {path};
  writer = mt_corpus_writer_new(part, model, &settings, &error);
  g_assert_false(mt_corpus_merge(parts, 1, merged, NULL, NULL, &error));
  g_assert_nonnull(strstr(error.message, "merged-twice.merging: another program is writing it"));
  refuse_to_write(part);
  mt_corpus_writer_free(writer);
  g_assert_true(g_file_test(part, G_FILE_TEST_EXISTS));
  g_assert_true(mt_corpus_merge(parts, 1, merged, NULL, NULL, &error));
  g_assert_false(g_file_test(part, G_FILE_TEST_EXISTS));
  g_assert_cmpuint(hash_of(merged), ==, hash_of(alone));
}

/* Distances are those of mt_capture_divergence's formula, in double. */
static double
divergence(const mt_matrix *a, const mt_matrix *b)
{
  double sum = 0;
  for (gsize r = 0; r < a->rows; r++)
    for (gsize c = 0; c < a->cols; c++) {
      const double p = mt_matrix_at(a, r, c), q = mt_matrix_at(b, r, c), m = (p + q) / 2;
      sum += (p > 0 ? p * log2(p / m) : 0) / 2 + (q > 0 ? q * log2(q / m) : 0) / 2;
    }
  return sum / (double) a->rows;
}

static void
test_distances(void)
{
  enum { N = 6 };
  static const struct {
    mt_attention_kind kind;
    gsize la, ha, lb, hb;
  } pairs[] = {{MT_ENCODER_SELF, 0, 0, 0, 1},
               {MT_DECODER_SELF, 1, 2, 5, 7},
               {MT_CROSS, 3, 0, 0, 3},
               {MT_DECODER_SELF, 0, 3, 0, 2}};
  g_autofree char *path = path_of("distances");
  double sums[G_N_ELEMENTS(pairs)] = {0};
  mt_error error = {0};
  write_some(path, 0, N, N, 100);
  for (guint i = 0; i < N; i++) {
    g_autoptr(mt_capture) capture =
        mt_session_capture(session, translations->pdata[i], 0, 0, NULL, &error);
    for (guint p = 0; p < G_N_ELEMENTS(pairs); p++) {
      const mt_matrix a = mt_capture_weights(capture, pairs[p].kind, pairs[p].la, pairs[p].ha),
                      b = mt_capture_weights(capture, pairs[p].kind, pairs[p].lb, pairs[p].hb);
      sums[p] += divergence(&a, &b) / N;
    }
  }
  g_autoptr(mt_corpus) corpus = mt_corpus_open(path, &error);
  for (guint p = 0; p < G_N_ELEMENTS(pairs); p++) {
    const double d = mt_corpus_distance(corpus, pairs[p].kind, pairs[p].la, pairs[p].ha,
                                        pairs[p].lb, pairs[p].hb);
    g_assert_cmpfloat_with_epsilon(d * d, sums[p], 3e-6);
  }
}

/* ---- Examples and search -----------------------------------------------------------------------
 */

static void
test_examples(void)
{
  g_autofree char *path = path_of("examples");
  mt_error error = {0};
  const guint n = translations->len;
  write_some(path, 0, n, n, 1000);
  g_autoptr(mt_corpus) corpus = mt_corpus_open(path, &error);
  g_autoptr(mt_corpus_examples) best =
      mt_corpus_strongest(corpus, MT_CROSS, 3, 0, MT_CORPUS_SPECIAL, &error);
  g_assert_cmpuint(best->n, ==, MT_CORPUS_STRONGEST);
  for (guint i = 0; i < best->n; i++) {
    const mt_corpus_example *e = &best->items[i];
    mt_capture *capture =
        mt_session_capture(session, translations->pdata[e->sentence - 1], 0, 0, NULL, &error);
    const mt_matrix a = mt_capture_weights(capture, MT_CROSS, 3, 0);
    g_assert_cmpfloat_with_epsilon(e->value,
                                   mt_head_metrics_compute(capture, MT_CROSS, 3, 0).special_share,
                                   1e-5);
    g_assert_cmpuint(e->n_weights, ==, a.cols);
    for (gsize c = 0; c < a.cols; c++)
      g_assert_cmpfloat_with_epsilon(e->weights[c], mt_matrix_at(&a, e->query, c), 0.003f);
    g_assert_true(mt_tokens_get(mt_capture_source(capture), e->key)->is_special);
    if (i > 0)
      g_assert_cmpfloat(e->value, <=, best->items[i - 1].value);
    g_autoptr(mt_corpus_sentence) s = mt_corpus_sentence_new(corpus, e->sentence, &error);
    g_assert_cmpstr(s->text[0], ==, texts->pdata[e->sentence - 1]);
    g_assert_cmpuint(s->n_tokens[0], ==, a.cols);
    g_assert_cmpuint(s->n_tokens[1], ==, a.rows);
    g_assert_true(s->tokens[0][a.cols - 1].is_special);
    mt_capture_unref(capture);
  }
  /* Groups go up, and hold what they say. */
  g_autoptr(mt_corpus_examples) all =
      mt_corpus_quantiles(corpus, MT_CROSS, 3, 0, MT_CORPUS_SPECIAL, &error);
  double last = -1;
  for (guint g = 0; g < MT_CORPUS_GROUPS; g++) {
    double most = 0;
    for (guint i = 0; i < MT_CORPUS_PER_GROUP; i++) {
      const mt_corpus_example *e = &all->items[g * MT_CORPUS_PER_GROUP + i];
      if (e->sentence == 0)
        continue;
      g_assert_cmpfloat(e->value, >=, last);
      most = MAX(most, e->value);
    }
    last = MAX(last, most) - 1e-9;
  }
  /* A head's behaviour: as many as the numbers say, give or take the rounding to a byte. */
  guint expected[2] = {0};
  for (guint i = 0; i < n; i++) {
    mt_capture *capture = mt_session_capture(session, translations->pdata[i], 0, 0, NULL, &error);
    const double value = mt_head_metrics_compute(capture, MT_CROSS, 3, 0).special_share;
    expected[0] += value >= 0.2 + 0.003;
    expected[1] += value >= 0.2 - 0.003;
    mt_capture_unref(capture);
  }
  mt_corpus_query query = {.has_head = true,
                           .kind = MT_CROSS,
                           .layer = 3,
                           .measure = MT_CORPUS_SPECIAL,
                           .least = 0.2,
                           .most = 1,
                           .is_descending = true,
                           .limit = 5};
  g_autoptr(mt_corpus_hits) hits = mt_corpus_search(corpus, &query, &error);
  g_assert_cmpuint(hits->total, >=, expected[0]);
  g_assert_cmpuint(hits->total, <=, expected[1]);
  for (guint i = 1; i < hits->n; i++)
    g_assert_cmpfloat(hits->items[i].value, <=, hits->items[i - 1].value);
}

static guint64
count_hits(const mt_corpus *corpus, const char *words)
{
  const mt_corpus_query query = {.words = words};
  mt_error error = {0};
  g_autoptr(mt_corpus_hits) hits = mt_corpus_search(corpus, &query, &error);
  if (!hits)
    return G_MAXUINT64;
  const guint64 total = hits->total;
  return total;
}

static void
test_words(void)
{
  g_autofree char *path = path_of("words");
  mt_error error = {0};
  const guint n = translations->len;
  write_some(path, 0, n, n, 1000);
  g_autoptr(mt_corpus) corpus = mt_corpus_open(path, &error);
  guint dogs = 0;
  for (guint i = 0; i < n; i++)
    dogs += strstr(texts->pdata[i], "dogs") != NULL;
  g_assert_cmpuint(dogs, >, 0);
  g_assert_cmpuint(count_hits(corpus, "DOGS"), ==, dogs);
  g_assert_cmpuint(count_hits(corpus, "dog*"), >=, dogs);
  g_assert_cmpuint(count_hits(corpus, "\"two dogs\""), >=, 1);
  g_assert_cmpuint(count_hits(corpus, "\"dogs two\""), ==, 0);
  g_assert_cmpuint(count_hits(corpus, "dogs nonexistingword"), ==, 0);
  g_assert_cmpuint(count_hits(corpus, ""), ==, n);
  g_assert_cmpuint(count_hits(corpus, NULL), ==, n);
  /* Nothing that is typed is a command. */
  static const char *const odd[] = {"dogs OR two",
                                    "NOT dogs",
                                    "dogs AND",
                                    "source : dogs",
                                    "dogs NEAR(2)",
                                    "^dogs",
                                    "{dogs",
                                    "dogs -two",
                                    "'",
                                    "dogs*two",
                                    "*",
                                    "\"\"",
                                    "\xe2\x9d\xa4",
                                    "-",
                                    "(",
                                    "a\tb"};
  for (guint i = 0; i < G_N_ELEMENTS(odd); i++)
    g_assert_cmpuint(count_hits(corpus, odd[i]), <=, n);
  g_assert_cmpuint(count_hits(corpus, "\"open"), ==, G_MAXUINT64);
  g_assert_cmpuint(count_hits(corpus, "\xff"), ==, G_MAXUINT64);
}

/* ---- Files of somebody else --------------------------------------------------------------------
 */

/* All that can be asked; what is wrong must be an error, and nothing worse. */
static bool
ask_all(const char *path, mt_error *error)
{
  g_autoptr(mt_corpus) corpus = mt_corpus_open(path, error);
  if (!corpus)
    return false;
  const mt_corpus_about *about = mt_corpus_get_about(corpus);
  bool ok = mt_corpus_hash(corpus, error) != 0;
  for (mt_attention_kind k = 0; ok && k < MT_N_KINDS; k++)
    for (mt_corpus_measure m = 0; ok && m < MT_N_CORPUS_MEASURES && about->n_layers[k] > 0; m++) {
      mt_corpus_statistics s;
      mt_corpus_offsets o;
      g_autoptr(mt_corpus_examples) a = mt_corpus_strongest(corpus, k, 0, 0, m, error);
      g_autoptr(mt_corpus_examples) b = a ? mt_corpus_quantiles(corpus, k, 0, 0, m, error) : NULL;
      ok = b && mt_corpus_get(corpus, k, 0, 0, m, &s, error) &&
           mt_corpus_get_offsets(corpus, k, 0, 0, &o, error);
    }
  for (guint64 id = 1; ok && id <= MIN(about->n_sentences, 20); id++) {
    mt_corpus_sentence *s = mt_corpus_sentence_new(corpus, id, error);
    ok = s != NULL;
    mt_corpus_sentence_free(s);
  }
  const mt_corpus_query query = {.words = "dogs"};
  g_autoptr(mt_corpus_hits) hits = ok ? mt_corpus_search(corpus, &query, error) : NULL;
  ok = ok && hits;
  return ok;
}

static void
test_hostile(void)
{
  static const char *const interventions[] = {
      "CREATE TRIGGER t AFTER INSERT ON about BEGIN DELETE FROM sentences; END",
      "CREATE VIEW v AS SELECT 1",
      "CREATE TABLE more(x)",
      "CREATE INDEX i ON sentences(line)",
      "DROP TABLE sums; CREATE VIEW sums AS SELECT 0 AS key, zeroblob(900000000) AS bytes",
      "DROP TABLE sentences; CREATE VIEW sentences AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL "
      "SELECT id + 1 FROM r) SELECT id, 1 AS line, '' AS source, '' AS target, x'' AS tokens FROM "
      "r",
      "ALTER TABLE sums ADD COLUMN more DEFAULT 1",
      "PRAGMA application_id = 7",
      "PRAGMA user_version = 99",
      "UPDATE about SET value = 1073741824 WHERE key = 'sentences'",
      "UPDATE about SET value = -1 WHERE key = 'sentences'",
      "UPDATE about SET value = 4000 WHERE key = 'encoder_heads'",
      "UPDATE about SET value = 9223372036854775807 WHERE key = 'cross_layers'",
      "UPDATE about SET value = 0 WHERE key LIKE '%layers'",
      "UPDATE about SET value = 'six' WHERE key = 'encoder_layers'",
      "DELETE FROM about WHERE key = 'effects'",
      "INSERT INTO about VALUES('more', 1)",
      "UPDATE sums SET bytes = x''",
      "UPDATE sums SET bytes = zeroblob(100000)",
      "UPDATE sums SET bytes = randomblob(2000)",
      "UPDATE sums SET bytes = 'text'",
      "DELETE FROM sums",
      "UPDATE strongest SET bytes = zeroblob(7000000) WHERE key = (SELECT min(key) FROM strongest)",
      "UPDATE strongest SET bytes = randomblob(500)",
      "UPDATE distances SET bytes = randomblob(100000)",
      "DELETE FROM distances",
      "INSERT INTO relations VALUES('nsubj', 0, x'00')",
      "INSERT INTO relations VALUES(hex(zeroblob(500)), 0, x'01')",
      "INSERT INTO relations VALUES('nsubj', 7, x'01')",
      "UPDATE sentences SET tokens = x'ffffffffff'",
      "UPDATE sentences SET tokens = zeroblob(100000)",
      "DELETE FROM sentences WHERE id = 2",
      "DELETE FROM series",
      "UPDATE series SET bytes = x'00'",
      "UPDATE hashes SET bytes = x'00'",
  };
  g_autofree char *good = path_of("good"), *bad = path_of("bad"), *bytes = NULL;
  gsize length;
  mt_error error = {0};
  write_some(good, 0, 12, 12, 100);
  g_assert_true(ask_all(good, &error));
  g_assert_true(g_file_get_contents(good, &bytes, &length, NULL));
  for (guint i = 0; i < G_N_ELEMENTS(interventions); i++) {
    error = (mt_error){0};
    g_assert_true(g_file_set_contents(bad, bytes, (gssize) length, NULL));
    change_corpus(bad, interventions[i]);
    if (ask_all(bad, &error))
      g_error("%s was not noticed", interventions[i]);
    g_assert_true(error.code == MT_ERROR_FORMAT || error.code == MT_ERROR_UNSUPPORTED);
    g_assert_nonnull(strstr(error.message, "bad"));
    const char *const parts[] = {bad};
    g_autofree char *out = path_of("never");
    if (mt_corpus_merge(parts, 1, out, NULL, NULL, &error))
      g_unlink(out); /* merging does not read everything */
    g_assert_false(g_file_test(out, G_FILE_TEST_EXISTS));
  }
  /* Cut off anywhere, and with bytes turned over. */
  for (gsize n = 0; n < length; n += n < 5000 ? 1000 : 200000) {
    g_assert_true(g_file_set_contents(bad, bytes, (gssize) n, NULL));
    g_assert_false(ask_all(bad, &error));
  }
  g_autoptr(GRand) rand = g_rand_new_with_seed(25);
  for (guint i = 0; i < 50; i++) {
    g_autofree char *copy = g_memdup2(bytes, length);
    for (guint k = 0; k < 20; k++)
      copy[g_rand_int_range(rand, i % 2 ? 0 : 100, (gint) (i % 3 ? length : 8192))] ^=
          (char) g_rand_int_range(rand, 1, 256);
    g_assert_true(g_file_set_contents(bad, copy, (gssize) length, NULL));
    (void) ask_all(bad, &error);
  }
  g_assert_false(ask_all(folder, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  g_autofree char *none = path_of("none");
  g_assert_null(mt_corpus_open(none, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
}

/* ---- Relations ------------------------------------------------------------------------------- */

/* Relations against a count by hand: all words of "I have two dogs." are whole pieces. */
static void
test_relations(void)
{
  g_autoptr(GPtrArray) trees = g_ptr_array_new_with_free_func(free_tree);
  g_autofree char *path = path_of("trees");
  mt_error error = {0};
  read_trees("# text = I have two dogs.\n" ROW("1", "I", "2", "nsubj", "_")
                 ROW("2", "have", "0", "root", "_") ROW("3", "two", "4", "nummod", "_")
                     ROW("4", "dogs", "2", "obj", "SpaceAfter=No") ROW("5", ".", "2", "punct", "_"),
             trees, &error);
  g_assert_cmpuint(trees->len, ==, 1);
  const mt_conllu_tree *tree = trees->pdata[0];
  g_autoptr(mt_translation) t = mt_session_translate(session, tree->text, NULL, NULL, &error);
  g_autoptr(mt_capture) capture = mt_session_capture(session, t, 0, 0, NULL, &error);
  const mt_corpus_settings settings = {.has_trees = true};
  g_autoptr(mt_corpus_writer) writer = mt_corpus_writer_new(path, model, &settings, &error);
  g_assert_false(mt_corpus_writer_add(writer, capture, NULL, NULL, 1, &error));
  error = (mt_error){0};
  g_assert_true(mt_corpus_writer_add(writer, capture, NULL, tree, 1, &error));
  g_assert_true(mt_corpus_writer_commit(writer, 1, 1, true, &error));

  /* The word of each piece. */
  const mt_tokens *source = mt_capture_source(capture);
  gsize word[16], n = mt_tokens_count(source) - 1;
  for (gsize i = 0; i < n; i++) {
    gsize begin = mt_tokens_get(source, i)->begin;
    begin += tree->text[begin] == ' ';
    for (gsize w = 0; w < tree->n_words; w++)
      if (tree->words[w].begin <= begin && begin < tree->words[w].end)
        word[i] = w;
  }
  g_autoptr(mt_corpus) corpus = mt_corpus_open(path, &error);
  g_assert_cmpuint(mt_corpus_n_relations(corpus), ==, 8);
  for (gsize i = 0; i < mt_corpus_n_relations(corpus); i++) {
    const mt_corpus_relation relation = mt_corpus_relation_at(corpus, i);
    g_assert_cmpuint(relation.n, ==, 1);
    gsize from = 0, to = 0;
    for (gsize w = 0; w < tree->n_words; w++)
      if (strcmp(tree->words[w].relation, relation.name) == 0) {
        from = relation.is_reverse ? tree->words[w].head - 1 : w;
        to = relation.is_reverse ? w : tree->words[w].head - 1;
      }
    g_assert_cmpint(relation.offset, ==, (int) to - (int) from);
    g_assert_cmpfloat(relation.offset_share, ==, 1);
    for (gsize h = 0; h < 48; h++) {
      const mt_matrix a = mt_capture_weights(capture, MT_ENCODER_SELF, h / 8, h % 8);
      double sums[5] = {0};
      for (gsize q = 0; q < n; q++)
        for (gsize k = 0; k < n; k++)
          if (word[q] == from)
            sums[word[k]] += mt_matrix_at(&a, q, k);
      gsize most = 0;
      for (gsize w = 1; w < 5; w++)
        most = sums[w] > sums[most] ? w : most;
      mt_corpus_relation_value v;
      g_assert_true(mt_corpus_get_relation(corpus, h / 8, h % 8, i, &v, &error));
      g_assert_cmpfloat(v.share, ==, most == to);
      g_assert_false(v.holds); /* one is nothing */
    }
  }
}

/* ---- -------------------------------------------------------------------------------------------
 */

static void
unref(gpointer translation)
{
  mt_translation_unref(translation);
}

static void
remove_folder(void)
{
  GDir *dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name(dir))) {
    g_autofree char *path = path_of(name);
    g_unlink(path);
  }
  g_dir_close(dir);
  g_rmdir(folder);
}

static void
tear_down(void)
{
  g_ptr_array_unref(translations);
  g_ptr_array_unref(texts);
  mt_session_free(session);
  mt_model_unref(model);
  remove_folder();
  g_free(folder);
}

TESTS(.end = tear_down)
{
  mt_error error = {0};
  g_autofree char *file = golden_path("tests/data/sentences.en.txt"), *text = NULL;
  /* In memory, if there is such a place: commits wait for the disk. */
  folder = g_build_filename(g_access("/dev/shm", W_OK) == 0 ? "/dev/shm" : g_get_tmp_dir(),
                            "regard-corpus-XXXXXX", NULL);
  g_assert_nonnull(g_mkdtemp(folder));
  model = sentences_model("tests/data/frozen/en-de");
  session = sentences_session(model, 1, false);
  texts = g_ptr_array_new_with_free_func(g_free);
  translations = g_ptr_array_new_with_free_func(unref);
  g_assert_true(g_file_get_contents(file, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = 1;
  g_ptr_array_add(texts, g_strdup("I have two dogs."));
  for (guint i = 0; lines[i] && texts->len < 40; i++)
    if (*lines[i])
      g_ptr_array_add(texts, g_strdup(lines[i]));
  for (guint i = 0; i < texts->len; i++) {
    mt_translation *t = mt_session_translate(session, texts->pdata[i], &params, NULL, &error);
    g_assert_nonnull(t);
    g_ptr_array_add(translations, t);
  }
  g_test_add_func("/corpus/together", test_together);
  g_test_add_func("/corpus/moments", test_moments);
  g_test_add_func("/corpus/whole-numbers", test_whole_numbers);
  g_test_add_func("/corpus/tails", test_tails);
  g_test_add_func("/corpus/parts", test_parts);
  g_test_add_func("/corpus/two-writers", test_two_writers);
  g_test_add_func("/corpus/distances", test_distances);
  g_test_add_func("/corpus/examples", test_examples);
  g_test_add_func("/corpus/words", test_words);
  g_test_add_func("/corpus/hostile", test_hostile);
  g_test_add_func("/corpus/relations", test_relations);
}
