/* soak-engine.c — requests without end through the engine: on one thread, then on several that
 * share a model. What a text gives the first time it must give every time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soak.h"

#include <glib/gstdio.h>
#include <mt.h>
#include <string.h>

enum { N_TEXTS = 200, N_THREADS = 4, WARM = 20 /* a twentieth of all */ };

static Soak soak;

/* One text and what came of it, found out before anything else happened. */
typedef struct {
  char *text;
  mt_search_params params;
  mt_error_code code; /* MT_OK: it can be translated */
  GBytes *ids;        /* of the best hypothesis */
  GBytes *logprobs;
  float weight; /* one cell of the capture */
} Expected;

static Expected expected[N_TEXTS];

static const char *
model_path(const char *name)
{
  static char path[4096];
  g_snprintf(path, sizeof path, "%s/checkpoints/%s", g_getenv("REGARD_TEST_DATA"), name);
  return path;
}

static mt_model *
open_model(const char *name)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(model_path(name), NULL, &error);
  if (!model)
    g_error("%s", error.message);
  return model;
}

static mt_session *
new_session(mt_model *model)
{
  mt_error error = {0};
  mt_session *session = mt_session_new(model, NULL, &error);
  if (!session)
    g_error("%s", error.message);
  return session;
}

static GBytes *
ids_of(const mt_tokens *tokens)
{
  g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(int32_t));
  for (size_t i = 0; i < mt_tokens_count(tokens); i++)
    g_array_append_val(ids, mt_tokens_get(tokens, i)->id);
  return g_bytes_new(ids->data, ids->len * sizeof(int32_t));
}

static GBytes *
logprobs_of(const mt_hypothesis *h)
{
  return g_bytes_new(h->logprobs, mt_tokens_count(h->tokens) * sizeof(float));
}

/* The last cell of the last row of the last head. */
static float
last_weight(const mt_capture *capture)
{
  mt_matrix m = mt_capture_weights(capture, MT_CROSS, mt_capture_n_layers(capture, MT_CROSS) - 1,
                                   mt_capture_n_heads(capture, MT_CROSS) - 1);
  return mt_matrix_at(&m, m.rows - 1, m.cols - 1);
}

static void
find_expected(mt_session *session)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(soak.seed);
  mt_search_params usual = mt_search_params_default(mt_session_model(session));
  guint n_good = 0;
  for (guint i = 0; i < N_TEXTS; i++) {
    Expected *e = &expected[i];
    g_autoptr(GString) text = g_string_new(NULL);
    soak_append_text(text, rand);
    if (i % 20 == 1)
      g_string_append(text, "\xff\xfe"); /* is no UTF-8 */
    if (i % 20 == 2)
      g_string_assign(text, "  \n");
    for (guint n = 0; i % 20 == 3 && n < 400; n++) /* more than there are positions */
      soak_append_word(text, rand);
    e->text = g_strdup(text->str);
    e->params = usual;
    e->params.beam_size = 1 + i % 4;
    e->params.n_best = 1 + i % e->params.beam_size;
    e->params.max_length = MIN(usual.max_length, 4 + i % 30);
    e->params.min_length = MIN(usual.min_length, e->params.max_length);
    mt_error error = {0};
    mt_translation *t = mt_session_translate(session, e->text, &e->params, NULL, &error);
    e->code = error.code;
    if (!t)
      continue;
    n_good++;
    const mt_hypothesis *h = mt_translation_hypothesis(t, 0);
    e->ids = ids_of(h->tokens);
    e->logprobs = logprobs_of(h);
    mt_capture *capture = mt_session_capture(session, t, 0, 0, NULL, &error);
    if (!capture)
      g_error("%s", error.message);
    e->weight = last_weight(capture);
    mt_capture_unref(capture);
    mt_translation_unref(t);
  }
  g_assert_cmpuint(n_good, >, N_TEXTS / 2);
  g_assert_cmpuint(n_good, <, N_TEXTS);
}

/* ---- One request ---------------------------------------------------------------------------- */

typedef struct {
  guint polls_left;
} Patience;

static bool
runs_out(void *user)
{
  Patience *patience = user;
  return patience->polls_left-- == 0;
}

