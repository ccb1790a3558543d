/* regard-failure.c — what a person is told of an error of the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-failure.h"
#include "figures/regard-language.h"

const char *
regard_failure_sentence(mt_error_code code)
{
  static const char *const sentences[] = {
      [MT_ERROR_IO] =
          N_("A file cannot be read or written: see whether it is there, whether you may "
             "use it, and whether there is room."),
      [MT_ERROR_FORMAT] = N_("Something here is not written as it should be: see what is typed, or "
                             "get the file again."),
      [MT_ERROR_UNSUPPORTED] = N_("This is of a kind that Regard does not run: choose another."),
      [MT_ERROR_INPUT] =
          N_("With what is typed or chosen this cannot be done: change it, and try again."),
      [MT_ERROR_TOO_LONG] = N_("The sentence is too long for this model: make it shorter."),
      [MT_ERROR_NO_MEMORY] =
          N_("There is not enough memory for this: close other programs, or ask for less."),
      [MT_ERROR_CANCELLED] = N_("This was stopped before it was done."),
  };
  const char *english = (gsize) code < G_N_ELEMENTS(sentences) ? sentences[code] : NULL;
  const char *translated = english ? _(english) : NULL;

  /* gettext gives back what it was asked for where there is no translation. */
  return translated == english ? NULL : translated;
}

char *
regard_failure_say(const mt_error *error)
{
  const char *sentence = regard_failure_sentence(error->code);
  g_autofree char *own = g_utf8_make_valid(error->message, -1);

  if (!sentence)
    return g_steal_pointer(&own);
  /* Translators: below a sentence that says what went wrong; %s is a message in English that says
   * where, with names of files. */
  g_autofree char *details = g_strdup_printf(_("Details: %s"), own);
  return g_strconcat(sentence, "\n", details, NULL);
}
