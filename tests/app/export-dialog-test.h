/* export-dialog-test.h — the export dialog, opened, used and closed by tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "export/regard-exporter.h"
#include "window-test.h"

G_BEGIN_DECLS

typedef struct {
  RegardExportDialog *dialog; /* weak */
  guint n_exported;
} Export;

/* For a choice of the page that is shown; key: the setting that has the format. */
void export_dialog_open(WindowTest *t, Export *e, const char *key, const char *format,
                        const char *choice);
void export_dialog_close(Export *e);
/* For app_test_wait: the Export has been written, or it was said why not. */
gboolean export_dialog_is_done(gpointer e);

G_END_DECLS
