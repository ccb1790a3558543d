/* test-cli-trace.c — regard-cli trace: arrays by name, their shapes, and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <string.h>

#define DOGS "I have two dogs."

enum { LAYERS = 6, HEADS = 8, WIDTH = 64 }; /* of the frozen model */

static void
assert_shape(const char *path, const char *name, gsize rows, gsize cols)
{
  g_autoptr(Npy) npy = npy_read(path, name);
  if (!npy)
    g_error("there is no array '%s'", name);
  g_assert_cmpuint(npy->n_dims, ==, 2);
  g_assert_cmpuint(npy->shape[0], ==, rows);
  if (cols > 0)
    g_assert_cmpuint(npy->shape[1], ==, cols);
}

static gboolean
has_array(const char *path, const char *name)
{
  g_autoptr(Npy) npy = npy_read(path, name);
  return npy != NULL;
}

static gsize
count_tokens(const char *path, const char *name)
{
  g_autoptr(Npy) npy = npy_read(path, name);
  g_assert_nonnull(npy);
  return npy->n;
}

/* Without options: every hook point but the logits, of every layer and head, and what belongs to
 * it. */
static void
test_all(void)
{
  g_autofree char *path = cli_scratch_path("all.npz");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "trace", "-o", path, DOGS, NULL);
  g_assert_nonnull(strstr(run->err, " tensors, "));
  gsize s = count_tokens(path, "source_tokens"), t = count_tokens(path, "output_tokens");
  g_assert_cmpuint(count_tokens(path, "decoder_input_tokens"), ==, t);
  assert_shape(path, "encoder.stream", s, WIDTH);
  assert_shape(path, "decoder.stack_output", t, WIDTH);
  assert_shape(path, "encoder.1.1.scores", s, s);
  assert_shape(path, "decoder.6.8.weights", t, t);
  assert_shape(path, "cross.4.2.query", t, WIDTH / HEADS);
  assert_shape(path, "cross.4.2.key", s, WIDTH / HEADS);
  assert_shape(path, "cross.4.2.weights", t, s);
  assert_shape(path, "cross.3.norm_input", t, WIDTH);
  assert_shape(path, "encoder.2.hidden", s, 0);
  assert_shape(path, "decoder.2.feed_forward_norm_input", t, WIDTH);
  assert_shape(path, "decoder.6.layer_output", t, WIDTH);
  g_assert_false(has_array(path, "decoder.logits"));
  g_assert_false(has_array(path, "interventions"));
  g_autoptr(Npy) meta = npy_read(path, "meta");
  g_autofree char *text = npy_string(meta, 0);
  json_object_put(cli_assert_json(text));
}

/* What is asked for and nothing else; a change is made, and said. */
static void
test_some(void)
{
  g_autofree char *path = cli_scratch_path("some.npz");
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "trace", "--site", "context", "--site", "logits", "--site", "hidden",
                 "--kind", "decoder", "--layer", "3", "--head", "2", "--change", "decoder 3.2 zero",
                 "--target", "Ich habe zwei Katzen.", "-o", path, DOGS, NULL);
  g_assert_nonnull(strstr(run->err, ": 3 tensors, "));
  gsize t = count_tokens(path, "output_tokens");
  assert_shape(path, "decoder.3.2.context", t, WIDTH / HEADS);
  assert_shape(path, "decoder.3.hidden", t, 0);
  assert_shape(path, "decoder.logits", t, 0);
  g_assert_false(has_array(path, "decoder.3.1.context"));
  g_autoptr(Npy) context = npy_read(path, "decoder.3.2.context");
  for (gsize i = 0; i < context->n; i++)
    g_assert_cmpfloat(npy_float(context, i), ==, 0);
  g_autoptr(Npy) interventions = npy_read(path, "interventions");
  g_autofree char *text = npy_string(interventions, 0);
  g_assert_cmpstr(text, ==, "decoder 3.2 zero");
}

/* One token: the same row as of all. */
static void
test_token(void)
{
  g_autofree char *all = cli_scratch_path("all.npz"), *one = cli_scratch_path("one.npz");
  cli_succeeds(NULL, "trace", "-o", all, DOGS, NULL);
  cli_succeeds(NULL, "trace", "--token", "3", "-o", one, DOGS, NULL);
  static const char *const names[] = {"encoder.2.hidden", "cross.4.2.query", "decoder.6.1.weights"};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(Npy) a = npy_read(all, names[i]), b = npy_read(one, names[i]);
    g_assert_cmpuint(b->shape[0], ==, 1);
    g_assert_cmpmem(a->data + 2 * b->length, b->length, b->data, b->length);
  }
  cli_refuses(1, "--token wants 1 to", NULL, "trace", "--token", "99", "-o", one, DOGS, NULL);
}

static void
test_refused(void)
{
  g_autofree char *path = cli_scratch_path("refused.npz");
  static const char *const wrong[][4] = {
      {"--site", "hiden", "hiden"},
      {"--layer", "7", "1 to 6"},
      {"--head", "9", "1 to 8"},
      {"--kind", "both", "encoder, decoder, cross"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    cli_refuses(2, wrong[i][2], NULL, "trace", wrong[i][0], wrong[i][1], "-o", path, DOGS, NULL);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  }
  cli_refuses(2, "-o FILE.npz is missing", NULL, "trace", DOGS, NULL);
  cli_refuses(2, "ends with .npz", NULL, "trace", "-o", "trace.csv", DOGS, NULL);
  cli_refuses(1, "/nonexistent/t.npz", NULL, "trace", "--site", "hidden", "-o",
              "/nonexistent/t.npz", DOGS, NULL);
}

TESTS()
{
  g_test_add_func("/cli-trace/all", test_all);
  g_test_add_func("/cli-trace/some", test_some);
  g_test_add_func("/cli-trace/token", test_token);
  g_test_add_func("/cli-trace/refused", test_refused);
}
