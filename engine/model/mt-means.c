/* mt-means.c — mean contexts of the heads of a model: a value that knows whose they are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-means.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"

/* ---- Whose ------------------------------------------------------------------------------------
 */

bool
mt_means_check_fingerprint(uint64_t found, const char *model_name, const mt_model *model,
                           mt_error *error)
{
  if (found == mt_model_fingerprint(model))
    return true;
  return mt_fail(error, MT_ERROR_INPUT,
                 "These means are of another model, called \"%.80s\", not of \"%.80s\".",
                 model_name, model->name ? model->name : "");
}

bool
mt_means_check(const mt_means *means, const mt_model *model, mt_error *error)
{
  return mt_means_check_fingerprint(means->fingerprint, means->model_name, model, error);
}

/* ---- The value ---------------------------------------------------------------------------------
 */

mt_means *
mt_means_new(const mt_model *model, const char *text, mt_error *error)
{
  mt_means *means = mt_alloc(1, sizeof *means);
  if (!means)
    return mt_fail_no_memory(error), NULL;
  means->ref_count = 1;
  means->d_model = model->config.d_model;
  means->fingerprint = mt_model_fingerprint(model);
  means->model_name = mt_strdup(model->name ? model->name : "");
  means->text = mt_strdup(text);
  bool ok = means->model_name && means->text;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    means->n_layers[kind] = model->config.n_layers[mt_kind_stack(kind)];
    means->n_heads[kind] = model->config.n_heads[mt_kind_stack(kind)];
    means->means[kind] = mt_alloc(means->n_layers[kind], means->d_model * sizeof(float));
    ok = ok && means->means[kind];
  }
  if (ok)
    return means;
  mt_means_unref(means);
  return mt_fail_no_memory(error), NULL;
}

/* Numbers of one kind. */
static size_t
mt_means_size(const mt_means *means, mt_attention_kind kind)
{
  return means->n_layers[kind] * means->d_model;
}

void
mt_means_seal(mt_means *means)
{
  means->hash = mt_hash_bytes(MT_HASH_BEGIN, &means->fingerprint, sizeof means->fingerprint);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    means->hash =
        mt_hash_bytes(means->hash, means->means[kind], mt_means_size(means, kind) * sizeof(float));
}

static void
means_free(mt_means *means)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    mt_free(means->means[kind]);
  mt_free(means->model_name);
  mt_free(means->text);
  mt_free(means);
}

MT_DEFINE_COUNTED(mt_means, means_free)

const float *
mt_means_get(const mt_means *means, mt_attention_kind kind, size_t layer, size_t head)
{
  return means->means[kind] + layer * means->d_model +
         head * (means->d_model / means->n_heads[kind]);
}

const char *
mt_means_text(const mt_means *means)
{
  return means->text;
}

size_t
mt_means_n_sentences(const mt_means *means)
{
  return means->n_sentences;
}

size_t
mt_means_n_tokens(const mt_means *means, mt_stack stack)
{
  return means->n_tokens[stack];
}
