/* test-segmentations.c — pairs that are cut into tokens in several ways: the draws against
 * SentencePiece's probabilities (tests/reference/make_segmentations.py), and what prepare makes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "engine-test.h"
#include "files/mt-json.h"
#include "small-dataset.h"
#include "suite.h"
#include "text/mt-sentencepiece.h"
#include "train/mt-sampler.h"

#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_sampler, mt_sampler_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_spm, mt_spm_free)

static char *model; /* tests/data/frozen/en-de */

/* ---- Shares ---------------------------------------------------------------------------------- */

#define DRAWS 2000

static mt_spm *
open_spm(void)
{
  g_autofree char *path = g_build_filename(model, "source.spm", NULL);
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
  mt_error error = {0};
  mt_spm *spm = mt_spm_new(bytes, n, "source.spm", &error);
  g_assert_nonnull(spm);
  return spm;
}

/* What was drawn: "▁I ▁have", as often as it came. */
typedef struct {
  GHashTable *counts;
  GString *present; /* NULL before the first */
} Drawn;

static void
count_present(Drawn *drawn)
{
  if (!drawn->present)
    return;
  guint n = GPOINTER_TO_UINT(g_hash_table_lookup(drawn->counts, drawn->present->str));
  g_hash_table_insert(drawn->counts, g_strdup(drawn->present->str), GUINT_TO_POINTER(n + 1));
  g_string_free(drawn->present, TRUE);
  drawn->present = NULL;
}

static void
begin_draw(void *user, size_t k)
{
  count_present(user);
  ((Drawn *) user)->present = g_string_new(NULL);
}

static bool
take_piece(void *user, const char *piece, size_t n, size_t begin, size_t end)
{
  GString *present = ((Drawn *) user)->present;
  if (present->len > 0)
    g_string_append_c(present, ' ');
  g_string_append_len(present, piece, (gssize) n);
  return true;
}

/* As often as its share of numbers that lie evenly from 0 to 1, give or take one. */
static void
check_case(const mt_spm *spm, const mt_json_value *row)
{
  double chosen[DRAWS];
  for (int k = 0; k < DRAWS; k++)
    chosen[k] = (k + 0.5) / DRAWS;
  const char *text = mt_json_string(mt_json_member(row, "text"));
  const mt_spm_draws draws = {
      .nbest_size = (size_t) mt_json_integer(mt_json_member(row, "nbest_size")),
      .alpha = mt_json_number(mt_json_member(row, "alpha")),
      .chosen = chosen,
      .n = DRAWS,
  };
  Drawn drawn = {.counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
  mt_error error = {0};
  g_assert_true(
      mt_spm_draw(spm, text, strlen(text), &draws, begin_draw, take_piece, &drawn, &error));
  count_present(&drawn);
  const mt_json_value *names = mt_json_member(row, "segmentations");
  const mt_json_value *shares = mt_json_member(row, "shares");
  g_autoptr(GHashTable) expected = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
  for (size_t i = 0; i < mt_json_length(names); i++) {
    const char *name = mt_json_string(mt_json_at(names, i));
    double *sum = g_hash_table_lookup(expected, name);
    if (!sum)
      g_hash_table_insert(expected, (char *) name, sum = g_new0(double, 1));
    *sum += mt_json_number(mt_json_at(shares, i));
  }
  GHashTableIter at;
  gpointer name, share;
  guint n = 0;
  g_hash_table_iter_init(&at, expected);
  while (g_hash_table_iter_next(&at, &name, &share)) {
    guint count = GPOINTER_TO_UINT(g_hash_table_lookup(drawn.counts, name));
    g_test_message("%s: %u of %d, expected a share of %g", (char *) name, count, DRAWS,
                   *(double *) share);
    g_assert_cmpfloat_with_epsilon(count, *(double *) share * DRAWS, 1.01);
    n += count;
  }
  g_assert_cmpuint(n, ==, DRAWS); /* nothing else */
  g_hash_table_unref(drawn.counts);
}

static void
test_shares(void)
{
  g_autofree char *path = cli_source_path("tests/data/segmentations.json");
  g_autofree char *text = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(path, &text, &n, NULL));
  mt_json golden = {0};
  mt_error error = {0};
  g_assert_true(mt_json_parse(&golden, "segmentations.json", text, n, &error));
  g_autoptr(mt_spm) spm = open_spm();
  const mt_json_value *cases = mt_json_get(&golden, "cases");
  g_assert_cmpuint(mt_json_length(cases), ==, 7);
  for (size_t i = 0; i < mt_json_length(cases); i++)
    check_case(spm, mt_json_at(cases, i));
  mt_json_clear(&golden);
}

