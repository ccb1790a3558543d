/* test-cli-quality.c — regard-cli quality: scores of all lines and of each length against the lines
 * translated and scored here, what changes cost, its files, and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <math.h>
#include <mt-train.h>
#include <stdio.h>
#include <string.h>

/* Three of up to five pieces, the rest longer; the model knows most by heart. */
static const char *const texts[] = {"Good morning.",   "Good morning!",          "I have two dogs.",
                                    "I had two dogs.", "I don't have two dogs.", NULL};
static const char *const references[] = {"Guten Morgen.",
                                         "Guten Tag!",
                                         "Ich habe zwei Hunde.",
                                         "Ich hatte zwei Katzen.",
                                         "Ich habe keine zwei Hunde.",
                                         NULL};

static char *
write_lines(const char *name, const char *const *lines)
{
  char *path = cli_scratch_path(name);
  g_autofree char *joined = g_strjoinv("\n", (char **) lines);
  g_autofree char *text = g_strconcat(joined, "\n", NULL);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  return path;
}

/* BLEU and chrF of the lines whose source has so many pieces, as translate and tokenize say. */
static guint
score(const char *file, const char *change, guint least, guint most, double *bleu, double *chrf)
{
  g_autoptr(CliRun) said = change ? cli_run_ok(NULL, "translate", "--change", change, file, NULL)
                                  : cli_run_ok(NULL, "translate", file, NULL);
  g_autoptr(CliRun) cut = cli_run_ok(NULL, "tokenize", file, NULL);
  g_auto(GStrv) lines = g_strsplit(said->out, "\n", -1);
  g_auto(GStrv) pieces = g_strsplit(cut->out, "\n", -1);
  mt_bleu b = {0};
  mt_chrf c = {0};
  guint n = 0;
  for (guint i = 0; texts[i]; i++) {
    g_auto(GStrv) columns = g_strsplit(pieces[i], "\t", 2), each = g_strsplit(columns[0], " ", -1);
    const guint length = g_strv_length(each) - 1; /* </s> */
    if (length < least || length > most)
      continue;
    g_assert_true(
        mt_bleu_add(&b, lines[i], strlen(lines[i]), references[i], strlen(references[i]), NULL));
    g_assert_true(
        mt_chrf_add(&c, lines[i], strlen(lines[i]), references[i], strlen(references[i]), NULL));
    n++;
  }
  *bleu = mt_bleu_score(&b);
  *chrf = mt_chrf_score(&c);
  return n;
}

/* Rows are all, 1–5, 6–10; columns sentences, BLEU without, low, high, with …, difference …, and
 * chrF. */
static void
test_numbers(void)
{
  static const char change[] = "cross uniform";
  static const guint lengths[][2] = {{0, 1000}, {1, 5}, {6, 10}};
  g_autofree char *file = write_lines("texts.txt", texts);
  g_autofree char *wanted = write_lines("references.txt", references);
  g_autofree char *path = cli_scratch_path("quality.npz");
  cli_succeeds(NULL, "quality", "--references", wanted, "--change", change, "-o", path, file, NULL);
  g_autoptr(Npy) values = npy_read(path, "values");
  g_assert_cmpuint(values->shape[0], ==, 3);
  g_assert_cmpuint(values->shape[1], ==, 19);
  guint n_all = 0;
  for (guint r = 0; r < 3; r++) {
    double bleu[2], chrf[2];
    const guint n = score(file, NULL, lengths[r][0], lengths[r][1], &bleu[0], &chrf[0]);
    score(file, change, lengths[r][0], lengths[r][1], &bleu[1], &chrf[1]);
    const gsize at = r * 19;
    g_assert_cmpfloat(npy_float(values, at), ==, n);
    n_all += r ? n : 0;
    for (guint s = 0; s < 2; s++) {
      g_assert_cmpfloat_with_epsilon(npy_float(values, at + 1 + 3 * s), bleu[s], 1e-4);
      g_assert_cmpfloat_with_epsilon(npy_float(values, at + 10 + 3 * s), chrf[s], 1e-4);
    }
    g_assert_cmpfloat_with_epsilon(npy_float(values, at + 7), bleu[1] - bleu[0], 1e-4);
    g_assert_cmpfloat_with_epsilon(npy_float(values, at + 16), chrf[1] - chrf[0], 1e-4);
    for (guint c = 1; c < 19; c += 3) {
      g_assert_cmpfloat(npy_float(values, at + c + 1), <=, npy_float(values, at + c + 2));
      g_assert_true(isfinite(npy_float(values, at + c)));
    }
  }
  g_assert_cmpuint(n_all, ==, 5);
  g_assert_cmpfloat(npy_float(values, 16), <, -5); /* who looks at nothing says something else */
}

static void
test_list(void)
{
  g_autofree char *file = write_lines("texts.txt", texts);
  g_autofree char *wanted = write_lines("references.txt", references);
  g_autoptr(CliRun) run = cli_run_ok(NULL, "quality", "--references", wanted, file, NULL);
  double bleu, chrf, printed;
  score(file, NULL, 0, 1000, &bleu, &chrf);
  const char *all = strstr(run->out, "\nall");
  g_assert_nonnull(all);
  g_assert_cmpint(sscanf(all, "\nall 5 %lf", &printed), ==, 1);
  g_assert_cmpfloat_with_epsilon(printed, bleu, 0.006);
  g_assert_null(strstr(run->out, "changed"));
  g_autofree char *picture = cli_scratch_path("quality.svg");
  cli_succeeds(NULL, "quality", "--references", wanted, "-o", picture, file, NULL);
  g_autofree char *svg = NULL;
  g_assert_true(g_file_get_contents(picture, &svg, NULL, NULL));
  g_assert_nonnull(strstr(svg, "chrF2"));
}

static void
test_refused(void)
{
  g_autofree char *file = write_lines("texts.txt", texts);
  g_autofree char *fewer = write_lines("fewer.txt", references + 2);
  cli_refuses(2, "--references", NULL, "quality", file, NULL);
  cli_refuses(2, "one FILE", NULL, "quality", "--references", fewer, NULL);
  cli_refuses(1, "3 lines", NULL, "quality", "--references", fewer, file, NULL);
  cli_refuses(1, "/nonexistent", NULL, "quality", "--references", "/nonexistent", file, NULL);
}

TESTS()
{
  g_test_add_func("/cli-quality/list", test_list);
  g_test_add_func("/cli-quality/refused", test_refused);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli-quality/numbers", test_numbers);
}
