/* test-ctranslate2-models.c — models as the converters of CTranslate2 write them: opened, they say
 * what CTranslate2 itself says (tests/reference/make_ctranslate2.py).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ctranslate2-writer.h"
#include "engine-test.h"
#include "few-allocations.h"
#include "model-dir.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <json.h>
#include <math.h>
#include <string.h>

#define DATA        REGARD_SOURCE_ROOT "/tests/data/ctranslate2"
#define MARIAN      REGARD_SOURCE_ROOT "/tests/data/marian"
#define CHECKPOINTS REGARD_SOURCE_ROOT "/tests/data/checkpoints"
#define LENGTH      25 /* tokens with the one that a translation starts with */
#define F           MT_ERROR_FORMAT
#define U           MT_ERROR_UNSUPPORTED

/* ---- Folders --------------------------------------------------------------------------------- */

static void
copy_files(const model_dir *dir, const char *folder, const char *ending)
{
  GDir *listing = g_dir_open(folder, 0, NULL);
  const char *name;
  g_assert_nonnull(listing);
  while ((name = g_dir_read_name(listing))) {
    g_autofree char *path = g_build_filename(folder, name, NULL), *bytes = NULL;
    gsize n;
    if (!g_str_has_suffix(name, ending))
      continue;
    g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
    model_dir_write(dir, name, bytes, (gssize) n);
  }
  g_dir_close(listing);
}

/* A folder of tests/data/ctranslate2 with its tokenizer. */
static model_dir *
dir_of(const char *name)
{
  static const char *const others[] = {"model.safetensors", "vocab.json", "config.json"};
  model_dir *dir = model_dir_new();
  for (guint i = 0; i < G_N_ELEMENTS(others); i++)
    model_dir_remove(dir, others[i]);
  g_autofree char *folder = g_build_filename(DATA, name, NULL);
  copy_files(dir, folder, "");
  copy_files(dir, strcmp(name, "marian-untied") ? MARIAN "/post-norm" : MARIAN "/untied", ".spm");
  return dir;
}

/* ---- As CTranslate2 has it ------------------------------------------------------------------- */

static json_object *
member(json_object *object, const char *key)
{
  json_object *value = NULL;
  g_assert_true(json_object_object_get_ex(object, key, &value));
  return value;
}

static void
assert_pieces(const mt_hypothesis *found, json_object *pieces, const char *name)
{
  gsize n = mt_tokens_count(found->tokens), n_wanted = json_object_array_length(pieces);
  g_autoptr(GString) text = g_string_new(NULL);
  /* CTranslate2 leaves the end out. */
  n -= n > 0 && strcmp(mt_tokens_get(found->tokens, n - 1)->piece, "</s>") == 0;
  for (gsize i = 0; i < n; i++)
    g_string_append_printf(text, " %s", mt_tokens_get(found->tokens, i)->piece);
  gboolean same = n == n_wanted;
  for (gsize i = 0; same && i < n; i++)
    same = strcmp(mt_tokens_get(found->tokens, i)->piece,
                  json_object_get_string(json_object_array_get_idx(pieces, i))) == 0;
  if (!same)
    g_error("%s: expected %s, found%s", name, json_object_to_json_string(pieces), text->str);
}

/* Sinusoids are computed here; CTranslate2 adds them as they were rounded when they were stored. */
static double
tolerance_of(const char *name)
{
  return g_str_has_suffix(name, "bfloat16")  ? 1e-2
         : g_str_has_suffix(name, "float16") ? 1e-3
                                             : 1e-4;
}

