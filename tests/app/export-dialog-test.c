/* export-dialog-test.c — the export dialog, opened, used and closed by tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export-dialog-test.h"

static void
on_exported(Export *e)
{
  e->n_exported++;
}

void
export_dialog_open(WindowTest *t, Export *e, const char *key, const char *format,
                   const char *choice)
{
  *e = (Export){0};
  g_settings_set_string(t->settings, key, format);
  e->dialog = regard_export_dialog_new(GTK_WINDOW(t->window), t->settings, t->document,
                                       regard_window_get_view(t->window), choice);
  g_object_add_weak_pointer(G_OBJECT(e->dialog), (gpointer *) &e->dialog);
  g_signal_connect_swapped(e->dialog, "exported", G_CALLBACK(on_exported), e);
  gtk_window_present(GTK_WINDOW(e->dialog));
}

void
export_dialog_close(Export *e)
{
  if (e->dialog)
    gtk_window_destroy(GTK_WINDOW(e->dialog));
  app_test_until(e->dialog == NULL);
}

gboolean
export_dialog_is_done(gpointer data)
{
  Export *e = data;
  return e->n_exported > 0 || (e->dialog && regard_export_dialog_get_error(e->dialog));
}
