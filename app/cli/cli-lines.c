/* cli-lines.c — a line in, a line out, in order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  const CliCommand *command;
  CliLineFunc func;
  gpointer user;
  GString *buffer;
  CliStatus status;
} Reader;

/* One line into reader->buffer; *too_long tells that its end was thrown away. FALSE at the end of
 * the file. getc takes what the pipe has: it waits only while no whole line has come. */
static gboolean
read_line(Reader *reader, FILE *stream, gboolean *too_long)
{
  int c;
  gboolean any = FALSE;
  *too_long = FALSE;
  g_string_truncate(reader->buffer, 0);
  while ((c = getc_unlocked(stream)) != EOF) {
    any = TRUE;
    if (c == '\n')
      break;
    if (reader->buffer->len < CLI_LINE_MAX_BYTES)
      g_string_append_c(reader->buffer, (char) c);
    else
      *too_long = TRUE;
  }
  return any;
}

static gboolean
is_blank(const char *text)
{
  for (; *text; text = g_utf8_next_char(text)) {
    gunichar c = g_utf8_get_char_validated(text, -1);
    if (c == (gunichar) -1 || c == (gunichar) -2 || !g_unichar_isspace(c))
      return FALSE;
  }
  return TRUE;
}

/* FALSE: stop everything. */
static gboolean
each_line(Reader *reader, FILE *stream, const char *name)
{
  gboolean too_long;
  for (guint64 number = 1; read_line(reader, stream, &too_long); number++) {
    GString *buffer = reader->buffer;
    if (buffer->len && buffer->str[buffer->len - 1] == '\r')
      g_string_truncate(buffer, buffer->len - 1);
    char *text = buffer->str;
    if (number == 1 && g_str_has_prefix(text, "\xEF\xBB\xBF"))
      text += 3; /* a byte order mark is no part of the sentence */

    CliLine line = {.file = name, .number = number, .text = text};
    if (too_long)
      line.error = "the line is longer than 1 MiB";
    else if (memchr(buffer->str, '\0', buffer->len))
      line.error = "the line holds a NUL byte";
    if (line.error)
      line.text = NULL;
    else
      line.blank = is_blank(text);

    CliLineResult result = reader->func(&line, reader->user);
    if (result != CLI_LINE_DONE)
      reader->status = CLI_FAILED;
    if (result == CLI_LINE_STOP)
      return FALSE;
  }
  if (ferror(stream)) {
    cli_complain(reader->command, "cannot read '%s': %s", name, g_strerror(errno));
    reader->status = CLI_FAILED;
  }
  return TRUE;
}

static gboolean
each_file(Reader *reader, const char *name)
{
  if (strcmp(name, "-") == 0)
    return each_line(reader, stdin, name);
  FILE *stream = fopen(name, "re");
  if (!stream) {
    cli_complain(reader->command, "cannot open '%s': %s", name, g_strerror(errno));
    reader->status = CLI_FAILED;
    return TRUE;
  }
  gboolean go_on = each_line(reader, stream, name);
  fclose(stream);
  return go_on;
}

CliStatus
cli_lines_foreach(const CliCommand *command, const GPtrArray *files, CliLineFunc func,
                  gpointer user)
{
  Reader reader = {.command = command, .func = func, .user = user, .status = CLI_DONE};
  reader.buffer = g_string_new(NULL);
  if (files->len == 0)
    each_file(&reader, "-");
  for (guint i = 0; i < files->len; i++)
    if (!each_file(&reader, files->pdata[i]))
      break;
  g_string_free(reader.buffer, TRUE);
  return reader.status;
}
