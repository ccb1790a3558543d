/* cli-program.c — a program made of commands: which one it is, and how it speaks: answers on
 * standard output, complaints and how far it is on standard error; and Ctrl+C.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is said quotes names of files, sentences and what stands in files, all of which strangers
 * may have written. THE place where nothing of it may command a terminal.
 */
#include "base/regard-engine-info.h"
#include "cli/cli.h"
#include "figures/regard-naming.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of the program, for messages. A process is one; tests and fuzz targets run the same again and
 * again. */
static const char *program_name = "regard";

/* ==== Options of a command as a table ============================================================
 *
 * Not GOption: that converts arguments from the locale's character set, which in the C locale
 * refuses every letter outside ASCII, and it has no ranges. A sentence to be translated is UTF-8
 * whatever the locale says.
 */

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
  g_string_append_printf(text, "Usage: %s %s [OPTION…] %s\n\n%s.\n\nOptions:\n", program_name,
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

/* Parse argv[1…] by a table that ends with CLI_OPTIONS_END, into the struct `values`. What is not
 * an option is appended to rest (borrowed strings); after "--" nothing is an option; "-" never is
 * one. FALSE: the command ends here with *status, because of --help or because of a mistake that
 * has been reported. */
static gboolean
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

/* Releases what parsing made: the lists. */
static void
cli_options_clear(const CliOption *options, gpointer values)
{
  for (const CliOption *o = options; o->type != CLI_OPTION_END; o++)
    if (o->type == CLI_OPTION_ROWS)
      cli_options_clear(cli_option_rows(o), values);
    else if (o->type == CLI_OPTION_LIST)
      g_clear_pointer((GPtrArray **) (void *) ((char *) values + o->at), g_ptr_array_unref);
}

/* ==== JSON for answers ======================================================================== */

json_object *
cli_json_milliseconds(double value)
{
  return regard_json_number(value, "%.3f");
}

json_object *
cli_json_text(const char *text)
{
  if (!text)
    return NULL;
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  return json_object_new_string(valid);
}

json_object *
cli_json_size(gsize value)
{
  return json_object_new_int64((int64_t) value);
}

json_object *
cli_json_precision(mt_precision precision)
{
  return precision == MT_PRECISION_UNKNOWN ? NULL
                                           : json_object_new_string(mt_precision_name(precision));
}

json_object *
cli_json_ids(const mt_tokens *tokens)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < mt_tokens_count(tokens); i++)
    json_object_array_add(array, json_object_new_int(mt_tokens_get(tokens, i)->id));
  return array;
}

json_object *
cli_json_pieces(const mt_tokens *tokens)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < mt_tokens_count(tokens); i++)
    json_object_array_add(array, cli_json_text(mt_tokens_get(tokens, i)->piece));
  return array;
}

json_object *
cli_json_floats(const float *values, gsize n)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < n; i++)
    json_object_array_add(array, regard_json_float(values[i]));
  return array;
}

gboolean
cli_json_put(const CliCommand *command, json_object *object, gboolean pretty)
{
  int flags = JSON_C_TO_STRING_NOSLASHESCAPE;
  flags |= pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED : JSON_C_TO_STRING_PLAIN;
  const char *json = json_object_to_json_string_ext(object, flags);
  g_autofree char *line = g_strconcat(json, "\n", NULL);
  gboolean done = cli_put(command, line, strlen(line));
  json_object_put(object);
  return done;
}

/* ==== The program ============================================================================= */

static gboolean is_lost;      /* an answer could not be written */
static gboolean has_progress; /* on the last line of the terminal */

/* ---- Speaking -------------------------------------------------------------------------------- */

static void
complain(const CliCommand *command, const char *format, va_list arguments)
{
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  g_autofree char *visible = regard_visible(message);
  cli_end_progress(FALSE);
  fprintf(stderr, "%s%s%s: %s\n", program_name, command ? " " : "", command ? command->name : "",
          visible);
}

void
cli_complain(const CliCommand *command, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  complain(command, format, arguments);
  va_end(arguments);
}

CliStatus
cli_usage(const CliCommand *command, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  complain(command, format, arguments);
  va_end(arguments);
  fprintf(stderr, "Try '%s%s%s --help'.\n", program_name, command ? " " : "",
          command ? command->name : "");
  return CLI_USAGE;
}

CliStatus
cli_failed(const CliCommand *command, const mt_error *error)
{
  cli_complain(command, "%s", error->message);
  return CLI_FAILED;
}

/* Into a file or a pipe bytes go as they are: they are data there. */
static gboolean
write_answer(const char *text, gsize length)
{
  if (!isatty(STDOUT_FILENO))
    return fwrite(text, 1, length, stdout) == length;
  g_autofree char *whole = g_strndup(text, length);
  g_autofree char *visible = regard_visible_lines(whole);
  return fputs(visible, stdout) >= 0;
}

gboolean
cli_put(const CliCommand *command, const char *text, gsize length)
{
  errno = 0;
  if (write_answer(text, length) && fflush(stdout) == 0)
    return TRUE;
  if (errno != EPIPE && !is_lost)
    cli_complain(command, "cannot write to standard output: %s", g_strerror(errno));
  is_lost = TRUE;
  return FALSE;
}

