/* bench-engine.c — how long the engine takes: tokenising, searching, capturing, and a long text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-engine MODEL-DIR [ROUNDS]
 *
 * The parts take turns, one of each in a round, so that a machine that gets slower or faster while
 * it measures treats all of them alike. Prints milliseconds: median, 95th percentile, least, most.
 */
#include "session/mt-session.h"

#include "bench-times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MAX_ROUNDS 1000
#define SENTENCE                                                                              \
  "The animal did not cross the busy street this morning because it was far too tired after " \
  "the long night."
#define LONG_TOKENS 512
/* Tokens of each step, as the window has them. */
#define TRACED 50

static double
peak_rss_mb(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double) usage.ru_maxrss / 1024;
}

static void
check(const void *result, const mt_error *error)
{
  if (result)
    return;
  fprintf(stderr, "bench-engine: %s\n", error->message);
  exit(1);
}

typedef struct {
  mt_model *model;
  mt_session *session;
  mt_search_params greedy, beam;
  mt_translation *translation; /* of SENTENCE, for the capture */
} Bench;

static void
run_open(Bench *b)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(mt_model_directory(b->model), NULL, &error);
  check(model, &error);
  mt_model_unref(model);
}

static void
run_tokenize(Bench *b)
{
  mt_error error = {0};
  mt_tokens *tokens = mt_model_tokenize(b->model, MT_STACK_ENCODER, SENTENCE, &error);
  check(tokens, &error);
  mt_tokens_unref(tokens);
}

static void
run_greedy(Bench *b)
{
  mt_error error = {0};
  mt_translation *t = mt_session_translate(b->session, SENTENCE, &b->greedy, NULL, &error);
  check(t, &error);
  mt_translation_unref(t);
}

/* As if the sentence before had been another one. */
static void
run_greedy_anew(Bench *b)
{
  mt_draft_clear(&b->session->draft);
  run_greedy(b);
}

static void
run_beam(Bench *b)
{
  mt_error error = {0};
  mt_translation *t = mt_session_translate(b->session, SENTENCE, &b->beam, NULL, &error);
  check(t, &error);
  mt_translation_unref(t);
}

/* What was considered at each step is kept. */
static void
run_traced(Bench *b, mt_search_params params)
{
  mt_error error = {0};
  params.trace = TRACED;
  mt_translation *t = mt_session_translate(b->session, SENTENCE, &params, NULL, &error);
  check(t, &error);
  mt_translation_unref(t);
}

static void
run_greedy_traced(Bench *b)
{
  mt_draft_clear(&b->session->draft);
  run_traced(b, b->greedy);
}

static void
run_beam_traced(Bench *b)
{
  run_traced(b, b->beam);
}

static void
run_capture(Bench *b)
{
  mt_error error = {0};
  mt_capture *c = mt_session_capture(b->session, b->translation, 0, 0, NULL, &error);
  check(c, &error);
  mt_capture_unref(c);
}

/* Somebody reads one number of each row of a hook point. */
static void
on_view(void *user, const mt_activation_view *view)
{
  double *sum = user;
  for (size_t r = 0; r < view->rows; r++)
    *sum += (double) view->data[r * view->stride];
}

static void
run_tapped(Bench *b, const mt_search_params *params, mt_hook_point hook_point)
{
  mt_error error = {0};
  double sum = 0;
  mt_activation_requests requests = {1, {{hook_point, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS}}};
  mt_hooks hooks = {.requests = &requests, .callback = {.on_view = on_view, .user = &sum}};
  mt_translation *t = mt_session_translate(b->session, SENTENCE, params, &hooks, &error);
  check(t, &error);
  mt_translation_unref(t);
}

static void
run_greedy_layers(Bench *b)
{
  mt_draft_clear(&b->session->draft);
  run_tapped(b, &b->greedy, MT_HOOK_LAYER_OUTPUT);
}

static void
run_greedy_weights(Bench *b)
{
  mt_draft_clear(&b->session->draft);
  run_tapped(b, &b->greedy, MT_HOOK_WEIGHTS);
}

static void
run_again_layers(Bench *b)
{
  run_tapped(b, &b->greedy, MT_HOOK_LAYER_OUTPUT);
}

static void
run_beam_layers(Bench *b)
{
  run_tapped(b, &b->beam, MT_HOOK_LAYER_OUTPUT);
}

static const struct {
  const char *name;
  void (*run)(Bench *bench);
} parts[] = {
    {"open the model", run_open},
    {"tokenise 20 words", run_tokenize},
    {"translate, greedy", run_greedy_anew},
    {"  with a tap on every layer", run_greedy_layers},
    {"  with a tap on all weights", run_greedy_weights},
    {"  with a trace of the search", run_greedy_traced},
    {"the same once more", run_greedy},
    {"  with a tap on every layer", run_again_layers},
    {"translate, beam 4", run_beam},
    {"  with a tap on every layer", run_beam_layers},
    {"  with a trace of the search", run_beam_traced},
    {"capture all heads", run_capture},
};
#define N_PARTS (sizeof parts / sizeof parts[0])

