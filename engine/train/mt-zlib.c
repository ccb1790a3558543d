/* mt-zlib.c — gzip streams (RFC 1952). files/mt-sums.c is the other user of zlib.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-decompress.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <limits.h>
#include <zlib.h>

typedef struct {
  z_stream stream;
  bool has_stream;
  bool between; /* a member ended; another may follow */
} gunzip;

static void *
allocate(void *unused, unsigned n, unsigned size)
{
  (void) unused;
  return mt_alloc(n, size);
}

static void
release(void *unused, void *memory)
{
  (void) unused;
  mt_free(memory);
}

static void
stop(void *state)
{
  gunzip *gz = state;
  if (!gz)
    return;
  if (gz->has_stream)
    inflateEnd(&gz->stream);
  mt_free(gz);
}

static void *
start(mt_error *error)
{
  gunzip *gz = mt_alloc(1, sizeof *gz);
  if (gz) {
    gz->stream.zalloc = allocate;
    gz->stream.zfree = release;
    gz->has_stream = inflateInit2(&gz->stream, 15 + 16) == Z_OK; /* any window, gzip only */
  }
  if (gz && gz->has_stream)
    return gz;
  stop(gz);
  mt_fail_no_memory(error);
  return NULL;
}

/* Between two members: gzip files may be joined, and padded with zeros (tapes). */
static bool
begin_member(gunzip *gz, const unsigned char **in, size_t *n_in, const char *label, mt_error *error)
{
  while (*n_in > 0 && **in == 0)
    ++*in, --*n_in;
  if (*n_in == 0)
    return true;
  if (**in != 0x1f)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected the end of the gzip data, found something else behind it.", label);
  inflateReset(&gz->stream);
  gz->between = false;
  return true;
}

static unsigned
at_most(size_t n)
{
  return n < UINT_MAX ? (unsigned) n : UINT_MAX;
}

static bool
step(void *state, const unsigned char **in, size_t *n_in, bool is_last, unsigned char *out,
     size_t capacity, size_t *n_out, const char *label, mt_error *error)
{
  gunzip *gz = state;
  *n_out = 0;
  if (gz->between && !begin_member(gz, in, n_in, label, error))
    return false;
  if (gz->between)
    return true;
  z_stream *z = &gz->stream;
  unsigned given = at_most(*n_in), room = at_most(capacity);
  z->next_in = (unsigned char *) *in; /* zlib does not write there */
  z->avail_in = given;
  z->next_out = out;
  z->avail_out = room;
  int status = inflate(z, Z_NO_FLUSH);
  *in += given - z->avail_in;
  *n_in -= given - z->avail_in;
  *n_out = room - z->avail_out;
  switch (status) {
  case Z_STREAM_END:
    gz->between = true;
    return true;
  case Z_OK:
    return true;
  case Z_BUF_ERROR: /* nothing could be done with these bytes */
    return !is_last || mt_fail(error, MT_ERROR_FORMAT,
                               "%s: expected the rest of the gzip data, found the end of the file "
                               "(is it cut off?).",
                               label);
  case Z_MEM_ERROR:
    return mt_fail_no_memory(error);
  default:
    return mt_fail(error, MT_ERROR_FORMAT, "%s: the gzip data are damaged (%s).", label,
                   z->msg ? z->msg : "no valid stream");
  }
}

const mt_decompress mt_decompress_gz = {
    .name = "gzip",
    .magic = {0x1f, 0x8b},
    .n_magic = 2,
    .start = start,
    .step = step,
    .stop = stop,
};
