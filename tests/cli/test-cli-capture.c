/* test-cli-capture.c — regard-cli capture: every array that is promised, with its shape and what
 * must be true of its numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define DOGS        "I have two dogs."
#define DOGS_GERMAN "Ich habe zwei Hunde."

enum { LAYERS = 6, HEADS = 8, WIDTH = 64 }; /* of the frozen model */

static Npy *
read_array(const char *path, const char *name, gsize n_dims, ...)
{
  Npy *npy = npy_read(path, name);
  if (!npy)
    g_test_message("there is no array '%s'", name);
  g_assert_nonnull(npy);
  g_assert_cmpuint(npy->n_dims, ==, n_dims);
  va_list shape;
  va_start(shape, n_dims);
  for (gsize i = 0; i < n_dims; i++)
    g_assert_cmpuint(npy->shape[i], ==, va_arg(shape, gsize));
  va_end(shape);
  return npy;
}

/* Rows of [L][H][rows][cols] sum to 1, and are the softmax of the scores; where causal, what lies
 * ahead is 0 and its score minus infinity. */
static void
check_attention(const Npy *weights, const Npy *scores, gboolean causal)
{
  gsize n_rows = weights->shape[2], n_cols = weights->shape[3];
  g_assert_cmpuint(weights->n, ==, scores->n);
  for (gsize row = 0; row < weights->n / n_cols; row++) {
    gsize start = row * n_cols, t = row % n_rows;
    double sum = 0, highest = -INFINITY, partition = 0;
    for (gsize j = 0; j < n_cols; j++) {
      sum += npy_float(weights, start + j);
      highest = MAX(highest, npy_float(scores, start + j));
    }
    g_assert_cmpfloat_with_epsilon(sum, 1, 1e-5);
    for (gsize j = 0; j < n_cols; j++)
      partition += exp(npy_float(scores, start + j) - highest);
    for (gsize j = 0; j < n_cols; j++) {
      float weight = npy_float(weights, start + j), score = npy_float(scores, start + j);
      if (causal && j > t) {
        g_assert_cmpfloat(weight, ==, 0);
        g_assert_true(isinf(score) && score < 0);
      } else
        g_assert_cmpfloat_with_epsilon(weight, exp(score - highest) / partition, 1e-5);
    }
  }
}

static void
check_meta(const char *path, gboolean forced)
{
  g_autoptr(Npy) npy = read_array(path, "meta", 0);
  g_autofree char *text = npy_string(npy, 0);
  g_autoptr(json_object) meta = cli_assert_json(text);

  g_assert_cmpstr(cli_json_string(meta, "text"), ==, DOGS);
  g_assert_null(cli_json_member(meta, "language"));
  g_assert_cmpstr(cli_json_string(meta, "translation"), ==, DOGS_GERMAN);
  g_assert_cmpstr(cli_json_string(meta, "model"), ==, "en-de");
  g_assert_cmpint(json_object_get_boolean(cli_json_member(meta, "teacher_forced")), ==, forced);
  json_object *value = cli_json_member(meta, "settings");
  if (forced)
    g_assert_null(value);
  else {
    g_assert_cmpint(json_object_get_int(cli_json_member(value, "beam_size")), ==, 2);
  }

  g_autofree char *weights = cli_source_path("tests/data/frozen/en-de/model.safetensors");
  g_autofree char *data = NULL;
  gsize length;
  g_assert_true(g_file_get_contents(weights, &data, &length, NULL));
  g_autofree char *wanted = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (guchar *) data, length);
  value = cli_json_member(meta, "sha256");
  g_assert_cmpstr(cli_json_string(value, "model.safetensors"), ==, wanted);
  cli_json_member(value, "source.spm");
}

static void
check_tokens(const char *path, const char *ids_name, const char *tokens_name, gsize n,
             const char *first, const char *last)
{
  g_autoptr(Npy) ids = read_array(path, ids_name, 1, n);
  g_autoptr(Npy) tokens = read_array(path, tokens_name, 1, n);
  g_autofree char *head = npy_string(tokens, 0), *tail = npy_string(tokens, n - 1);
  g_assert_cmpstr(head, ==, first);
  g_assert_cmpstr(tail, ==, last);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpint(npy_int(ids, i), >=, 0);
}

