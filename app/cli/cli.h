/* cli.h — programs made of commands: how they are called, how they end, and how they speak.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * regard-cli is one, regard-train (app/train) another. A command is one file (cli-NAME.c) that
 * defines one CliCommand, and one row of the list in cli-main.c.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* Exit statuses of the program. */
typedef enum {
  CLI_DONE = 0,   /* all that was asked for */
  CLI_FAILED = 1, /* something asked for could not be done; standard error says what */
  CLI_USAGE = 2,  /* asked for something that does not exist: nothing was done */
} CliStatus;

typedef struct _CliCommand CliCommand;
typedef struct _CliOption CliOption;               /* cli-options.h */
typedef struct _CliAnalysisSteps CliAnalysisSteps; /* cli-analysis.h */
struct _CliCommand {
  const char *name;
  const char *summary;   /* one line, for the list of commands */
  const char *arguments; /* what follows the options, e.g. "[FILE…]" */
  const char *details;   /* for --help: what it prints, defaults, limits */
  /* Its options. Their values go into a struct of the command's own, which begins as a copy of
   * *defaults, of `size` bytes. */
  const CliOption *options;
  const void *defaults;
  gsize size;
  /* Sets what is not known before the program runs; may be NULL. */
  void (*begin)(gpointer self);
  /* Reads a file that says what options say, too: they are parsed once more afterwards, and so have
   * precedence. May be NULL. Anything but CLI_DONE has been reported, and is the end. */
  CliStatus (*read_config)(const CliCommand *command, gpointer self, GPtrArray *arguments);
  /* self: that struct, with what the options say. arguments: what is no option, borrowed. */
  CliStatus (*run)(const CliCommand *command, gpointer self, GPtrArray *arguments);
  const CliAnalysisSteps *steps; /* of cli_analysis_run */
  /* Where the name has a second word, as "corpus show": that word, and, in the row of the first
   * word, the rows of those that have one, ended by NULL. */
  const char *second;
  const CliCommand *const *seconds;
};

/* A program: THE list of its commands, in the order of --help. */
typedef struct {
  const char *name;    /* "regard-cli" */
  const char *summary; /* one sentence for --help */
  const CliCommand *const *commands;
  gsize n_commands;
  const char *details; /* the end of --help */
} CliProgram;

/* Run what argv asks for. */
CliStatus cli_program_run(const CliProgram *program, int argc, char **argv);
/* Its name, for messages; before cli_program_run, "regard". */
const char *cli_program_name(void);

/* regard-cli as a whole, for main.c and for tests that run it in process: no state stays behind. */
CliStatus cli_main(int argc, char **argv);
extern const CliProgram cli_program;

/* ---- Speaking -------------------------------------------------------------------------------- */

/* "PROGRAM NAME: message" on standard error, on one line: what it quotes is made visible
 * (regard_visible). */
void cli_complain(const CliCommand *command, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same, with a pointer to --help; returns CLI_USAGE. */
CliStatus cli_usage(const CliCommand *command, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same of an error of the engine; returns CLI_FAILED. */
CliStatus cli_failed(const CliCommand *command, const mt_error *error);

/* Write text to standard output and flush, so that a program at the other end of a pipe has it
 * now; on a terminal, made visible. FALSE if that fails: said on standard error, once, unless the
 * reader simply went away; the program ends with CLI_FAILED then, whatever the command returns. */
gboolean cli_put(const CliCommand *command, const char *text, gsize length);
/* The same of all that a command prints; frees the text. CLI_FAILED if that fails. */
CliStatus cli_print(const CliCommand *command, GString *text);

/* One line on a terminal, in the place of the one before; and the end of it, which keeps the line
 * or takes it away. Whether standard error is a terminal is the caller's question. */
void cli_show_progress(const char *text);
void cli_end_progress(gboolean keep);

/* ---- Long work ------------------------------------------------------------------------------- */

/* Between these two Ctrl+C ends what is computed with hooks, and not the program. Not nested. */
void cli_stop_begin(mt_hooks *hooks);
void cli_stop_end(mt_hooks *hooks);
/* It was pressed since. */
gboolean cli_stop_is_wanted(void);

/* A line on standard error that is written anew, where somebody watches. */
void cli_stop_show(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Its end. */
void cli_stop_show_end(void);
/* "40 %", as an on_progress; from 1 on the line is gone. */
void cli_stop_show_share(void *user, double share);

G_END_DECLS
