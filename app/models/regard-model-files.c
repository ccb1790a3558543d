/* regard-model-files.c — which files a model consists of, and which of them are not there, or not
 * whole.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two layouts: Hugging Face (config.json and fixed names), and Marian's own (decoder.yml, which
 * names the others). The first thing that is wrong is told, in the order in which somebody would
 * mend it. Where a file cannot be understood nothing is claimed: the engine will say.
 */
#include "models/regard-model-files.h"

#include <json.h>
#include <string.h>

#define MOST_JSON   (4 * 1024 * 1024) /* an index of shards; the others are far smaller */
#define MOST_YAML   (64 * 1024)
#define MOST_SHARDS 1024

#define LFS_START "version https://git-lfs.github.com/spec/v1"

typedef struct {
  const RegardModelStore *store;
  RegardModelInfo *info;
} Check;

/* ---- One file ------------------------------------------------------------------------------ */

static gboolean
has(const RegardModelStore *store, const char *file)
{
  return regard_model_store_get_size(store, file) >= 0;
}

/* Programs that download write under another name until they are done. */
static char *
find_partial(const RegardModelStore *store, const char *file)
{
  static const char *const endings[] = {".part",     ".crdownload", ".incomplete",
                                        ".download", ".partial",    ".tmp"};
  for (guint i = 0; i < G_N_ELEMENTS(endings); i++) {
    g_autofree char *name = g_strconcat(file, endings[i], NULL);
    if (has(store, name))
      return g_steal_pointer(&name);
  }
  return NULL;
}