static void
check_capture(const char *path, gboolean forced)
{
  g_autoptr(Npy) source = npy_read(path, "source_ids");
  g_autoptr(Npy) output = npy_read(path, "output_ids");
  g_assert_nonnull(source);
  g_assert_nonnull(output);
  const gsize S = source->n, T = output->n, L = LAYERS, H = HEADS, d = WIDTH;
  g_assert_cmpuint(S, >, 4);
  g_assert_cmpuint(T, >, 4);

  g_autoptr(Npy) encoder = read_array(path, "encoder_attentions", 4, L, H, S, S);
  g_autoptr(Npy) decoder = read_array(path, "decoder_attentions", 4, L, H, T, T);
  g_autoptr(Npy) cross = read_array(path, "cross_attentions", 4, L, H, T, S);
  g_autoptr(Npy) encoder_scores = read_array(path, "encoder_scores", 4, L, H, S, S);
  g_autoptr(Npy) decoder_scores = read_array(path, "decoder_scores", 4, L, H, T, T);
  g_autoptr(Npy) cross_scores = read_array(path, "cross_scores", 4, L, H, T, S);
  check_attention(encoder, encoder_scores, FALSE);
  check_attention(decoder, decoder_scores, TRUE);
  check_attention(cross, cross_scores, FALSE);

  g_autoptr(Npy) encoder_positions = read_array(path, "encoder_positions", 2, S, d);
  g_autoptr(Npy) decoder_positions = read_array(path, "decoder_positions", 2, T, d);
  g_autoptr(Npy) positions = read_array(path, "positions", 2, MAX(S, T), d);
  for (gsize i = 0; i < encoder_positions->n; i++)
    g_assert_cmpfloat(npy_float(encoder_positions, i), ==, npy_float(positions, i));
  /* Position 0 is sin 0, then cos 0. */
  for (gsize i = 0; i < d; i++)
    g_assert_cmpfloat_with_epsilon(npy_float(decoder_positions, i), i < d / 2 ? 0 : 1, 1e-6);

  g_autoptr(Npy) logprobs = read_array(path, "logprobs", 1, T);
  for (gsize i = 0; i < T; i++)
    g_assert_cmpfloat(npy_float(logprobs, i), <=, 0);
  check_tokens(path, "source_ids", "source_tokens", S, "▁I", "</s>");
  check_tokens(path, "output_ids", "output_tokens", T, "▁Ich", "</s>");
  g_autoptr(Npy) input = npy_read(path, "decoder_input_ids");
  g_assert_nonnull(input);
  g_assert_cmpuint(input->n, ==, T);
  /* What goes in is what came out one step before. */
  for (gsize i = 1; i < T; i++)
    g_assert_cmpint(npy_int(input, i), ==, npy_int(output, i - 1));
  check_meta(path, forced);
}

static void
test_searched(void)
{
  g_autofree char *path = cli_scratch_path("searched.npz");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "capture", "--beam", "2", "-o", path, DOGS, NULL);
  g_assert_cmpstr(run->out, ==, "");
  check_capture(path, FALSE);
}

static void
test_forced(void)
{
  g_autofree char *path = cli_scratch_path("forced.npz");
  cli_succeeds(NULL, "capture", "--target", DOGS_GERMAN, "-o", path, DOGS, NULL);
  check_capture(path, TRUE);
}

/* What is named by its SHA-256, for a model of any format, and that it is the file's. */
static void
check_hashes(const char *model, const char *folder, const char *const *names)
{
  g_autofree char *path = cli_scratch_path("hashes.npz");
  cli_succeeds(NULL, "capture", "--model", model, "--max-length", "8", "-o", path, "the dog", NULL);
  g_autoptr(Npy) npy = read_array(path, "meta", 0);
  g_autofree char *text = npy_string(npy, 0);
  g_autoptr(json_object) meta = cli_assert_json(text);
  json_object *hashes = cli_json_member(meta, "sha256");
  g_assert_cmpint(json_object_object_length(hashes), ==, (int) g_strv_length((char **) names));
  for (guint i = 0; names[i]; i++) {
    g_autofree char *file = g_build_filename(folder, names[i], NULL);
    g_autofree char *data = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(file, &data, &length, NULL));
    g_autofree char *wanted =
        g_compute_checksum_for_data(G_CHECKSUM_SHA256, (guchar *) data, length);
    g_assert_cmpstr(cli_json_string(hashes, names[i]), ==, wanted);
  }
}

