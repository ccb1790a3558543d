/* regard-translator.h — the worker: translates what is typed, before anything else is computed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The main loop puts requests into a mailbox with one slot; a newer one replaces an older and
 * stops the one that is running at its next layer or decoding step. Translations of sentences are
 * remembered, so that in a paragraph only the edited sentence is done again. A result is delivered
 * on the main loop only while its request is still the newest. It has a session of its own, which
 * runs of the runner use one after the other. They hold the analyses that run until the active
 * sentence is captured; the rest of the text then waits for what is on the screen.
 *
 * Signals, all on the main loop:
 *   "result" (RegardResult)    a request's answer; several may follow each other, from the first
 *                              words of a slow sentence to the complete text
 *   "model-changed" (pointer)  the worker now runs this mt_model
 *   "model-failed" (GError)    there was no room to run the new model; the old one goes on
 */
#pragma once

#include "base/regard-signals.h"
#include "document/regard-result.h"

G_BEGIN_DECLS

#define REGARD_TYPE_TRANSLATOR (regard_translator_get_type())
G_DECLARE_FINAL_TYPE(RegardTranslator, regard_translator, REGARD, TRANSLATOR, GObject)

RegardTranslator *regard_translator_new(void);

/* Run this model from now on. The old one works on until the new one's session stands. */
void regard_translator_set_model(RegardTranslator *self, mt_model *model);

/* Translate all sentences (array of RegardSentence of `text`), the active one first, and capture
 * that one. alternative: hypothesis to show for the active sentence, -1 for the one shown before.
 * search: over the model's own settings, of which a copy is taken; as many hypotheses are found as
 * it has beams.
 * Returns the request's serial. */
guint regard_translator_request(RegardTranslator *self, const char *text, const GArray *sentences,
                                int active, int alternative, const mt_request *search);

/* What a request will ask for next is made ready while nothing else is asked for: its active
 * sentence is remembered, and its capture. Nobody is told, and the next request stops it. */
void regard_translator_prepare(RegardTranslator *self, const char *text, const GArray *sentences,
                               int active, int alternative, const mt_request *search);

/* From the next request on, sentences that are keys here are not translated: the model is given
 * their values, texts, as the translation, and attention is that of teacher forcing. NULL: all are
 * translated. The table (char * to char *) is not changed any more. */
void regard_translator_set_targets(RegardTranslator *self, GHashTable *targets);

/* Likewise, to what the translations of these sentences begin with, and must not have: a table of
 * char * to mt_constraints *, with ids of the model that runs. Sentences with a target have none.
 */
void regard_translator_set_constraints(RegardTranslator *self, GHashTable *constraints);
/* From the next request on the active sentence's search is traced, or it is not. One that has
 * constraints is in any case. */
void regard_translator_set_traces(RegardTranslator *self, gboolean traces);
/* Where a translation has <unk> a word of the source is found for it, with the next request. */
void regard_translator_set_copies(RegardTranslator *self, gboolean copies);

/* How much of the active sentence's attention is captured. */
typedef struct {
  gsize most_bytes; /* where all of it takes more it is that of a kind and layer …; 0: no limit */
  gboolean is_whole; /* … but not if all is wanted */
  mt_attention_kind kind;
  guint layer; /* of the model, from 0 */
} RegardCaptureWish;
/* From the next request on. Where there is no memory for all of it, it is a part, too. */
void regard_translator_set_capture_wish(RegardTranslator *self, const RegardCaptureWish *wish);

/* Stop, and forget the newest request; nothing is delivered for it. */
void regard_translator_cancel(RegardTranslator *self);

/* TRUE from a request until its complete result was delivered or it was cancelled. */
gboolean regard_translator_is_busy(RegardTranslator *self);

G_END_DECLS
