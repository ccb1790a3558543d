/* model-dir.h — small model directories that a test writes, spoils and opens.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt.h>

/* The shape of the model written: everything small and, where possible, different. */
enum {
  DIR_D = 8,
  DIR_HEADS = 2,
  DIR_FFN = 12,
  DIR_ENCODER_LAYERS = 1,
  DIR_DECODER_LAYERS = 2,
  DIR_POSITIONS = 16,
};

/* One tensor; the values are exact in F32, F16, BF16 and F64. */
typedef struct {
  char *name;
  guint n_dims;
  gsize shape[2];
  gsize n;
  float *values;
} dir_tensor;

typedef struct {
  char *path;
  gsize vocab_size;
  GPtrArray *tensors; /* of dir_tensor, in the order of the file */
} model_dir;

typedef enum { DIR_F32, DIR_F16, DIR_BF16, DIR_F64 } dir_dtype;

/* A good directory under the temporary directory: config.json, vocab.json, source.spm, target.spm,
 * and model.safetensors in F32. Failures end the test. */
model_dir *model_dir_new(void);
void model_dir_free(model_dir *dir); /* removes it */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(model_dir, model_dir_free)

/* Write tensors [first, end) as a safetensors file; `padding` spaces after the header. */
void model_dir_write_tensors(const model_dir *dir, const char *file, gsize first, gsize end,
                             dir_dtype dtype, gsize padding);
/* The same in three shards with an index. Removes model.safetensors. */
void model_dir_write_shards(const model_dir *dir, dir_dtype dtype);

/* A safetensors file with any header and n_data bytes of zeros. */
void model_dir_write_header(const model_dir *dir, const char *file, const char *header,
                            gsize n_data);

/* Files as bytes. */
char *model_dir_read(const model_dir *dir, const char *file, gsize *n);
void model_dir_write(const model_dir *dir, const char *file, const char *bytes, gssize n);
void model_dir_remove(const model_dir *dir, const char *file);
/* Replace the first occurrence, which must exist. */
void model_dir_replace(const model_dir *dir, const char *file, const char *old, const char *new);
/* Keep only the first n bytes. */
void model_dir_truncate(const model_dir *dir, const char *file, gsize n);

/* The values of a tensor as bytes of a type, little-endian; free with g_byte_array_unref. */
GByteArray *dir_tensor_bytes(const dir_tensor *t, dir_dtype dtype);
/* One more tensor of that name, which no file has yet; rows 0: a vector. */
void model_dir_add(model_dir *dir, gsize rows, gsize cols, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
dir_tensor *model_dir_tensor(const model_dir *dir, const char *name);
/* The config.json of model_dir_new. */
char *model_dir_config(gsize vocab_size);

/* Open a directory that must be good. */
mt_model *model_open_good(const char *path);
/* Open a directory that must be refused with this code and all of these words, separated by |. */
void model_open_bad(const char *path, mt_error_code code, const char *words);
