/* test-cli-effects.c — regard-cli effects: its numbers against translations scored with the same
 * changes, its list, its pictures, and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <gio/gio.h>
#include <json.h>
#include <math.h>
#include <mt-train.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define DOGS  "I have two dogs."
#define HUNDE "Ich habe zwei Hunde."

enum { LAYERS = 6, HEADS = 8 }; /* of the frozen model */

static double
value(const char *path, const char *name, gsize i)
{
  g_autoptr(Npy) m = npy_read(path, name);
  g_assert_nonnull(m);
  return npy_float(m, i);
}

static void
test_numbers(void)
{
  static const struct {
    const char *change, *base, *name;
    gsize layer, head;
  } heads[] = {{"cross 6.3", "cross", "cross_tokens", 5, 2},
               {"encoder 1.8", "encoder", "encoder_tokens", 0, 7},
               {"decoder 4.1", "decoder", "decoder_tokens", 3, 0}};
  static const char *const with[] = {"zero", "uniform"};
  for (guint w = 0; w < G_N_ELEMENTS(with); w++) {
    g_autofree char *path = cli_scratch_path("effects.npz");
    cli_succeeds(NULL, "effects", "--with", with[w], "--target", HUNDE, "-o", path, DOGS, NULL);
    const double whole = cli_logprob(DOGS, HUNDE, "cross scale 1");
    for (guint i = 0; i < G_N_ELEMENTS(heads); i++) {
      g_autofree char *change = g_strdup_printf("%s %s", heads[i].change, with[w]);
      const gsize at = heads[i].layer * HEADS + heads[i].head;
      const double effect = value(path, heads[i].base, at);
      g_assert_cmpfloat_with_epsilon(effect, whole - cli_logprob(DOGS, HUNDE, change), 1e-3);
      g_autoptr(Npy) tokens = npy_read(path, heads[i].name);
      g_assert_cmpuint(tokens->shape[0], ==, LAYERS * HEADS);
      double sum = 0;
      for (gsize t = 0; t < tokens->shape[1]; t++)
        sum += npy_float(tokens, at * tokens->shape[1] + t);
      g_assert_cmpfloat_with_epsilon(sum, effect, 1e-5);
    }
    g_assert_null(npy_read(path, "cross_contrast"));
  }
}

/* The list is sorted, and says what the file says. */
static void
test_list(void)
{
  g_autofree char *path = cli_scratch_path("list.npz");
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "effects", "--top", "200", "--target", HUNDE, DOGS, NULL);
  cli_succeeds(NULL, "effects", "--target", HUNDE, "-o", path, DOGS, NULL);
  g_auto(GStrv) lines = g_strsplit(run->out, "\n", -1);
  g_assert_cmpstr(lines[0], ==, HUNDE);
  double last = INFINITY;
  guint n = 0;
  for (guint i = 4; lines[i] && *lines[i]; i++, n++) {
    char kind[16];
    guint layer, head;
    double effect;
    g_assert_cmpint(sscanf(lines[i], "%lf %15s %u.%u", &effect, kind, &layer, &head), ==, 4);
    g_assert_cmpfloat(effect, <=, last);
    last = effect;
    g_assert_cmpfloat_with_epsilon(effect, value(path, kind, (layer - 1) * HEADS + head - 1), 6e-5);
  }
  g_assert_cmpuint(n, ==, 3 * LAYERS * HEADS);
  g_autoptr(CliRun) five = cli_run(NULL, "effects", "--top", "5", DOGS, NULL);
  g_assert_nonnull(strstr(five->out, "and 139 other heads"));
}

/* A contrast is a difference of two: against itself it is nothing, and it is the negative of the
 * one from the other side, where both are forced in the same place. */
