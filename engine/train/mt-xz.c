/* mt-xz.c — xz streams. The only user of liblzma.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "train/mt-decompress.h"

#include <lzma.h>

/* xz -9 needs 65 MiB; a header can ask for 4 GiB. */
#define MEMORY_LIMIT ((uint64_t) 256 << 20)

typedef struct {
  lzma_stream stream;
  lzma_allocator allocator;
  bool is_over;
} unxz;

static void *
allocate(void *unused, size_t n, size_t size)
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
  unxz *xz = state;
  if (!xz)
    return;
  lzma_end(&xz->stream);
  mt_free(xz);
}

static void *
start(mt_error *error)
{
  unxz *xz = mt_alloc(1, sizeof *xz);
  if (xz) {
    xz->allocator = (lzma_allocator){.alloc = allocate, .free = release};
    xz->stream = (lzma_stream) LZMA_STREAM_INIT;
    xz->stream.allocator = &xz->allocator;
    if (lzma_stream_decoder(&xz->stream, MEMORY_LIMIT, LZMA_CONCATENATED) == LZMA_OK)
      return xz;
  }
  stop(xz);
  mt_fail_no_memory(error);
  return NULL;
}

static bool
fail(lzma_ret status, const char *label, mt_error *error)
{
  switch (status) {
  case LZMA_MEM_ERROR:
    return mt_fail_no_memory(error);
  case LZMA_MEMLIMIT_ERROR:
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected xz data that need at most %u MiB of memory, found some that want "
                   "more.",
                   label, (unsigned) (MEMORY_LIMIT >> 20));
  case LZMA_OPTIONS_ERROR:
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: the xz data use filters or checks that are not known here.", label);
  case LZMA_BUF_ERROR:
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected the rest of the xz data, found the end of the file (is it cut "
                   "off?).",
                   label);
  default:
    return mt_fail(error, MT_ERROR_FORMAT, "%s: the xz data are damaged.", label);
  }
}

static bool
step(void *state, const unsigned char **in, size_t *n_in, bool is_last, unsigned char *out,
     size_t capacity, size_t *n_out, const char *label, mt_error *error)
{
  unxz *xz = state;
  *n_out = 0;
  if (xz->is_over) {
    *n_in = 0;
    return true;
  }
  xz->stream.next_in = *in;
  xz->stream.avail_in = *n_in;
  xz->stream.next_out = out;
  xz->stream.avail_out = capacity;
  lzma_ret status = lzma_code(&xz->stream, is_last ? LZMA_FINISH : LZMA_RUN);
  /* The first call that can do nothing is forgiven; a second one tells that the end is missing. */
  if (status == LZMA_OK && is_last && xz->stream.avail_in == 0 && xz->stream.avail_out == capacity)
    status = lzma_code(&xz->stream, LZMA_FINISH);
  *in = xz->stream.next_in;
  *n_in = xz->stream.avail_in;
  *n_out = capacity - xz->stream.avail_out;
  if (status == LZMA_STREAM_END)
    xz->is_over = true;
  else if (status == LZMA_BUF_ERROR && !is_last)
    return true; /* wants more than these bytes */
  else if (status != LZMA_OK)
    return fail(status, label, error);
  return true;
}

const mt_decompress mt_decompress_xz = {
    .name = "xz",
    .magic = {0xfd, '7', 'z', 'X', 'Z', 0},
    .n_magic = 6,
    .start = start,
    .step = step,
    .stop = stop,
};
