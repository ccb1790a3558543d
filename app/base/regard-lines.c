/* regard-lines.c — lines of files, in order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-lines.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct _RegardLineStream {
  const char *name;
  FILE *file;
  guint64 number; /* of lines so far */
  int problem;    /* errno when reading failed */
  GString *buffer;
  GString *paragraph;  /* lines joined; NULL: each line is for itself */
  gboolean is_endless; /* nothing more is read */
  guint64 blank;       /* number of the empty line that ended the last paragraph; 0: none did */
};

RegardLineStream *
regard_line_stream_open(const char *name)
{
  FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "re");
  if (!file)
    return NULL;
  RegardLineStream *stream = g_new0(RegardLineStream, 1);
  stream->name = name;
  stream->file = file;
  stream->buffer = g_string_new(NULL);
  return stream;
}

void
regard_line_stream_join(RegardLineStream *stream)
{
  if (!stream->paragraph)
    stream->paragraph = g_string_new(NULL);
}

gboolean
regard_line_stream_is_whole(const RegardLineStream *stream)
{
  struct stat info;
  return stream->file != stdin && fstat(fileno(stream->file), &info) == 0 && S_ISREG(info.st_mode);
}

/* One line into stream->buffer, of which *n bytes were read; more than REGARD_LINE_MAX_BYTES: its
 * end was thrown away. FALSE at the end of the file. getc takes what the pipe has: it waits only
 * while no whole line has come. */
static gboolean
read_line(RegardLineStream *stream, gsize *n)
{
  int c = EOF;
  *n = 0;
  g_string_truncate(stream->buffer, 0);
  while (!stream->is_endless && (c = getc_unlocked(stream->file)) != EOF && c != '\n') {
    if (++*n <= REGARD_LINE_MAX_BYTES)
      g_string_append_c(stream->buffer, (char) c);
    stream->is_endless = *n > REGARD_LINE_ENDLESS_BYTES;
  }
  return *n > 0 || c == '\n';
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

static gboolean
next_line(RegardLineStream *stream, RegardLine *line)
{
  gsize n;
  if (!read_line(stream, &n)) {
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

  *line = (RegardLine){.file = stream->name, .number = stream->number, .text = text};
  if (stream->is_endless)
    line->error = N_("the line is longer than 64 MiB; the rest of the file is not read");
  else if (n > REGARD_LINE_MAX_BYTES)
    line->error = N_("the line is longer than 1 MiB");
  else if (memchr(buffer->str, '\0', buffer->len))
    line->error = N_("the line holds a NUL byte");
  if (line->error)
    line->text = NULL;
  else
    line->blank = is_blank(text);
  return TRUE;
}

/* Chinese and Japanese have no blank where a line ends. */
static gboolean
is_without_blanks(gunichar c)
{
  return g_unichar_iswide(c) && g_unichar_get_script(c) != G_UNICODE_SCRIPT_HANGUL;
}

/* Put a line behind the others of its paragraph, without the blanks around it. What is no UTF-8 is
 * refused later, with its place. */
static void
join(GString *paragraph, const char *text)
{
  while (g_ascii_isspace(*text))
    text++;
  if (paragraph->len > 0) {
    const char *last = g_utf8_find_prev_char(paragraph->str, paragraph->str + paragraph->len);
    gunichar before = last ? g_utf8_get_char_validated(last, -1) : 0,
             after = g_utf8_get_char_validated(text, -1);
    if (!is_without_blanks(before) || !is_without_blanks(after))
      g_string_append_c(paragraph, ' ');
  }
  g_string_append(paragraph, text);
  while (paragraph->len > 0 && g_ascii_isspace(paragraph->str[paragraph->len - 1]))
    g_string_truncate(paragraph, paragraph->len - 1);
}

/* Lines up to an empty one or the end of the file; an empty one comes by itself, afterwards. */
static gboolean
next_paragraph(RegardLineStream *stream, RegardLine *line)
{
  GString *paragraph = stream->paragraph;
  RegardLine part;
  gsize n = 0;
  *line = (RegardLine){.file = stream->name, .number = stream->blank, .text = "", .blank = TRUE};
  g_string_truncate(paragraph, 0);
  if (stream->blank) {
    stream->blank = 0;
    return TRUE;
  }
  while (next_line(stream, &part)) {
    if (!line->number)
      line->number = part.number;
    if (part.blank && line->blank)
      return TRUE;
    if (part.blank) {
      stream->blank = part.number;
      break;
    }
    line->blank = FALSE;
    n += part.text ? strlen(part.text) + 1 : 0;
    if (stream->is_endless)
      line->error = part.error;
    else if (n > REGARD_LINE_ENDLESS_BYTES) {
      line->error = N_("the paragraph is longer than 64 MiB; the rest of the file is not read");
      stream->is_endless = TRUE;
    } else if (part.text && paragraph->len + strlen(part.text) < REGARD_LINE_MAX_BYTES)
      join(paragraph, part.text);
    else if (!line->error)
      line->error = part.text ? N_("the paragraph is longer than 1 MiB") : part.error;
  }
  line->text = line->error ? NULL : paragraph->str;
  return line->number > 0;
}

gboolean
regard_line_stream_next(RegardLineStream *stream, RegardLine *line)
{
  return stream->paragraph ? next_paragraph(stream, line) : next_line(stream, line);
}

int
regard_line_stream_close(RegardLineStream *stream)
{
  const int problem = stream->problem;
  if (stream->file != stdin)
    fclose(stream->file);
  g_string_free(stream->buffer, TRUE);
  if (stream->paragraph)
    g_string_free(stream->paragraph, TRUE);
  g_free(stream);
  return problem;
}
