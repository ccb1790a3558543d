/* test-cli-changes.c — changes in the model on the command line: made, said wherever a result goes,
 * and refused with a word.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <string.h>

#define DOGS    "I have two dogs."
#define CHANGES "cross scale 0.5\nencoder 2 window 1"

static char *
translate(const char *option, const char *value)
{
  g_autoptr(CliRun) run = cli_run_ok(DOGS "\n", "translate", "--json", option, value, NULL);
  return g_strdup(run->out);
}

/* The best hypothesis' score of one line of JSON. */
static double
score_of(const char *line)
{
  g_autoptr(json_object) object = cli_assert_json(line);
  double value =
      cli_json_number(json_object_array_get_idx(cli_json_member(object, "hypotheses"), 0), "score");
  return value;
}

static void
assert_says(const char *json, const char *const *interventions)
{
  g_autoptr(json_object) object = cli_assert_json(json);
  json_object *list = cli_json_member(object, "changes");
  guint n = g_strv_length((char **) interventions);
  g_assert_cmpuint(json_object_array_length(list), ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpstr(json_object_get_string(json_object_array_get_idx(list, i)), ==,
                    interventions[i]);
}

static void
test_translate(void)
{
  static const char *const none[] = {NULL}, *const one[] = {"cross scale 0.5", NULL};
  static const char *const three[] = {"cross scale 0.5", "encoder 2 window 1", "source 2 hide",
                                      NULL};
  g_autofree char *path = cli_scratch_file("changes.txt",
                                           "# what is tried\n\n" CHANGES "\n  # cross zero\n"),
                  *texts = cli_scratch_file("texts.txt", DOGS "\n\n" DOGS "\n");
  g_autofree char *plain = translate("--beam", "4"), *once = translate("--change", one[0]);
  assert_says(plain, none);
  assert_says(once, one);
  g_assert_cmpfloat(score_of(plain), !=, score_of(once));

  /* What the file says comes first; a line of a pipe and the lines of a file alike. */
  g_autoptr(CliRun) line =
      cli_run_ok(DOGS "\n", "translate", "--json", "--change", three[2], "--changes", path, NULL);
  g_autoptr(CliRun) many =
      cli_run_ok(NULL, "translate", "--json", "--change", three[2], "--changes", path, texts, NULL);
  assert_says(line->out, three);
  g_auto(GStrv) lines = g_strsplit(many->out, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines), ==, 4);
  for (guint i = 0; i < 3; i += 2) {
    assert_says(lines[i], three);
    g_assert_cmpfloat(score_of(lines[i]), ==, score_of(line->out));
  }
  g_assert_cmpfloat(score_of(line->out), !=, score_of(once));
}