static void
check_case(mt_session *session, json_object *c, const char *name)
{
  const double tolerance = tolerance_of(name);
  mt_error error = {0};
  mt_search_params params = mt_search_params_default(mt_session_model(session));
  const char *text = json_object_get_string(member(c, "text"));
  const char *target = json_object_get_string(member(c, "target"));
  json_object *logprobs = member(c, "logprobs"), *beam = member(c, "beam");

  g_autoptr(mt_translation) scored = mt_session_score(session, text, target, -1, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  const mt_hypothesis *own = mt_translation_hypothesis(scored, 0);
  g_assert_cmpuint(mt_tokens_count(own->tokens), ==, json_object_array_length(logprobs));
  for (gsize i = 0; i < mt_tokens_count(own->tokens); i++)
    g_assert_cmpfloat_with_epsilon(own->logprobs[i],
                                   json_object_get_double(json_object_array_get_idx(logprobs, i)),
                                   tolerance);

  params.max_length = LENGTH;
  params.length_penalty = 1;
  params.beam_size = 1;
  g_autoptr(mt_translation) greedy = mt_session_translate(session, text, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  assert_pieces(mt_translation_hypothesis(greedy, 0), member(c, "greedy"), name);
  if (!beam)
    return;
  params.beam_size = 4;
  g_autoptr(mt_translation) best = mt_session_translate(session, text, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  assert_pieces(mt_translation_hypothesis(best, 0), beam, name);
  g_assert_cmpfloat_with_epsilon(mt_translation_hypothesis(best, 0)->score,
                                 json_object_get_double(member(c, "score")), tolerance);
}

/* What a model makes of the texts of a name. */
static void
check_golden(const char *path, const char *name)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = model_open_good(path);
  g_autoptr(mt_session) session = mt_session_new(model, NULL, &error);
  json_object *file = json_object_from_file(DATA ".json"), *cases = member(file, name);
  g_assert_cmpstr(mt_model_format(model), ==, "CTranslate2");
  for (gsize i = 0; i < json_object_array_length(cases); i++)
    check_case(session, json_object_array_get_idx(cases, i), name);
  json_object_put(file);
}

static void
test_golden(const void *data)
{
  g_autoptr(model_dir) dir = dir_of(data);
  check_golden(dir->path, data);
}

/* ---- Families of transformers ---------------------------------------------------------------- */

/* A folder with the tokenizer of the checkpoint that it was converted from. */
static model_dir *
family_dir(const char *name)
{
  static const char *const others[] = {"source.spm", "target.spm"};
  static const char *const files[] = {"vocab.json",
                                      "merges.txt",
                                      ".model",
                                      "tokenizer.json",
                                      "tokenizer_config.json",
                                      "special_tokens_map.json",
                                      "added_tokens.json"};
  model_dir *dir = dir_of(name);
  g_autofree char *folder = g_build_filename(CHECKPOINTS, name, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(others); i++)
    model_dir_remove(dir, others[i]);
  for (guint i = 0; i < G_N_ELEMENTS(files); i++)
    copy_files(dir, folder, files[i]);
  return dir;
}

static int
find_language(const mt_model *model, json_object *codes, guint i)
{
  gsize found = 0;
  if (!codes)
    return -1;
  const char *code = json_object_get_string(json_object_array_get_idx(codes, i));
  g_assert_true((i ? mt_model_find_language : mt_model_find_source_language)(model, code, &found));
  return (int) found;
}

static void
assert_same_ids(const mt_tokens *found, const mt_tokens *wanted)
{
  g_assert_cmpuint(mt_tokens_count(found), ==, mt_tokens_count(wanted));
  for (gsize i = 0; i < mt_tokens_count(found); i++)
    g_assert_cmpint(mt_tokens_get(found, i)->id, ==, mt_tokens_get(wanted, i)->id);
}

/* One text by the converted model and by the one that it was converted from. */
static void
check_family_case(mt_session *session, mt_session *original, json_object *c, json_object *names)
{
  mt_error error = {0};
  const mt_model *model = mt_session_model(session);
  const char *text = json_object_get_string(member(c, "text"));
  json_object *codes = member(c, "languages");
  const int from = find_language(model, codes, 0), to = find_language(model, codes, 1);

  g_autoptr(mt_translation) scored =
      mt_session_score_between(session, text, "a cat and two dogs", from, to, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autoptr(mt_translation) wanted =
      mt_session_score_between(original, text, "a cat and two dogs", from, to, NULL, &error);
  const mt_hypothesis *own = mt_translation_hypothesis(scored, 0),
                      *other = mt_translation_hypothesis(wanted, 0);
  assert_same_ids(mt_translation_source(scored), mt_translation_source(wanted));
  assert_same_ids(own->tokens, other->tokens);
  for (gsize i = 0; i < mt_tokens_count(own->tokens); i++)
    g_assert_cmpfloat_with_epsilon(own->logprobs[i], other->logprobs[i], 1e-4);

  mt_search_params params = mt_search_params_default(model);
  params.max_length = LENGTH;
  params.beam_size = 1;
  params.source_language = from;
  params.language = to;
  g_autoptr(mt_translation) greedy = mt_session_translate(session, text, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  /* By the names that CTranslate2 has for the ids: of pieces with two ids it tells one name. */
  json_object *pieces = member(c, "greedy");
  const mt_tokens *tokens = mt_translation_hypothesis(greedy, 0)->tokens;
  gsize n = mt_tokens_count(tokens);
  n -= n > 0 && mt_tokens_get(tokens, n - 1)->id == mt_model_config(model)->eos_id;
  g_assert_cmpuint(n, ==, json_object_array_length(pieces));
  for (gsize i = 0; i < n; i++)
    g_assert_cmpstr(json_object_get_string(
                        json_object_array_get_idx(names, (gsize) mt_tokens_get(tokens, i)->id)),
                    ==, json_object_get_string(json_object_array_get_idx(pieces, i)));
}

static void
test_family(const void *data)
{
  const char *name = data;
  mt_error error = {0};
  g_autofree char *path = g_build_filename(CHECKPOINTS, name, NULL);
  g_autoptr(model_dir) dir = family_dir(name);
  g_autoptr(mt_model) model = model_open_good(dir->path);
  g_autoptr(mt_model) other = model_open_good(path);
  g_assert_cmpuint(mt_model_fingerprint(model), ==, mt_model_fingerprint(other));
  g_autoptr(mt_session) session = mt_session_new(model, NULL, &error);
  g_autoptr(mt_session) original = mt_session_new(other, NULL, &error);
  g_autofree char *words = g_build_filename(DATA, name, "shared_vocabulary.json", NULL);
  json_object *names = json_object_from_file(words);
  json_object *file = json_object_from_file(DATA ".json"), *cases = member(file, name);
  for (gsize i = 0; i < json_object_array_length(cases); i++)
    check_family_case(session, original, json_object_array_get_idx(cases, i), names);
  json_object_put(names);
  json_object_put(file);
}

/* ---- Argos ----------------------------------------------------------------------------------- */

/* A package as it is downloaded, of the model of OpenNMT-py. */
static void
test_argos(void)
{
  static const char path[] = DATA "/translate-en_de.argosmodel";
  check_golden(path, "opennmt-py");
  g_autoptr(mt_model) model = model_open_good(path);
  const mt_config *config = mt_model_config(model);
  g_assert_cmpstr(mt_model_name(model), ==, "translate-en_de");
  g_assert_cmpstr(config->source_lang, ==, "en");
  g_assert_cmpstr(config->target_lang, ==, "de");
  g_assert_cmpuint(config->num_beams, ==, 4);
  g_assert_cmpfloat_with_epsilon(config->length_penalty, 0.2, 1e-6);
}

/* The same where it is installed, and what is wrong with packages. */
static void
test_argos_folder(void)
{
  static const struct {
    const char *metadata;
    mt_error_code code;
    const char *words;
  } rows[] = {
      {"[]", F, "/metadata.json: "},
      {"{\"from_code\": 3}", F, "/metadata.json: |from_code"},
      {"{\"type\": \"sbd\", \"from_code\": \"en\"}", U, "of type \"translate\", found \"sbd\""},
  };
  g_autoptr(model_dir) dir = dir_of("opennmt-py");
  g_autofree char *folder = g_build_filename(dir->path, "model", NULL);
  static const char *const inside[] = {"model.bin", "config.json", "shared_vocabulary.json"};
  g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS(inside); i++) {
    g_autofree char *from = g_build_filename(dir->path, inside[i], NULL);
    g_autofree char *to = g_build_filename(folder, inside[i], NULL);
    g_assert_cmpint(g_rename(from, to), ==, 0);
  }
  gsize n;
  g_autofree char *spm = model_dir_read(dir, "source.spm", &n);
  model_dir_write(dir, "sentencepiece.model", spm, (gssize) n);
  model_dir_remove(dir, "source.spm");
  model_dir_write(dir, "metadata.json", "{\"from_code\": \"en\", \"to_code\": \"nl\"}", -1);
  check_golden(dir->path, "opennmt-py");
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    model_dir_write(dir, "metadata.json", rows[i].metadata, -1);
    model_open_bad(dir->path, rows[i].code, rows[i].words);
  }
  for (guint i = 0; i < G_N_ELEMENTS(inside); i++) {
    g_autofree char *to = g_build_filename(folder, inside[i], NULL);
    g_assert_cmpint(g_unlink(to), ==, 0);
  }
  g_assert_cmpint(g_rmdir(folder), ==, 0);
}

/* ---- The same numbers ------------------------------------------------------------------------ */

/* As Marian itself has them, bit for bit; only the search is asked for otherwise. */
static void
test_same_numbers(void)
{
  g_autoptr(model_dir) dir = dir_of("marian-f32");
  g_autoptr(mt_model) model = model_open_good(dir->path);
  g_autoptr(mt_model) other = model_open_good(MARIAN "/post-norm");
  g_assert_cmpuint(mt_model_n_parameters(model), ==, mt_model_n_parameters(other));
  g_assert_cmpuint(mt_model_fingerprint(model), ==, mt_model_fingerprint(other));
  const mt_matrix a = mt_model_embedding(model, MT_STACK_ENCODER),
                  b = mt_model_embedding(other, MT_STACK_ENCODER);
  g_assert_cmpmem(a.data, a.rows * a.cols * 4, b.data, b.rows * b.cols * 4);
  for (mt_stack s = 0; s < MT_N_STACKS; s++) {
    const mt_matrix p = mt_model_positions(model, s), q = mt_model_positions(other, s);
    g_assert_cmpmem(p.data, q.rows * q.cols * 4, q.data, q.rows * q.cols * 4);
  }
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (mt_map map = 0; map < MT_N_MAPS; map++) {
      const mt_matrix p = mt_model_head_map(model, kind, 0, 1, map),
                      q = mt_model_head_map(other, kind, 0, 1, map);
      for (size_t i = 0; i < p.rows; i++)
        g_assert_cmpmem(p.data + i * p.stride, p.cols * 4, q.data + i * q.stride, q.cols * 4);
    }
}

/* Whole numbers stay where they are in the file: memory is for floats, of which there is one copy.
 */
static void
test_listing(void)
{
  g_autoptr(model_dir) dir = dir_of("marian-int8");
  g_autoptr(mt_model) model = model_open_good(dir->path);
  gsize n_whole = 0;
  for (gsize i = 0; i < mt_model_n_tensors(model); i++) {
    const mt_tensor_info *info = mt_model_tensor(model, i);
    g_assert_cmpstr(info->file, ==, "model.bin");
    n_whole += info->n_dims == 2 && strcmp(info->dtype, "I8") == 0;
    /* What is another name of a tensor is not listed again. */
    g_assert_cmpstr(info->name, !=, "decoder/projection/weight");
  }
  g_assert_cmpuint(n_whole, >, 10);
  g_assert_cmpstr(mt_model_multiplied_out(model), ==, "I8");
  g_autoptr(model_dir) floats = dir_of("marian-float16");
  g_autoptr(mt_model) other = model_open_good(floats->path);
  g_assert_null(mt_model_multiplied_out(other));
}

/* ---- What is refused ------------------------------------------------------------------------- */

/* Where the data of a variable begins in the file. */
static gsize
find_data(const char *bytes, gsize size, const char *name)
{
  const gsize n = strlen(name) + 1;
  for (gsize i = 2; i + n < size; i++)
    if ((guint8) bytes[i - 2] == n && bytes[i - 1] == 0 && memcmp(bytes + i, name, n) == 0)
      return i + n + 1 + 4 * (gsize) bytes[i + n] + 1 + 4;
  g_error("there is no variable %s", name);
}

/* The file with another value of a variable of one byte. */
static void
set_byte(const model_dir *dir, const char *name, char value)
{
  gsize size;
  g_autofree char *bytes = model_dir_read(dir, "model.bin", &size);
  bytes[find_data(bytes, size, name)] = value;
  model_dir_write(dir, "model.bin", bytes, (gssize) size);
}

/* The file with one variable more, of one number or, `is_matrix`, of two rows of one. */
static void
add_variable(const model_dir *dir, const char *name, gboolean is_matrix, gint32 value)
{
  static const guint32 none[2] = {0, 0}, two[2] = {2, 1};
  const gint32 values[2] = {value, value};
  gsize size;
  g_autofree char *bytes = model_dir_read(dir, "model.bin", &size);
  g_autoptr(GByteArray) file = g_byte_array_new();
  const guint at = 4 + 2 + sizeof "TransformerSpec" + 4;
  guint32 n;
  memcpy(&n, bytes + at, 4);
  g_byte_array_append(file, (guint8 *) bytes, at);
  ct2_number(file, 4, GUINT32_FROM_LE(n) + 1);
  ct2_variable(file, name, is_matrix ? two : none, CT2_I32, values, is_matrix ? 8 : 4);
  g_byte_array_append(file, (guint8 *) bytes + at + 4, (guint) (size - at - 4));
  model_dir_write(dir, "model.bin", (const char *) file->data, (gssize) file->len);
}

static void
test_not_done(void)
{
  static const struct {
    const char *name;
    gint32 value;
    gboolean is_matrix;
    const char *words;
  } rows[] = {
      {"encoder/layer_0/self_attention/rotary_dim", 0, FALSE, "found rotary positions (\"encoder/"},
      {"encoder/layer_0/self_attention/relative_position_keys", 0, TRUE, "Shaw 2018"},
      {"decoder/layer_1/self_attention/multi_query", 1, FALSE, "all heads share"},
      {"decoder/sliding_window", 128, FALSE, "a sliding window"},
      {"encoder/layer_0/ffn/linear_0/weight_zero", 0, TRUE, "weights of AWQ"},
      {"decoder/layer_0/self_attention/q_norm/gamma", 0, TRUE, "norms of queries and keys"},
      {"decoder/layer_0/self_attention/memory_kv/weight", 0, TRUE, "cross-attention in one"},
      {"decoder/layer_0/shared_layer_norm/gamma", 0, TRUE, "side by side"},
      {"encoder/layer_0/input_layer_norm/gamma", 0, TRUE, "before and after each"},
      {"decoder/project_in/weight", 0, TRUE, "of another width"},
      {"decoder/final_logit_softcapping", 30, FALSE, "logits that are bounded"},
      {"decoder/layer_0/layer_scalar", 2, FALSE, "layers that are scaled"},
      {"encoder/embeddings_1/weight", 0, TRUE, "several words at each place"},
      {"encoder/layer_0/self_attention/num_heads_kv", 1, FALSE, "fewer heads of keys"},
  };
  static const struct {
    const char *name;
    gint32 value;
  } harmless[] = {{"decoder/layer_0/self_attention/num_heads_kv", 2},
                  {"encoder/layer_0/self_attention/rotary_dim", -1},
                  {"decoder/layer_0/layer_scalar", 1},
                  {"decoder/something_new", 7}};
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(model_dir) dir = dir_of("marian-float16");
    add_variable(dir, rows[i].name, rows[i].is_matrix, rows[i].value);
    model_open_bad(dir->path, U, rows[i].words);
  }
  g_autoptr(model_dir) dir = dir_of("marian-float16");
  for (guint i = 0; i < G_N_ELEMENTS(harmless); i++)
    add_variable(dir, harmless[i].name, FALSE, harmless[i].value);
  g_autoptr(mt_model) model = model_open_good(dir->path);
}

static void
test_other_kinds(void)
{
  static const struct {
    const char *spec;
    guint32 revision;
    const char *words;
  } rows[] = {
      {"TransformerDecoderSpec", 8, "found a decoder without an encoder (\"TransformerDecoderSpec"},
      {"TransformerEncoderSpec", 1, "found an encoder without a decoder"},
      {"WhisperSpec", 3, "Whisper, a model that reads sound"},
      {"Wav2Vec2Spec", 3, "wav2vec 2.0"},
      {"TransformerBig", 2, "found the kind \"TransformerBig\""},
      {"TransformerSpec", 8, "of revision 3 to 7, found revision 8"},
      {"TransformerSpec", 2, "found revision 2"},
  };
  g_autoptr(model_dir) dir = dir_of("marian-float16");
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GByteArray) file = ct2_begin(6, rows[i].spec, rows[i].revision, 0);
    ct2_number(file, 4, 0);
    model_dir_write(dir, "model.bin", (const char *) file->data, (gssize) file->len);
    model_open_bad(dir->path, U, rows[i].words);
  }
}

