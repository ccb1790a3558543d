/* cli.h — programs made of commands: how they are called, how they end, and how they speak.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * regard-cli is one, regard-train (app/train) another. A command is one file (cli-NAME.c) that
 * defines one CliCommand, and one row of the list in cli-main.c.
 */
#pragma once

#include "base/regard-autoptr.h"
#include "base/regard-json.h"

#include <glib.h>
#include <json.h>
#include <stddef.h>

G_BEGIN_DECLS

/* Exit statuses of the program. */
typedef enum {
  CLI_DONE = 0,   /* all that was asked for */
  CLI_FAILED = 1, /* something asked for could not be done; standard error says what */
  CLI_USAGE = 2,  /* asked for something that does not exist: nothing was done */
} CliStatus;

typedef struct _CliCommand CliCommand;
typedef struct _CliOption CliOption;
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

/* ==== Options of a command =======================================================================
 *
 * A table: parsed, checked against their range, and listed by --help and by the manual page from
 * the same rows.
 */

typedef enum {
  CLI_OPTION_END,
  CLI_OPTION_FLAG,   /* gboolean */
  CLI_OPTION_TEXT,   /* const char *, borrowed from argv; bytes as they were typed */
  CLI_OPTION_WORDS,  /* the same, and may be empty */
  CLI_OPTION_WHOLE,  /* gint64 within min..max */
  CLI_OPTION_NUMBER, /* double within min..max */
  CLI_OPTION_CHOICE, /* guint: index into choices */
  CLI_OPTION_LIST,   /* GPtrArray *, of each use its text, borrowed from argv; NULL: not used */
  CLI_OPTION_ROWS,   /* no option: `rows`, a table of more of them, stand in its place */
} CliOptionType;

struct _CliOption {
  CliOptionType type;
  const char *name; /* "beam" for --beam */
  char letter;      /* 'o' for -o; 0: none */
  gsize at;         /* where in the command's struct its value is, which is what `type` says and
                     * stays as it is where the option is not given */
  const char *metavar;
  const char *help;
  double min, max;
  const char *const *choices; /* NULL-terminated; shown by --help */
  /* Choices, or rows, that another table decides. */
  const char *const *(*list_choices)(void);
  const CliOption *rows, *(*list_rows)(void);
};

/* For a choice that was not made. */
#define CLI_NO_CHOICE G_MAXUINT

#define CLI_OPTIONS_END \
  {                     \
    CLI_OPTION_END      \
  }
/* A group of options in the place of a row. */
#define CLI_OPTIONS(table)                   \
  {                                          \
    .type = CLI_OPTION_ROWS, .rows = (table) \
  }

/* One TEXT and nothing else; CLI_USAGE has been reported. */
CliStatus cli_options_check_text(const CliCommand *command, const GPtrArray *rest);

const char *const *cli_option_choices(const CliOption *option);
/* Of a CLI_OPTION_ROWS. */
const CliOption *cli_option_rows(const CliOption *option);

/* ==== JSON for answers: numbers that can be read back, text that is always UTF-8 ============== */

/* All return a new object that belongs to the caller, who passes it on to its parent. */

/* With three digits behind the point; null if not finite. */
json_object *cli_json_milliseconds(double value);
/* Text; bytes that are not UTF-8 become U+FFFD. NULL becomes null. */
json_object *cli_json_text(const char *text);
json_object *cli_json_size(gsize value);
/* Its name; null if it is not known. */
json_object *cli_json_precision(mt_precision precision);
/* The ids, or the pieces, of a list of tokens. */
json_object *cli_json_ids(const mt_tokens *tokens);
json_object *cli_json_pieces(const mt_tokens *tokens);
json_object *cli_json_floats(const float *values, gsize n);

/* One line (or several, if pretty) on standard output; takes the object. FALSE as cli_put(). */
gboolean cli_json_put(const CliCommand *command, json_object *object, gboolean pretty);

G_END_DECLS
