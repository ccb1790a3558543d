/* mt-attribution.c — one hypothesis, traced for methods; the list of methods, and one of them run.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "paper/mt-interventions.h"
#include "text/mt-tokens.h"

#include <string.h>

/* ---- A hypothesis, traced -------------------------------------------------------------------- */

/* One hypothesis, traced for methods; and what several of them do with it. */

#define MAX_STEPS 1024

/* ---- Beginning ------------------------------------------------------------------------------- */

static void
add_requests(mt_activation_requests *requests, const mt_hook_point *hook_points, size_t n,
             uint32_t kinds)
{
  for (size_t i = 0; i < n; i++)
    requests->requests[requests->n++] =
        (mt_activation_request){hook_points[i], kinds, MT_ALL_LAYERS, MT_ALL_HEADS};
}

/* Without the end of the decoder its output layer, the largest map of all, is not computed. */
static mt_activation_requests
make_requests(bool needs_all)
{
  static const mt_hook_point around[] = {MT_HOOK_STREAM,           MT_HOOK_VALUE,
                                         MT_HOOK_WEIGHTS,          MT_HOOK_CONTEXT,
                                         MT_HOOK_NORM_INPUT,       MT_HOOK_RESIDUAL,
                                         MT_HOOK_ATTENTION_OUTPUT, MT_HOOK_LAYER_OUTPUT};
  static const mt_hook_point others[] = {MT_HOOK_EMBEDDING,   MT_HOOK_POSITION,
                                         MT_HOOK_QUERY,       MT_HOOK_KEY,
                                         MT_HOOK_HIDDEN,      MT_HOOK_FEED_FORWARD_NORM_INPUT,
                                         MT_HOOK_STACK_OUTPUT};
  mt_activation_requests requests = {0};
  add_requests(&requests, around, sizeof around / sizeof *around, MT_ALL_KINDS);
  if (needs_all)
    add_requests(&requests, others, sizeof others / sizeof *others, MT_ALL_KINDS);
  return requests;
}

static bool
check_layers(const mt_config *config, const mt_attribution_params *params, mt_error *error)
{
  const size_t n =
      config->n_layers[0] < config->n_layers[1] ? config->n_layers[0] : config->n_layers[1];
  const size_t n_heads =
      config->n_heads[0] < config->n_heads[1] ? config->n_heads[0] : config->n_heads[1];
  if (params->layer >= 0 && (size_t) params->layer >= n)
    return mt_fail(error, MT_ERROR_INPUT, "There is no layer %d in both stacks; there are %zu.",
                   params->layer + 1, n);
  if (params->head >= 0 && (size_t) params->head >= n_heads)
    return mt_fail(error, MT_ERROR_INPUT, "There is no head %d in both stacks; there are %zu.",
                   params->head + 1, n_heads);
  if (params->n_steps > MAX_STEPS)
    return mt_fail(error, MT_ERROR_INPUT, "At most %d steps are taken, not %zu.", MAX_STEPS,
                   params->n_steps);
  return true;
}

void
mt_attribution_change(const mt_model *model, const mt_interventions *interventions,
                      mt_hook_point hook_point, mt_attention_kind kind, size_t layer, size_t head,
                      size_t position, float *data, size_t n, size_t cols, size_t stride)
{
  const mt_group group = {.n = n, .position = position};
  const mt_intervention_tensor tensor = {.group = &group,
                                         .n = n,
                                         .data = data,
                                         .cols = cols,
                                         .stride = stride,
                                         .kind = kind,
                                         .layer = (int) layer,
                                         .head = (int) head,
                                         .model = model};
  mt_interventions_apply(interventions, hook_point, &tensor);
}

bool
mt_attribution_begin(mt_attribution_work *work, mt_session *session,
                     const mt_translation *translation, size_t index,
                     const mt_attribution_params *params, const mt_hooks *hooks, bool needs_all,
                     mt_error *error)
{
  *work = (mt_attribution_work){.session = session,
                                .model = session->model,
                                .translation = translation,
                                .index = index,
                                .hooks = mt_hooks_with_requests(hooks, NULL),
                                .params = *params,
                                .share = 1};
  if (!mt_session_check_hypothesis(session, translation, index, &work->hooks, error) ||
      !mt_interventions_check_explained(work->hooks.interventions, error) ||
      !check_layers(&session->model->config, params, error))
    return false;
  work->output = mt_translation_hypothesis(translation, index)->tokens;
  work->n_source = mt_tokens_count(mt_translation_source(translation));
  work->n_target = mt_tokens_count(work->output);
  work->d = session->model->config.d_model;
  if (params->token >= 0 && (size_t) params->token >= work->n_target)
    return mt_fail(error, MT_ERROR_INPUT, "There is no output token %d; there are %zu.",
                   params->token + 1, work->n_target);
  work->first = params->token >= 0 ? (size_t) params->token : 0;
  work->rows = params->token >= 0 ? 1 : work->n_target;
  if (!mt_session_forced(session, mt_translation_source(translation), work->output,
                         mt_session_start_id(session, translation), &work->forced, error) ||
      !mt_model_check_files(session->model, error))
    return false;
  work->forced.n_target = work->first + work->rows;
  const mt_activation_requests requests = make_requests(needs_all);
  const mt_hooks own = mt_hooks_with_requests(hooks, &requests);
  work->trace = mt_session_trace(session, translation, index, &own, error);
  return work->trace != NULL;
}

