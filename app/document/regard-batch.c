/* regard-batch.c — a batch of sentences as traces.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-batch.h"

static void
trace_free(gpointer trace)
{
  mt_trace_unref(trace);
}

/* Of one text; NULL: the model cannot read it, or was stopped. */
static mt_trace *
trace_text(mt_session *session, mt_model *model, const char *text, mt_search_params params,
           const mt_hooks *hooks, mt_error *error)
{
  const mt_hooks stop = {.should_stop = hooks->should_stop, .user = hooks->user};
  params.beam_size = 1;
  g_autoptr(mt_translation) translation =
      mt_session_translate(session, text, &params, &stop, error);
  return translation ? mt_trace_new(model, translation, 0, hooks, error) : NULL;
}

GPtrArray *
regard_batch_traces(mt_model *model, const char *const *texts, const mt_request *languages,
                    bool (*should_stop)(void *user), void *user, mt_error *error)
{
  mt_search_params params = mt_search_params_default(model);
  const mt_activation_requests requests = {
      .n = 2,
      .requests = {{MT_HOOK_NORM_INPUT, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS},
                   {MT_HOOK_FEED_FORWARD_NORM_INPUT, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS}}};
  const mt_hooks hooks = {.should_stop = should_stop, .user = user, .requests = &requests};
  g_autoptr(GPtrArray) traces = g_ptr_array_new_with_free_func(trace_free);
  mt_session *session = mt_session_new(model, NULL, error);
  if (!session)
    return NULL;
  if (languages) {
    const mt_search_params asked = mt_request_resolve(languages, model);
    params = mt_search_params_of_task(model, asked.task);
    params.source_language = asked.source_language;
    params.language = asked.language;
    memcpy(params.task_prefix, asked.task_prefix, sizeof params.task_prefix);
  }
  for (; *texts; texts++) {
    mt_error cause = {0};
    mt_trace *trace = trace_text(session, model, *texts, params, &hooks, &cause);
    if (trace)
      g_ptr_array_add(traces, trace);
    else if (cause.code == MT_ERROR_CANCELLED || cause.code == MT_ERROR_NO_MEMORY) {
      if (error)
        *error = cause;
      mt_session_free(session);
      return NULL;
    }
  }
  mt_session_free(session);
  return g_steal_pointer(&traces);
}
