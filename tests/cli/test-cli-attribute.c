/* test-cli-attribute.c — regard-cli attribute and trust: their numbers against other commands,
 * their lists, files and pictures, and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DOGS  "I have two dogs."
#define HUNDE "Ich habe zwei Hunde."

enum { SOURCE = 7, TARGET = 7, METHODS = 9 }; /* tokens of these */

static double
cell(const char *path, const char *name, gsize row, gsize col)
{
  g_autoptr(Npy) m = npy_read(path, name);
  g_assert_nonnull(m);
  return npy_float(m, row * m->shape[1] + col);
}

/* Weights of one head are those that attend writes. */
static void
test_weights(void)
{
  g_autofree char *path = cli_scratch_path("weights.npz"), *cross = cli_scratch_path("cross.npz");
  g_autofree char *decoder = cli_scratch_path("decoder.npz");
  cli_succeeds(NULL, "attribute", "--method", "weights", "--layer", "5", "--head", "3", "--target",
               HUNDE, "-o", path, DOGS, NULL);
  cli_succeeds(NULL, "attend", "--kind", "cross", "--layer", "5", "--head", "3", "--target", HUNDE,
               "-o", cross, DOGS, NULL);
  cli_succeeds(NULL, "attend", "--kind", "decoder", "--layer", "5", "--head", "3", "--target",
               HUNDE, "-o", decoder, DOGS, NULL);
  g_autoptr(Npy) all = npy_read(path, "values");
  g_assert_cmpuint(all->shape[0], ==, TARGET);
  g_assert_cmpuint(all->shape[1], ==, SOURCE + TARGET);
  for (gsize t = 0; t < TARGET; t++)
    for (gsize j = 0; j < SOURCE + TARGET; j++) {
      const double want =
          j < SOURCE ? cell(cross, "values", t, j) : cell(decoder, "values", t, j - SOURCE);
      g_assert_cmpfloat_with_epsilon(npy_float(all, t * all->shape[1] + j), want, 1e-5);
    }
}