static void
test_hashes(void)
{
  static const char *const marian[] = {
      "decoder.yml",
      "opus.spm32k-spm32k.transformer-align.model1.npz.best-perplexity.npz",
      "opus.spm32k-spm32k.vocab.yml",
      "source.spm",
      "target.spm",
      NULL};
  static const char *const archive[] = {"opus-2020-02-26.zip", NULL};
  g_autofree char *folder = cli_source_path("tests/data/marian/post-norm");
  g_autofree char *archives = cli_source_path("tests/data/marian");
  g_autofree char *packed = g_build_filename(archives, archive[0], NULL);
  check_hashes(folder, folder, marian);
  check_hashes(packed, archives, archive);
}

/* The language of a multi-target model is in the tokens and in what is said about them. */
static void
test_language(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/multi-target");
  g_autofree char *path = cli_scratch_path("language.npz");
  for (guint forced = 0; forced < 2; forced++) {
    cli_succeeds(NULL, "capture", "--to", "deu", "--model", model, "-o", path, "the dog",
                 forced ? "--target" : "--max-length", forced ? "der hund" : "8", NULL);
    g_autoptr(Npy) tokens = read_array(path, "source_tokens", 1, (gsize) 4);
    g_autofree char *first = npy_string(tokens, 0), *second = npy_string(tokens, 1);
    g_assert_cmpstr(first, ==, ">>deu<<");
    g_assert_cmpstr(second, ==, "▁the");
    g_autoptr(Npy) npy = read_array(path, "meta", 0);
    g_autofree char *text = npy_string(npy, 0);
    g_autoptr(json_object) meta = cli_assert_json(text);
    g_assert_cmpstr(cli_json_string(meta, "language"), ==, "deu");
    g_assert_cmpstr(cli_json_string(meta, "text"), ==, "the dog");
  }
}

/* Those of a model that is told both are where they were read and written, found or given. */
static void
test_two_languages(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/m2m-tiny");
  g_autofree char *path = cli_scratch_path("languages.npz");
  for (guint forced = 0; forced < 2; forced++) {
    cli_succeeds(NULL, "capture", "--from", "fra_Latn", "--to", "deu", "--model", model, "-o", path,
                 "the dog", forced ? "--target" : "--max-length", forced ? "the mat" : "8", NULL);
    g_autoptr(Npy) npy = read_array(path, "meta", 0);
    g_autofree char *text = npy_string(npy, 0);
    g_autoptr(json_object) meta = cli_assert_json(text);
    g_assert_cmpstr(cli_json_string(meta, "source_language"), ==, "fr");
    g_assert_cmpstr(cli_json_string(meta, "language"), ==, "de");
  }
}

/* Pieces of a prefix are marked, and the task is said. */
static void
test_task(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/t5-tiny");
  g_autofree char *path = cli_scratch_path("task.npz");
  for (guint forced = 0; forced < 2; forced++) {
    cli_succeeds(NULL, "capture", "--task", "summarization", "--model", model, "-o", path, "a cat",
                 forced ? "--target" : "--max-length", forced ? "a dog" : "8", NULL);
    g_autoptr(Npy) npy = read_array(path, "meta", 0);
    g_autofree char *text = npy_string(npy, 0);
    g_autoptr(json_object) meta = cli_assert_json(text);
    g_assert_cmpstr(cli_json_string(meta, "task"), ==, "summarization");
    g_assert_cmpstr(cli_json_string(meta, "task_prefix"), ==, "summarize: ");
    g_assert_cmpstr(cli_json_string(meta, "text"), ==, "a cat");
    g_autoptr(Npy) words = read_array(path, "source_text", 0);
    g_autofree char *source = npy_string(words, 0);
    g_assert_cmpstr(source, ==, "a cat");
  }
}

