/* test-allocation.c — every allocation of loading, translating and capturing fails, alone and with
 * memory full from there on: the engine's own, and those inside the libraries that it calls.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whatever fails, the call says MT_ERROR_NO_MEMORY (or manages without), every block is freed
 * again, and the same call gives the same result right afterwards. Where there are thousands of
 * allocations only some are tried, in every run others; `-m slow` tries all.
 * None is exempt. The window's side has no such test: GLib ends the program when memory runs out,
 * by design.
 */
#include "engine-test.h"
#include "failing-malloc.h"
#include "few-allocations.h"
#include "model-dir.h"
#include "pickle-writer.h"
#include "sentences.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <string.h>

#define DATA REGARD_SOURCE_ROOT "/tests/data"

/* What the operations work on. */
typedef struct {
  const char *path; /* of a model */
  mt_model *model;
  mt_session *session;
  mt_translation *translation;
  mt_capture *capture;
  char *folder, *file; /* a capture's file, alone in its folder */
} scene;

/* Does something and undoes it: a hash of what came of it, never 0; 0: it failed. */
typedef guint64 (*operation)(const scene *s, mt_error *error);

/* ---- Hashes ---------------------------------------------------------------------------------- */

static guint64
mix(guint64 hash, const void *bytes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    hash = (hash ^ ((const guint8 *) bytes)[i]) * 0x100000001b3u;
  return hash;
}

static guint64
mix_text(guint64 hash, const char *text)
{
  return mix(hash, text, strlen(text) + 1);
}

static guint64
mix_tokens(guint64 hash, const mt_tokens *tokens)
{
  hash = mix_text(hash, mt_tokens_text(tokens));
  for (gsize i = 0; i < mt_tokens_count(tokens); i++) {
    const mt_token *t = mt_tokens_get(tokens, i);
    hash = mix_text(mix(hash, &t->id, sizeof t->id), t->piece);
    hash = mix(mix(hash, &t->begin, sizeof t->begin), &t->end, sizeof t->end);
  }
  return hash;
}

static guint64
mix_matrix(guint64 hash, mt_matrix m)
{
  for (gsize r = 0; m.data && r < m.rows; r++)
    hash = mix(hash, m.data + r * m.stride, m.cols * sizeof *m.data);
  return hash;
}

#define START 0xcbf29ce484222325u

static guint64
hash_translation(const mt_translation *t)
{
  guint64 hash = mix_tokens(START, mt_translation_source(t));
  for (gsize i = 0; i < mt_translation_count(t); i++) {
    const mt_hypothesis *h = mt_translation_hypothesis(t, i);
    hash = mix_text(mix_tokens(hash, h->tokens), h->text);
    hash = mix(hash, h->logprobs, mt_tokens_count(h->tokens) * sizeof(float));
    hash = mix(hash, &h->score, sizeof h->score);
  }
  return hash;
}

static guint64
hash_capture(const mt_capture *c)
{
  guint64 hash = mix_text(START, mt_capture_model_name(c));
  for (int kind = 0; kind < MT_N_KINDS; kind++) {
    hash = mix_tokens(hash, mt_capture_rows(c, kind));
    for (gsize layer = 0; layer < mt_capture_n_layers(c, kind); layer++)
      for (gsize head = 0; head < mt_capture_n_heads(c, kind); head++) {
        hash = mix_matrix(hash, mt_capture_weights(c, kind, layer, head));
        hash = mix_matrix(hash, mt_capture_scores(c, kind, layer, head));
        mt_head_metrics metrics = mt_head_metrics_compute(c, kind, layer, head);
        hash = mix(hash, &metrics.mean_entropy, sizeof metrics.mean_entropy);
      }
  }
  return hash;
}