/* TRUE: the file is there, and whole as far as can be seen. */
static gboolean
check_file(Check *check, const char *file)
{
  gint64 size = regard_model_store_get_size(check->store, file);
  g_autofree char *shown = g_utf8_make_valid(file, -1);
  if (size < 0 && regard_model_store_is_dangling(check->store, file)) {
    check->info->problem =
        g_strdup_printf("%s was not downloaded whole: its link leads nowhere", shown);
    return FALSE;
  }
  if (size < 0) {
    g_autofree char *partial = find_partial(check->store, file);
    check->info->problem =
        partial ? g_strdup_printf("%s is not complete, only %s is there", shown, partial)
                : g_strdup_printf("%s is missing", shown);
    return FALSE;
  }
  if (size == 0) {
    check->info->problem = g_strdup_printf("%s is empty", shown);
    return FALSE;
  }
  g_autofree char *control = g_strconcat(file, ".aria2", NULL);
  if (has(check->store, control)) {
    check->info->problem = g_strdup_printf("%s is not complete, %s.aria2 is there", shown, shown);
    return FALSE;
  }
  if (size <= 1024) {
    gsize length = 0;
    g_autofree char *text = regard_model_store_read(check->store, file, 1024, &length);
    if (text && g_str_has_prefix(text, LFS_START)) {
      check->info->problem =
          g_strdup_printf("%s is a Git LFS pointer, not the file itself: run “git lfs pull”",
                          shown);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_weights(Check *check, const char *file)
{
  gint64 size = regard_model_store_get_size(check->store, file);
  if (!check_file(check, file))
    return FALSE;
  check->info->bytes += (guint64) size;
  return TRUE;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_object *
read_json(const RegardModelStore *store, const char *file)
{
  gint64 size = regard_model_store_get_size(store, file);
  gsize length = 0;
  if (size <= 0 || size > MOST_JSON)
    return NULL;
  g_autofree char *text = regard_model_store_read(store, file, MOST_JSON, &length);
  if (!text)
    return NULL;
  json_tokener *tokener = json_tokener_new_ex(16);
  json_object *object = json_tokener_parse_ex(tokener, text, (int) length);
  json_tokener_free(tokener);
  if (object && !json_object_is_type(object, json_type_object)) {
    json_object_put(object);
    return NULL;
  }
  return object;
}

/* Borrowed from the object; NULL if it has no text of that name. */
static const char *
get_text(json_object *object, const char *key)
{
  json_object *value;
  if (!object || !json_object_object_get_ex(object, key, &value) ||
      !json_object_is_type(value, json_type_string))
    return NULL;
  return json_object_get_string(value);
}

void
regard_model_files_languages(const RegardModelStore *store, char **source, char **target)
{
  json_object *object = read_json(store, "tokenizer_config.json");
  const char *from = get_text(object, "source_lang"), *to = get_text(object, "target_lang");
  if (from && to && *from && *to && strlen(from) < 200 && strlen(to) < 200) {
    *source = g_strdup(from);
    *target = g_strdup(to);
  }
  json_object_put(object);
}

/* ---- Hugging Face -------------------------------------------------------------------------- */

static gboolean
check_shards(Check *check, const char *index)
{
  if (!check_file(check, index))
    return FALSE;
  json_object *object = read_json(check->store, index), *map;
  gboolean is_good = TRUE;
  if (object && json_object_object_get_ex(object, "weight_map", &map) &&
      json_object_is_type(map, json_type_object)) {
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    json_object_iter entry;
    json_object_object_foreachC(map, entry)
    {
      const char *file = json_object_is_type(entry.val, json_type_string)
                             ? json_object_get_string(entry.val)
                             : NULL;
      /* A name that leads out of the folder is not followed. */
      if (!file || !*file || strchr(file, '/') || !g_hash_table_add(seen, (gpointer) file))
        continue;
      if (g_hash_table_size(seen) > MOST_SHARDS || !(is_good = check_weights(check, file)))
        break;
    }
  }
  json_object_put(object);
  return is_good;
}

static const struct {
  const char *file, *format;
  gboolean is_index;
} weights[] = {
    {"model.safetensors", "safetensors", FALSE},
    {"model.safetensors.index.json", "safetensors", TRUE},
    {"pytorch_model.bin", "PyTorch", FALSE},
    {"pytorch_model.bin.index.json", "PyTorch", TRUE},
};

static gboolean
check_hugging_face_weights(Check *check)
{
  static const struct {
    const char *file, *whose;
  } others[] = {
      {"tf_model.h5", ""},
      {"flax_model.msgpack", ""},
      {"rust_model.ot", ""},
      {"model.bin", ", which is CTranslate2’s,"},
  };
  static const struct {
    const char *ending, *what;
  } kinds[] = {
      {"adapter_config.json", "of an adapter, which is to be merged with its model first"},
      {"onnx", "an ONNX model, which is not read"},
      {".tgz", "an archive that is to be unpacked first"},
      {".tar.gz", "an archive that is to be unpacked first"},
      {".zip", "an archive: open that"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(weights); i++)
    if (has(check->store, weights[i].file)) {
      check->info->format = g_strdup(weights[i].format);
      return weights[i].is_index ? check_shards(check, weights[i].file)
                                 : check_weights(check, weights[i].file);
    }
  for (guint i = 0; i < G_N_ELEMENTS(weights); i++) {
    g_autofree char *partial = find_partial(check->store, weights[i].file);
    if (partial || regard_model_store_is_dangling(check->store, weights[i].file))
      return check_file(check, weights[i].file);
  }
  for (guint i = 0; i < G_N_ELEMENTS(others); i++)
    if (has(check->store, others[i].file)) {
      check->info->problem = g_strdup_printf("model.safetensors is missing, and %s%s is not read",
                                             others[i].file, others[i].whose);
      return FALSE;
    }
  g_auto(GStrv) names = regard_model_store_dup_names(check->store);
  for (guint k = 0; names[k]; k++)
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
      if (g_str_has_suffix(names[k], kinds[i].ending)) {
        g_autofree char *shown = g_utf8_make_valid(names[k], -1);
        check->info->problem =
            g_strdup_printf("model.safetensors is missing, and %s is %s", shown, kinds[i].what);
        return FALSE;
      }
  return check_file(check, "model.safetensors");
}

static gboolean
check_hugging_face(Check *check)
{
  if (!check_file(check, "config.json"))
    return FALSE;
  json_object *config = read_json(check->store, "config.json");
  const char *type = get_text(config, "model_type");
  check->info->is_other = type && !g_str_equal(type, "marian");
  if (check->info->is_other) {
    g_autofree char *shown = g_strndup(type, 40);
    g_autofree char *valid = g_utf8_make_valid(shown, -1);
    check->info->problem = g_strdup_printf("it is a model of the kind “%s”, not Marian", valid);
  }
  json_object_put(config);
  if (check->info->problem)
    return FALSE;

  json_object *tokenizer = read_json(check->store, "tokenizer_config.json"), *separate;
  gboolean has_two = tokenizer &&
                     json_object_object_get_ex(tokenizer, "separate_vocabs", &separate) &&
                     json_object_get_boolean(separate);
  json_object_put(tokenizer);
  return check_hugging_face_weights(check) && check_file(check, "vocab.json") &&
         (!has_two || check_file(check, "target_vocab.json")) && check_file(check, "source.spm") &&
         check_file(check, "target.spm");
}

/* ---- Marian -------------------------------------------------------------------------------- */

/* The names listed under a key of decoder.yml: lines "  - NAME" after "KEY:". */
static GPtrArray *
yaml_list(const char *text, const char *key)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) lines = g_strsplit(text, "\n", 2000);
  gboolean is_inside = FALSE;
  for (guint i = 0; lines[i] && names->len < 16; i++) {
    g_strchomp(lines[i]);
    const char *item = lines[i] + strspn(lines[i], " ");
    if (is_inside && g_str_has_prefix(item, "- ")) {
      const char *slash = strrchr(item, '/');
      char *name = g_strstrip(g_strdup(slash ? slash + 1 : item + 2));
      g_ptr_array_add(names, name);
    } else if (*item && *item != '#') {
      gsize n = strlen(key);
      is_inside = strncmp(lines[i], key, n) == 0 && strcmp(lines[i] + n, ":") == 0;
    }
  }
  return names;
}

static gboolean
check_marian(Check *check)
{
  gsize length = 0;
  check->info->format = g_strdup("Marian");
  if (!check_file(check, "decoder.yml"))
    return FALSE;
  g_autofree char *text = regard_model_store_read(check->store, "decoder.yml", MOST_YAML, &length);
  g_autoptr(GPtrArray) models = yaml_list(text ? text : "", "models");
  g_autoptr(GPtrArray) vocabularies = yaml_list(text ? text : "", "vocabs");
  for (guint i = 0; i < models->len; i++)
    if (!check_weights(check, models->pdata[i]))
      return FALSE;
  for (guint i = 0; i < vocabularies->len; i++)
    if (!check_file(check, vocabularies->pdata[i]))
      return FALSE;
  /* What these archives call their SentencePiece files is not always the same. */
  g_auto(GStrv) names = regard_model_store_dup_names(check->store);
  const char *codes = NULL;
  guint n_tokenizers = 0;
  for (guint i = 0; names[i]; i++) {
    n_tokenizers += g_str_has_suffix(names[i], ".spm");
    if (g_str_has_suffix(names[i], ".bpe"))
      codes = names[i];
  }
  if (n_tokenizers == 0 && codes) {
    g_autofree char *shown = g_utf8_make_valid(codes, -1);
    check->info->problem =
        g_strdup_printf("its pieces are those of %s, not of SentencePiece", shown);
    return FALSE;
  }
  return n_tokenizers > 0 || check_file(check, "source.spm");
}

/* ---- Either -------------------------------------------------------------------------------- */

/* Any of these, whole or not, and somebody meant to put a model here. */
static gboolean
belongs_to_a_model(const RegardModelStore *store)
{
  static const char *const files[] = {"config.json", "vocab.json", "source.spm", "target.spm",
                                      "decoder.yml"};
  for (guint i = 0; i < G_N_ELEMENTS(files); i++)
    if (has(store, files[i]) || regard_model_store_is_dangling(store, files[i]))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(weights); i++) {
    g_autofree char *partial = find_partial(store, weights[i].file);
    if (partial || has(store, weights[i].file))
      return TRUE;
  }
  return FALSE;
}

gboolean
regard_model_files_check(const RegardModelStore *store, RegardModelInfo *info)
{
  Check check = {store, info};
  /* No config.json says what it is, and only Marian's tokenizer has two of these. */
  info->is_other =
      !has(store, "source.spm") && !regard_model_store_is_dangling(store, "source.spm");
  if (!belongs_to_a_model(store)) {
    info->problem = g_strdup("there is no model in it: neither config.json nor decoder.yml");
    return FALSE;
  }
  if (has(store, "decoder.yml") && !has(store, "config.json"))
    check_marian(&check);
  else
    check_hugging_face(&check);
  if (info->is_archive)
    info->bytes = (guint64) regard_model_store_get_archive_size(store);
  return TRUE;
}
