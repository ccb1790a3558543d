/* document-test.h — a document with a model, for tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-test.h"
#include "document/regard-document.h"

G_BEGIN_DECLS

typedef struct {
  RegardDocument *document;
  GString *told; /* names of the properties that were notified, and of signals */
} DocumentTest;

/* A document that runs the frozen model. For g_test_add. */
void document_test_set_up(DocumentTest *t, gconstpointer data);
void document_test_tear_down(DocumentTest *t, gconstpointer data);

/* Until nothing is under way; the same of another document. */
void document_test_settle(DocumentTest *t);
void document_test_settle_other(RegardDocument *document);
/* Set the text and settle. */
void document_test_set_text(DocumentTest *t, const char *text);
/* Whether a property or signal was told of since the record was cut. */
gboolean document_test_was_told(DocumentTest *t, const char *name);
/* All that it is, and its reference, but no answers, as a text. Caller frees. */
char *document_test_describe(RegardDocument *document);
/* Saved as a session, and opened by another document, settled. Caller unrefs. */
RegardDocument *document_test_reopen(RegardDocument *document);
/* Path of a file of tests/data. Caller frees. */
char *document_test_data_file(const char *name);

G_END_DECLS
