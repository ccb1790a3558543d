/* mt-trainer.c — a training: the loop of batches, gradients and updates (the paper, section 5),
 * what it leaves on the disk, validation, and everything before the first step.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-json.h"
#include "mt/train/scores.h"
#include "train/mt-model-write.h"
#include "train/mt-trainer-private.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(sizeof(mt_real) == sizeof(float), "gradients are summed over machines as floats");

/* Of the loss in the picture: a mean over about so many steps. */
#define SMOOTHED_STEPS 50

mt_trainer_config
mt_trainer_config_default(void)
{
  mt_network_config network = mt_network_config_default();
  network.zero_pad = true;
  return (mt_trainer_config){
      .network = network,
      .batch_tokens = 4096,
      .sort_batches = 100,
      .accumulate = 1,
      .schedule = {.kind = MT_SCHEDULE_INVERSE_SQRT, .rate = 1e-3, .warmup = 2000, .cooldown = 0.3},
      .adam = {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .clip = 1},
      .seed = 1,
      .save_every = 1000,
      .keep = 5,
      .average = 1,
      .validate_every = 1000,
      .translate_pairs = 200,
      .num_beams = 4,
      .dtype = MT_DTYPE_F16,
  };
}

static bool
is_first(const mt_trainer *t)
{
  return mt_comm_rank(t->comm) == 0;
}

