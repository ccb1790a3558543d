/* manual.c — the manual pages of programs made of commands, from a template and the programs' own
 * tables. Runs while Regard is built: regard-manual regard-cli TEMPLATE > PAGE.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A template is a page in mdoc(7). Between two lines
 *     .\" OPTIONS attend
 *     .\" END
 * stands what is to be said of options beyond their help: lines that follow one with the name of
 * the option, as .\" --kind. The page has the list of all options of the command in that place,
 * each with its argument, its help, and that. Options of groups that several commands have are in
 * the list that has no name. A line .\" SYNOPSIS stands for a call of each command, and .\"
 * STATISTICS for the names of what a corpus file keeps of heads. A command without a list, and text
 * of an option that no list has, end the build.
 */
#include "cli/cli-analysis.h"
#include "train/train.h"

#include <stdio.h>
#include <string.h>

/* Groups, in the order of their list; whatever they contain is theirs. */
static const CliOption *const shared[] = {
    cli_options_model,       cli_options_translation, cli_options_search_lists,
    cli_options_target,      cli_options_precision,   cli_options_capture_precision,
    cli_options_said_memory, cli_options_output,      cli_options_output_graph,
    cli_options_output_npz,  cli_options_scale,       cli_options_colormap,
    cli_options_picture,     cli_options_reference,   cli_options_reference_other,
};

typedef struct {
  const CliProgram *program;
  GHashTable *texts;   /* of the list at hand: "kind" → lines */
  GHashTable *listed;  /* commands that have had theirs */
  GHashTable *written; /* options that the list has */
  GString *page;
} Manual;

G_GNUC_PRINTF(1, 2)
G_NORETURN static void
fail(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

/* ---- An option ------------------------------------------------------------------------------- */

/* So that no sign of it is one of mdoc, and two dashes stay two. */
static void
append_text(GString *page, const char *text)
{
  g_autoptr(GString) safe = g_string_new(text);
  g_string_replace(safe, "\\", "\\e", 0);
  g_string_replace(safe, "--", "\\-\\-", 0);
  g_string_append_printf(page, "%s%s", strchr(".'", *text) && *text ? "\\&" : "", safe->str);
}

/* "encoder | decoder | cross", or the name of a value. NULL: there is none. */
static char *
dup_argument(const CliOption *option)
{
  const char *const *choices = cli_option_choices(option);
  if (option->type == CLI_OPTION_CHOICE && g_strv_length((char **) choices) <= 8)
    return g_strjoinv(" | ", (char **) choices);
  return option->metavar ? g_ascii_strdown(option->metavar, -1) : NULL;
}

static void
append_option(Manual *self, const CliOption *option)
{
  const char *const *choices = cli_option_choices(option);
  g_autofree char *argument = dup_argument(option);
  g_autofree char *value = argument ? g_strconcat(" Ar ", argument, NULL) : g_strdup("");
  const char *text = g_hash_table_lookup(self->texts, option->name);
  if (!g_hash_table_add(self->written, (gpointer) option->name))
    return; /* of two groups that one command has one of */
  g_string_append(self->page, ".It");
  if (option->letter)
    g_string_append_printf(self->page, " Fl %c%s ,", option->letter, value);
  g_string_append_printf(self->page, " Fl -%s%s\n", option->name, value);
  append_text(self->page, option->help);
  if (choices && !strstr(value, " | ")) {
    g_autofree char *list = g_strjoinv(", ", (char **) choices);
    g_string_append_printf(self->page, ": %s", list);
  }
  g_string_append_printf(self->page, ".\n%s", text ? text : "");
}

static gboolean
is_shared(const CliOption *rows)
{
  for (gsize i = 0; i < G_N_ELEMENTS(shared); i++) {
    if (rows == shared[i])
      return TRUE;
    for (const CliOption *o = shared[i]; o->type != CLI_OPTION_END; o++)
      if (o->type == CLI_OPTION_ROWS && o->rows == rows && rows)
        return TRUE;
  }
  return FALSE;
}

static void
append_options(Manual *self, const CliOption *options, gboolean with_shared)
{
  for (const CliOption *o = options; o->type != CLI_OPTION_END; o++)
    if (o->type != CLI_OPTION_ROWS)
      append_option(self, o);
    else if (with_shared || !is_shared(cli_option_rows(o)))
      append_options(self, cli_option_rows(o), with_shared);
}

/* ---- A list ---------------------------------------------------------------------------------- */

static const CliCommand *
find_command(const CliProgram *program, const char *name)
{
  for (gsize i = 0; i < program->n_commands; i++) {
    const CliCommand *command = program->commands[i];
    if (g_str_equal(command->name, name))
      return command;
    for (gsize k = 0; command->seconds && command->seconds[k]; k++) {
      g_autofree char *both = g_strdup_printf("%s %s", command->name, command->seconds[k]->second);
      if (g_str_equal(both, name))
        return command->seconds[k];
    }
  }
  fail("%s has no command '%s'", program->name, name);
}

/* What stands up to END: the lines of each option. *line is moved behind it. */
static void
read_texts(Manual *self, char ***line)
{
  const char *option = NULL;
  g_autoptr(GString) text = g_string_new(NULL);
  g_hash_table_remove_all(self->texts);
  for (++*line; **line; ++*line) {
    const gboolean is_end = g_str_equal(**line, ".\\\" END");
    if (!is_end && !g_str_has_prefix(**line, ".\\\" --")) {
      g_string_append_printf(text, "%s\n", **line);
      continue;
    }
    if (option)
      g_hash_table_insert(self->texts, (gpointer) option, g_strdup(text->str));
    g_string_truncate(text, 0);
    if (is_end)
      return;
    option = **line + strlen(".\\\" --");
  }
  fail("a list of options has no END");
}

static void
append_list(Manual *self, const char *name, char ***line)
{
  GHashTableIter iter;
  gpointer option;
  read_texts(self, line);
  g_hash_table_remove_all(self->written);
  const gsize before = self->page->len;
  g_string_append(self->page, ".Bl -tag -width Ds\n");
  const gsize begin = self->page->len;
  if (*name) {
    const CliCommand *command = find_command(self->program, name);
    append_options(self, command->options, FALSE);
    g_hash_table_add(self->listed, (gpointer) command);
  } else {
    const CliOption help = {CLI_OPTION_FLAG, "help", 'h', 0, NULL, "Show the options and exit"};
    for (gsize i = 0; strcmp(self->program->name, "regard-cli") == 0 && i < G_N_ELEMENTS(shared);
         i++)
      append_options(self, shared[i], TRUE);
    append_option(self, &help);
  }
  if (self->page->len > begin)
    g_string_append(self->page, ".El\n");
  else /* a command whose options are all common ones: mdoc has no empty lists */
    g_string_truncate(self->page, before);
  g_hash_table_iter_init(&iter, self->texts);
  while (g_hash_table_iter_next(&iter, &option, NULL))
    if (!g_hash_table_contains(self->written, option))
      fail("'%s' has no option --%s", *name ? name : self->program->name, (const char *) option);
}

/* ---- The synopsis ---------------------------------------------------------------------------- */

/* "-o FILE (TEXT | --capture FILE.npz)": names of values in italics, options in bold. */
static void
append_arguments(GString *page, const char *text)
{
  while (*text) {
    const gsize upper = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), dashes = strspn(text, "-");
    gsize n = upper ? upper + strspn(text + upper, ".abcdefghijklmnopqrstuvwxyz-") : 0;
    if (dashes)
      n = strcspn(text, " ]|)");
    if (n) {
      g_autofree char *word = upper ? g_ascii_strdown(text, (gssize) n) : g_strndup(text, n);
      g_string_append(page, upper ? "\\fI" : "\\fB");
      for (const char *p = word; *p; p++)
        g_string_append_printf(page, *p == '-' ? "\\-" : "%c", *p);
      g_string_append(page, "\\fR");
    } else {
      n = 1;
      g_string_append_c(page, *text);
    }
    text += n;
  }
  g_string_append_c(page, '\n');
}

