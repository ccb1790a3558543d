/* cli-options.h — options of a command as a table: parsed, checked against their range, and listed
 * by --help from the same rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"

G_BEGIN_DECLS

typedef enum {
  CLI_OPTION_END,
  CLI_OPTION_FLAG,   /* gboolean */
  CLI_OPTION_TEXT,   /* const char *, borrowed from argv; bytes as they were typed */
  CLI_OPTION_WORDS,  /* the same, and may be empty */
  CLI_OPTION_WHOLE,  /* gint64 within min..max */
  CLI_OPTION_NUMBER, /* double within min..max */
  CLI_OPTION_CHOICE, /* guint: index into choices */
  CLI_OPTION_LIST,   /* GPtrArray *, to which each use appends its text, borrowed from argv */
  CLI_OPTION_ROWS,   /* no option: `value` is a table of more of them, which stand in its place */
} CliOptionType;

typedef struct {
  CliOptionType type;
  const char *name; /* "beam" for --beam */
  char letter;      /* 'o' for -o; 0: none */
  void *value;      /* what `type` says; keeps its value where the option is not given */
  const char *metavar;
  const char *help;
  double min, max;
  const char *const *choices; /* NULL-terminated; shown by --help */
} CliOption;

/* For a choice that was not made. */
#define CLI_NO_CHOICE G_MAXUINT

#define CLI_OPTIONS_END \
  {                     \
    CLI_OPTION_END      \
  }

/* Parse argv[1…] by a table that ends with CLI_OPTIONS_END. What is not an option is appended to
 * rest (borrowed strings); after "--" nothing is an option; "-" never is one.
 * FALSE: the command ends here with *status, because of --help or because of a mistake that has
 * been reported. */
gboolean cli_options_parse(const CliCommand *command, const CliOption *options, int argc,
                           char **argv, GPtrArray *rest, CliStatus *status);

/* The same for a command whose rest is one TEXT, which is returned, borrowed; NULL: as above. */
const char *cli_options_parse_text(const CliCommand *command, const CliOption *options, int argc,
                                   char **argv, CliStatus *status);
/* For those that want one only sometimes: CLI_USAGE has been reported. */
CliStatus cli_options_check_text(const CliCommand *command, const GPtrArray *rest);

G_END_DECLS