/* Tell a sentence, printf-formatted. */
static void
trainer_note(const mt_trainer *t, const char *format, ...)
{
  if (!t->events.on_note || !is_first(t))
    return;
  char sentence[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  t->events.on_note(t->events.user, sentence);
}

static bool
trainer_should_stop(const mt_trainer *t)
{
  return t->events.should_stop && t->events.should_stop(t->events.user);
}

/* ---- README.md of a model -------------------------------------------------------------------- */

/* README.md of a model that was trained: what is known of where it comes from. */

/* Text that grows; failed: there was no memory. */
typedef struct {
  char *text;
  size_t n, room;
  bool failed;
} card_text;

static void put(card_text *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
put(card_text *c, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (n < 0 || c->failed || (c->failed = !mt_grow(&c->text, c->n, (size_t) n + 1, &c->room, 1)))
    return;
  va_start(arguments, format);
  vsnprintf(c->text + c->n, c->room - c->n, format, arguments);
  va_end(arguments);
  c->n += (size_t) n;
}

/* In a cell of a table: what would end the cell or the line is left out. */
static void
put_cell(card_text *c, const char *text)
{
  put(c, " ");
  for (; *text; text++)
    if (*text != '|' && (unsigned char) *text >= ' ')
      put(c, "%c", *text);
  put(c, " |");
}

static void
put_head(card_text *c, const mt_trainer *t)
{
  const mt_dataset_info *info = mt_dataset_get_info(t->dataset);
  put(c, "---\n");
  if (mt_card_is_plain(info->languages[0]) && mt_card_is_plain(info->languages[1]))
    put(c, "language:\n- %s\n- %s\n", info->languages[0], info->languages[1]);
  put(c, "tags:\n- translation\n---\n\n");
}

static void
put_shape(card_text *c, const mt_trainer *t)
{
  const mt_network_config *n = &t->network->config;
  static const char *const activations[] = {"ReLU", "SiLU", "GELU"};
  put(c, "| | |\n|---|---|\n");
  put(c,
      "| architecture | encoder-decoder Transformer, %zu + %zu layers, d_model %zu, %zu heads, "
      "feed-forward %zu, %s, %s-norm, %s positions |\n",
      n->n_layers[MT_STACK_ENCODER], n->n_layers[MT_STACK_DECODER], n->d_model, n->n_heads,
      n->d_ffn, activations[n->activation], n->normalize_before ? "pre" : "post",
      n->learned_positions ? "learned" : "sinusoidal");
  put(c, "| vocabulary | %zu pieces, one table for both languages%s |\n", n->vocab_size,
      n->untied_output ? ", another for the output layer" : "");
  put(c, "| parameters | %zu |\n", t->network->n_parameters);
  put(c, "| steps | %llu of about %zu source and target tokens |\n", (unsigned long long) t->step,
      t->config.batch_tokens * t->config.accumulate * mt_comm_size(t->comm));
  if (t->config.start_from) {
    const char *slash = strrchr(t->config.start_from, '/');
    put(c, "| began as |");
    put_cell(c, slash && slash[1] ? slash + 1 : t->config.start_from);
    put(c, "\n");
  }
  put(c, "\n");
}

static void
put_data(card_text *c, const mt_trainer *t)
{
  put(c, "## Data\n\n\"Weight\" is how often an epoch shows a pair.\n\n"
         "| source | pairs | weight | licence |\n|---|---|---|---|\n");
  for (size_t i = 0; i < mt_dataset_count_sources(t->dataset); i++) {
    const mt_dataset_source *source = mt_dataset_get_source(t->dataset, i);
    if (t->weights[i] <= 0)
      continue;
    put(c, "|");
    put_cell(c, source->name);
    put(c, " %zu | %g |", source->n_pairs / source->segmentations, t->weights[i]);
    put_cell(c, *source->licence ? source->licence : "not said");
    put(c, "\n");
  }
}

/* README.md of a model; free with mt_free, NULL without memory. */
static char *
make_card(const mt_trainer *t)
{
  card_text c = {0};
  const mt_dataset_info *info = mt_dataset_get_info(t->dataset);
  put_head(&c, t);
  put(&c,
      "# A Transformer that translates%s%s%s%s\n\nTrained with regard-train " MT_VERSION ".\n\n",
      *info->languages[0] ? " from " : "", info->languages[0], *info->languages[1] ? " to " : "",
      info->languages[1]);
  put_shape(&c, t);
  put_data(&c, t);
  if (!c.failed)
    return c.text;
  mt_free(c.text);
  return NULL;
}

/* ---- What a training leaves on the disk ------------------------------------------------------ */

#define FINAL_FOLDER "model"

/* OUTPUT/name; free with mt_free. */
static char *
output_path(const mt_trainer *t, const char *name, mt_error *error)
{
  char *path = mt_path_join(t->config.output, name);
  if (!path)
    mt_fail_no_memory(error);
  return path;
}

static bool
is_save_at(const mt_trainer *t, uint64_t step)
{
  for (size_t i = 0; i < t->config.n_save_at; i++)
    if (t->config.save_at[i] == step)
      return true;
  return false;
}

/* Whether a checkpoint is due after a step. */
static bool
saves_at(const mt_trainer *t, uint64_t step)
{
  const mt_trainer_config *c = &t->config;
  return is_save_at(t, step) || step == c->schedule.steps ||
         (step > 0 && c->save_every > 0 && step % c->save_every == 0);
}

/* Write the parameters of now into a folder that `dir` begins; it is the caller's to commit. */
static bool
write_model(const mt_trainer *t, const mt_real *parameters, mt_new_dir *dir, mt_error *error)
{
  char *card = make_card(t);
  if (!card)
    return mt_fail_no_memory(error);
  mt_model_write what = {
      .network = t->network,
      .parameters = parameters,
      .dataset = t->dataset,
      .dtype = t->config.dtype,
      .num_beams = t->config.num_beams,
      .card = card,
  };
  bool ok = mt_model_write_files(&what, dir, error);
  mt_free(card);
  return ok;
}

/* ---- Validation ------------------------------------------------------------------------------ */

/* How good the network is: on pairs that it never sees in training. */

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
  for (; ok && i < n && !trainer_should_stop(t); i++)
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
  char *path = output_path(t, "validation", error);
  mt_new_dir *dir = path ? mt_new_dir_begin(path, error) : NULL;
  bool ok = dir && write_model(t, t->network->parameters, dir, error) &&
            score(t, mt_new_dir_get_path(dir), v, error);
  mt_new_dir_free(dir);
  mt_free(path);
  return ok;
}

/* Loss, health and scores of the network as it is. folder: a Marian directory with the same
 * parameters, NULL: one is written for the time it takes. */
static bool
trainer_validate(mt_trainer *t, const char *folder, bool is_average, mt_error *error)
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

/* ---- Checkpoints ----------------------------------------------------------------------------- */

/* Only the newest checkpoint needs what is needed to go on, and of those of save_every (and of an
 * interruption) only the last `keep` stay. */
static void
let_go(const mt_trainer *t)
{
  uint64_t *steps;
  size_t n;
  if (!mt_checkpoint_list(t->config.output, &steps, &n, NULL))
    return;
  size_t n_kept = 0;
  for (size_t i = n; i > 0; i--) {
    uint64_t step = steps[i - 1];
    if (step != t->step)
      mt_checkpoint_strip(t->config.output, step);
    if (is_save_at(t, step))
      continue;
    /* One that an interruption wrote is there to be gone on from, and pushes none out that was
     * asked for. */
    bool was_asked_for = saves_at(t, step);
    if (t->config.keep > 0 && (was_asked_for ? n_kept == t->config.keep : step != t->step))
      mt_checkpoint_remove(t->config.output, step);
    else if (was_asked_for)
      n_kept++;
  }
  mt_free(steps);
}

/* Write a checkpoint of now, then let older ones go. */
static bool
trainer_save(mt_trainer *t, mt_error *error)
{
  if (!mt_dataset_check(t->dataset, error))
    return false;
  char *card = make_card(t);
  char *path = mt_checkpoint_path(t->config.output, t->step);
  bool ok = (card && path) || mt_fail_no_memory(error);
  mt_model_write model = {
      .network = t->network,
      .parameters = t->network->parameters,
      .dataset = t->dataset,
      .dtype = t->config.dtype,
      .num_beams = t->config.num_beams,
      .card = card,
  };
  mt_checkpoint checkpoint = {
      .network = t->network,
      .adam = &t->adam,
      .state = {.step = t->step,
                .position = mt_sampler_get_position(t->sampler),
                .sampling = t->sampling},
      .history = t->history,
      .n_history = t->n_history,
  };
  ok = ok && mt_checkpoint_write(t->config.output, &checkpoint, &model, error);
  if (ok) {
    t->saved = true;
    let_go(t);
    if (t->events.on_checkpoint)
      t->events.on_checkpoint(t->events.user, t->step, path);
  }
  mt_free(card);
  mt_free(path);
  return ok;
}

/* ---- The final model ------------------------------------------------------------------------- */

/* Add the parameters of a checkpoint's model to sum [n_flat]. */
static bool
add_checkpoint(const mt_trainer *t, mt_network *one, uint64_t step, mt_real *sum, mt_error *error)
{
  char *path = mt_checkpoint_path(t->config.output, step);
  mt_model *model = path ? mt_model_open(path, NULL, error) : NULL;
  if (!path)
    mt_fail_no_memory(error);
  bool ok = model && mt_network_load(one, model, error);
  for (size_t i = 0; ok && i < one->n_flat; i++)
    sum[i] += one->parameters[i];
  mt_model_unref(model);
  mt_free(path);
  return ok;
}

/* The mean of the last n checkpoints, as they are in their files: [n_flat], free with mt_free. */
static mt_real *
average(const mt_trainer *t, const uint64_t *steps, size_t n, mt_error *error)
{
  mt_network *one = mt_network_new(&t->network->config, error);
  mt_real *sum = one ? mt_alloc_aligned(one->n_flat, sizeof *sum) : NULL;
  bool ok = sum || (one && mt_fail_no_memory(error));
  for (size_t i = 0; ok && i < n; i++)
    ok = add_checkpoint(t, one, steps[i], sum, error);
  for (size_t i = 0; ok && i < one->n_flat; i++)
    sum[i] /= (mt_real) n;
  mt_network_free(one);
  if (ok)
    return sum;
  mt_free(sum);
  return NULL;
}

static bool
commit_final(const mt_trainer *t, const mt_real *parameters, mt_error *error)
{
  char *path = output_path(t, FINAL_FOLDER, error);
  mt_new_dir *dir = path ? mt_new_dir_begin(path, error) : NULL;
  bool ok = dir && write_model(t, parameters, dir, error) && mt_new_dir_commit(dir, true, error);
  mt_new_dir_free(dir);
  mt_free(path);
  return ok;
}

/* Write the folder "model": the mean of the last checkpoints, and validate it if it is one. */
static bool
write_final(mt_trainer *t, mt_error *error)
{
  uint64_t *steps;
  size_t n;
  if (!mt_checkpoint_list(t->config.output, &steps, &n, error))
    return false;
  /* Later ones are of an earlier, longer training. */
  while (n > 0 && steps[n - 1] > t->step)
    n--;
  size_t n_used = t->config.average < n ? t->config.average : n;
  bool ok;
  if (n_used < 2) {
    ok = commit_final(t, t->network->parameters, error);
  } else {
    mt_real *mean = average(t, steps + n - n_used, n_used, error);
    ok = mean && commit_final(t, mean, error);
    if (ok) {
      /* Validated in the place of the network, which then has its own parameters back. */
      mt_real *own = t->network->parameters;
      char *path = output_path(t, FINAL_FOLDER, error);
      t->network->parameters = mean;
      trainer_note(t, "The final model is the mean of %zu checkpoints, from step %llu on.", n_used,
                   (unsigned long long) steps[n - n_used]);
      ok = path && trainer_validate(t, path, true, error);
      t->network->parameters = own;
      mt_free(path);
    }
    mt_free(mean);
  }
  mt_free(steps);
  return ok;
}

/* ---- One step -------------------------------------------------------------------------------- */

/* What the ranks add up after a step. */
typedef struct {
  double smoothed_loss, loss, n_source, n_target, n_stop;
} step_sums;
#define N_STEP_SUMS (sizeof(step_sums) / sizeof(double))

/* While the last backward pass of a step runs. */
typedef struct {
  mt_trainer *trainer;
  mt_error *error;
  bool failed;
} exchange;

static void
on_gradient(void *user, size_t offset, size_t count)
{
  exchange *e = user;
  if (!e->failed)
    e->failed = !mt_comm_begin_sum(e->trainer->comm, e->trainer->network->gradients + offset, count,
                                   e->error);
}

/* Add the gradients of this rank's batches of the step, and begin to add the other ranks'. The
 * batches of a step and their dropout are the same however many ranks divide them. */
static bool
accumulate(mt_trainer *t, step_sums *sums, mt_error *error)
{
  const size_t n_ranks = mt_comm_size(t->comm), rank = mt_comm_rank(t->comm);
  const size_t n_batches = t->config.accumulate * n_ranks;
  exchange e = {.trainer = t, .error = error};
  for (size_t i = 0; i < n_batches; i++) {
    mt_train_batch batch;
    mt_loss loss;
    if (i % n_ranks != rank) {
      if (!mt_sampler_skip(t->sampler, error))
        return false;
      continue;
    }
    mt_pass_options options = {
        .seed = t->config.seed,
        .step = t->step * n_batches + i,
        .on_gradient = n_ranks > 1 && i + n_ranks >= n_batches ? on_gradient : NULL,
        .user = &e,
    };
    if (!mt_sampler_next(t->sampler, &batch, error) ||
        !mt_network_gradient(t->network, t->workspace, &batch, &options, &loss, error) || e.failed)
      return false;
    sums->smoothed_loss += loss.smoothed_loss;
    sums->loss += loss.negative_log_likelihood;
    sums->n_source += batch.source_begin[batch.n_sentences];
    sums->n_target += (double) loss.n_tokens;
  }
  return mt_comm_wait(t->comm, error);
}

static bool
fail_not_finite(const mt_trainer *t, mt_error *error)
{
  uint64_t last;
  char where[64] = "there is no checkpoint yet";
  if (mt_checkpoint_find_last(t->config.output, &last))
    snprintf(where, sizeof where, "the last checkpoint is of step %llu", (unsigned long long) last);
  const char *what = "gradient";
  const mt_parameter *bad = mt_network_find_not_finite(t->network, t->network->parameters);
  if (bad)
    what = "parameter";
  else
    bad = mt_network_find_not_finite(t->network, t->network->gradients);
  if (!bad)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "Step %llu: the loss is not a finite number, though all gradients are; %s.",
                   (unsigned long long) t->step + 1, where);
  return mt_fail(
      error, MT_ERROR_FORMAT,
      "Step %llu: the loss or a gradient is not a finite number; the first such %s is in "
      "tensor \"%s\"; %s. A lower learning rate, a longer warm-up or clipping may help.",
      (unsigned long long) t->step + 1, what, bad->name, where);
}

