/* mt-svg.c — an SVG picture as text, and a file that is replaced as a whole.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-svg.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "mt/train/new-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REASON_SIZE 128

static void
append(mt_svg *svg, const char *bytes, size_t n)
{
  if (svg->failed)
    return;
  if (n > svg->capacity - svg->n) {
    size_t capacity = 2 * (svg->n + n) + 4096;
    char *grown = mt_realloc(svg->text, capacity, 1);
    if (!grown) {
      svg->failed = true;
      return;
    }
    svg->text = grown;
    svg->capacity = capacity;
  }
  memcpy(svg->text + svg->n, bytes, n);
  svg->n += n;
}

void
mt_svg_add(mt_svg *svg, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  /* Markup of the picture's own: it always fits. */
  if (n < 0 || (size_t) n >= sizeof text)
    svg->failed = true;
  else
    append(svg, text, (size_t) n);
}

void
mt_svg_text(mt_svg *svg, const char *text)
{
  size_t n = strlen(text);
  for (size_t i = 0; i < n;) {
    size_t length = mt_utf8_length_at(text + i, n - i);
    const char c = text[i];
    if (c == '<' || c == '>' || c == '&') {
      const char *entity = c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
      append(svg, entity, strlen(entity));
    } else if (length == 0 || (length == 1 && (unsigned char) c < 0x20)) {
      append(svg, "\xef\xbf\xbd", 3); /* XML knows no control characters, not even as entities */
      length = 1;
    } else {
      append(svg, text + i, length);
    }
    i += length;
  }
}

#define MAX_DECIMALS 9

/* A number's digits: before the point into whole, behind it into fraction, and whether it is
 * negative. No locale has a say. */
static bool
to_digits(double value, int decimals, char whole[32], char fraction[MAX_DECIMALS + 1])
{
  decimals = decimals < 0 ? 0 : decimals > MAX_DECIMALS ? MAX_DECIMALS : decimals;
  unsigned long long power = 1;
  for (int i = 0; i < decimals; i++)
    power *= 10;
  double scaled = fabs(value) * (double) power;
  unsigned long long units =
      (unsigned long long) llround(fmin(isfinite(scaled) ? scaled : 0, 1e17));
  snprintf(whole, 32, "%llu", units / power);
  unsigned long long rest = units % power;
  fraction[decimals] = '\0';
  for (int i = decimals; i-- > 0; rest /= 10)
    fraction[i] = (char) ('0' + rest % 10);
  return value < 0 && units > 0;
}

char *
mt_svg_format(char *out, size_t size, double value, int decimals)
{
  char whole[32], fraction[MAX_DECIMALS + 1], grouped[48];
  bool is_negative = to_digits(value, decimals, whole, fraction);
  size_t n_digits = strlen(whole), n = 0;
  for (size_t i = 0; i < n_digits; i++) {
    if (i > 0 && (n_digits - i) % 3 == 0)
      grouped[n++] = ',';
    grouped[n++] = whole[i];
  }
  grouped[n] = '\0';
  snprintf(out, size, "%s%s%s%s", is_negative ? "-" : "", grouped, *fraction ? "." : "", fraction);
  return out;
}

void
mt_svg_number(mt_svg *svg, double value, int decimals)
{
  char whole[32], fraction[MAX_DECIMALS + 1];
  bool is_negative = to_digits(value, decimals, whole, fraction);
  bool is_whole = strspn(fraction, "0") == strlen(fraction);
  mt_svg_add(svg, "%s%s%s%s", is_negative ? "-" : "", whole, is_whole ? "" : ".",
             is_whole ? "" : fraction);
}

void
mt_svg_point(mt_svg *svg, double x, double y)
{
  mt_svg_number(svg, x, 1);
  append(svg, ",", 1);
  mt_svg_number(svg, y, 1);
  append(svg, " ", 1);
}

static bool
fail_io(const char *path, int reason, mt_error *error)
{
  char text[REASON_SIZE];
  return mt_fail(error, MT_ERROR_IO, "%.600s: the file cannot be written (%s).", path,
                 strerror_r(reason, text, sizeof text));
}

bool
mt_svg_save(const mt_svg *svg, const char *path, mt_error *error)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  size_t size = strlen(name) + sizeof "..part";
  char *folder =
      slash ? mt_strndup(path, slash == path ? 1 : (size_t) (slash - path)) : mt_strdup(".");
  char *part = mt_alloc(size, 1);
  int fd = -1;
  bool ok = (folder && part && !svg->failed) || mt_fail_no_memory(error);
  if (ok) {
    snprintf(part, size, ".%s.part", name);
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ok = fd >= 0 || fail_io(path, errno, error);
  }
  if (ok) {
    unlinkat(fd, part, 0); /* of a program that was killed */
    mt_new_file *file = mt_new_file_open_at(fd, folder, part, error);
    ok = file != NULL;
    if (ok) {
      mt_new_file_write(file, svg->text, svg->n);
      ok = mt_new_file_close(file, error);
    }
    if (ok && renameat(fd, part, fd, name) != 0)
      ok = fail_io(path, errno, error);
    if (!ok)
      unlinkat(fd, part, 0);
  }
  if (fd >= 0)
    close(fd);
  mt_free(part);
  mt_free(folder);
  return ok;
}

void
mt_svg_clear(mt_svg *svg)
{
  mt_free(svg->text);
  *svg = (mt_svg){0};
}
