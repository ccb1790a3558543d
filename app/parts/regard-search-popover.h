/* regard-search-popover.h — how the translation is searched for: beams, length penalty, length.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shows the values in force; what is not set by hand is the model's own.
 *
 * Property: "summary" (string, read only): "beam 4" or "greedy".
 */
#pragma once

#include "document/regard-document.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_SEARCH_POPOVER (regard_search_popover_get_type())
G_DECLARE_FINAL_TYPE(RegardSearchPopover, regard_search_popover, REGARD, SEARCH_POPOVER, GtkPopover)

/* References are taken. */
GtkWidget *regard_search_popover_new(GSettings *settings, RegardDocument *document);

/* ==== Where terms that the translation must have are typed =======================================
 *
 * Enter, or leaving the entry, asks for them; what cannot be said is named below it, and nothing is
 * changed.
 */

#define REGARD_TYPE_TERMS_ENTRY (regard_terms_entry_get_type())
G_DECLARE_FINAL_TYPE(RegardTermsEntry, regard_terms_entry, REGARD, TERMS_ENTRY, GtkBox)

G_END_DECLS