/* What a word cannot know is no number, and what its row sums to is said. */
static void
test_later_words(void)
{
  g_autofree char *csv = cli_scratch_path("later.csv"), *svg = cli_scratch_path("later.svg");
  g_autofree char *table = NULL, *picture = NULL;
  cli_succeeds(NULL, "attribute", "--method", "weights", "--target", HUNDE, "-o", csv, DOGS, NULL);
  cli_succeeds(NULL, "attribute", "--method", "weights", "--target", HUNDE, "-o", svg, DOGS, NULL);
  g_assert_true(g_file_get_contents(csv, &table, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(table, "\r\n", -1);
  for (gsize t = 0; t < TARGET; t++) {
    g_auto(GStrv) fields = g_strsplit(lines[t + 1], ",", -1);
    g_assert_cmpuint(g_strv_length(fields), ==, 1 + SOURCE + TARGET);
    for (gsize j = 0; j < SOURCE + TARGET; j++)
      g_assert_true((*fields[1 + j] != '\0') == (j < SOURCE || j - SOURCE <= t));
  }
  g_assert_true(g_file_get_contents(svg, &picture, NULL, NULL));
  g_assert_nonnull(strstr(picture, "rows sum to 2: 1 over the source, 1 over the translation"));
}

/* log p of token t with these changes. */
static double
logprob(gsize t, const char *interventions)
{
  g_autofree char *path = cli_scratch_path("scored.npz"), *list = cli_scratch_path("changes.txt");
  g_assert_true(g_file_set_contents(list, interventions, -1, NULL));
  cli_succeeds(NULL, "capture", "--target", HUNDE, "--changes", list, "-o", path, DOGS, NULL);
  g_autoptr(Npy) p = npy_read(path, "logprobs");
  return npy_float(p, t);
}

/* A bench's curves are what capture says with the same tokens hidden; its rows are in what one
 * method writes. */
static void
test_bench(void)
{
  g_autofree char *path = cli_scratch_path("bench.npz"), *one = cli_scratch_path("one.npz");
  g_autofree char *picture = cli_scratch_path("bench.svg"), *json = cli_scratch_path("bench.json");
  cli_succeeds(NULL, "attribute", "--method", "all", "--token", "3", "--steps", "4", "--target",
               HUNDE, "-o", path, DOGS, NULL);
  cli_succeeds(NULL, "attribute", "--token", "3", "--target", HUNDE, "-o", one, DOGS, NULL);
  cli_succeeds(NULL, "attribute", "--method", "all", "--token", "3", "--steps", "4", "--target",
               HUNDE, "-o", picture, DOGS, NULL);
  cli_succeeds(NULL, "attribute", "--method", "all", "--token", "3", "--steps", "4", "--target",
               HUNDE, "-o", json, DOGS, NULL);
  g_autoptr(Npy) values = npy_read(path, "attributions");
  g_autoptr(Npy) deletion = npy_read(path, "deletion");
  g_autoptr(Npy) spearman = npy_read(path, "spearman");
  g_autoptr(Npy) row = npy_read(one, "values");
  g_assert_cmpuint(values->shape[0], ==, METHODS);
  g_assert_cmpuint(values->shape[1], ==, SOURCE + 3);
  g_assert_cmpuint(deletion->shape[1], ==, SOURCE + 1);
  g_assert_cmpuint(spearman->n, ==, METHODS * METHODS);
  for (gsize j = 0; j < SOURCE + 3; j++)
    g_assert_cmpfloat_with_epsilon(npy_float(values, 3 * (SOURCE + 3) + j), npy_float(row, j),
                                   1e-5);
  /* Of ALTI+: hide what it rates highest, and the next. */
  gsize best = 0, next = SOURCE;
  for (gsize j = 1; j < SOURCE; j++)
    if (npy_float(row, j) > npy_float(row, best))
      best = j;
  for (gsize j = 0; j < SOURCE; j++)
    if (j != best && (next == SOURCE || npy_float(row, j) > npy_float(row, next)))
      next = j;
  g_autofree char *first = g_strdup_printf("source %zu hide\n", best + 1);
  g_autofree char *both = g_strdup_printf("%ssource %zu hide\n", first, next + 1);
  const gsize at = 3 * (SOURCE + 1);
  g_assert_cmpfloat_with_epsilon(npy_float(deletion, at), logprob(2, ""), 1e-4);
  g_assert_cmpfloat_with_epsilon(npy_float(deletion, at + 1), logprob(2, first), 1e-4);
  g_assert_cmpfloat_with_epsilon(npy_float(deletion, at + 2), logprob(2, both), 1e-4);
  double area = 0;
  for (gsize k = 0; k < SOURCE; k++)
    area += npy_float(deletion, at) -
            (npy_float(deletion, at + k) + npy_float(deletion, at + k + 1)) / 2;
  g_assert_cmpfloat_with_epsilon(cell(path, "area", 3, 0), area / SOURCE, 1e-5);
  g_autofree char *drawn = NULL;
  g_assert_true(g_file_get_contents(picture, &drawn, NULL, NULL));
  g_assert_nonnull(strstr(drawn, "Value zeroing"));
  g_assert_nonnull(strstr(drawn, "Rank correlation"));
  g_autofree char *written = NULL;
  g_assert_true(g_file_get_contents(json, &written, NULL, NULL));
  json_object_put(cli_assert_json(written));
}

/* Every method has a list, and the picture of each is one. */
static void
test_methods(void)
{
  static const char *const names[] = {"weights",        "norms",
                                      "rollout",        "alti",
                                      "value-zeroing",  "occlusion",
                                      "gradient-input", "integrated-gradients",
                                      "chefer"};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(CliRun) run = cli_run(NULL, "attribute", "--method", names[i], "--steps", "3",
                                    "--target", "Ich habe", DOGS, NULL);
    cli_assert_status(run, 0);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(run->out), "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 2 + 3);
    g_assert_true(g_str_has_prefix(lines[2], "▁Ich "));
  }
  g_autofree char *png = cli_scratch_path("alti.png");
  g_autoptr(CliRun) run = cli_run(NULL, "attribute", "-o", png, DOGS, NULL);
  cli_assert_status(run, 0);
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(png, &bytes, &n, NULL));
  g_assert_cmpuint(n, >, 2000);
  g_assert_cmpmem(bytes, 4, "\x89PNG", 4);
}