void
mt_attribution_end(mt_attribution_work *work)
{
  mt_forced_clear(&work->forced);
  mt_trace_unref(work->trace);
}

bool
mt_attribution_goes_on(mt_attribution_work *work, double share, mt_error *error)
{
  if (work->hooks.should_stop && work->hooks.should_stop(work->hooks.user))
    return mt_fail(error, MT_ERROR_CANCELLED, "The computation was cancelled.");
  if (work->params.on_progress)
    work->params.on_progress(work->params.user, work->done + share * work->share);
  return true;
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Layers of a kind that params ask for: first … end - 1. */
static void
wanted_layers(const mt_attribution_work *work, mt_attention_kind kind, size_t *first, size_t *end)
{
  *first = work->params.layer >= 0 ? (size_t) work->params.layer : 0;
  *end = work->params.layer >= 0 ? *first + 1 : work->model->config.n_layers[mt_kind_stack(kind)];
}

size_t
mt_attribution_n_queries(const mt_attribution_work *work, mt_attention_kind kind)
{
  return kind == MT_ENCODER_SELF ? work->n_source : work->n_target;
}

static size_t
n_keys_of(const mt_attribution_work *work, mt_attention_kind kind)
{
  return kind == MT_DECODER_SELF ? work->n_target : work->n_source;
}

/* A matrix [queries][keys] of a kind of one layer, added to what is wanted of it, times `factor`.
 */
static void
add_rows(const mt_attribution_work *work, const mt_attribution_rows *out, mt_attention_kind kind,
         const float *values, float factor)
{
  const size_t keys = n_keys_of(work, kind);
  const bool is_encoder = kind == MT_ENCODER_SELF;
  const size_t rows = is_encoder ? work->n_source : work->rows;
  float *to = is_encoder ? out->encoder : kind == MT_CROSS ? out->source : out->prefix;
  const float *from = values + (is_encoder ? 0 : work->first) * keys;
  for (size_t i = 0; to && i < rows * keys; i++)
    to[i] += factor * from[i];
}

/* The mean over the layers that params ask for becomes the result. */
static bool
mean_of_layers(mt_attribution_work *work, const mt_attribution_rows *out, mt_layer_method method,
               mt_error *error)
{
  const size_t longest = work->n_source > work->n_target ? work->n_source : work->n_target;
  float *values = mt_alloc(longest * longest, sizeof *values);
  bool ok = values || mt_fail_no_memory(error);
  for (mt_attention_kind kind = 0; ok && kind < MT_N_KINDS; kind++) {
    size_t first, end;
    wanted_layers(work, kind, &first, &end);
    for (size_t l = first; ok && (kind != MT_ENCODER_SELF || out->encoder) && l < end; l++) {
      const double share = ((double) kind + (double) (l - first) / (double) (end - first)) / 3;
      memset(values, 0, longest * longest * sizeof *values);
      ok = mt_attribution_goes_on(work, share, error) && method(work, kind, l, values, error);
      if (ok)
        add_rows(work, out, kind, values, 1 / (float) (end - first));
    }
  }
  mt_free(values);
  return ok;
}

/* ---- Passes with other embeddings ------------------------------------------------------------ */

typedef struct {
  const mt_attribution_work *work;
  const mt_embedding_scale *scale;
} scaled;

static bool
should_stop(void *user)
{
  const mt_hooks *hooks = &((const scaled *) user)->work->hooks;
  return hooks->should_stop && hooks->should_stop(hooks->user);
}

static void
scale_embedding(void *user, const mt_editable_activation *probe)
{
  const mt_embedding_scale *scale = ((const scaled *) user)->scale;
  const bool is_own = scale->stack == mt_kind_stack(probe->kind);
  for (size_t r = 0; r < probe->rows; r++) {
    const bool is_one = is_own && probe->first_row + r == scale->token;
    float *x = probe->data + r * probe->stride, factor = is_one ? scale->one : scale->all;
    for (size_t i = 0; i < probe->cols; i++)
      x[i] *= factor;
  }
}

static mt_hooks
scaled_hooks(scaled *s)
{
  return (mt_hooks){.hook_points = MT_HOOK_POINT_BIT(MT_HOOK_EMBEDDING),
                    .on_probe = scale_embedding,
                    .should_stop = should_stop,
                    .user = s,
                    .interventions = s->work->hooks.interventions};
}

bool
mt_attribution_score(mt_attribution_work *work, const mt_embedding_scale *scale, float *logprobs,
                     mt_error *error)
{
  scaled s = {work, scale};
  const mt_hooks hooks = scaled_hooks(&s);
  return mt_session_force(work->session, &work->forced, logprobs, NULL, &hooks, error);
}

mt_trace *
mt_attribution_trace(mt_attribution_work *work, const mt_embedding_scale *scale, mt_error *error)
{
  const mt_activation_requests requests = make_requests(true);
  scaled s = {work, scale};
  mt_hooks hooks = scaled_hooks(&s);
  hooks.requests = &requests;
  return mt_session_trace(work->session, work->translation, work->index, &hooks, error);
}

/* ---- Copies with changes of their own -------------------------------------------------------- */

typedef struct {
  mt_attribution_work *work;
  double begin, share;
} copies;

static void
on_progress(void *user, double share)
{
  const copies *c = user;
  const mt_attribution_work *work = c->work;
  if (work->params.on_progress)
    work->params.on_progress(work->params.user,
                             work->done + work->share * (c->begin + share * c->share));
}

bool
mt_attribution_run_copies(mt_attribution_work *work, mt_variant *clean, mt_variant *variants,
                          size_t n, double begin, double share, mt_error *error)
{
  copies c = {work, begin, share};
  const mt_variants_work wanted = {.forced = work->forced,
                                   .on_progress = on_progress,
                                   .user = &c,
                                   .hooks = &work->hooks};
  return mt_variants_run(work->session, &wanted, clean, variants, n, error);
}

/* ---- Methods --------------------------------------------------------------------------------- */

/* THE list. */
static const mt_method *const methods[] = {
    &mt_method_weights,        &mt_method_norms,
    &mt_method_rollout,        &mt_method_alti,
    &mt_method_value_zeroing,  &mt_method_occlusion,
    &mt_method_gradient_input, &mt_method_integrated_gradients,
    &mt_method_chefer,
};

#define N_METHODS (sizeof methods / sizeof *methods)

size_t
mt_attribution_count(void)
{
  return N_METHODS;
}

const mt_attribution_method *
mt_attribution_at(size_t method)
{
  return &methods[method]->about;
}

size_t
mt_attribution_find(const char *id)
{
  size_t i = 0;
  while (i < N_METHODS && strcmp(methods[i]->about.id, id) != 0)
    i++;
  return i;
}

mt_attribution_params
mt_attribution_params_default(void)
{
  return (mt_attribution_params){.method = mt_attribution_find("alti"),
                                 .token = -1,
                                 .layer = -1,
                                 .head = -1};
}

/* ---- The value ------------------------------------------------------------------------------- */

/* Tokens of an attribution. */
typedef struct {
  size_t first, rows, n_source, n_target;
  bool has_encoder;
} mt_attribution_size;

/* rows: where the method puts what the value then has. */
static mt_attribution *
new_attribution(size_t method, const mt_attribution_size *size, mt_attribution_rows *rows,
                mt_error *error)
{
  mt_attribution *a = mt_alloc(1, sizeof *a);
  if (!a)
    return mt_fail_no_memory(error), NULL;

  const bool has_differences = methods[method]->about.sum == MT_ATTRIBUTION_DIFFERENCE;
  const size_t n = size->n_source, n_target = size->n_target;
  *rows = (mt_attribution_rows){
      .source = mt_alloc(size->rows * n, sizeof(float)),
      .prefix = mt_alloc(size->rows * n_target, sizeof(float)),
      .encoder = size->has_encoder ? mt_alloc(n * n, sizeof(float)) : NULL,
      .differences = has_differences ? mt_alloc(size->rows, sizeof(float)) : NULL,
  };
  *a = (mt_attribution){
      .ref_count = 1,
      .method = method,
      .first = size->first,
      .source = {rows->source, size->rows, n, n},
      .prefix = {rows->prefix, size->rows, n_target, n_target},
      .encoder = size->has_encoder ? (mt_matrix){rows->encoder, n, n, n} : (mt_matrix){0},
      .differences = rows->differences,
  };
  if (rows->source && rows->prefix && (rows->encoder || !size->has_encoder) &&
      (rows->differences || !has_differences))
    return a;
  mt_attribution_unref(a);
  mt_fail_no_memory(error);
  return NULL;
}

static void
attribution_free(mt_attribution *a)
{
  mt_free((float *) a->source.data);
  mt_free((float *) a->prefix.data);
  mt_free((float *) a->encoder.data);
  mt_free(a->differences);
  mt_free(a);
}

MT_DEFINE_COUNTED(mt_attribution, attribution_free)

/* ---- One of them ----------------------------------------------------------------------------- */

/* The rows of a method are ready: no number of theirs may be anything else. */
static bool
check_finite(const mt_attribution *a, mt_error *error)
{
  float sum = 0;
  for (size_t i = 0; i < a->source.rows * a->source.cols; i++)
    sum += 0 * a->source.data[i];
  for (size_t i = 0; i < a->prefix.rows * a->prefix.cols; i++)
    sum += 0 * a->prefix.data[i];
  return sum == 0 ||
         mt_fail(error, MT_ERROR_FORMAT, "The model computes something that is not a number.");
}

mt_attribution *
mt_attribution_run(mt_attribution_work *work, size_t method, mt_error *error)
{
  work->params.method = method;
  const mt_method *m = methods[method];
  mt_attribution_rows rows;
  const mt_attribution_size size = {work->first, work->rows, work->n_source, work->n_target,
                                    m->about.has_encoder && work->params.token < 0};
  mt_attribution *a = new_attribution(method, &size, &rows, error);
  if (a &&
      (m->each_layer ? mean_of_layers(work, &rows, m->each_layer, error)
       : m->shares   ? mt_attribution_compose(work, &rows, m->shares, error)
                     : m->run(work, &rows, error)) &&
      check_finite(a, error))
    return a;
  mt_attribution_unref(a);
  return NULL;
}

mt_attribution *
mt_attribution_new(mt_session *session, const mt_translation *translation, size_t index,
                   const mt_attribution_params *params, const mt_hooks *hooks, mt_error *error)
{
  mt_attribution_work work;
  mt_attribution *attribution = NULL;
  if (params->method >= N_METHODS) {
    mt_fail(error, MT_ERROR_INPUT, "There is no method %zu of attribution; there are %zu.",
            params->method, N_METHODS);
    return NULL;
  }
  const mt_method *method = methods[params->method];
  if (mt_attribution_begin(&work, session, translation, index, params, hooks, method->needs_all,
                           error))
    attribution = mt_attribution_run(&work, params->method, error);
  mt_attribution_end(&work);
  if (attribution && !mt_model_check_files(session->model, error)) {
    mt_attribution_unref(attribution);
    return NULL;
  }
  return attribution;
}

/* ---- Two of them ----------------------------------------------------------------------------- */

static mt_attribution_size
size_of(const mt_attribution *a)
{
  return (mt_attribution_size){a->first, a->source.rows, a->source.cols, a->prefix.cols,
                               a->encoder.data != NULL};
}

static void
subtract(float *out, const float *b, const float *a, size_t n)
{
  for (size_t i = 0; i < n; i++)
    out[i] = b[i] - a[i];
}

mt_attribution *
mt_attribution_difference(const mt_attribution *b, const mt_attribution *a, mt_error *error)
{
  const mt_attribution_size x = size_of(b), y = size_of(a);
  if (b->method != a->method || x.first != y.first || x.rows != y.rows ||
      x.n_source != y.n_source || x.n_target != y.n_target || x.has_encoder != y.has_encoder)
    return mt_fail(error, MT_ERROR_INPUT,
                   "The two attributions are not of the same words by the same method."),
           NULL;
  mt_attribution_rows rows;
  mt_attribution *d = new_attribution(b->method, &x, &rows, error);
  if (!d)
    return NULL;
  subtract(rows.source, b->source.data, a->source.data, x.rows * x.n_source);
  subtract(rows.prefix, b->prefix.data, a->prefix.data, x.rows * x.n_target);
  if (rows.encoder)
    subtract(rows.encoder, b->encoder.data, a->encoder.data, x.n_source * x.n_source);
  if (rows.differences)
    subtract(rows.differences, b->differences, a->differences, x.rows);
  return d;
}