static void
append_synopsis(Manual *self)
{
  for (gsize i = 0; i < self->program->n_commands; i++) {
    const CliCommand *command = self->program->commands[i];
    g_string_append_printf(self->page, ".Nm\n.Cm %s\n.Op Ar option ...\n", command->name);
    if (*command->arguments)
      append_arguments(self->page, command->arguments);
  }
  g_string_append(self->page, ".Nm\n.Fl -help | -version\n");
}

/* ---- The page -------------------------------------------------------------------------------- */

static void
check_listed(const Manual *self)
{
  for (gsize i = 0; i < self->program->n_commands; i++) {
    const CliCommand *command = self->program->commands[i];
    gboolean all = g_hash_table_contains(self->listed, command);
    for (gsize k = 0; command->seconds && command->seconds[k]; k++)
      all = all && g_hash_table_contains(self->listed, command->seconds[k]);
    if (!all)
      fail("the page has no list of the options of %s", command->name);
  }
}

/* "entropy , confidence or effect". Caller frees. */
static char *
list_statistics(void)
{
  GString *list = g_string_new(".Cm");
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++)
    g_string_append_printf(list, "%s %s",
                           m == 0                         ? ""
                           : m + 1 < MT_N_CORPUS_MEASURES ? " ,"
                                                          : "\nor\n.Cm",
                           mt_corpus_measure_about(m)->id);
  return g_string_free(g_string_append(list, " ."), FALSE);
}

int
main(int argc, char **argv)
{
  g_autofree char *template = NULL;
  if (argc != 3 || !g_file_get_contents(argv[2], &template, NULL, NULL))
    fail("usage: regard-manual PROGRAM TEMPLATE");
  Manual self = {
      .program = g_str_equal(argv[1], "regard-cli") ? &cli_program : &train_program,
      .texts = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free),
      .listed = g_hash_table_new(NULL, NULL),
      .written = g_hash_table_new(g_str_hash, g_str_equal),
      .page = g_string_new(NULL),
  };
  g_autofree char *statistics = list_statistics();
  g_autoptr(GString) text = g_string_new(template);
  g_string_replace(text, ".\\\" STATISTICS", statistics, 0);
  g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
  for (char **line = lines; *line && (**line || line[1]); line++)
    if (g_str_has_prefix(*line, ".\\\" OPTIONS"))
      append_list(&self, g_strstrip(*line + strlen(".\\\" OPTIONS")), &line);
    else if (g_str_equal(*line, ".\\\" SYNOPSIS"))
      append_synopsis(&self);
    else
      g_string_append_printf(self.page, "%s\n", *line);
  check_listed(&self);
  fputs(self.page->str, stdout);
  g_hash_table_unref(self.texts);
  g_hash_table_unref(self.listed);
  g_hash_table_unref(self.written);
  g_string_free(self.page, TRUE);
  return 0;
}
