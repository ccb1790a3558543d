/* cli-test.c — regard-cli as a user meets it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static char *scratch;

const char *
cli_program(void)
{
  const char *program = g_getenv("REGARD_CLI");
  if (!program)
    g_error("REGARD_CLI does not name the program to be tested");
  return program;
}

/* Bytes as a string; none at all are the empty string. */
static char *
take_text(GBytes *bytes, gsize *length)
{
  gsize n = 0;
  const char *data = bytes ? g_bytes_get_data(bytes, &n) : NULL;
  if (length)
    *length = n;
  /* All of it, with bytes that are 0, and one more. */
  char *text = g_malloc(n + 1);
  memcpy(text, data ? data : "", n);
  text[n] = '\0';
  return text;
}

/* Bytes that a pipe takes without a reader, on Linux and everywhere else that matters. */
#define PIPE_HOLDS 4096

/* The end to read from; the other one is closed. */
static int
filled_pipe(const char *input, gsize length)
{
  int ends[2];
  g_assert_cmpint(pipe(ends), ==, 0);
  g_assert_cmpint(length ? write(ends[1], input, length) : 0, ==, (gssize) length);
  close(ends[1]);
  return ends[0];
}

static CliRun *
run_arguments(const char *input, gsize length, va_list arguments)
{
  g_autoptr(GPtrArray) argv = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) in = g_bytes_new(input, length), out = NULL, err = NULL;
  const char *argument;

  g_ptr_array_add(argv, (gpointer) cli_program());
  while ((argument = va_arg(arguments, const char *)))
    g_ptr_array_add(argv, (gpointer) argument);
  g_ptr_array_add(argv, NULL);

  /* What fits into a pipe is in it before the program begins: one that ends without reading it must
   * not break the pipe, for then what it said would not be read either. */
  const gboolean fits = length <= PIPE_HOLDS;
  g_autoptr(GSubprocessLauncher) launcher =
      g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE |
                                (fits ? G_SUBPROCESS_FLAGS_NONE : G_SUBPROCESS_FLAGS_STDIN_PIPE));
  if (fits)
    g_subprocess_launcher_take_stdin_fd(launcher, filled_pipe(input, length));
  g_autoptr(GSubprocess) process =
      g_subprocess_launcher_spawnv(launcher, (const char *const *) argv->pdata, &error);
  g_assert_no_error(error);
  /* The program itself has begun with the signal as it was. */
  void (*before)(int) = signal(SIGPIPE, SIG_IGN);
  g_subprocess_communicate(process, fits ? NULL : in, NULL, &out, &err, NULL);
  signal(SIGPIPE, before);
  g_subprocess_wait(process, NULL, NULL);

  CliRun *run = g_new0(CliRun, 1);
  run->line = g_strjoinv(" ", (char **) argv->pdata);
  run->status = g_subprocess_get_if_exited(process) ? g_subprocess_get_exit_status(process)
                                                    : -g_subprocess_get_term_sig(process);
  run->out = take_text(out, &run->out_length);
  run->err = take_text(err, NULL);
  return run;
}

CliRun *
cli_run(const char *input, ...)
{
  va_list arguments;
  va_start(arguments, input);
  CliRun *run = run_arguments(input, input ? strlen(input) : 0, arguments);
  va_end(arguments);
  return run;
}

CliRun *
cli_run_bytes(const char *input, gsize length, ...)
{
  va_list arguments;
  va_start(arguments, length);
  CliRun *run = run_arguments(input, length, arguments);
  va_end(arguments);
  return run;
}

void
cli_run_free(CliRun *run)
{
  g_free(run->line);
  g_free(run->out);
  g_free(run->err);
  g_free(run);
}

/* Removes the files of a flat folder and the folder. */
static void
remove_folder(const char *path)
{
  const char *name;
  g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
  while (folder && (name = g_dir_read_name(folder))) {
    g_autofree char *file = g_build_filename(path, name, NULL);
    if (g_file_test(file, G_FILE_TEST_IS_DIR) && !g_file_test(file, G_FILE_TEST_IS_SYMLINK))
      remove_folder(file);
    else
      g_unlink(file);
  }
  g_rmdir(path);
}

static void
remove_scratch(void)
{
  remove_folder(scratch);
  g_clear_pointer(&scratch, g_free);
}

const char *
cli_scratch(void)
{
  if (!scratch) {
    scratch = g_dir_make_tmp("regard-cli-test-XXXXXX", NULL);
    g_assert_nonnull(scratch);
    atexit(remove_scratch);
  }
  return scratch;
}

char *
cli_scratch_path(const char *name)
{
  return g_build_filename(cli_scratch(), name, NULL);
}

char *
cli_source_path(const char *name)
{
  const char *root = g_getenv("REGARD_SOURCE");
  if (!root)
    g_error("REGARD_SOURCE does not name the source tree");
  return g_build_filename(root, name, NULL);
}

CliRun *
cli_assert_status(CliRun *run, int status)
{
  if (run->status != status)
    g_test_message("%s: status %d, standard error: %s", run->line, run->status, run->err);
  g_assert_cmpint(run->status, ==, status);
  return run;
}

CliRun *
cli_assert_complains(CliRun *run, int status, const char *what)
{
  cli_assert_status(run, status);
  if (!strstr(run->err, what))
    g_test_message("%s: '%s' is not in: %s", run->line, what, run->err);
  g_assert_nonnull(strstr(run->err, what));
  g_autofree char *name = g_path_get_basename(cli_program());
  g_assert_true(g_str_has_prefix(run->err, name));
  return run;
}

double
cli_logprob(const char *source, const char *target, const char *changes)
{
  g_autofree char *path = cli_scratch_path("scored.npz"),
                  *list = cli_scratch_file("changes.txt", changes);
  cli_succeeds(NULL, "capture", "--target", target, "--changes", list, "-o", path, source, NULL);
  g_autoptr(Npy) p = npy_read(path, "logprobs");
  double sum = 0;
  for (gsize i = 0; i < p->n; i++)
    sum += npy_float(p, i);
  return sum;
}

json_object *
cli_assert_json(const char *text)
{
  enum json_tokener_error problem;
  json_object *value = json_tokener_parse_verbose(text, &problem);
  if (problem != json_tokener_success)
    g_test_message("not JSON (%s): %s", json_tokener_error_desc(problem), text);
  g_assert_cmpint(problem, ==, json_tokener_success);
  return value;
}

char *
cli_contents(const char *path, gsize *length)
{
  char *data = NULL;
  g_autoptr(GError) error = NULL;
  g_file_get_contents(path, &data, length, &error);
  g_assert_no_error(error);
  return data;
}

char *
cli_scratch_file(const char *name, const char *text)
{
  char *path = cli_scratch_path(name);
  g_autoptr(GError) error = NULL;
  g_file_set_contents(path, text, -1, &error);
  g_assert_no_error(error);
  return path;
}

json_object *
cli_json_member(json_object *object, const char *name)
{
  json_object *found = NULL;
  g_assert_true(json_object_object_get_ex(object, name, &found));
  return found;
}

const char *
cli_json_string(json_object *object, const char *name)
{
  return json_object_get_string(cli_json_member(object, name));
}

double
cli_json_number(json_object *object, const char *name)
{
  return json_object_get_double(cli_json_member(object, name));
}

gsize
cli_json_length(json_object *object, const char *name)
{
  return json_object_array_length(cli_json_member(object, name));
}
