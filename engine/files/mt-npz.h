/* mt-npz.h — named arrays as an .npz in memory. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_NPZ_H
#define MT_NPZ_H

#include "mt.h"

/* As mt_npz_write, into memory: free bytes with mt_bytes_clear. */
bool mt_npz_make(const mt_npz_array *arrays, size_t n, mt_bytes *bytes, mt_error *error);

#endif
