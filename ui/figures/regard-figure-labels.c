/* regard-figure-labels.c — labels of tokens beside a picture: shortened, measured, thinned out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-private.h"
#include <math.h>

void
regard_label_clear(RegardShownLabel *shown)
{
  g_free(shown->prefix);
  g_free(shown->text);
  g_free(shown->suffix);
}

guint
regard_label_spans(const RegardShownLabel *shown, const RegardPalette *palette, gboolean bold,
                   RegardSpan spans[3])
{
  guint n = 0;
  if (shown->prefix)
    spans[n++] = (RegardSpan){shown->prefix, palette->dim, FALSE};
  spans[n++] = (RegardSpan){shown->text, palette->text, bold};
  if (shown->suffix)
    spans[n++] = (RegardSpan){shown->suffix, palette->dim, FALSE};
  return n;
}

double
regard_label_width(RegardCanvas *canvas, const RegardShownLabel *shown, gboolean bold, double size)
{
  static const RegardPalette no_colours;
  RegardSpan spans[3];
  guint n = regard_label_spans(shown, &no_colours, bold, spans);
  return regard_canvas_text_width(canvas, spans, n, size);
}

RegardShownLabel
regard_label_shorten(RegardCanvas *canvas, const RegardLabel *label, gboolean bold, double size,
                     double max)
{
  RegardShownLabel shown = {g_strdup(label->prefix), g_strdup(label->text),
                            g_strdup(label->suffix)};
  if (regard_label_width(canvas, &shown, bold, size) <= max)
    return shown;
  regard_label_clear(&shown);
  shown =
      (RegardShownLabel){NULL, regard_canvas_ellipsize(canvas, label->text, bold, size, max * 0.7),
                         NULL};
  if (!label->prefix && !label->suffix) {
    regard_label_clear(&shown);
    shown.text = regard_canvas_ellipsize(canvas, label->text, bold, size, max);
    return shown;
  }
  /* The other token of the step shortened, its arrow kept; a position number stays whole. */
  double left = max - regard_label_width(canvas, &shown, bold, size);
  if (!label->other) {
    shown.prefix = g_strdup(label->prefix);
    shown.suffix = g_strdup(label->suffix);
    return shown;
  }
  RegardSpan arrow = {" → ", 0xff000000, FALSE};
  left -= regard_canvas_text_width(canvas, &arrow, 1, size);
  g_autofree char *other = regard_canvas_ellipsize(canvas, label->other, FALSE, size, left);
  if (label->prefix)
    shown.prefix = g_strconcat(other, " → ", NULL);
  else
    shown.suffix = g_strconcat(" → ", other, NULL);
  return shown;
}

void
regard_label_fit(double pitch, double font, RegardTicks ticks, double *size, guint *step)
{
  *size = CLAMP(pitch / REGARD_LABEL_LINE, font * REGARD_LABEL_LEAST, font);
  double minimum = *size * REGARD_LABEL_LINE / pitch;
  if (minimum <= 1)
    *step = 1;
  else {
    *size = font * 0.85;
    minimum = *size * REGARD_LABEL_LINE / pitch;
    *step = ticks == REGARD_TICKS_WORDS
                ? (guint) ceil(minimum)
                : regard_figure_nice_step(minimum, ticks == REGARD_TICKS_BINARY);
  }
}
