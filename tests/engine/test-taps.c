/* test-taps.c — requests are values, and looking through them changes nothing: not what is found,
 * nor how.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"
#include "text/mt-tokens.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define DOGS "I have two dogs and a cat, but no time to go out with them."
#define ROOM 64

static mt_model *model;

/* ---- As values ---------------------------------------------------------------------------------
 */

static void
test_values(void)
{
  const mt_activation_requests a = {.n = 1,
                                    .requests = {
                                        {MT_HOOK_WEIGHTS, MT_KIND_BIT(MT_CROSS), 0x3, 0xff}}};
  const mt_activation_requests logits = {.n = 1,
                                         .requests = {{MT_HOOK_LOGITS, MT_ALL_KINDS, 0, 0}}};
  g_assert_true(mt_activation_requests_want(&a, MT_HOOK_WEIGHTS, MT_CROSS, 1, 7));
  g_assert_false(mt_activation_requests_want(&a, MT_HOOK_WEIGHTS, MT_CROSS, 2, 7));
  g_assert_false(mt_activation_requests_want(&a, MT_HOOK_WEIGHTS, MT_CROSS, 1, 8));
  g_assert_false(mt_activation_requests_want(&a, MT_HOOK_WEIGHTS, MT_ENCODER_SELF, 1, 7));
  g_assert_true(mt_activation_requests_want(&logits, MT_HOOK_LOGITS, MT_DECODER_SELF, -1, -1));
}

/* ---- A capture through requests
 * ---------------------------------------------------------------------
 */

/* What was seen: of one hypothesis, and how often. */
typedef struct {
  float *weights[MT_N_KINDS], *lse[MT_N_KINDS]; /* [L][H][ROOM][ROOM], [L][H][ROOM] */
  size_t n_heads, n_layers;
  int n_views; /* atomic */
  int n_other; /* that were not asked for */
  const mt_activation_requests *requests;
} watcher;

static watcher
watcher_new(const mt_activation_requests *requests)
{
  const mt_config *config = mt_model_config(model);
  watcher w = {.n_heads = config->n_heads[0],
               .n_layers = config->n_layers[0],
               .requests = requests};
  for (int k = 0; k < MT_N_KINDS; k++) {
    w.weights[k] = g_new0(float, w.n_layers *w.n_heads *ROOM *ROOM);
    w.lse[k] = g_new0(float, w.n_layers *w.n_heads *ROOM);
  }
  return w;
}

static void
watcher_clear(watcher *w)
{
  for (int k = 0; k < MT_N_KINDS; k++) {
    g_free(w->weights[k]);
    g_free(w->lse[k]);
  }
}

static void
on_view(void *user, const mt_activation_view *view)
{
  watcher *w = user;
  g_atomic_int_inc(&w->n_views);
  if (!mt_activation_requests_want(w->requests, view->hook_point, view->kind, view->layer,
                                   view->head))
    g_atomic_int_inc(&w->n_other);
  if (view->hook_point != MT_HOOK_WEIGHTS || view->sequence > 0)
    return;
  size_t at = (size_t) view->layer * w->n_heads + (size_t) view->head;
  for (size_t r = 0; r < view->rows; r++) {
    size_t row = at * ROOM + view->first_row + r;
    memcpy(w->weights[view->kind] + row * ROOM, view->data + r * view->stride,
           view->cols * sizeof(float));
    w->lse[view->kind][row] = view->row_lse[r];
  }
}

static void
assert_seen(const watcher *w, const mt_capture *c)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t l = 0; l < w->n_layers; l++)
      for (size_t h = 0; h < w->n_heads; h++) {
        mt_matrix m = mt_capture_weights(c, kind, l, h);
        const float *lse = mt_capture_fill_row_lse((mt_capture *) c, kind, l, h);
        size_t row = (l * w->n_heads + h) * ROOM;
        g_assert_cmpmem(w->lse[kind] + row, m.rows * sizeof(float), lse, m.rows * sizeof(float));
        for (size_t r = 0; r < m.rows; r++)
          g_assert_cmpmem(w->weights[kind] + (row + r) * ROOM, m.cols * sizeof(float),
                          m.data + r * m.stride, m.cols * sizeof(float));
      }
}

static const mt_activation_requests all_weights = {.n = 1,
                                                   .requests = {{MT_HOOK_WEIGHTS, MT_ALL_KINDS,
                                                                 MT_ALL_LAYERS, MT_ALL_HEADS}}};

/* The whole pass of a capture, and the steps of a search, with drafts that come true or not: bit
 * for bit what the capture has, and what was kept for it while somebody looked. */
