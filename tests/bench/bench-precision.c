/* bench-precision.c — what rounding the weights does to translations and to attention.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-precision MODEL-DIR PRECISION BEAMS SOURCE OUTPUT
 *
 * Translates the lines of SOURCE to OUTPUT, and captures each translation of the weights as stored
 * twice: with those weights, and with the rounded ones. Prints one JSON object: how many
 * translations are the same, how far attention is off (mean and largest difference of all weights
 * of a kind that are not masked), and by how much log-probabilities are, in the mean.
 */
#include <glib.h>
#include <math.h>
#include <mt.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  double sum, most;
  size_t n;
} Difference;

static void
add(Difference *d, double difference)
{
  d->sum += difference;
  d->most = fmax(d->most, difference);
  d->n++;
}

static void
check(const void *result, const mt_error *error)
{
  if (result)
    return;
  fprintf(stderr, "bench-precision: %s\n", error->message);
  exit(1);
}

static void
compare(const mt_capture *a, const mt_capture *b, Difference kinds[MT_N_KINDS],
        Difference *logprobs)
{
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    for (size_t l = 0; l < mt_capture_n_layers(a, k); l++)
      for (size_t h = 0; h < mt_capture_n_heads(a, k); h++) {
        mt_matrix x = mt_capture_weights(a, k, l, h), y = mt_capture_weights(b, k, l, h);
        for (size_t r = 0; r < x.rows; r++)
          for (size_t c = 0; c < x.cols; c++)
            if (!mt_capture_is_masked(a, k, l, h, r, c))
              add(&kinds[k],
                  fabs((double) mt_matrix_at(&x, r, c) - (double) mt_matrix_at(&y, r, c)));
      }
  for (size_t i = 0; i < mt_tokens_count(mt_capture_output(a)); i++)
    add(logprobs, fabs((double) mt_capture_logprobs(a)[i] - (double) mt_capture_logprobs(b)[i]));
}

static mt_session *
open_session(const char *dir, mt_precision precision)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(dir, &(mt_load_options){.precision = precision}, &error);
  check(model, &error);
  mt_session *session = mt_session_new(model, NULL, &error);
  check(session, &error);
  mt_model_unref(model);
  return session;
}

static mt_translation *
translate(mt_session *session, const char *text, size_t n_beams)
{
  mt_error error = {0};
  mt_search_params params = mt_search_params_default(mt_session_model(session));
  params.beam_size = n_beams;
  mt_translation *translation = mt_session_translate(session, text, &params, NULL, &error);
  check(translation, &error);
  return translation;
}

int
main(int argc, char **argv)
{
  static const char *const names[MT_N_KINDS] = {"encoder", "decoder", "cross"};
  mt_precision precision;
  char *text;
  if (argc != 6 || !mt_precision_find(argv[2], &precision) || atoi(argv[3]) < 1 ||
      !g_file_get_contents(argv[4], &text, NULL, NULL)) {
    fprintf(stderr, "usage: bench-precision MODEL-DIR PRECISION BEAMS SOURCE OUTPUT\n");
    return 2;
  }
  size_t n_beams = (size_t) atoi(argv[3]);
  FILE *out = fopen(argv[5], "w");
  if (!out) {
    perror(argv[5]);
    return 1;
  }
  mt_session *exact = open_session(argv[1], MT_PRECISION_STORED);
  mt_session *rounded = open_session(argv[1], precision);
  Difference kinds[MT_N_KINDS] = {{0}}, logprobs = {0};
  size_t n_same = 0, n = 0;
  g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);
  for (; lines[n]; n++) {
    mt_translation *a = translate(exact, lines[n], n_beams);
    mt_translation *b = translate(rounded, lines[n], n_beams);
    const char *found = mt_translation_hypothesis(b, 0)->text;
    fprintf(out, "%s\n", found);
    n_same += g_str_equal(found, mt_translation_hypothesis(a, 0)->text);
    mt_error error = {0};
    /* By the same session, which has the exact weights beside the rounded ones. */
    mt_capture *x = mt_session_capture(rounded, a, 0, 0, NULL, &error);
    mt_capture *y = mt_session_capture(rounded, a, 0, MT_CAPTURE_ROUNDED, NULL, &error);
    check(x && y ? x : NULL, &error);
    compare(x, y, kinds, &logprobs);
    mt_capture_unref(x);
    mt_capture_unref(y);
    mt_translation_unref(a);
    mt_translation_unref(b);
  }
  if (fclose(out) != 0) {
    perror(argv[5]);
    return 1;
  }
  printf("{\"precision\": \"%s\", \"beams\": %zu, \"lines\": %zu, \"same\": %zu", argv[2], n_beams,
         n, n_same);
  for (int k = 0; k < MT_N_KINDS; k++)
    printf(", \"%s\": {\"mean\": %.3g, \"most\": %.3g}", names[k],
           kinds[k].sum / (double) kinds[k].n, kinds[k].most);
  printf(", \"logprob\": %.3g}\n", logprobs.sum / (double) logprobs.n);
  mt_session_free(exact);
  mt_session_free(rounded);
  g_free(text);
  return 0;
}
