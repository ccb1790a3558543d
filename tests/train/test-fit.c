/* test-fit.c — regard-train fit as a user meets it: told wrong things, interrupted, killed, out of
 * disk, on several machines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "engine-test.h"
#include "small-training.h"
#include "suite.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_network, mt_network_free)

static char *data; /* a prepared folder */

/* A tiny network, of which a step takes about a millisecond. Strings up to NULL follow. */
static GPtrArray *
arguments(const char *output, ...)
{
  static const char *const all[] = {
      "fit", "--d-model",         "12", "--heads",        "2",   "--d-ffn",
      "20",  "--layers",          "1",  "--batch-tokens", "100", "--warmup",
      "4",   "--max-positions",   "32", "--threads",      "1",   "--dtype",
      "f32", "--translate-pairs", "0",
  };
  GPtrArray *argv = g_ptr_array_new();
  for (guint i = 0; i < G_N_ELEMENTS(all); i++)
    g_ptr_array_add(argv, (gpointer) all[i]);
  g_ptr_array_add(argv, (gpointer) "--data");
  g_ptr_array_add(argv, data);
  g_ptr_array_add(argv, (gpointer) "--output");
  g_ptr_array_add(argv, (gpointer) output);
  va_list rest;
  va_start(rest, output);
  for (const char *argument; (argument = va_arg(rest, const char *));)
    g_ptr_array_add(argv, (gpointer) argument);
  va_end(rest);
  return argv;
}

/* Start a program with these arguments, its output going to pipes that are read at the end. */
static GSubprocess *
start(const char *const *before, const GPtrArray *argv)
{
  g_autoptr(GPtrArray) whole = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  for (; before && *before; before++)
    g_ptr_array_add(whole, (gpointer) *before);
  g_ptr_array_add(whole, (gpointer) cli_program());
  for (guint i = 0; i < argv->len; i++)
    g_ptr_array_add(whole, argv->pdata[i]);
  g_ptr_array_add(whole, NULL);
  GSubprocess *process =
      g_subprocess_newv((const char *const *) whole->pdata,
                        G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);
  g_assert_no_error(error);
  return process;
}

static CliRun *
finish(GSubprocess *process)
{
  CliRun *run = g_new0(CliRun, 1);
  g_autoptr(GError) error = NULL;
  g_subprocess_communicate_utf8(process, NULL, NULL, &run->out, &run->err, &error);
  g_assert_no_error(error);
  run->out_length = strlen(run->out);
  run->status = g_subprocess_get_if_exited(process) ? g_subprocess_get_exit_status(process)
                                                    : -g_subprocess_get_term_sig(process);
  g_object_unref(process);
  return run;
}

/* Run to the end. Takes argv. */
static CliRun *
fit(GPtrArray *argv)
{
  CliRun *run = finish(start(NULL, argv));
  g_ptr_array_unref(argv);
  return run;
}

static char *
in(const char *folder, const char *name)
{
  return g_build_filename(folder, name, NULL);
}

/* ---- Being told what to do ------------------------------------------------------------------- */

static void
test_usage(void)
{
  static const char *const cases[][3] = {
      {"--steps", "0", "--steps wants a whole number from 1"},
      {"--rate", "fast", "--rate wants a number"},
      {"--norm", "none", "--norm wants one of post, pre, found 'none'"},
      {"--pad", "0", "--pad wants one of zero, trained, found '0'"},
      {"--save-at", "1,two", "--save-at wants whole numbers"},
      {"--weights", "first", "--weights wants NAME=NUMBER"},
      {"--weights", "first=-1", "--weights wants NAME=NUMBER"},
      {"--wamup", "3", "unknown option '--wamup'"},
      {"--resume", "yes", "unexpected argument 'yes'"},
  };
  g_autofree char *output = cli_scratch_path("usage");
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(CliRun) r = fit(arguments(output, cases[i][0], cases[i][1], NULL));
    cli_assert_complains(r, 2, cases[i][2]);
  }
  g_autoptr(CliRun) r = cli_run(NULL, "fit", "--data", "x", NULL);
  cli_assert_complains(r, 2, "--output is missing");
  g_autoptr(CliRun) missing = fit(arguments(output, "--data", "no-such-folder", NULL));
  cli_assert_complains(missing, 1, "no-such-folder");
  g_autoptr(CliRun) start_from = fit(arguments(output, "--start-from", "no-such-model", NULL));
  cli_assert_complains(start_from, 1, "no-such-model");
  g_assert_false(g_file_test(output, G_FILE_TEST_EXISTS));
}

