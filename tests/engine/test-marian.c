/* test-marian.c — checkpoints of Marian itself: the same capture as from Hugging Face's format, bit
 * for bit, whatever way they are published.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "few-allocations.h"
#include "marian-dir.h"
#include "model/mt-model.h"
#include "npz-build.h"
#include "suite.h"
#include "zip-writer.h"

#include <string.h>

static const char *const sentences[] = {"the cat sat on the mat .", "a", "dogs, dogs & xyz"};

/* ---- Equality -------------------------------------------------------------------------------- */

static void
assert_same_bits(const float *a, const float *b, gsize n)
{
  g_assert_nonnull(a);
  g_assert_nonnull(b);
  g_assert_cmpmem(a, n * sizeof *a, b, n * sizeof *b);
}

static void
assert_same_matrix(mt_matrix a, mt_matrix b)
{
  g_assert_cmpuint(a.rows, ==, b.rows);
  g_assert_cmpuint(a.cols, ==, b.cols);
  g_assert_cmpuint(a.rows * a.cols, >, 0);
  for (gsize r = 0; r < a.rows; r++)
    assert_same_bits(a.data + r * a.stride, b.data + r * b.stride, a.cols);
}

static void
assert_same_tokens(const mt_tokens *a, const mt_tokens *b)
{
  g_assert_cmpuint(mt_tokens_count(a), ==, mt_tokens_count(b));
  g_assert_cmpstr(mt_tokens_text(a), ==, mt_tokens_text(b));
  for (gsize i = 0; i < mt_tokens_count(a); i++) {
    const mt_token *x = mt_tokens_get(a, i), *y = mt_tokens_get(b, i);
    g_assert_cmpint(x->id, ==, y->id);
    g_assert_cmpstr(x->piece, ==, y->piece);
    g_assert_cmpuint(x->begin, ==, y->begin);
    g_assert_cmpuint(x->end, ==, y->end);
    g_assert_cmpint(x->is_special, ==, y->is_special);
  }
}

static void
assert_same_capture(const mt_capture *a, const mt_capture *b)
{
  assert_same_tokens(mt_capture_source(a), mt_capture_source(b));
  assert_same_tokens(mt_capture_decoder_input(a), mt_capture_decoder_input(b));
  assert_same_tokens(mt_capture_output(a), mt_capture_output(b));
  for (int kind = 0; kind < MT_N_KINDS; kind++) {
    g_assert_cmpuint(mt_capture_n_layers(a, kind), ==, mt_capture_n_layers(b, kind));
    g_assert_cmpuint(mt_capture_n_heads(a, kind), ==, mt_capture_n_heads(b, kind));
    for (gsize l = 0; l < mt_capture_n_layers(a, kind); l++)
      for (gsize h = 0; h < mt_capture_n_heads(a, kind); h++) {
        assert_same_matrix(mt_capture_weights(a, kind, l, h), mt_capture_weights(b, kind, l, h));
        assert_same_matrix(mt_capture_scores(a, kind, l, h), mt_capture_scores(b, kind, l, h));
      }
  }
  g_assert_cmpint(mt_capture_position_kind(a), ==, mt_capture_position_kind(b));
  for (int s = 0; s < MT_N_STACKS; s++)
    assert_same_matrix(mt_capture_positions(a, s), mt_capture_positions(b, s));
  assert_same_bits(mt_capture_logprobs(a), mt_capture_logprobs(b),
                   mt_tokens_count(mt_capture_output(a)));
}

