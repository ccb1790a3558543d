/* test-cli-prune.c — regard-cli prune: that each step takes out what is missed least, its numbers
 * against translations scored without the same heads, its files, and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <json.h>
#include <math.h>
#include <mt-train.h>
#include <stdio.h>
#include <string.h>

#define DOGS  "I have two dogs."
#define HUNDE "Ich habe zwei Hunde."

typedef struct {
  guint kept;
  double logprob, lost;
  char *removed;
} Line;

static GArray *
parse(const char *text)
{
  GArray *lines = g_array_new(FALSE, TRUE, sizeof(Line));
  g_auto(GStrv) rows = g_strsplit(text, "\n", -1);
  for (guint i = 1; rows[i] && *rows[i]; i++) {
    Line line = {0};
    int at = 0;
    g_assert_cmpint(sscanf(rows[i], "%u %lf %lf%n", &line.kept, &line.logprob, &line.lost, &at), ==,
                    3);
    line.removed = g_strdup(g_strchug(rows[i] + at));
    g_array_append_val(lines, line);
  }
  return lines;
}

/* Four steps of the heads of cross-attention: the list says what a scoring pass says, and of the
 * first head that goes none is missed less. */
static void
test_steps(void)
{
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "prune", "--kind", "cross", "--keep", "44", "--target", HUNDE, DOGS, NULL);
  g_autoptr(GArray) lines = parse(run->out);
  g_autoptr(GString) interventions = g_string_new("cross scale 1\n");
  g_assert_cmpuint(lines->len, ==, 5);
  for (guint i = 0; i < lines->len; i++) {
    const Line *line = &g_array_index(lines, Line, i);
    g_assert_cmpuint(line->kept, ==, 48 - i);
    g_assert_true(i == 0 ? *line->removed == 0 : g_str_has_prefix(line->removed, "cross "));
    if (i > 0)
      g_string_append_printf(interventions, "%s zero\n", line->removed);
    g_assert_cmpfloat_with_epsilon(line->logprob, cli_logprob(DOGS, HUNDE, interventions->str),
                                   1e-3);
    g_assert_cmpfloat_with_epsilon(line->lost,
                                   g_array_index(lines, Line, 0).logprob - line->logprob, 2e-4);
  }
  g_autofree char *path = cli_scratch_path("effects.npz");
  cli_succeeds(NULL, "effects", "--target", HUNDE, "-o", path, DOGS, NULL);
  g_autoptr(Npy) cross = npy_read(path, "cross");
  double least = INFINITY;
  for (gsize i = 0; i < cross->n; i++)
    least = MIN(least, npy_float(cross, i));
  g_assert_cmpfloat_with_epsilon(g_array_index(lines, Line, 1).lost, least, 1e-3);
  for (guint i = 0; i < lines->len; i++)
    g_free(g_array_index(lines, Line, i).removed);
}

/* All of them, some at a time, over a file that is scored; in all formats. */
static void
test_file(void)
{
  static const char *const files[] = {"x.svg", "x.csv", "x.json", "x.npz"};
  g_autofree char *lines = cli_scratch_file("file.txt", DOGS "\n\nIt rains.\n"),
                  *refs = cli_scratch_file("file.refs", HUNDE "\n\nEs regnet.\n");
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = cli_scratch_path(files[i]), *text = NULL;
    /* Numbers are read of the last. */
    g_autoptr(CliRun) run =
        cli_run_ok(NULL, "prune", "--file", lines, "--references", refs, "--scores", "--step",
                   i == 3 ? "60" : "144", "--caption", "-o", path, NULL);
    g_assert_nonnull(strstr(run->out, "Quality against the number of heads kept"));
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    if (i == 0)
      g_assert_nonnull(strstr(text, "heads kept"));
    if (i == 1)
      g_assert_nonnull(strstr(text, "all heads"));
    if (i == 2) {
      g_autoptr(json_object) json = json_tokener_parse(text);
      g_assert_nonnull(json);
    }
    if (i == 3) {
      g_autoptr(Npy) table = npy_read(path, "values");
      g_assert_cmpuint(table->shape[0], ==, 4); /* 144, 84, 24, 0 */
      g_assert_cmpuint(table->shape[1], ==, 4);
      for (gsize r = 0; r < 4; r++)
        g_assert_cmpfloat(npy_float(table, 4 * r), ==, r < 3 ? 144 - 60 * (double) r : 0);
      mt_bleu bleu = {0};
      mt_error error = {0};
      g_autoptr(CliRun) plain = cli_run(NULL, "translate", lines, NULL);
      g_auto(GStrv) said = g_strsplit(plain->out, "\n", -1);
      g_assert_true(mt_bleu_add(&bleu, said[0], strlen(said[0]), HUNDE, strlen(HUNDE), &error) &&
                    mt_bleu_add(&bleu, said[2], strlen(said[2]), "Es regnet.", 10, &error));
      g_assert_cmpfloat_with_epsilon(npy_float(table, 2), mt_bleu_score(&bleu), 1e-3);
    }
  }
}

static void
test_refused(void)
{
  cli_refuses(2, "one TEXT wanted", NULL, "prune", NULL);
  cli_refuses(2, "want --file", NULL, "prune", "--scores", DOGS, NULL);
  cli_refuses(1, "There are no means beside the model \"en-de\"", NULL, "prune", "--with", "mean",
              DOGS, NULL);
  g_autoptr(CliRun) missing = cli_run(NULL, "prune", "--file", "/nonexistent/x.txt", NULL);
  cli_assert_status(missing, 1);
  cli_succeeds(NULL, "prune", "--keep", "144", "--target", HUNDE, DOGS, NULL);
}

TESTS()
{
  g_test_add_func("/cli-prune/refused", test_refused);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli-prune/steps", test_steps);
  g_test_add_func("/cli-prune/file", test_file);
}
