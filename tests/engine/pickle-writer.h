/* pickle-writer.h — an assembler for pickles, honest and otherwise, and archives of torch.save
 * around them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "model-dir.h"

/* Appends opcodes to a pickle; protocol 2 unless said otherwise. */
typedef GByteArray pickle;

pickle *pickle_new(void); /* PROTO 2 */
void pickle_raw(pickle *p, const void *bytes, gsize n);
/* Opcodes as they are, up to a NUL, and between them what takes arguments: %b opcodes; %s text
 * (BINUNICODE); %d a gint64 (BININT or LONG1); %g a module and a name; %t a pickle_view. */
void pickle_put(pickle *p, const char *opcodes, ...);
/* A new one with these. */
pickle *pickle_of(const char *opcodes, ...);

/* A tensor as torch.save describes it. */
typedef struct {
  const char *storage_type; /* "FloatStorage" */
  const char *key;          /* "0" */
  gint64 n_stored;          /* numbers in the storage */
  gint64 offset;
  guint n_dims;
  gint64 shape[6], strides[6];
} pickle_view;

/* The archive that torch.save makes of a finished pickle and of storages, whose keys are "0", "1",
 * …; frees the pickle. */
typedef struct {
  const void *bytes;
  gsize n;
} torch_storage;
GByteArray *torch_archive(pickle *p, const torch_storage *storages, guint n_storages);

/* Writes tensors [first, end) of a model directory as torch.save would. */
void model_dir_write_torch(const model_dir *dir, const char *file, gsize first, gsize end,
                           dir_dtype dtype);
