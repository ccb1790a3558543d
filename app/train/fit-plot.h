/* fit-plot.h — how a training went, as a picture: loss and learning rate over steps, SVG.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt-train.h>

G_BEGIN_DECLS

/* The picture of n records to a file, which is replaced as a whole. title: what was trained; may be
 * NULL. Errors: those of mt_replace_file. */
gboolean fit_plot_write(const char *path, const char *title, const mt_trainer_record *records,
                        gsize n, mt_error *error);

/* ==== Axes: ticks at round numbers, and numbers for people ==================================== */

typedef struct {
  double low, high;  /* values at the ends */
  double from, to;   /* points of the picture */
  double step;       /* between ticks; the first one is at the first multiple above low */
  int decimals;      /* of a tick's label */
  double multiplier; /* of a tick's value, for its label */
} FitScale;

/* "12,345.67" with so many decimals, at most 9, in every locale; what is not finite is 0. Caller
 * frees. */
char *fit_format_number(double value, int decimals);

G_END_DECLS
