/* mt-trainer-validate.c — how good the network is: on pairs that it never sees in training.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-trainer-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "mt/train/bleu.h"
#include "mt/train/chrf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The loss -------------------------------------------------------------------------------- */

/* Pairs from `first` on that fit a batch, at most up to `end`. Returns the pair after the last. */
static size_t
take_batch(const mt_trainer *t, size_t first, size_t end, uint32_t *pairs)
{
  size_t tokens = 0, i = first;
  for (; i < end; i++) {
    for (mt_stack s = 0; s < MT_N_STACKS; s++)
      tokens += mt_dataset_length(t->dataset, MT_DATASET_HELDOUT, s, i);
    if (i > first && tokens > t->config.batch_tokens)
      break;
    pairs[i - first] = (uint32_t) i;
  }
  return i;
}

static bool
measure_loss(mt_trainer *t, mt_trainer_validation *v, mt_error *error)
{
  size_t n = mt_dataset_count(t->dataset, MT_DATASET_HELDOUT);
  if (t->config.validate_pairs > 0 && t->config.validate_pairs < n)
    n = t->config.validate_pairs;
  uint32_t *pairs = mt_alloc(n, sizeof *pairs);
  mt_train_batch_buffer buffer = {0};
  mt_health health = {0};
  mt_loss sum = {0};
  bool ok = pairs || mt_fail_no_memory(error);
  for (size_t first = 0, next; ok && first < n; first = next) {
    mt_train_batch batch;
    mt_loss loss;
    next = take_batch(t, first, n, pairs);
    ok = mt_train_batch_fill(&buffer, t->dataset, MT_DATASET_HELDOUT, pairs, next - first, 1,
                             &batch, error) &&
         mt_network_evaluate(t->network, t->workspace, &batch, &loss, &health, error);
    if (ok) {
      sum.negative_log_likelihood += loss.negative_log_likelihood;
      sum.n_tokens += loss.n_tokens;
    }
  }
  if (ok) {
    v->loss = sum.n_tokens ? sum.negative_log_likelihood / (double) sum.n_tokens : NAN;
    v->health = mt_health_summarize(&health, &t->network->config);
  }
  mt_health_clear(&health);
  mt_train_batch_buffer_clear(&buffer);
  mt_free(pairs);
  return ok;
}

/* ---- Translations ---------------------------------------------------------------------------- */

typedef struct {
  mt_session *session;
  mt_search_params params;
  mt_bleu bleu;
  mt_chrf chrf;
} scorer;

/* Translate held-out pair i and count it. A network that has learned little writes until it may no
 * longer: twice the length of the source and some more is enough to see that. */
static bool
score_pair(const mt_trainer *t, scorer *s, size_t i, mt_error *error)
{
  size_t n_source, n_reference;
  const char *source = mt_dataset_get_text(t->dataset, MT_STACK_ENCODER, i, &n_source);
  const char *reference = mt_dataset_get_text(t->dataset, MT_STACK_DECODER, i, &n_reference);
  char *text = mt_strndup(source, n_source);
  if (!text)
    return mt_fail_no_memory(error);
  size_t most = 2 * mt_dataset_length(t->dataset, MT_DATASET_HELDOUT, MT_STACK_ENCODER, i) + 16;
  s->params.max_length =
      most < t->network->config.max_positions ? most : t->network->config.max_positions;
  mt_translation *translation = mt_session_translate(s->session, text, &s->params, NULL, error);
  mt_free(text);
  if (!translation)
    return false;
  const char *result = mt_translation_hypothesis(translation, 0)->text;
  bool ok = mt_bleu_add(&s->bleu, result, strlen(result), reference, n_reference, error) &&
            mt_chrf_add(&s->chrf, result, strlen(result), reference, n_reference, error);
  mt_translation_unref(translation);
  return ok;
}

static bool
score(const mt_trainer *t, const char *folder, mt_trainer_validation *v, mt_error *error)
{
  size_t n = mt_dataset_count(t->dataset, MT_DATASET_HELDOUT);
  n = t->config.translate_pairs < n ? t->config.translate_pairs : n;
  mt_model *model = mt_model_open(folder, NULL, error);
  mt_session_options options = {.n_threads = t->config.n_threads};
  scorer s = {.session = model ? mt_session_new(model, &options, error) : NULL};
  bool ok = s.session != NULL;
  if (ok) {
    s.params = mt_search_params_default(model);
    s.params.beam_size = 1;
    s.params.n_best = 1;
  }
  /* Who wants to end does not wait for a score: what was translated until then gives none. */
  size_t i = 0;
  for (; ok && i < n && !mt_trainer_should_stop(t); i++)
    ok = score_pair(t, &s, i, error);
  if (ok && i == n && n > 0) {
    v->bleu = mt_bleu_score(&s.bleu);
    v->chrf = mt_chrf_score(&s.chrf);
    v->n_translated = n;
  }
  mt_session_free(s.session);
  mt_model_unref(model);
  return ok;
}

/* A folder for the time of the translations, that is removed with its mt_new_dir. */
static bool
score_parameters(const mt_trainer *t, mt_trainer_validation *v, mt_error *error)
{
  size_t size = strlen(t->config.output) + sizeof "/validation";
  char *path = mt_alloc(size, 1);
  if (!path)
    return mt_fail_no_memory(error);
  snprintf(path, size, "%s/validation", t->config.output);
  mt_new_dir *dir = mt_new_dir_begin(path, error);
  bool ok = dir && mt_trainer_write_model(t, t->network->parameters, dir, error) &&
            score(t, mt_new_dir_get_path(dir), v, error);
  mt_new_dir_free(dir);
  mt_free(path);
  return ok;
}

bool
mt_trainer_validate(mt_trainer *t, const char *folder, bool is_average, mt_error *error)
{
  mt_trainer_validation v = {
      .step = t->step,
      .is_average = is_average,
      .n_encoder_layers = t->network->config.n_layers[MT_STACK_ENCODER],
      .bleu = NAN,
      .chrf = NAN,
  };
  if (mt_dataset_count(t->dataset, MT_DATASET_HELDOUT) == 0)
    return true;
  if (!measure_loss(t, &v, error))
    return false;
  if (t->config.translate_pairs > 0 &&
      !(folder ? score(t, folder, &v, error) : score_parameters(t, &v, error)))
    return false;
  /* Interrupted: it is made up for when the training goes on. */
  if (t->config.translate_pairs > 0 && v.n_translated == 0)
    return true;
  if (!is_average && t->n_history > 0 && t->history[t->n_history - 1].step == t->step) {
    t->history[t->n_history - 1].valid_loss = v.loss;
    t->history[t->n_history - 1].valid_bleu = v.bleu;
  }
  if (t->events.on_validation)
    t->events.on_validation(t->events.user, &v);
  return true;
}