static void
test_contrast(void)
{
  g_autofree char *path = cli_scratch_path("contrast.npz"), *other = cli_scratch_path("other.npz");
  g_autofree char *self = cli_scratch_path("self.npz");
  cli_succeeds(NULL, "effects", "--target", HUNDE, "--token", "3", "--against", "drei", "-o", path,
               DOGS, NULL);
  cli_succeeds(NULL, "effects", "--target", HUNDE, "--token", "3", "--against", "▁zwei", "-o", self,
               DOGS, NULL);
  cli_succeeds(NULL, "effects", "--target", "Ich habe drei Hunde.", "--token", "3", "--against",
               "zwei", "-o", other, DOGS, NULL);
  g_autoptr(Npy) contrast = npy_read(path, "cross_contrast");
  g_autoptr(Npy) nothing = npy_read(self, "cross_contrast");
  g_autoptr(Npy) negative = npy_read(other, "cross_contrast");
  double most = 0;
  for (gsize i = 0; i < contrast->n; i++) {
    g_assert_cmpfloat(npy_float(nothing, i), ==, 0);
    /* What follows the token is not seen from it. */
    g_assert_cmpfloat_with_epsilon(npy_float(negative, i), -npy_float(contrast, i), 1e-3);
    most = MAX(most, fabs(npy_float(contrast, i)));
  }
  g_assert_cmpfloat(most, >, 0.1);
}

/* Means of a text: made, used, and asked for where they are missing. */
static void
test_means(void)
{
  g_autofree char *lines = cli_scratch_file("lines.txt", "I have a dog.\n\nIt rains.\n"),
                  *means = cli_scratch_path("x.means.npz");
  g_autofree char *path = cli_scratch_path("mean.npz");
  g_autoptr(CliRun) made = cli_run_ok(NULL, "means", "-o", means, lines, NULL);
  g_assert_true(g_str_has_prefix(made->out, "means of 2 sentences, "));
  g_autoptr(Npy) cross = npy_read(means, "cross");
  g_assert_cmpuint(cross->shape[0], ==, LAYERS);
  g_assert_cmpuint(cross->shape[1], ==, HEADS);
  cli_succeeds(NULL, "effects", "--with", "mean", "--means", means, "-o", path, DOGS, NULL);
  cli_succeeds(NULL, "effects", "--change", "cross 6.3 mean", "--means", means, "--top", "1", DOGS,
               NULL);
  cli_refuses(1, "There are no means beside the model \"en-de\"", NULL, "translate", "--change",
              "source 2 hide", "--change", "cross 6.3 mean", NULL);
  cli_refuses(1, "There are no means beside the model \"en-de\"", NULL, "effects", "--with", "mean",
              DOGS, NULL);
  g_autoptr(CliRun) other = cli_run(NULL, "effects", "--means", lines, DOGS, NULL);
  cli_assert_status(other, 1);
}

/* Means over the lines of a file are the means of what the lines give alone. */
static void
test_file(void)
{
  g_autofree char *lines = cli_scratch_file("file.txt", DOGS "\n\nIt rains.\n"),
                  *path = cli_scratch_path("file.npz");
  g_autofree char *references = cli_scratch_file("references.txt", HUNDE "\n\nEs regnet.\n");
  g_autofree char *a = cli_scratch_path("a.npz"), *b = cli_scratch_path("b.npz");
  for (guint i = 0; i < 2; i++) {
    g_autoptr(CliRun) run = i ? cli_run_ok(NULL, "effects", "--file", lines, "--references",
                                           references, "-o", path, NULL)
                              : cli_run_ok(NULL, "effects", "--file", lines, "-o", path, NULL);
    g_autoptr(CliRun) first =
        i ? cli_run_ok(NULL, "effects", "--target", HUNDE, "-o", a, DOGS, NULL)
          : cli_run_ok(NULL, "effects", "-o", a, DOGS, NULL);
    g_autoptr(CliRun) second =
        i ? cli_run_ok(NULL, "effects", "--target", "Es regnet.", "-o", b, "It rains.", NULL)
          : cli_run_ok(NULL, "effects", "-o", b, "It rains.", NULL);
    g_autoptr(Npy) mean = npy_read(path, "cross"), x = npy_read(a, "cross");
    g_autoptr(Npy) y = npy_read(b, "cross");
    for (gsize k = 0; k < mean->n; k++)
      g_assert_cmpfloat_with_epsilon(npy_float(mean, k), (npy_float(x, k) + npy_float(y, k)) / 2,
                                     1e-5);
    g_assert_null(npy_read(path, "cross_tokens"));
  }
  g_autoptr(CliRun) list = cli_run(NULL, "effects", "--file", lines, "--top", "2", NULL);
  g_assert_true(g_str_has_prefix(list->out, "mean of 2 sentences\nlog p "));
  g_assert_true(g_file_set_contents(references, HUNDE "\n", -1, NULL));
  g_autoptr(CliRun) few =
      cli_run(NULL, "effects", "--file", lines, "--references", references, NULL);
  cli_assert_status(few, 1);
  g_assert_nonnull(strstr(few->err, "--references has 1 lines"));
  cli_refuses(2, "in the place of TEXT", NULL, "effects", "--file", lines, DOGS, NULL);
  g_autoptr(CliRun) missing = cli_run(NULL, "effects", "--file", "/nonexistent/x.txt", NULL);
  cli_assert_status(missing, 1);
}