static void
test_unwritable(void)
{
  g_autofree char *path = cli_scratch_path("no/folder/a.npz");
  cli_refuses(1, "no/folder/a.npz", NULL, "capture", "-o", path, DOGS, NULL);
  g_autofree char *kept = cli_scratch_file("kept.npz", "before");
  cli_refuses(1, "UTF-8", NULL, "capture", "-o", kept, "\xFF", NULL);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(kept, &text, NULL, NULL));
  g_assert_cmpstr(text, ==, "before");
}

static void
assert_same_text(const char *path, const char *other)
{
  g_autofree char *text = NULL, *wanted = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_assert_true(g_file_get_contents(other, &wanted, NULL, NULL));
  g_assert_cmpstr(text, ==, wanted);
}

/* One matrix and one layer: inspect says what is there, and pictures and tables are those of the
 * whole, by their numbers in the model. */
static void
test_part(void)
{
  g_autofree char *one = cli_scratch_path("one.npz"), *layer = cli_scratch_path("layer.npz"),
                  *table = cli_scratch_path("part.csv"), *whole = cli_scratch_path("whole.csv"),
                  *svg = cli_scratch_path("part.svg");
  cli_succeeds(NULL, "capture", "--kind", "cross", "--layer", "4", "--head", "2", "-o", one, DOGS,
               NULL);
  g_autoptr(Npy) weights =
      read_array(one, "cross_attentions", 4, (gsize) 1, (gsize) 1, (gsize) 7, (gsize) 7);
  g_assert_null(npy_read(one, "encoder_attentions"));
  g_assert_null(npy_read(one, "positions"));
  g_autoptr(CliRun) inspected = cli_run(NULL, "inspect", one, NULL);
  g_assert_nonnull(strstr(inspected->out, "layer 4, head 2\n"));
  g_autoptr(CliRun) json = cli_run(NULL, "inspect", "--json", one, NULL);
  g_assert_nonnull(strstr(json->out, "\"first_layer\": 4"));
  g_assert_nonnull(strstr(json->out, "\"first_head\": 2"));

  static const char *const rows[][6] = {{"--layer", "4", "--head", "2", NULL, NULL},
                                        {"--layer", "3", "--kind", "encoder", "--head", "max"}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *const *r = rows[i];
    if (i == 1)
      cli_succeeds(NULL, "capture", "--layer", "3", "-o", layer, DOGS, NULL);
    cli_succeeds(NULL, "attend", "--capture", i ? layer : one, "-o", table, r[0], r[1], r[2], r[3],
                 r[4], r[5], NULL);
    cli_succeeds(NULL, "attend", DOGS, "-o", whole, r[0], r[1], r[2], r[3], r[4], r[5], NULL);
    assert_same_text(table, whole);
  }
  /* Of a text itself no more is computed than is drawn: one head, and all
   * heads of a layer. */
  cli_succeeds(NULL, "capture", "-o", layer, DOGS, NULL);
  const char *const head[] = {"--kind", "decoder", "--head", "5"};
  cli_succeeds(NULL, "attend", DOGS, "-o", table, head[0], head[1], head[2], head[3], NULL);
  cli_succeeds(NULL, "attend", "--capture", layer, "-o", whole, head[0], head[1], head[2], head[3],
               NULL);
  assert_same_text(table, whole);
  cli_succeeds(NULL, "attend", DOGS, "-o", svg, "--layer", "3", "--head", "all", "--caption", NULL);
  g_autofree char *sheet = NULL;
  g_assert_true(g_file_get_contents(svg, &sheet, NULL, NULL));
  g_assert_nonnull(strstr(sheet, "all heads of layer 3"));
  cli_succeeds(NULL, "attend", "--capture", one, "-o", svg, NULL);
  g_autofree char *picture = NULL;
  g_assert_true(g_file_get_contents(svg, &picture, NULL, NULL));
  g_assert_nonnull(strstr(picture, "Cross-attention · layer 4 · head 2"));
  cli_succeeds(NULL, "capture", "--layer", "3", "-o", layer, DOGS, NULL);
  cli_succeeds(NULL, "attend", "--capture", layer, "--kind", "cross", "--head", "all", "-o", svg,
               NULL);
  g_autofree char *heads = NULL;
  g_assert_true(g_file_get_contents(svg, &heads, NULL, NULL));
  g_assert_nonnull(strstr(heads, "Cross-attention · layers 3–3 × heads 1–8"));

  cli_refuses(2, "--layer wants 4, the only one of this capture, found 3", NULL, "attend",
              "--capture", one, "--layer", "3", "-o", svg, NULL);
  cli_refuses(1, "--kind encoder", NULL, "attend", "--capture", one, "--kind", "encoder", "-o", svg,
              NULL);
  cli_refuses(2, "--layer wants 1 to 6", NULL, "capture", "--layer", "7", "-o", one, DOGS, NULL);
  cli_refuses(2, "--head wants 1 to 8", NULL, "capture", "--head", "9", "-o", one, DOGS, NULL);
}

