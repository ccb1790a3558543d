/* fuzz.h — what the fuzz targets share: a small model whose files they replace.
 *
 * A target is one file that defines LLVMFuzzerTestOneInput. libFuzzer calls it when tools/fuzz
 * built it, fuzz-main.c when the corpus is replayed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt.h>
#include <stddef.h>
#include <stdint.h>

/* One input, which lies in memory of exactly that size. Returns 0, or -1 for an input that should
 * not be kept. */
typedef int (*FuzzTarget)(const uint8_t *data, size_t size);
void fuzz_enlist(const char *name, FuzzTarget target);
#ifdef FUZZ_NAME /* one of many in the program that replays */
static int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((constructor)) static void
fuzz_enlist_this(void)
{
  fuzz_enlist(FUZZ_NAME, LLVMFuzzerTestOneInput);
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#endif

/* Optional in a target: change data in place to something of at most max_size bytes, return its
 * size. LLVMFuzzerMutate is libFuzzer's own way to do so. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* A folder with a small valid model (tests/engine/model-dir.h), made at the first call and removed
 * when the process ends. */
const char *fuzz_model_path(void);

/* Write one file of that folder. */
void fuzz_model_put(const char *file, const void *bytes, size_t n);
/* The same with the bytes of a file elsewhere. */
void fuzz_model_copy(const char *path, const char *file);
void fuzz_model_remove(const char *file);
/* The folder must open as it is: were the valid files refused, every input would be. */
void fuzz_model_check(void);
/* Its bytes as they are now; free with g_free. */
char *fuzz_model_get(const char *file, gsize *n);

/* Open a model folder or archive and, if that succeeds, use it: look at all it says, translate a
 * few tokens, capture them. What a reader let through has to hold here. */
void fuzz_open_and_use(const char *path);

/* Add what was read to it, so that reading is not optimised away. */
extern volatile double fuzz_sink;

/* For LLVMFuzzerCustomMutator: pseudo-random numbers from its seed. */
uint32_t fuzz_random(uint32_t *state, uint32_t below);