/* The archive, its metadata, and what reads it: inspect, and a picture of it with its caption. */
static void
test_capture(void)
{
  static const char *const interventions[] = {"cross scale 0.5", "encoder 2 window 1", NULL};
  g_autofree char *path = cli_scratch_path("changed.npz"), *svg = cli_scratch_path("a.svg");
  g_autofree char *json = cli_scratch_path("a.json"), *grid = cli_scratch_path("grid.npz");
  cli_succeeds(NULL, "capture", "--change", interventions[0], "--change", interventions[1], "-o",
               path, DOGS, NULL);
  g_autoptr(Npy) kept = npy_read(path, "interventions");
  g_autofree char *text = npy_string(kept, 0);
  g_assert_cmpstr(text, ==, CHANGES);
  g_autoptr(Npy) npy = npy_read(path, "meta");
  g_autofree char *meta = npy_string(npy, 0);
  assert_says(meta, interventions);

  g_autoptr(CliRun) plain = cli_run_ok(NULL, "inspect", path, NULL);
  g_autoptr(CliRun) inspected = cli_run(NULL, "inspect", "--json", path, NULL);
  g_assert_nonnull(
      strstr(plain->out, "changed in the model: cross scale 0.5; encoder 2 window 1\n"));
  assert_says(inspected->out, interventions);

  const char *const said = "Changed in the model: cross scale 0.5; encoder 2 window 1.";
  g_autoptr(CliRun) read = cli_run_ok(NULL, "attend", "--capture", path, "--kind", "encoder",
                                      "--layer", "2", "--head", "1", "--caption", "-o", svg, NULL);
  g_autoptr(CliRun) live = cli_run_ok(NULL, "attend", "--change", interventions[0], "--change",
                                      interventions[1], "--kind", "encoder", "--layer", "2",
                                      "--head", "1", "--caption", "-o", json, DOGS, NULL);
  g_assert_nonnull(strstr(read->out, said));
  g_assert_nonnull(strstr(live->out, said));
  g_autofree char *picture = NULL, *numbers = NULL;
  g_assert_true(g_file_get_contents(svg, &picture, NULL, NULL));
  g_assert_nonnull(strstr(picture, "2 changes"));
  g_assert_true(g_file_get_contents(json, &numbers, NULL, NULL));
  g_autoptr(json_object) object = cli_assert_json(numbers);
  json_object *value = json_object_array_get_idx(cli_json_member(object, "matrices"), 0);
  assert_says(json_object_to_json_string(cli_json_member(value, "meta")), interventions);
  /* What the window hides has no number. */
  json_object *cells = json_object_array_get_idx(cli_json_member(value, "values"), 0);
  g_assert_nonnull(json_object_array_get_idx(cells, 1));
  g_assert_null(json_object_array_get_idx(cells, 2));

  cli_succeeds(NULL, "attend", "--capture", path, "--head", "all", "--words", "-o", grid, NULL);
  g_autoptr(Npy) also = npy_read(grid, "interventions");
  g_autofree char *again = npy_string(also, 0);
  g_assert_cmpstr(again, ==, CHANGES);
}

static void
test_mistakes(void)
{
  g_autofree char *path = cli_scratch_file("wrong.txt", CHANGES "\n#\ncross 4.1 scale x\n");
  g_autofree char *missing = cli_scratch_path("missing.txt"), *out = cli_scratch_path("no.npz");
  static const struct {
    const char *change, *said;
  } rows[] = {
      {"cros 4.1 scale 2",
       "--change: expected encoder, decoder, cross, source or target, found \"cros\""},
      {"cross 4.1 scale", "--change: expected a number from -1000 to 1000, found its end"},
      {"cross 7.1 scale 2",
       "\"cross 7.1 scale 2\" is for layer 7; the decoder of this model has 6"},
      {"encoder *.9 scale 2", "is for head 9; the encoder of this model has 8"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(CliRun) run =
        cli_run_refused(2, rows[i].said, DOGS, "translate", "--change", rows[i].change, NULL);
    g_assert_cmpstr(run->out, ==, "");
  }
  g_autoptr(CliRun) file = cli_run(DOGS, "translate", "--changes", path, NULL);
  cli_assert_complains(file, 2,
                       "wrong.txt, line 4: expected a number from -1000 to 1000, found "
                       "\"x\"");
  cli_refuses(1, "missing.txt", DOGS, "translate", "--changes", missing, NULL);
  cli_refuses(1, "/dev/zero: expected at most 1048576 bytes, found more", DOGS, "translate",
              "--changes", "/dev/zero", NULL);
  /* A text that does not have the token fails alone, and nothing is written. */
  cli_refuses(1, "\"source 99 hide\" is for source token 99; this text has 7", DOGS "\n",
              "translate", "--change", "source 99 hide", NULL);
  cli_refuses(1, "source token 99", NULL, "capture", "--change", "source 99 hide", "-o", out, DOGS,
              NULL);
  g_assert_false(g_file_test(out, G_FILE_TEST_EXISTS));
  cli_refuses(2, "--capture wants no TEXT", NULL, "attend", "--capture", "x.npz", "--change",
              CHANGES, "-o", "x.svg", NULL);
}

TESTS()
{
  g_test_add_func("/cli/changes/translate", test_translate);
  g_test_add_func("/cli/changes/capture", test_capture);
  g_test_add_func("/cli/changes/mistakes", test_mistakes);
}