static bool
remember(mt_trainer *t, const mt_trainer_step *step, mt_error *error)
{
  if (!mt_grow(&t->history, t->n_history, 1, &t->history_room, sizeof *t->history))
    return mt_fail_no_memory(error);
  double loss = step->loss;
  if (t->n_history > 0) {
    double n = t->n_history < SMOOTHED_STEPS ? (double) t->n_history : SMOOTHED_STEPS;
    loss = (n * t->history[t->n_history - 1].loss + loss) / (n + 1);
  }
  t->history[t->n_history++] = (mt_trainer_record){
      .step = step->step,
      .loss = loss,
      .learning_rate = step->learning_rate,
      .valid_loss = NAN,
      .valid_bleu = NAN,
  };
  return true;
}

/* *stop: some rank was asked to. */
static bool
do_step(mt_trainer *t, bool *stop, mt_error *error)
{
  uint64_t epoch = mt_sampler_get_position(t->sampler).epoch;
  step_sums sums = {.n_stop = trainer_should_stop(t)};
  double flat[N_STEP_SUMS];
  if (!accumulate(t, &sums, error))
    return false;
  memcpy(flat, &sums, sizeof flat);
  if (!mt_comm_sum(t->comm, flat, N_STEP_SUMS, error))
    return false;
  memcpy(&sums, flat, sizeof flat);

  mt_trainer_step step = {
      .step = t->step + 1,
      .smoothed_loss = sums.smoothed_loss / sums.n_target,
      .loss = sums.loss / sums.n_target,
      .learning_rate =
          mt_schedule_rate(&t->config.schedule, t->network->config.d_model, t->step + 1),
      .n_source = (size_t) sums.n_source,
      .n_target = (size_t) sums.n_target,
      .epoch = epoch,
  };
  if (!isfinite(sums.smoothed_loss) ||
      !mt_adam_step(&t->adam, mt_workspace_pool(t->workspace), t->network->parameters,
                    t->network->gradients, 1 / sums.n_target, step.learning_rate, step.step,
                    &step.gradient_norm))
    return fail_not_finite(t, error);
  t->step++;
  t->saved = false;
  *stop = sums.n_stop > 0;
  if (!remember(t, &step, error))
    return false;
  if (t->events.on_step && is_first(t))
    t->events.on_step(t->events.user, &step);
  return true;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static bool
validates_at(const mt_trainer *t, uint64_t step)
{
  const mt_trainer_config *c = &t->config;
  return step == c->schedule.steps || (c->validate_every > 0 && step % c->validate_every == 0);
}

static bool
show_history(mt_trainer *t, mt_error *error)
{
  return !t->events.on_history ||
         t->events.on_history(t->events.user, t->history, t->n_history, error);
}

/* Who wants to end does not wait for a validation; it is made up for when the training goes on. So
 * is the history, for who was killed after a checkpoint has not shown it. */
static bool
make_up(mt_trainer *t, mt_error *error)
{
  if (t->n_history == 0 || !is_first(t))
    return true;
  bool missing = t->history[t->n_history - 1].step == t->step &&
                 isnan(t->history[t->n_history - 1].valid_loss) && validates_at(t, t->step);
  return (!missing || trainer_validate(t, NULL, false, error)) && show_history(t, error);
}

/* What is due after a step, on the first rank. */
static bool
after_step(mt_trainer *t, bool stop, mt_error *error)
{
  bool last = t->step == t->config.schedule.steps;
  bool validates = validates_at(t, t->step) && (last || !stop);
  bool saves = saves_at(t, t->step) || stop;
  if (!is_first(t))
    return true;
  if (validates && !trainer_validate(t, NULL, false, error))
    return false;
  if (saves && !trainer_save(t, error))
    return false;
  return !(validates || saves) || show_history(t, error);
}

bool
mt_trainer_run(mt_trainer *t, mt_error *error)
{
  const mt_trainer_config *c = &t->config;
  bool first = is_first(t);
  if (t->step == 0 && first) {
    if (c->start_from && c->validate_every > 0 && !trainer_validate(t, NULL, false, error))
      return false;
    if (saves_at(t, 0) && !t->saved && !trainer_save(t, error))
      return false;
  }
  if (t->step > 0 && !make_up(t, error))
    return false;
  while (t->step < c->schedule.steps) {
    bool stop = false;
    if (!do_step(t, &stop, error) || !after_step(t, stop, error))
      return false;
    if (stop && t->step < c->schedule.steps)
      return mt_fail(error, MT_ERROR_CANCELLED, "Stopped after step %llu of %llu, as asked.",
                     (unsigned long long) t->step, (unsigned long long) c->schedule.steps);
  }
  return !first || write_final(t, error);
}

const mt_network *
mt_trainer_get_network(const mt_trainer *t)
{
  return t->network;
}

const mt_network_config *
mt_trainer_get_shape(const mt_trainer *t)
{
  return &t->network->config;
}

size_t
mt_trainer_count_parameters(const mt_trainer *t)
{
  return t->network->n_parameters;
}

const mt_dataset *
mt_trainer_get_dataset(const mt_trainer *t)
{
  return t->dataset;
}

uint64_t
mt_trainer_get_step(const mt_trainer *t)
{
  return t->step;
}

size_t
mt_trainer_count_batches(const mt_trainer *t)
{
  return mt_sampler_count_batches(t->sampler);
}

/* ---- Everything before the first step -------------------------------------------------------- */

/* ---- Checking -------------------------------------------------------------------------------- */

static bool
check_config(const mt_trainer_config *c, mt_error *error)
{
  const struct {
    const char *name;
    double value, min, max;
  } rows[] = {
      {"steps", (double) c->schedule.steps, 1, 1e12},   {"rate", c->schedule.rate, 1e-12, 1e3},
      {"warmup", (double) c->schedule.warmup, 0, 1e12}, {"cooldown", c->schedule.cooldown, 0, 1},
      {"accumulate", (double) c->accumulate, 1, 1e6},   {"average", (double) c->average, 1, 1e6},
      {"num_beams", (double) c->num_beams, 1, 1024},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!(rows[i].value >= rows[i].min && rows[i].value <= rows[i].max))
      return mt_fail(error, MT_ERROR_INPUT, "\"%s\" must be from %g to %g, found %g.", rows[i].name,
                     rows[i].min, rows[i].max, rows[i].value);
  if (c->dtype != MT_DTYPE_F32 && c->dtype != MT_DTYPE_F16)
    return mt_fail(error, MT_ERROR_INPUT, "Weights are written as F32 or F16.");
  if (c->keep > 0 && c->average > c->keep)
    return mt_fail(error, MT_ERROR_INPUT,
                   "The mean of %zu checkpoints was asked for, and only %zu are kept.", c->average,
                   c->keep);
  return true;
}

static bool
check_data(const mt_trainer *t, mt_error *error)
{
  const mt_dataset_info *info = mt_dataset_get_info(t->dataset);
  if (info->separate_vocabs || info->vocab_size[0] != info->vocab_size[1])
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%.400s: expected one vocabulary for both languages, which is what is trained "
                   "here, found two.",
                   t->config.data);
  if (info->max_tokens > t->config.network.max_positions)
    return mt_fail(
        error, MT_ERROR_INPUT,
        "%.400s: expected sentences of at most %zu tokens, which is the network's number "
        "of positions, found up to %zu.",
        t->config.data, t->config.network.max_positions, info->max_tokens);
  return true;
}

