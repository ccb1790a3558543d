/* test-cli-figure.c — regard-cli figure: sheets of captures, the file of one, and what it refuses.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <mt.h>
#include <string.h>

#define DOGS "I have two dogs."

static char *dogs, *changed;

/* Made from a mosaic, saved and drawn again: the same picture, byte for byte; and a sheet of a
 * sheet's panels. */
static void
test_again(void)
{
  g_autofree char *direct = cli_scratch_path("direct.png"), *again = cli_scratch_path("again.png");
  g_autofree char *sheet = cli_scratch_path("two.regard-figure");
  g_autofree char *a = g_strdup_printf("A=%s:cross:1.2", dogs);
  g_autofree char *b = g_strdup_printf("B=%s:cross:1.2:minus=%s", changed, dogs);
  g_autofree char *c = g_strdup_printf("C=%s:encoder:1.1:lines:of=1:title=From a word", dogs);
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "figure", "--mosaic", "AB;CC", "--panel", a, "--panel", b, "--panel", c,
                 "--width", "120", "--dpi", "100", "-o", direct, "--caption", "plain", NULL);
  g_assert_true(g_str_has_prefix(run->out, "(a) Cross-attention · layer 1 · head 2. "));
  g_assert_nonnull(
      strstr(run->err, "Panel (b) has a colour bar of its own: it shows “difference”"));
  cli_run_free(cli_run_ok(NULL, "figure", "--mosaic", "AB;CC", "--panel", a, "--panel", b,
                          "--panel", c, "--width", "120", "-o", sheet, NULL));
  cli_run_free(cli_run_ok(NULL, "figure", sheet, "--dpi", "100", "-o", again, NULL));
  gsize n, m;
  g_autofree char *one = cli_contents(direct, &n), *two = cli_contents(again, &m);
  g_assert_cmpmem(one, n, two, m);

  g_autofree char *of_it = g_strdup_printf("A=%s:C", sheet), *svg = cli_scratch_path("c.svg");
  cli_succeeds(NULL, "figure", "--panel", of_it, "-o", svg, NULL);
  g_autofree char *text = cli_contents(svg, NULL);
  g_assert_nonnull(strstr(text, "From a word"));
}

static void
test_usage(void)
{
  static const struct {
    const char *panel, *complaint;
  } bad[] = {
      {"A", "--panel wants LETTER=FILE"},
      {"B=%s", "the mosaic has no B"},
      {"A=%s:cross:9.1", "found '9.1'"},
      {"A=%s:cross:1.9", "found '1.9'"},
      {"A=%s:cros", "found 'cros'"},
      {"A=%s:cross:1:lines", "found 'lines'"},
      {"A=%s:cross:1.1:of=none", "found 'of=none'"},
  };
  g_autofree char *out = cli_scratch_path("never.pdf"), *good = g_strdup_printf("A=%s", dogs);
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    GString *panel = g_string_new(bad[i].panel);
    g_string_replace(panel, "%s", dogs, 1);
    cli_refuses(2, bad[i].complaint, NULL, "figure", "--mosaic", "A", "--panel", panel->str, "-o",
                out, NULL);
    g_string_free(panel, TRUE);
  }
  cli_refuses(2, "a SHEET, a --panel or a --template is missing", NULL, "figure", "-o", out, NULL);
  cli_refuses(2, "-o FILE is missing", NULL, "figure", "--panel", good, NULL);
  cli_refuses(2, "png, svg, pdf, regard-figure", NULL, "figure", "--panel", good, "-o", "a.csv",
              NULL);
  cli_refuses(2, "not a rectangle", NULL, "figure", "--mosaic", "AB;BA", "--panel", good, "-o", out,
              NULL);
  g_assert_false(g_file_test(out, G_FILE_TEST_EXISTS));
}

