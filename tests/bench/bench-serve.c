/* bench-serve.c — translates what it is told to and says how long it took, for a benchmark that
 * compares programs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-serve MODEL-DIR
 *
 * Each line of standard input is
 *     PRECISION THREADS BEAM CAPTURE LENGTH TEXT
 * with CAPTURE 0 or 1 (all heads of the best hypothesis) and LENGTH the number of output tokens,
 * </s> included, neither more nor less. The answer is one line: milliseconds and tokens. Nothing is
 * remembered from one sentence to the next.
 */
#include "session/mt-session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE    20000
#define MAX_THREADS 16

static mt_model *models[MT_N_PRECISIONS];
static mt_session *sessions[MT_N_PRECISIONS][MAX_THREADS + 1][2];

static void
check(const void *result, const mt_error *error)
{
  if (result)
    return;
  fprintf(stderr, "bench-serve: %s\n", error->message);
  exit(1);
}

static mt_session *
get_session(const char *dir, mt_precision precision, unsigned n_threads, bool captures)
{
  mt_error error = {0};
  mt_session **session = &sessions[precision][n_threads][captures];
  if (!models[precision]) {
    models[precision] = mt_model_open(dir, &(mt_load_options){.precision = precision}, &error);
    check(models[precision], &error);
  }
  if (!*session) {
    mt_session_options options = {.n_threads = n_threads, .keeps_attention = captures};
    *session = mt_session_new(models[precision], &options, &error);
    check(*session, &error);
  }
  return *session;
}

static void
serve(const char *dir, char *line)
{
  char name[16];
  unsigned n_threads, captures;
  size_t beam, length;
  int text;
  mt_error error = {0};
  mt_precision precision = 0;
  if (sscanf(line, "%15s %u %zu %u %zu %n", name, &n_threads, &beam, &captures, &length, &text) !=
          5 ||
      n_threads < 1 || n_threads > MAX_THREADS) {
    fprintf(stderr, "bench-serve: cannot read '%s'\n", line);
    exit(2);
  }
  while (precision < MT_N_PRECISIONS && strcmp(mt_precision_name(precision), name) != 0)
    precision++;
  if (precision == MT_N_PRECISIONS) {
    fprintf(stderr, "bench-serve: there is no precision '%s'\n", name);
    exit(2);
  }
  mt_session *session = get_session(dir, precision, n_threads, captures);
  mt_search_params params = mt_search_params_default(mt_session_model(session));
  params.beam_size = beam;
  params.min_length = params.max_length = length + 1; /* with the start token */
  mt_draft_clear(&session->draft);

  double begin = mt_session_clock();
  mt_translation *t = mt_session_translate(session, line + text, &params, NULL, &error);
  check(t, &error);
  if (captures) {
    mt_capture *capture = mt_session_capture(session, t, 0, 0, NULL, &error);
    check(capture, &error);
    mt_capture_unref(capture);
  }
  double end = mt_session_clock();
  printf("%.4f %zu\n", end - begin, mt_tokens_count(mt_translation_hypothesis(t, 0)->tokens));
  fflush(stdout);
  mt_translation_unref(t);
}

int
main(int argc, char **argv)
{
  static char line[MAX_LINE];
  if (argc != 2) {
    fputs("usage: bench-serve MODEL-DIR\n", stderr);
    return 2;
  }
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    serve(argv[1], line);
  }
  return 0;
}
