/* test-cli-model.c — regard-cli inspect and tokenize: what a model is, and what it makes of text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"

#include <glib/gstdio.h>
#include <string.h>

static void
test_inspect(void)
{
  g_autofree char *model = cli_source_path("tests/data/frozen/en-de");
  g_autoptr(CliRun) given = cli_run(NULL, "inspect", model, NULL);
  cli_assert_status(given, 0);
  g_assert_nonnull(strstr(given->out, "model.encoder.layers.0.self_attn.q_proj.weight"));
  g_assert_nonnull(strstr(given->out, "64 × 64"));
  g_assert_nonnull(strstr(given->out, "F16"));
  g_assert_nonnull(strstr(given->out, "sinusoidal, halves"));
  g_assert_nonnull(strstr(given->out, "\nformat               safetensors\n"));
}

/* The languages of a multi-target model, by code and by name. */
static void
test_inspect_languages(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/multi-target");
  g_autoptr(CliRun) plain = cli_run(NULL, "inspect", model, NULL);
  cli_assert_status(plain, 0);
  g_assert_nonnull(strstr(plain->out, "Target languages: 12\n"));
  g_assert_nonnull(strstr(plain->out, "deu         German\n"));
  g_autoptr(CliRun) run = cli_run(NULL, "inspect", "--json", model, NULL);
  cli_assert_status(run, 0);
  json_object *object = cli_assert_json(run->out), *languages;
  g_assert_true(json_object_object_get_ex(object, "languages", &languages));
  g_assert_cmpuint(json_object_array_length(languages), ==, 12);
  g_assert_cmpstr(json_object_get_string(json_object_array_get_idx(languages, 0)), ==, "afr");
  json_object_put(object);
  g_autoptr(CliRun) bundled = cli_run(NULL, "inspect", NULL);
  g_assert_null(strstr(bundled->out, "Target languages"));
}

static void
test_tokenize_to(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/multi-target");
  g_autoptr(CliRun) run =
      cli_run("the dog\n\n>>swe<< the dog\n", "tokenize", "--to", "DEU", "--model", model, NULL);
  cli_assert_status(run, 0);
  g_auto(GStrv) lines = g_strsplit(run->out, "\n", -1);
  g_assert_true(g_str_has_prefix(lines[0], ">>deu<< ▁the ▁dog </s>\t"));
  g_assert_cmpstr(lines[1], ==, "");
  g_assert_true(g_str_has_prefix(lines[2], ">>swe<< ▁the ▁dog </s>\t"));
  g_autoptr(CliRun) both =
      cli_run("der\n", "tokenize", "--target", "--to", "deu", "--model", model, NULL);
  cli_assert_complains(both, 2, "--target");
}

static void
test_inspect_json(void)
{
  g_autoptr(CliRun) run = cli_run(NULL, "inspect", "--json", NULL);
  cli_assert_status(run, 0);
  json_object *object = cli_assert_json(run->out), *value, *config, *tensors;
  g_assert_true(json_object_object_get_ex(object, "format", &value));
  g_assert_cmpstr(json_object_get_string(value), ==, "safetensors");
  g_assert_true(json_object_object_get_ex(object, "configuration", &config));
  g_assert_true(json_object_object_get_ex(config, "encoder_layers", &value));
  g_assert_cmpint(json_object_get_int(value), ==, 6);
  g_assert_true(json_object_object_get_ex(config, "decoder_heads", &value));
  g_assert_cmpint(json_object_get_int(value), ==, 8);
  g_assert_true(json_object_object_get_ex(config, "d_model", &value));
  g_assert_cmpint(json_object_get_int(value), ==, 64);

  /* The parameters are the values of the tensors, unless the file repeats a shared one. */
  gint64 n_values = 0, n_parameters;
  g_assert_true(json_object_object_get_ex(object, "parameters", &value));
  n_parameters = json_object_get_int64(value);
  g_assert_true(json_object_object_get_ex(object, "tensors", &tensors));
  for (gsize i = 0; i < json_object_array_length(tensors); i++) {
    json_object *tensor = json_object_array_get_idx(tensors, i), *shape, *name;
    gint64 n = 1;
    g_assert_true(json_object_object_get_ex(tensor, "name", &name));
    g_assert_true(json_object_object_get_ex(tensor, "shape", &shape));
    for (gsize k = 0; k < json_object_array_length(shape); k++)
      n *= json_object_get_int64(json_object_array_get_idx(shape, k));
    n_values += n;
  }
  g_assert_cmpint(n_parameters, >, 8001 * 64);
  g_assert_cmpint(n_parameters, <=, n_values);

  g_autofree char *weights = cli_source_path("tests/data/frozen/en-de/model.safetensors");
  GStatBuf info;
  g_assert_cmpint(g_stat(weights, &info), ==, 0);
  g_assert_true(json_object_object_get_ex(object, "file_bytes", &value));
  g_assert_cmpint(json_object_get_int64(value), ==, (gint64) info.st_size);
  json_object_put(object);
}

/* A checkpoint that PyTorch saved. */
static void
test_inspect_torch(void)
{
  static const char *const files[] = {"config.json", "vocab.json", "source.spm", "target.spm"};
  g_autofree char *folder = cli_scratch_path("torch");
  g_mkdir(folder, 0755);
  for (gsize i = 0; i <= G_N_ELEMENTS(files); i++) {
    const char *file = i < G_N_ELEMENTS(files) ? files[i] : "pytorch_model.bin";
    const char *home = i < G_N_ELEMENTS(files) ? "checkpoints/post-norm-relu" : "torch/f32";
    g_autofree char *name = g_build_filename("tests/data", home, file, NULL);
    g_autofree char *from = cli_source_path(name), *to = g_build_filename(folder, file, NULL);
    g_autofree char *data = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(from, &data, &length, NULL));
    g_assert_true(g_file_set_contents(to, data, (gssize) length, NULL));
  }
  g_autoptr(CliRun) run = cli_run(NULL, "inspect", folder, NULL);
  cli_assert_status(run, 0);
  g_assert_nonnull(strstr(run->out, "\nformat               PyTorch\n"));
  g_assert_nonnull(strstr(run->out, "pytorch_model.bin"));
}