static void
assert_same_model(const mt_model *a, const mt_model *b)
{
  mt_error error = {0};
  g_autoptr(mt_session) x = mt_session_new((mt_model *) a, NULL, &error);
  g_autoptr(mt_session) y = mt_session_new((mt_model *) b, NULL, &error);
  g_assert_true(x && y);
  mt_search_params params = mt_search_params_default(a), other = mt_search_params_default(b);
  g_assert_cmpuint(params.beam_size, ==, other.beam_size);
  g_assert_cmpuint(params.max_length, ==, other.max_length);
  g_assert_cmpfloat(params.length_penalty, ==, other.length_penalty);
  g_assert_cmpuint(mt_model_n_parameters(a), >=, mt_model_n_parameters(b));
  params.max_length = 30; /* what such weights say hardly ends by itself */
  for (guint i = 0; i < G_N_ELEMENTS(sentences); i++)
    for (guint beams = 1; beams <= 4; beams += 3) {
      params.beam_size = params.n_best = beams;
      g_autoptr(mt_translation) s = mt_session_translate(x, sentences[i], &params, NULL, &error);
      g_autoptr(mt_translation) t = mt_session_translate(y, sentences[i], &params, NULL, &error);
      if (!s || !t)
        g_error("%s", error.message);
      g_assert_cmpuint(mt_translation_count(s), ==, mt_translation_count(t));
      for (gsize k = 0; k < mt_translation_count(s); k++) {
        const mt_hypothesis *h = mt_translation_hypothesis(s, k);
        const mt_hypothesis *j = mt_translation_hypothesis(t, k);
        g_assert_cmpstr(h->text, ==, j->text);
        assert_same_tokens(h->tokens, j->tokens);
        assert_same_bits(h->logprobs, j->logprobs, mt_tokens_count(h->tokens));
        assert_same_bits(&h->score, &j->score, 1);
        g_autoptr(mt_capture) c = mt_session_capture(x, s, k, MT_CAPTURE_SCORES, NULL, &error);
        g_autoptr(mt_capture) d = mt_session_capture(y, t, k, MT_CAPTURE_SCORES, NULL, &error);
        g_assert_true(c && d);
        assert_same_capture(c, d);
      }
    }
}

/* Open `path` and compare it with the folder NAME-hf. */
static void
assert_like(const char *path, const char *name)
{
  g_autofree char *twin = g_strdup_printf(MARIAN_DATA "/%s-hf", name);
  g_autoptr(mt_model) a = model_open_good(twin), b = model_open_good(path);
  g_assert_cmpstr(mt_model_format(a), ==, "safetensors");
  g_assert_cmpstr(mt_model_format(b), ==, "Marian npz");
  assert_same_model(a, b);
}

static void
write_and_compare(marian_dir *dir, gboolean deflated, const char *name)
{
  marian_dir_write(dir, deflated);
  assert_like(dir->dir->path, name);
}

/* ---- As published -----------------------------------------------------------------------------
 */

static void
test_twins(void)
{
  assert_like(MARIAN_DATA "/post-norm", "post-norm");
  assert_like(MARIAN_DATA "/pre-norm", "pre-norm");
  assert_like(MARIAN_DATA "/untied", "untied");
  assert_like(MARIAN_DATA "/opus-2020-02-26.zip", "post-norm");
}

static void
test_config(void)
{
  mt_model *model = model_open_good(MARIAN_DATA "/opus-2020-02-26.zip");
  const mt_config *c = mt_model_config(model);
  g_assert_cmpstr(mt_model_name(model), ==, "opus-2020-02-26");
  g_assert_cmpuint(c->d_model, ==, 8);
  g_assert_cmpuint(c->n_layers[MT_STACK_ENCODER], ==, 1);
  g_assert_cmpuint(c->n_layers[MT_STACK_DECODER], ==, 2);
  g_assert_cmpuint(c->n_heads[MT_STACK_DECODER], ==, 2);
  g_assert_cmpuint(c->d_ffn[MT_STACK_DECODER], ==, 12);
  g_assert_cmpuint(c->max_positions, ==, 512);
  g_assert_cmpint(c->activation, ==, MT_ACTIVATION_SILU);
  g_assert_true(c->scale_embedding && c->share_embeddings && c->tie_word_embeddings);
  g_assert_false(c->normalize_before || c->normalize_embedding || c->add_final_layer_norm);
  g_assert_cmpint(c->pad_id, ==, (int) c->vocab_size[MT_STACK_DECODER] - 1);
  g_assert_cmpint(c->decoder_start_id, ==, c->pad_id);
  g_assert_cmpint(c->eos_id, ==, 0);
  g_assert_cmpint(c->forced_eos_id, ==, 0);
  g_assert_cmpint(c->unk_id, ==, 1);
  g_assert_cmpuint(c->num_beams, ==, 6);
  g_assert_cmpuint(c->max_length, ==, 512);
  g_assert_cmpfloat(c->length_penalty, ==, 1);
  g_assert_cmpuint(c->n_bad_words, ==, 1);
  g_assert_cmpint(c->bad_words[0][0], ==, c->pad_id);
  g_assert_cmpstr(mt_model_piece(model, MT_STACK_ENCODER, c->pad_id), ==, "<pad>");
  /* Listed as stored: the last one is no parameter. */
  gsize n = mt_model_n_tensors(model);
  g_assert_cmpuint(n, ==, 71);
  g_assert_cmpstr(mt_model_tensor(model, n - 1)->name, ==, "special:model.yml");
  g_assert_cmpstr(mt_model_tensor(model, n - 1)->dtype, ==, "I8");
  g_assert_cmpstr(mt_model_tensor(model, 0)->name, ==, "encoder_l1_self_Wq");
  mt_model_unref(model);

  model = model_open_good(MARIAN_DATA "/pre-norm");
  c = mt_model_config(model);
  g_assert_true(c->normalize_before && c->normalize_embedding && c->add_final_layer_norm);
  g_assert_cmpint(c->position_kind, ==, MT_POSITIONS_LEARNED);
  g_assert_cmpuint(c->max_positions, ==, 40);
  g_assert_cmpuint(c->max_length, ==, 40);
  g_assert_cmpuint(c->d_ffn[MT_STACK_ENCODER], ==, 12);
  g_assert_cmpuint(c->d_ffn[MT_STACK_DECODER], ==, 10);
  g_assert_false(c->scale_embedding || c->tie_word_embeddings);
  mt_model_unref(model);
}

