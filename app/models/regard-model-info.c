/* regard-model-info.c — what can be said of a model without opening it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-model-info.h"

#include "models/regard-language.h"
#include "models/regard-training-steps.h"
#include "runner/regard-failure.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <json.h>
#include <mt.h>
#include <string.h>

/* ==== The files of a model, in a folder or in a zip archive ======================================
 *
 * Their names, their sizes, and the text of the small ones. Nothing is unpacked, nothing large is
 * read. It is by the engine's mt_files, so that the list of models sees what opening one sees.
 */

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_files, mt_files_free)

/* What the engine says of a path, without the path and the full stop: the name stands before it in
 * the list. */
static char *
problem_of(const char *path, const mt_error *error)
{
  g_autofree char *name = g_path_get_basename(path);
  const char *const prefixes[] = {path, name};
  const char *said = error->message;
  for (guint i = 0; i < G_N_ELEMENTS(prefixes) && said == error->message; i++) {
    gsize n = strlen(prefixes[i]);
    if (strncmp(said, prefixes[i], n) == 0 && g_str_has_prefix(said + n, ": "))
      said += n + 2;
  }
  g_autofree char *problem = g_utf8_make_valid(said, -1);
  if (g_str_has_suffix(problem, "."))
    problem[strlen(problem) - 1] = '\0';
  const char *sentence = regard_failure_sentence(error->code);
  /* Translators: what is wrong, and in brackets the same more exactly, in English. */
  return sentence ? g_strdup_printf(_("%s (%s)"), sentence, problem) : g_steal_pointer(&problem);
}

gboolean
regard_model_is_archive(const char *name)
{
  return g_str_has_suffix(name, ".zip") || g_str_has_suffix(name, ".argosmodel");
}

/* A folder, or an archive. NULL if it is neither or cannot be read; then *problem is what to tell,
 * or NULL where there is nothing of that name. */
static mt_files *
open_files(const char *path, char **problem)
{
  *problem = NULL;
  GStatBuf status;
  if (g_stat(path, &status) == 0 ? !S_ISDIR(status.st_mode) && !regard_model_is_archive(path)
                                 : errno == ENOENT || errno == ENOTDIR)
    return NULL;
  mt_error error = {0};
  mt_files *files = mt_files_open(path, &error);
  if (!files)
    *problem = problem_of(path, &error);
  return files;
}

static void
add_name(void *names, const char *name)
{
  g_ptr_array_add(names, g_strdup(name));
}

/* Names of the files and folders in it, sorted; none if it holds too many. Free with g_strfreev. An
 * archive that holds one folder is as good as that folder. */
static char **
dup_names(const mt_files *files)
{
  mt_error error;
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  mt_files_each(files, add_name, names, &error);
  g_ptr_array_add(names, NULL);
  return (char **) g_ptr_array_steal(names, NULL);
}

/* The first `most` bytes of a file with a zero after them. NULL without such a file. */
static char *
read_start(const mt_files *files, const char *name, gsize most, gsize *length)
{
  gint64 size = mt_files_size(files, name);
  if (size < 0)
    return NULL;
  gsize wanted = (gsize) MIN((gint64) most, size);
  g_autofree char *text = g_malloc(wanted + 1);
  mt_error error;
  if (!mt_files_read(files, name, text, wanted, length, &error))
    return NULL;
  text[*length] = '\0';
  return g_steal_pointer(&text);
}

/* ==== Which files a model consists of, and which of them are not there, or not whole =============
 *
 * Three layouts: Hugging Face (config.json and fixed names), Marian's own (decoder.yml, which names
 * the others), and CTranslate2 (model.bin and vocabularies), of which Argos makes packages. The
 * first thing that is wrong is told, in the order in which somebody would mend it. Where a file
 * cannot be understood nothing is claimed: the engine will say.
 */

#define MOST_JSON   (4 * 1024 * 1024) /* an index of shards; the others are far smaller */
#define MOST_YAML   (64 * 1024)
#define MOST_SHARDS 1024

#define LFS_START "version https://git-lfs.github.com/spec/v1"

typedef struct {
  const mt_files *files;
  RegardModelInfo *info;
} Check;

/* ---- One file ------------------------------------------------------------------------------ */

static gboolean
has(const mt_files *files, const char *file)
{
  return mt_files_size(files, file) >= 0;
}

/* Programs that download write under another name until they are done. */
static char *
find_partial(const mt_files *files, const char *file)
{
  static const char *const endings[] = {".part",     ".crdownload", ".incomplete",
                                        ".download", ".partial",    ".tmp"};
  for (guint i = 0; i < G_N_ELEMENTS(endings); i++) {
    g_autofree char *name = g_strconcat(file, endings[i], NULL);
    if (has(files, name))
      return g_steal_pointer(&name);
  }
  return NULL;
}

