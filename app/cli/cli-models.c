/* cli-models.c — regard-cli models: the models of this machine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"
#include "cli/cli-json.h"
#include "figures/regard-naming.h"

#include "base/regard-paths.h"
#include "base/regard-settings.h"
#include "models/regard-hub-cache.h"
#include "models/regard-model-list.h"
#include <string.h>

/* One name that is longer moves its own row only. */
#define MOST_WIDTH 36u

static const char *const places[] = {"bundled", "bundled", "recent", "found"};

/* Paths of the models opened lately in the window; NULL where it is not installed. */
static char **
recent_models(void)
{
  g_autoptr(GSettings) settings = regard_settings_new_if_there();
  return settings ? g_settings_get_strv(settings, "recent-models") : NULL;
}

char *
cli_models_resolve(const char *argument)
{
  /* Settings are asked for only where a name is looked up. */
  gboolean is_name = !strchr(argument, '/') && !g_file_test(argument, G_FILE_TEST_EXISTS);
  g_auto(GStrv) recent = is_name ? recent_models() : NULL;
  return regard_model_list_resolve(argument, (const char *const *) recent);
}

/* ---- The table ----------------------------------------------------------------------------- */

enum { NAME, LANGUAGES, SIZE, LICENCE, FORMAT, WHERE, N_COLUMNS };

static gboolean
is_bundled(const RegardModelInfo *info)
{
  return info->place == REGARD_MODEL_BUNDLED || info->place == REGARD_MODEL_TEACHING;
}

static char *
cell(const RegardModelInfo *info, guint column)
{
  switch (column) {
  case NAME:
    return g_strdup(info->name);
  case LANGUAGES:
    return g_strdup(info->languages ? info->languages : "");
  case SIZE:
    return info->bytes ? g_format_size(info->bytes) : g_strdup("");
  case LICENCE:
    return g_strdup(info->licence ? info->licence : "");
  case FORMAT:
    return g_strdup(info->format ? info->format : "");
  default:
    return is_bundled(info) ? g_strdup("bundled") : regard_paths_shorten(info->path);
  }
}

static void
append_row(GString *out, char *const *cells, const guint *widths)
{
  for (guint c = 0; c < N_COLUMNS; c++) {
    g_string_append(out, cells[c]);
    /* Characters, not bytes: → has three. */
    glong pad = (glong) widths[c] - g_utf8_strlen(cells[c], -1);
    for (glong i = 0; c + 1 < N_COLUMNS && i < pad + 2; i++)
      g_string_append_c(out, ' ');
  }
  while (out->len && out->str[out->len - 1] == ' ')
    g_string_truncate(out, out->len - 1);
  g_string_append_c(out, '\n');
}

static gboolean
put_plain(const CliCommand *command, GPtrArray *infos, guint n_left_out)
{
  g_autoptr(GString) out = g_string_new(NULL);
  g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify) g_strfreev);
  static char *const titles[] = {"NAME", "LANGUAGES", "SIZE", "LICENCE", "FORMAT", "WHERE"};
  guint widths[N_COLUMNS];
  for (guint c = 0; c < N_COLUMNS; c++)
    widths[c] = (guint) strlen(titles[c]);
  for (guint i = 0; i < infos->len; i++) {
    char **cells = g_new0(char *, N_COLUMNS + 1);
    for (guint c = 0; c < N_COLUMNS; c++) {
      g_autofree char *text = cell(infos->pdata[i], c);
      cells[c] =
          regard_visible(text); /* a table is read line by line, whatever a folder is called */
      widths[c] = MAX(widths[c], MIN((guint) g_utf8_strlen(cells[c], -1), MOST_WIDTH));
    }
    g_ptr_array_add(rows, cells);
  }
  append_row(out, titles, widths);
  for (guint i = 0; i < infos->len; i++) {
    const RegardModelInfo *info = infos->pdata[i];
    append_row(out, rows->pdata[i], widths);
    if (info->problem)
      g_string_append_printf(out, "  cannot be opened: %s\n", info->problem);
  }
  if (n_left_out)
    g_string_append_printf(out, "… and %u more\n", n_left_out);
  /* Bundled ones come first. */
  if (infos->len == 0 || is_bundled(infos->pdata[infos->len - 1])) {
    g_auto(GStrv) folders = regard_model_list_folders();
    g_string_append(out, "\nOther models are looked for in\n");
    for (guint i = 0; folders[i]; i++) {
      g_autofree char *shown = regard_paths_shorten(folders[i]);
      g_string_append_printf(out, "  %s\n", shown);
    }
    g_autofree char *cache = regard_hub_cache_folder();
    g_autofree char *shown_cache = regard_paths_shorten(cache);
    g_string_append_printf(out, "  %s (downloads of the Hugging Face Hub)\n", shown_cache);
  }
  return cli_put(command, out->str, out->len);
}

