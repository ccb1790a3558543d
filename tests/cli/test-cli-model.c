/* test-cli-model.c — regard-cli inspect and tokenize: what a model is, and what it makes of text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void
test_inspect(void)
{
  g_autofree char *model = cli_source_path("tests/data/frozen/en-de");
  g_autoptr(CliRun) given = cli_run_ok(NULL, "inspect", model, NULL);
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
  g_autoptr(CliRun) plain = cli_run_ok(NULL, "inspect", model, NULL);
  g_assert_nonnull(strstr(plain->out, "Target languages: 12\n"));
  g_assert_nonnull(strstr(plain->out, "deu         German\n"));
  g_autoptr(CliRun) run = cli_run_ok(NULL, "inspect", "--json", model, NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  json_object *languages = cli_json_member(object, "languages");
  g_assert_cmpuint(json_object_array_length(languages), ==, 12);
  g_assert_cmpstr(json_object_get_string(json_object_array_get_idx(languages, 0)), ==, "afr");
  g_assert_cmpuint(json_object_array_length(cli_json_member(object, "source_languages")), ==, 0);
  g_assert_null(cli_json_member(object, "own_source_language"));
  g_assert_null(cli_json_member(object, "own_language"));
  g_autoptr(CliRun) bundled = cli_run(NULL, "inspect", NULL);
  g_assert_null(strstr(bundled->out, "Target languages"));
}

/* Both lists of a model that is told two, and which one is its own. */
static void
test_inspect_two_languages(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/nllb-tiny");
  g_autoptr(CliRun) plain = cli_run_ok(NULL, "inspect", model, NULL);
  g_assert_nonnull(strstr(plain->out, "\nSource languages: 202\n"));
  g_assert_nonnull(strstr(plain->out, "\nTarget languages: 202\n"));
  g_assert_nonnull(strstr(plain->out, "English (Latin) (the model's own)\n"));
  /* What its files do not say. */
  g_assert_nonnull(strstr(plain->out, "\n  target_lang          not said\n"));
  g_autoptr(CliRun) run = cli_run_ok(NULL, "inspect", "--json", model, NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  g_assert_cmpuint(json_object_array_length(cli_json_member(object, "source_languages")), ==, 202);
  g_assert_cmpuint(json_object_array_length(cli_json_member(object, "languages")), ==, 202);
  g_assert_cmpstr(cli_json_string(object, "own_source_language"), ==, "eng_Latn");
  g_assert_null(cli_json_member(object, "own_language"));
}

static void
test_inspect_tasks(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/t5-tiny");
  g_autoptr(CliRun) plain = cli_run_ok(NULL, "inspect", model, NULL);
  g_assert_nonnull(strstr(plain->out, "\nTasks: 2\n  summarization           \"summarize: \"\n"
                                      "  translation_en_to_de    \"translate English "));
  g_autoptr(CliRun) run = cli_run_ok(NULL, "inspect", "--json", model, NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  json_object *task = json_object_array_get_idx(cli_json_member(object, "tasks"), 0);
  g_assert_cmpstr(cli_json_string(task, "name"), ==, "summarization");
  g_assert_cmpstr(cli_json_string(task, "prefix"), ==, "summarize: ");
  g_assert_cmpint(json_object_get_int(cli_json_member(task, "num_beams")), ==, 3);
  g_assert_cmpint(json_object_get_int(cli_json_member(task, "no_repeat_ngram_size")), ==, 3);
}

static void
test_tokenize_to(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/multi-target");
  g_autoptr(CliRun) run =
      cli_run_ok("the dog\n\n>>swe<< the dog\n", "tokenize", "--to", "DEU", "--model", model, NULL);
  g_auto(GStrv) lines = g_strsplit(run->out, "\n", -1);
  g_assert_true(g_str_has_prefix(lines[0], ">>deu<< ▁the ▁dog </s>\t"));
  g_assert_cmpstr(lines[1], ==, "");
  g_assert_true(g_str_has_prefix(lines[2], ">>swe<< ▁the ▁dog </s>\t"));
  cli_refuses(2, "--target", "der\n", "tokenize", "--target", "--to", "deu", "--model", model,
              NULL);
  cli_refuses(2, "--from and --to", "der\n", "tokenize", "--target", "--from", "deu", "--model",
              model, NULL);
}

static void
test_inspect_json(void)
{
  g_autoptr(CliRun) run = cli_run_ok(NULL, "inspect", "--json", NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  json_object *tensors;
  g_assert_cmpstr(cli_json_string(object, "format"), ==, "safetensors");
  json_object *config = cli_json_member(object, "configuration");
  g_assert_cmpint(json_object_get_int(cli_json_member(config, "encoder_layers")), ==, 6);
  g_assert_cmpint(json_object_get_int(cli_json_member(config, "decoder_heads")), ==, 8);
  g_assert_cmpint(json_object_get_int(cli_json_member(config, "d_model")), ==, 64);

  /* The parameters are the values of the tensors, unless the file repeats a shared one. */
  gint64 n_values = 0, n_parameters;
  n_parameters = json_object_get_int64(cli_json_member(object, "parameters"));
  tensors = cli_json_member(object, "tensors");
  for (gsize i = 0; i < json_object_array_length(tensors); i++) {
    json_object *tensor = json_object_array_get_idx(tensors, i), *shape;
    gint64 n = 1;
    cli_json_member(tensor, "name");
    shape = cli_json_member(tensor, "shape");
    for (gsize k = 0; k < json_object_array_length(shape); k++)
      n *= json_object_get_int64(json_object_array_get_idx(shape, k));
    n_values += n;
  }
  g_assert_cmpint(n_parameters, >, 8001 * 64);
  g_assert_cmpint(n_parameters, <=, n_values);

  g_autofree char *weights = cli_source_path("tests/data/frozen/en-de/model.safetensors");
  GStatBuf info;
  g_assert_cmpint(g_stat(weights, &info), ==, 0);
  g_assert_cmpint(json_object_get_int64(cli_json_member(object, "file_bytes")), ==,
                  (gint64) info.st_size);
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
  g_autoptr(CliRun) run = cli_run_ok(NULL, "inspect", folder, NULL);
  g_assert_nonnull(strstr(run->out, "\nformat               PyTorch\n"));
  g_assert_nonnull(strstr(run->out, "pytorch_model.bin"));
}

/* A folder that is no model, and one whose weights are cut short: status 1 and the file's name. */
static void
test_inspect_broken(void)
{
  cli_refuses(1, "config.json", NULL, "inspect", cli_scratch(), NULL);

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
  g_autoptr(CliRun) cut = cli_run_refused(1, "model.safetensors", NULL, "inspect", folder, NULL);
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
  g_autoptr(CliRun) run = cli_run_ok("I have two dogs.\n\n", "tokenize", NULL);
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
  g_autoptr(CliRun) run = cli_run_ok(line, "tokenize", "--target", "--json", NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  json_object *begin;
  json_object *tokens = cli_json_member(object, "tokens");
  gsize n = json_object_array_length(tokens);
  int last = 0;
  g_assert_cmpuint(n, >, 3);
  for (gsize i = 0; i < n; i++) {
    json_object *token = json_object_array_get_idx(tokens, i);
    begin = cli_json_member(token, "begin");
    g_assert_cmpint(json_object_get_boolean(cli_json_member(token, "special")), ==, i + 1 == n);
    g_assert_cmpint(json_object_get_int(begin), >=, last);
    g_assert_cmpint(json_object_get_int(cli_json_member(token, "end")), >=,
                    json_object_get_int(begin));
    last = json_object_get_int(begin);
  }
  g_assert_cmpint(last, <=, (int) strlen(text));
}

static void
test_tokenize_bad(void)
{
  g_autoptr(CliRun) run = cli_run_refused(1, "-:1: ", "caf\xE9\nfine\n", "tokenize", NULL);
  g_assert_true(g_str_has_prefix(run->out, "\n▁"));
}

/* A folder with the words and weights of a checkpoint, and this generation_config.json. Caller
 * frees. */
static char *
with_generation(const char *generation)
{
  static const char *const files[] = {"config.json", "model.safetensors", "source.spm",
                                      "target.spm",  "vocab.json",        "tokenizer_config.json"};
  char *folder = cli_scratch_path("generation");
  g_autofree char *own = g_build_filename(folder, "generation_config.json", NULL);
  g_mkdir_with_parents(folder, 0700);
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *inside = g_build_filename("tests/data/checkpoints/zero-pad", files[i], NULL);
    g_autofree char *from = cli_source_path(inside), *to = g_build_filename(folder, files[i], NULL);
    gsize n;
    g_autofree char *bytes = cli_contents(from, &n);
    g_assert_true(g_file_set_contents(to, bytes, (gssize) n, NULL));
  }
  g_assert_true(g_file_set_contents(own, generation, -1, NULL));
  return folder;
}

#define ZERO_PAD                                                                      \
  "\"bad_words_ids\": [[124]], \"eos_token_id\": 0, \"pad_token_id\": 124, "          \
  "\"decoder_start_token_id\": 124, \"forced_eos_token_id\": 0, \"max_length\": 20, " \
  "\"num_beams\": 4"

/* What a model asks for and is not done stands in one line of standard error, and in inspect. */
static void
test_not_honoured(void)
{
  g_autofree char *model =
      with_generation("{" ZERO_PAD ", \"do_sample\": true, \"num_beam_groups\": 2, \"tepid\": 1,"
                      " \"renormalize_logits\": true, \"no_repeat_ngram_size\": 3}");
  g_autoptr(CliRun) plain = cli_run_ok(NULL, "inspect", model, NULL);
  g_assert_nonnull(strstr(plain->out, "do_sample, num_beam_groups, tepid\n"));
  g_assert_nonnull(strstr(plain->err, "searched without it: do_sample, num_beam_groups, tepid\n"));
  g_assert_nonnull(strstr(plain->out, "  no_repeat_ngram_size"));
  g_autoptr(CliRun) translated = cli_run_refused(0, "do_sample, num_beam_groups, tepid",
                                                 "the dog\n", "translate", "-m", model, NULL);
  g_assert_cmpuint(strlen(strchr(translated->err, '\n')), ==, 1); /* one line */
  g_autoptr(CliRun) run = cli_run(NULL, "inspect", "--json", model, NULL);
  g_autoptr(json_object) object = cli_assert_json(run->out);
  json_object *config = cli_json_member(object, "configuration");
  g_assert_cmpstr(json_object_get_string(cli_json_member(config, "not_honoured")), ==,
                  "do_sample, num_beam_groups, tepid");
  g_assert_true(json_object_get_boolean(cli_json_member(config, "renormalize_logits")));
  g_assert_cmpint(json_object_get_int(cli_json_member(config, "without_probability")), ==, 1);
  g_free(g_steal_pointer(&model));
  model = with_generation("{" ZERO_PAD ", \"do_sample\": false, \"output_attentions\": true,"
                          " \"renormalize_logits\": false}");
  g_autoptr(CliRun) quiet = cli_run_ok("the dog\n", "translate", "-m", model, NULL);
  g_assert_cmpstr(quiet->err, ==, "");
}

/* Options say the same as keys. */
static void
test_options_of_search(void)
{
  g_autofree char *asks = with_generation("{" ZERO_PAD ", \"repetition_penalty\": 1.5,"
                                          " \"no_repeat_ngram_size\": 2}");
  g_autoptr(CliRun) said = cli_run_ok("the dog\n", "translate", "--nbest", "2", "-m", asks, NULL);
  g_autoptr(CliRun) undone = cli_run("the dog\n", "translate", "--nbest", "2", "--no-repeat-ngram",
                                     "0", "--repetition-penalty", "1", "-m", asks, NULL);
  g_free(g_steal_pointer(&asks));
  asks = with_generation("{" ZERO_PAD "}");
  g_autoptr(CliRun) typed = cli_run("the dog\n", "translate", "--nbest", "2", "--no-repeat-ngram",
                                    "2", "--repetition-penalty", "1.5", "-m", asks, NULL);
  g_autoptr(CliRun) plain = cli_run("the dog\n", "translate", "--nbest", "2", "-m", asks, NULL);
  cli_refuses(2, "--repetition-penalty", "the dog\n", "translate", "--repetition-penalty", "0",
              NULL);
  g_assert_cmpstr(said->out, ==, typed->out);
  g_assert_cmpstr(undone->out, ==, plain->out);
  g_assert_cmpstr(said->out, !=, plain->out);
}

/* What a score counts of a prefix is said, and is the difference. */
static void
test_prefix_score(void)
{
  static const char *const which[] = {"counted", "left-out"};
  g_autofree char *model = cli_source_path("tests/data/checkpoints/zero-pad");
  double scores[2], sums[2][2] = {{0}};
  for (int i = 0; i < 2; i++) {
    g_autoptr(CliRun) run =
        cli_run_ok("the dog\n", "translate", "--json", "--beam", "1", "--prefix", "der hund",
                   "--prefix-score", which[i], "-m", model, NULL);
    g_autoptr(json_object) object = cli_assert_json(run->out);
    json_object *settings = cli_json_member(object, "settings");
    json_object *best = json_object_array_get_idx(cli_json_member(object, "hypotheses"), 0);
    json_object *logprobs = cli_json_member(best, "logprobs");
    const gsize n = json_object_array_length(logprobs),
                n_forced = json_object_get_uint64(cli_json_member(best, "forced"));
    g_assert_cmpstr(json_object_get_string(cli_json_member(settings, "prefix_score")), ==,
                    which[i]);
    g_assert_cmpuint(n_forced, >, 1);
    /* The last one is forced by the model, and counts 0. */
    for (gsize k = 0; k + 1 < n; k++)
      sums[i][k >= n_forced] += json_object_get_double(json_object_array_get_idx(logprobs, k));
    scores[i] = json_object_get_double(cli_json_member(best, "score"));
    const double expected =
        i == 0 ? (sums[0][0] + sums[0][1]) / (double) n : sums[1][1] / (double) (n - n_forced);
    g_assert_cmpfloat_with_epsilon(scores[i], expected, 1e-4);
  }
  g_assert_cmpfloat_with_epsilon(sums[0][0], sums[1][0], 1e-5);
  g_assert_cmpfloat(fabs(scores[0] - scores[1]), >, 1e-2);

  cli_refuses(0, "scores count the pieces of --prefix", "the dog\n", "translate", "--nbest", "1",
              "--prefix", "der hund", "-m", model, NULL);
  cli_refuses(0, "scores leave out the pieces of --prefix", "the dog\n", "translate", "--nbest",
              "1", "--prefix", "der hund", "--prefix-score", "left-out", "-m", model, NULL);
  g_autoptr(CliRun) steps = cli_run_ok(NULL, "steps", "--prefix", "der hund", "--prefix-score",
                                       "left-out", "-m", model, "the dog", NULL);
  g_assert_nonnull(strstr(steps->out, "= score, the prefix left out\n"));
}

TESTS()
{
  g_test_set_nonfatal_assertions();
  g_test_add_func("/cli/inspect/plain", test_inspect);
  g_test_add_func("/cli/inspect/json", test_inspect_json);
  g_test_add_func("/cli/inspect/languages", test_inspect_languages);
  g_test_add_func("/cli/inspect/two-languages", test_inspect_two_languages);
  g_test_add_func("/cli/inspect/tasks", test_inspect_tasks);
  g_test_add_func("/cli/tokenize/to", test_tokenize_to);
  g_test_add_func("/cli/inspect/torch", test_inspect_torch);
  g_test_add_func("/cli/inspect/broken", test_inspect_broken);
  g_test_add_func("/cli/inspect/not-honoured", test_not_honoured);
  g_test_add_func("/cli/model/options-of-search", test_options_of_search);
  g_test_add_func("/cli/model/prefix-score", test_prefix_score);
  g_test_add_func("/cli/inspect/environment", test_environment);
  g_test_add_func("/cli/tokenize/plain", test_tokenize);
  g_test_add_func("/cli/tokenize/json", test_tokenize_json);
  g_test_add_func("/cli/tokenize/bad", test_tokenize_bad);
}
