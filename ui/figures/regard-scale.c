/* regard-scale.c — the four scales of the colour bar and their inverses.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each is a monotone map f of 0..1 onto 0..1. Unsigned ranges use f((v - lo) / (hi - lo)); signed
 * ranges (lo = -hi) use 1/2 ± f(|v| / hi) / 2, so that 0 stays in the middle of a diverging map.
 */
#include "figures/regard-scale.h"
#include "figures/regard-language.h"

#include "figures/regard-language.h"

#include <math.h>
#include <string.h>

/* Decades shown by the logarithmic scale: 1e-4 of the range and less are the lowest colour. */
#define LOG_DECADES 4.0

static const RegardScaleInfo infos[REGARD_N_SCALES] = {
    [REGARD_SCALE_LINEAR] = {REGARD_SCALE_LINEAR, "linear", N_("Colours: as the weights"),
                             N_("linear"), N_("linear scale")},
    [REGARD_SCALE_SQRT] = {REGARD_SCALE_SQRT, "sqrt", N_("Colours: faint ones visible"),
                           N_("square root"), N_("square root scale")},
    [REGARD_SCALE_LOG] = {REGARD_SCALE_LOG, "log", N_("Colours: faintest ones visible"),
                          N_("logarithmic (floor 1e-4)"), N_("logarithmic scale")},
    [REGARD_SCALE_ROW] = {REGARD_SCALE_ROW, "row", N_("Colours: each row by itself"),
                          N_("linear, each row by its own maximum"),
                          N_("share of each row’s maximum")},
};

const RegardScaleInfo *
regard_scale_info(RegardScale scale)
{
  g_return_val_if_fail((guint) scale < REGARD_N_SCALES, &infos[REGARD_SCALE_LINEAR]);
  return &infos[scale];
}

gboolean
regard_scale_from_id(const char *id, RegardScale *scale)
{
  for (guint i = 0; id && i < REGARD_N_SCALES; i++)
    if (strcmp(infos[i].id, id) == 0) {
      if (scale)
        *scale = infos[i].scale;
      return TRUE;
    }
  return FALSE;
}

static gboolean
is_signed(double lo, double hi)
{
  return lo < 0 && lo == -hi;
}

/* share in 0..1 to place in 0..1. */
static double
forward(RegardScale scale, double share)
{
  share = share > 0 ? MIN(share, 1.0) : 0.0; /* NaN: 0 */
  switch (scale) {
  case REGARD_SCALE_SQRT:
    return sqrt(share);
  case REGARD_SCALE_LOG:
    return share > pow(10, -LOG_DECADES) ? 1 + log10(share) / LOG_DECADES : 0;
  default:
    return share;
  }
}

double
regard_scale_apply(RegardScale scale, double value, double lo, double hi, double row_max)
{
  if (scale == REGARD_SCALE_ROW && row_max > 0) {
    lo = lo < 0 ? -row_max : 0;
    hi = row_max;
  }
  if (is_signed(lo, hi)) {
    double f = forward(scale, fabs(value) / hi);
    return value < 0 ? 0.5 - f / 2 : 0.5 + f / 2;
  }
  return hi > lo ? forward(scale, (value - lo) / (hi - lo)) : 0;
}

/* ---- Numbers of a bar and of cells ----------------------------------------------------------- */

/* Below it the logarithmic scale does not go (regard-scale.h). */
#define LOG_FLOOR 1e-4

/* Shares of the largest value at which the bar may carry a number. */
static const double *
mark_shares(RegardScale scale, guint *n)
{
  static const double even[] = {0, 1, 0.5, 0.25, 0.75}, square[] = {0, 1, 0.25, 0.5, 0.1, 0.01},
                      decades[] = {LOG_FLOOR, 1, 0.01, 0.001, 0.1};
  switch (scale) {
  case REGARD_SCALE_SQRT:
    *n = G_N_ELEMENTS(square);
    return square;
  case REGARD_SCALE_LOG:
    *n = G_N_ELEMENTS(decades);
    return decades;
  default:
    *n = G_N_ELEMENTS(even);
    return even;
  }
}