/* The same numbers stored otherwise. */
static void
test_storages(void)
{
  marian_dir *dir = marian_dir_new("untied");
  /* The untransposed output matrix of older versions, [d][V]. */
  gsize d = 8, n = 0;
  float *output = marian_dir_floats(dir, "decoder_ff_logit_out_Wt");
  g_autoptr(mt_model) model = model_open_good(dir->dir->path);
  n = mt_model_config(model)->vocab_size[MT_STACK_DECODER] - 1;
  g_autofree float *turned = g_new(float, n *d);
  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < d; k++)
      turned[k * n + i] = output[i * d + k];
  g_autofree char *shape = g_strdup_printf("(%zu, %zu)", d, n);
  marian_dir_set(dir, "decoder_ff_logit_out_Wt", NULL);
  marian_dir_set(dir, "decoder_ff_logit_out_W",
                 npy_bytes("<f4", shape, turned, n * d * sizeof *turned));
  write_and_compare(dir, FALSE, "untied");
  /* numpy.savez_compressed. */
  write_and_compare(dir, TRUE, "untied");
  marian_dir_free(dir);

  dir = marian_dir_new("post-norm");
  /* In double; a vector without its 1; dots for underscores; more NULs behind the text. */
  float *weight = marian_dir_floats(dir, "decoder_l2_context_Wk");
  double wide[64];
  for (gsize i = 0; i < G_N_ELEMENTS(wide); i++)
    wide[i] = (double) weight[i];
  marian_dir_set(dir, "decoder_l2_context_Wk", npy_bytes("<f8", "(8, 8)", wide, sizeof wide));
  float vector[8];
  memcpy(vector, marian_dir_floats(dir, "decoder_l1_ffn_b2"), sizeof vector);
  marian_dir_set(dir, "decoder_l1_ffn_b2", npy_bytes("<f4", "(8,)", vector, sizeof vector));
  marian_dir_rename(dir, "encoder_l1_self_Wq", "encoder.l1.self.Wq");
  marian_dir_rename(dir, "decoder_l1_self_Wo_ln_scale", "decoder.l1.self.Wo_ln_scale");
  marian_dir_replace_yml(dir, "version: v1.10.25 regard\n", "version: v1.10.25 regard\n\n\n");
  write_and_compare(dir, FALSE, "post-norm");
  marian_dir_free(dir);
}

