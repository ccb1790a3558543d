/* mt-utf8.c — strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-utf8.h"

#include <stdint.h>
#include <string.h>

size_t
mt_utf8_length_at(const char *text, size_t n)
{
  const unsigned char *s = (const unsigned char *) text;
  if (n == 0)
    return 0;
  if (s[0] < 0x80)
    return 1;
  /* The bounds of the second byte shut out overlong forms, surrogates and too large values; all
   * further bytes are 80..BF (Unicode, table 3-7). */
  size_t length;
  unsigned char low = 0x80, high = 0xbf;
  if (s[0] >= 0xc2 && s[0] <= 0xdf) {
    length = 2;
  } else if (s[0] >= 0xe0 && s[0] <= 0xef) {
    length = 3;
    if (s[0] == 0xe0)
      low = 0xa0;
    else if (s[0] == 0xed)
      high = 0x9f;
  } else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
    length = 4;
    if (s[0] == 0xf0)
      low = 0x90;
    else if (s[0] == 0xf4)
      high = 0x8f;
  } else {
    return 0;
  }
  if (n < length || s[1] < low || s[1] > high)
    return 0;
  for (size_t i = 2; i < length; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  return length;
}

bool
mt_utf8_valid(const char *text, size_t n, size_t *offset)
{
  size_t i = 0;
  while (i < n) {
    /* Mostly ASCII, eight at a time. */
    uint64_t eight;
    if (n - i >= sizeof eight) {
      memcpy(&eight, text + i, sizeof eight);
      if ((eight & UINT64_C(0x8080808080808080)) == 0) {
        i += sizeof eight;
        continue;
      }
    }
    size_t length = mt_utf8_length_at(text + i, n - i);
    if (length == 0) {
      if (offset)
        *offset = i;
      return false;
    }
    i += length;
  }
  return true;
}

bool
mt_utf8_is_space(const char *text, size_t length)
{
  const unsigned char *s = (const unsigned char *) text;
  uint32_t c;
  switch (length) {
  case 1:
    c = s[0];
    break;
  case 2:
    c = (uint32_t) (s[0] & 0x1f) << 6 | (s[1] & 0x3f);
    break;
  case 3:
    c = (uint32_t) (s[0] & 0x0f) << 12 | (uint32_t) (s[1] & 0x3f) << 6 | (s[2] & 0x3f);
    break;
  default:
    return false;
  }
  return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}
