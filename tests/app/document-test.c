/* document-test.c — a document with a model, for tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document-test.h"

#include <json.h>
#include <string.h>

static void
on_changed(RegardDocument *document, DocumentTest *t)
{
  const GQuark what = g_signal_get_invocation_hint(document)->detail;
  g_string_append_printf(t->told, "%s ", g_quark_to_string(what));
}

static void
on_failed(RegardDocument *document, const char *dir, const GError *error, DocumentTest *t)
{
  g_string_append_printf(t->told, "failed(%s) ", error->message);
}

void
document_test_settle_other(RegardDocument *document)
{
  app_test_until(!regard_document_is_busy(document));
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
  g_signal_connect(t->document, "changed", G_CALLBACK(on_changed), t);
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

char *
document_test_describe(RegardDocument *document)
{
  g_autoptr(RegardSnapshot) state = regard_document_take_snapshot(document);
  const RegardSnapshot *reference = regard_document_get_compared(document)->reference;
  json_object *object = json_object_new_object();
  regard_snapshot_write(state, object);
  if (reference) {
    json_object *other = json_object_new_object();
    regard_snapshot_write(reference, other);
    json_object_object_add(object, "reference", other);
  }
  char *text = g_strdup(
      json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
  json_object_put(object);
  return text;
}

static void
on_saved(gpointer data, RegardRun *run)
{
  g_autoptr(GError) error = NULL;
  regard_run_finish(run, &error);
  g_assert_no_error(error);
  *(gboolean *) data = TRUE;
}

RegardDocument *
document_test_reopen(RegardDocument *document)
{
  gboolean is_saved = FALSE;
  const RegardViewState look = {.page = (char *) "attention",
                                .colormap = regard_colormap_find("viridis"),
                                .zoom = 1,
                                .row = -1,
                                .col = -1,
                                .step = -1};
  g_autofree char *folder = app_test_folder();
  g_autofree char *path = g_build_filename(folder, "document.regard", NULL);
  RegardDocument *other = regard_document_new();
  regard_document_save_session(document, path, &look, on_saved, &is_saved);
  app_test_until(is_saved);
  regard_document_open_session(other, path, NULL);
  document_test_settle_other(other);
  app_test_remove(folder);
  return other;
}
