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

const char *const *
cli_option_choices(const CliOption *option)
{
  return option->list_choices ? option->list_choices() : option->choices;
}

const CliOption *
cli_option_rows(const CliOption *option)
{
  return option->list_rows ? option->list_rows() : option->rows;
}

/* The option with this long name, or with this letter if name is NULL. */
static const CliOption *
find(const CliOption *options, const char *name, gsize length, char letter)
{
  for (; options->type != CLI_OPTION_END; options++) {
    const CliOption *found = NULL;
    if (options->type == CLI_OPTION_ROWS)
      found = find(cli_option_rows(options), name, length, letter);
    else if (name ? strlen(options->name) == length && memcmp(options->name, name, length) == 0
                  : options->letter == letter)
      found = options;
    if (found)
      return found;
  }
  return NULL;
}

static gboolean
set_whole(const CliCommand *command, const CliOption *option, void *place, const char *text)
{
  gint64 value;
  if (g_ascii_string_to_signed(text, 10, (gint64) option->min, (gint64) option->max, &value,
                               NULL)) {
    *(gint64 *) place = value;
    return TRUE;
  }
  cli_usage(command, "--%s wants a whole number from %.0f to %.0f, found '%s'", option->name,
            option->min, option->max, text);
  return FALSE;
}

static gboolean
set_number(const CliCommand *command, const CliOption *option, void *place, const char *text)
{
  char *end;
  double value = g_ascii_strtod(text, &end);
  if (end != text && *end == '\0' && isfinite(value) && value >= option->min &&
      value <= option->max) {
    *(double *) place = value;
    return TRUE;
  }
  cli_usage(command, "--%s wants a number from %g to %g, found '%s'", option->name, option->min,
            option->max, text);
  return FALSE;
}

static gboolean
set_choice(const CliCommand *command, const CliOption *option, void *place, const char *text)
{
  const char *const *choices = cli_option_choices(option);
  for (guint i = 0; choices[i]; i++)
    if (strcmp(choices[i], text) == 0) {
      *(guint *) place = i;
      return TRUE;
    }
  g_autofree char *list = g_strjoinv(", ", (char **) choices);
  cli_usage(command, "--%s wants one of %s, found '%s'", option->name, list, text);
  return FALSE;
}

static void
append_to_list(GPtrArray **list, const char *text)
{
  if (!*list)
    *list = g_ptr_array_new();
  g_ptr_array_add(*list, (char *) text);
}

static gboolean
set(const CliCommand *command, const CliOption *option, void *place, const char *text)
{
  switch (option->type) {
  case CLI_OPTION_TEXT:
  case CLI_OPTION_LIST:
    if (*text == '\0') {
      cli_usage(command, "--%s wants %s, found nothing", option->name, option->metavar);
      return FALSE;
    }
    if (option->type == CLI_OPTION_LIST)
      append_to_list(place, text);
    else
      *(const char **) place = text;
    return TRUE;
  case CLI_OPTION_WORDS:
    *(const char **) place = text;
    return TRUE;
  case CLI_OPTION_WHOLE:
    return set_whole(command, option, place, text);
  case CLI_OPTION_NUMBER:
    return set_number(command, option, place, text);
  case CLI_OPTION_CHOICE:
    return set_choice(command, option, place, text);
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
      append_options(text, cli_option_rows(o));
      continue;
    }
    g_autofree char *letter = o->letter ? g_strdup_printf("-%c, ", o->letter) : g_strdup("    ");
    g_autofree char *name =
        g_strdup_printf("--%s%s%s", o->name, o->metavar ? " " : "", o->metavar ? o->metavar : "");
    const char *const *list = cli_option_choices(o);
    g_autofree char *choices = list ? g_strjoinv(", ", (char **) list) : NULL;
    g_string_append_printf(text, "  %s%-21s %s%s%s\n", letter, name, o->help, choices ? ": " : "",
                           choices ? choices : "");
  }
}

static CliStatus
print_help(const CliCommand *command)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "Usage: %s %s [OPTION…] %s\n\n%s.\n\nOptions:\n", cli_program_name(),
                         command->name, command->arguments, command->summary);
  append_options(text, command->options);
  g_string_append_printf(text, "  -h, %-21s %s\n", "--help", "Show this and exit");
  g_string_append_printf(text, "\n%s", command->details);
  return cli_put(command, text->str, text->len) ? CLI_DONE : CLI_FAILED;
}

/* One argument that starts with a dash; *index is moved over a value that it takes. */
static gboolean
parse_option(const CliCommand *command, gpointer values, int argc, char **argv, int *index,
             CliStatus *status)
{
  const CliOption *options = command->options;
  const char *argument = argv[*index];
  const CliOption *option;
  const char *value = NULL;

  *status = CLI_USAGE;
  if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
    *status = print_help(command);
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
  void *place = (char *) values + option->at;
  if (option->type == CLI_OPTION_FLAG) {
    if (value) {
      cli_usage(command, "--%s takes no value, found '%s'", option->name, argument);
      return FALSE;
    }
    *(gboolean *) place = TRUE;
    return TRUE;
  }
  if (!value) {
    if (*index + 1 >= argc) {
      cli_usage(command, "--%s wants %s, found nothing", option->name, option->metavar);
      return FALSE;
    }
    value = argv[++*index];
  }
  return set(command, option, place, value);
}

gboolean
cli_options_parse(const CliCommand *command, gpointer values, int argc, char **argv,
                  GPtrArray *rest, CliStatus *status)
{
  gboolean options_over = FALSE;
  for (int i = 1; i < argc; i++) {
    if (options_over || argv[i][0] != '-' || argv[i][1] == '\0')
      g_ptr_array_add(rest, argv[i]);
    else if (strcmp(argv[i], "--") == 0)
      options_over = TRUE;
    else if (!parse_option(command, values, argc, argv, &i, status))
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

void
cli_options_clear(const CliOption *options, gpointer values)
{
  for (const CliOption *o = options; o->type != CLI_OPTION_END; o++)
    if (o->type == CLI_OPTION_ROWS)
      cli_options_clear(cli_option_rows(o), values);
    else if (o->type == CLI_OPTION_LIST)
      g_clear_pointer((GPtrArray **) (void *) ((char *) values + o->at), g_ptr_array_unref);
}
