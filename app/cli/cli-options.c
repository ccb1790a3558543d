/* cli-options.c — options of a command as a table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Not GOption: that converts arguments from the locale's character set, which in the C locale
 * refuses every letter outside ASCII, and it has no ranges. A sentence to be translated is UTF-8
 * whatever the locale says.
 */
#include "cli/cli-options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The option with this long name, or with this letter if name is NULL. */
static const CliOption *
find(const CliOption *options, const char *name, gsize length, char letter)
{
  for (; options->type != CLI_OPTION_END; options++) {
    const CliOption *found = NULL;
    if (options->type == CLI_OPTION_ROWS)
      found = find(options->value, name, length, letter);
    else if (name ? strlen(options->name) == length && memcmp(options->name, name, length) == 0
                  : options->letter == letter)
      found = options;
    if (found)
      return found;
  }
  return NULL;
}

static gboolean
set_whole(const CliCommand *command, const CliOption *option, const char *text)
{
  gint64 value;
  if (g_ascii_string_to_signed(text, 10, (gint64) option->min, (gint64) option->max, &value,
                               NULL)) {
    *(gint64 *) option->value = value;
    return TRUE;
  }
  cli_usage(command, "--%s wants a whole number from %.0f to %.0f, found '%s'", option->name,
            option->min, option->max, text);
  return FALSE;
}

static gboolean
set_number(const CliCommand *command, const CliOption *option, const char *text)
{
  char *end;
  double value = g_ascii_strtod(text, &end);
  if (end != text && *end == '\0' && isfinite(value) && value >= option->min &&
      value <= option->max) {
    *(double *) option->value = value;
    return TRUE;
  }
  cli_usage(command, "--%s wants a number from %g to %g, found '%s'", option->name, option->min,
            option->max, text);
  return FALSE;
}

static gboolean
set_choice(const CliCommand *command, const CliOption *option, const char *text)
{
  for (guint i = 0; option->choices[i]; i++)
    if (strcmp(option->choices[i], text) == 0) {
      *(guint *) option->value = i;
      return TRUE;
    }
  g_autofree char *list = g_strjoinv(", ", (char **) option->choices);
  cli_usage(command, "--%s wants one of %s, found '%s'", option->name, list, text);
  return FALSE;
}

static gboolean
set(const CliCommand *command, const CliOption *option, const char *text)
{
  switch (option->type) {
  case CLI_OPTION_TEXT:
  case CLI_OPTION_LIST:
    if (*text == '\0') {
      cli_usage(command, "--%s wants %s, found nothing", option->name, option->metavar);
      return FALSE;
    }
    if (option->type == CLI_OPTION_LIST)
      g_ptr_array_add(*(GPtrArray **) option->value, (char *) text);
    else
      *(const char **) option->value = text;
    return TRUE;
  case CLI_OPTION_WORDS:
    *(const char **) option->value = text;
    return TRUE;
  case CLI_OPTION_WHOLE:
    return set_whole(command, option, text);
  case CLI_OPTION_NUMBER:
    return set_number(command, option, text);
  case CLI_OPTION_CHOICE:
    return set_choice(command, option, text);
  case CLI_OPTION_FLAG:
  case CLI_OPTION_ROWS:
  case CLI_OPTION_END:
    break;
  }
  g_assert_not_reached();
}

/* In two columns; the second is wrapped by whoever writes the table. */
static void
append_options(GString *text, const CliOption *options)
{
  for (const CliOption *o = options; o->type != CLI_OPTION_END; o++) {
    if (o->type == CLI_OPTION_ROWS) {
      append_options(text, o->value);
      continue;
    }
    g_autofree char *letter = o->letter ? g_strdup_printf("-%c, ", o->letter) : g_strdup("    ");
    g_autofree char *name =
        g_strdup_printf("--%s%s%s", o->name, o->metavar ? " " : "", o->metavar ? o->metavar : "");
    g_autofree char *choices = o->choices ? g_strjoinv(", ", (char **) o->choices) : NULL;
    g_string_append_printf(text, "  %s%-21s %s%s%s\n", letter, name, o->help, choices ? ": " : "",
                           choices ? choices : "");
  }
}

static CliStatus
print_help(const CliCommand *command, const CliOption *options)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "Usage: %s %s [OPTION…] %s\n\n%s.\n\nOptions:\n", cli_program_name(),
                         command->name, command->arguments, command->summary);
  append_options(text, options);
  g_string_append_printf(text, "  -h, %-21s %s\n", "--help", "Show this and exit");
  g_string_append_printf(text, "\n%s", command->details);
  return cli_put(command, text->str, text->len) ? CLI_DONE : CLI_FAILED;
}

/* One argument that starts with a dash; *index is moved over a value that it takes. */
static gboolean
parse_option(const CliCommand *command, const CliOption *options, int argc, char **argv, int *index,
             CliStatus *status)
{
  const char *argument = argv[*index];
  const CliOption *option;
  const char *value = NULL;

  *status = CLI_USAGE;
  if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
    *status = print_help(command, options);
    return FALSE;
  }
  if (argument[1] == '-') {
    const char *equals = strchr(argument, '=');
    gsize length = equals ? (gsize) (equals - argument) - 2 : strlen(argument) - 2;
    option = find(options, argument + 2, length, 0);
    value = equals ? equals + 1 : NULL;
  } else {
    option = find(options, NULL, 0, argument[1]);
    value = argument[2] ? argument + 2 : NULL;
  }
  if (!option) {
    cli_usage(command,
              strchr(argument, ' ') ? "unknown option '%s' (a text that starts with a dash "
                                      "comes after --)"
                                    : "unknown option '%s'",
              argument);
    return FALSE;
  }
  if (option->type == CLI_OPTION_FLAG) {
    if (value) {
      cli_usage(command, "--%s takes no value, found '%s'", option->name, argument);
      return FALSE;
    }
    *(gboolean *) option->value = TRUE;
    return TRUE;
  }
  if (!value) {
    if (*index + 1 >= argc) {
      cli_usage(command, "--%s wants %s, found nothing", option->name, option->metavar);
      return FALSE;
    }
    value = argv[++*index];
  }
  return set(command, option, value);
}

gboolean
cli_options_parse(const CliCommand *command, const CliOption *options, int argc, char **argv,
                  GPtrArray *rest, CliStatus *status)
{
  gboolean options_over = FALSE;
  for (int i = 1; i < argc; i++) {
    if (options_over || argv[i][0] != '-' || argv[i][1] == '\0')
      g_ptr_array_add(rest, argv[i]);
    else if (strcmp(argv[i], "--") == 0)
      options_over = TRUE;
    else if (!parse_option(command, options, argc, argv, &i, status))
      return FALSE;
  }
  return TRUE;
}

CliStatus
cli_options_check_text(const CliCommand *command, const GPtrArray *rest)
{
  return rest->len == 1 ? CLI_DONE
                        : cli_usage(command, "one TEXT wanted (in quotes), found %u", rest->len);
}

const char *
cli_options_parse_text(const CliCommand *command, const CliOption *options, int argc, char **argv,
                       CliStatus *status)
{
  g_autoptr(GPtrArray) rest = g_ptr_array_new();
  if (!cli_options_parse(command, options, argc, argv, rest, status) ||
      (*status = cli_options_check_text(command, rest)) != CLI_DONE)
    return NULL;
  return rest->pdata[0];
}