/* Files found otherwise. */
static void
test_files(void)
{
  static const char vocab[] = "opus.spm32k-spm32k.vocab.yml";
  /* No decoder.yml: there is one of each. */
  marian_dir *dir = marian_dir_new("untied");
  model_dir_remove(dir->dir, "decoder.yml");
  assert_like(dir->dir->path, "untied");
  marian_dir_free(dir);

  dir = marian_dir_new("post-norm");
  model_dir_remove(dir->dir, "decoder.yml");
  assert_like(dir->dir->path, "post-norm");
  /* Marian's own name for it, and the paths of another machine. */
  model_dir_write(dir->dir, "model.npz.decoder.yml",
                  "relative-paths: false\nmodels: [/data/u/opus.spm32k-spm32k.transformer-align."
                  "model1.npz.best-perplexity.npz]\nvocabs:\n  - /data/u/opus.spm32k-spm32k.vocab."
                  "yml\n  - ./opus.spm32k-spm32k.vocab.yml\nbeam-size: 6\nnormalize: 1.0\n",
                  -1);
  assert_like(dir->dir->path, "post-norm");
  model_dir_remove(dir->dir, "model.npz.decoder.yml");

  /* The SentencePiece model is the vocabulary: its ids are those of the .yml here. */
  model_dir_remove(dir->dir, vocab);
  char *spm = model_dir_read(dir->dir, "source.spm", NULL);
  gsize n;
  g_free(spm);
  spm = model_dir_read(dir->dir, "source.spm", &n);
  model_dir_write(dir->dir, "vocab.spm", spm, (gssize) n);
  g_free(spm);
  model_dir_remove(dir->dir, "source.spm");
  model_dir_remove(dir->dir, "target.spm");
  assert_like(dir->dir->path, "post-norm");
  marian_dir_free(dir);

  /* A piece a line. */
  dir = marian_dir_new("post-norm");
  g_autoptr(mt_model) model = model_open_good(dir->dir->path);
  g_autoptr(GString) lines = g_string_new("");
  for (int i = 0; i < mt_model_config(model)->pad_id; i++)
    g_string_append_printf(lines, "%s%s", mt_model_piece(model, MT_STACK_ENCODER, i),
                           i % 2 ? "\n" : "\r\n");
  model_dir_write(dir->dir, "x.vocab", lines->str, (gssize) lines->len);
  g_autofree char *yml = model_dir_read(dir->dir, "decoder.yml", NULL);
  g_auto(GStrv) parts = g_strsplit(yml, vocab, -1);
  g_autofree char *joined = g_strjoinv("x.vocab", parts);
  model_dir_write(dir->dir, "decoder.yml", joined, -1);
  assert_like(dir->dir->path, "post-norm");
  marian_dir_free(dir);
}

/* tied-embeddings alone: the output is the target's table. The same numbers in a matrix of its own
 * give the same. */
static void
test_tied_output(void)
{
  g_autoptr(marian_dir) dir = marian_dir_new("untied"), tied = marian_dir_new("untied");
  mt_model *model = model_open_good(dir->dir->path);
  gsize d = 8, n = mt_model_config(model)->vocab_size[MT_STACK_DECODER] - 1;
  mt_model_unref(model);
  g_autofree char *shape = g_strdup_printf("(%zu, %zu)", n, d);
  marian_dir_set(dir, "decoder_ff_logit_out_Wt",
                 npy_bytes("<f4", shape, marian_dir_floats(dir, "decoder_Wemb"),
                           n * d * sizeof(float)));
  marian_dir_write(dir, FALSE);
  marian_dir_set(tied, "decoder_ff_logit_out_Wt", NULL);
  marian_dir_replace_yml(tied, "tied-embeddings: false", "tied-embeddings: true");
  marian_dir_write(tied, FALSE);

  model = model_open_good(dir->dir->path);
  g_autoptr(mt_model) other = model_open_good(tied->dir->path);
  g_assert_false(mt_model_config(model)->tie_word_embeddings);
  g_assert_true(mt_model_config(other)->tie_word_embeddings);
  g_assert_false(mt_model_config(other)->share_embeddings);
  g_assert_true(other->output.weight == other->stacks[MT_STACK_DECODER].embedding);
  g_assert_true(other->output.weight != other->stacks[MT_STACK_ENCODER].embedding);
  assert_same_model(model, other);
  mt_model_unref(model);
}