/* The fields of a line of CSV, as RFC 4180 has them. Moves on behind the line; caller frees. */
static GPtrArray *
read_fields(const char **text)
{
  GPtrArray *fields = g_ptr_array_new_with_free_func(g_free);
  const char *p = *text;
  for (gboolean more = TRUE; more;) {
    GString *field = g_string_new(NULL);
    if (*p == '"') {
      for (p++; *p != '"' || p[1] == '"'; p++) {
        g_assert_cmpint(*p, !=, '\0');
        p += *p == '"';
        g_string_append_c(field, *p);
      }
      p++;
    } else
      for (; !strchr(",\r", *p); p++)
        g_string_append_c(field, *p);
    g_ptr_array_add(fields, g_string_free(field, FALSE));
    more = *p == ',';
    p += more;
  }
  g_assert_true(g_str_has_prefix(p, "\r\n"));
  *text = p + 2;
  return fields;
}

static guint
read_number(const GPtrArray *fields, guint i)
{
  guint64 number;
  g_assert_true(g_ascii_string_to_unsigned(fields->pdata[i], 10, 0, 1000, &number, NULL));
  return (guint) number;
}

/* Every line of a table in long form is a cell of the capture, its number to the bit, and no cell
 * is missing. Returns how many heads it has. */
static guint
check_long(const char *table, const char *capture)
{
  static const char *const names[] = {"kind",  "layer",     "head", "query_index",
                                      "query", "key_index", "key",  "weight"};
  static const struct {
    const char *kind, *weights, *queries, *keys;
  } kinds[] = {{"encoder", "encoder_attentions", "source_tokens", "source_tokens"},
               {"cross", "cross_attentions", "output_tokens", "source_tokens"},
               {"decoder", "decoder_attentions", "output_tokens", "decoder_input_tokens"}};
  g_autofree char *text = cli_contents(table, NULL);
  const char *p = text;
  g_autoptr(GPtrArray) header = read_fields(&p);
  g_autoptr(GHashTable) cells = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) heads = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  gsize wanted = 0;
  g_assert_cmpuint(header->len, ==, G_N_ELEMENTS(names));
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
    g_assert_cmpstr(header->pdata[i], ==, names[i]);
  while (*p) {
    g_autoptr(GPtrArray) f = read_fields(&p);
    gsize k = 0;
    g_assert_cmpuint(f->len, ==, G_N_ELEMENTS(names));
    for (; !g_str_equal(kinds[k].kind, f->pdata[0]); k++)
      g_assert_cmpuint(k, <, G_N_ELEMENTS(kinds));
    g_autoptr(Npy) weights = npy_read(capture, kinds[k].weights);
    g_autoptr(Npy) queries = npy_read(capture, kinds[k].queries);
    g_autoptr(Npy) keys = npy_read(capture, kinds[k].keys);
    const gsize *shape = weights->shape;
    const guint layer = read_number(f, 1), head = read_number(f, 2), q = read_number(f, 3),
                key = read_number(f, 5);
    g_autofree char *query_piece = npy_string(queries, q), *key_piece = npy_string(keys, key);
    g_assert_cmpstr(f->pdata[4], ==, query_piece);
    g_assert_cmpstr(f->pdata[6], ==, key_piece);
    const float exact =
        npy_float(weights, (((layer - 1) * shape[1] + head - 1) * shape[2] + q) * shape[3] + key);
    g_assert_true((float) g_ascii_strtod(f->pdata[7], NULL) == exact);
    g_assert_true(
        g_hash_table_add(cells, g_strdup_printf("%zu %u.%u %u %u", k, layer, head, q, key)));
    if (g_hash_table_add(heads, g_strdup_printf("%zu %u.%u", k, layer, head)))
      wanted += g_str_equal(kinds[k].kind, "decoder") ? shape[2] * (shape[2] + 1) / 2
                                                      : shape[2] * shape[3];
  }
  g_assert_cmpuint(g_hash_table_size(cells), ==, wanted);
  return g_hash_table_size(heads);
}