/* ---- A model to start from ------------------------------------------------------------------- */

typedef struct {
  const mt_trainer *trainer;
  const mt_model *model;
  const char *label;
  size_t n;
  mt_error *error;
} piece_check;

static bool
check_piece(void *user, const char *piece, const mt_json_value *id)
{
  piece_check *c = user;
  c->n++;
  if (mt_json_kind_of(id) != MT_JSON_INTEGER || mt_json_integer(id) < 0 ||
      mt_json_integer(id) > INT32_MAX)
    return mt_fail(c->error, MT_ERROR_FORMAT, "%s: expected an id for \"%.100s\".", c->label,
                   piece);
  const char *theirs = mt_model_piece(c->model, MT_STACK_DECODER, (int32_t) mt_json_integer(id));
  return (theirs && strcmp(theirs, piece) == 0) ||
         mt_fail(
             c->error, MT_ERROR_INPUT,
             "%s: piece %lld is \"%.100s\", and in %.200s it is \"%.100s\"; a model goes on with "
             "the pieces it began with (prepare has an option for that).",
             c->label, (long long) mt_json_integer(id), piece, mt_model_name(c->model),
             theirs ? theirs : "none");
}

/* The ids of the data mean the same pieces as the model's. */
static bool
check_pieces(const mt_trainer *t, const mt_model *model, mt_error *error)
{
  mt_dir dir = MT_DIR_NONE;
  mt_json json = {0};
  bool ok = mt_dir_open_as(&dir, t->config.data, "a folder of prepared text", NULL, error) &&
            mt_json_load(&json, &dir, "vocab.json", error);
  if (ok) {
    piece_check c = {.trainer = t, .model = model, .label = json.label, .error = error};
    ok = mt_json_each(json.root, check_piece, &c);
  }
  mt_json_clear(&json);
  mt_dir_close(&dir);
  return ok;
}

