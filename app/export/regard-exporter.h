/* regard-exporter.h — pictures and numbers out of a document: dialog, clipboard, capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What leaves is what is on the screen, from the same objects. All of it works beside the window,
 * in threads; what has become of it is told by signals, and not any more once the document is
 * closed.
 *
 * Signals:
 *   "saved" (GFile)            the file stands
 *   "figure-saved" (pointer)   before that, if it is the one of this RegardExportJob
 *   "capture-saved" (GFile)    before that, if it is a capture
 *   "figure-copied" (pointer)  before "copied": what this RegardExportJob draws
 *   "copied" (string)          it is on the clipboard: what is to be said
 *   "failed" (string, string)  what went wrong, and what to do (NULL: nothing)
 */
#pragma once

#include "document/regard-document.h"
#include "views/regard-view.h"
#include <adwaita.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* ==== Choose what leaves as which file, and see it first =========================================
 *
 * Signal: "exported" (GFile, pointer): the file stands, of this RegardExportJob; NULL: an
 * animation.
 */

#define REGARD_TYPE_EXPORT_DIALOG (regard_export_dialog_get_type())
G_DECLARE_FINAL_TYPE(RegardExportDialog, regard_export_dialog, REGARD, EXPORT_DIALOG, AdwWindow)

/* choice: id of a picture or an animation of the view to begin with; NULL: its first picture.
 * document: whose training can be shown; NULL: none. */
RegardExportDialog *regard_export_dialog_new(GtkWindow *parent, GSettings *settings,
                                             RegardDocument *document, RegardView *view,
                                             const char *choice);
/* Write to this file with the present choices; what the Save button does after the file chooser.
 * Of numbered files it is the name of all, which has a {n}, or gets one. */
void regard_export_dialog_save(RegardExportDialog *self, GFile *file);
/* What went wrong last, NULL if nothing; for tests. */
const char *regard_export_dialog_get_error(RegardExportDialog *self);

/* ==== The exporter ============================================================================ */

#define REGARD_TYPE_EXPORTER (regard_exporter_get_type())
G_DECLARE_FINAL_TYPE(RegardExporter, regard_exporter, REGARD, EXPORTER, GObject)

/* window: where dialogs belong and whose clipboard it is; borrowed, it may go first. */
RegardExporter *regard_exporter_new(GtkWindow *window, RegardDocument *document,
                                    GSettings *settings);

/* Choose a picture of a view and a file for it; choice: id of the one to begin with, NULL: the
 * first. view NULL: nothing happens, likewise below. */
void regard_exporter_open_dialog(RegardExporter *self, RegardView *view, const char *choice);
/* The first of the view's pictures, which is what the eye is on: to the clipboard as a picture, as
 * its caption, or as its numbers (CSV). */
void regard_exporter_copy_picture(RegardExporter *self, RegardView *view);
void regard_exporter_copy_caption(RegardExporter *self, RegardView *view);
void regard_exporter_copy_values(RegardExporter *self, RegardView *view);
/* The whole capture as NPZ: activate the window's "win.save-capture" with a path that is asked for;
 * and what that leads to. */
void regard_exporter_choose_capture(RegardExporter *self);
void regard_exporter_save_capture(RegardExporter *self, const char *path);
/* A text, of which a reference is taken, likewise. */
void regard_exporter_save_bytes(RegardExporter *self, GBytes *bytes, const char *path);

G_END_DECLS
