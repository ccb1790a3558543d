/* regard-animation-job.c — animations of the window as tasks of the runner.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-animation-job.h"

#include "base/regard-memory.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "models/regard-training-frames.h"

/* ==== What is looked at, over a training ======================================================
 */

gboolean
regard_animation_has_training(RegardDocument *document, RegardView *view)
{
  RegardSelection *s = regard_view_get_selection(view);
  RegardMatrix *m = s ? regard_selection_get_matrix(s) : NULL;
  const RegardResult *result = document ? regard_document_get_result(document) : NULL;
  const RegardResultSentence *active = result ? regard_result_active(result) : NULL;
  const GArray *steps = document ? regard_document_get_training(document)->steps : NULL;
  g_autoptr(RegardFigure) shown = regard_view_create_figure(view, "head");
  /* A difference is no attention. */
  return shown && m && regard_matrix_get_attention(m) && active && active->translation && steps &&
         steps->len <= REGARD_ANIMATION_MOST_FRAMES;
}

void
regard_training_job_init(RegardTrainingJob *job, RegardDocument *document, RegardView *view)
{
  RegardSelection *s = regard_view_get_selection(view);
  const mt_config *config = mt_model_config(regard_document_get_result(document)->model);
  *job = (RegardTrainingJob){
      .steps = g_array_ref(regard_document_get_training(document)->steps),
      .result = regard_result_ref(regard_document_get_result(document)),
      .style = regard_view_get_style(view, NULL),
      .language = regard_language_get(),
  };
  /* As pictures of a simple window are: of the head that is seen, with what was set for files. */
  if (regard_selection_get_simple(s)) {
    regard_selection_get_full_spec(s, &job->spec);
    job->spec.combine = REGARD_COMBINE_HEAD;
  } else
    regard_selection_get_spec(s, &job->spec);
  const mt_stack stack = regard_naming_rows(job->spec.kind);
  if (job->spec.chosen && job->spec.combine == REGARD_COMBINE_CHOSEN)
    job->chosen = g_memdup2(job->spec.chosen, config->n_layers[stack] * config->n_heads[stack]);
  job->spec.chosen = job->chosen;
  job->spec.layer = regard_selection_get_layer(s);
  job->spec.head = regard_selection_get_head(s);
}

static void
clear_training(gpointer data)
{
  RegardTrainingJob *job = data;
  g_array_unref(job->steps);
  regard_result_unref(job->result);
  g_free(job->chosen);
}

/* Rows and columns, and the heads that were chosen, are those of the model that one looks at. */
static gboolean
is_alike(const mt_model *a, const mt_model *b)
{
  const mt_config *of_a = mt_model_config(a), *of_b = mt_model_config(b);
  for (int stack = 0; stack < MT_N_STACKS; stack++)
    if (of_a->n_layers[stack] != of_b->n_layers[stack] ||
        of_a->n_heads[stack] != of_b->n_heads[stack])
      return FALSE;
  return TRUE;
}

static mt_capture *
capture_checkpoint(const RegardTrainingStep *step, guint i, const mt_capture_place *place,
                   gpointer user, mt_error *error)
{
  RegardRun *run = user;
  const RegardTrainingJob *job = regard_run_get_params(run);
  const RegardResult *result = job->result;
  const RegardResultSentence *active = regard_result_active(result);
  const mt_load_options options = {.precision = mt_model_precision(result->model),
                                   .most_memory = regard_memory_to_spare()};
  g_autofree char *text = g_strndup(result->text + active->begin, active->end - active->begin);
  const char *target = regard_result_hypothesis(result, (guint) result->active)->text;
  const mt_hooks hooks = regard_run_hooks(run, result->interventions);
  regard_run_progress(run, (double) i / job->steps->len);
  if (regard_run_should_stop(run)) {
    error->code = MT_ERROR_CANCELLED;
    return NULL;
  }
  g_autoptr(mt_model) model = mt_model_open(step->path, &options, error);
  if (!model)
    return NULL;
  if (!is_alike(model, result->model)) {
    regard_run_take_error(run,
                          g_error_new(G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                                      _("“%s” has other layers or heads than the model that is "
                                        "looked at: it is none of its training"),
                                      step->path));
    return NULL;
  }
  g_autoptr(mt_session) session = mt_session_new(model, NULL, error);
  g_autoptr(mt_translation) translation =
      session ? mt_session_score_for(session, text, target, &result->params, &hooks, error) : NULL;
  return translation ? mt_session_capture_part(session, translation, 0, place, 0, &hooks, error)
                     : NULL;
}

