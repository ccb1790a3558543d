/* regard-export-name.h — what an exported file is called, until somebody calls it otherwise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>
#include <mt.h>

G_BEGIN_DECLS

/* "regard-cross-4.1-the-cat-sat.png" from a sentence, the name of what is shown of it, and an
 * extension; sentence and shown may be NULL. Caller frees. */
char *regard_export_name(const char *sentence, const char *shown, const char *extension);
/* The same for a capture (or NULL): by its source, or by the name of the file it came from. */
char *regard_export_name_for(const mt_capture *capture, const char *shown, const char *extension);

/* This name, or the first with -2, -3 … that no file of a folder has ("": any folder): two heads of
 * a sentence, or two sentences that begin alike, should not replace each other by the habit of
 * pressing Enter. Caller frees. */
char *regard_export_name_unused(const char *folder_uri, const char *name);
/* Let a chooser begin in the folder ("": its own), with such a name. */
void regard_export_name_offer(GtkFileChooser *chooser, const char *folder_uri, const char *name);

G_END_DECLS
