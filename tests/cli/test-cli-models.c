/* test-cli-models.c — regard-cli models: which models there are, and --model by their names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static char *models; /* where a person's models are, in this program's scratch folder */

/* A copy of the frozen model made of links, below the folder of models; without the file `lacks`
 * if that is not NULL. */
static void
put_model(const char *name, const char *lacks)
{
  static const char *const files[] = {"config.json",       "generation_config.json",
                                      "model.safetensors", "vocab.json",
                                      "source.spm",        "target.spm"};
  g_autofree char *folder = g_build_filename(models, name, NULL);
  g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *there = g_strconcat("tests/data/frozen/en-de/", files[i], NULL);
    g_autofree char *from = cli_source_path(there);
    g_autofree char *to = g_build_filename(folder, files[i], NULL);
    g_unlink(to);
    if (g_strcmp0(files[i], lacks) != 0)
      g_assert_cmpint(symlink(from, to), ==, 0);
  }
}

static const char *
line_of(const char *text, const char *start, char **copy)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (guint i = 0; lines[i]; i++)
    if (g_str_has_prefix(lines[i], start))
      return *copy = g_strdup(lines[i]);
  g_error("no line that starts with '%s' in\n%s", start, text);
}

/* Nothing but the bundled one: then it says where others would be. */
static void
test_bundled_only(void)
{
  g_autoptr(CliRun) run = cli_run_ok(NULL, "models", NULL);
  g_autofree char *head = NULL, *bundled = NULL;
  g_assert_nonnull(strstr(line_of(run->out, "NAME", &head), "MEMORY"));
  g_assert_nonnull(strstr(head, "LICENCE"));
  line_of(run->out, "en-de ", &bundled);
  g_assert_nonnull(strstr(bundled, "English → German"));
  g_assert_nonnull(strstr(bundled, "GPL-3.0-or-later"));
  g_assert_nonnull(strstr(bundled, "safetensors"));
  g_assert_true(g_str_has_suffix(bundled, "bundled"));
  g_assert_nonnull(strstr(run->out, models));
  g_assert_cmpstr(run->err, ==, "");
}

/* All that come with Regard, where no other model stands for them; each is found by its name. */
static void
test_bundled(void)
{
  g_autofree char *other = g_strdup(g_getenv("REGARD_MODEL_DIR"));
  g_unsetenv("REGARD_MODEL_DIR");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "models", NULL);
  g_autoptr(CliRun) named = cli_run_ok("bird cat\n", "translate", "-m", "by-hand", NULL);
  g_setenv("REGARD_MODEL_DIR", other, TRUE);
  g_autofree char *first = NULL, *by_hand = NULL, *collapsed = NULL;
  g_assert_true(g_str_has_suffix(line_of(run->out, "en-de ", &first), "bundled"));
  g_assert_true(g_str_has_suffix(line_of(run->out, "by-hand ", &by_hand), "bundled"));
  g_assert_nonnull(strstr(by_hand, "English → German"));
  g_assert_true(g_str_has_suffix(line_of(run->out, "collapsed ", &collapsed), "bundled"));
  g_assert_nonnull(strstr(run->out, models));
  g_assert_cmpstr(named->out, ==, "Vogel Katze\n");
}

static void
test_list(void)
{
  put_model("Helsinki-NLP/opus-mt-en-fr", NULL);
  put_model("opus-mt-en-mg", "source.spm");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "models", NULL);
  g_autofree char *french = NULL, *malagasy = NULL;
  line_of(run->out, "opus-mt-en-fr", &french);
  g_assert_nonnull(strstr(french, "English → French"));
  g_assert_true(g_str_has_suffix(french, "Helsinki-NLP/opus-mt-en-fr"));
  g_assert_nonnull(strstr(line_of(run->out, "opus-mt-en-mg", &malagasy), "English → Malagasy"));
  g_assert_nonnull(strstr(run->out, "cannot be opened: source.spm is missing"));
  /* Columns begin below each other, also after an arrow of three bytes. */
  g_autofree char *head = NULL, *bundled = NULL;
  line_of(run->out, "NAME", &head);
  line_of(run->out, "en-de", &bundled);
  const char *size = strstr(head, "SIZE"), *megabytes = strstr(bundled, "2.1");
  g_assert_cmpint(g_utf8_pointer_to_offset(head, size), ==,
                  g_utf8_pointer_to_offset(bundled, megabytes));
}

