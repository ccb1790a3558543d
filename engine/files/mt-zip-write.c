/* mt-zip-write.c — zip archives, written by libzip.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An archive is written to a temporary file beside the target and renamed over it only when it is
 * whole and on the disk. libzip itself works that way but for the last, which it does not wait for:
 * what it replaces in zip_close is therefore a file of our own.
 */
#include "files/mt-zip-write.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

/* ---- One entry ------------------------------------------------------------------------------- */

/* What libzip reads it from: head and data, without a copy of them. */
typedef struct {
  const mt_zip_part *part;
  size_t position;
} part_source;

static size_t
read_part(part_source *source, char *out, size_t wanted)
{
  const mt_zip_part *part = source->part;
  const void *pieces[] = {part->head, part->data};
  const size_t sizes[] = {part->head_size, part->data_size};
  size_t done = 0, begin = 0;
  for (int i = 0; i < 2; i++) {
    const size_t end = begin + sizes[i];
    if (source->position < end && done < wanted) {
      const size_t left = end - source->position;
      const size_t n = left < wanted - done ? left : wanted - done;
      memcpy(out + done, (const char *) pieces[i] + (source->position - begin), n);
      source->position += n;
      done += n;
    }
    begin = end;
  }
  return done;
}

static zip_int64_t
part_callback(void *user, void *out, zip_uint64_t size, zip_source_cmd_t command)
{
  part_source *source = user;
  switch (command) {
  case ZIP_SOURCE_OPEN:
    source->position = 0;
    return 0;
  case ZIP_SOURCE_READ:
    return (zip_int64_t) read_part(source, out, size);
  case ZIP_SOURCE_CLOSE:
    return 0;
  case ZIP_SOURCE_STAT: {
    zip_stat_t *stat = out;
    zip_stat_init(stat);
    stat->size = source->part->head_size + source->part->data_size;
    stat->valid = ZIP_STAT_SIZE;
    return sizeof *stat;
  }
  case ZIP_SOURCE_ERROR:
    memset(out, 0, 2 * sizeof(int));
    return 2 * sizeof(int);
  case ZIP_SOURCE_FREE:
    mt_free(source);
    return 0;
  case ZIP_SOURCE_SUPPORTS:
    return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                          ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
  default:
    return -1;
  }
}

/* What libzip says, as our error. In places it fails for want of memory and says nothing. */
static bool
fail_write(const char *path, zip_error_t *reason, mt_error *error)
{
  enum { Z_MEM_ERROR = -4 }; /* zlib's */
  if (zip_error_code_zip(reason) == ZIP_ER_MEMORY ||
      (zip_error_system_type(reason) == ZIP_ET_ZLIB &&
       zip_error_code_system(reason) == Z_MEM_ERROR) ||
      zip_error_code_zip(reason) == ZIP_ER_OK ||
      (zip_error_system_type(reason) == ZIP_ET_SYS && zip_error_code_system(reason) == ENOMEM))
    return mt_fail_no_memory(error);
  return mt_fail(error, MT_ERROR_IO, "%s: cannot be written: %s", path, zip_error_strerror(reason));
}

/* 1 January 1980, the first that an archive can hold, as MS-DOS writes it. */
enum { FIRST_DAY = (1980 - 1980) << 9 | 1 << 5 | 1 };

static bool
add_part(zip_t *zip, const mt_zip_part *part, const char *path, mt_error *error)
{
  part_source *contents = mt_alloc(1, sizeof *contents);
  if (!contents)
    return mt_fail_no_memory(error);
  contents->part = part;
  zip_source_t *source = zip_source_function(zip, part_callback, contents);
  if (!source) {
    mt_free(contents);
    return mt_fail_no_memory(error);
  }
  zip_int64_t index = zip_file_add(zip, part->name, source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return fail_write(path, zip_get_error(zip), error);
  }
  /* Without the time of writing, as NumPy does it: the same parts make the same bytes. */
  zip_file_set_dostime(zip, (zip_uint64_t) index, 0, FIRST_DAY, 0);
  zip_set_file_compression(zip, (zip_uint64_t) index, part->deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                           0);
  return true;
}

/* Adds all and closes the archive, whatever comes of it. */
static bool
fill(zip_t *zip, const char *path, const mt_zip_part *parts, size_t n, mt_error *error)
{
  for (size_t i = 0; i < n; i++)
    if (!add_part(zip, &parts[i], path, error)) {
      zip_discard(zip);
      return false;
    }
  if (zip_close(zip) < 0) {
    fail_write(path, zip_get_error(zip), error);
    zip_discard(zip);
    return false;
  }
  return true;
}

/* ---- To a file ------------------------------------------------------------------------------- */

#define REASON_SIZE 128

/* Where an archive goes. */
typedef struct {
  const char *path; /* as it was asked for, for errors */
  char *real;       /* the file behind all links, of realpath; NULL: there is none yet */
  char *part;       /* what is renamed to it */
  mode_t mode;      /* of the file that it replaces, or what the process gives new files */
} place;

