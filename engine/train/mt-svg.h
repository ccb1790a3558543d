/* mt-svg.h — an SVG picture as text, and a file that is replaced as a whole. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_SVG_H
#define MT_SVG_H

#include "mt.h"

/* Initialise with {0}. What cannot be allocated is remembered and reported by mt_svg_save. */
typedef struct {
  char *text;
  size_t n, capacity;
  bool failed;
} mt_svg;

/* Append markup. For whole numbers and constant strings only: floats go through mt_svg_number,
 * which no locale changes, and text through mt_svg_text, which escapes it. */
void mt_svg_add(mt_svg *svg, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mt_svg_text(mt_svg *svg, const char *text); /* bytes that are not UTF-8 become U+FFFD */
void mt_svg_number(mt_svg *svg, double value, int decimals);
/* "x,y " of a path. */
void mt_svg_point(mt_svg *svg, double x, double y);

/* A number for people: "12,345.67" with exactly so many decimals, cut to fit; returns out. */
char *mt_svg_format(char *out, size_t size, double value, int decimals);

/* Write it beside `path`, then rename it: the file is the old one or the new one, never a part.
 * Errors: MT_ERROR_IO, MT_ERROR_NO_MEMORY. */
bool mt_svg_save(const mt_svg *svg, const char *path, mt_error *error);
void mt_svg_clear(mt_svg *svg);

#endif
