/* mt-dataset-files.h — what the files of a prepared folder are called. Private to mt-dataset*.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_DATASET_FILES_H
#define MT_DATASET_FILES_H

#include "mt/train/dataset.h"

#define MT_DATASET_MANIFEST "manifest.json"

static const char *const mt_dataset_part_names[MT_DATASET_N_PARTS] = {"train", "heldout"};

/* Ids and offsets, [part][side]. */
static const char *const mt_dataset_ids_files[MT_DATASET_N_PARTS][MT_N_STACKS] = {
    {"train.source.npy", "train.target.npy"},
    {"heldout.source.npy", "heldout.target.npy"},
};
static const char *const mt_dataset_offsets_files[MT_DATASET_N_PARTS][MT_N_STACKS] = {
    {"train.source-offsets.npy", "train.target-offsets.npy"},
    {"heldout.source-offsets.npy", "heldout.target-offsets.npy"},
};
static const char *const mt_dataset_text_files[MT_N_STACKS] = {"heldout.source.txt",
                                                               "heldout.target.txt"};

/* The tokenizer, of which the last is there only if the vocabularies are separate. */
enum { MT_DATASET_N_TOKENIZER_FILES = 4 };
static const char *const mt_dataset_tokenizer_files[MT_DATASET_N_TOKENIZER_FILES] = {
    "source.spm", "target.spm", "vocab.json", "target_vocab.json"};

#endif