/* A text of exactly n tokens, </s> counted, made by repeating a word that is one token; NULL if
 * this vocabulary has no such word. Caller frees. */
static char *
text_of_tokens(const mt_model *model, mt_stack side, size_t n)
{
  static const char *const words[] = {"and", "the", "und", "die", "a"};
  for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
    size_t length = strlen(words[w]) + 1;
    char *text = malloc(n * length + 1), *end = text;
    if (!text)
      exit(1);
    for (size_t i = 0; i + 1 < n; i++)
      end = stpcpy(stpcpy(end, words[w]), " ");
    *end = '\0';
    mt_tokens *tokens = mt_model_tokenize(model, side, text, NULL);
    size_t found = tokens ? mt_tokens_count(tokens) : 0;
    mt_tokens_unref(tokens);
    if (found == n)
      return text;
    free(text);
  }
  return NULL;
}

/* 512 source tokens, 512 target tokens: the largest the bundled model takes. */
static void
run_long(Bench *b)
{
  size_t n = mt_model_config(b->model)->max_positions;
  if (n > LONG_TOKENS)
    n = LONG_TOKENS;
  char *source = text_of_tokens(b->model, MT_STACK_ENCODER, n);
  char *target = text_of_tokens(b->model, MT_STACK_DECODER, n);
  mt_error error = {0};
  double score_ms[3], capture_ms[3], before = peak_rss_mb();
  if (!source || !target) {
    printf("\nno word of this vocabulary is one token; the long text is left out\n");
    free(source);
    free(target);
    return;
  }
  size_t bytes = 0;
  for (size_t i = 0; i < 3; i++) {
    double start = now_ms();
    mt_translation *t = mt_session_score(b->session, source, target, -1, NULL, &error);
    check(t, &error);
    score_ms[i] = now_ms() - start;
    start = now_ms();
    mt_capture *c = mt_session_capture(b->session, t, 0, 0, NULL, &error);
    check(c, &error);
    capture_ms[i] = now_ms() - start;
    bytes = mt_capture_bytes(c);
    mt_capture_unref(c);
    mt_translation_unref(t);
  }
  char name[64];
  snprintf(name, sizeof name, "score %zu + %zu tokens", n, n);
  print_row(name, score_ms, 3);
  snprintf(name, sizeof name, "capture %zu + %zu tokens", n, n);
  print_row(name, capture_ms, 3);
  printf("\npeak memory: %.0f MB before the long text, %.0f MB after it "
         "(its capture holds %.0f MB)\n",
         before, peak_rss_mb(), (double) bytes / (1024 * 1024));
  free(source);
  free(target);
}

int
main(int argc, char **argv)
{
  long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 40;
  if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS) {
    fprintf(stderr, "usage: bench-engine MODEL-DIR [ROUNDS, 1 to %d]\n", MAX_ROUNDS);
    return 2;
  }
  static double ms[N_PARTS][MAX_ROUNDS];
  mt_error error = {0};
  Bench b = {.model = mt_model_open(argv[1], NULL, &error)};
  check(b.model, &error);
  b.session = mt_session_new(b.model, NULL, &error);
  check(b.session, &error);
  b.greedy = b.beam = mt_search_params_default(b.model);
  b.greedy.beam_size = 1;
  b.beam.beam_size = 4;
  b.translation = mt_session_translate(b.session, SENTENCE, &b.greedy, NULL, &error);
  check(b.translation, &error);
  printf("model %s, %zu source and %zu target tokens, milliseconds\n\n", mt_model_name(b.model),
         mt_tokens_count(mt_translation_source(b.translation)),
         mt_tokens_count(mt_translation_hypothesis(b.translation, 0)->tokens));

  /* Two rounds that do not count: caches and memory are as they will be. */
  for (long r = -2; r < rounds; r++)
    for (size_t i = 0; i < N_PARTS; i++) {
      double start = now_ms();
      parts[i].run(&b);
      if (r >= 0)
        ms[i][r] = now_ms() - start;
    }
  printf("%-34s %9s %9s %9s %9s %6s\n", "", "median", "p95", "least", "most", "runs");
  for (size_t i = 0; i < N_PARTS; i++)
    print_row(parts[i].name, ms[i], (size_t) rounds);
  run_long(&b);

  mt_translation_unref(b.translation);
  mt_session_free(b.session);
  mt_model_unref(b.model);
  return 0;
}
