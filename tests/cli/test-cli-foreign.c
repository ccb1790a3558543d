/* test-cli-foreign.c — regard-cli with captures from files: pictures, and what is in them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <string.h>

#define DOGS "I have two dogs."

static void
test_inspect(void)
{
  g_autofree char *path = cli_source_path("tests/data/foreign-encoder.npz");
  g_autoptr(CliRun) plain = cli_run_ok(NULL, "inspect", path, NULL);
  g_assert_true(g_str_has_prefix(plain->out, "foreign-encoder.npz (tiny-bert)\n"));
  g_assert_nonnull(strstr(plain->out, "layers × heads      2 × 3\n"));
  g_assert_nonnull(strstr(plain->out, "rows sum to         1.0000 to 1.0000\n"));
  g_assert_nonnull(strstr(plain->out, "source: 11 tokens\n  [CLS] the dogs were play ##ing"));

  g_autoptr(CliRun) run = cli_run_ok(NULL, "inspect", "--json", path, NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  g_assert_cmpstr(json_object_get_string(cli_json_member(object, "model")), ==, "tiny-bert");
  json_object *kinds = cli_json_member(object, "attentions");
  g_assert_cmpuint(json_object_array_length(kinds), ==, 1);
  json_object *kind = json_object_array_get_idx(kinds, 0);
  g_assert_cmpstr(json_object_get_string(cli_json_member(kind, "kind")), ==, "encoder");
  g_assert_cmpint(json_object_get_int(cli_json_member(kind, "heads")), ==, 3);
  g_assert_cmpint(json_object_get_int(cli_json_member(kind, "columns")), ==, 11);
  g_assert_null(cli_json_member(object, "output"));
  g_assert_false(json_object_get_boolean(cli_json_member(object, "logprobs")));
}

/* The same numbers from the file as straight from the model. */
static void
test_same_as_model(void)
{
  g_autofree char *capture = cli_scratch_path("dogs.npz");
  g_autofree char *direct = cli_scratch_path("direct.csv");
  g_autofree char *read = cli_scratch_path("read.csv");
  cli_succeeds(NULL, "capture", "-o", capture, DOGS, NULL);
  static const char *const kinds[] = {"encoder", "decoder", "cross"};
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    cli_succeeds(NULL, "attend", "--kind", kinds[i], "--layer", "2", "--head", "3", "-o", direct,
                 DOGS, NULL);
    cli_succeeds(NULL, "attend", "--capture", capture, "--kind", kinds[i], "--layer", "2", "--head",
                 "3", "-o", read, NULL);
    g_autofree char *a = cli_contents(direct, NULL), *b = cli_contents(read, NULL);
    /* Comments say where it comes from. */
    const char *numbers = strstr(a, "\n\n"), *others = strstr(b, "\n\n");
    g_assert_cmpstr(numbers ? numbers : a, ==, others ? others : b);
  }
}

/* Titles, axes and caption call it what the file says, and no model is opened. */
static void
test_picture(void)
{
  g_autofree char *path = cli_source_path("tests/data/foreign-encoder.npz");
  g_autofree char *svg = cli_scratch_path("bert.svg");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "attend", "--capture", path, "--head", "2", "--words",
                                     "--caption", "-o", svg, NULL);
  g_assert_nonnull(strstr(run->out, "Encoder self-attention · layer 1 · head 2."));
  g_assert_nonnull(strstr(run->out, "Tokens: “the dogs were playing in the rain .”"));
  g_assert_nonnull(strstr(run->out, "From the file foreign-encoder.npz (tiny-bert)."));
  g_assert_null(strstr(run->out, "ranslation"));
  g_autofree char *picture = cli_contents(svg, NULL);
  g_assert_nonnull(strstr(picture, "queries: tokens"));
  g_assert_nonnull(strstr(picture, ">playing<"));
  g_assert_null(strstr(picture, "ranslation"));
}

static void
test_refused(void)
{
  g_autofree char *path = cli_source_path("tests/data/foreign-encoder.npz");
  g_autofree char *readme = cli_source_path("README.md");
  g_autofree char *out = cli_scratch_path("never.svg");
  cli_refuses(1, "foreign-encoder.npz: --kind cross wants attention", NULL, "attend", "--capture",
              path, "--kind", "cross", "-o", out, NULL);
  cli_refuses(2, "--layer wants 1 to 2, the layers of this capture, found 3", NULL, "attend",
              "--capture", path, "--layer", "3", "-o", out, NULL);
  cli_refuses(2, "--capture wants no TEXT", NULL, "attend", "--capture", path, "-o", out, DOGS,
              NULL);
  cli_refuses(1, "README.md: expected a NumPy archive (.npz), found another file.", NULL, "attend",
              "--capture", readme, "-o", out, NULL);
  cli_refuses(1, "no-such.npz: expected this file, found nothing there.", NULL, "inspect",
              "no-such.npz", NULL);
  g_assert_false(g_file_test(out, G_FILE_TEST_EXISTS));
}

TESTS()
{
  g_test_add_func("/cli/foreign/inspect", test_inspect);
  g_test_add_func("/cli/foreign/same-as-model", test_same_as_model);
  g_test_add_func("/cli/foreign/picture", test_picture);
  g_test_add_func("/cli/foreign/refused", test_refused);
}