static void
test_capture(void)
{
  static const char *const edits[] = {DOGS, DOGS, "I have two dogs and a bird", DOGS};
  for (unsigned n_threads = 1; n_threads <= 3; n_threads += 2)
    for (int is_parallel = 0; is_parallel < 2; is_parallel++) {
      g_autoptr(mt_session) session = sentences_session(model, n_threads, true),
                            plain = sentences_session(model, n_threads, true);
      for (gsize i = 0; i < G_N_ELEMENTS(edits); i++) {
        watcher w = watcher_new(&all_weights);
        mt_hooks hooks = {.requests = &all_weights, .callback = {on_view, &w, is_parallel}};
        g_autoptr(mt_translation) t = sentences_translate(session, edits[i], 1, &hooks);
        g_autoptr(mt_translation) expected = sentences_translate(plain, edits[i], 1, NULL);
        sentences_assert_same(t, expected);
        /* As many passes as without, and it was kept. */
        g_assert_cmpuint(session->draft.n_passes, ==, plain->draft.n_passes);
        if (i == 1) /* the draft comes true */
          g_assert_cmpuint(session->draft.n_passes, <,
                           mt_tokens_count(mt_translation_hypothesis(t, 0)->tokens) / 2);
        g_assert_cmpuint(mt_session_recording(session)->number, ==, mt_translation_number(t));
        g_autoptr(mt_capture) kept = sentences_capture(session, t, NULL);
        assert_seen(&w, kept);
        g_assert_cmpint(w.n_other, ==, 0);
        watcher_clear(&w);

        w = watcher_new(&all_weights);
        hooks.callback.user = &w;
        g_autoptr(mt_capture) pass = sentences_capture(session, t, &hooks);
        assert_seen(&w, pass);
        g_assert_cmpint(w.n_views, ==, 3 * (int) (w.n_layers * w.n_heads));
        watcher_clear(&w);
      }
    }
}

/* Only the heads that were asked for are shown; in the steps of a beam row by row. */
static void
test_masks(void)
{
  const mt_activation_requests few = {
      .n = 2,
      .requests = {{MT_HOOK_WEIGHTS, MT_KIND_BIT(MT_CROSS), 1 << 3, 1 << 2},
                   {MT_HOOK_FEED_FORWARD, MT_KIND_BIT(MT_ENCODER_SELF), 1 << 1, 0}}};
  g_autoptr(mt_session) session = sentences_session(model, 2, true);
  watcher w = watcher_new(&few);
  mt_hooks hooks = {.requests = &few, .callback = {on_view, &w, false}};
  g_autoptr(mt_translation) t = sentences_translate(session, DOGS, 1, NULL);
  mt_capture_unref(sentences_capture(session, t, &hooks));
  g_assert_cmpint(w.n_other, ==, 0);
  g_assert_cmpint(w.n_views, ==, 2);
  watcher_clear(&w);
}

/* ---- Many texts --------------------------------------------------------------------------------
 */

static const char *const texts[] = {DOGS, "Where is the train station?", "It rains.",
                                    "She did not want to go home, but it was already late."};
enum { N_TEXTS = G_N_ELEMENTS(texts) };

typedef struct {
  size_t n_rows[N_TEXTS], n_source[N_TEXTS], n_tokens[N_TEXTS];
} job;

static void
count_rows(void *user, const mt_activation_view *view)
{
  job *j = user;
  g_assert_cmpuint(view->sentence, <, N_TEXTS);
  if (view->kind == MT_ENCODER_SELF)
    j->n_source[view->sentence] += view->rows;
  else
    j->n_rows[view->sentence] += view->rows;
}

static void
on_probe(void *user, const mt_editable_activation *probe)
{
  ((job *) user)->n_rows[probe->sentence] += probe->rows;
}

static void
on_token(void *user, const mt_progress *progress)
{
  ((job *) user)->n_tokens[progress->sentence] = progress->n_ids;
}

static void
test_many(void)
{
  const mt_activation_requests outputs = {.n = 1,
                                          .requests = {{MT_HOOK_LAYER_OUTPUT, MT_ALL_KINDS, 1, 0}}};
  g_autoptr(mt_session) session = sentences_session(model, 2, true),
                        alone = sentences_session(model, 1, true);
  for (int probes = 0; probes < 2; probes++) {
    job j = {0};
    mt_hooks hooks = {.on_token = on_token, .user = &j};
    if (probes) {
      hooks.hook_points = MT_HOOK_POINT_BIT(MT_HOOK_LOGITS);
      hooks.on_probe = on_probe;
    } else {
      hooks.requests = &outputs;
      hooks.callback = (mt_activation_callback){count_rows, &j, false};
    }
    mt_translation *translations[N_TEXTS];
    sentences_translate_many(session, texts, N_TEXTS, 1, &hooks, translations);
    for (size_t i = 0; i < N_TEXTS; i++) {
      const mt_translation *found = translations[i];
      g_autoptr(mt_translation) expected = sentences_translate(alone, texts[i], 1, NULL);
      sentences_assert_same(found, expected);
      size_t n = mt_tokens_count(mt_translation_hypothesis(found, 0)->tokens);
      g_assert_cmpuint(j.n_rows[i], ==, n);
      g_assert_cmpuint(j.n_tokens[i], ==, n);
      if (!probes)
        g_assert_cmpuint(j.n_source[i], ==, mt_tokens_count(mt_translation_source(found)));
      mt_translation_unref(translations[i]);
    }
  }
}

