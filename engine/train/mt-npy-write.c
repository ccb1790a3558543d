/* mt-npy-write.c — a NumPy array of whole numbers, written as it comes (NEP 1, version 1.0).
 *
 * The header, which says how many there are, has a fixed length and is written again at the end.
 * Little-endian machines only, as everything this engine runs on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-npy-write.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-npy.h"
#include "files/mt-sums.h"

#include <stdio.h>

#define HEADER_SIZE 128 /* room for any number of elements */

struct mt_npy_writer {
  mt_new_file *file;
  size_t item_size;
  uint64_t n;
  uint32_t crc; /* of the elements */
};

/* With so many elements as there are now. */
static size_t
make_header(const mt_npy_writer *writer, char header[MT_NPY_HEADER_MAX])
{
  char descr[8];
  const size_t n = (size_t) writer->n;
  snprintf(descr, sizeof descr, "<u%zu", writer->item_size);
  return mt_npy_make_header(header, descr, &n, 1, HEADER_SIZE);
}

mt_npy_writer *
mt_npy_writer_new(mt_new_dir *dir, const char *name, size_t item_size, mt_error *error)
{
  mt_npy_writer *writer = mt_alloc(1, sizeof *writer);
  if (!writer) {
    mt_fail_no_memory(error);
    return NULL;
  }
  writer->item_size = item_size;
  writer->file = mt_new_file_open(dir, name, error);
  if (!writer->file) {
    mt_free(writer);
    return NULL;
  }
  char header[MT_NPY_HEADER_MAX];
  mt_new_file_write(writer->file, header, make_header(writer, header));
  return writer;
}

bool
mt_npy_writer_add(mt_npy_writer *writer, const void *elements, size_t n, mt_error *error)
{
  writer->n += n;
  writer->crc = mt_crc32(writer->crc, elements, n * writer->item_size);
  return mt_new_file_write(writer->file, elements, n * writer->item_size) ||
         mt_new_file_check(writer->file, error);
}

bool
mt_npy_writer_close(mt_npy_writer *writer, uint64_t *size, uint32_t *crc, mt_error *error)
{
  char header[MT_NPY_HEADER_MAX];
  size_t n_header = make_header(writer, header);
  mt_new_file_rewrite(writer->file, header, n_header);
  *size = mt_new_file_size(writer->file);
  *crc =
      mt_crc32_combine(mt_crc32(0, header, n_header), writer->crc, writer->n * writer->item_size);
  bool ok = mt_new_file_close(writer->file, error);
  mt_free(writer);
  return ok;
}