static void
request(mt_session *session, GRand *rand, const char *folder)
{
  const Expected *e = &expected[g_rand_int_range(rand, 0, N_TEXTS)];
  mt_error error = {0};
  if (g_rand_int_range(rand, 0, 10) == 0) {
    /* Given up somewhere: nothing but that is to be seen. */
    Patience patience = {(guint) g_rand_int_range(rand, 0, 20)};
    mt_hooks hooks = {.should_stop = runs_out, .user = &patience};
    mt_translation *t = mt_session_translate(session, e->text, &e->params, &hooks, &error);
    g_assert_true(t || error.code == MT_ERROR_CANCELLED || error.code == e->code);
    mt_translation_unref(t);
    return;
  }
  mt_translation *t = mt_session_translate(session, e->text, &e->params, NULL, &error);
  g_assert_cmpint(error.code, ==, e->code);
  if (!t)
    return;
  const mt_hypothesis *h = mt_translation_hypothesis(t, 0);
  g_autoptr(GBytes) ids = ids_of(h->tokens);
  g_autoptr(GBytes) logprobs = logprobs_of(h);
  g_assert_true(g_bytes_equal(ids, e->ids));
  g_assert_true(g_bytes_equal(logprobs, e->logprobs));

  guint more = (guint) g_rand_int_range(rand, 0, 12);
  if (more < 4) {
    unsigned flags = more == 0 ? MT_CAPTURE_SCORES : 0;
    mt_capture *capture = mt_session_capture(session, t, 0, flags, NULL, &error);
    g_assert_nonnull(capture);
    g_assert_cmpfloat(last_weight(capture), ==, e->weight);
    mt_head_metrics metrics = mt_head_metrics_compute(capture, MT_CROSS, 0, 0);
    g_assert_true(metrics.mean_entropy >= 0);
    if (g_rand_int_range(rand, 0, 20) == 0) {
      g_autofree char *path = g_build_filename(folder, "capture.npz", NULL);
      if (!mt_capture_write_npz(capture, path, "{}", &error))
        g_error("%s", error.message);
    }
    mt_capture_unref(capture);
  } else if (more == 4) {
    mt_translation *scored = mt_session_score(session, e->text, h->text, -1, NULL, &error);
    /* What the model made of noise need not be text that it can read. */
    g_assert_true(scored || error.code == MT_ERROR_INPUT || error.code == MT_ERROR_TOO_LONG);
    mt_translation_unref(scored);
  }
  mt_translation_unref(t);
}

/* ---- Threads -------------------------------------------------------------------------------- */

typedef struct {
  mt_model *model;
  guint n;
  guint32 seed;
} Share;

static gpointer
run_share(gpointer data)
{
  const Share *share = data;
  g_autoptr(GRand) rand = g_rand_new_with_seed(share->seed);
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp("regard-soak-XXXXXX", &error);
  g_assert_no_error(error);
  mt_session *session = new_session(share->model);
  for (guint i = 0; i < share->n; i++) {
    request(session, rand, folder);
    /* A session is a thing of the moment too. */
    if (g_rand_int_range(rand, 0, 200) == 0) {
      mt_session_free(session);
      session = new_session(share->model);
    }
  }
  mt_session_free(session);
  g_autofree char *path = g_build_filename(folder, "capture.npz", NULL);
  g_unlink(path);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
  return NULL;
}

/* n requests; every part of a run opens models of its own, and closes them. */
static void
run_part(guint n, guint n_threads, guint32 seed)
{
  mt_model *model = open_model("post-norm-relu");
  mt_model_unref(open_model("post-norm-relu-f16"));
  mt_error error = {0};
  g_assert_null(mt_model_open(model_path("nothing"), NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  Share shares[N_THREADS];
  GThread *threads[N_THREADS];
  for (guint i = 0; i < n_threads; i++) {
    shares[i] = (Share){model, n / n_threads + (i < n % n_threads), seed * N_THREADS + i};
    if (n_threads > 1)
      threads[i] = g_thread_new("soak", run_share, &shares[i]);
  }
  for (guint i = 0; i < n_threads; i++)
    if (n_threads > 1)
      g_thread_join(threads[i]);
    else
      run_share(&shares[i]);
  mt_model_unref(model);
}

static void
soak_engine(void)
{
  mt_model *model = open_model("post-norm-relu");
  mt_session *session = new_session(model);
  find_expected(session);
  mt_session_free(session);
  mt_model_unref(model);

  const guint n_parts = 20;
  run_part(soak.warm ? soak.warm : MAX(soak.n / WARM, 100), N_THREADS, soak.seed + 1000);
  soak_warm(&soak);
  guint done = 0;
  for (guint i = 0; i < n_parts; i++) {
    guint n = soak.n / n_parts + (i < soak.n % n_parts);
    run_part(n, i % 2 ? N_THREADS : 1, soak.seed + i);
    done += n;
    if (i % 2)
      soak_progress(&soak, done, "requests");
  }
  g_assert_cmpuint(done, ==, soak.n);
  soak_finish(&soak, "requests, every other twentieth on 4 threads that share a model");
  for (guint i = 0; i < N_TEXTS; i++) {
    g_free(expected[i].text);
    g_clear_pointer(&expected[i].ids, g_bytes_unref);
    g_clear_pointer(&expected[i].logprobs, g_bytes_unref);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  soak_init(&soak, argc, argv, 1000);
  g_test_add_func("/soak/engine", soak_engine);
  return g_test_run();
}
