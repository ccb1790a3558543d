/* test-ties.c — matrices that are tied in every way, against transformers
 * (tests/reference/make_ties.py), and configurations that contradict the file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <json.h>
#include <math.h>
#include <string.h>

#include "engine-test.h"
#include "model-dir.h"
#include "model/mt-model.h"
#include "sentences.h"
#include "suite.h"

#define DATA    REGARD_SOURCE_ROOT "/tests/data/"
#define SHARED  "model.shared.weight"
#define SOURCE  "model.encoder.embed_tokens.weight"
#define TARGET  "model.decoder.embed_tokens.weight"
#define OUTPUT  "lm_head.weight"
#define EPSILON 1e-4

/* ties.safetensors: the header, and the bytes behind it. */
typedef struct {
  char *file;
  json_object *header;
  const char *bytes;
} tensors;

static json_object *
member(json_object *object, const char *key)
{
  json_object *value;
  if (!json_object_object_get_ex(object, key, &value))
    g_error("expected the member %s", key);
  return value;
}

static void
read_tensors(tensors *t)
{
  guint64 n;
  g_assert_true(g_file_get_contents(DATA "ties.safetensors", &t->file, NULL, NULL));
  memcpy(&n, t->file, sizeof n);
  n = GUINT64_FROM_LE(n);
  g_autofree char *header = g_strndup(t->file + sizeof n, n);
  t->header = json_tokener_parse(header);
  t->bytes = t->file + sizeof n + n;
}

static void
add_tensor(const tensors *t, json_object *header, GByteArray *bytes, const char *name,
           const char *stored)
{
  json_object *from = member(t->header, stored), *to = NULL;
  json_object *place = member(from, "data_offsets");
  gint64 begin = json_object_get_int64(json_object_array_get_idx(place, 0)),
         end = json_object_get_int64(json_object_array_get_idx(place, 1));
  g_assert_cmpint(json_object_deep_copy(from, &to, NULL), ==, 0);
  json_object *offsets = json_object_new_array();
  json_object_array_add(offsets, json_object_new_int64(bytes->len));
  g_byte_array_append(bytes, (const guint8 *) t->bytes + begin, (guint) (end - begin));
  json_object_array_add(offsets, json_object_new_int64(bytes->len));
  json_object_object_add(to, "data_offsets", offsets);
  json_object_object_add(header, name, to);
}

/* All layers, and the matrices of a variant under the names that it has them by. */
static void
write_weights(const tensors *t, const model_dir *dir, json_object *matrices)
{
  json_object *header = json_object_new_object();
  g_autoptr(GByteArray) bytes = g_byte_array_new(), file = g_byte_array_new();
  json_object_object_foreach(t->header, name, value) if (strlen(name) > 1 && value &&
                                                         strcmp(name, "__metadata__") != 0)
      add_tensor(t, header, bytes, name, name);
  json_object_object_foreach(matrices, key, letter)
      add_tensor(t, header, bytes, key, json_object_get_string(letter));
  const char *text = json_object_to_json_string(header);
  guint64 n = GUINT64_TO_LE((guint64) strlen(text));
  g_byte_array_append(file, (const guint8 *) &n, sizeof n);
  g_byte_array_append(file, (const guint8 *) text, (guint) strlen(text));
  g_byte_array_append(file, bytes->data, bytes->len);
  model_dir_write(dir, "model.safetensors", (const char *) file->data, file->len);
  json_object_put(header);
}

static void
write_config(const model_dir *dir, json_object *config, gboolean shares, gboolean ties)
{
  json_object *own = NULL, *bans = json_object_new_array(), *ban = json_object_new_array();
  g_assert_cmpint(json_object_deep_copy(config, &own, NULL), ==, 0);
  json_object_array_add(ban,
                        json_object_new_int(json_object_get_int(member(config, "pad_token_id"))));
  json_object_array_add(bans, ban);
  json_object_object_add(own, "bad_words_ids", bans);
  json_object_object_add(own, "share_encoder_decoder_embeddings", json_object_new_boolean(shares));
  json_object_object_add(own, "tie_word_embeddings", json_object_new_boolean(ties));
  model_dir_write(dir, "config.json", json_object_to_json_string(own), -1);
  json_object_put(own);
}

static gboolean
get_flag(json_object *variant, const char *key)
{
  return json_object_get_boolean(member(member(variant, "config"), key));
}

static void
assert_ids(const mt_hypothesis *found, json_object *expected, const char *name, const char *text)
{
  size_t n = json_object_array_length(expected);
  gboolean same = mt_tokens_count(found->tokens) == n;
  for (size_t i = 0; same && i < n; i++)
    same = mt_tokens_get(found->tokens, i)->id ==
           json_object_get_int(json_object_array_get_idx(expected, i));
  if (!same)
    g_error("%s: \"%s\": expected %s, found \"%s\"", name, text,
            json_object_to_json_string(expected), found->text);
}

