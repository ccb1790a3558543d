/* mt-packed.h — whole numbers as few bytes, one after the other. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * 7 bits a byte, the least significant first, 0x80: more follow (LEB128); signed ones zigzag.
 */
#ifndef MT_PACKED_H
#define MT_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums that whatever is added up do not round and do not overflow: see mt-corpus-sums.h. */
__extension__ typedef __int128 mt_exact;
__extension__ typedef unsigned __int128 mt_exact_unsigned;

/* Growing. Released with mt_packed_clear. */
typedef struct {
  unsigned char *data;
  size_t n, capacity;
  bool failed; /* memory ran out; what follows does nothing */
} mt_packed;

void mt_packed_clear(mt_packed *bytes);
void mt_packed_put(mt_packed *bytes, const void *data, size_t n);
void mt_packed_put_whole(mt_packed *bytes, mt_exact_unsigned value);
void mt_packed_put_signed(mt_packed *bytes, mt_exact value);

/* What is left to be read. */
typedef struct {
  const unsigned char *at, *end;
  bool failed; /* something was not there, or too large; all that follows is 0 */
} mt_packed_in;

/* At most `most`. */
uint64_t mt_packed_get_whole(mt_packed_in *in, uint64_t most);
/* -most … most. */
mt_exact mt_packed_get_signed(mt_packed_in *in, mt_exact most);
/* The next n bytes, borrowed; NULL: there are not so many. */
const unsigned char *mt_packed_get(mt_packed_in *in, size_t n);
/* All was read, and nothing was wrong. */
bool mt_packed_is_end(const mt_packed_in *in);

#endif