static void
test_refused(void)
{
  static const struct {
    const char *options[5];
    const char *what;
    int status;
  } bad[] = {
      {{"--method", "all", DOGS}, "--token N is missing", 2},
      {{"--method", "nothing", DOGS}, "nothing", 2},
      {{"--layer", "2", DOGS}, "alti is of all layers", 2},
      {{"--method", "rollout", "--head", "1", DOGS}, "rollout is of all heads", 2},
      {{"--token", "99", DOGS}, "--token wants 1 to", 2},
      {{"--method", "weights", "--layer", "7", DOGS}, "no layer 7", 1},
      {{"--steps", "5000", DOGS}, "--steps", 2},
      {{DOGS, DOGS}, "one TEXT wanted", 2},
      {{"-o", "x.nothing", DOGS}, "x.nothing", 2},
  };
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    const char *const *o = bad[i].options;
    g_autoptr(CliRun) run = cli_run(NULL, "attribute", o[0], o[1], o[2], o[3], o[4], NULL);
    cli_assert_complains(run, bad[i].status, bad[i].what);
  }
  cli_refuses(1, "cross 1.1 previous", NULL, "attribute", "--change", "cross 1.1 previous", DOGS,
              NULL);
  cli_refuses(1, "--reference", NULL, "attribute", "--reference", "nonsense", DOGS, NULL);
}

static Npy *
attribute_with(const char *method, const char *change, const char *reference, const char *target)
{
  g_autofree char *path = cli_scratch_path("side.npz");
  const char *arguments[16] = {"attribute", "--method", method, "--steps", "8", "-o", path};
  guint n = 7;
  if (change)
    arguments[n++] = "--change", arguments[n++] = change;
  if (reference)
    arguments[n++] = "--reference", arguments[n++] = reference;
  if (target)
    arguments[n++] = "--target", arguments[n++] = target;
  arguments[n] = DOGS;
  const char *const *a = arguments; /* up to the first NULL */
  g_autoptr(CliRun) run = cli_run(NULL, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                                  a[10], a[11], a[12], a[13], NULL);
  g_assert_cmpint(run->status, ==, 0);
  return npy_read(path, "values");
}

/* B − A is B with the words of A, less A, by every method; of nothing changed it is 0. */
static void
test_difference(void)
{
  static const char *const methods[] = {"alti",           "value-zeroing",        "occlusion",
                                        "gradient-input", "integrated-gradients", "chefer"};
  const char *change = "cross 1.1 zero";
  for (guint i = 0; i < G_N_ELEMENTS(methods); i++) {
    g_autoptr(Npy) difference = attribute_with(methods[i], change, "none", HUNDE);
    g_autoptr(Npy) b = attribute_with(methods[i], change, NULL, HUNDE);
    g_autoptr(Npy) a = attribute_with(methods[i], NULL, NULL, HUNDE);
    g_autoptr(Npy) same = attribute_with(methods[i], change, change, HUNDE);
    double largest = 0;
    g_assert_cmpuint(difference->n, ==, b->n);
    for (gsize k = 0; k < b->n; k++) {
      if (isnan(npy_float(b, k)))
        continue;
      g_assert_cmpfloat_with_epsilon(npy_float(difference, k), npy_float(b, k) - npy_float(a, k),
                                     1e-6);
      g_assert_cmpfloat(npy_float(same, k), ==, 0);
      largest = MAX(largest, fabs(npy_float(difference, k)));
    }
    g_assert_cmpfloat(largest, >, 1e-4);
  }
  /* Which words: those of A, and it is said. */
  g_autofree char *picture = cli_scratch_path("difference.svg"),
                  *json = cli_scratch_path("difference.json"), *drawn = NULL, *written = NULL;
  cli_succeeds(NULL, "attribute", "--change", change, "--reference", "none", "-o", picture, DOGS,
               NULL);
  cli_succeeds(NULL, "attribute", "--change", change, "--reference", "none", "-o", json, DOGS,
               NULL);
  g_assert_true(g_file_get_contents(picture, &drawn, NULL, NULL));
  g_assert_nonnull(strstr(drawn, "B − A, A: without changes"));
  g_assert_true(g_file_get_contents(json, &written, NULL, NULL));
  g_assert_nonnull(strstr(written, "difference"));
  json_object_put(cli_assert_json(written));
}

static void
write_bench(const char *path, const char *change, const char *reference)
{
  g_autoptr(CliRun) run =
      reference ? cli_run(NULL, "attribute", "--method", "all", "--token", "3", "--steps", "4",
                          "--change", change, "--reference", reference, "--target", HUNDE, "-o",
                          path, DOGS, NULL)
                : cli_run(NULL, "attribute", "--method", "all", "--token", "3", "--steps", "4",
                          "--change", change, "--target", HUNDE, "-o", path, DOGS, NULL);
  cli_assert_status(run, 0);
}