/* ---- A prepared folder ----------------------------------------------------------------------- */

#define N_PAIRS 40

static char *
write_pairs(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (int i = 0; i < N_PAIRS; i++)
    g_string_append_printf(text, "He traveled in Europe %d times.\tEr reiste %d Mal in Europa.\n",
                           i, i);
  char *path = cli_scratch_path("pairs.tsv");
  g_assert_true(g_file_set_contents(path, text->str, (gssize) text->len, NULL));
  return path;
}

#define MAX_IDS 256

static gsize
copy_ids(const mt_dataset *d, mt_stack side, gsize pair, int32_t ids[MAX_IDS])
{
  mt_error error = {0};
  gsize n = mt_dataset_length(d, MT_DATASET_TRAIN, side, pair);
  g_assert_true(mt_dataset_copy(d, MT_DATASET_TRAIN, side, pair, ids, n, &error));
  return n;
}

/* "3 17 0 ": the ids of one side. */
static char *
ids_of(const mt_dataset *d, mt_stack side, gsize pair)
{
  int32_t ids[MAX_IDS];
  gsize n = copy_ids(d, side, pair, ids);
  GString *text = g_string_new(NULL);
  for (gsize i = 0; i < n; i++)
    g_string_append_printf(text, "%d ", ids[i]);
  return g_string_free(text, FALSE);
}

/* The pieces of one side, joined, without the </s>. */
static char *
text_of(const mt_dataset *d, const mt_model *opened, mt_stack side, gsize pair)
{
  int32_t ids[MAX_IDS];
  gsize n = copy_ids(d, side, pair, ids);
  GString *text = g_string_new(NULL);
  for (gsize i = 0; i + 1 < n; i++)
    g_string_append(text, mt_model_piece(opened, side, ids[i]));
  return g_string_free(text, FALSE);
}

/* How many sentences of each side are not cut the way that a plain run cuts them. */
static void
count_others(const mt_dataset *plain, const mt_dataset *cut, gsize n_segmentations,
             guint n_other[MT_N_STACKS])
{
  for (gsize i = 0; i < mt_dataset_count(cut, MT_DATASET_TRAIN); i++)
    for (int s = 0; s < MT_N_STACKS; s++) {
      g_autofree char *best = ids_of(plain, (mt_stack) s, i / n_segmentations);
      g_autofree char *found = ids_of(cut, (mt_stack) s, i);
      if (i % n_segmentations == 0)
        g_assert_cmpstr(best, ==, found);
      n_other[s] += strcmp(best, found) != 0;
    }
}

/* The first of a pair is the one that a plain run has; all of them are the same text. */
static void
test_prepare(void)
{
  g_autofree char *file = write_pairs();
  g_autofree char *plain = cli_scratch_path("plain");
  g_autofree char *cut = cli_scratch_path("cut");
  g_autofree char *again = cli_scratch_path("again");
  g_autofree char *other = cli_scratch_path("other");
#define PREPARE(output, ...)                                                                     \
  cli_run(NULL, "prepare", "-o", output, "-t", model, "--heldout", "5", "-q", file, __VA_ARGS__, \
          NULL)
  g_autoptr(CliRun) a = PREPARE(plain, "-j", "2");
  g_autoptr(CliRun) b = PREPARE(cut, "--segmentations", "4", "-j", "1");
  g_autoptr(CliRun) c = PREPARE(again, "--segmentations", "4", "-j", "3");
  g_autoptr(CliRun) e = PREPARE(other, "--segmentations", "4", "--seed", "2");
  cli_assert_status(a, 0);
  cli_assert_status(b, 0);
  cli_assert_status(c, 0);
  cli_assert_status(e, 0);
  static const char *const names[] = {"manifest.json", "train.source.npy", "train.target.npy",
                                      "train.source-offsets.npy", "heldout.source.npy"};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    small_assert_same_file(cut, again, names[i]);
  mt_error error = {0};
  g_autoptr(mt_model) opened = mt_model_open(model, NULL, &error);
  g_autoptr(mt_dataset) one = small_open(plain), four = small_open(cut);
  gsize n = mt_dataset_count(one, MT_DATASET_TRAIN);
  g_assert_cmpuint(n, >=, N_PAIRS - 5 - 5);
  g_assert_cmpuint(mt_dataset_count(four, MT_DATASET_TRAIN), ==, 4 * n);
  g_assert_cmpuint(mt_dataset_count(four, MT_DATASET_HELDOUT), ==, 5);
  g_assert_cmpuint(mt_dataset_get_source(four, 0)->segmentations, ==, 4);
  g_assert_cmpuint(mt_dataset_get_source(one, 0)->segmentations, ==, 1);
  guint n_other[MT_N_STACKS] = {0};
  count_others(one, four, 4, n_other);
  g_assert_cmpuint(n_other[0] + n_other[1], >, n); /* of 6 n that were drawn */
  for (gsize i = 0; i < 4 * n; i++)
    for (int s = 0; s < MT_N_STACKS; s++) {
      g_autofree char *text = text_of(one, opened, (mt_stack) s, i / 4);
      g_autofree char *found_text = text_of(four, opened, (mt_stack) s, i);
      g_assert_cmpstr(text, ==, found_text);
    }
  g_autoptr(mt_dataset) two = small_open(other);
  guint n_changed = 0;
  for (gsize i = 0; i < MIN(mt_dataset_count(two, MT_DATASET_TRAIN), 4 * n); i++) {
    g_autofree char *x = ids_of(four, MT_STACK_ENCODER, i);
    g_autofree char *y = ids_of(two, MT_STACK_ENCODER, i);
    n_changed += strcmp(x, y) != 0;
  }
  g_assert_cmpuint(n_changed, >, 0);
}

