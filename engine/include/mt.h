/* mt.h — the public interface of the engine: a Transformer that translates, and lets you look.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The encoder-decoder of Vaswani et al. 2017, "Attention Is All You Need" (cited below as "the
 * paper"), run on published checkpoints, with hooks inside so that every attention matrix can be
 * captured or changed. A whole program:
 *
 *     #include <mt.h>
 *     #include <stdio.h>
 *
 *     int main(void)
 *     {
 *       mt_error error = {0};
 *       mt_model *model = mt_model_open("models/en-de", NULL, &error);
 *       mt_session *session = model ? mt_session_new(model, NULL, &error) : NULL;
 *       mt_search_params params = mt_search_params_default(model);
 *       mt_translation *t = NULL;
 *       mt_capture *c = NULL;
 *       if (session)
 *         t = mt_session_translate(session, "I have two dogs.", &params, NULL, &error);
 *       if (t)
 *         c = mt_session_capture(session, t, 0, 0, NULL, &error);
 *       if (c) {
 *         printf("%s\n", mt_translation_hypothesis(t, 0)->text);
 *         mt_matrix a = mt_capture_weights(c, MT_CROSS, 3, 0);   // layer 4, head 1
 *         printf("weight of row 0 on column 0: %g\n", mt_matrix_at(&a, 0, 0));
 *       } else
 *         fprintf(stderr, "%s\n", error.message);
 *       mt_capture_unref(c);
 *       mt_translation_unref(t);
 *       mt_session_free(session);
 *       mt_model_unref(model);
 *       return c ? 0 : 1;
 *     }
 *
 * Conventions
 *   Shapes are written [rows][columns]; everything is row-major 32-bit float. S is the number of
 *   source tokens, T the number of target tokens, L layers, H heads, d = d_model, d_head = d / H.
 *   Layers and heads are counted from 0 here; people count from 1, so user interfaces add one.
 *   In an attention matrix rows are queries and columns are keys; each row sums to 1.
 *   `_new` / `_open` return something you own; `_ref` / `_unref` count references atomically; every
 *   `_free` and `_unref` accepts NULL. Pointers inside a returned struct are borrowed from it.
 *   Failure is NULL or false, with *error filled in; `error` may be NULL when you do not care. The
 *   engine never prints, never exits, never reads the environment, and on failure leaves every
 *   object as it was before the call.
 *   A model may be shared by any number of threads; a session belongs to one thread at a time;
 *   translations and captures are immutable once returned and may be shared.
 *
 * The manual goes on in the headers named at the end, one for each subject. Each of them stands
 * alone; programs include <mt.h>.
 */
#ifndef MT_H
#define MT_H

#define MT_VERSION "0.1.0"

#include <mt/error.h>
#include <mt/matrix.h>

/* A model: opening it, what it says of itself, files, tokens, languages. */
#include <mt/files.h>
#include <mt/languages.h>
#include <mt/model.h>
#include <mt/tokens.h>

/* Translating, and looking inside. */
#include <mt/hooks.h>
#include <mt/interventions.h>
#include <mt/search.h>
#include <mt/session.h>
#include <mt/steps.h>
#include <mt/tasks.h>

/* What was seen. */
#include <mt/capture.h>
#include <mt/head-statistics.h>
#include <mt/trace.h>

/* What heads do over a text. */
#include <mt/conllu.h>
#include <mt/corpus.h>
#include <mt/scaling.h>

/* Which word stands for which, and how well a recipe finds it. */
#include <mt/alignment.h>
#include <mt/gold.h>

/* Where numbers come from, what depends on them, and what they cost. */
#include <mt/ablation.h>
#include <mt/attribution.h>
#include <mt/complexity.h>
#include <mt/explain.h>
#include <mt/permutation.h>

#endif