/* A choice of heads is one table in long form: of one kind, of several, and of one head alone; with
 * words that stand there twice, and such as have to be quoted. */
static void
test_chosen(void)
{
#define QUOTED "I have two, \"two\" dogs."
  static const struct {
    const char *heads, *kind;
    guint n;
  } rows[] = {{"4.1,5.5", "cross", 2},
              {"4.1", "decoder", 1},
              {"encoder 2.3, cross 4.1,cross 4.2,cross 4.1,decoder 6.8", "all", 4}};
  g_autofree char *whole = cli_scratch_path("chosen-whole.npz"),
                  *table = cli_scratch_path("chosen.csv"), *from = cli_scratch_path("from.csv"),
                  *part = cli_scratch_path("chosen-part.npz");
  cli_succeeds(NULL, "capture", "--target", QUOTED, "-o", whole, QUOTED, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    cli_succeeds(NULL, "attend", "--kind", rows[i].kind, "--head", rows[i].heads, "--target",
                 QUOTED, "-o", table, QUOTED, NULL);
    g_assert_cmpuint(check_long(table, whole), ==, rows[i].n);
    cli_succeeds(NULL, "attend", "--kind", rows[i].kind, "--head", rows[i].heads, "--capture",
                 whole, "-o", from, NULL);
    assert_same_text(table, from);
  }
  /* A part of a capture has its own numbers; B - A is a choice of heads, too. */
  cli_succeeds(NULL, "capture", "--kind", "cross", "--layer", "4", "-o", part, DOGS, NULL);
  cli_succeeds(NULL, "attend", "--capture", part, "--head", "4.8,4.1", "-o", from, NULL);
  cli_succeeds(NULL, "attend", "--head", "4.1,4.8", "-o", table, DOGS, NULL);
  assert_same_text(table, from);
  cli_succeeds(NULL, "attend", "--head", "4.1,encoder 1.1", "--reference", "none", "--change",
               "cross 4.1 uniform", "-o", from, DOGS, NULL);
  g_autofree char *difference = cli_contents(from, NULL);
  g_assert_nonnull(strstr(difference, "encoder,1,1,"));
  g_assert_nonnull(strstr(difference, ",-0."));

  /* As the search computed it: the same but for last digits, and of a file it cannot be. */
  cli_succeeds(NULL, "attend", "--as-searched", "--head", "4.1,4.8", "-o", from, DOGS, NULL);
  g_autofree char *searched = cli_contents(from, NULL), *passed = cli_contents(table, NULL);
  g_auto(GStrv) a = g_strsplit(searched, "\r\n", -1), b = g_strsplit(passed, "\r\n", -1);
  g_assert_cmpuint(g_strv_length(a), ==, g_strv_length(b));
  for (guint i = 1; a[i] && *a[i]; i++)
    g_assert_cmpfloat_with_epsilon(g_ascii_strtod(strrchr(a[i], ',') + 1, NULL),
                                   g_ascii_strtod(strrchr(b[i], ',') + 1, NULL), 1e-5);
  cli_refuses(2, "--capture wants no TEXT", NULL, "attend", "--as-searched", "--capture", part,
              "-o", from, NULL);
  cli_refuses(2, "cross heads of layers 4 to 4", NULL, "attend", "--capture", part, "--head", "5.1",
              "-o", from, NULL);
  cli_refuses(2, "no encoder attention in this capture", NULL, "attend", "--capture", part,
              "--head", "encoder 4.1", "-o", from, NULL);
  cli_refuses(2, "found 'cross 7.1'", NULL, "attend", "--head", "4.1,7.1", "-o", table, DOGS, NULL);
  cli_refuses(2, "found 'decoder 1.9'", NULL, "attend", "--head", "decoder 1.9", "-o", table, DOGS,
              NULL);
  static const char *const wrong[] = {"4.1,", "4.1.1", "all 4.1", "4.mean", ".", "4.1,cross"};
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
    cli_refuses(2, "--head wants LAYER.HEAD", NULL, "attend", "--head", wrong[i], "-o", table, DOGS,
                NULL);
  cli_refuses(2, "--head wants LAYER.HEAD", NULL, "attend", "--kind", "all", "--head", "4.1", "-o",
              table, DOGS, NULL);
  cli_refuses(2, "no --layer", NULL, "attend", "--layer", "4", "--head", "4.1", "-o", table, DOGS,
              NULL);
  cli_refuses(2, "--sum is of one matrix", NULL, "attend", "--sum", "keys:1", "--head", "4.1", "-o",
              table, DOGS, NULL);
}

