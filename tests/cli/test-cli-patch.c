/* test-cli-patch.c — regard-cli patch: its numbers against translations scored with the same
 * patches, its list, its files, the change "patch" itself, and what is refused.
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
#define CATS  "I have two cats."
#define HUNDE "Ich habe zwei Hunde."

enum { LAYERS = 6, HEADS = 8, TOKENS = 7 }; /* of the frozen model, and of both texts */

/* log p of HUNDE for CATS, with a patch from DOGS; token from 0, or -1. */
static double
logprob(const char *text, const char *change, int token)
{
  g_autofree char *path = cli_scratch_path("scored.npz");
  cli_succeeds(NULL, "capture", "--target", HUNDE, "-o", path, "--patch-from", DOGS, "--change",
               change, text, NULL);
  g_autoptr(Npy) p = npy_read(path, "logprobs");
  double sum = 0;
  for (gsize i = 0; i < p->n; i++)
    sum += token < 0 || (gsize) token == i ? npy_float(p, i) : 0;
  return sum;
}

static void
test_numbers(void)
{
  static const struct {
    const char *change, *map;
    gsize at;
  } places[] = {{"encoder input token 4 patch", "encoder_stream", 3},
                {"encoder stream 3 token 4 patch", "encoder_stream", 3 * TOKENS + 3},
                {"decoder stream 5 token 4 patch", "decoder_stream", 5 * TOKENS + 3},
                {"decoder stream 6 token 3 patch", "decoder_stream", 6 * TOKENS + 2},
                {"encoder 2.3 patch", "encoder_heads", HEADS + 2},
                {"cross 4.8 patch", "cross_heads", 3 * HEADS + 7},
                {"decoder 6.2 patch", "decoder_heads", 5 * HEADS + 1}};
  for (int token = -1; token <= 3; token += 4) {
    g_autofree char *path = cli_scratch_path("patch.npz");
    g_autoptr(CliRun) run = token < 0 ? cli_run_ok(NULL, "patch", "--reference", DOGS, "--target",
                                                   HUNDE, "-o", path, CATS, NULL)
                                      : cli_run_ok(NULL, "patch", "--reference", DOGS, "--target",
                                                   HUNDE, "--token", "4", "-o", path, CATS, NULL);
    const double a = logprob(DOGS, "cross scale 1", token);
    const double b = logprob(CATS, "cross scale 1", token);
    for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
      g_autoptr(Npy) map = npy_read(path, places[i].map);
      const double share = (logprob(CATS, places[i].change, token) - b) / (a - b);
      g_assert_cmpfloat_with_epsilon(npy_float(map, places[i].at), share, 1e-3);
    }
    g_autoptr(Npy) stream = npy_read(path, "encoder_stream");
    g_assert_cmpuint(stream->shape[0], ==, LAYERS + 1);
    g_assert_cmpuint(stream->shape[1], ==, TOKENS);
  }
}

/* Sorted; the names are those of changes. */
static void
test_list(void)
{
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "patch", "--reference", DOGS, "--top", "400", "--token", "4", CATS, NULL);
  g_auto(GStrv) lines = g_strsplit(run->out, "\n", -1);
  guint n = 0;
  double last = INFINITY;
  for (guint i = 4; lines[i] && *lines[i]; i++, n++) {
    const double value = g_ascii_strtod(lines[i], NULL);
    g_assert_cmpfloat(value, <=, last);
    last = value;
  }
  g_assert_cmpuint(n, ==, 2 * (LAYERS + 1) * TOKENS + 3 * LAYERS * HEADS);
  g_assert_nonnull(strstr(run->out, "encoder input token 4  ▁cat"));
  g_autoptr(CliRun) few = cli_run(NULL, "patch", "--reference", DOGS, "--top", "5", CATS, NULL);
  g_assert_nonnull(strstr(few->out, "and 237 other states"));
}

static void
test_files(void)
{
  static const char *const files[] = {"x.svg", "x.png", "x.pdf", "x.csv", "x.json"};
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = cli_scratch_path(files[i]), *text = NULL;
    g_autoptr(CliRun) run = cli_run_ok(NULL, "patch", "--caption", "--change", "cross 4.8 zero",
                                       "-o", path, DOGS, NULL);
    g_assert_nonnull(strstr(run->out, "Each state alone is copied from the run of “" DOGS "”"));
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    if (i == 0)
      g_assert_nonnull(strstr(text, "changed: cross 4.8 zero"));
    if (i == 4) {
      g_autoptr(json_object) json = json_tokener_parse(text);
      g_assert_nonnull(json);
    }
  }
}

/* The whole stream brings the reference back, and what was changed is said. */
static void
test_change(void)
{
  g_autoptr(CliRun) run = cli_run_ok(CATS "\n", "translate", "--patch-from", DOGS, "--change",
                                     "encoder input patch", NULL);
  g_assert_cmpstr(run->out, ==, HUNDE "\n");
  g_autoptr(CliRun) json = cli_run_ok(CATS "\n", "translate", "--json", "--patch-from", DOGS,
                                      "--change", "encoder stream 3 token 4 patch", NULL);
  g_assert_nonnull(strstr(json->out, "encoder stream 3 token 4 patch"));
}

static void
test_refused(void)
{
  cli_refuses(2, "two different runs wanted", NULL, "patch", CATS, NULL);
  cli_refuses(1, "The texts have 3 and 7 tokens", NULL, "patch", "--reference", "No.", CATS, NULL);
  cli_refuses(2, "--token wants 1 to 7", NULL, "patch", "--reference", DOGS, "--token", "9", CATS,
              NULL);
  cli_refuses(1, "both runs say the same", NULL, "patch", "--change", "cross scale 1", CATS, NULL);
  cli_refuses(2, "\"patch\" wants the states of another run", NULL, "translate", "--change",
              "encoder 1 patch", NULL);
  cli_refuses(1, "copies from a run of 7 source tokens", "No.\n", "translate", "--patch-from", DOGS,
              "--change", "encoder 1 patch", NULL);
}

TESTS()
{
  g_test_add_func("/cli-patch/list", test_list);
  g_test_add_func("/cli-patch/refused", test_refused);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli-patch/numbers", test_numbers);
  g_test_add_func("/cli-patch/files", test_files);
  g_test_add_func("/cli-patch/change", test_change);
}
