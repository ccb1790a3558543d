/* test-cli-session.c — regard-cli with sessions of the window: what is in one, its picture, and
 * what is none. The session was written by a program in Python, from the documentation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <string.h>

static void
test_inspect(void)
{
  g_autofree char *path = cli_source_path("tests/data/session.regard");
  g_autoptr(CliRun) plain = cli_run_ok(NULL, "inspect", path, NULL);
  g_assert_true(g_str_has_prefix(plain->out, "session.regard, saved by make_session.py\n"));
  g_assert_nonnull(strstr(plain->out, "text                the dogs were playing in the rain .\n"));
  g_assert_nonnull(strstr(plain->out, "model               tiny-bert\n"));
  g_assert_nonnull(strstr(plain->out, "model.safetensors       0123456789abcdef01234567"));
  g_assert_nonnull(strstr(plain->out, "change              encoder 1.1 zero\n"));
  g_assert_nonnull(strstr(plain->out, "compared            difference\n"));
  g_assert_nonnull(strstr(plain->out, "  a                   session.regard/a.npz (tiny-bert)"));

  g_autoptr(CliRun) run = cli_run_ok(NULL, "inspect", "--json", path, NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  g_assert_cmpstr(json_object_get_string(cli_json_member(object, "file")), ==, "session.regard");
  g_assert_cmpstr(json_object_get_string(cli_json_member(cli_json_member(object, "model"), "name")),
                  ==, "tiny-bert");
  json_object *interventions = cli_json_member(object, "changes");
  g_assert_cmpuint(json_object_array_length(interventions), ==, 1);
  g_assert_cmpuint(json_object_array_length(
                       cli_json_member(cli_json_member(object, "reference"), "changes")),
                   ==, 0);
  g_assert_cmpstr(json_object_get_string(
                      cli_json_member(cli_json_member(object, "look"), "compare")),
                  ==, "difference");
  json_object *captures = cli_json_member(object, "captures");
  g_assert_nonnull(cli_json_member(captures, "a"));
  g_assert_nonnull(cli_json_member(captures, "b"));
  g_assert_null(cli_json_member(captures, "capture"));
}

/* What was looked at is the difference of the two: a head that A has even, and others that are the
 * same. */
static void
test_picture(void)
{
  static const char *const heads[] = {"1", "2"};
  g_autofree char *path = cli_source_path("tests/data/session.regard");
  g_autofree char *out = cli_scratch_path("difference.csv");
  for (guint i = 0; i < G_N_ELEMENTS(heads); i++) {
    cli_succeeds(NULL, "attend", "--capture", path, "--layer", "1", "--head", heads[i], "-o", out,
                 NULL);
    g_autofree char *csv = NULL;
    g_assert_true(g_file_get_contents(out, &csv, NULL, NULL));
    const char *row = strstr(csv, "\n0:[CLS],");
    g_assert_nonnull(row);
    const double first = g_ascii_strtod(row + strlen("\n0:[CLS],"), NULL);
    g_assert_true((first != 0) == (i == 0));
  }
}

static void
test_refused(void)
{
  g_autofree char *bad = cli_scratch_file("bad.regard", "no archive");
  g_autofree char *out = cli_scratch_path("never.svg");
  cli_refuses(1, "bad.regard: expected a zip archive, found another file", NULL, "inspect", bad,
              NULL);
  cli_refuses(1, "bad.regard: expected a zip archive, found another file", NULL, "attend",
              "--capture", bad, "-o", out, NULL);
  cli_refuses(1, "no-such.regard: expected this file, found nothing there.", NULL, "inspect",
              "no-such.regard", NULL);
  g_assert_false(g_file_test(out, G_FILE_TEST_EXISTS));
}

TESTS()
{
  g_test_add_func("/cli/session/inspect", test_inspect);
  g_test_add_func("/cli/session/picture", test_picture);
  g_test_add_func("/cli/session/refused", test_refused);
}