static gpointer
compute_training(RegardRun *run, mt_error *error)
{
  const RegardTrainingJob *job = regard_run_get_params(run);
  REGARD_IN_LANGUAGE(job->language);
  return regard_training_frames(job->steps, &job->spec, &job->style, capture_checkpoint, run,
                                error);
}

static void
unref_frames(gpointer frames)
{
  regard_frames_unref(frames);
}

const RegardTask regard_training_frames_task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardTrainingJob),
    .compute = compute_training,
    .clear_params = clear_training,
    .free_result = unref_frames,
};

/* ==== Frames ==================================================================================
 */

static void
clear_job(gpointer data)
{
  RegardAnimationJob *job = data;
  regard_frames_unref(job->frames);
  g_free(job->path);
}

static gboolean
on_progress(guint done, guint all, gpointer run)
{
  regard_run_progress(run, (double) done / all);
  return !regard_run_should_stop(run);
}

/* ---- Looking --------------------------------------------------------------------------------- */

void
regard_animation_look_free(RegardAnimationLook *look)
{
  g_clear_error(&look->error);
  g_clear_pointer(&look->png, g_bytes_unref);
  g_free(look);
}

static gpointer
look(RegardRun *run, mt_error *failure)
{
  const RegardAnimationJob *job = regard_run_get_params(run);
  RegardAnimationLook *look = g_new0(RegardAnimationLook, 1);
  look->measured = job->measured;
  if (!look->measured.n)
    regard_animation_measure(job->frames, job->format, &job->options, &look->measured, on_progress,
                             run, &look->error);
  GError *error = NULL;
  if (look->measured.n)
    look->png =
        regard_animation_render_frame(job->frames, &look->measured, &job->options,
                                      MIN(job->frame, look->measured.n - 1), job->dpi, &error);
  if (!look->error)
    look->error = error;
  else
    g_clear_error(&error);
  return look;
}

static void
free_look(gpointer look)
{
  regard_animation_look_free(look);
}

const RegardTask regard_animation_look_task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardAnimationJob),
    .compute = look,
    .clear_params = clear_job,
    .free_result = free_look,
};

/* ---- Writing --------------------------------------------------------------------------------- */

/* A chooser asks of the name that it was given, which none of the files has. */
static gboolean
is_free(const RegardAnimationJob *job, GError **error)
{
  const guint n = job->format->is_numbered && !job->replaces ? regard_frames_count(job->frames) : 0;
  for (guint i = 0; i < n; i++) {
    g_autofree char *path = regard_animation_number_path(job->path, i);
    if (!g_file_test(path, G_FILE_TEST_EXISTS))
      continue;
    g_autofree char *name = g_filename_display_basename(path);
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_EXISTS, _("“%s” is there already"), name);
    return FALSE;
  }
  return TRUE;
}

static gpointer
write_(RegardRun *run, mt_error *failure)
{
  const RegardAnimationJob *job = regard_run_get_params(run);
  GError *error = NULL;
  if (is_free(job, &error) && regard_animation_write(job->frames, job->format, &job->options,
                                                     job->path, on_progress, run, &error))
    return run;
  regard_run_take_error(run, error);
  return NULL;
}

const RegardTask regard_animation_write_task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardAnimationJob),
    .compute = write_,
    .clear_params = clear_job,
};