/* Of two files; the venue is the width. */
static void
test_templates(void)
{
  g_autofree char *svg = cli_scratch_path("template.svg");
  g_autoptr(CliRun) list = cli_run_ok(NULL, "figure", "--list", NULL);
  g_assert_nonnull(strstr(list->out, "\n  change         The mean of a layer"));
  g_assert_nonnull(strstr(list->out, "\n  acl/column     77 mm: column, ACL\n"));
  g_assert_nonnull(strstr(list->out, "\n  icml/column    82.55 mm: column, ICML, AISTATS\n"));
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "figure", "--template", "change", "--file", dogs, "--file", changed,
                 "--venue", "ieee", "-o", svg, "--check", "--caption", "latex", NULL);
  g_assert_true(g_str_has_prefix(run->out, "\\textbf{(a)} Cross-attention $\\cdot$ layer "));
  g_assert_nonnull(strstr(run->out, "\nbad  In grey: colours that mean different things look alike "
                                    "in panel (c).\n"));
  g_autofree char *text = cli_contents(svg, NULL);
  g_assert_nonnull(strstr(text, "width=\"515.6"));
  g_assert_nonnull(strstr(text, "With less without"));
  g_autofree char *each = cli_scratch_path("each.regard-figure");
  cli_succeeds(NULL, "figure", "--template", "training", "--file", dogs, "--file", changed,
               "--file", dogs, "--file", dogs, "-o", each, NULL);
  /* Heads by texts: a row for each head, or for each file. */
  g_autofree char *grid = cli_scratch_path("grid.svg");
  CliRun *rows = cli_run_ok(NULL, "figure", "--template", "sentences", "--file", dogs, "--file",
                            changed, "--file", dogs, "--heads", "1.1,encoder:1.2", "-o", grid,
                            "--caption", "plain", NULL);
  g_assert_nonnull(strstr(rows->out, "(e) Encoder self-attention · layer 1 · head 2."));
  cli_run_free(rows);
  rows = cli_run_ok(NULL, "figure", "--template", "sentences-rows", "--file", dogs, "--file",
                    changed, "--heads", "1.1,encoder:1.2", "-o", grid, "--caption", "plain", NULL);
  g_assert_nonnull(strstr(rows->out, "(b) Encoder self-attention · layer 1 · head 2."));
  cli_run_free(rows);
  /* Two texts: a label is that of all panels of its text; and any picture can be a panel. */
  g_autofree char *other = cli_scratch_path("other.npz"), *panel = NULL, *plain = NULL,
                  *effects = cli_scratch_path("effects.regard-figure"), *of_it = NULL;
  cli_succeeds(NULL, "capture", "-o", other, "I love my dogs.", NULL);
  cli_succeeds(NULL, "effects", "-o", effects, DOGS, NULL);
  panel = g_strdup_printf("A=%s:1.1:label=two", dogs);
  plain = g_strdup_printf("B=%s:1.1", other);
  of_it = g_strdup_printf("C=%s", effects);
  g_autofree char *twice = g_strdup_printf("D=%s:1.2", dogs),
                  *kept = cli_scratch_path("labels.regard-figure");
  cli_run_free(cli_run_ok(NULL, "figure", "--panel", panel, "--panel", plain, "--panel", of_it,
                          "--panel", twice, "-o", kept, NULL));
  rows = cli_run_ok(NULL, "figure", kept, "-o", grid, "--caption", "plain", NULL);
  g_assert_nonnull(strstr(rows->out, "(a), (c), (d), two: Source: “" DOGS "”"));
  g_assert_nonnull(strstr(rows->out, " (a), (b), (d): Rows are queries")); /* of two texts */
  g_assert_nonnull(strstr(rows->out, "(c) Effects of heads"));
  g_assert_nonnull(strstr(rows->err, "Panel (c) has a colour bar of its own"));
  cli_run_free(rows);
  g_autofree char *labelled = cli_contents(grid, NULL);
  g_assert_nonnull(strstr(labelled, ">two<"));
  g_assert_nonnull(strstr(labelled, "“I love my dogs.”"));
  cli_refuses(2, "wants 1 to 26 panels, 12 in a row or column, found 13 x 1", NULL, "figure",
              "--template", "sentences", "--file", dogs, "--heads", "1,1,1,1,1,1,1,1,1,1,1,1,1",
              "-o", svg, NULL);
  cli_refuses(2, "wants no --heads", NULL, "figure", "--template", "lines", "--file", dogs,
              "--heads", "1.1", "-o", svg, NULL);
  cli_refuses(2, "wants 2 to 26 times --file, found 1", NULL, "figure", "--template", "change",
              "--file", dogs, "-o", svg, NULL);
  cli_refuses(2, "wants a --word", NULL, "figure", "--template", "figure-3", "--file", dogs, "-o",
              svg, NULL);
  cli_refuses(2, "a name that --list prints, found 'x'", NULL, "figure", "--template", "x",
              "--file", dogs, "-o", svg, NULL);
  cli_refuses(2, "a name that --list prints, found 'x'", NULL, "figure", each, "--venue", "x", "-o",
              svg, NULL);
}

/* ---- Files of strangers ---- */

/* An archive of this description, and of a capture. */
static char *
make_sheet(const char *name, const char *json, gboolean has_capture)
{
  char *path = cli_scratch_path(name);
  gsize n;
  mt_error error = {0};
  g_autofree char *bytes = cli_contents(dogs, &n);
  const mt_archive_file files[] = {
      {.name = "sheet.json", .data = json, .size = strlen(json), .deflate = true},
      {.name = "capture-01.npz", .data = bytes, .size = n},
  };
  mt_archive_write(path, files, has_capture ? 2 : 1, &error);
  g_assert_cmpstr(error.message, ==, "");
  return path;
}

