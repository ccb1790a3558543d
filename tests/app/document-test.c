/* document-test.c — a document with a model, for tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document-test.h"

#include <string.h>

static void
on_notify(GObject *object, GParamSpec *pspec, DocumentTest *t)
{
  g_string_append_printf(t->told, "%s ", pspec->name);
}

static void
on_failed(RegardDocument *document, const char *dir, const GError *error, DocumentTest *t)
{
  g_string_append_printf(t->told, "failed(%s) ", error->message);
}

static gboolean
is_settled(gpointer data)
{
  return !regard_document_is_busy(data);
}

void
document_test_settle_other(RegardDocument *document)
{
  app_test_wait(is_settled, document);
}

void
document_test_settle(DocumentTest *t)
{
  document_test_settle_other(t->document);
}

void
document_test_set_up(DocumentTest *t, gconstpointer data)
{
  g_setenv("REGARD_MODEL_DIR", app_test_model_dir(), TRUE);
  t->document = regard_document_new();
  t->told = g_string_new(NULL);
  g_signal_connect(t->document, "notify", G_CALLBACK(on_notify), t);
  g_signal_connect(t->document, "load-failed", G_CALLBACK(on_failed), t);
  regard_document_open_model(t->document, "");
  document_test_settle(t);
}

void
document_test_tear_down(DocumentTest *t, gconstpointer data)
{
  g_object_add_weak_pointer(G_OBJECT(t->document), (gpointer *) &t->document);
  g_object_unref(t->document);
  g_assert_null(t->document);
  g_string_free(t->told, TRUE);
}

gboolean
document_test_was_told(DocumentTest *t, const char *name)
{
  g_autofree char *word = g_strdup_printf("%s ", name);
  return strstr(t->told->str, word) != NULL;
}

char *
document_test_data_file(const char *name)
{
  return g_build_filename(g_getenv("REGARD_TEST_DATA"), name, NULL);
}

void
document_test_set_text(DocumentTest *t, const char *text)
{
  regard_document_set_text(t->document, text);
  document_test_settle(t);
}

RegardDocument *
document_test_reopen(const char *json)
{
  g_autoptr(GError) error = NULL;
  RegardDocument *other = regard_document_new();
  g_assert_true(regard_document_from_json(other, json, &error));
  g_assert_no_error(error);
  document_test_settle_other(other);
  return other;
}
