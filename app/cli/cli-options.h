/* cli-options.h — options of a command as a table: parsed, checked against their range, and listed
 * by --help and by the manual page from the same rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"

#include <stddef.h>

G_BEGIN_DECLS

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

/* Parse argv[1…] by a table that ends with CLI_OPTIONS_END, into the struct `values`. What is not
 * an option is appended to rest (borrowed strings); after "--" nothing is an option; "-" never is
 * one. FALSE: the command ends here with *status, because of --help or because of a mistake that
 * has been reported. */
gboolean cli_options_parse(const CliCommand *command, gpointer values, int argc, char **argv,
                           GPtrArray *rest, CliStatus *status);
/* Releases what parsing made: the lists. */
void cli_options_clear(const CliOption *options, gpointer values);

/* One TEXT and nothing else; CLI_USAGE has been reported. */
CliStatus cli_options_check_text(const CliCommand *command, const GPtrArray *rest);

const char *const *cli_option_choices(const CliOption *option);
/* Of a CLI_OPTION_ROWS. */
const CliOption *cli_option_rows(const CliOption *option);

G_END_DECLS
