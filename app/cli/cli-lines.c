/* cli-lines.c — a line in, a line out, in order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct _CliLineStream {
  const CliCommand *command;
  const char *name;
  FILE *file;
  guint64 number; /* of lines so far */
  int problem;    /* errno when reading failed */
  GString *buffer;
};

CliLineStream *
cli_line_stream_open(const CliCommand *command, const char *name)
{
  FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "re");
  if (!file) {
    cli_complain(command, "cannot open '%s': %s", name, g_strerror(errno));
    return NULL;
  }
  CliLineStream *stream = g_new0(CliLineStream, 1);
  stream->command = command;
  stream->name = name;
  stream->file = file;
  stream->buffer = g_string_new(NULL);
  return stream;
}

gboolean
cli_line_stream_is_whole(const CliLineStream *stream)
{
  struct stat info;
  return stream->file != stdin && fstat(fileno(stream->file), &info) == 0 && S_ISREG(info.st_mode);
}

/* One line into stream->buffer; *too_long tells that its end was thrown away. FALSE at the end of
 * the file. getc takes what the pipe has: it waits only while no whole line has come. */
static gboolean
read_line(CliLineStream *stream, gboolean *too_long)
{
  int c;
  gboolean any = FALSE;
  *too_long = FALSE;
  g_string_truncate(stream->buffer, 0);
  while ((c = getc_unlocked(stream->file)) != EOF) {
    any = TRUE;
    if (c == '\n')
      break;
    if (stream->buffer->len < CLI_LINE_MAX_BYTES)
      g_string_append_c(stream->buffer, (char) c);
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

gboolean
cli_line_stream_next(CliLineStream *stream, CliLine *line)
{
  gboolean too_long;
  if (!read_line(stream, &too_long)) {
    stream->problem = ferror(stream->file) ? errno : 0;
    return FALSE;
  }
  GString *buffer = stream->buffer;
  if (buffer->len && buffer->str[buffer->len - 1] == '\r')
    g_string_truncate(buffer, buffer->len - 1);
  char *text = buffer->str;
  stream->number++;
  if (stream->number == 1 && g_str_has_prefix(text, "\xEF\xBB\xBF"))
    text += 3; /* a byte order mark is no part of the sentence */

  *line = (CliLine){.file = stream->name, .number = stream->number, .text = text};
  if (too_long)
    line->error = "the line is longer than 1 MiB";
  else if (memchr(buffer->str, '\0', buffer->len))
    line->error = "the line holds a NUL byte";
  if (line->error)
    line->text = NULL;
  else
    line->blank = is_blank(text);
  return TRUE;
}

gboolean
cli_line_stream_close(CliLineStream *stream)
{
  gboolean failed = stream->problem != 0;
  if (failed)
    cli_complain(stream->command, "cannot read '%s': %s", stream->name,
                 g_strerror(stream->problem));
  if (stream->file != stdin)
    fclose(stream->file);
  g_string_free(stream->buffer, TRUE);
  g_free(stream);
  return !failed;
}

/* FALSE: stop everything. */
static gboolean
each_line(CliLineStream *stream, CliLineFunc func, gpointer user, CliStatus *status)
{
  CliLine line;
  while (cli_line_stream_next(stream, &line)) {
    CliLineResult result = func(&line, user);
    if (result != CLI_LINE_DONE)
      *status = CLI_FAILED;
    if (result == CLI_LINE_STOP)
      return FALSE;
  }
  return TRUE;
}

CliStatus
cli_lines_foreach(const CliCommand *command, const GPtrArray *files, CliLineFunc func,
                  CliWholeFunc whole, gpointer user)
{
  CliStatus status = CLI_DONE;
  gboolean go_on = TRUE;
  for (guint i = 0; go_on && i < MAX(files->len, 1); i++) {
    CliLineStream *stream = cli_line_stream_open(command, files->len ? files->pdata[i] : "-");
    if (!stream) {
      status = CLI_FAILED;
      continue;
    }
    if (whole && cli_line_stream_is_whole(stream))
      go_on = whole(stream, user, &status);
    else
      go_on = each_line(stream, func, user, &status);
    if (!cli_line_stream_close(stream))
      status = CLI_FAILED;
  }
  return status;
}