/* What 48 heads of each kind take for so many tokens, with scores, and all else of a capture. */
static char *
size_of_capture(gsize n_source, gsize n_target, gsize d_model)
{
  const gsize cells = n_source * n_source + n_target * n_target + n_target * n_source,
              rows = n_source + 2 * n_target;
  return g_format_size(4 * (48 * (2 * cells + rows) + d_model * (n_source + n_target) + n_target));
}

/* Where attention takes more than is said it is said how much, before it is computed, and how to
 * take less; of a part it is what the part takes. */
static void
test_memory(void)
{
  static const char text[] = "I have two dogs. I have two dogs. I have two dogs. I have two dogs. "
                             "I have two dogs. I have two dogs. I have two dogs. I have two dogs.";
  g_autofree char *path = cli_scratch_path("memory.npz"), *svg = cli_scratch_path("memory.svg");
  g_autoptr(CliRun) quiet = cli_run_ok(NULL, "capture", "-o", path, DOGS, NULL);
  g_assert_cmpstr(quiet->err, ==, "");
  g_autoptr(CliRun) said = cli_run_ok(NULL, "capture", "--say-memory", "1", "-o", path, text, NULL);
  g_autoptr(Npy) source = npy_read(path, "source_tokens"), output = npy_read(path, "output_tokens");
  const gsize n_source = source->shape[0], n_target = output->shape[0];
  g_autoptr(Npy) positions = npy_read(path, "encoder_positions");
  g_autofree char *size = size_of_capture(n_source, n_target, positions->shape[1]);
  g_autofree char *expected =
      g_strdup_printf("regard-cli capture: Attention of %" G_GSIZE_FORMAT
                      " source and %" G_GSIZE_FORMAT " target tokens takes %s of memory. --kind, "
                      "--layer and --head make it less.\n",
                      n_source, n_target, size);
  g_assert_cmpstr(said->err, ==, expected);
  g_autoptr(CliRun) less = cli_run_ok(NULL, "capture", "--say-memory", "1", "--layer", "2",
                                      "--kind", "cross", "-o", path, text, NULL);
  g_assert_cmpstr(less->err, ==, "");
  g_autoptr(CliRun) drawn = cli_run_ok(NULL, "attend", "--say-memory", "1", "-o", svg, text, NULL);
  g_assert_cmpstr(drawn->err, ==, "");
  g_autoptr(CliRun) step =
      cli_run_ok(NULL, "steps", "--show", "step", "--say-memory", "1", "-o", svg, text, NULL);
  g_assert_cmpstr(step->err, ==, "");
  cli_refuses(2, "--say-memory wants", NULL, "attend", "--say-memory", "0", "-o", svg, text, NULL);
  cli_refuses(2, "--say-memory wants", NULL, "compare", "--reference", "none", "--say-memory", "x",
              "--change", "cross 1.1 zero", text, NULL);
}

TESTS()
{
  g_test_add_func("/cli/capture/searched", test_searched);
  g_test_add_func("/cli/capture/forced", test_forced);
  g_test_add_func("/cli/capture/language", test_language);
  g_test_add_func("/cli/capture/two-languages", test_two_languages);
  g_test_add_func("/cli/capture/task", test_task);
  g_test_add_func("/cli/capture/part", test_part);
  g_test_add_func("/cli/capture/chosen", test_chosen);
  g_test_add_func("/cli/capture/memory", test_memory);
  g_test_add_func("/cli/capture/hashes", test_hashes);
  g_test_add_func("/cli/capture/unwritable", test_unwritable);
}