/* A configuration says what options say; what it says wrongly is named with file and key. */
static void
test_configuration(void)
{
  static const struct {
    const char *json, *words;
  } bad[] = {
      {"{\"layer\": 2}", "unknown key \"layer\""},
      {"{\"d-model\": 12}", "unknown key \"d-model\""},
      {"{\"config\": \"x\"}", "unknown key \"config\""},
      {"{\"layers\": 0}", "\"layers\" wants a whole number from 1 to 64, found 0"},
      {"{\"layers\": 2.5}", "\"layers\" wants a whole number"},
      {"{\"layers\": \"2\"}", "\"layers\" wants a whole number"},
      {"{\"rate\": 1e99}", "\"rate\" wants a number"},
      {"{\"rate\": null}", "\"rate\" wants a number"},
      {"{\"norm\": \"both\"}", "\"norm\" wants one of post, pre, found \"both\""},
      {"{\"norm\": 1}", "\"norm\" wants one of"},
      {"{\"resume\": 1}", "\"resume\" wants true or false"},
      {"{\"save_at\": [1, \"x\"]}", "\"save_at\""},
      {"{\"save_at\": []}", "\"save_at\""},
      {"{\"weights\": {\"first\": \"much\"}}", "\"weights\""},
      {"{\"output\": \"\"}", "\"output\""},
      {"[1]", "expected a JSON object"},
      {"{\"layers\": 2", "expected a JSON object"},
      {"{} 3", "expected a JSON object"},
      {"", "expected a JSON object"},
  };
  g_autofree char *path = cli_scratch_path("config.json");
  g_autofree char *output = cli_scratch_path("configured");
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_assert_true(g_file_set_contents(path, bad[i].json, -1, NULL));
    g_autoptr(CliRun) r = fit(arguments(output, "--config", path, NULL));
    cli_assert_complains(r, 2, bad[i].words);
    g_assert_nonnull(strstr(r->err, path));
  }
  g_autofree char *good = g_strdup_printf(
      "{\"_note\": \"a remark\", \"data\": \"%s\", \"output\": \"%s\", \"layers\": 1,\n"
      " \"d_model\": 12, \"heads\": 3, \"d_ffn\": 20, \"steps\": 7, \"norm\": \"pre\",\n"
      " \"activation\": \"silu\", \"max_positions\": 32, \"batch_tokens\": 100, \"threads\": 1,\n"
      " \"save_at\": [0, 2], \"weights\": {\"first\": 1, \"zweite\": 0.5}, \"dropout\": 0,\n"
      " \"translate_pairs\": 0}",
      data, output);
  g_assert_true(g_file_set_contents(path, good, -1, NULL));
  /* An option has precedence over the file. */
  g_autoptr(CliRun) r = cli_run(NULL, "fit", "--steps", "3", "--config", path, NULL);
  cli_assert_status(r, 0);
  g_autofree char *names = small_list(output);
  g_assert_cmpstr(names, ==,
                  "log.jsonl model step-00000000 step-00000002 step-00000003 training.svg");
  g_autofree char *model = in(output, "model");
  g_autoptr(mt_model) m = mt_model_open(model, NULL, NULL);
  g_assert_true(mt_model_config(m)->normalize_before);
  g_assert_cmpuint(mt_model_config(m)->n_heads[0], ==, 3);
  g_assert_cmpint(mt_model_config(m)->activation, ==, MT_ACTIVATION_SILU);
}

