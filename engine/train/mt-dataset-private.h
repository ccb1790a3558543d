/* mt-dataset-private.h — a prepared folder as the files that read it see it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_DATASET_PRIVATE_H
#define MT_DATASET_PRIVATE_H

#include "files/mt-fault.h"
#include "files/mt-file.h"
#include "files/mt-json.h"
#include "train/mt-dataset-files.h"

/* Bytes of a file; no sum of a few of them overflows. */
#define MT_DATASET_MAX_FILE (SIZE_MAX / 4)

/* One side of one part. */
typedef struct {
  mt_mapping ids_file, offsets_file;
  const unsigned char *ids, *offsets; /* not aligned in an archive */
  size_t id_size;                     /* bytes: 2 or 4 */
  size_t n_tokens;
} side_arrays;

typedef struct {
  mt_mapping file;
  size_t *starts; /* [pairs + 1], where line i begins */
} text_lines;

struct mt_dataset {
  mt_fault_log faults;
  char *name; /* of the folder, for messages */
  mt_json manifest;
  uint32_t checksum;
  mt_dataset_info info;
  mt_dataset_source *sources;
  size_t n_sources;
  size_t n_pairs[MT_DATASET_N_PARTS];
  side_arrays sides[MT_DATASET_N_PARTS][MT_N_STACKS];
  text_lines texts[MT_N_STACKS];
  mt_mapping tokenizer[MT_DATASET_N_TOKENIZER_FILES];
};

/* ---- mt-dataset-manifest.c --------------------------------------------------------------------
 */

/* Read manifest.json: info, sources, numbers of pairs and tokens. */
bool mt_dataset_open_manifest(mt_dataset *dataset, const mt_dir *dir, mt_error *error);
/* What it says of a file: its size in bytes, and its check sum in hexadecimal digits (borrowed). */
bool mt_dataset_get_file(const mt_dataset *dataset, const char *name, size_t *size,
                         const char **crc, mt_error *error);

#endif
