/* test-cli-terminal.c — what every command of regard-cli does with a standard output that takes
 * nothing, and with names and sentences that would command a terminal. One table holds a call of
 * each command; a command without a row fails.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Colour, a title of the window, the control sequence introducer of C1, an override of direction,
 * and a line end that would begin a message of its own. */
#define HOSTILE                         \
  "\x1b[31mred\x1b]0;title\x07\xc2\x9b" \
  "1m\xe2\x80\xaetfel\nregard-cli: all is well"

#define MAX_ARGUMENTS 8
/* "FILE": a pair of sentences; "SOURCES", "TARGETS": one of each; "CORPUS": measured before. */
static const struct {
  const char *arguments[MAX_ARGUMENTS];
  gboolean is_silent; /* standard output gets nothing */
} calls[] = {
    {{"translate", "SOURCES"}},
    {{"translate", "--json", "SOURCES"}},
    {{"attend", "-oa.svg", "--caption", "Hello"}},
    {{"capture", "-oa.npz", "Hello"}, TRUE},
    {{"trace", "-oa.npz", "Hello"}, TRUE},
    {{"inside", "-oa.svg", "--caption", "Hello"}},
    {{"layers", "-oa.svg", "--caption", "Hello"}},
    {{"lens", "-oa.svg", "--caption", "Hello"}},
    {{"steps", "Hello"}},
    {{"animate", "inside", "-oa.gif", "Hello"}, TRUE},
    {{"effects", "Hello"}},
    {{"patch", "--change", "cross 4.1 zero", "Hello"}},
    {{"prune", "--keep", "143", "Hello"}},
    {{"quality", "--references", "TARGETS", "SOURCES"}},
    {{"compare", "--change", "cross 4.1 zero", "Hello"}},
    {{"attribute", "Hello"}},
    {{"trust", "Hello"}},
    {{"trust", "--calibrate", "SOURCES"}},
    {{"align", "FILE"}},
    {{"align", "--json", "FILE"}},
    {{"align", "--csv", "FILE"}},
    {{"align", "--recipe", "of=4", "FILE"}},
    {{"means", "-oa.npz", "SOURCES"}},
    {{"corpus", "-oa.regard-corpus", "SOURCES"}},
    {{"corpus", "show", "CORPUS"}},
    {{"corpus", "show", "--json", "CORPUS"}},
    {{"corpus", "show", "--csv", "CORPUS"}},
    {{"positions", "-oa.svg", "--caption"}},
    {{"complexity", "-oa.svg", "--caption", "Hello"}},
    {{"sheet", "-oa.pdf", "Hello"}, TRUE},
    {{"figure", "-oa.pdf", "--panel", "A=CAPTURE.npz", "--caption", "plain"}},
    {{"lesson", "check", "--sentences", "0", "LESSON"}},
    {{"lesson", "grade", "--lesson", "LESSON", "ANSWERS"}},
    {{"talk", "handout", "-oa.pdf", "LESSON"}, TRUE},
    {{"inspect"}},
    {{"inspect", "--json"}},
    {{"tokenize", "SOURCES"}},
    {{"models"}},
};

static const struct {
  const char *name, *contents;
} inputs[] = {
    {"FILE", "I have two dogs.\tIch habe zwei Hunde.\n"},
    {"SOURCES", "I have two dogs.\n"},
    {"TARGETS", "Ich habe zwei Hunde.\n"},
    {"LESSON", "---\nregard-lesson: 1\nid: a\ntitle: A\ntext: Hello\n---\n## B\n"},
    {"ANSWERS", "{\"format\": \"regard-answers\", \"version\": 1, \"program\": \"x\", \"model\": "
                "null, \"lessons\": []}"},
    {HOSTILE, "dogs " HOSTILE "\nbad \xff\n"},
};

/* A program with these arguments, in the scratch folder. Without a path both outputs are to be read
 * from *terminal. */
