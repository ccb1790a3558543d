/* bench-serve.c — translates what it is told to and says how long it took, for a benchmark that
 * compares programs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-serve MODEL-DIR [FROM TO]
 *
 * FROM and TO are languages of the model. Each line of standard input is
 *     PRECISION THREADS BEAM CAPTURE LENGTH TEXT
 * with PRECISION "stored" and so on, or "stored:never" or "stored:always", which say whether a
 * copy in int8 guesses ahead; CAPTURE 0, 1 (all heads of the best hypothesis) or 2 (the same,
 * computed with rounded weights if the search was); and LENGTH the number of output tokens, </s>
 * included, neither more nor less; the token of a language that a translation begins with is one of
 * them. TEXT may be @ and the name of a file, whose lines are translated as many at a time as the
 * engine thinks best, and without captures. The answer is one line: milliseconds and the number of
 * output tokens, "|", the ids of the output,
 * "|", those of the source, each with ";" between lines, "|", the bytes of the capture, "|",
 * the tokens that were guessed ahead and how many of them came true. Nothing is remembered from one
 * sentence to the next.
 */
#include "session/mt-session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE    20000
#define MAX_LINES   4096
#define MAX_THREADS 16

static mt_model *models[MT_N_PRECISIONS];
static mt_session *sessions[MT_N_PRECISIONS][MAX_THREADS + 1][2][MT_N_GUESSINGS];
static const char *source_language, *target_language; /* NULL: the model's own */

static void
check(const void *result, const mt_error *error)
{
  if (result)
    return;
  fprintf(stderr, "bench-serve: %s\n", error->message);
  exit(1);
}

/* The number of a language by `find`; -1: none was named. */
static int
get_language(const mt_model *model, const char *code,
             bool find(const mt_model *model, const char *code, size_t *i))
{
  size_t i;
  if (!code)
    return -1;
  if (!find(model, code, &i)) {
    fprintf(stderr, "bench-serve: the model has no language '%s'\n", code);
    exit(2);
  }
  return (int) i;
}

static void
put_ids(const mt_tokens *tokens)
{
  for (size_t i = 0; i < mt_tokens_count(tokens); i++)
    printf(" %" PRId32, mt_tokens_get(tokens, i)->id);
}

static mt_session *
get_session(const char *dir, mt_precision precision, mt_guessing guessing, unsigned n_threads,
            bool captures)
{
  mt_error error = {0};
  mt_session **session = &sessions[precision][n_threads][captures][guessing];
  if (!models[precision]) {
    models[precision] = mt_model_open(dir, &(mt_load_options){.precision = precision}, &error);
    check(models[precision], &error);
  }
  if (!*session) {
    mt_session_options options = {.n_threads = n_threads,
                                  .keeps_attention = captures,
                                  .guessing = guessing};
    *session = mt_session_new(models[precision], &options, &error);
    check(*session, &error);
  }
  return *session;
}

/* What stands behind the precision, which is cut off. */
static mt_guessing
get_guessing(char *name)
{
  char *at = strchr(name, ':');
  if (!at)
    return MT_GUESSING_WHERE_IT_PAYS;
  *at = '\0';
  return strcmp(at + 1, "always") == 0 ? MT_GUESSING_ALWAYS : MT_GUESSING_NEVER;
}

static mt_precision
get_precision(const char *name)
{
  for (mt_precision precision = 0; precision < MT_N_PRECISIONS; precision++)
    if (strcmp(mt_precision_name(precision), name) == 0)
      return precision;
  fprintf(stderr, "bench-serve: there is no precision '%s'\n", name);
  exit(2);
}

/* Translations of the lines of a file, or of one text. */
typedef struct {
  FILE *file;
  char line[MAX_LINE];
  mt_translation *translations[MAX_LINES];
  size_t n;
} serve_lines;

static const char *
next_line(void *user)
{
  serve_lines *lines = user;
  if (!fgets(lines->line, sizeof lines->line, lines->file))
    return NULL;
  lines->line[strcspn(lines->line, "\n")] = '\0';
  return lines->line;
}