/* What it says while it runs, for people and as JSON. */
static void
test_report(void)
{
  g_autofree char *output = cli_scratch_path("report");
  g_autofree char *other = cli_scratch_path("report-json");
  g_autoptr(CliRun) r = fit(arguments(output, "--steps", "20", "--report-every", "5", NULL));
  cli_assert_status(r, 0);
  static const char *const words[] = {"step 20/20  loss ",   "perplexity ",     "tokens/s",
                                      "validation, step 20", "encoder cosines", "checkpoint "};
  for (guint i = 0; i < G_N_ELEMENTS(words); i++)
    if (!strstr(r->out, words[i]))
      g_error("expected \"%s\" in \"%s\"", words[i], r->out);

  g_autoptr(CliRun) j = fit(arguments(other, "--steps", "20", "--report-every", "5", "--json",
                                      "--translate-pairs", "2", NULL));
  cli_assert_status(j, 0);
  g_auto(GStrv) lines = g_strsplit(g_strstrip(j->out), "\n", -1);
  guint n_steps = 0, n_validations = 0;
  for (guint i = 0; lines[i]; i++) {
    g_autoptr(json_object) o = cli_assert_json(lines[i]);
    const char *event = json_object_get_string(json_object_object_get(o, "event"));
    if (strcmp(event, "step") == 0) {
      n_steps++;
      double loss = json_object_get_double(json_object_object_get(o, "loss"));
      double perplexity = json_object_get_double(json_object_object_get(o, "perplexity"));
      g_assert_cmpfloat_with_epsilon(perplexity, exp(loss), 1e-3 * perplexity);
      g_assert_nonnull(json_object_object_get(o, "tokens_per_second"));
      g_assert_nonnull(json_object_object_get(o, "seconds_left"));
      g_assert_nonnull(json_object_object_get(o, "learning_rate"));
    } else if (strcmp(event, "validation") == 0) {
      n_validations++;
      g_assert_cmpint(json_object_get_int(json_object_object_get(o, "translated")), ==, 2);
      json_object *cosines = json_object_object_get(o, "encoder_cosines");
      g_assert_cmpuint(json_object_array_length(cosines), ==, 2);
      double sharpness = json_object_get_double(json_object_object_get(o, "sharpness"));
      g_assert_true(sharpness > 0 && sharpness <= 1);
      g_assert_nonnull(json_object_object_get(o, "bleu"));
      g_assert_nonnull(json_object_object_get(o, "chrf"));
    }
  }
  g_assert_cmpuint(n_steps, ==, 4);
  g_assert_cmpuint(n_validations, ==, 1);
  /* The log has the same lines, whatever the output was. */
  g_autofree char *log = in(other, "log.jsonl");
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(log, &text, NULL, NULL));
  g_assert_cmpstr(g_strstrip(text), ==, j->out);
}

/* ---- Being ended ----------------------------------------------------------------------------- */

static gboolean
has_checkpoint(const char *output)
{
  if (!g_file_test(output, G_FILE_TEST_IS_DIR))
    return FALSE;
  g_autofree char *names = small_list(output);
  return g_str_has_prefix(names, "step-") || strstr(names, " step-");
}

/* Ctrl-C and SIGTERM: a checkpoint of where it is, status 1; and nothing is lost. */
static void
test_interrupted(void)
{
  static const int signals[] = {SIGINT, SIGTERM};
  g_autofree char *whole = cli_scratch_path("whole-signal");
  g_autoptr(CliRun) all = fit(arguments(whole, "--steps", "200", "--save-every", "50", NULL));
  cli_assert_status(all, 0);
  g_autofree char *expected = in(whole, "step-00000200");
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++) {
    g_autofree char *name = g_strdup_printf("signal-%u", i);
    g_autofree char *output = cli_scratch_path(name);
    g_autoptr(GPtrArray) argv =
        arguments(output, "--steps", "200", "--save-every", "50", "--resume", NULL);
    GSubprocess *process = start(NULL, argv);
    while (!has_checkpoint(output))
      g_usleep(1000);
    g_subprocess_send_signal(process, signals[i]);
    g_autoptr(CliRun) r = finish(process);
    if (r->status != 0) { /* else it was done before the signal came */
      cli_assert_complains(r, 1, "Stopped after step");
      g_autoptr(CliRun) rest = finish(start(NULL, argv));
      cli_assert_status(rest, 0);
    }
    g_autofree char *found = in(output, "step-00000200");
    small_assert_same_checkpoint(expected, found);
  }
}