static guint64
hash_model(const mt_model *model)
{
  const mt_config *config = mt_model_config(model);
  guint64 hash = mix_text(mix_text(START, mt_model_name(model)), mt_model_format(model));
  hash = mix_text(mix_text(hash, config->source_lang), config->target_lang);
  hash = mix(hash, config->vocab_size, sizeof config->vocab_size);
  hash = mix(hash, config->n_layers, sizeof config->n_layers);
  for (gsize i = 0; i < config->n_bad_words; i++)
    hash = mix(hash, config->bad_words[i], config->bad_word_lengths[i] * sizeof(int32_t));
  for (gsize i = 0; i < mt_model_n_tensors(model); i++) {
    const mt_tensor_info *info = mt_model_tensor(model, i);
    hash = mix_text(mix_text(mix_text(hash, info->name), info->dtype), info->file);
    hash = mix(hash, info->shape, info->n_dims * sizeof *info->shape);
  }
  for (int stack = 0; stack < MT_N_STACKS; stack++)
    for (gsize id = 0; id < config->vocab_size[stack]; id++)
      hash = mix_text(hash, mt_model_piece(model, stack, (int32_t) id));
  return hash;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static guint64
open_model(const scene *s, mt_error *error)
{
  g_autoptr(mt_model) model = mt_model_open(s->path, NULL, error);
  guint64 hash = model ? hash_model(model) : 0;
  return hash;
}

#define TEXT "the cat is in the house"

static guint64
tokenize(const scene *s, mt_error *error)
{
  g_autoptr(mt_tokens) tokens = mt_model_tokenize(s->model, MT_STACK_ENCODER, TEXT, error);
  guint64 hash = tokens ? mix_tokens(START, tokens) : 0;
  return hash;
}

static guint64
detokenize(const scene *s, mt_error *error)
{
  static const int32_t ids[] = {7, 18, 1, 9, 20, 12, 0};
  mt_tokens *tokens =
      mt_model_detokenize(s->model, MT_STACK_DECODER, ids, G_N_ELEMENTS(ids), error);
  guint64 hash = tokens ? mix_tokens(START, tokens) : 0;
  mt_tokens_unref(tokens);
  return hash;
}

static guint64
translate_with(mt_session *session, gsize beam_size, mt_error *error)
{
  mt_search_params params = mt_search_params_default(mt_session_model(session));
  params.beam_size = params.n_best = beam_size;
  params.max_length = 12;
  params.min_length = 0;
  g_autoptr(mt_translation) t = mt_session_translate(session, TEXT, &params, NULL, error);
  guint64 hash = t ? hash_translation(t) : 0;
  return hash;
}

static guint64
translate_greedy(const scene *s, mt_error *error)
{
  return translate_with(s->session, 1, error);
}

/* With a session of its own, whose memory must grow for so many beams. If that fails, the session
 * must do the next sentence, and that one again. */
static guint64
translate_beam(const scene *s, mt_error *error)
{
  g_autoptr(mt_session) session = mt_session_new(s->model, NULL, error);
  if (!session)
    return 0;
  guint64 hash = translate_with(session, 12, error);
  if (!hash) {
    failing_malloc_end();
    mt_error none = {0};
    guint64 greedy = translate_with(session, 1, &none);
    g_assert_true(greedy && greedy == translate_greedy(s, &none));
    g_assert_cmpuint(translate_with(session, 12, &none), !=, 0);
  }
  return hash;
}

/* With terms, by way of JSON. */
static guint64
translate_terms(const scene *s, mt_error *error)
{
  static const char json[] = "{\"beam_size\": 3, \"max_length\": 12, \"prefix\": [7],"
                             " \"forbidden\": [{\"ids\": [8]}], \"terms\": [[9, 20], [12]]}";
  mt_request request = {0};
  if (!mt_request_from_json(&request, "test", json, strlen(json), error))
    return 0;
  mt_search_params params = mt_request_resolve(&request, s->model);
  g_autoptr(mt_translation) t = mt_session_translate(s->session, TEXT, &params, NULL, error);
  guint64 hash = t ? hash_translation(t) : 0;
  mt_request_clear(&request);
  return hash;
}

/* Where the translation has <unk>. */
static guint64
copy_unknown(const scene *s, mt_error *error)
{
  static const int32_t ids[] = {7, 1, 9, 0};
  g_autoptr(mt_constraints) constraints =
      mt_constraints_new(ids, G_N_ELEMENTS(ids), NULL, 0, error);
  mt_search_params params = mt_search_params_default(s->model);
  params.beam_size = params.n_best = 1;
  params.constraints = constraints;
  mt_translation *t =
      constraints ? mt_session_translate(s->session, TEXT, &params, NULL, error) : NULL;
  g_autoptr(mt_copies) copies = t ? mt_copies_new(s->session, t, 0, NULL, error) : NULL;
  guint64 hash = copies ? mix_text(START, mt_tokens_text(copies->tokens)) : 0;
  mt_translation_unref(t);
  return hash;
}

static guint64
score(const scene *s, mt_error *error)
{
  g_autoptr(mt_translation) t =
      mt_session_score(s->session, TEXT, "the dog the cat", -1, NULL, error);
  guint64 hash = t ? hash_translation(t) : 0;
  return hash;
}

static guint64
capture_with(const scene *s, unsigned flags, mt_error *error)
{
  g_autoptr(mt_capture) c = mt_session_capture(s->session, s->translation, 0, flags, NULL, error);
  guint64 hash = c ? hash_capture(c) : 0;
  return hash;
}

static guint64
capture(const scene *s, mt_error *error)
{
  return capture_with(s, 0, error);
}

static guint64
capture_scores(const scene *s, mt_error *error)
{
  return capture_with(s, MT_CAPTURE_SCORES, error);
}

static guint64
trace(const scene *s, mt_error *error)
{
  const mt_activation_requests requests = {.n = 2,
                                           .requests = {{MT_HOOK_FEED_FORWARD, MT_ALL_KINDS,
                                                         MT_ALL_LAYERS, 0},
                                                        {MT_HOOK_LOGITS, MT_ALL_KINDS, 0, 0}}};
  const mt_hooks hooks = {.requests = &requests};
  g_autoptr(mt_trace) t = mt_trace_new(s->model, s->translation, 0, &hooks, error);
  guint64 hash =
      t ? mix_matrix(1, mt_trace_get(t, MT_HOOK_FEED_FORWARD, MT_DECODER_SELF, 0, -1)) : 0;
  return hash;
}

static guint64
write_npz(const scene *s, mt_error *error)
{
  return mt_capture_write_npz(s->capture, s->file, "{\"a\": 1}", error);
}

static guint64
make_npz(const scene *s, mt_error *error)
{
  mt_bytes bytes;
  bool ok = mt_capture_make_npz(s->capture, "{}", &bytes, error);
  mt_bytes_clear(&bytes);
  return ok;
}

#define MOST_PATH 256

/* Not by GLib, which ends the program when it has no memory. */
static void
path_in(const scene *s, const char *name, char path[MOST_PATH])
{
  g_assert_cmpint(snprintf(path, MOST_PATH, "%s/%s", s->folder, name), <, MOST_PATH);
}

static guint64
write_archive(const scene *s, mt_error *error)
{
  const mt_archive_file files[] = {{"a", "aaa", 3, true}, {"b", "b", 1, false}};
  const mt_archive_rule rules[] = {{"a", 10}, {"b", 10}};
  char path[MOST_PATH];
  path_in(s, "a.regard", path);
  mt_archive *archive = mt_archive_write(path, files, 2, error)
                            ? mt_archive_read(path, "two files", rules, 2, 20, error)
                            : NULL;
  mt_archive_free(archive);
  g_remove(path);
  return archive != NULL;
}

static guint64
read_npz(const scene *s, mt_error *error)
{
  char *meta = NULL;
  g_autoptr(mt_capture) c = mt_capture_read_npz(s->file, &meta, error);
  guint64 hash = c && meta ? mix_text(hash_capture(c), meta) : 0;
  g_assert_true(c || !meta);
  mt_string_free(meta);
  return hash;
}

/* ---- Explanations ---------------------------------------------------------------------------- */

static guint64
effects(const scene *s, mt_error *error)
{
  g_autoptr(mt_ablation) e = mt_ablation_new(s->session, s->translation, 0, NULL, NULL, error);
  guint64 hash = e ? mix(START, e->logprobs, e->n_tokens * sizeof(float)) : 0;
  for (int kind = 0; e && kind < MT_N_KINDS; kind++)
    for (gsize layer = 0; layer < e->n_layers[kind]; layer++)
      for (gsize head = 0; head < e->n_heads[kind]; head++)
        hash = mix(hash, mt_ablation_tokens(e, kind, layer, head), e->n_tokens * sizeof(float));
  return hash;
}

/* By every method, one after the other. */
static guint64
attribute(const scene *s, mt_error *error)
{
  guint64 hash = START;
  for (gsize method = 0; hash && method < mt_attribution_count(); method++) {
    mt_attribution_params params = mt_attribution_params_default();
    params.method = method;
    params.n_steps = 2;
    g_autoptr(mt_attribution) a =
        mt_attribution_new(s->session, s->translation, 0, &params, NULL, error);
    hash = a ? mix_matrix(mix_matrix(hash, a->source), a->prefix) : 0;
  }
  return hash;
}

static guint64
attribution_bench(const scene *s, mt_error *error)
{
  mt_attribution_params params = mt_attribution_params_default();
  params.token = 1;
  params.n_steps = 2;
  mt_method_comparison *b =
      mt_method_comparison_new(s->session, s->translation, 0, &params, NULL, error);
  double area = b ? mt_method_comparison_area(b, 0) : 0;
  guint64 hash = b ? mix(START, &area, sizeof area) : 0;
  mt_method_comparison_free(b);
  return hash;
}

static guint64
trust(const scene *s, mt_error *error)
{
  mt_source_contribution *t =
      mt_source_contribution_new(s->session, s->translation, 0, NULL, error);
  g_autoptr(mt_source_contribution_sample) sample =
      t ? mt_source_contribution_sample_new(error) : NULL;
  mt_source_contribution_thresholds found = {0};
  guint64 hash = 0;
  if (sample && mt_source_contribution_sample_add(sample, t, error) &&
      mt_source_contribution_sample_finish(sample, 0.5, &found, error)) {
    char *text = mt_source_contribution_thresholds_text(&found, s->model, error);
    hash = text ? mix_text(START, text) : 0;
    mt_source_contribution_text_free(text);
  }
  mt_source_contribution_unref(t);
  return hash;
}

/* With the model itself as that of the other direction. */
static guint64
align(const scene *s, mt_error *error)
{
  mt_alignment_input *a =
      mt_alignment_input_of_translation(s->session, s->translation, 0, NULL, error);
  mt_alignment_input *reverse =
      a ? mt_alignment_input_new(s->session, "the dog the cat", TEXT, NULL, NULL, NULL, NULL, error)
        : NULL;
  guint64 hash = 0;
  if (reverse) {
    mt_recipe recipe = mt_recipe_default();
    recipe.symmetry = MT_RECIPE_UNION;
    gsize n;
    mt_link *links = mt_alignment_input_links(a, &recipe, reverse, &recipe, &n, error);
    hash = links ? mix(START, &n, sizeof n) : 0;
    for (gsize i = 0; links && i < n; i++)
      hash = mix(mix(hash, &links[i].source, sizeof links[i].source), &links[i].target,
                 sizeof links[i].target);
    mt_links_free(links);
    float *matrix = hash ? mt_alignment_input_matrix(a, &recipe, error) : NULL;
    gsize n_cells = a->words[MT_STACK_ENCODER].n * a->words[MT_STACK_DECODER].n;
    hash = matrix ? mix(hash, matrix, n_cells * sizeof *matrix) : 0;
    mt_links_free_matrix(matrix);
  }
  mt_alignment_input_unref(reverse);
  mt_alignment_input_unref(a);
  return hash;
}

/* A corpus of one sentence, made, read and asked. */
static guint64
corpus(const scene *s, mt_error *error)
{
  char path[MOST_PATH];
  path_in(s, "a.regard-corpus", path);
  const mt_corpus_settings settings = {0};
  mt_corpus_writer *writer = mt_corpus_writer_new(path, s->model, &settings, error);
  bool ok = writer && mt_corpus_writer_add(writer, s->capture, NULL, NULL, 1, error) &&
            mt_corpus_writer_commit(writer, 1, 1, true, error);
  mt_corpus_writer_free(writer);
  mt_corpus *read = ok ? mt_corpus_open(path, error) : NULL;
  const mt_corpus_query query = {.words = "cat"};
  mt_corpus_hits *hits = read ? mt_corpus_search(read, &query, error) : NULL;
  mt_corpus_sentence *sentence = hits ? mt_corpus_sentence_new(read, 1, error) : NULL;
  guint64 hash = 0;
  if (sentence)
    hash = mix_text(mix_text(mix(START, &hits->n, sizeof hits->n), sentence->text[0]),
                    sentence->text[1]);
  mt_corpus_sentence_free(sentence);
  mt_corpus_hits_free(hits);
  mt_corpus_close(read);
  g_remove(path);
  return hash;
}

/* ---- Making them fail ------------------------------------------------------------------------ */

/* Once with number fail_at failing, and and_full; then without. */
static void
try_once(operation run, const scene *s, guint64 expected, gsize fail_at, bool and_full)
{
  mt_error error = {0};
  failing_malloc_begin(fail_at, and_full);
  guint64 found = run(s, &error);
  failing_malloc_end();
  gsize n_leaks = failing_malloc_leaks();
  if (n_leaks)
    g_error("%zu blocks were not freed when allocation %zu failed (%s)", n_leaks, fail_at,
            error.message);
  if (found && found != expected)
    g_error("another result when allocation %zu failed", fail_at);
  if (!found && error.code != MT_ERROR_NO_MEMORY)
    g_error("allocation %zu failed, and the message was: %s", fail_at, error.message);
}

static void
check_again(operation run, const scene *s, guint64 expected, gsize fail_at)
{
  mt_error error = {0};
  guint64 found = run(s, &error);
  if (found != expected)
    g_error("after allocation %zu had failed: %s", fail_at,
            found ? "another result" : error.message);
}

/* At most `most` numbers, or all. */
static void
make_fail(const char *name, operation run, const scene *s, gsize most)
{
  mt_error error = {0};
  guint64 expected = run(s, &error);
  if (!expected)
    g_error("%s: %s", name, error.message);
  check_again(run, s, expected, 0); /* what libraries make once is there now */
  failing_malloc_begin(0, false);
  g_assert_cmpuint(run(s, &error), ==, expected);
  gsize n = failing_malloc_end();
  g_assert_cmpuint(failing_malloc_leaks(), ==, 0);
  g_assert_cmpuint(n, >, 0);
  most /= suite_stride(1, 8);
  gsize step = g_test_slow() || n <= most ? 1 : (n + most - 1) / most;
  gsize n_tried = 0;
  /* Others in every run: which, the seed says that the program prints. */
  gsize first = step == 1 ? 1 : 1 + (gsize) g_test_rand_int_range(0, (gint32) step);
  for (gsize fail_at = first; fail_at <= n; fail_at += step) {
    try_once(run, s, expected, fail_at, false);
    try_once(run, s, expected, fail_at, true);
    if (step == 1 || n_tried % 16 == 0)
      check_again(run, s, expected, fail_at);
    n_tried++;
  }
  check_again(run, s, expected, n);
  g_test_message("%s: %zu of %zu allocations, each alone and with memory full from there on", name,
                 n_tried, n);
}

/* ---- The engine's own, all of them but under sanitisers
 * ----------------------------------------------------------- */

static void
make_own_fail(const char *name, operation run, const scene *s)
{
  mt_error error = {0};
  guint64 expected = run(s, &error);
  guint64 found = 0;
  gsize n = 0;
  for (gsize refused = 0; !found; refused += suite_stride(1, 7)) {
    error = (mt_error){0};
    few_then_one_fails(refused);
    found = run(s, &error);
    n = few_end();
    g_assert_true(found ? found == expected : error.code == MT_ERROR_NO_MEMORY);
  }
  g_test_message("%s: all of the engine's own %zu allocations", name, n);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void
test_open(const char *path)
{
  const scene s = {.path = path};
  make_own_fail(path, open_model, &s);
  make_fail(path, open_model, &s, 300);
}

static void
test_open_safetensors(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  test_open(dir->path);
  model_dir_write_shards(dir, DIR_BF16);
  test_open(dir->path);
}

/* A list for each key that has one. */
static void
test_open_generation(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_write(
      dir, "generation_config.json",
      "{\"bad_words_ids\": [[124], [3, 4]], \"sequence_bias\": [[[5], 1.5], [[5], 2]],\n"
      " \"eos_token_id\": [0, 9], \"forced_eos_token_id\": [0, 9],\n"
      " \"suppress_tokens\": [5, 8], \"begin_suppress_tokens\": [0],\n"
      " \"forced_decoder_ids\": [[2, 30]], \"renormalize_logits\": true,\n"
      " \"do_sample\": true, \"repetition_penalty\": 1.5}",
      -1);
  test_open(dir->path);
  scene s = {.path = dir->path, .model = model_open_good(dir->path)};
  s.session = sentences_session(s.model, 0, false);
  make_own_fail("translate with penalties", translate_beam, &s);
  mt_session_free(s.session);
  mt_model_unref(s.model);
}

static void
test_open_torch(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_write_torch(dir, "pytorch_model.bin", 0, dir->tensors->len, DIR_F16);
  model_dir_remove(dir, "model.safetensors");
  test_open(dir->path);
}

static void
test_open_marian(void)
{
  test_open(DATA "/marian/post-norm");
}

static void
test_open_archive(void)
{
  test_open(DATA "/marian/opus-2020-02-26.zip");
}

static scene
scene_new(const model_dir *dir)
{
  mt_error error = {0};
  scene s = {.path = dir->path, .model = model_open_good(dir->path)};
  s.session = sentences_session(s.model, 0, false);
  s.translation = mt_session_score(s.session, TEXT, "the dog the cat", -1, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  s.capture = mt_session_capture(s.session, s.translation, 0, MT_CAPTURE_SCORES, NULL, &error);
  g_assert_nonnull(s.capture);
  s.folder = g_dir_make_tmp("mt-allocation-XXXXXX", NULL);
  g_assert_nonnull(s.folder);
  s.file = g_build_filename(s.folder, "capture.npz", NULL);
  return s;
}

static void
scene_free(scene *s)
{
  mt_capture_unref(s->capture);
  mt_translation_unref(s->translation);
  mt_session_free(s->session);
  mt_model_unref(s->model);
  g_unlink(s->file);
  g_assert_cmpint(g_rmdir(s->folder), ==, 0); /* no temporary is left in it */
  g_free(s->file);
  g_free(s->folder);
}

#define MOST 1000

static const struct {
  const char *name;
  operation run;
  gsize most; /* of all allocations that are tried in a run; 0: MOST */
} operations[] = {
    {"tokenise", tokenize},
    {"detokenise", detokenize},
    {"translate, greedy", translate_greedy},
    {"new session, translate with 12 beams", translate_beam},
    {"translate with terms", translate_terms},
    {"copy unknown words", copy_unknown},
    {"score", score},
    {"capture", capture},
    {"capture with scores, and metrics", capture_scores},
    {"trace", trace},
    {"write npz", write_npz},
    {"read npz", read_npz}, /* what the last wrote */
    {"make npz", make_npz},
    {"write and read an archive", write_archive},
    {"effects of all heads", effects},
    {"attribute by every method", attribute, 60},
    {"bench of attributions", attribution_bench, 60},
    {"trust, and thresholds", trust},
    {"align, with links of both directions", align},
    {"write and search a corpus", corpus, 60},
};

static void
test_session(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  scene s = scene_new(dir);
  for (gsize i = 0; i < G_N_ELEMENTS(operations); i++) {
    make_own_fail(operations[i].name, operations[i].run, &s);
    make_fail(operations[i].name, operations[i].run, &s,
              operations[i].most ? operations[i].most : MOST);
  }
  scene_free(&s);
}

/* An export that fails for want of memory leaves the file that was there, and nothing else. */
static void
test_old_file(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  scene s = scene_new(dir);
  mt_error error = {0};
  failing_malloc_begin(0, false);
  g_assert_true(write_npz(&s, &error));
  gsize n = failing_malloc_end();
  failing_malloc_leaks();
  gsize n_failed = 0;
  for (gsize fail_at = 1; fail_at <= n; fail_at++) {
    g_assert_true(g_file_set_contents(s.file, "earlier", -1, NULL));
    error = (mt_error){0};
    failing_malloc_begin(fail_at, fail_at % 2);
    bool done = write_npz(&s, &error);
    failing_malloc_end();
    failing_malloc_leaks();
    g_autofree char *now = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(s.file, &now, &length, NULL));
    g_assert_cmpint(strcmp(now, "earlier") == 0, ==, !done);
    n_failed += !done;
    g_autoptr(GDir) folder = g_dir_open(s.folder, 0, NULL);
    g_assert_cmpstr(g_dir_read_name(folder), ==, "capture.npz");
    g_assert_null(g_dir_read_name(folder));
  }
  g_assert_cmpuint(n_failed, >, 5);
  scene_free(&s);
}

TESTS()
{
  /* Without it libc copies the name of the zone anew whenever libzip reads a date. */
  g_setenv("TZ", "UTC", TRUE);
  g_test_add_func("/allocation/open-safetensors", test_open_safetensors);
  g_test_add_func("/allocation/open-generation", test_open_generation);
  g_test_add_func("/allocation/open-torch", test_open_torch);
  g_test_add_func("/allocation/open-marian", test_open_marian);
  g_test_add_func("/allocation/open-archive", test_open_archive);
  g_test_add_func("/allocation/session", test_session);
  g_test_add_func("/allocation/old-file", test_old_file);
}
