/* fit-plot.h — how a training went, as a picture: loss and learning rate over steps, SVG.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt-train.h>

G_BEGIN_DECLS

/* The picture of n records. title: what was trained; may be NULL. As many points are drawn as can
 * be told apart, so a run of a million steps is a small file too. n == 0 draws empty axes. */
GBytes *fit_plot_draw(const char *title, const mt_trainer_record *records, gsize n);

/* The same as a file, which is replaced as a whole. Errors: those of mt_replace_file. */
gboolean fit_plot_write(const char *path, const char *title, const mt_trainer_record *records,
                        gsize n, mt_error *error);

G_END_DECLS