static void
test_sides(void)
{
  g_autofree char *file = write_pairs();
  g_autofree char *plain = cli_scratch_path("whole");
  g_autoptr(CliRun) a = PREPARE(plain, "-j", "2");
  cli_assert_status(a, 0);
  g_autoptr(mt_dataset) one = small_open(plain);
  gsize n = mt_dataset_count(one, MT_DATASET_TRAIN);
  static const char *const names[MT_N_STACKS] = {"source", "target"};
  for (int side = 0; side < MT_N_STACKS; side++) {
    g_autofree char *cut = cli_scratch_path(names[side]);
    g_autoptr(CliRun) b = PREPARE(cut, "--segmentations", "3", "--segmented", names[side]);
    cli_assert_status(b, 0);
    g_autoptr(mt_dataset) three = small_open(cut);
    g_assert_cmpuint(mt_dataset_count(three, MT_DATASET_TRAIN), ==, 3 * n);
    guint n_other[MT_N_STACKS] = {0};
    count_others(one, three, 3, n_other);
    g_assert_cmpuint(n_other[side], >, n / 2);
    g_assert_cmpuint(n_other[1 - side], ==, 0);
  }
}

/* Both sides of a pair, as ids. */
static char *
key_of_pair(const mt_dataset *d, gsize i)
{
  g_autofree char *source = ids_of(d, MT_STACK_ENCODER, i);
  g_autofree char *target = ids_of(d, MT_STACK_DECODER, i);
  return g_strconcat(source, "| ", target, NULL);
}

static char *
key_of_sentence(const mt_train_batch *batch, gsize i)
{
  GString *key = g_string_new(NULL);
  for (gsize t = batch->source_begin[i]; t < batch->source_begin[i + 1]; t++)
    g_string_append_printf(key, "%d ", batch->source[t]);
  g_string_append(key, "| ");
  for (gsize t = batch->target_begin[i]; t < batch->target_begin[i + 1]; t++)
    g_string_append_printf(key, "%d ", batch->target_out[t]);
  return g_string_free(key, FALSE);
}

/* Takes the key. */
static void
count(GHashTable *counts, char *key, int change)
{
  int n = GPOINTER_TO_INT(g_hash_table_lookup(counts, key));
  g_hash_table_replace(counts, key, GINT_TO_POINTER(n + change));
}

/* A key for a source, and an epoch shows each pair as often as its weight says. */
static void
test_weight(void)
{
  g_autofree char *file = write_pairs();
  g_autofree char *json = g_strdup_printf(
      "{\"tokenizer\": \"%s\", \"heldout\": 0, \"nbest_size\": 16, \"alpha\": 0.1, \"sources\": ["
      "{\"name\": \"cut\", \"file\": \"pairs.tsv\", \"lines\": [1, 30], \"weight\": 2,"
      " \"segmentations\": 8},"
      "{\"name\": \"plain\", \"file\": \"pairs.tsv\", \"lines\": [31, %d], \"weight\": 2}]}",
      model, N_PAIRS);
  g_autofree char *config = cli_scratch_path("cut.json");
  g_assert_true(g_file_set_contents(config, json, -1, NULL));
  g_autofree char *output = cli_scratch_path("weight");
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "prepare", "-o", output, "-c", config, "--json", "-q", NULL);
  g_autoptr(json_object) answer = cli_assert_json(run->out);
  g_assert_cmpint(json_object_get_int(
                      cli_json_member(cli_json_member(answer, "drawing"), "nbest_size")),
                  ==, 16);
  g_autoptr(mt_dataset) d = small_open(output);
  g_assert_cmpuint(mt_dataset_get_source(d, 0)->n_pairs, ==, 240);
  g_assert_cmpuint(mt_dataset_get_source(d, 1)->n_pairs, ==, N_PAIRS - 30);
  const mt_sampler_options options = {.seed = 1, .batch_tokens = 64};
  mt_error error = {0};
  g_autoptr(mt_sampler) sampler = mt_sampler_new(d, &options, &error);
  g_assert_nonnull(sampler);
  /* Four epochs show each of the eight segmentations once, and what has only one eight times. */
  g_autoptr(GHashTable) left = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (gsize i = 0; i < mt_dataset_count(d, MT_DATASET_TRAIN); i++)
    count(left, key_of_pair(d, i), i < 240 ? 1 : 8);
  while (mt_sampler_get_position(sampler).epoch < 4) {
    mt_train_batch batch;
    g_assert_true(mt_sampler_next(sampler, &batch, &error));
    for (gsize i = 0; i < batch.n_sentences; i++)
      count(left, key_of_sentence(&batch, i), -1);
  }
  GHashTableIter at;
  gpointer key, n;
  g_hash_table_iter_init(&at, left);
  while (g_hash_table_iter_next(&at, &key, &n))
    g_assert_cmpint(GPOINTER_TO_INT(n), ==, 0);
}