static GSubprocess *
start(const char *const *arguments, const char *out_path, int *terminal)
{
  g_autoptr(GPtrArray) argv = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(
      out_path ? G_SUBPROCESS_FLAGS_STDERR_PIPE : G_SUBPROCESS_FLAGS_NONE);
  g_ptr_array_add(argv, (gpointer) cli_program());
  for (guint i = 0; i < MAX_ARGUMENTS && arguments[i]; i++)
    g_ptr_array_add(argv, (gpointer) arguments[i]);
  g_ptr_array_add(argv, NULL);
  g_subprocess_launcher_set_cwd(launcher, cli_scratch());
  if (out_path) {
    g_subprocess_launcher_set_stdout_file_path(launcher, out_path);
  } else {
    *terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    g_assert_cmpint(*terminal, >=, 0);
    g_assert_cmpint(grantpt(*terminal), ==, 0);
    g_assert_cmpint(unlockpt(*terminal), ==, 0);
    const int end = open(ptsname(*terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    g_assert_cmpint(end, >=, 0);
    g_subprocess_launcher_take_stdout_fd(launcher, end);
    g_subprocess_launcher_take_stderr_fd(launcher, fcntl(end, F_DUPFD_CLOEXEC, 0));
  }
  GSubprocess *process =
      g_subprocess_launcher_spawnv(launcher, (const char *const *) argv->pdata, &error);
  g_assert_no_error(error);
  return process;
}

/* Its exit status; *err is to be freed. */
static int
run(const char *const *arguments, const char *out_path, char **err)
{
  g_autoptr(GSubprocess) process = start(arguments, out_path, NULL);
  g_assert_true(g_subprocess_communicate_utf8(process, NULL, NULL, NULL, err, NULL));
  g_assert_true(g_subprocess_get_if_exited(process));
  return g_subprocess_get_exit_status(process);
}

/* What it shows on a terminal, without the ends of lines and the wiping of the line that says how
 * far it is. */
static char *
show(const char *const *arguments)
{
  int terminal;
  char bytes[4096];
  gssize n;
  GString *text = g_string_new(NULL);
  g_autoptr(GSubprocess) process = start(arguments, NULL, &terminal);
  while ((n = read(terminal, bytes, sizeof bytes)) > 0)
    g_string_append_len(text, bytes, n);
  close(terminal);
  g_subprocess_wait(process, NULL, NULL);
  g_string_replace(text, "\r", "", 0);
  g_string_replace(text, "\033[K", "", 0);
  return g_string_free(text, FALSE);
}

static void
assert_harmless(const char *text)
{
  g_assert_true(g_utf8_validate(text, -1, NULL));
  for (const char *p = text; *p; p = g_utf8_next_char(p)) {
    const gunichar c = g_utf8_get_char(p);
    if ((g_unichar_iscntrl(c) && c != '\n' && c != '\t') || (c >= 0x202a && c <= 0x202e))
      g_error("U+%04X in: %s", c, text);
  }
  g_assert_null(strstr(text, "\nregard-cli: all is well"));
}

/* ---- Nothing is left out --------------------------------------------------------------------- */

static gboolean
has_row(const char *command)
{
  for (gsize i = 0; i < G_N_ELEMENTS(calls); i++)
    if (strcmp(calls[i].arguments[0], command) == 0)
      return TRUE;
  return FALSE;
}

static void
test_all_commands(void)
{
  g_autoptr(CliRun) help = cli_run(NULL, "--help", NULL);
  const char *list = strstr(help->out, "Commands:\n"), *end = strstr(help->out, "\n\nOptions:");
  g_assert_true(list && end);
  g_autofree char *text = g_strndup(list, (gsize) (end - list));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_assert_cmpuint(g_strv_length(lines), >, 20);
  for (guint i = 1; lines[i]; i++) {
    g_auto(GStrv) words = g_strsplit(g_strstrip(lines[i]), " ", 2);
    if (!has_row(words[0]))
      g_error("the table has no row for the command '%s'", words[0]);
  }
}

/* ---- A disk that is full --------------------------------------------------------------------- */

static void
test_full(gconstpointer data)
{
  const gsize i = GPOINTER_TO_SIZE(data);
  g_autofree char *made = cli_scratch_path("a.regard-corpus"), *err = NULL;
  if (!g_file_test("/dev/full", G_FILE_TEST_EXISTS)) {
    g_test_skip("there is no /dev/full");
    return;
  }
  unlink(made); /* a corpus that is complete is told nothing of */
  const int status = run(calls[i].arguments, "/dev/full", &err);
  g_test_message("%s", err);
  g_assert_cmpint(status, ==, calls[i].is_silent ? 0 : 1);
  const char *complaint = strstr(err, "cannot write to standard output");
  g_assert_cmpint(complaint != NULL, ==, !calls[i].is_silent);
  if (complaint)
    g_assert_null(strstr(complaint + 1, "cannot write to standard output"));
}

/* ---- Names and sentences that command -------------------------------------------------------- */

/* A model of that name. */
static void
test_named(gconstpointer data)
{
  const char *const *call = calls[GPOINTER_TO_SIZE(data)].arguments;
  const gboolean is_pair = strcmp(call[0], "lesson") == 0 || strcmp(call[0], "animate") == 0;
  const guint n_words = is_pair ? 2 : 1; /* of the command's name */
  const char *with_model[MAX_ARGUMENTS] = {call[0], call[1]};
  g_autofree char *err = NULL;
  with_model[n_words] = "-m";
  with_model[n_words + 1] = HOSTILE "/none";
  for (guint i = n_words; i + 2 < MAX_ARGUMENTS && call[i]; i++)
    with_model[i + 2] = call[i];
  if (strcmp(call[0], "inspect") == 0)
    with_model[1] = "--";           /* its argument is the model */
  if (strcmp(call[0], "talk") == 0) /* which has none */
    memcpy(with_model, (const char *[]){"talk", "handout", "-oa.pdf", "--", HOSTILE "/none", NULL},
           6 * sizeof *with_model);
  g_assert_cmpint(run(with_model, "/dev/null", &err), !=, 0);
  g_assert_nonnull(strstr(err, "red"));
  assert_harmless(err);
}

/* Files of that name, missing or full of the same. */
static const char *const files[][MAX_ARGUMENTS] = {
    {"translate", HOSTILE},
    {"tokenize", HOSTILE},
    {"align", HOSTILE},
    {"align", "--gold", HOSTILE, "FILE"},
    {"means", "-om.npz", HOSTILE},
    {"prune", "--keep", "143", "--file", HOSTILE},
    {"effects", "--file", HOSTILE},
    {"quality", "--references", HOSTILE ".none", "SOURCES"},
    {"corpus", "-ob.regard-corpus", HOSTILE},
    {"corpus", "-od.regard-corpus", "--conllu", HOSTILE},
    {"corpus", "show", HOSTILE ".none"},
    {"lesson", "check", HOSTILE},
    {"lesson", "grade", HOSTILE},
    {"lesson", "grade", "--lesson", HOSTILE, "ANSWERS"},
    {"lesson", "strings", HOSTILE},
    {"talk", "handout", "-oa.pdf", HOSTILE},
    {"talk", "handout", "-oa.pdf", HOSTILE ".regard-talk"},
    {"inspect", HOSTILE ".none"},
    {"attend", "-oa.svg", "--changes", HOSTILE, "Hello"},
    {"attend", "-oa.svg", "--caption", "dogs " HOSTILE},
    {"attend", "-oa.svg", "--capture", HOSTILE},
    {"attend", "-oa." HOSTILE, "Hello"},
    {"figure", "-oa.svg", "--panel", "A=" HOSTILE},
    {"translate", "--" HOSTILE},
};

static void
test_shown(gconstpointer data)
{
  g_autofree char *text = show(data);
  g_test_message("%s", text);
  g_assert_nonnull(strstr(text, "red"));
  assert_harmless(text);
}

/* Into a file or a pipe a translation goes as the model made it. */
static void
test_piped(void)
{
  g_autoptr(CliRun) run = cli_run_ok("a\x1b[1mb\n", "tokenize", "--json", NULL);
  g_autoptr(json_object) answer = cli_assert_json(run->out);
  g_assert_cmpstr(json_object_get_string(cli_json_member(answer, "text")), ==, "a\x1b[1mb");
}

static void
add(const char *what, gsize i, const char *command, gconstpointer data, GTestDataFunc test)
{
  g_autofree char *path = g_strdup_printf("/cli/terminal/%s/%02zu %s", what, i, command);
  g_test_add_data_func(path, data, test);
}

TESTS()
{
  g_test_set_nonfatal_assertions();
  for (gsize i = 0; i < G_N_ELEMENTS(inputs); i++) {
    g_autofree char *path = cli_scratch_path(inputs[i].name);
    g_assert_true(g_file_set_contents(path, inputs[i].contents, -1, NULL));
  }
  g_autofree char *corpus = cli_scratch_path("CORPUS"), *sources = cli_scratch_path("SOURCES"),
                  *capture = cli_scratch_path("CAPTURE.npz");
  cli_succeeds(NULL, "corpus", "-o", corpus, sources, NULL);
  cli_succeeds(NULL, "capture", "-o", capture, "Hello", NULL);
  g_test_add_func("/cli/terminal/all-commands", test_all_commands);
  g_test_add_func("/cli/terminal/piped", test_piped);
  for (gsize i = 0; i < G_N_ELEMENTS(calls); i++) {
    add("full", i, calls[i].arguments[0], GSIZE_TO_POINTER(i), test_full);
    const gboolean has_model = strcmp(calls[i].arguments[0], "models") != 0 &&
                               strcmp(calls[i].arguments[0], "figure") != 0 &&
                               g_strcmp0(calls[i].arguments[1], "show") != 0;
    if (has_model && (i == 0 || strcmp(calls[i].arguments[0], calls[i - 1].arguments[0]) != 0))
      add("named", i, calls[i].arguments[0], GSIZE_TO_POINTER(i), test_named);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++)
    add("shown", i, files[i][0], files[i], test_shown);
}