/* Killed at any moment, again and again: what there is can always be gone on with. */
static void
test_killed(void)
{
  g_autofree char *whole = cli_scratch_path("whole-kill");
  g_autofree char *output = cli_scratch_path("killed");
  g_autoptr(CliRun) all = fit(arguments(whole, "--steps", "60", "--save-every", "4", NULL));
  cli_assert_status(all, 0);
  g_autoptr(GPtrArray) argv =
      arguments(output, "--steps", "60", "--save-every", "4", "--resume", NULL);
  g_autoptr(GRand) random = g_rand_new_with_seed(4);
  gboolean done = FALSE;
  for (guint n = 0; !done; n++) {
    GSubprocess *process = start(NULL, argv);
    /* From the 40th time on it may finish. */
    if (n < 40) {
      g_usleep((gulong) g_rand_int_range(random, 1000, 400000));
      g_subprocess_force_exit(process);
    }
    g_autoptr(CliRun) r = finish(process);
    done = r->status == 0;
    if (!done)
      g_assert_cmpint(r->status, ==, -SIGKILL);
  }
  g_autofree char *expected = in(whole, "step-00000060");
  g_autofree char *found = in(output, "step-00000060");
  small_assert_same_checkpoint(expected, found);
  g_autofree char *names = small_list(output);
  g_autofree char *expected_names = small_list(whole);
  g_assert_cmpstr(names, ==, expected_names);
}

/* Old checkpoints are let go also by a run that has nothing else to do: the one before may have
 * been killed between its last checkpoint and that. */
static void
test_keeps_the_last(void)
{
  g_autofree char *output = cli_scratch_path("keep");
  g_autoptr(CliRun) all = fit(arguments(output, "--steps", "20", "--save-every", "4", "--save-at",
                                        "6", "--keep", "0", NULL));
  cli_assert_status(all, 0);
  g_autofree char *before = small_list(output);
  g_assert_nonnull(strstr(before, "step-00000004 step-00000006 step-00000008 step-00000012"));
  g_autoptr(CliRun) again = fit(arguments(output, "--steps", "20", "--save-every", "4", "--save-at",
                                          "6", "--keep", "2", "--resume", NULL));
  cli_assert_status(again, 0);
  g_autofree char *names = small_list(output);
  g_assert_cmpstr(names, ==,
                  "log.jsonl model step-00000006 step-00000016 step-00000020 training.svg");
}

/* A standard output that takes nothing ends no training, but is said, once, and by the exit status.
 */
static void
test_full_output(void)
{
  static const char *const full[] = {"sh", "-c", "exec \"$0\" \"$@\" >/dev/full", NULL};
  if (!g_file_test("/dev/full", G_FILE_TEST_EXISTS)) {
    g_test_skip("there is no /dev/full");
    return;
  }
  g_autofree char *output = cli_scratch_path("full-output"), *last = in(output, "step-00000003");
  g_autoptr(GPtrArray) argv =
      arguments(output, "--steps", "3", "--report-every", "1", "--json", NULL);
  g_autoptr(CliRun) r = finish(start(full, argv));
  cli_assert_status(r, 1);
  const char *complaint = strstr(r->err, "cannot write to standard output");
  g_assert_nonnull(complaint);
  g_assert_null(strstr(complaint + 1, "cannot write to standard output"));
  g_assert_true(g_file_test(last, G_FILE_TEST_IS_DIR));
}

/* A limit on the size of files stands for a full disk. */
static void
test_full_disk(void)
{
  g_autofree char *output = cli_scratch_path("full");
  g_autoptr(CliRun) first =
      fit(arguments(output, "--steps", "10", "--cooldown", "0", "--save-every", "5", NULL));
  cli_assert_status(first, 0);
  g_autofree char *last = in(output, "step-00000010");
  g_autofree char *before = small_list(last);
  struct rlimit usual, little;
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &usual), ==, 0);
  /* In turn too little for the weights, and for the state that is larger. */
  static const rlim_t limits[] = {20000, 40000};
  for (guint i = 0; i < G_N_ELEMENTS(limits); i++) {
    little = usual;
    little.rlim_cur = limits[i];
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
    g_autoptr(CliRun) r = fit(arguments(output, "--steps", "20", "--cooldown", "0", "--save-every",
                                        "5", "--resume", NULL));
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &usual), ==, 0);
    cli_assert_complains(r, 1, g_strerror(EFBIG));
    g_assert_nonnull(strstr(r->err, "step-00000015/"));
    g_autofree char *after = small_list(last);
    g_assert_cmpstr(after, ==, before);
    g_autofree char *names = small_list(output);
    g_assert_null(strstr(names, ".part-"));
  }
  g_autoptr(CliRun) rest = fit(
      arguments(output, "--steps", "20", "--cooldown", "0", "--save-every", "5", "--resume", NULL));
  cli_assert_status(rest, 0);
  g_autofree char *whole = cli_scratch_path("full-whole");
  g_autoptr(CliRun) all =
      fit(arguments(whole, "--steps", "20", "--cooldown", "0", "--save-every", "5", NULL));
  cli_assert_status(all, 0);
  g_autofree char *expected = in(whole, "step-00000020");
  g_autofree char *found = in(output, "step-00000020");
  small_assert_same_file(expected, found, "model.safetensors");
}