static bool
same_shape(const mt_network_config *a, const mt_network_config *b)
{
  return a->d_model == b->d_model && a->n_layers[0] == b->n_layers[0] &&
         a->n_layers[1] == b->n_layers[1] && a->n_heads == b->n_heads && a->d_ffn == b->d_ffn &&
         a->activation == b->activation && a->normalize_before == b->normalize_before &&
         a->untied_output == b->untied_output && a->learned_positions == b->learned_positions;
}

/* The shape of the model, and how to train of the configuration. */
static bool
take_shape(mt_trainer *t, const mt_model *model, mt_error *error)
{
  mt_network_config *asked = &t->config.network, shape;
  if (!mt_network_config_of_model(&shape, model, error))
    return false;
  if (t->config.shape_is_given && !same_shape(asked, &shape))
    return mt_fail(
        error, MT_ERROR_INPUT,
        "The configuration asks for another shape than %.200s has; leave it out to go on "
        "with that of the model.",
        mt_model_name(model));
  if (asked->attention_window)
    shape.attention_window = asked->attention_window;
  shape.dropout = asked->dropout;
  shape.activation_dropout = asked->activation_dropout;
  shape.label_smoothing = asked->label_smoothing;
  shape.r_drop = asked->r_drop;
  shape.zero_pad = asked->zero_pad;
  shape.products = asked->products;
  if (!shape.normalize_before)
    shape.init = asked->init;
  *asked = shape;
  return true;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* What the file says, where the configuration does not say otherwise. */
static bool
make_weights(mt_trainer *t, mt_error *error)
{
  size_t n = mt_dataset_count_sources(t->dataset);
  t->weights = mt_alloc(n, sizeof *t->weights);
  if (!t->weights)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < n; i++)
    t->weights[i] = mt_dataset_get_source(t->dataset, i)->weight;
  for (size_t k = 0; k < t->config.n_weights; k++) {
    const mt_trainer_weight *w = &t->config.weights[k];
    bool found = false;
    for (size_t i = 0; i < n; i++)
      if (strcmp(mt_dataset_get_source(t->dataset, i)->name, w->source) == 0) {
        t->weights[i] = w->weight;
        found = true;
      }
    if (!found)
      return mt_fail(error, MT_ERROR_INPUT,
                     "%.400s: a weight is given for source \"%.200s\", found no such source.",
                     t->config.data, w->source);
  }
  return true;
}

