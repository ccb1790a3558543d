/* mt-text-file.c — lines of a text file, plain or compressed (gzip, xz).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt/train/text.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "train/mt-decompress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t) 1 << 16)
#define LABEL_MAX   600 /* of a path, in messages */

/* THE list of formats; what is none of them is plain text. */
static const mt_decompress *const formats[] = {&mt_decompress_gz, &mt_decompress_xz};

/* Compressed files that are known, but not read. */
static const struct {
  const char *name;
  unsigned char magic[MT_DECOMPRESS_MAGIC];
  size_t n_magic;
} others[] = {
    {"bzip2", {'B', 'Z', 'h'}, 3},
    {"Zstandard", {0x28, 0xb5, 0x2f, 0xfd}, 4},
    {"LZ4", {0x04, 0x22, 0x4d, 0x18}, 4},
    {"zip", {'P', 'K', 3, 4}, 4},
};

struct mt_text_file {
  int fd;
  char *label;
  uint64_t size, position;     /* of the file */
  const mt_decompress *format; /* NULL: plain */
  void *state;
  unsigned char *in;       /* [BUFFER_SIZE], bytes of a compressed file */
  const unsigned char *at; /* what of it comes next */
  size_t n_in;
  bool is_last;        /* the file has no more */
  unsigned char *text; /* [BUFFER_SIZE], bytes of text */
  size_t n_text, text_at;
  char *line; /* [line_capacity] */
  size_t line_capacity;
  uint64_t line_number;
};

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* A signal means that somebody wants the program to stop: a pipe may never have anything to say. */
static bool
fail_read(const mt_text_file *file, mt_error *error)
{
  if (errno == EINTR)
    return mt_fail(error, MT_ERROR_CANCELLED, "Reading %s was interrupted.", file->label);
  return mt_fail(error, MT_ERROR_IO, "%s: the file cannot be read (%m).", file->label);
}

/* Up to BUFFER_SIZE bytes of the file; none means its end. */
static bool
read_file(mt_text_file *file, unsigned char *out, size_t *n, mt_error *error)
{
  const ssize_t got = read(file->fd, out, BUFFER_SIZE);
  if (got < 0)
    return fail_read(file, error);
  *n = (size_t) got;
  file->position += *n;
  return true;
}

/* Fill text; n_text is 0 at the end. */
static bool
refill(mt_text_file *file, mt_error *error)
{
  file->text_at = file->n_text = 0;
  if (!file->format)
    return read_file(file, file->text, &file->n_text, error);
  while (file->n_text == 0) {
    if (file->n_in == 0 && !file->is_last) {
      if (!read_file(file, file->in, &file->n_in, error))
        return false;
      file->at = file->in;
      file->is_last = file->n_in == 0;
    }
    if (!file->format->step(file->state, &file->at, &file->n_in, file->is_last, file->text,
                            BUFFER_SIZE, &file->n_text, file->label, error))
      return false;
    if (file->n_text == 0 && file->n_in == 0 && file->is_last)
      return true;
  }
  return true;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool
starts_with(const mt_text_file *file, const unsigned char *magic, size_t n)
{
  return file->n_in >= n && memcmp(file->in, magic, n) == 0;
}

/* The first bytes say what it is. They may come one by one out of a pipe. */
static bool
recognise(mt_text_file *file, mt_error *error)
{
  while (file->n_in < MT_DECOMPRESS_MAGIC) {
    ssize_t got = read(file->fd, file->in + file->n_in, BUFFER_SIZE - file->n_in);
    if (got < 0)
      return fail_read(file, error);
    if (got == 0)
      break;
    file->n_in += (size_t) got;
    file->position += (uint64_t) got;
  }
  file->at = file->in;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (starts_with(file, others[i].magic, others[i].n_magic))
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s: expected text, plain or compressed by xz or gzip, found %s data.",
                     file->label, others[i].name);
  for (size_t i = 0; i < sizeof formats / sizeof *formats && !file->format; i++)
    if (starts_with(file, formats[i]->magic, formats[i]->n_magic))
      file->format = formats[i];
  if (file->format) {
    file->state = file->format->start(error);
    return file->state != NULL;
  }
  /* Plain: what was read is text; U+FEFF before it is a mark, not text. */
  unsigned char *swapped = file->text;
  file->text = file->in;
  file->in = swapped;
  file->n_text = file->n_in;
  file->n_in = 0;
  return true;
}