/* Archives as people make them again: all in a folder, stored or compressed. */
static void
test_archives(void)
{
  g_autoptr(marian_dir) dir = marian_dir_new("post-norm");
  g_autoptr(GDir) listing = g_dir_open(dir->dir->path, 0, NULL);
  g_autoptr(GPtrArray) owned = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) items = g_array_new(FALSE, FALSE, sizeof(zip_item));
  for (const char *file; (file = g_dir_read_name(listing));) {
    gsize n;
    char *bytes = model_dir_read(dir->dir, file, &n);
    char *name = g_strconcat("opus-2020/", file, NULL);
    g_ptr_array_add(owned, bytes);
    g_ptr_array_add(owned, name);
    const zip_item item = {.name = name, .bytes = bytes, .n = n};
    g_array_append_val(items, item);
  }
  zip_item *item = (zip_item *) (void *) items->data;
  for (int way = 0; way < 4; way++) {
    for (guint i = 0; i < items->len; i++) {
      item[i].deflate = way & 1;
      item[i].name =
          strchr(item[i].name, '/') && way >= 2 ? strchr(item[i].name, '/') + 1 : item[i].name;
    }
    g_autoptr(GByteArray) archive = zip_write(item, items->len, 0);
    model_dir_write(dir->dir, "again.zip", (const char *) archive->data, (gssize) archive->len);
    g_autofree char *path = g_build_filename(dir->dir->path, "again.zip", NULL);
    assert_like(path, "post-norm");
    model_dir_remove(dir->dir, "again.zip");
  }
}

/* Every number is where it belongs, even if nothing but its place shows. */
static void
test_places(void)
{
  g_autoptr(marian_dir) dir = marian_dir_new("post-norm");
  g_autoptr(mt_model) model = model_open_good(dir->dir->path);
  const mt_layer_weights *layer = &model->stacks[MT_STACK_DECODER].layers[1];
  const float *w1 = marian_dir_floats(dir, "decoder_l2_ffn_W1"); /* [8][12] there */
  for (gsize out = 0; out < 12; out++)
    for (gsize in = 0; in < 8; in++)
      assert_same_bits(&layer->ffn.fc1.weight[out * 8 + in], &w1[in * 12 + out], 1);
  assert_same_bits(layer->cross_norm.gain, marian_dir_floats(dir, "decoder_l2_context_Wo_ln_scale"),
                   8);
  gsize n = model->config.vocab_size[0];
  const mt_stack_weights *encoder = &model->stacks[MT_STACK_ENCODER];
  assert_same_bits(encoder->embedding, marian_dir_floats(dir, "Wemb"), (n - 1) * 8);
  for (gsize i = 0; i < 8; i++)
    g_assert_cmpfloat(encoder->embedding[(n - 1) * 8 + i], ==, 0);
  g_assert_cmpfloat(model->output.bias[n - 1], ==, 0);
  g_assert_true(model->output.weight == encoder->embedding);
  g_assert_null(model->output.as_stored.panels);
}

/* ---- Progress, cancelling, lack of memory -----------------------------------------------------
 */

static bool
stop_at(void *user, double share)
{
  double *limit = user;
  g_assert_cmpfloat(share, >=, 0);
  g_assert_cmpfloat(share, <=, 1);
  return share < *limit;
}

static void
test_interrupted(void)
{
  mt_error error = {0};
  double limit = 0.5;
  mt_load_options options = {.on_progress = stop_at, .user = &limit};
  g_assert_null(mt_model_open(MARIAN_DATA "/pre-norm", &options, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);

  static const char *const paths[] = {MARIAN_DATA "/untied", MARIAN_DATA "/opus-2020-02-26.zip"};
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
    g_autoptr(mt_model) model = NULL;
    for (size_t n = 0; !model && n < 20000; n += n < 200 ? 1 : 37) {
      few_then_all_fail(n);
      model = mt_model_open(paths[i], NULL, &error);
      few_end();
      if (!model)
        g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
    }
    g_assert_nonnull(model);
  }
}

TESTS()
{
  g_test_add_func("/marian/twins", test_twins);
  g_test_add_func("/marian/config", test_config);
  g_test_add_func("/marian/storages", test_storages);
  g_test_add_func("/marian/files", test_files);
  g_test_add_func("/marian/tied-output", test_tied_output);
  g_test_add_func("/marian/archives", test_archives);
  g_test_add_func("/marian/places", test_places);
  g_test_add_func("/marian/interrupted", test_interrupted);
}
