/* mt-zlib.h — what of zlib is used: check sums, and gzip streams (mt-decompress.h). Private.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ZLIB_H
#define MT_ZLIB_H

#include "train/mt-decompress.h"

/* CRC-32 (IEEE 802.3, as gzip, zip and PNG have it) of n bytes, going on from that of the bytes
 * before them; 0 to begin with. */
uint32_t mt_crc32(uint32_t crc, const void *bytes, size_t n);

/* CRC-32 of two pieces one after the other, of which the second has n bytes. */
uint32_t mt_crc32_combine(uint32_t first, uint32_t second, uint64_t n);

#endif
