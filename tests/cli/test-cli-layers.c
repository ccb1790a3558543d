/* test-cli-layers.c — regard-cli layers and lens: their numbers against a trace of the same pass,
 * their pictures, and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define DOGS "I have two dogs."

enum { LAYERS = 6, WIDTH = 64 }; /* of the frozen model */

static double
norm_of_row(const Npy *m, gsize row)
{
  const gsize d = m->shape[1];
  double sum = 0;
  for (gsize i = 0; i < d; i++)
    sum += pow(npy_float(m, row * d + i), 2);
  return sqrt(sum);
}

/* Norms of the stream and of what is added, from the tensors themselves. */
static void
test_norms(void)
{
  g_autofree char *path = cli_scratch_path("layers.npz"), *trace = cli_scratch_path("trace.npz");
  cli_succeeds(NULL, "layers", "--stack", "both", "-o", path, DOGS, NULL);
  cli_succeeds(NULL, "trace", "-o", trace, DOGS, NULL);
  g_autoptr(Npy) norm = npy_read(path, "decoder_norm"), added = npy_read(path, "decoder_added");
  g_autoptr(Npy) names = npy_read(path, "decoder_norm_columns");
  g_autoptr(Npy) output = npy_read(trace, "decoder.6.layer_output");
  g_autoptr(Npy) cross = npy_read(trace, "cross.2.attention_output");
  const gsize points = 1 + 3 * LAYERS;
  g_assert_cmpuint(norm->shape[1], ==, points);
  g_assert_cmpuint(norm->shape[0], ==, output->shape[0]);
  g_autofree char *name = npy_string(names, 5);
  g_assert_cmpstr(name, ==, "2 cross");
  for (gsize t = 0; t < norm->shape[0]; t++) {
    const double last = norm_of_row(output, t), second = norm_of_row(cross, t);
    g_assert_cmpfloat_with_epsilon(npy_float(norm, t * points + points - 1), last, 1e-4 * last);
    g_assert_cmpfloat_with_epsilon(npy_float(added, t * points + 5), second, 1e-4 * second);
    g_assert_true(isnan(npy_float(added, t * points)));
  }
  g_autoptr(Npy) shown = npy_read(path, "shown_decoder");
  g_assert_cmpmem(shown->data, shown->length, norm->data, norm->length);
  g_autoptr(Npy) encoder = npy_read(path, "encoder_collapse");
  g_assert_cmpuint(encoder->shape[1], ==, 1 + 2 * LAYERS);
  g_assert_null(npy_read(path, "decoder_best"));
}

/* The last point is what the model says: the softmax of the traced logits. */
static void
test_lens(void)
{
  g_autofree char *path = cli_scratch_path("lens.npz"), *trace = cli_scratch_path("logits.npz");
  cli_succeeds(NULL, "lens", "-o", path, DOGS, NULL);
  cli_succeeds(NULL, "trace", "--site", "logits", "-o", trace, DOGS, NULL);
  g_autoptr(Npy) best = npy_read(path, "decoder_best");
  g_autoptr(Npy) probability = npy_read(path, "decoder_probability");
  g_autoptr(Npy) rank = npy_read(path, "decoder_final_rank");
  g_autoptr(Npy) divergence = npy_read(path, "decoder_divergence");
  g_autoptr(Npy) logits = npy_read(trace, "decoder.logits");
  const gsize n = logits->shape[1], points = best->shape[1];
  for (gsize t = 0; t < best->shape[0]; t++) {
    const gsize at = t * points + points - 1;
    gsize largest = 0;
    double sum = 0;
    for (gsize v = 1; v < n; v++)
      if (npy_float(logits, t * n + v) > npy_float(logits, t * n + largest))
        largest = v;
    for (gsize v = 0; v < n; v++)
      sum += exp((double) npy_float(logits, t * n + v) - npy_float(logits, t * n + largest));
    g_assert_cmpfloat(npy_float(best, at), ==, largest);
    g_assert_cmpfloat_with_epsilon(npy_float(probability, at), 1 / sum, 1e-4);
    g_assert_cmpfloat(npy_float(rank, at), ==, 1);
    g_assert_cmpfloat_with_epsilon(npy_float(divergence, at), 0, 1e-4);
  }
}

