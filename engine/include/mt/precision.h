/* precision.h — how exactly a search reads the weights. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_PRECISION_H
#define MT_PUBLIC_PRECISION_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In what precision a search reads the weights of its matrices. Steps wait for little else than
 * weights, and fewer bits are read faster. The encoder is computed once for all positions and is
 * not rounded, but for the two that say so: they are for whole files, where it is a third of the
 * work. In each of them a row of a product is the same, bit for bit, whatever is beside it, so that
 * a translation does not depend on what is translated with it. */
typedef enum {
  MT_PRECISION_STORED, /* as the checkpoint has them: nothing is rounded */
  MT_PRECISION_F16,    /* binary16: 11 significant bits */
  /* The upper half of a float, 8 significant bits; what the weights are multiplied with is rounded
   * to it, too, and sums are floats. Attention itself stays in floats. Many rows gain where the
   * processor multiplies such numbers itself (AVX512-BF16, AMX-BF16); others round all the same,
   * and products come out with the same bits. Only AMX adds in another order. */
  MT_PRECISION_BF16,
  /* The same for the encoder, and for the keys and values that are made of its output. */
  MT_PRECISION_BF16_ALL,
  /* Whole numbers from -127 to 127 and a scale for each output; what they are multiplied with is
   * rounded in the same way, row by row. Attention itself stays in floats. */
  MT_PRECISION_INT8,
  MT_PRECISION_INT8_ALL, /* the same for the encoder, and the keys and values made of its output */
  MT_N_PRECISIONS,
  MT_PRECISION_UNKNOWN = MT_N_PRECISIONS, /* of a capture that says nothing of it */
} mt_precision;
/* "stored", "f16", "bf16", "bf16-all", "int8", "int8-all", "unknown". */
const char *mt_precision_name(mt_precision precision);
/* False, *precision untouched: none but "unknown" has this name. */
bool mt_precision_find(const char *name, mt_precision *precision);

#ifdef __cplusplus
}
#endif
#endif