static gsize
check_variant(json_object *root, json_object *variant, mt_model *model)
{
  const char *name = json_object_get_string(member(variant, "name"));
  json_object *sentences = member(root, "sentences"), *results = member(variant, "results");
  mt_error error = {0};
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  mt_search_params params = mt_search_params_default(model);
  params.max_length = (size_t) json_object_get_int(member(root, "max_length"));
  size_t n = json_object_array_length(sentences);
  for (size_t i = 0; i < n; i++) {
    const char *text = json_object_get_string(json_object_array_get_idx(sentences, i));
    json_object *row = json_object_array_get_idx(results, i);
    for (int which = 0; which < 2; which++) {
      params.beam_size = which ? 4 : 1;
      params.n_best = 1;
      g_autoptr(mt_translation) t = mt_session_translate(session, text, &params, NULL, &error);
      if (!t)
        g_error("%s: %s", name, error.message);
      const mt_hypothesis *h = mt_translation_hypothesis(t, 0);
      assert_ids(h, json_object_array_get_idx(row, (size_t) which), name, text);
      if (which) {
        double score = json_object_get_double(json_object_array_get_idx(row, 2));
        g_assert_cmpfloat(fabs((double) h->score - score), <=, EPSILON * fabs(score));
      }
    }
  }
  return 2 * n;
}

static void
test_golden(void)
{
  json_object *root = json_object_from_file(DATA "ties.json"), *variants = member(root, "variants");
  tensors t = {0};
  gsize n_translations = 0;
  read_tensors(&t);
  g_autoptr(model_dir) dir = model_dir_new();
  for (size_t i = 0; i < json_object_array_length(variants); i++) {
    json_object *variant = json_object_array_get_idx(variants, i);
    gboolean shares = get_flag(variant, "share_encoder_decoder_embeddings"),
             ties = get_flag(variant, "tie_word_embeddings"), is_there;
    write_weights(&t, dir, member(variant, "tensors"));
    write_config(dir, member(variant, "config"), shares, ties);
    g_autoptr(mt_model) model = model_open_good(dir->path);
    n_translations += check_variant(root, variant, model);
    /* A matrix that is tied is in memory once, and the configuration says what the file has. */
    const mt_config *config = mt_model_config(model);
    g_assert_true((model->output.weight == model->stacks[1].embedding) == (ties != FALSE));
    is_there = model->stacks[0].embedding == model->stacks[1].embedding;
    g_assert_true(config->share_embeddings == is_there && config->tie_word_embeddings == ties);
    g_assert_cmpint(config->position_kind, ==, MT_POSITIONS_SINUSOIDAL_HALVES);
  }
  g_assert_cmpuint(n_translations, >=, 400);
  g_free(t.file);
  json_object_put(t.header);
  json_object_put(root);
}

/* Both the file and what the configuration says are named. */
static void
test_contradictions(void)
{
  static const struct {
    const char *matrices;
    gboolean shares, ties;
    const char *words;
  } cases[] = {
      {"{\"" SHARED "\": \"s\", \"" TARGET "\": \"d\"}", TRUE, TRUE,
       "/model.safetensors: |" SHARED "|" TARGET
       "|config.json says tie_word_embeddings true|differ"},
      {"{\"" SHARED "\": \"s\", \"" SOURCE "\": \"e\", \"" TARGET "\": \"s\"}", TRUE, TRUE,
       SHARED "|" SOURCE "|differ"},
      {"{\"" SHARED "\": \"s\", \"" OUTPUT "\": \"o\"}", TRUE, TRUE, SHARED "|" OUTPUT "|differ"},
      {"{\"" SOURCE "\": \"e\", \"" TARGET "\": \"d\", \"" OUTPUT "\": \"o\"}", FALSE, TRUE,
       TARGET "|" OUTPUT "|differ"},
      {"{\"" SHARED "\": \"s\"}", TRUE, FALSE,
       OUTPUT "|config.json says tie_word_embeddings false|no such tensor"},
      {"{\"" OUTPUT "\": \"o\"}", TRUE, FALSE, SHARED "|no such tensor"},
      {"{\"" SHARED "\": \"s\", \"" TARGET "\": \"d\"}", FALSE, TRUE, SOURCE "|no such tensor"},
      {"{\"" SOURCE "\": \"e\", \"" OUTPUT "\": \"o\"}", FALSE, FALSE, TARGET "|no such tensor"},
  };
  json_object *root = json_object_from_file(DATA "ties.json");
  json_object *config = member(json_object_array_get_idx(member(root, "variants"), 0), "config");
  tensors t = {0};
  read_tensors(&t);
  g_autoptr(model_dir) dir = model_dir_new();
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    json_object *matrices = json_tokener_parse(cases[i].matrices);
    write_weights(&t, dir, matrices);
    write_config(dir, config, cases[i].shares, cases[i].ties);
    model_open_bad(dir->path, MT_ERROR_FORMAT, cases[i].words);
    json_object_put(matrices);
  }
  g_free(t.file);
  json_object_put(t.header);
  json_object_put(root);
}

TESTS()
{
  g_test_add_func("/ties/golden", test_golden);
  g_test_add_func("/ties/contradictions", test_contradictions);
}