/* A folder that is no model, and one whose weights are cut short: status 1 and the file's name. */
static void
test_inspect_broken(void)
{
  g_autoptr(CliRun) empty = cli_run(NULL, "inspect", cli_scratch(), NULL);
  cli_assert_complains(empty, 1, "config.json");

  static const char *const files[] = {"config.json", "vocab.json", "source.spm", "target.spm",
                                      "model.safetensors"};
  g_autofree char *folder = cli_scratch_path("cut");
  g_mkdir(folder, 0755);
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *name = g_strconcat("tests/data/frozen/en-de/", files[i], NULL);
    g_autofree char *from = cli_source_path(name), *to = g_build_filename(folder, files[i], NULL);
    g_autofree char *data = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(from, &data, &length, NULL));
    if (i == 4)
      length /= 2;
    g_assert_true(g_file_set_contents(to, data, (gssize) length, NULL));
  }
  g_autoptr(CliRun) cut = cli_run(NULL, "inspect", folder, NULL);
  cli_assert_complains(cut, 1, "model.safetensors");
  g_assert_cmpstr(cut->out, ==, "");
}

static void
test_environment(void)
{
  g_autoptr(GSubprocessLauncher) launcher =
      g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_subprocess_launcher_setenv(launcher, "REGARD_MODEL_DIR", "/nonexistent/model", TRUE);
  g_autoptr(GSubprocess) process =
      g_subprocess_launcher_spawn(launcher, NULL, cli_program(), "inspect", NULL);
  g_autofree char *err = NULL;
  g_subprocess_communicate_utf8(process, NULL, NULL, NULL, &err, NULL);
  g_assert_cmpint(g_subprocess_get_exit_status(process), ==, 1);
  g_assert_nonnull(strstr(err, "/nonexistent/model"));
}

static void
test_tokenize(void)
{
  g_autoptr(CliRun) run = cli_run("I have two dogs.\n\n", "tokenize", NULL);
  cli_assert_status(run, 0);
  g_assert_true(g_str_has_prefix(run->out, "▁I ▁have ▁two ▁dog"));
  g_assert_nonnull(strstr(run->out, " </s>\t"));
  /* The last id is the end of the sentence; then the empty line. */
  g_assert_true(g_str_has_suffix(run->out, " 0\n\n"));
  g_auto(GStrv) columns = g_strsplit(run->out, "\t", -1);
  g_assert_cmpuint(g_strv_length(columns), ==, 2);
  g_auto(GStrv) pieces = g_strsplit(columns[0], " ", -1), ids = g_strsplit(columns[1], " ", -1);
  g_assert_cmpuint(g_strv_length(pieces), ==, g_strv_length(ids));
}

/* The byte offsets of the tokens cover the text. */
static void
test_tokenize_json(void)
{
  static const char text[] = "Die Straße, 世界 und 😀.";
  g_autofree char *line = g_strconcat(text, "\n", NULL);
  g_autoptr(CliRun) run = cli_run(line, "tokenize", "--target", "--json", NULL);
  cli_assert_status(run, 0);
  json_object *object = cli_assert_json(run->out), *tokens, *begin, *end, *special;
  g_assert_true(json_object_object_get_ex(object, "tokens", &tokens));
  gsize n = json_object_array_length(tokens);
  int last = 0;
  g_assert_cmpuint(n, >, 3);
  for (gsize i = 0; i < n; i++) {
    json_object *token = json_object_array_get_idx(tokens, i);
    g_assert_true(json_object_object_get_ex(token, "begin", &begin));
    g_assert_true(json_object_object_get_ex(token, "end", &end));
    g_assert_true(json_object_object_get_ex(token, "special", &special));
    g_assert_cmpint(json_object_get_boolean(special), ==, i + 1 == n);
    g_assert_cmpint(json_object_get_int(begin), >=, last);
    g_assert_cmpint(json_object_get_int(end), >=, json_object_get_int(begin));
    last = json_object_get_int(begin);
  }
  g_assert_cmpint(last, <=, (int) strlen(text));
  json_object_put(object);
}

static void
test_tokenize_bad(void)
{
  g_autoptr(CliRun) run = cli_run("caf\xE9\nfine\n", "tokenize", NULL);
  cli_assert_complains(run, 1, "-:1: ");
  g_assert_true(g_str_has_prefix(run->out, "\n▁"));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/cli/inspect/plain", test_inspect);
  g_test_add_func("/cli/inspect/json", test_inspect_json);
  g_test_add_func("/cli/inspect/languages", test_inspect_languages);
  g_test_add_func("/cli/tokenize/to", test_tokenize_to);
  g_test_add_func("/cli/inspect/torch", test_inspect_torch);
  g_test_add_func("/cli/inspect/broken", test_inspect_broken);
  g_test_add_func("/cli/inspect/environment", test_environment);
  g_test_add_func("/cli/tokenize/plain", test_tokenize);
  g_test_add_func("/cli/tokenize/json", test_tokenize_json);
  g_test_add_func("/cli/tokenize/bad", test_tokenize_bad);
  return cli_test_run();
}
