/* regard-meanings.c — under the pieces of a text, what its words mean.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file of meanings has some 10 kB, and is read when the languages become others.
 */
#include "parts/regard-meanings.h"

#include "base/regard-paths.h"
#include "base/regard-signals.h"
#include "figures/regard-language.h"

#include <string.h>

#define KEY "regard-meanings"

typedef struct {
  RegardSide side;
  RegardDocument *document;
  GSettings *settings;
  char *from, *to; /* the languages of what is shown; NULL: nothing is */
} Meanings;

static void
meanings_free(gpointer data)
{
  Meanings *self = data;
  g_object_unref(self->document);
  g_object_unref(self->settings);
  g_free(self->from);
  g_free(self->to);
  g_free(self);
}

/* ---- Which languages ---------------------------------------------------------------------------
 */

/* The code of a text, as the model has it; "": nothing says so. Borrowed. */
static const char *
code_of_text(RegardDocument *document, RegardSide side)
{
  const gboolean is_source = side == REGARD_SIDE_SOURCE;
  const mt_model *model = regard_document_get_model(document);
  const mt_request *asked = regard_document_get_search(document);
  const char *told = is_source ? asked->source_language : asked->language;

  if (!model || regard_document_get_imported_capture(document))
    return "";
  if (*told)
    return told;
  const int own = mt_model_own_language(model, is_source ? MT_STACK_ENCODER : MT_STACK_DECODER);
  if (own >= 0)
    return is_source ? mt_model_source_language(model, (gsize) own)
                     : mt_model_language(model, (gsize) own);
  const mt_config *config = mt_model_config(model);
  const char *said = is_source ? config->source_lang : config->target_lang;
  return said ? said : "";
}

/* The language of a code, as files of meanings are named. NULL: none that has any. */
static const char *
language_of(const char *code)
{
  static const char *const codes[][2] = {
      {"en", "en"}, {"eng", "en"}, {"de", "de"}, {"deu", "de"}, {"ger", "de"},
  };
  const gsize n = strcspn(code, "_-");
  for (guint i = 0; i < G_N_ELEMENTS(codes); i++)
    if (strlen(codes[i][0]) == n && strncmp(codes[i][0], code, n) == 0)
      return codes[i][1];
  return NULL;
}

/* In which language meanings are wanted; NULL: they are not. Caller frees. */
static char *
dup_wanted(GSettings *settings)
{
  g_autofree char *choice = g_settings_get_string(settings, "gloss");
  g_autofree char *tag = regard_language_dup_tag(REGARD_LANGUAGE_WINDOW);
  const gboolean is_english = !tag || g_strcmp0(language_of(tag), "en") == 0;

  if (g_str_equal(choice, "off") || (is_english && !g_str_equal(choice, "on")))
    return NULL;
  return is_english ? g_strdup("en") : g_steal_pointer(&tag);
}

/* ---- What is shown -----------------------------------------------------------------------------
 */

static void
update(RegardTokenStrip *strip)
{
  Meanings *self = g_object_get_data(G_OBJECT(strip), KEY);
  const char *from = language_of(code_of_text(self->document, self->side));
  g_autofree char *to = from ? dup_wanted(self->settings) : NULL;

  if (to && g_strcmp0(language_of(to), from) == 0) /* who reads the text needs none */
    g_clear_pointer(&to, g_free);
  if (!to)
    from = NULL;
  if (g_strcmp0(from, self->from) == 0 && g_strcmp0(to, self->to) == 0)
    return;
  g_free(self->from);
  g_free(self->to);
  self->from = g_strdup(from);
  self->to = g_steal_pointer(&to);
  g_autofree char *path = from ? regard_paths_gloss(from) : NULL;
  g_autoptr(RegardGloss) gloss = path ? regard_gloss_read(path, self->to, NULL) : NULL;
  regard_token_strip_set_gloss(strip, gloss);
}

void
regard_meanings_show(RegardTokenStrip *strip, RegardSide side, RegardDocument *document,
                     GSettings *settings)
{
  Meanings *self = g_new0(Meanings, 1);
  self->side = side;
  self->document = g_object_ref(document);
  self->settings = g_object_ref(settings);
  g_object_set_data_full(G_OBJECT(strip), KEY, self, meanings_free);
  regard_observe(document, strip, update, "changed::model", "changed::language",
                 "changed::foreign");
  regard_observe(settings, strip, update, "changed::gloss");
  update(strip);
}
