/* bench-effects.c — how long the effects of all heads on one sentence take, and one pass for each;
 * all patches of it; and a translation with three changes beside one without.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-effects MODEL-DIR [ROUNDS]
 *
 * Prints milliseconds: median, 95th percentile, least, most.
 */
#include "bench-times.h"
#include <mt.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_ROUNDS 1000
#define SENTENCE                                                                              \
  "The animal did not cross the busy street this morning because it was far too tired after " \
  "the long night."

static void
check(const void *result, const mt_error *error)
{
  if (result)
    return;
  fprintf(stderr, "bench-effects: %s\n", error->message);
  exit(1);
}

static void
run(mt_session *session, const mt_translation *translation, mt_ablation_kind kind)
{
  mt_error error = {0};
  const mt_ablation_params params = {.kind = kind};
  mt_ablation *effects = mt_ablation_new(session, translation, 0, &params, NULL, &error);
  check(effects, &error);
  mt_ablation_unref(effects);
}

/* Milliseconds of one translation with the model's own beams. */
static double
translate(mt_session *session, const mt_model *model, const mt_interventions *interventions)
{
  mt_error error = {0};
  const mt_hooks hooks = {.interventions = interventions};
  mt_search_params params = mt_search_params_default(model);
  const double start = now_ms();
  mt_translation *t = mt_session_translate(session, SENTENCE, &params, &hooks, &error);
  const double ms = now_ms() - start;
  check(t, &error);
  mt_translation_unref(t);
  return ms;
}

/* Milliseconds of the map of all patches: the sentence as it is, and with a change. */
static double
patch(mt_session *session, const mt_translation *translation, const mt_interventions *interventions)
{
  mt_error error = {0};
  const mt_hooks hooks = {.interventions = interventions};
  const double start = now_ms();
  mt_patching *patching = mt_patching_new(session, translation, 0, NULL, &hooks, &error);
  const double ms = now_ms() - start;
  check(patching, &error);
  mt_patching_unref(patching);
  return ms;
}

int
main(int argc, char **argv)
{
  long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 20;
  if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS) {
    fprintf(stderr, "usage: bench-effects MODEL-DIR [ROUNDS, 1 to %d]\n", MAX_ROUNDS);
    return 2;
  }
  static double ms[6][MAX_ROUNDS];
  mt_error error = {0};
  mt_model *model = mt_model_open(argv[1], NULL, &error);
  check(model, &error);
  mt_session *session = mt_session_new(model, NULL, &error);
  check(session, &error);
  mt_translation *translation = mt_session_translate(session, SENTENCE, NULL, NULL, &error);
  check(translation, &error);
  const mt_config *config = mt_model_config(model);
  /* Of heads that change little, so that the translation has as many steps. */
  mt_interventions *three = mt_interventions_parse(
      "three", "encoder 2.3 scale 0.99\ncross 4.1 scale 0.99\ndecoder 5.2 temperature 1.01",
      &error);
  check(three, &error);
  const mt_hypothesis *best = mt_translation_hypothesis(translation, 0);
  printf("model %s, %zu heads, %zu source and %zu target tokens, milliseconds\n\n",
         mt_model_name(model),
         config->n_layers[0] * config->n_heads[0] + 2 * config->n_layers[1] * config->n_heads[1],
         mt_tokens_count(mt_translation_source(translation)), mt_tokens_count(best->tokens));
  for (long r = -1; r < rounds; r++) {
    for (mt_ablation_kind kind = 0; kind <= MT_ABLATION_UNIFORM; kind++) {
      double start = now_ms();
      run(session, translation, kind);
      if (r >= 0)
        ms[kind][r] = now_ms() - start;
    }
    double start = now_ms();
    mt_translation *scored = mt_session_score(session, SENTENCE, best->text, -1, NULL, &error);
    check(scored, &error);
    mt_translation_unref(scored);
    if (r >= 0)
      ms[2][r] = now_ms() - start;
    double plain = translate(session, model, NULL), changed = translate(session, model, three);
    double patched = patch(session, translation, three);
    if (r >= 0) {
      ms[3][r] = plain;
      ms[4][r] = changed;
      ms[5][r] = patched;
    }
  }
  printf("%-34s %9s %9s %9s %9s %6s\n", "", "median", "p95", "least", "most", "runs");
  for (mt_ablation_kind kind = 0; kind <= MT_ABLATION_UNIFORM; kind++) {
    char name[64];
    snprintf(name, sizeof name, "effects of all heads, %s", mt_ablation_kind_name(kind));
    print_row(name, ms[kind], (size_t) rounds);
  }
  print_row("one scoring pass", ms[2], (size_t) rounds);
  print_row("a translation", ms[3], (size_t) rounds);
  print_row("with three changes", ms[4], (size_t) rounds);
  print_row("all patches", ms[5], (size_t) rounds);
  mt_interventions_unref(three);
  mt_translation_unref(translation);
  mt_session_free(session);
  mt_model_unref(model);
  return 0;
}