/* BLEU and chrF of the lines with a change, as the file's table should have them. */
static void
score(const char *lines, const char *references, const char *change, double scores[2])
{
  mt_bleu bleu = {0};
  mt_chrf chrf = {0};
  mt_error error = {0};
  g_autofree char *wanted = NULL;
  g_autoptr(CliRun) run = cli_run_ok(NULL, "translate", "--change", change, lines, NULL);
  g_assert_true(g_file_get_contents(references, &wanted, NULL, NULL));
  g_auto(GStrv) h = g_strsplit(run->out, "\n", -1), r = g_strsplit(wanted, "\n", -1);
  for (guint i = 0; h[i] && *h[i]; i++) {
    g_assert_true(mt_bleu_add(&bleu, h[i], strlen(h[i]), r[i], strlen(r[i]), &error));
    g_assert_true(mt_chrf_add(&chrf, h[i], strlen(h[i]), r[i], strlen(r[i]), &error));
  }
  scores[0] = mt_bleu_score(&bleu);
  scores[1] = mt_chrf_score(&chrf);
}

/* What is lost in scores; what is kept is taken up, and not done again. */
static void
test_scores(void)
{
  g_autofree char *lines =
                      cli_scratch_file("scored.txt", DOGS "\nThe old man gave his dog bread.\n"),
                  *path = cli_scratch_path("scored.npz");
  g_autofree char *references = cli_scratch_file("scored.refs",
                                                 HUNDE "\nDer alte Mann gab seinem Hund Brot.\n"),
                  *text = NULL;
  g_autofree char *state = cli_scratch_path("state.json"), *other = cli_scratch_path("more.npz");
  cli_succeeds(NULL, "effects", "--file", lines, "--references", references, "--scores", "--resume",
               state, "-o", path, NULL);
  double whole[2], without[2];
  score(lines, references, "cross scale 1", whole);
  score(lines, references, "cross 6.3 zero", without);
  g_assert_cmpfloat_with_epsilon(value(path, "cross_bleu", 5 * HEADS + 2), whole[0] - without[0],
                                 1e-4);
  g_assert_cmpfloat_with_epsilon(value(path, "cross_chrf", 5 * HEADS + 2), whole[1] - without[1],
                                 1e-4);

  /* Nothing is done again: what the file says is believed. Of 1e3 none is made up. */
  g_assert_true(g_file_get_contents(state, &text, NULL, NULL));
  char *sums = strstr(text, "\"sums\":[");
  g_assert_nonnull(sums);
  char *bleu = strchr(sums, ',') + 1;
  g_autofree char *changed =
      g_strdup_printf("%.*s1000%s", (int) (bleu - text), text, strchr(bleu, ','));
  g_assert_true(g_file_set_contents(state, changed, -1, NULL));
  cli_succeeds(NULL, "effects", "--file", lines, "--references", references, "--scores", "--resume",
               state, "-o", other, NULL);
  g_assert_cmpfloat_with_epsilon(value(other, "cross_bleu", 5 * HEADS + 2), 1000 - without[0],
                                 1e-3);
  g_assert_cmpfloat(value(other, "cross", 7), ==, value(path, "cross", 7));

  /* Other work, and no work at all. */
  cli_refuses(1, "is of other work", NULL, "effects", "--file", lines, "--references", references,
              "--scores", "--sentences", "1", "--resume", state, NULL);
  g_assert_true(g_file_set_contents(state, "{}", -1, NULL));
  cli_refuses(1, "is no file that this command wrote", NULL, "effects", "--file", lines, "--resume",
              state, NULL);
  g_autoptr(CliRun) list =
      cli_run(NULL, "effects", "--file", lines, "--sentences", "1", "--top", "1", NULL);
  g_assert_true(g_str_has_prefix(list->out, "mean of 1 sentences\n"));
  cli_refuses(2, "--scores wants --references", NULL, "effects", "--file", lines, "--scores", NULL);
  cli_refuses(2, "want --file", NULL, "effects", "--sentences", "2", DOGS, NULL);
  g_autoptr(CliRun) endless =
      cli_run(NULL, "effects", "--file", "/dev/null", "--resume", "/dev/zero", NULL);
  cli_assert_status(endless, 1);
}

