/* model.h — opening a model, and what is in it. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_MODEL_H
#define MT_PUBLIC_MODEL_H

#include <mt/config.h>
#include <mt/error.h>
#include <mt/precision.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable weights, tokenizers and configuration; reference-counted, shareable between threads. */
typedef struct mt_model mt_model;

typedef struct {
  /* Called now and then while loading with a share in 0..1; return false to cancel
   * (MT_ERROR_CANCELLED). May be NULL. */
  bool (*on_progress)(void *user, double share);
  void *user;
  mt_precision precision;
} mt_load_options;

/* Open a folder, or a zip archive of one (read in place, nothing is unpacked to disk), laid out as
 *   Hugging Face Marian: config.json, generation_config.json (optional), tokenizer_config.json
 *     (optional), the weights as model.safetensors or pytorch_model.bin, or their .index.json with
 *     shards, vocab.json (target_vocab.json if separate), source.spm, target.spm; or
 *   Marian itself, as in the OPUS-MT archives: decoder.yml, the .npz, .vocab.yml and .spm files
 * that it names or that lie beside it. Other files are ignored. path: a folder or an archive.
 * options: may be NULL. Returns a model with one reference, or NULL. Every file is checked before
 * it is used; errors name it as "en-de/config.json": MT_ERROR_IO, MT_ERROR_FORMAT,
 * MT_ERROR_UNSUPPORTED (another kind of model, weights in another file format, or numbers that the
 * precision cannot hold), MT_ERROR_INPUT (no such precision), MT_ERROR_CANCELLED,
 * MT_ERROR_NO_MEMORY. Some weights are used from the mapped file, which must not
 * be changed in place meanwhile; see mt_guard_mapped_files. */
mt_model *mt_model_open(const char *path, const mt_load_options *options, mt_error *error);

/* For programs; a library must leave it to them. A mapped file that another program cuts off, or a
 * disk that goes away, ends the process (SIGBUS) when such a page is touched. Call this once,
 * before threads are started and models opened, to install a handler for the whole process: what
 * works with that model then fails from there on, with MT_ERROR_IO and the file's name, and
 * everything else goes on. A SIGBUS of any other cause goes to the handler that was there before.
 */
void mt_guard_mapped_files(void);

mt_model *mt_model_ref(mt_model *model);
void mt_model_unref(mt_model *model);

const mt_config *mt_model_config(const mt_model *model);
const char *mt_model_directory(const mt_model *model); /* as given to mt_model_open */
/* Last component of the path, without ".zip", e.g. "en-de". */
const char *mt_model_name(const mt_model *model);
/* What tells trained models apart, whatever they are called, without reading all of them: a hash of
 * sizes, norms, biases and a row of each output projection. */
uint64_t mt_model_fingerprint(const mt_model *model);
/* The file format of the weights, e.g. "safetensors", "PyTorch", "Marian npz". */
const char *mt_model_format(const mt_model *model);
/* The precision it was opened with. Rounded weights are kept beside the others, so that scores and
 * captures can be exact. */
mt_precision mt_model_precision(const mt_model *model);
/* Number of distinct parameters (a tied matrix counts once). */
size_t mt_model_n_parameters(const mt_model *model);
/* Bytes of the weight files. */
size_t mt_model_file_bytes(const mt_model *model);

/* Logits of the next token, as many as the target has words: those that have no probability become
 * -INFINITY (mt_generation.left_out; mostly none, or <pad>). Whoever makes probabilities of logits
 * that were seen does this before, and so does the engine, so that log p, entropy, effects and
 * whatever else is made of them are of one distribution. */
void mt_model_leave_out(const mt_model *model, float *logits);

/* The checkpoint's tensors as stored, in file order, for listing. */
typedef struct {
  const char *name;
  const char *dtype; /* "F32", "F16", "BF16", "F64"; others are listed but not used */
  size_t n_dims;
  size_t shape[4];
  const char *file; /* base name of the file that holds it */
} mt_tensor_info;
size_t mt_model_n_tensors(const mt_model *model);
const mt_tensor_info *mt_model_tensor(const mt_model *model, size_t i);

#ifdef __cplusplus
}
#endif
#endif