/* Numbers, curves and areas of all methods are those of B less those of A; two methods that changed
 * alike correlate. */
static void
test_difference_of_all(void)
{
  static const char *const names[] = {"attributions", "deletion", "area"};
  static const char b_changes[] = "cross 1.1 zero", a_changes[] = "cross 6.8 zero";
  g_autofree char *difference = cli_scratch_path("b-less-a.npz"), *b = cli_scratch_path("b.npz"),
                  *a = cli_scratch_path("a.npz"), *svg = cli_scratch_path("b-less-a.svg"),
                  *json = cli_scratch_path("b-less-a.json"), *drawn = NULL, *written = NULL;
  write_bench(difference, b_changes, a_changes);
  write_bench(b, b_changes, NULL);
  write_bench(a, a_changes, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(Npy) found = npy_read(difference, names[i]);
    g_autoptr(Npy) of_b = npy_read(b, names[i]);
    g_autoptr(Npy) of_a = npy_read(a, names[i]);
    double largest = 0;
    g_assert_cmpuint(found->n, ==, of_b->n);
    for (gsize k = 0; k < found->n; k++) {
      g_assert_cmpfloat_with_epsilon(npy_float(found, k), npy_float(of_b, k) - npy_float(of_a, k),
                                     1e-5);
      largest = MAX(largest, fabs(npy_float(found, k)));
    }
    g_assert_cmpfloat(largest, >, 1e-3);
  }
  g_autoptr(Npy) spearman = npy_read(difference, "spearman");
  g_autoptr(Npy) of_b = npy_read(b, "spearman");
  guint n_other = 0;
  for (gsize m = 0; m < METHODS; m++) {
    g_assert_cmpfloat_with_epsilon(npy_float(spearman, m * METHODS + m), 1, 1e-6);
    for (gsize k = 0; k < m; k++)
      n_other +=
          fabs(npy_float(spearman, m * METHODS + k) - npy_float(of_b, m * METHODS + k)) > 0.1;
  }
  g_assert_cmpuint(n_other, >, METHODS);
  write_bench(svg, b_changes, "none");
  write_bench(json, b_changes, "none");
  g_assert_true(g_file_get_contents(svg, &drawn, NULL, NULL));
  g_assert_nonnull(strstr(drawn, "B − A, A: without changes"));
  g_assert_nonnull(strstr(drawn, "Rank correlation of the differences (Spearman)"));
  g_assert_true(g_file_get_contents(json, &written, NULL, NULL));
  g_assert_nonnull(strstr(written, "curves and areas are those of B minus those of A."));
  json_object_put(cli_assert_json(written));
  g_autoptr(CliRun) list =
      cli_run_ok(NULL, "attribute", "--method", "all", "--token", "3", "--steps", "4", "--change",
                 b_changes, "--reference", "none", DOGS, NULL);
  g_assert_nonnull(strstr(list->out, "\nB − A, A: without changes\n"));
  g_assert_nonnull(strstr(list->out, "that of B less that of A"));
}

/* ---- trust ------------------------------------------------------------------------------------
 */

static double
number(json_object *list, gsize i, const char *key)
{
  return json_object_get_double(json_object_object_get(json_object_array_get_idx(list, i), key));
}

/* Shares and uses are rows and columns of ALTI+. */
static void
test_trust(void)
{
  g_autofree char *path = cli_scratch_path("alti.npz");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "trust", "--json", "--target", HUNDE, DOGS, NULL);
  cli_succeeds(NULL, "attribute", "--target", HUNDE, "-o", path, DOGS, NULL);
  g_autoptr(json_object) said = cli_assert_json(run->out);
  json_object *target = json_object_object_get(said, "target");
  json_object *source = json_object_object_get(said, "source");
  g_autoptr(Npy) all = npy_read(path, "values");
  g_assert_cmpuint(json_object_array_length(target), ==, TARGET);
  g_assert_cmpuint(json_object_array_length(source), ==, SOURCE);
  for (gsize t = 0; t < TARGET; t++) {
    double sum = 0;
    for (gsize j = 0; j < SOURCE; j++)
      sum += npy_float(all, t * all->shape[1] + j);
    g_assert_cmpfloat_with_epsilon(number(target, t, "share"), sum, 1e-5);
  }
  for (gsize j = 0; j < SOURCE; j++) {
    double sum = 0;
    for (gsize t = 0; t < TARGET; t++)
      sum += npy_float(all, t * all->shape[1] + j);
    g_assert_cmpfloat_with_epsilon(number(source, j, "use"), sum, 1e-5);
  }
  g_assert_null(json_object_object_get(said, "thresholds"));
  g_autoptr(CliRun) text = cli_run_ok(NULL, "trust", "--target", HUNDE, DOGS, NULL);
  g_assert_nonnull(strstr(text->out, "nothing is marked"));
}

