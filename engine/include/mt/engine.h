/* engine.h — what the engine runs on in this process. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_ENGINE_H
#define MT_PUBLIC_ENGINE_H

#ifdef __cplusplus
extern "C" {
#endif

/* What the arithmetic runs on in this process, for benchmarks and for reports of faults. */
typedef struct {
  const char *kernels;      /* "plain", "avx2", "avx512": products of a few rows, in floats */
  const char *bf16_kernels; /* "avx512-bf16", "amx-bf16"; as kernels: no instructions for bf16 */
  const char *int8_kernels; /* "plain", "avx2", "avx512-vnni" */
  const char *blas; /* "OpenBLAS 0.3.21 …", where the processor has no vectors, and in training */
  const char *blas_core; /* the processor that it takes this one for, e.g. "Haswell" */
} mt_engine_info;
/* The strings are static. */
mt_engine_info mt_engine_get_info(void);

#ifdef __cplusplus
}
#endif
#endif
