/* mt-error.c — filling in an mt_error.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-error.h"

#include "base/mt-utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Make the message one line of valid UTF-8, in place: it may quote anything. */
static void
clean(char *message)
{
  size_t n = strlen(message);
  size_t i = 0;
  while (i < n) {
    size_t length = mt_utf8_length_at(message + i, n - i);
    if (length == 0 || (unsigned char) message[i] < 0x20 || message[i] == 0x7f) {
      message[i] = '?';
      length = 1;
    }
    i += length;
  }
}

bool
mt_fail(mt_error *error, mt_error_code code, const char *format, ...)
{
  if (!error)
    return false;
  /* Formatted apart, so that an argument may be the old message. */
  char message[sizeof error->message];
  va_list args;
  va_start(args, format);
  int written = vsnprintf(message, sizeof message, format, args);
  va_end(args);
  if (written < 0)
    message[0] = '\0';
  size_t length = strlen(message);
  if (written >= (int) sizeof message) {
    /* Drop the character that was cut in two, if one was. */
    size_t start = length;
    while (start > 0 && ((unsigned char) message[start - 1] & 0xc0) == 0x80)
      start--;
    if (start > 0 && (unsigned char) message[start - 1] >= 0xc0)
      start--;
    else
      start = length;
    if (start < length && mt_utf8_length_at(message + start, length - start) == 0)
      message[start] = '\0';
  }
  clean(message);
  memcpy(error->message, message, sizeof message);
  error->code = code;
  return false;
}

bool
mt_fail_no_memory(mt_error *error)
{
  return mt_fail(error, MT_ERROR_NO_MEMORY, "There is not enough memory.");
}
