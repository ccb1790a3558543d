/* test-cli-compare.c — regard-cli compare, and attend with a reference: another model, another
 * precision, other changes; its numbers against the weights of captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <json.h>
#include <math.h>
#include <string.h>

#define DOGS  "I have two dogs."
#define HUNDE "Ich habe zwei Hunde."

enum { HEADS = 8 };

/* x log2 (x / mean) */
static double
part(double x, double mean)
{
  return x > 0 ? x * log2(x / mean) : 0;
}

/* Jensen-Shannon of rows, a mean over rows, of head `at` of an array [layers][heads][rows][cols].
 */
static double
divergence(const Npy *a, const Npy *b, gsize at)
{
  const gsize rows = a->shape[2], cols = a->shape[3];
  double sum = 0;
  for (gsize i = at * rows * cols; i < (at + 1) * rows * cols; i++) {
    const double x = npy_float(a, i), y = npy_float(b, i), mean = (x + y) / 2;
    sum += (part(x, mean) + part(y, mean)) / 2;
  }
  return sum / (double) rows;
}

static double
bits_of(json_object *object, const char *name)
{
  json_object *head;
  json_object *heads = cli_json_member(object, "heads");
  for (gsize i = 0; i < json_object_array_length(heads); i++) {
    head = json_object_array_get_idx(heads, i);
    if (strcmp(cli_json_string(head, "head"), name) == 0) {
      return cli_json_number(head, "bits");
    }
  }
  g_assert_not_reached();
}

static void
test_numbers(void)
{
  g_autofree char *a = cli_scratch_path("a.npz"), *b = cli_scratch_path("b.npz");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "compare", "--json", "--change", "encoder 2 uniform",
                                     "--target", HUNDE, DOGS, NULL);
  cli_succeeds(NULL, "capture", "--target", HUNDE, "-o", a, DOGS, NULL);
  cli_succeeds(NULL, "capture", "--target", HUNDE, "--change", "encoder 2 uniform", "-o", b, DOGS,
               NULL);
  g_autoptr(json_object) object = json_tokener_parse(run->out);
  g_assert_nonnull(object);
  g_autoptr(Npy) x = npy_read(a, "encoder_attentions"), y = npy_read(b, "encoder_attentions");
  g_assert_cmpfloat(bits_of(object, "encoder 1.1"), ==, 0);
  g_assert_cmpfloat(bits_of(object, "encoder 2.3"), >, 1e-3);
  g_assert_cmpfloat_with_epsilon(bits_of(object, "encoder 2.3"), divergence(x, y, HEADS + 2), 1e-5);
  g_assert_cmpfloat_with_epsilon(bits_of(object, "encoder 5.1"), divergence(x, y, 4 * HEADS), 1e-5);
  g_autoptr(Npy) p = npy_read(b, "logprobs");
  double sum = 0;
  for (gsize i = 0; i < p->n; i++)
    sum += npy_float(p, i);
  g_assert_cmpfloat_with_epsilon(cli_json_number(object, "logprob_b"), sum, 1e-4);
}

/* The same change on both sides, the same precision, the same model: nothing moves. Others do. */
static void
test_references(void)
{
  g_autofree char *path = cli_scratch_path("x.svg"), *text = NULL;
  const char *frozen = g_getenv("REGARD_MODEL_DIR");
  g_autoptr(CliRun) same = cli_run_ok(NULL, "compare", "--top", "1", "--change", "cross 4.1 zero",
                                      "--reference", "cross 4.1 zero", DOGS, NULL);
  g_assert_nonnull(strstr(same->out, "\n 0.0000  encoder 1.1\n"));
  g_autoptr(CliRun) model =
      cli_run_ok(NULL, "compare", "--top", "1", "--reference-model", frozen, DOGS, NULL);
  g_assert_nonnull(strstr(model->out, "\n 0.0000  encoder 1.1\n"));
  g_autoptr(CliRun) rounded =
      cli_run_ok(NULL, "compare", "--top", "1", "--reference-precision", "int8", DOGS, NULL);
  g_assert_null(strstr(rounded->out, "\n 0.0000  "));
  cli_succeeds(NULL, "attend", "--reference-precision", "int8", "--kind", "decoder", "--head",
               "all", "-o", path, DOGS, NULL);
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
}

