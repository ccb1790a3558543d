/* bench-attribution.c — how long trust and the methods of attribution take, beside the capture of
 * the same sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-attribution MODEL-DIR [ROUNDS]
 *
 * Prints milliseconds: median, 95th percentile, least, most. A sentence, and, without the methods,
 * a long one.
 */
#include "bench-times.h"
#include <mt.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_ROUNDS  1000
#define MAX_METHODS 32
#define SENTENCE                                                                              \
  "The animal did not cross the busy street this morning because it was far too tired after " \
  "the long night."
#define LONG                                                                                  \
  SENTENCE " She did not want to go home, but it was already late, and the old man gave his " \
           "dog a piece of bread, and he asked me whether I had seen his keys. We had three " \
           "birds, and one of them could speak English. My brother bought an old house."

static void
check(const void *result, const mt_error *error)
{
  if (result)
    return;
  fprintf(stderr, "bench-attribution: %s\n", error->message);
  exit(1);
}

static double
time_capture(mt_session *session, const mt_translation *t)
{
  mt_error error = {0};
  const double start = now_ms();
  mt_capture *capture = mt_session_capture(session, t, 0, 0, NULL, &error);
  check(capture, &error);
  const double ms = now_ms() - start;
  mt_capture_unref(capture);
  return ms;
}

static double
time_trust(mt_session *session, const mt_translation *t)
{
  mt_error error = {0};
  const double start = now_ms();
  mt_source_contribution *trust = mt_source_contribution_new(session, t, 0, NULL, &error);
  check(trust, &error);
  mt_source_contribution_unref(trust);
  return now_ms() - start;
}

/* For one word, the last but </s>. */
static double
time_method(mt_session *session, const mt_translation *t, size_t method)
{
  mt_error error = {0};
  mt_attribution_params params = mt_attribution_params_default();
  params.method = method;
  params.token = (int) mt_tokens_count(mt_translation_hypothesis(t, 0)->tokens) - 2;
  const double start = now_ms();
  mt_attribution *a = mt_attribution_new(session, t, 0, &params, NULL, &error);
  check(a, &error);
  mt_attribution_unref(a);
  return now_ms() - start;
}

static void
run(mt_session *session, const char *text, bool has_methods, size_t rounds)
{
  const size_t n_methods = has_methods ? mt_attribution_count() : 0;
  static double ms[MAX_METHODS + 2][MAX_ROUNDS];
  mt_error error = {0};
  mt_translation *t = mt_session_translate(session, text, NULL, NULL, &error);
  check(t, &error);
  printf("\n%zu source and %zu target tokens, milliseconds\n",
         mt_tokens_count(mt_translation_source(t)),
         mt_tokens_count(mt_translation_hypothesis(t, 0)->tokens));
  for (size_t r = 0; r < rounds; r++) {
    ms[0][r] = time_capture(session, t);
    ms[1][r] = time_trust(session, t);
    for (size_t m = 0; m < n_methods; m++)
      ms[m + 2][r] = time_method(session, t, m);
  }
  printf("%-34s %9s %9s %9s %9s %6s\n", "", "median", "p95", "least", "most", "runs");
  print_row("a capture", ms[0], rounds);
  print_row("trust: ALTI+ of all words", ms[1], rounds);
  for (size_t m = 0; m < n_methods; m++) {
    char name[64];
    snprintf(name, sizeof name, "one word, %s", mt_attribution_at(m)->id);
    print_row(name, ms[m + 2], rounds);
  }
  fflush(stdout);
  mt_translation_unref(t);
}

int
main(int argc, char **argv)
{
  long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 20;
  if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS) {
    fprintf(stderr, "usage: bench-attribution MODEL-DIR [ROUNDS, 1 to %d]\n", MAX_ROUNDS);
    return 2;
  }
  mt_error error = {0};
  mt_model *model = mt_model_open(argv[1], NULL, &error);
  check(model, &error);
  mt_session *session = mt_session_new(model, NULL, &error);
  check(session, &error);
  printf("model %s\n", mt_model_name(model));
  run(session, SENTENCE, true, (size_t) rounds);
  run(session, LONG, false, (size_t) rounds);
  mt_session_free(session);
  mt_model_unref(model);
  return 0;
}