/* ---- Several machines ------------------------------------------------------------------------ */

/* OpenMPI forgets memory of plug-ins that it unloads, which leak checkers cannot name. Newer ones
 * put jumps into functions that AddressSanitizer has replaced; without the patcher they do not. */
static const char *const two_ranks[] = {
    "mpirun",
    "--allow-run-as-root",
    "--oversubscribe",
    "--bind-to",
    "none",
    "--mca",
    "btl",
    "self,vader",
    "--mca",
    "memory",
    "^patcher",
    "-x",
    "ASAN_OPTIONS=detect_leaks=0",
    "-np",
    "2",
    NULL,
};

static gboolean
has_mpi(void)
{
  if (g_strcmp0(g_getenv("REGARD_MPI"), "yes") == 0)
    return TRUE;
  g_test_skip("built without MPI");
  return FALSE;
}

/* The losses of the steps, from lines of JSON. */
static GArray *
read_losses(const char *out)
{
  GArray *losses = g_array_new(FALSE, FALSE, sizeof(double));
  g_auto(GStrv) lines = g_strsplit(out, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    if (!strstr(lines[i], "\"event\":\"step\""))
      continue;
    g_autoptr(json_object) o = cli_assert_json(lines[i]);
    double loss = json_object_get_double(json_object_object_get(o, "loss"));
    g_array_append_val(losses, loss);
  }
  return losses;
}

/* Two ranks are one with twice as many batches a step. Some gradients are 0 but for rounding (those
 * of the keys' biases), and Adam divides them by themselves: an epsilon above that noise lets
 * parameters be compared. */
static void
test_ranks(void)
{
  if (!has_mpi())
    return;
  g_autofree char *one = cli_scratch_path("one-rank");
  g_autofree char *two = cli_scratch_path("two-ranks");
  static const char *const same[] = {"--steps",        "12", "--adam-epsilon", "1e-4",
                                     "--report-every", "1",  "--json"};
  g_autoptr(GPtrArray) alone = arguments(one, "--accumulate", "4", NULL);
  g_autoptr(GPtrArray) divided = arguments(two, "--accumulate", "2", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(same); i++) {
    g_ptr_array_add(alone, (gpointer) same[i]);
    g_ptr_array_add(divided, (gpointer) same[i]);
  }
  g_autoptr(CliRun) first = finish(start(NULL, alone));
  g_autoptr(CliRun) second = finish(start(two_ranks, divided));
  cli_assert_status(first, 0);
  cli_assert_status(second, 0);

  g_autoptr(GArray) losses = read_losses(first->out);
  g_autoptr(GArray) others = read_losses(second->out);
  g_assert_cmpuint(losses->len, ==, 12);
  g_assert_cmpuint(others->len, ==, 12);
  for (guint i = 0; i < losses->len; i++)
    g_assert_cmpfloat_with_epsilon(g_array_index(losses, double, i),
                                   g_array_index(others, double, i), 1e-5);
  g_autofree char *model_one = in(one, "model");
  g_autofree char *model_two = in(two, "model");
  g_autoptr(mt_network) a = small_load(model_one), b = small_load(model_two);
  double largest = 0;
  for (gsize i = 0; i < a->n_flat; i++)
    largest = fmax(largest, fabs((double) a->parameters[i] - (double) b->parameters[i]));
  g_assert_cmpfloat(largest, <, 1e-5);
}

/* The process of a rank, by what the system says of mpirun's children. */
static pid_t
find_rank(pid_t parent)
{
  g_autoptr(GDir) list = g_dir_open("/proc", 0, NULL);
  for (const char *name; (name = g_dir_read_name(list));) {
    g_autofree char *path = g_build_filename("/proc", name, "stat", NULL);
    g_autofree char *text = NULL;
    int found;
    if (!g_ascii_isdigit(*name) || !g_file_get_contents(path, &text, NULL, NULL))
      continue;
    const char *after = strrchr(text, ')');
    if (after && sscanf(after, ") %*c %d", &found) == 1 && found == parent &&
        strstr(text, "(regard-train)"))
      return (pid_t) g_ascii_strtoll(name, NULL, 10);
  }
  return 0;
}