mt_text_file *
mt_text_file_open(const char *path, mt_error *error)
{
  mt_text_file *file = mt_alloc(1, sizeof *file);
  if (!file)
    return mt_fail_no_memory(error), NULL;

  file->fd = -1;
  file->label = mt_strndup(path, strnlen(path, LABEL_MAX));
  file->in = mt_alloc(BUFFER_SIZE, 1);
  file->text = mt_alloc(BUFFER_SIZE, 1);
  file->line_capacity = 1024;
  file->line = mt_alloc(file->line_capacity, 1);
  bool ok = (file->label && file->in && file->text && file->line) || mt_fail_no_memory(error);
  if (ok) {
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat status;
    if (file->fd < 0 && errno == EINTR) {
      ok = fail_read(file, error);
    } else if (file->fd < 0 || fstat(file->fd, &status) != 0) {
      ok = mt_fail(error, MT_ERROR_IO, "%s: the file cannot be opened (%m).", file->label);
    } else if (S_ISDIR(status.st_mode)) {
      ok = mt_fail(error, MT_ERROR_IO, "%s: expected a file, found a directory.", file->label);
    } else {
      file->size = S_ISREG(status.st_mode) && status.st_size > 0 ? (uint64_t) status.st_size : 0;
    }
  }
  if (ok && recognise(file, error))
    return file;
  mt_text_file_free(file);
  return NULL;
}

void
mt_text_file_free(mt_text_file *file)
{
  if (!file)
    return;
  if (file->state)
    file->format->stop(file->state);
  if (file->fd >= 0)
    close(file->fd);
  mt_free(file->label);
  mt_free(file->in);
  mt_free(file->text);
  mt_free(file->line);
  mt_free(file);
}

uint64_t
mt_text_file_position(const mt_text_file *file)
{
  return file->position - file->n_in - (file->format ? 0 : file->n_text - file->text_at);
}

uint64_t
mt_text_file_size(const mt_text_file *file)
{
  return file->size;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Append bytes to the line, as far as it may go. */
static bool
append(mt_text_file *file, mt_text_line *line, const unsigned char *bytes, size_t n,
       mt_error *error)
{
  /* One byte more than is kept, for the "\r" of a line end. */
  size_t room = MT_TEXT_LINE_MAX + 1 - line->n;
  if (n > room) {
    line->is_cut = true;
    n = room;
  }
  if (!mt_grow(&file->line, line->n, n + 1, &file->line_capacity, 1))
    return mt_fail_no_memory(error);
  memcpy(file->line + line->n, bytes, n);
  line->n += n;
  return true;
}

/* What belongs to no line's text. */
static void
trim(mt_text_file *file, mt_text_line *line)
{
  static const char mark[] = "\xef\xbb\xbf";
  if (!line->is_cut && line->n > 0 && file->line[line->n - 1] == '\r')
    line->n--;
  if (line->n > MT_TEXT_LINE_MAX) {
    line->n = MT_TEXT_LINE_MAX;
    line->is_cut = true;
  }
  file->line[line->n] = '\0';
  line->text = file->line;
  if (line->number == 1 && line->n >= 3 && memcmp(line->text, mark, 3) == 0) {
    line->text += 3;
    line->n -= 3;
  }
}

bool
mt_text_file_next(mt_text_file *file, mt_text_line *line, bool *is_end, mt_error *error)
{
  mt_text_line next = {.number = file->line_number + 1};
  bool has_end = false, any = false;
  size_t n_all = 0;
  while (!has_end) {
    if (file->text_at == file->n_text && !refill(file, error))
      return false;
    size_t n = file->n_text - file->text_at;
    if (n == 0)
      break;
    any = true;
    const unsigned char *bytes = file->text + file->text_at;
    const unsigned char *newline = memchr(bytes, '\n', n);
    has_end = newline != NULL;
    if (has_end)
      n = (size_t) (newline - bytes);
    n_all += n;
    if (n_all > MT_TEXT_LINE_ENDLESS)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected text in lines, found no end of line %llu after %zu bytes.",
                     file->label, (unsigned long long) next.number, MT_TEXT_LINE_ENDLESS);
    if (!append(file, &next, bytes, n, error))
      return false;
    file->text_at += n + has_end;
  }
  *is_end = !any;
  if (!any)
    return true;
  trim(file, &next);
  file->line_number = next.number;
  *line = next;
  return true;
}