/* FNV-1a. */
static uint64_t
hash(uint64_t h, const void *bytes, size_t n)
{
  const unsigned char *b = bytes;
  for (size_t i = 0; i < n; i++)
    h = (h ^ b[i]) * UINT64_C(0x100000001b3);
  return h;
}

static uint64_t
hash_sampling(const mt_trainer *t)
{
  const uint64_t numbers[] = {t->config.seed, t->config.batch_tokens, t->config.sort_batches,
                              mt_dataset_get_checksum(t->dataset)};
  uint64_t h = hash(UINT64_C(0xcbf29ce484222325), numbers, sizeof numbers);
  if (t->config.network.r_drop > 0) /* which divides an epoch into more batches */
    h = hash(h, "twice", strlen("twice"));
  return hash(h, t->weights, mt_dataset_count_sources(t->dataset) * sizeof *t->weights);
}

static bool
make_sampler(mt_trainer *t, mt_error *error)
{
  if (!make_weights(t, error))
    return false;
  mt_sampler_options options = {
      .seed = t->config.seed,
      .batch_tokens = t->config.batch_tokens,
      .sort_batches = t->config.sort_batches,
      .weights = t->weights,
      .is_twice = t->config.network.r_drop > 0,
  };
  t->sampling = hash_sampling(t);
  t->sampler = mt_sampler_new(t->dataset, &options, error);
  return t->sampler != NULL;
}