static void
test_pictures(void)
{
  static const char *const shown[] = {"norm", "added", "cosine", "active", "collapse"};
  for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
    g_autofree char *path = cli_scratch_path("shown.svg"), *svg = NULL;
    g_autoptr(CliRun) run = cli_run(NULL, "layers", "--show", shown[i], "--stack", "both",
                                    "--caption", "-o", path, DOGS, NULL);
    cli_assert_status(run, 0);
    g_assert_true(g_file_get_contents(path, &svg, NULL, NULL));
    g_assert_nonnull(strstr(svg, "Encoder"));
    g_assert_nonnull(strstr(svg, "6 ffn"));
    g_assert_true(g_str_has_prefix(run->out, "Layers, "));
  }
  static const char *const colors[] = {"probability", "entropy", "divergence", "rank"};
  for (guint i = 0; i < G_N_ELEMENTS(colors); i++) {
    g_autofree char *path = cli_scratch_path("lens.svg"), *svg = NULL;
    g_autoptr(CliRun) run = cli_run(NULL, "lens", "--colour", colors[i], "--dark", "--stack",
                                    i % 2 ? "encoder" : "decoder", "-o", path, DOGS, NULL);
    cli_assert_status(run, 0);
    g_assert_true(g_file_get_contents(path, &svg, NULL, NULL));
    g_assert_nonnull(strstr(svg, i % 2 ? "▁have" : "⏎"));
  }
  static const char *const files[] = {"x.png", "x.pdf", "x.csv", "x.json"};
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = cli_scratch_path(files[i]);
    g_autoptr(CliRun) run = cli_run(NULL, "lens", "-o", path, DOGS, NULL);
    cli_assert_status(run, 0);
    g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
  }
}

/* A cell: the two norms computed again from what is written; neurons in their order. */
static void
test_cell(void)
{
  g_autofree char *path = cli_scratch_path("cell.npz"),
                  *texts = cli_scratch_file("batch.txt", "I have a dog.\nWe see two cats.\n");
  cli_succeeds(NULL, "layers", "--show", "cell", "--layer", "2", "--sub-layer", "ffn", "--token",
               "3", "--batch", texts, "-o", path, DOGS, NULL);
  g_autoptr(Npy) x = npy_read(path, "read"), gain = npy_read(path, "gain");
  g_autoptr(Npy) bias = npy_read(path, "bias"), layer = npy_read(path, "layer_norm");
  g_autoptr(Npy) mean = npy_read(path, "batch_mean"), sigma = npy_read(path, "batch_sigma");
  g_autoptr(Npy) batch = npy_read(path, "batch_norm"), neurons = npy_read(path, "neurons");
  double mu = 0, variance = 0;
  for (gsize i = 0; i < x->n; i++)
    mu += npy_float(x, i) / (double) x->n;
  for (gsize i = 0; i < x->n; i++)
    variance += pow(npy_float(x, i) - mu, 2) / (double) x->n;
  for (gsize i = 0; i < x->n; i++) {
    g_assert_cmpfloat_with_epsilon(npy_float(layer, i),
                                   npy_float(gain, i) * (npy_float(x, i) - mu) /
                                           sqrt(variance + 1e-5) +
                                       npy_float(bias, i),
                                   1e-4);
    g_assert_cmpfloat_with_epsilon(npy_float(batch, i),
                                   npy_float(gain, i) * (npy_float(x, i) - npy_float(mean, i)) /
                                           npy_float(sigma, i) +
                                       npy_float(bias, i),
                                   1e-4);
  }
  const gsize columns = neurons->shape[1];
  for (gsize i = 1; i < neurons->shape[0]; i++)
    g_assert_cmpfloat(fabs(npy_float(neurons, i * columns)), <=,
                      fabs(npy_float(neurons, (i - 1) * columns)));
  cli_refuses(1, "no sub-layer '1 cross'", NULL, "layers", "--show", "cell", "--stack", "encoder",
              "--sub-layer", "cross", "-o", path, DOGS, NULL);
  cli_refuses(1, "--token wants 1 to", NULL, "layers", "--show", "cell", "--token", "99", "-o",
              path, DOGS, NULL);
  cli_refuses(1, "/nonexistent/b.txt", NULL, "layers", "--show", "cell", "--batch",
              "/nonexistent/b.txt", "-o", path, DOGS, NULL);
}

