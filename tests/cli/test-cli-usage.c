/* test-cli-usage.c — what regard-cli says about itself, and how it answers to mistakes: status 2,
 * a sentence that names what was wanted and found, and nothing on standard output.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <string.h>

static const char *const commands[] = {"translate", "attend",  "capture",
                                       "positions", "inspect", "tokenize"};

static void
test_help(void)
{
  g_autoptr(CliRun) help = cli_run_ok(NULL, "--help", NULL);
  g_assert_cmpstr(help->err, ==, "");
  g_autoptr(CliRun) short_help = cli_run(NULL, "-h", NULL);
  g_assert_cmpstr(short_help->out, ==, help->out);

  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    g_assert_nonnull(strstr(help->out, commands[i]));
    g_autoptr(CliRun) command = cli_run_ok(NULL, commands[i], "--help", NULL);
    g_autofree char *first = g_strdup_printf("Usage: regard-cli %s ", commands[i]);
    g_assert_true(g_str_has_prefix(command->out, first));
    g_assert_nonnull(strstr(command->out, "--model"));
    g_assert_cmpstr(command->err, ==, "");
  }
}

static void
test_version(void)
{
  g_autoptr(CliRun) run = cli_run_ok(NULL, "--version", NULL);
  g_assert_true(g_str_has_prefix(run->out, "regard-cli 0."));
}

/* Standard output that cannot be written is a failure even for the help of all or of a command. */
static void
test_full_disk(gconstpointer command)
{
  if (!g_file_test("/dev/full", G_FILE_TEST_EXISTS)) {
    g_test_skip("there is no /dev/full");
    return;
  }
  g_autoptr(GSubprocessLauncher) launcher =
      g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_subprocess_launcher_set_stdout_file_path(launcher, "/dev/full");
  g_autoptr(GError) error = NULL;
  const char *const argv[] = {cli_program(), command ? command : "--help",
                              command ? "--help" : NULL, NULL};
  g_autoptr(GSubprocess) process = g_subprocess_launcher_spawnv(launcher, argv, &error);
  g_assert_no_error(error);
  g_autofree char *err = NULL;
  g_subprocess_communicate_utf8(process, NULL, NULL, NULL, &err, NULL);
  g_assert_cmpint(g_subprocess_get_exit_status(process), ==, 1);
  g_assert_nonnull(strstr(err, "cannot write to standard output"));
}

