/* fit-scale.h — axes: ticks at round numbers, and numbers for people.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  double low, high;  /* values at the ends */
  double from, to;   /* points of the picture */
  double step;       /* between ticks; the first one is at the first multiple above low */
  int decimals;      /* of a tick's label */
  double multiplier; /* of a tick's value, for its label */
} FitScale;

/* Ticks at multiples of 1, 2 or 5 times a power of ten, about n of them; ends on a tick. whole: the
 * values are whole numbers. */
FitScale fit_scale(double low, double high, double from, double to, int n, gboolean whole);
/* Where a value lies; what is far outside, or no number, lies a little outside. */
double fit_scale_place(const FitScale *scale, double value);
int fit_scale_n_ticks(const FitScale *scale);
double fit_scale_tick(const FitScale *scale, int i);

/* "12,345.67" with so many decimals, at most 9, in every locale; what is not finite is 0. Caller
 * frees. */
char *fit_format_number(double value, int decimals);

G_END_DECLS