/* TRUE: the file is there, and whole as far as can be seen. */
static gboolean
check_file(Check *check, const char *file)
{
  gint64 size = mt_files_size(check->files, file);
  g_autofree char *shown = g_utf8_make_valid(file, -1);
  if (size < 0 && mt_files_is_dangling(check->files, file)) {
    check->info->problem =
        g_strdup_printf(_("%s was not downloaded whole: its link leads nowhere"), shown);
    return FALSE;
  }
  if (size < 0) {
    g_autofree char *partial = find_partial(check->files, file);
    check->info->problem =
        partial ? g_strdup_printf(_("%s is not complete, only %s is there"), shown, partial)
                : g_strdup_printf(_("%s is missing"), shown);
    return FALSE;
  }
  if (size == 0) {
    check->info->problem = g_strdup_printf(_("%s is empty"), shown);
    return FALSE;
  }
  g_autofree char *control = g_strconcat(file, ".aria2", NULL);
  if (has(check->files, control)) {
    check->info->problem =
        g_strdup_printf(_("%s is not complete, %s.aria2 is there"), shown, shown);
    return FALSE;
  }
  if (size <= 1024) {
    gsize length = 0;
    g_autofree char *text = read_start(check->files, file, 1024, &length);
    if (text && g_str_has_prefix(text, LFS_START)) {
      check->info->problem =
          g_strdup_printf(_("%s is a Git LFS pointer, not the file itself: run “git lfs pull”"),
                          shown);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_weights(Check *check, const char *file)
{
  gint64 size = mt_files_size(check->files, file);
  if (!check_file(check, file))
    return FALSE;
  check->info->bytes += (guint64) size;
  return TRUE;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_object *
read_json(const mt_files *files, const char *file)
{
  gint64 size = mt_files_size(files, file);
  gsize length = 0;
  if (size <= 0 || size > MOST_JSON)
    return NULL;
  g_autofree char *text = read_start(files, file, MOST_JSON, &length);
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

/* In what the numbers are stored: what the first tensor of a safetensors file says, or config.json
 * of the others; archives of Marian have floats. NULL: nothing says it. */
static char *
find_dtype(const mt_files *files, const char *format)
{
  static const struct {
    const char *said, *name;
  } names[] = {{"F32", "F32"},     {"F16", "F16"},     {"BF16", "BF16"},    {"F64", "F64"},
               {"float32", "F32"}, {"float16", "F16"}, {"bfloat16", "BF16"}};
  const char *said = NULL;
  gsize length = 0;
  g_autofree char *start = NULL;
  json_object *config = NULL;
  if (g_strcmp0(format, "Marian") == 0)
    return g_strdup("F32");
  if (has(files, "model.safetensors")) {
    static const char key[] = "\"dtype\"";
    start = read_start(files, "model.safetensors", 4096, &length);
    char *at = start && length > 8 ? g_strstr_len(start + 8, (gssize) length - 8, key) : NULL;
    at = at ? at + strlen(key) + strspn(at + strlen(key), ": ") : NULL;
    char *end = at && *at == '"' ? strchr(at + 1, '"') : NULL;
    if (end) {
      *end = '\0';
      said = at + 1;
    }
  } else if (g_strcmp0(format, "PyTorch") == 0 || g_strcmp0(format, "safetensors") == 0) {
    config = read_json(files, "config.json");
    said = get_text(config, "dtype");
    said = said ? said : get_text(config, "torch_dtype");
  }
  char *found = NULL;
  for (guint i = 0; said && !found && i < G_N_ELEMENTS(names); i++)
    if (g_str_equal(said, names[i].said))
      found = g_strdup(names[i].name);
  json_object_put(config);
  return found;
}

/* The codes in tokenizer_config.json, or in the metadata.json of an Argos package; left alone where
 * they say none. */
static void
read_languages(const mt_files *files, char **source, char **target)
{
  gboolean is_argos = has(files, "model/model.bin");
  json_object *object = read_json(files, is_argos ? "metadata.json" : "tokenizer_config.json");
  const char *from = get_text(object, is_argos ? "from_code" : "source_lang"),
             *to = get_text(object, is_argos ? "to_code" : "target_lang");
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
  json_object *object = read_json(check->files, index), *map;
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

/* %s is the file. */
#define NOT_READ N_("model.safetensors is missing, and %s is not read")
#define PACKED   N_("model.safetensors is missing, and %s is an archive that is to be unpacked first")

static gboolean
check_hugging_face_weights(Check *check)
{
  static const struct {
    const char *file, *problem;
  } others[] = {
      {"tf_model.h5", NOT_READ},
      {"flax_model.msgpack", NOT_READ},
      {"rust_model.ot", NOT_READ},
      {"model.bin", N_("model.safetensors is missing, and %s, without a vocabulary of CTranslate2 "
                       "beside it, is not read")},
  };
  static const struct {
    const char *ending, *problem;
  } kinds[] = {
      {"adapter_config.json", N_("model.safetensors is missing, and %s is of an adapter, which is "
                                 "to be merged with its model first")},
      {"onnx", N_("model.safetensors is missing, and %s is an ONNX model, which is not read")},
      {".tgz", PACKED},
      {".tar.gz", PACKED},
      {".zip", N_("model.safetensors is missing, and %s is an archive: open that")},
  };
  for (guint i = 0; i < G_N_ELEMENTS(weights); i++)
    if (has(check->files, weights[i].file)) {
      check->info->format = g_strdup(weights[i].format);
      return weights[i].is_index ? check_shards(check, weights[i].file)
                                 : check_weights(check, weights[i].file);
    }
  for (guint i = 0; i < G_N_ELEMENTS(weights); i++) {
    g_autofree char *partial = find_partial(check->files, weights[i].file);
    if (partial || mt_files_is_dangling(check->files, weights[i].file))
      return check_file(check, weights[i].file);
  }
  for (guint i = 0; i < G_N_ELEMENTS(others); i++)
    if (has(check->files, others[i].file)) {
      check->info->problem = g_strdup_printf(_(others[i].problem), others[i].file);
      return FALSE;
    }
  g_auto(GStrv) names = dup_names(check->files);
  for (guint k = 0; names[k]; k++)
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
      if (g_str_has_suffix(names[k], kinds[i].ending)) {
        g_autofree char *shown = g_utf8_make_valid(names[k], -1);
        check->info->problem = g_strdup_printf(_(kinds[i].problem), shown);
        return FALSE;
      }
  return check_file(check, "model.safetensors");
}

/* The files that the engine would read a tokenizer from; Marian's where it does not understand
 * config.json, which is for opening to complain of. */
static gboolean
check_text_files(Check *check)
{
  static const char *const of_marian[] = {"vocab.json", "source.spm", "target.spm"};
  const char *names[MT_MODEL_TEXT_FILES];
  size_t n = 0;
  mt_error error = {0};
  if (!mt_model_text_files(check->files, names, &n, &error)) {
    if (error.code == MT_ERROR_IO) {
      check->info->problem = problem_of(check->info->path, &error);
      return FALSE;
    }
    n = G_N_ELEMENTS(of_marian);
    memcpy(names, of_marian, sizeof of_marian);
  }
  for (size_t i = 0; i < n; i++)
    if (!check_file(check, names[i]))
      return FALSE;
  return TRUE;
}

static gboolean
check_hugging_face(Check *check)
{
  if (!check_file(check, "config.json"))
    return FALSE;
  json_object *config = read_json(check->files, "config.json");
  const char *type = get_text(config, "model_type");
  check->info->is_other = type && !mt_model_type_is_run(type);
  if (check->info->is_other) {
    g_autofree char *shown = g_strndup(type, 40);
    g_autofree char *valid = g_utf8_make_valid(shown, -1);
    check->info->problem =
        g_strdup_printf(_("it is a model of the kind “%s”, which is not run"), valid);
  }
  json_object_put(config);
  if (check->info->problem)
    return FALSE;

  json_object *tokenizer = read_json(check->files, "tokenizer_config.json"), *separate;
  gboolean has_two = tokenizer &&
                     json_object_object_get_ex(tokenizer, "separate_vocabs", &separate) &&
                     json_object_get_boolean(separate);
  json_object_put(tokenizer);
  return check_hugging_face_weights(check) && check_text_files(check) &&
         (!has_two || check_file(check, "target_vocab.json"));
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
  g_autofree char *text = read_start(check->files, "decoder.yml", MOST_YAML, &length);
  g_autoptr(GPtrArray) models = yaml_list(text ? text : "", "models");
  g_autoptr(GPtrArray) vocabularies = yaml_list(text ? text : "", "vocabs");
  for (guint i = 0; i < models->len; i++)
    if (!check_weights(check, models->pdata[i]))
      return FALSE;
  for (guint i = 0; i < vocabularies->len; i++)
    if (!check_file(check, vocabularies->pdata[i]))
      return FALSE;
  /* What these archives call their SentencePiece files is not always the same. */
  g_auto(GStrv) names = dup_names(check->files);
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
        g_strdup_printf(_("its pieces are those of %s, not of SentencePiece"), shown);
    return FALSE;
  }
  return n_tokenizers > 0 || check_file(check, "source.spm");
}

/* ---- CTranslate2 --------------------------------------------------------------------------- */

/* "" or "model/", the folder with model.bin and a vocabulary; NULL: there is none. *is_translating:
 * its vocabularies are those of an encoder and a decoder. */
static const char *
find_ctranslate2(const mt_files *files, gboolean *is_translating)
{
  static const char *const folders[] = {"", "model/"};
  static const char *const names[] = {"shared_vocabulary", "source_vocabulary", "vocabulary"};
  static const char *const endings[] = {"json", "txt"};
  for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
    g_autofree char *weights_file = g_strconcat(folders[i], "model.bin", NULL);
    if (!has(files, weights_file))
      continue;
    for (guint k = 0; k < G_N_ELEMENTS(names) * 2; k++) {
      g_autofree char *name = g_strdup_printf("%s%s.%s", folders[i], names[k / 2], endings[k % 2]);
      *is_translating = k / 2 < 2;
      if (has(files, name))
        return folders[i];
    }
  }
  return NULL;
}

static gboolean
check_ctranslate2(Check *check, const char *folder)
{
  static const char *const tokenizers[][2] = {
      {"source.spm", "target.spm"},        {"sentencepiece.model", "sentencepiece.model"},
      {"spm.model", "spm.model"},          {"sentencepiece.bpe.model", "sentencepiece.bpe.model"},
      {"spiece.model", "spiece.model"},    {"vocab.json", "merges.txt"},
      {"tokenizer.json", "tokenizer.json"}};
  const char *const places[] = {folder, ""};
  g_autofree char *weights_file = g_strconcat(folder, "model.bin", NULL);
  check->info->format = g_strdup("CTranslate2");
  if (!check_weights(check, weights_file))
    return FALSE;
  if (check->info->is_other) {
    check->info->problem = g_strdup(_("it is a model of another kind than encoder and decoder"));
    return FALSE;
  }
  for (guint i = 0; i < G_N_ELEMENTS(tokenizers); i++)
    for (guint k = 0; k < G_N_ELEMENTS(places); k++) {
      g_autofree char *source = g_strconcat(places[k], tokenizers[i][0], NULL);
      g_autofree char *target = g_strconcat(places[k], tokenizers[i][1], NULL);
      if (has(check->files, source) && has(check->files, target))
        return check_file(check, source) && check_file(check, target);
    }
  if (has(check->files, "bpe.model")) {
    check->info->problem =
        g_strdup_printf(_("its pieces are those of %s, not of SentencePiece"), "bpe.model");
    return FALSE;
  }
  check->info->problem = g_strdup(
      _("source.spm and target.spm, or another tokenizer, are missing: they are where it was "
        "converted from"));
  return FALSE;
}

/* ---- Either -------------------------------------------------------------------------------- */

/* Any of these, whole or not, and somebody meant to put a model here. */
static gboolean
belongs_to_a_model(const mt_files *files)
{
  static const char *const known[] = {"config.json", "vocab.json", "source.spm", "target.spm",
                                      "decoder.yml"};
  for (guint i = 0; i < G_N_ELEMENTS(known); i++)
    if (has(files, known[i]) || mt_files_is_dangling(files, known[i]))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(weights); i++) {
    g_autofree char *partial = find_partial(files, weights[i].file);
    if (partial || has(files, weights[i].file))
      return TRUE;
  }
  return FALSE;
}

/* Fill in format, bytes and problem. FALSE if nothing here belongs to a model: then problem says
 * that, too. */
static gboolean
check_files(const mt_files *files, RegardModelInfo *info)
{
  Check check = {files, info};
  gboolean is_translating = FALSE;
  const char *folder = find_ctranslate2(files, &is_translating);
  if (folder) {
    info->is_other = !is_translating;
    check_ctranslate2(&check, folder);
    if (info->is_archive)
      info->bytes = mt_files_archive_size(files);
    return TRUE;
  }
  /* No config.json says what it is, and only Marian's tokenizer has two of these. */
  info->is_other = !has(files, "source.spm") && !mt_files_is_dangling(files, "source.spm");
  if (!belongs_to_a_model(files)) {
    info->problem = g_strdup(_("there is no model in it: neither config.json nor decoder.yml"));
    return FALSE;
  }
  if (has(files, "decoder.yml") && !has(files, "config.json"))
    check_marian(&check);
  else
    check_hugging_face(&check);
  if (info->is_archive)
    info->bytes = mt_files_archive_size(files);
  return TRUE;
}

/* ==== What a model's card says: the languages and the licence ====================================
 *
 * Cards are written by hand and by many. What is looked for stands at the start of a line; the rest
 * is skipped. A card is YAML between two lines "---", then Markdown; `language:` there is a sorted
 * set and says no direction, so languages come from the list below it.
 */

/* A line that is longer holds no language and no licence. */
#define MOST_LINE    4000
#define MOST_VALUE   2000
#define MOST_LICENCE 60
#define MOST_NAME    60

void
regard_model_card_clear(RegardModelCard *card)
{
  g_free(card->source);
  g_free(card->target);
  g_free(card->licence);
  g_free(card->name);
  *card = (RegardModelCard){0};
}

/* ---- Licences ------------------------------------------------------------------------------ */

/* Hugging Face writes identifiers in small letters; people know them in capitals. */
static char *
licence_name(const char *id)
{
  static const char *const families[] = {"cc",  "cc0", "gpl",  "lgpl", "agpl", "mit",
                                         "bsd", "mpl", "eupl", "gfdl", "epl"};
  if (g_ascii_strcasecmp(id, "apache-2.0") == 0)
    return g_strdup("Apache-2.0");
  gsize first = strcspn(id, "-");
  for (guint i = 0; i < G_N_ELEMENTS(families); i++)
    if (strlen(families[i]) == first && g_ascii_strncasecmp(id, families[i], first) == 0) {
      g_autofree char *head = g_ascii_strup(id, i < 2 ? -1 : (gssize) first);
      return i < 2 ? g_steal_pointer(&head) : g_strconcat(head, id + first, NULL);
    }
  return g_strdup(id);
}

/* Without the quotes that YAML allows. Caller frees. */
static char *
unquoted(const char *value)
{
  char *text = g_strstrip(g_strdup(value));
  gsize length = strlen(text);
  if (length >= 2 && (*text == '"' || *text == '\'') && text[length - 1] == *text) {
    text[length - 1] = '\0';
    memmove(text, text + 1, length - 1);
  }
  return text;
}

static void
take_name(RegardModelCard *card, const char *value)
{
  g_autofree char *name = unquoted(value);
  if (!card->name && *name && strlen(name) <= MOST_NAME)
    card->name = g_steal_pointer(&name);
}

static void
take_licence(RegardModelCard *card, const char *value)
{
  g_autofree char *id = unquoted(value);
  if (!card->licence && *id && strlen(id) <= MOST_LICENCE)
    card->licence = licence_name(id);
}

/* Recognise the text of a licence by its first lines, where the card named none. */
static void
regard_model_card_read_licence(RegardModelCard *card, const char *text, gsize length)
{
  static const struct {
    const char *words, *name;
  } texts[] = {
      {"Attribution 4.0 International", "CC-BY-4.0"},
      {"Attribution-ShareAlike 4.0 International", "CC-BY-SA-4.0"},
      {"Attribution-NonCommercial 4.0 International", "CC-BY-NC-4.0"},
      {"Apache License", "Apache-2.0"},
      {"MIT License", "MIT"},
      {"GNU GENERAL PUBLIC LICENSE", "GPL"},
      {"CC0 1.0 Universal", "CC0-1.0"},
  };
  g_autofree char *head = g_strndup(text, MIN(length, 1000));
  for (guint i = 0; !card->licence && i < G_N_ELEMENTS(texts); i++)
    if (strstr(head, texts[i].words))
      card->licence = g_strdup(texts[i].name);
}

/* ---- Lines --------------------------------------------------------------------------------- */

/* After "KEY:", "KEYs:", "KEY(s):", in whatever letters; NULL if the line says something else. */
static const char *
value_of(const char *line, const char *key)
{
  gsize n = strlen(key);
  if (g_ascii_strncasecmp(line, key, n) != 0)
    return NULL;
  line += n;
  if (g_ascii_strncasecmp(line, "(s)", 3) == 0)
    line += 3;
  else if (g_ascii_strncasecmp(line, "s", 1) == 0)
    line += 1;
  while (*line == ' ')
    line++;
  return *line == ':' ? line + 1 : NULL;
}

static void
take_languages(char **languages, const char *value)
{
  g_autofree char *codes = g_strstrip(g_strdup(value));
  if (!*languages && *codes && strlen(codes) <= MOST_VALUE)
    *languages = g_steal_pointer(&codes);
}

/* "* **Source Language(s):** `eng`": the marks of Markdown say nothing here. */
static void
read_list_item(RegardModelCard *card, char *line)
{
  char *to = line;
  for (const char *from = line; *from; from++)
    if (*from != '*' && *from != '`')
      *to++ = *from;
  *to = '\0';
  while (*line == ' ' || *line == '\t' || *line == '-')
    line++;
  const char *value = value_of(line, "source language");
  if (value)
    take_languages(&card->source, value);
  value = value_of(line, "target language");
  if (value)
    take_languages(&card->target, value);
}

void
regard_model_card_read(RegardModelCard *card, const char *text, gsize length)
{
  const char *end = text + length;
  gboolean is_yaml = FALSE, wants_licence = FALSE;
  guint n_lines = 0;
  while (text < end) {
    const char *newline = memchr(text, '\n', (gsize) (end - text));
    gsize n = (gsize) ((newline ? newline : end) - text);
    const char *start = text;
    text = newline ? newline + 1 : end;
    n_lines++;
    if (n > MOST_LINE)
      continue;
    g_autofree char *line = g_strndup(start, n);
    g_strchomp(line);
    if (g_str_equal(line, "---") && (n_lines == 1 || is_yaml))
      is_yaml = !is_yaml;
    else if (!is_yaml)
      read_list_item(card, line);
    else if (g_str_has_prefix(line, "pretty_name:"))
      take_name(card, line + strlen("pretty_name:"));
    else if (g_str_has_prefix(line, "license:")) {
      take_licence(card, line + strlen("license:"));
      wants_licence = !card->licence; /* a list follows */
    } else if (wants_licence) {
      const char *item = line + strspn(line, " ");
      if (g_str_has_prefix(item, "- "))
        take_licence(card, item + 2);
      wants_licence = FALSE;
    }
  }
}

/* ---- Names --------------------------------------------------------------------------------- */

static gboolean
is_language(const char *code)
{
  g_autofree char *name = regard_language_name(code);
  return *code && !g_str_equal(name, code);
}

void
regard_model_card_read_name(RegardModelCard *card, const char *name)
{
  static const char *const prefixes[] = {"opus-mt-", "opus-", "tatoeba-", "tc-",
                                         "tiny-",    "base-", "big-",     "bible-"};
  if (card->source && card->target)
    return;
  for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++)
    if (g_ascii_strncasecmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
      name += strlen(prefixes[i]);
      i = (guint) -1; /* again from the start: "opus-mt-tc-big-" */
    }
  g_auto(GStrv) codes = g_strsplit(name, "-", 3);
  if (g_strv_length(codes) != 2 || !is_language(codes[0]) || !is_language(codes[1]))
    return;
  take_languages(&card->source, codes[0]);
  take_languages(&card->target, codes[1]);
}

/* ==== Models in the download cache of the Hugging Face Hub ==================================== */

#define PREFIX      "models--"
#define MOST_COMMIT 200 /* bytes of refs/main: 40, and a line's end */

static const char *
variable(const char *name)
{
  const char *value = g_getenv(name);
  return value && *value ? value : NULL;
}

/* As huggingface_hub's constants.py does. */
char *
regard_hub_cache_folder(void)
{
  const char *folder = variable("HF_HUB_CACHE"), *home = variable("HF_HOME");
  if (!folder)
    folder = variable("HUGGINGFACE_HUB_CACHE");
  if (folder || home) {
    const char *path = folder ? folder : home;
    gboolean is_below_home = path[0] == '~' && (path[1] == '/' || !path[1]);
    return g_build_filename(is_below_home ? g_get_home_dir() : "", path + (is_below_home ? 1 : 0),
                            folder ? NULL : "hub", NULL);
  }
  return g_build_filename(g_get_user_cache_dir(), "huggingface", "hub", NULL);
}

/* A commit is one word, and no way out of the folder. */
static gboolean
is_commit(const char *text)
{
  if (!*text)
    return FALSE;
  for (const char *c = text; *c; c++)
    if (!g_ascii_isalnum(*c))
      return FALSE;
  return TRUE;
}

static char *
main_commit(const char *folder)
{
  g_autofree char *path = g_build_filename(folder, "refs", "main", NULL);
  g_autofree char *text = NULL;
  gsize n;
  if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || !g_file_get_contents(path, &text, &n, NULL) ||
      n > MOST_COMMIT)
    return NULL;
  g_strchomp(text);
  return is_commit(text) ? g_steal_pointer(&text) : NULL;
}

char *
regard_hub_cache_snapshot(const char *folder)
{
  g_autofree char *snapshots = g_build_filename(folder, "snapshots", NULL);
  g_autofree char *commit = main_commit(folder);
  if (!commit) {
    g_autoptr(GDir) dir = g_dir_open(snapshots, 0, NULL);
    const char *name = dir ? g_dir_read_name(dir) : NULL;
    if (!name || g_dir_read_name(dir))
      return NULL;
    commit = g_strdup(name);
  }
  g_autofree char *path = g_build_filename(snapshots, commit, NULL);
  return g_file_test(path, G_FILE_TEST_IS_DIR) ? g_steal_pointer(&path) : NULL;
}

char *
regard_hub_cache_find(const char *name)
{
  g_auto(GStrv) parts = g_strsplit(name, "/", 3);
  if (g_strv_length(parts) > 2 || !*parts[0] || strstr(name, "..") || (parts[1] && !*parts[1]))
    return NULL;
  g_autofree char *joined = g_strjoinv("--", parts);
  g_autofree char *base = g_strconcat(PREFIX, joined, NULL);
  g_autofree char *cache = regard_hub_cache_folder();
  g_autofree char *folder = g_build_filename(cache, base, NULL);
  return regard_hub_cache_snapshot(folder);
}

/* That name for the path of a snapshot, wherever the cache is; NULL for any other path. Caller
 * frees. */
static char *
regard_hub_cache_name(const char *path)
{
  g_autofree char *snapshots = g_path_get_dirname(path);
  g_autofree char *last = g_path_get_basename(snapshots);
  if (!g_str_equal(last, "snapshots"))
    return NULL;
  g_autofree char *folder = g_path_get_dirname(snapshots);
  g_autofree char *base = g_path_get_basename(folder);
  if (!g_str_has_prefix(base, PREFIX) || !base[strlen(PREFIX)])
    return NULL;
  g_autofree char *shown = g_filename_display_name(base + strlen(PREFIX));
  g_auto(GStrv) parts = g_strsplit(shown, "--", 2);
  return g_strjoinv("/", parts);
}

/* ==== A model ================================================================================= */

#define MOST_CARD (256 * 1024) /* bytes of a README.md */

void
regard_model_info_free(RegardModelInfo *info)
{
  if (!info)
    return;
  g_free(info->path);
  g_free(info->name);
  g_free(info->title);
  g_free(info->languages);
  g_free(info->licence);
  g_free(info->format);
  g_free(info->dtype);
  g_free(info->problem);
  g_free(info->source);
  g_free(info->target);
  g_clear_pointer(&info->steps, g_array_unref);
  g_free(info);
}

static void
read_text(const mt_files *files, const char *file, RegardModelCard *card,
          void (*read)(RegardModelCard *card, const char *text, gsize length))
{
  gsize length = 0;
  g_autofree char *text = read_start(files, file, MOST_CARD, &length);
  if (text)
    read(card, text, length);
}

/* The tokenizer knows its languages best, then the card, then whoever named the folder, or the one
 * that the archives of a pair of languages lie in ("en-de/opus-2020-02-26.zip"). */
static void
read_card(RegardModelInfo *info, const mt_files *files)
{
  g_auto(RegardModelCard) card = {0};
  read_languages(files, &card.source, &card.target);
  read_text(files, "README.md", &card, regard_model_card_read);
  if (!card.licence)
    read_text(files, "LICENSE", &card, regard_model_card_read_licence);
  const char *slash = strrchr(info->name, '/');
  regard_model_card_read_name(&card, slash ? slash + 1 : info->name);
  if (info->is_archive) {
    g_autofree char *folder = g_path_get_dirname(info->path);
    g_autofree char *name = g_path_get_basename(folder);
    regard_model_card_read_name(&card, name);
  }
  info->licence = card.licence ? g_utf8_make_valid(card.licence, -1) : NULL;
  if (card.source && card.target) {
    info->languages = regard_language_pair(card.source, card.target);
    info->title = g_strdup(info->languages);
    info->source = g_utf8_make_valid(card.source, -1);
    info->target = g_utf8_make_valid(card.target, -1);
  }
  if (card.name) {
    g_free(info->title);
    info->title = g_utf8_make_valid(card.name, -1);
  }
}

RegardModelInfo *
regard_model_info_new(const char *path, RegardModelOrigin place, gboolean is_expected)
{
  g_autoptr(RegardModelInfo) info = g_new0(RegardModelInfo, 1);
  info->place = place;
  info->path = g_strdup(path);
  g_autofree char *base = g_path_get_basename(path);
  g_autofree char *name = g_filename_display_name(base);
  char *ending = regard_model_is_archive(name) ? strrchr(name, '.') : NULL;
  if (ending && ending != name)
    *ending = '\0';
  /* In the Hub's cache a folder is called by its commit. */
  info->name = regard_hub_cache_name(path);
  if (!info->name)
    info->name = g_steal_pointer(&name);

  g_autoptr(mt_files) files = open_files(path, &info->problem);
  if (files) {
    info->is_archive = mt_files_is_archive(files);
    if (!check_files(files, info) && !is_expected)
      return NULL;
    read_card(info, files);
    info->dtype = info->bytes > 0 && !info->is_archive ? find_dtype(files, info->format) : NULL;
  } else if (!info->problem) {
    if (!is_expected)
      return NULL;
    info->problem = g_strdup(_("there is nothing at this place any more"));
  } else if (!is_expected && !regard_model_is_archive(path)) {
    return NULL; /* a folder that is not ours to read */
  }
  if (!info->title)
    info->title = g_strdup(info->name);
  /* Beside the finished model of the same languages, which is called as it is. */
  info->steps = regard_training_steps(path);
  if (info->steps) {
    g_autofree char *title = g_steal_pointer(&info->title);
    g_autofree char *languages = g_steal_pointer(&info->languages);
    info->title = g_strdup_printf(_("%s, in training"), title);
    info->languages = languages ? g_strdup_printf(_("%s, in training"), languages) : NULL;
  }
  return g_steal_pointer(&info);
}

#define MAPPED   ((double) (1 << 30)) /* bytes of F32 that stay in the file if they are rounded */
#define OF_STEPS 0.6                  /* the share of the weights that steps of a search read */

guint64
regard_model_info_memory(const RegardModelInfo *info, mt_precision precision)
{
  static const double widths[MT_N_PRECISIONS] = {
      [MT_PRECISION_F16] = 2,  [MT_PRECISION_BF16] = 2,     [MT_PRECISION_BF16_ALL] = 2,
      [MT_PRECISION_INT8] = 1, [MT_PRECISION_INT8_ALL] = 1,
  };
  const double bytes = (double) info->bytes;
  const gboolean is_half = info->dtype && strstr(info->dtype, "F16");
  const gboolean is_all = precision == MT_PRECISION_BF16_ALL || precision == MT_PRECISION_INT8_ALL;
  if (!info->dtype || info->bytes == 0 || info->is_archive)
    return 0;
  const double n = bytes / (is_half ? 2 : g_str_equal(info->dtype, "F64") ? 8 : 4);
  /* What is read as it is stored, and what is read instead of it. */
  double stored = (is_half ? 2 : 4) * n, rounded = 0;
  if (precision != MT_PRECISION_STORED) {
    rounded = widths[precision] * n * (is_all ? 1 : OF_STEPS);
    if (is_half || (g_str_equal(info->dtype, "F32") && bytes >= MAPPED))
      stored *= is_all ? 0 : 1 - OF_STEPS;
  }
  return (guint64) (stored + rounded);
}

char *
regard_model_info_detail(const RegardModelInfo *info)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new();
  g_autofree char *bytes = g_format_size(info->bytes);
  /* Translators: of weights, how large they are and in what numbers: "300 MB in F32". */
  g_autofree char *size = info->bytes == 0 ? NULL
                          : info->dtype    ? g_strdup_printf(_("%s in %s"), bytes, info->dtype)
                                           : g_strdup(bytes);
  if (!g_str_equal(info->title, info->name))
    g_ptr_array_add(parts, info->name);
  if (info->problem) {
    g_ptr_array_add(parts, info->problem);
  } else {
    char *const rest[] = {size, info->licence, info->format, info->is_archive ? "zip" : NULL};
    for (guint i = 0; i < G_N_ELEMENTS(rest); i++)
      if (rest[i])
        g_ptr_array_add(parts, rest[i]);
  }
  g_ptr_array_add(parts, NULL);
  return g_strjoinv(" · ", (char **) parts->pdata);
}

/* Whether some file of a folder is one that only models have. */
static gboolean
has_model(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir)))
    if (g_str_equal(name, "config.json") || g_str_has_suffix(name, ".safetensors") ||
        g_str_has_suffix(name, ".npz") || g_str_has_suffix(name, ".yml") ||
        g_str_has_prefix(name, "pytorch_model") || g_str_equal(name, "model.bin"))
      return TRUE;
  return FALSE;
}

char *
regard_model_path(const char *path)
{
  char *snapshot = regard_hub_cache_snapshot(path);
  if (snapshot)
    return snapshot;
  if (regard_model_is_archive(path) || !g_file_test(path, G_FILE_TEST_IS_REGULAR))
    return g_strdup(path);
  /* A file that is none of a model is itself what is wrong. */
  g_autofree char *folder = g_path_get_dirname(path);
  return has_model(folder) ? g_steal_pointer(&folder) : g_strdup(path);
}
