/* regard-waves.h — one pair of dimensions of a position table, drawn as two curves over position.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For a sinusoidal table the pair is a sine and a cosine of one wavelength (the paper, section
 * 3.5); a learned table draws the same way, as the two columns that it is. The tokens of the
 * sentence are dots on the curves.
 */
#pragma once

#include <gtk/gtk.h>
#include <mt.h>

G_BEGIN_DECLS

#define REGARD_TYPE_WAVES (regard_waves_get_type())
G_DECLARE_FINAL_TYPE(RegardWaves, regard_waves, REGARD, WAVES, GtkWidget)

GtkWidget *regard_waves_new(void);
/* Copies the two columns of the first n rows. names: labels of the first n_names positions (the
 * sentence), copied; first_name and second_name say what the curves are. omega: radians per
 * position, if the columns are sin(omega p) and cos(omega p), so that the curves can be drawn
 * between the positions too; 0: straight lines from one position to the next. n 0 empties it. */
void regard_waves_set(RegardWaves *self, mt_matrix table, guint n, guint first_dim,
                      guint second_dim, double omega, const char *first_name,
                      const char *second_name, const char *const *names, guint n_names);
/* Position under the pointer or keyboard cursor, or -1. */
int regard_waves_get_position(RegardWaves *self);

G_END_DECLS