static void
test_settings(void)
{
  static const struct {
    const char *name;
    char value;
    mt_error_code code;
    const char *words;
  } rows[] = {
      {"encoder/activation", 3, U, "one activation for both stacks, found 3 and 2"},
      {"encoder/pre_norm", 1, U, "norms before each sub-layer in both stacks or in none"},
      {"encoder/num_heads", 3, U, "in 3 heads, found 24 rows"},
      {"encoder/num_heads", 0, U, "in 0 heads"},
      {"decoder/alibi", 1, U, "found ALiBi"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(model_dir) dir = dir_of("marian-float16");
    set_byte(dir, rows[i].name, rows[i].value);
    model_open_bad(dir->path, rows[i].code, rows[i].words);
  }
  static const struct {
    char value;
    mt_error_code code;
    const char *words;
  } activations[] = {{4, U, "found GELU by a sigmoid"},
                     {5, U, "found tanh"},
                     {6, U, "found a sigmoid"},
                     {7, F, "from 0 to 6, found 7"},
                     {-1, F, "found -1"}};
  for (guint i = 0; i < G_N_ELEMENTS(activations); i++) {
    g_autoptr(model_dir) dir = dir_of("marian-float16");
    set_byte(dir, "encoder/activation", activations[i].value);
    set_byte(dir, "decoder/activation", activations[i].value);
    model_open_bad(dir->path, activations[i].code, activations[i].words);
  }
}

/* Files beside the weights. */
static void
test_beside(void)
{
  static const struct {
    const char *file, *text; /* NULL: it is not there */
    mt_error_code code;
    const char *words;
  } rows[] = {
      {"config.json", NULL, MT_ERROR_IO, "/config.json: "},
      {"config.json", "{\"eos_token\": 3}", F, "eos_token"},
      {"config.json", "{\"eos_token\": \"<eos>\"}", F, "expected the piece \"<eos>\""},
      {"config.json", "{\"quantization_type\": 1}", U, "found 1 (AWQ)"},
      {"config.json", "{\"layer_norm_epsilon\": -1}", F, "layer_norm_epsilon from 0 to 1"},
      {"shared_vocabulary.json", "{\"</s>\": 0}", F, "expected a JSON list"},
      {"shared_vocabulary.json", "[\"</s>\", 3]", F, "found something else at place 1"},
      {"shared_vocabulary.json", "[\"</s>\", \"\\u0000\", \"a\\u0000\"]", F,
       "found something else at place 2"},
      {"shared_vocabulary.json", "[\"</s>\", \"<unk>\"]", F, "expected 124 pieces"},
      {"source.spm", NULL, MT_ERROR_IO, "sentencepiece.model, found none of them|copy them"},
      {"source.spm", "no model", F, "/source.spm: "},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(model_dir) dir = dir_of("marian-float16");
    if (rows[i].text)
      model_dir_write(dir, rows[i].file, rows[i].text, -1);
    else
      model_dir_remove(dir, rows[i].file);
    model_open_bad(dir->path, rows[i].code, rows[i].words);
  }
  g_autoptr(model_dir) dir = dir_of("marian-float16");
  model_dir_remove(dir, "source.spm");
  model_dir_write(dir, "bpe.model", "#version: 0.2\n", -1);
  model_open_bad(dir->path, U, "/bpe.model: |codes for subword-nmt");
  g_autoptr(model_dir) other = dir_of("marian-untied");
  model_dir_remove(other, "target_vocabulary.json");
  model_open_bad(other->path, MT_ERROR_IO, "/target_vocabulary.json: expected this file");
}

/* ---- Files that nobody should write ---------------------------------------------------------- */

/* Whatever one byte says, the file is refused or can be used. */
static void
test_any_byte(void)
{
  g_autoptr(model_dir) dir = dir_of("marian-int8_float16");
  g_autoptr(GRand) random = g_rand_new_with_seed(5);
  gsize size;
  g_autofree char *bytes = model_dir_read(dir, "model.bin", &size);
  int n_read = 0, n = (int) (40 / suite_stride(1, 2));
  for (int i = 0; i < n; i++) {
    gsize at = (gsize) g_rand_int_range(random, 0, (gint32) size);
    char was = bytes[at];
    bytes[at] = (char) g_rand_int_range(random, 0, 256);
    model_dir_write(dir, "model.bin", bytes, (gssize) size);
    mt_error error = {0};
    g_autoptr(mt_model) model = mt_model_open(dir->path, NULL, &error);
    n_read += model != NULL;
    g_assert_true(model || (error.code != MT_OK && error.code != MT_ERROR_NO_MEMORY));
    bytes[at] = was;
  }
  g_assert_cmpint(n_read, <, n);
}

static void
test_no_memory(void)
{
  g_autoptr(model_dir) dir = dir_of("marian-int8_float16");
  guint n_failed = 0;
  for (bool done = false; !done; n_failed += n_failed < 20 ? 1 : 23) {
    mt_error error = {0};
    few_then_all_fail(n_failed);
    g_autoptr(mt_model) model = mt_model_open(dir->path, NULL, &error);
    few_end();
    g_assert_cmpint(error.code, ==, model ? MT_OK : MT_ERROR_NO_MEMORY);
    done = model != NULL;
  }
  g_assert_cmpuint(n_failed, >, 100);
}

TESTS()
{
  static const char *const names[] = {
      "marian-f32",      "marian-pre-norm", "marian-untied",       "marian-int8",
      "marian-int16",    "marian-float16",  "marian-int8_float16", "marian-int8_bfloat16",
      "marian-bfloat16", "version-5",       "opennmt-py",          "opennmt-tf",
  };
  static const char *const families[] = {
      "bart-tiny", "mbart-tiny",    "cc25-tiny", "m2m-tiny",  "nllb-tiny", "pegasus-tiny",
      "t5-tiny",   "t5-gated-tiny", "mt5-tiny",  "umt5-tiny", "byt5-tiny",
  };
  for (guint i = 0; i < G_N_ELEMENTS(families); i++)
    suite_add(families[i], test_family, "/ctranslate2-models/family/%s", families[i]);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    suite_add(names[i], test_golden, "/ctranslate2-models/golden/%s", names[i]);
  g_test_add_func("/ctranslate2-models/argos", test_argos);
  g_test_add_func("/ctranslate2-models/argos-folder", test_argos_folder);
  g_test_add_func("/ctranslate2-models/same-numbers", test_same_numbers);
  g_test_add_func("/ctranslate2-models/listing", test_listing);
  g_test_add_func("/ctranslate2-models/not-done", test_not_done);
  g_test_add_func("/ctranslate2-models/other-kinds", test_other_kinds);
  g_test_add_func("/ctranslate2-models/settings", test_settings);
  g_test_add_func("/ctranslate2-models/beside", test_beside);
  g_test_add_func("/ctranslate2-models/any-byte", test_any_byte);
  g_test_add_func("/ctranslate2-models/no-memory", test_no_memory);
}
