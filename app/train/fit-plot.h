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

G_END_DECLS