/* Two checkpoints of one training. */
static void
test_checkpoints(void)
{
  const char *source = g_getenv("REGARD_SOURCE");
  g_autofree char *checkpoints = g_build_filename(source, "models/learning/checkpoints", NULL);
  g_autoptr(GDir) dir = g_dir_open(checkpoints, 0, NULL);
  g_autofree char *first = NULL, *last = NULL;
  const char *name;
  while ((name = g_dir_read_name(dir))) {
    if (!g_str_has_prefix(name, "step-"))
      continue;
    if (!first || strcmp(name, first) < 0) {
      g_free(first);
      first = g_strdup(name);
    }
    if (!last || strcmp(name, last) > 0) {
      g_free(last);
      last = g_strdup(name);
    }
  }
  g_autofree char *a = g_build_filename(checkpoints, first, NULL);
  g_autofree char *b = g_build_filename(checkpoints, last, NULL);
  g_autoptr(CliRun) run = cli_run_ok(NULL, "compare", "--model", b, "--reference-model", a,
                                     "--target", "b a", "--top", "3", "a b", NULL);
  g_assert_true(g_str_has_prefix(run->out, "A  b a\nB  "));
  g_assert_null(strstr(run->out, "\n 0.0000  "));
}

#define BIG "I have two big dogs."

/* NaN where only one side has the row or the column: label_of "▁dog→" or "▁→dog". */
static gboolean
is_one_sided(const Npy *labels, gsize i)
{
  g_autofree char *label = npy_string(labels, i);
  return strstr(label, "→") != NULL;
}

/* Another sentence with A's words: NPZ, CSV, JSON and caption say what only B has, and the rest are
 * the weights of captures. */
static void
test_other_text(void)
{
  g_autofree char *path = cli_scratch_path("d.npz"), *json = cli_scratch_path("d.json");
  g_autofree char *csv = cli_scratch_path("d.csv"), *a = cli_scratch_path("a.npz");
  g_autofree char *text = NULL, *table = NULL;
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "attend", "--reference-text", DOGS, "--target", HUNDE, "--layer", "2",
                 "--head", "3", "--caption", "-o", path, BIG, NULL);
  g_assert_nonnull(strstr(run->out, "Tokens are aligned: what only A has"));
  g_assert_nonnull(strstr(run->out, "both for the words of the reference"));
  cli_succeeds(NULL, "capture", "--target", HUNDE, "-o", a, DOGS, NULL);
  g_autoptr(Npy) values = npy_read(path, "values"), cols = npy_read(path, "column_labels");
  g_autoptr(Npy) x = npy_read(a, "cross_attentions");
  const gsize n_rows = values->shape[0], n_cols = values->shape[1];
  g_assert_cmpuint(n_rows, ==, x->shape[2]);
  g_assert_cmpuint(n_cols, ==, x->shape[3] + 1);
  guint n_hidden = 0;
  for (gsize c = 0; c < n_cols; c++) {
    const gboolean is_hidden = is_one_sided(cols, c);
    n_hidden += is_hidden;
    for (gsize r = 0; r < n_rows; r++)
      g_assert_true((isnan(npy_float(values, r * n_cols + c)) != 0) == is_hidden);
  }
  g_assert_cmpuint(n_hidden, ==, 1);
  cli_succeeds(NULL, "attend", "--reference-text", DOGS, "--target", HUNDE, "-o", json, BIG, NULL);
  cli_succeeds(NULL, "attend", "--reference-text", DOGS, "--target", HUNDE, "-o", csv, BIG, NULL);
  g_assert_true(g_file_get_contents(json, &text, NULL, NULL));
  g_assert_true(g_file_get_contents(csv, &table, NULL, NULL));
  g_assert_nonnull(strstr(text, "\"unmatched_source\":[\"3:▁→big\"]"));
  g_assert_nonnull(strstr(text, ",null,"));
  g_assert_null(strstr(text, "NaN"));
  g_assert_nonnull(strstr(table, "3:▁→big"));
  g_assert_nonnull(strstr(table, ",,"));
  g_assert_null(strstr(table, "nan"));
}

/* Each its own translation: of the same text without changes nothing is other; with one that makes
 * other words it says which; sentences of as many pieces are still compared place by place with the
 * words of A, and not with their own. */