/* Embedding + position = sum; what a token gave to a state are shares. */
static void
test_others(void)
{
  g_autofree char *path = cli_scratch_path("other.npz");
  cli_succeeds(NULL, "layers", "--show", "embedding", "--stack", "encoder", "--piece", "have", "-o",
               path, DOGS, NULL);
  g_autoptr(Npy) e = npy_read(path, "embedding"), p = npy_read(path, "position");
  g_autoptr(Npy) sum = npy_read(path, "sum"), nearest = npy_read(path, "nearest");
  for (gsize i = 0; i < sum->n; i++)
    g_assert_cmpfloat_with_epsilon(npy_float(sum, i), npy_float(e, i) + npy_float(p, i), 1e-5);
  for (gsize i = 1; i < nearest->shape[0]; i++)
    g_assert_cmpfloat(npy_float(nearest, 2 * i + 1), <=, npy_float(nearest, 2 * i - 1));
  cli_refuses(1, "no piece that begins with 'qqqqzz'", NULL, "layers", "--show", "embedding",
              "--piece", "qqqqzz", "-o", path, DOGS, NULL);

  cli_succeeds(NULL, "layers", "--show", "graph", "--threshold", "0.02", "-o", path, DOGS, NULL);
  static const char *const names[] = {"encoder_3_self", "decoder_2_cross", "decoder_6_ffn"};
  for (guint k = 0; k < G_N_ELEMENTS(names); k++) {
    g_autoptr(Npy) shares = npy_read(path, names[k]);
    const gsize columns = shares->shape[1];
    for (gsize r = 0; r < shares->shape[0]; r++) {
      double all = 0;
      for (gsize c = 0; c < columns; c++) {
        g_assert_cmpfloat(npy_float(shares, r * columns + c), >=, 0);
        all += npy_float(shares, r * columns + c);
      }
      g_assert_cmpfloat_with_epsilon(all, 1, 1e-4);
    }
  }
}

/* The model that is made to collapse does, and the one beside it does not. */
static void
test_collapse(void)
{
  static const char *const models[] = {"models/collapsed", "models/by-hand"};
  for (guint i = 0; i < G_N_ELEMENTS(models); i++) {
    g_autofree char *path = cli_scratch_path("collapse.npz"), *model = cli_source_path(models[i]);
    cli_succeeds(NULL, "layers", "-m", model, "--show", "collapse", "--stack", "encoder", "-o",
                 path, "cat dog bird fish", NULL);
    g_autoptr(Npy) collapse = npy_read(path, "encoder_collapse");
    const gsize last = collapse->shape[1] - 1;
    if (i == 0) {
      g_assert_cmpfloat(npy_float(collapse, 0), <, 0.1);
      g_assert_cmpfloat(npy_float(collapse, last), >, 0.99);
      for (gsize p = 1; p <= last; p++)
        g_assert_cmpfloat(npy_float(collapse, p), >, npy_float(collapse, p - 1) - 1e-5);
    } else
      g_assert_cmpfloat(npy_float(collapse, last), <, 0.5);
  }
}

static void
test_refused(void)
{
  static const char *const wrong[][4] = {
      {"layers", "--show", "lens", "norm, added"},
      {"layers", "--stack", "middle", "encoder, decoder, both"},
      {"lens", "--colour", "red", "probability, entropy"},
  };
  g_autofree char *path = cli_scratch_path("refused.svg");
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    cli_refuses(2, wrong[i][3], NULL, wrong[i][0], wrong[i][1], wrong[i][2], "-o", path, DOGS,
                NULL);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  }
  cli_refuses(2, "one TEXT wanted", NULL, "lens", "-o", path, NULL);
}

TESTS()
{
  g_test_add_func("/cli-layers/cell", test_cell);
  g_test_add_func("/cli-layers/others", test_others);
  g_test_add_func("/cli-layers/refused", test_refused);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli-layers/norms", test_norms);
  g_test_add_func("/cli-layers/lens", test_lens);
  g_test_add_func("/cli-layers/pictures", test_pictures);
  g_test_add_func("/cli-layers/collapse", test_collapse);
}
