/* dtype.h — the number formats of checkpoints. Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_DTYPE_H
#define MT_PUBLIC_TRAIN_DTYPE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  MT_DTYPE_F32,   /* IEEE 754 binary32 */
  MT_DTYPE_F16,   /* IEEE 754 binary16 */
  MT_DTYPE_BF16,  /* the upper half of a binary32 */
  MT_DTYPE_F64,   /* IEEE 754 binary64 */
  MT_DTYPE_OTHER, /* may be listed, cannot be used */
} mt_dtype;

#ifdef __cplusplus
}
#endif
#endif