static void
write_text(char *text, gsize size, RegardScale scale, double share, double value,
           gboolean two_sided)
{
  const gboolean is_floor = scale == REGARD_SCALE_LOG && share == LOG_FLOOR;
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  if (scale == REGARD_SCALE_ROW) {
    g_autofree char *percent = g_strdup_printf(_("%.0f %%"), share * 100);
    g_snprintf(text, size, "%s%s", value < 0 ? "−" : "", percent);
    return;
  }
  if (is_floor && two_sided) { /* both floors meet in the middle */
    g_strlcpy(text, "0", size);
    return;
  }
  g_ascii_formatd(number, sizeof number, "%.3g", fabs(value));
  if (strchr(number, 'e'))
    g_ascii_formatd(number, sizeof number, fabs(value) < 1 ? "%.6f" : "%.0f", fabs(value));
  regard_number_localize(number, sizeof number);
  g_snprintf(text, size, "%s%s%s", is_floor ? "≤ " : "", value < 0 ? "−" : "", number);
}

static gboolean
is_free(const RegardScaleMark *marks, guint n, const RegardScaleMark *mark, double gap)
{
  const double left = mark->middle - mark->width / 2, right = mark->middle + mark->width / 2;
  for (guint i = 0; i < n; i++)
    if (left < marks[i].middle + marks[i].width / 2 + gap &&
        right + gap > marks[i].middle - marks[i].width / 2)
      return FALSE;
  return TRUE;
}

guint
regard_scale_marks(RegardScale scale, double lo, double hi, double width, double gap,
                   double overhang, RegardTextWidth text_width, gpointer user,
                   RegardScaleMark marks[REGARD_MAX_SCALE_MARKS])
{
  const gboolean two_sided = lo < 0, by_row = scale == REGARD_SCALE_ROW;
  const double range = by_row ? 1 : two_sided ? hi : hi - lo;
  const double low = by_row ? (two_sided ? -1 : 0) : lo, high = by_row ? 1 : hi;
  guint n = 0, n_shares;
  const double *shares = mark_shares(scale, &n_shares);
  for (guint i = 0; i < n_shares; i++) {
    const gboolean zero = shares[i] == 0 || (scale == REGARD_SCALE_LOG && shares[i] == LOG_FLOOR);
    const guint sides = two_sided && !zero ? 2 : 1;
    RegardScaleMark both[2];
    gboolean fits = n + sides <= REGARD_MAX_SCALE_MARKS;
    for (guint k = 0; k < sides; k++) {
      RegardScaleMark *mark = &both[k];
      double value = (two_sided ? 0 : low) + (k ? -1 : 1) * shares[i] * range;
      if (two_sided && zero)
        value = 0;
      write_text(mark->text, sizeof mark->text, scale, shares[i], value, two_sided);
      mark->width = text_width(user, mark->text);
      mark->x = width * regard_scale_apply(scale, value, low, high, range);
      /* The first number may be wide; it stays near the bar's end. */
      mark->middle = MAX(mark->x, mark->width / 2 - overhang);
      fits = fits && is_free(marks, n, mark, gap);
    }
    if (fits && sides == 2)
      fits = fabs(both[0].x - both[1].x) > (both[0].width + both[1].width) / 2 + gap;
    for (guint k = 0; k < sides && fits; k++)
      marks[n++] = both[k];
  }
  return n;
}

void
regard_cell_text(char text[REGARD_CELL_TEXT], double value, double range)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  const char *format = range >= 20 ? "%.0f" : range > 1.5 ? "%.1f" : "%.2f";
  g_ascii_formatd(number, sizeof number, format, fabs(value));
  char *digits = number;
  if (strspn(digits, "0.") == strlen(digits))
    *digits = '\0';
  else if (strcmp(digits, "1.00") == 0)
    digits[3] = '\0';
  else if (g_str_has_prefix(digits, "0."))
    digits++;
  regard_number_localize(digits, sizeof number - (gsize) (digits - number));
  g_snprintf(text, REGARD_CELL_TEXT, "%s%s", value < 0 && *digits ? "−" : "", digits);
}