/* A model, or a checkpoint of this program as it once was, may come with a <pad> that was trained.
 */
static void
hold_pad(mt_trainer *t)
{
  if (mt_network_hold_pad(t->network, t->network->parameters))
    trainer_note(t, "The embedding of <pad> was not zero; it is now.");
  mt_network_hold_pad(t->network, t->adam.m);
  mt_network_hold_pad(t->network, t->adam.v);
}

static bool
make_network(mt_trainer *t, mt_error *error)
{
  const char *start_from = t->config.start_from;
  mt_model *model = start_from ? mt_model_open(start_from, NULL, error) : NULL;
  bool ok =
      (model || !start_from) && (!model || take_shape(t, model, error)) && check_data(t, error);
  if (ok) {
    const mt_dataset_info *info = mt_dataset_get_info(t->dataset);
    t->config.network.vocab_size = info->vocab_size[0];
    t->config.network.pad_id = info->pad_id;
    ok = !model || check_pieces(t, model, error);
  }
  if (ok) {
    t->network = mt_network_new(&t->config.network, error);
    t->workspace = t->network ? mt_workspace_new(t->network, t->config.n_threads, error) : NULL;
    ok = t->workspace && mt_adam_init(&t->adam, &t->config.adam, t->network->n_flat, error);
  }
  if (ok && model)
    ok = mt_network_load(t->network, model, error);
  else if (ok)
    mt_network_init(t->network, t->config.seed);
  if (ok)
    hold_pad(t);
  mt_model_unref(model);
  return ok;
}

