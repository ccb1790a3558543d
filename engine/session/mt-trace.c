/* mt-trace.c — what else one pass computed than attention, copied through requests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "session/mt-session.h"
#include "text/mt-tokens.h"

#include <string.h>

typedef struct {
  mt_hook_point hook_point;
  mt_attention_kind kind;
  int layer, head;
  size_t rows, cols, capacity; /* rows there is room for */
  float *data;                 /* [rows][cols] */
} tensor;

struct mt_trace {
  int ref_count;
  mt_tokens *source, *input, *output;
  tensor *tensors;
  size_t n, capacity;
  bool failed; /* during the pass: something had no memory */
};

static tensor *
find(const mt_trace *trace, mt_hook_point hook_point, mt_attention_kind kind, int layer, int head)
{
  for (size_t i = 0; i < trace->n; i++) {
    tensor *t = &trace->tensors[i];
    if (t->hook_point == hook_point && t->kind == kind && t->layer == layer && t->head == head)
      return t;
  }
  return NULL;
}

static tensor *
add(mt_trace *trace, const mt_activation_view *view)
{
  if (!mt_grow(&trace->tensors, trace->n, 1, &trace->capacity, sizeof *trace->tensors))
    return NULL;
  tensor *t = &trace->tensors[trace->n++];
  *t = (tensor){.hook_point = view->hook_point,
                .kind = view->kind,
                .layer = view->layer,
                .head = view->head,
                .cols = view->cols};
  return t;
}

static bool
make_room(tensor *t, size_t rows)
{
  if (rows <= t->capacity)
    return true;
  float *more = mt_realloc(t->data, rows * t->cols, sizeof *more);
  if (!more)
    return false;
  t->data = more;
  t->capacity = rows;
  return true;
}

/* Blocks of rows come one after the other. */
static void
keep(void *user, const mt_activation_view *view)
{
  mt_trace *trace = user;
  const size_t end = view->first_row + view->rows;
  tensor *t = find(trace, view->hook_point, view->kind, view->layer, view->head);
  if (!t)
    t = add(trace, view);
  if (!t || !make_room(t, end)) {
    trace->failed = true;
    return;
  }
  for (size_t r = 0; r < view->rows; r++)
    memcpy(t->data + (view->first_row + r) * t->cols, view->data + r * view->stride,
           t->cols * sizeof(float));
  t->rows = end > t->rows ? end : t->rows;
}

/* Copies what hooks want while somebody runs the pass. */
static mt_hooks
copying(mt_trace *trace, const mt_hooks *hooks)
{
  mt_hooks own = hooks ? *hooks : (mt_hooks){0};
  own.callback = (mt_activation_callback){.on_view = keep, .user = trace};
  return own;
}

static bool
fill(mt_trace *trace, mt_session *session, const mt_translation *translation, size_t index,
     const mt_hooks *hooks, mt_error *error)
{
  const mt_hooks own = copying(trace, hooks);
  mt_capture *capture = mt_session_capture(session, translation, index, 0, &own, error);
  if (!capture)
    return false;
  trace->source = mt_tokens_ref((mt_tokens *) mt_capture_source(capture));
  trace->input = mt_tokens_ref((mt_tokens *) mt_capture_decoder_input(capture));
  trace->output = mt_tokens_ref((mt_tokens *) mt_capture_output(capture));
  mt_capture_unref(capture);
  return !trace->failed || mt_fail_no_memory(error);
}

static bool
fill_tokens(mt_trace *trace, mt_session *session, mt_tokens *source, mt_tokens *output,
            int32_t start_id, const mt_hooks *hooks, mt_error *error)
{
  const mt_hooks own = copying(trace, hooks);
  if (!mt_session_check_hooks(session, &own, error) ||
      !mt_session_check_tokens(session, MT_STACK_ENCODER, source, error) ||
      !mt_session_check_tokens(session, MT_STACK_DECODER, output, error) ||
      !mt_session_check_source(source, &own, error))
    return false;
  mt_forced forced;
  trace->source = mt_tokens_ref(source);
  trace->output = mt_tokens_ref(output);
  if (!mt_session_forced(session, source, output, start_id, &forced, error))
    return false;
  trace->input = forced.decoder_input;
  return mt_session_force(session, &forced, NULL, NULL, &own, error) &&
         (!trace->failed || mt_fail_no_memory(error));
}

static mt_trace *
new_trace(mt_error *error)
{
  mt_trace *trace = mt_alloc(1, sizeof *trace);
  if (trace)
    trace->ref_count = 1;
  else
    mt_fail_no_memory(error);
  return trace;
}

mt_trace *
mt_session_trace(mt_session *session, const mt_translation *translation, size_t index,
                 const mt_hooks *hooks, mt_error *error)
{
  mt_trace *trace = new_trace(error);
  if (!trace || fill(trace, session, translation, index, hooks, error))
    return trace;
  mt_trace_unref(trace);
  return NULL;
}

