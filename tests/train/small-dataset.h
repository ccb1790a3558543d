/* small-dataset.h — prepared folders that a test writes, spoils and opens.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "mt/train/dataset.h"

#include <glib.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_dataset, mt_dataset_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_dataset_writer, mt_dataset_writer_free)

/* The vocabulary and tokenizer of tests/data/checkpoints/post-norm-relu. */
enum { SMALL_VOCAB = 125, SMALL_PAD = 124, SMALL_MAX_TOKENS = 12 };

extern const mt_dataset_info small_info;

/* A temporary folder, to be removed with small_remove, which removes all it holds. */
char *small_temporary(void);
void small_remove(char *folder);
/* Files and folders in a folder, hidden ones too. */
guint small_count(const char *folder);

/* The three files of the tokenizer. */
void small_add_tokenizer(mt_dataset_writer *writer);

/* A folder at `path` with two sources of n_pairs and 2 n_pairs pairs and n_heldout held-out pairs,
 * of lengths and ids that small_id says. */
void small_write(const char *path, guint n_pairs, guint n_heldout);
/* Length, </s> included, and ids of a side of a pair. */
gsize small_length(mt_dataset_part part, mt_stack side, gsize i);
int32_t small_id(mt_dataset_part part, mt_stack side, gsize i, gsize k);

/* A prepared folder in which nothing is wrong. */
mt_dataset *small_open(const char *path);
/* Ends the test program unless the file `name` of both folders has the same bytes. */
void small_assert_same_file(const char *a, const char *b, const char *name);

/* Replace a file of the folder by n bytes, and its size and check sum in the manifest. */
void small_replace(const char *path, const char *name, const void *bytes, gsize n);
/* Replace the first occurrence in manifest.json, which must exist. */
void small_edit_manifest(const char *path, const char *old, const char *new);
