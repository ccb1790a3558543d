/* regard-model-info.c — what can be said of a model without opening it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-model-info.h"

#include "models/regard-hub-cache.h"
#include "models/regard-language.h"
#include "models/regard-model-card.h"
#include "models/regard-model-files.h"
#include "models/regard-training-steps.h"
#include <gio/gio.h>
#include <string.h>

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
  g_free(info->problem);
  g_free(info->source);
  g_free(info->target);
  g_clear_pointer(&info->steps, g_array_unref);
  g_free(info);
}

static void
read_text(const RegardModelStore *store, const char *file, RegardModelCard *card,
          void (*read)(RegardModelCard *card, const char *text, gsize length))
{
  gsize length = 0;
  g_autofree char *text = regard_model_store_read(store, file, MOST_CARD, &length);
  if (text)
    read(card, text, length);
}

/* The tokenizer knows its languages best, then the card, then whoever named the folder, or the one
 * that the archives of a pair of languages lie in ("en-de/opus-2020-02-26.zip"). */
static void
read_card(RegardModelInfo *info, const RegardModelStore *store)
{
  g_auto(RegardModelCard) card = {0};
  regard_model_files_languages(store, &card.source, &card.target);
  read_text(store, "README.md", &card, regard_model_card_read);
  if (!card.licence)
    read_text(store, "LICENSE", &card, regard_model_card_read_licence);
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
regard_model_info_new(const char *path, RegardModelPlace place, gboolean is_expected)
{
  g_autoptr(RegardModelInfo) info = g_new0(RegardModelInfo, 1);
  info->place = place;
  info->path = g_strdup(path);
  g_autofree char *base = g_path_get_basename(path);
  g_autofree char *name = g_filename_display_name(base);
  if (g_str_has_suffix(name, ".zip") && name[4])
    name[strlen(name) - 4] = '\0';
  /* In the Hub's cache a folder is called by its commit. */
  info->name = regard_hub_cache_name(path);
  if (!info->name)
    info->name = g_steal_pointer(&name);

  g_autoptr(RegardModelStore) store = regard_model_store_open(path, &info->problem);
  if (store) {
    info->is_archive = regard_model_store_is_archive(store);
    if (!regard_model_files_check(store, info) && !is_expected)
      return NULL;
    read_card(info, store);
  } else if (!info->problem) {
    if (!is_expected)
      return NULL;
    info->problem = g_strdup("there is nothing at this place any more");
  } else if (!is_expected && !g_str_has_suffix(path, ".zip")) {
    return NULL; /* a folder that is not ours to read */
  }
  if (!info->title)
    info->title = g_strdup(info->name);
  /* Beside the finished model of the same languages, which is called as it is. */
  info->steps = regard_training_steps(path);
  if (info->steps) {
    g_autofree char *title = g_steal_pointer(&info->title);
    g_autofree char *languages = g_steal_pointer(&info->languages);
    info->title = g_strdup_printf("%s, in training", title);
    info->languages = languages ? g_strdup_printf("%s, in training", languages) : NULL;
  }
  return g_steal_pointer(&info);
}

char *
regard_model_info_detail(const RegardModelInfo *info)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new();
  g_autofree char *size = info->bytes ? g_format_size(info->bytes) : NULL;
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
        g_str_has_prefix(name, "pytorch_model"))
      return TRUE;
  return FALSE;
}

char *
regard_model_path(const char *path)
{
  char *snapshot = regard_hub_cache_snapshot(path);
  if (snapshot)
    return snapshot;
  if (g_str_has_suffix(path, ".zip") || !g_file_test(path, G_FILE_TEST_IS_REGULAR))
    return g_strdup(path);
  /* A file that is none of a model is itself what is wrong. */
  g_autofree char *folder = g_path_get_dirname(path);
  return has_model(folder) ? g_steal_pointer(&folder) : g_strdup(path);
}
