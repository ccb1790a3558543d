/* regard-sheet-checks.h — what print and eyes will not show of a sheet.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-sheet.h"

G_BEGIN_DECLS

/* Nothing smaller is read in print, and told apart. */
#define REGARD_CHECK_LEAST_TEXT 5.0 /* points */
#define REGARD_CHECK_LEAST_CELL 1.0 /* millimetres */

/* How colours are seen. */
typedef enum {
  REGARD_SIGHT_FULL,
  REGARD_SIGHT_GREY, /* printed in grey */
  REGARD_SIGHT_PROTAN,
  REGARD_SIGHT_DEUTAN,
  REGARD_SIGHT_TRITAN,
  REGARD_N_SIGHTS
} RegardSight;
typedef struct {
  const char *id;   /* "protan" */
  const char *name; /* translatable */
} RegardSightInfo;
extern const RegardSightInfo regard_sights[REGARD_N_SIGHTS];
/* 0xAARRGGBB as it is seen: the matrices of Machado, Oliveira and Fernandes (2009) for whoever
 * lacks a kind of cones. */
guint32 regard_sight_color(RegardSight sight, guint32 argb);
/* The same of every pixel of an image (RGB24 or opaque ARGB32), in place. */
void regard_sight_image(RegardSight sight, cairo_surface_t *image);

/* What was looked at, and what is wrong; a sentence each, translated. is_good: it is said that all
 * is well. */
typedef struct {
  gboolean is_good;
  char *text;
} RegardSheetCheck;
/* Of the sheet at its own width and font: text, cells, grey, colour-blindness, in this order.
 * Caller unrefs. */
GPtrArray *regard_sheet_check(RegardFigure *figure);

G_END_DECLS