static void
test_json(void)
{
  put_model("opus-mt-en-it", NULL);
  put_model("opus-mt-en-mg", "target.spm");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "models", "--json", NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  json_object *list = cli_json_member(object, "models");
  g_assert_cmpstr(json_object_get_string(
                      json_object_array_get_idx(cli_json_member(object, "folders"), 0)),
                  ==, models);
  guint n_found = 0;
  for (gsize i = 0; i < json_object_array_length(list); i++) {
    json_object *item = json_object_array_get_idx(list, i);
    const char *name = cli_json_string(item, "name");
    if (i == 0) {
      g_assert_cmpstr(name, ==, "en-de");
      g_assert_cmpstr(cli_json_string(item, "place"), ==, "bundled");
      const gint64 bytes = json_object_get_int64(cli_json_member(item, "bytes"));
      g_assert_cmpint(bytes, >, 1000000);
      /* Numbers of 16 bits are used as they are stored. */
      g_assert_cmpstr(cli_json_string(item, "dtype"), ==, "F16");
      g_assert_cmpint(json_object_get_int64(cli_json_member(item, "memory")), ==, bytes);
      g_assert_cmpint(json_object_get_int64(cli_json_member(item, "memory_int8_all")), <, bytes);
    } else if (g_str_equal(name, "opus-mt-en-it")) {
      g_assert_cmpstr(cli_json_string(item, "source_lang"), ==, "en");
      g_assert_cmpstr(cli_json_string(item, "target_lang"), ==, "it");
      g_assert_null(cli_json_string(item, "problem"));
      g_assert_null(cli_json_string(item, "licence"));
      n_found++;
    } else if (g_str_equal(name, "opus-mt-en-mg")) {
      g_assert_cmpstr(cli_json_string(item, "problem"), ==, "target.spm is missing");
      n_found++;
    }
  }
  g_assert_cmpuint(n_found, ==, 2);
}

/* By its name, by part of its path, by a file in it, by the path as ever. */
static void
test_by_name(void)
{
  put_model("Helsinki-NLP/by-name", NULL);
  g_autofree char *path = g_build_filename(models, "Helsinki-NLP", "by-name", NULL);
  g_autofree char *file = g_build_filename(path, "config.json", NULL);
  const char *const ways[] = {"by-name", "Helsinki-NLP/by-name", path, file};
  for (guint i = 0; i < G_N_ELEMENTS(ways); i++) {
    g_autoptr(CliRun) run =
        cli_run_ok("I have two dogs.\n", "translate", "--model", ways[i], "--beam", "1", NULL);
    g_assert_cmpstr(run->out, ==, "Ich habe zwei Hunde.\n");
  }
  cli_refuses(1, "no-such-name", NULL, "inspect", "no-such-name", NULL);
}

/* Opened in the window, somewhere else. */
static void
test_recent(void)
{
  g_autofree char *programs = g_path_get_dirname(cli_program());
  g_autofree char *schema = g_build_filename(programs, "..", "assets", "gschemas.compiled", NULL);
  if (!g_file_test(schema, G_FILE_TEST_EXISTS)) {
    g_test_skip("built without the window, whose settings know what was opened lately");
    return;
  }
  g_autofree char *settings = cli_scratch_path("regard/settings.ini");
  g_autofree char *folder = g_path_get_dirname(settings);
  g_autofree char *gone = cli_scratch_path("opened-lately");
  g_autofree char *text = g_strdup_printf("[Settings]\nrecent-models=['%s']\n", gone);
  g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
  g_assert_true(g_file_set_contents(settings, text, -1, NULL));
  g_autoptr(CliRun) run = cli_run_ok(NULL, "models", "--json", NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  json_object *second = json_object_array_get_idx(cli_json_member(object, "models"), 1);
  g_assert_cmpstr(cli_json_string(second, "place"), ==, "recent");
  g_assert_cmpstr(cli_json_string(second, "path"), ==, gone);
  g_assert_nonnull(cli_json_string(second, "problem"));
  g_unlink(settings);
}

static void
test_usage(void)
{
  cli_refuses(2, "surplus", NULL, "models", "surplus", NULL);
  cli_refuses(2, "--sort", NULL, "models", "--sort", NULL);
}

static void
tear_down(void)
{
  g_free(models);
}

TESTS(.end = tear_down)
{
  models = cli_scratch_path("data/regard/models");
  g_autofree char *data = cli_scratch_path("data");
  g_setenv("XDG_DATA_HOME", data, TRUE);
  g_setenv("XDG_DATA_DIRS", "/nonexistent/share", TRUE);
  g_setenv("XDG_CONFIG_HOME", cli_scratch(), TRUE);
  g_setenv("XDG_RUNTIME_DIR", cli_scratch(), TRUE);
  g_unsetenv("DBUS_SESSION_BUS_ADDRESS");
  g_unsetenv("GSETTINGS_BACKEND");
  g_test_add_func("/cli/models/bundled-only", test_bundled_only);
  g_test_add_func("/cli/models/bundled", test_bundled);
  g_test_add_func("/cli/models/list", test_list);
  g_test_add_func("/cli/models/json", test_json);
  g_test_add_func("/cli/models/by-name", test_by_name);
  g_test_add_func("/cli/models/recent", test_recent);
  g_test_add_func("/cli/models/usage", test_usage);
}
