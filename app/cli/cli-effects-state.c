/* cli-effects-state.c — sums of effects as JSON, so that what was interrupted goes on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-effects-state.h"

#include "cli/cli-json.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* A larger file is none of ours. */
#define MOST_BYTES (16 * 1024 * 1024)

static const char *const kind_names[MT_N_KINDS] = {"encoder", "decoder", "cross"};

/* Sizes and times of a model's files tell whether it is the same, without reading it. */
static void
add_file(GChecksum *sum, const char *path)
{
  GStatBuf info;
  if (g_stat(path, &info) != 0)
    return;
  g_autofree char *line = g_strdup_printf("%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", path,
                                          (gint64) info.st_size, (gint64) info.st_mtime);
  g_checksum_update(sum, (const guchar *) line, -1);
}

static gint
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(char *const *) a, *(char *const *) b);
}

static void
add_model(GChecksum *sum, const char *path)
{
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  const char *name;
  if (!dir)
    add_file(sum, path);
  while (dir && (name = g_dir_read_name(dir)))
    if (!mt_means_is_name(name))
      g_ptr_array_add(names, g_build_filename(path, name, NULL));
  g_ptr_array_sort(names, compare_names);
  for (guint i = 0; i < names->len; i++)
    add_file(sum, names->pdata[i]);
}

char *
cli_effects_key(const CliEngine *engine, const CliCorpus *corpus, const char *what)
{
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  mt_error error = {0};
  char *request = mt_request_to_json(&engine->request, &error);
  mt_changes *none = mt_changes_with_means(NULL, engine->means, &error);
  g_autofree char *line =
      g_strdup_printf("%s\n%" G_GUINT64_FORMAT " %u\n%s\n%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                      "\n",
                      what, corpus->hash, corpus->texts->len, request ? request : "",
                      (guint64) mt_changes_hash(engine->hooks.changes),
                      (guint64) mt_changes_hash(none));
  g_checksum_update(sum, (const guchar *) line, -1);
  add_model(sum, engine->path);
  mt_changes_unref(none);
  mt_string_free(request);
  return g_strdup(g_checksum_get_string(sum));
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* All digits; null: not known yet. */
static json_object *
numbers(const double *values, gsize n)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < n; i++) {
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    json_object_array_add(array, isfinite(values[i])
                                     ? json_object_new_double_s(values[i],
                                                                g_ascii_dtostr(text, sizeof text,
                                                                               values[i]))
                                     : NULL);
  }
  return array;
}

gboolean
cli_effects_state_write(const CliCommand *command, const char *path, const char *key,
                        const RegardEffectsSum *sum, guint n_read)
{
  json_object *object = json_object_new_object();
  const double rest[] = {sum->logprob, sum->bleu, sum->chrf};
  g_autoptr(GError) error = NULL;
  json_object_object_add(object, "regard_effects", json_object_new_int(1));
  json_object_object_add(object, "key", cli_json_text(key));
  json_object_object_add(object, "read", cli_json_size(n_read));
  json_object_object_add(object, "sentences", cli_json_size(sum->n));
  json_object_object_add(object, "sums", numbers(rest, G_N_ELEMENTS(rest)));
  for (guint kind = 0; kind < MT_N_KINDS; kind++) {
    const RegardEffectsKind *k = &sum->kinds[kind];
    const gsize n = (gsize) k->n_layers * k->n_heads;
    const double *const tables[] = {k->effects, k->bleu, k->chrf};
    json_object *all = json_object_new_array();
    for (guint t = 0; t < G_N_ELEMENTS(tables); t++)
      json_object_array_add(all, tables[t] ? numbers(tables[t], n) : json_object_new_array());
    json_object_object_add(object, kind_names[kind], all);
  }
  const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
  const gboolean ok = g_file_set_contents(path, text, -1, &error);
  if (!ok)
    cli_complain(command, "--resume: %s", error->message);
  json_object_put(object);
  return ok;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static gboolean
read_numbers(json_object *array, double *values, gsize n)
{
  if (!json_object_is_type(array, json_type_array) || json_object_array_length(array) != n)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    json_object *value = json_object_array_get_idx(array, i);
    if (value && !json_object_is_type(value, json_type_double) &&
        !json_object_is_type(value, json_type_int))
      return FALSE;
    values[i] = value ? json_object_get_double(value) : (double) NAN;
  }
  return TRUE;
}

static gboolean
read_count(json_object *object, const char *name, guint *count)
{
  json_object *value;
  if (!json_object_object_get_ex(object, name, &value) ||
      !json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0 ||
      json_object_get_int64(value) > G_MAXINT)
    return FALSE;
  *count = (guint) json_object_get_int64(value);
  return TRUE;
}

static gboolean
read_kind(json_object *object, const char *name, RegardEffectsKind *k)
{
  const gsize n = (gsize) k->n_layers * k->n_heads;
  double *tables[] = {k->effects, k->bleu, k->chrf};
  json_object *all;
  if (!json_object_object_get_ex(object, name, &all) ||
      !json_object_is_type(all, json_type_array) ||
      json_object_array_length(all) != G_N_ELEMENTS(tables))
    return FALSE;
  for (guint t = 0; t < G_N_ELEMENTS(tables); t++)
    if (!read_numbers(json_object_array_get_idx(all, t), tables[t], tables[t] ? n : 0))
      return FALSE;
  return TRUE;
}

static gboolean
read_object(json_object *object, RegardEffectsSum *sum, guint *n_read)
{
  double rest[3];
  json_object *sums;
  gboolean ok = json_object_object_get_ex(object, "sums", &sums) &&
                read_numbers(sums, rest, G_N_ELEMENTS(rest)) &&
                read_count(object, "read", n_read) && read_count(object, "sentences", &sum->n) &&
                sum->n <= *n_read;
  for (guint kind = 0; ok && kind < MT_N_KINDS; kind++)
    ok = read_kind(object, kind_names[kind], &sum->kinds[kind]);
  if (ok) {
    sum->logprob = rest[0];
    sum->bleu = rest[1];
    sum->chrf = rest[2];
  }
  return ok;
}

gboolean
cli_effects_state_read(const CliCommand *command, const char *path, const char *key,
                       RegardEffectsSum *sum, guint *n_read)
{
  mt_bytes text;
  mt_error error = {0};
  GStatBuf info;
  json_object *version = NULL, *own = NULL;
  if (g_stat(path, &info) != 0)
    return TRUE; /* the work begins */
  if (!mt_file_read_whole(path, MOST_BYTES, false, &text, &error)) {
    cli_complain(command, "--resume: %s", error.message);
    return FALSE;
  }
  json_object *object = json_tokener_parse((const char *) text.data);
  mt_bytes_clear(&text);
  gboolean ok = json_object_is_type(object, json_type_object) &&
                json_object_object_get_ex(object, "regard_effects", &version) &&
                json_object_get_int(version) == 1 &&
                json_object_object_get_ex(object, "key", &own) &&
                json_object_is_type(own, json_type_string);
  if (!ok)
    cli_complain(command, "--resume: %s is no file that this command wrote", path);
  else if (strcmp(json_object_get_string(own), key) != 0) {
    cli_complain(command, "--resume: %s is of other work: another model, text, change or search",
                 path);
    ok = FALSE;
  } else if (!read_object(object, sum, n_read)) {
    cli_complain(command, "--resume: %s is damaged", path);
    ok = FALSE;
  }
  json_object_put(object);
  return ok;
}
