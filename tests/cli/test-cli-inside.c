/* test-cli-inside.c — regard-cli inside: its numbers, computed again by somebody else; its
 * pictures; and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <string.h>

#define DOGS "I have two dogs, and no time."

/* numpy's opinion of an archive: the script's output, and whether all of it was right. */
static gboolean
recompute(const char *path, char **output)
{
  g_autofree char *script =
      g_build_filename(g_getenv("REGARD_SOURCE"), "tests/cli/recompute.py", NULL);
  char *argv[] = {(char *) "/usr/bin/python3", script, (char *) path, NULL};
  g_autoptr(GError) error = NULL;
  int status;
  g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, output, NULL, &status, &error);
  g_assert_no_error(error);
  return g_spawn_check_wait_status(status, NULL);
}

/* The document's script knows only equation 1. */
static void
test_recompute(void)
{
  static const char *const places[][4] = {
      {"encoder", "1", "1", "1"}, {"encoder", "6", "8", "3"}, {"decoder", "2", "3", "4"},
      {"decoder", "1", "1", "1"}, {"cross", "5", "2", "2"},
  };
  static const char *const made_up[] = {"1", "7", "64", "1000", "1024"};
  for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
    g_autofree char *path = cli_scratch_path("inside.npz"), *output = NULL;
    cli_succeeds(NULL, "inside", "-o", path, "--kind", places[i][0], "--layer", places[i][1],
                 "--head", places[i][2], "--query", places[i][3], "--divisor", "2.5", "--made-up",
                 made_up[i], DOGS, NULL);
    if (!recompute(path, &output))
      g_error("%s", output);
    g_autofree char *numbers = g_strdup_printf("ok made-up numbers, d_k = %s, by 1 ", made_up[i]);
    g_assert_nonnull(strstr(output, numbers));
    g_assert_nonnull(strstr(output, "ok pairs of parts"));
    g_assert_null(strstr(output, "WRONG"));
  }
}

/* Where a change made other scores, the script has to find that. */
static void
test_changed(void)
{
  g_autofree char *path = cli_scratch_path("changed.npz"), *output = NULL;
  cli_succeeds(NULL, "inside", "-o", path, "--layer", "3", "--change", "cross 3.1 uniform", DOGS,
               NULL);
  g_assert_false(recompute(path, &output));
  g_assert_nonnull(strstr(output, "WRONG q k / sqrt(d_k) + mask"));
}

/* The same numbers from run to run where they are random; others than with the identity. */
static void
test_maps(void)
{
  g_autofree char *a = cli_scratch_path("a.npz"), *b = cli_scratch_path("b.npz");
  g_autofree char *c = cli_scratch_path("c.npz");
  g_autoptr(CliRun) first = cli_run(NULL, "inside", "--maps", "random", "-o", a, DOGS, NULL);
  g_autoptr(CliRun) again = cli_run(NULL, "inside", "--maps", "random", "-o", b, DOGS, NULL);
  g_autoptr(CliRun) other = cli_run(NULL, "inside", "-o", c, DOGS, NULL);
  g_autoptr(Npy) x = npy_read(a, "similarity_scores"), y = npy_read(b, "similarity_scores");
  g_autoptr(Npy) z = npy_read(c, "similarity_scores");
  g_assert_cmpmem(x->data, x->length, y->data, y->length);
  g_assert_cmpuint(x->shape[0], ==, 6);
  const gsize n = x->shape[1];
  for (gsize j = 0; j < n; j++) {
    g_assert_cmpfloat(npy_float(x, j), ==, npy_float(z, j));                 /* dot */
    g_assert_cmpfloat(npy_float(x, 5 * n + j), ==, npy_float(z, 5 * n + j)); /* cosine */
    g_assert_cmpfloat(npy_float(x, 2 * n + j), !=, npy_float(z, 2 * n + j)); /* general */
  }
}