mt_trace *
mt_session_trace_tokens(mt_session *session, mt_tokens *source, mt_tokens *output, int32_t start_id,
                        const mt_hooks *hooks, mt_error *error)
{
  mt_trace *trace = new_trace(error);
  if (!trace || fill_tokens(trace, session, source, output, start_id, hooks, error))
    return trace;
  mt_trace_unref(trace);
  return NULL;
}

mt_trace *
mt_trace_new(mt_model *model, const mt_translation *translation, size_t index,
             const mt_hooks *hooks, mt_error *error)
{
  mt_session *session = mt_session_new(model, NULL, error);
  mt_trace *trace = session ? mt_session_trace(session, translation, index, hooks, error) : NULL;
  mt_session_free(session);
  return trace;
}

static void
trace_free(mt_trace *trace)
{
  for (size_t i = 0; i < trace->n; i++)
    mt_free(trace->tensors[i].data);
  mt_free(trace->tensors);
  mt_tokens_unref(trace->source);
  mt_tokens_unref(trace->input);
  mt_tokens_unref(trace->output);
  mt_free(trace);
}

MT_DEFINE_COUNTED(mt_trace, trace_free)

mt_matrix
mt_trace_get(const mt_trace *trace, mt_hook_point hook_point, mt_attention_kind kind, int layer,
             int head)
{
  const tensor *t = find(trace, hook_point, kind, layer, head);
  return t ? (mt_matrix){t->data, t->rows, t->cols, t->cols} : (mt_matrix){0};
}

size_t
mt_trace_count(const mt_trace *trace)
{
  return trace->n;
}

mt_trace_tensor
mt_trace_at(const mt_trace *trace, size_t i)
{
  const tensor *t = &trace->tensors[i];
  return (mt_trace_tensor){
      t->hook_point, t->kind, t->layer, t->head, {t->data, t->rows, t->cols, t->cols}};
}

/* ---- How much it would be -------------------------------------------------------------------- */

/* Values of one tensor. */
static size_t
size_of(const mt_model *model, mt_hook_point hook_point, mt_attention_kind kind, size_t n_source,
        size_t n_target)
{
  const mt_config *config = &model->config;
  const mt_stack stack = mt_kind_stack(kind);
  const size_t queries = kind == MT_ENCODER_SELF ? n_source : n_target;
  const size_t keys = kind == MT_DECODER_SELF ? n_target : n_source;
  const size_t d_head = config->d_head[stack];
  switch (hook_point) {
  case MT_HOOK_QUERY:
  case MT_HOOK_CONTEXT:
    return queries * d_head;
  case MT_HOOK_KEY:
  case MT_HOOK_VALUE:
    return keys * d_head;
  case MT_HOOK_SCORE_BIAS:
  case MT_HOOK_SCORES:
  case MT_HOOK_WEIGHTS:
    return queries * keys;
  case MT_HOOK_GATE:
  case MT_HOOK_HIDDEN:
    return queries * config->d_ffn[stack];
  case MT_HOOK_LOGITS:
    return queries * model->output.n_out;
  default:
    return queries * config->d_model;
  }
}

size_t
mt_trace_bytes(const mt_model *model, size_t n_source, size_t n_target,
               const mt_activation_requests *requests)
{
  size_t n = 0;
  for (int s = 0; s < MT_N_HOOK_POINTS; s++)
    for (int k = 0; k < MT_N_KINDS; k++) {
      mt_hook_point hook_point = (mt_hook_point) s;
      mt_attention_kind kind = (mt_attention_kind) k;
      mt_stack stack = mt_kind_stack(kind);
      if (!mt_hook_point_exists(hook_point, &model->config) ||
          !mt_hook_point_has_kind(hook_point, kind))
        continue;
      int n_layers = mt_hook_point_has_layers(hook_point) ? (int) model->config.n_layers[stack] : 1;
      int n_heads = mt_hook_point_has_heads(hook_point) ? (int) model->config.n_heads[stack] : 1;
      for (int l = 0; l < n_layers; l++)
        for (int h = 0; h < n_heads; h++)
          if (mt_activation_requests_want(requests, hook_point, kind,
                                          mt_hook_point_has_layers(hook_point) ? l : -1,
                                          mt_hook_point_has_heads(hook_point) ? h : -1))
            n += size_of(model, hook_point, kind, n_source, n_target);
    }
  return n * sizeof(float);
}

const mt_tokens *
mt_trace_source(const mt_trace *trace)
{
  return trace->source;
}

const mt_tokens *
mt_trace_decoder_input(const mt_trace *trace)
{
  return trace->input;
}

const mt_tokens *
mt_trace_output(const mt_trace *trace)
{
  return trace->output;
}
