/* fit-scale.c — axes: ticks at round numbers, and numbers for people.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/fit-scale.h"

#include <math.h>
#include <string.h>

/* What lies outside is cut off there: points. */
#define OUTSIDE 1000

FitScale
fit_scale(double low, double high, double from, double to, int n, gboolean whole)
{
  if (!(high > low)) {
    low = low - (whole ? 0 : fabs(low) / 10);
    high = low + (low != 0 ? fabs(low) / 5 : 1);
  }
  double raw = (high - low) / n, power = pow(10, floor(log10(raw))), step = power * 10;
  static const double steps[] = {1, 2, 5};
  for (int i = 2; i >= 0; i--)
    if (power * steps[i] >= raw)
      step = power * steps[i];
  if (whole && step < 1)
    step = 1;
  int decimals = (int) -floor(log10(step) + 1e-9);
  return (FitScale){
      .low = floor(low / step + 1e-9) * step,
      .high = ceil(high / step - 1e-9) * step,
      .from = from,
      .to = to,
      .step = step,
      .decimals = MAX(decimals, 0),
      .multiplier = 1,
  };
}

double
fit_scale_place(const FitScale *s, double value)
{
  double place = s->from + (value - s->low) / (s->high - s->low) * (s->to - s->from);
  return fmin(fmax(place, fmin(s->from, s->to) - OUTSIDE), fmax(s->from, s->to) + OUTSIDE);
}

int
fit_scale_n_ticks(const FitScale *s)
{
  return (int) floor((s->high - s->low) / s->step + 1e-6) + 1;
}

double
fit_scale_tick(const FitScale *s, int i)
{
  return s->low + i * s->step;
}

char *
fit_format_number(double value, int decimals)
{
  char digits[64], format[8];
  g_snprintf(format, sizeof format, "%%.%df", CLAMP(decimals, 0, 9));
  /* 17 digits and no more: a picture's label. */
  g_ascii_formatd(digits, sizeof digits, format, isfinite(value) ? fmin(fabs(value), 1e17) : 0);
  gsize n_whole = strspn(digits, "0123456789");
  gboolean is_zero = strspn(digits, "0.") == strlen(digits);
  GString *out = g_string_new(value < 0 && !is_zero ? "-" : "");
  for (gsize i = 0; i < n_whole; i++) {
    if (i > 0 && (n_whole - i) % 3 == 0)
      g_string_append_c(out, ',');
    g_string_append_c(out, digits[i]);
  }
  g_string_append(out, digits + n_whole);
  return g_string_free(out, FALSE);
}