/* Interrupted in the middle, it goes on, and finds what it finds at once. */
static void
test_resume(void)
{
  g_autofree char *lines = cli_scratch_path("long.txt"), *state = cli_scratch_path("long.json");
  g_autofree char *a = cli_scratch_path("long-a.npz"), *b = cli_scratch_path("long-b.npz");
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < 5; i++)
    g_string_append_printf(text, "I have %u dogs.\nIt rains on day %u.\n", i + 2, i + 1);
  g_assert_true(g_file_set_contents(lines, text->str, -1, NULL));
  cli_succeeds(NULL, "effects", "--file", lines, "-o", a, NULL);
  g_autoptr(GError) error = NULL;
  const char *program = g_getenv("REGARD_CLI");
  g_autoptr(GSubprocess) half =
      g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                       &error, program, "effects", "--file", lines, "--resume", state, NULL);
  g_assert_no_error(error);
  g_usleep(400 * 1000);
  g_subprocess_send_signal(half, SIGINT);
  g_subprocess_wait(half, NULL, NULL);
  cli_succeeds(NULL, "effects", "--file", lines, "--resume", state, "-o", b, NULL);
  g_autoptr(Npy) x = npy_read(a, "cross"), y = npy_read(b, "cross");
  for (gsize i = 0; i < x->n; i++)
    g_assert_cmpfloat_with_epsilon(npy_float(x, i), npy_float(y, i), 1e-6);
}

static void
test_pictures(void)
{
  static const char *const files[] = {"x.svg", "x.png", "x.pdf", "x.csv", "x.json"};
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = cli_scratch_path(files[i]), *text = NULL;
    g_autoptr(CliRun) run = cli_run_ok(NULL, "effects", "--caption", "--change", "source 2 hide",
                                       "-o", path, DOGS, NULL);
    g_assert_nonnull(strstr(run->out, "Source: “" DOGS "” Translation: “"));
    g_assert_nonnull(strstr(run->out, "Each head is changed alone, with zero."));
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    if (i == 0) {
      g_assert_nonnull(strstr(text, "Cross"));
      g_assert_nonnull(strstr(text, "changed: source 2 hide"));
    }
    if (i == 4) {
      g_autoptr(json_object) json = json_tokener_parse(text);
      g_assert_nonnull(json);
    }
  }
}

static void
test_refused(void)
{
  cli_refuses(2, "zero, uniform, mean", NULL, "effects", "--with", "half", DOGS, NULL);
  cli_refuses(2, "--token and --against want each other", NULL, "effects", "--token", "3", DOGS,
              NULL);
  cli_refuses(2, "--token wants 1 to", NULL, "effects", "--token", "99", "--against", "zwei", DOGS,
              NULL);
  cli_refuses(2, "no piece 'qqqqzz'", NULL, "effects", "--token", "2", "--against", "qqqqzz", DOGS,
              NULL);
  cli_refuses(2, "one TEXT wanted", NULL, "effects", NULL);
}

TESTS()
{
  g_test_add_func("/cli-effects/list", test_list);
  g_test_add_func("/cli-effects/refused", test_refused);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli-effects/numbers", test_numbers);
  g_test_add_func("/cli-effects/contrast", test_contrast);
  g_test_add_func("/cli-effects/means", test_means);
  g_test_add_func("/cli-effects/file", test_file);
  g_test_add_func("/cli-effects/scores", test_scores);
  g_test_add_func("/cli-effects/resume", test_resume);
  g_test_add_func("/cli-effects/pictures", test_pictures);
}
