/* regard-document-changes.c — what is changed in the model, and what "mean" means in it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-document-private.h"

#include "base/regard-error.h"

#include <string.h>

/* ---- Means -------------------------------------------------------------------------------------
 */

mt_means *
regard_document_get_means(RegardDocument *self, const char **why_not)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self), NULL);
  if (why_not)
    *why_not = self->why_no_means;
  return self->means;
}

void
regard_document_free_means(RegardDocument *self)
{
  g_clear_pointer(&self->means, mt_means_unref);
  g_clear_pointer(&self->why_no_means, g_free);
}

static gboolean
wants_means(const mt_changes *changes)
{
  mt_change_row row;
  for (gsize i = 0; mt_changes_row(changes, i, &row); i++)
    if (g_str_equal(row.how, "mean"))
      return TRUE;
  return FALSE;
}

/* The same with this model's means, where they are wanted. Caller unrefs. */
static mt_changes *
with_means(RegardDocument *self, const mt_changes *changes)
{
  mt_error error = {0};
  mt_means *means = wants_means(changes) ? regard_document_get_means(self, NULL) : NULL;
  mt_changes *with = means && mt_changes_means(changes) != means
                         ? mt_changes_with_means(changes, means, &error)
                         : NULL;
  return with ? with : mt_changes_ref((mt_changes *) changes);
}

void
regard_document_follow_means(RegardDocument *self)
{
  mt_changes *changes = with_means(self, self->search.changes);
  if (changes != self->search.changes)
    mt_request_set_changes(&self->search, changes);
  mt_changes_unref(changes);
}

/* ---- The list ----------------------------------------------------------------------------------
 */

void
regard_document_set_changes(RegardDocument *self, const mt_changes *changes)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self));
  mt_changes *wanted = with_means(self, changes);
  const gboolean is_same = mt_changes_equal(self->search.changes, wanted);
  if (!is_same) {
    regard_document_record(self);
    mt_request_set_changes(&self->search, mt_changes_count(wanted) ? wanted : NULL);
    regard_document_record(self);
  }
  mt_changes_unref(wanted);
  if (is_same)
    return;
  if (!regard_document_can_compare(self))
    regard_document_set_compare(self, REGARD_COMPARE_OFF);
  regard_document_notify(self, REGARD_DOCUMENT_CHANGES);
  if (self->translator && self->model && !self->is_changing)
    regard_document_update_request(self, TRUE);
}

gboolean
regard_document_set_changes_text(RegardDocument *self, const char *text, GError **error)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self), FALSE);
  mt_error failure = {0};
  mt_changes *parsed = mt_changes_parse("change", text, &failure);
  const char *why_not = NULL;
  const gboolean lacks_means =
      parsed && wants_means(parsed) && !regard_document_get_means(self, &why_not) && why_not;
  mt_changes *changes = parsed && !lacks_means ? with_means(self, parsed) : NULL;
  if (lacks_means) {
    failure.code = MT_ERROR_INPUT;
    g_strlcpy(failure.message, why_not, sizeof failure.message);
  }
  const gboolean ok =
      changes &&
      (!self->model || mt_changes_check(changes, mt_model_config(self->model), &failure));
  if (ok)
    regard_document_set_changes(self, changes);
  else
    regard_error_set_from_mt(error, &failure);
  mt_changes_unref(changes);
  mt_changes_unref(parsed);
  return ok;
}

gboolean
regard_document_edit_changes(RegardDocument *self, const char *line, RegardChangeEdit edit,
                             GError **error)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self), FALSE);
  mt_error failure = {0};
  RegardChangeExtent extent = {0};
  if (self->model)
    regard_change_extent(&extent, mt_model_config(self->model));
  g_autofree char *text = regard_changes_edit(self->search.changes, line, edit, &extent, &failure);
  if (!text) {
    regard_error_set_from_mt(error, &failure);
    return FALSE;
  }
  return regard_document_set_changes_text(self, text, error);
}

const mt_changes *
regard_document_get_changes(RegardDocument *self)
{
  return self->search.changes;
}

void
regard_document_set_gesture(RegardDocument *self, guint64 gesture)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self));
  self->gesture = gesture;
}
