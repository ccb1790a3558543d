/* regard-error.c — errors of the engine, as the programs say them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-error.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <mt.h>

#include "runner/regard-failure.h"

G_DEFINE_QUARK(regard - error - quark, regard_error)

gboolean
regard_error_set_from_mt(GError **error, const mt_error *from)
{
  g_autofree char *said = regard_failure_say(from);
  RegardError code = REGARD_ERROR_INPUT;

  switch (from->code) {
  case MT_ERROR_CANCELLED:
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, said);
    return FALSE;
  case MT_ERROR_IO:
    code = REGARD_ERROR_IO;
    break;
  case MT_ERROR_FORMAT:
    code = REGARD_ERROR_FORMAT;
    break;
  case MT_ERROR_UNSUPPORTED:
    code = REGARD_ERROR_UNSUPPORTED;
    break;
  case MT_ERROR_TOO_LONG:
    code = REGARD_ERROR_TOO_LONG;
    break;
  case MT_ERROR_NO_MEMORY:
    code = REGARD_ERROR_NO_MEMORY;
    break;
  case MT_ERROR_INPUT:
  case MT_OK:
    break;
  }
  g_set_error_literal(error, REGARD_ERROR, code, said);
  return FALSE;
}

gboolean
regard_error_is_cancelled(const GError *error)
{
  return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

const char *
regard_error_advice(const GError *error)
{
  if (error->domain != REGARD_ERROR)
    return NULL;
  switch ((RegardError) error->code) {
  case REGARD_ERROR_IO:
    return _("Check that the folder is complete and can be read.");
  case REGARD_ERROR_FORMAT:
    return _("Download or convert the model again.");
  case REGARD_ERROR_UNSUPPORTED:
    return _("Regard opens Marian models as Hugging Face and OPUS-MT have them.");
  case REGARD_ERROR_TOO_LONG:
    return _("Split the sentence with a full stop or a new line.");
  case REGARD_ERROR_NO_MEMORY:
    return _("Close other programs, or use a shorter text or a smaller model.");
  case REGARD_ERROR_INPUT:
    break;
  }
  return NULL;
}

char *
regard_two_sentences(const char *first, const char *second)
{
  /* Translators: a sentence, and the one after it; Chinese has no blank between them */
  return second ? g_strdup_printf(C_("sentences", "%s %s"), first, second) : g_strdup(first);
}
