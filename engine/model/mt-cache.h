/* mt-cache.h — the rounded matrices of a model in a file, so that they need not be made again.
 * Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cache is a file of a folder that the caller names, one for a model and a precision:
 *   head      mt_cache_head, in the byte order of the machine
 *   table     mt_cache_matrix [n_matrices]
 *   zeros     up to a multiple of MT_CACHE_PAGE
 *   data      the matrices as the kernels read them, which are mapped
 * It is used only if it was made from the same files, for the same kernels, and has exactly the
 * matrices that are wanted, at the places where they are looked for; else it is written anew.
 */
#ifndef MT_CACHE_H
#define MT_CACHE_H

#include "checkpoint/mt-container.h"
#include "files/mt-file.h"
#include "mt.h"

#define MT_CACHE_PAGE 4096

typedef struct {
  uint64_t n_out, n_in;
  uint64_t offset; /* of its first byte in the data; its other arrays follow */
  uint64_t n_bytes;
} mt_cache_matrix;

typedef struct {
  char magic[8]; /* MT_CACHE_MAGIC, without its end */
  uint32_t version;
  uint32_t byte_order;                             /* MT_CACHE_BYTE_ORDER */
  char precision[16];                              /* as mt_precision_name, filled up with zeros */
  uint32_t panel_outs, int8_panel, int8_alignment; /* of the kernels */
  uint32_t reserved;                               /* 0 */
  uint64_t source;                                 /* mt_cache_source */
  uint64_t n_matrices, n_bytes;                    /* of the table, of the data */
  uint64_t sum;                                    /* mt_cache_sum of table and data */
} mt_cache_head;

#define MT_CACHE_MAGIC      "MTWEIGHT"
#define MT_CACHE_VERSION    1
#define MT_CACHE_BYTE_ORDER 0x01020304

/* What a cache has to be. */
typedef struct {
  const char *folder;
  const char *directory;        /* the model's, as it was opened */
  mt_precision precision, form; /* asked for; of the matrices: F16, BF16 or INT8 */
  uint64_t source;              /* mt_cache_source, and which tensors the matrices are made from */
  const mt_cache_matrix *matrices;
  size_t n_matrices, n_bytes;
} mt_cache_key;

/* By what the weights of an open checkpoint are known: names, sizes and times of its files, and
 * their lists of tensors. False: a file is gone. */
bool mt_cache_source(const mt_container *container, const mt_dir *dir, uint64_t *source);

/* Map the cache of a key. *data: its first byte, aligned to MT_CACHE_PAGE. False: there is none
 * that fits, *mapping is empty. faults: see mt-fault.h. */
bool mt_cache_map(const mt_cache_key *key, mt_fault_log *faults, mt_mapping *mapping,
                  const char **data);

/* Write it, in the place of one that does not fit; the folder is made if need be. on_written is
 * told the bytes of the data that were written, false cancels. Errors: MT_ERROR_IO,
 * MT_ERROR_CANCELLED, MT_ERROR_NO_MEMORY; what was there before is then still there. */
bool mt_cache_write(const mt_cache_key *key, const char *data,
                    bool (*on_written)(void *user, size_t n_bytes), void *user, mt_error *error);

/* The check sum: for damage, not against malice. n is a multiple of 32. */
uint64_t mt_cache_sum(uint64_t sum, const void *bytes, size_t n);

#endif