static void
test_each_own(void)
{
  g_autofree char *path = cli_scratch_path("e.json"), *text = NULL, *own = NULL, *place = NULL;
  g_autofree char *picture = cli_scratch_path("e.svg");
  g_autoptr(CliRun) same = cli_run_ok(NULL, "attend", "--reference", "none", "--each-own",
                                      "--caption", "-o", path, DOGS, NULL);
  g_assert_null(strstr(same->out, "aligned"));
  g_assert_nonnull(strstr(same->out, "both for the words of the reference"));
  g_autoptr(CliRun) two = cli_run_ok(NULL, "attend", "--reference-text", DOGS, "--each-own",
                                     "--caption", "-o", path, "I have three cats.", NULL);
  g_assert_nonnull(strstr(two->out, "each for its own translation"));
  g_assert_nonnull(strstr(two->out, "Tokens aligned."));
  g_assert_true(g_file_get_contents(path, &own, NULL, NULL));
  g_assert_nonnull(strstr(own, "\"unmatched_output\":[\""));
  g_assert_nonnull(strstr(own, "[\"2:▁two→\",\"3:▁dog→\",\"4:▁→three\",\"5:▁→cat\"]"));
  g_assert_nonnull(strstr(own, "\"reference_translation\":\""));
  cli_succeeds(NULL, "attend", "--reference-text", DOGS, "-o", path, "I have two cats.", NULL);
  g_assert_true(g_file_get_contents(path, &place, NULL, NULL));
  g_assert_nonnull(strstr(place, "▁dog→cat"));
  g_assert_null(strstr(place, "unmatched"));
  for (guint i = 0; i < 3; i++) {
    static const char *const kinds[] = {"encoder", "cross", "decoder"};
    cli_succeeds(NULL, "attend", "--reference-text", DOGS, "--each-own", "--words", "--kind",
                 kinds[i], "--head", i ? "all" : "max", "-o", picture, BIG, NULL);
    g_clear_pointer(&text, g_free);
    g_assert_true(g_file_get_contents(picture, &text, NULL, NULL));
    g_assert_null(strstr(text, "nan"));
  }
}

/* Two files. */
static void
test_captures(void)
{
  g_autofree char *a = cli_scratch_path("1.npz"), *b = cli_scratch_path("2.npz");
  g_autofree char *out = cli_scratch_path("3.csv"), *table = NULL;
  cli_succeeds(NULL, "capture", "-o", a, DOGS, NULL);
  cli_succeeds(NULL, "capture", "-o", b, BIG, NULL);
  cli_refuses(1, "--reference: The sources have", NULL, "attend", "--capture", b, "--reference", a,
              "-o", out, NULL);
  cli_succeeds(NULL, "attend", "--capture", b, "--reference", a, "--each-own", "-o", out, NULL);
  g_assert_true(g_file_get_contents(out, &table, NULL, NULL));
  g_assert_nonnull(strstr(table, "3:▁→big"));
}

static void
test_other_refused(void)
{
  g_autofree char *path = cli_scratch_path("r.csv");
  cli_refuses(2, "--each-own wants a reference", NULL, "attend", "--each-own", "-o", path, DOGS,
              NULL);
  cli_refuses(2, "--each-own wants no --target", NULL, "attend", "--each-own", "--reference",
              "none", "--target", HUNDE, "-o", path, DOGS, NULL);
  cli_refuses(1, "--reference-text: The sources have no token in common", NULL, "attend",
              "--reference-text", "You see a cat", "-o", path, DOGS, NULL);
  cli_refuses(2, "--reference-text wants TEXT", NULL, "attend", "--reference-text", "", "-o", path,
              DOGS, NULL);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

static void
test_refused(void)
{
  cli_refuses(2, "A and B are the same", NULL, "compare", DOGS, NULL);
  cli_refuses(2, "layer 9", NULL, "compare", "--reference", "cross 9.1 zero", DOGS, NULL);
  g_autoptr(CliRun) missing =
      cli_run(NULL, "compare", "--reference-model", "/nonexistent", DOGS, NULL);
  cli_assert_status(missing, 1);
  g_autofree char *other =
      g_build_filename(g_getenv("REGARD_SOURCE"), "tests/data/checkpoints/odd-sizes-swish", NULL);
  g_autoptr(CliRun) shape = cli_run(NULL, "compare", "--reference-model", other, "the cat .", NULL);
  cli_assert_status(shape, 1);
}

TESTS()
{
  g_test_add_func("/cli-compare/references", test_references);
  g_test_add_func("/cli-compare/refused", test_refused);
  g_test_add_func("/cli-compare/other-refused", test_other_refused);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli-compare/numbers", test_numbers);
  g_test_add_func("/cli-compare/checkpoints", test_checkpoints);
  g_test_add_func("/cli-compare/other-text", test_other_text);
  g_test_add_func("/cli-compare/each-own", test_each_own);
  g_test_add_func("/cli-compare/captures", test_captures);
}
