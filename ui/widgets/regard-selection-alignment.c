/* regard-selection-alignment.c — the translation that is looked at, for recipes to read; and all
 * recipes on a gold file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-engine-task.h"
#include "widgets/regard-selection-private.h"

#include <glib/gi18n.h>
#include <string.h>

typedef struct {
  RegardPass *pass; /* whose changes are made again; first (regard_selection_asked_pass) */
  /* Of a gold file. */
  mt_gold *gold;
  char *texts; /* path; NULL: they are in the gold file */
  mt_recipe recipe;
  int language;
  void (*on_progress)(void *progress, double share);
  void *progress;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;

  regard_pass_set(&job->pass, NULL);
  mt_gold_unref(job->gold);
  g_free(job->texts);
  g_free(job);
}

/* NULL: the task has ended with an error. */
static Job *
new_job(RegardSelection *self, GTask *task)
{
  if (!regard_pass_has_model(self->pass)) {
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "%s",
                            _("Nothing is known of this translation but its attention: norms and "
                              "links of words want the model."));
    return NULL;
  }
  Job *job = g_new0(Job, 1);
  regard_pass_set(&job->pass, self->pass);
  return job;
}

static mt_hooks
hooks_of(const Job *job, GCancellable *cancellable)
{
  return (mt_hooks){
      .should_stop = cancellable ? regard_engine_is_cancelled : NULL,
      .user = cancellable,
      .changes = job->pass->changes,
  };
}

/* ---- One translation --------------------------------------------------------------------------
 */

static void
run_align(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  const mt_hooks hooks = hooks_of(job, cancellable);
  mt_error error = {0};
  mt_alignable *alignable = mt_model_alignable(job->pass->model, job->pass->translation,
                                               job->pass->hypothesis, &hooks, &error);

  if (alignable)
    g_task_return_pointer(task, alignable, (GDestroyNotify) mt_alignable_unref);
  else
    regard_engine_return_error(task, &error);
}

void
regard_selection_align_async(RegardSelection *self, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  Job *job;

  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_task_set_source_tag(task, regard_selection_align_async);
  job = new_job(self, task);
  if (!job)
    return;
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, run_align);
}

mt_alignable *
regard_selection_align_finish(RegardSelection *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);
  return g_task_propagate_pointer(G_TASK(result), error);
}

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
  if (!mt_gold_format_at(mt_gold_get_format(gold))->has_texts) {
    *error = (mt_error){.code = MT_ERROR_INPUT};
    g_snprintf(error->message, sizeof error->message,
               _("%s has links and no texts: choose the file of its sentences, too."),
               mt_gold_label(gold));
    return FALSE;
  }
  for (gsize i = 0; i < mt_gold_n_sentences(gold); i++)
    for (int side = 0; side < MT_N_STACKS; side++)
      g_ptr_array_add(texts[side], g_strdup(mt_gold_text(gold, i, (mt_stack) side)));
  return TRUE;
}

static void
run_score(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  const mt_hooks hooks = hooks_of(job, cancellable);
  g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) targets = g_ptr_array_new_with_free_func(g_free);
  GPtrArray *texts[] = {sources, targets};
  RegardAlignmentScores *scores = NULL;
  mt_error error = {0};

  if (job->texts ? read_texts(job->texts, texts, &error) : take_texts(job->gold, texts, &error)) {
    const mt_evaluation_params params = {
        .gold = job->gold,
        .n = sources->len,
        .texts = {(const char *const *) sources->pdata, (const char *const *) targets->pdata},
        .language = job->language,
        .reverse_language = -1,
        .on_progress = job->on_progress,
        .user = job->progress,
    };

    scores = regard_alignment_scores_new(job->pass->model, &params, &job->recipe, &hooks, &error);
  }
  if (scores)
    g_task_return_pointer(task, scores, (GDestroyNotify) regard_alignment_scores_unref);
  else
    regard_engine_return_error(task, &error);
}

/* That into which the present translation was made. */
static int
language_of(const Job *job)
{
  const mt_request *search = mt_translation_search(job->pass->translation);
  gsize i;

  return search && *search->language &&
                 mt_model_find_language(job->pass->model, search->language, &i)
             ? (int) i
             : -1;
}

void
regard_selection_score_recipes_async(RegardSelection *self, mt_gold *gold, const char *texts,
                                     const mt_recipe *recipe,
                                     void (*on_progress)(void *progress, double share),
                                     void *progress, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  Job *job;

  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_task_set_source_tag(task, regard_selection_score_recipes_async);
  job = new_job(self, task);
  if (!job)
    return;
  job->gold = mt_gold_ref(gold);
  job->texts = g_strdup(texts);
  job->recipe = *recipe;
  job->language = language_of(job);
  job->on_progress = on_progress;
  job->progress = progress;
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, run_score);
}

RegardAlignmentScores *
regard_selection_score_recipes_finish(RegardSelection *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);
  return g_task_propagate_pointer(G_TASK(result), error);
}