CliStatus
cli_print(const CliCommand *command, GString *text)
{
  const gboolean done = cli_put(command, text->str, text->len);
  g_string_free(text, TRUE);
  return done ? CLI_DONE : CLI_FAILED;
}

void
cli_show_progress(const char *text)
{
  g_autofree char *visible = regard_visible(text);
  fprintf(stderr, "\r%s\033[K", visible);
  fflush(stderr);
  has_progress = TRUE;
}

void
cli_end_progress(gboolean keep)
{
  if (has_progress)
    fputs(keep ? "\n" : "\r\033[K", stderr);
  has_progress = FALSE;
}

/* ---- Long work ------------------------------------------------------------------------------- */

static volatile sig_atomic_t is_interrupted;
static struct sigaction before;

static void
interrupt(int number)
{
  (void) number;
  is_interrupted = 1;
}

static bool
should_stop(void *user)
{
  (void) user;
  return is_interrupted;
}

void
cli_stop_begin(mt_hooks *hooks)
{
  const struct sigaction action = {.sa_handler = interrupt};
  is_interrupted = 0;
  hooks->should_stop = should_stop;
  sigaction(SIGINT, &action, &before);
}

void
cli_stop_end(mt_hooks *hooks)
{
  cli_stop_show_end();
  hooks->should_stop = NULL;
  sigaction(SIGINT, &before, NULL);
}

gboolean
cli_stop_is_wanted(void)
{
  return is_interrupted != 0;
}

void
cli_stop_show(const char *format, ...)
{
  if (!isatty(STDERR_FILENO))
    return;
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  cli_show_progress(text);
}

void
cli_stop_show_end(void)
{
  cli_end_progress(TRUE);
}

void
cli_stop_show_share(void *user, double share)
{
  (void) user;
  cli_stop_show("%.0f %%", 100 * share);
}

/* ---- The program ----------------------------------------------------------------------------- */

static CliStatus
print_commands(const CliProgram *program)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "Usage: %s COMMAND [OPTION…] [ARGUMENT…]\n\n%s\n\nCommands:\n",
                         program->name, program->summary);
  for (gsize i = 0; i < program->n_commands; i++)
    g_string_append_printf(text, "  %-10s  %s\n", program->commands[i]->name,
                           program->commands[i]->summary);
  g_string_append_printf(text,
                         "\nOptions:\n"
                         "  -h, --help     Show this and exit; after a command, show its options\n"
                         "      --version  Show version and instruction sets, and exit\n\n"
                         "Exit status: 0 done, 1 something could not be done, 2 wrong usage.\n%s",
                         program->details);
  return cli_put(NULL, text->str, text->len) ? CLI_DONE : CLI_FAILED;
}

static CliStatus
print_version(const CliProgram *program)
{
  g_autofree char *engine = regard_engine_info_text();
  g_autofree char *version =
      g_strdup_printf("%s " MT_VERSION
                      "\n%sLicence GPL-3.0-or-later: free software, without warranty.\n",
                      program->name, engine);
  return cli_put(NULL, version, strlen(version)) ? CLI_DONE : CLI_FAILED;
}

/* The second word of its name decides which of several it is. */
static const CliCommand *
find_second(const CliCommand *command, int argc, char **argv)
{
  for (gsize i = 0; argc > 1 && command->seconds && command->seconds[i]; i++)
    if (strcmp(argv[1], command->seconds[i]->second) == 0)
      return command->seconds[i];
  return command;
}

/* Its options into its struct, and off. argv[0] is its name. */
static CliStatus
run_command(const CliCommand *first, int argc, char **argv)
{
  const CliCommand *command = find_second(first, argc, argv);
  const int skipped = command != first;
  g_autofree void *self = g_malloc0(command->size);
  g_autoptr(GPtrArray) arguments = g_ptr_array_new();
  CliStatus status;
  argc -= skipped;
  argv += skipped;
  if (command->defaults)
    memcpy(self, command->defaults, command->size);
  if (command->begin)
    command->begin(self);
  gboolean ok = cli_options_parse(command, self, argc, argv, arguments, &status);
  if (ok && command->read_config) {
    status = command->read_config(command, self, arguments);
    ok = status == CLI_DONE && cli_options_parse(command, self, argc, argv, arguments, &status);
  }
  if (ok)
    status = command->run(command, self, arguments);
  cli_options_clear(command->options, self);
  return status;
}

static CliStatus
run(const CliProgram *program, int argc, char **argv)
{
  if (argc < 2)
    return cli_usage(NULL, "no command given");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
    return print_commands(program);
  if (strcmp(argv[1], "--version") == 0)
    return print_version(program);
  for (gsize i = 0; i < program->n_commands; i++)
    if (strcmp(argv[1], program->commands[i]->name) == 0)
      return run_command(program->commands[i], argc - 1, argv + 1);
  return cli_usage(NULL, argv[1][0] == '-' ? "unknown option '%s'" : "unknown command '%s'",
                   argv[1]);
}

CliStatus
cli_program_run(const CliProgram *program, int argc, char **argv)
{
  program_name = program->name;
  is_lost = has_progress = FALSE;
  const CliStatus status = run(program, argc, argv);
  return status == CLI_DONE && is_lost ? CLI_FAILED : status;
}
