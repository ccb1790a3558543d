/* mt-packed.c — whole numbers as few bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-packed.h"

#include "base/mt-alloc.h"

#include <string.h>

/* Of 128 bits. */
#define MOST_DIGITS 19

void
mt_packed_clear(mt_packed *bytes)
{
  mt_free(bytes->data);
  *bytes = (mt_packed){0};
}

void
mt_packed_put(mt_packed *bytes, const void *data, size_t n)
{
  if (!bytes->failed)
    bytes->failed = !mt_grow(&bytes->data, bytes->n, n, &bytes->capacity, 1);
  if (bytes->failed || n == 0)
    return;
  memcpy(bytes->data + bytes->n, data, n);
  bytes->n += n;
}

void
mt_packed_put_whole(mt_packed *bytes, mt_exact_unsigned value)
{
  unsigned char digits[MOST_DIGITS];
  size_t n = 0;
  do {
    digits[n] = (unsigned char) (value & 0x7f);
    value >>= 7;
    digits[n++] |= value ? 0x80 : 0;
  } while (value);
  mt_packed_put(bytes, digits, n);
}

void
mt_packed_put_signed(mt_packed *bytes, mt_exact value)
{
  const mt_exact_unsigned twice = (mt_exact_unsigned) value << 1;
  mt_packed_put_whole(bytes, value < 0 ? ~twice : twice);
}

static mt_exact_unsigned
get(mt_packed_in *in)
{
  mt_exact_unsigned value = 0;
  for (unsigned i = 0; i < MOST_DIGITS && in->at < in->end && !in->failed; i++) {
    const unsigned char digit = *in->at++;
    if (i == MOST_DIGITS - 1 && digit > 3)
      break; /* beyond 128 bits, or no end */
    value |= (mt_exact_unsigned) (digit & 0x7f) << (7 * i);
    if (!(digit & 0x80))
      return value;
  }
  in->failed = true;
  return 0;
}

uint64_t
mt_packed_get_whole(mt_packed_in *in, uint64_t most)
{
  const mt_exact_unsigned value = get(in);
  in->failed = in->failed || value > most;
  return in->failed ? 0 : (uint64_t) value;
}

mt_exact
mt_packed_get_signed(mt_packed_in *in, mt_exact most)
{
  const mt_exact_unsigned twice = get(in);
  const mt_exact value = twice & 1 ? -(mt_exact) (twice >> 1) - 1 : (mt_exact) (twice >> 1);
  in->failed = in->failed || value > most || value < -most;
  return in->failed ? 0 : value;
}

const unsigned char *
mt_packed_get(mt_packed_in *in, size_t n)
{
  if (in->failed || (size_t) (in->end - in->at) < n) {
    in->failed = true;
    return NULL;
  }
  in->at += n;
  return in->at - n;
}

bool
mt_packed_is_end(const mt_packed_in *in)
{
  return !in->failed && in->at == in->end;
}