/* One that would be too long gives way; what makes no sense is refused. */
static void
test_limits(void)
{
  g_autofree char *file = write_pairs();
  g_autofree char *tight = cli_scratch_path("tight");
  g_autoptr(CliRun) a = PREPARE(tight, "--segmentations", "64", "--alpha", "0", "--nbest-size",
                                "512", "--max-tokens", "13");
  cli_assert_status(a, 0);
  g_autoptr(mt_dataset) d = small_open(tight);
  g_assert_cmpuint(mt_dataset_count(d, MT_DATASET_TRAIN) % 64, ==, 0);
  g_assert_cmpuint(mt_dataset_count(d, MT_DATASET_TRAIN), >=, 64 * 20);
  g_autofree char *merged = cli_scratch_path("merged");
  g_autoptr(CliRun) c = PREPARE(merged, "--segmentations", "65");
  cli_assert_complains(c, 2, "--segmentations wants");
  g_autoptr(CliRun) e = PREPARE(merged, "--segmentations", "2", "--alpha", "-1");
  cli_assert_complains(e, 2, "--alpha wants");
  static const char *const bad[] = {
      "{\"sources\": [{\"file\": \"a\", \"segmentations\": 0}]}",
      "{\"sources\": [{\"file\": \"a\", \"segmentations\": \"many\"}]}",
      "{\"segmentations\": 65}",
  };
  g_autoptr(CliRun) f = PREPARE(merged, "--segmentations", "2", "--segmented", "none");
  cli_assert_complains(f, 2, "--segmented wants");
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autofree char *config = cli_scratch_path("bad.json");
    g_assert_true(g_file_set_contents(config, bad[i], -1, NULL));
    cli_refuses(1, "\"segmentations\" to be a whole number from 1 to 64", NULL, "prepare", "-o",
                merged, "-c", config, NULL);
  }
}

/* Drawing needs a unigram tokenizer, which is said before any text is read. */
static void
test_other_tokenizer(void)
{
  g_autofree char *file = write_pairs();
  g_autofree char *none = cli_scratch_path("none");
  g_autofree char *nowhere = cli_scratch_path("nowhere.tsv");
  cli_refuses(1, "Segmentations can only be drawn with a unigram tokenizer", NULL, "prepare", "-o",
              none, "--segmentation", "bpe", "--segmentations", "2", nowhere, NULL);
  g_autofree char *merged = cli_scratch_path("bpe");
  cli_succeeds(NULL, "prepare", "-o", merged, "--vocab-size", "50", "--segmentation", "bpe",
               "--heldout", "0", file, NULL);
  cli_refuses(1, "Segmentations can only be drawn with a unigram tokenizer", NULL, "prepare", "-o",
              none, "-t", merged, "--segmentations", "2", nowhere, NULL);
  g_assert_false(g_file_test(none, G_FILE_TEST_EXISTS));
}

static void
tear_down(void)
{
  g_free(model);
}

TESTS(.end = tear_down)
{
  model = cli_source_path("tests/data/frozen/en-de");
  g_test_add_func("/segmentations/shares", test_shares);
  g_test_add_func("/segmentations/prepare", test_prepare);
  g_test_add_func("/segmentations/sides", test_sides);
  g_test_add_func("/segmentations/weight", test_weight);
  g_test_add_func("/segmentations/limits", test_limits);
  g_test_add_func("/segmentations/other-tokenizer", test_other_tokenizer);
}
