/* test-average.c — the mean of several models: every number of it, what it takes over, what it
 * refuses, and the command.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../engine/few-allocations.h"
#include "checkpoint/mt-container.h"
#include "cli-test.h"
#include "engine-test.h"
#include "mt/train/average.h"
#include "small-training.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define MAX_PARTS 3

static char *run_folder; /* of a training, with steps 0, 5 and 10, in F32 */

static char *
checkpoint(const char *name)
{
  g_autofree char *folder = cli_source_path("tests/data/checkpoints");
  return g_build_filename(folder, name, NULL);
}

static char *
step(guint n)
{
  g_autofree char *name = g_strdup_printf("step-%08u", n);
  return g_build_filename(run_folder, name, NULL);
}

/* ---- Reading back ---------------------------------------------------------------------------- */

static mt_container *
open_numbers(const char *path)
{
  mt_dir dir = MT_DIR_NONE;
  mt_error error = {0};
  mt_container *container =
      mt_dir_open(&dir, path, NULL, &error) ? mt_container_open(&dir, NULL, &error) : NULL;
  mt_dir_close(&dir);
  if (!container)
    g_error("%s", error.message);
  return container;
}

/* The numbers of a tensor; caller frees. */
static float *
read_numbers(mt_container *container, const char *name, gsize *n)
{
  gsize i;
  g_assert_true(mt_container_find(container, name, &i));
  const mt_container_tensor *t = &container->tensors[i];
  const void *bytes = container->format->data(container, i, NULL);
  float *numbers = g_new(float, t->n_elements);
  g_assert_nonnull(bytes);
  g_assert_true(mt_dtype_to_float(t->dtype, bytes, numbers, t->n_elements));
  *n = t->n_elements;
  return numbers;
}

/* x as a number of this type has it. */
static float
rounded(mt_dtype dtype, double x)
{
  float value = (float) x;
  uint16_t half;
  if (dtype == MT_DTYPE_F16)
    g_assert_true(mt_dtype_to_f16(&value, &half, 1));
  else if (dtype == MT_DTYPE_BF16)
    mt_dtype_to_bf16(&value, &half, 1);
  else
    return value;
  g_assert_true(mt_dtype_to_float(dtype, &half, &value, 1));
  return value;
}

/* Asserts that each number of `output` is the mean, in type `dtype`. */
static void
assert_mean(const char *output, mt_dtype dtype, const mt_average_part *parts, gsize n)
{
  double sum = 0;
  mt_container *mean = open_numbers(output), *open[MAX_PARTS];
  for (gsize p = 0; p < n; p++) {
    sum += parts[p].weight;
    open[p] = open_numbers(parts[p].path);
    g_assert_cmpuint(open[p]->n_tensors, ==, mean->n_tensors);
  }
  for (gsize i = 0; i < mean->n_tensors; i++) {
    const char *name = mean->tensors[i].info.name;
    gsize count;
    g_autofree float *found = read_numbers(mean, name, &count);
    g_autofree double *expected = g_new0(double, count);
    g_assert_cmpint(mean->tensors[i].dtype, ==, dtype);
    for (gsize p = 0; p < n; p++) {
      gsize same;
      g_autofree float *numbers = read_numbers(open[p], name, &same);
      g_assert_cmpuint(same, ==, count);
      for (gsize k = 0; k < count; k++)
        expected[k] += numbers[k] * (parts[p].weight / sum);
    }
    for (gsize k = 0; k < count; k++)
      g_assert_cmpfloat(found[k], ==, rounded(dtype, expected[k]));
  }
  for (gsize p = 0; p < n; p++)
    mt_container_free(open[p]);
  mt_container_free(mean);
}

static void
assert_opens(const char *path)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = mt_model_open(path, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
}

static void
average(const mt_average_part *parts, gsize n, const char *output)
{
  mt_error error = {0};
  if (!mt_average_write(parts, n, output, true, &error))
    g_error("%s", error.message);
  assert_opens(output);
}

/* ---- Means ----------------------------------------------------------------------------------- */

