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
struct _CliCommand {
  const char *name;
  const char *summary;   /* one line, for the list of commands */
  const char *arguments; /* what follows the options, e.g. "[FILE…]" */
  const char *details;   /* for --help: what it prints, defaults, limits */
  /* argv[0] is the command's name. */
  CliStatus (*run)(const CliCommand *command, int argc, char **argv);
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

extern const CliCommand cli_translate;
extern const CliCommand cli_attend;
extern const CliCommand cli_capture;
extern const CliCommand cli_trace;
extern const CliCommand cli_inside;
extern const CliCommand cli_layers;
extern const CliCommand cli_lens;
extern const CliCommand cli_steps;
extern const CliCommand cli_effects;
extern const CliCommand cli_attribute;
extern const CliCommand cli_trust;
extern const CliCommand cli_align;
extern const CliCommand cli_patch;
extern const CliCommand cli_prune;
extern const CliCommand cli_quality;
extern const CliCommand cli_compare;
extern const CliCommand cli_means;
extern const CliCommand cli_corpus;
extern const CliCommand cli_positions;
extern const CliCommand cli_complexity;
extern const CliCommand cli_sheet;
extern const CliCommand cli_inspect;
extern const CliCommand cli_tokenize;
extern const CliCommand cli_models;

/* regard-cli as a whole, for main.c and for tests that run it in process: no state stays behind. */
CliStatus cli_main(int argc, char **argv);

/* "PROGRAM NAME: message" on standard error, on one line: what it quotes is made visible
 * (regard_visible). */
void cli_complain(const CliCommand *command, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same, with a pointer to --help; returns CLI_USAGE. */
CliStatus cli_usage(const CliCommand *command, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Write text to standard output and flush, so that a program at the other end of a pipe has it
 * now; on a terminal, made visible. FALSE if that fails: said on standard error, once, unless the
 * reader simply went away; the program ends with CLI_FAILED then, whatever the command returns. */
gboolean cli_put(const CliCommand *command, const char *text, gsize length);

G_END_DECLS
