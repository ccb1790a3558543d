/* mt-attribution.c — the list of methods, and one of them on one hypothesis.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution-work.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <string.h>

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

/* ---- The value --------------------------------------------------------------------------------
 */

struct mt_attribution {
  int ref_count;
  size_t method, first, rows, n_source, n_target;
  mt_attribution_rows values;
};

static mt_attribution *
new_attribution(const mt_attribution_work *work, mt_error *error)
{
  const mt_attribution_method *about = &methods[work->params.method]->about;
  mt_attribution *a = mt_alloc(1, sizeof *a);
  if (!a) {
    mt_fail_no_memory(error);
    return NULL;
  }
  *a = (mt_attribution){.method = work->params.method,
                        .first = work->first,
                        .rows = work->rows,
                        .n_source = work->n_source,
                        .n_target = work->n_target};
  a->ref_count = 1;
  const bool has_encoder = about->has_encoder && work->params.token < 0;
  const bool has_differences = about->sum == MT_ATTRIBUTION_DIFFERENCE;
  mt_attribution_rows *v = &a->values;
  v->source = mt_alloc(a->rows * a->n_source, sizeof(float));
  v->prefix = mt_alloc(a->rows * a->n_target, sizeof(float));
  v->encoder = has_encoder ? mt_alloc(a->n_source * a->n_source, sizeof(float)) : NULL;
  v->differences = has_differences ? mt_alloc(a->rows, sizeof(float)) : NULL;
  if (v->source && v->prefix && (v->encoder || !has_encoder) &&
      (v->differences || !has_differences))
    return a;
  mt_attribution_unref(a);
  mt_fail_no_memory(error);
  return NULL;
}

static void
attribution_free(mt_attribution *a)
{
  mt_free(a->values.source);
  mt_free(a->values.prefix);
  mt_free(a->values.encoder);
  mt_free(a->values.differences);
  mt_free(a);
}

MT_DEFINE_COUNTED(mt_attribution, attribution_free)

size_t
mt_attribution_get_method(const mt_attribution *a)
{
  return a->method;
}

size_t
mt_attribution_first(const mt_attribution *a)
{
  return a->first;
}

mt_matrix
mt_attribution_source(const mt_attribution *a)
{
  return (mt_matrix){a->values.source, a->rows, a->n_source, a->n_source};
}

mt_matrix
mt_attribution_prefix(const mt_attribution *a)
{
  return (mt_matrix){a->values.prefix, a->rows, a->n_target, a->n_target};
}

mt_matrix
mt_attribution_encoder(const mt_attribution *a)
{
  return a->values.encoder ? (mt_matrix){a->values.encoder, a->n_source, a->n_source, a->n_source}
                           : (mt_matrix){0};
}

const float *
mt_attribution_differences(const mt_attribution *a)
{
  return a->values.differences;
}

/* ---- One of them ------------------------------------------------------------------------------
 */

/* The rows of a method are ready: no number of theirs may be anything else. */
static bool
check_finite(const mt_attribution *a, mt_error *error)
{
  float sum = 0;
  for (size_t i = 0; i < a->rows * a->n_source; i++)
    sum += 0 * a->values.source[i];
  for (size_t i = 0; i < a->rows * a->n_target; i++)
    sum += 0 * a->values.prefix[i];
  return sum == 0 ||
         mt_fail(error, MT_ERROR_FORMAT, "The model computes something that is not a number.");
}

bool
mt_attribution_goes_with(size_t method, const mt_changes *changes)
{
  return method < N_METHODS && (!methods[method]->needs_all || mt_attribution_only_hides(changes));
}

mt_attribution *
mt_attribution_run(mt_attribution_work *work, size_t method, mt_error *error)
{
  work->params.method = method;
  mt_attribution *a = new_attribution(work, error);
  if (a && methods[method]->run(work, &a->values, error) && check_finite(a, error))
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

mt_attribution *
mt_model_attribution(mt_model *model, const mt_translation *translation, size_t index,
                     const mt_attribution_params *params, const mt_hooks *hooks, mt_error *error)
{
  mt_session *session = mt_session_new(model, NULL, error);
  mt_attribution *attribution =
      session ? mt_attribution_new(session, translation, index, params, hooks, error) : NULL;
  mt_session_free(session);
  return attribution;
}
