/* test-cli-compare.c — regard-cli compare, and attend with a reference: another model, another
 * precision, other changes; its numbers against the weights of captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"

#include <json.h>
#include <math.h>
#include <string.h>

#define DOGS  "I have two dogs."
#define HUNDE "Ich habe zwei Hunde."

enum { HEADS = 8 };

/* x log2 (x / mean) */
static double
part(double x, double mean)
{
  return x > 0 ? x * log2(x / mean) : 0;
}

/* Jensen-Shannon of rows, a mean over rows, of head `at` of an array [layers][heads][rows][cols].
 */
static double
divergence(const Npy *a, const Npy *b, gsize at)
{
  const gsize rows = a->shape[2], cols = a->shape[3];
  double sum = 0;
  for (gsize i = at * rows * cols; i < (at + 1) * rows * cols; i++) {
    const double x = npy_float(a, i), y = npy_float(b, i), mean = (x + y) / 2;
    sum += (part(x, mean) + part(y, mean)) / 2;
  }
  return sum / (double) rows;
}

static double
bits_of(json_object *object, const char *name)
{
  json_object *heads, *head, *value;
  g_assert_true(json_object_object_get_ex(object, "heads", &heads));
  for (gsize i = 0; i < json_object_array_length(heads); i++) {
    head = json_object_array_get_idx(heads, i);
    g_assert_true(json_object_object_get_ex(head, "head", &value));
    if (strcmp(json_object_get_string(value), name) == 0) {
      g_assert_true(json_object_object_get_ex(head, "bits", &value));
      return json_object_get_double(value);
    }
  }
  g_assert_not_reached();
}

static void
test_numbers(void)
{
  g_autofree char *a = cli_scratch_path("a.npz"), *b = cli_scratch_path("b.npz");
  g_autoptr(CliRun) run = cli_run(NULL, "compare", "--json", "--change", "encoder 2 uniform",
                                  "--target", HUNDE, DOGS, NULL);
  g_autoptr(CliRun) plain = cli_run(NULL, "capture", "--target", HUNDE, "-o", a, DOGS, NULL);
  g_autoptr(CliRun) changed = cli_run(NULL, "capture", "--target", HUNDE, "--change",
                                      "encoder 2 uniform", "-o", b, DOGS, NULL);
  cli_assert_status(run, 0);
  cli_assert_status(plain, 0);
  cli_assert_status(changed, 0);
  json_object *object = json_tokener_parse(run->out), *value;
  g_assert_nonnull(object);
  g_autoptr(Npy) x = npy_read(a, "encoder_attentions"), y = npy_read(b, "encoder_attentions");
  g_assert_cmpfloat(bits_of(object, "encoder 1.1"), ==, 0);
  g_assert_cmpfloat(bits_of(object, "encoder 2.3"), >, 1e-3);
  g_assert_cmpfloat_with_epsilon(bits_of(object, "encoder 2.3"), divergence(x, y, HEADS + 2), 1e-5);
  g_assert_cmpfloat_with_epsilon(bits_of(object, "encoder 5.1"), divergence(x, y, 4 * HEADS), 1e-5);
  g_autoptr(Npy) p = npy_read(b, "logprobs");
  double sum = 0;
  for (gsize i = 0; i < p->n; i++)
    sum += npy_float(p, i);
  g_assert_true(json_object_object_get_ex(object, "logprob_b", &value));
  g_assert_cmpfloat_with_epsilon(json_object_get_double(value), sum, 1e-4);
  json_object_put(object);
}

/* The same change on both sides, the same precision, the same model: nothing moves. Others do. */
static void
test_references(void)
{
  g_autofree char *path = cli_scratch_path("x.svg"), *text = NULL;
  const char *frozen = g_getenv("REGARD_MODEL_DIR");
  g_autoptr(CliRun) same = cli_run(NULL, "compare", "--top", "1", "--change", "cross 4.1 zero",
                                   "--reference", "cross 4.1 zero", DOGS, NULL);
  cli_assert_status(same, 0);
  g_assert_nonnull(strstr(same->out, "\n 0.0000  encoder 1.1\n"));
  g_autoptr(CliRun) model =
      cli_run(NULL, "compare", "--top", "1", "--reference-model", frozen, DOGS, NULL);
  cli_assert_status(model, 0);
  g_assert_nonnull(strstr(model->out, "\n 0.0000  encoder 1.1\n"));
  g_autoptr(CliRun) rounded =
      cli_run(NULL, "compare", "--top", "1", "--reference-precision", "int8", DOGS, NULL);
  cli_assert_status(rounded, 0);
  g_assert_null(strstr(rounded->out, "\n 0.0000  "));
  g_autoptr(CliRun) picture = cli_run(NULL, "attend", "--reference-precision", "int8", "--kind",
                                      "decoder", "--head", "all", "-o", path, DOGS, NULL);
  cli_assert_status(picture, 0);
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
}

/* Two checkpoints of one training. */
static void
test_checkpoints(void)
{
  const char *source = g_getenv("REGARD_SOURCE");
  g_autofree char *checkpoints = g_build_filename(source, "models/learning/checkpoints", NULL);
  g_autoptr(GDir) dir = g_dir_open(checkpoints, 0, NULL);
  g_autofree char *first = NULL, *last = NULL;
  const char *name;
  while ((name = g_dir_read_name(dir))) {
    if (!g_str_has_prefix(name, "step-"))
      continue;
    if (!first || strcmp(name, first) < 0) {
      g_free(first);
      first = g_strdup(name);
    }
    if (!last || strcmp(name, last) > 0) {
      g_free(last);
      last = g_strdup(name);
    }
  }
  g_autofree char *a = g_build_filename(checkpoints, first, NULL);
  g_autofree char *b = g_build_filename(checkpoints, last, NULL);
  g_autoptr(CliRun) run = cli_run(NULL, "compare", "--model", b, "--reference-model", a, "--target",
                                  "b a", "--top", "3", "a b", NULL);
  cli_assert_status(run, 0);
  g_assert_true(g_str_has_prefix(run->out, "A  b a\nB  "));
  g_assert_null(strstr(run->out, "\n 0.0000  "));
}

static void
test_refused(void)
{
  g_autoptr(CliRun) same = cli_run(NULL, "compare", DOGS, NULL);
  cli_assert_complains(same, 2, "A and B are the same");
  g_autoptr(CliRun) change = cli_run(NULL, "compare", "--reference", "cross 9.1 zero", DOGS, NULL);
  cli_assert_complains(change, 2, "layer 9");
  g_autoptr(CliRun) missing =
      cli_run(NULL, "compare", "--reference-model", "/nonexistent", DOGS, NULL);
  cli_assert_status(missing, 1);
  g_autofree char *other =
      g_build_filename(g_getenv("REGARD_SOURCE"), "tests/data/checkpoints/odd-sizes-swish", NULL);
  g_autoptr(CliRun) shape = cli_run(NULL, "compare", "--reference-model", other, "the cat .", NULL);
  cli_assert_status(shape, 1);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/cli-compare/numbers", test_numbers);
  g_test_add_func("/cli-compare/references", test_references);
  g_test_add_func("/cli-compare/checkpoints", test_checkpoints);
  g_test_add_func("/cli-compare/refused", test_refused);
  return cli_test_run();
}
