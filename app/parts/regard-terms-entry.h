/* regard-terms-entry.h — terms that the translation of the sentence that is looked at must have:
 * where a person types them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Enter, or leaving the entry, asks for them; what cannot be said is named below it, and nothing is
 * changed.
 */
#pragma once

#include "document/regard-document.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_TERMS_ENTRY (regard_terms_entry_get_type())
G_DECLARE_FINAL_TYPE(RegardTermsEntry, regard_terms_entry, REGARD, TERMS_ENTRY, GtkBox)

/* A reference is taken. */
GtkWidget *regard_terms_entry_new(RegardDocument *document);
GtkEditable *regard_terms_entry_get_editable(RegardTermsEntry *self);

G_END_DECLS
