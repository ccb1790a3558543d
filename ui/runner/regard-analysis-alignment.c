/* regard-analysis-alignment.c — a translation for recipes of word alignment to read, and all
 * recipes on a gold file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-analysis.h"

#include <glib/gi18n.h>
#include <string.h>

/* ---- One translation --------------------------------------------------------------------------
 */

static gpointer
compute_alignment(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->changes);

  if (regard_pass_has_model(pass)) {
    mt_session *session = regard_run_get_session(run, error);

    return session ? mt_alignable_of_translation(session, pass->translation, pass->hypothesis,
                                                 &hooks, error)
                   : NULL;
  }
  regard_run_take_error(
      run,
      g_error_new_literal(
          G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
          _("Nothing is known of this translation but its attention: norms and links of words want "
            "the model.")));
  return NULL;
}

const RegardTask regard_analysis_alignment = {
    .priority = REGARD_RUN_SHOWN,
    .compute = compute_alignment,
    .free_result = (GDestroyNotify) mt_alignable_unref,
};

/* ---- A gold file ------------------------------------------------------------------------------
 */

/* Both columns of a file of texts. FALSE and *error: names the line. */
static gboolean
read_texts(const char *path, GPtrArray *texts[MT_N_STACKS], mt_error *error)
{
  g_autofree char *name = g_path_get_basename(path);
  mt_bytes bytes;

  if (!mt_file_read_whole(path, MT_GOLD_MOST_BYTES, false, &bytes, error))
    return FALSE;
  const char *text = (const char *) bytes.data;
  g_auto(GStrv) lines =
      g_strsplit(g_str_has_prefix(text, "\xEF\xBB\xBF") ? text + 3 : text, "\n", -1);
  mt_bytes_clear(&bytes);
  for (guint i = 0; lines[i] && (lines[i + 1] || *lines[i]); i++) {
    g_auto(GStrv) columns = g_strsplit(g_strchomp(lines[i]), "\t", 3);

    if (g_strv_length(columns) < 2) {
      *error = (mt_error){.code = MT_ERROR_FORMAT};
      g_snprintf(error->message, sizeof error->message,
                 _("%s, line %u: expected a sentence, a tab and its translation."), name, i + 1);
      return FALSE;
    }
    for (int side = 0; side < MT_N_STACKS; side++)
      g_ptr_array_add(texts[side], g_strdup(columns[side]));
  }
  return TRUE;
}

static gboolean
take_texts(const mt_gold *gold, GPtrArray *texts[MT_N_STACKS], mt_error *error)
{
  if (!mt_gold_format_at(gold->format)->has_texts) {
    *error = (mt_error){.code = MT_ERROR_INPUT};
    g_snprintf(error->message, sizeof error->message,
               _("%s has links and no texts: choose the file of its sentences, too."), gold->label);
    return FALSE;
  }
  for (gsize i = 0; i < gold->n_sentences; i++)
    for (int side = 0; side < MT_N_STACKS; side++)
      g_ptr_array_add(texts[side], g_strdup(mt_gold_text(gold, i, (mt_stack) side)));
  return TRUE;
}

/* That into which the translation was made. */
static int
language_of(const RegardPass *pass)
{
  gsize i;

  return pass->search && *pass->search->language &&
                 mt_model_find_language(pass->model, pass->search->language, &i)
             ? (int) i
             : -1;
}

static gpointer
compute_scores(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const RegardScoresParams *given = regard_run_get_params(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->changes);
  g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) targets = g_ptr_array_new_with_free_func(g_free);
  GPtrArray *texts[] = {sources, targets};

  if (!(given->texts ? read_texts(given->texts, texts, error)
                     : take_texts(given->gold, texts, error)))
    return NULL;
  const mt_evaluation_params params = {
      .gold = given->gold,
      .n = sources->len,
      .texts = {(const char *const *) sources->pdata, (const char *const *) targets->pdata},
      .language = language_of(pass),
      .reverse_language = -1,
      .on_progress = regard_run_progress,
      .user = run,
  };
  return regard_alignment_scores_new(pass->model, &params, &given->recipe, &hooks, error);
}

static void
clear_scores_params(gpointer data)
{
  RegardScoresParams *params = data;

  mt_gold_unref(params->gold);
  g_free(params->texts);
}

const RegardTask regard_analysis_scores = {
    .priority = REGARD_RUN_OTHER,
    .needs_model = TRUE,
    .params_size = sizeof(RegardScoresParams),
    .compute = compute_scores,
    .clear_params = clear_scores_params,
    .free_result = (GDestroyNotify) regard_alignment_scores_unref,
};
