/* regard-result.c — what the worker hands to the window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-result.h"

#include "document/regard-sentences.h"

G_DEFINE_BOXED_TYPE(RegardResult, regard_result, regard_result_ref, regard_result_unref)

RegardResult *
regard_result_new(guint serial, const char *text, const GArray *sentences)
{
  RegardResult *result = g_new0(RegardResult, 1);
  g_atomic_ref_count_init(&result->ref_count);
  result->serial = serial;
  result->text = g_strdup(text);
  result->active = -1;
  result->n_sentences = sentences->len;
  result->sentences = g_new0(RegardResultSentence, sentences->len);
  for (guint i = 0; i < sentences->len; i++) {
    const RegardSentence *s = &g_array_index(sentences, RegardSentence, i);
    result->sentences[i].begin = s->begin;
    result->sentences[i].end = s->end;
  }
  return result;
}

RegardResult *
regard_result_copy(const RegardResult *from)
{
  RegardResult *result = g_new0(RegardResult, 1);
  *result = *from;
  g_atomic_ref_count_init(&result->ref_count);
  result->text = g_strdup(from->text);
  result->model = from->model ? mt_model_ref(from->model) : NULL;
  result->capture = from->capture ? mt_capture_ref(from->capture) : NULL;
  mt_interventions_ref(result->interventions);
  result->sentences = g_memdup2(from->sentences, from->n_sentences * sizeof *from->sentences);
  for (guint i = 0; i < from->n_sentences; i++) {
    RegardResultSentence *s = &result->sentences[i];
    if (s->translation)
      mt_translation_ref(s->translation);
    if (s->copies)
      mt_copies_ref(s->copies);
    s->partial = g_strdup(s->partial);
    if (s->error)
      s->error = g_error_copy(s->error);
  }
  return result;
}

RegardResult *
regard_result_ref(RegardResult *result)
{
  g_atomic_ref_count_inc(&result->ref_count);
  return result;
}

void
regard_result_unref(RegardResult *result)
{
  if (!result || !g_atomic_ref_count_dec(&result->ref_count))
    return;
  for (guint i = 0; i < result->n_sentences; i++) {
    mt_translation_unref(result->sentences[i].translation);
    mt_copies_unref(result->sentences[i].copies);
    g_free(result->sentences[i].partial);
    g_clear_error(&result->sentences[i].error);
  }
  g_free(result->sentences);
  g_free(result->text);
  mt_capture_unref(result->capture);
  mt_model_unref(result->model);
  mt_interventions_unref(result->interventions);
  g_free(result);
}

const RegardResultSentence *
regard_result_active(const RegardResult *result)
{
  return result->active >= 0 ? &result->sentences[result->active] : NULL;
}

const mt_hypothesis *
regard_result_hypothesis(const RegardResult *result, guint sentence)
{
  const RegardResultSentence *s = &result->sentences[sentence];
  return s->translation ? mt_translation_hypothesis(s->translation, s->chosen) : NULL;
}

const mt_tokens *
regard_result_tokens(const RegardResult *result, guint sentence)
{
  const RegardResultSentence *s = &result->sentences[sentence];
  const mt_hypothesis *hypothesis = regard_result_hypothesis(result, sentence);
  return !hypothesis ? NULL : s->copies ? s->copies->tokens : hypothesis->tokens;
}

const GError *
regard_result_error(const RegardResult *result)
{
  const RegardResultSentence *active = regard_result_active(result);
  if (active && active->error)
    return active->error;
  for (guint i = 0; i < result->n_sentences; i++)
    if (result->sentences[i].error)
      return result->sentences[i].error;
  return NULL;
}

char *
regard_result_layout(const RegardResult *result, GArray **spans)
{
  GString *text = g_string_new(NULL);
  if (spans)
    *spans = g_array_new(FALSE, FALSE, sizeof(RegardSentence));
  gsize at = 0;
  for (guint i = 0; i < result->n_sentences; i++) {
    const RegardResultSentence *s = &result->sentences[i];
    g_string_append_len(text, result->text + at, (gssize) (s->begin - at));
    /* Chinese sentences touch each other; their German ones need a space. */
    if (i && s->begin == at)
      g_string_append_c(text, ' ');
    at = s->end;

    const mt_hypothesis *hypothesis = regard_result_hypothesis(result, i);
    RegardSentence span = {text->len, 0};
    g_string_append(text, s->copies    ? mt_tokens_text(s->copies->tokens)
                          : hypothesis ? hypothesis->text
                          : s->partial ? s->partial
                          : s->error   ? "—"
                                       : "…");
    span.end = text->len;
    if (spans)
      g_array_append_val(*spans, span);
  }
  return g_string_free(text, FALSE);
}

GHashTable *
regard_result_dup_translations(const RegardResult *result)
{
  GHashTable *all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < result->n_sentences; i++) {
    const RegardResultSentence *s = &result->sentences[i];
    const mt_hypothesis *shown = regard_result_hypothesis(result, i);
    if (shown)
      g_hash_table_insert(all, g_strndup(result->text + s->begin, s->end - s->begin),
                          g_strdup(shown->text));
  }
  return all;
}
