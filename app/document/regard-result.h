/* regard-result.h — what the worker hands to the window: a text, its sentences, their
 * translations, and the capture of the sentence that is looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Immutable once delivered and atomically reference-counted, so that it crosses threads and stays
 * valid for an export while newer ones arrive.
 */
#pragma once

#include "base/regard-autoptr.h"

#include <glib-object.h>

G_BEGIN_DECLS

typedef struct {
  gsize begin, end;            /* bytes of the source text */
  mt_translation *translation; /* NULL: not there yet, or it failed */
  guint chosen;                /* which hypothesis is shown */
  mt_copies *copies;           /* words of the source in place of <unk>; NULL: there are none */
  gboolean is_given;           /* not searched for: the model was given it as the translation */
  char *partial;               /* words found so far, while there is no translation; or NULL */
  GError *error;               /* why there is none; or NULL */
} RegardResultSentence;

typedef struct {
  /*< private >*/
  gatomicrefcount ref_count;
  /*< public, read only >*/
  guint serial;                    /* of the request it answers */
  mt_model *model;                 /* a reference */
  mt_search_params params;         /* the translations were searched for with these … */
  mt_interventions *interventions; /* … and these changes in the model; a reference, NULL: none */
  char *text;                      /* the whole source text */
  guint n_sentences;
  RegardResultSentence *sentences;
  int active;          /* the sentence looked at, -1: none */
  mt_capture *capture; /* of the active sentence's chosen hypothesis; NULL: none yet, or failed */
  /* What all of that attention takes, where the capture is only of the kind and layer that are
   * looked at; 0: it is all of it. */
  gsize whole_bytes;
  gboolean lacks_memory; /* … for which there was no memory */
  gboolean complete;     /* nothing more will come for this request */
} RegardResult;

#define REGARD_TYPE_RESULT (regard_result_get_type())
GType regard_result_get_type(void);
RegardResult *regard_result_new(guint serial, const char *text, const GArray *sentences);
/* A copy that shares translations and capture; for the worker to go on with while the first is
 * with the window. */
RegardResult *regard_result_copy(const RegardResult *result);
RegardResult *regard_result_ref(RegardResult *result);
void regard_result_unref(RegardResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardResult, regard_result_unref)

/* The active sentence, or NULL. */
const RegardResultSentence *regard_result_active(const RegardResult *result);
/* The shown hypothesis of a sentence, or NULL. */
const mt_hypothesis *regard_result_hypothesis(const RegardResult *result, guint sentence);
/* First error of any sentence, the active one's before others'; or NULL. Borrowed. */
const GError *regard_result_error(const RegardResult *result);

/* Its tokens as they are shown, with the words that were copied from the source; or NULL. */
const mt_tokens *regard_result_tokens(const RegardResult *result, guint sentence);

/* Each sentence with the translation that stands there: a table of char * to char *. Caller unrefs.
 */
GHashTable *regard_result_dup_translations(const RegardResult *result);

/* The translation laid out as the source is: white space between sentences is kept. Where a
 * sentence has no translation yet its partial text stands, or "…"; where it failed, "—". spans, if
 * not NULL, is filled with the byte range of every sentence: array of RegardSentence. Caller frees
 * both. */
char *regard_result_layout(const RegardResult *result, GArray **spans);

G_END_DECLS
