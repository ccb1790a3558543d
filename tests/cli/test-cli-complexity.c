/* test-cli-complexity.c — regard-cli complexity: files in every format, numbers that can be checked
 * by hand, and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define DOGS "I have two dogs."

/* Of the frozen model. */
enum { LAYERS = 6, WIDTH = 64 };
enum { OTHER = 7, PASS = 8, N_LINES = 9 };
enum { MILLIONS, SHARE, MILLISECONDS, SPEED, N_COLUMNS };

static gint64
fact(json_object *meta, const char *name)
{
  json_object *value;
  if (!json_object_object_get_ex(meta, name, &value))
    g_error("there is no '%s'", name);
  return json_object_get_int64(value);
}

static json_object *
read_meta(const char *path)
{
  g_autoptr(Npy) array = npy_read(path, "meta");
  g_autofree char *text = npy_string(array, 0);
  return cli_assert_json(text);
}

static void
assert_near(double found, double expected)
{
  g_assert_cmpfloat_with_epsilon(found, expected, 1e-6 * fabs(expected) + 1e-12);
}

/* The numbers in the archive are those of the formulas. */
static void
test_numbers(void)
{
  g_autofree char *path = cli_scratch_path("numbers.npz");
  cli_succeeds(NULL, "complexity", "--kernel", "5", "--restricted", "3", "--passes", "3",
               "--threads", "1", "--target", "Ich habe zwei Katzen.", "-o", path, DOGS, NULL);
  json_object *meta = read_meta(path);
  const double n = (double) fact(meta, "source_tokens"), m = (double) fact(meta, "target_tokens");
  const double d = WIDTH;
  g_assert_cmpfloat(n, >, 3);
  g_assert_cmpfloat(m, >, 3);
  g_assert_cmpint(fact(meta, "d_model"), ==, WIDTH);
  g_assert_cmpint(fact(meta, "kernel"), ==, 5);
  g_assert_cmpint(fact(meta, "restricted"), ==, 3);
  g_assert_cmpint(fact(meta, "timed_passes"), ==, 3);
  g_assert_cmpint(fact(meta, "threads"), ==, 1);

  g_autoptr(Npy) types = npy_read(path, "layer_types");
  const double want[] = {n * n * d,       1,         1, n * d * d, n, n, 5 * n * d * d, 1,
                         log(n) / log(5), 3 * n * d, 1, n / 3};
  g_assert_cmpuint(types->n, ==, G_N_ELEMENTS(want));
  for (gsize i = 0; i < types->n; i++)
    assert_near(npy_float(types, i), want[i]);

  g_assert_cmpint(fact(meta, "multiply_adds_encoder_projections"), ==,
                  (gint64) (LAYERS * 4 * n * d * d));
  g_assert_cmpint(fact(meta, "multiply_adds_encoder_scores"), ==,
                  (gint64) (LAYERS * 2 * n * n * d));
  g_assert_cmpint(fact(meta, "multiply_adds_decoder_projections"), ==,
                  (gint64) (LAYERS * (6 * m + 2 * n) * d * d));
  g_assert_cmpint(fact(meta, "multiply_adds_decoder_scores"), ==,
                  (gint64) (LAYERS * 2 * m * (m + n) * d));
  g_assert_cmpint(fact(meta, "multiply_adds_decoder_scores_in_steps"), ==,
                  (gint64) (LAYERS * 2 * (m * (m + 1) / 2 + m * n) * d));
  g_assert_cmpint(fact(meta, "multiply_adds_scores_unmasked"), ==,
                  (gint64) (LAYERS * 2 * (n * n + m * (m + 1) / 2 + m * n) * d));

  g_autoptr(Npy) parts = npy_read(path, "parts");
  g_assert_cmpuint(parts->shape[0], ==, N_LINES);
  g_assert_cmpuint(parts->shape[1], ==, N_COLUMNS);
  double sum = 0;
  for (guint l = 0; l < N_LINES; l++) {
    const gsize row = l * N_COLUMNS;
    const double ms = npy_float(parts, row + MILLISECONDS);
    g_assert_cmpfloat(ms, >, 0);
    g_assert_cmpfloat(ms, <=, npy_float(parts, PASS * N_COLUMNS + MILLISECONDS));
    g_assert_true(isnan(npy_float(parts, row + MILLIONS)) == (l == OTHER));
    if (l == OTHER)
      continue;
    assert_near(npy_float(parts, row + SPEED), npy_float(parts, row + MILLIONS) / ms);
    sum += l < OTHER ? npy_float(parts, row + SHARE) : 0;
  }
  assert_near(sum, 1);
  assert_near(npy_float(parts, PASS * N_COLUMNS + MILLIONS),
              (double) fact(meta, "multiply_adds") / 1e6);
  json_object_put(meta);
}