static void
test_numbers(void)
{
  g_autofree char *output = cli_scratch_path("mean");
  g_autofree char *a = step(0), *b = step(5), *c = step(10);
  const mt_average_part parts[] = {{a, 1}, {b, 0.5}, {c, 2.5}};
  average(parts, G_N_ELEMENTS(parts), output);
  assert_mean(output, MT_DTYPE_F32, parts, G_N_ELEMENTS(parts));

  /* Everything else is the first one's. */
  static const char *const same[] = {"config.json", "generation_config.json", "source.spm",
                                     "target.spm",  "tokenizer_config.json",  "vocab.json"};
  for (gsize i = 0; i < G_N_ELEMENTS(same); i++)
    small_assert_same_file(a, output, same[i]);
  g_autofree char *names = small_list(output);
  g_assert_cmpstr(names, ==,
                  "README.md config.json generation_config.json model.safetensors source.spm "
                  "target.spm tokenizer_config.json vocab.json");
  g_autofree char *card_path = g_build_filename(output, "README.md", NULL);
  g_autofree char *card = NULL;
  g_assert_true(g_file_get_contents(card_path, &card, NULL, NULL));
  g_assert_nonnull(strstr(card, "# The mean of 3 models that translate from en to de\n"));
  g_assert_true(g_str_has_prefix(card, "---\nlanguage:\n- en\n- de\ntags:\n"));
  /* With the run: the models of several runs are all called "model". */
  g_autofree char *run = g_path_get_dirname(b);
  g_autofree char *name = g_path_get_basename(run);
  g_autofree char *rows =
      g_strdup_printf("| %s/step-00000005 | 0.125 |\n| %s/step-00000010 | 0.625 |\n", name, name);
  g_assert_nonnull(strstr(card, rows));
}

/* A model with itself is itself, bit for bit. */
static void
test_itself(void)
{
  g_autofree char *output = cli_scratch_path("itself");
  g_autofree char *a = step(10);
  const mt_average_part parts[] = {{a, 1}, {a, 2}, {a, 4}};
  average(parts, G_N_ELEMENTS(parts), output);
  small_assert_same_file(a, output, "model.safetensors");
}

/* Each type as the first one has it, from whatever the others have; shards become one file. */
static void
test_types(void)
{
  static const struct {
    const char *name;
    mt_dtype dtype;
  } kinds[] = {
      {"post-norm-relu", MT_DTYPE_F32},
      {"post-norm-relu-f16", MT_DTYPE_F16},
      {"post-norm-relu-bf16-sharded", MT_DTYPE_BF16},
  };
  g_autofree char *output = cli_scratch_path("types");
  for (gsize first = 0; first < G_N_ELEMENTS(kinds); first++) {
    mt_average_part parts[MAX_PARTS];
    g_autofree char *paths[MAX_PARTS] = {NULL};
    for (gsize p = 0; p < MAX_PARTS; p++) {
      paths[p] = checkpoint(kinds[(first + p) % G_N_ELEMENTS(kinds)].name);
      parts[p] = (mt_average_part){paths[p], 1 + (double) p};
    }
    average(parts, MAX_PARTS, output);
    assert_mean(output, kinds[first].dtype, parts, MAX_PARTS);
    g_free(paths[1]);
    g_free(paths[2]);
    paths[1] = paths[2] = NULL;
  }
}

/* ---- Refused --------------------------------------------------------------------------------- */

/* `words`, separated by |, are all in the message; nothing is left behind. */
static void
assert_fails(const mt_average_part *parts, gsize n, const char *output, mt_error_code code,
             const char *words)
{
  mt_error error = {0};
  g_autofree char *before = small_list(cli_scratch());
  g_assert_false(mt_average_write(parts, n, output, false, &error));
  g_auto(GStrv) list = g_strsplit(words, "|", -1);
  for (guint i = 0; list[i]; i++)
    if (!strstr(error.message, list[i]))
      g_error("expected \"%s\" in \"%s\"", list[i], error.message);
  g_assert_cmpint(error.code, ==, code);
  g_autofree char *after = small_list(cli_scratch());
  g_assert_cmpstr(before, ==, after);
}

