/* mt-trust.c — how much of each word is from the source, and how much of the source was used.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-trust.h"
#include "attribution/mt-attribution-work.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "text/mt-tokens.h"

#include <math.h>

struct mt_trust {
  int ref_count;
  mt_tokens *source, *output;
  size_t n_source, n_target;
  float *shares, *uses; /* [n_target], [n_source] */
};

static bool
fill(mt_trust *trust, const mt_attribution *a, mt_error *error)
{
  mt_matrix source = mt_attribution_source(a);
  trust->n_target = source.rows;
  trust->n_source = source.cols;
  trust->shares = mt_alloc(source.rows, sizeof(float));
  trust->uses = mt_alloc(source.cols, sizeof(float));
  if (!trust->shares || !trust->uses)
    return mt_fail_no_memory(error);
  for (size_t t = 0; t < source.rows; t++)
    for (size_t j = 0; j < source.cols; j++) {
      trust->shares[t] += mt_matrix_at(&source, t, j);
      trust->uses[j] += mt_matrix_at(&source, t, j);
    }
  return true;
}

mt_trust *
mt_trust_new(mt_session *session, const mt_translation *translation, size_t index,
             const mt_hooks *hooks, mt_error *error)
{
  const mt_attribution_params params = mt_attribution_params_default();
  mt_trust *trust = mt_alloc(1, sizeof *trust);
  if (!trust) {
    mt_fail_no_memory(error);
    return NULL;
  }
  trust->ref_count = 1;
  mt_attribution *a = mt_attribution_new(session, translation, index, &params, hooks, error);
  const bool ok = a && fill(trust, a, error);
  mt_attribution_unref(a);
  if (ok) {
    /* Reference counts apart, neither list is changed. */
    trust->source = mt_tokens_ref((mt_tokens *) mt_translation_source(translation));
    trust->output = mt_tokens_ref(mt_translation_hypothesis(translation, index)->tokens);
    return trust;
  }
  mt_trust_unref(trust);
  return NULL;
}

mt_trust *
mt_model_trust(mt_model *model, const mt_translation *translation, size_t index,
               const mt_hooks *hooks, mt_error *error)
{
  mt_session *session = mt_session_new(model, NULL, error);
  mt_trust *trust = session ? mt_trust_new(session, translation, index, hooks, error) : NULL;
  mt_session_free(session);
  return trust;
}

static void
trust_free(mt_trust *trust)
{
  mt_tokens_unref(trust->source);
  mt_tokens_unref(trust->output);
  mt_free(trust->shares);
  mt_free(trust->uses);
  mt_free(trust);
}

MT_DEFINE_COUNTED(mt_trust, trust_free)

const float *
mt_trust_shares(const mt_trust *trust, size_t *n_target)
{
  *n_target = trust->n_target;
  return trust->shares;
}

const float *
mt_trust_uses(const mt_trust *trust, size_t *n_source)
{
  *n_source = trust->n_source;
  return trust->uses;
}

/* ---- Words ------------------------------------------------------------------------------------
 */

static bool
is_word(const mt_tokens *tokens, size_t i)
{
  return !mt_tokens_get(tokens, i)->is_special;
}

double
mt_trust_mean(const mt_trust *trust)
{
  double sum = 0, n = 0;
  for (size_t t = 0; t < trust->n_target; t++)
    if (is_word(trust->output, t)) {
      sum += trust->shares[t];
      n += 1;
    }
  return n > 0 ? sum / n : NAN;
}

double
mt_trust_least(const mt_trust *trust)
{
  double least = NAN;
  for (size_t t = 0; t < trust->n_target; t++)
    if (is_word(trust->output, t) && !(trust->shares[t] >= least))
      least = trust->shares[t];
  return least;
}

bool
mt_trust_is_weak(const mt_trust *trust, const mt_trust_thresholds *thresholds, size_t token)
{
  return thresholds->n_sentences > 0 && is_word(trust->output, token) &&
         trust->shares[token] < thresholds->share;
}

bool
mt_trust_is_left_out(const mt_trust *trust, const mt_trust_thresholds *thresholds, size_t token)
{
  return thresholds->n_sentences > 0 && is_word(trust->source, token) &&
         trust->uses[token] < thresholds->use;
}

/* ---- For mt-trust-sample.c --------------------------------------------------------------------
 */

size_t
mt_trust_words(const mt_trust *trust, mt_stack stack, float *out)
{
  const bool is_source = stack == MT_STACK_ENCODER;
  const mt_tokens *tokens = is_source ? trust->source : trust->output;
  size_t n = 0;
  for (size_t i = 0; i < mt_tokens_count(tokens); i++)
    if (is_word(tokens, i))
      out[n++] = is_source ? trust->uses[i] : trust->shares[i];
  return n;
}
