/* test-effects.c — effects of heads, computed for many at once, against one scoring pass for each
 * head with its change; and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"
#include "text/mt-tokens.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-4
#define FROZEN    "tests/data/frozen/en-de"
#define DOGS      "I have two dogs."
/* More rows than go through the model at once. */
#define LONG                                                                                    \
  "She did not want to go home, but it was already late, and the old man gave his dog a piece " \
  "of bread, and he asked me whether I had seen his keys."

static const char *const kind_names[MT_N_KINDS] = {"encoder", "decoder", "cross"};

typedef struct {
  mt_model *model;
  mt_session *session;
  mt_translation *translation;
  mt_means *means; /* of its own translation */
} Fixture;

static Fixture
open_fixture(const char *dir, const char *text)
{
  mt_error error = {0};
  Fixture f = {.model = sentences_model(dir)};
  f.session = sentences_session(f.model, 2, false);
  mt_search_params params = mt_search_params_default(f.model);
  params.max_length = 40;
  f.translation = mt_session_translate(f.session, text, &params, NULL, &error);
  mt_means_sum *sum = mt_means_sum_new(f.session, &error);
  g_assert_true(mt_means_sum_add(sum, f.translation, 0, NULL, &error));
  f.means = mt_means_sum_finish(sum, "test", &error);
  mt_means_sum_free(sum);
  g_assert_cmpstr(error.message, ==, "");
  return f;
}

static void
close_fixture(Fixture *f)
{
  mt_means_unref(f->means);
  mt_translation_unref(f->translation);
  mt_session_free(f->session);
  mt_model_unref(f->model);
}

static mt_ablation *
effects_of(const Fixture *f, const mt_ablation_params *params, const mt_hooks *hooks)
{
  mt_error error = {0};
  mt_ablation *effects = mt_ablation_new(f->session, f->translation, 0, params, hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return effects;
}

/* ---- The simple way ----------------------------------------------------------------------------
 */

typedef struct {
  float *margins; /* [tokens] logit(target) - logit(against) */
  const int32_t *targets;
  int32_t foil;
} Margins;

static void
on_logits(void *user, const mt_activation_view *view)
{
  const Margins *m = user;
  for (size_t r = 0; r < view->rows; r++) {
    const float *row = view->data + r * view->stride;
    m->margins[view->first_row + r] = row[m->targets[view->first_row + r]] - row[m->foil];
  }
}

/* One pass: log-probabilities and margins [tokens]. */
static void
score(const Fixture *f, const char *interventions, int32_t foil, float *logprobs, float *margins)
{
  mt_error error = {0};
  mt_forced forced;
  g_assert_true(mt_session_forced_hypothesis(f->session, f->translation, 0, NULL, &forced, &error));
  Margins m = {margins, forced.output, foil};
  mt_activation_requests requests = {1,
                                     {{MT_HOOK_LOGITS, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS}}};
  mt_hooks hooks = {.requests = &requests, .callback = {on_logits, &m, false}};
  g_autoptr(mt_interventions) parsed = sentences_parse(interventions);
  hooks.interventions = mt_interventions_with_means(parsed, f->means, &error);
  g_assert_true(mt_session_force(f->session, &forced, logprobs, NULL, &hooks, &error));
  mt_forced_clear(&forced);
  mt_interventions_unref((mt_interventions *) hooks.interventions);
}

/* Every number against a pass of its own; base: changes that are made anyway, "" or lines. */
static void
check(const Fixture *f, mt_ablation_kind effect, const char *base)
{
  mt_error error = {0};
  mt_hooks hooks = {.interventions = mt_interventions_parse("base", base, &error)};
  const size_t n = mt_tokens_count(mt_translation_hypothesis(f->translation, 0)->tokens);
  const mt_ablation_params params = {
      .kind = effect, .means = f->means, .has_contrast = true, .token = n / 2, .foil = 7};
  g_autoptr(mt_ablation) effects = effects_of(f, &params, &hooks);
  g_autofree float *clean = g_new0(float, n), *margins = g_new0(float, n);
  g_autofree float *changed = g_new0(float, n), *changed_margins = g_new0(float, n);
  double largest = 0;
  score(f, base, 7, clean, margins);
  g_assert_cmpuint(effects->n_tokens, ==, n);
  g_assert_cmpfloat_with_epsilon(effects->margin, margins[n / 2], TOLERANCE);
  for (size_t t = 0; t < n; t++)
    g_assert_cmpfloat_with_epsilon(effects->logprobs[t], clean[t], TOLERANCE);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t l = 0; l < effects->n_layers[kind]; l++)
      for (size_t h = 0; h < effects->n_heads[kind]; h++) {
        g_autofree char *text = g_strdup_printf("%s\n%s %zu.%zu %s", base, kind_names[kind], l + 1,
                                                h + 1, mt_ablation_kind_name(effect));
        const float *tokens = mt_ablation_tokens(effects, kind, l, h);
        double sum = 0;
        score(f, text, 7, changed, changed_margins);
        for (size_t t = 0; t < n; t++) {
          g_assert_cmpfloat_with_epsilon(tokens[t], clean[t] - changed[t], TOLERANCE);
          sum += (double) tokens[t];
          largest = MAX(largest, fabs((double) tokens[t]));
        }
        g_assert_cmpfloat_with_epsilon(mt_ablation_get(effects, kind, l, h), sum, 1e-6);
        g_assert_cmpfloat_with_epsilon(mt_ablation_contrast(effects, kind, l, h),
                                       margins[n / 2] - changed_margins[n / 2], TOLERANCE);
      }
  g_assert_cmpfloat(largest, >, 1e-3);
  mt_interventions_unref((mt_interventions *) hooks.interventions);
}