/* Every part, every format. */
static void
test_pictures(void)
{
  static const char *const parts[] = {"all", "row", "similarity", "root", "cell", "heads"};
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
    g_autofree char *path = cli_scratch_path("part.svg"), *svg = NULL;
    g_autoptr(CliRun) run = cli_run(NULL, "inside", "--show", parts[i], "--caption", "-o", path,
                                    "--weights", "--width", "320", DOGS, NULL);
    cli_assert_status(run, 0);
    g_assert_nonnull(strstr(run->out, "Cross-attention · layer 5 · head 1, query"));
    g_assert_true(g_file_get_contents(path, &svg, NULL, NULL));
    g_assert_cmpint(strstr(svg, "Why √d_k") != NULL, ==, i == 0 || i == 3);
    g_assert_cmpint(strstr(svg, "Similarity: the same") != NULL, ==, i == 0 || i == 2);
    g_assert_cmpint(strstr(svg, "Why this cell") != NULL, ==, i == 0 || i == 4);
    g_assert_cmpint(strstr(svg, "Many heads") != NULL, ==, i == 0 || i == 5);
    g_assert_cmpint(strstr(svg, "weight · v") != NULL, ==, i <= 1);
  }
  static const char *const files[] = {"x.png", "x.pdf", "x.csv", "x.json"};
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = cli_scratch_path(files[i]);
    g_autoptr(CliRun) run =
        cli_run(NULL, "inside", "--all-rows", "--step", "5", "--dark", "-o", path, DOGS, NULL);
    cli_assert_status(run, 0);
    g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
  }
  g_autofree char *path = cli_scratch_path("x.csv"), *csv = NULL;
  g_assert_true(g_file_get_contents(path, &csv, NULL, NULL));
  g_assert_true(g_str_has_prefix(csv, "matrix,row_index,row,column_index,column,value\r\n"));
  g_assert_nonnull(strstr(csv, "\r\nhead_contexts,"));
}

static void
test_refused(void)
{
  static const char *const wrong[][3] = {
      {"--layer", "7", "1 to 6"}, {"--head", "9", "1 to 8"},       {"--query", "400", "1 to"},
      {"--key", "400", "1 to"},   {"--show", "why", "similarity"}, {"--step", "9", "8"},
  };
  g_autofree char *path = cli_scratch_path("refused.svg");
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    cli_refuses(2, wrong[i][2], NULL, "inside", wrong[i][0], wrong[i][1], "-o", path, DOGS, NULL);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  }
  cli_refuses(2, "one TEXT wanted", NULL, "inside", "-o", path, NULL);
}

/* Where a text stands in an SVG, counted, upright or turned; what: the text, or how it begins. */
static guint
count_texts(const char *svg, gboolean is_turned, const char *what)
{
  g_autofree char *escaped = g_regex_escape_string(what, -1);
  g_autofree char *pattern =
      g_strdup_printf("<text [^>]*%s[^>]*>%s", is_turned ? "rotate\\(-90" : "font-size", escaped);
  g_autoptr(GRegex) regex = g_regex_new(pattern, 0, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  guint n = 0;
  for (g_regex_match(regex, svg, 0, &match); g_match_info_matches(match);
       g_match_info_next(match, NULL))
    n++;
  return n;
}

/* Matrices of all queries have their keys above them; and pairs of a cell can be told apart where
 * there is room for half of each only. */
static void
test_labels(void)
{
  static const char *const keys[] = {"▁I<", "▁have<", "▁two<", "▁dog<", "▁time<", "⏎<"};
  g_autofree char *rows = cli_scratch_path("rows.svg"), *cell = cli_scratch_path("cell.svg");
  cli_succeeds(NULL, "inside", "--show", "row", "--all-rows", "-o", rows, DOGS, NULL);
  g_autofree char *matrices = cli_contents(rows, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    g_assert_cmpuint(count_texts(matrices, TRUE, keys[i]), ==, 3); /* Q Kᵀ, scaled, softmax */

  cli_succeeds(NULL, "inside", "--show", "cell", "--width", "50", "-o", cell, DOGS, NULL);
  g_autofree char *pairs = cli_contents(cell, NULL);
  g_assert_cmpuint(count_texts(pairs, FALSE, "× "), ==, 8);
  g_assert_cmpuint(count_texts(pairs, FALSE, "× token ▁time<"), >=, 4);
}

TESTS()
{
  g_test_add_func("/cli-inside/changed", test_changed);
  g_test_add_func("/cli-inside/labels", test_labels);
  g_test_add_func("/cli-inside/refused", test_refused);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli-inside/recompute", test_recompute);
  g_test_add_func("/cli-inside/maps", test_maps);
  g_test_add_func("/cli-inside/pictures", test_pictures);
}