#define MAX_ARGUMENTS 8
static const struct {
  const char *arguments[MAX_ARGUMENTS];
  const char *complaint;
} mistakes[] = {
    {{NULL}, "no command given"},
    {{"translat"}, "unknown command 'translat'"},
    {{"--frob"}, "unknown option '--frob'"},
    {{"translate", "--frob"}, "unknown option '--frob'"},
    {{"translate", "-x"}, "unknown option '-x'"},
    {{"translate", "--beam"}, "--beam wants N, found nothing"},
    {{"translate", "--beam", "0"}, "--beam wants a whole number from 1 to 64, found '0'"},
    {{"translate", "--beam=65"}, "--beam wants a whole number from 1 to 64, found '65'"},
    {{"translate", "--beam", "4x"}, "found '4x'"},
    {{"translate", "--beam", ""}, "found ''"},
    {{"translate", "--beam", "-1"}, "found '-1'"},
    {{"translate", "--beam", "99999999999999999999"}, "found '99999999999999999999'"},
    {{"translate", "--json=yes"}, "--json takes no value"},
    {{"translate", "--model", ""}, "--model wants DIR, found nothing"},
    {{"translate", "--nbest", "3", "--beam", "2"}, "--nbest 3 wants at least as many beams"},
    {{"translate", "--max-length", "513"}, "--max-length wants at most the model's 512"},
    {{"translate", "--min-length", "9", "--max-length", "8"}, "--min-length wants at most"},
    {{"translate", "--threads", "0"}, "--threads wants a whole number from 1"},
    {{"attend"}, "one TEXT wanted"},
    {{"attend", "Hello"}, "-o FILE is missing"},
    {{"attend", "-o", "a.png"}, "one TEXT wanted"},
    {{"attend", "-o", "a.png", "Hello", "world"}, "one TEXT wanted (in quotes), found 2"},
    {{"attend", "-o", "a.png", "-5 degrees"}, "a text that starts with a dash comes after --"},
    {{"attend", "-o", "a.gif", "Hello"}, "found 'a.gif'"},
    {{"attend", "-o", "png", "Hello"}, "found 'png'"},
    {{"attend", "-o", "a.png", "--kind", "self", "Hello"}, "one of encoder, decoder, cross"},
    {{"attend", "-o", "a.png", "--layer", "0", "Hello"}, "--layer wants"},
    {{"attend", "-o", "a.png", "--layer", "7", "Hello"}, "--layer wants 1 to 6"},
    {{"attend", "-o", "a.png", "--head", "9", "Hello"}, "--head wants 1 to 8"},
    {{"attend", "-o", "a.png", "--head", "0", "Hello"}, "--head wants a number from 1"},
    {{"attend", "-o", "a.png", "--head", "first", "Hello"}, "found 'first'"},
    {{"attend", "-o", "a.png", "--scale", "cube", "Hello"}, "one of linear, sqrt, log, row"},
    {{"attend", "-o", "a.png", "--colormap", "jet", "Hello"}, "viridis"},
    {{"attend", "-o", "a.png", "--label-by", "both", "Hello"}, "one of output, input"},
    {{"attend", "-o", "a.png", "--width", "9.9", "Hello"}, "--width wants a number from 10"},
    {{"attend", "-o", "a.png", "--width", "nan", "Hello"}, "found 'nan'"},
    {{"attend", "-o", "a.png", "--width", "1e9", "Hello"}, "found '1e9'"},
    {{"attend", "-o", "a.png", "--font", "0", "Hello"}, "--font wants a number from 2"},
    {{"attend", "-o", "a.png", "--font", "1", "Hello"}, "--font wants a number from 2"},
    {{"attend", "-o", "a.png", "--dpi", "inf", "Hello"}, "found 'inf'"},
    {{"capture", "Hello"}, "-o FILE.npz is missing"},
    {{"capture", "-o", "a.npz"}, "one TEXT wanted"},
    {{"capture", "-o", "a.png", "Hello"}, "ends with .npz"},
    {{"positions"}, "-o FILE is missing"},
    {{"positions", "-o", "p.csv", "extra"}, "unexpected argument 'extra'"},
    {{"positions", "-o", "p.csv", "--length", "0"}, "--length wants"},
    {{"positions", "-o", "p.csv", "--length", "513"}, "at most the model's 512 positions"},
    {{"positions", "-o", "p.csv", "--similarity", "--shift", "1"}, "two different pictures"},
    {{"inspect", "a", "b"}, "one model directory wanted, found 2"},
};

static void
test_mistake(gconstpointer data)
{
  const char *const *a = mistakes[GPOINTER_TO_SIZE(data)].arguments;
  g_autoptr(CliRun) run = cli_run_refused(2, mistakes[GPOINTER_TO_SIZE(data)].complaint, NULL, a[0],
                                          a[1], a[2], a[3], a[4], a[5], a[6], a[7], NULL);
  g_assert_nonnull(strstr(run->err, "--help'"));
  g_assert_cmpstr(run->out, ==, "");
}

/* A model that is not there or not one: status 1 and the path by name. */
static void
test_no_model(void)
{
  g_autofree char *missing = cli_scratch_path("no-such-model");
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    gboolean writes = strstr("attend capture positions", commands[i]) != NULL;
    const char *const out = writes ? "-oout.npz" : "--json";
    const char *const text = strstr("attend capture", commands[i]) ? "Hello" : NULL;
    g_autoptr(CliRun) run = cli_run_refused(1, "no-such-model", "Hello\n", commands[i], "--model",
                                            missing, out, text, NULL);
    g_assert_cmpstr(run->out, ==, "");
  }
}

TESTS()
{
  g_test_set_nonfatal_assertions();
  g_test_add_func("/cli/usage/help", test_help);
  g_test_add_func("/cli/usage/version", test_version);
  g_test_add_data_func("/cli/usage/full-disk", NULL, test_full_disk);
  g_test_add_data_func("/cli/usage/full-disk of a command", "translate", test_full_disk);
  g_test_add_func("/cli/usage/no-model", test_no_model);
  for (gsize i = 0; i < G_N_ELEMENTS(mistakes); i++) {
    g_autofree char *path =
        g_strdup_printf("/cli/usage/mistake/%02zu %s", i, mistakes[i].complaint);
    for (char *c = path + strlen("/cli/usage/mistake/"); *c; c++)
      if (*c == '/')
        *c = ' ';
    g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_mistake);
  }
}