/* Too many are refused. */
static void
test_too_many(void)
{
  mt_activation_requests requests = {.n = MT_MAX_ACTIVATION_REQUESTS + 1};
  mt_hooks hooks = {.requests = &requests, .callback = {on_view, NULL, false}};
  g_autoptr(mt_session) session = sentences_session(model, 1, true);
  mt_error error = {0};
  g_assert_null(mt_session_translate(session, "Yes.", NULL, &hooks, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
}

/* ---- A trace -----------------------------------------------------------------------------------
 */

/* Tensors of every shape, whole, and what is in them: the logits' log-softmax is what the search
 * found. */
static void
test_trace(void)
{
  const mt_activation_requests requests = {
      .n = 4,
      .requests = {{MT_HOOK_FEED_FORWARD, MT_ALL_KINDS, 0x3, 0},
                   {MT_HOOK_RESIDUAL, MT_ALL_KINDS, 0x2, 0},
                   {MT_HOOK_LOGITS, MT_ALL_KINDS, 0, 0},
                   {MT_HOOK_CONTEXT, MT_KIND_BIT(MT_CROSS), 0x1, 0x4}},
  };
  const mt_hooks hooks = {.requests = &requests};
  mt_error error = {0};
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  g_autoptr(mt_translation) t = mt_session_translate(session, DOGS, NULL, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autoptr(mt_capture) capture = mt_session_capture(session, t, 0, 0, NULL, &error);
  mt_trace *trace = mt_trace_new(model, t, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  const mt_config *config = mt_model_config(model);
  const size_t n_source = mt_tokens_count(mt_trace_source(trace));
  const size_t n_output = mt_tokens_count(mt_trace_output(trace));
  g_assert_cmpuint(n_source, ==, mt_tokens_count(mt_capture_source(capture)));
  g_assert_cmpuint(n_output, ==, mt_tokens_count(mt_trace_decoder_input(trace)));

  mt_matrix ffn = mt_trace_get(trace, MT_HOOK_FEED_FORWARD, MT_ENCODER_SELF, 1, -1);
  g_assert_cmpuint(ffn.rows, ==, n_source);
  g_assert_cmpuint(ffn.cols, ==, config->d_model);
  ffn = mt_trace_get(trace, MT_HOOK_FEED_FORWARD, MT_DECODER_SELF, 0, -1);
  g_assert_cmpuint(ffn.rows, ==, n_output);
  mt_matrix context = mt_trace_get(trace, MT_HOOK_CONTEXT, MT_CROSS, 0, 2);
  g_assert_cmpuint(context.rows, ==, n_output);
  g_assert_cmpuint(context.cols, ==, config->d_model / config->n_heads[MT_STACK_DECODER]);
  /* The greedy word of every row is the token that came out. */
  mt_matrix logits = mt_trace_get(trace, MT_HOOK_LOGITS, MT_DECODER_SELF, -1, -1);
  g_assert_cmpuint(logits.rows, ==, n_output);
  const mt_hypothesis *best = mt_translation_hypothesis(t, 0);
  for (size_t r = 0; r < n_output; r++) {
    double sum = 0, own = mt_matrix_at(&logits, r, (size_t) mt_tokens_ids(best->tokens)[r]);
    for (size_t c = 0; c < logits.cols; c++)
      sum += exp(mt_matrix_at(&logits, r, c) - own);
    g_assert_cmpfloat_with_epsilon(-log(sum), best->logprobs[r], 1e-3);
  }
  /* What was not asked for is not there. */
  g_assert_null(mt_trace_get(trace, MT_HOOK_FEED_FORWARD, MT_ENCODER_SELF, 2, -1).data);
  g_assert_null(mt_trace_get(trace, MT_HOOK_CONTEXT, MT_CROSS, 0, 3).data);
  g_assert_null(mt_trace_get(trace, MT_HOOK_RESIDUAL, MT_ENCODER_SELF, 0, -1).data);

  g_assert_null(mt_trace_new(model, t, 99, &hooks, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_autoptr(mt_trace) again = mt_trace_ref(trace);
  mt_trace_unref(trace);
  g_assert_nonnull(mt_trace_get(again, MT_HOOK_LOGITS, MT_DECODER_SELF, -1, -1).data);
}

static void
tear_down(void)
{
  mt_model_unref(model);
}

TESTS(.end = tear_down)
{
  model = sentences_model("models/en-de");
  g_test_add_func("/taps/values", test_values);
  g_test_add_func("/taps/capture", test_capture);
  g_test_add_func("/taps/masks", test_masks);
  g_test_add_func("/taps/many", test_many);
  g_test_add_func("/taps/too-many", test_too_many);
  g_test_add_func("/taps/trace", test_trace);
}
