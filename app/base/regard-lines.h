/* regard-lines.h — lines of files, in order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A longer line is refused (and read to its end), so that a file without newlines cannot fill the
 * memory. */
#define REGARD_LINE_MAX_BYTES (1024 * 1024)
/* A line, or a paragraph, that goes on for so long has no end, as that of a device: the file is not
 * read any further. */
#define REGARD_LINE_ENDLESS_BYTES (64 * 1024 * 1024)

typedef struct {
  const char *file;  /* as given; "-" for standard input */
  guint64 number;    /* from 1 */
  const char *text;  /* without its line ending; valid until the next line; NULL if unreadable */
  const char *error; /* why text is NULL: in English, to be said in the words of who reads it */
  gboolean blank;    /* holds nothing but white space */
} RegardLine;

/* One file, line by line. NULL and errno: it cannot be opened. "-": standard input. The name is
 * borrowed. */
typedef struct _RegardLineStream RegardLineStream;
RegardLineStream *regard_line_stream_open(const char *name);
/* From now on lines that follow one another are one, with a blank between them, up to an empty
 * line: a paragraph, whose number is that of its first line. */
void regard_line_stream_join(RegardLineStream *stream);
/* A file that is there as a whole, neither a terminal nor a pipe nor standard input. */
gboolean regard_line_stream_is_whole(const RegardLineStream *stream);
/* The next line, valid until the next call; FALSE at the end, or where reading fails. */
gboolean regard_line_stream_next(RegardLineStream *stream, RegardLine *line);
/* 0, or the errno that reading failed with. */
int regard_line_stream_close(RegardLineStream *stream);

G_END_DECLS