static void
copy_folder(const char *from, const char *to)
{
  g_autoptr(GDir) list = g_dir_open(from, 0, NULL);
  g_assert_cmpint(g_mkdir_with_parents(to, 0700), ==, 0);
  for (const char *name; (name = g_dir_read_name(list));) {
    g_autofree char *source = g_build_filename(from, name, NULL);
    g_autofree char *target = g_build_filename(to, name, NULL);
    g_autofree char *bytes = NULL;
    gsize n;
    g_assert_true(g_file_get_contents(source, &bytes, &n, NULL));
    g_assert_true(g_file_set_contents(target, bytes, (gssize) n, NULL));
  }
}

/* In a file of a folder. */
static void
replace_text(const char *folder, const char *name, const char *old, const char *new)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) parts = g_strsplit(text, old, -1);
  g_assert_cmpuint(g_strv_length(parts), ==, 2);
  g_autofree char *changed = g_strjoinv(new, parts);
  g_assert_true(g_file_set_contents(path, changed, -1, NULL));
}

static void
test_refused(void)
{
  g_autofree char *output = cli_scratch_path("refused");
  g_autofree char *a = checkpoint("post-norm-relu");
  g_autofree char *other = checkpoint("pre-norm-plain");
  g_autofree char *marian = cli_source_path("tests/data/marian/post-norm");
  const struct {
    mt_average_part parts[2];
    gsize n;
    mt_error_code code;
    const char *words;
  } cases[] = {
      {{{a, 1}}, 1, MT_ERROR_INPUT, "two models|1"},
      {{{a, 1}, {a, 0}}, 2, MT_ERROR_INPUT, "weight|found 0"},
      {{{a, 1}, {a, -1}}, 2, MT_ERROR_INPUT, "weight|-1"},
      {{{a, (double) NAN}, {a, 1}}, 2, MT_ERROR_INPUT, "weight|nan"},
      {{{a, 1}, {a, (double) INFINITY}}, 2, MT_ERROR_INPUT, "weight|inf"},
      {{{a, 1}, {"/nowhere", 1}}, 2, MT_ERROR_IO, "/nowhere"},
      {{{"/nowhere", 1}, {a, 1}}, 2, MT_ERROR_IO, "/nowhere"},
      {{{a, 1}, {other, 1}}, 2, MT_ERROR_INPUT, "pre-norm-plain: expected|post-norm-relu has"},
      {{{marian, 1}, {marian, 1}}, 2, MT_ERROR_UNSUPPORTED, "config.json|Marian's own"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    assert_fails(cases[i].parts, cases[i].n, output, cases[i].code, cases[i].words);

  /* What is there already stays. */
  const mt_average_part twice[] = {{a, 1}, {a, 1}};
  g_autofree char *taken = cli_scratch_file("taken", "mine");
  assert_fails(twice, 2, taken, MT_ERROR_IO, "taken");
  g_autofree char *nowhere = g_build_filename(cli_scratch(), "not-there", "mean", NULL);
  assert_fails(twice, 2, nowhere, MT_ERROR_IO, "not-there/mean");
}

/* The same shapes, and yet other models: pieces with other ids, other heads. */
static void
test_not_alike(void)
{
  g_autofree char *output = cli_scratch_path("refused");
  g_autofree char *a = step(10);
  g_autofree char *pieces = cli_scratch_path("pieces"), *heads = cli_scratch_path("heads");
  copy_folder(a, pieces);
  copy_folder(a, heads);
  replace_text(pieces, "vocab.json", "\"ist\": 92,", "\"la\": 92,");
  replace_text(pieces, "vocab.json", "\"la\": 110,", "\"ist\": 110,");
  const mt_average_part other_pieces[] = {{a, 1}, {pieces, 1}};
  assert_fails(other_pieces, 2, output, MT_ERROR_INPUT,
               "pieces: expected piece 92 to be \"ist\" as|found \"la\"");
  replace_text(heads, "config.json", "\"encoder_attention_heads\": 2",
               "\"encoder_attention_heads\": 3");
  const mt_average_part other_heads[] = {{a, 1}, {heads, 1}};
  assert_fails(other_heads, 2, output, MT_ERROR_INPUT, "heads: expected encoder heads 2|found 3");
}

/* Wherever memory ends: an error, and nothing is left behind. */
static void
test_no_memory(void)
{
  g_autofree char *output = cli_scratch_path("no-memory");
  g_autofree char *a = checkpoint("post-norm-relu-f16"), *b = checkpoint("post-norm-relu");
  const mt_average_part parts[] = {{a, 1}, {b, 1}};
  g_autofree char *before = small_list(cli_scratch());
  bool done = false;
  /* Loading has a test of its own: few are enough here. */
  for (gint n = 0; !done; n += (gint) suite_stride(29, 29)) {
    mt_error error = {0};
    few_then_all_fail(n);
    done = mt_average_write(parts, G_N_ELEMENTS(parts), output, false, &error);
    few_end();
    if (done)
      break;
    g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
    g_autofree char *after = small_list(cli_scratch());
    g_assert_cmpstr(before, ==, after);
  }
  assert_mean(output, MT_DTYPE_F16, parts, G_N_ELEMENTS(parts));
}

/* ---- The command ----------------------------------------------------------------------------- */

static void
test_command(void)
{
  g_autofree char *output = cli_scratch_path("command");
  g_autofree char *a = step(5), *b = step(10);
  g_autofree char *weighted = g_strconcat(b, ":3", NULL);
  g_autoptr(CliRun) run = cli_run_ok(NULL, "average", "--output", output, a, weighted, NULL);
  g_autofree char *expected =
      g_strdup_printf(" 25.00 %%  %s\n 75.00 %%  %s\nWritten to %s.\n", a, b, output);
  g_assert_cmpstr(run->out, ==, expected);
  const mt_average_part parts[] = {{a, 1}, {b, 3}};
  assert_mean(output, MT_DTYPE_F32, parts, 2);

  cli_refuses(1, "--replace", NULL, "average", "-o", output, a, b, NULL);
  assert_mean(output, MT_DTYPE_F32, parts, 2);
  g_autoptr(CliRun) json =
      cli_run_ok(NULL, "average", "-o", output, "--replace", "--json", a, b, NULL);
  g_autoptr(json_object) answer = cli_assert_json(json->out);
  json_object *models = json_object_object_get(answer, "models");
  g_assert_cmpstr(json_object_get_string(json_object_object_get(answer, "folder")), ==, output);
  g_assert_cmpuint(json_object_array_length(models), ==, 2);
  json_object *share = json_object_object_get(json_object_array_get_idx(models, 1), "share");
  g_assert_cmpfloat(json_object_get_double(share), ==, 0.5);

  /* A folder that is no model is not replaced. */
  g_autofree char *mine = cli_scratch_path("mine");
  g_assert_cmpint(g_mkdir_with_parents(mine, 0700), ==, 0);
  cli_refuses(1, "expected a model to be replaced", NULL, "average", "-o", mine, "--replace", a, b,
              NULL);
}

static void
test_usage(void)
{
  g_autofree char *output = cli_scratch_path("usage");
  g_autofree char *a = step(5), *heavy = g_strconcat(a, ":1e9", NULL);
  cli_refuses(2, "--output", NULL, "average", a, a, NULL);
  cli_refuses(2, "two models", NULL, "average", "-o", output, a, NULL);
  cli_refuses(2, "1e9", NULL, "average", "-o", output, a, heavy, NULL);
  cli_refuses(1, "/nowhere", NULL, "average", "-o", output, a, "/nowhere", NULL);
  g_assert_false(g_file_test(output, G_FILE_TEST_EXISTS));
}

static void
tear_down(void)
{
  g_free(run_folder);
}

TESTS(.end = tear_down)
{
  g_autofree char *data = cli_scratch_path("prepared");
  run_folder = cli_scratch_path("run");
  small_write(data, 20, 3);
  mt_trainer_config config = small_training(data, run_folder, 10);
  const uint64_t at[] = {0};
  config.save_every = 5;
  config.save_at = at;
  config.n_save_at = G_N_ELEMENTS(at);
  small_train(&config, NULL);
  g_test_add_func("/average/numbers", test_numbers);
  g_test_add_func("/average/itself", test_itself);
  g_test_add_func("/average/types", test_types);
  g_test_add_func("/average/refused", test_refused);
  g_test_add_func("/average/not-alike", test_not_alike);
  g_test_add_func("/average/no-memory", test_no_memory);
  g_test_add_func("/average/command", test_command);
  g_test_add_func("/average/usage", test_usage);
}