/* ---- Where to begin -------------------------------------------------------------------------- */

static bool
go_on(mt_trainer *t, uint64_t step, mt_error *error)
{
  mt_checkpoint c = {.network = t->network, .adam = &t->adam};
  if (!mt_checkpoint_read(t->config.output, step, &c, error))
    return false;
  hold_pad(t);
  t->step = step;
  t->history = c.history;
  t->n_history = t->history_room = c.n_history;
  t->saved = true;
  mt_sampler_position position = c.state.position;
  if (c.state.sampling != t->sampling) {
    position = (mt_sampler_position){.epoch = position.epoch + 1};
    trainer_note(t, "Data, weights, seed or batches are not those of the checkpoint: a new epoch "
                    "begins.");
  }
  trainer_note(t, "Going on from the checkpoint of step %llu.", (unsigned long long) step);
  if (!mt_sampler_set_position(t->sampler, position, error))
    return false;
  let_go(t); /* the run may have ended between a checkpoint and that */
  return true;
}

/* On the first rank. */
static bool
open_output(mt_trainer *t, mt_error *error)
{
  const char *output = t->config.output;
  if (mkdir(output, 0777) != 0 && errno != EEXIST)
    return mt_fail(error, MT_ERROR_IO, "%.600s: the folder cannot be made (%m).", output);
  uint64_t *steps, last;
  size_t n;
  if (!mt_checkpoint_list(output, &steps, &n, error))
    return false;
  mt_free(steps);
  mt_checkpoint_tidy(output);
  if (n == 0)
    return true;
  if (!t->config.resume)
    return mt_fail(
        error, MT_ERROR_IO,
        "%.600s: the folder has checkpoints of an earlier training; --resume goes on with "
        "it, and --output names another folder.",
        output);
  if (!mt_checkpoint_find_last(output, &last))
    return mt_fail(error, MT_ERROR_IO,
                   "%.600s: the folder has checkpoints, and from none of them a training can go on "
                   "(their trainer_state is missing).",
                   output);
  return go_on(t, last, error);
}

/* All ranks go on with what the first one has. */
static bool
share(mt_trainer *t, mt_error *error)
{
  struct {
    uint64_t step;
    mt_sampler_position position;
  } state = {t->step, mt_sampler_get_position(t->sampler)};
  size_t n_bytes = t->network->n_flat * sizeof(mt_real);
  if (!mt_comm_broadcast(t->comm, &state, sizeof state, error) ||
      !mt_comm_broadcast(t->comm, t->network->parameters, n_bytes, error) ||
      !mt_comm_broadcast(t->comm, t->adam.m, n_bytes, error) ||
      !mt_comm_broadcast(t->comm, t->adam.v, n_bytes, error))
    return false;
  t->step = state.step;
  return is_first(t) || mt_sampler_set_position(t->sampler, state.position, error);
}

mt_trainer *
mt_trainer_new(const mt_trainer_config *config, const mt_trainer_events *events, mt_comm *comm,
               mt_error *error)
{
  if (!check_config(config, error))
    return NULL;
  mt_trainer *t = mt_alloc(1, sizeof *t);
  if (!t)
    return mt_fail_no_memory(error), NULL;

  t->config = *config;
  if (events)
    t->events = *events;
  t->comm = comm;
  t->dataset = mt_dataset_open(config->data, error);
  if (t->dataset && make_network(t, error) && make_sampler(t, error) &&
      (!is_first(t) || open_output(t, error)) && share(t, error))
    return t;
  mt_trainer_free(t);
  return NULL;
}

void
mt_trainer_free(mt_trainer *t)
{
  if (!t)
    return;
  mt_adam_clear(&t->adam);
  mt_workspace_free(t->workspace);
  mt_network_free(t->network);
  mt_sampler_free(t->sampler);
  mt_dataset_free(t->dataset);
  mt_free(t->weights);
  mt_free(t->history);
  mt_free(t);
}