static void
on_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  serve_lines *lines = user;
  check(translation, error);
  if (i >= MAX_LINES) {
    fprintf(stderr, "bench-serve: a file has at most %d lines\n", MAX_LINES);
    exit(2);
  }
  lines->translations[i] = mt_translation_ref(translation);
  lines->n = i + 1;
}

static void
translate_file(mt_session *session, const char *name, const mt_search_params *params,
               serve_lines *lines)
{
  mt_error error = {0};
  lines->file = fopen(name, "r");
  if (!lines->file) {
    fprintf(stderr, "bench-serve: cannot open '%s'\n", name);
    exit(2);
  }
  mt_texts texts = {.next = next_line, .on_result = on_result, .user = lines};
  if (!mt_session_translate_many(session, &texts, params, &error))
    check(NULL, &error);
  fclose(lines->file);
}

static void
put_answer(double ms, const serve_lines *lines, size_t bytes, const mt_self_draft *guesses)
{
  size_t n = 0;
  for (size_t i = 0; i < lines->n; i++)
    n += mt_tokens_count(mt_translation_hypothesis(lines->translations[i], 0)->tokens);
  printf("%.4f %zu |", ms, n);
  for (size_t i = 0; i < lines->n; i++) {
    printf("%s", i > 0 ? " ;" : "");
    put_ids(mt_translation_hypothesis(lines->translations[i], 0)->tokens);
  }
  printf(" |");
  for (size_t i = 0; i < lines->n; i++) {
    printf("%s", i > 0 ? " ;" : "");
    put_ids(mt_translation_source(lines->translations[i]));
  }
  printf(" | %zu | %zu %zu\n", bytes, guesses->n_guessed, guesses->n_true);
  fflush(stdout);
}

static void
serve(const char *dir, const char *line)
{
  static serve_lines lines;
  char name[16];
  unsigned n_threads, captures;
  size_t beam, length;
  int text;
  mt_error error = {0};
  size_t bytes = 0;
  mt_self_draft guesses = {0};
  if (sscanf(line, "%15s %u %zu %u %zu %n", name, &n_threads, &beam, &captures, &length, &text) !=
          5 ||
      n_threads < 1 || n_threads > MAX_THREADS || captures > 2) {
    fprintf(stderr, "bench-serve: cannot read '%s'\n", line);
    exit(2);
  }
  const mt_guessing guessing = get_guessing(name);
  mt_session *session = get_session(dir, get_precision(name), guessing, n_threads, captures > 0);
  const mt_model *model = mt_session_model(session);
  mt_search_params params = mt_search_params_default(model);
  params.source_language = get_language(model, source_language, mt_model_find_source_language);
  params.language = get_language(model, target_language, mt_model_find_language);
  params.beam_size = beam;
  params.min_length = params.max_length = length + 1; /* with the start token */
  mt_draft_clear(&session->draft);

  double begin = mt_session_clock();
  if (line[text] == '@') {
    translate_file(session, line + text + 1, &params, &lines);
  } else {
    mt_translation *t = mt_session_translate(session, line + text, &params, NULL, &error);
    guesses = session->run.self_draft;
    on_result(&lines, 0, t, &error);
    mt_translation_unref(t);
    if (captures) {
      mt_capture *capture =
          mt_session_capture(session, t, 0, captures == 2 ? MT_CAPTURE_ROUNDED : 0, NULL, &error);
      check(capture, &error);
      bytes = mt_capture_bytes(capture);
      mt_capture_unref(capture);
    }
  }
  double end = mt_session_clock();
  put_answer(end - begin, &lines, bytes, &guesses);
  for (size_t i = 0; i < lines.n; i++)
    mt_translation_unref(lines.translations[i]);
  lines.n = 0;
}

int
main(int argc, char **argv)
{
  static char line[MAX_LINE];
  if (argc != 2 && argc != 4) {
    fputs("usage: bench-serve MODEL-DIR [FROM TO]\n", stderr);
    return 2;
  }
  if (argc == 4) {
    source_language = argv[2];
    target_language = argv[3];
  }
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    serve(argv[1], line);
  }
  return 0;
}