/* A neighbourhood is not wider than the text; without passes there are no times. */
static void
test_short(void)
{
  g_autofree char *path = cli_scratch_path("short.npz");
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "complexity", "--passes", "0", "--caption", "-o", path, "Yes.", NULL);
  json_object *meta = read_meta(path);
  g_assert_cmpint(fact(meta, "restricted"), ==, fact(meta, "source_tokens"));
  g_assert_cmpint(fact(meta, "timed_passes"), ==, 0);
  g_assert_nonnull(strstr(run->out, "16 is more than the sentence"));
  g_assert_nonnull(strstr(run->out, "not timed"));
  g_autoptr(Npy) parts = npy_read(path, "parts");
  for (guint l = 0; l < N_LINES; l++)
    g_assert_true(isnan(npy_float(parts, l * N_COLUMNS + MILLISECONDS)));
  json_object_put(meta);
}

/* Search settings and changes count as elsewhere, and changes are said. */
static void
test_settings(void)
{
  g_autofree char *path = cli_scratch_path("settings.json");
  cli_succeeds(NULL, "complexity", "--beam", "1", "--max-length", "4", "--change", "cross 4.1 zero",
               "-o", path, DOGS, NULL);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  json_object_put(cli_assert_json(text));
  g_assert_nonnull(strstr(text, "\"badges\":[\"cross 4.1 zero\"]"));
  g_assert_nonnull(strstr(text, "\"target_tokens\":3")); /* the start token is one of four */
}

static void
test_formats(void)
{
  static const struct {
    const char *name, *begin;
  } files[] = {{"card.png", "\x89PNG"},
               {"card.svg", "<"},
               {"card.pdf", "%PDF-"},
               {"card.csv", "matrix,row_index,row,column_index,column,value\r\n"},
               {"card.json", "{"},
               {"card.npz", "PK\x03\x04"}};
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = cli_scratch_path(files[i].name), *data = NULL;
    gsize length;
    g_autoptr(CliRun) run = cli_run_ok(NULL, "complexity", "--passes", "1", "-o", path, DOGS, NULL);
    g_assert_cmpstr(run->out, ==, "");
    g_assert_cmpstr(run->err, ==, "");
    g_assert_true(g_file_get_contents(path, &data, &length, NULL));
    g_assert_cmpuint(length, >, 400);
    g_assert_cmpint(memcmp(data, files[i].begin, strlen(files[i].begin)), ==, 0);
  }
}

static void
test_refused(void)
{
  g_autofree char *path = cli_scratch_path("refused.png");
  static const char *const wrong[][3] = {
      {"--kernel", "1", "2 to"},
      {"--restricted", "0", "1 to"},
      {"--passes", "1002", "0 to 1001"},
      {"--change", "cross 9.1 zero", "9"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    cli_refuses(2, wrong[i][2], NULL, "complexity", wrong[i][0], wrong[i][1], "-o", path, DOGS,
                NULL);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  }
  cli_refuses(2, "one TEXT wanted", NULL, "complexity", "-o", path, NULL);
  cli_refuses(1, "/nonexistent/c.svg", NULL, "complexity", "--passes", "1", "-o",
              "/nonexistent/c.svg", DOGS, NULL);
}

TESTS()
{
  g_test_add_func("/cli-complexity/numbers", test_numbers);
  g_test_add_func("/cli-complexity/short", test_short);
  g_test_add_func("/cli-complexity/settings", test_settings);
  g_test_add_func("/cli-complexity/formats", test_formats);
  g_test_add_func("/cli-complexity/refused", test_refused);
}