static bool
fail_place(const place *p, int reason, mt_error *error)
{
  char text[REASON_SIZE];
  return mt_fail(error, MT_ERROR_IO, "%s: cannot be written: %s", p->path,
                 strerror_r(reason, text, sizeof text));
}

/* A new, empty file beside the place. */
static bool
make_part(place *p, const char *beside, bool is_there, mt_error *error)
{
  const size_t size = strlen(beside) + sizeof ".012345";
  int fd = -1;
  p->part = mt_alloc(size, 1);
  if (!p->part)
    return mt_fail_no_memory(error);
  errno = EEXIST;
  for (unsigned attempt = 0; attempt < 100 && fd < 0 && errno == EEXIST; attempt++) {
    unsigned number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
      number = (unsigned) getpid() + attempt;
    snprintf(p->part, size, "%s.%06x", beside, number & 0xffffff);
    fd = open(p->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) {
    const int reason = errno;
    if (fd >= 0) {
      close(fd);
      unlink(p->part);
    }
    mt_free(p->part);
    p->part = NULL;
    return fail_place(p, reason, error);
  }
  close(fd);
  if (!is_there)
    p->mode = info.st_mode & 0777;
  return true;
}

/* What a path stands for: an archive would come in the place of a link, and in that of a device
 * too.
 */
static bool
find_place(place *p, mt_error *error)
{
  struct stat info;
  const bool is_there = stat(p->path, &info) == 0;
  if (is_there && !S_ISREG(info.st_mode))
    return mt_fail(error, MT_ERROR_IO, "%s: cannot be written: expected a regular file, found %s",
                   p->path, S_ISDIR(info.st_mode) ? "a directory" : "a device, pipe or socket");
  p->mode = is_there ? info.st_mode & 0777 : 0;
  p->real = is_there ? realpath(p->path, NULL) : NULL;
  return make_part(p, p->real ? p->real : p->path, is_there, error);
}

/* libzip, too, puts a file in the place of another one: the mode is ours to set. */
static bool
put_in_place(const place *p, mt_error *error)
{
  return (chmod(p->part, p->mode) == 0 &&
          mt_durable_rename(p->part, p->real ? p->real : p->path)) ||
         fail_place(p, errno, error);
}

static void
leave_place(place *p, bool is_written)
{
  if (p->part && !is_written)
    unlink(p->part);
  mt_free(p->part);
  free(p->real); /* of realpath, not of mt_alloc */
}

bool
mt_zip_write(const char *path, const mt_zip_part *parts, size_t n, mt_error *error)
{
  place p = {.path = path};
  int code = 0;
  bool written = find_place(&p, error);
  zip_t *zip = written ? zip_open(p.part, ZIP_CREATE | ZIP_TRUNCATE, &code) : NULL;
  if (zip)
    written = fill(zip, path, parts, n, error) && put_in_place(&p, error);
  else if (written) {
    zip_error_t reason;
    zip_error_init_with_code(&reason, code);
    written = fail_write(path, &reason, error);
    zip_error_fini(&reason);
  }
  leave_place(&p, written);
  return written;
}

/* ---- Into memory ----------------------------------------------------------------------------- */

static bool
copy_out(zip_source_t *source, mt_bytes *bytes, mt_error *error)
{
  zip_stat_t stat;
  zip_stat_init(&stat);
  bool ok = zip_source_stat(source, &stat) == 0 && (stat.valid & ZIP_STAT_SIZE) &&
            zip_source_open(source) == 0;
  if (!ok)
    return fail_write("archive", zip_source_error(source), error);
  bytes->size = (size_t) stat.size;
  bytes->data = mt_alloc(bytes->size, 1);
  ok = bytes->data != NULL;
  for (size_t done = 0; ok && done < bytes->size;) {
    zip_int64_t got = zip_source_read(source, bytes->data + done, bytes->size - done);
    ok = got > 0;
    done += ok ? (size_t) got : 0;
  }
  zip_source_close(source);
  if (!ok) {
    mt_bytes_clear(bytes);
    return mt_fail_no_memory(error);
  }
  return true;
}

bool
mt_zip_make(const mt_zip_part *parts, size_t n, mt_bytes *bytes, mt_error *error)
{
  *bytes = (mt_bytes){0};
  zip_error_t reason;
  zip_error_init(&reason);
  zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, &reason);
  zip_t *zip = source ? zip_open_from_source(source, ZIP_TRUNCATE, &reason) : NULL;
  bool ok = zip || fail_write("archive", &reason, error);
  zip_error_fini(&reason);
  if (!zip) {
    zip_source_free(source);
    return false;
  }
  zip_source_keep(source); /* the archive frees its own */
  ok = fill(zip, "archive", parts, n, error) && copy_out(source, bytes, error);
  zip_source_free(source);
  return ok;
}

void
mt_bytes_clear(mt_bytes *bytes)
{
  mt_free(bytes->data);
  *bytes = (mt_bytes){0};
}