static void
test_frozen(void)
{
  Fixture f = open_fixture(FROZEN, DOGS);
  check(&f, MT_ABLATION_ZERO, "");
  check(&f, MT_ABLATION_UNIFORM, "");
  check(&f, MT_ABLATION_MEAN, "");
  check(&f, MT_ABLATION_UNIFORM, "cross 4.1 zero\nencoder 2 window 1\nsource 2 hide");
  close_fixture(&f);
}

static void
test_long(void)
{
  Fixture f = open_fixture(FROZEN, LONG);
  check(&f, MT_ABLATION_ZERO, "");
  close_fixture(&f);
}

static void
test_checkpoints(void)
{
  static const char *const names[] = {"pre-norm-gelu-learned", "pre-norm-plain",
                                      "odd-sizes-swish",       "post-norm-final-norm",
                                      "separate-vocabularies", "toy/t5"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *dir = i + 1 == G_N_ELEMENTS(names)
                               ? g_strdup(names[i])
                               : g_strdup_printf("tests/data/checkpoints/%s", names[i]);
    Fixture f = open_fixture(dir, "the cat sat on the mat .");
    check(&f, MT_ABLATION_ZERO, "");
    check(&f, MT_ABLATION_MEAN, "");
    check(&f, MT_ABLATION_UNIFORM, "decoder 1.1 zero");
    close_fixture(&f);
  }
}

/* ---- Hooks and mistakes ------------------------------------------------------------------------
 */

typedef struct {
  guint n_asked, stops_at;
  double share;
} Watch;

static bool
should_stop(void *user)
{
  Watch *watch = user;
  return ++watch->n_asked == watch->stops_at;
}

static void
on_progress(void *user, double share)
{
  Watch *watch = user;
  g_assert_cmpfloat(share, >, watch->share);
  watch->share = share;
}

/* Wherever it is stopped, nothing is left, and the next one is whole. */
static void
test_cancel(void)
{
  Fixture f = open_fixture(FROZEN, DOGS);
  mt_error error = {0};
  Watch watch = {0};
  const mt_hooks hooks = {.should_stop = should_stop, .user = &watch};
  const mt_ablation_params params = {.on_progress = on_progress, .user = &watch};
  g_autoptr(mt_ablation) whole = effects_of(&f, &params, &hooks);
  g_assert_cmpfloat(watch.share, ==, 1);
  const guint n = watch.n_asked;
  for (guint at = 1; at <= n; at += 7) {
    watch = (Watch){.stops_at = at};
    g_assert_null(mt_ablation_new(f.session, f.translation, 0, &params, &hooks, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
  }
  g_autoptr(mt_ablation) again = effects_of(&f, NULL, NULL);
  const size_t n_tokens = whole->n_tokens;
  g_assert_cmpmem(mt_ablation_tokens(whole, MT_CROSS, 5, 7), n_tokens * sizeof(float),
                  mt_ablation_tokens(again, MT_CROSS, 5, 7), n_tokens * sizeof(float));
  g_assert_false(again->has_contrast);
  mt_ablation_unref(mt_ablation_ref(whole));
  close_fixture(&f);
}

static void
refuse(const Fixture *f, size_t index, const mt_ablation_params *params, const char *interventions,
       const char *expected)
{
  mt_error error = {0};
  const mt_hooks hooks = {.interventions = mt_interventions_parse("test", interventions, &error)};
  g_assert_null(mt_ablation_new(f->session, f->translation, index, params, &hooks, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_nonnull(strstr(error.message, expected));
  mt_interventions_unref((mt_interventions *) hooks.interventions);
}

static void
test_refused(void)
{
  Fixture f = open_fixture(FROZEN, DOGS);
  refuse(&f, 99, NULL, "", "hypothesis 100");
  refuse(&f, 0, NULL, "cross 7.1 zero", "layer 7");
  refuse(&f, 0, NULL, "source 99 hide", "source token 99");
  refuse(&f, 0, &(mt_ablation_params){.kind = 77}, "", "no effect 77");
  refuse(&f, 0, &(mt_ablation_params){.kind = MT_ABLATION_MEAN}, "", "means of a text");
  refuse(&f, 0, &(mt_ablation_params){.has_contrast = true, .token = 99}, "", "output token 100");
  refuse(&f, 0, &(mt_ablation_params){.has_contrast = true, .foil = -1}, "", "id -1");
  refuse(&f, 0, &(mt_ablation_params){.has_contrast = true, .foil = 8001}, "", "id 8001");
  close_fixture(&f);
}

TESTS()
{
  g_test_add_func("/effects/frozen", test_frozen);
  g_test_add_func("/effects/long", test_long);
  g_test_add_func("/effects/checkpoints", test_checkpoints);
  g_test_add_func("/effects/cancel", test_cancel);
  g_test_add_func("/effects/refused", test_refused);
}