/* A rank that dies ends the run, and the last checkpoint is good. */
static void
test_dead_rank(void)
{
  if (!has_mpi())
    return;
  g_autofree char *output = cli_scratch_path("dead-rank");
  g_autoptr(GPtrArray) endless =
      arguments(output, "--steps", "1000000", "--cooldown", "0", "--save-every", "20", NULL);
  GSubprocess *process = start(two_ranks, endless);
  while (!has_checkpoint(output))
    g_usleep(1000);
  pid_t parent = (pid_t) g_ascii_strtoll(g_subprocess_get_identifier(process), NULL, 10);
  pid_t rank = find_rank(parent);
  g_assert_cmpint(rank, >, 0);
  kill(rank, SIGKILL);
  g_autoptr(CliRun) r = finish(process);
  g_assert_cmpint(r->status, !=, 0);
  g_autoptr(CliRun) rest = fit(arguments(output, "--steps", "1000000", "--cooldown", "0",
                                         "--save-every", "20", "--resume", "--steps", "1", NULL));
  cli_assert_status(rest, 0);
  g_assert_nonnull(strstr(rest->out, "Going on from the checkpoint of step"));
}

/* ---- <pad> ----------------------------------------------------------------------------------- */

/* --pad says whether the embedding of <pad>, the last one, is 0. */
static void
test_pad(void)
{
  static const char *const pads[] = {"zero", "trained"};
  for (guint k = 0; k < G_N_ELEMENTS(pads); k++) {
    g_autofree char *output = cli_scratch_path(pads[k]), *model = in(output, "model");
    g_autoptr(CliRun) run = fit(arguments(output, "--steps", "3", "--pad", pads[k], NULL));
    cli_assert_status(run, 0);
    g_autoptr(mt_network) network = small_load(model);
    const mt_parameter *table = &network->table[0];
    guint n_zeros = 0;
    for (gsize i = table->count - table->shape[1]; i < table->count; i++)
      n_zeros += network->parameters[table->offset + i] == 0;
    g_assert_cmpuint(n_zeros, ==, k == 0 ? table->shape[1] : 0);
  }
}

/* ---- Products of bf16 ------------------------------------------------------------------------ */

/* It says what they are made by; and the first step's loss is near that of F32, but another. */
static void
test_bf16(void)
{
  double losses[2];
  for (int i = 0; i < 2; i++) {
    g_autofree char *output = cli_scratch_path(i == 0 ? "f32" : "bf16");
    g_autoptr(CliRun) r = fit(arguments(output, "--steps", "1", "--report-every", "1", "--products",
                                        i == 0 ? "f32" : "bf16", NULL));
    g_assert_cmpint(r->status, ==, 0);
    g_assert_true(!strstr(r->out, "Products of bf16") == (i == 0));
    g_autofree char *log = in(output, "log.jsonl");
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(log, &text, NULL, NULL));
    g_assert_nonnull(strstr(text, i == 0 ? "\"products\":\"f32\"" : "\"products\":\"bf16\""));
    const char *loss = strstr(strstr(text, "\"step\":1,"), "\"loss\":");
    g_assert_nonnull(loss);
    losses[i] = g_ascii_strtod(loss + strlen("\"loss\":"), NULL);
  }
  g_assert_cmpfloat(losses[0], >, 1);
  g_assert_cmpfloat_with_epsilon(losses[0], losses[1], 0.01 * losses[0]);
  g_assert_true(losses[0] != losses[1]);
}

static void
tear_down(void)
{
  g_free(data);
}

TESTS(.end = tear_down)
{
  data = cli_scratch_path("prepared");
  small_write(data, 30, 6);
  g_test_add_func("/fit/usage", test_usage);
  g_test_add_func("/fit/configuration", test_configuration);
  g_test_add_func("/fit/report", test_report);
  g_test_add_func("/fit/interrupted", test_interrupted);
  g_test_add_func("/fit/killed", test_killed);
  g_test_add_func("/fit/keeps-the-last", test_keeps_the_last);
  g_test_add_func("/fit/full-output", test_full_output);
  g_test_add_func("/fit/full-disk", test_full_disk);
  g_test_add_func("/fit/pad", test_pad);
  g_test_add_func("/fit/bf16", test_bf16);
  g_test_add_func("/fit/ranks", test_ranks);
  g_test_add_func("/fit/dead-rank", test_dead_rank);
}