/* What a text's sentences are like is not marked; a translation that stops early leaves out. */
static void
test_calibrate(void)
{
  g_autofree char *lines = cli_scratch_path("lines.txt"), *file = cli_scratch_path("trust.json");
  g_assert_true(g_file_set_contents(
      lines, "I have two dogs.\n\nThe house is old.\nI have a cat.\nWe drink coffee.\n", -1, NULL));
  g_autoptr(CliRun) made =
      cli_run_ok(NULL, "trust", "--calibrate", lines, "--quantile", "0.001", "-o", file, NULL);
  g_assert_cmpstr(made->out, ==, "");
  g_autoptr(CliRun) printed =
      cli_run(NULL, "trust", "--calibrate", lines, "--quantile", "0.001", NULL);
  g_autofree char *written = NULL;
  g_assert_true(g_file_get_contents(file, &written, NULL, NULL));
  g_assert_cmpstr(printed->out, ==, written);
  g_autoptr(json_object) thresholds = cli_assert_json(written);
  g_assert_cmpint(json_object_get_int(json_object_object_get(thresholds, "sentences")), ==, 4);

  g_autoptr(CliRun) good = cli_run_ok(NULL, "trust", "--thresholds", file, DOGS, NULL);
  g_assert_null(strstr(good->out, "left out"));
  g_assert_null(strstr(good->out, "hardly"));
  g_autoptr(CliRun) half = cli_run_ok(NULL, "trust", "--thresholds", file, "--target", "Ich habe",
                                      "I have two dogs and a cat.", NULL);
  g_assert_nonnull(strstr(half->out, "▁cat   left out"));
  g_assert_null(strstr(half->out, "</s>   left out"));

  /* Another model's are refused, and so are those that do not say whose they are. */
  g_autofree char *bundled = cli_source_path("models/en-de");
  cli_refuses(1, "trust.json: these thresholds are of another model", NULL, "trust", "--thresholds",
              file, "-m", bundled, DOGS, NULL);
  g_assert_true(g_file_set_contents(
      file, "{\"share\": 0.5, \"use\": 0.5, \"quantile\": 0.01, \"sentences\": 9}", -1, NULL));
  cli_refuses(1, "expected the \"model\"", NULL, "trust", "--thresholds", file, DOGS, NULL);
}

static void
test_trust_refused(void)
{
  g_autofree char *bad = cli_scratch_file("bad.json", "{\"share\": 3}"),
                  *empty = cli_scratch_file("empty.txt", "\n");
  cli_refuses(1, "bad.json", NULL, "trust", "--thresholds", bad, DOGS, NULL);
  cli_refuses(1, "nowhere.json", NULL, "trust", "--thresholds", "/nowhere.json", DOGS, NULL);
  cli_refuses(1, "No sentence", NULL, "trust", "--calibrate", empty, NULL);
  cli_refuses(2, "--calibrate", NULL, "trust", "--calibrate", empty, DOGS, NULL);
  cli_refuses(2, "--calibrate", NULL, "trust", "-o", "x.json", DOGS, NULL);
  cli_refuses(2, "one TEXT wanted", NULL, "trust", NULL);
}

TESTS()
{
  g_test_add_func("/cli/attribute/weights", test_weights);
  g_test_add_func("/cli/attribute/refused", test_refused);
  g_test_add_func("/cli/trust/refused", test_trust_refused);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli/attribute/later-words", test_later_words);
  g_test_add_func("/cli/attribute/bench", test_bench);
  g_test_add_func("/cli/attribute/difference", test_difference);
  g_test_add_func("/cli/attribute/difference-of-all", test_difference_of_all);
  g_test_add_func("/cli/attribute/methods", test_methods);
  g_test_add_func("/cli/trust/numbers", test_trust);
  g_test_add_func("/cli/trust/calibrate", test_calibrate);
}
