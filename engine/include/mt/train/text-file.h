/* text-file.h — lines of a text file, plain or compressed (gzip, xz). Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_TEXT_FILE_H
#define MT_PUBLIC_TRAIN_TEXT_FILE_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that are kept of one line; no sentence comes near. What is beyond is thrown away, so that a
 * file of one endless line takes no memory. */
#define MT_TEXT_LINE_MAX ((size_t) 1 << 20)
/* A line that goes on for longer is an error: a device may have no end. */
#define MT_TEXT_LINE_ENDLESS ((size_t) 1 << 26)

typedef struct mt_text_file mt_text_file;

typedef struct {
  const char *text; /* n bytes, whatever they are, then a NUL; valid until the next call */
  size_t n; /* without the line end, "\n" or "\r\n", and without a mark (U+FEFF) before all */
  uint64_t number; /* counted from 1 */
  bool is_cut;     /* there was more than MT_TEXT_LINE_MAX */
} mt_text_line;

/* Open a file, whose first bytes say whether and how it is compressed. A pipe is fine. Errors name
 * it by `path`: MT_ERROR_IO, MT_ERROR_UNSUPPORTED for other compressions, MT_ERROR_NO_MEMORY, and
 * MT_ERROR_FORMAT for what is damaged at its start. */
mt_text_file *mt_text_file_open(const char *path, mt_error *error);
void mt_text_file_free(mt_text_file *file);

/* The next line; *is_end, and no line, behind the last one. A last line without an end is a line,
 * unless it is empty. Errors: MT_ERROR_IO, and MT_ERROR_FORMAT for a compressed file that is
 * damaged or cut off, and for a line beyond MT_TEXT_LINE_ENDLESS. */
bool mt_text_file_next(mt_text_file *file, mt_text_line *line, bool *is_end, mt_error *error);

/* How far it is: bytes of the file (compressed ones, if it is) that were used, and all of them, 0
 * for a pipe. */
uint64_t mt_text_file_position(const mt_text_file *file);
uint64_t mt_text_file_size(const mt_text_file *file);

#ifdef __cplusplus
}
#endif
#endif