/* The description of a good one, as the program writes it. */
static char *
describe(void)
{
  g_autofree char *path = cli_scratch_path("good.regard-figure");
  g_autofree char *panel = g_strdup_printf("A=%s:cross:1.2", dogs);
  const mt_archive_rule rules[] = {{"sheet.json", 1 << 20}, {"capture-01.npz", 1 << 28}};
  mt_error error = {0};
  gsize n;
  cli_succeeds(NULL, "figure", "--panel", panel, "-o", path, NULL);
  mt_archive *archive = mt_archive_read(path, "a figure", rules, 2, 1 << 28, &error);
  g_assert_cmpstr(error.message, ==, "");
  const unsigned char *json = mt_archive_get(archive, "sheet.json", &n);
  char *text = g_strndup((const char *) json, n);
  mt_archive_free(archive);
  return text;
}

static void
test_hostile(void)
{
  static const struct {
    const char *from, *to, *complaint;
  } lies[] = {
      {"\"regard-figure\"", "\"regard\"", "“format”: expected \"regard-figure\""},
      {"\"version\": 1", "\"version\": 3", "expected version 2 of the format"},
      {"\"mosaic\": \"A\"", "\"mosaic\": \"AB;BA\"", "“mosaic”"},
      {"\"mosaic\": \"A\"", "\"mosaic\": \"B\"", "“columns”|“letter”"},
      {"\"width\": 160", "\"width\": 1e9", "“width”"},
      {"\"letters\": \"parentheses\"", "\"letters\": \"x\"", "“letters”"},
      {"\"capture\": 1", "\"capture\": 2", "the number of a capture of this file"},
      {"\"capture\": 1", "\"capture\": -1", "“capture”"},
      {"\"reference\": null", "\"reference\": 9", "“reference”"},
      {"\"layer\": 1", "\"layer\": 999", "“layer”"},
      {"\"head\": 2", "\"head\": 0", "“head”"},
      {"\"what\": \"head\"", "\"what\": \"chosen\"", "“chosen”: expected a head at least"},
      {"\"lines_of_rows\": null", "\"lines_of_rows\": [0]", "“lines_of_rows”"},
      {"\"chosen\": null", "\"chosen\": [[1, 99]]", "“chosen”"},
      {"\"colormap\": ", "\"colormap\": \"pink\", \"x\": ", "“colormap”"},
      {"\"panels\": [", "\"panels\": [ 1, ", "“panels”: expected a list of objects"},
      {"\"bold\": true", "\"bold\": 1", "“bold”"},
      {"\"bold\": true", "\"bold\": true, \"bold\": true", "each key once"},
      {"{", "", "expected JSON"},
  };
  g_autofree char *json = describe(), *out = cli_scratch_path("out.svg");
  g_autofree char *good = make_sheet("x.regard-figure", json, TRUE);
  cli_succeeds(NULL, "figure", good, "-o", out, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(lies); i++) {
    GString *lie = g_string_new(json);
    g_assert_cmpuint(g_string_replace(lie, lies[i].from, lies[i].to, 1), ==, 1);
    g_autofree char *path = make_sheet("x.regard-figure", lie->str, TRUE);
    g_string_free(lie, TRUE);
    g_autoptr(CliRun) run = cli_run(NULL, "figure", path, "-o", out, NULL);
    g_auto(GStrv) complaints = g_strsplit(lies[i].complaint, "|", -1);
    gboolean is_said = FALSE;
    for (char **at = complaints; *at; at++)
      is_said |= strstr(run->err, *at) != NULL;
    if (run->status != 1 || !is_said)
      g_error("%s: %d, %s", lies[i].to, run->status, run->err);
  }
  g_autofree char *without = make_sheet("x.regard-figure", json, FALSE);
  cli_refuses(1, "the number of a capture of this file", NULL, "figure", without, "-o", out, NULL);
  g_autofree char *none = cli_scratch_file("none.regard-figure", "no archive");
  cli_refuses(1, "none.regard-figure: expected a zip archive", NULL, "figure", none, "-o", out,
              NULL);
}

TESTS()
{
  dogs = cli_scratch_path("dogs.npz");
  changed = cli_scratch_path("changed.npz");
  cli_succeeds(NULL, "capture", "-o", dogs, "--target", "Ich habe zwei Hunde.", DOGS, NULL);
  cli_succeeds(NULL, "capture", "-o", changed, "--target", "Ich habe zwei Hunde.", "--change",
               "cross 1.1 zero", DOGS, NULL);
  g_test_add_func("/cli/figure/again", test_again);
  g_test_add_func("/cli/figure/usage", test_usage);
  g_test_add_func("/cli/figure/templates", test_templates);
  g_test_add_func("/cli/figure/hostile", test_hostile);
}
