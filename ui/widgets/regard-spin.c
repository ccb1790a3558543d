/* regard-spin.c — numbers that are typed into spin buttons.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-spin.h"

/* What is no number puts back what stood there: GTK itself would take it for the least. */
static int
on_input(GtkSpinButton *spin, double *value)
{
  g_autofree char *text = g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(spin))));
  char *end;
  g_strdelimit(text, ",", '.');
  *value = g_ascii_strtod(text, &end);
  if (end == text || *end != '\0')
    *value = gtk_spin_button_get_value(spin);
  return TRUE;
}

void
regard_spin_take_comma(GtkSpinButton *spin)
{
  /* Else the comma is dropped as it is typed, and 0,5 becomes 5. */
  gtk_spin_button_set_numeric(spin, FALSE);
  g_signal_connect(spin, "input", G_CALLBACK(on_input), NULL);
}