static gboolean
put_json(const CliCommand *command, GPtrArray *infos)
{
  json_object *object = json_object_new_object(), *models = json_object_new_array(),
              *looked_in = json_object_new_array();
  for (guint i = 0; i < infos->len; i++) {
    const RegardModelInfo *info = infos->pdata[i];
    json_object *item = json_object_new_object();
    json_object_object_add(item, "name", cli_json_text(info->name));
    json_object_object_add(item, "languages", cli_json_text(info->languages));
    json_object_object_add(item, "source_lang", cli_json_text(info->source));
    json_object_object_add(item, "target_lang", cli_json_text(info->target));
    json_object_object_add(item, "bytes", info->bytes ? cli_json_size(info->bytes) : NULL);
    json_object_object_add(item, "licence", cli_json_text(info->licence));
    json_object_object_add(item, "format", cli_json_text(info->format));
    json_object_object_add(item, "place", cli_json_text(places[info->place]));
    json_object_object_add(item, "path", cli_json_text(info->path));
    json_object_object_add(item, "problem", cli_json_text(info->problem));
    json_object_array_add(models, item);
  }
  g_auto(GStrv) folders = regard_model_list_folders();
  for (guint i = 0; folders[i]; i++)
    json_object_array_add(looked_in, cli_json_text(folders[i]));
  g_autofree char *cache = regard_hub_cache_folder();
  json_object_array_add(looked_in, cli_json_text(cache));
  json_object_object_add(object, "models", models);
  json_object_object_add(object, "folders", looked_in);
  return cli_json_put(command, object, TRUE);
}

static const CliOption options[] = {
    {CLI_OPTION_FLAG, "json", 0, 0, NULL, "Print one JSON object"},
    CLI_OPTIONS_END,
};

static CliStatus
run(const CliCommand *command, gpointer self, GPtrArray *arguments)
{
  const gboolean *json = self;
  guint n_left_out = 0;
  if (arguments->len)
    return cli_usage(command, "no argument wanted, found '%s'", (const char *) arguments->pdata[0]);
  g_auto(GStrv) recent = recent_models();
  g_autoptr(GPtrArray) infos =
      regard_model_list_scan((const char *const *) recent, NULL, &n_left_out);
  gboolean written = *json ? put_json(command, infos) : put_plain(command, infos, n_left_out);
  return written ? CLI_DONE : CLI_FAILED;
}

const CliCommand cli_models = {
    .name = "models",
    .summary = "List the models of this machine",
    .arguments = "",
    .details = "Lists the bundled model, those opened lately in the window, and those in\n"
               "regard/models below the user's and the system's data folders and in the download\n"
               "cache of the Hugging Face Hub (HF_HUB_CACHE, HF_HOME): name, languages, size,\n"
               "licence where a card states it, format and place, and what keeps one from being\n"
               "opened. Nothing is opened for that. --model takes a name of this list.\n",
    .options = options,
    .size = sizeof(gboolean),
    .run = run,
};
